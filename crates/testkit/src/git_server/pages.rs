//! Generated pages for benchmarks, which are the same on every machine.

use super::Change;

const WORDS: &[&str] = &[
    "the",
    "server",
    "keeps",
    "each",
    "page",
    "of",
    "a",
    "space",
    "in",
    "its",
    "revision",
    "and",
    "readers",
    "find",
    "them",
    "by",
    "path",
    "when",
    "configuration",
    "changes",
    "deployments",
    "restart",
    "without",
    "losing",
    "requests",
    "tokens",
    "expire",
    "after",
    "seven",
    "days",
    "unless",
    "an",
    "administrator",
    "renews",
    "organization",
    "settings",
    "allow",
    "members",
    "to",
    "review",
    "before",
    "merging",
    "webhook",
    "delivers",
    "event",
    "with",
    "signature",
    "retry",
    "until",
    "endpoint",
    "answers",
    "database",
    "storage",
    "backup",
    "schedule",
    "nightly",
    "example",
    "command",
    "prints",
    "result",
    "table",
    "shows",
    "default",
    "limits",
    "for",
    "plan",
];

/// Generates `count` Markdown pages of about 4 KB in folders of 100. The result depends only on
/// `count`.
pub fn generated_pages(count: usize) -> impl Iterator<Item = Change> {
    (0..count).map(|number| {
        let path = format!("section-{:04}/page-{number:06}.md", number / 100);
        Change::file(path, page(number))
    })
}

fn page(number: usize) -> String {
    let mut random = Random((number as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let mut out = format!("# Page {number}\n\n");
    while out.len() < 4000 {
        match random.below(8) {
            0 => {
                out.push_str("## ");
                random.words(&mut out, 4);
            }
            1 => {
                for _ in 0..4 {
                    out.push_str("* ");
                    random.words(&mut out, 8);
                    out.push('\n');
                }
            }
            2 => {
                out.push_str("```sh\n");
                random.words(&mut out, 12);
                out.push_str("\n```");
            }
            3 => {
                let other = random.below(100);
                out.push_str(&format!("See [page {other}](page-{other:06}.md) about "));
                random.words(&mut out, 10);
                out.push('.');
            }
            _ => random.words(&mut out, 60),
        }
        out.push_str("\n\n");
    }
    out
}

/// A xorshift generator. Its texts compress about as well as real ones.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 11).unwrap_or_default() % limit
    }

    fn words(&mut self, out: &mut String, count: usize) {
        for n in 0..count {
            if n > 0 {
                out.push(' ');
            }
            let number = self.below(4000);
            match WORDS.get(number % (WORDS.len() * 2)) {
                Some(word) => out.push_str(word),
                None => out.push_str(&format!("item{number}")),
            }
        }
    }
}
