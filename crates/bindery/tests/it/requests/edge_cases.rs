//! Edge cases of the contract: malformed requests, and headers that every response has.

use bindery_contract::Contract;
use serde_json::{Value, json};

use crate::support::{Raw, TestEnv, each_engine, on_sqlite, parse, raw, send};

#[test]
fn paths_and_methods() {
    on_sqlite(async |env: &mut TestEnv| {
        for path in [
            "/v1/nothing",
            "/v1/spaces",
            "/v1/spaces/x/nothing",
            "/v1//user",
            "/v1/user/",
            "/v1/USER",
            "/v1/../v1/nothing",
        ] {
            env.ask("GET", path, "", b"").error(404);
        }
        for (method, path, allow) in [
            ("DELETE", "/v1/user", "GET, HEAD, OPTIONS"),
            ("PUT", "/v1/bindery/user/tokens", "GET, POST, HEAD, OPTIONS"),
            ("BREW", "/v1/user", "GET, HEAD, OPTIONS"),
            ("GET", "/v1/spaces/x/git/import", "POST, OPTIONS"),
        ] {
            let refused = env.ask(method, path, "", b"");
            refused.error(405);
            let allowed = |text: &str| {
                let mut methods: Vec<_> = text.split(", ").map(str::to_owned).collect();
                methods.sort();
                methods
            };
            // The contract can have further operations on the path.
            for method in allowed(allow).iter().filter(|method| *method != "PATCH") {
                assert!(allowed(refused.header("allow")).contains(method), "{path} {refused:?}");
            }
            assert!(!allowed(refused.header("allow")).contains(&method.to_owned()), "{refused:?}");
        }
        // The root of the API can be addressed with and without a trailing slash.
        for path in ["/v1", "/v1/"] {
            assert_eq!(raw(env.server(), "GET", path, "", b"").status, 200);
        }
    });
}

#[test]
fn browsers_of_other_origins() {
    on_sqlite(async |env: &mut TestEnv| {
        let headers = "Origin: https://app.example.com\r\n\
            Access-Control-Request-Method: POST\r\n\
            Access-Control-Request-Headers: authorization,content-type\r\n";
        let path = format!("/v1/orgs/{}/spaces", env.organization);
        let preflight = raw(env.server(), "OPTIONS", &path, headers, b"");
        assert_eq!(preflight.status, 204, "{preflight:?}");
        assert_eq!(preflight.header("access-control-allow-origin"), "*");
        assert!(preflight.header("access-control-allow-methods").contains("POST"), "{preflight:?}");
        let allowed = preflight.header("access-control-allow-headers").to_ascii_lowercase();
        for name in [
            "authorization",
            "content-type",
            "if-match",
            "idempotency-key",
            "user-agent",
            "x-csrf-token",
        ] {
            assert!(allowed.contains(name), "{name}: {allowed}");
        }
        // Error responses can be read from other origins as well.
        for answer in [
            env.ask("GET", "/v1/user", "Origin: https://app.example.com\r\n", b""),
            raw(env.server(), "GET", "/v1/user", "Origin: https://app.example.com\r\n", b""),
            env.ask("GET", "/v1/nothing", "Origin: https://app.example.com\r\n", b""),
        ] {
            assert_eq!(answer.header("access-control-allow-origin"), "*", "{answer:?}");
            assert_eq!(answer.header("access-control-allow-credentials"), "", "{answer:?}");
            let exposed = answer.header("access-control-expose-headers");
            for name in ["ETag", "Link", "Location", "RateLimit", "Retry-After"] {
                assert!(exposed.contains(name), "{name}: {exposed}");
            }
        }
    });
}

#[test]
fn head_is_get_without_a_body() {
    on_sqlite(async |env: &mut TestEnv| {
        let space = env.space("Head").await;
        for path in ["/v1/user".to_owned(), format!("/v1/spaces/{space}"), "/v1/docs".to_owned()] {
            let get = env.ask("GET", &path, "", b"");
            let head = env.ask("HEAD", &path, "", b"");
            assert_eq!((head.status, &head.body[..]), (200, &b""[..]), "{path}");
            for name in ["content-type", "etag", "content-length"] {
                assert_eq!(head.header(name), get.header(name), "{path} {name}");
            }
        }
        let missing = env.ask("HEAD", "/v1/spaces/x", "", b"");
        assert_eq!((missing.status, missing.body.len()), (404, 0));
    });
}

fn create_space(env: &TestEnv, content_type: &str, body: &[u8]) -> Raw {
    let headers = match content_type {
        "" => String::new(),
        content_type => format!("Content-Type: {content_type}\r\n"),
    };
    env.ask("POST", &format!("/v1/orgs/{}/spaces", env.organization), &headers, body)
}

#[test]
fn bodies() {
    each_engine(async |env: &mut TestEnv| {
        let json = "application/json";
        for content_type in ["text/plain", "", "application/jsonx", "multipart/form-data"] {
            let refused = create_space(env, content_type, b"{}").error(415);
            assert!(refused.contains("application/json"), "{refused}");
        }
        for content_type in [json, "application/json; charset=utf-8", "APPLICATION/JSON"] {
            assert_eq!(create_space(env, content_type, b"{\"title\":\"x\"}").status, 201);
        }
        for (body, words) in [
            ("{\n  \"title\": }", "line 2 column 12"),
            ("{\"title\": \"x\"", "line 1 column"),
            ("{} {}", "line 1 column 4"),
            ("\u{feff}{}", "line 1 column"),
            ("nonsense", "line 1 column"),
            ("[]", "body"),
            ("\"text\"", "body"),
            ("null", "body"),
            ("{\"title\": 1}", "/title"),
            ("{\"title\": \"a\\u0000b\"}", "/title"),
            ("{\"title\": \"a\\ud800b\"}", "line 1 column"),
            ("{\"title\": 1e999}", "line 1 column"),
            ("{\"editMode\": \"sideways\"}", "/editMode"),
            ("{\"a\\u0000b\": 1}", "body"),
        ] {
            let refused = create_space(env, json, body.as_bytes()).error(400);
            assert!(refused.contains(words), "{body:?}: {refused}");
        }
        create_space(env, json, b"{\"title\": \"\xff\"}").error(400);
        create_space(env, json, b"{\"title\": \"a\0b\"}").error(400);
        for depth in [201, 5_000, 500_000] {
            let deep = format!("{{\"x\":{}{}}}", "[".repeat(depth), "]".repeat(depth));
            let refused = create_space(env, json, deep.as_bytes()).error(400);
            assert!(refused.contains("200"), "{refused}");
        }
        let deep = format!("{{\"title\":\"d\",\"x\":{}{}}}", "[".repeat(199), "]".repeat(199));
        assert_eq!(create_space(env, json, deep.as_bytes()).status, 201);

        let filler = "x".repeat(2 << 20);
        let large = format!("{{\"title\":\"large\",\"x\":\"{filler}\"}}");
        let refused = create_space(env, json, large.as_bytes()).error(413);
        assert!(refused.contains("2097152"), "{refused}");
        let fits = format!("{{\"title\":\"large\",\"x\":\"{}\"}}", &filler[..(2 << 20) - 100]);
        assert_eq!(create_space(env, json, fits.as_bytes()).status, 201);

        // Requests without permission are rejected before their body is read.
        let path = format!("/v1/orgs/{}/spaces", env.organization);
        raw(env.server(), "POST", &path, "Content-Type: text/plain\r\n", b"{").error(401);
        let list = env.client.call("listSpacesInOrganizationById");
        let list = list.path("organizationId", &env.organization).send().await.expect(200);
        assert_eq!(list.at("/count"), &json!(5));
    });
}

#[test]
fn invalid_characters_are_rejected() {
    each_engine(async |env: &mut TestEnv| {
        let space = env.space("NUL").await;
        for path in [
            format!("/v1/spaces/{space}%00"),
            format!("/v1/spaces/{space}/content/path/a%00b"),
            format!("/v1/spaces/{space}/content/path/a%FFb"),
            format!("/v1/orgs/{}/sites?title=a%00b", env.organization),
            format!("/v1/orgs/{}/sites?title=a%FFb", env.organization),
            format!("/v1/orgs/{}/sites?page=a%00b", env.organization),
            "/v1/bindery/jobs?kind=%00".to_owned(),
        ] {
            env.ask("GET", &path, "", b"").error(400);
        }
        // Search texts with special characters match nothing.
        for title in ["%25", "_", "%27%3B--", "%F0%9F%98%80", "%EF%BF%BF"] {
            let path = format!("/v1/orgs/{}/sites?title={title}", env.organization);
            let found = env.ask("GET", &path, "", b"");
            assert_eq!(found.status, 200, "{found:?}");
        }
    });
}

#[test]
fn limits_and_cursors() {
    each_engine(async |env: &mut TestEnv| {
        for number in 0..3 {
            let _space = env.space(&format!("Space {number}")).await;
        }
        let path = format!("/v1/orgs/{}/spaces", env.organization);
        let get = |query: &str| env.ask("GET", &format!("{path}?{query}"), "", b"");
        for limit in ["0", "-1", "1.5", "1001", "abc", "", "99999999999999999999", "%00"] {
            let refused = get(&format!("limit={limit}")).error(400);
            assert!(refused.contains("limit"), "{limit}: {refused}");
        }
        assert_eq!(get("limit=1000").status, 200);
        assert_eq!(get("unknown=1&unknown=2&also[]=x").status, 200);

        let first = get("limit=1");
        let first: Value = serde_json::from_slice(&first.body).unwrap();
        let cursor = first["next"]["page"].as_str().unwrap();
        assert_eq!(first["count"], 3);
        assert_eq!(get(&format!("page={cursor}")).status, 200);
        let half = &cursor[..cursor.len() / 2];
        for wrong in ["x", half, &format!("{cursor}A"), "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", "%20"] {
            let refused = get(&format!("page={wrong}")).error(400);
            assert!(refused.contains("page"), "{wrong}: {refused}");
        }
        // A cursor is valid for its list and its filters only.
        for other in [
            format!("/v1/orgs/{}/sites?page={cursor}", env.organization),
            format!("/v1/bindery/jobs?page={cursor}"),
            format!("/v1/orgs?page={cursor}"),
            format!("/v1/bindery/user/tokens?page={cursor}"),
        ] {
            env.ask("GET", &other, "", b"").error(400);
        }
        for title in ["One", "Two"] {
            let site = env.client.call("createSite").path("organizationId", &env.organization);
            let _made = site.json(&json!({ "title": title })).send().await.expect(201);
        }
        let sites = format!("/v1/orgs/{}/sites", env.organization);
        let list = env.ask("GET", &format!("{sites}?limit=1&published=false"), "", b"");
        let list: Value = serde_json::from_slice(&list.body).unwrap();
        let cursor = list["next"]["page"].as_str().unwrap();
        let same = format!("{sites}?published=false&page={cursor}");
        assert_eq!(env.ask("GET", &same, "", b"").status, 200);
        env.ask("GET", &format!("{sites}?page={cursor}"), "", b"").error(400);
    });
}

#[test]
fn paging_is_consistent_while_a_list_grows() {
    each_engine(async |env: &mut TestEnv| {
        let mut before = Vec::new();
        for number in 0..7 {
            before.push(env.space(&format!("Early {number}")).await);
        }
        let (mut seen, mut cursor, mut late) = (Vec::new(), String::new(), 0);
        loop {
            let call = env.client.call("listSpacesInOrganizationById");
            let call = call.path("organizationId", &env.organization).query("limit", 2);
            let call = if cursor.is_empty() { call } else { call.query("page", &cursor) };
            let page = call.send().await.expect(200);
            let items = page.at("/items").as_array().unwrap();
            seen.extend(items.iter().map(|item| item["id"].as_str().unwrap().to_owned()));
            let Some(next) = page.json.pointer("/next/page").and_then(Value::as_str) else { break };
            cursor = next.to_owned();
            if late < 4 {
                late += 1;
                let _late = env.space(&format!("Late {late}")).await;
            }
        }
        for id in before {
            assert_eq!(seen.iter().filter(|seen| **seen == id).count(), 1, "{id}");
        }
    });
}

#[test]
fn pending_operations_respond_501() {
    on_sqlite(async |env: &mut TestEnv| {
        let pending = Contract::embedded().operations().iter().filter(|one| one.pending);
        let mut count = 0;
        for operation in pending {
            let path: Vec<&str> = operation
                .path
                .split('/')
                .map(|part| if part.starts_with('{') { "x" } else { part })
                .collect();
            let answer = env.ask(operation.method.as_str(), &path.join("/"), "", b"");
            let message = answer.error(501);
            assert!(message.contains(&operation.id), "{message}");
            count += 1;
        }
        assert!(count > 0, "no operation is pending any more: this test can go");
    });
}

#[test]
fn unchanged_content_is_not_sent_again() {
    each_engine(async |env: &mut TestEnv| {
        let space = env.space("Tags").await;
        let get = |path: &str, tag: &str| {
            let header =
                if tag.is_empty() { String::new() } else { format!("If-None-Match: {tag}\r\n") };
            env.ask("GET", path, &header, b"")
        };
        for path in ["/v1/user", "/v1/orgs", "/v1/openapi.json", "/v1/docs"] {
            let first = get(path, "");
            let tag = first.header("etag");
            assert!(tag.starts_with('"'), "{first:?}");
            for tag in [tag.to_owned(), format!("\"x\", {tag}"), format!("W/{tag}"), "*".into()] {
                let same = get(path, &tag);
                assert_eq!((same.status, same.body.len()), (304, 0), "{path} {tag}");
                assert_eq!(same.header("etag"), first.header("etag"));
            }
            assert_eq!(get(path, "\"other\"").status, 200);
        }
        // The entity tag of a space identifies its revision for `If-Match`. It never leads to a 304
        // response, since other fields can change without it.
        let path = format!("/v1/spaces/{space}");
        let tag = get(&path, "").header("etag").to_owned();
        assert_eq!(get(&path, &tag).status, 200);
        let list = format!("/v1/orgs/{}/spaces", env.organization);
        let tag = get(&list, "").header("etag").to_owned();
        assert_eq!(get(&list, &tag).status, 304);
        let _other = env.space("One more").await;
        assert_eq!(get(&list, &tag).status, 200);
    });
}

#[test]
fn every_response_can_be_found_in_the_log() {
    on_sqlite(async |env: &mut TestEnv| {
        let ids: Vec<String> = ["/v1/user", "/v1/nothing", "/v1/spaces/x", "/v1/user"]
            .iter()
            .map(|path| env.ask("GET", path, "", b"").header("x-request-id").to_owned())
            .collect();
        assert!(ids.iter().all(|id| !id.is_empty()), "{ids:?}");
        let distinct: std::collections::BTreeSet<_> = ids.iter().collect();
        assert_eq!(distinct.len(), ids.len(), "{ids:?}");
    });
}

#[test]
fn malformed_requests_receive_errors() {
    on_sqlite(async |env: &mut TestEnv| {
        let twice = "Content-Length: 1\r\nContent-Length: 2\r\n";
        assert_eq!(raw(env.server(), "GET", "/v1/user", twice, b"").status, 400);
        let long = format!("X-Long: {}\r\n", "x".repeat(2 << 20));
        let many = "X-One: 1\r\n".repeat(150);
        let large_fields = format!("X-One: {}\r\n", "1".repeat(5_000)).repeat(84);
        for (bytes, status) in [
            (format!("GET /v1/{} HTTP/1.1\r\nHost: x\r\n\r\n", "x".repeat(300_000)), 414),
            (format!("GET /v1/user HTTP/1.1\r\nHost: x\r\n{long}\r\n"), 431),
            (format!("GET /v1/user HTTP/1.1\r\nHost: x\r\n{many}\r\n"), 431),
            (format!("GET /v1/user HTTP/1.1\r\nHost: x\r\n{large_fields}\r\n"), 431),
            (format!("GET /{}", "x".repeat(3 << 20)), 431),
            (format!("GET /v1/user HTTP/1.1\r\nHost: x\r\n{twice}\r\n"), 400),
            ("nonsense\r\n\r\n".to_owned(), 400),
            ("GET / HTTP/9.9\r\n\r\n".to_owned(), 400),
            ("GET /v1/user HTTP/1.1\r\n\r\n".to_owned(), 400),
            ("GET /v1/user HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n".to_owned(), 400),
            ("GET /v1/user HTTP/1.1\r\nno colon\r\n\r\n".to_owned(), 400),
            ("\u{0}\u{1}\u{2}\r\n\r\n".to_owned(), 400),
        ] {
            let answer = parse(&send(env.server(), bytes.as_bytes()));
            let _message = answer.error(status);
            assert_eq!(answer.header("connection"), "close");
            let length = answer.body.len().to_string();
            assert_eq!(answer.header("content-length"), length);
        }
        // An invalid request after a valid one on the same connection is answered too, and quoted
        // text is kept.
        let good = "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n";
        let both = send(env.server(), format!("{good}nonsense\r\n\r\n").as_bytes());
        let text = String::from_utf8(both).unwrap();
        let (first, second) = text.split_at(text.find("HTTP/1.1 400").unwrap());
        assert!(first.starts_with("HTTP/1.1 200") && first.ends_with("ok\n"), "{text}");
        let _message = parse(second.as_bytes()).error(400);
        // A client that sends too large a body receives the error although it is still sending.
        let token = bindery_testkit::SETUP_TOKEN;
        let large = format!(
            "POST /v1/bindery/users HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\n\
             Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{}",
            8 << 20,
            "x".repeat(8 << 20),
        );
        let refused = parse(&send(env.server(), large.as_bytes()));
        let _message = refused.error(413);
        assert_eq!(refused.header("connection"), "close");
        // A small unread body does not end the connection.
        let unread = "POST /v1/bindery/users HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}";
        let both = send(env.server(), format!("{unread}{good}").as_bytes());
        let text = String::from_utf8(both).unwrap();
        assert!(text.starts_with("HTTP/1.1 401") && text.ends_with("ok\n"), "{text}");
        assert!(!text.contains("connection: close"), "{text}");
        assert_eq!(env.ask("GET", "/v1/user", "", b"").status, 200);
    });
}

#[test]
fn health() {
    each_engine(async |env: &mut TestEnv| {
        for path in ["/healthz", "/readyz"] {
            let _well = env.client.anonymous().get(path, &[]).await.expect(200);
            assert_eq!(env.ask("HEAD", path, "", b"").status, 200);
            for (method, status) in [("OPTIONS", 204), ("POST", 405), ("DELETE", 405)] {
                let answer = env.ask(method, path, "", b"");
                assert_eq!(answer.status, status, "{method} {path}");
                assert_eq!(answer.header("allow"), "GET, HEAD, OPTIONS");
            }
        }
        let _off = env.client.anonymous().get("/metrics", &[]).await.expect(404);
    });
}

#[test]
fn the_description_states_the_limits() {
    on_sqlite(async |env: &mut TestEnv| {
        let described = env.ask("GET", "/v1/openapi.json", "", b"");
        let described: Value = serde_json::from_slice(&described.body).unwrap();
        let limits = &described["info"]["x-limits"];
        let expect = [2 << 20, 64 << 20, 1 << 30, 200];
        for (name, expect) in
            ["jsonBody", "contentBody", "archiveBody", "jsonDepth"].iter().zip(expect)
        {
            assert_eq!(limits[name], expect, "{limits}");
        }
        for path in ["/v1/openapi.json", "/v1/docs"] {
            assert_eq!(env.ask("OPTIONS", path, "", b"").status, 204);
            let _message = env.ask("POST", path, "", b"").error(405);
        }
    });
}
