//! Tests of writing regular and hostile packs.

use std::sync::atomic::AtomicBool;

use bindery_testkit::git_server::{PackBuilder, comb_pack, marked_copy};
use gix_hash::{Kind as HashKind, ObjectId, oid};
use gix_object::Kind;
use gix_pack::Bundle;

use super::{Bases, Gate, PackError, PackLimits, PackWriter};

const LIMITS: PackLimits =
    PackLimits { objects: 100_000, object_bytes: 8 << 20, unpacked: 1 << 30, memory: 3 << 20 };

/// Optionally one object that is already present.
struct PresentObject(Option<Vec<u8>>);

impl Bases for PresentObject {
    fn base(&self, id: &oid) -> Option<(Kind, Vec<u8>)> {
        let Self(Some(bytes)) = self else { return None };
        (*blob(bytes) == *id).then(|| (Kind::Blob, bytes.clone()))
    }
}

fn blob(bytes: &[u8]) -> ObjectId {
    gix_object::compute_hash(HashKind::Sha1, Kind::Blob, bytes).unwrap()
}

fn write_on(
    pack: &[u8],
    limits: PackLimits,
    present: &PresentObject,
) -> Result<Vec<Vec<u8>>, PackError> {
    let folder = tempfile::tempdir().unwrap();
    let (gate, stop) = (Gate::default(), AtomicBool::new(false));
    let writer = PackWriter {
        folder: folder.path(),
        limits,
        bases: present,
        gate: &gate,
        stop: &stop,
        on_received: &|| {},
    };
    let written = writer.write(&mut &*pack);
    if written.is_err() {
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "it leaves nothing");
    }
    let bundle = Bundle::at(written?.path.with_extension("idx"), HashKind::Sha1).unwrap();
    bundle.index.verify_checksum(&mut gix_utils::progress::Discard, &stop).unwrap();
    bundle.pack.verify_checksum(&mut gix_utils::progress::Discard, &stop).unwrap();
    let mut objects: Vec<Vec<u8>> = bundle
        .index
        .iter()
        .map(|entry| {
            let mut out = Vec::new();
            let mut inflate = gix_zlib::Inflate::default();
            let cache = &mut gix_pack::cache::Never;
            let (found, _) =
                bundle.find(&entry.oid, &mut out, &mut inflate, cache).unwrap().unwrap();
            assert_eq!(found.kind, Kind::Blob);
            assert_eq!(blob(&out), entry.oid);
            out
        })
        .collect();
    objects.sort();
    Ok(objects)
}

fn write(pack: &[u8], limits: PackLimits) -> Result<Vec<Vec<u8>>, PackError> {
    write_on(pack, limits, &PresentObject(None))
}

fn marked(size: usize, mark: &[u8]) -> Vec<u8> {
    let mut bytes = vec![0; size];
    bytes[..mark.len()].copy_from_slice(mark);
    bytes
}

#[test]
fn a_comb_needs_no_more_than_two_objects() {
    // 200 objects of 1 MiB, each a base until its leaf is produced, within 3 MiB.
    let objects = write(&comb_pack(100, 1 << 20), LIMITS).unwrap();
    assert_eq!(objects.len(), 201);
    assert!(objects.iter().all(|object| object.len() == 1 << 20));
}

#[test]
fn packs_that_exceed_the_memory_limit_are_refused() {
    // A binary tree of bases: while one half is processed, the base of the other half stays in
    // memory.
    let mut pack = PackBuilder::default();
    let size = 1 << 20;
    let mut level = vec![pack.object(3, &vec![0; size])];
    let mut number = 0_u32;
    for _ in 0..6 {
        let mut next = Vec::new();
        for base in level {
            for _ in 0..2 {
                number += 1;
                next.push(pack.delta(base, &marked_copy(size, &number.to_le_bytes())));
            }
        }
        level = next;
    }
    let pack = pack.finish();
    let error = write(&pack, LIMITS).unwrap_err();
    assert!(matches!(&error, PackError::Limit(text) if text.contains("memory")), "{error:?}");
    let objects = write(&pack, PackLimits { memory: 8 << 20, ..LIMITS }).unwrap();
    assert_eq!(objects.len(), 127);
}

#[test]
fn sizes_are_refused_before_they_are_made() {
    let limit = |text: &str, pack: Vec<u8>, limits: PackLimits| {
        let error = write(&pack, limits).unwrap_err();
        assert!(matches!(&error, PackError::Limit(found) if found.contains(text)), "{error:?}");
    };
    let mut large = PackBuilder::default();
    large.object_with_size(3, 9 << 20, b"nothing of that size");
    limit("object of more than 8388608 bytes", large.finish(), LIMITS);
    let mut result = PackBuilder::default();
    let base = result.object(3, b"base");
    result.delta(base, b"\x04\xff\xff\xff\xff\xff\x0f");
    limit("object of more than", result.finish(), LIMITS);
    let sum = PackLimits { unpacked: 100 << 20, ..LIMITS };
    limit("unpacks to more than 104857600 bytes", comb_pack(60, 1 << 20), sum);
    limit("10 objects", comb_pack(9, 100), PackLimits { objects: 10, ..LIMITS });
}

#[test]
fn chains_have_a_maximum_length() {
    let chain = |length: u32| {
        let mut pack = PackBuilder::default();
        let mut base = pack.object(3, &[0; 16]);
        for number in 0..length {
            base = pack.delta(base, &marked_copy(16, &number.to_le_bytes()));
        }
        pack.finish()
    };
    assert_eq!(write(&chain(4_095), LIMITS).unwrap().len(), 4_096);
    let error = write(&chain(4_096), LIMITS).unwrap_err();
    assert!(matches!(&error, PackError::Limit(text) if text.contains("4095")), "{error:?}");
    // Reading each object of a chain reads the chain again.
    let error = write(&chain(4_000), PackLimits { unpacked: 2 << 20, ..LIMITS }).unwrap_err();
    assert!(matches!(&error, PackError::Limit(text) if text.contains("nested")), "{error:?}");
}

#[test]
fn deltas_on_ids_are_applied_in_any_order() {
    let (first, second) = (marked(100, b"first"), marked(100, b"second"));
    let mut pack = PackBuilder::default();
    pack.ref_delta(blob(&second).as_slice().try_into().unwrap(), &marked_copy(100, b"third"));
    pack.ref_delta(blob(&first).as_slice().try_into().unwrap(), &marked_copy(100, b"second"));
    pack.object(3, &first);
    let objects = write(&pack.finish(), LIMITS).unwrap();
    assert_eq!(objects, [first.clone(), second.clone(), marked(100, b"thirdd")]);
    // The same pack without its first object, which is already present.
    let mut pack = PackBuilder::default();
    pack.ref_delta(blob(&second).as_slice().try_into().unwrap(), &marked_copy(100, b"third"));
    pack.ref_delta(blob(&first).as_slice().try_into().unwrap(), &marked_copy(100, b"second"));
    let thin = pack.finish();
    let objects = write_on(&thin, LIMITS, &PresentObject(Some(first.clone()))).unwrap();
    assert_eq!(objects, [first, second, marked(100, b"thirdd")]);
    let error = write(&thin, LIMITS).unwrap_err();
    assert!(matches!(error, PackError::Malformed(_)), "{error:?}");
}

#[test]
fn malformed_packs_are_refused() {
    let good = comb_pack(3, 1000);
    let with = |change: &dyn Fn(&mut Vec<u8>)| {
        let mut pack = good.clone();
        change(&mut pack);
        pack
    };
    let mut place = PackBuilder::default();
    place.object(3, b"one");
    place.delta(13, &marked_copy(3, b"x"));
    let mut base = PackBuilder::default();
    let at = base.object(3, b"other size");
    base.delta(at, &marked_copy(100, b"x"));
    let mut outside = PackBuilder::default();
    let at = outside.object(3, b"ten bytes.");
    outside.delta(at, b"\x0a\x0a\x91\x05\x0a");
    let mut own = PackBuilder::default();
    own.ref_delta([7; 20], &marked_copy(3, b"x"));
    let mut short = PackBuilder::default();
    short.object_with_size(3, 100, b"ten bytes.");
    let mut long = PackBuilder::default();
    long.object_with_size(3, 5, b"ten bytes.");
    for (name, pack) in [
        ("checksum", with(&|pack| *pack.last_mut().unwrap() ^= 1)),
        ("middle", with(&|pack| *pack.get_mut(40).unwrap() ^= 1)),
        ("version", with(&|pack| pack[7] = 9)),
        ("place", place.finish()),
        ("base", base.finish()),
        ("outside", outside.finish()),
        ("own", own.finish()),
        ("short", short.finish()),
        ("long", long.finish()),
    ] {
        let error = write(&pack, LIMITS).unwrap_err();
        assert!(matches!(error, PackError::Malformed(_)), "{name}: {error:?}");
    }
    for end in [0, 4, 12, 13, 30, good.len() - 30, good.len() - 1] {
        write(&good[..end], LIMITS).unwrap_err();
    }
}
