//! The mail with the notifications of a user. One mail contains all notifications that arrive while
//! it waits; those that the user has read by then are left out.

use bindery_model::{JobId, JobKind, NotificationKind, Result, UserId};
use bindery_store::change_request_reviews::Verdict;
use bindery_store::notifications as rows;
use bindery_store::spaces::Space;
use bindery_store::users::{self, User};
use bindery_store::{Job, NewJob, Tx};
use serde::{Deserialize, Serialize};
use tokio::runtime::Handle;

use super::{NotificationView, views};
use crate::jobs::mail::{self, Message, escape};
use crate::jobs::{self, BackgroundJob, JobFailure, RunningJob};
use crate::{App, Context, access};

/// Maximum number of notifications in a mail.
const MAX_ITEMS: u32 = 50;

/// The job that sends the mail of notifications.
pub(crate) struct NotificationMailJob;

/// The payload of the job.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct NotificationPayload {
    user: UserId,
}

/// Returns the job whose mail will contain a new notification of a user about a space; `None` if no
/// mail server is configured or the user wants no mail. The mail address must be verified.
///
/// # Errors
/// Returns an error if the store fails.
pub(super) fn request(cx: &Context<'_>, space: &Space, user: UserId) -> Result<Option<JobId>> {
    if cx.app.mailer.is_none() || !rows::is_mailed(cx.tx, user)? {
        return Ok(None);
    }
    if users::get(cx.tx, user)?.is_none_or(|user| user.verified_at.is_none()) {
        return Ok(None);
    }
    if let Some(job) = rows::waiting_mail(cx.tx, user)? {
        return Ok(Some(job));
    }
    let delay = i64::try_from(cx.app.limits.notification_delay.as_millis()).unwrap_or(i64::MAX);
    let job = cx.tx.enqueue(&NewJob {
        organization: Some(space.organization),
        run_at: Some(cx.now().plus_millis(delay)),
        ..jobs::new_job::<NotificationMailJob>(&NotificationPayload { user })?
    })?;
    Ok(Some(job))
}

impl BackgroundJob for NotificationMailJob {
    const KIND: JobKind = JobKind::NotificationMail;
    const MAX_ATTEMPTS: u32 = mail::MAX_ATTEMPTS;
    type Payload = NotificationPayload;

    fn run(
        app: &App,
        job: &Job,
        NotificationPayload { user }: NotificationPayload,
        running: &RunningJob,
    ) -> std::result::Result<(), JobFailure> {
        let mail = job.id;
        // A write transaction is serializable: a transaction that adds a notification to this mail
        // either is seen here, or finds that the job is no longer queued.
        let found = Handle::current()
            .block_on(app.store.write(move |tx| wanted(tx, user, mail)))
            .map_err(JobFailure::internal)?;
        if let (Some((user, items)), Some(mailer)) = (&found, &app.mailer) {
            notification_mail(app, job, user, items).send(mailer, &user.email)?;
        }
        let lease = running.lease.clone();
        Handle::current().block_on(app.store.write(move |tx| tx.finish_job(&lease, None)))?;
        Ok(())
    }
}

/// Returns the recipient of a mail and its notifications; `None` if there is nothing to send. Access
/// may have been removed since the notifications were created.
fn wanted(tx: &Tx<'_>, user: UserId, mail: JobId) -> Result<Option<(User, Vec<NotificationView>)>> {
    let Some(known) = users::get(tx, user)?.filter(|user| user.verified_at.is_some()) else {
        return Ok(None);
    };
    if !rows::is_mailed(tx, user)? {
        return Ok(None);
    }
    let mut items = views(tx, rows::list_of_mail(tx, user, mail, MAX_ITEMS)?)?;
    let mut seen = Vec::with_capacity(items.len());
    for item in &items {
        let is_deleted = item.space.deleted_at.is_some();
        seen.push(!is_deleted && access::level_of(tx, user, &item.space)?.is_some());
    }
    let mut seen = seen.into_iter();
    items.retain(|_| seen.next().unwrap_or_default());
    Ok((!items.is_empty()).then_some((known, items)))
}

/// Returns the sentence about a notification.
fn sentence(item: &NotificationView) -> String {
    let actor = &item.actor.display_name;
    let title = match &item.change_request {
        Some(change_request) => {
            let number = change_request.number;
            format!("#{number} {} ({})", change_request.subject, item.space.title)
        }
        None => item.space.title.clone(),
    };
    let action = match (item.notification.kind, item.notification.verdict) {
        (NotificationKind::Mention, _) => "mentioned you in",
        (NotificationKind::Comment, _) => "commented on",
        (NotificationKind::Reply, _) => "replied in",
        (NotificationKind::ReviewRequested, _) => "asks you to review",
        (NotificationKind::Reviewed, Some(Verdict::Approved)) => "approved",
        (NotificationKind::Reviewed, Some(Verdict::ChangesRequested)) => "requested changes to",
        (NotificationKind::Reviewed, None) => "reviewed",
        (NotificationKind::Merged, _) => "merged",
    };
    format!("{actor} {action} {title}")
}

fn notification_mail(app: &App, job: &Job, user: &User, items: &[NotificationView]) -> Message {
    let host = app.urls.host();
    let subject = match items {
        [item] => sentence(item),
        _ => format!("{} notifications from {host}", items.len()),
    };
    let mut text = format!("Hello {},\n", user.display_name);
    let mut html = String::new();
    for item in items {
        let (sentence, address) = (sentence(item), item.address(&app.urls));
        text.push_str(&format!("\n{sentence}\n"));
        html.push_str(&format!(
            "<p><a href=\"{}\">{}</a></p>\n",
            escape(&address),
            escape(&sentence)
        ));
        if let Some(excerpt) = &item.excerpt {
            text.push_str(&format!("  {excerpt}\n"));
            html.push_str(&format!("<blockquote>{}</blockquote>\n", escape(excerpt)));
        }
        text.push_str(&format!("{address}\n"));
    }
    let reason = format!(
        "You receive this mail as your settings at {host} ask for it; they can be changed there."
    );
    text.push_str(&format!("\n{reason}\n"));
    html.push_str(&format!("<p>{}</p>\n", escape(&reason)));
    Message::new(job, subject, text, &html)
}
