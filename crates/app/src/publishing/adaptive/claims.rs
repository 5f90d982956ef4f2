//! The claims of a visitor as conditions read them.

use bindery_expression::Value as ClaimValue;
use serde_json::{Map, Value};

use super::schema::{Claim, ClaimType, ClaimsSchema};
use crate::publishing::audience::jwt::Claims;

/// Maximum size in bytes of the claims that a visitor states without a signature.
pub const MAX_UNSIGNED_BYTES: usize = 4 << 10;
/// Maximum number of values in a list that a visitor states.
const MAX_ITEMS: usize = 100;

/// Claims that a visitor states without a signature, collected from a request. Later values replace
/// earlier ones.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct UnsignedClaims {
    stated: Map<String, Value>,
}

impl UnsignedClaims {
    /// Adds the members of a JSON object. Ignores any other text.
    pub fn add_object(&mut self, text: &str) {
        if text.len() > MAX_UNSIGNED_BYTES {
            return;
        }
        if let Ok(Value::Object(members)) = serde_json::from_str(text) {
            self.stated.extend(members);
        }
    }

    /// Adds a claim by its path, such as `plan` or `user.plan`. The value is a word or JSON.
    pub fn add_text(&mut self, path: &str, text: &str) {
        if path.len() + text.len() > MAX_UNSIGNED_BYTES {
            return;
        }
        let mut object = &mut self.stated;
        let (parents, name) = path.rsplit_once('.').unwrap_or(("", path));
        for parent in parents.split('.').filter(|parent| !parent.is_empty()) {
            let inner = object.entry(parent).or_insert_with(|| Value::Object(Map::new()));
            if !inner.is_object() {
                *inner = Value::Object(Map::new());
            }
            let Value::Object(inner) = inner else { return };
            object = inner;
        }
        object.insert(name.to_owned(), Value::String(text.to_owned()));
    }

    /// Returns `true` if the visitor states nothing.
    pub fn is_empty(&self) -> bool {
        self.stated.is_empty()
    }

    /// Returns the claims that the schema allows, as values of its types. The others are left out.
    pub fn allowed(&self, schema: &ClaimsSchema) -> Claims {
        members(&self.stated, schema.unsigned())
    }
}

fn members(stated: &Map<String, Value>, claims: &[Claim]) -> Claims {
    let allowed = claims.iter().filter_map(|claim| {
        let value = value(stated.get(&claim.name)?, &claim.claim_type)?;
        Some((claim.name.clone(), value))
    });
    allowed.collect()
}

/// Returns a value of the type; `None` if the stated value has another type. A text can be the
/// spelling of the value.
fn value(stated: &Value, wanted: &ClaimType) -> Option<Value> {
    match (wanted, stated) {
        (ClaimType::Boolean, Value::Bool(_))
        | (ClaimType::Number, Value::Number(_))
        | (ClaimType::Text, Value::String(_)) => Some(stated.clone()),
        (ClaimType::Choice(values), Value::String(text)) => {
            values.contains(text).then(|| stated.clone())
        }
        (ClaimType::List(items), Value::Array(stated)) => {
            let stated = stated.iter().take(MAX_ITEMS);
            stated.map(|item| value(item, items)).collect::<Option<_>>().map(Value::Array)
        }
        (ClaimType::Object(claims), Value::Object(stated)) => {
            Some(Value::Object(members(stated, claims)))
        }
        (ClaimType::Boolean, Value::String(text)) => text.parse().ok().map(Value::Bool),
        (ClaimType::List(_), Value::String(text)) if !text.starts_with('[') => {
            let items = text.split(',').map(Value::from).collect();
            value(&Value::Array(items), wanted)
        }
        (ClaimType::Number | ClaimType::List(_) | ClaimType::Object(_), Value::String(text)) => {
            let parsed: Value = serde_json::from_str(text).ok()?;
            (!parsed.is_string()).then(|| value(&parsed, wanted)).flatten()
        }
        _ => None,
    }
}

/// Returns stated claims as JSON, as a cookie keeps them.
pub fn stated_text(claims: &Claims) -> String {
    Value::Object(claims.clone()).to_string()
}

/// Returns the value of `visitor.claims`: the claims of the visitor's token, and `unsigned` with the
/// claims that the visitor states.
pub(super) fn visitor_claims(signed: &Claims, unsigned: &Claims) -> ClaimValue {
    // A token cannot state claims in the name of the visitor.
    let signed = signed.iter().filter(|(name, _)| name.as_str() != "unsigned");
    let members = signed.map(|(name, value)| (name.as_str().into(), to_value(value)));
    let unsigned = ClaimValue::map(entries(unsigned));
    ClaimValue::map(members.chain([("unsigned".into(), unsigned)]))
}

fn entries(
    members: &Map<String, Value>,
) -> impl Iterator<Item = (bindery_expression::Text, ClaimValue)> {
    members.iter().map(|(name, value)| (name.as_str().into(), to_value(value)))
}

fn to_value(value: &Value) -> ClaimValue {
    match value {
        Value::Null => ClaimValue::Null,
        Value::Bool(flag) => ClaimValue::Bool(*flag),
        Value::Number(number) => ClaimValue::Number(number.as_f64().unwrap_or(f64::NAN)),
        Value::String(text) => text.as_str().into(),
        Value::Array(items) => ClaimValue::List(items.iter().map(to_value).collect()),
        Value::Object(members) => ClaimValue::map(entries(members)),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn stated_claims_have_the_types_of_the_schema() {
        let schema = ClaimsSchema::of(&json!({ "properties": {
            "plan": { "type": "string" },
            "unsigned": { "type": "object", "properties": {
                "beta": { "type": "boolean" },
                "age": { "type": "number" },
                "plan": { "type": "string", "enum": ["free", "pro"] },
                "roles": { "type": "array", "items": { "type": "string" } },
                "user": { "type": "object", "properties": { "name": { "type": "string" } } },
            } },
        } }));
        for (path, text, expected) in [
            ("beta", "true", json!({ "beta": true })),
            ("beta", "yes", json!({})),
            ("age", "7.5", json!({ "age": 7.5 })),
            ("age", "\"7\"", json!({})),
            ("plan", "pro", json!({ "plan": "pro" })),
            ("plan", "true", json!({})),
            ("roles", "a,b", json!({ "roles": ["a", "b"] })),
            ("roles", "[\"a\"]", json!({ "roles": ["a"] })),
            ("roles", "[1]", json!({})),
            ("user.name", "Ada", json!({ "user": { "name": "Ada" } })),
            ("user.other", "Ada", json!({ "user": {} })),
            ("other", "x", json!({})),
        ] {
            let mut stated = UnsignedClaims::default();
            stated.add_text(path, text);
            assert_eq!(Value::Object(stated.allowed(&schema)), expected, "{path}={text}");
        }
        let mut stated = UnsignedClaims::default();
        stated.add_object(r#"{"beta":true,"plan":"pro","secret":1}"#);
        stated.add_text("plan", "free");
        let allowed = Value::Object(stated.allowed(&schema));
        assert_eq!(allowed, json!({ "beta": true, "plan": "free" }));
    }
}
