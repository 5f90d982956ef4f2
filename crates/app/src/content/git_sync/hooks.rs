//! Events that Git servers report: who sent them, and what they cause.
//!
//! An event is verified before it is parsed. Nothing in it is used but the ref that changed: the
//! run that it causes reads the repository of the settings.

use bindery_model::{Error, GitSyncId, GitSyncTrigger, Result, Timestamp};
use bindery_revision::Hash;
use bindery_store::git_syncs::{self, GitSync};
use bindery_store::{Tx, spaces};
use hmac::{Hmac, KeyInit, Mac};
use serde::Deserialize;
use sha2::Sha256;

use super::{github_app_hooks, trigger};
use crate::content::git_branches;
use crate::{App, secrets};

/// Maximum difference in milliseconds between the clock and the time of a plain event.
const MAX_AGE: i64 = 5 * 60 * 1_000;
/// Time in milliseconds for which events are remembered: 7 days.
const RETENTION: i64 = 7 * 24 * 60 * 60 * 1_000;
/// Maximum number of events that are remembered for a space.
const MAX_REMEMBERED: u32 = 2_000;
/// Maximum number of remembered digests within a minute. An event has up to two.
const MAX_PER_MINUTE: i64 = 60;
const MINUTE: i64 = 60 * 1_000;
/// The secret with which events for unknown synchronisations are compared.
pub(super) const NO_SECRET: &str = "no synchronisation has this secret";

/// The headers of an event that matter, by the names of [`HookHeaders::NAMES`].
#[derive(Clone, Debug, Default)]
pub struct HookHeaders(Vec<(&'static str, String)>);

impl HookHeaders {
    /// The names of the headers.
    pub const NAMES: [&str; 11] = [
        "x-hub-signature-256",
        "x-github-delivery",
        "x-github-event",
        "x-gitlab-token",
        "x-gitlab-event-uuid",
        "x-gitlab-event",
        "x-gitea-signature",
        "x-gitea-delivery",
        "x-gitea-event",
        "x-bindery-signature",
        "x-bindery-timestamp",
    ];

    /// Reads the headers with a function that returns the value of one.
    pub fn read(value: impl Fn(&str) -> Option<String>) -> Self {
        Self(Self::NAMES.iter().filter_map(|name| Some((*name, value(name)?))).collect())
    }

    fn get(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(known, _)| *known == name).map(|(_, value)| value.as_str())
    }
}

/// An event as it arrived.
#[derive(Clone, Debug)]
pub struct DeliveredEvent {
    /// Its headers.
    pub headers: HookHeaders,
    /// Its body.
    pub body: bytes::Bytes,
}

/// A verified event.
#[derive(Debug)]
pub(super) struct Verified {
    /// Digests of the id and the signature of the event.
    pub(super) digests: Vec<[u8; 32]>,
    /// `true` if the event is a push or concerns a pull request, as far as its headers tell.
    pub(super) is_change: bool,
}

/// The part of an event that is read.
#[derive(Deserialize)]
struct Push {
    #[serde(rename = "ref")]
    reference: Option<String>,
}

/// Receives an event for the synchronisation with this id and starts a run if its branch was pushed
/// to. The id `github-app` stands for the GitHub App of the operator.
///
/// # Errors
/// Returns 404 for an unknown id; 401 if the event is not signed with the secret of the
/// synchronisation, or too old; 400 if its body is no JSON object; 409 if it was received before;
/// 429 if there were too many.
pub async fn receive(app: &App, id: &str, event: DeliveredEvent) -> Result<()> {
    if id == github_app_hooks::ID {
        return github_app_hooks::receive(app, &event).await;
    }
    let key = GitSyncId::parse(id);
    let sync = app.store.read(move |tx| find(tx, key)).await?;
    let secret = sync.as_ref().and_then(|sync| app.secrets.open(&sync.settings.webhook_secret));
    // An unknown id takes as long as a known one.
    let verified = verify(secret.as_deref().unwrap_or(NO_SECRET), &event, app.clock.now());
    let sync = sync.ok_or_else(|| Error::not_found("synchronisation"))?;
    let Verified { digests, is_change } = verified.filter(|_| secret.is_some()).ok_or_else(|| {
        Error::unauthenticated(
            "the event is not signed with the secret of this synchronisation, or is older than 5 \
             minutes",
        )
    })?;
    if !is_change {
        return Ok(());
    }
    let push: Push = serde_json::from_slice(&event.body)
        .map_err(|_| Error::invalid("body: allowed: a JSON object with the field \"ref\""))?;
    if let Some(reference) = push.reference.filter(|name| *name != sync.settings.reference) {
        let sync = sync.clone();
        let is_followed = move |tx: &Tx<'_>| git_branches::is_followed(tx, &sync, &reference);
        if !app.store.read(is_followed).await? {
            return Ok(());
        }
    }
    app.store.write(move |tx| accept(tx, key, &digests)).await
}

/// Returns a synchronisation of a space that exists.
fn find(tx: &Tx<'_>, id: Option<GitSyncId>) -> Result<Option<GitSync>> {
    let Some(id) = id else { return Ok(None) };
    let Some(sync) = git_syncs::get_by_id(tx, id)? else { return Ok(None) };
    let space = spaces::get(tx, sync.space)?;
    Ok(Some(sync).filter(|_| space.is_some_and(|space| space.deleted_at.is_none())))
}

/// Remembers a push and requests a run.
pub(super) fn accept(tx: &Tx<'_>, id: Option<GitSyncId>, digests: &[[u8; 32]]) -> Result<()> {
    let sync = find(tx, id)?.ok_or_else(|| Error::not_found("synchronisation"))?;
    let now = tx.now();
    if git_syncs::count_deliveries(tx, sync.space, now.plus_millis(-MINUTE))? >= MAX_PER_MINUTE {
        return Err(Error::rate_limited("too many events of this synchronisation").retry_after(60));
    }
    let since = now.plus_millis(-RETENTION);
    if !git_syncs::add_deliveries(tx, sync.space, digests, since, MAX_REMEMBERED)? {
        return Err(Error::conflict("this event was received before"));
    }
    trigger::request(tx, &sync, GitSyncTrigger::Webhook, None)?;
    Ok(())
}

/// Returns `true` if an event is signed with a secret, and not too old.
pub(crate) fn is_signed(secret: &str, event: &DeliveredEvent, now: Timestamp) -> bool {
    verify(secret, event, now).is_some()
}

/// Checks the signature of an event. Returns `None` if it is absent or wrong.
pub(super) fn verify(secret: &str, event: &DeliveredEvent, now: Timestamp) -> Option<Verified> {
    let DeliveredEvent { headers, body } = event;
    let signed = |signature: &str, delivery: &str, event: &str| {
        let expected = signature_of(secret, &[body])?;
        let given = signature.strip_prefix("sha256=").unwrap_or(signature);
        let id = headers.get(delivery).map(|id| digest(delivery, id.as_bytes()));
        // The id is not signed, but the body is.
        let digests = id.into_iter().chain([digest("signature", given.as_bytes())]).collect();
        let is_change =
            headers.get(event).is_none_or(|event| matches!(event, "push" | "pull_request"));
        secrets::equal(given.as_bytes(), expected.as_bytes())
            .then_some(Verified { digests, is_change })
    };
    // Gitea sends the headers of GitHub too.
    if let Some(signature) = headers.get("x-gitea-signature") {
        return signed(signature, "x-gitea-delivery", "x-gitea-event");
    }
    if let Some(signature) = headers.get("x-hub-signature-256") {
        return signed(signature, "x-github-delivery", "x-github-event");
    }
    if let Some(token) = headers.get("x-gitlab-token") {
        let id = headers.get("x-gitlab-event-uuid").map_or(&body[..], str::as_bytes);
        let digests = vec![digest("x-gitlab-event-uuid", id)];
        let is_change = headers
            .get("x-gitlab-event")
            .is_none_or(|event| matches!(event, "Push Hook" | "Merge Request Hook"));
        return secrets::equal(token.as_bytes(), secret.as_bytes())
            .then_some(Verified { digests, is_change });
    }
    let signature = headers.get("x-bindery-signature").unwrap_or_default();
    let time = headers.get("x-bindery-timestamp").unwrap_or_default();
    let expected = signature_of(secret, &[time.as_bytes(), b".", body])?;
    let given = signature.strip_prefix("sha256=").unwrap_or_default();
    let seconds: i64 = time.parse().ok()?;
    let age = now.millis().checked_sub(seconds.checked_mul(1_000)?)?;
    let is_fresh = (-MAX_AGE..=MAX_AGE).contains(&age);
    let digests = vec![digest("signature", given.as_bytes())];
    (secrets::equal(given.as_bytes(), expected.as_bytes()) && is_fresh)
        .then_some(Verified { digests, is_change: true })
}

/// Returns the HMAC-SHA256 of a message in hexadecimal.
fn signature_of(secret: &str, message: &[&[u8]]) -> Option<String> {
    let mut mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).ok()?;
    for part in message {
        mac.update(part);
    }
    Some(mac.finalize().into_bytes().iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Returns the digest by which an event is remembered.
fn digest(kind: &str, value: &[u8]) -> [u8; 32] {
    *Hash::of(&[kind.as_bytes(), b"\0", value].concat()).as_bytes()
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::*;

    const NOW: i64 = 1_800_000_000_000;

    fn event(headers: &[(&str, &str)], body: &str) -> DeliveredEvent {
        let value = |name: &str| {
            let found = headers.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| (*value).to_owned())
        };
        DeliveredEvent { headers: HookHeaders::read(value), body: Bytes::from(body.to_owned()) }
    }

    fn is_valid(headers: &[(&str, &str)], body: &str) -> bool {
        verify("key", &event(headers, body), Timestamp::from_millis(NOW)).is_some()
    }

    #[test]
    fn signatures_are_those_of_rfc_4231() {
        let signature = signature_of("Jefe", &[b"what do ya want ", b"for nothing?"]);
        assert_eq!(
            signature.as_deref(),
            Some("5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")
        );
    }

    #[test]
    fn each_service_signs_in_its_own_way() {
        let signature = signature_of("key", &[b"{}"]).unwrap();
        let prefixed = format!("sha256={signature}");
        let plain =
            format!("sha256={}", signature_of("key", &[b"1800000000", b".", b"{}"]).unwrap());
        assert!(is_valid(&[("x-hub-signature-256", &prefixed)], "{}"));
        assert!(is_valid(&[("x-gitea-signature", &signature)], "{}"));
        assert!(is_valid(&[("x-gitlab-token", "key")], "{}"));
        let at = |time| [("x-bindery-signature", plain.as_str()), ("x-bindery-timestamp", time)];
        assert!(is_valid(&at("1800000000"), "{}"));
        for (headers, body) in [
            (&[][..], "{}"),
            (&[("x-hub-signature-256", prefixed.as_str())], "{ }"),
            (&[("x-hub-signature-256", "")], "{}"),
            (&[("x-gitea-signature", &signature[1..])], "{}"),
            (&[("x-gitlab-token", "other")], "{}"),
            (&[("x-gitlab-token", "")], "{}"),
            (&at("1800000001"), "{}"),
            (&at("x"), "{}"),
            (&at("9223372036854775807"), "{}"),
        ] {
            assert!(!is_valid(headers, body), "{headers:?} {body}");
        }
    }

    #[test]
    fn plain_events_expire() {
        for (seconds, expect) in [
            (1_799_999_700_i64, true),
            (1_799_999_699, false),
            (1_800_000_300, true),
            (1_800_000_301, false),
        ] {
            let time = seconds.to_string();
            let signature = signature_of("key", &[time.as_bytes(), b".", b"{}"]).unwrap();
            let headers = [
                ("x-bindery-signature", format!("sha256={signature}")),
                ("x-bindery-timestamp", time),
            ];
            let headers: Vec<_> = headers.iter().map(|(n, v)| (*n, v.as_str())).collect();
            assert_eq!(is_valid(&headers, "{}"), expect, "{seconds}");
        }
    }
}
