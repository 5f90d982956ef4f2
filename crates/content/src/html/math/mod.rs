//! Rendering of formulas as MathML.
//!
//! A crate generates the MathML. [`rewrite`] first replaces the commands that it does not know:
//! synonyms by their usual names, macros by their definitions, and texts, sizes, colors and boxes by
//! placeholders, whose MathML is inserted into the result.

mod commands;
mod definitions;
mod diagram;
mod notation;
mod rewrite;
mod sanitize;
mod source;
mod text;

use pulldown_latex::config::DisplayMode;
use pulldown_latex::{Parser, RenderConfig, Storage, push_mathml};

use super::escape;

/// Maximum length in bytes of a formula; a longer one is shown as its source.
const LENGTH_LIMIT: usize = 4096;
/// Maximum nesting depth of a formula; a deeper one is shown as its source.
const DEPTH_LIMIT: usize = 48;
/// Maximum length in bytes of a formula after its macros were replaced.
const EXPANDED_LIMIT: usize = 4 * LENGTH_LIMIT;
/// Maximum number of parts of a formula: three for each byte of the longest formula.
const EVENT_LIMIT: usize = 3 * EXPANDED_LIMIT;

/// Writes a formula as MathML, or as code if it cannot be parsed.
pub(super) fn push(formula: &str, is_block: bool, to: &mut String) {
    match mathml(formula, is_block) {
        Some(mathml) => to.push_str(&mathml),
        None => {
            to.push_str("<code>");
            escape(formula, to);
            to.push_str("</code>");
        }
    }
}

/// Returns `true` if a formula can be written as MathML.
#[must_use]
pub fn is_formula(formula: &str, is_block: bool) -> bool {
    mathml(formula, is_block).is_some()
}

fn mathml(formula: &str, is_block: bool) -> Option<String> {
    if formula.len() > LENGTH_LIMIT || depth(formula) > DEPTH_LIMIT {
        return None;
    }
    let display = if is_block { "block" } else { "inline" };
    let content = rewrite::render(formula, is_block)?;
    Some(format!("<math display=\"{display}\">{content}</math>"))
}

/// Returns the MathML of a formula that consists of commands that the crate knows, without the
/// enclosing element.
fn generate(formula: &str, is_block: bool) -> Option<String> {
    let storage = Storage::new();
    let events = Parser::new(formula, &storage).take(EVENT_LIMIT + 1);
    let events: Vec<_> = events.collect::<Result<_, _>>().ok()?;
    if events.len() > EVENT_LIMIT {
        return None;
    }
    let display_mode = if is_block { DisplayMode::Block } else { DisplayMode::Inline };
    let config = RenderConfig { display_mode, ..RenderConfig::default() };
    let mut mathml = String::with_capacity(formula.len() * 8);
    let events = events.into_iter().map(Ok::<_, std::fmt::Error>);
    push_mathml(&mut mathml, events, config).ok()?;
    let mathml = sanitize::sanitize(&mathml)?;
    let (_, content) = mathml.split_once('>')?;
    content.strip_suffix("</math>").map(str::to_owned)
}

/// Returns the maximum depth of nested groups.
fn depth(formula: &str) -> usize {
    let mut depth = 0_usize;
    let mut deepest = 0;
    for part in formula.split_inclusive(['{', '}']) {
        if part.ends_with('{') {
            depth += 1;
        } else if part.ends_with('}') {
            depth = depth.saturating_sub(1);
        }
        deepest = deepest.max(depth);
    }
    deepest.max(formula.matches("\\left").count()).max(formula.matches("\\begin").count())
}

#[cfg(test)]
mod tests;
