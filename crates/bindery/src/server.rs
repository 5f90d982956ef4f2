//! What answers at the listener: health, the API, files and published pages.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use bindery_api::Api;
use bindery_app::App;
use bindery_http::{Body, Handler, Peer, Request, Response};
use bindery_model::Result;
use bindery_site::Sites;
use bindery_store::StoreError;
use http::header::{self, HeaderValue};

/// The whole server behind one listener.
pub(crate) struct Server {
    app: Arc<App>,
    api: Api,
    sites: Sites,
    metrics_token: Option<String>,
    draining: AtomicBool,
    api_requests: AtomicU64,
    page_requests: AtomicU64,
    failures: AtomicU64,
}

impl Server {
    pub(crate) fn new(app: Arc<App>, metrics_token: Option<String>) -> Result<Self> {
        Ok(Self {
            api: Api::new(Arc::clone(&app))?,
            sites: Sites::new(Arc::clone(&app)),
            app,
            metrics_token,
            draining: AtomicBool::new(false),
            api_requests: AtomicU64::new(0),
            page_requests: AtomicU64::new(0),
            failures: AtomicU64::new(0),
        })
    }

    /// From now on the server is not ready for more.
    pub(crate) fn drain(&self) {
        self.draining.store(true, Ordering::Release);
    }

    async fn ready(&self) -> Response {
        if self.draining.load(Ordering::Acquire) {
            return plain(503, "draining\n");
        }
        let reads: std::result::Result<bool, StoreError> =
            self.app.store.read(bindery_store::organizations::any).await;
        match reads {
            Ok(_) => plain(200, "ready\n"),
            Err(error) => {
                tracing::warn!(%error, "not ready");
                plain(503, "the store does not answer\n")
            }
        }
    }

    fn metrics(&self, request: &Request) -> Response {
        let Some(token) = &self.metrics_token else { return plain(404, "not found\n") };
        let expected = format!("Bearer {token}");
        let given = request.headers().get(header::AUTHORIZATION).map(HeaderValue::as_bytes);
        if !given.is_some_and(|given| bindery_app::secrets::equal(given, expected.as_bytes())) {
            let mut response = plain(401, "a token is needed\n");
            response
                .headers_mut()
                .insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
            return response;
        }
        let made = self.sites.work();
        let text = format!(
            "# TYPE bindery_requests_total counter\n\
             bindery_requests_total{{door=\"api\"}} {}\n\
             bindery_requests_total{{door=\"pages\"}} {}\n\
             # TYPE bindery_failures_total counter\n\
             bindery_failures_total {}\n\
             # TYPE bindery_pages_made_total counter\n\
             bindery_pages_made_total{{part=\"page\"}} {}\n\
             bindery_pages_made_total{{part=\"text\"}} {}\n\
             # TYPE bindery_store_changes_total counter\n\
             bindery_store_changes_total {}\n",
            self.api_requests.load(Ordering::Relaxed),
            self.page_requests.load(Ordering::Relaxed),
            self.failures.load(Ordering::Relaxed),
            made.answers,
            made.texts,
            self.app.store.changes().unwrap_or_default(),
        );
        plain(200, text)
    }
}

fn plain(status: u16, text: impl Into<Body>) -> Response {
    let mut response = Response::new(text.into());
    *response.status_mut() = http::StatusCode::from_u16(status).unwrap_or_default();
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

impl Handler for Server {
    async fn handle(&self, request: Request, _: Peer) -> Response {
        let path = request.uri().path();
        let response = match path {
            "/healthz" => return plain(200, "ok\n"),
            "/readyz" => return self.ready().await,
            "/metrics" => return self.metrics(&request),
            _ if path == "/v1" || path.starts_with("/v1/") => {
                self.api_requests.fetch_add(1, Ordering::Relaxed);
                self.api.handle(request).await
            }
            _ => {
                self.page_requests.fetch_add(1, Ordering::Relaxed);
                self.sites.handle(request).await
            }
        };
        if response.status().is_server_error() && response.status().as_u16() != 501 {
            self.failures.fetch_add(1, Ordering::Relaxed);
        }
        response
    }
}
