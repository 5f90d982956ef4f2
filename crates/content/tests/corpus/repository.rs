//! A repository of the corpus, as the context of its pages' references.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use bindery_content::print::PrintContext;
use bindery_content::reference::{Lookup, Names};

use crate::corpus;

/// A repository and its files. The ids of files are their paths.
pub(crate) struct Repository {
    pub(crate) folder: PathBuf,
    paths: HashSet<String>,
}

/// Returns all repositories of the corpus.
pub(crate) fn repositories() -> Vec<Repository> {
    corpus::repositories().iter().map(|folder| Repository::open(folder)).collect()
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
        let files = corpus::files(folder).into_iter();
        let paths = files.filter_map(|path| {
            Some(path.strip_prefix(folder).ok()?.to_string_lossy().into_owned())
        });
        let mut paths: HashSet<String> = paths.collect();
        if let Ok(assets) = std::fs::read_to_string(folder.join("ASSETS.txt")) {
            let names = assets.lines().filter_map(|line| line.split_once('\t'));
            paths.extend(names.map(|(_, path)| path.to_owned()));
        }
        Self { folder: folder.to_owned(), paths }
    }

    pub(crate) fn context<'c>(&'c self, path: &'c str) -> PrintContext<'c> {
        PrintContext { path, lookup: self, names: self }
    }

    /// Returns the pages with their sources, sorted.
    pub(crate) fn pages(&self) -> Vec<(String, Vec<u8>)> {
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
