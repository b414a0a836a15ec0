//! The directory that subcortex lives in: where everything is, how a new one is filled, what is wrong with it.
//!
//! The crate is handed the path of the home; it never searches for one, since a hostile repository could
//! hold a `config/` of its own.

mod adopt;
mod began;
mod beside;
mod bootstrap;
pub mod doctor;
mod imports;
mod init;
pub mod kill_switch;
mod layout;
pub mod trust;

pub use adopt::{AdoptError, Adopted, MAX_RULES_FILE_BYTES, Place, adopt, adoptable};
pub use began::began;
pub use bootstrap::{Shipped, shipped_files};
pub use init::{InitError, Initialised, init};
pub use layout::Home;
