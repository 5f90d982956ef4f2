//! A user.

use bindery_app::App;
use bindery_app::people::users::User;
use bindery_wire::response;

pub(crate) fn user(app: &App, user: User) -> response::User {
    let User { id, email, display_name, photo_url, created_at: _, verified_at: _ } = user;
    response::User {
        id: id.to_string(),
        display_name,
        email: Some(email),
        photo_url,
        urls: response::UserUrls { location: app.urls.user(id) },
    }
}
