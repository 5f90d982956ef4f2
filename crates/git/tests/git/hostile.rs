//! Tests with hostile repositories, which are small but would expand to large ones.

use std::io::Write;
use std::process::{Command, Stdio};
use std::time::Duration;

use bindery_git::{FetchLimits, Folder, FolderError, GitError};
use bindery_testkit::git_server::{Change, Fault, GitServer, Repository, comb_pack};

use crate::bench::{Bench, files};

fn refused(bench: &Bench, text: &str) {
    let error = bench.fetch("HEAD").unwrap_err();
    assert!(matches!(error, GitError::Limit { .. }), "{error:?}");
    assert!(error.to_string().contains(text), "{error}");
    assert!(!error.is_temporary());
}

#[test]
fn a_pack_that_unpacks_to_too_much_is_refused() {
    let bench = Bench::new();
    bench.server.repository("docs.git").commit("main", "One", [Change::file("a.md", "1")]);
    // 48 objects of 100 MiB in 130 KB.
    let pack = comb_pack(24, 100 << 20);
    assert!(pack.len() < 200_000, "{}", pack.len());
    bench.server.set_fault(Fault::Pack(pack.into()));
    refused(&bench, "unpacks to more than 4294967296 bytes");
    bench.server.set_fault(Fault::None);
    assert_eq!(files(&bench.fetch("HEAD").unwrap()).len(), 1);
}

/// Writes an object and returns its id.
fn object(repository: &Repository, kind: &str, content: &[u8]) -> String {
    let mut child = Command::new("git")
        .args(["hash-object", "-w", "--literally", "--stdin", "-t", kind])
        .current_dir(repository.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(content).unwrap();
    let out = child.wait_with_output().unwrap();
    assert!(out.status.success());
    String::from_utf8(out.stdout).unwrap().trim().to_owned()
}

fn tree(repository: &Repository, entries: &[(&str, &str, &str)]) -> String {
    let mut content = Vec::new();
    for (mode, name, id) in entries {
        content.extend(format!("{mode} {name}\0").bytes());
        content
            .extend((0..40).step_by(2).map(|at| u8::from_str_radix(&id[at..at + 2], 16).unwrap()));
    }
    object(repository, "tree", &content)
}

fn commit(repository: &Repository, tree: &str, message: &str) -> String {
    let who = "Ada Writer <ada@example.com> 1700000000 +0000";
    let content = format!("tree {tree}\nauthor {who}\ncommitter {who}\n\n{message}\n");
    let id = object(repository, "commit", content.as_bytes());
    repository.git(&["update-ref", "refs/heads/main", &id]);
    id
}

/// A folder that contains the next one ten times, at each of twelve levels.
fn bomb(repository: &Repository, lowest: &str) -> String {
    let mut id = lowest.to_owned();
    for _ in 0..12 {
        let names: Vec<String> = (0..10).map(|number| format!("d{number}")).collect();
        let entries: Vec<_> =
            names.iter().map(|name| ("40000", name.as_str(), id.as_str())).collect();
        id = tree(repository, &entries);
    }
    id
}

#[test]
fn folders_that_hold_one_another_many_times_are_refused() {
    let bench = Bench::new();
    let repository = bench.server.repository("docs.git");
    let blob = object(&repository, "blob", b"# Page");
    let full = tree(&repository, &[("100644", "a.md", &blob)]);
    commit(&repository, &bomb(&repository, &full), "Files");
    refused(&bench, "more than 500000");
    // The same without any file.
    let empty = tree(&repository, &[]);
    commit(&repository, &bomb(&repository, &empty), "Nothing");
    refused(&bench, "more than 500000 folders");
}

#[test]
fn a_change_to_such_folders_is_not_followed() {
    let bench = Bench::new();
    let repository = bench.server.repository("docs.git");
    let first = repository.commit("main", "One", [Change::file("a.md", "1")]);
    bench.fetch("HEAD").unwrap();
    let empty = tree(&repository, &[]);
    commit(&repository, &bomb(&repository, &empty), "Nothing");
    let fetched = bench.fetch_after(&first).unwrap();
    assert_eq!(fetched.folder.changed_since(&first).unwrap(), None);
    let error = fetched.folder.entries().unwrap_err();
    assert!(matches!(error, FolderError::Limit(_)), "{error:?}");
}

#[test]
fn content_counts_once_per_file() {
    let mut bench = Bench::new();
    bench.limits = FetchLimits { unpacked: 10 << 20, ..bench.limits };
    let repository = bench.server.repository("docs.git");
    let blob = object(&repository, "blob", &vec![0; 1 << 20]);
    let names: Vec<String> = (10..22).map(|number| format!("f{number}.bin")).collect();
    let entries: Vec<_> =
        names.iter().map(|name| ("100644", name.as_str(), blob.as_str())).collect();
    commit(&repository, &tree(&repository, &entries[..9]), "Nine");
    assert_eq!(bench.fetch("HEAD").unwrap().folder.entries().unwrap().len(), 9);
    commit(&repository, &tree(&repository, &entries), "Twelve");
    refused(&bench, "files of more than 10485760 bytes in all");
}

#[test]
fn long_names_are_left_out_and_long_messages_cut() {
    let bench = Bench::new();
    let repository = bench.server.repository("docs.git");
    let blob = object(&repository, "blob", b"1");
    let long = "x".repeat(1 << 20);
    let below = tree(&repository, &[("100644", "deep.md", &blob)]);
    let top = tree(&repository, &[("100644", "a.md", &blob), ("40000", &long, &below)]);
    commit(&repository, &top, &"é".repeat(100_000));
    let fetched = bench.fetch("HEAD").unwrap();
    assert_eq!(files(&fetched), [("a.md".to_owned(), "1".to_owned())]);
    let skipped = fetched.folder.skipped();
    assert_eq!((skipped.len(), skipped[0].path.len()), (1, 512));
    assert_eq!(skipped[0].reason, "the path is too long");
    let message = &fetched.folder.commit().message;
    assert_eq!((message.len(), message.chars().all(|c| c == 'é')), (64 << 10, true));
    commit(&repository, &top, &"x".repeat(5 << 20));
    refused(&bench, "a commit of more than 4194304 bytes");
}

#[test]
fn chains_of_tags_are_limited() {
    let bench = Bench::new();
    let repository = bench.server.repository("docs.git");
    let mut id = repository.commit("main", "One", [Change::file("a.md", "1")]);
    let mut kind = "commit";
    for number in 0..20 {
        let tag = format!(
            "object {id}\ntype {kind}\ntag t{number}\ntagger A <a@example.com> 1 +0000\n\nx\n"
        );
        id = object(&repository, "tag", tag.as_bytes());
        kind = "tag";
    }
    repository.git(&["update-ref", "refs/tags/deep", &id]);
    let error = bench.fetch("refs/tags/deep").unwrap_err();
    assert!(matches!(error, GitError::NotACommit { .. }), "{error:?}");
}

#[test]
fn advertisements_without_end_are_cut_short() {
    let bench = Bench::new();
    let advertise = |body: Vec<u8>| {
        bench.server.set_fault(Fault::Advertise(body.into()));
        bench.fetch("HEAD").unwrap_err()
    };
    let begin = b"001e# service=git-upload-pack\n0000000eversion 2\n".to_vec();
    let mut empty = begin.clone();
    empty.extend(b"0004".repeat(1 << 20));
    let error = advertise(empty.clone());
    assert!(error.to_string().contains("abilities"), "{error}");
    // Without a version, and as the first packets.
    assert!(matches!(advertise(empty[34..].to_vec()), GitError::Protocol { .. }));
    assert!(matches!(advertise(b"0004".repeat(1 << 20)), GitError::Protocol { .. }));
    // More than the limit, whether the response is compressed on the wire or not.
    let error = advertise(b"0004".repeat(17 << 20));
    assert!(matches!(error, GitError::Protocol { .. } | GitError::Transport(_)), "{error:?}");
}

#[test]
fn few_of_many_refs_are_kept() {
    let bench = Bench::new();
    let id = "1".repeat(40);
    let packet = |text: String| format!("{:04x}{text}", text.len() + 4);
    let mut body = packet("# service=git-upload-pack\n".to_owned());
    body.push_str("0000");
    body.push_str(&packet(format!("{id} HEAD\0side-band-64k shallow\n")));
    for number in 0..200_000 {
        body.push_str(&packet(format!("{id} refs/heads/branch-{number}\n")));
    }
    body.push_str("0000");
    bench.server.set_fault(Fault::Advertise(body.into()));
    let error = bench.fetch("refs/heads/nosuch").unwrap_err();
    let GitError::NoSuchRef { existing, .. } = &error else { panic!("{error:?}") };
    assert_eq!(existing.len(), 8);
    assert_eq!(existing[7], "refs/heads/branch-7");
}

#[test]
fn messages_instead_of_a_pack_are_limited() {
    let bench = Bench::new();
    bench.server.repository("docs.git").commit("main", "One", [Change::file("a.md", "1")]);
    for packet in ["0005\u{2}", "0005\u{1}", "0008NAK\n"] {
        let body = format!("000dpackfile\n{}0000", packet.repeat(1_200_000));
        bench.server.set_fault(Fault::Answer(body.into()));
        let error = bench.fetch("HEAD").unwrap_err();
        assert!(error.to_string().contains("messages instead of a pack"), "{packet}: {error}");
    }
}

#[test]
fn a_server_that_drips_is_abandoned() {
    let mut bench = Bench::new();
    bench.server.repository("docs.git").commit("main", "One", [Change::file("a.md", "1")]);
    bench.pace = Duration::from_millis(200);
    bench.server.set_fault(Fault::Drip(1, Duration::from_millis(10)));
    let error = bench.fetch("HEAD").unwrap_err();
    assert!(error.to_string().contains("too few bytes"), "{error}");
    assert!(error.is_temporary());
}

#[test]
fn answers_are_not_unpacked_behind_the_limits() {
    // The client accepts no compression and decompresses nothing, so a compressed response is not a
    // valid one.
    let bench = Bench::new();
    let server: &GitServer = &bench.server;
    server.repository("docs.git").commit("main", "One", [Change::file("a.md", "1")]);
    bench.fetch("HEAD").unwrap();
    assert!(server.requests().iter().all(|request| request.accept_encoding.is_none()));
}
