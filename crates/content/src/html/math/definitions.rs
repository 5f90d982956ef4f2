//! Commands that a formula defines for itself.

use super::EXPANDED_LIMIT;
use super::rewrite::{Output, Rewriter};
use super::source::{Cursor, Token};

/// A command that the formula defines.
#[derive(Clone)]
pub(super) struct Macro {
    parameters: usize,
    /// The value of the first parameter if it is not given.
    default: Option<String>,
    body: String,
}

impl Rewriter {
    /// Reads the definition of a command.
    pub(super) fn define(&mut self, name: &str, cursor: &mut Cursor<'_>) -> Option<()> {
        cursor.take("*");
        let defined = cursor.argument()?.trim();
        let defined = Cursor::new(defined).next();
        let Some(Token::Command(defined)) = defined else {
            return None;
        };
        let known = match name {
            "let" => {
                cursor.skip_spaces();
                cursor.take("=");
                let body = cursor.argument()?;
                if body.strip_prefix('\\').is_some_and(|name| name.trim() == defined) {
                    // The command keeps its meaning.
                    return Some(());
                }
                Macro { parameters: 0, default: None, body: body.to_owned() }
            }
            "def" | "gdef" | "edef" | "xdef" => {
                let mut parameters = 0;
                cursor.skip_spaces();
                while cursor.take("#") {
                    parameters += 1;
                    if !cursor.take(&parameters.to_string()) {
                        return None;
                    }
                }
                cursor.rest().starts_with('{').then_some(())?;
                Macro { parameters, default: None, body: cursor.argument()?.to_owned() }
            }
            _ => {
                let parameters = match cursor.optional() {
                    Some(number) => number.trim().parse().ok().filter(|count| *count < 10)?,
                    None => 0,
                };
                let default = cursor.optional().map(str::to_owned);
                Macro { parameters, default, body: cursor.argument()?.to_owned() }
            }
        };
        let is_provided = name == "providecommand" && self.macros.contains_key(defined);
        if !is_provided {
            self.macros.insert(defined.to_owned(), known);
        }
        Some(())
    }

    /// Replaces a command that the formula defines.
    pub(super) fn expand(
        &mut self,
        known: &Macro,
        cursor: &mut Cursor<'_>,
        to: &mut Output,
    ) -> Option<()> {
        let mut arguments = Vec::new();
        if let Some(default) = &known.default {
            arguments.push(cursor.optional().unwrap_or(default).to_owned());
        }
        while arguments.len() < known.parameters {
            arguments.push(cursor.argument()?.to_owned());
        }
        let mut formula = String::new();
        let mut parts = known.body.split('#');
        formula.push_str(parts.next().unwrap_or_default());
        for part in parts {
            let number = part.chars().next().and_then(|c| c.to_digit(10))?;
            let argument = usize::try_from(number).ok()?.checked_sub(1)?;
            formula.push_str(arguments.get(argument)?);
            formula.push_str(part.get(1..)?);
            if formula.len() > EXPANDED_LIMIT {
                return None;
            }
        }
        self.replace(&formula, cursor, to)
    }
}
