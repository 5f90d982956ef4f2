//! Merges of texts and attributes.

use serde_json::json;

use super::{assert_equal, commit, edit, edit_guide, file};
use crate::exports::Synced;
use crate::support::{TestEnv, each_engine};

#[test]
fn paragraphs_of_one_page_are_merged() {
    each_engine(async |env: &mut TestEnv| {
        let synced = Synced::new(env).await;
        let guide = synced.page(env, "Guide").await;
        edit_guide(env, &synced, "Last __words__", "Inside").await;
        let outside = commit(&synced, "docs/guide.md", "* one", "* first");
        let message = synced.imported(env, &json!({})).await;
        assert_eq!(message, "merged with 1 changed page of the space");
        let text = synced.markdown(env, "Guide").await;
        assert!(text.contains("* first") && text.contains("Inside."), "{text}");
        assert_eq!(synced.page(env, "Guide").await, guide);
        // The page has the path of its file and the id of its present text.
        let call = env.client.call("getPageById").path("spaceId", &synced.space);
        let page = call.path("pageId", &guide).send().await.expect(200);
        assert_eq!(page.text_at("/git/path"), "docs/guide.md");
        let revision = env.of_space("getCurrentRevision", &synced.space).await.expect(200);
        assert_eq!(revision.text_at("/git/oid"), outside);
        // The export contains only the change of the space.
        assert_eq!(
            synced.exported(env).await,
            "--- a/docs/guide.md\n+++ b/docs/guide.md\n-Last __words__.\n+Inside.\n"
        );
        let names = synced.repository.git(&["log", "--format=%an%n%b", "-1", "main"]);
        let user = env.client.call("getAuthenticatedUser").send().await.expect(200);
        assert_eq!(names, user.text_at("/displayName"));
        assert_eq!(
            page.text_at("/git/oid"),
            synced.repository.git(&["rev-parse", "main:docs/guide.md"])
        );
        assert_equal(env, &synced).await;
    });
}

#[test]
fn other_pages_are_merged_again_and_again() {
    each_engine(async |env: &mut TestEnv| {
        let synced = Synced::new(env).await;
        edit_guide(env, &synced, "Last __words__", "Inside").await;
        for round in ["first", "second", "third"] {
            let before = if round == "first" { "Hello" } else { "Round" };
            commit(&synced, "docs/README.md", before, &format!("Round {round}"));
            synced.imported(env, &json!({})).await;
            let text = synced.markdown(env, "Welcome").await;
            assert!(text.contains(round), "{text}");
            assert!(synced.markdown(env, "Guide").await.contains("Inside."));
        }
        edit(env, &synced, "Least", json!({ "document": { "markdown": "Inside too.\n" } })).await;
        commit(&synced, "docs/README.md", "Round", "Last round");
        let message = synced.imported(env, &json!({})).await;
        assert_eq!(message, "merged with 2 changed pages of the space");
        assert_eq!(
            synced.exported(env).await,
            "--- a/docs/deep/least.md\n+++ b/docs/deep/least.md\n-Little.\n+Inside too.\n\
             --- a/docs/guide.md\n+++ b/docs/guide.md\n-Last __words__.\n+Inside.\n"
        );
        assert_equal(env, &synced).await;
    });
}

#[test]
fn attributes_and_texts_are_merged() {
    each_engine(async |env: &mut TestEnv| {
        let synced = Synced::new(env).await;
        let here = json!({ "title": "Manual", "description": "From inside", "icon": "book" });
        edit(env, &synced, "Guide", here).await;
        commit(&synced, "docs/guide.md", "* one", "* first");
        edit(env, &synced, "Welcome", json!({ "document": { "markdown": "Inside.\n" } })).await;
        let head = "---\ndescription: From outside\nicon: star\nowner: us # who\n---\n\n# Hi\n";
        commit(&synced, "docs/README.md", "# Welcome\n", head);
        synced.imported(env, &json!({})).await;
        assert!(synced.markdown(env, "Manual").await.contains("* first"));
        let call = env.client.call("getPageById").path("spaceId", &synced.space);
        let welcome = synced.page(env, "Welcome").await;
        let page = call.path("pageId", &welcome).send().await.expect(200);
        assert_eq!(page.text_at("/description"), "From outside");
        assert_eq!(page.text_at("/icon"), "star");
        assert!(synced.markdown(env, "Welcome").await.contains("Inside."));
        synced.exported(env).await;
        let guide = file(&synced, "docs/guide.md");
        for part in ["owner: \"docs\"   # who", "From inside", "icon: book", "Manual\n", "* first"]
        {
            assert!(guide.contains(part), "{part}: {guide}");
        }
        assert_eq!(file(&synced, "docs/README.md"), format!("{head}\nInside."));
        assert_equal(env, &synced).await;
    });
}

#[test]
fn variables_files_and_blocks_of_the_repository_are_taken() {
    each_engine(async |env: &mut TestEnv| {
        let synced = Synced::new(env).await;
        let file = json!({ "name": "b.txt", "contentType": "text/plain", "base64": "bmV3Cg==" });
        synced.change(env, json!([{ "operation": "insert_files", "files": [file] }])).await;
        edit_guide(env, &synced, "Last __words__", "Inside").await;
        synced.commit("docs/.gitbook/vars.yaml", "name: \"new\"\n");
        synced.commit("docs/.gitbook/includes/note.md", "A note.\n");
        synced.commit("docs/.gitbook/assets/a.txt", "another file\n");
        let include = "{% include \"../.gitbook/includes/note.md\" %}\n";
        synced.commit("docs/deep/least.md", &format!("# Least\n\n{include}"));
        synced.imported(env, &json!({})).await;
        let revision = env.of_space("getCurrentRevision", &synced.space).await.expect(200);
        assert_eq!(revision.text_at("/variables/name"), "new");
        assert_eq!(revision.text_at("/reusableContents/0/title"), "Note", "{revision}");
        assert_eq!(
            synced.exported(env).await,
            "+++ b/docs/.gitbook/assets/b.txt\n+new\n\
             --- a/docs/guide.md\n+++ b/docs/guide.md\n-Last __words__.\n+Inside.\n"
        );
        assert_equal(env, &synced).await;
    });
}

#[test]
fn equal_changes_are_no_difference() {
    each_engine(async |env: &mut TestEnv| {
        let synced = Synced::new(env).await;
        edit_guide(env, &synced, "* one", "* same").await;
        commit(&synced, "docs/guide.md", "* one", "* same");
        synced.imported(env, &json!({})).await;
        assert_equal(env, &synced).await;
    });
}

#[test]
fn a_forced_import_replaces_the_changes_of_the_space() {
    each_engine(async |env: &mut TestEnv| {
        let synced = Synced::new(env).await;
        edit_guide(env, &synced, "Last __words__", "Inside").await;
        commit(&synced, "docs/guide.md", "* one", "* first");
        synced.imported(env, &json!({ "force": true })).await;
        let text = synced.markdown(env, "Guide").await;
        assert!(text.contains("* first") && text.contains("words"), "{text}");
        assert_equal(env, &synced).await;
    });
}
