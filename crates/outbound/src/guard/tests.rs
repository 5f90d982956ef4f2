use super::*;
use proptest::prelude::*;

#[test]
fn addresses_outside_the_public_internet_are_refused() {
    let refused = [
        "0.0.0.0",
        "0.1.2.3",
        "10.0.0.1",
        "10.255.255.255",
        "100.64.0.1",
        "100.100.100.200",
        "100.127.255.255",
        "127.0.0.1",
        "127.255.255.254",
        "168.63.129.16",
        "169.254.169.254",
        "169.254.170.2",
        "172.16.0.1",
        "172.31.255.255",
        "192.0.0.192",
        "192.0.2.1",
        "192.88.99.1",
        "192.168.0.1",
        "198.18.0.1",
        "198.19.255.255",
        "198.51.100.7",
        "203.0.113.9",
        "224.0.0.1",
        "239.255.255.255",
        "240.0.0.1",
        "255.255.255.255",
        "::",
        "::1",
        "::2",
        "::127.0.0.1",
        "::ffff:127.0.0.1",
        "::ffff:10.0.0.1",
        "::ffff:169.254.169.254",
        "64:ff9b::10.0.0.1",
        "64:ff9b::7f00:1",
        "64:ff9b:1::1",
        "100::1",
        "2001::1",
        "2001:10::1",
        "2001:db8::1",
        "2002:7f00:1::",
        "2002:a00:1::1",
        "3fff::1",
        "4000::1",
        "5f00::1",
        "fc00::1",
        "fd00:ec2::254",
        "fe80::1",
        "febf::1",
        "fec0::1",
        "ff02::1",
    ];
    for text in refused {
        assert!(Guard::public_only().check(text.parse().unwrap()).is_err(), "{text}");
        assert!(Guard::any().check(text.parse().unwrap()).is_ok(), "{text}");
    }
}

#[test]
fn addresses_of_the_public_internet_are_reached() {
    let reached = [
        "1.1.1.1",
        "9.255.255.255",
        "11.0.0.0",
        "100.63.255.255",
        "100.128.0.0",
        "126.0.0.1",
        "128.0.0.1",
        "140.82.121.4",
        "172.15.255.255",
        "172.32.0.0",
        "192.0.1.1",
        "192.167.0.1",
        "192.169.0.1",
        "198.17.0.1",
        "198.20.0.1",
        "223.255.255.255",
        "2606:4700::1111",
        "2a00:1450:4001::1",
        "::ffff:140.82.121.4",
        "64:ff9b::140.82.121.4",
        "2002:8c52:7904::1",
    ];
    for text in reached {
        assert_eq!(Guard::public_only().check(text.parse().unwrap()), Ok(()), "{text}");
    }
}

#[test]
fn the_operator_permits_networks() {
    let guard = Guard::parse("10.1.0.0/16, 127.0.0.1  fd00::/8").unwrap();
    for (text, permitted) in [
        ("10.1.2.3", true),
        ("::ffff:10.1.2.3", true),
        ("64:ff9b::10.1.2.3", true),
        ("10.2.0.1", false),
        ("127.0.0.1", true),
        ("127.0.0.2", false),
        ("fd12::1", true),
        ("fe80::1", false),
        ("1.1.1.1", true),
    ] {
        assert_eq!(guard.check(text.parse().unwrap()).is_ok(), permitted, "{text}");
    }
    assert_eq!(Guard::parse("").unwrap(), Guard::public_only());
    assert!(Guard::parse("10.0.0.0/8,any").unwrap().check("::1".parse().unwrap()).is_ok());
    for text in ["10.0.0.0/33", "internal", "10.0.0.0/8;fd00::/8", "10.0.0.0-10.1.0.0"] {
        assert!(Guard::parse(text).is_err(), "{text}");
    }
}

#[test]
fn urls_are_checked_without_the_network() {
    let refused = [
        "file:///etc/passwd",
        "ssh://git@example.com/x",
        "git://example.com/x",
        "ftp://example.com",
        "data:text/plain,x",
        "http://127.0.0.1/",
        "http://127.1/",
        "http://2130706433/",
        "http://0x7f.1/",
        "http://0177.0.0.1/",
        "http://[::1]/",
        "http://[::ffff:7f00:1]/",
        "http://localhost/",
        "http://LOCALHOST:8080/",
        "http://localhost./",
        "http://a.localhost/",
        "https://10.0.0.1:8443/x",
        "http://169.254.169.254/latest/meta-data",
    ];
    for text in refused {
        let url = Url::parse(text).unwrap();
        assert!(Guard::public_only().check_url(&url).is_err(), "{text}");
    }
    for text in ["https://example.com/a.git", "http://1.1.1.1/", "https://localhost.example.com/"] {
        let url = Url::parse(text).unwrap();
        assert_eq!(Guard::public_only().check_url(&url), Ok(()), "{text}");
    }
    let local = Guard::parse("127.0.0.0/8").unwrap();
    assert_eq!(local.check_url(&Url::parse("http://localhost/").unwrap()), Ok(()));
    assert!(local.check_url(&Url::parse("file:///x").unwrap()).is_err());
}

proptest! {
    /// Embedding an IPv4 address in IPv6 never changes whether it may be reached.
    #[test]
    fn embedding_does_not_change_the_result(bits: u32) {
        let v4 = Ipv4Addr::from(bits);
        let [a, b, c, d] = v4.octets();
        let expected = Guard::public_only().check(IpAddr::V4(v4)).is_ok();
        for text in [
            format!("::ffff:{v4}"),
            format!("64:ff9b::{v4}"),
            format!("2002:{a:02x}{b:02x}:{c:02x}{d:02x}::1"),
        ] {
            let wrapped = text.parse().unwrap();
            prop_assert_eq!(Guard::public_only().check(wrapped).is_ok(), expected, "{}", text);
        }
    }
}
