//! Permissions of the data folder, and protection of sign-in links in a copied database.

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use bindery_app::secrets::Secrets;
use bindery_model::SignInLinkId;
use bindery_testkit::archives::{file, gzip, tar};
use bindery_testkit::git_server::{Change, GitServer};
use bindery_testkit::{Engine, Installation};
use serde_json::json;

use crate::support::people::sign_in_link;
use crate::support::{TestEnv, each_engine, each_engine_with};

/// Returns the entries with permissions for other users, as paths with their modes.
fn open_entries(folder: &Path) -> Vec<String> {
    let mut folders = vec![folder.to_owned()];
    let mut open = Vec::new();
    let mut look = |path: &Path| {
        let Ok(found) = std::fs::symlink_metadata(path) else { return false };
        let mode = found.permissions().mode() & 0o777;
        let expect = if found.is_dir() { 0o700 } else { 0o600 };
        // Git creates its packs as read-only files.
        if mode & 0o077 != 0 || mode & !expect != 0 {
            open.push(format!("{} {mode:o}", path.display()));
        }
        found.is_dir()
    };
    assert!(look(folder));
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if look(&path) {
                folders.push(path);
            }
        }
    }
    open
}

#[test]
fn the_data_folder_is_private() {
    let git = GitServer::start();
    let repository = git.repository("docs.git");
    let _oid = repository.commit("main", "First", [Change::file("README.md", "# Docs\n")]);
    let unmasked = |installation: Installation| installation.umask("000");
    each_engine_with(unmasked, async |env: &mut TestEnv| {
        let space = env.space("Space").await;
        let url = git.url("docs.git");
        let import = env.import(&space, &json!({ "url": url, "ref": "refs/heads/main" })).await;
        assert_eq!(import.text_at("/status"), "done", "{import}");
        let large = format!("# Large\n\n{}\n", "word ".repeat(200_000));
        let archive = gzip(&tar(&[file("README.md", &large)]));
        let _done = env.import_archive(&space, "application/gzip", archive).await;
        let data = env.installation.data();
        assert_eq!(open_entries(&data), Vec::<String>::new());

        // The permissions of an existing folder are restricted, and a warning is logged.
        std::fs::set_permissions(&data, Permissions::from_mode(0o755)).unwrap();
        std::fs::set_permissions(data.join("sealing.key"), Permissions::from_mode(0o644)).unwrap();
        let _edited = env.edit_store(|_| Ok(())).await;
        assert_eq!(open_entries(&data), Vec::<String>::new());
        assert!(env.server().log().contains("is now restricted to its owner"));
    });
}

#[test]
fn offline_commands_keep_the_folder_private() {
    let installation = Installation::new(env!("CARGO_BIN_EXE_bindery"), Engine::Sqlite);
    assert!(installation.start().stop().success());
    let data = installation.data();
    std::fs::set_permissions(&data, Permissions::from_mode(0o755)).unwrap();
    let script = "umask 000; exec \"$0\" store collect --data \"$1\"";
    let mut command = Command::new("sh");
    let command = command.args(["-c", script, env!("CARGO_BIN_EXE_bindery")]).arg(&data);
    assert!(command.status().unwrap().success());
    assert_eq!(open_entries(&data), Vec::<String>::new());
}

#[test]
fn a_database_copy_does_not_permit_signing_in() {
    each_engine(async |env: &mut TestEnv| {
        let link = sign_in_link(env, "ann@example.com", "admin").await;
        // An attacker with a copy of the database has the link's id and all stored keys.
        let found = env.edit_store(|tx| {
            let id = tx
                .query_one("SELECT id FROM sign_in_links", &[], |row| row.get::<SignInLinkId>(0))?;
            let values = tx.query("SELECT value FROM meta", &[], |row| row.get::<Vec<u8>>(0))?;
            Ok((id, values))
        });
        let (id, values) = found.await;
        assert!(link.starts_with(id.as_str()));
        let keys: Vec<[u8; 32]> =
            values.into_iter().filter_map(|value| value.try_into().ok()).collect();
        assert!(!keys.is_empty());
        let mut none_sealed = keys.clone();
        none_sealed.push([0; 32]);
        for salt in &keys {
            for sealing in &none_sealed {
                let forged = Secrets::new(salt, sealing).sign_in(id);
                assert_ne!(forged, link);
            }
            let old = blake3::derive_key("bindery 2026 sign-in links", salt);
            let tag = blake3::keyed_hash(&old, id.as_bytes());
            let tag = URL_SAFE_NO_PAD.encode(&tag.as_bytes()[..16]);
            let forged = format!("{id}{tag}");
            let body = json!({ "link": forged });
            let call = env.client.anonymous().call("signIn").json(&body);
            let _refused = call.send().await.expect(401);
        }
        let call = env.client.anonymous().call("signIn").json(&json!({ "link": link }));
        let _signed_in = call.send().await.expect(201);
    });
}

#[test]
fn links_of_earlier_versions_end_with_a_warning() {
    each_engine(async |env: &mut TestEnv| {
        let link = sign_in_link(env, "ann@example.com", "read").await;
        assert!(!env.server().log().contains("no longer valid"));
        // Stores of earlier versions do not record the key that links were created with.
        let forget = |tx: &bindery_store::Tx<'_>| {
            tx.execute("DELETE FROM meta WHERE key = $1", &["links".into()])
        };
        let _edited = env.edit_store(forget).await;
        let log = env.server().log();
        assert!(log.contains("sign_in_links=1") && log.contains("no longer valid"), "{log}");
        let call = env.client.anonymous().call("signIn").json(&json!({ "link": link }));
        let _ended = call.send().await.expect(401);
        // The warning is logged once.
        let _again = env.edit_store(|_| Ok(())).await;
        assert_eq!(env.server().log().matches("no longer valid").count(), 1);
    });
}
