//! Properties of merges of random trees with random histories.

use std::collections::{BTreeMap, BTreeSet};

use bindery_model::{PageId, Timestamp};
use proptest::prelude::*;
use proptest::sample::Index;

use super::fixture::{Fixture, page, pages};
use crate::content::Content;
use crate::merge::{
    Choice, Conflict, MergeResult, PageSubject, Subject, Value, WholeBodies, resolve_all, settle,
};
use crate::record::{PageAttribute, PageRecord, PageValue};
use crate::tree::Tree;
use crate::tree::tests::invariants;

/// An edit: its kind, and indices that select its arguments.
type Step = (u8, Index, Index);

fn steps(most: usize) -> impl Strategy<Value = Vec<Step>> {
    prop::collection::vec((0u8..24, any::<Index>(), any::<Index>()), 0..most)
}

/// Generates the parents of the initial pages: the index of a parent for each page number.
fn trees() -> impl Strategy<Value = Vec<Index>> {
    prop::collection::vec(any::<Index>(), 1..12)
}

/// Creates a random space with pages `p0`, `p1`, …
fn plant(fixture: &mut Fixture, parents: &[Index]) -> Content {
    let mut content = Fixture::empty();
    for (number, parent) in parents.iter().enumerate() {
        let under = match parent.index(number + 1) {
            0 => "/".to_owned(),
            other => format!("p{}", other - 1),
        };
        content = fixture.edit(&content, &format!("add p{number} under {under}"));
    }
    fixture.edit(&content, "file f0 f0.txt x; variable v0 x; redirect r0 x; reusable u0 x x")
}

/// An author of edits, identified by a letter.
struct Author {
    letter: char,
    made: usize,
    /// The page that all edits of the author are under, if they are restricted to one.
    home: Option<&'static str>,
}

impl Author {
    fn new(letter: char) -> Self {
        Self { letter, made: 0, home: None }
    }

    fn edit(&mut self, fixture: &mut Fixture, content: &Content, steps: &[Step]) -> Content {
        let mut content = content.clone();
        for step in steps {
            if let Some(edit) = self.apply_edit(fixture, &content, step) {
                content = fixture.edit(&content, &edit);
            }
        }
        content
    }

    /// Returns the pages that the author can edit, without their home page.
    fn reach(&self, fixture: &Fixture, content: &Content) -> Vec<String> {
        let tree = Tree::new(content, &fixture.objects);
        let home = self.home.map(page);
        let below = |id: PageId| {
            home.is_none_or(|home| tree.ancestors(id).unwrap().iter().any(|one| one.id == home))
        };
        let all = pages(fixture, content).into_values().filter(|one| below(one.id));
        all.map(|one| fixture.name(one.id)).collect()
    }

    fn apply_edit(&mut self, fixture: &Fixture, content: &Content, step: &Step) -> Option<String> {
        let (kind, what, whither) = step;
        let known = self.reach(fixture, content);
        let one = (!known.is_empty()).then(|| what.get(&known).clone());
        let other = (!known.is_empty()).then(|| whither.get(&known).clone());
        let top = self.home.unwrap_or("/");
        let under = match whither.index(known.len() + 1) {
            0 => top.to_owned(),
            at => known[at - 1].clone(),
        };
        let side = if kind % 2 == 0 { "before" } else { "after" };
        let number = whither.index(3);
        let mine = match self.home {
            Some(_) => format!("{}{number}", self.letter),
            None => number.to_string(),
        };
        Some(match kind {
            0..3 => {
                self.made += 1;
                format!("add {}{} under {under}", self.letter, self.made)
            }
            3..5 => {
                self.made += 1;
                format!("add {}{} {side} {}", self.letter, self.made, other?)
            }
            5..7 => {
                let one = one?;
                self.may_move(fixture, content, &one, &under)
                    .then(|| format!("move {one} under {under}"))?
            }
            7..10 => {
                let (one, other) = (one?, other?);
                let tree = Tree::new(content, &fixture.objects);
                let under = tree.page(page(&other)).unwrap().parent;
                let under = under.map_or_else(|| "/".to_owned(), |under| fixture.name(under));
                (one != other && self.may_move(fixture, content, &one, &under))
                    .then(|| format!("move {one} {side} {other}"))?
            }
            10..12 => format!("delete {}", one?),
            12..14 => format!("title {} {}{number}", one?, self.letter),
            14..16 => format!("slug {} s{number}", one?),
            16 => format!("body {} {}{number}", one?, self.letter),
            17 => format!("tag {} {}{number}", one?, self.letter),
            18 => {
                let path = format!("s{mine}.md");
                let free = content.at_path(&fixture.objects, &path).unwrap().is_none();
                let one = one.filter(|_| free)?;
                format!("path {one} {path}")
            }
            19 => {
                let path = format!("f{mine}.txt");
                let name = format!("f{mine}");
                let own = fixture.file(content, &name).and_then(|file| file.path);
                let free = content.at_path(&fixture.objects, &path).unwrap().is_none();
                (free || own == Some(path.clone()))
                    .then(|| format!("file {name} {path} {}", what.index(9)))?
            }
            20 => format!("delete-file f{mine}"),
            21 => format!("variable v{mine} {}", ["-", "a", "b"][what.index(3)]),
            22 => format!("redirect r{mine} {}", ["-", "a", "b"][what.index(3)]),
            _ => match what.index(3) {
                0 => format!("source o{mine} {}{number}", self.letter),
                1 => format!("delete-reusable u{mine}"),
                _ => format!("reusable u{mine} {}{number} {number}", self.letter),
            },
        })
    }

    fn may_move(&self, fixture: &Fixture, content: &Content, one: &str, under: &str) -> bool {
        if under == "/" {
            return true;
        }
        let above = Tree::new(content, &fixture.objects).ancestors(page(under)).unwrap();
        one != under && above.iter().all(|ancestor| ancestor.id != page(one))
    }
}

/// The three contents of a merge with all of their pages, and the result.
struct Checked<'c> {
    sides: [(BTreeMap<PageId, PageRecord>, &'c Content); 3],
    merged: BTreeMap<PageId, PageRecord>,
    result: &'c MergeResult,
    conflicts: BTreeMap<Subject, Conflict>,
}

impl<'c> Checked<'c> {
    fn new(fixture: &Fixture, contents: [&'c Content; 3], result: &'c MergeResult) -> Self {
        Self {
            sides: contents.map(|content| (pages(fixture, content), content)),
            merged: pages(fixture, &result.content),
            result,
            conflicts: result
                .conflicts
                .iter()
                .map(|one| (one.subject.clone(), one.clone()))
                .collect(),
        }
    }

    /// A simple three-way merge of each page on its own determines which pages must exist.
    fn nothing_is_lost(&self) {
        let [(base, _), (ours, _), (theirs, _)] = &self.sides;
        for (side, other) in [(ours, theirs), (theirs, ours)] {
            for (id, page) in side {
                let was = base.get(id);
                let changed = was
                    .is_none_or(|was| was.parent != page.parent || !was.differing(page).is_empty());
                let merged = self.merged.get(id);
                if !changed && !other.contains_key(id) {
                    assert_eq!(merged, None, "a page that was only deleted is deleted");
                    continue;
                }
                let merged = merged.expect("a page that both have or one changed exists");
                for attribute in PageAttribute::ALL {
                    let value = page.get(*attribute);
                    let said = was.is_none_or(|was| was.get(*attribute) != value);
                    if said || !other.contains_key(id) {
                        self.keeps(*id, page, merged, *attribute, &value);
                    }
                }
                let moved = was.is_none_or(|was| was.parent != page.parent);
                let told = |of| self.conflicts.contains_key(&Subject::Page(*id, of));
                assert!(
                    !moved
                        || merged.parent == page.parent
                        || told(PageSubject::Position)
                        || told(PageSubject::Existence),
                    "every move is made or told"
                );
            }
        }
        assert!(self.merged.keys().all(|id| ours.contains_key(id) || theirs.contains_key(id)));
    }

    /// Asserts that the value a side gave an attribute is in the result or in a conflict.
    fn keeps(
        &self,
        id: PageId,
        page: &PageRecord,
        merged: &PageRecord,
        attribute: PageAttribute,
        value: &PageValue,
    ) {
        let told = |of| self.conflicts.get(&Subject::Page(id, of));
        let has = |conflict: Option<&Conflict>, value: &Value| {
            conflict.is_some_and(|one| {
                [&one.sides.ours, &one.sides.theirs].contains(&&Some(value.clone()))
            })
        };
        let existence = Value::Page(Box::new(page.clone()));
        let kept = merged.get(attribute) == *value
            || has(told(PageSubject::Attribute(attribute)), &Value::PageAttribute(value.clone()))
            || has(told(PageSubject::Existence), &existence)
            || match value {
                PageValue::Document(Some(body)) => {
                    has(told(PageSubject::Part(String::new())), &Value::Part(*body))
                }
                PageValue::Slug(slug) => self
                    .result
                    .renumbered
                    .iter()
                    .any(|one| one.page == id && one.wanted == *slug && one.slug == merged.slug),
                PageValue::SourcePath(Some(path)) => merged
                    .source_path
                    .as_ref()
                    .is_some_and(|merged| merged.starts_with(path.trim_end_matches(".md"))),
                // Tags are merged as a set.
                PageValue::Tags(_) => true,
                _ => false,
            };
        assert!(kept, "{attribute:?} of a side is gone: {value:?}");
    }

    /// Siblings that the other side did not move are in the order of this side.
    fn order_is_kept(&self, fixture: &Fixture) {
        let [(base, _), sides @ ..] = &self.sides;
        for at in 0..2 {
            let (side, _) = &sides[at];
            let (other, _) = &sides[1 - at];
            for parent in self.merged.keys().map(|id| Some(*id)).chain([None]) {
                let place = |page: &PageRecord| (page.parent, page.order.clone());
                let order: Vec<_> = Tree::new(&self.result.content, &fixture.objects)
                    .children(parent)
                    .map(|child| child.unwrap().id)
                    .filter(|id| side.get(id).is_some_and(|page| page.parent == parent))
                    .filter(|id| other.get(id).map(place) == base.get(id).map(place))
                    .filter(|id| {
                        !self.conflicts.contains_key(&Subject::Page(*id, PageSubject::Position))
                    })
                    .map(|id| side[&id].order.clone())
                    .collect();
                assert!(order.is_sorted(), "{order:?}");
            }
        }
    }

    /// Every conflict has the values of the three contents.
    fn conflicts_are_true(&self) {
        for Conflict { subject, sides, .. } in &self.result.conflicts {
            let Subject::Page(id, of) = subject else { continue };
            let values = [&sides.base, &sides.ours, &sides.theirs];
            for ((pages, _), value) in self.sides.iter().zip(values) {
                let page = pages.get(id);
                let expect = match of {
                    PageSubject::Existence => page.map(|one| Value::Page(Box::new(one.clone()))),
                    PageSubject::Position => {
                        page.map(|one| Value::Position(crate::merge::PagePosition::of(one)))
                    }
                    PageSubject::Attribute(of) => {
                        page.map(|one| Value::PageAttribute(one.get(*of)))
                    }
                    PageSubject::Part(_) => page.and_then(|one| one.body).map(Value::Part),
                };
                assert_eq!(value, &expect);
            }
        }
    }
}

fn mirrored(conflicts: &[Conflict]) -> Vec<Conflict> {
    let mirror = |one: &Conflict| Conflict { sides: one.sides.clone().mirrored(), ..one.clone() };
    conflicts.iter().map(mirror).collect()
}

/// Returns the pages of which a conflict concerns the existence.
fn pages_in_conflict(fixture: &Fixture, content: &Content) -> BTreeSet<PageId> {
    let conflicts = fixture.conflicts(content).into_iter();
    conflicts
        .filter(|one| matches!(one.subject, Subject::Page(_, PageSubject::Existence)))
        .filter_map(|one| one.subject.page())
        .collect()
}

fn is_place(conflict: &Conflict) -> bool {
    matches!(conflict.subject, Subject::Page(_, PageSubject::Position))
}

proptest! {
    #[test]
    fn merges_of_two_authors_lose_nothing(parents in trees(), a in steps(10), b in steps(10)) {
        let mut fixture = Fixture::default();
        let base = plant(&mut fixture, &parents);
        fixture.note("ours");
        let ours = Author::new('a').edit(&mut fixture, &base, &a);
        fixture.note("theirs");
        let theirs = Author::new('b').edit(&mut fixture, &base, &b);
        let merged = fixture.merge(&base, &ours, &theirs);
        assert_eq!(&fixture.merge(&base, &ours, &theirs), &merged);
        assert_eq!(fixture.conflicts(&merged.content).len(), merged.conflicts.len());
        let checked = Checked::new(&fixture, [&base, &ours, &theirs], &merged);
        checked.nothing_is_lost();
        checked.order_is_kept(&fixture);
        checked.conflicts_are_true();

        let other = fixture.merge(&base, &theirs, &ours);
        if merged.conflicts.is_empty() {
            assert_eq!(&other, &merged);
        }
        // The side that a position is taken from can decide whether other moves form a cycle.
        let circle = merged.conflicts.iter().chain(&other.conflicts).any(is_place);
        let told = |mut conflicts: Vec<Conflict>| {
            conflicts.retain(|one| !circle || !is_place(one));
            conflicts
        };
        assert_eq!(told(mirrored(&other.conflicts)), told(merged.conflicts.clone()));
        for unchanged in [fixture.merge(&base, &ours, &base), fixture.merge(&base, &base, &ours)] {
            assert_eq!(&unchanged.content, &ours);
            assert!(unchanged.conflicts.is_empty());
        }

        // Merging the same change again, in either direction, has no effect.
        let again = fixture.merge(&theirs, &merged.content, &theirs);
        assert_eq!(&again.content, &merged.content);
    }

    /// If authors edit under different pages, any order of merges equals editing one after the
    /// other.
    #[test]
    fn disjoint_edits_commute(
        shapes in prop::collection::vec(trees(), 3),
        edits in prop::collection::vec(steps(10), 3),
    ) {
        let mut fixture = Fixture::default();
        let mut authors =
            [("a", 'a'), ("b", 'b'), ("c", 'c')].map(|(home, letter)| Author { letter, made: 0, home: Some(home) });
        let mut base = Fixture::empty();
        for (author, shape) in authors.iter_mut().zip(&shapes) {
            base = fixture.edit(&base, &format!("add {} under /", author.letter));
            let plant: Vec<Step> = shape.iter().map(|one| (0, *one, *one)).collect();
            base = author.edit(&mut fixture, &base, &plant);
        }
        let mut replayed = base.clone();
        let mut sides = Vec::new();
        for (author, steps) in authors.iter_mut().zip(&edits) {
            let made = author.made;
            sides.push(author.edit(&mut fixture, &base, steps));
            author.made = made;
        }
        let [a, b, c] = &sides[..] else { unreachable!() };
        for (author, steps) in authors.iter_mut().zip(&edits) {
            replayed = author.edit(&mut fixture, &replayed, steps);
        }
        let ab = fixture.merge(&base, a, b).content;
        let bc = fixture.merge(&base, b, c).content;
        let all = fixture.merge(&base, &ab, c);
        assert!(all.conflicts.is_empty() && all.renumbered.is_empty());
        assert_eq!(&fixture.merge(&base, b, a).content, &ab);
        assert_eq!(&fixture.merge(&base, a, &bc).content, &all.content);
        let timeless = |content: &Content| -> Vec<PageRecord> {
            let page = |mut page: PageRecord| {
                page.created_at = Timestamp::from_millis(0);
                page.updated_at = Timestamp::from_millis(0);
                page
            };
            pages(&fixture, content).into_values().map(page).collect()
        };
        assert_eq!(timeless(&all.content), timeless(&replayed));
        let beside = |content: &Content| (content.files, content.redirects, content.paths);
        assert_eq!(beside(&all.content), beside(&replayed));
        assert_eq!(&all.content.variables, &replayed.variables);
        assert_eq!(&all.content.sources, &replayed.sources);
    }

    /// A main content and change requests that are updated, resolved and merged many times.
    #[test]
    fn long_histories_lose_no_pages(
        parents in trees(),
        rounds in prop::collection::vec((0usize..3, steps(6), 0u8..6, 0u8..4), 1..10),
    ) {
        let mut fixture = Fixture::default();
        let mut main = plant(&mut fixture, &parents);
        let mut requests = vec![(main.clone(), main.clone()); 2];
        let mut authors = ['m', 'x', 'y'].map(Author::new);
        let mut expected: BTreeSet<PageId> = pages(&fixture, &main).into_keys().collect();
        for (who, steps, then, how) in rounds {
            let edited = if who == 0 { &mut main } else { &mut requests[who - 1].1 };
            let before = edited.clone();
            fixture.note(format!("{who}, then {then} {how}"));
            let after = authors[who].edit(&mut fixture, &before, &steps);
            *edited = fixture.with_staging(|staging| settle(&before, &after, staging, &mut WholeBodies).unwrap());
            let (old, new) = (pages(&fixture, &before), pages(&fixture, edited));
            expected.extend(new.keys().filter(|id| !old.contains_key(id)));
            expected.retain(|id| new.contains_key(id) || !old.contains_key(id));
            invariants(edited, &fixture.objects);
            if who == 0 || then == 0 {
                continue;
            }
            // The change request is updated with the main content.
            let (ancestor, request) = requests[who - 1].clone();
            let updated = fixture.merge(&ancestor, &request, &main).content;
            requests[who - 1] = (main.clone(), updated.clone());
            if then == 1 {
                continue;
            }
            let choice = [Choice::Ours, Choice::Theirs, Choice::Base, Choice::Current][usize::from(how)].clone();
            let subjects = pages_in_conflict(&fixture, &updated);
            let now = Timestamp::from_millis(1_000_000);
            let resolved = fixture.with_staging(|staging| {
                let left = resolve_all(&updated, staging, &choice, &mut WholeBodies, now).unwrap();
                resolve_all(&left, staging, &Choice::Current, &mut WholeBodies, now).unwrap()
            });
            invariants(&resolved, &fixture.objects);
            assert!(resolved.conflicts.is_empty());
            let now = pages(&fixture, &resolved);
            for id in pages(&fixture, &updated).keys().filter(|id| !now.contains_key(id)) {
                assert!(subjects.contains(id), "only what was in conflict can go");
                expected.remove(id);
            }
            requests[who - 1].1 = resolved.clone();
            if then > 3 {
                let merged = fixture.merge(&main.clone(), &main, &resolved);
                assert!(merged.conflicts.is_empty());
                assert_eq!(&merged.content, &resolved);
                main = merged.content;
                requests[who - 1] = (main.clone(), main.clone());
            }
        }
        for (ancestor, request) in requests {
            main = fixture.merge(&ancestor, &main, &request).content;
        }
        let left = pages(&fixture, &main);
        let lost: Vec<_> = expected.iter().filter(|id| !left.contains_key(id)).collect();
        assert!(lost.is_empty(), "{} pages are lost", lost.len());
    }
}
