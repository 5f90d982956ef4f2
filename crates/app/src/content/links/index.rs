//! The index of a content's references, built from the index of a similar content.
//!
//! The index is one map. The first byte of a key selects the part:
//!
//! - 0, 1, 2: targets by [`Group`], each with the names of the written references that resolve to
//!   it. Separate groups allow sound and broken targets to be counted and listed independently.
//! - 3: facets of the content → the written references that depend on them.
//! - 4: written references → their holders.
//! - 5: written references → their content, their target, and the facets that this depends on.
//!
//! An update compares the references of each changed text with its earlier ones, and looks up the
//! references that depend on other changed facets. Its cost therefore depends on the size of the
//! change, not on the size of the space.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::thread;

use bindery_model::{Id, Result, SpaceId};
use bindery_revision::map::{Edit, MapBuilder};
use bindery_revision::{
    Content, Difference, Direction, Hash, LinkIndex, Map, ObjectError, Objects, PageRecord, Record,
    ReusableRecord, Staging,
};
use bytes::Bytes;
use serde::{Deserialize, Serialize};

use super::resolve::{Group, Resolver, Target, facet_name, of_any_space};
use super::written::{Holder, Name, Text, Written, same_in_record};
use crate::content::snapshot::broken_object;

/// Version of the index format. Raise it when the same content results in another index; a
/// migration must then mark all spaces as outdated.
const VERSION: u8 = 3;

const FACETS: u8 = 3;
const HOLDERS: u8 = 4;
const WRITTEN: u8 = 5;

/// Bytes of sources that are collected before they are parsed on all cores.
const BATCH_BYTES: usize = 4 << 20;
/// Minimum number of texts that are parsed in parallel.
const MIN_PARALLEL: usize = 64;
/// Bytes of new objects that are staged before they are stored.
const MAX_STAGED: usize = 8 << 20;
/// Maximum number of other spaces that are recorded as referenced by one space.
const MAX_SPACES: usize = 1_000;

/// A function that stores new objects.
pub(super) type Sink<'s> =
    dyn FnMut(Vec<(Hash, Bytes)>) -> std::result::Result<(), ObjectError> + 's;

/// A target and the names of the written references that resolve to it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) struct TargetEntry {
    pub(super) target: Target,
    pub(super) names: Vec<Name>,
}

impl Record for TargetEntry {
    const NAME: &'static str = "a target of references";
}

/// A written reference with its target and the facets that the target depends on.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
struct ReferenceEntry {
    written: Written,
    target: Target,
    depends_on: Vec<Name>,
}

impl Record for ReferenceEntry {
    const NAME: &'static str = "a written reference";
}

/// Returns the fingerprint of the parts of a content that its index covers.
pub(super) fn indexed(content: &Content) -> Hash {
    content.link_fingerprint(VERSION)
}

/// Builds the index of a content from that of another one. The cost depends on the difference
/// between the two. A base is ignored if its index does not match its content or if its salt
/// differs.
///
/// # Errors
/// Returns an error if an object cannot be read or stored.
pub(super) fn index(
    objects: &dyn Objects,
    base: Option<(&Content, LinkIndex)>,
    content: &Content,
    sink: &mut Sink<'_>,
) -> Result<LinkIndex> {
    let of = Some(indexed(content));
    let nothing = Content::empty(content.salt());
    let (base, before) = base
        .filter(|(base, index)| {
            index.source == Some(indexed(base)) && base.salt() == content.salt()
        })
        .unwrap_or((&nothing, LinkIndex::empty(content.salt())));
    if before.source == of {
        return Ok(before);
    }
    let mut work = Work {
        objects,
        before: before.entries,
        holders: Vec::new(),
        written: HashMap::new(),
        touched: BTreeSet::new(),
    };
    work.texts(base, content)?;
    work.dependents(base, content)?;
    let edits = work.settle(content)?;
    let entries = edits.apply(work.before, objects, sink).map_err(broken_object)?;
    Ok(LinkIndex { entries, source: of })
}

/// Returns the spaces that an indexed content refers to, at most [`MAX_SPACES`].
///
/// # Errors
/// Returns an error if an object cannot be read.
pub(super) fn other_spaces(
    objects: &dyn Objects,
    index: &LinkIndex,
) -> std::result::Result<Vec<SpaceId>, ObjectError> {
    let entries = index.entries;
    let prefix = of_any_space(Group::Elsewhere);
    let mut found = Vec::new();
    let mut from = prefix.clone();
    while found.len() < MAX_SPACES {
        let next = entries.range(objects, Some(&from), Direction::Ascending).next().transpose()?;
        let id = next.as_ref().and_then(|(key, _)| key.strip_prefix(prefix.as_slice()));
        let Some(id) = id.and_then(|id| SpaceId::from_bytes(id.get(..Id::LEN)?)) else { break };
        found.push(id);
        // Skip all keys of this space: none continues with this byte.
        from = [prefix.as_slice(), id.as_bytes(), &[u8::MAX]].concat();
    }
    Ok(found)
}

/// The key of a holder of a written reference; `true` if it is added, `false` if it is removed.
type HolderKeyChange = ([u8; 1 + 16 + Holder::LEN], bool);

struct Work<'w> {
    objects: &'w dyn Objects,
    before: Map,
    holders: Vec<HolderKeyChange>,
    /// Written references that were added to a text.
    written: HashMap<Name, Written>,
    /// Written references whose entries may have to change.
    touched: BTreeSet<Name>,
}

/// A text before and after the change.
struct Changed {
    before: Option<Text>,
    now: Option<Text>,
}

/// The references that were added to a text, and the names of those that were removed.
struct TextDifference {
    holder: Holder,
    added: Vec<(Name, Written)>,
    removed: Vec<Name>,
}

impl Changed {
    fn difference(&self) -> std::result::Result<Option<TextDifference>, ObjectError> {
        let names = |text: &Option<Text>| {
            let uses = text.iter().flat_map(Text::uses);
            uses.map(|one| Ok((one.written.name()?, one.written)))
                .collect::<std::result::Result<BTreeMap<Name, Written>, ObjectError>>()
        };
        let Some(holder) = self.now.as_ref().or(self.before.as_ref()).map(|text| text.holder)
        else {
            return Ok(None);
        };
        let (mut before, mut added) = (names(&self.before)?, names(&self.now)?);
        added.retain(|name, _| before.remove(name).is_none());
        if added.is_empty() && before.is_empty() {
            return Ok(None);
        }
        let removed = before.into_keys().collect();
        Ok(Some(TextDifference { holder, added: added.into_iter().collect(), removed }))
    }

    fn bytes(&self) -> usize {
        self.before.iter().chain(&self.now).map(Text::bytes).sum()
    }
}

impl Work<'_> {
    /// Collects the references that changed in texts.
    fn texts(&mut self, base: &Content, content: &Content) -> Result<()> {
        let mut held: Vec<Changed> = Vec::new();
        let mut bytes = 0;
        for one in base.pages.diff(&content.pages, self.objects) {
            let Difference { old, new, .. } = one.map_err(broken_object)?;
            let read = |bytes: Option<Bytes>| {
                bytes.map(|bytes| PageRecord::decode(&bytes)).transpose().map_err(broken_object)
            };
            let (old, new) = (read(old)?, read(new)?);
            if let (Some(old), Some(new)) = (&old, &new)
                && old.body == new.body
                && same_in_record(old, new)
            {
                continue;
            }
            let text = |record: Option<PageRecord>| {
                record.map(|record| Text::of_page(self.objects, record)).transpose()
            };
            held.push(Changed { before: text(old)?, now: text(new)? });
            bytes += held.last().map_or(0, Changed::bytes);
            if bytes >= BATCH_BYTES {
                self.compare(&std::mem::take(&mut held))?;
                bytes = 0;
            }
        }
        for one in base.reusable.diff(&content.reusable, self.objects) {
            let Difference { old, new, .. } = one.map_err(broken_object)?;
            let text = |bytes: Option<Bytes>| -> Result<Option<Text>> {
                let Some(bytes) = bytes else { return Ok(None) };
                let record = ReusableRecord::decode(&bytes).map_err(broken_object)?;
                Text::of_reusable(self.objects, &record).map(Some)
            };
            held.push(Changed { before: text(old)?, now: text(new)? });
        }
        self.compare(&held)
    }

    /// Parses and compares texts; in parallel, if there are many.
    fn compare(&mut self, texts: &[Changed]) -> Result<()> {
        let cores = thread::available_parallelism().map_or(1, usize::from);
        if texts.len() < MIN_PARALLEL || cores == 1 {
            for text in texts {
                self.take(text.difference().map_err(broken_object)?);
            }
            return Ok(());
        }
        let found = thread::scope(|scope| {
            let parts = texts.chunks(texts.len().div_ceil(cores));
            let threads: Vec<_> = parts
                .map(|part| {
                    scope.spawn(|| part.iter().map(Changed::difference).collect::<Vec<_>>())
                })
                .collect();
            let joined = threads.into_iter().map(|thread| {
                thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            });
            joined.collect::<Vec<_>>()
        });
        for one in found.into_iter().flatten() {
            self.take(one.map_err(broken_object)?);
        }
        Ok(())
    }

    fn take(&mut self, difference: Option<TextDifference>) {
        let Some(TextDifference { holder, added, removed }) = difference else { return };
        for name in removed {
            self.holders.push((held_by(&name, holder), false));
            self.touched.insert(name);
        }
        for (name, written) in added {
            self.holders.push((held_by(&name, holder), true));
            self.written.entry(name).or_insert(written);
            self.touched.insert(name);
        }
    }

    /// Collects the references that depend on changed facets of the content.
    fn dependents(&mut self, base: &Content, content: &Content) -> Result<()> {
        if self.before.is_empty() {
            return Ok(());
        }
        // No reference depends on variables, and a change of them would affect every facet.
        let mut base = base.clone();
        base.variables = content.variables.clone();
        let mut facets = HashSet::new();
        let mut collect = |facet: bindery_revision::Facet<'_>| {
            facets.insert(facet_name(facet));
            true
        };
        base.changed_facets(content, self.objects, &mut collect).map_err(broken_object)?;
        for facet in facets {
            let prefix = key(FACETS, &facet);
            for entry in self.before.prefix(self.objects, &prefix) {
                let (found, _) = entry.map_err(broken_object)?;
                let name = found.get(prefix.len()..).and_then(|name| Name::try_from(name).ok());
                self.touched.extend(name);
            }
        }
        Ok(())
    }

    /// Computes the changes of all entries.
    fn settle(&mut self, content: &Content) -> Result<Edits> {
        self.holders.sort_unstable();
        let resolver = Resolver::new(content, self.objects);
        let mut edits = Edits::default();
        let mut targets: BTreeMap<Bytes, TargetChange> = BTreeMap::new();
        for name in std::mem::take(&mut self.touched) {
            let known = self.known(&name)?;
            let written = match (&known, self.written.remove(&name)) {
                (Some(known), _) => known.written.clone(),
                (None, Some(written)) => written,
                (None, None) => continue,
            };
            let now = if self.is_held(&name)? {
                let (target, depends_on) = resolver.resolve(&written)?;
                Some(ReferenceEntry { written, target, depends_on })
            } else {
                None
            };
            if known == now {
                continue;
            }
            let depends_on = |known: &Option<ReferenceEntry>| -> BTreeSet<Name> {
                known.iter().flat_map(|known| known.depends_on.iter().copied()).collect()
            };
            let (old, new) = (depends_on(&known), depends_on(&now));
            for facet in old.difference(&new) {
                edits.others.insert(dependent_key(facet, &name), None);
            }
            for facet in new.difference(&old) {
                edits.others.insert(dependent_key(facet, &name), Some(Bytes::new()));
            }
            let to =
                |known: &Option<ReferenceEntry>| known.as_ref().map(|known| known.target.clone());
            let (old, new) = (to(&known), to(&now));
            if old != new {
                if let Some(old) = old {
                    targets
                        .entry(old.key())
                        .or_insert_with(|| TargetChange::of(old))
                        .removed
                        .insert(name);
                }
                if let Some(new) = new {
                    targets
                        .entry(new.key())
                        .or_insert_with(|| TargetChange::of(new))
                        .added
                        .insert(name);
                }
            }
            let entry = now.map(|now| now.encode()).transpose().map_err(broken_object)?;
            edits.others.insert(key(WRITTEN, &name), entry);
        }
        for (key, change) in targets {
            let value = self.target_entry(&key, change)?;
            edits.others.insert(key, value);
        }
        edits.holders = std::mem::take(&mut self.holders);
        Ok(edits)
    }

    fn known(&self, name: &Name) -> Result<Option<ReferenceEntry>> {
        let entry = self.before.get(self.objects, &key(WRITTEN, name)).map_err(broken_object)?;
        entry.map(|entry| ReferenceEntry::decode(&entry)).transpose().map_err(broken_object)
    }

    /// Returns `true` if a written reference has a holder after the change.
    fn is_held(&self, name: &Name) -> Result<bool> {
        let prefix = key(HOLDERS, name);
        let from = self.holders.partition_point(|(key, _)| key[..] < prefix[..]);
        let here = self.holders.iter().skip(from);
        let mut removed = 0;
        for (_, is_added) in here.take_while(|(key, _)| key.starts_with(&prefix)) {
            if *is_added {
                return Ok(true);
            }
            removed += 1;
        }
        let before = self.before.count_prefix(self.objects, &prefix).map_err(broken_object)?;
        Ok(before > removed)
    }

    /// Returns the new entry of a target; `None` if no reference resolves to it any more.
    fn target_entry(&self, key: &Bytes, change: TargetChange) -> Result<Option<Bytes>> {
        let TargetChange { target, removed, added } = change;
        let before = self.before.get(self.objects, key).map_err(broken_object)?;
        let mut names = match before {
            Some(entry) => TargetEntry::decode(&entry).map_err(broken_object)?.names,
            None => Vec::new(),
        };
        names.retain(|name| !removed.contains(name) && !added.contains(name));
        names.extend(added);
        names.sort_unstable();
        if names.is_empty() {
            return Ok(None);
        }
        TargetEntry { target, names }.encode().map(Some).map_err(broken_object)
    }
}

/// The written references that a target loses and gains.
struct TargetChange {
    target: Target,
    removed: BTreeSet<Name>,
    added: BTreeSet<Name>,
}

impl TargetChange {
    const fn of(target: Target) -> Self {
        Self { target, removed: BTreeSet::new(), added: BTreeSet::new() }
    }
}

/// Changes of entries. The keys of holders have a compact form of their own, as there are many.
#[derive(Default)]
struct Edits {
    holders: Vec<HolderKeyChange>,
    others: BTreeMap<Bytes, Option<Bytes>>,
}

impl Edits {
    fn apply(
        self,
        before: Map,
        objects: &dyn Objects,
        sink: &mut Sink<'_>,
    ) -> std::result::Result<Map, ObjectError> {
        let Self { holders, mut others } = self;
        let behind = others.split_off(&Bytes::from_static(&[WRITTEN]));
        let holders = holders.into_iter().map(|(key, is_added)| -> Edit {
            (Bytes::copy_from_slice(&key), is_added.then(Bytes::new))
        });
        let edits = others.into_iter().chain(holders).chain(behind);
        let mut staging = Staging::new(objects);
        let entries = if before.is_empty() {
            let mut builder = MapBuilder::new(before.salt());
            for (key, value) in edits {
                let Some(value) = value else { continue };
                builder.push(&mut staging, key, value);
                if staging.bytes() >= MAX_STAGED {
                    sink(staging.drain())?;
                }
            }
            builder.finish(&mut staging)
        } else {
            before.apply(&mut staging, edits)?
        };
        match staging.drain() {
            new if new.is_empty() => {}
            new => sink(new)?,
        }
        Ok(entries)
    }
}

fn key(part: u8, rest: &[u8]) -> Bytes {
    [&[part], rest].concat().into()
}

/// Returns the key of a holder of a written reference.
fn held_by(name: &Name, holder: Holder) -> [u8; 1 + 16 + Holder::LEN] {
    let mut key = [HOLDERS; 1 + 16 + Holder::LEN];
    let rest = key.iter_mut().skip(1);
    for (to, from) in rest.zip(name.iter().chain(&holder.key())) {
        *to = *from;
    }
    key
}

/// Returns the key of a written reference that depends on a facet of the content.
fn dependent_key(facet: &Name, name: &Name) -> Bytes {
    [&[FACETS], facet.as_slice(), name].concat().into()
}

/// The entries of an index, for reading.
#[derive(Clone, Copy)]
pub(super) struct Entries<'a> {
    pub(super) map: Map,
    pub(super) objects: &'a dyn Objects,
}

impl<'a> Entries<'a> {
    /// Iterates over the targets whose keys start with `prefix`, after the key `after`.
    pub(super) fn targets(
        self,
        prefix: &'a [u8],
        after: Option<&'a [u8]>,
    ) -> impl Iterator<Item = Result<(Bytes, TargetEntry)>> + 'a {
        let from = after.filter(|after| *after > prefix).unwrap_or(prefix);
        let range = self.map.range(self.objects, Some(from), Direction::Ascending);
        let inside = move |entry: &std::result::Result<(Bytes, Bytes), ObjectError>| {
            entry.as_ref().map_or(true, |(key, _)| key.starts_with(prefix))
        };
        range.take_while(inside).filter_map(move |entry| {
            let (key, value) = match entry {
                Ok(entry) => entry,
                Err(error) => return Some(Err(broken_object(error))),
            };
            if after == Some(&key[..]) {
                return None;
            }
            let entry = TargetEntry::decode(&value).map_err(broken_object);
            Some(entry.map(|entry| (key, entry)))
        })
    }

    /// Counts the targets of a group.
    pub(super) fn count(self, group: Group) -> Result<u64> {
        self.map.count_prefix(self.objects, &[group.tag()]).map_err(broken_object)
    }

    /// Returns the target of a written reference, if it has a holder.
    pub(super) fn target(self, name: &Name) -> Result<Option<Target>> {
        let known = self.map.get(self.objects, &key(WRITTEN, name)).map_err(broken_object)?;
        let known =
            known.map(|known| ReferenceEntry::decode(&known)).transpose().map_err(broken_object)?;
        Ok(known.map(|known| known.target))
    }

    /// Returns the holders of any of these written references, each once, in order, after `after`.
    pub(super) fn holders(
        self,
        names: &[Name],
        after: Option<Holder>,
        most: usize,
    ) -> Result<Vec<Holder>> {
        let mut found = BTreeSet::new();
        for name in names {
            let prefix = key(HOLDERS, name);
            let from = after.map_or_else(
                || prefix.clone(),
                |after| Bytes::copy_from_slice(&held_by(name, after)),
            );
            let range = self.map.range(self.objects, Some(&from), Direction::Ascending);
            let mut taken = 0;
            for entry in range {
                let (key, _) = entry.map_err(broken_object)?;
                if !key.starts_with(&prefix) || taken >= most {
                    break;
                }
                let holder = key.get(prefix.len()..).and_then(Holder::of_key);
                if let Some(holder) = holder.filter(|holder| Some(*holder) != after) {
                    found.insert(holder);
                    taken += 1;
                }
            }
        }
        Ok(found.into_iter().take(most).collect())
    }

    /// Returns `true` if the holder has any of these written references.
    pub(super) fn is_holder(self, names: &[Name], holder: Holder) -> Result<bool> {
        for name in names {
            let known = self.map.get(self.objects, &held_by(name, holder));
            if known.map_err(broken_object)?.is_some() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Counts the holders of any of these written references. Reads the holders of all but the most
    /// common reference.
    pub(super) fn count_holders(self, names: &[Name]) -> Result<u64> {
        let mut counted = Vec::with_capacity(names.len());
        for name in names {
            let count = self.map.count_prefix(self.objects, &key(HOLDERS, name));
            counted.push((count.map_err(broken_object)?, name));
        }
        counted.sort_unstable();
        let Some((most, common)) = counted.pop() else { return Ok(0) };
        let mut others = BTreeSet::new();
        for (_, name) in counted {
            others.extend(self.holders(&[*name], None, usize::MAX)?);
        }
        let mut more = 0;
        for holder in others {
            let known = self.map.get(self.objects, &held_by(common, holder));
            more += u64::from(known.map_err(broken_object)?.is_none());
        }
        Ok(most + more)
    }
}
