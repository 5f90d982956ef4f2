//! Highlighting of sample code, and the cost of hostile lines.

use super::{Highlighter, Tokens, names};

/// Highlights a text and marks its tokens as `k‹if›`, one line of output for each line.
fn marked(language: &str, text: &str) -> String {
    let mut highlighter = Highlighter::new(language).unwrap();
    let mut tokens = Tokens::default();
    let mut marked = Vec::new();
    for line in text.lines() {
        highlighter.line(line, &mut tokens);
        let pieces = tokens.pieces(line).map(|(piece, class)| match class {
            Some(class) => format!("{}‹{piece}›", class.name()),
            None => piece.to_owned(),
        });
        marked.push(pieces.collect::<String>());
    }
    marked.join("\n")
}

/// Languages, texts, and the beginnings of the marked texts.
const LINES: &[(&str, &str, &str)] = &[
    (
        "js",
        "const a = `x${b + 1}y`; // z",
        "k‹const› a p‹=› s‹`x›p‹${›b p‹+› n‹1›p‹}›s‹y`›p‹;› c‹// z›",
    ),
    ("js", "x = /a[/]b/g / 2", "x p‹=› n‹/a[/]b/g› p‹/› n‹2›"),
    ("tsx", "return <Foo.Bar a={1}>x</Foo.Bar>", "k‹return› p‹<›k‹Foo.Bar› a"),
    ("python", "def f(x):\n    '''a\n    b''' # c", "k‹def› f‹f›p‹(›x"),
    (
        "bash",
        "$ sudo apt install --yes \"a $X\" | grep x # c",
        "p‹$› k‹sudo› f‹apt› install p‹--›v‹yes› s‹\"a ›v‹$X›s‹\"› p‹|› f‹grep› x c‹# c›",
    ),
    ("sh", "cat <<EOF\n$a if\nEOF\nls", "f‹cat› p‹<<›k‹EOF›\ns‹$a if›\nk‹EOF›\nf‹ls›"),
    (
        "json",
        "{\"a\": [1, \"b\", true]}",
        "p‹{›v‹\"a\"›p‹:› p‹[›n‹1›p‹,› s‹\"b\"›p‹,› n‹true›p‹]}›",
    ),
    (
        "yaml",
        "- a: 1 # c\n  b: |\n    x: y\n  c: \"d\"",
        "p‹-› k‹a›p‹:› n‹1› c‹# c›\n  k‹b›p‹:› p‹|›\ns‹    x: y›\n  k‹c›p‹:› s‹\"d\"›",
    ),
    ("rust", "fn f<'a>(x: &'a str) -> char { '\\n' }", "k‹fn› f‹f›p‹<›k‹'a›p‹>(›x"),
    (
        "html",
        "<a href=\"x\">b &amp; c</a><!-- d -->",
        "p‹<›k‹a› v‹href›p‹=›s‹\"x\"›p‹>›b n‹&amp;› c",
    ),
    ("html", "<script>\nlet a\n</script>", "p‹<›k‹script›p‹>›\nk‹let› a\np‹</›k‹script›p‹>›"),
    (
        "css",
        "a:hover, .b {\n  color: #fff;\n}",
        "k‹a›p‹:›k‹hover›p‹,› v‹.b› p‹{›\n  t‹color›p‹:› n‹#fff›p‹;›\np‹}›",
    ),
    ("diff", "@@ x\n+a\n-b\n c", "k‹@@ x›\ng‹+a›\nd‹-b›\n c"),
    ("sql", "SELECT 'it''s' FROM t -- c", "k‹SELECT› s‹'it''s'› k‹FROM› t c‹-- c›"),
    ("toml", "[a.b]\nc = \"d\" # e", "p‹[›k‹a.b›p‹]›\nk‹c› p‹=› s‹\"d\"› c‹# e›"),
    (
        "http",
        "GET /a HTTP/1.1\nHost: b\n\n{\"c\": 1}",
        "k‹GET› s‹/a› k‹HTTP/1.1›\nv‹Host›p‹:›s‹ b›\n\np‹{›v‹\"c\"›p‹:› n‹1›p‹}›",
    ),
    ("md", "# a\n- `b` [c](d)", "k‹# a›\np‹-› s‹`b`› p‹[›cp‹](›s‹d›p‹)›"),
    ("go", "func (s *T) F() error { return nil }", "k‹func› p‹(›s p‹*›T"),
    ("java", "@Override public int a() { return A.B; }", "f‹@Override› k‹public› t‹int› f‹a›p‹()›"),
    ("c", "#include <a.h>\nint main(void) { return 'x'; }", "k‹#include›s‹ <a.h>›\nt‹int› f‹main›"),
];

#[test]
fn languages_are_highlighted() {
    for &(language, text, expected) in LINES {
        let marked = marked(language, text);
        assert!(marked.starts_with(expected), "{language}\n  is {marked}\nnot {expected}");
    }
}

#[test]
fn tokens_cover_the_whole_line() {
    let texts =
        ["a \"b", "é'ü`ß", "<!-- x", "\\", "${", "\u{1f600}/\u{1f600}", "&", "/*", "<<", "- - :"];
    for language in names() {
        for one in texts {
            for two in texts {
                let text = format!("{one}{two}\n{two} {one}");
                let mut highlighter = Highlighter::new(language).unwrap();
                let mut tokens = Tokens::default();
                for line in text.lines() {
                    highlighter.line(line, &mut tokens);
                    let pieces: String = tokens.pieces(line).map(|(piece, _)| piece).collect();
                    assert_eq!(pieces, line, "{language}");
                }
            }
        }
    }
}

#[test]
fn unknown_names_have_no_highlighter() {
    for name in ["", "text", "plain", "mermaid", "no-such-language", "\u{e9}", &"x".repeat(100)] {
        assert!(Highlighter::new(name).is_none(), "{name}");
    }
    for name in ["JS", "Shell", "YML", "c++", "C#"] {
        assert!(Highlighter::new(name).is_some(), "{name}");
    }
}

/// Parts of lines that begin or end something in one of the languages.
const PIECES: &[&str] = &[
    " ",
    "\t",
    "\"",
    "'",
    "`",
    "\\",
    "/",
    "//",
    "/*",
    "*/",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "<",
    ">",
    "<a",
    "<!--",
    "-->",
    "&",
    "&a",
    "#",
    "##",
    "$",
    "${",
    "$(",
    "#{",
    "{{",
    "{%",
    "%}",
    "<%",
    "<?",
    "<<A",
    "<<",
    "@",
    "a",
    "a ",
    "a(",
    "a:",
    "a: ",
    "a=",
    "=",
    "=/[",
    "/[",
    "\"a\":",
    "\"a\" ",
    "--",
    "-",
    "- ",
    "- -",
    "1",
    "1.",
    "1e",
    "..",
    ".",
    ",",
    ";",
    "|",
    "!",
    "?",
    "~",
    "*",
    "**",
    "_",
    "](",
    "[[",
    "]]",
    "--[[",
    "'''",
    "\"\"\"",
    "r#\"",
    "\u{e9}",
    "\u{1f600}",
    "<script>",
    "</script",
    "<style>",
    "key: |",
    "\\(",
    "%",
    "^",
    "\0",
];

/// Scans lines of hostile pieces in every language. A line that is eight times as long must not
/// cost much more than eight times as much. The limit is for the whole sweep and generous: a
/// scanner that is quadratic in the length of a line takes minutes.
#[test]
fn hostile_lines_take_linear_time() {
    let began = std::time::Instant::now();
    for language in names() {
        for piece in PIECES {
            for suffix in ["", "x"] {
                let line = format!("{}{suffix}", piece.repeat(4_000 / piece.len()));
                let mut highlighter = Highlighter::new(language).unwrap();
                let mut tokens = Tokens::default();
                highlighter.line(&line, &mut tokens);
                highlighter.line(&line, &mut tokens);
            }
        }
    }
    assert!(began.elapsed() < std::time::Duration::from_secs(300), "{:?}", began.elapsed());
}
