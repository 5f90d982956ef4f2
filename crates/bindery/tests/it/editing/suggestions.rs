//! Suggestions: changes of a person that others accept or refuse.

use bindery_testkit::Answer;
use serde_json::{Value, json};

use super::{Writer, insertion, written};
use crate::support::change_requests::Proposal;
use crate::support::people::id_of;
use crate::support::{TestEnv, each_engine, items};

async fn listed(proposal: &Proposal<'_>) -> Vec<Value> {
    items(&proposal.get("listSuggestions").await.expect(200)).to_vec()
}

async fn decide(proposal: &Proposal<'_>, operation: &str, ids: &[&Value]) -> Answer {
    proposal.call(operation).json(&json!({ "suggestions": ids })).send().await
}

fn removal(from: usize, to: usize) -> Value {
    json!({ "stepType": "replace", "from": from, "to": to })
}

#[test]
fn suggestions_are_accepted_and_refused() {
    each_engine(async |env: &mut TestEnv| {
        let client = env.client.clone();
        let (proposal, page) = written(env, &client).await;
        let ann = env.person("ann@example.com", Some("review")).await;
        let mut suggested = Writer::suggest(&ann, &proposal, &page, "ann").await;
        // The last ones come first, so that the positions are those of the page.
        let steps = json!([removal(13, 19), insertion(10, " too"), insertion(5, " More.")]);
        let _sent = suggested.send(steps, false).await.expect(200);
        assert_eq!(suggested.text().await, "One.\nTwo.\nThree.");
        assert!(!proposal.markdown(&page).await.contains("More"));

        let found = listed(&proposal).await;
        let parts = |name: &str| found.iter().map(|one| one[name].clone()).collect::<Vec<_>>();
        assert_eq!(parts("kind"), ["insert", "insert", "delete"]);
        assert_eq!(parts("before"), ["", "", "Three."]);
        assert_eq!(parts("after"), [" More.", " too", ""]);
        assert_eq!(parts("from"), [5, 10, 13].map(|at| json!(at)));
        assert_eq!(found[0]["author"]["id"], json!(id_of(&ann).await));
        assert_eq!(found[2]["suggested"]["from"], json!(23));
        assert_eq!(found[0]["suggested"]["session"], json!(suggested.session));

        let accepted = decide(&proposal, "acceptSuggestions", &[&found[0]["id"]]).await.expect(200);
        let head = proposal.get("getChangeRequestById").await;
        assert_eq!(accepted.at("/revision"), head.at("/revision"));
        let text = "# Page\n\nOne. More.\n\nTwo.\n\nThree.\n";
        assert_eq!(proposal.markdown(&page).await, text);
        let rest = listed(&proposal).await;
        assert_eq!(rest.len(), 2);
        // The ids of the others are as before.
        let _refused = decide(&proposal, "refuseSuggestions", &[&found[2]["id"]]).await.expect(204);
        let rest = listed(&proposal).await;
        assert_eq!((rest.len(), &rest[0]["id"]), (1, &found[1]["id"]));
        let _gone = decide(&proposal, "acceptSuggestions", &[&found[2]["id"]]).await.expect(404);
        let contributors = proposal.get("getContributorsByChangeRequestId").await;
        assert_eq!(items(&contributors).len(), 2, "{contributors}");
    });
}

#[test]
fn suggestions_move_with_the_text() {
    each_engine(async |env: &mut TestEnv| {
        let client = env.client.clone();
        let (proposal, page) = written(env, &client).await;
        let ann = env.person("ann@example.com", Some("review")).await;
        let mut suggested = Writer::suggest(&ann, &proposal, &page, "ann").await;
        suggested.write(11, " too").await;
        let known = listed(&proposal).await;
        assert_eq!((known[0]["from"].clone(), known[0].get("version")), (json!(11), None));
        // What is being written, and what a program wrote.
        let mut own = Writer::join(&env.client, &proposal, &page, "own").await;
        own.version = own.write(5, " Typed.").await;
        let typed = listed(&proposal).await;
        assert_eq!((&typed[0]["from"], &typed[0]["version"]), (&json!(18), &json!(1)));
        own.save().await;
        proposal.set(&page, "New.\n\nOne. Typed.\n\nTwo.\n\nThree.\n").await;
        let moved = listed(&proposal).await;
        assert_eq!((&moved[0]["from"], &moved[0]["id"]), (&json!(24), &known[0]["id"]));
        own.version = 2;
        own.write(1, "Very ").await;
        let _accepted =
            decide(&proposal, "acceptSuggestions", &[&known[0]["id"]]).await.expect(200);
        let text = "# Page\n\nVery New.\n\nOne. Typed.\n\nTwo. too\n\nThree.\n";
        assert_eq!(proposal.markdown(&page).await, text);
        assert_eq!(own.text().await, "Very New.\nOne. Typed.\nTwo. too\nThree.");
        assert!(listed(&proposal).await.is_empty());
    });
}

#[test]
fn suggestions_of_several_people_are_accepted_together() {
    each_engine(async |env: &mut TestEnv| {
        let client = env.client.clone();
        let (proposal, page) = written(env, &client).await;
        let ann = env.person("ann@example.com", Some("review")).await;
        let mut own = Writer::suggest(&env.client, &proposal, &page, "own").await;
        let mut others = Writer::suggest(&ann, &proposal, &page, "ann").await;
        assert_ne!(own.session, others.session);
        own.write(5, " Own").await;
        others.write(5, " Others").await;
        others.version = 1;
        others.write(26, "!").await;
        let found = listed(&proposal).await;
        let ids: Vec<&Value> = found.iter().map(|one| &one["id"]).collect();
        assert_eq!(ids.len(), 3);
        let _accepted = decide(&proposal, "acceptSuggestions", &ids).await.expect(200);
        let text = proposal.markdown(&page).await;
        for words in [" Own", " Others", "Three.!"] {
            assert!(text.contains(words), "{words}: {text}");
        }
        assert!(listed(&proposal).await.is_empty());
    });
}

#[test]
fn suggestions_are_refused_where_nobody_can_make_them() {
    each_engine(async |env: &mut TestEnv| {
        let client = env.client.clone();
        let (proposal, page) = written(env, &client).await;
        let ann = env.person("ann@example.com", Some("review")).await;
        let mut suggested = Writer::suggest(&ann, &proposal, &page, "ann").await;
        suggested.write(5, " More.").await;
        // Nobody writes in the suggestions of another person.
        let mut stranger =
            Writer { client: env.client.clone(), name: "own".to_owned(), ..suggested };
        let _refused = stranger.send(json!([insertion(5, "!")]), false).await.expect(403);
        let _refused = stranger.steps(0).await.expect(403);
        let reader = env.person("ben@example.com", Some("read")).await;
        let seen = reader.call("listSuggestions").path("spaceId", &proposal.space);
        let seen = seen.path("changeRequestId", &proposal.id).send().await.expect(200);
        let id = items(&seen)[0]["id"].clone();
        let refused = reader.call("acceptSuggestions").path("spaceId", &proposal.space);
        let refused = refused.path("changeRequestId", &proposal.id);
        let _refused = refused.json(&json!({ "suggestions": [id] })).send().await.expect(403);
        for (ids, status) in [
            (json!([]), 400),
            (json!(["nothing"]), 404),
            (json!([format!("{}.0000", stranger.session)]), 404),
            (json!([id, id]), 200),
        ] {
            let call = proposal.call("acceptSuggestions").json(&json!({ "suggestions": ids }));
            let _answer = call.send().await.expect(status);
        }
        stranger.change_request = String::new();
        let refused = stranger.rejoin(&json!({ "suggest": true })).await.expect(400);
        assert!(refused.message().contains("/suggest: allowed for a change request"), "{refused}");
        let _merged = proposal.merge().await.expect(200);
        let _refused = decide(&proposal, "refuseSuggestions", &[&id]).await.expect(409);
    });
}

#[test]
fn suggestions_stay_when_nobody_is_there() {
    each_engine(async |env: &mut TestEnv| {
        let client = env.client.clone();
        let (proposal, page) = written(env, &client).await;
        let mut suggested = Writer::suggest(&env.client, &proposal, &page, "own").await;
        suggested.write(5, " More.").await;
        suggested.save().await;
        let (space, id) = (proposal.space.clone(), proposal.id.clone());
        env.edit_store(|tx| {
            tx.execute("DELETE FROM editing_batches", &[])?;
            tx.execute("UPDATE editing_sessions SET changed_at = 0", &[])?;
            bindery_app::review::editing::remove_idle(tx)
        })
        .await;
        let found = env.client.call("listSuggestions").path("spaceId", &space);
        let found = found.path("changeRequestId", &id).query("pageId", &page);
        let found = found.send().await.expect(200);
        assert_eq!(items(&found)[0]["after"], json!(" More."));
        let other = env.client.call("listSuggestions").path("spaceId", &space);
        let other = other.path("changeRequestId", &id).query("pageId", &space);
        assert!(items(&other.send().await.expect(200)).is_empty());
    });
}

#[test]
fn nothing_is_left_when_all_suggestions_are_accepted() {
    each_engine(async |env: &mut TestEnv| {
        let client = env.client.clone();
        let (proposal, page) = written(env, &client).await;
        let mut suggested = Writer::suggest(&env.client, &proposal, &page, "own").await;
        // The page keeps no bold space at the end of a word.
        let bold = json!({
            "stepType": "addMark", "mark": { "type": "bold" }, "from": 1, "to": 6,
        });
        let steps = json!([insertion(5, " More."), bold]);
        let _sent = suggested.send(steps, false).await.expect(200);
        let found = listed(&proposal).await;
        let ids: Vec<&Value> = found.iter().map(|one| &one["id"]).collect();
        let _accepted = decide(&proposal, "acceptSuggestions", &ids).await.expect(200);
        let text = "# Page\n\n**One.** More.\n\nTwo.\n\nThree.\n";
        assert_eq!(proposal.markdown(&page).await, text);
        assert_eq!(listed(&proposal).await, Vec::<Value>::new());
    });
}
