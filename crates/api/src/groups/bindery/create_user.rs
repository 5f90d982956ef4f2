//! `createUser`: a person who is a member of an organization.

use bindery_app::access::{Action, Authorized, SignedIn};
use bindery_app::users::{self, NewUser};
use bindery_app::{Cx, sign_in, tokens};
use bindery_model::{Error, OrganizationId, Result, Role};
use bindery_wire::request::CreateUser;
use bindery_wire::response::CreatedUser;

use crate::call::Call;
use crate::operation::{Operation, write};
use crate::present;
use crate::reply::Reply;

pub(super) fn operation() -> Operation {
    write("createUser", Action::ActAsSelf, run).besides(Action::ManageMembers)
}

fn run(cx: &Cx<'_>, _: &Authorized<SignedIn>, call: &Call) -> Result<Reply> {
    let CreateUser { email, display_name, organization, role, token } = call.body()?;
    let organization =
        OrganizationId::parse(&organization).ok_or_else(|| Error::not_found("organization"))?;
    let role = role.and_then(|role| Role::parse(role.as_str()));
    let new = NewUser { email, display_name, organization, role };
    let made = users::create(cx, &new)?;
    let text = if token == Some(true) {
        // A token for somebody who existed before would let an administrator act as them.
        if !made.is_new {
            return Err(Error::conflict(
                "body at /token: this person has an account already and makes tokens alone",
            ));
        }
        Some(tokens::create_first(cx, made.user.id)?)
    } else {
        None
    };
    // Into an account that was there its owner alone gets, by the ways that they have.
    let sign_in_url = if made.is_new {
        sign_in::address_for(cx, &made.user)?
    } else {
        format!("{}/app/sign-in", cx.app.urls.base())
    };
    let hint = format!(
        "it made the user {}, who can have a link to sign in mailed, or be handed another one",
        made.user.id
    );
    let user = present::user(cx.app, made.user);
    let expires_at = cx.lineage().expires_at;
    let created = CreatedUser { user, sign_in_url, token: text, expires_at };
    Ok(Reply { secret: made.is_new.then_some(hint), ..Reply::json(201, &created)? })
}
