//! Mail to the outside, through the one server that the operator names.
//!
//! No [`crate::Guard`] stands before it: its address comes from the configuration and from nobody
//! else, and a mail server is rightly in the private network.

use std::time::{Duration, SystemTime};

use lettre::address::AddressError;
use lettre::message::header::{HeaderName, HeaderValue};
use lettre::message::{Mailbox, MultiPart};
use lettre::transport::smtp;
use lettre::{Address, Message, SmtpTransport, Transport as _};
use url::Url;

/// How long the server may take for each step.
const PATIENCE: Duration = Duration::from_secs(30);

/// Sends mail through one server.
#[derive(Clone)]
pub struct Mailer {
    transport: SmtpTransport,
    from: Mailbox,
}

impl std::fmt::Debug for Mailer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Mailer").field("from", &self.from).finish_non_exhaustive()
    }
}

/// A mail to one person, in both forms.
#[derive(Clone, Debug)]
pub struct Mail<'a> {
    /// The address.
    pub to: &'a str,
    /// The subject, one line.
    pub subject: &'a str,
    /// The text.
    pub text: String,
    /// The same as HTML.
    pub html: String,
    /// What tells it from all others, the same when it is sent again.
    pub id: &'a str,
    /// When it was written.
    pub at: SystemTime,
}

/// Why a mail was not sent.
#[derive(Debug, thiserror::Error)]
pub enum MailError {
    /// The server's address or the sender cannot be read. No part of the address is told: it may
    /// hold a password.
    #[error("{0}")]
    Config(String),
    /// It will not be sent, however often that is tried.
    #[error("the mail cannot be sent: {0}")]
    Refused(String),
    /// It may be sent later.
    #[error("the mail cannot be sent now: {0}")]
    Passing(String),
}

impl Mailer {
    /// Reads the configuration: `smtps://user:password@host`, `smtp://host?tls=required` for
    /// STARTTLS, `smtp://host:port` without encryption, and the sender, `Docs <docs@example.org>`.
    ///
    /// # Errors
    /// When either cannot be read, or a password would travel readable.
    pub fn new(server: &str, from: &str) -> Result<Self, MailError> {
        let config = |message: &str| MailError::Config(message.to_owned());
        let form = "the mail server is an address like smtps://user:password@mail.example.org or \
             smtp://mail.example.org:587?tls=required";
        let url = Url::parse(server).map_err(|_| config(form))?;
        let encrypted = url.scheme() == "smtps"
            || url.query_pairs().any(|(name, value)| name == "tls" && value == "required");
        if url.password().is_some() && !encrypted {
            return Err(config(
                "the mail server's password would travel readable: take smtps:// or ?tls=required",
            ));
        }
        let transport = SmtpTransport::from_url(server).map_err(|_| config(form))?;
        let from = from.parse().map_err(|_: AddressError| {
            config("the sender of mails is an address like docs@example.org or Docs <docs@example.org>")
        })?;
        Ok(Self { transport: transport.timeout(Some(PATIENCE)).build(), from })
    }

    /// Sends a mail. Blocks.
    ///
    /// # Errors
    /// Whether it helps to try again.
    pub fn send(&self, mail: &Mail<'_>) -> Result<(), MailError> {
        let Mail { to, subject, text, html, id, at } = mail;
        let refused = |error: &dyn std::fmt::Display| MailError::Refused(error.to_string());
        let to: Address = to.parse().map_err(|error: AddressError| refused(&error))?;
        let mut message = Message::builder()
            .from(self.from.clone())
            .to(Mailbox::new(None, to))
            .subject(*subject)
            .date(*at)
            .message_id(Some(format!("<{id}@{}>", self.from.email.domain())))
            .multipart(MultiPart::alternative_plain_html(text.clone(), html.clone()))
            .map_err(|error| refused(&error))?;
        // No machine is to answer it: RFC 3834.
        message.headers_mut().insert_raw(HeaderValue::new(
            HeaderName::new_from_ascii_str("Auto-Submitted"),
            "auto-generated".to_owned(),
        ));
        match self.transport.send(&message) {
            Ok(_) => Ok(()),
            Err(error) => Err(told(&error)),
        }
    }
}

fn told(error: &smtp::Error) -> MailError {
    let mut words = error.to_string();
    let mut source = std::error::Error::source(error);
    while let Some(cause) = source {
        let cause_words = cause.to_string();
        if !words.contains(&cause_words) {
            words.push_str(": ");
            words.push_str(&cause_words);
        }
        source = cause.source();
    }
    if error.is_permanent() { MailError::Refused(words) } else { MailError::Passing(words) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn configurations_are_read_or_refused_without_telling_them() {
        for (server, from, valid) in [
            ("smtps://u:secret@mail.example.org", "docs@example.org", true),
            ("smtp://mail.example.org:587?tls=required", "Docs <docs@example.org>", true),
            ("smtp://u:secret@mail.example.org?tls=required", "docs@example.org", true),
            ("smtp://127.0.0.1:25", "docs@example.org", true),
            ("smtp://u:secret@mail.example.org", "docs@example.org", false),
            ("smtp://u:secret@mail.example.org?tls=opportunistic", "docs@example.org", false),
            ("http://u:secret@mail.example.org", "docs@example.org", false),
            ("mail.example.org", "docs@example.org", false),
            ("smtp://mail.example.org", "docs", false),
        ] {
            let read = Mailer::new(server, from);
            assert_eq!(read.is_ok(), valid, "{server}");
            if let Err(error) = read {
                assert!(!error.to_string().contains("secret"), "{error}");
            }
        }
    }
}
