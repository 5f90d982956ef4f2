//! Reads pages of other hosts: the beginning of their HTML, and what their oEmbed endpoint answers.

use std::time::Duration;

use bindery_content::head::Head;
use bindery_outbound::header::{ACCEPT, CONTENT_TYPE, HeaderValue};
use bindery_outbound::{Client, Error, Request, StatusCode, Url};
use bytes::BytesMut;
use serde_json::Value;

use super::address;
use super::text::{MAX_DESCRIPTION, MAX_SITE, MAX_TITLE, clean};

/// Maximum time of a request to another host.
const MAX_TIME: Duration = Duration::from_secs(8);
/// Maximum number of bytes that are read of a page.
const MAX_PAGE_BYTES: usize = 512 << 10;
/// Maximum size of an answer of an oEmbed endpoint in bytes.
const MAX_ANSWER_BYTES: u64 = 128 << 10;

/// The reason why nothing could be read from an address.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Failure {
    /// It has no description, and a second attempt would find none either.
    Final,
    /// The host is busy or cannot be reached.
    Later,
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        match error {
            Error::Refused(_)
            | Error::Redirect { .. }
            | Error::TooLarge { .. }
            | Error::Denied { .. }
            | Error::HostKey { .. }
            | Error::Protocol { .. } => Self::Final,
            Error::Resolve { .. }
            | Error::Connect { .. }
            | Error::Tls { .. }
            | Error::Timeout { .. }
            | Error::Cut { .. }
            | Error::Cancelled => Self::Later,
        }
    }
}

impl Failure {
    /// Returns the meaning of a response without success.
    fn of_status(status: StatusCode) -> Self {
        let is_temporary = status.is_server_error() || matches!(status.as_u16(), 408 | 425 | 429);
        if is_temporary { Self::Later } else { Self::Final }
    }
}

/// The description of an address as read from its page or from an oEmbed endpoint.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Found {
    pub(super) title: Option<String>,
    pub(super) site: Option<String>,
    pub(super) description: Option<String>,
    /// The address of a picture.
    pub(super) picture: Option<Url>,
    /// The address of an icon.
    pub(super) icon: Option<Url>,
    /// The address of an oEmbed endpoint.
    pub(super) endpoint: Option<Url>,
    /// The text of `<title>`, which often repeats the name of the site.
    pub(super) window_title: Option<String>,
}

/// Reads the beginning of an HTML page.
pub(super) async fn read_page(client: &Client, url: &Url) -> Result<Found, Failure> {
    let html = HeaderValue::from_static("text/html,application/xhtml+xml;q=0.9,*/*;q=0.1");
    // Only the beginning is read, however large the page is.
    let request = Request::get(url.clone()).header(ACCEPT, html).total(MAX_TIME);
    let mut response = client.send(request.body_limit(u64::MAX)).await?;
    if !response.status.is_success() {
        return Err(Failure::of_status(response.status));
    }
    let content_type = response.headers.get(CONTENT_TYPE).map(HeaderValue::as_bytes);
    let content_type = content_type.unwrap_or_default().to_ascii_lowercase();
    if !content_type.starts_with(b"text/html") && !content_type.starts_with(b"application/xhtml") {
        return Err(Failure::Final);
    }
    let mut page = BytesMut::new();
    while page.len() < MAX_PAGE_BYTES {
        let from = page.len().saturating_sub(END_OF_HEAD.len());
        match response.body.chunk().await {
            Ok(Some(piece)) => page.extend_from_slice(&piece),
            Ok(None) => break,
            // The beginning of a page that is too slow may suffice.
            Err(_) if !page.is_empty() => break,
            Err(error) => return Err(error.into()),
        }
        if memchr::memmem::find(page.get(from..).unwrap_or_default(), END_OF_HEAD).is_some() {
            break;
        }
    }
    page.truncate(MAX_PAGE_BYTES);
    Ok(of_head(&Head::read(&decode(&page, &content_type)), &response.url))
}

const END_OF_HEAD: &[u8] = b"</head>";

/// Returns the text of a page. Encodings other than UTF-8 and Latin-1 yield replacement characters,
/// and texts with those are left out.
fn decode(page: &[u8], content_type: &[u8]) -> String {
    let start = page.get(..page.len().min(2_048)).unwrap_or_default().to_ascii_lowercase();
    let is_stated = |name: &[u8]| {
        [content_type, &start].iter().any(|text| {
            let mut stated = memchr::memmem::find_iter(text, b"charset=");
            stated.any(|at| {
                let name_at = text.get(at + 8..).unwrap_or_default();
                let quote = usize::from(matches!(name_at.first(), Some(b'"' | b'\'')));
                name_at.get(quote..).is_some_and(|text| text.starts_with(name))
            })
        })
    };
    let is_latin = is_stated(b"iso-8859-1") || is_stated(b"windows-1252");
    match std::str::from_utf8(page) {
        Err(error) if is_latin && error.error_len().is_some() => {
            // Control characters stand for quotation marks and the like in Windows's variant.
            page.iter().map(|byte| windows_1252(*byte)).collect()
        }
        _ => String::from_utf8_lossy(page).into_owned(),
    }
}

fn windows_1252(byte: u8) -> char {
    match byte {
        0x80 => '€',
        0x85 => '…',
        0x91 => '‘',
        0x92 => '’',
        0x93 => '“',
        0x94 => '”',
        0x95 => '•',
        0x96 => '–',
        0x97 => '—',
        0x99 => '™',
        byte => char::from(byte),
    }
}

/// Returns what the head of a page at `url` tells.
fn of_head(head: &Head, url: &Url) -> Found {
    let base = head.base.as_deref().and_then(|base| url.join(base).ok());
    let base = base.as_ref().unwrap_or(url);
    let join = |target: Option<&str>| address(base.join(target?).ok()?.as_str());
    let text = |names: &[&str], limit| head.first(names).and_then(|text| clean(text, limit));
    Found {
        title: text(&["og:title", "twitter:title"], MAX_TITLE),
        site: text(&["og:site_name", "application-name"], MAX_SITE),
        description: text(
            &["og:description", "twitter:description", "description"],
            MAX_DESCRIPTION,
        ),
        picture: join(head.first(&[
            "og:image:secure_url",
            "og:image",
            "og:image:url",
            "twitter:image",
            "twitter:image:src",
        ])),
        icon: join(head.link("icon", "")),
        endpoint: join(head.link("alternate", "application/json+oembed")),
        window_title: head.title.as_deref().and_then(|title| clean(title, MAX_TITLE)),
    }
}

/// Reads the answer of an oEmbed endpoint. Its HTML is never used.
pub(super) async fn read_endpoint(client: &Client, endpoint: &Url) -> Result<Found, Failure> {
    let json = HeaderValue::from_static("application/json");
    let request = Request::get(endpoint.clone()).header(ACCEPT, json).total(MAX_TIME);
    let response = client.send(request.body_limit(MAX_ANSWER_BYTES)).await?;
    if !response.status.is_success() {
        return Err(Failure::of_status(response.status));
    }
    let url = response.url.clone();
    let answer = response.body.bytes().await?;
    // The parser limits the depth.
    let answer: Value = serde_json::from_slice(&answer).map_err(|_| Failure::Final)?;
    Ok(of_answer(&answer, &url))
}

fn of_answer(answer: &Value, url: &Url) -> Found {
    let text = |name: &str, limit| answer.get(name)?.as_str().and_then(|text| clean(text, limit));
    let join = |name: &str| address(url.join(answer.get(name)?.as_str()?).ok()?.as_str());
    let is_photo = answer.get("type").and_then(Value::as_str) == Some("photo");
    let picture = join("thumbnail_url").or_else(|| join("url").filter(|_| is_photo));
    Found {
        title: text("title", MAX_TITLE).or_else(|| text("author_name", MAX_TITLE)),
        site: text("provider_name", MAX_SITE),
        description: text("description", MAX_DESCRIPTION),
        picture,
        ..Found::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> Url {
        Url::parse(text).unwrap()
    }

    #[test]
    fn heads_describe_their_page() {
        let page = "<base href='/b/'><meta property=og:title content='T \u{202e}x'>\
            <meta name=description content=D><meta property=og:image content=i.png>\
            <meta property=og:site_name content='S'><title>W</title>\
            <link rel=alternate type=application/json+oembed href='//o.example/?a'>";
        let found = of_head(&Head::read(page), &url("https://a.example/x/y"));
        assert_eq!(found.title.as_deref(), Some("T x"));
        assert_eq!(found.description.as_deref(), Some("D"));
        assert_eq!(found.site.as_deref(), Some("S"));
        assert_eq!(found.window_title.as_deref(), Some("W"));
        assert_eq!(found.picture, Some(url("https://a.example/b/i.png")));
        assert_eq!(found.endpoint, Some(url("https://o.example/?a")));
        for picture in
            ["javascript:alert(1)", "data:image/png;base64,AAAA", "https://u:p@a.b/", "http://"]
        {
            let page = format!("<meta property=og:image content='{picture}'>");
            assert_eq!(of_head(&Head::read(&page), &url("https://a.example/")).picture, None);
        }
    }

    #[test]
    fn answers_of_endpoints_are_read_leniently() {
        let read = |text: &str| {
            of_answer(&serde_json::from_str(text).unwrap(), &url("https://o.example/"))
        };
        let found = read(
            r#"{"title":"T","provider_name":"P","thumbnail_url":"/t.jpg","html":"<script>","width":"x"}"#,
        );
        assert_eq!((found.title.as_deref(), found.site.as_deref()), (Some("T"), Some("P")));
        assert_eq!(found.picture, Some(url("https://o.example/t.jpg")));
        let photo = read(r#"{"type":"photo","url":"https://p.example/x.png","author_name":"A"}"#);
        assert_eq!(photo.picture, Some(url("https://p.example/x.png")));
        assert_eq!(photo.title.as_deref(), Some("A"));
        for odd in ["[]", "1", "null", r#"{"title":{"a":1},"thumbnail_url":"javascript:1"}"#] {
            assert_eq!(read(odd), Found::default(), "{odd}");
        }
    }

    #[test]
    fn pages_are_decoded() {
        let latin = b"<meta charset=\"ISO-8859-1\"><title>caf\xe9 \x93</title>";
        assert!(decode(latin, b"text/html").contains("café “"));
        assert!(decode(b"caf\xe9 x", b"text/html; charset=windows-1252").contains("café"));
        assert!(decode(b"caf\xe9", b"text/html").contains('\u{fffd}'));
        assert!(decode("é".as_bytes(), b"text/html; charset=iso-8859-1").contains('é'));
        // A character that the limit cuts is no other encoding.
        assert!(decode(b"<meta charset=iso-8859-1>\xc3", b"").contains('\u{fffd}'));
    }
}
