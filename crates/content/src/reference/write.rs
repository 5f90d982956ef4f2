//! Writes references as targets, relative to the file that holds them.

use super::{ContentRef, has_scheme};

/// Looks up the paths under which things are currently stored: the inverse of
/// [`Lookup`](super::Lookup).
///
/// Paths are relative to the root of the content and have no leading slash.
pub trait Names {
    /// Returns the path of the page's file, or `None` if the page is gone or has no file.
    fn page_path(&self, page: &str) -> Option<String>;
    /// Returns the path of the file.
    fn file_path(&self, file: &str) -> Option<String>;
    /// Returns the path of the reusable content's file.
    fn reusable_content_path(&self, reusable_content: &str) -> Option<String>;
    /// Returns the path at which another space publishes the page.
    fn page_path_in_space(&self, space: &str, page: &str) -> Option<String> {
        let _ = (space, page);
        None
    }
}

/// Prefix of the application's URLs in files of the dialect.
const APPLICATION: &str = "https://app.gitbook.com/";

/// Writes a reference as a target in the file `holder` (a path from the content root).
/// [`resolve`](super::resolve) resolves the result to the same reference.
///
/// Paths are relative, and a `README.md` is written as its folder. The result may contain spaces
/// and characters that are special in Markdown or HTML; the caller escapes them. A page without a
/// file is written as a broken page, which preserves its id. A page of another space whose path is
/// unknown is written by its id. Returns `None` for a file or reusable content without a path, and
/// for an empty id.
#[must_use]
pub fn write(target: &ContentRef, holder: &str, names: &dyn Names) -> Option<String> {
    let of_page = |page: &str| match names.page_path(page) {
        Some(path) => relative(holder, &path, true),
        None => format!("/broken/pages/{page}"),
    };
    let of_space = |space: &str, page: &str| {
        let space = id(space)?;
        let path = names.page_path_in_space(&space, page).filter(|path| !path.is_empty());
        Some(match path {
            Some(path) => format!("{APPLICATION}s/{space}/{}", encode(&path, "%#?<>{}")),
            None => format!("{APPLICATION}s/{space}/~/pages/{}", id(page)?),
        })
    };
    Some(match target {
        ContentRef::File { file } => relative(holder, &names.file_path(file)?, false),
        ContentRef::Url { url } => url.clone(),
        ContentRef::Page { page, space: None } => of_page(page),
        ContentRef::Page { page, space: Some(space) } => of_space(space, page)?,
        ContentRef::Anchor { anchor, page: None, space: None } => {
            with_anchor(String::new(), anchor)
        }
        ContentRef::Anchor { anchor, page: None, space: Some(space) } => {
            with_anchor(format!("{APPLICATION}s/{}/~/", id(space)?), anchor)
        }
        ContentRef::Anchor { anchor, page: Some(page), space: None } => {
            with_anchor(of_page(page), anchor)
        }
        ContentRef::Anchor { anchor, page: Some(page), space: Some(space) } => {
            with_anchor(of_space(space, page)?, anchor)
        }
        ContentRef::User { user } => format!("{APPLICATION}u/{}", id(user)?),
        ContentRef::Collection { collection } => format!("{APPLICATION}c/{}", id(collection)?),
        // Without `~`, the URL would resolve to a space only if the space is known.
        ContentRef::Space { space } => format!("{APPLICATION}s/{}/~/", id(space)?),
        ContentRef::ReusableContent { reusable_content, space: None } => {
            relative(holder, &names.reusable_content_path(reusable_content)?, false)
        }
        ContentRef::ReusableContent { reusable_content, space: Some(space) } => {
            format!("{APPLICATION}s/{}/~/reusable/{}/", id(space)?, id(reusable_content)?)
        }
        ContentRef::OpenApi { spec } => format!("{APPLICATION}openapi/{}", id(spec)?),
    })
}

/// Encodes an id as a segment of a URL. Returns `None` for an empty id.
fn id(id: &str) -> Option<String> {
    (!id.is_empty()).then(|| encode(id, "%#?<>{}/"))
}

/// Appends an anchor to a target.
#[must_use]
pub fn with_anchor(target: String, anchor: &str) -> String {
    format!("{target}#{}", encode(anchor, "%<>{}"))
}

/// Returns the relative path from the file `holder` to the file `path`, as a target. If `as_page`
/// is `true`, `a/README.md` is written as `a/`.
#[must_use]
pub fn relative(holder: &str, path: &str, as_page: bool) -> String {
    let folder = holder.rsplit_once('/').map_or("", |(folder, _)| folder);
    let folder = || folder.split('/').filter(|part| !part.is_empty());
    let is_readme = as_page && (path == "README.md" || path.ends_with("/README.md"));
    let path = if is_readme { path.strip_suffix("README.md").unwrap_or(path) } else { path };
    let parts = || path.split_inclusive('/');
    let shared = folder()
        .zip(parts())
        .take_while(|(left, right)| right.strip_suffix('/') == Some(*left))
        .count();
    let mut written = "../".repeat(folder().skip(shared).count());
    let rest: String = parts().skip(shared).collect();
    if written.is_empty() && needs_dot(&rest) {
        written.push_str("./");
    }
    written.push_str(&encode(&rest, "%#?<>{}\\"));
    written
}

/// Returns `true` if a target that begins like this would not be read as a path.
fn needs_dot(path: &str) -> bool {
    path.is_empty() || has_scheme(path) || path == "broken-reference"
}

/// Returns `true` if `rest`, the text after an `&`, makes it a character reference, as in `&amp;`.
fn begins_entity(rest: &str) -> bool {
    let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '#');
    end.is_some_and(|end| end > 0 && rest.get(end..).is_some_and(|rest| rest.starts_with(';')))
}

/// Writes a target as the destination of a Markdown link, in `<` and `>` if necessary.
#[must_use]
pub fn destination(target: &str) -> String {
    let mut written = String::with_capacity(target.len() + 2);
    for (at, c) in target.char_indices() {
        match c {
            '\\' => written.extend(['\\', c]),
            '&' if begins_entity(target.get(at + 1..).unwrap_or_default()) => {
                written.extend(['\\', c]);
            }
            // A bar would end a table cell, even if escaped.
            '|' => written.push_str("%7C"),
            c if c.is_control() => written.push_str(&encode(c.encode_utf8(&mut [0; 4]), "")),
            c => written.push(c),
        }
    }
    let mut depth = 0i32;
    let balanced = target.chars().all(|c| {
        depth += i32::from(c == '(') - i32::from(c == ')');
        (0..=16).contains(&depth)
    });
    let is_bare = !target.contains(char::is_whitespace) && balanced && depth == 0;
    if is_bare && !target.is_empty() { written } else { format!("<{written}>") }
}

/// Returns the link text that mentions and content-reference blocks show for a target: the anchor,
/// or the last path segment.
///
/// `b.md` for `a/b.md`, `b` for `a/b/`, `.` for `./`, `#id` for `b.md#id`.
#[must_use]
pub fn label(target: &str) -> &str {
    if let Some(anchor) = target.find('#')
        && !has_scheme(target)
    {
        return target.get(anchor..).unwrap_or(target);
    }
    let bare = target.trim_end_matches('/');
    let name = bare.rsplit('/').next().filter(|name| !name.is_empty());
    name.unwrap_or(target)
}

/// Percent-encodes `reserved` characters, control characters and leading and trailing whitespace.
fn encode(text: &str, reserved: &str) -> String {
    let trimmed_start = text.len() - text.trim_start().len();
    let trimmed_end = text.trim_end().len();
    let mut written = String::with_capacity(text.len());
    for (at, c) in text.char_indices() {
        let at_end = at < trimmed_start || at >= trimmed_end;
        if at_end || c.is_control() || reserved.contains(c) {
            let mut bytes = [0; 4];
            for byte in c.encode_utf8(&mut bytes).bytes() {
                written.push_str(&format!("%{byte:02X}"));
            }
        } else {
            written.push(c);
        }
    }
    written
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::{Lookup, resolve};
    use super::*;

    /// A test double that knows every path. An id equals its path.
    struct All;

    impl Names for All {
        fn page_path(&self, page: &str) -> Option<String> {
            (!page.starts_with("gone")).then(|| page.to_owned())
        }
        fn file_path(&self, file: &str) -> Option<String> {
            Some(file.to_owned())
        }
        fn reusable_content_path(&self, reusable_content: &str) -> Option<String> {
            Some(reusable_content.to_owned())
        }
        fn page_path_in_space(&self, _: &str, page: &str) -> Option<String> {
            Some(page.to_owned())
        }
    }

    impl Lookup for All {
        fn page(&self, path: &str) -> Option<String> {
            path.ends_with(".md").then(|| path.to_owned()).filter(|p| !p.contains(".gitbook/"))
        }
        fn file(&self, path: &str) -> Option<String> {
            let is_file = !path.is_empty() && !path.ends_with('/') && !path.ends_with(".md");
            is_file.then(|| path.to_owned())
        }
        fn reusable_content(&self, path: &str) -> Option<String> {
            path.contains(".gitbook/").then(|| path.to_owned())
        }
        fn space(&self, _: &str) -> bool {
            true
        }
        fn page_of_space(&self, _: &str, url_path: &str) -> Option<String> {
            Some(url_path.to_owned())
        }
    }

    fn page(page: &str) -> ContentRef {
        ContentRef::Page { page: page.to_owned(), space: None }
    }

    fn file(file: &str) -> ContentRef {
        ContentRef::File { file: file.to_owned() }
    }

    fn anchor(page: Option<&str>, anchor: &str) -> ContentRef {
        ContentRef::Anchor { anchor: anchor.to_owned(), page: page.map(str::to_owned), space: None }
    }

    #[test]
    fn destinations_escape_what_markdown_would_read() {
        for (target, expected) in [
            ("https://a.example/f?x=1&y=2", "https://a.example/f?x=1&y=2"),
            ("f?x=1&amp;y=2", "f?x=1\\&amp;y=2"),
            ("f?&#38;", "f?\\&#38;"),
            ("f?&;", "f?&;"),
            ("a b", "<a b>"),
            ("a|b", "a%7Cb"),
        ] {
            assert_eq!(destination(target), expected, "{target}");
        }
    }

    #[test]
    fn targets_are_written_relative() {
        for (target, expected) in [
            (page("a/c.md"), "c.md"),
            (page("a/b.md"), "b.md"),
            (page("a/b/README.md"), "b/"),
            (page("a/README.md"), "./"),
            (page("README.md"), "../"),
            (page("x/y z.md"), "../x/y z.md"),
            (page("a/readme.md"), "readme.md"),
            (page("a/ab:c.md"), "./ab:c.md"),
            (page("a/1#2?3%.md"), "1%232%3F3%25.md"),
            (page("gone1"), "/broken/pages/gone1"),
            (anchor(Some("gone1"), "x"), "/broken/pages/gone1#x"),
            (anchor(None, "x y"), "#x y"),
            (anchor(Some("a/b.md"), "x"), "b.md#x"),
            (anchor(Some("a/README.md"), "x"), "./#x"),
            (file(".gitbook/assets/a b (1).png"), "../.gitbook/assets/a b (1).png"),
            (file("a/README.txt"), "README.txt"),
            (file("a/broken-reference"), "./broken-reference"),
            (file("a/ b "), "%20b%20"),
            (ContentRef::Url { url: "https://x.y/ä b".into() }, "https://x.y/ä b"),
            (ContentRef::User { user: "u".into() }, "https://app.gitbook.com/u/u"),
            (ContentRef::Collection { collection: "c".into() }, "https://app.gitbook.com/c/c"),
            (ContentRef::Space { space: "s".into() }, "https://app.gitbook.com/s/s/~/"),
            (
                ContentRef::Anchor { anchor: "x".into(), page: None, space: Some("s".into()) },
                "https://app.gitbook.com/s/s/~/#x",
            ),
            (ContentRef::OpenApi { spec: "pets".into() }, "https://app.gitbook.com/openapi/pets"),
            (
                ContentRef::ReusableContent {
                    reusable_content: ".gitbook/includes/i.md".into(),
                    space: None,
                },
                "../.gitbook/includes/i.md",
            ),
            (
                ContentRef::ReusableContent {
                    reusable_content: "r".into(),
                    space: Some("s".into()),
                },
                "https://app.gitbook.com/s/s/~/reusable/r/",
            ),
        ] {
            let written = write(&target, "a/b.md", &All);
            assert_eq!(written.as_deref(), Some(expected), "{target:?}");
            assert_eq!(resolve(expected, "a/b.md", &All), target, "{expected}");
        }
    }

    #[test]
    fn nothing_is_written_for_what_has_no_name() {
        struct Nothing;
        impl Names for Nothing {
            fn page_path(&self, _: &str) -> Option<String> {
                None
            }
            fn file_path(&self, _: &str) -> Option<String> {
                None
            }
            fn reusable_content_path(&self, _: &str) -> Option<String> {
                None
            }
        }
        let reusable = ContentRef::ReusableContent { reusable_content: "r".into(), space: None };
        let nameless = ContentRef::Page { page: String::new(), space: Some("s".into()) };
        for target in [file("a"), nameless, reusable] {
            assert_eq!(write(&target, "a/b.md", &Nothing), None, "{target:?}");
        }
        // Pages of other spaces without a known path are written by id.
        let page = || Some("p / #?".to_owned());
        let space = || Some("s".to_owned());
        for target in [
            ContentRef::Page { page: page().unwrap(), space: space() },
            ContentRef::Anchor { anchor: "a".into(), page: page(), space: space() },
            ContentRef::Anchor { anchor: "a".into(), page: None, space: space() },
            ContentRef::Space { space: "s".into() },
            ContentRef::OpenApi { spec: "a/b".into() },
        ] {
            let written = write(&target, "a/b.md", &Nothing).unwrap();
            let read = resolve(&written, "c.md", &super::super::NoLookup);
            assert_eq!(read, target, "{written}");
        }
    }

    #[test]
    fn labels_are_the_last_part() {
        for (target, expected) in [
            ("a/b.md", "b.md"),
            ("a/b/", "b"),
            ("./", "."),
            ("../", ".."),
            ("b.md#id", "#id"),
            ("#id", "#id"),
            ("/", "/"),
            ("", ""),
        ] {
            assert_eq!(label(target), expected, "{target}");
        }
    }

    fn segment() -> impl Strategy<Value = String> {
        prop_oneof![
            4 => "[a-c]{1,2}",
            2 => "[ -~]{1,6}",
            1 => "\\PC{1,4}",
        ]
        .prop_map(|text| text.replace('/', "-"))
        .prop_filter("no path's part", |text| !matches!(text.as_str(), "." | ".."))
    }

    fn path(name: &'static str) -> impl Strategy<Value = String> {
        (prop::collection::vec(segment(), 0..4), segment()).prop_map(move |(folders, last)| {
            let mut path: String = folders.iter().map(|folder| format!("{folder}/")).collect();
            match name {
                "README.md" => path.push_str(name),
                suffix => path.push_str(&format!("{last}{suffix}")),
            }
            path
        })
    }

    fn id() -> impl Strategy<Value = String> {
        "[a-zA-Z0-9]{1,8}"
    }

    fn target() -> impl Strategy<Value = ContentRef> {
        let a_page = || prop_oneof![path(".md"), path("README.md")];
        let an_anchor = || "[ -~äß日]{0,5}[a-z]";
        let url_path = || "[a-z]{1,4}(/[ a-z?#%]{0,3}[a-z]){0,2}";
        prop_oneof![
            a_page().prop_map(|page| ContentRef::Page { page, space: None }),
            path(".png").prop_map(|file| ContentRef::File { file }),
            segment().prop_map(|file| ContentRef::File { file: format!("{file}.x") }),
            (an_anchor(), proptest::option::of(a_page()))
                .prop_map(|(anchor, page)| ContentRef::Anchor { anchor, page, space: None }),
            (an_anchor(), url_path(), id()).prop_map(|(anchor, page, space)| {
                ContentRef::Anchor { anchor, page: Some(page), space: Some(space) }
            }),
            (url_path(), id())
                .prop_map(|(page, space)| ContentRef::Page { page, space: Some(space) }),
            id().prop_map(|id| ContentRef::Page { page: format!("gone{id}"), space: None }),
            id().prop_map(|user| ContentRef::User { user }),
            id().prop_map(|collection| ContentRef::Collection { collection }),
            segment().prop_map(|space| ContentRef::Space { space }),
            segment().prop_map(|spec| ContentRef::OpenApi { spec }),
            (an_anchor(), id()).prop_map(|(anchor, space)| {
                ContentRef::Anchor { anchor, page: None, space: Some(space) }
            }),
            segment().prop_map(|name| ContentRef::ReusableContent {
                reusable_content: format!(".gitbook/includes/{name}.md"),
                space: None,
            }),
            (id(), id()).prop_map(|(id, space)| ContentRef::ReusableContent {
                reusable_content: id,
                space: Some(space),
            }),
            "https://[a-z]{1,5}/[!-~]{0,8}".prop_map(|url| ContentRef::Url { url }),
        ]
    }

    proptest! {
        #[test]
        fn written_targets_resolve_to_the_same_reference(target in target(), holder in path(".md")) {
            let written = write(&target, &holder, &All).expect("everything has a name");
            prop_assert_eq!(resolve(&written, &holder, &All), target, "{}", written);
        }
    }
}
