//! Tests that printed documents parse to the documents they were printed from.

use proptest::prelude::*;

use super::*;
use crate::arbitrary::{self, PAGE_PATH, World};

fn context() -> PrintContext<'static> {
    PrintContext { path: PAGE_PATH, lookup: &World, names: &World }
}

/// Describes the difference between two documents: the printed text and the first lines of
/// differing JSON.
fn difference(printed: &str, expected: &Document, read: &Document) -> String {
    let json = |document: &Document| {
        let text =
            serde_json::to_string_pretty(&arbitrary::without_identity(document)).expect("JSON");
        text.lines().map(str::to_owned).collect::<Vec<_>>()
    };
    let (expected, read) = (json(expected), json(read));
    let at = expected.iter().zip(&read).take_while(|(left, right)| left == right).count();
    let excerpt = |lines: &[String]| {
        lines.iter().skip(at.saturating_sub(9)).take(18).cloned().collect::<Vec<_>>().join("\n")
    };
    format!("<<<\n{printed}>>>\nexpected\n{}\nread\n{}", excerpt(&expected), excerpt(&read))
}

/// Returns a configuration with `default` cases, unless `PROPTEST_CASES` is set.
fn cases(default: u32) -> ProptestConfig {
    match std::env::var_os("PROPTEST_CASES") {
        Some(_) => ProptestConfig::default(),
        None => ProptestConfig::with_cases(default),
    }
}

proptest! {
    #![proptest_config(cases(300))]

    #[test]
    fn printed_documents_are_read_as_they_were(document in arbitrary::document()) {
        let printed = print(&document, &context());
        let read = arbitrary::parse(&printed);
        let expected = normal(&document, &context().reader());
        prop_assert!(expected.has_same_content_as(&normal(&read, &context().reader())), "{}", difference(&printed, &expected, &read));
    }
}

/// Prints the edit from one source to another.
fn edited(before: &str, after: &str) -> String {
    let (old, new) = (arbitrary::parse(before), arbitrary::parse(after));
    print_edited(before, &old, &new, &context())
}

/// Sources before and after an edit, and the printed edit.
const EDITS: &[(&str, &str, &str)] = &[
    // Text around a changed block, without a final line ending.
    ("a\n\nb", "a\n\nc", "a\n\nc"),
    // Line endings.
    ("a b\r\n\r\nc\r\n", "a x\n\nc\n", "a x\r\n\r\nc\r\n"),
    ("a\r\n\r\nb\nc\n\nd\r\n", "a\n\nb c\n\ne\n", "a\r\n\r\nb\nc\n\ne\r\n"),
    // Levels and styles of headings.
    ("##### d\n", "##### e\n", "##### e\n"),
    ("# U\n\nx\n", "# V\n\nx\n", "# V\n\nx\n"),
    ("Title\n===\n", "## Other\n", "Other\n===\n"),
    ("## a ##\n", "## b\n", "## b ##\n"),
    (
        "## A <a href=\"#old\" id=\"old\"></a>\n",
        "## B <a href=\"#old\" id=\"old\"></a>\n",
        "## B <a href=\"#old\" id=\"old\"></a>\n",
    ),
    ("## A {#old}\n", "## B {#old}\n", "## B {#old}\n"),
    // Wrapping and spelling of unchanged text.
    ("__a__ *b*\nc \\(d\\)\ne f\n", "**a** _b_ c (d) e g\n", "__a__ *b*\nc \\(d\\)\ne g\n"),
    ("see [x][1] here\n\n[1]: u.md\n", "see [x](u.md) there\n", "see [x][1] there\n\n[1]: u.md\n"),
    // Unknown attributes and HTML hints.
    (
        "{% hint stype=\"info\" %}\na\n{% endhint %}\n",
        "{% hint style=\"info\" %}\nb\n{% endhint %}\n",
        "{% hint stype=\"info\" %}\nb\n{% endhint %}\n",
    ),
    (
        "{% hint style='info' own=\"x\" %}\na\n{% endhint %}\n",
        "{% hint style=\"danger\" %}\na\n{% endhint %}\n",
        "{% hint style='danger' own=\"x\" %}\na\n{% endhint %}\n",
    ),
    (
        "{% hint %} a {% endhint %}\n",
        "{% hint %}\nb\n{% endhint %}\n",
        "{% hint %} b {% endhint %}\n",
    ),
    // Fences.
    ("~~~~js\na\nb\n~~~~\n", "```js\na\nc\n```\n", "~~~~js\na\nc\n~~~~\n"),
    (
        "````js\na\n````\n",
        "{% code title=\"t\" %}\n```js\na\n```\n{% endcode %}\n",
        "{% code title=\"t\" %}\n````js\na\n````\n{% endcode %}\n",
    ),
    // Lists.
    ("*   a\n\n    b\n* c\n", "*   a\n\n    b\n* d\n", "*   a\n\n    b\n* d\n"),
    ("- a\n- b\n- c\n", "- a\n- c\n", "- a\n- c\n"),
    ("- a\n- c\n", "- a\n- b\n- c\n", "- a\n- b\n- c\n"),
    ("+ a\n\n+ c\n", "+ a\n+ b\n+ c\n", "+ a\n\n+ b\n\n+ c\n"),
    ("1) a\n2) b\n", "1) b\n", "1) b\n"),
    ("1. a\n   - b\n", "1. a\n   - b\n   - c\n", "1. a\n   - b\n   - c\n"),
    ("* [ ] a\n* [X] b\n", "* [x] a\n* [x] b\n", "* [x] a\n* [X] b\n"),
    ("* a\n\nx\n\n* b\n", "* a\n\n- b\n", "* a\n\n- b\n"),
    // Inserted, removed and moved blocks.
    ("a\n\nb\n\nc\n", "a\n\nc\n", "a\n\nc\n"),
    ("a\n\nb\n\n\n\nc\n", "a\n\nc\n", "a\n\n\n\nc\n"),
    // The blank line before the last block is not part of it.
    ("a\n\nb\n", "a\n", "a\n\n"),
    ("a\r\n\r\nb\r\n", "a\n", "a\r\n\r\n"),
    ("a\n\nb\n\n", "a\n", "a\n\n"),
    ("__a__\n\nb\n", "b\n\n**a**\n", "b\n\n__a__\n"),
    ("a\n\nb\n", "b\n", "b\n"),
    ("> a\n> b\n\n", "> a b\n>\n> n\n", "> a\n> b\n>\n> n\n\n"),
    // Trailing blank lines separate inserted blocks.
    ("a\n\n\n\n", "a\n\nb\n\nc\n", "a\n\nb\n\nc\n\n"),
    ("a\n\n\n\n", "b\n\nc\n", "b\n\nc\n\n\n"),
    ("a\n\nb c\n\n\n", "a\n\nn\n\nb d\n\nm\n", "a\n\nn\n\nb d\n\nm\n\n"),
    ("a\n\nc\n", "a\n\nb\n\nc\n", "a\n\nb\n\nc\n"),
    ("a", "a\n\nb\n", "a\n\nb"),
    ("\nc\n", "b\n\nc\n", "\nb\n\nc\n"),
    ("", "b\n", "b\n"),
    ("a\n", "", ""),
    ("__a__\n\n* b\n\nc\n", "* b\n\nc\n\n**a**\n", "* b\n\nc\n\n__a__\n"),
    ("> a\n>\n> __b__\n", "> c\n>\n> **b**\n", "> c\n>\n> __b__\n"),
    ("> a\n", "> a\n>\n> b\n", "> a\n>\n> b\n"),
    (
        "{% tabs %}\n{% tab title=\"A\" %}\na\n{% endtab %}\n{% endtabs %}\n",
        "{% tabs %}\n{% tab title=\"A\" %}\na\n{% endtab %}\n\n{% tab title=\"B\" %}\nb\n{% endtab %}\n{% endtabs %}\n",
        "{% tabs %}\n{% tab title=\"A\" %}\na\n{% endtab %}\n\n{% tab title=\"B\" %}\nb\n{% endtab %}\n{% endtabs %}\n",
    ),
    // Text directly before or after another block is separated from inserted blocks.
    ("# T\nx\n", "# T\n\nn\n\nx\n", "# T\n\nn\n\nx\n"),
    ("```\nc\n```\nx\n", "n\n\nx\n", "n\n\nx\n"),
    ("x\n```\nc\n```\ny\n", "x\n\nn\n\ny\n", "x\n\nn\n\ny\n"),
    // Lines keep their indentation and trailing spaces.
    ("a\n\n  * b\n", "* b\n", "  * b\n"),
    ("a \n\nb\n\nc\n", "b\n\nc\n\na\n", "b\n\nc\n\na \n"),
    ("\u{3000}a\n\n__b__\n\nc\n", "\u{3000}a\n\n**b**\n", "\u{3000}a\n\n__b__\n\n"),
    // A line that becomes the last one keeps its line ending.
    ("__a__\n\nb", "**a**\n", "__a__\n"),
    // Several blocks on one line.
    (
        "<div>a</div><div>b</div>\n\n__c__\n",
        "<div>a</div>\n\nn\n\n<div>b</div>\n\n**c**\n",
        "<div>a</div>\n\nn\n\n<div>b</div>\n\n__c__\n",
    ),
    // Indented code next to other code becomes fenced, and nothing else changes.
    (
        "__a__\n\n    b\n\nx\n\n    c\n\n__d__\n",
        "**a**\n\n```\nb\n```\n\n```\nc\n```\n\n**d**\n",
        "__a__\n\n    b\n\n```\nc\n```\n\n__d__\n",
    ),
    // Indented code stays indented.
    ("> a\n>\n>     ~/b$ c\n", "> a\n>\n> ```\n> ~/b$ d\n> ```\n", "> a\n>\n>     ~/b$ d\n"),
    (
        "a\n\n    b\n\n      c\n    d\n\ne\n",
        "a\n\n```\nb\n\n  x\nd\n```\n\ne\n",
        "a\n\n    b\n\n      x\n    d\n\ne\n",
    ),
    ("\tb\n\tc\n", "```\nb\nx\n```\n", "\tb\n\tx\n"),
    (
        "* a\n\n      b\n      c\n",
        "* a\n\n  ```\n  x\n  y\n  c\n  ```\n",
        "* a\n\n      x\n      y\n      c\n",
    ),
    // Indentation may consist of tabs, parts of tabs, and several of them.
    (
        "* x\n\n\t    one\n\t    two\n",
        "* x\n\n  ```\n    one\n    2\n    3\n  ```\n",
        "* x\n\n\t    one\n\t    2\n\t    3\n",
    ),
    (
        "a\n\n\tone\n    two\n\tthree\n",
        "a\n\n```\none\n2\n\n3\n```\n",
        "a\n\n\tone\n    2\n\n\t3\n",
    ),
    ("a\n\n    b\n    c\n", "a\n\n```\nx\nb\nc\n```\n", "a\n\n    x\n    b\n    c\n"),
    ("a\n\n    b\n    c\n", "a\n\n```\nc ```\n```\n", "a\n\n    c ```\n"),
    (
        "1.     b\n       c\n2. d\n",
        "1. ```\n   x\n   b\n   y\n   ```\n2. d\n",
        "1.     x\n       b\n       y\n2. d\n",
    ),
    // A fence without an end gets one before inserted blocks.
    (">```js\n> a\n", "> ```js\n> a\n> ```\n>\n> n\n", ">```js\n> a\n> ```\n>\n> n\n"),
    ("~~~~\na\n", "```\na\n```\n\nn\n", "~~~~\na\n~~~~\n\nn\n"),
    // Lines of other blocks keep their line endings.
    ("a\n\nb\r\n\r\nc\n", "a\n\nc\n", "a\n\r\nc\n"),
    ("a\r\n\nb\n", "a\n\nn\n\nb\n", "a\r\n\nn\r\n\nb\n"),
    ("a\n\nb\r\n", "a\n", "a\n\r\n"),
    ("a\n\n\rb\n", "b\n", "\rb\n"),
    // Lone carriage returns belong to the block on their line.
    ("a\n\n\rb\n\nc\n", "b\n\na\n\nc\n", "\rb\n\na\n\nc\n"),
    ("a\n\nb\r\r\n\r\nc\r\n", "b\n\na\n\nc\n", "b\r\r\n\na\n\r\nc\r\n"),
    // Blank lines between blocks that are replaced by fewer blocks without blank lines.
    ("a\n\nb\n\nc\n\nd\n", "***\n\nd\n", "***\n\n\n\nd\n"),
    ("a\n\nb\n\nc\n\nd\n", "```\nx\n\ny\n```\n\nd\n", "```\nx\n\ny\n```\n\n\nd\n"),
    ("> a\n>\n> b\n>\n> c\n", "> ***\n>\n> c\n", "> ***\n>\n>\n> c\n"),
    ("a\n\nb\n\nc\n\nd\n\ne\n\nf\n\ng\n", "***\n\ng\n", "***\n\ng\n"),
    // Link definitions stay in place with their indentation.
    (
        "- [a][1]\n- b\n\n [1]: u\n [2]: v\n\nx [y][2]\n\n__z__\n",
        "- [a](u)\n- b\n\nn\n\nx [y](v)\n\n**z**\n",
        "- [a][1]\n- b\n\nn\n\n [1]: u\n [2]: v\n\nx [y][2]\n\n__z__\n",
    ),
    ("x [y][1]\n\n [1]: u\n\nz\n", "z\n", " [1]: u\n\nz\n"),
    // Text that begins with an escaped character.
    ("* \\_a_ \\(b\\)\n* c\n", "*   \\_a\\_ (b)\n\n    n\n* c\n", "* \\_a_ \\(b\\)\n\n  n\n* c\n"),
    // Quote markers without a space after them.
    (
        "> __a__\n>\n>```\n>    b\n>   c\n>```\n",
        "> **a**\n>\n> ```\n>    b\n>   d\n> ```\n",
        "> __a__\n>\n>```\n>    b\n>   d\n>```\n",
    ),
    // Operations are identified by all of their attributes.
    (
        "{% openapi-operation spec=\"s\" path=\"/a\" method=\"get\" %}\nx\n{% endopenapi-operation %}\n\n{% openapi-operation spec=\"s\" path=\"/b\" method=\"get\" %}\ny\n{% endopenapi-operation %}\n",
        "{% openapi-operation spec=\"s\" path=\"/b\" method=\"get\" %}\n{% endopenapi-operation %}\n",
        "{% openapi-operation spec=\"s\" path=\"/b\" method=\"get\" %}\ny\n{% endopenapi-operation %}\n",
    ),
    // Tables.
    (
        "| a    | 中 |\n| ---- | - |\n| long | b |\n| c    | d |\n",
        "| a | 中 |\n| - | - |\n| long | b |\n| cc | d |\n",
        "| a    | 中 |\n| ---- | - |\n| long | b |\n| cc   | d |\n",
    ),
    (
        "| a | b |\n| - | - |\n| c | d |\n",
        "| a | b |\n| - | - |\n| cc | d |\n",
        "| a  | b |\n| -- | - |\n| cc | d |\n",
    ),
    ("a|b\n-|-\nc|d\ne|f\n", "a|b\n-|-\nc|dd\ne|f\n", "a|b\n-|-\nc|dd\ne|f\n"),
    (
        "<table>\n<tr><th>a</th></tr>\n<tr><td>b</td></tr>\n</table>\n",
        "<table><thead><tr><th>a</th></tr></thead><tbody><tr><td>c</td></tr></tbody></table>\n",
        "<table>\n<tr><th>a</th></tr>\n<tr><td>c</td></tr>\n</table>\n",
    ),
    // HTML ends at a blank line, so the list after it needs one before it contains one.
    (
        "* a\n  <figure><img src='b.png'></figure>\n  * c\n",
        "* a\n\n  <figure><img src='b.png'></figure>\n\n  * c\n\n    n\n",
        "* a\n  <figure><img src='b.png'></figure>\n\n  * c\n\n    n\n",
    ),
    (
        "* <div><img src='b.png'></div>\nc\n",
        "* <div><img src='b.png'></div>\n\n  n\n\nc\n",
        "* <div><img src='b.png'></div>\n\n  n\n\nc\n",
    ),
    // Notes.
    (
        "a[^x] b[^y]\n\n[^x]: X\n\n[^y]: Y\n\nc\n",
        "a[^x] b\n\nc\n\n[^x]: Z\n",
        "a[^x] b\n\n[^x]: Z\n\nc\n",
    ),
    ("a\n\nb\n", "a\n\nb[^1]\n\n[^1]: n\n", "a\n\n[b](#user-content-fn-1)[^1]\n\n[^1]: n\n"),
    // Code that looks like the end of its container, and a tag within a paragraph.
    (
        "t\n{% hint style=\"danger\" %}\nx\n{% endhint %}\nu\n",
        "t\n\n{% hint style=\"danger\" %}\ny\n{% endhint %}\n\nu\n",
        "t\n{% hint style=\"danger\" %}\ny\n{% endhint %}\nu\n",
    ),
];

#[test]
fn edits_touch_what_they_change() {
    for &(before, after, expected) in EDITS {
        assert_eq!(edited(before, after), expected, "{before:?} to {after:?}");
        assert_eq!(edited(before, before), before, "{before:?}");
    }
}

#[test]
fn a_word_of_a_long_line_is_edited_in_place() {
    let words: Vec<String> = (0..2_000).map(|n| format!("a{n} < b{n} & *c* __d__ e_f")).collect();
    let before = words.join(" ");
    assert!(before.len() > 48_000);
    for (word, new) in [("b1000", "changed"), ("a0", "changed"), ("e_f a9 <", "\\{{x\\}} a9 <")] {
        let after = before.replacen(word, new, 1);
        assert_eq!(edited(&before, &after), after, "{word}");
    }
}

#[test]
fn leaves_are_escaped() {
    use crate::document::{Block, BlockKind, InlineKind, Leaf, Node, Paragraph};
    use crate::source::Span;
    let paragraph = |text: &str| -> Block {
        let leaf = Leaf { text: text.to_owned(), ..Leaf::default() };
        let nodes = vec![Node::new(Span::default(), InlineKind::Text(vec![leaf]))];
        Node::new(Span::default(), BlockKind::Paragraph(Paragraph { align: None, nodes }))
    };
    for (text, expected) in [
        ("{% hint %}", "\\{% hint %}\n"),
        ("a_b", "a\\_b\n"),
        ("[x", "\\[x\n"),
        ("{{x}}", "\\{{x\\}}\n"),
        ("$5 or $6", "$5 or $6\n"),
        ("$$x$$", "\\$\\$x\\$\\$\n"),
        ("# a", "\\# a\n"),
        ("1. a", "1\\. a\n"),
        ("- a", "\\- a\n"),
        ("AT&T &amp; &c", "AT&T \\&amp; &c\n"),
        ("a < b > c", "a \\< b > c\n"),
        ("x ", "x&#x20;\n"),
        (":tada: :nope:", "&#x3A;tada: :nope:\n"),
        ("a\n- b", "a\\\n\\- b\n"),
    ] {
        let document = Document { nodes: vec![paragraph(text)], ..Document::default() };
        let printed = print(&document, &context());
        assert_eq!(printed, expected, "{text}");
        assert!(arbitrary::parse(&printed).has_same_content_as(&document), "{text}");
    }
}

#[test]
fn pages_keep_their_titles() {
    let page = |source: &str, after: &str| {
        let body = crate::Page::split(source).body.of(source).to_owned();
        let (old, new) = (arbitrary::parse(&body), arbitrary::parse(after));
        print_page_edited(source, &old, &new, &context())
    };
    for (source, after, expected) in [
        ("# T\n", "b\n", "# T\n\nb\n"),
        ("# T", "b\n", "# T\n\nb\n"),
        ("\u{FEFF}# T\n\nb\n", "c\n", "\u{FEFF}# T\n\nc\n"),
        (
            "---\ndescription: x\n---\n\n# T\n\n# U\n",
            "# V\n",
            "---\ndescription: x\n---\n\n# T\n\n# V\n",
        ),
        ("a\n\n# U\n", "# U\n", "## U\n"),
        // The body has no line ending of its own.
        ("# T\r\n\r\na", "a\n\nb\n", "# T\r\n\r\na\r\n\r\nb"),
        ("# T\r\n", "b\n\nc\n", "# T\r\n\r\nb\r\n\r\nc\r\n"),
        ("---\r\nicon: key\r\n---\r\n* a", "* a\n* b\n", "---\r\nicon: key\r\n---\r\n* a\r\n* b"),
    ] {
        assert_eq!(page(source, after), expected, "{source:?}");
    }
}

proptest! {
    #![proptest_config(cases(150))]

    #[test]
    fn edited_documents_are_read_as_they_are(
        before in arbitrary::document(),
        blocks in arbitrary::blocks(0..3),
        seed in any::<u64>(),
    ) {
        let source = print(&before, &context());
        let before = arbitrary::parse(&source);
        let mut after = before.clone();
        let mut random = random_edit::Rng::new(seed, "");
        for block in blocks {
            let at = random.below(after.nodes.len() + 1);
            after.nodes.insert(at, block);
        }
        if let Some(trial) = random_edit::any_edit(&source, &after, &mut random) {
            after = trial.document;
        }
        let printed = print_edited(&source, &before, &after, &context());
        let read = normal(&arbitrary::parse(&printed), &context().reader());
        let expected = normal(&after, &context().reader());
        prop_assert!(expected.has_same_content_as(&read), "{}", difference(&printed, &expected, &read));
        prop_assert_eq!(print_edited(&source, &before, &before.clone(), &context()), source);
    }
}

/// Any text, with everything that Markdown, HTML and the dialect could parse as markup.
fn hostile_text() -> impl Strategy<Value = String> {
    prop_oneof![
        crate::markdown::tests::properties::parts().prop_map(|parts| parts.concat()),
        "\\PC{0,12}",
        "[ -/:-@\\[-`{-~\n\ta1]{0,16}",
    ]
}

proptest! {
    #![proptest_config(cases(300))]

    #[test]
    fn literal_text_is_read_as_it_is(text in hostile_text()) {
        use crate::document::{BlockKind, InlineKind, Leaf, Marks, Node, Paragraph};
        use crate::source::Span;
        use super::inline::{Escaping, LineKind, line};
        let (before, after) = (text.len() / 3, text.len() / 2);
        let parts = [text.get(..before), text.get(before..after), text.get(after..)];
        let leaves = parts.into_iter().zip([false, true, false]).filter_map(|(text, bold)| {
            let marks = Marks { bold, ..Marks::default() };
            Some(Leaf { text: text?.to_owned(), marks, is_markup: false })
        });
        let nodes = vec![Node::new(Span::default(), InlineKind::Text(leaves.collect()))];
        let block = Node::new(Span::default(), BlockKind::Paragraph(Paragraph { align: None, nodes }));
        let block = normal::block_of(&block, &context().reader());
        if let BlockKind::Paragraph(paragraph) = &block.kind && !paragraph.nodes.is_empty() {
            let notes = notes::Notes::default();
            let text = line(&paragraph.nodes, LineKind::Paragraph, Escaping::Literal, &context(), &notes);
            let within = format!("<span></span>{text}");
            let is_read = [&text, &within].into_iter().any(|text| check::parses_to(text, &block, &context()));
            prop_assert!(is_read, "{text}");
        }
    }
}

#[test]
fn odd_sources_are_printed_as_they_are_read() {
    for source in [
        // A title that Markdown would parse as another block is printed as HTML.
        "<details>\n\n<summary># a<video src=\"a.mp4\">b *c*</video></summary>\n\nA\n\n</details>",
        "<details>\n\n<summary>><video src=\"a.mp4\">b *c*</video></summary>\n\nA\n\n</details>",
        // An anchor without an id is not an anchor.
        "# <a><a>a",
        "# <a ><a d=\"\"><",
        // A tag that would end code.
        "<code/></code>",
        "<pre \"\"><pre ></pre>&",
        // Paragraph tags in a title have no effect.
        "<details ><summary>**b**<p>\n</details>",
        // `summary=` is not the tag name `summary`.
        "<summary=><strong><</summary>",
        // An unclosed `<pre` extends to the end of the text.
        "<pre <summary><pre \"\"\">",
        // An attribute name may begin with a full stop.
        "{%@/ . .t%}",
        "{%@\"/\nt=\"\n\"%}",
        // A mark without an end marks nothing.
        "<mark /></mark>",
        "$$x\n$$$",
    ] {
        let printed = print(&arbitrary::parse(source), &context());
        let [expected, read] =
            [source, &printed].map(|text| normal(&arbitrary::parse(text), &context().reader()));
        assert!(
            expected.has_same_content_as(&read),
            "{source:?}: {}",
            difference(&printed, &expected, &read)
        );
        assert_eq!(print(&arbitrary::parse(&printed), &context()), printed, "{source:?}");
    }
}

#[test]
fn awkward_blocks_are_printed_as_plainly_as_they_can_be() {
    for source in [
        // A highlighted line without text.
        "<pre><code><strong>\n</strong></code></pre>\n",
        // A comment at the start of a line would be an HTML block up to its end.
        "<span></span><!-- c -->$$a < b$$\n",
    ] {
        let document = arbitrary::parse(source);
        assert_eq!(print(&document, &context()), source);
    }
    let broken = arbitrary::parse("| a<br>b |\n| --- |\n| c   |\n");
    assert_eq!(print(&broken, &context()), "| a b |\n| --- |\n| c   |\n");
    assert!(arbitrary::parse("| a b |\n|-|\n| c |").has_same_content_as(&broken));
}
