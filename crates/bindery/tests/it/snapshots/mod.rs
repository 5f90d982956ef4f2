//! Snapshots of successful responses: one file per implemented operation, in a folder per group,
//! equal on both engines.

mod accounts;
mod change_requests;
mod comments;
mod normalize;
mod organizations;
mod permissions;
mod recorder;
mod space_content;
mod spaces;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use bindery_testkit::SmtpServer;
use bindery_testkit::git_server::GitServer;

use crate::support::every_operation::{built, one_of_everything};
use crate::support::{TestEnv, each_engine_with};
use recorder::{FirstTexts, Recorder};

/// The folder of the snapshots, with a folder for each group of the contract.
const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/snapshots");

#[test]
fn every_operation_answers_as_in_its_snapshot() {
    let smtp = SmtpServer::start();
    let first = FirstTexts::default();
    each_engine_with(
        |installation| installation.mailing_through(&smtp),
        async |env: &mut TestEnv| {
            let git = GitServer::start();
            let ids = one_of_everything(env, &git, "One").await;
            let mut recorder = Recorder::new(env, ids, &first);
            organizations::audit_events(&mut recorder).await;
            organizations::organizations(&mut recorder).await;
            accounts::users(&mut recorder).await;
            accounts::tokens(&mut recorder).await;
            accounts::sessions(&mut recorder, &smtp).await;
            organizations::members(&mut recorder).await;
            organizations::invites(&mut recorder).await;
            organizations::teams(&mut recorder).await;
            space_content::imports(&mut recorder, &git).await;
            space_content::current(&mut recorder).await;
            spaces::searches(&mut recorder).await;
            space_content::revisions(&mut recorder).await;
            space_content::history(&mut recorder).await;
            space_content::templates(&mut recorder).await;
            space_content::git_sync(&mut recorder, &git).await;
            comments::comments(&mut recorder, "InSpace").await;
            change_requests::content(&mut recorder).await;
            comments::comments(&mut recorder, "InChangeRequest").await;
            change_requests::reviews(&mut recorder).await;
            change_requests::merges(&mut recorder).await;
            spaces::audience(&mut recorder).await;
            spaces::redirects(&mut recorder).await;
            spaces::fonts(&mut recorder).await;
            spaces::openapi(&mut recorder).await;
            spaces::structure(&mut recorder).await;
            spaces::sites(&mut recorder).await;
            spaces::spaces(&mut recorder).await;
            spaces::collections(&mut recorder).await;
            permissions::permissions(&mut recorder, "Space").await;
            permissions::permissions(&mut recorder, "Collection").await;
            permissions::permissions(&mut recorder, "Site").await;
            space_content::git_installations(&mut recorder).await;
            spaces::removals(&mut recorder).await;
            recorder.finish();
        },
    );
}

/// Returns the path of the snapshot of an operation below the folder.
fn file_of(group: &str, operation: &str) -> PathBuf {
    Path::new(group).join(format!("{operation}.snap"))
}

#[test]
fn every_snapshot_belongs_to_an_operation() {
    let expected: BTreeSet<_> =
        built().map(|operation| file_of(&operation.group, &operation.id)).collect();
    let mut found = BTreeSet::new();
    for group in std::fs::read_dir(FOLDER).unwrap().map(|entry| entry.unwrap().path()) {
        if !group.is_dir() {
            continue;
        }
        for file in std::fs::read_dir(&group).unwrap().map(|entry| entry.unwrap().path()) {
            if file.extension().is_some_and(|extension| extension == "snap") {
                found.insert(file.strip_prefix(FOLDER).unwrap().to_owned());
            }
        }
    }
    let missing: Vec<_> = expected.difference(&found).collect();
    let stale: Vec<_> = found.difference(&expected).collect();
    assert!(missing.is_empty(), "operations without a snapshot: {missing:?}");
    assert!(stale.is_empty(), "snapshots of operations that do not exist: {stale:?}");
}
