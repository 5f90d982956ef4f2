//! `getUserById`, `updateUserById`: people and their profiles.

use bindery_app::Context;
use bindery_app::access::{Action, Authorized, UserTarget};
use bindery_app::people::users::{self, UserPatch};
use bindery_model::{Error, Result};
use bindery_wire::request::UpdateUserByIdBody;
use serde::Deserialize;
use serde_json::Value;

use crate::call::Call;
use crate::operation::{Operation, read, write};
use crate::present;
use crate::reply::Reply;

pub(super) fn operations() -> Vec<Operation> {
    vec![
        read("getUserById", Action::ViewUser, get),
        write("updateUserById", Action::ManageUser, update),
    ]
}

fn get(cx: &Context<'_>, target: &Authorized<UserTarget>, _: &Call) -> Result<Reply> {
    Reply::json(200, &present::user(cx.app, target.0.clone()))
}

/// Fields of the body that clients send although the contract does not have them.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct UnsupportedFields {
    email: Option<Value>,
    onboarding_preferences: Option<Value>,
}

/// Refuses fields that would otherwise be ignored.
fn refuse_unsupported(target: &Authorized<UserTarget>, call: &Call) -> Result<()> {
    let UnsupportedFields { email, onboarding_preferences } = call.body()?;
    if email.is_some_and(|email| email != target.0.email.as_str()) {
        return Err(Error::conflict(
            "body at /email: a mail address cannot be changed; an administrator can invite the new \
             one",
        ));
    }
    if onboarding_preferences.is_some() {
        return Err(Error::invalid(
            "body at /onboardingPreferences: not stored for people, allowed: displayName, photoURL; \
             createOrganization takes them for an organization",
        ));
    }
    Ok(())
}

fn update(cx: &Context<'_>, target: &Authorized<UserTarget>, call: &Call) -> Result<Reply> {
    let UpdateUserByIdBody { display_name, photo_url } = call.body()?;
    refuse_unsupported(target, call)?;
    let after = users::update(cx, target, UserPatch { display_name, photo_url })?;
    Reply::json(200, &present::user(cx.app, after))
}
