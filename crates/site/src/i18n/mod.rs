//! The texts of the interface of published pages in each language, and dates in the format of each
//! language.

mod ar;
mod cs;
mod da;
mod de;
mod en;
mod es;
mod fa;
mod fi;
mod fr;
mod he;
mod id;
mod it;
mod ja;
mod ko;
mod nl;
mod no;
mod pl;
mod pt;
mod ru;
mod sv;
mod tr;
mod uk;
mod vi;
mod zh_cn;
mod zh_tw;

use bindery_content::html;
use bindery_model::Timestamp;

pub(crate) use html::fill;

/// The texts of one language. `{}` stands for the value.
#[derive(Debug)]
pub struct Messages {
    /// The BCP 47 tag of the language, with a region if there are several variants.
    pub language: &'static str,
    pub(crate) skip: &'static str,
    pub(crate) menu: &'static str,
    pub(crate) pages: &'static str,
    pub(crate) pages_in: &'static str,
    pub(crate) breadcrumbs: &'static str,
    pub(crate) sections: &'static str,
    pub(crate) versions: &'static str,
    pub(crate) languages: &'static str,
    /// The version that the reader sees.
    pub(crate) reading: &'static str,
    /// The link to another version.
    pub(crate) go_to: &'static str,
    pub(crate) outline: &'static str,
    pub(crate) previous: &'static str,
    pub(crate) next: &'static str,
    pub(crate) neighbours: &'static str,
    pub(crate) search: &'static str,
    /// The name of the choice of a part of the site.
    pub(crate) search_in: &'static str,
    pub(crate) all_sections: &'static str,
    pub(crate) search_everywhere: &'static str,
    /// The value is the number of pages.
    pub(crate) pages_found: &'static str,
    /// The value holds the words that were searched instead of misspelled ones.
    pub(crate) searched_instead: &'static str,
    /// The note on pages that have only some of the words.
    pub(crate) some_words: &'static str,
    /// The value is the query.
    pub(crate) nothing_found: &'static str,
    pub(crate) nothing_found_help: &'static str,
    pub(crate) search_unavailable: &'static str,
    pub(crate) all_results: &'static str,
    pub(crate) recent_searches: &'static str,
    pub(crate) clear: &'static str,
    pub(crate) related: &'static str,
    /// The mark of a page outside of the navigation.
    pub(crate) unlisted: &'static str,
    pub(crate) updated: &'static str,
    pub(crate) updated_by: &'static str,
    pub(crate) edit: &'static str,
    pub(crate) markdown: &'static str,
    pub(crate) earlier: &'static str,
    pub(crate) more: &'static str,
    pub(crate) not_found: &'static str,
    pub(crate) not_found_text: &'static str,
    pub(crate) nearest: &'static str,
    pub(crate) home: &'static str,
    pub(crate) empty: &'static str,
    pub(crate) empty_text: &'static str,
    pub(crate) forbidden: &'static str,
    pub(crate) forbidden_text: &'static str,
    pub(crate) sign_in: &'static str,
    pub(crate) empty_page: &'static str,
    pub(crate) preview: &'static str,
    pub(crate) untitled: &'static str,
    pub(crate) privacy: &'static str,
    /// The note in the footer; the value is the name of this program.
    pub(crate) made_with: &'static str,
    /// The link that asks an AI assistant about the page; the value is the name of the assistant.
    pub(crate) ask: &'static str,
    /// The link that connects a program with the site; the value is the name of the program.
    pub(crate) connect: &'static str,
    /// The button that copies the address of the site's server for programs.
    pub(crate) copy_mcp: &'static str,
    /// The button that switches to the dark theme and back.
    pub(crate) dark: &'static str,
    pub(crate) copy: &'static str,
    /// The result of copying.
    pub(crate) copied: &'static str,
    pub(crate) wrap: &'static str,
    pub(crate) enlarge: &'static str,
    /// The name of a drawn diagram.
    pub(crate) diagram: &'static str,
    /// The button that shows the source of a diagram.
    pub(crate) diagram_source: &'static str,
    /// The button that copies the page.
    pub(crate) copy_page: &'static str,
    /// The text shown while a PDF is made.
    pub(crate) pdf_waiting: &'static str,
    pub(crate) close: &'static str,
    pub(crate) was_helpful: &'static str,
    pub(crate) helpful: &'static str,
    pub(crate) partly_helpful: &'static str,
    pub(crate) not_helpful: &'static str,
    pub(crate) thanks: &'static str,
    pub(crate) comment_text: &'static str,
    pub(crate) comment: &'static str,
    pub(crate) send: &'static str,
    pub(crate) back_to_page: &'static str,
    /// The texts that rendered documents contain.
    pub text: &'static html::Labels,
}

/// All languages of the interface. The first one is the default for other languages. The first
/// variant of a language is the default for variants that are not listed.
pub static LANGUAGES: [Messages; 25] = [
    en::MESSAGES,
    ar::MESSAGES,
    cs::MESSAGES,
    da::MESSAGES,
    de::MESSAGES,
    es::MESSAGES,
    fa::MESSAGES,
    fi::MESSAGES,
    fr::MESSAGES,
    he::MESSAGES,
    id::MESSAGES,
    it::MESSAGES,
    ja::MESSAGES,
    ko::MESSAGES,
    nl::MESSAGES,
    no::MESSAGES,
    pl::MESSAGES,
    pt::MESSAGES,
    ru::MESSAGES,
    sv::MESSAGES,
    tr::MESSAGES,
    uk::MESSAGES,
    vi::MESSAGES,
    zh_cn::MESSAGES,
    zh_tw::MESSAGES,
];

/// Returns the texts for a BCP 47 tag: those of the exact tag, else those of its primary language,
/// else English.
pub fn messages(tag: &str) -> &'static Messages {
    let tag = if is_traditional_chinese(tag) { "zh-TW" } else { tag };
    let tag = if is_norwegian(tag) { "no" } else { tag };
    let primary = |tag: &'static str| tag.split('-').next().unwrap_or_default();
    let primary_tag = tag.split(['-', '_']).next().unwrap_or_default();
    let exact = LANGUAGES.iter().find(|messages| messages.language.eq_ignore_ascii_case(tag));
    let by_primary = || {
        LANGUAGES
            .iter()
            .find(|messages| primary(messages.language).eq_ignore_ascii_case(primary_tag))
    };
    exact.or_else(by_primary).unwrap_or(&LANGUAGES[0])
}

/// Returns `true` if a tag names Chinese as written in Taiwan, Hong Kong and Macao.
fn is_traditional_chinese(tag: &str) -> bool {
    let mut parts = tag.split(['-', '_']);
    let primary = parts.next().unwrap_or_default();
    let is = |part: &str, names: &[&str]| names.iter().any(|name| name.eq_ignore_ascii_case(part));
    is(primary, &["yue"])
        || is(primary, &["zh"]) && parts.any(|part| is(part, &["hant", "tw", "hk", "mo"]))
}

/// Returns `true` if a tag names one of the two written forms of Norwegian.
fn is_norwegian(tag: &str) -> bool {
    let primary = tag.split(['-', '_']).next().unwrap_or_default();
    ["nb", "nn"].iter().any(|name| name.eq_ignore_ascii_case(primary))
}

impl Messages {
    /// Formats a day in UTC in the language's format.
    pub fn date(&self, at: Timestamp) -> String {
        let date = jiff::Timestamp::from_millisecond(at.millis())
            .unwrap_or(jiff::Timestamp::UNIX_EPOCH)
            .to_zoned(jiff::tz::TimeZone::UTC)
            .date();
        let month = date.month().unsigned_abs();
        self.text.day(date.year(), month, date.day().unsigned_abs()).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_use_the_format_of_the_language() {
        let at = Timestamp::from_millis(1_773_273_600_000);
        let check = |tag: &str, expect: &str| assert_eq!(messages(tag).date(at), expect, "{tag}");
        check("en", "12 March 2026");
        check("de-AT", "12. März 2026");
        check("es", "12 de marzo de 2026");
        check("pt-br", "12 de março de 2026");
        check("pl", "12 marca 2026");
        check("ru", "12 марта 2026 г.");
        check("zh_Hans", "2026年3月12日");
        check("ko", "2026년 3월 12일");
        check("nb", "12. mars 2026");
        check("fi", "12. maaliskuuta 2026");
        check("vi", "12 tháng 3, 2026");
        check("tlh", "12 March 2026");
    }

    #[test]
    fn a_tag_finds_the_nearest_language() {
        for (tag, expect) in [
            ("", "en"),
            ("en-GB", "en"),
            ("FR", "fr"),
            ("zh", "zh-CN"),
            ("zh-CN", "zh-CN"),
            ("zh-Hans-SG", "zh-CN"),
            ("zh-tw", "zh-TW"),
            ("zh_TW", "zh-TW"),
            ("zh-Hant-HK", "zh-TW"),
            ("yue", "zh-TW"),
            ("fa-AF", "fa"),
            ("nb-NO", "no"),
            ("nn", "no"),
            ("eng", "en"),
        ] {
            assert_eq!(messages(tag).language, expect, "{tag}");
        }
    }

    #[test]
    fn patterns_have_one_placeholder() {
        for messages in &LANGUAGES {
            let Messages { text, .. } = messages;
            for pattern in [
                messages.pages_in,
                messages.updated,
                messages.updated_by,
                messages.reading,
                messages.go_to,
                messages.made_with,
                messages.ask,
                messages.earlier,
                messages.more,
                text.show_lines,
                text.tab,
                text.note,
                text.bytes,
                text.kilobytes,
                text.megabytes,
                text.gigabytes,
            ] {
                assert_eq!(pattern.matches("{}").count(), 1, "{} {pattern}", messages.language);
            }
            assert_eq!(text.rating.matches("{}").count(), 2, "{}", messages.language);
            assert_eq!(text.months.split(' ').count(), 12, "{}", messages.language);
            for placeholder in ["{d}", "{m}", "{y}"] {
                assert_eq!(
                    text.date.matches(placeholder).count(),
                    1,
                    "{} {placeholder}",
                    messages.language
                );
            }
        }
    }

    #[test]
    fn every_message_is_translated() {
        let english = format!("{:?}", LANGUAGES[0]);
        let english: Vec<&str> = english.split('"').skip(1).step_by(2).collect();
        // English words that other languages use as well.
        let borrowed = [
            "Menu", "Prompt", "Danger", "Versions", "Pages", "Sections", "Note {}", "Send", "No",
            "Diagram", "Details",
        ];
        for messages in LANGUAGES.iter().skip(1) {
            let texts = format!("{messages:?}");
            let texts: Vec<&str> = texts.split('"').skip(1).step_by(2).collect();
            assert_eq!(texts.len(), english.len(), "{}", messages.language);
            for (text, english) in texts.iter().zip(&english) {
                assert!(!text.is_empty(), "{}: {english}", messages.language);
                let is_pattern = !english.replace("{}", "").contains(char::is_alphabetic);
                let is_unit = english.starts_with("{} ") && english.len() <= 8;
                let may_be = is_pattern || is_unit || english.starts_with("{d}");
                assert!(
                    text != english || may_be || borrowed.contains(english),
                    "{}: {english}",
                    messages.language
                );
            }
        }
    }
}
