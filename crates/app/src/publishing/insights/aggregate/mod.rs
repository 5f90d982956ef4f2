//! Groups events by columns and counts them.

use std::collections::{HashMap, HashSet};
use std::time::{Duration, Instant};

use bindery_model::{PageFeedbackRating, SiteInsightsEventType};

use super::column::{Column, ColumnName, Key};
use super::event::Event;
use super::filter::Filter;

/// Maximum memory of the groups of a query, in bytes.
const MAX_BYTES: usize = 64 << 20;
/// Maximum time of a query.
const MAX_TIME: Duration = Duration::from_secs(10);
/// Number of events after which the time is checked again.
const EVENTS_PER_CHECK: u32 = 1_024;
/// Estimated memory of a group beside the texts of its key and the values that it counts.
const GROUP_BYTES: usize = 256;
/// Estimated memory of a counted session or visitor.
const COUNTED_BYTES: usize = 24;
/// Maximum number of groups in which one event counts.
const MAX_GROUPS_OF_EVENT: usize = 100;

/// A query for groups of events.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Query {
    /// The columns of the result. The properties among them group the events.
    pub select: Vec<Column>,
    /// Conditions that all hold for the events and groups of the result.
    pub filters: Vec<Filter>,
    /// Further properties that group the events.
    pub group_by: Vec<Column>,
    /// The column by which the result is sorted, and `true` for the greatest value first.
    pub order: Option<(Column, bool)>,
    /// Maximum number of groups in the result.
    pub limit: usize,
}

/// The reason why a query is not answered.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Exceeded {
    /// The groups need more memory than permitted.
    #[error("the query has too many different groups, sessions or visitors")]
    Memory,
    /// The events take more time than permitted.
    #[error("the query takes longer than 10 seconds")]
    Time,
}

/// A column of a result.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ResultColumn {
    /// The column.
    pub column: Column,
    /// The value for each group.
    pub values: Vec<Cell>,
}

/// A value in a result.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Cell {
    /// A property or a count.
    Key(Key),
    /// The numbers of ratings of pages.
    PageRatings {
        /// Ratings as good.
        good: i64,
        /// Ratings as good in part.
        ok: i64,
        /// Ratings as bad.
        bad: i64,
    },
    /// The numbers of ratings of answers.
    ResponseRatings {
        /// Good ratings.
        positive: i64,
        /// Bad ratings.
        negative: i64,
    },
}

/// The counts of a group.
#[derive(Debug, Default)]
struct Group {
    events: i64,
    sessions: HashSet<i64>,
    visitors: HashSet<i64>,
    good: i64,
    ok: i64,
    bad: i64,
    positive: i64,
    negative: i64,
}

/// An evaluation of a query, to which events are added one after the other.
#[derive(Debug)]
pub struct Aggregation<'q> {
    query: &'q Query,
    /// The columns that group the events, without duplicates.
    keys: Vec<Column>,
    counts_sessions: bool,
    counts_visitors: bool,
    groups: HashMap<Box<[Key]>, Group>,
    bytes: usize,
    deadline: Deadline,
}

/// The time at which an evaluation has taken too long.
#[derive(Debug)]
pub struct Deadline {
    at: Instant,
    /// Number of events since the time was last read.
    unchecked: u32,
}

impl Default for Deadline {
    fn default() -> Self {
        Self { at: Instant::now() + MAX_TIME, unchecked: 0 }
    }
}

impl Deadline {
    /// Counts an event.
    ///
    /// # Errors
    /// Returns [`Exceeded::Time`] after the deadline.
    pub fn check(&mut self) -> Result<(), Exceeded> {
        self.unchecked += 1;
        if self.unchecked < EVENTS_PER_CHECK {
            return Ok(());
        }
        self.unchecked = 0;
        if Instant::now() > self.at { Err(Exceeded::Time) } else { Ok(()) }
    }
}

impl Query {
    /// Returns the query with its defaults: without columns, the result has those by which events are
    /// grouped and the number of events. Times without an interval have that of `group_by`.
    #[must_use]
    pub fn with_defaults(mut self) -> Self {
        if self.select.is_empty() {
            self.select.clone_from(&self.group_by);
            self.select.push(Column::new(ColumnName::EventsCount));
        }
        let mut of_time =
            self.group_by.iter().chain(&self.select).filter(|one| one.name == ColumnName::Datetime);
        let interval = of_time.find_map(|column| column.interval);
        let sorted = self.order.iter_mut().map(|(column, _)| column);
        for column in self.select.iter_mut().chain(sorted) {
            if column.name == ColumnName::Datetime {
                column.interval = column.interval.or(interval);
            }
        }
        self
    }

    /// Returns the columns that group the events: those of `group_by`, then the selected ones.
    fn keys(&self) -> Vec<Column> {
        let mut keys: Vec<Column> = Vec::new();
        let selected = self.select.iter().filter(|column| !column.name.is_aggregate());
        for column in self.group_by.iter().chain(selected) {
            if !keys.contains(column) {
                keys.push(column.clone());
            }
        }
        keys
    }

    fn columns(&self) -> impl Iterator<Item = &Column> {
        let filtered = self.filters.iter().map(|filter| &filter.column);
        let order = self.order.iter().map(|(column, _)| column);
        self.select.iter().chain(&self.group_by).chain(filtered).chain(order)
    }

    /// Returns `true` if the result depends on the properties of the events.
    pub fn needs_properties(&self) -> bool {
        self.columns().any(|column| !column.name.needs_no_properties())
    }

    /// Returns the types of events that can be in the result; empty for all.
    ///
    /// Returns `None` if no type can.
    pub fn types(&self) -> Option<Vec<SiteInsightsEventType>> {
        let mut types = SiteInsightsEventType::ALL.to_vec();
        for column in self.keys().iter().filter(|column| !column.types().is_empty()) {
            types.retain(|one| column.types().contains(one));
        }
        for filter in &self.filters {
            let Some(listed) = filter.listed() else { continue };
            if filter.column.name == ColumnName::EventType {
                types.retain(|one| listed.contains(&Key::text(one.as_str())));
            } else if !filter.column.types().is_empty() {
                types.retain(|one| filter.column.types().contains(one));
            }
        }
        match types.len() {
            0 => None,
            count if count == SiteInsightsEventType::ALL.len() => Some(Vec::new()),
            _ => Some(types),
        }
    }

    /// Returns `true` if the result is sorted by a column that it has: a count, or a property that
    /// groups the events.
    pub fn is_sortable(&self) -> bool {
        let Some((column, _)) = &self.order else { return true };
        column.name.is_aggregate() || self.keys().contains(column)
    }
}

impl<'q> Aggregation<'q> {
    /// Begins an evaluation.
    pub fn new(query: &'q Query) -> Self {
        let counts = |name| query.columns().any(|column| column.name == name);
        let keys = query.keys();
        let mut groups = HashMap::new();
        if keys.is_empty() {
            // Without properties there is one group, even of no events.
            groups.insert(Box::default(), Group::default());
        }
        Self {
            query,
            keys,
            counts_sessions: counts(ColumnName::SessionsCount),
            counts_visitors: counts(ColumnName::VisitorsCount),
            groups,
            bytes: 0,
            deadline: Deadline::default(),
        }
    }

    /// Adds an event to its groups, if it passes the filters.
    ///
    /// # Errors
    /// Returns the limit of time or memory that is exceeded.
    pub fn add(&mut self, event: &Event) -> Result<(), Exceeded> {
        self.deadline.check()?;
        let mut values = Vec::new();
        for filter in &self.query.filters {
            if !filter.column.name.is_aggregate() {
                values.clear();
                filter.column.append_values(event, &mut values);
                if !filter.passes(&values) {
                    return Ok(());
                }
            }
        }
        let mut combinations: Vec<Vec<Key>> = vec![Vec::with_capacity(self.keys.len())];
        for column in &self.keys {
            values.clear();
            column.append_values(event, &mut values);
            values.sort();
            values.dedup();
            combinations = extended(combinations, &values);
        }
        combinations.into_iter().try_for_each(|key| self.count(key, event))
    }

    fn count(&mut self, key: Vec<Key>, event: &Event) -> Result<(), Exceeded> {
        let key = key.into_boxed_slice();
        if !self.groups.contains_key(&key) {
            let texts: usize = key.iter().map(Key::heap_bytes).sum();
            self.bytes += GROUP_BYTES + size_of_val(&*key) + texts;
        }
        let group = self.groups.entry(key).or_default();
        group.events += 1;
        if let Some(session) = event.session.filter(|_| self.counts_sessions)
            && group.sessions.insert(session)
        {
            self.bytes += COUNTED_BYTES;
        }
        if let Some(visitor) = event.visitor.filter(|_| self.counts_visitors)
            && group.visitors.insert(visitor)
        {
            self.bytes += COUNTED_BYTES;
        }
        // A comment repeats the rating that was counted before it.
        if event.kind == SiteInsightsEventType::PagePostFeedback {
            match event.properties.rating {
                Some(PageFeedbackRating::Good) => group.good += 1,
                Some(PageFeedbackRating::Ok) => group.ok += 1,
                Some(PageFeedbackRating::Bad) => group.bad += 1,
                None => {}
            }
        }
        match event.properties.response_rating {
            Some(1..) => group.positive += 1,
            Some(..=-1) => group.negative += 1,
            Some(0) | None => {}
        }
        if self.bytes > MAX_BYTES { Err(Exceeded::Memory) } else { Ok(()) }
    }

    /// Returns the columns of the result.
    pub fn finish(self) -> Vec<ResultColumn> {
        let Self { query, keys, groups, .. } = self;
        let of_groups = |filter: &Filter, group: &Group| {
            // Numbers of ratings have filters by their JSON form.
            let cell = group.cell(filter.column.name);
            filter.passes(&[cell.to_key()])
        };
        let mut rows: Vec<(Box<[Key]>, Group)> = groups
            .into_iter()
            .filter(|(_, group)| {
                let mut filters = query.filters.iter();
                filters.all(|one| !one.column.name.is_aggregate() || of_groups(one, group))
            })
            .collect();
        let cell = |column: &Column, key: &[Key], group: &Group| {
            let at = keys.iter().position(|known| known == column);
            match at.and_then(|at| key.get(at)) {
                Some(key) => Cell::Key(key.clone()),
                None => group.cell(column.name),
            }
        };
        rows.sort_by(|(one, _), (other, _)| one.cmp(other));
        if let Some((column, is_descending)) = &query.order {
            rows.sort_by_cached_key(|(key, group)| {
                let cell = cell(column, key, group);
                if *is_descending { Sorted::Descending(cell) } else { Sorted::Ascending(cell) }
            });
        }
        rows.truncate(query.limit);
        let columns = query.select.iter().map(|column| ResultColumn {
            column: column.clone(),
            values: rows.iter().map(|(key, group)| cell(column, key, group)).collect(),
        });
        columns.collect()
    }
}

/// A value of the column by which a result is sorted.
#[derive(PartialEq, Eq)]
enum Sorted {
    Ascending(Cell),
    Descending(Cell),
}

impl Ord for Sorted {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        match (self, other) {
            (Self::Descending(one), Self::Descending(other)) => other.cmp(one),
            (
                Self::Ascending(one) | Self::Descending(one),
                Self::Ascending(other) | Self::Descending(other),
            ) => one.cmp(other),
        }
    }
}

impl PartialOrd for Sorted {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Group {
    /// Returns the value of a column of groups.
    fn cell(&self, name: ColumnName) -> Cell {
        let count = |counted: &HashSet<i64>| i64::try_from(counted.len()).unwrap_or(i64::MAX);
        match name {
            ColumnName::SessionsCount => Cell::Key(Key::Int(count(&self.sessions))),
            ColumnName::VisitorsCount => Cell::Key(Key::Int(count(&self.visitors))),
            ColumnName::PageFeedbackRating => {
                Cell::PageRatings { good: self.good, ok: self.ok, bad: self.bad }
            }
            ColumnName::AskResponseRating => {
                Cell::ResponseRatings { positive: self.positive, negative: self.negative }
            }
            _ => Cell::Key(Key::Int(self.events)),
        }
    }
}

impl Cell {
    /// Returns the value as JSON.
    pub fn to_json(&self, name: ColumnName) -> serde_json::Value {
        use serde_json::{Value, json};

        match self {
            Self::PageRatings { good, ok, bad } => json!({ "ok": ok, "good": good, "bad": bad }),
            Self::ResponseRatings { positive, negative } => {
                json!({ "positive": positive, "negative": negative })
            }
            Self::Key(Key::Null) => Value::Null,
            Self::Key(Key::Bool(value)) => Value::Bool(*value),
            Self::Key(Key::Int(at)) if name == ColumnName::Datetime => {
                Value::String(bindery_model::Timestamp::from_millis(*at).to_string())
            }
            Self::Key(Key::Int(number)) => json!(number),
            Self::Key(Key::Text(text)) => json!(text),
            Self::Key(Key::Page { space, page }) => json!({ "page": page, "space": space }),
            Self::Key(Key::Json(text)) => serde_json::from_str(text).unwrap_or(Value::Null),
        }
    }

    /// Returns the form that values of filters have.
    fn to_key(&self) -> Key {
        match self {
            Self::Key(key) => key.clone(),
            other => Key::json(&other.to_json(ColumnName::PageFeedbackRating)),
        }
    }
}

/// Returns each beginning of a key with each of the values, up to [`MAX_GROUPS_OF_EVENT`]. There is
/// none without a value.
fn extended(mut beginnings: Vec<Vec<Key>>, values: &[Key]) -> Vec<Vec<Key>> {
    if let [value] = values {
        beginnings.iter_mut().for_each(|key| key.push(value.clone()));
        return beginnings;
    }
    let with_each = |key: Vec<Key>| {
        let with = move |value: &Key| {
            let mut key = key.clone();
            key.push(value.clone());
            key
        };
        values.iter().map(with)
    };
    beginnings.into_iter().flat_map(with_each).take(MAX_GROUPS_OF_EVENT).collect()
}

#[cfg(test)]
mod tests;
