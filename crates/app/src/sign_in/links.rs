//! Links that sign somebody in, once.

use std::sync::Arc;

use bindery_model::{Entropy, Error, InvitationId, Result, SignInLinkId, Timestamp};
use bindery_store::sign_in_links::{self, SignInLink};
use bindery_store::users::{self, User};
use bindery_store::{StoreError, Tx, invitations};

use super::attempts::Attempts;
use super::link_mail;
use crate::access::Lineage;
use crate::secrets::{InvitedBy, Secrets};
use crate::sessions::ClientInfo;
use crate::{App, Context, text};

const MINUTE: i64 = 60 * 1000;
/// Lifetime of a mailed link in milliseconds.
const MAILED: i64 = 15 * MINUTE;
/// Lifetime in milliseconds of a link that an administrator hands over.
const HANDED_OVER: i64 = 7 * 24 * 60 * MINUTE;

/// Mails a link to whoever has an account with this mail address. Whether somebody has is found out
/// by the job that sends it.
///
/// # Errors
/// 400 for no mail address; 409 where the server sends no mail; 429 after too many.
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
            // With some links in the mailbox that are good, another would only be a nuisance: they
            // sign its owner in, whoever asked for them.
            if attempts.count(tx, now)?.exhausted.is_none() {
                let link = new(SignInLinkId::random(&entropy), &email, true, now);
                sign_in_links::create(tx, &link)?;
                link_mail::enqueue(tx, link.id)?;
            }
            Ok::<_, Error>(())
        })
        .await
}

/// The address of a new link for somebody, to be handed over by the caller. It ends with the
/// caller's lineage.
///
/// # Errors
/// When the store fails.
pub(crate) fn address_for(cx: &Context<'_>, user: &User) -> Result<String> {
    let lineage = cx.lineage();
    let at = (&*cx.app.entropy, cx.now());
    Ok(cx.app.urls.app_sign_in(&hand_over(cx.tx, &cx.app.secrets, at, user, lineage)?))
}

/// The address that an administrator hands over to somebody who has an account already. It looks
/// like that of a link for a new account, and leads to the invitation.
///
/// # Errors
/// Never: both kinds of ids have one form.
pub(crate) fn address_of_invitation(app: &App, invitation: InvitationId) -> Result<String> {
    let id = SignInLinkId::parse(invitation.as_str());
    let id = id.ok_or_else(|| Error::internal("an invitation's id is no id"))?;
    Ok(app.urls.app_sign_in(&app.secrets.sign_in(id)))
}

/// The secret of the invitation that such a link leads to, if it waits.
///
/// # Errors
/// When the store fails.
pub fn leads_to_invitation(tx: &Tx<'_>, app: &App, secret: &str) -> Result<Option<String>> {
    let id = app.secrets.signs_in(secret).and_then(|id| InvitationId::parse(id.as_str()));
    let Some(id) = id else { return Ok(None) };
    let found = invitations::get(tx, id, app.clock.now())?;
    Ok(found.map(|found| app.secrets.invitation(found.id, InvitedBy::Hand)))
}

/// The secret of a new link for somebody, to be handed over.
///
/// # Errors
/// When the store fails.
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

fn new(id: SignInLinkId, email: &str, mailed: bool, now: Timestamp) -> SignInLink {
    let expires_at = now.plus_millis(if mailed { MAILED } else { HANDED_OVER });
    SignInLink { id, email: email.to_owned(), mailed, created_at: now, expires_at, token: None }
}

/// The link of a secret, if it is good.
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

/// Whom a link signs in, if it is good. It is good afterwards too: programs that look at mails
/// follow the addresses in them.
///
/// # Errors
/// When the store fails.
pub fn show(tx: &Tx<'_>, app: &App, secret: &str) -> Result<Option<User>> {
    match find(tx, app, secret, app.clock.now())? {
        Some(link) => Ok(users::get_by_email(tx, &link.email)?),
        None => Ok(None),
    }
}

/// Returns the account that a mail with this link is for; `None` if the mail is not to be sent.
pub(super) fn wanted(
    tx: &Tx<'_>,
    id: SignInLinkId,
    now: Timestamp,
) -> Result<Option<(SignInLink, User)>, StoreError> {
    let Some(link) = sign_in_links::get(tx, id, now)? else { return Ok(None) };
    Ok(users::get_by_email(tx, &link.email)?.map(|user| (link, user)))
}
