//! Texts that people write about something: comments and replies. They come as Markdown or as a
//! document, and are stored once, as the JSON of the document.

use bindery_content::Document;
use bindery_content::document::{Block, BlockKind, Inline, InlineKind, Leaf, Visit};
use bindery_content::document::{Holder, Reference};
use bindery_content::markdown::{self, ParseContext};
use bindery_content::print::{self, PrintContext};
use bindery_content::reference::NoLookup;
use bindery_model::{Error, Result};
use serde_json::Value;

use crate::documents;
use crate::texts::{NOWHERE, Paths};

/// The longest text, in bytes of its document's JSON: some ten thousand words.
const LONGEST: usize = 256 << 10;

/// A text as it came.
#[derive(Clone, PartialEq, Debug)]
pub enum RichText {
    /// Markdown of the dialect.
    Markdown(String),
    /// A document, as the contract's JSON.
    Document(Value),
}

/// Checks a text and gives what is stored of it. `pointer` names it in the request.
///
/// # Errors
/// A mistake with its place, a text that says nothing, or one that is too long.
pub fn store(pointer: &str, text: &RichText) -> Result<String> {
    let document = match text {
        RichText::Document(document) => {
            documents::written(&format!("{pointer}/document"), document)?
        }
        RichText::Markdown(source) => {
            if source.len() > LONGEST {
                return Err(too_long(&format!("{pointer}/markdown"), source.len()));
            }
            markdown::parse(source, &ParseContext { path: NOWHERE, lookup: &NoLookup })
        }
    };
    if !says_something(&document) {
        return Err(Error::invalid(format!(
            "body at {pointer}: found an empty text, allowed: one that says something"
        )));
    }
    let json = documents::to_json(&document)?;
    if json.len() > LONGEST {
        return Err(too_long(pointer, json.len()));
    }
    Ok(json)
}

fn too_long(pointer: &str, bytes: usize) -> Error {
    Error::invalid(format!(
        "body at {pointer}: found a text of {bytes} bytes as a document, allowed: up to {LONGEST}"
    ))
}

/// A stored text as Markdown.
///
/// # Errors
/// When it cannot be read, which is a defect.
pub fn markdown(stored: &str) -> Result<String> {
    let value = serde_json::from_str(stored)
        .map_err(|error| Error::internal(format!("a stored text is not JSON: {error}")))?;
    let document = documents::written("", &value)
        .map_err(|error| Error::internal(format!("a stored text is no document: {error}")))?;
    let names = Paths::default();
    let context = PrintContext { path: NOWHERE, lookup: &NoLookup, names: &names };
    Ok(print::print(&document, &context))
}

/// Whether readers see anything of a document.
fn says_something(document: &Document) -> bool {
    #[derive(Default)]
    struct Look(bool);
    impl Look {
        fn text(&mut self, text: &str) {
            self.0 = self.0 || !text.trim().is_empty();
        }
    }
    impl<'d> Visit<'d> for Look {
        fn block(&mut self, block: &'d Block) {
            self.0 = self.0
                || matches!(
                    block.kind,
                    BlockKind::Math { .. }
                        | BlockKind::Divider
                        | BlockKind::Embed(_)
                        | BlockKind::Integration(_)
                );
        }
        fn inline(&mut self, inline: &'d Inline) {
            self.0 = self.0
                || matches!(
                    inline.kind,
                    InlineKind::Emoji { .. }
                        | InlineKind::Icon(_)
                        | InlineKind::Expression { .. }
                        | InlineKind::Math { .. }
                );
        }
        fn reference(&mut self, _: &'d Reference, holder: Holder) {
            // A link without words shows nothing.
            self.0 = self.0 || holder != Holder::Link;
        }
        fn leaf(&mut self, leaf: &'d Leaf) {
            if !leaf.is_markup {
                self.text(&leaf.text);
            }
        }
        fn plain(&mut self, text: &'d str) {
            self.text(text);
        }
        fn label(&mut self, text: &'d str) {
            self.text(text);
        }
        fn number(&mut self, _: f64) {
            self.0 = true;
        }
    }
    let mut look = Look::default();
    document.walk(&mut look);
    look.0
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn stored(markdown: &str) -> Result<String> {
        store("/body", &RichText::Markdown(markdown.to_owned()))
    }

    #[test]
    fn what_was_stored_comes_back_as_markdown() {
        for text in [
            "Some *words* and `code`.\n",
            "# A title\n\n* one\n* two\n",
            "A [link](https://example.com) :tada:\n",
            "```js\nlet a = 1;\n```\n",
            "{% hint style=\"info\" %}\nLook here.\n{% endhint %}\n",
            "![](https://example.com/a.png)\n",
            "| a | b |\n| - | - |\n| 1 | 2 |\n",
        ] {
            let first = stored(text).unwrap();
            let printed = markdown(&first).unwrap();
            let again = stored(&printed).unwrap();
            assert_eq!(markdown(&again).unwrap(), printed, "{text}");
        }
        assert_eq!(markdown(&stored("Some *words*.").unwrap()).unwrap().trim(), "Some _words_.");
    }

    #[test]
    fn empty_texts_are_refused() {
        for text in ["", " \n\t", "<!-- nothing -->", "[](https://example.com)", ">", "# "] {
            let error = stored(text).unwrap_err();
            assert!(error.message().contains("/body: found an empty text"), "{text:?}: {error}");
        }
        for text in ["x", "---", ":tada:", "$$x$$", "![](https://example.com/a.png)"] {
            assert!(stored(text).is_ok(), "{text:?}");
        }
    }

    #[test]
    fn long_texts_and_wrong_documents_are_refused_with_their_place() {
        let error = stored(&"x ".repeat(LONGEST)).unwrap_err();
        assert!(error.message().contains("/body/markdown"), "{error}");
        let error = stored(&"*a* ".repeat(LONGEST / 8)).unwrap_err();
        assert!(error.message().contains("/body: found a text of"), "{error}");
        let wrong = json!({ "object": "document", "data": {}, "nodes": [{ "object": "inline" }] });
        let error = store("/body", &RichText::Document(wrong)).unwrap_err();
        assert!(error.message().contains("/body/document/nodes/0"), "{error}");
    }
}
