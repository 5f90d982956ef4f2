//! `uploadSiteImage`: stores an image for the look of a site.

use bindery_app::access::{Action, Authorized};
use bindery_app::publishing::site_images::{self, PreparedImage, StoredImage};
use bindery_app::publishing::sites::SiteTarget;
use bindery_app::{App, Context};
use bindery_model::Result;
use bindery_wire::request::NewSiteImage;
use bindery_wire::response::SiteImage;

use crate::call::Call;
use crate::operation::{Operation, write_with_files};
use crate::pipeline::run::PrepareFuture;
use crate::reply::Reply;

pub(super) fn operation() -> Operation {
    write_with_files("uploadSiteImage", Action::ManageSite, prepare, run)
}

fn prepare<'a>(app: &'a App, call: &'a Call) -> PrepareFuture<'a, PreparedImage> {
    Box::pin(async move {
        let NewSiteImage { name, base64 } = call.body()?;
        site_images::prepare(app, &name, &base64).await
    })
}

fn run(
    cx: &Context<'_>,
    site: &Authorized<SiteTarget>,
    _: &Call,
    image: &PreparedImage,
) -> Result<Reply> {
    let StoredImage { id, content_type, size, dimensions, url } =
        site_images::create(cx, site, image)?;
    let answer = SiteImage {
        id: id.to_string(),
        content_type: content_type.to_owned(),
        size,
        width: dimensions.map(|dimensions| dimensions.width.into()),
        height: dimensions.map(|dimensions| dimensions.height.into()),
        url: url.clone(),
    };
    Ok(Reply::json(201, &answer)?.with_location(url))
}
