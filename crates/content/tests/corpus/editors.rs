//! Edits of real front matter, tables of contents and configurations: a change affects only its own
//! lines and is parsed as it was made.

use bindery_content::config::{self, Config};
use bindery_content::front_matter::{self, FrontMatter, Tag};
use bindery_content::summary::{self, EntryKind, Item};
use bindery_content::{Change, source};

use crate::corpus;

/// Returns the texts of the corpus files whose names satisfy `is_wanted`.
fn texts(is_wanted: impl Fn(&str) -> bool) -> Vec<(String, String)> {
    let files = corpus::repositories().into_iter().flat_map(|folder| corpus::files(&folder));
    let name = |path: &std::path::Path| path.file_name().map(|n| n.to_string_lossy().into_owned());
    let wanted = files.filter(|path| name(path).is_some_and(|name| is_wanted(&name)));
    let read = wanted.map(|path| {
        let text = source::decode(&std::fs::read(&path).unwrap_or_default()).into_owned();
        (path.display().to_string(), text)
    });
    read.collect()
}

/// Returns the range of lines of `old` that differ in `new`, from the first to the last.
fn changed(old: &[&str], new: &[&str]) -> (usize, usize) {
    let most = old.len().min(new.len());
    let start = old.iter().zip(new).take_while(|(l, r)| l == r).count();
    let ends = old.iter().rev().zip(new.iter().rev()).take(most - start);
    (start, old.len() - ends.take_while(|(l, r)| l == r).count())
}

/// Returns the lines of a top-level key in front matter, or `None` if it is absent.
fn lines_of(source: &[&str], key: &str) -> Option<(usize, usize)> {
    let end = source.iter().skip(1).position(|line| line.trim_end() == "---");
    let own = source.get(..end.map_or(source.len(), |end| end + 1))?;
    let start = own
        .iter()
        .position(|line| line.strip_prefix(key).is_some_and(|rest| rest.starts_with(':')))?;
    let is_more = |line: &&&str| line.starts_with([' ', '\t', '-']) && !line.starts_with("---");
    let more = source[start + 1..].iter().take_while(is_more).count();
    Some((start, start + 1 + more))
}

fn check_key(path: &str, old: &str, new: &str, key: &str) {
    let (before, after): (Vec<&str>, Vec<&str>) =
        (old.split('\n').collect(), new.split('\n').collect());
    let (start, end) = changed(&before, &after);
    let fits = match lines_of(&before, key) {
        Some((first, last)) => start >= first && end <= last,
        None => start >= end,
    };
    assert!(
        fits,
        "{path}: {key}: {:?} became {:?}",
        &before[start..end.max(start)],
        after.get(start..)
    );
}

type Edit = fn(&mut FrontMatter);

/// Keys and edits that change them.
const EDITS: [(&str, Edit); 11] = [
    ("description", |page| page.description = Some("A new: text # with 'signs'".to_owned())),
    ("description", |page| page.description = None),
    ("icon", |page| page.icon = Some("key".to_owned())),
    ("hidden", |page| page.hidden = !page.hidden),
    ("noIndex", |page| page.no_index = !page.no_index),
    ("if", |page| page.condition = Some("!visitor.claims.x".to_owned())),
    ("vars", |page| drop(page.variables.insert("added".to_owned(), "5.8".into()))),
    ("cover", |page| page.cover = None),
    ("layout", |page| page.layout.outline = !page.layout.outline),
    ("tags", |page| page.tags.push(Tag { tag: "added".to_owned(), primary: None })),
    ("metaLinks", |page| page.meta_links.alternates.push("/added".to_owned())),
];

#[test]
fn a_key_of_a_front_matter_changes_its_lines() {
    let (mut pages, mut done) = (0, 0);
    for (path, text) in texts(|name| name.ends_with(".md")) {
        let Some((_, yaml)) = front_matter::locate(&text) else {
            continue;
        };
        let (old, warnings) = front_matter::parse(yaml.of(&text));
        if !warnings.is_empty() || yaml.of(&text).trim().is_empty() {
            continue;
        }
        pages += 1;
        assert_eq!(front_matter::update(&text, &old).as_deref(), Ok(text.as_str()), "{path}");
        for (key, edit) in EDITS {
            let mut new = old.clone();
            edit(&mut new);
            // Several keys describe one image.
            if new == old
                || key == "cover"
                    && lines_of(&text.split('\n').collect::<Vec<_>>(), "coverY").is_some()
            {
                continue;
            }
            let written = front_matter::update(&text, &new).expect("can be read");
            let read = front_matter::locate(&written)
                .map_or_else(FrontMatter::default, |(_, yaml)| {
                    front_matter::parse(yaml.of(&written)).0
                });
            assert_eq!(read, new, "{path}: {key}");
            done += 1;
            // Front matter is removed with its last key.
            if front_matter::locate(&written).is_some() {
                check_key(&path, &text, &written, key);
            }
        }
        for key in
            yaml.of(&text).lines().filter_map(|line| line.split_once(':')).map(|(key, _)| key)
        {
            let is_plain = key.starts_with(|c: char| c.is_ascii_alphabetic())
                && key.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-');
            if !is_plain {
                continue;
            }
            let written =
                front_matter::edit(&text, &[Change::set(&[key], "changed")]).expect("can be read");
            check_key(&path, &text, &written, key);
            done += 1;
        }
    }
    println!("{pages} front matters, {done} edits");
}

#[test]
fn a_redirect_changes_its_line() {
    for (path, text) in texts(|name| name == ".gitbook.yaml") {
        let (old, _) = config::parse(&text);
        assert_eq!(config::update(&text, &old).as_deref(), Ok(text.as_str()), "{path}");
        let mut edits: Vec<Config> = Vec::new();
        for at in 0..old.redirects.len() {
            let mut without = old.clone();
            without.redirects.remove(at);
            let mut with = old.clone();
            with.redirects[at].1 = "moved/here.md".to_owned();
            edits.extend([without, with]);
        }
        let mut more = old.clone();
        more.redirects.push(("an/old/path".to_owned(), "a/new.md".to_owned()));
        edits.push(more);
        for new in edits.iter().step_by(edits.len() / 200 + 1) {
            let written = config::update(&text, new).expect("can be read");
            assert_eq!(config::parse(&written).0.redirects, new.redirects, "{path}");
            let (before, after): (Vec<&str>, Vec<&str>) =
                (text.split('\n').collect(), written.split('\n').collect());
            let (start, end) = changed(&before, &after);
            assert!(end <= start + 1, "{path}: {:?}", &before[start..end]);
        }
    }
}

#[test]
fn a_variable_changes_its_line() {
    for (path, text) in texts(|name| name == "vars.yaml") {
        let (old, _) = config::parse_variables(&text);
        assert_eq!(config::update_variables(&text, &old).as_deref(), Ok(text.as_str()), "{path}");
        for name in old.keys().map(String::as_str).chain(["added"]) {
            let mut new = old.clone();
            new.insert(name.to_owned(), "a: 'text' # of mine".into());
            let written = config::update_variables(&text, &new).expect("can be read");
            assert_eq!(config::parse_variables(&written).0, new, "{path}");
            check_key(&path, &text, &written, name);
        }
    }
}

/// Returns the list that contains the entry with this number, and its index there.
fn find(items: &mut Vec<Item>, at: usize) -> Option<(&mut Vec<Item>, usize)> {
    fn size(item: &Item) -> usize {
        1 + item.children.iter().map(size).sum::<usize>()
    }
    let mut left = at;
    let mut place = 0;
    while let Some(item) = items.get(place).filter(|item| left >= size(item)) {
        left -= size(item);
        place += 1;
    }
    match left {
        _ if place == items.len() => None,
        0 => Some((items, place)),
        _ => find(&mut items[place].children, left - 1),
    }
}

/// Returns the number of descendants of an entry.
fn below(entry: &summary::Entry) -> usize {
    entry.children.iter().map(|child| 1 + below(child)).sum()
}

/// Returns `true` if all lines of the source outside an entry are still present in order, ignoring
/// blank lines and rules.
fn others_stay(old: &str, new: &str, own: std::ops::Range<usize>) -> bool {
    let is_said = |line: &str| !line.trim_matches([' ', '\t', '\r', '*', '-', '_']).is_empty();
    let mut lines = new.split('\n');
    let others =
        old.split('\n').enumerate().filter(|(at, line)| !own.contains(at) && is_said(line));
    others.map(|(_, line)| line).all(|line| lines.any(|other| other == line))
}

#[test]
fn an_entry_of_a_table_of_contents_changes_its_lines() {
    let (mut tables, mut done) = (0, 0);
    for (path, text) in texts(|name| name == "SUMMARY.md") {
        let summary = summary::parse(&text, "SUMMARY.md");
        let entries: Vec<_> = summary.walk().collect();
        assert_eq!(summary::edit(&text, "SUMMARY.md", &summary.items()), text, "{path}");
        tables += 1;
        let source = (path.as_str(), text.as_str());
        // If a page moved before a link to it, the link would become the page.
        let has_links = entries.iter().any(|entry| match &entry.kind {
            EntryKind::Link { target } => !target.contains("://"),
            _ => false,
        });
        for at in (0..entries.len()).step_by(entries.len() / 10 + 1) {
            let entry = entries[at];
            // A file that is listed twice is a page at the first occurrence and a link elsewhere.
            let is_twice = |entry: &summary::Entry| match &entry.kind {
                EntryKind::Page { path } => text.matches(path.as_str()).count() > 1,
                _ => false,
            };
            if entries.iter().skip(at).take(1 + below(entry)).any(|entry| is_twice(entry)) {
                continue;
            }
            let line = entry.lines.start..entry.lines.start + 1;
            let edited = |edit: &dyn Fn(&mut Vec<Item>, usize)| {
                let mut items = summary.items();
                if let Some((list, place)) = find(&mut items, at) {
                    edit(list, place);
                }
                items
            };
            if !matches!(entry.kind, EntryKind::Computed { .. }) {
                let renamed = edited(&|list, place| list[place].title = "New title".to_owned());
                let more = check_table(source, &renamed, line.clone(), "renamed", at);
                assert_eq!(more, 0, "{path} {at}");
            }
            if let EntryKind::Page { .. } = entry.kind {
                let new = EntryKind::Page { path: "elsewhere/new page.md".to_owned() };
                let moved = edited(&|list, place| list[place].kind = new.clone());
                let more = check_table(source, &moved, line.clone(), "another file", at);
                assert_eq!(more, 0, "{path} {at}");
                let added = edited(&|list, place| {
                    let item =
                        Item { kind: new.clone(), children: Vec::new(), ..list[place].clone() };
                    list.insert(place + 1, item);
                });
                let more = check_table(source, &added, 0..0, "added", at);
                assert_eq!(more, 1, "{path} {at}");
            }
            let removed = edited(&|list, place| drop(list.remove(place)));
            check_table(source, &removed, entry.lines.clone(), "removed", at);
            done += 4;
            if matches!(entry.kind, EntryKind::Group { .. }) || has_links {
                continue;
            }
            done += check_moves(source, &summary, at);
        }
    }
    println!("{tables} tables of contents, {done} edits");
}

/// Moves an entry to other places, and returns the number of moves.
fn check_moves(source: (&str, &str), summary: &summary::Summary, at: usize) -> usize {
    let entries: Vec<_> = summary.walk().collect();
    let entry = entries[at];
    let mut done = 0;
    for to in [at + 1, at + 7, at / 2, 0, entries.len()] {
        let mut items = summary.items();
        let Some((list, place)) = find(&mut items, at) else { continue };
        let moved = list.remove(place);
        match find(&mut items, to) {
            Some((list, place)) => list.insert(place, moved),
            None => items.push(moved),
        }
        check_table(source, &items, entry.lines.clone(), "moved", at);
        done += 1;
    }
    done
}

/// Checks a table of contents with these items, which differs from the original only in the lines
/// `own`. Returns the number of added entries.
fn check_table(
    (path, text): (&str, &str),
    items: &[Item],
    own: std::ops::Range<usize>,
    what: &str,
    at: usize,
) -> isize {
    let written = summary::edit(text, "SUMMARY.md", items);
    assert_eq!(summary::parse(&written, "SUMMARY.md").items(), items, "{path}: {what} {at}");
    assert!(others_stay(text, &written, own), "{path}: {what} {at}\n{written}");
    let count = |text: &str| {
        text.lines().filter(|line| line.trim_start().starts_with(['*', '-', '+'])).count()
    };
    count(&written) as isize - count(text) as isize
}
