//! Uploads of files to an organization.

use bindery_testkit::{Answer, Client};
use serde_json::{Value, json};

use crate::support::{Raw, TestEnv, raw};

/// Returns the bytes of a file that begins like a WOFF2 font.
pub(crate) fn woff2() -> Vec<u8> {
    let mut bytes = b"wOF2\0\x01\0\0".to_vec();
    bytes.extend(64_u32.to_be_bytes());
    bytes.resize(64, 7);
    bytes
}

/// Requests an address for a file.
pub(crate) async fn upload_address(
    client: &Client,
    organization: &str,
    kind: &str,
    file: Value,
) -> Answer {
    let call = client.call("generateStorageUploadURL").path("organizationId", organization);
    call.json(&json!({ "file": file, "kind": kind })).send().await
}

/// Returns the path and the query of an address.
pub(crate) fn path_of(url: &str) -> String {
    let at = url.find("/~storage/").unwrap();
    url[at..].to_owned()
}

/// Sends a file to an address.
pub(crate) fn put(env: &TestEnv, url: &str, bytes: &[u8]) -> Raw {
    raw(env.server(), "PUT", &path_of(url), "", bytes)
}

/// Uploads a font and returns its key.
pub(crate) async fn uploaded_font(env: &TestEnv) -> String {
    let bytes = woff2();
    let file = json!({ "name": "a.woff2", "type": "font/woff2", "size": bytes.len() });
    let made = upload_address(&env.client, &env.organization, "customization_font", file).await;
    let made = made.expect(201);
    let stored = put(env, made.text_at("/url"), &bytes);
    assert_eq!(stored.status, 201, "{}", stored.text());
    made.text_at("/key").to_owned()
}

/// Returns the faces of a font whose regular and bold letters are in one file.
pub(crate) fn two_weights(key: &str) -> Value {
    json!([{ "weight": 400, "storageKey": key }, { "weight": 700, "storageKey": key }])
}
