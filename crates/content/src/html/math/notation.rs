//! Rewrites commands that other commands can express.

use super::rewrite::{Output, Rewriter, element, placeholder};
use super::source::{Cursor, Token};
use super::text::{self, Font};

impl Rewriter {
    /// Rewrites commands that other commands can express.
    pub(super) fn notation(
        &mut self,
        name: &str,
        cursor: &mut Cursor<'_>,
        to: &mut Output,
    ) -> Option<()> {
        match name {
            "operatorname" | "operatornamewithlimits" => {
                let has_limits = cursor.take("*") || name != "operatorname";
                let content = cursor.argument()?;
                let operator = self.operator(content)?;
                let open = if has_limits { "\\mathop{" } else { "" };
                to.tex.push_str(open);
                to.tex.push_str(&operator);
                to.tex.push_str(if has_limits { "}" } else { "" });
                Some(())
            }
            "mod" => self.replace(r"\quad\operatorname{mod}\;", cursor, to),
            "pod" => {
                let argument = self.atom(cursor)?;
                to.tex.push_str(&format!("\\quad({argument})"));
                Some(())
            }
            "dddot" | "ddddot" => {
                let argument = self.atom(cursor)?;
                let dots = if name == "dddot" { "⋅⋅⋅" } else { "⋅⋅⋅⋅" };
                self.part(element("mo", "", dots), to)?;
                let dots = to.tex.pop()?;
                to.tex.push_str(&format!("\\overset{{{dots}}}{{{argument}}}"));
                Some(())
            }
            "utilde" => {
                let argument = self.atom(cursor)?;
                to.tex.push_str(&format!("\\underset{{\\sim }}{{{argument}}}"));
                Some(())
            }
            "substack" => {
                let argument = self.group(cursor.argument()?, true)?;
                to.tex.push_str(&format!("\\substack{{{argument}}}"));
                Some(())
            }
            "bra" | "ket" | "Bra" | "Ket" | "braket" | "Braket" | "set" | "Set" => {
                self.brackets(name, cursor, to)
            }
            "KaTeX" | "LaTeX" | "TeX" => self.part(text::verbatim(name, Font::default()), to),
            "char" => {
                let c = character(cursor)?;
                if !c.is_alphanumeric() && c.is_ascii() {
                    return self.part(text::verbatim(&c.to_string(), Font::default()), to);
                }
                (placeholder(c).is_none() && !c.is_control()).then(|| to.tex.push(c))
            }
            "verb" => {
                cursor.take("*");
                let rest = cursor.rest();
                let mark = rest.chars().next()?;
                let (code, _) = rest.get(mark.len_utf8()..)?.split_once(mark)?;
                let mathml = text::verbatim(code, Font::MONOSPACE);
                let whole = rest.get(..code.len() + 2 * mark.len_utf8())?;
                cursor.take(whole);
                self.part(mathml, to)
            }
            "href" | "htmlId" | "htmlClass" | "htmlStyle" | "htmlData" => {
                cursor.argument()?;
                self.enclosed(cursor, to, |inner| inner)
            }
            "url" => {
                let url = cursor.argument()?;
                self.part(text::verbatim(url, Font::MONOSPACE), to)
            }
            "includegraphics" => {
                let options = cursor.optional().unwrap_or_default();
                let file = cursor.argument()?;
                let alt = options.split(',').find_map(|option| option.trim().strip_prefix("alt="));
                self.part(text::verbatim(alt.unwrap_or(file), Font::default()), to)
            }
            "mathchoice" => {
                let [display, inline] = [cursor.argument()?, cursor.argument()?];
                let (_, _) = (cursor.argument()?, cursor.argument()?);
                self.replace(if self.is_block { display } else { inline }, cursor, to)
            }
            "TextOrMath" => {
                cursor.argument()?;
                let math = cursor.argument()?;
                self.replace(math, cursor, to)
            }
            "@firstoftwo" | "@secondoftwo" => {
                let (first, second) = (cursor.argument()?, cursor.argument()?);
                self.replace(if name == "@firstoftwo" { first } else { second }, cursor, to)
            }
            "@ifstar" => {
                let (star, none) = (cursor.argument()?, cursor.argument()?);
                cursor.skip_spaces();
                let chosen = if cursor.take("*") { star } else { none };
                self.replace(chosen, cursor, to)
            }
            "@ifnextchar" => {
                let next = cursor.argument()?;
                let (same, other) = (cursor.argument()?, cursor.argument()?);
                cursor.skip_spaces();
                let chosen = if cursor.rest().starts_with(next) { same } else { other };
                self.replace(chosen, cursor, to)
            }
            _ => {
                to.command(name);
                Some(())
            }
        }
    }

    /// Returns a formula for a function name.
    fn operator(&mut self, content: &str) -> Option<String> {
        let name = content.replace("\\,", " ").replace("\\ ", " ").replace('~', " ");
        if name.chars().all(|c| c.is_alphanumeric() || matches!(c, ' ' | '-')) {
            return Some(format!("\\operatorname{{{name}}}"));
        }
        Some(format!("\\mathrm{{{}}}", self.group(content, false)?))
    }

    /// Rewrites the brackets of sets and of quantum states.
    fn brackets(&mut self, name: &str, cursor: &mut Cursor<'_>, to: &mut Output) -> Option<()> {
        let content = cursor.argument()?;
        let limit = if name.eq_ignore_ascii_case("set") { 2 } else { usize::MAX };
        let mut parts = Vec::new();
        for part in split_bars(content, limit) {
            parts.push(self.group(part, false)?);
        }
        let bar = if name.starts_with(char::is_uppercase) { "\\middle|" } else { "|" };
        let (open, bar, close) = match name {
            "bra" => ("\\langle ", bar, "|"),
            "Bra" => ("\\left\\langle ", bar, "\\right|"),
            "ket" => ("|", bar, "\\rangle "),
            "Ket" => ("\\left|", bar, "\\right\\rangle "),
            "braket" => ("\\langle ", bar, "\\rangle "),
            "Braket" => ("\\left\\langle ", bar, "\\right\\rangle "),
            "set" => ("\\{", "\\mid ", "\\}"),
            _ => ("\\left\\{\\:", "\\;\\middle|\\;", "\\:\\right\\}"),
        };
        to.tex.push_str(open);
        to.tex.push_str(&parts.join(bar));
        to.tex.push_str(close);
        Some(())
    }
}

/// Returns the character that `\char` names by a number: decimal, octal after `'`, or hexadecimal
/// after `"`.
fn character(cursor: &mut Cursor<'_>) -> Option<char> {
    let radix = if cursor.take("\"") {
        16
    } else if cursor.take("'") {
        8
    } else {
        10
    };
    let rest = cursor.rest();
    let length = rest.find(|c: char| !c.is_digit(radix)).unwrap_or(rest.len());
    let digits = rest.get(..length)?;
    cursor.take(digits);
    char::from_u32(u32::from_str_radix(digits, radix).ok()?)
}

/// Splits a formula at the bars outside of groups into at most `limit` parts.
fn split_bars(source: &str, limit: usize) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut cursor = Cursor::new(source);
    let mut start = 0;
    while !cursor.is_empty() && parts.len() + 1 < limit {
        let at = source.len() - cursor.rest().len();
        let is_bar = match cursor.next() {
            Some(Token::Character('|') | Token::Command("|" | "vert" | "mid" | "VERT")) => true,
            Some(_) => false,
            None => break,
        };
        if is_bar {
            parts.extend(source.get(start..at));
            start = source.len() - cursor.rest().len();
        }
    }
    parts.extend(source.get(start..));
    parts
}
