//! Examples of the CommonMark and GFM specifications: constructs that the dialect does not change
//! are parsed as specified.

mod examples;
mod reduce;
mod shape;

use std::collections::BTreeMap;
use std::io::Write as _;

use bindery_content::reference::NoLookup;
use bindery_content::{ParseContext, markdown};

/// Examples that are parsed differently, each with the reason in the dialect.
const DIFFERENCES: &str = include_str!("differences.txt");

/// Returns the reduced HTML of the specification and of the document.
fn readings(source: &str, html: &str) -> (String, String) {
    let context = ParseContext { path: "page.md", lookup: &NoLookup };
    let document = markdown::parse(source, &context);
    (reduce::reduce(html), reduce::reduce(&shape::html(&document)))
}

/// Returns the reasons by the names of the examples.
fn differences() -> BTreeMap<&'static str, &'static str> {
    let mut reason = "";
    let mut found = BTreeMap::new();
    for line in DIFFERENCES.lines().filter(|line| !line.is_empty()) {
        match line.strip_prefix("  ") {
            Some(names) => {
                for name in names.split(' ') {
                    assert!(found.insert(name, reason).is_none(), "{name} is listed twice");
                }
            }
            None => reason = line,
        }
    }
    found
}

#[test]
fn examples_are_parsed_as_specified() {
    let Some(examples) = examples::examples() else {
        // Write to standard error directly, as the test runner hides the output of passing tests.
        let _ = writeln!(
            std::io::stderr(),
            "skipped: the sources of pulldown-cmark with its tests are not installed"
        );
        return;
    };
    let (mut listed, mut wrong) = (differences(), String::new());
    for example in &examples {
        let (expected, found) = readings(&example.source, &example.html);
        match (expected == found, listed.remove(example.name.as_str())) {
            (true, None) | (false, Some(_)) => {}
            (true, Some(_)) => wrong.push_str(&format!("{} differs no longer\n", example.name)),
            (false, None) => wrong.push_str(&format!(
                "--- {}\n{}\n  is not {expected}\n  but    {found}\n",
                example.name, example.source
            )),
        }
    }
    listed.keys().for_each(|name| wrong.push_str(&format!("{name} is no example\n")));
    assert!(wrong.is_empty(), "{wrong}");
    let count = |kind: &str| examples.iter().filter(|e| e.name.starts_with(kind)).count();
    assert_eq!((count("spec"), count("gfm")), (652, 14), "all examples are found");
}

#[test]
fn readings_that_differ_are_seen() {
    for (source, html) in [
        ("*a*", "<p><strong>a</strong></p>"),
        ("a\nb", "<p>a<br>b</p>"),
        ("# a", "<h3>a</h3>"),
        ("* a", "<ol><li>a</li></ol>"),
        ("2. a", "<ol><li>a</li></ol>"),
        ("> a\n\nb", "<blockquote><p>a</p><p>b</p></blockquote>"),
        ("[a](b)", "<p><a href=\"c\">a</a></p>"),
        ("![a](b)", "<p><img src=\"b\" alt=\"c\"></p>"),
        ("    a", "<pre><code>a\n\n</code></pre>"),
        ("```b\na\n```", "<pre><code>a\n</code></pre>"),
        ("a *b* c", "<p>a <em>b </em>c</p>"),
        ("* [ ] a", "<ul><li><input type=\"checkbox\" checked> a</li></ul>"),
        ("<b>a</b>", "<p>a</p>"),
        ("a\n\nb", "<p>a</p>"),
    ] {
        let (expected, found) = readings(source, html);
        assert_ne!(expected, found, "{source}");
    }
}
