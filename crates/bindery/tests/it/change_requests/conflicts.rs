//! Conflicts: the hint in responses how to resolve them, and resolving them by sending a text.

use serde_json::json;

use crate::support::change_requests::{OURS, Proposal, THEIRS, contested};
use crate::support::{TestEnv, each_engine};

#[test]
fn responses_link_to_the_conflicts() {
    each_engine(async |env: &mut TestEnv| {
        let space = env.space("Contested").await;
        let (ours, _) = contested(&env.client, &space).await;
        for answer in [ours.merge().await, ours.update().await, ours.merge().await] {
            let answer = answer.expect(200);
            assert_eq!(answer.text_at("/result"), "conflicts");
            assert_eq!(answer.at("/conflicts/count"), &json!(1));
            let location = answer.text_at("/conflicts/urls/location");
            assert_eq!(answer.header("link"), format!("<{location}>; rel=\"conflicts\""));
            let path = location.strip_prefix(env.server().address()).unwrap();
            let listed = env.ask("GET", path, "", b"");
            assert_eq!(listed.status, 200, "{}", listed.text());
            assert!(listed.text().contains("\"count\":1"), "{}", listed.text());
        }
        let answer = ours.merge().await.expect(200);
        let location = answer.text_at("/conflicts/urls/location");
        let path = location.strip_prefix(env.server().address()).unwrap();
        let decided = env.ask(
            "POST",
            path,
            "Content-Type: application/json\r\n",
            br#"{"choice":"proposed"}"#,
        );
        assert_eq!(decided.status, 200, "{}", decided.text());
        let merged = ours.merge().await.expect(200);
        assert_eq!(merged.text_at("/result"), "merge");
        assert_eq!(merged.json.get("conflicts"), None);
        assert_eq!(merged.header("link"), "");
    });
}

#[test]
fn sending_a_text_resolves_the_conflict() {
    each_engine(async |env: &mut TestEnv| {
        // The present text, the text of either side, and both as Markdown with the title.
        for text in [
            "One ours.\n\nTwo.\n\nThree and more.\n",
            "# Page\n\nOne ours.\n\nTwo.\n\nThree and more.\n",
            OURS,
            THEIRS,
        ] {
            let space = env.space("Contested").await;
            let (ours, page) = contested(&env.client, &space).await;
            assert_eq!(ours.update().await.expect(200).text_at("/result"), "conflicts");
            ours.set(&page, text).await;
            let open = ours.get("listChangeRequestConflicts").await;
            assert_eq!(open.at("/count"), &json!(0), "{text:?}: {open}");
            if text == THEIRS {
                // The change request has no changes left.
                let _nothing = ours.merge().await.expect(409);
                continue;
            }
            assert_eq!(ours.merge().await.expect(200).text_at("/result"), "merge", "{text:?}");
            let expected = format!("# Page\n\n{}", text.trim_start_matches("# Page\n\n"));
            let call = env.client.call("getPageById").path("spaceId", &space);
            let main = call.path("pageId", &page).query("format", "markdown").send().await;
            assert_eq!(main.expect(200).text_at("/markdown"), expected);
        }
    });
}

#[test]
fn an_edit_elsewhere_resolves_nothing() {
    each_engine(async |env: &mut TestEnv| {
        let space = env.space("Contested").await;
        let (ours, page) = contested(&env.client, &space).await;
        let _conflicts = ours.update().await.expect(200);
        ours.set(&page, "One ours.\n\nTwo, edited.\n\nThree and more.\n").await;
        let other = json!([{ "operation": "update_page", "page": page, "icon": "gear" }]);
        let _changed = ours.change(other).await.expect(200);
        assert_eq!(ours.merge().await.expect(200).text_at("/result"), "conflicts");
        // Sending the present document as JSON also resolves the conflict.
        let read = ours.call("getPageInChangeRequestById").path("pageId", &page);
        let document = read.send().await.expect(200).at("/document").clone();
        let same = json!([{
            "operation": "update_page", "page": page, "document": { "document": document },
        }]);
        let _changed = ours.change(same).await.expect(200);
        assert_eq!(ours.merge().await.expect(200).text_at("/result"), "merge");
    });
}

#[test]
fn sending_a_value_resolves_other_conflicts() {
    each_engine(async |env: &mut TestEnv| {
        let space = env.space("Contested").await;
        let first = Proposal::new(&env.client, &space).await;
        let (a, b) = (first.page("A", "a\n").await, first.page("B", "b\n").await);
        let (left, right) = (first.page("Left", "l\n").await, first.page("Right", "r\n").await);
        let _merged = first.merge().await.expect(200);
        let ours = Proposal::new(&env.client, &space).await;
        let theirs = Proposal::new(&env.client, &space).await;
        for (proposal, title, parent) in [(&ours, "Ours", &left), (&theirs, "Theirs", &right)] {
            let changes = json!([
                { "operation": "update_page", "page": a, "title": title, "into": parent },
            ]);
            let _changed = proposal.change(changes).await.expect(200);
        }
        ours.set(&b, "b and more\n").await;
        let gone = json!([{ "operation": "delete_page", "page": b }]);
        let _changed = theirs.change(gone).await.expect(200);
        let _merged = theirs.merge().await.expect(200);
        let updated = ours.update().await.expect(200);
        assert_eq!(updated.at("/conflicts/count"), &json!(3));
        let count = async |changes| {
            let _changed = ours.change(changes).await.expect(200);
            ours.get("listChangeRequestConflicts").await.at("/count").clone()
        };
        let title = json!([{ "operation": "update_page", "page": a, "title": "Ours" }]);
        assert_eq!(count(title).await, json!(2));
        let place = json!([{ "operation": "update_page", "page": a, "into": left }]);
        assert_eq!(count(place).await, json!(1));
        let text = json!([{
            "operation": "update_page", "page": b, "document": { "markdown": "b and more\n" },
        }]);
        assert_eq!(count(text).await, json!(0));
        assert_eq!(ours.merge().await.expect(200).text_at("/result"), "merge");
        let main = env.of_space("listPages", &space).await.expect(200).json.to_string();
        assert!(main.contains(&b) && main.contains("Ours"), "{main}");
    });
}
