//! The repositories in a directory and their files.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use bindery_content::print::PrintContext;
use bindery_content::reference::{self, Lookup, Names};

/// The directory of reusable contents.
const INCLUDES: &str = ".gitbook/includes/";

/// A repository. The ids of its files are their paths.
pub(crate) struct Repository {
    pub(crate) folder: PathBuf,
    paths: BTreeSet<String>,
}

impl Repository {
    fn open(folder: PathBuf) -> Self {
        let mut paths = BTreeSet::new();
        collect(&folder, &folder, &mut paths);
        // Large files are not stored but listed in `ASSETS.txt`.
        if let Ok(assets) = std::fs::read_to_string(folder.join("ASSETS.txt")) {
            let names = assets.lines().filter_map(|line| line.split_once('\t'));
            paths.extend(names.map(|(_, path)| path.to_owned()));
        }
        Self { folder, paths }
    }

    pub(crate) fn context<'c>(&'c self, path: &'c str) -> PrintContext<'c> {
        PrintContext { path, lookup: self, names: self }
    }

    /// Returns the Markdown files with their bytes, sorted.
    pub(crate) fn pages(&self) -> impl Iterator<Item = (&str, Vec<u8>)> {
        let paths = self.paths.iter().filter(|path| is_markdown(path));
        paths.filter_map(|path| Some((path.as_str(), std::fs::read(self.folder.join(path)).ok()?)))
    }

    fn known(&self, path: &str, is_wanted: bool) -> Option<String> {
        (is_wanted && self.paths.contains(path)).then(|| path.to_owned())
    }
}

fn is_markdown(path: &str) -> bool {
    reference::is_markdown(&path.to_ascii_lowercase())
}

impl Lookup for Repository {
    fn page(&self, path: &str) -> Option<String> {
        self.known(path, is_markdown(path) && !path.contains(INCLUDES))
    }
    fn file(&self, path: &str) -> Option<String> {
        self.known(path, !is_markdown(path))
    }
    fn reusable_content(&self, path: &str) -> Option<String> {
        self.known(path, is_markdown(path) && path.contains(INCLUDES))
    }
}

impl Names for Repository {
    fn page_path(&self, page: &str) -> Option<String> {
        self.known(page, true)
    }
    fn file_path(&self, file: &str) -> Option<String> {
        self.known(file, true)
    }
    fn reusable_content_path(&self, reusable_content: &str) -> Option<String> {
        self.known(reusable_content, true)
    }
}

fn collect(root: &Path, folder: &Path, paths: &mut BTreeSet<String>) {
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

/// Returns the repositories in a directory, sorted.
pub(crate) fn repositories(corpus: &Path) -> Vec<Repository> {
    let entries = std::fs::read_dir(corpus).into_iter().flatten().flatten();
    let mut folders: Vec<PathBuf> =
        entries.map(|entry| entry.path()).filter(|path| path.is_dir()).collect();
    folders.sort();
    folders.into_iter().map(Repository::open).collect()
}
