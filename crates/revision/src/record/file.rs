//! Files, reusable contents and variables as a revision holds them.

use std::collections::BTreeMap;

use bindery_model::{FileId, ReusableContentId};
use serde::{Deserialize, Serialize};

use super::Record;
use crate::object::Hash;

/// A file of a space.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct FileRecord {
    /// Stable for life.
    pub id: FileId,
    /// The name it is downloaded under.
    pub name: String,
    /// Its path in the repository, from the folder that holds the content, if it has one.
    pub path: Option<String>,
    /// Its media type.
    pub content_type: String,
    /// Its length in bytes.
    pub size: u64,
    /// The object of its bytes.
    pub hash: Hash,
    /// Width and height, if it is an image that says them.
    pub dimensions: Option<Dimensions>,
}

impl Record for FileRecord {
    const NAME: &'static str = "a file";
}

/// The size of an image in pixels.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Dimensions {
    /// Pixels across.
    pub width: u32,
    /// Pixels down.
    pub height: u32,
}

/// A text that pages include.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ReusableRecord {
    /// Stable for life.
    pub id: ReusableContentId,
    /// Its title.
    pub title: String,
    /// The path of its file in the repository, from the folder that holds the content, if it has one.
    pub path: Option<String>,
    /// The object of its text, a [`PageBody`](super::PageBody).
    pub body: Option<Hash>,
    /// The source of a computed text, as JSON text.
    pub computed: Option<String>,
}

impl Record for ReusableRecord {
    const NAME: &'static str = "a reusable content";
}

/// The value of a variable.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub enum Variable {
    /// A text.
    Text(String),
    /// A number.
    Number(f64),
    /// Yes or no.
    Boolean(bool),
}

/// Variables by name.
pub type Variables = BTreeMap<String, Variable>;
