//! Permissions of callers: tokens and their limits, roles, guests and strangers.

use bindery_contract::{Contract, Operation};
use bindery_model::{Clock as _, Id, TokenId};
use bindery_store::tokens::{self, Token};
use bindery_store::users;
use bindery_testkit::git_server::GitServer;
use bindery_testkit::{Answer, Client};
use serde_json::{Value, json};

use crate::support::every_operation::{
    attempt, built, finds_no_content, one_of_everything, with_new, with_person,
};
use crate::support::people::second_organization;
use crate::support::{SystemClock, TestEnv, each_engine, items, pages, raw, until};

#[test]
fn missing_and_invalid_tokens_are_rejected() {
    each_engine(async |env: &mut TestEnv| {
        let git = GitServer::start();
        let ids = one_of_everything(env, &git, "One").await;
        let nobody = env.client.anonymous();
        let wrong = env.client.with_token("bnd_0000000000000000000000000000000000000000");
        for operation in built() {
            for client in [&nobody, &wrong] {
                let answer = attempt(client, operation, &ids).await;
                if operation.public && std::ptr::eq(client, &nobody) {
                    // Without a mail server no link is sent.
                    let no_mail = operation.id == "sendSignInLink" && answer.status == 409;
                    let is_answered = answer.status < 300 || finds_no_content(operation, &answer);
                    assert!(is_answered || no_mail, "{answer}");
                    continue;
                }
                let answer = answer.expect(401);
                assert!(answer.header("www-authenticate").starts_with("Bearer"), "{answer}");
            }
        }
        for scheme in ["Basic YTpi", "Bearer", "Bearer ", "bearer x y", "\u{e9}"] {
            let header = format!("Authorization: {scheme}\r\n");
            let answer = raw(env.server(), "GET", "/v1/user", &header, b"");
            answer.error(401);
            assert!(answer.header("www-authenticate").starts_with("Bearer"), "{answer:?}");
        }
    });
}

#[test]
fn tokens_expire_and_are_revoked() {
    each_engine(async |env: &mut TestEnv| {
        let soon = SystemClock.now().millis() + 700;
        let soon = bindery_model::Timestamp::from_millis(soon).to_string();
        let (short, _) = env.token(&json!({ "name": "short", "expiresAt": soon })).await;
        let short = env.client.with_token(&short);
        until(async || {
            let answer = short.call("getAuthenticatedUser").send().await;
            (answer.status == 401).then_some(())
        })
        .await;
        let past = env.client.call("createToken");
        let past = past.json(&json!({ "name": "past", "expiresAt": "2020-01-01T00:00:00.000Z" }));
        let past = past.send().await.expect(400);
        assert!(past.message().contains("/expiresAt"), "{past}");

        let (text, id) = env.token(&json!({ "name": "revoked" })).await;
        let other = env.person("other@example.com", Some("admin")).await;
        let delete = async |client: &Client, id: &str| {
            client.call("deleteToken").path("tokenId", id).send().await.status
        };
        // The token of another user is treated as missing.
        assert_eq!(delete(&other, &id).await, 204);
        let revoked = env.client.with_token(&text);
        let _works = revoked.call("getAuthenticatedUser").send().await.expect(200);
        assert_eq!(delete(&env.client, &id).await, 205);
        let _ended = revoked.call("getAuthenticatedUser").send().await.expect(401);
        assert_eq!(delete(&env.client, &id).await, 204);
        assert_eq!(delete(&env.client, "x").await, 204);
    });
}

#[test]
fn tokens_are_restricted_to_their_limits() {
    each_engine(async |env: &mut TestEnv| {
        let second = second_organization(env).await;
        let (one, other) = (env.space("One").await, env.space("Other").await);
        let scoped = async |scopes: &[&str]| {
            let (text, _) = env.token(&json!({ "name": "scoped", "scopes": scopes })).await;
            env.client.with_token(&text)
        };
        let user = json!({
            "email": "new@example.com", "displayName": "New", "role": "read",
            "organization": env.organization,
        });
        for (scopes, writes, administers) in [
            (["read"].as_slice(), 403, 403),
            (&["write"], 201, 403),
            (&["read", "write"], 201, 403),
            (&["admin"], 201, 201),
        ] {
            let client = scoped(scopes).await;
            assert_eq!(status(&client, "getSpaceById", "spaceId", &one).await, 200);
            let made = status(&client, "createSpace", "organizationId", &env.organization).await;
            assert_eq!(made, writes, "{scopes:?}");
            let made = client.call("createUser").json(&user).send().await;
            assert_eq!(made.status, administers, "{scopes:?}: {made}");
            let token = client.call("createToken").json(&json!({ "name": "more" })).send().await;
            assert_eq!(token.status, administers, "{scopes:?}: {token}");
        }

        a_token_of_one_organization_sees_no_other(env, &second, &one).await;

        let (text, _) = env.token(&json!({ "name": "one space", "spaces": [one] })).await;
        let limited = env.client.with_token(&text);
        for (operation, name, id, expect) in [
            ("getSpaceById", "spaceId", &one, 200),
            ("getCurrentRevision", "spaceId", &one, 200),
            ("getSpaceById", "spaceId", &other, 404),
            ("getOrganizationById", "organizationId", &env.organization, 200),
            ("createSpace", "organizationId", &env.organization, 403),
        ] {
            assert_eq!(status(&limited, operation, name, id).await, expect, "{operation} {id}");
        }
        let list = limited.call("listSpacesInOrganizationById");
        let list = list.path("organizationId", &env.organization).send().await.expect(200);
        assert_eq!((list.at("/count"), list.text_at("/items/0/id")), (&json!(1), &*one), "{list}");
        for space in [&one, &other] {
            let call = env.client.call("createChangeRequest").path("spaceId", space);
            let _made = call.json(&json!({})).send().await.expect(201);
        }
        for (client, count) in [(&env.client, 2), (&limited, 1)] {
            let list = client.call("listChangeRequestsForOrganization");
            let list = list.path("organizationId", &env.organization).query("status", "draft");
            let list = list.send().await.expect(200);
            assert_eq!(list.at("/count"), &json!(count), "{list}");
            assert_eq!(list.at("/items").as_array().map(Vec::len), Some(count), "{list}");
        }
    });
}

/// Uses a token that is limited to the second organization.
async fn a_token_of_one_organization_sees_no_other(env: &TestEnv, second: &str, one: &str) {
    let (text, _) =
        env.token(&json!({ "name": "one organization", "organizations": [second] })).await;
    let limited = env.client.with_token(&text);
    let list = limited.call("listOrganizationsForAuthenticatedUser").send().await.expect(200);
    assert_eq!((list.at("/count"), list.text_at("/items/0/id")), (&json!(1), second));
    for (operation, name, id, expect) in [
        ("getOrganizationById", "organizationId", second, 200),
        ("createSpace", "organizationId", second, 201),
        ("getOrganizationById", "organizationId", &env.organization, 404),
        ("createSpace", "organizationId", &env.organization, 404),
        ("getSpaceById", "spaceId", one, 404),
    ] {
        assert_eq!(status(&limited, operation, name, id).await, expect, "{operation} {id}");
    }
    let wider = limited.call("createToken").json(&json!({ "name": "wider" })).send().await;
    let _refused = wider.expect(403);
}

/// Returns the status of an operation with one id in its path.
async fn status(client: &Client, operation: &str, name: &str, id: &str) -> u16 {
    let call = client.call(operation).path(name, id);
    match operation {
        "createSpace" => call.json(&json!({ "title": "made" })).send().await.status,
        _ => call.send().await.status,
    }
}

#[test]
fn guests_do_not_see_sites() {
    each_engine(async |env: &mut TestEnv| {
        let space = env.space("Shown").await;
        let body = json!({ "title": "Site", "spaces": [space] });
        let made = env.client.call("createSite").path("organizationId", &env.organization);
        let site = made.json(&body).send().await.expect(201).text_at("/id").to_owned();
        let (limited, _) = env.token(&json!({ "name": "one space", "spaces": [space] })).await;
        let guest = env.person("guest@example.com", None).await;
        for (client, count, expect) in [
            (&env.client.clone(), 1, 200),
            (&guest, 0, 404),
            (&env.client.with_token(&limited), 0, 404),
        ] {
            let list = client.call("listSites").path("organizationId", &env.organization);
            let list = list.send().await.expect(200);
            // The list also contains the site of the sample.
            assert!(list.at("/count").as_u64() >= Some(count), "{list}");
            assert_eq!(list.at("/items").as_array().map(Vec::is_empty), Some(count == 0), "{list}");
            let call = client.call("getSiteById").path("organizationId", &env.organization);
            let _answer = call.path("siteId", &site).send().await.expect(expect);
        }
    });
}

/// The manual's page of required permissions, generated from the policy.
const MATRIX: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/reference/access-matrix.md");

/// Returns the level that the matrix states for an operation, and the status that a guest without
/// grants receives.
fn needed(matrix: &str, operation: &str) -> (String, u16) {
    let begins = format!("| `{operation}` |");
    let row = matrix.lines().find(|line| line.starts_with(&begins));
    let row = row.unwrap_or_else(|| panic!("{operation} has no line in {MATRIX}"));
    let cells: Vec<&str> = row.split('|').map(|cell| cell.trim().trim_matches('`')).collect();
    let (about, besides, role) = (cells[2], cells[4], cells[5]);
    let guest = match (operation, about) {
        // These are about other people, whom a guest does not see.
        ("listTeamsForOrganizationMember" | "getAccess" | "getUserById" | "getSubdomain", _) => 404,
        // The body names a space.
        ("installGitSyncProviderOnTarget", _) => 404,
        // A link is visible to those who manage its target.
        ("getOrganizationInviteLink" | "updateOrganizationInviteById", _) => 404,
        ("listMembersInOrganizationById" | "getOrganizationAgentInstructions", _)
        | ("listCustomFonts" | "getCustomFont", _) => 403,
        // Guests read specifications that are public.
        ("getLatestOpenAPISpecVersionContent", _) => 404,
        (read, _) if read.contains("OpenAPISpec") => 403,
        (_, "organization" | "operation" | "user") => match (role, besides) {
            ("read", "") => 200,
            _ if about == "organization" || !besides.is_empty() => 403,
            _ => 200,
        },
        _ => 404,
    };
    (role.to_owned(), guest)
}

/// Returns `true` if a caller before has decided the suggestion.
fn is_over(operation: &Operation, answer: &Answer) -> bool {
    ["acceptSuggestions", "refuseSuggestions"].contains(&operation.id.as_str())
        && answer.status == 404
        && answer.message().contains("suggestion")
}

#[test]
fn every_role_is_checked_for_every_operation() {
    let matrix = std::fs::read_to_string(MATRIX).unwrap();
    each_engine(async |env: &mut TestEnv| {
        let second = second_organization(env).await;
        let git = GitServer::start();
        let ids = one_of_everything(env, &git, "One").await;
        let levels = ["read", "comment", "edit", "review", "create", "admin"];
        let mut people = Vec::new();
        for level in levels {
            people.push(env.person(&format!("{level}@example.com"), Some(level)).await);
        }
        let guest = env.person("guest@example.com", None).await;
        let body = json!({
            "email": "stranger@example.com", "displayName": "Stranger", "organization": second,
            "role": "admin", "token": true,
        });
        let stranger = env.client.call("createUser").json(&body).send().await.expect(201);
        let stranger = env.client.with_token(stranger.text_at("/token"));

        // A profile belongs to its owner regardless of the role, invitations are for people
        // outside, and a WebSocket is opened with its own headers.
        let apart =
            ["updateUserById", "joinOrganizationWithInvite", "acceptInvitation", "openConnection"];
        for operation in built().filter(|operation| !apart.contains(&operation.id.as_str())) {
            let ids = with_new(env, operation, &ids).await;
            let ids = with_person(env, operation, &ids).await;
            let (level, guests) = needed(&matrix, &operation.id);
            let level = levels.iter().position(|known| *known == level).unwrap();
            for (index, client) in people.iter().enumerate() {
                let answer = attempt(client, operation, &ids).await;
                if operation.id == "deleteSpaceById" && answer.status == 205 {
                    let back = env.client.call("restoreSpace").path("spaceId", &ids["spaceId"]);
                    let _restored = back.send().await.expect(200);
                }
                // Computed content has no source yet; callers with permission receive 404 for it.
                let without_source = operation.id.starts_with("getComputed")
                    && answer.status == 404
                    && answer.message().contains("integration");
                let allowed = answer.status < 300
                    || answer.status == 409
                    || without_source
                    || finds_no_content(operation, &answer)
                    || is_over(operation, &answer);
                let refused = match (is_unseen_below_its_role(operation), answer.status) {
                    (true, 404 | 204 | 403) => true,
                    (_, status) => status == 403,
                };
                let as_expected = if index >= level { allowed } else { refused };
                assert!(as_expected, "{} for {}: {answer}", operation.id, levels[index]);
            }
            let answer = attempt(&guest, operation, &ids).await;
            check_outsider(operation, &answer, guests);
            let about_nothing = is_about_nothing(operation);
            let answer = attempt(&stranger, operation, &ids).await;
            check_outsider(operation, &answer, if about_nothing { 200 } else { 404 });
        }
    });
}

/// Returns `true` for operations that name no item, which all callers may use.
fn is_about_nothing(operation: &Operation) -> bool {
    match operation.id.as_str() {
        "getOrganizationsForEmailDomain"
        | "receiveGitEvent"
        | "receiveOpenAPIHook"
        | "renderIntegrationUIWithPost" => true,
        "createUser" | "getAccess" | "installGitSyncProviderOnTarget" => false,
        _ => !operation.path.contains('{'),
    }
}

/// Returns `true` for operations on items that callers with a lower role do not see.
fn is_unseen_below_its_role(operation: &Operation) -> bool {
    operation.path.ends_with("/link-invites/{inviteId}")
        || operation.path.ends_with("/share-links/{shareLinkId}")
        || operation.path.ends_with("/git/installations/{installationId}")
        || ["getJob", "cancelJob"].contains(&operation.id.as_str())
}

fn check_outsider(operation: &Operation, answer: &Answer, expect: u16) {
    let fits = match (expect, operation.method.as_str()) {
        // A caller with a token has no session.
        (200, _) => {
            answer.status < 300 || answer.status == 409 || finds_no_content(operation, answer)
        }
        // DELETE of something that does not exist succeeds, where the contract says so.
        (404, "DELETE") if operation.response(204).is_some() => answer.status == 204,
        (expect, _) => answer.status == expect,
    };
    // A token belongs to its owner: for other callers it does not exist.
    let own = matches!(operation.id.as_str(), "deleteToken" | "deleteSession" | "deletePassword");
    assert!(fits || own, "{} expects {expect}: {answer}", operation.id);
}

#[test]
fn items_of_another_organization_are_not_found() {
    each_engine(async |env: &mut TestEnv| {
        let second = second_organization(env).await;
        let git = GitServer::start();
        let ids = one_of_everything(env, &git, "One").await;
        let mut mixed = ids.clone();
        mixed.insert("organizationId", second.clone());
        // An administrator of both organizations still cannot use the site of one through the
        // other.
        for operation in ["getSiteById", "listSiteSpaces", "publishSite", "addSpaceToSite"] {
            let operation = Contract::embedded().operation(operation).unwrap();
            let _missing = attempt(&env.client, operation, &mixed).await.expect(404);
        }
        let of_teams = "/orgs/{organizationId}/teams/{teamId}";
        for operation in built().filter(|operation| operation.path.contains(of_teams)) {
            let mut mixed = with_new(env, operation, &ids).await;
            mixed.insert("organizationId", second.clone());
            let answer = attempt(&env.client, operation, &mixed).await;
            check_outsider(operation, &answer, 404);
        }
        let body = json!({ "title": "Other", "spaces": [ids["spaceId"]] });
        let site = env.client.call("createSite").path("organizationId", &second);
        let _missing = site.json(&body).send().await.expect(404);
        // Ids that do not exist and invalid ids, in every position.
        for odd in ["00000000000000000000", "x", "é/ü", "%", " "] {
            for operation in built().filter(|operation| operation.path.contains('{')) {
                for name in ids.keys().filter(|name| **name != "emailDomain") {
                    // A specification with a valid slug is created.
                    let is_new = *name == "specSlug" && operation.method.as_str() == "PUT";
                    let is_slug = odd.bytes().all(|byte| byte.is_ascii_alphanumeric());
                    if operation.path.contains(&format!("{{{name}}}")) && !(is_new && is_slug) {
                        let mut wrong = ids.clone();
                        wrong.insert(name, odd.to_owned());
                        let answer = attempt(&env.client, operation, &wrong).await;
                        // The contract validates the format of this parameter, and rejects the
                        // value before the lookup.
                        let expect = match *name {
                            "auditEventId" => 400,
                            "specSlug"
                                if operation.path.ends_with("{specSlug}")
                                    && operation.method.as_str() == "PUT" =>
                            {
                                400
                            }
                            "subdomain" if !odd.starts_with("00") => 400,
                            "integrationName"
                                if !odd.is_ascii() || odd.len() == 1 && odd != "x" =>
                            {
                                400
                            }
                            _ => 404,
                        };
                        check_outsider(operation, &answer, expect);
                    }
                }
            }
        }
    });
}

#[test]
fn only_administrators_create_accounts() {
    each_engine(async |env: &mut TestEnv| {
        let second = second_organization(env).await;
        let create = async |organization: &str, change: Value| {
            let mut body = json!({
                "email": "ada@example.com", "displayName": "Ada", "organization": organization,
                "role": "edit",
            });
            for (name, value) in change.as_object().unwrap() {
                body[name] = value.clone();
            }
            env.client.call("createUser").json(&body).send().await
        };
        let first = &env.organization;
        let made = create(first, json!({ "token": true })).await.expect(201);
        assert_eq!(made.text_at("/user/email"), "ada@example.com");
        let _twice = create(first, json!({})).await.expect(409);
        let _twice = create(first, json!({ "email": "ADA@example.com" })).await.expect(409);
        let ada = env.client.with_token(made.text_at("/token"));
        let reached = async || {
            let list = ada.call("listOrganizationsForAuthenticatedUser").send().await.expect(200);
            list.at("/count").clone()
        };
        // For another organization, an existing account gives the same response as a new address
        // and no data.
        for change in [json!({ "token": true }), json!({})] {
            let known = create(&second, change.clone()).await.expect(201);
            let mut change = change;
            change["email"] = json!(format!("ada@{}.example.com", change.to_string().len()));
            let unknown = create(&second, change).await.expect(201);
            assert_eq!(shape(&known), shape(&unknown));
            assert_ne!(known.text_at("/user/id"), made.text_at("/user/id"));
            if let Some(token) = known.json.pointer("/token") {
                let thief = env.client.with_token(token.as_str().unwrap());
                let _nobody = thief.call("getAuthenticatedUser").send().await.expect(401);
            }
            let link = known.text_at("/signInURL").rsplit('/').next().unwrap();
            let link = env.client.anonymous().call("signIn").json(&json!({ "link": link }));
            let _refused = link.send().await.expect(401);
            assert_eq!(reached().await, json!(1));
        }
        // After she accepts, both organizations are in her list.
        env.join(&ada, &second, "ada@example.com", Some("edit")).await;
        assert_eq!(reached().await, json!(2));
        let _member = create(&second, json!({})).await.expect(409);

        for (change, names) in [
            (json!({ "email": "no address" }), "/email"),
            (json!({ "email": 1 }), "/email"),
            (json!({ "role": "emperor" }), "/role"),
            (json!({ "displayName": "a\u{202E}b", "email": "x@example.com" }), "/displayName"),
        ] {
            let refused = create(first, change).await.expect(400);
            assert!(refused.message().contains(names), "{refused}");
        }
        let _missing = create("00000000000000000000", json!({})).await.expect(404);
    });
}

/// Returns the properties of the response for a new account that do not depend on the account.
fn shape(answer: &Answer) -> (Vec<String>, String, usize, String, Option<usize>, bool) {
    let mut keys: Vec<String> = answer.json.as_object().unwrap().keys().cloned().collect();
    keys.extend(answer.at("/user").as_object().unwrap().keys().cloned());
    let (place, secret) = answer.text_at("/signInURL").rsplit_once('/').unwrap();
    let name = answer.text_at("/user/displayName").to_owned();
    let token = answer.json.pointer("/token").map(|token| token.as_str().unwrap().len());
    let unstored = answer.header("cache-control") == "no-store";
    (keys, place.to_owned(), secret.len(), name, token, unstored)
}

#[test]
fn the_list_of_tokens_is_paged() {
    each_engine(async |env: &mut TestEnv| {
        let ada = env.person("ada@example.com", Some("read")).await;
        for number in 0..4 {
            let body = json!({ "name": format!("token {number}") });
            let _made = ada.call("createToken").json(&body).send().await.expect(201);
        }
        let mut names = Vec::new();
        for page in pages(|| ada.call("listTokens").query("limit", 2)).await {
            assert_eq!(page.at("/count"), &json!(5));
            for token in items(&page) {
                names.push(token["name"].as_str().unwrap().to_owned());
                assert_eq!(token.get("token"), None);
            }
        }
        // Tokens created in the same millisecond can be in any order, but each is listed once.
        names.sort();
        let expect = ["first token", "token 0", "token 1", "token 2", "token 3"];
        assert_eq!(names, expect);
        // The time of the last use is recorded with a delay.
        until(async || {
            let list = ada.call("listTokens").send().await.expect(200);
            let items = list.at("/items").as_array().unwrap().clone();
            let used = |name: &str| {
                let token = items.iter().find(|token| token["name"] == name).unwrap();
                token.get("lastUsedAt").is_some_and(|at| !at.is_null())
            };
            assert!(!used("token 0"), "{list}");
            used("first token").then_some(())
        })
        .await;
    });
}

#[test]
fn the_number_of_tokens_of_a_user_is_limited() {
    each_engine(async |env: &mut TestEnv| {
        let _edited = env
            .edit_store(|tx| {
                let admin = users::get_by_email(tx, "admin@localhost")?.unwrap();
                let entropy = bindery_model::Entropy::from_system().unwrap();
                for _ in tokens::count_of_user(tx, admin.id)?..99 {
                    let token = Token {
                        id: TokenId::parse(Id::random(&entropy).as_str()).unwrap(),
                        user: admin.id,
                        name: "one of many".to_owned(),
                        prefix: "bnd_".to_owned(),
                        hash: entropy.bytes(),
                        scopes: 1,
                        organizations: String::new(),
                        spaces: String::new(),
                        created_at: SystemClock.now(),
                        expires_at: None,
                        last_used_at: None,
                        parent: None,
                    };
                    tokens::create(tx, &token)?;
                }
                Ok(())
            })
            .await;
        let make = || env.client.call("createToken").json(&json!({ "name": "one more" })).send();
        let last = make().await.expect(201).text_at("/id").to_owned();
        let refused = make().await.expect(409);
        assert!(refused.message().contains("100 tokens"), "{refused}");
        let gone = env.client.call("deleteToken").path("tokenId", &last).send().await;
        let _gone = gone.expect(205);
        let _made = make().await.expect(201);
    });
}
