//! The index on disk: batches, restarts, damage, removals.

#![expect(clippy::unwrap_used, reason = "an error fails the test")]

use std::path::Path;

use bindery_model::{Entropy, PageId, SpaceId};
use bindery_search::{
    IndexState, Mode, PageEntry, Preparation, Query, Scope, SearchIndex, Section,
};

const MEMORY: usize = 32 << 20;

struct Ids {
    spaces: [SpaceId; 2],
    pages: [PageId; 3],
}

fn ids() -> Ids {
    let entropy = Entropy::seeded(3);
    Ids {
        spaces: std::array::from_fn(|_| SpaceId::random(&entropy)),
        pages: std::array::from_fn(|_| PageId::random(&entropy)),
    }
}

fn page(id: PageId, title: &str, text: &str) -> PageEntry {
    PageEntry {
        id,
        path: title.to_lowercase(),
        title: title.into(),
        description: String::new(),
        ancestors: Vec::new(),
        language: Some("en".into()),
        boost: 1.0,
        conditions: Vec::new(),
        sections: vec![Section { text: text.into(), ..Section::default() }],
    }
}

fn index(folder: &Path, space: SpaceId, pages: &[PageEntry]) -> SearchIndex {
    let (index, _) = SearchIndex::open(folder, MEMORY).unwrap();
    add(&index, space, pages);
    index
}

fn add(index: &SearchIndex, space: SpaceId, pages: &[PageEntry]) {
    let mut batch = index.batch().unwrap();
    for page in pages {
        batch.replace_page(space, Preparation::default().prepare(page)).unwrap();
    }
    batch.commit().unwrap();
}

fn titles(index: &SearchIndex, spaces: &[SpaceId], text: &str) -> Vec<String> {
    let holds = |_: &_| false;
    let scopes: Vec<Scope<'_>> = spaces.iter().map(|space| Scope::new(*space, &holds)).collect();
    let query = Query { mode: Mode::Full, ..Query::new(text, &scopes) };
    let hits = index.snapshot().search(&query).unwrap();
    hits.pages.into_iter().map(|page| page.title).collect()
}

#[test]
fn batches_become_visible_at_their_end() {
    let (folder, ids) = (tempfile::tempdir().unwrap(), ids());
    let [space, _] = ids.spaces;
    let index = index(folder.path(), space, &[page(ids.pages[0], "One", "apple")]);
    let mut batch = index.batch().unwrap();
    let changed = page(ids.pages[0], "Uno", "pear");
    batch.replace_page(space, Preparation::default().prepare(&changed)).unwrap();
    assert_eq!(titles(&index, &[space], "apple"), ["One"]);
    batch.commit().unwrap();
    assert!(titles(&index, &[space], "apple").is_empty());
    assert_eq!(titles(&index, &[space], "pear"), ["Uno"]);
    let mut batch = index.batch().unwrap();
    batch.remove_page(space, ids.pages[0]).unwrap();
    drop(batch);
    assert_eq!(titles(&index, &[space], "pear"), ["Uno"], "a dropped batch changes nothing");
    let mut batch = index.batch().unwrap();
    batch.remove_page(space, ids.pages[0]).unwrap();
    batch.commit().unwrap();
    assert!(titles(&index, &[space], "pear").is_empty());
}

#[test]
fn spaces_are_removed_with_their_pages() {
    let (folder, ids) = (tempfile::tempdir().unwrap(), ids());
    let [first, second] = ids.spaces;
    let index = index(folder.path(), first, &[page(ids.pages[0], "One", "apple")]);
    add(&index, second, &[page(ids.pages[1], "Two", "apple"), page(ids.pages[2], "Three", "plum")]);
    assert_eq!(titles(&index, &[first, second], "apple"), ["One", "Two"]);
    let mut batch = index.batch().unwrap();
    batch.remove_space(second).unwrap();
    batch.commit().unwrap();
    assert_eq!(titles(&index, &[first, second], "apple"), ["One"]);
    assert!(titles(&index, &[second], "plum").is_empty());
    assert_eq!(index.snapshot().payload(second), None);
    // In one batch, a space is replaced as a whole.
    let mut batch = index.batch().unwrap();
    batch.remove_space(first).unwrap();
    let other = page(ids.pages[1], "Four", "apple");
    batch.replace_page(first, Preparation::default().prepare(&other)).unwrap();
    batch.commit().unwrap();
    assert_eq!(titles(&index, &[first], "apple"), ["Four"]);
    assert_eq!(index.snapshot().pages(first).unwrap(), [ids.pages[1]]);
}

#[test]
fn content_and_payloads_survive_a_restart() {
    let (folder, ids) = (tempfile::tempdir().unwrap(), ids());
    let [space, other] = ids.spaces;
    let first = index(folder.path(), space, &[page(ids.pages[0], "One", "apple")]);
    let mut batch = first.batch().unwrap();
    batch.set_payload(space, b"revision 5".to_vec());
    batch.commit().unwrap();
    drop(first);
    let (index, state) = SearchIndex::open(folder.path(), MEMORY).unwrap();
    assert_eq!(state, IndexState::Existing);
    index.verify().unwrap();
    assert_eq!(index.snapshot().payload(space), Some(&b"revision 5"[..]));
    assert_eq!(titles(&index, &[space], "apple"), ["One"]);
    // A space that is added later has its own terms.
    add(&index, other, &[page(ids.pages[1], "Two", "apple")]);
    assert_eq!(titles(&index, &[space], "apple"), ["One"]);
    assert_eq!(titles(&index, &[other], "apple"), ["Two"]);
}

#[test]
fn other_versions_are_discarded() {
    let (folder, ids) = (tempfile::tempdir().unwrap(), ids());
    drop(index(folder.path(), ids.spaces[0], &[page(ids.pages[0], "One", "apple")]));
    std::fs::write(folder.path().join("version"), "0\n").unwrap();
    let (index, state) = SearchIndex::open(folder.path(), MEMORY).unwrap();
    assert!(matches!(state, IndexState::Discarded(_)), "{state:?}");
    assert!(titles(&index, &ids.spaces, "apple").is_empty());
}

#[test]
fn damage_is_noticed() {
    let ids = ids();
    // Files that are missing or cut are noticed when the index is opened.
    for damage in [remove as fn(&Path), cut] {
        let folder = tempfile::tempdir().unwrap();
        drop(index(folder.path(), ids.spaces[0], &[page(ids.pages[0], "One", "apple")]));
        for entry in std::fs::read_dir(folder.path().join("data")).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|extension| extension == "idx") {
                damage(&path);
            }
        }
        let (index, state) = SearchIndex::open(folder.path(), MEMORY).unwrap();
        assert!(matches!(state, IndexState::Discarded(_)), "{state:?}");
        add(&index, ids.spaces[0], &[page(ids.pages[1], "Two", "apple")]);
        assert_eq!(titles(&index, &ids.spaces, "apple"), ["Two"]);
    }
}

fn remove(path: &Path) {
    std::fs::remove_file(path).unwrap();
}

fn cut(path: &Path) {
    let bytes = std::fs::read(path).unwrap();
    std::fs::write(path, &bytes[..bytes.len() / 2]).unwrap();
}

#[test]
fn changed_bytes_are_noticed_by_verification() {
    let (folder, ids) = (tempfile::tempdir().unwrap(), ids());
    drop(index(folder.path(), ids.spaces[0], &[page(ids.pages[0], "One", "apple")]));
    for entry in std::fs::read_dir(folder.path().join("data")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "pos") {
            let mut bytes = std::fs::read(&path).unwrap();
            bytes[0] ^= 1;
            std::fs::write(&path, bytes).unwrap();
        }
    }
    let (index, state) = SearchIndex::open(folder.path(), MEMORY).unwrap();
    assert_eq!(state, IndexState::Existing);
    assert!(index.verify().is_err());
    index.reset().unwrap();
    index.verify().unwrap();
    assert!(titles(&index, &ids.spaces, "apple").is_empty());
}

#[test]
fn missing_files_are_noticed_by_verification() {
    let (folder, ids) = (tempfile::tempdir().unwrap(), ids());
    let index = index(folder.path(), ids.spaces[0], &[page(ids.pages[0], "One", "apple")]);
    index.verify().unwrap();
    for entry in std::fs::read_dir(folder.path().join("data")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "store") {
            remove(&path);
        }
    }
    assert!(index.verify().is_err());
    std::fs::remove_dir_all(folder.path()).unwrap();
    assert!(index.verify().is_err());
    index.reset().unwrap();
    index.verify().unwrap();
}
