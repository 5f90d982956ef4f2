//! Pictures whose bytes are part of their address: `data:image/png;base64,…`.
//!
//! An import stores such a picture as a file of the space. The path of the file derives from the
//! address, so that the address resolves to the file like the path of any other file. The source
//! keeps the address.

use std::borrow::Cow;

use crate::work;

/// The start of the paths of the files of pictures.
const PATH: &str = ".gitbook/assets/inlined-";
const SCHEME: &str = "data:";
/// The media types of pictures that cannot contain scripts, with the extensions of their files.
const TYPES: [(&str, &str); 6] = [
    ("image/png", "png"),
    ("image/jpeg", "jpg"),
    ("image/jpg", "jpg"),
    ("image/gif", "gif"),
    ("image/webp", "webp"),
    ("image/avif", "avif"),
];

/// Returns `true` if an address contains its data.
#[must_use]
pub fn is_data(address: &str) -> bool {
    address.get(..SCHEME.len()).is_some_and(|start| start.eq_ignore_ascii_case(SCHEME))
}

/// Returns the path of the file of a picture with this address, from the content root. Returns
/// `None` unless the address contains a picture of a safe type in base64.
#[must_use]
pub fn path(address: &str) -> Option<String> {
    let extension = extension(address)?;
    work::spend(address.len());
    Some(format!("{PATH}{:032x}.{extension}", digest(address)))
}

/// Returns the 128-bit FNV-1a hash of a text, which is the same on every machine.
fn digest(text: &str) -> u128 {
    const OFFSET: u128 = 0x6C62_272E_07BB_0142_62B8_2175_6295_C58D;
    const PRIME: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013B;
    text.bytes().fold(OFFSET, |hash, byte| (hash ^ u128::from(byte)).wrapping_mul(PRIME))
}

/// Returns `true` if a path is one of those that [`path`] returns.
#[must_use]
pub fn is_path(path: &str) -> bool {
    path.starts_with(PATH)
}

/// Returns the addresses of pictures in a source, in order, each with the path of its file.
pub fn scan(source: &str) -> impl Iterator<Item = (&str, String)> {
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || b"+/=;:,.%-_".contains(byte);
    let mut at = 0;
    let addresses = std::iter::from_fn(move || {
        let rest = source.get(at..)?;
        let start = memchr::memmem::find(rest.as_bytes(), b"data:image/")?;
        let rest = rest.get(start..)?;
        let length = rest.bytes().take_while(is_part).count();
        work::spend(start + length);
        // The next address begins after this one, which keeps the search linear.
        at += start + length;
        rest.get(..length)
    });
    addresses.filter_map(|address| Some((address, path(address)?)))
}

/// Returns the paths of such files that a source names, in order.
pub fn named(source: &str) -> impl Iterator<Item = String> {
    let (_, name) = PATH.rsplit_once('/').unwrap_or_default();
    memchr::memmem::find_iter(source.as_bytes(), name).filter_map(move |start| {
        let rest = source.get(start + name.len()..)?;
        let length = rest.bytes().take_while(|b| b.is_ascii_alphanumeric() || *b == b'.').count();
        Some(format!("{PATH}{}", rest.get(..length)?))
    })
}

/// Returns the base64 text of a picture's address.
#[must_use]
pub fn data(address: &str) -> Option<Cow<'_, str>> {
    extension(address)?;
    let (_, data) = address.split_once(',')?;
    if !data.contains('%') {
        return Some(Cow::Borrowed(data));
    }
    Some(Cow::Owned(super::decode(data).into_owned()))
}

/// Returns the extension of the file of a picture with this address.
fn extension(address: &str) -> Option<&'static str> {
    let (head, _) = address.get(SCHEME.len()..).filter(|_| is_data(address))?.split_once(',')?;
    let mut parameters = head.split(';');
    let kind = parameters.next()?;
    let (_, extension) = TYPES.iter().find(|(known, _)| known.eq_ignore_ascii_case(kind))?;
    parameters.any(|parameter| parameter.eq_ignore_ascii_case("base64")).then_some(*extension)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_have_paths() {
        for address in [
            "data:image/png;base64,AAAA",
            "DATA:image/jpeg;charset=x;base64,AA%3D%3D",
            "data:image/avif;base64,",
        ] {
            assert!(path(address).is_some_and(|path| is_path(&path)), "{address}");
        }
        for address in [
            "data:image/svg+xml;base64,AAAA",
            "data:image/png,AAAA",
            "data:text/html;base64,AAAA",
            "data:",
            "image/png;base64,AAAA",
            "https://x/data:image/png;base64,AAAA",
        ] {
            assert_eq!(path(address), None, "{address}");
        }
        assert_ne!(path("data:image/png;base64,AAAA"), path("data:image/png;base64,AAAB"));
        assert_eq!(data("data:image/png;base64,AA%3D%3D").as_deref(), Some("AA=="));
    }

    #[test]
    fn many_addresses_are_found_in_linear_time() {
        let (mut found, source) = (0, "data:image/png;base64,".repeat(20_000));
        let cost = work::measure(|| found = scan(&source).count());
        assert!(found == 1 && cost < 4 * source.len() as u64, "{found} {cost}");
    }

    #[test]
    fn pictures_are_found_in_sources() {
        let address = "data:image/png;base64,AA+/==";
        for source in [
            format!("![a]({address})"),
            format!("![a](<{address}> \"t\")"),
            format!("<img src=\"{address}\">"),
            format!("[a]: {address}\n"),
        ] {
            let found: Vec<_> = scan(&source).map(|(address, _)| address).collect();
            assert_eq!(found, [address], "{source}");
        }
    }
}
