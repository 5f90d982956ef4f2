//! What written references lead to in a content, and whether that is there.

use std::cell::{Cell, RefCell};
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use bindery_content::reference::{ContentRef as Reference, path_reference};
use bindery_model::{FileId, PageId, Result, ReusableContentId, SpaceId};
use bindery_revision::{Content, Facet, Hash, ObjectError, Objects, PageBody, Record};
use bytes::Bytes;
use serde::{Deserialize, Serialize};

use super::written::{LONGEST, Name, Relation, To, Within, Written, short};
use crate::content::broken_object;
use crate::documents::Known;
use crate::texts::{self, Paths};

/// Longer texts stand in keys with their beginning and a hash.
const TEXT_IN_KEY: usize = 80;

/// What can be said of a target by the content alone.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub(super) enum Group {
    /// It is not there.
    Broken,
    /// It depends on what is around the space, and on who asks.
    Elsewhere,
    /// It is there.
    Sound,
}

impl Group {
    pub(super) const ALL: [Self; 3] = [Self::Broken, Self::Elsewhere, Self::Sound];

    /// What the keys of its entries begin with.
    pub(super) const fn tag(self) -> u8 {
        self as u8
    }
}

/// What a reference was found to lead to.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) enum Found {
    /// A page of the space, or a place on one.
    Page(PageId, Option<String>),
    /// A file of the space.
    File(FileId),
    /// A reusable content of the space.
    Reusable(ReusableContentId),
    /// Something of another space.
    OfSpace(SpaceId, Within),
    /// An address.
    Url(String),
    /// A person.
    User(String),
    /// A collection.
    Collection(String),
    /// An OpenAPI specification.
    OpenApi(String),
    /// Nothing; what was written, from the root of the content.
    Nothing(String),
}

/// A target of references: what lists have one item for.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) struct Target {
    pub(super) group: Group,
    pub(super) relation: Relation,
    pub(super) found: Found,
}

impl Target {
    /// Its place among all targets.
    pub(super) fn key(&self) -> Bytes {
        let group = self.group;
        let mut key = vec![group.tag()];
        let place = |key: &mut Vec<u8>, place: &Option<String>| match place {
            None => key.push(0),
            Some(place) => {
                key.push(1);
                text(key, place);
            }
        };
        match &self.found {
            Found::Page(page, anchor) => {
                key = of_page(group, *page);
                place(&mut key, anchor);
            }
            Found::File(file) => key = of_file(group, *file),
            Found::Reusable(reusable) => {
                key.push(2);
                key.extend(reusable.as_bytes());
            }
            Found::OfSpace(space, within) => {
                key = of_any_space(group);
                key.extend(space.as_bytes());
                match within {
                    Within::Whole => key.push(0),
                    Within::Path(path, anchor) => {
                        key.push(1);
                        text(&mut key, path);
                        place(&mut key, anchor);
                    }
                    Within::Page(page, anchor) => {
                        key.push(2);
                        key.extend(page.as_bytes());
                        place(&mut key, anchor);
                    }
                    Within::Reusable(id) => {
                        key.push(3);
                        text(&mut key, id);
                    }
                }
            }
            Found::Url(url) => {
                key.push(4);
                text(&mut key, url);
            }
            Found::User(user) => {
                key.push(5);
                text(&mut key, user);
            }
            Found::Collection(collection) => {
                key.push(6);
                text(&mut key, collection);
            }
            Found::OpenApi(spec) => {
                key.push(7);
                text(&mut key, spec);
            }
            Found::Nothing(written) => {
                key.push(8);
                text(&mut key, written);
            }
        }
        key.push(self.relation as u8);
        key.into()
    }
}

/// What the keys of a page and of places on it begin with.
pub(super) fn of_page(group: Group, page: PageId) -> Vec<u8> {
    [&[group.tag(), 0], page.as_bytes().as_slice()].concat()
}

/// What the key of a file begins with.
pub(super) fn of_file(group: Group, file: FileId) -> Vec<u8> {
    [&[group.tag(), 1], file.as_bytes().as_slice()].concat()
}

/// What the keys of everything of other spaces begin with.
pub(super) fn of_any_space(group: Group) -> Vec<u8> {
    vec![group.tag(), 3]
}

/// What the keys of references to a page of another space begin with: by its path there, and by
/// its id.
pub(super) fn of_page_in(space: SpaceId, path: &str, page: PageId) -> [Vec<u8>; 2] {
    let of = |kind: u8| [of_any_space(Group::Elsewhere), space.as_bytes().to_vec(), vec![kind]];
    let (mut by_path, mut by_id) = (of(1).concat(), of(2).concat());
    text(&mut by_path, path);
    by_id.extend(page.as_bytes());
    [by_path, by_id]
}

/// A text of any length, so that texts that differ give keys that differ.
fn text(key: &mut Vec<u8>, text: &str) {
    let bytes = text.as_bytes();
    if bytes.len() <= TEXT_IN_KEY && !bytes.contains(&0) {
        key.extend(bytes);
    } else {
        key.extend(bytes.iter().filter(|byte| **byte != 0).take(TEXT_IN_KEY));
        key.push(u8::MAX);
        key.extend(short(bytes).map(|byte| byte | 1));
    }
    key.push(0);
}

/// Hears what is looked at, as names that take little room.
struct Looking<'a> {
    objects: &'a dyn Objects,
    seen: RefCell<Vec<Name>>,
}

impl Objects for Looking<'_> {
    fn get(&self, hash: &Hash) -> std::result::Result<Bytes, ObjectError> {
        self.objects.get(hash)
    }

    fn record_read(&self, facet: Facet<'_>) {
        self.seen.borrow_mut().push(facet_name(facet));
    }
}

/// A name for a part of the content.
pub(super) fn facet_name(facet: Facet<'_>) -> Name {
    let (kind, key): (u8, &[u8]) = match &facet {
        Facet::Page(id) => (0, id.as_bytes()),
        Facet::Text(id) => (1, id.as_bytes()),
        Facet::Entry(id) => (2, id.as_bytes()),
        Facet::Children(Some(id)) => (3, id.as_bytes()),
        Facet::Children(None) => (3, &[]),
        Facet::Slug(key) => (4, key),
        Facet::File(id) => (5, id.as_bytes()),
        Facet::Reusable(id) => (6, id.as_bytes()),
        Facet::Path(path) => (7, path),
        Facet::Redirect(path) => (8, path),
    };
    short(&[&[kind], key].concat())
}

/// The places of a text.
struct Places {
    ids: HashSet<String>,
    /// Reusable contents that it shows.
    shown: Vec<ReusableContentId>,
}

/// The longest id that is written as HTML, in bytes: what says `id=` again and again is not read
/// again and again.
const ID: usize = 128;

/// The ids that are written as HTML, and more: whatever stands behind such a name.
fn written_ids(source: &str) -> impl Iterator<Item = &str> {
    ["id=", "name="].into_iter().flat_map(move |before| {
        source.match_indices(before).filter_map(move |(at, _)| {
            let rest = source.get(at + before.len()..)?;
            let rest = rest.get(..rest.floor_char_boundary(ID))?;
            let quoted = |quote: char| Some(rest.strip_prefix(quote)?.split_once(quote)?.0);
            let ends = |c: char| c.is_whitespace() || c == '>';
            quoted('"').or_else(|| quoted('\'')).or_else(|| rest.split(ends).next())
        })
    })
}

/// Finds out what references lead to in one content.
pub(super) struct Resolver<'a> {
    content: &'a Content,
    objects: &'a dyn Objects,
    places: RefCell<HashMap<Hash, Rc<Places>>>,
    read: Cell<usize>,
}

impl<'a> Resolver<'a> {
    pub(super) fn new(content: &'a Content, objects: &'a dyn Objects) -> Self {
        Self { content, objects, places: RefCell::default(), read: Cell::new(0) }
    }

    /// Returns the bytes of the texts that were read to find places in them.
    pub(super) fn bytes_read(&self) -> usize {
        self.read.get()
    }

    /// What a reference leads to, and the names of the parts of the content that say so.
    pub(super) fn resolve(&self, written: &Written) -> Result<(Target, Vec<Name>)> {
        let looking = Looking { objects: self.objects, seen: RefCell::default() };
        let (group, found) = self.find(&written.to, &looking)?;
        let mut seen = looking.seen.into_inner();
        seen.sort_unstable();
        seen.dedup();
        Ok((Target { group, relation: written.relation, found }, seen))
    }

    fn find(&self, to: &To, on: &dyn Objects) -> Result<(Group, Found)> {
        let sound = |there: bool| if there { Group::Sound } else { Group::Broken };
        Ok(match to {
            To::Path { known, path, absolute, anchor } => {
                let stored = known.map(|entry| Paths::one(path, entry)).unwrap_or_default();
                let lookup = Known::beside(stored, self.content, on);
                let found = path_reference(path, anchor.clone(), *absolute, &lookup);
                match found {
                    Some(found) => self.there(found, on)?,
                    None => {
                        let anchor = anchor.iter().map(|anchor| format!("#{anchor}"));
                        let written = format!("/{path}{}", anchor.collect::<String>());
                        (Group::Broken, Found::Nothing(written))
                    }
                }
            }
            To::Page(page, anchor) => {
                (sound(self.has_page(*page, anchor, on)?), Found::Page(*page, anchor.clone()))
            }
            To::File(file) => {
                let there = self.content.file(on, *file).map_err(broken_object)?.is_some();
                (sound(there), Found::File(*file))
            }
            To::Reusable(reusable) => {
                let there = self.content.reusable(on, *reusable).map_err(broken_object)?.is_some();
                (sound(there), Found::Reusable(*reusable))
            }
            To::OfSpace(space, within) => {
                (Group::Elsewhere, Found::OfSpace(*space, within.clone()))
            }
            To::Url(url) => {
                let group = if is_like_ours(url) { Group::Elsewhere } else { Group::Sound };
                (group, Found::Url(url.clone()))
            }
            To::User(user) => (Group::Elsewhere, Found::User(user.clone())),
            To::Collection(id) => (Group::Elsewhere, Found::Collection(id.clone())),
            To::OpenApi(spec) => (Group::Elsewhere, Found::OpenApi(spec.clone())),
            To::Nothing(written) => (Group::Broken, Found::Nothing(written.clone())),
        })
    }

    /// What a path was found to name; everything but places is there then.
    fn there(&self, found: Reference, on: &dyn Objects) -> Result<(Group, Found)> {
        let nothing = || (Group::Broken, Found::Nothing(String::new()));
        Ok(match found {
            Reference::Page { page, .. } => PageId::parse(&page)
                .map_or_else(nothing, |page| (Group::Sound, Found::Page(page, None))),
            Reference::Anchor { anchor, page: Some(page), .. } => match PageId::parse(&page) {
                Some(page) => {
                    let anchor = Some(anchor);
                    let there = self.has_page(page, &anchor, on)?;
                    let group = if there { Group::Sound } else { Group::Broken };
                    (group, Found::Page(page, anchor))
                }
                None => nothing(),
            },
            Reference::File { file } => {
                FileId::parse(&file).map_or_else(nothing, |file| (Group::Sound, Found::File(file)))
            }
            Reference::ReusableContent { reusable_content, .. } => {
                ReusableContentId::parse(&reusable_content)
                    .map_or_else(nothing, |id| (Group::Sound, Found::Reusable(id)))
            }
            _ => nothing(),
        })
    }

    fn has_page(&self, page: PageId, place: &Option<String>, on: &dyn Objects) -> Result<bool> {
        let Some(record) = self.content.page(on, page).map_err(broken_object)? else {
            return Ok(false);
        };
        let Some(place) = place.as_deref().filter(|place| !place.is_empty()) else {
            return Ok(true);
        };
        on.record_read(Facet::Text(page));
        let Some(body) = record.body else { return Ok(false) };
        let places = self.places(&body)?;
        if places.ids.contains(place) {
            return Ok(true);
        }
        for shown in &places.shown {
            let shown = self.content.reusable(on, *shown).map_err(broken_object)?;
            if let Some(body) = shown.and_then(|shown| shown.body)
                && self.places(&body)?.ids.contains(place)
            {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn places(&self, hash: &Hash) -> Result<Rc<Places>> {
        if let Some(known) = self.places.borrow().get(hash) {
            return Ok(Rc::clone(known));
        }
        let bytes = self.objects.get(hash).map_err(broken_object)?;
        self.read.set(self.read.get().saturating_add(bytes.len()));
        let body = PageBody::decode(&bytes).map_err(broken_object)?;
        let document = texts::parse(&body, &Paths::of([&body]));
        let shown =
            document.references().into_iter().filter_map(|held| match &held.reference.target {
                Reference::ReusableContent { reusable_content, space: None } => {
                    ReusableContentId::parse(reusable_content)
                }
                _ => None,
            });
        let source = String::from_utf8_lossy(&body.source);
        let ids = document.anchors().into_iter().chain(written_ids(&source));
        let places = Rc::new(Places {
            ids: ids.filter(|id| id.len() <= LONGEST).map(str::to_owned).collect(),
            shown: shown.collect(),
        });
        self.places.borrow_mut().insert(*hash, Rc::clone(&places));
        Ok(places)
    }
}

/// Whether an address may be one of the application; at which address that is changes.
fn is_like_ours(url: &str) -> bool {
    url.contains("/app/o/")
}
