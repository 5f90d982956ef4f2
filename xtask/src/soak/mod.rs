//! `cargo xtask soak`: many people write one page at random, with the client of the browser
//! application, while networks fail, windows are closed, servers are killed, and programs and Git
//! write the same page. Afterwards all texts must agree, and nothing that was written may be missing.

mod nodes;
mod writers;

use crate::process::{self, Group, check_interrupted};
use crate::workspace::{find_program, root};
use anyhow::{Context, Result, bail, ensure};
use clap::{Args, ValueEnum};
use nodes::Nodes;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use writers::Page;

/// Maximum time in which all texts must agree after the last change.
const PATIENCE: Duration = Duration::from_mins(5);

#[derive(Args)]
pub(crate) struct Options {
    /// Kind of changes that people make
    #[arg(value_enum, default_value_t = Kind::Words)]
    kind: Kind,
    /// Number of people
    #[arg(long, default_value_t = 50)]
    people: usize,
    /// Number of processes that run the people
    #[arg(long, default_value_t = 2)]
    processes: usize,
    /// Duration of writing, in seconds
    #[arg(long, default_value_t = 180)]
    seconds: u64,
    /// Number of times that a server is killed
    #[arg(long, default_value_t = 5)]
    kills: u32,
    /// Average time between two changes of a person, in milliseconds
    #[arg(long, default_value_t = 700)]
    interval: u64,
    /// Seed of the random changes; without it, a seed is chosen and printed
    #[arg(long)]
    seed: Option<u64>,
    /// Disturbances to leave out, to find which one causes a difference
    #[arg(long, value_enum, value_delimiter = ',')]
    without: Vec<Disturbance>,
    /// Use two nodes with a private PostgreSQL server instead of one with SQLite
    #[arg(long)]
    postgres: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Kind {
    /// Words that nobody else writes, new blocks and undo; programs and Git write as well
    Words,
    /// All kinds of edits of the document
    Edits,
    /// Text as people type it, without failures
    Text,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Disturbance {
    /// Writes of a program through the API
    Api,
    /// Commits of the branch
    Git,
    /// Windows that are closed and opened again
    Windows,
    /// Networks that are cut, and requests that fail
    Cuts,
}

impl Options {
    fn has(&self, disturbance: Disturbance) -> bool {
        self.kind != Kind::Text && !self.without.contains(&disturbance)
    }
}

/// A small generator of random numbers that a seed repeats.
struct Random(u64);

impl Random {
    /// Returns a number from 0 up to a limit, which is not reached.
    fn below(&mut self, limit: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit.max(1)
    }
}

/// The text at the end of a process, and the words that its people wrote.
struct Outcome {
    document: Value,
    words: Vec<String>,
}

pub(crate) fn run(options: &Options) -> Result<bool> {
    let seed = options.seed.unwrap_or_else(|| u64::from(std::process::id()));
    println!("seed {seed}");
    let is_disturbed = options.kind != Kind::Text;
    let nodes = Nodes::start(options.postgres)?;
    let page = Page::create(&nodes)?;
    let before = nodes.stored_bytes()?;
    let folder = tempfile::Builder::new().prefix("bindery-soak-").tempdir()?;
    let mut processes = start(options, seed, &nodes, &page, folder.path())?;
    let (added, committed) = std::thread::scope(|scope| -> Result<_> {
        let end = Instant::now() + Duration::from_secs(options.seconds);
        let writes = |by| options.kind == Kind::Words && options.has(by);
        let (by_api, by_git) = (writes(Disturbance::Api), writes(Disturbance::Git));
        let (page, nodes) = (&page, &nodes);
        let program = scope.spawn(move || match by_api {
            true => page.write_by_api(nodes, seed, end),
            false => Vec::new(),
        });
        let git = scope.spawn(move || match by_git {
            true => page.write_by_git(nodes, seed, end),
            false => Vec::new(),
        });
        if is_disturbed {
            disturb(nodes, &mut Random(seed), options, end)?;
        }
        wait_until_all_stopped(folder.path(), &mut processes)?;
        let program = program.join().ok().context("the program that writes through the API")?;
        Ok((program, git.join().ok().context("the program that commits")?))
    })?;
    page.synchronise(&nodes)?;
    std::fs::write(folder.path().join("settle"), "")?;
    let settled = Instant::now();
    for process in &mut processes {
        while process.child.try_wait()?.is_none() {
            check_interrupted()?;
            ensure!(settled.elapsed() < PATIENCE, "seed {seed}: the texts do not agree");
            std::thread::sleep(Duration::from_millis(100));
        }
    }
    let outcomes = read_outcomes(folder.path(), processes.len())
        .with_context(|| format!("seed {seed}: the texts do not agree"))?;
    page.synchronise(&nodes)?;
    let problems = page.compare(&nodes, &outcomes, &added, &committed)?;
    for problem in &problems {
        println!("WRONG: {problem}");
    }
    let words: usize = outcomes.iter().map(|outcome| outcome.words.len()).sum();
    println!(
        "seed {seed}: {} people, {} s, {} kills: {words} words of people, {} of a program, {} of \
         commits; agreed after {:.1} s",
        options.people,
        options.seconds,
        if is_disturbed { options.kills } else { 0 },
        added.len(),
        committed.len(),
        settled.elapsed().as_secs_f64(),
    );
    println!("{}", page.describe(&nodes)?);
    if let (Some(before), Some(after)) = (before, nodes.stored_bytes()?) {
        println!("the store grew from {before} to {after} bytes");
    }
    Ok(problems.is_empty())
}

/// Starts the processes with the people.
fn start(
    options: &Options,
    seed: u64,
    nodes: &Nodes,
    page: &Page,
    folder: &Path,
) -> Result<Vec<Group>> {
    let npx = find_program("npx").context("install Node with npm")?;
    let kind = match options.kind {
        Kind::Words => "words",
        Kind::Edits => "edits",
        Kind::Text => "text",
    };
    let count = options.processes.clamp(1, options.people.max(1));
    let mut processes = Vec::new();
    for number in 0..count {
        let task = json!({
            "nodes": nodes.addresses(), "token": nodes::TOKEN, "seed": seed, "kind": kind,
            "from": options.people * number / count, "to": options.people * (number + 1) / count,
            "seconds": options.seconds, "interval": options.interval,
            "isCut": options.has(Disturbance::Cuts),
            "areWindowsClosed": options.has(Disturbance::Windows),
            "place": page.place(), "page": page.id(), "folder": folder,
        });
        let file = folder.join(format!("task-{number}"));
        std::fs::write(&file, task.to_string())?;
        let mut command = Command::new(&npx);
        command.args(["vitest", "run", "src/editor/together.test.ts"]).env("BINDERY_SOAK", &file);
        let log = std::fs::File::create(folder.join(format!("log-{number}")))?;
        command.stdin(Stdio::null()).stderr(log.try_clone()?).stdout(log);
        processes.push(Group::start(command.current_dir(root().join("web")))?);
    }
    Ok(processes)
}

/// Kills one server after the other, spread over the time.
fn disturb(nodes: &Nodes, random: &mut Random, options: &Options, end: Instant) -> Result<()> {
    for left in (1..=options.kills).rev() {
        let time = end.saturating_duration_since(Instant::now()) / left;
        let part = time * u32::try_from(20 + random.below(60))? / 100;
        let next = Instant::now() + time;
        sleep_until(Instant::now() + part)?;
        nodes
            .kill(usize::try_from(random.below(8))?, Duration::from_millis(random.below(3_000)))?;
        sleep_until(next)?;
    }
    sleep_until(end)
}

fn sleep_until(time: Instant) -> Result<()> {
    while Instant::now() < time {
        process::check_interrupted()?;
        std::thread::sleep(Duration::from_millis(50).min(time - Instant::now()));
    }
    Ok(())
}

/// Waits until the people of all processes have stopped.
fn wait_until_all_stopped(folder: &Path, processes: &mut [Group]) -> Result<()> {
    while files(folder, "stopped-")?.len() < processes.len() {
        check_interrupted()?;
        for process in &mut *processes {
            if process.child.try_wait()?.is_some() {
                print_logs(folder)?;
                bail!("a process with people has ended");
            }
        }
        std::thread::sleep(Duration::from_millis(100));
    }
    Ok(())
}

fn files(folder: &Path, prefix: &str) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_name().to_string_lossy().starts_with(prefix) {
            found.push(entry.path());
        }
    }
    Ok(found)
}

fn print_logs(folder: &Path) -> Result<()> {
    for log in files(folder, "log-")? {
        println!("{}", std::fs::read_to_string(log)?);
    }
    Ok(())
}

fn read_outcomes(folder: &Path, count: usize) -> Result<Vec<Outcome>> {
    let results = files(folder, "result-")?;
    if results.len() < count {
        print_logs(folder)?;
        bail!("only {} of {count} processes came to an end", results.len());
    }
    results.iter().map(|file| read_outcome(file)).collect()
}

fn read_outcome(file: &Path) -> Result<Outcome> {
    let mut result: Value = serde_json::from_slice(&std::fs::read(file)?)?;
    let words = serde_json::from_value(result["words"].take())?;
    Ok(Outcome { document: result["document"].take(), words })
}

/// Returns those of the words that a text does not contain.
fn missing<'w>(words: impl Iterator<Item = &'w String>, text: &str) -> BTreeSet<&'w str> {
    words.map(String::as_str).filter(|word| !text.contains(word)).collect()
}
