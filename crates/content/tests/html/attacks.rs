//! Known attacks, alone and within every construct. A real HTML parser verifies that the output
//! contains only permitted elements, attributes and schemes.

use std::sync::Arc;

use bindery_content::document::{Block, BlockKind, Document};
use bindery_content::html::{FileLink, Links, NoLinks, PageLink, RenderContext, render};
use bindery_content::reference::NoLookup;
use bindery_content::{Lookup, ParseContext, markdown};

use crate::check::found;

const ATTACKS: &str = include_str!("attacks.txt");

/// Contexts for an attack; `@` marks its position.
pub(crate) const CONTEXTS: [&str; 64] = [
    "@",
    "text @ text",
    "* @",
    "1. x\n\n   @",
    "* [ ] @",
    "> @",
    "## @",
    "## x <a href=\"#@\" id=\"@\"></a>",
    "## x {#@}",
    "**@**",
    "a <u>@</u> <a id=\"@\"></a> <a name=\"@\">@</a>",
    "a <font color=\"@\">@</font> <mark style=\"color:#@;background:@\">@</mark>",
    "a <bdo dir=\"@\">@</bdo> <time datetime=\"@\">@</time> <ruby>@<rt>@</rt></ruby>",
    "a <img src=\"https://x.y/a.png\" alt=\"@\" width=\"@\" height=\"@\" data-size=\"@\">",
    "a <video src=\"@\" poster=\"@\"><source src=\"@\" srcset=\"@\">@</video> @",
    "a <iframe srcdoc=\"@\">@</iframe> [x <iframe src=\"https://x.y/@\">](https://x.y)",
    "a <video>@",
    "<center>@</center> <big>@</big> <tt>@</tt> <pre>@</pre>",
    "> [!NOTE]\n> @",
    "> [!WARNING] @",
    "<table><tr><td><pre class=\"@\" data-title=\"@\"><code class=\"lang-@\">@</code></pre>@</td></tr></table>",
    "| a |\n| - |\n| <pre>@</pre> <h2>@</h2> <center>@</center> |",
    "[@](https://x.y)",
    "word[^1]\n\n[^1]: @",
    "$$@$$",
    "$$\n@\n$$",
    "| a |\n| - |\n| @ |",
    "| @ |\n| - |\n| a |",
    "<table><tbody><tr><td>@</td></tr></tbody></table>",
    "<table data-view=\"cards\"><thead><tr><th>a</th></tr></thead><tbody><tr><td>@</td></tr></tbody></table>",
    "<table><thead><tr><th width=\"@\" align=\"@\" valign=\"@\">@<select><option value=\"@\" label=\"@\" color=\"@\"></option></select></th></tr></thead><tbody><tr><td><span data-option=\"@\">@</span></td></tr></tbody></table>",
    "<table><thead><tr><th data-type=\"rating\" data-max=\"@\">a</th><th data-type=\"number\">b</th><th data-type=\"users\">c</th></tr></thead><tbody><tr><td>@</td><td>@</td><td>@</td></tr></tbody></table>",
    "<div>@</div>",
    "<div align=\"@\"><table><tr><td rowspan=\"2\" colspan=\"@\">@</td></tr></table></div>",
    "<abbr title=\"@\">@</abbr><ol start=\"@\"><li>@</ol><details open=\"@\">@</details>",
    "<svg>@</svg>",
    "<math><mtext>@</mtext></math>",
    "<center>\n@\n</center>",
    "<details>\n\n<summary>@</summary>\n\n@\n\n</details>",
    "<figure><img src=\"https://x.y/a.png\" alt=\"@\"><figcaption><p>@</p></figcaption></figure>",
    "<div align=\"@\"><figure><img src=\"https://x.y/a.png\" alt=\"@\" width=\"@\" height=\"@\"></figure></div>",
    "<pre><code>@</code></pre>",
    "<pre class=\"language-@\" data-title=\"@\" data-overflow=\"@\"><code class=\"lang-@\">@<strong>@</strong></code></pre>",
    "```\n@\n```",
    "~~~@\n@\n~~~",
    "<mark style=\"color:@;background-color:@;\">@</mark>",
    "<i class=\"fa-@\" style=\"color:@;\">@</i>",
    "<span data-gb-custom-inline data-tag=\"emoji\" data-code=\"@\">@</span>",
    "<a href=\"https://x.y\" class=\"button @\" data-icon=\"@\">@</a>",
    "<button type=\"button\" class=\"button primary\" data-action=\"@\" data-query=\"@\" data-icon=\"@\">@</button>",
    "<code class=\"expression\">@</code>",
    "{% if @ %}\n@\n{% endif %}",
    "{% hint style=\"info\" icon=\"@\" %}\n@\n{% endhint %}",
    "{% tabs %}\n{% tab title=\"@\" icon=\"@\" %}\n@\n{% endtab %}\n{% endtabs %}",
    "{% stepper %}\n{% step %}\n@\n{% endstep %}\n{% endstepper %}",
    "{% columns %}\n{% column width=\"@\" valign=\"@\" %}\n@\n{% endcolumn %}\n{% endcolumns %}",
    "{% code title=\"@\" %}\n```@\n@\n```\n{% endcode %}",
    "{% embed url=\"@\" %}",
    "{% embed url=\"https://x.y/@\" %}\n@\n{% endembed %}",
    "{% file src=\"@\" %}\n@\n{% endfile %}",
    "{% @x/y url=\"https://x.y/@\" content=\"@\" %}\n\n{% @@/@ text=\"@\" %}",
    "{% openapi-operation spec=\"@\" path=\"@\" method=\"@\" %}\n[@](https://x.y/@)\n{% endopenapi-operation %}",
    "{% updates format=\"full\" %}\n{% update date=\"@\" tags=\"@\" %}\n@\n{% endupdate %}\n{% endupdates %}",
    "{% prompt description=\"@\" icon=\"@\" %}\n```\n@\n```\n{% endprompt %}",
];

fn html(document: &Document) -> String {
    render(document, &RenderContext { links: &NoLinks, highlight: true }).body
}

/// Checks that the HTML of a source contains nothing active.
fn check(source: &str) {
    let context = ParseContext { path: "page.md", lookup: &NoLookup };
    let html = html(&markdown::parse(source, &context));
    let found = found(&html);
    assert!(found.is_empty(), "{found:?}\n{source}\n{html}");
}

pub(crate) fn attacks() -> Vec<&'static str> {
    ATTACKS.lines().filter(|line| !line.is_empty()).collect()
}

#[test]
fn no_attack_gets_through_anywhere() {
    let attacks = attacks();
    assert!(attacks.len() > 450, "{}", attacks.len());
    for context in CONTEXTS {
        for attack in &attacks {
            check(&context.replace('@', attack));
            // Also escape characters that would end the attribute.
            if context.contains("=\"") && attack.contains('"') {
                check(&context.replace('@', &attack.replace('"', "&quot;")));
            }
        }
    }
}

/// Several attacks together: one may exploit what another leaves open.
#[test]
fn no_pair_of_attacks_gets_through() {
    let attacks = attacks();
    let mut previous = "";
    for step in [1, 7, 31, 101] {
        for at in 0..attacks.len() {
            let attack = attacks[(at * step) % attacks.len()];
            for between in ["", "\n", "\n\n"] {
                let source = format!("{previous}{between}{attack}");
                check(&source);
            }
            previous = attack;
        }
    }
    let all = attacks.join("\n\n");
    check(&all);
}

/// Opaque sources that parsing never produces but a document can contain.
#[test]
fn no_attack_gets_through_as_opaque_source() {
    use bindery_content::document::{Node, Opaque, OpaqueKind};
    for attack in attacks() {
        for kind in
            [OpaqueKind::Unknown, OpaqueKind::Comment, OpaqueKind::Updates, OpaqueKind::Prompt]
        {
            let opaque = Opaque {
                block: kind,
                source: attack.to_owned(),
                nodes: Vec::new(),
                references: Vec::new(),
            };
            let block: Block = Node::new(Default::default(), BlockKind::Opaque(Box::new(opaque)));
            let html = html(&Document { nodes: vec![block], ..Document::default() });
            assert_eq!(found(&html), Vec::<String>::new(), "{attack}\n{html}");
        }
    }
}

/// Harmless parts of foreign HTML are kept.
#[test]
fn foreign_html_keeps_harmless_parts() {
    for (source, expected) in [
        (
            "<div align=\"center\"><b>x</b> <a href=\"https://a.b/\">y</a><br>z</div>",
            "<div data-align=\"center\"><b>x</b> <a href=\"https://a.b/\" rel=\"noopener nofollow\">y</a><br>z</div>",
        ),
        (
            "<table><tr><td rowspan=\"2\">a<td>b<tr><td>c</table>",
            "<table><tbody><tr><td rowspan=\"2\">a</td><td>b</td></tr><tr><td>c</td></tr></tbody></table>",
        ),
        ("<dl><dt>a<dd>b</dl>", "<dl><dt>a</dt><dd>b</dd></dl>"),
        ("<ul><li>a<li>b</ul>", "<ul><li>a</li><li>b</li></ul>"),
        ("<ul>a<li>b</li>c</ul>", "<ul><li>a</li><li>b</li><li>c</li></ul>"),
        ("<dl>a<dt>b</dt></dl>", "<dl><dd>a</dd><dt>b</dt></dl>"),
        (
            "<table>a<tr><td>b</td>c</tr> <tbody>d</table>",
            "<table><tbody><tr><td>a</td></tr><tr><td>b</td><td>c</td></tr> </tbody><tbody><tr><td>d</td></tr></tbody></table>",
        ),
        ("<section><h1>T</h1>x</section>", "<div><h2>T</h2>x</div>"),
        ("<li>a</li><td>b</td>", "ab"),
        ("<p>a<p>b<div>c</div>", "<p>a</p><p>b</p><div>c</div>"),
        ("<b>a</p></div>b</b>c", "<b>ab</b>c"),
        ("<svg><text>x</text></svg><p>a</p>", "<p>a</p>"),
        (
            "<div><img src=\"https://a.b/c.png\" width=\"40\"></div>",
            "<div><img src=\"https://a.b/c.png\" alt=\"\" width=\"40\" loading=\"lazy\" decoding=\"async\"></div>",
        ),
        ("<div><img src=\"c.png\" alt=\"c\"></div>", "<div>c</div>"),
        ("<div></div>", ""),
        (
            "<iframe src=\"https://a.b/c\">x</iframe>",
            "<a class=\"embed\" href=\"https://a.b/c\" rel=\"noopener nofollow\"><span class=\"embed-host\" data-markdown-ignore>a.b</span> <span class=\"embed-url\">https://a.b/c</span></a>",
        ),
        ("{% filename %}a.py{% endfilename %}", "<p>a.py</p>"),
    ] {
        use bindery_content::document::{Node, Opaque, OpaqueKind};
        let opaque = Opaque {
            block: OpaqueKind::Unknown,
            source: source.to_owned(),
            nodes: Vec::new(),
            references: Vec::new(),
        };
        let block = Node::new(Default::default(), BlockKind::Opaque(Box::new(opaque)));
        let html = html(&Document { nodes: vec![block], ..Document::default() });
        let html = html.trim_end();
        let inner =
            html.strip_prefix("<div class=\"opaque\">").and_then(|h| h.strip_suffix("</div>"));
        assert_eq!(inner.unwrap_or(html).trim_end(), expected, "{source}");
    }
}

/// A site in which every name is the same attack.
struct Named(&'static str);

impl Links for Named {
    fn page(&self, _page: &str, _space: Option<&str>) -> Option<PageLink> {
        Some(PageLink { href: "https://x.y/".to_owned(), title: self.0.to_owned() })
    }
    fn file(&self, _file: &str) -> Option<FileLink> {
        let href = "https://x.y/a.png".to_owned();
        let dimensions = Some((40, 30));
        Some(FileLink { href, name: self.0.to_owned(), size: Some(1), dimensions })
    }
    fn space(&self, _space: &str) -> Option<PageLink> {
        self.page("", None)
    }
    fn user(&self, _user: &str) -> Option<String> {
        Some(self.0.to_owned())
    }
    fn condition(&self, _expression: &str) -> bool {
        true
    }
    fn expression(&self, _expression: &str) -> Option<String> {
        Some(self.0.to_owned())
    }
    fn reusable_content(&self, _id: &str, _space: Option<&str>) -> Option<Arc<Document>> {
        let context = ParseContext { path: "include.md", lookup: &NoLookup };
        Some(Arc::new(markdown::parse(self.0, &context)))
    }
}

/// A repository that resolves everything.
struct Everything;

impl Lookup for Everything {
    fn page(&self, path: &str) -> Option<String> {
        path.ends_with(".md").then(|| path.to_owned())
    }
    fn file(&self, path: &str) -> Option<String> {
        (!path.ends_with(".md")).then(|| path.to_owned())
    }
    fn reusable_content(&self, path: &str) -> Option<String> {
        path.contains("includes").then(|| path.to_owned())
    }
}

#[test]
fn names_are_escaped() {
    const SOURCE: &str = "[p](p.md) [p.md](p.md \"mention\") [a](https://app.gitbook.com/u/a \"mention\") \
        <code class=\"expression\">x</code>\n\n![](a.png)\n\n{% file src=\"a.zip\" %}\n\n\
        {% content-ref url=\"p.md\" %}\n[p.md](p.md)\n{% endcontent-ref %}\n\n\
        {% include \".gitbook/includes/x.md\" %}\n\n\
        <table><thead><tr><th data-type=\"files\">a</th><th data-type=\"users\">b</th>\
        <th data-type=\"content-ref\">c</th></tr></thead><tbody><tr><td><a href=\"a.zip\">a</a></td>\
        <td><a href=\"https://app.gitbook.com/u/a\">a</a></td><td><a href=\"p.md\">p</a></td></tr>\
        </tbody></table>\n\n<dl><dt><a href=\"p.md\">p</a> <img src=\"a.png\"><dd>\
        <video src=\"a.mp4\"></video></dl>";
    let context = ParseContext { path: "page.md", lookup: &Everything };
    let document = markdown::parse(SOURCE, &context);
    for attack in attacks() {
        let site = Named(attack);
        let html = render(&document, &RenderContext { links: &site, highlight: false }).body;
        assert_eq!(found(&html), Vec::<String>::new(), "{attack}\n{html}");
    }
}

/// Long and deeply nested attacks: output at a limit must be as safe as any other.
#[test]
fn no_large_attack_gets_through() {
    let many = |text: &str, times: usize| text.repeat(times);
    for source in [
        format!("[x](java{}script:alert(1))", many("&#10;", 20_000)),
        format!("[x](javascript:{})", many("a", 100_000)),
        format!("<a href=\"{}javascript:alert(1)\">x</a>", many(" ", 70_000)),
        format!("<div><a href=\"{}javascript:alert(1)\">x</a></div>", many("&#1;", 10_000)),
        format!("<dl><a href=\"https://x.y/{}\" onclick=alert(1)>x</a></dl>", many("a", 100_000)),
        format!("<p {} onclick=alert(1)>x</p>", many("a=b ", 20_000)),
        format!("{}<script>alert(1)</script>", many("<b>", 20_000)),
        format!("{}<img src=x onerror=alert(1)>", many("<svg><math><mtext>", 3_000)),
        format!("{}<img src=x onerror=alert(1)>", many("<table><tr><td>", 3_000)),
        format!("{}<script>alert(1)</script>", many("<div><p>", 3_000)),
        format!("<!--{}--><script>alert(1)</script>", many("<", 100_000)),
        format!("<img alt=\"{}\" src=x onerror=alert(1)>", many("\">", 50_000)),
        format!(
            "{{% hint icon=\"{}\\\" onclick=\\\"alert(1)\" %}}\nx\n{{% endhint %}}",
            many("x", 70_000)
        ),
        format!("```{}\" onclick=\"alert(1)\nx\n```", many("x", 70_000)),
        format!("$$\\text{{{}<script>}}$$", many("x", 5_000)),
        format!("{}x", many("<div>\n\n", 2_000)),
        many("<script>", 30_000),
        many("<a href=\"javascript:alert(1)\">", 10_000),
    ] {
        let context = ParseContext { path: "page.md", lookup: &NoLookup };
        let html = html(&markdown::parse(&source, &context));
        let found = found(&html);
        let (start, _) = source.split_at(source.len().min(60));
        assert!(found.is_empty(), "{found:.300?}\n{start}");
    }
}
