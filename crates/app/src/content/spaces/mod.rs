//! Spaces: creation, listing, deletion and related data.

mod transfer;
mod update;

pub use bindery_store::spaces::ListPosition;
pub(crate) use transfer::carry;
pub use transfer::{move_to, transfer};
pub(crate) use update::set_language;
pub use update::{SpacePatch, update};

use std::collections::HashMap;
use std::time::Duration;

use bindery_model::{
    CollectionId, Error, LanguageTag, Level, OrganizationId, Result, RevisionId, Role, SpaceId,
    Timestamp, UserId,
};
use bindery_revision::{Author, Content, ContentKind, Revision};
use bindery_store::collections::{self, Collection};
use bindery_store::git_states::GitOrigin;
use bindery_store::positions::Container;
use bindery_store::sites::{self, PublishedSpace};
use bindery_store::spaces::{self, SpaceFilter, SpaceOutline, SpaceViewer};
pub use bindery_store::spaces::{Order, Space, SpaceCounts};
use bindery_store::{
    Event, NewEvent, Store, StoreError, Tx, git_states, link_indexes, members, permissions,
    revisions as revision_rows, space_moves,
};

use crate::access::{self, AccessFacts, Membership};
use crate::content::git_installations;
use crate::content::revisions::{self, RevisionOwner};
use crate::content::snapshot::Snapshot;
use crate::{App, Context, content::positions, text};

/// The values of a new space.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct NewSpace {
    /// The title; empty for a default title.
    pub title: String,
    /// The emoji; may be empty.
    pub emoji: String,
    /// The language of its content.
    pub language: Option<LanguageTag>,
    /// The collection that contains it.
    pub parent: Option<CollectionId>,
    /// `true` if its main content is locked.
    pub locked: bool,
}

/// Returns 409 if the main content of a space is locked.
pub(crate) fn require_unlocked(space: &Space) -> Result<()> {
    if space.locked {
        return Err(Error::conflict(
            "the space is locked: its main content can be changed when its editMode is live again",
        ));
    }
    Ok(())
}

const DEFAULT_TITLE: &str = "Untitled";
/// Maximum length of a title, in characters.
const TITLE: usize = 50;

/// Creates an empty space.
///
/// # Errors
/// Returns an error if the request is invalid.
pub fn create(cx: &Context<'_>, organization: OrganizationId, new: &NewSpace) -> Result<Space> {
    let emoji = match new.emoji.as_str() {
        "" => String::new(),
        emoji => text::emoji("/emoji", emoji)?,
    };
    let new = NewSpace { emoji, ..new.clone() };
    let space = store(cx.tx, cx.app, organization, &new, cx.user())?;
    record(cx, &space, Event::SpaceCreated { title: Some(space.title.clone()) })?;
    Ok(space)
}

/// Stores a space with an empty first revision.
///
/// # Errors
/// Returns an error if the title is invalid or the store fails.
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
    let position = positions::at_end(tx, Container { organization, parent: new.parent })?;
    let space = Space {
        id: SpaceId::random(&app.entropy),
        organization,
        title,
        emoji: new.emoji.clone(),
        parent: new.parent,
        language: new.language.as_ref().map(LanguageTag::to_string),
        locked: new.locked,
        default_level: Level::Inherit,
        effective_level: effective_level(tx, Level::Inherit, new.parent)?,
        position,
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
    revisions::store(tx, space.id, space.head, &revision, RevisionOwner::Main)?;
    Ok(space)
}

/// Returns the effective level of an item: its own default, or the effective level of its parent if
/// the default is inherited.
pub(crate) fn effective_level(
    tx: &Tx<'_>,
    default: Level,
    parent: Option<CollectionId>,
) -> Result<Level> {
    let above = |parent| -> Result<Level> {
        Ok(collections::get(tx, parent)?.map_or(Level::Inherit, |above| above.effective_level))
    };
    match (default, parent) {
        (Level::Inherit, Some(parent)) => above(parent),
        (own, _) => Ok(own),
    }
}

/// Time between the deletion of a space and its removal.
pub const RETENTION: Duration = Duration::from_secs(7 * 24 * 60 * 60);

/// Deletes a space. Administrators can restore it until it is removed. Returns `false` if it is
/// already deleted.
///
/// # Errors
/// Returns an error if the store fails.
pub fn delete(cx: &Context<'_>, space: &Space) -> Result<bool> {
    if !spaces::set_deleted(cx.tx, space.id, Some(cx.now()))? {
        return Ok(false);
    }
    sites::increment_versions_of_space(cx.tx, space.id)?;
    record(cx, space, Event::SpaceDeleted)?;
    Ok(true)
}

/// Restores a deleted space.
///
/// # Errors
/// Returns 409 if the space is not deleted.
pub fn restore(cx: &Context<'_>, space: &Space) -> Result<Space> {
    if !spaces::set_deleted(cx.tx, space.id, None)? {
        return Err(Error::conflict("the space is not deleted"));
    }
    sites::increment_versions_of_space(cx.tx, space.id)?;
    record(cx, space, Event::SpaceRestored)?;
    Ok(Space { deleted_at: None, ..space.clone() })
}

/// Creates a copy of a space next to it, with its current content and the same settings and grants.
/// The copy shares all objects, so the cost does not depend on the size.
///
/// # Errors
/// Returns an error if the store fails.
pub fn duplicate(cx: &Context<'_>, space: &Space) -> Result<Space> {
    let now = cx.now();
    let title: String = format!("Copy of {}", space.title).chars().take(TITLE).collect();
    let copy = Space {
        id: SpaceId::random(&cx.app.entropy),
        title: title.trim().to_owned(),
        position: positions::at_end(
            cx.tx,
            Container { organization: space.organization, parent: space.parent },
        )?,
        head: RevisionId::random(&cx.app.entropy),
        template: false,
        counts: SpaceCounts::default(),
        created_at: now,
        updated_at: now,
        ..space.clone()
    };
    let content = Snapshot::of(cx.app, cx.tx, space, None)?.revision.content.clone();
    spaces::create(cx.tx, &copy)?;
    permissions::copy(cx.tx, space.id, copy.id)?;
    let revision = Revision {
        parents: Vec::new(),
        kind: ContentKind::Edits,
        author: cx.user().map_or(Author::System, Author::User),
        created_at: now,
        message: None,
        content,
    };
    revisions::store(cx.tx, copy.id, copy.head, &revision, RevisionOwner::Main)?;
    if let Some(synced) = revision_rows::import_base(cx.tx, space.id, space.head)? {
        revision_rows::set_import_base(cx.tx, copy.id, copy.head, &synced)?;
    }
    link_indexes::copy(cx.tx, space.id, copy.id)?;
    record(cx, &copy, Event::SpaceDuplicated { from: space.id })?;
    Ok(copy)
}

/// Permanently removes one space that was deleted before the given time. Returns `true` if there
/// was one.
///
/// # Errors
/// Returns an error if the store fails.
pub async fn remove_one(store: &Store, before: Timestamp) -> Result<bool, StoreError> {
    store
        .write(move |tx| {
            let Some(space) = spaces::oldest_deleted_before(tx, before)? else { return Ok(false) };
            git_installations::remove_of_space(tx, space.id)?;
            spaces::remove(tx, space.id)?;
            let event = NewEvent::new(Event::SpaceRemoved);
            tx.record(&event.organization(space.organization).space(space.id))?;
            Ok(true)
        })
        .await
}

fn record(cx: &Context<'_>, space: &Space, event: Event) -> Result<()> {
    let event = NewEvent::new(event).by(cx.user());
    cx.tx.record(&event.organization(space.organization).space(space.id))?;
    Ok(())
}

/// A space that the caller sees.
#[derive(Clone, Debug)]
pub struct VisibleSpace {
    /// The row.
    pub space: Space,
    /// The caller's role.
    pub role: Role,
}

/// The outline of a space that the caller sees.
#[derive(Clone, Copy, Debug)]
pub struct VisibleOutline {
    /// The part of the row that decides access and the place in a list.
    pub space: SpaceOutline,
    /// The caller's role.
    pub role: Role,
}

impl From<&VisibleSpace> for VisibleOutline {
    fn from(seen: &VisibleSpace) -> Self {
        Self { space: SpaceOutline::from(&seen.space), role: seen.role }
    }
}

/// A space in a list.
#[derive(Clone, Debug)]
pub struct ListedSpace {
    /// Its outline, with the caller's role.
    pub outline: VisibleOutline,
    /// The row, if it was read with the list.
    pub row: Option<Box<Space>>,
}

/// Returns a space with the caller's current role. If the caller has none, for example after the
/// space was deleted or moved, the role is `least`.
///
/// # Errors
/// Returns an error if the store fails.
pub fn seen(cx: &Context<'_>, space: Space, least: Role) -> Result<VisibleSpace> {
    let role = match cx.caller.person() {
        Some(person) => access::space_access(cx.tx, person, &space)?.role(),
        None => None,
    };
    Ok(VisibleSpace { role: role.unwrap_or(least), space })
}

/// A space with the related data that a response shows.
#[derive(Clone, Debug)]
pub struct SpaceView {
    /// The row.
    pub space: Space,
    /// The caller's role.
    pub role: Role,
    /// `true` if the caller can see the collection that contains it.
    pub shows_parent: bool,
    /// The place at which readers find it.
    pub outlet: Option<PublishedSpace>,
    /// The origin of its last synchronization.
    pub git: Option<GitOrigin>,
}

/// Returns, for each space, `true` if the caller can see the collection that contains it.
///
/// # Errors
/// Returns an error if the store fails.
pub fn show_parents(cx: &Context<'_>, seen: &[VisibleOutline]) -> Result<Vec<bool>> {
    let mut shown: Vec<bool> = seen.iter().map(|seen| seen.space.parent.is_none()).collect();
    let Some(person) = cx.caller.person().filter(|person| person.spaces.is_empty()) else {
        return Ok(shown);
    };
    let mut around: Option<(OrganizationId, AccessFacts)> = None;
    for (shown, VisibleOutline { space, .. }) in shown.iter_mut().zip(seen) {
        if *shown {
            continue;
        }
        let known = around.take().filter(|(of, _)| *of == space.organization);
        let (of, known) = match known {
            Some(known) => known,
            None => {
                let standing = access::membership(cx.tx, person, space.organization)?;
                let same = seen.iter().map(|seen| seen.space);
                let same: Vec<SpaceOutline> =
                    same.filter(|one| one.organization == space.organization).collect();
                let around = AccessFacts::load(cx.tx, person.user, standing, &same, &[])?;
                (space.organization, around)
            }
        };
        *shown = known.sees_parent(space.parent);
        around = Some((of, known));
    }
    Ok(shown)
}

/// Returns the views of these spaces for a response, in the same order.
///
/// # Errors
/// Returns an error if the store fails.
pub fn views(cx: &Context<'_>, seen: Vec<VisibleSpace>) -> Result<Vec<SpaceView>> {
    let ids: Vec<SpaceId> = seen.iter().map(|seen| seen.space.id).collect();
    let mut outlets = sites::published_sites(cx.tx, &ids)?;
    let mut git = git_states::origins(cx.tx, &ids)?;
    let outlines: Vec<VisibleOutline> = seen.iter().map(VisibleOutline::from).collect();
    let shown = show_parents(cx, &outlines)?;
    let views =
        seen.into_iter().zip(shown).map(|(VisibleSpace { space, role }, shows_parent)| SpaceView {
            outlet: outlets.remove(&space.id),
            git: git.remove(&space.id),
            space,
            role,
            shows_parent,
        });
    Ok(views.collect())
}

/// The relation of a user to an organization whose spaces are listed.
struct Viewer<'a> {
    user: UserId,
    standing: (Membership, Option<Role>),
    filter: SpaceFilter<'a>,
}

/// Returns the filter for the spaces that a user sees: the outer `None` for no space, the inner one
/// for all.
pub(crate) fn sight(user: UserId, membership: Membership) -> Option<Option<SpaceViewer>> {
    match membership {
        Membership::Stranger => None,
        Membership::Guest => Some(Some(SpaceViewer { user, defaults: false })),
        Membership::Member(Role::Admin) => Some(None),
        Membership::Member(_) => Some(Some(SpaceViewer { user, defaults: true })),
    }
}

fn viewer<'a>(cx: &Context<'a>, organization: OrganizationId) -> Result<Option<Viewer<'a>>> {
    let Some(person) = cx.caller.person() else {
        return Ok(None);
    };
    let standing = access::membership(cx.tx, person, organization)?;
    let Some(space_viewer) = sight(person.user, standing.0) else {
        return Ok(None);
    };
    let within = (!person.spaces.is_empty()).then_some(person.spaces.as_slice());
    let filter = SpaceFilter { organization, viewer: space_viewer, within };
    Ok(Some(Viewer { user: person.user, standing, filter }))
}

impl Viewer<'_> {
    /// Returns the found spaces with the user's roles according to the access policy.
    fn seen(&self, tx: &Tx<'_>, found: Vec<Space>) -> Result<Vec<VisibleSpace>> {
        let outlines: Vec<SpaceOutline> = found.iter().map(SpaceOutline::from).collect();
        let facts = AccessFacts::load(tx, self.user, self.standing, &outlines, &[])?;
        let seen = found.into_iter().zip(outlines).filter_map(|(space, outline)| {
            let role = facts.space(&outline).role()?;
            Some(VisibleSpace { space, role })
        });
        Ok(seen.collect())
    }
}

/// Returns the filter for the spaces of an organization that the caller sees; `None` if the caller
/// sees none.
///
/// # Errors
/// Returns an error if the store fails.
pub fn filter<'a>(
    cx: &Context<'a>,
    organization: OrganizationId,
) -> Result<Option<SpaceFilter<'a>>> {
    Ok(viewer(cx, organization)?.map(|viewer| viewer.filter))
}

/// Returns the spaces of an organization that the caller sees, and their number. The database applies
/// the filter. The rows are read only if presentations of spaces cannot be cached.
///
/// # Errors
/// Returns an error if the store fails.
pub fn list(
    cx: &Context<'_>,
    organization: OrganizationId,
    after: Option<(Timestamp, &str)>,
    rows: u32,
) -> Result<(Vec<ListedSpace>, i64)> {
    let Some(viewer) = viewer(cx, organization)? else {
        return Ok((Vec::new(), 0));
    };
    let (tx, filter, order) = (cx.tx, &viewer.filter, Order::OldestFirst);
    let (found, rows_read) = if cx.app.presented.is_usable(tx) {
        (spaces::list_visible_outlines(tx, filter, order, after, rows)?, Vec::new())
    } else {
        let found = spaces::list_visible(tx, filter, order, after, rows)?;
        (found.iter().map(SpaceOutline::from).collect(), found)
    };
    let count = count(tx, filter, found.len(), after.is_none(), rows)?;
    let facts = AccessFacts::load(tx, viewer.user, viewer.standing, &found, &[])?;
    let mut rows_read = rows_read.into_iter();
    let listed = found.into_iter().filter_map(|space| {
        let row = rows_read.next().map(Box::new);
        let role = facts.space(&space).role()?;
        Some(ListedSpace { outline: VisibleOutline { space, role }, row })
    });
    Ok((listed.collect(), count))
}

/// Returns the number of all spaces that match a filter, of which a page of at most `rows` rows has
/// `found`.
fn count(
    tx: &Tx<'_>,
    filter: &SpaceFilter<'_>,
    found: usize,
    is_first_page: bool,
    rows: u32,
) -> Result<i64> {
    // An incomplete first page contains all matches.
    match i64::try_from(found) {
        Ok(found) if is_first_page && found < i64::from(rows) => Ok(found),
        _ => Ok(spaces::count_visible(tx, filter)?),
    }
}

/// Returns these listed spaces in full, without those that no longer exist.
///
/// # Errors
/// Returns an error if the store fails.
pub fn load(cx: &Context<'_>, listed: Vec<ListedSpace>) -> Result<Vec<VisibleSpace>> {
    let unread = listed.iter().filter(|listed| listed.row.is_none());
    let unread: Vec<SpaceId> = unread.map(|listed| listed.outline.space.id).collect();
    let rows = spaces::with_ids(cx.tx, &unread)?;
    let mut rows: HashMap<SpaceId, Space> = rows.into_iter().map(|row| (row.id, row)).collect();
    let full = listed.into_iter().filter_map(|ListedSpace { outline, row }| {
        let space = row.map(|row| *row).or_else(|| rows.remove(&outline.space.id))?;
        Some(VisibleSpace { space, role: outline.role })
    });
    Ok(full.collect())
}

/// A page of the spaces of a collection.
#[derive(Clone, Debug, Default)]
pub struct CollectionPage {
    /// The spaces with their positions in the list.
    pub spaces: Vec<(VisibleSpace, ListPosition)>,
    /// Total number of items.
    pub count: i64,
}

/// Returns the spaces of a collection that the caller sees, after the cursor, in the order that
/// they had when the list was first requested.
///
/// # Errors
/// Returns an error if the store fails.
pub fn list_in_collection(
    cx: &Context<'_>,
    collection: &Collection,
    after: Option<&ListPosition>,
    rows: u32,
) -> Result<CollectionPage> {
    let Some(viewer) = viewer(cx, collection.organization)? else {
        return Ok(CollectionPage::default());
    };
    let since = match after {
        Some(after) => after.since,
        None => space_moves::last(cx.tx)?,
    };
    let count = spaces::count_in_collection(cx.tx, &viewer.filter, collection.id)?;
    let found = spaces::list_in_collection(cx.tx, &viewer.filter, collection.id, after, rows)?;
    let (found, positions): (Vec<Space>, Vec<String>) = found.into_iter().unzip();
    let mut positions: HashMap<SpaceId, String> =
        found.iter().map(|space| space.id).zip(positions).collect();
    let seen = viewer.seen(cx.tx, found)?.into_iter().map(|seen| {
        let position = positions.remove(&seen.space.id).unwrap_or_default();
        let place = ListPosition { since, position, space: seen.space.id.to_string() };
        (seen, place)
    });
    Ok(CollectionPage { spaces: seen.collect(), count })
}

/// Returns the spaces of an organization that both a member and the caller see, by creation time,
/// after the cursor, each with the role of the member.
///
/// # Errors
/// Returns 404 if the user is not a member of the organization.
pub fn list_of_member(
    cx: &Context<'_>,
    organization: OrganizationId,
    user: UserId,
    order: Order,
    after: Option<(Timestamp, &str)>,
    rows: u32,
) -> Result<(Vec<VisibleSpace>, i64)> {
    if members::get_membership(cx.tx, organization, user)?.is_none() {
        return Err(Error::not_found("member"));
    }
    let Some(viewer) = viewer(cx, organization)? else {
        return Ok((Vec::new(), 0));
    };
    let standing = access::membership_of(cx.tx, user, organization)?;
    let Some(space_viewer) = sight(user, standing.0) else {
        return Ok((Vec::new(), 0));
    };
    let filter = SpaceFilter { organization, viewer: space_viewer, within: viewer.filter.within };
    let found = spaces::list_visible(cx.tx, &filter, order, after, rows)?;
    let count = count(cx.tx, &filter, found.len(), after.is_none(), rows)?;
    let member = Viewer { user, standing, filter };
    Ok((member.seen(cx.tx, found)?, count))
}

/// Returns these spaces with the caller's role on each, without those that the caller does not see.
///
/// # Errors
/// Returns an error if the store fails.
pub fn seen_by_caller(
    cx: &Context<'_>,
    organization: OrganizationId,
    seen: Vec<VisibleSpace>,
) -> Result<Vec<VisibleSpace>> {
    let Some(viewer) = viewer(cx, organization)? else { return Ok(Vec::new()) };
    viewer.seen(cx.tx, seen.into_iter().map(|seen| seen.space).collect())
}
