//! Synchronisation over SSH, and signed commits.

use bindery_model::{Entropy, SpaceId};
use bindery_outbound::SshKey;
use bindery_store::git_syncs;
use bindery_testkit::git_server::Change;
use bindery_testkit::ssh_server::SshServer;
use serde_json::{Value, json};

use super::Synced;
use crate::support::large_files::pointer;
use crate::support::{TestEnv, each_engine, until};

const HOST_KEY: &str = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIA==";

#[test]
fn keys_are_made_kept_and_never_shown() {
    each_engine(async |env: &mut TestEnv| {
        let synced = Synced::idle(env, json!({})).await;
        let ssh = async |credentials: Value| {
            let with = json!({ "url": "git@git.invalid:docs.git", "credentials": credentials });
            synced.set(env, with).await
        };
        let made = ssh(json!({ "kind": "ssh", "hostKeys": format!(" {HOST_KEY}\n") })).await;
        let made = made.expect(200);
        assert_eq!(made.at("/url"), "ssh://git@git.invalid/docs.git");
        let public = made.text_at("/credentials/publicKey").to_owned();
        assert!(public.starts_with("ssh-ed25519 AAAA"), "{public}");
        assert_eq!(made.at("/credentials/hostKeys"), HOST_KEY);
        let kept = ssh(json!({ "kind": "ssh" })).await.expect(200);
        assert_eq!(kept.at("/credentials"), made.at("/credentials"));
        let key = SshKey::generate(&Entropy::seeded(5)).unwrap();
        let given = ssh(json!({ "kind": "ssh", "privateKey": key.expose() })).await.expect(200);
        assert_eq!(given.at("/credentials/publicKey"), key.public_line().as_str());
        assert!(!given.to_string().contains("PRIVATE KEY"), "{given}");
        for (credentials, place) in [
            (json!({ "kind": "token", "token": "x" }), "/credentials/kind"),
            (json!({ "kind": "ssh", "token": "x" }), "/credentials/token"),
            (json!({ "kind": "ssh", "privateKey": "x" }), "/credentials/privateKey"),
            (json!({ "kind": "ssh", "hostKeys": "example.com" }), "/credentials/hostKeys"),
            (json!({ "kind": "ssh", "hostKeys": "" }), "/credentials/hostKeys"),
        ] {
            let refused = ssh(credentials).await.expect(400);
            assert!(refused.text_at("/error/message").contains(place), "{refused}");
        }
        let http = synced.set(env, json!({ "credentials": { "kind": "ssh" } })).await.expect(400);
        assert!(http.text_at("/error/message").contains("/credentials/kind"), "{http}");
        assert_eq!(synced.get(env).await.at("/credentials"), given.at("/credentials"));
    });
}

#[test]
fn keys_of_a_former_server_are_not_learned() {
    each_engine(async |env: &mut TestEnv| {
        let synced = Synced::idle(env, json!({})).await;
        let with = json!({ "url": "git@git.invalid:docs.git", "credentials": { "kind": "ssh" } });
        let _set = synced.set(env, with).await.expect(200);
        let space = SpaceId::parse(&synced.space).unwrap();
        for (url, learned) in [
            ("ssh://git@former.invalid/docs.git", Value::Null),
            ("ssh://git@git.invalid/docs.git", json!(HOST_KEY)),
        ] {
            env.edit_store(move |tx| git_syncs::learn_host_keys(tx, space, url, HOST_KEY)).await;
            assert_eq!(synced.get(env).await.json["credentials"]["hostKeys"], learned, "{url}");
        }
    });
}

#[test]
fn changes_of_both_sides_travel_over_ssh() {
    each_engine(async |env: &mut TestEnv| {
        let synced = Synced::idle(env, json!({})).await;
        let Some(ssh) = SshServer::start("") else { return };
        let address = ssh.url(synced.repository.path());
        let credentials = json!({ "kind": "ssh" });
        let with = json!({ "url": address, "credentials": credentials });
        let made = synced.set(env, with).await.expect(200);
        ssh.accept(made.text_at("/credentials/publicKey"));
        let job = synced.run(env).await;
        assert_eq!(job.text_at("/status"), "done", "{job}");
        assert_eq!(synced.get(env).await.at("/credentials/hostKeys"), ssh.host_key());
        let _signed = synced
            .set(env, json!({ "url": address, "credentials": credentials, "signCommits": true }))
            .await
            .expect(200);
        let before = synced.tip();
        synced.edit(env, "Guide", "Written here.\n").await;
        until(async || (synced.tip() != before).then_some(())).await;
        assert!(synced.file("guide.md").contains("Written here."));
        let commit = synced.repository.git(&["cat-file", "commit", "main"]);
        assert!(commit.contains("gpgsig -----BEGIN SSH SIGNATURE-----"), "{commit}");
        synced.settled(env).await;
        let _outside = synced.commit("README.md", "# Home\n\nHello again.\n");
        let job = synced.run(env).await;
        assert_eq!(job.text_at("/status"), "done", "{job}");
        assert!(synced.markdown(env, "Home").await.contains("Hello again."));
        let other = json!({ "kind": "ssh", "hostKeys": HOST_KEY });
        let _ = synced.set(env, json!({ "url": address, "credentials": other })).await.expect(200);
        let job = synced.run(env).await;
        assert_eq!(job.text_at("/error/code"), "unreachable", "{job}");
        assert!(job.text_at("/error/message").contains("host key"), "{job}");
    });
}

#[test]
fn files_in_git_lfs_travel_over_ssh() {
    each_engine(async |env: &mut TestEnv| {
        let synced = Synced::idle(env, json!({})).await;
        let Some(ssh) = SshServer::start("") else { return };
        let (oid, text) = pointer(b"first");
        synced.git.add_large_file(&oid, "first");
        let page = "# Home\n\n![p](assets/p.bin)\n";
        let files = [
            ("README.md", page),
            ("assets/p.bin", &text),
            (".gitattributes", "*.bin filter=lfs diff=lfs merge=lfs -text\n"),
        ];
        synced.repository.commit("main", "Files", files.map(|(at, text)| Change::file(at, text)));
        let address = ssh.url(synced.repository.path());
        let with = json!({ "url": address, "credentials": { "kind": "ssh" } });
        let made = synced.set(env, with).await.expect(200);
        ssh.accept(made.text_at("/credentials/publicKey"));
        let access = json!({ "href": format!("{}/info/lfs", synced.git.url("docs.git")) });
        ssh.add_command("git-lfs-authenticate", &format!("echo '{access}'"));
        let job = synced.run(env).await;
        assert_eq!(job.text_at("/status"), "done", "{job}");
        let files = env.of_space("listFiles", &synced.space).await.expect(200);
        assert_eq!(files.at("/items/0/size"), 5, "{files}");
        let file = json!({ "name": "b.bin", "contentType": "text/plain", "base64": "bmV3" });
        let insertion = json!([{ "operation": "insert_files", "files": [file] }]);
        let call = env.client.call("updateSpaceContent").path("spaceId", &synced.space);
        let _ = call.json(&json!({ "changes": insertion })).send().await.expect(200);
        let job = synced.run(env).await;
        assert_eq!(job.text_at("/status"), "done", "{job}");
        let (oid, text) = pointer(b"new");
        assert_eq!(synced.git.large_file(&oid).unwrap(), "new");
        assert_eq!(format!("{}\n", synced.file(".gitbook/assets/b.bin")), text);
    });
}
