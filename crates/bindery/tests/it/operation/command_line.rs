//! Commands that send requests to a server, and their output.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::process::{Command, Output};

use bindery_testkit::SETUP_TOKEN;
use serde_json::Value;

use crate::support::{TestEnv, on_sqlite};

/// Runs a command of the program.
fn run(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_bindery")).args(arguments).output().unwrap()
}

/// Runs a command that sends requests to the server of a test.
fn run_with(env: &TestEnv, arguments: &[&str]) -> Output {
    run(&[arguments, &["--server", env.server().address(), "--token", SETUP_TOKEN]].concat())
}

/// Returns the text that a successful command printed.
fn printed(output: Output) -> String {
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{error}");
    String::from_utf8(output.stdout).unwrap()
}

/// Returns the error of a command that failed.
fn error(output: Output) -> String {
    assert!(!output.status.success());
    String::from_utf8(output.stderr).unwrap()
}

#[test]
fn results_are_printed_as_json() {
    on_sqlite(async |env: &mut TestEnv| {
        let json = |output| serde_json::from_str::<Value>(&printed(output)).unwrap();
        let user = ["user", "create", "--email", "ann@example.com", "--print-token", "--json"];
        let created = json(run_with(env, &user));
        assert_eq!(created["user"]["email"], "ann@example.com");
        let ann = env.client.with_token(created["token"].as_str().unwrap());
        let me = ann.call("getAuthenticatedUser").send().await.expect(200);
        assert_eq!(me.text_at("/id"), created["user"]["id"].as_str().unwrap());

        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("README.md"), "# Start\n\n[x](none.md)\n").unwrap();
        std::fs::write(folder.path().join("other.md"), "# Other\n").unwrap();
        let path = folder.path().to_string_lossy();
        let imported = json(run_with(env, &["import", &path, "--publish", "--json"]));
        assert_eq!(imported["pages"], 2);
        assert_eq!(imported["files"], 0);
        assert_eq!(imported["brokenLinks"], 1);
        for address in ["api", "site"] {
            assert!(imported[address].as_str().unwrap().starts_with("http"), "{imported}");
        }
        assert_eq!(json(run(&["version", "--json"]))["version"], env!("CARGO_PKG_VERSION"));
    });
}

#[test]
fn errors_name_flags() {
    on_sqlite(async |env: &mut TestEnv| {
        let create = |arguments: &[&str]| {
            error(run_with(env, &[&["user", "create"][..], arguments].concat()))
        };
        let found = create(&["--email", "bad"]);
        assert!(found.starts_with("bindery: --email: found \"bad\", allowed: "), "{found}");
        assert!(!found.contains("400"), "{found}");
        let found = create(&["--email", "a@example.com", "--role", "king"]);
        assert!(found.starts_with("error: invalid value 'king' for '--role <ROLE>'"), "{found}");
        assert!(found.contains("read, guest]"), "{found}");
        let found = error(run_with(env, &["import", ".", "--space", "none"]));
        assert_eq!(found, "bindery: --space: space not found\n");
    });
}

#[test]
fn other_servers_are_named_as_such() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let answer = |status: &str| {
        let (status, address, listener) =
            (status.to_owned(), address.clone(), listener.try_clone().unwrap());
        let serving = std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let _read = stream.read(&mut [0; 4096]).unwrap();
            write!(
                stream,
                "HTTP/1.1 {status}\r\nContent-Length: 4\r\nConnection: close\r\n\r\n<p>\n"
            )
            .unwrap();
        });
        let found = error(run(&["import", ".", "--server", &address, "--token", "x"]));
        serving.join().unwrap();
        found
    };
    for status in ["200 OK", "404 Not Found", "502 Bad Gateway"] {
        let found = answer(status);
        assert!(found.contains("is not the API of a Bindery server"), "{status}: {found}");
    }
}

#[test]
fn shells_complete_commands() {
    for shell in ["bash", "zsh", "fish"] {
        let script = printed(run(&["completions", shell]));
        assert!(script.contains("sign-in-link") && script.contains("publish"), "{shell}");
    }
    assert!(error(run(&["completions", "none"])).contains("fish"));
}
