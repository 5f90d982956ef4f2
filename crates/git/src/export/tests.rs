use std::collections::BTreeMap;
use std::path::Path;

use bindery_model::{Entropy, PageId, Timestamp};
use bindery_outbound::CancellationToken;
use bindery_revision::tree::{self, Position, Tree};
use bindery_revision::{Hash, MemoryObjects, Staging};

use super::*;
use crate::import::view::is_markdown;
use crate::import::{ImportContext, ImportResult, import};
use crate::{FilesInMemory, LocalFolder};

/// A space that was imported from a folder.
struct Space {
    objects: MemoryObjects,
    synced: ImportResult,
    /// The content with changes since.
    now: Content,
}

impl Space {
    fn of(folder: &dyn Folder) -> Self {
        let mut objects = MemoryObjects::new();
        let mut new = Vec::new();
        let mut sink = |objects| {
            new.extend::<Vec<(Hash, Bytes)>>(objects);
            Ok(())
        };
        let context = ImportContext {
            now: Timestamp::from_millis(1_000),
            entropy: &Entropy::seeded(3),
            progress: &|_| {},
            cancel: &CancellationToken::new(),
            large_files: None,
        };
        let options = ImportOptions::default();
        let synced = import(folder, &options, None, &objects, &mut sink, &context).unwrap();
        objects.extend(new);
        Self { objects, now: synced.content.clone(), synced }
    }

    /// Returns the new texts of the files that differ; `None` for deleted ones.
    fn edits(&self, folder: &dyn Folder, complete: bool) -> BTreeMap<String, Option<String>> {
        let synced = Synced { content: &self.synced.content, state: &self.synced.state };
        let options = EditOptions { project_directory: "", complete };
        let edits = edits(&self.now, Some(synced), folder, &self.objects, options).unwrap();
        edits.files.into_values().map(|edit| (edit.at, self.text(&edit.after))).collect()
    }

    fn text(&self, after: &After) -> Option<String> {
        let bytes = match after {
            After::Text(text) => text.clone(),
            After::Body(body) => pages::source_of(&self.objects, body).unwrap(),
            After::Object { hash, .. } => self.objects.get(hash).unwrap(),
            After::Deleted => return None,
        };
        Some(bindery_content::source::decode(&bytes).into_owned())
    }

    fn page(&self, title: &str) -> PageId {
        let mut walk = Tree::new(&self.now, &self.objects).walk();
        walk.find_map(|child| child.ok().filter(|child| child.entry.title == title)).unwrap().id
    }

    /// Gives the page of a file another path.
    fn move_file(&mut self, from: &str, to: &str) {
        let all = self.now.pages.range(&self.objects, None, Direction::Ascending);
        let mut pages = all.map(|entry| PageRecord::decode(&entry.unwrap().1).unwrap());
        let page = pages.find(|page| page.source_path.as_deref() == Some(from)).unwrap();
        let page = PageRecord { source_path: Some(to.to_owned()), ..page };
        let mut staging = Staging::new(&self.objects);
        let edit = (Bytes::copy_from_slice(page.id.as_bytes()), Some(page.encode().unwrap()));
        self.now.pages = self.now.pages.apply(&mut staging, [edit]).unwrap();
        let owner = self.now.paths.get(&self.objects, from.as_bytes()).unwrap();
        let paths = [(from, None), (to, owner)]
            .map(|(path, owner)| (Bytes::copy_from_slice(path.as_bytes()), owner));
        self.now.paths = self.now.paths.apply(&mut staging, paths).unwrap();
        let new = staging.drain();
        self.objects.extend(new);
    }

    fn relocate(&mut self, title: &str, parent: Option<&str>, at: u64) {
        let (id, parent) = (self.page(title), parent.map(|parent| self.page(parent)));
        let mut staging = Staging::new(&self.objects);
        let moved = tree::relocate(&self.now, &mut staging, id, parent, Position::At(at));
        self.now = moved.unwrap().0;
        let new = staging.drain();
        self.objects.extend(new);
    }
}

fn folder(files: &[(&str, &str)]) -> FilesInMemory {
    let file = |(path, text): &(&str, &str)| ((*path).to_owned(), Bytes::from((*text).to_owned()));
    FilesInMemory::new(files.iter().map(file).collect())
}

#[test]
fn only_the_moved_entry_changes_in_the_table_of_contents() {
    let table = "Contents\n===\n\n<!-- kept -->\n- [A](./a.md)\n    * [B](b.md)\n- Text\n\
                 - [Out](https://example.com/)\n    - [C](c.md)\n- [A again](a.md)\n\n## Group <a href=\"#g\" id=\"g\"></a>\n\n\
                 1. [D](d.md)\n2. [Absent](absent.md)\n";
    let page = "# Page\n";
    let files = folder(&[
        ("README.md", page),
        ("SUMMARY.md", table),
        ("a.md", page),
        ("b.md", page),
        ("c.md", page),
        ("d.md", page),
    ]);
    let mut space = Space::of(&files);
    assert_eq!(space.edits(&files, false), BTreeMap::new());
    space.relocate("D", None, 1);
    let edits = space.edits(&files, false);
    let written = edits["SUMMARY.md"].as_deref().unwrap();
    let expected =
        table.replace("1. [D](d.md)\n", "").replace("- [A](./a.md)", "1. [D](d.md)\n- [A](./a.md)");
    assert_eq!(written, expected);
    assert_eq!(edits.len(), 1);
}

#[test]
fn the_table_of_contents_follows_moved_files() {
    let page = "# Page\n";
    let table = "# Contents\n\n* [Home](README.md)\n* [A](./a.md)\n  * [B](b.md)\n";
    let listed = [("README.md", page), ("SUMMARY.md", table), ("a.md", page), ("b.md", page)];
    for (files, expected) in
        [(&listed[..], Some(table.replace("./a.md", "deep/a.md"))), (&listed[2..], None)]
    {
        let files = folder(files);
        let mut space = Space::of(&files);
        space.move_file("a.md", "deep/a.md");
        let edits = space.edits(&files, false);
        assert_eq!(edits["a.md"], None);
        assert_eq!(edits["deep/a.md"].as_deref(), Some(page));
        assert_eq!(edits.get("SUMMARY.md").cloned().flatten(), expected);
    }
}

#[test]
fn a_folder_without_a_table_of_contents_gets_one_when_pages_move() {
    let files = folder(&[("README.md", "# Start\n"), ("a.md", "# A\n"), ("b/c.md", "# C\n")]);
    let mut space = Space::of(&files);
    assert_eq!(space.edits(&files, false), BTreeMap::new());
    space.relocate("A", None, 0);
    let written = space.edits(&files, false)["SUMMARY.md"].clone().unwrap();
    assert!(
        written.starts_with("# Table of contents\n\n* [A](a.md)\n* [Start](README.md)\n"),
        "{written}"
    );
}

/// Exports every folder in the directory that `BINDERY_CORPUS` names, if it is set.
#[test]
fn real_repositories_are_exported_as_they_were() {
    let Some(corpus) = std::env::var_os("BINDERY_CORPUS") else { return };
    let mut files = 0;
    for entry in std::fs::read_dir(Path::new(&corpus)).unwrap() {
        let path = entry.unwrap().path();
        if !path.is_dir() {
            continue;
        }
        let folder = LocalFolder::open(&path).unwrap();
        if !folder.entries().unwrap().iter().any(|entry| is_markdown(&entry.path)) {
            continue;
        }
        let space = Space::of(&folder);
        assert_eq!(space.edits(&folder, false), BTreeMap::new(), "{}", path.display());
        for (at, text) in space.edits(&folder, true) {
            let file = path.join(&at);
            let bytes =
                std::fs::read(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
            let expected = bindery_content::source::decode(&bytes);
            assert!(text.as_deref() == Some(&*expected), "{at} of {}", path.display());
            files += 1;
        }
    }
    assert!(files > 1_000, "{files} files");
}
