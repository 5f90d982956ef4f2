//! Tests of which caller a request counts for, with a controlled clock.

use bindery_app::access::{Credential, Lineage, Person, Scopes};
use bindery_model::{Clock, FixedClock, TokenId, UserId};
use http::header::HeaderMap;

use super::*;

const HOME: &str = "192.0.2.7";
const AWAY: &str = "192.0.2.8";

/// The outcome of the check of a request's credential.
#[derive(Clone, Copy)]
enum AuthOutcome {
    Accepted,
    /// Accepted, but for another user.
    Ann,
    Refused,
    /// The session has ended, and the caller is anonymous.
    Nobody,
    Fails,
    /// The credential is never checked, as no operation has this path.
    Nothing,
}

use AuthOutcome::{Accepted, Ann, Fails, Nobody, Nothing, Refused};

struct Node {
    limits: RateLimits,
    clock: FixedClock,
}

impl Node {
    fn new(requests_per_user: u32, requests_per_address: u32) -> Self {
        let limits = Limits { requests_per_user, requests_per_address, ..Limits::default() };
        let clock = FixedClock::new(Timestamp::from_millis(1_700_000_000_000));
        Self { limits: RateLimits::new(&limits), clock }
    }

    fn ask(
        &self,
        method: &str,
        credentials: Option<&Credentials>,
        from: &str,
        outcome: AuthOutcome,
    ) -> String {
        let method = method.parse().unwrap();
        let rate_charge = self.limits.charge_request(
            &method,
            credentials,
            from.parse().unwrap(),
            self.clock.now(),
        );
        let mut response = Response::new(bindery_http::Body::empty());
        if let Some(refusal) = rate_charge.refusal() {
            assert_eq!(refusal.kind(), ErrorKind::RateLimited);
            rate_charge.add_headers(&mut response);
            let seconds = refusal.retry_after_seconds().unwrap().to_string();
            assert_eq!(response.headers()["ratelimit-reset"], seconds);
            return format!("429 {}", describe_headers(response.headers()));
        }
        let credential_check = rate_charge.credential_check();
        match outcome {
            Accepted => {
                credential_check.record(&Ok((Caller::Person(person("aaaaaaaaaaaaaaaaaaaa")), ())))
            }
            Ann => {
                credential_check.record(&Ok((Caller::Person(person("cccccccccccccccccccc")), ())))
            }
            Refused => {
                credential_check.record(&Err::<(_, ()), _>(Error::unauthenticated("refused")))
            }
            Nobody => credential_check.record(&Ok((Caller::Anonymous, ()))),
            Fails => credential_check.record(&Err::<(_, ()), _>(Error::unavailable("no database"))),
            Nothing => {}
        }
        rate_charge.add_headers(&mut response);
        describe_headers(response.headers())
    }

    fn get(&self, token: &str, from: &str, outcome: AuthOutcome) -> String {
        let credentials = Credentials::Token(token.to_owned());
        self.ask("GET", Some(&credentials).filter(|_| !token.is_empty()), from, outcome)
    }
}

fn person(user: &str) -> Person {
    Person {
        user: UserId::parse(user).unwrap(),
        credential: Credential::Token(TokenId::parse("bbbbbbbbbbbbbbbbbbbb").unwrap()),
        scopes: Scopes::ALL,
        organizations: Vec::new(),
        spaces: Vec::new(),
        lineage: Lineage::default(),
    }
}

/// Formats the rate limit headers as `user 2/20`: the limit's name, the remaining requests, the
/// seconds.
fn describe_headers(headers: &HeaderMap) -> String {
    let get = |name: &str| headers.get(name).map_or("", |value| value.to_str().unwrap());
    let state = get("ratelimit");
    if state.is_empty() {
        assert!(headers.iter().all(|(name, _)| !name.as_str().starts_with("ratelimit")));
        return "no limit".to_owned();
    }
    let name = state.split('"').nth(1).unwrap();
    let (remaining, seconds) = (get("ratelimit-remaining"), get("ratelimit-reset"));
    assert_eq!(state, format!("\"{name}\";r={remaining};t={seconds}"));
    let policy = format!("\"{name}\";q={};w=60", get("ratelimit-limit"));
    assert_eq!(get("ratelimit-policy"), policy);
    format!("{name} {remaining}/{seconds}")
}

#[test]
fn all_tokens_of_a_user_share_one_limit() {
    let node = Node::new(3, 9);
    // An unknown token counts for the address first. Once it is accepted, the unit is returned.
    assert_eq!(node.get("one", HOME, Accepted), "user 2/20");
    assert_eq!(node.get("", HOME, Accepted), "address 8/7");
    assert_eq!(node.get("one", AWAY, Accepted), "user 1/20");
    assert_eq!(node.get("one", HOME, Accepted), "user 0/20");
    assert_eq!(node.get("one", HOME, Accepted), "429 user 0/20");
    // Another token of the same user is answered once, until its user is known.
    assert_eq!(node.get("other", HOME, Accepted), "user 0/20");
    assert_eq!(node.get("other", HOME, Accepted), "429 user 0/20");
    assert_eq!(node.get("ann's", HOME, Ann), "user 2/20");
    assert_eq!(node.get("", HOME, Accepted), "address 7/7");
    node.clock.advance(20_000);
    assert_eq!(node.get("one", HOME, Accepted), "user 0/20");
    assert_eq!(node.get("one", HOME, Accepted), "429 user 0/20");
}

#[test]
fn rejected_credentials_count_for_the_address() {
    let node = Node::new(9, 3);
    assert_eq!(node.get("mine", HOME, Accepted), "user 8/7");
    for (guess, left) in [("a", 2), ("b", 1), ("c", 0)] {
        assert_eq!(node.get(guess, HOME, Refused), format!("address {left}/20"));
    }
    assert_eq!(node.get("d", HOME, Refused), "429 address 0/20");
    assert_eq!(node.get("", HOME, Accepted), "429 address 0/20");
    // Known users at that address are still served; other addresses are not affected.
    assert_eq!(node.get("mine", HOME, Accepted), "user 7/7");
    assert_eq!(node.get("new", HOME, Accepted), "429 address 0/20");
    assert_eq!(node.get("new", AWAY, Ann), "user 8/7");
    assert_eq!(node.get("d", AWAY, Refused), "address 2/20");
    assert_eq!(node.limits.credentials.len(), 2);
}

#[test]
fn a_revoked_token_counts_for_the_address() {
    let node = Node::new(9, 2);
    assert_eq!(node.get("mine", HOME, Accepted), "user 8/7");
    assert_eq!(node.get("mine", HOME, Refused), "address 1/30");
    assert_eq!(node.get("mine", HOME, Refused), "address 0/30");
    assert_eq!(node.get("mine", HOME, Refused), "429 address 0/30");
}

#[test]
fn an_active_session_counts_like_a_token() {
    let node = Node::new(9, 3);
    let session = |secret: &str, host: &str| Credentials::Session {
        secret: secret.to_owned(),
        host: host.to_owned(),
    };
    let (mine, elsewhere) = (session("mine", "a.example"), session("mine", "b.example"));
    let ask = |credentials, outcome| node.ask("GET", Some(credentials), HOME, outcome);
    assert_eq!(ask(&mine, Accepted), "user 8/7");
    // The same secret at another host is a different credential, which is not accepted. Public
    // operations still answer it.
    assert_eq!(ask(&elsewhere, Nobody), "address 2/20");
    assert_eq!(ask(&mine, Accepted), "user 7/7");
    assert_eq!(node.get("mine", AWAY, Refused), "address 2/20");
    assert_eq!(ask(&mine, Nobody), "address 1/20");
    assert_eq!(ask(&mine, Nobody), "address 0/20");
    assert_eq!(ask(&mine, Nobody), "429 address 0/20");
    assert_eq!(node.limits.credentials.len(), 0);
}

#[test]
fn unchecked_credentials_count_for_the_address() {
    let node = Node::new(9, 3);
    assert_eq!(node.get("a", HOME, Fails), "address 2/20");
    assert_eq!(node.get("a", HOME, Nothing), "address 1/20");
    assert_eq!(node.limits.credentials.len(), 0);
    assert_eq!(node.get("a", HOME, Accepted), "user 8/7");
    assert_eq!(node.get("a", HOME, Fails), "user 7/7");
    assert_eq!(node.get("a", HOME, Nothing), "user 6/7");
    assert_eq!(node.get("", HOME, Nothing), "address 0/20");
}

#[test]
fn ipv6_addresses_of_one_network_share_a_limit() {
    let node = Node::new(9, 2);
    let same = [
        ["192.0.2.1", "::ffff:192.0.2.1"],
        ["2001:db8::1", "2001:db8::ffff:1:2:3"],
        ["2001:db8:0:1::1", "2001:db8:0:1:ffff::"],
        ["::1", "::2"],
    ];
    for [one, other] in same {
        assert_eq!(node.get("", one, Accepted), "address 1/30", "{one}");
        assert_eq!(node.get("", other, Accepted), "address 0/30", "{other}");
    }
    for other in ["192.0.2.2", "2001:db8:0:2::1", "2001:db9::1"] {
        assert_eq!(node.get("", other, Accepted), "address 1/30", "{other}");
    }
}

#[test]
fn a_disabled_limit_sends_no_headers() {
    let node = Node::new(0, 0);
    for outcome in [Accepted, Refused, Fails, Nothing] {
        assert_eq!(node.get("a", HOME, outcome), "no limit");
        assert_eq!(node.get("", HOME, outcome), "no limit");
    }
    assert_eq!(node.limits.credentials.len() + node.limits.addresses.buckets.len(), 0);
    let node = Node::new(0, 1);
    assert_eq!(node.get("a", HOME, Accepted), "no limit");
    assert_eq!(node.get("b", HOME, Refused), "address 0/60");
    assert_eq!(node.get("b", HOME, Refused), "429 address 0/60");
    assert_eq!(node.get("a", HOME, Accepted), "no limit");
    let node = Node::new(1, 0);
    assert_eq!(node.get("a", HOME, Accepted), "user 0/60");
    assert_eq!(node.get("a", HOME, Accepted), "429 user 0/60");
    assert_eq!(node.get("", HOME, Accepted), "no limit");
    assert_eq!(node.get("b", HOME, Refused), "no limit");
}

#[test]
fn an_expensive_request_takes_more_units() {
    let node = Node::new(9, 9);
    let count = |token: &str| {
        let credentials = Credentials::Token(token.to_owned());
        node.limits.charge_request(
            &Method::GET,
            Some(&credentials),
            HOME.parse().unwrap(),
            node.clock.now(),
        )
    };
    assert_eq!(node.get("mine", HOME, Accepted), "user 8/7");
    let mut rate_charge = count("mine");
    assert!(rate_charge.charge(4).is_ok());
    assert_eq!(rate_charge.taken.as_ref().unwrap().state.remaining, 3);
    let mut rate_charge = count("mine");
    let refused = rate_charge.charge(4).unwrap_err();
    assert_eq!((refused.kind(), refused.retry_after_seconds()), (ErrorKind::RateLimited, Some(14)));
    // The units taken from the address are returned once the user is known.
    let mut rate_charge = count("ann's");
    assert!(rate_charge.charge(4).is_ok());
    rate_charge
        .credential_check()
        .record(&Ok((Caller::Person(person("cccccccccccccccccccc")), ())));
    rate_charge.settle();
    let taken = rate_charge.taken.as_ref().unwrap();
    assert_eq!((taken.limit.name, taken.state.remaining), ("user", 4));
    assert_eq!(node.get("", HOME, Accepted), "address 8/7");
}

#[test]
fn options_requests_are_not_limited() {
    let node = Node::new(1, 1);
    assert_eq!(node.get("", HOME, Accepted), "address 0/60");
    assert_eq!(node.ask("OPTIONS", None, HOME, Nothing), "no limit");
    assert_eq!(node.get("", HOME, Accepted), "429 address 0/60");
}

#[test]
fn the_message_names_the_limit_and_the_wait() {
    let config =
        Limits { requests_per_user: 600_000, requests_per_address: 5, ..Limits::default() };
    let limits = RateLimits::new(&config);
    let check = |limit, seconds, expect: &str| {
        let from = HOME.parse().unwrap();
        let mut rate_charge =
            limits.charge_request(&Method::GET, None, from, Timestamp::from_millis(0));
        let rate = Rate::per_minute(5).unwrap();
        let state = BucketState { is_within: false, remaining: 0, seconds };
        rate_charge.taken =
            Some(TakenUnits { limit, rate, bucket: Arc::default(), state, extra: 0 });
        assert_eq!(rate_charge.refusal().unwrap().message(), expect);
    };
    check(
        &limits.users,
        1,
        "the limit of 600000 requests a minute with the tokens and sessions of one user is used \
         up: retry in 1 second",
    );
    check(
        &limits.addresses,
        12,
        "the limit of 5 requests a minute from one address without a token or session that is \
         accepted is used up: retry in 12 seconds",
    );
}

#[test]
fn the_cache_is_bounded_and_keeps_busy_callers() {
    let node = Node::new(9, 9);
    let busy = |expect: &str| assert_eq!(node.get("", HOME, Accepted), expect);
    for left in (0..9).rev() {
        busy(&format!("address {left}/7"));
    }
    for number in 0..100_000_u32 {
        let from = std::net::Ipv4Addr::from_bits(number << 8).to_string();
        assert_eq!(node.get("", &from, Accepted), "address 8/7");
        assert!(node.limits.addresses.buckets.len() as u64 <= MAX_CALLERS);
    }
    busy("429 address 0/7");
}
