//! Random edits of a repository: examining only the changes gives the same result as examining
//! everything.

use proptest::prelude::*;

use super::*;

/// Paths of pages at various positions. No two of them yield the same slug.
const PAGES: &[&str] = &[
    "README.md",
    "a.md",
    "b.md",
    "sub/README.md",
    "sub/c.md",
    "sub/deep/d.md",
    "other/e.md",
    "docs/README.md",
    "docs/f.md",
    "docs/sub2/g.md",
];
const OTHERS: &[&str] = &[
    "SUMMARY.md",
    "toc.md",
    ".gitbook.yaml",
    "docs/SUMMARY.md",
    ".gitbook/vars.yaml",
    ".gitbook/includes/i.md",
    ".gitbook/includes/j.md",
    ".gitbook/assets/x.png",
    "img/y.png",
    "docs/img/z.png",
    "data.csv",
];
const CONFIGS: &[&str] = &[
    "",
    "root: ./docs/\n",
    "structure:\n  summary: toc.md\n",
    "redirects:\n  old/place: a.md\n  older: sub/c.md\n",
    "structure:\n  readme: a.md\n",
];

/// Paths with their content, in the form that `Files` accepts.
type Model = BTreeMap<String, String>;

#[derive(Clone, Debug)]
enum Edit {
    Write(String, u32),
    /// A link at the first path to the second.
    Link(String, String),
    Delete(String),
    Move(String, String),
}

fn any_path() -> impl Strategy<Value = String> {
    let all: Vec<String> = PAGES.iter().chain(OTHERS).map(|path| (*path).to_owned()).collect();
    // Most edits concern pages.
    let pages: Vec<String> = PAGES.iter().map(|path| (*path).to_owned()).collect();
    prop_oneof![prop::sample::select(all), prop::sample::select(pages)]
}

fn any_edit() -> impl Strategy<Value = Edit> {
    prop_oneof![
        6 => (any_path(), any::<u32>()).prop_map(|(path, seed)| Edit::Write(path, seed)),
        1 => (any_path(), any_path()).prop_map(|(path, target)| Edit::Link(path, target)),
        2 => any_path().prop_map(Edit::Delete),
        2 => (any_path(), any_path()).prop_map(|(from, to)| Edit::Move(from, to)),
    ]
}

fn pick<'a>(from: &[&'a str], seed: u32) -> &'a str {
    from[seed as usize % from.len()]
}

fn content(path: &str, seed: u32) -> String {
    if path == ".gitbook.yaml" {
        return pick(CONFIGS, seed).to_owned();
    }
    if path.ends_with("SUMMARY.md") || path == "toc.md" {
        let mut text = "# Contents\n\n".to_owned();
        for (at, page) in PAGES.iter().enumerate().filter(|(at, _)| seed >> at & 1 == 1) {
            let indent = if seed >> (at + 10) & 1 == 1 { "  " } else { "" };
            let page = page.strip_prefix("docs/").filter(|_| path.starts_with("docs/"));
            let page = page.unwrap_or(PAGES[at]);
            text += &format!("{indent}* [Page {at}]({page})\n");
        }
        return text;
    }
    if path.ends_with(".yaml") {
        return format!("n: {seed}\n");
    }
    if !path.ends_with(".md") {
        return format!("bytes {}", seed % 5);
    }
    let hidden = if seed.is_multiple_of(3) { "---\nhidden: true\n---\n" } else { "" };
    let up = "../".repeat(path.matches('/').count());
    let (page, file) = (pick(PAGES, seed / 3), pick(OTHERS, seed / 7));
    // Lines that differ between pages, so that a moved page can be identified.
    let lines: String = (0..seed % 4).map(|n| format!("line {n} of {}\n\n", seed % 50)).collect();
    format!("{hidden}# Title {}\n\n[l]({up}{page}) ![i](/{file})\n\n{lines}", seed % 9)
}

fn apply(model: &mut Model, edit: &Edit) {
    match edit {
        Edit::Write(path, seed) => {
            model.insert(path.clone(), content(path, *seed));
        }
        Edit::Link(path, target) => {
            let up = "../".repeat(path.matches('/').count());
            model.insert(path.clone(), format!("->{up}{target}"));
        }
        Edit::Delete(path) => {
            model.remove(path);
        }
        Edit::Move(from, to) => {
            if let Some(text) = model.remove(from) {
                model.insert(to.clone(), text);
            }
        }
    }
}

fn files(model: &Model) -> Files {
    Files::new(model.iter().map(|(path, text)| (path.as_str(), text.as_bytes())))
}

/// Describes a space except for ids, times, paths of unreferenced files and redirects from previous
/// paths of pages.
fn shape(space: &Space) -> Vec<String> {
    let content = space.content();
    let mut lines = vec![space.outline(), format!("{:?}", content.variables)];
    lines.extend(content.sources.iter().map(|source| format!("{source:?}")));
    for child in space.tree().walk() {
        let page = space.tree().page(child.unwrap().id).unwrap();
        let body = page.body.map(|body| space.objects.get(&body).unwrap());
        let body = body.map(|body| PageBody::decode(&body).unwrap());
        let text = body.map(|body| (String::from_utf8_lossy(&body.source).into_owned(), body.path));
        lines.push(format!("{:?} {} {text:?}", page.source_path, page.hidden));
    }
    for entry in content.redirects.range(&space.objects, None, Direction::Ascending) {
        let (from, to) = entry.unwrap();
        if ![&b"old/place"[..], b"older"].contains(&&from[..]) {
            continue;
        }
        let to = match Redirect::decode(&to).unwrap() {
            Redirect::Page(page) => format!("{:?}", space.tree().page(page).unwrap().source_path),
            Redirect::Path(path) => path,
        };
        lines.push(format!("{from:?} {to}"));
    }
    lines
}

/// Imports a version of a repository. Returns the error of a failed import, which changes nothing.
fn import_version(space: &mut Space, files: &Files, commit: Option<String>) -> Option<String> {
    match space.try_import(files, &ImportOptions::default()) {
        Ok(()) => {
            space.commit = commit;
            None
        }
        Err(error) => Some(error.to_string()),
    }
}

proptest! {
    #[test]
    fn examining_the_changes_is_sufficient(
        first in prop::collection::vec((any_path(), any::<u32>()), 4..14),
        commits in prop::collection::vec(prop::collection::vec(any_edit(), 1..4), 1..5),
    ) {
        let mut model = Model::new();
        for (path, seed) in first {
            apply(&mut model, &Edit::Write(path, seed));
        }
        let (mut quick, mut slow) = (Space::new(), Space::new());
        let mut imported = Model::new();
        for (at, edits) in std::iter::once(&Vec::new()).chain(&commits).enumerate() {
            for edit in edits {
                apply(&mut model, edit);
            }
            let mut now = files(&model);
            // The last commit that was imported, which may not be the most recent one.
            if let Some(commit) = &quick.commit {
                let paths = imported.keys().chain(model.keys());
                let mut changed: Vec<String> =
                    paths.filter(|path| imported.get(*path) != model.get(*path)).cloned().collect();
                changed.sort();
                changed.dedup();
                now.changed = Some((commit.clone(), changed));
            }
            let failure = import_version(&mut quick, &now, Some(format!("commit {at}")));
            prop_assert_eq!(&failure, &import_version(&mut slow, &now, None));
            if failure.is_some() {
                continue;
            }
            imported = model.clone();
            prop_assert_eq!(quick.content(), slow.content());
            let states = (&quick.last.as_ref().unwrap().state, &slow.last.as_ref().unwrap().state);
            prop_assert_eq!(states.0, states.1);
            let mut fresh = Space::new();
            fresh.import(&now);
            prop_assert_eq!(shape(&quick), shape(&fresh));
            quick.check(&now);
        }
    }
}
