//! The cookies: of a browser's session, and of a device that signed in before.

use http::header::{self, HeaderMap};

/// The cookie of sessions, as it is on one kind of connection. Over an encrypted one its name says
/// that no other host and no unencrypted page set it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SessionCookie {
    /// Whether browsers come over encrypted connections.
    pub secure: bool,
}

impl SessionCookie {
    /// Its name.
    pub const fn name(self) -> &'static str {
        if self.secure { "__Host-bindery-session" } else { "bindery-session" }
    }

    /// What it holds in a request. Where it is there more than once, nobody knows which one is
    /// meant, and none counts.
    pub fn find(self, headers: &HeaderMap) -> Option<&str> {
        find(self.name(), headers)
    }

    /// What makes a browser keep it, for so many seconds.
    pub fn set(self, value: &str, seconds: i64) -> String {
        set(self.name(), value, seconds, self.secure)
    }

    /// What makes a browser forget it.
    pub fn clear(self) -> String {
        self.set("", 0)
    }
}

/// The cookie of a device that signed in to an account before. It opens nothing: it gives the
/// device room of its own when passwords are guessed elsewhere.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DeviceCookie {
    /// True if browsers come over encrypted connections.
    pub secure: bool,
}

impl DeviceCookie {
    /// Seconds that a browser keeps it: a year.
    const SECONDS: i64 = 365 * 24 * 60 * 60;

    const fn name(self) -> &'static str {
        if self.secure { "__Host-bindery-device" } else { "bindery-device" }
    }

    /// Returns the value in a request that has exactly one.
    pub fn find(self, headers: &HeaderMap) -> Option<&str> {
        find(self.name(), headers)
    }

    /// Returns the header's value that makes a browser keep it for a year.
    pub fn set(self, value: &str) -> String {
        set(self.name(), value, Self::SECONDS, self.secure)
    }
}

fn find<'a>(wanted: &str, headers: &'a HeaderMap) -> Option<&'a str> {
    let mut found = None;
    for header in headers.get_all(header::COOKIE) {
        for pair in header.to_str().unwrap_or_default().split(';') {
            let Some((name, value)) = pair.trim().split_once('=') else { continue };
            if name == wanted {
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
    let secure = if secure { "; Secure" } else { "" };
    format!("{name}={value}; Path=/; Max-Age={seconds}; HttpOnly; SameSite=Lax{secure}")
}

/// The host that a request was sent to, as the client named it; `told` is what a trusted proxy says.
pub fn host_of(head: &http::request::Parts, told: Option<String>) -> String {
    let named = || {
        let header = head.headers.get(header::HOST).and_then(|host| host.to_str().ok());
        header.or_else(|| head.uri.authority().map(http::uri::Authority::as_str))
    };
    told.unwrap_or_else(|| named().unwrap_or_default().to_ascii_lowercase())
}

/// The program that sends a request, as it calls itself.
pub fn agent_of(head: &http::request::Parts) -> String {
    let agent = head.headers.get(header::USER_AGENT).map(http::HeaderValue::as_bytes);
    String::from_utf8_lossy(agent.unwrap_or_default()).into_owned()
}

/// Whether a request was made by a page of another origin than `host`, as far as the browser says.
pub fn is_foreign(headers: &HeaderMap, host: &str) -> bool {
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
    fn the_cookie_is_found_where_it_is_there_once() {
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
    fn pages_of_other_origins_are_told() {
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
            assert_eq!(is_foreign(&headers(list), "docs.example.com"), foreign, "{list:?}");
        }
    }
}
