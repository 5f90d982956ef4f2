//! The mail of an invitation.

use bindery_model::{InvitationId, JobKind, Result};
use bindery_store::invitations::{self, Invitation};
use bindery_store::organizations::{self, Organization};
use bindery_store::users::{self, User};
use bindery_store::{Job, NewJob, StoreError};
use serde::{Deserialize, Serialize};
use tokio::runtime::Handle;

use crate::jobs::mail::{self, Message, escape};
use crate::jobs::{self, BackgroundJob, JobFailure, RunningJob};
use crate::secrets::InvitedBy;
use crate::{App, Context};

/// The job that sends the mail of an invitation.
pub(crate) struct InvitationMailJob;

/// The payload of the job. It contains neither the secret nor the mail address.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct InvitationPayload {
    invitation: InvitationId,
}

/// Enqueues the mail of an invitation, if mail is configured. It is sent after this transaction has
/// committed.
///
/// # Errors
/// Fails if the store fails.
pub(super) fn enqueue(cx: &Context<'_>, invitation: &Invitation) -> Result<()> {
    if cx.app.mailer.is_none() {
        return Ok(());
    }
    let payload = InvitationPayload { invitation: invitation.id };
    cx.tx.enqueue(&NewJob {
        organization: Some(invitation.organization),
        actor: cx.user(),
        ..jobs::new_job::<InvitationMailJob>(&payload)?
    })?;
    Ok(())
}

impl BackgroundJob for InvitationMailJob {
    const KIND: JobKind = JobKind::InvitationMail;
    const MAX_ATTEMPTS: u32 = mail::MAX_ATTEMPTS;
    type Payload = InvitationPayload;

    fn run(
        app: &App,
        job: &Job,
        InvitationPayload { invitation }: InvitationPayload,
        running: &RunningJob,
    ) -> std::result::Result<(), JobFailure> {
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
            mail.send(mailer, &invitation.email)?;
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
    Message::new(job, subject, text, &html)
}
