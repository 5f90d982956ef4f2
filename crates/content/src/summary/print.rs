//! Prints entries of a table of contents in the style of the dialect's exporter.

use super::{EntryKind, Item};
use crate::reference::{destination, relative};
use crate::{emoji, yaml};

/// Prints an entry, without its bullet or `#` characters. Later lines are aligned with the first.
pub(super) fn content(item: &Item, path: &str) -> Vec<String> {
    match &item.kind {
        EntryKind::Group { slug } => {
            let mut title = title(item);
            if title.ends_with('#') {
                title.insert(title.len() - 1, '\\');
            }
            let gap = if title.is_empty() { "" } else { " " };
            let anchor = slug.as_ref().map(|slug| {
                let slug = attribute(slug);
                format!("{gap}<a href=\"#{slug}\" id=\"{slug}\"></a>")
            });
            vec![title + &anchor.unwrap_or_default()]
        }
        EntryKind::Page { path: page } => vec![link(item, &relative(path, page, false))],
        EntryKind::Link { target } => vec![link(item, target)],
        EntryKind::Text if item.title.is_empty() && item.emoji.is_none() => vec!["[]()".to_owned()],
        EntryKind::Text => vec![text(&title(item))],
        EntryKind::Computed { source } => {
            let lines = yaml::lines(source);
            let longest = lines
                .iter()
                .map(|line| line.split(|c| c != '`').map(str::len).max().unwrap_or_default());
            let fence = "`".repeat((longest.max().unwrap_or_default() + 1).max(3));
            let first = format!("{fence}yaml");
            std::iter::once(first).chain(lines).chain([fence]).collect()
        }
    }
}

fn link(item: &Item, target: &str) -> String {
    let link_title = item.link_title.as_ref().map(|title| {
        let title = entities(&one_line(title)).replace('\\', "\\\\").replace('"', "\\\"");
        format!(" \"{title}\"")
    });
    format!("[{}]({}{})", title(item), destination(target), link_title.unwrap_or_default())
}

fn title(item: &Item) -> String {
    let mut written = String::with_capacity(item.title.len() + 8);
    if let Some(emoji) = item.emoji.as_deref().and_then(emoji::text) {
        written.push_str(&emoji);
        written.push(' ');
    }
    let title = one_line(&item.title);
    let has_entities = crate::syntax::markup::unescape(&title) != title;
    for c in title.chars() {
        match c {
            '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '~' => written.extend(['\\', c]),
            '&' if has_entities => written.extend(['\\', c]),
            c => written.push(c),
        }
    }
    written
}

/// Escapes standalone text whose start could be parsed as the start of a block.
fn text(title: &str) -> String {
    let digits = title.bytes().take_while(u8::is_ascii_digit).count();
    let (number, rest) = title.split_at_checked(digits).unwrap_or(("", title));
    if digits > 0 && rest.starts_with(['.', ')']) {
        return format!("{number}\\{rest}");
    }
    if title.starts_with(['#', '-', '+', '>', '=']) {
        return format!("\\{title}");
    }
    title.to_owned()
}

fn one_line(text: &str) -> String {
    text.split(['\n', '\r']).map(str::trim).collect::<Vec<_>>().join(" ").trim().to_owned()
}

fn entities(text: &str) -> String {
    if crate::syntax::markup::unescape(text) == text {
        text.to_owned()
    } else {
        text.replace('&', "&amp;")
    }
}

fn attribute(text: &str) -> String {
    text.replace('"', "").replace(['\n', '\r'], " ")
}
