//! Splits the source of a formula into tokens.

/// A token of a formula.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Token<'s> {
    /// Whitespace and comments.
    Space,
    /// A command, without its backslash.
    Command(&'s str),
    /// The content of a group in braces.
    Group(&'s str),
    /// Any other character.
    Character(char),
}

/// A position in the source of a formula.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cursor<'s> {
    rest: &'s str,
}

impl<'s> Cursor<'s> {
    pub(super) fn new(source: &'s str) -> Self {
        Self { rest: source }
    }

    pub(super) fn rest(&self) -> &'s str {
        self.rest
    }

    pub(super) fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    /// Returns the next token. Returns `None` at the end and for unbalanced braces.
    pub(super) fn next(&mut self) -> Option<Token<'s>> {
        let first = self.rest.chars().next()?;
        let (length, token) = match first {
            '\\' => {
                let name = command_name(self.rest.get(1..)?)?;
                self.rest = self.rest.get(1 + name.len()..)?;
                if is_word(name) {
                    self.skip_spaces();
                }
                return Some(Token::Command(name));
            }
            '{' => {
                let inner = group(self.rest)?;
                (inner.len() + 2, Token::Group(inner))
            }
            '}' => return None,
            '%' => (self.rest.find('\n').map_or(self.rest.len(), |end| end + 1), Token::Space),
            c if c.is_whitespace() => {
                self.skip_spaces();
                return Some(Token::Space);
            }
            c => (c.len_utf8(), Token::Character(c)),
        };
        self.rest = self.rest.get(length..)?;
        Some(token)
    }

    pub(super) fn skip_spaces(&mut self) {
        self.rest = self.rest.trim_start();
    }

    /// Takes `prefix` if it is next.
    pub(super) fn take(&mut self, prefix: &str) -> bool {
        match self.rest.strip_prefix(prefix) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    /// Returns the next argument: the content of a group, or a single token.
    pub(super) fn argument(&mut self) -> Option<&'s str> {
        self.skip_spaces();
        let before = self.rest;
        match self.next()? {
            Token::Group(inner) => Some(inner),
            _ => before.get(..before.len() - self.rest.len()),
        }
    }

    /// Returns the next argument in brackets.
    pub(super) fn optional(&mut self) -> Option<&'s str> {
        let mut inner = Self::new(self.rest.trim_start().strip_prefix('[')?);
        let start = inner.rest;
        while !inner.rest.starts_with(']') {
            inner.next()?;
        }
        self.rest = inner.rest.get(1..)?;
        start.get(..start.len() - inner.rest.len())
    }

    /// Returns the content of an environment whose `\begin` was read.
    pub(super) fn environment(&mut self) -> Option<&'s str> {
        let start = self.rest;
        let mut depth = 1_usize;
        loop {
            let before = self.rest;
            match self.next()? {
                Token::Command("begin") => depth += 1,
                Token::Command("end") => {
                    depth -= 1;
                    if depth == 0 {
                        self.argument()?;
                        return start.get(..start.len() - before.len());
                    }
                }
                _ => {}
            }
        }
    }

    /// Takes what a switch, such as one of the font size, applies to: up to the end of the cell, the
    /// line, the delimiters or the group.
    pub(super) fn scope(&mut self) -> Option<&'s str> {
        let start = self.rest;
        let (mut delimiters, mut environments) = (0_usize, 0_usize);
        while !self.rest.is_empty() {
            let before = *self;
            let ends = match self.next()? {
                Token::Character('&') | Token::Command("\\" | "cr" | "newline") => {
                    delimiters == 0 && environments == 0
                }
                Token::Command("left") => {
                    delimiters += 1;
                    false
                }
                Token::Command("middle") => delimiters == 0,
                Token::Command("right") if delimiters == 0 => true,
                Token::Command("right") => {
                    delimiters -= 1;
                    false
                }
                Token::Command("begin") => {
                    environments += 1;
                    false
                }
                Token::Command("end") => {
                    environments = environments.saturating_sub(1);
                    false
                }
                _ => false,
            };
            if ends {
                *self = before;
                break;
            }
        }
        start.get(..start.len() - self.rest.len())
    }

    /// Takes a length and returns it in `em`.
    pub(super) fn length(&mut self) -> Option<f64> {
        self.skip_spaces();
        if self.rest.starts_with('{') {
            return Self::new(self.argument()?).length();
        }
        let is_number = |c: char| c.is_ascii_digit() || matches!(c, '.' | '-' | '+');
        let end = self.rest.find(|c| !is_number(c))?;
        let (number, unit) = self.rest.split_at_checked(end)?;
        let unit = unit.trim_start();
        let (unit, rest) = unit.split_at_checked(2)?;
        self.rest = rest;
        Some(number.parse::<f64>().ok()? * em(unit)?)
    }
}

/// Returns a unit in `em`, at a font size of 10 points.
fn em(unit: &str) -> Option<f64> {
    const POINT: f64 = 0.1;
    Some(match unit {
        "em" => 1.0,
        "ex" => 0.431,
        "mu" => 1.0 / 18.0,
        "pt" => POINT,
        "bp" | "px" => POINT * 72.27 / 72.0,
        "mm" => POINT * 72.27 / 25.4,
        "cm" => POINT * 72.27 / 2.54,
        "in" => POINT * 72.27,
        "pc" => POINT * 12.0,
        "dd" => POINT * 1238.0 / 1157.0,
        "cc" => POINT * 14856.0 / 1157.0,
        "nd" => POINT * 685.0 / 642.0,
        "nc" => POINT * 1370.0 / 107.0,
        "sp" => POINT / 65536.0,
        _ => return None,
    })
}

/// Returns `true` if the name of a command consists of letters. Whitespace after it is ignored.
pub(super) fn is_word(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '@')
}

fn command_name(rest: &str) -> Option<&str> {
    let length = rest.find(|c: char| !c.is_ascii_alphabetic() && c != '@').unwrap_or(rest.len());
    match length {
        0 => rest.get(..rest.chars().next()?.len_utf8()),
        _ => rest.get(..length),
    }
}

/// Returns the content of the group at the start of a text.
fn group(text: &str) -> Option<&str> {
    let mut depth = 0_usize;
    let mut is_escaped = false;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = true,
            b'{' => depth += 1,
            b'}' => {
                depth -= 1;
                if depth == 0 {
                    return text.get(1..at);
                }
            }
            _ => {}
        }
    }
    None
}
