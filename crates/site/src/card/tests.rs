use std::collections::BTreeSet;
use std::path::PathBuf;

use unicode_bidi::Level;

use super::fonts::{FontFiles, Typefaces};
use super::*;

/// Fonts with the letters that these tests use.
fn installed() -> SystemFonts {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("src/card/testdata");
    SystemFonts::in_folders(&[folder])
}

fn none() -> SystemFonts {
    SystemFonts::in_folders::<PathBuf>(&[])
}

fn card<'a>(title: &'a str, description: &'a str, system: &SystemFonts) -> Option<Card<'a>> {
    let texts = CardTexts { site: "Acme", title, description: Some(description), language: None };
    Card::new(texts, Color::new(52, 109, 219), system)
}

/// Arranges a text with the faces that it needs.
fn with_faces<T>(text: &str, run: impl FnOnce(&Typefaces<'_>) -> T) -> T {
    let system = installed();
    let faces = fonts::drawable(text, 1_000, &system, "").unwrap().faces;
    let files = FontFiles::read(&system, &faces).unwrap();
    run(&files.typefaces())
}

#[test]
fn the_title_of_the_site_replaces_titles_without_a_font() {
    for (title, without, with) in [
        ("Getting started", "Getting started", "Getting started"),
        ("Übersicht – Größe", "Übersicht – Größe", "Übersicht – Größe"),
        ("Đường dẫn", "Đường dẫn", "Đường dẫn"),
        ("Первый шаг", "Первый шаг", "Первый шаг"),
        ("Οδηγός", "Οδηγός", "Οδηγός"),
        ("🚀 Launch", "Launch", "Launch"),
        ("快速开始", "Acme", "快速开始"),
        ("Start 快速、🚀", "Acme", "Start 快速、"),
        ("مرحبا", "Acme", "مرحبا"),
        ("การเริ่มต้น", "Acme", "การเริ่มต้น"),
        ("हिन्दी", "Acme", "हिन्दी"),
        ("שלום", "Acme", "שלום"),
        ("龍", "Acme", "Acme"),
        ("", "Acme", "Acme"),
    ] {
        for (system, expect) in [(none(), without), (installed(), with)] {
            let card = card(title, "Text", &system).unwrap();
            assert_eq!(card.title.text, expect, "{title}");
            assert_eq!(card.site.text.is_empty(), expect == "Acme", "{title}");
        }
    }
    let texts = CardTexts { site: "龍", title: "龍", description: None, language: None };
    assert_eq!(Card::new(texts, HEADING, &installed()), None);
    let card = card("Title", "龍", &installed()).unwrap();
    assert_eq!(card.description.text, "");
}

#[test]
fn versions_change_with_the_texts_and_the_fonts() {
    let system = installed();
    let version = |title, description| card(title, description, &system).unwrap().version(&system);
    assert_ne!(version("Title", "Text"), version("Title", ""));
    assert_ne!(version("Title", "Text"), version("Titles", "Text"));
    let folder = tempfile::tempdir().unwrap();
    let from = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("src/card/testdata/hebrew.ttf");
    std::fs::copy(from, folder.path().join("other.ttf")).unwrap();
    let other = SystemFonts::in_folders(&[folder.path()]);
    let elsewhere = card("שלום", "", &other).unwrap();
    assert_ne!(version("שלום", ""), elsewhere.version(&other));
    assert!(elsewhere.png(&other).is_some());
    std::fs::remove_file(folder.path().join("other.ttf")).unwrap();
    assert_eq!(elsewhere.png(&other), None);
}

#[test]
fn a_card_is_a_png() {
    let long = "A title that needs more than one line of a card ".repeat(9);
    let word = "Donaudampfschifffahrt".repeat(20);
    let system = installed();
    for title in ["Setup", &long, &word, "快速开始安装指南", "مرحبا بالعالم", "हिन्दी"]
    {
        let png = card(title, &long, &system).unwrap().png(&system).unwrap();
        assert_eq!(png.get(..8), Some(&b"\x89PNG\r\n\x1a\n"[..]));
        let side = |at: usize| u32::from_be_bytes(png[at..at + 4].try_into().unwrap());
        assert_eq!((side(16), side(20)), (WIDTH, HEIGHT));
        assert!(png.len() < 200_000, "{}", png.len());
    }
    let [one, other] = ["Setup", "Sets up"].map(|title| card(title, "", &system).unwrap());
    assert_ne!(one.png(&system), other.png(&system));
    assert!(!one.needs_system() && card("שלום", "", &system).unwrap().needs_system());
}

#[test]
fn letters_are_joined_and_arranged_from_right_to_left() {
    let glyphs = |text: &str, level| {
        with_faces(text, |faces| {
            faces.shape(text, level).glyphs.iter().map(|glyph| glyph.id).collect::<Vec<_>>()
        })
    };
    // The letters of a word have other glyphs than letters that stand alone.
    let alone: BTreeSet<u16> =
        "مرحبا".chars().flat_map(|c| glyphs(&c.to_string(), Level::rtl())).collect();
    assert!(glyphs("مرحبا", Level::rtl()).iter().any(|glyph| !alone.contains(glyph)));
    // The first letter is the rightmost one.
    let [first, last] = ["ש", "ם"].map(|c| glyphs(c, Level::rtl())[0]);
    let word = glyphs("שלום", Level::rtl());
    assert_eq!((word.first(), word.last()), (Some(&last), Some(&first)));
    // Digits and Latin words in it are arranged from left to right.
    let xs = with_faces("שלום ab", |faces| {
        let line = faces.shape("שלום ab", Level::rtl());
        line.glyphs.iter().map(|glyph| (glyph.face, glyph.x)).collect::<Vec<_>>()
    });
    assert!(xs[0].0 < xs.last().unwrap().0, "{xs:?}");
    assert!(xs.is_sorted_by(|one, other| one.1 <= other.1), "{xs:?}");
    // A vowel sign before its consonant has the place that the script demands.
    let hindi = with_faces("हि", |faces| faces.shape("हि", Level::ltr()));
    assert_eq!(hindi.clusters.len(), 1, "{hindi:?}");
}

#[test]
fn texts_are_divided_between_words() {
    let lines = |text: &str, width: f32, most: usize| {
        with_faces(text, |faces| Paragraph::new(text, faces).lines(TextSize::TEXT, width, most))
    };
    assert_eq!(lines("one two three", 4_000.0, 3), ["one two three"]);
    assert_eq!(lines("one two three", 130.0, 3), ["one two", "three"]);
    assert!(lines("one two three", 130.0, 1)[0].ends_with('…'));
    let broken = lines("Donaudampfschifffahrt", 130.0, 9);
    assert_eq!(broken.concat(), "Donaudampfschifffahrt");
    assert!(broken.len() > 1);
    assert!(lines("", 130.0, 9).is_empty());
    assert_eq!(lines("快速开始安装指南", 130.0, 9), ["快速开始", "安装指南"]);
    // No line begins with a full stop.
    assert_eq!(lines("快速开始。安装", 130.0, 9), ["快速开", "始。安装"]);
    assert_eq!(lines("快速开始安装指南", 130.0, 1), ["快速开…"]);
    assert_eq!(lines("การเริ่มต้นใช้งาน", 150.0, 9), ["การเริ่มต้น", "ใช้งาน"]);
    assert_eq!(lines("مرحبا بالعالم", 100.0, 9), ["مرحبا", "بالعالم"]);
}

#[test]
fn lines_from_right_to_left_start_at_the_right() {
    let ink = |title: &str| {
        let system = installed();
        let card = card(title, "", &system).unwrap();
        let decoder = png::Decoder::new(std::io::Cursor::new(card.png(&system).unwrap()));
        let mut reader = decoder.read_info().unwrap();
        let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
        reader.next_frame(&mut pixels).unwrap();
        let row = usize_of(WIDTH) * 3;
        let columns = |row: &[u8]| row.chunks(3).position(|pixel| pixel != [255; 3]);
        // Rows of the title.
        pixels.chunks(row).skip(200).take(120).filter_map(columns).min().unwrap()
    };
    assert!(ink("Setup") < 100);
    assert!(ink("快速") < 100);
    assert!(ink("مرحبا") > 600);
    assert!(ink("שלום") > 600);
}

fn usize_of(number: u32) -> usize {
    number as usize
}
