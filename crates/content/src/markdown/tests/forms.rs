//! Tests of the accepted forms of the dialect that are not the canonical ones.

use serde_json::json;

use super::super::*;
use super::properties::context;
use super::{check, json, outline};
use crate::arbitrary::parse as parse_in_world;

fn in_world(source: &str) -> serde_json::Value {
    serde_json::to_value(parse_in_world(source)).expect("JSON")
}

#[test]
fn code_in_html_holds_notes_expressions_and_marks() {
    check(&[
        (
            "<pre><code>a <a data-footnote-ref href=\"#user-content-fn-1\">b</a> c\nd</code></pre>\n\n[^1]: n",
            "code(code-line(\"a \" annotation(\"b\"){paragraph(\"n\")} \" c\") code-line(\"d\"))",
        ),
        (
            "<pre><code>x = <code class=\"expression\">space.vars.a</code>;\n<em>i</em>\n</code></pre>",
            "code(code-line(\"x = \" expression[expression=space.vars.a] \";\") code-line(italic:\"i\"))",
        ),
        (
            "<pre data-overflow=\"wrap\" data-expandable=\"true\"><code class=\"lang-py\"><strong>a &#x3C; b\nc\n</strong>  d</code></pre>",
            "code[syntax=py,overflow=wrap,expandable=true](code-line[highlighted=true](\"a < b\") code-line[highlighted=true](\"c\") code-line(\"  d\"))",
        ),
        // A partially bold line is not highlighted.
        ("<pre><code>a <strong>b</strong>\n</code></pre>", "code(code-line(\"a \"+bold:\"b\"))"),
        ("<pre>\nplain\n</pre>", "code(code-line(\"plain\"))"),
        (
            "<pre><code>a\n\n\nb</code></pre>",
            "code(code-line(\"a\") code-line(\"\") code-line(\"\") code-line(\"b\"))",
        ),
    ]);
}

#[test]
fn headings_have_ids_of_every_spelling() {
    check(&[
        ("## A <a href=\"#x\" id=\"x\"></a>", "heading-1[id=x](\"A\")"),
        ("## <a id=\"x\"></a>A", "heading-1[id=x](\"A\")"),
        ("## A <a name=\"x\"></a>", "heading-1[id=x](\"A\")"),
        ("## A <a name=\"x\" />", "heading-1[id=x](\"A\")"),
        ("## A {#x}", "heading-1[id=x](\"A\")"),
        ("A\n===", "heading-1(\"A\")"),
        ("A <a id=\"x\"></a>\n---", "heading-1[id=x](\"A\")"),
        ("<h2 id=\"x\">A</h2>", "heading-1[id=x](\"A\")"),
        ("## A {#My_Id}", "heading-1[id=my_id](\"A\")"),
        ("## **A** <a id=\"x\"></a>", "heading-1[id=x](bold:\"A\")"),
        ("## A <a href=\"#x\" id=\"x\">", "heading-1[id=x](\"A\")"),
    ]);
}

#[test]
fn definitions_hold_in_text_that_is_read_on_its_own() {
    let link = "link[ref=https://u.v](\"x\")";
    for (source, expected) in [
        ("{% hint %} [x][r] {% endhint %}", format!("hint[style=info](paragraph({link}))")),
        (
            "<details><summary>[x][r]</summary>[x][R]</details>",
            format!("expandable{{paragraph({link})}}{{paragraph({link})}}"),
        ),
    ] {
        let found = outline(&format!("{source}\n\n[r]: https://u.v\n"));
        assert_eq!(found, expected, "{source}");
    }
}

#[test]
fn updates_and_prompts_keep_their_source() {
    let updates = "{% updates format=\"full\" %}\n{% update date=\"2026-01-31\" tags=\"a,b\" %}\n## T\n\nb\n{% endupdate %}\n{% endupdates %}";
    let prompt = "{% prompt description=\"d\" icon=\"x\" %}\n```\np\n```\n{% endprompt %}";
    for (source, name) in [(updates, "updates"), (prompt, "prompt")] {
        let document = json(source);
        assert_eq!(document["nodes"][0]["data"]["block"], name);
        assert_eq!(document["nodes"][0]["data"]["props"], json!({"markdown": source}));
        assert_eq!(document["nodes"][0]["isVoid"], true);
    }
    // The prefixes of containers are removed.
    let quoted = json(
        "> {% updates %}\n> {% update date=\"2026-01-31\" %}\n> b\n> {% endupdate %}\n> {% endupdates %}",
    );
    assert_eq!(
        quoted["nodes"][0]["nodes"][0]["data"]["props"]["markdown"],
        "{% updates %}\n{% update date=\"2026-01-31\" %}\nb\n{% endupdate %}\n{% endupdates %}"
    );
    let document = parse(updates, &context());
    let crate::document::BlockKind::Opaque(opaque) = &document.nodes[0].kind else {
        panic!("no opaque block")
    };
    assert!(!opaque.nodes.is_empty());
}

#[test]
fn references_lead_to_every_kind() {
    let target = |source: &str| {
        let json = in_world(source);
        let line = json.pointer("/nodes/0/nodes/0/data/ref").cloned();
        line.or_else(|| json.pointer("/nodes/0/data/ref").cloned()).unwrap_or_default()
    };
    for (source, expected) in [
        ("[a](start_here.md)", json!({"kind": "page", "page": "page-start"})),
        ("[a](start\\_here.md)", json!({"kind": "page", "page": "page-start"})),
        ("[a](./)", json!({"kind": "page", "page": "page-guide"})),
        ("[a](../README.md#x)", json!({"kind": "anchor", "anchor": "x", "page": "page-root"})),
        ("[a](#x)", json!({"kind": "anchor", "anchor": "x"})),
        ("[a](<../a b/ü (1).md>)", json!({"kind": "page", "page": "page-odd"})),
        ("[a](../a%20b/%C3%BC%20\\(1\\).md)", json!({"kind": "page", "page": "page-odd"})),
        ("[a](../spec/api.yaml)", json!({"kind": "file", "file": "file-spec"})),
        ("[a](https://app.gitbook.com/u/ab12)", json!({"kind": "user", "user": "ab12"})),
        (
            "[a](https://app.gitbook.com/c/ab12)",
            json!({"kind": "collection", "collection": "ab12"}),
        ),
        (
            "[a](https://app.gitbook.com/s/space-other)",
            json!({"kind": "space", "space": "space-other"}),
        ),
        (
            "[a](https://app.gitbook.com/o/org/s/space-other/intro/first)",
            json!({"kind": "page", "page": "page-elsewhere", "space": "space-other"}),
        ),
        ("[a](/broken/pages/ab)", json!({"kind": "page", "page": "ab"})),
        (
            "[Ann](https://app.gitbook.com/u/ab12 \"mention\")",
            json!({"kind": "user", "user": "ab12"}),
        ),
        (
            "[#x](start_here.md#x \"mention\")",
            json!({"kind": "anchor", "anchor": "x", "page": "page-start"}),
        ),
        ("[a][r]\n\n[r]: start_here.md", json!({"kind": "page", "page": "page-start"})),
        (
            "{% include \"../.gitbook/includes/note.md\" %}",
            json!({"kind": "reusable-content", "reusableContent": "reusable-note"}),
        ),
        (
            "{% include '/.gitbook/includes/note.md' %}",
            json!({"kind": "reusable-content", "reusableContent": "reusable-note"}),
        ),
        (
            "{% include \"https://app.gitbook.com/s/sp/~/reusable/re/\" %}",
            json!({"kind": "reusable-content", "reusableContent": "re", "space": "sp"}),
        ),
        ("{% file src=\"../spec/api.yaml\" %}", json!({"kind": "file", "file": "file-spec"})),
        ("{% page-ref page=\"start_here.md\" %}", json!({"kind": "page", "page": "page-start"})),
        ("<a href=\"start_here.md\">a</a>", json!({"kind": "page", "page": "page-start"})),
    ] {
        assert_eq!(target(source), expected, "{source}");
    }
}

#[test]
fn embeds_files_and_swagger_have_older_forms() {
    check(&[
        (
            "{% embed url=\"https://u.v\" caption=\"c d\" %}",
            "embed[url=https://u.v]{paragraph(\"c d\")}",
        ),
        (
            "{% embed url=\"https://u.v\" fullWidth=\"true\" %}",
            "embed[url=https://u.v,fullWidth=true]",
        ),
        (
            "{% file src=\"nowhere.pdf\" caption=\"c \\(d\\)\" %}",
            "embed[url=nowhere.pdf]{paragraph(\"c (d)\")}",
        ),
        ("{% file src=\"nowhere.pdf\" %}", "embed[url=nowhere.pdf]"),
        (
            "{% swagger src=\"https://x.y/a.yaml\" path=\"/p\" method=\"get\" %}\n[a](https://x.y/a.yaml)\n{% endswagger %}",
            "swagger[ref=https://x.y/a.yaml,path=/p,method=get]",
        ),
        (
            "{% openapi src=\"https://x.y/a.yaml\" path=\"/p\" method=\"post\" expanded=\"true\" fullWidth=\"false\" %}\n[a](https://x.y/a.yaml)\n{% endopenapi %}",
            "swagger[ref=https://x.y/a.yaml,path=/p,method=post,expanded=true,fullWidth=false]",
        ),
        (
            "{% openapi-webhook spec=\"s\" name=\"n\" method=\"post\" %}\n[a](https://x.y)\n{% endopenapi-webhook %}",
            "openapi-webhook[ref=s,name=n,method=post]",
        ),
    ]);
}

#[test]
fn pictures_have_every_form() {
    check(&[
        (
            "<figure><img src=\"a.png\" alt=\"\"><figcaption></figcaption></figure>\n\n<figure><img src=\"b.png\" alt=\"\"></figure>",
            "images(image[ref=a.png]) images(image[ref=b.png])",
        ),
        (
            "<figure><img src=\"a.png\"></figure>\n<figure><img src=\"b.png\"></figure>",
            "images(image[ref=a.png]) images(image[ref=b.png])",
        ),
        (
            "<div data-with-frame=\"true\"><figure><img src=\"a.png\"><figcaption><p>c</p></figcaption></figure></div>",
            "images[withFrame=true](image[ref=a.png]{paragraph(\"c\")})",
        ),
        (
            "x <picture><source srcset=\"d.png\" media=\"(prefers-color-scheme: dark)\"><img src=\"l.png\" data-size=\"line\"></picture> y",
            "paragraph(\"x \" inline-image[ref=l.png,refDark=d.png,size=line] \" y\")",
        ),
        ("<img src=\"a.png\" alt=\"z\">", "images(image[ref=a.png,alt=z])"),
        ("![t](a.png \"c\r\nd\")", "images(image[ref=a.png,alt=t]{paragraph(\"c d\")})"),
        (
            "* a\n\n  <figure><img src=\"b.png\" alt=\"\"><figcaption></figcaption></figure>\n",
            "list-unordered(list-item(paragraph(\"a\") images(image[ref=b.png])))",
        ),
    ]);
}

#[test]
fn html_holds_the_same_inlines() {
    check(&[
        ("<p>a $$x_1$$ b</p>", "paragraph(\"a \" inline-math[formula=x_1] \" b\")"),
        ("<p>:tada: <u>x</u></p>", "paragraph(emoji[code=1f389] \" \"+\"<u>\"+\"x\"+\"</u>\")"),
        ("<kbd>*a*</kbd> b", "paragraph(italic:keyboard:\"a\"+\" b\")"),
        ("<mark style=\"color:$primary;background-color:red;\">a</mark>", "paragraph(color:\"a\")"),
        ("a <b>b</b><br>c<br/>d", "paragraph(\"a \"+bold:\"b\"+\"\\nc\\nd\")"),
        (
            "<a class=\"button secondary\" data-icon=\"x\">Go</a>",
            "paragraph(button[label=Go,kind=secondary,icon=x,ref=#])",
        ),
        ("~~_**`x`**_~~", "paragraph(bold:italic:strikethrough:code:\"x\")"),
        ("a <!-- b -->", "paragraph(\"a \"+\"\")"),
        ("x {{ y }} {% z %}", "paragraph(\"x {{ y }} {% z %}\")"),
    ]);
}

#[test]
fn a_tag_that_a_sentence_names_is_text() {
    check(&[
        (
            "The <table> tag, <Head> and <input>.",
            "paragraph(\"The <table> tag, <Head> and <input>.\")",
        ),
        (
            "* Only <form>\n* <b>x</b>",
            "list-unordered(list-item(paragraph(\"Only <form>\")) list-item(paragraph(bold:\"x\")))",
        ),
        ("## The <img> tag", "heading-1(\"The <img> tag\")"),
        ("a <video> b", "paragraph(\"a <video> b\")"),
        // Tags with attributes or an end belong to markup.
        ("a <div>b</div> c", "paragraph(\"a \"+\"<div>\"+\"b\"+\"</div>\"+\" c\")"),
        ("a <div class=\"x\"> c", "paragraph(\"a \"+\"<div class=\\\"x\\\">\"+\" c\")"),
        ("a </table> <p> c", "paragraph(\"a \"+\"</table>\"+\" \"+\"<p>\"+\" c\")"),
    ]);
}

#[test]
fn lists_tags_and_indentation() {
    check(&[
        (
            "*   a\n\n    b\n*   c",
            "list-unordered(list-item(paragraph(\"a\") paragraph(\"b\")) list-item(paragraph(\"c\")))",
        ),
        (
            "* a\n\n  ```js\n  x\n  ```\n* b",
            "list-unordered(list-item(paragraph(\"a\") code[syntax=js](code-line(\"x\"))) list-item(paragraph(\"b\")))",
        ),
        (
            "* a\n  {% hint style=\"info\" %}\n  x\n  {% endhint %}\n* b",
            "list-unordered(list-item(paragraph(\"a\") hint[style=info](paragraph(\"x\"))) list-item(paragraph(\"b\")))",
        ),
        (
            "* a\n{% hint style=\"info\" %}\nx\n{% endhint %}",
            "list-unordered(list-item(paragraph(\"a\"))) hint[style=info](paragraph(\"x\"))",
        ),
        (
            "{% tabs %}\n\n{% tab title=\"A\" %}\na\n{% endtab %}\n{% tab title=\"B\" icon=\"x\" %}\nb\n{% endtab %}\n\n{% endtabs %}",
            "tabs(tabs-item[title=A](paragraph(\"a\")) tabs-item[title=B,icon=x](paragraph(\"b\")))",
        ),
        (
            "{% tabs %}\n  {% tab title=\"A\" %}\n  a\n  {% endtab %}\n{% endtabs %}",
            "tabs(tabs-item[title=A](paragraph(\"a\")))",
        ),
        ("{% HINT STYLE='warning' %}\nx\n{% EndHint %}", "hint[style=warning](paragraph(\"x\"))"),
        (
            "{% hint style=danger icon=\"x\" %}\n{% endhint %}",
            "hint[style=danger,icon=x](paragraph(\"\"))",
        ),
        ("1) a\n2) b", "list-ordered(list-item(paragraph(\"a\")) list-item(paragraph(\"b\")))"),
        (
            "1. [ ] a\n2. [x] b",
            "list-ordered(list-item(paragraph(\"[ ] a\")) list-item(paragraph(\"[x] b\")))",
        ),
        ("* [X] a", "list-tasks(list-item[checked=true](paragraph(\"a\")))"),
    ]);
    let columns = json(
        "{% columns fullWidth=\"true\" %}\n{% column width=\"41.66666666666667%\" %}\na\n{% endcolumn %}\n{% endcolumns %}",
    );
    assert_eq!(columns["nodes"][0]["data"]["fullWidth"], true);
    assert_eq!(
        columns["nodes"][0]["nodes"][0]["data"]["width"],
        json!({"value": 41.666_666_666_666_67, "unit": "%"})
    );
}
