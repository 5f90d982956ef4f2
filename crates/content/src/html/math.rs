//! Formulas as MathML.

use pulldown_latex::config::DisplayMode;
use pulldown_latex::{Parser, RenderConfig, Storage, push_mathml};

use super::escape;

/// Longer formulas are shown as they are written.
const LENGTH_LIMIT: usize = 4096;
/// Formulas nested deeper are shown as they are written.
const DEPTH_LIMIT: usize = 48;

/// Writes a formula as MathML, or as code where it cannot be read.
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

fn mathml(formula: &str, is_block: bool) -> Option<String> {
    if formula.len() > LENGTH_LIMIT || depth(formula) > DEPTH_LIMIT {
        return None;
    }
    let storage = Storage::new();
    let events: Vec<_> = Parser::new(formula, &storage).collect::<Result<_, _>>().ok()?;
    let display_mode = if is_block { DisplayMode::Block } else { DisplayMode::Inline };
    let config = RenderConfig { display_mode, ..RenderConfig::default() };
    let mut mathml = String::with_capacity(formula.len() * 8);
    let events = events.into_iter().map(Ok::<_, std::fmt::Error>);
    push_mathml(&mut mathml, events, config).ok()?;
    Some(without_styles(&mathml))
}

/// How deep groups are nested, at most.
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

/// The pages' policy allows no styles in attributes.
fn without_styles(mathml: &str) -> String {
    let mut html = String::with_capacity(mathml.len());
    let mut rest = mathml;
    while let Some((before, after)) = rest.split_once(" style=\"") {
        html.push_str(before);
        rest = after.split_once('"').map_or("", |(_, after)| after);
    }
    html.push_str(rest);
    html
}
