//! A browser's session, without its secret.

use bindery_app::App;
use bindery_app::people::sessions::{self, Session, SignInMethod};
use bindery_app::people::users::User;
use bindery_model::SessionId;
use bindery_wire::response;
use bindery_wire::values::SessionWay;

use crate::present;

pub(crate) fn session(session: Session, current: Option<SessionId>) -> response::Session {
    let Session {
        id,
        user: _,
        hash: _,
        method,
        host: _,
        address,
        agent,
        created_at,
        expires_at,
        last_used_at,
        token: _,
        ends_at: _,
    } = session;
    let way = match method {
        SignInMethod::Password => SessionWay::Password,
        SignInMethod::Link => SessionWay::Link,
        SignInMethod::Token => SessionWay::Token,
    };
    response::Session {
        id: id.to_string(),
        way,
        address,
        agent,
        current: current == Some(id),
        created_at,
        last_used_at,
        expires_at,
    }
}

/// Presents the session of a request with the CSRF token for its changes.
pub(crate) fn current_session(
    app: &App,
    user: User,
    of: Session,
    secret: &str,
) -> response::CurrentSession {
    let id = of.id;
    response::CurrentSession {
        user: present::user(app, user),
        session: session(of, Some(id)),
        csrf_token: sessions::csrf_token(secret),
    }
}
