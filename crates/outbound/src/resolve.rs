//! Name resolution with the guard. Every resolved address is checked, and only checked addresses
//! are connected to, so that a name whose addresses change after the check gains nothing.

use std::future::Future;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::sync::Arc;

use reqwest::dns::{Addrs, Name, Resolve, Resolving};

use crate::error::Error;
use crate::guard::{Guard, Refusal};

/// Resolves names to addresses.
pub trait Lookup: Send + Sync + 'static {
    /// Returns the addresses of `name`, in the order in which to try them.
    fn lookup(
        &self,
        name: String,
    ) -> Pin<Box<dyn Future<Output = io::Result<Vec<IpAddr>>> + Send + '_>>;
}

/// The resolver of the operating system.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemLookup;

impl Lookup for SystemLookup {
    fn lookup(
        &self,
        name: String,
    ) -> Pin<Box<dyn Future<Output = io::Result<Vec<IpAddr>>> + Send + '_>> {
        Box::pin(async move {
            let found = tokio::net::lookup_host((name, 0)).await?;
            Ok(found.map(|address| address.ip()).collect())
        })
    }
}

/// A resolver for the HTTP client that returns only permitted addresses.
#[derive(Clone)]
pub(crate) struct GuardedResolver {
    pub(crate) guard: Arc<Guard>,
    pub(crate) lookup: Arc<dyn Lookup>,
}

impl GuardedResolver {
    /// Returns the addresses of a host, all of which the guard permits.
    pub(crate) async fn addresses(self, host: String) -> Result<Vec<SocketAddr>, Error> {
        let found = self
            .lookup
            .lookup(host.clone())
            .await
            .map_err(|error| Error::Resolve { host: host.clone(), reason: error.to_string() })?;
        if found.is_empty() {
            return Err(Error::Resolve { host, reason: "it has no address".to_owned() });
        }
        for &address in &found {
            if let Err(reason) = self.guard.check(address) {
                tracing::warn!(host, %address, reason, "an outbound request was refused");
                return Err(Refusal::Resolved { host, reason }.into());
            }
        }
        Ok(found.into_iter().map(|address| SocketAddr::new(address, 0)).collect())
    }
}

impl Resolve for GuardedResolver {
    fn resolve(&self, name: Name) -> Resolving {
        let (this, host) = (self.clone(), name.as_str().to_owned());
        Box::pin(async move {
            let addresses = this.addresses(host).await?;
            Ok(Box::new(addresses.into_iter()) as Addrs)
        })
    }
}
