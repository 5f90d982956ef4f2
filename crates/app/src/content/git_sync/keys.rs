//! The keys of synchronisations: for SSH, and for signing commits.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bindery_git::SafeUrl;
use bindery_model::{FieldPath, GitCredentialsKind, Result};
use bindery_outbound::SshKey;
use bindery_store::git_syncs::GitSyncSettings;

use super::settings::{GitSyncChange, GivenCredentials, RepositoryAccess};
use crate::Context;

/// Maximum number of keys of a server.
const MAX_HOST_KEYS: usize = 16;
/// Maximum length of the keys of a server, in bytes.
const MAX_HOST_KEYS_BYTES: usize = 16 << 10;

/// Returns the access to a repository over SSH. Keeps the present key and the keys of the server
/// for the same address. Makes a key if there is none.
pub(super) fn ssh_access(
    cx: &Context<'_>,
    change: &GitSyncChange,
    before: Option<&GitSyncSettings>,
) -> Result<RepositoryAccess> {
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
    let at = FieldPath::new("/url");
    let url = SafeUrl::parse_ssh(&change.url).map_err(|error| at.invalid(error))?;
    url.check(&cx.app.guard).map_err(|error| at.invalid(error))?;
    let kept = before.filter(|before| before.url == url.as_str());
    let (credentials, public_key) = match (given, kept) {
        (None, Some(kept)) => (kept.credentials.clone(), kept.public_key.clone()),
        (given, _) => {
            let pair = SealedKey::of(cx, given)?;
            (pair.key, pair.public_key)
        }
    };
    Ok(RepositoryAccess {
        url: url.as_str().to_owned(),
        kind: GitCredentialsKind::Ssh,
        credentials,
        public_key,
        host_keys: host_keys.or_else(|| kept.and_then(|kept| kept.host_keys.clone())),
    })
}

/// A private key for the store, and its public key; both are absent if there is none.
#[derive(Default)]
pub(super) struct SealedKey {
    pub(super) key: Option<String>,
    pub(super) public_key: Option<String>,
}

impl SealedKey {
    /// Seals a key, or a new one if none is given.
    fn of(cx: &Context<'_>, given: Option<SshKey>) -> Result<Self> {
        let key = given.map_or_else(|| SshKey::generate(&cx.app.entropy), Ok)?;
        let sealed = cx.app.secrets.seal(&cx.app.entropy, key.expose())?;
        Ok(Self { key: Some(sealed), public_key: Some(key.public_line()) })
    }
}

/// Returns the key that signs commits. Keeps the present one.
pub(super) fn signing(
    cx: &Context<'_>,
    signs: Option<bool>,
    before: Option<&GitSyncSettings>,
) -> Result<SealedKey> {
    let present = before.filter(|before| before.signing_key.is_some());
    match (signs, present) {
        (Some(false), _) | (None, None) => Ok(SealedKey::default()),
        (Some(true), None) => SealedKey::of(cx, None),
        (_, Some(before)) => Ok(SealedKey {
            key: before.signing_key.clone(),
            public_key: before.signing_public_key.clone(),
        }),
    }
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
