//! Prints pages as Markdown.

/// Returns a page as Markdown for readers: its title as a heading, its description as a paragraph,
/// and its body as written, without front matter.
#[must_use]
pub fn print(title: &str, description: Option<&str>, body: &str) -> String {
    let body = body.trim_start_matches(['\n', '\r']);
    let mut text = String::with_capacity(title.len() + body.len() + 8);
    text.push_str("# ");
    push_escaped(&mut text, title);
    text.push('\n');
    let description = description.map(|text| text.split_whitespace().collect::<Vec<_>>().join(" "));
    if let Some(description) = description.filter(|text| !text.is_empty()) {
        text.push('\n');
        // The first character could begin a list, a quotation or a heading.
        if description.starts_with(['#', '>', '-', '+', '=', '|', '{']) {
            text.push('\\');
        }
        push_escaped(&mut text, &description);
        text.push('\n');
    }
    if !body.is_empty() {
        text.push('\n');
        text.push_str(body);
        if !body.ends_with(['\n', '\r']) {
            text.push('\n');
        }
    }
    text
}

fn push_escaped(text: &mut String, line: &str) {
    for c in line.chars() {
        match c {
            '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '~' => text.extend(['\\', c]),
            '\n' | '\r' => text.push(' '),
            c => text.push(c),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_printed_with_their_descriptions() {
        for (title, description, body, expected) in [
            ("A *b*", None, "\n\nText", "# A \\*b\\*\n\nText\n"),
            ("A", Some("All\nof  it."), "Text\n", "# A\n\nAll of it.\n\nText\n"),
            ("A", Some("# <b>"), "", "# A\n\n\\# \\<b>\n"),
            ("A", Some(" \n"), "", "# A\n"),
        ] {
            assert_eq!(print(title, description, body), expected);
        }
    }
}
