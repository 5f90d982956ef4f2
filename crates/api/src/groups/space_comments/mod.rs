//! Group `space-comments`: comments on a space. The handlers also serve change requests.

mod commenters;
pub(super) mod comments;
mod filter;
pub(super) mod replies;

pub(super) use commenters::list as list_commenters;

use bindery_app::access::Action;
use bindery_app::content::spaces::Space;
use bindery_app::review::rich_text::RichText;
use bindery_model::{Error, Result};
use bindery_wire::request::{Document, DocumentDocument, MarkdownDocument};

use crate::call::Call;
use crate::operation::{Operation, read, read_long, write};
use crate::present::BodyFormat;

pub(super) fn operations() -> Vec<Operation> {
    let (reads, says) = (Action::ReadSpace, Action::Comment);
    vec![
        read_long("listCommentsInSpace", reads, comments::list::<Space>),
        write("postCommentInSpace", says, comments::post::<Space>),
        read_long("getCommentInSpace", reads, comments::get::<Space>),
        write("updateCommentInSpace", says, comments::update::<Space>),
        write("deleteCommentInSpace", says, comments::delete::<Space>)
            .additional_action(Action::ModerateComments),
        write("postCommentReplyInSpace", says, replies::post::<Space>),
        read("getCommentReplyInSpace", reads, replies::get::<Space>),
        write("updateCommentReplyInSpace", says, replies::update::<Space>),
        write("deleteCommentReplyInSpace", says, replies::delete::<Space>)
            .additional_action(Action::ModerateComments),
        read("listCommentersInSpace", reads, commenters::list::<Space>),
    ]
}

/// Returns the requested format of comment bodies.
pub(super) fn format(call: &Call) -> BodyFormat {
    match call.query().text("format") {
        Some("markdown") => BodyFormat::Markdown,
        _ => BodyFormat::Document,
    }
}

/// Reads the text of a comment; `pointer` is its location in the request. The contract also allows
/// objects without text, which exist for empty pages; a comment needs a text.
pub(super) fn rich_text(pointer: &str, body: Document) -> Result<RichText> {
    match body {
        Document::MarkdownDocument(MarkdownDocument { markdown }) => {
            Ok(RichText::Markdown(markdown))
        }
        Document::Document(DocumentDocument { document }) => Ok(RichText::Document(document)),
        Document::Empty(_) | Document::Other(_) => Err(Error::invalid(format!(
            "body at {pointer}: found no text, allowed: {{\"markdown\": \"…\"}} or \
             {{\"document\": {{…}}}}"
        ))),
    }
}
