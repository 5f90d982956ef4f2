//! The lines that edits change in the repository.

use serde_json::{Value, json};

use super::Synced;
use crate::support::change_requests::Proposal;
use crate::support::{TestEnv, each_engine};

#[test]
fn unchanged_content_is_not_exported() {
    each_engine(async |env: &mut TestEnv| {
        let synced = Synced::new(env).await;
        let job = synced.export(env, &json!({})).await;
        assert_eq!(job.text_at("/status"), "done", "{job}");
        assert!(job.text_at("/progress/message").contains("nothing to do"), "{job}");
        assert_eq!(synced.repository.find("main").unwrap(), synced.oid);
        let forced = synced.export(env, &json!({ "force": true })).await;
        assert_eq!(forced.text_at("/status"), "done", "{forced}");
        assert_eq!(synced.repository.find("main").unwrap(), synced.oid);
    });
}

#[test]
fn an_edit_changes_the_lines_of_its_block() {
    each_engine(async |env: &mut TestEnv| {
        let synced = Synced::new(env).await;
        let guide = synced.page(env, "Guide").await;
        let text = "* one\n* two\n* three\n\nLast __words__.\n";
        synced
            .change(
                env,
                json!([
                    { "operation": "update_page", "page": guide, "document": { "markdown": text } },
                ]),
            )
            .await;
        assert_eq!(
            synced.exported(env).await,
            "--- a/docs/guide.md\n+++ b/docs/guide.md\n+* three\n"
        );
        let parents = synced.repository.git(&["log", "--format=%P", "-1", "main"]);
        assert_eq!(parents, synced.oid);
        let names = "%an <%ae> %cn %s";
        let names = synced.repository.git(&["log", &format!("--format={names}"), "-1", "main"]);
        let user = env.client.call("getAuthenticatedUser").send().await.expect(200);
        let (name, mail) = (user.text_at("/displayName"), user.text_at("/email"));
        assert_eq!(names, format!("{name} <{mail}> Bindery Export"));

        // The revision tells its commit, and the import of that commit has nothing to do.
        let oid = synced.repository.find("main").unwrap();
        let revision = env.of_space("getCurrentRevision", &synced.space).await.expect(200);
        assert_eq!(revision.text_at("/git/oid"), oid);
        assert_eq!(revision.at("/git/createdByGitBook"), &json!(true));
        let id = revision.text_at("/id").to_owned();
        synced.import(env).await;
        let revision = env.of_space("getCurrentRevision", &synced.space).await.expect(200);
        assert_eq!(revision.text_at("/id"), id);
        let file = synced.repository.git(&["rev-parse", "main:docs/guide.md"]);
        let call = env.client.call("getPageById").path("spaceId", &synced.space);
        let page = call.path("pageId", &guide).send().await.expect(200);
        assert_eq!(page.text_at("/git/oid"), file);
    });
}

#[test]
fn metadata_changes_their_own_lines() {
    each_engine(async |env: &mut TestEnv| {
        let synced = Synced::new(env).await;
        let guide = synced.page(env, "Guide").await;
        let change = json!({
            "operation": "update_page", "page": guide, "title": "Manual", "hidden": true,
        });
        synced.change(env, json!([change])).await;
        assert_eq!(
            synced.exported(env).await,
            "--- a/docs/SUMMARY.md\n+++ b/docs/SUMMARY.md\n\
             -- [Guide](./guide.md \"Short\")\n+- [Manual](guide.md \"Short\")\n\
             --- a/docs/guide.md\n+++ b/docs/guide.md\n+hidden: true\n-Guide\n+Manual\n"
        );
        // A second export starts from the first one.
        let change = json!({ "operation": "update_page", "page": guide, "description": "New" });
        synced.change(env, json!([change])).await;
        assert_eq!(
            synced.exported(env).await,
            "--- a/docs/guide.md\n+++ b/docs/guide.md\n-description: >-\n-  A guide\n\
             +description: New\n"
        );
        synced.import(env).await;
        assert_eq!(synced.page(env, "Manual").await, guide);
    });
}

#[test]
fn pages_are_made_moved_and_deleted() {
    each_engine(async |env: &mut TestEnv| {
        let synced = Synced::new(env).await;
        let (guide, least) = (synced.page(env, "Guide").await, synced.page(env, "Least").await);
        let changes = json!([
            {
                "operation": "insert_page", "into": guide, "title": "Made",
                "document": { "markdown": "See [least](/pages/guide/least).\n" },
            },
            { "operation": "update_page", "page": least, "into": guide, "at": 0 },
        ]);
        synced.change(env, changes).await;
        let made = synced.exported(env).await;
        assert_eq!(
            made,
            "+++ b/docs/.gitbook.yaml\n+redirects:\n\
             +  deep-things/more/least: deep/least.md\n\
             --- a/docs/SUMMARY.md\n+++ b/docs/SUMMARY.md\n\
             +    - [Least](deep/least.md)\n+    - [Made](guide/made.md)\n\
             -    - [Least](deep/least.md)\n\
             +++ b/docs/guide/made.md\n+# Made\n+\n+See [least](../deep/least.md).\n"
        );
        let made = synced.page(env, "Made").await;
        let changes = json!([
            { "operation": "delete_page", "page": made },
            { "operation": "delete_page", "page": synced.page(env, "More").await },
        ]);
        synced.change(env, changes).await;
        assert_eq!(
            synced.exported(env).await,
            "--- a/docs/SUMMARY.md\n+++ b/docs/SUMMARY.md\n-    - [Made](guide/made.md)\n-\n\
             -- [More](deep/more.md)\n\
             --- a/docs/deep/more.md\n-# More\n-\n-![Logo](../.gitbook/assets/a.txt)\n\
             --- a/docs/guide/made.md\n-# Made\n-\n-See [least](../deep/least.md).\n"
        );
        // The paths and ids survive the way back.
        synced.import(env).await;
        assert_eq!(synced.page(env, "Least").await, least);
    });
}

#[test]
fn files_are_exported() {
    each_engine(async |env: &mut TestEnv| {
        let synced = Synced::new(env).await;
        let file = json!({ "name": "b.txt", "contentType": "text/plain", "base64": "bmV3Cg==" });
        let changes = json!([{ "operation": "insert_files", "files": [file] }]);
        synced.change(env, changes).await;
        assert_eq!(synced.exported(env).await, "+++ b/docs/.gitbook/assets/b.txt\n+new\n");
    });
}

#[test]
fn groups_links_and_looks_are_exported() {
    each_engine(async |env: &mut TestEnv| {
        let synced = Synced::new(env).await;
        let guide = synced.page(env, "Guide").await;
        let proposal = Proposal::new(&env.client, &synced.space).await;
        let insert = async |body: Value| {
            let made = proposal.call("insertChangeRequestPage").json(&body).send().await;
            made.expect(200).text_at("/page/id").to_owned()
        };
        let group = insert(json!({ "type": "group", "title": "Elsewhere" })).await;
        let target = json!({ "kind": "url", "url": "https://example.com/a" });
        let link = json!({ "type": "link", "title": "Out", "into": group, "target": target });
        let _link = insert(link).await;
        let look = json!({ "layout": { "width": "wide", "outline": false } });
        let look = proposal.call("updateChangeRequestPage").path("pageId", &guide).json(&look);
        let _changed = look.send().await.expect(200);
        let _merged = proposal.merge().await.expect(200);
        assert_eq!(
            synced.exported(env).await,
            "--- a/docs/SUMMARY.md\n+++ b/docs/SUMMARY.md\n+\n+## Elsewhere\n+\n\
             +- [Out](https://example.com/a)\n--- a/docs/guide.md\n+++ b/docs/guide.md\n\
             +layout:\n+  width: wide\n+  outline:\n+    visible: false\n"
        );
    });
}
