//! Rules for passwords, their hashes, and changes of a password.

use std::sync::Arc;

use argon2::Argon2;
use argon2::password_hash::phc::PasswordHash;
use argon2::password_hash::{PasswordHasher as _, PasswordVerifier as _};
use bindery_model::{Error, FieldPath, Result, Timestamp};
use bindery_store::users::User;
use bindery_store::{Event, Origin, Source, passwords, sessions};
use tokio::sync::Semaphore;
use unicode_normalization::UnicodeNormalization as _;
use zxcvbn::{Score, zxcvbn};

use super::attempts::{self, Attempts};
use crate::access::credentials::{self, Credentials};
use crate::access::{Action, Authorized, Person, SignedIn, authorize_target};
use crate::people::sessions::{ClientInfo, SignInMethod, current_id, end_all, record};
use crate::{App, Context, people::users};

/// Permitted number of characters of a password.
const LENGTH: std::ops::RangeInclusive<usize> = 10..=256;
/// Time in milliseconds after the use of a sign-in link in which the current password is not
/// required.
const FRESH: i64 = 15 * 60 * 1000;
/// Limits the number of passwords that are hashed at once. Each hash needs 19 MiB of memory and all
/// of a core.
static HASHED_AT_ONCE: Semaphore = Semaphore::const_new(2);
/// A hash that no password matches, with the parameters of stored hashes.
const DUMMY_HASH: &str = "$argon2id$v=19$m=19456,t=2,p=1$bm9ib2R5J3MgcGFzc3dvcmQ\
                       $ZXZlcnkgcGFzc3dvcmQgaXMgd3JvbmcgZm9yIGl0ISE";

/// Returns `true` if the caller has a password.
///
/// # Errors
/// Returns an error if the store fails.
pub fn has_password(cx: &Context<'_>) -> Result<bool> {
    let Some(user) = cx.user() else { return Ok(false) };
    Ok(passwords::get(cx.tx, user)?.is_some())
}

/// Runs the hashing of a password on a blocking thread, within the limit of [`HASHED_AT_ONCE`].
async fn apart<T: Send + 'static>(work: impl FnOnce() -> Result<T> + Send + 'static) -> Result<T> {
    let _turn = HASHED_AT_ONCE.acquire().await.map_err(|_| Error::internal("no turn to hash"))?;
    let done = tokio::task::spawn_blocking(work).await;
    done.map_err(|error| Error::internal(format!("hashing a password failed: {error}")))?
}

/// Returns `true` if a password matches the hash. Without a hash it returns `false` after the same
/// time.
pub(super) async fn verify(password: String, hash: Option<String>) -> Result<bool> {
    apart(move || {
        let known = hash.is_some();
        let hash = hash.as_deref().unwrap_or(DUMMY_HASH);
        let hash = PasswordHash::new(hash)
            .map_err(|error| Error::internal(format!("a stored password: {error}")))?;
        Ok(Argon2::default().verify_password(&bytes(&password), &hash).is_ok() && known)
    })
    .await
}

/// Returns the bytes of a password that are hashed. Unicode normalisation makes them independent of
/// the keyboard.
fn bytes(password: &str) -> Vec<u8> {
    password.nfc().collect::<String>().into_bytes()
}

/// Refuses passwords of a wrong length and passwords that are easy to guess, such as those on lists
/// of leaked passwords.
fn check(password: &str, user: &User) -> Result<()> {
    let length = password.chars().count();
    if !LENGTH.contains(&length) {
        return Err(Error::invalid(format!(
            "found {length} characters, allowed: {} to {}",
            LENGTH.start(),
            LENGTH.end()
        ))
        .at(FieldPath::new("/password")));
    }
    let mut own = vec!["bindery", user.email.as_str(), user.display_name.as_str()];
    own.extend(user.email.split(['@', '.', '-', '_', '+']));
    own.extend(user.display_name.split_whitespace());
    let strength = zxcvbn(password, &own);
    if strength.score() >= Score::Three {
        return Ok(());
    }
    let why = strength.feedback().and_then(zxcvbn::feedback::Feedback::warning);
    let why = why.map(|warning| format!(" {warning}")).unwrap_or_default();
    Err(Error::invalid(format!(
        "this is guessed too easily, allowed: a password that is on no list of \
         leaked passwords and takes more than 100,000,000 guesses, such as four random words.{why}"
    ))
    .at(FieldPath::new("/password")))
}

/// A request to set a password.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NewPassword {
    /// The new password.
    pub password: String,
    /// The current password.
    pub current: Option<String>,
}

/// Sets the password of the caller and ends the caller's other sessions.
///
/// # Errors
/// Returns 400 for a password that is easy to guess; 403 if the current password is wrong, and for
/// limited tokens; 409 if the current password is required, or has changed meanwhile; 429 after too
/// many attempts.
pub async fn set_password(
    app: &Arc<App>,
    credentials: Option<Credentials>,
    client: ClientInfo,
    new: NewPassword,
) -> Result<()> {
    let (seen, asked, current) = (Arc::clone(app), credentials.clone(), new.current.clone());
    let (user, stored, counted) = app
        .store
        .write(move |tx| {
            let (caller, _) = credentials::authenticate(tx, &seen, asked.as_ref())?;
            let cx = Context { tx, app: &seen, caller: &caller };
            allowed(&cx)?;
            let user = users::caller(&cx)?;
            let stored = passwords::get(tx, user.id)?;
            if stored.is_none() || is_fresh(&cx)? {
                return Ok((user, stored, None));
            }
            if current.is_none() {
                return Err(Error::conflict(
                    "you have a password: send it, or sign in by a \
                     mailed link and set another one within 15 minutes",
                )
                .at(FieldPath::new("/currentPassword")));
            }
            let counted = Attempts::own_password(&seen, user.id).count(tx, cx.now())?;
            Ok::<_, Error>((user, stored, Some(counted)))
        })
        .await?;
    check(&new.password, &user)?;
    let attempts = Attempts::own_password(app, user.id);
    if let Some(counted) = &counted
        && !verify(new.current.unwrap_or_default(), stored.clone()).await?
    {
        attempts::failed(app, (&attempts, counted), Some(user.id), &client).await?;
        return Err(
            Error::forbidden("this is not your password").at(FieldPath::new("/currentPassword"))
        );
    }
    let salt: [u8; 16] = app.entropy.bytes();
    let hash = apart(move || {
        let hash: PasswordHash = Argon2::default()
            .hash_password_with_salt(&bytes(&new.password), &salt)
            .map_err(|error| Error::internal(format!("a new password: {error}")))?;
        Ok(hash.to_string())
    })
    .await?;
    let app = Arc::clone(app);
    let store = app.store.clone();
    store
        .write(move |tx| {
            let (caller, _) = credentials::authenticate(tx, &app, credentials.as_ref())?;
            let cx = Context { tx, app: &app, caller: &caller };
            let person = allowed(&cx)?;
            if passwords::get(tx, person.user)? != stored {
                return Err(Error::conflict("the password was changed at the same time"));
            }
            let token = person.credential.token();
            tx.set_origin(Origin { source: Source::Api, address: Some(client.address), token });
            if let Some(counted) = &counted {
                attempts.forgive(tx, counted)?;
            }
            passwords::set(tx, person.user, &hash, cx.now())?;
            record(tx, person.user, person.user, Event::PasswordSet { user: person.user })?;
            end_all(tx, cx.now(), person.user, Some(person.credential))
        })
        .await
}

/// Returns the caller, if the caller may change a password.
fn allowed<'a>(cx: &Context<'a>) -> Result<&'a Person> {
    authorize_target::<SignedIn>(cx.tx, cx.caller, Action::ManageSelf, Some(&()))?;
    let person = cx.caller.person().ok_or_else(|| Error::not_found("user"))?;
    person.require_lasting("set a password")?;
    Ok(person)
}

/// Returns `true` if the caller's session began with a sign-in link less than 15 minutes ago.
fn is_fresh(cx: &Context<'_>) -> Result<bool> {
    let (Some(user), Some(session)) = (cx.user(), current_id(cx)) else { return Ok(false) };
    let since = Timestamp::from_millis(cx.now().millis() - FRESH);
    let found = sessions::get(cx.tx, user, session, cx.now())?;
    Ok(found.is_some_and(|found| found.method == SignInMethod::Link && found.created_at >= since))
}

/// Removes the password of the caller, who can then sign in with links. It requires a recent
/// sign-in with a link, as setting a password without the current one does; otherwise callers could
/// avoid that requirement by removing the password first.
///
/// # Errors
/// Returns 403 for limited tokens; 404 if the caller has no password; 409 without a recent sign-in
/// with a link.
pub fn remove_password(cx: &Context<'_>, _: &Authorized<SignedIn>) -> Result<()> {
    let person = cx.caller.person().ok_or_else(|| Error::not_found("user"))?;
    person.require_lasting("remove a password")?;
    if passwords::get(cx.tx, person.user)?.is_none() {
        return Err(Error::not_found("password"));
    }
    if !is_fresh(cx)? {
        return Err(Error::conflict(
            "a password can be removed only within 15 minutes after signing in by a link",
        ));
    }
    passwords::delete(cx.tx, person.user)?;
    record(cx.tx, person.user, person.user, Event::PasswordRemoved { user: person.user })
}
