use super::*;
use serde_json::json;
use std::io::{Read, Write};
use std::net::TcpListener;

/// Starts a server that reads one request and sends these bytes. The handle returns the request.
fn one_answer(answer: String) -> (String, std::thread::JoinHandle<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let thread = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut request = vec![0; 4096];
        let read = stream.read(&mut request).unwrap();
        stream.write_all(answer.as_bytes()).unwrap();
        String::from_utf8_lossy(&request[..read]).into_owned()
    });
    (address, thread)
}

fn json_answer(status: u16, body: &Value) -> String {
    let body = body.to_string();
    format!(
        "HTTP/1.1 {status} X\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\
         connection: close\r\n\r\n{body}",
        body.len()
    )
}

#[tokio::test]
async fn method_path_and_token_are_those_of_the_contract_and_the_caller() {
    let missing = json!({"error": {"code": 404, "message": "page not found"}});
    let (address, server) = one_answer(json_answer(404, &missing));
    let answer = Client::new(&address, Some("secret"))
        .call("getPageByPath")
        .path("spaceId", "s 1")
        .path("pagePath", "a/b")
        .query("metadata", true)
        .send()
        .await
        .expect(404);
    assert_eq!(answer.message(), "page not found");
    let request = server.join().unwrap();
    let target = "GET /v1/spaces/s%201/content/path/a%2Fb?metadata=true HTTP/1.1\r\n";
    assert!(request.starts_with(target), "{request}");
    assert!(request.contains("authorization: Bearer secret\r\n"), "{request}");
}

async fn user_answer(status: u16, body: Value) -> Answer {
    let (address, _server) = one_answer(json_answer(status, &body));
    Client::new(&address, None).call("getAuthenticatedUser").send().await
}

#[tokio::test]
#[should_panic(expected = "does not declare this status")]
async fn an_undeclared_status_is_a_breach() {
    user_answer(207, json!({})).await;
}

#[tokio::test]
#[should_panic(expected = "answered 200: at")]
async fn an_answer_of_another_shape_is_a_breach() {
    user_answer(200, json!({"object": "user", "id": 1})).await;
}

#[tokio::test]
#[should_panic(expected = "answered 404: at")]
async fn an_error_without_the_error_shape_is_a_breach() {
    user_answer(404, json!({"message": "gone"})).await;
}

#[tokio::test]
#[should_panic(expected = "and yet the answer is 204")]
async fn success_for_a_refused_request_is_a_breach() {
    let (address, _server) = one_answer("HTTP/1.1 204 X\r\nconnection: close\r\n\r\n".into());
    let call = Client::new(&address, None).call("importGitRepository").path("spaceId", "s");
    call.json(&json!({"url": 7})).send().await;
}

#[test]
#[should_panic(expected = "no operation")]
fn an_unknown_operation_is_refused() {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(async { Client::new("http://127.0.0.1", None).call("getNothing") });
}
