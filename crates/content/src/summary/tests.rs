//! Tests of tables of contents in common use, each with its parsed entries.

use super::*;

/// Formats each entry on one line: indentation by depth, kind, title, target, link title, emoji.
fn outline(source: &str) -> String {
    fn write(entries: &[Entry], depth: usize, out: &mut String) {
        for entry in entries {
            let kind = match &entry.kind {
                EntryKind::Group { slug } => format!("group {}", slug.as_deref().unwrap_or("-")),
                EntryKind::Page { path } => format!("page {path}"),
                EntryKind::Link { target } => format!("link {target}"),
                EntryKind::Text => "text".to_owned(),
                EntryKind::Computed { source } => format!("computed {source}"),
            };
            let link_title =
                entry.link_title.as_deref().map(|t| format!(" ~{t}")).unwrap_or_default();
            let emoji = entry.emoji.as_deref().map(|e| format!(" :{e}")).unwrap_or_default();
            out.push_str(&format!(
                "{}{kind} [{}]{link_title}{emoji}\n",
                "  ".repeat(depth),
                entry.title
            ));
            write(&entry.children, depth + 1, out);
        }
    }
    let mut out = String::new();
    write(&parse(source, "SUMMARY.md").entries, 0, &mut out);
    out
}

#[test]
fn entries_are_read() {
    for (source, expected) in [
        ("", ""),
        ("# Table of contents\n\n* [A](README.md)\n", "page README.md [A]\n"),
        ("* [A](a.md \"Short\")\n  * [B](a/b.md)\n", "page a.md [A] ~Short\n  page a/b.md [B]\n"),
        ("- [A](a.md)\n    - [B](b.md)\n", "page a.md [A]\n  page b.md [B]\n"),
        ("* [A](a.md)\n\t* [B](b.md)\n", "page a.md [A]\n  page b.md [B]\n"),
        ("* [A \\[b\\]](<x y.md> \"S\")", "page x y.md [A [b]] ~S\n"),
        ("* [x\\_y](pg\\_x.md)", "page pg_x.md [x_y]\n"),
        ("* [d](sub/)\n* [e](./)", "page sub/README.md [d]\npage README.md [e]\n"),
        ("* [e](a%20b.md)", "page a b.md [e]\n"),
        ("* [a](a.md)\n* [b](./a.md)\n", "page a.md [a]\nlink ./a.md [b]\n"),
        ("* [u](https://x.y)\n* [v](a.md#b)\n", "link https://x.y [u]\nlink a.md#b [v]\n"),
        ("* just text\n  * [a](a.md)\n", "text [just text]\n  page a.md [a]\n"),
        ("* [🎉 Party](p.md)\n", "page p.md [Party] :1f389\n"),
        ("* [](p.md)\n* [x]()\n", "page p.md []\ntext [x]\n"),
        (
            "## G <a href=\"#g1\" id=\"g1\"></a>\n\n* [a](a.md)\n\n## H\n\n* [b](b.md)\n\n***\n\n* [c](c.md)\n",
            "group g1 [G]\n  page a.md [a]\ngroup - [H]\n  page b.md [b]\npage c.md [c]\n",
        ),
        (
            "* [a](a.md)\n  * ```yaml\n    type: builtin:openapi\n    props:\n      models: true\n    ```\n",
            "page a.md [a]\n  computed {\"type\":\"builtin:openapi\",\"props\":{\"models\":true}} []\n",
        ),
        ("* [**B** `c`](b.md)\n", "page b.md [B c]\n"),
        ("* [out](../x.md)\n", "link ../x.md [out]\n"),
    ] {
        assert_eq!(outline(source), expected, "{source}");
    }
}

#[test]
fn entries_know_their_lines() {
    let source = "# T\n\n## G\n\n* [a](a.md)\n\t* [b](b.md)\n* [c](c.md)\n";
    let summary = parse(source, "SUMMARY.md");
    let lines: Vec<_> =
        summary.walk().map(|entry| (entry.title.clone(), entry.lines.clone())).collect();
    let expected = [("G", 2..7), ("a", 4..6), ("b", 5..6), ("c", 6..7)];
    assert_eq!(lines, expected.map(|(title, lines)| (title.to_owned(), lines)));
    for entry in summary.walk() {
        assert!(entry.span.of(source).contains(&entry.title));
    }
}

#[test]
fn depth_is_bounded() {
    let source: String =
        (0..2_000).map(|n| format!("{}* [p{n}](p{n}.md)\n", "  ".repeat(n))).collect();
    let summary = parse(&source, "SUMMARY.md");
    assert_eq!(summary.walk().count(), 2_000);
    assert_eq!(summary.warnings.len(), 1);
}

#[test]
fn a_missing_summary_is_inferred() {
    let paths = [
        "b.md",
        "a/z.md",
        "a/README.md",
        "README.md",
        "x.png",
        ".gitbook/includes/i.md",
        "SUMMARY.md",
        "a/b/c.md",
    ];
    assert_eq!(infer(paths), ["README.md", "a/README.md", "a/b/c.md", "a/z.md", "b.md"]);
}

#[test]
fn entries_are_limited_by_the_length_of_the_text() {
    let empty = "-\n".repeat(200_000);
    let read = parse(&empty, "SUMMARY.md");
    assert_eq!(read.walk().count(), MIN_ENTRY_LIMIT + empty.len() / BYTES_PER_ENTRY);
    let warning = read.warnings.last().expect("a warning");
    assert!(warning.message.starts_with("The table has too many entries"), "{warning:?}");
    // Tables of the shortest entries that list pages stay within the limit.
    let pages: String = (0..100_000).map(|n| format!("* [a]({n}.md)\n")).collect();
    let read = parse(&pages, "SUMMARY.md");
    assert_eq!((read.walk().count(), read.warnings.len()), (100_000, 0));
}

#[test]
fn lists_of_languages_have_folders() {
    let source = "# Languages\n\n* [🇩🇪 Deutsch](de/)\n* [English](en/README.md)\n* [](fr)\n\
        * [Again](de)\n* [Deep](docs/pt_BR/)\n* [File](about.md)\n* [Away](https://example.org/)\n";
    let found: Vec<_> = languages(source)
        .into_iter()
        .map(|one| (one.title, one.emoji.is_some(), one.folder))
        .collect();
    let expected = [
        ("Deutsch", true, "de"),
        ("English", false, "en"),
        ("fr", false, "fr"),
        ("Deep", false, "docs/pt_BR"),
    ];
    let expected =
        expected.map(|(title, emoji, folder)| (title.to_owned(), emoji, folder.to_owned()));
    assert_eq!(found, expected);
    assert!(languages("").is_empty());
}
