//! Files in Git LFS: the repository has pointers, and a server beside it has the content.

use bindery_testkit::Answer;
use bindery_testkit::git_server::{Change, GitServer, Repository};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use crate::exports;
use crate::support::{TestEnv, each_engine, repositories};

const PAGE: &str = "# Home\n\n![p](assets/p.bin)\n\n![q](assets/q.bin)\n";

/// Returns the SHA-256 of a content, and its pointer.
fn pointer(content: &[u8]) -> (String, String) {
    let oid: String = Sha256::digest(content).iter().map(|byte| format!("{byte:02x}")).collect();
    let text = format!(
        "version https://git-lfs.github.com/spec/v1\noid sha256:{oid}\nsize {}\n",
        content.len()
    );
    (oid, text)
}

/// A space and a repository with pointers to two files.
struct Large {
    git: GitServer,
    repository: Repository,
    space: String,
}

impl Large {
    async fn new(env: &TestEnv, p: &str, q: &str) -> Self {
        let git = GitServer::start();
        let repository = repositories::writable(&git, "docs.git");
        let files = [("README.md", PAGE), ("assets/p.bin", p), ("assets/q.bin", q)];
        repository.commit("main", "First", files.map(|(path, text)| Change::file(path, text)));
        Self { git, repository, space: env.space("Large").await }
    }

    fn request(&self) -> Value {
        json!({ "url": self.git.url("docs.git"), "ref": "refs/heads/main" })
    }

    async fn import(&self, env: &TestEnv) {
        let job = env.import(&self.space, &self.request()).await;
        assert_eq!(job.text_at("/status"), "done", "{job}");
    }

    async fn export(&self, env: &TestEnv) -> Answer {
        let mut body = self.request();
        body["commitMessage"] = json!("Export");
        exports::export(env, &self.space, &body).await
    }

    /// Returns the contents of the files, in the order of their names.
    async fn contents(&self, env: &TestEnv) -> [String; 2] {
        let files = env.of_space("listFiles", &self.space).await.expect(200);
        let mut files: Vec<_> = files.at("/items").as_array().unwrap().iter().collect();
        files.sort_by_key(|file| file["name"].as_str());
        let [p, q] = files[..] else { panic!("{files:?}") };
        let read = async |file: &Value| {
            let content = env.client.get(file["downloadURL"].as_str().unwrap(), &[]).await;
            let content = content.expect(200).text();
            assert_eq!(file["size"], json!(content.len()), "{file}");
            content
        };
        [read(p).await, read(q).await]
    }

    /// Returns the number of requests for addresses of files.
    fn batches(&self) -> usize {
        let requests = self.git.requests();
        requests.iter().filter(|request| request.path.ends_with("/objects/batch")).count()
    }
}

#[test]
fn files_in_git_lfs_have_their_content() {
    each_engine(async |env: &mut TestEnv| {
        let (first, second, third) = ("first ".repeat(2_000), "second", "third");
        let [(a, p), (b, q), (c, changed)] = [&first, second, third].map(|x| pointer(x.as_bytes()));
        let large = Large::new(env, &p, &q).await;
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
        let large = Large::new(env, &p, &q).await;
        large.import(env).await;
        assert_eq!(large.contents(env).await, [p.as_str(), &q]);
        // It lacks one file, and has another content than that of the other pointer.
        let large = Large::new(env, &p, &q).await;
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

#[test]
fn exports_do_not_replace_pointers() {
    each_engine(async |env: &mut TestEnv| {
        let [(_, p), (_, same)] = ["first", "new"].map(|content| pointer(content.as_bytes()));
        let large = Large::new(env, &p, &p).await;
        large.import(env).await;
        let file = json!({ "name": "b.bin", "contentType": "text/plain", "base64": "bmV3" });
        let call = env.client.call("updateSpaceContent").path("spaceId", &large.space);
        let insertion = json!([{ "operation": "insert_files", "files": [file] }]);
        let _ = call.json(&json!({ "changes": insertion })).send().await.expect(200);
        let path = ".gitbook/assets/b.bin";
        let tip = large.repository.commit("main", "Other", [Change::file(path, &p)]);
        let job = large.export(env).await;
        assert_eq!(job.text_at("/error/code"), "conflict", "{job}");
        assert!(job.text_at("/error/message").contains("is in Git LFS"), "{job}");
        assert_eq!(large.repository.find("main"), Some(tip));
        // The pointer of the same content agrees with the file.
        let tip = large.repository.commit("main", "Same", [Change::file(path, &same)]);
        let job = large.export(env).await;
        assert_eq!(job.text_at("/status"), "done", "{job}");
        assert_eq!(large.repository.find("main"), Some(tip));
    });
}
