//! Admits visitors to sites: share keys and tokens in addresses, and the cookies that keep them.

use std::sync::Arc;

use bindery_app::App;
use bindery_app::publishing::adaptive::{
    ClaimsOf, MAX_UNSIGNED_BYTES, UnsignedClaims, stated_text,
};
use bindery_app::publishing::audience::{Admission, Presented, Visitor, jwt};
use bindery_http::{Body, Response, SiteCookie, query_pairs};
use bindery_model::{Id, Result, Timestamp};
use http::Method;
use http::header::{self, HeaderMap, HeaderValue};
use percent_encoding::{NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

use super::Answer;
use super::known_visitors::{KnownVisitors, VisitorKey};
use super::site_cache::LoadedSite;
use crate::http::PreparedResponse;
use crate::urls::{self, Route};

/// The query parameter with the token of a visitor.
const TOKEN_PARAMETER: &str = "jwt_token";
/// The query parameter with a share key.
const SHARE_KEY_PARAMETER: &str = "shareKey";
/// The cookie with the token of a visitor. Further parts of a long token are in cookies with a
/// number after the name.
const TOKEN_COOKIE: &str = "bindery-visitor";
/// The cookies with a JSON object of claims that a visitor states. The first is the one that this
/// server sets.
const CLAIMS_COOKIES: [&str; 2] = ["bindery-visitor-public", "gitbook-visitor-public"];
/// The beginning of the query parameters with claims that a visitor states.
const CLAIM_PARAMETER: &str = "visitor.";
/// Maximum number of query parameters that are read.
const MAX_CLAIMS: usize = 100;
/// The cookie with a share key.
const SHARE_KEY_COOKIE: &str = "bindery-share-key";
/// Maximum length of a part of a token in bytes. Browsers store cookies of up to 4,096 bytes.
const TOKEN_PART_BYTES: usize = 3_500;
/// Maximum number of parts of a token.
const MAX_TOKEN_PARTS: usize = 3;
/// Maximum time in seconds for which a browser keeps a cookie of a site: 30 days.
const MAX_COOKIE_SECONDS: i64 = 30 * 24 * 60 * 60;

/// A request for a path of a site, as far as it concerns the visitor.
#[derive(Clone, Copy, Debug)]
pub(super) struct VisitorRequest<'a> {
    /// The path below the base of the site, encoded.
    pub(super) path: &'a str,
    /// The query, encoded.
    pub(super) query: &'a str,
    /// The headers of the request.
    pub(super) headers: &'a HeaderMap,
}

/// A visitor who may read a site.
#[derive(Debug, Default)]
pub(super) struct Admitted {
    pub(super) visitor: Visitor,
    /// The claims of the visitor; `None` for a site without adaptive content.
    pub(super) claims: Option<ClaimsOf>,
}

/// The result of the check of a visitor.
pub(super) enum Entrance {
    /// The visitor may read the site.
    Admitted(Arc<Admitted>),
    /// The answer is sent instead of a page.
    Redirected(Answer),
    /// The site does not exist for the visitor.
    Absent,
}

/// Checks the visitor of a request. A share key or a token in the address moves to a cookie, and
/// the visitor is redirected to the address without it, so that it does not spread with the
/// address.
///
/// # Errors
/// Returns an error if the claims of the visitor cannot be encoded.
pub(super) fn enter(
    app: &App,
    site: &LoadedSite,
    known: &KnownVisitors,
    request: VisitorRequest<'_>,
) -> Result<Entrance> {
    let LoadedSite { audience, .. } = site;
    let is_plain = request.query.is_empty() && !request.headers.contains_key(header::COOKIE);
    if is_plain && !site.is_private() && !audience.has_share_keys() && site.claims.is_none() {
        return Ok(Entrance::Admitted(known.anybody()));
    }
    let base = site.base();
    let jar = CookieJar::new(app, &base);
    let now = app.clock.now();
    let parameter = |name: &str| value_of(request.query, name);

    let (first, rest) = request.path.split_once('/').unwrap_or((request.path, ""));
    let is_key = |key: &str| Id::parse(key).is_some() && audience.is_share_key(&app.secrets, key);
    if is_key(first) {
        let target = address(&base, rest, request.query, &[]);
        return Ok(Entrance::Redirected(redirect(&target, [jar.share_key(first)]).into()));
    }
    let key = VisitorKey::of(&site.site, request);
    if let Some(admitted) = key.and_then(|key| known.get(key, now)) {
        return Ok(Entrance::Admitted(admitted));
    }
    let given_key = parameter(SHARE_KEY_PARAMETER);
    if let Some(key) = given_key.as_deref().filter(|key| is_key(key)) {
        let target = address(&base, request.path, request.query, &[SHARE_KEY_PARAMETER]);
        return Ok(Entrance::Redirected(redirect(&target, [jar.share_key(key)]).into()));
    }

    let clean = || address(&base, request.path, request.query, &[TOKEN_PARAMETER]);
    let given_token = parameter(TOKEN_PARAMETER);
    let given_claims = given_token.as_deref().map(|token| audience.claims(token, now));
    if let (Some(token), Some(Ok(claims))) = (&given_token, &given_claims) {
        let cookies = jar.token(token, jwt::expires_at(claims), now);
        return Ok(Entrance::Redirected(redirect(&clean(), cookies).into()));
    }
    let kept_token = jar.find_token(request.headers);
    let presented = Presented {
        share_key: jar.find(SHARE_KEY_COOKIE, request.headers),
        token: kept_token.as_deref(),
    };
    // An expired cookie is no fault of the page that signs visitors in, so its error is not told.
    let (mut visitor, _) = audience.identify(&app.secrets, presented, now);
    if let Some(schema) = &site.claims {
        visitor.unsigned_claims =
            stated_claims(jar, request.query, request.headers).allowed(schema);
    }
    let error = given_claims.and_then(std::result::Result::err);
    let location = format!("/{}", request.path);
    Ok(match audience.admit(&visitor, &location, error) {
        Admission::Admitted if given_token.is_some() => {
            Entrance::Redirected(redirect(&clean(), []).into())
        }
        Admission::Admitted => {
            let claims = site.claims.is_some().then(|| ClaimsOf::visitor(&visitor)).transpose()?;
            let admitted = Arc::new(Admitted { visitor, claims });
            if let Some(key) = key {
                known.insert(key, &admitted);
            }
            Entrance::Admitted(admitted)
        }
        Admission::SignIn(address) if is_page(request.path) => {
            Entrance::Redirected(redirect(&address, []).into())
        }
        Admission::SignIn(_) | Admission::Absent => Entrance::Absent,
    })
}

/// Admits a program, which keeps no cookies: by the share key or the token in the address, or by the
/// token in `Authorization`. A program without them is admitted as a browser is.
///
/// # Errors
/// Returns an error if the claims of the visitor cannot be encoded.
pub(super) fn enter_program(
    app: &App,
    site: &LoadedSite,
    known: &KnownVisitors,
    request: VisitorRequest<'_>,
) -> Result<Entrance> {
    let LoadedSite { audience, .. } = site;
    let authorization = request.headers.get(header::AUTHORIZATION);
    let bearer = authorization.and_then(|value| value.to_str().ok()?.strip_prefix("Bearer "));
    let share_key = value_of(request.query, SHARE_KEY_PARAMETER);
    let token = value_of(request.query, TOKEN_PARAMETER).or_else(|| bearer.map(str::to_owned));
    if share_key.is_none() && token.is_none() {
        return enter(app, site, known, request);
    }
    let presented = Presented { share_key: share_key.as_deref(), token: token.as_deref() };
    let (mut visitor, error) = audience.identify(&app.secrets, presented, app.clock.now());
    if let Some(schema) = &site.claims {
        let jar = CookieJar::new(app, "/");
        visitor.unsigned_claims =
            stated_claims(jar, request.query, request.headers).allowed(schema);
    }
    Ok(match audience.admit(&visitor, "/", error) {
        Admission::Admitted => {
            let claims = site.claims.is_some().then(|| ClaimsOf::visitor(&visitor)).transpose()?;
            Entrance::Admitted(Arc::new(Admitted { visitor, claims }))
        }
        Admission::SignIn(_) | Admission::Absent => Entrance::Absent,
    })
}

/// Returns the redirect from an address of a site that readers should not use to the one that they
/// should, if the address gives the right to read the site. A share key or a token stays in the
/// address. Cookies do not count, because they belong to the other address. `None` if the site does
/// not exist for the visitor.
pub(super) fn redirect_to_site(
    app: &App,
    site: &LoadedSite,
    request: VisitorRequest<'_>,
) -> Option<Response> {
    let LoadedSite { audience, .. } = site;
    let target = address(&app.urls.site(&site.site), request.path, request.query, &[]);
    if !audience.is_restricted() {
        let prepared = PreparedResponse::redirect(&target);
        return Some(prepared.to_response(&Method::GET, &HeaderMap::new()).map(Body::from));
    }
    let first = request.path.split('/').next().filter(|first| Id::parse(first).is_some());
    let share_key = value_of(request.query, SHARE_KEY_PARAMETER);
    let token = value_of(request.query, TOKEN_PARAMETER);
    let presented =
        Presented { share_key: share_key.as_deref().or(first), token: token.as_deref() };
    let (visitor, error) = audience.identify(&app.secrets, presented, app.clock.now());
    match audience.admit(&visitor, &format!("/{}", request.path), error) {
        Admission::Admitted => Some(redirect(&target, [])),
        Admission::SignIn(address) if is_page(request.path) => Some(redirect(&address, [])),
        Admission::SignIn(_) | Admission::Absent => None,
    }
}

/// Returns the claims that a visitor states in cookies and in the address. The address replaces what
/// cookies say.
pub(super) fn stated_claims(
    jar: CookieJar<'_>,
    query: &str,
    headers: &HeaderMap,
) -> UnsignedClaims {
    let mut claims = UnsignedClaims::default();
    for name in CLAIMS_COOKIES {
        if let Some(value) = jar.find(name, headers) {
            claims.add_object(&percent_decode_str(value).decode_utf8_lossy());
        }
    }
    let pairs = query_pairs(query).unwrap_or_default();
    for (name, value) in pairs.iter().take(MAX_CLAIMS) {
        if let Some(path) = name.strip_prefix(CLAIM_PARAMETER) {
            claims.add_text(path, value);
        }
    }
    claims
}

/// Returns the cookie that keeps the claims in an address for the following pages; `None` if the
/// address has none.
pub(super) fn claims_cookie(
    app: &App,
    site: &LoadedSite,
    query: &str,
    visitor: &Visitor,
) -> Option<String> {
    let pairs = query_pairs(query).unwrap_or_default();
    let has_claims = pairs.iter().any(|(name, _)| name.starts_with(CLAIM_PARAMETER));
    if !has_claims || visitor.unsigned_claims.is_empty() {
        return None;
    }
    let text = stated_text(&visitor.unsigned_claims);
    let value = utf8_percent_encode(&text, NON_ALPHANUMERIC).to_string();
    let [name, _] = CLAIMS_COOKIES;
    let base = site.base();
    (value.len() <= MAX_UNSIGNED_BYTES - 512)
        .then(|| CookieJar::new(app, &base).set(name, &value, None, app.clock.now()))
}

/// Returns `true` if a path can belong to a page, to which a visitor returns after signing in.
fn is_page(path: &str) -> bool {
    matches!(urls::route(path), Route::Page(_) | Route::Redirect(_))
}

/// Returns the part of a path that contains no share key, for the log.
pub(super) fn without_key(path: &str) -> &str {
    let mut end = 0;
    for segment in path.split_inclusive('/') {
        if Id::parse(segment.trim_end_matches('/')).is_some() {
            break;
        }
        end += segment.len();
    }
    path.get(..end).unwrap_or_default()
}

/// Returns the value of a query parameter.
pub(super) fn value_of(query: &str, name: &str) -> Option<String> {
    if !query.contains(name) {
        return None;
    }
    let pairs = query_pairs(query)?;
    pairs.into_iter().find(|(known, _)| known == name).map(|(_, value)| value)
}

/// Returns the address of a path with the query, from which the `omitted` parameters are removed.
pub(super) fn address(base: &str, path: &str, query: &str, omitted: &[&str]) -> String {
    let name = |pair: &&str| pair.split('=').next().unwrap_or_default().to_owned();
    let kept = query.split('&').filter(|pair| !pair.is_empty());
    let kept: Vec<&str> = kept.filter(|pair| !omitted.contains(&name(pair).as_str())).collect();
    // After the slash of the base, another one would be the beginning of a host. Browsers read a
    // backslash as a slash.
    let path = path.trim_start_matches(['/', '\\']);
    match kept.as_slice() {
        [] => format!("{base}{path}"),
        kept => format!("{base}{path}?{}", kept.join("&")),
    }
}

/// Returns a redirect that no cache stores.
pub(super) fn redirect(location: &str, cookies: impl IntoIterator<Item = String>) -> Response {
    let prepared = PreparedResponse::temporary_redirect(location)
        .with_header(header::CACHE_CONTROL, "no-store")
        .with_header(header::REFERRER_POLICY, "no-referrer");
    let mut response = prepared.to_response(&Method::GET, &HeaderMap::new()).map(Body::from);
    for cookie in cookies {
        if let Ok(cookie) = HeaderValue::from_str(&cookie) {
            response.headers_mut().append(header::SET_COOKIE, cookie);
        }
    }
    response
}

/// The cookies of a site.
#[derive(Clone, Copy, Debug)]
pub(super) struct CookieJar<'a> {
    path: &'a str,
    secure: bool,
}

impl<'a> CookieJar<'a> {
    /// Creates the jar of the site with this base.
    pub(super) fn new(app: &App, base: &'a str) -> Self {
        // A path without a slash at its end also covers the base itself without one.
        let path = base.strip_suffix('/').filter(|path| !path.is_empty()).unwrap_or(base);
        Self { path, secure: app.urls.sites().starts_with("https://") }
    }

    fn cookie<'b>(self, name: &'b str) -> SiteCookie<'b>
    where
        'a: 'b,
    {
        SiteCookie { name, path: self.path, secure: self.secure }
    }

    /// Returns the value of a cookie in a request.
    pub(super) fn find<'h>(self, name: &str, headers: &'h HeaderMap) -> Option<&'h str> {
        self.cookie(name).find(headers)
    }

    /// Returns the `Set-Cookie` value that stores a value until a time, at most 30 days.
    pub(super) fn set(
        self,
        name: &str,
        value: &str,
        until: Option<Timestamp>,
        now: Timestamp,
    ) -> String {
        let seconds = until.map_or(MAX_COOKIE_SECONDS, |until| {
            (until.millis().saturating_sub(now.millis()) / 1_000).clamp(0, MAX_COOKIE_SECONDS)
        });
        self.cookie(name).set(value, seconds)
    }

    fn share_key(self, key: &str) -> String {
        self.cookie(SHARE_KEY_COOKIE).set(key, MAX_COOKIE_SECONDS)
    }

    /// Returns the cookies that store a token, in parts. The first part begins with their number.
    fn token(self, token: &str, until: Option<Timestamp>, now: Timestamp) -> Vec<String> {
        let parts: Vec<&str> = token
            .as_bytes()
            .chunks(TOKEN_PART_BYTES)
            .filter_map(|part| std::str::from_utf8(part).ok())
            .collect();
        let count = parts.len();
        let part_cookie = |(index, part): (usize, &str)| match index {
            0 => self.set(TOKEN_COOKIE, &format!("{count}.{part}"), until, now),
            _ => self.set(&part_name(index), part, until, now),
        };
        parts.into_iter().enumerate().map(part_cookie).collect()
    }

    /// Returns the token in the cookies of a request.
    fn find_token(self, headers: &HeaderMap) -> Option<String> {
        let (count, first) = self.cookie(TOKEN_COOKIE).find(headers)?.split_once('.')?;
        let count = count.parse().ok().filter(|count| (1..=MAX_TOKEN_PARTS).contains(count))?;
        let mut token = first.to_owned();
        for index in 1..count {
            token.push_str(self.cookie(&part_name(index)).find(headers)?);
        }
        Some(token)
    }
}

fn part_name(index: usize) -> String {
    format!("{TOKEN_COOKIE}-{index}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_removed_from_addresses() {
        for (path, query, expect) in [
            ("", "", "/docs/"),
            ("a/b", "jwt_token=x", "/docs/a/b"),
            ("a", "x=1&jwt_token=y&z", "/docs/a?x=1&z"),
            ("//evil.example/", "", "/docs/evil.example/"),
            ("\\evil.example/", "", "/docs/evil.example/"),
            ("/\\/evil.example/", "", "/docs/evil.example/"),
        ] {
            assert_eq!(address("/docs/", path, query, &["jwt_token"]), expect, "{path} {query}");
        }
    }

    #[test]
    fn keys_are_not_logged() {
        for (path, expect) in [
            ("/docs/guides/page", "/docs/guides/page"),
            ("/docs/AbCdEfGhIjKlMnOpQrSt/page", "/docs/"),
            ("/docs/AbCdEfGhIjKlMnOpQrSt", "/docs/"),
            ("/", "/"),
        ] {
            assert_eq!(without_key(path), expect);
        }
    }

    #[test]
    fn long_tokens_are_kept_in_parts() {
        let jar = CookieJar { path: "/docs/", secure: false };
        let now = Timestamp::from_millis(0);
        for length in [1, TOKEN_PART_BYTES, TOKEN_PART_BYTES + 1, 8 << 10] {
            let token: String = ('a'..='z').cycle().take(length).collect();
            let mut headers = HeaderMap::new();
            for cookie in jar.token(&token, Some(now.plus_millis(90_000)), now) {
                assert!(cookie.contains("; Path=/docs/; Max-Age=90; HttpOnly"), "{cookie}");
                assert!(cookie.len() < 4_096);
                let pair = cookie.split(';').next().unwrap();
                headers.append(header::COOKIE, HeaderValue::from_str(pair).unwrap());
            }
            assert_eq!(jar.find_token(&headers).as_ref(), Some(&token), "{length}");
        }
        let mut headers = HeaderMap::new();
        headers.insert(header::COOKIE, HeaderValue::from_static("bindery-visitor=2.a"));
        assert_eq!(jar.find_token(&headers), None);
    }
}
