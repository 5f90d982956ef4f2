//! The known languages: their names, words, comments and quotes.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::lines::Format;
use super::tokens::Class;

mod families;
mod tables;

use tables::SPECS;

/// The scanner of a language.
#[derive(Clone, Copy, Debug)]
pub(super) enum Kind {
    /// The scanner of programming languages.
    Code(&'static Language),
    /// The scanner of style sheets.
    Css,
    /// The scanner of HTML and XML.
    Markup,
    /// A scanner for line-based formats.
    Lines(Format),
}

/// A kind of string.
#[derive(PartialEq, Eq, Debug)]
pub(super) struct Quote {
    pub(super) open: &'static str,
    pub(super) close: &'static str,
    /// The escape character.
    pub(super) escape: Option<char>,
    /// `true` if the string can span several lines.
    pub(super) multiline: bool,
    /// `true` if a doubled closing quote is part of the string.
    pub(super) doubled: bool,
    /// The text that begins an interpolation.
    pub(super) interpolation: Option<&'static str>,
    /// `true` if the literal is a regular expression.
    pub(super) is_pattern: bool,
}

impl Quote {
    const fn new(open: &'static str, close: &'static str) -> Self {
        Self {
            open,
            close,
            escape: Some('\\'),
            multiline: false,
            doubled: false,
            interpolation: None,
            is_pattern: false,
        }
    }

    const fn multiline(mut self) -> Self {
        self.multiline = true;
        self
    }

    const fn raw(mut self) -> Self {
        self.escape = None;
        self
    }

    const fn doubled(mut self) -> Self {
        self.escape = None;
        self.doubled = true;
        self
    }

    const fn with(mut self, interpolation: &'static str) -> Self {
        self.interpolation = Some(interpolation);
        self
    }
}

/// The table of a programming language.
#[derive(Debug)]
pub(super) struct Spec {
    /// The names, of which the first is the language's own.
    pub(super) names: &'static str,
    pub(super) keywords: &'static str,
    pub(super) types: &'static str,
    pub(super) constants: &'static str,
    pub(super) functions: &'static str,
    pub(super) line_comments: &'static [&'static str],
    /// Words that make the line a comment if it begins with them.
    pub(super) first_comments: &'static [&'static str],
    pub(super) block_comments: &'static [(&'static str, &'static str)],
    pub(super) nested_comments: bool,
    /// `true` if comments begin only after white space.
    pub(super) comments_apart: bool,
    /// The kinds of strings, longest quotes first.
    pub(super) quotes: &'static [Quote],
    /// The texts that begin a here document.
    pub(super) here_documents: &'static [&'static str],
    /// The prefixes of strings, in lower case.
    pub(super) prefixes: &'static [&'static str],
    /// The characters with which names of variables begin.
    pub(super) sigils: &'static str,
    /// The characters of words other than letters, digits and `_`.
    pub(super) extra_word: &'static str,
    /// `true` if `@word` is an annotation.
    pub(super) annotations: bool,
    /// `true` if lines that begin with `#` are directives.
    pub(super) preprocessor: bool,
    /// `true` if `'word` is a lifetime.
    pub(super) lifetimes: bool,
    /// `true` if `/…/` is a regular expression where a value is expected.
    pub(super) regexes: bool,
    /// `true` if `<word` is a tag where a value is expected.
    pub(super) tags: bool,
    /// `true` if `word(` is a call.
    pub(super) calls: bool,
    /// `true` if `word!` is a call.
    pub(super) macros: bool,
    /// `true` if words in upper case are types.
    pub(super) upper_types: bool,
    /// `true` if `word:` is a key.
    pub(super) colon_keys: bool,
    /// `true` if strings before `:` are keys.
    pub(super) keys: bool,
    /// `true` if the first word of a list is a function.
    pub(super) list_heads: bool,
    /// `true` for the language of a shell.
    pub(super) shell: bool,
    /// `true` if words are case-insensitive.
    pub(super) ignore_case: bool,
}

/// A language with an index of its words.
#[derive(Debug)]
pub(super) struct Language {
    pub(super) spec: &'static Spec,
    words: HashMap<&'static str, Class>,
}

/// Maximum length of a word of a language.
const WORD_LIMIT: usize = 32;

impl Language {
    fn new(spec: &'static Spec) -> Self {
        let words = [
            (spec.functions, Class::Function),
            (spec.types, Class::Type),
            (spec.constants, Class::Number),
            (spec.keywords, Class::Keyword),
        ];
        let words = words.into_iter();
        let words =
            words.flat_map(|(list, class)| list.split_whitespace().map(move |w| (w, class)));
        Self { spec, words: words.collect() }
    }

    /// Returns the class of a word that the language defines.
    pub(super) fn class(&self, word: &str) -> Option<Class> {
        if word.len() > WORD_LIMIT {
            return None;
        }
        if self.spec.ignore_case {
            return self.words.get(word.to_ascii_lowercase().as_str()).copied();
        }
        self.words.get(word).copied()
    }

    /// Returns the class of the name that follows a keyword.
    pub(super) fn expected_after(&self, keyword: &str) -> Option<Class> {
        match keyword.to_ascii_lowercase().as_str() {
            "class" | "struct" | "enum" | "interface" | "trait" | "record" | "protocol"
            | "extends" | "implements" | "message" | "contract" | "defmodule" => Some(Class::Type),
            "function" | "def" | "fn" | "func" | "fun" | "sub" | "defp" | "procedure" | "proc"
            | "macro" => Some(Class::Function),
            _ => None,
        }
    }
}

static LANGUAGES: LazyLock<Vec<Language>> =
    LazyLock::new(|| SPECS.iter().map(Language::new).collect());

static BY_NAME: LazyLock<HashMap<&'static str, &'static Language>> = LazyLock::new(|| {
    let names = |language: &'static Language| {
        language.spec.names.split_whitespace().map(move |name| (name, language))
    };
    LANGUAGES.iter().flat_map(names).collect()
});

/// Names of languages with other scanners.
const OTHER_LANGUAGES: [(&str, Kind); 7] = [
    ("css scss less sass postcss stylus", Kind::Css),
    (
        "html markup htm xhtml xml svg rss atom plist xsl xslt xsd wsdl pom csproj vue vue-html \
         svelte astro liquid jinja jinja2 twig django handlebars hbs mustache ejs erb nunjucks \
         cshtml razor blade jsp asp aspx fxml xaml mathml kml",
        Kind::Markup,
    ),
    (
        "ini toml properties env dotenv conf cfg config editorconfig gitconfig systemd service \
         desktop npmrc tf-vars hpkp",
        Kind::Lines(Format::Settings),
    ),
    ("yaml yml docker-compose compose openapi ansible k8s helm", Kind::Lines(Format::Yaml)),
    ("diff patch udiff", Kind::Lines(Format::Patch)),
    ("http https rest request", Kind::Lines(Format::Http)),
    ("markdown md mdx mkd rmd gitbook", Kind::Lines(Format::Markdown)),
];

/// Returns the scanner for the language with this name.
pub(super) fn find(name: &str) -> Option<Kind> {
    if name.len() > WORD_LIMIT {
        return None;
    }
    let name = name.to_ascii_lowercase();
    let other =
        OTHER_LANGUAGES.iter().find(|(names, _)| names.split_whitespace().any(|one| one == name));
    match other {
        Some((_, kind)) => Some(*kind),
        None => BY_NAME.get(name.as_str()).copied().map(Kind::Code),
    }
}

fn code(name: &str) -> Option<&'static Language> {
    BY_NAME.get(name).copied()
}

/// Returns the language of scripts in HTML.
pub(super) fn javascript() -> Option<&'static Language> {
    code("javascript")
}

/// Returns the JSON language.
pub(super) fn json() -> Option<&'static Language> {
    code("json")
}

/// Returns the language of values in settings and YAML.
pub(super) fn values() -> Option<&'static Language> {
    code("\0values")
}

/// Returns the first name of every language.
#[cfg(test)]
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    let others = OTHER_LANGUAGES.iter().map(|(names, _)| *names);
    let names = others.chain(SPECS.iter().map(|spec| spec.names));
    names.filter_map(|names| names.split_whitespace().next())
}
