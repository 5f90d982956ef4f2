//! Tests of the identity of pages after large moves, and of texts after repeated imports.

use std::collections::HashSet;

use bindery_content::document::Key;
use bindery_content::markdown::parse_as;
use bindery_content::reference::NoLookup;
use bindery_content::{Identity, Page, ParseContext};

use super::*;

impl Space {
    /// Returns the keys of the top-level blocks of a page's text.
    fn keys(&self, path: &str) -> Vec<Key> {
        let body = self.body(path);
        let source = String::from_utf8_lossy(&body.source);
        let context = ParseContext { path, lookup: &NoLookup };
        let identity = Identity::decode(&body.identity);
        let document = parse_as(Page::split(&source).body.of(&source), &context, &identity);
        document.nodes.iter().map(|block| block.key).collect()
    }
}

#[test]
fn texts_keep_their_keys_when_moved() {
    let before = Files::texts(&[
        ("README.md", "# Home"),
        ("a.md", "# A\n\none two three\n\nfour five six\n\nseven eight nine\n"),
    ]);
    let mut space = Space::new();
    space.import(&before);
    let first = space.keys("a.md");
    assert_eq!(space.body("a.md").identity.len(), 0);
    let edited = "# A\n\none two three!\n\nnew\n\nfour five six\n\nseven eight nine\n";
    let after = before.with(&[("a.md", Some(edited))]);
    space.import(&after);
    let second = space.keys("a.md");
    assert_eq!([second[0], second[2], second[3]], first[..]);
    assert!(!first.contains(&second[1]));
    let known = space.body("a.md").identity;
    assert!((1..64).contains(&known.len()));

    // A plain move, then a move with an edit.
    let after = after.with(&[("a.md", None), ("x/b.md", Some(edited))]);
    space.import(&after);
    assert_eq!(space.keys("x/b.md"), second);
    assert_eq!(space.body("x/b.md").identity, known);
    let again = "# A\n\nseven eight nine\n\none two three!\n\nnew\n\nfour five six seven\n";
    let after = after.with(&[("x/b.md", None), ("x/y/c.md", Some(again))]);
    space.import(&after);
    let third = space.keys("x/y/c.md");
    assert_eq!(third, [second[3], second[0], second[1], second[2]]);
    // A text that is read again without changes is not written.
    space.import(&after.with(&[("README.md", None), ("SUMMARY.md", Some("* [C](x/y/c.md)"))]));
    assert_eq!(space.keys("x/y/c.md"), third);
    assert_eq!(space.last.as_ref().unwrap().counts.pages, 1);
}

#[test]
fn included_texts_keep_their_keys() {
    let include = ".gitbook/includes/i.md";
    let before = Files::texts(&[("README.md", "# Home"), (include, "one two three\n\nfour\n")]);
    let mut space = Space::new();
    space.import(&before);
    space.import(&before.with(&[(include, Some("new\n\none two\n\nfour\n"))]));
    let content = space.content();
    let entry = content.reusable.range(&space.objects, None, Direction::Ascending).next();
    let reusable = ReusableRecord::decode(&entry.unwrap().unwrap().1).unwrap();
    let body = PageBody::decode(&space.objects.get(&reusable.body.unwrap()).unwrap()).unwrap();
    assert!(!Identity::decode(&body.identity).is_empty());
}

/// Similar pages in folders of a hundred below `root`, each with this word.
fn pages(count: usize, root: &str, word: &str) -> Vec<(String, String)> {
    let page = |n: usize| {
        let own: String = (0..60).map(|w| format!("w{} ", (n * 61 + w) * 7919 % 10_007)).collect();
        let text = format!("# Page {n}\n\nWhat all say, {word}, in the same words.\n\n{own}\n");
        (format!("{root}f{}/p{}.md", n / 100, n % 100), text)
    };
    (0..count).map(page).collect()
}

fn folder(pages: &[(String, String)]) -> Files {
    Files::new(pages.iter().map(|(path, text)| (path.as_str(), text.as_bytes())))
}

#[test]
fn thousands_of_pages_move_and_are_edited_at_once() {
    let before = pages(2_500, "", "before");
    let mut space = Space::new();
    space.import(&folder(&before));
    let ids: Vec<PageId> = before.iter().map(|(path, _)| space.page_id(path)).collect();
    let after = pages(2_500, "elsewhere/", "after");
    space.import(&folder(&after));
    let moved: Vec<PageId> = after.iter().map(|(path, _)| space.page_id(path)).collect();
    assert_eq!(ids, moved);
    // Renamed as well, so that only the texts identify the pages.
    let renamed: Vec<_> = pages(2_500, "", "again")
        .into_iter()
        .enumerate()
        .map(|(n, (_, text))| (format!("named/n{n}.md"), text))
        .collect();
    space.import(&folder(&renamed));
    let found: Vec<PageId> = renamed.iter().map(|(path, _)| space.page_id(path)).collect();
    let same = ids.iter().zip(&found).filter(|(old, new)| old == new).count();
    assert_eq!(same, ids.len());
    assert_eq!(found.iter().collect::<HashSet<_>>().len(), found.len());
}

#[test]
fn the_name_decides_between_equally_similar_texts() {
    let text = |n: usize| {
        format!("# Page\n\nAll of these say the very same but for {n}.\n\n1 2 3 4 5 6\n")
    };
    let files = |root: &str, more: &str| {
        let pages: Vec<_> =
            (0..5).map(|n| (format!("{root}d{n}/README.md"), text(n) + more)).collect();
        folder(&pages)
    };
    let mut space = Space::new();
    space.import(&files("", ""));
    let ids: Vec<_> = (0..5).map(|n| space.page_id(&format!("d{n}/README.md"))).collect();
    space.import(&files("x/", "7\n"));
    let moved: Vec<_> = (0..5).map(|n| space.page_id(&format!("x/d{n}/README.md"))).collect();
    assert_eq!(ids, moved);
}
