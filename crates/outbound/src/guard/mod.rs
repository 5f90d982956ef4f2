//! Restricts outbound requests to the public internet and to networks that the operator permits.

use std::net::{IpAddr, Ipv4Addr};

use ipnet::IpNet;
use url::{Host, Url};

use crate::ranges;

/// Decides which addresses outbound requests may reach.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Guard {
    any: bool,
    allow: Vec<IpNet>,
}

/// The error for a text that is not a list of networks.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("`{0}` is not a network: expected CIDR such as 10.1.0.0/16 or fd00::/8, or `any`")]
pub struct GuardError(String);

/// An address that may not be reached, with the reason.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Refusal {
    /// The scheme is not http or https.
    #[error("only http:// and https:// addresses are fetched, not {0}:")]
    Scheme(String),
    /// The address has no host.
    #[error("the address names no host")]
    NoHost,
    /// The host is a literal address outside the public internet.
    #[error(
        "{host} is {reason}, which this server does not connect to \
         (its operator can permit it with --outbound-allow)"
    )]
    Address {
        /// The host as the caller wrote it.
        host: String,
        /// The kind of the address.
        reason: &'static str,
    },
    /// The host resolves to an address outside the public internet. The message does not contain
    /// the resolved address, which would let a caller read the server's private name service.
    #[error(
        "{host} leads to {reason}, which this server does not connect to \
         (its operator can permit it with --outbound-allow)"
    )]
    Resolved {
        /// The host as the caller wrote it.
        host: String,
        /// The kind of one of its addresses.
        reason: &'static str,
    },
}

impl Guard {
    /// Permits only the public internet.
    pub fn public_only() -> Self {
        Self::default()
    }

    /// Permits all addresses, for tests and trusted networks.
    pub fn any() -> Self {
        Self { any: true, allow: Vec::new() }
    }

    /// Parses the operator's list: networks or single addresses, separated by commas or spaces, or
    /// `any`. An empty text permits only the public internet.
    ///
    /// # Errors
    /// Returns the first entry that is not a network.
    pub fn parse(text: &str) -> Result<Self, GuardError> {
        let mut guard = Self::default();
        let entries = text.split(|c: char| c == ',' || c.is_whitespace());
        for entry in entries.filter(|entry| !entry.is_empty()) {
            if entry.eq_ignore_ascii_case("any") {
                guard.any = true;
                continue;
            }
            let net = entry
                .parse::<IpNet>()
                .or_else(|_| entry.parse::<IpAddr>().map(IpNet::from))
                .map_err(|_| GuardError(entry.chars().take(60).collect()))?;
            guard.allow.push(net);
        }
        Ok(guard)
    }

    /// Checks that `address` may be reached.
    ///
    /// # Errors
    /// Returns the kind of the address as a phrase, such as `a private address`.
    pub fn check(&self, address: IpAddr) -> Result<(), &'static str> {
        if self.any || self.allows(address) {
            return Ok(());
        }
        ranges::not_public(address).map_or(Ok(()), Err)
    }

    fn allows(&self, address: IpAddr) -> bool {
        let embedded = match address {
            IpAddr::V6(v6) => ranges::embedded_v4(v6).map(IpAddr::V4),
            IpAddr::V4(_) => None,
        };
        let listed = |address: &IpAddr| self.allow.iter().any(|net| net.contains(address));
        listed(&address) || embedded.as_ref().is_some_and(listed)
    }

    /// Checks everything that does not require name resolution: the scheme, literal addresses, and
    /// names of this machine.
    ///
    /// # Errors
    /// Returns the reason for the refusal.
    pub fn check_url(&self, url: &Url) -> Result<(), Refusal> {
        if !matches!(url.scheme(), "http" | "https") {
            return Err(Refusal::Scheme(url.scheme().to_owned()));
        }
        let address = match url.host() {
            None => return Err(Refusal::NoHost),
            Some(Host::Ipv4(address)) => IpAddr::V4(address),
            Some(Host::Ipv6(address)) => IpAddr::V6(address),
            Some(Host::Domain(name)) if is_localhost(name) => IpAddr::V4(Ipv4Addr::LOCALHOST),
            Some(Host::Domain("")) => return Err(Refusal::NoHost),
            Some(Host::Domain(_)) => return Ok(()),
        };
        let host = url.host_str().unwrap_or_default().to_owned();
        self.check(address).map_err(|reason| Refusal::Address { host, reason })
    }
}

/// Returns `true` for `localhost` and its subdomains, which always mean this machine (RFC 6761).
fn is_localhost(name: &str) -> bool {
    let name = name.strip_suffix('.').unwrap_or(name);
    let last = name.rsplit('.').next().unwrap_or(name);
    last.eq_ignore_ascii_case("localhost") || name.eq_ignore_ascii_case("localhost.localdomain")
}

#[cfg(test)]
mod tests;
