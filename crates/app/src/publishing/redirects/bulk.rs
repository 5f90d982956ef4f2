//! Changes of many redirects at once, by their sources.

use bindery_model::{Error, ErrorKind, Result, SiteRedirectId};
use bindery_store::{Event, site_redirects};

use super::{
    NewDestination, SiteRedirect, canonical, check, check_limit, destination, lock, new, record,
    remove, replace, store, with_source,
};
use crate::Context;
use crate::access::Authorized;
use crate::publishing::sites::{Site, SiteTarget};
use crate::publishing::structure::SiteStructure;

/// A change of the redirect with a source.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum BulkItem {
    /// Puts the draft into effect, in place of the redirect in effect.
    Publish,
    /// Creates or changes the redirect in effect, or the draft.
    Upsert {
        /// `true` for the draft.
        draft: bool,
        /// The destination.
        destination: NewDestination,
        /// `true` if paths below the source follow the redirect too.
        wildcard: bool,
        /// `true` if clients may remember the redirect; `None` keeps the value.
        permanent: Option<bool>,
    },
    /// Deletes the redirect in effect, or the draft.
    Delete {
        /// `true` for the draft.
        draft: bool,
    },
}

impl BulkItem {
    /// Returns `true` if the change applies to a draft that stays one.
    pub const fn is_draft(&self) -> bool {
        match self {
            Self::Publish => false,
            Self::Upsert { draft, .. } | Self::Delete { draft } => *draft,
        }
    }
}

/// The outcome of one change.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum BulkOutcome {
    /// The redirect is new.
    Created(SiteRedirectId),
    /// The redirect existed.
    Updated(SiteRedirectId),
    /// The draft is in effect.
    Published(SiteRedirectId),
    /// The redirect no longer exists.
    Deleted,
    /// Nothing was changed, for this reason.
    Failed(String),
}

/// Applies changes of redirects in order. A change that is invalid has no effect on the others.
///
/// # Errors
/// Returns an error if the store fails.
pub fn bulk_upsert(
    cx: &Context<'_>,
    site: &Authorized<SiteTarget>,
    items: &[(String, BulkItem)],
) -> Result<Vec<BulkOutcome>> {
    let structure = lock(cx, &site.0)?;
    let count = site_redirects::count_all(cx.tx, site.0.id)?;
    let mut bulk = Bulk { cx, site: &site.0, structure: &structure, count };
    items.iter().map(|(source, item)| outcome(bulk.apply(source, item))).collect()
}

/// Turns the reason why a change is refused into an outcome.
fn outcome(result: Result<BulkOutcome>) -> Result<BulkOutcome> {
    match result {
        Err(error) if is_refusal(&error) => Ok(BulkOutcome::Failed(error.message().to_owned())),
        other => other,
    }
}

const fn is_refusal(error: &Error) -> bool {
    matches!(error.kind(), ErrorKind::Invalid | ErrorKind::NotFound | ErrorKind::Conflict)
}

struct Bulk<'a> {
    cx: &'a Context<'a>,
    site: &'a Site,
    structure: &'a SiteStructure,
    /// Number of redirects of the site, including drafts.
    count: i64,
}

impl Bulk<'_> {
    fn find(&self, source: &str, draft: bool) -> Result<Option<SiteRedirect>> {
        let key = canonical(source);
        Ok(site_redirects::get_by_key(self.cx.tx, self.site.id, &key, draft)?)
    }

    /// Applies a change. Refuses it before anything is written.
    fn apply(&mut self, source: &str, item: &BulkItem) -> Result<BulkOutcome> {
        match item {
            BulkItem::Publish => self.publish(source),
            BulkItem::Delete { draft } => {
                let found = self.find(source, *draft)?;
                let redirect = found.ok_or_else(|| Error::not_found("redirect"))?;
                remove(self.cx, self.site, &redirect)?;
                self.count -= 1;
                Ok(BulkOutcome::Deleted)
            }
            BulkItem::Upsert { draft, destination, wildcard, permanent } => {
                let place = destination::checked(self.cx, self.structure, destination)?;
                let before = self.find(source, *draft)?;
                let base = before.clone().unwrap_or_else(|| new(self.cx, self.site, place));
                let mut after = with_source(&base, source);
                place.store_in(&mut after);
                after.draft = *draft;
                after.wildcard = *wildcard;
                after.permanent = permanent.unwrap_or(base.permanent);
                check(self.cx, self.structure, &after)?;
                if let Some(before) = before {
                    replace(self.cx, self.site, &before, &after)?;
                    return Ok(BulkOutcome::Updated(after.id));
                }
                check_limit(self.count)?;
                store(self.cx, self.site, &after)?;
                self.count += 1;
                Ok(BulkOutcome::Created(after.id))
            }
        }
    }

    fn publish(&mut self, source: &str) -> Result<BulkOutcome> {
        let draft = self.find(source, true)?;
        let draft = draft.ok_or_else(|| Error::not_found("draft of a redirect"))?;
        check(self.cx, self.structure, &draft)?;
        let mut live = draft.clone();
        live.draft = false;
        if let Some(replaced) = self.find(source, false)? {
            live.id = replaced.id;
            live.created_at = replaced.created_at;
            site_redirects::delete(self.cx.tx, draft.id)?;
            self.count -= 1;
        }
        site_redirects::update(self.cx.tx, &live)?;
        let SiteRedirect { id, source, .. } = live;
        record(self.cx, self.site, Event::SiteRedirectPublished { redirect: id, source })?;
        Ok(BulkOutcome::Published(id))
    }
}
