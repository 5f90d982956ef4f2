//! Routes of a site's addresses, and suggestions for paths that match no page.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

/// The resource that a path below a site's base addresses.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Route {
    /// The page with this path, decoded and without slashes at its ends. Empty for the first page.
    Page(String),
    /// The page with this path as Markdown.
    Markdown(String),
    /// The feed of a changelog on the page with this path.
    Updates(String),
    /// A redirect (308) to this path below the base, encoded and without a leading `/`.
    Redirect(String),
    /// The sitemap, or its part with this number, counted from 1.
    Sitemap(Option<usize>),
    /// robots.txt
    Robots,
    /// llms.txt
    Llms,
    /// llms-full.txt
    LlmsFull,
    /// The Atom feed of the site's changes.
    Feed,
    /// A reserved address that is no page, such as search: the decoded path after `~`.
    Reserved(String),
    /// A path that no resource can have.
    Malformed,
}

/// The characters that are encoded in a path segment: all except the unreserved ones and the
/// harmless part of `pchar` (RFC 3986).
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~')
    .remove(b'!')
    .remove(b'$')
    .remove(b'&')
    .remove(b'\'')
    .remove(b'(')
    .remove(b')')
    .remove(b'*')
    .remove(b'+')
    .remove(b',')
    .remove(b';')
    .remove(b'=')
    .remove(b':')
    .remove(b'@');

/// The name of the feed of changes, below the address of a site or a space.
pub const FEED: &str = "atom.xml";

/// The path of the console for operations of OpenAPI specifications, below the base of a site.
pub const API_CONSOLE: &str = "~api-console";

/// The name of the description of a site's search for browsers.
pub const OPEN_SEARCH: &str = "~opensearch.xml";

/// Returns the address of a page from the site's base and the page's path, encoded.
pub fn href(base: &str, path: &str) -> String {
    format!("{base}{}", encode(path))
}

/// Returns the address of a page as Markdown. The first page's is `index.md`.
pub fn markdown_href(base: &str, path: &str) -> String {
    let path = if path.is_empty() { "index" } else { path };
    format!("{base}{}.md", encode(path))
}

/// Returns the address of the feed of a changelog on a page, by its number counted from 0. The
/// feeds of the first page begin with `index`.
pub fn updates_href(base: &str, path: &str, list: usize) -> String {
    let path = if path.is_empty() { "index" } else { path };
    let number = if list == 0 { String::new() } else { format!(".{}", list + 1) };
    format!("{base}{}{number}.atom", encode(path))
}

/// The name of the first page of a space in the addresses of what belongs to it.
const FIRST_PAGE: &str = "index";

/// Returns the address of something that belongs to the page at `href`. `folder` is the beginning of
/// such addresses below the base of the site, and ends with `/`.
pub fn of_page(base: &str, folder: &str, href: &str) -> String {
    let path = href.strip_prefix(base).unwrap_or(href).trim_end_matches('/');
    let path = if path.is_empty() { FIRST_PAGE } else { path };
    format!("{base}{folder}{path}")
}

/// Returns the path of the page in an address of [`of_page`], given below the folder.
pub fn page_of(path: &str) -> &str {
    if path == FIRST_PAGE { "" } else { path }
}

/// Percent-encodes each segment of a path.
pub fn encode(path: &str) -> String {
    let segments: Vec<String> =
        path.split('/').map(|segment| utf8_percent_encode(segment, ENCODED).to_string()).collect();
    segments.join("/")
}

/// Resolves a request's path. `path` is the part after the site's base, still encoded and without
/// the query. Each page has one address; other spellings redirect to it.
pub fn route(path: &str) -> Route {
    let Ok(decoded) = percent_decode_str(path).decode_utf8() else {
        return Route::Malformed;
    };
    if decoded.chars().any(char::is_control) || decoded.len() > 4096 {
        return Route::Malformed;
    }
    let segments: Vec<&str> = decoded.split('/').filter(|part| !part.is_empty()).collect();
    if segments.iter().any(|part| matches!(*part, "." | "..") || part.contains('\\')) {
        return Route::Malformed;
    }
    let clean = segments.join("/");
    if let Some(reserved) = clean.strip_prefix('~') {
        return Route::Reserved(reserved.to_owned());
    }
    if let Some(feed) = feed(&clean) {
        return feed;
    }
    if let Some(target) = conventional_redirect(&segments) {
        return Route::Redirect(encode(&target));
    }
    if decoded.len() != clean.len() {
        return Route::Redirect(encode(&clean));
    }
    if let Some(page) = clean.strip_suffix(".atom").filter(|page| !page.is_empty()) {
        return match page.ends_with('/') {
            true => Route::Page(clean),
            false => Route::Updates(page.to_owned()),
        };
    }
    match clean.strip_suffix(".md") {
        Some("index") => Route::Markdown(String::new()),
        Some(page) if !page.is_empty() && !page.ends_with('/') => Route::Markdown(page.to_owned()),
        _ => Route::Page(clean),
    }
}

fn feed(path: &str) -> Option<Route> {
    match path {
        "sitemap.xml" => Some(Route::Sitemap(None)),
        "robots.txt" => Some(Route::Robots),
        "llms.txt" => Some(Route::Llms),
        "llms-full.txt" => Some(Route::LlmsFull),
        FEED => Some(Route::Feed),
        _ => {
            let part = path.strip_prefix("sitemap-")?.strip_suffix(".xml")?;
            let canonical = !part.starts_with(['0', '+']);
            part.parse().ok().filter(|_| canonical).map(|part| Route::Sitemap(Some(part)))
        }
    }
}

/// Returns the target of a conventional spelling of an address: a folder's README or index, or a
/// page with `.html`. `guides/README.md` redirects to `guides`, `guides/install.html` to
/// `guides/install`.
fn conventional_redirect(segments: &[&str]) -> Option<String> {
    let (last, folder) = segments.split_last()?;
    let folder = folder.join("/");
    let lower = last.to_ascii_lowercase();
    let (stem, extension) = lower.rsplit_once('.')?;
    match (stem, extension) {
        ("readme", "md" | "markdown" | "html" | "htm") | ("index", "html" | "htm") => Some(folder),
        ("", _) => None,
        (stem, "html" | "htm" | "markdown") => {
            let stem = last.get(..stem.len())?;
            let suffix = if extension == "markdown" { ".md" } else { "" };
            let parent = if folder.is_empty() { String::new() } else { format!("{folder}/") };
            Some(format!("{parent}{stem}{suffix}"))
        }
        _ => None,
    }
}

/// A page that can be suggested to a reader.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Candidate {
    /// The page's path.
    pub path: String,
    /// The page's title.
    pub title: String,
}

/// Maximum number of candidates that are compared in full.
const MAX_COMPARED: usize = 32;

/// Minimum similarity of a suggested page.
const MIN_SIMILARITY: f64 = 0.34;

/// The pages of a space, indexed to find those with similar paths.
#[derive(Debug, Default)]
pub struct NearMatches(Vec<(BigramSet, BigramSet, Candidate)>);

impl NearMatches {
    /// Indexes these pages.
    pub fn new(candidates: impl IntoIterator<Item = Candidate>) -> Self {
        let ranked = candidates.into_iter().map(|candidate| {
            let slug = BigramSet::of(last_segment(&candidate.path));
            (slug, BigramSet::of(&candidate.title), candidate)
        });
        Self(ranked.collect())
    }

    /// Returns the number of pages.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns `true` if there are no pages.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns at most `count` pages that are similar to a path without a page, the most similar
    /// first. A call compares bit sets of all pages and the full texts of a limited number of them.
    pub fn nearest(&self, path: &str, count: usize) -> Vec<&Candidate> {
        let wanted = normalize(path);
        let wanted_last = last_segment(&wanted);
        if wanted_last.is_empty() {
            return Vec::new();
        }
        let bigrams = BigramSet::of(wanted_last);
        let mut ranked: Vec<(u32, &Candidate)> = self
            .0
            .iter()
            .map(|(slug, title, page)| (bigrams.overlap(*slug).max(bigrams.overlap(*title)), page))
            .collect();
        if ranked.len() > MAX_COMPARED {
            ranked.select_nth_unstable_by_key(MAX_COMPARED, |(score, _)| std::cmp::Reverse(*score));
            ranked.truncate(MAX_COMPARED);
        }
        let mut scored: Vec<(f64, &Candidate)> = ranked
            .into_iter()
            .map(|(_, candidate)| (similarity(&wanted, wanted_last, candidate), candidate))
            .filter(|(score, _)| *score >= MIN_SIMILARITY)
            .collect();
        scored
            .sort_by(|(a, one), (b, other)| b.total_cmp(a).then_with(|| one.path.cmp(&other.path)));
        scored.truncate(count);
        scored.into_iter().map(|(_, candidate)| candidate).collect()
    }
}

/// The set of pairs of neighbouring letters in a text as hash bits. It is cheap to compute and
/// compare, and precise enough to select candidates for a full comparison.
#[derive(Clone, Copy, Debug)]
struct BigramSet(u128);

impl BigramSet {
    fn of(text: &str) -> Self {
        let mut bits = 0;
        let mut before = ' ';
        for c in normalize_chars(text) {
            let pair = u32::from(before).wrapping_mul(31).wrapping_add(u32::from(c));
            bits |= 1 << (pair.wrapping_mul(0x9e37_79b1) >> 25);
            before = c;
        }
        Self(bits)
    }

    /// Returns the share of common pairs in thousandths.
    fn overlap(self, other: Self) -> u32 {
        let all = self.0.count_ones() + other.0.count_ones();
        2000 * (self.0 & other.0).count_ones() / all.max(1)
    }
}

/// Returns the similarity from 0 to 1. The last segment's similarity to slug or title has most of
/// the weight, the rest of the path the remainder.
fn similarity(wanted: &str, wanted_last: &str, candidate: &Candidate) -> f64 {
    let path = normalize(&candidate.path);
    let slug = strsim::sorensen_dice(wanted_last, last_segment(&path));
    let title = strsim::sorensen_dice(wanted_last, &normalize(&candidate.title));
    let whole = strsim::sorensen_dice(wanted, &path);
    0.7 * slug.max(title) + 0.3 * whole
}

/// Returns the words of the last segment of a path, for a search.
pub fn words(path: &str) -> String {
    normalize(path).rsplit('/').next().unwrap_or_default().trim().to_owned()
}

/// Returns at most 120 characters of the text in lower case, with separators replaced by spaces.
fn normalize(text: &str) -> String {
    normalize_chars(text.trim_matches('/').trim_end_matches(".md").trim_end_matches(".html"))
        .collect()
}

fn normalize_chars(text: &str) -> impl Iterator<Item = char> {
    text.chars()
        .take(120)
        .flat_map(char::to_lowercase)
        .map(|c| if "-_.+".contains(c) { ' ' } else { c })
}

fn last_segment(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or_default()
}

#[cfg(test)]
mod tests;
