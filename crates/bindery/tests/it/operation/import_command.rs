//! `bindery import` of folders: directories, languages and lists of languages.

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use bindery_testkit::SETUP_TOKEN;
use serde_json::Value;

use crate::support::{TestEnv, on_sqlite};

/// Runs `bindery import` of a folder without a terminal.
fn import(env: &TestEnv, folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_bindery"))
        .args(["import", folder.to_str().unwrap(), "--json"])
        .args(["--server", env.server().address(), "--token", SETUP_TOKEN])
        .args(arguments)
        .stdin(Stdio::null())
        .output()
        .unwrap()
}

fn printed(output: &Output) -> Value {
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{error}");
    serde_json::from_slice(&output.stdout).unwrap()
}

fn write(folder: &Path, files: &[(&str, &str)]) {
    for (path, text) in files {
        let path = folder.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
}

const TRANSLATED: [(&str, &str); 5] = [
    ("LANGS.md", "* [🇬🇧 English](en/)\n* [فارسی](fa/README.md)\n* [Other](missing/)\n"),
    ("README.md", "# About the repository\n"),
    ("en/README.md", "# Hello\n"),
    ("en/setup.md", "# Setup\n"),
    ("fa/README.md", "# سلام\n"),
];

#[test]
fn each_language_of_a_list_becomes_a_variant() {
    on_sqlite(async |env: &mut TestEnv| {
        let folder = tempfile::tempdir().unwrap();
        write(folder.path(), &TRANSLATED);
        let arguments = ["--publish", "--languages", "--title", "Guide"];
        let imported = printed(&import(env, folder.path(), &arguments));
        let spaces = imported["spaces"].as_array().unwrap();
        let shown: Vec<_> =
            spaces.iter().map(|one| (&one["directory"], &one["language"])).collect();
        assert_eq!(shown, [(&Value::from("en"), &Value::from("en")), (&"fa".into(), &"fa".into())]);
        let english = env.of_space("getSpaceById", spaces[0]["space"].as_str().unwrap()).await;
        let english = english.expect(200);
        assert_eq!(
            (english.text_at("/title"), english.text_at("/emoji")),
            ("English", "1f1ec-1f1e7")
        );

        let get = async |path: &str| env.client.anonymous().get(path, &[]).await.expect(200).text();
        let page = get("/guide/").await;
        assert!(page.contains("<html lang=\"en\" dir=\"ltr\""), "{page}");
        assert!(page.contains("hreflang=\"fa\"") && page.contains("/guide/fa/"), "{page}");
        let page = get("/guide/fa/").await;
        assert!(page.contains("<html lang=\"fa\" dir=\"rtl\""), "{page}");
        assert!(!page.contains("About the repository"), "{page}");
    });
}

#[test]
fn without_a_terminal_the_flag_for_languages_is_named() {
    on_sqlite(async |env: &mut TestEnv| {
        let folder = tempfile::tempdir().unwrap();
        write(folder.path(), &TRANSLATED);
        let output = import(env, folder.path(), &["--publish"]);
        let hint = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(hint.contains("2 folders of languages: give --languages"), "{hint}");
        assert_eq!(printed(&output)["pages"], 4);
        let output = import(env, folder.path(), &[]);
        assert!(output.stderr.is_empty(), "{output:?}");
        let en = folder.path().join("en");
        let refused = import(env, &en, &["--languages"]);
        let error = String::from_utf8_lossy(&refused.stderr);
        assert!(error.contains("has no LANGS.md with folders"), "{error}");
    });
}

#[test]
fn a_directory_is_imported_alone() {
    on_sqlite(async |env: &mut TestEnv| {
        let folder = tempfile::tempdir().unwrap();
        let files = [("docs/README.md", "# Docs\n\n![](logo.png)\n"), ("parts/logo.png", "png")];
        write(folder.path(), &files);
        // A server refuses an archive with this name, so it must not be sent.
        write(folder.path(), &[("other/con\u{7}trol.md", "# Bad\n")]);
        std::os::unix::fs::symlink("../parts/logo.png", folder.path().join("docs/logo.png"))
            .unwrap();
        let imported =
            printed(&import(env, folder.path(), &["--directory", "docs", "--language", "PT-br"]));
        assert_eq!((&imported["pages"], &imported["files"]), (&1.into(), &1.into()));
        assert_eq!((&imported["language"], &imported["brokenLinks"]), (&"pt-BR".into(), &0.into()));
        for (arguments, message) in [
            (["--directory", "../x"], "--directory: found \"../x\", allowed: "),
            (["--directory", "none"], "--directory: "),
            (["--language", "zh_TW"], "--language: found \"zh_tw\""),
        ] {
            let refused = import(env, folder.path(), &arguments);
            let error = String::from_utf8_lossy(&refused.stderr);
            assert!(!refused.status.success() && error.contains(message), "{error}");
        }
    });
}
