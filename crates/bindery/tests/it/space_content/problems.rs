//! Checks of expressions, and the mistakes in the pages of a change request.

use bindery_testkit::Answer;
use serde_json::{Value, json};

use crate::support::change_requests::Proposal;
use crate::support::{TestEnv, each_engine};

#[test]
fn expressions_are_checked() {
    each_engine(async |env: &mut TestEnv| {
        let space = env.space("Docs").await;
        let check = async |body: Value| -> Answer {
            let call = env.client.call("checkExpression").path("spaceId", &space);
            call.json(&body).send().await
        };
        for good in ["", "visitor.claims.plan == 'pro'", "space.vars.a ?? page.vars.b"] {
            let checked = check(json!({ "expression": good })).await.expect(200);
            assert_eq!(checked.json, json!({ "valid": true }), "{good}");
        }
        let long = "1+".repeat(700);
        for (bad, line, column, message) in [
            ("plan == 1", 1, 1, "found the unknown name `plan`"),
            ("1 ==\n  )", 2, 3, "found `)`"),
            (&long, 1, 1_025, "more than 1024 characters"),
        ] {
            let checked = check(json!({ "expression": bad })).await.expect(200);
            assert_eq!(checked.at("/valid"), &json!(false), "{bad}");
            let place = (checked.at("/error/line"), checked.at("/error/column"));
            assert_eq!(place, (&json!(line), &json!(column)), "{checked}");
            assert!(checked.text_at("/error/message").contains(message), "{checked}");
        }
        for body in
            [json!({}), json!({ "expression": 1 }), json!({ "expression": "x".repeat(5_000) })]
        {
            let refused = check(body).await.expect(400);
            assert!(refused.text_at("/error/message").contains("/expression"), "{refused}");
        }
    });
}

async fn problems(proposal: &Proposal<'_>) -> Answer {
    proposal.get("listChangeRequestProblems").await
}

fn kinds(answer: &Answer) -> Vec<(&str, &str)> {
    let items = answer.at("/items").as_array().unwrap().iter();
    items.map(|item| (item["kind"].as_str().unwrap(), item["source"].as_str().unwrap())).collect()
}

#[test]
fn mistakes_in_changed_pages_are_listed() {
    each_engine(async |env: &mut TestEnv| {
        let space = env.space("Docs").await;
        let first = Proposal::new(&env.client, &space).await;
        let _old = first.page("Old", "{% parrot %}\n").await;
        let _merged = first.merge().await.expect(200);

        let proposal = Proposal::new(&env.client, &space).await;
        assert_eq!(kinds(&problems(&proposal).await), []);
        let page = proposal.page("New", "{% if plan %}\nText $$\\frac{1$$.\n{% endif %}\n").await;
        let found = problems(&proposal).await;
        assert_eq!(kinds(&found), [("invalid-condition", "plan"), ("invalid-formula", "\\frac{1")]);
        assert_eq!(found.at("/complete"), &json!(true));
        let expected = json!({ "id": page, "title": "New", "path": "new" });
        assert_eq!(found.at("/items/0/page"), &expected);
        // The key names a block of the document.
        let call = proposal.call("getPageInChangeRequestById").path("pageId", &page);
        let shown = call.query("format", "document").send().await.expect(200);
        assert_eq!(shown.at("/document/nodes/0/key"), found.at("/items/0/node"));

        let many = "{% parrot %}\n\n".repeat(150);
        proposal.set(&page, &many).await;
        let found = problems(&proposal).await;
        assert_eq!((kinds(&found).len(), found.at("/complete")), (100, &json!(false)));
        proposal.set(&page, "All is well.\n").await;
        assert_eq!(kinds(&problems(&proposal).await), []);
    });
}
