//! Reduces generated MathML to known elements and attributes.

use std::fmt::Write as _;

use crate::html::escape;

/// The elements that a formula may contain.
const MATHML_ELEMENTS: [&str; 28] = [
    "annotation",
    "math",
    "menclose",
    "merror",
    "mfrac",
    "mi",
    "mmultiscripts",
    "mn",
    "mo",
    "mover",
    "mpadded",
    "mphantom",
    "mprescripts",
    "mroot",
    "mrow",
    "ms",
    "mspace",
    "msqrt",
    "mstyle",
    "msub",
    "msubsup",
    "msup",
    "mtable",
    "mtd",
    "mtext",
    "mtr",
    "munder",
    "munderover",
];

/// The attributes that the elements may have. The content security policy of pages forbids style
/// attributes.
const MATHML_ATTRIBUTES: [&str; 28] = [
    "accent",
    "accentunder",
    "class",
    "columnalign",
    "columnspan",
    "depth",
    "display",
    "displaystyle",
    "fence",
    "form",
    "height",
    "largeop",
    "linethickness",
    "lspace",
    "mathsize",
    "mathvariant",
    "maxsize",
    "minsize",
    "movablelimits",
    "notation",
    "rowspan",
    "rspace",
    "scriptlevel",
    "separator",
    "stretchy",
    "symmetric",
    "voffset",
    "width",
];

/// Returns the MathML reduced to known elements, attributes and text, or `None` if it is not
/// balanced.
///
/// The crate that generates the MathML does not escape everything it takes from a formula; names of
/// functions, for example, are copied verbatim.
pub(super) fn sanitize(mathml: &str) -> Option<String> {
    let mut html = String::with_capacity(mathml.len());
    let mut open = Vec::new();
    let mut rest = mathml;
    while let Some(at) = rest.find(['<', '&', '>', '"']) {
        let (text, after) = rest.split_at_checked(at)?;
        html.push_str(text);
        if let Some(length) = ["&nbsp;", "&amp;", "&lt;", "&gt;"]
            .iter()
            .find_map(|entity| after.starts_with(entity).then_some(entity.len()))
        {
            html.push_str(after.get(..length)?);
            rest = after.get(length..)?;
        } else if let Some(tag) = tag(after) {
            match tag.kind {
                TagKind::Open => open.push(tag.name),
                TagKind::Close if open.pop() == Some(tag.name) => {}
                TagKind::Close => return None,
                TagKind::Empty => {}
            }
            html.push_str(&tag.written);
            rest = after.get(tag.length..)?;
        } else {
            let next = after.chars().next().map_or(0, char::len_utf8);
            escape(after.get(..next)?, &mut html);
            rest = after.get(next..)?;
        }
    }
    html.push_str(rest);
    open.is_empty().then_some(html)
}

#[derive(PartialEq, Eq)]
enum TagKind {
    Open,
    Close,
    Empty,
}

struct Tag<'t> {
    name: &'t str,
    kind: TagKind,
    /// The length of the tag in the input, in bytes.
    length: usize,
    /// The tag without forbidden attributes.
    written: String,
}

/// Parses the tag of a known element at the start of a text.
fn tag(text: &str) -> Option<Tag<'_>> {
    let inner = text.strip_prefix('<')?;
    let (inner, is_end) = inner.strip_prefix('/').map_or((inner, false), |inner| (inner, true));
    let end = inner.find(|c: char| !c.is_ascii_lowercase())?;
    let (name, mut rest) = inner.split_at_checked(end)?;
    MATHML_ELEMENTS.contains(&name).then_some(())?;
    let mut written = format!("<{}{name}", if is_end { "/" } else { "" });
    loop {
        // The crate does not separate all attributes by spaces.
        let attribute = rest.trim_start_matches(' ');
        if !attribute.starts_with(|c: char| c.is_ascii_lowercase()) {
            break;
        }
        let (key, value) = attribute.split_once("=\"")?;
        let (value, after) = value.split_once('"')?;
        if MATHML_ATTRIBUTES.contains(&key) {
            let _ = write!(written, " {key}=\"");
            escape(value, &mut written);
            written.push('"');
        }
        rest = after;
    }
    let (after, is_empty) = match rest.trim_start_matches(' ').strip_prefix("/>") {
        Some(after) => (after, true),
        None => (rest.strip_prefix('>')?, false),
    };
    written.push_str(if is_empty { "/>" } else { ">" });
    let kind = match (is_end, is_empty) {
        (true, _) => TagKind::Close,
        (false, true) => TagKind::Empty,
        (false, false) => TagKind::Open,
    };
    Some(Tag { name, kind, length: text.len() - after.len(), written })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_elements_are_rejected() {
        for (mathml, expect) in [
            ("<math><mi>x</mi></math>", Some("<math><mi>x</mi></math>")),
            (
                "<math><mi mathvariant=\"normal\" style=\"x\">x</mi></math>",
                Some("<math><mi mathvariant=\"normal\">x</mi></math>"),
            ),
            (
                "<math><mo form=\"x\"minsize=\"1em\">(</mo></math>",
                Some("<math><mo form=\"x\" minsize=\"1em\">(</mo></math>"),
            ),
            ("<math><mspace width=\"1em\" /></math>", Some("<math><mspace width=\"1em\"/></math>")),
            (
                "<math><mo><</mo>&nbsp;&lt;&x</math>",
                Some("<math><mo>&lt;</mo>&nbsp;&lt;&amp;x</math>"),
            ),
            (
                "<math><mi><img src=x onerror=y></mi></math>",
                Some("<math><mi>&lt;img src=x onerror=y&gt;</mi></math>"),
            ),
            ("<math><mi href=\"javascript:x\">x</mi></math>", Some("<math><mi>x</mi></math>")),
            ("<math><mi onclick=x>x</mi></math>", None),
            ("<math><mi></math></mi></math>", None),
            ("<math><mi></span></mi></math>", Some("<math><mi>&lt;/span&gt;</mi></math>")),
            ("<math>", None),
            ("<math><!-- x --></math>", Some("<math>&lt;!-- x --&gt;</math>")),
            ("<MATH></MATH>", Some("&lt;MATH&gt;&lt;/MATH&gt;")),
            ("<math class=\"a<b\"></math>", Some("<math class=\"a&lt;b\"></math>")),
        ] {
            assert_eq!(sanitize(mathml).as_deref(), expect, "{mathml}");
        }
    }
}
