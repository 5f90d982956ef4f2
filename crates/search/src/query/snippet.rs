//! Snippets: the sentences of a section that match best.

use std::ops::Range;

use crate::query::matcher::{Match, Matcher, ranges};
use crate::text::sentences::sentences;

/// The length from which no further sentence is added, in characters.
const ENOUGH_CHARS: usize = 110;
/// Maximum length of a snippet in characters.
const MAX_CHARS: usize = 220;
/// The number of characters shown before the first match in a long sentence.
const LEAD_CHARS: usize = 60;

/// A part of a text with the matches in it.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Snippet {
    pub(crate) text: String,
    pub(crate) highlights: Vec<Range<usize>>,
}

/// Returns the best sentences of a text. `matches` are those in the text, in order.
pub(crate) fn snippet(text: &str, matches: &[Match], matcher: &Matcher) -> Snippet {
    let sentences = sentences(text);
    let mut best = (0, 0.0f32);
    let mut from = 0;
    for (at, sentence) in sentences.iter().enumerate() {
        let skipped = matches.get(from..).unwrap_or_default();
        from += skipped.partition_point(|found| found.range.start < sentence.start);
        let rest = matches.get(from..).unwrap_or_default();
        let inside = rest.iter().take_while(|found| found.range.start < sentence.end);
        let weight = matcher.weight(inside);
        if weight > best.1 {
            best = (at, weight);
        }
    }
    let chosen = sentences.get(best.0..).unwrap_or_default();
    let Some(first) = chosen.first() else { return Snippet::default() };
    let chars = |range: &Range<usize>| text.get(range.clone()).unwrap_or_default().chars().count();
    let mut length = chars(first);
    if length > MAX_CHARS {
        return cut_sentence(text, first, matches);
    }
    let mut end = first.end;
    for next in chosen.iter().skip(1) {
        let more = chars(next);
        if length >= ENOUGH_CHARS || length + more > MAX_CHARS {
            break;
        }
        length += more + 1;
        end = next.end;
    }
    assemble(text, first.start..end, ["", ""], matches)
}

/// Cuts a long sentence around its first match, at words.
fn cut_sentence(text: &str, sentence: &Range<usize>, matches: &[Match]) -> Snippet {
    let first = matches.iter().find(|found| found.range.start >= sentence.start);
    let anchor = first.map_or(sentence.start, |found| found.range.start.min(sentence.end));
    let before = text.get(sentence.start..anchor).unwrap_or_default();
    let lead = before.char_indices().rev().nth(LEAD_CHARS).map(|(at, _)| sentence.start + at);
    let start = lead.map_or(sentence.start, |start| next_word(text, start, anchor));
    let rest = text.get(start..sentence.end).unwrap_or_default();
    let tail = rest.char_indices().nth(MAX_CHARS).map(|(at, _)| start + at);
    let end = tail.map_or(sentence.end, |end| {
        let shown = text.get(start..end).unwrap_or_default();
        shown.rfind(' ').filter(|at| *at * 2 > shown.len()).map_or(end, |at| start + at)
    });
    let marks =
        [if start > sentence.start { "…" } else { "" }, if end < sentence.end { "…" } else { "" }];
    assemble(text, start..end, marks, matches)
}

/// Returns the start of the first word after `from`, or `from` in a text without spaces.
fn next_word(text: &str, from: usize, limit: usize) -> usize {
    let between = text.get(from..limit).unwrap_or_default();
    between.find(' ').map_or(from, |at| from + at + 1)
}

/// Copies a range of the text on one line, and moves the matches along.
fn assemble(text: &str, range: Range<usize>, marks: [&str; 2], matches: &[Match]) -> Snippet {
    let [before, after] = marks;
    let part = text.get(range.clone()).unwrap_or_default();
    let mut shown = String::with_capacity(part.len() + 6);
    shown.push_str(before);
    // A line feed and a tab have the length of the space that replaces them.
    shown.extend(part.chars().map(|c| if c.is_ascii_control() { ' ' } else { c }));
    shown.push_str(after);
    let inside = matches
        .iter()
        .skip_while(|found| found.range.start < range.start)
        .take_while(|found| found.range.end <= range.end);
    let highlights = ranges(inside).into_iter().map(|found| {
        found.start - range.start + before.len()..found.end - range.start + before.len()
    });
    Snippet { highlights: highlights.collect(), text: shown }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analyzer::Analyzer;
    use crate::query::units::parse;
    use crate::text::stem::Language;

    /// Shows the matches of the snippet in brackets.
    fn check(text: &str, query: &str, expect: &str) {
        let language = Language::of(Some("en"));
        let units = parse(query, &[language], &[], false);
        let matcher = Matcher::new(&units, &vec![1.0; units.len()], &[]);
        let found = matcher.find(text, &mut Analyzer::new(language));
        let snippet = snippet(text, &found, &matcher);
        let mut shown = snippet.text.clone();
        for range in snippet.highlights.iter().rev() {
            shown.insert(range.end, ']');
            shown.insert(range.start, '[');
        }
        assert_eq!(shown, expect, "{query}");
    }

    #[test]
    fn the_best_sentence_is_shown() {
        let filler = "This sentence has nothing to do with the query and is here for its length alone, so that it is long.";
        let text = format!("Pages exist. {filler} Webhooks send events to pages. {filler}\nEnd.");
        check(&text, "pages webhook", &format!("[Webhooks] send events to [pages]. {filler}"));
    }

    #[test]
    fn long_sentences_are_cut_at_words() {
        let text = format!("{} needle {}", "word ".repeat(80), "more ".repeat(80));
        let (lead, tail) = ("word ".repeat(11), "more ".repeat(31));
        check(
            &text,
            "needle",
            &format!("…{} [needle] {}…", lead.trim_end().to_owned() + " ", tail.trim_end()),
        );
    }

    #[test]
    fn texts_without_spaces_are_cut_at_sentences() {
        let long = "这是一个很长的句子，它只是为了长度而存在，没有别的意思，所以它很长很长。";
        let text = format!("{}打开数据库。{}", long.repeat(3), long.repeat(4));
        check(&text, "数据库", &format!("打开[数据库]。{}", long.repeat(3)));
    }

    #[test]
    fn texts_without_a_match_begin_at_the_start() {
        check("One.\nTwo.", "zzz", "One. Two.");
        check("", "zzz", "");
    }
}
