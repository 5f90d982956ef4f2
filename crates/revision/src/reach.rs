//! Which objects an object needs: how a collector gets from revisions to everything they are
//! made of, one object at a time.

use bytes::Bytes;

use crate::content::{Content, Revision};
use crate::map::Map;
use crate::merge::Conflict;
use crate::object::{Hash, ObjectError, Objects};
use crate::record::{FileRecord, PageRecord, Record, ReusableRecord};

/// What an object is, as far as what it needs goes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Part {
    /// A [`Revision`].
    Revision,
    /// A node of a map with such values.
    Node(Values),
    /// It needs nothing: a text, a file's bytes.
    Bytes,
}

/// What the values of a map name.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Values {
    /// No objects.
    Plain,
    /// A page's text.
    Pages,
    /// A file's bytes.
    Files,
    /// A reusable content's text.
    Reusable,
    /// The sides of a conflict.
    Conflicts,
}

/// An object that something needs.
pub type Needed = (Part, Hash);

impl Part {
    /// Whether such an object may need others; what cannot need not be read.
    pub const fn is_inner(self) -> bool {
        !matches!(self, Self::Bytes)
    }

    /// The objects that this one needs, directly.
    ///
    /// # Errors
    /// When the bytes are not what they are said to be.
    pub fn needs(self, bytes: &Bytes) -> Result<Vec<Needed>, ObjectError> {
        match self {
            Self::Revision => Ok(Revision::decode(bytes)?.content.roots()),
            Self::Node(values) => Map::node_needs(bytes, values),
            Self::Bytes => Ok(Vec::new()),
        }
    }
}

impl Values {
    /// Hands on the objects that a value names.
    pub(crate) fn named(self, value: &[u8], name: &mut dyn FnMut(Hash)) -> Result<(), ObjectError> {
        match self {
            Self::Plain => {}
            Self::Pages => PageRecord::decode(value)?.body.into_iter().for_each(name),
            Self::Files => name(FileRecord::decode(value)?.hash),
            Self::Reusable => ReusableRecord::decode(value)?.body.into_iter().for_each(name),
            Self::Conflicts => Conflict::decode(value)?.objects().for_each(name),
        }
        Ok(())
    }
}

impl Content {
    /// The objects that this content needs directly: the roots of its maps, and its sources.
    pub fn roots(&self) -> Vec<Needed> {
        let maps = [
            (&self.pages, Values::Pages),
            (&self.children, Values::Plain),
            (&self.slugs, Values::Plain),
            (&self.files, Values::Files),
            (&self.reusable, Values::Reusable),
            (&self.paths, Values::Plain),
            (&self.redirects, Values::Plain),
            (&self.conflicts, Values::Conflicts),
        ];
        let sources = self.sources.iter().map(|(_, hash)| (Part::Bytes, *hash));
        maps.into_iter().filter_map(|(map, values)| map.needed(values)).chain(sources).collect()
    }

    /// Every object that this content needs, each once where it is met.
    ///
    /// # Errors
    /// When an object cannot be read.
    pub fn objects(&self, on: &dyn Objects) -> Result<Vec<Hash>, ObjectError> {
        let mut pending = self.roots();
        let mut found = Vec::new();
        while let Some((part, hash)) = pending.pop() {
            found.push(hash);
            if part.is_inner() {
                pending.extend(part.needs(&on.get(&hash)?)?);
            }
        }
        Ok(found)
    }
}
