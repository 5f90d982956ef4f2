//! The permissions of a caller on a comment or reply.

use bindery_model::{Error, Result, UserId};

use super::Discussion;
use crate::Context;
use crate::access::{Action, Decision, decide};

/// The `permissions` of a comment or reply.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Permissions {
    /// Change its text.
    pub edit: bool,
    /// Reply to it.
    pub reply: bool,
    /// Delete it.
    pub delete: bool,
}

impl Permissions {
    pub(super) fn of(cx: &Context<'_>, about: &Discussion<'_>, posted_by: UserId) -> Self {
        let Some(person) = cx.caller.person() else {
            return Self { edit: false, reply: false, delete: false };
        };
        let may = |action| decide(Some(about.role), person.scopes, action) == Decision::Allowed;
        let own = person.user == posted_by && may(Action::Comment);
        Self {
            edit: own,
            reply: may(Action::Comment),
            delete: own || may(Action::ModerateComments),
        }
    }
}

/// Returns an error unless the caller posted the comment or reply.
///
/// # Errors
/// Returns 403 if another user posted it.
pub(super) fn check_edit(
    cx: &Context<'_>,
    about: &Discussion<'_>,
    posted_by: UserId,
) -> Result<()> {
    if Permissions::of(cx, about, posted_by).edit {
        return Ok(());
    }
    Err(Error::forbidden("you may not edit this: only its author may"))
}

/// Returns an error unless the caller posted the comment or reply, or can moderate comments.
///
/// # Errors
/// Returns 403 if another user posted it and the caller cannot moderate comments.
pub(super) fn check_delete(
    cx: &Context<'_>,
    about: &Discussion<'_>,
    posted_by: UserId,
) -> Result<()> {
    if Permissions::of(cx, about, posted_by).delete {
        return Ok(());
    }
    let needed = Action::ModerateComments.requirements();
    Err(Error::forbidden(format!(
        "you may not {}: it needs the permission {}",
        needed.description,
        needed.role.as_str()
    )))
}
