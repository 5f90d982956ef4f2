//! `trackEventsInSiteById`: stores events of the readers of a site.

use std::sync::Arc;

use bindery_app::access::{Action, Anyone};
use bindery_app::publishing::insights::event::{
    Ad, AdPlacement, DisplayContext, Link, LinkPosition, Operation as ApiOperation, PageLocation,
    Properties, TrademarkPlacement,
};
use bindery_app::publishing::insights::track::{SentEvent, store_sent};
use bindery_app::publishing::sites::SiteTarget;
use bindery_app::{App, Context};
use bindery_model::{
    FieldPath, PageFeedbackRating, Result, SiteInsightsEventType as Type, Timestamp,
};
use bindery_wire::request::TrackEventsInSiteByIdBody;
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::call::Call;
use crate::operation::{Operation, PathTarget, act};
use crate::reply::Reply;

/// Units of the rate limit that a request takes. It can store a hundred events.
const COST: u32 = 20;
/// Maximum number of events in a request.
const MAX_EVENTS: usize = 100;
/// Maximum length of an event as JSON, in bytes.
const MAX_EVENT: usize = 32 << 10;
/// Maximum length of ids, in bytes.
const MAX_ID: usize = 128;
/// Maximum length of addresses, in bytes.
const MAX_URL: usize = 2_048;
/// Maximum length of queries, names of browsers, tokens of which more is not stored, in bytes.
const MAX_TEXT: usize = 1_024;
/// Maximum length of a visitor's token, in bytes.
const MAX_TOKEN: usize = 8 << 10;
/// Maximum number of cookies. They are not stored.
const MAX_COOKIES: usize = 100;
/// Maximum length of the claims that an event states as JSON, in bytes.
const MAX_CLAIMS: usize = 4 << 10;
/// Maximum number of claims, of fields of a claim, and of items of a list.
const MAX_CLAIM_ITEMS: usize = 50;
/// Maximum number of nested objects and lists in claims.
const MAX_CLAIM_DEPTH: usize = 5;

/// An event in the body.
#[derive(Deserialize)]
struct EventBody {
    #[serde(rename = "type")]
    kind: Type,
    session: SessionBody,
    location: LocationBody,
    timestamp: Option<String>,
    /// The fields that depend on the type.
    #[serde(flatten)]
    details: Map<String, Value>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct SessionBody {
    visitor_id: String,
    session_id: String,
    cookies: Map<String, Value>,
    user_agent: String,
    language: Option<String>,
    referrer: Option<String>,
    visitor_auth_token: Option<String>,
    #[serde(default)]
    visitor_auth_claims: Map<String, Value>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct LocationBody {
    url: String,
    display_context: Option<DisplayContext>,
    site_section: Option<String>,
    site_space: Option<String>,
    site_share_key: Option<String>,
    space: Option<String>,
    page: Option<String>,
}

pub(super) fn operation() -> Operation {
    act::<Anyone, _>("trackEventsInSiteById", Action::Call, run).costing(COST)
}

async fn run(app: Arc<App>, call: Arc<Call>) -> Result<Reply> {
    let TrackEventsInSiteByIdBody { events } = call.body()?;
    let at = FieldPath::new("/events");
    if events.len() > MAX_EVENTS {
        let text = format!("found {} events, allowed: at most {MAX_EVENTS}", events.len());
        return Err(at.invalid(text));
    }
    let events = events.into_iter().enumerate().map(|(n, event)| sent_event(&at.field(n), event));
    let events: Vec<SentEvent> = events.collect::<Result<_>>()?;
    let key = SiteTarget::key(&call);
    let site = call.path("siteId").to_owned();
    let shared_app = Arc::clone(&app);
    let store = move |tx: &bindery_app::Tx<'_>| {
        let caller = call.caller(tx, &shared_app)?;
        store_sent(&Context { tx, app: &shared_app, caller: &caller }, key, &events)
    };
    app.store.write_serialized(&site, store).await?;
    Ok(Reply::empty(204))
}

/// Checks an event and reads what is stored of it.
fn sent_event(at: &FieldPath, event: Value) -> Result<SentEvent> {
    let length = event.to_string().len();
    if length > MAX_EVENT {
        let text = format!("found an event of {length} bytes, allowed: at most {MAX_EVENT} bytes");
        return Err(at.invalid(text));
    }
    let EventBody { kind, session, location, timestamp, details } =
        serde_json::from_value(event).map_err(|error| at.invalid(error))?;
    let time = timestamp.map(|text| {
        Timestamp::parse(&text).ok_or_else(|| {
            let text = format!("found {text:?}, allowed: a date and time, as in RFC 3339");
            at.field("timestamp").invalid(text)
        })
    });
    let mut properties = Properties::default();
    add_location(&mut properties, &at.field("location"), location)?;
    add_details(&mut properties, kind, at, &details)?;
    let at = at.field("session");
    let SessionBody {
        visitor_id,
        session_id,
        cookies,
        user_agent,
        language,
        referrer,
        visitor_auth_token,
        visitor_auth_claims,
    } = session;
    if cookies.len() > MAX_COOKIES {
        let text = format!("found {} cookies, allowed: at most {MAX_COOKIES}", cookies.len());
        return Err(at.field("cookies").invalid(text));
    }
    properties.set_user_agent(&bounded(&at.field("userAgent"), user_agent, MAX_TEXT)?);
    properties.language = optional(&at.field("language"), language, MAX_ID)?;
    properties.referrer = optional(&at.field("referrer"), referrer, MAX_URL)?;
    check_claims(&at.field("visitorAuthClaims"), &visitor_auth_claims)?;
    properties.claims = visitor_auth_claims;
    Ok(SentEvent {
        at: time.transpose()?,
        kind,
        visitor_id: bounded(&at.field("visitorId"), visitor_id, MAX_ID)?,
        session_id: bounded(&at.field("sessionId"), session_id, MAX_ID)?,
        token: optional(&at.field("visitorAuthToken"), visitor_auth_token, MAX_TOKEN)?,
        properties,
    })
}

fn add_location(properties: &mut Properties, at: &FieldPath, location: LocationBody) -> Result<()> {
    let LocationBody {
        url,
        display_context,
        site_section,
        site_space,
        site_share_key,
        space,
        page,
    } = location;
    properties.set_url(&bounded(&at.field("url"), url, MAX_URL)?);
    properties.display = display_context.filter(|context| *context != DisplayContext::Site);
    properties.site_section = optional(&at.field("siteSection"), site_section, MAX_ID)?;
    properties.site_space = optional(&at.field("siteSpace"), site_space, MAX_ID)?;
    properties.share_key = optional(&at.field("siteShareKey"), site_share_key, MAX_ID)?;
    properties.space = optional(&at.field("space"), space, MAX_ID)?;
    properties.page = optional(&at.field("page"), page, MAX_ID)?;
    Ok(())
}

/// Adds the properties that events of a type have. The contract requires the fields.
fn add_details(
    properties: &mut Properties,
    kind: Type,
    at: &FieldPath,
    details: &Map<String, Value>,
) -> Result<()> {
    let value = |pointer: &str| {
        let mut names = pointer.split('/');
        let first = names.next().and_then(|name| details.get(name));
        names.try_fold(first?, |value, name| value.get(name))
    };
    let text = |pointer: &str, max: usize| {
        let text = value(pointer).and_then(Value::as_str).unwrap_or_default();
        bounded(&at.join(&format!("/{pointer}")), text.to_owned(), max)
    };
    let name = |pointer: &str| value(pointer).and_then(Value::as_str).unwrap_or_default();
    match kind {
        Type::PageView | Type::SearchOpen | Type::AskView => {}
        Type::SearchTypeQuery => {
            properties.query = Some(text("query", MAX_TEXT)?);
            let results = value("results").and_then(Value::as_u64);
            properties.results = results.map(|count| u32::try_from(count).unwrap_or(u32::MAX));
        }
        Type::SearchOpenResult => {
            properties.query = Some(text("query", MAX_TEXT)?);
            let space = text("result/spaceId", MAX_ID)?;
            properties.result = Some(PageLocation { space, page: text("result/pageId", MAX_ID)? });
        }
        Type::PagePostFeedback | Type::PagePostFeedbackComment => {
            properties.rating = PageFeedbackRating::parse(name("feedback/rating"));
            if kind == Type::PagePostFeedbackComment {
                // The contract allows 512 characters.
                properties.comment = Some(text("feedback/comment", 4 * 512)?);
            }
        }
        Type::AskQuestion => properties.query = Some(text("query", MAX_TEXT)?),
        Type::AskRateResponse => {
            properties.query = Some(text("query", MAX_TEXT)?);
            let rating = value("rating").and_then(Value::as_i64);
            properties.response_rating = rating.and_then(|rating| i8::try_from(rating).ok());
        }
        Type::LinkClick => {
            let target = value("link/target").cloned().unwrap_or_default();
            let length = target.to_string().len();
            if length > 2 * MAX_URL {
                let text = format!("found {length} bytes, allowed: at most {} bytes", 2 * MAX_URL);
                return Err(at.join("/link/target").invalid(text));
            }
            let position = LinkPosition::parse(name("link/position"));
            properties.link = position.map(|position| Link { target, position });
        }
        Type::ApiClientOpen | Type::ApiClientRequest => {
            let path = text("operation/path", MAX_TEXT)?;
            let method = text("operation/method", MAX_ID)?;
            properties.operation = Some(ApiOperation { path, method });
        }
        Type::AdClick | Type::AdDisplay => {
            let domain = text("ad/domain", MAX_TEXT)?;
            let placement = AdPlacement::parse(name("ad/placement"));
            properties.ad = placement.map(|placement| Ad { domain, placement });
        }
        Type::TrademarkClick => {
            properties.trademark = TrademarkPlacement::parse(name("placement"));
        }
    }
    Ok(())
}

fn bounded(at: &FieldPath, text: String, max: usize) -> Result<String> {
    match text.len() {
        length if length > max => {
            Err(at.invalid(format!("found {length} bytes, allowed: at most {max} bytes")))
        }
        _ => Ok(text),
    }
}

/// Returns a text that may be absent or empty.
fn optional(at: &FieldPath, text: Option<String>, max: usize) -> Result<Option<String>> {
    let text = text.filter(|text| !text.is_empty());
    text.map(|text| bounded(at, text, max)).transpose()
}

fn check_claims(at: &FieldPath, claims: &Map<String, Value>) -> Result<()> {
    let claims = Value::Object(claims.clone());
    let length = claims.to_string().len();
    if length > MAX_CLAIMS {
        let text = format!("found {length} bytes, allowed: at most {MAX_CLAIMS} bytes");
        return Err(at.invalid(text));
    }
    if !is_small(&claims, MAX_CLAIM_DEPTH) {
        return Err(at.invalid(format!(
            "found claims with more than {MAX_CLAIM_ITEMS} names or items or more than \
             {MAX_CLAIM_DEPTH} levels, allowed: fewer"
        )));
    }
    Ok(())
}

fn is_small(value: &Value, depth: usize) -> bool {
    match value {
        Value::Object(map) => {
            depth > 0
                && map.len() <= MAX_CLAIM_ITEMS
                && map.values().all(|value| is_small(value, depth - 1))
        }
        Value::Array(items) => {
            depth > 0
                && items.len() <= MAX_CLAIM_ITEMS
                && items.iter().all(|value| is_small(value, depth - 1))
        }
        _ => true,
    }
}
