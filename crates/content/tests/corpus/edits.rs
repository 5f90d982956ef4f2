//! Edits of real pages: only the lines of the edited block change.

use std::collections::BTreeMap;
use std::path::PathBuf;

use bindery_content::print::random_edit::{EditKind, RandomEdit, Rng, any_edit, edit};
use bindery_content::print::{normal, print_edited, print_page_edited};
use bindery_content::{Document, Page, Span, markdown, source};

use crate::repository::{Repository, repositories};

/// Counts the lines of `left` missing in `right` and vice versa, by the longest common subsequence
/// of lines between the equal ends.
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
            if !read.has_same_content_as(&normal(&new, &context.reader())) {
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
    assert_eq!((wrong, larger), (0, 0));
    assert!(ours_all <= real_all, "{ours_all} {real_all}");
}

/// The seeds to try, unless `BINDERY_SEEDS` specifies others.
const SEEDS: std::ops::Range<u64> = 1..2;

fn seeds() -> Vec<u64> {
    match std::env::var("BINDERY_SEEDS") {
        Ok(named) => named.split(',').filter_map(|seed| seed.parse().ok()).collect(),
        Err(_) => SEEDS.collect(),
    }
}

/// The name of a form and the function that converts a text to it.
type Form = (&'static str, fn(&str) -> String);

/// Forms in which a file with the same content can be stored.
const FORMS: [Form; 5] = [
    ("as it is", str::to_owned),
    ("lines end with CRLF", |text| text.replace("\r\n", "\n").replace('\n', "\r\n")),
    ("begins with a byte order mark", |text| format!("\u{FEFF}{}", bare(text))),
    ("the last line has no end", |text| text.trim_end_matches(['\n', '\r']).to_owned()),
    ("all of that", |text| {
        let text = bare(text).trim_end_matches(['\n', '\r']).replace("\r\n", "\n");
        format!("\u{FEFF}{}", text.replace('\n', "\r\n"))
    }),
];

/// Removes the byte order mark of a text.
fn bare(text: &str) -> &str {
    text.trim_start_matches('\u{FEFF}')
}

fn is_blank(line: &str) -> bool {
    line.chars().all(|c| c.is_whitespace() || c == '>')
}

/// Returns `true` if `printed` has the lines of `source` outside `place` before and after one range
/// of lines. Blank lines next to `place` are ignored.
fn stays_outside(source: &str, printed: &str, place: Span) -> bool {
    let line = |at: usize| source[..at].matches('\n').count();
    let text = place.of(source);
    let (mut first, last) = (line(place.start), line(place.start + text.trim_end().len()));
    // A byte order mark belongs to no line.
    let lines = |text| bare(text).split_inclusive('\n').collect::<Vec<_>>();
    let (old, new) = (lines(source), lines(printed));
    while first > 0 && is_blank(old[first - 1]) {
        first -= 1;
    }
    let mut end = last + 1;
    while end < old.len() && is_blank(old[end]) {
        end += 1;
    }
    let rest = old.len() - end;
    first + rest <= new.len()
        && old.iter().zip(&new).take(first).all(|(l, r)| is_same_line(l, r))
        && old.iter().rev().zip(new.iter().rev()).take(rest).all(|(l, r)| is_same_line(l, r))
}

/// Returns `true` if two lines are equal. The last line of a text may lack its line ending.
fn is_same_line(left: &str, right: &str) -> bool {
    let text = |line: &str| line.trim_end_matches(['\n', '\r']).len();
    let is_open = !left.ends_with('\n') || !right.ends_with('\n');
    left == right || is_open && left[..text(left)] == right[..text(right)]
}

/// Returns `true` if `printed` contains all non-blank lines of `source` outside `place`, in order.
fn is_contained(source: &str, printed: &str, place: Span) -> bool {
    let start = source[..place.start].rfind('\n').map_or(0, |at| at + 1);
    let end = place.start + place.of(source).trim_end().len();
    let end = source[end..].find('\n').map_or(source.len(), |at| end + at);
    are_contained(bare(&source[..start]).lines().chain(source[end..].lines()), printed)
}

/// Returns `true` if `printed` contains all non-blank lines, in order.
fn are_contained<'l>(lines: impl Iterator<Item = &'l str>, printed: &str) -> bool {
    let mut others = bare(printed).lines();
    lines.filter(|line| !is_blank(line)).all(|line| others.any(|other| other == line))
}

/// Returns `true` if two texts have the same non-blank lines in any order.
fn same_lines(left: &str, right: &str) -> bool {
    let lines = |text: &str| {
        let mut lines: Vec<String> = bare(text).lines().map(str::to_owned).collect();
        lines.retain(|line| !is_blank(line));
        lines.sort_unstable();
        lines
    };
    lines(left) == lines(right)
}

/// A printed edit of a page.
struct Printed<'t> {
    source: &'t str,
    printed: String,
    trial: RandomEdit,
    /// The offset of the page's body.
    body: usize,
}

impl Printed<'_> {
    /// Returns the defect of the printed edit, if any.
    fn fault(&self, repository: &Repository, path: &str) -> Option<&'static str> {
        let context = repository.context(path);
        let reader = context.reader();
        let body = Page::split(&self.printed).body;
        let read = normal(&markdown::parse(body.of(&self.printed), &reader), &reader);
        if !read.has_same_content_as(&normal(&self.trial.document, &reader)) {
            return Some("is not read as it should be");
        }
        if self.printed == self.source {
            return Some("changes nothing");
        }
        let (span, reach) =
            (self.trial.span.shifted(self.body), self.trial.reach.shifted(self.body));
        let stays = match self.trial.kind {
            EditKind::Move if same_lines(self.source, &self.printed) => true,
            EditKind::Insert => are_contained(bare(self.source).lines(), &self.printed),
            _ => is_contained(self.source, &self.printed, span),
        };
        if !stays {
            return Some("touches other blocks");
        }
        let stays = stays_outside(self.source, &self.printed, reach);
        (!stays).then_some("touches other lines")
    }
}

#[test]
fn one_edit_touches_one_block() {
    let mut edits = BTreeMap::<&str, usize>::new();
    let mut faults = BTreeMap::<(&str, &str, &str), usize>::new();
    for repository in repositories() {
        for (at, (path, bytes)) in repository.pages().into_iter().enumerate() {
            let plain = source::decode(&bytes);
            let context = repository.context(&path);
            // Tests every page as it is with every second kind of edit, the next one with the
            // others, and in one other form with a single edit.
            for number in [0, 1 + at % (FORMS.len() - 1)] {
                let (form, write) = FORMS[number];
                let text = write(&plain);
                let body = Page::split(&text).body;
                let before = markdown::parse(body.of(&text), &context.reader());
                let same = print_page_edited(&text, &before, &before.clone(), &context);
                assert_eq!(same, text, "{path}, {form}");
                let kinds = EditKind::ALL.into_iter().skip(at % 2).step_by(2);
                let kinds = (number == 0).then_some(kinds);
                for trial in trials(body.of(&text), &before, &path, kinds) {
                    let kind = trial.kind.name();
                    let printed = print_page_edited(&text, &before, &trial.document, &context);
                    let printed = Printed { source: &text, printed, trial, body: body.start };
                    *edits.entry(kind).or_default() += 1;
                    if let Some(fault) = printed.fault(&repository, &path) {
                        let count = faults.entry((kind, form, fault)).or_default();
                        *count += 1;
                        println!("{kind} {}/{path}, {form}: {fault}", repository.folder.display());
                        keep(&printed, &format!("{kind}-{number}-{count}"), fault);
                    }
                }
            }
        }
    }
    println!("{edits:?}\n{faults:?}");
    assert!(faults.is_empty(), "{faults:?}");
}

/// Returns the edits of a page for all seeds: one of each kind, or a random one.
fn trials(
    source: &str,
    before: &Document,
    path: &str,
    kinds: Option<impl Iterator<Item = EditKind> + Clone>,
) -> Vec<RandomEdit> {
    let of = |seed| {
        let chance = || Rng::new(seed, path);
        match kinds.clone() {
            Some(kinds) => {
                kinds.filter_map(|kind| edit(source, before, kind, &mut chance())).collect()
            }
            None => Vec::from_iter(any_edit(source, before, &mut chance())),
        }
    };
    seeds().into_iter().flat_map(of).collect()
}

/// Writes the result of an edit to the directory in `BINDERY_KEEP`.
fn keep(printed: &Printed<'_>, name: &str, fault: &str) {
    let Some(folder) = std::env::var_os("BINDERY_KEEP").map(PathBuf::from) else {
        return;
    };
    let span = printed.trial.span.shifted(printed.body);
    let _ = std::fs::write(folder.join(format!("{name}.new")), &printed.printed);
    let _ = std::fs::write(folder.join(format!("{name}.old")), printed.source);
    let text = format!("{fault}\n{}", span.of(printed.source));
    let _ = std::fs::write(folder.join(format!("{name}.span")), text);
}
