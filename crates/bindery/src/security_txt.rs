//! `/.well-known/security.txt` (RFC 9116): where people report vulnerabilities of the server.

use std::fmt::Write as _;

use anyhow::{Context as _, Result};
use bindery_model::Timestamp;
use clap::Args;
use serde::Deserialize;

/// The path of the file.
pub(crate) const PATH: &str = "/.well-known/security.txt";
/// Days after which the file expires if no date is configured. The RFC recommends less than a year.
const DEFAULT_DAYS: i64 = 180;
const DAY_MILLIS: i64 = 24 * 60 * 60 * 1000;
/// Maximum bytes of one setting.
const MAX_BYTES: usize = 2_000;

/// The settings of the file, as arguments and as the table `security` of the configuration file.
#[derive(Clone, Debug, Default, Args, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SecurityOptions {
    /// Contact for reports of vulnerabilities: mail addresses and web addresses, served as
    /// /.well-known/security.txt [default: none; the file is absent]
    #[arg(long = "security-contact", env = "BINDERY_SECURITY_CONTACT", value_name = "ADDRESS,…")]
    contact: Option<String>,
    /// Day or time from which security.txt is no longer valid, as 2027-01-31 [default: 180 days
    /// after the day of the request]
    #[arg(long = "security-expires", env = "BINDERY_SECURITY_EXPIRES", value_name = "DATE")]
    expires: Option<String>,
    /// Address of the policy for reports of vulnerabilities.
    #[arg(long = "security-policy", env = "BINDERY_SECURITY_POLICY", value_name = "URL")]
    policy: Option<String>,
    /// Address of a key with which reports can be encrypted.
    #[arg(long = "security-encryption", env = "BINDERY_SECURITY_ENCRYPTION", value_name = "URL")]
    encryption: Option<String>,
    /// Address of the page that thanks the people who reported vulnerabilities.
    #[arg(
        long = "security-acknowledgments",
        env = "BINDERY_SECURITY_ACKNOWLEDGMENTS",
        value_name = "URL"
    )]
    acknowledgments: Option<String>,
    /// Languages of reports, as language tags.
    #[arg(long = "security-languages", env = "BINDERY_SECURITY_LANGUAGES", value_name = "TAG,…")]
    languages: Option<String>,
    /// Address of open positions in security.
    #[arg(long = "security-hiring", env = "BINDERY_SECURITY_HIRING", value_name = "URL")]
    hiring: Option<String>,
}

impl SecurityOptions {
    /// Returns these settings, and those of `other` where these have none.
    pub(crate) fn or(self, other: Self) -> Self {
        Self {
            contact: self.contact.or(other.contact),
            expires: self.expires.or(other.expires),
            policy: self.policy.or(other.policy),
            encryption: self.encryption.or(other.encryption),
            acknowledgments: self.acknowledgments.or(other.acknowledgments),
            languages: self.languages.or(other.languages),
            hiring: self.hiring.or(other.hiring),
        }
    }
}

/// The content of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SecurityTxt {
    /// All fields except the date, each as a line.
    fields: String,
    /// The configured date.
    expires: Option<Timestamp>,
}

impl SecurityTxt {
    /// Checks the settings. Returns `None` if there is no contact, without which the file is not
    /// valid.
    ///
    /// # Errors
    /// Returns an error if a setting is malformed, or if there are settings without a contact.
    pub(crate) fn from_options(options: SecurityOptions) -> Result<Option<Self>> {
        let SecurityOptions {
            contact,
            expires,
            policy,
            encryption,
            acknowledgments,
            languages,
            hiring,
        } = options;
        let optional = [
            ("Encryption", "--security-encryption", encryption),
            ("Acknowledgments", "--security-acknowledgments", acknowledgments),
            ("Policy", "--security-policy", policy),
            ("Hiring", "--security-hiring", hiring),
        ];
        let Some(contact) = contact else {
            let has_others =
                optional.iter().any(|(_, _, value)| value.is_some()) || languages.is_some();
            anyhow::ensure!(
                !has_others && expires.is_none(),
                "security.txt needs a contact (--security-contact)"
            );
            return Ok(None);
        };
        let mut fields = String::new();
        for address in contact.split(',').map(str::trim) {
            let address = contact_address(address).context("--security-contact")?;
            let _ = writeln!(fields, "Contact: {address}");
        }
        for (name, flag, value) in optional {
            if let Some(value) = value {
                let value = web_address(value.trim()).context(flag)?;
                let _ = writeln!(fields, "{name}: {value}");
            }
        }
        if let Some(languages) = languages {
            let tags: Vec<&str> = languages.split(',').map(str::trim).collect();
            let is_tag = |tag: &&str| {
                !tag.is_empty()
                    && tag.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
            };
            anyhow::ensure!(
                tags.iter().all(is_tag) && languages.len() <= MAX_BYTES,
                "--security-languages {languages}: expected language tags, as `en, de`"
            );
            let _ = writeln!(fields, "Preferred-Languages: {}", tags.join(", "));
        }
        let expires = expires.map(|text| date(text.trim()).context("--security-expires"));
        Ok(Some(Self { fields, expires: expires.transpose()? }))
    }

    /// Returns `true` if the file is no longer valid at a time.
    pub(crate) fn has_expired(&self, now: Timestamp) -> bool {
        self.expires.is_some_and(|expires| expires <= now)
    }

    /// Returns the text of the file.
    pub(crate) fn render(&self, now: Timestamp) -> String {
        let today = now.millis() - now.millis().rem_euclid(DAY_MILLIS);
        let default = Timestamp::from_millis(today + DEFAULT_DAYS * DAY_MILLIS);
        format!("{}Expires: {}\n", self.fields, self.expires.unwrap_or(default))
    }
}

/// Returns a contact as an address with a scheme.
fn contact_address(text: &str) -> Result<String> {
    let has_scheme = ["https://", "mailto:", "tel:"].iter().any(|scheme| text.starts_with(scheme));
    let address = match text.contains('@') && !has_scheme {
        true => format!("mailto:{text}"),
        false => text.to_owned(),
    };
    let has_scheme = has_scheme || address.starts_with("mailto:");
    anyhow::ensure!(
        has_scheme && is_uri(&address),
        "{text}: expected a mail address, or an address that begins with https:// or tel:"
    );
    Ok(address)
}

fn web_address(text: &str) -> Result<&str> {
    let known = ["https://", "openpgp4fpr:", "dns:"].iter().any(|scheme| text.starts_with(scheme));
    anyhow::ensure!(known && is_uri(text), "{text}: the address must begin with https://");
    Ok(text)
}

fn is_uri(text: &str) -> bool {
    text.len() <= MAX_BYTES && text.bytes().all(|byte| byte.is_ascii_graphic())
}

/// Parses a day, or a time with a zone.
fn date(text: &str) -> Result<Timestamp> {
    let parsed = Timestamp::parse(text).or_else(|| Timestamp::parse(&format!("{text}T00:00:00Z")));
    parsed.with_context(|| format!("{text}: expected a day, as 2027-01-31, or a time in RFC 3339"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(contact: &str) -> SecurityOptions {
        SecurityOptions { contact: Some(contact.to_owned()), ..SecurityOptions::default() }
    }

    #[test]
    fn the_file_has_the_fields_of_the_rfc() {
        let options = SecurityOptions {
            expires: Some("2027-01-31".to_owned()),
            policy: Some("https://x.example/policy".to_owned()),
            encryption: Some("openpgp4fpr:5F2DE5521C63A801AB59CCB603D49DE44B29100F".to_owned()),
            acknowledgments: Some("https://x.example/thanks".to_owned()),
            languages: Some("en,de-AT".to_owned()),
            hiring: Some("https://x.example/jobs".to_owned()),
            ..options("security@x.example, https://x.example/report")
        };
        let file = SecurityTxt::from_options(options).unwrap().unwrap();
        let at = |text: &str| Timestamp::parse(text).unwrap();
        assert_eq!(
            file.render(at("2026-01-01T00:00:00Z")),
            "Contact: mailto:security@x.example\n\
             Contact: https://x.example/report\n\
             Encryption: openpgp4fpr:5F2DE5521C63A801AB59CCB603D49DE44B29100F\n\
             Acknowledgments: https://x.example/thanks\n\
             Policy: https://x.example/policy\n\
             Hiring: https://x.example/jobs\n\
             Preferred-Languages: en, de-AT\n\
             Expires: 2027-01-31T00:00:00.000Z\n"
        );
        assert!(!file.has_expired(at("2027-01-30T23:59:59Z")));
        assert!(file.has_expired(at("2027-01-31T00:00:00Z")));
    }

    #[test]
    fn without_a_date_the_file_is_valid_for_half_a_year() {
        let file = SecurityTxt::from_options(options("tel:+1-201-555-0123")).unwrap().unwrap();
        let now = Timestamp::parse("2026-01-01T12:34:56Z").unwrap();
        let text = file.render(now);
        assert_eq!(text, "Contact: tel:+1-201-555-0123\nExpires: 2026-06-30T00:00:00.000Z\n");
        assert!(!file.has_expired(now));
    }

    #[test]
    fn malformed_settings_are_refused() {
        assert_eq!(SecurityTxt::from_options(SecurityOptions::default()).unwrap(), None);
        let refused = [
            options(""),
            options("http://x.example/"),
            options("a@x.example\nExpires: never"),
            SecurityOptions { expires: Some("soon".to_owned()), ..options("a@x.example") },
            SecurityOptions { policy: Some("/policy".to_owned()), ..options("a@x.example") },
            SecurityOptions { languages: Some("en,".to_owned()), ..options("a@x.example") },
            SecurityOptions { languages: Some("en".to_owned()), ..SecurityOptions::default() },
        ];
        for options in refused {
            let text = format!("{options:?}");
            assert!(SecurityTxt::from_options(options).is_err(), "{text}");
        }
    }
}
