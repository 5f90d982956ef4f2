//! Browsers: callers with a session.

use bindery_testkit::{Answer, Call, Client};
use serde_json::{Value, json};

use crate::support::TestEnv;
use crate::support::people::sign_in_link;

/// A valid password.
pub(crate) const PASSWORD: &str = "eleven lemons under a tin roof";

/// A browser with a session.
pub(crate) struct Browser {
    pub(crate) nobody: Client,
    pub(crate) cookie: String,
    pub(crate) csrf: String,
}

impl Browser {
    /// Returns the browser that received the response to a sign-in.
    pub(crate) fn of(env: &TestEnv, signed_in: &Answer) -> Self {
        let cookie = signed_in.header("set-cookie").split(';').next().unwrap().to_owned();
        let csrf = signed_in.text_at("/csrfToken").to_owned();
        Self { nobody: env.client.anonymous(), cookie, csrf }
    }

    /// Creates a user and signs in with a link.
    pub(crate) async fn signed_in(env: &TestEnv, email: &str) -> Self {
        let link = sign_in_link(env, email, "read").await;
        Self::of(env, &sign_in(env, json!({ "link": link })).await.expect(201))
    }

    /// Returns a call with the session cookie only.
    pub(crate) fn ask(&self, operation: &str) -> Call {
        self.nobody.call(operation).header("cookie", &self.cookie)
    }

    /// Returns a call with the session cookie and the CSRF token.
    pub(crate) fn act(&self, operation: &str) -> Call {
        self.ask(operation).header("x-csrf-token", &self.csrf)
    }
}

/// Signs in without a session.
pub(crate) async fn sign_in(env: &TestEnv, body: Value) -> Answer {
    env.client.anonymous().call("signIn").json(&body).send().await
}
