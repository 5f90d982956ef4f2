//! Reads files and parses sources on all cores.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::sync_channel;
use std::sync::{Condvar, Mutex, PoisonError};

use bindery_content::identity::{Text, transfer_text};
use bindery_content::page::Title;
use bindery_content::{FrontMatter, Identity, Page, Warning, reference, source};
use bindery_revision::{Hash, ObjectError, Objects, PageBody, Record};

use super::inlined_pictures::InlinedPicture;
use super::view::View;
use super::{ImportContext, ImportError, ImportProgress};
use crate::folder::FolderEntry;

/// Maximum number of threads. More do not help on one disk.
const MAX_THREADS: usize = 8;
/// Maximum bytes of files that all imports of this process hold between reading and storing them. A
/// larger file is processed alone, because it is held in memory if it is a delta in a Git pack.
const MAX_BYTES_IN_FLIGHT: u64 = 64 << 20;
/// Number of files after which the progress is reported.
const PROGRESS_INTERVAL: usize = 256;

/// A page's source, parsed as far as an import needs it.
pub(super) struct Source {
    pub(super) bytes: Vec<u8>,
    pub(super) front: FrontMatter,
    /// The first heading, if it is the title.
    pub(super) title: Option<String>,
    /// `true` if the first heading belongs to the text, because the page has another title.
    pub(super) has_heading: bool,
    /// Possible references as written.
    pub(super) targets: Vec<String>,
    /// The pictures whose addresses contain their data.
    pub(super) pictures: Vec<InlinedPicture>,
    pub(super) warnings: Vec<Warning>,
}

impl Source {
    /// Parses the source of a page. `known` is the page's title; `None` if the first heading
    /// determines it.
    pub(super) fn parse(bytes: Vec<u8>, known: Option<&str>) -> Self {
        let text = source::decode(&bytes);
        let page = Page::split(&text);
        let (front, warnings) = page.metadata(&text);
        let title = page.title.as_ref().map(|title| super::plan::clean_text(&title.text));
        let own = title.as_deref().unwrap_or_default();
        let differs = |heading: &Title| heading.differs_from(known.unwrap_or(own));
        let has_heading = page.title.as_ref().is_some_and(differs);
        let body = Page::split_as(&text, &Identity::default().with_heading(has_heading)).body;
        let mut targets = reference::targets(body.of(&text));
        let pictures = InlinedPicture::all(body.of(&text));
        let cover = front
            .cover
            .iter()
            .flat_map(|cover| std::iter::once(&cover.light).chain(&cover.dark).map(String::clone));
        let links = &front.meta_links;
        targets.extend(cover.chain(links.canonical.clone()).chain(links.alternates.clone()));
        targets.sort_unstable();
        targets.dedup();
        let title = title.filter(|title| !title.is_empty());
        drop(text);
        Self { bytes, front, title, has_heading, targets, pictures, warnings }
    }
}

/// The previous text of a page or a reusable content.
pub(super) struct PreviousText(PageBody);

impl PreviousText {
    pub(super) fn of(
        body: Option<Hash>,
        objects: &dyn Objects,
    ) -> Result<Option<Self>, ObjectError> {
        let Some(body) = body else { return Ok(None) };
        Ok(Some(Self(PageBody::decode(&objects.get(&body)?)?)))
    }

    /// Returns the approximate memory use in bytes.
    pub(super) fn bytes(&self) -> usize {
        self.0.source.len() + 512
    }

    /// Returns the identity of a new text that takes over the keys of this one.
    fn transfer_identity(&self, source: &Source, path: &str) -> Vec<u8> {
        let Self(old) = self;
        let before = Text { source: &old.source, path: old.path.as_deref().unwrap_or(path) };
        let after = Text { source: &source.bytes, path };
        transfer_text(before, &old.identity, after, source.has_heading)
    }
}

/// Returns the identity of the text of a page or a reusable content at `path`.
pub(super) fn identity(source: &Source, previous: Option<&PreviousText>, path: &str) -> Vec<u8> {
    match previous {
        Some(previous) => previous.transfer_identity(source, path),
        None => Identity::default().with_heading(source.has_heading).encode(),
    }
}

/// Counts the bytes of files that are in flight.
pub(super) struct InFlight {
    bytes: Mutex<u64>,
    freed: Condvar,
}

pub(super) static FILES_IN_FLIGHT: InFlight =
    InFlight { bytes: Mutex::new(0), freed: Condvar::new() };

/// A reservation for a file in flight, released when dropped.
pub(super) struct Reservation(u64);

impl InFlight {
    /// Waits until a file of this size may be read.
    pub(super) fn reserve(&self, size: u64) -> Reservation {
        let size = size.min(MAX_BYTES_IN_FLIGHT);
        let mut bytes = self.bytes.lock().unwrap_or_else(PoisonError::into_inner);
        while *bytes + size > MAX_BYTES_IN_FLIGHT {
            bytes = self.freed.wait(bytes).unwrap_or_else(PoisonError::into_inner);
        }
        *bytes += size;
        Reservation(size)
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        *FILES_IN_FLIGHT.bytes.lock().unwrap_or_else(PoisonError::into_inner) -= self.0;
        FILES_IN_FLIGHT.freed.notify_all();
    }
}

/// Reads a range of files, applies `work` to each on a worker thread, and passes the results to
/// `take` on the calling thread in any order. At most `window` results are queued.
pub(super) fn read_all<R: Send>(
    view: &View<'_>,
    entries: &[&FolderEntry],
    range: Range<usize>,
    window: usize,
    context: &ImportContext<'_>,
    work: &(dyn Fn(usize, Vec<u8>) -> R + Sync),
    take: &mut dyn FnMut(usize, R) -> Result<(), ImportError>,
) -> Result<(), ImportError> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let threads = cores.min(MAX_THREADS).min(range.len() / 8);
    let mut done = range.start;
    let mut finish = |at: usize, result: R| {
        context.check()?;
        done += 1;
        if done.is_multiple_of(PROGRESS_INTERVAL) || done == entries.len() {
            (context.progress)(ImportProgress { done, total: entries.len() });
        }
        take(at, result)
    };
    if threads < 2 {
        for at in range {
            if let Some(entry) = entries.get(at) {
                let _reservation = FILES_IN_FLIGHT.reserve(entry.size);
                finish(at, work(at, view.read(entry)?))?;
            }
        }
        return Ok(());
    }
    let entries = entries.get(..range.end).unwrap_or(entries);
    let next = AtomicUsize::new(range.start);
    let stop = AtomicBool::new(false);
    let (sender, receiver) = sync_channel(window);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            let (sender, next, stop) = (sender.clone(), &next, &stop);
            scope.spawn(move || {
                while !stop.load(Ordering::Relaxed) {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    let Some(entry) = entries.get(at) else { return };
                    let reservation = FILES_IN_FLIGHT.reserve(entry.size);
                    let result = view.read(entry).map(|bytes| work(at, bytes));
                    if sender.send((at, result, reservation)).is_err() {
                        return;
                    }
                }
            });
        }
        drop(sender);
        let mut outcome = Ok(());
        for (at, result, reservation) in receiver {
            outcome = result.and_then(|result| finish(at, result));
            drop(reservation);
            if outcome.is_err() {
                break;
            }
        }
        // The receiver is gone, so no thread blocks on sending. The threads end after their current
        // file.
        stop.store(true, Ordering::Relaxed);
        outcome
    })
}
