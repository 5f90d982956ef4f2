//! Permissions on sites: granted to people and teams, listed and removed.

use bindery_testkit::{Answer, Call, Client};
use serde_json::{Value, json};

use crate::support::people::{id_of, stranger};
use crate::support::{TestEnv, each_engine, items, pages};

/// A site, and calls of the operations on it.
struct Site<'a> {
    env: &'a TestEnv,
    id: String,
}

impl<'a> Site<'a> {
    async fn create(env: &'a TestEnv, title: &str) -> Self {
        let create = env.client.call("createSite").path("organizationId", &env.organization);
        let made = create.json(&json!({ "title": title })).send().await.expect(201);
        Self { env, id: made.text_at("/id").to_owned() }
    }

    fn by(&self, client: &Client, operation: &str) -> Call {
        let call = client.call(operation).path("organizationId", &self.env.organization);
        call.path("siteId", &self.id)
    }

    fn call(&self, operation: &str) -> Call {
        self.by(&self.env.client, operation)
    }

    async fn grant(&self, user: &str, role: &str) -> Answer {
        let call = self.call("updateUserPermissionInSite").path("userId", user);
        call.json(&json!({ "role": role })).send().await
    }

    async fn invite(&self, body: Value) -> Answer {
        self.call("inviteToSite").json(&body).send().await
    }

    /// Returns the statuses of reading and of changing the site.
    async fn statuses(&self, client: &Client) -> (u16, u16) {
        let read = self.by(client, "getSiteById").send().await.status;
        let change = self.by(client, "updateSiteById").json(&json!({ "title": "Changed" }));
        (read, change.send().await.status)
    }
}

/// Returns the ids of the sites that the list contains for a client, after a comparison of its
/// pages with each site.
async fn listed(env: &TestEnv, client: &Client, sites: &[&Site<'_>]) -> Vec<String> {
    let list = || {
        let call = client.call("listSites").path("organizationId", &env.organization);
        call.query("limit", 1)
    };
    let pages = pages(list).await;
    let found: Vec<String> = pages
        .iter()
        .flat_map(items)
        .map(|site| site["id"].as_str().unwrap_or_default().to_owned())
        .collect();
    for page in &pages {
        assert_eq!(page.at("/count"), &json!(found.len()));
    }
    for site in sites {
        let status = site.by(client, "getSiteById").send().await.status;
        assert_eq!(status == 200, found.contains(&site.id), "{status} {}", site.id);
    }
    found
}

#[test]
fn grants_on_a_site_admit_guests_and_raise_members() {
    each_engine(async |env: &mut TestEnv| {
        let (one, two) = (Site::create(env, "One").await, Site::create(env, "Two").await);
        let guest = env.person("guest@example.com", None).await;
        let member = env.person("member@example.com", Some("read")).await;
        let (guest_id, member_id) = (id_of(&guest).await, id_of(&member).await);
        assert_eq!(one.statuses(&guest).await, (404, 404));
        assert_eq!(one.statuses(&member).await, (200, 403));

        for (role, expect) in [("read", (200, 403)), ("review", (200, 403)), ("create", (200, 200))]
        {
            for id in [&guest_id, &member_id] {
                let _granted = one.grant(id, role).await.expect(204);
            }
            assert_eq!(one.statuses(&guest).await, expect, "{role}");
            assert_eq!(one.statuses(&member).await, expect, "{role}");
        }
        assert_eq!(two.statuses(&guest).await, (404, 404));
        assert_eq!(two.statuses(&member).await, (200, 403));
        // The role `create` permits neither grants nor the deletion.
        let raise = one.by(&guest, "updateUserPermissionInSite").path("userId", &guest_id);
        let _refused = raise.json(&json!({ "role": "admin" })).send().await.expect(403);
        let _refused = one.by(&guest, "deleteSiteById").send().await.expect(403);

        let remove =
            async || one.call("removeUserFromSite").path("userId", &guest_id).send().await.status;
        assert_eq!((remove().await, remove().await), (205, 204));
        assert_eq!(one.statuses(&guest).await, (404, 404));
        let _granted = one.grant(&guest_id, "admin").await.expect(204);
        let _gone = one.by(&guest, "deleteSiteById").send().await.expect(205);
    });
}

#[test]
fn lists_of_sites_contain_what_the_policy_permits() {
    each_engine(async |env: &mut TestEnv| {
        let sites = [
            Site::create(env, "A").await,
            Site::create(env, "B").await,
            Site::create(env, "C").await,
        ];
        let all: Vec<&Site<'_>> = sites.iter().collect();
        let guest = env.person("guest@example.com", None).await;
        let member = env.person("member@example.com", Some("read")).await;
        let outsider = stranger(env, "outsider@example.com").await;
        let guest_id = id_of(&guest).await;
        assert!(listed(env, &guest, &all).await.is_empty());
        assert_eq!(listed(env, &member, &all).await.len(), 3);

        let make = env.client.call("createOrganizationTeam");
        let make = make.path("organizationId", &env.organization);
        let body = json!({ "title": "Team", "members": [guest_id] });
        let team = make.json(&body).send().await.expect(201).text_at("/id").to_owned();
        // A direct grant, a grant to the team, and both.
        let (user, team) = (json!([guest_id]), json!([team]));
        let _invited = sites[0].invite(json!({ "role": "read", "users": user })).await.expect(204);
        let _invited = sites[1].invite(json!({ "role": "edit", "teams": team })).await.expect(204);
        assert_eq!(listed(env, &guest, &all).await.len(), 2);
        let both = json!({ "role": "read", "users": user, "teams": team });
        let _invited = sites[1].invite(both).await.expect(204);
        assert_eq!(listed(env, &guest, &all).await.len(), 2);

        let delete = env.client.call("removeTeamFromOrganizationById");
        let delete = delete.path("organizationId", &env.organization);
        let team = team[0].as_str().unwrap_or_default();
        let _gone = delete.path("teamId", team).send().await.expect(205);
        assert_eq!(listed(env, &guest, &all).await.len(), 2);
        let _taken = sites[1].invite(json!({ "role": null, "users": user })).await.expect(204);
        assert_eq!(listed(env, &guest, &all).await, [sites[0].id.clone()]);
        let _unseen = sites[0].by(&outsider, "getSiteById").send().await.expect(404);
    });
}

#[test]
fn permissions_on_a_site_are_listed() {
    each_engine(async |env: &mut TestEnv| {
        let site = Site::create(env, "Site").await;
        let guest = id_of(&env.person("guest@example.com", None).await).await;
        let _hidden = env.person("hidden@example.com", None).await;
        let make = env.client.call("createOrganizationTeam");
        let make = make.path("organizationId", &env.organization);
        let made = make.json(&json!({ "title": "Team" })).send().await.expect(201);
        let team = made.text_at("/id");
        let body = json!({ "role": "edit", "users": [guest], "teams": [team] });
        let _invited = site.invite(body).await.expect(204);

        let users = site.call("listUserPermissionsInSite").send().await.expect(200);
        assert_eq!(users.at("/count"), &json!(1));
        assert_eq!(users.text_at("/items/0/user/id"), guest);
        assert_eq!(users.text_at("/items/0/permission"), "edit");
        let teams = site.call("listTeamPermissionsInSite").send().await.expect(200);
        assert_eq!(teams.at("/count"), &json!(1));
        assert_eq!(teams.text_at("/items/0/team/id"), team);
        // The administrator has a role without a grant.
        let all = pages(|| site.call("listPermissionsAggregateInSite").query("limit", 1)).await;
        let all: Vec<&Value> = all.iter().flat_map(items).collect();
        assert_eq!(all.len(), 2);
        assert_eq!(all[0]["permission"], "admin");
        assert_eq!(all[1]["user"]["id"], json!(guest));
        for one in &all {
            assert_eq!(one["origin"]["organization"], json!(env.organization));
        }

        let remove =
            async || site.call("removeTeamFromSite").path("teamId", team).send().await.status;
        assert_eq!((remove().await, remove().await), (205, 204));
        let leave = env.client.call("removeMemberFromOrganizationById").path("userId", &guest);
        let leave = leave.path("organizationId", &env.organization);
        let _left = leave.send().await.expect(205);
        let users = site.call("listUserPermissionsInSite").send().await.expect(200);
        assert_eq!(users.at("/count"), &json!(0));
    });
}

#[test]
fn invalid_permissions_on_a_site_are_refused() {
    each_engine(async |env: &mut TestEnv| {
        let site = Site::create(env, "Site").await;
        let guest = env.person("guest@example.com", None).await;
        let id = id_of(&guest).await;
        let outsider = id_of(&stranger(env, "outsider@example.com").await).await;
        for (body, status, names) in [
            (json!({ "role": "read", "users": [id, outsider] }), 404, "/users/1"),
            (json!({ "role": "read", "users": [id], "teams": ["x"] }), 404, "/teams/0"),
            (json!({ "role": "read", "users": ["nobody@example.com"] }), 404, "/users/0"),
            (json!({ "role": "king", "users": [id] }), 400, "role"),
            (json!({ "users": [id] }), 400, "role"),
        ] {
            let refused = site.invite(body).await.expect(status);
            assert!(refused.message().contains(names), "{refused}");
            // A refused request has no partial effect.
            assert_eq!(site.statuses(&guest).await, (404, 404));
        }
        for user in [outsider.as_str(), "00000000000000000000", "x"] {
            let _unknown = site.grant(user, "read").await.expect(404);
        }
        let _invited = site
            .invite(json!({ "role": "read", "users": ["guest@example.com"] }))
            .await
            .expect(204);
        assert_eq!(site.statuses(&guest).await, (200, 403));
    });
}
