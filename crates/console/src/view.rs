//! The HTML pages.

use bindery_app::people::organization_invites::InvitationDetails;
use bindery_app::people::sessions::{Session, SignInMethod};
use bindery_app::people::users::User;
use bindery_http::{Body, Response};
use bindery_model::{Error, ErrorKind, SessionId};
use bindery_site::style;
use http::header::{self, HeaderName, HeaderValue};
use http::{Method, StatusCode};
use maud::{DOCTYPE, Markup, html};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

use crate::request::PageRequest;

/// Name of the product in titles and as the link to the start page.
const PRODUCT: &str = "Bindery";

const POLICY: &str = "default-src 'none'; style-src 'self'; font-src 'self'; img-src 'self' data:; \
    form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/// The result of the submitted form, shown at the top of a page.
pub(crate) enum Note {
    Success(&'static str),
    Refused(&'static str),
}

/// The data of the account page.
pub(crate) struct Account {
    pub(crate) user: User,
    pub(crate) sessions: Vec<Session>,
    pub(crate) current: Option<SessionId>,
    pub(crate) has_password: bool,
}

/// The relation of the visitor to an invitation.
pub(crate) enum InvitationViewer {
    /// The signed-in user is the invited person.
    Invitee,
    /// The visitor is not signed in; holds the address of the sign-in page.
    SignedOut(String),
    /// The visitor is signed in with another mail address, which it holds.
    OtherAccount(String),
}

/// Returns the HTTP status of an error.
pub(crate) const fn status(kind: ErrorKind) -> u16 {
    match kind {
        ErrorKind::Invalid | ErrorKind::KeyReused => 400,
        ErrorKind::Unauthenticated => 401,
        ErrorKind::Forbidden => 403,
        ErrorKind::NotFound => 404,
        ErrorKind::Conflict | ErrorKind::PreconditionFailed => 409,
        ErrorKind::TooLarge => 413,
        ErrorKind::WrongMediaType => 415,
        ErrorKind::RateLimited => 429,
        ErrorKind::Internal | ErrorKind::Pending => 500,
        ErrorKind::Unavailable => 503,
    }
}

fn response(status: u16, body: String) -> Response {
    let mut response = Response::new(Body::from(body));
    *response.status_mut() =
        StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let headers = response.headers_mut();
    let mut set = |name: HeaderName, value: &'static str| {
        headers.insert(name, HeaderValue::from_static(value));
    };
    set(header::CONTENT_TYPE, "text/html; charset=utf-8");
    set(header::CACHE_CONTROL, "no-store");
    set(header::CONTENT_SECURITY_POLICY, POLICY);
    // With `no-referrer` browsers would not send the origin of a form.
    set(header::REFERRER_POLICY, "same-origin");
    set(header::X_CONTENT_TYPE_OPTIONS, "nosniff");
    set(header::X_FRAME_OPTIONS, "DENY");
    set(HeaderName::from_static("cross-origin-opener-policy"), "same-origin");
    response
}

/// Adds `Retry-After` to a refused attempt.
pub(crate) fn with_retry_after(mut response: Response, error: &Error) -> Response {
    if let Some(seconds) = error.retry_after_seconds() {
        response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
    }
    response
}

/// Redirects to another page with GET.
pub(crate) fn redirect(path: &str) -> Response {
    let mut response = response(303, String::new());
    let location = HeaderValue::from_str(path).unwrap_or(HeaderValue::from_static("/app"));
    response.headers_mut().insert(header::LOCATION, location);
    response
}

pub(crate) fn with_cookie(mut response: Response, cookie: &str) -> Response {
    if let Ok(cookie) = HeaderValue::from_str(cookie) {
        response.headers_mut().append(header::SET_COOKIE, cookie);
    }
    response
}

pub(crate) fn not_allowed(method: &Method) -> Response {
    let status = if *method == Method::OPTIONS { 204 } else { 405 };
    let mut response = response(status, String::new());
    let allow = HeaderValue::from_static("GET, HEAD, POST, OPTIONS");
    response.headers_mut().insert(header::ALLOW, allow);
    response
}

/// Removes the body of a response to HEAD.
pub(crate) fn for_method(response: Response, method: &Method) -> Response {
    if *method == Method::HEAD { response.map(|_| Body::empty()) } else { response }
}

fn page(status: u16, title: &str, content: &Markup) -> Response {
    let html = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width,initial-scale=1";
                meta name="color-scheme" content="light dark";
                meta name="robots" content="noindex";
                title { (title) " · " (PRODUCT) }
                link rel="stylesheet" href=(style::stylesheet().path());
                link rel="stylesheet" href=(style::console().path());
                link rel="icon" href=(style::favicon().path());
            }
            body.console {
                main {
                    p.console-home { a href="/" { (PRODUCT) } }
                    h1 { (title) }
                    (content)
                }
            }
        }
    };
    response(status, html.into_string())
}

fn note(note: Option<&Note>) -> Markup {
    html! {
        @match note {
            None => {},
            Some(Note::Success(text)) => p.console-note role="status" { (text) },
            Some(Note::Refused(text)) => p.console-note.console-refused role="alert" { (text) },
        }
    }
}

fn field(label: &str, name: &str, kind: &str, complete: &str, value: &str) -> Markup {
    html! {
        label {
            span { (label) }
            input name=(name) type=(kind) autocomplete=(complete) value=(value) required;
        }
    }
}

fn csrf(request: &PageRequest) -> Markup {
    html! {
        @if let Some(token) = request.csrf_token() {
            input type="hidden" name="csrf" value=(token);
        }
    }
}

/// Returns the address of the sign-in form, which keeps the path to continue with.
fn sign_in_address(request: &PageRequest) -> String {
    request.next.as_deref().map_or_else(|| "/app/sign-in".to_owned(), sign_in_for)
}

/// Returns the address of the sign-in page that continues at a path.
pub(crate) fn sign_in_for(path: &str) -> String {
    let path = utf8_percent_encode(path, NON_ALPHANUMERIC);
    format!("/app/sign-in?next={path}")
}

pub(crate) fn sign_in(
    request: &PageRequest,
    status: u16,
    email: &str,
    message: Option<Note>,
) -> Response {
    let action = sign_in_address(request);
    let content = html! {
        (note(message.as_ref()))
        form method="post" action=(action) {
            (field("Email", "email", "email", "username", email))
            (field("Password", "password", "password", "current-password", ""))
            button.button.button-primary { "Sign in" }
        }
        @if request.app.mailer.is_some() {
            details {
                summary.button { "Get a sign-in link by mail" }
                form method="post" action=(action) {
                    input type="hidden" name="with" value="link";
                    (field("Email", "email", "email", "username", email))
                    button.button { "Send a link" }
                }
            }
        }
        details {
            summary.button { "Sign in with a token" }
            form method="post" action=(action) {
                (field("Personal token", "token", "password", "off", ""))
                button.button { "Sign in" }
            }
        }
    };
    page(status, "Sign in", &content)
}

pub(crate) fn link(user: &User, secret: &str) -> Response {
    let content = html! {
        p { "You sign in as " strong { (user.display_name) } " (" (user.email) ")." }
        form method="post" action={ "/app/sign-in/" (secret) } {
            button.button.button-primary { "Sign in" }
        }
    };
    page(200, "Sign in", &content)
}

fn sign_in_method(sign_in_method: SignInMethod) -> &'static str {
    match sign_in_method {
        SignInMethod::Password => "with the password",
        SignInMethod::Link => "by a link",
        SignInMethod::Token => "with a token",
    }
}

fn time_element(time: bindery_model::Timestamp) -> Markup {
    let text = time.to_string();
    let day = text.get(..10).unwrap_or_default();
    let clock = text.get(11..16).unwrap_or_default();
    html! { time datetime=(text) { (day) " " (clock) " UTC" } }
}

pub(crate) fn account(
    request: &PageRequest,
    status: u16,
    account: &Account,
    message: Option<Note>,
) -> Response {
    let Account { user, sessions, current, has_password } = account;
    let content = html! {
        (note(message.as_ref()))
        p { "You are signed in as " strong { (user.display_name) } " (" (user.email) ")." }
        form method="post" action="/app/sign-out" {
            (csrf(request))
            button.button { "Sign out" }
        }
        h2 { @if *has_password { "Change the password" } @else { "Set a password" } }
        form method="post" action="/app/password" {
            (csrf(request))
            input type="hidden" name="username" autocomplete="username" value=(user.email);
            @if *has_password {
                label {
                    span { "Current password" }
                    input name="current" type="password" autocomplete="current-password";
                }
            }
            label {
                span { "New password" }
                input name="password" type="password" autocomplete="new-password" required
                    minlength="10" maxlength="256";
            }
            button.button { "Set the password" }
        }
        h2 { "Sessions" }
        ul.console-sessions {
            @for session in sessions {
                li {
                    div {
                        strong {
                            @if session.agent.is_empty() { "Unknown program" }
                            @else { (session.agent) }
                        }
                        @if *current == Some(session.id) { " " span.console-mark { "this one" } }
                        p {
                            "From " (session.address) " " (sign_in_method(session.method)) ", "
                            (time_element(session.created_at)) ". Last used "
                            (time_element(session.last_used_at)) "."
                        }
                    }
                    @if *current != Some(session.id) {
                        form method="post" action="/app/sessions" {
                            (csrf(request))
                            input type="hidden" name="session" value=(session.id);
                            button.button { "End" }
                        }
                    }
                }
            }
        }
        @if sessions.len() > 1 {
            form method="post" action="/app/sessions" {
                (csrf(request))
                button.button { "End all other sessions" }
            }
        }
        h2 { "For programs" }
        p {
            "Programs use " a href="/v1/docs" { "the API" } " with personal tokens."
        }
    };
    page(status, "Your account", &content)
}

pub(crate) fn invitation(
    request: &PageRequest,
    shown: &InvitationDetails,
    how: &InvitationViewer,
    secret: &str,
) -> Response {
    let content = html! {
        p {
            strong { (shown.invited_by) } " invites " (shown.email) " to the documentation of "
            strong { (shown.organization) } "."
        }
        @match how {
            InvitationViewer::OtherAccount(email) => {
                p.console-note.console-refused {
                    "You are signed in as " (email) ". The invitation is for another address: "
                    "sign out first."
                }
                form method="post" action="/app/sign-out" {
                    (csrf(request))
                    button.button { "Sign out" }
                }
            },
            InvitationViewer::Invitee => form method="post" action={ "/app/invitations/" (secret) } {
                (csrf(request))
                button.button.button-primary { "Accept" }
            },
            InvitationViewer::SignedOut(sign_in) => {
                form method="post" action={ "/app/invitations/" (secret) } {
                    (field("Your name", "name", "text", "name", ""))
                    button.button.button-primary { "Accept" }
                }
                p {
                    "If you have an account with this address, "
                    a href=(sign_in) { "sign in" } " to accept."
                }
            },
        }
    };
    page(200, "You are invited", &content)
}

/// Returns a page with a title and one sentence.
pub(crate) fn message_page(status: u16, title: &str, text: &str) -> Response {
    let content = html! {
        p { (text) }
        p { a.button href="/app/account" { "Your account" } }
    };
    page(status, title, &content)
}

pub(crate) fn not_found() -> Response {
    message_page(404, "Not found", "There is no page at this address.")
}

pub(crate) fn cross_origin_page() -> Response {
    let text = "This request came from a page of another origin and was refused.";
    message_page(403, "Refused", text)
}

/// Returns the error page. Details of internal errors are only logged.
pub(crate) fn failed(error: &Error) -> Response {
    if error.kind() == ErrorKind::Internal {
        tracing::error!(detail = error.message(), "a page of the application failed");
    }
    let status = status(error.kind());
    let text = match error.kind() {
        ErrorKind::Internal => "Internal error. The server's log has the details.".to_owned(),
        // Forms have few fields, so the description is enough without its location.
        _ if !error.problems().is_empty() => {
            let texts: Vec<&str> =
                error.problems().iter().map(|problem| problem.text.as_ref()).collect();
            texts.join("; ")
        }
        _ => error.message().to_owned(),
    };
    with_retry_after(message_page(status, "The request failed", &text), error)
}
