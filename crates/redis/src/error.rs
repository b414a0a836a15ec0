//! What can go wrong with a server.

/// Why a server did not do what it was asked for.
#[derive(Debug, thiserror::Error)]
pub enum ServerError {
    /// Its address cannot be used.
    #[error(
        "the address of the Redis server cannot be used ({why}): write a URL such as redis://127.0.0.1:6379"
    )]
    Address {
        /// Why.
        why: String,
    },
    /// It does not answer.
    #[error("the Redis server at {server} does not answer ({why})")]
    Away {
        /// Which.
        server: String,
        /// How that shows.
        why: String,
    },
    /// It has no room.
    #[error("the Redis server at {server} is full: raise its `maxmemory`; nothing was written")]
    Full {
        /// Which.
        server: String,
    },
    /// It refuses.
    #[error("the Redis server at {server} refuses: {why}")]
    Refused {
        /// Which.
        server: String,
        /// Its words.
        why: String,
    },
}
