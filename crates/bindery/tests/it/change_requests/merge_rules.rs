//! Merge rules: conditions for merging a change request, and messages about conditions that are not
//! met.

use bindery_model::{OrganizationId, SpaceId};
use bindery_testkit::{Answer, Client};
use serde_json::{Value, json};

use crate::support::change_requests::{Proposed, proposed};
use crate::support::people::id_of;
use crate::support::{TestEnv, each_engine};

async fn set_rules(env: &TestEnv, space: &str, rules: &Value) -> Answer {
    let call = env.client.call("updateSpaceById").path("spaceId", space);
    call.json(&json!({ "mergeRules": rules })).send().await
}

async fn ask_for(env: &TestEnv, space: &str, rules: Value) {
    let rules = json!({ "type": "rules", "rules": rules });
    let set = set_rules(env, space, &rules).await.expect(200);
    assert_eq!(set.at("/mergeRules"), &rules);
}

impl Proposed {
    /// Asserts that a merge is rejected with all of these words in the message and changes nothing.
    async fn lacks(&self, env: &TestEnv, by: &Client, index: usize, words: &[&str]) {
        let state = async || {
            let space = env.of_space("getSpaceById", &self.space).await.expect(200);
            let own = self.call(&env.client, "getChangeRequestById", index).send().await;
            (space.json, own.expect(200).json)
        };
        let before = state().await;
        let refused = self.call(by, "mergeChangeRequest", index).send().await.expect(409);
        for word in words {
            assert!(refused.message().contains(word), "{word} in {refused}");
        }
        assert_eq!(state().await, before);
    }

    async fn merges(&self, by: &Client, index: usize) {
        let merged = self.call(by, "mergeChangeRequest", index).send().await.expect(200);
        assert_eq!(merged.text_at("/result"), "merge", "{merged}");
    }

    async fn reviewed(&self, by: &Client, index: usize, status: &str) {
        let _review = self.review(by, index, status).await.expect(201);
    }

    async fn says(&self, by: &Client, index: usize, change: Value) {
        let call = self.call(by, "updateChangeRequestById", index);
        let _changed = call.json(&change).send().await.expect(200);
    }
}

fn description(text: &str) -> Value {
    json!({ "description": { "object": "document", "data": {}, "nodes": [
        { "object": "block", "type": "paragraph", "data": {}, "nodes": [
            { "object": "text", "leaves": [{ "object": "leaf", "text": text, "marks": [] }] },
        ] },
    ] } })
}

#[test]
fn rules_require_reviews() {
    each_engine(async |env: &mut TestEnv| {
        let proposed = proposed(env, &[("", "One"), ("", "Two"), ("", "Three"), ("", "4")]).await;
        let rob = env.person("rob@example.com", Some("review")).await;
        let ana = env.person("ana@example.com", Some("review")).await;
        let admin = env.client.clone();
        let both = [id_of(&rob).await, id_of(&ana).await];
        let (space, p) = (&proposed.space, &proposed);
        let lacks = async |by: &Client, index, words: &[&str]| {
            p.lacks(env, by, index, words).await;
        };

        ask_for(env, space, json!([{ "rule": "require_at_least_one_review" }])).await;
        lacks(&admin, 0, &["current content has no review"]).await;
        p.reviewed(&rob, 0, "changes-requested").await;
        p.merges(&admin, 0).await;

        ask_for(env, space, json!([{ "rule": "require_all_reviews_approved" }])).await;
        p.reviewed(&rob, 1, "approved").await;
        p.reviewed(&rob, 1, "changes-requested").await;
        p.reviewed(&ana, 1, "approved").await;
        lacks(&admin, 1, &["rob@example.com asked for changes"]).await;
        // Only the last review of each person counts.
        p.reviewed(&rob, 1, "approved").await;
        p.merges(&admin, 1).await;

        let rule = json!([{ "rule": "require_specific_reviewers", "users": both }]);
        ask_for(env, space, rule).await;
        lacks(&admin, 2, &["approval of rob@example.com and ana@example.com"]).await;
        p.reviewed(&rob, 2, "approved").await;
        p.reviewed(&ana, 2, "changes-requested").await;
        lacks(&admin, 2, &["approval of ana@example.com"]).await;
        p.reviewed(&ana, 2, "approved").await;
        // Reviews of an earlier revision do not count.
        p.renew(env, 2).await;
        lacks(&admin, 2, &["approval of rob@example.com and ana@example.com"]).await;
        p.reviewed(&ana, 2, "approved").await;
        p.reviewed(&rob, 2, "approved").await;
        p.merges(&rob, 2).await;

        let rule = json!([{ "rule": "require_one_of_specific_reviewers", "users": both }]);
        ask_for(env, space, rule).await;
        p.reviewed(&admin, 3, "approved").await;
        lacks(&admin, 3, &["approval of rob@example.com or ana@example.com"]).await;
        p.reviewed(&ana, 3, "approved").await;
        p.merges(&admin, 3).await;
    });
}

#[test]
fn rules_require_states() {
    each_engine(async |env: &mut TestEnv| {
        let by = [("", "One"), ("", "Two"), ("", ""), ("", "Four"), ("", "Five")];
        let proposed = proposed(env, &by).await;
        let rob = env.person("rob@example.com", Some("review")).await;
        let ed = env.person("ed@example.com", Some("edit")).await;
        let admin = env.client.clone();
        let (space, p) = (&proposed.space, &proposed);
        let lacks = async |by: &Client, index, words: &[&str]| {
            p.lacks(env, by, index, words).await;
        };

        let bypass = json!({ "rule": "allow_bypass", "users": [id_of(&admin).await] });
        ask_for(env, space, json!([{ "rule": "require_agent_review" }, bypass])).await;
        p.reviewed(&rob, 0, "approved").await;
        lacks(&rob, 0, &["review of an agent", "there is no agent"]).await;
        // A user who cannot merge cannot bypass the rules either.
        let refused = p.call(&ed, "mergeChangeRequest", 0).send().await;
        let _refused = refused.expect(403);
        p.merges(&admin, 0).await;

        ask_for(env, space, json!([{ "rule": "require_up_to_date_change_request" }])).await;
        lacks(&admin, 1, &["the main content has moved"]).await;
        p.renew(env, 1).await;
        p.merges(&admin, 1).await;

        let rules = json!([
            { "rule": "require_change_request_subject" },
            { "rule": "require_change_request_description" },
            { "rule": "require_at_least_one_review" },
        ]);
        ask_for(env, space, rules).await;
        lacks(&admin, 2, &["no subject", "no description", "current content has no review"]).await;
        p.says(&admin, 2, json!({ "subject": "Three" })).await;
        p.says(&admin, 2, description(" ")).await;
        p.reviewed(&rob, 2, "approved").await;
        lacks(&admin, 2, &["no description"]).await;
        p.says(&admin, 2, description("Why it is needed")).await;
        p.merges(&admin, 2).await;

        let own = set_rules(env, space, &json!({ "type": "none" })).await.expect(200);
        assert_eq!(own.at("/mergeRules"), &json!({ "type": "none" }));
        p.merges(&admin, 3).await;
        let own = set_rules(env, space, &json!({ "type": "inherit" })).await.expect(200);
        assert_eq!(own.at("/mergeRules"), &json!({ "type": "inherit" }));
        p.merges(&admin, 4).await;
    });
}

#[test]
fn expressions_see_the_change_request() {
    each_engine(async |env: &mut TestEnv| {
        let proposed = proposed(env, &[("", "[minor] One"), ("", "Two")]).await;
        let rob = env.person("rob@example.com", Some("review")).await;
        let ana = env.person("ana@example.com", Some("review")).await;
        let admin = env.client.clone();
        let (space, p) = (proposed.space.as_str(), &proposed);
        let rule = async |expression: &str| {
            let rule = json!([{ "rule": "custom", "expression": expression }]);
            ask_for(env, space, rule).await;
        };
        let two = "reviews.filter(r => r.status === 'approved').length >= 2";
        rule(two).await;
        p.reviewed(&rob, 0, "approved").await;
        p.lacks(env, &admin, 0, &[two, "does not hold"]).await;
        for unmet in [
            "changeRequest.subject.includes('[URGENT]') || !!changeRequest.description",
            "changeRequest.outdated",
            "changeRequest.status === 'open'",
            "changeRequest.comments > 0",
            "changeRequest.pagesChanged > 1",
            "changeRequest.author.id !== actor.id",
            "reviews.some(r => r.status === 'changes_requested')",
            "null",
        ] {
            rule(unmet).await;
            p.lacks(env, &admin, 0, &[unmet, "does not hold"]).await;
        }
        rule("changes.length > 0").await;
        p.lacks(env, &admin, 0, &["line 1, column 1", "`changes` is not known"]).await;
        p.says(&admin, 0, description("Why")).await;
        let _open = p.says(&admin, 0, json!({ "status": "open" })).await;
        p.reviewed(&ana, 0, "changes-requested").await;
        let id = id_of(&rob).await;
        rule(&format!(
            "changeRequest.description === 'Why' && !changeRequest.outdated && \
             changeRequest.status === 'open' && changeRequest.comments === 0 && \
             changeRequest.pagesChanged === 1 && changeRequest.number === 1 && \
             changeRequest.reviews.length === 2 && reviews.some(r => r.reviewer.id === '{id}' && \
             r.status === 'approved') && reviews.some(r => r.status === 'changes_requested') && \
             (changeRequest.createdBy.id === actor.id \
             ? changeRequest.subject.startsWith('[minor]') : true)"
        ))
        .await;
        p.merges(&admin, 0).await;
        // The subject does not mark a minor change, and the change request is outdated now.
        rule("changeRequest.outdated && actor.email === 'rob@example.com'").await;
        p.lacks(env, &admin, 1, &["does not hold"]).await;
        p.merges(&rob, 1).await;
    });
}

#[test]
fn rules_are_checked_when_they_are_set() {
    each_engine(async |env: &mut TestEnv| {
        let space = env.space("Ruled").await;
        let guest = env.person("guest@example.com", None).await;
        let known = id_of(&guest).await;
        let before = env.of_space("getSpaceById", &space).await.expect(200);
        let rule = |rule: Value| json!({ "type": "rules", "rules": [rule] });
        let many: Vec<Value> = vec![json!({ "rule": "require_agent_review" }); 101];
        for (rules, place, words) in [
            (
                rule(json!({ "rule": "require_specific_reviewers",
                             "users": [known, "00000000000000000000"] })),
                "/mergeRules/rules/0/users/1",
                "member",
            ),
            (rule(json!({ "rule": "allow_bypass", "users": ["x"] })), "/users/0", "member"),
            (
                rule(json!({ "rule": "require_one_of_specific_reviewers", "users": [] })),
                "/mergeRules/rules/0/users",
                "found an empty list",
            ),
            (
                rule(json!({ "rule": "custom", "expression": "reviews.length >" })),
                "/mergeRules/rules/0/expression",
                "line 1, column 17",
            ),
            (rule(json!({ "rule": "custom", "expression": " " })), "/expression", "condition"),
            (rule(json!({ "rule": "custom" })), "/mergeRules", ""),
            (rule(json!({ "rule": "require_luck" })), "/mergeRules", ""),
            (json!({ "type": "rules", "rules": many }), "/mergeRules/rules", "at most 100"),
            (json!({ "type": "some" }), "/mergeRules", ""),
            (json!("none"), "/mergeRules", ""),
        ] {
            let refused = set_rules(env, &space, &rules).await.expect(400);
            let message = refused.message();
            assert!(message.contains(place) && message.contains(words), "{refused}");
        }
        let after = env.of_space("getSpaceById", &space).await.expect(200);
        assert_eq!(after.json, before.json);
        ask_for(env, &space, json!([{ "rule": "allow_bypass", "users": [known] }])).await;
    });
}

#[test]
fn the_nearest_rules_apply() {
    each_engine(async |env: &mut TestEnv| {
        let proposed = proposed(env, &[("", "One"), ("", "Two"), ("", "Three")]).await;
        let organization = OrganizationId::parse(&env.organization).unwrap();
        let broken = SpaceId::parse(&proposed.space).unwrap();
        env.edit_store(move |tx| {
            let agent = r#"{"type":"rules","rules":[{"rule":"require_agent_review"}]}"#;
            tx.execute(
                "UPDATE organizations SET merge_rules = $1 WHERE id = $2",
                &[agent.into(), organization.into()],
            )?;
            // Rules stored by an earlier version may contain expressions that cannot be parsed.
            let odd = r#"{"type":"rules","rules":[{"rule":"custom","expression":"a >"}]}"#;
            tx.execute(
                "UPDATE spaces SET merge_rules = $1 WHERE id = $2",
                &[odd.into(), broken.into()],
            )
        })
        .await;
        let admin = env.client.clone();
        let (space, p) = (proposed.space.as_str(), &proposed);
        p.lacks(env, &admin, 0, &["`a >` cannot be read", "line 1, column 4"]).await;
        let _inherit = set_rules(env, space, &json!({ "type": "inherit" })).await.expect(200);
        p.lacks(env, &admin, 0, &["review of an agent"]).await;
        ask_for(env, space, json!([{ "rule": "require_change_request_subject" }])).await;
        p.merges(&admin, 0).await;
        let _none = set_rules(env, space, &json!({ "type": "none" })).await.expect(200);
        p.merges(&admin, 1).await;
        let _inherit = set_rules(env, space, &json!({ "type": "inherit" })).await.expect(200);
        p.lacks(env, &admin, 2, &["review of an agent"]).await;
    });
}
