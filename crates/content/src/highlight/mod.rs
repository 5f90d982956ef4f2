//! Syntax highlighting by hand-written scanners that read each byte of a line a bounded number of
//! times.
//!
//! The scanners use neither regular expressions nor backtracking. They decide by the next few bytes
//! and by a small state that is carried from line to line, so the cost of a block is proportional
//! to its length. See `docs/decisions/0024-render-highlighting.md`.

mod code;
mod css;
mod languages;
mod lines;
mod markup;
mod tokens;

use languages::Kind;

pub(crate) use tokens::Tokens;

use code::CodeState;
use lines::LineState;
use markup::MarkupState;

/// The state of one code block, carried from line to line.
#[derive(Debug)]
pub(crate) struct Highlighter(State);

#[derive(Debug)]
enum State {
    Code(CodeState),
    Css(css::CssState),
    Markup(MarkupState),
    Lines(LineState),
}

impl Highlighter {
    /// Returns a highlighter for a language by one of the names that authors use, such as `js` or
    /// `JavaScript`. Returns `None` for plain text and unknown languages.
    pub(crate) fn new(name: &str) -> Option<Self> {
        let state = match languages::find(name)? {
            Kind::Code(language) => State::Code(CodeState::new(language)),
            Kind::Css => State::Css(css::CssState::default()),
            Kind::Markup => State::Markup(MarkupState::default()),
            Kind::Lines(format) => State::Lines(LineState::new(format)),
        };
        Some(Self(state))
    }

    /// Classifies the next line, given without its line ending.
    pub(crate) fn line(&mut self, line: &str, tokens: &mut Tokens) {
        tokens.clear();
        match &mut self.0 {
            State::Code(state) => state.line(line, tokens),
            State::Css(state) => state.line(line, tokens),
            State::Markup(state) => state.line(line, tokens),
            State::Lines(state) => state.line(line, tokens),
        }
        tokens.finish(line.len());
    }
}

/// Returns the first name of every language.
#[cfg(test)]
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    languages::names()
}

#[cfg(test)]
mod tests;
