//! Validates names in archives.

use super::ArchiveError;

/// Maximum bytes of a path, the usual limit of the systems on which archives are created.
const MAX_PATH_BYTES: usize = 4096;
/// Maximum bytes of one part of a path.
const MAX_PART_BYTES: usize = 255;
/// Maximum nesting depth of folders.
const MAX_DEPTH: usize = 128;

/// Validates a path of an archive and removes a leading `./` and a trailing `/`. Returns `None` for
/// the top-level folder itself.
pub(super) fn validate_path(raw: &[u8]) -> Result<Option<String>, ArchiveError> {
    let fail = |text| Err(name_error(raw, text));
    let Ok(text) = std::str::from_utf8(raw) else {
        return fail("the name is not UTF-8");
    };
    if text.contains(|c: char| c.is_control()) {
        return fail("the name contains control characters");
    }
    if text.contains('\\') {
        return fail("the name contains a backslash");
    }
    if text.starts_with('/') || has_drive(text) {
        return fail("the name is an absolute path");
    }
    if text.len() > MAX_PATH_BYTES {
        return fail("the name is too long");
    }
    let mut text = text.strip_suffix('/').unwrap_or(text);
    while let Some(rest) = text.strip_prefix("./") {
        text = rest;
    }
    if text.is_empty() || text == "." {
        return Ok(None);
    }
    let mut depth = 0;
    for part in text.split('/') {
        depth += 1;
        match part {
            ".." => return fail("the name leads out of the archive"),
            "" | "." => return fail("the name has an empty part"),
            part if part.len() > MAX_PART_BYTES => return fail("the name is too long"),
            part if part.eq_ignore_ascii_case(".git") => {
                return fail("the name is one of Git's own");
            }
            _ => {}
        }
    }
    if depth > MAX_DEPTH {
        return fail("folders are nested too deeply");
    }
    Ok(Some(text.to_owned()))
}

/// Checks that the target of a symbolic link is relative and never above the top-level folder.
pub(super) fn check_target(path: &str, target: &[u8]) -> Result<(), ArchiveError> {
    let fail = |text| Err(name_error(path.as_bytes(), text));
    let Ok(target) = std::str::from_utf8(target) else {
        return fail("the link's target is not UTF-8");
    };
    if target.is_empty()
        || target.len() > MAX_PATH_BYTES
        || target.contains(|c: char| c.is_control())
    {
        return fail("the link has no valid target");
    }
    if target.starts_with('/') || target.contains('\\') || has_drive(target) {
        return fail("the link's target is an absolute path");
    }
    let mut depth = path.matches('/').count();
    for part in target.split('/') {
        match part {
            "" | "." => {}
            ".." if depth == 0 => return fail("the link leads out of the archive"),
            ".." => depth -= 1,
            _ => depth += 1,
        }
    }
    Ok(())
}

/// Checks that no path is both a file and a folder. `entries` must be sorted by path.
pub(super) fn check_folders<T>(
    entries: &[T],
    path: impl Fn(&T) -> &str,
) -> Result<(), ArchiveError> {
    for file in entries.iter().map(&path) {
        // The entries of a folder with that name are adjacent, but not always next to the file.
        let within = |other: &str| other.strip_prefix(file).is_some_and(|o| o.starts_with('/'));
        let below = |other: &str| other.bytes().lt(file.bytes().chain([b'/']));
        let at = entries.partition_point(|entry| below(path(entry)));
        if entries.get(at).is_some_and(|entry| within(path(entry))) {
            return Err(name_error(file.as_bytes(), "it is a file and a folder at once"));
        }
    }
    Ok(())
}

/// Returns the folder that contains everything, unless its name begins with a dot.
pub(super) fn common_top<'a>(paths: impl Iterator<Item = &'a str>) -> Option<String> {
    let mut top = None;
    for path in paths {
        let (first, _) = path.split_once('/')?;
        if first.starts_with('.') || top.is_some_and(|top| top != first) {
            return None;
        }
        top = Some(first);
    }
    top.map(str::to_owned)
}

/// Creates the error for a name.
pub(super) fn name_error(raw: &[u8], problem: &'static str) -> ArchiveError {
    ArchiveError::Name { name: display_name(raw), problem }
}

/// Returns a name for display: at most 120 characters, without control characters.
pub(super) fn display_name(raw: &[u8]) -> String {
    let text = String::from_utf8_lossy(raw);
    text.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).take(120).collect()
}

fn has_drive(text: &str) -> bool {
    matches!(text.as_bytes(), [drive, b':', ..] if drive.is_ascii_alphabetic())
}
