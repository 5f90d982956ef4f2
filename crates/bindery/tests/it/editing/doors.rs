//! Changes of a page by programs while people write it, and everything that needs the text.

use serde_json::json;

use super::{Writer, branched, written};
use crate::support::change_requests::Proposal;
use crate::support::{TestEnv, each_engine, items};

#[test]
fn a_program_changes_the_page_while_people_write() {
    each_engine(async |env: &mut TestEnv| {
        let client = env.client.clone();
        let (proposal, page) = written(env, &client).await;
        let mut own = Writer::join(&env.client, &proposal, &page, "own").await;
        own.write(5, " Typed.").await;
        // The program does not know what was typed: it changes another block, and this one.
        proposal.set(&page, "ONE.\n\nTwo.\n\nThree and more.\n").await;
        assert_eq!(own.text().await, "ONE. Typed.\nTwo.\nThree and more.");
        let steps = own.steps(1).await.expect(200);
        let list = items(&steps);
        assert_eq!(list.len(), 1);
        assert_eq!(list[0].get("client"), None);
        // Late steps are adapted to the change of the program.
        own.write(11, " Late.").await;
        own.save().await;
        let text = "# Page\n\nONE. Typed.\n\nTwo. Late.\n\nThree and more.\n";
        assert_eq!(proposal.markdown(&page).await, text);
        assert_eq!(own.text().await, "ONE. Typed.\nTwo. Late.\nThree and more.");
    });
}

#[test]
fn what_people_write_is_not_removed_by_a_program() {
    each_engine(async |env: &mut TestEnv| {
        let client = env.client.clone();
        let (proposal, page) = written(env, &client).await;
        let mut own = Writer::join(&env.client, &proposal, &page, "own").await;
        own.write(10, " typed").await;
        proposal.set(&page, "One.\n\nThree.\n").await;
        let joined = own.rejoin(&json!({})).await.expect(200);
        assert_eq!(super::lines(joined.at("/document")), "One.\nTwo typed.\nThree.");
        let steps = own.steps(1).await.expect(200);
        assert_eq!(items(&steps)[0]["conflicts"], json!(1));
        own.save().await;
        assert_eq!(proposal.markdown(&page).await, "# Page\n\nOne.\n\nTwo typed.\n\nThree.\n");
    });
}

#[test]
fn a_program_that_names_its_revision_is_refused_if_it_is_late() {
    each_engine(async |env: &mut TestEnv| {
        let client = env.client.clone();
        let (proposal, page) = written(env, &client).await;
        let known = proposal.get("getChangeRequestById").await.text_at("/revision").to_owned();
        let mut own = Writer::join(&env.client, &proposal, &page, "own").await;
        own.write(5, " Typed.").await;
        let change = json!({ "changes": [{
            "operation": "update_page", "page": page, "document": { "markdown": "All new.\n" },
        }] });
        own.save().await;
        let call = proposal.call("updateChangeRequestContent").json(&change);
        let _late = call.header("If-Match", &format!("\"{known}\"")).send().await.expect(412);
        assert_eq!(own.text().await, "One. Typed.\nTwo.\nThree.");
    });
}

#[test]
fn a_merge_contains_what_was_written_just_before() {
    each_engine(async |env: &mut TestEnv| {
        let client = env.client.clone();
        let (proposal, page) = written(env, &client).await;
        let mut own = Writer::join(&env.client, &proposal, &page, "own").await;
        own.write(5, " Typed.").await;
        let _merged = proposal.merge().await.expect(200);
        let read = env.client.call("getPageById").path("spaceId", &proposal.space);
        let read = read.path("pageId", &page).query("format", "markdown").send().await.expect(200);
        assert!(read.text_at("/markdown").contains("One. Typed.\n"), "{read}");
        let refused = own.send(json!([super::insertion(1, "a")]), false).await.expect(409);
        assert!(refused.message().contains("is merged"), "{refused}");
        let _refused = own.rejoin(&json!({})).await.expect(409);
    });
}

#[test]
fn the_last_words_stay_in_the_history() {
    each_engine(async |env: &mut TestEnv| {
        let client = env.client.clone();
        let (proposal, page) = written(env, &client).await;
        let mut own = Writer::join(&env.client, &proposal, &page, "own").await;
        own.write(5, " Typed.").await;
        let delete = json!([{ "operation": "delete_page", "page": page }]);
        let _deleted = proposal.change(delete).await.expect(200);
        let _gone = own.send(json!([super::insertion(1, "a")]), false).await.expect(404);
        let back = json!([{ "operation": "revert_page", "page": page }]);
        // The page was added by the change request, so its base does not have it.
        let _absent = proposal.change(back).await;
        let listed = proposal.get("getChangeRequestById").await;
        assert_ne!(listed.text_at("/revision"), "");

        let client = env.client.clone();
        let (proposal, page) = written(env, &client).await;
        let mut own = Writer::join(&env.client, &proposal, &page, "own").await;
        own.write(5, " Typed.").await;
        let archive =
            proposal.call("updateChangeRequestById").json(&json!({ "status": "archived" }));
        let _archived = archive.send().await.expect(200);
        assert!(proposal.markdown(&page).await.contains("One. Typed.\n"));
    });
}

#[test]
fn the_main_content_comes_into_the_text() {
    each_engine(async |env: &mut TestEnv| {
        let client = env.client.clone();
        let (first, page) = written(env, &client).await;
        let _merged = first.merge().await.expect(200);
        let space = first.space.clone();
        let (ours, theirs) =
            (Proposal::new(&env.client, &space).await, Proposal::new(&env.client, &space).await);
        let mut own = Writer::join(&env.client, &ours, &page, "own").await;
        own.write(5, " Typed.").await;
        theirs.set(&page, "One.\n\nTwo.\n\nThree and more.\n").await;
        let _merged = theirs.merge().await.expect(200);
        let _updated = ours.update().await.expect(200);
        assert_eq!(own.text().await, "One. Typed.\nTwo.\nThree and more.");
    });
}

#[test]
fn a_late_program_does_not_remove_what_was_typed_and_saved() {
    each_engine(async |env: &mut TestEnv| {
        let client = env.client.clone();
        let (proposal, page) = written(env, &client).await;
        let mut own = Writer::join(&env.client, &proposal, &page, "own").await;
        // The program read the page before this was typed and saved.
        own.version = own.write(5, " Typed.").await;
        own.save().await;
        own.version = own.write(12, " Again.").await;
        own.save().await;
        let change = |text: &str| {
            json!({ "changes": [{
                "operation": "update_page", "page": page, "document": { "markdown": text },
            }] })
        };
        let write = proposal.call("updateChangeRequestContent");
        let written = write.json(&change("One.\n\nTwo.\n\nThree and more.\n")).send().await;
        let head = proposal.get("getChangeRequestById").await.text_at("/revision").to_owned();
        assert_eq!(written.expect(200).text_at("/revision"), head);
        let text = "# Page\n\nOne. Typed. Again.\n\nTwo.\n\nThree and more.\n";
        assert_eq!(proposal.markdown(&page).await, text);
        assert_eq!(own.text().await, "One. Typed. Again.\nTwo.\nThree and more.");
        // A program that names the head knows them, and one that read them changes what it says.
        proposal.set(&page, "One. Typed. Again.\n\nThree and more.\n").await;
        let text = "# Page\n\nOne. Typed. Again.\n\nThree and more.\n";
        assert_eq!(proposal.markdown(&page).await, text);
        let head = proposal.get("getChangeRequestById").await.text_at("/revision").to_owned();
        let write = proposal.call("updateChangeRequestContent").json(&change("One.\n"));
        let _written = write.header("If-Match", &format!("\"{head}\"")).send().await.expect(200);
        assert_eq!(proposal.markdown(&page).await.trim_end(), "# Page\n\nOne.");
        assert_eq!(own.text().await, "One.");
    });
}

#[test]
fn a_push_into_the_branch_comes_together_with_what_is_typed() {
    each_engine(async |env: &mut TestEnv| {
        let (branches, opened, proposal, home) = branched(env, "Welcome.\n\nEnd.\n").await;
        let mut own = Writer::join(&env.client, &proposal, &home, "own").await;
        own.version = own.write(9, " Saved.").await;
        own.save().await;
        own.version = own.write(16, " Typed.").await;
        // The author of the commit knew nothing of either.
        let text = "# Home\n\nWelcome.\n\nEnd of all.\n\nNews.\n";
        branches.commit("topic", "News", "README.md", text);
        branches.run(env).await;
        let all = "Welcome. Saved. Typed.\nEnd of all.\nNews.";
        assert_eq!(own.text().await, all);
        own.save().await;
        branches.run(env).await;
        let read = branches.proposed(env, &opened, "Home").await;
        assert_eq!(read, format!("# Home\n\n{}\n", all.replace('\n', "\n\n")));
        assert_eq!(own.text().await, all);
    });
}
