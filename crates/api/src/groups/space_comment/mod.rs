//! Group `space-comment`: the replies to one comment on a space.

use bindery_app::access::Action;
use bindery_app::content::spaces::Space;

use super::space_comments::replies;
use crate::operation::{Operation, read};

pub(super) fn operations() -> Vec<Operation> {
    vec![read("listCommentRepliesInSpace", Action::ReadSpace, replies::list::<Space>)]
}
