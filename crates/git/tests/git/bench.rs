//! The common setup of the fetch tests.

use std::path::{Path, PathBuf};
use std::time::Duration;

use bindery_git::{
    FetchLimits, FetchRequest, FetchedCommit, Fetcher, Folder, FolderEntryKind, GitError, RefName,
    Remote,
};
use bindery_model::{Entropy, OrganizationId};
use bindery_outbound::{CancellationToken, Client, Guard, Limits};
use bindery_testkit::git_server::GitServer;

/// A server, a folder for caches, and the settings of fetches.
pub(crate) struct Bench {
    pub(crate) server: GitServer,
    pub(crate) caches: tempfile::TempDir,
    pub(crate) organization: OrganizationId,
    pub(crate) limits: FetchLimits,
    pub(crate) wait: Duration,
    pub(crate) pace: Duration,
    pub(crate) guard: Guard,
}

impl Bench {
    pub(crate) fn new() -> Self {
        Self {
            server: GitServer::start(),
            caches: tempfile::tempdir().unwrap(),
            organization: OrganizationId::random(&Entropy::seeded(1)),
            limits: FetchLimits::default(),
            wait: Duration::from_secs(60),
            pace: Duration::from_secs(60),
            guard: Guard::parse("127.0.0.0/8").unwrap(),
        }
    }

    pub(crate) fn remote(&self, name: &str) -> Remote {
        Remote::parse(&self.server.url(name)).unwrap()
    }

    pub(crate) fn fetcher(&self) -> Fetcher {
        let Self { wait, pace, .. } = *self;
        let limits =
            Limits { idle: wait, connect: wait, min_rate_interval: pace, ..Limits::default() };
        let client = Client::new(self.guard.clone(), limits).unwrap();
        Fetcher::new(client, self.caches.path().to_owned(), self.limits)
    }

    pub(crate) fn fetch_as(
        &self,
        remote: &Remote,
        reference: &str,
    ) -> Result<FetchedCommit, GitError> {
        self.fetch_known(remote, reference, None)
    }

    /// Fetches with a known commit that was imported before.
    pub(crate) fn fetch_after(&self, known: &str) -> Result<FetchedCommit, GitError> {
        self.fetch_known(&self.remote("docs.git"), "HEAD", Some(known))
    }

    fn fetch_known(
        &self,
        remote: &Remote,
        reference: &str,
        known: Option<&str>,
    ) -> Result<FetchedCommit, GitError> {
        self.fetcher().fetch(&FetchRequest {
            organization: self.organization,
            remote,
            cache: None,
            reference: &RefName::parse(reference).unwrap(),
            known,
            cancel: CancellationToken::new(),
            progress: &|_| {},
        })
    }

    pub(crate) fn fetch(&self, reference: &str) -> Result<FetchedCommit, GitError> {
        self.fetch_as(&self.remote("docs.git"), reference)
    }

    /// Returns the bytes of all caches.
    pub(crate) fn cache_bytes(&self) -> u64 {
        fn below(path: &Path) -> u64 {
            let entries = std::fs::read_dir(path).unwrap().map(|entry| entry.unwrap());
            let size = |entry: std::fs::DirEntry| match entry.metadata().unwrap() {
                about if about.is_dir() => below(&entry.path()),
                about => about.len(),
            };
            entries.map(size).sum()
        }
        below(self.caches.path())
    }

    pub(crate) fn cache(&self) -> PathBuf {
        let folder = self.caches.path().join(self.organization.as_str());
        let mut folders = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        folders.find(|path| path.is_dir()).unwrap()
    }
}

pub(crate) fn files(fetched: &FetchedCommit) -> Vec<(String, String)> {
    let folder = &fetched.folder;
    let read = |entry| String::from_utf8(folder.read(entry).unwrap()).unwrap();
    folder
        .entries()
        .unwrap()
        .iter()
        .filter(|entry| entry.kind != FolderEntryKind::Submodule)
        .map(|entry| (entry.path.clone(), read(entry)))
        .collect()
}

pub(crate) fn file(path: &str, content: &str) -> (String, String) {
    (path.to_owned(), content.to_owned())
}

/// Checks with Git that the cache is a valid repository.
pub(crate) fn check_with_git(cache: &Path) {
    let status = std::process::Command::new("git")
        .args(["-c", "safe.directory=*", "fsck", "--strict", "--no-dangling"])
        .current_dir(cache)
        .output()
        .unwrap();
    assert!(status.status.success(), "{}", String::from_utf8_lossy(&status.stderr));
}
