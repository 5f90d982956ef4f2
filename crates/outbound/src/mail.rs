//! Sends mail through the mail server that the operator configures.
//!
//! No [`crate::Guard`] applies: the address comes only from the configuration, and mail servers are
//! often in the private network.

use std::time::{Duration, SystemTime};

use lettre::address::AddressError;
use lettre::message::header::{HeaderName, HeaderValue};
use lettre::message::{Mailbox, MultiPart};
use lettre::transport::smtp;
use lettre::{Address, Message, SmtpTransport, Transport as _};
use url::Url;

/// Maximum time for each step of the exchange with the mail server.
const STEP_TIMEOUT: Duration = Duration::from_secs(30);

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

/// A mail to one recipient, as text and as HTML.
#[derive(Clone, Debug)]
pub struct Mail<'a> {
    /// The recipient's address.
    pub to: &'a str,
    /// The subject, on one line.
    pub subject: &'a str,
    /// The plain text.
    pub text: String,
    /// The same content as HTML.
    pub html: String,
    /// Unique id for the `Message-ID` header; a resent mail has the same id.
    pub id: &'a str,
    /// The time for the `Date` header.
    pub at: SystemTime,
}

/// The reason why a mail was not sent.
#[derive(Debug, thiserror::Error)]
pub enum MailError {
    /// The server's address or the sender is invalid. The message contains no part of the address,
    /// which may include a password.
    #[error("{0}")]
    Config(String),
    /// A permanent failure: retrying does not help.
    #[error("the mail cannot be sent: {0}")]
    Permanent(String),
    /// A temporary failure: the mail may be sent later.
    #[error("the mail cannot be sent now: {0}")]
    Temporary(String),
}

impl Mailer {
    /// Parses the configuration: the server, such as `smtps://user:password@host`,
    /// `smtp://host?tls=required` for STARTTLS or `smtp://host:port` without encryption, and the
    /// sender, such as `Docs <docs@example.org>`.
    ///
    /// # Errors
    /// Fails if one of them is invalid, or if a password would be sent unencrypted.
    pub fn new(server: &str, from: &str) -> Result<Self, MailError> {
        let config = |message: &str| MailError::Config(message.to_owned());
        let form = "the mail server is an address like smtps://user:password@mail.example.org or \
             smtp://mail.example.org:587?tls=required";
        let url = Url::parse(server).map_err(|_| config(form))?;
        let encrypted = url.scheme() == "smtps"
            || url.query_pairs().any(|(name, value)| name == "tls" && value == "required");
        if url.password().is_some() && !encrypted {
            return Err(config(
                "the mail server's password would be sent unencrypted: use smtps:// or ?tls=required",
            ));
        }
        let transport = SmtpTransport::from_url(server).map_err(|_| config(form))?;
        let from = from.parse().map_err(|_: AddressError| {
            config("the sender of mails is an address like docs@example.org or Docs <docs@example.org>")
        })?;
        Ok(Self { transport: transport.timeout(Some(STEP_TIMEOUT)).build(), from })
    }

    /// Sends a mail. Blocks.
    ///
    /// # Errors
    /// [`MailError::Permanent`] for permanent failures, [`MailError::Temporary`] for temporary
    /// ones.
    pub fn send(&self, mail: &Mail<'_>) -> Result<(), MailError> {
        let Mail { to, subject, text, html, id, at } = mail;
        let refused = |error: &dyn std::fmt::Display| MailError::Permanent(error.to_string());
        let to: Address = to.parse().map_err(|error: AddressError| refused(&error))?;
        let mut message = Message::builder()
            .from(self.from.clone())
            .to(Mailbox::new(None, to))
            .subject(*subject)
            .date(*at)
            .message_id(Some(format!("<{id}@{}>", self.from.email.domain())))
            .multipart(MultiPart::alternative_plain_html(text.clone(), html.clone()))
            .map_err(|error| refused(&error))?;
        // Prevents automatic replies (RFC 3834).
        message.headers_mut().insert_raw(HeaderValue::new(
            HeaderName::new_from_ascii_str("Auto-Submitted"),
            "auto-generated".to_owned(),
        ));
        match self.transport.send(&message) {
            Ok(_) => Ok(()),
            Err(error) => Err(to_mail_error(&error)),
        }
    }
}

fn to_mail_error(error: &smtp::Error) -> MailError {
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
    if error.is_permanent() { MailError::Permanent(words) } else { MailError::Temporary(words) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn configurations_are_checked_without_revealing_secrets() {
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
