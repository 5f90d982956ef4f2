//! Organizations: settings, creation, and joining by mail domain.

use bindery_model::{Clock as _, CollectionId, Role};
use bindery_store::{Event, users};
use bindery_testkit::{Answer, Client};
use serde_json::{Value, json};

use crate::support::people::id_of;
use crate::support::{SystemClock, TestEnv, each_engine, items, pages};

async fn update(client: &Client, organization: &str, body: &Value) -> Answer {
    let call = client.call("updateOrganizationById").path("organizationId", organization);
    call.json(body).send().await
}

/// Marks a mail address as confirmed.
async fn verify(env: &mut TestEnv, email: &'static str) {
    env.edit_store(move |tx| {
        let user = users::get_by_email(tx, email)?.unwrap();
        users::update(tx, &users::User { verified_at: Some(SystemClock.now()), ..user })
    })
    .await;
}

#[test]
fn every_setting_is_kept_and_shown() {
    each_engine(async |env: &mut TestEnv| {
        let space = env.space("First").await;
        let ann = env.person("ann@example.com", Some("review")).await;
        let reviewer = id_of(&ann).await;
        let rules = json!({
            "type": "rules",
            "rules": [
                { "rule": "require_specific_reviewers", "users": [reviewer] },
                { "rule": "require_change_request_subject" },
            ],
        });
        let settings = json!({
            "title": "Ours", "hostname": "Ours-1", "emailDomains": ["Example.COM", "bücher.example"],
            "defaultRole": "comment", "defaultContent": { "type": "space", "space": space },
            "logo": "https://example.com/logo.png", "sso": false, "ai": true, "inviteLinks": false,
            "mergeRules": rules,
        });
        let after = update(&env.client, &env.organization, &settings).await.expect(200);
        let get = async |client: &Client| {
            let call = client.call("getOrganizationById").path("organizationId", &env.organization);
            call.send().await.expect(200)
        };
        let shown = get(&env.client).await;
        assert_eq!(shown.json, after.json);
        for (pointer, expect) in [
            ("/title", json!("Ours")),
            ("/hostname", json!("ours-1")),
            ("/emailDomains", json!(["example.com", "xn--bcher-kva.example"])),
            ("/defaultRole", json!("comment")),
            ("/defaultContent", json!({ "type": "space", "space": space })),
            ("/urls/logo", json!("https://example.com/logo.png")),
            ("/sso", json!(false)),
            ("/ai", json!(true)),
            ("/inviteLinks", json!(false)),
            ("/mergeRules", rules),
        ] {
            assert_eq!(shown.at(pointer), &expect, "{pointer}");
        }
        // A guest is not told of a space that it does not see.
        let guest = env.person("guest@example.com", None).await;
        assert_eq!(get(&guest).await.json.pointer("/defaultContent"), None);
        // A deleted space is not returned as default content.
        let _deleted = env.of_space("deleteSpaceById", &space).await.expect(205);
        assert_eq!(get(&ann).await.json.pointer("/defaultContent"), None);

        settings_are_cleared(env).await;
        let _same = update(&env.client, &env.organization, &json!({})).await.expect(200);

        let site = env.client.call("createSite").path("organizationId", &env.organization);
        let site = site.json(&json!({ "title": "Site" })).send().await.expect(201);
        let pointer = json!({ "type": "site", "site": site.text_at("/id") });
        let body = json!({ "defaultContent": pointer });
        let after = update(&env.client, &env.organization, &body).await.expect(200);
        assert_eq!(after.at("/defaultContent"), &pointer);

        updates_record_old_and_new_values(env).await;
    });
}

/// Clears all settings that can be cleared.
async fn settings_are_cleared(env: &TestEnv) {
    let cleared = json!({
        "defaultRole": null, "defaultContent": null, "logo": null, "emailDomains": [],
        "mergeRules": { "type": "none" },
    });
    let cleared = update(&env.client, &env.organization, &cleared).await.expect(200);
    for (pointer, expect) in [
        ("/defaultRole", Some(json!(null))),
        ("/defaultContent", None),
        ("/urls/logo", None),
        ("/emailDomains", Some(json!([]))),
        ("/mergeRules", Some(json!({ "type": "none" }))),
        ("/title", Some(json!("Ours"))),
    ] {
        assert_eq!(cleared.json.pointer(pointer), expect.as_ref(), "{pointer}");
    }
}

/// Checks the events of the updates.
async fn updates_record_old_and_new_values(env: &mut TestEnv) {
    let events = env.events().await;
    let updates: Vec<_> = events
        .iter()
        .filter_map(|one| match &one.event {
            Event::OrganizationUpdated { changes } => Some(changes),
            _ => None,
        })
        .collect();
    assert_eq!(updates.len(), 3);
    let role = updates[0].iter().find(|change| change.field == "defaultRole").unwrap();
    assert_eq!((&role.before, &role.after), (&json!("read"), &json!("comment")));
}

#[test]
fn invalid_settings_are_rejected() {
    each_engine(async |env: &mut TestEnv| {
        let organization = env.organization.clone();
        let other = json!({ "title": "Other" });
        let other = env.client.call("createOrganization").json(&other).send().await.expect(201);
        let other = other.text_at("/id").to_owned();
        let theirs = env.client.call("createSpace").path("organizationId", &other);
        let theirs = theirs.json(&json!({ "title": "Theirs" })).send().await.expect(201);
        let site = env.client.call("createSite").path("organizationId", &other);
        let site = site.json(&json!({ "title": "Their site" })).send().await.expect(201);
        let entropy = bindery_model::Entropy::from_system().unwrap();
        let collection = CollectionId::random(&entropy).to_string();
        let taken = json!({ "hostname": "taken" });
        let _taken = update(&env.client, &other, &taken).await.expect(200);
        for (body, status, names) in
            invalid_settings(theirs.text_at("/id"), site.text_at("/id"), &collection)
        {
            let refused = update(&env.client, &organization, &body).await.expect(status);
            assert!(refused.message().contains(names), "{refused}");
        }
        let shown = env.client.call("getOrganizationById");
        let shown = shown.path("organizationId", &organization).send().await.expect(200);
        assert_eq!(shown.text_at("/title"), "My organization");
    });
}

/// Returns invalid settings with the status and the position in the message.
fn invalid_settings(
    theirs: &str,
    site: &str,
    collection: &str,
) -> [(Value, u16, &'static str); 23] {
    [
        (json!({ "title": "x" }), 400, "/title"),
        (json!({ "title": "x".repeat(256) }), 400, "/title"),
        (json!({ "title": "a\u{202E}b" }), 400, "/title"),
        (json!({ "title": null }), 400, "/title"),
        (json!({ "emailDomains": ["example.org", "localhost"] }), 400, "/emailDomains/1"),
        (json!({ "emailDomains": ["@example.org"] }), 400, "/emailDomains/0"),
        (json!({ "emailDomains": "example.org" }), 400, "/emailDomains"),
        (json!({ "emailDomains": vec!["example.org"; 101] }), 400, "/emailDomains"),
        (json!({ "hostname": "a.b" }), 400, "/hostname"),
        (json!({ "hostname": "-ab" }), 400, "/hostname"),
        (json!({ "hostname": "taken" }), 409, "/hostname"),
        (json!({ "hostname": "their-site" }), 409, "/hostname"),
        (json!({ "defaultRole": "emperor" }), 400, "/defaultRole"),
        (json!({ "logo": "data:image/png;base64,AA" }), 400, "/logo"),
        (json!({ "sso": true }), 409, "/sso"),
        (json!({ "ai": "yes" }), 400, "/ai"),
        (json!({ "inviteLinks": null }), 400, "/inviteLinks"),
        (
            json!({ "defaultContent": { "type": "space", "space": theirs } }),
            400,
            "/defaultContent/space",
        ),
        (
            json!({ "defaultContent": { "type": "site", "site": site } }),
            400,
            "/defaultContent/site",
        ),
        (
            json!({ "defaultContent": { "type": "collection", "collection": collection } }),
            400,
            "/defaultContent/collection",
        ),
        (json!({ "defaultContent": { "type": "space", "space": "x" } }), 400, "/space"),
        (json!({ "defaultContent": { "type": "planet" } }), 400, "/defaultContent"),
        (
            json!({ "mergeRules": {
                "type": "rules", "rules": [{ "rule": "custom", "expression": "(" }],
            } }),
            400,
            "/mergeRules/rules/0/expression",
        ),
    ]
}

#[test]
fn administrators_create_organizations() {
    each_engine(async |env: &mut TestEnv| {
        let body = json!({
            "title": "The second one", "emailDomains": ["example.net"],
            "onboardingPreferences": { "source": null, "audience": "public", "interests": [] },
        });
        let found = env.client.call("createOrganization").query("withDefaultSite", true);
        let made = found.json(&body).send().await.expect(201);
        let id = made.text_at("/id");
        assert!(made.header("location").ends_with(&format!("/v1/orgs/{id}")), "{made}");
        assert_eq!(made.at("/permissions/admin"), &json!(true));
        let read = env.client.call("getOrganizationById").path("organizationId", id);
        let read = read.send().await.expect(200);
        assert_eq!(read.at("/onboardingPreferences"), &body["onboardingPreferences"]);
        assert_eq!(made.at("/emailDomains"), &json!(["example.net"]));
        assert_eq!(made.at("/defaultRole"), &json!("read"));
        let sites = env.client.call("listSites").path("organizationId", id).send().await;
        let sites = sites.expect(200);
        assert_eq!(
            (sites.at("/count"), sites.text_at("/items/0/title")),
            (&json!(1), "The second one",)
        );
        let plain = env.client.call("createOrganization").json(&json!({ "title": "Plain" }));
        let plain = plain.send().await.expect(201);
        let sites = env.client.call("listSites").path("organizationId", plain.text_at("/id"));
        assert_eq!(sites.send().await.expect(200).at("/count"), &json!(0));
        let list = env.client.call("listOrganizationsForAuthenticatedUser");
        assert_eq!(list.send().await.expect(200).at("/count"), &json!(3));

        let create = |url| {
            let create = env.client.call("createOrganization").query("openapiUrl", url);
            create.json(&json!({ "title": "With API" })).send()
        };
        let refused = create("file:///etc/passwd").await.expect(400);
        assert!(refused.message().contains("openapiUrl"), "{refused}");
        let made = create("https://api.invalid/openapi.json").await.expect(201);
        let specs = env.client.call("listOpenAPISpecs").path("organizationId", made.text_at("/id"));
        let specs = specs.send().await.expect(200);
        assert_eq!(specs.text_at("/items/0/sourceURL"), "https://api.invalid/openapi.json");
        for (body, names) in [
            (json!({ "title": "x" }), "/title"),
            (json!({}), "title"),
            (json!({ "title": "Fine", "emailDomains": ["?"] }), "/emailDomains/0"),
        ] {
            let call = env.client.call("createOrganization").json(&body);
            let refused = call.send().await.expect(400);
            assert!(refused.message().contains(names), "{refused}");
        }
        let creator = env.person("creator@example.com", Some("create")).await;
        let guest = env.person("guest@example.com", None).await;
        let (limited, _) = env.token(&json!({ "name": "one", "organizations": [id] })).await;
        for client in [&creator, &guest, &env.client.with_token(&limited)] {
            let refused = client.call("createOrganization").json(&json!({ "title": "Mine" }));
            let refused = refused.send().await.expect(403);
            assert!(refused.message().contains("create organizations"), "{refused}");
        }
    });
}

#[test]
fn users_of_a_mail_domain_can_join() {
    each_engine(async |env: &mut TestEnv| {
        let body = json!({ "title": "Open to us", "emailDomains": ["example.com"] });
        let open = env.client.call("createOrganization").json(&body).send().await.expect(201);
        let open = open.text_at("/id").to_owned();
        let role = json!({ "defaultRole": "comment", "mergeRules": {
            "type": "rules", "rules": [{ "rule": "require_change_request_subject" }],
        } });
        let _set = update(&env.client, &open, &role).await.expect(200);
        let ann = env.person("ann@example.com", Some("read")).await;
        let eve = env.person("eve@elsewhere.example", Some("read")).await;
        let join = async |client: &Client, id: &str| {
            client.call("joinOrganization").path("organizationId", id).send().await
        };
        // The address is not confirmed yet.
        let refused = join(&ann, &open).await.expect(400);
        assert!(refused.message().contains("not confirmed"), "{refused}");
        assert_eq!(organizations_for(&ann, "example.com").await.at("/organizations"), &json!([]));

        verify(env, "ann@example.com").await;
        verify(env, "eve@elsewhere.example").await;
        let (ann, eve) = (again(env, &ann), again(env, &eve));
        let seen = organizations_for(&ann, "EXAMPLE.com").await;
        assert_eq!(seen.text_at("/organizations/0/id"), open);
        assert_eq!(seen.at("/organizations/0/permissions/view"), &json!(false));
        assert_eq!(seen.at("/organizations/0/mergeRules"), &json!({ "type": "none" }));
        assert_eq!(seen.json.pointer("/organizations/0/defaultRole"), None);
        for (client, domain) in [(&eve, "example.com"), (&ann, "elsewhere.example")] {
            assert_eq!(organizations_for(client, domain).await.at("/organizations"), &json!([]));
        }
        limited_tokens_cannot_join(env, &ann).await;

        let refused = join(&eve, &open).await.expect(400);
        assert!(refused.message().contains("domain"), "{refused}");
        let _joined = join(&ann, &open).await.expect(204);
        let shown = ann.call("getOrganizationById").path("organizationId", &open);
        let shown = shown.send().await.expect(200);
        assert_eq!(shown.at("/permissions/listMembers"), &json!(true));
        let seen = organizations_for(&ann, "example.com").await;
        assert_eq!(seen.at("/organizations/0/permissions/view"), &json!(true));
        // A repeated request succeeds without effect.
        let _joined = join(&ann, &open).await.expect(204);
        let closed = json!({ "title": "Closed" });
        let closed = env.client.call("createOrganization").json(&closed).send().await;
        let closed = closed.expect(201).text_at("/id").to_owned();
        for id in [closed.as_str(), "00000000000000000000", "x"] {
            let _missing = join(&ann, id).await.expect(404);
        }
        let events = env.events().await;
        let joined = events.iter().filter_map(|one| match &one.event {
            Event::MemberAdded { role, by: bindery_store::JoinMethod::EmailDomain, .. } => {
                Some(role)
            }
            _ => None,
        });
        assert_eq!(joined.collect::<Vec<_>>(), [&Some(Role::Comment)]);
    });
}

/// Uses tokens that are limited to an organization or to a space.
async fn limited_tokens_cannot_join(env: &TestEnv, ann: &Client) {
    // A limited token cannot join either, even if its owner's address is of the domain.
    for limit in ["organizations", "spaces"] {
        let limited = json!({ "name": "limited", limit: [env.organization] });
        let limited = ann.call("createToken").json(&limited).send().await.expect(201);
        let limited = ann.with_token(limited.text_at("/token"));
        assert_eq!(
            organizations_for(&limited, "example.com").await.at("/organizations"),
            &json!([])
        );
    }
    let bad = ann.call("getOrganizationsForEmailDomain").path("emailDomain", "a b");
    let _bad = bad.send().await.expect(400);
}

/// Returns the organizations that users of a mail domain can join.
async fn organizations_for(client: &Client, domain: &str) -> Answer {
    let call = client.call("getOrganizationsForEmailDomain").path("emailDomain", domain);
    call.send().await.expect(200)
}

/// Returns a client with the same token for the restarted server.
fn again(env: &TestEnv, client: &Client) -> Client {
    client.at(env.server().address())
}

#[test]
fn agents_have_instructions() {
    each_engine(async |env: &mut TestEnv| {
        let organization = env.organization.clone();
        let get = async |client: &Client| {
            let call = client.call("getOrganizationAgentInstructions");
            call.path("organizationId", &organization).send().await
        };
        let nothing = get(&env.client).await.expect(200);
        assert_eq!(nothing.at("/instructions/nodes"), &json!([]));
        assert_eq!(nothing.json.get("updatedBy"), None);
        let text = json!({ "object": "document", "data": {}, "nodes": [{
            "object": "block", "type": "paragraph", "nodes": [{
                "object": "text",
                "leaves": [{ "object": "leaf", "text": "Be brief.", "marks": [] }],
            }],
        }] });
        let put = async |client: &Client, document: &Value| {
            let call = client.call("updateOrganizationAgentInstructions");
            let call = call.path("organizationId", &organization);
            call.json(&json!({ "instructions": document })).send().await
        };
        let after = put(&env.client, &text).await.expect(200);
        assert_eq!(after.text_at("/updatedBy"), id_of(&env.client).await);
        assert_eq!(get(&env.client).await.json, after.json);
        assert!(after.text().contains("Be brief."), "{after}");
        let same = put(&env.client, after.at("/instructions")).await.expect(200);
        assert_eq!(same.json, after.json);
        let reader = env.person("reader@example.com", Some("read")).await;
        assert_eq!(get(&reader).await.expect(200).json, after.json);
        let _refused = put(&reader, &text).await.expect(403);
        let guest = env.person("guest@example.com", None).await;
        let _refused = get(&guest).await.expect(403);
        let bad = json!({ "object": "document", "data": {}, "nodes": [{
            "object": "block", "type": "paragraph", "nodes": [{ "object": "text", "leaves": 3 }],
        }] });
        let refused = put(&env.client, &bad).await.expect(400);
        assert!(refused.message().contains("/instructions"), "{refused}");
    });
}

#[test]
fn a_cursor_is_valid_for_its_list_only() {
    each_engine(async |env: &mut TestEnv| {
        let body = json!({ "title": "Elsewhere" });
        let elsewhere = env.client.call("createOrganization").json(&body).send().await;
        let elsewhere = elsewhere.expect(201).text_at("/id").to_owned();
        for organization in [env.organization.clone(), elsewhere.clone()] {
            for name in ["one", "two"] {
                let of = |id| env.client.call(id).path("organizationId", &organization);
                let body = json!({ "title": name });
                let _space = of("createSpace").json(&body).send().await.expect(201);
                let _collection = of("createCollection").json(&body).send().await.expect(201);
                let _team = of("createOrganizationTeam").json(&body).send().await.expect(201);
                let body = json!({
                    "email": format!("{name}@{organization}.example.com").to_lowercase(),
                    "displayName": name, "organization": organization, "role": "read",
                });
                let _user = env.client.call("createUser").json(&body).send().await.expect(201);
            }
        }
        for list in [
            "listSpacesInOrganizationById",
            "listCollectionsInOrganizationById",
            "listTeamsInOrganizationById",
            "listMembersInOrganizationById",
        ] {
            let page = |organization: &str| {
                env.client.call(list).path("organizationId", organization).query("limit", 1)
            };
            let first = page(&env.organization).send().await.expect(200);
            let cursor = first.text_at("/next/page");
            let _next = page(&env.organization).query("page", cursor).send().await.expect(200);
            let refused = page(&elsewhere).query("page", cursor).send().await.expect(400);
            assert!(refused.message().contains("of another list"), "{list}: {refused}");
        }
    });
}

#[test]
fn the_list_of_organizations_is_paged() {
    each_engine(async |env: &mut TestEnv| {
        let mut expect = vec![env.organization.clone()];
        for title in ["Two", "Three", "Four"] {
            let made = env.client.call("createOrganization").json(&json!({ "title": title }));
            expect.push(made.send().await.expect(201).text_at("/id").to_owned());
        }
        let list = || env.client.call("listOrganizationsForAuthenticatedUser").query("limit", 2);
        let pages = pages(list).await;
        for page in &pages {
            assert_eq!(page.at("/count"), &json!(4));
        }
        let items = pages.iter().flat_map(items);
        let mut found: Vec<_> = items.map(|item| item["id"].as_str().unwrap()).collect();
        found.sort();
        expect.sort();
        assert_eq!(found, expect);
    });
}
