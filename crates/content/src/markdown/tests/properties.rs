//! Property tests for all texts: parsing is total, spans are nested, and the work is linear.

use proptest::prelude::*;

use super::super::*;
use crate::Page;
use crate::reference::NoLookup;

pub(super) fn context() -> ParseContext<'static> {
    ParseContext { path: "guide/page.md", lookup: &NoLookup }
}

pub(crate) use crate::hostile::sources as hostile_sources;

#[test]
fn hostile_sources_take_linear_work() {
    let work = |source: &str| {
        work::measure(|| {
            let document = parse(source, &context());
            let json = serde_json::to_string(&document).expect("JSON");
            assert!(json.len() < 400 * source.len() + 1000);
            let context =
                crate::html::RenderContext { links: &crate::html::NoLinks, highlight: true };
            let html = crate::html::render(&document, &context);
            assert!(html.body.len() < 100 * source.len() + 1000);
        })
    };
    // Twice the size is below the limits of nodes and of a tag. Beyond them, the work is not
    // linear.
    let size = 30_000;
    for ((name, once), (_, twice)) in
        hostile_sources(size).into_iter().zip(hostile_sources(2 * size))
    {
        let (first, second) = (work(&once), work(&twice));
        let growth = twice.len() as f64 / once.len() as f64;
        assert!(
            second as f64 <= 1.3 * growth * first as f64 + 10_000.0,
            "{name}: {first} {second}"
        );
        assert!(second <= 250 * twice.len() as u64, "{name}: {second} for {}", twice.len());
    }
}

/// Returns the nesting depth of arrays and objects.
fn depth(value: &serde_json::Value) -> usize {
    let inner = match value {
        serde_json::Value::Array(values) => values.iter().map(depth).max(),
        serde_json::Value::Object(object) => object.values().map(depth).max(),
        _ => return 0,
    };
    1 + inner.unwrap_or_default()
}

#[test]
fn no_document_is_too_deep_for_readers_of_json() {
    let table =
        "| a |\n|-|\n| <ul><li>[*x*](y) <mark style=\"color:red;\">z[^1]</mark></li></ul> |";
    let note = "\n\n[^1]: > > [*x*](y)\n";
    for (name, open, close) in [
        ("quotes", "> ", ""),
        ("lists", "* ", ""),
        ("numbers", "1. ", ""),
        ("hints", "{% hint %}\n", "\n{% endhint %}"),
        ("hints on a line", "{% hint %}", "{% endhint %}"),
        ("conditions", "{% if a %}\n", "\n{% endif %}"),
        ("details", "<details>\n\n", "\n\n</details>"),
        ("tabs", "{% tabs %}\n{% tab %}\n", "\n{% endtab %}\n{% endtabs %}"),
        ("steps", "{% stepper %}\n{% step %}\n", "\n{% endstep %}\n{% endstepper %}"),
        ("tabs without a tab", "{% tabs %}\n", "\n{% endtabs %}"),
        ("steps without a step", "{% stepper %}\n", "\n{% endstepper %}"),
        ("columns without a column", "{% columns %}\n", "\n{% endcolumns %}"),
        ("columns", "{% columns %}\n{% column %}\n", "\n{% endcolumn %}\n{% endcolumns %}"),
    ] {
        let mut deepest = 0;
        for count in 0..130 {
            for inner in ["x[^1]", table, "<code class=\"expression\">a</code>"] {
                let source = format!("{}{inner}{}{note}", open.repeat(count), close.repeat(count));
                let document = parse(&source, &context());
                let json = serde_json::to_value(&document).expect("JSON");
                deepest = deepest.max(depth(&json));
            }
        }
        let is_line = name == "hints on a line";
        assert!(deepest <= JSON_LEVELS + 12, "{name}: {deepest}");
        assert!(deepest >= 90 || is_line && deepest >= 30, "{name}: {deepest}");
    }
}

/// Asserts that every node's span is within its parent's, and that blocks are in order.
fn check_spans(document: &Document, length: usize) {
    struct Spans {
        open: Vec<Span>,
        /// The end of the preceding block, for each open block.
        before: Vec<usize>,
        /// The spans of notes, which are located elsewhere.
        notes: Vec<Span>,
    }
    impl<'d> crate::document::Visit<'d> for Spans {
        fn block(&mut self, block: &'d Block) {
            let whole = self.open.first().copied().unwrap_or_default();
            let is_note = self.notes.contains(&block.span);
            let outer = self.open.last().copied().filter(|_| !is_note).unwrap_or(whole);
            let inner = if block.span.is_empty() { outer } else { block.span };
            assert!(outer.contains(inner), "{inner:?} in {outer:?}");
            if !is_note
                && inner != outer
                && let Some(before) = self.before.last_mut()
            {
                assert!(*before <= inner.start, "{inner:?} after {before} in {outer:?}");
                *before = inner.end;
            }
            self.open.push(inner);
            self.before.push(inner.start);
        }
        fn end_block(&mut self, _block: &'d Block) {
            self.open.pop();
            self.before.pop();
        }
        fn inline(&mut self, inline: &'d crate::document::Inline) {
            let outer = self.open.last().copied().unwrap_or_default();
            assert!(outer.contains(inline.span), "inline {:?} in {outer:?}", inline.span);
            if let crate::document::InlineKind::Annotation(annotation) = &inline.kind {
                self.notes.extend(annotation.body.iter().map(|block| block.span));
            }
        }
    }
    let open = vec![Span::new(0, length)];
    document.walk(&mut Spans { open, before: vec![0], notes: Vec::new() });
}

/// Generates parts of a text that combine in every way.
pub(crate) fn parts() -> impl Strategy<Value = Vec<String>> {
    prop::collection::vec(fragment(), 0..40)
}

fn fragment() -> impl Strategy<Value = String> {
    prop_oneof![
        prop::sample::select(vec![
            "{% hint style=\"info\" %}\n",
            "{% endhint %}\n",
            "{% tabs %}\n",
            "{% tab title=\"a\" %}\n",
            "{% endtab %}\n",
            "{% endtabs %}\n",
            "{% code %}\n",
            "```js\n",
            "```\n",
            "{% endcode %}\n",
            "<details>\n",
            "<summary>",
            "</summary>\n",
            "</details>\n",
            "<table>",
            "<tr>",
            "<td>",
            "<th>",
            "</td>",
            "</table>\n",
            "<figure>",
            "<img src=\"a\">",
            "</figure>\n",
            "| a | b |\n|---|---|\n",
            "* ",
            "  ",
            "    ",
            "1. ",
            "> ",
            "# ",
            "\n",
            "\n\n",
            "\r\n",
            "$$",
            "`",
            "**",
            "_",
            "[a](b)",
            "[^1]",
            "[^1]: x\n",
            "<pre><code>",
            "</code></pre>\n",
            "<p>",
            "</p>",
            "<!--",
            "-->",
            "\u{0}",
            "<a href=\"#x\" id=\"x\"></a>",
            "<code class=\"expression\">",
            "<i class=\"fa-x\">",
            "</i>",
            "é",
            "{% embed url=\"https://x.y\" %}\n",
            "{% include \"a.md\" %}\n",
            "{% @a/b c=\"\n",
            ":tada:",
            "\\",
            "<div>\n",
            "</div>\n",
            "---\n",
            "{% if a %}\n",
            "{% else %}\n",
            "{% endif %}\n",
            "\t",
            "<br>",
        ])
        .prop_map(str::to_owned),
        ".{0,6}",
    ]
}

/// Returns a configuration with `default` cases, unless `PROPTEST_CASES` is set.
fn cases(default: u32) -> ProptestConfig {
    match std::env::var_os("PROPTEST_CASES") {
        Some(_) => ProptestConfig::default(),
        None => ProptestConfig::with_cases(default),
    }
}

proptest! {
    #![proptest_config(cases(400))]

    #[test]
    fn any_mixture_gives_a_document(parts in parts()) {
        let source = parts.concat();
        let document = parse(&source, &context());
        check_spans(&document, source.len());
        prop_assert_eq!(&document, &parse(&source, &context()));
        prop_assert!(serde_json::to_string(&document).is_ok());
        let context = crate::html::RenderContext { links: &crate::html::NoLinks, highlight: true };
        let _ = crate::html::render(&document, &context);
        let _ = crate::text::plain(&document);
        let masked = mask::mask(&source);
        prop_assert_eq!(masked.len(), source.len());
    }

    #[test]
    fn any_bytes_are_a_page(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let text = crate::source::decode(&bytes);
        prop_assert_eq!(text.len(), bytes.len());
        let page = Page::split(&text);
        let _ = page.metadata(&text);
        let _ = parse(page.body.of(&text), &context());
        let _ = crate::summary::parse(&text, "SUMMARY.md");
        let _ = crate::config::parse(&text);
    }

    #[test]
    fn any_formula_is_shown(formula in "[\\\\{}a-z^_&0-9 $.()\\[\\]]{0,40}") {
        let context = crate::html::RenderContext { links: &crate::html::NoLinks, highlight: false };
        let document = parse(&format!("$$\n{formula}\n$$\n"), &self::context());
        let _ = crate::html::render(&document, &context);
    }
}

/// Parses every page of the corpus, if there is one.
#[test]
fn the_corpus_is_read() {
    let Ok(folder) = std::env::var("BINDERY_CORPUS") else {
        return;
    };
    let mut folders = vec![std::path::PathBuf::from(folder)];
    let mut pages = 0;
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "md") {
                let bytes = std::fs::read(&path).expect("a file");
                let text = crate::source::decode(&bytes);
                let page = Page::split(&text);
                let body = page.body.of(&text);
                let document = parse(body, &context());
                check_spans(&document, body.len());
                let context =
                    crate::html::RenderContext { links: &crate::html::NoLinks, highlight: false };
                let html = crate::html::render(&document, &context);
                assert!(
                    body.trim().is_empty()
                        || document.nodes.is_empty()
                        || !html.body.is_empty()
                        || html.is_adaptive
                        || body.len() < 2000,
                    "{path:?}"
                );
                pages += 1;
            }
        }
    }
    assert!(pages > 0, "the corpus holds no pages");
}
