//! Real repositories, where `BINDERY_CORPUS` names a folder of them: every page is printed.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use bindery_content::print::{PrintContext, normal, print};
use bindery_content::reference::{Lookup, Names};
use bindery_content::{Document, Page, markdown, source};

/// A repository: which files it has. Ids are paths.
struct Repository {
    folder: PathBuf,
    paths: HashSet<String>,
}

impl Lookup for Repository {
    fn page(&self, path: &str) -> Option<String> {
        let is_page = path.ends_with(".md") && !path.contains(".gitbook/includes/");
        (is_page && self.paths.contains(path)).then(|| path.to_owned())
    }
    fn file(&self, path: &str) -> Option<String> {
        (!path.ends_with(".md") && self.paths.contains(path)).then(|| path.to_owned())
    }
    fn reusable_content(&self, path: &str) -> Option<String> {
        let is_one = path.ends_with(".md") && path.contains(".gitbook/includes/");
        (is_one && self.paths.contains(path)).then(|| path.to_owned())
    }
}

impl Names for Repository {
    fn page_path(&self, page: &str) -> Option<String> {
        self.paths.contains(page).then(|| page.to_owned())
    }
    fn file_path(&self, file: &str) -> Option<String> {
        self.paths.contains(file).then(|| file.to_owned())
    }
    fn reusable_content_path(&self, reusable_content: &str) -> Option<String> {
        self.paths.contains(reusable_content).then(|| reusable_content.to_owned())
    }
}

impl Repository {
    fn open(folder: &Path) -> Self {
        let mut paths = HashSet::new();
        collect(folder, folder, &mut paths);
        if let Ok(assets) = std::fs::read_to_string(folder.join("ASSETS.txt")) {
            let names = assets.lines().filter_map(|line| line.split_once('\t'));
            paths.extend(names.map(|(_, path)| path.to_owned()));
        }
        Self { folder: folder.to_owned(), paths }
    }

    fn context<'c>(&'c self, path: &'c str) -> PrintContext<'c> {
        PrintContext { path, lookup: self, names: self }
    }

    /// The pages with their sources, in order.
    fn pages(&self) -> Vec<(String, Vec<u8>)> {
        let mut pages: Vec<_> = self
            .paths
            .iter()
            .filter(|path| path.ends_with(".md"))
            .filter_map(|path| Some((path.clone(), std::fs::read(self.folder.join(path)).ok()?)))
            .collect();
        pages.sort();
        pages
    }
}

fn collect(root: &Path, folder: &Path, paths: &mut HashSet<String>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => collect(root, &path, paths),
            Ok(kind) if kind.is_file() => {
                if let Ok(relative) = path.strip_prefix(root) {
                    paths.insert(relative.to_string_lossy().into_owned());
                }
            }
            _ => {}
        }
    }
}

fn repositories() -> Vec<Repository> {
    let Some(corpus) = std::env::var_os("BINDERY_CORPUS") else {
        return Vec::new();
    };
    let only = std::env::var("BINDERY_CORPUS_ONLY").unwrap_or_default();
    let mut folders: Vec<PathBuf> = std::fs::read_dir(corpus)
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.is_dir() && path.display().to_string().contains(&only))
        .collect();
    folders.sort();
    folders.iter().map(|folder| Repository::open(folder)).collect()
}

/// The first line in which two texts differ, with a few around it.
fn difference(left: &str, right: &str) -> String {
    let left: Vec<&str> = left.lines().collect();
    let right: Vec<&str> = right.lines().collect();
    let at = left.iter().zip(&right).take_while(|(l, r)| l == r).count();
    let around = |lines: &[&str]| {
        lines.iter().skip(at.saturating_sub(6)).take(12).copied().collect::<Vec<_>>().join("\n")
    };
    format!("--- expected\n{}\n--- found\n{}\n", around(&left), around(&right))
}

fn json(document: &Document) -> String {
    let text = serde_json::to_string_pretty(document).unwrap_or_default();
    let is_key = |line: &str| line.trim_start().starts_with("\"key\":");
    text.lines().filter(|line| !is_key(line)).collect::<Vec<_>>().join("\n")
}

#[test]
fn every_page_prints_canonically() {
    let (mut pages, mut failed, mut changed) = (0, 0, 0);
    for repository in repositories() {
        for (path, bytes) in repository.pages() {
            let text = source::decode(&bytes);
            let body = Page::split(&text).body;
            let context = repository.context(&path);
            let document = markdown::parse(body.of(&text), &context.reader());
            let expected = normal(&document, &context.reader());
            changed += usize::from(!document.says_the_same_as(&expected));
            let printed = print(&document, &context);
            let read = normal(&markdown::parse(&printed, &context.reader()), &context.reader());
            pages += 1;
            if !read.says_the_same_as(&expected) {
                failed += 1;
                if failed <= 12 {
                    println!(
                        "{}/{path}\n{}",
                        repository.folder.display(),
                        difference(&json(&expected), &json(&read))
                    );
                }
            }
        }
    }
    println!("{pages} pages, {failed} failed, {changed} differ from their normal form");
    assert_eq!(failed, 0);
}
