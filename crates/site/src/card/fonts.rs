//! The fonts of cards: Inter, in parts for the Latin, Greek and Cyrillic scripts, and those of the
//! system for others.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::LazyLock;

use rustybuzz::ttf_parser::GlyphId;
use rustybuzz::{Direction, UnicodeBuffer};
use swash::FontRef;
use unicode_bidi::{Level, ParagraphBidiInfo};

use super::system::SystemFonts;

macro_rules! part {
    ($name:literal) => {
        include_bytes!(concat!("../../assets/fonts/inter-", $name, "-600.ttf"))
    };
}

/// The parts of the built-in font, the most frequent one first.
const PARTS: [&[u8]; 5] =
    [part!("latin"), part!("latin-ext"), part!("cyrillic"), part!("greek"), part!("vietnamese")];

static BUILT_IN: LazyLock<Vec<FontRef<'static>>> =
    LazyLock::new(|| PARTS.iter().filter_map(|part| FontRef::from_index(part, 0)).collect());

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

/// A text for which there are fonts.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(super) struct DrawableText<'a> {
    pub(super) text: Cow<'a, str>,
    /// The faces of the system that it needs besides the built-in font.
    pub(super) faces: BTreeSet<usize>,
}

/// Returns `true` if the built-in font has a character.
fn is_built_in(c: char) -> bool {
    BUILT_IN.iter().any(|part| part.charmap().map(c) != 0)
}

/// Returns the language that decides the shapes of Chinese characters: that of the content, or that
/// to which other letters of the text belong.
fn language_of<'l>(text: &str, language: &'l str) -> &'l str {
    let is_known = ["zh", "ja", "ko"].iter().any(|known| language.starts_with(known));
    let has = |from: char, to: char| text.chars().any(|c| (from..=to).contains(&c));
    match () {
        () if is_known => language,
        () if has('\u{3041}', '\u{30ff}') => "ja",
        () if has('\u{ac00}', '\u{d7a3}') => "ko",
        () => "zh",
    }
}

/// Returns the beginning of a text as it is drawn: in one line, and without symbols that no font
/// has. `None` if letters have no font. Fonts of the system are read only for letters that the
/// built-in one lacks.
pub(super) fn drawable<'a>(
    text: &'a str,
    max: usize,
    system: &SystemFonts,
    language: &str,
) -> Option<DrawableText<'a>> {
    let is_plain = |c: char| c != ' ' && is_built_in(c);
    if text.chars().count() <= max && text.split(' ').all(|word| word.chars().all(is_plain)) {
        let text = (!text.starts_with(' ')).then_some(Cow::Borrowed(text))?;
        return Some(DrawableText { text, faces: BTreeSet::new() });
    }
    let mut faces = BTreeSet::new();
    let mut last = None;
    let needs_system = text.chars().take(max).any(|c| c.is_alphanumeric() && !is_built_in(c));
    let language = language_of(text, language);
    let mut kept = String::new();
    for c in text.chars().take(max) {
        if c.is_whitespace() {
            kept.push(' ');
        } else if is_built_in(c) {
            kept.push(c);
        } else if needs_system && !c.is_control() {
            let known = last.filter(|face| system.has(*face, c));
            match known.or_else(|| system.face_with(c, language)) {
                Some(face) => {
                    last = Some(face);
                    faces.insert(face);
                    kept.push(c);
                }
                None if c.is_alphanumeric() => return None,
                None => {}
            }
        }
    }
    if text.chars().nth(max).is_some() {
        kept.push('…');
    }
    let words: Vec<&str> = kept.split(' ').filter(|word| !word.is_empty()).collect();
    Some(DrawableText { text: Cow::Owned(words.join(" ")), faces })
}

/// The files of the faces of a card. They are in memory only while the card is drawn.
pub(super) struct FontFiles(Vec<Vec<u8>>);

impl FontFiles {
    /// Reads the files of faces of the system; `None` if one cannot be read.
    pub(super) fn read(system: &SystemFonts, faces: &BTreeSet<usize>) -> Option<Self> {
        faces.iter().map(|face| system.read(*face)).collect::<Option<_>>().map(Self)
    }

    /// Returns the built-in font and these faces.
    pub(super) fn typefaces(&self) -> Typefaces<'_> {
        let files = PARTS.into_iter().chain(self.0.iter().map(Vec::as_slice));
        Typefaces(files.filter_map(Typeface::new).collect())
    }
}

struct Typeface<'f> {
    shapes: rustybuzz::Face<'f>,
    outlines: FontRef<'f>,
}

impl<'f> Typeface<'f> {
    fn new(file: &'f [u8]) -> Option<Self> {
        let shapes = rustybuzz::Face::from_slice(file, 0)?;
        Some(Self { shapes, outlines: FontRef::from_index(file, 0)? })
    }
}

/// The faces with which a card is drawn, the built-in ones first.
pub(super) struct Typefaces<'f>(Vec<Typeface<'f>>);

/// A glyph at its place in a line. Positions are relative to the size of the font.
#[derive(Clone, Copy, Debug)]
pub(super) struct PlacedGlyph {
    /// The number of the face.
    pub(super) face: usize,
    /// Its number in the face.
    pub(super) id: u16,
    /// Its horizontal position.
    pub(super) x: f32,
    /// Its vertical position, upwards from the base line.
    pub(super) y: f32,
}

/// The glyphs of a text in one line.
#[derive(Default, Debug)]
pub(super) struct ShapedLine {
    /// The glyphs from left to right.
    pub(super) glyphs: Vec<PlacedGlyph>,
    /// The width of the line.
    pub(super) width: f32,
    /// The widths of the clusters of the text, by the positions of their first bytes.
    pub(super) clusters: Vec<(usize, f32)>,
}

impl<'f> Typefaces<'f> {
    /// Returns the outlines of a face.
    pub(super) fn outlines(&self, face: usize) -> Option<FontRef<'f>> {
        self.0.get(face).map(|face| face.outlines)
    }

    fn has(&self, face: usize, c: char) -> bool {
        let glyph = self.0.get(face).and_then(|face| face.shapes.glyph_index(c));
        glyph.is_some_and(|glyph| glyph != GlyphId(0))
    }

    /// Returns the face of a character after one of the face `last`. Marks, joiners and spaces stay
    /// in the face of the letter before them.
    fn face_of(&self, c: char, last: Option<usize>) -> usize {
        let last_with = last.filter(|last| self.has(*last, c));
        let is_own = c.is_alphanumeric() || c.is_ascii_punctuation();
        let first = || (0..self.0.len()).find(|face| self.has(*face, c));
        match is_own {
            true => first().filter(|face| *face < PARTS.len()).or(last_with).or_else(first),
            false => last_with.or_else(first),
        }
        .or(last)
        .unwrap_or_default()
    }

    /// Divides a text into runs of characters of one face, with the position of each.
    fn runs<'t>(&self, text: &'t str) -> Vec<(usize, usize, &'t str)> {
        let mut runs = Vec::new();
        let (mut start, mut last) = (0, None);
        for (at, c) in text.char_indices() {
            let face = self.face_of(c, last);
            if let Some(before) = last.filter(|before| *before != face) {
                runs.push((before, start, text.get(start..at).unwrap_or_default()));
                start = at;
            }
            last = Some(face);
        }
        runs.push((last.unwrap_or_default(), start, text.get(start..).unwrap_or_default()));
        runs
    }

    /// Arranges a text in one line, in a paragraph of a direction.
    pub(super) fn shape(&self, text: &str, level: Level) -> ShapedLine {
        if text.is_empty() {
            return ShapedLine::default();
        }
        let bidi = ParagraphBidiInfo::new(text, Some(level));
        let (levels, visual) = bidi.visual_runs(0..text.len());
        let mut line = ShapedLine::default();
        for range in visual {
            let is_rtl = levels.get(range.start).is_some_and(Level::is_rtl);
            let mut runs = self.runs(text.get(range.clone()).unwrap_or_default());
            if is_rtl {
                runs.reverse();
            }
            for (face, start, run) in runs {
                self.shape_run(face, range.start + start, run, is_rtl, &mut line);
            }
        }
        line.clusters.sort_by_key(|(at, _)| *at);
        line.clusters.dedup_by(|next, first| {
            let is_same = next.0 == first.0;
            first.1 += if is_same { next.1 } else { 0.0 };
            is_same
        });
        line
    }

    fn shape_run(
        &self,
        number: usize,
        start: usize,
        run: &str,
        is_rtl: bool,
        line: &mut ShapedLine,
    ) {
        let Some(face) = self.0.get(number) else { return };
        let mut buffer = UnicodeBuffer::new();
        buffer.push_str(run);
        buffer.set_direction(match is_rtl {
            true => Direction::RightToLeft,
            false => Direction::LeftToRight,
        });
        buffer.guess_segment_properties();
        let shaped = rustybuzz::shape(&face.shapes, &[], buffer);
        #[expect(clippy::cast_precision_loss, reason = "some thousand units")]
        let units = |units: i32| units as f32 / face.shapes.units_per_em() as f32;
        for (info, position) in shaped.glyph_infos().iter().zip(shaped.glyph_positions()) {
            let id = u16::try_from(info.glyph_id).unwrap_or_default();
            // The first glyph is the box for characters that the face lacks.
            if id == 0 {
                continue;
            }
            let (x, y) = (line.width + units(position.x_offset), units(position.y_offset));
            line.glyphs.push(PlacedGlyph { face: number, id, x, y });
            let advance = units(position.x_advance);
            line.width += advance;
            let cluster = usize::try_from(info.cluster).unwrap_or_default();
            line.clusters.push((start + cluster, advance));
        }
    }
}
