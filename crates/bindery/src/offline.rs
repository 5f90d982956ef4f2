//! Commands that work on the store without a server: creating a token or a sign-in link for a user
//! who is locked out, and removing unused objects.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, Result, anyhow};
use bindery_app::access::Lineage;
use bindery_app::jobs::collector::{self, Collected};
use bindery_app::publishing::urls::Urls;
use bindery_app::secrets::Secrets;
use bindery_app::{content::spaces, people::sign_in, people::tokens, review::editing};
use bindery_model::{Clock as _, Entropy, Error};
use bindery_store::users::{self, User};
use bindery_store::{Store, Tx};
use clap::Args;
use serde_json::{Value, json};

use crate::client::{Flags, with_flags};
use crate::clock::SystemClock;
use crate::config::StoreArgs;
use crate::data_folder;
use crate::output::{Output, OutputArgs};
use crate::sealing::{self, SealingKey};
use crate::serve::open_store;

/// The number of files removed in one batch.
const FILE_BATCH: u32 = 256;

/// Arguments of `bindery token create`.
#[derive(Debug, Args)]
pub(crate) struct TokenArgs {
    #[command(flatten)]
    store: StoreArgs,
    /// Mail address of the account.
    #[arg(long, value_name = "MAIL")]
    email: String,
    /// Name of the token.
    #[arg(long, default_value = "made on the server", value_name = "NAME")]
    name: String,
    #[command(flatten)]
    output: OutputArgs,
}

/// Arguments of `bindery user sign-in-link`.
#[derive(Debug, Args)]
pub(crate) struct SignInLinkArgs {
    #[command(flatten)]
    store: StoreArgs,
    /// Mail address of the account.
    #[arg(long, value_name = "MAIL")]
    email: String,
    /// Address at which browsers reach the server [default: http:// and the listen address]
    #[arg(long, env = "BINDERY_PUBLIC_URL", value_name = "URL")]
    public_url: Option<String>,
    /// Address and port that the server listens on.
    #[arg(long, env = "BINDERY_LISTEN", default_value = "127.0.0.1:8080", value_name = "ADDRESS")]
    listen: String,
    /// Sealing key of the store [default: the file sealing.key in the data folder]
    #[arg(long, env = "BINDERY_SEALING_KEY", hide_env_values = true, value_name = "KEY")]
    sealing_key: Option<String>,
    /// File that contains the sealing key.
    #[arg(long, env = "BINDERY_SEALING_KEY_FILE", value_name = "FILE")]
    sealing_key_file: Option<PathBuf>,
    #[command(flatten)]
    output: OutputArgs,
}

/// Arguments of `bindery store collect`.
#[derive(Debug, Args)]
pub(crate) struct CollectArgs {
    #[command(flatten)]
    store: StoreArgs,
    /// Also removes all deleted spaces permanently, although they could still be restored.
    #[arg(long)]
    deleted_spaces: bool,
    #[command(flatten)]
    output: OutputArgs,
}

/// The flags for the values of a token, for error messages.
const TOKEN_FLAGS: Flags = &[("/name", "--name")];

/// Runs `bindery token create`.
pub(crate) fn create_token(args: TokenArgs) -> Result<()> {
    let (email, name) = (args.email, args.name);
    let mut output = Output::new(args.output);
    let token = with_store(args.store, async move |store, entropy| {
        let text = tokens::generate(&entropy);
        let token = text.clone();
        store
            .write(move |tx| {
                let user = get_user(tx, &email)?;
                let at = (&*entropy, SystemClock.now());
                tokens::issue_whole(tx, at, user.id, &name, &text)?;
                Ok::<_, Error>(())
            })
            .await
            .map_err(|error| anyhow!(with_flags(error.message(), TOKEN_FLAGS)))?;
        Ok(token)
    })?;
    output.line(format!("token: {token}")).member("token", token);
    output.print();
    Ok(())
}

/// Runs `bindery user sign-in-link`.
pub(crate) fn create_sign_in_link(args: SignInLinkArgs) -> Result<()> {
    let SignInLinkArgs { store, email, public_url, listen, sealing_key, sealing_key_file, output } =
        args;
    let public_url = public_url.unwrap_or_else(|| format!("http://{listen}"));
    let given = SealingKey::from_options(sealing_key, sealing_key_file)?;
    let data = data_folder_path(&store);
    let secret = with_store(store, async move |store, entropy| {
        let key = sealing::existing_key(given, &data, &store).await?;
        let make = move |tx: &Tx<'_>| {
            let user = get_user(tx, &email)?;
            let secrets = Secrets::of_store(tx, key.bytes())?;
            let at = (&*entropy, SystemClock.now());
            sign_in::hand_over(tx, &secrets, at, &user, Lineage::default())
        };
        Ok(store.write(make).await?)
    })?;
    let url = Urls::new(&public_url).app_sign_in(&secret);
    let mut output = Output::new(output);
    output.line(format!("sign in: {url}")).member("signInURL", url);
    output.print();
    Ok(())
}

fn get_user(tx: &Tx<'_>, email: &str) -> Result<User, Error> {
    users::get_by_email(tx, email)?
        .ok_or_else(|| Error::invalid(format!("there is no account with the address {email}")))
}

/// Runs `bindery store collect`.
pub(crate) fn collect(args: CollectArgs) -> Result<()> {
    // The embedded database is used by this process alone, so no write is in progress.
    let min_age = match args.store.database_url {
        None => Duration::ZERO,
        Some(_) => collector::INTERVAL,
    };
    let deleted = args.deleted_spaces;
    let (spaces, collected) = with_store(args.store, async move |store, _| {
        let mut spaces = 0;
        while deleted && spaces::remove_one(&store, SystemClock.now()).await? {
            spaces += 1;
        }
        editing::compact(&store).await?;
        let mut collected = None;
        // Objects that the first collection finds unreachable are removed by the second.
        for _ in 0..2 {
            collected = collector::collect(&store, min_age).await?.or(collected);
        }
        while store.sweep_files(min_age, FILE_BATCH).await? > 0 {}
        Ok((spaces, collected))
    })?;
    let mut output = Output::new(args.output);
    output.line(format!("deleted spaces removed: {spaces}")).member("deletedSpaces", spaces);
    match collected {
        Some(Collected { reached, removed }) => {
            output.line(format!("objects: {reached} needed, {removed} removed"));
            output.member("objects", json!({ "needed": reached, "removed": removed }));
        }
        None => {
            output.line("objects: the last collection started less than a day ago");
            output.member("objects", Value::Null);
        }
    }
    output.print();
    Ok(())
}

fn data_folder_path(args: &StoreArgs) -> PathBuf {
    args.data.clone().unwrap_or_else(|| PathBuf::from("data"))
}

/// Opens the store that the arguments name and runs `work` on it.
fn with_store<T>(
    args: StoreArgs,
    work: impl AsyncFnOnce(Store, Arc<Entropy>) -> Result<T>,
) -> Result<T> {
    let data = data_folder_path(&args);
    anyhow::ensure!(
        args.database_url.is_some() || data.is_dir(),
        "there is no store in {}: name the server's data folder with --data",
        data.display()
    );
    data_folder::prepare(&data)?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    runtime.context("cannot start the worker threads")?.block_on(async move {
        let entropy = Arc::new(Entropy::from_system()?);
        let made = Arc::clone(&entropy);
        let store = open_store(&data, args.database_url, args.object_store_url, made, None).await?;
        work(store, entropy).await
    })
}
