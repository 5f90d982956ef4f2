//! Feeds of a site for programs: sitemap, robots.txt, llms.txt and Atom.

pub mod atom;
pub mod llms;

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

/// Size in bytes after which a feed takes no further pages.
const MAX_FILE_BYTES: usize = 28 << 20;

/// Returns the number of parts of the sitemap of a site with this number of pages. A sitemap of one
/// part is not divided.
pub const fn sitemap_parts(pages: usize) -> usize {
    pages.div_ceil(MAX_SITEMAP_URLS)
}

/// A sitemap of at most [`MAX_SITEMAP_URLS`] pages, or a part of a larger one.
#[derive(Debug, Default)]
pub struct Sitemap {
    urls: String,
}

impl Sitemap {
    /// Adds a page. Returns `false` if no further pages fit.
    pub fn push(&mut self, entry: &FeedEntry) -> bool {
        push_url(&mut self.urls, entry);
        self.urls.len() < MAX_FILE_BYTES
    }

    /// Returns the XML document.
    pub fn finish(self) -> String {
        document("urlset", &self.urls)
    }
}

/// Renders the index of a sitemap with this number of parts: `sitemap-1.xml` and so on. `root` is
/// the site's absolute address with a trailing `/`.
pub fn sitemap_index(root: &str, parts: usize) -> String {
    let mut index = String::new();
    for number in 1..=parts {
        let address = escape_xml(&format!("{root}sitemap-{number}.xml"));
        let _ = writeln!(index, "<sitemap><loc>{address}</loc></sitemap>");
    }
    document("sitemapindex", &index)
}

fn push_url(out: &mut String, entry: &FeedEntry) {
    let _ = write!(out, "<url><loc>{}</loc>", escape_xml(&entry.href));
    if let Some(updated) = entry.updated {
        let _ = write!(out, "<lastmod>{updated}</lastmod>");
    }
    out.push_str("</url>\n");
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
            c if is_xml_char(c) => out.push(c),
            _ => {}
        }
    }
    out
}

/// Returns `true` if XML permits the character and it is visible.
fn is_xml_char(c: char) -> bool {
    !c.is_control() && c != '\u{fffe}' && c != '\u{ffff}'
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

/// Returns the description of a site's search for browsers (OpenSearch 1.1). `address` is the absolute
/// address of the results.
pub fn open_search(title: &str, address: &str) -> String {
    // Programs reject longer names.
    let name: String = title.chars().take(16).collect();
    let (name, title, address) = (escape_xml(&name), escape_xml(title), escape_xml(address));
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <OpenSearchDescription xmlns=\"http://a9.com/-/spec/opensearch/1.1/\">\n\
         <ShortName>{name}</ShortName>\n\
         <Description>{title}</Description>\n\
         <InputEncoding>UTF-8</InputEncoding>\n\
         <Url type=\"text/html\" template=\"{address}?q={{searchTerms}}\"/>\n\
         </OpenSearchDescription>\n"
    )
}

/// A file `llms-full.txt`: the text of all pages as Markdown.
#[derive(Debug)]
pub struct LlmsFullTxt {
    text: String,
    /// `true` if a page did not fit.
    is_cut: bool,
}

/// Maximum size of llms-full.txt in bytes.
pub const MAX_FULL_BYTES: usize = 8 << 20;

impl LlmsFullTxt {
    /// Creates a file without pages.
    pub fn new(title: &str) -> Self {
        Self { text: format!("# {}\n", single_line(title)), is_cut: false }
    }

    /// Adds a page, given by its absolute address and its text, which begins with its title. Returns
    /// `false` if no further pages fit.
    pub fn push(&mut self, href: &str, markdown: &str) -> bool {
        let (title, rest) = markdown.split_once('\n').unwrap_or((markdown, ""));
        if self.text.len() + markdown.len() + href.len() > MAX_FULL_BYTES {
            self.cut();
            return false;
        }
        let rest = rest.trim();
        let _ = write!(self.text, "\n---\n\n{title}\n\nSource: {href}\n");
        if !rest.is_empty() {
            let _ = write!(self.text, "\n{rest}\n");
        }
        true
    }

    /// Records that a page is left out.
    pub fn cut(&mut self) {
        self.is_cut = true;
    }

    /// Returns the text. `list` is the absolute address of llms.txt, which lists all pages.
    pub fn finish(self, list: &str) -> String {
        let mut text = self.text;
        if self.is_cut {
            let _ = write!(
                text,
                "\n---\n\nThis file is too large for further pages. All pages: {list}\n"
            );
        }
        text
    }
}

/// Returns the text on one line, without control characters.
fn single_line(text: &str) -> String {
    let text: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests;
