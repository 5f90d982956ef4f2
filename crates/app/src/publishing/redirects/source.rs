//! Sources of redirects: their canonical spelling, and the search for the one that applies.

use bindery_model::{Result, SiteId};
use bindery_store::{Tx, site_redirects};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, percent_encode};

use super::SiteRedirect;

/// The characters that are encoded in a canonical source: all except the unreserved ones (RFC
/// 3986).
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');
/// Maximum length of a canonical source in bytes.
const MAX_KEY: usize = 512;
/// Maximum number of leading segments of a path that are looked up.
const MAX_SEGMENTS: usize = 32;

/// A redirect that applies to a path.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Match {
    /// The redirect.
    pub redirect: SiteRedirect,
    /// The decoded rest of the path below the source; empty if the path is the source.
    pub rest: String,
}

/// Returns the canonical spelling of an encoded path: without slashes at its ends, with the same
/// characters encoded in the same way.
pub fn canonical(path: &str) -> String {
    let encoded: Vec<String> =
        segments(path).iter().map(|segment| percent_encode(segment, ENCODED).to_string()).collect();
    encoded.join("/")
}

/// Returns `true` if a canonical path has segments that browsers remove before they request it
/// (RFC 3986, 5.2.4).
pub(super) fn has_dot_segments(key: &str) -> bool {
    key.split('/').any(|segment| matches!(segment, "." | ".."))
}

/// Returns the decoded segments of an encoded path.
fn segments(path: &str) -> Vec<Vec<u8>> {
    let decoded: Vec<u8> = percent_decode_str(path).collect();
    let segments = decoded.split(|byte| *byte == b'/').filter(|segment| !segment.is_empty());
    segments.map(<[u8]>::to_vec).collect()
}

/// Returns the redirect in effect that applies to an encoded path below a site: the one with this
/// source, or else the nearest one above that includes the paths below its source.
///
/// # Errors
/// Returns an error if the store fails.
pub fn find(tx: &Tx<'_>, site: SiteId, path: &str) -> Result<Option<Match>> {
    let key = canonical(path);
    let count = key.split('/').count();
    let ends = key.match_indices('/').map(|(at, _)| at).chain([key.len()]);
    let keys: Vec<&str> = ends
        .take(MAX_SEGMENTS)
        .take_while(|end| *end <= MAX_KEY)
        .filter_map(|end| key.get(..end))
        .filter(|key| !key.is_empty())
        .collect();
    let mut found = site_redirects::list_by_keys(tx, site, &keys)?;
    found.retain(|redirect| redirect.wildcard || redirect.source_key == key);
    let Some(redirect) = found.into_iter().max_by_key(|redirect| redirect.source_key.len()) else {
        return Ok(None);
    };
    let depth = redirect.source_key.split('/').count().min(count);
    let rest: Vec<String> = segments(path)
        .iter()
        .skip(depth)
        .map(|segment| String::from_utf8_lossy(segment).into_owned())
        .collect();
    Ok(Some(Match { redirect, rest: rest.join("/") }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn segments_of_dots_are_found() {
        for (path, expect) in [
            ("/../x", true),
            ("/a/./b", true),
            ("/a/%2E%2e", true),
            ("/a%2f..%2fb", true),
            ("/...", false),
            ("/.well-known/x", false),
            ("/a..b", false),
        ] {
            assert_eq!(has_dot_segments(&canonical(path)), expect, "{path}");
        }
    }

    #[test]
    fn spellings_of_one_path_are_one_source() {
        for (path, expect) in [
            ("/a/b", "a/b"),
            ("a//b/", "a/b"),
            ("/%61/b", "a/b"),
            ("/caf%c3%a9", "caf%C3%A9"),
            ("/café", "caf%C3%A9"),
            ("/a%2Fb", "a/b"),
            ("/a!b", "a%21b"),
            ("/A", "A"),
            ("/%ff", "%FF"),
            ("/", ""),
        ] {
            assert_eq!(canonical(path), expect, "{path}");
        }
    }
}
