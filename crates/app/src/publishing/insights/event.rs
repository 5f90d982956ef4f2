//! Events of readers as they are stored and evaluated.

use bindery_model::{PageFeedbackRating, SiteInsightsEventType, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::user_agent::{Bot, Browser, Device, Os, UserAgent};

/// The parameters of addresses with the token and the share key of a visitor.
const SECRETS: [&str; 2] = ["jwt_token", "shareKey"];

bindery_model::closed_set! {
    /// The surroundings of a page.
    DisplayContext {
        /// The site.
        Site = "site",
        /// A page of another site that embeds it.
        Embed = "embed",
    }
}

bindery_model::closed_set! {
    /// The position of a link in a page.
    LinkPosition {
        /// The announcement.
        Announcement = "announcement",
        /// The header.
        Header = "header",
        /// The footer.
        Footer = "footer",
        /// The navigation.
        Sidebar = "sidebar",
        /// The text.
        Content = "content",
    }
}

bindery_model::closed_set! {
    /// The position of an ad in a page.
    AdPlacement {
        /// Beside the text.
        Aside = "aside",
    }
}

bindery_model::closed_set! {
    /// The position of a trademark.
    TrademarkPlacement {
        /// The navigation.
        Sidebar = "sidebar",
        /// An ad.
        Ad = "ad",
        /// The footer.
        Footer = "footer",
        /// A PDF.
        Pdf = "pdf",
    }
}

/// An event of a reader.
#[derive(Clone, PartialEq, Debug)]
pub struct Event {
    /// The time.
    pub at: Timestamp,
    /// The type.
    pub kind: SiteInsightsEventType,
    /// A digest of the visitor's id; `None` for a visitor who does not want to be recognised.
    pub visitor: Option<i64>,
    /// A digest of the session's id.
    pub session: Option<i64>,
    /// The other properties.
    pub properties: Properties,
}

/// The properties of an event that are stored as JSON. Those that belong to another type of event
/// are `None`.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Properties {
    /// The address of the page.
    pub url: String,
    /// The surroundings of the page; `None` for the site.
    pub display: Option<DisplayContext>,
    /// The section.
    pub site_section: Option<String>,
    /// The site space.
    pub site_space: Option<String>,
    /// The share link that admitted the reader, or a key that belongs to none.
    pub share_key: Option<String>,
    /// The space.
    pub space: Option<String>,
    /// The page.
    pub page: Option<String>,
    /// The kind of device.
    pub device: Option<Device>,
    /// The browser.
    pub browser: Option<Browser>,
    /// The operating system.
    pub os: Option<Os>,
    /// The robot; `None` for people.
    pub bot: Option<Bot>,
    /// The language that the reader prefers.
    pub language: Option<String>,
    /// The address of the page that led to this one.
    pub referrer: Option<String>,
    /// The claims about the visitor.
    pub claims: Map<String, Value>,
    /// `true` if the claims are those of a verified token.
    pub claims_verified: bool,
    /// The query of a search or the question.
    pub query: Option<String>,
    /// The number of pages that a search found.
    pub results: Option<u32>,
    /// The opened result of a search.
    pub result: Option<PageLocation>,
    /// The rating of the page.
    pub rating: Option<PageFeedbackRating>,
    /// The comment on the page.
    pub comment: Option<String>,
    /// The rating of an answer: 1 or -1.
    pub response_rating: Option<i8>,
    /// The followed link.
    pub link: Option<Link>,
    /// The operation of an API.
    pub operation: Option<Operation>,
    /// The ad.
    pub ad: Option<Ad>,
    /// The position of the trademark.
    pub trademark: Option<TrademarkPlacement>,
}

/// A page of a space.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct PageLocation {
    /// The space.
    pub space: String,
    /// The page.
    pub page: String,
}

/// A followed link.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Link {
    /// The target: a reference to content as in the API.
    pub target: Value,
    /// The position in the page.
    pub position: LinkPosition,
}

/// An operation of an API.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Operation {
    /// The path.
    pub path: String,
    /// The method.
    pub method: String,
}

/// An ad.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Ad {
    /// The domain of the advertiser.
    pub domain: String,
    /// The position in the page.
    pub placement: AdPlacement,
}

impl Properties {
    /// Sets the address of the page without parameters that are secrets.
    pub fn set_url(&mut self, url: &str) {
        self.url = without_secrets(url);
    }

    /// Sets the address that led to the page, without parameters that are secrets.
    pub fn set_referrer(&mut self, url: &str) {
        self.referrer = (!url.is_empty()).then(|| without_secrets(url));
    }

    /// Sets the properties that follow from the name of the reader's browser.
    pub fn set_user_agent(&mut self, user_agent: &str) {
        let UserAgent { device, browser, os, bot } = UserAgent::parse(user_agent);
        self.device = Some(device);
        self.browser = Some(browser);
        self.os = Some(os);
        self.bot = bot;
    }

    /// Returns the properties as JSON without those that are absent.
    ///
    /// # Errors
    /// Returns an error if the properties cannot be encoded, which does not happen for values from
    /// JSON.
    pub fn to_json(&self) -> bindery_model::Result<String> {
        let encoded = serde_json::to_value(self).map_err(|error| {
            bindery_model::Error::internal(format!("the properties of an event: {error}"))
        })?;
        let Value::Object(mut properties) = encoded else { return Ok(String::new()) };
        properties.retain(|_, value| match value {
            Value::Null | Value::Bool(false) => false,
            Value::Object(claims) => !claims.is_empty(),
            _ => true,
        });
        Ok(Value::Object(properties).to_string())
    }

    /// Parses stored properties. Properties that a newer release wrote differently are absent.
    pub fn from_json(text: &str) -> Self {
        serde_json::from_str(text).unwrap_or_default()
    }
}

/// Returns an address without the parameters with the token and the share key of a visitor.
fn without_secrets(url: &str) -> String {
    let (before, fragment) = url.find('#').map_or((url, ""), |at| url.split_at(at));
    let Some((path, query)) = before.split_once('?') else { return url.to_owned() };
    let is_secret = |pair: &str| {
        let name = pair.split('=').next().unwrap_or_default();
        SECRETS.contains(&name)
    };
    let kept: Vec<&str> = query.split('&').filter(|pair| !is_secret(pair)).collect();
    let separator = if kept.is_empty() { "" } else { "?" };
    format!("{path}{separator}{}{fragment}", kept.join("&"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_lose_the_secrets_of_visitors() {
        let check = |url: &str, expect: &str| assert_eq!(without_secrets(url), expect);
        check("https://a.example/b?jwt_token=x", "https://a.example/b");
        check(
            "https://a.example/?a=1&shareKey=x&b#c?jwt_token=1",
            "https://a.example/?a=1&b#c?jwt_token=1",
        );
        check("https://a.example/b#c", "https://a.example/b#c");
    }

    #[test]
    fn properties_are_stored_without_absent_ones() {
        let mut properties = Properties {
            url: "https://example.com/".to_owned(),
            results: Some(0),
            query: Some("install".to_owned()),
            ..Properties::default()
        };
        let stored = properties.to_json().unwrap();
        assert_eq!(stored, r#"{"url":"https://example.com/","query":"install","results":0}"#);
        assert_eq!(Properties::from_json(&stored), properties);
        properties.claims.insert("plan".to_owned(), "pro".into());
        properties.claims_verified = true;
        assert_eq!(Properties::from_json(&properties.to_json().unwrap()), properties);
        assert_eq!(Properties::from_json("{\"display\": \"unknown\"}"), Properties::default());
    }
}
