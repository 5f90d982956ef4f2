//! Users with their tokens, passwords and sessions.

use bindery_testkit::SmtpServer;
use serde_json::json;

use super::recorder::{Recorder, settled};
use crate::support::browser::{Browser, PASSWORD};
use crate::support::mail::secret_after;
use crate::support::until;

/// Creates Ada, a member with a token, and a guest.
pub(super) async fn users(recorder: &mut Recorder<'_>) {
    let organization = recorder.ids["organizationId"].clone();
    let ada = json!({
        "email": "ada@example.com", "displayName": "Ada", "organization": organization,
        "role": "edit", "token": true,
    });
    let made = recorder.record_json("createUser", ada).await;
    recorder.set("ada", made.text_at("/user/id"));
    recorder.set("adaToken", made.text_at("/token"));
    let guest = json!({
        "email": "guest@example.net", "displayName": "Guest", "token": true, "role": null,
        "organization": recorder.ids["otherOrganizationId"],
    });
    let guest = settled(recorder.client.call("createUser").json(&guest)).await.expect(201);
    recorder.set("guest", guest.text_at("/token"));
    recorder.record_all(&["getUserById", "getAuthenticatedUser"]).await;
    let profile = json!({ "displayName": "The administrator" });
    let _updated = recorder.record_json("updateUserById", profile).await;
}

/// Records the tokens of Ada.
pub(super) async fn tokens(recorder: &mut Recorder<'_>) {
    let administrator = recorder.client.clone();
    recorder.client = administrator.with_token(&recorder.ids["adaToken"]);
    let made = recorder.record_json("createToken", json!({ "name": "laptop" })).await;
    recorder.set("tokenId", made.text_at("/id"));
    recorder.record_all(&["listTokens", "deleteToken"]).await;
    recorder.client = administrator;
}

/// Records the sessions of a person who signs in with a link from a mail, which confirms the
/// address.
pub(super) async fn sessions(recorder: &mut Recorder<'_>, smtp: &SmtpServer) {
    let eve = json!({
        "email": "eve@example.com", "displayName": "Eve",
        "organization": recorder.ids["organizationId"], "role": "read",
    });
    let _made = settled(recorder.client.call("createUser").json(&eve)).await.expect(201);
    let received = smtp.received().len();
    let _sent = recorder.record_json("sendSignInLink", json!({ "email": "eve@example.com" })).await;
    let mail = until(async || {
        let mails = smtp.received();
        mails[received..].iter().find(|mail| mail.to == ["eve@example.com"]).cloned()
    })
    .await;
    let link = secret_after("/app/sign-in/", &mail.decoded());
    let nobody = recorder.client.anonymous();
    let call = nobody.call("signIn").json(&json!({ "link": link }));
    let signed_in = recorder.send("signIn", call).await;
    let browser = Browser::of(recorder.env, &signed_in);
    let password = browser.act("setPassword").json(&json!({ "password": PASSWORD }));
    let _set = recorder.send("setPassword", password).await;
    let again = json!({ "email": "eve@example.com", "password": PASSWORD });
    let again = settled(nobody.call("signIn").json(&again)).await.expect(201);
    recorder.set("sessionId", again.text_at("/session/id"));
    for operation in ["getCurrentSession", "listSessions", "getOrganizationsForEmailDomain"] {
        let mut call = browser.ask(operation);
        if operation == "getOrganizationsForEmailDomain" {
            call = call.path("emailDomain", "example.com");
        }
        let _shown = recorder.send(operation, call).await;
    }
    let other = &recorder.ids["otherOrganizationId"];
    let join = browser.act("joinOrganization").path("organizationId", other);
    let _joined = recorder.send("joinOrganization", join).await;
    let end = browser.act("deleteSession").path("sessionId", &recorder.ids["sessionId"]);
    let _ended = recorder.send("deleteSession", end).await;
    for operation in ["deleteOtherSessions", "deletePassword", "signOut"] {
        let _done = recorder.send(operation, browser.act(operation)).await;
    }
}
