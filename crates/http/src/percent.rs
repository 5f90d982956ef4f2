//! Percent-encoding in paths and query strings.

use std::borrow::Cow;

use percent_encoding::percent_decode_str;

/// Decodes `%XX`; `None` if the result is not UTF-8. A `%` without two hexadecimal digits is kept.
pub fn decode(text: &str) -> Option<Cow<'_, str>> {
    percent_decode_str(text).decode_utf8().ok()
}

/// Returns the name-value pairs of a query string in order, with `+` decoded as a space. Returns
/// `None` if a pair does not decode to UTF-8.
pub fn query_pairs(query: &str) -> Option<Vec<(String, String)>> {
    query
        .split('&')
        .filter(|pair| !pair.is_empty())
        .map(|pair| {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            let text = |part: &str| decode(&part.replace('+', " ")).map(Cow::into_owned);
            Some((text(name)?, text(value)?))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decodes_only_valid_escapes() {
        for (input, expect) in [
            ("a/b", Some("a/b")),
            ("a%2Fb", Some("a/b")),
            ("100%", Some("100%")),
            ("%zz", Some("%zz")),
            ("%C3%A9", Some("é")),
            ("%FF", None),
        ] {
            assert_eq!(decode(input).as_deref(), expect, "{input}");
        }
    }

    #[test]
    fn query_strings_split_into_pairs() {
        let pairs = query_pairs("a=1&a=x+y&b&=c&").unwrap();
        let expect = [("a", "1"), ("a", "x y"), ("b", ""), ("", "c")];
        assert_eq!(pairs, expect.map(|(name, value)| (name.to_owned(), value.to_owned())));
        assert_eq!(query_pairs("a=%FF"), None);
    }
}
