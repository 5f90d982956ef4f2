//! The cost of merges and differences of large spaces, in objects read and written.

use std::cell::RefCell;
use std::collections::HashSet;

use bindery_model::{Id, PageId, Timestamp};
use bytes::Bytes;

use crate::content::Content;
use crate::diff::diff;
use crate::map::Salt;
use crate::merge::{WholeBodies, merge};
use crate::object::{Hash, MemoryObjects, ObjectError, Objects, Staging};
use crate::record::{PageKind, PageRecord};
use crate::tree::{self, ContentBuilder, Position};

/// A source of objects that counts the distinct objects read.
struct CountingObjects<'o> {
    objects: &'o MemoryObjects,
    read: RefCell<HashSet<Hash>>,
}

impl Objects for CountingObjects<'_> {
    fn get(&self, hash: &Hash) -> Result<Bytes, ObjectError> {
        self.read.borrow_mut().insert(*hash);
        self.objects.get(hash)
    }
}

fn id(number: u64) -> PageId {
    PageId::new(Id::derived(Hash::of(&number.to_be_bytes()).as_bytes()))
}

fn page(number: u64) -> PageRecord {
    let name = format!("page-{number}");
    let at = Timestamp::from_millis(0);
    let mut page = PageRecord::new(id(number), PageKind::Document, &name, &name, at);
    page.source_path = Some(format!("{name}.md"));
    page.body = Some(Hash::of(name.as_bytes()));
    page
}

/// Creates a space with this number of pages, ten under each.
fn space(pages: u64) -> (Content, MemoryObjects) {
    let mut bulk = ContentBuilder::new(Salt::new(*b"sixteen of bytes"));
    for number in 0..pages {
        let mut page = page(number);
        page.parent = number.checked_sub(1).map(|number| id(number / 10));
        bulk.page(page).unwrap();
    }
    let base = MemoryObjects::new();
    let mut staging = Staging::new(&base);
    let content = bulk.finish(&mut staging, &mut |_| Ok(())).unwrap();
    let mut objects = MemoryObjects::new();
    objects.extend(staging.drain());
    (content, objects)
}

type Edited = (Content, Vec<(Hash, Bytes)>);

fn edit_of(objects: &MemoryObjects, edit: impl Fn(&mut Staging<'_>) -> Content) -> Edited {
    let mut staging = Staging::new(objects);
    let content = edit(&mut staging);
    (content, staging.drain())
}

fn edited(content: &Content, objects: &MemoryObjects, number: u64) -> Edited {
    edit_of(objects, |staging| {
        let change = |page: &mut PageRecord| {
            page.title = "New".to_owned();
            page.body = Some(Hash::of(b"new"));
        };
        tree::update(content, staging, id(number), change).unwrap().0
    })
}

fn added(content: &Content, objects: &MemoryObjects, number: u64, under: u64) -> Edited {
    let mut page = page(number);
    page.parent = Some(id(under));
    edit_of(objects, |staging| {
        tree::insert(content, staging, page.clone(), Position::Last).unwrap().0
    })
}

fn moved(content: &Content, objects: &MemoryObjects, number: u64, under: u64) -> Edited {
    edit_of(objects, |staging| {
        tree::relocate(content, staging, id(number), Some(id(under)), Position::First).unwrap().0
    })
}

/// Returns the numbers of objects read and written by a merge of two edits.
fn cost(base: &Content, objects: &MemoryObjects, ours: Edited, theirs: Edited) -> (usize, usize) {
    let mut all = objects.clone();
    all.extend(ours.1.into_iter().chain(theirs.1));
    let counted = CountingObjects { objects: &all, read: RefCell::default() };
    let mut staging = Staging::new(&counted);
    let merged = merge(base, &ours.0, &theirs.0, &mut staging, &mut WholeBodies).unwrap();
    assert!(merged.conflicts.is_empty());
    assert_ne!(merged.content, ours.0);
    let written = staging.len();
    drop(staging);
    (counted.read.into_inner().len(), written)
}

/// Returns the average cost of several merges, which touch nodes of different sizes.
fn average(pages: u64, content: &Content, objects: &MemoryObjects) -> [(f64, f64); 3] {
    let step = pages / 10;
    let mut sums = [(0.0, 0.0); 3];
    for n in 1..9 {
        let here = n * step;
        let costs = [
            cost(
                content,
                objects,
                edited(content, objects, here),
                edited(content, objects, here + step / 2),
            ),
            cost(
                content,
                objects,
                added(content, objects, pages, here / 10),
                added(content, objects, pages + 1, here / 10),
            ),
            cost(
                content,
                objects,
                moved(content, objects, here, here / 20 + 1),
                moved(content, objects, here + step / 2, here / 20 + 2),
            ),
        ];
        for (sum, (read, written)) in sums.iter_mut().zip(costs) {
            sum.0 += read as f64 / 8.0;
            sum.1 += written as f64 / 8.0;
        }
    }
    sums
}

/// The maps of a space with a hundred pages have one or two nodes, those of 100,000 pages three
/// levels. The cost may grow only with the number of levels.
#[test]
fn the_cost_of_a_merge_does_not_depend_on_the_space() {
    let all = [100, 1_000, 10_000, 100_000].map(|pages| {
        let (content, objects) = space(pages);
        average(pages, &content, &objects)
    });
    for (at, name) in ["edits", "additions", "moves"].into_iter().enumerate() {
        let [hundred, .., middle, large] = all.map(|costs| costs[at]);
        let grows =
            |pick: fn((f64, f64)) -> f64| (pick(large) / pick(middle), pick(large) / pick(hundred));
        for (further, whole) in [grows(|cost| cost.0), grows(|cost| cost.1)] {
            assert!(further < 1.5 && whole < 4.0, "{name}: {all:?}");
        }
        assert!(large.0 < 48.0 && large.1 < 16.0, "{name}: {large:?}");
    }
}

/// Changing a document reads and writes only the page's record, in spaces of any size.
#[test]
fn changing_a_document_changes_one_map() {
    for (pages, most) in [(100, 3), (100_000, 6)] {
        let (content, objects) = space(pages);
        let counted = CountingObjects { objects: &objects, read: RefCell::default() };
        let mut staging = Staging::new(&counted);
        let text = staging.put(&b"a text"[..]);
        let change = |page: &mut PageRecord| page.body = Some(text);
        let edited = tree::update(&content, &mut staging, id(pages / 3), change).unwrap().0;
        let written = staging.drain_reachable(edited.roots()).unwrap().len();
        drop(staging);
        let read = counted.read.into_inner().len();
        // The document, and one or two more levels in the larger space.
        assert!(read <= most && written <= most, "{pages}: {read} read, {written} written");
        let others = Content { pages: content.pages, ..edited };
        assert_eq!(others, content);
    }
}

/// Returns the staged objects that a content refers to.
fn stored(content: &Content, staging: &mut Staging<'_>) -> Vec<(Hash, Bytes)> {
    staging.drain_reachable(content.roots()).unwrap()
}

/// Inserts a page with a path, then moves and renames pages one after the other.
fn batch(content: &Content, staging: &mut Staging<'_>, pages: u64) -> Content {
    let mut new = page(pages);
    (new.parent, new.source_path) = (Some(id(pages / 20)), None);
    let (content, _) = tree::insert(content, staging, new, Position::Last).unwrap();
    let path = |page: &mut PageRecord| page.source_path = Some("new.md".to_owned());
    let (content, _) = tree::update(&content, staging, id(pages), path).unwrap();
    let text = staging.put(&b"a text"[..]);
    let body = |page: &mut PageRecord| page.body = Some(text);
    let (mut content, _) = tree::update(&content, staging, id(pages), body).unwrap();
    for step in 1..4 {
        let moved = id(pages / 10 * step);
        let under = Some(id(pages / 40));
        content = tree::relocate(&content, staging, moved, under, Position::First).unwrap().0;
        let title = |page: &mut PageRecord| page.title = "Renamed".to_owned();
        content = tree::update(&content, staging, moved, title).unwrap().0;
    }
    content
}

/// Only the objects of a batch's final content are stored.
#[test]
fn intermediate_states_are_not_stored() {
    for pages in [100, 10_000] {
        let (before, objects) = space(pages);
        let mut staging = Staging::new(&objects);
        let content = batch(&before, &mut staging, pages);
        let staged = staging.len();
        let new = stored(&content, &mut staging);
        assert!(staging.is_empty());
        assert!(new.len() * 2 < staged, "{pages}: {} of {staged}", new.len());

        let old: HashSet<Hash> = before.objects(&objects).unwrap().into_iter().collect();
        let mut all = objects.clone();
        all.extend(new.clone());
        let needed = content.objects(&all).unwrap();
        assert_eq!(all.get(&Hash::of(b"a text")).unwrap(), "a text");
        let needed: HashSet<Hash> = needed.into_iter().filter(|hash| !old.contains(hash)).collect();
        let new: HashSet<Hash> = new.into_iter().map(|(hash, _)| hash).collect();
        assert_eq!(new, needed, "{pages}");
    }
}

#[test]
fn restored_states_store_no_new_objects() {
    let (before, objects) = space(1_000);
    let mut staging = Staging::new(&objects);
    let rename = |page: &mut PageRecord| page.title = "Other".to_owned();
    let (renamed, _) = tree::update(&before, &mut staging, id(7), rename).unwrap();
    let back = |page: &mut PageRecord| page.title = "page-7".to_owned();
    let (content, _) = tree::update(&renamed, &mut staging, id(7), back).unwrap();
    assert_eq!(content, before);
    let known: HashSet<Hash> = before.objects(&objects).unwrap().into_iter().collect();
    assert!(stored(&content, &mut staging).iter().all(|(hash, _)| known.contains(hash)));
}

#[test]
fn a_diff_reads_only_changed_parts() {
    let (base, objects) = space(100_000);
    let mut all = objects.clone();
    let mut content = base.clone();
    for n in 0..10 {
        let (next, new) = edited(&content, &all, n * 9_876 + 5);
        all.extend(new);
        content = next;
    }
    let counted = CountingObjects { objects: &all, read: RefCell::default() };
    let found = diff(&base, &content, &counted, 100).unwrap();
    assert_eq!((found.changes.len(), found.more), (10, 0));
    let read = counted.read.borrow().len();
    assert!(read <= 60, "{read} objects");
    let found = diff(&base, &content, &counted, 3).unwrap();
    assert_eq!((found.changes.len(), found.more), (3, 7));
}
