//! Test data: one item of every kind, and a valid call of every operation.

use std::collections::BTreeMap;

use bindery_contract::{Contract, Operation};
use bindery_testkit::git_server::{Change, GitServer};
use bindery_testkit::{Answer, Call, Client};
use serde_json::{Value, json};

use crate::support::TestEnv;
use crate::support::containers::collection;
use crate::support::insights;
use crate::support::openapi::{PETSTORE, of_spec, put_source};
use crate::support::page_feedback::SiteWithFeedback;
use crate::support::pdf;
use crate::support::people::id_of;
use crate::support::uploads::{two_weights, uploaded_font};

/// Values of all path parameters.
pub(crate) type Ids = BTreeMap<&'static str, String>;

/// A well-formed id that does not exist.
const ABSENT: &str = "00000000000000000000";

/// Returns the ids with those of a new collection, team, comment and reply if the operation needs
/// them, so that items deleted by one operation exist for the next.
pub(crate) async fn with_new(env: &TestEnv, operation: &Operation, ids: &Ids) -> Ids {
    let mut ids = ids.clone();
    if operation.path.contains("{collectionId}") {
        ids.insert("collectionId", collection(env, "New", None).await);
    }
    if operation.path.contains("{teamId}") {
        let make = env.client.call("createOrganizationTeam");
        let make = make.path("organizationId", &ids["organizationId"]);
        let body = json!({ "title": "One", "members": [ids["userId"]] });
        let made = make.json(&body).send().await.expect(201);
        ids.insert("teamId", made.text_at("/id").to_owned());
    }
    if operation.path.contains("{shareLinkId}") {
        let make = env.client.call("createSiteShareLink").path("siteId", &ids["siteId"]);
        let make = make.path("organizationId", &ids["organizationId"]);
        let made = make.json(&json!({ "name": "One" })).send().await.expect(201);
        ids.insert("shareLinkId", made.text_at("/id").to_owned());
    }
    if operation.path.contains("{pageFeedbackId}") {
        let site = SiteWithFeedback::published(env, "Rated").await;
        ids.insert("pageFeedbackId", site.give().await);
        ids.insert("siteId", site.id);
    }
    if operation.path.contains("{editingSessionId}") {
        let is_main = !operation.path.contains("{changeRequestId}");
        let join = if is_main { "joinSpacePageEditing" } else { "joinPageEditing" };
        let join = env.client.call(join).path("spaceId", &ids["spaceId"]);
        let join = match is_main {
            true => join,
            false => join.path("changeRequestId", &ids["changeRequestId"]),
        };
        let joined = join.path("pageId", &ids["pageId"]).send().await.expect(200);
        ids.insert("editingSessionId", joined.text_at("/id").to_owned());
    }
    if operation.path.contains("/suggestions/") {
        let id = suggestion(&env.client, &ids, &operation.id).await;
        ids.insert("suggestion", id);
    }
    if operation.path.contains("{hostname}") {
        ids.insert("hostname", hostname(env, None).await);
    }
    if operation.path.contains("{fontId}") {
        ids.insert("fontId", font(env).await);
    }
    if operation.id == "deleteOpenAPISpecBySlug" {
        let _spec = put_source(env, "new", json!({ "text": PETSTORE })).await;
        ids.insert("specSlug", "new".to_owned());
    }
    if operation.path.contains("{specId}") || operation.id == "deleteOpenAPISpecHook" {
        let make = env.client.call("createOpenAPISpecHook").path("specSlug", &ids["specSlug"]);
        let made = make.path("organizationId", &ids["organizationId"]).send().await.expect(200);
        ids.insert("hookToken", made.text_at("/token").to_owned());
    }
    if operation.path.contains("{siteRedirectId}") {
        let make = env.client.call("bulkUpsertSiteRedirects").path("siteId", &ids["siteId"]);
        let make = make.path("organizationId", &ids["organizationId"]);
        let destination = json!({ "kind": "site-space", "siteSpaceId": ids["siteSpaceId"] });
        let body = json!({ "redirects": [{ "source": "/new", "destination": destination }] });
        let made = make.json(&body).send().await.expect(200);
        ids.insert("siteRedirectId", made.text_at("/results/0/id").to_owned());
    }
    if operation.path.contains("{siteSectionId}")
        || operation.path.contains("{siteSectionGroupId}")
        || ["deleteSiteById", "deleteSiteSpaceById"].contains(&operation.id.as_str())
    {
        ids.extend(divided_site(env).await);
    }
    if operation.path.contains("/git-sync")
        || operation.path.contains("{syncId}")
        || operation.id == "deleteLegacyGitInstallation"
    {
        ids.extend(git_sync(env, &ids["spaceId"]).await);
    }
    if operation.path.contains("/git/installations") {
        ids.extend(git_installation(env).await);
    }
    if operation.path.contains("{commentId}") {
        let place = match operation.path.contains("{changeRequestId}") {
            true => "InChangeRequest",
            false => "InSpace",
        };
        for (post, name) in [("postComment", "commentId"), ("postCommentReply", "commentReplyId")] {
            let post = Contract::embedded().operation(&format!("{post}{place}")).unwrap();
            let made = attempt(&env.client, post, &ids).await.expect(200);
            ids.insert(name, made.text_at("/id").to_owned());
        }
    }
    ids
}

/// Returns the ids with that of a member who can be removed and whom other organizations do not
/// see.
pub(crate) async fn with_person(env: &TestEnv, operation: &Operation, ids: &Ids) -> Ids {
    let mut ids = ids.clone();
    if matches!(operation.id.as_str(), "getUserById" | "removeMemberFromOrganizationById") {
        let person = env.person(&format!("{}@example.com", operation.id), Some("read")).await;
        ids.insert("userId", id_of(&person).await);
    }
    for (name, value) in invites(env).await {
        ids.insert(name, value);
    }
    ids
}

/// Adds a section with a new space to a site, in a new group, and returns their ids.
async fn divide(env: &TestEnv, site: &str, title: &str) -> Ids {
    let of_site = |operation: &str| {
        let call = env.client.call(operation).path("organizationId", &env.organization);
        call.path("siteId", site)
    };
    let body = json!({ "spaceId": env.space(&format!("Section of {title}")).await });
    let section = of_site("addSectionToSite").json(&body).send().await.expect(201);
    let body = json!({ "title": title, "sections": [section.text_at("/id")] });
    let group = of_site("addSectionGroupToSite").json(&body).send().await.expect(201);
    let body = json!({ "title": title, "url": "https://example.com/" });
    let link = of_site("addExternalLinkToSite").json(&body).send().await.expect(201);
    BTreeMap::from([
        ("siteExternalLinkId", link.text_at("/id").to_owned()),
        ("siteSectionId", section.text_at("/id").to_owned()),
        ("siteSectionGroupId", group.text_at("/id").to_owned()),
    ])
}

/// Creates a site with a section in a group and two spaces in the section, and returns the ids.
async fn divided_site(env: &TestEnv) -> Ids {
    let create = env.client.call("createSite").path("organizationId", &env.organization);
    let site = create.json(&json!({ "title": "Divided" })).send().await.expect(201);
    let site = site.text_at("/id");
    let mut ids = divide(env, site, "Divided").await;
    let body = json!({ "spaceId": env.space("Variant").await });
    let add = env.client.call("addSpaceToSite").path("organizationId", &env.organization);
    let variant = add.path("siteId", site).json(&body).send().await.expect(201);
    ids.insert("siteId", site.to_owned());
    ids.insert("siteSpaceId", variant.text_at("/id").to_owned());
    ids
}

/// Creates a link without permissions, and an invitation.
pub(crate) async fn invites(env: &TestEnv) -> Ids {
    let of = |operation| env.client.call(operation).path("organizationId", &env.organization);
    let link = of("createOrganizationInvite").json(&json!({ "role": null }));
    let link = link.send().await.expect(201);
    let body = json!({ "emails": ["invited@example.com"], "role": null });
    let _invited = of("inviteUsersToOrganization").json(&body).send().await.expect(200);
    let list = of("listInvitations").send().await.expect(200);
    let address = list.text_at("/items/0/urls/accept");
    BTreeMap::from([
        ("inviteId", link.text_at("/id").to_owned()),
        ("invitationId", list.text_at("/items/0/id").to_owned()),
        ("invitation", address.rsplit('/').next().unwrap().to_owned()),
    ])
}

/// Creates one item of every kind in the first organization, with this title where the item has
/// one.
pub(crate) async fn one_of_everything(env: &TestEnv, git: &GitServer, title: &str) -> Ids {
    let repository = git.repository("one.git");
    let picture = b"GIF89a\x01\x00\x01\x00";
    let changes = [
        Change::file("README.md", format!("# {title}\n\n![p](p.gif)\n")),
        Change::file("page.md", format!("# {title}\n\n![p](p.gif)\n")),
        Change::file("p.gif", picture),
        Change::file(".gitbook/includes/note.md", "A note.\n"),
    ];
    repository.commit("main", "one", changes);
    let space = env.space(title).await;
    let request = json!({ "url": git.url("one.git"), "ref": "refs/heads/main" });
    let job = env.import(&space, &request).await;
    assert_eq!(job.text_at("/status"), "done", "{job}");
    let page = env.client.call("getPageByPath").path("spaceId", &space);
    let page = page.path("pagePath", "page").send().await.expect(200);
    let files = env.of_space("listFiles", &space).await.expect(200);
    let whole = env.of_space("getCurrentRevision", &space).await.expect(200);
    let site = env.client.call("createSite").path("organizationId", &env.organization);
    let site = site.json(&json!({ "title": title, "spaces": [space] })).send().await.expect(201);
    let of_site = |operation| {
        let call = env.client.call(operation).path("organizationId", &env.organization);
        call.path("siteId", site.text_at("/id"))
    };
    let site_space = of_site("listSiteSpaces").send().await.expect(200);
    let share_link = of_site("createSiteShareLink").json(&json!({ "name": title })).send().await;
    let share_link = share_link.expect(201);
    let destination =
        json!({ "kind": "site-space", "siteSpaceId": site_space.text_at("/items/0/id") });
    let redirect = json!({ "source": "/one", "destination": destination });
    let redirect = of_site("createSiteRedirect").json(&redirect).send().await.expect(201);
    let (_, token) = env.token(&json!({ "name": title })).await;
    let (text, _) = env.token(&json!({ "name": "for signing in" })).await;
    let proposal = env.client.call("createChangeRequest").path("spaceId", &space);
    let proposal = proposal.json(&json!({ "subject": title })).send().await.expect(201);
    let reviewer = env.client.call("getAuthenticatedUser").send().await.expect(200);
    let of_proposal = |operation| {
        let call = env.client.call(operation).path("spaceId", &space);
        call.path("changeRequestId", proposal.text_at("/id"))
    };
    let asked = of_proposal("requestReviewersForChangeRequest");
    let asked = asked.json(&json!({ "users": [reviewer.text_at("/id")] })).send().await;
    let _asked = asked.expect(200);
    let review = of_proposal("submitChangeRequestReview");
    let review = review.json(&json!({ "status": "approved" })).send().await.expect(201);
    let audit = env.client.call("listOrganizationAuditEvents");
    let audit = audit.path("organizationId", &env.organization).send().await.expect(200);
    let mut ids = invites(env).await;
    ids.extend(divide(env, site.text_at("/id"), title).await);
    ids.extend(git_sync(env, &space).await);
    ids.extend(git_installation(env).await);
    let schema = json!({ "type": "object", "properties": {}, "additionalProperties": false });
    let schema = of_site("updateSiteAdaptiveSchema").json(&json!({ "jsonSchema": schema }));
    let _schema = schema.send().await.expect(200);
    let spec = put_source(env, "petstore", json!({ "text": PETSTORE })).await;
    let hook = of_spec(env, "createOpenAPISpecHook", "petstore").send().await.expect(200);
    let pdf_address = pdf::address(&env.client, &space, &[]).await;
    let _made = pdf::fetch(&env.client, &pdf_address).await.expect(200);
    let join = of_proposal("joinPageEditing").path("pageId", page.text_at("/id"));
    let joined = join.send().await.expect(200);
    ids.extend([
        ("title", title.to_owned()),
        ("subdomain", title.to_lowercase()),
        ("auditEventId", audit.text_at("/items/0/id").to_owned()),
        ("userId", reviewer.text_at("/id").to_owned()),
        ("reviewId", review.text_at("/id").to_owned()),
        ("changeRequestId", proposal.text_at("/id").to_owned()),
        ("editingSessionId", joined.text_at("/id").to_owned()),
        ("commentId", ABSENT.to_owned()),
        ("commentReplyId", ABSENT.to_owned()),
        ("pageFeedbackId", ABSENT.to_owned()),
        ("organizationId", env.organization.clone()),
        ("collectionId", collection(env, title, None).await),
        ("teamId", ABSENT.to_owned()),
        ("revisionId", job.text_at("/revision").to_owned()),
        ("jobId", job.text_at("/id").to_owned()),
        ("pdfId", pdf_address.rsplit('/').next().unwrap().to_owned()),
        ("pageId", page.text_at("/id").to_owned()),
        ("documentId", page.text_at("/documentId").to_owned()),
        ("pagePath", "page".to_owned()),
        ("fileId", files.text_at("/items/0/id").to_owned()),
        ("reusableContentId", whole.text_at("/reusableContents/0/id").to_owned()),
        ("siteId", site.text_at("/id").to_owned()),
        ("siteSpaceId", site_space.text_at("/items/0/id").to_owned()),
        ("storageKey", uploaded_font(env).await),
        ("fontId", font(env).await),
        ("hostname", hostname(env, Some(title)).await),
        ("siteRedirectId", redirect.text_at("/id").to_owned()),
        ("shareLinkId", share_link.text_at("/id").to_owned()),
        ("sessionId", ABSENT.to_owned()),
        ("tokenId", token),
        ("token", text),
        ("emailDomain", "example.com".to_owned()),
        ("url", "https://example.com/no-such-site".to_owned()),
        ("integrationName", "bindery".to_owned()),
        ("specSlug", "petstore".to_owned()),
        ("specId", spec.text_at("/id").to_owned()),
        ("hookToken", hook.text_at("/token").to_owned()),
        ("versionId", spec.text_at("/lastVersion").to_owned()),
        ("spaceId", space),
    ]);
    ids
}

/// Creates a site with a hostname, which is random without a title, and returns the hostname.
async fn hostname(env: &TestEnv, title: Option<&str>) -> String {
    let create = env.client.call("createSite").path("organizationId", &env.organization);
    let site = create.json(&json!({ "title": "Named" })).send().await.expect(201);
    let title = title.unwrap_or(site.text_at("/id"));
    let label: String = title.chars().filter(char::is_ascii_alphanumeric).collect();
    let hostname = format!("{}.acme.example", label.to_lowercase());
    let update = env.client.call("updateSiteById").path("organizationId", &env.organization);
    let update = update.path("siteId", site.text_at("/id"));
    let update = update.json(&json!({ "hostname": hostname }));
    update.send().await.expect(200).text_at("/hostname").to_owned()
}

/// Sets up the synchronisation of a space, which does nothing by itself, and returns its id and its
/// secret.
async fn git_sync(env: &TestEnv, space: &str) -> Ids {
    let mut body = body_of("setGitSync", &Ids::new()).unwrap();
    body["rotateWebhookSecret"] = true.into();
    let set = env.client.call("setGitSync").path("spaceId", space).json(&body);
    let set = set.send().await.expect(200);
    BTreeMap::from([
        ("syncId", set.text_at("/id").to_owned()),
        ("webhookSecret", set.text_at("/webhookSecret").to_owned()),
    ])
}

/// Installs GitLab on a new space, and returns the id of the installation.
async fn git_installation(env: &TestEnv) -> Ids {
    let ids = BTreeMap::from([("spaceId", env.space("Installed").await)]);
    let body = body_of("installGitSyncProviderOnTarget", &ids).unwrap();
    let made = env.client.call("installGitSyncProviderOnTarget").json(&body);
    let made = made.send().await.expect(201);
    BTreeMap::from([("installationId", made.text_at("/id").to_owned())])
}

/// Creates a font in the first organization and returns its id.
async fn font(env: &TestEnv) -> String {
    let body = json!({ "fontFamily": "One", "fontFaces": two_weights(&uploaded_font(env).await) });
    let create = env.client.call("createCustomFont").path("organizationId", &env.organization);
    create.json(&body).send().await.expect(201).text_at("/id").to_owned()
}

/// Returns a valid body of an operation.
pub(crate) fn body_of(operation: &str, ids: &Ids) -> Option<Value> {
    let body = match operation {
        "createSpace" => json!({ "title": "made" }),
        "createSite" => json!({ "title": "made" }),
        "createCollection" => json!({ "title": "made" }),
        "updateCollectionById" => json!({ "title": "made" }),
        // The present position.
        "moveSpace" | "moveCollection" => json!({ "parent": null }),
        "transferSpace" | "transferCollection" => json!({ "organization": ids["organizationId"] }),
        "inviteToSpace" | "inviteToCollection" | "inviteToSite" => {
            json!({ "role": "read", "users": [ids["userId"]] })
        }
        update if update.starts_with("updateUserPermission") => json!({ "role": "read" }),
        update if update.starts_with("updateTeamPermission") => json!({ "role": "read" }),
        "createOrganizationTeam" | "updateTeamInOrganizationById" => json!({ "title": "made" }),
        "updateMembersInOrganizationTeam" => json!({ "add": [ids["userId"]] }),
        "createSiteRedirect" => json!({
            "source": "/made",
            "destination": { "kind": "site-space", "siteSpaceId": ids["siteSpaceId"] },
        }),
        "updateSiteRedirectById" => json!({ "source": "/changed" }),
        "bulkUpsertSiteRedirects" => json!({ "redirects": [{
            "source": "/many",
            "destination": { "kind": "site-space", "siteSpaceId": ids["siteSpaceId"] },
        }] }),
        "generateStorageUploadURL" => json!({
            "file": { "name": "made.woff2", "type": "font/woff2", "size": 64 },
            "kind": "customization_font",
        }),
        "createCustomFont" => json!({
            "fontFamily": "Made", "fontFaces": two_weights(&ids["storageKey"]),
        }),
        "updateCustomFont" => json!({ "fontFamily": "Changed" }),
        "createOpenAPISpec" => json!({ "slug": "made", "source": { "text": PETSTORE } }),
        "createOrUpdateOpenAPISpecBySlug" => json!({ "source": { "text": PETSTORE } }),
        "setOpenAPISpecOverlays" => json!({ "overlays": [] }),
        "updateOpenAPISpecBySlug" => json!({ "visibility": "private" }),
        "createSiteShareLink" | "updateSiteShareLinkById" => json!({ "name": "made" }),
        "updateSiteAdaptiveSchema" => json!({ "jsonSchema": {
            "type": "object", "properties": {}, "additionalProperties": false,
        } }),
        "updateSiteAdsById" => json!({ "status": "in-review", "topic": "webdev" }),
        "renderIntegrationUIWithPost" => json!({
            "componentId": "opaque",
            "props": { "markdown": "{% raw %}" },
            "context": { "type": "document", "spaceId": ids["spaceId"], "editable": false, "theme": "light" },
        }),
        "adsUpdateSite" => json!({ "status": "rejected", "reason": "made" }),
        "updateSitePublishingAuthById" => json!({ "backend": "custom" }),
        "resolvePublishedContentByUrl" => json!({ "url": ids["url"] }),
        "updateSiteCustomizationById" => customization(),
        "overrideSiteSpaceCustomizationById" => json!({ "pagination": { "enabled": false } }),
        "addSpaceToSite" | "addSectionToSite" => json!({ "spaceId": ids["spaceId"] }),
        "updateSiteById" | "updateSiteSectionById" | "updateSiteSectionGroupById" => {
            json!({ "title": "made" })
        }
        "updateSiteSpaceById" => json!({ "path": "made" }),
        "addExternalLinkToSite" => json!({ "title": "made", "url": "https://example.com/" }),
        "updateSiteExternalLinkById" => json!({ "title": "made" }),
        "addSectionGroupToSite" => json!({ "title": "made" }),
        "addSectionToGroup" => json!({ "sectionId": ids["siteSectionId"] }),
        "trackEventsInSiteById" => json!({ "events": [insights::event("page_view", &[])] }),
        "aggregateSiteEvents" => json!({ "range": "last7Days" }),
        "searchSiteContent" => json!({
            "query": "outside", "mode": "current", "siteSpaceId": ids["siteSpaceId"],
        }),
        "sortSiteStructure" => json!({
            "item": { "type": "site-space", "id": ids["siteSpaceId"] }, "position": {},
        }),
        "exportToGitRepository" => {
            json!({ "url": "https://git.invalid/x", "ref": "main", "commitMessage": "m" })
        }
        "setGitSync" => json!({
            "url": "https://git.invalid/x", "ref": "main", "direction": "import",
            "pollingInterval": 0,
        }),
        "installGitSyncProviderOnTarget" => json!({
            "provider": "gitlab", "target": { "type": "space", "spaceId": ids["spaceId"] },
        }),
        "updateGitSyncInstallationById" => json!({
            "provider": "gitlab", "providerConfiguration": { "branch": "refs/heads/made" },
        }),
        "importGitRepository" => {
            json!({ "url": "https://git.invalid/x", "ref": "refs/heads/main" })
        }
        "joinPageEditing" | "joinSpacePageEditing" => json!({}),
        "acceptSuggestions" | "refuseSuggestions" => {
            json!({ "suggestions": [ids.get("suggestion").map_or(ABSENT, String::as_str)] })
        }
        "sendEditingSteps" | "sendSpaceEditingSteps" => {
            json!({ "version": 0, "client": "made", "number": 1, "steps": [], "save": true })
        }
        "setEditingSelection" | "setSpaceEditingSelection" => {
            json!({ "client": "made", "version": 0, "anchor": 1, "head": 1 })
        }
        "insertChangeRequestPage" => json!({ "type": "group", "title": "made" }),
        "updateChangeRequestPage" => json!({ "layout": { "width": "wide" } }),
        "uploadChangeRequestFile" => json!({ "name": "made.txt", "base64": "bWFkZQ==" }),
        "uploadSiteImage" => json!({ "name": "made.gif", "base64": "R0lGODlhAQABAAAAACw=" }),
        "updateNotifications" => json!({ "read": true }),
        "updateNotificationSettings" => json!({ "mail": false }),
        "checkExpression" => json!({ "expression": "space.vars.a" }),
        "discardChangeRequestPage" => json!({ "page": ids["pageId"] }),
        "resolveChangeRequestConflicts" => json!({ "choice": "current" }),
        "applyTemplateToSpace" => json!({ "id": "blank" }),
        "revertSpace" => json!({ "revision": ids["revisionId"] }),
        "updateChangeRequestContent" | "updateSpaceContent" => json!({ "changes": [
            { "operation": "update_page", "page": ids["pageId"], "title": "made" },
        ] }),
        "createChangeRequest" | "updateChangeRequestById" => json!({ "subject": "made" }),
        "submitChangeRequestReview" => json!({ "status": "approved" }),
        "requestReviewersForChangeRequest" => json!({ "users": [ids["userId"]] }),
        "updateSpaceById" => json!({ "title": "made" }),
        "createToken" => json!({ "name": "made" }),
        "signIn" => json!({ "token": ids["token"] }),
        "sendSignInLink" => json!({ "email": "made@example.com" }),
        "setPassword" => json!({ "password": "eleven lemons under a tin roof" }),
        post if post.starts_with("postComment") => json!({ "body": { "markdown": "made" } }),
        update if update.starts_with("updateComment") => json!({ "addedReactions": ["1f44d"] }),
        "getComputedDocument" | "getComputedRevision" => json!({
            "source": { "type": "integration:some:source", "props": {} }, "seed": "s",
        }),
        "createOrganization" => json!({ "title": "made" }),
        "updateOrganizationById" => json!({ "title": "made" }),
        "updateOrganizationAgentInstructions" => json!({
            "instructions": { "object": "document", "data": {}, "nodes": [] },
        }),
        "updateUserById" => json!({ "displayName": "made" }),
        "inviteUsersToOrganization" => json!({ "emails": ["made@example.com"] }),
        "createOrganizationInvite" | "updateOrganizationInviteById" => json!({ "role": null }),
        "acceptInvitation" => json!({ "invitation": ids["invitation"] }),
        "updateMemberAccess" => json!({ "disabled": false }),
        "updateMemberInOrganizationById" => json!({ "role": "admin" }),
        "createUser" => json!({
            "email": "made@example.com", "displayName": "Made",
            "organization": ids["organizationId"], "role": "read",
        }),
        _ => return None,
    };
    Some(body)
}

/// Calls an operation with these ids.
pub(crate) async fn attempt(client: &Client, operation: &Operation, ids: &Ids) -> Answer {
    let call = about(client, operation, ids);
    let call = queries_of(operation, ids)
        .into_iter()
        .fold(call, |call, (name, value)| call.query(name, value));
    with_body(call, operation, ids).send().await
}

/// Returns `true` for the answer of a search for published content at an address of another server,
/// for that to events of a site that is not published, for that about a specification that is not
/// public, and for that about a dry run that has not ended.
pub(crate) fn finds_no_content(operation: &Operation, answer: &Answer) -> bool {
    let is_search = matches!(
        operation.id.as_str(),
        "getContentByUrl"
            | "getGitSyncDryRun"
            | "getLatestOpenAPISpecVersionContent"
            | "getPublishedContentByUrl"
            | "resolvePublishedContentByUrl"
            | "trackEventsInSiteById"
    );
    is_search && answer.status == 404
}

/// Returns a call of an operation with the ids that its path names.
pub(crate) fn about(client: &Client, operation: &Operation, ids: &Ids) -> Call {
    let named = ids.iter().filter(|(name, _)| operation.path.contains(&format!("{{{name}}}")));
    let call = client.call(&operation.id);
    let call = match operation.group.as_str() {
        "site-ads" => call.header("x-gitbook-partner-key", "partner"),
        _ => call,
    };
    named.fold(call, |call, (name, value)| call.path(name, value))
}

/// Adds a valid body to the call, if the operation has one.
pub(crate) fn with_body(call: Call, operation: &Operation, ids: &Ids) -> Call {
    match (operation.id.as_str(), body_of(&operation.id, ids)) {
        ("importSpaceArchive", _) => call.body("application/gzip", vec![0; 10]),
        // A push to another branch, which is accepted and ignored.
        ("receiveGitEvent", _) => {
            let secret = ids.get("webhookSecret").map_or("", String::as_str);
            call.header("x-gitlab-token", secret).json(&json!({ "ref": "refs/heads/other" }))
        }
        ("receiveOpenAPIHook", _) => {
            call.header("x-bindery-token", ids.get("hookToken").map_or("", String::as_str))
        }
        (_, Some(body)) => call.json(&body),
        (_, None) => call,
    }
}

/// Suggests a change of a page under the name of a window that has sent nothing before. Returns the
/// id of the suggestion.
pub(crate) async fn suggestion(client: &Client, ids: &Ids, name: &str) -> String {
    let of_proposal = |operation: &str| {
        let call = client.call(operation).path("spaceId", &ids["spaceId"]);
        call.path("changeRequestId", &ids["changeRequestId"])
    };
    let join = of_proposal("joinPageEditing").path("pageId", &ids["pageId"]);
    let joined = join.json(&json!({ "suggest": true })).send().await.expect(200);
    let block = json!({ "type": "paragraph", "content": [{ "type": "text", "text": "made" }] });
    let step = json!({
        "stepType": "replace", "from": 0, "to": 0, "slice": { "content": [block] },
    });
    let version = joined.at("/version");
    let body = json!({ "version": version, "client": name, "number": 1, "steps": [step] });
    let send = of_proposal("sendEditingSteps").path("editingSessionId", joined.text_at("/id"));
    let _sent = send.json(&body).send().await.expect(200);
    let listed = of_proposal("listSuggestions").send().await.expect(200);
    listed.text_at("/items/0/id").to_owned()
}

/// Returns the required query parameters of an operation.
pub(crate) fn queries_of(operation: &Operation, ids: &Ids) -> Vec<(&'static str, String)> {
    match operation.id.as_str() {
        "searchOrganizationContent" | "searchSpaceContent" => {
            return vec![("query", "outside".to_owned())];
        }
        "listEditingSteps" | "listSpaceEditingSteps" => return vec![("version", "0".to_owned())],
        "getSiteRedirectBySource" => return vec![("source", "/one".to_owned())],
        // A player is made without a request to another host.
        "getEmbedByUrl" | "getEmbedByUrlInSpace" => {
            return vec![("url", "https://youtu.be/abc".to_owned())];
        }
        _ => {}
    }
    let names: &[(&str, &str)] = match operation.id.as_str() {
        "compareRevisions" | "comparePage" => &[("from", "revisionId"), ("to", "revisionId")],
        "getContentByUrl" | "getPublishedContentByUrl" => &[("url", "url")],
        "getAccess" => &[("user", "userId"), ("resource", "spaceId")],
        _ => &[],
    };
    names.iter().map(|(name, id)| (*name, ids[id].clone())).collect()
}

/// Returns all operations that have a handler.
pub(crate) fn built() -> impl Iterator<Item = &'static Operation> {
    Contract::embedded().operations().iter().filter(|operation| !operation.pending)
}

/// Returns a complete customization of a site.
pub(crate) fn customization() -> Value {
    let color = json!({ "light": "#0F8A5F", "dark": "#0F8A5F" });
    json!({
        "styling": {
            "theme": "clean", "primaryColor": color, "infoColor": color, "successColor": color,
            "warningColor": color, "dangerColor": color, "tint": { "color": color },
            "corners": "straight", "depth": "flat",
            "links": "accent", "font": "Lato", "monospaceFont": "DMMono", "background": "plain",
            "icons": "regular", "sidebar": { "background": "filled", "list": "pill" },
            "search": "subtle"
        },
        "internationalization": { "locale": "de" },
        "favicon": { "emoji": "1f680" },
        "header": { "preset": "default", "links": [] },
        "footer": { "groups": [], "copyright": "Acme" },
        "themes": { "default": "dark", "toggeable": false },
        "pdf": { "enabled": false },
        "feedback": { "enabled": false },
        "ai": { "mode": "none" },
        "advancedCustomization": { "enabled": false },
        "git": { "showEditLink": false },
        "pageActions": { "externalAI": false, "markdown": false, "mcp": false },
        "externalLinks": { "target": "blank" },
        "pagination": { "enabled": false },
        "trademark": { "enabled": false },
        "privacyPolicy": { "url": "https://example.com/privacy" },
        "socialPreview": { "url": "https://example.com/card.png" },
        "insights": { "trackingCookie": false }
    })
}
