//! People and how they come to be.

use bindery_model::{Error, OrganizationId, Result, Role, Timestamp, UserId};
use bindery_store::organizations::Organization;
use bindery_store::users::{self, User};
use bindery_store::{Event, FieldChange, JoinMethod, NewEvent, Tx, members};

use crate::access::{Action, Authorized, Credential, UserTarget, authorize_target};
use crate::{App, Context, organization_invites, organizations, sessions, sign_in, text, tokens};

/// The values of a new user.
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

/// Makes a member of the person with a mail address. Where nobody has the address, the person is
/// made, and a link signs them in. Where somebody has, they are invited: only they decide whether
/// they come in, and what is answered is what a new account would have.
///
/// # Errors
/// 403, 404 of the organization; 409 when the person is a member already, as its list of members
/// says too.
pub fn create(cx: &Context<'_>, new: &NewUser) -> Result<CreatedAccount> {
    let organization = authorize_target::<Organization>(
        cx.tx,
        cx.caller,
        Action::ManageMembers,
        Some(&new.organization),
    )?;
    let email = text::email("/email", &new.email)?;
    let user = person(cx.app, &email, &new.display_name)?;
    let Some(known) = users::get_by_email(cx.tx, &email)? else {
        insert(cx.tx, &user)?;
        organizations::add_member(cx, organization.id, user.id, new.role, JoinMethod::Added)?;
        let link = sign_in::address_for(cx, &user)?;
        return Ok(CreatedAccount { user, is_new: true, link });
    };
    if members::get(cx.tx, organization.id, known.id)?.is_some() {
        return Err(Error::conflict(format!(
            "body at /email: {email} is a member of this organization already"
        )));
    }
    let invitation = organization_invites::create_invitation(cx, organization.id, email, new.role)?;
    let link = sign_in::address_of_invitation(cx.app, invitation)?;
    Ok(CreatedAccount { user, is_new: false, link })
}

/// The result of creating a user.
#[derive(Clone, Debug)]
pub struct CreatedAccount {
    /// The person; where the address was somebody's, one that there is not.
    pub user: User,
    /// `true` if no account had the address before.
    pub is_new: bool,
    /// The address to hand over to the person.
    pub link: String,
}

/// Stores a person without any membership.
///
/// # Errors
/// When the name is not allowed, or the store fails.
pub fn store(tx: &Tx<'_>, app: &App, email: &str, display_name: &str) -> Result<User> {
    let user = person(app, email, display_name)?;
    insert(tx, &user)?;
    Ok(user)
}

/// A new person. Without a name it is called after the mail address.
fn person(app: &App, email: &str, display_name: &str) -> Result<User> {
    let name = match display_name.trim() {
        "" => email.split('@').next().unwrap_or(email),
        name => name,
    };
    Ok(User {
        id: UserId::random(&app.entropy),
        email: email.to_owned(),
        display_name: text::title("/displayName", name, 1, 100)?,
        photo_url: None,
        created_at: app.clock.now(),
        verified_at: None,
    })
}

fn insert(tx: &Tx<'_>, user: &User) -> Result<()> {
    if !users::create(tx, user)? {
        let email = &user.email;
        return Err(Error::conflict(format!("somebody has the address {email} already")));
    }
    tx.record(&NewEvent::new(Event::UserCreated { user: user.id }))?;
    Ok(())
}

/// The caller as a person.
///
/// # Errors
/// 404 when the person is gone.
pub fn caller(cx: &Context<'_>) -> Result<User> {
    let user = cx.user().map(|user| users::get(cx.tx, user)).transpose()?.flatten();
    user.ok_or_else(|| Error::not_found("user"))
}

/// The new values of a profile; absent fields stay as they are.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct UserPatch {
    /// The name that others see.
    pub display_name: Option<String>,
    /// The address of the picture.
    pub photo_url: Option<String>,
}

/// Changes a profile.
///
/// # Errors
/// 400 with the field that is not allowed.
pub fn update(cx: &Context<'_>, target: &Authorized<UserTarget>, patch: UserPatch) -> Result<User> {
    let before = &target.0;
    let mut after = before.clone();
    if let Some(name) = patch.display_name {
        after.display_name = text::title("/displayName", &name, 1, 64)?;
    }
    if let Some(photo) = patch.photo_url {
        after.photo_url = Some(text::web_address("/photoURL", &photo)?);
    }
    let changes = [
        FieldChange::of("displayName", &before.display_name, &after.display_name)?,
        FieldChange::of("photoURL", &before.photo_url, &after.photo_url)?,
    ];
    let changes: Vec<_> = changes.into_iter().flatten().collect();
    if !changes.is_empty() {
        users::update(cx.tx, &after)?;
        let event = Event::UserUpdated { user: after.id, changes };
        cx.tx.record(&NewEvent::new(event).by(cx.user()))?;
    }
    Ok(after)
}

/// Notes that a mail address is its owner's. What gave access to the account before, but for the
/// credential that is shown, ends: who made it had not shown that the address is theirs.
pub(crate) fn verify(
    tx: &Tx<'_>,
    now: Timestamp,
    user: User,
    shown: Option<Credential>,
) -> Result<User> {
    let user = User { verified_at: Some(now), ..user };
    users::update(tx, &user)?;
    match shown {
        Some(Credential::Token(token)) => bindery_store::tokens::detach(tx, token)?,
        Some(Credential::Session(session)) => bindery_store::sessions::detach(tx, session)?,
        None => {}
    }
    for token in bindery_store::tokens::list_of_user(tx, user.id, None, u32::MAX)? {
        // One that an earlier one of the list made ended with it.
        if shown != Some(Credential::Token(token.id))
            && bindery_store::tokens::get(tx, token.id)?.is_some()
        {
            tokens::revoke(tx, user.id, token.id)?;
        }
    }
    sessions::end_all(tx, now, user.id, shown)?;
    bindery_store::sign_in_links::delete_by_email(tx, &user.email)?;
    if bindery_store::passwords::delete(tx, user.id)? {
        sessions::record(tx, user.id, user.id, Event::PasswordRemoved { user: user.id })?;
    }
    tx.record(&NewEvent::new(Event::UserVerified { user: user.id }).by(user.id))?;
    Ok(user)
}
