//! The index survives restarts, and is built anew if it is missing or damaged.

use std::fs::OpenOptions;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::Path;

use bindery_testkit::copy_folder;

use super::{found, in_space, of_items};
use crate::support::content::insert;
use crate::support::{TestEnv, each_engine, until};

/// Overwrites the files of the index whose names end like this.
fn damage(index: &Path, ending: &str) -> usize {
    let files = std::fs::read_dir(index.join("data")).unwrap().map(|entry| entry.unwrap().path());
    let files = files.filter(|file| file.to_string_lossy().ends_with(ending));
    files.map(|file| std::fs::write(file, b"damaged").unwrap()).count()
}

#[test]
fn a_damaged_index_is_built_anew() {
    each_engine(async |env: &mut TestEnv| {
        let space = env.space("Indexed").await;
        let _page = insert(&env.client, &space, "Pump", "A carburettor.\n").await;
        let _found = found(env, &space, "carburettor", &["Pump"]).await;
        let index = env.installation().data().join("cache").join("search");
        env.with_store(async |_| assert!(damage(&index, ".json") > 0)).await;
        let _found = found(env, &space, "carburettor", &["Pump"]).await;
        env.with_store(async |_| assert!(damage(&index, ".store") > 0)).await;
        let search = || env.client.call("searchSpaceContent").path("spaceId", &space);
        until(async || {
            let answer = search().query("query", "carburettor").send().await;
            assert!([200, 503].contains(&answer.status), "{answer}");
            (answer.status == 200).then_some(())
        })
        .await;
        let _found = found(env, &space, "carburettor", &["Pump"]).await;
        env.with_store(async |_| std::fs::remove_dir_all(&index).unwrap()).await;
        let answer = found(env, &space, "carburettor", &["Pump"]).await;
        assert_eq!(of_items(&answer, "path"), ["pump"]);
    });
}

/// Inverts the last bytes of the files of the index whose names end like this, in place, as readers
/// that have mapped them see it.
fn invert_ends(index: &Path, ending: &str) {
    for entry in std::fs::read_dir(index.join("data")).unwrap() {
        let path = entry.unwrap().path();
        if path.to_string_lossy().ends_with(ending) {
            let length = std::fs::metadata(&path).unwrap().len();
            let mut file = OpenOptions::new().read(true).write(true).open(&path).unwrap();
            let mut bytes = [0; 16];
            let _at = file.seek(SeekFrom::Start(length - 16)).unwrap();
            file.read_exact(&mut bytes).unwrap();
            let _at = file.seek(SeekFrom::Start(length - 16)).unwrap();
            file.write_all(&bytes.map(|byte| !byte)).unwrap();
        }
    }
}

#[test]
fn an_index_that_is_damaged_while_the_server_runs_is_built_anew() {
    each_engine(async |env: &mut TestEnv| {
        let space = env.space("Indexed").await;
        let index = env.installation().data().join("cache").join("search");
        let mut titles = vec!["Page 0".to_owned()];
        let _page = insert(&env.client, &space, &titles[0], "A carburettor.\n").await;
        let _found = found(env, &space, "carburettor", &["Page 0"]).await;
        let harm: [fn(&Path); 3] = [
            |index| invert_ends(index, ".idx"),
            |index| invert_ends(index, ".term"),
            |index| std::fs::remove_dir_all(index).unwrap(),
        ];
        for harm in harm {
            harm(&index);
            let title = format!("Page {}", titles.len());
            let _page = insert(&env.client, &space, &title, "A carburettor.\n").await;
            titles.push(title);
            let search = || env.client.call("searchSpaceContent").path("spaceId", &space);
            until(async || {
                let answer = search().query("query", "carburettor").send().await;
                assert!([200, 503].contains(&answer.status), "{answer}");
                (answer.status == 200 && *answer.at("/count") == titles.len()).then_some(())
            })
            .await;
        }
    });
}

#[test]
fn changes_during_an_outage_are_found() {
    each_engine(async |env: &mut TestEnv| {
        let space = env.space("Indexed").await;
        let _page = insert(&env.client, &space, "Pump", "A carburettor.\n").await;
        let _found = found(env, &space, "carburettor", &["Pump"]).await;
        let index = env.installation().data().join("cache").join("search");
        let copy = tempfile::tempdir().unwrap();
        env.with_store(async |_| copy_folder(&index, copy.path(), &[])).await;
        let _page = insert(&env.client, &space, "Wheel", "Another carburettor.\n").await;
        let _found = found(env, &space, "carburettor", &["Pump", "Wheel"]).await;
        // The index is that of an earlier time, as after a restored disk.
        env.with_store(async |_| {
            std::fs::remove_dir_all(&index).unwrap();
            copy_folder(copy.path(), &index, &[]);
        })
        .await;
        let _found = found(env, &space, "carburettor", &["Pump", "Wheel"]).await;
    });
}

#[test]
fn small_spaces_are_indexed_together() {
    each_engine(async |env: &mut TestEnv| {
        let mut spaces = Vec::new();
        for number in 0..5 {
            let space = env.space(&format!("Space {number}")).await;
            let _page = insert(&env.client, &space, "Pump", "A carburettor.\n").await;
            spaces.push(space);
        }
        let _found = found(env, &spaces[4], "carburettor", &["Pump"]).await;
        let index = env.installation().data().join("cache").join("search");
        env.with_store(async |_| std::fs::remove_dir_all(&index).unwrap()).await;
        for space in &spaces {
            let _found = found(env, space, "carburettor", &["Pump"]).await;
        }
        let files = std::fs::read_dir(index.join("data")).unwrap();
        let files = files.map(|file| file.unwrap().path());
        let stores = files.filter(|file| file.extension().is_some_and(|name| name == "store"));
        assert_eq!(stores.count(), 1, "one commit writes one segment");
    });
}

#[test]
fn nodes_find_the_same_pages() {
    each_engine(async |env: &mut TestEnv| {
        let Some(other) = env.installation().start_another() else { return };
        let space = env.space("Shared").await;
        let clients = [env.client.clone(), other.client()];
        for (number, client) in clients.iter().enumerate() {
            let title = format!("Page {number}");
            let _page = insert(client, &space, &title, "A carburettor.\n").await;
        }
        for client in &clients {
            until(async || {
                let answer = in_space(client, &space, "carburettor").await;
                (*answer.at("/count") == 2).then_some(())
            })
            .await;
        }
        assert!(other.stop().success());
    });
}
