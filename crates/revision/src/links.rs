//! An index of the references in a content's texts. It is stored beside contents and computed by
//! the code that parses texts.

use serde::{Deserialize, Serialize};

use crate::content::Content;
use crate::map::{Map, Salt};
use crate::object::Hash;
use crate::reachability::{ObjectRef, ValueKind};
use crate::record::Record;

/// An index of references with the content that it describes. It can be recomputed from the
/// content.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct LinkIndex {
    /// The entries, in the encoding of the code that parses texts.
    pub entries: Map,
    /// The state that the index was computed from, as returned by [`Content::link_fingerprint`].
    /// The index is valid only for contents with this value. `None` for an empty index.
    pub source: Option<Hash>,
}

impl LinkIndex {
    /// Returns an empty index.
    pub const fn empty(salt: Salt) -> Self {
        Self { entries: Map::empty(salt), source: None }
    }

    /// Returns the root object of the index; `None` if it has no entries.
    pub fn root(&self) -> Option<ObjectRef> {
        self.entries.root_ref(ValueKind::Plain)
    }
}

impl Record for LinkIndex {
    const NAME: &'static str = "an index of references";
}

impl Content {
    /// Returns a hash of everything that an index of references depends on: the index's own
    /// `version` and the parts of this content that can change the target of a reference.
    pub fn link_fingerprint(&self, version: u8) -> Hash {
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
            computed: _,
        } = self;
        let mut named = vec![version];
        named.extend(self.salt().as_bytes());
        for map in [pages, children, slugs, files, reusable, paths] {
            named.extend(map.root().map_or([0; Hash::LEN], |root| *root.as_bytes()));
        }
        Hash::of(&named)
    }
}
