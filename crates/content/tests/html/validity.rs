//! HTML of authors becomes valid HTML, whatever its nesting.

use bindery_content::document::{BlockKind, Document, Node, Opaque, OpaqueKind};
use bindery_content::html::{NoLinks, RenderContext, render};
use bindery_content::reference::NoLookup;
use bindery_content::{ParseContext, markdown};

use crate::check::found;

fn foreign(source: &str) -> String {
    let opaque = Opaque {
        block: OpaqueKind::Unknown,
        source: source.to_owned(),
        nodes: Vec::new(),
        references: Vec::new(),
    };
    let block = Node::new(Default::default(), BlockKind::Opaque(Box::new(opaque)));
    let document = Document { nodes: vec![block], ..Document::default() };
    let html = render(&document, &RenderContext { links: &NoLinks, highlight: false }).body;
    assert_eq!(found(&html), Vec::<String>::new(), "{source}");
    let html = html.trim_end();
    let inner = html.strip_prefix("<div class=\"opaque\">").and_then(|h| h.strip_suffix("</div>"));
    inner.unwrap_or(html).to_owned()
}

fn check(cases: &[(&str, &str)]) {
    for (source, expected) in cases {
        assert_eq!(foreign(source), *expected, "{source}");
    }
}

#[test]
fn titles_are_lines() {
    check(&[
        (
            "<details><summary><h3 id=\"x\">a</h3></summary>b</details>",
            "<details><summary><strong id=\"x\">a</strong></summary>b</details>",
        ),
        (
            "<details><summary><div>a</div><ul><li>b<li>c</ul><hr>d</summary></details>",
            "<details><summary><span>a</span><span><span><br>b</span><span><br>c</span></span><br>d</summary></details>",
        ),
        (
            "<details><summary><table><tr><td colspan=2>a</table><pre>b</pre></summary></details>",
            "<details><summary><span><span><span>a</span></span></span><code><br>b</code></summary></details>",
        ),
        (
            "<details><summary>a<details><summary>b</summary></details></summary></details>",
            "<details><summary>a<span><span><br>b</span></span></summary></details>",
        ),
    ]);
}

#[test]
fn titles_come_first_and_once() {
    check(&[
        ("<details>a<summary>b</summary>c</details>", "<details><summary>b</summary>ac</details>"),
        (
            "<details><summary>a</summary><summary>b</summary></details>",
            "<details><summary>a</summary><div>b</div></details>",
        ),
        (
            "<table><tr><td>a</td></tr><caption>b</caption><caption>c</caption></table>",
            "<table><caption>b</caption><tbody><tr><td>a</td></tr></tbody><tbody><tr><td>c</td></tr></tbody></table>",
        ),
    ]);
}

#[test]
fn rows_cells_and_items_are_implied() {
    check(&[
        ("<table><tr><td>a", "<table><tbody><tr><td>a</td></tr></tbody></table>"),
        (
            "<table><div>a</div></table>",
            "<table><tbody><tr><td><div>a</div></td></tr></tbody></table>",
        ),
        (
            "<ul><b>a</b><br><ul><li>b</ul></ul>",
            "<ul><li><b>a</b><br><ul><li>b</li></ul></li></ul>",
        ),
        (
            "<table><tr><th>a<th><th scope=\"ROW\">b<tr><th id=\"c\"> <th>d</table>",
            "<table><tbody><tr><th scope=\"col\">a</th><td></td><th scope=\"row\">b</th></tr><tr><td id=\"c\"> </td><th scope=\"row\">d</th></tr></tbody></table>",
        ),
        ("<h2></h2><h3 id=\"x\"> </h3>a", "<span class=\"alias\" id=\"x\"></span> a"),
        ("<dl><p>a</p></dl>", "<dl><dd><p>a</p></dd></dl>"),
        ("<dl><dt><h4>a</h4></dt></dl>", "<dl><dt><strong>a</strong></dt></dl>"),
        ("<p>a<rt>b</rt> <ruby>c<rt>d</rt></ruby>", "<p>ab <ruby>c<rt>d</rt></ruby></p>"),
    ]);
}

#[test]
fn blocks_end_lines() {
    check(&[
        ("<b>a<div>b</div>c</b>d", "<b>a</b><div><b>b</b></div><b>c</b>d"),
        ("<b><p>a</p><p>b</p></b>c", "<p><b>a</b></p><p><b>b</b></p>c"),
        ("<font><h2>a</h2></font>", "<h2>a</h2>"),
        (
            "<a href=\"https://a.b/\"><div>a</div></a>",
            "<a href=\"https://a.b/\" rel=\"noopener nofollow\"><div>a</div></a>",
        ),
    ]);
}

#[test]
fn links_have_names() {
    let image = "<img src=\"https://a.b/c.png\" alt=\"\" loading=\"lazy\" decoding=\"async\">";
    let named = format!(
        "<a aria-label=\"www.a.b/d\" href=\"https://www.a.b/d/?e=f\" rel=\"noopener nofollow\">{image}</a>"
    );
    check(&[
        (
            "<p><a href=\"https://www.a.b/d/?e=f\"><img src=\"https://a.b/c.png\"></a></p>",
            &format!("<p>{named}</p>"),
        ),
        (
            "<h2><a id=\"x\" href=\"#x\"></a>a</h2>",
            "<h2><span class=\"alias\" id=\"x\"></span>a</h2>",
        ),
        ("<p>a<a href=\"https://a.b\"> </a>b</p>", "<p>a b</p>"),
    ]);
    let context = ParseContext { path: "page.md", lookup: &NoLookup };
    let document = markdown::parse("a [![](https://a.b/c.png)](https://www.a.b/d/?e=f)", &context);
    let html = render(&document, &RenderContext { links: &NoLinks, highlight: false }).body;
    assert!(html.contains("<a aria-label=\"www.a.b/d\" href="), "{html}");
}

#[test]
fn lines_end_without_spaces() {
    check(&[(
        "<div> \n a \t\n<b>b</b> \n<pre>c \nd</pre></div>",
        "<div>\n a\n<b>b</b>\n<pre>c \nd</pre></div>",
    )]);
    let context = ParseContext { path: "page.md", lookup: &NoLookup };
    let document = markdown::parse("* a &#32;\n  * b\n", &context);
    let html = render(&document, &RenderContext { links: &NoLinks, highlight: false }).body;
    assert!(html.starts_with("<ul>\n<li>a\n<ul>"), "{html}");
}
