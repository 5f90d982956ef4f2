//! Documents as the editor of the browser application has them, and the steps that change them.
//!
//! Several people write one page at once: each browser sends [`Step`]s for the document that it
//! knows, the server puts them in an order, and [`rebase()`] adapts those that are late. A step says
//! what it changes by positions, which count the characters of texts in units of UTF-16 and the
//! beginning and the end of each node. Documents, steps and their JSON are those of ProseMirror with
//! the schema of `web/src/editor/schema.ts`; a step is refused if the document after it would not
//! be one of this schema.
//!
//! # Example
//!
//! ```
//! use bindery_steps::{Node, Step, rebase};
//! use serde_json::json;
//!
//! let doc = Node::from_json(&json!({
//!     "type": "doc",
//!     "content": [{ "type": "paragraph", "content": [{ "type": "text", "text": "one" }] }],
//! }))?;
//! let insert = |at: usize, text: &str| {
//!     Step::from_json(&json!({
//!         "stepType": "replace", "from": at, "to": at,
//!         "slice": { "content": [{ "type": "text", "text": text }] },
//!     }))
//! };
//! let first = insert(4, " two")?;
//! let doc = first.apply(&doc)?;
//! let (late, doc) = rebase(&[insert(4, "!")?], &[first], &doc);
//! assert_eq!(late, [insert(8, "!")?]);
//! assert_eq!(doc.text_content(), "one two!");
//! # Ok::<(), bindery_steps::Error>(())
//! ```

mod codec;
mod error;
mod json;
mod map;
mod merge;
mod node;
mod position;
mod rebase;
mod replace;
mod schema;
mod step;
mod text;

pub use error::{Error, Result};
pub use merge::{Difference, Merged};
pub use node::Node;
pub use rebase::rebase;
pub use step::Step;

/// Maximum number of nodes within each other.
const MAX_DEPTH: usize = 60;
/// Maximum number of positions in a document.
const MAX_SIZE: usize = 1 << 23;
/// Maximum number of changes of marks in one step.
const MAX_MARK_CHANGES: usize = 10_000;
