//! Spaces: making them, listing them, and what surrounds them.

mod update;

pub use update::{SpacePatch, update};

use std::collections::HashMap;
use std::time::Duration;

use bindery_model::{
    CollectionId, Error, Level, OrganizationId, Result, RevisionId, Role, SpaceId, Timestamp,
    UserId,
};
use bindery_revision::{Author, Content, ContentKind, Revision};
use bindery_store::git_states::GitOrigin;
use bindery_store::organizations::Organization;
use bindery_store::sites::{self, Outlet};
use bindery_store::spaces::{self, Space, SpaceCounts, SpaceFilter, Visible};
use bindery_store::{Event, NewEvent, Store, StoreError, Tx, git_states};

use crate::access::{self, Authorized, Facts, Membership};
use crate::content::Snapshot;
use crate::{App, Cx, revisions, text};

/// What a new space is to be.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct NewSpace {
    /// The title; empty: a default one.
    pub title: String,
    /// The emoji; may be empty.
    pub emoji: String,
    /// The language of its content.
    pub language: Option<String>,
    /// The collection it is put into.
    pub parent: Option<CollectionId>,
    /// Whether its main content is locked.
    pub locked: bool,
}

const DEFAULT_TITLE: &str = "Untitled";
/// The longest title, in characters.
const TITLE: usize = 50;

/// Makes an empty space.
///
/// # Errors
/// What is wrong with the request.
pub fn create(
    cx: &Cx<'_>,
    organization: &Authorized<Organization>,
    new: &NewSpace,
) -> Result<Space> {
    let space = store(cx.tx, cx.app, organization.id, new, cx.user())?;
    cx.tx.record(
        &NewEvent::new(Event::SpaceCreated { title: Some(space.title.clone()) })
            .by(cx.user())
            .organization(organization.id)
            .space(space.id),
    )?;
    Ok(space)
}

/// Stores a space with an empty first revision.
///
/// # Errors
/// When the title is not allowed, or the store fails.
pub fn store(
    tx: &Tx<'_>,
    app: &App,
    organization: OrganizationId,
    new: &NewSpace,
    author: Option<UserId>,
) -> Result<Space> {
    let title = match new.title.trim() {
        "" => DEFAULT_TITLE.to_owned(),
        title => text::title("/title", title, 1, TITLE)?,
    };
    let now = app.clock.now();
    let space = Space {
        id: SpaceId::random(&app.entropy),
        organization,
        title,
        emoji: new.emoji.clone(),
        parent: new.parent,
        language: new.language.clone(),
        locked: new.locked,
        default_level: Level::Inherit,
        icon: None,
        merge_rules: None,
        template: false,
        counts: SpaceCounts::default(),
        head: RevisionId::random(&app.entropy),
        created_at: now,
        updated_at: now,
        deleted_at: None,
    };
    spaces::create(tx, &space)?;
    let revision = Revision {
        parents: Vec::new(),
        kind: ContentKind::Edits,
        author: author.map_or(Author::System, Author::User),
        created_at: now,
        message: None,
        content: Content::new(&app.entropy),
    };
    revisions::store(tx, space.id, space.head, &revision, None)?;
    Ok(space)
}

/// How long a deleted space waits to be removed.
pub const RETENTION: Duration = Duration::from_secs(7 * 24 * 60 * 60);

/// Deletes a space: administrators can bring it back until it is removed.
///
/// # Errors
/// When the store fails. `false` if it is deleted already.
pub fn delete(cx: &Cx<'_>, space: &Space) -> Result<bool> {
    if !spaces::set_deleted(cx.tx, space.id, Some(cx.now()))? {
        return Ok(false);
    }
    sites::bump_of_space(cx.tx, space.id)?;
    record(cx, space, Event::SpaceDeleted)?;
    Ok(true)
}

/// Brings a deleted space back.
///
/// # Errors
/// 409 when it is not deleted.
pub fn restore(cx: &Cx<'_>, space: &Space) -> Result<Space> {
    if !spaces::set_deleted(cx.tx, space.id, None)? {
        return Err(Error::conflict("the space is not deleted"));
    }
    sites::bump_of_space(cx.tx, space.id)?;
    record(cx, space, Event::SpaceRestored)?;
    Ok(Space { deleted_at: None, ..space.clone() })
}

/// Makes a copy of a space as it is now, with the same settings and grants. It shares all objects,
/// so that it costs the same whatever the size.
///
/// # Errors
/// When the store fails.
pub fn duplicate(cx: &Cx<'_>, space: &Space) -> Result<Space> {
    let now = cx.now();
    let title: String = format!("Copy of {}", space.title).chars().take(TITLE).collect();
    let copy = Space {
        id: SpaceId::random(&cx.app.entropy),
        title: title.trim().to_owned(),
        head: RevisionId::random(&cx.app.entropy),
        template: false,
        counts: SpaceCounts::default(),
        created_at: now,
        updated_at: now,
        ..space.clone()
    };
    let content = Snapshot::of(cx.app, cx.tx, space, None)?.revision.content.clone();
    spaces::create(cx.tx, &copy)?;
    spaces::copy_grants(cx.tx, space.id, copy.id)?;
    let revision = Revision {
        parents: Vec::new(),
        kind: ContentKind::Edits,
        author: cx.user().map_or(Author::System, Author::User),
        created_at: now,
        message: None,
        content,
    };
    revisions::store(cx.tx, copy.id, copy.head, &revision, None)?;
    record(cx, &copy, Event::SpaceDuplicated { from: space.id })?;
    Ok(copy)
}

/// Removes a space for good that was deleted before the given moment; whether there was one.
///
/// # Errors
/// When the store fails.
pub async fn remove_one(store: &Store, before: Timestamp) -> Result<bool, StoreError> {
    store
        .write(move |tx| {
            let Some(space) = spaces::deleted_before(tx, before)? else { return Ok(false) };
            spaces::remove(tx, space.id)?;
            let event = NewEvent::new(Event::SpaceRemoved);
            tx.record(&event.organization(space.organization).space(space.id))?;
            Ok(true)
        })
        .await
}

fn record(cx: &Cx<'_>, space: &Space, event: Event) -> Result<()> {
    let event = NewEvent::new(event).by(cx.user());
    cx.tx.record(&event.organization(space.organization).space(space.id))?;
    Ok(())
}

/// A space that the caller sees, with its level.
#[derive(Clone, Debug)]
pub struct Seen {
    /// The row.
    pub space: Space,
    /// The caller's level.
    pub role: Role,
}

/// A space with what its answer shows besides its row.
#[derive(Clone, Debug)]
pub struct SpaceView {
    /// The row.
    pub space: Space,
    /// The caller's level.
    pub role: Role,
    /// Where readers see it.
    pub outlet: Option<Outlet>,
    /// Where it was last synchronised from.
    pub git: Option<GitOrigin>,
}

/// Gathers what the answers for these spaces show, in their order.
///
/// # Errors
/// When the store fails.
pub fn views(tx: &Tx<'_>, seen: Vec<Seen>) -> Result<Vec<SpaceView>> {
    let ids: Vec<SpaceId> = seen.iter().map(|seen| seen.space.id).collect();
    let mut outlets = sites::outlets(tx, &ids)?;
    let mut git = git_states::origins(tx, &ids)?;
    let views = seen.into_iter().map(|Seen { space, role }| SpaceView {
        outlet: outlets.remove(&space.id),
        git: git.remove(&space.id),
        space,
        role,
    });
    Ok(views.collect())
}

/// What the caller sees of an organization's spaces, and what that follows from.
struct Sight<'a> {
    filter: SpaceFilter<'a>,
    membership: Membership,
    default_role: Option<Role>,
}

fn sight<'a>(cx: &Cx<'a>, organization: OrganizationId) -> Result<Option<Sight<'a>>> {
    let Some(person) = cx.caller.person() else {
        return Ok(None);
    };
    let (membership, default_role) = access::membership(cx.tx, person, organization)?;
    let visible = match membership {
        Membership::Stranger => return Ok(None),
        Membership::Guest => Visible::Granted,
        Membership::Member(Role::Admin) => Visible::All,
        Membership::Member(role) => {
            Visible::Defaults { inherited: Some(role).max(default_role).is_some() }
        }
    };
    let within = (!person.spaces.is_empty()).then_some(person.spaces.as_slice());
    let filter = SpaceFilter { organization, user: person.user, visible, within };
    Ok(Some(Sight { filter, membership, default_role }))
}

/// Which spaces of an organization the caller sees; `None`: none.
///
/// # Errors
/// When the store fails.
pub fn filter<'a>(cx: &Cx<'a>, organization: OrganizationId) -> Result<Option<SpaceFilter<'a>>> {
    Ok(sight(cx, organization)?.map(|sight| sight.filter))
}

/// The spaces of an organization that the caller sees, filtered in the database.
///
/// # Errors
/// When the store fails.
pub fn list(
    cx: &Cx<'_>,
    organization: OrganizationId,
    after: Option<(bindery_model::Timestamp, &str)>,
    rows: u32,
) -> Result<(Vec<Seen>, i64)> {
    let Some(Sight { filter, membership, default_role }) = sight(cx, organization)? else {
        return Ok((Vec::new(), 0));
    };
    let count = spaces::count_visible(cx.tx, &filter)?;
    let found = spaces::list_visible(cx.tx, &filter, after, rows)?;
    let mut granted = match membership {
        Membership::Member(Role::Admin) => HashMap::new(),
        _ => {
            let ids: Vec<SpaceId> = found.iter().map(|space| space.id).collect();
            spaces::granted_on(cx.tx, filter.user, &ids)?
        }
    };
    let seen = found.into_iter().filter_map(|space| {
        let facts = Facts {
            membership,
            default_role,
            level: space.default_level,
            granted: granted.remove(&space.id),
            deleted: space.deleted_at.is_some(),
        };
        Some(Seen { role: facts.role()?, space })
    });
    Ok((seen.collect(), count))
}
