//! The styles of published pages: one stylesheet whose address contains a hash of its content, a
//! second one for the styles that a site chooses, a third for parts that only some sites have, one for
//! the results of searches, the scripts, the fonts, and the favicon.

mod color;
mod diagrams;
mod font_files;
mod fonts;
mod minify;
mod theme;

use std::borrow::Cow;
use std::sync::LazyLock;

use bytes::Bytes;

use crate::http::{CacheControl, PreparedResponse};

pub use diagrams::{diagram_frame, diagram_script, diagram_stylesheet};
pub(crate) use font_files::{further_text_fonts, math_font, text_font};

pub use color::{Color, Oklch, contrast};
pub use fonts::{Font, MonospaceFont, font_stylesheet};
pub use theme::{Background, ColorPair, Corners, SidebarList, Theme};

/// The path of assets on every host.
pub const ASSETS: &str = "/~assets/";

const TOKENS: &str = include_str!("../../assets/tokens.css");

/// Returns the design tokens as CSS, for pages that are not those of a site.
pub fn tokens() -> String {
    minify::minify(TOKENS)
}

/// The stylesheet before minification, with comments.
pub const SOURCE: &str = concat!(
    include_str!("../../assets/tokens.css"),
    include_str!("../../assets/layout.css"),
    include_str!("../../assets/prose.css"),
    include_str!("../../assets/blocks.css"),
    include_str!("../../assets/columns.css"),
    include_str!("../../assets/print.css"),
);

const FAVICON: &str = include_str!("../../assets/favicon.svg");

/// A file whose address contains a hash of its content, so that it never changes.
#[derive(Debug)]
pub struct Asset {
    path: String,
    prepared: PreparedResponse,
}

impl Asset {
    fn new(
        stem: &str,
        extension: &str,
        content_type: &'static str,
        body: impl Into<Bytes>,
    ) -> Self {
        let body = body.into();
        let hash = blake3::hash(&body).to_hex();
        let hash = hash.get(..12).unwrap_or_default();
        Self {
            path: format!("{ASSETS}{stem}-{hash}.{extension}"),
            prepared: PreparedResponse::new(200, content_type, CacheControl::Immutable, body),
        }
    }

    /// Returns the absolute path of the asset's address.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Returns the response to a request for the asset.
    pub fn prepared(&self) -> &PreparedResponse {
        &self.prepared
    }
}

static STYLESHEET: LazyLock<Asset> = LazyLock::new(|| {
    let css = minify::minify(SOURCE) + &font_files::text_rules();
    Asset::new("site", "css", "text/css; charset=utf-8", css)
});

static FAVICON_ASSET: LazyLock<Asset> =
    LazyLock::new(|| Asset::new("icon", "svg", "image/svg+xml", FAVICON.trim().to_owned()));

/// Returns the stylesheet of all published pages.
pub fn stylesheet() -> &'static Asset {
    &STYLESHEET
}

static CONSOLE: LazyLock<Asset> = LazyLock::new(|| {
    let css = minify::minify(include_str!("../../assets/console.css"));
    Asset::new("console", "css", "text/css; charset=utf-8", css)
});

/// Returns the stylesheet that the application's own pages load in addition.
pub fn console() -> &'static Asset {
    &CONSOLE
}

static LOOKS: LazyLock<Asset> = LazyLock::new(|| {
    let css = minify::minify(include_str!("../../assets/looks.css"));
    Asset::new("looks", "css", "text/css; charset=utf-8", css)
});

/// Returns the stylesheet of parts that only some sites and pages have: links in the header,
/// announcements, a large footer, and the filter of a changelog.
pub fn looks() -> &'static Asset {
    &LOOKS
}

static API: LazyLock<Asset> = LazyLock::new(|| {
    let css = minify::minify(include_str!("../../assets/api.css"));
    Asset::new("api", "css", "text/css; charset=utf-8", css)
});

/// Returns the stylesheet of pages with parts of OpenAPI specifications.
pub fn api() -> &'static Asset {
    &API
}

static MATH: LazyLock<Asset> = LazyLock::new(|| {
    let css = minify::minify(include_str!("../../assets/math.css")) + &font_files::math_rules();
    Asset::new("math", "css", "text/css; charset=utf-8", css)
});

/// Returns the stylesheet of pages with formulas.
pub fn math() -> &'static Asset {
    &MATH
}

/// The name of the file with the licences of fonts and drawings, which must accompany them.
const LICENSES: &str = "licenses.txt";

fn licenses() -> PreparedResponse {
    let text = concat!(
        include_str!("../../assets/icons/LICENSES.txt"),
        "\n\n",
        include_str!("../../assets/fonts/OFL.txt"),
        "\n\nDiagrams are drawn by Mermaid (https://mermaid.js.org):\n\n",
        include_str!("../../assets/diagrams/LICENSE.txt"),
    );
    PreparedResponse::new(200, "text/plain; charset=utf-8", CacheControl::Revalidate, text)
}

static SCRIPT: LazyLock<Asset> = LazyLock::new(|| {
    let script = minify::minify_script(include_str!("../../assets/reader.js"));
    Asset::new("reader", "js", "text/javascript; charset=utf-8", script)
});

/// Returns the script of published pages, which are complete without it.
pub fn script() -> &'static Asset {
    &SCRIPT
}

static SEARCH_SCRIPT: LazyLock<Asset> = LazyLock::new(|| {
    let script = minify::minify_script(include_str!("../../assets/search.js"));
    Asset::new("search", "js", "text/javascript; charset=utf-8", script)
});

/// Returns the script that shows the results of a search while the reader types.
pub fn search_script() -> &'static Asset {
    &SEARCH_SCRIPT
}

static SEARCH_STYLESHEET: LazyLock<Asset> = LazyLock::new(|| {
    let css = minify::minify(include_str!("../../assets/search.css"));
    Asset::new("search", "css", "text/css; charset=utf-8", css)
});

/// Returns the stylesheet of the results of a search.
pub fn search_stylesheet() -> &'static Asset {
    &SEARCH_STYLESHEET
}

static API_CONSOLE_SCRIPT: LazyLock<Asset> = LazyLock::new(|| {
    let script = minify::minify_script(include_str!("../../assets/api-console.js"));
    Asset::new("api-console", "js", "text/javascript; charset=utf-8", script)
});

/// Returns the script of the console for operations of OpenAPI specifications.
pub fn api_console_script() -> &'static Asset {
    &API_CONSOLE_SCRIPT
}

static API_CONSOLE_STYLESHEET: LazyLock<Asset> = LazyLock::new(|| {
    let css = minify::minify(include_str!("../../assets/api-console.css"));
    Asset::new("api-console", "css", "text/css; charset=utf-8", css)
});

/// Returns the stylesheet of that console.
pub fn api_console_stylesheet() -> &'static Asset {
    &API_CONSOLE_STYLESHEET
}

/// Returns the icon of sites without an icon of their own.
pub fn favicon() -> &'static Asset {
    &FAVICON_ASSET
}

/// Returns the response for a path below [`ASSETS`], given without that prefix.
pub fn asset(name: &str) -> Option<Cow<'static, PreparedResponse>> {
    let named = |asset: &Asset| asset.path.strip_prefix(ASSETS) == Some(name);
    if named(stylesheet()) {
        return Some(Cow::Borrowed(stylesheet().prepared()));
    }
    let other = [
        script(),
        search_script(),
        search_stylesheet(),
        api(),
        api_console_script(),
        api_console_stylesheet(),
        favicon(),
        console(),
        looks(),
        math(),
    ];
    for known in other.into_iter().chain(font_files::all()) {
        if named(known) {
            return Some(Cow::Borrowed(known.prepared()));
        }
    }
    if let Some(found) = diagrams::find(name) {
        return Some(found);
    }
    if name == LICENSES {
        return Some(Cow::Owned(licenses()));
    }
    let theme = Theme::from_file_name(name)?;
    let body = theme.stylesheet();
    Some(Cow::Owned(PreparedResponse::new(
        200,
        "text/css; charset=utf-8",
        CacheControl::Immutable,
        body,
    )))
}

#[cfg(test)]
mod tests;
