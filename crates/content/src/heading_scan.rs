//! Finds anchors in a source without building its document. The scan understands simple headings only
//! and leaves out everything that it is not sure of.

use std::collections::HashSet;

use crate::document::Identity;
use crate::document::complete::is_anchor;
use crate::markdown::NODE_LIMIT;
use crate::slug;

/// Parts of a source whose content can look like headings. A source with one of them is not scanned.
const OPAQUE: [&str; 9] =
    ["<!", "<?", "<pre", "<script", "<style", "<textarea", "<svg", "$$", "\r"];

/// Tags of the dialect whose content consists of blocks, and tags without content.
const TAGS: [&str; 12] = [
    "code",
    "column",
    "columns",
    "content-ref",
    "embed",
    "file",
    "hint",
    "include",
    "step",
    "stepper",
    "tab",
    "tabs",
];

/// Returns anchors of headings in a body. Each of them is an anchor of the document of the body,
/// which can have others.
///
/// For example, `## Set up\n\n## Own <a id="kept"></a>\n` yields `set-up` and `kept`.
#[must_use]
pub fn heading_anchors(body: &str, identity: &Identity) -> HashSet<String> {
    let mut anchors = HashSet::new();
    if body.len() > NODE_LIMIT || identity.has_anchors() || is_opaque(body) {
        return anchors;
    }
    let mut fence: Option<&str> = None;
    let mut is_after_blank = true;
    for line in body.split('\n') {
        let trimmed = line.trim();
        match (fence, fence_marks(line)) {
            (None, Some(marks)) => fence = Some(marks),
            (Some(open), Some(marks)) if trimmed.len() == marks.trim().len() => {
                // Otherwise it depends on the blocks around the code whether it ends here.
                if marks != open {
                    return HashSet::new();
                }
                fence = None;
            }
            (Some(_), _) => {}
            (None, None) if !is_understood(trimmed) => return HashSet::new(),
            (None, None) if is_after_blank => anchors.extend(heading_anchor(line)),
            (None, None) => {}
        }
        is_after_blank = trimmed.is_empty();
    }
    anchors
}

fn is_opaque(body: &str) -> bool {
    let body = body.to_ascii_lowercase();
    OPAQUE.iter().any(|part| memchr::memmem::find(body.as_bytes(), part.as_bytes()).is_some())
}

/// Returns the beginning of a line, up to the marks with which code between fences begins or ends.
/// The code can be in a list or a quote.
fn fence_marks(line: &str) -> Option<&str> {
    let is_marker = |c: char| c.is_ascii_digit() || " \t>-*+.)".contains(c);
    let rest = line.trim_start_matches(is_marker);
    let info = ["```", "~~~"].into_iter().find_map(|marks| {
        let mark = marks.get(..1)?;
        let info = rest.strip_prefix(marks)?.trim_start_matches(mark);
        // Between backticks, code of one line begins in the same way.
        (mark == "~" || !info.contains(mark)).then_some(info)
    })?;
    line.get(..line.len() - info.len())
}

/// Returns `true` if the line is certain not to begin a block that would contain headings as text.
fn is_understood(trimmed: &str) -> bool {
    let tag = trimmed.strip_prefix("{%");
    let rest = tag.unwrap_or(trimmed);
    if rest.contains("{%") || rest.contains("<table") && !rest.contains("</table>") {
        return false;
    }
    let Some(tag) = tag else { return true };
    let name = tag.split_whitespace().next().unwrap_or_default();
    trimmed.ends_with("%}") && TAGS.contains(&name.strip_prefix("end").unwrap_or(name))
}

/// Returns the anchor of a line that is a simple heading.
fn heading_anchor(line: &str) -> Option<String> {
    let text = line.trim_start_matches('#');
    let level = line.len() - text.len();
    let text = text.strip_prefix(' ').filter(|_| (1..=6).contains(&level))?.trim();
    match text.strip_suffix("</a>") {
        Some(own) => own_anchor(own),
        None => Some(slug::anchor(text)).filter(|slug| !slug.is_empty() && is_plain(text)),
    }
}

/// Returns the id of an empty `<a>` at the end of a heading, given without its end tag.
fn own_anchor(text: &str) -> Option<String> {
    let (before, tag) = text.split_once("<a ")?;
    let tag = tag.strip_suffix("\">")?;
    let id = match tag.strip_prefix("href=\"#") {
        Some(href) => href.split_once("\" id=\"").filter(|(href, id)| href == id)?.1,
        None => tag.strip_prefix("id=\"")?,
    };
    (is_anchor(id) && is_plain(before.trim())).then(|| id.to_owned())
}

/// Returns `true` if a text has no marks of Markdown, HTML or the dialect.
fn is_plain(text: &str) -> bool {
    let is_plain_char = |c: char| c.is_alphanumeric() || " ,.-–—()?/'’\"“”+%;…".contains(c);
    // A colon or an ampersand between letters can begin a name of an emoji or a character.
    let mut words = text.split(' ');
    let is_plain_word = |word: &str| {
        word == "&" || word.strip_suffix(':').unwrap_or(word).chars().all(is_plain_char)
    };
    words.all(is_plain_word) && !text.contains("www.")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::arbitrary::{self, PAGE_PATH, World};
    use crate::print::{PrintContext, print};
    use crate::{AnchorIndex, Page};

    const PRINT: PrintContext<'static> =
        PrintContext { path: PAGE_PATH, lookup: &World, names: &World };

    /// Rejects an anchor that the document of the body does not have.
    fn check_body(body: &str, identity: &Identity) -> usize {
        let found = heading_anchors(body, identity);
        if found.is_empty() {
            return 0;
        }
        let context = crate::ParseContext { path: "a.md", lookup: &crate::reference::NoLookup };
        let index = AnchorIndex::of(&crate::markdown::parse_as(body, &context, identity));
        for anchor in &found {
            assert_eq!(index.resolve(anchor), Some(anchor.as_str()), "{anchor} in {body}");
        }
        found.len()
    }

    fn anchors(body: &str) -> Vec<String> {
        check_body(body, &Identity::default());
        let mut found: Vec<String> =
            heading_anchors(body, &Identity::default()).into_iter().collect();
        found.sort();
        found
    }

    #[test]
    fn simple_headings_are_found() {
        let check = |body: &str, expected: &[&str]| assert_eq!(anchors(body), expected, "{body}");
        check("## Set up\n\nText\n\n### Q & A: part 1.2?\n", &["q-and-a-part-1.2", "set-up"]);
        check("## Own <a id=\"kept\"></a>\n", &["kept"]);
        check("## Own <a href=\"#kept\" id=\"kept\"></a>\n", &["kept"]);
        check("## Own <a href=\"#other\" id=\"kept\"></a>\n", &[]);
        check("## 1. Привет\n", &["id-1.-privet"]);
        check("## `code`\n\n## a_b\n\n## :smile:\n\n## Plain\n", &["plain"]);
        check("Text\n## After text\n\n    ## Code\n\n> ## Quote\n", &[]);
        check("```\n\n## Code\n\n```\n\n## Heading\n", &["heading"]);
        check("- ```\n\n  ## Code\n\n  ```\n\n## Heading\n", &[]);
        check("{% hint style=\"info\" %}\n\n## Hint\n\n{% endhint %}\n", &["hint"]);
        check("{% swagger method=\"get\" %}\n\n## Hidden\n\n{% endswagger %}\n", &[]);
        check("<!--\n\n## Comment\n\n-->\n", &[]);
        check("<pre>\n\n## Code\n\n</pre>\n", &[]);
        check("$$\n\n## Formula\n\n$$\n", &[]);
        check("~~~\n\n## Code\n\n```\n\n## More\n\n~~~\n\n## Heading\n", &[]);
    }

    #[test]
    fn anchors_of_real_pages_exist() {
        let folders = crate::corpus::repositories();
        let files = folders.iter().flat_map(|folder| crate::corpus::files(folder));
        let pages = files.filter(|path| path.extension().is_some_and(|ext| ext == "md"));
        let sources = pages.filter_map(|path| std::fs::read_to_string(path).ok());
        let found: usize = sources
            .map(|source| {
                let body = Page::split(&source).body.of(&source);
                check_body(body, &Identity::default())
            })
            .sum();
        assert!(folders.is_empty() || found > 1000, "{found}");
    }

    proptest! {
        #[test]
        fn anchors_of_any_page_exist(
            documents in prop::collection::vec(arbitrary::document(), 1..4),
            headings in prop::collection::vec("#{1,3} [a-c ]{1,4}", 3),
        ) {
            let parts = documents.iter().map(|document| print(document, &PRINT)).zip(headings);
            let body: String = parts.map(|(text, heading)| format!("{text}\n{heading}\n")).collect();
            check_body(&body, &Identity::default());
        }

        #[test]
        fn anchors_of_any_lines_exist(
            lines in prop::collection::vec(
                prop::sample::select(vec![
                    "# a", "## a", "## b c", "## a <a id=\"d\"></a>", "", "", "```", "~~~", "````",
                    "```js", "- ```", "  ```", "> ```", "> ## a", "- ## a", "text", "    ## a", "- x",
                    "{% hint style=\"info\" %}", "{% endhint %}", "{% tabs %}", "{% endtabs %}",
                    "{% tab title=\"T\" %}", "{% endtab %}", "{% code %}", "{% endcode %}",
                    "{% openapi %}", "{% endopenapi %}", "<details>", "<summary>S</summary>",
                    "</details>", "<div>", "</div>", "<table>", "</table>", "<pre>", "</pre>",
                    "<table><tr><td>x</td></tr></table>", "<!--", "-->", "$$", "``` x `", "[a]: b",
                    "[^1]: note", "| a | b |", "|---|---|", "==", "--", "<p align=\"center\">", "</p>",
                    "<ul><li>", "</li></ul>", "<figure>", "</figure>", "* * *", "\\", "`", "``",
                ]),
                1..14,
            ),
        ) {
            check_body(&lines.join("\n"), &Identity::default());
        }
    }
}
