//! Tests of fetched content and of the cost of repeated fetches.

use bindery_git::{FetchRequest, Folder, FolderEntryKind, GitError, RefName};
use bindery_model::{Entropy, OrganizationId};
use bindery_outbound::CancellationToken;
use bindery_testkit::git_server::{Change, Fault, generated_pages};

use crate::bench::{Bench, check_with_git, file, files};

#[test]
fn a_commit_arrives_with_its_files() {
    let bench = Bench::new();
    let repository = bench.server.repository("docs.git");
    repository.commit("main", "Old", [Change::file("old.md", "old")]);
    let commit = repository.commit(
        "main",
        "Add pages\n\nWith a body.",
        [
            Change::Delete(b"old.md".to_vec()),
            Change::file("README.md", "# Hello"),
            Change::file("a/b/c d.md", "deep"),
            Change::file("é.md", "accent"),
            Change::Link(b"link.md".to_vec(), b"README.md".to_vec()),
            Change::Submodule(b"module".to_vec(), "1".repeat(40)),
            Change::file(b"bad\xff.md", "no UTF-8"),
        ],
    );
    let fetched = bench.fetch("refs/heads/main").unwrap();
    let info = fetched.folder.commit();
    assert_eq!(info.oid, commit);
    assert_eq!(info.message, "Add pages\n\nWith a body.");
    assert_eq!(
        (info.author.as_str(), info.time.to_string().as_str()),
        ("Ada Writer", "2023-11-14T22:14:20.000Z")
    );
    assert_eq!(
        files(&fetched),
        [
            file("README.md", "# Hello"),
            file("a/b/c d.md", "deep"),
            file("link.md", "README.md"),
            file("é.md", "accent"),
        ]
    );
    let entries = fetched.folder.entries().unwrap();
    assert_eq!(entries[0].size, 7);
    assert_eq!(entries[0].blob.unwrap().to_string(), repository.find("main:README.md").unwrap());
    assert_eq!(entries[2].kind, FolderEntryKind::Symlink);
    assert_eq!((entries[3].path.as_str(), entries[3].kind), ("module", FolderEntryKind::Submodule));
    let skipped: Vec<_> =
        fetched.folder.skipped().iter().map(|s| (s.path.as_str(), s.reason)).collect();
    assert_eq!(skipped, [("bad\u{fffd}.md", "the name is not UTF-8")]);
    check_with_git(&bench.cache());
}

#[test]
fn heads_and_tags_lead_to_their_commit() {
    let bench = Bench::new();
    let repository = bench.server.repository("docs.git");
    let first = repository.commit("main", "One", [Change::file("a.md", "1")]);
    repository.git(&["tag", "-a", "v1", "-m", "Version 1", &first]);
    repository.git(&["tag", "light", &first]);
    let second = repository.commit("main", "Two", [Change::file("a.md", "2")]);
    let head = bench.fetch("HEAD").unwrap();
    assert_eq!((head.reference.as_str(), &head.folder.commit().oid), ("refs/heads/main", &second));
    for tag in ["refs/tags/v1", "refs/tags/light"] {
        let tagged = bench.fetch(tag).unwrap();
        assert_eq!((tagged.reference.as_str(), &tagged.folder.commit().oid), (tag, &first));
        assert_eq!(files(&tagged), [file("a.md", "1")]);
    }
    // All refs are present now.
    for reference in ["HEAD", "refs/tags/v1"] {
        assert_eq!(bench.fetch(reference).unwrap().received_objects, 0);
    }
    let blob = repository.find("main:a.md").unwrap();
    repository.git(&["update-ref", "refs/tags/blob", &blob]);
    let error = bench.fetch("refs/tags/blob").unwrap_err();
    assert!(matches!(error, GitError::NotACommit { .. }), "{error}");
    check_with_git(&bench.cache());
}

#[test]
fn history_is_not_sent() {
    let bench = Bench::new();
    let repository = bench.server.repository("docs.git");
    for n in 0..10 {
        repository.commit("main", "More", [Change::file("a.md", format!("{n}"))]);
    }
    assert_eq!(bench.fetch("refs/heads/main").unwrap().received_objects, 3);
}

#[test]
fn a_repeated_fetch_transfers_only_new_objects() {
    let bench = Bench::new();
    let repository = bench.server.repository("docs.git");
    repository.commit("main", "All", generated_pages(2000));
    let first = bench.fetch("refs/heads/main").unwrap();
    assert_eq!(first.received_objects, 1 + 1 + 20 + 2000);
    let again = bench.fetch("refs/heads/main").unwrap();
    assert_eq!((again.received_objects, again.received_bytes), (0, 0));
    for n in 0..3 {
        let path = "section-0003/page-000300.md";
        repository.commit("main", "Change", [Change::file(path, format!("changed {n}"))]);
        let changed = bench.fetch("refs/heads/main").unwrap();
        // A commit, the root, a folder and a page, with the folder and the root as deltas.
        assert_eq!(changed.received_objects, 4);
        assert!(changed.received_bytes < 4000, "{}", changed.received_bytes);
        assert_eq!(changed.folder.entries().unwrap().len(), 2000);
        let entry =
            changed.folder.entries().unwrap().iter().find(|entry| entry.path == path).unwrap();
        assert_eq!(changed.folder.read(entry).unwrap(), format!("changed {n}").as_bytes());
    }
    // A branch that was reset.
    repository.git(&["update-ref", "refs/heads/main", "refs/heads/main~2"]);
    let back = bench.fetch("refs/heads/main").unwrap();
    assert_eq!(back.folder.commit().oid, repository.find("refs/heads/main").unwrap());
    check_with_git(&bench.cache());
    // A folder that was opened before stays readable.
    assert_eq!(first.folder.entries().unwrap().len(), files(&first).len());
}

#[test]
fn the_old_version_of_the_protocol_works_too() {
    let bench = Bench::new();
    let repository = bench.server.repository("docs.git");
    bench.server.set_fault(Fault::VersionZero);
    let error = bench.fetch("refs/heads/main").unwrap_err();
    assert!(matches!(error, GitError::Empty { .. }), "{error}");
    repository.commit("main", "One", generated_pages(300));
    assert_eq!(bench.fetch("HEAD").unwrap().folder.entries().unwrap().len(), 300);
    let second = repository.commit("main", "Two", [Change::file("a.md", "2")]);
    let changed = bench.fetch("HEAD").unwrap();
    assert_eq!(
        (changed.reference.as_str(), &changed.folder.commit().oid),
        ("refs/heads/main", &second)
    );
    assert_eq!(changed.received_objects, 3);
    let error = bench.fetch("refs/heads/other").unwrap_err();
    assert!(matches!(error, GitError::NoSuchRef { .. }), "{error}");
    check_with_git(&bench.cache());
}

#[test]
fn one_cache_is_used_by_one_at_a_time_and_by_one_organization() {
    let bench = Bench::new();
    let repository = bench.server.repository("docs.git");
    repository.commit("main", "All", generated_pages(200));
    let received: Vec<u32> = std::thread::scope(|scope| {
        let fetches: Vec<_> =
            (0..4).map(|_| scope.spawn(|| bench.fetch("HEAD").unwrap().received_objects)).collect();
        fetches.into_iter().map(|fetch| fetch.join().unwrap()).collect()
    });
    assert_eq!(received.iter().filter(|&&objects| objects > 0).count(), 1, "{received:?}");
    let organization = OrganizationId::random(&Entropy::seeded(2));
    let remote = bench.remote("docs.git");
    let request = FetchRequest {
        organization,
        remote: &remote,
        cache: None,
        reference: &RefName::head(),
        known: None,
        cancel: CancellationToken::new(),
        progress: &|_| {},
    };
    assert!(bench.fetcher().fetch(&request).unwrap().received_objects > 0);
    bench.fetcher().forget(organization).unwrap();
    assert!(!bench.caches.path().join(organization.as_str()).exists());
    assert_eq!(bench.fetch("HEAD").unwrap().received_objects, 0);
}

#[test]
fn files_are_read_from_several_threads() {
    let bench = Bench::new();
    let repository = bench.server.repository("docs.git");
    repository.commit("main", "All", generated_pages(1000));
    repository.git(&["repack", "-adfq", "--depth=50"]);
    let fetched = bench.fetch("HEAD").unwrap();
    let (folder, entries) = (&fetched.folder, fetched.folder.entries().unwrap());
    let once: Vec<_> = entries.iter().map(|entry| folder.read(entry).unwrap()).collect();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for (entry, expected) in entries.iter().zip(&once) {
                    assert_eq!(entry.size, expected.len() as u64);
                    assert!(folder.read(entry).unwrap() == *expected);
                }
            });
        }
    });
}

#[test]
fn the_least_recently_used_caches_are_deleted() {
    let mut bench = Bench::new();
    for name in ["one.git", "two.git", "three.git"] {
        let repository = bench.server.repository(name);
        repository.commit("main", "All", generated_pages(100));
    }
    let fetch = |bench: &Bench, name: &str| {
        bench.fetch_as(&bench.remote(name), "HEAD").unwrap().received_objects
    };
    assert!(fetch(&bench, "one.git") > 0 && fetch(&bench, "two.git") > 0);
    // A limit that fits two and a half caches.
    bench.limits.all_bytes = bench.cache_bytes() * 5 / 2 / 2;
    // The first cache is now the most recently used one, although it was created first.
    assert_eq!(fetch(&bench, "one.git"), 0);
    assert!(fetch(&bench, "three.git") > 0);
    assert_eq!(fetch(&bench, "one.git"), 0);
    assert_eq!(fetch(&bench, "three.git"), 0);
    assert!(fetch(&bench, "two.git") > 0);
}
