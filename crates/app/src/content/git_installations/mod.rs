//! Installations of Git hosting services on spaces and sites.
//!
//! An installation names a repository by its number at GitLab or GitHub.
//! [`prepare`](fn@prepare) asks the service for the repository before the transaction;
//! [`update`](fn@update) then sets up the synchronisation of the space, or of the spaces of the site
//! (module `connect`), which [`git_sync`](super::git_sync) runs.

mod connect;
mod github;
mod gitlab;
mod install;
mod prepare;
mod service;
mod update;
mod webhook;

pub(super) use self::github::credentials;
pub(super) use self::gitlab::INSTANCE as GITLAB_INSTANCE;
pub(super) use self::webhook::remove_of_space;

pub(crate) use self::webhook::GitWebhookJob;

pub use self::github::{API as GITHUB_API, GitHubApp};
pub use self::install::{
    GitInstallationTarget, GitInstallationView, InstallationPlace, get, install, list_on_site,
    remove_webhooks_of_site, require_none, uninstall,
};
pub use self::prepare::{InstallationChange, PreparedChange, ServiceChange, prepare};
pub use self::update::{MissingConfiguration, Updated, update};
pub use bindery_store::git_installations::GitInstallation;
