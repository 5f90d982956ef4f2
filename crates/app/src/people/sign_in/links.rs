//! Sign-in links, each of which signs in one person once.

use std::sync::Arc;

use bindery_model::{Entropy, Error, InvitationId, Result, SignInLinkId, Timestamp};
use bindery_store::sign_in_links::{self, SignInLink};
use bindery_store::users::{self, User};
use bindery_store::{StoreError, Tx, invitations};

use super::attempts::Attempts;
use super::link_mail;
use crate::access::Lineage;
use crate::people::sessions::ClientInfo;
use crate::secrets::{InvitedBy, Secrets};
use crate::{App, Context, text};

const MINUTE: i64 = 60 * 1000;
/// Lifetime of a mailed link, in milliseconds.
const MAILED: i64 = 15 * MINUTE;
/// Lifetime of a link that an administrator hands over, in milliseconds.
const HANDED_OVER: i64 = 7 * 24 * 60 * MINUTE;

/// Creates a link for a mail address and enqueues its mail. The job looks up the account, so the
/// response does not reveal that one exists.
///
/// # Errors
/// Returns 400 if the text is not a mail address; 409 if the server sends no mail; 429 after too
/// many requests.
pub async fn mail_link(app: &Arc<App>, email: &str, client: &ClientInfo) -> Result<()> {
    let email = text::email("/email", email)?;
    if app.mailer.is_none() {
        return Err(Error::conflict(
            "this server sends no mail: sign in with a password or a token, or ask an \
             administrator of the server for a link",
        ));
    }
    let now = app.clock.now();
    let (seen, asked, from) = (Arc::clone(app), email.clone(), client.clone());
    let look = move |tx: &Tx<'_>| {
        let user = users::get_by_email(tx, &asked)?;
        let attempts = Attempts::mail(tx, &seen, &asked, user.as_ref(), &from)?;
        attempts.check(tx, now)?;
        Ok::<_, Error>(attempts)
    };
    let attempts = app.store.read(look).await?;
    let entropy = Arc::clone(&app.entropy);
    app.store
        .write(move |tx| {
            // Beyond the limit of mails to one address, the request succeeds but sends nothing. The
            // earlier links sign in the owner of the address, whoever requested them.
            if attempts.count(tx, now)?.exhausted.is_none() {
                let link = new(SignInLinkId::random(&entropy), &email, true, now);
                sign_in_links::create(tx, &link)?;
                link_mail::enqueue(tx, link.id)?;
            }
            Ok::<_, Error>(())
        })
        .await
}

/// Returns the address of a new link for a user, which the caller hands over. The link expires with
/// the caller's lineage at the latest.
///
/// # Errors
/// Fails if the store fails.
pub(crate) fn address_for(cx: &Context<'_>, user: &User) -> Result<String> {
    let lineage = cx.lineage();
    let at = (&*cx.app.entropy, cx.now());
    Ok(cx.app.urls.app_sign_in(&hand_over(cx.tx, &cx.app.secrets, at, user, lineage)?))
}

/// Returns the address that an administrator hands over to an invitee who already has an account.
/// It has the form of the address for a new account, and leads to the invitation.
///
/// # Errors
/// Never fails in practice, because both kinds of ids have the same form.
pub(crate) fn address_of_invitation(app: &App, invitation: InvitationId) -> Result<String> {
    let id = SignInLinkId::parse(invitation.as_str());
    let id = id.ok_or_else(|| Error::internal("an invitation's id is malformed"))?;
    Ok(app.urls.app_sign_in(&app.secrets.sign_in(id)))
}

/// Returns the secret of the pending invitation that such a link leads to.
///
/// # Errors
/// Fails if the store fails.
pub fn leads_to_invitation(tx: &Tx<'_>, app: &App, secret: &str) -> Result<Option<String>> {
    let id = app.secrets.signs_in(secret).and_then(|id| InvitationId::parse(id.as_str()));
    let Some(id) = id else { return Ok(None) };
    let found = invitations::get(tx, id, app.clock.now())?;
    Ok(found.map(|found| app.secrets.invitation(found.id, InvitedBy::Hand)))
}

/// Creates a link that is handed over to a user, and returns its secret.
///
/// # Errors
/// Fails if the store fails.
pub fn hand_over(
    tx: &Tx<'_>,
    secrets: &Secrets,
    (entropy, now): (&Entropy, Timestamp),
    user: &User,
    lineage: Lineage,
) -> Result<String> {
    let link = new(SignInLinkId::random(entropy), &user.email, false, now);
    let expires_at = lineage.bound(link.expires_at);
    sign_in_links::create(tx, &SignInLink { expires_at, token: lineage.token, ..link })?;
    Ok(secrets.sign_in(link.id))
}

/// Creates the row of a link.
fn new(id: SignInLinkId, email: &str, mailed: bool, now: Timestamp) -> SignInLink {
    let expires_at = now.plus_millis(if mailed { MAILED } else { HANDED_OVER });
    SignInLink { id, email: email.to_owned(), mailed, created_at: now, expires_at, token: None }
}

/// Returns the valid link of a secret.
pub(super) fn find(
    tx: &Tx<'_>,
    app: &App,
    secret: &str,
    now: Timestamp,
) -> Result<Option<SignInLink>> {
    match app.secrets.signs_in(secret) {
        Some(id) => Ok(sign_in_links::get(tx, id, now)?),
        None => Ok(None),
    }
}

/// Returns the user whom a valid link signs in. The link stays valid, because programs that scan
/// mails follow the addresses in them.
///
/// # Errors
/// Fails if the store fails.
pub fn show(tx: &Tx<'_>, app: &App, secret: &str) -> Result<Option<User>> {
    match find(tx, app, secret, app.clock.now())? {
        Some(link) => Ok(users::get_by_email(tx, &link.email)?),
        None => Ok(None),
    }
}

/// Returns the account that a mail with this link is for; `None` if no mail must be sent.
pub(super) fn wanted(
    tx: &Tx<'_>,
    id: SignInLinkId,
    now: Timestamp,
) -> Result<Option<(SignInLink, User)>, StoreError> {
    let Some(link) = sign_in_links::get(tx, id, now)? else { return Ok(None) };
    Ok(users::get_by_email(tx, &link.email)?.map(|user| (link, user)))
}
