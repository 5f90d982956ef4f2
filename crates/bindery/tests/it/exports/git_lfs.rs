//! Exports to repositories with Git LFS: pointers are written, and the contents are sent first.

use bindery_testkit::archives::{file, tar};
use bindery_testkit::git_server::{Change, GitServer, LargeFileFault};
use serde_json::json;

use super::export;
use crate::support::large_files::{Large, PAGE, pointer};
use crate::support::{TestEnv, each_engine, repositories};

/// The attributes of a repository whose binary files are in Git LFS.
const ATTRIBUTES: &str = "*.bin filter=lfs diff=lfs merge=lfs -text\n";
/// The folder of new files.
const ASSETS: &str = ".gitbook/assets";

/// Creates a repository with these attributes and one page, and a space with its content.
async fn with_attributes(env: &TestEnv) -> Large {
    let files = [("README.md", "# Home\n\nHello.\n"), (".gitattributes", ATTRIBUTES)];
    let large = Large::new(env, &files).await;
    large.git.enable_large_files();
    large.import(env).await;
    large
}

/// Returns the methods and paths of the requests that send files and packs, without the names of
/// files.
fn sent(git: &GitServer) -> Vec<String> {
    let requests = git.requests();
    let shown = |path: &str| path.split("/large-files/").next().unwrap_or_default().to_owned();
    let sends = requests.iter().filter(|one| {
        one.method == "PUT" || (one.method == "POST" && !one.path.ends_with("upload-pack"))
    });
    sends.map(|one| format!("{} {}", one.method, shown(&one.path))).collect()
}

#[test]
fn new_files_are_written_to_git_lfs() {
    each_engine(async |env: &mut TestEnv| {
        let large = with_attributes(env).await;
        let content = "new ".repeat(50_000);
        let (oid, text) = pointer(content.as_bytes());
        large.insert(env, "b.bin", &content).await;
        large.insert(env, "c.txt", "plain\n").await;
        large.insert(env, "empty.bin", "").await;
        large.exported(env).await;
        assert_eq!(large.file(&format!("{ASSETS}/b.bin")), text);
        assert_eq!(large.file(&format!("{ASSETS}/c.txt")), "plain\n");
        let id = large.repository.git(&["rev-parse", &format!("main:{ASSETS}/empty.bin")]);
        assert_eq!(id, "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391");
        assert_eq!(large.git.large_file(&oid).unwrap(), content);
        let expected = [
            "POST /docs.git/info/lfs/objects/batch",
            "PUT ",
            "POST /verify-large-file",
            "POST /docs.git/git-receive-pack",
        ];
        assert_eq!(sent(&large.git), expected);

        // The next export and import change nothing.
        let tip = large.repository.find("main");
        large.exported(env).await;
        large.import(env).await;
        assert_eq!(large.repository.find("main"), tip);
        assert_eq!(sent(&large.git).len(), expected.len());
        assert_eq!(large.contents(env).await, [content.as_str(), "plain\n", ""]);
    });
}

#[test]
fn replaced_files_stay_in_git_lfs() {
    each_engine(async |env: &mut TestEnv| {
        let [(a, p), (b, q), (c, changed)] =
            ["first", "second", "changed"].map(|content| pointer(content.as_bytes()));
        let large = Large::with_pointers(env, &p, &q).await;
        large.git.add_large_file(&a, "first");
        large.git.add_large_file(&b, "second");
        large.import(env).await;
        let archive = tar(&[
            file("README.md", PAGE),
            file("assets/p.bin", "first"),
            file("assets/q.bin", "changed"),
        ]);
        let job = env.import_archive(&large.space, "application/octet-stream", archive).await;
        assert_eq!(job.text_at("/status"), "done", "{job}");
        large.exported(env).await;
        assert_eq!([large.file("assets/p.bin"), large.file("assets/q.bin")], [p.clone(), changed]);
        assert_eq!(large.git.large_file(&c).unwrap(), "changed");
        let names = large.repository.git(&["show", "--format=", "--name-only", "main"]);
        assert_eq!(names, "assets/q.bin");

        // The server has the former content still.
        large.git.set_large_file_fault(LargeFileFault::Status(500));
        let archive = tar(&[
            file("README.md", PAGE),
            file("assets/p.bin", "first"),
            file("assets/q.bin", "second"),
        ]);
        let job = env.import_archive(&large.space, "application/octet-stream", archive).await;
        assert_eq!(job.text_at("/status"), "done", "{job}");
        large.exported(env).await;
        assert_eq!(large.file("assets/q.bin"), q);
        assert_eq!(sent(&large.git).iter().filter(|sent| sent.starts_with("PUT")).count(), 1);
    });
}

#[test]
fn nothing_is_pushed_without_the_contents() {
    each_engine(async |env: &mut TestEnv| {
        let large = with_attributes(env).await;
        large.insert(env, "b.bin", "new").await;
        let tip = large.repository.find("main");
        let refused = "large-files-rejected";
        let faults = [
            (LargeFileFault::Refuse("over quota".to_owned()), refused, "b.bin`: over quota"),
            (LargeFileFault::RefuseBatch(403, "read only".to_owned()), refused, "read only"),
            (LargeFileFault::RefuseBatch(404, String::new()), refused, "does not have Git LFS"),
            (LargeFileFault::RefuseBatch(501, String::new()), refused, "does not have Git LFS"),
            (LargeFileFault::Status(409), refused, "b.bin`: its server answered 409"),
            (LargeFileFault::Origin("http://10.0.0.1".to_owned()), "unreachable", "10.0.0.1"),
            (LargeFileFault::Origin("file://".to_owned()), "unreachable", "file"),
            // The server has the other content from now on.
            (LargeFileFault::KeepOther, refused, "b.bin`: its server answered 422"),
        ];
        for (fault, code, words) in faults {
            large.git.set_large_file_fault(fault.clone());
            let job = large.export(env).await;
            assert_eq!(job.text_at("/error/code"), code, "{fault:?}: {job}");
            assert!(job.text_at("/error/message").contains(words), "{fault:?}: {job}");
            assert_eq!(large.repository.find("main"), tip, "{fault:?}");
            assert!(!sent(&large.git).iter().any(|sent| sent.ends_with("receive-pack")));
        }
    });
}

#[test]
fn credentials_stay_with_the_server_of_the_repository() {
    each_engine(async |env: &mut TestEnv| {
        let large = with_attributes(env).await;
        large.git.set_login("me", "secret");
        let storage = GitServer::start();
        storage.enable_large_files();
        large.git.set_large_file_fault(LargeFileFault::Origin(storage.origin()));
        large.insert(env, "b.bin", "new").await;
        let url = large.git.url("docs.git").replace("://", "://me:secret@");
        let body = json!({ "url": url, "ref": "main", "commitMessage": "Export" });
        let job = export(env, &large.space, &body).await;
        assert_eq!(job.text_at("/status"), "done", "{job}");
        let (oid, text) = pointer(b"new");
        assert_eq!(large.file(&format!("{ASSETS}/b.bin")), text);
        assert_eq!(storage.large_file(&oid).unwrap(), "new");
        let requests = storage.requests();
        assert_eq!(requests.len(), 2);
        assert!(requests.iter().all(|request| request.authorization.is_none()), "{requests:?}");
        let batch = large.git.requests().into_iter().rfind(|one| one.path.ends_with("/batch"));
        assert!(batch.unwrap().authorization.is_some());
    });
}

#[test]
fn files_of_both_sides_are_a_conflict() {
    each_engine(async |env: &mut TestEnv| {
        let large = with_attributes(env).await;
        let [(_, other), (_, same)] = ["first", "new"].map(|content| pointer(content.as_bytes()));
        large.insert(env, "b.bin", "new").await;
        let path = format!("{ASSETS}/b.bin");
        let tip = large.repository.commit("main", "Other", [Change::file(&path, &other)]);
        let job = large.export(env).await;
        assert_eq!(job.text_at("/error/code"), "conflict", "{job}");
        assert!(job.text_at("/error/message").contains("another content"), "{job}");
        assert_eq!(large.repository.find("main"), Some(tip));
        // The pointer of the same content agrees with the file, also if other clients wrote it.
        let old = same.replace("git-lfs.github", "hawser.github");
        let tip = large.repository.commit("main", "Same", [Change::file(&path, &old)]);
        large.exported(env).await;
        assert_eq!(large.repository.find("main"), Some(tip));
        assert_eq!(large.batches(), 0);
    });
}

#[test]
fn copies_of_a_repository_have_the_contents() {
    each_engine(async |env: &mut TestEnv| {
        let [(a, p), (b, q)] = ["first", "second"].map(|content| pointer(content.as_bytes()));
        let large = Large::with_pointers(env, &p, &q).await;
        large.git.add_large_file(&a, "first");
        large.git.add_large_file(&b, "second");
        large.import(env).await;
        let other = GitServer::start();
        let copy = repositories::writable(&other, "copy.git");
        let body = json!({ "url": other.url("copy.git"), "ref": "main", "commitMessage": "Copy" });
        let job = export(env, &large.space, &body).await;
        assert_eq!(job.text_at("/error/code"), "large-files-rejected", "{job}");
        assert_eq!(copy.find("main"), None);
        other.enable_large_files();
        let job = export(env, &large.space, &body).await;
        assert_eq!(job.text_at("/status"), "done", "{job}");
        let tree = |repository: &bindery_testkit::git_server::Repository| {
            repository.git(&["rev-parse", "main^{tree}"])
        };
        assert_eq!(tree(&copy), tree(&large.repository));
        let kept = [a, b].map(|oid| other.large_file(&oid).unwrap());
        assert_eq!(kept.map(|content| content.len()), [5, 6]);
    });
}

#[test]
fn pointers_without_content_stay() {
    each_engine(async |env: &mut TestEnv| {
        let [(_, p), (_, q)] = ["first", "second"].map(|content| pointer(content.as_bytes()));
        let large = Large::with_pointers(env, &p, &q).await;
        large.import(env).await;
        let tip = large.repository.find("main");
        let mut body = large.request();
        body["commitMessage"] = json!("Export");
        body["force"] = json!(true);
        let job = export(env, &large.space, &body).await;
        assert_eq!(job.text_at("/status"), "done", "{job}");
        assert_eq!(large.repository.find("main"), tip);
    });
}
