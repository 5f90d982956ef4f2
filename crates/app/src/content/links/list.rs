//! Lists of the references of a content, by target and by holder.

use std::cell::OnceCell;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use bindery_content::document::Key;
use bindery_model::{Error, FileId, Location, PageId, Result, ReusableContentId, SpaceId};
use bindery_revision::tree::Tree;
use bindery_revision::{Content, Hash, ObjectError, Objects, Record};
use bytes::Bytes;

use super::cache::ContentIndex;
use super::context::{LinkContext, ResolvedTarget, Status};
use super::index::{Entries, TargetEntry};
use super::resolve::{Found, Group, Resolver, Target, of_file, of_page, of_page_in, of_spec};
use super::written::{Holder, Name, Relation, Text, Use};
use crate::content::snapshot::{broken_object, broken_tree};

/// Maximum number of locations that are listed for one target.
const MAX_LOCATIONS_PER_TARGET: usize = 100;
/// Maximum number of locations in one response, whatever limit the request names.
const MAX_LOCATIONS: usize = 1_000;
/// Maximum number of targets outside the space that are resolved for the counts. Further targets
/// are counted as existing.
const MAX_RESOLVED: usize = 1_000;
/// Maximum number of texts of other spaces that are read because the stored indexes do not cover
/// them yet.
const MAX_UNINDEXED: u64 = 1_000;

/// The location of a reference.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ReferenceLocation {
    /// The space; `None` for the requested one.
    pub space: Option<SpaceId>,
    /// The page or reusable content that holds the reference.
    pub holder: Holder,
    /// The block that contains it; `None` if it is not in the text.
    pub node: Option<Key>,
}

/// A target and the locations of the references to it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Usage {
    /// The cursor of this item in the list.
    pub place: String,
    /// The status of the target.
    pub status: Status,
    /// The relation of the references to the target.
    pub relation: Relation,
    /// The target.
    pub resolved_target: ResolvedTarget,
    /// The locations of the references.
    pub places: Vec<ReferenceLocation>,
}

/// Numbers of targets.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Stats {
    /// All targets.
    pub total: u64,
    /// Targets that do not exist.
    pub broken: u64,
    /// Broken targets that the change request broke; `None` outside change requests.
    pub broken_here: Option<u64>,
}

/// The origin of a broken reference.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BrokenBy {
    /// The change request broke it.
    ChangeRequest,
    /// It was already broken in the space.
    Space,
}

/// The filter and page of a list of targets.
#[derive(Clone, Debug, Default)]
pub struct LinkQuery {
    /// Lists only targets with this status.
    pub status: Option<Status>,
    /// Lists only broken targets of this origin.
    pub broken_by: Option<BrokenBy>,
    /// The cursor after which the list starts.
    pub after: Option<String>,
    /// Maximum number of items.
    pub limit: usize,
}

impl LinkQuery {
    fn after(&self) -> Result<Option<Bytes>> {
        let decode = |cursor: &String| {
            let key = URL_SAFE_NO_PAD.decode(cursor).map(Bytes::from);
            key.map_err(|_| invalid_cursor())
        };
        self.after.as_ref().map(decode).transpose()
    }

    fn wants(&self, status: Status, fresh: bool) -> bool {
        let by = match self.broken_by {
            None => true,
            Some(by) => status == Status::Broken && fresh == (by == BrokenBy::ChangeRequest),
        };
        by && self.status.is_none_or(|wanted| wanted == status)
    }
}

/// A page of a list of targets.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Usages {
    /// The items.
    pub items: Vec<Usage>,
    /// `true` if more items follow.
    pub more: bool,
    /// Total number of items that match the filter.
    pub count: u64,
    /// Numbers of all targets, regardless of the filter.
    pub stats: Stats,
}

/// A content with its index.
struct Indexed<'a> {
    content: &'a Content,
    objects: &'a dyn Objects,
    context: &'a LinkContext<'a>,
    made: OnceCell<Arc<ContentIndex>>,
}

impl<'a> Indexed<'a> {
    /// Creates a content of the space. The index is loaded on first use.
    const fn of(
        content: &'a Content,
        objects: &'a dyn Objects,
        context: &'a LinkContext<'a>,
    ) -> Self {
        Self { content, objects, context, made: OnceCell::new() }
    }

    fn entries(&self) -> Result<Entries<'_>> {
        let made = match self.made.get() {
            Some(made) => made,
            None => {
                let made = self.context.index_of(self.content)?;
                self.made.get_or_init(|| made)
            }
        };
        Ok(Entries { map: made.index.entries, objects: self })
    }

    fn held(&self, hash: &Hash) -> Option<Bytes> {
        self.made.get()?.objects.get(hash).ok()
    }
}

impl Objects for Indexed<'_> {
    fn get(&self, hash: &Hash) -> std::result::Result<Bytes, ObjectError> {
        self.held(hash).map_or_else(|| self.objects.get(hash), Ok)
    }
}

/// The references of a content.
pub struct Links<'a> {
    here: Indexed<'a>,
    /// The content from which the change request started.
    base: Option<Indexed<'a>>,
    context: &'a LinkContext<'a>,
}

impl std::fmt::Debug for Links<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Links").finish_non_exhaustive()
    }
}

impl<'a> Links<'a> {
    /// Creates the references of a content. For a change request, `base` is the content from which
    /// it started.
    pub fn of(
        content: &'a Content,
        base: Option<&'a Content>,
        objects: &'a dyn Objects,
        context: &'a LinkContext<'a>,
    ) -> Self {
        let of = |content| Indexed::of(content, objects, context);
        Self { here: of(content), base: base.map(of), context }
    }

    /// Lists the targets of all references of the content.
    ///
    /// # Errors
    /// Returns an error if an object cannot be read.
    pub fn of_space(&self, query: &LinkQuery) -> Result<Usages> {
        let entries = self.here.entries()?;
        let count = |group| entries.count(group);
        let (broken, outside, sound) =
            (count(Group::Broken)?, count(Group::Elsewhere)?, count(Group::Sound)?);
        let fresh = self.newly_broken()?;
        let mut counts = Counts::default();
        let mut outsiders = HashMap::new();
        for entry in entries.targets(&[Group::Elsewhere.tag()], None).take(MAX_RESOLVED) {
            let (key, entry) = entry?;
            let (status, resolved_target) = self.context.resolve(&entry.target.found)?;
            counts.add(status, self.is_newly_broken(&entry)?, 1);
            outsiders.insert(key, (status, resolved_target));
        }
        counts.add(Status::Ok, false, outside.saturating_sub(outsiders.len() as u64) + sound);
        let fresh_count = fresh.as_ref().map_or(0, |fresh| fresh.len() as u64);
        counts.add(Status::Broken, true, fresh_count);
        counts.add(Status::Broken, false, broken.saturating_sub(fresh_count));
        let mut found = Usages {
            count: counts.of(query),
            stats: counts.stats(self.base.is_some()),
            ..Usages::default()
        };
        let after = query.after()?;
        let mut texts = Texts::of(&self.here);
        let mut listed_locations = 0;
        for group in Group::ALL {
            let prefix = [group.tag()];
            if after.as_ref().is_some_and(|after| after.first() > prefix.first())
                || !may_match(group, query)
            {
                continue;
            }
            let listed: Box<dyn Iterator<Item = Result<(Bytes, TargetEntry)>>> =
                match (group, query.broken_by, &fresh) {
                    // These may be few among many broken targets, so avoid a scan.
                    (Group::Broken, Some(BrokenBy::ChangeRequest), Some(fresh)) => {
                        let behind = fresh.iter().filter(|(key, _)| after.as_ref() < Some(*key));
                        Box::new(behind.map(|(key, entry)| Ok((key.clone(), entry.clone()))))
                    }
                    _ => Box::new(entries.targets(&prefix, after.as_deref())),
                };
            for item in listed {
                let (key, entry) = item?;
                let target = &entry.target;
                let (status, resolved_target) = match outsiders.remove(&key) {
                    Some(known) => known,
                    None if group == Group::Elsewhere => {
                        (Status::Ok, self.context.resolve(&target.found)?.1)
                    }
                    None => of_group(target),
                };
                let is_newly_broken = status == Status::Broken
                    && match (&fresh, group) {
                        (Some(fresh), Group::Broken) => fresh.contains_key(&key),
                        _ => self.is_newly_broken(&entry)?,
                    };
                if !query.wants(status, is_newly_broken) {
                    continue;
                }
                if found.items.len() >= query.limit || listed_locations >= MAX_LOCATIONS {
                    found.more = true;
                    return Ok(found);
                }
                let relation = target.relation;
                let places = self.places(&entry.names, &mut texts)?;
                listed_locations += places.len();
                let place = URL_SAFE_NO_PAD.encode(&key);
                found.items.push(Usage { place, status, relation, resolved_target, places });
            }
        }
        Ok(found)
    }

    /// Returns the targets that the change request broke; `None` outside change requests.
    fn newly_broken(&self) -> Result<Option<BTreeMap<Bytes, TargetEntry>>> {
        let Some(base) = &self.base else { return Ok(None) };
        let both = Both(&self.here, base);
        let mut fresh = BTreeMap::new();
        for one in base.entries()?.map.diff(&self.here.entries()?.map, &both) {
            let one = one.map_err(broken_object)?;
            if one.key.first() != Some(&Group::Broken.tag()) {
                break;
            }
            if let (None, Some(new)) = (one.old, one.new) {
                let entry = TargetEntry::decode(&new).map_err(broken_object)?;
                if self.is_newly_broken(&entry)? {
                    fresh.insert(one.key, entry);
                }
            }
        }
        Ok(Some(fresh))
    }

    /// Returns `true` if a reference to a broken target is new, or had an existing target in the
    /// base content.
    fn is_newly_broken(&self, entry: &TargetEntry) -> Result<bool> {
        let Some(base) = &self.base else { return Ok(false) };
        for name in &entry.names {
            let before = base.entries()?.target(name)?;
            if before.is_none_or(|before| before.group == Group::Sound) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Returns the locations of written references.
    fn places(&self, names: &[Name], texts: &mut Texts<'_>) -> Result<Vec<ReferenceLocation>> {
        let mut places = Vec::new();
        for holder in self.here.entries()?.holders(names, None, MAX_LOCATIONS_PER_TARGET)? {
            let mut nodes = HashSet::new();
            for (node, name) in texts.of_holder(holder)? {
                if places.len() >= MAX_LOCATIONS_PER_TARGET {
                    return Ok(places);
                }
                if names.contains(name) && nodes.insert(*node) {
                    places.push(ReferenceLocation { space: None, holder, node: *node });
                }
            }
        }
        Ok(places)
    }

    /// Lists the targets of the references of one page.
    ///
    /// # Errors
    /// Returns 404 if the page does not exist.
    pub fn of_page(&self, page: PageId, query: &LinkQuery) -> Result<Usages> {
        let Indexed { content, objects, .. } = &self.here;
        let record = content.page(objects, page).map_err(broken_object)?;
        let text = Text::of_page(objects, record.ok_or_else(|| Error::not_found("page"))?)?;
        let resolver = Resolver::new(content, objects);
        let mut targets: BTreeMap<Bytes, (TargetEntry, Vec<ReferenceLocation>)> = BTreeMap::new();
        let mut known = HashMap::new();
        let mut seen = HashSet::new();
        for Use { node, written } in text.uses() {
            let name = written.name().map_err(broken_object)?;
            let (key, target) = match known.get(&name) {
                Some(known) => known,
                None => {
                    let (target, _) = resolver.resolve(&written)?;
                    known.entry(name).or_insert((target.key(), target))
                }
            };
            let (entry, places) = targets.entry(key.clone()).or_insert_with(|| {
                (TargetEntry { target: target.clone(), names: Vec::new() }, Vec::new())
            });
            if seen.insert((key.clone(), node)) && places.len() < MAX_LOCATIONS_PER_TARGET {
                places.push(ReferenceLocation { space: None, holder: text.holder, node });
            }
            entry.names.push(name);
        }
        let (mut found, mut counts) = (Usages::default(), Counts::default());
        let mut listed_locations = 0;
        let after = query.after()?;
        for (key, (entry, places)) in targets {
            let target = &entry.target;
            let (status, resolved_target) = match target.group {
                Group::Elsewhere => self.context.resolve(&target.found)?,
                _ => of_group(target),
            };
            let fresh = status == Status::Broken && self.is_newly_broken(&entry)?;
            counts.add(status, fresh, 1);
            if !query.wants(status, fresh) || after.as_ref().is_some_and(|after| key <= *after) {
                continue;
            }
            if found.items.len() >= query.limit || listed_locations >= MAX_LOCATIONS {
                found.more = true;
                continue;
            }
            listed_locations += places.len();
            let place = URL_SAFE_NO_PAD.encode(&key);
            let relation = target.relation;
            found.items.push(Usage { place, status, relation, resolved_target, places });
        }
        found.count = counts.of(query);
        found.stats = counts.stats(self.base.is_some());
        Ok(found)
    }

    /// Lists the backlinks of a page: each holder except the page itself, with its first reference,
    /// after a cursor. Also returns the total number. Holders in other spaces come last.
    ///
    /// # Errors
    /// Returns 404 if the page does not exist.
    pub fn to_page(
        &self,
        page: PageId,
        after: Option<&str>,
        rows: usize,
    ) -> Result<(Vec<ReferenceLocation>, u64)> {
        let Indexed { content, objects, .. } = &self.here;
        let known = content.page(objects, page).map_err(broken_object)?;
        known.ok_or_else(|| Error::not_found("page"))?;
        // A link to a missing anchor is broken, but still a backlink of the page.
        let keys = [Group::Broken, Group::Sound].map(|group| of_page(group, page));
        let after = after.map(parse_cursor).transpose()?;
        let mut found = Backlinks { places: Vec::new(), count: 0, after, rows };
        found.add(&self.here, None, &keys, Some(Holder::Page(page)))?;
        let path = Tree::new(content, objects).path(page).map_err(broken_tree)?;
        let keys = of_page_in(self.context.own(), &path, page);
        let mut most = MAX_UNINDEXED;
        for neighbour in self.context.referring()? {
            let Some(made) = self.context.index_near(&neighbour, &mut most)? else { continue };
            let there = Indexed::of(&made.content, self.context.objects(), self.context);
            let there = Indexed { made: OnceCell::from(Arc::clone(&made)), ..there };
            found.add(&there, Some(neighbour.seen.space.id), &keys, None)?;
        }
        Ok((found.places, found.count))
    }

    /// Lists the backlinks of a file, like [`Links::to_page`].
    ///
    /// # Errors
    /// Returns 404 if the file does not exist.
    pub fn to_file(
        &self,
        file: FileId,
        after: Option<&str>,
        rows: usize,
    ) -> Result<(Vec<ReferenceLocation>, u64)> {
        let known = self.here.content.file(self.here.objects, file).map_err(broken_object)?;
        known.ok_or_else(|| Error::not_found("file"))?;
        let after = after.map(parse_cursor).transpose()?;
        let mut found = Backlinks { places: Vec::new(), count: 0, after, rows };
        found.add(&self.here, None, &[of_file(Group::Sound, file)], None)?;
        Ok((found.places, found.count))
    }
}

/// The requested page of backlinks, and their total number.
struct Backlinks {
    places: Vec<ReferenceLocation>,
    count: u64,
    after: Option<(Option<SpaceId>, Holder)>,
    rows: usize,
}

impl Backlinks {
    /// Adds the holders of references, in one content, to targets whose keys start with one of
    /// `keys`. Leaves out the holder `but`.
    fn add(
        &mut self,
        content: &Indexed<'_>,
        space: Option<SpaceId>,
        keys: &[Vec<u8>],
        but: Option<Holder>,
    ) -> Result<()> {
        let entries = content.entries()?;
        let mut names = Vec::new();
        for key in keys {
            for entry in entries.targets(key, None) {
                names.extend(entry?.1.names);
            }
        }
        self.count += entries.count_holders(&names)?;
        if let Some(but) = but {
            self.count -= u64::from(entries.is_holder(&names, but)?);
        }
        let left = self.rows.saturating_sub(self.places.len());
        let after = match self.after {
            Some((behind, _)) if behind > space => return Ok(()),
            Some((behind, holder)) if behind == space => Some(holder),
            _ => None,
        };
        if left == 0 {
            return Ok(());
        }
        let mut holders = entries.holders(&names, after, left.saturating_add(1))?;
        holders.retain(|holder| Some(*holder) != but);
        holders.truncate(left);
        let names: HashSet<Name> = names.into_iter().collect();
        let mut texts = Texts::of(content);
        for holder in holders {
            let uses = texts.of_holder(holder)?;
            let first = uses.iter().find(|(_, name)| names.contains(name));
            self.places.push(ReferenceLocation {
                space,
                holder,
                node: first.and_then(|(node, _)| *node),
            });
        }
        Ok(())
    }
}

impl std::fmt::Display for ReferenceLocation {
    /// Formats the cursor of the location in a list of backlinks.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (kind, id) = match self.holder {
            Holder::Page(id) => ("page", id.id()),
            Holder::Reusable(id) => ("reusable", id.id()),
        };
        let space = self.space.map_or_else(String::new, |space| space.to_string());
        write!(f, "{space} {kind} {id}")
    }
}

fn parse_cursor(text: &str) -> Result<(Option<SpaceId>, Holder)> {
    let mut words = text.split(' ');
    let (space, kind, id) = (words.next(), words.next(), words.next().unwrap_or_default());
    let holder = match kind {
        Some("page") => PageId::parse(id).map(Holder::Page),
        _ => ReusableContentId::parse(id).map(Holder::Reusable),
    };
    let holder = holder.ok_or_else(invalid_cursor)?;
    Ok((space.and_then(SpaceId::parse), holder))
}

fn invalid_cursor() -> Error {
    Error::invalid("not a position in this list").at(Location::Query("page"))
}

/// The objects of two contents.
struct Both<'a>(&'a Indexed<'a>, &'a Indexed<'a>);

impl Objects for Both<'_> {
    fn get(&self, hash: &Hash) -> std::result::Result<Bytes, ObjectError> {
        self.1.held(hash).map_or_else(|| self.0.get(hash), Ok)
    }
}

/// Returns `true` if targets of a group can match the query.
fn may_match(group: Group, query: &LinkQuery) -> bool {
    match (group, query.broken_by, query.status) {
        (Group::Elsewhere, _, _) => true,
        (Group::Broken, _, status) => status.is_none_or(|status| status == Status::Broken),
        (Group::Sound, by, status) => {
            by.is_none() && status.is_none_or(|status| status == Status::Ok)
        }
    }
}

/// Returns the pages and reusable contents of a content that refer to the OpenAPI specification with
/// this slug, at most `most`.
///
/// # Errors
/// Returns an error if the store fails.
pub fn holders_of_spec(
    context: &LinkContext<'_>,
    content: &Content,
    slug: &str,
    most: usize,
) -> Result<Vec<Holder>> {
    let indexed = Indexed::of(content, context.objects(), context);
    let entries = indexed.entries()?;
    let prefix = of_spec(Group::Elsewhere, slug);
    let mut holders = Vec::new();
    for found in entries.targets(&prefix, None) {
        let (_, TargetEntry { target, names }) = found?;
        // The key of a long slug can begin with another slug.
        if target.found == Found::OpenApi(slug.to_owned()) {
            holders.extend(entries.holders(&names, None, most)?);
        }
    }
    holders.truncate(most);
    Ok(holders)
}

/// Returns the status and the target, as far as the content alone determines them.
fn of_group(target: &Target) -> (Status, ResolvedTarget) {
    let status = if target.group == Group::Broken { Status::Broken } else { Status::Ok };
    let resolved_target = match &target.found {
        Found::Page(page, anchor) => ResolvedTarget::Page(None, *page, anchor.clone()),
        Found::File(file) => ResolvedTarget::File(*file),
        Found::Reusable(id) => ResolvedTarget::Reusable(None, *id),
        Found::Url(text) | Found::Nothing(text) => ResolvedTarget::Url(text.clone()),
        Found::OfSpace(..) | Found::User(_) | Found::Collection(_) | Found::OpenApi(_) => {
            ResolvedTarget::Nothing
        }
    };
    (status, resolved_target)
}

/// Numbers of targets by status.
#[derive(Default)]
struct Counts {
    ok: u64,
    in_app: u64,
    broken: u64,
    fresh: u64,
}

impl Counts {
    fn add(&mut self, status: Status, fresh: bool, how_many: u64) {
        match status {
            Status::Ok => self.ok += how_many,
            Status::InApp => self.in_app += how_many,
            Status::Broken if fresh => self.fresh += how_many,
            Status::Broken => self.broken += how_many,
        }
    }

    fn of(&self, query: &LinkQuery) -> u64 {
        let each = [
            (self.ok, Status::Ok, false),
            (self.in_app, Status::InApp, false),
            (self.broken, Status::Broken, false),
            (self.fresh, Status::Broken, true),
        ];
        let wanted = each.into_iter().filter(|(_, status, fresh)| query.wants(*status, *fresh));
        wanted.map(|(count, ..)| count).sum()
    }

    const fn stats(&self, has_base: bool) -> Stats {
        let broken = self.broken + self.fresh;
        Stats {
            total: self.ok + self.in_app + broken,
            broken,
            broken_here: if has_base { Some(self.fresh) } else { None },
        }
    }
}

/// The references of texts. Each text is parsed once.
struct Texts<'a> {
    content: &'a Content,
    objects: &'a dyn Objects,
    known: HashMap<Holder, Vec<(Option<Key>, Name)>>,
}

impl<'a> Texts<'a> {
    fn of(indexed: &'a Indexed<'a>) -> Self {
        Self { content: indexed.content, objects: indexed.objects, known: HashMap::new() }
    }

    fn of_holder(&mut self, holder: Holder) -> Result<&[(Option<Key>, Name)]> {
        if !self.known.contains_key(&holder) {
            let text = match holder {
                Holder::Page(id) => {
                    let record = self.content.page(self.objects, id).map_err(broken_object)?;
                    record.map(|record| Text::of_page(self.objects, record)).transpose()?
                }
                Holder::Reusable(id) => {
                    let record = self.content.reusable(self.objects, id).map_err(broken_object)?;
                    record.map(|record| Text::of_reusable(self.objects, &record)).transpose()?
                }
            };
            let uses = text.iter().flat_map(Text::uses);
            let named = uses.map(|one| Ok((one.node, one.written.name()?)));
            let named: std::result::Result<_, ObjectError> = named.collect();
            self.known.insert(holder, named.map_err(broken_object)?);
        }
        Ok(self.known.get(&holder).map_or(&[], Vec::as_slice))
    }
}
