//! Group `custom-hostnames`: the hostnames of sites.

use bindery_app::Context;
use bindery_app::access::{Action, Authorized};
use bindery_app::publishing::hostnames::{self, NamedSite};
use bindery_model::Result;
use bindery_wire::response::{
    CustomHostname, CustomHostnameTarget, CustomHostnameUrls, SitePointer,
};

use crate::call::Call;
use crate::operation::{Operation, read, write};
use crate::reply::Reply;

pub(super) fn operations() -> Vec<Operation> {
    vec![
        read("getCustomHostname", Action::ReadSite, get_custom_hostname),
        write("removeCustomHostname", Action::ManageSite, remove_custom_hostname),
    ]
}

/// `getCustomHostname`: returns the site that has a hostname.
fn get_custom_hostname(cx: &Context<'_>, named: &Authorized<NamedSite>, _: &Call) -> Result<Reply> {
    let NamedSite { hostname, site } = &**named;
    let body = CustomHostname {
        hostname: hostname.clone(),
        target: CustomHostnameTarget::SitePointer(SitePointer { site: site.id.to_string() }),
        is_active: site.published,
        status: None,
        urls: CustomHostnameUrls {
            location: cx.app.urls.api(format_args!("/custom-hostnames/{hostname}")),
        },
    };
    Reply::json(200, &body)
}

/// `removeCustomHostname`: removes a hostname from its site.
fn remove_custom_hostname(
    cx: &Context<'_>,
    named: &Authorized<NamedSite>,
    _: &Call,
) -> Result<Reply> {
    hostnames::remove(cx, named)?;
    Ok(Reply::empty(205))
}
