//! Where blackboards are kept: files of a home ([`FileBoards`]), or a Redis server ([`RedisBoards`]), behind one trait.
//!
//! Both check an entry against the whole thread and append it in one step that nobody can get in between, both forget a
//! thread some time after its last entry, and both replace secrets before anything is stored.

mod boards;
mod document;
mod error;
mod files;
mod files_watch;
mod redis_boards;
mod redis_watch;
mod thread;

pub use boards::{Boards, Watch, open};
pub use document::document;
pub use error::BoardError;
pub use files::{Durability, FileBoards};
pub use redis_boards::RedisBoards;
pub use thread::Thread;
