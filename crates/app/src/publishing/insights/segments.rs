//! Groups of visitors with equal claims.

use std::collections::{HashMap, HashSet};

use serde_json::{Map, Value};

use super::aggregate::{Deadline, Exceeded};
use super::column::Key;
use super::event::Event;

/// Maximum number of segments with claims that programs state. Later ones are not counted.
const MAX_STATED: usize = 10_000;
/// Maximum number of all segments. The others are those with verified claims, which nobody can make
/// up.
const MAX_ALL: usize = 20_000;
/// Maximum number of sessions and visitors that are counted.
const MAX_COUNTED: usize = 2_000_000;

/// A group of visitors with equal claims.
#[derive(Clone, PartialEq, Debug)]
pub struct Segment {
    /// The claims as a text, such as `plan: pro`.
    pub title: String,
    /// The claims.
    pub claims: Map<String, Value>,
    /// The number of events.
    pub events: u64,
    /// The number of visitors.
    pub visitors: usize,
    /// The number of sessions.
    pub sessions: usize,
}

/// The segments of the events that were added.
#[derive(Debug, Default)]
pub struct Segments {
    segments: HashMap<Key, Counts>,
    counted: usize,
    deadline: Deadline,
}

#[derive(Debug, Default)]
struct Counts {
    claims: Map<String, Value>,
    events: u64,
    visitors: HashSet<i64>,
    sessions: HashSet<i64>,
}

impl Segments {
    /// Adds an event to the segment of its visitor. Events without claims belong to none.
    ///
    /// # Errors
    /// Returns the limit of time or memory that is exceeded.
    pub fn add(&mut self, event: &Event) -> Result<(), Exceeded> {
        self.deadline.check()?;
        let Event { visitor, session, properties, .. } = event;
        if properties.claims.is_empty() {
            return Ok(());
        }
        let key = Key::json(&Value::Object(properties.claims.clone()));
        let limit = if properties.claims_verified { MAX_ALL } else { MAX_STATED };
        if self.segments.len() >= limit && !self.segments.contains_key(&key) {
            return Ok(());
        }
        let counts = self
            .segments
            .entry(key)
            .or_insert_with(|| Counts { claims: properties.claims.clone(), ..Counts::default() });
        counts.events += 1;
        let is_new_visitor = visitor.is_some_and(|visitor| counts.visitors.insert(visitor));
        let is_new_session = session.is_some_and(|session| counts.sessions.insert(session));
        self.counted += usize::from(is_new_visitor) + usize::from(is_new_session);
        if self.counted > MAX_COUNTED { Err(Exceeded::Memory) } else { Ok(()) }
    }

    /// Returns the segments with the most events, and the number of all segments.
    pub fn finish(self, limit: usize) -> (Vec<Segment>, usize) {
        let total = self.segments.len();
        let mut segments: Vec<(Key, Counts)> = self.segments.into_iter().collect();
        segments.sort_by(|(key, counts), (other_key, other)| {
            other.events.cmp(&counts.events).then_with(|| key.cmp(other_key))
        });
        segments.truncate(limit);
        let segments = segments.into_iter().map(|(_, counts)| {
            let Counts { claims, events, visitors, sessions } = counts;
            let (visitors, sessions) = (visitors.len(), sessions.len());
            Segment { title: title(&claims), claims, events, visitors, sessions }
        });
        (segments.collect(), total)
    }
}

/// Returns claims as a text: `{"plan": "pro", "beta": true}` as `plan: pro, beta: true`.
fn title(claims: &Map<String, Value>) -> String {
    let claims = claims.iter().map(|(name, value)| match value {
        Value::String(text) => format!("{name}: {text}"),
        other => format!("{name}: {other}"),
    });
    claims.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use bindery_model::{SiteInsightsEventType, Timestamp};
    use serde_json::json;

    use super::super::event::Properties;
    use super::*;

    fn event(claims: Value, visitor: i64, claims_verified: bool) -> Event {
        let Value::Object(claims) = claims else { panic!("an object") };
        Event {
            at: Timestamp::from_millis(0),
            kind: SiteInsightsEventType::PageView,
            visitor: Some(visitor),
            session: Some(visitor),
            properties: Properties { claims, claims_verified, ..Properties::default() },
        }
    }

    #[test]
    fn visitors_with_equal_claims_are_one_segment() {
        let mut segments = Segments::default();
        let pro = json!({ "plan": "pro", "beta": true });
        for (claims, visitor) in [
            (json!({ "plan": "free" }), 1),
            (pro.clone(), 2),
            (json!({ "beta": true, "plan": "pro" }), 3),
            (pro, 3),
            (json!({}), 4),
        ] {
            segments.add(&event(claims, visitor, false)).unwrap();
        }
        let (segments, total) = segments.finish(1);
        let [segment] = &segments[..] else { panic!("one segment") };
        assert_eq!(total, 2);
        assert_eq!(segment.title, "plan: pro, beta: true");
        assert_eq!((segment.events, segment.visitors, segment.sessions), (3, 2, 2));
    }

    #[test]
    fn stated_claims_leave_room_for_verified_ones() {
        let mut segments = Segments::default();
        for number in 0..=MAX_STATED {
            segments.add(&event(json!({ "n": number }), 1, false)).unwrap();
        }
        segments.add(&event(json!({ "plan": "pro" }), 1, true)).unwrap();
        assert_eq!(segments.finish(1).1, MAX_STATED + 1);
    }
}
