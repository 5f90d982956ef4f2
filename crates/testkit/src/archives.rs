//! Archives as tests send them, harmless ones and ones that nobody makes by accident.

use std::io::Write as _;

use flate2::Compression;
use flate2::write::GzEncoder;
use tar::{EntryType, Header};
use zip::write::SimpleFileOptions;

/// An entry of a tar archive, whatever its path or target.
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

/// An ordinary file's entry of a tar archive.
pub fn file(path: &str, content: &str) -> Vec<u8> {
    entry(EntryType::Regular, path.as_bytes(), b"", content.as_bytes())
}

/// A tar archive of these entries.
pub fn tar(entries: &[Vec<u8>]) -> Vec<u8> {
    let mut out = entries.concat();
    out.resize(out.len() + 1024, 0);
    out
}

/// Bytes, packed.
pub fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).expect("memory takes everything");
    encoder.finish().expect("memory takes everything")
}

/// A zip archive of these files.
pub fn zip(files: &[(&str, &str)]) -> Vec<u8> {
    let mut writer = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (path, content) in files {
        writer.start_file(*path, SimpleFileOptions::default()).expect("a name");
        writer.write_all(content.as_bytes()).expect("memory takes everything");
    }
    writer.finish().expect("memory takes everything").into_inner()
}
