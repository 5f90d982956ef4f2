//! `getContentByUrl`: returns the content at an address.

use bindery_app::Context;
use bindery_app::access::{Action, Authorized, Loaded, SignedIn, load_target};
use bindery_app::content::collections::{self, Collection};
use bindery_app::content::snapshot::broken_object;
use bindery_app::content::spaces::{Space, VisibleSpace};
use bindery_app::publishing::resolve::{ContentAddress, content_at};
use bindery_app::review::change_requests::{self, ChangeRequestTarget};
use bindery_model::{Error, Result};
use bindery_revision::tree::Tree;
use serde_json::{Value, json};

use crate::call::Call;
use crate::groups::space_content::LoadedRevision;
use crate::operation::{Operation, read_long};
use crate::present;
use crate::reply::Reply;

pub(super) fn operations() -> Vec<Operation> {
    vec![read_long("getContentByUrl", Action::ActAsSelf, run)]
}

fn run(cx: &Context<'_>, _: &Authorized<SignedIn>, call: &Call) -> Result<Reply> {
    let absent = || Error::not_found("content at this address");
    let url = call.query().text("url").unwrap_or_default();
    match content_at(cx, url)?.ok_or_else(absent)? {
        ContentAddress::Collection(id) => {
            let found = load_target::<Collection>(cx.tx, cx.caller, &id)?;
            let Some(Loaded { target, role: Some(_) }) = found else { return Err(absent()) };
            let seen = collections::seen(cx, target)?;
            Reply::json(200, &json!({ "collection": present::collection(cx.app, seen) }))
        }
        ContentAddress::Space { space, change_request, path } => {
            let found = load_target::<Space>(cx.tx, cx.caller, &space)?;
            let Some(Loaded { target: space, role: Some(role) }) = found else {
                return Err(absent());
            };
            if space.deleted_at.is_some() {
                return Err(absent());
            }
            let proposed = match change_request {
                Some(key) => {
                    let key = (space.id, key);
                    let found = load_target::<ChangeRequestTarget>(cx.tx, cx.caller, &key)?;
                    Some(found.ok_or_else(absent)?.target.change_request)
                }
                None => None,
            };
            let revision = proposed.as_ref().map_or(space.head, |proposed| proposed.head);
            let mut body = json!({
                "space": present::one_space(cx, VisibleSpace { space: space.clone(), role })?,
            });
            let mut add = |name: &str, value: Value| {
                if let Some(fields) = body.as_object_mut() {
                    fields.insert(name.to_owned(), value);
                }
            };
            if let Some(proposed) = proposed {
                let view = change_requests::view(cx.tx, proposed)?;
                add("changeRequest", to_value(&present::change_request(cx.app, view)?)?);
            }
            if !path.is_empty() {
                let loaded = LoadedRevision::at(cx, &space, call, revision)?;
                let view = loaded.view();
                let content = &view.presented.snapshot.revision.content;
                let tree = Tree::new(content, view.objects);
                let page = tree.by_path(&path).map_err(broken_object)?.ok_or_else(absent)?;
                add("page", to_value(&present::page(&view, page)?)?);
            }
            Reply::json(200, &body)
        }
    }
}

fn to_value(value: &impl serde::Serialize) -> Result<Value> {
    serde_json::to_value(value)
        .map_err(|error| Error::internal(format!("a response is not JSON: {error}")))
}
