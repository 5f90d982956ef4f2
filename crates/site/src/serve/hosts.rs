//! The sites that hosts lead to, cached until the store changes.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

use bindery_app::App;
use bindery_app::publishing::resolve::HostSites;
use bindery_model::Result;

/// Maximum number of cached hosts. Requests can name any number of them.
const MAX_HOSTS: usize = 1_000;

/// A cache of the sites that hosts lead to.
#[derive(Debug, Default)]
pub(super) struct HostCache(RwLock<HashMap<String, (u64, HostSites)>>);

impl HostCache {
    /// Returns the sites that a host leads to.
    pub(super) async fn get(&self, app: &Arc<App>, host: &str) -> Result<HostSites> {
        if !HostSites::can_be_chosen(&app.urls, host) {
            return Ok(HostSites::All);
        }
        // The counter is read before the sites, so that a concurrent change is found at the next
        // request.
        let now = app.store.changes();
        {
            let hosts = self.0.read().unwrap_or_else(PoisonError::into_inner);
            if let Some((found_at, sites)) = hosts.get(host)
                && Some(*found_at) == now
            {
                return Ok(sites.clone());
            }
        }
        let (held, name) = (Arc::clone(app), host.to_owned());
        let read = app.store.read(move |tx| HostSites::find(tx, &held.urls, &name));
        let sites = Box::pin(read).await?;
        if let Some(now) = now {
            let mut hosts = self.0.write().unwrap_or_else(PoisonError::into_inner);
            if hosts.len() >= MAX_HOSTS {
                hosts.clear();
            }
            hosts.insert(host.to_owned(), (now, sites.clone()));
        }
        Ok(sites)
    }
}
