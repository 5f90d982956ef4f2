use super::*;
use proptest::prelude::*;

#[test]
fn addresses_are_read_and_lose_their_credentials() {
    for (text, url, credentials) in [
        ("https://example.com/a/b.git", "https://example.com/a/b.git", None),
        (" https://example.com/a/b/ ", "https://example.com/a/b", None),
        ("HTTPS://Example.COM:443/a", "https://example.com/a", None),
        ("http://example.com:8080/a", "http://example.com:8080/a", None),
        ("https://me:pass@example.com/a", "https://example.com/a", Some(("me", "pass"))),
        ("https://token@example.com/a", "https://example.com/a", Some(("token", ""))),
        ("https://:token@example.com/a", "https://example.com/a", Some(("", "token"))),
        ("https://a%40b:p%3Aq%2F@example.com/a", "https://example.com/a", Some(("a@b", "p:q/"))),
        ("https://example.com/a/../b", "https://example.com/b", None),
    ] {
        let remote = Remote::parse(text).unwrap();
        assert_eq!(remote.url.to_string(), url);
        assert_eq!(remote.credentials.as_ref().map(Credentials::expose), credentials, "{text}");
        for secret in ["pass", "token", "p:q", "p%3A"] {
            assert!(!format!("{remote:?} {}", remote.url).contains(secret), "{text}");
        }
    }
}

#[test]
fn invalid_addresses_are_refused_without_repeating_them() {
    for (text, expected) in [
        ("", "empty"),
        ("secret", "https://"),
        ("file:///secret", "file://"),
        ("FILE:/secret", "file:"),
        ("/srv/secret", "local file system"),
        ("./secret", "local file system"),
        ("~/secret", "local file system"),
        ("C:/secret", "local file system"),
        ("ssh://git@host/secret", "ssh://"),
        ("git@host:secret", "SSH"),
        ("git://host/secret", "git://"),
        ("ext::sh -c secret", "characters"),
        ("ext::secret", "remote helper"),
        ("gopher://host/secret", "another scheme"),
        ("https://", "cannot be read"),
        ("https://host", "no repository"),
        ("https://me:secret@host/", "no repository"),
        ("https://host/a?token=secret", "`?` or `#`"),
        ("https://host/a#secret", "`?` or `#`"),
        ("https://ho st/secret", "characters"),
        ("https://host/secret\u{0}", "characters"),
        ("https://host:99999/secret", "cannot be read"),
        ("https://u:%00secret@host/a", "control characters"),
    ] {
        let message = Remote::parse(text).unwrap_err().to_string();
        assert!(message.contains(expected), "{text}: {message}");
        assert!(text.is_empty() || !message.contains("secret"), "{message}");
    }
}

#[test]
fn the_guard_is_asked_about_literal_addresses() {
    let remote = Remote::parse("http://127.0.0.1:3000/a.git").unwrap();
    assert!(remote.url.check(&Guard::public_only()).is_err());
    assert!(remote.url.check(&Guard::parse("127.0.0.0/8").unwrap()).is_ok());
}

#[test]
fn ref_names_follow_the_rules_of_git() {
    for name in
        ["HEAD", "refs/heads/main", "refs/tags/v1.0", "refs/heads/a/b-c_d", "refs/pull/1/head"]
    {
        let parsed = RefName::parse(name).unwrap();
        assert_eq!((parsed.as_str(), parsed.candidates()), (name, vec![name.to_owned()]));
        assert_eq!(parsed.commit(), None);
    }
    for name in ["main", "heads/main", "feature/a-b", "v1.0"] {
        let full = ["refs/heads/", "refs/tags/", "refs/"].map(|above| format!("{above}{name}"));
        assert_eq!(RefName::parse(name).unwrap().candidates(), full);
    }
    let id = "0123456789abcdef0123456789abcdef01234567";
    assert_eq!(RefName::parse(id).unwrap().commit().unwrap().to_string(), id);
    assert_eq!(RefName::parse("0123456").unwrap().commit(), None);
    for name in [
        "",
        "refs",
        "refs/",
        "refs/heads",
        "refs/heads/",
        "refs/heads//a",
        "/refs/heads/a",
        "refs/heads/.a",
        "refs/heads/a.lock",
        "refs/heads/a.lock/b",
        "refs/heads/a..b",
        "refs/heads/a b",
        "refs/heads/a~1",
        "refs/heads/a^",
        "refs/heads/a:b",
        "refs/heads/a?",
        "refs/heads/*",
        "refs/heads/[a",
        "refs/heads/a\\b",
        "refs/heads/a.",
        "refs/heads/a@{1}",
        "refs/heads/a\n",
        "refs/heads/a\u{7f}",
        "@",
        "-refs/heads/a",
    ] {
        assert!(RefName::parse(name).is_err(), "{name:?}");
    }
    assert_eq!(RefName::parse("refs/heads/a/b").unwrap().branch(), Some("a/b"));
}

fn access() -> SshAccess {
    let key = SshKey::generate(&bindery_model::Entropy::seeded(1)).unwrap();
    SshAccess { key, host_keys: String::new() }
}

#[test]
fn addresses_of_ssh_name_a_user_a_host_and_a_path() {
    for (text, url) in [
        ("ssh://git@host.example/a/b.git", "ssh://git@host.example/a/b.git"),
        ("ssh://host.example/a/", "ssh://git@host.example/a"),
        ("ssh://me@[2001:db8::1]:2222/~/a", "ssh://me@[2001:db8::1]:2222/~/a"),
        ("git@host.example:a/b.git", "ssh://git@host.example/a/b.git"),
        (" me@host:/srv/a ", "ssh://me@host/srv/a"),
    ] {
        let remote = Remote::parse_ssh(text, access()).unwrap();
        assert_eq!((remote.url.as_str(), remote.url.is_ssh()), (url, true), "{text}");
        assert_eq!(remote.credentials, None);
    }
    for text in [
        "",
        "ssh://host",
        "ssh://host/",
        "ssh:///a",
        "ssh://me:secret@host/a",
        "ssh://-oProxyCommand=x@host/a",
        "ssh://a%20b@host/a",
        "ssh://host/a?b",
        "https://host/a",
        "host:a",
        "/srv/a",
        "ssh://host/a\nb",
    ] {
        let error = Remote::parse_ssh(text, access()).unwrap_err();
        assert!(!error.to_string().contains("secret"), "{text:?}: {error}");
    }
}

#[test]
fn the_guard_sees_the_hosts_of_ssh() {
    let check = |text: &str, guard: &Guard| {
        Remote::parse_ssh(text, access()).unwrap().url.check(guard).is_ok()
    };
    let public = Guard::public_only();
    assert!(check("ssh://host.example/a", &public));
    for inside in ["ssh://127.0.0.1/a", "ssh://localhost/a", "git@10.0.0.1:a", "ssh://[::1]/a"] {
        assert!(!check(inside, &public), "{inside}");
        assert!(check(inside, &Guard::any()), "{inside}");
    }
}

proptest! {
    #[test]
    fn arbitrary_text_never_panics_and_secrets_stay_hidden(text in "\\PC{0,60}", secret in "[a-z]{12}") {
        let _ = Remote::parse(&text);
        let _ = Remote::parse_ssh(&text, access());
        let _ = RefName::parse(&text);
        let full = format!("https://user:{secret}@{text}/repo");
        let shown = match Remote::parse(&full) {
            Ok(remote) => format!("{remote:?}{}", remote.url),
            Err(error) => format!("{error:?}{error}"),
        };
        prop_assert!(!shown.contains(&secret), "{}", shown);
    }
}
