//! Tests of maps against the standard library's map, and of the cost of an edit.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;
use crate::object::MemoryObjects;

const SALT: Salt = Salt::new(*b"sixteen of bytes");

type Model = BTreeMap<Vec<u8>, Vec<u8>>;

fn build(objects: &mut MemoryObjects, model: &Model) -> Map {
    let base = MemoryObjects::new();
    let mut staging = Staging::new(&base);
    let entries = model.iter().map(|(k, v)| (Bytes::from(k.clone()), Bytes::from(v.clone())));
    let map = Map::build(SALT, &mut staging, entries);
    let staged = staging.len();
    let new = needed(&map, staging);
    assert_eq!(new.len(), staged);
    objects.extend(new);
    map
}

fn apply(objects: &mut MemoryObjects, map: &Map, edits: &[(Vec<u8>, Option<Vec<u8>>)]) -> Map {
    let (map, _, _) = cost(objects, map, edits);
    map
}

/// Applies edits. Also returns the number of objects and bytes written.
fn cost(
    objects: &mut MemoryObjects,
    map: &Map,
    edits: &[(Vec<u8>, Option<Vec<u8>>)],
) -> (Map, usize, usize) {
    let base = objects.clone();
    let mut staging = Staging::new(&base);
    let edits = edits.iter().map(|(k, v)| (k.clone().into(), v.clone().map(Bytes::from)));
    let map = map.apply(&mut staging, edits).unwrap();
    let size = (staging.len(), staging.bytes());
    objects.extend(staging.drain());
    (map, size.0, size.1)
}

/// Returns the staged objects that the map refers to.
fn needed(map: &Map, mut staging: Staging<'_>) -> Vec<(Hash, Bytes)> {
    staging.drain_reachable(map.root_ref(ValueKind::Plain).into_iter().collect()).unwrap()
}

fn all(objects: &MemoryObjects, map: &Map) -> Model {
    map.range(objects, None, Direction::Ascending)
        .map(|entry| entry.map(|(key, value)| (key.to_vec(), value.to_vec())).unwrap())
        .collect()
}

/// Generates keys and values of mixed length over a small alphabet, so that keys often repeat. Some
/// values are so large that they reach the size limit of a chunk.
fn edits() -> impl Strategy<Value = Vec<(Vec<u8>, Option<Vec<u8>>)>> {
    let key = prop::collection::vec(0u8..4, 0..6);
    let value = prop_oneof![
        4 => prop::collection::vec(any::<u8>(), 0..200),
        1 => (any::<u8>(), 0usize..12_000).prop_map(|(byte, len)| vec![byte; len]),
    ];
    prop::collection::vec((key, prop::option::weighted(0.7, value)), 0..120)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Maps with the same content have the same root after any history, and read like a sorted map.
    #[test]
    fn equal_contents_have_equal_roots(history in prop::collection::vec(edits(), 1..5)) {
        let mut objects = MemoryObjects::new();
        let (mut map, mut model) = (Map::empty(SALT), Model::new());
        for edits in history {
            let (old, before) = (map, model.clone());
            let known = objects.clone();
            let mut staging = Staging::new(&known);
            let wanted = edits.iter().map(|(k, v)| (k.clone().into(), v.clone().map(Bytes::from)));
            map = map.apply(&mut staging, wanted).unwrap();
            let staged = staging.len();
            let new = needed(&map, staging);
            prop_assert_eq!(new.len(), staged);
            objects.extend(new);
            for (key, value) in edits {
                match value {
                    Some(value) => model.insert(key, value),
                    None => model.remove(&key),
                };
            }
            prop_assert_eq!(map, build(&mut objects, &model));
            prop_assert_eq!(&all(&objects, &map), &model);

            let mut expected = Vec::new();
            let keys: std::collections::BTreeSet<_> = before.keys().chain(model.keys()).collect();
            for key in keys {
                if before.get(key) != model.get(key) {
                    let bytes = |value: Option<&Vec<u8>>| value.cloned().map(Bytes::from);
                    expected.push(Difference {
                        key: key.clone().into(),
                        old: bytes(before.get(key)),
                        new: bytes(model.get(key)),
                    });
                }
            }
            let found: Vec<_> = old.diff(&map, &objects).map(Result::unwrap).collect();
            prop_assert_eq!(found, expected);
        }
    }

    #[test]
    fn reads_like_a_sorted_map(edits in edits(), probe in prop::collection::vec(0u8..5, 0..6)) {
        let model: Model = edits.into_iter().map(|(k, v)| (k, v.unwrap_or_default())).collect();
        let mut objects = MemoryObjects::new();
        let map = build(&mut objects, &model);
        prop_assert_eq!(map.len(), model.len() as u64);
        prop_assert_eq!(map.get(&objects, &probe).unwrap().map(|v| v.to_vec()), model.get(&probe).cloned());
        let rank = model.range(..probe.clone()).count() as u64;
        prop_assert_eq!(map.rank(&objects, &probe).unwrap(), rank);
        let keys = |range: Range<'_>| -> Vec<Vec<u8>> {
            range.map(|entry| entry.unwrap().0.to_vec()).collect()
        };
        let up: Vec<_> = model.range(probe.clone()..).map(|(k, _)| k.clone()).collect();
        prop_assert_eq!(&keys(map.range(&objects, Some(&probe), Direction::Ascending)), &up);
        prop_assert_eq!(&keys(map.range_from_rank(&objects, rank)), &up);
        let down: Vec<_> = model.range(..=probe.clone()).rev().map(|(k, _)| k.clone()).collect();
        prop_assert_eq!(keys(map.range(&objects, Some(&probe), Direction::Descending)), down);
        let within: Vec<_> = up.into_iter().filter(|key| key.starts_with(&probe)).collect();
        prop_assert_eq!(map.count_prefix(&objects, &probe).unwrap(), within.len() as u64);
        prop_assert_eq!(keys(map.prefix(&objects, &probe)), within);
    }

    /// Bytes that do not encode a node are rejected without a panic.
    #[test]
    fn invalid_nodes_are_rejected(bytes in prop::collection::vec(any::<u8>(), 0..80), level in 0u8..3, len in 0u8..4) {
        for bytes in [bytes.clone(), [vec![1, level, len], bytes].concat()] {
            let mut objects = MemoryObjects::new();
            let hash = Hash::of(&bytes);
            objects.extend([(hash, Bytes::from(bytes))]);
            let _ = Node::load(&objects, &hash);
        }
    }
}

#[test]
fn an_empty_map_has_no_object() {
    let mut objects = MemoryObjects::new();
    let map = apply(&mut objects, &Map::empty(SALT), &[(b"a".to_vec(), Some(b"b".to_vec()))]);
    assert_eq!(map.len(), 1);
    let map = apply(&mut objects, &map, &[(b"a".to_vec(), None)]);
    assert_eq!(map, Map::empty(SALT));
    assert_eq!(all(&objects, &map), Model::new());
    assert_eq!(map.rank(&objects, b"x").unwrap(), 0);
}

#[test]
fn a_missing_object_is_an_error_once() {
    let mut objects = MemoryObjects::new();
    let model: Model = (0..1000u32).map(|n| (n.to_be_bytes().to_vec(), vec![0; 40])).collect();
    let map = build(&mut objects, &model);
    let none = MemoryObjects::new();
    assert!(map.get(&none, b"x").is_err());
    let results: Vec<_> = map.range(&none, None, Direction::Ascending).collect();
    assert!(matches!(&results[..], [Err(ObjectError::Missing(_))]));
    let results: Vec<_> = map.diff(&Map::empty(SALT), &none).collect();
    assert!(matches!(&results[..], [Err(ObjectError::Missing(_))]));
}

/// 100,000 entries under three kinds of keys. The last kind are keys that an attacker would choose
/// who knows the hash but not the salt: none of them ends a chunk under a salt of zeros.
fn fixtures() -> Vec<(&'static str, Vec<Vec<u8>>)> {
    let number = |n: u32| Hash::of(&n.to_be_bytes()).as_bytes()[..20].to_vec();
    let uncut = |key: &Vec<u8>| {
        let entry = node::Entry { key: key.clone().into(), value: Bytes::from(vec![0; 100]) };
        !node::is_boundary(Salt::new([0; 16]), 0, &entry)
    };
    vec![
        ("sequential", (0..100_000u32).map(|n| format!("page-{n:08}").into_bytes()).collect()),
        ("random", (0..100_000).map(number).collect()),
        (
            "adversarial",
            (0u32..).map(|n| format!("{n:08}").into_bytes()).filter(uncut).take(100_000).collect(),
        ),
    ]
}

#[test]
fn one_edit_of_many_entries_writes_a_handful_of_objects() {
    for (name, keys) in fixtures() {
        let model: Model = keys.iter().map(|key| (key.clone(), vec![7; 100])).collect();
        let mut objects = MemoryObjects::new();
        let map = build(&mut objects, &model);
        let average = model.iter().map(|(k, v)| k.len() + v.len()).sum::<usize>() / objects.len();
        assert!((2_000..6_000).contains(&average), "{name}: nodes of {average} bytes");
        let (mut most, mut bytes) = (0, 0);
        for at in (0..keys.len()).step_by(4_999).chain([keys.len() - 1]) {
            let key = &keys[at];
            let beside = [key.clone(), b"x".to_vec()].concat();
            for edit in [
                (key.clone(), Some(vec![8; 100])),
                (key.clone(), None),
                (beside.clone(), Some(vec![1; 100])),
            ] {
                let base = objects.clone();
                let mut staging = Staging::new(&base);
                let edit = (edit.0.into(), edit.1.map(Bytes::from));
                map.apply(&mut staging, [edit]).unwrap();
                most = most.max(staging.len());
                bytes = bytes.max(staging.bytes());
            }
        }
        assert!(most <= 6, "{name}: {most} objects");
        assert!(bytes <= 64 * 1024, "{name}: {bytes} bytes");
        let (_, written, _) = cost(&mut objects, &map, &[(keys[5].clone(), Some(vec![7; 100]))]);
        assert_eq!(written, 0, "{name}: an edit that changes nothing");

        let many: Vec<_> = keys.iter().step_by(997).map(|key| (key.clone(), None)).collect();
        let fewer = apply(&mut objects, &map, &many);
        let mut model = model;
        model.retain(|key, _| !many.iter().any(|(gone, _)| gone == key));
        assert_eq!(fewer, build(&mut objects, &model), "{name}: edits all over");
    }
}

/// A map with a single node has no node above it, regardless of where the salt puts boundaries.
#[test]
fn a_small_map_is_one_object() {
    let base = MemoryObjects::new();
    for salt in 0..1_000_u128 {
        let mut staging = Staging::new(&base);
        let entry = (Bytes::from_static(b"a key"), Bytes::from_static(b"a value"));
        let map = Map::build(Salt::new(salt.to_be_bytes()), &mut staging, [entry]);
        assert_eq!(staging.len(), 1, "salt {salt}");
        assert_eq!(needed(&map, staging).len(), 1, "salt {salt}");
    }
}

#[test]
fn a_difference_is_found_without_reading_the_rest() {
    struct Counting<'a>(&'a MemoryObjects, std::cell::Cell<usize>);
    impl Objects for Counting<'_> {
        fn get(&self, hash: &Hash) -> Result<Bytes, ObjectError> {
            self.1.set(self.1.get() + 1);
            self.0.get(hash)
        }
    }
    for (name, keys) in fixtures() {
        let model: Model = keys.iter().map(|key| (key.clone(), vec![7; 100])).collect();
        let mut objects = MemoryObjects::new();
        let map = build(&mut objects, &model);
        for at in [0, 50_000, 99_999] {
            let new = apply(&mut objects, &map, &[(keys[at].clone(), None)]);
            let counting = Counting(&objects, std::cell::Cell::new(0));
            let found: Vec<_> = map.diff(&new, &counting).map(Result::unwrap).collect();
            assert_eq!(found.len(), 1);
            assert_eq!(found[0].key, keys[at]);
            assert!(counting.1.get() <= 20, "{name}: {} reads", counting.1.get());
        }
    }
}

#[test]
fn the_successor_of_a_prefix_is_computed() {
    assert_eq!(successor(b"ab"), Some(b"ac".to_vec()));
    assert_eq!(successor(&[1, 255, 255]), Some(vec![2]));
    assert_eq!(successor(&[255]), None);
    assert_eq!(successor(&[]), None);
}
