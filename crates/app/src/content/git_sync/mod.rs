//! Continuous synchronisation of a space with a branch of a Git repository.
//!
//! `settings` contains the use cases. Runs are jobs (`job`), which import and export with the
//! same code as the operations. A run is requested (`trigger`) by a new head of the space, by an
//! event of the Git server (`hooks`), by a person, or by a check of the branch (`poll`). Dry runs
//! (`dry_run`) find out what a run would change.

mod dry_run;
mod github_app_hooks;
mod hooks;
mod job;
mod keys;
mod poll;
mod schedule;
mod settings;
mod template;
mod trigger;

pub(crate) use self::dry_run::GitSyncDryRunJob;
pub(crate) use self::job::GitSyncJob;
pub(crate) use self::poll::check_due;
pub(super) use self::settings::put_of_installation;
pub(super) use self::template::{check_at as check_template, message_of, render as message_since};
pub(crate) use self::trigger::change_request_changed;
pub(super) use self::trigger::head_moved;

pub use self::dry_run::{
    DryRun, DryRunChanges, FileChange, Listed, SpaceChange, SyncConflict, get as get_dry_run,
    start as start_dry_run,
};
pub(crate) use self::hooks::is_signed;
pub use self::hooks::{DeliveredEvent, HookHeaders, receive};
pub use self::settings::{
    ChangeRequestSync, ChangedSync, GitSyncChange, GivenCredentials, MAX_POLLING_SECONDS,
    MIN_POLLING_SECONDS, delete, get, list_runs, pause, put, resume, start,
};
pub use bindery_store::git_sync_runs::GitSyncRun;
pub use bindery_store::git_syncs::{GitSync, GitSyncSettings};
