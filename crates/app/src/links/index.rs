//! The index of a content's references, made from that of a content it resembles.
//!
//! It is one map, in five parts, by what keys begin with:
//!
//! - 0, 1, 2: targets by [`Group`], each with what leads to it: written references by name. Sound
//!   and broken targets are told apart here, so that each kind is counted and listed by itself.
//! - 3: parts of the content → written references whose meaning hangs on them.
//! - 4: written references → who holds them.
//! - 5: written references → what they say, what they lead to, and what that hangs on.
//!
//! What a text says is compared with what it said before; what changed around it is asked which
//! references it concerns. So an edit costs what it changes, whatever the size of the space.

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
use crate::content::broken_object;

/// Raised when the same content gives another index; a migration then says that all spaces are
/// behind.
const VERSION: u8 = 1;

const FACETS: u8 = 3;
const HOLDERS: u8 = 4;
const WRITTEN: u8 = 5;

/// Bytes of sources that are held at a time to be taken apart on all cores.
const HELD: usize = 4 << 20;
/// Fewer texts are taken apart where they are.
const FEW: usize = 64;
/// Bytes of new objects that are held before they are stored.
const STAGED: usize = 8 << 20;
/// Of so many other spaces it is noted that a space refers to them.
const SPACES: usize = 1_000;

/// Takes new objects.
pub(super) type Sink<'s> =
    dyn FnMut(Vec<(Hash, Bytes)>) -> std::result::Result<(), ObjectError> + 's;

/// What leads to a target.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) struct Leading {
    pub(super) target: Target,
    pub(super) names: Vec<Name>,
}

impl Record for Leading {
    const NAME: &'static str = "a target of references";
}

/// What is known of a written reference.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
struct Known {
    written: Written,
    target: Target,
    hangs_on: Vec<Name>,
}

impl Record for Known {
    const NAME: &'static str = "a written reference";
}

/// Names what the index of a content is of.
pub(super) fn indexed(content: &Content) -> Hash {
    content.link_fingerprint(VERSION)
}

/// The index of a content, made from that of another one, which costs what differs between the two.
/// An index that is not of its content, or under another salt, is left alone.
///
/// # Errors
/// When an object cannot be read or stored.
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
    work.surroundings(base, content)?;
    let edits = work.settle(content)?;
    let entries = edits.apply(work.before, objects, sink).map_err(broken_object)?;
    Ok(LinkIndex { entries, source: of })
}

/// The spaces that an indexed content refers to; of very many the first.
///
/// # Errors
/// When an object cannot be read.
pub(super) fn other_spaces(
    objects: &dyn Objects,
    index: &LinkIndex,
) -> std::result::Result<Vec<SpaceId>, ObjectError> {
    let entries = index.entries;
    let prefix = of_any_space(Group::Elsewhere);
    let mut found = Vec::new();
    let mut from = prefix.clone();
    while found.len() < SPACES {
        let next = entries.range(objects, Some(&from), Direction::Ascending).next().transpose()?;
        let id = next.as_ref().and_then(|(key, _)| key.strip_prefix(prefix.as_slice()));
        let Some(id) = id.and_then(|id| SpaceId::from_bytes(id.get(..Id::LEN)?)) else { break };
        found.push(id);
        // Behind everything of this space: no key goes on like that.
        from = [prefix.as_slice(), id.as_bytes(), &[u8::MAX]].concat();
    }
    Ok(found)
}

/// The key of a holder of a written reference, with whether it is new or gone.
type Held = ([u8; 1 + 16 + Holder::LEN], bool);

struct Work<'w> {
    objects: &'w dyn Objects,
    before: Map,
    holders: Vec<Held>,
    /// Written references that some text has now and had not before.
    written: HashMap<Name, Written>,
    /// Written references whose entries may have to change.
    touched: BTreeSet<Name>,
}

/// A text before and now.
struct Changed {
    before: Option<Text>,
    now: Option<Text>,
}

/// What a text has now and had not before, and the names of what it has no more.
struct Differing {
    holder: Holder,
    come: Vec<(Name, Written)>,
    gone: Vec<Name>,
}

impl Changed {
    fn differing(&self) -> std::result::Result<Option<Differing>, ObjectError> {
        let names = |text: &Option<Text>| {
            let uses = text.iter().flat_map(Text::uses);
            uses.map(|one| Ok((one.written.name()?, one.written)))
                .collect::<std::result::Result<BTreeMap<Name, Written>, ObjectError>>()
        };
        let Some(holder) = self.now.as_ref().or(self.before.as_ref()).map(|text| text.holder)
        else {
            return Ok(None);
        };
        let (mut before, mut come) = (names(&self.before)?, names(&self.now)?);
        come.retain(|name, _| before.remove(name).is_none());
        if come.is_empty() && before.is_empty() {
            return Ok(None);
        }
        let gone = before.into_keys().collect();
        Ok(Some(Differing { holder, come: come.into_iter().collect(), gone }))
    }

    fn bytes(&self) -> usize {
        self.before.iter().chain(&self.now).map(Text::bytes).sum()
    }
}

impl Work<'_> {
    /// What texts say otherwise than before.
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
            if bytes >= HELD {
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

    /// Takes texts apart, many of them on all cores.
    fn compare(&mut self, texts: &[Changed]) -> Result<()> {
        let cores = thread::available_parallelism().map_or(1, usize::from);
        if texts.len() < FEW || cores == 1 {
            for text in texts {
                self.take(text.differing().map_err(broken_object)?);
            }
            return Ok(());
        }
        let found = thread::scope(|scope| {
            let parts = texts.chunks(texts.len().div_ceil(cores));
            let threads: Vec<_> = parts
                .map(|part| scope.spawn(|| part.iter().map(Changed::differing).collect::<Vec<_>>()))
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

    fn take(&mut self, differing: Option<Differing>) {
        let Some(Differing { holder, come, gone }) = differing else { return };
        for name in gone {
            self.holders.push((held_by(&name, holder), false));
            self.touched.insert(name);
        }
        for (name, written) in come {
            self.holders.push((held_by(&name, holder), true));
            self.written.entry(name).or_insert(written);
            self.touched.insert(name);
        }
    }

    /// What is around the texts and is not what it was.
    fn surroundings(&mut self, base: &Content, content: &Content) -> Result<()> {
        if self.before.is_empty() {
            return Ok(());
        }
        // Variables lead nowhere, and would count as a difference in everything.
        let mut base = base.clone();
        base.variables = content.variables.clone();
        let mut facets = HashSet::new();
        let mut hear = |facet: bindery_revision::Facet<'_>| {
            facets.insert(facet_name(facet));
            true
        };
        base.changed_facets(content, self.objects, &mut hear).map_err(broken_object)?;
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

    /// What becomes of the entries.
    fn settle(&mut self, content: &Content) -> Result<Edits> {
        self.holders.sort_unstable();
        let resolver = Resolver::new(content, self.objects);
        let mut edits = Edits::default();
        let mut targets: BTreeMap<Bytes, Leads> = BTreeMap::new();
        for name in std::mem::take(&mut self.touched) {
            let known = self.known(&name)?;
            let written = match (&known, self.written.remove(&name)) {
                (Some(known), _) => known.written.clone(),
                (None, Some(written)) => written,
                (None, None) => continue,
            };
            let now = if self.is_held(&name)? {
                let (target, hangs_on) = resolver.resolve(&written)?;
                Some(Known { written, target, hangs_on })
            } else {
                None
            };
            if known == now {
                continue;
            }
            let hangs_on = |known: &Option<Known>| -> BTreeSet<Name> {
                known.iter().flat_map(|known| known.hangs_on.iter().copied()).collect()
            };
            let (old, new) = (hangs_on(&known), hangs_on(&now));
            for facet in old.difference(&new) {
                edits.others.insert(hanging(facet, &name), None);
            }
            for facet in new.difference(&old) {
                edits.others.insert(hanging(facet, &name), Some(Bytes::new()));
            }
            let to = |known: &Option<Known>| known.as_ref().map(|known| known.target.clone());
            let (old, new) = (to(&known), to(&now));
            if old != new {
                if let Some(old) = old {
                    targets.entry(old.key()).or_insert_with(|| Leads::of(old)).left.insert(name);
                }
                if let Some(new) = new {
                    targets.entry(new.key()).or_insert_with(|| Leads::of(new)).come.insert(name);
                }
            }
            let entry = now.map(|now| now.encode()).transpose().map_err(broken_object)?;
            edits.others.insert(key(WRITTEN, &name), entry);
        }
        for (key, leads) in targets {
            let value = self.leading(&key, leads)?;
            edits.others.insert(key, value);
        }
        edits.holders = std::mem::take(&mut self.holders);
        Ok(edits)
    }

    fn known(&self, name: &Name) -> Result<Option<Known>> {
        let entry = self.before.get(self.objects, &key(WRITTEN, name)).map_err(broken_object)?;
        entry.map(|entry| Known::decode(&entry)).transpose().map_err(broken_object)
    }

    /// Whether anything holds a written reference now.
    fn is_held(&self, name: &Name) -> Result<bool> {
        let prefix = key(HOLDERS, name);
        let from = self.holders.partition_point(|(key, _)| key[..] < prefix[..]);
        let here = self.holders.iter().skip(from);
        let mut gone = 0;
        for (_, come) in here.take_while(|(key, _)| key.starts_with(&prefix)) {
            if *come {
                return Ok(true);
            }
            gone += 1;
        }
        let before = self.before.count_prefix(self.objects, &prefix).map_err(broken_object)?;
        Ok(before > gone)
    }

    /// The entry of a target; `None` where nothing leads to it any more.
    fn leading(&self, key: &Bytes, leads: Leads) -> Result<Option<Bytes>> {
        let Leads { target, left, come } = leads;
        let before = self.before.get(self.objects, key).map_err(broken_object)?;
        let mut names = match before {
            Some(entry) => Leading::decode(&entry).map_err(broken_object)?.names,
            None => Vec::new(),
        };
        names.retain(|name| !left.contains(name) && !come.contains(name));
        names.extend(come);
        names.sort_unstable();
        if names.is_empty() {
            return Ok(None);
        }
        Leading { target, names }.encode().map(Some).map_err(broken_object)
    }
}

/// What changes of what leads to a target.
struct Leads {
    target: Target,
    left: BTreeSet<Name>,
    come: BTreeSet<Name>,
}

impl Leads {
    const fn of(target: Target) -> Self {
        Self { target, left: BTreeSet::new(), come: BTreeSet::new() }
    }
}

/// Changes of entries. Holders are many, and held in as little room as they take.
#[derive(Default)]
struct Edits {
    holders: Vec<Held>,
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
        let holders = holders
            .into_iter()
            .map(|(key, come)| -> Edit { (Bytes::copy_from_slice(&key), come.then(Bytes::new)) });
        let edits = others.into_iter().chain(holders).chain(behind);
        let mut staging = Staging::new(objects);
        let entries = if before.is_empty() {
            let mut builder = MapBuilder::new(before.salt());
            for (key, value) in edits {
                let Some(value) = value else { continue };
                builder.push(&mut staging, key, value);
                if staging.bytes() >= STAGED {
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

/// The key of who holds a written reference.
fn held_by(name: &Name, holder: Holder) -> [u8; 1 + 16 + Holder::LEN] {
    let mut key = [HOLDERS; 1 + 16 + Holder::LEN];
    let rest = key.iter_mut().skip(1);
    for (to, from) in rest.zip(name.iter().chain(&holder.key())) {
        *to = *from;
    }
    key
}

/// The key of what hangs on a part of the content.
fn hanging(facet: &Name, name: &Name) -> Bytes {
    [&[FACETS], facet.as_slice(), name].concat().into()
}

/// An index that is there, to be read.
#[derive(Clone, Copy)]
pub(super) struct Entries<'a> {
    pub(super) map: Map,
    pub(super) objects: &'a dyn Objects,
}

impl<'a> Entries<'a> {
    /// Targets whose keys begin with `prefix`, behind the key `after`.
    pub(super) fn targets(
        self,
        prefix: &'a [u8],
        after: Option<&'a [u8]>,
    ) -> impl Iterator<Item = Result<(Bytes, Leading)>> + 'a {
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
            let leading = Leading::decode(&value).map_err(broken_object);
            Some(leading.map(|leading| (key, leading)))
        })
    }

    /// How many targets a group has.
    pub(super) fn count(self, group: Group) -> Result<u64> {
        self.map.count_prefix(self.objects, &[group.tag()]).map_err(broken_object)
    }

    /// What a written reference leads to, if anything holds it.
    pub(super) fn target(self, name: &Name) -> Result<Option<Target>> {
        let known = self.map.get(self.objects, &key(WRITTEN, name)).map_err(broken_object)?;
        let known = known.map(|known| Known::decode(&known)).transpose().map_err(broken_object)?;
        Ok(known.map(|known| known.target))
    }

    /// Who holds any of these written references, each once, in their order, behind `after`.
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

    /// Whether this one holds any of these written references.
    pub(super) fn is_holder(self, names: &[Name], holder: Holder) -> Result<bool> {
        for name in names {
            let known = self.map.get(self.objects, &held_by(name, holder));
            if known.map_err(broken_object)?.is_some() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// How many hold any of these written references. The holders of all but the most common one
    /// are gone through.
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
