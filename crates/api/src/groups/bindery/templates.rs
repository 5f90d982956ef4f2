//! `listTemplates`: the templates for spaces and change requests.

use bindery_app::access::{Action, Authorized, SignedIn};
use bindery_app::{Context, content::templates};
use bindery_model::Result;
use bindery_wire::response::{ListTemplatesResponse, Template, TemplateParam};

use crate::call::Call;
use crate::operation::{Operation, read};
use crate::reply::Reply;

pub(super) fn operation() -> Operation {
    read("listTemplates", Action::ActAsSelf, run)
}

fn run(cx: &Context<'_>, _: &Authorized<SignedIn>, _: &Call) -> Result<Reply> {
    let items = templates::list(cx)?.into_iter().map(|listed| {
        let templates::TemplateSummary { id, title, description, params, space } = listed;
        let params = params.into_iter().map(|templates::Param { name, description }| {
            TemplateParam { name: name.to_owned(), description: description.to_owned() }
        });
        let (params, space) = (params.collect(), space.map(|space| space.to_string()));
        Template { id, title, description, params, space }
    });
    Reply::json(200, &ListTemplatesResponse { items: items.collect() })
}
