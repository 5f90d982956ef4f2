//! Pages of the main content that people write without a change request.

use bindery_testkit::Client;
use serde_json::{Value, json};

use super::{Writer, insertion, written};
use crate::support::people::id_of;
use crate::support::{TestEnv, each_engine, items, until};

/// Creates a space whose main content has a page of three paragraphs.
async fn published(env: &TestEnv) -> (String, String) {
    let client = env.client.clone();
    let (proposal, page) = written(env, &client).await;
    let _merged = proposal.merge().await.expect(200);
    (proposal.space.clone(), page)
}

async fn markdown(client: &Client, space: &str, page: &str) -> String {
    let read = client.call("getPageById").path("spaceId", space).path("pageId", page);
    let read = read.query("format", "markdown").send().await.expect(200);
    read.text_at("/markdown").to_owned()
}

async fn history(client: &Client, space: &str) -> Vec<Value> {
    items(&client.call("listSpaceHistory").path("spaceId", space).send().await.expect(200)).to_vec()
}

#[test]
fn a_session_becomes_one_revision_with_its_authors() {
    each_engine(async |env: &mut TestEnv| {
        let (space, page) = published(env).await;
        let ann = env.person("ann@example.com", Some("edit")).await;
        let before = history(&env.client, &space).await.len();
        let mut own = Writer::live(&env.client, &space, &page, "own").await;
        let mut others = Writer::live(&ann, &space, &page, "others").await;
        own.write(5, " Own").await;
        others.write(11, " Others").await;
        own.version = 2;
        own.write(5, " More").await;
        assert!(!markdown(&env.client, &space, &page).await.contains("Own"));
        let revision = others.save().await;
        let text = "# Page\n\nOne. More Own\n\nTwo. Others\n\nThree.\n";
        assert_eq!(markdown(&env.client, &space, &page).await, text);
        let history = history(&env.client, &space).await;
        assert_eq!(history.len(), before + 1);
        assert_eq!(history[0]["revision"], json!(revision));
        assert_eq!(history[0]["author"]["displayName"], json!("Administrator"));
        assert_eq!(history[0]["otherAuthors"][0]["id"], json!(id_of(&ann).await));
        let open = env.client.call("listChangeRequestsForSpace").path("spaceId", &space);
        let open = open.query("status", "open").send().await.expect(200);
        assert!(items(&open).is_empty());
    });
}

#[test]
fn a_session_is_saved_after_a_longer_pause() {
    each_engine(async |env: &mut TestEnv| {
        let (space, page) = published(env).await;
        let mut own = Writer::live(&env.client, &space, &page, "own").await;
        own.write(5, " Own").await;
        env.edit_store(|tx| {
            tx.execute("UPDATE editing_sessions SET changed_at = changed_at - 31000", &[])
        })
        .await;
        let client = env.client.clone();
        until(async || markdown(&client, &space, &page).await.contains("Own").then_some(())).await;
    });
}

#[test]
fn a_locked_space_keeps_what_was_written_and_takes_no_more() {
    each_engine(async |env: &mut TestEnv| {
        let (space, page) = published(env).await;
        let mut own = Writer::live(&env.client, &space, &page, "own").await;
        own.write(5, " Own").await;
        let lock = env.client.call("updateSpaceById").path("spaceId", &space);
        let _locked = lock.json(&json!({ "editMode": "locked" })).send().await.expect(200);
        assert!(markdown(&env.client, &space, &page).await.contains("One. Own\n"));
        let refused = own.send(json!([insertion(5, "!")]), false).await.expect(409);
        assert!(refused.message().contains("the space is locked"), "{refused}");
        let _refused = own.rejoin(&json!({})).await.expect(409);
    });
}

#[test]
fn other_changes_of_the_main_content_come_together_with_it() {
    each_engine(async |env: &mut TestEnv| {
        let (space, page) = published(env).await;
        let mut own = Writer::live(&env.client, &space, &page, "own").await;
        own.write(5, " Own").await;
        let change = json!({ "changes": [{
            "operation": "update_page", "page": page,
            "document": { "markdown": "One.\n\nTwo.\n\nThree and more.\n" },
        }] });
        let update = env.client.call("updateSpaceContent").path("spaceId", &space);
        let _updated = update.json(&change).send().await.expect(200);
        assert_eq!(own.text().await, "One. Own\nTwo.\nThree and more.");
        // A change request begins with what was written, and a deleted page ends in the history.
        let begin = env.client.call("createChangeRequest").path("spaceId", &space);
        let begun = begin.json(&json!({})).send().await.expect(201);
        let read = env.client.call("getPageInChangeRequestById").path("spaceId", &space);
        let read = read.path("changeRequestId", begun.text_at("/id")).path("pageId", &page);
        let read = read.query("format", "markdown").send().await.expect(200);
        assert!(read.text_at("/markdown").contains("One. Own\n"), "{read}");
        own.version = 2;
        own.write(5, "!").await;
        let delete = json!({ "changes": [{ "operation": "delete_page", "page": page }] });
        let update = env.client.call("updateSpaceContent").path("spaceId", &space);
        let _deleted = update.json(&delete).send().await.expect(200);
        let kept = history(&env.client, &space).await;
        let at = kept[1]["revision"].as_str().unwrap();
        let read = env.client.call("getPageInRevisionById").path("spaceId", &space);
        let read = read.path("revisionId", at).path("pageId", &page);
        let read = read.query("format", "markdown").send().await.expect(200);
        assert!(read.text_at("/markdown").contains("One.! Own\n"), "{read}");
        let _gone = own.send(json!([insertion(5, "!")]), false).await.expect(404);
    });
}

#[test]
fn only_people_who_may_change_the_content_take_part() {
    each_engine(async |env: &mut TestEnv| {
        let (space, page) = published(env).await;
        let own = Writer::live(&env.client, &space, &page, "own").await;
        let ann = env.person("ann@example.com", Some("comment")).await;
        let stranger = Writer { client: ann, name: "ann".to_owned(), ..own };
        let _refused = stranger.rejoin(&json!({})).await.expect(403);
        let _refused = stranger.steps(0).await.expect(403);
        let _refused = stranger.send_again(json!([insertion(5, "!")]), false).await.expect(403);
    });
}
