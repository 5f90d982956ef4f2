//! A user in ten thousand teams with many grants.

use std::collections::BTreeMap;

use bindery_testkit::Client;
use serde_json::{Value, json};

use crate::support::containers::{collection, level, space_in};
use crate::support::people::id_of;
use crate::support::{TestEnv, each_engine, items, pages};

const TEAMS: usize = 10_000;

fn team(number: usize) -> String {
    format!("{number:020}")
}

#[test]
fn a_user_in_ten_thousand_teams_has_the_right_role() {
    each_engine(async |env: &mut TestEnv| {
        let guest = env.person("guest@example.com", None).await;
        let user = id_of(&guest).await;
        let place = collection(env, "Place", None).await;
        let inside = space_in(env, "Inside", &place).await;
        level(env, "Collection", &place, Value::Null).await;
        let mut spaces = Vec::new();
        for number in 0..30 {
            spaces.push(env.space(&format!("Space {number}")).await);
        }
        // Grants by space: one team, a great number of teams for one space, none for every third.
        let mut grants: BTreeMap<(&str, String), &str> = BTreeMap::new();
        for (number, space) in spaces.iter().enumerate().filter(|(number, _)| number % 3 != 0) {
            grants.insert((space, team(number * 100)), ["read", "edit"][number % 2]);
        }
        for number in 5_000..8_000 {
            grants.insert(
                (&spaces[1], team(number)),
                if number == 7_777 { "create" } else { "comment" },
            );
        }
        store_teams(env, &user, &place, &grants).await;
        let guest = guest.at(env.server().address());

        let list = || {
            let call = guest.call("listSpacesInOrganizationById").query("limit", 7);
            call.path("organizationId", &env.organization)
        };
        let mut seen = Vec::new();
        for page in pages(list).await {
            assert_eq!(page.at("/count"), &json!(21));
            seen.extend(items(&page).iter().map(|space| space["id"].as_str().unwrap().to_owned()));
        }
        let mut expect: Vec<&str> = vec![&inside];
        expect.extend(spaces.iter().enumerate().filter(|(at, _)| at % 3 != 0).map(|(_, id)| &**id));
        expect.sort_unstable();
        seen.sort();
        assert_eq!(seen, expect);

        access_has_a_source_for_each_team(env, &guest, &user, &spaces).await;
        let collections = guest.call("listCollectionsInOrganizationById");
        let collections = collections.path("organizationId", &env.organization).send().await;
        assert_eq!(collections.expect(200).at("/count"), &json!(1));
        let aggregate = env.client.call("listPermissionsAggregateInSpace");
        let aggregate = aggregate.path("spaceId", &spaces[1]).query("role", "create").send().await;
        assert_eq!(aggregate.expect(200).text_at("/items/0/user/id"), user);
        // The only team whose grant makes a difference is removed.
        let take = env.client.call("removeTeamFromSpace").path("spaceId", &spaces[1]);
        let _taken = take.path("teamId", team(7_777)).send().await.expect(205);
        let access = env.client.call("getAccess").query("user", &user);
        let access = access.query("resource", &spaces[1]).send().await.expect(200);
        assert_eq!(access.text_at("/permission"), "edit");
    });
}

/// Stores the teams, the user as a member of each, and the grants.
async fn store_teams(
    env: &mut TestEnv,
    user: &str,
    place: &str,
    grants: &BTreeMap<(&str, String), &str>,
) {
    let rows: Vec<(String, String, String)> = grants
        .iter()
        .map(|((space, team), role)| ((*space).to_owned(), team.clone(), (*role).to_owned()))
        .collect();
    let (organization, member) = (env.organization.clone(), user.to_owned());
    let around = place.to_owned();
    env.edit_store(move |tx| {
        for number in 0..TEAMS {
            let (id, at) = (team(number), i64::try_from(number).unwrap_or_default());
            tx.execute(
                "INSERT INTO teams \
                     (id, organization, title, title_folded, members, created_at) \
                     VALUES ($1, $2, $1, $1, 1, $3)",
                &[id.as_str().into(), organization.as_str().into(), at.into()],
            )?;
            tx.execute(
                "INSERT INTO team_members (team, user_id, role, joined_at) \
                     VALUES ($1, $2, 'member', $3)",
                &[id.as_str().into(), member.as_str().into(), at.into()],
            )?;
        }
        for (space, team, role) in &rows {
            tx.execute(
                "INSERT INTO space_teams (space, team, role) VALUES ($1, $2, $3)",
                &[space.as_str().into(), team.as_str().into(), role.as_str().into()],
            )?;
        }
        tx.execute(
            "INSERT INTO collection_teams (collection, team, role) VALUES ($1, $2, 'edit')",
            &[around.as_str().into(), team(TEAMS - 1).as_str().into()],
        )
    })
    .await;
}

/// Checks access to each space, its role and the number of its sources.
async fn access_has_a_source_for_each_team(
    env: &TestEnv,
    guest: &Client,
    user: &str,
    spaces: &[String],
) {
    for (number, space) in spaces.iter().enumerate() {
        let shown = guest.call("getSpaceById").path("spaceId", space).send().await;
        assert_eq!(shown.status, if number % 3 == 0 { 404 } else { 200 });
        let access = env.client.call("getAccess").query("user", user);
        let access = access.query("resource", space).send().await.expect(200);
        let role = match number {
            1 => json!("create"),
            number if number % 3 == 0 => Value::Null,
            number => json!(["read", "edit"][number % 2]),
        };
        assert_eq!(access.json.pointer("/permission").unwrap_or(&Value::Null), &role);
        let sources = access.at("/sources").as_array().unwrap().len();
        assert_eq!(sources, [usize::from(number % 3 != 0), 3_001][usize::from(number == 1)]);
    }
}
