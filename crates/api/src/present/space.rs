//! A space with the caller's permissions in it.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use bindery_app::content::git::{AttemptState, GitOrigin};
use bindery_app::content::spaces::{
    ListedSpace, Space, SpaceCounts, SpaceView, VisibleOutline, VisibleSpace, load, show_parents,
    views,
};
use bindery_app::jobs::{JobError, JobStatus};
use bindery_app::review::merge_rules::MergeRules;
use bindery_app::{App, Context};
use bindery_model::{Error, GitProvider, Level, Result, Role, SiteVisibility, SpaceId};
use bindery_wire::response::{self, SpacePermissions, SpaceUrls};
use bindery_wire::values::{ContentVisibility, GitSyncProvider, SpaceEditMode};
use serde_json::value::RawValue;

use super::job::job_status;
use super::merge_rules;
use crate::closed_sets::default_level;
use crate::languages::listed_language;

/// Presents spaces as JSON. Cached presentations are reused, and the missing ones are built
/// together.
pub(crate) fn spaces(cx: &Context<'_>, seen: Vec<VisibleSpace>) -> Result<Vec<Arc<RawValue>>> {
    let outlines: Vec<VisibleOutline> = seen.iter().map(VisibleOutline::from).collect();
    cached_or_built(cx, &outlines, |missing| {
        Ok(seen.into_iter().filter(|seen| missing.contains(&seen.space.id)).collect())
    })
}

/// Presents listed spaces as JSON. Only spaces without a cached presentation are loaded.
pub(crate) fn listed_spaces(
    cx: &Context<'_>,
    listed: Vec<ListedSpace>,
) -> Result<Vec<Arc<RawValue>>> {
    let outlines: Vec<VisibleOutline> = listed.iter().map(|listed| listed.outline).collect();
    cached_or_built(cx, &outlines, |missing| {
        let missing =
            listed.into_iter().filter(|listed| missing.contains(&listed.outline.space.id));
        load(cx, missing.collect())
    })
}

/// Returns the cached presentations of these spaces, and builds those of the missing ones, which
/// `load` loads in full.
fn cached_or_built(
    cx: &Context<'_>,
    seen: &[VisibleOutline],
    load: impl FnOnce(&HashSet<SpaceId>) -> Result<Vec<VisibleSpace>>,
) -> Result<Vec<Arc<RawValue>>> {
    let parents_shown = show_parents(cx, seen)?;
    let keys: Vec<_> = seen
        .iter()
        .zip(parents_shown)
        .map(|(seen, shows_parent)| (seen.space.id, seen.role, shows_parent))
        .collect();
    let parts = cx.app.presented.get(cx.tx, keys.iter().copied());
    let missing = keys.iter().zip(&parts).filter(|(_, part)| part.is_none());
    let missing: HashSet<SpaceId> = missing.map(|((id, ..), _)| *id).collect();
    let mut built = HashMap::new();
    if !missing.is_empty() {
        for view in views(cx, load(&missing)?)? {
            let key = (view.space.id, view.role, view.shows_parent);
            let json = serde_json::value::to_raw_value(&space(cx.app, view)?)
                .map_err(|error| Error::internal(format!("a space is not JSON: {error}")))?;
            built.insert(key, Arc::<RawValue>::from(json));
        }
        let rendered = built.iter().map(|(key, json)| (*key, Arc::clone(json)));
        cx.app.presented.keep(cx.tx, rendered);
    }
    let found = keys.iter().zip(parts).filter_map(|(key, part)| part.or_else(|| built.remove(key)));
    Ok(found.collect())
}

/// Presents one space as JSON.
pub(crate) fn one_space(cx: &Context<'_>, seen: VisibleSpace) -> Result<Arc<RawValue>> {
    spaces(cx, vec![seen])?.pop().ok_or_else(|| Error::internal("a space was not presented"))
}

/// Presents a space to a visitor, without the settings, activity and counts that only members see.
pub(crate) fn space_for_visitor(cx: &Context<'_>, row: Space) -> Result<response::Space> {
    let seen = VisibleSpace { space: row, role: Role::Read };
    let view = views(cx, vec![seen])?.pop();
    let view = view.ok_or_else(|| Error::internal("a space was not presented"))?;
    let settings = Space {
        parent: None,
        locked: false,
        default_level: Level::Inherit,
        merge_rules: None,
        counts: SpaceCounts::default(),
        ..view.space
    };
    space(cx.app, SpaceView { space: settings, shows_parent: false, git: None, ..view })
}

pub(crate) fn space(app: &App, view: SpaceView) -> Result<response::Space> {
    let SpaceView { space, role, shows_parent, outlet, git } = view;
    let Space {
        id,
        organization,
        title,
        emoji,
        parent,
        language,
        locked,
        default_level: level,
        effective_level: _,
        position: _,
        head,
        created_at,
        updated_at,
        deleted_at,
        icon,
        merge_rules,
        template: _,
        counts: SpaceCounts { change_requests, open, draft, comments },
    } = space;
    let visibility = match &outlet {
        Some(outlet) => match outlet.site.visibility {
            SiteVisibility::Public => ContentVisibility::Public,
            SiteVisibility::Unlisted => ContentVisibility::Unlisted,
            SiteVisibility::ShareLink => ContentVisibility::ShareLink,
            SiteVisibility::VisitorAuth => ContentVisibility::VisitorAuth,
        },
        None if parent.is_some() && level == Level::Inherit => ContentVisibility::InCollection,
        None => ContentVisibility::Private,
    };
    let published = outlet.map(|outlet| app.urls.space(&outlet));
    Ok(response::Space {
        id: id.to_string(),
        title,
        emoji,
        visibility,
        created_at,
        updated_at,
        deleted_at,
        edit_mode: Some(if locked { SpaceEditMode::Locked } else { SpaceEditMode::Live }),
        merge_rules: merge_rules::of_space(MergeRules::parse(merge_rules.as_deref())?),
        urls: SpaceUrls {
            location: app.urls.api(format_args!("/spaces/{id}")),
            app: app.urls.app_space(organization, id),
            public: (visibility == ContentVisibility::Public).then(|| published.clone()).flatten(),
            published,
            icon,
        },
        organization: organization.to_string(),
        parent: parent.filter(|_| shows_parent).map(|id| id.to_string()),
        language: language.as_deref().and_then(listed_language),
        language_tag: language,
        git_sync: git.map(git_state),
        visitor_auth: None,
        revision: head.to_string(),
        default_level: default_level(level),
        comments: comments.unsigned_abs(),
        change_requests: change_requests.unsigned_abs(),
        change_requests_open: open.unsigned_abs(),
        change_requests_draft: draft.unsigned_abs(),
        permissions: SpacePermissions {
            view: true,
            access: role == Role::Admin,
            admin: role == Role::Admin,
            view_invite_links: role == Role::Admin,
            edit: role >= Role::Edit && !locked,
            edit_change_requests: Some(role >= Role::Edit),
            trigger_git_sync: role >= Role::Create,
            comment: role >= Role::Comment,
            merge: role >= Role::Review && !locked,
            review: role >= Role::Review,
            install_integration: role == Role::Admin,
        },
    })
}

pub(crate) fn git_state(origin: GitOrigin) -> response::GitSyncState {
    let GitOrigin { url, provider, updated_at, attempt } = origin;
    let url = provider.url.unwrap_or(url);
    let name = url.trim_end_matches('/').trim_end_matches(".git");
    let mut parts = name.rsplit('/');
    let repository = parts.next().unwrap_or_default();
    let repo_name = match parts.next() {
        Some(owner) if !owner.is_empty() && !owner.contains(':') => format!("{owner}/{repository}"),
        _ => repository.to_owned(),
    };
    response::GitSyncState {
        repo_name: (!repository.is_empty()).then_some(repo_name),
        installation_provider: provider.name.map(|name| match name {
            GitProvider::Github => GitSyncProvider::Github,
            GitProvider::Gitlab => GitSyncProvider::Gitlab,
        }),
        integration: None,
        url: (!url.is_empty()).then_some(url),
        updated_at,
        last_attempt: attempt.map(git_attempt),
    }
}

fn git_attempt(attempt: AttemptState) -> response::GitSyncAttempt {
    let AttemptState { job, status, error, message, at } = attempt;
    let (code, reason) = error.map(|JobError { code, message }| (code, message)).unzip();
    // The message of the current attempt takes precedence over the failure of the previous one,
    // unless no attempt is running.
    let message = match status {
        JobStatus::Queued | JobStatus::Failed | JobStatus::Cancelled => reason.or(message),
        JobStatus::Running | JobStatus::Done => message,
    };
    response::GitSyncAttempt {
        state: job_status(status),
        time: at,
        message,
        code: code.filter(|_| status != JobStatus::Done),
        job: job.to_string(),
    }
}
