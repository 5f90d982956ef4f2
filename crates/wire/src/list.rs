//! The envelope of all lists.

use serde::Serialize;

/// A page of a list.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct List<T> {
    /// The next page; absent on the last page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<Next>,
    /// The total number of matching items, the same on every page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub count: Option<u64>,
    /// The items of this page.
    pub items: Vec<T>,
}

/// A reference to the next page of a list.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Next {
    /// The cursor to pass in the next request.
    pub page: String,
}
