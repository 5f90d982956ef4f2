//! The audience of a site: share links and publishing authentication.

use bindery_app::publishing::audience::publishing_auth::{PublishingAuthView, SitePublishingAuth};
use bindery_app::publishing::audience::share_links::{ShareLinkView, SiteShareLink};
use bindery_wire::response::{self, ShareLink, ShareLinkUrls};

use crate::closed_sets::visitor_auth_backend;

pub(crate) fn share_link(view: ShareLinkView) -> ShareLink {
    let ShareLinkView { link, address } = view;
    let SiteShareLink { id, site: _, name, active, key_digest: _, sealed_key: _, created_at } =
        link;
    ShareLink {
        id: id.to_string(),
        created_at,
        name: Some(name),
        active: Some(active),
        urls: ShareLinkUrls { published: address },
    }
}

pub(crate) fn publishing_auth(view: PublishingAuthView) -> response::SitePublishingAuth {
    let PublishingAuthView { auth, private_key } = view;
    let SitePublishingAuth { site: _, backend, fallback_url, sealed_key: _ } = auth;
    response::SitePublishingAuth {
        backend: visitor_auth_backend(backend),
        private_key,
        fallback_url,
        integration: None,
    }
}
