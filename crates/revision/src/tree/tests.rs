//! Random edits compared with a simple model, and the cost of an edit in a large tree.

use std::collections::{BTreeMap, HashMap};

use bindery_model::{PageId, Timestamp};
use proptest::prelude::*;

use super::*;
use crate::content::{Content, PathEntry};
use crate::map::{Direction, Salt};
use crate::object::{Hash, MemoryObjects, Staging};
use crate::record::{FileRecord, PageKind, PageRecord, Record, ReusableRecord};

const SALT: Salt = Salt::new(*b"sixteen of bytes");

fn id(number: u64) -> PageId {
    PageId::new(bindery_model::Id::derived(Hash::of(&number.to_be_bytes()).as_bytes()))
}

fn page(number: u64, parent: Option<PageId>, slug: &str) -> PageRecord {
    let at = Timestamp::from_millis(0);
    let mut page = PageRecord::new(id(number), PageKind::Document, slug, slug, at);
    page.parent = parent;
    page.source_path = Some(format!("file-{number}.md"));
    page
}

/// Builds a content from page numbers with their parents' numbers.
fn bulk(pages: impl IntoIterator<Item = Numbered>) -> (Content, MemoryObjects) {
    let mut bulk = ContentBuilder::new(SALT);
    for (number, parent) in pages {
        bulk.page(page(number, parent.map(id), &format!("page-{number}"))).unwrap();
    }
    let base = MemoryObjects::new();
    let mut objects = MemoryObjects::new();
    let mut staging = Staging::new(&base);
    let mut drain = |staging: &mut Staging<'_>| {
        objects.extend(staging.drain());
        Ok(())
    };
    let content = bulk.finish(&mut staging, &mut drain).unwrap();
    drain(&mut staging).unwrap();
    (content, objects)
}

/// A tree as lists of children, edited in the simplest way.
#[derive(Default)]
struct Model {
    children: HashMap<Option<PageId>, Vec<PageId>>,
    slugs: BTreeMap<PageId, String>,
}

impl Model {
    fn parent(&self, page: PageId) -> Option<PageId> {
        *self.children.iter().find(|(_, list)| list.contains(&page)).unwrap().0
    }

    /// Returns the children of `parent` without `page`.
    fn siblings(&self, parent: Option<PageId>, page: PageId) -> Vec<PageId> {
        let children = self.children.get(&parent).into_iter().flatten().copied();
        children.filter(|one| *one != page).collect()
    }

    fn below(&self, page: PageId) -> Vec<PageId> {
        let mut all = vec![page];
        let mut at = 0;
        while at < all.len() {
            all.extend(self.children.get(&Some(all[at])).into_iter().flatten());
            at += 1;
        }
        all
    }

    fn take(&mut self, page: PageId) {
        self.children.values_mut().for_each(|list| list.retain(|one| *one != page));
    }

    fn put(&mut self, page: PageId, parent: Option<PageId>, position: Position) {
        let list = self.children.entry(parent).or_default();
        let find = |other| list.iter().position(|one| *one == other).unwrap();
        let at = match position {
            Position::First => 0,
            Position::Last => list.len(),
            Position::Before(other) => find(other),
            Position::After(other) => find(other) + 1,
            Position::At(at) => (at as usize).min(list.len()),
        };
        list.insert(at, page);
    }

    fn walk(&self, parent: Option<PageId>, depth: usize, out: &mut Vec<(usize, PageId)>) {
        for page in self.children.get(&parent).into_iter().flatten() {
            out.push((depth, *page));
            self.walk(Some(*page), depth + 1, out);
        }
    }
}

/// Checks the invariants of every content.
pub(crate) fn invariants(content: &Content, objects: &MemoryObjects) {
    let tree = Tree::new(content, objects);
    assert_eq!(content.pages.len(), content.children.len());
    assert_eq!(content.pages.len(), content.slugs.len());
    let none = Content::empty(content.salt());
    let mut rebuilt = content.clone();
    let mut staging = Staging::new(objects);
    let (mut pages, mut children) = (Vec::new(), Vec::new());
    let (mut slugs, mut paths) = (Vec::new(), Vec::new());
    for entry in content.pages.range(objects, None, Direction::Ascending) {
        let (key, value) = entry.unwrap();
        let page = PageRecord::decode(&value).unwrap();
        assert_eq!(&key[..], page.id.as_bytes());
        tree.ancestors(page.id).unwrap();
        assert_eq!(tree.by_path(&tree.path(page.id).unwrap()).unwrap(), Some(page.id));
        let parent = page.parent.as_ref();
        let navigation = page.navigation(tree.count_children(Some(page.id)).unwrap() > 0);
        children
            .push((child_key(parent, &page.order, &page.id), Some(navigation.encode().unwrap())));
        slugs.push((slug_key(parent, &page.slug), Some(key.clone())));
        if let Some(path) = &page.source_path {
            paths.push((path.clone().into(), Some(PathEntry::Page(page.id).encode().unwrap())));
        }
        pages.push((key, Some(value)));
    }
    for entry in content.files.range(objects, None, Direction::Ascending) {
        let file = FileRecord::decode(&entry.unwrap().1).unwrap();
        if let Some(path) = file.path {
            paths.push((path.into(), Some(PathEntry::File(file.id).encode().unwrap())));
        }
    }
    for entry in content.reusable.range(objects, None, Direction::Ascending) {
        let text = ReusableRecord::decode(&entry.unwrap().1).unwrap();
        if let Some(path) = text.path {
            paths.push((path.into(), Some(PathEntry::Reusable(text.id).encode().unwrap())));
        }
    }
    rebuilt.pages = none.pages.apply(&mut staging, pages).unwrap();
    rebuilt.children = none.children.apply(&mut staging, children).unwrap();
    rebuilt.slugs = none.slugs.apply(&mut staging, slugs).unwrap();
    rebuilt.paths = none.paths.apply(&mut staging, paths).unwrap();
    assert_eq!(content, &rebuilt);
    assert_eq!(tree.walk().count() as u64, tree.len(), "every page is reachable");
    for parent in tree.walk().map(|child| Some(child.unwrap().id)).chain([None]) {
        let orders: Vec<OrderKey> =
            tree.children(parent).map(|child| child.unwrap().order).collect();
        assert!(orders.is_sorted_by(|a, b| a < b), "siblings have distinct positions");
    }
}

fn position() -> impl Strategy<Value = (u8, prop::sample::Index)> {
    (0u8..5, any::<prop::sample::Index>())
}

/// Returns a position among existing siblings.
fn choose(kind: u8, index: prop::sample::Index, siblings: &[PageId]) -> Position {
    match (kind, siblings) {
        (0, _) => Position::First,
        (1, [_, ..]) => Position::Before(*index.get(siblings)),
        (2, [_, ..]) => Position::After(*index.get(siblings)),
        (3, _) => Position::At(index.index(siblings.len() + 2) as u64),
        _ => Position::Last,
    }
}

type Step = (u8, prop::sample::Index, prop::sample::Index, (u8, prop::sample::Index));

fn steps() -> impl Strategy<Value = Vec<Step>> {
    prop::collection::vec(
        (0u8..8, any::<prop::sample::Index>(), any::<prop::sample::Index>(), position()),
        1..60,
    )
}

/// Deletes a page with its descendants from a content and from the model.
fn delete_page(
    content: &Content,
    staging: &mut Staging<'_>,
    page: PageId,
    model: &mut Model,
) -> Result<Content, TestCaseError> {
    let (next, gone) = delete(content, staging, page).unwrap();
    let mut expected = model.below(page);
    prop_assert_eq!(&gone, &expected);
    for page in expected.drain(..) {
        model.take(page);
        model.children.remove(&Some(page));
        model.slugs.remove(&page);
    }
    Ok(next)
}

/// Checks the pages in order and their paths.
fn check_walk(tree: &Tree<'_>, model: &Model) -> Result<(), TestCaseError> {
    let mut expected = Vec::new();
    model.walk(None, 0, &mut expected);
    let mut walk = tree.walk();
    let mut found = Vec::new();
    while let Some(child) = walk.next() {
        found.push((walk.depth(), child.unwrap().id));
    }
    prop_assert_eq!(&found, &expected);
    for (page, slug) in &model.slugs {
        prop_assert_eq!(&tree.page(*page).unwrap().slug, slug);
    }
    Ok(())
}

/// Checks the next and the previous page of each page.
fn check_order(tree: &Tree<'_>, model: &Model) -> Result<(), TestCaseError> {
    let mut order = Vec::new();
    model.walk(None, 0, &mut order);
    for (at, (_, page)) in order.iter().enumerate() {
        let beside = |at: Option<usize>| at.and_then(|at| order.get(at)).map(|(_, page)| *page);
        let next = tree.next(*page).unwrap().map(|child| child.id);
        prop_assert_eq!(next, beside(Some(at + 1)));
        let previous = tree.previous(*page).unwrap().map(|child| child.id);
        prop_assert_eq!(previous, beside(at.checked_sub(1)));
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn edits_preserve_the_tree(steps in steps()) {
        let mut objects = MemoryObjects::new();
        let (mut content, mut model) = (Content::empty(SALT), Model::default());
        for (number, (kind, what, whither, (side, index))) in steps.into_iter().enumerate() {
            let known: Vec<PageId> = model.slugs.keys().copied().collect();
            let base = objects.clone();
            let mut staging = Staging::new(&base);
            let parent = match whither.index(known.len() + 1) {
                0 => None,
                at => Some(known[at - 1]),
            };
            let page_id = (!known.is_empty()).then(|| *what.get(&known));
            let next = match (kind, page_id) {
                (0, Some(page)) => {
                    delete_page(&content, &mut staging, page, &mut model)?
                }
                (1 | 2, Some(page)) => {
                    let siblings = model.siblings(parent, page);
                    let position = choose(side, index, &siblings);
                    let result = relocate(&content, &mut staging, page, parent, position);
                    if parent.is_some_and(|parent| model.below(page).contains(&parent)) {
                        prop_assert_eq!(result.unwrap_err(), TreeError::Cycle(page));
                        continue;
                    }
                    let (next, record) = result.unwrap();
                    model.take(page);
                    model.put(page, parent, position);
                    model.slugs.insert(page, record.slug);
                    next
                }
                (3, Some(page)) => {
                    let slug = format!("s{}", whither.index(3));
                    let (next, record) = update(&content, &mut staging, page, |page| {
                        page.slug = slug.clone();
                        page.title = format!("title {number}");
                        page.parent = Some(page.id);
                    }).unwrap();
                    prop_assert!(record.slug.starts_with(&slug));
                    prop_assert_eq!(record.parent, model.parent(page));
                    model.slugs.insert(page, record.slug);
                    next
                }
                _ => {
                    let new = page(number as u64, parent, &format!("s{}", whither.index(3)));
                    let siblings = model.children.get(&parent).cloned().unwrap_or_default();
                    let position = choose(side, index, &siblings);
                    let (next, record) = insert(&content, &mut staging, new, position).unwrap();
                    model.put(record.id, parent, position);
                    model.slugs.insert(record.id, record.slug);
                    next
                }
            };
            objects.extend(staging.drain());
            content = next;
            check_walk(&Tree::new(&content, &objects), &model)?;
        }
        invariants(&content, &objects);
        check_order(&Tree::new(&content, &objects), &model)?;
    }
}

/// Page 0 is the first document; 1 is hidden and has 2 below it; 3 is a group with 4 (a link) and
/// 5.
fn mixed() -> (Content, MemoryObjects) {
    let parents = [None, None, Some(1), None, Some(3), Some(3)];
    let (mut content, mut objects) =
        bulk(parents.iter().enumerate().map(|(number, parent)| (number as u64, *parent)));
    for number in [1, 3, 4] {
        let base = objects.clone();
        let mut staging = Staging::new(&base);
        let (next, _) = update(&content, &mut staging, id(number), |page| match number {
            1 => page.hidden = true,
            3 => page.kind = PageKind::Group,
            _ => page.kind = PageKind::Link { target: crate::ContentRef::Url("u".to_owned()) },
        })
        .unwrap();
        content = next;
        objects.extend(staging.drain());
    }
    (content, objects)
}

#[test]
fn next_and_previous_skip_hidden_pages() {
    let (content, objects) = mixed();
    let tree = Tree::new(&content, &objects);
    let some = |number| Some(id(number));
    assert_eq!(tree.first().unwrap().map(|child| child.id), some(0));
    for (page, previous, next) in [(0, None, some(5)), (5, some(0), None), (2, some(0), some(5))] {
        assert_eq!(tree.next(id(page)).unwrap().map(|child| child.id), next, "after {page}");
        let found = tree.previous(id(page)).unwrap().map(|child| child.id);
        assert_eq!(found, previous, "before {page}");
    }
}

#[test]
fn paths_include_groups() {
    let (content, objects) = mixed();
    let tree = Tree::new(&content, &objects);
    assert_eq!(tree.path(id(5)).unwrap(), "page-3/page-5");
    for (path, expect) in [
        ("page-3/page-5", Some(5)),
        ("/page-3/page-5/", Some(5)),
        ("", Some(0)),
        ("page-5", None),
        ("page-3//page-5", None),
    ] {
        assert_eq!(tree.by_path(path).unwrap(), expect.map(id), "{path}");
    }
}

#[test]
fn invalid_edits_are_rejected() {
    let (content, objects) = mixed();
    let mut staging = Staging::new(&objects);
    let absent = id(99);
    let put = |page: PageRecord| [Change::Put(Box::new(page))];
    let check = |result: Result<(), TreeError>, expect: TreeError| assert_eq!(result, Err(expect));
    check(
        insert(&content, &mut staging, page(0, None, "x"), Position::Last).map(drop),
        TreeError::Exists(id(0)),
    );
    check(
        insert(&content, &mut staging, page(9, Some(absent), "x"), Position::Last).map(drop),
        TreeError::NotFound(absent),
    );
    check(
        insert(&content, &mut staging, page(9, None, "x"), Position::After(id(2))).map(drop),
        TreeError::NotASibling(id(2)),
    );
    check(delete(&content, &mut staging, absent).map(drop), TreeError::NotFound(absent));
    check(
        relocate(&content, &mut staging, id(3), Some(id(5)), Position::Last).map(drop),
        TreeError::Cycle(id(3)),
    );
    check(
        write(&content, &mut staging, put(page(9, None, "page-0"))).map(drop),
        TreeError::SlugTaken("page-0".to_owned()),
    );
    check(
        write(&content, &mut staging, put(page(9, Some(absent), "x"))).map(drop),
        TreeError::NotFound(absent),
    );
    assert!(staging.is_empty());
}

#[test]
fn equal_slugs_get_numbers() {
    let mut bulk = ContentBuilder::new(SALT);
    let long = "é".repeat(MAX_SLUG);
    for (number, slug) in ["a", "a-1", "a", "a", &long, &long].into_iter().enumerate() {
        bulk.page(page(number as u64, None, slug)).unwrap();
    }
    let base = MemoryObjects::new();
    let mut staging = Staging::new(&base);
    let mut content = bulk.finish(&mut staging, &mut |_| Ok(())).unwrap();
    for number in 6..9 {
        let (next, _) =
            insert(&content, &mut staging, page(number, None, "a"), Position::Last).unwrap();
        content = next;
    }
    let tree = Tree::new(&content, &staging);
    let slugs: Vec<String> = tree.children(None).map(|child| child.unwrap().entry.slug).collect();
    let short = format!("{}-1", "é".repeat(MAX_SLUG - 2));
    assert_eq!(slugs, ["a", "a-1", "a-2", "a-3", &long, &short, "a-4", "a-5", "a-6"]);
}

#[test]
fn a_window_of_children_and_the_rest_of_a_walk() {
    let (content, objects) = bulk((0..500).map(|n| (n, (n % 5 != 0).then_some(n / 5 * 5))));
    let tree = Tree::new(&content, &objects);
    assert_eq!(tree.count_children(None).unwrap(), 100);
    let window: Vec<_> =
        tree.children_from(None, 70).unwrap().take(3).map(|child| child.unwrap().id).collect();
    assert_eq!(window, [id(350), id(355), id(360)]);
    assert_eq!(tree.children_from(Some(id(5)), 4).unwrap().count(), 0);
    assert_eq!(tree.children_from(Some(id(5)), 1).unwrap().count(), 3);
    assert_eq!(tree.position(&tree.page(id(355)).unwrap()).unwrap(), 71);
    let all: Vec<_> = tree.walk().map(|child| child.unwrap().id).collect();
    assert_eq!(all.len(), 500);
    for at in [0, 4, 37, 350, 499] {
        let rest: Vec<_> =
            tree.walk_after(all[at]).unwrap().map(|child| child.unwrap().id).collect();
        assert_eq!(rest, all[at + 1..]);
    }
}

#[test]
fn repeated_insertion_keeps_keys_short() {
    let (mut content, mut objects) = bulk([(0, None), (1, None)]);
    let (mut low, mut longest, mut most) = (0, 0, 0);
    for number in 2..600 {
        let base = objects.clone();
        let mut staging = Staging::new(&base);
        let new = page(number, None, &format!("page-{number}"));
        let (next, record) = insert(&content, &mut staging, new, Position::After(id(low))).unwrap();
        longest = longest.max(record.order.as_bytes().len());
        most = most.max(staging.len());
        low = number;
        content = next;
        objects.extend(staging.drain());
    }
    assert!(longest <= OrderKey::MAX_LEN, "keys of {longest} bytes");
    assert!(most <= 60, "{most} objects in one edit");
    let tree = Tree::new(&content, &objects);
    let ids: Vec<_> = tree.children(None).map(|child| child.unwrap().id).collect();
    let expected: Vec<_> = [0].into_iter().chain(2..600).chain([1]).map(id).collect();
    assert_eq!(ids, expected);
}

/// Returns the maximum numbers of objects and bytes that a single edit of a content writes.
fn costs(content: &Content, objects: &MemoryObjects, pages: &[u64]) -> (usize, usize) {
    let (mut most, mut bytes) = (0, 0);
    let mut note = |staging: Staging<'_>| {
        most = most.max(staging.len());
        bytes = bytes.max(staging.bytes());
    };
    for &number in pages {
        let page_id = id(number);
        let mut staging = Staging::new(objects);
        update(content, &mut staging, page_id, |page| {
            page.title = "new".to_owned();
            page.slug = "new".to_owned();
        })
        .unwrap();
        note(staging);
        let mut staging = Staging::new(objects);
        let new = page(1_000_000, Some(page_id), "new");
        insert(content, &mut staging, new, Position::First).unwrap();
        note(staging);
        let mut staging = Staging::new(objects);
        relocate(content, &mut staging, page_id, None, Position::At(7)).unwrap();
        note(staging);
    }
    (most, bytes)
}

/// The number of a page and of its parent.
type Numbered = (u64, Option<u64>);

/// Trees of 100,000 pages of different shapes, including a single chain.
fn shapes() -> Vec<(&'static str, Vec<Numbered>)> {
    const PAGES: u64 = 100_000;
    vec![
        ("flat", (0..PAGES).map(|n| (n, None)).collect()),
        ("bushy", (0..PAGES).map(|n| (n, n.checked_sub(1).map(|n| n / 10))).collect()),
        ("chains", (0..PAGES).map(|n| (n, (n % 2_000 != 0).then(|| n - 1))).collect()),
        ("one chain", (0..PAGES / 10).map(|n| (n, n.checked_sub(1))).collect()),
    ]
}

#[test]
fn an_edit_of_a_large_tree_writes_a_handful_of_objects() {
    for (name, pages) in shapes() {
        let (content, objects) = bulk(pages);
        let pages = content.pages.len();
        let middle = pages / 2;
        let (most, bytes) = costs(&content, &objects, &[0, 1, 4_321, middle, pages - 1]);
        assert!(most <= 24, "{name}: {most} objects");
        assert!(bytes <= 160 * 1024, "{name}: {bytes} bytes");
        let tree = Tree::new(&content, &objects);
        assert_eq!(tree.walk().count() as u64, pages, "{name}");
        let next = tree.next(id(middle)).unwrap().map(|child| child.id);
        let after = tree.walk_after(id(middle)).unwrap().next();
        assert_eq!(next, after.transpose().unwrap().map(|child| child.id), "{name}");
        let back = tree.previous(next.unwrap()).unwrap().map(|child| child.id);
        assert_eq!(back, Some(id(middle)), "{name}");
    }
}

#[test]
fn keys_of_children_round_trip() {
    let order = OrderKey::between(None, Some(&OrderKey::default()));
    let key = child_key(Some(&id(1)), &order, &id(2));
    assert_eq!(parse_child_key(&key), Ok((order, id(2))));
    for bytes in [&b""[..], &[1; 20], &[1; 41], &[1; 60]] {
        assert!(parse_child_key(bytes).is_err());
    }
}
