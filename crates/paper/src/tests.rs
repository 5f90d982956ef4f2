//! Tests of whole pages. `bindery_typeset` tests that the typesetter accepts such source.

use crate::{Facts, ImageFact, PageInput, chapter_start, facts, page};

fn source(html: &str) -> String {
    let input = PageInput { key: "p", level: 1, title: "T", html, ..PageInput::default() };
    let source = page(&input).source;
    let body = source.strip_prefix("#{T(1,{\"T\";},A(\"p\"),none);").unwrap();
    body.strip_suffix("}\n").unwrap().to_owned()
}

#[test]
fn elements_become_calls() {
    for (html, expect) in [
        ("<p>a <strong>b</strong> c</p>\n", "par({\"a \";strong({\"b\";});\" c\";});"),
        ("<p>a\n  b<br>c</p>", "par({\"a b\";linebreak();\"c\";});"),
        ("<p data-align=\"center\">a</p>", "align(center,{par({\"a\";});});"),
        ("<p></p>\n<p> </p>", ""),
        ("<p><code>x</code><kbd>y</kbd></p>", "par({ic({\"x\";});key({\"y\";});});"),
        ("text <em>x</em><p>y</p>", "par({\"text \";emph({\"x\";});});par({\"y\";});"),
        (
            "<h2 id=\"a\">x <a class=\"anchor\" href=\"#a\">#</a></h2>",
            "H(2,2,{\"x\";},{A(\"p#a\");});",
        ),
        (
            "<ul>\n<li>a</li>\n<li>b<ul>\n<li>c</li>\n</ul></li>\n</ul>",
            "list(tight:true,{\"a\";},{\"b\";list(tight:true,{\"c\";},);},);",
        ),
        (
            "<ol start=\"3\"><li>\n<p>a</p></li></ol>",
            "enum(start:3,tight:false,{par({\"a\";});},);",
        ),
        (
            "<p><a href=\"https://x.y\">a</a> <a href=\"#b\">b</a> <a href=\"x-page:q#c\">c</a></p>",
            "par({link(\"https://x.y\",{\"a\";});\" \";link(\"x-page:p#b\",{\"b\";});\" \";\
             link(\"x-page:q#c\",{\"c\";});});",
        ),
        ("<p><a href=\"/relative\">a</a></p>", "par({\"a\";});"),
        ("<p>שלום</p>", "rtl({\"שלום\";});"),
        (
            "<figure class=\"code\"><pre><code><span class=\"line\"><span class=\"k\">let</span> x\
             \n</span></code></pre></figure>",
            "code-block({par({ck({\"let\";});\" x\";});});",
        ),
        (
            "<details class=\"expandable\"><summary><span>t</span></summary>\
             <div class=\"expandable-body\" id=\"i\"><p>b</p></div></details>",
            "section({\"t\";},{A(\"p#i\");par({\"b\";});});",
        ),
        (
            "<div class=\"math\"><math><mi>x</mi></math></div>",
            "math.equation(block:true,{y(\"x\");});",
        ),
    ] {
        assert_eq!(source(html), expect, "{html}");
    }
}

#[test]
fn tables_have_headers_and_places() {
    let html = "<div class=\"table\"><table><thead><tr><th>a</th><th>b</th></tr></thead><tbody>\
                <tr><td rowspan=\"2\">1</td><td>2</td></tr><tr><td>3</td></tr></tbody></table></div>";
    assert_eq!(
        source(html),
        "data-table(9pt,(auto,auto,),table.header(\
         table.cell(x:0,y:0,fill:header-fill,{strong({\"a\";});}),\
         table.cell(x:1,y:0,fill:header-fill,{strong({\"b\";});}),),\
         table.cell(x:0,y:1,rowspan:2,{\"1\";}),table.cell(x:1,y:1,{\"2\";}),\
         table.cell(x:1,y:2,{\"3\";}),);"
    );
}

#[test]
fn notes_become_footnotes_once() {
    let mark = "<button type=\"button\" class=\"note-mark\" popovertarget=\"B--note-1\">1</button>";
    let html = format!(
        "<p>a{mark} b{mark}</p><aside class=\"note\" id=\"B--note-1\" popover><p>n</p></aside>"
    );
    assert_eq!(source(&html), "par({\"a\";note({\"1\";},{\"n\";});\" b\";super({\"1\";});});");
}

#[test]
fn text_cannot_leave_its_literal() {
    for text in [
        "\"); read(\"/etc/passwd\"); (\"",
        "\\\"); #import \"@preview/x\"",
        "#eval(\"1\") $x$ ` @a <a> // /* */ ] } )",
        "a\nb\r\n\u{0}\u{2028}\u{1b}[0m",
        "\\u{22}",
    ] {
        let mut escaped = String::new();
        for char in text.chars() {
            match char {
                '<' => escaped.push_str("&lt;"),
                '"' => escaped.push_str("&quot;"),
                char => escaped.push(char),
            }
        }
        let html = format!(
            "<h2 id=\"{escaped}\">{escaped}</h2><p title=\"{escaped}\">{escaped}</p><pre>{escaped}</pre>\
             <a class=\"embed\" href=\"https://{escaped}\">{escaped}</a><math><mi>{escaped}</mi></math>\
             <img src=\"x-file:{escaped}\" alt=\"{escaped}\" width=\"{escaped}\">\
             <td rowspan=\"{escaped}\">x</td><mark class=\"color-{escaped}\">y</mark>"
        );
        let input = PageInput {
            key: text,
            level: 1,
            title: text,
            description: Some(text),
            html: &html,
            files: Some(text),
            ..PageInput::default()
        };
        assert_no_text_outside_literals(&page(&input).source);
    }
}

/// Fails if the source contains anything outside of string literals that the writer never writes.
fn assert_no_text_outside_literals(source: &str) {
    let mut outside = String::new();
    let mut in_literal = false;
    let mut chars = source.chars();
    while let Some(char) = chars.next() {
        match char {
            '\\' if in_literal => drop(chars.next()),
            '"' => in_literal = !in_literal,
            char if !in_literal => outside.push(char),
            _ => {}
        }
    }
    assert!(!in_literal, "an open literal: {source}");
    for word in ["read", "eval", "import", "preview", "passwd", "//", "/*", "@", "$", "`", "<"] {
        assert!(!outside.contains(word), "{word} in {outside}");
    }
    assert_eq!(outside.matches('#').count(), 1, "{outside}");
}

#[test]
fn deep_nesting_is_flattened() {
    let html = format!("{}x{}", "<blockquote>".repeat(60), "</blockquote>".repeat(60));
    let source = source(&html);
    assert_eq!(source.matches("quoted(").count(), 10);
    assert!(source.contains("par({\"x\";});"));
}

#[test]
fn languages_and_facts_are_source() {
    assert!(chapter_start("zh-Hant-TW").contains("lang:\"zh\",region:\"TW\""));
    assert!(chapter_start("en").contains("lang:\"en\")"));
    assert!(chapter_start("\"x").contains("lang:\"en\")"));
    let image = ImageFact { id: "a".into(), path: "/a.png".into(), width: 2.0, height: 3.0 };
    let source = facts(&Facts { images: vec![image], ..Facts::default() });
    assert!(source.starts_with(
        "#let images=(\"a\":(path:\"/a.png\",width:2.000,height:3.000),)\n#let has-emoji=false\n"
    ));
    assert!(facts(&Facts::default()).starts_with("#let images=(:)\n"));
}
