//! Repositories that spaces are synchronised with.

use bindery_testkit::git_server::{Change, GitServer, Repository};

/// Creates a repository that accepts pushes.
pub(crate) fn writable(git: &GitServer, name: &str) -> Repository {
    let repository = git.repository(name);
    repository.git(&["config", "http.receivepack", "true"]);
    repository
}

/// Creates the repository `docs.git` with two pages on its branch `main`.
pub(crate) fn with_pages(git: &GitServer) -> Repository {
    with_pages_at(git, "docs.git")
}

/// Creates a repository of this name with two pages on its branch `main`.
pub(crate) fn with_pages_at(git: &GitServer, name: &str) -> Repository {
    let repository = writable(git, name);
    let files = [
        ("SUMMARY.md", "# Contents\n\n* [Home](README.md)\n* [Guide](guide.md)\n"),
        ("README.md", "# Home\n\nHello.\n"),
        ("guide.md", "# Guide\n\n* one\n* two\n\nLast words.\n"),
    ];
    repository.commit("main", "First", files.map(|(path, text)| Change::file(path, text)));
    repository
}
