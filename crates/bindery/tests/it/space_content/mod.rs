//! Content of spaces: navigation, fields of pages, lists, Markdown, PDF, references and conditions.

mod conditions;
mod link_warnings;
mod navigation;
mod page_fields;
mod page_lists;
mod page_markdown;
mod pdf;
mod problems;
mod references;
