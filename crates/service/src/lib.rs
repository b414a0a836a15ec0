//! subcortex under systemd: the text of its units, putting them in place, and talking to the manager.
//!
//! Nothing here looks around or calls `systemctl`: paths and environment values are handed in, and what a
//! person has to run next is handed back.

mod install;
mod notify;
mod quote;
mod seal;
mod unit;

pub use install::{Change, Done, InstallError, SYSTEM_FOLDER, install, uninstall, user_folder};
pub use notify::{Notifier, watchdog_usec};
pub use unit::{Kind, Options, UnitError, unit};
