//! Users: creation and profiles.

use bindery_model::{Error, FieldPath, OrganizationId, Result, Role, Timestamp, UserId};
use bindery_store::organizations::Organization;
pub use bindery_store::users::User;
use bindery_store::{Event, FieldChange, JoinMethod, NewEvent, Tx, members, users};

use crate::access::{Action, Authorized, Credential, UserTarget, authorize_target};
use crate::{
    App, Context, people::organization_invites, people::organizations, people::sessions,
    people::sign_in, people::tokens, text,
};

/// The values of a new user.
#[derive(Clone, Debug)]
pub struct NewUser {
    /// The mail address.
    pub email: String,
    /// The display name; empty for the local part of the mail address.
    pub display_name: String,
    /// The organization that the user becomes a member of.
    pub organization: OrganizationId,
    /// The role in the organization; `None` for a guest.
    pub role: Option<Role>,
}

/// Creates a user with a mail address as a member of an organization, and a link for the first
/// sign-in. If a user already has the address, creates an invitation instead, because only that
/// user can accept the membership. The response looks like that for a new account, so it does not
/// reveal the existing one.
///
/// # Errors
/// Returns 403 or 404 for the organization, and 409 if the user is already a member, which the list
/// of members shows as well.
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
        return Err(Error::conflict(format!("{email} is a member of this organization already"))
            .at(FieldPath::new("/email")));
    }
    let invitation = organization_invites::create_invitation(cx, organization.id, email, new.role)?;
    let link = sign_in::address_of_invitation(cx.app, invitation)?;
    Ok(CreatedAccount { user, is_new: false, link })
}

/// The result of creating a user.
#[derive(Clone, Debug)]
pub struct CreatedAccount {
    /// The user. If another account already has the address, this user does not exist.
    pub user: User,
    /// `true` if no account had the address before.
    pub is_new: bool,
    /// The address to hand over to the user.
    pub link: String,
}

/// Stores a user without any membership.
///
/// # Errors
/// Returns an error if the name is invalid or the store fails.
pub fn store(tx: &Tx<'_>, app: &App, email: &str, display_name: &str) -> Result<User> {
    let user = person(app, email, display_name)?;
    insert(tx, &user)?;
    Ok(user)
}

/// Returns a new user. Without a name, the name is the local part of the mail address.
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
        return Err(Error::conflict(format!("another user has the address {email}")));
    }
    tx.record(&NewEvent::new(Event::UserCreated { user: user.id }))?;
    Ok(())
}

/// Returns a user by id, without a decision on access: the id must come from data that the caller
/// may see, such as a reference in a page.
///
/// # Errors
/// Returns an error if the store fails.
pub fn get(cx: &Context<'_>, user: UserId) -> Result<Option<User>> {
    Ok(users::get(cx.tx, user)?)
}

/// Returns the calling user.
///
/// # Errors
/// Returns 404 if the user no longer exists.
pub fn caller(cx: &Context<'_>) -> Result<User> {
    let user = cx.user().map(|user| users::get(cx.tx, user)).transpose()?.flatten();
    user.ok_or_else(|| Error::not_found("user"))
}

/// The new values of a profile; absent fields stay unchanged.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct UserPatch {
    /// The display name.
    pub display_name: Option<String>,
    /// The address of the photo.
    pub photo_url: Option<String>,
}

/// Changes a profile.
///
/// # Errors
/// Returns 400 with the invalid field.
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

/// Marks the mail address of a user as verified. Revokes all earlier access to the account except
/// the credential of the request, because its creator had not proved ownership of the address.
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
        // A token that an earlier token of the list created has been revoked with it.
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
