//! Constructs whose words were easily lost on the way to readers.

use bindery_content::evaluation::{Mode, evaluate_document};
use bindery_content::html::{NoLinks, RenderContext, render};
use bindery_content::reference::NoLookup;
use bindery_content::{Document, ParseContext, markdown};
use bindery_expression::Context;

fn parsed(source: &str) -> Document {
    markdown::parse(source, &ParseContext { path: "page.md", lookup: &NoLookup })
}

fn rendered(document: &Document) -> String {
    render(document, &RenderContext { links: &NoLinks, highlight: true }).body
}

fn html(source: &str) -> String {
    rendered(&parsed(source))
}

/// Checks that the HTML contains each part, in order.
#[track_caller]
fn check_parts(source: &str, parts: &[&str]) {
    let html = html(source);
    let mut rest = html.as_str();
    for part in parts {
        let (_, after) = rest.split_once(part).unwrap_or_else(|| panic!("{part} in {html}"));
        rest = after;
    }
}

#[test]
fn notes_without_reference_keep_their_conditions() {
    let source = "a\n\n{% if visitor.claims.x %}\n[^n]: HIDDEN\n{% endif %}\n\n\
         [^m]: Shown <code class=\"expression\">1 + 2</code>\n";
    let document = evaluate_document(&parsed(source), &Context::default(), Mode::Everything);
    let html = rendered(&document);
    assert!(html.contains("Shown 3"), "{html}");
    assert!(!html.contains("HIDDEN"), "{html}");
}

#[test]
fn notes_without_reference_are_at_the_end() {
    for (source, expected) in [
        ("a\n\n[^1]: b *c*", "<p>a</p>\n<p><sup>1</sup> b <em>c</em></p>\n"),
        ("[^2]:\n    * i\n\nz", "<p>z</p>\n<p><sup>2</sup> </p>\n<ul>\n<li>i</li>\n</ul>\n"),
        ("a\n\n[^1]:", "<p>a</p>\n"),
    ] {
        assert_eq!(html(source), expected, "{source}");
    }
    // A used note is only shown at its reference.
    let html = html("a[^1]\n\n[^1]: used\n\n[^2]: unused");
    assert_eq!(html.matches("used").count() - html.matches("unused").count(), 1, "{html}");
    assert!(html.contains("<p><sup>2</sup> unused</p>"), "{html}");
}

#[test]
fn drawings_have_their_text() {
    check_parts(
        "<img src=\"https://a.b/c.svg\" alt=\"A plan\" class=\"gitbook-drawing\">",
        &["<img src=\"https://a.b/c.svg\" alt=\"A plan\""],
    );
    check_parts(
        "<img src=\"https://a.b/c.svg\" alt=\"\" class=\"gitbook-drawing\">",
        &["<img src=\"https://a.b/c.svg\" alt=\"Drawing\""],
    );
}

#[test]
fn bars_in_code_do_not_end_a_cell() {
    let head = "| a | b |\n|---|---|\n";
    for (row, expected) in [
        ("| <p><code>x || y</code> z</p> | w |", "<td><code>x || y</code> z</td><td>w</td>"),
        (
            "| `<code>` | `</code>` |",
            "<td><code>&lt;code&gt;</code></td><td><code>&lt;/code&gt;</code></td>",
        ),
        ("| <code>x | y |", "<td><code>x</code></td><td>y</td>"),
        ("| <code>x \\| y</code> | w |", "<td><code>x | y</code></td><td>w</td>"),
    ] {
        check_parts(&format!("{head}{row}"), &[&format!("<tr>{expected}</tr>")]);
    }
}

#[test]
fn older_descriptions_of_methods_are_shown_in_full() {
    check_parts(
        "{% swagger baseUrl=\"https://a.b/\" path=\"/c/{id}\" method=\"get\" summary=\"Sum\" %}\n{% swagger-description %}\nWhat *it* does\n{% endswagger-description %}\n\n{% swagger-parameter in=\"path\" name=\"id\" type=\"string\" required=\"true\" %}\nThe id\n{% endswagger-parameter %}\n\n{% swagger-response status=\"200\" description=\"Fine\" %}\n```json\n{}\n```\n{% endswagger-response %}\n{% endswagger %}",
        &[
            "<span class=\"openapi-method\" data-method=\"GET\">GET</span> <code>https://a.b/c/{id}</code>",
            "<strong>Sum</strong>",
            "<p>What <em>it</em> does</p>",
            "<p><code>id</code> string path required</p>",
            "<p>The id</p>",
            "<p><code>200</code> Fine</p>",
            "<pre",
        ],
    );
    check_parts(
        "{% api-method method=\"post\" host=\"https://a.b\" path=\"/c\" %}\n{% api-method-summary %}Sum{% endapi-method-summary %}\n{% api-method-spec %}\n{% api-method-request %}\n{% api-method-path-parameters %}\n{% api-method-parameter name=\"n\" type=\"string\" %}\nIts name\n{% endapi-method-parameter %}\n{% endapi-method-path-parameters %}\n{% endapi-method-request %}\n{% api-method-response %}\n{% api-method-response-example httpCode=404 %}\n{% api-method-response-example-description %}\nNone\n{% endapi-method-response-example-description %}\n{% endapi-method-response-example %}\n{% endapi-method-response %}\n{% endapi-method-spec %}\n{% endapi-method %}",
        &[
            "POST</span> <code>https://a.b/c</code>",
            "<p>Sum</p>",
            "<strong>Path parameters</strong>",
            "<code>n</code> string</p>",
            "<p>Its name</p>",
            "<p><code>404</code></p>",
            "<p>None</p>",
        ],
    );
    check_parts(
        "{% api-method method=\"get\" %}\n{% api-method-host %}\nhttps://a.b\n{% endapi-method-host %}\n{% api-method-path %}\n/c\n{% endapi-method-path %}\n{% endapi-method %}",
        &["GET</span>", "https://a.b", "<p>/c</p>"],
    );
}

#[test]
fn a_missing_image_shows_its_text_once() {
    assert_eq!(
        html("![plan](no.png)"),
        "<figure class=\"image\"><figcaption>plan</figcaption></figure>\n"
    );
    check_parts("![plan](no.png \"other\")", &["plan</span>", "<figcaption>other"]);
}

#[test]
fn widths_in_percent_are_classes() {
    check_parts(
        "<figure><img src=\"https://a.b/c.png\" alt=\"\" width=\"51%\"></figure>",
        &["<img class=\"part-50\" src=\"https://a.b/c.png\" alt=\"\" loading="],
    );
    check_parts(
        "x <img src=\"https://a.b/c.png\" width=\"1%\">",
        &["<img class=\"inline original part-5\""],
    );
}

#[test]
fn links_have_their_titles() {
    for (source, expected) in [
        (
            "[a](https://b.c \"T \\\"u\\\"\")",
            "rel=\"noopener nofollow\" title=\"T &quot;u&quot;\">a</a>",
        ),
        ("[a](no.md 'T')", "<span class=\"broken-link\" title=\"T\">a</span>"),
        ("[a][b]\n\n[b]: https://b.c (T)", "title=\"T\">a</a>"),
        ("x <a href=\"https://b.c\" title=\"T\">a</a>", "title=\"T\">a</a>"),
        ("<section><a href=\"https://b.c\" title=\"T\">a</a></section>", "title=\"T\">a</a>"),
    ] {
        check_parts(source, &[expected]);
    }
}

#[test]
fn sections_without_a_title_have_a_usual_one() {
    for source in
        ["<details>\n\nb\n\n</details>", "<details><summary> </summary>\n\nb\n\n</details>"]
    {
        check_parts(source, &["<summary><span>Details</span></summary>", "<p>b</p>"]);
    }
    check_parts(
        "<section><details>b<details><summary>T</summary>c</details></details></section>",
        &["<details><summary>Details</summary>b<details><summary>T</summary>c"],
    );
}

#[test]
fn empty_cells_are_no_headers() {
    check_parts(
        "| | b |\n|---|---|\n| 1 | 2 |",
        &["<thead><tr><td data-size=\"narrow\"></td><th scope=\"col\"", "b</th></tr></thead>"],
    );
    check_parts(
        "<section><table><tr><th rowspan=\"2\"> </th><th>b</th></tr></table></section>",
        &["<tr><td rowspan=\"2\"> </td><th scope=\"col\">b</th></tr>"],
    );
}
