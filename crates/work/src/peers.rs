//! The other partitions, for workers that hand tasks on.

use std::fmt::Debug;
use std::io;

use subcortex_inbox::Consumer;

/// Who knows the partitions of the home.
pub trait Peers: Debug + Send + Sync {
    /// Every partition whose definition can be used, with the markers that it takes.
    fn consumers(&self) -> io::Result<Vec<Consumer>>;
}
