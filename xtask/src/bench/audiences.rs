//! Cached pages of sites for all readers, for share links, for signed-in visitors and with adaptive
//! content, compared with nginx with one worker serving the same bytes.

use super::http::{Connection, fetch};
use super::load::Load;
use super::nginx::Nginx;
use super::product::{Product, id};
use super::source::Source;
use super::{Case, Options};
use anyhow::{Context, Result, ensure};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit, Mac};
use serde_json::{Value, json};
use sha2::Sha256;

const PAGES: usize = 100;
/// The minimum rate as a share of that of nginx.
const MIN_RATE: f64 = 0.9;
/// The maximum 99th percentile of the response time as a multiple of that of nginx.
const MAX_P99: f64 = 2.0;
/// The expiry of the visitor's token: the year 2100, in seconds.
const EXPIRY: u64 = 4_102_444_800;
const PLAN: &str = "bindery-visitor-public=%7B%22plan%22%3A%22pro%22%7D";

pub(super) fn run(options: &Options) -> Result<bool> {
    let product = Product::empty()?;
    let source = Source::generate(options.pages.unwrap_or(PAGES))?;
    let first = product.new_site()?;
    source.import(&product, &first, "<h1")?;
    hide_a_page(&product, &first.space)?;
    let page = source.some_page()?;
    let nginx = Nginx::start()?;
    let mut cases = Vec::new();
    for audience in ["public", "share-link", "visitor-auth", "adaptive"] {
        let site = published(&product, &first.space, audience)?;
        let cookie = match audience {
            "share-link" => Some(share_link_cookie(&product, &site)?),
            "visitor-auth" => Some(visitor_cookie(&product, &site)?),
            "adaptive" => {
                adapt(&product, &site)?;
                Some(PLAN.to_owned())
            }
            _ => None,
        };
        let mut headers = vec!["Accept-Encoding: gzip".to_owned()];
        headers.extend(cookie.map(|cookie| format!("Cookie: {cookie}")));
        let url = format!("{}/{page}", site.address.trim_end_matches('/'));
        let sent: Vec<&str> = headers.iter().map(String::as_str).collect();
        let gzip = fetch(&url, &sent, None)?;
        ensure!(gzip.starts_with(&[0x1f, 0x8b]), "{url} is not sent as gzip");
        let plain = fetch(&url, sent.get(1..).unwrap_or_default(), None)?;
        let peer = nginx.serve(&format!("{audience}.html"), &plain, Some(&gzip))?;
        for connections in [16, 64] {
            cases.push(Case {
                name: format!("{audience}, {} bytes", gzip.len()),
                connections,
                ours: Load {
                    url: url.clone(),
                    headers: headers.clone(),
                    server: product.process(),
                },
                peer: Load { url: peer.clone(), headers: headers.clone(), server: nginx.process() },
                min_rate: MIN_RATE,
                max_cpu: None,
                max_p99: Some(MAX_P99),
            });
        }
    }
    super::compare(options, &cases)
}

/// A published site.
struct Published {
    /// The path of the site in the API.
    path: String,
    address: String,
}

/// Publishes a site with a space for an audience of the API, or for all readers.
fn published(product: &Product, space: &str, audience: &str) -> Result<Published> {
    let organization = product.organization()?;
    let visibility = if audience == "adaptive" { "public" } else { audience };
    let body = json!({ "title": audience, "visibility": visibility, "spaces": [space] });
    let site = product.post(&format!("/orgs/{organization}/sites"), &body)?;
    let path = format!("/orgs/{organization}/sites/{}", id(&site).context("the new site")?);
    product.post(&format!("{path}/publish"), &json!({}))?;
    let shown = product.get(&path)?;
    let address = shown.pointer("/urls/published").and_then(Value::as_str);
    let address = address.context("the published address")?.to_owned();
    Ok(Published { path, address })
}

/// Adds a page for visitors with another claim than that of the measurement, so that the navigation
/// of adaptive sites depends on the visitor.
fn hide_a_page(product: &Product, space: &str) -> Result<()> {
    let path = format!("/bindery/spaces/{space}/content");
    let insert = json!({
        "operation": "insert_page", "title": "Other plan", "document": { "markdown": "Text." },
    });
    let made = product.post(&path, &json!({ "changes": [insert] }))?;
    let page = made.pointer("/changes/0/page/id").and_then(Value::as_str).context("a page")?;
    let condition = "visitor.claims.unsigned.plan == \"free\"";
    let update = json!({ "operation": "update_page", "page": page, "condition": condition });
    product.post(&path, &json!({ "changes": [update] }))?;
    Ok(())
}

/// Turns adaptive content on, with one unsigned claim.
fn adapt(product: &Product, site: &Published) -> Result<()> {
    let plan = json!({ "type": "string", "enum": ["free", "pro"], "description": "The plan" });
    let unsigned = json!({
        "type": "object", "description": "Unsigned claims of the site visitor.",
        "properties": { "plan": plan }, "additionalProperties": false,
    });
    let schema = json!({
        "type": "object", "properties": { "unsigned": unsigned }, "additionalProperties": false,
    });
    product.put(&format!("{}/adaptive-schema", site.path), &json!({ "jsonSchema": schema }))?;
    product.patch(&site.path, &json!({ "adaptiveContent": { "enabled": true } }))
}

/// Opens a share link and returns the cookie that admits its readers.
fn share_link_cookie(product: &Product, site: &Published) -> Result<String> {
    let made =
        product.post(&format!("{}/share-links", site.path), &json!({ "name": "Readers" }))?;
    let address = made.pointer("/urls/published").and_then(Value::as_str);
    cookie(product, address.context("the address of the share link")?)
}

/// Signs a visitor in and returns the cookie.
fn visitor_cookie(product: &Product, site: &Published) -> Result<String> {
    let auth = product.get(&format!("{}/publishing/auth", site.path))?;
    let key = auth.pointer("/privateKey").and_then(Value::as_str).context("the signing key")?;
    let part = |value: Value| URL_SAFE_NO_PAD.encode(value.to_string());
    let header = part(json!({ "alg": "HS256", "typ": "JWT" }));
    let signed = format!("{header}.{}", part(json!({ "exp": EXPIRY, "plan": "pro" })));
    let mut mac = Hmac::<Sha256>::new_from_slice(key.as_bytes())?;
    mac.update(signed.as_bytes());
    let token = format!("{signed}.{}", URL_SAFE_NO_PAD.encode(mac.finalize().into_bytes()));
    cookie(product, &format!("{}?jwt_token={token}", site.address))
}

/// Returns the cookie that a redirecting response sets.
fn cookie(product: &Product, url: &str) -> Result<String> {
    let mut connection: Connection = product.connect()?;
    let answer = connection.send(url, &[], None)?;
    let cookie = answer.header("set-cookie").with_context(|| format!("{url} sets no cookie"))?;
    Ok(cookie.split(';').next().unwrap_or_default().to_owned())
}
