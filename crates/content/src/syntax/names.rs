//! The names of the elements of HTML, SVG and MathML.
//!
//! A tag with any other name is text: documentation is full of placeholders such as `<host>` and of
//! types such as `List<String>`.

use std::collections::HashSet;
use std::sync::LazyLock;

use super::markup::OpenTag;

/// The elements of HTML, with the obsolete ones, in lower case.
const HTML: &str = "a abbr acronym address applet area article aside audio b base basefont bdi bdo \
    bgsound big blink blockquote body br button canvas caption center cite code col colgroup data \
    datalist dd del details dfn dialog dir div dl dt em embed fencedframe fieldset figcaption \
    figure font footer form frame frameset h1 h2 h3 h4 h5 h6 head header hgroup hr html i iframe \
    img input ins isindex kbd keygen label legend li link listing main map mark marquee math menu \
    menuitem meta meter multicol nav nextid nobr noembed noframes noscript object ol optgroup \
    option output p param picture plaintext portal pre progress q rb rbc rp rt rtc ruby s samp \
    script search section select selectedcontent slot small source spacer span strike strong style \
    sub summary sup svg table tbody td template textarea tfoot th thead time title tr track tt u \
    ul var video wbr xmp";

/// The elements of SVG and MathML, in lower case, whose names are not words of prose.
const GRAPHICS: &str = "animatemotion animatetransform clippath defs desc ellipse feblend \
    fecolormatrix fecomponenttransfer fecomposite feconvolvematrix fediffuselighting \
    fedisplacementmap fedistantlight fedropshadow feflood fefunca fefuncb fefuncg fefuncr \
    fegaussianblur feimage femerge femergenode femorphology feoffset fepointlight \
    fespecularlighting fespotlight fetile feturbulence foreignobject g glyphref hkern \
    lineargradient mpath polygon polyline radialgradient rect textpath tref tspan vkern annotation-xml \
    maction maligngroup malignmark menclose merror mfenced mfrac mi mlabeledtr mmultiscripts mn mo \
    mover mpadded mphantom mprescripts mroot mrow ms mspace msqrt mstack mstyle msub msubsup msup \
    mtable mtd mtext mtr munder munderover semantics";

/// The elements of SVG and MathML, in lower case, whose names are also words. They are elements
/// only beside others.
const WORDS: &str = "animate annotation circle cursor discard filter font-face glyph image line \
    marker mask metadata missing-glyph none path pattern set stop switch symbol text use view";

/// The elements of the structure of a page, whose tags do nothing within a line of text.
const STRUCTURE: &str = "address applet area article aside audio base body canvas caption col \
    colgroup datalist dd dialog div dl dt embed fieldset figcaption figure footer form frame \
    frameset h1 h2 h3 h4 h5 h6 head header html iframe img input label legend li link main map \
    math menu meta meter nav noscript object ol optgroup option output param progress script \
    search section select slot style svg table tbody td template textarea tfoot th thead title \
    tr track ul video";

fn set(names: &'static str) -> HashSet<&'static str> {
    names.split_whitespace().collect()
}

static HTML_NAMES: LazyLock<HashSet<&str>> = LazyLock::new(|| set(HTML));
static GRAPHICS_NAMES: LazyLock<HashSet<&str>> = LazyLock::new(|| set(GRAPHICS));
static WORD_NAMES: LazyLock<HashSet<&str>> = LazyLock::new(|| set(WORDS));
static STRUCTURE_NAMES: LazyLock<HashSet<&str>> = LazyLock::new(|| set(STRUCTURE));

/// Length of the longest name, in bytes.
const MAX_NAME_BYTES: usize = 19;

fn is_in(names: &HashSet<&str>, name: &str) -> bool {
    if name.len() > MAX_NAME_BYTES {
        return false;
    }
    names.contains(name) || names.contains(name.to_ascii_lowercase().as_str())
}

/// Returns `true` if HTML has an element of this name, in any letter case.
pub(crate) fn is_html_name(name: &str) -> bool {
    is_in(&HTML_NAMES, name)
}

/// Returns `true` if the element of this name, in lower case, belongs to the structure of a page.
pub(crate) fn is_structure_name(name: &str) -> bool {
    STRUCTURE_NAMES.contains(name)
}

/// Returns `true` if HTML, SVG or MathML have an element of this name. A word such as `path` is a
/// name only in a text that [contains graphics](has_graphics).
pub(crate) fn is_known_name(name: &str, has_graphics: bool) -> bool {
    is_html_name(name) || is_in(&GRAPHICS_NAMES, name) || has_graphics && is_in(&WORD_NAMES, name)
}

/// Returns `true` if the tag has a known name. A word such as `path` is one in a text that
/// [contains graphics](has_graphics), and in a tag whose attributes have values.
pub(crate) fn is_known(tag: &OpenTag<'_>, has_graphics: bool) -> bool {
    is_known_name(tag.name, has_graphics || tag.has_values())
}

/// Returns `true` if a text contains a tag of an `svg` or `math` element.
pub(crate) fn has_graphics(text: &str) -> bool {
    memchr::memchr_iter(b'<', text.as_bytes()).any(|at| {
        let after = text.get(at + 1..).unwrap_or_default();
        let name = super::markup::name(after.strip_prefix('/').unwrap_or(after));
        name.eq_ignore_ascii_case("svg") || name.eq_ignore_ascii_case("math")
    })
}

#[cfg(test)]
mod tests {
    use super::super::markup::{Token, tokens};

    #[test]
    fn tags_with_unknown_names_are_text() {
        for (source, expected) in [
            ("<b>x</b>", "<b|'x|/b"),
            ("<host>:<port>", "'<host>|':|'<port>"),
            ("List<String></String>", "'List|'<String>|'</String>"),
            ("<SPAN x=y><x-y z=\"a\"/>", "<SPAN|'<x-y z=\"a\"/>"),
            ("cd <path>", "'cd |'<path>"),
            ("<path d=\"M\"/><svg/>", "<path|<svg"),
            ("<svg><path></path></svg>", "<svg|<path|/path|/svg"),
            ("<mrow><mi>x</mi></mrow>", "<mrow|<mi|'x|/mi|/mrow"),
            ("<text x=\"1\">", "<text"),
            ("<annotation-xml-and-more>", "'<annotation-xml-and-more>"),
        ] {
            let shown: Vec<String> = tokens(source)
                .map(|(token, span)| match token {
                    Token::Open(tag) => format!("<{}", tag.name),
                    Token::Close(name) => format!("/{name}"),
                    Token::Text(_) => format!("'{}", span.of(source)),
                    Token::Comment => "!".to_owned(),
                })
                .collect();
            assert_eq!(shown.join("|"), expected, "{source}");
        }
    }
}
