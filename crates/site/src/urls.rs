//! What a path on a site means, and which pages are near one that means nothing.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

/// What a path below a site's base asks for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Route {
    /// The page with this path (decoded, without slashes at its ends; empty: the first page).
    Page(String),
    /// The same page as Markdown.
    Markdown(String),
    /// Elsewhere: send a 308 to this path below the base (encoded, without a `/` at its start).
    Redirect(String),
    /// The sitemap, or its part of this number from 1.
    Sitemap(Option<usize>),
    /// robots.txt
    Robots,
    /// llms.txt
    Llms,
    /// Search, files and other doors that are no pages: what follows `~`, decoded.
    Door(String),
    /// No path that anything could have.
    Malformed,
}

/// What stays as it is in a path: unreserved and the harmless part of `pchar` (RFC 3986).
const SEGMENT: &AsciiSet = &NON_ALPHANUMERIC
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

/// The address of a page: the site's base and the page's path, encoded.
pub fn href(base: &str, path: &str) -> String {
    format!("{base}{}", encode(path))
}

/// The address of a page as Markdown; the first page's is `index.md`.
pub fn markdown_href(base: &str, path: &str) -> String {
    let path = if path.is_empty() { "index" } else { path };
    format!("{base}{}.md", encode(path))
}

/// The path with each segment percent-encoded where it must be.
pub fn encode(path: &str) -> String {
    let segments: Vec<String> =
        path.split('/').map(|segment| utf8_percent_encode(segment, SEGMENT).to_string()).collect();
    segments.join("/")
}

/// What a request's path means: `path` is what follows the site's base, still encoded and
/// without the query. Every page has one address; other spellings lead there.
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
    if let Some(door) = clean.strip_prefix('~') {
        return Route::Door(door.to_owned());
    }
    if let Some(feed) = feed(&clean) {
        return feed;
    }
    if let Some(target) = moved(&segments) {
        return Route::Redirect(encode(&target));
    }
    if decoded.len() != clean.len() {
        return Route::Redirect(encode(&clean));
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
        _ => {
            let part = path.strip_prefix("sitemap-")?.strip_suffix(".xml")?;
            let canonical = !part.starts_with(['0', '+']);
            part.parse().ok().filter(|_| canonical).map(|part| Route::Sitemap(Some(part)))
        }
    }
}

/// Where older spellings of an address lead: a folder's README, and pages with `.html`.
fn moved(segments: &[&str]) -> Option<String> {
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

/// A page that a reader may have meant.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Candidate {
    /// Its path.
    pub path: String,
    /// Its title.
    pub title: String,
}

/// The most promising candidates, which are compared in full.
const COMPARED: usize = 32;

/// Below this a page is not near.
const NEAR: f64 = 0.34;

/// The pages of a space, prepared for finding those near to a path.
#[derive(Debug, Default)]
pub struct NearMatches(Vec<(Sketch, Sketch, Candidate)>);

impl NearMatches {
    /// Prepares these pages.
    pub fn new(candidates: impl IntoIterator<Item = Candidate>) -> Self {
        let sketched = candidates.into_iter().map(|candidate| {
            let slug = Sketch::of(last_segment(&candidate.path));
            (slug, Sketch::of(&candidate.title), candidate)
        });
        Self(sketched.collect())
    }

    /// Returns the number of pages.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns whether there are no pages.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the pages nearest to a path that has none, the nearest first. A path costs a few
    /// instructions for each page, and full comparisons with a bounded number of them.
    pub fn nearest(&self, path: &str, count: usize) -> Vec<&Candidate> {
        let wanted = folded(path);
        let wanted_last = last_segment(&wanted);
        if wanted_last.is_empty() {
            return Vec::new();
        }
        let sketch = Sketch::of(wanted_last);
        let mut sketched: Vec<(u32, &Candidate)> = self
            .0
            .iter()
            .map(|(slug, title, page)| (sketch.overlap(*slug).max(sketch.overlap(*title)), page))
            .collect();
        if sketched.len() > COMPARED {
            sketched.select_nth_unstable_by_key(COMPARED, |(score, _)| std::cmp::Reverse(*score));
            sketched.truncate(COMPARED);
        }
        let mut scored: Vec<(f64, &Candidate)> = sketched
            .into_iter()
            .map(|(_, candidate)| (likeness(&wanted, wanted_last, candidate), candidate))
            .filter(|(score, _)| *score >= NEAR)
            .collect();
        scored
            .sort_by(|(a, one), (b, other)| b.total_cmp(a).then_with(|| one.path.cmp(&other.path)));
        scored.truncate(count);
        scored.into_iter().map(|(_, candidate)| candidate).collect()
    }
}

/// Which pairs of neighbouring letters a text has, as a set of bits: cheap to make, and good
/// enough to tell what is worth comparing.
#[derive(Clone, Copy, Debug)]
struct Sketch(u128);

impl Sketch {
    fn of(text: &str) -> Self {
        let mut bits = 0;
        let mut before = ' ';
        for c in fold(text) {
            let pair = u32::from(before).wrapping_mul(31).wrapping_add(u32::from(c));
            bits |= 1 << (pair.wrapping_mul(0x9e37_79b1) >> 25);
            before = c;
        }
        Self(bits)
    }

    /// The share of common pairs, in thousandths.
    fn overlap(self, other: Self) -> u32 {
        let all = self.0.count_ones() + other.0.count_ones();
        2000 * (self.0 & other.0).count_ones() / all.max(1)
    }
}

/// How alike, 0 to 1: mostly the last segment against slug and title, partly the way there.
fn likeness(wanted: &str, wanted_last: &str, candidate: &Candidate) -> f64 {
    let path = folded(&candidate.path);
    let slug = strsim::sorensen_dice(wanted_last, last_segment(&path));
    let title = strsim::sorensen_dice(wanted_last, &folded(&candidate.title));
    let whole = strsim::sorensen_dice(wanted, &path);
    0.7 * slug.max(title) + 0.3 * whole
}

/// Lower case, separators as spaces, at most 120 characters.
fn folded(text: &str) -> String {
    fold(text.trim_matches('/').trim_end_matches(".md").trim_end_matches(".html")).collect()
}

fn fold(text: &str) -> impl Iterator<Item = char> {
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
