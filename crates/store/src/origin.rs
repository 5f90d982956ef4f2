//! Where a change comes from: it is the same for everything that one transaction does.

use std::net::IpAddr;

use bindery_model::TokenId;

/// The contract's word for the door that a change came through.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Source {
    /// A request with a token.
    Api,
    /// The server by itself: jobs, and what is done when a time is over.
    #[default]
    Workflow,
}

impl Source {
    /// The contract's word.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Api => "api",
            Self::Workflow => "workflow",
        }
    }

    /// Reads the contract's word.
    pub fn parse(text: &str) -> Option<Self> {
        [Self::Api, Self::Workflow].into_iter().find(|source| source.as_str() == text)
    }
}

/// Where a change comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Origin {
    /// The door.
    pub source: Source,
    /// Who asked, as far back as trusted proxies say.
    pub address: Option<IpAddr>,
    /// The token that was shown.
    pub token: Option<TokenId>,
}
