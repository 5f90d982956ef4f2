//! Zip archives.

use std::collections::HashSet;
use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom};
use std::os::unix::fs::FileExt;

use memchr::memmem::Finder;
use zip::ZipArchive;
use zip::result::ZipError;

use super::{ArchiveError, MAX_NAME_BYTES, Unpacker, disk_error, names};

/// The signature of a record in the central directory.
const RECORD: &[u8] = b"PK\x01\x02";

/// Unix file types in the upper half of the external attributes.
const TYPE_MASK: u32 = 0o170_000;
const TYPE_FILE: u32 = 0o100_000;
const TYPE_FOLDER: u32 = 0o040_000;
const TYPE_LINK: u32 = 0o120_000;
/// Maximum bytes of a link's target.
const TARGET_LIMIT: u64 = 4096;

pub(super) fn unpack(archive: File, into: &mut Unpacker) -> Result<(), ArchiveError> {
    check_record_count(&archive, into.limits.entries)?;
    let second_handle = archive.try_clone().map_err(|error| disk_error(&error))?;
    let mut archive = ZipArchive::new(BufReader::with_capacity(64 << 10, archive))
        .map_err(|error| damaged(None, &error))?;
    check_duplicates(second_handle, archive.central_directory_start())?;
    for number in 0..archive.len() {
        into.count_name()?;
        let mut file = archive.by_index(number).map_err(|error| damaged(None, &error))?;
        let raw = file.name_raw().to_vec();
        let Some(path) = names::validate_path(&raw)? else {
            continue;
        };
        let mode = file.unix_mode().unwrap_or_default() & TYPE_MASK;
        match mode {
            _ if raw.ends_with(b"/") => {}
            0 | TYPE_FILE => into.add_file(path, 0, &mut file)?,
            TYPE_FOLDER => {}
            TYPE_LINK => {
                let mut target = Vec::new();
                let read = (&mut file).take(TARGET_LIMIT + 1).read_to_end(&mut target);
                read.map_err(|_| ArchiveError::Damaged(Some(names::display_name(&raw))))?;
                into.add_link(path, &target)?;
            }
            _ => return Err(names::name_error(&raw, "neither a file nor a folder")),
        }
    }
    Ok(())
}

/// Counts the records by their signature, and the bytes of their names, extra fields and comments.
/// `ZipArchive` creates an object for each record, so the limits must be checked before.
fn check_record_count(archive: &File, most: usize) -> Result<(), ArchiveError> {
    let finder = Finder::new(RECORD);
    let mut window = vec![0; 1 << 20];
    let (mut at, mut count, mut named) = (0, 0, 0);
    loop {
        let read = archive.read_at(&mut window, at).map_err(|error| disk_error(&error))?;
        let bytes = window.get(..read).unwrap_or_default();
        for found in finder.find_iter(bytes) {
            count += 1;
            let mut lengths = [0; 6];
            // A signature at the very end of the file is not a record.
            drop(archive.read_exact_at(&mut lengths, at + found as u64 + 28));
            let (pairs, _) = lengths.as_chunks::<2>();
            named += pairs.iter().map(|pair| usize::from(u16::from_le_bytes(*pair))).sum::<usize>();
            if count > most {
                return Err(ArchiveError::Limit(format!("more than {most} names")));
            }
            if named > MAX_NAME_BYTES {
                return Err(ArchiveError::Limit(format!(
                    "names of more than {MAX_NAME_BYTES} bytes in all"
                )));
            }
        }
        if read < RECORD.len() {
            return Ok(());
        }
        // A signature may span the end of the window.
        at += (read - RECORD.len() + 1) as u64;
    }
}

/// Refuses several records with one name. `ZipArchive` would silently use the last one.
fn check_duplicates(mut archive: File, directory: u64) -> Result<(), ArchiveError> {
    let broken = |_| ArchiveError::Damaged(None);
    archive.seek(SeekFrom::Start(directory)).map_err(broken)?;
    let mut archive = BufReader::with_capacity(64 << 10, archive);
    let mut seen = HashSet::new();
    let mut record = [0; 46];
    while archive.read_exact(&mut record).is_ok() && record.starts_with(RECORD) {
        let length = |at: usize| match record.get(at..at + 2) {
            Some(&[low, high]) => u16::from_le_bytes([low, high]),
            _ => 0,
        };
        let mut name = vec![0; usize::from(length(28))];
        archive.read_exact(&mut name).map_err(broken)?;
        archive.seek_relative(i64::from(length(30)) + i64::from(length(32))).map_err(broken)?;
        if let Some(name) = seen.replace(name) {
            return Err(names::name_error(&name, "the name occurs twice"));
        }
    }
    Ok(())
}

fn damaged(name: Option<String>, error: &ZipError) -> ArchiveError {
    tracing::debug!(%error, "a zip archive cannot be read");
    match error {
        ZipError::UnsupportedArchive(_) => ArchiveError::UnsupportedMethod,
        _ => ArchiveError::Damaged(name),
    }
}
