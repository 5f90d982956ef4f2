//! Rich text of comments and replies. Requests send it as Markdown or as a document; it is stored
//! as the JSON of the document.

use std::collections::HashMap;

use bindery_content::Document;
use bindery_content::document::{Block, BlockKind, Inline, InlineKind, Leaf, Visit};
use bindery_content::document::{Reference, ReferenceRole};
use bindery_content::markdown;
use bindery_content::print::{self, PrintContext};
use bindery_content::reference::{ContentRef, NoLookup, ParseContext};
use bindery_model::{Error, FieldPath, Result, UserId};
use serde_json::{Map, Value};

use crate::content::documents;
use crate::content::texts::{NOWHERE, Paths};

/// Maximum length of a text, in bytes of its document's JSON: about ten thousand words.
const MAX_BYTES: usize = 256 << 10;

/// A text as the request gives it.
#[derive(Clone, PartialEq, Debug)]
pub enum RichText {
    /// Markdown of the supported dialect.
    Markdown(String),
    /// A document in the API contract's JSON form.
    Document(Value),
}

/// Checks a text and returns the JSON to store. `pointer` is its JSON pointer in the request.
///
/// # Errors
/// Returns 400 with the location of the mistake if the document is invalid, and 400 if the text is
/// empty or too long.
pub fn store(pointer: impl Into<FieldPath>, text: &RichText) -> Result<String> {
    let pointer = pointer.into();
    let document = match text {
        RichText::Document(sent) => documents::written(&pointer.field("document"), sent)?,
        RichText::Markdown(source) => {
            if source.len() > MAX_BYTES {
                return Err(too_long(&pointer.field("markdown"), source.len()));
            }
            markdown::parse(source, &ParseContext { path: NOWHERE, lookup: &NoLookup })
        }
    };
    if !has_visible_content(&document) {
        return Err(
            Error::invalid("found an empty text, allowed: one with visible content").at(pointer)
        );
    }
    let json = match text {
        RichText::Document(sent) => to_json(&document, sent)?,
        RichText::Markdown(_) => documents::to_json(&document)?,
    };
    if json.len() > MAX_BYTES {
        return Err(too_long(&pointer, json.len()));
    }
    Ok(json)
}

/// Returns the JSON of a document that was parsed from `sent`. Keeps the parts of `sent` that the
/// document model does not have: additional properties of its data, and the keys and unknown data
/// of its blocks.
pub(crate) fn to_json(document: &Document, sent: &Value) -> Result<String> {
    let not_json = |error| Error::internal(format!("a document is not JSON: {error}"));
    let mut json = serde_json::to_value(document).map_err(not_json)?;
    add_additional(&mut json, sent);
    serde_json::to_string(&json).map_err(not_json)
}

/// Adds the additional properties of `sent` to a node and its descendants.
fn add_additional(node: &mut Value, sent: &Value) {
    let (Value::Object(node), Value::Object(sent)) = (node, sent) else { return };
    let kind = |map: &Map<String, Value>| [map.get("object").cloned(), map.get("type").cloned()];
    if kind(node) != kind(sent) {
        return;
    }
    if let Some(key @ Value::String(_)) = sent.get("key") {
        node.insert("key".to_owned(), key.clone());
    }
    if let Some(Value::Object(additional)) = sent.get("data") {
        let data = node.entry("data").or_insert_with(|| Value::Object(Map::new()));
        if let Value::Object(data) = data {
            for (name, value) in additional {
                data.entry(name.as_str()).or_insert_with(|| value.clone());
            }
            if let Some(version @ Value::Number(_)) = additional.get("schemaVersion") {
                data.insert("schemaVersion".to_owned(), version.clone());
            }
        }
    }
    for name in ["nodes", "fragments"] {
        if let (Some(Value::Array(nodes)), Some(Value::Array(sent))) =
            (node.get_mut(name), sent.get(name))
            && nodes.len() == sent.len()
        {
            nodes.iter_mut().zip(sent).for_each(|(node, sent)| add_additional(node, sent));
        }
    }
}

fn too_long(pointer: &FieldPath, bytes: usize) -> Error {
    Error::invalid(format!(
        "found a text of {bytes} bytes as a document, allowed: up to {MAX_BYTES}"
    ))
    .at(pointer)
}

fn stored_document(stored: &str) -> Result<Document> {
    let value = serde_json::from_str(stored)
        .map_err(|error| Error::internal(format!("a stored text is not JSON: {error}")))?;
    documents::written(&FieldPath::default(), &value)
        .map_err(|error| Error::internal(format!("a stored text is not a document: {error}")))
}

/// Renders a stored text as Markdown.
///
/// # Errors
/// Returns an internal error if the stored JSON is not a valid document, which is a defect.
pub fn markdown(stored: &str) -> Result<String> {
    let document = stored_document(stored)?;
    let names = Paths::default();
    let context = PrintContext { path: NOWHERE, lookup: &NoLookup, names: &names };
    Ok(print::print(&document, &context))
}

/// Returns the users whom a stored text mentions, in order, without duplicates.
///
/// # Errors
/// Returns an internal error if the stored JSON is not a valid document, which is a defect.
pub(crate) fn mentioned(stored: &str) -> Result<Vec<UserId>> {
    #[derive(Default)]
    struct Mentioned(Vec<UserId>);
    impl<'d> Visit<'d> for Mentioned {
        fn reference(&mut self, reference: &'d Reference, _: ReferenceRole) {
            let user = user_of(reference).filter(|user| !self.0.contains(user));
            self.0.extend(user);
        }
    }
    let mut mentioned = Mentioned::default();
    stored_document(stored)?.walk(&mut mentioned);
    Ok(mentioned.0)
}

fn user_of(reference: &Reference) -> Option<UserId> {
    match &reference.target {
        ContentRef::User { user } => UserId::parse(user),
        _ => None,
    }
}

/// Returns the beginning of a stored text in one line without formatting. `names` are the names of
/// the users whom it mentions.
///
/// # Errors
/// Returns an internal error if the stored JSON is not a valid document, which is a defect.
pub(crate) fn excerpt(
    stored: &str,
    names: &HashMap<UserId, String>,
    max_chars: usize,
) -> Result<String> {
    struct Words<'n> {
        text: String,
        names: &'n HashMap<UserId, String>,
    }
    impl<'d> Visit<'d> for Words<'_> {
        fn end_block(&mut self, _: &'d Block) {
            self.text.push(' ');
        }
        fn reference(&mut self, reference: &'d Reference, role: ReferenceRole) {
            let name = user_of(reference).and_then(|user| self.names.get(&user));
            if let (ReferenceRole::Mention, Some(name)) = (role, name) {
                self.text.push_str(&format!("@{name}"));
            }
        }
        fn leaf(&mut self, leaf: &'d Leaf) {
            if !leaf.is_markup {
                self.text.push_str(&leaf.text);
            }
        }
        fn plain(&mut self, text: &'d str) {
            self.text.push_str(text);
            self.text.push(' ');
        }
        fn label(&mut self, text: &'d str) {
            self.text.push_str(text);
        }
    }
    let mut words = Words { text: String::new(), names };
    stored_document(stored)?.walk(&mut words);
    let line = words.text.split_whitespace().collect::<Vec<_>>().join(" ");
    Ok(match line.char_indices().nth(max_chars) {
        None => line,
        Some(_) => line.chars().take(max_chars.saturating_sub(1)).chain(['…']).collect(),
    })
}

/// Returns `true` if a document has anything that readers see.
fn has_visible_content(document: &Document) -> bool {
    #[derive(Default)]
    struct Visible(bool);
    impl Visible {
        fn text(&mut self, text: &str) {
            self.0 = self.0 || !text.trim().is_empty();
        }
    }
    impl<'d> Visit<'d> for Visible {
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
        fn reference(&mut self, _: &'d Reference, role: ReferenceRole) {
            // A link without text is invisible.
            self.0 = self.0 || role != ReferenceRole::Link;
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
    let mut visible = Visible::default();
    document.walk(&mut visible);
    visible.0
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn stored(markdown: &str) -> Result<String> {
        store("/body", &RichText::Markdown(markdown.to_owned()))
    }

    #[test]
    fn a_stored_text_renders_as_the_same_markdown() {
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
    fn mentioned_users_and_an_excerpt_are_read() {
        let (ann, bob) = ("a".repeat(20), "b".repeat(20));
        let link = |id: &str| format!("[x](https://app.gitbook.com/u/{id} \"mention\")");
        let text = format!(
            "Hello {ann}, **look** at\n\n* this\n* `code`\n\n{bob} and {ann} and {other}",
            ann = link(&ann),
            bob = link(&bob),
            other = link("nobody"),
        );
        let text = stored(&text).unwrap();
        let users: Vec<_> = mentioned(&text).unwrap();
        let [ann, bob] = [ann, bob].map(|id| UserId::parse(&id).unwrap());
        assert_eq!(users, [ann, bob]);
        let names = HashMap::from([(ann, "Ann Lee".to_owned())]);
        let read = |chars| excerpt(&text, &names, chars).unwrap();
        assert_eq!(read(200), "Hello @Ann Lee, look at this code and @Ann Lee and");
        assert_eq!(read(10), "Hello @An…");
    }

    #[test]
    fn additional_properties_of_a_document_are_kept() {
        let sent = json!({
            "object": "document",
            "data": { "schemaVersion": 3, "editor": { "theme": "dark" } },
            "nodes": [
                {
                    "object": "block", "type": "paragraph", "key": "my-key",
                    "data": { "align": "center", "mood": [1, { "a": null }] },
                    "nodes": [{ "object": "text", "leaves": [{ "object": "leaf", "text": "x", "marks": [] }] }]
                },
                {
                    "object": "block", "type": "hint", "data": { "style": "info", "shape": "round" },
                    "nodes": [{
                        "object": "block", "type": "paragraph", "key": "k", "data": { "n": 1.5 },
                        "nodes": [{ "object": "text", "leaves": [{ "object": "leaf", "text": "y", "marks": [] }] }]
                    }]
                },
                {
                    "object": "block", "type": "integration",
                    "data": { "integration": "a", "block": "b", "props": { "n": 1, "o": {} } }
                }
            ]
        });
        let stored = store("/body", &RichText::Document(sent.clone())).unwrap();
        let read: Value = serde_json::from_str(&stored).unwrap();
        for pointer in [
            "/data/schemaVersion",
            "/data/editor",
            "/nodes/0/key",
            "/nodes/0/data",
            "/nodes/1/data",
            "/nodes/1/nodes/0/key",
            "/nodes/1/nodes/0/data",
            "/nodes/2/data/props",
        ] {
            assert_eq!(read.pointer(pointer), sent.pointer(pointer), "{pointer}");
        }
        // The text still renders as Markdown, and storing it again changes nothing.
        assert!(markdown(&stored).unwrap().contains('x'));
        assert_eq!(store("/body", &RichText::Document(read)).unwrap(), stored);
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
    fn long_texts_and_invalid_documents_are_refused_with_their_location() {
        let error = stored(&"x ".repeat(MAX_BYTES)).unwrap_err();
        assert!(error.message().contains("/body/markdown"), "{error}");
        let error = stored(&"*a* ".repeat(MAX_BYTES / 8)).unwrap_err();
        assert!(error.message().contains("/body: found a text of"), "{error}");
        let wrong = json!({ "object": "document", "data": {}, "nodes": [{ "object": "inline" }] });
        let error = store("/body", &RichText::Document(wrong)).unwrap_err();
        assert!(error.message().contains("/body/document/nodes/0"), "{error}");
    }
}
