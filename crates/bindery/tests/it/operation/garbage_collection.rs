//! Garbage collection removes exactly the objects that are not in use.

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bindery_app::{content::spaces as app_spaces, jobs::collector};
use bindery_model::{Clock as _, SpaceId};
use bindery_revision::{ObjectKind, ValueKind};
use bindery_store::{Store, StoreError, Tx, revisions, spaces};
use bindery_testkit::archives::zip;
use bindery_testkit::git_server::{Change, GitServer};
use serde_json::{Value, json};

use crate::support::content::change;
use crate::support::{SystemClock, TestEnv, each_engine};

/// Returns all readable content of a space: its history, and all documents and files of each
/// revision.
async fn read_everything(env: &TestEnv, space: &str) -> Vec<String> {
    let history = env.of_space("listSpaceHistory", space).await.expect(200);
    let mut seen = vec![history.text()];
    for item in history.at("/items").as_array().unwrap() {
        let of = |operation: &str| {
            let call = env.client.call(operation).path("spaceId", space);
            call.path("revisionId", item["revision"].as_str().unwrap())
        };
        let whole = of("getRevisionById").query("metadata", true).send().await.expect(200);
        let mut pages = Vec::new();
        page_ids(whole.at("/pages"), &mut pages);
        for page in pages {
            let call = of("getPageInRevisionById").path("pageId", page);
            seen.push(call.query("format", "markdown").send().await.expect(200).text());
        }
        for file in whole.at("/files").as_array().unwrap() {
            let content = env.client.get(file["downloadURL"].as_str().unwrap(), &[]).await;
            seen.push(content.expect(200).text());
        }
        seen.push(whole.at("/pages").to_string());
    }
    // The server's port changes with each start.
    let address = env.server().address();
    seen.into_iter().map(|text| text.replace(address, "server")).collect()
}

/// Returns the page tree of a space's main content and some of its documents.
async fn read_summary(env: &TestEnv, space: &str) -> Vec<String> {
    let listed = env.of_space("listPages", space).await.expect(200);
    let mut pages = Vec::new();
    page_ids(listed.at("/pages"), &mut pages);
    let mut seen = vec![pages.join(" ")];
    for page in pages.iter().step_by(10) {
        let call = env.client.call("getPageById").path("spaceId", space).path("pageId", page);
        let shown = call.query("format", "markdown").send().await.expect(200);
        seen.push(shown.text_at("/markdown").to_owned());
    }
    seen
}

fn page_ids(pages: &Value, found: &mut Vec<String>) {
    for page in pages.as_array().into_iter().flatten() {
        if page["type"] == "document" {
            found.push(page["id"].as_str().unwrap().to_owned());
        }
        page_ids(&page["pages"], found);
    }
}

fn folder(word: &str) -> Vec<u8> {
    let large = format!("{word} ").repeat(40_000);
    let page = format!("# Page\n\nOf {word}: [a file](large.txt)\n\n{{% include \"note.md\" %}}\n");
    zip(&[
        ("README.md", &format!("# {word}\n")),
        ("page.md", &page),
        ("note.md", &format!("A note on {word}.\n")),
        ("large.txt", &large),
    ])
}

#[test]
fn only_unused_objects_are_removed() {
    each_engine(async |env: &mut TestEnv| {
        let (kept, short) = (env.space("Kept").await, env.space("Short").await);
        for (space, word) in [(&kept, "kept"), (&short, "short")] {
            let job = env.import_archive(space, "application/zip", folder(word)).await;
            assert_eq!(job.text_at("/status"), "done", "{job}");
        }
        // A second import, so that some objects of the first are used only by an older revision.
        let job = env.import_archive(&kept, "application/zip", folder("second")).await;
        assert_eq!(job.text_at("/status"), "done", "{job}");
        let copy = env.of_space("duplicateSpace", &short).await.expect(201);
        let copy = copy.text_at("/id").to_owned();
        let insert = json!([{
            "operation": "insert_page", "title": "New", "document": { "markdown": "New.\n" },
        }]);
        for space in [&kept, &short] {
            let _made = change(&env.client, space, insert.clone()).await;
        }
        let proposal = env.client.call("createChangeRequest").path("spaceId", &kept);
        let proposal = proposal.json(&json!({})).send().await.expect(201).text_at("/id").to_owned();
        let of = |env: &TestEnv, operation: &str| {
            let call = env.client.call(operation).path("spaceId", &kept);
            call.path("changeRequestId", &proposal)
        };
        let proposed = of(env, "updateChangeRequestContent").query("compat", "false");
        let changes = json!({ "changes": [{
            "operation": "insert_page", "title": "Proposed", "document": { "markdown": "P.\n" },
        }] });
        let made = proposed.json(&changes).send().await.expect(200);
        let page = made.text_at("/changes/0/page/id").to_owned();
        let (before, before_copy) =
            (read_everything(env, &kept).await, read_everything(env, &copy).await);
        assert!(before.iter().any(|text| text.contains("kept kept")), "the older file is read");

        remove_with_unused_objects(env, &short).await;

        assert_eq!(read_everything(env, &kept).await, before);
        assert_eq!(read_everything(env, &copy).await, before_copy);
        let read = of(env, "getPageInChangeRequestById").path("pageId", &page);
        let read = read.query("format", "markdown").send().await.expect(200);
        assert_eq!(read.text_at("/markdown"), "# Proposed\n\nP.\n");
        let merged = of(env, "mergeChangeRequest").send().await.expect(200);
        assert_eq!(merged.text_at("/result"), "merge");
        // The next import can still use the Git state of the last one.
        let job = env.import_archive(&kept, "application/zip", folder("third")).await;
        assert_eq!(job.text_at("/status"), "done", "{job}");
        let _new = change(&env.client, &copy, insert).await;
    });
}

/// Deletes a space, ends its retention period, and collects its objects.
async fn remove_with_unused_objects(env: &mut TestEnv, short: &str) {
    // The space is deleted and its retention period is over; objects that the copy needs must
    // be kept.
    let _deleted = env.of_space("deleteSpaceById", short).await.expect(205);
    let id = SpaceId::parse(short).unwrap();
    let rounds = env
        .with_store(async |store| {
            let now = SystemClock.now();
            assert!(app_spaces::remove_one(store, now).await.unwrap());
            assert!(!app_spaces::remove_one(store, now).await.unwrap());
            assert_eq!(store.read(move |tx| spaces::get(tx, id)).await.unwrap(), None);
            let mut rounds = Vec::new();
            for _ in 0..3 {
                let round = collector::collect(store, Duration::ZERO).await.unwrap().unwrap();
                rounds.push(round);
            }
            let late = collector::collect(store, Duration::from_secs(3600)).await;
            assert_eq!(late.unwrap(), None);
            rounds
        })
        .await;
    let removed: Vec<u64> = rounds.iter().map(|round| round.removed).collect();
    // The first round only marks. Removed are the archives and the objects of the removed space
    // only.
    assert_eq!((removed[0], removed[2]), (0, 0), "{rounds:?}");
    assert!((3..40).contains(&removed[1]), "{rounds:?}");
    assert_eq!(rounds[0].reached, rounds[2].reached, "{rounds:?}");
}

/// Returns the objects of a space's revisions, and the inner nodes of their maps of pages.
async fn inner_objects(env: &mut TestEnv, space: &str) -> Vec<Vec<u8>> {
    let id = SpaceId::parse(space).unwrap();
    let read = move |tx: &Tx<'_>| {
        let mut found = Vec::new();
        for root in
            revisions::list_gc_roots(tx, None, 1000)?.into_iter().filter(|root| root.space == id)
        {
            let mut pending = vec![(ObjectKind::Revision, root.object)];
            while let Some((part, hash)) = pending.pop() {
                let bytes = tx.object_uncached(&hash)?;
                let needed = part.references(&bytes).unwrap();
                pending.extend(
                    needed
                        .into_iter()
                        .filter(|(part, _)| matches!(part, ObjectKind::Node(ValueKind::Pages))),
                );
                found.push(bytes.to_vec());
            }
        }
        Ok::<_, StoreError>(found)
    };
    env.with_store(async |store| store.read_blocking(read).await.unwrap()).await
}

/// Adds files with these bytes to a space.
async fn add_files(env: &TestEnv, space: &str, contents: &[Vec<u8>]) {
    let files = contents.iter().enumerate().map(|(index, bytes)| {
        let name = format!("{index}.bin");
        let base64 = STANDARD.encode(bytes);
        json!({ "name": name, "contentType": "application/octet-stream", "base64": base64 })
    });
    let files: Vec<Value> = files.collect();
    let inserts: Vec<Value> = files
        .chunks(20)
        .map(|files| json!({ "operation": "insert_files", "files": files }))
        .collect();
    let _inserted = change(&env.client, space, json!(inserts)).await;
}

async fn collect_thrice(env: &mut TestEnv) {
    env.with_store(async |store| {
        for _ in 0..3 {
            let _round = collector::collect(store, Duration::ZERO).await.unwrap().unwrap();
        }
    })
    .await;
}

/// A user can upload bytes that equal an existing object of a space. The hash is then needed both
/// as plain bytes and as an object with references.
#[test]
fn files_equal_to_objects_do_not_hide_references() {
    each_engine(async |env: &mut TestEnv| {
        let mut spaces = Vec::new();
        for number in 0..4 {
            let space = env.space(&format!("Space {number}")).await;
            let pages: Vec<(String, String)> = (0..500)
                .map(|page| (format!("{page}.md"), format!("# Page {page}\n\nOf {number}.\n")))
                .collect();
            let pages: Vec<(&str, &str)> =
                pages.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
            let job = env.import_archive(&space, "application/zip", zip(&pages)).await;
            assert_eq!(job.text_at("/status"), "done", "{job}");
            spaces.push(space);
        }
        // Each space has files with the map objects of all spaces: its own, which are visited
        // together with the original, and those of others, which are visited before or after it.
        let mut copied = Vec::new();
        for space in &spaces {
            let objects = inner_objects(env, space).await;
            assert!(objects.len() > 3, "the map of pages is in parts");
            copied.extend(objects);
        }
        for space in &spaces {
            add_files(env, space, &copied).await;
        }
        // A copy has a single revision, so that no older revision refers to the objects.
        let mut copies = Vec::new();
        for space in &spaces {
            let copy = env.of_space("duplicateSpace", space).await.expect(201);
            copies.push(copy.text_at("/id").to_owned());
            let _deleted = env.of_space("deleteSpaceById", space).await.expect(205);
        }
        let remove = async |store: &Store| {
            while app_spaces::remove_one(store, SystemClock.now()).await.unwrap() {}
        };
        env.with_store(remove).await;
        let mut before = Vec::new();
        for copy in &copies {
            before.push(read_summary(env, copy).await);
        }
        collect_thrice(env).await;
        for (copy, before) in copies.iter().zip(before) {
            assert_eq!(read_summary(env, copy).await, before);
        }
    });
}

#[test]
fn older_revisions_keep_their_git_information() {
    each_engine(async |env: &mut TestEnv| {
        let git = GitServer::start();
        let repository = git.repository("team/docs.git");
        let space = env.space("Imported").await;
        for word in ["first", "second"] {
            let text = format!("# {word}\n");
            let files = vec![Change::file("README.md", &text), Change::file("page.md", &text)];
            let _commit = repository.commit("main", word, files);
            let from = json!({ "url": git.url("team/docs.git"), "ref": "refs/heads/main" });
            let job = env.import(&space, &from).await;
            assert_eq!(job.text_at("/status"), "done", "{job}");
        }
        let before = read_everything(env, &space).await;
        assert!(before.iter().any(|text| text.contains("\"oid\"")), "{before:?}");
        collect_thrice(env).await;
        assert_eq!(read_everything(env, &space).await, before);
    });
}

/// Edits, imports, templates and merges do not store intermediate objects: a collection finds only
/// the imported archives to remove.
#[test]
fn changes_store_no_intermediate_objects() {
    each_engine(async |env: &mut TestEnv| {
        let space = env.space("Edited").await;
        for word in ["first", "second"] {
            let job = env.import_archive(&space, "application/zip", folder(word)).await;
            assert_eq!(job.text_at("/status"), "done", "{job}");
        }
        let insert = |number: usize| {
            let text = format!("Text {number}, [home](README.md).\n");
            let title = format!("Page {number}");
            json!({ "operation": "insert_page", "title": title, "document": { "markdown": text } })
        };
        let _made = change(&env.client, &space, (0..50).map(insert).collect()).await;
        let template = env.client.call("applyTemplateToSpace").path("spaceId", &space);
        let wanted = json!({ "id": "handbook" });
        let _applied = template.json(&wanted).send().await.expect(201);
        let pages = env.of_space("listPages", &space).await.expect(200);
        let page = pages.text_at("/pages/1/id").to_owned();
        let mut proposals = Vec::new();
        for title in ["Ours", "Theirs"] {
            let made = env.client.call("createChangeRequest").path("spaceId", &space);
            let made = made.json(&json!({})).send().await.expect(201);
            proposals.push((title, made.text_at("/id").to_owned()));
        }
        let of = |operation: &str, id: &str| {
            let call = env.client.call(operation).path("spaceId", &space);
            call.path("changeRequestId", id)
        };
        for (title, id) in &proposals {
            let update = json!({ "changes": [
                { "operation": "update_page", "page": page, "title": "In between" },
                insert(100),
                { "operation": "update_page", "page": page, "title": title, "at": 7 },
                insert(101),
            ] });
            let _made = of("updateChangeRequestContent", id).json(&update).send().await.expect(200);
        }
        let [(_, ours), (_, theirs)] = &proposals[..] else { panic!("two proposals") };
        let merged = of("mergeChangeRequest", theirs).send().await.expect(200);
        assert_eq!(merged.text_at("/result"), "merge");
        let merged = of("mergeChangeRequest", ours).send().await.expect(200);
        assert_eq!(merged.text_at("/result"), "conflicts");
        let choice = of("resolveChangeRequestConflicts", ours).json(&json!({ "choice": "main" }));
        assert_eq!(choice.send().await.expect(200).at("/conflicts"), &json!(0));
        let merged = of("mergeChangeRequest", ours).send().await.expect(200);
        assert_eq!(merged.text_at("/result"), "merge");

        let removed = env.with_store(async |store| {
            let mut removed = Vec::new();
            for _ in 0..3 {
                let round = collector::collect(store, Duration::ZERO).await.unwrap().unwrap();
                removed.push(round.removed);
            }
            removed
        });
        assert_eq!(removed.await, [0, 2, 0]);
    });
}
