//! Tests of first imports.

use bindery_content::Identity;
use bindery_content::reference::inlined;

use super::*;

/// Imports texts and compares the resulting tree.
fn check(files: &[(&str, &str)], expect: &str) -> Space {
    let space = Space::of(files);
    let expect: String = expect
        .lines()
        .map(|line| format!("{}\n", line.strip_prefix("    ").unwrap_or(line)))
        .collect();
    assert_eq!(space.outline(), expect.trim_start_matches('\n'));
    space.check(&Files::texts(files));
    space
}

const SUMMARY: &str = "# Table of contents

* [Welcome](README.md)
* [Guide](guide/README.md \"The guide\")
  * [🚀 Start](guide/start.md)
    * [Deep](guide/deep/x.md)
* Just text
  * [Under text](t.md)

## Reference <a href=\"#ref\" id=\"ref\"></a>

* [API](api.md)
* [Site](https://example.org/x)
  * [Behind the link](behind.md)
    * [Below](below.md)
* [Welcome again](README.md)
* [Part](api.md#part)

***

* [Last](last.md)
";

#[test]
fn the_table_of_contents_determines_the_tree() {
    let space = check(
        &[
            ("SUMMARY.md", SUMMARY),
            ("README.md", "# Other title\n\ntext"),
            ("guide/README.md", "g"),
            ("guide/start.md", "s"),
            ("guide/deep/x.md", "x"),
            ("t.md", "t"),
            ("api.md", "a"),
            ("last.md", "l"),
            ("behind.md", "b"),
            ("below.md", "b"),
            ("unlisted.md", "u"),
        ],
        "
    readme Welcome
    guide Guide
      start Start
        x Deep
    +just-text Just text
      t Under text
    +ref Reference
      api API
      >site Site
      behind Behind the link
        below Below
      >welcome-again Welcome again
      >part Part
    last Last",
    );
    let tree = space.tree();
    let start = space.page("guide/start.md");
    assert_eq!(start.emoji.as_deref(), Some("1f680"));
    assert_eq!(tree.path(start.id).unwrap(), "guide/start");
    assert_eq!(space.page("guide/README.md").link_title.as_deref(), Some("The guide"));
    assert_eq!(tree.first().unwrap().unwrap().id, space.page_id("README.md"));
    let links: Vec<_> = tree
        .walk()
        .filter_map(|child| match child.unwrap().entry.kind {
            NavigationKind::Link(target) => Some(target),
            _ => None,
        })
        .collect();
    let api = Some(space.page_id("api.md"));
    assert_eq!(
        links,
        [
            ContentRef::Url("https://example.org/x".to_owned()),
            ContentRef::Page { page: space.page_id("README.md"), space: None },
            ContentRef::Anchor { page: api, space: None, anchor: "part".to_owned() },
        ]
    );
    assert_eq!(space.content().at_path(&space.objects, "unlisted.md").unwrap(), None);
    assert_eq!(&space.body("README.md").source[..], b"# Other title\n\ntext");
}

#[test]
fn a_heading_that_the_title_does_not_say_stays_in_the_text() {
    let mut space = Space::of(&[
        ("SUMMARY.md", "* [Start](README.md)\n* [Setup guide](a.md)\n* [**API**](b.md)\n"),
        ("README.md", "# Welcome to [the manual](a.md)\n\ntext"),
        ("a.md", "# 1. Setup\n\ntext"),
        ("b.md", "<!-- note -->\n*The* API\n===\n\ntext"),
        (".gitbook/includes/c.md", "---\ntitle: c\n---\n\n# c\n"),
    ]);
    let has_heading =
        |space: &Space, path: &str| Identity::decode(&space.body(path).identity).has_heading();
    let of_pages =
        |space: &Space| ["README.md", "a.md", "b.md"].map(|path| has_heading(space, path));
    assert_eq!(of_pages(&space), [true, false, true]);
    let links: Vec<_> = space.body("README.md").references.into_iter().map(|r| r.raw).collect();
    assert_eq!(links, ["a.md"]);
    // A changed title of the table of contents changes the texts of its pages.
    let files = Files::texts(&[
        (
            "SUMMARY.md",
            "* [Welcome to the manual](README.md)\n* [Install](a.md)\n* [The API](b.md)\n",
        ),
        ("README.md", "# Welcome to [the manual](a.md)\n\ntext"),
        ("a.md", "# 1. Setup\n\ntext"),
        ("b.md", "<!-- note -->\n*The* API\n===\n\ntext"),
    ]);
    space.import(&files);
    assert_eq!(of_pages(&space), [false, true, false]);
    space.check(&files);
    // So does a changed heading, while the title stays.
    let files = files.with(&[("a.md", Some("# Install\n\ntext"))]);
    space.import(&files);
    assert_eq!(of_pages(&space), [false; 3]);
}

#[test]
fn a_page_listed_twice_keeps_its_children() {
    check(
        &[
            (
                "SUMMARY.md",
                "* [A](README.md)\n* [B](b/README.md)\n* [C](c.md)\n  * [B again](b/)\n    \
                 * [D](d.md)\n* [E](e.md)\n  * [F](f.md)\n* [E again](e.md)\n  * [G](g.md)\n\
                 * [E last](e.md)\n",
            ),
            ("README.md", "a"),
            ("b/README.md", "b"),
            ("c.md", "c"),
            ("d.md", "d"),
            ("e.md", "e"),
            ("f.md", "f"),
            ("g.md", "g"),
        ],
        "
    readme A
    >b B
    c C
      b B again
        d D
    e E
      f F
    e-again E again
      g G
    >e-last E last",
    );
}

#[test]
fn the_heading_of_a_reusable_content_stays_in_its_text() {
    let space = Space::of(&[
        ("README.md", "# T\n\n{% include \".gitbook/includes/c.md\" %}\n"),
        (".gitbook/includes/c.md", "---\ntitle: c\n---\n\n# c\n"),
    ]);
    let path = ".gitbook/includes/c.md";
    let entry = space.content().at_path(&space.objects, path).unwrap();
    let Some(PathEntry::Reusable(id)) = entry else { panic!("{entry:?}") };
    let record = space.content().reusable(&space.objects, id).unwrap().unwrap();
    let body = PageBody::decode(&space.objects.get(&record.body.unwrap()).unwrap()).unwrap();
    assert!(Identity::decode(&body.identity).has_heading());
}

#[test]
fn without_a_table_of_contents_folders_determine_the_tree() {
    check(
        &[
            ("README.md", "# Home"),
            ("b.md", "no heading"),
            ("a.md", "# A **page**"),
            ("guide/README.md", "# The guide"),
            ("guide/z.md", "# Z"),
            ("guide/sub/deep/x.md", "# X"),
            ("lone_folder/y.md", "# Y"),
            (".hidden/n.md", "# N"),
        ],
        "
    readme Home
    a A page
    b B
    guide The guide
      sub Sub
        deep Deep
          x X
      z Z
    +lone_folder Lone folder
      y Y",
    );
}

#[test]
fn a_file_beside_a_folder_is_the_page_of_the_folder() {
    check(
        &[
            ("README.md", "# Home"),
            ("guide.md", "# The guide"),
            ("guide/a.md", "# A"),
            ("guide/sub/deep.md", "# Deep"),
            ("guide/sub/deep/x.md", "# X"),
            ("both.md", "# Beside"),
            ("both/README.md", "# Within"),
            ("both/y.md", "# Y"),
        ],
        "
    readme Home
    both Within
      y Y
    both-1 Beside
    guide The guide
      a A
      sub Sub
        deep Deep
          x X",
    );
}

#[test]
fn the_configuration_is_honoured() {
    let config = "root: ./docs/\nstructure:\n  readme: intro.md\n  summary: toc/CONTENTS.md\nredirects:\n  old/page: b.md\n  gone: nowhere.md\nstrange: 1\n";
    let space = check(
        &[
            (".gitbook.yaml", config),
            ("docs/toc/CONTENTS.md", "* [B](../b.md)\n"),
            ("docs/intro.md", "# Intro"),
            ("docs/b.md", "[i](intro.md)"),
            ("outside.md", "# Out"),
        ],
        "
    intro Intro
    b B",
    );
    assert_eq!(space.last.as_ref().unwrap().prefix, "docs/");
    let redirect = |path| space.content().redirect(&space.objects, path).unwrap();
    assert_eq!(redirect("old/page"), Some(Redirect::Page(space.page_id("b.md"))));
    assert_eq!(redirect("gone"), Some(Redirect::Path("nowhere.md".to_owned())));
    let warnings = space.warnings();
    assert!(warnings.iter().any(|warning| warning.contains("strange")), "{warnings:?}");
    assert!(warnings.iter().any(|warning| warning.contains("nowhere.md")), "{warnings:?}");
    let reference = ContentRef::Page { page: space.page_id("intro.md"), space: None };
    assert_eq!(space.body("b.md").resolve("intro.md"), Some(&reference));
}

#[test]
fn the_configuration_has_another_name() {
    let files = [
        (".gitbook.yml", "root: ./docs/"),
        ("docs/README.md", "# Docs"),
        ("README.md", "# Top"),
        ("other/README.md", "# Other"),
    ];
    let mut space = check(&files, "\n    readme Docs");
    // A change of the file is seen, and the usual name takes precedence.
    let files = Files::texts(&files).with(&[(".gitbook.yml", Some("root: ./other/"))]);
    space.import(&files);
    assert_eq!(space.outline(), "readme Other\n");
    let files = files.with(&[(".gitbook.yaml", Some("root: ./docs/"))]);
    space.import(&files);
    assert_eq!(space.outline(), "readme Docs\n");
}

/// A PNG image of one pixel.
const PIXEL: &str = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

#[test]
fn pictures_in_addresses_are_stored_as_files() {
    let svg = PIXEL.replace("png", "svg+xml");
    let unlike = "data:image/png;base64,AAAA";
    let text = format!(
        "# T\n\n![a]({PIXEL})\n\n<img src=\"{PIXEL}\">\n\n![b][c] ![d]({svg}) ![e]({unlike})\n\n[c]: <{PIXEL}>\n"
    );
    let mut space = Space::of(&[("README.md", &text), ("b.md", "# B")]);
    let path = inlined::path(PIXEL).unwrap();
    let file = space.file(&path).unwrap();
    assert_eq!((file.content_type.as_str(), file.size), ("image/png", 70));
    assert_eq!(file.dimensions, Some(Dimensions { width: 1, height: 1 }));
    assert_eq!(space.content().files.len(), 1);
    let body = space.body("README.md");
    assert_eq!(&body.source[..], text.as_bytes());
    let reference = ContentRef::File { file: file.id, space: None };
    assert_eq!(body.resolve(&format!("/{path}")), Some(&reference));
    // The picture stays the same file, also when its page is not read again.
    let files = Files::texts(&[
        ("README.md", &text),
        ("b.md", &format!("# B\n\n![b]({PIXEL})")),
        ("SUMMARY.md", "* [B](b.md)"),
    ]);
    space.import(&files);
    assert_eq!(space.file(&path).unwrap(), file);
    space.import(&files.with(&[("c.md", Some("# C")), ("SUMMARY.md", None)]));
    assert_eq!(space.file(&path).unwrap(), file);
}

#[test]
fn a_project_directory_is_a_folder_of_its_own() {
    let files = Files::texts(&[
        ("a/b/x.md", "# X"),
        ("a/b/.gitbook.yaml", "root: r"),
        ("a/b/r/y.md", "# Y"),
        ("a/z.md", "# Z"),
    ]);
    let import = |directory: &str| {
        let mut space = Space::new();
        let project_directory = directory.to_owned();
        let options = ImportOptions { project_directory, ..ImportOptions::default() };
        space.try_import(&files, &options).map(|()| (space.outline(), space.last.unwrap().prefix))
    };
    assert_eq!(import("a/b").unwrap(), ("y Y\n".to_owned(), "a/b/r/".to_owned()));
    assert_eq!(import("./a/b/").unwrap().1, "a/b/r/");
    assert_eq!(import("a/b/r").unwrap(), ("y Y\n".to_owned(), "a/b/r/".to_owned()));
    for (directory, expect) in [
        ("..", "leads out"),
        ("a/../../b", "leads out"),
        ("/a", "leads out"),
        ("a\\b", "leads out"),
        ("c", "no folder `c`"),
        ("a/b/x.md", "no folder `a/b/x.md`"),
    ] {
        let error = import(directory).unwrap_err().to_string();
        assert!(error.contains(expect), "{directory}: {error}");
    }
    let nothing = Files::texts(&[("a.txt", "x")]);
    let error = Space::new().try_import(&nothing, &ImportOptions::default()).unwrap_err();
    assert!(error.to_string().contains("no Markdown file in the repository"), "{error}");
}

#[test]
fn files_missing_and_listed_twice_and_outside() {
    let summary = "* [Here](a.md)\n* [Missing](no/such.md)\n* [](b.md)\n* [Out](../../x.md)\n* [Spec](spec)\n";
    let space = check(
        &[("SUMMARY.md", summary), ("a.md", ""), ("b.md", "\u{feff}# From file\n")],
        "
    a Here
    such Missing
    b From file
    >out Out
    spec Spec",
    );
    let missing = space.page("no/such.md");
    assert_eq!(missing.body, None);
    assert!(space.warnings()[0].contains("`no/such.md` does not exist"), "{:?}", space.warnings());
}

#[test]
fn front_matter_fills_the_page() {
    let source = "---
description: \"About \\_ it\"
hidden: true
noIndex: true
icon: rocket
if: visitor.claims.a
vars:
  v: '5.8'
  n: 5.8
cover:
  light: .gitbook/assets/c.png
  dark: https://example.org/d.png
coverY: -20
coverHeight: 300
layout:
  width: wide
  cover:
    visible: true
    size: full
  outline:
    visible: false
tags:
  - one
  - tag: two
    primary: true
metaLinks:
  canonical: other.md
---

# T
";
    let space = Space::of(&[
        ("a.md", source),
        ("other.md", "---\ndescription: a: b\n---\n# O"),
        (".gitbook/assets/c.png", "\u{89}x"),
    ]);
    let page = space.page("a.md");
    assert_eq!(page.title, "T");
    assert_eq!(page.description.as_deref(), Some("About \u{a0} it"));
    assert!(page.hidden && page.no_index && !page.no_robots_index);
    assert_eq!(page.icon.as_deref(), Some("rocket"));
    assert_eq!(page.condition.as_deref(), Some("visitor.claims.a"));
    assert_eq!(page.variables["v"], Variable::Text("5.8".to_owned()));
    assert_eq!(page.variables["n"], Variable::Number(5.8));
    let cover = page.cover.unwrap();
    let file = space.file(".gitbook/assets/c.png").unwrap().id;
    assert_eq!(cover.image, Some(ContentRef::File { file, space: None }));
    assert_eq!(cover.image_dark, Some(ContentRef::Url("https://example.org/d.png".to_owned())));
    assert_eq!((cover.y_pos, cover.height), (-20.0, Some(300.0)));
    assert!(!page.layout.outline && page.layout.pagination);
    assert_eq!(page.layout.width, bindery_revision::LayoutWidth::Wide);
    assert_eq!(page.tags.len(), 2);
    let other = space.page_id("other.md");
    assert_eq!(page.meta_links.canonical, Some(ContentRef::Page { page: other, space: None }));
    assert!(space.warnings().iter().any(|warning| warning.starts_with("other.md: ")));
}

#[test]
fn files_are_what_pages_refer_to_and_assets() {
    let gif = b"GIF89a\x10\x00\x20\x00\x00\x00\x00";
    let page = "![a](img/a%20b.gif) [u](unlisted.md) <img src=\".gitbook/assets/c d.svg\">\n[f](https://x/y.png) [m](missing.png)";
    let files = Files::new([
        ("SUMMARY.md", &b"* [P](p.md)"[..]),
        ("p.md", page.as_bytes()),
        ("img/a b.gif", gif),
        (".gitbook/assets/c d.svg", b"<svg width=\"3\" height=\"4\">"),
        (".gitbook/assets/unused.bin", b"\0"),
        ("unlisted.md", b"# U"),
        ("src/main.rs", b"fn main() {}"),
    ]);
    let mut space = Space::new();
    space.import(&files);
    space.check(&files);
    let image = space.file("img/a b.gif").unwrap();
    assert_eq!((image.name.as_str(), image.content_type.as_str()), ("a b.gif", "image/gif"));
    assert_eq!(image.dimensions, Some(Dimensions { width: 16, height: 32 }));
    assert_eq!((image.size, image.hash), (gif.len() as u64, Hash::of(gif)));
    assert_eq!(&space.objects.get(&image.hash).unwrap()[..], gif);
    assert_eq!(space.file("unlisted.md").unwrap().content_type, "text/markdown");
    assert!(space.file(".gitbook/assets/unused.bin").is_some());
    assert_eq!(space.file("src/main.rs"), None);
    assert_eq!(space.content().files.len(), 4);
    let body = space.body("p.md");
    assert_eq!(body.path.as_deref(), Some("p.md"));
    let found: Vec<&str> = body.references.iter().map(|one| one.raw.as_str()).collect();
    assert_eq!(found, [".gitbook/assets/c d.svg", "img/a%20b.gif", "unlisted.md"]);
}

#[test]
fn includes_and_variables() {
    let space = Space::of(&[
        ("a.md", "{% include \".gitbook/includes/x.md\" %}"),
        (".gitbook/includes/x.md", "---\ntitle: The X\n---\n![i](../assets/i.png)"),
        (".gitbook/includes/y-z.md", "text"),
        (".gitbook/assets/i.png", "x"),
        (".gitbook/vars.yaml", "v: '5.8'\nn: 5.8\n1bad: x\n"),
        (".gitbook/tags.yaml", "- tag: one\n"),
    ]);
    let content = space.content();
    assert_eq!(content.reusable.len(), 2);
    let Some(PathEntry::Reusable(id)) =
        content.at_path(&space.objects, ".gitbook/includes/x.md").unwrap()
    else {
        panic!("no reusable content");
    };
    let reusable = content.reusable(&space.objects, id).unwrap().unwrap();
    assert_eq!(reusable.title, "The X");
    let body = PageBody::decode(&space.objects.get(&reusable.body.unwrap()).unwrap()).unwrap();
    assert!(matches!(body.resolve("../assets/i.png"), Some(ContentRef::File { .. })));
    let reference = ContentRef::Reusable { reusable: id, space: None };
    assert_eq!(space.body("a.md").resolve(".gitbook/includes/x.md"), Some(&reference));
    assert_eq!(content.variables["v"], Variable::Text("5.8".to_owned()));
    assert_eq!(content.variables["n"], Variable::Number(5.8));
    assert_eq!(content.variables.len(), 2);
    let sources: Vec<&str> = content.sources.iter().map(|(path, _)| path.as_str()).collect();
    assert_eq!(sources, [".gitbook/tags.yaml", ".gitbook/vars.yaml"]);
    assert!(space.warnings().iter().any(|warning| warning.contains("1bad")));
}

#[test]
fn links_are_followed_within_the_folder_only() {
    let space = Space::of(&[
        ("a.md", "# A"),
        ("linked.md", "->a.md"),
        ("sub/chain.md", "->../linked.md"),
        ("out.md", "->../etc/passwd"),
        ("absolute.md", "->/etc/passwd"),
        ("dangling.md", "->no.md"),
        ("c1.md", "->c2.md"),
        ("c2.md", "->c1.md"),
        ("folder.md", "->sub"),
    ]);
    assert_eq!(space.outline(), "a A\nlinked A\n+sub Sub\n  chain A\n");
    let warnings = space.warnings();
    for (path, expect) in [
        ("out.md", "out of the repository"),
        ("absolute.md", "out of the repository"),
        ("dangling.md", "does not exist"),
        ("c1.md", "is circular"),
        ("c2.md", "is circular"),
        ("folder.md", "leads to a folder"),
    ] {
        let found = warnings.iter().any(|w| w.starts_with(path) && w.contains(expect));
        assert!(found, "{path}: {warnings:?}");
    }
    assert_eq!(warnings.len(), 6);
}

#[test]
fn strange_names_and_bytes() {
    let files = Files::new([
        ("a b.md", &b"# Space"[..]),
        ("100%.md", b"# Percent"),
        ("c#d.md", b"# Hash"),
        ("\u{1F680}.md", b"# Rocket"),
        ("Case.md", b"# Upper"),
        ("case.md", b"# Lower\n[x](Case.md)"),
        ("con.md", b"# \xff\0bytes\r\n"),
        (
            "links.md",
            b"[1](a%20b.md) [2](100%25.md) [3](c%23d.md) [4](\xf0\x9f\x9a\x80.md) [5](<a b.md>)",
        ),
    ]);
    let mut space = Space::new();
    space.import(&files);
    space.check(&files);
    assert_eq!(space.tree().len(), 8);
    assert_eq!(space.body("links.md").references.len(), 5);
    assert_ne!(space.page("Case.md").slug, space.page("case.md").slug);
    assert_eq!(space.page("con.md").title, "\u{FFFD}bytes");
    assert_eq!(&space.body("con.md").source[..], b"# \xff\0bytes\r\n");
    let upper = ContentRef::Page { page: space.page_id("Case.md"), space: None };
    assert_eq!(space.body("case.md").resolve("Case.md"), Some(&upper));
}

#[test]
fn limits_omit_or_refuse_files() {
    let long = "x".repeat(2000);
    let files = Files::texts(&[("a.md", "[f](f.bin)"), ("long.md", &long), ("f.bin", &long)]);
    let limits = ImportLimits { page_bytes: 1000, file_bytes: 1000, ..ImportLimits::default() };
    let options = ImportOptions { limits, ..ImportOptions::default() };
    let mut space = Space::new();
    space.try_import(&files, &options).unwrap();
    assert_eq!(space.outline(), "a A\nlong Long\n");
    assert_eq!(space.page("long.md").body, None);
    assert_eq!(space.content().files.len(), 0);
    assert_eq!(space.warnings().len(), 2, "{:?}", space.warnings());
    let limits = ImportLimits { entries: 2, ..ImportLimits::default() };
    let options = ImportOptions { limits, ..ImportOptions::default() };
    assert!(matches!(Space::new().try_import(&files, &options), Err(ImportError::TooMany(2))));
}

#[test]
fn a_cancelled_import_stops() {
    let files = Files::texts(&[("a.md", "# A")]);
    let objects = MemoryObjects::new();
    let cancelled = CancellationToken::new();
    cancelled.cancel();
    let context = ImportContext {
        now: Timestamp::from_millis(0),
        entropy: &Entropy::seeded(1),
        progress: &|_| {},
        cancel: &cancelled,
        large_files: None,
    };
    let result =
        import(&files, &ImportOptions::default(), None, &objects, &mut |_| Ok(()), &context);
    assert!(matches!(result, Err(ImportError::Cancelled)));
}

#[test]
fn a_list_of_languages_names_the_folders_to_import() {
    let space = Space::of(&[
        ("LANGS.md", "# Languages\n\n* [English](en/)\n* [French](fr/README.md)\n"),
        ("GLOSSARY.md", "# Glossary"),
        ("en/README.md", "# Hello"),
        ("fr/README.md", "# Bonjour"),
    ]);
    assert_eq!(space.outline(), "en Hello\nfr Bonjour\n");
    let warnings = space.warnings();
    assert!(warnings[0].contains("import `en`, `fr` with"), "{warnings:?}");
}

#[test]
fn unlisted_files_bring_the_files_that_they_refer_to() {
    let space = Space::of(&[
        ("SUMMARY.md", "* [A](README.md)"),
        ("README.md", "[u](u) [folder](more/) [other](alone.md)"),
        ("u.md", "# U\n\n![p](p.png) [v](v.md#x) [a](README.md) [gone](gone.md)"),
        ("v.md", "[u](u.md)"),
        ("p.png", "x"),
        ("q.png", "x"),
        ("more/README.md", "[w](../w.md)"),
        ("w.md", "w"),
        ("alone.md", ""),
        ("nobody.md", "n"),
    ]);
    let found = ["u.md", "v.md", "p.png", "more/README.md", "w.md", "alone.md"];
    for path in found {
        assert!(space.file(path).is_some(), "{path}");
    }
    for path in ["q.png", "nobody.md"] {
        assert!(space.file(path).is_none(), "{path}");
    }
}

#[test]
fn links_to_a_folder_lead_to_its_only_page() {
    let files = |second: &str| {
        [
            ("SUMMARY.md".to_owned(), format!("* [A](README.md)\n* [B](one/b.md)\n{second}")),
            ("README.md".to_owned(), "[one](one/) [one](one#x) [none](none/)".to_owned()),
            ("one/b.md".to_owned(), "b".to_owned()),
            ("one/c.md".to_owned(), "c".to_owned()),
            ("none/x.png".to_owned(), "x".to_owned()),
        ]
    };
    let import = |second: &str| {
        let files = files(second);
        let texts: Vec<(&str, &str)> =
            files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
        let space = Space::of(&texts);
        let page = space.page_id("one/b.md");
        (space.body("README.md").references, page)
    };
    let (references, page) = import("");
    let target = |raw: &str| {
        references.iter().find(|known| known.raw == raw).map(|known| known.target.clone())
    };
    assert_eq!(target("one/"), Some(ContentRef::Page { page, space: None }));
    let anchor = "x".to_owned();
    assert_eq!(target("one#x"), Some(ContentRef::Anchor { page: Some(page), space: None, anchor }));
    assert_eq!(target("none/"), None);
    assert_eq!(import("* [C](one/c.md)\n").0, []);
}
