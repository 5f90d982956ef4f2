//! How often somebody may try.

use std::net::IpAddr;

use bindery_model::{Error, Result, Timestamp};
use bindery_store::{Tx, sign_in_attempts};

/// How long attempts are counted together.
const WINDOW: i64 = 15 * 60 * 1000;

/// What is tried.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Attempt {
    /// A password.
    Password,
    /// To have a link mailed.
    Mail,
}

impl Attempt {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Password => "password",
            Self::Mail => "mail",
        }
    }

    /// How often it may be tried within the window: for one account from one address, for one
    /// account from anywhere, for all accounts from one address.
    const fn limits(self) -> [i64; 3] {
        match self {
            Self::Password => [10, 100, 300],
            Self::Mail => [5, 20, 60],
        }
    }
}

/// The counts that an attempt adds to.
pub(super) struct Subjects {
    attempt: Attempt,
    hashes: [[u8; 32]; 3],
}

impl Subjects {
    /// Of an attempt for the account with this mail address, from an address.
    pub(super) fn new(attempt: Attempt, email: &str, from: IpAddr) -> Self {
        let (email, from) = (email.to_lowercase(), network(from));
        let of = |email: &str, from: &str| {
            let mut hasher = blake3::Hasher::new_derive_key("bindery 2026 sign-in attempts");
            for part in [attempt.as_str(), email, from] {
                hasher.update(part.as_bytes()).update(b"\0");
            }
            *hasher.finalize().as_bytes()
        };
        Self { attempt, hashes: [of(&email, &from), of(&email, ""), of("", &from)] }
    }

    /// Counts the attempt before it is made, so that many at once count too; the refusal where
    /// there were too many. It is a value, as the count has to stay.
    pub(super) fn count(&self, tx: &Tx<'_>, now: Timestamp) -> Result<Result<()>> {
        let since = Timestamp::from_millis(now.millis() - WINDOW);
        let mut refused = Ok(());
        for (hash, limit) in self.hashes.iter().zip(self.attempt.limits()) {
            let attempts = sign_in_attempts::add(tx, hash, now, since)?;
            if attempts.tried > limit {
                // Of attempts at once a later one may have begun before the first.
                let left = attempts.began_at.millis() + WINDOW - now.millis();
                let seconds = u32::try_from((left.clamp(1, WINDOW) + 999) / 1000).unwrap_or(1);
                refused = Err(Error::rate_limited(format!(
                    "there were more than {limit} attempts within 15 minutes; the next is taken \
                     in {seconds} seconds"
                ))
                .retry_after(seconds));
            }
        }
        Ok(refused)
    }

    /// Takes an attempt back that went well.
    pub(super) fn forgive(&self, tx: &Tx<'_>) -> Result<()> {
        let [own, account, address] = &self.hashes;
        sign_in_attempts::forget(tx, own)?;
        sign_in_attempts::take_back(tx, account)?;
        sign_in_attempts::take_back(tx, address)?;
        Ok(())
    }
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
}
