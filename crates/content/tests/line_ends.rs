//! Carriage returns that stand alone among other line endings: no edit changes them.

use std::collections::BTreeMap;

use bindery_content::print::random_edit::{EditKind, RandomEdit, Rng, edit};
use bindery_content::print::{PrintContext, normal, print_page_edited};
use bindery_content::reference::{Lookup, Names};
use bindery_content::{Page, markdown};

/// Resolves no names: references are URLs of their own text.
struct Nothing;

impl Lookup for Nothing {
    fn page(&self, _: &str) -> Option<String> {
        None
    }
    fn file(&self, _: &str) -> Option<String> {
        None
    }
    fn reusable_content(&self, _: &str) -> Option<String> {
        None
    }
}

impl Names for Nothing {
    fn page_path(&self, _: &str) -> Option<String> {
        None
    }
    fn file_path(&self, _: &str) -> Option<String> {
        None
    }
    fn reusable_content_path(&self, _: &str) -> Option<String> {
        None
    }
}

/// A page with a position for every edit. `@` marks positions for lone carriage returns, `~` a
/// position for one that separates no text.
const PAGE: &str = "# Title

First words here.@

{% hint style=\"info\" %}
Before the blank.@

@\\
After the return.

Last in the hint.@@
{% endhint %}

@One line and
another one.@

@@* an item
* a second~one@
* a third

  @with more in it

> quoted words
>
> and more of them

```shell
first~line
second line
```
@
| a | b |
| - | - |
| c | d |@

<details>

<summary>A summary</summary>

Within it.@

@Below that.

</details>

Left words~right words.

Last words.
";

/// The line endings of a page, and the carriage returns at each position for lone ones.
const FORMS: [(&str, &str, &str); 7] = [
    ("LF", "\n", "\r"),
    ("LF, two", "\n", "\r\r"),
    ("LF, spaces", "\n", " \r "),
    ("CRLF", "\r\n", "\r"),
    ("CRLF, two", "\r\n", "\r\r"),
    ("mixed", "", "\r"),
    ("mixed, two", "", "\r\r"),
];

/// Returns the page in a form. In a mixed one, every third line ends with CRLF.
fn page(line_end: &str, lone: &str) -> String {
    let lines = PAGE.split_inclusive('\n').enumerate();
    let written = lines.map(|(at, line)| {
        let mixed = if at % 3 == 1 { "\r\n" } else { "\n" };
        let end = if line_end.is_empty() { mixed } else { line_end };
        // Before a lone line feed, a carriage return is part of CRLF and not lone.
        let line = line.trim_end_matches('\n');
        let is_lone = end == "\r\n" || lone.ends_with(' ');
        let line = if is_lone { line } else { line.trim_end_matches('@') };
        line.replace('@', lone).replace('~', "\r") + end
    });
    written.collect()
}

fn is_blank(line: &str) -> bool {
    line.chars().all(|c| c.is_whitespace() || c == '>')
}

/// Returns the lines that are not blank, without line endings.
fn non_blank_lines(text: &str) -> Vec<&str> {
    let lines = text.split_inclusive('\n').map(|line| match line.strip_suffix('\n') {
        Some(ended) => ended.strip_suffix('\r').unwrap_or(ended),
        None => line,
    });
    lines.filter(|line| !is_blank(line)).collect()
}

/// Returns the non-blank lines before those of an edit, those of it, and those after it.
fn parts<'t>(source: &'t str, trial: &RandomEdit, body: usize) -> [Vec<&'t str>; 3] {
    let [first, last] = trial.lines(source, body);
    let ends: Vec<usize> = source.match_indices('\n').map(|(at, _)| at + 1).collect();
    let (from, to) = (if first > 1 { ends[first - 2] } else { 0 }, ends[last - 1]);
    [
        non_blank_lines(&source[..from]),
        non_blank_lines(&source[from..to]),
        non_blank_lines(&source[to..]),
    ]
}

fn sorted<'t>(lines: &[&'t str]) -> Vec<&'t str> {
    let mut lines = lines.to_vec();
    lines.sort_unstable();
    lines
}

/// Returns the defect of a printed edit, if any.
fn fault(source: &str, printed: &str, trial: &RandomEdit, body: usize) -> Option<&'static str> {
    let [before, own, behind] = parts(source, trial, body);
    let lines = non_blank_lines(printed);
    if !lines.starts_with(&before) || !lines.ends_with(&behind) {
        return Some("other lines differ");
    }
    let end = lines.len().saturating_sub(behind.len()).max(before.len());
    let new = lines[before.len()..end].to_vec();
    let lone =
        |lines: &[&str]| -> usize { lines.iter().map(|line| line.matches('\r').count()).sum() };
    match trial.kind {
        EditKind::Move if sorted(&own) != sorted(&new) => Some("moved lines differ"),
        EditKind::Insert if new.len() != own.len() + 1 => Some("more than a line is new"),
        EditKind::Insert if own != new[..own.len()] => Some("a line differs"),
        EditKind::Delete if !new.is_empty() => Some("something stays"),
        EditKind::Move | EditKind::Insert | EditKind::Delete => None,
        _ if lone(&own) != lone(&new) => Some("a return is lost"),
        _ => None,
    }
}

#[test]
fn returns_alone_stay_where_they_are() {
    let context = PrintContext { path: "page.md", lookup: &Nothing, names: &Nothing };
    let read = |text: &str| markdown::parse(text, &context.reader());
    let mut made = BTreeMap::<&str, usize>::new();
    let mut faults = Vec::new();
    for (form, line_end, lone) in FORMS {
        let source = page(line_end, lone);
        let body = Page::split(&source).body;
        let before = read(body.of(&source));
        for kind in EditKind::ALL {
            for seed in 0..60 {
                let chance = &mut Rng::new(seed, form);
                let Some(trial) = edit(body.of(&source), &before, kind, chance) else { continue };
                *made.entry(kind.name()).or_default() += 1;
                let printed = print_page_edited(&source, &before, &trial.document, &context);
                let after = read(Page::split(&printed).body.of(&printed));
                let expected = normal(&trial.document, &context.reader());
                let is_read = normal(&after, &context.reader()).has_same_content_as(&expected);
                let fault = fault(&source, &printed, &trial, body.start);
                if let Some(fault) = fault.or((!is_read).then_some("is read otherwise")) {
                    let lines = trial.lines(&source, body.start);
                    faults.push(format!("{form}: {} {lines:?} {fault}", kind.name()));
                }
            }
        }
    }
    faults.sort_unstable();
    faults.dedup();
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
    assert!(made.len() == EditKind::ALL.len(), "{made:?}");
}
