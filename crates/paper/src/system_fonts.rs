//! The font files of the system, for scripts that the packaged fonts do not cover.

use std::path::{Path, PathBuf};

/// The folders in which systems keep fonts.
pub const FOLDERS: [&str; 3] = ["/usr/share/fonts", "/usr/local/share/fonts", "/Library/Fonts"];

/// Maximum number of files.
const FILE_LIMIT: usize = 3_000;
/// Maximum depth of the folders.
const DEPTH_LIMIT: usize = 6;
/// Maximum size of a file in bytes.
const BYTE_LIMIT: u64 = 128 << 20;

/// Returns the font files in folders. The order does not depend on that in which the system lists
/// them, so that the same fonts are chosen in every run.
pub fn files<P: AsRef<Path>>(folders: &[P]) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for folder in folders {
        collect(folder.as_ref(), 0, &mut files);
    }
    files.sort();
    files
}

fn collect(folder: &Path, depth: usize, files: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        if files.len() >= FILE_LIMIT {
            return;
        }
        let path = entry.path();
        let Ok(metadata) = std::fs::metadata(&path) else { continue };
        if metadata.is_dir() && depth < DEPTH_LIMIT {
            collect(&path, depth + 1, files);
        }
        let extension = path.extension().and_then(|extension| extension.to_str());
        let is_font = extension.is_some_and(|extension| {
            ["ttf", "otf", "ttc", "otc"].iter().any(|known| known.eq_ignore_ascii_case(extension))
        });
        if metadata.is_file() && is_font && metadata.len() <= BYTE_LIMIT {
            files.push(path);
        }
    }
}
