//! Conflicts as values: their subject and the values of each side.

use bindery_model::{FileId, Id, PageId, ReusableContentId};
use bytes::Bytes;
use serde::{Deserialize, Serialize};

use crate::content::Redirect;
use crate::object::{Hash, ObjectError};
use crate::order::OrderKey;
use crate::record::{
    FileAttribute, FileRecord, FileValue, PageAttribute, PageRecord, PageValue, Record,
    ReusableAttribute, ReusableRecord, ReusableValue, Variable,
};

/// The subject of a conflict.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub enum Subject {
    /// A page or a part of it.
    Page(PageId, PageSubject),
    /// A file or a part of it.
    File(FileId, FileSubject),
    /// A reusable content or a part of it.
    Reusable(ReusableContentId, ReusableSubject),
    /// A variable of the space, by name.
    Variable(String),
    /// The redirect of an old path.
    Redirect(String),
    /// A source that does not belong to a page, by path.
    Source(String),
}

/// The part of a page that a conflict is about.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub enum PageSubject {
    /// The page itself: deleted by one side, changed by the other.
    Existence,
    /// The position in the tree.
    Position,
    /// An attribute.
    Attribute(PageAttribute),
    /// A part of the document, as named by [`MergeBodies`](super::MergeBodies).
    Part(String),
}

/// The part of a file that a conflict is about.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub enum FileSubject {
    /// The file itself: deleted by one side, changed by the other.
    Existence,
    /// The bytes with their type, length and dimensions.
    Bytes,
    /// An attribute.
    Attribute(FileAttribute),
}

/// The part of a reusable content that a conflict is about.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub enum ReusableSubject {
    /// The reusable content itself: deleted by one side, changed by the other.
    Existence,
    /// An attribute.
    Attribute(ReusableAttribute),
    /// A part of the document, as named by [`MergeBodies`](super::MergeBodies).
    Part(String),
}

impl Subject {
    /// Returns the page of the subject; `None` if it is not about a page.
    pub const fn page(&self) -> Option<PageId> {
        match self {
            Self::Page(id, _) => Some(*id),
            _ => None,
        }
    }
}

/// The position of a page in the tree.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct PagePosition {
    /// The parent; `None` at the top level.
    pub parent: Option<PageId>,
    /// The order key among the children of this parent.
    pub order: OrderKey,
}

impl PagePosition {
    /// Returns the position of a page.
    pub fn of(page: &PageRecord) -> Self {
        Self { parent: page.parent, order: page.order.clone() }
    }
}

/// The value of one side of a conflict.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub enum Value {
    /// A page.
    Page(Box<PageRecord>),
    /// The position of a page.
    Position(PagePosition),
    /// An attribute of a page.
    PageAttribute(PageValue),
    /// A file.
    File(FileRecord),
    /// An attribute of a file.
    FileAttribute(FileValue),
    /// A reusable content.
    Reusable(ReusableRecord),
    /// An attribute of a reusable content.
    ReusableAttribute(ReusableValue),
    /// A variable of the space.
    Variable(Variable),
    /// The target of a redirect.
    Redirect(Redirect),
    /// The object of a source's bytes.
    Source(Hash),
    /// The object of a part of a document.
    Part(Hash),
}

impl Value {
    /// Returns the object that the value refers to.
    fn object(&self) -> Option<Hash> {
        match self {
            Self::Page(page) => page.body,
            Self::File(file) => Some(file.hash),
            Self::Reusable(text) => text.body,
            Self::PageAttribute(PageValue::Document(body))
            | Self::ReusableAttribute(ReusableValue::Document(body)) => *body,
            Self::FileAttribute(FileValue::Hash(hash)) | Self::Source(hash) | Self::Part(hash) => {
                Some(*hash)
            }
            Self::Position(_)
            | Self::PageAttribute(_)
            | Self::FileAttribute(_)
            | Self::ReusableAttribute(_)
            | Self::Variable(_)
            | Self::Redirect(_) => None,
        }
    }
}

/// The values of the three contents of a merge; `None` where the subject does not exist.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Sides<T> {
    /// The value in the common base.
    pub base: Option<T>,
    /// The value in the content that was merged into.
    pub ours: Option<T>,
    /// The value in the content that was merged.
    pub theirs: Option<T>,
}

impl<T> Sides<T> {
    /// Applies a function to each value.
    pub fn map<U>(self, mut make: impl FnMut(T) -> U) -> Sides<U> {
        Sides {
            base: self.base.map(&mut make),
            ours: self.ours.map(&mut make),
            theirs: self.theirs.map(&mut make),
        }
    }

    /// Returns the sides as seen from the other side.
    #[must_use]
    pub fn mirrored(self) -> Self {
        Self { base: self.base, ours: self.theirs, theirs: self.ours }
    }
}

/// An incompatible change of one subject by both sides. The content holds the value that
/// [`merge`](super::merge()) documents for its kind; the conflict holds the values of all sides.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Conflict {
    /// The subject.
    pub subject: Subject,
    /// Distinguishes conflicts about one subject: a later merge can add a conflict that does not
    /// continue the first one.
    pub number: u32,
    /// The values of each side.
    pub sides: Sides<Value>,
}

impl Record for Conflict {
    const NAME: &'static str = "a conflict";
}

impl Conflict {
    /// Returns the first conflict about a subject.
    pub const fn new(subject: Subject, sides: Sides<Value>) -> Self {
        Self { subject, number: 0, sides }
    }

    /// Returns the key of the conflict in a content's `conflicts`. It is the same in every content
    /// of the space that has the conflict. Keys of one page, file or reusable content are adjacent.
    ///
    /// # Errors
    /// Returns an error only if encoding fails, which the present subjects cannot cause.
    pub fn key(&self) -> Result<Bytes, ObjectError> {
        key(&self.subject, self.number)
    }

    /// Returns the objects that its sides refer to.
    pub fn objects(&self) -> impl Iterator<Item = Hash> + use<> {
        let Sides { base, ours, theirs } = &self.sides;
        let named = [base, ours, theirs].map(|side| side.as_ref().and_then(Value::object));
        named.into_iter().flatten()
    }
}

/// Returns the key of a conflict: its subject, followed by its number.
pub(super) fn key(subject: &Subject, number: u32) -> Result<Bytes, ObjectError> {
    let mut key = subject_prefix(subject)?;
    key.extend(number.to_be_bytes());
    Ok(key.into())
}

/// Returns the key prefix of the conflicts about one subject. No other key has it, since the
/// encoding of a text begins with its length.
pub(super) fn subject_prefix(subject: &Subject) -> Result<Vec<u8>, ObjectError> {
    postcard::to_stdvec(subject).map_err(|_| ObjectError::Corrupt(Conflict::NAME))
}

/// Returns the key prefix of the conflicts about one page, file or reusable content: its kind, and
/// its id with a length. No other key has it.
pub(super) fn item_prefix(subject: &Subject) -> Result<Vec<u8>, ObjectError> {
    let mut prefix = subject_prefix(subject)?;
    prefix.truncate(2 + Id::LEN);
    Ok(prefix)
}

/// Returns the [`item_prefix`] of a page.
pub(super) fn page_prefix(id: PageId) -> Result<Vec<u8>, ObjectError> {
    item_prefix(&Subject::Page(id, PageSubject::Existence))
}

#[cfg(test)]
mod tests {
    use bindery_model::Entropy;

    use super::*;

    #[test]
    fn keys_of_one_page_are_adjacent_and_distinct() {
        let entropy = Entropy::seeded(1);
        let (a, b) = (PageId::random(&entropy), PageId::random(&entropy));
        let of = |id| {
            [
                Subject::Page(id, PageSubject::Existence),
                Subject::Page(id, PageSubject::Position),
                Subject::Page(id, PageSubject::Attribute(PageAttribute::Title)),
                Subject::Page(id, PageSubject::Attribute(PageAttribute::Slug)),
                Subject::Page(id, PageSubject::Part(String::new())),
                Subject::Page(id, PageSubject::Part("x".to_owned())),
                Subject::Page(id, PageSubject::Part("xy".to_owned())),
            ]
        };
        let file = Subject::File(FileId::new(a.id()), FileSubject::Existence);
        let others = [file, Subject::Variable("v".to_owned()), Subject::Source("v".to_owned())];
        let keys = |subjects: &[Subject]| -> Vec<Bytes> {
            subjects.iter().flat_map(|one| [key(one, 0), key(one, 1)]).map(Result::unwrap).collect()
        };
        assert!(keys(&of(a)).iter().all(|key| key.starts_with(&page_prefix(a).unwrap())));
        let strange = [keys(&of(b)), keys(&others)].concat();
        assert!(!strange.iter().any(|key| key.starts_with(&page_prefix(a).unwrap())));
        let subjects = [&of(a)[..], &of(b), &others].concat();
        for one in &subjects {
            let prefix = subject_prefix(one).unwrap();
            let under = keys(&subjects).iter().filter(|key| key.starts_with(&prefix)).count();
            assert_eq!(under, 2, "{one:?}");
        }
    }
}
