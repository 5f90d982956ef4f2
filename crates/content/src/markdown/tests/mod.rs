//! Tests of Markdown in common use, each with its parsed document.

mod dialect;
mod forms;
pub(crate) mod properties;
mod readings;

use serde_json::Value;

use self::properties::context;
use super::*;
use crate::document::BlockKind;

fn json(source: &str) -> Value {
    serde_json::to_value(parse(source, &context())).expect("a document is JSON")
}

/// Returns the document on one line: `type[data](content)`, with texts in quotes after their marks.
fn outline(source: &str) -> String {
    outline_of(&json(source))
}

fn outline_of(document: &Value) -> String {
    document.get("nodes").map(list).unwrap_or_default()
}

fn list(nodes: &Value) -> String {
    let nodes = nodes.as_array().map(Vec::as_slice).unwrap_or_default();
    nodes.iter().map(node).collect::<Vec<_>>().join(" ")
}

fn node(node: &Value) -> String {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    if node["object"] == "text" {
        let leaves = node["leaves"].as_array().expect("leaves");
        return leaves
            .iter()
            .map(|leaf| {
                let marks = leaf["marks"].as_array().expect("marks");
                let marks: String = marks.iter().map(|mark| text(&mark["type"]) + ":").collect();
                format!("{marks}{:?}", text(&leaf["text"]))
            })
            .collect::<Vec<_>>()
            .join("+");
    }
    let mut line = text(&node["type"]);
    let data = node["data"].as_object();
    let data: Vec<String> = data
        .into_iter()
        .flatten()
        .filter(|_| node["type"] != "table")
        .map(|(key, value)| match (key.as_str(), value) {
            ("ref" | "refDark", reference) => {
                let mut fields = reference.as_object().into_iter().flatten().skip(1);
                format!("{key}={}", fields.next().map(|(_, value)| text(value)).unwrap_or_default())
            }
            (_, Value::String(value)) => format!("{key}={value}"),
            (_, value) => format!("{key}={value}"),
        })
        .collect();
    if !data.is_empty() {
        line.push_str(&format!("[{}]", data.join(",")));
    }
    if let Some(nodes) = node.get("nodes") {
        line.push_str(&format!("({})", list(nodes)));
    }
    for fragment in node["fragments"].as_array().into_iter().flatten() {
        line.push_str(&format!("{{{}}}", list(&fragment["nodes"])));
    }
    line
}

fn check(cases: &[(&str, &str)]) {
    let wrong: Vec<String> = cases
        .iter()
        .map(|(source, expected)| (source, outline(source), expected))
        .filter(|(_, found, expected)| found != *expected)
        .map(|(source, found, expected)| {
            format!("{source}\n  read as {found}\n  and not {expected}")
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn common_blocks() {
    check(&[
        ("", ""),
        ("a\nb\\\nc", "paragraph(\"a b\\nc\")"),
        ("# A\n\n### B\n\n##### C", "heading-1(\"A\") heading-2(\"B\") heading-3(\"C\")"),
        ("#tag", "paragraph(\"#tag\")"),
        ("##\n", "heading-1(\"\")"),
        ("## A <a href=\"#old\" id=\"old\"></a>", "heading-1[id=old](\"A\")"),
        ("## A {#old}", "heading-1[id=old](\"A\")"),
        (
            "* a\n\n- b",
            "list-unordered(list-item(paragraph(\"a\"))) list-unordered(list-item(paragraph(\"b\")))",
        ),
        ("3. x", "list-ordered[start=3](list-item(paragraph(\"x\")))"),
        (
            "* [ ] a\n* [x] b",
            "list-tasks(list-item[checked=false](paragraph(\"a\")) list-item[checked=true](paragraph(\"b\")))",
        ),
        (
            "* [ ] a\n* b",
            "list-unordered(list-item(paragraph(\"[ ] a\")) list-item(paragraph(\"b\")))",
        ),
        (
            "* [ ] **a**\n\n  x\n* b",
            "list-unordered(list-item(paragraph(\"[ ] \"+bold:\"a\") paragraph(\"x\")) list-item(paragraph(\"b\")))",
        ),
        ("*\n", "list-unordered(list-item(paragraph(\"\")))"),
        ("> a\nlazy\n>\n> > b", "blockquote(paragraph(\"a lazy\") blockquote(paragraph(\"b\")))"),
        ("***", "divider"),
        (
            "```js x\na\n\nb\n```",
            "code[syntax=js](code-line(\"a\") code-line(\"\") code-line(\"b\"))",
        ),
        ("```\nunclosed", "code(code-line(\"unclosed\"))"),
        ("~~~\r\na\r\n~~~\r\n", "code(code-line(\"a\"))"),
        ("    x\n", "code(code-line(\"x\"))"),
        ("x&#x20;", "paragraph(\"x \")"),
        (
            "a\n\n\\\n\n&#x20;\n\n<br>\n\nb",
            "paragraph(\"a\") paragraph(\"\") paragraph(\"\") paragraph(\"\") paragraph(\"b\")",
        ),
        (
            "<p align=\"center\">a <strong>b</strong></p>",
            "paragraph[align=center](\"a \"+bold:\"b\")",
        ),
        ("<h2 align=\"center\">T</h2>", "heading-1[align=center](\"T\")"),
        ("a\u{0}b", "paragraph(\"a\u{FFFD}b\")"),
    ]);
}

#[test]
fn tagged_blocks() {
    let info = "hint[style=info](paragraph(\"y\"))";
    check(&[
        (
            "t\n{% hint style=\"danger\" %}\nx\n{% endhint %}\nu",
            "paragraph(\"t\") hint[style=danger](paragraph(\"x\")) paragraph(\"u\")",
        ),
        ("{% hint stype=\"info\" %}\ny\n{% endhint %}", info),
        ("{% hint %} y {% endhint %}", info),
        (
            "{% hint %}\ny {% endhint %}",
            "integration[integration=bindery,block=opaque,props={\"markdown\":\"{% hint %}\"}] paragraph(\"y {% endhint %}\")",
        ),
        (
            "1. x\n\n   {% hint style=\"info\" %}\n   y\n   {% endhint %}",
            "list-ordered(list-item(paragraph(\"x\") hint[style=info](paragraph(\"y\"))))",
        ),
        (
            "> {% hint style=\"info\" %}\n> y\n> {% endhint %}",
            "blockquote(hint[style=info](paragraph(\"y\")))",
        ),
        (
            "{% hint style=\"info\" %}\n```\n{% endhint %}\n```\n{% endhint %}",
            "hint[style=info](code(code-line(\"{% endhint %}\")))",
        ),
        ("use `{% tabs %}`", "paragraph(\"use \"+code:\"{% tabs %}\")"),
        ("x {% hint %}", "paragraph(\"x {% hint %}\")"),
        ("    {% hint %}", "code(code-line(\"{% hint %}\"))"),
        (
            "<div data-gb-custom-block data-tag=\"hint\" data-style=\"info\" class=\"hint hint-info\"><p>y</p></div>",
            info,
        ),
        (
            "{% tabs %}\n{% tab title=\"A\" %}\na\n{% endtab %}\n\n{% tab title=\"B\" %}\n{% endtab %}\n{% endtabs %}",
            "tabs(tabs-item[title=A](paragraph(\"a\")) tabs-item[title=B](paragraph(\"\")))",
        ),
        (
            "{% stepper %}\n{% step %}\n## S\n{% endstep %}\n{% endstepper %}",
            "stepper(stepper-step(heading-1(\"S\")))",
        ),
        (
            "{% columns %}\n{% column width=\"41.6%\" valign=\"middle\" %}\na\n{% endcolumn %}\n{% column %}\nb\n{% endcolumn %}\n{% endcolumns %}",
            "columns(column[width={\"value\":41.6,\"unit\":\"%\"},verticalAlignment=middle](paragraph(\"a\")) column(paragraph(\"b\")))",
        ),
        (
            "{% code title=\"a \\\"b\\\"\" overflow=\"wrap\" lineNumbers=\"true\" %}\n```c\nx\n```\n{% endcode %}",
            "code[syntax=c,title=a \"b\",overflow=wrap,lineNumbers=true](code-line(\"x\"))",
        ),
    ]);
}

#[test]
fn tagged_embeds_references_and_formulas() {
    check(&[
        (
            "{% embed url=\"https://u.v\" %}\n\n{% embed url=\"https://w.x\" %}\nc\n{% endembed %}",
            "embed[url=https://u.v] embed[url=https://w.x]{paragraph(\"c\")}",
        ),
        ("{% content-ref url=\"a/\" %}\n[a](a/)\n{% endcontent-ref %}", "content-ref[ref=a/]"),
        ("{% page-ref page=\"a.md\" %}", "content-ref[ref=a.md]"),
        (
            "{% if !visitor.claims.unsigned.a %}\nx\n{% endif %}",
            "if[expression=!visitor.claims.unsigned.a](paragraph(\"x\"))",
        ),
        (
            "{% openapi-operation spec=\"s\" path=\"/p\" method=\"get\" %}\n[x](https://y.z)\n{% endopenapi-operation %}",
            "openapi-operation[ref=s,path=/p,method=get]",
        ),
        (
            "{% openapi-schemas spec=\"s\" schemas=\"A,B\" grouped=\"true\" %}\n{% endopenapi-schemas %}",
            "openapi-schemas[ref=s,schemas=[\"A\",\"B\"],grouped=true]",
        ),
        (
            "{% @mermaid/diagram content=\"graph TD\n  A[\"x\"]-->B\" %}",
            "integration[integration=mermaid,block=diagram,props={\"content\":\"graph TD\\n  A[\\\"x\\\"]-->B\"}]",
        ),
        (
            "{% raw %}{{ a }}{% endraw %}",
            "integration[integration=bindery,block=opaque,props={\"markdown\":\"{% raw %}{{ a }}{% endraw %}\"}]",
        ),
        ("$$\na_b\n$$", "math[formula=a_b]"),
        ("$$a$$", "math[formula=a]"),
    ]);
}

#[test]
fn unclosed_and_crossed_tags() {
    let opaque = |source: &str| {
        format!("integration[integration=bindery,block=opaque,props={{\"markdown\":{source:?}}}]")
    };
    for (source, expected) in [
        (
            "{% hint style=\"info\" %}\nx",
            format!("{} paragraph(\"x\")", opaque("{% hint style=\"info\" %}")),
        ),
        ("{% endhint %}\nx", format!("{} paragraph(\"x\")", opaque("{% endhint %}"))),
        (
            "* {% hint %}\n  x\n\n{% endhint %}",
            format!(
                "list-unordered(list-item({} paragraph(\"x\"))) {}",
                opaque("{% hint %}"),
                opaque("{% endhint %}")
            ),
        ),
        (
            "{% hint %}\n{% if a %}\nx\n{% endhint %}\n{% endif %}",
            format!(
                "hint[style=info](if[expression=a](paragraph(\"x\"))) {}",
                opaque("{% endif %}")
            ),
        ),
        ("{% code %}\nx\n{% endcode %}", opaque("{% code %}\nx\n{% endcode %}")),
        (
            "{% if a %}\nx\n{% else %}\ny\n{% endif %}",
            opaque("{% if a %}\nx\n{% else %}\ny\n{% endif %}"),
        ),
        (
            "{% swagger baseUrl=\"x\" %}\n{% swagger-description %}\nd\n{% endswagger-description %}\n{% endswagger %}",
            opaque(
                "{% swagger baseUrl=\"x\" %}\n{% swagger-description %}\nd\n{% endswagger-description %}\n{% endswagger %}",
            ),
        ),
        ("<iframe src=\"x\"></iframe>", opaque("<iframe src=\"x\"></iframe>")),
        ("<!-- c -->", opaque("<!-- c -->").replace("-->\"}", "-->\",\"hidden\":true}")),
    ] {
        assert_eq!(outline(source), expected, "{source}");
    }
}

#[test]
fn expandables() {
    let plain = "expandable{paragraph(\"T\")}{paragraph(\"b\")}";
    check(&[
        ("<details>\n\n<summary>T</summary>\n\nb\n\n</details>", plain),
        ("<details><summary>T</summary>b</details>", plain),
        (
            "<details>\n<summary>T</summary>\nb\n</details>\nc",
            "expandable{paragraph(\"T\")}{paragraph(\"b\")} paragraph(\"c\")",
        ),
        ("<details>\n<summary>\nT\n</summary>\n\nb\n</details>", plain),
        (
            "<details>\n<summary>T *x* <code>y</code></summary>\n\n* a\n\n</details>",
            "expandable{paragraph(\"T \"+italic:\"x\"+\" \"+code:\"y\")}{list-unordered(list-item(paragraph(\"a\")))}",
        ),
        (
            "<details>\n<summary>*T*<p>x</p> y</summary>\n\nb\n\n</details>",
            "expandable{paragraph(italic:\"T\"+\"x y\")}{paragraph(\"b\")}",
        ),
        (
            "<details>\n<summary>A</summary>\n<details>\n<summary>B</summary>\nb\n</details>\n</details>",
            "expandable{paragraph(\"A\")}{expandable{paragraph(\"B\")}{paragraph(\"b\")}}",
        ),
    ]);
    let open = json("<details open>\n\n<summary>T</summary>\n\nb\n\n</details>");
    assert_eq!(open["nodes"][0]["meta"], serde_json::json!({"id": "t", "defaultExpanded": true}));
}

#[test]
fn pictures() {
    check(&[
        ("<figure><img src=\"a b (1).png\" alt=\"\"></figure>", "images(image[ref=a b (1).png])"),
        (
            "<figure><img src=\"a.png\" alt=\"t\" width=\"375\"><figcaption><p>c <em>d</em></p></figcaption></figure>",
            "images(image[ref=a.png,width=375,alt=t]{paragraph(\"c \"+italic:\"d\")})",
        ),
        (
            "<figure><img src=\"a.png\" width=\"50%\"><figcaption></figcaption></figure>",
            "images(image[ref=a.png,width={\"value\":50,\"unit\":\"%\"}])",
        ),
        (
            "<div align=\"left\" data-full-width=\"true\"><figure><img src=\"a.png\"></figure> <figure><img src=\"b.png\"></figure></div>",
            "images[align=left,fullWidth=true](image[ref=a.png] image[ref=b.png])",
        ),
        (
            "<figure><picture><source srcset=\"d.png\" media=\"(prefers-color-scheme: dark)\"><img src=\"l.png\"></picture></figure>",
            "images(image[ref=l.png,refDark=d.png])",
        ),
        ("![t](a.png)", "images(image[ref=a.png,alt=t]{paragraph(\"t\")})"),
        ("![t](a.png \"c\")", "images(image[ref=a.png,alt=t]{paragraph(\"c\")})"),
        ("x ![](<a b.png>) y", "paragraph(\"x \" inline-image[ref=a b.png] \" y\")"),
        (
            "x <img src=\"a.png\" alt=\"z\" data-size=\"line\"> y",
            "paragraph(\"x \" inline-image[ref=a.png,alt=z,size=line] \" y\")",
        ),
        ("<img src=\"a.svg\" alt=\"\" class=\"gitbook-drawing\">", "drawing[src=a.svg]"),
    ]);
}

#[test]
fn code_in_html() {
    check(&[(
        "<pre class=\"language-js\" data-title=\"t\" data-line-numbers><code class=\"lang-js\">a &#x3C; b\n<strong>c\n</strong>d\n</code></pre>",
        "code[syntax=js,title=t,lineNumbers=true](code-line(\"a < b\") code-line[highlighted=true](\"c\") code-line(\"d\"))",
    )]);
}

#[test]
fn marks_and_inlines() {
    check(&[
        (
            "**a** _b_ ~~c~~ `d`",
            "paragraph(bold:\"a\"+\" \"+italic:\"b\"+\" \"+strikethrough:\"c\"+\" \"+code:\"d\")",
        ),
        ("** a **", "paragraph(\"** a **\")"),
        (
            "<kbd>K</kbd><sup>1</sup><sub>2</sub>",
            "paragraph(keyboard:\"K\"+superscript:\"1\"+subscript:\"2\")",
        ),
        ("<mark style=\"color:red;\">a</mark>", "paragraph(color:\"a\")"),
        ("10:30:45 :nope: :tada:", "paragraph(\"10:30:45 :nope: \" emoji[code=1f389])"),
        (
            "<span data-gb-custom-inline data-tag=\"emoji\" data-code=\"2705\">✅</span>",
            "paragraph(emoji[code=2705])",
        ),
        ("$5 or $6, $$x_1*y_2$$", "paragraph(\"$5 or $6, \" inline-math[formula=x_1*y_2])"),
        ("`$$a$$`", "paragraph(code:\"$$a$$\")"),
    ]);
}

#[test]
fn icons_links_and_notes() {
    check(&[
        (
            "<i class=\"fa-key\" style=\"color:$primary;\">:key:</i> x",
            "paragraph(icon[icon=key,color=$primary] \" x\")",
        ),
        (
            "<code class=\"expression\">a &#x3C; b_c_d</code>",
            "paragraph(expression[expression=a < b_c_d])",
        ),
        (
            "<a href=\"u.md\" class=\"button primary\" data-icon=\"x\">Go</a>",
            "paragraph(button[label=Go,kind=primary,icon=x,ref=u.md])",
        ),
        (
            "<button type=\"button\" class=\"button secondary\" data-action=\"ask\">Ask</button>",
            "paragraph(button[label=Ask,kind=secondary,ref=#,action=ask])",
        ),
        (
            "[x](p\\_q.md) [y](<a b.md>) <https://z.a>",
            "paragraph(link[ref=p_q.md](\"x\") \" \" link[ref=a b.md](\"y\") \" \" link[ref=https://z.a](\"https://z.a\"))",
        ),
        ("[t](broken-reference)", "paragraph(link[ref=broken-reference](\"t\"))"),
        (
            "[a :tada: ![i](j.png)](k)",
            "paragraph(link[ref=k](\"a 🎉 \" inline-image[ref=j.png,alt=i]))",
        ),
        ("[q.md](q.md \"mention\")", "paragraph(mention[ref=q.md])"),
        ("<a data-mention href=\"q.md\">q.md</a>", "paragraph(mention[ref=q.md])"),
        ("a <big>b</big>", "paragraph(\"a \"+\"<big>\"+\"b\"+\"</big>\")"),
        ("a <!-- b --> c", "paragraph(\"a \"+\"\"+\" c\")"),
        ("a <kbd>b", "paragraph(\"a \"+keyboard:\"b\")"),
        ("\\{% hint %} a\\_b \\[x", "paragraph(\"{% hint %} a_b [x\")"),
        ("word[^1].\n\n[^1]: n", "paragraph(annotation(\"word\"){paragraph(\"n\")} \".\")"),
        (
            "<u a=\"b\">[^1].\n\n[^1]: n",
            "paragraph(\"<u a=\\\"b\\\">\" annotation(\"\"){paragraph(\"n\")} \".\")",
        ),
        (
            "[some text](#user-content-fn-1)[^1] x\n\n[^1]: n",
            "paragraph(annotation(\"some text\"){paragraph(\"n\")} \" x\")",
        ),
        ("see[^9]", "paragraph(\"see[^9]\")"),
        ("x {{ y }} z", "paragraph(\"x {{ y }} z\")"),
    ]);
}

#[test]
fn tables() {
    let pipes =
        json("| a | b |\n| - | :-: |\n| 1 \\| 2 | `x \\| y` |\n| | <p>p</p><ul><li>q</li></ul> |");
    let table = &pipes["nodes"][0];
    let columns = table["data"]["view"]["columns"].as_array().expect("columns");
    assert_eq!(columns.len(), 2);
    let second = columns[1].as_str().expect("an id");
    assert_eq!(table["data"]["definition"][second]["textAlignment"], "center");
    assert_eq!(outline("| a |\n|-|\n| 1 \\| 2 |"), "table{paragraph(\"1 | 2\")}");
    assert_eq!(
        list(&table["fragments"][2]["nodes"]),
        "paragraph(\"p\") list-unordered(list-item(paragraph(\"q\")))"
    );
    let rows = table["data"]["records"].as_object().expect("records");
    assert!(
        rows.values().any(|row| {
            row["values"].as_object().is_some_and(|v| v.values().any(Value::is_null))
        })
    );
}

#[test]
fn typed_tables() {
    let html = concat!(
        "<table data-view=\"cards\" data-full-width=\"false\"><thead><tr><th width=\"88.0742\">T</th>",
        "<th data-type=\"checkbox\">C</th><th>S<select><option value=\"k\" label=\"L\" color=\"blue\"></option></select></th>",
        "<th data-type=\"number\">N</th><th data-hidden data-card-target data-type=\"content-ref\"></th></tr></thead>",
        "<tbody><tr><td><strong>x</strong></td><td>true</td><td><span data-option=\"k\">L</span></td><td>1.5</td>",
        "<td><a href=\"https://x\">https://x</a></td></tr><tr><td></td><td></td><td></td><td></td><td></td></tr></tbody></table>",
    );
    let table = &json(html)["nodes"][0]["data"];
    let definition = table["definition"].as_object().expect("definitions");
    let by_type = |name: &str| definition.values().find(|d| d["type"] == name).expect(name);
    assert_eq!(by_type("select")["title"], "S");
    assert_eq!(table["view"]["columns"].as_array().map(Vec::len), Some(4));
    assert_eq!(table["view"]["targetDefinition"], by_type("content-ref")["id"]);
    assert_eq!(table["fullWidth"], false);
    let rows: Vec<_> = table["records"].as_object().expect("records").values().collect();
    let value = |row: usize, name: &str| {
        rows[row]["values"][by_type(name)["id"].as_str().expect("id")].clone()
    };
    assert_eq!(value(0, "checkbox"), true);
    assert_eq!(value(1, "checkbox"), Value::Null);
    assert_eq!(value(0, "select"), serde_json::json!(["k"]));
    assert_eq!(value(0, "number"), 1.5);
    assert_eq!(value(0, "content-ref"), serde_json::json!({"kind": "url", "url": "https://x"}));
    assert_eq!(
        outline("<table><tr><td rowspan=\"2\">x</td></tr></table>").get(..11),
        Some("integration")
    );
}

#[test]
fn keys_are_stable_and_unique() {
    let keys = |source: &str| -> Vec<String> {
        let document = json(source);
        let nodes = document["nodes"].as_array().cloned().unwrap_or_default();
        nodes.iter().map(|node| node["key"].as_str().unwrap_or_default().to_owned()).collect()
    };
    let before = keys("a\n\nb\n\nb\n\n* c\n* d\n");
    assert_eq!(before, keys("a\n\nb\n\nb\n\n* c\n* d\n"));
    let after = keys("new\n\na\n\nb\n\nb\n\n* c\n* d\n");
    assert_eq!(before.as_slice(), &after[1..]);
    let mut unique = before.clone();
    unique.sort();
    unique.dedup();
    assert_eq!(unique.len(), before.len());
}

#[test]
fn anchors_are_unique() {
    let document = json("## 1. Go!\n\n## 1. Go!\n\n## X <a id=\"y\"></a>\n\n## Y\n");
    let ids: Vec<_> = (0..4).map(|n| document["nodes"][n]["meta"]["id"].clone()).collect();
    assert_eq!(ids, ["id-1.-go", "id-1.-go-1", "y", "y-1"]);
}

/// A few kilobytes with many omitted cells must not take gigabytes.
#[test]
fn cells_that_are_left_out_are_bounded() {
    let cells = |source: &str| -> usize {
        let document = parse(source, &context());
        let tables = document.nodes.iter().map(|block| match &block.kind {
            BlockKind::Table(table) => table.rows.iter().map(|row| row.cells.len()).sum(),
            _ => 0,
        });
        tables.sum()
    };
    let pipes = |columns: usize, rows: usize| {
        format!("|{}\n|{}\n{}\n", "a|".repeat(columns), "-|".repeat(columns), "b\n".repeat(rows))
    };
    assert_eq!(cells(&pipes(20, 30)), 600);
    assert_eq!(cells(&pipes(300, 300)), 90_000);
    // Several such tables exceed the limit.
    let many = pipes(300, 300).repeat(4);
    assert!(cells(&many) < 100_000 + many.len(), "{}", cells(&many));
    let html = |columns: usize, rows: usize| {
        let (head, body) = ("<th>a</th>".repeat(columns), "<tr><td>b</td></tr>".repeat(rows));
        format!("<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>\n\n")
    };
    assert_eq!(cells(&html(20, 30)), 600);
    let many = html(400, 200).repeat(5);
    assert!(cells(&many) < 100_000 + many.len(), "{}", cells(&many));
}

/// Parsed documents are unchanged by a round trip through JSON.
#[test]
fn parsed_documents_survive_json() {
    use crate::json::JsonContext;
    for source in [
        "[^1]\n[^1]:d[^1]\n",
        "<pre class=\"language-\"><code>a</code></pre>\n",
        "<table><tr><th>a</th></tr><tr><th>b</th></tr><tr><td>c</td><td>d</td></tr></table>\n",
        "<table data-view=\"cards\"><tr><th width=\"7\">a</th></tr></table>\n",
    ] {
        let document = parse(source, &context());
        let value = serde_json::to_value(&document).expect("JSON");
        let lookup = context().lookup;
        let world = crate::arbitrary::World;
        let context = JsonContext { path: "page.md", lookup, names: &world, parse };
        let read = Document::from_json(&value, &context).expect("a document");
        assert!(read.has_same_content_as(&document), "{source}");
        assert_eq!(serde_json::to_value(read).expect("JSON"), value, "{source}");
    }
}

#[test]
fn texts_beyond_the_limits_are_kept_as_they_are() {
    let long = format!("\n# Title\n\n{}[^1]\n\n[^1]: x\n\n", "word ".repeat(PARSE_LIMIT / 5));
    let many = "* a\n\n".repeat(NODE_LIMIT / 2 + 10);
    for source in [long, many] {
        let document = parse(&source, &context());
        let [block] = document.nodes.as_slice() else { panic!("one block") };
        let BlockKind::Opaque(opaque) = &block.kind else { panic!("an opaque block") };
        assert_eq!(opaque.source, source.trim_matches(['\n', '\r']));
        assert_eq!(block.span.of(&source), opaque.source);
        // The opaque block is printed, edited and merged verbatim.
        let printing = crate::print::PrintContext {
            path: "page.md",
            lookup: &crate::reference::NoLookup,
            names: &crate::arbitrary::World,
        };
        let printed = crate::print::print(&document, &printing);
        assert_eq!(printed.trim_matches(['\n', '\r']), opaque.source);
        let changed = source.replacen('a', "b", 1) + "end";
        let after = parse(&changed, &context());
        let edited = crate::print::print_edited(&source, &document, &after, &printing);
        assert_eq!(edited.trim_end(), changed.trim_end());
    }
}
