//! Group `change-request-content`: the reads of `space-content`, on the content of a change
//! request.

pub(super) mod changes;
mod update_change_request_content;

pub(super) use update_change_request_content::{render_changes, warnings};

use bindery_app::access::Action;
use bindery_app::content::spaces::Space;
use bindery_app::review::change_requests::ChangeRequestTarget;
use bindery_model::{Result, RevisionId};

use super::space_content::{
    HasContent, changes as semantic_changes, files, pages, reusable_contents, revisions,
};
use crate::call::Call;
use crate::operation::{Operation, read_long};

pub(super) fn operations() -> Vec<Operation> {
    type Target = ChangeRequestTarget;
    let action = Action::ReadSpace;
    vec![
        update_change_request_content::operation(),
        read_long("getRevisionOfChangeRequestById", action, revisions::run::<Target>),
        read_long("getChangeRequestChanges", action, semantic_changes::of_change_request),
        read_long("listPagesInChangeRequest", action, pages::list::<Target>),
        read_long("getPageInChangeRequestById", action, pages::by_id::<Target>),
        read_long("getPageInChangeRequestByPath", action, pages::by_path::<Target>),
        read_long("listChangeRequestPageMetaLinks", action, pages::meta_links::<Target>),
        read_long("listFilesInChangeRequestById", action, files::list::<Target>),
        read_long("getFileInChangeRequestById", action, files::by_id::<Target>),
        read_long(
            "getReusableContentInChangeRequestById",
            action,
            reusable_contents::by_id::<Target>,
        ),
    ]
}

impl HasContent for ChangeRequestTarget {
    fn space(&self) -> &Space {
        &self.space
    }

    fn revision(&self, _: &Call) -> Result<RevisionId> {
        Ok(self.change_request.head)
    }
}
