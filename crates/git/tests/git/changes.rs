//! Tests of the differences between two commits, and of reading single files of a commit without
//! listing all.

use std::collections::BTreeMap;

use bindery_git::{FetchRequest, FetchedCommit, Fetcher, Folder, FolderEntry, GitError, RefName};
use bindery_outbound::CancellationToken;
use bindery_testkit::git_server::{Change, generated_pages};
use proptest::prelude::*;

use crate::bench::Bench;

/// Paths at which folders and files replace each other. `a-b` and `a.b` sort before and after `a/`.
const PATHS: &[&str] =
    &["a", "a/a", "a/b/c", "a/b", "a-b", "a.b", "b/c/d/e", "b/c/d", "b/c", "b", "é/ü", "é", "z.md"];

fn with_request<T>(
    bench: &Bench,
    known: Option<&str>,
    run: impl FnOnce(&Fetcher, &FetchRequest<'_>) -> Result<T, GitError>,
) -> T {
    let remote = bench.remote("docs.git");
    let request = FetchRequest {
        organization: bench.organization,
        remote: &remote,
        cache: None,
        reference: &RefName::head(),
        known,
        cancel: CancellationToken::new(),
        progress: &|_| {},
    };
    run(&bench.fetcher(), &request).unwrap()
}

fn fetch(bench: &Bench, known: Option<&str>) -> FetchedCommit {
    with_request(bench, known, Fetcher::fetch)
}

fn listing(fetched: &FetchedCommit) -> BTreeMap<String, FolderEntry> {
    let entries = fetched.folder.entries().unwrap().iter();
    entries.map(|entry| (entry.path.clone(), entry.clone())).collect()
}

fn any_change() -> impl Strategy<Value = Change> {
    let path = || prop::sample::select(PATHS).prop_map(|path| path.as_bytes().to_vec());
    prop_oneof![
        4 => (path(), 0..4_u8).prop_map(|(path, n)| Change::File(path, vec![n; 20])),
        1 => (path(), path()).prop_map(|(path, to)| Change::Link(path, to)),
        1 => path().prop_map(|path| Change::Submodule(path, "1".repeat(40))),
        2 => path().prop_map(Change::Delete),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn changes_are_what_two_listings_differ_by(
        commits in prop::collection::vec(prop::collection::vec(any_change(), 1..5), 2..5),
    ) {
        let bench = Bench::new();
        let repository = bench.server.repository("docs.git");
        let mut before: Option<(String, BTreeMap<String, FolderEntry>)> = None;
        for changes in commits {
            let keep = Change::file("keep", "kept");
            let commit = repository.commit("main", "More", changes.into_iter().chain([keep]));
            let known = before.as_ref().map(|(commit, _)| commit.as_str());
            let quick = fetch(&bench, known);
            let found: BTreeMap<String, FolderEntry> = PATHS
                .iter()
                .filter_map(|path| quick.folder.get(path).unwrap())
                .map(|entry| (entry.path.clone(), entry.clone()))
                .collect();
            let changed = known.map(|known| quick.folder.changed_since(known).unwrap().unwrap());
            let now = listing(&fetch(&bench, None));
            let mut all = found;
            all.insert("keep".to_owned(), now["keep"].clone());
            prop_assert_eq!(&all, &now);
            if let Some((changed, (_, before))) = changed.zip(before) {
                let mut differ: Vec<String> = before
                    .keys()
                    .chain(now.keys())
                    .filter(|path| before.get(*path) != now.get(*path))
                    .cloned()
                    .collect();
                differ.sort();
                differ.dedup();
                prop_assert_eq!(changed, differ);
            }
            before = Some((commit, now));
        }
    }
}

#[test]
fn an_absent_commit_is_unknown() {
    let bench = Bench::new();
    let repository = bench.server.repository("docs.git");
    repository.commit("main", "All", generated_pages(10));
    for unknown in ["", "x", &"1".repeat(40)] {
        let fetched = fetch(&bench, Some(unknown));
        assert_eq!(fetched.folder.changed_since(unknown).unwrap(), None);
        assert_eq!(fetched.folder.entries().unwrap().len(), 10);
    }
}

#[test]
fn too_many_changes_are_not_listed() {
    let mut bench = Bench::new();
    let repository = bench.server.repository("docs.git");
    let first = repository.commit("main", "One", [Change::file("a.md", "a")]);
    fetch(&bench, None);
    repository.commit("main", "All", generated_pages(10));
    bench.limits.files = 9;
    let fetched = fetch(&bench, Some(&first));
    assert_eq!(fetched.folder.changed_since(&first).unwrap(), None);
    assert_eq!(fetched.folder.entries().unwrap_err().to_string(), "more than 9 files");
}

#[test]
fn a_closed_folder_cannot_be_read() {
    let bench = Bench::new();
    bench.server.repository("docs.git").commit("main", "One", [Change::file("a.md", "a")]);
    let fetched = fetch(&bench, None);
    let entry = fetched.folder.entries().unwrap()[0].clone();
    assert_eq!(fetched.folder.read(&entry).unwrap(), b"a");
    fetched.folder.close();
    assert!(fetched.folder.read(&entry).is_err());
}

#[test]
fn a_discarded_cache_is_fetched_again() {
    let bench = Bench::new();
    let repository = bench.server.repository("docs.git");
    repository.commit("main", "One", [Change::file("a.md", "a")]);
    assert_eq!(fetch(&bench, None).received_objects, 3);
    assert_eq!(fetch(&bench, None).received_objects, 0);
    with_request(&bench, None, Fetcher::discard);
    assert_eq!(fetch(&bench, None).received_objects, 3);
}
