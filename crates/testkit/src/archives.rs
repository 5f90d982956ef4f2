//! Archives for tests: valid ones and malicious ones.

use std::io::Write as _;

use flate2::Compression;
use flate2::write::GzEncoder;
use tar::{EntryType, Header};
use zip::write::SimpleFileOptions;

/// Returns an entry of a tar archive with any path and target.
pub fn entry(kind: EntryType, path: &[u8], target: &[u8], content: &[u8]) -> Vec<u8> {
    let mut header = Header::new_ustar();
    header.set_entry_type(kind);
    header.set_size(content.len() as u64);
    header.set_mode(0o644);
    let old = header.as_old_mut();
    old.name[..path.len()].copy_from_slice(path);
    old.linkname[..target.len()].copy_from_slice(target);
    header.set_cksum();
    let mut out = header.as_bytes().to_vec();
    out.extend_from_slice(content);
    out.resize(out.len().next_multiple_of(512), 0);
    out
}

/// Returns an entry of a tar archive for a regular file.
pub fn file(path: &str, content: &str) -> Vec<u8> {
    entry(EntryType::Regular, path.as_bytes(), b"", content.as_bytes())
}

/// Returns a tar archive of these entries.
pub fn tar(entries: &[Vec<u8>]) -> Vec<u8> {
    let mut out = entries.concat();
    out.resize(out.len() + 1024, 0);
    out
}

/// Compresses bytes with gzip.
pub fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).expect("writing to memory cannot fail");
    encoder.finish().expect("writing to memory cannot fail")
}

/// Returns a zip archive of these files.
pub fn zip(files: &[(&str, &str)]) -> Vec<u8> {
    let mut writer = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (path, content) in files {
        writer.start_file(*path, SimpleFileOptions::default()).expect("a name");
        writer.write_all(content.as_bytes()).expect("writing to memory cannot fail");
    }
    writer.finish().expect("writing to memory cannot fail").into_inner()
}
