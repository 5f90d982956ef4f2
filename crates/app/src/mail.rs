//! Mail that the server sends. A job sends each mail after the transaction has committed, and
//! retries while the mail server is unavailable.

use std::time::{Duration, SystemTime};

use bindery_model::{InvitationId, JobKind, Result, SignInLinkId};
use bindery_outbound::{Mail, MailError};
use bindery_store::invitations::{self, Invitation};
use bindery_store::organizations::{self, Organization};
use bindery_store::sign_in_links::SignInLink;
use bindery_store::users::{self, User};
use bindery_store::{Job, JobError, NewJob, Retry, StoreError, Tx};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use tokio::runtime::Handle;

use crate::secrets::InvitedBy;
use crate::worker::{JobFailure, Running};
use crate::{App, Context, sign_in};

/// Maximum number of attempts to send a mail that fails for a temporary reason.
const MAX_ATTEMPTS: u32 = 8;

/// The payload of an invitation job. It contains neither the secret nor the mail address.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct InvitationPayload {
    invitation: InvitationId,
}

/// The payload of a sign-in job. It contains neither the secret nor the mail address.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct SignInPayload {
    link: SignInLinkId,
}

/// Enqueues the mail of an invitation, if mail is configured. It is sent after this transaction has
/// committed.
///
/// # Errors
/// Fails if the store fails.
pub(crate) fn send_invitation(cx: &Context<'_>, invitation: &Invitation) -> Result<()> {
    if cx.app.mailer.is_none() {
        return Ok(());
    }
    let payload = serde_json::json!(InvitationPayload { invitation: invitation.id });
    cx.tx.enqueue(&NewJob {
        organization: Some(invitation.organization),
        actor: cx.user(),
        payload,
        max_attempts: MAX_ATTEMPTS,
        ..NewJob::new(JobKind::InvitationMail)
    })?;
    Ok(())
}

/// Enqueues the mail of a sign-in link. It is sent after this transaction has committed.
pub(crate) fn send_sign_in(tx: &Tx<'_>, link: SignInLinkId) -> Result<()> {
    let payload = serde_json::json!(SignInPayload { link });
    tx.enqueue(&NewJob {
        payload,
        max_attempts: MAX_ATTEMPTS,
        ..NewJob::new(JobKind::SignInMail)
    })?;
    Ok(())
}

fn payload<T: DeserializeOwned>(job: &Job) -> std::result::Result<T, JobFailure> {
    serde_json::from_value(job.payload.clone())
        .map_err(|_| JobFailure::fatal("internal", "the job's payload cannot be decoded"))
}

/// Sends the mail with a sign-in link. Blocks, so it needs a thread of its own.
pub(crate) fn run_sign_in(
    app: &App,
    job: &Job,
    running: &Running,
) -> std::result::Result<(), JobFailure> {
    let SignInPayload { link } = payload(job)?;
    let now = app.clock.now();
    let found =
        Handle::current().block_on(app.store.read(move |tx| sign_in::wanted(tx, link, now)))?;
    // No user has the address, or the link has expired: there is nothing to send.
    if let (Some((link, user)), Some(mailer)) = (&found, &app.mailer) {
        let mail = sign_in_mail(app, job, link, user);
        mailer.send(&mail.as_mail(&user.email)).map_err(failure)?;
    }
    let lease = running.lease.clone();
    Handle::current().block_on(app.store.write(move |tx| tx.finish_job(&lease, None)))?;
    Ok(())
}

/// Sends the mail of an invitation. Blocks, so it needs a thread of its own.
pub(crate) fn run_invitation(
    app: &App,
    job: &Job,
    running: &Running,
) -> std::result::Result<(), JobFailure> {
    let InvitationPayload { invitation } = payload(job)?;
    let now = app.clock.now();
    let found = Handle::current().block_on(app.store.read(move |tx| {
        let Some(invitation) = invitations::get(tx, invitation, now)? else {
            return Ok::<_, StoreError>(None);
        };
        let organization = organizations::get(tx, invitation.organization)?;
        let inviting = users::get(tx, invitation.invited_by)?;
        Ok(organization.zip(inviting).map(|(organization, by)| (invitation, organization, by)))
    }))?;
    // The invitation was revoked or accepted, or has expired: there is nothing to send.
    if let (Some((invitation, organization, by)), Some(mailer)) = (&found, &app.mailer) {
        let mail = invitation_mail(app, job, invitation, organization, by);
        mailer.send(&mail.as_mail(&invitation.email)).map_err(failure)?;
    }
    let lease = running.lease.clone();
    let sent = found.is_some();
    Handle::current().block_on(app.store.write(move |tx| {
        if sent {
            invitations::set_sent(tx, invitation, now)?;
        }
        tx.finish_job(&lease, None)
    }))?;
    Ok(())
}

fn failure(error: MailError) -> JobFailure {
    let retry = match error {
        MailError::Temporary(_) => Retry::Later,
        MailError::Permanent(_) | MailError::Config(_) => Retry::Never,
    };
    tracing::info!(%error, "a mail was not sent");
    JobFailure::Failed(JobError { code: "mail".to_owned(), message: error.to_string() }, retry)
}

/// A mail without its recipient.
struct Message {
    id: String,
    at: SystemTime,
    subject: String,
    text: String,
    html: String,
}

impl Message {
    fn as_mail<'a>(&'a self, to: &'a str) -> Mail<'a> {
        let Self { id, at, subject, text, html } = self;
        Mail { to, subject, text: text.clone(), html: html.clone(), id, at: *at }
    }
}

fn invitation_mail(
    app: &App,
    job: &Job,
    invitation: &Invitation,
    organization: &Organization,
    by: &User,
) -> Message {
    let secret = app.secrets.invitation(invitation.id, InvitedBy::Mail);
    let address = app.urls.app_invitation(&secret);
    let until = invitation.expires_at.to_string();
    let until = until.get(..10).unwrap_or(&until);
    let (who, title) = (&by.display_name, &organization.title);
    let subject = format!("{who} invites you to {title}");
    let text = format!(
        "Hello,\n\n{who} ({email}) invites you to the documentation of {title}.\n\n\
         Accept the invitation here, by {until}:\n{address}\n\n\
         The address works once, and for you alone: do not pass it on. If you do not know what \
         this is about, do nothing.\n",
        email = by.email,
    );
    let html = format!(
        "<p>{who} ({email}) invites you to the documentation of <strong>{title}</strong>.</p>\n\
         <p><a href=\"{address}\">Accept the invitation</a>, by {until}.</p>\n\
         <p>The address works once, and for you alone: do not pass it on. If you do not know \
         what this is about, do nothing.</p>\n",
        who = escape(who),
        email = escape(&by.email),
        title = escape(title),
        address = escape(&address),
    );
    message(job, subject, text, &html)
}

fn sign_in_mail(app: &App, job: &Job, link: &SignInLink, user: &User) -> Message {
    let address = app.urls.app_sign_in(&app.secrets.sign_in(link.id));
    let (host, name) = (app.urls.host(), &user.display_name);
    let minutes = (link.expires_at.millis() - link.created_at.millis()) / 60_000;
    let text = format!(
        "Hello {name},\n\nSign in to {host} here, within {minutes} minutes:\n{address}\n\n\
         The address works once: do not pass it on. If you did not ask for it, do nothing: \
         nobody is signed in by that.\n",
    );
    let html = format!(
        "<p><a href=\"{address}\">Sign in to {host}</a>, within {minutes} minutes.</p>\n\
         <p>The address works once: do not pass it on. If you did not ask for it, do nothing: \
         nobody is signed in by that.</p>\n",
        address = escape(&address),
        host = escape(host),
    );
    message(job, format!("Sign in to {host}"), text, &html)
}

fn message(job: &Job, subject: String, text: String, body: &str) -> Message {
    let millis = u64::try_from(job.created_at.millis()).unwrap_or_default();
    let at = SystemTime::UNIX_EPOCH + Duration::from_millis(millis);
    let html = format!(
        "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>{title}</title>\
         </head><body style=\"font-family:sans-serif;line-height:1.5\">\n<p>Hello,</p>\n{body}\
         </body></html>\n",
        title = escape(&subject),
    );
    Message { id: job.id.to_string(), at, subject, text, html }
}

fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for char in text.chars() {
        match char {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            _ => out.push(char),
        }
    }
    out
}
