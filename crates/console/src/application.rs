//! The browser application: one HTML page for all of its addresses, and the files that it loads.
//!
//! `cargo xtask web` builds the application from `web` and writes the table of its files.

use std::sync::LazyLock;

use bindery_http::{Body, Response};
use bindery_site::http::{CacheControl, PreparedResponse};
use bindery_site::icons;
use http::header::{self, HeaderMap, HeaderName};
use http::{Method, StatusCode};

include!("../../../web/dist/files.rs");

/// The path of the files below the prefix of the application.
pub(crate) const ASSETS: &str = "/assets/";

/// The path of the drawings of icons below the prefix of the application, and of the list of their
/// names, `names.txt`.
pub(crate) const ICONS: &str = "/icons/";

/// The content security policy of the page. Pictures come from the pages that people write, and
/// frames show previews of sites, which can have hosts of their own.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; \
    connect-src 'self'; img-src 'self' data: blob: https: http:; media-src 'self' blob: https:; \
    frame-src 'self' https: http:; worker-src 'self'; manifest-src 'self'; form-action 'self'; \
    base-uri 'none'; frame-ancestors 'none'";

static PAGE: LazyLock<PreparedResponse> = LazyLock::new(|| {
    PreparedResponse::page(PAGE_HTML, CacheControl::Revalidate)
        .with_header(header::CONTENT_SECURITY_POLICY, POLICY)
        .with_header(header::REFERRER_POLICY, "same-origin")
        .with_header(header::X_FRAME_OPTIONS, "DENY")
        .with_header(HeaderName::from_static("cross-origin-opener-policy"), "same-origin")
});

static FILES: LazyLock<Vec<(&'static str, PreparedResponse)>> = LazyLock::new(|| {
    let prepared = |&(name, body): &(&'static str, &'static [u8])| {
        let kind = content_type(name);
        (name, PreparedResponse::new(200, kind, CacheControl::Immutable, body))
    };
    FILE_BODIES.iter().map(prepared).collect()
});

/// Returns the page of the application. It is the same for every address and person, so it does not
/// disclose what exists.
pub(crate) fn page(method: &Method, headers: &HeaderMap) -> Response {
    PAGE.to_response(method, headers).map(Body::from)
}

/// Returns a file of the application by its name below [`ASSETS`].
pub(crate) fn file(name: &str, method: &Method, headers: &HeaderMap) -> Response {
    match FILES.iter().find(|(known, _)| *known == name) {
        Some((_, file)) => file.to_response(method, headers).map(Body::from),
        None => not_found(),
    }
}

static ICON_NAMES: LazyLock<PreparedResponse> = LazyLock::new(|| {
    let names = icons::names().collect::<Vec<_>>().join("\n");
    let kind = "text/plain; charset=utf-8";
    PreparedResponse::new(200, kind, CacheControl::Revalidate, names)
});

/// Returns the drawing of an icon, or the list of all names, by its name below [`ICONS`].
pub(crate) fn icon(name: &str, method: &Method, headers: &HeaderMap) -> Response {
    if name == "names.txt" {
        return ICON_NAMES.to_response(method, headers).map(Body::from);
    }
    let drawing = name.strip_suffix(".svg").and_then(icons::svg);
    let Some(drawing) = drawing else { return not_found() };
    let file = PreparedResponse::new(200, "image/svg+xml", CacheControl::Revalidate, drawing);
    file.to_response(method, headers).map(Body::from)
}

fn not_found() -> Response {
    let mut response = Response::new(Body::from("not found\n".to_owned()));
    *response.status_mut() = StatusCode::NOT_FOUND;
    response
}

/// Returns the content type of a file by the end of its name.
fn content_type(name: &str) -> &'static str {
    match name.rsplit_once('.').map(|(_, extension)| extension) {
        Some("js") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("svg") => "image/svg+xml",
        Some("md") => "text/plain; charset=utf-8",
        Some("woff2") => "font/woff2",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_loads_known_files_only() {
        let mut loaded = 0;
        for part in PAGE_HTML.split("/app/assets/").skip(1) {
            let name = part.split('"').next().unwrap_or_default();
            let answer = file(name, &Method::GET, &HeaderMap::new());
            assert_eq!(answer.status(), 200, "{name}");
            assert_ne!(
                answer.headers()[header::CONTENT_TYPE],
                "application/octet-stream",
                "{name}"
            );
            loaded += 1;
        }
        assert!(loaded >= 2, "{PAGE_HTML}");
        assert!(!PAGE_HTML.contains("<script>") && !PAGE_HTML.contains("<style>"), "{PAGE_HTML}");
        assert_eq!(file("absent.js", &Method::GET, &HeaderMap::new()).status(), 404);
    }

    #[test]
    fn icons_are_found_by_their_names() {
        let get = |name: &str| icon(name, &Method::GET, &HeaderMap::new());
        assert_eq!(get("rocket.svg").headers()[header::CONTENT_TYPE], "image/svg+xml");
        assert_eq!(get("github.svg").status(), 200);
        assert_eq!(get("names.txt").status(), 200);
        for unknown in ["rocket", ".svg", "qqqq.svg"] {
            assert_eq!(get(unknown).status(), 404, "{unknown}");
        }
        assert!(icons::names().all(|name| icons::svg(name).is_some()));
    }

    #[test]
    fn the_first_visit_stays_small() {
        let names = PAGE_HTML.split("/app/assets/").skip(1);
        let names: Vec<&str> = names.filter_map(|part| part.split('"').next()).collect();
        let compress = bindery_http::Encoding::Gzip;
        let sizes = FILE_BODIES.iter().filter(|(name, _)| names.contains(name)).map(|(_, body)| {
            let effort = bindery_http::CompressionEffort::Asset;
            compress.compress(body, effort).map_or(0, |body| body.len())
        });
        let size: usize = sizes.sum();
        assert!(size <= 190 * 1024, "{size} bytes");
    }
}
