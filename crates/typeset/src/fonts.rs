//! The fonts: a few that are packaged, and those of the system for scripts that these do not cover.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::OnceLock;

use bindery_paper::system_fonts;
use typst::foundations::Bytes;
use typst::text::{Font, FontBook, FontFlags, FontInfo};
use typst::utils::LazyHash;

const PACKAGED: [&[u8]; 7] = [
    include_bytes!("../fonts/LibertinusSerif-Regular.otf"),
    include_bytes!("../fonts/LibertinusSerif-Bold.otf"),
    include_bytes!("../fonts/LibertinusSerif-Italic.otf"),
    include_bytes!("../fonts/LibertinusSerif-BoldItalic.otf"),
    include_bytes!("../fonts/NewCMMath-Regular.otf"),
    include_bytes!("../fonts/DejaVuSansMono.ttf"),
    include_bytes!("../fonts/DejaVuSansMono-Bold.ttf"),
];

/// Families for languages that share characters with others, in order of preference.
const BY_LANGUAGE: [(&str, &[&str]); 6] = [
    ("zh-tw", &["Noto Serif CJK TC", "Noto Sans CJK TC", "Source Han Serif TC"]),
    ("zh-hant", &["Noto Serif CJK TC", "Noto Sans CJK TC", "Source Han Serif TC"]),
    ("zh", &["Noto Serif CJK SC", "Noto Sans CJK SC", "Source Han Serif SC", "WenQuanYi Zen Hei"]),
    ("ja", &["Noto Serif CJK JP", "Noto Sans CJK JP", "IPAexMincho", "IPAGothic"]),
    ("ko", &["Noto Serif CJK KR", "Noto Sans CJK KR", "NanumMyeongjo"]),
    ("fa", &["Vazirmatn", "Noto Naskh Arabic"]),
];
/// Families that are preferred to others that cover the same characters.
const PREFERRED: [&str; 8] = [
    "Noto Serif CJK SC",
    "Noto Sans CJK SC",
    "Noto Naskh Arabic",
    "Noto Serif Hebrew",
    "Noto Serif Devanagari",
    "Noto Serif Thai",
    "Noto Color Emoji",
    "DejaVu Sans",
];

/// A font that is known. It is read when it is first used, and kept.
struct Face {
    source: FaceSource,
    index: u32,
    font: OnceLock<Option<Font>>,
}

enum FaceSource {
    Packaged(&'static [u8]),
    File(PathBuf),
}

impl Face {
    fn new(source: FaceSource, index: usize) -> Self {
        let index = u32::try_from(index).unwrap_or_default();
        Self { source, index, font: OnceLock::new() }
    }

    fn read(&self) -> Option<Font> {
        let bytes = match &self.source {
            FaceSource::Packaged(data) => Bytes::new(*data),
            FaceSource::File(path) => Bytes::new(std::fs::read(path).ok()?),
        };
        Font::new(bytes, self.index)
    }
}

/// The fonts of one job.
pub(crate) struct Fonts {
    book: LazyHash<FontBook>,
    faces: Vec<Face>,
    language: String,
}

impl Fonts {
    /// Returns the fonts for these texts. Fonts of the system are searched only if the packaged
    /// ones do not cover a character.
    pub(crate) fn for_text<'t>(language: &str, texts: impl Iterator<Item = &'t str>) -> Self {
        let mut book = FontBook::new();
        let mut faces = Vec::new();
        for data in PACKAGED {
            for (index, info) in FontInfo::iter(data).enumerate() {
                book.push(info);
                faces.push(Face::new(FaceSource::Packaged(data), index));
            }
        }
        let mut fonts =
            Self { book: LazyHash::new(book), faces, language: language.to_lowercase() };
        if fonts.lacks_any(texts) {
            fonts.add_system();
        }
        fonts
    }

    /// Returns `true` if no font has one of the characters.
    fn lacks_any<'t>(&self, texts: impl Iterator<Item = &'t str>) -> bool {
        let mut seen = BTreeSet::new();
        texts.flat_map(str::chars).filter(|char| !char.is_ascii()).any(|char| {
            seen.insert(char) && !char.is_whitespace() && !char.is_control() && !self.covers(char)
        })
    }

    /// Returns `true` if a font has the character. Letters in the fonts for code do not count: they
    /// are a last resort in text.
    fn covers(&self, char: char) -> bool {
        let is_letter = char.is_alphabetic();
        (0..self.faces.len())
            .filter_map(|index| self.book.info(index))
            .filter(|info| !is_letter || !info.flags.contains(FontFlags::MONOSPACE))
            .any(|info| info.coverage.contains(u32::from(char)))
    }

    fn add_system(&mut self) {
        let mut book = FontBook::clone(&self.book);
        for path in system_fonts::files(&system_fonts::FOLDERS) {
            let Ok(data) = std::fs::read(&path) else { continue };
            for (index, info) in FontInfo::iter(&data).enumerate() {
                book.push(info);
                self.faces.push(Face::new(FaceSource::File(path.clone()), index));
            }
        }
        self.book = LazyHash::new(book);
    }

    pub(crate) fn book(&self) -> &LazyHash<FontBook> {
        &self.book
    }

    pub(crate) fn font(&self, index: usize) -> Option<Font> {
        let face = self.faces.get(index)?;
        face.font.get_or_init(|| face.read()).clone()
    }

    pub(crate) fn has_emoji(&self) -> bool {
        self.covers('\u{1f680}')
    }

    pub(crate) fn body_families(&self) -> Vec<String> {
        self.families("Libertinus Serif")
    }

    pub(crate) fn code_families(&self) -> Vec<String> {
        self.families("DejaVu Sans Mono")
    }

    fn families(&self, first: &str) -> Vec<String> {
        let of_language = BY_LANGUAGE
            .iter()
            .find(|(language, _)| self.language.starts_with(language))
            .map_or(&[][..], |(_, families)| families);
        let mut found: Vec<String> = Vec::new();
        for family in [first].iter().chain(of_language).chain(&PREFERRED) {
            let is_known = self.book.contains_family(&family.to_lowercase());
            if is_known && !found.iter().any(|known| known == family) {
                found.push((*family).to_owned());
            }
        }
        found
    }
}
