//! The fonts that pages load from their own host: Inter for texts and STIX Two Math for formulas.
//! Both are divided into parts. All pages have the first part of Inter; the rules of each other part
//! are a stylesheet of its own, which pages link that are written with its letters. Browsers would
//! load a part for a single word otherwise, such as the name of another language in the navigation.

use std::fmt::Write as _;
use std::ops::RangeInclusive;
use std::sync::LazyLock;

use super::{ASSETS, Asset};

/// The files are copies of parts of the fonts, see `assets/fonts/README.md`.
macro_rules! part {
    ($name:literal, $languages:expr, $range:literal) => {
        Part {
            name: $name,
            bytes: include_bytes!(concat!("../../assets/fonts/", $name, ".woff2")),
            languages: &$languages,
            range: $range,
        }
    };
}

/// A part of a font.
struct Part {
    /// The beginning of the file name.
    name: &'static str,
    /// The file in the format WOFF2.
    bytes: &'static [u8],
    /// The languages whose pages link the part whatever their texts are.
    languages: &'static [&'static str],
    /// The characters in the form of CSS.
    range: &'static str,
}

/// The parts of Inter with the weights 400 to 700. The first part is on every page. Browsers take the
/// last of several parts that have a character.
const TEXT: [Part; 8] = [
    part!(
        "inter-latin",
        [],
        "U+0-FF,U+131,U+152-153,U+2BB-2BC,U+2C6,U+2DA,U+2DC,U+304,U+308,U+329,U+2000-206F,U+20AC,\
         U+2122,U+2191,U+2193,U+2212,U+2215,U+FEFF,U+FFFD"
    ),
    part!(
        "inter-latin-ext",
        [
            "az", "bs", "cs", "eo", "et", "hr", "hu", "lt", "lv", "mt", "pl", "ro", "sk", "sl",
            "sq", "tr"
        ],
        "U+100-17F,U+218-21B,U+2C7,U+2D8-2D9,U+2DB,U+2DD,U+1E9E,U+2020,U+20A4,U+20A9-20AA,\
         U+20B9-20BA,U+20BD"
    ),
    part!(
        "inter-latin-rare",
        [],
        "U+180-217,U+21C-2BA,U+2BD-2C5,U+2C9-2CC,U+2CE-2D7,U+2DE-2FF,U+1D00-1DBF,U+1E00-1E9D,\
         U+1E9F,U+1EF2-1EFF,U+20A0-20A3,U+20A5-20A8,U+20AB,U+20AD-20B8,U+20BB-20BC,U+20BE-20C0,\
         U+2113,U+2C60-2C7F,U+A720-A7FF"
    ),
    part!(
        "inter-cyrillic",
        ["be", "bg", "kk", "ky", "mk", "mn", "ru", "tg", "tt", "uk"],
        "U+301,U+400-45F,U+490-491,U+4B0-4B1,U+2116"
    ),
    part!(
        "inter-cyrillic-ext",
        ["kk", "ky", "mn", "tg", "tt"],
        "U+460-48F,U+492-4AF,U+4B2-52F,U+1C80-1C8A,U+20B4,U+2DE0-2DFF,U+A640-A69F,U+FE2E-FE2F"
    ),
    part!("inter-greek", ["el"], "U+370-377,U+37A-37F,U+384-38A,U+38C,U+38E-3A1,U+3A3-3FF"),
    part!("inter-greek-ext", [], "U+1F00-1FFF"),
    part!(
        "inter-vietnamese",
        ["vi"],
        "U+102-103,U+110-111,U+128-129,U+168-169,U+1A0-1A1,U+1AF-1B0,U+300-301,U+303-304,\
         U+308-309,U+323,U+329,U+1EA0-1EF9,U+20AB"
    ),
];

/// Minimum number of letters of a part in the title and the text of a page that links the part. Fewer
/// letters are shown in a font of the reader's system.
const MIN_LETTERS: usize = 8;

/// The parts of STIX Two Math. The first part is on every page with a formula.
const MATH: [Part; 3] = [
    part!(
        "math-core",
        [],
        "U+20-308,U+30A,U+30C,U+332,U+338-2064,U+20D7,U+210E-2113,U+2118,U+211C,U+2135,\
         U+2190-2199,U+21A6,U+21A9-21AA,U+21BC-21BD,U+21C0-21C1,U+21CB-21CC,U+21D0-21D5,\
         U+2200-220D,U+220F-221E,U+2220-2237,U+223C,U+2243,U+2245,U+2248,U+224D,U+2250,U+225C,\
         U+2260-2261,U+2264-2265,U+226A-226B,U+227A-227B,U+2282-2287,U+228E,U+2291-229B,\
         U+22A2-22A5,U+22A8,U+22B2-22B5,U+22C0-22C6,U+22C8,U+22EE-22F1,U+2308-230B,U+2320-2321,\
         U+239B-23AE,U+23B0-23B1,U+23D0,U+23DC-23E1,U+25A1,U+25B3,U+25CB,U+25EF,U+27E8-27EB,\
         U+27EE-27EF,U+27F5-27FA,U+27FC,U+2A00-2A06,U+2A7D-2A7E,U+1D434-1D467,U+1D6E4-1D71B"
    ),
    part!(
        "math-letters",
        [],
        "U+2102,U+210A-210D,U+2115,U+2119-211B,U+211D,U+2124,U+2128,U+212C-212D,U+212F-2131,\
         U+2133-2134,U+213C-2140,U+2145-2149,U+1D400-1D433,U+1D468-1D6E3,U+1D71C-1D7FF"
    ),
    part!(
        "math-symbols",
        [],
        "U+309,U+30B,U+30D-331,U+333-337,U+20D0-20D6,U+20D8-2101,U+2103-2109,U+2114,U+2116-2117,\
         U+211E-2123,U+2125-2127,U+2129-212B,U+212E,U+2132,U+2136-213B,U+2141-2144,U+214A-214F,\
         U+219A-21A5,U+21A7-21A8,U+21AB-21BB,U+21BE-21BF,U+21C2-21CA,U+21CD-21CF,U+21D6-21FF,\
         U+220E,U+221F,U+2238-223B,U+223D-2242,U+2244,U+2246-2247,U+2249-224C,U+224E-224F,\
         U+2251-225B,U+225D-225F,U+2262-2263,U+2266-2269,U+226C-2279,U+227C-2281,U+2288-228D,\
         U+228F-2290,U+229C-22A1,U+22A6-22A7,U+22A9-22B1,U+22B6-22BF,U+22C7,U+22C9-22ED,\
         U+22F2-2307,U+230C-231F,U+2322-239A,U+23AF,U+23B2-23CF,U+23D1-23DB,U+23E2-25A0,\
         U+25A2-25B2,U+25B4-25CA,U+25CC-25EE,U+25F0-27E7,U+27EC-27ED,U+27F0-27F4,U+27FB,\
         U+27FD-297F,U+2A07-2A7C,U+2A7F-2AFF"
    ),
];

/// Fonts that most devices have, by the names that all browsers know, with the proportions of Inter,
/// so that texts keep their lines when Inter replaces them.
const TEXT_FALLBACKS: &str = "@font-face{font-family:\"Inter Fallback\";\
    src:local(\"Arial\"),local(\"Liberation Sans\"),local(\"Roboto-Regular\");\
    ascent-override:90.44%;descent-override:22.52%;line-gap-override:0%;size-adjust:107.12%}\
    @font-face{font-family:\"Inter Fallback Noto\";src:local(\"NotoSans-Regular\");\
    ascent-override:95.79%;descent-override:23.85%;line-gap-override:0%;size-adjust:101.13%}\
    @font-face{font-family:\"Inter Fallback DejaVu\";src:local(\"DejaVuSans\");\
    ascent-override:103.16%;descent-override:25.69%;line-gap-override:0%;size-adjust:93.91%}";

static TEXT_FILES: LazyLock<Vec<Asset>> = LazyLock::new(|| files(&TEXT));
static MATH_FILES: LazyLock<Vec<Asset>> = LazyLock::new(|| files(&MATH));

fn files(parts: &[Part]) -> Vec<Asset> {
    parts.iter().map(|part| Asset::new(part.name, "woff2", "font/woff2", part.bytes)).collect()
}

/// A part of Inter that only some pages link.
struct FurtherPart {
    languages: &'static [&'static str],
    ranges: Vec<RangeInclusive<u32>>,
    stylesheet: Asset,
}

static FURTHER_PARTS: LazyLock<Vec<FurtherPart>> = LazyLock::new(|| {
    let parts = TEXT.iter().zip(TEXT_FILES.iter()).skip(1);
    let further = parts.map(|(part, file)| {
        let mut css = String::new();
        push_rule(&mut css, INTER, part, file);
        FurtherPart {
            languages: part.languages,
            ranges: ranges(part.range),
            stylesheet: Asset::new(part.name, "css", "text/css; charset=utf-8", css),
        }
    });
    further.collect()
});

/// Parses ranges of characters in the form of CSS.
fn ranges(css: &str) -> Vec<RangeInclusive<u32>> {
    let number = |digits: &str| u32::from_str_radix(digits, 16).unwrap_or_default();
    let range = |range: &str| {
        let range = range.trim_start_matches("U+");
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        number(first)..=number(last)
    };
    css.split(',').map(range).collect()
}

/// The family and the weights of a font.
type Family = (&'static str, &'static str);

const INTER: Family = ("Inter", "400 700");

/// Returns the rules of the font of texts that every page needs.
pub(super) fn text_rules() -> String {
    let mut css = String::from(TEXT_FALLBACKS);
    for (part, file) in TEXT.iter().zip(TEXT_FILES.iter()).take(1) {
        push_rule(&mut css, INTER, part, file);
    }
    css
}

/// Returns the rules of the font of formulas.
pub(super) fn math_rules() -> String {
    let mut css = String::new();
    for (part, file) in MATH.iter().zip(MATH_FILES.iter()) {
        push_rule(&mut css, ("STIX Two Math", "400"), part, file);
    }
    css
}

fn push_rule(css: &mut String, (family, weights): Family, part: &Part, file: &Asset) {
    // The address is relative to that of the stylesheet, which depends on the host.
    let name = file.path().trim_start_matches(ASSETS);
    // Writing to a string cannot fail.
    let _ = write!(
        css,
        "@font-face{{font-family:\"{family}\";font-weight:{weights};font-display:swap;\
         src:url({name}) format(\"woff2\");unicode-range:{}}}",
        part.range
    );
}

/// Returns the part of the font of texts that every page needs.
pub(crate) fn text_font() -> Option<&'static Asset> {
    TEXT_FILES.first()
}

/// Returns the stylesheets of the other parts of the font of texts that a page needs: those of its
/// language, and those with several letters of its texts.
pub(crate) fn further_text_fonts(
    language: &str,
    texts: [&str; 2],
) -> impl Iterator<Item = &'static Asset> {
    let language = language.split('-').next().unwrap_or_default().to_ascii_lowercase();
    let mut letters = vec![0; FURTHER_PARTS.len()];
    texts.iter().for_each(|text| count_letters(text, &mut letters));
    let parts = FURTHER_PARTS.iter().zip(letters);
    parts.filter_map(move |(part, letters)| {
        let is_needed = part.languages.contains(&language.as_str()) || letters >= MIN_LETTERS;
        is_needed.then_some(&part.stylesheet)
    })
}

/// The size of the pieces of a text that are skipped if they have no other letters than those of
/// English, in bytes.
const PIECE: usize = 64;

/// The first character after those that languages are written with whose letters a part has.
const FIRST_OTHER: u32 = 0x2E80;

/// Counts the letters that only one part has. Letters of several parts, such as `đ`, tell nothing.
fn count_letters(text: &str, letters: &mut [usize]) {
    let mut at = 0;
    while let Some(piece) = text.as_bytes().get(at..) {
        if piece.get(..PIECE).is_some_and(<[u8]>::is_ascii) {
            at += PIECE;
            continue;
        }
        let end = text.floor_char_boundary(at + PIECE);
        for char in text.get(at..end).unwrap_or_default().chars().map(u32::from) {
            if (0x100..FIRST_OTHER).contains(&char) {
                count_letter(char, letters);
            }
        }
        if end == text.len() {
            return;
        }
        at = end;
    }
}

fn count_letter(char: u32, letters: &mut [usize]) {
    let has = |part: &FurtherPart| part.ranges.iter().any(|range| range.contains(&char));
    let mut found = FURTHER_PARTS.iter().zip(letters).filter(|(part, _)| has(part));
    if let (Some((_, count)), None) = (found.next(), found.next()) {
        *count += 1;
    }
}

/// Returns the part of the font of formulas that every page with a formula needs.
pub(crate) fn math_font() -> Option<&'static Asset> {
    MATH_FILES.first()
}

/// Returns all files and the stylesheets of parts.
pub(super) fn all() -> impl Iterator<Item = &'static Asset> {
    let stylesheets = FURTHER_PARTS.iter().map(|part| &part.stylesheet);
    TEXT_FILES.iter().chain(MATH_FILES.iter()).chain(stylesheets)
}
