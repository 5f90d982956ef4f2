//! Names in archives: which are harmless, and what the others are refused for.

use super::ArchiveError;

/// Longest path in bytes; the usual limit of systems on which archives are made.
const LONGEST: usize = 4096;
/// Longest part of a path in bytes.
const LONGEST_PART: usize = 255;
/// Deepest nesting of folders.
const DEPTH: usize = 128;

/// A path of an archive, checked; a leading `./` and a trailing `/` are left out. `None` for the
/// top folder itself.
pub(super) fn path(raw: &[u8]) -> Result<Option<String>, ArchiveError> {
    let fail = |text| Err(problem(raw, text));
    let Ok(text) = std::str::from_utf8(raw) else {
        return fail("the name is not UTF-8");
    };
    if text.contains(|c: char| c.is_control()) {
        return fail("the name has control characters in it");
    }
    if text.contains('\\') {
        return fail("the name has a backslash in it");
    }
    if text.starts_with('/') || has_drive(text) {
        return fail("the name is an absolute path");
    }
    if text.len() > LONGEST {
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
            part if part.len() > LONGEST_PART => return fail("the name is too long"),
            part if part.eq_ignore_ascii_case(".git") => return fail("a folder of Git's own"),
            _ => {}
        }
    }
    if depth > DEPTH {
        return fail("folders are nested too deeply");
    }
    Ok(Some(text.to_owned()))
}

/// A symbolic link must stay inside: relative, and never above the top.
pub(super) fn check_target(path: &str, target: &[u8]) -> Result<(), ArchiveError> {
    let fail = |text| Err(problem(path.as_bytes(), text));
    let Ok(target) = std::str::from_utf8(target) else {
        return fail("a link to no UTF-8 name");
    };
    if target.is_empty() || target.len() > LONGEST || target.contains(|c: char| c.is_control()) {
        return fail("a link to no name");
    }
    if target.starts_with('/') || target.contains('\\') || has_drive(target) {
        return fail("a link to an absolute path");
    }
    let mut depth = path.matches('/').count();
    for part in target.split('/') {
        match part {
            "" | "." => {}
            ".." if depth == 0 => return fail("a link that leads out of the archive"),
            ".." => depth -= 1,
            _ => depth += 1,
        }
    }
    Ok(())
}

/// No path may be a file and a folder at once. Entries come sorted by their paths.
pub(super) fn check_folders<T>(
    entries: &[T],
    path: impl Fn(&T) -> &str,
) -> Result<(), ArchiveError> {
    for file in entries.iter().map(&path) {
        // What is in a folder of that name stands together, though not always beside the file.
        let within = |other: &str| other.strip_prefix(file).is_some_and(|o| o.starts_with('/'));
        let below = |other: &str| other.bytes().lt(file.bytes().chain([b'/']));
        let at = entries.partition_point(|entry| below(path(entry)));
        if entries.get(at).is_some_and(|entry| within(path(entry))) {
            return Err(problem(file.as_bytes(), "it is a file and a folder at once"));
        }
    }
    Ok(())
}

/// The folder that everything is in, unless it is a hidden one.
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

/// The error for a name.
pub(super) fn problem(raw: &[u8], problem: &'static str) -> ArchiveError {
    ArchiveError::Name { name: shown(raw), problem }
}

/// A name as it may be shown.
pub(super) fn shown(raw: &[u8]) -> String {
    let text = String::from_utf8_lossy(raw);
    text.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).take(120).collect()
}

fn has_drive(text: &str) -> bool {
    matches!(text.as_bytes(), [drive, b':', ..] if drive.is_ascii_alphabetic())
}
