//! Columns: the properties by which events are grouped and filtered, and the counts of a group.

use bindery_model::SiteInsightsEventType as Type;
use serde_json::Value;

use super::event::{DisplayContext, Event, Properties};
use super::range::Interval;
use super::user_agent::{Browser, Device, Os};

bindery_model::closed_set! {
    /// The name of a column. All but the last three are those of the base contract.
    ColumnName {
        /// The time.
        Datetime = "datetime",
        /// The address of the page.
        Url = "url",
        /// The type of the event.
        EventType = "eventType",
        /// The number of events.
        EventsCount = "eventsCount",
        /// The number of different sessions.
        SessionsCount = "sessionsCount",
        /// The number of different visitors.
        VisitorsCount = "visitorsCount",
        /// The section.
        SiteSection = "siteSection",
        /// The site space.
        SiteSpace = "siteSpace",
        /// The share link.
        SiteShareKey = "siteShareKey",
        /// The surroundings of the page.
        DisplayContext = "displayContext",
        /// The page with its space.
        Page = "page",
        /// The country of the visitor, which is not known.
        VisitorGeoCountry = "visitorGeoCountry",
        /// The place of the visitor, which is not known.
        VisitorGeoPoint = "visitorGeoPoint",
        /// The kind of device.
        VisitorDevice = "visitorDevice",
        /// The browser.
        VisitorBrowser = "visitorBrowser",
        /// The operating system.
        VisitorOs = "visitorOS",
        /// The robot.
        VisitorBot = "visitorBot",
        /// The preferred language.
        VisitorLanguage = "visitorLanguage",
        /// The target of a followed link.
        EventLinkTargetValue = "eventLinkTargetValue",
        /// The kind of the target.
        EventLinkTargetKind = "eventLinkTargetKind",
        /// The domain of the target.
        EventLinkTargetDomain = "eventLinkTargetDomain",
        /// The position of the link.
        EventLinkPosition = "eventLinkPosition",
        /// The path of an operation of an API.
        EventApiOperationPath = "eventAPIOperationPath",
        /// The method of the operation.
        EventApiOperationMethod = "eventAPIOperationMethod",
        /// The query of a search, or a question.
        EventSearchQuery = "eventSearchQuery",
        /// The rating of a page.
        EventPageFeedbackRating = "eventPageFeedbackRating",
        /// The comment on a page.
        EventPageFeedbackComment = "eventPageFeedbackComment",
        /// The rating of an answer.
        EventAskResponseRating = "eventAskResponseRating",
        /// The numbers of ratings of pages.
        PageFeedbackRating = "pageFeedbackRating",
        /// The numbers of ratings of answers.
        AskResponseRating = "askResponseRating",
        /// The address of the page that led to the site.
        Referrer = "referrer",
        /// The domain of this page.
        ReferrerDomain = "referrerDomain",
        /// The parameter `utm_source` of the address.
        UtmSource = "utmSource",
        /// The parameter `utm_medium`.
        UtmMedium = "utmMedium",
        /// The parameter `utm_campaign`.
        UtmCampaign = "utmCampaign",
        /// The parameter `utm_term`.
        UtmTerm = "utmTerm",
        /// The parameter `utm_content`.
        UtmContent = "utmContent",
        /// The names of the claims about the visitor.
        VisitorClaimProperty = "visitorClaimProperty",
        /// The value of a claim.
        VisitorClaim = "visitorClaim",
        /// The domain of an ad.
        EventAdDomain = "eventAdDomain",
        /// The position of an ad.
        EventAdPlacement = "eventAdPlacement",
        /// The position of a trademark.
        EventTrademarkPlacement = "eventTrademarkPlacement",
        /// The number of pages that a search found.
        EventSearchResults = "eventSearchResults",
        /// The opened result of a search.
        EventSearchResultPage = "eventSearchResultPage",
        /// `true` if the claims are those of a verified token.
        VisitorClaimsVerified = "visitorClaimsVerified",
    }
}

impl ColumnName {
    /// Returns `true` if the column is a property of a group and not of its events.
    pub const fn is_aggregate(self) -> bool {
        matches!(
            self,
            Self::EventsCount
                | Self::SessionsCount
                | Self::VisitorsCount
                | Self::PageFeedbackRating
                | Self::AskResponseRating
        )
    }

    /// Returns `true` if the values are integers or times, which can be compared by size.
    pub const fn is_ordered(self) -> bool {
        matches!(
            self,
            Self::Datetime
                | Self::EventsCount
                | Self::SessionsCount
                | Self::VisitorsCount
                | Self::EventAskResponseRating
                | Self::EventSearchResults
        )
    }

    /// Returns `true` if the values follow from the type, the time and the reader of an event.
    pub const fn needs_no_properties(self) -> bool {
        matches!(
            self,
            Self::Datetime
                | Self::EventType
                | Self::EventsCount
                | Self::SessionsCount
                | Self::VisitorsCount
        )
    }
}

/// A column with its options.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Column {
    /// The name.
    pub name: ColumnName,
    /// The interval by which times are grouped.
    pub interval: Option<Interval>,
    /// The claim: names separated by dots.
    pub claim: Option<String>,
}

impl Column {
    /// Returns a column without options.
    pub const fn new(name: ColumnName) -> Self {
        Self { name, interval: None, claim: None }
    }

    /// Returns `true` if both name the same property of an event, perhaps by other intervals.
    pub fn is_same_property(&self, other: &Self) -> bool {
        self.name == other.name && self.claim == other.claim
    }

    /// Appends the values of the column for an event. There are several if a claim is a list, and
    /// none if events of the type do not have the column.
    pub fn append_values(&self, event: &Event, values: &mut Vec<Key>) {
        let properties = &event.properties;
        let text = |text: &Option<String>| text.as_deref().map_or(Key::Null, Key::text);
        let of_url = |name: &str| Key::text(&parameter(&properties.url, name).unwrap_or_default());
        let value = match self.name {
            ColumnName::Datetime => {
                let at = event.at.millis();
                Key::Int(self.interval.map_or(at, |interval| interval.start(at)))
            }
            ColumnName::EventType => Key::text(event.kind.as_str()),
            ColumnName::Url => Key::text(&properties.url),
            ColumnName::SiteSection => text(&properties.site_section),
            ColumnName::SiteSpace => text(&properties.site_space),
            ColumnName::SiteShareKey => text(&properties.share_key),
            ColumnName::DisplayContext => {
                Key::text(properties.display.unwrap_or(DisplayContext::Site).as_str())
            }
            ColumnName::Page => match (&properties.space, &properties.page) {
                (Some(space), page) => Key::page(space, page.as_deref()),
                (None, _) => Key::Null,
            },
            ColumnName::VisitorGeoCountry | ColumnName::VisitorGeoPoint => Key::Null,
            ColumnName::VisitorDevice => {
                Key::text(properties.device.unwrap_or(Device::Unknown).as_str())
            }
            ColumnName::VisitorBrowser => {
                Key::text(properties.browser.unwrap_or(Browser::Unknown).as_str())
            }
            ColumnName::VisitorOs => Key::text(properties.os.unwrap_or(Os::Unknown).as_str()),
            ColumnName::VisitorBot => {
                properties.bot.map_or(Key::Null, |bot| Key::text(bot.as_str()))
            }
            ColumnName::VisitorLanguage => text(&properties.language),
            ColumnName::Referrer => Key::text(properties.referrer.as_deref().unwrap_or_default()),
            ColumnName::ReferrerDomain => {
                let referrer = properties.referrer.as_deref().unwrap_or_default();
                Key::text(&domain(referrer).unwrap_or_default())
            }
            ColumnName::UtmSource => of_url("utm_source"),
            ColumnName::UtmMedium => of_url("utm_medium"),
            ColumnName::UtmCampaign => of_url("utm_campaign"),
            ColumnName::UtmTerm => of_url("utm_term"),
            ColumnName::UtmContent => of_url("utm_content"),
            ColumnName::VisitorClaimProperty => {
                return values.extend(properties.claims.keys().map(|name| Key::text(name)));
            }
            ColumnName::VisitorClaim => {
                let claim = self.claim.as_deref().unwrap_or_default();
                return append_claim(properties, claim, values);
            }
            ColumnName::VisitorClaimsVerified => Key::Bool(properties.claims_verified),
            _ => return values.extend(self.of_type(event)),
        };
        values.push(value);
    }

    /// Returns the value of a column that only events of some types have.
    fn of_type(&self, event: &Event) -> Option<Key> {
        let Properties { link, operation, ad, result, .. } = &event.properties;
        match self.name {
            ColumnName::EventLinkTargetValue => link.as_ref().map(|one| Key::json(&one.target)),
            ColumnName::EventLinkTargetKind => {
                let kind = link.as_ref()?.target.get("kind")?.as_str()?;
                // The contract has no name for the kind of descriptions of APIs.
                (kind != "openapi").then(|| Key::text(kind))
            }
            ColumnName::EventLinkTargetDomain => link.as_ref().map(|one| {
                let url = one.target.get("url").and_then(Value::as_str).unwrap_or_default();
                domain(url).map_or(Key::Null, |domain| Key::text(&domain))
            }),
            ColumnName::EventLinkPosition => Some(Key::text(link.as_ref()?.position.as_str())),
            ColumnName::EventApiOperationPath => Some(Key::text(&operation.as_ref()?.path)),
            ColumnName::EventApiOperationMethod => Some(Key::text(&operation.as_ref()?.method)),
            ColumnName::EventSearchQuery => event.properties.query.as_deref().map(Key::text),
            ColumnName::EventSearchResults => {
                event.properties.results.map(|count| Key::Int(count.into()))
            }
            ColumnName::EventSearchResultPage => {
                result.as_ref().map(|found| Key::page(&found.space, Some(&found.page)))
            }
            ColumnName::EventPageFeedbackRating => {
                event.properties.rating.map(|rating| Key::text(rating.as_str()))
            }
            ColumnName::EventPageFeedbackComment => {
                event.properties.comment.as_deref().map(Key::text)
            }
            ColumnName::EventAskResponseRating => {
                event.properties.response_rating.map(|rating| Key::Int(rating.into()))
            }
            ColumnName::EventAdDomain => ad.as_ref().map(|ad| Key::text(&ad.domain)),
            ColumnName::EventAdPlacement => ad.as_ref().map(|ad| Key::text(ad.placement.as_str())),
            ColumnName::EventTrademarkPlacement => {
                event.properties.trademark.map(|placement| Key::text(placement.as_str()))
            }
            _ => None,
        }
    }

    /// Returns the types of events that can have a value of the column; empty for all.
    pub const fn types(&self) -> &'static [Type] {
        match self.name {
            ColumnName::EventLinkTargetValue
            | ColumnName::EventLinkTargetKind
            | ColumnName::EventLinkTargetDomain
            | ColumnName::EventLinkPosition => &[Type::LinkClick],
            ColumnName::EventApiOperationPath | ColumnName::EventApiOperationMethod => {
                &[Type::ApiClientOpen, Type::ApiClientRequest]
            }
            ColumnName::EventSearchQuery => &[
                Type::SearchTypeQuery,
                Type::SearchOpenResult,
                Type::AskQuestion,
                Type::AskRateResponse,
            ],
            ColumnName::EventSearchResults => &[Type::SearchTypeQuery],
            ColumnName::EventSearchResultPage => &[Type::SearchOpenResult],
            ColumnName::EventPageFeedbackRating => {
                &[Type::PagePostFeedback, Type::PagePostFeedbackComment]
            }
            ColumnName::EventPageFeedbackComment => &[Type::PagePostFeedbackComment],
            ColumnName::EventAskResponseRating => &[Type::AskRateResponse],
            ColumnName::EventAdDomain | ColumnName::EventAdPlacement => {
                &[Type::AdClick, Type::AdDisplay]
            }
            ColumnName::EventTrademarkPlacement => &[Type::TrademarkClick],
            _ => &[],
        }
    }
}

/// The value of a column for one event, or for all events of a group.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Key {
    /// No value.
    Null,
    /// A truth value.
    Bool(bool),
    /// An integer, or a time in milliseconds since 1970.
    Int(i64),
    /// A text.
    Text(Box<str>),
    /// A page of a space.
    Page {
        /// The space.
        space: Box<str>,
        /// The page.
        page: Option<Box<str>>,
    },
    /// JSON with sorted names.
    Json(Box<str>),
}

impl Key {
    /// Returns a text.
    pub fn text(text: &str) -> Self {
        Self::Text(text.into())
    }

    /// Returns a page.
    pub fn page(space: &str, page: Option<&str>) -> Self {
        Self::Page { space: space.into(), page: page.map(Into::into) }
    }

    /// Returns JSON, the same for objects that differ only in the order of their names.
    pub fn json(value: &Value) -> Self {
        Self::Json(sorted(value).to_string().into())
    }

    /// Returns the size in bytes outside of the value itself.
    pub fn heap_bytes(&self) -> usize {
        match self {
            Self::Null | Self::Bool(_) | Self::Int(_) => 0,
            Self::Text(text) | Self::Json(text) => text.len(),
            Self::Page { space, page } => space.len() + page.as_ref().map_or(0, |page| page.len()),
        }
    }
}

fn sorted(value: &Value) -> Value {
    match value {
        Value::Object(map) => {
            let mut fields: Vec<_> = map.iter().collect();
            fields.sort_by_key(|(name, _)| *name);
            fields.into_iter().map(|(name, value)| (name.clone(), sorted(value))).collect()
        }
        Value::Array(items) => items.iter().map(sorted).collect(),
        other => other.clone(),
    }
}

/// Appends the values of a claim, one for each item of a list.
fn append_claim(properties: &Properties, path: &str, values: &mut Vec<Key>) {
    let mut names = path.split('.');
    let first = names.next().and_then(|name| properties.claims.get(name));
    // A name can contain dots itself.
    let found = properties
        .claims
        .get(path)
        .or_else(|| names.try_fold(first?, |value, name| value.get(name)));
    match found {
        None | Some(Value::Null) => values.push(Key::text("")),
        Some(Value::Array(items)) if items.is_empty() => values.push(Key::text("")),
        Some(Value::Array(items)) => values.extend(items.iter().map(|one| Key::text(&plain(one)))),
        Some(one) => values.push(Key::text(&plain(one))),
    }
}

/// Returns a text without quotation marks, and other values as JSON.
fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| sorted(value).to_string(), str::to_owned)
}

/// Returns the host of an address in lower case, such as `example.com`.
pub fn domain(url: &str) -> Option<String> {
    let (_, rest) = url.split_once("://")?;
    let authority = rest.split(['/', '?', '#', '\\']).next()?;
    let host = authority.rsplit('@').next()?;
    let end =
        if host.starts_with('[') { host.find(']').map(|end| end + 1) } else { host.find(':') };
    let host = host.get(..end.unwrap_or(host.len()))?;
    (!host.is_empty()).then(|| host.to_ascii_lowercase())
}

/// Returns the value of the first parameter with a name in an address.
fn parameter(url: &str, name: &str) -> Option<String> {
    let (_, query) = url.split_once('?')?;
    let query = query.split('#').next()?;
    let value = query.split('&').find_map(|pair| {
        let (known, value) = pair.split_once('=')?;
        (known == name).then_some(value)
    })?;
    let value = value.replace('+', " ");
    Some(percent_encoding::percent_decode_str(&value).decode_utf8_lossy().into_owned())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn domains_are_found_in_addresses() {
        let check = |url: &str, expect: Option<&str>| {
            assert_eq!(domain(url).as_deref(), expect, "{url}");
        };
        check("https://Docs.Example.com:8080/a?b#c", Some("docs.example.com"));
        check("https://user:pass@example.com", Some("example.com"));
        check("http://[::1]:80/", Some("[::1]"));
        check("https://example.com?x@evil.example", Some("example.com"));
        check("example.com", None);
        check("https:///path", None);
        check("", None);
    }

    #[test]
    fn parameters_are_decoded() {
        let url = "https://a.example/?utm_source=news%20letter+1&x=1&utm_source=2#utm_term=3";
        assert_eq!(parameter(url, "utm_source").as_deref(), Some("news letter 1"));
        assert_eq!(parameter(url, "utm_term"), None);
        assert_eq!(
            parameter("https://a.example/?utm_term=%FF", "utm_term").as_deref(),
            Some("\u{fffd}")
        );
    }

    #[test]
    fn claims_are_found_by_their_path() {
        let claims = json!({ "plan": "pro", "a": { "b": 1 }, "a.c": true, "roles": ["x", "y"] });
        let Value::Object(claims) = claims else { panic!("an object") };
        let properties = Properties { claims, ..Properties::default() };
        let check = |path: &str, expect: &[&str]| {
            let mut values = Vec::new();
            append_claim(&properties, path, &mut values);
            assert_eq!(values, expect.iter().copied().map(Key::text).collect::<Vec<_>>(), "{path}");
        };
        check("plan", &["pro"]);
        check("a.b", &["1"]);
        check("a.c", &["true"]);
        check("a", &["{\"b\":1}"]);
        check("roles", &["x", "y"]);
        check("absent.b", &[""]);
    }

    #[test]
    fn references_are_equal_in_any_order_of_names() {
        let one = json!({ "kind": "page", "page": "p", "space": { "b": 1, "a": 2 } });
        let other = json!({ "space": { "a": 2, "b": 1 }, "page": "p", "kind": "page" });
        assert_eq!(Key::json(&one), Key::json(&other));
    }
}
