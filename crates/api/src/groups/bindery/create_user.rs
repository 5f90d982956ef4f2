//! `createUser`: creates a person who is a member of an organization.

use bindery_app::access::{Action, Authorized, SignedIn};
use bindery_app::people::users::{self, CreatedAccount, NewUser};
use bindery_app::{Context, people::tokens};
use bindery_model::{Error, OrganizationId, Result};
use bindery_wire::request::CreateUser;
use bindery_wire::response::CreatedUser;

use crate::call::Call;
use crate::closed_sets::role_of;
use crate::operation::{Operation, write};
use crate::present;
use crate::reply::Reply;

pub(super) fn operation() -> Operation {
    write("createUser", Action::ActAsSelf, run).additional_action(Action::ManageMembers)
}

fn run(cx: &Context<'_>, _: &Authorized<SignedIn>, call: &Call) -> Result<Reply> {
    let CreateUser { email, display_name, organization, role, token } = call.body()?;
    let organization =
        OrganizationId::parse(&organization).ok_or_else(|| Error::not_found("organization"))?;
    let role = role.map(role_of);
    let new = NewUser { email, display_name, organization, role };
    let account = users::create(cx, &new)?;
    let token = match token {
        Some(true) => Some(first_token(cx, &account)?),
        _ => None,
    };
    let hint = format!(
        "it created the user {}, who can request a sign-in link by mail or be given a new one",
        account.user.id
    );
    let user = present::user(cx.app, account.user);
    let expires_at = cx.lineage().expires_at;
    let created = CreatedUser { user, sign_in_url: account.link, token, expires_at };
    Ok(Reply::json(201, &created)?.with_secret(hint))
}

/// Returns the first token of a new account. A token for an existing account would let an
/// administrator act as its owner, and its absence would reveal that the account exists: the token
/// returned in this case is valid for nothing.
fn first_token(cx: &Context<'_>, account: &CreatedAccount) -> Result<String> {
    if account.is_new {
        return tokens::create_first(cx, account.user.id);
    }
    Ok(tokens::generate(&cx.app.entropy))
}
