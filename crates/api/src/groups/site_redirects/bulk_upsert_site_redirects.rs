//! `bulkUpsertSiteRedirects`: creates, changes, publishes and deletes redirects by their sources.

use bindery_app::Context;
use bindery_app::access::{Action, Authorized};
use bindery_app::publishing::redirects::{self, BulkItem, BulkOutcome, NewDestination};
use bindery_app::publishing::sites::SiteTarget;
use bindery_model::{FieldPath, Result};
use bindery_wire::request::BulkUpsertSiteRedirectsBody;
use bindery_wire::response::{
    BulkUpsertSiteRedirectsResponse, BulkUpsertSiteRedirectsResponseResult as BulkResult,
    BulkUpsertSiteRedirectsResponseResultCreated as Created,
    BulkUpsertSiteRedirectsResponseResultDeleted as Deleted,
    BulkUpsertSiteRedirectsResponseResultError as Failed,
    BulkUpsertSiteRedirectsResponseResultPublished as Published,
    BulkUpsertSiteRedirectsResponseResultUpdated as Updated,
};
use serde::Deserialize;

use crate::call::Call;
use crate::operation::{Operation, write};
use crate::reply::Reply;

pub(super) fn operation() -> Operation {
    write("bulkUpsertSiteRedirects", Action::ManageSite, run)
}

/// A change, of which the contract has two forms.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Item {
    source: String,
    #[serde(default)]
    intent: Intent,
    #[serde(default)]
    capture_wildcard: bool,
    permanent: Option<bool>,
    destination: Option<InputDestination>,
}

/// The purpose of a change.
#[derive(Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Intent {
    #[default]
    Live,
    Draft,
    Publish,
}

/// A destination, or `path`, which is turned into the page at the path.
#[derive(Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", rename_all_fields = "camelCase")]
enum InputDestination {
    SiteSection { site_section_id: String },
    SiteSpace { site_space_id: String },
    SitePage { site_space_id: String, page_id: String },
    Path { space_id: String, path: String },
}

impl From<InputDestination> for NewDestination {
    fn from(destination: InputDestination) -> Self {
        match destination {
            InputDestination::SiteSection { site_section_id } => Self::Section(site_section_id),
            InputDestination::SiteSpace { site_space_id } => Self::SiteSpace(site_space_id),
            InputDestination::SitePage { site_space_id, page_id } => {
                Self::Page(site_space_id, page_id)
            }
            InputDestination::Path { space_id, path } => Self::Path(space_id, path),
        }
    }
}

impl Item {
    fn change(self) -> (String, BulkItem) {
        let Self { source, intent, capture_wildcard, permanent, destination } = self;
        let draft = intent == Intent::Draft;
        let item = match (intent, destination) {
            (Intent::Publish, _) => BulkItem::Publish,
            (_, None) => BulkItem::Delete { draft },
            (_, Some(destination)) => BulkItem::Upsert {
                draft,
                destination: destination.into(),
                wildcard: capture_wildcard,
                permanent,
            },
        };
        (source, item)
    }
}

fn run(cx: &Context<'_>, site: &Authorized<SiteTarget>, call: &Call) -> Result<Reply> {
    let BulkUpsertSiteRedirectsBody { redirects } = call.body()?;
    let mut items = Vec::with_capacity(redirects.len());
    for (index, item) in redirects.into_iter().enumerate() {
        let item: Item = serde_json::from_value(item)
            .map_err(|error| FieldPath::new(format!("/redirects/{index}")).invalid(error))?;
        items.push(item.change());
    }
    let outcomes = redirects::bulk_upsert(cx, site, &items)?;
    let results = items.into_iter().zip(outcomes);
    let results = results.map(|((source, item), outcome)| result(source, &item, outcome)).collect();
    Reply::json(200, &BulkUpsertSiteRedirectsResponse { results })
}

fn result(source: String, item: &BulkItem, outcome: BulkOutcome) -> BulkResult {
    let draft = item.is_draft();
    match outcome {
        BulkOutcome::Created(id) => {
            BulkResult::Created(Created { source, draft, id: id.to_string() })
        }
        BulkOutcome::Updated(id) => {
            BulkResult::Updated(Updated { source, draft, id: id.to_string() })
        }
        BulkOutcome::Published(id) => {
            BulkResult::Published(Published { source, draft, id: id.to_string() })
        }
        BulkOutcome::Deleted => BulkResult::Deleted(Deleted { source, draft }),
        BulkOutcome::Failed(error) => BulkResult::Error(Failed { source, draft, error }),
    }
}
