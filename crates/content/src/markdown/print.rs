//! Prints pages as Markdown.

/// Returns a page as Markdown for readers: its title as a heading, and its body as written, without
/// front matter.
#[must_use]
pub fn print(title: &str, body: &str) -> String {
    let body = body.trim_start_matches(['\n', '\r']);
    let mut text = String::with_capacity(title.len() + body.len() + 8);
    text.push_str("# ");
    for c in title.chars() {
        match c {
            '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '~' => text.extend(['\\', c]),
            '\n' | '\r' => text.push(' '),
            c => text.push(c),
        }
    }
    text.push('\n');
    if !body.is_empty() {
        text.push('\n');
        text.push_str(body);
        if !body.ends_with(['\n', '\r']) {
            text.push('\n');
        }
    }
    text
}
