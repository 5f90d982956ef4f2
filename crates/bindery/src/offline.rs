//! `bindery token create`: a token for somebody who is locked out, on the store itself.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Context as _, Result};
use bindery_app::access::Scopes;
use bindery_app::tokens;
use bindery_model::{Clock as _, Entropy, Error};
use bindery_store::users;
use clap::Args;

use crate::clock::SystemClock;
use crate::config::StoreArgs;
use crate::serve::{open_store, say};

/// What `bindery token create` takes.
#[derive(Debug, Args)]
pub(crate) struct TokenArgs {
    #[command(flatten)]
    store: StoreArgs,
    /// The person's mail address.
    #[arg(long, value_name = "MAIL")]
    email: String,
    /// What the token is called.
    #[arg(long, default_value = "made on the server", value_name = "NAME")]
    name: String,
}

pub(crate) fn run(args: TokenArgs) -> Result<()> {
    let data = args.store.data.unwrap_or_else(|| PathBuf::from("data"));
    anyhow::ensure!(
        args.store.database_url.is_some() || data.is_dir(),
        "there is no store in {}: name the server's data folder with --data",
        data.display()
    );
    let (email, name) = (args.email, args.name);
    let token = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .context("cannot start threads")?
        .block_on(async move {
            let entropy = Arc::new(Entropy::from_system()?);
            let made = Arc::clone(&entropy);
            let store =
                open_store(&data, args.store.database_url, args.store.object_store_url, entropy)
                    .await?;
            let text = tokens::generate(&made);
            let token = text.clone();
            store
                .write(move |tx| {
                    let user = users::get_by_email(tx, &email)?
                        .ok_or_else(|| Error::invalid(format!("nobody has the address {email}")))?;
                    let new = tokens::NewToken { name: name.clone(), ..Default::default() };
                    let now = SystemClock.now();
                    tokens::issue(tx, &made, now, user.id, &new, Scopes::ALL, Some(&text))?;
                    Ok::<_, Error>(())
                })
                .await?;
            Ok::<_, anyhow::Error>(token)
        })?;
    say(&format!("token: {token}"));
    Ok(())
}
