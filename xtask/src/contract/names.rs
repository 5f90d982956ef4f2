//! Conversion of names in the contract to Rust names.

/// Converts a name such as `site-spaces` to a module name.
pub(super) fn module(text: &str) -> String {
    text.replace('-', "_")
}

/// Converts `listSites`, `share-link`, `pt-br` or `builtin:openapi` to a type or variant name.
pub(super) fn pascal(text: &str) -> String {
    let mut out = String::new();
    for word in text.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty()) {
        let (first, rest) = word.split_at(1);
        out.push_str(&first.to_ascii_uppercase());
        out.push_str(rest);
    }
    if out.starts_with(|c: char| c.is_ascii_digit()) {
        out.insert(0, 'N');
    }
    if out == "Self" {
        // A keyword of Rust.
        out.push_str("Value");
    }
    out
}

/// Converts `photoURL` to a field name: `photo_url`.
pub(super) fn snake(text: &str) -> String {
    let letters: Vec<char> = text.chars().collect();
    let mut out = String::new();
    for (index, letter) in letters.iter().enumerate() {
        let before = index.checked_sub(1).and_then(|i| letters.get(i));
        let after = letters.get(index + 1);
        let starts_word = letter.is_ascii_uppercase()
            && before.is_some_and(|b| {
                b.is_ascii_lowercase()
                    || b.is_ascii_digit()
                    || (b.is_ascii_uppercase() && after.is_some_and(char::is_ascii_lowercase))
            });
        if starts_word {
            out.push('_');
        }
        out.push(letter.to_ascii_lowercase());
    }
    out.replace('-', "_")
}

/// Converts a field as serde does with `rename_all = "camelCase"`.
pub(super) fn camel(field: &str) -> String {
    let mut words = field.split('_');
    let first = words.next().unwrap_or_default().to_owned();
    words.fold(first, |out, word| out + &pascal(word))
}

/// Returns the field name, escaped if it is a Rust keyword.
pub(super) fn field(json: &str) -> String {
    const KEYWORDS: [&str; 8] = ["type", "ref", "move", "match", "use", "where", "loop", "for"];
    let name = snake(json);
    if KEYWORDS.contains(&name.as_str()) { format!("r#{name}") } else { name }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_follow_rust_conventions() {
        assert_eq!(pascal("listSites"), "ListSites");
        assert_eq!(pascal("share-link"), "ShareLink");
        assert_eq!(pascal("builtin:openapi"), "BuiltinOpenapi");
        assert_eq!(pascal("free_2024"), "Free2024");
        for (json, expect) in [
            ("photoURL", "photo_url"),
            ("createdByGitBook", "created_by_git_book"),
            ("noIndex", "no_index"),
            ("repoCacheID", "repo_cache_id"),
            ("plus_2024", "plus_2024"),
            ("tableOfContents", "table_of_contents"),
        ] {
            assert_eq!(snake(json), expect);
        }
        assert_eq!(field("type"), "r#type");
        assert_eq!(camel("table_of_contents"), "tableOfContents");
        assert_eq!(camel("plus_2024"), "plusN2024");
    }
}
