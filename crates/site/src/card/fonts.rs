//! The built-in font: Inter, in parts for the Latin, Greek and Cyrillic scripts.

use std::borrow::Cow;
use std::sync::LazyLock;

use swash::FontRef;
use swash::shape::ShapeContext;

macro_rules! part {
    ($name:literal) => {
        include_bytes!(concat!("../../assets/fonts/inter-", $name, "-600.ttf"))
    };
}

/// The parts, the most frequent one first.
static PARTS: LazyLock<Vec<FontRef<'static>>> = LazyLock::new(|| {
    let parts: [&'static [u8]; 5] = [
        part!("latin"),
        part!("latin-ext"),
        part!("cyrillic"),
        part!("greek"),
        part!("vietnamese"),
    ];
    parts.into_iter().filter_map(|part| FontRef::from_index(part, 0)).collect()
});

/// The size of a text, with the distance of its lines.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct TextSize {
    /// Height of the font in pixels.
    pub(super) size: f32,
    /// Distance of the base lines in pixels.
    pub(super) line: f32,
}

impl TextSize {
    pub(super) const SITE: Self = Self { size: 34.0, line: 44.0 };
    pub(super) const TEXT: Self = Self { size: 32.0, line: 46.0 };
    pub(super) const LARGE: Self = Self { size: 84.0, line: 98.0 };
    pub(super) const MEDIUM: Self = Self { size: 64.0, line: 78.0 };
    pub(super) const SMALL: Self = Self { size: 48.0, line: 62.0 };
}

/// Returns the part with a character; `None` if the font lacks it.
fn part_with(c: char) -> Option<usize> {
    PARTS.iter().position(|part| part.charmap().map(c) != 0)
}

/// Returns the beginning of a text as it is drawn: in one line, and without symbols that the font
/// lacks. `None` if it lacks letters.
pub(super) fn drawable(text: &str, max: usize) -> Option<Cow<'_, str>> {
    let is_plain = |c: char| c != ' ' && part_with(c).is_some();
    if text.chars().count() <= max && text.split(' ').all(|word| word.chars().all(is_plain)) {
        return (!text.starts_with(' ')).then_some(Cow::Borrowed(text));
    }
    let mut kept = String::new();
    for c in text.chars().take(max) {
        if c.is_whitespace() {
            kept.push(' ');
        } else if part_with(c).is_some() {
            kept.push(c);
        } else if c.is_alphanumeric() {
            return None;
        }
    }
    if text.chars().nth(max).is_some() {
        kept.push('…');
    }
    let words: Vec<&str> = kept.split(' ').filter(|word| !word.is_empty()).collect();
    Some(Cow::Owned(words.join(" ")))
}

/// A glyph at its place in a line.
#[derive(Clone, Copy, Debug)]
pub(super) struct PlacedGlyph {
    /// The part of the font.
    pub(super) part: usize,
    /// Its number in the part.
    pub(super) id: u16,
    /// Its horizontal position in pixels.
    pub(super) x: f32,
    /// Its vertical position in pixels, upwards from the base line.
    pub(super) y: f32,
}

/// Returns the glyphs of a text in one line, and the width of the line.
pub(super) fn shape(text: &str, size: f32) -> (Vec<PlacedGlyph>, f32) {
    let mut context = ShapeContext::new();
    let (mut glyphs, mut width) = (Vec::new(), 0.0);
    for (part, run) in runs(text) {
        let Some(font) = PARTS.get(part) else { continue };
        let mut shaper = context.builder(*font).size(size).build();
        shaper.add_str(run);
        shaper.shape_with(|cluster| {
            for glyph in cluster.glyphs {
                glyphs.push(PlacedGlyph { part, id: glyph.id, x: width + glyph.x, y: glyph.y });
                width += glyph.advance;
            }
        });
    }
    (glyphs, width)
}

/// Divides a text into runs of characters of one part. Spaces belong to the run before them.
fn runs(text: &str) -> Vec<(usize, &str)> {
    let mut runs = Vec::new();
    let mut start = 0;
    let mut current = None;
    for (at, c) in text.char_indices() {
        if c == ' ' {
            continue;
        }
        let part = part_with(c).unwrap_or_default();
        if let Some(before) = current.filter(|before| *before != part) {
            runs.push((before, text.get(start..at).unwrap_or_default()));
            start = at;
        }
        current = Some(part);
    }
    runs.push((current.unwrap_or_default(), text.get(start..).unwrap_or_default()));
    runs
}

/// Returns a part of the font.
pub(super) fn part(index: usize) -> Option<FontRef<'static>> {
    PARTS.get(index).copied()
}
