//! Objects can be read back unchanged from every storage.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use bindery_model::Clock;
use bindery_revision::{Hash, ObjectError, Objects};
use bindery_store::{ObjectsConfig, PreparedObject, Store, StoreConfig, StoreError, params};
use bytes::Bytes;

use crate::s3_server::S3Server;
use crate::support::{Home, on_both};

on_both! {
    objects_in_a_folder,
    objects_in_s3,
    bulk_writes,
    storing_again_marks_the_generation,
    unreachable_objects_are_deleted_after_a_delay,
    objects_stored_again_are_kept,
    orphaned_files_are_deleted_after_a_delay,
    temporary_files_are_deleted_at_start,
    credential_errors_omit_the_secret,
}

/// Returns bytes that do not compress.
fn noise(size: usize, seed: u64) -> Bytes {
    let mut bytes = vec![0; size];
    blake3::Hasher::new().update(&seed.to_le_bytes()).finalize_xof().fill(&mut bytes);
    bytes.into()
}

fn files(dir: &Path) -> Vec<String> {
    let mut names: Vec<String> = walk(dir).into_iter().filter(|n| !n.starts_with('.')).collect();
    names.sort_unstable();
    names
}

fn walk(dir: &Path) -> Vec<String> {
    let mut names = Vec::new();
    for entry in std::fs::read_dir(dir).unwrap() {
        let entry = entry.unwrap();
        if entry.file_type().unwrap().is_dir() {
            names.extend(walk(&entry.path()));
        } else {
            names.push(entry.file_name().into_string().unwrap());
        }
    }
    names
}

async fn objects_in_a_folder(home: Arc<Home>) {
    let store = home.open().await;
    check_storage(store, home.try_reopen()).await;
    let large = [noise(64 << 10, 9), noise(100_000, 1), noise(100_000, 2), noise(9 << 20, 3)];
    let mut expected: Vec<_> =
        large[1..].iter().map(|bytes| format!("{:?}", Hash::of(bytes))[2..].to_owned()).collect();
    expected.sort_unstable();
    assert_eq!(files(&home.dir.path().join("objects")), expected);
}

async fn objects_in_s3(home: Arc<Home>) {
    let server = S3Server::start(&home.dir.path().join("s3")).await;
    let config = StoreConfig { objects: server.config("secret"), ..home.config() };
    let store = Store::open(config.clone()).await.unwrap();
    check_storage(store, Store::open(config)).await;
    assert!(!home.dir.path().join("objects").exists());
}

/// Tests objects in any storage.
async fn check_storage(store: Store, reopen: impl Future<Output = Result<Store, StoreError>>) {
    let small = Bytes::from("small ".repeat(1000));
    let edge = noise(64 << 10, 9);
    let (large, staged, huge) = (noise(100_000, 1), noise(100_000, 2), noise(9 << 20, 3));
    let squeezed = Bytes::from(vec![b'x'; 3 << 20]);

    let put = small.clone();
    let hash = store.write(move |tx| tx.put_object(put.clone())).await.unwrap();
    assert_eq!(hash, Hash::of(&small));
    for bytes in [&edge, &large, &squeezed] {
        assert_eq!(store.put_blob(bytes.clone()).await.unwrap(), Hash::of(bytes));
    }
    let stream = std::io::Cursor::new(huge.clone());
    assert_eq!(store.put_blob_from(stream).await.unwrap(), Hash::of(&huge));
    let object = store.stage(PreparedObject::new(staged.clone())).await.unwrap();
    let missing = store.object(&object.hash()).await;
    assert!(matches!(missing, Err(StoreError::NoObject(_))), "{missing:?}");
    store.write(move |tx| tx.put_prepared(std::slice::from_ref(&object))).await.unwrap();

    let all = [small, edge, large, staged, huge, squeezed];
    let is_large = [false, false, true, true, true, false];
    // First read from this store's cache, then from storage.
    check_reads(&store, &all).await;
    drop(store);
    let store = reopen.await.unwrap();
    for (bytes, is_large) in all.iter().zip(is_large) {
        let info = store.object_info(&Hash::of(bytes)).await.unwrap().unwrap();
        assert_eq!((info.size, info.is_large()), (bytes.len() as u64, is_large));
    }
    check_reads(&store, &all).await;
}

async fn check_reads(store: &Store, all: &[Bytes]) {
    for bytes in all {
        let (hash, size) = (Hash::of(bytes), bytes.len() as u64);
        for range in [0..1, 5..20, size - 3..size + 9, 0..size, size..size + 1, 7..7] {
            let cut = range.start as usize..(range.end.min(size)) as usize;
            let read = store.object_range(&hash, range).await.unwrap();
            assert_eq!(read, bytes[cut]);
        }
        // Reads in a transaction, on a thread of the runtime and on a separate thread.
        let read = store.read(move |tx| Ok::<_, StoreError>(tx.objects().get(&hash))).await;
        assert_eq!(read.unwrap(), Ok(bytes.clone()));
        let objects = store.objects();
        let read = tokio::task::spawn_blocking(move || objects.get(&hash)).await;
        assert_eq!(read.unwrap(), Ok(bytes.clone()));
        assert_eq!(store.object(&hash).await.unwrap(), bytes);
    }
    let unknown = Hash::of(b"unknown");
    let read = store.read(move |tx| Ok::<_, StoreError>(tx.objects().get(&unknown))).await;
    assert_eq!(read.unwrap(), Err(ObjectError::Missing(unknown)));
    assert_eq!(store.object_info(&unknown).await.unwrap(), None);
}

async fn bulk_writes(home: Arc<Home>) {
    let store = home.open().await;
    let all: Vec<Bytes> = (0..3000)
        .map(|n| Bytes::from(format!("{n} ").repeat(if n % 700 == 0 { 40_000 } else { 20 })))
        .chain([noise(200_000, 1), noise(200_000, 1)])
        .collect();
    let prepared = all.iter().cloned().map(PreparedObject::new).collect();
    store.put_objects(prepared).await.unwrap();
    let hashes: Vec<Hash> = all.iter().map(|bytes| Hash::of(bytes)).collect();
    let (objects, wanted) = (store.objects(), all.clone());
    tokio::task::spawn_blocking(move || {
        for (hash, bytes) in hashes.iter().zip(&wanted) {
            assert_eq!(objects.get(hash).as_ref(), Ok(bytes));
        }
    })
    .await
    .unwrap();
    let count: i64 = store
        .read(|tx| tx.query_one("SELECT COUNT(*) FROM objects", &[], |row| row.get(0)))
        .await
        .unwrap();
    assert_eq!(count, 3001);
}

async fn storing_again_marks_the_generation(home: Arc<Home>) {
    let store = home.open().await;
    let put = || store.write(|tx| tx.put_object(&b"object"[..]));
    let hash = put().await.unwrap();
    let generation = || {
        store.read(move |tx| {
            let sql = "SELECT generation FROM objects WHERE hash = $1";
            tx.query_one(sql, params![hash], |row| row.get::<i64>(0))
        })
    };
    assert_eq!(generation().await, Ok(1));
    store.write(|tx| tx.execute("UPDATE object_generation SET generation = 5", &[])).await.unwrap();
    assert_eq!(generation().await, Ok(1));
    put().await.unwrap();
    assert_eq!(generation().await, Ok(5));
}

async fn credential_errors_omit_the_secret(home: Arc<Home>) {
    let server = S3Server::start(&home.dir.path().join("s3")).await;
    let config = StoreConfig { objects: server.config("hunter2"), ..home.config() };
    let store = Store::open(config).await.unwrap();
    let error = store.put_blob(noise(100_000, 1)).await.unwrap_err();
    assert!(matches!(error, StoreError::Unavailable(_)), "{error}");
    assert!(!error.to_string().contains("hunter2"), "{error}");
    for url in ["s3:///x", "http://host/x", "s3://bucket?hunter2=1&nonsense=hunter2", "hunter2"] {
        let config =
            StoreConfig { objects: ObjectsConfig::Url(url.to_owned()), ..Home::sqlite().config() };
        let error = Store::open(config).await.unwrap_err();
        assert!(matches!(error, StoreError::Config(_)), "{url}: {error}");
    }
}

const DAY: Duration = Duration::from_secs(24 * 60 * 60);
const HOUR: Duration = Duration::from_secs(60 * 60);

/// Runs a collection that reaches these objects, and returns the number of deleted rows.
async fn collect(store: &Store, reached: &[Hash]) -> u64 {
    let collection = store.begin_collection(DAY).await.unwrap().unwrap();
    let fresh = store.mark_objects(collection, reached.to_vec()).await.unwrap();
    assert_eq!(fresh, reached);
    assert_eq!(store.mark_objects(collection, reached.to_vec()).await.unwrap(), []);
    store.sweep_objects(collection, 100).await.unwrap()
}

async fn unreachable_objects_are_deleted_after_a_delay(home: Arc<Home>) {
    let store = home.open().await;
    let mut hashes = Vec::new();
    for seed in 0..2 {
        hashes.push(store.put_blob(noise(100, seed)).await.unwrap());
        hashes.push(store.put_blob(noise(100_000, seed)).await.unwrap());
    }
    let (kept, gone) = hashes.split_at(2);
    let exist = |hashes: &[Hash]| {
        let (store, hashes) = (store.clone(), hashes.to_vec());
        async move {
            let mut count = 0;
            for hash in hashes {
                count += usize::from(store.object_info(&hash).await.unwrap().is_some());
            }
            count
        }
    };
    let folder = home.dir.path().join("objects");
    assert_eq!(collect(&store, kept).await, 0);
    assert_eq!(store.begin_collection(DAY).await, Ok(None));
    home.clock.advance(DAY.as_millis() as i64);
    assert_eq!(collect(&store, kept).await, 2);
    assert_eq!((exist(kept).await, exist(gone).await), (2, 0));
    assert_eq!(files(&folder).len(), 2);
    assert_eq!(store.sweep_files(HOUR, 100).await, Ok(0));
    home.clock.advance(HOUR.as_millis() as i64);
    assert_eq!(store.sweep_files(HOUR, 100).await, Ok(1));
    assert_eq!(store.sweep_files(HOUR, 100).await, Ok(0));
    assert_eq!(files(&folder), [format!("{:?}", kept[1])[2..].to_owned()]);
    drop(store);
    let store = home.open().await;
    assert_eq!(store.object(&kept[1]).await.unwrap(), noise(100_000, 0));
    assert!(matches!(store.object(&gone[1]).await, Err(StoreError::NoObject(_))));
}

async fn objects_stored_again_are_kept(home: Arc<Home>) {
    let store = home.open().await;
    let hash = store.put_blob(noise(100_000, 1)).await.unwrap();
    collect(&store, &[]).await;
    home.clock.advance(DAY.as_millis() as i64);
    // Storing the object again before the sweep keeps its row and its file.
    store.put_blob(noise(100_000, 1)).await.unwrap();
    assert_eq!(collect(&store, &[]).await, 0);
    home.clock.advance(DAY.as_millis() as i64);
    assert_eq!(collect(&store, &[]).await, 1);
    // Storing the object again while its file awaits deletion keeps the file.
    store.put_blob(noise(100_000, 1)).await.unwrap();
    home.clock.advance(DAY.as_millis() as i64);
    assert_eq!(store.sweep_files(HOUR, 100).await, Ok(0));
    drop(store);
    assert_eq!(home.open().await.object(&hash).await.unwrap(), noise(100_000, 1));
}

async fn orphaned_files_are_deleted_after_a_delay(home: Arc<Home>) {
    let store = home.open().await;
    let kept = store.put_blob(noise(100_000, 1)).await.unwrap();
    store.stage(PreparedObject::new(noise(100_000, 2))).await.unwrap();
    let late = store.stage(PreparedObject::new(noise(100_000, 3))).await.unwrap();
    assert_eq!(store.schedule_orphan_removal().await, Ok(2));
    assert_eq!(store.schedule_orphan_removal().await, Ok(0));
    assert_eq!(store.sweep_files(HOUR, 100).await, Ok(0));
    // The write that staged the object is still in progress.
    let hash = late.hash();
    let stored = store.write(move |tx| tx.put_prepared(std::slice::from_ref(&late))).await;
    assert_eq!(stored, Ok(()));
    home.clock.advance(HOUR.as_millis() as i64);
    assert_eq!(store.sweep_files(HOUR, 100).await, Ok(1));
    assert_eq!(files(&home.dir.path().join("objects")).len(), 2);
    drop(store);
    let store = home.open().await;
    assert_eq!(store.object(&kept).await.unwrap(), noise(100_000, 1));
    assert_eq!(store.object(&hash).await.unwrap(), noise(100_000, 3));
}

async fn temporary_files_are_deleted_at_start(home: Arc<Home>) {
    drop(home.open().await);
    let folder = home.dir.path().join("objects/temporary");
    let now = std::time::UNIX_EPOCH + Duration::from_millis(home.clock.now().millis() as u64);
    let leave = |name: &str, age: Duration| {
        let file = std::fs::File::create(folder.join(name)).unwrap();
        file.set_modified(now - age).unwrap();
    };
    leave("old", DAY * 2);
    leave("young", HOUR);
    let store = home.open().await;
    assert_eq!(files(&folder), ["young"]);
    leave("old", DAY * 2);
    store.sweep_files(DAY, 100).await.unwrap();
    assert_eq!(files(&folder), ["young"]);
}
