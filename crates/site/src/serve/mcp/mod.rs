//! The server of the Model Context Protocol of a site: programs search its pages and read them.
//!
//! It keeps no sessions and sends no events: each answer is JSON (the transport "Streamable HTTP"
//! without streams).

mod protocol;
mod tools;

use std::net::IpAddr;
use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use bindery_app::App;
use bindery_app::publishing::adaptive::ClaimsOf;
use bindery_app::publishing::resolve::HostSites;
use bindery_app::publishing::urls::Urls;
use bindery_http::{ReadBodyError, Request, RequestBody, Response, read_body};
use bindery_model::Result;
use http::header::{self, HeaderMap, HeaderValue};
use http::{Method, StatusCode};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Map, Value, json};

use self::protocol::{Message, Messages, RpcError};
use super::received::{self, Received, is_foreign, sent};
use super::site_cache::LoadedSite;
use super::{PageRequest, Sites, changes, looks, not_allowed, plain, visitors};
use crate::http::{CacheControl, PreparedResponse};
use crate::i18n::{self, fill};
use crate::view::{Link, McpLinks};

/// The name of the server below the base of a site.
const NAME: &str = "~mcp";
/// Maximum length of the body of a request in bytes.
const MAX_BODY: u64 = 16_384;
/// The header in which clients repeat the version that was agreed on.
const VERSION_HEADER: &str = "mcp-protocol-version";

/// Returns `true` if a path can be the address of the server of a site.
pub(super) fn is_addressed(path: &str) -> bool {
    path.strip_suffix(NAME).is_some_and(|base| base.ends_with('/'))
}

/// Returns `true` if the pages of a site are offered to programs. The customizations of spaces cannot
/// change that.
fn is_offered(site: &LoadedSite) -> bool {
    site.spaces.first().is_some_and(|space| looks::flag(&space.customization, "/pageActions/mcp"))
}

/// Returns the links that connect programs with the site; `None` if it is not offered to them.
/// Programs are no visitors of a restricted site.
pub(super) fn links(app: &App, site: &LoadedSite, messages: &i18n::Messages) -> Option<McpLinks> {
    if !is_offered(site) || site.is_private() || site.is_preview {
        return None;
    }
    let address = format!("{}{}{NAME}", site.origin(&app.urls), site.base());
    let name = &site.site.basename;
    let encode = |text: &str| utf8_percent_encode(text, NON_ALPHANUMERIC).to_string();
    let of_cursor = encode(&BASE64.encode(json!({ "url": address }).to_string()));
    let of_code = json!({ "name": name, "type": "http", "url": address }).to_string();
    let link = |client, href| Link { title: fill(messages.connect, client), href };
    let clients = vec![
        link(
            "Cursor",
            format!(
                "cursor://anysphere.cursor-deeplink/mcp/install?name={}&config={of_cursor}",
                encode(name)
            ),
        ),
        link("VS Code", format!("vscode:mcp/install?{}", encode(&of_code))),
    ];
    Some(McpLinks { address, clients })
}

/// A request of a program, after the visitor was admitted to the site.
struct Call<'a> {
    sites: &'a Sites,
    app: Arc<App>,
    site: Arc<LoadedSite>,
    claims: Option<ClaimsOf>,
    /// The origin of the server as the program sees it, if it is not the configured one.
    origin: Option<String>,
    address: IpAddr,
}

impl Sites {
    /// Responds to a request for the server of a site.
    pub(super) async fn serve_mcp(
        &self,
        request: Request,
        address: IpAddr,
        host: &HostSites,
        reached_at: Option<Urls>,
    ) -> Response {
        if *request.method() != Method::POST {
            let text = "Programs send messages of the Model Context Protocol here with POST.\n";
            return not_allowed(request.method(), "POST, OPTIONS", text);
        }
        let (head, body) = request.into_parts();
        let page_request = PageRequest::of(&head, address);
        match self.answer_mcp(page_request, body, host, reached_at).await {
            Ok(response) => response,
            Err(error) => {
                tracing::error!(%error, "failed to answer a program");
                answer(StatusCode::INTERNAL_SERVER_ERROR, None, Err(RpcError::internal()))
            }
        }
    }

    async fn answer_mcp(
        &self,
        request: PageRequest<'_>,
        body: RequestBody,
        host: &HostSites,
        reached_at: Option<Urls>,
    ) -> Result<Response> {
        let PageRequest { headers, address, .. } = request;
        if is_foreign(headers) {
            return Ok(plain(403, "the request was sent by a page of another site\n"));
        }
        let origin = reached_at.as_ref().map(|urls| urls.base().to_owned());
        let app = self.app.reached_at(reached_at);
        let received = self.receive(&app, host, request, visitors::enter_program).await?;
        let (site, admitted) = match received {
            Received::Site { site, below: NAME, admitted } => (site, admitted),
            Received::Site { .. } | Received::Preview => return Ok(received::absent(&app)),
            Received::Answer(response) => return Ok(*response),
        };
        if !is_offered(&site) {
            return Ok(plain(404, "this site is not offered to programs\n"));
        }
        if let Some(refusal) = refusal(headers) {
            return Ok(refusal);
        }
        let body = match read_body(body, MAX_BODY).await {
            Ok(body) => body,
            Err(ReadBodyError::TooLarge) => {
                return Ok(plain(413, "the message is larger than 16,384 bytes\n"));
            }
            Err(_) => return Ok(plain(400, "the message did not arrive completely or in time\n")),
        };
        let messages = match protocol::parse(&body) {
            Ok(messages) => messages,
            Err(error) => return Ok(answer(StatusCode::BAD_REQUEST, None, Err(error))),
        };
        let claims = admitted.claims.clone();
        let call = Call { sites: self, app, site, claims, origin, address };
        Ok(match messages {
            Messages::One(value) => match protocol::message(value) {
                Ok(Message::Notice) => accepted(),
                Ok(Message::Request { id, method, params }) => {
                    answer(StatusCode::OK, Some(&id), call.result(&method, &params).await?)
                }
                Err(error) => answer(StatusCode::BAD_REQUEST, None, Err(error)),
            },
            Messages::Batch(values) => call.batch(values).await?,
        })
    }
}

impl Call<'_> {
    /// Returns the answer to several messages.
    async fn batch(&self, values: Vec<Value>) -> Result<Response> {
        let mut answers = Vec::new();
        for value in values {
            answers.push(match protocol::message(value) {
                Ok(Message::Notice) => continue,
                Ok(Message::Request { id, method, params }) => {
                    protocol::answer(Some(&id), self.result(&method, &params).await?)
                }
                Err(error) => protocol::answer(None, Err(error)),
            });
        }
        Ok(if answers.is_empty() {
            accepted()
        } else {
            json(StatusCode::OK, &Value::Array(answers))
        })
    }

    async fn result(
        &self,
        method: &str,
        params: &Map<String, Value>,
    ) -> Result<std::result::Result<Value, RpcError>> {
        Ok(match method {
            "initialize" => Ok(self.initialize(params)),
            "ping" => Ok(json!({})),
            "tools/list" => Ok(json!({ "tools": tools::list(self.title()) })),
            "tools/call" => return self.call(params).await,
            _ => Err(RpcError::unknown_method(method)),
        })
    }

    fn title(&self) -> &str {
        changes::site_title(&self.site)
    }

    fn initialize(&self, params: &Map<String, Value>) -> Value {
        let asked = params.get("protocolVersion").and_then(Value::as_str);
        json!({
            "protocolVersion": protocol::agreed_version(asked),
            "capabilities": { "tools": {} },
            "serverInfo": {
                "name": self.site.site.basename,
                "title": self.title(),
                "version": env!("CARGO_PKG_VERSION"),
            },
            "instructions": format!(
                "Searches and reads the documentation \"{}\". Search first, then read the pages that \
                 were found.",
                self.title()
            ),
        })
    }
}

/// Returns the refusal of a request whose headers are wrong.
fn refusal(headers: &HeaderMap) -> Option<Response> {
    let text = |name| headers.get(name).and_then(|value: &HeaderValue| value.to_str().ok());
    let kind = text(header::CONTENT_TYPE.as_str()).unwrap_or_default();
    let kind = kind.split(';').next().unwrap_or_default().trim();
    if !kind.eq_ignore_ascii_case("application/json") {
        return Some(plain(415, "the content type must be application/json\n"));
    }
    let version = text(VERSION_HEADER)?;
    (!protocol::is_version(version))
        .then(|| plain(400, "this server does not speak the version in MCP-Protocol-Version\n"))
}

fn answer(
    status: StatusCode,
    id: Option<&Value>,
    result: std::result::Result<Value, RpcError>,
) -> Response {
    json(status, &protocol::answer(id, result))
}

fn json(status: StatusCode, value: &Value) -> Response {
    let (kind, text) = ("application/json", value.to_string());
    sent(&PreparedResponse::new(status.as_u16(), kind, CacheControl::Private, text).unlisted(true))
}

/// Responds to messages that have no answer.
fn accepted() -> Response {
    sent(&PreparedResponse::new(202, "application/json", CacheControl::Private, ""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn servers_have_one_address_on_each_site() {
        for (path, expect) in
            [("/~mcp", true), ("/docs/~mcp", true), ("/docs~mcp", false), ("/~mcp/", false)]
        {
            assert_eq!(is_addressed(path), expect, "{path}");
        }
    }
}
