//! Limits of attempts to sign in with a password and of requests for a link.
//!
//! Attempts are counted in the store, for all servers together. A refused attempt is not counted,
//! so that a client that has reached one limit does not use up the others:
//!
//! - A device that signed in to the account before has its own limit, in every network.
//! - Every network has a limit for each account, and one for all accounts together.
//! - An account has a limit for all unknown networks together. When it is reached, the right
//!   password still signs in from a known network, which is one with an earlier sign-in to the
//!   account.
//!
//! The response and its duration do not depend on the existence of the account.

use std::net::IpAddr;

use bindery_model::{Error, Result, Timestamp, UserId};
use bindery_store::sign_in_attempts::{self, AttemptScope};
use bindery_store::users::User;
use bindery_store::{Event, Tx, known_networks};

use crate::App;
use crate::people::sessions::{ClientInfo, record};

/// Period in which attempts are counted together, in milliseconds.
const WINDOW: i64 = 15 * 60 * 1000;
/// Time that a network stays known, in milliseconds: 90 days.
const KNOWN: i64 = 90 * 24 * 60 * 60 * 1000;

/// The kind of an attempt.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Attempt {
    /// A sign-in with a password.
    Password,
    /// A request for a link by mail.
    Mail,
}

/// Maximum numbers of attempts within the window.
struct Limits {
    /// Attempts of one known device, or for one account from one network.
    own: i64,
    /// Attempts for all accounts from one network.
    network: i64,
    /// Attempts for one account from all unknown networks.
    account: i64,
}

impl Attempt {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Password => "password",
            Self::Mail => "mail",
        }
    }

    const fn limits(self) -> Limits {
        match self {
            Self::Password => Limits { own: 10, network: 100, account: 100 },
            Self::Mail => Limits { own: 5, network: 60, account: 8 },
        }
    }
}

/// A count and its limit.
#[derive(Clone, Copy, Debug)]
struct Count {
    subject: [u8; 32],
    scope: AttemptScope,
    limit: i64,
}

impl Count {
    fn tried(&self, tx: &Tx<'_>, since: Timestamp) -> Result<Option<sign_in_attempts::Attempts>> {
        Ok(sign_in_attempts::get(tx, &self.subject, since)?)
    }

    /// Counts one attempt. Fails with the refusal if the limit is exceeded.
    fn add(&self, tx: &Tx<'_>, now: Timestamp) -> Result<i64> {
        let attempts = sign_in_attempts::add(tx, &self.subject, now, begins(now))?;
        if attempts.count > self.limit {
            return Err(self.refusal(now, attempts.began_at));
        }
        Ok(attempts.count)
    }

    /// Returns the refusal of the next attempt if the limit is reached.
    fn full(&self, tx: &Tx<'_>, now: Timestamp) -> Result<Option<Error>> {
        let tried = self.tried(tx, begins(now))?.filter(|attempts| attempts.count >= self.limit);
        Ok(tried.map(|attempts| self.refusal(now, attempts.began_at)))
    }

    fn refusal(&self, now: Timestamp, began_at: Timestamp) -> Error {
        // A concurrent attempt may have an earlier `now` than the first counted one.
        let left = began_at.millis() + WINDOW - now.millis();
        let seconds = u32::try_from((left.clamp(1, WINDOW) + 999) / 1000).unwrap_or(1);
        let limit = self.limit;
        Error::rate_limited(format!(
            "there were {limit} attempts within 15 minutes; retry in {seconds} seconds, or sign \
             in by a mailed link"
        ))
        .retry_after(seconds)
    }
}

/// Returns the start of the window that ends now.
fn begins(now: Timestamp) -> Timestamp {
    now.plus_millis(-WINDOW)
}

/// The counts whose limits apply to an attempt.
#[derive(Clone, Debug)]
pub(super) struct Attempts {
    own: Count,
    network: Option<Count>,
    account: Option<Count>,
    /// `true` for a known device or a known network.
    is_known: bool,
}

/// The numbers after an attempt was counted.
#[derive(Clone, Debug)]
pub(super) struct Counted {
    own: i64,
    account: Option<i64>,
    network: Option<i64>,
    /// The refusal, if attempts from unknown networks have reached the account's limit.
    pub(super) exhausted: Option<Error>,
}

impl Attempts {
    /// Returns the counts for a sign-in with a password. `user` is the owner of the mail address,
    /// if there is one.
    pub(super) fn password(
        tx: &Tx<'_>,
        app: &App,
        email: &str,
        user: Option<&User>,
        client_info: &ClientInfo,
    ) -> Result<Self> {
        Self::new(tx, app, Attempt::Password, (email, user), client_info)
    }

    /// Returns the counts for a request for a link. `user` is the owner of the mail address, if
    /// there is one.
    pub(super) fn mail(
        tx: &Tx<'_>,
        app: &App,
        email: &str,
        user: Option<&User>,
        client_info: &ClientInfo,
    ) -> Result<Self> {
        Self::new(tx, app, Attempt::Mail, (email, user), client_info)
    }

    /// Returns the count for attempts of a signed-in user to enter their current password.
    pub(super) fn own_password(app: &App, user: UserId) -> Self {
        let subject = app.secrets.attempt(&["own password", user.as_str()]);
        let limit = Attempt::Password.limits().own;
        let own = Count { subject, scope: AttemptScope::Session, limit };
        Self { own, network: None, account: None, is_known: true }
    }

    fn new(
        tx: &Tx<'_>,
        app: &App,
        attempt: Attempt,
        (email, user): (&str, Option<&User>),
        client_info: &ClientInfo,
    ) -> Result<Self> {
        let email = email.to_lowercase();
        let network = network(client_info.address);
        let limits = attempt.limits();
        let count = |scope: AttemptScope, parts: &[&str], limit: i64| {
            let parts = [&[attempt.as_str(), scope.as_str()], parts].concat();
            Count { subject: app.secrets.attempt(&parts), scope, limit }
        };
        if let Some(user) = user
            && let Some(device) = device(app, client_info, user)
        {
            let own = count(AttemptScope::Device, &[user.id.as_str(), device], limits.own);
            return Ok(Self { own, network: None, account: None, is_known: true });
        }
        let is_known = match user {
            Some(user) => {
                let since = app.clock.now().plus_millis(-KNOWN);
                known_networks::is_known(tx, user.id, &network_hash(app, &network), since)?
            }
            None => false,
        };
        Ok(Self {
            own: count(AttemptScope::Network, &[&email, &network], limits.own),
            network: Some(count(AttemptScope::Network, &[&network], limits.network)),
            account: Some(count(AttemptScope::Account, &[&email], limits.account)),
            is_known,
        })
    }

    /// Refuses an attempt if a limit is reached, without writing anything.
    pub(super) fn check(&self, tx: &Tx<'_>, now: Timestamp) -> Result<()> {
        for count in [Some(&self.own), self.network.as_ref()].into_iter().flatten() {
            if let Some(refusal) = count.full(tx, now)? {
                return Err(refusal);
            }
        }
        Ok(())
    }

    /// Counts an attempt before it is made, so that concurrent attempts are counted too. If it
    /// fails with a refusal, the transaction must be rolled back, so that the attempt is not
    /// counted.
    pub(super) fn count(&self, tx: &Tx<'_>, now: Timestamp) -> Result<Counted> {
        let own = self.own.add(tx, now)?;
        let network = self.network.map(|count| count.add(tx, now)).transpose()?;
        let mut counted = Counted { own, account: None, network, exhausted: None };
        if let Some(account) = &self.account {
            counted.exhausted = account.full(tx, now)?;
            if counted.exhausted.is_none() && !self.is_known {
                counted.account = Some(account.add(tx, now)?);
            }
        }
        Ok(counted)
    }

    /// Returns `true` if the password is checked although the account's limit is reached.
    pub(super) const fn is_known(&self) -> bool {
        self.is_known
    }

    /// Removes a successful attempt from the counts.
    pub(super) fn forgive(&self, tx: &Tx<'_>, counted: &Counted) -> Result<()> {
        sign_in_attempts::delete(tx, &self.own.subject)?;
        if let Some(network) = &self.network {
            sign_in_attempts::decrement(tx, &network.subject)?;
        }
        if let (Some(account), Some(_)) = (&self.account, counted.account) {
            sign_in_attempts::decrement(tx, &account.subject)?;
        }
        Ok(())
    }

    /// Returns the counts that this failure began or brought to their limit. Only these are logged
    /// and audited, so that attackers cannot flood the log.
    fn notable(&self, counted: &Counted) -> Vec<Failure> {
        let counts = [
            (Some(self.own), Some(counted.own)),
            (self.account, counted.account),
            (self.network, counted.network),
        ];
        let counts = counts.into_iter().filter_map(|(count, tried)| Some((count?, tried?)));
        let mut notable = Vec::new();
        for (index, (Count { scope, limit, .. }, tried)) in counts.enumerate() {
            let is_first = index == 0 && tried == 1;
            if is_first || tried == limit {
                notable.push(Failure { scope, tried, limit });
            }
        }
        notable
    }
}

/// A failure that is logged and audited.
#[derive(Clone, Copy, Debug)]
struct Failure {
    scope: AttemptScope,
    tried: i64,
    limit: i64,
}

/// Logs a wrong password and records it for the administrators of the account's organizations, if
/// it is the first within the window or reaches a limit.
pub(super) async fn failed(
    app: &App,
    (attempts, counted): (&Attempts, &Counted),
    user: Option<UserId>,
    client_info: &ClientInfo,
) -> Result<()> {
    let notable = attempts.notable(counted);
    for Failure { scope, tried, limit } in &notable {
        // The entered mail address is not logged, because people enter passwords there by mistake.
        let account = user.map_or_else(|| "unknown".to_owned(), |user| user.to_string());
        let (client, of) = (client_info.address, scope.as_str());
        tracing::warn!(%client, account, of, tried, limit, "sign_in_failed");
    }
    if notable.is_empty() {
        return Ok(());
    }
    let (client_info, own, now) = (client_info.clone(), attempts.own.subject, app.clock.now());
    app.store
        .write(move |tx| {
            let Some(user) = user else {
                // Writes as much as for an account, so that the duration does not reveal that there
                // is none.
                sign_in_attempts::add(tx, &own, now, begins(now))?;
                return Ok(sign_in_attempts::decrement(tx, &own)?);
            };
            super::comes_from(tx, &client_info);
            for Failure { scope, tried, limit } in &notable {
                let (of, attempts, limit) = (*scope, *tried, *limit);
                let event = Event::SignInFailed { user, of, attempts, limit };
                record(tx, None, user, event)?;
            }
            Ok::<_, Error>(())
        })
        .await
}

/// Remembers the network of a sign-in. Returns the value of the cookie that gives the device its
/// own limit.
pub(super) fn remember(
    tx: &Tx<'_>,
    app: &App,
    user: &User,
    client_info: &ClientInfo,
) -> Result<String> {
    let now = app.clock.now();
    let network = network_hash(app, &network(client_info.address));
    known_networks::remember(tx, user.id, &network, now, now.plus_millis(-KNOWN))?;
    Ok(match device(app, client_info, user) {
        Some(device) => device.to_owned(),
        None => app.secrets.device(user.id, &app.entropy),
    })
}

/// Returns the cookie of a device that signed in to this account before.
fn device<'a>(app: &App, client_info: &'a ClientInfo, user: &User) -> Option<&'a str> {
    let device = client_info.device.as_deref()?;
    (app.secrets.device_of(device) == Some(user.id)).then_some(device)
}

/// Returns the keyed hash under which a known network is stored.
fn network_hash(app: &App, network: &str) -> [u8; 32] {
    app.secrets.attempt(&["known network", network])
}

/// Returns the network of an address. For IPv6 it is the first 64 bits, because one subscriber has
/// all addresses below them.
fn network(address: IpAddr) -> String {
    match address.to_canonical() {
        IpAddr::V4(address) => address.to_string(),
        IpAddr::V6(address) => {
            let [a, b, c, d, ..] = address.segments();
            format!("{a:x}:{b:x}:{c:x}:{d:x}::/64")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_ipv6_is_one_network() {
        let of = |text: &str| network(text.parse().unwrap());
        assert_eq!(of("2001:db8:1:2::1"), of("2001:db8:1:2:ffff::9"));
        assert_ne!(of("2001:db8:1:2::1"), of("2001:db8:1:3::1"));
        assert_eq!(of("::ffff:192.0.2.1"), of("192.0.2.1"));
    }

    #[test]
    fn a_flood_of_failures_is_told_twice() {
        let count = |scope, limit| Count { subject: [0; 32], scope, limit };
        let attempts = Attempts {
            own: count(AttemptScope::Network, 10),
            network: Some(count(AttemptScope::Network, 100)),
            account: Some(count(AttemptScope::Account, 100)),
            is_known: false,
        };
        let told: Vec<i64> = (1..=10)
            .flat_map(|tried| {
                let counted = Counted {
                    own: tried,
                    account: Some(tried + 20),
                    network: Some(tried + 20),
                    exhausted: None,
                };
                attempts.notable(&counted)
            })
            .map(|failure| failure.tried)
            .collect();
        assert_eq!(told, [1, 10]);
    }
}
