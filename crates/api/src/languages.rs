//! Languages in requests and answers: tags, and the list of the base contract.

use bindery_model::{Error, FieldPath, LanguageTag, Location, Result};
use bindery_wire::Patch;
use bindery_wire::values::TranslationLanguage;

/// Parses a language tag. `place` is its place in the request.
///
/// # Errors
/// 400 with the place and the permitted form.
pub(crate) fn parse_language(place: impl Into<Location>, text: &str) -> Result<LanguageTag> {
    LanguageTag::parse(text).map_err(|error| Error::invalid(error.to_string()).at(place))
}

/// Returns the change of a language that a request makes with the fields `language` and
/// `languageTag`, of which the second applies before the first.
///
/// # Errors
/// 400 with the field and the permitted form.
pub(crate) fn language_change(
    language: Option<String>,
    tag: Patch<String>,
) -> Result<Option<Option<LanguageTag>>> {
    match (tag.change(), language) {
        (Some(tag), _) => {
            let parse = |tag: String| parse_language(FieldPath::new("/languageTag"), &tag);
            tag.map(parse).transpose().map(Some)
        }
        (None, Some(language)) => {
            parse_language(FieldPath::new("/language"), &language).map(|tag| Some(Some(tag)))
        }
        (None, None) => Ok(None),
    }
}

/// Returns the nearest language of the base contract's list: that of the whole tag, else of its
/// primary language, else `None`.
///
/// `pt-BR` and `de-AT` become `pt-br` and `de`; `fa` is not in the list.
pub(crate) fn listed_language(tag: &str) -> Option<TranslationLanguage> {
    let tag = tag.to_ascii_lowercase();
    let primary = tag.split('-').next().unwrap_or_default();
    // The list has Norwegian as a whole only.
    let primary = if matches!(primary, "nb" | "nn") { "no" } else { primary };
    TranslationLanguage::parse(&tag).or_else(|| TranslationLanguage::parse(primary))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_have_a_nearest_listed_language() {
        for (tag, expect) in [
            ("de", Some("de")),
            ("de-AT", Some("de")),
            ("pt-BR", Some("pt-br")),
            ("pt-PT", Some("pt")),
            ("zh-TW", Some("zh")),
            ("yue", Some("yue")),
            ("nb", Some("no")),
            ("fa", None),
            ("x-private", None),
        ] {
            assert_eq!(listed_language(tag).map(TranslationLanguage::as_str), expect, "{tag}");
        }
    }

    #[test]
    fn the_tag_applies_before_the_language() {
        let tag = |text: &str| Patch::Value(text.to_owned());
        let change =
            |language: Option<&str>, tag| language_change(language.map(str::to_owned), tag);
        let fa = || LanguageTag::parse("fa").unwrap();
        assert_eq!(change(Some("de"), tag("FA")).unwrap(), Some(Some(fa())));
        assert_eq!(change(Some("fa"), Patch::Absent).unwrap(), Some(Some(fa())));
        assert_eq!(change(Some("fa"), Patch::Null).unwrap(), Some(None));
        assert_eq!(change(None, Patch::Absent).unwrap(), None);
        let error = change(Some("zh_TW"), Patch::Absent).unwrap_err();
        assert!(error.to_string().contains("zh-Hant-HK"), "{error}");
    }
}
