use std::cell::Cell;

use super::{Shown, write};
use crate::html::{FileLink, Links, PageLink};
use crate::reference::{Lookup, ParseContext};

struct Files;

impl Lookup for Files {
    fn page(&self, path: &str) -> Option<String> {
        (path == "a/b.md").then(|| "b".to_owned())
    }
    fn file(&self, path: &str) -> Option<String> {
        matches!(path, "x.png" | "y.pdf").then(|| path.to_owned())
    }
    fn reusable_content(&self, path: &str) -> Option<String> {
        (path == "note.md").then(|| path.to_owned())
    }
    fn space(&self, space: &str) -> bool {
        space == "other"
    }
}

struct Site;

impl Links for Site {
    fn page(&self, page: &str, space: Option<&str>) -> Option<PageLink> {
        (page == "b" && space.is_none())
            .then(|| PageLink { href: "https://d.e/a/b".to_owned(), title: "B [1]".to_owned() })
    }
    fn anchor(&self, _: &str, anchor: &str) -> Option<String> {
        (anchor == "One").then(|| "one".to_owned())
    }
    fn anchor_title(&self, _: &str, anchor: &str) -> Option<String> {
        (anchor == "one").then(|| "Part one".to_owned())
    }
    fn file(&self, file: &str) -> Option<FileLink> {
        let (href, name) = (format!("https://d.e/~files/{file}"), file.to_owned());
        Some(FileLink { href, name, size: Some(2_000), ..FileLink::default() })
    }
    fn space(&self, space: &str) -> Option<PageLink> {
        (space == "other")
            .then(|| PageLink { href: "https://d.e/o/".to_owned(), title: "Other".to_owned() })
    }
    fn user(&self, _: &str) -> Option<String> {
        Some("Ann".to_owned())
    }
}

fn check(examples: &[(&str, &str)]) {
    for (source, expected) in examples {
        let room = Cell::new(1 << 20);
        let shown =
            Shown { links: &Site, address: "https://d.e/p", is_included: false, room: &room };
        let context = ParseContext { path: "p.md", lookup: &Files };
        let written = write(source, &context, &shown);
        assert_eq!(written.as_deref().unwrap_or(source), *expected, "{source}");
    }
}

#[test]
fn links_have_the_addresses_of_the_page() {
    check(&[
        (
            "[t](a/b.md) [u](<a/b.md#One> \"v\")\n",
            "[t](https://d.e/a/b) [u](https://d.e/a/b#one \"v\")\n",
        ),
        ("## Q & A\n\n[t](#q--a)\n", "## Q & A\n\n[t](https://d.e/p#q-and-a)\n"),
        ("[t](https://app.gitbook.com/s/other)\n", "[t](https://d.e/o/)\n"),
        (
            "[t](y.pdf) ![](x.png)\n",
            "[t](https://d.e/~files/y.pdf) ![](https://d.e/~files/x.png)\n",
        ),
        (
            "<a href=\"a/b.md\" class=\"button primary\">t</a>\n",
            "<a href=\"https://d.e/a/b\" class=\"button primary\">t</a>\n",
        ),
        (
            "`[t](a/b.md)` [^1]\n\n[^1]: [t](a/b.md)\n",
            "`[t](a/b.md)` [^1]\n\n[^1]: [t](https://d.e/a/b)\n",
        ),
        ("[t][r]\n\n[r]: a/b.md\n", "[t][r]\n\n[r]: https://d.e/a/b\n"),
    ]);
}

#[test]
fn mentions_and_references_have_the_names_of_their_targets() {
    check(&[
        ("see [b.md](a/b.md \"mention\").\n", "see [B \\[1\\]](https://d.e/a/b).\n"),
        (
            "## Q & A\n\n[#x](#q-and-a \"mention\")\n",
            "## Q & A\n\n[Q \\& A](https://d.e/p#q-and-a)\n",
        ),
        ("[#One](a/b.md#One \"mention\")\n", "[B \\[1\\] › Part one](https://d.e/a/b#one)\n"),
        ("[x](https://app.gitbook.com/u/1 \"mention\")\n", "Ann\n"),
        (
            "{% content-ref url=\"a/b.md\" %}\n[b.md](a/b.md)\n{% endcontent-ref %}\n",
            "[B \\[1\\]](https://d.e/a/b)\n",
        ),
        ("* a\n\n  {% page-ref page=\"a/b.md\" %}\n", "* a\n\n  [B \\[1\\]](https://d.e/a/b)\n"),
        (
            "{% file src=\"y.pdf\" %}\nSee\n{% endfile %}\n",
            "[y.pdf](https://d.e/~files/y.pdf) 2 KB\n\nSee\n\n",
        ),
        ("{% embed url=\"https://v.w/1\" %}\n", "[https://v.w/1](https://v.w/1)\n"),
        (
            "{% openapi src=\"https://v.w/s\" path=\"/x\" method=\"get\" %}\n[s](https://v.w/s)\n{% endopenapi %}\n",
            "GET `/x` [OpenAPI specification](https://v.w/s)\n",
        ),
    ]);
}

#[test]
fn what_leads_nowhere_becomes_words() {
    check(&[
        ("a [b](gone.md) c\n", "a b c\n"),
        ("* [**b** c](<../gone.md>)\n", "* **b** c\n"),
        ("[![b](x.png)](gone.md)\n", "![b](https://d.e/~files/x.png)\n"),
        ("`[b](gone.md)`\n", "`[b](gone.md)`\n"),
        ("a [g.md](f/g.md \"mention\") b\n", "a g.md b\n"),
        ("{% content-ref url=\"f/g.md\" %}\n[g.md](f/g.md)\n{% endcontent-ref %}\n", "g.md\n"),
        ("<a href=\"gone.md\" class=\"button primary\">t</a>\n", "t\n"),
        ("a ![alt](gone.png) b ![](f/gone.png)\n", "a alt b gone.png\n"),
        (
            "<figure><img src=\"gone.png\" alt=\"a\"><figcaption><p>a</p></figcaption></figure>\n",
            "<figure><figcaption><p>a</p></figcaption></figure>\n",
        ),
        ("a [](a/b.md)b\n", "a b\n"),
    ]);
}

#[test]
fn emoji_are_those_of_the_page() {
    check(&[
        (":tada: `:tada:` 10:30:45\n", "🎉 `:tada:` 10:30:45\n"),
        ("{% include \"note.md\" %}\n", "{% include \"note.md\" %}\n"),
    ]);
}
