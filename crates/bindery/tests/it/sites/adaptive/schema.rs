//! The schema of the claims of visitors.

use serde_json::{Value, json};

use super::empty_site;
use crate::support::{TestEnv, each_engine};

fn schema(properties: &Value) -> Value {
    json!({ "jsonSchema": {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "type": "object",
        "properties": properties,
        "additionalProperties": false,
    } })
}

fn unsigned(properties: &Value) -> Value {
    json!({
        "type": "object",
        "description": "Unsigned claims of the site visitor.",
        "properties": properties,
        "additionalProperties": false,
    })
}

#[test]
fn a_schema_is_stored_and_suggests_conditions() {
    each_engine(async |env: &mut TestEnv| {
        let site = empty_site(env).await;
        let call = |operation: &str| {
            env.client
                .call(operation)
                .path("organizationId", &env.organization)
                .path("siteId", &site)
        };
        let absent = call("getSiteAdaptiveSchema").send().await.expect(404);
        assert!(absent.message().contains("schema"), "{absent}");
        let none = call("listSiteAdaptiveTemplateConditions").send().await.expect(200);
        assert_eq!(none.json["items"], json!([]));
        let body = schema(&json!({
            "beta": { "type": "boolean", "description": "Beta users" },
            "roles": {
                "type": "array",
                "description": "Roles",
                "items": { "type": "string", "enum": ["admin"], "description": "Role" },
            },
            "unsigned": unsigned(&json!({
                "plan": { "type": "string", "enum": ["free", "pro"], "description": "Plan" },
            })),
        }));
        let stored = call("updateSiteAdaptiveSchema").json(&body).send().await.expect(200);
        assert_eq!(stored.json["jsonSchema"], body["jsonSchema"]);
        let again = call("updateSiteAdaptiveSchema").json(&body).send().await.expect(200);
        assert_eq!(again.json, stored.json);
        let read = call("getSiteAdaptiveSchema").send().await.expect(200);
        assert_eq!(read.json, stored.json);
        let listed = call("listSiteAdaptiveTemplateConditions").send().await.expect(200);
        let items = listed.json["items"].as_array().unwrap();
        let conditions: Vec<&str> =
            items.iter().map(|item| item["condition"].as_str().unwrap()).collect();
        for condition in [
            "visitor.claims.beta == true",
            "visitor.claims.roles.includes(\"admin\")",
            "visitor.claims.unsigned.plan == \"free\"",
            "visitor.claims.unsigned.plan == \"pro\"",
        ] {
            assert!(conditions.contains(&condition), "{condition} in {conditions:?}");
        }
    });
}

#[test]
fn an_invalid_schema_is_refused() {
    each_engine(async |env: &mut TestEnv| {
        let site = empty_site(env).await;
        let call = |operation: &str| {
            env.client
                .call(operation)
                .path("organizationId", &env.organization)
                .path("siteId", &site)
        };
        let valid = schema(&json!({ "a": { "type": "boolean", "description": "A" } }));
        let _stored = call("updateSiteAdaptiveSchema").json(&valid).send().await.expect(200);
        for wrong in [
            json!({}),
            json!({ "jsonSchema": { "type": "object", "properties": {} } }),
            schema(&json!({ "a": { "type": "date", "description": "A" } })),
            schema(&json!({ "a": { "type": "boolean" } })),
            schema(&json!({ "a": { "type": "boolean", "description": "A", "default": true } })),
            schema(&json!({ "a": { "type": "string", "enum": [], "description": "A" } })),
            schema(&json!({ "a": { "type": "string", "enum": ["x", "x"], "description": "A" } })),
            schema(&json!({ "unsigned": { "type": "boolean", "description": "A" } })),
        ] {
            let refused = call("updateSiteAdaptiveSchema").json(&wrong).send().await.expect(400);
            assert!(refused.message().contains("jsonSchema"), "{wrong}: {refused}");
        }
        let kept = call("getSiteAdaptiveSchema").send().await.expect(200);
        assert_eq!(kept.json["jsonSchema"], valid["jsonSchema"]);
        let creator = env.person("reader@example.com", Some("read")).await;
        let of = |operation: &str| {
            creator.call(operation).path("organizationId", &env.organization).path("siteId", &site)
        };
        let _refused = of("updateSiteAdaptiveSchema").json(&valid).send().await.expect(403);
        let _read = of("getSiteAdaptiveSchema").send().await.expect(200);
    });
}
