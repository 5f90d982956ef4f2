//! Formulas: MathML as Typst's functions for formulas.
//!
//! `bindery_content` writes formulas as MathML, so the formulas in a PDF are those that pages show.

use crate::html::{Element, Node};
use crate::source::Source;

/// Maximum depth of a formula. Typst limits the depth of expressions; the rest of a deeper formula
/// is written as text.
const DEPTH_LIMIT: usize = 24;
/// Maximum width of a space in em.
const MAX_SPACE: f64 = 4.0;

/// Writes a formula.
pub(super) fn write(math: &Element, is_block: bool, to: &mut Source) {
    to.code(if is_block { "math.equation(block:true,{" } else { "math.equation({" });
    let mut formula = Formula { to };
    match lines(math) {
        Some(table) => formula.lines(table),
        None => formula.nodes(&math.children, 0),
    }
    to.code("});");
}

struct Formula<'s> {
    to: &'s mut Source,
}

impl Formula<'_> {
    fn nodes(&mut self, nodes: &[Node], depth: usize) {
        for node in nodes {
            match node {
                Node::Text(text) if text.trim().is_empty() => {}
                Node::Text(text) => self.text(text),
                Node::Element(element) => self.element(element, depth),
            }
        }
    }

    /// Writes the rows of a table as lines that are aligned with each other.
    fn lines(&mut self, table: &Element) {
        for (at, row) in table.elements().filter(|row| row.name == "mtr").enumerate() {
            if at > 0 {
                self.to.code("linebreak();");
            }
            for (at, cell) in row.elements().filter(|cell| cell.name == "mtd").enumerate() {
                if at > 0 {
                    self.to.code("align-mark;");
                }
                self.nodes(&cell.children, 1);
            }
        }
    }

    fn text(&mut self, text: &str) {
        self.to.string(text);
        self.to.code(";");
    }

    /// Writes an argument: the content of the element.
    fn argument(&mut self, element: Option<&Element>, depth: usize) {
        self.to.code("{[];");
        if let Some(element) = element {
            self.element(element, depth + 1);
        }
        self.to.code("}");
    }

    fn call(&mut self, function: &str, arguments: &[Option<&Element>], depth: usize) {
        self.to.code(function);
        self.to.code("(");
        for argument in arguments {
            self.argument(*argument, depth);
            self.to.code(",");
        }
        self.to.code(");");
    }

    fn element(&mut self, element: &Element, depth: usize) {
        if depth > DEPTH_LIMIT {
            return self.text(&element.text());
        }
        let mut parts = element.elements();
        let mut part = || parts.next();
        match element.name.as_str() {
            "mi" => self.identifier(element),
            "mo" => self.operator(element),
            "mn" => self.text(element.text().trim()),
            "mtext" | "ms" => self.text(&element.text()),
            "mspace" => self.space(element),
            "mfrac" => {
                let is_plain = element.attribute("linethickness").is_some_and(|width| {
                    width
                        .trim_start_matches('0')
                        .starts_with(|c: char| !c.is_ascii_digit() && c != '.')
                        || width == "0"
                });
                let arguments = [part(), part()];
                self.call(if is_plain { "stacked" } else { "math.frac" }, &arguments, depth);
            }
            "msqrt" => {
                self.to.code("math.sqrt({[];");
                self.nodes(&element.children, depth + 1);
                self.to.code("});");
            }
            "mroot" => {
                let (radicand, index) = (part(), part());
                self.call("math.root", &[index, radicand], depth);
            }
            "msub" => self.scripts(part(), &[("b", part())], depth),
            "msup" => self.scripts(part(), &[("t", part())], depth),
            "msubsup" => self.scripts(part(), &[("b", part()), ("t", part())], depth),
            "munder" => self.over_under(part(), part(), None, depth),
            "mover" => self.over_under(part(), None, part(), depth),
            "munderover" => self.over_under(part(), part(), part(), depth),
            "mmultiscripts" => self.multiscripts(element, depth),
            "mtable" => self.table(element, depth),
            "mphantom" => {
                self.to.code("hide({[];");
                self.nodes(&element.children, depth + 1);
                self.to.code("});");
            }
            "menclose" => self.enclosed(element, depth),
            "mstyle" if element.attribute("displaystyle") == Some("true") => {
                self.to.code("math.display({[];");
                self.nodes(&element.children, depth + 1);
                self.to.code("});");
            }
            "mrow" if is_fenced(element) => {
                self.to.code("math.lr({[];");
                self.nodes(&element.children, depth + 1);
                self.to.code("});");
            }
            "annotation" => {}
            _ => {
                self.to.code("{[];");
                self.nodes(&element.children, depth + 1);
                self.to.code("};");
            }
        }
    }

    fn symbol(&mut self, text: &str) {
        self.to.code("y(");
        self.to.string(text);
        self.to.code(");");
    }

    fn identifier(&mut self, element: &Element) {
        let text = element.text();
        let text = text.trim();
        let is_single = text.chars().count() == 1;
        let is_upright = element.attribute("mathvariant") == Some("normal");
        match (is_single, is_upright) {
            (true, true) => {
                self.to.code("math.upright(y(");
                self.to.string(text);
                self.to.code("));");
            }
            (true, false) => self.symbol(text),
            (false, _) => {
                self.to.code("math.upright(");
                self.to.string(text);
                self.to.code(");");
            }
        }
    }

    fn operator(&mut self, element: &Element) {
        let text = element.text();
        let text = text.trim();
        match text {
            // Invisible operators: application, multiplication, separation, addition.
            "" | "\u{2061}" | "\u{2062}" | "\u{2063}" | "\u{2064}" => {}
            _ if text.chars().count() > 1 => self.text(text),
            _ if element.attribute("stretchy") == Some("false") => {
                self.to.code("math.class(\"normal\",y(");
                self.to.string(text);
                self.to.code("));");
            }
            _ => self.symbol(text),
        }
    }

    fn space(&mut self, element: &Element) {
        let width = element.attribute("width").and_then(em).unwrap_or_default();
        if width != 0.0 {
            self.to.code("h(");
            self.to.number(format_args!("{:.4}", width.clamp(-MAX_SPACE, MAX_SPACE)));
            self.to.code("em);");
        }
    }

    fn scripts(
        &mut self,
        base: Option<&Element>,
        scripts: &[(&str, Option<&Element>)],
        depth: usize,
    ) {
        self.to.code("math.attach(");
        self.argument(base, depth);
        for (name, script) in scripts {
            self.to.code(",");
            self.to.code(name);
            self.to.code(":");
            self.argument(*script, depth);
        }
        self.to.code(");");
    }

    fn over_under(
        &mut self,
        base: Option<&Element>,
        under: Option<&Element>,
        over: Option<&Element>,
        depth: usize,
    ) {
        let mark = |script: Option<&Element>| {
            script
                .filter(|script| matches!(script.name.as_str(), "mo" | "mi"))
                .map(|script| script.text().trim().to_owned())
        };
        let function = match (under, mark(under), over, mark(over)) {
            (None, _, Some(_), Some(mark)) => match mark.as_str() {
                "\u{23de}" => Some("math.overbrace"),
                "\u{23b4}" => Some("math.overbracket"),
                "\u{23dc}" => Some("math.overparen"),
                "\u{203e}" | "\u{af}" | "_" | "\u{2015}" | "\u{305}" => Some("math.overline"),
                _ => return self.accent(base, &mark, over, depth),
            },
            (Some(_), Some(mark), None, _) => match mark.as_str() {
                "\u{23df}" => Some("math.underbrace"),
                "\u{23b5}" => Some("math.underbracket"),
                "\u{23dd}" => Some("math.underparen"),
                "\u{5f}" | "\u{332}" | "\u{2015}" => Some("math.underline"),
                _ => None,
            },
            _ => None,
        };
        if let Some(function) = function {
            return self.call(function, &[base], depth);
        }
        self.to.code("math.attach(math.limits(");
        self.argument(base, depth);
        self.to.code(")");
        for (name, script) in [("b", under), ("t", over)] {
            if script.is_some() {
                self.to.code(",");
                self.to.code(name);
                self.to.code(":");
                self.argument(script, depth);
            }
        }
        self.to.code(");");
    }

    /// Writes a base with a mark above. Marks that are no accents are written as scripts.
    fn accent(&mut self, base: Option<&Element>, mark: &str, over: Option<&Element>, depth: usize) {
        let accent = match mark {
            "^" | "\u{2c6}" | "\u{302}" => "\u{302}",
            "~" | "\u{2dc}" | "\u{223c}" | "\u{303}" => "\u{303}",
            "\u{2192}" | "\u{20d7}" => "\u{20d7}",
            "\u{2190}" | "\u{20d6}" => "\u{20d6}",
            "\u{2d9}" | "." | "\u{307}" => "\u{307}",
            "\u{a8}" | "\u{308}" => "\u{308}",
            "\u{20db}" => "\u{20db}",
            "\u{b4}" | "\u{301}" => "\u{301}",
            "`" | "\u{300}" => "\u{300}",
            "\u{2d8}" | "\u{306}" => "\u{306}",
            "\u{2c7}" | "\u{30c}" => "\u{30c}",
            "\u{2da}" | "\u{30a}" => "\u{30a}",
            _ => {
                self.to.code("math.attach(math.limits(");
                self.argument(base, depth);
                self.to.code("),t:");
                self.argument(over, depth);
                return self.to.code(");");
            }
        };
        self.to.code("math.accent(");
        self.argument(base, depth);
        self.to.code(",");
        self.to.string(accent);
        self.to.code(");");
    }

    /// Writes a base with scripts on both sides. In MathML, pairs of lower and upper scripts follow
    /// the base; those after `<mprescripts>` stand before it.
    fn multiscripts(&mut self, element: &Element, depth: usize) {
        let parts: Vec<_> = element.elements().collect();
        let Some((base, scripts)) = parts.split_first() else { return };
        let at = scripts.iter().position(|part| part.name == "mprescripts");
        let (after, before) = scripts.split_at(at.unwrap_or(scripts.len()));
        let pair = |list: &[&Element], at: usize| list.get(at).map(|part| (*part).clone());
        let found = [
            ("b", pair(after, 0)),
            ("t", pair(after, 1)),
            ("bl", pair(before, 1)),
            ("tl", pair(before, 2)),
        ];
        let scripts: Vec<_> = found
            .iter()
            .filter(|(_, script)| script.is_some())
            .map(|(name, script)| (*name, script.as_ref()))
            .collect();
        self.scripts(Some(base), &scripts, depth);
    }

    fn enclosed(&mut self, element: &Element, depth: usize) {
        let notation = element.attribute("notation").unwrap_or_default();
        self.to.code(match notation {
            "updiagonalstrike" | "horizontalstrike" => "math.cancel({[];",
            "downdiagonalstrike" => "math.cancel(inverted:true,{[];",
            "updiagonalstrike downdiagonalstrike" => "math.cancel(cross:true,{[];",
            "box" | "circle" | "roundedbox" => "boxed({[];",
            _ => "{({[];",
        });
        self.nodes(&element.children, depth + 1);
        self.to.code(
            if notation.contains("strike") || matches!(notation, "box" | "circle" | "roundedbox") {
                "});"
            } else {
                "})};"
            },
        );
    }

    fn table(&mut self, table: &Element, depth: usize) {
        let is_aligned = table.has_class("menv-alignlike");
        // Typst aligns the cells of a matrix at alignment points.
        self.to.code("math.mat(delim:none,column-gap:");
        self.to.code(if is_aligned { "0em" } else { "0.8em" });
        if table.has_class("menv-cells-left") || table.has_class("menv-cases") {
            self.to.code(",align:left");
        }
        for row in table.elements().filter(|row| row.name == "mtr") {
            self.to.code(",(");
            for (at, cell) in row.elements().filter(|cell| cell.name == "mtd").enumerate() {
                self.to.code("{[];");
                if is_aligned && at % 2 == 1 {
                    self.to.code("align-mark;");
                }
                self.nodes(&cell.children, depth + 1);
                if is_aligned && at % 2 == 0 {
                    self.to.code("align-mark;");
                }
                self.to.code("},");
            }
            self.to.code(")");
        }
        self.to.code(");");
    }
}

/// Returns the table of a formula that consists only of aligned lines.
fn lines(math: &Element) -> Option<&Element> {
    let mut inner = math;
    loop {
        let mut elements = inner.elements();
        let only = elements.next().filter(|_| elements.next().is_none())?;
        match only.name.as_str() {
            "mtable" if only.has_class("menv-alignlike") => return Some(only),
            "mrow" | "mstyle" => inner = only,
            _ => return None,
        }
    }
}

/// Returns `true` if a row is enclosed by delimiters that grow with it.
fn is_fenced(row: &Element) -> bool {
    let is_fence = |element: Option<&Element>| {
        element.is_some_and(|element| {
            element.name == "mo"
                && element.attribute("stretchy") != Some("false")
                && element
                    .text()
                    .trim()
                    .chars()
                    .all(|char| "()[]{}|‖⟨⟩⌈⌉⌊⌋⟦⟧⟮⟯⎰⎱↑↓⇑⇓/\\".contains(char))
        })
    };
    is_fence(row.elements().next()) || is_fence(row.elements().last())
}

/// Returns a width in em.
fn em(width: &str) -> Option<f64> {
    let end = width.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(width.len());
    let (number, unit) = width.split_at_checked(end)?;
    let number: f64 = number.parse().ok()?;
    let per_unit = match unit {
        "em" => 1.0,
        "mu" => 1.0 / 18.0,
        "ex" => 0.5,
        "pt" | "px" => 0.1,
        "pc" => 1.2,
        "cm" => 2.8,
        "mm" => 0.28,
        "in" => 7.2,
        _ => return None,
    };
    Some(number * per_unit).filter(|width| width.is_finite())
}
