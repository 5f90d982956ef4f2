//! Real repositories, where `BINDERY_CORPUS` names a folder of them: every page is printed.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use bindery_content::print::trial::{Chance, EditKind, edit};
use bindery_content::print::{PrintContext, normal, print, print_edited};
use bindery_content::reference::{Lookup, Names};
use bindery_content::{Document, Page, markdown, source};

/// A repository: which files it has. Ids are paths.
struct Repository {
    folder: PathBuf,
    paths: HashSet<String>,
}

impl Lookup for Repository {
    fn page(&self, path: &str) -> Option<String> {
        let is_page = path.ends_with(".md") && !path.contains(".gitbook/includes/");
        (is_page && self.paths.contains(path)).then(|| path.to_owned())
    }
    fn file(&self, path: &str) -> Option<String> {
        (!path.ends_with(".md") && self.paths.contains(path)).then(|| path.to_owned())
    }
    fn reusable_content(&self, path: &str) -> Option<String> {
        let is_one = path.ends_with(".md") && path.contains(".gitbook/includes/");
        (is_one && self.paths.contains(path)).then(|| path.to_owned())
    }
}

impl Names for Repository {
    fn page_path(&self, page: &str) -> Option<String> {
        self.paths.contains(page).then(|| page.to_owned())
    }
    fn file_path(&self, file: &str) -> Option<String> {
        self.paths.contains(file).then(|| file.to_owned())
    }
    fn reusable_content_path(&self, reusable_content: &str) -> Option<String> {
        self.paths.contains(reusable_content).then(|| reusable_content.to_owned())
    }
}

impl Repository {
    fn open(folder: &Path) -> Self {
        let mut paths = HashSet::new();
        collect(folder, folder, &mut paths);
        if let Ok(assets) = std::fs::read_to_string(folder.join("ASSETS.txt")) {
            let names = assets.lines().filter_map(|line| line.split_once('\t'));
            paths.extend(names.map(|(_, path)| path.to_owned()));
        }
        Self { folder: folder.to_owned(), paths }
    }

    fn context<'c>(&'c self, path: &'c str) -> PrintContext<'c> {
        PrintContext { path, lookup: self, names: self }
    }

    /// The pages with their sources, in order.
    fn pages(&self) -> Vec<(String, Vec<u8>)> {
        let mut pages: Vec<_> = self
            .paths
            .iter()
            .filter(|path| path.ends_with(".md"))
            .filter_map(|path| Some((path.clone(), std::fs::read(self.folder.join(path)).ok()?)))
            .collect();
        pages.sort();
        pages
    }
}

fn collect(root: &Path, folder: &Path, paths: &mut HashSet<String>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => collect(root, &path, paths),
            Ok(kind) if kind.is_file() => {
                if let Ok(relative) = path.strip_prefix(root) {
                    paths.insert(relative.to_string_lossy().into_owned());
                }
            }
            _ => {}
        }
    }
}

fn repositories() -> Vec<Repository> {
    let Some(corpus) = std::env::var_os("BINDERY_CORPUS") else {
        return Vec::new();
    };
    let only = std::env::var("BINDERY_CORPUS_ONLY").unwrap_or_default();
    let mut folders: Vec<PathBuf> = std::fs::read_dir(corpus)
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.is_dir() && path.display().to_string().contains(&only))
        .collect();
    folders.sort();
    folders.iter().map(|folder| Repository::open(folder)).collect()
}

/// The first line in which two texts differ, with a few around it.
fn difference(left: &str, right: &str) -> String {
    let left: Vec<&str> = left.lines().collect();
    let right: Vec<&str> = right.lines().collect();
    let at = left.iter().zip(&right).take_while(|(l, r)| l == r).count();
    let around = |lines: &[&str]| {
        lines.iter().skip(at.saturating_sub(6)).take(12).copied().collect::<Vec<_>>().join("\n")
    };
    format!("--- expected\n{}\n--- found\n{}\n", around(&left), around(&right))
}

fn json(document: &Document) -> String {
    let text = serde_json::to_string_pretty(document).unwrap_or_default();
    let is_key = |line: &str| line.trim_start().starts_with("\"key\":");
    text.lines().filter(|line| !is_key(line)).collect::<Vec<_>>().join("\n")
}

/// The JSON of a document without keys and without the marks that delimiters stand for.
fn unmarked(document: &Document) -> serde_json::Value {
    use serde_json::Value;
    fn strip(value: &mut Value) {
        match value {
            Value::Array(values) => values.iter_mut().for_each(strip),
            Value::Object(object) => {
                object.remove("key");
                object.values_mut().for_each(strip);
                if let Some(Value::Array(leaves)) = object.get_mut("leaves") {
                    join(leaves);
                }
            }
            _ => {}
        }
    }
    fn join(leaves: &mut Vec<Value>) {
        let mut joined: Vec<Value> = Vec::new();
        for mut leaf in std::mem::take(leaves) {
            if let Some(marks) = leaf["marks"].as_array_mut() {
                let dropped = ["bold", "italic", "strikethrough"];
                marks.retain(|mark| !dropped.iter().any(|name| mark["type"] == *name));
            }
            match joined.last_mut().filter(|last| last["marks"] == leaf["marks"]) {
                Some(last) => {
                    let text = [&last["text"], &leaf["text"]].map(|t| t.as_str().unwrap_or(""));
                    last["text"] = Value::String(text.concat());
                }
                None => joined.push(leaf),
            }
        }
        *leaves = joined;
    }
    let mut value = serde_json::to_value(document).unwrap_or_default();
    strip(&mut value);
    value
}

/// Why a document cannot be printed so that it is read as just this document again; `None` where
/// it can.
fn reason(document: &Document, read: &Document) -> Option<&'static str> {
    let opaque = |document: &Document| json(document).matches("\"opaque\"").count();
    if unmarked(document) == unmarked(read) {
        Some("marks neither begin nor end at a space")
    } else if opaque(read) < opaque(document) {
        Some("text that was left over within HTML is a paragraph where it stands alone")
    } else {
        None
    }
}

#[test]
fn every_page_prints_canonically() {
    let (mut pages, mut failed, mut restless) = (0, 0, 0);
    let mut reasons = std::collections::BTreeMap::<&str, usize>::new();
    for repository in repositories() {
        for (path, bytes) in repository.pages() {
            let text = source::decode(&bytes);
            let body = Page::split(&text).body;
            let context = repository.context(&path);
            let document = markdown::parse(body.of(&text), &context.reader());
            let printed = print(&document, &context);
            let read = markdown::parse(&printed, &context.reader());
            let again = print(&read, &context);
            pages += 1;
            let name = repository.folder.join(&path).display().to_string();
            if !read.says_the_same_as(&document) {
                let expected = normal(&document, &context.reader());
                let is_normal = normal(&read, &context.reader()).says_the_same_as(&expected);
                match reason(&document, &read).filter(|_| is_normal) {
                    Some(reason) => *reasons.entry(reason).or_default() += 1,
                    None => {
                        failed += 1;
                        println!("{name}\n{}", difference(&json(&document), &json(&read)));
                    }
                }
            }
            if again != printed {
                restless += 1;
                println!("{name}\n{}", difference(&printed, &again));
            }
        }
    }
    println!("{pages} pages, {failed} failed, {restless} printed otherwise again, {reasons:?}");
    assert_eq!((failed, restless), (0, 0));
}

/// How many lines of `left` are not in `right`, and the other way round: the longest common run
/// of lines, by dynamic programming after what agrees at both ends.
fn changed_lines(left: &str, right: &str) -> usize {
    let left: Vec<&str> = left.split_inclusive('\n').collect();
    let right: Vec<&str> = right.split_inclusive('\n').collect();
    let start = left.iter().zip(&right).take_while(|(l, r)| l == r).count();
    let most = left.len().min(right.len()) - start;
    let end = left.iter().rev().zip(right.iter().rev()).take(most).take_while(|(l, r)| l == r);
    let end = end.count();
    let (left, right) = (&left[start..left.len() - end], &right[start..right.len() - end]);
    let mut row = vec![0_usize; right.len() + 1];
    for l in left {
        let mut diagonal = 0;
        for (index, r) in right.iter().enumerate() {
            let above = row[index + 1];
            row[index + 1] = if l == r { diagonal + 1 } else { above.max(row[index]) };
            diagonal = above;
        }
    }
    left.len() + right.len() - 2 * row[right.len()]
}

#[test]
fn real_edits_are_no_larger_than_they_were() {
    let (mut edits, mut larger, mut wrong, mut ours_all, mut real_all) = (0, 0, 0, 0, 0);
    for repository in repositories() {
        if !repository.folder.ends_with("page-edits") {
            continue;
        }
        for (path, bytes) in repository.pages() {
            let Some(stem) = path.strip_suffix("/before.md") else {
                continue;
            };
            let after = std::fs::read(repository.folder.join(stem).join("after.md"));
            let after = after.unwrap_or_default();
            let (before, after) = (source::decode(&bytes), source::decode(&after));
            let context = repository.context(&path);
            let (old_body, new_body) =
                (Page::split(&before).body.of(&before), Page::split(&after).body.of(&after));
            let old = markdown::parse(old_body, &context.reader());
            let new = markdown::parse(new_body, &context.reader());
            let printed = print_edited(old_body, &old, &new, &context);
            let read = normal(&markdown::parse(&printed, &context.reader()), &context.reader());
            edits += 1;
            if !read.says_the_same_as(&normal(&new, &context.reader())) {
                wrong += 1;
                println!("WRONG {stem}");
            }
            let (ours, real) =
                (changed_lines(old_body, &printed), changed_lines(old_body, new_body));
            ours_all += ours;
            real_all += real;
            if ours > real {
                larger += 1;
                println!("LARGER {stem}: {ours} {real}");
                if let Some(folder) = std::env::var_os("BINDERY_KEEP") {
                    let name = stem.replace('/', "-");
                    let folder = PathBuf::from(folder);
                    let _ = std::fs::write(folder.join(format!("{name}.ours")), &printed);
                    let _ = std::fs::write(folder.join(format!("{name}.old")), old_body);
                    let _ = std::fs::write(folder.join(format!("{name}.real")), new_body);
                }
            }
        }
    }
    println!("{edits} edits, {larger} larger, {wrong} wrong, {ours_all} lines of {real_all}");
}

/// Whether all lines of `left` that are not blank are in `right`, in their order.
fn is_contained(left: impl Iterator<Item = impl AsRef<str>>, right: &str) -> bool {
    let mut lines = right.split_inclusive('\n').map(|line| line.trim_end_matches('\n'));
    let is_blank = |line: &str| line.chars().all(|c| c.is_whitespace() || c == '>');
    let mut left = left.filter(|line| !is_blank(line.as_ref()));
    left.all(|line| lines.any(|other| other == line.as_ref()))
}

#[test]
fn one_edit_touches_one_block() {
    let mut counts = std::collections::BTreeMap::<&str, [usize; 3]>::new();
    let mut shown = 0;
    for repository in repositories() {
        for (path, bytes) in repository.pages() {
            let text = source::decode(&bytes);
            let body = Page::split(&text).body.of(&text);
            let context = repository.context(&path);
            let before = markdown::parse(body, &context.reader());
            assert_eq!(print_edited(body, &before, &before.clone(), &context), body, "{path}");
            for kind in EditKind::ALL {
                let mut chance = Chance::new(1, &path);
                let Some(trial) = edit(&before, kind, &mut chance) else {
                    continue;
                };
                let printed = print_edited(body, &before, &trial.document, &context);
                let read = normal(&markdown::parse(&printed, &context.reader()), &context.reader());
                let expected = normal(&trial.document, &context.reader());
                let is_read = read.says_the_same_as(&expected);
                let start = body[..trial.span.start].rfind('\n').map_or(0, |at| at + 1);
                let rest = &body[trial.span.end..];
                let end = rest.find('\n').map_or(body.len(), |at| trial.span.end + at);
                let end = if body[..trial.span.end].ends_with('\n') { trial.span.end } else { end };
                let others = body[..start].split('\n').chain(body[end..].split('\n'));
                let stays = is_contained(others, &printed);
                let count = counts.entry(kind.name()).or_default();
                count[0] += 1;
                count[1] += usize::from(!is_read);
                count[2] += usize::from(!stays);
                if !is_read || !stays {
                    shown += 1;
                    if shown <= 400 {
                        println!(
                            "{} {} {path} read {is_read} stays {stays}",
                            kind.name(),
                            repository.folder.display()
                        );
                    }
                    if shown <= 60
                        && let Some(folder) = std::env::var_os("BINDERY_KEEP")
                    {
                        let folder = PathBuf::from(folder);
                        let name = format!("{shown}-{}", kind.name());
                        let _ = std::fs::write(folder.join(format!("{name}.new")), &printed);
                        let _ = std::fs::write(folder.join(format!("{name}.old")), body);
                        let _ =
                            std::fs::write(folder.join(format!("{name}.span")), &body[start..end]);
                    }
                }
            }
        }
    }
    println!("{counts:?}");
}
