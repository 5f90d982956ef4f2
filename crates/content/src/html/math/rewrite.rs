//! Replaces commands that the crate does not know.
//!
//! The result of a rewrite is a formula for the crate. A part whose MathML is written here, such as
//! a text or a box, is a placeholder in it: a character for private use, whose element is replaced
//! by the MathML of the part. Parts are rendered by themselves, so each is as deep as the groups
//! around it in the source.

use std::collections::HashMap;

use super::commands::{arguments, extensible, size, synonym};
use super::definitions::Macro;
use super::diagram;
use super::source::{Cursor, Token, is_word};
use super::text::{self, Font};
use super::{DEPTH_LIMIT, EXPANDED_LIMIT, generate};
use crate::html::escape;

/// The first of the characters that are used as placeholders.
const FIRST_PLACEHOLDER: u32 = 0xF_0000;
/// Maximum number of parts that are rendered by themselves.
const PART_LIMIT: usize = 1024;

/// Returns the MathML of a formula without the enclosing element, or `None` if a part of it cannot
/// be rendered.
pub(super) fn render(formula: &str, is_block: bool) -> Option<String> {
    let mut rewriter = Rewriter {
        is_block,
        parts: Vec::new(),
        macros: HashMap::new(),
        depth: 0,
        budget: EXPANDED_LIMIT * DEPTH_LIMIT / 4,
        size: 1.0,
        tag: None,
    };
    let mut mathml = rewriter.math(formula)?;
    if let Some(tag) = rewriter.tag {
        mathml.push_str("<mspace width=\"2em\"/>");
        mathml.push_str(&tag);
    }
    Some(mathml)
}

pub(super) struct Rewriter {
    pub(super) is_block: bool,
    /// The MathML of the placeholders. Each is used once.
    parts: Vec<String>,
    pub(super) macros: HashMap<String, Macro>,
    depth: usize,
    /// The number of bytes that may still be rewritten.
    budget: usize,
    /// The current font size, relative to the normal one.
    size: f64,
    /// The MathML of the tag of the formula.
    tag: Option<String>,
}

/// A formula for the crate.
#[derive(Default)]
pub(super) struct Output {
    pub(super) tex: String,
    /// The offset of the current cell or line.
    cell: usize,
    /// `true` in an environment, whose cells and lines the crate knows.
    in_environment: bool,
    has_lines: bool,
    has_cells: bool,
}

impl Output {
    /// Writes a command, with a space after its name.
    pub(super) fn command(&mut self, name: &str) {
        self.tex.push('\\');
        self.tex.push_str(name);
        if is_word(name) {
            self.tex.push(' ');
        }
    }

    fn group(&mut self, content: &str) {
        self.tex.push('{');
        self.tex.push_str(content);
        self.tex.push('}');
    }
}

impl Rewriter {
    /// Enters a nested source, and returns the state to leave it with. Returns `None` if a limit
    /// is exceeded.
    pub(super) fn enter(&mut self, source: &str) -> Option<usize> {
        self.budget = self.budget.checked_sub(source.len() + 1)?;
        crate::work::spend(source.len() + 1);
        let before = self.depth;
        self.depth += 1;
        (self.depth <= DEPTH_LIMIT).then_some(before)
    }

    pub(super) fn leave(&mut self, before: usize) {
        self.depth = before;
    }

    /// Returns the MathML of a formula.
    pub(super) fn math(&mut self, source: &str) -> Option<String> {
        let tex = self.group(source, false)?;
        let mathml = generate(&tex, self.is_block)?;
        self.insert_parts(&mathml)
    }

    /// Replaces the placeholders in generated MathML.
    fn insert_parts(&mut self, mathml: &str) -> Option<String> {
        let mut written = String::with_capacity(mathml.len());
        let mut rest = mathml;
        while let Some(at) = rest.find(|c: char| placeholder(c).is_some()) {
            let (before, after) = rest.split_at_checked(at)?;
            written.push_str(before);
            let c = after.chars().next()?;
            let part = self.parts.get_mut(placeholder(c)?).map(std::mem::take)?;
            // The placeholder is the only content of its element.
            let start = written.rfind('<').filter(|_| written.ends_with('>'))?;
            written.truncate(start);
            written.push_str(&part);
            let after = after.get(c.len_utf8()..)?;
            rest = after.strip_prefix("</")?.split_once('>')?.1;
        }
        written.push_str(rest);
        Some(written)
    }

    /// Writes a placeholder.
    pub(super) fn part(&mut self, mathml: String, to: &mut Output) -> Option<()> {
        if self.parts.len() >= PART_LIMIT {
            return None;
        }
        let index = u32::try_from(self.parts.len()).ok()?;
        self.parts.push(mathml);
        to.tex.push(char::from_u32(FIRST_PLACEHOLDER + index)?);
        Some(())
    }

    /// Rewrites the content of a group. Lines and cells outside of an environment get one.
    pub(super) fn group(&mut self, source: &str, in_environment: bool) -> Option<String> {
        let before = self.enter(source)?;
        let mut output = Output { in_environment, ..Output::default() };
        let mut cursor = Cursor::new(source);
        while !cursor.is_empty() {
            self.step(&mut cursor, &mut output)?;
        }
        self.leave(before);
        let environment = match (output.has_cells, output.has_lines) {
            (true, _) => "aligned",
            (false, true) => "gathered",
            _ => return Some(output.tex),
        };
        Some(format!("\\begin{{{environment}}}{}\\end{{{environment}}}", output.tex))
    }

    /// Rewrites the next token with its arguments.
    fn step(&mut self, cursor: &mut Cursor<'_>, to: &mut Output) -> Option<()> {
        match cursor.next()? {
            Token::Space => to.tex.push(' '),
            Token::Group(inner) => {
                let inner = self.group(inner, false)?;
                to.group(&inner);
            }
            Token::Character(mark @ ('^' | '_')) => {
                to.tex.push(mark);
                let script = self.atom(cursor)?;
                to.group(&script);
            }
            Token::Character('&') => {
                to.has_cells |= !to.in_environment;
                to.tex.push('&');
                to.cell = to.tex.len();
            }
            Token::Character(c) if placeholder(c).is_some() => return None,
            Token::Character(c) => to.tex.push(c),
            Token::Command(name) => self.command(name, cursor, to)?,
        }
        Some(())
    }

    /// Rewrites the next group, or the next token with its arguments.
    pub(super) fn atom(&mut self, cursor: &mut Cursor<'_>) -> Option<String> {
        cursor.skip_spaces();
        let mut ahead = *cursor;
        if let Some(Token::Group(inner)) = ahead.next() {
            *cursor = ahead;
            return self.group(inner, false);
        }
        let before = self.enter("")?;
        let mut output = Output::default();
        self.step(cursor, &mut output)?;
        self.leave(before);
        Some(output.tex)
    }

    pub(super) fn command(
        &mut self,
        name: &str,
        cursor: &mut Cursor<'_>,
        to: &mut Output,
    ) -> Option<()> {
        if let Some(known) = self.macros.get(name).cloned() {
            return self.expand(&known, cursor, to);
        }
        if let Some(formula) = synonym(name) {
            return self.replace(formula, cursor, to);
        }
        if let Some(ratio) = size(name) {
            return self.resized(ratio, cursor, to);
        }
        if let Some(font) = Font::default().select(name) {
            let mathml = text::render(self, cursor.argument()?, font)?;
            return self.part(mathml, to);
        }
        if let Some(arrow) = extensible(name) {
            return self.arrow(arrow, cursor, to);
        }
        match arguments(name) {
            0 => {}
            count => {
                to.command(name);
                if name == "sqrt"
                    && let Some(index) = cursor.optional()
                {
                    let index = self.group(index, false)?;
                    to.tex.push_str(&format!("[{{{index}}}]"));
                }
                for _ in 0..count {
                    let argument = self.atom(cursor)?;
                    to.group(&argument);
                }
                return Some(());
            }
        }
        match name {
            "\\" | "cr" => self.line(cursor, to),
            "begin" => self.environment(cursor, to),
            "left" | "right" | "middle" | "big" | "bigl" | "bigr" | "bigm" | "Big" | "Bigl"
            | "Bigr" | "Bigm" | "bigg" | "biggl" | "biggr" | "biggm" | "Bigg" | "Biggl"
            | "Biggr" | "Biggm" => {
                // The crate expects no space before the delimiter.
                to.tex.push('\\');
                to.tex.push_str(name);
                delimiter(cursor.argument()?, to)
            }
            "over" | "atop" | "choose" | "brace" | "brack" | "above" => {
                self.infix(name, cursor, to)
            }
            "def" | "gdef" | "edef" | "xdef" | "let" | "newcommand" | "renewcommand"
            | "providecommand" => self.define(name, cursor),
            "global" | "long" | "relax" | "nobreak" | "allowbreak" | "expandafter" | "noexpand"
            | "nonumber" | "notag" | "displaylimits" => Some(()),
            "label" => cursor.argument().map(drop),
            _ => self.layout(name, cursor, to),
        }
    }

    /// Rewrites commands whose MathML is written here.
    fn layout(&mut self, name: &str, cursor: &mut Cursor<'_>, to: &mut Output) -> Option<()> {
        match name {
            "kern" | "mkern" | "mskip" | "hskip" | "hspace" => {
                cursor.take("*");
                self.space(cursor.length()?, to)
            }
            "rule" => {
                cursor.optional();
                let (width, height) = (cursor.length()?, cursor.length()?);
                let mathml = format!(
                    "<mspace class=\"tex-rule\" width=\"{}\" height=\"{}\"/>",
                    ems(width),
                    ems(height)
                );
                self.part(mathml, to)
            }
            "color" => {
                let color = color(cursor.argument()?)?;
                self.switch(cursor, to, |mathml| colored(&color, &mathml))
            }
            "textcolor" => {
                let color = color(cursor.argument()?)?;
                self.enclosed(cursor, to, |mathml| colored(&color, &mathml))
            }
            "colorbox" | "fcolorbox" => {
                let class = if name == "colorbox" { "tex-fill" } else { "tex-fill tex-box" };
                if name == "fcolorbox" {
                    color(cursor.argument()?)?;
                }
                let color = color(cursor.argument()?)?;
                let text = text::render(self, cursor.argument()?, Font::default())?;
                let mathml =
                    format!("<mstyle class=\"{class}\" mathbackground=\"{color}\">{text}</mstyle>");
                self.part(mathml, to)
            }
            "boxed" | "fbox" => self.classed("tex-box", cursor, to),
            "cancel" => self.classed("tex-cancel", cursor, to),
            "bcancel" => self.classed("tex-bcancel", cursor, to),
            "xcancel" => self.classed("tex-cancel tex-bcancel", cursor, to),
            "sout" => self.classed("tex-strike", cursor, to),
            "angl" => self.classed("tex-angl", cursor, to),
            "phase" => {
                to.command("angle");
                self.classed("tex-phase", cursor, to)
            }
            "phantom" => self.enclosed(cursor, to, |inner| element("mphantom", "", &inner)),
            "hphantom" => self.enclosed(cursor, to, |inner| {
                let hidden = element("mphantom", "", &inner);
                element("mpadded", " height=\"0\" depth=\"0\"", &hidden)
            }),
            "vphantom" => self.enclosed(cursor, to, |inner| {
                element("mpadded", " width=\"0\"", &element("mphantom", "", &inner))
            }),
            "smash" => {
                let attributes = match cursor.optional() {
                    Some("b") => " depth=\"0\"",
                    Some("t") => " height=\"0\"",
                    _ => " height=\"0\" depth=\"0\"",
                };
                self.enclosed(cursor, to, |inner| element("mpadded", attributes, &inner))
            }
            "mathrlap" => {
                self.enclosed(cursor, to, |inner| element("mpadded", " width=\"0\"", &inner))
            }
            "mathllap" | "mathclap" | "vcenter" => self.enclosed(cursor, to, |inner| inner),
            "rlap" | "llap" | "clap" => {
                let text = text::render(self, cursor.argument()?, Font::default())?;
                let width = if name == "rlap" { " width=\"0\"" } else { "" };
                self.part(element("mpadded", width, &text), to)
            }
            "raisebox" => {
                let offset = format!(" voffset=\"{}\"", ems(cursor.length()?));
                let text = text::render(self, cursor.argument()?, Font::default())?;
                self.part(element("mpadded", &offset, &text), to)
            }
            "tag" => {
                let is_bare = cursor.take("*");
                let text = text::render(self, cursor.argument()?, Font::default())?;
                let parenthesis = |c| if is_bare { String::new() } else { element("mtext", "", c) };
                self.tag = Some(format!("{}{text}{}", parenthesis("("), parenthesis(")")));
                Some(())
            }
            _ => self.notation(name, cursor, to),
        }
    }

    /// Rewrites a formula in place of a command. Its last command takes its arguments from what
    /// follows.
    pub(super) fn replace(
        &mut self,
        formula: &str,
        cursor: &mut Cursor<'_>,
        to: &mut Output,
    ) -> Option<()> {
        let before = self.enter(formula)?;
        let mut inner = Cursor::new(formula);
        while !inner.is_empty() {
            let mut ahead = inner;
            match ahead.next()? {
                // The last command of a formula takes its arguments from what follows it.
                Token::Command(name) if ahead.is_empty() => {
                    self.command(name, cursor, to)?;
                    inner = ahead;
                }
                _ => self.step(&mut inner, to)?,
            }
        }
        self.leave(before);
        Some(())
    }

    /// Writes the end of a line.
    fn line(&mut self, cursor: &mut Cursor<'_>, to: &mut Output) -> Option<()> {
        to.has_lines |= !to.in_environment;
        to.tex.push_str("\\\\");
        if cursor.rest().trim_start().starts_with('[') {
            let mut ahead = *cursor;
            if let Some(length) = ahead.optional().and_then(|own| Cursor::new(own).length()) {
                *cursor = ahead;
                to.tex.push_str(&format!("[{}]", ems(length)));
            } else {
                // Otherwise the crate would expect a length.
                to.tex.push_str("{}");
            }
        }
        to.cell = to.tex.len();
        // Rules between lines must follow directly.
        cursor.skip_spaces();
        Some(())
    }

    fn environment(&mut self, cursor: &mut Cursor<'_>, to: &mut Output) -> Option<()> {
        let name = cursor.argument()?;
        let mut inner = Cursor::new(cursor.environment()?);
        if name == "CD" {
            let array = diagram::array(inner.rest())?;
            let array = self.group(&array, false)?;
            to.tex.push_str(&array);
            return Some(());
        }
        to.tex.push_str(&format!("\\begin{{{name}}}"));
        let has_argument =
            matches!(name, "array" | "darray" | "subarray" | "alignat" | "alignat*" | "alignedat");
        if name.ends_with('*')
            && let Some(columns) = inner.optional()
        {
            to.tex.push_str(&format!("[{columns}]"));
        }
        if has_argument {
            let columns = inner.argument()?;
            // The crate does not know columns that are separated by dashes.
            to.group(&columns.replace(':', "|"));
        }
        inner.skip_spaces();
        let content = self.group(inner.rest(), true)?;
        to.tex.push_str(&content);
        to.tex.push_str(&format!("\\end{{{name}}}"));
        Some(())
    }

    /// Rewrites a command that stands between its arguments.
    fn infix(&mut self, name: &str, cursor: &mut Cursor<'_>, to: &mut Output) -> Option<()> {
        let above = to.tex.split_off(to.cell);
        let line = if name == "above" { Some(cursor.length()?) } else { None };
        let below = self.group(cursor.scope()?, false)?;
        to.tex.push_str(&match (name, line) {
            (_, Some(line)) => {
                format!("\\genfrac{{}}{{}}{{{}}}{{}}{{{above}}}{{{below}}}", ems(line))
            }
            ("atop", _) => format!("\\genfrac{{}}{{}}{{0pt}}{{}}{{{above}}}{{{below}}}"),
            ("choose", _) => format!("\\binom{{{above}}}{{{below}}}"),
            ("brace", _) => {
                format!("\\left\\{{\\genfrac{{}}{{}}{{0pt}}{{}}{{{above}}}{{{below}}}\\right\\}}")
            }
            ("brack", _) => {
                format!("\\left[\\genfrac{{}}{{}}{{0pt}}{{}}{{{above}}}{{{below}}}\\right]")
            }
            _ => format!("\\frac{{{above}}}{{{below}}}"),
        });
        Some(())
    }

    /// Rewrites what a switch applies to: the rest of the group, or of the cell in an environment.
    fn switch(
        &mut self,
        cursor: &mut Cursor<'_>,
        to: &mut Output,
        enclose: impl Fn(String) -> String,
    ) -> Option<()> {
        let before = self.enter("")?;
        loop {
            let scope = cursor.scope()?;
            if !scope.trim().is_empty() {
                let mathml = enclose(self.math(scope)?);
                self.part(mathml, to)?;
            }
            let is_separated = cursor.rest().starts_with(['&'])
                || ["\\\\", "\\cr", "\\newline"].iter().any(|end| cursor.rest().starts_with(end));
            if to.in_environment || !is_separated {
                break;
            }
            self.step(cursor, to)?;
        }
        self.leave(before);
        Some(())
    }

    /// Rewrites what a font size applies to.
    fn resized(&mut self, size: f64, cursor: &mut Cursor<'_>, to: &mut Output) -> Option<()> {
        let before = std::mem::replace(&mut self.size, size);
        let ratio = size / before;
        let done = self.switch(cursor, to, |inner| {
            element("mstyle", &format!(" mathsize=\"{}%\"", (ratio * 100.0).round()), &inner)
        });
        self.size = before;
        done
    }

    /// Rewrites a command that encloses its argument.
    pub(super) fn enclosed(
        &mut self,
        cursor: &mut Cursor<'_>,
        to: &mut Output,
        enclose: impl Fn(String) -> String,
    ) -> Option<()> {
        let mathml = enclose(self.math(cursor.argument()?)?);
        self.part(element("mrow", "", &mathml), to)
    }

    fn classed(&mut self, class: &str, cursor: &mut Cursor<'_>, to: &mut Output) -> Option<()> {
        let attributes = format!(" class=\"{class}\"");
        self.enclosed(cursor, to, |inner| element("mrow", &attributes, &inner))
    }

    fn space(&mut self, width: f64, to: &mut Output) -> Option<()> {
        // MathML has no negative spaces.
        if width > 0.0 {
            self.part(format!("<mspace width=\"{}\"/>", ems(width)), to)?;
        }
        Some(())
    }

    fn arrow(&mut self, arrow: char, cursor: &mut Cursor<'_>, to: &mut Output) -> Option<()> {
        let below = match cursor.optional() {
            Some(below) => Some(self.math(below)?),
            None => None,
        };
        let above = self.math(cursor.argument()?)?;
        let padded = |inner: &str| element("mpadded", " lspace=\"0.3em\" width=\"+0.6em\"", inner);
        let arrow = format!("<mo stretchy=\"true\">{arrow}</mo>");
        let above = padded(&above);
        let mathml = match below {
            Some(below) => element("munderover", "", &format!("{arrow}{}{above}", padded(&below))),
            None => element("mover", "", &format!("{arrow}{above}")),
        };
        self.part(element("mrow", "", &mathml), to)
    }
}

/// Returns the index of the part whose placeholder a character is.
pub(super) fn placeholder(c: char) -> Option<usize> {
    let index = u32::from(c).checked_sub(FIRST_PLACEHOLDER)?;
    usize::try_from(index).ok().filter(|index| *index < 0x1_0000)
}

/// Returns an element with attributes and content.
pub(super) fn element(name: &str, attributes: &str, content: &str) -> String {
    format!("<{name}{attributes}>{content}</{name}>")
}

fn colored(color: &str, mathml: &str) -> String {
    element("mstyle", &format!(" mathcolor=\"{color}\""), mathml)
}

/// Formats a length as an attribute.
fn ems(length: f64) -> String {
    let mut text = format!("{length:.3}");
    text.truncate(text.trim_end_matches('0').trim_end_matches('.').len());
    text + "em"
}

/// Returns a color as it is written in MathML.
fn color(text: &str) -> Option<String> {
    let text = text.trim();
    let hex = text.strip_prefix('#').unwrap_or(text);
    let is_hex = matches!(hex.len(), 3 | 6) && hex.bytes().all(|b| b.is_ascii_hexdigit());
    if is_hex && (text.starts_with('#') || hex.len() == 6) {
        return Some(format!("#{hex}"));
    }
    let is_name = (1..=24).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_alphabetic());
    is_name.then(|| {
        let mut name = String::new();
        escape(text, &mut name);
        name
    })
}

/// Writes a delimiter.
fn delimiter(delimiter: &str, to: &mut Output) -> Option<()> {
    let delimiter = delimiter.trim();
    match delimiter.strip_prefix('\\') {
        Some("lt") => to.command("langle"),
        Some("gt") => to.command("rangle"),
        Some(name) => match synonym(name) {
            Some(formula) => {
                to.tex.push_str(formula);
                to.tex.push(' ');
            }
            None => to.command(name),
        },
        None => match delimiter {
            "<" => to.command("langle"),
            ">" => to.command("rangle"),
            delimiter => to.tex.push_str(delimiter),
        },
    }
    Some(())
}
