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
    println!("## Corpus\n");
    println!("| what | count |\n| --- | --: |");
    println!("| repositories | {repositories} |");
    println!("| Markdown files | {files} |");
    println!("| bytes | {bytes} |");
    println!("| blocks | {} |", counts.blocks);
    println!("| fingerprint of names and contents | `{fingerprint:016x}` |\n");
    println!("## Round trips\n");
    println!(
        "Each file is parsed and printed without a change, and the result is compared byte for \
         byte. For the second row, the document is converted to JSON and back before it is \
         printed, as for a client of the API that saves a document without a change.\n"
    );
    println!("| path | identical files | share |\n| --- | --: | --: |");
    for (name, same) in
        [("parse, print", identical), ("parse, convert to JSON and back, print", identical_by_json)]
    {
        println!("| {name} | {same} of {files} | {:.3} % |", percent(*same, *files));
    }
    println!();
}

fn print_opaque(counts: &Counts) {
    let all = counts.all_opaque();
    println!("## Opaque blocks\n");
    println!(
        "Syntax without a type in the document model becomes an opaque block, which is kept byte \
         for byte and shown as readable text. These are {all} of {} blocks, {:.2} %.\n",
        counts.blocks,
        percent(all, counts.blocks)
    );
    println!("| kind | blocks |\n| --- | --: |");
    let mut kinds: Vec<(&String, &usize)> = counts.opaque.iter().collect();
    kinds.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
    for (name, count) in kinds.iter().take(NAMED) {
        println!("| {name} | {count} |");
    }
    let rest: usize = kinds.iter().skip(NAMED).map(|(_, count)| **count).sum();
    println!("| {} others | {rest} |\n", kinds.len().saturating_sub(NAMED));
}

fn print_edits(repositories: &[corpus::Repository]) {
    println!("## Random edits\n");
    println!(
        "One edit of each kind is made in every file, at a random position (seed {SEED}). The \
         printed result must parse to the edited document, and no line of another block may \
         change.\n"
    );
    println!(
        "| kind | edits | different document | other lines changed |\n| --- | --: | --: | --: |"
    );
    let mut sums = [0; 3];
    for (kind, edits) in edits::by_chance(repositories, SEED) {
        let edits::Edits { made, wrong, wide } = edits;
        println!("| {} | {made} | {wrong} | {wide} |", kind.name());
        sums = [sums[0] + made, sums[1] + wrong, sums[2] + wide];
    }
    println!("| all | {} | {} | {} |\n", sums[0], sums[1], sums[2]);
    let edits::Real { edits, wrong, larger, our_lines, their_lines } =
        edits::by_people(repositories);
    println!("## Real edits\n");
    println!(
        "For pages before and after a real commit, the document after the commit is printed into \
         the source before it. The table counts removed and added lines.\n"
    );
    println!("| what | count |\n| --- | --: |");
    println!("| edits | {edits} |");
    println!("| results with a different document | {wrong} |");
    println!("| differences larger than the real difference | {larger} |");
    println!("| changed lines, Bindery | {our_lines} |");
    println!("| changed lines, author | {their_lines} |\n");
    let [same, all] = edits::canonical(repositories);
    println!("## Canonical form\n");
    println!(
        "Documents without a source are printed in one canonical style. Of {all} pages that are \
         printed in this way, {same} parse to the same document: {:.3} %.",
        percent(same, all)
    );
}
