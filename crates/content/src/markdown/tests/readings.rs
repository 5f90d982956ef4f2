//! Tests of text that the dialect reads differently from CommonMark or from its exporter's older
//! forms.

use super::{check, context, outline, parse};
use crate::html::{NoLinks, RenderContext, render};
use crate::print::{PrintContext, print, print_edited};
use crate::reference::NoLookup;

#[test]
fn tags_with_unknown_names_are_text() {
    check(&[
        ("http://<hostname>:<port>/x", "paragraph(\"http://<hostname>:<port>/x\")"),
        ("List<String>", "paragraph(\"List<String>\")"),
        ("<host>\n</host>\n\nb", "paragraph(\"<host> </host>\") paragraph(\"b\")"),
        ("**<a-b c=\"d\">**", "paragraph(bold:\"<a-b c=\\\"d\\\">\")"),
        (
            "* <key>\n\n> <key>",
            "list-unordered(list-item(paragraph(\"<key>\"))) blockquote(paragraph(\"<key>\"))",
        ),
        ("`<b>` <b>x</b>", "paragraph(code:\"<b>\"+\" \"+bold:\"x\")"),
        ("`**：**文` <key>", "paragraph(code:\"**：**文\"+\" <key>\")"),
        ("<p align=\"center\"><key></p>", "paragraph[align=center](\"<key>\")"),
        ("<b>a</b>\n<key>", "paragraph(bold:\"a\"+\" <key>\")"),
        ("[a](<my file.md>) <my>", "paragraph(link[ref=my file.md](\"a\") \" <my>\")"),
    ]);
}

#[test]
fn emphasis_beside_full_width_punctuation_is_read() {
    check(&[
        ("**粗体：**文字", "paragraph(bold:\"粗体：\"+\"文字\")"),
        ("他说**“好”**了", "paragraph(\"他说\"+bold:\"“好”\"+\"了\")"),
        ("用**`a`**表示", "paragraph(\"用\"+bold:code:\"a\"+\"表示\")"),
        ("見**[あ](b.md)**を", "paragraph(\"見\" link[ref=b.md](bold:\"あ\") \"を\")"),
        ("~~削除。~~次", "paragraph(strikethrough:\"削除。\"+\"次\")"),
        ("**نص،**نص", "paragraph(bold:\"نص،\"+\"نص\")"),
        ("（**注：** x）", "paragraph(\"（\"+bold:\"注：\"+\" x）\")"),
        ("a**（b）**c*（d）*e", "paragraph(\"a\"+bold:\"（b）\"+\"c\"+italic:\"（d）\"+\"e\")"),
        ("![**图：**字](a.png) x", "paragraph(inline-image[ref=a.png,alt=图：字] \" x\")"),
        ("** 粗体：**文字", "paragraph(\"** 粗体：**文字\")"),
    ]);
    // It is printed in the same way, and edited without other changes.
    let context = PrintContext { path: "page.md", lookup: &NoLookup, names: &NoNames };
    for source in ["**粗体：**文字\n", "他说**“好”**了\n", "~~削除。~~次\n"] {
        assert_eq!(print(&parse(source, &context.reader()), &context), source);
    }
    let source = "__a__ **粗体：**文字\n";
    let after = parse("**a** **粗体：**字\n", &context.reader());
    let printed = print_edited(source, &parse(source, &context.reader()), &after, &context);
    assert_eq!(printed, "__a__ **粗体：**字\n");
}

struct NoNames;

impl crate::reference::Names for NoNames {
    fn page_path(&self, _page: &str) -> Option<String> {
        None
    }
    fn file_path(&self, _file: &str) -> Option<String> {
        None
    }
    fn reusable_content_path(&self, _reusable_content: &str) -> Option<String> {
        None
    }
}

#[test]
fn tables_with_blank_lines_are_whole() {
    let rows = "<table>\n\n<tr><th>A</th><th>B</th></tr>\n\n<tr>\n  <td>1</td>\n\n  <td>2</td>\n</tr>\n\n    <tr><td>3</td><td>4</td></tr>\n\n</table>\n\nafter\n";
    let tight: String = rows.replace("\n\n", "\n").replace("after", "\nafter");
    assert_eq!(outline(rows), outline(&tight));
    let html = |source: &str| {
        let context = RenderContext { links: &NoLinks, highlight: true };
        render(&parse(source, &super::context()), &context).body
    };
    assert_eq!(html(rows).matches("<tr>").count(), 3, "{}", html(rows));
    let cells =
        "<table><tr><td>\n\n**a**\n\n* b\n\n</td><td>\n\n```\nc\n\nd\n```\n\n</td></tr></table>\n";
    let shown = html(cells);
    for part in ["<strong>a</strong>", "<li>", "c\n", "</table>"] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    let within = "<div align=\"center\">\n<table>\n<tr><td>a</td></tr>\n\n<tr><td>b</td></tr>\n</table>\n</div>\n\nc\n";
    assert!(html(within).contains("<td>b</td>"), "{}", html(within));
    assert!(!html(within).contains("&lt;"), "{}", html(within));
    let spanning = "<table>\n\n<tr><td rowspan=\"2\">a</td></tr>\n\n</table>\n";
    assert_eq!(parse(spanning, &context()).nodes.len(), 1);
}

#[test]
fn escapes_in_values_of_tags_are_read() {
    check(&[
        (
            "{% embed url=\"https://x.y/a\\_b\\(1\\)\" caption=\"C \\(d\\)\" %}",
            "embed[url=https://x.y/a_b(1)]{paragraph(\"C (d)\")}",
        ),
        (
            "{% tabs %}\n{% tab title=\"A \\(b\\) \\& c\" %}\nx\n{% endtab %}\n{% endtabs %}",
            "tabs(tabs-item[title=A (b) & c](paragraph(\"x\")))",
        ),
        (
            "{% code title=\"C:\\dir\" %}\n```\nx\n```\n{% endcode %}",
            "code[title=C:\\dir](code-line(\"x\"))",
        ),
    ]);
    let source = "{% tabs %}\n{% tab title=\"A \\(b\\)\" %}\nx\n{% endtab %}\n{% endtabs %}\n";
    let context = PrintContext { path: "page.md", lookup: &NoLookup, names: &NoNames };
    let after = parse(&source.replace("\nx\n", "\ny\n"), &context.reader());
    let printed = print_edited(source, &parse(source, &context.reader()), &after, &context);
    assert_eq!(printed, source.replace("\nx\n", "\ny\n"));
}

#[test]
fn people_keep_the_names_in_the_source() {
    let html = |source: &str| {
        let context = RenderContext { links: &NoLinks, highlight: true };
        render(&parse(source, &super::context()), &context).body
    };
    for (source, name) in [
        ("[Ann Lee](https://app.gitbook.com/u/abc \"mention\")", "Ann Lee"),
        (
            "<a data-mention href=\"https://app.gitbook.com/u/abc\">@Ann &amp; Co</a>",
            "Ann &amp; Co",
        ),
        ("[abc](https://app.gitbook.com/u/abc \"mention\")", "Someone"),
    ] {
        assert!(html(source).contains(&format!(">{name}<")), "{}", html(source));
    }
    let users = "<table><thead><tr><th data-type=\"users\" data-multiple>W</th></tr></thead><tbody><tr><td><a href=\"https://app.gitbook.com/u/abc\">Ann <b>Lee</b></a><a href=\"https://app.gitbook.com/u/def\">def</a></td></tr></tbody></table>";
    let shown = html(users);
    assert!(shown.contains("Ann Lee</span>, <span class=\"user\">Someone<"), "{shown}");
    let context = PrintContext { path: "page.md", lookup: &NoLookup, names: &NoNames };
    let printed = print(
        &parse("[Ann Lee](https://app.gitbook.com/u/abc \"mention\")", &context.reader()),
        &context,
    );
    assert_eq!(printed, "[Ann Lee](https://app.gitbook.com/u/abc \"mention\")\n");
}

#[test]
fn text_that_a_column_cannot_contain_is_shown() {
    let types = ["checkbox", "users", "files", "image", "content-ref"];
    let head: String = types.map(|name| format!("<th data-type=\"{name}\">{name}</th>")).concat();
    let select = "<th>S<select><option value=\"a\" label=\"A\"></option></select></th>";
    let cells: String = types.map(|name| format!("<td>a {name}</td>")).concat();
    let source = format!(
        "<table><thead><tr>{head}{select}</tr></thead><tbody><tr>{cells}<td>one &#x3C;i&#x3E;</td></tr></tbody></table>\n"
    );
    let render = |source: &str| {
        let context = RenderContext { links: &NoLinks, highlight: true };
        render(&parse(source, &super::context()), &context).body
    };
    let html = render(&source);
    for name in types {
        assert!(html.contains(&format!(">a {name}</td>")), "{name}: {html}");
    }
    assert!(html.contains(">one &lt;i&gt;</td>"), "{html}");
    let context = PrintContext { path: "page.md", lookup: &NoLookup, names: &NoNames };
    let printed = print(&parse(&source, &context.reader()), &context);
    assert_eq!(render(&printed), html, "{printed}");

    let cover = "<table data-view=\"cards\"><thead><tr><th>T</th><th data-card-cover data-type=\"files\"></th></tr></thead><tbody><tr><td>x</td><td>No picture</td></tr></tbody></table>\n";
    assert!(render(cover).contains("No picture"));
}

#[test]
fn numbers_that_are_none_are_shown_as_given() {
    let source = "<table><thead><tr><th data-type=\"number\">N</th></tr></thead><tbody><tr><td>null</td></tr><tr><td>2</td></tr><tr><td></td></tr></tbody></table>\n";
    let document = parse(source, &context());
    let context = RenderContext { links: &NoLinks, highlight: true };
    let html = render(&document, &context).body;
    assert!(html.contains(">null</td>") && html.contains(">2<"), "{html}");
    assert_eq!(crate::text::plain(&document), "N\nnull\n2");
}
