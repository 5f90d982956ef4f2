//! The fonts of the contract. Pages load no fonts from other hosts: a font applies where the
//! reader's device has it, followed by those of the system.

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
