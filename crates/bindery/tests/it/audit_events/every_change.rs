//! Every change with an audit event is recorded exactly once, with its target.

use bindery_testkit::{Answer, Call, Client};
use serde_json::{Value, json};

use crate::support::browser::{Browser, PASSWORD};
use crate::support::every_operation::customization;
use crate::support::openapi::{PETSTORE, of_spec, processed, put_source};
use crate::support::page_feedback::SiteWithFeedback;
use crate::support::people::id_of;
use crate::support::uploads::{two_weights, uploaded_font};
use crate::support::{TestEnv, each_engine, items, pages, until};

/// Actions that happen days after their cause.
const APART: [&str; 1] = ["space.removed"];

/// The audit events of an organization, with the number of those already checked.
struct AuditLog<'a> {
    client: Client,
    organization: &'a str,
    seen: usize,
    actions: Vec<String>,
}

impl<'a> AuditLog<'a> {
    async fn new(client: &Client, organization: &'a str) -> Self {
        let client = client.clone();
        let mut log = Self { client, organization, seen: 0, actions: Vec::new() };
        log.seen = log.all().await.len();
        log
    }

    /// Returns all events, oldest first.
    async fn all(&self) -> Vec<Value> {
        let list = || {
            let call = self.client.call("listOrganizationAuditEvents").query("limit", "100");
            call.path("organizationId", self.organization)
        };
        let mut found: Vec<Value> = pages(list).await.iter().flat_map(items).cloned().collect();
        found.reverse();
        found
    }

    /// Ignores the events until now.
    async fn skip(&mut self) {
        self.seen = self.all().await.len();
    }

    /// Asserts that exactly these events were added since the last check: action, kind of target
    /// and, if known, id of the target.
    async fn expect(&mut self, expect: &[(&str, &str, &str)]) {
        let all = self.all().await;
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        let now: Vec<_> = all[self.seen..]
            .iter()
            .zip(expect.iter().map(|(.., id)| !id.is_empty()).chain(std::iter::repeat(true)))
            .map(|(event, is_known)| {
                let target = &event["target"];
                let id = if is_known { text(&target["id"]) } else { String::new() };
                (text(&event["action"]), text(&target["type"]), id)
            })
            .collect();
        let expect: Vec<_> = expect
            .iter()
            .map(|(action, kind, id)| ((*action).to_owned(), (*kind).to_owned(), (*id).to_owned()))
            .collect();
        assert_eq!(now, expect);
        self.seen = all.len();
        self.actions.extend(now.into_iter().map(|(action, ..)| action));
    }
}

/// A client with the name and id of a path parameter, for calls about one item.
struct On<'a>(&'a Client, &'a str, &'a str);

impl On<'_> {
    fn call(&self, operation: &str) -> Call {
        self.0.call(operation).path(self.1, self.2)
    }

    async fn send(&self, operation: &str, body: Value) -> Answer {
        self.call(operation).json(&body).send().await
    }

    async fn ask(&self, operation: &str) -> Answer {
        self.call(operation).send().await
    }
}

fn id(made: &Answer) -> String {
    made.text_at("/id").to_owned()
}

async fn people(env: &TestEnv, log: &mut AuditLog<'_>) {
    let organization = env.organization.as_str();
    let of = On(&env.client, "organizationId", organization);
    let ada = id_of(&env.person("ada@example.com", Some("read")).await).await;
    log.expect(&[("member.added", "user", &ada), ("token.created", "token", "")]).await;

    let document = json!({ "object": "document", "data": {}, "nodes": [{
        "object": "block", "type": "paragraph", "isVoid": false, "data": {},
        "nodes": [{ "object": "text", "leaves": [
            { "object": "leaf", "text": "Be short", "marks": [] }
        ] }],
    }] });
    let instructions = json!({ "instructions": document });
    for _ in 0..2 {
        // The second call has no effect.
        let set = of.send("updateOrganizationById", json!({ "title": "Other" })).await;
        let _set = set.expect(200);
        let set = of.send("updateOrganizationAgentInstructions", instructions.clone()).await;
        let _set = set.expect(200);
    }
    log.expect(&[
        ("organization.updated", "organization", organization),
        ("organization.agent-instructions.updated", "organization", organization),
    ])
    .await;

    let member = |operation: &str| of.call(operation).path("userId", &ada);
    for (operation, body) in [
        ("updateMemberInOrganizationById", json!({ "role": "edit" })),
        ("updateMemberAccess", json!({ "disabled": true })),
    ] {
        let _changed = member(operation).json(&body).send().await.expect(200);
        log.expect(&[("member.updated", "user", &ada)]).await;
    }
    let _gone = member("removeMemberFromOrganizationById").send().await.expect(205);
    log.expect(&[("member.removed", "user", &ada)]).await;

    let link = of.send("createOrganizationInvite", json!({ "role": "read" })).await.expect(201);
    let link = id(&link);
    let on_link = |operation: &str| of.call(operation).path("inviteId", &link);
    let role = json!({ "role": "edit" });
    let _changed = on_link("updateOrganizationInviteById").json(&role).send().await.expect(200);
    let _gone = on_link("deleteOrganizationInviteById").send().await.expect(205);
    // Events contain only the start of the id, because the full id would let their readers follow
    // the link.
    let link = &link[..6];
    log.expect(&[
        ("invite-link.created", "invite-link", link),
        ("invite-link.updated", "invite-link", link),
        ("invite-link.revoked", "invite-link", link),
    ])
    .await;

    let mails = json!({ "emails": ["a@example.com", "b@example.com"], "role": "edit" });
    let _invited = of.send("inviteUsersToOrganization", mails).await.expect(200);
    let list = of.ask("listInvitations").await.expect(200);
    let found = |email: &str| {
        let items = list.at("/items").as_array().unwrap();
        items.iter().find(|item| item["email"] == email).unwrap().clone()
    };
    let (a, b) = (found("a@example.com"), found("b@example.com"));
    let (first, second) = (a["id"].as_str().unwrap(), b["id"].as_str().unwrap());
    log.expect(&[
        ("invitation.created", "invitation", first),
        ("invitation.created", "invitation", second),
    ])
    .await;
    let _gone = of.call("deleteInvitation").path("invitationId", first).send().await.expect(205);
    let secret = b["urls"]["accept"].as_str().unwrap().rsplit('/').next().unwrap();
    let accept = env.client.anonymous().call("acceptInvitation");
    let accepted = accept.json(&json!({ "invitation": secret })).send().await.expect(200);
    log.expect(&[
        ("invitation.revoked", "invitation", first),
        ("member.added", "user", accepted.text_at("/user/id")),
        ("invitation.accepted", "invitation", second),
    ])
    .await;

    let team = id(&of.send("createOrganizationTeam", json!({ "title": "T" })).await.expect(201));
    let on_team = |operation: &str| of.call(operation).path("teamId", &team);
    for title in ["U", "U"] {
        let update = on_team("updateTeamInOrganizationById").json(&json!({ "title": title }));
        let _renamed = update.send().await.expect(200);
    }
    let user = accepted.text_at("/user/id");
    let put = on_team("addMemberToOrganizationTeamById").path("userId", user);
    let _put = put.json(&json!({})).send().await.expect(204);
    let _gone = on_team("removeTeamFromOrganizationById").send().await.expect(205);
    log.expect(&[
        ("team.created", "team", &team),
        ("team.updated", "team", &team),
        ("team.members.updated", "team", &team),
        ("team.deleted", "team", &team),
    ])
    .await;
}

async fn credentials(env: &TestEnv, log: &mut AuditLog<'_>) {
    let (_, token) = env.token(&json!({ "name": "t" })).await;
    let _gone = env.client.call("deleteToken").path("tokenId", &token).send().await.expect(205);
    log.expect(&[("token.created", "token", &token), ("token.revoked", "token", &token)]).await;

    let browser = Browser::signed_in(env, "eve@example.com").await;
    let eve = browser.ask("getAuthenticatedUser").send().await.expect(200);
    let session = browser.ask("getCurrentSession").send().await.expect(200);
    let set = browser.act("setPassword").json(&json!({ "password": PASSWORD }));
    let _set = set.send().await.expect(204);
    let session = session.text_at("/session/id");
    log.expect(&[
        ("member.added", "user", eve.text_at("/id")),
        ("session.created", "session", session),
        ("password.set", "user", eve.text_at("/id")),
    ])
    .await;
    let sign_in = |body| env.client.anonymous().call("signIn").json(&body).send();
    for password in ["wrong", "wrong again"] {
        let wrong = json!({ "email": "eve@example.com", "password": password });
        let _refused = sign_in(wrong).await.expect(401);
    }
    // Repeated failures are recorded only once.
    log.expect(&[("user.sign_in_failed", "user", eve.text_at("/id"))]).await;
    let again = json!({ "email": "eve@example.com", "password": PASSWORD });
    let again = sign_in(again).await.expect(201);
    let again = again.text_at("/session/id");
    let _others = browser.act("deleteOtherSessions").send().await.expect(205);
    log.expect(&[("session.created", "session", again), ("session.ended", "session", again)]).await;
    let _gone = browser.act("deletePassword").send().await.expect(205);
    let _out = browser.act("signOut").send().await.expect(204);
    log.expect(&[
        ("password.removed", "user", eve.text_at("/id")),
        ("session.ended", "session", session),
    ])
    .await;
}

async fn content<'a>(env: &TestEnv, log: &mut AuditLog<'a>, there: &mut AuditLog<'a>) {
    let of = On(&env.client, "organizationId", &env.organization);
    let space = env.space("Space").await;
    let on = On(&env.client, "spaceId", &space);
    for title in ["Other", "Other"] {
        let _updated = on.send("updateSpaceById", json!({ "title": title })).await.expect(200);
    }
    let copy = id(&on.ask("duplicateSpace").await.expect(201));
    let _gone = env.of_space("deleteSpaceById", &copy).await.expect(205);
    let _back = env.of_space("restoreSpace", &copy).await.expect(200);
    log.expect(&[
        ("space.created", "space", &space),
        ("space.updated", "space", &space),
        ("space.duplicated", "space", &copy),
        ("space.deleted", "space", &copy),
        ("space.restored", "space", &copy),
    ])
    .await;

    let change = json!({ "changes": [
        { "operation": "insert_page", "title": "P", "document": { "markdown": "p\n" } },
    ] });
    let _live = on.send("updateSpaceContent", change.clone()).await.expect(200);
    let proposal = on.send("createChangeRequest", json!({})).await.expect(201);
    let proposed = |operation: &str| on.call(operation).path("changeRequestId", id(&proposal));
    let _changed = proposed("updateChangeRequestContent").json(&change).send().await.expect(200);
    let _merged = proposed("mergeChangeRequest").send().await.expect(200);
    log.expect(&[
        ("space.content.updated", "space", &space),
        ("space.content.updated", "space", &space),
        ("change-request.merged", "change-request", proposal.text_at("/id")),
    ])
    .await;

    let sync = json!({ "url": "https://git.invalid/x", "ref": "main", "pollingInterval": 0 });
    let _set = on.send("setGitSync", sync).await.expect(200);
    for operation in ["pauseGitSync", "pauseGitSync", "resumeGitSync", "resumeGitSync"] {
        let _changed = on.ask(operation).await.expect(200);
    }
    let _deleted = on.ask("deleteGitSync").await.expect(205);
    let _gone = on.ask("deleteGitSync").await.expect(204);
    let actions = ["updated", "paused", "resumed", "deleted"];
    let actions = actions.map(|action| format!("space.git-sync.{action}"));
    let expect = actions.each_ref().map(|action| (action.as_str(), "space", space.as_str()));
    log.expect(&expect).await;

    let target = json!({ "type": "space", "spaceId": space });
    let install = env.client.call("installGitSyncProviderOnTarget");
    let install = install.json(&json!({ "provider": "gitlab", "target": target }));
    let installation = id(&install.send().await.expect(201));
    let on_installation = On(&env.client, "installationId", &installation);
    let change = json!({ "provider": "gitlab", "providerConfiguration": {} });
    let _set = on_installation.send("updateGitSyncInstallationById", change).await.expect(200);
    let _gone = on_installation.ask("uninstallGitSyncInstallation").await.expect(205);
    let actions = ["created", "updated", "deleted"];
    let actions = actions.map(|action| format!("git-installation.{action}"));
    let expect = actions
        .each_ref()
        .map(|action| (action.as_str(), "git-installation", installation.as_str()));
    log.expect(&expect).await;

    let outer = id(&of.send("createCollection", json!({ "title": "O" })).await.expect(201));
    let inner = id(&of.send("createCollection", json!({ "title": "I" })).await.expect(201));
    let on_outer = On(&env.client, "collectionId", &outer);
    let on_inner = On(&env.client, "collectionId", &inner);
    for _ in 0..2 {
        let same = json!({ "title": "I", "description": "what for" });
        let _updated = on_inner.send("updateCollectionById", same).await.expect(200);
    }
    let _moved = on_inner.send("moveCollection", json!({ "parent": outer })).await.expect(200);
    let _moved = on.send("moveSpace", json!({ "parent": inner })).await.expect(200);
    log.expect(&[
        ("collection.created", "collection", &outer),
        ("collection.created", "collection", &inner),
        ("collection.updated", "collection", &inner),
        ("collection.moved", "collection", &inner),
        ("space.moved", "space", &space),
    ])
    .await;

    let bob = id_of(&env.person("bob@example.com", None).await).await;
    let team = id(&of.send("createOrganizationTeam", json!({ "title": "T" })).await.expect(201));
    let read = json!({ "role": "read" });
    for (on, kind, of_user, of_team) in [
        (&on, "space", "updateUserPermissionInSpace", "updateTeamPermissionInSpace"),
        (
            &on_inner,
            "collection",
            "updateUserPermissionInCollection",
            "updateTeamPermissionInCollection",
        ),
    ] {
        log.seen = log.all().await.len();
        let user = on.call(of_user).path("userId", &bob);
        let _granted = user.json(&read).send().await.expect(204);
        // The permission is already granted, so nothing changes.
        let user = on.call(of_user).path("userId", &bob);
        let _same = user.json(&read).send().await.expect(204);
        let _granted = on.call(of_team).path("teamId", &team).json(&read).send().await.expect(204);
        log.expect(&[("permission.changed", kind, on.2), ("permission.changed", kind, on.2)]).await;
    }

    let away = json!({ "organization": there.organization });
    let _given = on_outer.send("transferCollection", away).await.expect(200);
    // Both organizations record the transfer with everything in the collection.
    for log in [&mut *log, &mut *there] {
        log.expect(&[
            ("collection.transferred", "collection", &outer),
            ("space.transferred", "space", &space),
            ("collection.transferred", "collection", &inner),
        ])
        .await;
    }
    let home = json!({ "organization": env.organization });
    let _given = on.send("transferSpace", home).await.expect(200);
    log.expect(&[("space.transferred", "space", &space)]).await;
    there.expect(&[("space.transferred", "space", &space)]).await;
    let _gone = on_inner.ask("deleteCollectionById").await.expect(205);
    there.expect(&[("collection.deleted", "collection", &inner)]).await;

    let site = of.send("createSite", json!({ "title": "Site" })).await.expect(201);
    let site = id(&site);
    let on_site = |operation: &str| of.call(operation).path("siteId", &site);
    let _added =
        on_site("addSpaceToSite").json(&json!({ "spaceId": space })).send().await.expect(201);
    let _published = on_site("publishSite").send().await.expect(200);
    log.expect(&[
        ("site.created", "site", &site),
        ("site.space.added", "site", &site),
        ("site.published", "site", &site),
    ])
    .await;
}

async fn customization_of_a_site(env: &TestEnv, log: &mut AuditLog<'_>) {
    let of = On(&env.client, "organizationId", &env.organization);
    let space = env.space("Content").await;
    let body = json!({ "title": "Customized", "spaces": [space] });
    let site = id(&of.send("createSite", body).await.expect(201));
    let on_site = |operation: &str| of.call(operation).path("siteId", &site);
    let site_space = on_site("listSiteSpaces").send().await.expect(200);
    let site_space = site_space.text_at("/items/0/id");
    log.skip().await;
    for _ in 0..2 {
        // The second call has no effect.
        let update = on_site("updateSiteCustomizationById").json(&customization());
        let _updated = update.send().await.expect(200);
        let body = json!({ "themes": { "default": "light" } });
        let override_of = on_site("overrideSiteSpaceCustomizationById").json(&body);
        let _overridden = override_of.path("siteSpaceId", site_space).send().await.expect(200);
    }
    let delete = on_site("deleteSiteSpaceCustomizationById").path("siteSpaceId", site_space);
    let _gone = delete.send().await.expect(205);
    let actions = [
        "site.customization.updated",
        "site.space-customization.updated",
        "site.space-customization.deleted",
    ];
    log.expect(&actions.map(|action| (action, "site", site.as_str()))).await;
}

async fn ads_of_a_site(env: &TestEnv, log: &mut AuditLog<'_>) {
    let of = On(&env.client, "organizationId", &env.organization);
    let site = id(&of.send("createSite", json!({ "title": "Sponsored" })).await.expect(201));
    let _published = of.call("publishSite").path("siteId", &site).send().await.expect(200);
    log.skip().await;
    let submit = of.call("updateSiteAdsById").path("siteId", &site);
    let submit = submit.json(&json!({ "status": "in-review", "topic": "webdev" }));
    let _submitted = submit.send().await.expect(204);
    for _ in 0..2 {
        // The second call has no effect.
        let review = env.client.call("adsUpdateSite").path("siteId", &site);
        let review = review.header("x-gitbook-partner-key", "partner");
        let _reviewed = review.json(&json!({ "status": "rejected" })).send().await.expect(204);
    }
    log.expect(&[("site.ads.updated", "site", site.as_str()); 2]).await;
}

async fn fonts(env: &TestEnv, log: &mut AuditLog<'_>) {
    let of = On(&env.client, "organizationId", &env.organization);
    let faces = two_weights(&uploaded_font(env).await);
    log.skip().await;
    let body = json!({ "fontFamily": "One", "fontFaces": faces });
    let font = id(&of.send("createCustomFont", body).await.expect(201));
    let of_font = |operation: &str| of.call(operation).path("fontId", &font);
    for _ in 0..2 {
        // The second call has no effect.
        let update = of_font("updateCustomFont").json(&json!({ "fontFamily": "Two" }));
        let _updated = update.send().await.expect(201);
    }
    let _gone = of_font("deleteCustomFont").send().await.expect(205);
    let actions = ["font.created", "font.updated", "font.deleted"];
    let organization = env.organization.as_str();
    log.expect(&actions.map(|action| (action, "organization", organization))).await;
}

async fn openapi_specs(env: &TestEnv, log: &mut AuditLog<'_>) {
    let of = On(&env.client, "organizationId", &env.organization);
    log.skip().await;
    let body = json!({ "slug": "audited", "source": { "text": PETSTORE } });
    let _made = of.send("createOpenAPISpec", body).await.expect(201);
    let _read = put_source(env, "audited", json!({ "text": PETSTORE })).await;
    for _ in 0..2 {
        // The second call has no effect.
        let update = of_spec(env, "updateOpenAPISpecBySlug", "audited");
        let update = update.json(&json!({ "visibility": "public" }));
        let _updated = update.send().await.expect(200);
    }
    let set = of_spec(env, "setOpenAPISpecOverlays", "audited");
    let overlay = "overlay: 1.0.0\ninfo: {title: A, version: '1'}\nactions: [{target: $.info, \
                   update: {title: B}}]\n";
    let body = json!({ "overlays": [{ "source": { "text": overlay } }] });
    let _set = set.json(&body).send().await.expect(200);
    let _made = of_spec(env, "createOpenAPISpecHook", "audited").send().await.expect(200);
    let _gone = of_spec(env, "deleteOpenAPISpecHook", "audited").send().await.expect(205);
    let _read = processed(env, "audited").await;
    until(async || {
        let changes = of_spec(env, "getOpenAPISpecVersionChanges", "audited");
        let changes = changes.path("versionId", "latest").send().await.expect(200);
        (changes.at("/state") == "complete").then_some(())
    })
    .await;
    for status in [205, 204] {
        let delete = of_spec(env, "deleteOpenAPISpecBySlug", "audited");
        let _gone = delete.send().await.expect(status);
    }
    let actions = [
        "openapi.created",
        "openapi.source.updated",
        "openapi.visibility.updated",
        "openapi.overlays.updated",
        "openapi.hook.created",
        "openapi.hook.deleted",
        "openapi.version.compared",
        "openapi.deleted",
    ];
    let organization = env.organization.as_str();
    log.expect(&actions.map(|action| (action, "organization", organization))).await;
}

async fn page_feedback_of_a_site(env: &TestEnv, log: &mut AuditLog<'_>) {
    let site = SiteWithFeedback::published(env, "Rated").await;
    let id = site.give().await;
    log.skip().await;
    for status in [205, 204] {
        let delete = site.call("deleteSitePageFeedbackById").path("pageFeedbackId", &id);
        let _gone = delete.send().await.expect(status);
    }
    log.expect(&[("site.page-feedback.deleted", "site", site.id.as_str())]).await;
}

async fn structure_of_a_site(env: &TestEnv, log: &mut AuditLog<'_>) {
    let of = On(&env.client, "organizationId", &env.organization);
    let site = id(&of.send("createSite", json!({ "title": "Divided" })).await.expect(201));
    let on_site = |operation: &str| of.call(operation).path("siteId", &site);
    let spaces = [env.space("Section").await, env.space("Variant").await];
    let add = on_site("addSectionToSite").json(&json!({ "spaceId": spaces[0] }));
    let section = id(&add.send().await.expect(201));
    let add = on_site("addSpaceToSite").json(&json!({ "spaceId": spaces[1] }));
    let variant = id(&add.send().await.expect(201));
    let made = on_site("addSectionGroupToSite").json(&json!({ "title": "Group" })).send().await;
    let group = id(&made.expect(201));
    let link = json!({ "title": "Status", "url": "https://status.example.com/" });
    let link = id(&on_site("addExternalLinkToSite").json(&link).send().await.expect(201));
    let title = json!({ "title": "Renamed" });
    let path = json!({ "path": "renamed" });
    for _ in 0..2 {
        // The second calls have no effect.
        let update = on_site("updateSiteSectionById").path("siteSectionId", &section).json(&title);
        let _updated = update.send().await.expect(200);
        let update = on_site("updateSiteSectionGroupById").path("siteSectionGroupId", &group);
        let _updated = update.json(&title).send().await.expect(200);
        let update = on_site("updateSiteSpaceById").path("siteSpaceId", &variant).json(&path);
        let _updated = update.send().await.expect(200);
        let _updated = on_site("updateSiteById").json(&title).send().await.expect(200);
        let update = on_site("updateSiteExternalLinkById").path("siteExternalLinkId", &link);
        let _updated = update.json(&title).send().await.expect(200);
    }
    let delete = on_site("deleteSiteExternalLinkById").path("siteExternalLinkId", &link);
    let _gone = delete.send().await.expect(205);
    let delete = on_site("deleteSiteSpaceById").path("siteSpaceId", &variant);
    let _gone = delete.send().await.expect(205);
    let delete = on_site("deleteSiteSectionGroupById").path("siteSectionGroupId", &group);
    let _gone = delete.send().await.expect(205);
    let delete = on_site("deleteSiteSectionById").path("siteSectionId", &section);
    let _gone = delete.send().await.expect(205);
    let _unpublished = on_site("publishSite").send().await.expect(200);
    let _unpublished = on_site("unpublishSite").send().await.expect(200);
    let _gone = on_site("deleteSiteById").send().await.expect(205);
    let space = |space: &String| ("space.created", "space", space.clone());
    let mut expected: Vec<_> = [("site.created", "site", site.clone())].into();
    expected.extend(spaces.iter().map(space));
    let actions = [
        "site.section.added",
        "site.space.added",
        "site.section-group.added",
        "site.external-link.added",
        "site.section.updated",
        "site.section-group.updated",
        "site.space.updated",
        "site.updated",
        "site.external-link.updated",
        "site.external-link.removed",
        "site.space.removed",
        "site.section-group.removed",
        "site.space.removed",
        "site.section.removed",
        "site.published",
        "site.unpublished",
        "site.deleted",
    ];
    expected.extend(actions.map(|action| (action, "site", site.clone())));
    let expected: Vec<_> =
        expected.iter().map(|(action, kind, id)| (*action, *kind, id.as_str())).collect();
    log.expect(&expected).await;
}

async fn audience_of_a_site(env: &TestEnv, log: &mut AuditLog<'_>) {
    let of = On(&env.client, "organizationId", &env.organization);
    let site = id(&of.send("createSite", json!({ "title": "Shared" })).await.expect(201));
    let on_site = |operation: &str| of.call(operation).path("siteId", &site);
    let made = on_site("createSiteShareLink").json(&json!({ "name": "One" })).send().await;
    let link = id(&made.expect(201));
    let on_link = |operation: &str| on_site(operation).path("shareLinkId", &link);
    for _ in 0..2 {
        // The second call has no effect.
        let revoke = on_link("updateSiteShareLinkById").json(&json!({ "active": false }));
        let _revoked = revoke.send().await.expect(200);
    }
    let _gone = on_link("deleteSiteShareLinkById").send().await.expect(205);
    for _ in 0..2 {
        let body = json!({ "backend": "custom", "fallbackURL": "https://example.com/in" });
        let _updated = on_site("updateSitePublishingAuthById").json(&body).send().await.expect(200);
    }
    let _new = on_site("regenerateSitePublishingAuthById").send().await.expect(200);
    for _ in 0..2 {
        let schema = json!({ "type": "object", "properties": {}, "additionalProperties": false });
        let body = json!({ "jsonSchema": schema });
        let _updated = on_site("updateSiteAdaptiveSchema").json(&body).send().await.expect(200);
    }
    let actions = [
        "site.created",
        "site.share-link.created",
        "site.share-link.updated",
        "site.share-link.deleted",
        "site.publishing-auth.updated",
        "site.publishing-auth.key-regenerated",
        "site.adaptive-schema.updated",
    ];
    log.expect(&actions.map(|action| (action, "site", site.as_str()))).await;

    let user = id_of(&env.person("reader@example.com", None).await).await;
    log.seen = log.all().await.len();
    for _ in 0..2 {
        let grant = on_site("updateUserPermissionInSite").path("userId", &user);
        let _granted = grant.json(&json!({ "role": "read" })).send().await.expect(204);
    }
    log.expect(&[("site.permission.changed", "site", &site)]).await;
}

async fn redirects_of_a_site(env: &TestEnv, log: &mut AuditLog<'_>) {
    let of = On(&env.client, "organizationId", &env.organization);
    let space = env.space("Redirected").await;
    log.expect(&[("space.created", "space", space.as_str())]).await;
    let made = json!({ "title": "Redirects", "spaces": [space] });
    let site = id(&of.send("createSite", made).await.expect(201));
    let on_site = |operation: &str| of.call(operation).path("siteId", &site);
    let spaces = on_site("listSiteSpaces").send().await.expect(200);
    let root = json!({ "kind": "site-space", "siteSpaceId": spaces.text_at("/items/0/id") });
    let body = json!({ "source": "/one", "destination": root });
    let made = on_site("createSiteRedirect").json(&body).send().await.expect(201);
    let on_one = |operation: &str| on_site(operation).path("siteRedirectId", made.text_at("/id"));
    for _ in 0..2 {
        // The second call has no effect.
        let body = json!({ "source": "/two" });
        let _updated = on_one("updateSiteRedirectById").json(&body).send().await.expect(200);
    }
    let many = json!({ "redirects": [
        { "source": "/three", "intent": "draft", "destination": root },
        { "source": "/three", "intent": "publish" },
    ] });
    let _made = on_site("bulkUpsertSiteRedirects").json(&many).send().await.expect(200);
    let _gone = on_one("deleteSiteRedirectById").send().await.expect(205);
    let actions = [
        "site.created",
        "site.space.added",
        "site.redirect.created",
        "site.redirect.updated",
        "site.redirect.created",
        "site.redirect.published",
        "site.redirect.deleted",
    ];
    log.expect(&actions.map(|action| (action, "site", site.as_str()))).await;
}

#[test]
fn every_audited_change_is_recorded_once() {
    each_engine(async |env: &mut TestEnv| {
        let made = env.client.call("createOrganization").json(&json!({ "title": "There" }));
        let there = id(&made.send().await.expect(201));
        let admin = id_of(&env.client).await;
        let mut log = AuditLog::new(&env.client, &env.organization).await;
        let mut elsewhere = AuditLog::new(&env.client, &there).await;
        elsewhere.seen = 0;
        elsewhere
            .expect(&[
                ("organization.created", "organization", &there),
                ("member.added", "user", &admin),
            ])
            .await;
        people(env, &mut log).await;
        credentials(env, &mut log).await;
        // A token without limits has access to both organizations.
        let token = [("token.created", "token", ""), ("token.revoked", "token", "")];
        elsewhere.expect(&token).await;
        content(env, &mut log, &mut elsewhere).await;
        page_feedback_of_a_site(env, &mut log).await;
        structure_of_a_site(env, &mut log).await;
        audience_of_a_site(env, &mut log).await;
        customization_of_a_site(env, &mut log).await;
        ads_of_a_site(env, &mut log).await;
        fonts(env, &mut log).await;
        openapi_specs(env, &mut log).await;
        redirects_of_a_site(env, &mut log).await;

        let of = On(&env.client, "organizationId", &env.organization);
        let listed = of.ask("listOrganizationAuditEventActions").await.expect(200);
        for action in listed.at("/items").as_array().unwrap() {
            let action = action["id"].as_str().unwrap().to_owned();
            let is_recorded = log.actions.contains(&action) || elsewhere.actions.contains(&action);
            assert_ne!(is_recorded, APART.contains(&action.as_str()), "{action}");
        }
    });
}
