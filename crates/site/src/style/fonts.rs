//! The fonts of the contract. Pages load no fonts from other hosts: a font other than the default
//! applies where the reader's device has it, followed by those of the system.

use serde::{Deserialize, Serialize};

const SANS: &str = "ui-sans-serif,system-ui,-apple-system,\"Segoe UI\",Roboto,\"Noto Sans\",\
                    \"Helvetica Neue\",Arial,sans-serif";
const SERIF: &str = "ui-serif,\"Iowan Old Style\",Charter,Cambria,\"Noto Serif\",Georgia,serif";
const MONO: &str = "ui-monospace,\"SF Mono\",\"Cascadia Mono\",Menlo,Consolas,\
                    \"DejaVu Sans Mono\",monospace";

/// Names in the contract, families, and `true` for those with serifs.
const FONTS: [(&str, &str, bool); 15] = [
    ("ABCFavorit", "\"ABC Favorit\"", false),
    ("Inter", "Inter", false),
    ("Roboto", "Roboto", false),
    ("RobotoSlab", "\"Roboto Slab\"", true),
    ("OpenSans", "\"Open Sans\"", false),
    ("SourceSansPro", "\"Source Sans 3\",\"Source Sans Pro\"", false),
    ("Lato", "Lato", false),
    ("Ubuntu", "Ubuntu", false),
    ("Raleway", "Raleway", false),
    ("Merriweather", "Merriweather", true),
    ("Overpass", "Overpass", false),
    ("NotoSans", "\"Noto Sans\"", false),
    ("IBMPlexSerif", "\"IBM Plex Serif\"", true),
    ("Poppins", "Poppins", false),
    ("FiraSans", "\"Fira Sans\"", false),
];

/// Names in the contract and families of monospaced fonts.
const MONOSPACE_FONTS: [(&str, &str); 8] = [
    ("FiraCode", "\"Fira Code\""),
    ("IBMPlexMono", "\"IBM Plex Mono\""),
    ("JetBrainsMono", "\"JetBrains Mono\""),
    ("SourceCodePro", "\"Source Code Pro\""),
    ("RobotoMono", "\"Roboto Mono\""),
    ("SpaceMono", "\"Space Mono\""),
    ("DMMono", "\"DM Mono\""),
    ("Inconsolata", "Inconsolata"),
];

/// A font of texts, by its position in the list.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct Font(u8);

/// A font of code, by its position in the list.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct MonospaceFont(u8);

impl Font {
    /// Parses the name of the contract.
    pub fn parse(name: &str) -> Option<Self> {
        let index = FONTS.iter().position(|(known, ..)| *known == name)?;
        u8::try_from(index).ok().map(Self)
    }

    /// Returns the value of `font-family`.
    pub(super) fn family(self) -> String {
        match FONTS.get(usize::from(self.0)) {
            Some((_, family, has_serifs)) => {
                format!("{family},{}", if *has_serifs { SERIF } else { SANS })
            }
            None => SANS.to_owned(),
        }
    }
}

impl MonospaceFont {
    /// Parses the name of the contract.
    pub fn parse(name: &str) -> Option<Self> {
        let index = MONOSPACE_FONTS.iter().position(|(known, _)| *known == name)?;
        u8::try_from(index).ok().map(Self)
    }

    /// Returns the value of `font-family`.
    pub(super) fn family(self) -> String {
        match MONOSPACE_FONTS.get(usize::from(self.0)) {
            Some((_, family)) => format!("{family},{MONO}"),
            None => MONO.to_owned(),
        }
    }
}

/// Returns the stylesheet of a font of an organization, with its files: weight, path and format.
/// Files of one weight follow each other and are alternatives. The font replaces that of texts, or
/// with `is_monospaced` that of code.
pub fn font_stylesheet(family: &str, files: &[(i64, String, &str)], is_monospaced: bool) -> String {
    let family = quoted(family);
    let mut css = String::new();
    for face in files.chunk_by(|one, other| one.0 == other.0) {
        let Some((weight, ..)) = face.first() else { continue };
        let sources: Vec<String> = face
            .iter()
            .map(|(_, path, format)| format!("url({path}) format(\"{format}\")"))
            .collect();
        css.push_str(&format!(
            "@font-face{{font-family:{family};font-weight:{weight};font-display:swap;src:{}}}",
            sources.join(",")
        ));
    }
    let (token, fallback) = if is_monospaced { ("mono", MONO) } else { ("sans", SANS) };
    css.push_str(&format!(":root{{--{token}:{family},{fallback}}}"));
    css
}

/// Returns a text as a string of CSS. All characters with a meaning in CSS or HTML are escaped.
fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for char in text.chars() {
        if char.is_alphanumeric() || matches!(char, ' ' | '-' | '_') {
            out.push(char);
        } else {
            out.push_str(&format!("\\{:x} ", u32::from(char)));
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn families_cannot_leave_their_string() {
        let css = font_stylesheet("A\"}</style>\\ B", &[(400, "/f".to_owned(), "woff2")], false);
        assert!(css.contains("font-family:\"A\\22 \\7d \\3c \\2f style\\3e \\5c  B\""), "{css}");
        assert!(css.contains("src:url(/f) format(\"woff2\")"), "{css}");
        assert!(css.contains(":root{--sans:\"A"), "{css}");
    }
}
