//! Cards: the images that link previews show for pages without an image of their own.
//!
//! A card is a PNG of 1,200 × 630 pixels with the title and the description of the page, the title of
//! the site and its primary colour. The built-in font has the Latin, Greek and Cyrillic letters; others
//! are drawn with fonts of the system. The card of a page whose title has letters without a font has
//! the title of the site only.

mod canvas;
mod fonts;
mod layout;
mod sfnt;
mod system;

use std::collections::BTreeSet;

use crate::style::Color;
use canvas::Canvas;
use fonts::{DrawableText, FontFiles, TextSize};
use layout::Paragraph;
pub(crate) use system::SystemFonts;

/// Width of a card in pixels.
pub const WIDTH: u32 = 1_200;
/// Height of a card in pixels.
pub const HEIGHT: u32 = 630;

/// Distance of texts from the edges.
const MARGIN: f32 = 80.0;
/// Height of the stripe in the primary colour.
const STRIPE: u32 = 18;
/// The longest texts that are laid out, in characters.
const MAX_TITLE: usize = 160;
const MAX_DESCRIPTION: usize = 240;

const BACKGROUND: Color = Color::new(255, 255, 255);
const HEADING: Color = Color::new(21, 23, 28);
const MUTED: Color = Color::new(91, 98, 112);

/// The texts of a card, of which fonts may lack letters.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CardTexts<'a> {
    /// The title of the site.
    pub(crate) site: &'a str,
    /// The title of the page.
    pub(crate) title: &'a str,
    /// The description of the page.
    pub(crate) description: Option<&'a str>,
    /// The language of the content.
    pub(crate) language: Option<&'a str>,
}

/// The content of a card.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Card<'a> {
    site: DrawableText<'a>,
    title: DrawableText<'a>,
    description: DrawableText<'a>,
    accent: Color,
}

impl<'a> Card<'a> {
    /// Creates a card with the primary colour of a site. The title of the site replaces that of the
    /// page if letters of that have no font. Other texts are left out if some of theirs have none.
    /// Returns `None` if no title can be drawn.
    pub(crate) fn new(texts: CardTexts<'a>, accent: Color, system: &SystemFonts) -> Option<Self> {
        let language = texts.language.unwrap_or_default().to_lowercase();
        let drawable = |text, max| fonts::drawable(text, max, system, &language);
        let is_shown = |text: &DrawableText<'_>| !text.text.is_empty();
        let site = drawable(texts.site, MAX_TITLE).filter(is_shown);
        let title = drawable(texts.title, MAX_TITLE).filter(is_shown);
        let description = texts.description.and_then(|text| drawable(text, MAX_DESCRIPTION));
        let (site, title) = match title {
            Some(title) => (site.unwrap_or_default(), title),
            None => (DrawableText::default(), site?),
        };
        Some(Self { site, title, description: description.unwrap_or_default(), accent })
    }

    /// Returns the faces of the system with which the card is drawn.
    fn faces(&self) -> BTreeSet<usize> {
        let texts = [&self.site, &self.title, &self.description];
        texts.into_iter().flat_map(|text| &text.faces).copied().collect()
    }

    /// Returns `true` if drawing the card needs fonts of the system, which are large.
    pub(crate) fn needs_system(&self) -> bool {
        !self.faces().is_empty()
    }

    /// Returns a text that changes with the card.
    pub(crate) fn version(&self, system: &SystemFonts) -> String {
        let Self { site, title, description, accent } = self;
        let texts = [site, title, description].map(|text| text.text.as_ref()).join("\u{1f}");
        let mut text = format!("2\u{1f}{texts}\u{1f}{}", accent.hex());
        for face in self.faces() {
            text.push('\u{1f}');
            text.push_str(&system.name(face));
        }
        let hash = blake3::hash(text.as_bytes()).to_hex();
        hash.get(..12).unwrap_or_default().to_owned()
    }

    /// Draws the card, and returns it as a PNG; `None` if a font can no longer be read.
    pub(crate) fn png(&self, system: &SystemFonts) -> Option<Vec<u8>> {
        let files = FontFiles::read(system, &self.faces())?;
        let faces = &files.typefaces();
        let mut canvas = Canvas::new(WIDTH, HEIGHT, BACKGROUND);
        canvas.fill_rows(HEIGHT - STRIPE, HEIGHT, self.accent);
        #[expect(clippy::cast_precision_loss, reason = "1,200")]
        let width = WIDTH as f32 - 2.0 * MARGIN;
        let [site, title, description] = [&self.site, &self.title, &self.description]
            .map(|text| Paragraph::new(&text.text, faces));
        let lines = site.lines(TextSize::SITE, width, 1);
        let mut y = canvas.draw((&site, faces), &lines, TextSize::SITE, 118.0, MUTED);
        let sizes = [TextSize::LARGE, TextSize::MEDIUM, TextSize::SMALL];
        let fitting = sizes
            .into_iter()
            .zip([2, 3, 4])
            .find(|(size, most)| title.lines(*size, width, usize::MAX).len() <= *most);
        let (size, most) = fitting.unwrap_or((TextSize::SMALL, 4));
        let lines = title.lines(size, width, most);
        y = canvas.draw((&title, faces), &lines, size, y.max(150.0) + 90.0, HEADING);
        let lines = description.lines(TextSize::TEXT, width, 2);
        let top = y - size.line + 84.0;
        canvas.draw((&description, faces), &lines, TextSize::TEXT, top, MUTED);
        Some(canvas.into_png())
    }
}

#[cfg(test)]
mod tests;
