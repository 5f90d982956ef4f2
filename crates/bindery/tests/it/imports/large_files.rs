//! Imports of large files: the memory of the server does not grow with their sizes.

use bindery_testkit::git_server::{Change, GitServer};
use serde_json::json;

use crate::support::{TestEnv, each_engine};

/// Number of large files. Together they are larger than the permitted memory.
const FILES: usize = 5;
/// Size of a file in bytes.
const FILE_BYTES: usize = 40 << 20;
/// Maximum memory in MiB that an import of large files adds to that of the idle server. A debug
/// build adds 55 to 100 MiB, depending on how soon the allocator returns memory. An import that
/// holds all files adds 200 MiB or more.
const MAX_ADDED: u64 = 150;

/// Returns bytes that a zlib stream makes smaller, but no less than by the permitted ratio.
fn content(number: usize) -> Vec<u8> {
    let block: Vec<u8> = (0..1024_u32)
        .flat_map(|part| {
            *blake3::hash(&[part.to_le_bytes(), [number as u8; 4]].concat()).as_bytes()
        })
        .collect();
    let mut bytes = block.repeat(FILE_BYTES / block.len());
    bytes.resize(FILE_BYTES, 0);
    bytes
}

fn page() -> String {
    let links: String = (0..FILES).map(|n| format!("[{n}](assets/{n}.bin)\n")).collect();
    format!("# Files\n\n{links}")
}

/// Returns the peak memory of the server in MiB.
fn peak(env: &TestEnv) -> u64 {
    let status = format!("/proc/{}/status", env.server().process());
    let status = std::fs::read_to_string(status).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches(" kB").trim().parse::<u64>().unwrap() / 1024
}

/// Checks the sizes of the imported files, and the peak memory since `idle`.
async fn check(env: &TestEnv, space: &str, idle: u64) {
    let files = env.of_space("listFiles", space).await.expect(200);
    let files = files.at("/items").as_array().unwrap();
    assert_eq!(files.len(), FILES);
    assert!(files.iter().all(|file| file["size"] == json!(FILE_BYTES)), "{files:?}");
    let peak = peak(env);
    println!("{idle} MiB before, at most {peak} MiB");
    assert!(peak < idle + MAX_ADDED, "{idle} MiB before, {peak} MiB after");
}

#[test]
fn large_files_of_archives_are_not_held_in_memory() {
    each_engine(async |env: &mut TestEnv| {
        let mut archive = tar::Builder::new(flate2::write::GzEncoder::new(
            Vec::new(),
            flate2::Compression::fast(),
        ));
        let mut add = |path: String, bytes: &[u8]| {
            let mut header = tar::Header::new_gnu();
            header.set_size(bytes.len() as u64);
            header.set_mode(0o644);
            archive.append_data(&mut header, path, bytes).unwrap();
        };
        add("README.md".to_owned(), page().as_bytes());
        (0..FILES).for_each(|n| add(format!("assets/{n}.bin"), &content(n)));
        let archive = archive.into_inner().unwrap().finish().unwrap();
        let space = env.space("Large").await;
        let idle = peak(env);
        let job = env.import_archive(&space, "application/gzip", archive).await;
        assert_eq!(job.text_at("/status"), "done", "{job}");
        check(env, &space, idle).await;
    });
}

#[test]
fn large_files_of_repositories_are_not_held_in_memory() {
    each_engine(async |env: &mut TestEnv| {
        let git = GitServer::start();
        let assets = (0..FILES).map(|n| Change::file(format!("assets/{n}.bin"), content(n)));
        let repository = git.repository("large.git");
        // Compression would take most of the time of this test.
        repository.git(&["config", "core.compression", "0"]);
        let page = std::iter::once(Change::file("README.md", page()));
        repository.commit("main", "Files", page.chain(assets));
        let space = env.space("Large").await;
        let idle = peak(env);
        let body = json!({ "url": git.url("large.git"), "ref": "refs/heads/main" });
        let job = env.import(&space, &body).await;
        assert_eq!(job.text_at("/status"), "done", "{job}");
        check(env, &space, idle).await;
    });
}
