//! Translates rendered pages to the source of a PDF.
//!
//! The input of a page is the HTML that `bindery_content::html` writes for readers, so a PDF shows
//! what the page shows: the same conditions, included contents, notes, formulas and highlighting.
//! The output is Typst source in code mode, which calls the functions of [`TEMPLATE`]. Text of
//! authors occurs in it only as string literals. The crate does not contain the typesetter, and it
//! performs no I/O except in [`folder`], by which the server and the typesetter exchange files, and
//! in [`system_fonts`], which lists the fonts of the machine.
//!
//! # Example
//!
//! ```
//! use bindery_paper::{PageInput, page};
//!
//! let input = PageInput { key: "p1", level: 1, title: "Start", ..PageInput::default() };
//! let written = page(&PageInput { html: "<p>Read <em>this</em>.</p>", ..input });
//! assert!(written.source.contains(r#"par({"Read ";emph({"this";});".";});"#));
//! ```

pub mod folder;
mod html;
mod source;
pub mod system_fonts;
#[cfg(test)]
mod tests;
mod write;

use std::collections::BTreeSet;

use source::{Source, is_right_to_left};
use write::Writer;

/// The definitions that the source of pages imports as `/template.typ`. They import `/facts.typ`,
/// which [`facts`] writes.
pub const TEMPLATE: &str = include_str!("template.typ");
/// Prefix of addresses of pages within the PDF: the key of the page, and `#` with an anchor.
pub const PAGE_SCHEME: &str = "x-page:";
/// Prefix of addresses of files of the content: the id of the file.
pub const FILE_SCHEME: &str = "x-file:";
/// The version of the source and of its look. PDFs that other versions made are not reused.
pub const VERSION: u32 = 2;
/// Maximum level in the outline.
const LEVEL_LIMIT: u8 = 12;

/// A page to translate.
#[derive(Debug, Clone, Copy, Default)]
pub struct PageInput<'p> {
    /// The key of the page, by which links name it.
    pub key: &'p str,
    /// The level of the page in the outline: 1 for a page at the top.
    pub level: u8,
    /// The title.
    pub title: &'p str,
    /// The description, if the page shows it.
    pub description: Option<&'p str>,
    /// The HTML of the text, with links to `PAGE_SCHEME` and files at `FILE_SCHEME`.
    pub html: &'p str,
    /// `true` if text in the document's language runs from right to left.
    pub is_rtl: bool,
    /// The address with which those of files begin, followed by the id of the file; `None` if
    /// readers cannot open files.
    pub files: Option<&'p str>,
}

/// The source of a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageSource {
    /// The source, a code block.
    pub source: String,
    /// The ids of the files that it shows as images.
    pub images: BTreeSet<String>,
}

/// Translates a page.
#[must_use]
pub fn page(input: &PageInput<'_>) -> PageSource {
    let PageInput { key, level, html, is_rtl, files, .. } = *input;
    let level = level.clamp(1, LEVEL_LIMIT);
    let mut writer = Writer::new(key, level, is_rtl, files);
    title_of(&mut writer.to, input, level);
    writer.page(html::parse(html));
    let Writer { to, images, .. } = writer;
    PageSource { source: format!("#{{{}}}\n", to.into_string()), images }
}

fn title_of(to: &mut Source, input: &PageInput<'_>, level: u8) {
    to.code("T(");
    to.number(level);
    to.code(",{");
    to.words(input.title);
    to.code("},A(");
    to.string(input.key);
    to.code("),");
    match input.description {
        Some(description) => {
            to.code("{");
            to.words(description);
            to.code("}");
        }
        None => to.code("none"),
    }
    to.code(match is_right_to_left(input.title).filter(|is_rtl| *is_rtl != input.is_rtl) {
        Some(true) => ",dir:std.rtl);",
        Some(false) => ",dir:std.ltr);",
        None => ");",
    });
}

/// Returns `true` if text in a language of BCP 47 runs from right to left.
#[must_use]
pub fn is_right_to_left_language(language: &str) -> bool {
    let primary = language.split(['-', '_']).next().unwrap_or_default();
    ["ar", "ckb", "dv", "fa", "he", "ps", "sd", "ug", "ur", "yi"]
        .iter()
        .any(|known| known.eq_ignore_ascii_case(primary))
}

/// Returns the start of the source of a chapter, in a language of BCP 47.
#[must_use]
pub fn chapter_start(language: &str) -> String {
    let mut to = Source::default();
    to.code("#import \"/template.typ\": *\n#show: setup.with(lang:");
    let mut parts = language.split(['-', '_']);
    let is_letters = |part: &&str| part.chars().all(|c| c.is_ascii_alphabetic());
    let primary = parts.next().filter(|part| (2..=3).contains(&part.len())).filter(is_letters);
    to.string(&primary.unwrap_or("en").to_ascii_lowercase());
    let region = parts.next_back().filter(|part| part.len() == 2).filter(is_letters);
    if let Some(region) = region {
        to.code(",region:");
        to.string(&region.to_ascii_uppercase());
    }
    to.code(")\n");
    to.into_string()
}

/// The size of an image in pixels.
#[derive(Debug, Clone, PartialEq)]
pub struct ImageFact {
    /// The id of the file.
    pub id: String,
    /// The path at which the typesetter finds it.
    pub path: String,
    /// The width.
    pub width: f64,
    /// The height.
    pub height: f64,
}

/// Facts about the typesetter, which the template imports.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Facts {
    /// The images that can be shown.
    pub images: Vec<ImageFact>,
    /// `true` if a font has emojis.
    pub has_emoji: bool,
    /// The families of fonts for text, in order of preference.
    pub body_fonts: Vec<String>,
    /// The families of fonts for code, in order of preference.
    pub code_fonts: Vec<String>,
}

/// Returns the source of `/facts.typ`.
#[must_use]
pub fn facts(facts: &Facts) -> String {
    let Facts { images, has_emoji, body_fonts, code_fonts } = facts;
    let mut to = Source::default();
    to.code("#let images=(:");
    if !images.is_empty() {
        to.truncate(to.len() - 1);
    }
    for ImageFact { id, path, width, height } in images {
        to.string(id);
        to.code(":(path:");
        to.string(path);
        to.number(format_args!(",width:{:.3},height:{:.3}),", width.max(1.0), height.max(1.0)));
    }
    to.number(format_args!(")\n#let has-emoji={has_emoji}\n"));
    for (name, fonts) in [("body-fonts", body_fonts), ("code-fonts", code_fonts)] {
        to.number(format_args!("#let {name}=("));
        for font in fonts {
            to.string(&font.to_lowercase());
            to.code(",");
        }
        to.code(")\n");
    }
    to.into_string()
}

/// An entry of the table of contents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ContentsEntry<'e> {
    /// The level, 1 or more.
    pub level: u8,
    /// The title.
    pub title: &'e str,
    /// The key of the page.
    pub key: &'e str,
    /// The number of the page.
    pub number: usize,
}

/// Returns the source of the first pages: a title page and a table of contents.
#[must_use]
pub fn front(title: &str, subtitle: &str, contents: &[ContentsEntry<'_>]) -> String {
    let mut to = Source::default();
    to.code("#title-page({");
    to.words(title);
    to.code("},{");
    to.words(subtitle);
    to.code("})\n#{");
    for ContentsEntry { level, title, key, number } in contents {
        to.code("contents-entry(");
        to.number((*level).clamp(1, LEVEL_LIMIT));
        to.code(",{");
        to.words(title);
        to.code("},");
        to.string(&format!("{PAGE_SCHEME}{key}"));
        to.number(format_args!(",{number});"));
    }
    to.code("}\n");
    to.into_string()
}

/// Returns the source of the lines at the foot of pages: a page for each, numbered from `first` on.
#[must_use]
pub fn feet(title: &str, first: usize, count: usize, width: f64) -> String {
    let mut to = Source::default();
    to.number(format_args!("#feet({width:.3}pt,{{"));
    to.words(title);
    to.number(format_args!("}},{first},{count})\n"));
    to.into_string()
}
