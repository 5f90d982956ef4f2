//! Permissions of users and teams in spaces, collections and sites.

use serde_json::json;

use super::recorder::Recorder;

/// Records the operations on permissions; `kind` is the end of their names.
pub(super) async fn permissions(recorder: &mut Recorder<'_>, kind: &str) {
    let administrator = recorder.ids["userId"].clone();
    let ada = recorder.ids["ada"].clone();
    recorder.set("userId", &ada);
    let invite = json!({ "role": "read", "users": [ada] });
    let _invited = recorder.record_json(&format!("inviteTo{kind}"), invite).await;
    let create = json!({ "role": "create" });
    let edit = json!({ "role": "edit" });
    let user = format!("updateUserPermissionIn{kind}");
    let _granted = recorder.record_json(&user, create).await;
    let team = format!("updateTeamPermissionIn{kind}");
    let _granted = recorder.record_json(&team, edit).await;
    for operation in [
        "listUserPermissionsIn",
        "listTeamPermissionsIn",
        "listPermissionsAggregateIn",
        "removeUserFrom",
        "removeTeamFrom",
    ] {
        let _shown = recorder.record(&format!("{operation}{kind}")).await;
    }
    recorder.set("userId", &administrator);
}
