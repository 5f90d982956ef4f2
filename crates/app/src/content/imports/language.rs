//! The language of an import: the stated one, or the one that its texts are written in.

use std::collections::HashMap;

use bindery_content::{summary, text};
use bindery_model::{LanguageTag, Result, Timestamp, UserId};
use bindery_revision::tree::Tree;
use bindery_revision::{Content, NavigationKind};
use bindery_store::spaces::Space;
use bindery_store::{Job, StoreError, Tx};
use serde::{Deserialize, Serialize};
use whatlang::{Lang, Script};

use crate::App;
use crate::content::snapshot::broken_object;
use crate::content::{documents, spaces};

/// Number of pages whose text is read, evenly spread over the content.
const PAGES: u64 = 40;
/// Number of bytes of a page that are read.
const PAGE_BYTES: usize = 4 << 10;
/// Minimum number of letters from which a language is detected.
const LETTERS: usize = 200;
/// Minimum number of letters in scripts whose letters are words or syllables.
const IDEOGRAPHS: usize = 60;
/// Minimum number of letters of a page that counts in the comparison of pages.
const PAGE_LETTERS: usize = 80;
/// The smallest share of the pages that must be in the language, in percent.
const MAJORITY: usize = 70;
/// Frequent characters of simplified Chinese that traditional Chinese writes differently.
const SIMPLIFIED: &str = "这个们来说时为国会发设应对过数据请问题网";
/// The same characters in traditional Chinese.
const TRADITIONAL: &str = "這個們來說時為國會發設應對過數據請問題網";

/// The language that an import gives to its space.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum ImportLanguage {
    /// The caller stated it; it replaces that of the space.
    Stated(LanguageTag),
    /// It was detected; it applies if the space has no language.
    Detected(LanguageTag),
}

impl ImportLanguage {
    /// Returns the language of an import. Without a stated one, it is detected from the content,
    /// unless the space has a language.
    pub(super) fn of(
        app: &App,
        stated: Option<&str>,
        space: &Space,
        content: &Content,
    ) -> Result<Option<Self>> {
        if let Some(tag) = Self::stated(stated) {
            return Ok(Some(tag));
        }
        if space.language.is_some() {
            return Ok(None);
        }
        Ok(detect(&sample(app, content)?).map(Self::Detected))
    }

    /// Returns the language that the payload of a job states.
    pub(super) fn stated(tag: Option<&str>) -> Option<Self> {
        tag.and_then(|tag| LanguageTag::parse(tag).ok()).map(Self::Stated)
    }

    /// Gives the language to the space.
    pub(super) fn apply(
        &self,
        tx: &Tx<'_>,
        space: &Space,
        actor: Option<UserId>,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        match self {
            Self::Detected(_) if space.language.is_some() => Ok(()),
            Self::Stated(tag) | Self::Detected(tag) => {
                spaces::set_language(tx, space, tag, actor, now)
            }
        }
    }
}

/// A folder of a repository with the content in one language.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct LanguageFolder {
    /// The name of the language, for readers.
    pub title: String,
    /// The code of the emoji before the name.
    pub emoji: Option<String>,
    /// The path from the root of the repository.
    pub directory: String,
    /// The tag of the language, if the name of the folder is one.
    pub tag: Option<String>,
}

/// Maximum number of folders of languages that a job lists.
const MAX_FOLDERS: usize = 200;

/// Returns folders of languages as they are stored with a job; `None` if there are none.
pub(super) fn folders_to_json(folders: &[summary::LanguageFolder]) -> Option<String> {
    let of = |one: &summary::LanguageFolder| LanguageFolder {
        title: one.title.clone(),
        emoji: one.emoji.clone(),
        directory: one.folder.clone(),
        tag: folder_tag(&one.folder).map(|tag| tag.to_string()),
    };
    let folders: Vec<_> = folders.iter().take(MAX_FOLDERS).map(of).collect();
    (!folders.is_empty()).then(|| serde_json::to_string(&folders).ok()).flatten()
}

/// Returns the folders of languages that are stored with a job.
pub fn folders_of_job(job: &Job) -> Vec<LanguageFolder> {
    job.languages.as_deref().and_then(|json| serde_json::from_str(json).ok()).unwrap_or_default()
}

/// Returns the language that the last part of a folder's path names: `docs/pt_BR` has `pt-BR`.
pub fn folder_tag(folder: &str) -> Option<LanguageTag> {
    let name = folder.rsplit('/').next().unwrap_or_default();
    LanguageTag::parse(&name.replace('_', "-")).ok()
}

/// Returns the prose at the start of some pages.
fn sample(app: &App, content: &Content) -> Result<Vec<String>> {
    let objects = app.store.objects();
    let tree = Tree::new(content, &objects);
    let stride = content.pages.len().div_ceil(PAGES).max(1);
    let mut texts = Vec::new();
    for (number, child) in (0_u64..).zip(tree.walk()) {
        let child = child.map_err(broken_object)?;
        let is_document = matches!(child.entry.kind, NavigationKind::Document);
        if !number.is_multiple_of(stride) || !is_document {
            continue;
        }
        let page = content.page(&objects, child.id).map_err(broken_object)?;
        let Some(body) = page.and_then(|page| page.body) else { continue };
        let parsed = documents::parse_start(app, &objects, None, &body, PAGE_BYTES)?;
        texts.push(text::prose(&parsed.document));
    }
    Ok(texts)
}

fn count_letters(text: &str) -> usize {
    text.chars().filter(|char| char.is_alphabetic()).count()
}

/// Returns the language in which most of the texts are written; `None` if that is not certain.
fn detect(texts: &[String]) -> Option<LanguageTag> {
    let whole = texts.join("\n");
    let found = whatlang::detect(&whole).filter(whatlang::Info::is_reliable)?;
    let letters = count_letters(&whole);
    let is_dense = matches!(
        found.script(),
        Script::Mandarin | Script::Hiragana | Script::Katakana | Script::Hangul
    );
    if letters < if is_dense { IDEOGRAPHS } else { LETTERS } {
        return None;
    }
    let mut votes: HashMap<Lang, usize> = HashMap::new();
    for text in texts.iter().filter(|text| count_letters(text) >= PAGE_LETTERS) {
        if let Some(vote) = whatlang::detect(text) {
            *votes.entry(vote.lang()).or_default() += 1;
        }
    }
    let total: usize = votes.values().sum();
    let own = votes.get(&found.lang()).copied().unwrap_or_default();
    if own * 100 < total * MAJORITY {
        return None;
    }
    tag_of(found.lang(), &whole)
}

/// Returns the shortest tag of a language; `None` for languages that are not written in manuals, but
/// resemble lists of names and terms.
#[rustfmt::skip]
fn tag_of(lang: Lang, text: &str) -> Option<LanguageTag> {
    let tag = match lang {
        Lang::Epo | Lang::Lat => return None,
        Lang::Cmn => {
            let count = |set: &str| text.chars().filter(|char| set.contains(*char)).count();
            if count(TRADITIONAL) > count(SIMPLIFIED) { "zh-Hant" } else { "zh-Hans" }
        }
        Lang::Afr => "af", Lang::Aka => "ak", Lang::Amh => "am", Lang::Ara => "ar",
        Lang::Aze => "az", Lang::Bel => "be", Lang::Ben => "bn", Lang::Bul => "bg",
        Lang::Cat => "ca", Lang::Ces => "cs", Lang::Dan => "da", Lang::Deu => "de",
        Lang::Ell => "el", Lang::Eng => "en", Lang::Est => "et", Lang::Fin => "fi",
        Lang::Fra => "fr", Lang::Guj => "gu", Lang::Heb => "he", Lang::Hin => "hi",
        Lang::Hrv => "hr", Lang::Hun => "hu", Lang::Hye => "hy", Lang::Ind => "id",
        Lang::Ita => "it", Lang::Jav => "jv", Lang::Jpn => "ja", Lang::Kan => "kn",
        Lang::Kat => "ka", Lang::Khm => "km", Lang::Kor => "ko", Lang::Lav => "lv",
        Lang::Lit => "lt", Lang::Mal => "ml", Lang::Mar => "mr", Lang::Mkd => "mk",
        Lang::Mya => "my", Lang::Nep => "ne", Lang::Nld => "nl", Lang::Nob => "nb",
        Lang::Ori => "or", Lang::Pan => "pa", Lang::Pes => "fa", Lang::Pol => "pl",
        Lang::Por => "pt", Lang::Ron => "ro", Lang::Rus => "ru", Lang::Sin => "si",
        Lang::Slk => "sk", Lang::Slv => "sl", Lang::Sna => "sn", Lang::Spa => "es",
        Lang::Srp => "sr", Lang::Swe => "sv", Lang::Tam => "ta", Lang::Tel => "te",
        Lang::Tgl => "tl", Lang::Tha => "th", Lang::Tuk => "tk", Lang::Tur => "tr",
        Lang::Ukr => "uk", Lang::Urd => "ur", Lang::Uzb => "uz", Lang::Vie => "vi",
        Lang::Yid => "yi", Lang::Zul => "zu",
        other => other.code(),
    };
    LanguageTag::parse(tag).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const ENGLISH: &str = "This chapter explains how the program is installed and started. You \
        need an account and a token before you continue. The settings are described in the \
        reference, where each of them has an example. If something does not work, read the log of the \
        server.";
    const GERMAN: &str = "Dieses Kapitel erklärt, wie das Programm installiert und gestartet wird. \
        Sie brauchen ein Konto und einen Schlüssel, bevor Sie fortfahren. Die Einstellungen sind \
        in der Referenz beschrieben, wo es zu jeder von ihnen ein Beispiel gibt. Wenn etwas nicht \
        funktioniert, lesen Sie das Protokoll des Servers.";
    const PERSIAN: &str = "این فصل توضیح می‌دهد که برنامه چگونه نصب و اجرا می‌شود. پیش از ادامه به \
        یک حساب کاربری و یک کلید نیاز دارید. تنظیمات در مرجع شرح داده شده‌اند و هر کدام یک مثال \
        دارند. اگر چیزی کار نکرد، گزارش سرور را بخوانید و دوباره تلاش کنید. این راهنما برای همه \
        کسانی است که می‌خواهند برنامه را یاد بگیرند.";
    const SIMPLIFIED_CHINESE: &str = "这个章节说明如何安装和启动程序。请先创建账户和令牌。所有设置都在\
        参考中描述，每个设置都有一个例子。如果出现问题，请阅读服务器的日志，然后再试一次。";
    const TRADITIONAL_CHINESE: &str = "這個章節說明如何安裝和啟動程式。請先建立帳戶和權杖。所有設定都在\
        參考中描述，每個設定都有一個例子。如果出現問題，請閱讀伺服器的日誌，然後再試一次。";

    fn found(texts: &[&str]) -> Option<String> {
        let texts: Vec<String> = texts.iter().map(|text| (*text).to_owned()).collect();
        detect(&texts).map(|tag| tag.to_string())
    }

    #[test]
    fn languages_are_detected() {
        for (text, tag) in [
            (ENGLISH, "en"),
            (GERMAN, "de"),
            (PERSIAN, "fa"),
            (SIMPLIFIED_CHINESE, "zh-Hans"),
            (TRADITIONAL_CHINESE, "zh-Hant"),
        ] {
            assert_eq!(found(&[text]).as_deref(), Some(tag));
            assert_eq!(found(&[text, text, "", "Install"]).as_deref(), Some(tag));
        }
    }

    #[test]
    fn uncertain_languages_are_not_detected() {
        for texts in [
            &[][..],
            &[""],
            &["Introduction"],
            &["v1 v2 v3 GET POST /v1/users 200 404 application/json null true"],
            &[ENGLISH, GERMAN],
            &[ENGLISH, ENGLISH, GERMAN, SIMPLIFIED_CHINESE],
        ] {
            assert_eq!(found(texts), None, "{texts:?}");
        }
    }

    #[test]
    fn every_known_language_has_a_tag() {
        for lang in Lang::all() {
            let tag = tag_of(*lang, "");
            assert!(tag.is_some() || matches!(lang, Lang::Epo | Lang::Lat), "{lang:?}");
        }
    }
}
