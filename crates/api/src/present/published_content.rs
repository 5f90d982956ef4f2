//! The published content at an address.

use bindery_app::publishing::resolve::PublishedContent;
use serde_json::{Map, Value, json};

pub(crate) fn published_content(content: PublishedContent) -> Value {
    let PublishedContent {
        organization,
        site,
        site_section,
        site_space,
        space,
        change_request,
        pathname,
        base_path,
        site_base_path,
        share_key,
        api_token,
        complete,
        context,
        canonical_url,
    } = content;
    let mut body = Map::new();
    let required = [
        ("organization", json!(organization.as_str())),
        ("site", json!(site.as_str())),
        ("siteSpace", json!(site_space.as_str())),
        ("space", json!(space.as_str())),
        ("pathname", json!(pathname)),
        ("basePath", json!(base_path)),
        ("siteBasePath", json!(site_base_path)),
        ("apiToken", json!(api_token)),
        ("complete", json!(complete)),
        ("canonicalUrl", json!(canonical_url)),
    ];
    let (change_request, revision) = change_request.unzip();
    let optional = [
        ("siteSection", site_section.map(|id| json!(id.as_str()))),
        ("changeRequest", change_request.map(|id| json!(id.as_str()))),
        ("revision", revision.map(|id| json!(id.as_str()))),
        ("shareKey", share_key.map(|key| json!(key))),
        ("contextId", context.map(|id| json!(id.as_str()))),
    ];
    let optional = optional.into_iter().filter_map(|(name, value)| Some((name, value?)));
    body.extend(required.into_iter().chain(optional).map(|(name, value)| (name.to_owned(), value)));
    Value::Object(body)
}
