//! Tests of fetches with a wrong address, a failing server or network, or a damaged cache.

use std::path::Path;
use std::sync::Mutex;
use std::time::Duration;

use bindery_git::{
    Credentials, FetchLimits, FetchProgress, FetchRequest, Folder, GitError, RefName, Remote,
};
use bindery_outbound::{CancellationToken, Guard};
use bindery_testkit::ReservedPort;
use bindery_testkit::git_server::{Change, Fault, GitServer, generated_pages};

use crate::bench::{Bench, check_with_git, file, files};

#[test]
fn missing_repositories_and_refs_are_reported() {
    let bench = Bench::new();
    let repository = bench.server.repository("docs.git");
    let error = bench.fetch("refs/heads/main").unwrap_err();
    assert!(error.to_string().ends_with("docs.git is empty: it has no commits"), "{error}");
    repository.commit("main", "One", [Change::file("a.md", "1")]);
    repository.commit("next", "One", [Change::file("a.md", "1")]);
    let error = bench.fetch("refs/heads/nosuch").unwrap_err().to_string();
    assert!(error.contains("refs/heads/nosuch does not exist"), "{error}");
    assert!(error.ends_with("there are refs/heads/main, refs/heads/next"), "{error}");
    // A prefix of a name does not match.
    assert!(bench.fetch("refs/heads/mai").is_err());
    let error = bench.fetch_as(&bench.remote("other.git"), "HEAD").unwrap_err();
    assert!(matches!(error, GitError::NotARepository { .. }), "{error}");
    bench.server.set_fault(Fault::WebPage);
    let error = bench.fetch("HEAD").unwrap_err();
    assert!(error.to_string().contains("does not speak Git's smart HTTP"), "{error}");
    for (status, temporary) in [(500, true), (503, true), (429, true), (410, false), (418, false)] {
        bench.server.set_fault(Fault::Status(status));
        let error = bench.fetch("HEAD").unwrap_err();
        assert_eq!(error.is_temporary(), temporary, "{error}");
    }
    bench.server.set_fault(Fault::Garbage);
    let error = bench.fetch("HEAD").unwrap_err();
    assert!(matches!(error, GitError::Protocol { .. }), "{error}");
    bench.server.set_fault(Fault::None);
    assert!(bench.fetch("HEAD").is_ok());
}

#[test]
fn credentials_grant_access_and_stay_hidden() {
    let bench = Bench::new();
    bench.server.repository("docs.git").commit("main", "One", [Change::file("a.md", "1")]);
    bench.server.set_login("ada", "s3cret/word");
    let error = bench.fetch("HEAD").unwrap_err();
    assert!(error.to_string().ends_with("does not exist or needs credentials"), "{error}");
    let wrong = bench.remote("docs.git").with_credentials(Some(Credentials::new("ada", "wr0ng")));
    let error = bench.fetch_as(&wrong, "HEAD").unwrap_err();
    assert!(error.to_string().ends_with("does not accept these credentials"), "{error}");
    assert!(!format!("{error:?}").contains("wr0ng"));
    let address = bench.server.url("docs.git").replace("//", "//ada:s3cret%2Fword@");
    let right = Remote::parse(&address).unwrap();
    assert_eq!(files(&bench.fetch_as(&right, "HEAD").unwrap()), [file("a.md", "1")]);
    let error = bench.fetch_as(&right, "refs/heads/nosuch").unwrap_err();
    assert!(!format!("{error:?} {error}").contains("s3cret"), "{error}");
}

#[test]
fn redirects_are_followed_and_lose_the_credentials() {
    let bench = Bench::new();
    let elsewhere = GitServer::start();
    elsewhere.repository("docs.git").commit("main", "One", [Change::file("a.md", "1")]);
    bench.server.set_fault(Fault::RedirectTo(elsewhere.origin()));
    let remote = bench.remote("docs.git").with_credentials(Some(Credentials::new("ada", "pass")));
    assert_eq!(files(&bench.fetch_as(&remote, "HEAD").unwrap()), [file("a.md", "1")]);
    assert!(bench.server.requests().iter().all(|request| request.authorization.is_some()));
    assert!(elsewhere.requests().iter().all(|request| request.authorization.is_none()));
    assert_eq!(elsewhere.requests().len(), 3);
    // Endless redirects, redirects to another scheme, and redirects to forbidden addresses.
    for (to, expected) in [
        (bench.server.origin(), "redirects too many times"),
        ("file:///etc".to_owned(), "another scheme"),
        ("http://user:pass@127.0.0.1".to_owned(), "credentials"),
        ("http://10.0.0.1".to_owned(), "private address"),
        ("http://169.254.169.254".to_owned(), "link-local address"),
        ("http://[::1]:1".to_owned(), "loopback address"),
    ] {
        bench.server.set_fault(Fault::RedirectTo(to.clone()));
        let error = bench.fetch("HEAD").unwrap_err().to_string();
        assert!(error.contains(expected), "{to}: {error}");
    }
}

#[test]
fn the_guard_refuses_without_a_request() {
    let mut bench = Bench::new();
    bench.guard = Guard::public_only();
    bench.server.repository("docs.git").commit("main", "One", [Change::file("a.md", "1")]);
    let error = bench.fetch("HEAD").unwrap_err();
    assert!(error.to_string().contains("loopback"), "{error}");
    assert!(!error.is_temporary());
    let port = bench.server.origin().rsplit(':').next().unwrap().to_owned();
    let named = Remote::parse(&format!("http://localhost:{port}/docs.git")).unwrap();
    assert!(bench.fetch_as(&named, "HEAD").unwrap_err().to_string().contains("loopback"));
    assert_eq!(bench.server.requests(), []);
}

#[test]
fn refused_connections_are_reported() {
    let bench = Bench::new();
    let unused = ReservedPort::new();
    let remote = Remote::parse(&format!("http://{}/docs.git", unused.address())).unwrap();
    let error = bench.fetch_as(&remote, "HEAD").unwrap_err();
    assert!(error.to_string().contains("connection was refused"), "{error}");
    assert!(error.is_temporary());
}

#[test]
fn a_cut_or_stalled_connection_leaves_the_cache_as_it_was() {
    let mut bench = Bench::new();
    let repository = bench.server.repository("docs.git");
    repository.commit("main", "All", generated_pages(500));
    for (fault, expected) in [
        (Fault::CutAfter(0), "cut"),
        (Fault::CutAfter(10), "cut"),
        (Fault::CutAfter(100_000), "cut"),
        (Fault::StallAfter(100_000), "stopped sending"),
    ] {
        let patience = bench.wait;
        if expected == "stopped sending" {
            bench.wait = Duration::from_millis(300);
        }
        bench.server.set_fault(fault.clone());
        let error = bench.fetch("HEAD").unwrap_err();
        bench.wait = patience;
        assert!(error.to_string().contains(expected), "{fault:?}: {error}");
        assert!(error.is_temporary());
    }
    bench.server.set_fault(Fault::None);
    let first = bench.fetch("HEAD").unwrap();
    assert_eq!(files(&first).len(), 500);
    repository.commit(
        "main",
        "More",
        (0..200).map(|n| Change::file(format!("x{n}.md"), format!("{n}"))),
    );
    bench.server.set_fault(Fault::CutAfter(2000));
    bench.fetch("HEAD").unwrap_err();
    bench.server.set_fault(Fault::None);
    let second = bench.fetch("HEAD").unwrap();
    assert_eq!(second.folder.entries().unwrap().len(), 700);
    assert_eq!(second.received_objects, 202);
    let left: Vec<_> = std::fs::read_dir(bench.cache().join("objects/pack")).unwrap().collect();
    assert_eq!(left.len(), 4, "{left:?}");
    check_with_git(&bench.cache());
}

#[test]
fn a_damaged_cache_is_cloned_again() {
    let bench = Bench::new();
    let repository = bench.server.repository("docs.git");
    repository.commit("main", "All", generated_pages(50));
    bench.fetch("HEAD").unwrap();
    let pack_file = |extension: &str| {
        let packs = std::fs::read_dir(bench.cache().join("objects/pack")).unwrap();
        let mut packs = packs.map(|entry| entry.unwrap().path());
        packs.find(|path| path.extension().is_some_and(|e| e == extension)).unwrap()
    };
    let overwrite = |path: &Path, change: &dyn Fn(&mut Vec<u8>)| {
        let mut bytes = std::fs::read(path).unwrap();
        change(&mut bytes);
        std::fs::remove_file(path).unwrap();
        std::fs::write(path, bytes).unwrap();
    };
    let damages: [(&str, &dyn Fn()); 6] = [
        ("no state", &|| std::fs::remove_file(bench.cache().join("bindery.json")).unwrap()),
        ("state", &|| std::fs::write(bench.cache().join("bindery.json"), "{\"ver").unwrap()),
        ("no pack", &|| std::fs::remove_file(pack_file("pack")).unwrap()),
        ("short pack", &|| overwrite(&pack_file("pack"), &|bytes| bytes.truncate(1000))),
        ("wrong pack", &|| overwrite(&pack_file("pack"), &|bytes| bytes[12..].fill(0))),
        ("wrong index", &|| overwrite(&pack_file("idx"), &|bytes| bytes[1040..1540].fill(7))),
    ];
    for (name, damage) in damages {
        damage();
        let fetched = bench.fetch("HEAD").unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(fetched.received_objects, 53, "{name}");
        assert_eq!(files(&fetched).len(), 50, "{name}");
    }
    // Files of an interrupted fetch are removed.
    let stray = bench.cache().join("objects/pack/.tmpXYZ");
    std::fs::write(&stray, "half a pack").unwrap();
    assert_eq!(bench.fetch("HEAD").unwrap().received_objects, 0);
    assert!(!stray.exists());
}

#[test]
fn limits_are_enforced_and_reported() {
    let mut bench = Bench::new();
    let repository = bench.server.repository("docs.git");
    repository.commit("main", "All", generated_pages(300));
    let usual = FetchLimits::default();
    for (limits, expected) in [
        (FetchLimits { bytes: 20_000, ..usual }, "20000 bytes"),
        (FetchLimits { objects: 100, ..usual }, "100 objects"),
        (FetchLimits { object_bytes: 4000, ..usual }, "object of more than 4000 bytes"),
        (FetchLimits { files: 299, ..usual }, "more than 299 files"),
        (FetchLimits { time: Duration::ZERO, ..usual }, "longer than 0 seconds"),
    ] {
        bench.limits = limits;
        let error = bench.fetch("HEAD").unwrap_err();
        assert!(error.to_string().contains(expected), "{error}");
        assert!(!error.is_temporary());
    }
    bench.limits = usual;
    assert_eq!(bench.fetch("HEAD").unwrap().folder.entries().unwrap().len(), 300);
    // When changes exceed the cache's limit, the cache is replaced by a new clone.
    bench.limits.bytes = 900_000;
    let noise = |n: u32| {
        (0..40_000_u32)
            .flat_map(move |i| (i.wrapping_mul(2_654_435_769).wrapping_add(n)).to_le_bytes())
    };
    for n in 0..8 {
        let noise: Vec<u8> = noise(n).map(|byte| byte ^ 0x5a).collect();
        repository.commit("main", "Noise", [Change::file("noise.bin", noise)]);
        assert_eq!(bench.fetch("HEAD").unwrap().folder.entries().unwrap().len(), 301);
    }
}

#[test]
fn a_fetch_reports_progress_and_can_be_cancelled() {
    let bench = Bench::new();
    bench.server.repository("docs.git").commit("main", "All", generated_pages(500));
    bench.server.set_fault(Fault::StallAfter(100_000));
    let (cancel, reported) = (CancellationToken::new(), Mutex::new(Vec::new()));
    let remote = bench.remote("docs.git");
    let error = bench
        .fetcher()
        .fetch(&FetchRequest {
            organization: bench.organization,
            remote: &remote,
            cache: None,
            reference: &RefName::head(),
            known: None,
            cancel: cancel.clone(),
            progress: &|progress| {
                reported.lock().unwrap().push(progress);
                if matches!(progress, FetchProgress::Receiving { .. }) {
                    cancel.cancel();
                }
            },
        })
        .unwrap_err();
    assert_eq!(error, GitError::Cancelled);
    let reported = reported.into_inner().unwrap();
    assert_eq!(reported.first(), Some(&FetchProgress::Connecting));
    assert!(
        matches!(reported.get(1), Some(FetchProgress::Receiving { objects: 507, .. })),
        "{reported:?}"
    );
}
