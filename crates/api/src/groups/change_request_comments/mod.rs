//! Group `change-request-comments`: the operations of `space-comments`, on a change request.

use bindery_app::access::Action;
use bindery_app::review::change_requests::ChangeRequestTarget;

use super::space_comments::{comments, list_commenters, replies};
use crate::operation::{Operation, read, read_long, write};

pub(super) fn operations() -> Vec<Operation> {
    type Target = ChangeRequestTarget;
    let (reads, says) = (Action::ReadSpace, Action::Comment);
    vec![
        read_long("listCommentsInChangeRequest", reads, comments::list::<Target>),
        write("postCommentInChangeRequest", says, comments::post::<Target>),
        read_long("getCommentInChangeRequest", reads, comments::get::<Target>),
        write("updateCommentInChangeRequest", says, comments::update::<Target>),
        write("deleteCommentInChangeRequest", says, comments::delete::<Target>)
            .additional_action(Action::ModerateComments),
        read("listCommentRepliesInChangeRequest", reads, replies::list::<Target>),
        write("postCommentReplyInChangeRequest", says, replies::post::<Target>),
        read("getCommentReplyInChangeRequest", reads, replies::get::<Target>),
        write("updateCommentReplyInChangeRequest", says, replies::update::<Target>),
        write("deleteCommentReplyInChangeRequest", says, replies::delete::<Target>)
            .additional_action(Action::ModerateComments),
        read("listCommentersInChangeRequest", reads, list_commenters::<Target>),
    ]
}
