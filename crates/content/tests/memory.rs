//! A parsed document takes at most twenty times the memory of its source.

use bindery_content::reference::NoLookup;
use bindery_content::{ParseContext, markdown};
use peak_alloc::PeakAlloc;

#[global_allocator]
static ALLOCATOR: PeakAlloc = PeakAlloc;

/// A single test, because the allocator counts for the whole process.
#[test]
fn documents_take_little_memory() {
    let contents =
        "* [Some title](folder/some-page.md)\n  * [Another title](folder/within/page.md)\n";
    let words =
        "Some words of a paragraph with **bold** ones and a [link](https://example.org).\n\n";
    let table = format!(
        "| Some name | What it is |\n|---|---|\n{}",
        "| `name` | Some words that say what it is. |\n".repeat(40)
    );
    let code = format!("```\n{}```\n", "let name = call(argument);\n".repeat(60));
    for (name, source) in [
        ("contents", contents.repeat(30)),
        ("words", words.repeat(30)),
        ("table", table),
        ("code", code),
        ("steps", "1. Do this first.\n   Then that.\n\n".repeat(40)),
    ] {
        let context = ParseContext { path: "page.md", lookup: &NoLookup };
        let before = ALLOCATOR.current_usage();
        let document = markdown::parse(&source, &context);
        let used = ALLOCATOR.current_usage() - before;
        assert!(used <= 20 * source.len(), "{name}: {used} bytes for {}", source.len());
        drop(document);
    }
}
