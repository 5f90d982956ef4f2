//! People and how they come to be.

use bindery_model::{Error, OrganizationId, Result, Role, UserId};
use bindery_store::organizations::Organization;
use bindery_store::users::{self, User};
use bindery_store::{Event, NewEvent, Tx, members};

use crate::access::{Action, authorize_target};
use crate::{App, Cx, text};

/// Who a new person is to be.
#[derive(Clone, Debug)]
pub struct NewUser {
    /// The mail address.
    pub email: String,
    /// The name that others see; empty: the address's first part.
    pub display_name: String,
    /// The organization it becomes a member of.
    pub organization: OrganizationId,
    /// Its role there; `None`: a guest.
    pub role: Option<Role>,
}

/// Makes a person and a member. Somebody who exists and is no member yet becomes one.
///
/// # Errors
/// 403, 404 of the organization; 409 when the person is a member already.
pub fn create(cx: &Cx<'_>, new: &NewUser) -> Result<Made> {
    let organization = authorize_target::<Organization>(
        cx.tx,
        cx.caller,
        Action::ManageMembers,
        Some(&new.organization),
    )?;
    let email = text::email("/email", &new.email)?;
    let (user, is_new) = match users::get_by_email(cx.tx, &email)? {
        Some(user) => (user, false),
        None => (store(cx.tx, cx.app, &email, &new.display_name)?, true),
    };
    if !members::create(cx.tx, organization.id, user.id, new.role, cx.now())? {
        return Err(Error::conflict(format!(
            "body at /email: {email} is a member of this organization already"
        )));
    }
    let role = new.role.map(|role| role.as_str().to_owned());
    cx.tx.record(
        &NewEvent::new(Event::MemberAdded { user: user.id, role })
            .by(cx.user())
            .organization(organization.id),
    )?;
    Ok(Made { user, is_new })
}

/// A person who became a member.
#[derive(Clone, Debug)]
pub struct Made {
    /// The person.
    pub user: User,
    /// Whether nobody had the address before.
    pub is_new: bool,
}

/// Stores a person without any membership.
///
/// # Errors
/// When the name is not allowed, or the store fails.
pub fn store(tx: &Tx<'_>, app: &App, email: &str, display_name: &str) -> Result<User> {
    let name = match display_name.trim() {
        "" => email.split('@').next().unwrap_or(email),
        name => name,
    };
    let user = User {
        id: UserId::random(&app.entropy),
        email: email.to_owned(),
        display_name: text::title("/displayName", name, 1, 100)?,
        photo_url: None,
        created_at: app.clock.now(),
    };
    if users::create(tx, &user)? {
        tx.record(&NewEvent::new(Event::UserCreated { user: user.id }))?;
        Ok(user)
    } else {
        Err(Error::conflict(format!("somebody has the address {email} already")))
    }
}

/// The caller as a person.
///
/// # Errors
/// 404 when the person is gone.
pub fn caller(cx: &Cx<'_>) -> Result<User> {
    let user = cx.user().map(|user| users::get(cx.tx, user)).transpose()?.flatten();
    user.ok_or_else(|| Error::not_found("user"))
}
