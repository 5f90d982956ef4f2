//! References as they are written in a text, independent of the surrounding content.

use bindery_content::document::{Key, ReferenceRole};
use bindery_content::reference::{ContentRef as Reference, Target};
use bindery_content::{Document, document};
use bindery_model::{FileId, PageId, ReusableContentId, SpaceId};
use bindery_revision::{
    ContentRef, Hash, ObjectError, Objects, PageBody, PageKind, PageRecord, PathEntry, Record,
    ReusableRecord,
};
use serde::{Deserialize, Serialize};

use crate::content::snapshot::broken_object;
use crate::content::texts::{self, Paths, path_of};

/// Maximum length of a target, in bytes. Longer targets are ignored: they are data URLs or invalid.
pub(super) const MAX_TARGET: usize = 2_048;
/// Maximum number of references per text. Only generated texts have more; the rest is ignored.
const MAX_REFERENCES: usize = 5_000;

/// A page or a reusable content that holds references.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Holder {
    /// A page.
    Page(PageId),
    /// A reusable content.
    Reusable(ReusableContentId),
}

impl Holder {
    /// Length of its key, in bytes.
    pub(super) const LEN: usize = 21;

    pub(super) fn key(self) -> [u8; Self::LEN] {
        let (kind, id) = match &self {
            Self::Page(id) => (0, id.as_bytes()),
            Self::Reusable(id) => (1, id.as_bytes()),
        };
        let mut key = [kind; Self::LEN];
        for (to, from) in key.iter_mut().skip(1).zip(id) {
            *to = *from;
        }
        key
    }

    pub(super) fn of_key(key: &[u8]) -> Option<Self> {
        match key.split_first()? {
            (0, id) => PageId::from_bytes(id).map(Self::Page),
            (1, id) => ReusableContentId::from_bytes(id).map(Self::Reusable),
            _ => None,
        }
    }
}

/// The relation of a reference to its target.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub enum Relation {
    /// The reference leads to the target.
    Reference,
    /// The text displays or includes the target.
    DependsOn,
}

/// A reference as it is written.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) struct Written {
    pub(super) relation: Relation,
    pub(super) to: To,
}

/// The target of a written reference.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) enum To {
    /// A path in the repository, and the entry at that path when the text was saved.
    Path { known: Option<PathEntry>, path: String, absolute: bool, anchor: Option<String> },
    /// A page by its id.
    Page(PageId, Option<String>),
    /// A file by its id.
    File(FileId),
    /// A reusable content by its id.
    Reusable(ReusableContentId),
    /// Another space, or content of one.
    OfSpace(SpaceId, Within),
    /// A URL.
    Url(String),
    /// A person.
    User(String),
    /// A collection.
    Collection(String),
    /// An OpenAPI specification.
    OpenApi(String),
    /// An invalid target, as written.
    Nothing(String),
}

/// A target within another space.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) enum Within {
    /// The space itself.
    Whole,
    /// The page at a path, and an anchor on it.
    Path(String, Option<String>),
    /// A page by its id, and an anchor on it.
    Page(PageId, Option<String>),
    /// A reusable content.
    Reusable(String),
}

/// The name of a written reference, a hash of its content.
pub(super) type Name = [u8; 16];

impl Record for Written {
    const NAME: &'static str = "a reference as it is written";
}

impl Written {
    /// Returns `true` if the target is an anchor on a page.
    pub(super) const fn has_anchor(&self) -> bool {
        matches!(self.to, To::Path { anchor: Some(_), .. } | To::Page(_, Some(_)))
    }

    pub(super) fn name(&self) -> Result<Name, ObjectError> {
        Ok(short(&self.encode()?))
    }
}

/// Returns the first 16 bytes of the hash of some bytes.
pub(super) fn short(bytes: &[u8]) -> Name {
    let mut name = Name::default();
    for (to, from) in name.iter_mut().zip(Hash::of(bytes).as_bytes()) {
        *to = *from;
    }
    name
}

/// A reference with its block; `node` is `None` for a reference of the page's record.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Use {
    pub(super) node: Option<Key>,
    pub(super) written: Written,
}

/// A text with its holder.
pub(super) struct Text {
    pub(super) holder: Holder,
    record: Option<Box<PageRecord>>,
    body: Option<PageBody>,
}

impl Text {
    pub(super) fn of_page(
        objects: &dyn Objects,
        record: PageRecord,
    ) -> bindery_model::Result<Self> {
        let body = read(objects, record.body.as_ref())?;
        Ok(Self { holder: Holder::Page(record.id), record: Some(Box::new(record)), body })
    }

    pub(super) fn of_reusable(
        objects: &dyn Objects,
        record: &ReusableRecord,
    ) -> bindery_model::Result<Self> {
        let body = read(objects, record.body.as_ref())?;
        Ok(Self { holder: Holder::Reusable(record.id), record: None, body })
    }

    /// Returns the stored text, if there is one.
    pub(super) fn body(&self) -> Option<&PageBody> {
        self.body.as_ref()
    }

    /// Returns the length of its source, in bytes.
    pub(super) fn bytes(&self) -> usize {
        self.body.as_ref().map_or(0, |body| body.source.len())
    }

    /// Returns all references: first those of the page's record, then those of the text, in order.
    pub(super) fn uses(&self) -> Vec<Use> {
        let mut uses = Vec::new();
        if let Some(record) = &self.record {
            of_record(record, &mut uses);
        }
        if let Some(body) = &self.body {
            let known = Paths::of([body]);
            of_document(self.holder, body, &texts::parse(body, &known), &known, &mut uses);
        }
        uses.truncate(MAX_REFERENCES);
        uses
    }
}

fn read(objects: &dyn Objects, body: Option<&Hash>) -> bindery_model::Result<Option<PageBody>> {
    let Some(hash) = body else { return Ok(None) };
    let bytes = objects.get(hash).map_err(broken_object)?;
    PageBody::decode(&bytes).map_err(broken_object).map(Some)
}

/// Returns `true` if two records of a page have the same references, their texts aside.
pub(super) fn same_in_record(one: &PageRecord, other: &PageRecord) -> bool {
    one.kind == other.kind && one.cover == other.cover && one.meta_links == other.meta_links
}

fn of_record(record: &PageRecord, uses: &mut Vec<Use>) {
    let mut add = |relation, target: &ContentRef| {
        let to = of_stored(target).filter(|to| !is_empty(to));
        uses.extend(to.map(|to| Use { node: None, written: Written { relation, to } }));
    };
    if let PageKind::Link { target } = &record.kind {
        add(Relation::Reference, target);
    }
    let cover = record.cover.iter().flat_map(|cover| [&cover.image, &cover.image_dark]);
    cover.flatten().for_each(|image| add(Relation::DependsOn, image));
    let links = &record.meta_links;
    links.canonical.iter().chain(&links.alternates).for_each(|one| add(Relation::Reference, one));
}

/// Returns the target of a stored reference; `None` if it is not a link.
fn of_stored(target: &ContentRef) -> Option<To> {
    Some(match target {
        ContentRef::Url(url) => of_target(Target::parse(url, ""), url),
        ContentRef::Page { page, space: None } => To::Page(*page, None),
        ContentRef::Page { page, space: Some(space) } => {
            To::OfSpace(*space, Within::Page(*page, None))
        }
        ContentRef::Anchor { page: Some(page), space, anchor } => match space {
            None => To::Page(*page, Some(anchor.clone())),
            Some(space) => To::OfSpace(*space, Within::Page(*page, Some(anchor.clone()))),
        },
        ContentRef::File { file, space: None } => To::File(*file),
        ContentRef::Reusable { reusable, space: None } => To::Reusable(*reusable),
        ContentRef::Reusable { reusable, space: Some(space) } => {
            To::OfSpace(*space, Within::Reusable(reusable.to_string()))
        }
        ContentRef::Space(space) => To::OfSpace(*space, Within::Whole),
        ContentRef::Broken(raw) => To::Nothing(raw.clone()),
        ContentRef::File { space: Some(_), .. }
        | ContentRef::Anchor { page: None, .. }
        | ContentRef::Other(_) => return None,
    })
}

fn of_document(
    holder: Holder,
    body: &PageBody,
    document: &Document,
    known: &Paths,
    uses: &mut Vec<Use>,
) {
    for held in document.references() {
        let written = written_in(holder, body, known, &held);
        uses.extend(written.map(|written| Use { node: Some(held.block.key), written }));
    }
}

/// Returns a reference of a document as it is written; `None` if it is not a link.
pub(super) fn written_in(
    holder: Holder,
    body: &PageBody,
    known: &Paths,
    held: &document::ReferenceUse<'_>,
) -> Option<Written> {
    let raw = held.reference.raw.as_str();
    if raw == "#" || raw.len() > MAX_TARGET || raw.starts_with("data:") {
        return None;
    }
    let to = match &held.reference.target {
        Reference::OpenApi { spec } => To::OpenApi(spec.clone()),
        _ => match Target::parse(raw, path_of(body)) {
            Target::Path { path, anchor } => {
                let known = known.get(&path);
                To::Path { known, path, absolute: raw.starts_with('/'), anchor }
            }
            // In a reusable content, the anchor is on any page that includes it.
            Target::Anchor(anchor) => match holder {
                Holder::Page(page) => To::Page(page, Some(anchor)),
                Holder::Reusable(_) => return None,
            },
            target => of_target(target, raw),
        },
    };
    let is_displayed = match held.role {
        ReferenceRole::Image
        | ReferenceRole::InlineImage
        | ReferenceRole::File
        | ReferenceRole::Drawing
        | ReferenceRole::ReusableContent
        | ReferenceRole::OpenApi => true,
        ReferenceRole::Cell => matches!(to, To::Path { known: Some(PathEntry::File(_)), .. }),
        ReferenceRole::Link
        | ReferenceRole::Mention
        | ReferenceRole::Button
        | ReferenceRole::ContentRef
        | ReferenceRole::Foreign => false,
    };
    let relation = if is_displayed { Relation::DependsOn } else { Relation::Reference };
    Some(Written { relation, to })
}

/// Converts a target that is neither a path nor an anchor on the same page.
fn of_target(target: Target, raw: &str) -> To {
    match target {
        Target::Url(url) => To::Url(url),
        Target::User(user) => To::User(user),
        Target::Collection(collection) => To::Collection(collection),
        Target::BrokenPage { page, anchor } => match PageId::parse(&page) {
            Some(page) => To::Page(page, anchor),
            None => To::Nothing(raw.to_owned()),
        },
        Target::Space { space, path, anchor } => match SpaceId::parse(&space) {
            Some(space) if path.is_empty() && anchor.is_none() => To::OfSpace(space, Within::Whole),
            Some(space) => To::OfSpace(space, Within::Path(path, anchor)),
            None => To::Url(raw.to_owned()),
        },
        Target::WholeSpace { space, anchor } => match SpaceId::parse(&space) {
            Some(space) => To::OfSpace(space, whole(anchor)),
            None => To::Nothing(raw.to_owned()),
        },
        Target::PageOfSpace { space, page, anchor } => {
            match (SpaceId::parse(&space), PageId::parse(&page)) {
                (Some(space), Some(page)) => To::OfSpace(space, Within::Page(page, anchor)),
                _ => To::Nothing(raw.to_owned()),
            }
        }
        Target::OpenApi(spec) => To::OpenApi(spec),
        Target::Reusable { space, id } => match SpaceId::parse(&space) {
            Some(space) => To::OfSpace(space, Within::Reusable(id)),
            None => To::Url(raw.to_owned()),
        },
        Target::Path { .. } | Target::Anchor(_) | Target::Broken(_) => To::Nothing(raw.to_owned()),
    }
}

/// Returns the target for a whole space, or for an anchor on its start page.
fn whole(anchor: Option<String>) -> Within {
    match anchor {
        None => Within::Whole,
        Some(anchor) => Within::Path(String::new(), Some(anchor)),
    }
}

/// Returns `true` for an empty URL, which is not a link.
fn is_empty(to: &To) -> bool {
    matches!(to, To::Url(text) | To::Nothing(text) if text.is_empty())
}
