//! Finds the anchors that links mean. Links from other tools and older texts spell an anchor
//! differently: in another letter case, with other punctuation, or with the marks that GitHub drops.

use std::collections::HashMap;

use crate::document::{Block, BlockKind, Document, Key, Leaf, Visit, plain_text};
use crate::{reference, slug};

/// The anchors of a text.
#[derive(Debug, Default)]
pub struct AnchorIndex {
    /// The anchors with the titles of what they mark; an empty one if it has none.
    anchors: HashMap<String, String>,
    /// The anchors by their folded form; `None` if several have it.
    folded: HashMap<String, Option<String>>,
    /// The anchors of titles by the folded form of the title; `None` if several have it.
    titles: HashMap<String, Option<String>>,
}

impl AnchorIndex {
    /// Returns the anchors of a document, including the ids in its HTML.
    #[must_use]
    pub fn of(document: &Document) -> Self {
        let mut collect = Collect { document, index: Self::default() };
        let aliases = document.aliases.values().flatten().cloned();
        collect.index.anchors.extend(aliases.map(|alias| (alias, String::new())));
        document.walk(&mut collect);
        let mut index = collect.index;
        for anchor in &document.title_anchors {
            if !index.anchors.contains_key(anchor) {
                index.add(anchor, "");
            }
        }
        index
    }

    /// Returns the anchor that a link means: the written one if it exists, otherwise the only one
    /// that equals it apart from letter case and punctuation.
    ///
    /// For example, `#Setup_guide.` leads to `setup-guide`, and GitHub's `#q--a` leads to `q-and-a`.
    #[must_use]
    pub fn resolve(&self, written: &str) -> Option<&str> {
        if let Some((anchor, _)) = self.anchors.get_key_value(written) {
            return Some(anchor);
        }
        let folded = fold(written);
        let found = self.folded.get(&folded).or_else(|| self.titles.get(&folded))?;
        found.as_deref().filter(|_| !folded.is_empty())
    }

    /// Returns the text of the heading with this anchor, or the title of the tab or the section.
    #[must_use]
    pub fn title(&self, anchor: &str) -> Option<&str> {
        self.anchors.get(anchor).map(String::as_str).filter(|title| !title.is_empty())
    }

    fn add(&mut self, anchor: &str, title: &str) {
        fn insert(map: &mut HashMap<String, Option<String>>, key: String, anchor: &str) {
            let found = map.entry(key).or_insert_with(|| Some(anchor.to_owned()));
            if found.as_deref() != Some(anchor) {
                *found = None;
            }
        }
        self.anchors.insert(anchor.to_owned(), title.trim().to_owned());
        insert(&mut self.folded, fold(anchor), anchor);
        // GitHub drops the characters that become words in an anchor.
        let is_word = |c: char| matches!(c, '&' | '|' | '<' | '>');
        let dropped: String = title.chars().filter(|c| !is_word(*c)).collect();
        insert(&mut self.titles, fold(title), anchor);
        if dropped.len() < title.len() {
            insert(&mut self.titles, fold(&dropped), anchor);
        }
    }

    fn add_ids(&mut self, source: &str) {
        for id in html_ids(source) {
            self.anchors.entry(id.to_owned()).or_default();
        }
    }
}

/// Collects the anchors of a document.
struct Collect<'d> {
    document: &'d Document,
    index: AnchorIndex,
}

impl Collect<'_> {
    /// Adds the anchor of the node with this key. Further anchors of the node have its title.
    fn add(&mut self, key: Key, anchor: &str, title: &str) {
        for alias in self.document.aliases.get(&key).into_iter().flatten() {
            self.index.anchors.insert(alias.clone(), title.trim().to_owned());
        }
        self.index.add(anchor, title);
    }
}

impl<'d> Visit<'d> for Collect<'d> {
    fn block(&mut self, block: &'d Block) {
        let key = block.key;
        match &block.kind {
            BlockKind::Heading(heading) => {
                self.add(key, &heading.anchor, &plain_text(&heading.nodes));
            }
            BlockKind::Expandable(block) => self.add(key, &block.anchor, &plain_text(&block.title)),
            BlockKind::OpenApi(block) => self.add(key, &block.anchor, ""),
            BlockKind::Tabs { items, .. } => {
                for tab in items {
                    let title = tab.kind.title.as_deref().unwrap_or_default();
                    self.add(tab.key, &tab.kind.anchor, title);
                }
            }
            BlockKind::Opaque(opaque) => self.index.add_ids(&opaque.source),
            _ => {}
        }
    }

    fn leaf(&mut self, leaf: &'d Leaf) {
        if leaf.is_markup {
            self.index.add_ids(&leaf.text);
        }
    }
}

/// Returns the letters and digits of an anchor or a title, without accents and in lower case. The
/// prefix of anchors that would begin with a digit is removed.
fn fold(text: &str) -> String {
    let slug = slug::anchor(&reference::decode(text));
    let bare = match slug.strip_prefix("id-") {
        Some(rest) if rest.starts_with(|c: char| c.is_ascii_digit()) => rest,
        _ => &slug,
    };
    bare.chars().filter(char::is_ascii_alphanumeric).collect()
}

/// Maximum length of an id in HTML, in bytes. The limit keeps the search linear for a text that
/// repeats `id=`.
const MAX_ID: usize = 128;

/// Returns the ids that a source sets in HTML. May return more: any text after `id=` or `name=`.
pub fn html_ids(source: &str) -> impl Iterator<Item = &str> {
    ["id=", "name="].into_iter().flat_map(move |before| {
        source.match_indices(before).filter_map(move |(at, _)| {
            let rest = source.get(at + before.len()..)?;
            let rest = rest.get(..rest.floor_char_boundary(MAX_ID))?;
            let quoted = |quote: char| Some(rest.strip_prefix(quote)?.split_once(quote)?.0);
            let ends = |c: char| c.is_whitespace() || c == '>';
            quoted('"').or_else(|| quoted('\'')).or_else(|| rest.split(ends).next())
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arbitrary;

    const SOURCE: &str = "## Set up & run\n\n## 1. Go!\n\n## snake_case v1.2\n\n\
        ## User’s guide\n\n## Same\n\n## Same!\n\n## Привет\n\n## Own <a id=\"Kept_Id\"></a>\n\n\
        <div id=\"raw\">x</div>\n\n<details><summary>More: this</summary>\n\nx\n\n</details>\n";

    #[test]
    fn links_lead_to_the_anchor_that_they_mean() {
        let index = AnchorIndex::of(&arbitrary::parse(SOURCE));
        for (written, expected) in [
            ("set-up-and-run", Some("set-up-and-run")),
            ("set-up--run", Some("set-up-and-run")),
            ("Set-Up-And-Run", Some("set-up-and-run")),
            ("1-go", Some("id-1.-go")),
            ("1.-go", Some("id-1.-go")),
            ("id-1-go.", Some("id-1.-go")),
            ("snake-case-v1-2", Some("snake_case-v1.2")),
            ("snake_case-v12", Some("snake_case-v1.2")),
            ("users-guide", Some("user-s-guide")),
            ("user%E2%80%99s-guide", Some("user-s-guide")),
            ("привет", Some("privet")),
            ("more-this", Some("more-this")),
            ("same", Some("same")),
            ("same-1", Some("same-1")),
            // Two headings have this text, but only one has this anchor.
            ("Same", Some("same")),
            ("raw", Some("raw")),
            ("Raw", None),
            ("set-up", None),
            ("", None),
            ("-", None),
        ] {
            assert_eq!(index.resolve(written), expected, "{written}");
        }
    }

    #[test]
    fn ambiguous_anchors_are_not_resolved() {
        let index = AnchorIndex::of(&arbitrary::parse("## a.b\n\n## a-b\n\n## c d\n"));
        assert_eq!(index.resolve("a_b"), None);
        assert_eq!(index.resolve("a-b"), Some("a-b"));
        assert_eq!(index.resolve("C-D"), Some("c-d"));
    }
}
