//! Events of a change request: each action is recorded once, in order, with its actor.

use bindery_store::Event;
use serde_json::json;

use crate::support::change_requests::Proposal;
use crate::support::people::id_of;
use crate::support::{TestEnv, each_engine};

#[test]
fn events_of_a_change_request_are_recorded() {
    each_engine(async |env: &mut TestEnv| {
        let space = env.space("Recorded").await;
        let editor = env.person("ed@example.com", Some("edit")).await;
        let (admin, ed) = (id_of(&env.client).await, id_of(&editor).await);
        let proposal = Proposal::new(&editor, &space).await;
        let other = Proposal::new(&env.client, &space).await;
        let page = proposal.page("Page", "One.\n").await;
        let _other = other.page("Other", "Two.\n").await;
        let _merged = other.merge().await.expect(200);
        let _taken_in = proposal.update().await.expect(200);
        proposal.set(&page, "One and more.\n").await;
        for body in [json!({ "status": "open" }), json!({ "subject": "Told" })] {
            let patch = proposal.call("updateChangeRequestById").json(&body);
            let _patched = patch.send().await.expect(200);
        }
        let by_admin = |operation: &str| {
            let call = env.client.call(operation).path("spaceId", &space);
            call.path("changeRequestId", proposal.id())
        };
        let approve = by_admin("submitChangeRequestReview").json(&json!({ "status": "approved" }));
        let _approved = approve.send().await.expect(201);
        let _merged = by_admin("mergeChangeRequest").send().await.expect(200);
        let id = proposal.id().to_owned();

        let events = env.events().await;
        let told: Vec<(String, String)> = events
            .iter()
            .filter_map(|one| {
                let event = serde_json::to_value(&one.event).unwrap();
                let of_it = event["changeRequest"] == id.as_str();
                let is_main = matches!(&one.event, Event::RevisionCreated { .. })
                    && one.space.is_some_and(|of| of.as_str() == space);
                let actor = one.actor.map(|actor| actor.to_string()).unwrap_or_default();
                (of_it || is_main).then(|| (event["kind"].as_str().unwrap().to_owned(), actor))
            })
            .collect();
        let expect = [
            ("changeRequestCreated", &ed),
            ("changeRequestContentUpdated", &ed),
            ("revisionCreated", &admin),
            ("changeRequestContentUpdated", &ed),
            ("changeRequestContentUpdated", &ed),
            ("changeRequestUpdated", &ed),
            ("changeRequestUpdated", &ed),
            ("reviewSubmitted", &admin),
            ("revisionCreated", &admin),
            ("changeRequestMerged", &admin),
        ];
        let expect: Vec<(String, String)> =
            expect.iter().map(|(kind, by)| ((*kind).to_owned(), (*by).clone())).collect();
        assert_eq!(told, expect);
    });
}
