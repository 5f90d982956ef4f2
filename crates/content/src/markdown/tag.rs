//! Block tags: `{% name key="value" %}`.

use super::work;

/// A block tag as it is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Tag {
    /// The name in lower case, without a leading `end`.
    pub(crate) name: String,
    /// Whether it ends what a tag of the same name began.
    pub(crate) is_end: bool,
    /// What follows the name.
    pub(crate) rest: String,
    /// The length of the tag in bytes.
    pub(crate) length: usize,
}

impl Tag {
    /// Reads the tag that `text` begins with.
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

    /// The value of an attribute, whatever the case of its name.
    pub(crate) fn attribute(&self, name: &str) -> Option<String> {
        attributes(&self.rest)
            .into_iter()
            .find(|(found, _)| found.eq_ignore_ascii_case(name))
            .map(|(_, value)| value)
    }

    /// The value of an attribute that is not empty.
    pub(crate) fn text(&self, name: &str) -> Option<String> {
        self.attribute(name).filter(|value| !value.is_empty())
    }

    /// An attribute that is true or false; absent where it is neither.
    pub(crate) fn flag(&self, name: &str) -> Option<bool> {
        match self.attribute(name)?.as_str() {
            "true" | "" => Some(true),
            "false" => Some(false),
            _ => None,
        }
    }
}

/// The length of the tag that `text` begins with, up to and with its `%}`.
///
/// A value in double quotes ends at the quote before `%}` or before the next ` name=`, so that
/// it can hold quotes, line ends and `%}` itself.
pub(crate) fn end(text: &str) -> Option<usize> {
    let inner = text.strip_prefix("{%")?;
    let offset = |rest: &str| text.len() - rest.len();
    let mut rest = inner.trim_start();
    let first_close = inner.find("%}").map(|at| at + 4);
    work::spend(first_close.unwrap_or(text.len()));
    // Conditions and tags of other systems hold quotes of their own kind.
    let name = rest.split(|c: char| c.is_whitespace() || c == '%').next().unwrap_or_default();
    if name.is_empty() {
        return first_close;
    }
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
                let Some(close) = value_end(body, quote) else {
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

/// Where the quote is that ends a value.
fn value_end(body: &str, quote: char) -> Option<usize> {
    let mut from = 0;
    while let Some(at) = body.get(from..)?.find(quote).map(|at| at + from) {
        work::spend(at - from);
        let escaped = body.as_bytes().get(..at)?.last() == Some(&b'\\');
        if !escaped && ends_value(body.get(at + 1..)?) {
            return Some(at);
        }
        from = at + 1;
    }
    None
}

/// Returns `true` if a name of an attribute may hold `c`.
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

/// The attributes of a tag, in order. Text that is no attribute is left out.
pub(crate) fn attributes(text: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        let key = rest.find(|c: char| c == '=' || c.is_whitespace()).unwrap_or(rest.len());
        let (name, after) = rest.split_at_checked(key).unwrap_or((rest, ""));
        // What is no name cannot be told from the value before it once it is written.
        let is_name = name.chars().all(is_name_character);
        let Some(value) = after.strip_prefix('=') else {
            if is_name {
                found.push((name.to_owned(), String::new()));
            }
            rest = after.trim_start();
            continue;
        };
        let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''));
        let (value, after) = match quote {
            Some(quote) => {
                let body = value.get(1..).unwrap_or_default();
                let end = last_value_end(body, quote);
                (unescape(body.get(..end).unwrap_or_default(), quote), body.get(end + 1..))
            }
            None => {
                let end = value.find(char::is_whitespace).unwrap_or(value.len());
                (value.get(..end).unwrap_or_default().to_owned(), value.get(end..))
            }
        };
        if is_name && !name.is_empty() {
            found.push((name.to_owned(), value));
        }
        rest = after.unwrap_or_default().trim_start();
    }
    found
}

/// Where a value ends within the attributes alone: before the next ` name=`, else at the last
/// quote.
fn last_value_end(body: &str, quote: char) -> usize {
    let mut last = None;
    let mut from = 0;
    while let Some(at) = body.get(from..).and_then(|rest| rest.find(quote)).map(|at| at + from) {
        work::spend(at - from);
        let escaped = body.as_bytes().get(..at).and_then(<[u8]>::last) == Some(&b'\\');
        let after = body.get(at + 1..).unwrap_or_default();
        if !escaped {
            if after.trim().is_empty() || ends_value(after) {
                return at;
            }
            last = Some(at);
        }
        from = at + 1;
    }
    last.unwrap_or(body.len())
}

fn unescape(value: &str, quote: char) -> String {
    if value.contains('\\') {
        value.replace(&format!("\\{quote}"), &quote.to_string())
    } else {
        value.to_owned()
    }
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
            let read = attributes(source);
            let read: Vec<_> = read.iter().map(|(n, v)| (n.as_str(), v.as_str())).collect();
            assert_eq!(read, expected, "{source}");
        }
    }
}
