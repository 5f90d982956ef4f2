//! Real edits from the directory in `BINDERY_CORPUS`: unchanged blocks keep their keys.

#![expect(clippy::expect_used, reason = "a test that cannot go on fails")]

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use bindery_content::identity::{Text, transfer_text};
use bindery_content::markdown::{parse, parse_as};
use bindery_content::reference::NoLookup;
use bindery_content::{Document, Identity, Page, ParseContext};
use serde_json::Value;

const CONTEXT: ParseContext<'_> = ParseContext { path: "page.md", lookup: &NoLookup };

/// Finds pairs of files `before.md` and `after.md`.
fn edits(folder: &Path, found: &mut Vec<(PathBuf, Vec<u8>, Vec<u8>)>) {
    let pair = (std::fs::read(folder.join("before.md")), std::fs::read(folder.join("after.md")));
    if let (Ok(before), Ok(after)) = pair {
        found.push((folder.to_owned(), before, after));
    }
    let mut folders: Vec<_> = std::fs::read_dir(folder).into_iter().flatten().flatten().collect();
    folders.sort_by_key(std::fs::DirEntry::path);
    for entry in folders.into_iter().filter(|entry| entry.path().is_dir()) {
        edits(&entry.path(), found);
    }
}

/// Removes everything from a value in which two equal blocks can differ.
fn bare(value: &Value) -> Value {
    match value {
        Value::Array(values) => values.iter().map(bare).collect(),
        Value::Object(object) => object
            .iter()
            .filter(|(name, _)| !matches!(name.as_str(), "key" | "meta"))
            .map(|(name, value)| (name.clone(), bare(value)))
            .collect(),
        other => other.clone(),
    }
}

/// Returns the keys of all blocks by content, and the keys of all nodes.
fn keys(document: &Document) -> (HashMap<String, HashSet<String>>, Vec<String>) {
    fn collect(
        value: &Value,
        blocks: &mut HashMap<String, HashSet<String>>,
        all: &mut Vec<String>,
    ) {
        match value {
            Value::Array(values) => values.iter().for_each(|value| collect(value, blocks, all)),
            Value::Object(object) => {
                if let Some(Value::String(key)) = object.get("key") {
                    all.push(key.clone());
                    // Lines of code are distinguished only by their surroundings.
                    if object.get("object") == Some(&Value::from("block"))
                        && object.get("type") != Some(&Value::from("code-line"))
                        && object.get("type") != Some(&Value::from("image"))
                    {
                        let same = blocks.entry(bare(value).to_string()).or_default();
                        same.insert(key.clone());
                    }
                }
                object.values().for_each(|value| collect(value, blocks, all));
            }
            _ => {}
        }
    }
    let (mut blocks, mut all) = (HashMap::new(), Vec::new());
    collect(&serde_json::to_value(document).expect("JSON"), &mut blocks, &mut all);
    (blocks, all)
}

fn document(source: &[u8], identity: &[u8]) -> Document {
    let source = String::from_utf8_lossy(source);
    parse_as(Page::split(&source).body.of(&source), &CONTEXT, &Identity::decode(identity))
}

#[test]
fn real_edits_keep_the_keys_of_what_they_leave_alone() {
    let Some(corpus) = std::env::var_os("BINDERY_CORPUS") else { return };
    let mut found = Vec::new();
    edits(&PathBuf::from(corpus).join("page-edits"), &mut found);
    let (mut unchanged, mut kept, mut derived, mut bytes) = (0, 0, 0, 0);
    for (folder, before, after) in &found {
        let old = document(before, &[]);
        let text = |source| Text { source, path: "page.md" };
        let identity = transfer_text(text(before), &[], text(after), false);
        let new = document(after, &identity);
        let pure = document(after, &[]);
        assert!(new.has_same_content_as(&pure), "{}", folder.display());
        let (old, _) = keys(&old);
        let (new, all) = keys(&new);
        let (pure, _) = keys(&pure);
        assert_eq!(all.iter().collect::<HashSet<_>>().len(), all.len(), "{}", folder.display());
        for (says, old) in &old {
            let same = |new: &HashMap<_, HashSet<String>>| {
                new.get(says)
                    .map_or((0, 0), |new| (old.len().min(new.len()), old.intersection(new).count()))
            };
            unchanged += same(&new).0;
            kept += same(&new).1;
            derived += same(&pure).1;
        }
        bytes += identity.len();
        // Reverting the edit restores all keys.
        let back = transfer_text(text(after), &identity, text(before), false);
        let (back, _) = keys(&document(before, &back));
        for (says, now) in &new {
            let Some(then) = back.get(says) else { continue };
            assert_eq!(
                now.intersection(then).count(),
                now.len().min(then.len()),
                "{}: {says}",
                folder.display()
            );
        }
    }
    println!(
        "{} edits: {unchanged} unchanged blocks, {kept} keep their keys, {derived} would without \
         help; {bytes} bytes of identities",
        found.len()
    );
    assert_eq!(unchanged, kept);
}

/// Keys must not depend on the surroundings of a page, as an import knows less about them than a
/// reader.
#[test]
fn keys_depend_on_the_text_alone() {
    struct All;
    impl bindery_content::Lookup for All {
        fn page(&self, path: &str) -> Option<String> {
            Some(path.to_owned())
        }
        fn file(&self, path: &str) -> Option<String> {
            Some(path.to_owned())
        }
        fn reusable_content(&self, path: &str) -> Option<String> {
            Some(path.to_owned())
        }
    }
    let body = "[a](b.md)\n\n![c](d.png)\n\n{% include \"e.md\" %}\n\n{% file src=\"f.pdf\" %}\n\n\
        {% content-ref url=\"g.md\" %}\n[g](g.md)\n{% endcontent-ref %}\n\n[h.md](h.md \"mention\")\n";
    let known = ParseContext { path: "x/y.md", lookup: &All };
    assert_eq!(keys(&parse(body, &known)).1, keys(&parse(body, &CONTEXT)).1);
}
