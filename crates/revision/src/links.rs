//! An index of what a content's texts refer to: kept beside contents, made from them by who reads
//! texts.

use serde::{Deserialize, Serialize};

use crate::content::Content;
use crate::map::{Map, Salt};
use crate::object::Hash;
use crate::reach::{Needed, Values};
use crate::record::Record;

/// An index of references, and which content it is of. It follows from the content.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct LinkIndex {
    /// The entries, in the words of who reads texts.
    pub entries: Map,
    /// What it was made from, as [`Content::linked`] says; of an older or newer content it is no
    /// index. `None`: of nothing.
    pub of: Option<Hash>,
}

impl LinkIndex {
    /// Of nothing.
    pub const fn none(salt: Salt) -> Self {
        Self { entries: Map::empty(salt), of: None }
    }

    /// The object that it begins with; `None` without entries.
    pub fn root(&self) -> Option<Needed> {
        self.entries.needed(Values::Plain)
    }
}

impl Record for LinkIndex {
    const NAME: &'static str = "an index of references";
}

impl Content {
    /// Names everything that an index of references depends on: its own `version`, and the parts
    /// of this content that can make a reference lead elsewhere.
    pub fn linked(&self, version: u8) -> Hash {
        let Self {
            pages,
            children,
            slugs,
            files,
            reusable,
            paths,
            redirects: _,
            variables: _,
            sources: _,
            conflicts: _,
        } = self;
        let mut named = vec![version];
        named.extend(self.salt().as_bytes());
        for map in [pages, children, slugs, files, reusable, paths] {
            named.extend(map.root().map_or([0; Hash::LEN], |root| *root.as_bytes()));
        }
        Hash::of(&named)
    }
}
