//! Tests of archives: harmless ones in all formats, and one of each kind of attack.

use std::fs::File;
use std::io::{Seek, SeekFrom, Write};

use bindery_git::{
    ArchiveError, ArchiveFolder, ArchiveLimits, Folder, FolderEntryKind, LocalFolder,
};
use bindery_testkit::archives::{entry, file, gzip, tar, zip};
use tar::{EntryType, Header};

fn unpack_within(bytes: &[u8], limits: ArchiveLimits) -> Result<ArchiveFolder, ArchiveError> {
    let mut file: File = tempfile::tempfile().unwrap();
    file.write_all(bytes).unwrap();
    file.seek(SeekFrom::Start(0)).unwrap();
    ArchiveFolder::unpack(file, &std::env::temp_dir(), limits)
}

fn unpack(bytes: &[u8]) -> Result<ArchiveFolder, ArchiveError> {
    unpack_within(bytes, ArchiveLimits::default())
}

fn contents(folder: &impl Folder) -> Vec<(String, String)> {
    let read = |entry| String::from_utf8(folder.read(entry).unwrap()).unwrap();
    folder.entries().unwrap().iter().map(|entry| (entry.path.clone(), read(entry))).collect()
}

fn check(folder: &impl Folder, expected: &[(&str, &str)]) {
    let own = |(path, content): &(&str, &str)| ((*path).to_owned(), (*content).to_owned());
    assert_eq!(contents(folder), expected.iter().map(own).collect::<Vec<_>>());
}

#[test]
fn files_of_all_formats_are_read() {
    let expected = [("README.md", "# Hello"), ("a/b.md", "deep"), ("é x.md", "")];
    let plain = tar(&[file("a/b.md", "deep"), file("./README.md", "# Hello"), file("é x.md", "")]);
    check(&unpack(&plain).unwrap(), &expected);
    check(&unpack(&gzip(&plain)).unwrap(), &expected);
    let zipped = zip(&[("a/b.md", "deep"), ("README.md", "# Hello"), ("é x.md", "")]);
    check(&unpack(&zipped).unwrap(), &expected);
}

#[test]
fn long_names_of_both_dialects_are_read() {
    let long = format!("{}/page.md", "folder-with-a-name".repeat(12));
    let mut builder = tar::Builder::new(Vec::new());
    let mut header = Header::new_gnu();
    header.set_size(3);
    builder.append_data(&mut header, &long, b"gnu".as_slice()).unwrap();
    let gnu = builder.into_inner().unwrap();
    let record = format!(" path={long}x\n");
    let length = record.len() + 3;
    let pax = tar(&[
        entry(EntryType::XHeader, b"pax", b"", format!("{length}{record}").as_bytes()),
        file("short.md", "pax"),
        file("other.md", "other"),
    ]);
    check(&unpack(&gnu).unwrap(), &[("page.md", "gnu")]);
    check(&unpack(&pax).unwrap(), &[(&format!("{long}x"), "pax"), ("other.md", "other")]);
}

#[test]
fn one_common_top_folder_is_left_out() {
    for (paths, top, expected) in [
        (
            vec!["docs-1.2/README.md", "docs-1.2/a/b.md"],
            Some("docs-1.2"),
            vec!["README.md", "a/b.md"],
        ),
        (vec!["docs/README.md", "README.md"], None, vec!["README.md", "docs/README.md"]),
        (vec!["a/x.md", "ab/x.md"], None, vec!["a/x.md", "ab/x.md"]),
        (vec![".gitbook/x.md"], None, vec![".gitbook/x.md"]),
        (vec!["README.md"], None, vec!["README.md"]),
    ] {
        let entries: Vec<_> = paths.iter().map(|path| file(path, "")).collect();
        let folder = unpack(&tar(&entries)).unwrap();
        let found: Vec<_> =
            folder.entries().unwrap().iter().map(|entry| entry.path.as_str()).collect();
        assert_eq!((folder.top(), found), (top, expected));
    }
}

#[test]
fn links_within_the_archive_are_kept() {
    let folder = unpack(&tar(&[
        file("a/b.md", ""),
        entry(EntryType::Symlink, b"a/link.md", b"../c.md", b""),
        file("c.md", ""),
    ]));
    let folder = folder.unwrap();
    let link = &folder.entries().unwrap()[1];
    assert_eq!((link.path.as_str(), link.kind), ("a/link.md", FolderEntryKind::Symlink));
    assert_eq!(folder.read(link).unwrap(), b"../c.md");
}

#[test]
fn unsafe_names_are_refused() {
    let long = "x".repeat(99);
    for (name, expected) in [
        (&b"/etc/passwd"[..], "absolute"),
        (b"C:/windows", "absolute"),
        (b"../up.md", "leads out"),
        (b"a/../../up.md", "leads out"),
        (b"a/../b.md", "leads out"),
        (b"a//b.md", "empty part"),
        (b"a/./b.md", "empty part"),
        (b"a\\b.md", "backslash"),
        (b"a\nb.md", "control"),
        (b"a\xffb.md", "UTF-8"),
        (b".git/config", "Git's own"),
        (b"a/.GIT/config", "Git's own"),
    ] {
        let error = unpack(&tar(&[file("ok.md", ""), entry(EntryType::Regular, name, b"", b"x")]));
        let error = error.unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
        assert!(!error.contains(char::is_control), "{error}");
        if let Ok(name) = std::str::from_utf8(name) {
            let error = unpack(&zip(&[("ok.md", ""), (name, "x")])).unwrap_err().to_string();
            assert!(error.contains(expected), "zip: {error}");
        }
    }
    let deep = ["d"; 200].join("/");
    let error = unpack(&zip(&[(&deep, "x")])).unwrap_err().to_string();
    assert!(error.contains("nested too deeply"), "{error}");
    let error = unpack(&zip(&[(&long.repeat(3), "x")])).unwrap_err().to_string();
    assert!(error.contains("too long"), "{error}");
}

#[test]
fn links_that_leave_devices_and_duplicates_are_refused() {
    let link = |path: &str, target: &str| {
        entry(EntryType::Symlink, path.as_bytes(), target.as_bytes(), b"")
    };
    for (entries, expected) in [
        (vec![link("a", "/etc/passwd")], "absolute"),
        (vec![link("a", "../up")], "leads out"),
        (vec![link("a/b", "../../up")], "leads out"),
        (vec![link("a/b", "c/../../../up")], "leads out"),
        (vec![link("a", "")], "no valid target"),
        (vec![file("a", ""), entry(EntryType::Link, b"b", b"a", b"")], "hard link"),
        (vec![entry(EntryType::Char, b"null", b"", b"")], "device"),
        (vec![entry(EntryType::Block, b"sda", b"", b"")], "device"),
        (vec![entry(EntryType::Fifo, b"pipe", b"", b"")], "device"),
        (vec![entry(EntryType::GNUSparse, b"sparse", b"", b"")], "neither a file"),
        (vec![file("a", "1"), file("a", "2")], "twice"),
        (vec![file("a", "1"), file("./a", "2")], "twice"),
        (vec![file("a", "1"), file("a/b", "2")], "at once"),
        (vec![file("a/b", "2"), file("a", "1")], "at once"),
    ] {
        let error = unpack(&tar(&entries)).unwrap_err().to_string();
        assert!(error.contains(expected), "{expected}: {error}");
    }
    let mut twice = zip(&[("aaaa.md", "1"), ("bbbb.md", "2")]);
    while let Some(at) = twice.windows(4).position(|window| window == b"bbbb") {
        twice[at..at + 4].copy_from_slice(b"aaaa");
    }
    let error = unpack(&twice).unwrap_err().to_string();
    assert!(error.contains("`aaaa.md`: the name occurs twice"), "{error}");
}

#[test]
fn bombs_are_stopped() {
    let usual = ArchiveLimits::default();
    let zeros = "0".repeat(40 << 20);
    let bomb = gzip(&tar(&[file("a.md", &zeros)]));
    assert!(bomb.len() < 1_000_000);
    let error = unpack_within(&bomb, ArchiveLimits { ratio: 10, ..usual }).unwrap_err().to_string();
    assert!(error.contains("10 times its size"), "{error}");
    let zipped = zip(&[("a.md", &zeros)]);
    let error = unpack_within(&zipped, ArchiveLimits { ratio: 10, ..usual }).unwrap_err();
    assert!(error.to_string().contains("10 times its size"), "{error}");
    let small = tar(&[file("a.md", "12345"), file("b.md", "12345")]);
    for (limits, expected) in [
        (ArchiveLimits { bytes: 9, ..usual }, "more than 9 bytes"),
        (ArchiveLimits { file_bytes: 4, ..usual }, "`a.md` has more than 4 bytes"),
        (ArchiveLimits { entries: 1, ..usual }, "more than 1 names"),
    ] {
        for archive in [small.clone(), gzip(&small), zip(&[("a.md", "12345"), ("b.md", "12345")])] {
            let error = unpack_within(&archive, limits).unwrap_err().to_string();
            assert!(error.contains(expected), "{expected}: {error}");
        }
    }
    assert!(unpack_within(&small, ArchiveLimits { bytes: 10, entries: 2, ..usual }).is_ok());
    // A folder with content that is not extracted.
    let content = vec![b'0'; 3 << 20];
    let hidden = tar(&[entry(EntryType::Directory, b"a/", b"", &content), file("a.md", "1")]);
    let limits = ArchiveLimits { bytes: 1 << 20, entries: 10, ..usual };
    let error = unpack_within(&hidden, limits).unwrap_err().to_string();
    assert!(error.contains("more than 1048576 bytes"), "{error}");
    let name = vec![b'n'; 2 << 20];
    let named = tar(&[entry(EntryType::GNULongName, b"long", b"", &name), file("a.md", "1")]);
    assert!(unpack(&named).unwrap_err().to_string().contains("a name of more than"));
}

#[test]
fn a_path_is_not_a_file_and_a_folder() {
    let error = unpack(&tar(&[file("a", "1"), file("a!b", "2"), file("a/b", "3")])).unwrap_err();
    assert!(error.to_string().contains("a file and a folder at once"), "{error}");
    let beside = tar(&[file("a", "1"), file("a!/b", "2"), file("aa/b", "3"), file("b/a/b", "4")]);
    assert_eq!(unpack(&beside).unwrap().entries().unwrap().len(), 4);
}

#[test]
fn names_that_are_long_in_sum_are_refused() {
    // 3,000 records that declare names of 64 KiB each.
    let mut record = b"PK\x01\x02".to_vec();
    record.resize(28, 0);
    record.extend([0xff, 0xff]);
    record.resize(46, 0);
    let archive = [b"PK\x03\x04".to_vec(), record.repeat(3000)].concat();
    let error = unpack(&archive).unwrap_err().to_string();
    assert!(error.contains("names of more than 134217728 bytes"), "{error}");
}

#[test]
fn invalid_and_truncated_archives_are_refused() {
    let whole = tar(&[file("a.md", &"text ".repeat(2000)), file("b.md", "b")]);
    for bytes in [b"hello".as_slice(), b"{\"a\": 1}", &[b'x'; 4096]] {
        assert!(matches!(unpack(bytes), Err(ArchiveError::Format)), "{bytes:?}");
    }
    for bytes in [b"".as_slice(), &[0; 1024], &tar(&[]), &zip(&[])] {
        assert!(matches!(unpack(bytes), Err(ArchiveError::Empty)), "{}", bytes.len());
    }
    let packed = gzip(&whole);
    let zipped = zip(&[("a.md", &"text ".repeat(2000))]);
    for bytes in [
        &whole[..5000],
        &packed[..packed.len() / 2],
        &packed[..packed.len() - 4],
        &zipped[..zipped.len() / 2],
        b"\x1f\x8bnonsense",
        b"PK\x03\x04nonsense",
    ] {
        let error = unpack(bytes).unwrap_err();
        assert!(matches!(error, ArchiveError::Damaged(_) | ArchiveError::Format), "{error:?}");
    }
    let mut wrong = zipped.clone();
    wrong[45] ^= 0x55;
    assert!(matches!(unpack(&wrong), Err(ArchiveError::Damaged(_))));
}

#[test]
fn a_local_folder_is_listed_without_following_links() {
    let outside = tempfile::tempdir().unwrap();
    std::fs::write(outside.path().join("secret"), "secret").unwrap();
    let root = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(root.path().join("a/.git")).unwrap();
    std::fs::write(root.path().join("a/b.md"), "b").unwrap();
    std::fs::write(root.path().join("a/.git/config"), "c").unwrap();
    std::os::unix::fs::symlink(outside.path(), root.path().join("out")).unwrap();
    let folder = LocalFolder::open(root.path()).unwrap();
    check(&folder, &[("a/b.md", "b"), ("out", outside.path().to_str().unwrap())]);
    assert_eq!(folder.entries().unwrap()[1].kind, FolderEntryKind::Symlink);
    // A folder that became a link is not followed.
    std::fs::rename(root.path().join("a"), root.path().join("old")).unwrap();
    std::os::unix::fs::symlink(outside.path(), root.path().join("a")).unwrap();
    std::fs::write(outside.path().join("b.md"), "secret").unwrap();
    assert!(folder.read(&folder.entries().unwrap()[0]).is_err());
}

#[test]
fn files_of_tar_archives_have_their_dates() {
    let mut builder = tar::Builder::new(Vec::new());
    for (path, seconds) in [("top/a.md", 1_700_000_000), ("top/b.md", 315_532_800)] {
        let mut header = Header::new_gnu();
        header.set_size(1);
        header.set_mtime(seconds);
        builder.append_data(&mut header, path, b"x".as_slice()).unwrap();
    }
    let folder = unpack(&builder.into_inner().unwrap()).unwrap();
    let date = |path: &str| folder.changed_at(path).map(|at| at.millis() / 1000);
    assert_eq!(date("a.md"), Some(1_700_000_000));
    assert_eq!(date("b.md"), None, "1980 stands for an unknown date");
    assert_eq!(unpack(&zip(&[("a.md", "x")])).unwrap().changed_at("a.md"), None);
}
