//! Regular expressions of filters: I-Regexp (RFC 9485), and `^`, `$`, `\d`, `\s` and `\w`.

use std::collections::HashMap;

use regex::{Regex, RegexBuilder};

use super::{Budget, Exhausted};

/// Maximum weight of an expression: the number of its characters and classes, with repetitions.
const MAX_WEIGHT: usize = 1_000;
/// Weight of a class that can have many characters.
const CLASS_WEIGHT: usize = 8;
/// Maximum number of groups within each other.
const MAX_GROUPS: u32 = 32;
/// Maximum memory of a compiled expression, and of its states while it matches, in bytes.
const MAX_MEMORY: usize = 2 << 20;
/// Steps that compiling an expression takes, and those for each unit of its weight.
const COMPILING: (usize, usize) = (10_000, 1_000);
/// Product of bytes of a text and weight of an expression that is matched in one step.
const MATCHED_PER_STEP: usize = 4;
/// Maximum number of compiled expressions that are kept.
const MAX_KEPT: usize = 16;

/// The general categories of Unicode that `\p` may name.
const CATEGORIES: [&str; 36] = [
    "C", "Cc", "Cf", "Cn", "Co", "L", "Ll", "Lm", "Lo", "Lt", "Lu", "M", "Mc", "Me", "Mn", "N",
    "Nd", "Nl", "No", "P", "Pc", "Pd", "Pe", "Pf", "Pi", "Po", "Ps", "S", "Sc", "Sk", "Sm", "So",
    "Z", "Zl", "Zp", "Zs",
];

/// The compiled expressions of an evaluation.
#[derive(Default)]
pub(super) struct Patterns {
    kept: HashMap<(String, bool), Option<(Regex, usize)>>,
}

impl Patterns {
    /// Returns `true` if an expression matches a text, or a part of it. An invalid one does not.
    pub(super) fn matches(
        &mut self,
        text: &str,
        pattern: &str,
        is_whole: bool,
        budget: &mut Budget,
    ) -> Result<bool, Exhausted> {
        budget.take(1 + pattern.len() / MATCHED_PER_STEP)?;
        let key = (pattern.to_owned(), is_whole);
        if !self.kept.contains_key(&key) {
            if self.kept.len() >= MAX_KEPT {
                self.kept.clear();
            }
            let compiled = compile(pattern, is_whole, budget)?;
            self.kept.insert(key.clone(), compiled);
        }
        let Some((regex, weight)) = self.kept.get(&key).and_then(Option::as_ref) else {
            return Ok(false);
        };
        budget.take(1 + text.len().saturating_mul(*weight) / MATCHED_PER_STEP)?;
        Ok(regex.is_match(text))
    }
}

fn compile(
    pattern: &str,
    is_whole: bool,
    budget: &mut Budget,
) -> Result<Option<(Regex, usize)>, Exhausted> {
    budget.take(pattern.len())?;
    let Ok(Translated { text, weight }) = translate(pattern) else { return Ok(None) };
    budget.take(COMPILING.0 + weight * COMPILING.1)?;
    let text = if is_whole { format!(r"\A(?:{text})\z") } else { text };
    let regex = RegexBuilder::new(&text)
        .nest_limit(4 * MAX_GROUPS)
        .size_limit(MAX_MEMORY)
        .dfa_size_limit(MAX_MEMORY)
        .build();
    Ok(regex.ok().map(|regex| (regex, weight)))
}

/// An expression in the syntax of the crate `regex`.
pub(super) struct Translated {
    text: String,
    weight: usize,
}

/// Translates an expression, such as `a.` to `a[^\n\r]`.
///
/// # Errors
/// Returns a text that names the part that is not allowed.
pub(super) fn translate(pattern: &str) -> Result<Translated, String> {
    let mut translation = Translation { rest: pattern, text: String::new(), weights: vec![0] };
    let mut last = 0;
    while let Some(character) = translation.next() {
        last = translation.part(character, last)?;
        if translation.weights.iter().fold(last, |sum, weight| sum + weight) > MAX_WEIGHT {
            return Err(format!("found more than {MAX_WEIGHT} characters with repetitions"));
        }
    }
    match translation.weights.as_slice() {
        [weight] => Ok(Translated { weight: weight + last, text: translation.text }),
        _ => Err("found no \")\" for a \"(\"".to_owned()),
    }
}

struct Translation<'p> {
    rest: &'p str,
    text: String,
    /// The weight of each open group so far, without its last part.
    weights: Vec<usize>,
}

impl Translation<'_> {
    fn next(&mut self) -> Option<char> {
        let mut characters = self.rest.chars();
        let next = characters.next();
        self.rest = characters.as_str();
        next
    }

    fn add(&mut self, weight: usize) {
        if let Some(sum) = self.weights.last_mut() {
            *sum += weight;
        }
    }

    /// Translates a part after another one with a weight. Returns the weight of the part.
    fn part(&mut self, character: char, last: usize) -> Result<usize, String> {
        match character {
            '*' | '+' | '?' => {
                self.text.push(character);
                return Ok(last);
            }
            '{' => return Ok(last * self.quantity()?),
            ')' if self.weights.len() > 1 => {
                self.text.push(')');
                return Ok(last + self.weights.pop().unwrap_or_default());
            }
            _ => self.add(last),
        }
        match character {
            '(' if self.rest.starts_with('?') => Err("found \"(?\"".to_owned()),
            '(' if self.weights.len() > MAX_GROUPS as usize => {
                Err(format!("found more than {MAX_GROUPS} groups within each other"))
            }
            '(' => {
                self.weights.push(0);
                self.text.push_str("(?:");
                Ok(0)
            }
            '[' => self.class(),
            '.' => {
                self.text.push_str(r"[^\n\r]");
                Ok(CLASS_WEIGHT)
            }
            '\\' => self.escape(),
            ')' | ']' | '}' => Err(format!("found {:?}", character.to_string())),
            _ => {
                self.text.push(character);
                Ok(1)
            }
        }
    }

    /// Translates the rest of `{2}`, `{2,}` or `{2,3}`. Returns the highest number.
    fn quantity(&mut self) -> Result<usize, String> {
        let (quantity, rest) = self.rest.split_once('}').ok_or("found no \"}\" for a \"{\"")?;
        let (least, most) = quantity.split_once(',').unwrap_or((quantity, quantity));
        let number = |text: &str| {
            let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
            text.parse::<usize>().ok().filter(|number| is_number && *number <= MAX_WEIGHT)
        };
        let wrong = || format!("found \"{{{quantity}}}\", allowed: numbers up to {MAX_WEIGHT}");
        let least = number(least).ok_or_else(wrong)?;
        let most = if most.is_empty() { least + 1 } else { number(most).ok_or_else(wrong)? };
        self.text.push('{');
        self.text.push_str(quantity);
        self.text.push('}');
        self.rest = rest;
        Ok(most.max(1))
    }

    fn escape(&mut self) -> Result<usize, String> {
        let character = self.next().ok_or("found nothing after a \"\\\"")?;
        match character {
            'p' | 'P' => {
                let category = self.rest.strip_prefix('{').and_then(|rest| rest.split_once('}'));
                let known = category.filter(|(name, _)| CATEGORIES.contains(name));
                let (name, rest) = known.ok_or_else(|| {
                    format!("found \"\\{character}\" without a category such as \"{{Lu}}\"")
                })?;
                self.text.push_str(&format!("\\{character}{{{name}}}"));
                self.rest = rest;
                Ok(CLASS_WEIGHT)
            }
            'd' | 'D' => self.class_of(character, "0-9"),
            's' | 'S' => self.class_of(character, r"\t-\r "),
            'w' | 'W' => self.class_of(character, "0-9A-Z_a-z"),
            'n' | 'r' | 't' => {
                self.text.push('\\');
                self.text.push(character);
                Ok(1)
            }
            _ if character.is_ascii_punctuation() => {
                self.text.push('\\');
                self.text.push(character);
                Ok(1)
            }
            _ => Err(format!("found \"\\{character}\"")),
        }
    }

    fn class_of(&mut self, character: char, ranges: &str) -> Result<usize, String> {
        let not = if character.is_ascii_uppercase() { "^" } else { "" };
        self.text.push_str(&format!("[{not}{ranges}]"));
        Ok(CLASS_WEIGHT)
    }

    /// Translates the rest of a class such as `[a-z]`. The crate `regex` has operators in classes,
    /// which are characters here.
    fn class(&mut self) -> Result<usize, String> {
        self.text.push('[');
        if let Some(rest) = self.rest.strip_prefix('^') {
            self.text.push('^');
            self.rest = rest;
        }
        let mut is_first = true;
        loop {
            let character = self.next().ok_or("found no \"]\" for a \"[\"")?;
            match character {
                ']' if is_first => return Err("found \"[]\"".to_owned()),
                ']' => break,
                '\\' => {
                    self.escape()?;
                }
                '-' if !is_first && !self.rest.starts_with(['-', ']']) => self.text.push('-'),
                '-' | '[' | '&' | '~' | '^' => {
                    self.text.push('\\');
                    self.text.push(character);
                }
                _ => self.text.push(character),
            }
            is_first = false;
        }
        self.text.push(']');
        Ok(CLASS_WEIGHT)
    }
}
