//! `getEmbedByUrl`, `getEmbedByUrlInSpace`: describe addresses that pages embed.

use std::sync::Arc;

use bindery_app::access::{Action, Anyone, Caller, credentials};
use bindery_app::content::embeds::{self, Embed, EmbedOwner};
use bindery_app::publishing::published::ReadableSpace;
use bindery_app::{App, Context};
use bindery_model::{Error, Result, SpaceId};
use serde_json::{Value, json};

use crate::call::Call;
use crate::operation::{Operation, act};
use crate::reply::Reply;

pub(super) fn operations() -> Vec<Operation> {
    vec![act::<Anyone, _>("getEmbedByUrl", Action::Call, of_url)]
}

/// Returns the operations of the group `space-embeds`.
pub(in crate::groups) fn of_spaces() -> Vec<Operation> {
    vec![act::<ReadableSpace, _>("getEmbedByUrlInSpace", Action::ReadSpace, of_url)]
}

async fn of_url(app: Arc<App>, call: Arc<Call>) -> Result<Reply> {
    let given = call.query().text("url").unwrap_or_default().to_owned();
    let url = embeds::address(&given).ok_or_else(|| {
        Error::invalid(format!(
            "query parameter \"url\": found {given:?}, allowed: an address that begins with \
             https:// or http://, without a user name"
        ))
    })?;
    let (shared_app, own) = (Arc::clone(&app), url.clone());
    let read = app.store.read_blocking(move |tx| {
        let credentials = call.credentials.as_ref();
        let (caller, _) = credentials::authenticate(tx, &shared_app, credentials)?;
        let cx = Context { tx, app: &shared_app, caller: &caller };
        let found = embeds::of_own_page(&cx, &own)?;
        // Anybody can get the token of a public site, so only persons make this server read pages
        // of other hosts.
        let owner = EmbedOwner::of(&cx, SpaceId::parse(call.path("spaceId")))?;
        Ok::<_, Error>((found, owner, matches!(caller, Caller::Person(_))))
    });
    let (found, owner, reads) = read.await?;
    let embed = match found {
        Some(own) => Arc::new(own),
        None => embeds::of_foreign_page(&app, &url, owner, reads).await,
    };
    Reply::json(200, &present(&embed))
}

fn present(embed: &Embed) -> Value {
    let Embed { title, site, icon, html } = embed;
    let mut shown = json!({ "title": title, "site": site });
    if let Some(fields) = shown.as_object_mut() {
        fields.extend(icon.as_ref().map(|icon| ("icon".to_owned(), json!(icon))));
        fields.extend(html.as_ref().map(|html| ("html".to_owned(), json!(html))));
        let kind = if html.is_some() { "rich" } else { "link" };
        fields.insert("type".to_owned(), json!(kind));
    }
    shown
}
