//! Memory of parsed documents, and peak memory while parsing, as multiples of the source size.

use std::hint::black_box;

use crate::{ALLOCATOR, Pages, comrak_options, parse, word};

/// Maximum memory of a document as a multiple of the size of its source, for every page.
const MOST: f64 = 20.0;
/// Minimum size of a page that is measured; in smaller ones the fixed cost dominates.
const FROM: usize = 1024;
/// Size of the hostile sources in bytes.
const HOSTILE: usize = 1_000_000;
/// Maximum memory for hostile sources. Their pieces have a byte or two, so a node is larger than
/// its source.
const MOST_HOSTILE: f64 = 200.0;

/// The memory that a result occupies, and the peak while it is computed, in bytes.
pub(super) struct Use {
    pub(super) held: usize,
    pub(super) peak: usize,
}

pub(super) fn measure<T>(work: impl FnOnce() -> T) -> Use {
    ALLOCATOR.reset_peak_usage();
    let before = ALLOCATOR.current_usage();
    let made = black_box(work());
    let peak = ALLOCATOR.peak_usage().saturating_sub(before);
    let held = ALLOCATOR.current_usage().saturating_sub(before);
    drop(made);
    Use { held, peak }
}

#[expect(clippy::cast_precision_loss, reason = "a figure of a report")]
pub(super) fn over(used: usize, size: usize) -> f64 {
    used as f64 / size.max(1) as f64
}

/// Compares the documents of pages with comrak's trees.
pub(super) fn compare(pages: &Pages) -> bool {
    let options = comrak_options();
    let (mut size, mut ours, mut comrak) = (0, Use { held: 0, peak: 0 }, 0);
    let (mut worst, mut worst_peak, mut name) = (0.0_f64, 0.0_f64, String::new());
    for page in pages.0.iter().filter(|page| page.body.len() >= FROM) {
        let length = page.body.len();
        let used = measure(|| parse(&page.body));
        let arena = measure(|| {
            let arena = comrak::Arena::new();
            black_box(comrak::parse_document(&arena, &page.body, &options));
        });
        let share = over(used.held, length);
        if share > worst {
            worst = share;
            name = format!("{}, {length} bytes", page.path.display());
        }
        worst_peak = worst_peak.max(over(used.peak, length));
        size += length;
        ours.held += used.held;
        ours.peak += used.peak;
        comrak += arena.peak;
    }
    if size == 0 {
        println!("no page of {FROM} bytes: memory is not measured");
        return true;
    }
    let fine = worst <= MOST;
    let (held, peak) = (over(ours.held, size), over(ours.peak, size));
    println!("memory over source, pages from {FROM} bytes:");
    println!("  documents {held:.1}, the worst {worst:.1} ({name})  {}", word(fine));
    println!("  at most while parsing {peak:.1}, the worst {worst_peak:.1}");
    println!("  comrak at most while parsing {:.1}", over(comrak, size));
    fine
}

/// Measures sources of the smallest possible pieces.
pub(super) fn hostile() -> bool {
    let table = |row: &str| {
        format!("|{}\n|{}\n{}", "a|".repeat(20), "-|".repeat(20), {
            row.repeat(HOSTILE / row.len())
        })
    };
    let cell = format!("|{}\n", "b|".repeat(20));
    let sources = [
        ("table, cells of one byte", table(&cell)),
        ("table, cells left out", table("|b\n")),
        ("list, items of one byte", "* a\n".repeat(HOSTILE / 4)),
        ("list, empty items", "*\n".repeat(HOSTILE / 2)),
        ("lists in lists", "* * * * * * * * a\n".repeat(HOSTILE / 18)),
        ("emphasis of one byte", "*a* ".repeat(HOSTILE / 4)),
        ("code, empty lines", format!("```\n{}", "\n".repeat(HOSTILE))),
        ("code, lines of one byte", format!("```\n{}", "a\n".repeat(HOSTILE / 2))),
        ("headings", "# a\n".repeat(HOSTILE / 4)),
        ("paragraphs", "a\n\n".repeat(HOSTILE / 3)),
        ("quotes", "> a\n\n".repeat(HOSTILE / 5)),
        ("dividers", "***\n".repeat(HOSTILE / 4)),
        ("links", "[a](b) ".repeat(HOSTILE / 7)),
        ("pictures", "![](b) ".repeat(HOSTILE / 7)),
        ("formulas", "$$a$$ ".repeat(HOSTILE / 6)),
        ("tags of HTML", "<x>".repeat(HOSTILE / 3)),
        ("block tags", "{% x %}\n".repeat(HOSTILE / 8)),
    ];
    println!("memory over source, {} KB of the smallest pieces: document, at most", HOSTILE / 1000);
    let mut fine = true;
    for (name, source) in &sources {
        let used = measure(|| parse(source));
        let (held, peak) = (over(used.held, source.len()), over(used.peak, source.len()));
        let is_fine = peak <= MOST_HOSTILE;
        println!("  {name:24} {held:>8.1} {peak:>8.1}  {}", word(is_fine));
        fine &= is_fine;
    }
    fine
}
