//! Rendering of images, files and embeds.

use super::{EmbedCard, FileLink, Labels, Renderer, fill, safe_web_url};
use crate::document::{
    Align, Embed, FileBlock, Image, Images, Inline, Length, Reference, plain_text,
};
use crate::reference::ContentRef;

/// The requested size of an image.
#[derive(Clone, Copy, Default)]
pub(super) struct Size {
    width: Option<Extent>,
    height: Option<Extent>,
}

impl Size {
    pub(super) fn of(width: Option<&Length>, height: Option<&Length>) -> Self {
        Self { width: Extent::of(width), height: Extent::of(height) }
    }
}

#[derive(Clone, Copy)]
enum Extent {
    Pixels(f64),
    /// Percentage of the available width.
    Percent(f64),
}

impl Extent {
    fn of(length: Option<&Length>) -> Option<Self> {
        let length = length.filter(|length| length.value.is_finite() && length.value > 0.0)?;
        match length.unit.as_deref() {
            None | Some("px") => Some(Self::Pixels(length.value)),
            Some("%") => Some(Self::Percent(length.value.clamp(1.0, 100.0))),
            Some(_) => None,
        }
    }

    fn pixels(self) -> Option<f64> {
        match self {
            Self::Pixels(pixels) => Some(pixels),
            Self::Percent(_) => None,
        }
    }

    fn percent(self) -> Option<f64> {
        match self {
            Self::Pixels(_) => None,
            Self::Percent(percent) => Some(percent),
        }
    }
}

/// The presentation of an image.
#[derive(Clone, Copy, Default)]
pub(super) struct ImageStyle<'l> {
    pub(super) class: Option<&'l str>,
    pub(super) size: Size,
    /// The value of `object-fit`.
    pub(super) fit: Option<&'l str>,
}

impl Renderer<'_> {
    pub(super) fn images(&mut self, images: &Images) {
        let is_gallery = images.images.len() > 1;
        if is_gallery {
            self.raw("<div class=\"gallery\">\n");
        }
        for image in &images.images {
            self.figure(&image.kind, images);
        }
        if is_gallery {
            self.raw("</div>\n");
        }
    }

    fn figure(&mut self, image: &Image, images: &Images) {
        let framed = images.with_frame == Some(true);
        let full = images.full_width == Some(true);
        self.raw("<figure class=\"image");
        self.raw(if framed { " framed" } else { "" });
        self.raw(if full { " full-width\"" } else { "\"" });
        // Images are centered by default.
        if let Some(align @ (Align::Start | Align::End)) = images.align {
            self.attribute("data-align", align.name());
        }
        self.raw(">");
        let size = Size::of(image.width.as_ref(), image.height.as_ref());
        let style = ImageStyle { size, ..ImageStyle::default() };
        let caption = plain_text(&image.caption);
        let alt = image.alt.as_ref().unwrap_or(&caption);
        // The caption alone stands for a missing image that has the same text.
        let repeats = !caption.trim().is_empty() && alt.trim() == caption.trim();
        if !repeats || self.image_file(&image.reference).is_some() {
            self.image_element(&image.reference, image.dark.as_ref(), alt, style);
        }
        if !image.caption.is_empty() {
            self.raw("<figcaption>");
            self.inlines(&image.caption);
            self.raw("</figcaption>");
        }
        self.raw("</figure>\n");
    }

    /// Writes an image and its dark variant. An image that cannot be shown is replaced by its text.
    pub(super) fn image_element(
        &mut self,
        reference: &Reference,
        dark: Option<&Reference>,
        alt: &str,
        style: ImageStyle<'_>,
    ) {
        let Some(file) = self.image_file(reference) else {
            self.raw("<span class=\"broken-link\">");
            let name = if alt.is_empty() { self.name(reference) } else { alt.to_owned() };
            self.text(&name);
            return self.raw("</span>");
        };
        let dark = dark.and_then(|dark| self.image_file(dark));
        self.picture_element(&file, dark.as_ref(), alt, style);
    }

    pub(super) fn picture_element(
        &mut self,
        file: &FileLink,
        dark: Option<&FileLink>,
        alt: &str,
        style: ImageStyle<'_>,
    ) {
        if let Some(dark) = dark {
            self.raw("<picture><source");
            self.attribute("srcset", &escape_srcset(&dark.href));
            self.raw(" media=\"(prefers-color-scheme: dark)\">");
        }
        self.raw("<img");
        // HTML has no attribute for such widths, and style sheets know these classes only.
        let part = style.size.width.and_then(Extent::percent);
        let part =
            part.map(|percent| format!("part-{:.0}", (percent / 5.0).round().max(1.0) * 5.0));
        let classes: Vec<&str> = style.class.into_iter().chain(part.as_deref()).collect();
        if !classes.is_empty() {
            self.attribute("class", &classes.join(" "));
        }
        self.attribute("src", &file.href);
        self.attribute("alt", alt);
        self.size(style.size, file.dimensions);
        if let Some(fit @ ("contain" | "cover")) = style.fit {
            self.attribute("data-fit", fit);
        }
        self.raw(" loading=\"lazy\" decoding=\"async\">");
        if dark.is_some() {
            self.raw("</picture>");
        }
    }

    fn size(&mut self, asked: Size, own: Option<(u32, u32)>) {
        let width = asked.width.and_then(Extent::pixels);
        let height = asked.height.and_then(Extent::pixels);
        if let Some((width, height)) = dimensions((width, height), own) {
            self.attribute("width", &width.to_string());
            self.attribute("height", &height.to_string());
        } else if let Some(width) = width {
            self.attribute("width", &format!("{:.0}", width.clamp(1.0, 10_000.0)));
        } else if let Some(height) = height {
            self.attribute("height", &format!("{:.0}", height.clamp(1.0, 10_000.0)));
        }
    }

    pub(super) fn file(&mut self, file: &FileBlock) {
        let FileBlock { reference, caption } = file;
        let start = self.html.body.len();
        if self.file_link(reference) {
            self.raw("\n");
        } else {
            self.html.body.insert_str(start, "<p>");
            self.raw("</p>\n");
            return;
        }
        self.caption(caption);
    }

    /// Writes a link to a file, or its name if it has no URL. Returns `true` if it wrote a link.
    pub(super) fn file_link(&mut self, reference: &Reference) -> bool {
        let link = match &reference.target {
            ContentRef::File { file } => self.context.links.file(file),
            _ => None,
        };
        let Some(link) = link else {
            self.raw("<span class=\"broken-link\">");
            let name = self.name(reference);
            self.text(&name);
            self.raw("</span>");
            return false;
        };
        self.raw("<a class=\"file\"");
        self.attribute("href", &link.href);
        self.raw(" download>");
        self.text(&link.name);
        if let Some(size) = link.size {
            self.raw(" <span class=\"file-size\">");
            self.text(&readable_size(size, self.labels()));
            self.raw("</span>");
        }
        self.raw("</a>");
        true
    }

    fn caption(&mut self, caption: &[Inline]) {
        if !caption.is_empty() {
            self.raw("<p class=\"caption\">");
            self.inlines(caption);
            self.raw("</p>\n");
        }
    }

    pub(super) fn embed(&mut self, embed: &Embed) {
        let Embed { url, caption, full_width: _ } = embed;
        match safe_web_url(url) {
            Some(href) => self.link_card(href),
            None => {
                self.raw("<p><span class=\"broken-link\">");
                self.text(url);
                self.raw("</span></p>\n");
            }
        }
        self.caption(caption);
    }

    /// Writes a link to an external address: with the stored description of the page there, or else
    /// with the host first. Nothing is loaded from there unless the reader follows the link.
    pub(super) fn link_card(&mut self, url: &str) {
        let host = url.split_once("://").map_or(url, |(_, rest)| rest);
        let host = host.split(['/', '?', '#', '\\']).next().unwrap_or(host);
        let host = host.rsplit('@').next().unwrap_or(host);
        let host = host.strip_prefix("www.").unwrap_or(host);
        let card = self.context.links.embed(url);
        self.raw(match &card {
            Some(EmbedCard { picture: Some(_), .. }) => "<a class=\"embed described pictured\"",
            Some(_) => "<a class=\"embed described\"",
            None => "<a class=\"embed\"",
        });
        self.attribute("href", url);
        if let Some(player) = self.context.links.player(url) {
            self.attribute("data-player", &player);
        }
        self.raw(" rel=\"noopener nofollow\">");
        match card {
            Some(card) => self.embed_card(&card, host),
            None => {
                self.raw("<span class=\"embed-host\" data-markdown-ignore>");
                self.text(host);
                self.raw("</span>");
                self.raw(" ");
                self.raw("<span class=\"embed-url\">");
                self.text(url);
                self.raw("</span>");
            }
        }
        self.raw("</a>\n");
    }

    /// Writes the parts of a description. The host always shows, because the names come from there.
    fn embed_card(&mut self, card: &EmbedCard, host: &str) {
        let EmbedCard { title, site, description, picture } = card;
        if let Some(FileLink { href, dimensions, .. }) = picture {
            self.raw("<img class=\"embed-picture\"");
            self.attribute("src", href);
            self.raw(" alt=\"\"");
            self.size(Size::default(), *dimensions);
            self.raw(" loading=\"lazy\" decoding=\"async\">");
        }
        // Texts of other pages have a direction of their own.
        for (class, text) in [("embed-title", title), ("embed-text", description)] {
            if !text.is_empty() {
                self.raw("<span dir=\"auto\"");
                self.attribute("class", class);
                self.raw(">");
                self.text(text);
                self.raw("</span> ");
            }
        }
        self.raw("<span class=\"embed-site\" data-markdown-ignore>");
        if !site.is_empty() && !site.eq_ignore_ascii_case(host) {
            self.raw("<bdi>");
            self.text(site);
            self.raw("</bdi> · ");
        }
        self.raw("<bdi>");
        self.text(host);
        self.raw("</bdi></span>");
    }
}

/// Escapes a URL for `srcset`, in which spaces and commas are separators.
fn escape_srcset(href: &str) -> String {
    href.replace(' ', "%20").replace(',', "%2C")
}

/// Returns the width and height to show, computed from the requested size and the image's own.
fn dimensions(asked: (Option<f64>, Option<f64>), own: Option<(u32, u32)>) -> Option<(u32, u32)> {
    let whole = |number: f64| {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "clamped to the range"
        )]
        let whole = number.round().clamp(1.0, 100_000.0) as u32;
        whole
    };
    let ratio = own.filter(|(width, height)| *width > 0 && *height > 0);
    let ratio = ratio.map(|(width, height)| f64::from(width) / f64::from(height));
    match (asked.0, asked.1, ratio) {
        (Some(width), Some(height), _) => Some((whole(width), whole(height))),
        (Some(width), None, Some(ratio)) => Some((whole(width), whole(width / ratio))),
        (None, Some(height), Some(ratio)) => Some((whole(height * ratio), whole(height))),
        (None, None, Some(_)) => own,
        _ => None,
    }
}

/// Returns a size in words.
pub(crate) fn readable_size(bytes: u64, labels: &Labels) -> String {
    let units = [
        (1_000_000_000, labels.gigabytes),
        (1_000_000, labels.megabytes),
        (1_000, labels.kilobytes),
        (1, labels.bytes),
    ];
    let (size, pattern) = units.into_iter().find(|(size, _)| bytes >= *size).unwrap_or(units[3]);
    fill(pattern, bytes.saturating_add(size / 2) / size)
}
