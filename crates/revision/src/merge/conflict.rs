//! Conflicts as values: what they are about, and what each side has.

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

/// What a conflict is about.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub enum Subject {
    /// Something of a page.
    Page(PageId, PageSubject),
    /// Something of a file.
    File(FileId, FileSubject),
    /// Something of a reusable content.
    Reusable(ReusableContentId, ReusableSubject),
    /// A variable of the space, by name.
    Variable(String),
    /// What an old path leads to.
    Redirect(String),
    /// A source that no page has a place for, by path.
    Source(String),
}

/// What of a page a conflict is about.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub enum PageSubject {
    /// The page itself: deleted by one side, changed by the other.
    Existence,
    /// Its place in the tree.
    Place,
    /// An attribute.
    Attribute(PageAttribute),
    /// A part of its text, as [`MergeBodies`](super::MergeBodies) names it.
    Part(String),
}

/// What of a file a conflict is about.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub enum FileSubject {
    /// The file itself: deleted by one side, changed by the other.
    Existence,
    /// Its bytes, with their type, length and dimensions.
    Bytes,
    /// An attribute.
    Attribute(FileAttribute),
}

/// What of a reusable content a conflict is about.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub enum ReusableSubject {
    /// The reusable content itself: deleted by one side, changed by the other.
    Existence,
    /// An attribute.
    Attribute(ReusableAttribute),
    /// A part of its text, as [`MergeBodies`](super::MergeBodies) names it.
    Part(String),
}

impl Subject {
    /// The page that it is of.
    pub const fn page(&self) -> Option<PageId> {
        match self {
            Self::Page(id, _) => Some(*id),
            _ => None,
        }
    }
}

/// A page's place.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Place {
    /// The page it stands under.
    pub parent: Option<PageId>,
    /// Its place among the siblings that it had there.
    pub order: OrderKey,
}

impl Place {
    /// Where a page stands.
    pub fn of(page: &PageRecord) -> Self {
        Self { parent: page.parent, order: page.order.clone() }
    }
}

/// What one side of a conflict has.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub enum Value {
    /// A page.
    Page(Box<PageRecord>),
    /// A page's place.
    Place(Place),
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
    /// What an old path leads to.
    Redirect(Redirect),
    /// The object of a source's bytes.
    Source(Hash),
    /// The object of a part of a text.
    Part(Hash),
}

impl Value {
    /// The object that it names.
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
            Self::Place(_)
            | Self::PageAttribute(_)
            | Self::FileAttribute(_)
            | Self::ReusableAttribute(_)
            | Self::Variable(_)
            | Self::Redirect(_) => None,
        }
    }
}

/// What the three contents of a merge have; `None` where there is nothing.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Sides<T> {
    /// What both sides began with.
    pub base: Option<T>,
    /// What the content has that was merged into.
    pub ours: Option<T>,
    /// What the content has that was merged.
    pub theirs: Option<T>,
}

impl<T> Sides<T> {
    /// The same for what is made of each value.
    pub fn map<U>(self, mut make: impl FnMut(T) -> U) -> Sides<U> {
        Sides {
            base: self.base.map(&mut make),
            ours: self.ours.map(&mut make),
            theirs: self.theirs.map(&mut make),
        }
    }

    /// As seen from the other side.
    #[must_use]
    pub fn mirrored(self) -> Self {
        Self { base: self.base, ours: self.theirs, theirs: self.ours }
    }
}

/// Something that both sides changed in ways that do not go together. The content that carries
/// it holds what [`merge`](super::merge()) says for its kind; all sides are here.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Conflict {
    /// What it is about.
    pub subject: Subject,
    /// Tells conflicts about one subject apart: a later merge may clash there again in a way that
    /// does not continue the first.
    pub number: u32,
    /// What each side has.
    pub sides: Sides<Value>,
}

impl Record for Conflict {
    const NAME: &'static str = "a conflict";
}

impl Conflict {
    /// A first conflict about something.
    pub const fn new(subject: Subject, sides: Sides<Value>) -> Self {
        Self { subject, number: 0, sides }
    }

    /// Its key in a content's `conflicts`, the same in every content of the space that carries it.
    /// Those of one page, file or reusable content stand together.
    ///
    /// # Errors
    /// Never for the subjects that there are.
    pub fn key(&self) -> Result<Bytes, ObjectError> {
        key(&self.subject, self.number)
    }

    /// The objects that its sides name.
    pub fn objects(&self) -> impl Iterator<Item = Hash> + use<> {
        let Sides { base, ours, theirs } = &self.sides;
        let named = [base, ours, theirs].map(|side| side.as_ref().and_then(Value::object));
        named.into_iter().flatten()
    }
}

/// The key of a conflict: what it is about, then its number.
pub(super) fn key(subject: &Subject, number: u32) -> Result<Bytes, ObjectError> {
    let mut key = subject_prefix(subject)?;
    key.extend(number.to_be_bytes());
    Ok(key.into())
}

/// What the keys of all conflicts about one subject begin with, and no others: the encoding's
/// texts begin with their length.
pub(super) fn subject_prefix(subject: &Subject) -> Result<Vec<u8>, ObjectError> {
    postcard::to_stdvec(subject).map_err(|_| ObjectError::Corrupt(Conflict::NAME))
}

/// What the keys of all conflicts about one page, file or reusable content begin with, and no
/// others: the kind, and the id with its length.
pub(super) fn item_prefix(subject: &Subject) -> Result<Vec<u8>, ObjectError> {
    let mut prefix = subject_prefix(subject)?;
    prefix.truncate(2 + Id::LEN);
    Ok(prefix)
}

/// [`item_prefix`] of a page.
pub(super) fn page_prefix(id: PageId) -> Result<Vec<u8>, ObjectError> {
    item_prefix(&Subject::Page(id, PageSubject::Existence))
}

#[cfg(test)]
mod tests {
    use bindery_model::Entropy;

    use super::*;

    #[test]
    fn keys_of_one_page_stand_together_and_differ() {
        let entropy = Entropy::seeded(1);
        let (a, b) = (PageId::random(&entropy), PageId::random(&entropy));
        let of = |id| {
            [
                Subject::Page(id, PageSubject::Existence),
                Subject::Page(id, PageSubject::Place),
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
