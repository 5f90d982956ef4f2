//! Ends of sentences, for snippets.

/// Returns the byte ranges of the sentences of a text: parts that end at a line or after `.`, `!`,
/// `?` or their forms in other scripts. Spaces around sentences are left out.
pub(crate) fn sentences(text: &str) -> Vec<std::ops::Range<usize>> {
    let mut found = Vec::new();
    let mut start = 0;
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let next = chars.peek().map(|(_, next)| *next);
        let is_end = match c {
            '\n' => true,
            '.' | '!' | '?' | '؟' | '…' | '।' | '۔' => next.is_none_or(char::is_whitespace),
            '。' | '！' | '？' | '｡' | '．' => {
                !matches!(next, Some('」' | '』' | '”' | '）'))
            }
            _ => false,
        };
        if is_end {
            push(text, start..at + c.len_utf8(), &mut found);
            start = at + c.len_utf8();
        }
    }
    push(text, start..text.len(), &mut found);
    found
}

fn push(text: &str, range: std::ops::Range<usize>, found: &mut Vec<std::ops::Range<usize>>) {
    let sentence = text.get(range.clone()).unwrap_or_default();
    let start = range.start + (sentence.len() - sentence.trim_start().len());
    let end = start + sentence.trim().len();
    if start < end {
        found.push(start..end);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expect: &[&str]) {
        let found: Vec<&str> = sentences(text).into_iter().map(|range| &text[range]).collect();
        assert_eq!(found, expect, "{text}");
    }

    #[test]
    fn sentences_end_at_their_signs() {
        check("One is 1.5 long. Two!\nThree", &["One is 1.5 long.", "Two!", "Three"]);
        check("打开文件。然后保存！好", &["打开文件。", "然后保存！", "好"]);
        check("他说「好。」然后走。", &["他说「好。」然后走。"]);
        check("एक। दो", &["एक।", "दो"]);
        check("  \n ", &[]);
    }
}
