//! Names looked up once, and every address checked before it is connected to.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::sync::Arc;

use reqwest::dns::{Addrs, Name, Resolve, Resolving};

/// The addresses of a name.
pub(super) type Found = Pin<Box<dyn Future<Output = io::Result<Vec<IpAddr>>> + Send>>;
/// How a name is looked up.
pub(super) type Lookup = Arc<dyn Fn(String) -> Found + Send + Sync>;

/// Hands only checked addresses to the HTTP client. The client connects to what it is handed and asks nobody else, so a
/// name that changes its mind between two lookups changes nothing.
pub(super) struct Guarded {
    pub(super) lookup: Lookup,
    pub(super) is_open: fn(IpAddr) -> bool,
}

/// A name stands, also, for an address that is closed.
#[derive(Debug, thiserror::Error)]
#[error("the name leads to a closed address")]
pub(super) struct Closed;

impl Resolve for Guarded {
    fn resolve(&self, name: Name) -> Resolving {
        let (found, is_open) = ((self.lookup)(name.as_str().to_owned()), self.is_open);
        Box::pin(async move {
            let addresses = found.await?;
            // One closed address among open ones is no accident: none of them is used.
            if !addresses.iter().all(|&address| is_open(address)) {
                return Err(Closed.into());
            }
            // Port 0 stands for the one in the URL.
            Ok(Box::new(addresses.into_iter().map(|address| SocketAddr::new(address, 0))) as Addrs)
        })
    }
}

/// Asks the system.
pub(super) fn system() -> Lookup {
    Arc::new(|name| {
        Box::pin(async move {
            let found = tokio::net::lookup_host((name.as_str(), 0)).await?;
            Ok(found.map(|address| address.ip()).collect())
        })
    })
}
