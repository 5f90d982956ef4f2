//! Tests of the stylesheet: contrast, size and the absence of foreign content.

use std::collections::HashMap;

use super::theme::{Background, DARK_RAISED, DARK_SURFACE, LIGHT_RAISED, LIGHT_SURFACE};
use super::*;
use crate::http::Encoding;
use crate::icons::IconStyle;

/// Returns the tokens of the stylesheet for one scheme (0 light, 1 dark).
fn tokens(scheme: usize) -> HashMap<String, Color> {
    let block = SOURCE.split_once(":root {").unwrap().1.split_once("\n}").unwrap().0;
    block
        .lines()
        .filter_map(|line| line.trim().strip_prefix("--")?.strip_suffix(';')?.split_once(": "))
        .filter_map(|(name, value)| {
            let value = match value.strip_prefix("light-dark(") {
                Some(pair) => pair.strip_suffix(')')?.split("), ").nth(scheme)?,
                None => value,
            };
            Some((name.to_owned(), color(value)?))
        })
        .collect()
}

fn color(text: &str) -> Option<Color> {
    let Some(parts) = text.strip_prefix("oklch(") else {
        return Color::parse(text);
    };
    let parts = parts.trim_end_matches(')').replace("var(--hue", "262");
    let parts: Vec<f64> =
        parts.split_whitespace().map(|part| part.trim_end_matches('%').parse().unwrap()).collect();
    let [lightness, chroma, hue] = parts.as_slice() else {
        return None;
    };
    Some(Oklch { lightness: lightness / 100.0, chroma: *chroma, hue: *hue }.into())
}

#[test]
fn every_pair_of_text_and_surface_is_legible() {
    let hints = ["info-tint", "success-tint", "warning-tint", "danger-tint"];
    for scheme in [0, 1] {
        let tokens = tokens(scheme);
        let check = |text: &str, surface: &str, least: f64| {
            let found = contrast(tokens[text], tokens[surface]);
            assert!(found >= least, "{text} on {surface} in scheme {scheme}: {found:.2}");
        };
        for surface in ["surface", "raised", "hover"] {
            check("text", surface, 7.0);
            check("heading", surface, 7.0);
            check("muted", surface, 4.5);
            check("accent", surface, 4.5);
        }
        for tint in hints {
            check("text", tint, 7.0);
            check("heading", tint, 7.0);
            check(tint.trim_end_matches("-tint"), tint, 4.5);
            check("accent", tint, 4.5);
        }
        for tone in ["orange", "purple"] {
            let tint = format!("{tone}-tint");
            check("text", &tint, 7.0);
            check("heading", &tint, 7.0);
            check(tone, &tint, 4.5);
        }
        for tone in ["info", "success", "warning", "danger", "orange", "purple"] {
            check(tone, "surface", 4.5);
            check(tone, "raised", 4.5);
        }
        for token in "kscnftvp".chars() {
            check(&format!("code-{token}"), "raised", 4.5);
        }
        check("on-primary", "primary", 4.5);
    }
}

#[test]
fn themes_use_the_surfaces_of_the_stylesheet() {
    for (scheme, surface, raised) in
        [(0, LIGHT_SURFACE, LIGHT_RAISED), (1, DARK_SURFACE, DARK_RAISED)]
    {
        assert_eq!(tokens(scheme)["hover"], Color::from(surface));
        assert_eq!(tokens(scheme)["raised"], Color::from(raised));
    }
}

/// Returns the tokens of a theme's stylesheet for one scheme (0 light, 1 dark), over those of the
/// stylesheet of all sites.
fn themed_tokens(theme: &Theme, scheme: usize) -> HashMap<String, Color> {
    let css = theme.stylesheet();
    let block = css.strip_prefix(":root{").unwrap().split_once('}').unwrap().0;
    let own = block.split(';').filter_map(|line| {
        let (name, value) = line.strip_prefix("--")?.split_once(':')?;
        let pair = value.strip_prefix("light-dark(")?.strip_suffix(')')?;
        let value = if pair.contains("oklch") {
            format!("{})", pair.trim_end_matches(')').split("),").nth(scheme)?)
        } else {
            pair.split(',').nth(scheme)?.to_owned()
        };
        Some((name.to_owned(), themed_color(&value)?))
    });
    let own: Vec<_> = own.collect();
    tokens(scheme).into_iter().chain(own).collect()
}

fn themed_color(text: &str) -> Option<Color> {
    let Some(parts) = text.strip_prefix("oklch(") else { return Color::parse(text) };
    let numbers = parts.trim_end_matches(')').split(' ');
    let numbers: Vec<f64> = numbers.map(|number| number.parse().unwrap()).collect();
    Some(Oklch { lightness: numbers[0], chroma: numbers[1], hue: numbers[2] }.into())
}

#[test]
fn site_colors_are_adjusted_until_legible() {
    let colors = [
        "#fff", "#000", "#ffd700", "#0f8a5f", "#346ddb", "#ff0000", "#7f7f7f", "#e8f0ff", "#ff3399",
    ];
    for (number, text) in colors.iter().enumerate() {
        let pair = ColorPair::parse(text, text);
        let other = ColorPair::parse(colors[(number + 3) % colors.len()], text);
        for tint in [None, pair, other] {
            let theme = Theme { primary: pair, tint, tones: [pair; 4], ..Theme::default() };
            for scheme in [0, 1] {
                let tokens = themed_tokens(&theme, scheme);
                let mut pairs = vec![("on-primary", "primary")];
                for surface in ["surface", "raised", "hover"] {
                    pairs.extend(["text", "heading", "muted", "accent"].map(|on| (on, surface)));
                }
                for tone in ["info", "success", "warning", "danger"] {
                    pairs.extend([(tone, "surface"), (tone, "raised")]);
                }
                pairs.extend([("info", "info-tint"), ("text", "info-tint")]);
                for (on, surface) in pairs {
                    let found = contrast(tokens[on], tokens[surface]);
                    let at = format!("{text}, tint {tint:?}, scheme {scheme}");
                    assert!(found >= 4.4, "{on} on {surface}: {found:.2} ({at})");
                }
                expect_legible_current_page(&tokens, 0.10, text);
            }
        }
    }
}

/// Asserts that the current page in the navigation is legible on its area, which has a share of the
/// accent.
fn expect_legible_current_page(tokens: &HashMap<String, Color>, share: f64, theme: &str) {
    for surface in ["surface", "raised"] {
        let area = tokens[surface].tinted(tokens["accent"], share);
        let found = contrast(tokens["accent"], area);
        assert!(found >= 4.5, "accent on its own area on {surface}: {found:.2} ({theme})");
    }
}

#[test]
fn the_current_page_is_legible_whatever_the_color() {
    assert!(SOURCE.contains("background: color-mix(in oklab, var(--accent) 10%, transparent);"));
    for scheme in [0, 1] {
        expect_legible_current_page(&tokens(scheme), 0.10, "the stylesheet");
        for hue in 0..36 {
            let color =
                Color::from(Oklch { lightness: 0.65, chroma: 0.25, hue: f64::from(hue) * 10.0 });
            let primary = ColorPair::parse(&color.hex(), &color.hex());
            for (background, share) in [(Background::Muted, 0.10), (Background::Gradient, 0.17)] {
                let theme = Theme { primary, background, ..Theme::default() };
                expect_legible_current_page(&themed_tokens(&theme, scheme), share, &color.hex());
            }
        }
    }
}

#[test]
fn a_theme_has_one_address() {
    let theme = Theme { primary: ColorPair::parse("#346DDB", "nonsense"), ..Theme::default() };
    let path = theme.path().unwrap();
    let name = path.strip_prefix(ASSETS).unwrap();
    let css = asset(name).unwrap();
    insta::assert_snapshot!(std::str::from_utf8(css.body()).unwrap());
    let digits = name.strip_prefix("theme9-").unwrap().strip_suffix(".css").unwrap();
    for other in [
        format!("theme9-{}.css", digits.replace('d', "D")),
        format!("theme9-{digits}00.css"),
        format!("theme9-{}.css", &digits[1..]),
        format!("theme5-{digits}.css"),
        "theme9-.css".to_owned(),
        format!("theme9-{}.css", "f".repeat(1_000)),
        "theme9-é.css".to_owned(),
    ] {
        assert!(asset(&other).is_none(), "{other}");
    }
    assert_eq!(Theme::default().path(), None);
}

#[test]
fn every_choice_changes_the_stylesheet() {
    let pair = ColorPair::parse("#112233", "#445566");
    let default = Theme::default;
    let themes = [
        Theme { tint: pair, ..default() },
        Theme { tones: [pair, None, None, None], ..default() },
        Theme { tones: [None, None, None, pair], ..default() },
        Theme { header: pair.map(|pair| (pair, None)), ..default() },
        Theme { background: Background::Muted, ..default() },
        Theme { background: Background::Gradient, ..default() },
        Theme { corners: Corners::Straight, ..default() },
        Theme { corners: Corners::Circular, ..default() },
        Theme { flat: true, ..default() },
        Theme { accent_links: true, ..default() },
        Theme { filled_sidebar: true, ..default() },
        Theme { sidebar_list: SidebarList::Pill, ..default() },
        Theme { sidebar_list: SidebarList::Line, ..default() },
        Theme { subtle_search: true, ..default() },
        Theme { font: Font::parse("Merriweather"), ..default() },
        Theme { monospace_font: MonospaceFont::parse("DMMono"), ..default() },
        Theme { icons: IconStyle::Thin, ..default() },
        Theme { icons: IconStyle::Solid, ..default() },
    ];
    let mut seen = vec![default().stylesheet()];
    for theme in themes {
        let name = theme.path().unwrap();
        let css = asset(name.strip_prefix(ASSETS).unwrap()).unwrap();
        let css = std::str::from_utf8(css.body()).unwrap().to_owned();
        assert_eq!(css.matches('{').count(), css.matches('}').count(), "{css}");
        assert!(!seen.contains(&css), "{theme:?}");
        seen.push(css);
    }
}

/// The stylesheet of the search can follow that of the theme, so its rules would win over equal ones.
#[test]
fn nothing_of_a_flat_theme_has_a_shadow() {
    let css = Theme { flat: true, ..Theme::default() }.stylesheet();
    assert!(css.contains("dialog.search-box{box-shadow:none}"), "{css}");
}

#[test]
fn assets_are_found_under_their_address_only() {
    for found in [stylesheet(), favicon(), looks(), search_script(), search_stylesheet()] {
        let name = found.path().strip_prefix(ASSETS).unwrap();
        assert_eq!(asset(name).unwrap().body(), found.prepared().body());
    }
    assert!(asset("site.css").is_none());
}

#[test]
fn the_stylesheet_is_small_and_loads_nothing_foreign() {
    let css = std::str::from_utf8(stylesheet().prepared().body()).unwrap();
    for address in css.split("url(").skip(1) {
        let is_own_font = address.starts_with("inter-");
        assert!(is_own_font || address.starts_with("\"data:image/svg+xml,"), "{}", &address[..40]);
    }
    assert!(!css.contains("@import"));
    assert_eq!(css.matches('{').count(), css.matches('}').count());
    let gzip = stylesheet().prepared().encoded(Encoding::Gzip).len();
    let brotli = stylesheet().prepared().encoded(Encoding::Brotli).len();
    assert!(gzip < 13_900, "gzip {gzip}");
    assert!(brotli < gzip, "brotli {brotli}");
}

#[test]
fn fonts_are_files_that_stylesheets_name() {
    let further = font_files::all().filter(|one| one.path().ends_with(".css"));
    let sheets = [stylesheet(), math()].into_iter().chain(further);
    let sheets = sheets.map(|sheet| String::from_utf8(sheet.prepared().body().to_vec()).unwrap());
    let sheets: Vec<String> = sheets.collect();
    let mut found = 0;
    for address in sheets.iter().flat_map(|css| css.split("src:url(").skip(1)) {
        let font = asset(address.split_once(')').unwrap().0).unwrap();
        assert!(font.body().starts_with(b"wOF2"));
        let response = font.to_response(&http::Method::GET, &http::HeaderMap::new());
        assert_eq!(response.headers()["content-type"], "font/woff2");
        found += 1;
    }
    assert_eq!(found, font_files::all().filter(|one| one.path().ends_with(".woff2")).count());
    let sizes: Vec<usize> =
        [text_font(), math_font()].map(|font| font.unwrap().prepared().body().len()).to_vec();
    assert!(sizes[0] < 25_000 && sizes[1] < 50_000, "{sizes:?}");
    let licenses = asset("licenses.txt").unwrap();
    let text = std::str::from_utf8(licenses.body()).unwrap();
    for expected in
        ["Tabler", "Simple Icons", "Inter Project", "STIX Fonts", "OPEN FONT LICENSE", "Mermaid"]
    {
        assert!(text.contains(expected), "{expected}");
    }
}

#[test]
fn pages_load_the_letters_of_their_language_and_of_their_texts() {
    let check = |language: &str, text: &str, expected: &[&str]| {
        let found = further_text_fonts(language, ["Title", text]);
        let found: Vec<&str> = found.map(Asset::path).collect();
        let names: Vec<String> =
            expected.iter().map(|name| format!("/~assets/inter-{name}-")).collect();
        assert_eq!(found.len(), names.len(), "{text}: {found:?}");
        for (path, name) in found.iter().zip(&names) {
            let rest = path.strip_prefix(name.as_str()).unwrap_or_default();
            assert!(rest.len() == "0123456789ab.css".len(), "{text}: {path}");
        }
    };
    let russian = "Первая страница. ".repeat(10);
    for (language, text, expected) in [
        ("en", "Text with “quotes”, a café and an → arrow.", &[][..]),
        ("en", "The languages are Русский, ไทย and Łódź.", &[]),
        ("en", russian.as_str(), &["cyrillic"]),
        ("ru-RU", "", &["cyrillic"]),
        ("fa", "صفحهٔ نخست این راهنما", &[]),
        ("zh-CN", "第一页的文字和更多的文字", &[]),
        ("", "Zażółć gęślą jaźń", &["latin-ext"]),
        ("pl", "", &["latin-ext"]),
        ("", "Trang đầu tiên của hướng dẫn này để đọc bằng tiếng Việt", &["vietnamese"]),
        ("", "Η πρώτη σελίδα του οδηγού", &["greek"]),
        ("kk", "Бірінші бет", &["cyrillic", "cyrillic-ext"]),
        ("", "ˈɪŋɡlɪʃ prəˌnʌnsiˈeɪʃən", &["latin-rare"]),
    ] {
        check(language, text, expected);
        // Pieces of a long text begin anywhere.
        let long = format!("{}{text}{}", "x".repeat(61), "y".repeat(200));
        check(language, &long, expected);
    }
}

#[test]
fn the_scripts_are_small_and_loads_nothing_foreign() {
    let scripts = [(script(), 13_320), (search_script(), 8_192), (api_console_script(), 18_900)];
    for (script, limit) in scripts {
        let body = script.prepared().body();
        let text = std::str::from_utf8(body).unwrap();
        assert!(body.len() < limit, "{} bytes", body.len());
        for foreign in ["http:", "https:", "innerHTML", "eval(", "//"] {
            assert!(!text.contains(foreign), "{foreign}");
        }
    }
}

#[test]
fn the_outline_stays_in_view_above_the_text() {
    let narrow = SOURCE.split("@media screen and (width < 80rem) {").nth(1).unwrap();
    let narrow = narrow.split("\n}\n").next().unwrap();
    assert!(narrow.contains("main > .outline { position: sticky;"), "{narrow}");
    assert!(narrow.contains("scroll-padding-block-start"), "{narrow}");
}

#[test]
fn colors_survive_conversion_to_oklch() {
    for text in ["346ddb", "000000", "ffffff", "ff0000", "12e4a7"] {
        let color = Color::parse(text).unwrap();
        assert_eq!(Color::from(Oklch::from(color)), color);
        assert_eq!(color.hex(), text);
    }
    assert_eq!(Color::parse("#abc").unwrap().hex(), "aabbcc");
    for text in ["", "#", "red", "#12", "#12345", "#1234567", "#ggg", "#１２３"] {
        assert_eq!(Color::parse(text), None, "{text}");
    }
    let black_white = contrast(Color::new(0, 0, 0), Color::new(255, 255, 255));
    assert!((black_white - 21.0).abs() < 1e-9);
}
