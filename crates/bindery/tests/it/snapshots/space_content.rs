//! Content of a space: imported, edited, read at the present and earlier revisions.

use bindery_testkit::archives::{file, gzip, tar};
use bindery_testkit::git_server::{Change, Fault, GitServer};
use serde_json::json;

use super::recorder::{Recorder, settled};
use crate::support::{items, until};

/// The text of a page with references of several kinds.
pub(super) const LINKS: &str = "See [the page](page.md), [nothing](missing.md) and \
    [the outside](https://example.com/x).\n\n![p](p.gif)\n\n- one\n- two\n";

/// Records an import from an archive, and a cancelled import from a repository.
pub(super) async fn imports(recorder: &mut Recorder<'_>, git: &GitServer) {
    let first = recorder.ids["spaceId"].clone();
    let made = recorder.record_json("createSpace", json!({ "title": "Imported" })).await;
    recorder.set("spaceId", made.text_at("/id"));
    let archive = gzip(&tar(&[file("README.md", "# Home\n"), file("guide/a.md", "# A\n")]));
    let call = recorder.call("importSpaceArchive").body("application/gzip", archive);
    let started = recorder.send("importSpaceArchive", call).await;
    recorder.set("jobId", started.text_at("/id"));
    let _ended = recorder.env.ended(started.text_at("/id")).await;
    let _job = recorder.record("getJob").await;
    let list = recorder.call("listJobs").query("space", &recorder.ids["spaceId"]);
    let _listed = recorder.send("listJobs", list).await;

    git.repository("stalled.git").commit("main", "x", [Change::file("README.md", "# Hello")]);
    git.set_fault(Fault::StallAfter(40));
    let before = git.requests().len();
    let request = json!({ "url": git.url("stalled.git"), "ref": "refs/heads/main" });
    let started = recorder.record_json("importGitRepository", request).await;
    recorder.set("jobId", started.header("location").rsplit('/').next().unwrap());
    // The second POST requests the pack, which never arrives.
    until(async || {
        let requests = git.requests();
        let posts = requests[before..].iter().filter(|request| request.method == "POST").count();
        (posts >= 2).then_some(())
    })
    .await;
    let _cancelled = recorder.record("cancelJob").await;
    let _ended = recorder.env.ended(&recorder.ids["jobId"]).await;
    git.set_fault(Fault::None);
    let url = git.url("stalled.git");
    let request = json!({ "url": url, "ref": "refs/heads/main", "commitMessage": "Export" });
    let started = recorder.record_json("exportToGitRepository", request).await;
    let job = started.header("location").rsplit('/').next().unwrap().to_owned();
    let _ended = recorder.env.ended(&job).await;
    recorder.set("spaceId", &first);
    let _info = recorder.record("getSpaceGitInfo").await;
}

/// Records the present content of the space.
pub(super) async fn current(recorder: &mut Recorder<'_>) {
    let changes = json!({ "changes": [
        { "operation": "insert_page", "title": "Links", "document": { "markdown": LINKS } },
    ] });
    let changed = recorder.record_json("updateSpaceContent", changes).await;
    let imported = recorder.ids["pageId"].clone();
    recorder.set("linksPageId", changed.text_at("/changes/0/page/id"));
    let joined = recorder.record("joinSpacePageEditing").await;
    recorder.set("editingSessionId", joined.text_at("/id"));
    recorder
        .record_all(&[
            "sendSpaceEditingSteps",
            "listSpaceEditingSteps",
            "setSpaceEditingSelection",
            "listSpaceEditingPeople",
        ])
        .await;
    recorder
        .record_all(&[
            "getCurrentRevision",
            "listPages",
            "listFiles",
            "getFileById",
            "listSpaceFileBacklinks",
            "listSpacePageBacklinks",
            "listSpacePageMetaLinks",
            "getPageByPath",
            "getReusableContentById",
            "getDocumentById",
            "getSpacePDF",
            "getPDFFile",
            "getComputedDocument",
            "getComputedRevision",
            "listSpaceLinks",
        ])
        .await;
    let links = recorder.ids["linksPageId"].clone();
    recorder.set("pageId", &links);
    recorder.record_all(&["getPageById", "listPageLinksInSpace"]).await;
    recorder.set("pageId", &imported);
}

/// Records the content of the imported revision.
pub(super) async fn revisions(recorder: &mut Recorder<'_>) {
    recorder
        .record_all(&[
            "getRevisionById",
            "getRevisionSemanticChanges",
            "listPagesInRevisionById",
            "listFilesInRevisionById",
            "getFileInRevisionById",
            "getPageInRevisionById",
            "getPageDocumentInRevisionById",
            "getPageInRevisionByPath",
            "getReusableContentInRevisionById",
            "getReusableContentDocumentInRevisionById",
            "listRevisionPageMetaLinks",
        ])
        .await;
}

/// Records the history of a space: its differences and a revert.
pub(super) async fn history(recorder: &mut Recorder<'_>) {
    let history = recorder.record("listSpaceHistory").await;
    let present = history.text_at("/items/0/revision").to_owned();
    recorder.set("presentRevisionId", &present);
    for operation in ["compareRevisions", "comparePage"] {
        let page = match operation {
            "comparePage" => Some(recorder.ids["linksPageId"].clone()),
            _ => None,
        };
        let call = recorder.client.call(operation).path("spaceId", &recorder.ids["spaceId"]);
        let call = page.iter().fold(call, |call, page| call.path("pageId", page));
        let call = call.query("from", &recorder.ids["revisionId"]).query("to", &present);
        let _compared = recorder.send(operation, call).await;
    }
    let _reverted = recorder.record("revertSpace").await;
    // The page with links is needed again.
    let back = recorder.client.call("revertSpace").path("spaceId", &recorder.ids["spaceId"]);
    let _back = settled(back.json(&json!({ "revision": present }))).await.expect(200);
}

/// Records the application of a template to a new space.
pub(super) async fn templates(recorder: &mut Recorder<'_>) {
    let first = recorder.ids["spaceId"].clone();
    let _listed = recorder.record("listTemplates").await;
    let made = recorder.env.space("From a template").await;
    recorder.set("spaceId", &made);
    let template = json!({ "id": "product-guide" });
    let _applied = recorder.record_json("applyTemplateToSpace", template).await;
    recorder.set("spaceId", &first);
}

/// Records the synchronisation of a new space with a branch.
pub(super) async fn git_sync(recorder: &mut Recorder<'_>, git: &GitServer) {
    let first = recorder.ids["spaceId"].clone();
    let made = recorder.env.space("Synchronised").await;
    recorder.set("spaceId", &made);
    git.repository("synced.git").commit("main", "x", [Change::file("README.md", "# Hello")]);
    let settings = json!({
        "url": git.url("synced.git"), "ref": "main", "pollingInterval": 0,
        "credentials": { "kind": "token", "token": "never-shown" },
    });
    let set = recorder.record_json("setGitSync", settings.clone()).await;
    recorder.set("syncId", set.text_at("/id"));
    recorder.set("webhookSecret", set.text_at("/webhookSecret"));
    let started = recorder.record("runGitSync").await;
    let job = started.header("location").rsplit('/').next().unwrap().to_owned();
    let ended = recorder.env.ended(&job).await;
    assert_eq!(ended.text_at("/status"), "done", "{ended}");
    recorder.set("jobId", &job);
    recorder
        .record_all(&[
            "getGitSync",
            "listGitSyncRuns",
            "listGitSyncBranches",
            "receiveGitEvent",
            "pauseGitSync",
        ])
        .await;
    let started = recorder.record("startGitSyncDryRun").await;
    let job = started.header("location").rsplit('/').next().unwrap().to_owned();
    let ended = recorder.env.ended(&job).await;
    assert_eq!(ended.text_at("/status"), "done", "{ended}");
    let _result = recorder.record("getGitSyncDryRun").await;
    let _resumed = recorder.record("resumeGitSync").await;
    // The run that begins with the end of the pause is shown with the space.
    let env = recorder.env;
    until(async || {
        for status in ["queued", "running"] {
            let list = env.client.call("listJobs").query("space", &made).query("status", status);
            if !items(&list.send().await.expect(200)).is_empty() {
                return None;
            }
        }
        Some(())
    })
    .await;
    let _deleted = recorder.record("deleteGitSync").await;
    let again = recorder.client.call("setGitSync").path("spaceId", &made).json(&settings);
    let _again = settled(again).await.expect(200);
    let _deleted = recorder.record("deleteLegacyGitInstallation").await;
    recorder.set("spaceId", &first);
}

/// Records the installation of a Git hosting service on a new space, and on the site.
pub(super) async fn git_installations(recorder: &mut Recorder<'_>) {
    let first = recorder.ids["spaceId"].clone();
    let made = recorder.env.space("Installed").await;
    recorder.set("spaceId", &made);
    let installed = recorder.record("installGitSyncProviderOnTarget").await;
    recorder.set("installationId", installed.text_at("/id"));
    recorder.set("spaceId", &first);
    let target = json!({ "type": "site", "siteId": recorder.ids["siteId"] });
    let on_site = recorder.env.client.call("installGitSyncProviderOnTarget");
    let on_site = on_site.json(&json!({ "provider": "gitlab", "target": target }));
    let _on_site = on_site.send().await.expect(201);
    recorder
        .record_all(&[
            "getGitSyncInstallationById",
            "updateGitSyncInstallationById",
            "listSiteGitSyncInstallations",
            "uninstallGitSyncInstallation",
        ])
        .await;
}
