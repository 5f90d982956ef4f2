//! `listTokens`, `createToken`, `deleteToken`: the caller's own personal tokens.

use bindery_app::access::{Action, Authorized, SignedIn};
use bindery_app::{Context, people::tokens};
use bindery_model::{Error, OrganizationId, Result, SpaceId};
use bindery_wire::request::CreatePersonalToken;

use crate::call::Call;
use crate::closed_sets::scope_of;
use crate::lists::{Page, time_position};
use crate::operation::{Operation, read, write};
use crate::present;
use crate::reply::Reply;

pub(super) fn operations() -> Vec<Operation> {
    vec![
        read("listTokens", Action::ActAsSelf, list),
        write("createToken", Action::ManageSelf, create),
        write("deleteToken", Action::ManageSelf, delete),
    ]
}

fn list(cx: &Context<'_>, _: &Authorized<SignedIn>, call: &Call) -> Result<Reply> {
    let page = Page::of(cx.app, call)?;
    let (rows, count) = tokens::list(cx, page.after_time(), page.rows())?;
    let list = page.list(
        rows,
        count,
        |token| time_position(token.created_at, token.id),
        |token| Ok(present::token(token)),
    )?;
    Reply::json(200, &list)
}

fn ids<T>(
    pointer: &str,
    texts: Option<Vec<String>>,
    parse: fn(&str) -> Option<T>,
) -> Result<Vec<T>> {
    let parsed = texts.unwrap_or_default().into_iter().enumerate().map(|(index, text)| {
        parse(&text).ok_or_else(|| {
            Error::invalid(format!("body at {pointer}/{index}: found \"{text}\", allowed: an id"))
        })
    });
    parsed.collect()
}

fn create(cx: &Context<'_>, caller: &Authorized<SignedIn>, call: &Call) -> Result<Reply> {
    let CreatePersonalToken { name, expires_at, scopes, organizations, spaces } = call.body()?;
    let scopes = scopes.map(|scopes| scopes.into_iter().map(scope_of).collect());
    let new = tokens::NewToken {
        name,
        expires_at,
        scopes,
        organizations: ids("/organizations", organizations, OrganizationId::parse)?,
        spaces: ids("/spaces", spaces, SpaceId::parse)?,
    };
    let (token, text) = tokens::create(cx, caller, &new)?;
    let location = cx.app.urls.api(format_args!("/bindery/user/tokens/{}", token.id));
    let hint = format!("it created the token {}: revoke it and create another", token.id);
    Ok(Reply::json(201, &present::created_token(token, text))?
        .with_location(location)
        .with_secret(hint))
}

fn delete(cx: &Context<'_>, caller: &Authorized<SignedIn>, call: &Call) -> Result<Reply> {
    tokens::delete(cx, caller, call.path("tokenId"))?;
    Ok(Reply::empty(205))
}
