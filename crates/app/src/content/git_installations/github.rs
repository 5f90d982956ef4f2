//! The interface of GitHub, as the GitHub App of the operator uses it.
//!
//! The App signs a short text with its private key (RFC 7519, RS256). With it, it asks for the
//! token of an installation, which reads and writes one repository for an hour. Tokens are kept in
//! memory only.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Mutex, PoisonError};

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use bindery_git::Credentials;
use bindery_model::{Error, OrganizationId, Result, Timestamp};
use bindery_outbound::{Request, Url};
use ring::rand::SystemRandom;
use ring::signature::{RSA_PKCS1_SHA256, RsaKeyPair};
use serde::Deserialize;
use serde_json::json;

use super::service::{HostedRepository, Lookup};
use crate::App;
use crate::content::git_hosting::{HostingError, below, host, send};
use crate::jobs::JobFailure;

/// The interface that is used unless another one is configured.
pub const API: &str = "https://api.github.com";
/// The user name that is sent with a token when Git connects.
const USER: &str = "x-access-token";
/// Validity of the signed text of the App in seconds. GitHub accepts up to 10 minutes.
const SIGNED_FOR: i64 = 5 * 60;
/// Seconds by which the clock of GitHub may be behind.
const CLOCK_DRIFT: i64 = 60;
/// Remaining validity in milliseconds that a kept token needs: longer than a fetch or a push waits
/// for its first answer.
const MIN_VALIDITY: i64 = 10 * 60 * 1_000;
/// Number of installations of the App on one page of their list.
const PAGE: usize = 100;
/// Maximum number of pages of installations that are read.
const MAX_PAGES: usize = 20;
/// Maximum length of the name of an account. GitHub permits less.
const MAX_ACCOUNT: usize = 100;
/// Maximum number of tokens that are kept.
const MAX_TOKENS: usize = 1_000;

/// The GitHub App of the operator.
pub struct GitHubApp {
    id: String,
    key: RsaKeyPair,
    api: Url,
    accounts: PermittedAccounts,
    /// The secret with which GitHub signs the events of the App.
    webhook_secret: Option<String>,
    /// Tokens by the number of their repository.
    tokens: Mutex<HashMap<i64, KeptToken>>,
}

/// The accounts at GitHub whose repositories each organization may use, in lower case.
#[derive(Clone, Default, Debug)]
struct PermittedAccounts(BTreeMap<OrganizationId, Vec<String>>);

impl PermittedAccounts {
    /// Parses a list such as `ORGANIZATION=acme,ORGANIZATION=acme-labs`. Returns `None` if it has
    /// another form.
    fn parse(list: &str) -> Option<Self> {
        let mut accounts = BTreeMap::<_, Vec<_>>::new();
        for pair in list.split(',').map(str::trim).filter(|pair| !pair.is_empty()) {
            let (organization, account) = pair.split_once('=')?;
            let is_name = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
            if !(1..=MAX_ACCOUNT).contains(&account.len()) || !account.bytes().all(is_name) {
                return None;
            }
            let organization = OrganizationId::parse(organization)?;
            accounts.entry(organization).or_default().push(account.to_ascii_lowercase());
        }
        Some(Self(accounts))
    }

    fn of(&self, organization: OrganizationId) -> &[String] {
        self.0.get(&organization).map_or(&[], Vec::as_slice)
    }
}

impl std::fmt::Debug for GitHubApp {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("GitHubApp").field("id", &self.id).finish_non_exhaustive()
    }
}

/// A token for one repository.
#[derive(Clone, Deserialize)]
struct AccessToken {
    token: String,
    expires_at: String,
}

impl AccessToken {
    fn is_valid_at(&self, now: Timestamp) -> bool {
        Timestamp::parse(&self.expires_at).is_some_and(|end| end > now.plus_millis(MIN_VALIDITY))
    }
}

/// A token with the account that owns its repository.
struct KeptToken {
    account: String,
    token: AccessToken,
}

#[derive(Deserialize)]
struct AppInstallation {
    id: i64,
    account: Option<Account>,
}

#[derive(Deserialize)]
struct Account {
    /// Its name; absent if it is an enterprise, which has no repositories.
    login: Option<String>,
}

/// The part of a repository that is read.
#[derive(Deserialize)]
struct HostedAtGitHub {
    full_name: String,
    html_url: String,
    clone_url: String,
    default_branch: Option<String>,
}

impl GitHubApp {
    /// Returns an App with the private key that GitHub generated for it, in PEM. `accounts` lists
    /// the accounts at GitHub whose repositories each organization may use, as
    /// `ORGANIZATION=ACCOUNT,…`.
    ///
    /// # Errors
    /// Returns an error if the key is not an RSA key, the address is not one of the web, or the list
    /// has another form.
    pub fn new(id: &str, pem: &str, api: &str, accounts: &str) -> Result<Self> {
        let key = parse_key(pem).ok_or_else(|| {
            Error::invalid("allowed: a private RSA key in PEM, as GitHub generates it for an App")
        })?;
        let api = Url::parse(api)
            .ok()
            .filter(|url| matches!(url.scheme(), "http" | "https"))
            .ok_or_else(|| Error::invalid("allowed: an address such as https://api.github.com"))?;
        let accounts = PermittedAccounts::parse(accounts).ok_or_else(|| {
            Error::invalid(
                "allowed: the id of an organization and the name of an account at GitHub in each \
                 entry, such as ORGANIZATION=acme,ORGANIZATION=acme-labs",
            )
        })?;
        let (id, webhook_secret, tokens) = (id.to_owned(), None, Mutex::default());
        Ok(Self { id, key, api, accounts, webhook_secret, tokens })
    }

    /// Sets the secret with which GitHub signs the events of the App. Without one, or with an empty
    /// one, events are refused.
    #[must_use]
    pub fn with_webhook_secret(mut self, secret: Option<String>) -> Self {
        self.webhook_secret = secret.filter(|secret| !secret.is_empty());
        self
    }

    /// Returns the secret with which GitHub signs the events of the App.
    pub(in crate::content) fn webhook_secret(&self) -> Option<&str> {
        self.webhook_secret.as_deref()
    }

    /// Returns the base of the interface.
    pub(in crate::content) const fn api(&self) -> &Url {
        &self.api
    }

    /// Returns the accounts at GitHub whose repositories an organization may use, in lower case.
    ///
    /// # Errors
    /// Returns 403 if there are none.
    pub(super) fn accounts(&self, organization: OrganizationId) -> Result<&[String]> {
        match self.accounts.of(organization) {
            [] => Err(Error::forbidden(format!(
                "the organization {organization} may use no account at GitHub; allowed: accounts \
                 that the operator lists in the setting --github-app-accounts"
            ))),
            accounts => Ok(accounts),
        }
    }

    /// Returns the text that the App signs in with.
    fn signed(&self, now: Timestamp) -> Option<String> {
        let seconds = now.millis() / 1_000;
        let claims = json!({
            "iat": seconds - CLOCK_DRIFT, "exp": seconds + SIGNED_FOR, "iss": self.id,
        });
        let part = |text: &str| URL_SAFE_NO_PAD.encode(text);
        let text =
            format!("{}.{}", part(r#"{"alg":"RS256","typ":"JWT"}"#), part(&claims.to_string()));
        let mut signature = vec![0; self.key.public().modulus_len()];
        // The random numbers only protect the key while it signs. The signature does not contain
        // them.
        let random = SystemRandom::new();
        self.key.sign(&RSA_PKCS1_SHA256, &random, text.as_bytes(), &mut signature).ok()?;
        Some(format!("{text}.{}", URL_SAFE_NO_PAD.encode(signature)))
    }

    /// Returns a valid token for a repository of one of these accounts.
    fn kept(&self, accounts: &[String], repository: i64, now: Timestamp) -> Option<String> {
        let tokens = self.tokens.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = tokens.get(&repository)?;
        let is_usable = accounts.contains(&kept.account) && kept.token.is_valid_at(now);
        is_usable.then(|| kept.token.token.clone())
    }

    fn keep(&self, repository: i64, token: KeptToken, now: Timestamp) {
        let mut tokens = self.tokens.lock().unwrap_or_else(PoisonError::into_inner);
        if tokens.len() >= MAX_TOKENS {
            tokens.retain(|_, kept| kept.token.is_valid_at(now));
        }
        if tokens.len() < MAX_TOKENS {
            tokens.insert(repository, token);
        }
    }

    fn forget(&self, repository: i64) {
        self.tokens.lock().unwrap_or_else(PoisonError::into_inner).remove(&repository);
    }

    /// Returns a token for a repository; `None` if the App has no access to it, or it belongs to
    /// another account than these.
    async fn token(
        &self,
        app: &App,
        accounts: &[String],
        repository: i64,
    ) -> Result<Option<String>, HostingError> {
        let now = app.clock.now();
        if let Some(token) = self.kept(accounts, repository, now) {
            return Ok(Some(token));
        }
        let signed = self.signed(now).ok_or_else(|| HostingError::Answer {
            host: host(&self.api),
            expected: "something that the key of the App can sign",
        })?;
        for AppInstallation { id, account } in self.installations(app, &signed).await? {
            let account = account.and_then(|account| account.login).unwrap_or_default();
            let account = account.to_ascii_lowercase();
            if !accounts.contains(&account) {
                continue;
            }
            let id = id.to_string();
            let url = below(&self.api, &["app", "installations", &id, "access_tokens"]);
            let body = json!({ "repository_ids": [repository] }).to_string();
            let answer = send(app.into(), Request::post(url, body), &signed).await?;
            match answer.status {
                201 => {
                    let token: AccessToken = answer.parse("a token")?;
                    let text = token.token.clone();
                    self.keep(repository, KeptToken { account, token }, now);
                    return Ok(Some(text));
                }
                // This installation has no access to the repository, or is suspended.
                403 | 404 | 422 => {}
                _ => return Err(answer.unexpected()),
            }
        }
        Ok(None)
    }

    /// Lists the installations of the App.
    async fn installations(
        &self,
        app: &App,
        signed: &str,
    ) -> Result<Vec<AppInstallation>, HostingError> {
        let mut all = Vec::new();
        for page in 1..=MAX_PAGES {
            let mut url = below(&self.api, &["app", "installations"]);
            url.query_pairs_mut()
                .append_pair("per_page", &PAGE.to_string())
                .append_pair("page", &page.to_string());
            let answer = send(app.into(), Request::get(url), signed).await?;
            if answer.status != 200 {
                return Err(answer.unexpected());
            }
            let found: Vec<AppInstallation> = answer.parse("the installations of the App")?;
            let is_last = found.len() < PAGE;
            all.extend(found);
            if is_last {
                break;
            }
        }
        Ok(all)
    }

    /// Asks GitHub for a repository. Returns `None` if the App has no access to it, or it belongs to
    /// another account than these.
    pub(super) async fn find(
        &self,
        app: &App,
        accounts: &[String],
        repository: i64,
    ) -> Result<Option<Lookup>, HostingError> {
        let Some(token) = self.token(app, accounts, repository).await? else { return Ok(None) };
        let url = below(&self.api, &["repositories", &repository.to_string()]);
        let answer = send(app.into(), Request::get(url), &token).await?;
        match answer.status {
            200 => {}
            401 | 403 | 404 => {
                self.forget(repository);
                return Ok(None);
            }
            _ => return Err(answer.unexpected()),
        }
        let HostedAtGitHub { full_name, html_url, clone_url, default_branch } =
            answer.parse("the description of a repository")?;
        Ok(Some(Lookup::Found(HostedRepository {
            name: full_name,
            url: html_url,
            clone_url,
            default_branch,
        })))
    }
}

/// Returns the GitHub App of the operator.
///
/// # Errors
/// Returns 409 if none is configured.
pub(super) fn configured(app: &App) -> Result<&GitHubApp> {
    app.github.as_deref().ok_or_else(|| {
        Error::conflict(
            "GitHub needs a GitHub App of the operator; the settings --github-app-id and \
             --github-app-private-key-file are missing",
        )
    })
}

/// Returns the credentials with which Git connects to a repository for an organization.
///
/// # Errors
/// Returns the failure of the job if GitHub gives no token.
pub(in crate::content) async fn credentials(
    app: &App,
    organization: OrganizationId,
    repository: i64,
) -> Result<Credentials, JobFailure> {
    let refused = |message: &str| JobFailure::fatal("needs-credentials", message);
    let github = app
        .github
        .as_ref()
        .ok_or_else(|| refused("the server has no GitHub App any more: see --github-app-id"))?;
    let accounts = github.accounts(organization).map_err(|error| refused(&error.to_string()))?;
    let token = github
        .token(app, accounts, repository)
        .await
        .map_err(|error| JobFailure::fatal("unreachable", error.to_string()))?;
    let token = token.ok_or_else(|| {
        refused("the GitHub App of the server has no access to the repository any more")
    })?;
    Ok(Credentials::new(USER, token))
}

/// Reads a private key in PEM, in the form of RFC 8017 or RFC 5958.
fn parse_key(pem: &str) -> Option<RsaKeyPair> {
    let body = |kind: &str| {
        let begin = format!("-----BEGIN {kind}-----");
        let (_, rest) = pem.split_once(&begin)?;
        let (body, _) = rest.split_once("-----END")?;
        STANDARD.decode(body.split_whitespace().collect::<String>()).ok()
    };
    match body("RSA PRIVATE KEY") {
        Some(der) => RsaKeyPair::from_der(&der).ok(),
        None => RsaKeyPair::from_pkcs8(&body("PRIVATE KEY")?).ok(),
    }
}

#[cfg(test)]
mod tests {
    use ring::signature::{RSA_PKCS1_2048_8192_SHA256, UnparsedPublicKey};
    use serde_json::Value;

    use super::*;

    const KEY: &str = include_str!("../../../../testkit/src/git_hosting/app_key.pem");
    const NOW: Timestamp = Timestamp::from_millis(1_800_000_000_000);

    fn github() -> GitHubApp {
        GitHubApp::new("12", KEY, API, "").unwrap()
    }

    #[test]
    fn the_app_signs_with_its_key() {
        let github = github();
        let signed = github.signed(NOW).unwrap();
        let (text, signature) = signed.rsplit_once('.').unwrap();
        let public = UnparsedPublicKey::new(&RSA_PKCS1_2048_8192_SHA256, github.key.public());
        let signature = URL_SAFE_NO_PAD.decode(signature).unwrap();
        public.verify(text.as_bytes(), &signature).unwrap();
        let (header, claims) = text.split_once('.').unwrap();
        let parse = |part: &str| -> Value {
            serde_json::from_slice(&URL_SAFE_NO_PAD.decode(part).unwrap()).unwrap()
        };
        assert_eq!(parse(header), json!({ "alg": "RS256", "typ": "JWT" }));
        let expect = json!({ "iat": 1_799_999_940, "exp": 1_800_000_300, "iss": "12" });
        assert_eq!(parse(claims), expect);
    }

    #[test]
    fn tokens_are_kept_until_shortly_before_their_end() {
        let github = github();
        let token = AccessToken {
            token: "given".to_owned(),
            expires_at: "2027-01-15T09:00:00Z".to_owned(),
        };
        github.keep(7, KeptToken { account: "acme".to_owned(), token }, NOW);
        let acme = ["other".to_owned(), "acme".to_owned()];
        let end = Timestamp::parse("2027-01-15T09:00:00Z").unwrap();
        for (before, expect) in [(3_600_000, true), (MIN_VALIDITY + 1, true), (MIN_VALIDITY, false)]
        {
            let kept = github.kept(&acme, 7, end.plus_millis(-before));
            assert_eq!(kept.is_some(), expect, "{before}");
        }
        assert_eq!(github.kept(&acme, 8, NOW), None);
        // Other organizations do not use the token.
        assert_eq!(github.kept(&acme[..1], 7, NOW), None);
        github.forget(7);
        assert_eq!(github.kept(&acme, 7, NOW), None);
    }

    #[test]
    fn other_keys_are_refused() {
        for pem in ["", "x", "-----BEGIN RSA PRIVATE KEY-----\nAAAA\n-----END RSA PRIVATE KEY-----"]
        {
            assert!(GitHubApp::new("12", pem, API, "").is_err(), "{pem}");
        }
        assert!(GitHubApp::new("12", KEY, "ftp://api.github.com", "").is_err());
        assert!(GitHubApp::new("12", KEY, "", "").is_err());
    }

    #[test]
    fn organizations_use_the_accounts_that_are_listed_for_them() {
        let one = OrganizationId::parse("00000000000000000001").unwrap();
        let two = OrganizationId::parse("00000000000000000002").unwrap();
        let list = format!(" {one}=Acme, {one}=acme-labs,{two}=b_c,");
        let github = GitHubApp::new("12", KEY, API, &list).unwrap();
        assert_eq!(github.accounts(one).unwrap(), ["acme", "acme-labs"]);
        assert_eq!(github.accounts(two).unwrap(), ["b_c"]);
        let other = OrganizationId::parse("00000000000000000003").unwrap();
        let refused = github.accounts(other).unwrap_err().to_string();
        assert!(refused.contains("--github-app-accounts"), "{refused}");
        assert!(!refused.contains("acme"), "{refused}");
        let long = format!("{one}={}", "x".repeat(MAX_ACCOUNT + 1));
        let no_name = format!("{one}=");
        for list in ["acme", "acme=", "x=acme", &no_name, &format!("{one}=a/b"), &long] {
            assert!(GitHubApp::new("12", KEY, API, list).is_err(), "{list}");
        }
    }
}
