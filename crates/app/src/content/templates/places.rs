//! Placeholders in the texts of templates: targets of the form `template:name`, which are replaced
//! when the template is applied. A line with a placeholder that has no target is removed.

use std::collections::BTreeSet;

/// The prefix of every placeholder.
const PLACE: &str = "template:";

/// Returns the text before the first placeholder in a text, its name, and the text after it.
fn split(text: &str) -> Option<(&str, &str, &str)> {
    let (before, rest) = text.split_once(PLACE)?;
    let is_name = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    let end = rest.find(|c| !is_name(c)).unwrap_or(rest.len());
    let (name, after) = rest.split_at(end);
    Some((before, name, after))
}

/// Adds the names of the placeholders in a text to `names`.
pub(super) fn names(text: &str, names: &mut BTreeSet<String>) {
    let mut rest = text;
    while let Some((_, name, after)) = split(rest) {
        if !name.is_empty() {
            names.insert(name.to_owned());
        }
        rest = after;
    }
}

/// Returns a text with its placeholders filled.
pub(super) fn fill(text: &str, given: &dyn Fn(&str) -> Option<String>) -> String {
    let mut filled = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        filled.push_str(&fill_line(line, given).unwrap_or_default());
    }
    filled
}

/// Returns a line with its placeholders filled; `None` if one of them has no target.
fn fill_line(line: &str, given: &dyn Fn(&str) -> Option<String>) -> Option<String> {
    let mut filled = String::with_capacity(line.len());
    let mut rest = line;
    while let Some((before, name, after)) = split(rest) {
        filled.push_str(before);
        if name.is_empty() {
            filled.push_str(PLACE);
        } else {
            filled.push_str(&given(name)?);
        }
        rest = after;
    }
    filled.push_str(rest);
    Some(filled)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_filled_or_their_lines_left_out() {
        let given = |name: &str| (name == "a").then(|| "x.md".to_owned());
        for (text, expect) in [
            ("no place\n", "no place\n"),
            ("see [it](template:a).\nmore", "see [it](x.md).\nmore"),
            ("one\nsee [it](template:b).\nmore\n", "one\nmore\n"),
            ("[it](template:a) [that](template:b)\n", ""),
            ("a template: this\n", "a template: this\n"),
        ] {
            assert_eq!(fill(text, &given), expect, "{text:?}");
        }
        let mut found = BTreeSet::new();
        names("[](template:a) template: (template:b-2) template:a", &mut found);
        assert_eq!(found.into_iter().collect::<Vec<_>>(), ["a", "b-2"]);
    }
}
