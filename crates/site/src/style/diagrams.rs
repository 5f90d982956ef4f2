//! The script that draws Mermaid diagrams, for pages that contain one. The library runs in a frame
//! with an opaque origin and consists of modules, of which a browser loads those that a diagram
//! needs.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::ops::Range;
use std::sync::{LazyLock, OnceLock};

use bytes::Bytes;
use http::header;

use super::{ASSETS, Asset, minify};
use crate::http::{CacheControl, PreparedResponse};

/// The modules of the library, compressed: a list of names and lengths, an empty line, and the
/// modules. `cargo xtask diagrams` writes the file.
const ARCHIVE: &[u8] = include_bytes!("../../assets/diagrams/mermaid.zst");

/// The module that imports the others.
const ENTRY: &str = "mermaid.esm.min.mjs";

const JAVASCRIPT: &str = "text/javascript; charset=utf-8";

/// The policy of the frame. The library measures its drawings with styles in elements. An opaque
/// origin has no cookies, no storage, and no access to the page.
const FRAME_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'unsafe-inline'; \
                            form-action 'none'; base-uri 'none'; frame-ancestors 'self'; \
                            sandbox allow-scripts";

/// The library after decompression.
struct Library {
    text: Bytes,
    modules: Vec<Module>,
}

/// A module of the library.
struct Module {
    name: String,
    /// The position in the text.
    range: Range<usize>,
    response: OnceLock<PreparedResponse>,
}

/// The beginning of the addresses of modules, without [`ASSETS`].
static FOLDER: LazyLock<String> = LazyLock::new(|| {
    let hash = blake3::hash(ARCHIVE).to_hex();
    format!("mermaid-{}/", hash.get(..12).unwrap_or_default())
});

static LIBRARY: LazyLock<Option<Library>> = LazyLock::new(|| {
    let text = Bytes::from(zstd::decode_all(ARCHIVE).ok()?);
    let mut modules = Vec::new();
    let list = std::str::from_utf8(&text).ok()?.split_once("\n\n")?.0;
    let mut start = list.len() + 2;
    for line in list.lines() {
        let (name, length) = line.split_once(' ')?;
        let end = start + length.parse::<usize>().ok()?;
        let response = OnceLock::new();
        modules.push(Module { name: name.to_owned(), range: start..end, response });
        start = end;
    }
    (start == text.len()).then_some(Library { text, modules })
});

impl Library {
    fn module(&self, name: &str) -> Option<&PreparedResponse> {
        let module = self.modules.iter().find(|module| module.name == name)?;
        Some(module.response.get_or_init(|| {
            let body = self.text.slice(module.range.clone());
            readable(PreparedResponse::new(200, JAVASCRIPT, CacheControl::Immutable, body))
        }))
    }
}

/// Makes a response readable for all origins, as browsers require it for modules of a frame
/// with an opaque origin.
fn readable(response: PreparedResponse) -> PreparedResponse {
    response.with_header(header::ACCESS_CONTROL_ALLOW_ORIGIN, "*")
}

static PAGE_SCRIPT: LazyLock<Asset> = LazyLock::new(|| {
    let script = minify::minify_script(include_str!("../../assets/diagrams/page.js"));
    Asset::new("diagrams", "js", JAVASCRIPT, script)
});

static STYLESHEET: LazyLock<Asset> = LazyLock::new(|| {
    let css = minify::minify(include_str!("../../assets/diagrams/diagrams.css"));
    Asset::new("diagrams", "css", "text/css; charset=utf-8", css)
});

static FRAME_SCRIPT: LazyLock<Asset> = LazyLock::new(|| {
    let script = minify::minify_script(include_str!("../../assets/diagrams/frame.js"));
    let script = script.replace("MERMAID", &format!("./{}{ENTRY}", *FOLDER));
    let asset = Asset::new("diagram-frame", "js", JAVASCRIPT, script);
    Asset { prepared: readable(asset.prepared), ..asset }
});

static FRAME: LazyLock<Asset> = LazyLock::new(|| {
    let mut html = String::from("<!doctype html><html lang=\"en\"><title>Diagrams</title>");
    // Writing to a string cannot fail.
    let _ = write!(
        html,
        "<script type=\"module\" src=\"{}\"></script></html>",
        FRAME_SCRIPT.path().trim_start_matches(ASSETS)
    );
    let asset = Asset::new("diagrams", "html", "text/html; charset=utf-8", html);
    let prepared = asset
        .prepared
        .with_header(header::CONTENT_SECURITY_POLICY, FRAME_POLICY)
        .with_header(header::X_FRAME_OPTIONS, "SAMEORIGIN")
        .with_header(header::HeaderName::from_static("x-robots-tag"), "noindex");
    Asset { path: asset.path, prepared }
});

/// Returns the script of pages with diagrams, which shows their source without it.
pub fn diagram_script() -> &'static Asset {
    &PAGE_SCRIPT
}

/// Returns the stylesheet of pages with diagrams.
pub fn diagram_stylesheet() -> &'static Asset {
    &STYLESHEET
}

/// Returns the document of the frame in which diagrams are drawn.
pub fn diagram_frame() -> &'static Asset {
    &FRAME
}

/// Returns the response for a path below [`ASSETS`], given without that prefix.
pub(super) fn find(name: &str) -> Option<Cow<'static, PreparedResponse>> {
    if let Some(module) = name.strip_prefix(&**FOLDER) {
        return LIBRARY.as_ref()?.module(module).map(Cow::Borrowed);
    }
    let named = |asset: &&&Asset| asset.path().strip_prefix(ASSETS) == Some(name);
    let assets: [&Asset; 4] = [&PAGE_SCRIPT, &STYLESHEET, &FRAME_SCRIPT, &FRAME];
    assets.iter().find(named).map(|asset| Cow::Borrowed(asset.prepared()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_module_and_what_it_imports_is_found() {
        let library = LIBRARY.as_ref().unwrap();
        assert!(library.modules.len() > 50);
        for module in &library.modules {
            let found = find(&format!("{}{}", *FOLDER, module.name)).unwrap();
            let text = std::str::from_utf8(found.body()).unwrap();
            let folder = module.name.rsplit_once('/').map_or("", |(folder, _)| folder);
            for import in text.split('"').filter(|part| part.ends_with(".mjs")) {
                let Some(name) = import.strip_prefix("./") else { continue };
                let name = format!("{folder}/{name}");
                let name = name.trim_start_matches('/');
                assert!(library.modules.iter().any(|module| module.name == name), "{name}");
            }
        }
        assert!(find(&format!("{}{ENTRY}", *FOLDER)).is_some());
        assert!(find(&format!("{}other.mjs", *FOLDER)).is_none());
        assert!(find("mermaid-000000000000/mermaid.esm.min.mjs").is_none());
    }

    #[test]
    fn the_frame_has_no_origin_and_its_scripts_are_readable_there() {
        let headers = |name: &str| {
            let name = name.strip_prefix(ASSETS).unwrap_or(name);
            let found = find(name).unwrap();
            found.to_response(&http::Method::GET, &http::HeaderMap::new()).headers().clone()
        };
        let frame = headers(diagram_frame().path());
        let policy = frame["content-security-policy"].to_str().unwrap();
        assert!(policy.contains("sandbox allow-scripts") && !policy.contains("allow-same-origin"));
        assert_eq!(frame["x-frame-options"], "SAMEORIGIN");
        assert_eq!(frame.get_all("content-security-policy").iter().count(), 1);
        let document = std::str::from_utf8(diagram_frame().prepared().body()).unwrap();
        let script = document.split("src=\"").nth(1).unwrap().split('"').next().unwrap();
        assert_eq!(headers(script)["access-control-allow-origin"], "*");
        let script = find(script).unwrap();
        let script = std::str::from_utf8(script.body()).unwrap();
        let library = script.split("from \"./").nth(1).unwrap().split('"').next().unwrap();
        assert_eq!(headers(library)["access-control-allow-origin"], "*");
        assert!(!headers(diagram_script().path()).contains_key("access-control-allow-origin"));
    }

    #[test]
    fn the_scripts_write_no_markup_and_load_nothing_foreign() {
        for asset in [&*PAGE_SCRIPT, &*FRAME_SCRIPT] {
            let text = std::str::from_utf8(asset.prepared().body()).unwrap();
            for foreign in ["http:", "https:", "innerHTML", "eval("] {
                assert!(!text.contains(foreign), "{foreign}");
            }
            assert!(text.len() < 6_000, "{}", text.len());
        }
    }
}
