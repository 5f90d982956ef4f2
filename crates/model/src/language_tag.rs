//! Language tags (BCP 47), in the syntax and the canonical form of RFC 5646.

use std::fmt;

/// Maximum length of a tag in bytes. RFC 5646, section 4.4.1, recommends room for 35.
const MAX_BYTES: usize = 100;

/// Tags that are registered as a whole and do not follow the syntax, or mean more than their
/// subtags, with the tags that replace them (RFC 5646, section 2.2.8, and the registry of IANA).
const REGISTERED: [(&str, &str); 26] = [
    ("art-lojban", "jbo"),
    ("cel-gaulish", "xtg"),
    ("en-gb-oed", "en-GB-oxendict"),
    ("i-ami", "ami"),
    ("i-bnn", "bnn"),
    ("i-default", "i-default"),
    ("i-enochian", "i-enochian"),
    ("i-hak", "hak"),
    ("i-klingon", "tlh"),
    ("i-lux", "lb"),
    ("i-mingo", "i-mingo"),
    ("i-navajo", "nv"),
    ("i-pwn", "pwn"),
    ("i-tao", "tao"),
    ("i-tay", "tay"),
    ("i-tsu", "tsu"),
    ("no-bok", "nb"),
    ("no-nyn", "nn"),
    ("sgn-be-fr", "sfb"),
    ("sgn-be-nl", "vgt"),
    ("sgn-ch-de", "sgg"),
    ("zh-guoyu", "cmn"),
    ("zh-hakka", "hak"),
    ("zh-min", "nan"),
    ("zh-min-nan", "nan"),
    ("zh-xiang", "hsn"),
];

/// Codes that ISO 639 has withdrawn, with their replacements.
const WITHDRAWN: [(&str, &str); 5] =
    [("in", "id"), ("iw", "he"), ("ji", "yi"), ("jw", "jv"), ("mo", "ro")];

/// Languages that are written from right to left unless the tag names another script.
const RIGHT_TO_LEFT: [&str; 22] = [
    "aeb", "apc", "ar", "arc", "ary", "arz", "azb", "bal", "bqi", "ckb", "dv", "fa", "glk", "he",
    "lrc", "mzn", "pnb", "ps", "sd", "ug", "ur", "yi",
];

/// Scripts that are written from right to left.
const RIGHT_TO_LEFT_SCRIPTS: [&str; 12] = [
    "Adlm", "Arab", "Aran", "Hebr", "Mand", "Mend", "Nkoo", "Rohg", "Samr", "Syrc", "Syre", "Thaa",
];

/// A language tag in its canonical form, such as `fa`, `pt-BR` or `zh-Hant-HK`.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct LanguageTag(String);

impl LanguageTag {
    /// Parses a tag in any letter case: `ZH-hant-tw` becomes `zh-Hant-TW`, `iw` becomes `he`.
    ///
    /// # Errors
    /// Returns the part that is not permitted, and what is.
    pub fn parse(text: &str) -> Result<Self, InvalidLanguageTag> {
        let invalid = |problem: String| InvalidLanguageTag { problem };
        if text.len() > MAX_BYTES {
            return Err(invalid(format!("found more than {MAX_BYTES} characters")));
        }
        let lower = text.to_ascii_lowercase();
        if let Some((_, canonical)) = REGISTERED.iter().find(|(tag, _)| *tag == lower) {
            return Ok(Self((*canonical).to_owned()));
        }
        let parts: Vec<&str> = lower.split('-').collect();
        let is_subtag = |part: &&str| {
            (1..=8).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_alphanumeric())
        };
        if let Some(part) = parts.iter().find(|part| !is_subtag(part)) {
            return Err(invalid(match *part {
                "" => format!("found {text:?} with an empty part"),
                part => format!("found {part:?}"),
            }));
        }
        let mut parser = Parser { parts: &parts, at: 0, out: Vec::with_capacity(parts.len()) };
        match parser.tag() {
            Some(()) if parser.at == parts.len() => Ok(Self(parser.out.join("-"))),
            _ => {
                let part = parts.get(parser.at).or(parts.last()).copied().unwrap_or_default();
                Err(invalid(format!("found {part:?} in {text:?}")))
            }
        }
    }

    /// Returns the tag.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the primary language, such as `zh` of `zh-Hant-HK`.
    pub fn language(&self) -> &str {
        self.0.split('-').next().unwrap_or_default()
    }

    /// Returns the script, such as `Hant` of `zh-Hant-HK`.
    pub fn script(&self) -> Option<&str> {
        let second = self.0.split('-').nth(1)?;
        (second.len() == 4 && second.bytes().all(|byte| byte.is_ascii_alphabetic()))
            .then_some(second)
    }

    /// Returns the region, such as `HK` of `zh-Hant-HK`.
    pub fn region(&self) -> Option<&str> {
        let parts = self.0.split('-').skip(1).take_while(|part| part.len() > 1);
        parts.take(2).find(|part| {
            part.len() == 2 || (part.len() == 3 && part.bytes().all(|byte| byte.is_ascii_digit()))
        })
    }

    /// Returns `true` if the language is written from right to left, by its script or, without
    /// one, by the script that is usual for it.
    pub fn is_right_to_left(&self) -> bool {
        match self.script() {
            Some(script) => RIGHT_TO_LEFT_SCRIPTS.contains(&script),
            None => RIGHT_TO_LEFT.contains(&self.language()),
        }
    }
}

impl fmt::Display for LanguageTag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The reason why a text is not a language tag.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct InvalidLanguageTag {
    problem: String,
}

impl fmt::Display for InvalidLanguageTag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}, allowed: a BCP 47 language tag, which is a language of two or three letters, \
             then an optional script and region, all joined by \"-\": fa, pt-BR, zh-Hant-HK",
            self.problem
        )
    }
}

impl std::error::Error for InvalidLanguageTag {}

/// Reads the subtags in order (RFC 5646, section 2.1).
struct Parser<'a> {
    parts: &'a [&'a str],
    at: usize,
    out: Vec<String>,
}

fn is_alphabetic(part: &str) -> bool {
    part.bytes().all(|byte| byte.is_ascii_alphabetic())
}

impl<'a> Parser<'a> {
    fn next_if(&mut self, holds: impl FnOnce(&str) -> bool) -> Option<&'a str> {
        let part = self.parts.get(self.at).copied().filter(|part| holds(part))?;
        self.at += 1;
        Some(part)
    }

    /// Reads a tag. `None` if it does not follow the syntax from the current subtag on.
    fn tag(&mut self) -> Option<()> {
        if self.parts.first() != Some(&"x") {
            self.language()?;
            if let Some(script) = self.next_if(|part| part.len() == 4 && is_alphabetic(part)) {
                let (first, rest) = script.split_at(1);
                self.out.push(first.to_ascii_uppercase() + rest);
            }
            let is_region = |part: &str| {
                (part.len() == 2 && is_alphabetic(part))
                    || (part.len() == 3 && part.bytes().all(|byte| byte.is_ascii_digit()))
            };
            if let Some(region) = self.next_if(is_region) {
                self.out.push(region.to_ascii_uppercase());
            }
            self.variants()?;
            self.extensions()?;
        }
        self.private_use()
    }

    /// Reads the primary language. An extended language, such as `yue` in `zh-yue`, replaces it.
    /// The syntax also has languages of four to eight letters, of which none is registered.
    fn language(&mut self) -> Option<()> {
        let primary = self.next_if(|part| (2..=3).contains(&part.len()) && is_alphabetic(part))?;
        let extended = self.next_if(|part| part.len() == 3 && is_alphabetic(part));
        let language = extended.unwrap_or(primary);
        let current = WITHDRAWN.iter().find(|(old, _)| *old == language);
        self.out.push(current.map_or(language, |(_, current)| current).to_owned());
        Some(())
    }

    fn variants(&mut self) -> Option<()> {
        let first = self.out.len();
        let is_variant = |part: &str| {
            part.len() >= 5 || (part.len() == 4 && part.as_bytes()[0].is_ascii_digit())
        };
        while let Some(variant) = self.next_if(is_variant) {
            if self.out[first..].iter().any(|known| known == variant) {
                self.at -= 1;
                return None;
            }
            self.out.push(variant.to_owned());
        }
        Some(())
    }

    /// Reads the extensions, which the canonical form orders by their singletons.
    fn extensions(&mut self) -> Option<()> {
        let mut extensions: Vec<Vec<&str>> = Vec::new();
        while let Some(singleton) = self.next_if(|part| part.len() == 1 && part != "x") {
            if extensions.iter().any(|one| one[0] == singleton) {
                self.at -= 1;
                return None;
            }
            let mut extension = vec![singleton];
            while let Some(part) = self.next_if(|part| part.len() >= 2) {
                extension.push(part);
            }
            if extension.len() < 2 {
                return None;
            }
            extensions.push(extension);
        }
        extensions.sort_unstable_by_key(|extension| extension[0]);
        self.out.extend(extensions.into_iter().flatten().map(str::to_owned));
        Some(())
    }

    fn private_use(&mut self) -> Option<()> {
        let Some(x) = self.next_if(|part| part == "x") else { return Some(()) };
        let rest = &self.parts[self.at..];
        if rest.is_empty() {
            return None;
        }
        self.at = self.parts.len();
        self.out.push(x.to_owned());
        self.out.extend(rest.iter().map(|part| (*part).to_owned()));
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_get_their_canonical_form() {
        for (text, expect) in [
            ("fa", "fa"),
            ("zh-tw", "zh-TW"),
            ("PT-br", "pt-BR"),
            ("ZH-hant-hk", "zh-Hant-HK"),
            ("sr-LATN", "sr-Latn"),
            ("es-419", "es-419"),
            ("sl-ROZAJ-biske-1994", "sl-rozaj-biske-1994"),
            ("de-CH-1996", "de-CH-1996"),
            ("ckb-IR", "ckb-IR"),
            ("iw", "he"),
            ("zh-yue-HK", "yue-HK"),
            ("zh-min-nan", "nan"),
            ("i-KLINGON", "tlh"),
            ("en-GB-oed", "en-GB-oxendict"),
            ("de-u-co-phonebk", "de-u-co-phonebk"),
            ("en-u-ca-buddhist-a-bbb", "en-a-bbb-u-ca-buddhist"),
            ("en-a-bbb-x-a-ccc", "en-a-bbb-x-a-ccc"),
            ("x-whatever", "x-whatever"),
            ("de-x-Formal", "de-x-formal"),
        ] {
            let parsed = LanguageTag::parse(text);
            assert_eq!(parsed.as_ref().map(LanguageTag::as_str), Ok(expect), "{text}");
            assert_eq!(LanguageTag::parse(expect), parsed, "{text}");
        }
    }

    #[test]
    fn other_texts_are_refused_with_the_part_at_fault() {
        for (text, part) in [
            ("", "\"\""),
            ("e", "\"e\""),
            ("english", "\"english\""),
            ("zh_TW", "\"zh_tw\""),
            ("de-", "empty part"),
            ("de--AT", "empty part"),
            ("-de", "empty part"),
            ("12", "\"12\""),
            ("de-AT-CH", "\"ch\""),
            ("de-Latn-Cyrl", "\"cyrl\""),
            ("de-1996-1996", "\"1996\""),
            ("en-a-bb-a-cc", "\"a\""),
            ("en-a", "\"a\""),
            ("x", "\"x\""),
            ("de-x", "\"x\""),
            ("f\u{e4}", "\"f\u{e4}\""),
            ("de-abcdefghi", "\"abcdefghi\""),
            ("de\"><script>", "script"),
        ] {
            let error = LanguageTag::parse(text).unwrap_err().to_string();
            assert!(error.contains(part) && error.contains("allowed"), "{text}: {error}");
        }
        assert!(LanguageTag::parse(&"a-".repeat(60)).is_err());
    }

    #[test]
    fn the_direction_follows_the_script() {
        let is_right_to_left = |tag: &str| LanguageTag::parse(tag).unwrap().is_right_to_left();
        for tag in
            ["fa", "ar-EG", "he", "iw", "ur", "az-Arab", "ff-Adlm", "ckb", "yi", "pa-Arab-PK"]
        {
            assert!(is_right_to_left(tag), "{tag}");
        }
        for tag in ["de", "ur-Latn", "az", "zh-Hant", "ku", "x-fa", "fa-Latn", "tg-Cyrl"] {
            assert!(!is_right_to_left(tag), "{tag}");
        }
    }

    #[test]
    fn tags_have_parts() {
        let parts = |tag: &str| {
            let tag = LanguageTag::parse(tag).unwrap();
            let owned = |part: Option<&str>| part.map(str::to_owned);
            (tag.language().to_owned(), owned(tag.script()), owned(tag.region()))
        };
        let some = |text: &str| Some(text.to_owned());
        assert_eq!(parts("zh-hant-hk"), ("zh".to_owned(), some("Hant"), some("HK")));
        assert_eq!(parts("es-419"), ("es".to_owned(), None, some("419")));
        assert_eq!(parts("de-1996"), ("de".to_owned(), None, None));
        assert_eq!(parts("en-u-ca-xx"), ("en".to_owned(), None, None));
    }
}
