//! The keys of synchronisations: for SSH, and for signing commits.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bindery_git::{Remote, SshAccess};
use bindery_model::{FieldPath, GitCredentialsKind, GitSyncStart, Result, RewrittenHistory};
use bindery_outbound::SshKey;
use bindery_store::git_syncs::GitSyncSettings;

use super::settings::{GitSyncChange, GivenCredentials};
use crate::Context;

/// Maximum number of keys of a server.
const MAX_HOST_KEYS: usize = 16;
/// Maximum length of the keys of a server, in bytes.
const MAX_HOST_KEYS_BYTES: usize = 16 << 10;

/// Returns the settings of a repository that is accessed over SSH, without those of the transfer.
/// Keeps the present key and the keys of the server for the same address. Makes a key if there is
/// none.
pub(super) fn of_ssh(
    cx: &Context<'_>,
    change: &GitSyncChange,
    before: Option<&GitSyncSettings>,
    webhook_secret: String,
) -> Result<GitSyncSettings> {
    let (given, host_keys) = match &change.credentials {
        None => (None, None),
        Some(GivenCredentials::Ssh { private_key, host_keys }) => (
            private_key.as_deref().map(parsed_key).transpose()?,
            host_keys.as_deref().map(checked_host_keys).transpose()?,
        ),
        Some(_) => {
            return Err(
                FieldPath::new("/credentials/kind").invalid("allowed with this address: \"ssh\"")
            );
        }
    };
    let is_new = given.is_some();
    let key = match given {
        Some(key) => key,
        None => SshKey::generate(&cx.app.entropy)?,
    };
    let public_key = key.public_line();
    let sealed = cx.app.secrets.seal(&cx.app.entropy, key.expose())?;
    let at = FieldPath::new("/url");
    let access = SshAccess { key, host_keys: String::new() };
    let remote = Remote::parse_ssh(&change.url, access).map_err(|error| at.invalid(error))?;
    remote.url.check(&cx.app.guard).map_err(|error| at.invalid(error))?;
    let url = remote.url.as_str().to_owned();
    let kept = before.filter(|before| before.url == url);
    let (credentials, public_key) = match kept {
        Some(kept) if !is_new => (kept.credentials.clone(), kept.public_key.clone()),
        _ => (Some(sealed), Some(public_key)),
    };
    Ok(GitSyncSettings {
        url,
        reference: String::new(),
        directory: String::new(),
        direction: change.direction,
        initial_direction: GitSyncStart::Import,
        credentials_kind: GitCredentialsKind::Ssh,
        credentials,
        public_key,
        host_keys: host_keys.or_else(|| kept.and_then(|kept| kept.host_keys.clone())),
        signing_key: None,
        signing_public_key: None,
        polling_seconds: 0,
        commit_message: String::new(),
        rewritten_history: RewrittenHistory::Merge,
        webhook_secret,
    })
}

/// Returns the settings with a key that signs commits, or without one. Keeps the present key.
pub(super) fn with_signing(
    cx: &Context<'_>,
    settings: GitSyncSettings,
    signs: Option<bool>,
    before: Option<&GitSyncSettings>,
) -> Result<GitSyncSettings> {
    let present = before.and_then(|before| before.signing_key.clone());
    let public = before.and_then(|before| before.signing_public_key.clone());
    let (signing_key, signing_public_key) = match (signs, present) {
        (Some(false), _) | (None, None) => (None, None),
        (_, Some(present)) => (Some(present), public),
        (Some(true), None) => {
            let key = SshKey::generate(&cx.app.entropy)?;
            let sealed = cx.app.secrets.seal(&cx.app.entropy, key.expose())?;
            (Some(sealed), Some(key.public_line()))
        }
    };
    Ok(GitSyncSettings { signing_key, signing_public_key, ..settings })
}

fn parsed_key(text: &str) -> Result<SshKey> {
    SshKey::parse(text).map_err(|error| FieldPath::new("/credentials/privateKey").invalid(error))
}

/// Checks the keys of a server: lines such as `ssh-ed25519 AAAA…`, as `ssh-keyscan` prints them
/// after the name of the host.
fn checked_host_keys(text: &str) -> Result<String> {
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let is_key = |line: &&str| {
        let mut words = line.split(' ');
        let kind = words.next().is_some_and(|kind| {
            kind.starts_with("ssh-") || kind.starts_with("ecdsa-") || kind.starts_with("sk-")
        });
        let key = words.next().is_some_and(|key| STANDARD.decode(key).is_ok());
        kind && key && line.bytes().all(|byte| byte == b' ' || byte.is_ascii_graphic())
    };
    let is_right = !lines.is_empty()
        && lines.len() <= MAX_HOST_KEYS
        && text.len() <= MAX_HOST_KEYS_BYTES
        && lines.iter().all(is_key);
    if !is_right {
        return Err(FieldPath::new("/credentials/hostKeys").invalid(format_args!(
            "allowed: at most {MAX_HOST_KEYS} lines such as `ssh-ed25519 AAAA…`, without the name \
             of the host"
        )));
    }
    Ok(lines.join("\n"))
}
