//! The records of files, reusable contents and variables.

use std::collections::BTreeMap;

use bindery_model::{FileId, ReusableContentId};
use serde::{Deserialize, Serialize};

use super::Record;
use crate::object::Hash;

/// A file of a space.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct FileRecord {
    /// The id, which never changes.
    pub id: FileId,
    /// The file name for downloads.
    pub name: String,
    /// The file's path in the repository, relative to the content's root folder.
    pub path: Option<String>,
    /// The media type.
    pub content_type: String,
    /// The length in bytes.
    pub size: u64,
    /// The object of the file's bytes.
    pub hash: Hash,
    /// The size in pixels, if the file is an image that states it.
    pub dimensions: Option<Dimensions>,
}

impl Record for FileRecord {
    const NAME: &'static str = "a file";
}

/// The size of an image in pixels.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Dimensions {
    /// The width in pixels.
    pub width: u32,
    /// The height in pixels.
    pub height: u32,
}

/// A reusable content: a text that pages include.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ReusableRecord {
    /// The id, which never changes.
    pub id: ReusableContentId,
    /// The title.
    pub title: String,
    /// The path of its source in the repository, relative to the content's root folder.
    pub path: Option<String>,
    /// The object of its document, a [`PageBody`](super::PageBody).
    pub body: Option<Hash>,
    /// The source of a computed text, as JSON.
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
    /// A truth value.
    Boolean(bool),
}

/// Variables by name.
pub type Variables = BTreeMap<String, Variable>;
