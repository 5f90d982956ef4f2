//! Tests of the rendering of formulas.

use super::*;

/// A formula for each function that KaTeX documents as supported, by section.
const SUPPORTED: &str = include_str!("supported.txt");

/// Formulas of that list that are shown as their source.
const UNSUPPORTED: &[&str] = &[r"\futurelet\sq\relax x"];

fn formulas() -> impl Iterator<Item = &'static str> {
    SUPPORTED.lines().filter(|line| !line.starts_with("# "))
}

#[test]
fn functions_of_katex_are_rendered() {
    let raw: Vec<&str> = formulas().filter(|formula| mathml(formula, true).is_none()).collect();
    let count = formulas().count();
    // The crate itself can define commands, but without a limit.
    let is_definition = |formula: &str| {
        ["\\let", "\\futurelet", "def\\", "command"].iter().any(|name| formula.contains(name))
    };
    let alone = formulas().filter(|formula| !is_definition(formula));
    let alone = alone.filter(|formula| generate(formula, true).is_some()).count();
    println!("{} of {count} formulas are rendered, {alone} by the crate alone", count - raw.len());
    assert_eq!(raw, UNSUPPORTED);
}

#[test]
fn formulas_are_balanced() {
    for formula in formulas().chain(COMPOSED.iter().map(|(formula, _)| *formula)) {
        for is_block in [false, true] {
            let Some(mathml) = mathml(formula, is_block) else { continue };
            let unknown = mathml.chars().find(|c| (0xF_0000..0x11_0000).contains(&u32::from(*c)));
            assert_eq!(unknown, None, "{formula}: {mathml}");
            assert_eq!(balance(&mathml), Some(()), "{formula}: {mathml}");
        }
    }
}

/// Returns `None` if the elements are not balanced.
fn balance(mathml: &str) -> Option<()> {
    let mut open = Vec::new();
    for tag in mathml.split('<').skip(1) {
        let (tag, _) = tag.split_once('>')?;
        match tag.strip_prefix('/') {
            Some(name) => (open.pop()? == name).then_some(())?,
            None if tag.ends_with('/') => {}
            None => open.push(tag.split(' ').next()?),
        }
    }
    open.is_empty().then_some(())
}

/// Formulas and parts of their MathML.
const COMPOSED: &[(&str, &[&str])] = &[
    (r"\Large x + {\small y} z", &["<mstyle mathsize=\"144%\"", "<mstyle mathsize=\"63%\""]),
    (r"\begin{matrix} \Large a & b \end{matrix}", &["mathsize=\"144%\"><mi>a</mi></mstyle>"]),
    (r"p \\ q", &["<mtable", "<mi>p</mi>", "<mi>q</mi>"]),
    (r"\text{50% of $x^2$ \& 20\%}", &["50% of\u{A0}</mtext><msup>", "\u{A0}&amp; 20%</mtext>"]),
    (r"x_\text{max} + y^\R", &["<msub><mi>x</mi>", "<mtext>max</mtext>"]),
    (r"\color{red} a + b", &["<mstyle mathcolor=\"red\"><mi>a</mi>"]),
    (r"\frac\Reals 2", &["<mfrac>"]),
    (r"\newcommand{\norm}[2][2]{\lVert #2 \rVert_#1} \norm{x} + \norm[1]{y}", &["<mn>2</mn>"]),
    (r"a \over b", &["<mfrac>"]),
    (r"\tag{3.1} x", &["<mtext>(</mtext>", "3.1"]),
    (r"\text{a < b}", &["a &lt; b"]),
    (r"\boxed{x}", &["<mrow class=\"tex-box\"><mi>x</mi></mrow>"]),
    (r"\text{\'{e}\LaTeX{}}", &["e\u{301}LaTeX"]),
    (r"\text{if \(x^2\) holds}", &["if\u{A0}</mtext><msup>", "\u{A0}holds</mtext>"]),
    (
        r"\begin{CD} A @>f>g> B @= C \\ @VaVV @. @| \\ D @<<< E @. F \end{CD}",
        &["<munderover><mo stretchy=\"true\">→", "<mi>f</mi>", "↓", "‖", "←"],
    ),
];

#[test]
fn composed_formulas_are_rendered() {
    for (formula, parts) in COMPOSED {
        let rendered = mathml(formula, true);
        let rendered = rendered.unwrap_or_else(|| panic!("{formula} is not rendered"));
        for part in *parts {
            assert!(rendered.contains(part), "{formula}: {part} in {rendered}");
        }
    }
}

#[test]
fn invalid_formulas_are_shown_as_source() {
    for formula in [
        r"\nosuchcommand",
        r"{x",
        r"x}",
        r"\frac{1}",
        r"\begin{matrix} x",
        r"\left( x",
        r"\text{$x}",
        r"\color{url(x)} y",
        r"\color{red;x:y} z",
        "\u{F0000}",
        r"\text{\nosuchcommand}",
        r"\verb|x",
        r"\begin{CD} A @>x> B \end{CD}",
        r"\begin{CD} A @x B \end{CD}",
        r"\text{\(x}",
        r"\def\a{\a}\a",
        r"\def\a{\b\b}\def\b{\a\a}\a",
        r"\newcommand\a[1]{#1#1#1#1}\a{\a{\a{\a{\a{\a{\a{\a{\a{xxxxxxxx}}}}}}}}}",
    ] {
        assert_eq!(mathml(formula, true), None, "{formula}");
    }
    let mut html = String::new();
    push(r"\nosuchcommand < 1", false, &mut html);
    assert_eq!(html, r"<code>\nosuchcommand &lt; 1</code>");
}

#[test]
fn hostile_formulas_take_bounded_work() {
    let many = |part: &str| part.repeat(LENGTH_LIMIT / part.len());
    for formula in [
        many(r"\Large "),
        many(r"{\Large x"),
        many(r"\text{"),
        many(r"\text{$"),
        many(r"\boxed{"),
        many(r"a \over "),
        many(r"\\"),
        many(r"\left( "),
        many(r"x_"),
        many(r"\def\a{x}\a"),
        format!(r"\def\a{{{}}}{}", "x".repeat(2000), r"\a".repeat(900)),
        format!("{}x{}", r"\boxed{".repeat(40), "}".repeat(40)),
        format!("{}x{}", r"\text{$".repeat(40), "$}".repeat(40)),
        many(r"\begin{matrix} & \Large x & \\"),
        many("| "),
        format!(r"\Set{{{}}}", "|".repeat(4000)),
        format!(r"\begin{{CD}}{}\end{{CD}}", "@>x>>".repeat(700)),
        format!(r"\begin{{CD}}{}", "@V".repeat(2000)),
    ] {
        let work = crate::work::measure(|| {
            let rendered = mathml(&formula, true);
            assert!(rendered.is_none_or(|html| html.len() < 400 * LENGTH_LIMIT));
        });
        assert!(work < 60 * LENGTH_LIMIT as u64, "{work}: {formula:.40}");
    }
}
