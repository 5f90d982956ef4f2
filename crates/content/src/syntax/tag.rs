//! Block tags: `{% name key="value" %}`.

use std::borrow::Cow;

use crate::work;

/// A block tag.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Tag {
    /// The name in lower case, without a leading `end`.
    pub(crate) name: String,
    /// `true` if the tag closes a tag of the same name.
    pub(crate) is_end: bool,
    /// The text after the name.
    pub(crate) rest: String,
    /// The length of the tag in bytes.
    pub(crate) length: usize,
}

impl Tag {
    /// Parses the tag at the start of `text`.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let length = end(text)?;
        let inner = text.get(2..length.checked_sub(2)?)?;
        let inner = inner.strip_prefix('-').unwrap_or(inner);
        let inner = inner.strip_suffix('-').unwrap_or(inner).trim();
        let name_end = inner.find(char::is_whitespace).unwrap_or(inner.len());
        let (name, rest) = inner.split_at_checked(name_end)?;
        if name.is_empty() {
            return None;
        }
        let mut name = name.to_ascii_lowercase();
        let is_end = name.len() > 3 && name.starts_with("end");
        if is_end {
            name.drain(..3);
        }
        Some(Self { name, is_end, rest: rest.trim().to_owned(), length })
    }

    /// Returns the value of an attribute without backslash escapes. The case of its name is
    /// ignored.
    pub(crate) fn attribute(&self, name: &str) -> Option<String> {
        written_attributes(&self.rest, Escapes::of(&self.name))
            .into_iter()
            .find(|(found, ..)| found.eq_ignore_ascii_case(name))
            .map(|(_, value, quote)| match quote {
                Some(_) if !self.is_integration() => unescape(value).into_owned(),
                Some(quote) => unescape_quotes(value, quote),
                None => value.to_owned(),
            })
    }

    fn is_integration(&self) -> bool {
        Escapes::of(&self.name) == Escapes::Quotes
    }

    /// Returns the value of an attribute if it is not empty.
    pub(crate) fn text(&self, name: &str) -> Option<String> {
        self.attribute(name).filter(|value| !value.is_empty())
    }

    /// Returns the value of a boolean attribute, or `None` if it is neither true nor false.
    pub(crate) fn flag(&self, name: &str) -> Option<bool> {
        match self.attribute(name)?.as_str() {
            "true" | "" => Some(true),
            "false" => Some(false),
            _ => None,
        }
    }
}

/// Returns the length of the tag at the start of `text`, including its `%}`.
///
/// A quoted value ends at the quote before `%}` or before the next ` name=`, so that it can contain
/// quotes, line endings and `%}` itself.
pub(crate) fn end(text: &str) -> Option<usize> {
    let inner = text.strip_prefix("{%")?;
    let offset = |rest: &str| text.len() - rest.len();
    let mut rest = inner.trim_start();
    let first_close = inner.find("%}").map(|at| at + 4);
    work::spend(first_close.unwrap_or(text.len()));
    // Conditions and tags of other systems use quotes in other ways.
    let name = rest.split(|c: char| c.is_whitespace() || c == '%').next().unwrap_or_default();
    if name.is_empty() {
        return first_close;
    }
    let escapes = Escapes::of(name);
    rest = rest.get(name.len()..)?;
    loop {
        rest = rest.trim_start();
        if rest.starts_with("%}") {
            return Some(offset(rest) + 2);
        }
        if rest.starts_with("-%}") {
            return Some(offset(rest) + 3);
        }
        let key = rest.find(|c: char| c == '=' || c == '%' || c.is_whitespace()).unwrap_or(0);
        let after = rest.get(key..)?;
        let Some(value) = after.strip_prefix('=').filter(|_| key > 0) else {
            return first_close;
        };
        match value.chars().next() {
            Some(quote @ ('"' | '\'')) => {
                let body = value.get(1..)?;
                let Some(close) = value_end(body, quote, escapes) else {
                    return first_close;
                };
                rest = body.get(close + 1..)?;
            }
            _ => {
                let bare = value.find(|c: char| c.is_whitespace() || c == '%').unwrap_or(0);
                if bare == 0 {
                    return first_close;
                }
                rest = value.get(bare..)?;
            }
        }
    }
}

/// Returns the offset of the quote that ends a value.
fn value_end(body: &str, quote: char, escapes: Escapes) -> Option<usize> {
    let mut from = 0;
    while let Some(at) = body.get(from..)?.find(quote).map(|at| at + from) {
        work::spend(at - from);
        if !escapes.escape(body, at) && ends_value(body.get(at + 1..)?) {
            return Some(at);
        }
        from = at + 1;
    }
    None
}

/// The characters that backslashes in a tag's values escape.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Escapes {
    /// Punctuation, as in Markdown.
    Punctuation,
    /// Only quotes: values of integrations contain the source of diagrams and formulas.
    Quotes,
}

impl Escapes {
    /// Returns the escapes of tags with this name.
    fn of(name: &str) -> Self {
        if name.starts_with('@') { Self::Quotes } else { Self::Punctuation }
    }

    /// Returns `true` if a backslash escapes the quote at `at`.
    fn escape(self, text: &str, at: usize) -> bool {
        let before = text.as_bytes().get(..at).unwrap_or_default();
        let backslashes = before.iter().rev().take_while(|byte| **byte == b'\\').count();
        work::spend(backslashes);
        match self {
            Self::Punctuation => backslashes % 2 == 1,
            Self::Quotes => backslashes > 0,
        }
    }
}

/// Returns `true` if an attribute name may contain `c`.
fn is_name_character(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | ':')
}

fn ends_value(after: &str) -> bool {
    let rest = after.trim_start();
    if rest.starts_with("%}") || rest.starts_with("-%}") {
        return true;
    }
    let length = rest.find(|c| !is_name_character(c)).unwrap_or(rest.len());
    rest.len() < after.len() && length > 0 && rest.as_bytes().get(length) == Some(&b'=')
}

/// Returns the properties of an integration's tag, in order. Omits text that is not an attribute.
/// Backslashes escape only quotes.
pub(crate) fn properties(text: &str) -> Vec<(String, String)> {
    let unescaped = |(name, value, quote): (&str, &str, Option<char>)| {
        let value = match quote {
            Some(quote) => unescape_quotes(value, quote),
            None => value.to_owned(),
        };
        (name.to_owned(), value)
    };
    written_attributes(text, Escapes::Quotes).into_iter().map(unescaped).collect()
}

/// Returns the attributes of a tag, in order, with their values as written and their quotes.
fn written_attributes(text: &str, escapes: Escapes) -> Vec<(&str, &str, Option<char>)> {
    let mut found = Vec::new();
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        let key = rest.find(|c: char| c == '=' || c.is_whitespace()).unwrap_or(rest.len());
        let (name, after) = rest.split_at_checked(key).unwrap_or((rest, ""));
        // Other text could not be distinguished from the preceding value when it is printed.
        let is_name = name.chars().all(is_name_character);
        let Some(value) = after.strip_prefix('=') else {
            if is_name {
                found.push((name, "", None));
            }
            rest = after.trim_start();
            continue;
        };
        let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''));
        let (value, after) = match quote {
            Some(quote) => {
                let body = value.get(1..).unwrap_or_default();
                let end = last_value_end(body, quote, escapes);
                (body.get(..end).unwrap_or_default(), body.get(end + 1..))
            }
            None => {
                let end = value.find(char::is_whitespace).unwrap_or(value.len());
                (value.get(..end).unwrap_or_default(), value.get(end..))
            }
        };
        if is_name && !name.is_empty() {
            found.push((name, value, quote));
        }
        rest = after.unwrap_or_default().trim_start();
    }
    found
}

/// Returns the end of a value within the attributes alone: before the next ` name=`, otherwise at
/// the last quote.
fn last_value_end(body: &str, quote: char, escapes: Escapes) -> usize {
    let mut last = None;
    let mut from = 0;
    while let Some(at) = body.get(from..).and_then(|rest| rest.find(quote)).map(|at| at + from) {
        work::spend(at - from);
        let after = body.get(at + 1..).unwrap_or_default();
        if !escapes.escape(body, at) {
            if after.trim().is_empty() || ends_value(after) {
                return at;
            }
            last = Some(at);
        }
        from = at + 1;
    }
    last.unwrap_or(body.len())
}

fn unescape_quotes(value: &str, quote: char) -> String {
    value.replace(&format!("\\{quote}"), &quote.to_string())
}

/// Removes the backslashes before punctuation.
pub(crate) fn unescape(value: &str) -> Cow<'_, str> {
    if !value.contains('\\') {
        return Cow::Borrowed(value);
    }
    let mut written = String::with_capacity(value.len());
    let mut characters = value.chars().peekable();
    while let Some(c) = characters.next() {
        let escaped = characters.next_if(|next| c == '\\' && next.is_ascii_punctuation());
        written.push(escaped.unwrap_or(c));
    }
    Cow::Owned(written)
}

/// Escapes a value for use between `"`, so that [`unescape`] returns it.
pub(crate) fn escape(value: &str) -> String {
    let mut written = String::with_capacity(value.len());
    let mut characters = value.chars().peekable();
    while let Some(c) = characters.next() {
        let mut is_escape = || characters.peek().is_none_or(char::is_ascii_punctuation);
        if c == '"' || c == '\\' && is_escape() {
            written.push('\\');
        }
        written.push(c);
    }
    written
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_are_read() {
        for (source, name, is_end, rest, after) in [
            ("{% hint style=\"info\" %} x", "hint", false, "style=\"info\"", " x"),
            ("{%endhint%}", "hint", true, "", ""),
            ("{% END %}", "end", false, "", ""),
            ("{% Code collapsedLineCount=3 %}", "code", false, "collapsedLineCount=3", ""),
            ("{% if a == \"b\" %}z", "if", false, "a == \"b\"", "z"),
            ("{% code title=\"a %} b\" %}z", "code", false, "title=\"a %} b\"", "z"),
            ("{% @m/d content=\"A[\"x\"]-->B\" %}", "@m/d", false, "content=\"A[\"x\"]-->B\"", ""),
            ("{% raw %}{{ a }}", "raw", false, "", "{{ a }}"),
            ("{% x %}\n{% y a=\"b\" %}", "x", false, "", "\n{% y a=\"b\" %}"),
        ] {
            let tag = Tag::parse(source).expect(source);
            assert_eq!(
                (tag.name.as_str(), tag.is_end, tag.rest.as_str()),
                (name, is_end, rest),
                "{source}"
            );
            assert_eq!(source.get(tag.length..), Some(after), "{source}");
        }
        for source in ["{% hint", "{%", "{%%}", "{% %}", "{{ x }}", "{% a='"] {
            assert_eq!(Tag::parse(source), None, "{source}");
        }
    }

    #[test]
    fn escapes_in_values_are_read() {
        for (value, expected) in [
            ("a \\(b\\) \\_c\\_ \\&", "a (b) _c_ &"),
            ("a\\\\", "a\\"),
            ("a\\\"b\\\"", "a\"b\""),
            ("C:\\dir\\x", "C:\\dir\\x"),
            ("\\\\\\(", "\\("),
        ] {
            let source = format!("{{% tab title=\"{value}\" icon=\"x\" %}}");
            let tag = Tag::parse(&source).unwrap();
            assert_eq!(tag.attribute("title").as_deref(), Some(expected), "{value}");
            assert_eq!(tag.attribute("icon").as_deref(), Some("x"), "{value}");
            assert_eq!(unescape(&escape(expected)), expected);
        }
        let tag = Tag::parse("{% embed url=a\\_b %}").unwrap();
        assert_eq!(tag.attribute("url").as_deref(), Some("a\\_b"));
    }

    #[test]
    fn attributes_are_read() {
        for (source, expected) in [
            ("a=\"b\" c='d' e=f g", vec![("a", "b"), ("c", "d"), ("e", "f"), ("g", "")]),
            ("title=\"a \\\"b\\\"\"", vec![("title", "a \"b\"")]),
            (
                "content=\"A[\"x\"] -->\nB\" url=\"u\"",
                vec![("content", "A[\"x\"] -->\nB"), ("url", "u")],
            ),
            ("a=\"unclosed", vec![("a", "unclosed")]),
            ("", vec![]),
        ] {
            let read = properties(source);
            let read: Vec<_> = read.iter().map(|(n, v)| (n.as_str(), v.as_str())).collect();
            assert_eq!(read, expected, "{source}");
        }
    }
}
