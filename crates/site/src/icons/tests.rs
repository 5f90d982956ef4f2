//! Tests of names and drawings, with all names of Font Awesome's free icons.

use std::collections::BTreeSet;

use super::*;

/// The names of the free icons of Font Awesome 7 with their aliases and those of version 4.
const FONT_AWESOME_FREE: &str = include_str!("font_awesome_free.txt");

#[test]
fn the_files_are_sorted_and_refer_to_each_other() {
    let keys = |lines: &'static str| lines.lines().map(|line| line.split_once(' ').unwrap());
    for lines in [NAMES, DRAWINGS] {
        assert!(keys(lines).is_sorted_by(|one, other| one.0 < other.0));
        assert!(lines.ends_with('\n'));
        for (key, found) in keys(lines) {
            assert_eq!(value(lines, key), Some(found), "{key}");
        }
    }
    let wanted: BTreeSet<&str> = keys(NAMES).map(|(_, drawing)| drawing).collect();
    let drawn: BTreeSet<&str> =
        keys(DRAWINGS).map(|(key, _)| key.trim_end_matches(SOLID)).collect();
    assert_eq!(wanted, drawn);
    let is_path = |byte: u8| byte.is_ascii_alphanumeric() || b" .-|".contains(&byte);
    assert!(keys(DRAWINGS).all(|(_, paths)| paths.bytes().all(is_path)));
}

#[test]
fn no_drawing_of_a_brand_shares_its_id_with_another() {
    let mut ids = BTreeSet::new();
    for line in DRAWINGS.lines() {
        let key = line.split_once(' ').unwrap().0;
        assert!(key.ends_with(SOLID) || ids.insert(id(key)), "{key}");
    }
}

#[test]
fn every_free_name_has_a_drawing_of_its_own_line() {
    let missing: Vec<&str> =
        FONT_AWESOME_FREE.lines().filter(|name| value(NAMES, name).is_none()).collect();
    assert!(missing.is_empty(), "{missing:?}");
    assert!(FONT_AWESOME_FREE.lines().count() > 2500);
}

#[test]
fn names_have_prefixes_and_unknown_parts() {
    let check = |name: &str, expect: Option<&str>| assert_eq!(drawing(name), expect, "{name}");
    check("rocket", Some("rocket"));
    check("fa-rocket", Some("rocket"));
    check("fa-solid fa-rocket", Some("rocket"));
    check("solid/rocket", Some("rocket"));
    check("FA-Rocket", Some("rocket"));
    check("github", Some("brand:github"));
    check("rocket-with-a-flag", Some("rocket"));
    check("my-own-rocket", Some("rocket"));
    check("no such icon", None);
    check("", None);
    check("-", None);
    check("é-ü", None);
    check(&"rocket-".repeat(100), None);
}

fn span(name: &str) -> String {
    format!("<span class=\"symbol icon\" data-icon=\"{name}\" aria-hidden=\"true\"></span>")
}

#[test]
fn a_page_contains_each_drawing_once() {
    let page = format!("<body><p>{}a{}b{}</p></body></html>", span("key"), span("key"), span("xx"));
    let drawn = draw(page, IconStyle::Regular);
    let r#use = "<svg class=\"symbol icon\" aria-hidden=\"true\"><use href=\"#B--i-key\"/></svg>";
    assert_eq!(drawn.matches(r#use).count(), 2, "{drawn}");
    assert_eq!(
        drawn.matches("<symbol id=\"B--i-key\" viewBox=\"0 0 24 24\"><path d=\"M").count(),
        1
    );
    assert!(drawn.contains(&format!("b{}</p><svg class=\"icons\"", span("xx"))), "{drawn}");
    assert!(drawn.ends_with("</svg></body></html>"), "{drawn}");
}

#[test]
fn texts_and_other_attributes_stay() {
    for page in [
        "<body><p>\" data-icon=\"key\" aria-hidden=\"true\"></span></p></body>",
        "<body><a data-icon=\"key\">a</a></body>",
        "<body><span class=\"a\">b<i id=\"\" data-icon=\"key\" aria-hidden=\"true\"></span></body>",
        "<body></body>",
    ] {
        assert_eq!(draw(page.to_owned(), IconStyle::Regular), page);
    }
}

#[test]
fn styles_differ_in_lines_and_areas() {
    let page = || format!("{}{}", span("heart"), span("github"));
    let heart = |style| {
        let drawn = draw(page(), style);
        drawn
            .split_once("id=\"B--i-heart\"")
            .unwrap()
            .1
            .split_once("</symbol>")
            .unwrap()
            .0
            .to_owned()
    };
    assert!(!heart(IconStyle::Regular).contains("fill"));
    assert_eq!(heart(IconStyle::Thin), heart(IconStyle::Regular));
    assert!(heart(IconStyle::Solid).contains(" fill=\"currentColor\" stroke=\"none\"><path"));
    assert!(heart(IconStyle::Duotone).contains("opacity=\".25\""));
    for style in [IconStyle::Regular, IconStyle::Thin, IconStyle::Duotone] {
        assert!(draw(page(), style).contains("id=\"B--i-b-github\" viewBox=\"0 0 24 24\" fill="));
    }
}

/// Every name of an icon in a folder of real repositories has a drawing. Passes without a check if
/// `BINDERY_CORPUS` names no folder.
#[test]
fn every_name_of_the_corpus_has_a_drawing() {
    let Some(corpus) = std::env::var_os("BINDERY_CORPUS") else { return };
    let mut folders = vec![std::path::PathBuf::from(corpus)];
    let (mut found, mut missing) = (0, BTreeSet::new());
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() && !path.is_symlink() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "md") {
                let text = std::fs::read_to_string(&path).unwrap_or_default();
                for pattern in ["<i class=\"", " data-icon=\"", " icon=\"", "\nicon: "] {
                    for part in text.split(pattern).skip(1) {
                        let name = part.split(['"', '\n']).next().unwrap();
                        // An address of an image is no name.
                        if name.contains('.') {
                            continue;
                        }
                        found += 1;
                        if !is_known(name) {
                            missing.insert(name.to_owned());
                        }
                    }
                }
            }
        }
    }
    assert!(found > 0);
    assert!(missing.is_empty(), "{missing:?} of {found}");
}
