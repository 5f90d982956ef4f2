//! Signatures, hashes and encryption with the server's secrets.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use bindery_model::{
    Entropy, FileId, Id, InvitationId, RevisionId, SignInLinkId, SiteId, SpaceId, Timestamp, UserId,
};
use bindery_revision::Hash;
use bindery_store::Tx;
use chacha20poly1305::aead::Aead;
use chacha20poly1305::{KeyInit, XChaCha20Poly1305, XNonce};

const DAY: i64 = 24 * 60 * 60 * 1000;

/// A file that a signed address refers to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Download {
    /// The space of the file.
    pub space: SpaceId,
    /// The file.
    pub file: FileId,
    /// The revision of the file; `None` for the main content at the time of the download.
    pub revision: Option<RevisionId>,
}

/// The channel by which the secret of an invitation is delivered.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum InvitedBy {
    /// A mail to the invited address.
    Mail,
    /// A user who can see the secret passes it on.
    Hand,
}

impl InvitedBy {
    const fn mark(self) -> &'static str {
        match self {
            Self::Mail => "m",
            Self::Hand => "h",
        }
    }
}

/// The secret keys of the server. All of them are derived from the sealing key, which is in a file
/// or in the configuration. A copy of the database is therefore not enough to sign, guess or open
/// anything.
pub struct Secrets {
    signatures: [u8; 32],
    documents: [u8; 32],
    cursors: [u8; 32],
    invitations: [u8; 32],
    sign_in: [u8; 32],
    devices: [u8; 32],
    attempts: [u8; 32],
    readers: [u8; 32],
    share_keys: [u8; 32],
    visitor_keys: [u8; 32],
    previews: [u8; 32],
    site_tokens: [u8; 32],
    sealing: XChaCha20Poly1305,
}

impl std::fmt::Debug for Secrets {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Secrets")
    }
}

impl Secrets {
    /// Derives the keys of a store. The salt is in the database of the store.
    ///
    /// # Errors
    /// Returns an error if the store fails.
    pub fn of_store(tx: &Tx<'_>, sealing: &[u8; 32]) -> bindery_model::Result<Self> {
        Ok(Self::new(&tx.secret(SALT)?, sealing))
    }

    /// Derives the keys from the sealing key. The salt is not secret. It makes the keys of two
    /// stores with the same sealing key different.
    pub fn new(salt: &[u8; 32], sealing: &[u8; 32]) -> Self {
        let derive = |purpose: &str| {
            let mut hasher = blake3::Hasher::new_derive_key(purpose);
            *hasher.update(sealing).update(salt).finalize().as_bytes()
        };
        Self {
            signatures: derive("bindery 2026 signed downloads"),
            documents: derive("bindery 2026 document ids"),
            cursors: derive("bindery 2026 list cursors"),
            invitations: derive("bindery 2026 invitations"),
            sign_in: derive("bindery 2026 sign-in links"),
            devices: derive("bindery 2026 sign-in devices"),
            attempts: derive("bindery 2026 sign-in attempts"),
            readers: derive("bindery 2026 readers of sites"),
            share_keys: derive("bindery 2026 share keys of sites"),
            visitor_keys: derive("bindery 2026 signing keys of sites"),
            previews: derive("bindery 2026 previews of sites"),
            site_tokens: derive("bindery 2026 tokens of published sites"),
            sealing: XChaCha20Poly1305::new(sealing.into()),
        }
    }

    /// Encrypts a text so that only a server with the same key can read it.
    ///
    /// # Errors
    /// Returns an error if the text is too long for the cipher.
    pub fn seal(&self, entropy: &Entropy, text: &str) -> bindery_model::Result<String> {
        let nonce: [u8; 24] = entropy.bytes();
        let sealed = self
            .sealing
            .encrypt(&XNonce::from(nonce), text.as_bytes())
            .map_err(|_| bindery_model::Error::internal("could not seal a secret"))?;
        Ok(URL_SAFE_NO_PAD.encode([nonce.as_slice(), &sealed].concat()))
    }

    /// Decrypts a text that [`Self::seal`] returned; returns `None` if the key or the text is
    /// wrong.
    pub fn open(&self, sealed: &str) -> Option<String> {
        let bytes = URL_SAFE_NO_PAD.decode(sealed).ok()?;
        let (nonce, text) = bytes.split_at_checked(24)?;
        let nonce: [u8; 24] = nonce.try_into().ok()?;
        String::from_utf8(self.sealing.decrypt(&XNonce::from(nonce), text).ok()?).ok()
    }

    /// Returns the id of a document in a space. It does not reveal the object, and the same object
    /// has a different id in each space.
    pub fn document_id(&self, space: SpaceId, object: &Hash) -> String {
        let tag = self.document_tag(space, object);
        let mut hidden = *object.as_bytes();
        self.mask(&tag, &mut hidden);
        URL_SAFE_NO_PAD.encode([tag.as_slice(), &hidden].concat())
    }

    /// Returns the object of a document's id; `None` if the id is not from this space.
    pub fn document(&self, space: SpaceId, id: &str) -> Option<Hash> {
        let bytes = URL_SAFE_NO_PAD.decode(id).ok()?;
        let (tag, hidden) = bytes.split_at_checked(16)?;
        let tag: [u8; 16] = tag.try_into().ok()?;
        let mut object: [u8; 32] = hidden.try_into().ok()?;
        self.mask(&tag, &mut object);
        let object = Hash::from_bytes(&object)?;
        constant_time_eq::constant_time_eq(&tag, &self.document_tag(space, &object))
            .then_some(object)
    }

    /// Returns the version of an object for ETags. It does not reveal the hash.
    pub fn version_of(&self, object: &Hash) -> Id {
        Id::derived(keyed(&self.documents, &[b"version", object.as_bytes()]).as_bytes())
    }

    fn document_tag(&self, space: SpaceId, object: &Hash) -> [u8; 16] {
        first(&self.documents, &[b"tag", space.as_bytes(), object.as_bytes()])
    }

    fn mask(&self, tag: &[u8; 16], bytes: &mut [u8; 32]) {
        let mask = keyed(&self.documents, &[b"mask", tag]);
        for (byte, mask) in bytes.iter_mut().zip(mask.as_bytes()) {
            *byte ^= mask;
        }
    }

    /// Returns the query of a signed download. It is valid for one to two days and stays the same
    /// within a day.
    pub fn download_query(&self, of: &Download, now: Timestamp) -> String {
        let expires = (now.millis().div_euclid(DAY) + 2) * DAY / 1000;
        let signature = URL_SAFE_NO_PAD.encode(self.download_signature(of, expires));
        format!("exp={expires}&sig={signature}")
    }

    /// Returns `true` if the signature of a download is valid.
    pub fn download_allowed(
        &self,
        of: &Download,
        now: Timestamp,
        expires: i64,
        signature: &str,
    ) -> bool {
        let expected = self.download_signature(of, expires);
        let Ok(given) = URL_SAFE_NO_PAD.decode(signature) else {
            return false;
        };
        constant_time_eq::constant_time_eq(&given, &expected) && now.millis() / 1000 < expires
    }

    fn download_signature(&self, of: &Download, expires: i64) -> [u8; 16] {
        let Download { space, file, revision } = of;
        let revision = revision.as_ref().map_or(&[][..], |revision| revision.as_bytes());
        let expires = expires.to_be_bytes();
        first(&self.signatures, &[space.as_bytes(), file.as_bytes(), &expires, revision])
    }

    /// Returns the secret that accepts an invitation. It depends on the way of delivery: only the
    /// one in the mail proves the possession of the address.
    pub fn invitation(&self, id: InvitationId, way: InvitedBy) -> String {
        let tag: [u8; 16] = first(&self.invitations, &[way.mark().as_bytes(), id.as_bytes()]);
        format!("{}{id}{}", way.mark(), URL_SAFE_NO_PAD.encode(tag))
    }

    /// Returns the invitation and the channel of a secret; `None` if the secret is invalid.
    pub fn invited(&self, text: &str) -> Option<(InvitationId, InvitedBy)> {
        let way = [InvitedBy::Mail, InvitedBy::Hand]
            .into_iter()
            .find(|way| text.starts_with(way.mark()))?;
        let id = InvitationId::parse(text.get(1..=Id::LEN)?)?;
        let expected = self.invitation(id, way);
        equal(text.as_bytes(), expected.as_bytes()).then_some((id, way))
    }

    /// Returns the secret of a sign-in link, which works once.
    pub fn sign_in(&self, id: SignInLinkId) -> String {
        let tag: [u8; 16] = first(&self.sign_in, &[id.as_bytes()]);
        format!("{id}{}", URL_SAFE_NO_PAD.encode(tag))
    }

    /// Returns the sign-in link of a secret; `None` if the secret is invalid.
    pub fn signs_in(&self, text: &str) -> Option<SignInLinkId> {
        let id = SignInLinkId::parse(text.get(..Id::LEN)?)?;
        equal(text.as_bytes(), self.sign_in(id).as_bytes()).then_some(id)
    }

    /// Returns a cookie for a new device on which a user has signed in.
    pub fn device(&self, user: UserId, entropy: &Entropy) -> String {
        let nonce = Id::random(entropy);
        format!("{user}{nonce}{}", self.device_tag(&format!("{user}{nonce}")))
    }

    /// Returns the user who signed in on the device with this cookie; `None` if the cookie is
    /// invalid.
    pub fn device_of(&self, cookie: &str) -> Option<UserId> {
        let (named, tag) = cookie.split_at_checked(2 * Id::LEN)?;
        let user = UserId::parse(named.get(..Id::LEN)?)?;
        equal(tag.as_bytes(), self.device_tag(named).as_bytes()).then_some(user)
    }

    fn device_tag(&self, named: &str) -> String {
        URL_SAFE_NO_PAD.encode(first(&self.devices, &[named.as_bytes()]))
    }

    /// Returns the key by which attempts to sign in are counted. It does not reveal the attempted
    /// addresses to readers of the database.
    pub fn attempt(&self, parts: &[&str]) -> [u8; 32] {
        let mut hasher = blake3::Hasher::new_keyed(&self.attempts);
        for part in parts {
            hasher.update(&(part.len() as u64).to_be_bytes()).update(part.as_bytes());
        }
        *hasher.finalize().as_bytes()
    }

    /// Returns a digest that stands for a reader or a network in the feedback on a site's pages.
    pub fn reader_digest(&self, parts: &[&str]) -> String {
        let hash = self.reader_hash(parts);
        URL_SAFE_NO_PAD.encode(hash.as_bytes().get(..16).unwrap_or_default())
    }

    /// Returns a number that stands for a visitor or a session in the insights of a site.
    pub fn reader_number(&self, parts: &[&str]) -> i64 {
        let hash = self.reader_hash(parts);
        hash.as_bytes().first_chunk().copied().map_or(0, i64::from_be_bytes)
    }

    fn reader_hash(&self, parts: &[&str]) -> blake3::Hash {
        let mut hasher = blake3::Hasher::new_keyed(&self.readers);
        for part in parts {
            hasher.update(&(part.len() as u64).to_be_bytes()).update(part.as_bytes());
        }
        hasher.finalize()
    }

    /// Returns the digest of a site's share key, by which given keys are compared.
    pub fn share_key_digest(&self, key: &str) -> [u8; 32] {
        *keyed(&self.share_keys, &[key.as_bytes()]).as_bytes()
    }

    /// Returns the first key with which an organization signs the tokens of a site's visitors.
    pub fn visitor_signing_key(&self, site: SiteId) -> String {
        URL_SAFE_NO_PAD.encode(keyed(&self.visitor_keys, &[site.as_bytes()]).as_bytes())
    }

    /// Returns the key that signs the addresses of previews.
    pub(crate) const fn preview_key(&self) -> &[u8; 32] {
        &self.previews
    }

    /// Returns the key that signs the tokens with which published sites are read through the API.
    pub(crate) const fn site_token_key(&self) -> &[u8; 32] {
        &self.site_tokens
    }

    /// Returns the cursor of a list for a position. The cursor is bound to the operation and its
    /// filters.
    pub fn cursor(&self, list: &str, place: &str) -> String {
        let tag: [u8; 16] = first(&self.cursors, &[list.as_bytes(), b"\0", place.as_bytes()]);
        let (tag, _) = tag.split_at(9);
        URL_SAFE_NO_PAD.encode([tag, place.as_bytes()].concat())
    }

    /// Returns the position in a cursor; `None` if the cursor is invalid or belongs to another
    /// list.
    pub fn cursor_place(&self, list: &str, cursor: &str) -> Option<String> {
        let bytes = URL_SAFE_NO_PAD.decode(cursor).ok()?;
        let (_, place) = bytes.split_at_checked(9)?;
        let place = std::str::from_utf8(place).ok()?;
        constant_time_eq::constant_time_eq(cursor.as_bytes(), self.cursor(list, place).as_bytes())
            .then(|| place.to_owned())
    }
}

/// The metadata name of the mark of the sealing key.
const SEALING: &str = "sealing";
/// The metadata name of the salt of derived keys. Earlier versions derived keys from it alone.
const SALT: &str = "signing";
/// The metadata name of the mark of the key that links are created with.
const LINKS: &str = "links";

/// Returns `true` if the store's secrets are sealed with a known key.
///
/// # Errors
/// Returns an error if the store fails.
pub fn has_sealing_key(tx: &Tx<'_>) -> bindery_model::Result<bool> {
    Ok(tx.meta(SEALING)?.is_some())
}

/// Returns `true` if the store's secrets are sealed with this key.
///
/// # Errors
/// Returns an error if the store fails.
pub fn is_sealing_key(tx: &Tx<'_>, key: &[u8; 32]) -> bindery_model::Result<bool> {
    Ok(tx.meta(SEALING)?.is_some_and(|known| equal(&known, &mark(key))))
}

/// Records this key as the sealing key of the store, if the store has none. Returns `true` if it is
/// the sealing key afterwards. With `replace`, it replaces another key, and everything that was
/// sealed with that key is lost.
///
/// # Errors
/// Returns an error if the store fails.
pub fn adopt_sealing_key(
    tx: &Tx<'_>,
    key: &[u8; 32],
    replace: bool,
) -> bindery_model::Result<bool> {
    let mark = mark(key);
    match tx.meta(SEALING)? {
        Some(known) if equal(&known, &mark) => return Ok(true),
        Some(_) if !replace => return Ok(false),
        _ => tx.set_meta(SEALING, &mark)?,
    }
    Ok(true)
}

/// Returns a mark that identifies a sealing key without revealing it.
fn mark(key: &[u8; 32]) -> [u8; 32] {
    blake3::derive_key("bindery 2026 mark of the sealing key", key)
}

/// Numbers of links that no longer work because the sealing key of the store was replaced.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LostLinks {
    /// Sign-in links.
    pub sign_in_links: u64,
    /// Pending invitations. They stay valid, but their addresses have changed.
    pub invitations: u64,
}

/// Deletes all sign-in links if the current links were not created with the present sealing key.
/// This is the case after a key was replaced, and after an update from a version that used a key in
/// the database. Returns the numbers of affected links; `None` if there are none.
///
/// # Errors
/// Returns an error if the store fails.
pub fn drop_links_of_other_keys(tx: &Tx<'_>) -> bindery_model::Result<Option<LostLinks>> {
    let present = tx.meta(SEALING)?.unwrap_or_default();
    if tx.meta(LINKS)?.is_some_and(|made_with| equal(&made_with, &present)) {
        return Ok(None);
    }
    tx.set_meta(LINKS, &present)?;
    let lost = LostLinks {
        sign_in_links: bindery_store::sign_in_links::delete_all(tx)?,
        invitations: bindery_store::invitations::count_all(tx)?,
    };
    Ok((lost != LostLinks { sign_in_links: 0, invitations: 0 }).then_some(lost))
}

/// Compares secrets in a time that does not depend on their content.
pub fn equal(one: &[u8], other: &[u8]) -> bool {
    constant_time_eq::constant_time_eq(one, other)
}

fn keyed(key: &[u8; 32], parts: &[&[u8]]) -> blake3::Hash {
    let mut hasher = blake3::Hasher::new_keyed(key);
    for part in parts {
        hasher.update(part);
    }
    hasher.finalize()
}

fn first(key: &[u8; 32], parts: &[&[u8]]) -> [u8; 16] {
    let hash = keyed(key, parts);
    let mut out = [0; 16];
    out.iter_mut().zip(hash.as_bytes()).for_each(|(to, from)| *to = *from);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn secrets() -> Secrets {
        Secrets::new(&[1; 32], &[2; 32])
    }

    #[test]
    fn every_key_follows_from_the_sealing_key() {
        let (entropy, now) = (Entropy::seeded(4), Timestamp::from_millis(DAY));
        let (link, invitation) = (SignInLinkId::random(&entropy), InvitationId::random(&entropy));
        let (space, file) = (SpaceId::random(&entropy), FileId::random(&entropy));
        let download = Download { space, file, revision: None };
        let made = |secrets: &Secrets| {
            [
                secrets.sign_in(link),
                secrets.invitation(invitation, InvitedBy::Hand),
                secrets.invitation(invitation, InvitedBy::Mail),
                secrets.download_query(&download, now),
                secrets.document_id(space, &Hash::of(b"text")),
                secrets.cursor("list", "place"),
            ]
        };
        let ours = made(&secrets());
        // The keys depend on both values and on their order.
        for (salt, sealing) in [([1; 32], [3; 32]), ([3; 32], [2; 32]), ([2; 32], [1; 32])] {
            let others = made(&Secrets::new(&salt, &sealing));
            assert!(ours.iter().zip(&others).all(|(one, other)| one != other), "{others:?}");
        }
        assert_eq!(secrets().signs_in(&ours[0]), Some(link));
        assert_eq!(Secrets::new(&[1; 32], &[3; 32]).signs_in(&ours[0]), None);
    }

    #[test]
    fn devices_are_told_by_the_servers_own_cookies() {
        let (secrets, entropy) = (secrets(), Entropy::seeded(5));
        let user = UserId::random(&entropy);
        let cookie = secrets.device(user, &entropy);
        assert_eq!(secrets.device_of(&cookie), Some(user));
        assert_ne!(secrets.device(user, &entropy), cookie);
        let other = UserId::random(&entropy).to_string();
        let forged = format!("{other}{}", &cookie[Id::LEN..]);
        for wrong in ["", "x", &cookie[1..], &cookie[..2 * Id::LEN], &forged, "é"] {
            assert_eq!(secrets.device_of(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn document_ids_are_bound_to_their_space() {
        let (secrets, entropy) = (secrets(), Entropy::seeded(1));
        let (here, there) = (SpaceId::random(&entropy), SpaceId::random(&entropy));
        let object = Hash::of(b"text");
        let id = secrets.document_id(here, &object);
        assert_eq!(secrets.document(here, &id), Some(object));
        assert_eq!(secrets.document(there, &id), None);
        assert_eq!(secrets.document(here, "nonsense"), None);
        let mut changed = id.clone().into_bytes();
        changed[30] = if changed[30] == b'A' { b'B' } else { b'A' };
        assert_eq!(secrets.document(here, std::str::from_utf8(&changed).unwrap()), None);
    }

    #[test]
    fn sealed_texts_open_with_the_same_key_only() {
        let entropy = Entropy::seeded(2);
        let sealed = secrets().seal(&entropy, "user:pass").unwrap();
        assert_eq!(secrets().open(&sealed).as_deref(), Some("user:pass"));
        assert_eq!(Secrets::new(&[1; 32], &[3; 32]).open(&sealed), None);
        assert!(!sealed.contains("pass"));
    }

    #[test]
    fn downloads_expire_and_are_stable_within_a_day() {
        let (secrets, entropy) = (secrets(), Entropy::seeded(3));
        let (space, file) = (SpaceId::random(&entropy), FileId::random(&entropy));
        let download = Download { space, file, revision: None };
        let now = Timestamp::from_millis(1_000 * DAY + 5);
        let query = secrets.download_query(&download, now);
        assert_eq!(query, secrets.download_query(&download, now.plus_millis(DAY - 10)));
        let (expires, signature) = query.split_once("&sig=").unwrap();
        let expires: i64 = expires.strip_prefix("exp=").unwrap().parse().unwrap();
        let allowed = |at| secrets.download_allowed(&download, at, expires, signature);
        assert!(allowed(now.plus_millis(DAY)));
        assert!(!allowed(now.plus_millis(2 * DAY)));
        let revision = Some(RevisionId::random(&entropy));
        for other in [
            Download { file: FileId::random(&entropy), ..download },
            Download { revision, ..download },
        ] {
            assert!(!secrets.download_allowed(&other, now, expires, signature));
        }
    }

    #[test]
    fn cursors_belong_to_one_list() {
        let secrets = secrets();
        let cursor = secrets.cursor("listSpaces?org=1", "17 abc");
        let place = secrets.cursor_place("listSpaces?org=1", &cursor);
        assert_eq!(place.as_deref(), Some("17 abc"));
        assert_eq!(secrets.cursor_place("listSpaces?org=2", &cursor), None);
        assert_eq!(secrets.cursor_place("listSpaces?org=1", "x"), None);
    }
}
