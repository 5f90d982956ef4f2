//! The title, the site and the icon that the head of an HTML page names.

use super::MAX_TITLE;

/// The parts of a page that describe it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Metadata {
    pub(super) title: Option<String>,
    pub(super) site: Option<String>,
    /// The address of an icon, possibly relative to that of the page.
    pub(super) icon: Option<String>,
}

/// Reads the head of a page. The time is linear in the length of the page.
pub(super) fn read(page: &str) -> Metadata {
    let mut found = Metadata::default();
    let mut heading = None;
    let mut rest = page;
    while let Some(start) = rest.find('<') {
        rest = rest.get(start + 1..).unwrap_or_default();
        let name: String =
            rest.chars().take_while(char::is_ascii_alphabetic).take(8).collect::<String>();
        match name.to_ascii_lowercase().as_str() {
            "body" => break,
            "title" if heading.is_none() => {
                let text = rest.split_once('>').map_or("", |(_, text)| text);
                heading = text_of(text.split('<').next().unwrap_or_default());
            }
            "meta" => {
                let attributes = attributes(rest);
                let name = attributes.get("property").or(attributes.get("name"));
                let content = || attributes.get("content").and_then(text_of);
                match name.map(str::to_ascii_lowercase).as_deref() {
                    Some("og:title") => found.title = found.title.or_else(content),
                    Some("og:site_name") => found.site = found.site.or_else(content),
                    _ => {}
                }
            }
            "link" if found.icon.is_none() => {
                let attributes = attributes(rest);
                let relation = attributes.get("rel").unwrap_or_default().to_ascii_lowercase();
                if relation.split_ascii_whitespace().any(|one| one == "icon") {
                    found.icon = attributes.get("href").and_then(text_of);
                }
            }
            _ => {}
        }
    }
    found.title = found.title.or(heading);
    found
}

/// The attributes of a tag.
struct Attributes<'a>(Vec<(&'a str, &'a str)>);

impl<'a> Attributes<'a> {
    fn get(&self, name: &str) -> Option<&'a str> {
        self.0.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| *value)
    }
}

/// Maximum length of a tag in bytes, and of the attributes that are read of it.
const MAX_TAG: usize = 4_096;
const MAX_ATTRIBUTES: usize = 20;

/// Reads the attributes of a tag. `tag` begins with its name.
fn attributes(tag: &str) -> Attributes<'_> {
    let tag = tag.get(..tag.floor_char_boundary(MAX_TAG)).unwrap_or(tag);
    let mut rest = tag.trim_start_matches(|c: char| c.is_ascii_alphabetic());
    let mut found = Vec::new();
    while found.len() < MAX_ATTRIBUTES {
        rest = rest.trim_start_matches(|c: char| c.is_whitespace() || c == '/');
        let end = rest.find(|c: char| c.is_whitespace() || matches!(c, '=' | '>' | '/'));
        let (name, after) = rest.split_at(end.unwrap_or(rest.len()));
        if name.is_empty() {
            break;
        }
        let after = after.trim_start();
        let Some(value) = after.strip_prefix('=') else {
            rest = after;
            continue;
        };
        let value = value.trim_start();
        let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''));
        let (value, after) = match quote {
            Some(quote) => value.get(1..).unwrap_or_default().split_once(quote).unwrap_or_default(),
            None => {
                let end = value.find(|c: char| c.is_whitespace() || c == '>');
                value.split_at(end.unwrap_or(value.len()))
            }
        };
        found.push((name, value));
        rest = after;
    }
    Attributes(found)
}

/// Returns a text without references to characters, line breaks and control characters; `None` if
/// nothing is left.
fn text_of(text: &str) -> Option<String> {
    let mut out = String::new();
    let mut rest = text;
    while let Some(start) = rest.find('&') {
        let (before, after) = rest.split_at(start);
        out.push_str(before);
        let reference = after.get(1..).and_then(|after| after.split_once(';'));
        let decoded = reference
            .filter(|(name, _)| name.len() <= 8)
            .and_then(|(name, after)| Some((character(name)?, after)));
        match decoded {
            Some((character, after)) => {
                out.push(character);
                rest = after;
            }
            None => {
                out.push('&');
                rest = after.get(1..).unwrap_or_default();
            }
        }
    }
    out.push_str(rest);
    let words: Vec<&str> = out.split(|c: char| c.is_whitespace() || c.is_control()).collect();
    let words: Vec<&str> = words.into_iter().filter(|word| !word.is_empty()).collect();
    let text: String = words.join(" ").chars().take(MAX_TITLE).collect();
    (!text.is_empty()).then_some(text)
}

fn character(name: &str) -> Option<char> {
    match name {
        "amp" => Some('&'),
        "lt" => Some('<'),
        "gt" => Some('>'),
        "quot" => Some('"'),
        "apos" => Some('\''),
        "nbsp" => Some(' '),
        _ => {
            let number = name.strip_prefix('#')?;
            let number = match number.strip_prefix(['x', 'X']) {
                Some(hexadecimal) => u32::from_str_radix(hexadecimal, 16).ok()?,
                None => number.parse().ok()?,
            };
            char::from_u32(number)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_head_of_a_page_describes_it() {
        let page = "<!doctype html><head><TITLE>\n A &amp; B </TITLE>\
            <meta property='og:site_name' content=\"The &#x53;ite\"><meta name=x content=y>\
            <link rel=\"shortcut icon\" href=/icon.png></head><body><title>no</title>";
        let found = read(page);
        assert_eq!(found.title.as_deref(), Some("A & B"));
        assert_eq!(found.site.as_deref(), Some("The Site"));
        assert_eq!(found.icon.as_deref(), Some("/icon.png"));
        let found = read("<title>a</title><meta content='Better' property=og:title>");
        assert_eq!(found.title.as_deref(), Some("Better"));
        for page in
            ["", "<", "<title", "<meta content=", "<meta a b c =\"", "<link rel=icon href='"]
        {
            let found = read(page);
            assert_eq!((found.title, found.icon), (None, None), "{page}");
        }
    }
}
