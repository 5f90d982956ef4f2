//! `bindery openapi check` and `bindery openapi compare`.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::process::{Command, Output};

use serde_json::Value;

fn check(source: &str, more: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_bindery"));
    command.args(["openapi", "check", source]).args(more).output().unwrap()
}

fn lines(output: &Output) -> Vec<&str> {
    std::str::from_utf8(&output.stdout).unwrap().lines().collect()
}

const MAIN: &str =
    "openapi: 3.1.0\ninfo: {title: Ships}\npaths:\n  /ships: {$ref: 'paths/ships.yaml'}\n";

#[test]
fn files_are_read_with_those_they_refer_to() {
    let folder = tempfile::tempdir().unwrap();
    let main = folder.path().join("main.yaml");
    std::fs::write(&main, MAIN).unwrap();
    std::fs::create_dir(folder.path().join("paths")).unwrap();
    let ships = folder.path().join("paths/ships.yaml");
    std::fs::write(&ships, "get: {summary: All}\n").unwrap();
    let source = main.to_str().unwrap();
    let found = check(source, &[]);
    assert!(found.status.success(), "{found:?}");
    let summary = "Ships: OpenAPI 3.1, operations: 1, webhooks: 0, models: 0, files: 2";
    assert_eq!(lines(&found), [summary]);

    std::fs::write(&ships, "get:\n  parameters:\n    - $ref: '#/none'\n").unwrap();
    let found = check(source, &[]);
    assert_eq!(found.status.code(), Some(1));
    let problem = "paths/ships.yaml:3:13 at /get/parameters/0/$ref: \"#/none\" leads to nothing";
    assert_eq!(lines(&found), [summary, problem]);
    let json: Value = serde_json::from_slice(&check(source, &["--json"]).stdout).unwrap();
    assert_eq!((&json["operations"], &json["files"]), (&1.into(), &2.into()));
    assert_eq!(json["problems"][0]["file"], "paths/ships.yaml");
    assert_eq!(
        (&json["problems"][0]["line"], &json["problems"][0]["column"]),
        (&3.into(), &13.into())
    );

    std::fs::remove_file(&ships).unwrap();
    let found = check(source, &[]);
    assert!(
        lines(&found)[0].starts_with("main.yaml:4:18 at /paths/~1ships/$ref: file:///"),
        "{found:?}"
    );
    assert!(String::from_utf8_lossy(&found.stderr).contains("found 1 problem"), "{found:?}");
}

#[test]
fn addresses_are_fetched_and_have_no_files_of_this_machine() {
    let folder = tempfile::tempdir().unwrap();
    let secret = folder.path().join("secret.yaml");
    std::fs::write(&secret, "get: {summary: secret}\n").unwrap();
    let body = format!("openapi: 3.0.0\npaths: {{/a: {{$ref: 'file://{}'}}}}\n", secret.display());
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}/main.yaml", listener.local_addr().unwrap());
    let server = std::thread::spawn(move || {
        for stream in listener.incoming().take(2) {
            let mut stream = stream.unwrap();
            let mut request = [0; 1024];
            let read = stream.read(&mut request).unwrap();
            let is_known = request[..read].starts_with(b"GET /main.yaml ");
            let status = if is_known { "200 OK" } else { "404 Not Found" };
            let answer = format!(
                "HTTP/1.1 {status}\r\nconnection: close\r\ncontent-length: {}\r\n\r\n{body}",
                body.len()
            );
            stream.write_all(answer.as_bytes()).unwrap();
        }
    });
    let found = check(&address, &[]);
    assert_eq!(found.status.code(), Some(1));
    assert!(lines(&found)[0].contains("allowed: an address that begins with http://"), "{found:?}");
    let found = check(&address.replace("main", "other"), &[]);
    assert!(String::from_utf8_lossy(&found.stderr).contains("404"), "{found:?}");
    server.join().unwrap();
}

#[test]
fn a_source_that_cannot_be_read_is_an_error() {
    let found = check("/nowhere/openapi.yaml", &[]);
    assert_eq!(found.status.code(), Some(1));
    assert!(
        String::from_utf8_lossy(&found.stderr).contains("cannot read /nowhere/openapi.yaml"),
        "{found:?}"
    );
}

#[test]
fn two_states_of_a_description_are_compared() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, paths: &str| {
        let path = folder.path().join(name);
        let text =
            format!("openapi: 3.1.0\ninfo: {{title: Ships, version: '1'}}\npaths: {paths}\n");
        std::fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let before = write("before.yaml", "{/ships: {get: {}, put: {}}}");
    let after = write("after.yaml", "{/ships: {get: {}, post: {}}}");
    let compare = |more: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_bindery"));
        command.args(["openapi", "compare"]).args(more).output().unwrap()
    };
    let found = compare(&[&before, &after]);
    assert_eq!(found.status.code(), Some(1));
    let shown = lines(&found);
    let [removed, added, counts] = shown.as_slice() else { panic!("{found:?}") };
    assert!(removed.starts_with("breaking: PUT /ships: "), "{removed}");
    assert!(removed.ends_with(" [api-removed-without-deprecation]"), "{removed}");
    assert!(added.starts_with("info: POST /ships: ") && added.ends_with("]"), "{added}");
    assert_eq!(*counts, "breaking: 1, warning: 0, info: 1");
    assert!(compare(&[&before, &after, "--fail-on", "never"]).status.success());
    assert!(compare(&[&before, &before, "--fail-on", "warning"]).status.success());
    let json = compare(&[&before, &after, "--json"]);
    let json: Value = serde_json::from_slice(&json.stdout).unwrap();
    assert_eq!((&json["breaking"], &json["info"]), (&1.into(), &1.into()));
    assert_eq!(json["changes"][0]["rule"], "api-removed-without-deprecation");

    let broken = folder.path().join("broken.yaml");
    std::fs::write(&broken, "- ships\n").unwrap();
    let found = compare(&[&before, broken.to_str().unwrap()]);
    assert_eq!(found.status.code(), Some(1));
    let error = String::from_utf8_lossy(&found.stderr);
    assert!(error.contains("broken.yaml: found no object, allowed: "), "{error}");
}
