//! Measures the cost of differences and merges in spaces of increasing size:
//! `cargo run --release --package bindery-revision --example differences`.

use std::time::{Duration, Instant};

use bindery_model::{Id, PageId, Timestamp};
use bindery_revision::merge::{WholeBodies, merge};
use bindery_revision::tree::{self, ContentBuilder, Position};
use bindery_revision::{
    Content, Hash, MemoryObjects, PageKind, PageRecord, Salt, Staging, diff::diff,
};

const ROUNDS: u64 = 400;

type Result<T = (), E = Box<dyn std::error::Error>> = std::result::Result<T, E>;

#[expect(clippy::print_stdout, reason = "a benchmark prints its figures")]
fn main() -> Result {
    println!("{:>8}  {:<28} {:>10} {:>8} {:>8}", "pages", "what", "median", "objects", "bytes");
    for pages in [100, 10_000, 100_000] {
        let (content, objects) = space(pages)?;
        let space = Space { pages, content, objects };
        for (what, cost) in [
            ("save a page", space.save()?),
            ("merge, one page on each side", space.merge_edits()?),
            ("merge, an added page each", space.merge_additions()?),
            ("difference of 10 pages", space.difference()?),
        ] {
            let Cost { mut times, objects, bytes } = cost;
            times.sort_unstable();
            let median = times.get(times.len() / 2).copied().unwrap_or_default();
            let (objects, bytes) = (objects / ROUNDS, bytes / ROUNDS);
            println!("{pages:>8}  {what:<28} {median:>10.1?} {objects:>8} {bytes:>8}");
        }
    }
    Ok(())
}

fn id(number: u64) -> PageId {
    PageId::new(Id::derived(Hash::of(&number.to_be_bytes()).as_bytes()))
}

fn page(number: u64) -> PageRecord {
    let name = format!("page-{number}");
    let at = Timestamp::from_millis(0);
    let mut page = PageRecord::new(id(number), PageKind::Document, &name, &name, at);
    page.source_path = Some(format!("{name}.md"));
    page.body = Some(Hash::of(name.as_bytes()));
    page
}

/// Creates a space with this number of pages, ten under each.
fn space(pages: u64) -> Result<(Content, MemoryObjects)> {
    let mut bulk = ContentBuilder::new(Salt::new(*b"sixteen of bytes"));
    for number in 0..pages {
        let mut page = page(number);
        page.parent = number.checked_sub(1).map(|number| id(number / 10));
        bulk.page(page)?;
    }
    let base = MemoryObjects::new();
    let mut staging = Staging::new(&base);
    let content = bulk.finish(&mut staging, &mut |_| Ok(()))?;
    let mut objects = MemoryObjects::new();
    objects.extend(staging.drain());
    Ok((content, objects))
}

/// Times, and the objects and bytes written in all rounds.
#[derive(Default)]
struct Cost {
    times: Vec<Duration>,
    objects: u64,
    bytes: u64,
}

impl Cost {
    fn note(&mut self, start: Instant, staging: &Staging<'_>) {
        self.times.push(start.elapsed());
        self.objects += staging.len() as u64;
        self.bytes += staging.bytes() as u64;
    }
}

struct Space {
    pages: u64,
    content: Content,
    objects: MemoryObjects,
}

impl Space {
    /// Returns a page for a round, spread over the space.
    fn at(&self, round: u64) -> u64 {
        round * 7_919 % self.pages
    }

    fn edit(&self, staging: &mut Staging<'_>, number: u64) -> Result<Content> {
        let body = Some(Hash::of(&number.to_be_bytes()));
        let change = |page: &mut PageRecord| page.body = body;
        Ok(tree::update(&self.content, staging, id(number), change)?.0)
    }

    fn add(&self, staging: &mut Staging<'_>, number: u64, under: u64) -> Result<Content> {
        let mut page = page(self.pages + number);
        page.parent = Some(id(under));
        Ok(tree::insert(&self.content, staging, page, Position::Last)?.0)
    }

    fn save(&self) -> Result<Cost> {
        let mut cost = Cost::default();
        for round in 0..ROUNDS {
            let mut staging = Staging::new(&self.objects);
            let start = Instant::now();
            self.edit(&mut staging, self.at(round))?;
            cost.note(start, &staging);
        }
        Ok(cost)
    }

    fn merge_edits(&self) -> Result<Cost> {
        self.merge(|staging, round| {
            let here = self.at(round);
            let there = (here + self.pages / 2) % self.pages;
            Ok((self.edit(staging, here)?, self.edit(staging, there)?))
        })
    }

    fn merge_additions(&self) -> Result<Cost> {
        self.merge(|staging, round| {
            let under = self.at(round);
            Ok((self.add(staging, 0, under)?, self.add(staging, 1, under)?))
        })
    }

    fn merge(
        &self,
        sides: impl Fn(&mut Staging<'_>, u64) -> Result<(Content, Content)>,
    ) -> Result<Cost> {
        let mut cost = Cost::default();
        for round in 0..ROUNDS {
            let mut edits = Staging::new(&self.objects);
            let (ours, theirs) = sides(&mut edits, round)?;
            let mut staging = Staging::new(&edits);
            let start = Instant::now();
            merge(&self.content, &ours, &theirs, &mut staging, &mut WholeBodies)?;
            cost.note(start, &staging);
        }
        Ok(cost)
    }

    fn difference(&self) -> Result<Cost> {
        let mut cost = Cost::default();
        for round in 0..ROUNDS {
            let mut edits = Staging::new(&self.objects);
            let mut space = Self {
                pages: self.pages,
                content: self.content.clone(),
                objects: MemoryObjects::new(),
            };
            for step in 0..10 {
                space.content = space.edit(&mut edits, self.at(round * 10 + step))?;
            }
            let staging = Staging::new(&edits);
            let start = Instant::now();
            let found = diff(&self.content, &space.content, &staging, 100)?;
            cost.note(start, &staging);
            if found.changes.len() != 10 {
                return Err(format!("{} changes", found.changes.len()).into());
            }
        }
        Ok(cost)
    }
}
