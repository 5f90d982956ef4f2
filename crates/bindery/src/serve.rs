//! `bindery serve`: assembles the server, runs it and shuts it down.

use std::num::NonZero;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, Result};
use bindery_app::content::embedded::Embedded;
use bindery_app::publishing::urls::Urls;
use bindery_app::secrets::{self, LostLinks, Secrets};
use bindery_app::setup::FirstCredentials;
use bindery_app::{App, setup};
use bindery_http::ConnectionMetrics;
use bindery_model::Entropy;
use bindery_store::{EngineConfig, ObjectsConfig, Store, StoreConfig};
use tokio::net::TcpListener;
use tokio::sync::watch;

use crate::clock::SystemClock;
use crate::config::{Config, ServerArgs};
use crate::output::print_line;
use crate::server::Server;
use crate::traces::Traces;
use crate::{data_folder, descriptors, log, sample, sealing};

pub(crate) fn run(args: ServerArgs) -> Result<()> {
    let config = Config::load(args)?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .thread_name("bindery")
        .build()
        .context("cannot start the worker threads")?;
    let traces = config.traces.as_ref();
    let traces =
        traces.map(|export| Traces::start(export, runtime.handle().clone())).transpose()?;
    log::start(config.log_format, traces.as_ref());
    data_folder::prepare(&config.data)?;
    runtime.block_on(async {
        let served = serve(config).await;
        if let Some(traces) = traces {
            traces.shut_down().await;
        }
        served
    })
}

/// Starts the runtime of the connections. It parses requests and serves pages from memory, on half
/// of the processors, so that pages neither wait for requests to the API nor compete with them for
/// every processor. See decision 0040.
fn io_runtime() -> Result<tokio::runtime::Runtime> {
    let processors = std::thread::available_parallelism().map_or(1, NonZero::get);
    tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .thread_name("bindery-io")
        .worker_threads((processors / 2).max(1))
        .build()
        .context("cannot start the threads of the connections")
}

/// Opens the store that a configuration names.
pub(crate) async fn open_store(
    data: &std::path::Path,
    database_url: Option<String>,
    object_store_url: Option<String>,
    entropy: Arc<Entropy>,
    slow_transaction: Option<Duration>,
) -> Result<Store> {
    let mut config = StoreConfig::embedded(data, Arc::new(SystemClock), entropy);
    config.slow_transaction = slow_transaction;
    if let Some(url) = database_url {
        config.engine = EngineConfig::Postgres { url, connections: StoreConfig::CONNECTIONS };
    }
    if let Some(url) = object_store_url {
        config.objects = ObjectsConfig::Url(url);
    }
    Ok(Store::open(config).await?)
}

async fn serve(config: Config) -> Result<()> {
    let listen = descriptors::fit(config.listen_limits)?;
    let entropy = Arc::new(Entropy::from_system()?);
    let store = open_store(
        &config.data,
        config.database_url.clone(),
        config.object_store_url.clone(),
        Arc::clone(&entropy),
        config.slow_transaction,
    )
    .await?;
    let listener = TcpListener::bind(&config.listen)
        .await
        .with_context(|| format!("cannot listen at {}", config.listen))?;
    let listener = listener.into_std()?;
    let address = listener.local_addr()?;
    let urls = match &config.public_url {
        Some(url) => Urls::new(url),
        None => Urls::assumed(&format!("http://{address}")),
    };
    let key = sealing::adopt_key(&config, &store, &entropy).await?;
    let secrets = store.write(move |tx| Secrets::of_store(tx, key.bytes())).await?;
    warn_of_lost_links(&store).await?;
    let app = Arc::new(App::new(bindery_app::Parts {
        store,
        clock: Arc::new(SystemClock),
        entropy,
        urls: urls.with_sites(config.sites_url.as_deref()),
        secrets,
        guard: config.guard.clone(),
        mailer: config.mailer.clone(),
        github: config.github.clone(),
        limits: config.limits,
        describes_embeds: config.embed_descriptions,
        cache_dir: config.data.join("cache"),
        labels: |language| bindery_site::i18n::messages(language).text,
    })?);
    start_store(&app, &config).await?;
    let connections = Arc::new(ConnectionMetrics::default());
    if config.security.as_ref().is_some_and(|security| security.has_expired(app.clock.now())) {
        tracing::warn!("security.txt has expired: set --security-expires to a later date");
    }
    let server = Arc::new(Server::new(
        Arc::clone(&app),
        config.proxies.clone(),
        config.metrics_token.clone(),
        config.security.clone(),
        Arc::clone(&connections),
        config.slow_request,
        config.traces.is_some(),
    )?);
    let (stop, stopping) = watch::channel(false);
    let jobs = tokio::spawn(bindery_app::run_jobs(Arc::clone(&app), stopping.clone()));
    let ended = end_signals()?;
    print_line(&format!("bindery listening on http://{address}"));
    let draining = Arc::clone(&server);
    let shutdown = async move {
        ended.await;
        draining.drain();
    };
    let handler = Arc::clone(&server);
    let proxies = config.proxies.clone();
    let io = io_runtime()?;
    let served = io.spawn(async move {
        let listener = TcpListener::from_std(listener)?;
        bindery_http::serve(listener, handler, listen, proxies, connections, shutdown).await;
        Ok::<_, std::io::Error>(())
    });
    let served = served.await;
    io.shutdown_background();
    served.context("the listener failed")?.context("cannot listen")?;
    stop.send_replace(true);
    jobs.await.context("the job runner failed")?;
    Ok(())
}

/// Logs a warning if sign-in links or invitations that are still in use became invalid because the
/// sealing key changed.
async fn warn_of_lost_links(store: &Store) -> Result<()> {
    let lost = store.write(secrets::drop_links_of_other_keys).await?;
    if let Some(LostLinks { sign_in_links, invitations }) = lost {
        tracing::warn!(
            sign_in_links,
            invitations,
            "sign-in links and invitation addresses that were sent before this start are no \
             longer valid, because the sealing key was replaced. Passwords, tokens and sessions \
             are not affected. Invite again, or pass on the addresses that listInvitations shows"
        );
    }
    Ok(())
}

/// Sets up an empty store, and prints the addresses of the server.
async fn start_store(app: &Arc<App>, config: &Config) -> Result<()> {
    let wanted = setup::Setup {
        token: config.setup_token.clone(),
        sample: config.setup_sample.then_some(sample::folder as fn() -> Embedded),
    };
    let first = setup::first_start(app, wanted).await?;
    if let Some(FirstCredentials { token, sign_in_link }) =
        first.as_ref().and_then(|first| first.credentials.as_ref())
    {
        print_line(&format!("bindery token: {token}"));
        print_line(&format!("sign in: {sign_in_link}"));
    }
    print_line(&format!("api: {}", app.urls.api("/")));
    print_line(&format!("app: {}", app.urls.application()));
    let site = match first {
        Some(first) => first.site,
        None => {
            let site = app.store.read(bindery_store::sites::first_public).await?;
            site.map(|site| app.urls.site(&site))
        }
    };
    if let Some(site) = site {
        print_line(&format!("site: {site}"));
    }
    Ok(())
}

/// Starts to listen for the signals that end the server. The returned future completes when one is
/// received.
fn end_signals() -> Result<impl Future<Output = ()>> {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        let mut terminate = signal(SignalKind::terminate()).context("cannot listen for SIGTERM")?;
        let mut interrupt = signal(SignalKind::interrupt()).context("cannot listen for SIGINT")?;
        // The end of a terminal session does not end the server.
        let mut hangup = signal(SignalKind::hangup()).context("cannot listen for SIGHUP")?;
        Ok(async move {
            loop {
                tokio::select! {
                    _ = terminate.recv() => return,
                    _ = interrupt.recv() => return,
                    _ = hangup.recv() => tracing::info!("SIGHUP is ignored"),
                }
            }
        })
    }
    #[cfg(not(unix))]
    {
        Ok(async {
            let _interrupted = tokio::signal::ctrl_c().await;
        })
    }
}
