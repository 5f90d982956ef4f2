//! The application's own pages: signing in, one's sessions and password, invitations. Forms without
//! scripts; what they do is done by the same use cases as the API's.

mod account;
mod form;
mod invitation;
mod sign_in;
mod view;
mod visit;

use std::sync::Arc;

use bindery_app::App;
use bindery_app::urls::Urls;
use bindery_http::{Client, Request, Response};
use http::Method;

use visit::Visit;

/// What all paths of the application begin with.
pub const PATH: &str = "/app";

/// The application's pages.
#[derive(Debug)]
pub struct Console(Arc<App>);

impl Console {
    /// The pages of this server.
    pub fn new(app: Arc<App>) -> Self {
        Self(app)
    }

    /// Answers a request below [`PATH`]; with the addresses at which the client reached the
    /// server, where they are others than the server's own.
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
        let visit = Visit::new(app, &parts, client);
        if reads {
            let answer = visit.get(path).await;
            return view::for_method(answer, &parts.method);
        }
        match form::read(&visit.app, &parts, body).await {
            Ok(form) => visit.post(path, &form).await,
            Err(error) => visit.failed(&error),
        }
    }
}

impl Visit {
    async fn get(&self, path: &str) -> Response {
        let answer = match path {
            "" => account::show(self).await,
            "/sign-in" => sign_in::show(self).await,
            _ => match self.secret_of(path) {
                Some(("sign-in", secret)) => sign_in::show_link(self, secret).await,
                Some(("invitations", secret)) => invitation::show(self, secret).await,
                _ => Ok(view::not_found(self)),
            },
        };
        answer.unwrap_or_else(|error| self.failed(&error))
    }

    async fn post(&self, path: &str, form: &form::Form) -> Response {
        if self.is_foreign {
            return view::foreign(self);
        }
        let answer = match path {
            "/sign-in" => sign_in::submit(self, form).await,
            "/sign-out" => account::sign_out(self, form).await,
            "/password" => account::set_password(self, form).await,
            "/sessions" => account::end_session(self, form).await,
            _ => match self.secret_of(path) {
                Some(("sign-in", secret)) => sign_in::follow_link(self, secret).await,
                Some(("invitations", secret)) => invitation::accept(self, secret, form).await,
                _ => Ok(view::not_found(self)),
            },
        };
        answer.unwrap_or_else(|error| self.failed(&error))
    }

    /// What kind of link a path is of, and its secret.
    fn secret_of<'a>(&self, path: &'a str) -> Option<(&'a str, &'a str)> {
        let (kind, secret) = path.strip_prefix('/')?.split_once('/')?;
        (!secret.contains('/')).then_some((kind, secret))
    }
}
