//! OpenAPI specifications: their operations, the changes of their versions, overlays and hooks.

use std::sync::Arc;

use bindery_app::access::{Action, Anyone, Authorized};
use bindery_app::content::git_sync::{DeliveredEvent, HookHeaders};
use bindery_app::content::openapi::{
    self, Hook, NewHook, Overlay, Source, SpecOperation, SpecPart, StagedOverlays, StoredChange,
    VersionChanges,
};
use bindery_app::people::organizations::Organization;
use bindery_app::{App, Context};
use bindery_model::Result;
use bindery_wire::request::SetOpenAPISpecOverlays;
use bindery_wire::response::{
    OpenAPIChange, OpenAPISpecHook, OpenAPISpecOverlay, OpenAPISpecOverlaySource,
    OpenAPISpecOverlays, OpenAPISpecPart, OpenAPISpecVersionChanges, OpenAPISpecVersionChangesNext,
};
use bindery_wire::values::OpenAPISpecPartKind as Kind;
use bindery_wire::{List, Next};

use crate::call::Call;
use crate::closed_sets;
use crate::lists::Page;
use crate::operation::{Operation, deliver, read, read_long, write, write_with_files};
use crate::pipeline::run::{Delivery, PrepareFuture};
use crate::reply::Reply;

pub(super) fn operations() -> Vec<Operation> {
    vec![
        read_long("listOpenAPISpecOperations", Action::ViewOrganization, list_operations),
        read_long("getOpenAPISpecVersionChanges", Action::ViewOrganization, changes),
        read("listOpenAPISpecOverlays", Action::ViewOrganization, list_overlays),
        write_with_files("setOpenAPISpecOverlays", Action::ManageOpenApi, staged, set_overlays),
        read("getOpenAPISpecHook", Action::ViewOrganization, get_hook),
        write("createOpenAPISpecHook", Action::ManageOpenApi, create_hook),
        write("deleteOpenAPISpecHook", Action::ManageOpenApi, delete_hook),
        deliver::<Anyone, _>("receiveOpenAPIHook", Action::Call, receive_hook),
    ]
}

/// The words of a search, which all have to be in a text.
struct Words(Vec<String>);

impl Words {
    fn of(call: &Call) -> Self {
        let query = call.query().text("query").unwrap_or_default().to_lowercase();
        Self(query.split_whitespace().map(str::to_owned).collect())
    }

    fn are_in(&self, texts: &[Option<&str>]) -> bool {
        let texts: Vec<String> = texts.iter().flatten().map(|text| text.to_lowercase()).collect();
        self.0.iter().all(|word| texts.iter().any(|text| text.contains(word.as_str())))
    }
}

/// `listOpenAPISpecOperations`: lists what blocks can show of a specification.
fn list_operations(
    cx: &Context<'_>,
    organization: &Authorized<Organization>,
    call: &Call,
) -> Result<Reply> {
    let page = Page::of(cx.app, call)?;
    let (kind, words) = (call.query().text("kind"), Words::of(call));
    let parts = openapi::parts(cx, organization, call.path("specSlug"))?;
    let found = parts.into_iter().map(shown_part).filter(|part| {
        let OpenAPISpecPart { name, path, method, operation_id, title, .. } = part;
        let texts = [name, path, method, operation_id, title].map(|text| text.as_deref());
        kind.is_none_or(|kind| part.kind.as_str() == kind) && words.are_in(&texts)
    });
    let found: Vec<OpenAPISpecPart> = found.collect();
    let id = |part: &OpenAPISpecPart| {
        let OpenAPISpecPart { kind, name, path, method, .. } = part;
        let texts = [name, path, method].map(|text| text.as_deref().unwrap_or_default());
        format!("{} {}", kind.as_str(), texts.join(" "))
    };
    Reply::json(200, &page.window(found, id))
}

fn shown_part(part: SpecPart) -> OpenAPISpecPart {
    let (kind, operation, tag) = match part {
        SpecPart::Operation { operation, tag } => (Kind::Operation, operation, Some(tag)),
        SpecPart::Webhook(operation) => (Kind::Webhook, operation, None),
        SpecPart::Model(name) => {
            return OpenAPISpecPart {
                kind: Kind::Model,
                name: Some(name),
                path: None,
                method: None,
                operation_id: None,
                title: None,
                tags: None,
                deprecated: None,
            };
        }
    };
    let SpecOperation { path, method, id, title, is_deprecated } = operation;
    let (name, path) = match kind {
        Kind::Webhook => (Some(path), None),
        _ => (None, Some(path)),
    };
    OpenAPISpecPart {
        kind,
        name,
        path,
        method: Some(method),
        operation_id: Some(id).filter(|id| !id.is_empty()),
        title: Some(title),
        tags: tag.map(|tag| vec![tag]),
        deprecated: Some(is_deprecated),
    }
}

/// `getOpenAPISpecVersionChanges`: returns the changes since the version before.
fn changes(
    cx: &Context<'_>,
    organization: &Authorized<Organization>,
    call: &Call,
) -> Result<Reply> {
    let page = Page::of(cx.app, call)?;
    let (slug, id) = (call.path("specSlug"), call.path("versionId"));
    let VersionChanges { version, changes, is_cut } = openapi::changes(cx, organization, slug, id)?;
    let (level, words) = (call.query().text("level"), Words::of(call));
    let found = changes.into_iter().enumerate().filter(|(_, change)| {
        let StoredChange { rule, level: own, method, path, operation_id, text } = change;
        let texts = [rule, method, path, operation_id, text].map(|text| Some(text.as_str()));
        let own = closed_sets::change_level(*own);
        level.is_none_or(|level| own.as_str() == level) && words.are_in(&texts)
    });
    let found: Vec<(usize, StoredChange)> = found.collect();
    let List { next, count, items } = page.window(found, |(number, _)| number.to_string());
    let items = items.into_iter().map(|(_, change)| shown_change(change));
    let answer = OpenAPISpecVersionChanges {
        state: closed_sets::openapi_comparison(version.comparison),
        from: version.earlier.map(|earlier| earlier.to_string()),
        breaking: version.breaking.into(),
        warnings: version.warnings.into(),
        infos: version.infos.into(),
        is_cut,
        items: items.collect(),
        count: count.unwrap_or_default(),
        next: next.map(|Next { page }| OpenAPISpecVersionChangesNext { page }),
    };
    Reply::json(200, &answer)
}

fn shown_change(change: StoredChange) -> OpenAPIChange {
    let StoredChange { rule, level, method, path, operation_id, text } = change;
    let some = |text: String| Some(text).filter(|text| !text.is_empty());
    OpenAPIChange {
        rule,
        level: closed_sets::change_level(level),
        method: some(method),
        path: some(path),
        operation_id: some(operation_id),
        text,
    }
}

/// Checks the overlays in a body, and stores their texts.
fn staged<'a>(app: &'a App, call: &'a Call) -> PrepareFuture<'a, StagedOverlays> {
    Box::pin(async move {
        let SetOpenAPISpecOverlays { overlays } = call.body()?;
        let sources = overlays.into_iter();
        let sources =
            sources.map(|one| Source { url: one.source.url, text: one.source.text }).collect();
        openapi::stage_overlays(app, sources).await
    })
}

/// `listOpenAPISpecOverlays`: lists the overlays of a specification.
fn list_overlays(
    cx: &Context<'_>,
    organization: &Authorized<Organization>,
    call: &Call,
) -> Result<Reply> {
    shown_overlays(openapi::overlays(cx, organization, call.path("specSlug"))?)
}

/// `setOpenAPISpecOverlays`: sets the overlays of a specification.
fn set_overlays(
    cx: &Context<'_>,
    organization: &Authorized<Organization>,
    call: &Call,
    staged: &StagedOverlays,
) -> Result<Reply> {
    shown_overlays(openapi::set_overlays(cx, organization, call.path("specSlug"), staged)?)
}

fn shown_overlays(overlays: Vec<Overlay>) -> Result<Reply> {
    let items = overlays.into_iter().map(|Overlay { source: Source { url, text } }| {
        OpenAPISpecOverlay { source: OpenAPISpecOverlaySource { url, text } }
    });
    Reply::json(200, &OpenAPISpecOverlays { items: items.collect() })
}

/// `getOpenAPISpecHook`: returns the hook of a specification without its token.
fn get_hook(
    cx: &Context<'_>,
    organization: &Authorized<Organization>,
    call: &Call,
) -> Result<Reply> {
    let hook = openapi::get_hook(cx, organization, call.path("specSlug"))?;
    Reply::json(200, &shown_hook(cx.app, &hook, None))
}

/// `createOpenAPISpecHook`: makes the hook of a specification, and returns its token.
fn create_hook(
    cx: &Context<'_>,
    organization: &Authorized<Organization>,
    call: &Call,
) -> Result<Reply> {
    let NewHook { hook, token } = openapi::create_hook(cx, organization, call.path("specSlug"))?;
    Reply::json(200, &shown_hook(cx.app, &hook, Some(token)))
}

fn shown_hook(app: &App, hook: &Hook, token: Option<String>) -> OpenAPISpecHook {
    let Hook { spec, created_at } = hook;
    let url = app.urls.api(format_args!("/bindery/hooks/openapi/{spec}"));
    OpenAPISpecHook {
        enabled: created_at.is_some(),
        url: created_at.map(|_| url),
        token,
        created_at: *created_at,
    }
}

/// `deleteOpenAPISpecHook`: deletes the hook of a specification.
fn delete_hook(
    cx: &Context<'_>,
    organization: &Authorized<Organization>,
    call: &Call,
) -> Result<Reply> {
    let deleted = openapi::delete_hook(cx, organization, call.path("specSlug"))?;
    Ok(Reply::empty(if deleted { 205 } else { 204 }))
}

/// `receiveOpenAPIHook`: reads the source of a specification again.
async fn receive_hook(app: Arc<App>, call: Arc<Call>, delivery: Delivery) -> Result<Reply> {
    let Delivery { headers, body } = delivery;
    let header = |name: &str| {
        let value = headers.get(name)?.to_str().ok()?;
        Some(value.to_owned())
    };
    let token = header("x-bindery-token");
    let event = DeliveredEvent { headers: HookHeaders::read(header), body };
    openapi::receive(&app, call.path("specId"), token.as_deref(), event).await?;
    Ok(Reply::empty(204))
}
