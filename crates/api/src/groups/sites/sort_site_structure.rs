//! `sortSiteStructure`: moves an item of a site's structure.

use bindery_app::Context;
use bindery_app::access::{Action, Authorized};
use bindery_app::publishing::sites::SiteTarget;
use bindery_app::publishing::structure::{self, Item, Neighbours};
use bindery_model::{
    Error, Result, SiteExternalLinkId, SiteSectionGroupId, SiteSectionId, SiteSpaceId,
};
use bindery_wire::request::{SiteStructureItemPointer, SortSiteStructureBody};
use bindery_wire::values::SiteStructureItemPointerType;

use crate::call::Call;
use crate::groups::site_structure::view;
use crate::operation::{Operation, write};
use crate::reply::Reply;

pub(super) fn operation() -> Operation {
    write("sortSiteStructure", Action::ManageSite, run)
}

fn run(cx: &Context<'_>, site: &Authorized<SiteTarget>, call: &Call) -> Result<Reply> {
    let SortSiteStructureBody { item, position } = call.body()?;
    let item = pointed(item)?;
    let neighbours = Neighbours {
        before: position.before.map(pointed).transpose()?,
        after: position.after.map(pointed).transpose()?,
    };
    structure::sort(cx, site, item, neighbours)?;
    let item = view(cx, &site.0)?.item(item);
    Reply::json(200, &item.ok_or_else(|| Error::not_found("item"))?)
}

fn pointed(pointer: SiteStructureItemPointer) -> Result<Item> {
    let SiteStructureItemPointer { r#type, id } = pointer;
    let (item, noun) = match r#type {
        SiteStructureItemPointerType::SiteSpace => {
            (SiteSpaceId::parse(&id).map(Item::SiteSpace), "site space")
        }
        SiteStructureItemPointerType::SiteSection => {
            (SiteSectionId::parse(&id).map(Item::Section), "section")
        }
        SiteStructureItemPointerType::SiteSectionGroup => {
            (SiteSectionGroupId::parse(&id).map(Item::Group), "section group")
        }
        SiteStructureItemPointerType::SiteExternalLink => {
            (SiteExternalLinkId::parse(&id).map(Item::ExternalLink), "external link")
        }
    };
    item.ok_or_else(|| Error::not_found(noun))
}
