//! A browser's request: its client and its session.

use std::sync::Arc;

use bindery_app::access::Caller;
use bindery_app::access::credentials::{self, Credentials};
use bindery_app::audit_events::{Origin, Source};
use bindery_app::people::sessions::{self, ClientInfo};
use bindery_app::{App, Context, Tx};
use bindery_http::{
    Client, DeviceCookie, SessionCookie, is_cross_origin, request_host, user_agent,
};
use bindery_model::{Error, Result};
use http::request::Parts;

use crate::form::Form;

pub(crate) struct PageRequest {
    pub(crate) app: Arc<App>,
    pub(crate) client: ClientInfo,
    /// The session's secret.
    pub(crate) secret: Option<String>,
    /// `true` if a page of another origin made the browser send the request.
    pub(crate) is_cross_origin: bool,
    /// The path to continue with after signing in.
    pub(crate) next: Option<String>,
}

impl PageRequest {
    pub(crate) fn new(app: Arc<App>, parts: &Parts, client: Client) -> Self {
        let client = ClientInfo {
            address: client.address,
            host: request_host(parts, client.host),
            agent: user_agent(parts),
            device: DeviceCookie { secure: app.urls.secure() }
                .find(&parts.headers)
                .map(str::to_owned),
        };
        let cookie = SessionCookie { secure: app.urls.secure() };
        let secret = cookie.find(&parts.headers).map(str::to_owned);
        let query = bindery_http::query_pairs(parts.uri.query().unwrap_or_default());
        let next = query.unwrap_or_default().into_iter().find(|(name, _)| name == "next");
        let next = next.map(|(_, value)| value).filter(|path| is_local(path));
        let is_cross_origin = is_cross_origin(&parts.headers, &client.host);
        Self { app, client, secret, is_cross_origin, next }
    }

    /// Returns the credentials of the session.
    pub(crate) fn credentials(&self) -> Option<Credentials> {
        let secret = self.secret.clone()?;
        Some(Credentials::Session { secret, host: self.client.host.clone() })
    }

    pub(crate) fn cookie(&self) -> SessionCookie {
        SessionCookie { secure: self.app.urls.secure() }
    }

    pub(crate) fn device_cookie(&self) -> DeviceCookie {
        DeviceCookie { secure: self.app.urls.secure() }
    }

    /// Returns the CSRF token that every form of a session contains.
    pub(crate) fn csrf_token(&self) -> Option<String> {
        self.secret.as_deref().map(sessions::csrf_token)
    }

    /// Refuses a form that does not come from a page of this session.
    pub(crate) fn check_csrf(&self, form: &Form) -> Result<()> {
        let expected = self.csrf_token().unwrap_or_default();
        if !expected.is_empty()
            && bindery_app::secrets::equal(form.get("csrf").as_bytes(), expected.as_bytes())
        {
            return Ok(());
        }
        Err(Error::forbidden(
            "This form belongs to another session. Go back and load the page again.",
        ))
    }

    /// Reads with the rights of the signed-in user.
    pub(crate) async fn read<T: Send + 'static>(
        &self,
        run: impl Fn(&Context<'_>) -> Result<T> + Send + Sync + 'static,
    ) -> Result<T> {
        let (app, credentials) = (Arc::clone(&self.app), self.credentials());
        let read = move |tx: &Tx<'_>| {
            let (caller, touch) = credentials::authenticate_reader(tx, &app, credentials.as_ref())?;
            Ok::<_, Error>((run(&Context { tx, app: &app, caller: &caller })?, touch))
        };
        let (found, touch) = self.app.store.read(read).await?;
        credentials::touch_later(&self.app, touch);
        Ok(found)
    }

    /// Makes a change with the rights of the signed-in user.
    pub(crate) async fn write<T: Send + 'static>(
        &self,
        run: impl Fn(&Context<'_>) -> Result<T> + Send + Sync + 'static,
    ) -> Result<T> {
        let (app, credentials, address) =
            (Arc::clone(&self.app), self.credentials(), self.client.address);
        let write = move |tx: &Tx<'_>| {
            let (caller, _) = credentials::authenticate(tx, &app, credentials.as_ref())?;
            tx.set_origin(Origin { source: Source::Api, address: Some(address), token: None });
            run(&Context { tx, app: &app, caller: &caller })
        };
        self.app.store.write(write).await
    }

    /// Returns `true` if a user is signed in.
    pub(crate) async fn is_signed_in(&self) -> Result<bool> {
        if self.secret.is_none() {
            return Ok(false);
        }
        self.read(|cx| Ok(matches!(cx.caller, Caller::Person(_)))).await
    }
}

/// Returns `true` for a path on this host that no browser takes for an address on another host.
fn is_local(path: &str) -> bool {
    let mut chars = path.chars();
    chars.next() == Some('/')
        && !matches!(chars.next(), Some('/' | '\\'))
        && !path.chars().any(|char| char.is_control() || char == '\\')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_local_paths_are_redirect_targets() {
        for (path, local) in [
            ("/app", true),
            ("/docs/a?b#c", true),
            ("//evil.example", false),
            ("/\\evil.example", false),
            ("https://evil.example", false),
            ("/a\nb", false),
            ("", false),
            ("a", false),
        ] {
            assert_eq!(is_local(path), local, "{path:?}");
        }
    }
}
