//! Feeds of a site for crawlers: sitemap, robots.txt and llms.txt.

use std::fmt::Write as _;

use bindery_model::Timestamp;

/// A page as feeds list it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct FeedEntry {
    /// The absolute address.
    pub href: String,
    /// The absolute address of the page as Markdown, for llms.txt.
    pub markdown_href: Option<String>,
    /// The title.
    pub title: String,
    /// A sentence about the page.
    pub description: Option<String>,
    /// The title of the top-level group that contains the page, for llms.txt.
    pub section: Option<String>,
    /// The time of the last change.
    pub updated: Option<Timestamp>,
}

/// Maximum number of addresses in one sitemap (sitemaps.org, protocol 0.9).
pub const MAX_SITEMAP_URLS: usize = 50_000;

/// Returns `true` if the sitemap of a site with at most `pages` pages can have a part with this
/// number.
pub fn can_have_part(pages: u64, part: usize) -> bool {
    let parts = pages.div_ceil(MAX_SITEMAP_URLS as u64);
    parts > 1 && part >= 1 && part as u64 <= parts
}

/// Size in bytes after which a feed takes no further pages.
const MAX_FILE_BYTES: usize = 28 << 20;

/// A file below the site's base.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SitemapFile {
    /// `sitemap.xml`, or `sitemap-1.xml` and so on for the parts of a large site.
    pub name: String,
    /// The content.
    pub xml: String,
}

/// Renders the sitemap of a site as one file, or as an index and parts if there are more than
/// [`MAX_SITEMAP_URLS`] pages. `root` is the site's absolute address with a trailing `/`.
pub fn sitemap(root: &str, entries: impl IntoIterator<Item = FeedEntry>) -> Vec<SitemapFile> {
    sitemap_in_parts(root, entries, MAX_SITEMAP_URLS)
}

fn sitemap_in_parts(
    root: &str,
    entries: impl IntoIterator<Item = FeedEntry>,
    size: usize,
) -> Vec<SitemapFile> {
    let mut parts: Vec<String> = Vec::new();
    for (count, entry) in entries.into_iter().enumerate() {
        if count % size == 0 {
            parts.push(String::new());
        }
        if let Some(part) = parts.last_mut().filter(|part| part.len() < MAX_FILE_BYTES) {
            push_url(part, &entry);
        }
    }
    if parts.len() <= 1 {
        let xml = urlset(&parts.pop().unwrap_or_default());
        return vec![SitemapFile { name: "sitemap.xml".to_owned(), xml }];
    }
    let names: Vec<String> = (1..=parts.len()).map(|n| format!("sitemap-{n}.xml")).collect();
    let mut index = String::new();
    for name in &names {
        let _ = writeln!(
            index,
            "<sitemap><loc>{}</loc></sitemap>",
            escape_xml(&format!("{root}{name}"))
        );
    }
    let index =
        SitemapFile { name: "sitemap.xml".to_owned(), xml: document("sitemapindex", &index) };
    let parts = names.into_iter().zip(parts);
    std::iter::once(index)
        .chain(parts.map(|(name, urls)| SitemapFile { name, xml: urlset(&urls) }))
        .collect()
}

fn push_url(out: &mut String, entry: &FeedEntry) {
    let _ = write!(out, "<url><loc>{}</loc>", escape_xml(&entry.href));
    if let Some(updated) = entry.updated {
        let _ = write!(out, "<lastmod>{updated}</lastmod>");
    }
    out.push_str("</url>\n");
}

fn urlset(urls: &str) -> String {
    document("urlset", urls)
}

fn document(element: &str, inner: &str) -> String {
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<{element} xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n{inner}</{element}>\n"
    )
}

/// Escapes text for XML and removes characters that XML does not permit.
fn escape_xml(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&apos;"),
            '\t' | '\n' | '\r' => out.push(' '),
            c if c.is_control() || c == '\u{fffe}' || c == '\u{ffff}' => {}
            c => out.push(c),
        }
    }
    out
}

/// Renders robots.txt (RFC 9309). `root` is the site's absolute address with a trailing `/`. A site
/// that must not be indexed stays readable to crawlers, so that they see the `noindex` of each
/// page.
pub fn robots(root: &str, indexed: bool) -> String {
    let mut out = String::from("User-agent: *\nAllow: /\n");
    if indexed {
        let _ = write!(out, "\nSitemap: {root}sitemap.xml\n");
    }
    out
}

/// Renders llms.txt (<https://llmstxt.org>): the site's title and description, and the address of
/// each page as Markdown.
pub fn llms_txt(
    title: &str,
    description: Option<&str>,
    entries: impl IntoIterator<Item = FeedEntry>,
) -> String {
    let mut out = format!("# {}\n", single_line(title));
    if let Some(description) = description {
        let _ = write!(out, "\n> {}\n", single_line(description));
    }
    let mut section: Option<Option<String>> = None;
    for entry in entries {
        if out.len() >= MAX_FILE_BYTES {
            break;
        }
        if section.as_ref() != Some(&entry.section) {
            let heading = entry.section.as_deref().map_or_else(|| "Pages".to_owned(), single_line);
            let _ = write!(out, "\n## {heading}\n\n");
            section = Some(entry.section.clone());
        }
        let href = entry.markdown_href.as_deref().unwrap_or(&entry.href);
        let _ = write!(out, "- [{}]({})", link_text(&entry.title), href.replace(')', "%29"));
        if let Some(description) = entry.description.as_deref().filter(|text| !text.is_empty()) {
            let _ = write!(out, ": {}", single_line(description));
        }
        out.push('\n');
    }
    out
}

/// Returns the text on one line, without control characters.
fn single_line(text: &str) -> String {
    let text: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn link_text(text: &str) -> String {
    single_line(text).replace('\\', "\\\\").replace('[', "\\[").replace(']', "\\]")
}

#[cfg(test)]
mod tests;
