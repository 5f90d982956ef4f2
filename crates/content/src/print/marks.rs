//! Prints text with its marks. The longest run is outermost, and delimiters are used only where
//! they parse as such.

use std::collections::HashSet;

use super::escape::{self, entity, is_entity, is_shortcode};
use super::inline::{Escaping, Line, LineKind};
use crate::document::{Color, ColorMark, Leaf, Marks};
use crate::markdown::adjoins_emphasis;

/// A mark that encloses text. The order is the order of nesting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mark {
    Strikethrough,
    Italic,
    Color(ColorMark),
    Bold,
    Keyboard,
    Superscript,
    Subscript,
}

fn marks_of(leaf: &Leaf, open: Marks) -> impl Iterator<Item = Mark> {
    let marks = leaf.marks;
    let color = if open.color.is_some() { None } else { marks.color };
    [
        (marks.strikethrough && !open.strikethrough).then_some(Mark::Strikethrough),
        (marks.italic && !open.italic).then_some(Mark::Italic),
        color.map(Mark::Color),
        (marks.bold && !open.bold).then_some(Mark::Bold),
        (marks.keyboard && !open.keyboard).then_some(Mark::Keyboard),
        (marks.superscript && !open.superscript).then_some(Mark::Superscript),
        (marks.subscript && !open.subscript).then_some(Mark::Subscript),
    ]
    .into_iter()
    .flatten()
}

fn with(mark: Mark, mut open: Marks) -> Marks {
    match mark {
        Mark::Strikethrough => open.strikethrough = true,
        Mark::Italic => open.italic = true,
        Mark::Color(color) => open.color = Some(color),
        Mark::Bold => open.bold = true,
        Mark::Keyboard => open.keyboard = true,
        Mark::Superscript => open.superscript = true,
        Mark::Subscript => open.subscript = true,
    }
    open
}

/// Returns the first character of a leaf as it will be written, or a character of the same class.
pub(super) fn first_character(leaf: &Leaf) -> Option<char> {
    let marks = Marks { code: false, ..leaf.marks };
    if leaf.is_markup {
        return Some('<');
    }
    if marks != Marks::default() {
        Some('*')
    } else if leaf.marks.code {
        Some('`')
    } else {
        leaf.text.chars().next()
    }
}

/// Writes leaves within the marks that are already open. `next` is the character that follows them.
pub(super) fn leaves(line: &mut Line<'_>, leaves: &[Leaf], open: Marks, next: Option<char>) {
    let mut index = 0;
    while let Some(leaf) = leaves.get(index) {
        let run = |mark: Mark| {
            let rest = leaves.get(index..).unwrap_or_default();
            rest.iter().take_while(|leaf| marks_of(leaf, open).any(|other| other == mark)).count()
        };
        let mut longest: Option<(Mark, usize)> = None;
        for mark in marks_of(leaf, open) {
            let length = run(mark);
            if longest.is_none_or(|(_, found)| length > found) {
                longest = Some((mark, length));
            }
        }
        let length = longest.map_or(1, |(_, length)| length);
        let following = leaves.get(index + length);
        let following = following.map_or(next, first_character);
        match longest {
            Some((mark, _)) => {
                let inner = leaves.get(index..index + length).unwrap_or_default();
                marked(line, mark, inner, with(mark, open), following);
            }
            None if leaf.is_markup && leaf.marks.code => {
                line.out.push_str(&format!("<code>{}</code>", leaf.text));
            }
            None if leaf.is_markup => line.out.push_str(&leaf.text),
            None if leaf.marks.code => code(line, &leaf.text),
            None => text(line, &leaf.text, following),
        }
        index += length;
    }
}

fn marked(line: &mut Line<'_>, mark: Mark, inner: &[Leaf], open: Marks, next: Option<char>) {
    let (element, delimiter) = match mark {
        Mark::Strikethrough => ("del", Some("~~")),
        Mark::Italic => ("em", Some("_")),
        Mark::Bold => ("strong", Some("**")),
        Mark::Color(_) => ("mark", None),
        Mark::Keyboard => ("kbd", None),
        Mark::Superscript => ("sup", None),
        Mark::Subscript => ("sub", None),
    };
    let start = line.out.len();
    let delimiter = delimiter.filter(|_| !line.is_html() && line.escaping <= Escaping::Escaped);
    if let Some(delimiter) = delimiter {
        line.out.push_str(delimiter);
        let content = line.out.len();
        leaves(line, inner, open, delimiter.chars().next());
        let before = line.out.get(..start).unwrap_or_default();
        let inside = line.out.get(content..).unwrap_or_default();
        if is_delimited(delimiter, before, inside, next) {
            line.out.push_str(delimiter);
            return;
        }
        if delimiter == "_" && is_delimited("*", before, inside, next) {
            line.out.replace_range(start..content, "*");
            line.out.push('*');
            return;
        }
        line.out.truncate(start);
    }
    line.out.push('<');
    line.out.push_str(element);
    if let Mark::Color(color) = mark {
        line.attribute("style", &style(color));
    }
    line.out.push('>');
    leaves(line, inner, open, Some('<'));
    line.out.push_str("</");
    line.out.push_str(element);
    line.out.push('>');
}

fn style(color: ColorMark) -> String {
    let mut style = String::new();
    if color.text != Color::Default || color.background == Color::Default {
        style.push_str(&format!("color:{};", color.text.css()));
    }
    if color.background != Color::Default {
        style.push_str(&format!("background-color:{};", color.background.css()));
    }
    style
}

/// Returns `true` if these delimiters around `inside` certainly open and close by the dialect's
/// rules.
fn is_delimited(delimiter: &str, before: &str, inside: &str, next: Option<char>) -> bool {
    let Some(mark) = delimiter.chars().next() else {
        return false;
    };
    let (Some(first), Some(last)) = (inside.chars().next(), inside.chars().last()) else {
        return false;
    };
    let previous = before.chars().last();
    let is_space = |c: Option<char>| c.is_none_or(char::is_whitespace);
    let is_edge = |c: Option<char>| is_space(c) || c.is_some_and(|c| c.is_ascii_punctuation());
    let is_word = |c: char| c.is_alphanumeric();
    // Adjacent delimiters count as one run.
    let escaped = |text: &str| text.ends_with(&format!("\\{mark}"));
    if previous == Some(mark) && !escaped(before)
        || first == mark
        || last == mark && !escaped(inside)
        || next == Some(mark)
    {
        return false;
    }
    // Beside characters of some scripts, delimiters other than `_` both open and close.
    let opens_beside = previous.is_some_and(|previous| adjoins_emphasis(previous, first));
    let closes_beside = next.is_some_and(|next| adjoins_emphasis(last, next));
    let is_opening = is_word(first) || is_edge(previous) || mark != '_' && opens_beside;
    let is_closing = is_word(last) || is_edge(next) || mark != '_' && closes_beside;
    let opens = !first.is_whitespace() && is_opening;
    let closes = !last.is_whitespace() && is_closing;
    let alone = mark != '_' || is_edge(previous) && is_edge(next);
    opens && closes && alone
}

/// Writes a code span.
fn code(line: &mut Line<'_>, text: &str) {
    let in_html = line.is_html() || line.escaping == Escaping::Full || text.contains(['\n', '\r']);
    if in_html {
        line.out.push_str("<code>");
        self::text(line, text, Some('<'));
        line.out.push_str("</code>");
        return;
    }
    let fence = "`".repeat(unused_run_length(text));
    let touches = text.starts_with('`') || text.ends_with('`');
    let would_be_trimmed = text.starts_with(' ') && text.ends_with(' ') && !text.trim().is_empty();
    let pad = if touches || would_be_trimmed { " " } else { "" };
    line.separate_from("$`");
    line.out.push_str(&fence);
    line.out.push_str(pad);
    if line.kind == LineKind::Cell {
        line.out.push_str(&text.replace('|', "\\|"));
    } else {
        line.out.push_str(text);
    }
    line.out.push_str(pad);
    line.out.push_str(&fence);
}

/// Returns the smallest number of backticks that does not occur as a run in the text.
fn unused_run_length(text: &str) -> usize {
    let runs: HashSet<usize> = text.split(|c| c != '`').map(str::len).collect();
    (1..).find(|length| !runs.contains(length)).unwrap_or(1)
}

/// Writes text and escapes its special characters.
fn text(line: &mut Line<'_>, text: &str, next: Option<char>) {
    if line.escaping == Escaping::Literal {
        return literal_text(line, text, next);
    }
    if line.is_html() {
        return html_text(line, text);
    }
    let full = line.escaping != Escaping::Plain;
    let mut previous = None;
    // The offset from which `#` would close a heading.
    let closing = text.trim_end().trim_end_matches('#').len();
    for (at, c) in text.char_indices() {
        let ahead = text.get(at..).unwrap_or_default();
        let following = ahead.chars().nth(1).or(next);
        let at_start = line.at_line_start();
        match c {
            '\n' => line_break(line, ahead.len() == 1 && next.is_none()),
            ' ' | '\t' | '\u{b}' | '\u{c}' if at_start || following == Some('\n') => {
                entity(c, &mut line.out);
            }
            '\r' => entity(c, &mut line.out),
            '\\' | '`' | '*' | '_' | '<' | '~' | '[' => line.out.extend(['\\', c]),
            ']' if line.in_link || full => line.out.extend(['\\', c]),
            '&' if is_entity(ahead) || full => line.out.extend(['\\', c]),
            ':' if is_shortcode(ahead) || next == Some(':') && ends_shortcode(ahead) || full => {
                entity(c, &mut line.out);
            }
            '$' if full
                || previous == Some('$')
                || following == Some('$')
                || at == 0 && line.out.ends_with('$') =>
            {
                line.out.extend(['\\', c]);
            }
            '|' if line.kind == LineKind::Cell => {
                if full {
                    entity(c, &mut line.out)
                } else {
                    line.out.push_str("\\|")
                }
            }
            '!' if full && following == Some('[') => line.out.push_str("\\!"),
            '{' if matches!(following, Some('%' | '{')) => line.out.push_str("\\{"),
            '}' if following == Some('}') => line.out.push_str("\\}"),
            '#' if line.kind == LineKind::Heading && next.is_none() && at >= closing => {
                line.out.push_str("\\#");
            }
            c if at_start && line.kind == LineKind::Paragraph => line_start(line, c, ahead),
            '.' | ')' if line.kind == LineKind::Paragraph && after_number(&line.out, following) => {
                line.out.extend(['\\', c]);
            }
            c => line.out.push(c),
        }
        previous = Some(c);
    }
}

/// Writes a hard line break.
fn line_break(line: &mut Line<'_>, is_last: bool) {
    if line.kind == LineKind::Paragraph && !is_last {
        line.out.push_str("\\\n");
    } else {
        line.out.push_str("<br>");
    }
}

/// Writes a character at the start of a line, where it could begin a block.
fn line_start(line: &mut Line<'_>, c: char, ahead: &str) {
    let next = ahead.chars().nth(1);
    let ends_marker = next.is_none_or(|next| matches!(next, ' ' | '\t' | '\n'));
    let is_special = match c {
        '#' | '>' | '=' => true,
        '-' => ends_marker || next == Some('-') || is_delimiter_row(ahead),
        '+' => ends_marker,
        '|' | ':' => is_delimiter_row(ahead),
        _ => false,
    };
    if is_special {
        line.out.push('\\');
    }
    line.out.push(c);
}

/// Returns `true` if a line could be the delimiter row of a table.
fn is_delimiter_row(ahead: &str) -> bool {
    let row = ahead.split('\n').next().unwrap_or_default();
    row.contains('-') && row.chars().all(|c| matches!(c, '|' | ':' | '-' | ' ' | '\t'))
}

/// Returns `true` if the line so far is a number that a following dot would turn into a list
/// marker.
fn after_number(out: &str, next: Option<char>) -> bool {
    let digits = out.bytes().rev().take(10).take_while(u8::is_ascii_digit).count();
    let before = out.as_bytes().get(..out.len() - digits).unwrap_or_default();
    (1..10).contains(&digits)
        && matches!(before, [] | [.., b'\n'])
        && next.is_none_or(|next| matches!(next, ' ' | '\t' | '\n'))
}

/// Returns `true` if `ahead` would be a shortcode if a colon followed it.
fn ends_shortcode(ahead: &str) -> bool {
    is_shortcode(&format!("{}:", ahead.get(..ahead.len().min(64)).unwrap_or_default()))
}

/// Writes text with entities for everything except letters, digits and inner spaces.
fn literal_text(line: &mut Line<'_>, text: &str, next: Option<char>) {
    let mut characters = text.chars().peekable();
    while let Some(c) = characters.next() {
        let following = characters.peek().copied().or(next);
        let is_edge = line.at_line_start()
            || line.out.ends_with([' ', '\n', '>'])
            || following.is_none_or(|next| next.is_whitespace() || next == '<');
        match c {
            '\n' => line.out.push_str("<br>"),
            ' ' if !is_edge => line.out.push(' '),
            c if c.is_ascii_alphanumeric() || !c.is_ascii() && !c.is_whitespace() => {
                line.out.push(c);
            }
            c => entity(c, &mut line.out),
        }
    }
}

fn html_text(line: &mut Line<'_>, text: &str) {
    let mut previous = None;
    for (at, c) in text.char_indices() {
        let ahead = text.get(at..).unwrap_or_default();
        match c {
            '\n' => line.out.push_str("<br>"),
            '&' | '<' | '\r' => entity(c, &mut line.out),
            ':' if is_shortcode(ahead) => entity(c, &mut line.out),
            '$' if previous == Some('$') || ahead.starts_with("$$") => entity(c, &mut line.out),
            c => line.out.push(c),
        }
        previous = Some(c);
    }
}

/// Returns `true` if a text consists of characters that are never special within a line.
pub(super) fn is_literal(text: &str) -> bool {
    let safe =
        |c: char| c.is_alphanumeric() || matches!(c, ' ' | ',' | ';' | '"' | '\'' | '(' | '?');
    let words = |c: char| c.is_alphabetic();
    text.starts_with(words)
        && !text.ends_with(' ')
        && text.chars().all(|c| safe(c) || c == '.' || c == ')')
        && escape::longest_run(text, ' ') < 2
}
