//! Bounds how often a password is tried and a link is asked for.
//!
//! Attempts are counted in the store, for all servers together. An attempt that is refused is not
//! counted, so that nobody uses up room beyond their own share:
//!
//! - A device that signed in to the account before has room of its own, wherever it is.
//! - Every network has room for each account, and room for all accounts together.
//! - An account has room for all networks that it is not known from. When that is used up, the
//!   right password still signs in from a network that the account was signed in from before.
//!
//! The response and its duration are the same whether or not the account exists.

use std::net::IpAddr;

use bindery_model::{Error, Result, Timestamp, UserId};
use bindery_store::sign_in_attempts::{self, AttemptScope};
use bindery_store::users::User;
use bindery_store::{Event, Tx, known_networks};

use crate::App;
use crate::sessions::{ClientInfo, record};

/// Period in milliseconds in which attempts are counted together.
const WINDOW: i64 = 15 * 60 * 1000;
/// Time in milliseconds that a network stays known: 90 days.
const KNOWN: i64 = 90 * 24 * 60 * 60 * 1000;

/// The kind of an attempt.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Attempt {
    /// A password.
    Password,
    /// To have a link mailed.
    Mail,
}

/// Attempts within the window.
struct Limits {
    /// From one device that is known, or for one account from one network.
    own: i64,
    /// For all accounts from one network.
    network: i64,
    /// For one account from all networks that it is not known from.
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

    /// Counts one more; the error is the refusal where there is no room.
    fn add(&self, tx: &Tx<'_>, now: Timestamp) -> Result<i64> {
        let attempts = sign_in_attempts::add(tx, &self.subject, now, begins(now))?;
        if attempts.count > self.limit {
            return Err(self.refusal(now, attempts.began_at));
        }
        Ok(attempts.count)
    }

    /// The refusal, where there is no room for one more.
    fn full(&self, tx: &Tx<'_>, now: Timestamp) -> Result<Option<Error>> {
        let tried = self.tried(tx, begins(now))?.filter(|attempts| attempts.count >= self.limit);
        Ok(tried.map(|attempts| self.refusal(now, attempts.began_at)))
    }

    fn refusal(&self, now: Timestamp, began_at: Timestamp) -> Error {
        // Of attempts at once a later one may have begun before the first.
        let left = began_at.millis() + WINDOW - now.millis();
        let seconds = u32::try_from((left.clamp(1, WINDOW) + 999) / 1000).unwrap_or(1);
        let limit = self.limit;
        Error::rate_limited(format!(
            "there were {limit} attempts within 15 minutes; the next is taken in {seconds} \
             seconds. A link in a mail signs in meanwhile"
        ))
        .retry_after(seconds)
    }
}

fn begins(now: Timestamp) -> Timestamp {
    now.plus_millis(-WINDOW)
}

/// The counts that an attempt is measured against.
#[derive(Clone, Debug)]
pub(super) struct Attempts {
    own: Count,
    network: Option<Count>,
    account: Option<Count>,
    /// True if the account was signed in to from this network.
    is_known: bool,
}

/// An attempt that was counted.
#[derive(Clone, Debug)]
pub(super) struct Counted {
    own: i64,
    account: Option<i64>,
    network: Option<i64>,
    /// The refusal, where unknown networks have used up the account's room.
    pub(super) exhausted: Option<Error>,
}

impl Attempts {
    /// The counts for a password of the account with this mail address, whose owner is `user` if
    /// there is one.
    pub(super) fn password(
        tx: &Tx<'_>,
        app: &App,
        email: &str,
        user: Option<&User>,
        client_info: &ClientInfo,
    ) -> Result<Self> {
        Self::new(tx, app, Attempt::Password, (email, user), client_info)
    }

    /// The same for a link that is asked for.
    pub(super) fn mail(
        tx: &Tx<'_>,
        app: &App,
        email: &str,
        user: Option<&User>,
        client_info: &ClientInfo,
    ) -> Result<Self> {
        Self::new(tx, app, Attempt::Mail, (email, user), client_info)
    }

    /// The count for the present password, shown by somebody who is signed in.
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

    /// Refuses an attempt for which there is no room, without writing anything.
    pub(super) fn check(&self, tx: &Tx<'_>, now: Timestamp) -> Result<()> {
        for count in [Some(&self.own), self.network.as_ref()].into_iter().flatten() {
            if let Some(refusal) = count.full(tx, now)? {
                return Err(refusal);
            }
        }
        Ok(())
    }

    /// Counts an attempt before it is made, so that many at once count too. The error is a refusal,
    /// with which the transaction ends and nothing is counted.
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

    /// Returns whether the password is looked at although the account's room is used up.
    pub(super) const fn is_known(&self) -> bool {
        self.is_known
    }

    /// Takes an attempt back that went well.
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

    /// The counts that a failure has brought to their beginning or to their limit: what is worth a
    /// line in the log and an audit event, so that neither can be flooded.
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

/// A failure that is told.
#[derive(Clone, Copy, Debug)]
struct Failure {
    scope: AttemptScope,
    tried: i64,
    limit: i64,
}

/// Logs a wrong password, and records it for the administrators of the account's organizations: the
/// first within the window, and the one that uses up the room.
pub(super) async fn failed(
    app: &App,
    (attempts, counted): (&Attempts, &Counted),
    user: Option<UserId>,
    client_info: &ClientInfo,
) -> Result<()> {
    let notable = attempts.notable(counted);
    for Failure { scope, tried, limit } in &notable {
        // The address that was typed is not told: people type passwords there.
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
                // The duration does not reveal if the account exists.
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

/// Notes that somebody signed in from here. Returns the value of the cookie that gives the device
/// room of its own.
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

/// The cookie of a device that signed in to the account of this person before.
fn device<'a>(app: &App, client_info: &'a ClientInfo, user: &User) -> Option<&'a str> {
    let device = client_info.device.as_deref()?;
    (app.secrets.device_of(device) == Some(user.id)).then_some(device)
}

fn network_hash(app: &App, network: &str) -> [u8; 32] {
    app.secrets.attempt(&["known network", network])
}

/// The network that an address stands for: with IPv6 one line has very many addresses.
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
