//! The sealing key, which encrypts stored secrets. It is configured or stored in the data folder,
//! and must be the key that the store's secrets are encrypted with.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail, ensure};
use base64::Engine as _;
use base64::alphabet::{STANDARD, URL_SAFE};
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use bindery_app::secrets;
use bindery_model::{Entropy, Error};
use bindery_store::Store;

use crate::config::Config;

/// The name of the key file in the data folder.
const FILE: &str = "sealing.key";

/// The advice for an operator whose key is not that of the store.
const ADVICE: &str = "configure the key of the earlier servers as BINDERY_SEALING_KEY, as \
    BINDERY_SEALING_KEY_FILE, or in the file sealing.key in the data folder. If that key is lost, \
    start once with --replace-sealing-key: encrypted secrets, such as the credentials for Git \
    servers, are then lost and have to be entered again, and sign-in links and invitations that \
    were sent stop working";

/// A key of 32 bytes.
#[derive(Clone)]
pub(crate) struct SealingKey([u8; 32]);

impl std::fmt::Debug for SealingKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("SealingKey")
    }
}

impl SealingKey {
    /// Reads the key from a text or a file. Returns `None` if neither is given.
    pub(crate) fn from_options(
        text: Option<String>,
        file: Option<PathBuf>,
    ) -> Result<Option<Self>> {
        match (text, file) {
            (None, None) => Ok(None),
            (Some(_), Some(_)) => bail!("give --sealing-key or --sealing-key-file, not both"),
            (Some(text), None) => Self::from_text(&text).context("--sealing-key").map(Some),
            (None, Some(path)) => Self::from_file(&path)?
                .with_context(|| format!("there is no file {}", path.display()))
                .map(Some),
        }
    }

    /// Parses a key. Error messages do not contain the text, which is a secret.
    fn from_text(text: &str) -> Result<Self> {
        let config = GeneralPurposeConfig::new()
            .with_decode_padding_mode(DecodePaddingMode::Indifferent)
            .with_decode_allow_trailing_bits(true);
        let text = text.trim();
        let bytes = from_hex(text)
            .or_else(|| GeneralPurpose::new(&STANDARD, config).decode(text).ok())
            .or_else(|| GeneralPurpose::new(&URL_SAFE, config).decode(text).ok())
            .and_then(|bytes| bytes.try_into().ok());
        bytes.map(Self).context(
            "this is not a key of 32 bytes: expected 64 hexadecimal digits, or the same in base64",
        )
    }

    fn from_file(path: &Path) -> Result<Option<Self>> {
        let bytes = match std::fs::read(path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            read => read.with_context(|| format!("cannot read {}", path.display()))?,
        };
        match <[u8; 32]>::try_from(bytes.as_slice()) {
            // Random bytes are practically never all printable: such a file holds half of a key in
            // hexadecimal digits.
            Ok(key) if !key.iter().all(u8::is_ascii_graphic) => Ok(Some(Self(key))),
            _ => Self::from_text(&String::from_utf8_lossy(&bytes))
                .with_context(|| path.display().to_string())
                .map(Some),
        }
    }

    fn random(entropy: &Entropy) -> Self {
        Self(entropy.bytes())
    }

    pub(crate) const fn bytes(&self) -> &[u8; 32] {
        &self.0
    }

    fn write(&self, path: &Path) -> std::io::Result<()> {
        let mut options = std::fs::OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut file = options.open(path)?;
        file.write_all(&self.0)?;
        file.sync_all()
    }
}

fn from_hex(text: &str) -> Option<Vec<u8>> {
    let digits: Option<Vec<u8>> =
        text.chars().map(|c| c.to_digit(16).and_then(|digit| u8::try_from(digit).ok())).collect();
    let digits = digits.filter(|digits| digits.len() == 64)?;
    Some(
        digits
            .chunks_exact(2)
            .map(|pair| pair.iter().fold(0, |sum, digit| sum << 4 | digit))
            .collect(),
    )
}

/// Returns the key of this server, and registers it with the store if the store has none.
pub(crate) async fn adopt_key(
    config: &Config,
    store: &Store,
    entropy: &Entropy,
) -> Result<SealingKey> {
    let path = config.data.join(FILE);
    let replace = config.replace_sealing_key;
    let (key, made) = match (&config.sealing_key, SealingKey::from_file(&path)?) {
        (Some(key), _) => (key.clone(), false),
        (None, Some(key)) => (key, false),
        (None, None) => {
            let sealed = store.read(secrets::has_sealing_key).await?;
            ensure!(
                replace || !sealed,
                "the secrets in this store are encrypted with a sealing key that this server \
                 does not have: {ADVICE}"
            );
            let key = SealingKey::random(entropy);
            key.write(&path).with_context(|| format!("cannot write {}", path.display()))?;
            (key, true)
        }
    };
    let bytes = key.0;
    let adopted = store.write(move |tx| secrets::adopt_sealing_key(tx, &bytes, replace)).await;
    if made && !matches!(adopted, Ok(true)) {
        // Another node registered its key first. The file must not be found at the next start.
        std::fs::remove_file(&path).with_context(|| format!("cannot remove {}", path.display()))?;
    }
    let adopted: std::result::Result<bool, Error> = adopted;
    ensure!(
        adopted?,
        "the secrets in this store are encrypted with another sealing key than this \
         server's: {ADVICE}"
    );
    Ok(key)
}

/// Returns the key of a store for an offline command: the given key, or the one in the data folder.
/// Only a starting server creates a key.
pub(crate) async fn existing_key(
    given: Option<SealingKey>,
    data: &Path,
    store: &Store,
) -> Result<SealingKey> {
    let key = match given {
        Some(key) => Some(key),
        None => SealingKey::from_file(&data.join(FILE))?,
    };
    let key = key.with_context(|| {
        format!(
            "this command needs the sealing key of the store, and there is no {FILE} in {}: name \
             the server's data folder with --data, or give the key as BINDERY_SEALING_KEY or \
             BINDERY_SEALING_KEY_FILE",
            data.display()
        )
    })?;
    let bytes = key.0;
    ensure!(
        store.read(move |tx| secrets::is_sealing_key(tx, &bytes)).await?,
        "this is not the sealing key of the store"
    );
    Ok(key)
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEX: &str = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1F";

    #[test]
    fn keys_are_parsed_in_all_encodings() {
        let expect: [u8; 32] = std::array::from_fn(|at| u8::try_from(at).unwrap());
        for text in [
            HEX,
            &format!(" {HEX}\n"),
            "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=",
            "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8",
        ] {
            assert_eq!(SealingKey::from_text(text).unwrap().0, expect, "{text}");
        }
        for text in ["", "secret", &HEX[..62], &format!("{HEX}00"), "ключ"] {
            let error = format!("{:#}", SealingKey::from_text(text).unwrap_err());
            assert!(error.contains("64 hexadecimal digits"), "{error}");
            assert!(text.is_empty() || !error.contains(text), "{error}");
        }
    }

    #[test]
    fn a_file_holds_bytes_or_text() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("key");
        assert!(SealingKey::from_file(&path).unwrap().is_none());
        let bytes: [u8; 32] = std::array::from_fn(|at| u8::try_from(at).unwrap());
        for content in [bytes.as_slice(), HEX.as_bytes(), format!("{HEX}\n").as_bytes()] {
            std::fs::write(&path, content).unwrap();
            assert_eq!(SealingKey::from_file(&path).unwrap().unwrap().0, bytes);
        }
        std::fs::write(&path, &HEX[..32]).unwrap();
        SealingKey::from_file(&path).unwrap_err();
        SealingKey::from_options(Some(HEX.to_owned()), Some(path)).unwrap_err();
    }
}
