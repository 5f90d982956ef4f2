//! The servers of sites for the Model Context Protocol.

use serde_json::{Value, json};

use crate::search::found;
use crate::support::content::{change, insert, publish};
use crate::support::{Raw, TestEnv, each_engine, raw};

/// Sets whether the pages of a site are offered to programs.
pub(in crate::sites) async fn offer(env: &TestEnv, site: &str, is_offered: bool) {
    let call = |operation| {
        env.client.call(operation).path("organizationId", &env.organization).path("siteId", site)
    };
    let mut settings = call("getSiteCustomizationById").send().await.expect(200).json.clone();
    settings["pageActions"]["mcp"] = json!(is_offered);
    let _updated = call("updateSiteCustomizationById").json(&settings).send().await.expect(200);
}

fn send(env: &TestEnv, headers: &str, body: &[u8]) -> Raw {
    let headers = format!("Content-Type: application/json\r\n{headers}");
    raw(env.server(), "POST", "/docs/~mcp", &headers, body)
}

fn ask(env: &TestEnv, method: &str, params: Value) -> Value {
    let body = json!({ "jsonrpc": "2.0", "id": 7, "method": method, "params": params });
    let answer = send(env, "", body.to_string().as_bytes());
    assert_eq!(answer.status, 200, "{}", answer.text());
    assert!(answer.header("cache-control").contains("private"), "{:?}", answer.headers);
    let answer: Value = serde_json::from_slice(&answer.body).unwrap();
    assert_eq!((&answer["jsonrpc"], &answer["id"]), (&json!("2.0"), &json!(7)));
    answer
}

/// Runs a tool and returns its text, as an error if the tool failed.
fn tool(env: &TestEnv, name: &str, arguments: Value) -> Result<String, String> {
    let answer = ask(env, "tools/call", json!({ "name": name, "arguments": arguments }));
    let result = &answer["result"];
    let text = result["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{answer}"));
    if result["isError"] == json!(true) { Err(text.to_owned()) } else { Ok(text.to_owned()) }
}

#[test]
fn programs_search_a_site_and_read_its_pages() {
    each_engine(async |env: &mut TestEnv| {
        let space = env.space("Machines").await;
        let text = "Intro.\n\n## Second part\n\nA turbine, second.\n";
        let _home = insert(&env.client, &space, "Home", "Welcome.\n").await;
        let _page = insert(&env.client, &space, "Engines", text).await;
        let site = publish(env, "Docs", &space).await;
        offer(env, site.text_at("/id"), true).await;
        let _found = found(env, &space, "turbine", &["Engines"]).await;

        let hello = ask(env, "initialize", json!({ "protocolVersion": "2025-06-18" }));
        assert_eq!(hello["result"]["protocolVersion"], "2025-06-18");
        assert_eq!(hello["result"]["serverInfo"]["title"], "Docs");
        let tools = ask(env, "tools/list", json!({}));
        let names: Vec<_> = tools["result"]["tools"].as_array().unwrap().iter().collect();
        assert_eq!([&names[0]["name"], &names[1]["name"]], ["search_documentation", "read_page"]);

        let result = tool(env, "search_documentation", json!({ "query": "turbine" })).unwrap();
        let address = format!("{}/docs/engines", env.server().address());
        assert!(result.starts_with("Pages found: 1.\n\n1. Engines\n"), "{result}");
        assert!(result.contains(&format!("   Second part: {address}#second-part\n")), "{result}");
        assert!(result.contains("   A turbine, second."), "{result}");
        let none = tool(env, "search_documentation", json!({ "query": "zzqq" })).unwrap();
        assert!(none.starts_with("No page was found."), "{none}");

        for url in [&*address, "/docs/engines", "engines.md", "/docs/engines/?x#second-part"] {
            let page = tool(env, "read_page", json!({ "url": url })).unwrap();
            assert!(page.starts_with("# Engines\n") && page.contains("A turbine"), "{url}: {page}");
        }
        for url in ["/docs/", "/docs", "https://foreign.example/docs/engines", "no", "%ff", "~x"] {
            let page = tool(env, "read_page", json!({ "url": url }));
            assert_eq!(page.is_ok(), url.starts_with("/docs"), "{url}: {page:?}");
        }
        let beyond = tool(env, "read_page", json!({ "url": "engines", "offset": 99_999 }));
        assert!(beyond.unwrap_err().contains("bytes only"));
    });
}

#[test]
fn servers_exist_where_they_are_enabled() {
    each_engine(async |env: &mut TestEnv| {
        let space = env.space("Machines").await;
        let _page = insert(&env.client, &space, "Home", "Welcome.\n").await;
        let site = publish(env, "Docs", &space).await;
        let ping = br#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
        assert_eq!(send(env, "", ping).status, 404);
        let home = env.client.anonymous().get("/docs/", &[]).await.expect(200).text();
        assert!(!home.contains("~mcp"), "{home}");
        offer(env, site.text_at("/id"), true).await;
        assert_eq!(send(env, "", ping).status, 200);
        let home = env.client.anonymous().get("/docs/", &[]).await.expect(200).text();
        let address = format!("data-copy-text=\"{}/docs/~mcp\"", env.server().address());
        assert!(home.contains(&address), "{home}");
        assert!(home.contains("href=\"vscode:mcp/install?%7B"), "{home}");
        assert_eq!(raw(env.server(), "POST", "/none/~mcp", "", ping).status, 404);
    });
}

#[test]
fn hidden_pages_are_absent_for_programs() {
    each_engine(async |env: &mut TestEnv| {
        let space = env.space("Machines").await;
        let _page = insert(&env.client, &space, "Home", "A turbine.\n").await;
        let hidden = insert(&env.client, &space, "Secret", "A turbine.\n").await;
        let site = publish(env, "Docs", &space).await;
        offer(env, site.text_at("/id"), true).await;
        let condition = json!([{
            "operation": "update_page", "page": hidden, "condition": "visitor.claims.plan == 'x'",
        }]);
        let _changed = change(&env.client, &space, condition).await;
        let _found = found(env, &space, "turbine", &["Home", "Secret"]).await;
        let result = tool(env, "search_documentation", json!({ "query": "turbine" })).unwrap();
        assert!(result.contains("Home") && !result.contains("Secret"), "{result}");
        assert!(tool(env, "read_page", json!({ "url": "/docs/secret" })).is_err());
    });
}

#[test]
fn messages_of_other_kinds_are_refused() {
    each_engine(async |env: &mut TestEnv| {
        let space = env.space("Machines").await;
        let _page = insert(&env.client, &space, "Home", "Welcome.\n").await;
        let site = publish(env, "Docs", &space).await;
        offer(env, site.text_at("/id"), true).await;
        let notice = br#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
        for (headers, body, status) in [
            ("", &notice[..], 202),
            ("MCP-Protocol-Version: 2025-06-18\r\n", notice, 202),
            ("MCP-Protocol-Version: 1\r\n", notice, 400),
            ("Sec-Fetch-Site: cross-site\r\n", notice, 403),
            ("Origin: https://evil.example\r\n", notice, 403),
            ("", b"[]", 400),
            ("", b"[1]", 200),
            ("", br#"[{"jsonrpc":"2.0","method":"notifications/initialized"}]"#, 202),
            ("", &[b' '; 20_000], 413),
        ] {
            let answer = send(env, headers, body);
            assert_eq!(answer.status, status, "{headers} {}", answer.text());
        }
        let answer = raw(env.server(), "POST", "/docs/~mcp", "", notice);
        assert_eq!(answer.status, 415);
        for method in ["GET", "DELETE", "PUT"] {
            let answer = raw(env.server(), method, "/docs/~mcp", "", b"");
            assert_eq!((answer.status, answer.header("allow")), (405, "POST, OPTIONS"));
        }
        for (method, params) in [
            ("resources/list", json!({})),
            ("tools/call", json!({ "name": "other" })),
            ("tools/call", json!({ "name": "read_page", "arguments": [] })),
            ("tools/call", json!({ "name": "read_page", "arguments": { "url": " " } })),
            ("tools/call", json!({ "name": "search_documentation", "arguments": {} })),
            (
                "tools/call",
                json!({ "name": "search_documentation",
                "arguments": { "query": "x", "page": 0 } }),
            ),
            (
                "tools/call",
                json!({ "name": "search_documentation",
                "arguments": { "query": "x".repeat(600) } }),
            ),
        ] {
            let answer = ask(env, method, params.clone());
            assert!(answer["error"]["code"].is_i64(), "{method} {params}: {answer}");
        }
    });
}
