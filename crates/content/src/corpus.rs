//! Real repositories for tests, from the directory named in `BINDERY_CORPUS`.

use std::path::{Path, PathBuf};

/// Returns the directories of the repositories, sorted; empty if `BINDERY_CORPUS` is not set.
/// `BINDERY_CORPUS_ONLY` restricts them to paths that contain its value.
pub(crate) fn repositories() -> Vec<PathBuf> {
    let Some(corpus) = std::env::var_os("BINDERY_CORPUS") else {
        return Vec::new();
    };
    let only = std::env::var("BINDERY_CORPUS_ONLY").unwrap_or_default();
    let mut folders = entries(Path::new(&corpus));
    folders.retain(|path| path.is_dir() && path.display().to_string().contains(&only));
    folders
}

/// Returns the files below a directory, sorted. Skips symbolic links.
pub(crate) fn files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for path in entries(folder) {
        if path.is_symlink() {
            continue;
        }
        if path.is_dir() { files.extend(self::files(&path)) } else { files.push(path) }
    }
    files
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    paths.sort();
    paths
}
