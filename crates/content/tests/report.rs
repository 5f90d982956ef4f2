//! The committed report is correct for the corpus that it names, if `BINDERY_CORPUS` is that
//! corpus.

#[path = "../examples/report/corpus.rs"]
mod corpus;
#[path = "../examples/report/counts.rs"]
mod counts;

use std::path::Path;

use counts::Counts;

const REPORT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/reports/content.md");

#[test]
fn the_report_has_the_counts_of_its_corpus() {
    let Some(folder) = std::env::var_os("BINDERY_CORPUS") else { return };
    let counts = Counts::of(&corpus::repositories(Path::new(&folder)));
    assert_eq!(counts.identical, counts.files, "every file comes out as it was");
    assert_eq!(counts.identical_by_json, counts.files, "also after its document was JSON");
    let report = std::fs::read_to_string(REPORT).expect("the report");
    if !report.contains(&format!("`{:016x}`", counts.fingerprint)) {
        // Not the corpus of the report.
        return;
    }
    let (files, opaque) = (counts.files, counts.all_opaque());
    for line in [
        format!("| repositories | {} |", counts.repositories),
        format!("| Markdown files | {files} |"),
        format!("| bytes | {} |", counts.bytes),
        format!("| parse, print | {files} of {files} | 100.000 % |"),
        format!("| parse, convert to JSON and back, print | {files} of {files} | 100.000 % |"),
        format!("These are {opaque} of {} blocks", counts.blocks),
    ] {
        assert!(report.contains(&line), "`cargo xtask report content` writes anew: {line}");
    }
}
