//! The locales of Open Graph, which need a territory: `fa_IR` for Persian.

use bindery_model::LanguageTag;

/// The territory with most readers of a language, for tags without one (CLDR, likely subtags).
const TERRITORIES: [(&str, &str); 47] = [
    ("af", "ZA"),
    ("ar", "EG"),
    ("az", "AZ"),
    ("be", "BY"),
    ("bg", "BG"),
    ("bn", "BD"),
    ("ca", "ES"),
    ("cs", "CZ"),
    ("da", "DK"),
    ("de", "DE"),
    ("el", "GR"),
    ("en", "US"),
    ("es", "ES"),
    ("et", "EE"),
    ("fa", "IR"),
    ("fi", "FI"),
    ("fr", "FR"),
    ("he", "IL"),
    ("hi", "IN"),
    ("hr", "HR"),
    ("hu", "HU"),
    ("hy", "AM"),
    ("id", "ID"),
    ("it", "IT"),
    ("ja", "JP"),
    ("ka", "GE"),
    ("ko", "KR"),
    ("lt", "LT"),
    ("lv", "LV"),
    ("ms", "MY"),
    ("nb", "NO"),
    ("nl", "NL"),
    ("nn", "NO"),
    ("no", "NO"),
    ("pl", "PL"),
    ("pt", "BR"),
    ("ro", "RO"),
    ("ru", "RU"),
    ("sk", "SK"),
    ("sl", "SI"),
    ("sr", "RS"),
    ("sv", "SE"),
    ("th", "TH"),
    ("tr", "TR"),
    ("uk", "UA"),
    ("ur", "PK"),
    ("vi", "VN"),
];

/// Returns the locale of a language tag: `pt-BR` becomes `pt_BR`, `uk` becomes `uk_UA`. `None` if
/// the tag has no territory and none is usual.
pub(super) fn open_graph_locale(tag: &str) -> Option<String> {
    let tag = LanguageTag::parse(tag).ok()?;
    let language = tag.language();
    let territory = match (tag.region(), language, tag.script()) {
        (Some(region), ..) => region,
        (None, "zh", Some("Hant")) => "TW",
        (None, "zh", _) => "CN",
        _ => TERRITORIES.iter().find(|(known, _)| *known == language)?.1,
    };
    Some(format!("{language}_{territory}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn locales_have_a_territory() {
        for (tag, expect) in [
            ("fa", Some("fa_IR")),
            ("pt-BR", Some("pt_BR")),
            ("pt", Some("pt_BR")),
            ("zh-Hant", Some("zh_TW")),
            ("zh-Hant-HK", Some("zh_HK")),
            ("zh", Some("zh_CN")),
            ("de-1996", Some("de_DE")),
            ("es-419", Some("es_419")),
            ("tlh", None),
            ("x-private", None),
            ("", None),
        ] {
            assert_eq!(open_graph_locale(tag).as_deref(), expect, "{tag}");
        }
    }
}
