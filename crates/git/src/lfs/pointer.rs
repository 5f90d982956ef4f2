//! Pointers, which a repository has in place of the content of a file in Git LFS.

use std::fmt;
use std::io::{self, Read};

use data_encoding::HEXLOWER_PERMISSIVE;
use sha2::{Digest as _, Sha256};

/// Maximum length of a pointer in bytes.
pub(crate) const MAX_POINTER_BYTES: u64 = 1024;
/// The first lines of pointers. The second one is that of the first versions of Git LFS.
const VERSIONS: [&str; 2] =
    ["version https://git-lfs.github.com/spec/v1", "version https://hawser.github.com/spec/v1"];

/// A pointer to the content of a file.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Pointer {
    /// The SHA-256 of the content.
    oid: [u8; 32],
    /// The size of the content in bytes.
    pub size: u64,
}

impl Pointer {
    /// Parses the blob of a repository; `None` if it is not a pointer. A pointer with extensions,
    /// whose content has to be converted by programs, is not parsed.
    #[must_use]
    pub fn parse(blob: &[u8]) -> Option<Self> {
        if blob.len() as u64 > MAX_POINTER_BYTES {
            return None;
        }
        let text = std::str::from_utf8(blob).ok()?;
        let mut lines = text.lines();
        lines.next().filter(|first| VERSIONS.contains(first))?;
        let oid = lines.next()?.strip_prefix("oid sha256:")?;
        let oid = HEXLOWER_PERMISSIVE.decode(oid.as_bytes()).ok()?.try_into().ok()?;
        let size = lines.next()?.strip_prefix("size ")?;
        // A sign is no part of the format.
        let size = size.bytes().all(|b| b.is_ascii_digit()).then(|| size.parse().ok())??;
        lines.next().is_none().then_some(Self { oid, size })
    }

    /// Returns the SHA-256 of the content in hexadecimal digits.
    #[must_use]
    pub fn oid(&self) -> String {
        data_encoding::HEXLOWER.encode(&self.oid)
    }
}

impl fmt::Debug for Pointer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Pointer({}, {} bytes)", self.oid(), self.size)
    }
}

/// Writes the text of the pointer as Git LFS writes it.
impl fmt::Display for Pointer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [version, _] = VERSIONS;
        write!(f, "{version}\noid sha256:{}\nsize {}\n", self.oid(), self.size)
    }
}

/// A reader of a content that computes its SHA-256 and its size.
pub(crate) struct Digesting<R> {
    from: R,
    digest: Sha256,
    size: u64,
}

impl<R: Read> Digesting<R> {
    pub(crate) fn new(from: R) -> Self {
        Self { from, digest: Sha256::new(), size: 0 }
    }

    /// Returns the pointer to what was read.
    pub(crate) fn pointer(&self) -> Pointer {
        Pointer { oid: self.digest.clone().finalize().into(), size: self.size }
    }

    /// Returns `true` if the content of a pointer was read, from its start to its end.
    pub(crate) fn is_complete(&self, pointer: &Pointer) -> bool {
        self.pointer() == *pointer
    }
}

impl<R: Read> Read for Digesting<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let read = self.from.read(into)?;
        self.digest.update(into.get(..read).unwrap_or_default());
        self.size += read as u64;
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OID: &str = "4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393";

    #[test]
    fn pointers_are_read() {
        let version = "version https://git-lfs.github.com/spec/v1";
        let text = format!("{version}\noid sha256:{OID}\nsize 12345\n");
        let pointer = Pointer::parse(text.as_bytes()).unwrap();
        assert_eq!((pointer.oid().as_str(), pointer.size), (OID, 12_345));
        let old = text.replace("git-lfs.github", "hawser.github");
        assert_eq!(Pointer::parse(old.as_bytes()), Some(pointer));
        assert_eq!(Pointer::parse(text.trim_end().as_bytes()), Some(pointer));
        for other in [
            String::new(),
            version.to_owned(),
            format!("{version}\noid sha256:{OID}\n"),
            format!("{version}\noid sha256:{OID}\nsize -1\n"),
            format!("{version}\noid sha256:{OID}\nsize +1\n"),
            format!("{version}\noid sha256:{OID}\nsize 99999999999999999999\n"),
            format!("{version}\noid sha256:{}\nsize 1\n", &OID[2..]),
            format!("{version}\noid sha512:{OID}\nsize 1\n"),
            format!("{version}\next-0-x sha256:{OID}\noid sha256:{OID}\nsize 1\n"),
            format!("{version}\noid sha256:{OID}\nsize 1\nmore\n"),
            format!("version https://example.com/spec/v1\noid sha256:{OID}\nsize 1\n"),
            format!("{text}{}", " ".repeat(1024)),
        ] {
            assert_eq!(Pointer::parse(other.as_bytes()), None, "{other}");
        }
    }

    #[test]
    fn pointers_are_computed_while_a_content_is_read() {
        let content = "large ".repeat(20_000);
        let read = |bytes: u64| {
            let mut reader = Digesting::new(content.as_bytes());
            io::copy(&mut (&mut reader).take(bytes), &mut io::sink()).unwrap();
            reader
        };
        let pointer = read(u64::MAX).pointer();
        assert_eq!(
            pointer.to_string(),
            "version https://git-lfs.github.com/spec/v1\n\
             oid sha256:25c2527a3aa69bfe0e384e0e698b667ee3ac79fa041590527a43305f69462958\nsize 120000\n"
        );
        assert_eq!(Pointer::parse(pointer.to_string().as_bytes()), Some(pointer));
        assert!(read(u64::MAX).is_complete(&pointer));
        assert!(!read(119_999).is_complete(&pointer));
        assert!(!read(120_000).is_complete(&Pointer { size: 120_001, ..pointer }));
    }
}
