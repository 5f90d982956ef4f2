//! Lists: the envelope, the requested page, and cursors that are bound to their list.

use bindery_app::App;
use bindery_model::{Error, Result, Timestamp};
use bindery_wire::{List, Next};

use crate::call::Call;

/// Items on a page if `limit` is absent.
const DEFAULT_LIMIT: u32 = 50;

/// The requested page of a list.
#[derive(Debug)]
pub(crate) struct Page<'a> {
    app: &'a App,
    key: String,
    /// Maximum number of items.
    pub limit: u32,
    after: Option<String>,
}

impl<'a> Page<'a> {
    /// Reads `page` and `limit`.
    ///
    /// # Errors
    /// 400 for a cursor that is malformed or belongs to another list.
    pub(crate) fn of(app: &'a App, call: &Call) -> Result<Self> {
        let key = call.list_key();
        let after = match call.query.text("page").filter(|cursor| !cursor.is_empty()) {
            None => None,
            Some(cursor) => Some(app.secrets.cursor_place(&key, cursor).ok_or_else(|| {
                Error::invalid(
                    "query parameter \"page\": found a cursor of another list, \
                     allowed: the text in next.page of an answer to the same query",
                )
            })?),
        };
        let limit = call.query.number("limit").and_then(|limit| u32::try_from(limit).ok());
        Ok(Self { app, key, limit: limit.unwrap_or(DEFAULT_LIMIT), after })
    }

    /// Returns the signed cursor of a position.
    pub(crate) fn cursor(&self, position: &str) -> String {
        self.app.secrets.cursor(&self.key, position)
    }

    /// Returns the number of rows to read: one more than the limit, to detect a next page.
    pub(crate) const fn rows(&self) -> u32 {
        self.limit.saturating_add(1)
    }

    /// Returns the position after which this page begins.
    pub(crate) fn after(&self) -> Option<&str> {
        self.after.as_deref()
    }

    /// Parses the position as a time and an id, for lists in the order of creation.
    pub(crate) fn after_time(&self) -> Option<(Timestamp, &str)> {
        let (time, id) = self.after()?.split_once(' ')?;
        Some((Timestamp::from_millis(time.parse().ok()?), id))
    }

    /// Parses the position as a stamp and an id, for lists of events.
    pub(crate) fn after_stamp(&self) -> Option<(i64, &str)> {
        let (stamp, id) = self.after()?.split_once(' ')?;
        Some((stamp.parse().ok()?, id))
    }

    /// Builds the envelope for the page of a short list that is already in memory. The position is
    /// the number and the id of the last item, so that the next page begins after that item even if
    /// others were added or removed before it.
    pub(crate) fn window<T>(&self, items: Vec<T>, id: impl Fn(&T) -> String) -> List<T> {
        let count = items.len();
        let last = self.after().and_then(|after| after.split_once(' '));
        let start = last.map_or(0, |(number, last)| {
            let found = items.iter().position(|item| id(item) == last);
            found.map(|index| index + 1).or_else(|| number.parse().ok()).unwrap_or(0)
        });
        let limit = usize::try_from(self.limit).unwrap_or(usize::MAX);
        let page: Vec<T> = items.into_iter().skip(start).take(limit).collect();
        let end = start.saturating_add(page.len());
        let last = page.last().filter(|_| end < count);
        let next =
            last.map(|last| Next { page: self.cursor(&format!("{} {}", end - 1, id(last))) });
        List { next, count: Some(u64::try_from(count).unwrap_or_default()), items: page }
    }

    /// Drops the surplus row and builds the envelope. `position` returns the position of an item.
    pub(crate) fn list<R, T>(
        &self,
        rows: Vec<R>,
        count: i64,
        position: impl Fn(&R) -> String,
        present: impl FnMut(R) -> Result<T>,
    ) -> Result<List<T>> {
        self.list_of(rows, count, position, |rows| rows.into_iter().map(present).collect())
    }

    /// Like `list`, for items that are presented together.
    pub(crate) fn list_of<R, T>(
        &self,
        mut rows: Vec<R>,
        count: i64,
        position: impl Fn(&R) -> String,
        present: impl FnOnce(Vec<R>) -> Result<Vec<T>>,
    ) -> Result<List<T>> {
        let limit = usize::try_from(self.limit).unwrap_or(usize::MAX);
        let more = rows.len() > limit;
        rows.truncate(limit);
        let next = match rows.last() {
            Some(last) if more => Some(Next { page: self.cursor(&position(last)) }),
            _ => None,
        };
        let count = Some(u64::try_from(count).unwrap_or_default());
        Ok(List { next, count, items: present(rows)? })
    }
}

/// Returns the position of an item in the order of creation.
pub(crate) fn time_position(at: Timestamp, id: impl std::fmt::Display) -> String {
    format!("{} {id}", at.millis())
}
