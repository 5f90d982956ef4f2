//! Transport of mail to the configured mail server. Each mail belongs to the module of its subject,
//! whose job sends it after the transaction has committed, and retries while the mail server is
//! unavailable.

use std::time::{Duration, SystemTime};

use bindery_outbound::{Mail, MailError, Mailer};
use bindery_store::{Job, JobError, Retry};

use crate::jobs::JobFailure;

/// Maximum number of attempts to send a mail that fails for a temporary reason.
pub(crate) const MAX_ATTEMPTS: u32 = 8;

/// A mail without its recipient.
pub(crate) struct Message {
    id: String,
    at: SystemTime,
    subject: String,
    text: String,
    html: String,
}

impl Message {
    /// Creates the mail of a job. All attempts of a job send the same message id and time. `body`
    /// is the HTML after the salutation.
    pub(crate) fn new(job: &Job, subject: String, text: String, body: &str) -> Self {
        let millis = u64::try_from(job.created_at.millis()).unwrap_or_default();
        let at = SystemTime::UNIX_EPOCH + Duration::from_millis(millis);
        let html = format!(
            "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>{title}</title>\
         </head><body style=\"font-family:sans-serif;line-height:1.5\">\n<p>Hello,</p>\n{body}\
         </body></html>\n",
            title = escape(&subject),
        );
        Self { id: job.id.to_string(), at, subject, text, html }
    }

    /// Sends the mail to an address. Blocks until the mail server has answered.
    ///
    /// # Errors
    /// Returns the failure of the job; a temporary failure is retried.
    pub(crate) fn send(self, mailer: &Mailer, to: &str) -> Result<(), JobFailure> {
        let Self { id, at, subject, text, html } = self;
        let mail = Mail { to, subject: &subject, text, html, id: &id, at };
        mailer.send(&mail).map_err(failure)
    }
}

fn failure(error: MailError) -> JobFailure {
    let retry = match error {
        MailError::Temporary(_) => Retry::Later,
        MailError::Permanent(_) | MailError::Config(_) => Retry::Never,
    };
    tracing::info!(%error, "a mail was not sent");
    JobFailure::Failed(JobError { code: "mail".to_owned(), message: error.to_string() }, retry)
}

/// Escapes a text for HTML.
pub(crate) fn escape(text: &str) -> String {
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
