//! Organizations with their members, invitations, teams and audit events.

use serde_json::json;

use super::recorder::{Recorder, settled};

/// Records the audit events of the creation of the test data.
pub(super) async fn audit_events(recorder: &mut Recorder<'_>) {
    let list = recorder.call("listOrganizationAuditEvents").query("limit", 2);
    let _list = recorder.send("listOrganizationAuditEvents", list).await;
    recorder.record_all(&["getOrganizationAuditEvent", "listOrganizationAuditEventActions"]).await;
}

pub(super) async fn organizations(recorder: &mut Recorder<'_>) {
    let settings = json!({
        "title": "Example", "hostname": "example", "emailDomains": ["example.com"],
        "defaultRole": "read",
    });
    let _updated = recorder.record_json("updateOrganizationById", settings).await;
    recorder.record_all(&["getOrganizationById", "getApiInformation", "getSubdomain"]).await;
    let instructions = json!({ "instructions": {
        "object": "document", "data": {}, "nodes": [{
            "object": "block", "type": "paragraph", "isVoid": false, "data": {}, "nodes": [
                { "object": "text", "leaves": [
                    { "object": "leaf", "text": "Be short.", "marks": [] },
                ] },
            ],
        }],
    } });
    let _set = recorder.record_json("updateOrganizationAgentInstructions", instructions).await;
    let _shown = recorder.record("getOrganizationAgentInstructions").await;
    let open = json!({ "title": "Open to all", "emailDomains": ["example.com"] });
    let open = recorder.record_json("createOrganization", open).await;
    recorder.set("otherOrganizationId", open.text_at("/id"));
    let _list = recorder.record("listOrganizationsForAuthenticatedUser").await;
}

/// Records the operations on a member, whom `accounts::users` created.
pub(super) async fn members(recorder: &mut Recorder<'_>) {
    let administrator = recorder.ids["userId"].clone();
    let ada = recorder.ids["ada"].clone();
    recorder.set("userId", &ada);
    let _listed = recorder.record("listMembersInOrganizationById").await;
    let role = json!({ "role": "review" });
    let _updated = recorder.record_json("updateMemberInOrganizationById", role).await;
    recorder
        .record_all(&[
            "getMemberInOrganizationById",
            "updateMemberAccess",
            "updateOrganizationMemberLastSeenAt",
            "setUserAsSSOMemberForOrganization",
            "listSpacesForOrganizationMember",
        ])
        .await;
    let access = recorder.call("getAccess");
    let _explained = recorder.send("getAccess", access).await;
    let leaver = json!({
        "email": "leaver@example.com", "displayName": "Leaver",
        "organization": recorder.ids["organizationId"], "role": "read",
    });
    let leaver = settled(recorder.client.call("createUser").json(&leaver)).await.expect(201);
    recorder.set("userId", leaver.text_at("/user/id"));
    let _removed = recorder.record("removeMemberFromOrganizationById").await;
    recorder.set("userId", &administrator);
}

pub(super) async fn invites(recorder: &mut Recorder<'_>) {
    let link = json!({ "role": "edit" });
    let link = recorder.record_json("createOrganizationInvite", link).await;
    recorder.set("inviteId", link.text_at("/id"));
    let role = json!({ "role": "comment" });
    let _updated = recorder.record_json("updateOrganizationInviteById", role).await;
    recorder.record_all(&["getOrganizationInviteLink", "listOrganizationInviteLinks"]).await;
    let guest = recorder.ids["guest"].clone();
    let administrator = recorder.client.clone();
    recorder.client = administrator.with_token(&guest);
    let _joined = recorder.record("joinOrganizationWithInvite").await;
    recorder.client = administrator;
    let _deleted = recorder.record("deleteOrganizationInviteById").await;

    let people = json!({ "emails": ["new@example.com"], "role": "read" });
    let _invited = recorder.record_json("inviteUsersToOrganization", people).await;
    let list = recorder.record("listInvitations").await;
    let _deleted = recorder.record("deleteInvitation").await;
    let items = list.at("/items").as_array().unwrap();
    let new = items.iter().find(|item| item["email"] == "new@example.com").unwrap();
    let accept = new["urls"]["accept"].as_str().unwrap().rsplit('/').next().unwrap();
    let accept = json!({ "invitation": accept });
    let call = recorder.client.anonymous().call("acceptInvitation").json(&accept);
    let _accepted = recorder.send("acceptInvitation", call).await;
}

pub(super) async fn teams(recorder: &mut Recorder<'_>) {
    let administrator = recorder.ids["userId"].clone();
    let ada = recorder.ids["ada"].clone();
    let made = recorder.record_json("createOrganizationTeam", json!({ "title": "Writers" })).await;
    recorder.set("teamId", made.text_at("/id"));
    recorder.set("userId", &ada);
    let _added = recorder.record("addMemberToOrganizationTeamById").await;
    recorder
        .record_all(&[
            "updateMembersInOrganizationTeam",
            "updateTeamInOrganizationById",
            "getTeamInOrganizationById",
            "listTeamsInOrganizationById",
            "listTeamMembersInOrganizationById",
            "listTeamsForOrganizationMember",
            "deleteMemberFromOrganizationTeamById",
        ])
        .await;
    recorder.set("userId", &administrator);
}
