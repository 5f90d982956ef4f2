//! Describes one address: by an oEmbed endpoint, by the head of its page, and with a picture.

use std::time::Duration;

use bindery_git::media;
use bindery_outbound::{Client, Request, Url};
use bytes::Bytes;

use super::page::{self, Failure, Found};
use super::providers;

/// Maximum time of the request for a picture.
const MAX_PICTURE_TIME: Duration = Duration::from_secs(10);
/// Maximum size of a picture in bytes.
const MAX_PICTURE_BYTES: u64 = 4 << 20;
/// Maximum number of pixels of a picture, and of its width and height. Larger ones would take
/// readers much memory, however small the file is.
const MAX_PIXELS: u64 = 16_000_000;
const MAX_SIDE: u32 = 8_192;
/// Minimum width and height of a picture. Smaller ones are icons, or count visitors.
const MIN_SIDE: u32 = 32;
/// The media types of pictures, as their first bytes tell. Others can contain scripts, or are not
/// shown by all browsers.
const PICTURE_TYPES: [&str; 5] =
    ["image/png", "image/jpeg", "image/webp", "image/gif", "image/avif"];

/// The description of an address.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Description {
    pub(super) title: String,
    pub(super) site: String,
    pub(super) description: String,
    pub(super) picture: Option<Picture>,
}

/// A picture that was fetched.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Picture {
    pub(super) bytes: Bytes,
    pub(super) content_type: &'static str,
    pub(super) width: u32,
    pub(super) height: u32,
}

/// Fetches the description of an address.
pub(super) async fn describe(client: &Client, url: &Url) -> Result<Description, Failure> {
    let found = find(client, url).await?;
    let title = found.title.or(found.window_title).ok_or(Failure::Final)?;
    let picture = match &found.picture {
        Some(picture) => fetch_picture(client, picture).await,
        None => None,
    };
    Ok(Description {
        title,
        site: found.site.unwrap_or_default(),
        description: found.description.unwrap_or_default(),
        picture,
    })
}

async fn find(client: &Client, url: &Url) -> Result<Found, Failure> {
    let mut busy = None;
    if let Some(endpoint) = providers::endpoint(url) {
        match page::read_endpoint(client, &endpoint).await {
            Ok(found) if found.title.is_some() => return Ok(found),
            Ok(_) | Err(Failure::Final) => {}
            Err(Failure::Later) => busy = Some(Failure::Later),
        }
    }
    let page = match page::read_page(client, url).await {
        Ok(page) => page,
        // The endpoint of a known service may answer next time, even if the page never does.
        Err(failure) => return Err(busy.unwrap_or(failure)),
    };
    let Some(endpoint) = page.endpoint.clone() else { return Ok(page) };
    if page.title.is_some() && page.picture.is_some() {
        return Ok(page);
    }
    let Ok(answer) = page::read_endpoint(client, &endpoint).await else { return Ok(page) };
    Ok(Found {
        title: page.title.or(answer.title),
        site: page.site.or(answer.site),
        description: page.description.or(answer.description),
        picture: page.picture.or(answer.picture),
        ..page
    })
}

/// Fetches a picture; `None` if it cannot be had or is none that may be shown.
async fn fetch_picture(client: &Client, url: &Url) -> Option<Picture> {
    let request = Request::get(url.clone()).total(MAX_PICTURE_TIME).body_limit(MAX_PICTURE_BYTES);
    let response = client.send(request).await.ok()?;
    if !response.status.is_success() {
        return None;
    }
    picture(response.body.bytes().await.ok()?)
}

/// Checks a picture by its first bytes. It is never decoded.
fn picture(bytes: Bytes) -> Option<Picture> {
    let content_type = media::by_bytes(&bytes)?;
    let content_type = PICTURE_TYPES.into_iter().find(|known| *known == content_type)?;
    let size = media::dimensions(content_type, &bytes)?;
    let (width, height) = (size.width, size.height);
    let is_shown = [width, height].iter().all(|side| (MIN_SIDE..=MAX_SIDE).contains(side))
        && u64::from(width) * u64::from(height) <= MAX_PIXELS;
    is_shown.then_some(Picture { bytes, content_type, width, height })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gif(width: u16, height: u16) -> Bytes {
        let [w, h] = [width, height].map(u16::to_le_bytes);
        [&b"GIF89a"[..], &w, &h, b"\0\0\0"].concat().into()
    }

    #[test]
    fn pictures_are_checked_by_their_bytes() {
        assert_eq!(
            picture(gif(640, 360)).map(|one| (one.content_type, one.width)),
            Some(("image/gif", 640))
        );
        for (width, height) in [(1, 1), (640, 16), (9_000, 40), (8_000, 8_000), (0, 0)] {
            assert_eq!(picture(gif(width, height)), None, "{width} {height}");
        }
        for bytes in [
            &b"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"100\" height=\"100\"/>"[..],
            b"<html>",
            b"%PDF-1.7",
            b"",
            b"\x89PNG\r\n\x1a\n",
            b"RIFF\0\0\0\0WEBP",
        ] {
            assert_eq!(picture(Bytes::from_static(bytes)), None, "{bytes:?}");
        }
    }
}
