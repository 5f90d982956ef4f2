//! Divides a text into compounds and runs.
//!
//! A run is a sequence of letters and digits of one class. A compound is a run, or several runs of
//! words that signs such as `_`, `-`, `.` or `::` connect: `snake_case`, `v1.2.3`.

use std::ops::Range;

/// Maximum number of runs in a compound; the next run begins a new one.
const MAX_RUNS: usize = 12;
/// Maximum number of signs between two runs of a compound.
const MAX_CONNECTORS: usize = 3;
/// Maximum number of signs at an edge of a compound, such as the `--` of an option.
const MAX_EDGE: usize = 3;

/// The class of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Class {
    /// Letters and digits of scripts that separate words.
    Word,
    /// Chinese, Japanese and Korean characters.
    Ideographs,
    /// Thai, Lao, Khmer and Burmese letters.
    Clusters,
}

/// A sequence of letters and digits of one class.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Run {
    /// The bytes of the run in the text.
    pub(crate) range: Range<usize>,
    /// The class.
    pub(crate) class: Class,
}

/// One or more runs that belong together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Compound<'c> {
    /// The runs; at least one. Several runs are all of the class `Word`.
    pub(crate) runs: &'c [Run],
    /// The bytes from the first run to the last, with the signs at the edges: `--flag`, `C++`.
    pub(crate) typed: Range<usize>,
}

impl Compound<'_> {
    /// Returns the bytes from the first run to the last.
    pub(crate) fn core(&self) -> Range<usize> {
        let start = self.runs.first().map_or(0, |run| run.range.start);
        let end = self.runs.last().map_or(start, |run| run.range.end);
        start..end
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Letter(Class),
    /// Part of a word without being a letter: a combining mark or an invisible joiner.
    Within,
    Connector,
    Other,
}

/// Iterates over the compounds of a text.
pub(crate) struct Compounds<'t> {
    text: &'t str,
    at: usize,
    /// The start of the signs that precede `at` directly.
    edge: usize,
    runs: Vec<Run>,
}

/// Divides a text into compounds.
pub(crate) fn compounds(text: &str) -> Compounds<'_> {
    Compounds { text, at: 0, edge: 0, runs: Vec::new() }
}

impl Compounds<'_> {
    /// Returns the next compound.
    pub(crate) fn next(&mut self) -> Option<Compound<'_>> {
        self.runs.clear();
        let class = self.skip_to_letter()?;
        let start = self.edge_start();
        let first = self.read_run(class);
        let mut end = first.range.end;
        self.runs.push(first);
        if class == Class::Word {
            while self.runs.len() < MAX_RUNS
                && let Some(next) = self.connected()
            {
                self.at = next;
                let run = self.read_run(Class::Word);
                end = run.range.end;
                self.runs.push(run);
            }
            end = self.edge_end(end);
        }
        self.edge = self.at;
        Some(Compound { runs: &self.runs, typed: start..end })
    }

    /// Returns the kind of the character at a position, and its length in bytes.
    fn kind_at(&self, at: usize) -> Option<(Kind, usize)> {
        let byte = *self.text.as_bytes().get(at)?;
        if let Some(kind) = ASCII.get(usize::from(byte)) {
            return Some((*kind, 1));
        }
        let c = self.text.get(at..)?.chars().next()?;
        Some((kind(c), c.len_utf8()))
    }

    /// Moves to the next letter and returns its class.
    fn skip_to_letter(&mut self) -> Option<Class> {
        loop {
            let (kind, length) = self.kind_at(self.at)?;
            match kind {
                Kind::Letter(class) => return Some(class),
                Kind::Connector => self.at += length,
                Kind::Within | Kind::Other => {
                    self.at += length;
                    self.edge = self.at;
                }
            }
        }
    }

    /// Returns the start of the signs before the next letter that belong to it.
    fn edge_start(&self) -> usize {
        let signs = self.text.get(self.edge..self.at).unwrap_or_default();
        let kept = signs.bytes().rev().take_while(|byte| b"#$@.-/~&%+_".contains(byte)).count();
        if kept > MAX_EDGE { self.at } else { self.at - kept }
    }

    /// Returns the end of the signs after the last letter that belong to it.
    fn edge_end(&self, end: usize) -> usize {
        let rest = self.text.as_bytes().get(end..).unwrap_or_default();
        let kept = rest.iter().take_while(|byte| b"+#".contains(byte)).count();
        if kept > MAX_EDGE { end } else { end + kept }
    }

    /// Reads the run at the current position.
    fn read_run(&mut self, class: Class) -> Run {
        let start = self.at;
        while let Some((kind, length)) = self.kind_at(self.at)
            && (kind == Kind::Letter(class) || kind == Kind::Within)
        {
            self.at += length;
        }
        Run { range: start..self.at, class }
    }

    /// Returns the start of a word that signs connect to the run that was read last.
    fn connected(&self) -> Option<usize> {
        let mut at = self.at;
        for signs in 0..=MAX_CONNECTORS {
            match self.kind_at(at)? {
                (Kind::Connector, length) if signs < MAX_CONNECTORS => at += length,
                (Kind::Letter(Class::Word), _) if signs > 0 => return Some(at),
                _ => return None,
            }
        }
        None
    }
}

/// The kinds of the ASCII characters, which are most of all text.
const ASCII: [Kind; 128] = {
    let mut kinds = [Kind::Other; 128];
    let mut at = 0u8;
    while at < 128 {
        kinds[at as usize] = ascii_kind(at);
        at += 1;
    }
    kinds
};

const fn ascii_kind(byte: u8) -> Kind {
    match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' => Kind::Letter(Class::Word),
        b'_' | b'-' | b'.' | b':' | b'/' | b'@' | b'#' | b'$' | b'&' | b'+' | b'~' | b'%'
        | b'\'' | b'\\' | b'{' | b'}' | b'*' => Kind::Connector,
        _ => Kind::Other,
    }
}

/// Returns the kind of a character beyond ASCII.
fn kind(c: char) -> Kind {
    if is_ideograph(c) {
        return Kind::Letter(Class::Ideographs);
    }
    if is_cluster(c) {
        return Kind::Letter(Class::Clusters);
    }
    match c {
        '’' | '‐' | '‑' => Kind::Connector,
        // The letters of most European languages.
        '\u{C0}'..='\u{24F}' if c != '×' && c != '÷' => Kind::Letter(Class::Word),
        '\u{400}'..='\u{481}' => Kind::Letter(Class::Word),
        '“' | '”' | '—' | '–' | '…' | '，' | '。' => Kind::Other,
        _ if super::fold::is_ignored(c) => Kind::Within,
        _ if unicode_normalization::char::is_combining_mark(c) => Kind::Within,
        _ if c.is_alphanumeric() => Kind::Letter(Class::Word),
        _ => Kind::Other,
    }
}

/// Returns `true` for Chinese, Japanese and Korean characters other than punctuation.
fn is_ideograph(c: char) -> bool {
    matches!(
        u32::from(c),
        0x1100..=0x11FF
            | 0x3005..=0x3007
            | 0x3041..=0x3096
            | 0x3099..=0x309A
            | 0x309D..=0x309F
            | 0x30A1..=0x30FA
            | 0x30FC..=0x30FF
            | 0x3105..=0x312F
            | 0x3131..=0x318E
            | 0x3400..=0x4DBF
            | 0x4E00..=0x9FFF
            | 0xAC00..=0xD7FF
            | 0xF900..=0xFAFF
            | 0xFF66..=0xFFDC
            | 0x2_0000..=0x3_FFFF
    )
}

/// Returns `true` for letters and signs of Thai, Lao, Burmese and Khmer, which do not separate
/// words.
fn is_cluster(c: char) -> bool {
    matches!(u32::from(c), 0x0E01..=0x0EFF | 0x1000..=0x109F | 0x1780..=0x17FF)
        && !c.is_numeric()
        && !matches!(
            c,
            '\u{E3F}' | '\u{E4F}' | '\u{E5A}' | '\u{E5B}' | '\u{104A}' | '\u{104B}' | '\u{17D4}'
                ..='\u{17DB}'
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expect: &[&str]) {
        let mut found = Vec::new();
        let mut next = compounds(text);
        while let Some(compound) = next.next() {
            let runs: Vec<&str> =
                compound.runs.iter().map(|run| &text[run.range.clone()]).collect();
            let typed = &text[compound.typed.clone()];
            let runs = runs.join("|");
            found.push(if runs == typed { runs } else { format!("{typed}={runs}") });
        }
        assert_eq!(found, expect, "{text}");
    }

    #[test]
    fn signs_connect_words() {
        check("snake_case, kebab-case.", &["snake_case=snake|case", "kebab-case=kebab|case"]);
        check("use a::b; v1.2.3!", &["use", "a::b=a|b", "v1.2.3=v1|2|3"]);
        check("GET /v1/spaces/{id} now", &["GET", "/v1/spaces/{id=v1|spaces|id", "now"]);
        check("call foo.bar() (or not)", &["call", "foo.bar=foo|bar", "or", "not"]);
        check("don't l’API", &["don't=don|t", "l’API=l|API"]);
    }

    #[test]
    fn signs_at_the_edges_are_kept() {
        check("C++ and C#, --flag-name", &["C++=C", "and", "C#=C", "--flag-name=flag|name"]);
        check(".gitbook.yaml $HOME a - b", &[".gitbook.yaml=gitbook|yaml", "$HOME=HOME", "a", "b"]);
        check("----- x ----y", &["x", "y"]);
    }

    #[test]
    fn scripts_are_separated() {
        check("使用API密钥", &["使用", "API", "密钥"]);
        check("사용자는 v2", &["사용자는", "v2"]);
        check("ตั้งค่า 12", &["ตั้งค่า", "12"]);
        check("हिन्दी में", &["हिन्दी", "में"]);
    }

    #[test]
    fn letters_of_european_languages_are_words() {
        for c in ('\u{C0}'..='\u{24F}').chain('\u{400}'..='\u{481}') {
            let is_word = kind(c) == Kind::Letter(Class::Word);
            assert_eq!(is_word, c.is_alphanumeric(), "{c}");
        }
    }

    #[test]
    fn punctuation_has_no_words() {
        check("!!! --- ... *** ?", &[]);
        check("", &[]);
        check("a::::b", &["a", "b"]);
    }
}
