//! The origin of a change, which is the same for everything that one transaction does.

use std::net::IpAddr;

use bindery_model::TokenId;

/// The interface through which a change came.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Source {
    /// A client's request.
    Api,
    /// The server itself: jobs and scheduled work.
    #[default]
    Workflow,
}

impl Source {
    /// Returns the source's name in the API contract.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Api => "api",
            Self::Workflow => "workflow",
        }
    }

    /// Parses the source's name in the API contract.
    pub fn parse(text: &str) -> Option<Self> {
        [Self::Api, Self::Workflow].into_iter().find(|source| source.as_str() == text)
    }
}

/// The origin of a change.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Origin {
    /// The interface.
    pub source: Source,
    /// The client's IP address, as far back as trusted proxies report it.
    pub address: Option<IpAddr>,
    /// The token that authenticated the request.
    pub token: Option<TokenId>,
}
