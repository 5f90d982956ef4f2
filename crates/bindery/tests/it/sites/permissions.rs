//! Permissions on sites: granted to people and teams, listed and removed.

use std::collections::BTreeMap;

use bindery_model::Entropy;
use bindery_testkit::{Answer, Call, Client};
use serde_json::{Value, json};

use crate::support::people::{id_of, stranger};
use crate::support::{TestEnv, each_engine, items, pages};

const ROLES: [&str; 6] = ["read", "comment", "edit", "review", "create", "admin"];

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
            Site::create(env, "One").await,
            Site::create(env, "Two").await,
            Site::create(env, "Six").await,
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

/// A person of the random model.
struct Subject {
    client: Client,
    id: String,
    /// The rank of the role in the organization; `None` for a guest.
    rank: Option<usize>,
}

/// An independent implementation of the rules for permissions on sites.
struct Model {
    people: Vec<Subject>,
    /// Teams with the indexes of their members.
    teams: Vec<(String, Vec<usize>)>,
    /// Ranks of roles by site, and by user or team.
    grants: BTreeMap<(String, String), usize>,
}

impl Model {
    async fn create(env: &TestEnv, pick: &impl Fn(usize) -> usize) -> Self {
        let mut people = Vec::new();
        let roles = [None, None, Some("read"), Some("edit"), Some("create"), Some("admin")];
        for (index, role) in roles.into_iter().enumerate() {
            let client = env.person(&format!("p{index}@example.com"), role).await;
            let id = id_of(&client).await;
            let rank = role.and_then(|role| ROLES.iter().position(|one| *one == role));
            people.push(Subject { client, id, rank });
        }
        let mut teams = Vec::new();
        for index in 0..3 {
            let members: Vec<usize> = (0..people.len()).filter(|_| pick(2) == 0).collect();
            let ids: Vec<&str> = members.iter().map(|at| people[*at].id.as_str()).collect();
            let call = env.client.call("createOrganizationTeam");
            let call = call.path("organizationId", &env.organization);
            let body = json!({ "title": format!("t{index}"), "members": ids });
            let made = call.json(&body).send().await.expect(201);
            teams.push((made.text_at("/id").to_owned(), members));
        }
        Self { people, teams, grants: BTreeMap::new() }
    }

    fn role(&self, person: usize, site: &str) -> Option<usize> {
        let own = &self.people[person];
        let teams = self.teams.iter().filter(|(_, members)| members.contains(&person));
        let grantees = std::iter::once(own.id.as_str()).chain(teams.map(|(id, _)| id.as_str()));
        let granted = grantees.filter_map(|to| self.grants.get(&(site.to_owned(), to.to_owned())));
        granted.copied().max().max(own.rank)
    }

    /// Grants or removes a random role on a site.
    async fn change(&mut self, site: &Site<'_>, pick: &impl Fn(usize) -> usize) {
        let is_team = pick(2) == 0;
        let (kind, parameter, to) = match is_team {
            true => ("Team", "teamId", self.teams[pick(self.teams.len())].0.clone()),
            false => ("User", "userId", self.people[pick(self.people.len())].id.clone()),
        };
        let key = (site.id.clone(), to.clone());
        if pick(3) == 0 {
            let remove = site.call(&format!("remove{kind}FromSite")).path(parameter, &to);
            let expect = if self.grants.remove(&key).is_some() { 205 } else { 204 };
            let _removed = remove.send().await.expect(expect);
            return;
        }
        let rank = pick(ROLES.len());
        let grant = site.call(&format!("update{kind}PermissionInSite")).path(parameter, &to);
        let _granted = grant.json(&json!({ "role": ROLES[rank] })).send().await.expect(204);
        self.grants.insert(key, rank);
    }
}

/// Random grants: single responses, lists and aggregated lists agree with the model.
#[test]
fn lists_of_sites_agree_with_a_model() {
    each_engine(async |env: &mut TestEnv| {
        let entropy = Entropy::seeded(11);
        let pick = |most: usize| u64::from_le_bytes(entropy.bytes()) as usize % most;
        let mut model = Model::create(env, &pick).await;
        let mut sites = Vec::new();
        for title in ["First", "Second", "Third", "Fourth"] {
            sites.push(Site::create(env, title).await);
        }
        for _ in 0..3 {
            for _ in 0..6 {
                model.change(&sites[pick(4)], &pick).await;
            }
            agrees(env, &model, &sites).await;
        }
    });
}

async fn agrees(env: &TestEnv, model: &Model, sites: &[Site<'_>]) {
    let all: Vec<&Site<'_>> = sites.iter().collect();
    for (index, person) in model.people.iter().enumerate() {
        let mut expect: Vec<&str> = sites.iter().map(|site| site.id.as_str()).collect();
        expect.retain(|site| model.role(index, site).is_some());
        let mut found = listed(env, &person.client, &all).await;
        found.retain(|id| sites.iter().any(|site| site.id == *id));
        assert_eq!(found, expect, "{index}");
        for site in sites {
            let statuses = match model.role(index, &site.id) {
                None => (404, 404),
                Some(rank) if ROLES[rank] == "create" || ROLES[rank] == "admin" => (200, 200),
                Some(_) => (200, 403),
            };
            assert_eq!(site.statuses(&person.client).await, statuses, "{index}");
        }
    }
    for site in sites {
        let all = site.call("listPermissionsAggregateInSite").query("limit", 100).send().await;
        let all = all.expect(200);
        let shown: BTreeMap<&str, &str> = items(&all)
            .iter()
            .filter_map(|item| Some((item["user"]["id"].as_str()?, item["permission"].as_str()?)))
            .collect();
        for (index, person) in model.people.iter().enumerate() {
            let expect = model.role(index, &site.id).map(|rank| ROLES[rank]);
            assert_eq!(shown.get(person.id.as_str()).copied(), expect, "{index}");
        }
    }
}
