//! Differences between spaces that are described as text.

use proptest::prelude::*;

use super::*;
use crate::content::Content;
use crate::merge::fixture::Fixture;
use crate::tree::Tree;

/// Formats the changes as text, in their order.
fn show(fixture: &Fixture, changes: &[Change]) -> String {
    let parent = |page: &PageRecord| page.parent.map_or("/".to_owned(), |id| fixture.name(id));
    let line = |change: &Change| match change {
        Change::PageCreated(page) => format!("+{}", fixture.name(page.id)),
        Change::PageDeleted(page) => format!("-{}", fixture.name(page.id)),
        Change::PageMoved(edit) => {
            let (from, to) = (parent(&edit.before), parent(&edit.after));
            format!("{} {from}>{to}", fixture.name(edit.after.id))
        }
        Change::PageEdited(edit, attributes) => {
            assert!(attributes.iter().all(|one| edit.before.get(*one) != edit.after.get(*one)));
            format!("{} {attributes:?}", fixture.name(edit.after.id))
        }
        Change::FileCreated(file) => format!("+file {}", file.name),
        Change::FileDeleted(file) => format!("-file {}", file.name),
        Change::FileEdited(edit, attributes) => format!("file {} {attributes:?}", edit.after.name),
        Change::ReusableCreated(text) => format!("+reusable {}", text.title),
        Change::ReusableDeleted(text) => format!("-reusable {}", text.title),
        Change::ReusableEdited(edit, attributes) => {
            format!("reusable {} {attributes:?}", edit.after.title)
        }
        Change::VariablesEdited(names) => {
            format!("variables {}", names.keys().cloned().collect::<Vec<_>>().join(" "))
        }
        Change::RedirectEdited(path, edit) => format!("redirect {path} {}", edit.after.is_some()),
        Change::SourceEdited(path, edit) => format!("source {path} {}", edit.after.is_some()),
    };
    let mut lines: Vec<String> = changes.iter().map(line).collect();
    lines.sort_unstable();
    lines.join("; ")
}

#[test]
fn edits_of_pages_are_reported() {
    for (tree, edits, expect) in [
        ("a b", "", ""),
        ("a b", "add c under b", "+c"),
        ("a(b(c)) d", "delete b", "-b; -c"),
        ("a(b(c)) d", "move b under d", "b a>d"),
        ("a b c d", "move d before b", "d />/"),
        ("a b c d", "move a after c; title a A", "a />/; a [Title]"),
        ("a b c d", "move a after b; move a before b", ""),
        (
            "a b",
            "slug a b2; body a new; tag a x; path a y.md",
            "a [Slug, Tags, Document, SourcePath]",
        ),
        (
            "a",
            "file f f.txt x; reusable u T x; variable v 1; redirect r a; source s x",
            "+file f; +reusable T; redirect r true; source s true; variables v",
        ),
    ] {
        let mut fixture = Fixture::default();
        let old = fixture.tree(tree);
        let new = fixture.edit(&old, edits);
        let found = diff(&old, &new, &fixture.objects, 100).unwrap();
        assert_eq!((show(&fixture, &found.changes), found.more), (expect.to_owned(), 0), "{edits}");
    }
}

#[test]
fn edits_of_other_items_are_reported() {
    let mut fixture = Fixture::default();
    let old = fixture.tree("a");
    let old = fixture.edit(&old, "file f f.txt x; file g g.txt x; reusable u T x; variable v 1");
    let new = fixture.edit(
        &old,
        "file f f.txt longer; rename-file f F; delete-file g; reusable u T y; variable v 2; variable w 1",
    );
    let found = diff(&old, &new, &fixture.objects, 100).unwrap();
    let expect = "-file g; file F [Name, Size, Hash]; reusable T [Document]; variables v w";
    assert_eq!(show(&fixture, &found.changes), expect);
    let back = diff(&new, &old, &fixture.objects, 1).unwrap();
    assert_eq!((back.changes.len(), back.more), (1, 3));
}

/// Reassigned order keys are not reported as moves.
#[test]
fn reassigned_keys_are_not_reported() {
    let mut fixture = Fixture::default();
    let mut content = fixture.tree("a b");
    let mut respread = false;
    for number in 0..450 {
        let old = content.clone();
        content = fixture.edit(&content, &format!("add n{number} before b"));
        if number % 3 == 2 {
            content = fixture.edit(&content, &format!("move n{number} after a"));
        }
        let found = diff(&old, &content, &fixture.objects, 1000).unwrap();
        assert_eq!(show(&fixture, &found.changes), format!("+n{number}"));
        let before = pages_of(&fixture, &old);
        let after = pages_of(&fixture, &content);
        respread |= before.iter().any(|page| !after.contains(page));
    }
    assert!(respread, "the test meets what it is about");
}

fn pages_of(fixture: &Fixture, content: &Content) -> Vec<PageRecord> {
    crate::merge::fixture::pages(fixture, content).into_values().collect()
}

proptest! {
    /// The reported moves explain the new order and are as few as possible.
    #[test]
    fn a_new_order_is_explained_by_the_fewest_moves(
        moves in prop::collection::vec((0usize..9, 0usize..9), 0..6),
    ) {
        let mut fixture = Fixture::default();
        let old = fixture.tree("a b c d e f g h i");
        let names = ["a", "b", "c", "d", "e", "f", "g", "h", "i"];
        let mut new = old.clone();
        for (one, other) in &moves {
            if one != other {
                new = fixture.edit(&new, &format!("move {} before {}", names[*one], names[*other]));
            }
        }
        let found = diff(&old, &new, &fixture.objects, 100).unwrap();
        let moved: Vec<_> = found.changes.iter().map(|change| match change {
            Change::PageMoved(edit) => edit.after.id,
            other => panic!("{other:?}"),
        }).collect();
        let order = |content: &Content| -> Vec<_> {
            let all = Tree::new(content, &fixture.objects).children(None);
            all.map(|child| child.unwrap().id).filter(|id| !moved.contains(id)).collect()
        };
        assert_eq!(order(&old), order(&new));
        assert!(moved.len() <= moves.len());
    }
}
