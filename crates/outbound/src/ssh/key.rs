//! Private keys for SSH, in the format of OpenSSH (PROTOCOL.key).

use std::fmt;

use bindery_model::Entropy;
use data_encoding::BASE64;
use ring::digest::{SHA512, digest};
use ring::signature::{Ed25519KeyPair, KeyPair as _};

const KEY: &str = "OPENSSH PRIVATE KEY";
const BEGIN: &str = "-----BEGIN OPENSSH PRIVATE KEY-----";
const END: &str = "-----END OPENSSH PRIVATE KEY-----";
const SIGNATURE_MAGIC: &[u8] = b"SSHSIG";
const MAGIC: &[u8] = b"openssh-key-v1\0";
const ED25519: &str = "ssh-ed25519";
/// Maximum length of the text of a key in bytes.
const MAX_LENGTH: usize = 16 << 10;
/// Characters on each line of the text of a key.
const LINE: usize = 70;
/// The length of the blocks to which a key that is not encrypted is padded.
const BLOCK: usize = 8;

/// A private key without a passphrase. `Debug` does not print it.
#[derive(Clone, PartialEq, Eq)]
pub struct SshKey {
    text: String,
    /// The public key as SSH transfers it.
    public: Vec<u8>,
}

/// The defect of a private key. The message contains no part of the key.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum SshKeyError {
    /// The text is no private key in the format of OpenSSH.
    #[error(
        "it is not a private key in the format of OpenSSH, which begins with \
         -----BEGIN OPENSSH PRIVATE KEY-----; `ssh-keygen -p -f FILE` converts other formats"
    )]
    Format,
    /// The key has a passphrase.
    #[error("the private key has a passphrase; `ssh-keygen -p -N '' -f FILE` removes it")]
    Encrypted,
}

impl SshKey {
    /// Returns a new Ed25519 key.
    ///
    /// # Errors
    /// Fails if the key cannot be derived from random bytes.
    pub fn generate(entropy: &Entropy) -> bindery_model::Result<Self> {
        let seed = entropy.bytes::<32>();
        let pair = Ed25519KeyPair::from_seed_unchecked(&seed)
            .map_err(|_| bindery_model::Error::internal("an SSH key could not be made"))?;
        let point = pair.public_key().as_ref();
        let public = [field(ED25519.as_bytes()), field(point)].concat();
        let check = entropy.bytes::<4>();
        let secret = [seed.as_slice(), point].concat();
        let comment = field(b"bindery");
        let mut private =
            [&check, check.as_slice(), public.as_slice(), &field(&secret), &comment].concat();
        for pad in 1..=u8::MAX {
            if private.len().is_multiple_of(BLOCK) {
                break;
            }
            private.push(pad);
        }
        let (none, one) = (field(b"none"), 1_u32.to_be_bytes());
        let blob =
            [MAGIC, &none, &none, &field(b""), &one, &field(&public), &field(&private)].concat();
        Ok(Self { text: armor(&blob, KEY), public })
    }

    /// Reads a private key.
    ///
    /// # Errors
    /// Returns an error for other formats and for keys with a passphrase.
    pub fn parse(text: &str) -> Result<Self, SshKeyError> {
        let blob = Some(text).filter(|text| text.len() <= MAX_LENGTH).and_then(blob_of);
        let blob = blob.ok_or(SshKeyError::Format)?;
        let mut rest = blob.strip_prefix(MAGIC).ok_or(SshKeyError::Format)?;
        let mut next = || take(&mut rest).ok_or(SshKeyError::Format);
        let (cipher, _kdf, _options) = (next()?, next()?, next()?);
        let is_encrypted = cipher != b"none";
        let mut rest = rest.strip_prefix(&1_u32.to_be_bytes()).ok_or(SshKeyError::Format)?;
        let public = take(&mut rest).ok_or(SshKeyError::Format)?;
        let mut type_of = public;
        let name = take(&mut type_of).ok_or(SshKeyError::Format)?;
        let is_name = |byte: &u8| byte.is_ascii_graphic();
        if name.is_empty() || !name.iter().all(is_name) || take(&mut rest).is_none() {
            return Err(SshKeyError::Format);
        }
        if is_encrypted {
            return Err(SshKeyError::Encrypted);
        }
        Ok(Self { text: armor(&blob, KEY), public: public.to_vec() })
    }

    /// Returns the line that a server needs to accept the key, in the format of `authorized_keys`.
    pub fn public_line(&self) -> String {
        let mut rest = self.public.as_slice();
        let name = take(&mut rest).unwrap_or_default();
        format!("{} {}", String::from_utf8_lossy(name), BASE64.encode(&self.public))
    }

    /// Returns the signature of a text in the format of OpenSSH (PROTOCOL.sshsig), which
    /// `ssh-keygen -Y verify` checks; `None` unless the key is an Ed25519 one. The namespace denotes
    /// the purpose of the signature.
    pub fn sign(&self, namespace: &str, text: &[u8]) -> Option<String> {
        let pair = Ed25519KeyPair::from_seed_unchecked(&self.seed()?).ok()?;
        let common = [field(namespace.as_bytes()), field(b""), field(b"sha512")].concat();
        let signed = [SIGNATURE_MAGIC, &common, &field(digest(&SHA512, text).as_ref())].concat();
        let signature = [field(ED25519.as_bytes()), field(pair.sign(&signed).as_ref())].concat();
        let version = 1_u32.to_be_bytes();
        let blob =
            [SIGNATURE_MAGIC, &version, &field(&self.public), &common, &field(&signature)].concat();
        Some(armor(&blob, "SSH SIGNATURE"))
    }

    /// Returns the seed of an Ed25519 key.
    fn seed(&self) -> Option<[u8; 32]> {
        let blob = blob_of(&self.text)?;
        let mut rest = blob.strip_prefix(MAGIC)?;
        let _cipher_kdf_options = [take(&mut rest)?, take(&mut rest)?, take(&mut rest)?];
        let (_count, mut rest) = rest.split_first_chunk::<4>()?;
        let _public = take(&mut rest)?;
        let private = take(&mut rest)?;
        let (_checks, mut private) = private.split_first_chunk::<8>()?;
        let name = take(&mut private)?;
        let _point = take(&mut private)?;
        let secret = take(&mut private)?;
        (name == ED25519.as_bytes()).then_some(*secret.first_chunk::<32>()?)
    }

    /// Returns the private key as text, to be sealed for storage.
    pub fn expose(&self) -> &str {
        &self.text
    }
}

impl fmt::Debug for SshKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SshKey(…)")
    }
}

/// Returns the bytes of the text of a key.
fn blob_of(text: &str) -> Option<Vec<u8>> {
    let body = text.trim().strip_prefix(BEGIN)?.strip_suffix(END)?;
    let body: String = body.split_ascii_whitespace().collect();
    BASE64.decode(body.as_bytes()).ok()
}

/// Returns the text of a key or a signature.
fn armor(blob: &[u8], name: &str) -> String {
    let mut text = format!("-----BEGIN {name}-----\n");
    let encoded = BASE64.encode(blob);
    for line in encoded.as_bytes().chunks(LINE) {
        text.push_str(&String::from_utf8_lossy(line));
        text.push('\n');
    }
    text.push_str(&format!("-----END {name}-----\n"));
    text
}

/// Returns bytes with their length in front.
fn field(bytes: &[u8]) -> Vec<u8> {
    let length = u32::try_from(bytes.len()).unwrap_or(u32::MAX);
    [&length.to_be_bytes(), bytes].concat()
}

/// Takes bytes with their length in front.
fn take<'a>(rest: &mut &'a [u8]) -> Option<&'a [u8]> {
    let (length, tail) = rest.split_first_chunk::<4>()?;
    let length = usize::try_from(u32::from_be_bytes(*length)).ok()?;
    let (bytes, tail) = tail.split_at_checked(length)?;
    *rest = tail;
    Some(bytes)
}
