//! An invitation that has not been accepted yet.

use bindery_app::App;
use bindery_app::people::organization_invites::{Invitation, InvitationView};
use bindery_wire::response::{self, InvitationUrls};

use super::user;
use crate::closed_sets::member_role;

pub(crate) fn invitation(app: &App, view: InvitationView) -> response::Invitation {
    let InvitationView { invitation, invited_by, secret } = view;
    let Invitation {
        id,
        organization: _,
        email,
        role,
        invited_by: _,
        created_at,
        expires_at,
        sent_at,
        token: _,
    } = invitation;
    response::Invitation {
        id: id.to_string(),
        email,
        role: role.map(member_role),
        invited_by: user(app, invited_by),
        created_at,
        expires_at,
        sent_at,
        urls: InvitationUrls {
            accept: secret.map_or_else(
                || format!("{}/app/sign-in", app.urls.base()),
                |secret| app.urls.app_invitation(&secret),
            ),
        },
    }
}
