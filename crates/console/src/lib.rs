//! Serves everything under `/app`: the browser application, and pages that work without scripts:
//! sign-in, sessions, passwords and invitations.
//!
//! [`Console`] answers the requests. The pages without scripts are HTML forms that call the same use
//! cases of `bindery-app` as the API. The application is built from the folder `web`. [`route_of`] names a path for the log without the
//! secrets in it.
//!
//! # Example
//!
//! ```
//! assert_eq!(bindery_console::route_of("/app/sign-in/secret"), "/app/sign-in/{link}");
//! ```

mod account;
mod application;
mod form;
mod invitation;
mod request;
mod sign_in;
mod view;

use std::sync::Arc;

use bindery_app::App;
use bindery_app::publishing::urls::Urls;
use bindery_http::{Client, Request, Response};
use bindery_model::Result;
use http::Method;
use http::request::Parts;

use request::PageRequest;

/// The prefix of all paths of the application.
pub const PATH: &str = "/app";

/// Returns the pattern of a path below [`PATH`] for the log, as the paths of links contain secrets.
pub fn route_of(path: &str) -> &'static str {
    let path = path.strip_prefix(PATH).unwrap_or_default().trim_end_matches('/');
    match path {
        "" => "/app",
        "/account" => "/app/account",
        "/sign-in" => "/app/sign-in",
        "/sign-out" => "/app/sign-out",
        "/password" => "/app/password",
        "/sessions" => "/app/sessions",
        _ if path.starts_with("/o/") => "/app/o/{organization}",
        _ if path.starts_with(application::ASSETS) => "/app/assets/{file}",
        _ if path.starts_with(application::ICONS) => "/app/icons/{icon}",
        _ => match secret_of(path) {
            Some(("sign-in", _)) => "/app/sign-in/{link}",
            Some(("invitations", _)) => "/app/invitations/{invitation}",
            _ => "/app (no such page)",
        },
    }
}

/// Serves the application's pages.
#[derive(Debug)]
pub struct Console(Arc<App>);

impl Console {
    /// Creates the pages of a server.
    pub fn new(app: Arc<App>) -> Self {
        Self(app)
    }

    /// Answers a request below [`PATH`]. `reached_at` holds the server's addresses as this client
    /// reached them, if they differ from the configured ones.
    pub async fn handle(
        &self,
        request: Request,
        client: Client,
        reached_at: Option<Urls>,
    ) -> Response {
        let app = self.0.reached_at(reached_at);
        let (parts, body) = request.into_parts();
        let reads = matches!(parts.method, Method::GET | Method::HEAD);
        if !reads && parts.method != Method::POST {
            return view::not_allowed(&parts.method);
        }
        let path = parts.uri.path().strip_prefix(PATH).unwrap_or_default().to_owned();
        let path = path.trim_end_matches('/');
        if let (true, Some(file)) = (reads, path.strip_prefix(application::ASSETS)) {
            return application::file(file, &parts.method, &parts.headers);
        }
        if let (true, Some(icon)) = (reads, path.strip_prefix(application::ICONS)) {
            return application::icon(icon, &parts.method, &parts.headers);
        }
        let request = PageRequest::new(app, &parts, client);
        if reads {
            let answer = request.get(path, &parts).await;
            return view::for_method(answer, &parts.method);
        }
        match form::read(&request.app, &parts, body).await {
            Ok(form) => request.post(path, &form).await,
            Err(error) => view::failed(&error),
        }
    }
}

impl PageRequest {
    async fn get(&self, path: &str, parts: &Parts) -> Response {
        let answer = match path {
            "/account" => account::show(self).await,
            "/sign-in" => sign_in::show(self).await,
            _ if is_application(path) => self.application(path, parts).await,
            _ => match secret_of(path) {
                Some(("sign-in", secret)) => sign_in::show_link(self, secret).await,
                Some(("invitations", secret)) => invitation::show(self, secret).await,
                _ => Ok(view::not_found()),
            },
        };
        answer.unwrap_or_else(|error| view::failed(&error))
    }

    /// Returns the page of the application, or leads to the sign-in page and back.
    async fn application(&self, path: &str, parts: &Parts) -> Result<Response> {
        if !self.is_signed_in().await? {
            let next = format!("{PATH}{path}");
            return Ok(view::redirect(&match path {
                "" => "/app/sign-in".to_owned(),
                _ => view::sign_in_for(&next),
            }));
        }
        Ok(application::page(&parts.method, &parts.headers))
    }

    async fn post(&self, path: &str, form: &form::Form) -> Response {
        if self.is_cross_origin {
            return view::cross_origin_page();
        }
        let answer = match path {
            "/sign-in" => sign_in::submit(self, form).await,
            "/sign-out" => account::sign_out(self, form).await,
            "/password" => account::set_password(self, form).await,
            "/sessions" => account::end_session(self, form).await,
            _ => match secret_of(path) {
                Some(("sign-in", secret)) => sign_in::follow_link(self, secret).await,
                Some(("invitations", secret)) => invitation::accept(self, secret, form).await,
                _ => Ok(view::not_found()),
            },
        };
        answer.unwrap_or_else(|error| view::failed(&error))
    }
}

/// Returns `true` for the addresses of the application.
fn is_application(path: &str) -> bool {
    path.is_empty() || path.starts_with("/o/")
}

/// Splits the path of a link into the kind of link and its secret.
fn secret_of(path: &str) -> Option<(&str, &str)> {
    let (kind, secret) = path.strip_prefix('/')?.split_once('/')?;
    (!secret.contains('/')).then_some((kind, secret))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_known_parts_of_a_path_are_logged() {
        for (path, route) in [
            ("/app", "/app"),
            ("/app/", "/app"),
            ("/app/sign-in", "/app/sign-in"),
            ("/app/sign-in/s3cret", "/app/sign-in/{link}"),
            ("/app/sign-in/s3cret/", "/app/sign-in/{link}"),
            ("/app/invitations/s3cret", "/app/invitations/{invitation}"),
            ("/app/sign-in/s3cret/more", "/app (no such page)"),
            ("/app//sign-in/s3cret", "/app (no such page)"),
            ("/app/s3cret", "/app (no such page)"),
            ("/app/o/s3cret/s/s3cret", "/app/o/{organization}"),
            ("/app/assets/index-abc.js", "/app/assets/{file}"),
            ("/app/account", "/app/account"),
        ] {
            assert_eq!(route_of(path), route, "{path}");
        }
    }
}
