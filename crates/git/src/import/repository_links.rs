//! Links that leave the content's root for other files of the repository.

use bindery_content::reference::{Target, decode, join};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

/// The characters that are encoded in the path of an address.
const PATH: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'/')
    .remove(b'-')
    .remove(b'_')
    .remove(b'.')
    .remove(b'~')
    .remove(b'+')
    .remove(b'@')
    .remove(b'(')
    .remove(b')');

/// Returns the address below `base` for a link that leaves the content's root. `prefix` is the
/// root's folder in the repository, and `holder` the path, relative to the root, of the file that
/// contains the link. Returns `None` for any other target and for one outside the repository.
pub(super) fn address(base: &str, prefix: &str, raw: &str, holder: &str) -> Option<String> {
    if !matches!(Target::parse(raw, holder), Target::Broken(_)) {
        return None;
    }
    let raw = raw.trim();
    let raw = raw.strip_prefix('<').and_then(|raw| raw.strip_suffix('>')).unwrap_or(raw);
    let (path, anchor) = match raw.split_once('#') {
        Some((path, anchor)) => (path, Some(anchor)),
        None => (raw, None),
    };
    let path = path.split_once('?').map_or(path, |(path, _)| path);
    let decoded = decode(path);
    // A path from the root always refers to the content.
    if decoded.is_empty() || decoded.starts_with('/') || !decoded.contains("..") {
        return None;
    }
    let folder = holder.rsplit_once('/').map_or("", |(folder, _)| folder);
    let path = join(&format!("{prefix}{folder}"), &decoded)?;
    let path = utf8_percent_encode(path.trim_end_matches('/'), PATH);
    let anchor = anchor.filter(|anchor| !anchor.is_empty());
    let anchor = anchor.map(|anchor| format!("#{}", utf8_percent_encode(&decode(anchor), PATH)));
    let base = base.trim_end_matches('/');
    Some(format!("{base}/{path}{}", anchor.unwrap_or_default()).trim_end_matches('/').to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_out_of_the_root_become_addresses() {
        let base = "https://git.example.com/team/docs/tree/main/";
        for (raw, holder, expect) in [
            ("../src/main.rs", "a.md", Some("src/main.rs")),
            ("../../src/main.rs#L3", "guide/a.md", Some("src/main.rs#L3")),
            ("../a b/ä.txt", "a.md", Some("a%20b/%C3%A4.txt")),
            ("../a%20b.txt?raw=1", "a.md", Some("a%20b.txt")),
            ("..", "a.md", Some("")),
            ("<../x>", "a.md", Some("x")),
            // Outside the repository, inside the root, or not a path.
            ("../../x", "a.md", None),
            ("../x", "guide/a.md", None),
            ("x.md", "a.md", None),
            ("/../x", "a.md", None),
            ("https://example.org/../x", "a.md", None),
            ("#here", "a.md", None),
            ("", "a.md", None),
            ("broken-reference", "a.md", None),
        ] {
            let expect = expect.map(|path| {
                let whole = format!("https://git.example.com/team/docs/tree/main/{path}");
                whole.trim_end_matches('/').to_owned()
            });
            assert_eq!(address(base, "docs/", raw, holder), expect, "{raw} in {holder}");
        }
        assert_eq!(address(base, "", "../x", "a.md"), None, "the root is the repository");
    }
}
