//! Text within formulas: `\text{…}` and the commands for fonts of text.

use super::commands::{text_accent, text_symbol};
use super::rewrite::Rewriter;
use super::source::{Cursor, Token};
use crate::html::escape;

/// A font of text. MathML has no fonts for text, so the characters of the font are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Font {
    bold: bool,
    italic: bool,
    family: Family,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Family {
    #[default]
    Serif,
    SansSerif,
    Monospace,
}

impl Font {
    pub(super) const MONOSPACE: Self =
        Self { bold: false, italic: false, family: Family::Monospace };

    /// Returns the font that a command selects within this one, or `None` if the command does not
    /// select a font.
    pub(super) fn select(self, command: &str) -> Option<Self> {
        Some(match command {
            "text" | "mbox" | "hbox" => self,
            "textnormal" => Self::default(),
            "textrm" => Self { family: Family::Serif, ..self },
            "textsf" => Self { family: Family::SansSerif, ..self },
            "texttt" => Self { family: Family::Monospace, ..self },
            "textbf" => Self { bold: true, ..self },
            "textmd" => Self { bold: false, ..self },
            "textit" => Self { italic: true, ..self },
            "emph" => Self { italic: !self.italic, ..self },
            "textup" => Self { italic: false, ..self },
            _ => return None,
        })
    }

    /// Returns the character of this font. Characters that the font lacks are returned as they are.
    fn character(self, c: char) -> char {
        // The alphabets follow each other in Unicode: upper case, then lower case.
        let letters = match (self.family, self.bold, self.italic) {
            (Family::Serif, false, false) => return c,
            (Family::Serif, true, false) => 0x1D400,
            (Family::Serif, false, true) => 0x1D434,
            (Family::Serif, true, true) => 0x1D468,
            (Family::SansSerif, false, false) => 0x1D5A0,
            (Family::SansSerif, true, false) => 0x1D5D4,
            (Family::SansSerif, false, true) => 0x1D608,
            (Family::SansSerif, true, true) => 0x1D63C,
            (Family::Monospace, ..) => 0x1D670,
        };
        let digits = match (self.family, self.bold) {
            (Family::Serif, true) => Some(0x1D7CE),
            (Family::SansSerif, false) => Some(0x1D7E2),
            (Family::SansSerif, true) => Some(0x1D7EC),
            (Family::Monospace, _) => Some(0x1D7F6),
            (Family::Serif, false) => None,
        };
        let code = match c {
            // The italic h was encoded before the others.
            'h' if letters == 0x1D434 => return 'ℎ',
            'A'..='Z' => Some(letters + u32::from(c) - u32::from('A')),
            'a'..='z' => Some(letters + 26 + u32::from(c) - u32::from('a')),
            '0'..='9' => digits.map(|digits| digits + u32::from(c) - u32::from('0')),
            _ => None,
        };
        code.and_then(char::from_u32).unwrap_or(c)
    }
}

/// Collects the parts of a text.
#[derive(Default)]
struct Parts {
    mathml: String,
    text: String,
}

impl Parts {
    fn push(&mut self, c: char, font: Font) {
        self.text.push(font.character(c));
    }

    /// Writes the text so far. MathML ignores spaces at the ends of texts, unless they are
    /// non-breaking.
    fn flush(&mut self) {
        let text = std::mem::take(&mut self.text);
        if text.is_empty() {
            return;
        }
        let inner = text.trim_matches(' ');
        let lead = text.len() - text.trim_start_matches(' ').len();
        let tail = if inner.is_empty() { 0 } else { text.len() - lead - inner.len() };
        self.mathml.push_str("<mtext>");
        self.mathml.push_str(&"\u{A0}".repeat(lead.min(1)));
        escape(inner, &mut self.mathml);
        self.mathml.push_str(&"\u{A0}".repeat(tail.min(1)));
        self.mathml.push_str("</mtext>");
    }
}

/// Returns the MathML of a text, or `None` if it contains an unknown command.
pub(super) fn render(rewriter: &mut Rewriter, source: &str, font: Font) -> Option<String> {
    let mut parts = Parts::default();
    push(rewriter, source, font, &mut parts)?;
    parts.flush();
    Some(format!("<mrow>{}</mrow>", parts.mathml))
}

/// Returns the MathML of a text without commands.
pub(super) fn verbatim(text: &str, font: Font) -> String {
    let mut parts = Parts::default();
    for c in text.chars() {
        parts.push(if c == ' ' { '\u{A0}' } else { c }, font);
    }
    parts.flush();
    parts.mathml
}

fn push(rewriter: &mut Rewriter, source: &str, font: Font, parts: &mut Parts) -> Option<()> {
    let nested = rewriter.enter(source)?;
    let mut rest = source;
    while let Some(c) = rest.chars().next() {
        let after = rest.get(c.len_utf8()..)?;
        rest = match c {
            '\\' => {
                // The cursor stands at the command.
                let mut cursor = Cursor::new(rest);
                command(rewriter, &mut cursor, font, parts)?;
                cursor.rest()
            }
            '$' => {
                let end = after.find('$')?;
                let inner = rewriter.math(after.get(..end)?)?;
                parts.flush();
                parts.mathml.push_str(&inner);
                after.get(end + 1..)?
            }
            '{' | '}' => after,
            '~' => {
                parts.push('\u{A0}', font);
                after
            }
            '-' | '`' | '\'' => {
                let (length, written) = ligature(rest);
                written.chars().for_each(|c| parts.push(c, font));
                rest.get(length..)?
            }
            c if c.is_whitespace() => {
                if !parts.text.ends_with(' ') {
                    parts.push(' ', font);
                }
                after
            }
            c => {
                parts.push(c, font);
                after
            }
        };
    }
    rewriter.leave(nested);
    Some(())
}

/// Returns the length of the dashes or quotes at the start of a text, and the characters they mean.
fn ligature(text: &str) -> (usize, &'static str) {
    const LIGATURES: [(&str, &str); 7] =
        [("---", "—"), ("--", "–"), ("-", "-"), ("``", "“"), ("`", "‘"), ("''", "”"), ("'", "’")];
    let found = LIGATURES.iter().find(|(source, _)| text.starts_with(source));
    found.map_or((1, ""), |(source, written)| (source.len(), *written))
}

fn command(
    rewriter: &mut Rewriter,
    cursor: &mut Cursor<'_>,
    font: Font,
    parts: &mut Parts,
) -> Option<()> {
    let before = *cursor;
    let Token::Command(name) = cursor.next()? else {
        return None;
    };
    if let Some(font) = font.select(name) {
        return push(rewriter, cursor.argument()?, font, parts);
    }
    if let Some(accent) = text_accent(name) {
        let start = parts.text.len();
        push(rewriter, cursor.argument()?, font, parts)?;
        let base = parts.text.get(start..).and_then(|text| text.chars().next());
        let at = base.map_or(parts.text.len(), |base| start + base.len_utf8());
        parts.text.insert(at, accent);
        return Some(());
    }
    if name == "(" {
        let (formula, after) = cursor.rest().split_once("\\)")?;
        let inner = rewriter.math(formula)?;
        parts.flush();
        parts.mathml.push_str(&inner);
        *cursor = Cursor::new(after);
        return Some(());
    }
    if let Some(symbol) = text_symbol(name) {
        symbol.chars().for_each(|c| parts.push(c, font));
        return Some(());
    }
    // The command is one of formulas, such as a color or a size.
    while cursor.rest().starts_with(['{', '[']) {
        if cursor.optional().is_none() {
            cursor.argument()?;
        }
    }
    let source = before.rest();
    let inner = rewriter.math(source.get(..source.len() - cursor.rest().len())?)?;
    parts.flush();
    parts.mathml.push_str(&inner);
    Some(())
}
