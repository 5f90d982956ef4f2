//! Group `site-insights`.

mod aggregate_site_events;
mod track_events_in_site_by_id;

use bindery_app::Context;
use bindery_app::access::{Action, Authorized};
use bindery_app::publishing::insights::query;
use bindery_app::publishing::insights::segments::Segment;
use bindery_app::publishing::sites::SiteTarget;
use bindery_model::Result;
use bindery_wire::List;
use serde_json::json;

use crate::call::Call;
use crate::operation::{Operation, read_long};
use crate::reply::Reply;

pub(super) fn operations() -> Vec<Operation> {
    vec![
        track_events_in_site_by_id::operation(),
        aggregate_site_events::operation(),
        read_long("listSiteVisitorSegments", Action::ReadInsights, list_site_visitor_segments),
    ]
}

/// `listSiteVisitorSegments`: lists the groups of visitors with equal claims.
fn list_site_visitor_segments(
    cx: &Context<'_>,
    site: &Authorized<SiteTarget>,
    _: &Call,
) -> Result<Reply> {
    let (segments, count) = query::segments(cx, site)?;
    let items: Vec<_> = segments
        .into_iter()
        .map(|segment| {
            let Segment { title, claims, events, visitors, sessions } = segment;
            json!({
                "title": title,
                "claims": claims,
                "events": events,
                "visitors": visitors,
                "sessions": sessions,
            })
        })
        .collect();
    Reply::json(200, &List { next: None, count: u64::try_from(count).ok(), items })
}
