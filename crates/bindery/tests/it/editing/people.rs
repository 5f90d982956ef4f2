//! The people of a content, and those who are connected to other nodes.

use serde_json::json;

use super::follow::Events;
use super::{Writer, insertion, written};
use crate::support::people::id_of;
use crate::support::{TestEnv, each_engine, items, until};

#[test]
fn people_are_listed_with_their_pages() {
    each_engine(async |env: &mut TestEnv| {
        let client = env.client.clone();
        let (proposal, page) = written(env, &client).await;
        let other = proposal.page("Other", "Text.\n").await;
        let ann = env.person("ann@example.com", Some("edit")).await;
        let own = Writer::join(&env.client, &proposal, &page, "own").await;
        let there = Writer::join(&ann, &proposal, &other, "ann").await;
        assert!(items(&proposal.get("listEditingPeople").await.expect(200)).is_empty());
        let address = env.server().address().to_owned();
        let _own = Events::open_as(&own, &address, 0, "own").await;
        let second = Events::open_as(&own, &address, 0, "second").await;
        let _there = Events::open_as(&there, &address, 0, "ann").await;
        let listed = proposal.get("listEditingPeople").await.expect(200);
        let mut found: Vec<_> = items(&listed)
            .iter()
            .map(|one| (one["page"].clone(), one["user"]["id"].clone()))
            .collect();
        let mut expected = vec![
            (json!(page), json!(id_of(&env.client).await)),
            (json!(other), json!(id_of(&ann).await)),
        ];
        found.sort_by_key(|(page, _)| page.to_string());
        expected.sort_by_key(|(page, _)| page.to_string());
        assert_eq!(found, expected);
        second.window("own");
        let main = env.client.call("listSpaceEditingPeople").path("spaceId", &proposal.space);
        assert!(items(&main.send().await.expect(200)).is_empty());
        let reader = env.person("ben@example.com", Some("comment")).await;
        let refused = reader.call("listEditingPeople").path("spaceId", &proposal.space);
        let _refused = refused.path("changeRequestId", &proposal.id).send().await.expect(403);
    });
}

#[test]
fn people_of_other_nodes_are_shown() {
    each_engine(async |env: &mut TestEnv| {
        let client = env.client.clone();
        let (proposal, page) = written(env, &client).await;
        let Some(node) = env.installation().start_another() else { return };
        let ann = env.person("ann@example.com", Some("edit")).await;
        let own = Writer::join(&env.client, &proposal, &page, "own").await;
        let ann = node.client().with_token(ann.token().unwrap());
        let there = Writer::join(&ann, &proposal, &page, "ann").await;
        let here = Events::open_as(&own, env.server().address(), 0, "own").await;
        let events = Events::open_as(&there, node.address(), 0, "ann").await;
        assert_eq!(here.window("ann")["name"], json!("ann@example.com"));
        events.window("own");
        let body = json!({ "client": "ann", "version": 0, "anchor": 2, "head": 4 });
        let select = there.of_session("setEditingSelection").json(&body);
        let _selected = select.send().await.expect(204);
        while here.window("ann")["selection"]["head"] != json!(4) {}
        let listed = proposal.get("listEditingPeople").await.expect(200);
        assert_eq!(items(&listed).len(), 2, "{listed}");
        drop(events);
        until(async || {
            let listed = proposal.get("listEditingPeople").await.expect(200);
            (items(&listed).len() == 1).then_some(())
        })
        .await;
    });
}

#[test]
fn a_removed_person_is_disconnected_from_other_nodes() {
    each_engine(async |env: &mut TestEnv| {
        let client = env.client.clone();
        let (proposal, page) = written(env, &client).await;
        let Some(node) = env.installation().start_another() else { return };
        let ann = env.person("ann@example.com", Some("edit")).await;
        let id = id_of(&ann).await;
        let there = node.client().with_token(ann.token().unwrap());
        let there = Writer::join(&there, &proposal, &page, "ann").await;
        let events = Events::open_as(&there, node.address(), 0, "ann").await;
        let remove = env.client.call("removeMemberFromOrganizationById");
        let remove = remove.path("organizationId", &env.organization).path("userId", &id);
        let _removed = remove.send().await.expect(205);
        assert!(events.end().contains("event: end"));
        let _refused = there.steps(0).await.expect(404);
    });
}

#[test]
fn suggestions_of_other_nodes_are_announced() {
    each_engine(async |env: &mut TestEnv| {
        let client = env.client.clone();
        let (proposal, page) = written(env, &client).await;
        let Some(node) = env.installation().start_another() else { return };
        let ann = env.person("ann@example.com", Some("review")).await;
        let own = Writer::join(&env.client, &proposal, &page, "own").await;
        let here = Events::open_as(&own, env.server().address(), 0, "own").await;
        let there = node.client().with_token(ann.token().unwrap());
        let mut suggested = Writer::suggest(&there, &proposal, &page, "ann").await;
        let _sent = suggested.send(json!([insertion(5, " More.")]), false).await.expect(200);
        here.line(|line| line == "event: suggestions");
    });
}
