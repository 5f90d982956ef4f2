//! Dangerous URLs in every position that accepts a URL.

use bindery_content::html::{FileLink, Links, PageLink, RenderContext, render, safe_url};
use bindery_content::reference::NoLookup;
use bindery_content::{ParseContext, markdown};

use crate::check::found;

/// Positions for a URL; `@` marks it.
const PLACES: [&str; 48] = [
    "[x](@)",
    "[x](<@>)",
    "[x](@ \"mention\")",
    "[x][r]\n\n[r]: @",
    "[x][r]\n\n[r]: <@>",
    "<@>",
    "@",
    "![x](@)",
    "![x](<@>)",
    "a ![x](@) b",
    "a <img src=\"@\" alt=\"x\"> b",
    "<img src=\"@\" alt=\"x\">",
    "<figure><img src=\"@\" alt=\"x\"><figcaption></figcaption></figure>",
    "<picture><source srcset=\"@\" media=\"(prefers-color-scheme: dark)\"><img src=\"@\"></picture>",
    "<div><picture><source srcset=\"@\" media=\"(prefers-color-scheme: dark)\"><img src=\"https://x.y/a.png\"></picture></div>",
    "<img src=\"@\" alt=\"\" class=\"gitbook-drawing\">",
    "a <video src=\"@\" poster=\"@\">x</video> b",
    "a <audio><source src=\"@\" srcset=\"@\"></audio> <embed src=\"@\"> b",
    "a <iframe src=\"@\"></iframe> <base href=\"@\"> <link href=\"@\"> <meta content=\"0;url=@\"> b",
    "a <u style=\"background:url(@)\">x</u> <font color=\"url(@)\">x</font> <a id=\"@\" href=\"@\"></a> <q cite=\"@\">x</q>",
    "<a href=\"@\">x</a>",
    "<a href='@'>x</a>",
    "<a href=@>x</a>",
    "<a data-mention href=\"@\">x</a>",
    "<a href=\"@\" class=\"button primary\" data-icon=\"x\">y</a>",
    "## x <a href=\"@\" id=\"y\"></a>",
    "<dl><dt><a href=\"@\">x</a> <img src=\"@\" alt=\"y\"></dl>",
    "<div><a href='@'>x</a> <a href=@>y</a></div>",
    "<div><iframe src=\"@\"></iframe><video src=\"@\" poster=\"@\"></video><audio src=\"@\"></audio><embed src=\"@\"></div>",
    "<blockquote cite=\"@\"><q cite=\"@\">x</q></blockquote><del cite=\"@\">y</del>",
    "<form action=\"@\"><button formaction=\"@\">x</button><input src=\"@\"></form>",
    "<object data=\"@\"><param name=src value=\"@\"></object><base href=\"@\">",
    "<svg><a href=\"@\" xlink:href=\"@\">x</a><image href=\"@\"/></svg><math href=\"@\"><mi xlink:href=\"@\">x</mi></math>",
    "<table background=\"@\"><tr><td background=\"@\" rowspan=2>x</td></tr></table>",
    "| a |\n| - |\n| [x](@) ![y](@) |",
    "<table><thead><tr><th data-type=\"content-ref\"></th><th data-type=\"files\"></th><th data-type=\"image\"></th><th data-type=\"users\"></th></tr></thead><tbody><tr><td><a href=\"@\">x</a></td><td><a href=\"@\">x</a></td><td><a href=\"@\">x</a></td><td><a href=\"@\">x</a></td></tr></tbody></table>",
    "<table data-view=\"cards\"><thead><tr><th>a</th><th data-hidden data-card-target data-type=\"content-ref\"></th><th data-hidden data-card-cover data-type=\"image\"></th><th data-hidden data-card-cover-dark data-type=\"image\"></th></tr></thead><tbody><tr><td>x</td><td><a href=\"@\">x</a></td><td><a href=\"@\">x</a></td><td><a href=\"@\">x</a></td></tr></tbody></table>",
    "<table data-view=\"cards\"><thead><tr><th>a</th><th data-hidden data-card-cover data-type=\"files\"></th></tr></thead><tbody><tr><td>x</td><td><a href=\"@\">x</a></td></tr></tbody></table>",
    "{% embed url=\"@\" %}",
    "{% embed url=\"@\" %}\n[x](@)\n{% endembed %}",
    "{% file src=\"@\" %}",
    "{% content-ref url=\"@\" %}\n[x](@)\n{% endcontent-ref %}",
    "{% include \"@\" %}",
    "{% @x/y url=\"@\" %}",
    "{% openapi src=\"@\" path=\"/x\" method=\"get\" %}\n[x](@)\n{% endopenapi %}",
    "{% openapi-operation spec=\"x\" path=\"/x\" method=\"get\" %}\n[x](@)\n{% endopenapi-operation %}",
    "$$\\href{@}{x} \\url{@}$$",
    "x[^1]\n\n[^1]: [y](@) ![z](@)",
];

/// Returns dangerous URLs in variants that browsers and careless filters interpret differently.
fn addresses() -> Vec<String> {
    const ACTIVE: [&str; 18] = [
        "javascript:alert(1)",
        "javascript://x.y/%0aalert(1)",
        "javascript:https://x.y/",
        "vbscript:msgbox(1)",
        "data:text/html,<b>x</b>",
        "data:text/html;base64,PHNjcmlwdD4=",
        "data:image/svg+xml,x",
        "data:,x",
        "livescript:x",
        "mocha:x",
        "blob:https://x.y/1",
        "filesystem:https://x.y/1",
        "file:///etc/passwd",
        "view-source:javascript:x",
        "feed:javascript:x",
        "jar:https://x.y!/a",
        "about:blank",
        "intent://x#Intent;scheme=javascript;end",
    ];
    let mut all = Vec::new();
    for active in ACTIVE {
        let (scheme, rest) = active.split_once(':').unwrap();
        let first = scheme.get(..1).unwrap();
        let other = scheme.get(1..).unwrap();
        all.push(active.to_owned());
        all.push(active.to_uppercase());
        all.push(format!("{}{other}:{rest}", first.to_uppercase()));
        // Text before the scheme.
        for front in [
            " ",
            "\t",
            "\u{1}",
            "\u{8}",
            "\u{b}",
            "\u{c}",
            "\u{1f}",
            "\u{7f}",
            "\u{a0}",
            "\u{ad}",
            "\u{200b}",
            "\u{202e}",
            "\u{2028}",
            "\u{3000}",
            "\u{feff}",
            "\0",
            "\\",
            "/",
            "./",
            "&#1;",
            "&#x20;",
            "&#9;",
            "&#10;",
            "&#x0;",
            "&Tab;",
            "&NewLine;",
            "&nbsp;",
            "&ZeroWidthSpace;",
            "%20",
            "%00",
            "url:",
            "https:",
            ":",
            "\"",
            "'",
            "`",
            "(",
            "<",
        ] {
            all.push(format!("{front}{active}"));
        }
        // Text within the scheme and before its colon.
        for inner in [
            "\t",
            "\n",
            "\r",
            "\0",
            "\u{1}",
            "\u{ad}",
            "\u{200b}",
            "&#9;",
            "&#10;",
            "&#13;",
            "&#x9;",
            "&#x0A;",
            "&#0000009",
            "&Tab;",
            "&NewLine;",
            "&#0;",
            "%09",
            "%0a",
            "\\",
            "\\\n",
            "/**/",
            "&shy;",
            " ",
        ] {
            all.push(format!("{first}{inner}{other}:{rest}"));
            all.push(format!("{scheme}{inner}:{rest}"));
        }
        for colon in ["&colon;", "&#58;", "&#x3a;", "&#x3A", "&#0000058", "%3a", "\u{ff1a}", "\\:"]
        {
            all.push(format!("{scheme}{colon}{rest}"));
        }
        let entities = |text: &str, number: fn(u32) -> String| -> String {
            text.chars().map(|c| number(u32::from(c))).collect()
        };
        all.push(entities(active, |n| format!("&#{n};")));
        all.push(entities(active, |n| format!("&#{n:07}")));
        all.push(entities(active, |n| format!("&#x{n:x};")));
        all.push(entities(active, |n| format!("%{n:02x}")));
        all.push(entities(active, |n| format!("\\u{n:04x}")));
        // Text after the URL and around attributes.
        for end in
            ["\"onerror=alert(1)", "'onerror=alert(1)", ">", "#https://x.y", "?https://", "\n"]
        {
            all.push(format!("{active}{end}"));
        }
    }
    all
}

/// Resolves every target to itself, so that no link is dropped for lack of a page.
struct Anywhere;

impl Links for Anywhere {
    fn page(&self, _page: &str, _space: Option<&str>) -> Option<PageLink> {
        Some(PageLink { href: "https://x.y/p".to_owned(), title: "p".to_owned() })
    }
    fn file(&self, _file: &str) -> Option<FileLink> {
        Some(FileLink { href: "https://x.y/f".to_owned(), ..FileLink::default() })
    }
}

#[test]
fn no_dangerous_url_gets_through_anywhere() {
    let addresses = addresses();
    assert!(addresses.len() > 1_500, "{}", addresses.len());
    let context = ParseContext { path: "page.md", lookup: &NoLookup };
    for place in PLACES {
        for address in &addresses {
            let source = place.replace('@', address);
            let document = markdown::parse(&source, &context);
            let context = RenderContext { links: &Anywhere, highlight: false };
            let html = render(&document, &context).body;
            let found = found(&html);
            assert!(found.is_empty(), "{found:?}\n{source:?}\n{html}");
        }
    }
}

/// Tests the URL check itself with a browser's interpretation of the URLs that it accepts.
#[test]
fn accepted_urls_have_a_known_scheme() {
    let mut passed = 0;
    for address in addresses() {
        let Some(safe) = safe_url(&address) else { continue };
        passed += 1;
        let html =
            format!("<a href=\"{}\">x</a>", safe.replace('&', "&amp;").replace('"', "&quot;"));
        assert_eq!(found(&html), Vec::<String>::new(), "{address:?}");
    }
    // Those with `https:` in front are accepted.
    assert!(passed > 0);
}
