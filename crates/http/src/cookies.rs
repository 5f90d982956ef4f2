//! The cookies of the application and of published sites, and header values that identify a client.

use http::header::{self, HeaderMap};

/// The session cookie, in the variant for encrypted or unencrypted connections. Over TLS its name
/// has the prefix `__Host-`, so that no other host and no unencrypted page can set it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SessionCookie {
    /// `true` if browsers connect over TLS.
    pub secure: bool,
}

impl SessionCookie {
    /// Returns the name of the cookie.
    pub const fn name(self) -> &'static str {
        if self.secure { "__Host-bindery-session" } else { "bindery-session" }
    }

    /// Returns the value of the cookie in a request. A request with several cookies of the name is
    /// ambiguous and yields `None`.
    pub fn find(self, headers: &HeaderMap) -> Option<&str> {
        find(self.name(), headers)
    }

    /// Returns the `Set-Cookie` value that stores `value` for a number of seconds.
    pub fn set(self, value: &str, seconds: i64) -> String {
        set(self.name(), value, seconds, self.secure)
    }

    /// Returns the `Set-Cookie` value that deletes the cookie.
    pub fn clear(self) -> String {
        self.set("", 0)
    }
}

/// The cookie of a device that has signed in to an account before. It grants no access. It gives
/// the device its own limit of sign-in attempts while others guess passwords.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DeviceCookie {
    /// `true` if browsers connect over TLS.
    pub secure: bool,
}

impl DeviceCookie {
    /// Lifetime of the cookie in seconds: one year.
    const SECONDS: i64 = 365 * 24 * 60 * 60;

    const fn name(self) -> &'static str {
        if self.secure { "__Host-bindery-device" } else { "bindery-device" }
    }

    /// Returns the value of the cookie if the request has exactly one.
    pub fn find(self, headers: &HeaderMap) -> Option<&str> {
        find(self.name(), headers)
    }

    /// Returns the `Set-Cookie` value that stores `value` for a year.
    pub fn set(self, value: &str) -> String {
        set(self.name(), value, Self::SECONDS, self.secure)
    }
}

/// A cookie of a published site. Browsers send it to the paths of the site only, and never to the
/// application or to other sites on the host. Over TLS its name has the prefix `__Secure-`, so that
/// no unencrypted page can set it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SiteCookie<'a> {
    /// The name without a prefix.
    pub name: &'a str,
    /// The path with which all addresses of the site begin.
    pub path: &'a str,
    /// `true` if browsers connect over TLS.
    pub secure: bool,
}

impl SiteCookie<'_> {
    fn full_name(self) -> String {
        format!("{}{}", if self.secure { "__Secure-" } else { "" }, self.name)
    }

    /// Returns the value of the cookie if the request has exactly one.
    pub fn find(self, headers: &HeaderMap) -> Option<&str> {
        find(&self.full_name(), headers)
    }

    /// Returns the `Set-Cookie` value that stores `value` for a number of seconds.
    pub fn set(self, value: &str, seconds: i64) -> String {
        set_at(&self.full_name(), value, self.path, seconds, self.secure)
    }
}

fn find<'a>(cookie: &str, headers: &'a HeaderMap) -> Option<&'a str> {
    let mut found = None;
    for header in headers.get_all(header::COOKIE) {
        for pair in header.to_str().unwrap_or_default().split(';') {
            let Some((name, value)) = pair.trim().split_once('=') else { continue };
            if name == cookie {
                if found.is_some() {
                    return None;
                }
                found = Some(value);
            }
        }
    }
    found.filter(|value| !value.is_empty())
}

fn set(name: &str, value: &str, seconds: i64, secure: bool) -> String {
    set_at(name, value, "/", seconds, secure)
}

fn set_at(name: &str, value: &str, path: &str, seconds: i64, secure: bool) -> String {
    let secure = if secure { "; Secure" } else { "" };
    format!("{name}={value}; Path={path}; Max-Age={seconds}; HttpOnly; SameSite=Lax{secure}")
}

/// Returns the host that a request was sent to, in lower case. `forwarded` is the host that a
/// trusted proxy reported; without it the `Host` header or the request target counts.
pub fn request_host(head: &http::request::Parts, forwarded: Option<String>) -> String {
    let named = || {
        let header = head.headers.get(header::HOST).and_then(|host| host.to_str().ok());
        header.or_else(|| head.uri.authority().map(http::uri::Authority::as_str))
    };
    forwarded.unwrap_or_else(|| named().unwrap_or_default().to_ascii_lowercase())
}

/// Returns the `User-Agent` header of a request.
pub fn user_agent(head: &http::request::Parts) -> String {
    let agent = head.headers.get(header::USER_AGENT).map(http::HeaderValue::as_bytes);
    String::from_utf8_lossy(agent.unwrap_or_default()).into_owned()
}

/// Returns `true` if the browser reports that a page of another origin than `host` made the
/// request.
pub fn is_cross_origin(headers: &HeaderMap, host: &str) -> bool {
    if let Some(site) = headers.get("sec-fetch-site")
        && !matches!(site.as_bytes(), b"same-origin" | b"none")
    {
        return true;
    }
    headers.get(header::ORIGIN).is_some_and(|origin| {
        let origin = origin.to_str().unwrap_or_default();
        !origin.split_once("://").is_some_and(|(_, of)| of.eq_ignore_ascii_case(host))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use http::HeaderValue;

    fn headers(list: &[(&'static str, &'static str)]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in list {
            headers.append(*name, HeaderValue::from_static(value));
        }
        headers
    }

    #[test]
    fn a_cookie_is_found_only_if_it_occurs_once() {
        let plain = SessionCookie { secure: false };
        for (given, found) in [
            ("a=b; bindery-session=x", Some("x")),
            ("bindery-session=x", Some("x")),
            ("bindery-session=x; bindery-session=y", None),
            ("bindery-session=", None),
            ("__Host-bindery-session=x", None),
            ("xbindery-session=x", None),
        ] {
            assert_eq!(plain.find(&headers(&[("cookie", given)])), found, "{given}");
        }
        let twice = headers(&[("cookie", "bindery-session=x"), ("cookie", "bindery-session=y")]);
        assert_eq!(plain.find(&twice), None);
        let secure = SessionCookie { secure: true };
        assert!(secure.set("x", 5).starts_with("__Host-bindery-session=x; Path=/;"));
        assert!(secure.set("x", 5).ends_with("; Secure"));
    }

    #[test]
    fn cookies_of_sites_are_limited_to_their_path() {
        let plain = SiteCookie { name: "bindery-share", path: "/docs/", secure: false };
        let expect = "bindery-share=x; Path=/docs/; Max-Age=5; HttpOnly; SameSite=Lax";
        assert_eq!(plain.set("x", 5), expect);
        let secure = SiteCookie { secure: true, ..plain };
        assert_eq!(secure.set("x", 5), format!("__Secure-{expect}; Secure"));
        let sent = headers(&[("cookie", "bindery-share=x; bindery-session=y")]);
        assert_eq!((plain.find(&sent), secure.find(&sent)), (Some("x"), None));
    }

    #[test]
    fn requests_of_other_origins_are_recognized() {
        for (list, foreign) in [
            (&[][..], false),
            (&[("origin", "https://docs.example.com")], false),
            (&[("origin", "https://evil.example.com")], true),
            (&[("origin", "null")], true),
            (&[("sec-fetch-site", "cross-site")], true),
            (&[("sec-fetch-site", "same-site")], true),
            (&[("sec-fetch-site", "none")], false),
            (&[("sec-fetch-site", "same-origin"), ("origin", "https://docs.example.com")], false),
        ] {
            assert_eq!(is_cross_origin(&headers(list), "docs.example.com"), foreign, "{list:?}");
        }
    }
}
