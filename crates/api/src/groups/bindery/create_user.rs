//! `createUser`: a person who is a member of an organization.

use bindery_app::access::{Action, Authorized, SignedIn};
use bindery_app::users::{self, Made, NewUser};
use bindery_app::{Cx, tokens};
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
    let token = match token {
        Some(true) => Some(first_token(cx, &made)?),
        _ => None,
    };
    let hint = format!(
        "it made the user {}, who can have a link to sign in mailed, or be handed another one",
        made.user.id
    );
    let user = present::user(cx.app, made.user);
    let expires_at = cx.lineage().expires_at;
    let created = CreatedUser { user, sign_in_url: made.link, token, expires_at };
    Ok(Reply::json(201, &created)?.with_secret(hint))
}

/// A token of a new account. For somebody who had an account before it would let an administrator
/// act as them, and its absence would tell that they have one: theirs opens nothing.
fn first_token(cx: &Cx<'_>, made: &Made) -> Result<String> {
    if made.is_new {
        return tokens::create_first(cx, made.user.id);
    }
    Ok(tokens::generate(&cx.app.entropy))
}
