//! Open conflicts that are resolved, edited or merged again, and merges of content other than
//! pages.

use bindery_model::Timestamp;

use super::fixture::{Fixture, Names, page};
use crate::content::Content;
use crate::merge::{
    Choice, Conflict, PageSubject, ResolveError, Subject, Value, WholeBodies, conflicts_of_page,
    merge_into_repository, resolve, resolve_all, settle,
};
use crate::record::{PageAttribute, PageValue, Variable};
use crate::tree::TreeError;

const NOW: Timestamp = Timestamp::from_millis(1_000);

fn names() -> Names {
    Names::of(&["a b c d e f g n u"])
}

fn open(fixture: &Fixture, content: &Content) -> String {
    names().show(&fixture.conflicts(content))
}

fn merged(fixture: &mut Fixture, base: &Content, ours: &str, theirs: &str) -> Content {
    let (ours, theirs) = (fixture.edit(base, ours), fixture.edit(base, theirs));
    fixture.merge(base, &ours, &theirs).content
}

fn choose(
    fixture: &mut Fixture,
    content: &Content,
    at: usize,
    choice: Choice,
) -> Result<Content, ResolveError> {
    let key = fixture.conflicts(content)[at].key().unwrap();
    fixture.with_staging(|staging| resolve(content, staging, &key, choice, &mut WholeBodies, NOW))
}

fn title(fixture: &Fixture, content: &Content, name: &str) -> String {
    fixture.record(content, name).unwrap().title
}

/// Shows a part of a content.
type Show = fn(&Fixture, &Content) -> String;

/// The edit before both sides, the two sides, the conflict, and the content for each choice.
type Case = (&'static str, &'static str, &'static str, &'static str, Show, [&'static str; 3]);

/// A conflict of each kind, with the resulting content for each choice: base, ours, theirs.
#[test]
fn every_kind_of_conflict_is_resolved_each_way() {
    for (setup, ours, theirs, conflicts, show, expect) in conflicts_of_each_kind() {
        let mut fixture = Fixture::default();
        let base = fixture.tree("a b c");
        let base = fixture.edit(&base, setup);
        let content = merged(&mut fixture, &base, ours, theirs);
        assert_eq!(open(&fixture, &content), conflicts, "{ours} | {theirs}");
        let kept = show(&fixture, &content);
        for (choice, expect) in [Choice::Base, Choice::Ours, Choice::Theirs].into_iter().zip(expect)
        {
            let resolved = choose(&mut fixture, &content, 0, choice.clone()).unwrap();
            assert_eq!(show(&fixture, &resolved), expect, "{ours} | {theirs} | {choice:?}");
            assert!(resolved.conflicts.is_empty());
            crate::tree::tests::invariants(&resolved, &fixture.objects);
        }
        let resolved = choose(&mut fixture, &content, 0, Choice::Current).unwrap();
        assert_eq!(show(&fixture, &resolved), kept);
        assert!(resolved.conflicts.is_empty());
    }
}

/// Returns the base, both sides, the conflict, and the content for each choice.
fn conflicts_of_each_kind() -> Vec<Case> {
    let [tree, text, body, file, reusable, variable, redirect, source] = shows();
    vec![
        ("title a 0", "title a 1", "title a 2", "title a", text, ["0", "1", "2"]),
        ("body a 0", "body a 1", "body a 2", "body a", body, ["0", "1", "2"]),
        ("", "move a under b", "move a under c", "place a", tree, ["a b c", "b(a) c", "b c(a)"]),
        (
            "add n under a",
            "delete a",
            "title a 2; add d under a",
            "page a",
            tree,
            ["a(d) b c", "d b c", "a(d) b c"],
        ),
        (
            "",
            "slug a b2; delete b",
            "title b 2",
            "page b",
            tree,
            ["a/b2 b c", "a/b2 c", "a/b2 b c"],
        ),
        ("file f x 333", "delete-file f", "rename-file f y", "file f", file, ["f 3", "-", "y 3"]),
        ("file f x 333", "file f x 1", "file f x 22", "bytes f", file, ["f 3", "f 1", "f 2"]),
        (
            "file f x 333",
            "rename-file f y",
            "rename-file f z",
            "name f",
            file,
            ["f 3", "y 3", "z 3"],
        ),
        ("", "file f x 1", "file f x 22", "bytes f", file, ["f 1", "f 1", "f 2"]),
        (
            "reusable u 0 x",
            "delete-reusable u",
            "reusable u 2 x",
            "reusable u",
            reusable,
            ["0", "-", "2"],
        ),
        (
            "reusable u 0 x",
            "reusable u 1 x",
            "reusable u 2 x",
            "title u",
            reusable,
            ["0", "1", "2"],
        ),
        ("variable v 0", "variable v 1", "variable v -", "variable v", variable, ["0", "1", "-"]),
        (
            "",
            "redirect r 1",
            "redirect r 2",
            "redirect r",
            redirect,
            ["None", "Some(Path(\"1\"))", "Some(Path(\"2\"))"],
        ),
        ("", "source s 1", "source s 2", "source s", source, ["-", "Some(1)", "Some(2)"]),
    ]
}

/// Returns functions that show one part of a content.
fn shows() -> [Show; 8] {
    let tree: Show = |fixture, content| fixture.show(content, &names());
    let text: Show = |fixture, content| title(fixture, content, "a");
    let body: Show = |fixture, content| {
        let of = |text: &[u8]| Some(crate::Hash::of(text));
        let body = fixture.record(content, "a").unwrap().body;
        let known = [("0", of(b"0")), ("1", of(b"1")), ("2", of(b"2")), ("-", None)];
        known.iter().find(|(_, one)| *one == body).unwrap().0.to_owned()
    };
    let file: Show = |fixture, content| match fixture.file(content, "f") {
        Some(file) => format!("{} {}", file.name, file.size),
        None => "-".to_owned(),
    };
    let reusable: Show =
        |fixture, content| fixture.reusable(content, "u").map_or("-".to_owned(), |text| text.title);
    let variable: Show = |_, content| match content.variables.get("v") {
        Some(Variable::Text(text)) => text.clone(),
        _ => "-".to_owned(),
    };
    let redirect: Show =
        |fixture, content| format!("{:?}", content.redirect(&fixture.objects, "r").unwrap());
    let source: Show = |_, content| {
        let known = [crate::Hash::of(b"1"), crate::Hash::of(b"2")];
        let at = |hash| known.iter().position(|one| *one == hash).map(|at| at + 1);
        content.sources.first().map_or("-".to_owned(), |(_, hash)| format!("{:?}", at(*hash)))
    };
    [tree, text, body, file, reusable, variable, redirect, source]
}

#[test]
fn a_chosen_value_must_fit_the_subject() {
    let mut fixture = Fixture::default();
    let base = fixture.tree("a b");
    let content = merged(&mut fixture, &base, "title a 1", "title a 2");
    let value = |value| Choice::Value(Some(value));
    let third = value(Value::PageAttribute(PageValue::Title("3".to_owned())));
    let resolved = choose(&mut fixture, &content, 0, third.clone()).unwrap();
    assert_eq!(title(&fixture, &resolved, "a"), "3");
    assert_eq!(fixture.record(&resolved, "a").unwrap().updated_at, NOW);
    for wrong in [
        value(Value::PageAttribute(PageValue::Slug("3".to_owned()))),
        value(Value::Variable(Variable::Boolean(true))),
    ] {
        let refused = choose(&mut fixture, &content, 0, wrong);
        assert_eq!(refused, Err(ResolveError::WrongKind));
    }
    let key = fixture.conflicts(&content)[0].key().unwrap();
    let again =
        fixture.with_staging(|on| resolve(&resolved, on, &key, third, &mut WholeBodies, NOW));
    assert_eq!(again, Err(ResolveError::NotFound));
}

#[test]
fn impossible_choices_are_rejected() {
    let mut fixture = Fixture::default();
    let base = fixture.tree("a(b) c");
    let content = merged(&mut fixture, &base, "delete b", "move c under b");
    assert_eq!(fixture.show(&content, &names()), "a(c)");
    let refused = choose(&mut fixture, &content, 0, Choice::Theirs);
    assert_eq!(refused, Err(ResolveError::Tree(TreeError::NotFound(page("b")))));
    let all = |fixture: &mut Fixture, content: &Content, choice: Choice| {
        fixture.with_staging(|on| resolve_all(content, on, &choice, &mut WholeBodies, NOW).unwrap())
    };
    let left = all(&mut fixture, &content, Choice::Theirs);
    assert_eq!(open(&fixture, &left), "place c");
    let ours = all(&mut fixture, &content, Choice::Ours);
    assert_eq!(fixture.show(&ours, &names()), "a c");

    // Both moves of a cycle can be applied in one order only.
    let base = fixture.tree("a b");
    let content = merged(&mut fixture, &base, "move a under b", "move b under a");
    for (choice, expect) in
        [(Choice::Ours, "b(a)"), (Choice::Theirs, "a(b)"), (Choice::Base, "a b")]
    {
        let resolved = all(&mut fixture, &content, choice);
        assert_eq!(fixture.show(&resolved, &names()), expect);
        assert!(resolved.conflicts.is_empty());
    }
}

#[test]
fn editing_a_value_in_conflict_settles_it() {
    let clash = |title: &str| {
        format!(
            "title a {title}; body a {title}; move a under {title}; delete-file f{title}; variable v {title}"
        )
    };
    for (edit, left) in [
        ("emoji a 1f600; title b x; variable w 1", "body a, place a, title a, variable v"),
        ("title a 3", "body a, place a, variable v"),
        ("body a 3", "place a, title a, variable v"),
        ("move a under /", "body a, title a, variable v"),
        ("variable v 3", "body a, place a, title a"),
        ("delete a", "variable v"),
    ] {
        let mut fixture = Fixture::default();
        let base = fixture.tree("a b c");
        let content = merged(&mut fixture, &base, &clash("b"), &clash("c"));
        assert_eq!(open(&fixture, &content), "body a, place a, title a, variable v");
        assert_eq!(conflicts_of_page(&content, &fixture.objects, page("a")).unwrap().len(), 3);
        let edited = fixture.edit(&content, edit);
        let settled = fixture
            .with_staging(|staging| settle(&content, &edited, staging, &mut WholeBodies).unwrap());
        assert_eq!(open(&fixture, &settled), left, "{edit}");
    }
}

fn sides(fixture: &Fixture, content: &Content) -> Vec<[String; 3]> {
    let text = |value: &Option<Value>| match value {
        Some(Value::PageAttribute(PageValue::Title(title))) => title.clone(),
        other => format!("{other:?}"),
    };
    let titles = |one: Conflict| {
        assert_eq!(
            one.subject,
            Subject::Page(page("a"), PageSubject::Attribute(PageAttribute::Title))
        );
        [text(&one.sides.base), text(&one.sides.ours), text(&one.sides.theirs)]
    };
    fixture.conflicts(content).into_iter().map(titles).collect()
}

/// A change request with a conflict is updated again after the main content has changed.
#[test]
fn a_conflict_follows_changes_of_the_other_side() {
    for (edit, expect) in [
        ("title b x", vec![["0", "1", "2"]]),
        ("title a 3", vec![["0", "1", "3"]]),
        // The main content takes our value, or returns to the common base.
        ("title a 1", vec![]),
        ("title a 0", vec![]),
    ] {
        let mut fixture = Fixture::default();
        let tree = fixture.tree("a b");
        let base = fixture.edit(&tree, "title a 0");
        let (request, main) = (fixture.edit(&base, "title a 1"), fixture.edit(&base, "title a 2"));
        let request = fixture.merge(&base, &request, &main).content;
        let newer = fixture.edit(&main, edit);
        let updated = fixture.merge(&main, &request, &newer).content;
        assert_eq!(sides(&fixture, &updated), expect, "{edit}");
        assert_eq!(title(&fixture, &updated, "a"), "1");
    }
}

#[test]
fn conflicts_of_both_sides_stay_until_resolved() {
    let mut fixture = Fixture::default();
    let tree = fixture.tree("a b");
    let base = fixture.edit(&tree, "title a 0; title b 0");
    let content = merged(&mut fixture, &base, "title a 1; title b 1", "title a 2; title b 2");
    assert_eq!(open(&fixture, &content), "title a, title b");
    // One side resolves one of the conflicts, the other side makes another change.
    let resolved = choose(&mut fixture, &content, 0, Choice::Theirs).unwrap();
    let left = open(&fixture, &resolved);
    let other = fixture.edit(&content, "emoji b 1f600; add c under a");
    for (ours, theirs) in [(&resolved, &other), (&other, &resolved)] {
        let merged = fixture.merge(&content, ours, theirs);
        assert_eq!(open(&fixture, &merged.content), left);
        assert!(merged.conflicts.is_empty());
    }
    // Both sides find the conflict in different ways: both versions are kept.
    let base = fixture.edit(&tree, "title a 0");
    let one = merged(&mut fixture, &base, "title a 1", "title a 2");
    let two = merged(&mut fixture, &base, "title a 3", "title a 4");
    let both = fixture.merge(&base, &one, &two).content;
    let mut found = sides(&fixture, &both);
    found.sort_unstable();
    assert_eq!(found, [["0", "1", "2"], ["0", "1", "3"], ["0", "3", "4"]]);
    // Deleting a page removes its conflicts.
    let gone = fixture.edit(&one, "delete a");
    let gone =
        fixture.with_staging(|staging| settle(&one, &gone, staging, &mut WholeBodies).unwrap());
    assert_eq!(open(&fixture, &gone), "");
    let other = fixture.edit(&one, "title b x");
    let merged = fixture.merge(&one, &other, &gone).content;
    assert_eq!(open(&fixture, &merged), "");
}

/// Paths that both sides take, for each kind of item.
#[test]
fn one_path_for_two_sources_gets_a_number() {
    for (ours, theirs, expect) in [
        ("path a x.md", "path b x.md", ["x.md", "x-1.md"]),
        ("path b x.md", "path a x.md", ["x.md", "x-1.md"]),
        ("path b x.md", "add n under a; path n x.md", ["x.md", "x-1.md"]),
        ("file f x.md 1", "path a x.md", ["x.md", "x-1.md"]),
        ("file f x.md 1", "file g x.md 1", ["x.md", "x-1.md"]),
        ("path a y.md", "path b a.md; path b x.md", ["x.md", "y.md"]),
        ("delete a", "path b a2.md; file f a.md 1", ["a.md", "a2.md"]),
    ] {
        let mut fixture = Fixture::default();
        let base = fixture.tree("a b");
        let content = merged(&mut fixture, &base, ours, theirs);
        for path in expect {
            let found = content.at_path(&fixture.objects, path).unwrap();
            assert!(found.is_some(), "{ours} | {theirs} | {path}");
        }
        assert!(content.conflicts.is_empty());
    }
}

/// Files of a repository keep their paths, whichever page is older.
#[test]
fn sources_of_a_repository_keep_their_paths() {
    for (ours, theirs) in [
        ("path a x.md", "path b x.md"),
        ("path b x.md", "path a x.md"),
        ("file f x.md 1", "path a x.md"),
        ("path a x.md", "file f x.md 1"),
    ] {
        let mut fixture = Fixture::default();
        let base = fixture.tree("a b");
        let [ours, theirs] = [ours, theirs].map(|edits| fixture.edit(&base, edits));
        let content = fixture.with_staging(|staging| {
            let merged = merge_into_repository(&base, &ours, &theirs, staging, &mut WholeBodies);
            merged.unwrap().content
        });
        let at = |content: &Content, path| content.at_path(&fixture.objects, path).unwrap();
        assert_eq!(at(&content, "x.md"), at(&ours, "x.md"));
        assert_eq!(at(&content, "x-1.md"), at(&theirs, "x.md"));
    }
}
