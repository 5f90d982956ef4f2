//! Determines the client behind reverse proxies. Forwarding headers are evaluated only as far as
//! trusted proxies wrote them.

use std::net::{IpAddr, SocketAddr};

use http::HeaderMap;
use http::uri::Authority;
use ipnet::IpNet;

/// The proxies whose forwarding headers are trusted.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct TrustedProxies(Vec<IpNet>);

/// The error for a text that is not a network.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct InvalidNetwork(pub String);

impl std::fmt::Display for InvalidNetwork {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "`{}` is not a network: expected an address, or CIDR such as 10.1.0.0/16", self.0)
    }
}

impl std::error::Error for InvalidNetwork {}

/// The client of a request, and the address it used.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Client {
    /// The client's own address, as far as it is known.
    pub address: IpAddr,
    /// `true` if the client uses TLS; `None` if no trusted proxy reports it.
    pub secure: Option<bool>,
    /// The host that the client requested, with its port if given; `None` if no trusted proxy
    /// reports it.
    pub host: Option<String>,
}

/// The data that one proxy reports about the sender of a request.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
struct Hop {
    address: Option<IpAddr>,
    secure: Option<bool>,
    host: Option<String>,
}

impl TrustedProxies {
    /// Parses a list of networks or single addresses, separated by commas or spaces.
    ///
    /// # Errors
    /// Returns the first entry that is not a network.
    pub fn parse(text: &str) -> Result<Self, InvalidNetwork> {
        let entries = text.split(|c: char| c == ',' || c.is_whitespace());
        let nets = entries.filter(|entry| !entry.is_empty()).map(|entry| {
            entry
                .parse::<IpNet>()
                .or_else(|_| entry.parse::<IpAddr>().map(IpNet::from))
                .map_err(|_| InvalidNetwork(entry.chars().take(60).collect()))
        });
        nets.collect::<Result<_, _>>().map(Self)
    }

    pub(crate) fn trusts(&self, address: IpAddr) -> bool {
        self.0.iter().any(|net| net.contains(&address))
    }

    /// Determines the client. `peer` is the other end of the connection. Going back from it, each
    /// trusted proxy reports its own peer; the first address that is not trusted is the client.
    /// `X-Forwarded-For` and its siblings take precedence over `Forwarded` (RFC 7239).
    pub fn client(&self, peer: IpAddr, headers: &HeaderMap) -> Client {
        let mut client = Client { address: peer.to_canonical(), secure: None, host: None };
        if !self.trusts(client.address) {
            return client;
        }
        let hops = hops(headers);
        for hop in hops.iter().rev() {
            client.secure = hop.secure.or(client.secure);
            client.host = hop.host.clone().or(client.host);
            // Without an address, the author of the preceding entries is unknown.
            let Some(address) = hop.address else { break };
            client.address = address;
            if !self.trusts(client.address) {
                break;
            }
        }
        if client.secure.is_some() && client.host.is_none() {
            // A proxy that reports only the scheme passes the `Host` header on.
            let given = headers.get(http::header::HOST).and_then(|value| value.to_str().ok());
            client.host = given.and_then(host);
        }
        client
    }
}

/// Returns the entries of all proxies, the nearest proxy last.
fn hops(headers: &HeaderMap) -> Vec<Hop> {
    let list = |name: &str| -> Option<Vec<String>> {
        let values = headers.get_all(name);
        let text: Vec<&str> = values.iter().map(|value| value.to_str().unwrap_or("")).collect();
        (!text.is_empty())
            .then(|| text.join(",").split(',').map(|one| one.trim().to_owned()).collect())
    };
    let (addresses, schemes, hosts) =
        (list("x-forwarded-for"), list("x-forwarded-proto"), list("x-forwarded-host"));
    if addresses.is_none() && schemes.is_none() && hosts.is_none() {
        return list("forwarded").unwrap_or_default().iter().map(|one| forwarded(one)).collect();
    }
    let addresses = addresses.unwrap_or_default();
    let (schemes, hosts) = (schemes.unwrap_or_default(), hosts.unwrap_or_default());
    let count = addresses.len().max(schemes.len()).max(hosts.len());
    // Each list begins at the client, so the lists are aligned at their ends.
    let of = |list: &[String], index: usize| {
        (index + list.len()).checked_sub(count).and_then(|at| list.get(at).cloned())
    };
    (0..count)
        .map(|index| Hop {
            address: of(&addresses, index).and_then(|text| address(&text)),
            secure: of(&schemes, index).and_then(|text| secure(&text)),
            host: of(&hosts, index).and_then(|text| host(&text)),
        })
        .collect()
}

/// Parses one element of `Forwarded`.
fn forwarded(element: &str) -> Hop {
    let mut hop = Hop::default();
    for pair in element.split(';') {
        let Some((name, value)) = pair.split_once('=') else { continue };
        let value = value.trim().trim_matches('"');
        match name.trim().to_ascii_lowercase().as_str() {
            "for" => hop.address = address(value),
            "proto" => hop.secure = secure(value),
            "host" => hop.host = host(value),
            _ => {}
        }
    }
    hop
}

/// Parses an address, with or without a port and the brackets of IPv6.
fn address(text: &str) -> Option<IpAddr> {
    let bare = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')).unwrap_or(text);
    let address = bare
        .parse::<IpAddr>()
        .or_else(|_| text.parse::<SocketAddr>().map(|address| address.ip()))
        .ok()?;
    Some(address.to_canonical())
}

fn secure(text: &str) -> Option<bool> {
    let known = [("https", true), ("wss", true), ("http", false), ("ws", false)];
    known.iter().find(|(name, _)| text.eq_ignore_ascii_case(name)).map(|(_, secure)| *secure)
}

fn host(text: &str) -> Option<String> {
    let authority: Authority = text.parse().ok()?;
    (!text.contains('@') && text.len() <= 255 && !authority.host().is_empty())
        .then(|| authority.as_str().to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    const PROXIES: &str = "10.0.0.0/8, 192.168.7.7 fd00::/8";

    fn check(peer: &str, lines: &[&str], address: &str, secure: Option<bool>, host: Option<&str>) {
        let mut headers = HeaderMap::new();
        for line in lines {
            let (name, value) = line.split_once(": ").unwrap();
            let name: http::HeaderName = name.to_ascii_lowercase().parse().unwrap();
            headers.append(name, value.parse().unwrap());
        }
        let proxies = TrustedProxies::parse(PROXIES).unwrap();
        let found = proxies.client(peer.parse().unwrap(), &headers);
        let address = address.parse().unwrap();
        let expect = Client { address, secure, host: host.map(str::to_owned) };
        assert_eq!(found, expect, "{peer} {lines:?}");
    }

    const ALL: [&str; 3] = [
        "X-Forwarded-For: 203.0.113.5",
        "X-Forwarded-Proto: https",
        "X-Forwarded-Host: docs.example.com",
    ];

    #[test]
    fn only_headers_of_trusted_proxies_are_evaluated() {
        for peer in ["10.1.2.3", "192.168.7.7", "::ffff:10.1.2.3", "fd00::1"] {
            check(peer, &ALL, "203.0.113.5", Some(true), Some("docs.example.com"));
        }
        for peer in ["203.0.113.9", "192.168.7.8", "127.0.0.1", "::1"] {
            check(peer, &ALL, peer, None, None);
            check(peer, &["Forwarded: for=203.0.113.5;proto=https;host=x"], peer, None, None);
        }
        check("10.1.2.3", &[], "10.1.2.3", None, None);
    }

    #[test]
    fn forged_headers_are_ignored() {
        let spoofed = "X-Forwarded-For: 1.1.1.1, 10.9.9.9, 203.0.113.5";
        check("10.1.2.3", &[spoofed], "203.0.113.5", None, None);
        let lines = ["X-Forwarded-For: 1.1.1.1", "X-Forwarded-For: 203.0.113.5"];
        check("10.1.2.3", &lines, "203.0.113.5", None, None);
        let lines = [
            "X-Forwarded-For: 1.1.1.1, 203.0.113.5",
            "X-Forwarded-Proto: https, http",
            "X-Forwarded-Host: evil.example, docs.example.com",
        ];
        check("10.1.2.3", &lines, "203.0.113.5", Some(false), Some("docs.example.com"));
        // A proxy that writes one kind of header passes the other kind through.
        let lines = ["X-Forwarded-For: 203.0.113.5", "Forwarded: for=1.1.1.1;proto=https"];
        check("10.1.2.3", &lines, "203.0.113.5", None, None);
    }

    #[test]
    fn several_proxies_in_a_row() {
        let chain = "X-Forwarded-For: 1.1.1.1, 203.0.113.5, 10.0.0.9, fd00::2";
        check("10.1.2.3", &[chain], "203.0.113.5", None, None);
        check("10.1.2.3", &["X-Forwarded-For: 10.0.0.8, 10.0.0.9"], "10.0.0.8", None, None);
        // The outer proxy knows the requested host; inner proxies pass it on or append their own.
        let chain = "X-Forwarded-For: 203.0.113.5, 10.0.0.9";
        let lines = [chain, "X-Forwarded-Proto: https, http", "X-Forwarded-Host: a.example, b"];
        check("10.1.2.3", &lines, "203.0.113.5", Some(true), Some("a.example"));
        let lines = [chain, "X-Forwarded-Proto: https", "X-Forwarded-Host: a.example:8443"];
        check("10.1.2.3", &lines, "203.0.113.5", Some(true), Some("a.example:8443"));
    }

    #[test]
    fn every_spelling_of_an_address() {
        for (text, expect) in [
            ("203.0.113.5:4711", "203.0.113.5"),
            ("2001:db8::1", "2001:db8::1"),
            ("[2001:db8::1]", "2001:db8::1"),
            ("[2001:db8::1]:4711", "2001:db8::1"),
            ("::ffff:203.0.113.5", "203.0.113.5"),
            ("unknown", "10.1.2.3"),
            ("", "10.1.2.3"),
            ("1.1.1.1, unknown", "10.1.2.3"),
            ("1.1.1.1, nonsense, 10.0.0.9", "10.0.0.9"),
        ] {
            check("10.1.2.3", &[&format!("X-Forwarded-For: {text}")], expect, None, None);
        }
        let line = "Forwarded: for=1.1.1.1, For=\"[2001:db8::1]:4711\";Proto=HTTPS;host=\"A.example\", for=10.0.0.9;by=_x";
        check("10.1.2.3", &[line], "2001:db8::1", Some(true), Some("a.example"));
        check("10.1.2.3", &["Forwarded: for=_hidden;proto=ftp"], "10.1.2.3", None, None);
    }

    #[test]
    fn the_host_may_be_passed_on() {
        let lines = ["X-Forwarded-Proto: https", "Host: docs.example.com"];
        check("10.1.2.3", &lines, "10.1.2.3", Some(true), Some("docs.example.com"));
        check("10.1.2.3", &["Host: docs.example.com"], "10.1.2.3", None, None);
    }

    #[test]
    fn invalid_hosts_are_ignored() {
        for text in ["a@b.example", "a b", "a/b", "", ":80", "<x>", &"x".repeat(300)] {
            check("10.1.2.3", &[&format!("X-Forwarded-Host: {text}")], "10.1.2.3", None, None);
        }
    }

    #[test]
    fn a_list_of_networks_is_parsed() {
        assert_eq!(TrustedProxies::parse(" ").unwrap(), TrustedProxies::default());
        let error = TrustedProxies::parse("10.0.0.0/8,proxy.example").unwrap_err();
        assert!(error.to_string().contains("`proxy.example` is not a network"), "{error}");
    }
}
