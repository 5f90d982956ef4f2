//! Prints code: as a fenced block, within a tag if it has attributes, or as HTML if its lines have
//! markup.

use super::block::{flag_attribute, some_attribute};
use super::escape::{attribute, longest_run};
use crate::document::{Code, CodeLine, Inline};

/// Prints code as a fenced block, within a tag if it has more than a language, or as `<pre>` if
/// lines have markup.
pub(super) fn print(code: &Code, rich: &dyn Fn(&[Inline]) -> String) -> String {
    let mut tag = "code".to_owned();
    some_attribute("title", code.title.as_deref(), &mut tag);
    let overflow = code.wrap.map(|wrap| if wrap { "wrap" } else { "scroll" });
    some_attribute("overflow", overflow, &mut tag);
    flag_attribute("lineNumbers", code.line_numbers, &mut tag);
    flag_attribute("fullWidth", code.full_width, &mut tag);
    flag_attribute("expandable", code.expandable, &mut tag);
    let lines = code.collapsed_line_count.map(|count| count.to_string());
    some_attribute("collapsedLineCount", lines.as_deref(), &mut tag);
    let is_rich = |line: &CodeLine| line.highlighted || !line.rich.is_empty();
    let is_marked = code.lines.iter().any(|line| is_rich(&line.kind));
    if is_marked && code.collapsed_line_count.is_none() {
        return marked_code(code, rich);
    }
    let body = if is_marked { marked_lines(code, "<pre>".to_owned(), rich) } else { fenced(code) };
    if tag == "code" { body } else { format!("{{% {tag} %}}\n{body}\n{{% endcode %}}") }
}

fn fenced(code: &Code) -> String {
    let longest = code.lines.iter().map(|line| longest_run(&line.kind.text, '`')).max();
    let fence = "`".repeat(longest.map_or(3, |longest| (longest + 1).max(3)));
    let mut text = fence.clone();
    text.push_str(&super::escape::info(code.syntax.as_deref().unwrap_or_default()));
    text.push('\n');
    if !matches!(code.lines.as_slice(), [only] if only.kind.text.is_empty()) {
        for line in &code.lines {
            text.push_str(&line.kind.text);
            text.push('\n');
        }
    }
    text + &fence
}

/// Prints code in a table cell. Replaces empty lines, which would end the table.
pub(super) fn in_cell(code: &Code, rich: &dyn Fn(&[Inline]) -> String) -> String {
    let mut open = opening(code);
    let lines = code.collapsed_line_count.map(|count| count.to_string());
    if let Some(lines) = lines {
        open.insert_str(open.len() - 1, &format!(" data-collapsed-line-count=\"{lines}\""));
    }
    let text = marked_lines(code, open, rich);
    let mut kept = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let content = line.strip_suffix('\n').unwrap_or(line);
        if content.trim().is_empty() && content.len() < line.len() {
            kept.push_str(content);
            kept.push_str("<br>");
        } else {
            kept.push_str(line);
        }
    }
    kept
}

fn marked_code(code: &Code, rich: &dyn Fn(&[Inline]) -> String) -> String {
    marked_lines(code, opening(code), rich)
}

fn opening(code: &Code) -> String {
    let mut open = "<pre".to_owned();
    if let Some(syntax) = &code.syntax {
        attribute("class", &format!("language-{syntax}"), &mut open);
    }
    if let Some(title) = &code.title {
        attribute("data-title", title, &mut open);
    }
    if let Some(wrap) = code.wrap {
        attribute("data-overflow", if wrap { "wrap" } else { "scroll" }, &mut open);
    }
    for (name, flag) in [
        ("data-line-numbers", code.line_numbers),
        ("data-full-width", code.full_width),
        ("data-expandable", code.expandable),
    ] {
        if let Some(flag) = flag {
            attribute(name, if flag { "true" } else { "false" }, &mut open);
        }
    }
    open + ">"
}

fn marked_lines(code: &Code, mut text: String, rich: &dyn Fn(&[Inline]) -> String) -> String {
    text.push_str("<code");
    if let Some(syntax) = &code.syntax {
        attribute("class", &format!("lang-{syntax}"), &mut text);
    }
    text.push('>');
    for line in &code.lines {
        if line.kind.highlighted {
            text.push_str("<strong>");
        }
        if !line.kind.rich.is_empty() {
            text.push_str(&rich(&line.kind.rich));
            text.push_str(if line.kind.highlighted { "\n</strong>" } else { "\n" });
            continue;
        }
        let start = line.kind.text.trim_start();
        let is_fence = start.starts_with("```") || start.starts_with("~~~");
        for (at, c) in line.kind.text.char_indices() {
            let opens = is_fence && at + start.len() == line.kind.text.len();
            if opens || matches!(c, '&' | '<') {
                super::escape::entity(c, &mut text);
            } else {
                text.push(c);
            }
        }
        text.push('\n');
        if line.kind.highlighted {
            text.push_str("</strong>");
        }
    }
    text.push_str("</code></pre>");
    text
}
