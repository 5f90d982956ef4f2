//! Merges of difficult trees, as data.

use super::fixture::{Fixture, Names};

/// A base and two sides, with the merged tree and the subjects of conflicts when theirs is merged
/// into ours and when ours is merged into theirs.
struct Case {
    name: &'static str,
    base: &'static str,
    ours: &'static str,
    theirs: &'static str,
    tree: &'static str,
    mirrored: &'static str,
    conflicts: &'static str,
}

const NASTY: &[Case] = &[
    Case {
        name: "two moves in a circle",
        base: "a(x) b(y)",
        ours: "move a under y",
        theirs: "move b under x",
        tree: "b(y(a(x)))",
        mirrored: "a(x(b(y)))",
        conflicts: "place a, place b",
    },
    Case {
        name: "three moves in a circle",
        base: "a b c",
        ours: "move a under b; move b under c",
        theirs: "move c under a",
        tree: "c(b(a))",
        mirrored: "a(c) b",
        conflicts: "place a, place b, place c",
    },
    Case {
        name: "parent deleted, child edited",
        base: "a(b(c d) e) f",
        ours: "delete b",
        theirs: "title c New",
        tree: "a(c e) f",
        mirrored: "a(c e) f",
        conflicts: "page c",
    },
    Case {
        name: "parents deleted at several levels, grandchild edited",
        base: "a(b(c(d))) f",
        ours: "delete a",
        theirs: "body d new",
        tree: "d f",
        mirrored: "d f",
        conflicts: "page d",
    },
    Case {
        name: "parent deleted, page added in it",
        base: "a(b(c) e)",
        ours: "delete b",
        theirs: "add n under b; add m under n",
        tree: "a(n(m) e)",
        mirrored: "a(n(m) e)",
        conflicts: "place n",
    },
    Case {
        name: "parent deleted, page moved into it",
        base: "a(b(c)) x(y)",
        ours: "delete b",
        theirs: "move x under b",
        tree: "a(x(y))",
        mirrored: "a(x(y))",
        conflicts: "place x",
    },
    Case {
        name: "parent deleted, child moved out of it in time",
        base: "a(b(c(d))) x",
        ours: "delete b",
        theirs: "move c under x",
        tree: "a x(c)",
        mirrored: "a x(c)",
        conflicts: "page c",
    },
    Case {
        name: "moved under two parents, one of which is deleted by who moved it to the other",
        base: "a b c",
        ours: "move c under a; delete b",
        theirs: "move c under b; title b New",
        tree: "a(c) b",
        mirrored: "a b(c)",
        conflicts: "page b, place c",
    },
    Case {
        name: "two pages with one slug, one by renaming and one new",
        base: "a(b c)",
        ours: "slug c x; title c X",
        theirs: "add n under a; slug n x",
        tree: "a(b c/x n/x-1)",
        mirrored: "a(b c/x n/x-1)",
        conflicts: "",
    },
    Case {
        name: "slugs swapped on one side, one of them renamed on the other",
        base: "a b",
        ours: "slug a t; slug b a; slug a b",
        theirs: "slug b z",
        tree: "a/b b/a",
        mirrored: "a/b b/z",
        conflicts: "slug b",
    },
    Case {
        name: "lifted beside a page of its slug",
        base: "b(c d)",
        ours: "delete b; add n under /; slug n c",
        theirs: "title c New",
        tree: "c n/c-1",
        mirrored: "c n/c-1",
        conflicts: "page c",
    },
    Case {
        name: "moved under what the other side moved under something else",
        base: "a b c d",
        ours: "move a under b; move c under d",
        theirs: "move b under c",
        tree: "d(c(b(a)))",
        mirrored: "d(c(b(a)))",
        conflicts: "",
    },
    Case {
        name: "a move that a deletion turns into a circle",
        base: "a(d) x",
        ours: "move x under /; move a under x; delete d",
        theirs: "move x under d",
        tree: "x(a)",
        mirrored: "a(x)",
        conflicts: "place a, place x",
    },
];

const PLAIN: &[Case] = &[
    Case {
        name: "insertions at one spot stay together, the older first",
        base: "a b",
        ours: "add x after a; add y after x",
        theirs: "add p after a; add q after p",
        tree: "a x y p q b",
        mirrored: "a x y p q b",
        conflicts: "",
    },
    Case {
        name: "appended by both",
        base: "a(b)",
        ours: "add x under a; add y under a",
        theirs: "add p under a",
        tree: "a(b x y p)",
        mirrored: "a(b x y p)",
        conflicts: "",
    },
    Case {
        name: "appended behind what the other side deleted",
        base: "a b c",
        ours: "delete c; delete b",
        theirs: "add x under /",
        tree: "a x",
        mirrored: "a x",
        conflicts: "",
    },
    Case {
        name: "put behind what the other side moved away",
        base: "a b c d",
        ours: "move b after d",
        theirs: "add x after b",
        tree: "a x c d b",
        mirrored: "a x c d b",
        conflicts: "",
    },
    Case {
        name: "one page to two positions of the same parent",
        base: "a b c d",
        ours: "move a after b",
        theirs: "move a after c",
        tree: "b a c d",
        mirrored: "b c a d",
        conflicts: "place a",
    },
    Case {
        name: "both moved a page to the same place",
        base: "a b c d",
        ours: "move a after c; title b B",
        theirs: "move a after c",
        tree: "b c a d",
        mirrored: "b c a d",
        conflicts: "",
    },
    Case {
        name: "a whole section moved while pages are added and sorted in it",
        base: "a(b c d) e",
        ours: "move a under e",
        theirs: "move d before b; add n under a; title c C",
        tree: "e(a(d b c n))",
        mirrored: "e(a(d b c n))",
        conflicts: "",
    },
    Case {
        name: "sorted among siblings is no reason to survive a deletion",
        base: "a b c",
        ours: "delete c",
        theirs: "move c before a",
        tree: "a b",
        mirrored: "a b",
        conflicts: "",
    },
    Case {
        name: "the edited parent stays, what was only deleted goes",
        base: "a(b c)",
        ours: "delete a",
        theirs: "title a New; add n under a",
        tree: "a(n)",
        mirrored: "a(n)",
        conflicts: "page a",
    },
    Case {
        name: "attributes one by one",
        base: "a",
        ours: "title a A; tag a x",
        theirs: "slug a b; body a text; tag a c",
        tree: "a/b",
        mirrored: "a/b",
        conflicts: "",
    },
    Case {
        name: "attributes that clash",
        base: "a",
        ours: "title a A; slug a x; body a one; emoji a 1f600",
        theirs: "title a B; slug a y; body a two; emoji a 1f600",
        tree: "a/x",
        mirrored: "a/y",
        conflicts: "body a, slug a, title a",
    },
];

fn check(case: &Case) {
    let Case { name, base, ours, theirs, tree, mirrored, conflicts } = case;
    let names = Names::of(&[base, ours, theirs]);
    let mut fixture = Fixture::default();
    let base = fixture.tree(base);
    let (a, b) = (fixture.edit(&base, ours), fixture.edit(&base, theirs));
    for (ours, theirs, tree) in [(&a, &b, tree), (&b, &a, mirrored)] {
        let merged = fixture.merge(&base, ours, theirs);
        let shown = (fixture.show(&merged.content, &names), names.show(&merged.conflicts));
        assert_eq!(shown, ((*tree).to_owned(), (*conflicts).to_owned()), "{name}");
    }
}

#[test]
fn difficult_merges_of_trees() {
    NASTY.iter().for_each(check);
}

#[test]
fn simple_merges_of_trees() {
    PLAIN.iter().for_each(check);
}
