//! Tests of encodings, validators and headers.

use http::header::{self, HeaderMap, HeaderValue};
use http::{Method, StatusCode};
use std::io::Read as _;

use super::*;

fn request(pairs: &[(header::HeaderName, &str)]) -> HeaderMap {
    let mut headers = HeaderMap::new();
    for (name, value) in pairs {
        headers.append(name.clone(), HeaderValue::from_str(value).unwrap());
    }
    headers
}

fn page() -> PreparedResponse {
    PreparedResponse::page("<p>text</p>".repeat(200), CacheControl::Revalidate)
}

#[test]
fn the_best_accepted_encoding_is_selected() {
    use Encoding::{Brotli, Gzip, Identity};
    let check = |header: Option<&str>, expect: Encoding| {
        assert_eq!(select_encoding(header), expect, "{header:?}");
    };
    check(None, Identity);
    check(Some(""), Identity);
    check(Some("gzip"), Gzip);
    check(Some("gzip, deflate, br, zstd"), Brotli);
    check(Some("br;q=0.5, gzip"), Gzip);
    check(Some("br;q=0, gzip;q=0.2"), Gzip);
    check(Some("gzip;q=0, br;q=0"), Identity);
    check(Some("identity, gzip;q=0.5"), Identity);
    check(Some("*"), Brotli);
    check(Some("*;q=0.5, br;q=0"), Gzip);
    check(Some("*;q=0"), Identity);
    check(Some("identity;q=0, gzip;q=0.001"), Gzip);
    check(Some("GZIP ; Q=1.0"), Gzip);
    check(Some("x-gzip"), Gzip);
    check(Some("gzip;q=nonsense"), Identity);
    check(Some("gzip;q=2"), Identity);
    check(Some("gzipped, brotli"), Identity);
}

#[test]
fn each_encoding_has_its_body_length_and_tag() {
    let page = page();
    let mut tags = Vec::new();
    for (accept, name) in [("identity", None), ("gzip", Some("gzip")), ("br", Some("br"))] {
        let response =
            page.to_response(&Method::GET, &request(&[(header::ACCEPT_ENCODING, accept)]));
        let headers = response.headers();
        assert_eq!(response.status(), StatusCode::OK);
        assert_eq!(headers.get(header::CONTENT_ENCODING).map(|v| v.to_str().unwrap()), name);
        assert_eq!(headers[header::CONTENT_LENGTH], response.body().len().to_string().as_str());
        assert_eq!(headers[header::VARY], "accept, accept-encoding");
        assert_eq!(headers[header::CONTENT_SECURITY_POLICY], CONTENT_SECURITY_POLICY);
        assert_eq!(headers[header::X_CONTENT_TYPE_OPTIONS], "nosniff");
        tags.push(headers[header::ETAG].clone());
        let plain = match accept {
            "gzip" => {
                let mut out = Vec::new();
                flate2::read::GzDecoder::new(&response.body()[..]).read_to_end(&mut out).unwrap();
                out
            }
            "br" => {
                let mut out = Vec::new();
                brotli::BrotliDecompress(&mut &response.body()[..], &mut out).unwrap();
                out
            }
            _ => response.body().to_vec(),
        };
        assert_eq!(plain, page.body()[..]);
    }
    tags.dedup();
    assert_eq!(tags.len(), 3);
    assert!(tags.iter().all(|tag| !tag.as_bytes().starts_with(b"W/")));
}

#[test]
fn pages_that_are_loaded_ahead_need_no_second_request() {
    let cache = |page: &PreparedResponse, pairs: &[(header::HeaderName, &str)]| {
        let response = page.to_response(&Method::GET, &request(pairs));
        response.headers()[header::CACHE_CONTROL].to_str().unwrap().to_owned()
    };
    let purpose = header::HeaderName::from_static("sec-purpose");
    let page = page();
    for ahead in ["prefetch", "prefetch;prerender"] {
        assert_eq!(cache(&page, &[(purpose.clone(), ahead)]), "private, max-age=30");
    }
    let current = [(purpose.clone(), "prefetch"), (header::IF_NONE_MATCH, "*")];
    assert_eq!(cache(&page, &current), "private, max-age=30");
    for pairs in [&[][..], &[(purpose.clone(), "x")]] {
        assert_eq!(cache(&page, pairs), "public, max-age=0, must-revalidate");
    }
    // The rights of readers are checked at each use.
    let private = PreparedResponse::page("<p>text</p>".to_owned(), CacheControl::Private);
    let cache = cache(&private, &[(purpose, "prefetch")]);
    assert_eq!(cache, "private, max-age=0, must-revalidate");
}

#[test]
fn current_copies_yield_not_modified() {
    let page = page();
    let gzip = page.etag(Encoding::Gzip).unwrap().to_str().unwrap().to_owned();
    let status = |tags: &str| {
        let request = request(&[(header::ACCEPT_ENCODING, "gzip"), (header::IF_NONE_MATCH, tags)]);
        page.to_response(&Method::GET, &request)
    };
    for tags in [gzip.clone(), format!("\"x\", {gzip}"), format!("W/{gzip}"), "*".to_owned()] {
        let response = status(&tags);
        assert_eq!(response.status(), StatusCode::NOT_MODIFIED, "{tags}");
        assert!(response.body().is_empty());
        assert_eq!(response.headers()[header::ETAG], gzip.as_str());
        assert!(response.headers().contains_key(header::CACHE_CONTROL));
        assert!(!response.headers().contains_key(header::CONTENT_LENGTH));
    }
    let identity = page.etag(Encoding::Identity).unwrap().to_str().unwrap();
    for tags in [identity, "\"x\"", ""] {
        assert_eq!(status(tags).status(), StatusCode::OK, "{tags}");
    }
}

#[test]
fn head_has_the_headers_of_get_and_no_body() {
    let page = page();
    let request = request(&[(header::ACCEPT_ENCODING, "br")]);
    let (head, get) =
        (page.to_response(&Method::HEAD, &request), page.to_response(&Method::GET, &request));
    assert_eq!(get.headers(), head.headers());
    assert!(head.body().is_empty());
}

#[test]
fn small_and_binary_bodies_are_not_compressed() {
    let small = PreparedResponse::page("<p>text</p>", CacheControl::Revalidate);
    let image = PreparedResponse::new(200, "image/png", CacheControl::Immutable, vec![0; 5000]);
    for prepared in [small, image] {
        let response =
            prepared.to_response(&Method::GET, &request(&[(header::ACCEPT_ENCODING, "gzip, br")]));
        assert!(!response.headers().contains_key(header::CONTENT_ENCODING));
        assert_eq!(response.body(), prepared.body());
    }
}

#[test]
fn added_headers_and_statuses_apply_to_every_encoding() {
    let page = PreparedResponse::new(
        404,
        "text/html; charset=utf-8",
        CacheControl::Private,
        "x".repeat(900),
    )
    .with_header(header::LINK, "</a.md>; rel=alternate")
    .with_header(header::WARNING, "two\r\nlines");
    let tag = page.etag(Encoding::Gzip).unwrap().to_str().unwrap();
    let request = request(&[(header::ACCEPT_ENCODING, "gzip"), (header::IF_NONE_MATCH, tag)]);
    let response = page.to_response(&Method::GET, &request);
    assert_eq!(response.status(), StatusCode::NOT_FOUND);
    assert_eq!(response.headers()[header::LINK], "</a.md>; rel=alternate");
    assert!(!response.headers().contains_key(header::WARNING));
    let moved = PreparedResponse::redirect("/handbook/a%20b");
    let response = moved.to_response(&Method::GET, &HeaderMap::new());
    assert_eq!(response.status(), StatusCode::PERMANENT_REDIRECT);
    assert_eq!(response.headers()[header::LOCATION], "/handbook/a%20b");
}

#[test]
fn memory_use_includes_the_compressed_bodies() {
    let page = page();
    let all = [Encoding::Identity, Encoding::Gzip, Encoding::Brotli];
    let bytes: usize = all.into_iter().map(|encoding| page.encoded(encoding).len()).sum();
    assert!(page.memory_bytes() >= bytes);
}

#[test]
fn the_policy_permits_frames_of_players_only() {
    let frames =
        CONTENT_SECURITY_POLICY.split(';').find_map(|part| part.trim().strip_prefix("frame-src "));
    let frames: Vec<&str> = frames.unwrap().split(' ').collect();
    let (own, players) = frames.split_first().unwrap();
    assert_eq!(*own, "'self'");
    assert_eq!(players, bindery_app::content::embeds::PLAYER_ORIGINS);
}

#[test]
fn texts_for_programs_load_nothing() {
    for (kind, policy) in [
        ("text/plain; charset=utf-8", Some("default-src 'none'")),
        ("text/markdown; charset=utf-8", Some("default-src 'none'")),
        ("application/atom+xml; charset=utf-8", Some("default-src 'none'")),
        ("application/xml; charset=utf-8", Some("default-src 'none'")),
        ("text/css; charset=utf-8", None),
        ("text/html; charset=utf-8", Some(CONTENT_SECURITY_POLICY)),
    ] {
        let response = PreparedResponse::new(200, kind, CacheControl::Revalidate, "text");
        let response = response.to_response(&Method::GET, &HeaderMap::new());
        let found = response.headers().get(header::CONTENT_SECURITY_POLICY);
        assert_eq!(found.map(|value| value.to_str().unwrap()), policy, "{kind}");
        assert_eq!(response.headers()[header::X_CONTENT_TYPE_OPTIONS], "nosniff");
    }
}

#[test]
fn the_first_reader_does_not_wait_for_the_smallest_body() {
    let words = (0..4_000).map(|number| format!("<p>word{}</p>", number * 7_919 % 1_009));
    let page = PreparedResponse::page(words.collect::<String>(), CacheControl::Revalidate);
    for (accept, encoding) in [("gzip", "gzip"), ("br", "br"), ("gzip;q=0, br", "br")] {
        let page = page.clone();
        let request = request(&[(header::ACCEPT_ENCODING, accept)]);
        let [first, second, third] = [(); 3].map(|()| page.to_response(&Method::GET, &request));
        let head = page.to_response(&Method::HEAD, &request);
        assert_eq!(first.headers()[header::CONTENT_ENCODING], encoding);
        assert!(first.body().len() > second.body().len(), "{accept}");
        assert_eq!(second.body(), third.body());
        assert_eq!(first.headers()[header::ETAG], second.headers()[header::ETAG]);
        assert_eq!(head.headers(), second.headers());
    }
    let both = request(&[(header::ACCEPT_ENCODING, "gzip, br")]);
    let encodings = [(); 3].map(|()| {
        page.to_response(&Method::GET, &both).headers()[header::CONTENT_ENCODING].clone()
    });
    assert_eq!(encodings, ["gzip", "br", "br"]);
}
