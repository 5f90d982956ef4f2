//! Tests with many pages, and with real folders if they are provided.

use std::path::Path;

use super::*;

/// Pages of about 2 KB in folders of a hundred.
fn many(pages: usize) -> Vec<(String, String)> {
    let mut files: Vec<(String, String)> = (0..pages)
        .map(|n| {
            let text = format!("Line {n} of some text. ").repeat(80);
            let link = format!("[next](../f{}/p{}.md)", (n + 1) / 100, n + 1);
            (format!("f{}/p{n}.md", n / 100), format!("# Page {n}\n\n{text}\n\n{link}\n"))
        })
        .collect();
    let summary: String =
        (0..pages).map(|n| format!("* [Page {n}](f{}/p{n}.md)\n", n / 100)).collect();
    files.push(("SUMMARY.md".to_owned(), summary));
    files
}

fn folder(files: &[(String, String)]) -> Files {
    Files::new(files.iter().map(|(path, text)| (path.as_str(), text.as_bytes())))
}

#[test]
fn changing_one_page_of_many_writes_a_handful_of_objects() {
    let mut files = many(5_000);
    let mut space = Space::new();
    space.import(&folder(&files));
    assert_eq!(space.tree().len(), 5_000);
    files[2_345].1.push_str("\nmore\n");
    let after = folder(&files);
    space.import(&after);
    assert_eq!(*after.reads.lock().unwrap(), ["f23/p2345.md"]);
    let (objects, bytes) = space.written;
    assert!(objects <= 16 && bytes <= 128 * 1024, "{objects} objects, {bytes} bytes");
}

/// A folder on the disk, used only for folders that are provided to the tests.
struct Disk {
    root: std::path::PathBuf,
    entries: Vec<FolderEntry>,
}

impl Disk {
    fn open(root: &Path) -> Self {
        let mut entries = Vec::new();
        let mut pending = vec![root.to_path_buf()];
        while let Some(folder) = pending.pop() {
            for entry in std::fs::read_dir(folder).unwrap() {
                let entry = entry.unwrap();
                let kind = entry.file_type().unwrap();
                if kind.is_dir() {
                    pending.push(entry.path());
                    continue;
                }
                let path = entry.path();
                let bytes = std::fs::read(&path).unwrap();
                entries.push(FolderEntry {
                    path: path.strip_prefix(root).unwrap().to_str().unwrap().to_owned(),
                    kind: FolderEntryKind::File,
                    blob: BlobId::from_bytes(&Hash::of(&bytes).as_bytes()[..20]),
                    size: bytes.len() as u64,
                });
            }
        }
        entries.sort_by(|a, b| a.path.cmp(&b.path));
        Self { root: root.to_path_buf(), entries }
    }
}

impl Folder for Disk {
    fn entries(&self) -> Result<&[FolderEntry], FolderError> {
        Ok(&self.entries)
    }

    fn read(&self, entry: &FolderEntry) -> std::io::Result<Vec<u8>> {
        std::fs::read(self.root.join(&entry.path))
    }
}

/// Imports every folder in the directory that `BINDERY_CORPUS` names, if it is set.
#[test]
fn real_folders_are_imported_whole() {
    let Some(corpus) = std::env::var_os("BINDERY_CORPUS") else {
        return;
    };
    for repository in std::fs::read_dir(corpus).unwrap() {
        let repository = repository.unwrap();
        if !repository.file_type().unwrap().is_dir() {
            continue;
        }
        let disk = Disk::open(&repository.path());
        if !disk.entries.iter().any(|entry| view::is_markdown(&entry.path)) {
            continue;
        }
        let name = disk.root.file_name().unwrap().to_string_lossy().into_owned();
        let mut space = Space::new();
        space.try_import(&disk, &ImportOptions::default()).unwrap();
        let first = space.last.clone().unwrap();
        println!("{name}: {:?}, {} warnings", first.counts, first.warnings.len());
        for warning in first.warnings.iter().take(5) {
            println!("    {}: {}", warning.path, warning.message);
        }
        let mut walked = 0;
        for child in space.tree().walk() {
            let page = space.tree().page(child.unwrap().id).unwrap();
            assert!(!page.title.is_empty() && !page.slug.is_empty());
            if let (Some(path), Some(body)) = (&page.source_path, page.body) {
                let body = PageBody::decode(&space.objects.get(&body).unwrap()).unwrap();
                assert_eq!(
                    &body.source[..],
                    std::fs::read(disk.root.join(path)).unwrap(),
                    "{path}"
                );
            }
            walked += 1;
        }
        assert_eq!(walked, first.counts.pages);
        space.try_import(&disk, &ImportOptions::default()).unwrap();
        let second = space.last.unwrap();
        assert_eq!(first.content, second.content, "{name}");
        assert_eq!(space.written, (0, 0), "{name}");
    }
}
