//! Tests of the dates of files.

use bindery_git::{FetchedCommit, Folder};
use bindery_testkit::git_server::{Change, Fault, Repository};

use crate::bench::{Bench, check_with_git};

/// Seconds since 1970 of the first commit of a repository. Each commit is a minute later.
const FIRST: i64 = 1_700_000_000;

/// Returns the number of the commit that changed each file last, by its date.
fn changes(fetched: &FetchedCommit) -> Vec<(String, i64)> {
    let entries = fetched.folder.entries().unwrap();
    let commit = |path: &str| {
        let at = fetched.folder.changed_at(path).unwrap();
        (at.millis() / 1000 - FIRST) / 60
    };
    entries.iter().map(|entry| (entry.path.clone(), commit(&entry.path))).collect()
}

fn known(changes: &[(&str, i64)]) -> Vec<(String, i64)> {
    changes.iter().map(|(path, commit)| ((*path).to_owned(), *commit)).collect()
}

fn write(repository: &Repository, branch: &str, paths: &[(&str, &str)]) -> String {
    let changes = paths.iter().map(|(path, text)| Change::file(path, text));
    repository.commit(branch, "Write", changes)
}

/// Writes a history in which one file was changed back, one was replaced by a folder, and two were
/// changed on another branch.
fn write_history(repository: &Repository) {
    write(repository, "main", &[("a.md", "1"), ("b/c.md", "1"), ("b/d.md", "1"), ("e.md", "1")]);
    write(repository, "main", &[("b/c.md", "2")]);
    write(repository, "main", &[("a.md", "2"), ("b/e.md", "1")]);
    let main = write(repository, "main", &[("a.md", "1"), ("n/x.md", "1")]);
    repository.git(&["branch", "side", "main~1"]);
    let side = write(repository, "side", &[("e.md", "2")]);
    let side_tree = format!("{side}^{{tree}}");
    let tree = repository.git(&["merge-tree", "--write-tree", &main, &side]);
    assert_ne!(tree, side_tree);
    let merged = ["commit-tree", &tree, "-p", &main, "-p", &side, "-m", "Merge"];
    let merged = repository.git(&merged);
    repository.git(&["update-ref", "refs/heads/main", &merged]);
}

const LAST_CHANGES: [(&str, i64); 6] =
    [("a.md", 3), ("b/c.md", 1), ("b/d.md", 0), ("b/e.md", 2), ("e.md", 3), ("n/x.md", 3)];

#[test]
fn files_have_the_dates_of_their_own_commits() {
    for (filters, fault) in
        [("false", Fault::None), ("true", Fault::None), ("true", Fault::VersionZero)]
    {
        let bench = Bench::new();
        let repository = bench.server.repository("docs.git");
        repository.git(&["config", "uploadpack.allowFilter", filters]);
        write_history(&repository);
        bench.server.set_fault(fault.clone());
        let fetched = bench.fetch("refs/heads/main").unwrap();
        assert_eq!(changes(&fetched), known(&LAST_CHANGES), "filters: {filters}, {fault:?}");
        // The history is not stored.
        assert_eq!(std::fs::read_dir(bench.cache().join("objects/pack")).unwrap().count(), 2);
        check_with_git(&bench.cache());
        // A forced import reads it again, although the commit is present.
        assert_eq!(changes(&bench.fetch("HEAD").unwrap()), known(&LAST_CHANGES));
        assert_eq!(std::fs::read_dir(bench.cache().join("objects/pack")).unwrap().count(), 2);
    }
}

#[test]
fn later_imports_read_no_history() {
    let bench = Bench::new();
    let repository = bench.server.repository("docs.git");
    write(&repository, "main", &[("a.md", "1"), ("b.md", "1")]);
    let first = write(&repository, "main", &[("a.md", "2")]);
    bench.fetch("HEAD").unwrap();
    write(&repository, "main", &[("b.md", "2")]);
    write(&repository, "main", &[("a.md", "3")]);
    let requests = bench.server.requests().len();
    let fetched = bench.fetch_after(&first).unwrap();
    assert_eq!(changes(&fetched), known(&[("a.md", 3), ("b.md", 3)]));
    // The list of capabilities, that of refs, and one pack.
    assert_eq!(bench.server.requests().len() - requests, 3);
}

#[test]
fn a_commit_without_parents_needs_no_history() {
    let bench = Bench::new();
    let repository = bench.server.repository("docs.git");
    write(&repository, "main", &[("a.md", "1")]);
    assert_eq!(changes(&bench.fetch("HEAD").unwrap()), known(&[("a.md", 0)]));
    assert_eq!(bench.server.requests().len(), 3);
}
