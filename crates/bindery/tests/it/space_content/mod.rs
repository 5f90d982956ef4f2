//! Content of spaces: fields of pages, lists, Markdown, references and conditions.

pub(crate) mod conditions;
pub(crate) mod link_warnings;
pub(crate) mod page_fields;
pub(crate) mod page_lists;
pub(crate) mod page_markdown;
pub(crate) mod references;
