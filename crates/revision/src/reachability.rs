//! The references between objects. A collector follows them from revisions to every object in use,
//! one object at a time.

use bytes::Bytes;

use crate::content::{Content, Revision};
use crate::map::Map;
use crate::merge::Conflict;
use crate::object::{Hash, ObjectError, Objects};
use crate::record::{FileRecord, PageRecord, Record, ReusableRecord};

/// The kind of an object, as far as its references are concerned.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ObjectKind {
    /// A [`Revision`].
    Revision,
    /// A node of a map with values of this kind.
    Node(ValueKind),
    /// An object without references: a text or a file's bytes.
    Bytes,
}

/// The kind of objects that the values of a map refer to.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ValueKind {
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

/// An object that another object refers to.
pub type ObjectRef = (ObjectKind, Hash);

impl ObjectKind {
    /// Returns `true` if such an object can have references. Other objects need not be read.
    pub const fn is_inner(self) -> bool {
        !matches!(self, Self::Bytes)
    }

    /// Returns the objects that this one refers to directly.
    ///
    /// # Errors
    /// Returns an error if the bytes do not encode an object of this kind.
    pub fn references(self, bytes: &Bytes) -> Result<Vec<ObjectRef>, ObjectError> {
        match self {
            Self::Revision => Ok(Revision::decode(bytes)?.content.roots()),
            Self::Node(values) => Map::node_references(bytes, values),
            Self::Bytes => Ok(Vec::new()),
        }
    }
}

impl ValueKind {
    /// Calls `name` with each object that a value refers to.
    pub(crate) fn for_each_reference(
        self,
        value: &[u8],
        name: &mut dyn FnMut(Hash),
    ) -> Result<(), ObjectError> {
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
    /// Returns the objects that this content refers to directly: the roots of its maps and its
    /// sources.
    pub fn roots(&self) -> Vec<ObjectRef> {
        let maps = [
            (&self.pages, ValueKind::Pages),
            (&self.children, ValueKind::Plain),
            (&self.slugs, ValueKind::Plain),
            (&self.files, ValueKind::Files),
            (&self.reusable, ValueKind::Reusable),
            (&self.paths, ValueKind::Plain),
            (&self.redirects, ValueKind::Plain),
            (&self.conflicts, ValueKind::Conflicts),
        ];
        let sources = self.sources.iter().map(|(_, hash)| (ObjectKind::Bytes, *hash));
        maps.into_iter().filter_map(|(map, values)| map.root_ref(values)).chain(sources).collect()
    }

    /// Returns every object that this content refers to, once for each reference.
    ///
    /// # Errors
    /// Returns an error if an object cannot be read.
    pub fn objects(&self, on: &dyn Objects) -> Result<Vec<Hash>, ObjectError> {
        let mut pending = self.roots();
        let mut found = Vec::new();
        while let Some((part, hash)) = pending.pop() {
            found.push(hash);
            if part.is_inner() {
                pending.extend(part.references(&on.get(&hash)?)?);
            }
        }
        Ok(found)
    }
}
