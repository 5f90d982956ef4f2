//! The fonts of the system, for letters that the built-in font lacks.
//!
//! The characters of each face are read when a text first needs them, and kept; the outlines are read
//! for one card and dropped.

use std::path::{Path, PathBuf};
use std::sync::{LazyLock, OnceLock};

use bindery_paper::system_fonts;
use rustybuzz::ttf_parser::cmap::{Format, Subtable};
use rustybuzz::ttf_parser::{self, name_id};

use super::sfnt::{self, Tag};

/// The tables by which a face is chosen.
const DESCRIPTION: [Tag; 7] =
    [*b"OS/2", *b"cmap", *b"head", *b"hhea", *b"maxp", *b"name", *b"post"];
/// The tables by which a face is drawn.
const DRAWING: [Tag; 25] = [
    *b"CFF ", *b"CFF2", *b"GDEF", *b"GPOS", *b"GSUB", *b"HVAR", *b"MVAR", *b"OS/2", *b"avar",
    *b"cmap", *b"cvar", *b"cvt ", *b"fpgm", *b"fvar", *b"glyf", *b"gvar", *b"head", *b"hhea",
    *b"hmtx", *b"kern", *b"loca", *b"maxp", *b"morx", *b"post", *b"prep",
];
/// The weight of the built-in font.
const WEIGHT: u16 = 600;
/// Maximum number of ranges of characters that are kept, eight bytes each.
const MAX_RANGES: usize = 250_000;

/// Families for languages that share characters with others, in order of preference.
const BY_LANGUAGE: [(&str, &[&str]); 6] = [
    ("zh-tw", &["Noto Sans CJK TC", "Noto Sans TC", "Source Han Sans TC"]),
    ("zh-hant", &["Noto Sans CJK TC", "Noto Sans TC", "Source Han Sans TC"]),
    ("zh-hk", &["Noto Sans CJK HK", "Noto Sans HK", "Source Han Sans HC"]),
    ("zh", &["Noto Sans CJK SC", "Noto Sans SC", "Source Han Sans SC"]),
    ("ja", &["Noto Sans CJK JP", "Noto Sans JP", "Source Han Sans", "IPAexGothic", "IPAGothic"]),
    ("ko", &["Noto Sans CJK KR", "Noto Sans KR", "Source Han Sans K", "NanumGothic"]),
];

/// The fonts in some folders.
#[derive(Debug)]
pub(crate) struct SystemFonts {
    folders: Vec<PathBuf>,
    faces: OnceLock<Vec<Face>>,
}

/// A face of a file, with the characters that it has.
#[derive(Debug)]
struct Face {
    path: PathBuf,
    index: u32,
    family: String,
    /// The first and the last of consecutive characters, in order.
    ranges: Box<[(u32, u32)]>,
}

impl Face {
    fn has(&self, c: char) -> bool {
        let at = self.ranges.partition_point(|(first, _)| *first <= u32::from(c));
        let range = at.checked_sub(1).and_then(|at| self.ranges.get(at));
        range.is_some_and(|(_, last)| u32::from(c) <= *last)
    }
}

impl SystemFonts {
    /// Returns the fonts that are installed.
    pub(crate) fn installed() -> &'static Self {
        static INSTALLED: LazyLock<SystemFonts> =
            LazyLock::new(|| SystemFonts::in_folders(&system_fonts::FOLDERS));
        &INSTALLED
    }

    /// Returns the fonts in these folders.
    pub(crate) fn in_folders<P: AsRef<Path>>(folders: &[P]) -> Self {
        let folders = folders.iter().map(|folder| folder.as_ref().to_owned()).collect();
        Self { folders, faces: OnceLock::new() }
    }

    fn faces(&self) -> &[Face] {
        self.faces.get_or_init(|| list(&self.folders))
    }

    /// Returns the preferred face with a character.
    pub(super) fn face_with(&self, c: char, language: &str) -> Option<usize> {
        let preferred = BY_LANGUAGE
            .iter()
            .find(|(known, _)| language.starts_with(known))
            .map_or(&[][..], |(_, families)| families);
        let faces = self.faces();
        preferred
            .iter()
            .find_map(|family| faces.iter().position(|face| face.family == *family && face.has(c)))
            .or_else(|| faces.iter().position(|face| face.has(c)))
    }

    /// Returns `true` if a face has a character.
    pub(super) fn has(&self, face: usize, c: char) -> bool {
        self.faces().get(face).is_some_and(|face| face.has(c))
    }

    /// Returns the name of a face. It changes with the file, unless one of the same name replaces it.
    pub(super) fn name(&self, face: usize) -> String {
        let face = self.faces().get(face);
        face.map(|face| format!("{}#{}", face.path.display(), face.index)).unwrap_or_default()
    }

    /// Reads what is needed to draw with a face.
    pub(super) fn read(&self, face: usize) -> Option<Vec<u8>> {
        let face = self.faces().get(face)?;
        sfnt::read(&face.path, face.index, &DRAWING)
    }
}

/// A face of a file, without its characters.
struct Candidate {
    path: PathBuf,
    index: u32,
    family: String,
    rank: (u8, u16, bool),
}

/// Lists the faces in folders, the preferred ones first. A face is left out if others have all of its
/// characters.
fn list(folders: &[PathBuf]) -> Vec<Face> {
    let mut candidates = Vec::new();
    for path in system_fonts::files(folders) {
        for index in 0..sfnt::faces(&path) {
            candidates.extend(candidate(&path, index));
        }
    }
    candidates.sort_by(|one, other| {
        let key = |it: &Candidate| (it.rank, it.family.clone(), it.path.clone(), it.index);
        key(one).cmp(&key(other))
    });
    let mut seen = vec![false; 0x11_0000];
    let mut left = MAX_RANGES;
    let mut faces: Vec<Face> = Vec::new();
    for Candidate { path, index, family, .. } in candidates {
        // Another weight or width of the same family.
        if faces.iter().any(|face| face.family == family) {
            continue;
        }
        let Some(ranges) = ranges(&path, index).filter(|ranges| ranges.len() <= left) else {
            continue;
        };
        let mut is_new = BY_LANGUAGE.iter().any(|(_, known)| known.contains(&family.as_str()));
        for c in ranges.iter().flat_map(|(first, last)| *first..=*last) {
            if let Some(seen) = usize::try_from(c).ok().and_then(|c| seen.get_mut(c)) {
                is_new |= !std::mem::replace(seen, true);
            }
        }
        if is_new {
            left -= ranges.len();
            faces.push(Face { path, index, family, ranges });
        }
    }
    faces
}

/// Describes a face; `None` if it has no upright outlines.
fn candidate(path: &Path, index: u32) -> Option<Candidate> {
    let tables =
        sfnt::read(path, index, &[*b"OS/2", *b"head", *b"hhea", *b"maxp", *b"name", *b"post"])?;
    let face = ttf_parser::Face::parse(&tables, 0).ok()?;
    let names = face.names();
    let family = [name_id::TYPOGRAPHIC_FAMILY, name_id::FAMILY]
        .into_iter()
        .find_map(|id| names.into_iter().find(|it| it.name_id == id && it.is_unicode()))?
        .to_string()?;
    // Pictures in colours have no outlines, and some fonts have a box for every character.
    let is_unfit = ["Emoji", "Last Resort", "LastResort", "Blank"];
    if face.is_italic() || face.is_oblique() || is_unfit.iter().any(|it| family.contains(it)) {
        return None;
    }
    let is_mono = face.is_monospaced() || family.contains("Mono");
    let class = match () {
        () if is_mono => 3,
        () if ["Serif", "Symbols", "Math"].iter().any(|part| family.contains(part)) => 2,
        () if family.starts_with("Noto Sans") => 0,
        () => 1,
    };
    let weight = face.weight().to_number().abs_diff(WEIGHT);
    let is_narrow = face.width() != ttf_parser::Width::Normal;
    Some(Candidate { path: path.to_owned(), index, family, rank: (class, weight, is_narrow) })
}

/// Returns the ranges of characters of a face.
fn ranges(path: &Path, index: u32) -> Option<Box<[(u32, u32)]>> {
    let tables = sfnt::read(path, index, &DESCRIPTION)?;
    let face = ttf_parser::Face::parse(&tables, 0).ok()?;
    let tables: Vec<_> = face.tables().cmap?.subtables.into_iter().collect();
    // Such a table has all characters, and only those with a glyph.
    let complete = |table: &&Subtable<'_>| matches!(table.format, Format::SegmentedCoverage(_));
    let mut known = Vec::new();
    match tables.iter().filter(|table| table.is_unicode()).find(complete) {
        Some(table) => table.codepoints(|c| known.push(c)),
        None => {
            for table in tables.iter().filter(|table| table.is_unicode()) {
                table.codepoints(|c| {
                    if table.glyph_index(c).is_some_and(|glyph| glyph.0 != 0) {
                        known.push(c);
                    }
                });
            }
        }
    }
    known.sort_unstable();
    known.dedup();
    let mut ranges: Vec<(u32, u32)> = Vec::new();
    for c in known {
        match ranges.last_mut() {
            Some((_, last)) if *last + 1 == c => *last = c,
            _ => ranges.push((c, c)),
        }
    }
    Some(ranges.into_boxed_slice())
}
