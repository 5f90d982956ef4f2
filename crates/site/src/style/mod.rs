//! The look of the published pages: one stylesheet at an address that names its content, a tiny
//! second one for a site's own colours, and the icon of the browser's tab.

mod color;
mod minify;
mod theme;

use std::borrow::Cow;
use std::sync::LazyLock;

use crate::http::{CacheControl, Prepared};
use crate::icons;

pub use color::{Color, Oklch, contrast};
pub use theme::Theme;

/// Where assets live, on every host and above every site.
pub const ASSETS: &str = "/~assets/";

/// The stylesheet as it is written, with comments.
pub const SOURCE: &str = concat!(
    include_str!("../../assets/tokens.css"),
    include_str!("../../assets/layout.css"),
    include_str!("../../assets/prose.css"),
    include_str!("../../assets/blocks.css"),
    include_str!("../../assets/print.css"),
);

const FAVICON: &str = include_str!("../../assets/favicon.svg");

/// Bytes that never change under their address.
#[derive(Debug)]
pub struct Asset {
    path: String,
    prepared: Prepared,
}

impl Asset {
    fn new(stem: &str, extension: &str, content_type: &'static str, body: String) -> Self {
        let hash = blake3::hash(body.as_bytes()).to_hex();
        let hash = hash.get(..12).unwrap_or_default();
        Self {
            path: format!("{ASSETS}{stem}-{hash}.{extension}"),
            prepared: Prepared::new(200, content_type, CacheControl::Immutable, body),
        }
    }

    /// The absolute path of its address.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// The answer to a request for it.
    pub fn prepared(&self) -> &Prepared {
        &self.prepared
    }
}

static STYLESHEET: LazyLock<Asset> = LazyLock::new(|| {
    let css = minify::minify(&format!("{SOURCE}{}", icons::stylesheet()));
    Asset::new("site", "css", "text/css; charset=utf-8", css)
});

static TAB_ICON: LazyLock<Asset> =
    LazyLock::new(|| Asset::new("icon", "svg", "image/svg+xml", FAVICON.trim().to_owned()));

/// The stylesheet of all published pages.
pub fn stylesheet() -> &'static Asset {
    &STYLESHEET
}

static CONSOLE: LazyLock<Asset> = LazyLock::new(|| {
    let css = minify::minify(include_str!("../../assets/console.css"));
    Asset::new("console", "css", "text/css; charset=utf-8", css)
});

/// What the application's own pages have besides.
pub fn console() -> &'static Asset {
    &CONSOLE
}

/// The icon of sites that have none of their own.
pub fn favicon() -> &'static Asset {
    &TAB_ICON
}

/// The answer for a path below [`ASSETS`], given without that prefix.
pub fn asset(name: &str) -> Option<Cow<'static, Prepared>> {
    let named = |asset: &Asset| asset.path.strip_prefix(ASSETS) == Some(name);
    if named(stylesheet()) {
        return Some(Cow::Borrowed(stylesheet().prepared()));
    }
    for known in [favicon(), console()] {
        if named(known) {
            return Some(Cow::Borrowed(known.prepared()));
        }
    }
    let theme = Theme::from_file_name(name)?;
    let body = theme.stylesheet();
    Some(Cow::Owned(Prepared::new(200, "text/css; charset=utf-8", CacheControl::Immutable, body)))
}

#[cfg(test)]
mod tests;
