//! Cards: the images that link previews show for pages without an image of their own.
//!
//! A card is a PNG of 1,200 × 630 pixels with the title and the description of the page, the title of
//! the site and its primary colour. The built-in font has the Latin, Greek and Cyrillic letters; a
//! page whose title has other letters has no card.

mod canvas;
mod fonts;
mod layout;

use std::borrow::Cow;

use crate::style::Color;
use canvas::Canvas;
use fonts::TextSize;

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

/// The content of a card.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Card<'a> {
    /// The title of the site.
    pub site: Cow<'a, str>,
    /// The title of the page.
    pub title: Cow<'a, str>,
    /// The description of the page.
    pub description: Option<Cow<'a, str>>,
    /// The primary colour of the site.
    pub accent: Color,
}

impl<'a> Card<'a> {
    /// Creates a card; `None` if the built-in font lacks letters of the title. Texts of the site and
    /// the description are left out if it lacks some of theirs.
    pub fn new(
        site: &'a str,
        title: &'a str,
        description: Option<&'a str>,
        accent: Color,
    ) -> Option<Self> {
        let title = fonts::drawable(title, MAX_TITLE).filter(|title| !title.is_empty())?;
        Some(Self {
            site: fonts::drawable(site, MAX_TITLE).unwrap_or_default(),
            title,
            description: description.and_then(|text| fonts::drawable(text, MAX_DESCRIPTION)),
            accent,
        })
    }

    /// Returns a text that changes with the card.
    pub fn version(&self) -> String {
        let Self { site, title, description, accent } = self;
        let description = description.as_deref().unwrap_or_default();
        let accent = accent.hex();
        let text = format!("1\u{1f}{site}\u{1f}{title}\u{1f}{description}\u{1f}{accent}");
        let hash = blake3::hash(text.as_bytes()).to_hex();
        hash.get(..12).unwrap_or_default().to_owned()
    }

    /// Draws the card, and returns it as a PNG.
    pub fn png(&self) -> Vec<u8> {
        let mut canvas = Canvas::new(WIDTH, HEIGHT, BACKGROUND);
        canvas.fill_rows(HEIGHT - STRIPE, HEIGHT, self.accent);
        #[expect(clippy::cast_precision_loss, reason = "1,200")]
        let width = WIDTH as f32 - 2.0 * MARGIN;
        let site = layout::lines(&self.site, TextSize::SITE, width, 1);
        let mut y = canvas.draw(&site, TextSize::SITE, (MARGIN, 118.0), MUTED);
        let sizes = [TextSize::LARGE, TextSize::MEDIUM, TextSize::SMALL];
        let fitting = sizes.into_iter().zip([2, 3, 4]).find(|(size, most)| {
            layout::lines(&self.title, *size, width, usize::MAX).len() <= *most
        });
        let (size, most) = fitting.unwrap_or((TextSize::SMALL, 4));
        let title = layout::lines(&self.title, size, width, most);
        y = canvas.draw(&title, size, (MARGIN, y.max(150.0) + 90.0), HEADING);
        if let Some(description) = &self.description {
            let lines = layout::lines(description, TextSize::TEXT, width, 2);
            canvas.draw(&lines, TextSize::TEXT, (MARGIN, y - size.line + 84.0), MUTED);
        }
        canvas.into_png()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn card<'a>(title: &'a str, description: &'a str) -> Option<Card<'a>> {
        Card::new("Acme", title, Some(description), Color::new(52, 109, 219))
    }

    #[test]
    fn titles_with_known_letters_have_a_card() {
        for (title, expect) in [
            ("Getting started", Some("Getting started")),
            ("Übersicht – Größe", Some("Übersicht – Größe")),
            ("Đường dẫn", Some("Đường dẫn")),
            ("Первый шаг", Some("Первый шаг")),
            ("Οδηγός", Some("Οδηγός")),
            ("🚀 Launch", Some("Launch")),
            ("开始", None),
            ("Start 开始", None),
            ("مرحبا", None),
            ("", None),
            ("🚀", None),
        ] {
            let card = card(title, "Text");
            assert_eq!(card.as_ref().map(|card| &*card.title), expect, "{title}");
        }
        let without = card("Title", "说明").unwrap();
        assert_eq!(without.description, None);
        assert_ne!(without.version(), card("Title", "Text").unwrap().version());
    }

    #[test]
    fn a_card_is_a_png() {
        let long = "A title that needs more than one line of a card ".repeat(9);
        let word = "Donaudampfschifffahrt".repeat(20);
        for title in ["Setup", &long, &word] {
            let png = card(title, &long).unwrap().png();
            assert_eq!(png.get(..8), Some(&b"\x89PNG\r\n\x1a\n"[..]));
            let side = |at: usize| u32::from_be_bytes(png[at..at + 4].try_into().unwrap());
            assert_eq!((side(16), side(20)), (WIDTH, HEIGHT));
            assert!(png.len() < 200_000, "{}", png.len());
        }
        let [one, other] = ["Setup", "Sets up"].map(|title| card(title, "").unwrap().png());
        assert_ne!(one, other);
    }
}
