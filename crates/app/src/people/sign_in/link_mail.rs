//! The mail with a sign-in link.

use bindery_model::{JobKind, Result, SignInLinkId};
use bindery_store::sign_in_links::SignInLink;
use bindery_store::users::User;
use bindery_store::{Job, Tx};
use serde::{Deserialize, Serialize};
use tokio::runtime::Handle;

use super::links;
use crate::App;
use crate::jobs::mail::{self, Message, escape};
use crate::jobs::{self, BackgroundJob, JobFailure, RunningJob};

/// The job that sends the mail with a sign-in link.
pub(crate) struct SignInMailJob;

/// The payload of the job. It contains neither the secret nor the mail address.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct SignInPayload {
    link: SignInLinkId,
}

/// Enqueues the mail of a sign-in link. It is sent after this transaction has committed.
///
/// # Errors
/// Fails if the store fails.
pub(super) fn enqueue(tx: &Tx<'_>, link: SignInLinkId) -> Result<()> {
    tx.enqueue(&jobs::new_job::<SignInMailJob>(&SignInPayload { link })?)?;
    Ok(())
}

impl BackgroundJob for SignInMailJob {
    const KIND: JobKind = JobKind::SignInMail;
    const MAX_ATTEMPTS: u32 = mail::MAX_ATTEMPTS;
    type Payload = SignInPayload;

    fn run(
        app: &App,
        job: &Job,
        SignInPayload { link }: SignInPayload,
        running: &RunningJob,
    ) -> std::result::Result<(), JobFailure> {
        let now = app.clock.now();
        let found =
            Handle::current().block_on(app.store.read(move |tx| links::wanted(tx, link, now)))?;
        // No user has the address, or the link has expired: there is nothing to send.
        if let (Some((link, user)), Some(mailer)) = (&found, &app.mailer) {
            sign_in_mail(app, job, link, user).send(mailer, &user.email)?;
        }
        let lease = running.lease.clone();
        Handle::current().block_on(app.store.write(move |tx| tx.finish_job(&lease, None)))?;
        Ok(())
    }
}

fn sign_in_mail(app: &App, job: &Job, link: &SignInLink, user: &User) -> Message {
    let address = app.urls.app_sign_in(&app.secrets.sign_in(link.id));
    let (host, name) = (app.urls.host(), &user.display_name);
    let minutes = (link.expires_at.millis() - link.created_at.millis()) / 60_000;
    let text = format!(
        "Hello {name},\n\nSign in to {host} here, within {minutes} minutes:\n{address}\n\n\
         The address works once: do not pass it on. If you did not request it, ignore this mail.\n",
    );
    let html = format!(
        "<p><a href=\"{address}\">Sign in to {host}</a>, within {minutes} minutes.</p>\n\
         <p>The address works once: do not pass it on. If you did not request it, ignore this \
         mail.</p>\n",
        address = escape(&address),
        host = escape(host),
    );
    Message::new(job, format!("Sign in to {host}"), text, &html)
}
