//! Answers queries about the events of a site from the store.

use bindery_model::{Error, Result};
use bindery_store::Tx;
use bindery_store::site_insights::{self, EventFilter, StoredEvent};

use super::aggregate::{Aggregation, Exceeded, Query, ResultColumn};
use super::column::{ColumnName, Key};
use super::event::{Event, Properties};
use super::range::{Range, RangePreset};
use super::segments::{Segment, Segments};
use super::track::ShareKeys;
use crate::Context;
use crate::access::Authorized;
use crate::publishing::sites::SiteTarget;

/// Number of events that are read at once. Each can have 32 KiB, and several queries run at once.
const EVENTS_PER_READ: u32 = 500;
/// Maximum number of segments of visitors in an answer.
const MAX_SEGMENTS: usize = 100;

/// Returns the groups of the events of a site in a period.
///
/// # Errors
/// Returns 400 if the query takes too much time or memory.
pub fn aggregate(
    cx: &Context<'_>,
    site: &Authorized<SiteTarget>,
    mut query: Query,
    range: Range,
) -> Result<Vec<ResultColumn>> {
    let Context { tx, app, .. } = *cx;
    let site = site.0.id;
    let share_keys = ShareKeys::load(app, tx, site)?;
    let of_share_keys =
        query.filters.iter_mut().filter(|one| one.column.name == ColumnName::SiteShareKey);
    for filter in of_share_keys {
        filter.replace(|key| match key {
            Key::Text(text) => Key::text(&share_keys.named(text)),
            other => other.clone(),
        });
    }
    let mut aggregation = Aggregation::new(&query);
    if let Some(kinds) = query.types() {
        let with_properties = query.needs_properties();
        let Range { from, to } = range;
        let filter = EventFilter { site, from, to, kinds: &kinds, with_properties };
        each(tx, &filter, |event| aggregation.add(&event))?;
    }
    Ok(aggregation.finish())
}

/// Returns the segments of the visitors of a site in the last 30 days with the most events, and the
/// number of all segments.
///
/// # Errors
/// Returns 400 if the site has too many events.
pub fn segments(cx: &Context<'_>, site: &Authorized<SiteTarget>) -> Result<(Vec<Segment>, usize)> {
    let Range { from, to } = RangePreset::Last30Days.until(cx.now());
    let filter = EventFilter { site: site.0.id, from, to, kinds: &[], with_properties: true };
    let mut segments = Segments::default();
    each(cx.tx, &filter, |event| segments.add(&event))?;
    Ok(segments.finish(MAX_SEGMENTS))
}

/// Passes the events of a site to a function, one after the other.
fn each(
    tx: &Tx<'_>,
    filter: &EventFilter<'_>,
    mut add: impl FnMut(Event) -> std::result::Result<(), Exceeded>,
) -> Result<()> {
    let mut after = None;
    loop {
        let events = site_insights::list(tx, filter, after, EVENTS_PER_READ)?;
        let is_last = events.len() < EVENTS_PER_READ as usize;
        after = events.last().map(|event| (event.at, event.id));
        for event in events {
            add(read(event)).map_err(|exceeded| {
                Error::invalid(format!(
                    "{exceeded}: choose a shorter range, fewer columns, or more filters"
                ))
            })?;
        }
        if is_last {
            return Ok(());
        }
    }
}

fn read(stored: StoredEvent) -> Event {
    let StoredEvent { site: _, at, id: _, kind, visitor, session, properties } = stored;
    let properties = match properties.is_empty() {
        true => Properties::default(),
        false => Properties::from_json(&properties),
    };
    Event { at, kind, visitor, session, properties }
}
