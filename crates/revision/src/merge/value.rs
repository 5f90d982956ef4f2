//! Three-way merges of single values, by field or by element where the type allows.

use std::collections::BTreeSet;

use crate::object::Hash;
use crate::record::{Cover, Dimensions, Layout, MetaLinks, PageKind, PageTag, Variable, Variables};

/// A value that both sides can change.
pub(crate) trait ThreeWay: Clone + PartialEq {
    /// Returns the merged value, and `true` if the sides changed it differently; it then has the
    /// value of `ours`. Without a base, both sides are taken to have created it.
    fn merge(base: Option<&Self>, ours: &Self, theirs: &Self) -> (Self, bool) {
        merge_value(base, ours, theirs)
    }
}

/// Takes the value of the side that changed it.
pub(super) fn merge_value<T: Clone + PartialEq>(
    base: Option<&T>,
    ours: &T,
    theirs: &T,
) -> (T, bool) {
    if ours == theirs || base == Some(theirs) {
        (ours.clone(), false)
    } else if base == Some(ours) {
        (theirs.clone(), false)
    } else {
        (ours.clone(), true)
    }
}

impl ThreeWay for bool {}
impl ThreeWay for u64 {}
impl ThreeWay for String {}
impl ThreeWay for Option<String> {}
impl ThreeWay for Hash {}
impl ThreeWay for Option<Hash> {}
impl ThreeWay for Option<Dimensions> {}
impl ThreeWay for PageKind {}

/// Merges structs field by field. The macro constructs the struct, so that a new field fails to
/// compile until it is added.
macro_rules! by_field {
    ($type:ident, $base:ident, $ours:ident, $theirs:ident; $($field:ident)*) => {{
        let mut clash = false;
        $(
            let (value, clashes) =
                merge_value($base.map(|base| &base.$field), &$ours.$field, &$theirs.$field);
            let $field = value;
            clash |= clashes;
        )*
        ($type { $($field,)* }, clash)
    }};
}

impl ThreeWay for Layout {
    fn merge(base: Option<&Self>, ours: &Self, theirs: &Self) -> (Self, bool) {
        by_field!(Layout, base, ours, theirs; width cover cover_size cover_mask title description
            table_of_contents outline pagination metadata tags actions anchors)
    }
}

impl ThreeWay for MetaLinks {
    fn merge(base: Option<&Self>, ours: &Self, theirs: &Self) -> (Self, bool) {
        by_field!(MetaLinks, base, ours, theirs; canonical alternates)
    }
}

impl ThreeWay for Option<Cover> {
    fn merge(base: Option<&Self>, ours: &Self, theirs: &Self) -> (Self, bool) {
        let (Some(Some(base)), Some(ours), Some(theirs)) = (base, ours, theirs) else {
            return merge_value(base, ours, theirs);
        };
        let base = Some(base);
        let (cover, clash) = by_field!(Cover, base, ours, theirs; image image_dark y_pos height);
        (Some(cover), clash)
    }
}

impl ThreeWay for Variables {
    fn merge(base: Option<&Self>, ours: &Self, theirs: &Self) -> (Self, bool) {
        let mut merged = Self::new();
        let mut clash = false;
        let names: BTreeSet<&String> = ours.keys().chain(theirs.keys()).collect();
        for name in names {
            let before: Option<Option<&Variable>> = base.map(|base| base.get(name));
            // A variable that is not in the base is absent there, not unknown.
            let before = before.unwrap_or_default();
            let (value, clashes) = merge_value(Some(&before), &ours.get(name), &theirs.get(name));
            clash |= clashes;
            if let Some(value) = value {
                merged.insert(name.clone(), value.clone());
            }
        }
        (merged, clash)
    }
}

/// Merges tags as a set: tags that a side added are added, tags that a side removed are removed.
impl ThreeWay for Vec<PageTag> {
    fn merge(base: Option<&Self>, ours: &Self, theirs: &Self) -> (Self, bool) {
        let (taken, clash) = merge_value(base, ours, theirs);
        if !clash {
            return (taken, false);
        }
        let find = |tags: &Self, tag: &str| tags.iter().find(|one| one.tag == tag).cloned();
        let before = base.map(Vec::as_slice).unwrap_or_default();
        let mut added: Vec<&str> = ours.iter().chain(theirs).map(|one| &one.tag[..]).collect();
        added.retain(|tag| !before.iter().any(|one| one.tag == *tag));
        added.sort_unstable();
        let mut seen = BTreeSet::new();
        let (mut merged, mut clash) = (Self::new(), false);
        for tag in before.iter().map(|one| &one.tag[..]).chain(added) {
            if seen.insert(tag) {
                let was = before.iter().find(|one| one.tag == tag).cloned();
                let (kept, clashes) = merge_value(Some(&was), &find(ours, tag), &find(theirs, tag));
                clash |= clashes;
                merged.extend(kept);
            }
        }
        (merged, clash)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::LayoutWidth;

    fn tags(text: &str) -> Vec<PageTag> {
        let tag = |word: &str| match word.strip_suffix('!') {
            Some(word) => PageTag { tag: word.to_owned(), primary: Some(true) },
            None => PageTag { tag: word.to_owned(), primary: None },
        };
        text.split_whitespace().map(tag).collect()
    }

    #[test]
    fn tags_are_a_set() {
        for (base, ours, theirs, expect, clash) in [
            ("a b", "b a", "a b", "b a", false),
            ("a b", "a b x", "a b c", "a b c x", false),
            ("a b", "b", "a b c", "b c", false),
            ("a b", "b", "a", "", false),
            ("a", "a! b", "a b", "a! b", false),
            ("a!", "a x", "", "a x", true),
            ("", "x!", "x", "x!", true),
        ] {
            let merge = ThreeWay::merge(Some(&tags(base)), &tags(ours), &tags(theirs));
            assert_eq!(merge, (tags(expect), clash), "{base} | {ours} | {theirs}");
        }
    }

    #[test]
    fn variables_merge_by_name() {
        let set = |text: &str| -> Variables {
            let pair = |word: &str| {
                let (name, value) = word.split_once('=').unwrap();
                (name.to_owned(), Variable::Text(value.to_owned()))
            };
            text.split_whitespace().map(pair).collect()
        };
        for (base, ours, theirs, expect, clash) in [
            ("a=1 b=1", "a=2 b=1", "a=1 b=3", "a=2 b=3", false),
            ("a=1 b=1", "b=1", "a=1 b=1 c=1", "b=1 c=1", false),
            ("a=1", "a=2", "a=3", "a=2", true),
            ("a=1", "", "a=3", "", true),
            ("", "a=2", "a=2", "a=2", false),
        ] {
            let merge = ThreeWay::merge(Some(&set(base)), &set(ours), &set(theirs));
            assert_eq!(merge, (set(expect), clash), "{base} | {ours} | {theirs}");
        }
    }

    #[test]
    fn structs_merge_by_field() {
        let base = Layout::default();
        let ours = Layout { title: false, ..base.clone() };
        let theirs = Layout { width: LayoutWidth::Wide, ..base.clone() };
        let (merged, clash) = ThreeWay::merge(Some(&base), &ours, &theirs);
        assert!(!clash && !merged.title && merged.width == LayoutWidth::Wide && merged.outline);
        let cover = |y_pos, height| Some(Cover { y_pos, height, ..Cover::default() });
        let merge =
            ThreeWay::merge(Some(&cover(0.0, None)), &cover(1.0, None), &cover(0.0, Some(2.0)));
        assert_eq!(merge, (cover(1.0, Some(2.0)), false));
        let merge = ThreeWay::merge(Some(&cover(0.0, None)), &cover(1.0, None), &cover(2.0, None));
        assert_eq!(merge, (cover(1.0, None), true));
        assert!(ThreeWay::merge(Some(&None), &cover(1.0, None), &cover(2.0, None)).1);
    }
}
