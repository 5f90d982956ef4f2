//! Tests of rewritten targets after pages and files have moved.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;

/// Ids by path.
#[derive(Debug, Default, Clone)]
struct Paths(BTreeMap<String, String>);

impl Paths {
    fn of(pairs: &[(&str, &str)]) -> Self {
        Self(pairs.iter().map(|(path, id)| ((*path).to_owned(), (*id).to_owned())).collect())
    }

    fn find(&self, path: &str, kind: char) -> Option<String> {
        self.0.get(path).filter(|id| id.starts_with(kind)).cloned()
    }

    fn path(&self, id: &str) -> Option<String> {
        self.0.iter().find(|(_, known)| *known == id).map(|(path, _)| path.clone())
    }
}

impl Lookup for Paths {
    fn page(&self, path: &str) -> Option<String> {
        self.find(path, 'p')
    }
    fn file(&self, path: &str) -> Option<String> {
        self.find(path, 'f')
    }
    fn reusable_content(&self, path: &str) -> Option<String> {
        self.find(path, 'r')
    }
}

impl Names for Paths {
    fn page_path(&self, page: &str) -> Option<String> {
        self.path(page)
    }
    fn file_path(&self, file: &str) -> Option<String> {
        self.path(file)
    }
    fn reusable_content_path(&self, reusable_content: &str) -> Option<String> {
        self.path(reusable_content)
    }
}

const BEFORE: [(&str, &str); 6] = [
    ("a/holder.md", "p0"),
    ("a/p.md", "p1"),
    ("a/s/README.md", "p2"),
    ("x.png", "f1"),
    ("x y.yaml", "f2"),
    (".gitbook/includes/i.md", "r1"),
];

/// Rebases `source`, stored in `a/holder.md`, after `moves`.
fn rebase(source: &str, moves: &[(&str, &str)]) -> String {
    let before = Paths::of(&BEFORE);
    let moved = |path: &str| moves.iter().find(|(from, _)| *from == path).map(|(_, to)| *to);
    let after: Vec<_> =
        BEFORE.iter().map(|(path, id)| (moved(path).unwrap_or(path), *id)).collect();
    let after = Paths::of(&after);
    let rebase = Rebase {
        from: "a/holder.md",
        to: moved("a/holder.md").unwrap_or("a/holder.md"),
        before: &before,
        after: &after,
        names: &after,
    };
    rebase.apply(source).unwrap_or_else(|| source.to_owned())
}

#[test]
fn targets_follow_what_they_lead_to() {
    const RENAMED: &[(&str, &str)] = &[("a/p.md", "a/q_1.md"), ("x.png", "y z/(1.png")];
    for (source, expected) in [
        ("[t](p.md)", "[t](q_1.md)"),
        ("[t](p.md#x \"T\") [t](<p.md>)", "[t](q_1.md#x \"T\") [t](q_1.md)"),
        ("[p.md](p.md \"mention\")", "[q\\_1.md](q_1.md \"mention\")"),
        ("[#x](p.md#x \"mention\")", "[#x](q_1.md#x \"mention\")"),
        ("[p.md](p.md)", "[p.md](q_1.md)"),
        ("[t][1] [1]\n\n[1]: p.md 'T'\n", "[t][1] [1]\n\n[1]: q_1.md 'T'\n"),
        ("![](../x.png)", "![](<../y z/(1.png>)"),
        ("a <img src='../x.png' alt=\"\"> b", "a <img src='../y z/(1.png' alt=\"\"> b"),
        (
            "<picture><source srcset=\"../x.png\" media=\"(prefers-color-scheme: dark)\"><img src=\"../x.png\" alt=\"\"></picture>",
            "<picture><source srcset=\"../y z/(1.png\" media=\"(prefers-color-scheme: dark)\"><img src=\"../y z/(1.png\" alt=\"\"></picture>",
        ),
        (
            "{% content-ref url=\"p.md\" %}\n[p.md](p.md)\n{% endcontent-ref %}",
            "{% content-ref url=\"q_1.md\" %}\n[q\\_1.md](q_1.md)\n{% endcontent-ref %}",
        ),
        ("{% page-ref page=p.md %}", "{% page-ref page=q_1.md %}"),
        ("{% file src=\"../x.png\" %}", "{% file src=\"../y z/(1.png\" %}"),
        ("<a data-mention href=\"p.md\">p.md</a>", "<a data-mention href=\"q_1.md\">q_1.md</a>"),
        (
            "<table><thead><tr><th data-type=\"content-ref\"></th></tr></thead><tbody><tr><td><a href=\"p.md\">p.md</a></td></tr></tbody></table>",
            "<table><thead><tr><th data-type=\"content-ref\"></th></tr></thead><tbody><tr><td><a href=\"q_1.md\">q_1.md</a></td></tr></tbody></table>",
        ),
        (
            "<dl><dt><a href=\"p.md#x\">p.md</a><dd><img src='../x.png'></dl>",
            "<dl><dt><a href=\"q_1.md#x\">p.md</a><dd><img src='../y z/(1.png'></dl>",
        ),
        ("| a |\n| - |\n| [t](p.md) |", "| a |\n| - |\n| [t](q_1.md) |"),
        ("> * [t](p.md)\n>   ![](../x.png)", "> * [t](q_1.md)\n>   ![](<../y z/(1.png>)"),
        (
            "{% hint style=\"info\" %}\n[t](p.md)\n{% endhint %}",
            "{% hint style=\"info\" %}\n[t](q_1.md)\n{% endhint %}",
        ),
        ("# T\n\n[t](p.md)\r\n", "# T\n\n[t](q_1.md)\r\n"),
        ("---\ndescription: x\n---\n\n[t](p.md)", "---\ndescription: x\n---\n\n[t](q_1.md)"),
        (
            "---\ncover: ../x.png # c\nmetaLinks:\n  alternates: [p.md, s/]\n---\n\n[t](s/)",
            "---\ncover: ../y z/(1.png # c\nmetaLinks:\n  alternates:\n    - q_1.md\n    - s/\n---\n\n[t](s/)",
        ),
        ("---\ncover: a: ../x.png\n---\n[t](p.md)", "---\ncover: a: ../x.png\n---\n[t](q_1.md)"),
    ] {
        assert_eq!(rebase(source, RENAMED), expected);
    }
}

#[test]
fn a_moved_page_takes_its_targets_along() {
    const MOVED: &[(&str, &str)] = &[("a/holder.md", "b/c/README.md")];
    for (source, expected) in [
        ("[t](p.md) [u](s/)", "[t](../../a/p.md) [u](../../a/s/)"),
        ("[t](holder.md) [u](#x)", "[t](./) [u](#x)"),
        ("[t](../x%20y.yaml)", "[t](<../../x y.yaml>)"),
        ("[t](missing.md#x)", "[t](../../a/missing.md#x)"),
        ("[t](/a/p.md) [u](https://p.md)", "[t](/a/p.md) [u](https://p.md)"),
        (
            "{% include \"../.gitbook/includes/i.md\" %}",
            "{% include \"../../.gitbook/includes/i.md\" %}",
        ),
        (
            "{% openapi src=\"../x y.yaml\" path=\"/p\" method=\"get\" %}\n[x y.yaml](<../x y.yaml>)\n{% endopenapi %}",
            "{% openapi src=\"../../x y.yaml\" path=\"/p\" method=\"get\" %}\n[x y.yaml](<../../x y.yaml>)\n{% endopenapi %}",
        ),
    ] {
        assert_eq!(rebase(source, MOVED), expected);
    }
}

#[test]
fn text_that_is_not_a_reference_stays() {
    for source in [
        "`[t](p.md)`",
        "```\n[t](p.md)\n[1]: p.md\n```\n\n[x][2]\n\n[2]: #a",
        "    [t](p.md)\n",
        "<!-- [t](p.md) -->",
        "{% raw %}",
        "see `[t](p.md)` and\n\n[t](s/)",
    ] {
        assert_eq!(rebase(source, &[("a/p.md", "q.md")]), source);
    }
    let mixed = "see `[t](p.md)` and [t](p.md)";
    let expected = "see `[t](p.md)` and [t](../q.md)";
    assert_eq!(rebase(mixed, &[("a/p.md", "q.md")]), expected);
}

#[test]
fn missing_targets_keep_their_text() {
    let before = Paths::of(&BEFORE);
    let after = Paths::of(&[("a/holder.md", "p0")]);
    let rebase = Rebase {
        from: "a/holder.md",
        to: "a/holder.md",
        before: &before,
        after: &after,
        names: &after,
    };
    assert_eq!(rebase.apply("[t](p.md) ![](../x.png)"), None);
    // A different page at the old path takes the reference away.
    let after = Paths::of(&[("a/p.md", "p9")]);
    let rebase = Rebase { after: &after, names: &after, ..rebase };
    assert_eq!(rebase.apply("[t](p.md)").as_deref(), Some("[t](/broken/pages/p1)"));
}

fn segment() -> impl Strategy<Value = String> {
    prop_oneof![3 => "[a-c]", 1 => "[a-c] [a-c(&_'\"]{1,3}"]
}

fn paths(count: usize, ending: &'static str) -> impl Strategy<Value = Vec<String>> {
    let path =
        (prop::collection::vec(segment(), 0..3), prop_oneof![segment(), Just(String::new())]);
    prop::collection::vec(path, count).prop_map(move |paths| {
        let path = |(at, (folders, name)): (usize, (Vec<String>, String))| {
            let folder: String = folders.iter().map(|folder| format!("{folder}/")).collect();
            // A number makes names unique, except for the names of folder pages.
            match name.as_str() {
                "" if ending == ".md" => format!("{folder}{at}/README.md"),
                name => format!("{folder}{name}{at}{ending}"),
            }
        };
        paths.into_iter().enumerate().map(path).collect()
    })
}

/// Returns a line that refers to `path`.
fn line(form: usize, holder: &str, path: &str) -> String {
    let target = relative(holder, path, form.is_multiple_of(2));
    let html = target.replace('&', "&amp;").replace('"', "&quot;");
    let markdown = format!("<{}>", target.replace('&', "\\&"));
    match form {
        0 => format!("[t]({markdown})"),
        1 => format!("text [**t**]({markdown} \"T\") and ![]({markdown})"),
        2 => format!("[{}]({markdown} \"mention\")", target.replace(['&', '_', '*'], "x")),
        3 => format!("text <img src=\"{html}\" alt=\"\"> and <a href=\"{html}\">t</a>"),
        4 => format!("[t]({markdown}#a)"),
        5 => format!("* [t]({markdown})"),
        6 => format!("> [t]({markdown})"),
        7 => format!("<figure><img src=\"{html}\" alt=\"\"><figcaption></figcaption></figure>"),
        8 => format!("[t]({})", target.replace(' ', "%20").replace(['(', '&', '"', '\''], "x")),
        9 => format!("`[t]({markdown})`"),
        _ => "text alone".to_owned(),
    }
}

fn targets_of(source: &str, holder: &str, lookup: &Paths) -> Vec<ContentRef> {
    let page = Page::split(source);
    let document = markdown::parse(page.body.of(source), &ParseContext { path: holder, lookup });
    document.references().iter().map(|held| held.reference.target.clone()).collect()
}

proptest! {
    #[test]
    fn after_moves_all_leads_where_it_led(
        before in (paths(4, ".md"), paths(2, ".png")),
        after in (paths(4, ".md"), paths(2, ".png")),
        moved in prop::collection::vec(any::<bool>(), 6),
        links in prop::collection::vec((0..11_usize, 0..6_usize), 0..8),
    ) {
        let ids = ["p0", "p1", "p2", "p3", "f0", "f1"];
        let flat = |(pages, files): (Vec<String>, Vec<String>)| [pages, files].concat();
        let (before, mut after) = (flat(before), flat(after));
        for (at, moved) in moved.iter().enumerate() {
            // Numbers make names unique, so that no two paths collide.
            if !moved && let (Some(to), Some(from)) = (after.get_mut(at), before.get(at)) {
                to.clone_from(from);
            }
        }
        let named = |paths: &[String]| Paths(paths.iter().cloned().zip(ids.map(str::to_owned)).collect());
        let (old, new) = (named(&before), named(&after));
        let (from, to) = (&before[0], &after[0]);
        let lines: Vec<String> =
            links.iter().map(|(form, at)| line(*form, from, &before[*at])).collect();
        let source = lines.join("\n\n");
        let rebase = Rebase { from, to, before: &old, after: &new, names: &new };
        let written = rebase.apply(&source).unwrap_or_else(|| source.clone());
        let places: Vec<bool> = source.lines().map(|line| !targets_to_rewrite(line, &|raw| rebase.target(raw)).is_empty()).collect();
        for ((was, is), may_differ) in source.lines().zip(written.lines()).zip(places) {
            prop_assert!(was == is || may_differ, "{:?} {:?}", was, is);
        }
        let (was, is) = (targets_of(&source, from, &old), targets_of(&written, to, &new));
        prop_assert_eq!(was.len(), is.len(), "{} {}", source, written);
        for (was, is) in was.iter().zip(&is) {
            let broken = matches!(was, ContentRef::Url { .. });
            prop_assert!(was == is || broken, "{:?} {:?}\n{}\n{}", was, is, source, written);
        }
    }
}

/// A test double in which every path resolves to a page, a reusable content or a file.
struct Anything;

impl Lookup for Anything {
    fn page(&self, path: &str) -> Option<String> {
        let is_page = path.ends_with(".md") && !path.contains("includes/") && !path.contains('@');
        is_page.then(|| path.to_owned())
    }
    fn file(&self, path: &str) -> Option<String> {
        let is_file = path.rsplit('/').next().is_some_and(|name| name.contains('.'));
        (is_file && !path.ends_with(".md") && !path.contains('@')).then(|| path.to_owned())
    }
    fn reusable_content(&self, path: &str) -> Option<String> {
        path.contains("includes/").then(|| path.to_owned())
    }
}

impl Names for Anything {
    fn page_path(&self, page: &str) -> Option<String> {
        Some(page.to_owned())
    }
    fn file_path(&self, file: &str) -> Option<String> {
        Some(file.to_owned())
    }
    fn reusable_content_path(&self, reusable_content: &str) -> Option<String> {
        Some(reusable_content.to_owned())
    }
}

/// Moves every page of the corpus.
#[test]
fn pages_of_the_corpus_can_be_moved() {
    let files =
        crate::corpus::repositories().into_iter().flat_map(|folder| crate::corpus::files(&folder));
    for path in files.filter(|path| path.extension().is_some_and(|extension| extension == "md")) {
        let bytes = std::fs::read(&path).unwrap_or_default();
        check_move(&crate::source::decode(&bytes), &path.display().to_string());
    }
}

fn check_move(source: &str, name: &str) {
    let (from, to) = ("a/b/c/d/e/f/page.md", "a/x y/page.md");
    let context = |path| ParseContext { path, lookup: &Anything };
    let page = Page::split(source);
    let before = markdown::parse(page.body.of(source), &context(from));
    let scanned = crate::reference::targets(page.body.of(source));
    for held in before.references() {
        let raw = &held.reference.raw;
        let is_path = matches!(Target::parse(raw, from), Target::Path { .. })
            && held.role != ReferenceRole::OpenApi;
        // An email address in angle brackets has the form of a path.
        let is_address = raw.contains('@') && !raw.contains('/');
        let is_found = scanned.binary_search(raw).is_ok() || is_address;
        assert!(!is_path || is_found, "{name}: {raw} was not found");
    }
    let rebase = Rebase { from, to, before: &Anything, after: &Anything, names: &Anything };
    let written = rebase.apply(source).unwrap_or_else(|| source.to_owned());
    let page = Page::split(&written);
    let after = markdown::parse(page.body.of(&written), &context(to));
    let (was, is) = (before.references(), after.references());
    assert_eq!(was.len(), is.len(), "{name}");
    for (was, is) in was.iter().zip(&is) {
        let (was, is) = (was.reference, is.reference);
        let broken = matches!(was.target, ContentRef::Url { .. });
        assert!(broken || was.target == is.target, "{name}: {} became {}", was.raw, is.raw);
    }
}
