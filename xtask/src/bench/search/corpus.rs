//! The repositories of the corpus and the published pages that are made from them.

use crate::bench::corpus::files;
use anyhow::{Context, Result};
use std::path::Path;

/// The spaces with their languages.
const SPACES: &str = include_str!("../../../data/search-spaces.tsv");
/// Elements whose text is not that of the page.
const LEFT_OUT: [&str; 4] = ["svg", "script", "style", "template"];
const HEADINGS: [&str; 6] = ["h1", "h2", "h3", "h4", "h5", "h6"];
/// Elements within a line, which divide no words. The text before the first element has none.
const INLINE: [&str; 8] = ["", "a", "b", "code", "em", "i", "span", "strong"];

/// A folder of the corpus that becomes a space.
pub(super) struct Source {
    pub(super) name: String,
    /// The language as a tag of BCP 47.
    pub(super) language: String,
    /// The files with their paths.
    pub(super) files: Vec<(String, Vec<u8>)>,
}

/// A published page.
pub(super) struct Page {
    /// The path of its file without the extension and without `README`.
    pub(super) path: String,
    pub(super) title: String,
    /// The description and the text as HTML.
    pub(super) html: String,
}

/// The words of a page in parts of different weight.
#[derive(Debug, PartialEq, Default)]
pub(super) struct Text {
    pub(super) headings: String,
    pub(super) body: String,
}

/// Reads the files of all spaces.
pub(super) fn read(corpus: &Path) -> Result<Vec<Source>> {
    let mut sources = Vec::new();
    for line in SPACES.lines().filter(|line| !line.starts_with('#')) {
        let (name, language) = line.split_once('\t').context("a space without a language")?;
        let files = files(&corpus.join(name))?;
        let (name, language) = (name.to_owned(), language.to_owned());
        sources.push(Source { name, language, files });
    }
    Ok(sources)
}

/// Returns the name of a page in the judged queries: `a/README.md` becomes `a`.
pub(super) fn page_path(file: &str) -> String {
    let path = file.strip_suffix(".md").unwrap_or(file);
    match path.strip_suffix("README") {
        Some(folder) if folder.is_empty() || folder.ends_with('/') => {
            folder.trim_end_matches('/').to_owned()
        }
        _ => path.to_owned(),
    }
}

/// Returns the description and the text of a page in the document that a site serves.
pub(super) fn main_part(document: &str) -> Option<String> {
    let (_, main) = document.split_once("<main")?;
    let (_, text) = main.split_once("<article")?;
    let (_, text) = text.split_once('>')?;
    let (text, _) = text.rsplit_once("</article>")?;
    let lead = main.split_once("<p class=\"lead\">").and_then(|(_, rest)| rest.split_once("</p>"));
    let lead = lead.map(|(lead, _)| format!("<p>{lead}</p>\n")).unwrap_or_default();
    Some(lead + text)
}

impl Page {
    /// Returns the words of the page.
    pub(super) fn text(&self) -> Text {
        let mut text = Text::default();
        let mut in_heading = false;
        let mut left_out = None;
        for part in self.html.split('<') {
            let (tag, words) = part.split_once('>').unwrap_or(("", part));
            let is_end = tag.starts_with('/');
            let name = tag.trim_start_matches('/');
            let name = name.split(|c: char| !c.is_ascii_alphanumeric()).next().unwrap_or_default();
            if left_out.is_some_and(|outer| !is_end || outer != name) {
                continue;
            }
            left_out = (!is_end && LEFT_OUT.contains(&name)).then_some(name);
            if left_out.is_some() {
                continue;
            }
            if HEADINGS.contains(&name) {
                in_heading = !is_end;
            }
            if !INLINE.contains(&name) {
                text.headings.push(' ');
                text.body.push(' ');
            }
            let part = if in_heading { &mut text.headings } else { &mut text.body };
            part.push_str(&unescape(words));
        }
        text
    }
}

/// Replaces the references that HTML needs.
fn unescape(text: &str) -> String {
    let pairs = [
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&quot;", "\""),
        ("&#39;", "'"),
        ("&nbsp;", " "),
        ("&amp;", "&"),
    ];
    pairs.iter().fold(text.to_owned(), |text, (from, to)| text.replace(from, to))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_has_headings_apart() {
        let html =
            "<h2 id=\"a\">A <em>b</em></h2><svg><path/>no</svg><p>c&lt;d<b>e</b></p>".to_owned();
        let text = Page { path: String::new(), title: String::new(), html }.text();
        let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!((words(&text.headings), words(&text.body)), ("A b".into(), "c<de".into()));
    }

    #[test]
    fn files_are_named_like_pages() {
        assert_eq!(page_path("README.md"), "");
        assert_eq!(page_path("a/README.md"), "a");
        assert_eq!(page_path("a/b.md"), "a/b");
    }

    #[test]
    fn main_part_has_description_and_text() {
        let document =
            "<main><header><p class=\"lead\">d</p></header><article id=a>t</article></main>";
        assert_eq!(main_part(document).as_deref(), Some("<p>d</p>\nt"));
    }
}
