//! Stores events that the pages of sites observe, in groups and a moment after they happened.
//!
//! Events wait in memory, so that no reader waits for a write. They are lost if the server is killed
//! before they are written.

use std::collections::{BTreeMap, HashMap};
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};

use bindery_model::{Entropy, Id, Result, SiteId, SiteInsightsEventType, Timestamp};
use bindery_store::site_insights::{self, DayCount, StoredEvent};
use bindery_store::{Tx, sites};

use super::event::Properties;
use super::track::{ShareKeys, day_of, digest, store, weight};
use crate::App;

/// Maximum number of events that wait. Further ones are dropped.
const MAX_WAITING: usize = 10_000;
/// Maximum number of readers whose searches are remembered.
const MAX_SEARCHING: usize = 10_000;
/// Maximum number of events that are written in one transaction.
const MAX_GROUP: usize = 500;
/// Maximum number of events that pages of a site observe on a day.
const MAX_OBSERVED_PER_DAY: i64 = 100_000;
/// Time in milliseconds without a further letter after which a query is complete.
const PAUSE_MILLIS: i64 = 1_500;
/// Time in milliseconds in which a repeated query of a reader is the same search.
const REPETITION_MILLIS: i64 = 10 * 60 * 1_000;
/// Length of a session in milliseconds, counted from fixed times.
const SESSION_MILLIS: i64 = 30 * 60 * 1_000;

/// An event that a page observes.
#[derive(Clone, Debug)]
pub struct ObservedEvent {
    /// The site.
    pub site: SiteId,
    /// The time.
    pub at: Timestamp,
    /// The type.
    pub kind: SiteInsightsEventType,
    /// The reader.
    pub reader: Reader,
    /// The properties. The share key is the one that admitted the reader.
    pub properties: Properties,
}

/// The reader of a page. Neither the address nor the browser is stored.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Reader {
    /// The network from which the page was requested.
    pub network: IpAddr,
    /// The name of the browser.
    pub user_agent: String,
    /// The identification of the reader in the events.
    pub identity: Identity,
}

/// The identification of a reader in the events.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Identity {
    /// The reader does not want to be recognised.
    None,
    /// The value of a cookie.
    Cookie(String),
    /// A digest of the network and the browser with a random value of the day.
    OfDay,
}

/// Returns the value of a cookie for a new visitor.
pub fn new_visitor(entropy: &Entropy) -> String {
    Id::random(entropy).to_string()
}

/// The events that wait to be written.
#[derive(Debug, Default)]
pub struct ObservedEvents(Mutex<Waiting>);

#[derive(Debug, Default)]
struct Waiting {
    events: Vec<ObservedEvent>,
    searching: HashMap<(SiteId, Reader), Searching>,
}

/// The searches of a reader.
#[derive(Debug)]
struct Searching {
    /// The query that is being typed.
    typed: Option<ObservedEvent>,
    /// The last query that was recorded.
    recorded: Option<String>,
    at: Timestamp,
}

impl ObservedEvents {
    /// Adds an event.
    pub fn push(&self, event: ObservedEvent) {
        self.with(|waiting| waiting.push(event));
    }

    /// Adds a query. One that is being typed is recorded after a pause, in which no other one of the
    /// same reader is added. A query that the reader has just sent is not recorded again.
    pub fn push_query(&self, event: ObservedEvent, is_typed: bool) {
        self.with(|waiting| {
            let key = (event.site, event.reader.clone());
            let is_full = waiting.searching.len() >= MAX_SEARCHING;
            if is_full && !waiting.searching.contains_key(&key) {
                return;
            }
            let at = event.at;
            let searching = waiting.searching.entry(key).or_insert(Searching {
                typed: None,
                recorded: None,
                at,
            });
            let is_repeated = searching.recorded == event.properties.query;
            searching.at = at;
            searching.typed = None;
            if is_repeated {
                return;
            }
            if is_typed {
                searching.typed = Some(event);
            } else {
                searching.recorded.clone_from(&event.properties.query);
                waiting.push(event);
            }
        });
    }

    /// Removes and returns some of the events that are to be written. With `all`, these include
    /// queries that are being typed.
    fn take(&self, now: Timestamp, all: bool) -> Vec<ObservedEvent> {
        self.with(|waiting| {
            let pause = if all { i64::MIN } else { PAUSE_MILLIS };
            let mut complete = Vec::new();
            waiting.searching.retain(|_, searching| {
                let age = now.millis().saturating_sub(searching.at.millis());
                if age >= pause
                    && let Some(event) = searching.typed.take()
                {
                    searching.recorded.clone_from(&event.properties.query);
                    complete.push(event);
                }
                age < REPETITION_MILLIS
            });
            complete.into_iter().for_each(|event| waiting.push(event));
            let count = waiting.events.len().min(MAX_GROUP);
            waiting.events.drain(..count).collect()
        })
    }

    fn with<T>(&self, change: impl FnOnce(&mut Waiting) -> T) -> T {
        change(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Waiting {
    fn push(&mut self, event: ObservedEvent) {
        if self.events.len() < MAX_WAITING {
            self.events.push(event);
        }
    }
}

/// Writes the events that wait. With `all`, these include queries that are being typed.
///
/// # Errors
/// Returns an error if the store fails. The events of the group are then lost.
pub(crate) async fn store_waiting(app: &std::sync::Arc<App>, all: bool) -> Result<()> {
    loop {
        let events = app.observed.take(app.clock.now(), all);
        if events.is_empty() {
            return Ok(());
        }
        let shared_app = std::sync::Arc::clone(app);
        app.store.write(move |tx| store_group(&shared_app, tx, &events)).await?;
    }
}

fn store_group(app: &App, tx: &Tx<'_>, events: &[ObservedEvent]) -> Result<()> {
    let mut by_site: BTreeMap<SiteId, Vec<&ObservedEvent>> = BTreeMap::new();
    for event in events {
        by_site.entry(event.site).or_default().push(event);
    }
    for (site, events) in by_site {
        if sites::get(tx, site)?.is_some_and(|site| site.published) {
            store_of_site(app, tx, site, &events)?;
        }
    }
    Ok(())
}

fn store_of_site(app: &App, tx: &Tx<'_>, site: SiteId, events: &[&ObservedEvent]) -> Result<()> {
    let share_keys = ShareKeys::load(app, tx, site)?;
    let today = day_of(app.clock.now());
    let observed = site_insights::get_day(tx, site, today)?.observed;
    let mut salts: HashMap<i64, Vec<u8>> = HashMap::new();
    let mut stored = Vec::with_capacity(events.len());
    let mut arrived = 0;
    for event in events {
        let ObservedEvent { site: _, at, kind, reader, properties } = event;
        let day = day_of(*at);
        if reader.identity == Identity::OfDay && !salts.contains_key(&day) {
            salts.insert(day, site_insights::salt(tx, day)?);
        }
        let of_day = || {
            let salt = salts.get(&day).map(Vec::as_slice).unwrap_or_default();
            reader.id_of_day(salt, site)
        };
        let id = match &reader.identity {
            Identity::None => String::new(),
            Identity::Cookie(value) => value.clone(),
            Identity::OfDay => of_day(),
        };
        let session = match id.as_str() {
            "" => String::new(),
            id => format!("{id} {}", at.millis().div_euclid(SESSION_MILLIS)),
        };
        let mut properties = properties.clone();
        properties.share_key = properties.share_key.map(|key| share_keys.named(&key));
        let event = StoredEvent {
            site,
            at: *at,
            id: i64::from_be_bytes(app.entropy.bytes()),
            kind: *kind,
            visitor: digest(&app.secrets, site, "visitor", &id),
            session: digest(&app.secrets, site, "session", &session),
            properties: properties.to_json()?,
        };
        if observed + arrived + weight(&event) > MAX_OBSERVED_PER_DAY {
            break;
        }
        arrived += weight(&event);
        stored.push(event);
    }
    store(tx, &stored, DayCount { day: today, observed: arrived, ..DayCount::default() })
}

impl Reader {
    /// Returns an id of the reader for a site on the day of the salt. Without the salt, which is
    /// deleted after the day, nobody can compute it from an address.
    fn id_of_day(&self, salt: &[u8], site: SiteId) -> String {
        let key = blake3::derive_key("bindery 2026 ids of visitors of a day", salt);
        let mut hasher = blake3::Hasher::new_keyed(&key);
        for part in [site.as_str(), &self.network.to_string(), &self.user_agent] {
            hasher.update(&(part.len() as u64).to_be_bytes()).update(part.as_bytes());
        }
        hasher.finalize().to_hex().to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn query(text: &str, agent: &str, at: i64) -> ObservedEvent {
        ObservedEvent {
            site: SiteId::random(&Entropy::seeded(1)),
            at: Timestamp::from_millis(at),
            kind: SiteInsightsEventType::SearchTypeQuery,
            reader: Reader {
                network: IpAddr::from([192, 0, 2, 1]),
                user_agent: agent.to_owned(),
                identity: Identity::OfDay,
            },
            properties: Properties { query: Some(text.to_owned()), ..Properties::default() },
        }
    }

    fn taken(events: &ObservedEvents, now: i64) -> Vec<String> {
        let events = events.take(Timestamp::from_millis(now), false);
        let mut queries: Vec<String> =
            events.into_iter().filter_map(|event| event.properties.query).collect();
        queries.sort();
        queries
    }

    #[test]
    fn a_query_is_recorded_when_its_reader_pauses() {
        let events = ObservedEvents::default();
        for (at, typed) in [(0, "i"), (500, "in"), (1_000, "install")] {
            events.push_query(query(typed, "a", at), true);
        }
        events.push_query(query("price", "b", 0), true);
        assert_eq!(taken(&events, 1_600), ["price"]);
        assert_eq!(taken(&events, 2_499), [""; 0]);
        assert_eq!(taken(&events, 2_500), ["install"]);
        // The page with all results follows the same search.
        events.push_query(query("install", "a", 3_000), false);
        assert_eq!(taken(&events, 3_000), [""; 0]);
        events.push_query(query("setup", "a", 3_500), true);
        events.push_query(query("setup guide", "a", 3_600), false);
        assert_eq!(taken(&events, 9_000), ["setup guide"]);
        // Later, it is another search.
        assert_eq!(taken(&events, 3_600 + REPETITION_MILLIS), [""; 0]);
        let again = query("setup guide", "a", 4_000 + REPETITION_MILLIS);
        events.push_query(again, false);
        assert_eq!(taken(&events, 4_000 + REPETITION_MILLIS), ["setup guide"]);
    }

    #[test]
    fn the_memory_of_waiting_events_is_bounded() {
        let events = ObservedEvents::default();
        for number in 0..=MAX_WAITING {
            events.push(query(&number.to_string(), "a", 0));
            events.push_query(query("x", &number.to_string(), 0), true);
        }
        events.with(|waiting| {
            assert_eq!(waiting.events.len(), MAX_WAITING);
            assert_eq!(waiting.searching.len(), MAX_SEARCHING);
        });
    }

    #[test]
    fn ids_of_a_day_differ_by_salt_site_network_and_browser() {
        let one = query("x", "a", 0);
        let id = one.reader.id_of_day(&[1; 32], one.site);
        assert_eq!(one.reader.id_of_day(&[1; 32], one.site), id);
        let other_site = SiteId::random(&Entropy::seeded(2));
        let elsewhere = Reader { network: IpAddr::from([192, 0, 2, 2]), ..one.reader.clone() };
        let browser = query("x", "b", 0).reader;
        for other in [
            one.reader.id_of_day(&[2; 32], one.site),
            one.reader.id_of_day(&[1; 32], other_site),
            elsewhere.id_of_day(&[1; 32], one.site),
            browser.id_of_day(&[1; 32], one.site),
        ] {
            assert_ne!(other, id);
        }
    }
}
