//! The envelope of every list.

use serde::Serialize;

/// A page of a list.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct List<T> {
    /// Where the list goes on; absent on the last page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<Next>,
    /// How many match in all, on every page the same.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub count: Option<u64>,
    /// The items of this page.
    pub items: Vec<T>,
}

/// Where a list goes on.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Next {
    /// The cursor to ask for.
    pub page: String,
}
