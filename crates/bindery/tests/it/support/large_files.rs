//! Spaces and repositories with files in Git LFS.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bindery_testkit::Answer;
use bindery_testkit::git_server::{Change, GitServer, Repository};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use super::{TestEnv, repositories};
use crate::exports;

/// A page that refers to two files.
pub(crate) const PAGE: &str = "# Home\n\n![p](assets/p.bin)\n\n![q](assets/q.bin)\n";

/// Returns the SHA-256 of a content, and its pointer as Git LFS writes it.
pub(crate) fn pointer(content: &[u8]) -> (String, String) {
    let oid: String = Sha256::digest(content).iter().map(|byte| format!("{byte:02x}")).collect();
    let text = format!(
        "version https://git-lfs.github.com/spec/v1\noid sha256:{oid}\nsize {}\n",
        content.len()
    );
    (oid, text)
}

/// A repository, and a space for its content.
pub(crate) struct Large {
    pub(crate) git: GitServer,
    pub(crate) repository: Repository,
    pub(crate) space: String,
}

impl Large {
    pub(crate) async fn new(env: &TestEnv, files: &[(&str, &str)]) -> Self {
        let git = GitServer::start();
        let repository = repositories::writable(&git, "docs.git");
        repository.commit(
            "main",
            "First",
            files.iter().map(|(path, text)| Change::file(path, text)),
        );
        Self { git, repository, space: env.space("Large").await }
    }

    /// Creates a repository with a page that shows two files, which are these texts.
    pub(crate) async fn with_pointers(env: &TestEnv, p: &str, q: &str) -> Self {
        Self::new(env, &[("README.md", PAGE), ("assets/p.bin", p), ("assets/q.bin", q)]).await
    }

    pub(crate) fn request(&self) -> Value {
        json!({ "url": self.git.url("docs.git"), "ref": "refs/heads/main" })
    }

    pub(crate) async fn import(&self, env: &TestEnv) {
        let job = env.import(&self.space, &self.request()).await;
        assert_eq!(job.text_at("/status"), "done", "{job}");
    }

    pub(crate) async fn export(&self, env: &TestEnv) -> Answer {
        let mut body = self.request();
        body["commitMessage"] = json!("Export");
        exports::export(env, &self.space, &body).await
    }

    /// Exports the space, which must succeed.
    pub(crate) async fn exported(&self, env: &TestEnv) {
        let job = self.export(env).await;
        assert_eq!(job.text_at("/status"), "done", "{job}");
    }

    /// Adds a file to the space.
    pub(crate) async fn insert(&self, env: &TestEnv, name: &str, content: &str) {
        let base64 = STANDARD.encode(content);
        let file =
            json!({ "name": name, "contentType": "application/octet-stream", "base64": base64 });
        let call = env.client.call("updateSpaceContent").path("spaceId", &self.space);
        let insertion = json!([{ "operation": "insert_files", "files": [file] }]);
        let _ = call.json(&json!({ "changes": insertion })).send().await.expect(200);
    }

    /// Returns a file of the branch `main`.
    pub(crate) fn file(&self, path: &str) -> String {
        let text = self.repository.git(&["show", &format!("main:{path}")]);
        format!("{text}\n")
    }

    /// Returns the contents of the files of the space, in the order of their names.
    pub(crate) async fn contents(&self, env: &TestEnv) -> Vec<String> {
        let files = env.of_space("listFiles", &self.space).await.expect(200);
        let mut files: Vec<_> = files.at("/items").as_array().unwrap().iter().collect();
        files.sort_by_key(|file| file["name"].as_str());
        let mut contents = Vec::new();
        for file in files {
            let content = env.client.get(file["downloadURL"].as_str().unwrap(), &[]).await;
            let content = content.expect(200).text();
            assert_eq!(file["size"], json!(content.len()), "{file}");
            contents.push(content);
        }
        contents
    }

    /// Returns the number of requests for addresses of files.
    pub(crate) fn batches(&self) -> usize {
        let requests = self.git.requests();
        requests.iter().filter(|request| request.path.ends_with("/objects/batch")).count()
    }
}
