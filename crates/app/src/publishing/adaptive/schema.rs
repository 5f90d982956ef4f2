//! The schema of claims: the subset of JSON Schema (draft-07) that the contract describes.

use bindery_model::{FieldPath, Result};
use serde_json::{Map, Value};

/// Maximum size of a schema in bytes.
const MAX_BYTES: usize = 64 << 10;
/// Maximum number of nested objects in a schema.
const MAX_DEPTH: usize = 8;
/// Maximum number of claims in a schema, including those in objects.
const MAX_CLAIMS: usize = 500;
/// Maximum number of values of an enumeration.
const MAX_VALUES: usize = 200;
/// Maximum length of the name of a claim, in characters.
const MAX_NAME: usize = 100;
/// Maximum number of suggested conditions.
const MAX_TEMPLATES: usize = 500;
/// The member with the claims that visitors state without a signature.
const UNSIGNED: &str = "unsigned";

/// The type of a claim.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ClaimType {
    /// A boolean.
    Boolean,
    /// A number.
    Number,
    /// Any string.
    Text,
    /// One of these strings.
    Choice(Vec<String>),
    /// A list of values of one type.
    List(Box<Self>),
    /// An object with these claims.
    Object(Vec<Claim>),
}

/// A claim.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Claim {
    /// The name.
    pub name: String,
    /// A text for people who write conditions.
    pub description: String,
    /// The type.
    pub claim_type: ClaimType,
}

/// A condition for people to choose from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TemplateCondition {
    /// A text about the visitors for whom the condition holds.
    pub description: String,
    /// The condition.
    pub condition: String,
}

/// The schema of the claims of a site's visitors.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ClaimsSchema {
    claims: Vec<Claim>,
}

impl ClaimsSchema {
    /// Returns the types of the claims in a valid schema. Ignores everything else.
    pub fn of(schema: &Value) -> Self {
        Self { claims: members(schema) }
    }

    /// Returns the types of the claims that visitors state without a signature.
    pub fn unsigned(&self) -> &[Claim] {
        let unsigned = self.claims.iter().find(|claim| claim.name == UNSIGNED);
        match unsigned.map(|claim| &claim.claim_type) {
            Some(ClaimType::Object(claims)) => claims,
            _ => &[],
        }
    }

    /// Returns conditions that compare each claim with its values.
    pub fn template_conditions(&self) -> Vec<TemplateCondition> {
        let mut templates = Vec::new();
        append_templates("visitor.claims", &self.claims, &mut templates);
        templates.truncate(MAX_TEMPLATES);
        templates
    }
}

fn members(object: &Value) -> Vec<Claim> {
    let properties = object.get("properties").and_then(Value::as_object);
    let properties = properties.into_iter().flatten();
    properties
        .filter_map(|(name, schema)| {
            let description = schema.get("description").and_then(Value::as_str);
            Some(Claim {
                name: name.clone(),
                description: description.unwrap_or_default().to_owned(),
                claim_type: claim_type(schema)?,
            })
        })
        .collect()
}

fn claim_type(schema: &Value) -> Option<ClaimType> {
    Some(match schema.get("type")?.as_str()? {
        "boolean" => ClaimType::Boolean,
        "number" => ClaimType::Number,
        "string" => match schema.get("enum").and_then(Value::as_array) {
            Some(values) => {
                let values = values.iter().filter_map(Value::as_str);
                ClaimType::Choice(values.map(str::to_owned).collect())
            }
            None => ClaimType::Text,
        },
        "array" => ClaimType::List(Box::new(claim_type(schema.get("items")?)?)),
        "object" => ClaimType::Object(members(schema)),
        _ => return None,
    })
}

fn append_templates(parent: &str, claims: &[Claim], templates: &mut Vec<TemplateCondition>) {
    for claim in claims {
        let place = member(parent, &claim.name);
        let described = match claim.description.as_str() {
            "" => &claim.name,
            description => description,
        };
        let mut suggest = |description: String, condition: String| {
            if templates.len() < MAX_TEMPLATES {
                templates.push(TemplateCondition { description, condition });
            }
        };
        match &claim.claim_type {
            ClaimType::Boolean => suggest(described.to_owned(), format!("{place} == true")),
            ClaimType::Number => suggest(described.to_owned(), format!("{place} > 0")),
            ClaimType::Text => suggest(described.to_owned(), format!("{place} == \"\"")),
            ClaimType::Choice(values) => {
                for value in values {
                    let condition = format!("{place} == {}", Value::from(value.as_str()));
                    suggest(format!("{described}: {value}"), condition);
                }
            }
            ClaimType::List(items) => match &**items {
                ClaimType::Choice(values) => {
                    for value in values {
                        let condition =
                            format!("{place}.includes({})", Value::from(value.as_str()));
                        suggest(format!("{described}: {value}"), condition);
                    }
                }
                ClaimType::Text => {
                    suggest(described.to_owned(), format!("{place}.includes(\"\")"));
                }
                _ => suggest(described.to_owned(), format!("{place}.length > 0")),
            },
            ClaimType::Object(claims) => append_templates(&place, claims, templates),
        }
    }
}

/// Returns the expression for a member of an object.
fn member(object: &str, name: &str) -> String {
    let mut letters = name.chars();
    let is_start = |c: char| c.is_ascii_alphabetic() || c == '_' || c == '$';
    let is_name =
        letters.next().is_some_and(is_start) && letters.all(|c| is_start(c) || c.is_ascii_digit());
    match is_name {
        true => format!("{object}.{name}"),
        false => format!("{object}[{}]", Value::from(name)),
    }
}

/// Checks what the contract does not describe: sizes, and names and values that are distinct.
///
/// # Errors
/// Returns 400 with the invalid part of the schema.
pub(super) fn check(schema: &Value) -> Result<()> {
    let path = FieldPath::new("/jsonSchema");
    let bytes = schema.to_string().len();
    if bytes > MAX_BYTES {
        return Err(path.invalid(format!("found {bytes} bytes, allowed: {MAX_BYTES}")));
    }
    let mut count = 0;
    check_members(&path, schema, 1, &mut count)?;
    if let Some(unsigned) = schema.pointer("/properties/unsigned") {
        let path = path.field("properties").field(UNSIGNED);
        if unsigned.get("type") != Some(&Value::from("object")) {
            let found = unsigned.get("type").unwrap_or(&Value::Null);
            return Err(path.field("type").invalid(format!("found {found}, allowed: \"object\"")));
        }
    }
    Ok(())
}

fn check_members(path: &FieldPath, object: &Value, depth: usize, count: &mut usize) -> Result<()> {
    let path = path.field("properties");
    if depth > MAX_DEPTH {
        return Err(path.invalid(format!("found {depth} nested objects, allowed: {MAX_DEPTH}")));
    }
    let empty = Map::new();
    let properties = object.get("properties").and_then(Value::as_object).unwrap_or(&empty);
    for (name, schema) in properties {
        let path = path.field(name);
        let length = name.chars().count();
        if length == 0 || length > MAX_NAME || name.chars().any(char::is_control) {
            return Err(path.invalid(format!(
                "found the name {name:?}, allowed: 1 to {MAX_NAME} characters without control \
                 characters"
            )));
        }
        *count += 1;
        if *count > MAX_CLAIMS {
            return Err(path.invalid(format!("found claim {count}, allowed: {MAX_CLAIMS} claims")));
        }
        check_values(&path, schema)?;
        if let Some(items) = schema.get("items") {
            check_values(&path.field("items"), items)?;
        }
        if schema.get("properties").is_some() {
            check_members(&path, schema, depth + 1, count)?;
        }
    }
    Ok(())
}

/// Checks the values of an enumeration.
fn check_values(path: &FieldPath, schema: &Value) -> Result<()> {
    let Some(values) = schema.get("enum").and_then(Value::as_array) else { return Ok(()) };
    let path = path.field("enum");
    let found = values.len();
    if found == 0 || found > MAX_VALUES {
        return Err(path.invalid(format!("found {found} values, allowed: 1 to {MAX_VALUES}")));
    }
    let mut known = std::collections::HashSet::new();
    for (index, value) in values.iter().enumerate() {
        if !known.insert(value.as_str()) {
            let error = format!("found {value} twice, allowed: distinct values");
            return Err(path.field(index).invalid(error));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use bindery_expression::Expression;
    use serde_json::json;

    use super::*;

    fn schema(properties: &Value) -> Value {
        json!({ "type": "object", "properties": properties, "additionalProperties": false })
    }

    #[test]
    fn templates_are_valid_conditions() {
        let templates = ClaimsSchema::of(&schema(&json!({
            "beta": { "type": "boolean", "description": "Beta users" },
            "plan": { "type": "string", "enum": ["free", "a\"b"], "description": "Plan" },
            "a-b": { "type": "number", "description": "" },
            "roles": {
                "type": "array", "description": "Roles", "items": { "type": "string" }
            },
            "unsigned": schema(&json!({
                "language": { "type": "string", "enum": ["en"], "description": "Language" },
            })),
        })))
        .template_conditions();
        for template in &templates {
            assert!(Expression::parse(&template.condition).is_ok(), "{template:?}");
        }
        let conditions: Vec<&str> = templates.iter().map(|one| one.condition.as_str()).collect();
        for expected in [
            "visitor.claims.beta == true",
            "visitor.claims.plan == \"a\\\"b\"",
            "visitor.claims[\"a-b\"] > 0",
            "visitor.claims.roles.includes(\"\")",
            "visitor.claims.unsigned.language == \"en\"",
        ] {
            assert!(conditions.contains(&expected), "{expected} in {conditions:?}");
        }
    }

    #[test]
    fn sizes_and_values_are_checked() {
        let nested = (0..MAX_DEPTH).fold(json!({}), |inner, _| json!({ "a": schema(&inner) }));
        let values: Vec<String> = (0..=MAX_VALUES).map(|number| number.to_string()).collect();
        for (properties, place) in [
            (json!({ "": { "type": "boolean" } }), "/jsonSchema/properties/"),
            (json!({ "a": { "type": "string", "enum": [] } }), "/jsonSchema/properties/a/enum"),
            (
                json!({ "a": { "type": "string", "enum": ["x", "x"] } }),
                "/jsonSchema/properties/a/enum/1",
            ),
            (json!({ "a": { "type": "string", "enum": values } }), "/jsonSchema/properties/a/enum"),
            (json!({ "unsigned": { "type": "boolean" } }), "/jsonSchema/properties/unsigned/type"),
            (nested, "/properties"),
            (json!({ "a": { "description": "x".repeat(MAX_BYTES) } }), "/jsonSchema"),
        ] {
            let error = check(&schema(&properties)).unwrap_err();
            assert!(format!("{error:?}").contains(place), "{place}: {error:?}");
        }
        assert!(check(&schema(&json!({ "a": { "type": "string", "enum": ["x"] } }))).is_ok());
    }
}
