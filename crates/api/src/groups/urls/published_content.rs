//! `resolvePublishedContentByUrl`, `getPublishedContentByUrl`: find the published content at an
//! address.

use std::sync::Arc;

use bindery_app::access::{Action, Anyone, Authorized, credentials};
use bindery_app::publishing::resolve::{Lookup, RedirectTarget, Resolution, resolve};
use bindery_app::{App, Context};
use bindery_model::{FieldPath, Result};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::call::Call;
use crate::operation::{Operation, act, read_long};
use crate::present;
use crate::reply::Reply;

/// Maximum length of the claims without a signature, as JSON, in bytes.
const MAX_UNSIGNED_CLAIMS: usize = 2_048;

pub(super) fn operations() -> Vec<Operation> {
    vec![
        read_long("getPublishedContentByUrl", Action::Call, by_query),
        act::<Anyone, _>("resolvePublishedContentByUrl", Action::Call, by_body),
    ]
}

/// The body of `resolvePublishedContentByUrl`.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ResolveBody {
    url: String,
    #[serde(default)]
    redirect_on_error: bool,
    #[serde(default)]
    visitor: VisitorBody,
}

/// The visitor for whom content is resolved.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct VisitorBody {
    jwt_token: Option<String>,
    #[serde(default)]
    unsigned_claims: Map<String, Value>,
}

fn by_query(cx: &Context<'_>, _: &Authorized<Anyone>, call: &Call) -> Result<Reply> {
    let query = call.query();
    let lookup = Lookup {
        url: query.text("url").unwrap_or_default(),
        token: query.text("visitorAuthToken").filter(|token| !token.is_empty()),
        unsigned_claims: &Map::new(),
        redirect_on_error: call.flag("redirectOnError", false),
    };
    reply(resolve(cx, lookup)?)
}

async fn by_body(app: Arc<App>, call: Arc<Call>) -> Result<Reply> {
    let ResolveBody { url, redirect_on_error, visitor } = call.body()?;
    let VisitorBody { jwt_token, unsigned_claims } = visitor;
    let length = Value::Object(unsigned_claims.clone()).to_string().len();
    if length > MAX_UNSIGNED_CLAIMS {
        return Err(FieldPath::new("/visitor/unsignedClaims").invalid(format!(
            "found {length} bytes, allowed: at most {MAX_UNSIGNED_CLAIMS} bytes"
        )));
    }
    let shared_app = Arc::clone(&app);
    let resolution = app.store.read_blocking(move |tx| {
        let credentials = call.credentials.as_ref();
        let (caller, _) = credentials::authenticate(tx, &shared_app, credentials)?;
        let cx = Context { tx, app: &shared_app, caller: &caller };
        let lookup = Lookup {
            url: &url,
            token: jwt_token.as_deref().filter(|token| !token.is_empty()),
            unsigned_claims: &unsigned_claims,
            redirect_on_error,
        };
        resolve(&cx, lookup)
    });
    reply(resolution.await?)
}

fn reply(resolution: Resolution) -> Result<Reply> {
    let body = match resolution {
        Resolution::Content(content) => present::published_content(*content),
        Resolution::Redirect(target, address) => {
            let target = match target {
                RedirectTarget::External => "external",
                RedirectTarget::Content => "content",
                RedirectTarget::Application => "application",
            };
            json!({ "target": target, "redirect": address })
        }
    };
    // The answer contains a token for one visitor.
    let mut reply = Reply::json(200, &body)?;
    reply.is_uncached = true;
    Ok(reply)
}
