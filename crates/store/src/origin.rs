//! The origin of a change, which is the same for everything that one transaction does.

use std::net::IpAddr;

use bindery_model::{TokenId, closed_set};

closed_set! {
    /// The interface through which a change came.
    #[derive(Default)]
    Source {
        /// A client's request.
        Api = "api",
        /// The server itself: jobs and scheduled work.
        #[default]
        Workflow = "workflow",
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
