//! A lexer for the part of JavaScript that expressions use or that errors need to name.

use super::error::{Position, SyntaxError};
use super::value::Text;

/// All punctuators of JavaScript, longest first, so that errors name unsupported ones in full.
const PUNCTUATORS: [&str; 58] = [
    ">>>=", "...", "===", "!==", "**=", "<<=", ">>=", ">>>", "&&=", "||=", "??=", "=>", "==", "!=",
    "<=", ">=", "&&", "||", "??", "?.", "++", "--", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=",
    "<<", ">>", "**", "{", "}", "(", ")", "[", "]", ".", ";", ",", "<", ">", "+", "-", "*", "/",
    "%", "&", "|", "^", "!", "~", "?", ":", "=", "`",
];

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Token<'s> {
    Number(f64),
    Text(Text),
    Name(&'s str),
    Punctuator(&'static str),
    End,
}

/// Reads tokens one at a time. Copy it to look ahead.
#[derive(Debug, Clone, Copy)]
pub(super) struct Lexer<'s> {
    source: &'s str,
    pub(super) at: usize,
}

/// Returns `true` for characters that JavaScript skips between tokens.
pub(super) fn is_space(c: char) -> bool {
    is_line_end(c)
        || matches!(
            c,
            '\t' | '\u{b}' | '\u{c}' | ' ' | '\u{a0}' | '\u{1680}' | '\u{2000}'
                ..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}' | '\u{feff}'
        )
}

pub(super) fn is_line_end(c: char) -> bool {
    matches!(c, '\n' | '\r' | '\u{2028}' | '\u{2029}')
}

fn starts_name(c: char) -> bool {
    matches!(c, '$' | '_') || unicode_ident::is_xid_start(c)
}

fn continues_name(c: char) -> bool {
    matches!(c, '$' | '_' | '\u{200c}' | '\u{200d}') || unicode_ident::is_xid_continue(c)
}

impl<'s> Lexer<'s> {
    pub(super) fn new(source: &'s str) -> Self {
        Self { source, at: 0 }
    }

    fn rest(&self) -> &'s str {
        self.source.get(self.at..).unwrap_or_default()
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn bump(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.at += c.len_utf8();
        Some(c)
    }

    fn take_while(&mut self, accept: impl Fn(char) -> bool) -> &'s str {
        let rest = self.rest();
        let end = rest.find(|c| !accept(c)).unwrap_or(rest.len());
        self.at += end;
        rest.get(..end).unwrap_or_default()
    }

    pub(super) fn error(&self, at: usize, found: String, expected: &str) -> SyntaxError {
        SyntaxError {
            position: Position::of(self.source, at),
            found,
            expected: expected.to_owned(),
        }
    }

    /// Skips white space between tokens. Returns `true` if it contains a line terminator.
    pub(super) fn skip_space(&mut self) -> bool {
        self.take_while(is_space).contains(is_line_end)
    }

    /// Reads the next token.
    pub(super) fn token(&mut self) -> Result<Token<'s>, SyntaxError> {
        let Some(first) = self.peek() else { return Ok(Token::End) };
        if first.is_ascii_digit()
            || first == '.' && self.rest().chars().nth(1).is_some_and(|c| c.is_ascii_digit())
        {
            return self.number().map(Token::Number);
        }
        if matches!(first, '"' | '\'') {
            return self.text(first).map(Token::Text);
        }
        if starts_name(first) {
            return Ok(Token::Name(self.take_while(continues_name)));
        }
        // `a?.5:b` is a conditional, not an optional chain.
        let is_question = self.rest().starts_with("?.")
            && self.rest().chars().nth(2).is_some_and(|c| c.is_ascii_digit());
        let found = PUNCTUATORS
            .iter()
            .find(|known| self.rest().starts_with(**known) && !(is_question && **known == "?."));
        match found {
            Some(known) => {
                self.at += known.len();
                Ok(Token::Punctuator(known))
            }
            None => Err(self.error(
                self.at,
                format!("`{first}`"),
                "a value, an operator or a parenthesis",
            )),
        }
    }

    fn number(&mut self) -> Result<f64, SyntaxError> {
        let start = self.at;
        let bad = |lexer: &Self, expected: &str| {
            let end = lexer.at + lexer.peek().map_or(0, char::len_utf8);
            let found = lexer.source.get(start..end).unwrap_or_default();
            lexer.error(start, format!("`{found}`"), expected)
        };
        let prefix = self.rest().get(..2).unwrap_or_default().to_ascii_lowercase();
        let radix = match prefix.as_str() {
            "0x" => Some(16),
            "0o" => Some(8),
            "0b" => Some(2),
            _ => None,
        };
        let value = if let Some(radix) = radix {
            self.at += 2;
            let digits = self.digits(|c| c.is_digit(radix));
            match digits.as_deref() {
                Some(digits) if !digits.is_empty() => whole(digits, radix),
                _ => return Err(bad(self, "a number")),
            }
        } else {
            let Some(mut digits) = self.digits(|c| c.is_ascii_digit()) else {
                return Err(bad(self, "a number"));
            };
            if digits.len() > 1 && digits.starts_with('0') {
                return Err(bad(self, "a number without a leading `0`"));
            }
            // `1_` was rejected above; JavaScript rejects `0_1` too.
            if self.source.get(start..self.at).is_some_and(|text| text.starts_with("0_")) {
                return Err(bad(self, "a number"));
            }
            if self.peek() == Some('.') {
                self.at += 1;
                digits.push('.');
                match self.digits(|c| c.is_ascii_digit()) {
                    Some(fraction) => digits.push_str(&fraction),
                    None => return Err(bad(self, "a number")),
                }
            }
            if matches!(self.peek(), Some('e' | 'E')) {
                self.at += 1;
                digits.push('e');
                if let Some(sign @ ('+' | '-')) = self.peek() {
                    self.at += 1;
                    digits.push(sign);
                }
                match self.digits(|c| c.is_ascii_digit()) {
                    Some(exponent) if !exponent.is_empty() => digits.push_str(&exponent),
                    _ => return Err(bad(self, "an exponent")),
                }
            }
            digits.parse().map_err(|_| bad(self, "a number"))?
        };
        if self.peek().is_some_and(continues_name) {
            return Err(bad(self, "a number"));
        }
        Ok(value)
    }

    /// Reads digits and drops the `_` between them. Returns `None` if a `_` is misplaced.
    fn digits(&mut self, accept: impl Fn(char) -> bool) -> Option<String> {
        let text = self.take_while(|c| accept(c) || c == '_');
        let misplaced = text.starts_with('_') || text.ends_with('_') || text.contains("__");
        (!misplaced).then(|| text.replace('_', ""))
    }

    fn text(&mut self, quote: char) -> Result<Text, SyntaxError> {
        let start = self.at;
        self.at += 1;
        let mut units = Vec::new();
        loop {
            let at = self.at;
            match self.bump() {
                Some(c) if c == quote => return Ok(Text::from_units(units)),
                Some('\\') => self.escape(at, &mut units)?,
                // Strings can contain these two since ES2019.
                Some(c) if !is_line_end(c) || matches!(c, '\u{2028}' | '\u{2029}') => {
                    push(c, &mut units);
                }
                _ => {
                    let expected = format!("`{quote}` at its end");
                    return Err(self.error(start, "a string".to_owned(), &expected));
                }
            }
        }
    }

    /// Reads the text of a template up to the next `${` (`false`) or its end (`true`).
    pub(super) fn template_part(&mut self, start: usize) -> Result<(Text, bool), SyntaxError> {
        let mut units = Vec::new();
        loop {
            let at = self.at;
            match self.bump() {
                Some('`') => return Ok((Text::from_units(units), true)),
                Some('$') if self.peek() == Some('{') => {
                    self.at += 1;
                    return Ok((Text::from_units(units), false));
                }
                Some('\\') => self.escape(at, &mut units)?,
                Some('\r') => {
                    if self.peek() == Some('\n') {
                        self.at += 1;
                    }
                    units.push(u16::from(b'\n'));
                }
                Some(c) => push(c, &mut units),
                None => return Err(self.error(start, "a template".to_owned(), "` at its end")),
            }
        }
    }

    fn escape(&mut self, start: usize, units: &mut Vec<u16>) -> Result<(), SyntaxError> {
        let bad = |lexer: &Self| {
            let found = lexer.source.get(start..lexer.at).unwrap_or_default();
            lexer.error(start, format!("`{found}`"), "an escape such as `\\n` or `\\u00e9`")
        };
        let Some(c) = self.bump() else { return Err(bad(self)) };
        let simple = match c {
            'n' => '\n',
            't' => '\t',
            'r' => '\r',
            'b' => '\u{8}',
            'f' => '\u{c}',
            'v' => '\u{b}',
            '0' if !self.peek().is_some_and(|c| c.is_ascii_digit()) => '\0',
            '0'..='9' => return Err(bad(self)),
            'x' => return self.code(2, units).ok_or_else(|| bad(self)),
            'u' if self.peek() == Some('{') => {
                self.at += 1;
                let digits = self.take_while(|c| c.is_ascii_hexdigit());
                let code = u32::from_str_radix(digits, 16).ok();
                let code = code.filter(|code| *code <= 0x10_FFFF);
                let (Some(code), Some('}')) = (code, self.bump()) else { return Err(bad(self)) };
                match (char::from_u32(code), u16::try_from(code)) {
                    (Some(c), _) => push(c, units),
                    (None, Ok(unit)) => units.push(unit),
                    (None, Err(_)) => return Err(bad(self)),
                }
                return Ok(());
            }
            'u' => return self.code(4, units).ok_or_else(|| bad(self)),
            '\r' => {
                if self.peek() == Some('\n') {
                    self.at += 1;
                }
                return Ok(());
            }
            c if is_line_end(c) => return Ok(()),
            c => c,
        };
        push(simple, units);
        Ok(())
    }

    fn code(&mut self, digits: usize, units: &mut Vec<u16>) -> Option<()> {
        let text = self.rest().get(..digits)?;
        let all_digits = text.chars().all(|c| c.is_ascii_hexdigit());
        units.push(u16::from_str_radix(text, 16).ok().filter(|_| all_digits)?);
        self.at += digits;
        Some(())
    }
}

fn push(c: char, units: &mut Vec<u16>) {
    units.extend_from_slice(c.encode_utf16(&mut [0; 2]));
}

/// Parses digits in a radix that is a power of two.
pub(super) fn whole(digits: &str, radix: u32) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "rounds to nearest, as JavaScript does")]
    let exact = u128::from_str_radix(digits, radix).map(|value| value as f64);
    exact.unwrap_or_else(|_| {
        // Beyond 128 bits, only the magnitude is kept.
        digits
            .chars()
            .filter_map(|c| c.to_digit(radix))
            .fold(0.0, |value, digit| value * f64::from(radix) + f64::from(digit))
    })
}
