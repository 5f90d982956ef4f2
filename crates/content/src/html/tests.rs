//! Documents and the HTML rendered from them.

use super::*;
use crate::markdown;
use crate::reference::NoLookup;

fn html(source: &str) -> String {
    let context = crate::ParseContext { path: "page.md", lookup: &NoLookup };
    let document = markdown::parse(source, &context);
    render(&document, &RenderContext { links: &NoLinks, highlight: true }).body
}

#[test]
fn titles_have_the_ids_that_the_body_lacks() {
    let context = crate::ParseContext { path: "page.md", lookup: &NoLookup };
    for (source, expected) in [
        ("# A b <a id=\"c\"></a>\n\nd", ["a-b", "c"].as_slice()),
        ("# A b <a id=\"c\"></a>\n\n## C", &["a-b"]),
        ("# A b\n\n<a id=\"a-b\"></a>d", &[]),
        ("# B--title\n\nd", &["b-title"]),
        ("# A <a id=\"B--title\"></a>\n\nd", &["a"]),
    ] {
        let page = crate::Page::split(source);
        let identity = crate::Identity::default();
        let document = page.parse(source, page.body.of(source), &context, &identity);
        let html = render(&document, &RenderContext { links: &NoLinks, highlight: true });
        assert_eq!(html.title_ids, expected, "{source}");
    }
}

#[test]
fn blocks_are_rendered() {
    for (source, expected) in [
        ("a\nb  \nc", "<p>a b<br>c</p>\n"),
        (
            "**a _b_** `c` ~~d~~",
            "<p><strong>a </strong><strong><em>b</em></strong> <code>c</code> <del>d</del></p>\n",
        ),
        (
            "## A & B",
            "<h2 id=\"a-and-b\">A &amp; B <a class=\"anchor\" href=\"#a-and-b\" aria-label=\"Link to this heading\"></a></h2>\n",
        ),
        ("3. x\n4. y", "<ol start=\"3\">\n<li>x</li>\n<li>y</li>\n</ol>\n"),
        (
            "* [x] a",
            "<ul class=\"tasks\">\n<li><input type=\"checkbox\" disabled aria-label=\"Done\" checked> a</li>\n</ul>\n",
        ),
        ("> q", "<blockquote>\n<p>q</p>\n</blockquote>\n"),
        ("***", "<hr>\n"),
        (
            "{% hint style=\"danger\" %}\nx\n{% endhint %}",
            "<div class=\"hint hint-danger\" role=\"note\" aria-label=\"Danger\"><div class=\"hint-icon\" aria-hidden=\"true\"></div><div class=\"hint-body\">\n<p class=\"hint-title\" aria-hidden=\"true\" data-markdown-ignore>Danger</p>\n<p>x</p>\n</div></div>\n",
        ),
        (
            "{% hint %}\n**Note** x\n{% endhint %}",
            "<div class=\"hint hint-info\" role=\"note\" aria-label=\"Info\"><div class=\"hint-icon\" aria-hidden=\"true\"></div><div class=\"hint-body\">\n<p><strong>Note</strong> x</p>\n</div></div>\n",
        ),
        (
            "```\na < b\n```",
            "<figure class=\"code\"><pre tabindex=\"0\"><code><span class=\"line\">a &lt; b\n</span></code></pre></figure>\n",
        ),
        (
            "<details open>\n<summary>T</summary>\nb\n</details>",
            "<details class=\"expandable\" open><summary><span>T</span></summary><div class=\"expandable-body\" id=\"t\">\n<p>b</p>\n</div></details>\n",
        ),
        (
            "{% embed url=\"https://www.a.b/c?d\" %}",
            "<a class=\"embed\" href=\"https://www.a.b/c?d\" rel=\"noopener nofollow\"><span class=\"embed-host\" data-markdown-ignore>a.b</span> <span class=\"embed-url\">https://www.a.b/c?d</span></a>\n",
        ),
        ("[x](y.md)", "<p><span class=\"broken-link\">x</span></p>\n"),
        ("[x](https://y.z)", "<p><a href=\"https://y.z\" rel=\"noopener nofollow\">x</a></p>\n"),
        (":tada:", "<p><span class=\"emoji\" role=\"img\" aria-label=\"tada\">🎉</span></p>\n"),
        ("{% filename %}a.py{% endfilename %}", "<div class=\"opaque\"><p>a.py</p></div>\n"),
        ("<!-- secret -->", ""),
        (
            "| a | b |\n|---|:-:|\n| 1 | 2 |",
            "<div class=\"table\" role=\"group\" tabindex=\"0\" aria-label=\"Table\"><table><thead><tr><th scope=\"col\" data-size=\"narrow\">a</th><th scope=\"col\" data-size=\"narrow\" data-align=\"center\">b</th></tr></thead><tbody>\n<tr><td>1</td><td data-align=\"center\">2</td></tr>\n</tbody></table></div>\n",
        ),
        (
            "{% stepper %}\n{% step %}\na\n{% endstep %}\n{% endstepper %}",
            "<ol class=\"stepper\">\n<li class=\"step\">\n<p>a</p>\n</li>\n</ol>\n",
        ),
        (
            "{% tabs %}\n{% tab title=\"<A>\" %}\nx\n{% endtab %}\n{% endtabs %}",
            "<div class=\"tabs\">\n<details name=\"tabs-1\" open><summary>&lt;A&gt;</summary><div class=\"tab-body\" id=\"less-than-a-greater-than\">\n<p>x</p>\n</div></details>\n</div>\n",
        ),
    ] {
        assert_eq!(html(source), expected, "{source}");
    }
}

#[test]
fn block_tags_in_raw_lines_and_in_code_are_text() {
    for (source, expected) in [
        (
            "{% raw %}All between `{% for %}` and `{% endfor %}` is repeated.{% endraw %}",
            "<div class=\"opaque\">\n<p>All between <code>{% for %}</code> and <code>{% endfor %}</code> is repeated.</p>\n</div>\n",
        ),
        (
            "{% raw %}{% csrf_token %}{% endraw %}",
            "<div class=\"opaque\">\n<p>{% csrf_token %}</p>\n</div>\n",
        ),
        (
            "{% raw %}Use [a](https://a.b) `{% if %}`\nand this",
            "<div class=\"opaque\">\n<p>Use <a href=\"https://a.b\" rel=\"noopener nofollow\">a</a> <code>{% if %}</code></p>\n</div>\n<p>and this</p>\n",
        ),
        ("{% raw %}", ""),
        ("{% raw %}{% endraw %}", ""),
        (
            "a {% raw %}`{% b %}`{% endraw %}",
            "<p>a {% raw %}<code>{% b %}</code>{% endraw %}</p>\n",
        ),
        (
            "<div><tt>{% a %}</tt> {% b %}c `{% d %}`</div>",
            "<div class=\"opaque\"><div><code>{% a %}</code> c `{% d %}`</div></div>\n",
        ),
    ] {
        assert_eq!(html(source), expected, "{source}");
    }
}

#[test]
fn code_is_coloured() {
    let html = html(
        "{% code title=\"a.rs\" lineNumbers=\"true\" %}\n```rust\nfn x() { \"s\" } // c\n```\n{% endcode %}",
    );
    for part in [
        "<figure class=\"code numbered\"><figcaption><span class=\"code-title\">a.rs</span><span class=\"code-lang\" data-markdown-ignore>rust</span></figcaption>",
        "<code class=\"language-rust\"><span class=\"line\"><span class=\"k\">fn",
        "<span class=\"f\">x</span>",
        "<span class=\"s\">&quot;s&quot; </span>",
        "<span class=\"c\">// c",
    ] {
        assert!(html.contains(part), "{part} in {html}");
    }
}

#[test]
fn formulas_are_mathml() {
    assert!(html("$$\n\\frac{a}{b}\n$$").contains("<mfrac>"));
    assert!(html("a $$x^2$$").contains("<span class=\"math\"><math"));
    assert!(html("a $$\\frac{$$").contains("<code>\\frac{</code>"));
    assert!(!html("$$\n\\color{red}{a}\n$$").contains("style="));
}

/// Sources with scripts, frames, forms and styles.
const SCRIPTS: &[&str] = &[
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "<img src=\"javascript:alert(1)\">",
    "a <img src=x onerror=alert(1)> b",
    "[x](javascript:alert(1))",
    "[x](JaVaScRiPt:alert(1))",
    "[x](&#106;avascript:alert(1))",
    "[x](\u{1}javascript:alert(1))",
    "[x](data:text/html;base64,PHNjcmlwdD4=)",
    "[x](vbscript:a)",
    "<javascript:alert(1)>",
    "<a href=\"javascript:alert(1)\">x</a>",
    "<a href=' javascript:alert(1)'>x</a>",
    "<iframe src=\"https://x.y\"></iframe>",
    "<svg onload=alert(1)>",
    "<p onclick=\"alert(1)\">x</p>",
    "<div style=\"background:url(javascript:alert(1))\">x</div>",
    "{% embed url=\"javascript:alert(1)\" %}",
    "{% hint style=\"\\\"><script>alert(1)</script>\" %}\nx\n{% endhint %}",
    "{% tabs %}\n{% tab title=\"<script>alert(1)</script>\" %}\n{% endtab %}\n{% endtabs %}",
    "```\"><script>alert(1)</script>\nx\n```",
    "<table><tr><td><script>alert(1)</script></td></tr></table>",
    "<figure><img src=\"https://x.y/\" alt=\"&quot;><script>alert(1)</script>\"></figure>",
    "<mark style=\"color:red\" onclick=\"alert(1)\">x</mark>",
    "<i class=\"fa-x&quot; onclick=&quot;alert(1)\">x</i>",
    "<button class=\"button\" onclick=\"alert(1)\">x</button>",
    "$$<script>alert(1)</script>$$",
    "$$\n\\text{<img src=x onerror=alert(1)>}\n$$",
    "$$\n\\href{javascript:alert(1)}{x}\n$$",
    "## <script>alert(1)</script> <a id=\"x\" onclick=\"alert(1)\"></a>",
    "<a href=\"https://x.y\" id=\"a\"\nonclick=\"alert(1)\">x</a>",
    "<base href=\"https://x.y\">",
    "<form action=\"https://x.y\"><input type=\"submit\"></form>",
    "<style>*{display:none}</style>",
    "<!--><script>alert(1)</script>-->",
    "<![CDATA[<script>alert(1)</script>]]>",
    "<math><mtext><script>alert(1)</script></mtext></math>",
    "<object data=\"x\"></object><embed src=\"x\">",
];

#[test]
fn no_script_gets_through() {
    for &source in SCRIPTS {
        let html = html(source);
        for (token, _) in crate::syntax::markup::tokens(&html) {
            let crate::syntax::markup::Token::Open(tag) = token else {
                continue;
            };
            for name in
                ["script", "iframe", "svg", "object", "embed", "form", "style", "base", "link"]
            {
                assert!(!tag.is(name), "{source}: {html}");
            }
            for name in ["onclick", "onerror", "onload", "style"] {
                assert!(!tag.has(name), "{source}: {html}");
            }
            for name in ["href", "src"] {
                let value = tag.attribute(name).unwrap_or_default().to_ascii_lowercase();
                let is_safe =
                    value.is_empty() || value.starts_with("https:") || value.starts_with('#');
                assert!(is_safe, "{source}: {html}");
            }
        }
    }
}

/// A reusable content that a page includes twice, and the references of the page.
struct Shared(std::sync::Arc<crate::Document>);

impl Links for Shared {
    fn page(&self, _page: &str, _space: Option<&str>) -> Option<PageLink> {
        None
    }
    fn file(&self, file: &str) -> Option<FileLink> {
        Some(FileLink { href: format!("/f/{file}"), name: file.to_owned(), ..FileLink::default() })
    }
    fn reusable_content(
        &self,
        _: &str,
        _: Option<&str>,
    ) -> Option<std::sync::Arc<crate::Document>> {
        Some(std::sync::Arc::clone(&self.0))
    }
}

impl crate::Lookup for Shared {
    fn page(&self, _path: &str) -> Option<String> {
        None
    }
    fn file(&self, path: &str) -> Option<String> {
        (!path.ends_with(".md")).then(|| path.to_owned())
    }
    fn reusable_content(&self, path: &str) -> Option<String> {
        Some(path.to_owned())
    }
}

#[test]
fn ids_are_unique_and_anchors_have_titles() {
    let empty = Shared(std::sync::Arc::default());
    let context = crate::ParseContext { path: "page.md", lookup: &empty };
    let shared = markdown::parse(
        "## Setup\n\na <a id=\"in-text\"></a> <video src=\"v.mp4\"></video>\n",
        &context,
    );
    let links = Shared(std::sync::Arc::new(shared));
    let page = "## Setup\n\n{% include \".gitbook/includes/x.md\" %}\n\n{% include \".gitbook/includes/x.md\" %}\n\n## Setup\n\n\
        [#setup-1](#setup-1 \"mention\") <a id=\"setup\"></a>\n\n\
        {% content-ref url=\"#setup\" %}\n[x](#setup)\n{% endcontent-ref %}\n\n##\n";
    let document = markdown::parse(page, &context);
    let html = render(&document, &RenderContext { links: &links, highlight: false });
    let ids: Vec<&str> = html.outline.iter().map(|entry| entry.id.as_str()).collect();
    assert_eq!(ids, ["setup", "setup-2", "setup-3", "setup-1"]);
    for (part, count) in [
        ("id=\"setup\"", 1),
        ("id=\"in-text\"", 1),
        ("<a class=\"mention\" href=\"#setup-1\">Setup</a>", 1),
        ("<a class=\"content-ref\" href=\"#setup\">Setup</a>", 1),
        ("<a class=\"file\" href=\"/f/v.mp4\" download>v.mp4</a>", 2),
        ("<span class=\"alias\" id=\"section\"></span>\n", 1),
        ("<h2", 4),
    ] {
        assert_eq!(html.body.matches(part).count(), count, "{part} in {}", html.body);
    }
}

struct Site;

impl Links for Site {
    fn page(&self, page: &str, _space: Option<&str>) -> Option<PageLink> {
        Some(PageLink { href: format!("/docs/{page}"), title: format!("Page {page}") })
    }
    fn file(&self, file: &str) -> Option<FileLink> {
        Some(FileLink {
            href: format!("/files/{file}"),
            name: file.to_owned(),
            size: Some(12_345),
            dimensions: Some((800, 600)),
        })
    }
    fn player(&self, url: &str) -> Option<String> {
        url.contains("v.example").then(|| url.replace("v.example", "p.example"))
    }
}

struct Everything;

impl crate::Lookup for Everything {
    fn page(&self, path: &str) -> Option<String> {
        path.ends_with(".md").then(|| path.trim_end_matches(".md").to_owned())
    }
    fn file(&self, path: &str) -> Option<String> {
        Some(path.to_owned())
    }
    fn reusable_content(&self, _path: &str) -> Option<String> {
        None
    }
}

#[test]
fn long_code_in_cells_can_be_broken_at_separators() {
    let context = crate::ParseContext { path: "page.md", lookup: &NoLookup };
    let source = "| a |\n|---|\n| `--short-flag` `LONG_NAME_OF_A_VARIABLE_X` |\n\n`LONG_NAME_OF_A_VARIABLE_X`\n";
    let document = markdown::parse(source, &context);
    let html = render(&document, &RenderContext { links: &NoLinks, highlight: false }).body;
    assert!(html.contains("<td data-code=\"long\"><code>--short-flag</code> "), "{html}");
    assert!(
        html.contains("<code>LONG_<wbr>NAME_<wbr>OF_<wbr>A_<wbr>VARIABLE_<wbr>X</code></td>"),
        "{html}"
    );
    assert!(html.contains("<p><code>LONG_NAME_OF_A_VARIABLE_X</code></p>"), "{html}");
}

#[test]
fn headings_announce_levels_without_gaps() {
    let context = crate::ParseContext { path: "page.md", lookup: &NoLookup };
    let document = markdown::parse("#### A\n\n### B\n\n## C\n\n### D\n", &context);
    let html = render(&document, &RenderContext { links: &NoLinks, highlight: false }).body;
    for heading in
        ["<h4 id=\"a\" aria-level=\"2\">", "<h3 id=\"b\">", "<h2 id=\"c\">", "<h3 id=\"d\">"]
    {
        assert!(html.contains(heading), "{heading} in {html}");
    }
}

#[test]
fn references_are_resolved() {
    let context = crate::ParseContext { path: "a/page.md", lookup: &Everything };
    for (source, expected) in [
        ("[x](b.md#c)", "<p><a href=\"/docs/a/b#c\">x</a></p>\n"),
        ("[b](b.md \"mention\")", "<p><a class=\"mention\" href=\"/docs/a/b\">Page a/b</a></p>\n"),
        (
            "![t](x.png)",
            "<figure class=\"image\"><img src=\"/files/a/x.png\" alt=\"t\" width=\"800\" height=\"600\" loading=\"lazy\" decoding=\"async\"><figcaption>t</figcaption></figure>\n",
        ),
        (
            "<figure><img src=\"x.png\" alt=\"\" width=\"400\"></figure>",
            "<figure class=\"image\"><img src=\"/files/a/x.png\" alt=\"\" width=\"400\" height=\"300\" loading=\"lazy\" decoding=\"async\"></figure>\n",
        ),
        (
            "{% file src=\"x.zip\" %}",
            "<a class=\"file\" href=\"/files/a/x.zip\" download>a/x.zip <span class=\"file-size\">12 KB</span></a>\n",
        ),
        (
            "{% content-ref url=\"b.md\" %}\n[b.md](b.md)\n{% endcontent-ref %}",
            "<a class=\"content-ref\" href=\"/docs/a/b\">Page a/b</a>\n",
        ),
        (
            "{% embed url=\"https://v.example/1\" %}",
            "<a class=\"embed\" href=\"https://v.example/1\" data-player=\"https://p.example/1\" rel=\"noopener nofollow\"><span class=\"embed-host\" data-markdown-ignore>v.example</span> <span class=\"embed-url\">https://v.example/1</span></a>\n",
        ),
    ] {
        let document = markdown::parse(source, &context);
        let html = render(&document, &RenderContext { links: &Site, highlight: false });
        assert_eq!(html.body, expected, "{source}");
    }
}

/// Describes every embedded address.
struct Described(EmbedCard);

impl Links for Described {
    fn page(&self, _: &str, _: Option<&str>) -> Option<PageLink> {
        None
    }
    fn file(&self, _: &str) -> Option<FileLink> {
        None
    }
    fn embed(&self, _: &str) -> Option<EmbedCard> {
        Some(self.0.clone())
    }
}

#[test]
fn descriptions_of_embeds_are_shown_as_text() {
    let dimensions = Some((640, 360));
    let picture = FileLink { href: "/p".to_owned(), dimensions, ..FileLink::default() };
    let full = EmbedCard {
        title: "<b>T</b>".to_owned(),
        site: "S & T".to_owned(),
        description: "\"D\"".to_owned(),
        picture: Some(picture),
    };
    let title = EmbedCard { title: "T".to_owned(), site: "A.b".to_owned(), ..full.clone() };
    let title = EmbedCard { description: String::new(), picture: None, ..title };
    for (source, card, expected) in [
        (
            "{% embed url=\"https://www.a.b/c\" %}",
            &full,
            "<a class=\"embed described pictured\" href=\"https://www.a.b/c\" \
             rel=\"noopener nofollow\"><img class=\"embed-picture\" src=\"/p\" alt=\"\" width=\"640\" \
             height=\"360\" loading=\"lazy\" decoding=\"async\"><span dir=\"auto\" \
             class=\"embed-title\">&lt;b&gt;T&lt;/b&gt;</span> <span dir=\"auto\" \
             class=\"embed-text\">&quot;D&quot;</span> <span class=\"embed-site\" data-markdown-ignore><bdi>S &amp; \
             T</bdi> · <bdi>a.b</bdi></span></a>\n",
        ),
        (
            "a <iframe src=\"https://a.b/c\"></iframe>",
            &title,
            "<p>a <a class=\"embed described\" href=\"https://a.b/c\" rel=\"noopener nofollow\">\
             <span dir=\"auto\" class=\"embed-title\">T</span> <span class=\"embed-site\" data-markdown-ignore>\
             <bdi>a.b</bdi></span></a>\n</p>\n",
        ),
    ] {
        let document =
            markdown::parse(source, &crate::ParseContext { path: "a.md", lookup: &NoLookup });
        let links = Described(card.clone());
        let html = render(&document, &RenderContext { links: &links, highlight: false });
        assert_eq!(html.body, expected, "{source}");
    }
}

#[test]
fn the_outline_lists_headings() {
    let context = crate::ParseContext { path: "page.md", lookup: &NoLookup };
    let document = markdown::parse("## A\n\n### B\n\n## A\n", &context);
    let html = render(&document, &RenderContext { links: &NoLinks, highlight: false });
    let outline: Vec<_> =
        html.outline.iter().map(|e| (e.level, e.id.as_str(), e.text.as_str())).collect();
    assert_eq!(outline, [(1, "a", "A"), (2, "b", "B"), (1, "a-1", "A")]);
}

/// Renders a page and resolves each of its includes to the same content.
fn with_includes(page: &str, shared: &str) -> Html {
    let empty = Shared(std::sync::Arc::default());
    let context = crate::ParseContext { path: "page.md", lookup: &empty };
    let links = Shared(std::sync::Arc::new(markdown::parse(shared, &context)));
    let document = markdown::parse(page, &context);
    render(&document, &RenderContext { links: &links, highlight: true })
}

/// Asserts that a page was truncated near the limit and ends with the notice.
fn assert_truncated(html: &Html) {
    assert!(html.is_truncated);
    assert!(html.body.len() <= OUTPUT_LIMIT + (64 << 10), "{} bytes", html.body.len());
    assert!(html.body.ends_with(
        "<div class=\"hint hint-warning\" role=\"note\"><div class=\"hint-body\">\n\
         <p>This page is too large to be shown in full.</p>\n</div></div>\n"
    ));
    for element in ["div", "p", "details", "ul", "li", "table", "tr", "td", "a", "span", "pre"] {
        let opened = html.body.matches(&format!("<{element}>")).count()
            + html.body.matches(&format!("<{element} ")).count();
        let closed = html.body.matches(&format!("</{element}>")).count();
        assert_eq!(opened, closed, "{element}");
    }
}

const INCLUDE: &str = "{% include \".gitbook/includes/x.md\" %}\n\n";

#[test]
fn included_contents_do_not_multiply_the_output() {
    for shared in [
        "word & word\n\n".repeat(10_000),
        format!("```\n{}```\n", "x\n".repeat(60_000)),
        format!("| a |\n| - |\n{}", "| **b** |\n".repeat(8_000)),
        "* x\n".repeat(20_000),
    ] {
        let html = with_includes(&INCLUDE.repeat(500), &shared);
        assert_truncated(&html);
    }
}

#[test]
fn included_contents_do_not_multiply_the_work() {
    // Nothing of the content is visible, but all of it is processed.
    let shared = "{% if true %}\n{% endif %}\n\n".repeat(4_000);
    let html = with_includes(&INCLUDE.repeat(500), &shared);
    assert!(html.is_truncated);
    let html = with_includes(&INCLUDE.repeat(501), "x");
    assert!(html.is_truncated);
    assert_eq!(html.includes.len(), INCLUDE_LIMIT);
    assert!(!with_includes(&INCLUDE.repeat(500), "x").is_truncated);
}

#[test]
fn equal_headings_of_included_contents_have_ids_of_their_own() {
    let html = with_includes(&INCLUDE.repeat(500), &"## a\n\n".repeat(100));
    let ids: std::collections::HashSet<&str> =
        html.outline.iter().map(|heading| heading.id.as_str()).collect();
    assert_eq!(ids.len(), 50_000);
}

#[test]
fn one_node_does_not_exceed_the_limit() {
    struct LongTitles;
    impl Links for LongTitles {
        fn page(&self, page: &str, _space: Option<&str>) -> Option<PageLink> {
            Some(PageLink { href: format!("/{page}"), title: "\"".repeat(100_000) })
        }
        fn file(&self, _file: &str) -> Option<FileLink> {
            None
        }
        fn expression(&self, _expression: &str) -> Option<String> {
            Some("&".repeat(100_000))
        }
    }
    let context = crate::ParseContext { path: "page.md", lookup: &Everything };
    for source in [
        "[b](b.md \"mention\") ".repeat(2_000),
        "<code class=\"expression\">space.vars.a</code> ".repeat(2_000),
        format!("| a |\n| - |\n{}", "| [b](b.md \"mention\") |\n".repeat(2_000)),
        format!("{}x", "> ".repeat(40)) + &"\n\n[b](b.md \"mention\")".repeat(2_000),
    ] {
        let document = markdown::parse(&source, &context);
        let html = render(&document, &RenderContext { links: &LongTitles, highlight: false });
        assert!(html.is_truncated);
        // The last text is escaped after it was cut.
        assert!(html.body.len() <= OUTPUT_LIMIT + (1 << 20), "{} bytes", html.body.len());
    }
}

#[test]
fn rendering_stops_when_exhausted() {
    struct Gone;
    impl Links for Gone {
        fn page(&self, _page: &str, _space: Option<&str>) -> Option<PageLink> {
            None
        }
        fn file(&self, _file: &str) -> Option<FileLink> {
            None
        }
        fn is_exhausted(&self) -> bool {
            true
        }
    }
    let document =
        markdown::parse("a\n\nb\n", &crate::ParseContext { path: "page.md", lookup: &NoLookup });
    let html = render(&document, &RenderContext { links: &Gone, highlight: true });
    assert!(html.is_truncated && !html.body.contains("<p>a"), "{}", html.body);
}

#[test]
fn equal_notes_are_merged_and_many_notes_are_cheap() {
    let mut source = String::new();
    for number in 0..4_000 {
        source.push_str(&format!("a[^{number}]\n\n[^{number}]: note {}\n\n", number % 2_000));
    }
    let document =
        markdown::parse(&source, &crate::ParseContext { path: "page.md", lookup: &NoLookup });
    let html = render(&document, &RenderContext { links: &NoLinks, highlight: false });
    assert_eq!(html.body.matches("<aside class=\"note\"").count(), 2_000);
    assert_eq!(html.body.matches("popover aria-label=\"Note 7\">").count(), 1);
}

#[test]
fn definitions_in_formulas_are_expanded_within_a_limit() {
    let doubled = |count: u8| {
        let name = |number: u8| char::from(b'a' + number);
        let doubles = (1..count).map(|n| format!("\\def\\{0}{{\\{1}\\{1}}}", name(n), name(n - 1)));
        format!("\\def\\a{{xx}}{}\\{}", doubles.collect::<String>(), name(count - 1))
    };
    for (formula, is_rendered) in [
        (doubled(3), true),
        (doubled(20), false),
        ("\\def\\a{\\a}\\a".to_owned(), false),
        ("\\newcommand{\\a}{\\a\\a}\\a".to_owned(), false),
        ("\\let\\alpha=\\alpha \\alpha".to_owned(), true),
        ("\\left( x \\right)".to_owned(), true),
    ] {
        let mut html = String::new();
        math::push(&formula, true, &mut html);
        let start = if is_rendered { "<math" } else { "<code>" };
        assert!(html.starts_with(start), "{formula}: {html}");
    }
}

/// Two tags of which one has a label of its own.
struct Tags;

impl Links for Tags {
    fn page(&self, _page: &str, _space: Option<&str>) -> Option<PageLink> {
        None
    }
    fn file(&self, _file: &str) -> Option<FileLink> {
        None
    }
    fn tag(&self, tag: &str) -> Option<TagLabel> {
        let label = TagLabel { label: "Fixes & more".to_owned(), ..TagLabel::default() };
        (tag == "fix").then_some(label)
    }
}

fn with_tags(source: &str) -> Html {
    let context = crate::ParseContext { path: "page.md", lookup: &NoLookup };
    let document = markdown::parse(source, &context);
    render(&document, &RenderContext { links: &Tags, highlight: true })
}

#[test]
fn updates_have_anchors_tags_and_a_filter() {
    let html = with_tags(
        "## Update 2026-03-01\n\n\
         {% updates format=\"full\" %}\n\
         {% update date=\"2026-03-01\" tags=\"<new>, fix,<new>\" %}\n## Faster\n\nA\n{% endupdate %}\n\
         {% update date=\"2026-03-01\" tags=\"fix\" %}\nB\n{% endupdate %}\n\
         {% update date=\"soon\" %}\nC\n{% endupdate %}\n\
         {% endupdates %}\n\n\
         {% updates %}\n{% update date=\"2026-01-31T10:00\" %}\nD\n{% endupdate %}\n{% endupdates %}\n",
    );
    let found: Vec<_> = html
        .updates
        .iter()
        .map(|one| {
            let body = html.body.get(one.body.clone()).unwrap().trim();
            (one.list, one.anchor.as_str(), one.date.as_deref(), one.title.as_deref(), body)
        })
        .collect();
    let (day, faster) = (Some("2026-03-01"), "<h2 id=\"faster\">Faster");
    assert_eq!(found[0].4.split(" <a").next(), Some(faster));
    assert_eq!((found[0].0, found[0].1), (0, "update-2026-03-01-1"), "the heading was first");
    assert_eq!((found[0].2, found[0].3), (day, Some("Faster")));
    assert_eq!(found[1], (0, "update-2026-03-01-2", day, None, "<p>B</p>"));
    assert_eq!(found[2], (0, "update", None, None, "<p>C</p>"));
    assert_eq!(found[3], (1, "update-2026-01-31", Some("2026-01-31"), None, "<p>D</p>"));
    let tags = [("<new>", "<new>"), ("fix", "Fixes & more")];
    assert_eq!(html.updates[0].tags, tags.map(|(name, label)| (name.into(), label.into())));
    for part in [
        "<fieldset class=\"update-filter\" data-markdown-ignore><legend>Filter by tag</legend>",
        "<input type=\"radio\" name=\"B--updates-0\" class=\"pick-0\" checked><span>All</span>",
        "<input type=\"radio\" name=\"B--updates-0\" class=\"pick-2\"><span>Fixes &amp; more</span>",
        "<article id=\"update-2026-03-01-1\" class=\"update with-1 with-2\">",
        "<a href=\"#update-2026-03-01-2\"><time datetime=\"2026-03-01\">1 March 2026</time></a>",
        "<time>soon</time>",
    ] {
        assert!(html.body.contains(part), "{part}: {}", html.body);
    }
    assert_eq!(html.body.matches("<fieldset").count(), 1, "one list has no tags");
}

#[test]
fn many_tags_are_bounded() {
    let tags: Vec<String> = (0..1_000).map(|tag| format!("t{tag}")).collect();
    let update = format!("{{% update tags=\"{}\" %}}\nx\n{{% endupdate %}}\n", tags.join(","));
    let html = with_tags(&format!("{{% updates %}}\n{}{{% endupdates %}}\n", update.repeat(3)));
    assert_eq!(html.updates.iter().map(|one| one.tags.len()).max(), Some(32));
    assert_eq!(html.body.matches("type=\"radio\"").count(), 17);
}

#[test]
fn links_lead_to_the_anchors_that_they_mean() {
    let rendered = html("[a](#Set_up.) [b](#none) [c](page.md#Set--up)\n\n## Set up\n");
    assert!(rendered.contains("<a href=\"#set-up\">a</a>"), "{rendered}");
    assert!(rendered.contains("<a href=\"#none\">b</a>"), "{rendered}");
}
