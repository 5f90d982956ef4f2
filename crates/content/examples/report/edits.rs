//! Edits made at random and edits made by people.

use bindery_content::print::random_edit::{EditKind, Rng, edit};
use bindery_content::print::{normal, print, print_edited};
use bindery_content::{Document, Page, markdown, source};

use crate::corpus::Repository;

/// Edits of one kind.
#[derive(Default)]
pub(crate) struct Edits {
    pub(crate) made: usize,
    /// Edits whose result is parsed as another document.
    pub(crate) wrong: usize,
    /// Edits that changed lines of other blocks.
    pub(crate) wide: usize,
}

/// Makes one edit of each kind in each file, at a position determined by the seed.
pub(crate) fn by_chance(repositories: &[Repository], seed: u64) -> Vec<(EditKind, Edits)> {
    let mut all: Vec<(EditKind, Edits)> =
        EditKind::ALL.iter().map(|kind| (*kind, Edits::default())).collect();
    for repository in repositories {
        for (path, bytes) in repository.pages() {
            let text = source::decode(&bytes);
            let body = Page::split(&text).body.of(&text);
            let context = repository.context(path);
            let before = markdown::parse(body, &context.reader());
            for (kind, edits) in &mut all {
                let Some(trial) = edit(body, &before, *kind, &mut Rng::new(seed, path)) else {
                    continue;
                };
                let printed = print_edited(body, &before, &trial.document, &context);
                let read = normal(&markdown::parse(&printed, &context.reader()), &context.reader());
                let expected = normal(&trial.document, &context.reader());
                edits.made += 1;
                edits.wrong += usize::from(!read.has_same_content_as(&expected));
                edits.wide += usize::from(!others_stay(body, trial.span, &printed));
            }
        }
    }
    all
}

/// Returns `true` if all non-blank lines outside a span are still present, in order.
fn others_stay(body: &str, span: bindery_content::Span, printed: &str) -> bool {
    let before = body.get(..span.start).unwrap_or_default();
    let start = before.rfind('\n').map_or(0, |at| at + 1);
    let rest = body.get(span.end..).unwrap_or_default();
    let ends_line = body.get(..span.end).is_some_and(|text| text.ends_with('\n'));
    let end = match rest.find('\n') {
        _ if ends_line => span.end,
        Some(at) => span.end + at,
        None => body.len(),
    };
    let head = body.get(..start).unwrap_or_default().split('\n');
    let tail = body.get(end..).unwrap_or_default().split('\n');
    let is_blank = |line: &str| line.chars().all(|c| c.is_whitespace() || c == '>');
    let mut lines = printed.split('\n');
    head.chain(tail).filter(|line| !is_blank(line)).all(|line| lines.any(|other| other == line))
}

/// Edits made by people, as pages before and after.
#[derive(Default)]
pub(crate) struct Real {
    pub(crate) edits: usize,
    /// Edits whose result is parsed as another document.
    pub(crate) wrong: usize,
    /// Edits that changed more lines than the person did.
    pub(crate) larger: usize,
    pub(crate) our_lines: usize,
    pub(crate) their_lines: usize,
}

/// Applies the edits in the directory `page-edits`: prints the document after each edit into the
/// source before it.
pub(crate) fn by_people(repositories: &[Repository]) -> Real {
    let mut real = Real::default();
    for repository in repositories.iter().filter(|one| one.folder.ends_with("page-edits")) {
        for (path, bytes) in repository.pages() {
            let Some(stem) = path.strip_suffix("/before.md") else { continue };
            let after = std::fs::read(repository.folder.join(stem).join("after.md"));
            let after = after.unwrap_or_default();
            let (before, after) = (source::decode(&bytes), source::decode(&after));
            let (before, after) =
                (Page::split(&before).body.of(&before), Page::split(&after).body.of(&after));
            let context = repository.context(path);
            let read = |text: &str| markdown::parse(text, &context.reader());
            let (old, new) = (read(before), read(after));
            let printed = print_edited(before, &old, &new, &context);
            let is_read = normal(&read(&printed), &context.reader())
                .has_same_content_as(&normal(&new, &context.reader()));
            let (ours, theirs) = (changed_lines(before, &printed), changed_lines(before, after));
            real.edits += 1;
            real.wrong += usize::from(!is_read);
            real.larger += usize::from(ours > theirs);
            real.our_lines += ours;
            real.their_lines += theirs;
        }
    }
    real
}

/// Counts the lines of `left` missing in `right` and vice versa, by the longest common subsequence
/// of lines between the equal ends.
fn changed_lines(left: &str, right: &str) -> usize {
    let left: Vec<&str> = left.split_inclusive('\n').collect();
    let right: Vec<&str> = right.split_inclusive('\n').collect();
    let start = left.iter().zip(&right).take_while(|(l, r)| l == r).count();
    let most = left.len().min(right.len()) - start;
    let ends = left.iter().rev().zip(right.iter().rev()).take(most);
    let end = ends.take_while(|(l, r)| l == r).count();
    let left = left.get(start..left.len() - end).unwrap_or_default();
    let right = right.get(start..right.len() - end).unwrap_or_default();
    let mut row = vec![0_usize; right.len() + 1];
    for l in left {
        let (mut diagonal, mut before) = (0, 0);
        for (r, cell) in right.iter().zip(row.iter_mut().skip(1)) {
            let above = *cell;
            *cell = if l == r { diagonal + 1 } else { above.max(before) };
            (diagonal, before) = (above, *cell);
        }
    }
    left.len() + right.len() - 2 * row.last().copied().unwrap_or_default()
}

/// Returns the number of pages whose canonical form is parsed as the same document, and the number
/// of all pages.
pub(crate) fn canonical(repositories: &[Repository]) -> [usize; 2] {
    let mut counts = [0; 2];
    for repository in repositories {
        for (path, bytes) in repository.pages() {
            let text = source::decode(&bytes);
            let context = repository.context(path);
            let read = |text: &str| -> Document {
                normal(&markdown::parse(text, &context.reader()), &context.reader())
            };
            let document = markdown::parse(Page::split(&text).body.of(&text), &context.reader());
            let again = read(&print(&document, &context));
            let expected = normal(&document, &context.reader());
            counts = [counts[0] + usize::from(again.has_same_content_as(&expected)), counts[1] + 1];
        }
    }
    counts
}
