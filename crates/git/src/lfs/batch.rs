//! The messages of the batch API: a request names files, and the response tells what to do with
//! each.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::Pointer;

/// The direction of a transfer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Operation {
    Download,
    Upload,
}

impl Operation {
    /// Returns the name in requests and in commands.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Download => "download",
            Self::Upload => "upload",
        }
    }
}

#[derive(Serialize)]
pub(super) struct BatchRequest<'a> {
    pub(super) operation: &'static str,
    pub(super) transfers: [&'static str; 1],
    pub(super) r#ref: BatchRef<'a>,
    pub(super) objects: Vec<BatchObject>,
    pub(super) hash_algo: &'static str,
}

#[derive(Serialize)]
pub(super) struct BatchRef<'a> {
    pub(super) name: &'a str,
}

/// A file in a request.
#[derive(Serialize)]
pub(super) struct BatchObject {
    oid: String,
    size: u64,
}

impl From<&Pointer> for BatchObject {
    fn from(pointer: &Pointer) -> Self {
        Self { oid: pointer.oid(), size: pointer.size }
    }
}

#[derive(Deserialize)]
pub(super) struct BatchResponse {
    /// The way to transfer files; `basic` if it is absent.
    pub(super) transfer: Option<String>,
    pub(super) objects: Vec<LocatedObject>,
}

/// A file in a response.
#[derive(Deserialize)]
pub(super) struct LocatedObject {
    pub(super) oid: String,
    pub(super) actions: Option<Actions>,
    /// The reason why the server does not transfer the file.
    pub(super) error: Option<Problem>,
}

/// A problem that a server reports.
#[derive(Deserialize)]
pub(super) struct Problem {
    #[serde(default)]
    pub(super) message: String,
}

#[derive(Deserialize)]
pub(super) struct Actions {
    pub(super) download: Option<Action>,
    pub(super) upload: Option<Action>,
    pub(super) verify: Option<Action>,
}

/// A request that the server asks for.
#[derive(Clone, Deserialize)]
pub(super) struct Action {
    pub(super) href: String,
    #[serde(default)]
    pub(super) header: BTreeMap<String, String>,
}

/// The address of a server and the headers for it, as a host of repositories over SSH names them.
/// Such access is requested anew for each batch, so its time of expiry is not needed.
#[derive(Deserialize)]
pub(super) struct Access {
    pub(super) href: String,
    #[serde(default)]
    pub(super) header: BTreeMap<String, String>,
}
