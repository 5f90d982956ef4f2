//! Packs the files of a folder that an import reads.

use std::collections::HashSet;
use std::fs::{File, FileType};
use std::io::{BufWriter, Seek as _};
use std::path::{Component, Path, PathBuf};

use anyhow::{Context as _, Result, ensure};
use flate2::Compression;
use flate2::write::GzEncoder;

/// Maximum number of links that lead to one file, as for the server.
const MAX_LINKS: usize = 8;

/// The name of the file that marks the top of an archive.
const ROOT: &str = ".bindery";

/// Rejects a directory that is not a folder within the source.
pub(super) fn check_directory(folder: &Path, directory: &str) -> Result<()> {
    let path = Path::new(directory);
    let is_within =
        path.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
    ensure!(
        is_within,
        "--directory: found {directory:?}, allowed: a path inside the folder, without a leading \
         slash and without .."
    );
    // Links to folders are not followed anywhere.
    let mut at = folder.to_owned();
    for part in path.components() {
        at.push(part);
        let is_folder = at.symlink_metadata().is_ok_and(|found| found.is_dir());
        ensure!(is_folder, "--directory: {} has no folder {directory}", folder.display());
    }
    Ok(())
}

/// Packs a folder into a gzipped archive in a temporary file, which is deleted when it is closed.
/// With a directory, packs only what its import reads: the directory, and files outside of it to
/// which links in it lead. Returns the file and its length.
pub(super) fn pack(folder: &Path, directory: Option<&str>) -> Result<(File, u64)> {
    let file = tempfile::tempfile().context("cannot create a temporary file")?;
    let archive = tar::Builder::new(GzEncoder::new(BufWriter::new(file), Compression::fast()));
    let start = Path::new(directory.unwrap_or_default());
    let start: PathBuf =
        start.components().filter(|part| matches!(part, Component::Normal(_))).collect();
    let mut packer = Packer { archive, folder, start, linked: Vec::new() };
    packer.archive.follow_symlinks(false);
    if directory.is_some() {
        packer.add_root()?;
    }
    let start = packer.start.clone();
    packer.add_folder(&start)?;
    packer.add_linked()?;
    let mut file = packer
        .archive
        .into_inner()
        .and_then(GzEncoder::finish)
        .context("cannot write the archive")?
        .into_inner()
        .map_err(|error| error.into_error())
        .context("cannot write the archive")?;
    let length = file.stream_position()?;
    file.rewind()?;
    Ok((file, length))
}

struct Packer<'a> {
    archive: tar::Builder<GzEncoder<BufWriter<File>>>,
    folder: &'a Path,
    /// The packed directory, from the folder.
    start: PathBuf,
    /// The links that lead out of the directory, from the folder.
    linked: Vec<PathBuf>,
}

impl Packer<'_> {
    /// Adds an empty file beside the directory. Without it, the server would take the directory for
    /// the top-level folder that archives of Git hosts have, and remove it from all paths.
    fn add_root(&mut self) -> Result<()> {
        let mut header = tar::Header::new_gnu();
        header.set_size(0);
        header.set_mode(0o644);
        self.archive
            .append_data(&mut header, ROOT, std::io::empty())
            .context("cannot write the archive")
    }

    fn add_folder(&mut self, within: &Path) -> Result<()> {
        let here = self.folder.join(within);
        let mut entries = std::fs::read_dir(&here)
            .and_then(Iterator::collect::<std::io::Result<Vec<_>>>)
            .with_context(|| format!("cannot read {}", here.display()))?;
        entries.sort_by_key(std::fs::DirEntry::file_name);
        for entry in entries {
            let name = entry.file_name();
            if within.as_os_str().is_empty() && name == ".git" {
                continue;
            }
            let (path, kind) = (within.join(&name), entry.file_type()?);
            if kind.is_dir() {
                self.add_folder(&path)?;
            } else {
                self.add(&path, kind)?;
            }
        }
        Ok(())
    }

    /// Adds a file or a link.
    fn add(&mut self, path: &Path, kind: FileType) -> Result<()> {
        if !kind.is_file() && !kind.is_symlink() {
            return Ok(());
        }
        let full = self.folder.join(path);
        self.archive
            .append_path_with_name(&full, path)
            .with_context(|| format!("cannot read {}", full.display()))?;
        if kind.is_symlink() {
            self.linked.extend(target(self.folder, path));
        }
        Ok(())
    }

    /// Adds the files outside of the directory to which links lead, and the links on the way.
    fn add_linked(&mut self) -> Result<()> {
        let mut added = HashSet::new();
        for _ in 0..MAX_LINKS {
            for path in std::mem::take(&mut self.linked) {
                let found = self.folder.join(&path).symlink_metadata();
                if path.starts_with(&self.start) || !added.insert(path.clone()) {
                    continue;
                }
                if let Ok(found) = found {
                    self.add(&path, found.file_type())?;
                }
            }
        }
        Ok(())
    }
}

/// Returns the target of a link as a path from the folder; `None` if it leads out of the folder.
fn target(folder: &Path, link: &Path) -> Option<PathBuf> {
    let target = std::fs::read_link(folder.join(link)).ok()?;
    let mut path = link.parent()?.to_owned();
    for part in target.components() {
        match part {
            Component::Normal(name) => path.push(name),
            Component::CurDir => {}
            Component::ParentDir => {
                if !path.pop() {
                    return None;
                }
            }
            Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    Some(path)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    /// Returns the sorted paths in the archive of a directory of a folder with these files.
    fn packed(files: &[&str], links: &[(&str, &str)], directory: Option<&str>) -> Vec<String> {
        let folder = tempfile::tempdir().unwrap();
        for path in files {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "text").unwrap();
        }
        for (path, target) in links {
            std::os::unix::fs::symlink(target, folder.path().join(path)).unwrap();
        }
        let (file, length) = pack(folder.path(), directory).unwrap();
        assert_eq!(file.metadata().unwrap().len(), length);
        let mut archive = tar::Archive::new(flate2::read::GzDecoder::new(file));
        let paths = archive
            .entries()
            .unwrap()
            .map(|entry| entry.unwrap().path().unwrap().to_str().unwrap().to_owned());
        let mut paths: Vec<String> = paths.collect();
        paths.sort();
        paths
    }

    const FILES: [&str; 6] =
        [".git/config", "README.md", "docs/a.md", "docs/sub/b.md", "docsx/c.md", "parts/logo.png"];

    #[test]
    fn a_folder_is_packed_without_its_history() {
        assert_eq!(packed(&FILES, &[], None), FILES[1..]);
    }

    #[test]
    fn only_the_directory_and_the_targets_of_its_links_are_packed() {
        for directory in ["docs", "docs/", "./docs"] {
            let expected = [".bindery", "docs/a.md", "docs/sub/b.md"];
            assert_eq!(packed(&FILES, &[], Some(directory)), expected);
        }
        let links = [
            ("docs/logo.png", "../parts/alias.png"),
            ("docs/sub/same.md", "../a.md"),
            ("docs/outside.md", "../../outside.md"),
            ("docs/absolute.md", "/etc/hostname"),
            ("docs/missing.md", "../missing.md"),
            ("docs/folder", "../docsx"),
            ("docs/circle.md", "circle.md"),
            ("parts/alias.png", "logo.png"),
        ];
        let expected = [
            ".bindery",
            "docs/a.md",
            "docs/absolute.md",
            "docs/circle.md",
            "docs/folder",
            "docs/logo.png",
            "docs/missing.md",
            "docs/outside.md",
            "docs/sub/b.md",
            "docs/sub/same.md",
            "parts/alias.png",
            "parts/logo.png",
        ];
        assert_eq!(packed(&FILES, &links, Some("docs")), expected);
    }

    #[test]
    fn directories_are_within_the_folder() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir_all(folder.path().join("docs/en")).unwrap();
        std::os::unix::fs::symlink("docs", folder.path().join("link")).unwrap();
        let check = |directory| check_directory(folder.path(), directory);
        for directory in ["docs", "docs/en/", "./docs", ""] {
            check(directory).unwrap();
        }
        for directory in ["../docs", "docs/../..", "/docs", "missing", "link/en"] {
            let error = check(directory).unwrap_err().to_string();
            assert!(error.starts_with("--directory: "), "{error}");
        }
    }
}
