//! Addresses of repositories and names of refs, validated before they are stored or used.

use std::fmt;

use bindery_outbound::{Authorization, Guard, Refusal, SshKey, Url};
use data_encoding::BASE64;
use gix_hash::ObjectId;
use percent_encoding::percent_decode_str;

/// The user on hosts that are accessed over SSH.
const DEFAULT_USER: &str = "git";
/// Maximum length of an address or a ref name in bytes.
const MAX_LENGTH: usize = 2000;

/// The defect of an address or a ref name. The message never contains the address, which may
/// include a secret.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum RemoteError {
    /// The address does not begin with `http(s)://`.
    #[error("a repository's address begins with https:// or http://, not with {0}")]
    Scheme(&'static str),
    /// The address is malformed.
    #[error("the repository's address is invalid: {0}")]
    Malformed(&'static str),
    /// The outbound guard refuses the address.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// Git does not permit the ref name.
    #[error("`{name}` is not a valid ref name: {problem}")]
    Ref {
        /// The name, shortened.
        name: String,
        /// The defect of the name.
        problem: &'static str,
    },
}

/// The address of a repository without credentials, which is safe to store, log and display.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct SafeUrl(Url);

/// The user name and the password or token for a repository. `Debug` does not print them.
#[derive(Clone, PartialEq, Eq)]
pub struct Credentials {
    username: String,
    password: String,
}

/// A repository: its address and the credentials to access it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Remote {
    /// The address without credentials.
    pub url: SafeUrl,
    /// The credentials from the address or given separately.
    pub credentials: Option<Credentials>,
    /// The access over SSH; `None` for addresses of HTTP.
    pub ssh: Option<SshAccess>,
}

/// The key with which a repository is accessed over SSH, and the keys that its host may have.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SshAccess {
    /// The private key.
    pub key: SshKey,
    /// Lines as in `known_hosts`, without names of hosts; empty to accept the key that the host
    /// presents.
    pub host_keys: String,
}

/// The name of a ref: a full one (`refs/…`), `HEAD`, the short name of a branch or a tag, or the id
/// of a commit in 40 hexadecimal digits.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct RefName(String);

impl Remote {
    /// Parses an address as entered by a user and removes the credentials from it.
    ///
    /// # Errors
    /// Returns an error unless the address has the form `http(s)://host/path`. Other transports,
    /// local paths and queries are refused.
    pub fn parse(text: &str) -> Result<Self, RemoteError> {
        let text = checked(text)?;
        check_scheme(text)?;
        let url = Url::parse(text).map_err(|_| RemoteError::Malformed("it cannot be read"))?;
        let mut url = url_with_repository(url)?;
        let credentials = Credentials::extract_from(&mut url)?;
        Ok(Self { url: SafeUrl(url), credentials, ssh: None })
    }

    /// Returns `true` if an address has the form of one for SSH.
    pub fn is_ssh(text: &str) -> bool {
        let text = text.trim();
        match text.split_once("://") {
            Some((scheme, _)) => scheme.eq_ignore_ascii_case("ssh"),
            None => is_scp(text),
        }
    }

    /// Parses the address of a repository that is accessed over SSH; see
    /// [`SafeUrl::parse_ssh`].
    ///
    /// # Errors
    /// See [`SafeUrl::parse_ssh`].
    pub fn parse_ssh(text: &str, access: SshAccess) -> Result<Self, RemoteError> {
        let url = SafeUrl::parse_ssh(text)?;
        Ok(Self { url, credentials: None, ssh: Some(access) })
    }

    /// Returns the same repository with other credentials.
    #[must_use]
    pub fn with_credentials(mut self, credentials: Option<Credentials>) -> Self {
        self.credentials = credentials;
        self
    }
}

/// Returns `true` for addresses like `user@host:path`.
fn is_scp(text: &str) -> bool {
    let (host, _) = text.split_once(':').unwrap_or_default();
    !text.contains("://") && host.contains('@') && !host.contains('/')
}

/// Returns an address without spaces around it, if it has allowed characters and lengths.
fn checked(text: &str) -> Result<&str, RemoteError> {
    let text = text.trim();
    if text.is_empty() || text.len() > MAX_LENGTH {
        return Err(RemoteError::Malformed("it is empty or too long"));
    }
    if text.chars().any(|c| c.is_control() || c == ' ' || c == '\\') {
        return Err(RemoteError::Malformed(
            "it contains characters that are not allowed in addresses",
        ));
    }
    Ok(text)
}

/// Returns an address that names a host and a repository on it, without a slash at the end.
fn url_with_repository(mut url: Url) -> Result<Url, RemoteError> {
    if url.host_str().is_none_or(str::is_empty) {
        return Err(RemoteError::Malformed("it names no host"));
    }
    if url.query().is_some() || url.fragment().is_some() {
        return Err(RemoteError::Malformed("it contains `?` or `#`"));
    }
    let path = url.path().trim_end_matches('/').to_owned();
    if path.is_empty() {
        return Err(RemoteError::Malformed("it names a host but no repository on it"));
    }
    url.set_path(&path);
    Ok(url)
}

impl SafeUrl {
    /// Parses an address of SSH: `ssh://user@host:port/path`, or `user@host:path` for a path from
    /// the root of the host. The user is `git` by default.
    ///
    /// # Errors
    /// Returns an error for other addresses and for addresses with a password.
    pub fn parse_ssh(text: &str) -> Result<Self, RemoteError> {
        let text = checked(text)?;
        let text = match text.split_once(':') {
            Some((host, path)) if is_scp(text) => {
                format!("ssh://{host}/{}", path.trim_start_matches('/'))
            }
            _ => text.to_owned(),
        };
        let url = Url::parse(&text).map_err(|_| RemoteError::Malformed("it cannot be read"))?;
        let mut url = url_with_repository(url)?;
        if url.scheme() != "ssh" {
            return Err(RemoteError::Malformed("it does not begin with ssh://"));
        }
        if url.password().is_some() {
            return Err(RemoteError::Malformed("it contains a password, which SSH does not use"));
        }
        let is_user = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
        if !url.username().chars().all(is_user) || url.username().starts_with('-') {
            return Err(RemoteError::Malformed(
                "its user name has characters that are not allowed",
            ));
        }
        if url.username().is_empty() {
            url.set_username(DEFAULT_USER)
                .map_err(|()| RemoteError::Malformed("it cannot be read"))?;
        }
        Ok(Self(url))
    }

    /// Checks the address against the guard without resolving it, before a job is created for it.
    ///
    /// # Errors
    /// Returns an error for an IP address or a name of this machine that must not be reached.
    pub fn check(&self, guard: &Guard) -> Result<(), RemoteError> {
        if !self.is_ssh() {
            return Ok(guard.check_url(&self.0)?);
        }
        // The guard reads addresses of HTTP.
        let host = self.0.host_str().unwrap_or_default();
        let same = Url::parse(&format!("http://{host}/"));
        Ok(guard.check_url(&same.map_err(|_| RemoteError::Malformed("it names no host"))?)?)
    }

    /// Returns `true` for an address of SSH.
    pub fn is_ssh(&self) -> bool {
        self.0.scheme() == "ssh"
    }

    /// Returns the address.
    pub fn url(&self) -> &Url {
        &self.0
    }

    /// Returns the address as text.
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }
}

impl fmt::Debug for SafeUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.as_str())
    }
}

impl fmt::Display for SafeUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.as_str())
    }
}

impl Credentials {
    /// Creates credentials from a user name and a password. Most hosts accept a token with any user
    /// name.
    pub fn new(username: impl Into<String>, password: impl Into<String>) -> Self {
        Self { username: username.into(), password: password.into() }
    }

    fn extract_from(url: &mut Url) -> Result<Option<Self>, RemoteError> {
        let decode = |text: &str| {
            let decoded = percent_decode_str(text).decode_utf8();
            let decoded =
                decoded.map_err(|_| RemoteError::Malformed("its credentials are not UTF-8"))?;
            if decoded.chars().any(char::is_control) {
                return Err(RemoteError::Malformed("its credentials contain control characters"));
            }
            Ok(decoded.into_owned())
        };
        let username = decode(url.username())?;
        let password = decode(url.password().unwrap_or_default())?;
        let cannot = |()| RemoteError::Malformed("it cannot be read");
        url.set_username("").map_err(cannot)?;
        url.set_password(None).map_err(cannot)?;
        let given = !username.is_empty() || !password.is_empty();
        Ok(given.then_some(Self { username, password }))
    }

    /// Returns the user name and the password in plain text, to be sealed for storage.
    pub fn expose(&self) -> (&str, &str) {
        (&self.username, &self.password)
    }

    pub(crate) fn authorization(&self) -> Option<Authorization> {
        let pair = format!("{}:{}", self.username, self.password);
        Authorization::new(&format!("Basic {}", BASE64.encode(pair.as_bytes())))
    }
}

impl fmt::Debug for Credentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Credentials(…)")
    }
}

impl RefName {
    /// Returns `HEAD`, which refers to the default branch of a repository.
    pub fn head() -> Self {
        Self("HEAD".to_owned())
    }

    /// Parses `HEAD`, a full name such as `refs/heads/main`, a short one such as `main`, or a
    /// commit id, by the rules of `git check-ref-format`.
    ///
    /// # Errors
    /// Returns an error that describes the defect of the name.
    pub fn parse(name: &str) -> Result<Self, RemoteError> {
        match ref_problem(name) {
            None => Ok(Self(name.to_owned())),
            Some(problem) => {
                let name = name.chars().filter(|c| !c.is_control()).take(80).collect();
                Err(RemoteError::Ref { name, problem })
            }
        }
    }

    /// Returns the name.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the full names that this name may refer to, in order of preference. A short name
    /// refers to a branch before a tag.
    pub(crate) fn candidates(&self) -> Vec<String> {
        let name = self.as_str();
        if name == "HEAD" || name.starts_with("refs/") {
            return vec![name.to_owned()];
        }
        ["refs/heads/", "refs/tags/", "refs/"]
            .iter()
            .map(|above| format!("{above}{name}"))
            .collect()
    }

    /// Returns the commit id if the name is one.
    pub(crate) fn commit(&self) -> Option<ObjectId> {
        let is_full = self.0.len() == 40 && self.0.bytes().all(|byte| byte.is_ascii_hexdigit());
        if is_full { ObjectId::from_hex(self.0.as_bytes()).ok() } else { None }
    }

    /// Returns the short name of the branch if the name is a full branch name.
    pub fn branch(&self) -> Option<&str> {
        self.0.strip_prefix("refs/heads/")
    }
}

impl fmt::Display for RefName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Returns an error that describes an address without `http(s)://`, without repeating the address.
fn check_scheme(text: &str) -> Result<(), RemoteError> {
    if let Some((scheme, _)) = text.split_once("://") {
        return match scheme.to_ascii_lowercase().as_str() {
            "http" | "https" => Ok(()),
            "ssh" | "git+ssh" | "ssh+git" => Err(RemoteError::Scheme("ssh://")),
            "git" => Err(RemoteError::Scheme("git://")),
            "file" => Err(RemoteError::Scheme("file://")),
            "ftp" | "ftps" => Err(RemoteError::Scheme("ftp://")),
            _ => Err(RemoteError::Scheme("another scheme")),
        };
    }
    let lower = text.to_ascii_lowercase();
    Err(if lower.starts_with("file:") {
        RemoteError::Scheme("file:")
    } else if lower.starts_with("ext::") || lower.contains("::") {
        RemoteError::Scheme("the name of a remote helper")
    } else if text.starts_with(['/', '.', '~']) || lower.get(1..2) == Some(":") {
        RemoteError::Scheme("a path of a local file system")
    } else if text.contains('@') && text.contains(':') {
        RemoteError::Scheme("a user name as for SSH")
    } else {
        RemoteError::Malformed("it does not begin with https://")
    })
}

/// Checks a full or short name by the rules of git-check-ref-format(1).
fn ref_problem(name: &str) -> Option<&'static str> {
    if name == "HEAD" {
        return None;
    }
    if name.is_empty() {
        return Some("it is empty");
    }
    if name.len() > MAX_LENGTH {
        return Some("it is too long");
    }
    if name.chars().any(|c| c.is_ascii_control() || " ~^:?*[\\".contains(c)) {
        return Some("it contains a space, a control character or one of ~ ^ : ? * [ \\");
    }
    if name.contains("..") || name.contains("@{") {
        return Some("it contains `..` or `@{`");
    }
    if name.ends_with('.') {
        return Some("it ends with a dot");
    }
    let incomplete = match name.strip_prefix("refs/") {
        Some(rest) => !rest.contains('/'),
        None => name == "refs" || name == "@",
    };
    if incomplete || name.starts_with('-') {
        return Some(
            "give the name of a branch such as main, or a full one such as refs/heads/main",
        );
    }
    for part in name.split('/') {
        if part.is_empty() {
            return Some("it begins or ends with a slash, or contains two in a row");
        }
        if part.starts_with('.') || part.ends_with(".lock") {
            return Some("a part of it begins with a dot or ends with .lock");
        }
    }
    None
}

#[cfg(test)]
mod tests;
