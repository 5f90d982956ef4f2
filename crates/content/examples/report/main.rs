//! Parses, edits and prints every page of the repositories in a directory, and writes a report of
//! the counts as Markdown.
//!
//! `cargo run --release --example report -- FOLDER`; `cargo xtask report content` writes the report
//! to the project's documentation.

#![expect(clippy::print_stdout, reason = "printing is its purpose")]

mod corpus;
mod counts;
mod edits;

use std::path::Path;

use counts::Counts;

/// Seed for the positions of edits.
const SEED: u64 = 1;
/// Maximum number of kinds of opaque blocks that are listed.
const NAMED: usize = 20;

fn main() {
    let folder = std::env::args().nth(1).unwrap_or_else(|| ".".to_owned());
    let repositories = corpus::repositories(Path::new(&folder));
    let counts = Counts::of(&repositories);
    print_counts(&counts);
    print_opaque(&counts);
    print_edits(&repositories);
}

#[expect(clippy::cast_precision_loss, reason = "a figure of a report")]
fn percent(part: usize, whole: usize) -> f64 {
    100.0 * part as f64 / whole.max(1) as f64
}

fn print_counts(counts: &Counts) {
    let Counts { repositories, files, bytes, fingerprint, identical, identical_by_json, .. } =
        counts;
    println!("## What was read\n");
    println!("| what | count |\n| --- | --: |");
    println!("| repositories | {repositories} |");
    println!("| Markdown files | {files} |");
    println!("| bytes of them | {bytes} |");
    println!("| blocks that were read | {} |", counts.blocks);
    println!("| fingerprint of all names and bytes | `{fingerprint:016x}` |\n");
    println!("## Round trips\n");
    println!(
        "A file is read and printed again without a change. It comes out as it was where every \
         byte is the same. The second row sends the document as JSON and reads it back before it \
         is printed, as a client of the API does that saves what it got.\n"
    );
    println!("| way | files as they were | share |\n| --- | --: | --: |");
    for (name, same) in [("read, printed", identical), ("and as JSON between", identical_by_json)] {
        println!("| {name} | {same} of {files} | {:.3} % |", percent(*same, *files));
    }
    println!();
}

fn print_opaque(counts: &Counts) {
    let all = counts.all_opaque();
    println!("## Opaque blocks\n");
    println!(
        "What is not understood, and what the model has no type for, is an opaque block: it is \
         kept byte for byte and shown readably. These are {all} of {} blocks, {:.2} %.\n",
        counts.blocks,
        percent(all, counts.blocks)
    );
    println!("| what it is | blocks |\n| --- | --: |");
    let mut kinds: Vec<(&String, &usize)> = counts.opaque.iter().collect();
    kinds.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
    for (name, count) in kinds.iter().take(NAMED) {
        println!("| {name} | {count} |");
    }
    let rest: usize = kinds.iter().skip(NAMED).map(|(_, count)| **count).sum();
    println!("| {} others | {rest} |\n", kinds.len().saturating_sub(NAMED));
}

fn print_edits(repositories: &[corpus::Repository]) {
    println!("## Edits by chance\n");
    println!(
        "In every file one edit of each kind, at a place that the seed {SEED} chooses. The result \
         has to be read as the edited document, and no line of another block may change.\n"
    );
    println!("| kind | made | read otherwise | touched other lines |\n| --- | --: | --: | --: |");
    let mut sums = [0; 3];
    for (kind, edits) in edits::by_chance(repositories, SEED) {
        let edits::Edits { made, wrong, wide } = edits;
        println!("| {} | {made} | {wrong} | {wide} |", kind.name());
        sums = [sums[0] + made, sums[1] + wrong, sums[2] + wide];
    }
    println!("| all | {} | {} | {} |\n", sums[0], sums[1], sums[2]);
    let edits::Real { edits, wrong, larger, our_lines, their_lines } =
        edits::by_people(repositories);
    println!("## Edits by people\n");
    println!(
        "Pages before and after a real commit: the document after it is printed into the source \
         before it, and the lines that differ are counted, those taken away and those put in.\n"
    );
    println!("| what | count |\n| --- | --: |");
    println!("| edits | {edits} |");
    println!("| results that are read otherwise | {wrong} |");
    println!("| differences larger than the real one | {larger} |");
    println!("| changed lines, ours | {our_lines} |");
    println!("| changed lines, real | {their_lines} |\n");
    let [same, all] = edits::canonical(repositories);
    println!("## Canonical form\n");
    println!(
        "A document without a source is printed in one style. Of {all} pages printed so, {same} \
         are read as the same document: {:.3} %.",
        percent(same, all)
    );
}
