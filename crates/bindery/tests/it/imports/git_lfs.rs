//! Files in Git LFS: the repository has pointers, and a server beside it has the content.

use bindery_testkit::git_server::Change;
use serde_json::json;

use crate::support::large_files::{Large, PAGE, pointer};
use crate::support::{TestEnv, each_engine};

#[test]
fn files_in_git_lfs_have_their_content() {
    each_engine(async |env: &mut TestEnv| {
        let (first, second, third) = ("first ".repeat(2_000), "second", "third");
        let [(a, p), (b, q), (c, changed)] = [&first, second, third].map(|x| pointer(x.as_bytes()));
        let large = Large::with_pointers(env, &p, &q).await;
        large.git.add_large_file(&a, first.clone());
        large.git.add_large_file(&b, second);
        large.import(env).await;
        assert_eq!(large.contents(env).await, [first.as_str(), second]);
        assert_eq!(large.batches(), 1);

        // Later imports receive what changed only.
        large.repository.commit(
            "main",
            "Text",
            [Change::file("README.md", format!("{PAGE}\nx\n"))],
        );
        large.import(env).await;
        assert_eq!(large.batches(), 1);
        large.git.add_large_file(&c, third);
        large.repository.commit("main", "File", [Change::file("assets/q.bin", &changed)]);
        large.import(env).await;
        assert_eq!(large.contents(env).await, [first.as_str(), third]);

        // Exports leave the pointers as they are.
        let call = env.client.call("updateSpaceContent").path("spaceId", &large.space);
        let page = json!({ "operation": "insert_page", "title": "More", "document": { "markdown": "x\n" } });
        let _ = call.json(&json!({ "changes": [page] })).send().await.expect(200);
        let job = large.export(env).await;
        assert_eq!(job.text_at("/status"), "done", "{job}");
        let names = large.repository.git(&["show", "--format=", "--name-only", "main"]);
        assert!(names.contains("more.md") && !names.contains(".bin"), "{names}");
        let blob = large.repository.git(&["show", "main:assets/q.bin"]);
        assert_eq!(blob, changed.trim_end());
    });
}

#[test]
fn pointers_without_content_are_imported_as_they_are() {
    each_engine(async |env: &mut TestEnv| {
        let [(a, p), (b, q)] = ["first", "second"].map(|content| pointer(content.as_bytes()));
        // The server has no Git LFS.
        let large = Large::with_pointers(env, &p, &q).await;
        large.import(env).await;
        assert_eq!(large.contents(env).await, [p.as_str(), &q]);
        // It lacks one file, and has another content than that of the other pointer.
        let large = Large::with_pointers(env, &p, &q).await;
        large.git.add_large_file(&a, "other");
        large.import(env).await;
        assert_eq!(large.contents(env).await, [p.as_str(), &q]);
        // A later import that reads all files receives them.
        large.git.add_large_file(&a, "first");
        large.git.add_large_file(&b, "second");
        let mut request = large.request();
        request["force"] = json!(true);
        let job = env.import(&large.space, &request).await;
        assert_eq!(job.text_at("/status"), "done", "{job}");
        assert_eq!(large.contents(env).await, ["first", "second"]);
    });
}
