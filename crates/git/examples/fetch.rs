//! Compares the duration of fetches with that of `git clone` of the same repository from the same
//! server: `cargo run --release -p bindery-git --example fetch -- [PAGES]...`

use std::process::Command;
use std::time::{Duration, Instant};

use bindery_git::{FetchLimits, FetchRequest, FetchedCommit, Fetcher, Folder, RefName, Remote};
use bindery_model::{Entropy, OrganizationId};
use bindery_outbound::{CancellationToken, Client, Guard, Limits};
use bindery_testkit::git_server::{Change, GitServer, generated_pages};

type Failure = Box<dyn std::error::Error + Send + Sync>;

fn main() -> Result<(), Failure> {
    let asked: Result<Vec<usize>, _> = std::env::args().skip(1).map(|text| text.parse()).collect();
    let asked = asked?;
    for pages in if asked.is_empty() { vec![10_000, 100_000] } else { asked } {
        run(pages)?;
    }
    Ok(())
}

fn run(pages: usize) -> Result<(), Failure> {
    let server = GitServer::start();
    let repository = server.repository("docs.git");
    repository.commit("main", "All pages", generated_pages(pages));
    repository.git(&["repack", "-adq"]);
    let folder = tempfile::tempdir()?;
    let url = server.url("docs.git");
    say(&format!("{pages} pages"));

    let target = folder.path().join("clone");
    let clone = timed(|| git_clone(&url, &target, &[]))?;
    say(&format!("  git clone --depth 1                {clone:>10.2?}"));
    let bare = folder.path().join("bare");
    let clone = timed(|| git_clone(&url, &bare, &["--bare"]))?;
    say(&format!("  git clone --depth 1 --bare         {clone:>10.2?}"));

    let client = Client::new(Guard::parse("127.0.0.0/8")?, Limits::default())?;
    let caches = folder.path().join("caches");
    let fetcher = Fetcher::new(client, caches, FetchLimits::default());
    let remote = Remote::parse(&url)?;
    let mut fetched = None;
    let time = timed(|| {
        fetched = Some(fetch(&fetcher, &remote)?);
        Ok(())
    })?;
    let first = fetched.ok_or("nothing was fetched")?;
    say(&format!(
        "  fetch                              {time:>10.2?}   {} KB, {} objects; peak {}",
        first.received_bytes >> 10,
        first.received_objects,
        memory("VmHWM")?
    ));
    let time = timed(|| read_all(&first, 1))?;
    say(&format!("  read all files, 1 thread           {time:>10.2?}"));
    let time = timed(|| read_all(&first, 2))?;
    let anonymous = memory("RssAnon")?;
    say(&format!("  read all files, 2 threads          {time:>10.2?}   anonymous {anonymous}"));
    let time = timed(|| fetch(&fetcher, &remote).map(drop))?;
    say(&format!("  fetch again, nothing new           {time:>10.2?}"));
    repository.commit("main", "One", [Change::file("section-0000/page-000001.md", "# New")]);
    let mut bytes = 0;
    let time = timed(|| {
        bytes = fetch(&fetcher, &remote)?.received_bytes;
        Ok(())
    })?;
    say(&format!("  fetch again, one page changed      {time:>10.2?}   {bytes} bytes"));
    Ok(())
}

fn fetch(fetcher: &Fetcher, remote: &Remote) -> Result<FetchedCommit, Failure> {
    Ok(fetcher.fetch(&FetchRequest {
        organization: OrganizationId::random(&Entropy::seeded(1)),
        remote,
        cache: None,
        reference: &RefName::head(),
        known: None,
        cancel: CancellationToken::new(),
        progress: &|_| {},
    })?)
}

fn read_all(fetched: &FetchedCommit, threads: usize) -> Result<(), Failure> {
    let folder = &fetched.folder;
    std::thread::scope(|scope| {
        let share = folder.entries()?.len().div_ceil(threads);
        let readers: Vec<_> = folder
            .entries()?
            .chunks(share)
            .map(|entries| {
                scope.spawn(move || {
                    entries
                        .iter()
                        .try_fold(0, |sum, entry| folder.read(entry).map(|bytes| sum + bytes.len()))
                })
            })
            .collect();
        for reader in readers {
            reader.join().map_err(|_| "a reader failed")??;
        }
        Ok(())
    })
}

fn git_clone(url: &str, to: &std::path::Path, more: &[&str]) -> Result<(), Failure> {
    let status = Command::new("git")
        .args(["clone", "--quiet", "--depth", "1"])
        .args(more)
        .arg(url)
        .arg(to)
        .status()?;
    if status.success() { Ok(()) } else { Err("git clone failed".into()) }
}

fn timed(work: impl FnOnce() -> Result<(), Failure>) -> Result<Duration, Failure> {
    let start = Instant::now();
    work()?;
    Ok(start.elapsed())
}

/// Returns a line of this process's memory statistics.
fn memory(name: &str) -> Result<String, Failure> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
    Ok(line.unwrap_or_default().trim().to_owned())
}

#[expect(clippy::print_stdout, reason = "this program is run for what it prints")]
fn say(text: &str) {
    println!("{text}");
}
