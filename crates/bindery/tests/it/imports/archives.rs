//! Uploaded archives: all formats, and each kind of harmful archive.

use bindery_testkit::archives::{entry, file, gzip, tar, zip};
use serde_json::json;
use tar::EntryType;

use crate::support::{TestEnv, each_engine};

#[test]
fn archives_of_all_formats_create_the_same_pages() {
    each_engine(async |env: &mut TestEnv| {
        let plain = tar(&[file("README.md", "# Home\n"), file("guide/a.md", "# A\n")]);
        let zipped = zip(&[("README.md", "# Home\n"), ("guide/a.md", "# A\n")]);
        for (content_type, bytes) in [
            ("application/gzip", gzip(&plain)),
            ("application/zip", zipped),
            ("application/octet-stream", plain),
        ] {
            let space = env.space("Sent").await;
            let job = env.import_archive(&space, content_type, bytes).await;
            assert_eq!(job.text_at("/status"), "done", "{job}");
            let page = env.client.call("getPageByPath").path("spaceId", &space);
            let page = page.path("pagePath", "guide/a").send().await.expect(200);
            assert_eq!(page.text_at("/title"), "A");
            let _no_git = env.of_space("getSpaceGitInfo", &space).await.expect(404);
            let revision = env.of_space("getCurrentRevision", &space).await.expect(200);
            assert_eq!(revision.json.pointer("/git"), None);
        }
        let space = env.space("Part").await;
        let bytes = zip(&[("README.md", "# Home\n"), ("docs/b.md", "# B\n")]);
        let send = async |directory: &str| {
            let call = env.client.call("importSpaceArchive").path("spaceId", &space);
            let call = call.query("directory", directory);
            call.body("application/zip", bytes.clone()).send().await
        };
        let started = send("docs").await.expect(202);
        let job = env.ended(started.text_at("/id")).await;
        assert_eq!(job.text_at("/status"), "done", "{job}");
        let refused = send("../x").await.expect(400);
        assert!(refused.message().contains("directory"), "{refused}");
        let missing = send("nowhere").await.expect(202);
        let missing = env.ended(missing.text_at("/id")).await;
        assert_eq!(missing.text_at("/error/code"), "directory-not-found", "{missing}");
    });
}

#[test]
fn harmful_archives_are_rejected_completely() {
    each_engine(async |env: &mut TestEnv| {
        let zeros = "0".repeat(64 << 20);
        let ok = || file("ok.md", "# Fine\n");
        let regular = EntryType::Regular;
        let link = |target: &[u8]| entry(EntryType::Symlink, b"a", target, b"");
        let mut half = gzip(&tar(&[ok()]));
        half.truncate(half.len() - 10);
        let space = env.space("Harm").await;
        let before = env.of_space("getSpaceById", &space).await.expect(200);
        for (bytes, words) in [
            (gzip(&tar(&[file("a.md", &zeros)])), "times its size"),
            (zip(&[("a.md", &zeros)]), "times its size"),
            (tar(&[ok(), entry(regular, b"/etc/x.md", b"", b"x")]), "absolute"),
            (tar(&[ok(), entry(regular, b"../x.md", b"", b"x")]), "leads out"),
            (zip(&[("ok.md", ""), ("../x.md", "x")]), "leads out"),
            (tar(&[ok(), link(b"/etc/passwd")]), "absolute"),
            (tar(&[ok(), link(b"../../up")]), "leads out"),
            (tar(&[ok(), entry(EntryType::Link, b"b", b"ok.md", b"")]), "hard link"),
            (tar(&[ok(), entry(EntryType::Char, b"null", b"", b"")]), "device"),
            (tar(&[ok(), ok()]), "twice"),
            (half, "damaged"),
            (b"no archive at all".to_vec(), "neither"),
            (tar(&[]), "no files"),
        ] {
            let job = env.import_archive(&space, "application/octet-stream", bytes).await;
            assert_eq!(job.text_at("/status"), "failed", "{words}: {job}");
            assert!(job.text_at("/error/message").contains(words), "{words}: {job}");
        }
        let after = env.of_space("getSpaceById", &space).await.expect(200);
        assert_eq!(after.at("/revision"), before.at("/revision"));
        assert!(!env.installation.data().join("../x.md").exists());
    });
}

#[test]
fn only_archives_are_accepted() {
    each_engine(async |env: &mut TestEnv| {
        let space = env.space("Types").await;
        let path = format!("/v1/bindery/spaces/{space}/content/archive");
        for content_type in ["application/json", "text/plain", ""] {
            let header = format!("Content-Type: {content_type}\r\n");
            let refused = env.ask("POST", &path, &header, b"{}").error(415);
            assert!(refused.contains("application/zip"), "{refused}");
        }
        let jobs = env.client.call("listJobs").send().await.expect(200);
        assert_eq!(jobs.at("/count"), &json!(0));
    });
}
