//! Fetches and pushes over SSH: with a program in place of the client of OpenSSH, which runs the
//! service on this machine, and with a real server where one is installed.

use std::fs::{self, File};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use bindery_model::{Entropy, OrganizationId};
use bindery_outbound::{CancellationToken, Client, Error as Outbound, Guard, Limits, SshKey};
use bindery_revision::Hash;
use bindery_testkit::git_server::{Change, GitServer, Repository};
use bindery_testkit::ssh_server::SshServer;

use super::*;
use crate::Folder as _;
use crate::export::WrittenCommit;
use crate::fetch::{FetchLimits, FetchRequest, FetchedCommit, Fetcher};
use crate::lfs::{LargeFile, LargeFiles as _, Pointer};
use crate::push::Pushed;
use crate::remote::{RefName, Remote};

struct Bench {
    server: GitServer,
    folder: tempfile::TempDir,
    key: SshKey,
    limits: Limits,
}

impl Bench {
    fn new() -> Self {
        let limits = Limits::default();
        let folder = tempfile::tempdir().unwrap();
        let key = SshKey::generate(&Entropy::seeded(3)).unwrap();
        Self { server: GitServer::start(), folder, key, limits }
    }

    /// Returns a program with the arguments of `ssh` that runs `script` for each option `$a` and
    /// then the command on this machine.
    fn program(&self, script: &str) -> PathBuf {
        let path = self.folder.path().join("program");
        let log = self.folder.path().join("arguments");
        let text = format!(
            "#!/bin/sh\nfor a in \"$@\"; do printf '%s\\n' \"$a\" >> '{}'; case $a in\n{script}\n\
             esac; last=$a; done\nexec sh -c \"$last\"\n",
            log.display()
        );
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        path
    }

    fn arguments(&self) -> String {
        fs::read_to_string(self.folder.path().join("arguments")).unwrap()
    }

    fn remote(&self, address: &str, host_keys: &str) -> Remote {
        let access = SshAccess { key: self.key.clone(), host_keys: host_keys.to_owned() };
        Remote::parse_ssh(address, access).unwrap()
    }

    fn local(&self, repository: &Repository, host_keys: &str) -> Remote {
        let path = repository.path().display();
        self.remote(&format!("ssh://127.0.0.1{path}"), host_keys)
    }

    fn fetcher(&self, program: &Path) -> Fetcher {
        let guard = Guard::parse("127.0.0.1").unwrap();
        let client = Client::new(guard, self.limits).unwrap().with_ssh_program(program);
        Fetcher::new(client, self.folder.path().join("caches"), FetchLimits::default())
    }

    fn host_keys(&self, program: &Path, remote: &Remote) -> Option<String> {
        with_request(remote, |request| self.fetcher(program).host_keys(request)).unwrap()
    }

    fn fetch(&self, program: &Path, remote: &Remote) -> Result<FetchedCommit, GitError> {
        with_request(remote, |request| self.fetcher(program).fetch(request))
    }
}

fn with_request<T>(remote: &Remote, run: impl FnOnce(&FetchRequest<'_>) -> T) -> T {
    run(&FetchRequest {
        organization: OrganizationId::random(&Entropy::seeded(1)),
        remote,
        cache: None,
        reference: &RefName::parse("refs/heads/main").unwrap(),
        known: None,
        cancel: CancellationToken::new(),
        progress: &|_| {},
    })
}

fn files(fetched: &FetchedCommit) -> Vec<(String, String)> {
    let read = |entry| String::from_utf8(fetched.folder.read(entry).unwrap()).unwrap();
    let entries = fetched.folder.entries().unwrap();
    entries.iter().map(|entry| (entry.path.clone(), read(entry))).collect()
}

/// Returns a commit on top of `main` that only the returned pack contains.
fn unpushed(bench: &Bench, repository: &Repository) -> (String, WrittenCommit) {
    let old = repository.find("main").unwrap();
    let new = repository.commit("main", "Next", [Change::file("new.md", "new")]);
    let path = bench.folder.path().join("pack");
    let mut git = Command::new("git");
    git.args(["pack-objects", "--revs", "--stdout", "-q"]).current_dir(repository.path());
    git.stdin(Stdio::piped()).stdout(File::create(&path).unwrap());
    let mut child = git.spawn().unwrap();
    std::io::Write::write_all(
        &mut child.stdin.take().unwrap(),
        format!("{new}\n^{old}\n").as_bytes(),
    )
    .unwrap();
    assert!(child.wait().unwrap().success());
    repository.git(&["update-ref", "refs/heads/main", &old]);
    let pack_bytes = fs::metadata(&path).unwrap().len();
    let pack = File::open(&path).unwrap();
    (old, WrittenCommit { oid: new, message: "Next".to_owned(), pack, pack_bytes })
}

/// A file in Git LFS with the content `new`.
fn large_file() -> LargeFile {
    let text = "version https://git-lfs.github.com/spec/v1\n\
        oid sha256:11507a0e2f5e69d5dfa40a62a1bd7b6ee57e6bcd85c67c9b8431b36fff21c437\nsize 3\n";
    let pointer = Pointer::parse(text.as_bytes()).unwrap();
    LargeFile { path: "a.bin".to_owned(), pointer, hash: Hash::of(b"new") }
}

/// Sends the file to the server of Git LFS.
fn upload(fetcher: &Fetcher, remote: &Remote) -> Result<(), GitError> {
    let open = |_: &Hash| {
        let mut file = tempfile::tempfile().unwrap();
        std::io::Write::write_all(&mut file, b"new").unwrap();
        Ok(file)
    };
    with_request(remote, |request| fetcher.upload(request, &[large_file()], &open, &|_| {}))
}

/// Receives the file from the server of Git LFS; `None` if the server does not give it.
fn download(fetcher: &Fetcher, remote: &Remote) -> Result<Option<String>, GitError> {
    let server = with_request(remote, |request| fetcher.large_files(request));
    let located = server.locate(&[large_file().pointer])?.remove(0);
    located.map(|open| Ok(std::io::read_to_string(open()?).unwrap())).transpose()
}

/// Passes the version of the protocol on, as a host does that is configured for it.
const PASS_VERSION: &str = r#"SetEnv=*) export "${a#SetEnv=}";; "#;
/// Writes a key of the host to an empty list of keys, as the client does.
const ADD_HOST_KEY: &str = r#"UserKnownHostsFile=*) f=${a#*=\"}; f=${f%\"};
    [ -s "$f" ] || echo 'host ssh-ed25519 AAAA' > "$f";;"#;

#[test]
fn paths_are_words_of_a_shell() {
    assert_eq!(quoted(on_host("/a/b.git")), "'/a/b.git'");
    assert_eq!(quoted(on_host("/~/b.git")), "'~/b.git'");
    assert_eq!(quoted("/it's; rm -rf $HOME"), r"'/it'\''s; rm -rf $HOME'");
}

#[test]
fn commits_are_fetched_in_both_versions_of_the_protocol() {
    for version in [PASS_VERSION, ""] {
        let bench = Bench::new();
        let repository = bench.server.repository("docs.git");
        repository.commit("main", "One", [Change::file("a.md", "1")]);
        let program = bench.program(&format!("{version}{ADD_HOST_KEY}"));
        let remote = bench.local(&repository, "");
        let fetched = bench.fetch(&program, &remote).unwrap();
        assert_eq!(files(&fetched), [("a.md".to_owned(), "1".to_owned())]);
        let keys = bench.host_keys(&program, &remote);
        assert_eq!(keys.as_deref(), Some("ssh-ed25519 AAAA"));
        assert!(bench.arguments().contains("StrictHostKeyChecking=accept-new\n"));
        repository.commit("main", "Two", [Change::file("b.md", "2")]);
        let fetched = bench.fetch(&program, &remote).unwrap();
        assert_eq!(files(&fetched).len(), 2);
        assert!(fetched.received_objects < 4, "{}", fetched.received_objects);
        let remote = bench.local(&repository, "ssh-ed25519 BBBB");
        let keys = bench.host_keys(&program, &remote);
        assert_eq!(keys.as_deref(), Some("ssh-ed25519 BBBB"));
        assert!(bench.arguments().contains("StrictHostKeyChecking=yes\n"));
    }
}

#[test]
fn commits_are_pushed() {
    let bench = Bench::new();
    let repository = bench.server.repository("docs.git");
    repository.commit("main", "One", [Change::file("a.md", "1")]);
    let (old, commit) = unpushed(&bench, &repository);
    let fetcher = bench.fetcher(&bench.program(PASS_VERSION));
    let remote = bench.local(&repository, "");
    let push =
        |old: &str| with_request(&remote, |request| fetcher.push(request, Some(old), &commit));
    assert_eq!(push(&"1".repeat(40)).unwrap(), Pushed::Moved);
    assert_eq!(push(&old).unwrap(), Pushed::Done);
    assert_eq!(repository.find("main").unwrap(), commit.oid);
    repository.git(&["fsck", "--strict"]);
}

#[test]
fn large_files_are_transferred_with_the_access_that_the_host_grants() {
    let bench = Bench::new();
    let repository = bench.server.repository("docs.git");
    bench.server.enable_large_files();
    let access = format!(
        r#"{{"href":"{}/docs.git/info/lfs/","header":{{"Authorization":"RemoteAuth x"}}}}"#,
        bench.server.origin()
    );
    let program = bench.program(&format!("git-lfs-auth*) echo '{access}'; exit 0;;"));
    let (fetcher, remote) = (bench.fetcher(&program), bench.local(&repository, ""));
    assert_eq!(download(&fetcher, &remote).unwrap(), None);
    upload(&fetcher, &remote).unwrap();
    assert_eq!(bench.server.large_file(&large_file().pointer.oid()).unwrap(), "new");
    assert_eq!(download(&fetcher, &remote).unwrap().as_deref(), Some("new"));
    let path = repository.path().display();
    for operation in ["download", "upload"] {
        let command = format!("\ngit-lfs-authenticate '{path}' {operation}\n");
        assert!(bench.arguments().contains(&command), "{}", bench.arguments());
    }
    let requests = bench.server.requests();
    assert_eq!(requests.len(), 6);
    for request in requests {
        let expected = request.path.ends_with("/batch").then_some("RemoteAuth x");
        assert_eq!(request.authorization.as_deref(), expected, "{}", request.path);
    }
}

#[test]
fn hosts_without_access_to_large_files_have_none() {
    let bench = Bench::new();
    let repository = bench.server.repository("docs.git");
    let remote = bench.local(&repository, "");
    for script in ["", "git-lfs-auth*) echo '{}'; exit 1;;"] {
        let fetcher = bench.fetcher(&bench.program(script));
        assert_eq!(download(&fetcher, &remote).unwrap(), None, "{script}");
        let error = upload(&fetcher, &remote).unwrap_err();
        assert!(matches!(error, GitError::LargeFiles { .. }), "{script}: {error}");
    }
}

#[test]
fn access_of_hostile_hosts_is_refused() {
    let bench = Bench::new();
    let repository = bench.server.repository("docs.git");
    let remote = bench.local(&repository, "");
    let wrong = "answers git-lfs-authenticate wrongly";
    let cases = [
        ("echo nonsense", wrong),
        ("echo '{}'", wrong),
        (r#"echo '{"href":"file:///etc/passwd"}'"#, wrong),
        (r#"echo '{"href":"ssh://127.0.0.1/a"}'"#, wrong),
        (r#"echo '{"href":"http://me:word@127.0.0.1/"}'"#, wrong),
        (r#"echo '{"href":"http://10.0.0.1/lfs"}'"#, "10.0.0.1"),
        ("head -c 70000 /dev/zero", "larger than 65536 bytes"),
        ("exit 255", "the connection ended"),
    ];
    for (script, words) in cases {
        let program = bench.program(&format!("git-lfs-auth*) {script}; exit 0;;"));
        let fetcher = bench.fetcher(&program);
        for error in [
            download(&fetcher, &remote).map(drop).unwrap_err(),
            upload(&fetcher, &remote).unwrap_err(),
        ] {
            assert!(error.to_string().contains(words), "{script}: {error}");
        }
    }
}

#[test]
fn failures_of_the_client_are_told_apart() {
    let bench = Bench::new();
    let repository = bench.server.repository("docs.git");
    let remote = bench.local(&repository, "");
    let fail = |message: &str| {
        let program = bench.program(&format!("-F) echo '{message}' >&2; exit 255;;"));
        bench.fetch(&program, &remote).unwrap_err()
    };
    let denied = fail("git@127.0.0.1: Permission denied (publickey).");
    assert!(matches!(denied, GitError::NeedsCredentials { given: true, .. }), "{denied}");
    let changed = fail("Host key verification failed.");
    assert!(matches!(changed, GitError::Transport(Outbound::HostKey { .. })), "{changed}");
    assert!(!changed.is_temporary());
    let other = fail("kex_exchange_identification: Connection closed");
    assert_eq!(
        other.to_string(),
        "the exchange with 127.0.0.1:22 failed: kex_exchange_identification: Connection closed"
    );
    let absent = bench.fetch(Path::new("/absent/ssh"), &remote).unwrap_err();
    assert!(absent.to_string().contains("needs the OpenSSH client"), "{absent}");
    let refused = bench.fetch(&bench.program(""), &bench.remote("ssh://127.0.0.1/absent", ""));
    assert!(refused.is_err());
}

#[test]
fn silent_hosts_are_left() {
    let mut bench = Bench::new();
    bench.limits.min_rate_interval = Duration::from_millis(200);
    let repository = bench.server.repository("docs.git");
    let program = bench.program("-F) exec sleep 600;;");
    let error = bench.fetch(&program, &bench.local(&repository, "")).unwrap_err();
    assert!(matches!(error, GitError::Transport(Outbound::Timeout { .. })), "{error}");
}

#[test]
fn a_real_server_is_fetched_from_and_pushed_to() {
    let bench = Bench::new();
    let Some(ssh) = SshServer::start(&bench.key.public_line()) else { return };
    let repository = bench.server.repository("it's docs.git");
    repository.commit("main", "One", [Change::file("a.md", "1")]);
    let address = ssh.url(repository.path());
    let (client, remote) = (Path::new("ssh"), bench.remote(&address, ""));
    let fetched = bench.fetch(client, &remote).unwrap();
    assert_eq!(files(&fetched), [("a.md".to_owned(), "1".to_owned())]);
    assert_eq!(bench.host_keys(client, &remote).as_deref(), Some(ssh.host_key()));
    let remote = bench.remote(&address, ssh.host_key());
    let (old, commit) = unpushed(&bench, &repository);
    let fetcher = bench.fetcher(client);
    let pushed = with_request(&remote, |request| fetcher.push(request, Some(&old), &commit));
    assert_eq!(pushed.unwrap(), Pushed::Done);
    assert_eq!(repository.find("main").unwrap(), commit.oid);
    assert_eq!(files(&bench.fetch(client, &remote).unwrap()).len(), 2);
    let other = SshKey::generate(&Entropy::seeded(9)).unwrap();
    let error = bench.fetch(client, &bench.remote(&address, &other.public_line())).unwrap_err();
    assert!(matches!(error, GitError::Transport(Outbound::HostKey { .. })), "{error}");
    let stranger = Bench { key: other, ..Bench::new() };
    let error = stranger.fetch(client, &stranger.remote(&address, "")).unwrap_err();
    assert!(matches!(error, GitError::NeedsCredentials { given: true, .. }), "{error}");
}
