//! The time from a pushed commit that changes one page to the first response with the change, for the
//! repositories of the corpus, compared with a pull and a build by static site generators.
//!
//! `BINDERY_CORPUS` names the folder with the repositories. `vitepress` has to be in the `PATH`, as
//! Hugo and mdBook have; programs that are not installed are left out.

use super::generators::{self, Run};
use super::http::Connection;
use super::product::{Product, Site};
use super::source::{publish, request_import, wait_for_job};
use super::{Options, corpus, median};
use anyhow::{Context, Result, bail, ensure};
use bindery_testkit::git_server::{Change, GitServer, Repository, generated_pages};
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

/// Repositories with fewer Markdown files are left out.
const MIN_PAGES: usize = 50;
/// The number of pages of the generated repository, which has the kind of Markdown that all
/// generators accept.
const GENERATED: usize = 1_000;
const NAME: &str = "corpus.git";

pub(super) fn run(options: &Options) -> Result<bool> {
    println!(
        "{:32} {:>6} {:>10} {:>18} {:>18} {:>18}",
        "repository", "pages", "ours", "Hugo", "mdBook", "VitePress"
    );
    let generated = generated_files(options.pages.unwrap_or(GENERATED))?;
    let mut reached = Measured::of("generated", generated, options.rounds())?.report();
    for folder in corpus::repositories()? {
        let files = corpus::files(&folder)?;
        if files.iter().filter(|(path, _)| path.ends_with(".md")).count() >= MIN_PAGES {
            let name = folder.file_name().unwrap_or_default().to_string_lossy();
            reached &= Measured::of(&name, files, options.rounds())?.report();
        }
    }
    Ok(reached)
}

/// The medians for one repository, in seconds.
struct Measured {
    name: String,
    pages: usize,
    ours: f64,
    /// The times of the generators, each with its name; `None` if it is not installed or fails.
    peers: Vec<Option<f64>>,
}

impl Measured {
    /// Measures a repository with these files.
    fn of(name: &str, files: Vec<(String, Vec<u8>)>, rounds: usize) -> Result<Self> {
        let pages = files.iter().filter(|(path, _)| path.ends_with(".md")).count();
        let repository = Imported::new(files)?;
        let (mut ours, mut peers) = (Vec::new(), vec![Vec::new(); PEERS.len()]);
        for round in 1..=rounds {
            let text = format!("Changed for the {round}th time.");
            ours.push(repository.change(&text)?.as_secs_f64());
            for (build, times) in PEERS.iter().zip(&mut peers) {
                times.push(repository.build(*build, &text)?.map(|took| took.as_secs_f64()));
            }
        }
        let peers = peers.into_iter().map(|times| {
            let times: Option<Vec<f64>> = times.into_iter().collect();
            times.map(median)
        });
        let (name, peers) = (name.to_owned(), peers.collect());
        Ok(Self { name, pages, ours: median(ours), peers })
    }

    /// Prints a line. Returns `false` if a generator was faster.
    fn report(&self) -> bool {
        let Self { name, pages, ours, peers } = self;
        let name: String = name.chars().take(32).collect();
        print!("{name:32} {pages:>6} {:>7.0} ms", ours * 1e3);
        for peer in peers {
            match peer {
                Some(peer) => print!(" {:>7.0} ms {:>6.2}×", peer * 1e3, peer / ours),
                None => print!(" {:>18}", "fails or missing"),
            }
        }
        println!();
        peers.iter().flatten().all(|peer| peer >= ours)
    }
}

type Build = fn(&Path, &Path) -> Result<Option<Run>>;

/// The generators in the order of the report.
const PEERS: [Build; 3] = [generators::hugo, generators::mdbook_of, generators::vitepress];

/// A repository that is imported and published, with a clone for the generators.
struct Imported {
    server: GitServer,
    repository: Repository,
    product: Product,
    site: Site,
    folder: tempfile::TempDir,
    /// The path of the changed page in the repository, and its text.
    source: (String, Vec<u8>),
    /// The address of the changed page.
    address: String,
}

impl Imported {
    fn new(files: Vec<(String, Vec<u8>)>) -> Result<Self> {
        let server = GitServer::start();
        let repository = server.repository(NAME);
        let changes = files.iter().map(|(path, bytes)| Change::file(path.as_str(), bytes.clone()));
        repository.commit("main", "All files", changes.collect::<Vec<_>>());
        let product = Product::empty()?;
        let site = product.new_site()?;
        let mut connection = product.connect()?;
        let job = request_import(&product, &site, &server.url(NAME))?;
        wait_for_job(&mut connection, &job)?;
        let published = publish(&product, &site)?;
        let revision = product.get(&format!("/spaces/{}/content", site.space))?;
        let page = corpus::pages(&revision).pop();
        let (path, page) = page.context("no page was imported from a file")?;
        let source = files.into_iter().find(|(known, _)| *known == path).context("its file")?;
        let address = format!("{}/{page}", published.trim_end_matches('/'));
        let folder = tempfile::tempdir()?;
        generators::clone(&server.url(NAME), &folder.path().join("clone"))?;
        Ok(Self { server, repository, product, site, folder, source, address })
    }

    /// Commits a change of the page, and returns the time until it is served.
    fn change(&self, text: &str) -> Result<Duration> {
        let (path, bytes) = &self.source;
        let mut bytes = bytes.clone();
        bytes.extend_from_slice(format!("\n\n{text}\n").as_bytes());
        self.repository.commit("main", "One page", [Change::file(path.as_str(), bytes)]);
        let mut connection: Connection = self.product.connect()?;
        let start = Instant::now();
        let job = request_import(&self.product, &self.site, &self.server.url(NAME))?;
        wait_for_job(&mut connection, &job)?;
        let answer = connection.send(&self.address, &[], None)?.success(&self.address)?;
        let took = start.elapsed();
        let is_current = String::from_utf8_lossy(&answer.body).contains(text);
        ensure!(is_current, "{} is not current", self.address);
        Ok(took)
    }

    /// Pulls the change and builds the site with a generator. Returns `None` if that fails.
    fn build(&self, build: Build, text: &str) -> Result<Option<Duration>> {
        let clone = self.folder.path().join("clone");
        let pull = generators::pull(&clone)?;
        let changed = fs::read_to_string(clone.join(&self.source.0))?;
        ensure!(changed.contains(text), "the clone is not current");
        let output = self.folder.path().join("site");
        if output.exists() {
            fs::remove_dir_all(&output)?;
        }
        fs::create_dir_all(&output)?;
        Ok(build(&clone, &output).ok().flatten().map(|run| pull.took + run.took))
    }
}

/// Returns the files of a repository of generated pages.
fn generated_files(pages: usize) -> Result<Vec<(String, Vec<u8>)>> {
    let front = Change::file("README.md", "# Front page\n\nGenerated pages follow.\n");
    let files = std::iter::once(front).chain(generated_pages(pages)).map(|change| match change {
        Change::File(path, bytes) => Ok((String::from_utf8(path)?, bytes)),
        _ => bail!("a generated page is a file"),
    });
    files.collect()
}
