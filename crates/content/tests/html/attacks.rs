//! Known attacks, alone and within every construct, against what a real HTML parser finds in the
//! output: nothing but elements, attributes and schemes of a list.

use bindery_content::document::{Block, BlockKind, Document};
use bindery_content::html::{NoLinks, RenderContext, render};
use bindery_content::reference::NoLookup;
use bindery_content::{ParseContext, markdown};
use html5ever::tendril::TendrilSink as _;
use html5ever::{ParseOpts, QualName, local_name, ns, parse_fragment};
use markup5ever_rcdom::{Handle, NodeData, RcDom};

const ATTACKS: &str = include_str!("attacks.txt");

/// Where an attack may stand; `@` is its place.
const CONTEXTS: [&str; 26] = [
    "@",
    "text @ text",
    "* @",
    "1. x\n\n   @",
    "* [ ] @",
    "> @",
    "## @",
    "**@**",
    "[@](https://x.y)",
    "| a |\n| - |\n| @ |",
    "<table><tbody><tr><td>@</td></tr></tbody></table>",
    "<table data-view=\"cards\"><thead><tr><th>a</th></tr></thead><tbody><tr><td>@</td></tr></tbody></table>",
    "<div>@</div>",
    "<center>\n@\n</center>",
    "<details>\n\n<summary>@</summary>\n\n@\n\n</details>",
    "<figure><img src=\"https://x.y/a.png\" alt=\"@\"><figcaption><p>@</p></figcaption></figure>",
    "<pre><code>@</code></pre>",
    "```\n@\n```",
    "{% hint style=\"info\" %}\n@\n{% endhint %}",
    "{% tabs %}\n{% tab title=\"@\" %}\n@\n{% endtab %}\n{% endtabs %}",
    "{% stepper %}\n{% step %}\n@\n{% endstep %}\n{% endstepper %}",
    "{% columns %}\n{% column %}\n@\n{% endcolumn %}\n{% endcolumns %}",
    "{% code title=\"@\" %}\n```@\n@\n```\n{% endcode %}",
    "{% embed url=\"@\" %}",
    "{% updates format=\"full\" %}\n{% update date=\"@\" tags=\"@\" %}\n@\n{% endupdate %}\n{% endupdates %}",
    "{% prompt description=\"@\" %}\n```\n@\n```\n{% endprompt %}",
];

/// The elements that may be found, beside those of MathML.
const ELEMENTS: &str = "a abbr address article aside b bdi blockquote br button caption cite code col colgroup dd del details dfn div dl dt em figcaption figure h2 h3 h4 h5 h6 hr html i img input ins kbd label li mark ol p picture pre q s samp section small source span strong sub summary sup table tbody td tfoot th thead time tr u ul var wbr";
/// The attributes that may be found on any of them, checked by name alone.
const ATTRIBUTES: &str = "alt aria-hidden aria-label checked class colspan data-align data-fit data-icon data-method data-span data-valign datetime decoding disabled download height id loading media name open popover popovertarget rel role rowspan scope start tabindex title type width";
const MATH: &str = "annotation math maction menclose merror mfrac mi mmultiscripts mn mo mover mpadded mphantom mprescripts mroot mrow ms mspace msqrt mstyle msub msubsup msup mtable mtd mtext mtr munder munderover none semantics";
const MATH_ATTRIBUTES: &str = "accent accentunder alttext class columnalign columnlines columnspacing columnspan depth display displaystyle fence form height largeop linebreak linethickness lspace mathbackground mathcolor mathsize mathvariant maxsize minsize movablelimits notation rowlines rowspacing rowspan rspace scriptlevel separator stretchy symmetric voffset width xmlns";
/// The schemes that addresses may have.
const SCHEMES: [&str; 12] = [
    "http", "https", "mailto", "tel", "sms", "ftp", "ssh", "git", "slack", "vscode", "irc", "xmpp",
];

fn html(document: &Document) -> String {
    render(document, &RenderContext { links: &NoLinks, highlight: true }).body
}

fn of_source(source: &str) -> String {
    let context = ParseContext { path: "page.md", lookup: &NoLookup };
    html(&markdown::parse(source, &context))
}

/// What a browser finds in the HTML that is not on the lists.
fn found(html: &str) -> Vec<String> {
    let context = QualName::new(None, ns!(html), local_name!("body"));
    let dom = parse_fragment(RcDom::default(), ParseOpts::default(), context, Vec::new(), false);
    let dom = dom.one(html);
    let mut wrong = Vec::new();
    let mut open: Vec<Handle> = vec![dom.document.clone()];
    while let Some(node) = open.pop() {
        match &node.data {
            NodeData::Element { name, attrs, template_contents, .. } => {
                let local = name.local.as_ref();
                let in_list = |list: &str, what: &str| list.split(' ').any(|known| known == what);
                let known = match &name.ns {
                    ns if *ns == ns!(html) => in_list(ELEMENTS, local),
                    ns if *ns == ns!(mathml) => in_list(MATH, local),
                    _ => false,
                };
                if !known || template_contents.borrow().is_some() {
                    wrong.push(format!("<{local}>"));
                }
                for attribute in attrs.borrow().iter() {
                    let key = attribute.name.local.as_ref();
                    let value = attribute.value.as_ref();
                    let known = match (&name.ns, local, key) {
                        (ns, ..) if *ns == ns!(mathml) => in_list(MATH_ATTRIBUTES, key),
                        (_, "a", "href") => leads_well(value),
                        (_, "img", "src") => {
                            value.starts_with("https:") || value.starts_with("http:")
                        }
                        (_, "source", "srcset") => {
                            (value.starts_with("https:") || value.starts_with("http:"))
                                && !value.contains([' ', ','])
                        }
                        (_, "input", "type") => value == "checkbox",
                        (_, "button", "type") => value == "button",
                        (_, _, key) => in_list(ATTRIBUTES, key),
                    };
                    if !known {
                        wrong.push(format!("<{local} {key}={value:?}>"));
                    }
                }
            }
            NodeData::Document | NodeData::Text { .. } => {}
            NodeData::Comment { .. }
            | NodeData::Doctype { .. }
            | NodeData::ProcessingInstruction { .. } => {
                wrong.push("a comment".to_owned());
            }
        }
        open.extend(node.children.borrow().iter().cloned());
    }
    wrong
}

/// Whether a browser goes to one of the schemes, or stays on the page.
fn leads_well(href: &str) -> bool {
    // Browsers leave out line ends and tabs, and control characters in front.
    let href: String = href.chars().filter(|c| !matches!(c, '\n' | '\r' | '\t')).collect();
    let href = href.trim_start_matches(|c: char| c <= ' ');
    if href.starts_with('#') || href.starts_with("//") {
        return true;
    }
    let scheme = href.split(':').next().unwrap_or_default();
    SCHEMES.iter().any(|known| known.eq_ignore_ascii_case(scheme))
}

fn attacks() -> Vec<&'static str> {
    ATTACKS.lines().filter(|line| !line.is_empty()).collect()
}

#[test]
fn no_attack_comes_through_anywhere() {
    let attacks = attacks();
    assert!(attacks.len() > 250, "{}", attacks.len());
    for context in CONTEXTS {
        for attack in &attacks {
            let source = context.replace('@', attack);
            let html = of_source(&source);
            let found = found(&html);
            assert!(found.is_empty(), "{found:?}\n{source}\n{html}");
        }
    }
}

/// All at once: what one leaves open, another may use.
#[test]
fn no_pair_of_attacks_comes_through() {
    let attacks = attacks();
    let mut previous = "";
    for step in [1, 7, 31, 101] {
        for at in 0..attacks.len() {
            let attack = attacks[(at * step) % attacks.len()];
            for between in ["", "\n", "\n\n"] {
                let source = format!("{previous}{between}{attack}");
                let html = of_source(&source);
                let found = found(&html);
                assert!(found.is_empty(), "{found:?}\n{source}\n{html}");
            }
            previous = attack;
        }
    }
    let all = attacks.join("\n\n");
    assert_eq!(found(&of_source(&all)), Vec::<String>::new());
}

/// Sources that parsing never makes, but a document may hold.
#[test]
fn no_attack_comes_through_as_an_opaque_source() {
    use bindery_content::document::{Node, Opaque, OpaqueKind};
    for attack in attacks() {
        for kind in
            [OpaqueKind::Unknown, OpaqueKind::Comment, OpaqueKind::Updates, OpaqueKind::Prompt]
        {
            let opaque = Opaque { block: kind, source: attack.to_owned(), nodes: Vec::new() };
            let block: Block = Node::new(Default::default(), BlockKind::Opaque(Box::new(opaque)));
            let html = html(&Document { nodes: vec![block] });
            assert_eq!(found(&html), Vec::<String>::new(), "{attack}\n{html}");
        }
    }
}

/// What foreign HTML keeps.
#[test]
fn foreign_html_keeps_what_is_harmless() {
    for (source, expected) in [
        (
            "<div align=\"center\"><b>x</b> <a href=\"https://a.b/\">y</a><br>z</div>",
            "<div data-align=\"center\"><b>x</b> <a href=\"https://a.b/\" rel=\"noopener nofollow\">y</a><br>z</div>",
        ),
        (
            "<table><tr><td rowspan=\"2\">a<td>b<tr><td>c</table>",
            "<table><tr><td rowspan=\"2\">a</td><td>b</td></tr><tr><td>c</td></tr></table>",
        ),
        ("<dl><dt>a<dd>b</dl>", "<dl><dt>a</dt><dd>b</dd></dl>"),
        ("<ul><li>a<li>b</ul>", "<ul><li>a</li><li>b</li></ul>"),
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
            "<a class=\"embed\" href=\"https://a.b/c\" rel=\"noopener nofollow\"><span class=\"embed-host\">a.b</span> <span class=\"embed-url\">https://a.b/c</span></a>",
        ),
        ("{% filename %}a.py{% endfilename %}", "<p>a.py</p>"),
    ] {
        use bindery_content::document::{Node, Opaque, OpaqueKind};
        let opaque =
            Opaque { block: OpaqueKind::Unknown, source: source.to_owned(), nodes: Vec::new() };
        let block = Node::new(Default::default(), BlockKind::Opaque(Box::new(opaque)));
        let html = html(&Document { nodes: vec![block] });
        let html = html.trim_end();
        let inner =
            html.strip_prefix("<div class=\"opaque\">").and_then(|h| h.strip_suffix("</div>"));
        assert_eq!(inner.unwrap_or(html).trim_end(), expected, "{source}");
    }
}

/// The check itself finds what it is for.
#[test]
fn the_check_can_fail() {
    for html in [
        "<script>1</script>",
        "<p onclick=\"x\">a</p>",
        "<p style=\"x\">a</p>",
        "<a href=\"javascript:x\">a</a>",
        "<a href=\" java\nscript:x\">a</a>",
        "<a href=\"x/y\">a</a>",
        "<img src=\"data:x\">",
        "<svg></svg>",
        "<math><annotation-xml></annotation-xml></math>",
        "<template></template>",
        "<!-- x -->",
        "<input type=\"text\">",
    ] {
        assert!(!found(html).is_empty(), "{html}");
    }
    assert!(found("<p>a <a href=\"https://x.y\">b</a></p>").is_empty());
}
