//! The steps and revisions that remain of what people typed.

use bindery_app::review::editing;
use bindery_store::StoreError;
use serde_json::json;

use super::{Writer, branched, written};
use crate::support::change_requests::Proposal;
use crate::support::{TestEnv, each_engine};

/// Returns the answer to a request for a revision of a change request's space.
async fn revision(proposal: &Proposal<'_>, id: &str) -> bindery_testkit::Answer {
    let call = proposal.client.call("getRevisionById").path("spaceId", &proposal.space);
    call.path("revisionId", id).send().await
}

/// Returns the parents of a revision.
async fn parents(proposal: &Proposal<'_>, id: &str) -> serde_json::Value {
    revision(proposal, id).await.expect(200).at("/parents").clone()
}

/// Lets time pass for everything that was typed, and compacts the histories.
async fn pass(env: &mut TestEnv, minutes: i64) {
    env.with_store(async |store| {
        let move_back = move |tx: &bindery_store::Tx<'_>| {
            let by = minutes * 60_000;
            for sql in [
                "UPDATE revisions SET created_at = created_at - $1, typed_since = typed_since - $1",
                "UPDATE editing_batches SET created_at = created_at - $1",
                "UPDATE editing_sessions SET changed_at = changed_at - $1",
            ] {
                tx.execute(sql, &[by.into()])?;
            }
            Ok::<_, StoreError>(())
        };
        store.write(move_back).await.unwrap();
        editing::compact(store).await.unwrap();
    })
    .await;
}

/// Appends a text to the first paragraph, and saves it. Returns the revision.
async fn append(writer: &mut Writer, text: &str) -> String {
    writer.version = writer.write(4, text).await;
    writer.save().await
}

#[test]
fn one_revision_remains_of_what_was_typed_in_ten_minutes() {
    each_engine(async |env: &mut TestEnv| {
        let client = env.client.clone();
        let (proposal, page) = written(env, &client).await;
        let begin = proposal.get("getChangeRequestById").await.text_at("/revision").to_owned();
        let mut own = Writer::join(&env.client, &proposal, &page, "own").await;
        let first = append(&mut own, " a").await;
        let second = append(&mut own, " b").await;
        let third = append(&mut own, " c").await;
        for one in [&first, &second, &third] {
            assert_eq!(parents(&proposal, one).await, json!([begin]));
        }
        pass(env, 50).await;
        let proposal = Proposal { client: &env.client, ..proposal };
        own.client = env.client.clone();
        // All of them can be read for an hour, and the next text is that of other minutes.
        let _kept = revision(&proposal, &first).await.expect(200);
        let _gone = own.steps(0).await.expect(409);
        let later = append(&mut own, " d").await;
        assert_eq!(parents(&proposal, &later).await, json!([third]));
        let (space, id) = (proposal.space.clone(), proposal.id.clone());
        pass(env, 15).await;
        let proposal = Proposal { client: &env.client, space, id };
        for gone in [&first, &second] {
            let _absent = revision(&proposal, gone).await.expect(404);
        }
        for kept in [&third, &later] {
            let _kept = revision(&proposal, kept).await.expect(200);
        }
        assert!(proposal.markdown(&page).await.contains("One d c b a."));
        let _merged = proposal.merge().await.expect(200);
    });
}

#[test]
fn a_revision_stays_while_something_refers_to_it() {
    each_engine(async |env: &mut TestEnv| {
        let client = env.client.clone();
        let (proposal, page) = written(env, &client).await;
        let other = proposal.page("Other", "Text.\n").await;
        let mut own = Writer::join(&env.client, &proposal, &page, "own").await;
        let commented = append(&mut own, " a").await;
        let comment = json!({ "body": { "markdown": "Good." } });
        let comment = proposal.call("postCommentInChangeRequest").json(&comment).send().await;
        let _comment = comment.expect(200);
        let unseen = append(&mut own, " b").await;
        // The text of the other page begins with this revision.
        let joined = append(&mut own, " c").await;
        let mut beside = Writer::join(&env.client, &proposal, &other, "own").await;
        let last = append(&mut own, " d").await;
        pass(env, 70).await;
        let proposal = Proposal { client: &env.client, ..proposal };
        for kept in [&commented, &joined, &last] {
            let _kept = revision(&proposal, kept).await.expect(200);
        }
        let _absent = revision(&proposal, &unseen).await.expect(404);
        beside.client = env.client.clone();
        beside.write(1, "More. ").await;
        beside.save().await;
        let (space, id) = (proposal.space.clone(), proposal.id.clone());
        pass(env, 1).await;
        let proposal = Proposal { client: &env.client, space, id };
        let _absent = revision(&proposal, &joined).await.expect(404);
        let _kept = revision(&proposal, &commented).await.expect(200);
        let text = (proposal.markdown(&page).await, proposal.markdown(&other).await);
        assert!(text.0.contains("One d c b a.") && text.1.contains("More. Text."), "{text:?}");
    });
}

#[test]
fn the_revisions_of_a_branch_have_their_authors() {
    each_engine(async |env: &mut TestEnv| {
        let (_branches, _, proposal, home) = branched(env, "Welcome.\n").await;
        let mut own = Writer::join(&env.client, &proposal, &home, "own").await;
        let first = append(&mut own, " a").await;
        let second = append(&mut own, " b").await;
        assert_eq!(parents(&proposal, &second).await, json!([first]));
    });
}
