//! References: the targets of links, images and includes.
//!
//! [`Target::parse`] parses a target as written in a file and classifies it, with paths relative to
//! the content root. [`resolve`] turns a target into the contract's reference, with the ids that a
//! [`Lookup`] returns. [`write`](fn@write) is the inverse of [`resolve`].

pub mod inlined;
mod scan;
mod write;

use std::borrow::Cow;

use serde::Serialize;

use crate::syntax::tag;

pub use scan::{ScannedTarget, Syntax, scan, targets};
pub use write::{Names, destination, label, relative, with_anchor, write};

/// A reference in the form that the API contract defines.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum ContentRef {
    /// A file of the space.
    File {
        /// The file's id.
        file: String,
    },
    /// A URL.
    Url {
        /// The URL. For a broken reference, the target as written.
        url: String,
    },
    /// A page.
    Page {
        /// The page's id.
        page: String,
        /// The page's space, if it is another space.
        #[serde(skip_serializing_if = "Option::is_none")]
        space: Option<String>,
    },
    /// An anchor on a page.
    Anchor {
        /// The anchor's id, without `#`.
        anchor: String,
        /// The page, if it is another page.
        #[serde(skip_serializing_if = "Option::is_none")]
        page: Option<String>,
        /// The page's space, if it is another space.
        #[serde(skip_serializing_if = "Option::is_none")]
        space: Option<String>,
    },
    /// A user.
    User {
        /// The user's id.
        user: String,
    },
    /// A collection.
    Collection {
        /// The collection's id.
        collection: String,
    },
    /// A space.
    Space {
        /// The space's id.
        space: String,
    },
    /// A reusable content.
    #[serde(rename_all = "camelCase")]
    ReusableContent {
        /// The reusable content's id.
        reusable_content: String,
        /// The reusable content's space, if it is another space.
        #[serde(skip_serializing_if = "Option::is_none")]
        space: Option<String>,
    },
    /// An OpenAPI specification.
    #[serde(rename = "openapi")]
    OpenApi {
        /// The specification's slug.
        spec: String,
    },
}

impl ContentRef {
    /// Returns the space of a page or an anchor of another space.
    #[must_use]
    pub fn page_elsewhere(&self) -> Option<String> {
        match self {
            Self::Page { space, .. } | Self::Anchor { page: Some(_), space, .. } => space.clone(),
            Self::Url { url } => match Target::parse(url, "") {
                Target::Space { space, path, .. } => (!path.is_empty()).then_some(space),
                _ => None,
            },
            _ => None,
        }
    }
}

/// A parsed target, before its ids are looked up.
///
/// The address of a picture that [contains its data](inlined) is the path of the picture's file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// A file or folder of the repository. Relative to the content root, without a leading slash. A
    /// folder ends in `/`; the root itself is empty.
    Path {
        /// The normalised path.
        path: String,
        /// The text after `#`, decoded.
        anchor: Option<String>,
    },
    /// An anchor on the same page.
    Anchor(String),
    /// A URL with a scheme, or one that begins with `//`.
    Url(String),
    /// A space, or a page of it by its path, given as a URL of the application.
    Space {
        /// The space's id.
        space: String,
        /// The page's path in the space; empty for the space itself.
        path: String,
        /// The text after `#`, decoded.
        anchor: Option<String>,
    },
    /// A space by its id, or an anchor on its first page. The space may be unknown to this
    /// instance.
    WholeSpace {
        /// The space's id.
        space: String,
        /// The text after `#`, decoded.
        anchor: Option<String>,
    },
    /// A page of a space, by its id.
    PageOfSpace {
        /// The space's id.
        space: String,
        /// The page's id.
        page: String,
        /// The text after `#`, decoded.
        anchor: Option<String>,
    },
    /// An OpenAPI specification.
    OpenApi(String),
    /// A reusable content of another space.
    Reusable {
        /// The space's id.
        space: String,
        /// The reusable content's id.
        id: String,
    },
    /// A user.
    User(String),
    /// A collection.
    Collection(String),
    /// A page that was missing when the file was written.
    BrokenPage {
        /// The id that the page had.
        page: String,
        /// The text after `#`, decoded.
        anchor: Option<String>,
    },
    /// A target that cannot be resolved: empty, outside the repository, or marked as broken.
    Broken(String),
}

/// The surroundings of a text that is parsed.
#[derive(Clone, Copy)]
pub struct ParseContext<'c> {
    /// The file's path from the content root.
    pub path: &'c str,
    /// Looks up the pages and files that exist.
    pub lookup: &'c dyn Lookup,
}

/// Looks up ids by paths in the repository.
///
/// Paths are relative to the root of the content and have no leading slash.
pub trait Lookup {
    /// Returns the id of the page stored in this file.
    fn page(&self, path: &str) -> Option<String>;
    /// Returns the id of the file at this path.
    fn file(&self, path: &str) -> Option<String>;
    /// Returns the id of the reusable content stored in this file.
    fn reusable_content(&self, path: &str) -> Option<String>;
    /// Returns the id of the page published at this path.
    fn page_at(&self, url_path: &str) -> Option<String> {
        let _ = url_path;
        None
    }
    /// Returns `true` if the space is known to this instance.
    fn space(&self, space: &str) -> bool {
        let _ = space;
        false
    }
    /// Returns the id of the page that another space publishes at this path.
    fn page_of_space(&self, space: &str, url_path: &str) -> Option<String> {
        let _ = (space, url_path);
        None
    }
    /// Returns the URL of a target that climbs out of the content root. `raw` is the target as
    /// written.
    fn outside_url(&self, raw: &str) -> Option<String> {
        let _ = raw;
        None
    }
}

/// A lookup without any entries: every reference into the repository stays as written.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoLookup;

impl Lookup for NoLookup {
    fn page(&self, _path: &str) -> Option<String> {
        None
    }
    fn file(&self, _path: &str) -> Option<String> {
        None
    }
    fn reusable_content(&self, _path: &str) -> Option<String> {
        None
    }
}

impl Target {
    /// Parses a target as written in the file `holder` (a path from the content root). The caller
    /// has already resolved Markdown's escapes and entities.
    #[must_use]
    pub fn parse(raw: &str, holder: &str) -> Self {
        let raw = raw.trim();
        let raw = raw.strip_prefix('<').and_then(|r| r.strip_suffix('>')).unwrap_or(raw);
        if raw.is_empty() || raw == "broken-reference" {
            return Self::Broken(raw.to_owned());
        }
        if let Some(anchor) = raw.strip_prefix('#') {
            return Self::Anchor(decode(anchor).into_owned());
        }
        if let Some(rest) = raw.strip_prefix("/broken/pages/") {
            let (page, anchor) = split_anchor(rest);
            return Self::BrokenPage { page: page.to_owned(), anchor };
        }
        if let Some(path) = inlined::path(raw) {
            return Self::Path { path, anchor: None };
        }
        if has_scheme(raw) || raw.starts_with("//") {
            return application(raw).unwrap_or_else(|| Self::Url(raw.to_owned()));
        }
        let (path, anchor) = split_anchor(raw);
        let path = path.split_once('?').map_or(path, |(path, _)| path);
        // Older exporters escape punctuation in HTML attributes, too.
        let path = tag::unescape(path);
        let decoded = decode(&path);
        let folder = match decoded.strip_prefix('/') {
            Some(_) => "",
            None => holder.rsplit_once('/').map_or("", |(folder, _)| folder),
        };
        match join(folder, decoded.trim_start_matches('/')) {
            Some(path) => Self::Path { path, anchor },
            None => Self::Broken(raw.to_owned()),
        }
    }
}

/// Returns the file paths that a link to the page `path` may refer to, best first: the path as
/// written, the folder's `README.md`, and the path with a missing extension added. A slash after the
/// name of a Markdown file is ignored.
///
/// For example, `guide` yields `guide`, `guide/README.md` and `guide.md`, and `guide.md/` begins
/// with `guide.md`.
pub fn page_candidates(path: &str) -> impl Iterator<Item = String> {
    let bare = path.trim_end_matches('/');
    let folder = if bare.is_empty() { String::new() } else { format!("{bare}/") };
    let is_file = !path.ends_with('/') || is_markdown(&bare.to_ascii_lowercase());
    let as_written = (!bare.is_empty() && is_file).then(|| bare.to_owned());
    let extended = (!bare.is_empty()).then(|| format!("{bare}.md"));
    let html = bare.strip_suffix(".html").map(|stem| format!("{stem}.md"));
    as_written.into_iter().chain([format!("{folder}README.md")]).chain(extended).chain(html)
}

/// Resolves a target as written in the file `holder` to the contract's reference. A target without
/// a known id becomes a URL with the target's own text.
#[must_use]
pub fn resolve(raw: &str, holder: &str, lookup: &dyn Lookup) -> ContentRef {
    let as_written = || ContentRef::Url { url: raw.to_owned() };
    match Target::parse(raw, holder) {
        Target::Url(url) => ContentRef::Url { url },
        Target::Anchor(anchor) => ContentRef::Anchor { anchor, page: None, space: None },
        Target::User(user) => ContentRef::User { user },
        Target::Collection(collection) => ContentRef::Collection { collection },
        Target::BrokenPage { page, anchor } => page_reference(page, None, anchor),
        Target::Broken(_) => {
            lookup.outside_url(raw).map_or_else(as_written, |url| ContentRef::Url { url })
        }
        Target::Path { path, anchor } => {
            path_reference(&path, anchor, raw.starts_with('/'), lookup).unwrap_or_else(as_written)
        }
        Target::Space { space, path, anchor } => {
            space_reference(space, &path, anchor, lookup).unwrap_or_else(as_written)
        }
        Target::WholeSpace { space, anchor: None } => ContentRef::Space { space },
        Target::WholeSpace { space, anchor: Some(anchor) } => {
            ContentRef::Anchor { anchor, page: None, space: Some(space) }
        }
        Target::PageOfSpace { space, page, anchor } => page_reference(page, Some(space), anchor),
        Target::OpenApi(spec) => ContentRef::OpenApi { spec },
        Target::Reusable { space, id } => {
            ContentRef::ReusableContent { reusable_content: id, space: Some(space) }
        }
    }
}

/// Resolves a repository path and an optional anchor. `absolute` is `true` if the path was written
/// with a leading slash; such a path may also be the path at which a page is published.
#[must_use]
pub fn path_reference(
    path: &str,
    anchor: Option<String>,
    absolute: bool,
    lookup: &dyn Lookup,
) -> Option<ContentRef> {
    // A file of exactly this name takes precedence over pages that the name may abbreviate.
    let file = || lookup.file(path).map(|file| ContentRef::File { file });
    if lookup.page(path).is_none()
        && let Some(file) = file()
    {
        return Some(file);
    }
    let page = page_candidates(path)
        .find_map(|candidate| lookup.page(&candidate))
        .or_else(|| lookup.page(path))
        .or_else(|| if absolute { lookup.page_at(path.trim_end_matches('/')) } else { None });
    if let Some(page) = page {
        return Some(page_reference(page, None, anchor));
    }
    if let Some(reusable_content) = lookup.reusable_content(path) {
        return Some(ContentRef::ReusableContent { reusable_content, space: None });
    }
    lookup.file(path).map(|file| ContentRef::File { file })
}

fn space_reference(
    space: String,
    path: &str,
    anchor: Option<String>,
    lookup: &dyn Lookup,
) -> Option<ContentRef> {
    if !lookup.space(&space) {
        return None;
    }
    if path.is_empty() && anchor.is_none() {
        return Some(ContentRef::Space { space });
    }
    let page = lookup.page_of_space(&space, path)?;
    Some(page_reference(page, Some(space), anchor))
}

fn page_reference(page: String, space: Option<String>, anchor: Option<String>) -> ContentRef {
    match anchor {
        Some(anchor) => ContentRef::Anchor { anchor, page: Some(page), space },
        None => ContentRef::Page { page, space },
    }
}

/// Returns `true` if a path, given in lower case, names a Markdown file.
#[must_use]
pub fn is_markdown(path: &str) -> bool {
    path.ends_with(".md") || path.ends_with(".markdown")
}

/// Joins a relative path to a folder and normalizes it: removes `.` and empty segments and resolves
/// `..`. Keeps a trailing slash. Returns `None` if the path climbs out of the root.
#[must_use]
pub fn join(folder: &str, path: &str) -> Option<String> {
    let mut joined = String::with_capacity(folder.len() + path.len() + 1);
    for part in folder.split('/').chain(path.split('/')) {
        match part {
            "" | "." => {}
            ".." => {
                if joined.is_empty() {
                    return None;
                }
                joined.truncate(joined.rfind('/').unwrap_or(0));
            }
            part => {
                if !joined.is_empty() {
                    joined.push('/');
                }
                joined.push_str(part);
            }
        }
    }
    let is_folder = path.ends_with('/') || path == "." || path == ".." || path.ends_with("/..");
    if is_folder && !joined.is_empty() {
        joined.push('/');
    }
    Some(joined)
}

/// Decodes percent-encoded bytes such as `%20`. Returns the text unchanged if the result would not
/// be valid UTF-8.
#[must_use]
pub fn decode(text: &str) -> Cow<'_, str> {
    if !text.contains('%') {
        return Cow::Borrowed(text);
    }
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, after @ ..] = rest {
        if let (b'%', [high, low, tail @ ..]) = (*first, after)
            && let (Some(high), Some(low)) = (hex(*high), hex(*low))
        {
            bytes.push(high * 16 + low);
            rest = tail;
        } else {
            bytes.push(*first);
            rest = after;
        }
    }
    match String::from_utf8(bytes) {
        Ok(decoded) => Cow::Owned(decoded),
        Err(_) => Cow::Borrowed(text),
    }
}

fn hex(byte: u8) -> Option<u8> {
    char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok())
}

/// Returns `true` if a target begins with a scheme such as `https:` or `mailto:`.
#[must_use]
pub fn has_scheme(raw: &str) -> bool {
    raw.split_once(':').is_some_and(|(scheme, _)| {
        scheme.len() >= 2
            && scheme.starts_with(|c: char| c.is_ascii_alphabetic())
            && scheme.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'))
            // `x.md:` is a file name: no scheme ends in `.md`.
            && !scheme.ends_with(".md")
    })
}

fn split_anchor(raw: &str) -> (&str, Option<String>) {
    match raw.split_once('#') {
        Some((path, anchor)) => (path, Some(decode(anchor).into_owned()).filter(|a| !a.is_empty())),
        None => (raw, None),
    }
}

/// Parses a URL of the application that files of the dialect refer to.
fn application(url: &str) -> Option<Target> {
    let rest = url.strip_prefix("https://app.gitbook.com/")?;
    let (rest, anchor) = split_anchor(rest);
    let rest = rest.split_once('?').map_or(rest, |(path, _)| path);
    if let Some(spec) = rest.strip_prefix("openapi/").filter(|spec| !spec.is_empty()) {
        return Some(Target::OpenApi(decode(spec).into_owned()));
    }
    let rest = match rest.strip_prefix("o/") {
        Some(after) => after.split_once('/')?.1,
        None => rest,
    };
    let (kind, rest) = rest.split_once('/')?;
    let (id, path) = rest.split_once('/').unwrap_or((rest, ""));
    if id.is_empty() {
        return None;
    }
    let id = decode(id).into_owned();
    let path = path.trim_end_matches('/');
    match kind {
        "u" => Some(Target::User(id)),
        "c" => Some(Target::Collection(id)),
        "s" => Some(of_space(id, path, anchor)),
        _ => None,
    }
}

/// Parses the part of an application URL after a space's id: the path of a page, or, after `~`,
/// something named by its id.
fn of_space(space: String, path: &str, anchor: Option<String>) -> Target {
    if path == "~" {
        return Target::WholeSpace { space, anchor };
    }
    if let Some(id) = path.strip_prefix("~/reusable/") {
        return Target::Reusable { space, id: decode(id).into_owned() };
    }
    if let Some(page) = path.strip_prefix("~/pages/") {
        return Target::PageOfSpace { space, page: decode(page).into_owned(), anchor };
    }
    Target::Space { space, path: decode(path).into_owned(), anchor }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(path: &str, anchor: Option<&str>) -> Target {
        Target::Path { path: path.to_owned(), anchor: anchor.map(str::to_owned) }
    }

    #[test]
    fn targets_are_read_relative_to_their_file() {
        for (raw, expected) in [
            ("c.md", path("a/c.md", None)),
            ("./c.md#x", path("a/c.md", Some("x"))),
            ("../c%20d.md", path("c d.md", None)),
            ("c\\_d\\(1\\).md", path("a/c_d(1).md", None)),
            ("c%5C_d.md", path("a/c\\_d.md", None)),
            ("<c d.md>", path("a/c d.md", None)),
            ("sub/", path("a/sub/", None)),
            ("./", path("a/", None)),
            ("../", path("", None)),
            (".", path("a/", None)),
            ("/x/y", path("x/y", None)),
            ("/", path("", None)),
            ("c.md?raw=1", path("a/c.md", None)),
            ("../../c.md", Target::Broken("../../c.md".to_owned())),
            ("broken-reference", Target::Broken("broken-reference".to_owned())),
            ("/broken/pages/abc", Target::BrokenPage { page: "abc".to_owned(), anchor: None }),
            ("#id", Target::Anchor("id".to_owned())),
            ("https://x.y/z#a", Target::Url("https://x.y/z#a".to_owned())),
            ("mailto:a@b.c", Target::Url("mailto:a@b.c".to_owned())),
            ("javascript:alert(1)", Target::Url("javascript:alert(1)".to_owned())),
            ("//x.y", Target::Url("//x.y".to_owned())),
            ("%zz.md", path("a/%zz.md", None)),
            ("https://app.gitbook.com/u/me", Target::User("me".to_owned())),
            (
                "https://app.gitbook.com/o/org/s/sp/a/b#c",
                Target::Space {
                    space: "sp".to_owned(),
                    path: "a/b".to_owned(),
                    anchor: Some("c".to_owned()),
                },
            ),
            (
                "https://app.gitbook.com/s/sp/~/reusable/re/",
                Target::Reusable { space: "sp".to_owned(), id: "re".to_owned() },
            ),
        ] {
            assert_eq!(Target::parse(raw, "a/b.md"), expected, "{raw}");
        }
    }

    struct Known;

    impl Lookup for Known {
        fn page(&self, path: &str) -> Option<String> {
            ["README.md", "a/README.md", "a/b.md", "c.md"].contains(&path).then(|| path.to_owned())
        }
        fn file(&self, path: &str) -> Option<String> {
            (path == "a/x (1).png").then(|| path.to_owned())
        }
        fn reusable_content(&self, path: &str) -> Option<String> {
            (path == ".gitbook/includes/i.md").then(|| "i".to_owned())
        }
        fn page_at(&self, url_path: &str) -> Option<String> {
            (url_path == "sea/c").then(|| "c.md".to_owned())
        }
    }

    #[test]
    fn targets_resolve_to_ids() {
        let page = |page: &str| ContentRef::Page { page: page.to_owned(), space: None };
        for (raw, expected) in [
            ("../a/", page("a/README.md")),
            ("..", page("README.md")),
            ("../a", page("a/README.md")),
            ("b", page("a/b.md")),
            ("../c.html", page("c.md")),
            ("../c.md/", page("c.md")),
            ("/sea/c", page("c.md")),
            ("/c.md", page("c.md")),
            ("x (1).png", ContentRef::File { file: "a/x (1).png".to_owned() }),
            ("x%20(1).png", ContentRef::File { file: "a/x (1).png".to_owned() }),
            ("none.md", ContentRef::Url { url: "none.md".to_owned() }),
            (
                "../.gitbook/includes/i.md",
                ContentRef::ReusableContent { reusable_content: "i".to_owned(), space: None },
            ),
            (
                "../c.md#x",
                ContentRef::Anchor {
                    anchor: "x".to_owned(),
                    page: Some("c.md".to_owned()),
                    space: None,
                },
            ),
        ] {
            assert_eq!(resolve(raw, "a/b.md", &Known), expected, "{raw}");
        }
    }

    #[test]
    fn references_have_the_contracts_form() {
        let reference = ContentRef::ReusableContent { reusable_content: "r".into(), space: None };
        let json = serde_json::to_value(reference).expect("serialisable");
        assert_eq!(json, serde_json::json!({"kind": "reusable-content", "reusableContent": "r"}));
        let json =
            serde_json::to_value(ContentRef::OpenApi { spec: "s".into() }).expect("serialisable");
        assert_eq!(json, serde_json::json!({"kind": "openapi", "spec": "s"}));
    }
}
