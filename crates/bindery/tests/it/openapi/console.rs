//! The console with which readers call operations.

use serde_json::{Value, json};

use crate::support::content::publish;
use crate::support::foreign_host::{ForeignHost, Reply};
use crate::support::openapi::put_source;
use crate::support::raw;
use crate::support::{TestEnv, each_engine, on_sqlite};

/// Returns a description with a server.
fn described(server: &str) -> String {
    format!(
        "openapi: 3.1.0\ninfo: {{title: Ships, version: '1'}}\nservers: [{{url: '{server}'}}]\n\
         paths:\n  /ships/{{id}}:\n    get:\n      summary: Find a ship\n      tags: [Ships]\n      \
         security: [{{key: []}}]\n      parameters:\n        - {{name: id, in: path, required: \
         true, schema: {{type: integer}}}}\n        - {{name: q, in: query, schema: {{type: \
         array, items: {{type: string}}}}}}\n      responses: {{'200': {{description: A ship}}}}\n  \
         /secret:\n    get:\n      x-hideTryItPanel: true\n      tags: [Ships]\n      responses: \
         {{'200': {{description: A ship}}}}\ncomponents:\n  securitySchemes: {{key: {{type: apiKey, \
         in: query, name: api_key}}}}\n"
    )
}

/// A published page with the operation of a description, and its key.
struct Page<'e> {
    env: &'e TestEnv,
    keys: Vec<String>,
}

impl<'e> Page<'e> {
    async fn of(env: &'e TestEnv, server: &str) -> Self {
        let _spec = put_source(env, "ships", json!({ "text": described(server) })).await;
        let source = json!({
            "type": "builtin:openapi", "props": { "models": false },
            "dependencies": { "spec": { "ref": { "kind": "openapi", "spec": "ships" } } },
        });
        let create = env.client.call("createSpace").path("organizationId", &env.organization);
        let body = json!({ "title": "API", "computedSource": source });
        let space = create.json(&body).send().await.expect(201).text_at("/id").to_owned();
        let _site = publish(env, "API", &space).await;
        let page = env.client.anonymous().get("/api/", &[]).await.expect(200).text();
        assert!(page.contains("data-at=\"/api/~api-console\""), "{page}");
        let keys = page.split("data-key=\"").skip(1);
        let keys = keys.map(|rest| rest.split('"').next().unwrap().to_owned()).collect();
        Self { env, keys }
    }

    /// Sends values of the form. Returns the status and the body.
    fn send(&self, values: &Value, headers: &str) -> (u16, Value) {
        let headers = format!("Content-Type: application/json\r\n{headers}");
        let body = values.to_string();
        let answer = raw(self.env.server(), "POST", "/api/~api-console", &headers, body.as_bytes());
        (answer.status, serde_json::from_slice(&answer.body).unwrap_or(Value::Null))
    }

    fn values(&self, parameters: &Value) -> Value {
        json!({ "key": self.keys[0], "server": 0, "parameters": parameters })
    }
}

fn id_of(value: &str) -> Value {
    json!([{ "name": "id", "in": "path", "values": [value] }])
}

#[test]
fn operations_are_called_through_the_server() {
    each_engine(async |env: &mut TestEnv| {
        let host = ForeignHost::start();
        let page = Page::of(env, &format!("{}/v1", host.address)).await;
        // An operation without a form has no button.
        assert_eq!(page.keys.len(), 1, "{:?}", page.keys);
        let form = env.client.anonymous();
        let form = form.get(&format!("/api/~api-console?key={}", page.keys[0]), &[]).await;
        let form = form.expect(200);
        assert_eq!(form.text_at("/title"), "Find a ship");
        assert_eq!(form.text_at("/servers/0/url"), format!("{}/v1", host.address));
        assert_eq!(form.at("/servers/0/refusal"), &Value::Null);
        assert_eq!(form.text_at("/parameters/0/in"), "path");
        assert_eq!(form.at("/parameters/1/multiple"), true);
        assert_eq!(form.text_at("/security/0/0/kind"), "apiKey");
        assert_eq!(form.text_at("/labels/onePerLine"), "One value per line");

        let answered = "/v1/ships/a%2F..%20b?q=1&q=%26&api_key=SECRET";
        host.set(answered, Reply::Page(418, "application/json", b"{\"a\": 1}".to_vec()));
        let mut values = page.values(&json!([
            { "name": "id", "in": "path", "values": ["a/.. b"] },
            { "name": "q", "in": "query", "values": ["1", "&"] },
        ]));
        values["credentials"] = json!([{ "name": "key", "value": "SECRET" }]);
        let (status, answer) = page.send(&values, "");
        assert_eq!((status, &answer["status"]), (200, &json!(418)), "{answer}");
        assert_eq!((&answer["body"], &answer["encoding"]), (&json!("{\"a\": 1}"), &json!("text")));
        assert_eq!(answer["request"]["method"], "GET");
        assert_eq!(host.requests(answered), 1);
        // The same request as a command is not sent.
        values["asCurl"] = json!(true);
        let (status, answer) = page.send(&values, "");
        let command = format!("curl '{}{answered}'", host.address);
        assert_eq!((status, &answer["curl"]), (200, &json!(command)), "{answer}");
        assert_eq!(host.requests(answered), 1);
        // A redirect is shown, not followed.
        host.set("/v1/ships/7", Reply::Redirect(format!("{}/elsewhere", host.address)));
        let (_, answer) = page.send(&page.values(&id_of("7")), "");
        assert_eq!(answer["status"], 302, "{answer}");
        assert_eq!(host.requests("/elsewhere"), 0);
        // What is long is cut.
        host.set("/v1/ships/8", Reply::Page(200, "text/plain", vec![b'x'; 2 << 20]));
        let (_, answer) = page.send(&page.values(&id_of("8")), "");
        assert_eq!((&answer["isCut"], &answer["size"]), (&json!(true), &json!(1 << 20)));
    });
}

#[test]
fn only_shown_operations_and_their_servers_are_called() {
    on_sqlite(async |env: &mut TestEnv| {
        let host = ForeignHost::start();
        let page = Page::of(env, &host.address).await;
        let message = |answer: &Value| answer["error"]["message"].as_str().unwrap().to_owned();
        for (parameters, part) in
            [(json!([]), "\"id\" is missing"), (id_of(".."), "only dots"), (id_of(""), "empty")]
        {
            let (status, answer) = page.send(&page.values(&parameters), "");
            assert_eq!(status, 400);
            assert!(message(&answer).contains(part), "{answer}");
        }
        let mut of_server = page.values(&id_of("1"));
        of_server["server"] = json!(1);
        assert!(message(&page.send(&of_server, "").1).contains("no server 2"));
        let mut forged = page.values(&id_of("1"));
        forged["key"] = json!("AAAA");
        assert_eq!(page.send(&forged, "").0, 404);
        let foreign = page.send(&page.values(&id_of("1")), "Sec-Fetch-Site: cross-site\r\n");
        assert_eq!(foreign.0, 403);
        let plain =
            raw(env.server(), "POST", "/api/~api-console", "Content-Type: text/plain\r\n", b"{}");
        assert_eq!(plain.status, 415);
        // The key of one site does not serve another.
        let space = env.space("Other").await;
        let _site = publish(env, "Other", &space).await;
        let other = env.client.anonymous();
        let other = other.get(&format!("/other/~api-console?key={}", page.keys[0]), &[]).await;
        let _none = other.expect(404);
        // The server of a later version is used, and private addresses are refused.
        let text = described("http://169.254.169.254/latest");
        let _spec = put_source(env, "ships", json!({ "text": text })).await;
        let (status, answer) = page.send(&page.values(&id_of("1")), "");
        assert_eq!(status, 400, "{answer}");
        assert!(message(&answer).contains("169.254.169.254"), "{answer}");
    });
}

#[test]
fn one_caller_sends_few_requests() {
    on_sqlite(async |env: &mut TestEnv| {
        let host = ForeignHost::start();
        let page = Page::of(env, &host.address).await;
        let statuses: Vec<u16> =
            (0..31).map(|_| page.send(&page.values(&id_of("1")), "").0).collect();
        assert_eq!(statuses[..30], [200; 30]);
        assert_eq!(statuses[30], 429);
    });
}
