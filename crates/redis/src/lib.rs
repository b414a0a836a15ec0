//! A Redis server as others see it: asked again while a connection is broken, and heard when somebody publishes.
//!
//! Nothing here knows what is stored. Addresses are URLs (`redis://`, `rediss://` for TLS, `redis+unix://`), with the password in
//! them; what is shown of one is its host and port.

mod error;
mod server;
mod subscription;

pub use error::ServerError;
pub use server::RedisServer;
pub use subscription::Subscription;
