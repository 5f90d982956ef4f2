//! Counts that are cheap to compute: files read, files reproduced, blocks of unknown types.

use std::collections::BTreeMap;

use bindery_content::document::{Block, BlockKind, OpaqueKind, Visit};
use bindery_content::json::JsonContext;
use bindery_content::print::print_page_edited;
use bindery_content::{Document, Page, markdown, source};

use crate::corpus::Repository;

/// Counts over a corpus.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(crate) repositories: usize,
    pub(crate) files: usize,
    pub(crate) bytes: usize,
    /// A fingerprint of the names and bytes of all files.
    pub(crate) fingerprint: u64,
    /// Files that are printed identically.
    pub(crate) identical: usize,
    /// Files that are printed identically after their document went through JSON.
    pub(crate) identical_by_json: usize,
    pub(crate) blocks: usize,
    /// Blocks without a type in the contract, by name.
    pub(crate) opaque: BTreeMap<String, usize>,
}

impl Counts {
    pub(crate) fn of(repositories: &[Repository]) -> Self {
        let mut counts = Self { repositories: repositories.len(), ..Self::default() };
        for repository in repositories {
            for (path, bytes) in repository.pages() {
                counts.page(repository, path, &bytes);
            }
        }
        counts
    }

    fn page(&mut self, repository: &Repository, path: &str, bytes: &[u8]) {
        self.files += 1;
        self.bytes += bytes.len();
        for byte in path.bytes().chain(bytes.iter().copied()) {
            self.fingerprint =
                (self.fingerprint ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01B3);
        }
        let text = source::decode(bytes);
        let context = repository.context(path);
        let read = || markdown::parse(Page::split(&text).body.of(&text), &context.reader());
        let document = read();
        let comes_back = |after: &Document| {
            let printed = print_page_edited(&text, &document, after, &context);
            source::restore(bytes, &text, &printed) == bytes
        };
        self.identical += usize::from(comes_back(&read()));
        let json = serde_json::to_value(&document).unwrap_or_default();
        let context = JsonContext {
            path,
            lookup: context.lookup,
            names: context.names,
            parse: markdown::parse,
        };
        let sent = Document::from_json(&json, &context);
        self.identical_by_json += usize::from(sent.is_ok_and(|sent| comes_back(&sent)));
        document.walk(self);
    }

    pub(crate) fn all_opaque(&self) -> usize {
        self.opaque.values().sum()
    }
}

impl<'d> Visit<'d> for Counts {
    fn block(&mut self, block: &'d Block) {
        self.blocks += 1;
        let BlockKind::Opaque(opaque) = &block.kind else { return };
        let name = match opaque.block {
            OpaqueKind::Comment => "comment".to_owned(),
            OpaqueKind::Updates => "list of updates".to_owned(),
            OpaqueKind::Prompt => "prompt".to_owned(),
            OpaqueKind::Unknown => name_of(&opaque.source),
        };
        *self.opaque.entry(name).or_default() += 1;
    }
}

/// Returns the name of the block tag or HTML element at the start of an unknown source.
fn name_of(source: &str) -> String {
    let word = |text: &str| -> String {
        let is_part = |c: &char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '@');
        text.trim_start().chars().take_while(is_part).collect::<String>().to_ascii_lowercase()
    };
    match source.strip_prefix("{%").map(word) {
        Some(name) => format!("tag `{{% {name} %}}`"),
        None => match source.strip_prefix('<').map(|rest| word(rest.trim_start_matches('/'))) {
            Some(name) if !name.is_empty() => format!("element `<{name}>`"),
            _ => "other source".to_owned(),
        },
    }
}
