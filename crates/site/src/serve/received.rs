//! Requests that readers and programs send to a site: forms, events and messages.

use std::sync::Arc;

use bindery_app::App;
use bindery_app::publishing::resolve::HostSites;
use bindery_http::{Body, Response, is_cross_origin};
use bindery_model::Result;
use http::HeaderMap;
use http::header;

use super::site_cache::LoadedSite;
use super::visitors::Admitted;
use super::{Admit, Answer, Arrival, PageRequest, Sites, root};
use crate::http::PreparedResponse;

/// A request that was sent to a site.
pub(super) enum Received<'a> {
    /// The visitor may read the site.
    Site {
        site: Arc<LoadedSite>,
        /// The path below the base of the site, encoded.
        below: &'a str,
        admitted: Arc<Admitted>,
    },
    /// The request was sent to a preview, which takes nothing.
    Preview,
    /// The answer to the request.
    Answer(Box<Response>),
}

impl Sites {
    /// Finds the site to which a request was sent and has the visitor admitted to it by `admit`.
    pub(super) async fn receive<'a>(
        &self,
        app: &Arc<App>,
        host: &HostSites,
        request: PageRequest<'a>,
        admit: Admit,
    ) -> Result<Received<'a>> {
        Ok(match self.enter(app, host, request, admit).await? {
            Arrival::Site { site, below: Some(below), admitted } => {
                Received::Site { site, below, admitted }
            }
            Arrival::Site { below: None, .. } => Received::Answer(Box::new(absent(app))),
            Arrival::Preview(_) => Received::Preview,
            Arrival::Answer(Answer::Direct(response)) => Received::Answer(response),
            Arrival::Answer(Answer::Prepared(prepared)) => {
                Received::Answer(Box::new(sent(&prepared)))
            }
        })
    }
}

/// Returns the response of an address without a site.
pub(super) fn absent(app: &App) -> Response {
    sent(&root::unknown_site(app))
}

/// Returns a response that is sent without a look at what the receiver accepts.
pub(super) fn sent(prepared: &PreparedResponse) -> Response {
    prepared.to_response(&http::Method::GET, &HeaderMap::new()).map(Body::from)
}

/// Returns `true` if the browser reports that a page of another origin sent the request.
pub(super) fn is_foreign(headers: &HeaderMap) -> bool {
    let host = headers.get(header::HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
    // Behind a server that passes requests on, the host is not the one that the browser shows.
    match headers.get("sec-fetch-site") {
        Some(site) => !matches!(site.as_bytes(), b"same-origin" | b"none"),
        None => is_cross_origin(headers, host),
    }
}
