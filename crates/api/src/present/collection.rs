//! A collection with the caller's permissions in it.

use bindery_app::App;
use bindery_app::content::collections::{Collection, VisibleCollection};
use bindery_model::Role;
use bindery_wire::response::{self, CollectionPermissions, CollectionUrls};

use crate::closed_sets::default_level;

pub(crate) fn collection(app: &App, seen: VisibleCollection) -> response::Collection {
    let VisibleCollection { collection, role, shows_parent } = seen;
    let Collection {
        id,
        organization,
        parent,
        title,
        description,
        default_level: level,
        effective_level: _,
        position: _,
        created_at: _,
    } = collection;
    response::Collection {
        id: id.to_string(),
        title,
        description: (!description.is_empty()).then_some(description),
        organization: organization.to_string(),
        parent: parent.filter(|_| shows_parent).map(|id| id.to_string()),
        default_level: default_level(level),
        urls: CollectionUrls {
            location: app.urls.api(format_args!("/collections/{id}")),
            app: app.urls.app_collection(organization, id),
        },
        permissions: CollectionPermissions {
            view: true,
            admin: role == Role::Admin,
            view_invite_links: role == Role::Admin,
            create: role >= Role::Create,
        },
    }
}
