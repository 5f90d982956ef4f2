//! One snapshot for each construct, and a page with all of them to be looked at.

use std::fmt::Write as _;

use bindery_content::expression::{Context, Evaluator};
use bindery_content::html::{FileLink, Links, PageLink, RenderContext, render};
use bindery_content::{Lookup, ParseContext, markdown};

const GALLERY: &str = include_str!("gallery.md");

struct Everything;

impl Lookup for Everything {
    fn page(&self, path: &str) -> Option<String> {
        path.strip_suffix(".md").map(str::to_owned)
    }
    fn file(&self, path: &str) -> Option<String> {
        (!path.ends_with(".md")).then(|| path.to_owned())
    }
    fn reusable_content(&self, _path: &str) -> Option<String> {
        None
    }
}

struct Site<'e>(Evaluator<'e>);

impl Links for Site<'_> {
    fn page(&self, page: &str, _space: Option<&str>) -> Option<PageLink> {
        Some(PageLink { href: format!("/docs/{page}"), title: format!("Page {page}") })
    }
    fn file(&self, file: &str) -> Option<FileLink> {
        let name = file.rsplit('/').next().unwrap_or(file).to_owned();
        let is_picture = name.ends_with(".svg");
        let dimensions = is_picture.then_some((640, 360));
        Some(FileLink { href: format!("/files/{name}"), name, size: Some(12_345), dimensions })
    }
    fn user(&self, user: &str) -> Option<String> {
        Some(format!("User {user}"))
    }
    fn condition(&self, expression: &str) -> bool {
        self.0.condition(expression)
    }
    fn expression(&self, expression: &str) -> Option<String> {
        self.0.text(expression)
    }
}

fn html(source: &str) -> String {
    let context = ParseContext { path: "page.md", lookup: &Everything };
    let document = markdown::parse(source, &context);
    let variables = Context::new().with_space([("version".into(), "5.8".into())]);
    let site = Site(Evaluator::new(&variables));
    render(&document, &RenderContext { links: &site, highlight: true }).body
}

/// The parts of the gallery: a first-level heading is the name of a construct.
fn parts() -> Vec<(&'static str, &'static str)> {
    GALLERY
        .split("\n# ")
        .filter_map(|part| part.trim_start_matches("# ").split_once('\n'))
        .collect()
}

#[test]
fn every_construct_has_its_html() {
    let mut snapshot = String::new();
    for (name, source) in parts() {
        let _ = write!(snapshot, "==== {name}\n{}\n", html(source));
    }
    insta::assert_snapshot!(snapshot);
}

/// Notes stand at the end of the page, each once, whoever refers to it.
#[test]
fn notes_stand_at_the_end_each_once() {
    let html = html("a[^1] b[^1] c[^2]\n\n[^1]: one\n[^2]: two\n");
    assert_eq!(html.matches("<aside").count(), 2, "{html}");
    assert_eq!(html.matches("popovertarget=\"~note-1\"").count(), 2, "{html}");
    assert!(html.ends_with("<p>two</p>\n</aside>\n"), "{html}");
}
