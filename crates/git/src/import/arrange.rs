//! Assigns order keys and slugs to the planned pages, and keeps the previous ones that are still
//! valid.

use std::collections::{HashMap, HashSet};

use bindery_model::PageId;
use bindery_revision::tree::numbered;
use bindery_revision::{OrderKey, PageRecord};

/// Sets the order and the slug of pages. The pages come in reading order, each with its preferred
/// slug. `old` holds the previous pages.
pub(super) fn arrange(pages: &mut [Box<PageRecord>], old: &HashMap<PageId, PageRecord>) {
    let mut families: HashMap<Option<PageId>, Vec<usize>> = HashMap::new();
    for (at, page) in pages.iter().enumerate() {
        families.entry(page.parent).or_default().push(at);
    }
    for (parent, family) in families {
        let before: Vec<Option<&PageRecord>> = family
            .iter()
            .map(|at| {
                let old = pages.get(*at).and_then(|page| old.get(&page.id));
                old.filter(|old| old.parent == parent)
            })
            .collect();
        let orders: Vec<Option<&OrderKey>> =
            before.iter().map(|old| old.map(|old| &old.order)).collect();
        let orders = keep_in_order(&orders);
        let wanted: Vec<&str> =
            family.iter().filter_map(|at| pages.get(*at)).map(|p| p.slug.as_str()).collect();
        let slugs: Vec<Option<&str>> =
            before.iter().map(|old| old.map(|old| old.slug.as_str())).collect();
        let slugs = keep_slugs(&wanted, &slugs);
        for ((at, order), slug) in family.into_iter().zip(orders).zip(slugs) {
            if let Some(page) = pages.get_mut(at) {
                page.order = order;
                page.slug = slug;
            }
        }
    }
}

/// Returns order keys for a list of siblings. As many siblings as possible keep their keys; the
/// others get keys in between.
fn keep_in_order(before: &[Option<&OrderKey>]) -> Vec<OrderKey> {
    let kept = longest_ascending(before);
    let mut keys: Vec<OrderKey> = Vec::with_capacity(before.len());
    let mut from = 0;
    for end in kept.into_iter().map(Some).chain([None]) {
        let until = end.unwrap_or(before.len());
        let high = end.and_then(|end| before.get(end).copied().flatten());
        let spread = OrderKey::spread(keys.last(), high, until - from);
        keys.extend(spread);
        keys.extend(high.cloned());
        from = until + 1;
    }
    keys
}

/// Returns the positions of a longest ascending subsequence of keys.
fn longest_ascending(keys: &[Option<&OrderKey>]) -> Vec<usize> {
    // For each length, the position at which a subsequence of that length ends with the smallest
    // key.
    let mut ends: Vec<usize> = Vec::new();
    let mut before: Vec<Option<usize>> = vec![None; keys.len()];
    let key = |at: usize| keys.get(at).copied().flatten();
    for at in 0..keys.len() {
        let Some(here) = key(at) else { continue };
        let length = ends.partition_point(|end| key(*end).is_some_and(|end| end < here));
        if let Some(slot) = before.get_mut(at) {
            *slot = length.checked_sub(1).and_then(|last| ends.get(last).copied());
        }
        match ends.get_mut(length) {
            Some(end) => *end = at,
            None => ends.push(at),
        }
    }
    let mut series = Vec::with_capacity(ends.len());
    let mut at = ends.last().copied();
    while let Some(position) = at {
        series.push(position);
        at = before.get(position).copied().flatten();
    }
    series.reverse();
    series
}

/// Returns slugs for a list of siblings. A previous slug is kept if it is the preferred one or that
/// with a number.
fn keep_slugs(wanted: &[&str], before: &[Option<&str>]) -> Vec<String> {
    let mut taken: HashSet<String> = HashSet::new();
    let mut slugs: Vec<Option<String>> = wanted
        .iter()
        .zip(before)
        .map(|(wanted, before)| {
            let kept = before.filter(|before| is_numbered(before, wanted))?.to_owned();
            taken.insert(kept.clone()).then_some(kept)
        })
        .collect();
    let mut numbers: HashMap<&str, u64> = HashMap::new();
    for (slug, wanted) in slugs.iter_mut().zip(wanted) {
        if slug.is_some() {
            continue;
        }
        let mut next = (*wanted).to_owned();
        while !taken.insert(next.clone()) {
            let number = numbers.entry(wanted).or_insert(0);
            *number += 1;
            next = numbered(wanted, *number);
        }
        *slug = Some(next);
    }
    slugs.into_iter().flatten().collect()
}

/// Returns `true` if a slug is the preferred one, optionally with a number.
fn is_numbered(slug: &str, wanted: &str) -> bool {
    slug == wanted
        || slug
            .rsplit_once('-')
            .and_then(|(_, number)| number.parse().ok())
            .is_some_and(|number| slug == numbered(wanted, number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moving_one_page_changes_one_key() {
        let keys = OrderKey::spread(None, None, 5);
        for (order, moved) in [
            (&[0, 1, 2, 3, 4][..], &[][..]),
            (&[4, 0, 1, 2, 3], &[4]),
            (&[1, 2, 3, 4, 0], &[0]),
            (&[0, 2, 4], &[]),
            (&[1, 0], &[1]),
        ] {
            let before: Vec<Option<&OrderKey>> = order.iter().map(|at| keys.get(*at)).collect();
            let after = keep_in_order(&before);
            assert!(after.is_sorted_by(|a, b| a < b), "{order:?}");
            let changed: Vec<usize> = order
                .iter()
                .zip(&after)
                .filter(|(at, key)| keys[**at] != **key)
                .map(|(at, _)| *at)
                .collect();
            assert_eq!(changed, moved, "{order:?}");
        }
        let after = keep_in_order(&[None, Some(&keys[1]), None, None, Some(&keys[2]), None]);
        assert!(after.is_sorted_by(|a, b| a < b));
        assert_eq!((&after[1], &after[4]), (&keys[1], &keys[2]));
    }

    #[test]
    fn valid_slugs_are_kept() {
        for (wanted, before, expect) in [
            (&["a", "a", "b"][..], &[None, None, None][..], &["a", "a-1", "b"][..]),
            (&["a", "a"], &[Some("a-1"), Some("a")], &["a-1", "a"]),
            (&["a", "a"], &[None, Some("a")], &["a-1", "a"]),
            (&["b", "a-1", "a"], &[Some("a"), None, None], &["b", "a-1", "a"]),
        ] {
            assert_eq!(keep_slugs(wanted, before), expect, "{wanted:?} {before:?}");
        }
    }
}
