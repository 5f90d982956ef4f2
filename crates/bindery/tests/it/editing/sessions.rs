//! Sessions: the order of steps, refusals, and the revisions that they become.

use bindery_testkit::Client;
use serde_json::json;

use super::{Writer, insertion, written};
use crate::support::people::id_of;
use crate::support::{TestEnv, each_engine, items, until};

#[test]
fn steps_of_several_people_come_into_one_text() {
    each_engine(async |env: &mut TestEnv| {
        let client = env.client.clone();
        let (proposal, page) = written(env, &client).await;
        let ann = env.person("ann@example.com", Some("edit")).await;
        let mut own = Writer::join(&env.client, &proposal, &page, "own").await;
        let mut others = Writer::join(&ann, &proposal, &page, "others").await;
        assert_eq!(own.session, others.session);
        assert_eq!(own.text().await, "One.\nTwo.\nThree.");
        assert_eq!(own.write(5, " Own").await, 1);
        // These were made for the version before.
        assert_eq!(others.write(5, " Others").await, 2);
        assert_eq!(others.write(11, " Second").await, 3);
        assert_eq!(own.text().await, "One. Own Others\nTwo. Second\nThree.");

        let steps = own.steps(0).await.expect(200);
        let list = items(&steps);
        assert_eq!(list.len(), 3);
        assert_eq!(list[0]["client"], "own");
        assert_eq!(list[1]["steps"], json!([insertion(9, " Others")]));
        assert_eq!(list[1]["user"], json!(id_of(&ann).await));
        assert_eq!(items(&own.steps(2).await.expect(200)).len(), 1);

        let before = proposal.get("getChangeRequestById").await;
        let revision = own.save().await;
        assert_ne!(revision, before.text_at("/revision"));
        let text = "# Page\n\nOne. Own Others\n\nTwo. Second\n\nThree.\n";
        assert_eq!(proposal.markdown(&page).await, text);
        // There is nothing more to save.
        assert_eq!(others.save().await, revision);
        let contributors = proposal.get("getContributorsByChangeRequestId").await;
        assert_eq!(items(&contributors).len(), 2, "{contributors}");
        assert_eq!(own.text().await, "One. Own Others\nTwo. Second\nThree.");
    });
}

#[test]
fn a_batch_that_arrives_twice_is_accepted_once() {
    each_engine(async |env: &mut TestEnv| {
        let client = env.client.clone();
        let (proposal, page) = written(env, &client).await;
        let mut own = Writer::join(&env.client, &proposal, &page, "own").await;
        assert_eq!(own.write(5, "!").await, 1);
        let again = own.send_again(json!([insertion(5, "!")]), false).await.expect(200);
        assert_eq!(again.at("/version"), &json!(1));
        assert_eq!(own.text().await, "One.!\nTwo.\nThree.");
        // Nobody takes the name of another one.
        let ann = env.person("ann@example.com", Some("edit")).await;
        let mut thief = Writer::join(&ann, &proposal, &page, "own").await;
        let refused = thief.send(json!([insertion(1, "?")]), false).await.expect(409);
        assert!(refused.message().starts_with("body at /client: another user"), "{refused}");
    });
}

#[test]
fn steps_that_do_not_fit_change_nothing() {
    each_engine(async |env: &mut TestEnv| {
        let client = env.client.clone();
        let (proposal, page) = written(env, &client).await;
        let mut own = Writer::join(&env.client, &proposal, &page, "own").await;
        let unknown = json!({
            "stepType": "replace", "from": 0, "to": 0,
            "slice": { "content": [{ "type": "atom", "attrs": { "json": {
                "object": "block", "type": "nothing-known", "data": {},
            } } }] },
        });
        for (steps, expect) in [
            (json!([insertion(0, "text")]), "body at /steps/0: "),
            (json!([insertion(500, "text")]), "body at /steps/0: "),
            (json!([insertion(1, "a"), { "stepType": "dance" }]), "body at /steps/1: "),
            (json!([{ "stepType": "replace", "from": 0, "to": 18 }]), "body at /steps/0: "),
            (json!([unknown]), "body at /steps"),
        ] {
            let refused = own.send(steps.clone(), true).await.expect(400);
            assert!(refused.message().starts_with(expect), "{steps}: {refused}");
        }
        own.version = 7;
        let refused = own.send(json!([insertion(1, "a")]), false).await.expect(400);
        assert!(refused.message().contains("found 7, allowed: up to 0"), "{refused}");
        assert_eq!(own.text().await, "One.\nTwo.\nThree.");
        let body = json!({ "version": 0, "client": "a b", "number": 1, "steps": [] });
        let _refused = own.of_session("sendEditingSteps").json(&body).send().await.expect(400);
        own.session = "AAAAAAAAAAAAAAAAAAAA".to_owned();
        own.version = 0;
        let _missing = own.send(json!([insertion(1, "a")]), false).await.expect(404);
        own.page = own.session.clone();
        let _missing = own.rejoin(&json!({})).await.expect(404);
    });
}

#[test]
fn a_text_is_saved_after_a_pause() {
    each_engine(async |env: &mut TestEnv| {
        let client = env.client.clone();
        let (proposal, page) = written(env, &client).await;
        let mut own = Writer::join(&env.client, &proposal, &page, "own").await;
        own.write(5, " More.").await;
        until(async || proposal.markdown(&page).await.contains("One. More.").then_some(())).await;
        let state = own.rejoin(&json!({})).await.expect(200);
        assert_eq!(state.at("/saved"), state.at("/version"));
    });
}

#[test]
fn accepted_steps_survive_the_end_of_the_server() {
    each_engine(async |env: &mut TestEnv| {
        let client = env.client.clone();
        let (proposal, page) = written(env, &client).await;
        let mut own = Writer::join(&env.client, &proposal, &page, "own").await;
        let (space, id) = (proposal.space.clone(), proposal.id.clone());
        for round in 0..5 {
            let word = format!(" {round}");
            own.version = own.write(5 + 2 * round, &word).await;
            env.kill().await;
            own.client = env.client.clone();
        }
        assert_eq!(own.text().await, "One. 0 1 2 3 4\nTwo.\nThree.");
        own.save().await;
        let read = env.client.call("getPageInChangeRequestById").path("spaceId", &space);
        let read = read.path("changeRequestId", &id).path("pageId", &page);
        let read = read.query("format", "markdown").send().await.expect(200);
        assert!(read.text_at("/markdown").contains("One. 0 1 2 3 4\n"), "{read}");
    });
}

#[test]
fn a_session_that_forgot_steps_is_joined_again() {
    each_engine(async |env: &mut TestEnv| {
        let client = env.client.clone();
        let (proposal, page) = written(env, &client).await;
        let mut own = Writer::join(&env.client, &proposal, &page, "own").await;
        own.write(5, "!").await;
        own.save().await;
        env.edit_store(|tx| tx.execute("DELETE FROM editing_batches", &[])).await;
        own.client = env.client.clone();
        let refused = own.send(json!([insertion(5, "?")]), false).await.expect(409);
        assert!(refused.message().contains("no longer kept: join the session again"), "{refused}");
        let _gone = own.steps(0).await.expect(409);
        assert_eq!(own.text().await, "One.!\nTwo.\nThree.");
        own.version = 1;
        assert_eq!(own.write(6, "?").await, 2);
        assert_eq!(own.text().await, "One.!?\nTwo.\nThree.");
    });
}

#[test]
fn readers_take_no_part() {
    each_engine(async |env: &mut TestEnv| {
        let client = env.client.clone();
        let (proposal, page) = written(env, &client).await;
        let reader: Client = env.person("reader@example.com", Some("read")).await;
        let own = Writer::join(&env.client, &proposal, &page, "own").await;
        let reader = Writer { client: reader, name: "reader".to_owned(), ..own };
        let _refused = reader.rejoin(&json!({})).await.expect(403);
        let _refused = reader.steps(0).await.expect(403);
        let _refused = reader.send_again(json!([]), true).await.expect(403);
    });
}

#[test]
fn a_text_with_very_many_unsaved_batches_survives_the_end_of_the_server() {
    each_engine(async |env: &mut TestEnv| {
        let client = env.client.clone();
        let space = env.space("Together").await;
        let proposal = crate::support::change_requests::Proposal::new(&client, &space).await;
        let page = proposal.page("Page", "One.\n").await;
        let id = proposal.id.clone();
        let mut own = Writer::join(&env.client, &proposal, &page, "own").await;
        own.version = own.write(5, " ").await;
        env.edit_store(add_batches).await;
        own.client = env.client.clone();
        let text = format!("One. {}", "a".repeat(2_500));
        assert_eq!(own.text().await, text);
        // One more makes the text the base of the next ones.
        own.version = 2_501;
        own.version = own.write(5, "b").await;
        env.kill().await;
        own.client = env.client.clone();
        assert_eq!(own.text().await, text.replacen("One. ", "One.b ", 1));
        own.save().await;
        let read = env.client.call("getPageInChangeRequestById").path("spaceId", &space);
        let read = read.path("changeRequestId", &id).path("pageId", &page);
        let read = read.query("format", "markdown").send().await.expect(200);
        assert!(read.text_at("/markdown").contains(&format!("One.b {}", "a".repeat(2_500))));
    });
}

/// Adds 2,500 batches of one letter to the only session, as many people write them within seconds.
fn add_batches(tx: &bindery_store::Tx<'_>) -> Result<(), bindery_store::StoreError> {
    let step = json!([insertion(6, "a")]).to_string();
    for version in 2..=2_501_i64 {
        let stamp = format!("stamp{version}");
        tx.execute(
            "INSERT INTO editing_batches (session, version, client, number, user_id, steps, \
             conflicts, stamp, created_at) SELECT id, $1, 'own', $1, NULL, $2, 0, $3, changed_at \
             FROM editing_sessions",
            &[version.into(), step.as_str().into(), stamp.as_str().into()],
        )?;
    }
    tx.execute("UPDATE editing_sessions SET version = 2501, stamp = 'stamp2501'", &[])?;
    Ok(())
}

#[test]
fn steps_that_are_long_are_not_all_held_in_memory() {
    each_engine(async |env: &mut TestEnv| {
        let client = env.client.clone();
        let (proposal, page) = written(env, &client).await;
        let mut own = Writer::join(&env.client, &proposal, &page, "own").await;
        let long = "long ".repeat(180_000);
        for round in 0..20 {
            let text = format!("{round} {long}");
            let to = if round == 0 { 5 } else { 1 + 2 + long.len() + usize::from(round > 10) };
            let slice = json!({ "content": [{ "type": "text", "text": text }] });
            let step = json!({ "stepType": "replace", "from": 1, "to": to, "slice": slice });
            own.version =
                own.send(json!([step]), false).await.expect(200).at("/version").as_i64().unwrap();
        }
        let refused = own.steps(0).await.expect(409);
        assert!(refused.message().contains("too many"), "{refused}");
        let mut late = Writer::join(&env.client, &proposal, &page, "late").await;
        late.version = 1;
        let _refused = late.send(json!([insertion(1, "Late")]), false).await.expect(409);
        // One that is a little behind finds the steps in the store.
        late.version = own.version - 2;
        let _accepted = late.send(json!([insertion(1, "Late ")]), false).await.expect(200);
        let text = own.text().await;
        assert!(text.starts_with("Late 19 long long") && text.contains("\nTwo."), "{text:.100}");
    });
}
