//! Rate limits of this node in requests per minute. There is one limit per user, shared by all
//! tokens and sessions of the user, and one per address, for requests without a credential or with
//! a rejected one. A request costs one unit, or more if its operation is expensive.

mod bucket;

use std::convert::Infallible;
use std::net::IpAddr;
use std::sync::{Arc, OnceLock};

use bindery_app::Limits;
use bindery_app::access::Caller;
use bindery_app::access::credentials::Credentials;
use bindery_http::Response;
use bindery_model::{Error, ErrorKind, Result, Timestamp, UserId};
use http::Method;
use http::header::{HeaderName, HeaderValue};
use quick_cache::sync::Cache;

use bucket::{Bucket, BucketState, Rate};

/// Maximum number of remembered callers of each kind. The least recently seen are evicted first.
/// Their buckets are full by then, unless very many callers arrive at once.
const MAX_CALLERS: u64 = 65_536;
/// Expected number of callers. Affects only the number of shards of the table, each with its own
/// lock.
const EXPECTED_CALLERS: usize = 1_024;

/// The header names of draft-ietf-httpapi-ratelimit-headers, and those of its early versions, which
/// many clients support.
static POLICY: HeaderName = HeaderName::from_static("ratelimit-policy");
static STATE: HeaderName = HeaderName::from_static("ratelimit");
static LIMIT: HeaderName = HeaderName::from_static("ratelimit-limit");
static REMAINING: HeaderName = HeaderName::from_static("ratelimit-remaining");
static RESET: HeaderName = HeaderName::from_static("ratelimit-reset");

/// The limits of this node and their usage.
#[derive(Debug)]
pub(crate) struct RateLimits {
    users: Limit,
    /// The buckets of users by accepted credential. Other credentials are not stored, so that
    /// made-up ones neither fill the table nor get a bucket.
    credentials: Cache<u128, Arc<Bucket>>,
    addresses: Limit,
}

/// A limit of requests per minute for each caller of one kind.
#[derive(Debug)]
struct Limit {
    name: &'static str,
    scope: &'static str,
    requests: u32,
    /// `None` if there is no limit.
    rate: Option<Rate>,
    policy: HeaderValue,
    buckets: Cache<u128, Arc<Bucket>>,
}

impl Limit {
    fn new(name: &'static str, scope: &'static str, requests: u32) -> Self {
        let policy = format!("\"{name}\";q={requests};w=60");
        Self {
            name,
            scope,
            requests,
            rate: Rate::per_minute(requests),
            policy: HeaderValue::from_str(&policy).unwrap_or(HeaderValue::from_static("")),
            buckets: Cache::with_weighter(EXPECTED_CALLERS, MAX_CALLERS, quick_cache::UnitWeighter),
        }
    }

    fn bucket(&self, caller: u128) -> Arc<Bucket> {
        let create = || Ok::<_, Infallible>(Arc::default());
        self.buckets.get_or_insert_with(&caller, create).unwrap_or_default()
    }
}

impl RateLimits {
    pub(crate) fn new(limits: &Limits) -> Self {
        let addresses = "from one address without a token or session that is accepted";
        Self {
            users: Limit::new(
                "user",
                "with the tokens and sessions of one user",
                limits.requests_per_user,
            ),
            credentials: Cache::with_weighter(
                EXPECTED_CALLERS,
                MAX_CALLERS,
                quick_cache::UnitWeighter,
            ),
            addresses: Limit::new("address", addresses, limits.requests_per_address),
        }
    }

    /// Counts a request from the address `from`. A credential that was accepted before counts for
    /// its user. Any other request counts for its address until the credential is verified.
    /// `OPTIONS` requests are not counted: they are answered from memory, and browsers need the
    /// answer.
    pub(crate) fn charge_request(
        &self,
        method: &Method,
        credentials: Option<&Credentials>,
        from: IpAddr,
        now: Timestamp,
    ) -> RequestCharge<'_> {
        let is_limited = method != Method::OPTIONS
            && (self.users.rate.is_some() || self.addresses.rate.is_some());
        // Half of the hash suffices, as it is infeasible to find a second credential with the same
        // half.
        let hash = credentials.filter(|_| is_limited).map(Credentials::hash);
        let credential = hash.and_then(|hash| hash.first_chunk().copied()).map(u128::from_be_bytes);
        let known = credential.and_then(|credential| self.credentials.get(&credential));
        let (address_key, is_known) = (address_key(from), known.is_some());
        let credential_check = CredentialCheck::default();
        let mut rate_charge = RequestCharge {
            limits: self,
            credential,
            is_known,
            credential_check,
            address_key,
            now,
            taken: None,
        };
        match known {
            Some(bucket) => rate_charge.take(&self.users, || bucket),
            None if is_limited => {
                rate_charge.take(&self.addresses, || self.addresses.bucket(address_key))
            }
            None => {}
        }
        rate_charge
    }
}

/// Returns the key of a user's bucket: half of a hash.
fn user_key(user: UserId) -> u128 {
    let hash = blake3::hash(user.as_bytes());
    hash.as_bytes().first_chunk().copied().map_or(0, u128::from_be_bytes)
}

/// Returns the key of an address's bucket. For IPv6 it is the /64 network, the smallest that a
/// subscriber is assigned.
fn address_key(address: IpAddr) -> u128 {
    match address.to_canonical() {
        IpAddr::V4(address) => address.to_ipv6_mapped().to_bits(),
        IpAddr::V6(address) => address.to_bits() & (!0 << 64),
    }
}

/// The outcome of the check of a request's credential, once there is one.
#[derive(Clone, Debug, Default)]
pub(crate) struct CredentialCheck(Arc<OnceLock<Option<UserId>>>);

impl CredentialCheck {
    /// Returns `true` if the credential has been accepted.
    pub(crate) fn is_accepted(&self) -> bool {
        matches!(self.0.get(), Some(Some(_)))
    }

    /// Records the outcome of authentication.
    pub(crate) fn record<T>(&self, found: &Result<(Caller, T)>) {
        let accepted = match found {
            Ok((caller, _)) => caller.person().map(|person| person.user),
            Err(error) if error.kind() == ErrorKind::Unauthenticated => None,
            // Other errors leave the outcome open.
            Err(_) => return,
        };
        // A retried transaction may have another outcome; the first one suffices.
        let _noted = self.0.set(accepted);
    }
}

/// A counted request.
#[derive(Debug)]
pub(crate) struct RequestCharge<'a> {
    limits: &'a RateLimits,
    credential: Option<u128>,
    is_known: bool,
    credential_check: CredentialCheck,
    address_key: u128,
    now: Timestamp,
    taken: Option<TakenUnits<'a>>,
}

/// The units that a request took from a limit.
#[derive(Debug)]
struct TakenUnits<'a> {
    limit: &'a Limit,
    rate: Rate,
    bucket: Arc<Bucket>,
    state: BucketState,
    /// Units beyond the first.
    extra: u32,
}

impl<'a> RequestCharge<'a> {
    fn take(&mut self, limit: &'a Limit, bucket: impl FnOnce() -> Arc<Bucket>) {
        self.taken = limit.rate.map(|rate| {
            let bucket = bucket();
            let state = bucket.take(rate, self.now);
            TakenUnits { limit, rate, bucket, state, extra: 0 }
        });
    }

    /// Takes the units that a request costs beyond the first.
    ///
    /// # Errors
    /// 429 if fewer units are left.
    pub(crate) fn charge(&mut self, extra: u32) -> Result<()> {
        if let Some(taken) = self.taken.as_mut().filter(|_| extra > 0) {
            taken.state = taken.bucket.take_more(taken.rate, self.now, extra);
            taken.extra = if taken.state.is_within { extra } else { 0 };
        }
        self.refusal().map_or(Ok(()), Err)
    }

    /// Returns the error for a request over the limit, or `None`.
    pub(crate) fn refusal(&self) -> Option<Error> {
        let TakenUnits { limit, state, .. } =
            self.taken.as_ref().filter(|it| !it.state.is_within)?;
        let seconds = u32::try_from(state.seconds).unwrap_or(u32::MAX);
        let unit = if seconds == 1 { "second" } else { "seconds" };
        let error = Error::rate_limited(format!(
            "the limit of {} requests a minute {} is used up: retry in {seconds} {unit}",
            limit.requests, limit.scope
        ));
        Some(error.retry_after(seconds))
    }

    /// Returns the handle through which the outcome of the credential check is recorded.
    pub(crate) fn credential_check(&self) -> CredentialCheck {
        self.credential_check.clone()
    }

    /// Moves the units to the caller that the credential check has found.
    fn settle(&mut self) {
        let (Some(credential), Some(accepted)) = (self.credential, self.credential_check.0.get())
        else {
            return;
        };
        let (limits, extra) = (self.limits, self.taken.as_ref().map_or(0, |taken| taken.extra));
        match (self.is_known, accepted) {
            (true, Some(_)) | (false, None) => return,
            (false, Some(user)) => {
                if let Some(taken) = &self.taken {
                    taken.bucket.put_back(taken.rate, taken.extra.saturating_add(1));
                }
                let bucket = limits.users.bucket(user_key(*user));
                limits.credentials.insert(credential, Arc::clone(&bucket));
                self.take(&limits.users, || bucket);
            }
            (true, None) => {
                drop(limits.credentials.remove(&credential));
                let address_key = self.address_key;
                self.take(&limits.addresses, || limits.addresses.bucket(address_key));
            }
        }
        // The request is already answered. If too few units are left, the following ones are
        // refused.
        let _settled = self.charge(extra);
    }

    /// Adds the rate limit headers to the response.
    pub(crate) fn add_headers(mut self, response: &mut Response) {
        self.settle();
        let Some(TakenUnits { limit, state, .. }) = &self.taken else { return };
        let BucketState { is_within: _, remaining, seconds } = *state;
        let headers = response.headers_mut();
        let text = format!("\"{}\";r={remaining};t={seconds}", limit.name);
        if let Ok(text) = HeaderValue::try_from(text) {
            headers.insert(&STATE, text);
        }
        headers.insert(&POLICY, limit.policy.clone());
        headers.insert(&LIMIT, HeaderValue::from(limit.requests));
        headers.insert(&REMAINING, HeaderValue::from(remaining));
        headers.insert(&RESET, HeaderValue::from(seconds));
    }
}

#[cfg(test)]
mod tests;
