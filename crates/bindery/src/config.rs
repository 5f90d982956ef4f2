//! The server's configuration: a file, environment variables and flags. Later sources override
//! earlier ones.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, Result};
use bindery_app::Limits;
use bindery_app::content::git_installations::{GITHUB_API, GitHubApp};
use bindery_http::{ListenLimits, TrustedProxies};
use bindery_outbound::{Guard, Mailer};
use clap::Args;
use serde::de::{Unexpected, Visitor};
use serde::{Deserialize, Deserializer};

use crate::log::LogFormat;
use crate::sealing::SealingKey;
use crate::security_txt::{SecurityOptions, SecurityTxt};
use crate::traces::TraceExport;

/// Default duration in milliseconds from which a request is logged as slow.
const SLOW_REQUEST_MS: u64 = 5_000;
/// Default duration in milliseconds from which a database transaction is logged as slow.
const SLOW_TRANSACTION_MS: u64 = 1_000;

/// Arguments of `bindery serve`. Each of them, except `--config` and `--replace-sealing-key`, is
/// also a key of the configuration file.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct ServerArgs {
    /// TOML file with settings; the keys are the names of the flags with underscores.
    #[arg(long, env = "BINDERY_CONFIG", value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) store: StoreArgs,
    /// Address to listen on; port 0 selects a free port [default: 127.0.0.1:8080]
    #[arg(long, env = "BINDERY_LISTEN", value_name = "ADDR")]
    pub(crate) listen: Option<String>,
    /// Address at which readers and programs reach the server [default: the listening address]
    #[arg(long, env = "BINDERY_PUBLIC_URL", value_name = "URL")]
    pub(crate) public_url: Option<String>,
    /// Address of published sites, if it differs from the public address.
    #[arg(long, env = "BINDERY_SITES_URL", value_name = "URL")]
    pub(crate) sites_url: Option<String>,
    /// Proxies whose X-Forwarded headers are trusted: addresses and CIDRs.
    #[arg(long, env = "BINDERY_TRUSTED_PROXY", value_name = "CIDR,…")]
    pub(crate) trusted_proxy: Option<String>,
    /// Private networks that the server may connect to: CIDRs, or `any`.
    #[arg(long, env = "BINDERY_OUTBOUND_ALLOW", value_name = "CIDR,…")]
    pub(crate) outbound_allow: Option<String>,
    /// Mail server, as smtps://user:password@host or smtp://host:587?tls=required [default: none;
    /// no mail is sent]
    #[arg(long, env = "BINDERY_MAIL_SERVER", hide_env_values = true, value_name = "URL")]
    pub(crate) mail_server: Option<String>,
    /// Sender of mail, as "Docs <docs@example.org>".
    #[arg(long, env = "BINDERY_MAIL_FROM", value_name = "ADDRESS")]
    pub(crate) mail_from: Option<String>,
    /// Time in seconds for which the mail of a notification waits for further notifications
    /// [default: 60]
    #[arg(long, env = "BINDERY_MAIL_DELAY", value_name = "SECONDS")]
    pub(crate) mail_delay: Option<u32>,
    /// Id of the GitHub App with which spaces are synchronised [default: none]
    #[arg(long, env = "BINDERY_GITHUB_APP_ID", value_name = "ID")]
    pub(crate) github_app_id: Option<String>,
    /// File with the private key of the GitHub App, in PEM.
    #[arg(long, env = "BINDERY_GITHUB_APP_PRIVATE_KEY_FILE", value_name = "FILE")]
    pub(crate) github_app_private_key_file: Option<PathBuf>,
    /// Accounts at GitHub whose repositories each organization may use [default: none]
    #[arg(long, env = "BINDERY_GITHUB_APP_ACCOUNTS", value_name = "ORGANIZATION=ACCOUNT,…")]
    pub(crate) github_app_accounts: Option<String>,
    /// Secret with which GitHub signs the events of the GitHub App [default: none]
    #[arg(
        long,
        env = "BINDERY_GITHUB_APP_WEBHOOK_SECRET",
        hide_env_values = true,
        value_name = "SECRET"
    )]
    pub(crate) github_app_webhook_secret: Option<String>,
    /// Address of GitHub's API, for GitHub Enterprise [default: that of github.com]
    #[arg(long, env = "BINDERY_GITHUB_API_URL", value_name = "URL")]
    pub(crate) github_api_url: Option<String>,
    /// Key that encrypts stored secrets: 32 bytes as 64 hexadecimal digits or in base64
    /// [default: the file sealing.key in the data folder, created at the first start]
    #[arg(long, env = "BINDERY_SEALING_KEY", hide_env_values = true, value_name = "KEY")]
    pub(crate) sealing_key: Option<String>,
    /// File that contains the sealing key.
    #[arg(long, env = "BINDERY_SEALING_KEY_FILE", value_name = "FILE")]
    pub(crate) sealing_key_file: Option<PathBuf>,
    /// Starts with a different sealing key than before; the secrets encrypted with the old key are
    /// lost.
    #[arg(long)]
    pub(crate) replace_sealing_key: bool,
    /// Token of the first administrator, at least 20 characters; used only with an empty store
    /// [default: generated and printed]
    #[arg(long, env = "BINDERY_SETUP_TOKEN", hide_env_values = true, value_name = "TOKEN")]
    pub(crate) setup_token: Option<String>,
    /// Creates the sample space and site at the first start [default: true]
    #[arg(long, env = "BINDERY_SETUP_SAMPLE", value_name = "BOOL")]
    pub(crate) setup_sample: Option<bool>,
    /// Reads pages of other hosts for the titles and pictures of embeds [default: true]
    #[arg(long, env = "BINDERY_EMBED_DESCRIPTIONS", value_name = "BOOL")]
    pub(crate) embed_descriptions: Option<bool>,
    /// Token for `/metrics` [default: none; `/metrics` is disabled]
    #[arg(long, env = "BINDERY_METRICS_TOKEN", hide_env_values = true, value_name = "TOKEN")]
    pub(crate) metrics_token: Option<String>,
    /// Format of the log [default: text]
    #[arg(long, env = "BINDERY_LOG_FORMAT", value_name = "FORMAT")]
    pub(crate) log_format: Option<LogFormat>,
    /// Milliseconds from which a request is logged as slow; 0 to log none [default: 5000]
    #[arg(long, env = "BINDERY_LOG_SLOW_REQUEST_MS", value_name = "MS")]
    pub(crate) log_slow_request_ms: Option<u64>,
    /// Milliseconds from which a database transaction is logged as slow; 0 to log none
    /// [default: 1000]
    #[arg(long, env = "BINDERY_LOG_SLOW_TRANSACTION_MS", value_name = "MS")]
    pub(crate) log_slow_transaction_ms: Option<u64>,
    /// OpenTelemetry collector that receives traces with OTLP over HTTP, as http://host:4318
    /// [default: none; no traces are exported]
    #[arg(long, env = "BINDERY_OTLP_ENDPOINT", value_name = "URL")]
    pub(crate) otlp_endpoint: Option<String>,
    /// Headers of requests to the collector, as name=value,name=value with percent-encoded values.
    #[arg(long, env = "BINDERY_OTLP_HEADERS", hide_env_values = true, value_name = "HEADERS")]
    pub(crate) otlp_headers: Option<String>,
    /// Part of the traces that are exported, from 0 to 1 [default: 1]
    #[arg(long, env = "BINDERY_OTLP_SAMPLE_RATIO", value_name = "RATIO")]
    pub(crate) otlp_sample_ratio: Option<f64>,
    #[command(flatten)]
    pub(crate) security: SecurityOptions,
}

/// The location of the store.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct StoreArgs {
    /// Data folder [default: ./data]
    #[arg(long, env = "BINDERY_DATA", value_name = "DIR")]
    pub(crate) data: Option<PathBuf>,
    /// PostgreSQL address, to use instead of the embedded database.
    #[arg(long, env = "BINDERY_DATABASE_URL", hide_env_values = true, value_name = "URL")]
    pub(crate) database_url: Option<String>,
    /// S3 address for large objects, to use instead of the data folder.
    #[arg(long, env = "BINDERY_OBJECT_STORE_URL", hide_env_values = true, value_name = "URL")]
    pub(crate) object_store_url: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    data: Option<PathBuf>,
    database_url: Option<String>,
    object_store_url: Option<String>,
    listen: Option<String>,
    public_url: Option<String>,
    sites_url: Option<String>,
    trusted_proxy: Option<String>,
    outbound_allow: Option<String>,
    github_app_id: Option<String>,
    github_app_private_key_file: Option<PathBuf>,
    github_app_accounts: Option<String>,
    github_app_webhook_secret: Option<String>,
    github_api_url: Option<String>,
    sealing_key: Option<String>,
    sealing_key_file: Option<PathBuf>,
    setup_token: Option<String>,
    setup_sample: Option<bool>,
    embed_descriptions: Option<bool>,
    metrics_token: Option<String>,
    log_format: Option<LogFormat>,
    log_slow_request_ms: Option<u64>,
    log_slow_transaction_ms: Option<u64>,
    otlp_endpoint: Option<String>,
    otlp_headers: Option<String>,
    otlp_sample_ratio: Option<f64>,
    #[serde(default)]
    mail: FileMail,
    #[serde(default)]
    limits: FileLimits,
    #[serde(default)]
    audit: FileAudit,
    #[serde(default)]
    security: SecurityOptions,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct FileAudit {
    retention_days: Option<u32>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct FileMail {
    server: Option<String>,
    from: Option<String>,
    delay: Option<u32>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct FileLimits {
    json_body: Option<u64>,
    content_body: Option<u64>,
    archive_body: Option<u64>,
    upload_bytes_per_caller: Option<u64>,
    upload_bytes: Option<u64>,
    json_depth: Option<usize>,
    body_seconds: Option<u64>,
    import_bytes: Option<u64>,
    git_cache_bytes: Option<u64>,
    import_files: Option<u64>,
    import_file_bytes: Option<u64>,
    import_seconds: Option<u64>,
    page_cache_bytes: Option<u64>,
    text_cache_bytes: Option<u64>,
    requests_per_user: Option<PerMinute>,
    requests_per_address: Option<PerMinute>,
    connections: Option<usize>,
    connections_per_address: Option<usize>,
    head_seconds: Option<u64>,
    transfer_rate: Option<u64>,
    transfer_seconds: Option<u64>,
}

/// A rate limit in requests per minute.
#[derive(Clone, Copy, Debug)]
struct PerMinute(u32);

impl PerMinute {
    const MAX: u32 = 1_000_000_000;
}

impl<'de> Deserialize<'de> for PerMinute {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_i64(PerMinuteVisitor)
    }
}

/// Names the allowed range in error messages, unlike the visitor of a plain number.
struct PerMinuteVisitor;

impl Visitor<'_> for PerMinuteVisitor {
    type Value = PerMinute;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "requests a minute, a whole number of 0 (no limit) to {}", PerMinute::MAX)
    }

    fn visit_i64<E: serde::de::Error>(self, value: i64) -> Result<PerMinute, E> {
        let fits = u32::try_from(value).ok().filter(|value| *value <= PerMinute::MAX);
        fits.map(PerMinute).ok_or_else(|| E::invalid_value(Unexpected::Signed(value), &self))
    }
}

impl FileLimits {
    fn with_defaults(&self, audit: &FileAudit, defaults: Limits) -> Limits {
        Limits {
            json_body: self.json_body.unwrap_or(defaults.json_body),
            content_body: self.content_body.unwrap_or(defaults.content_body),
            archive_body: self.archive_body.unwrap_or(defaults.archive_body),
            upload_bytes_per_caller: self
                .upload_bytes_per_caller
                .unwrap_or(defaults.upload_bytes_per_caller),
            upload_bytes: self.upload_bytes.unwrap_or(defaults.upload_bytes),
            json_depth: self.json_depth.unwrap_or(defaults.json_depth),
            body_time: self.body_seconds.map_or(defaults.body_time, Duration::from_secs),
            import_bytes: self.import_bytes.unwrap_or(defaults.import_bytes),
            git_cache_bytes: self.git_cache_bytes.unwrap_or(defaults.git_cache_bytes),
            import_files: self.import_files.unwrap_or(defaults.import_files),
            import_file_bytes: self.import_file_bytes.unwrap_or(defaults.import_file_bytes),
            import_time: self.import_seconds.map_or(defaults.import_time, Duration::from_secs),
            page_cache_bytes: self.page_cache_bytes.unwrap_or(defaults.page_cache_bytes),
            text_cache_bytes: self.text_cache_bytes.unwrap_or(defaults.text_cache_bytes),
            requests_per_user: per_minute(self.requests_per_user, defaults.requests_per_user),
            requests_per_address: per_minute(
                self.requests_per_address,
                defaults.requests_per_address,
            ),
            notification_delay: defaults.notification_delay,
            audit_days: audit.retention_days.unwrap_or(defaults.audit_days),
        }
    }
}

impl FileLimits {
    fn listen(&self) -> ListenLimits {
        let defaults = ListenLimits::default();
        ListenLimits {
            connections: self.connections.unwrap_or(defaults.connections),
            connections_per_address: self
                .connections_per_address
                .unwrap_or(defaults.connections_per_address),
            head: self
                .head_seconds
                .map_or(defaults.head, |seconds| Duration::from_secs(seconds.max(1))),
            transfer_rate: self.transfer_rate.unwrap_or(defaults.transfer_rate),
            transfer_time: self
                .transfer_seconds
                .map_or(defaults.transfer_time, |seconds| Duration::from_secs(seconds.max(1))),
            ..defaults
        }
    }
}

fn per_minute(given: Option<PerMinute>, default: u32) -> u32 {
    given.map_or(default, |PerMinute(requests)| requests)
}

/// The complete configuration of a server.
#[derive(Clone, Debug)]
pub(crate) struct Config {
    pub(crate) data: PathBuf,
    pub(crate) database_url: Option<String>,
    pub(crate) object_store_url: Option<String>,
    pub(crate) listen: String,
    pub(crate) public_url: Option<String>,
    pub(crate) sites_url: Option<String>,
    pub(crate) proxies: TrustedProxies,
    pub(crate) guard: Guard,
    pub(crate) mailer: Option<Mailer>,
    pub(crate) github: Option<Arc<GitHubApp>>,
    pub(crate) sealing_key: Option<SealingKey>,
    pub(crate) replace_sealing_key: bool,
    pub(crate) setup_token: Option<String>,
    pub(crate) setup_sample: bool,
    pub(crate) embed_descriptions: bool,
    pub(crate) metrics_token: Option<String>,
    /// The contact for reports of vulnerabilities; `None` to name none.
    pub(crate) security: Option<SecurityTxt>,
    pub(crate) log_format: LogFormat,
    /// Duration from which a request is logged as slow; `None` to log none.
    pub(crate) slow_request: Option<Duration>,
    /// Duration from which a database transaction is logged as slow; `None` to log none.
    pub(crate) slow_transaction: Option<Duration>,
    /// The export of traces; `None` to export none.
    pub(crate) traces: Option<TraceExport>,
    pub(crate) limits: Limits,
    pub(crate) listen_limits: ListenLimits,
}

impl Config {
    pub(crate) fn load(args: ServerArgs) -> Result<Self> {
        let file = match &args.config {
            None => File::default(),
            Some(path) => {
                let text = std::fs::read_to_string(path)
                    .with_context(|| format!("cannot read {}", path.display()))?;
                toml::from_str(&text).with_context(|| format!("in {}", path.display()))?
            }
        };
        let guard = match args.outbound_allow.or(file.outbound_allow) {
            None => Guard::public_only(),
            Some(text) => Guard::parse(&text).context("--outbound-allow")?,
        };
        let proxies = args.trusted_proxy.or(file.trusted_proxy).unwrap_or_default();
        let proxies = TrustedProxies::parse(&proxies).context("--trusted-proxy")?;
        let sealing_key = match SealingKey::from_options(args.sealing_key, args.sealing_key_file)? {
            None => SealingKey::from_options(file.sealing_key, file.sealing_key_file)?,
            given => given,
        };
        let public_url = args.public_url.or(file.public_url);
        let sites_url = args.sites_url.or(file.sites_url);
        for (flag, url) in [("--public-url", &public_url), ("--sites-url", &sites_url)] {
            if let Some(url) = url {
                anyhow::ensure!(
                    url.starts_with("http://") || url.starts_with("https://"),
                    "{flag} {url}: the address must begin with http:// or https://"
                );
            }
        }
        let mut defaults = Limits::default();
        if let Some(seconds) = args.mail_delay.or(file.mail.delay) {
            defaults.notification_delay = Duration::from_secs(seconds.into());
        }
        let mailer = mailer(
            args.mail_server.or(file.mail.server),
            args.mail_from.or(file.mail.from),
            public_url.as_deref(),
        )?;
        let github = github_app(
            args.github_app_id.or(file.github_app_id),
            args.github_app_private_key_file.or(file.github_app_private_key_file),
            args.github_api_url.or(file.github_api_url),
            args.github_app_accounts.or(file.github_app_accounts),
            args.github_app_webhook_secret.or(file.github_app_webhook_secret),
        )?;
        let traces = TraceExport::from_options(
            args.otlp_endpoint.or(file.otlp_endpoint),
            args.otlp_headers.or(file.otlp_headers),
            args.otlp_sample_ratio.or(file.otlp_sample_ratio),
        )?;
        Ok(Self {
            data: args.store.data.or(file.data).unwrap_or_else(|| PathBuf::from("data")),
            database_url: args.store.database_url.or(file.database_url),
            object_store_url: args.store.object_store_url.or(file.object_store_url),
            listen: args.listen.or(file.listen).unwrap_or_else(|| "127.0.0.1:8080".to_owned()),
            public_url,
            sites_url,
            proxies,
            guard,
            mailer,
            github,
            sealing_key,
            replace_sealing_key: args.replace_sealing_key,
            setup_token: args.setup_token.or(file.setup_token),
            setup_sample: args.setup_sample.or(file.setup_sample).unwrap_or(true),
            embed_descriptions: args.embed_descriptions.or(file.embed_descriptions).unwrap_or(true),
            security: SecurityTxt::from_options(args.security.or(file.security))?,
            metrics_token: args.metrics_token.or(file.metrics_token),
            log_format: args.log_format.or(file.log_format).unwrap_or_default(),
            slow_request: threshold(
                args.log_slow_request_ms.or(file.log_slow_request_ms),
                SLOW_REQUEST_MS,
            ),
            slow_transaction: threshold(
                args.log_slow_transaction_ms.or(file.log_slow_transaction_ms),
                SLOW_TRANSACTION_MS,
            ),
            traces,
            listen_limits: file.limits.listen(),
            limits: file.limits.with_defaults(&file.audit, defaults),
        })
    }
}

/// Returns a threshold of the log that is given in milliseconds; `None` if it is 0.
fn threshold(given: Option<u64>, default: u64) -> Option<Duration> {
    let millis = given.unwrap_or(default);
    (millis > 0).then(|| Duration::from_millis(millis))
}

/// Returns the GitHub App, if one is configured.
fn github_app(
    id: Option<String>,
    key_file: Option<PathBuf>,
    api: Option<String>,
    accounts: Option<String>,
    webhook_secret: Option<String>,
) -> Result<Option<Arc<GitHubApp>>> {
    let (id, key_file) = match (id, key_file) {
        (None, None) => return Ok(None),
        (Some(id), Some(key_file)) => (id, key_file),
        _ => anyhow::bail!(
            "a GitHub App needs both an id (--github-app-id) and a key \
             (--github-app-private-key-file)"
        ),
    };
    let pem = std::fs::read_to_string(&key_file)
        .with_context(|| format!("cannot read {}", key_file.display()))?;
    let api = api.as_deref().unwrap_or(GITHUB_API);
    let app = GitHubApp::new(&id, &pem, api, accounts.as_deref().unwrap_or_default())
        .with_context(|| format!("the GitHub App {id}"))?;
    Ok(Some(Arc::new(app.with_webhook_secret(webhook_secret))))
}

/// Returns the mail sender, if mail is configured. Mail contains addresses of this server. The jobs
/// that write mail cannot derive them from a request, so the public address must be configured too.
fn mailer(
    server: Option<String>,
    from: Option<String>,
    public_url: Option<&str>,
) -> Result<Option<Mailer>> {
    let (server, from) = match (server, from) {
        (None, None) => return Ok(None),
        (Some(server), Some(from)) => (server, from),
        _ => anyhow::bail!("mail needs both a server (--mail-server) and a sender (--mail-from)"),
    };
    anyhow::ensure!(public_url.is_some(), "mail needs --public-url: it contains addresses");
    Ok(Some(Mailer::new(&server, &from)?))
}
