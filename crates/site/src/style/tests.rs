//! Tests of the stylesheet: contrast, size and the absence of foreign content.

use std::collections::HashMap;

use super::theme::{DARK_SURFACE, LIGHT_SURFACE};
use super::*;
use crate::http::Encoding;

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
    for (scheme, surface) in [(0, LIGHT_SURFACE), (1, DARK_SURFACE)] {
        assert_eq!(tokens(scheme)["hover"], Color::from(surface));
    }
}

#[test]
fn site_colors_are_adjusted_until_legible() {
    for text in ["#fff", "#000", "#ffd700", "#0f8a5f", "#346ddb", "#ff0000", "#7f7f7f", "#e8f0ff"] {
        let theme = Theme::parse(text, text);
        let css = theme.stylesheet();
        let accent = css.split_once("--accent:light-dark(").unwrap().1.split_once(";").unwrap().0;
        let parts: Vec<&str> = accent.trim_end_matches(')').split("),").collect();
        for (value, surface) in parts.iter().zip([LIGHT_SURFACE, DARK_SURFACE]) {
            let value = value.strip_prefix("oklch(").unwrap().trim_end_matches(')');
            let n: Vec<f64> = value.split(' ').map(|n| n.parse().unwrap()).collect();
            let accent = Color::from(Oklch { lightness: n[0], chroma: n[1], hue: n[2] });
            let found = contrast(accent, surface.into());
            assert!(found >= 4.5, "{text} became {value}: {found:.2}");
        }
    }
}

#[test]
fn a_theme_has_one_address() {
    let theme = Theme::parse("#346DDB", "nonsense");
    let path = theme.path().unwrap();
    assert_eq!(path, "/~assets/theme1-346ddb-346ddb.css");
    let css = asset(path.strip_prefix(ASSETS).unwrap()).unwrap();
    insta::assert_snapshot!(std::str::from_utf8(css.body()).unwrap());
    for other in [
        "theme1-346DDB-346ddb.css",
        "theme1-fff-fff.css",
        "theme1-346ddb.css",
        "theme0-346ddb-346ddb.css",
        "theme1-346ddb-34\"}x.css",
    ] {
        assert!(asset(other).is_none(), "{other}");
    }
    assert_eq!(Theme::default().path(), None);
}

#[test]
fn assets_are_found_under_their_address_only() {
    for found in [stylesheet(), favicon()] {
        let name = found.path().strip_prefix(ASSETS).unwrap();
        assert_eq!(asset(name).unwrap().body(), found.prepared().body());
    }
    assert!(asset("site.css").is_none());
}

#[test]
fn the_stylesheet_is_small_and_loads_nothing_foreign() {
    let css = std::str::from_utf8(stylesheet().prepared().body()).unwrap();
    for address in css.split("url(").skip(1) {
        assert!(address.starts_with("\"data:image/svg+xml,"), "{}", &address[..40]);
    }
    assert!(!css.contains("@import"));
    assert_eq!(css.matches('{').count(), css.matches('}').count());
    let gzip = stylesheet().prepared().encoded(Encoding::Gzip).len();
    let brotli = stylesheet().prepared().encoded(Encoding::Brotli).len();
    assert!(gzip < 12_500, "gzip {gzip}");
    assert!(brotli < gzip, "brotli {brotli}");
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
