//! Converts Swagger 2.0 to OpenAPI 3.0.

use serde_json::{Map, Value, json};

use crate::Pointer;

/// Media type of a body or a response that states none.
const JSON: &str = "application/json";
const FORM: &str = "application/x-www-form-urlencoded";
const MULTIPART: &str = "multipart/form-data";
/// The methods of Swagger 2.0.
const METHODS: [&str; 7] = ["get", "put", "post", "delete", "options", "head", "patch"];
/// The fields of a parameter or a header that belong to its schema in OpenAPI 3.0.
const SCHEMA_FIELDS: [&str; 18] = [
    "type",
    "format",
    "items",
    "default",
    "maximum",
    "exclusiveMaximum",
    "minimum",
    "exclusiveMinimum",
    "maxLength",
    "minLength",
    "pattern",
    "maxItems",
    "minItems",
    "uniqueItems",
    "enum",
    "multipleOf",
    "x-nullable",
    "nullable",
];

/// A part of a description that OpenAPI 3.0 cannot express.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Loss {
    /// The place of the part in the Swagger 2.0 description.
    pub pointer: Pointer,
    /// Sentence that names the information that the OpenAPI 3.0 description lacks.
    pub message: String,
}

/// Converts a description in Swagger 2.0 to one in OpenAPI 3.0. References to other files stay as
/// they are. Returns the parts that are missing in it, too.
#[must_use]
pub fn convert(swagger: &Value) -> (Value, Vec<Loss>) {
    let mut conversion = Conversion { swagger, losses: Vec::new() };
    let converted = conversion.root();
    (converted, conversion.losses)
}

struct Conversion<'v> {
    swagger: &'v Value,
    losses: Vec<Loss>,
}

/// The media types that an operation takes and answers with, if it states no others.
#[derive(Clone, Copy)]
struct Types<'v> {
    consumes: &'v Value,
    produces: &'v Value,
}

impl Types<'_> {
    /// Returns the media types of a list, `application/json` if it is empty.
    fn of(list: &Value) -> Vec<&str> {
        let stated: Vec<&str> =
            list.as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        if stated.is_empty() { vec![JSON] } else { stated }
    }
}

fn field<'v>(value: &'v Value, name: &str) -> &'v Value {
    value.get(name).unwrap_or(&Value::Null)
}

fn fields(value: &Value) -> impl Iterator<Item = (&String, &Value)> {
    value.as_object().into_iter().flatten()
}

fn text<'v>(value: &'v Value, name: &str) -> Option<&'v str> {
    value.get(name).and_then(Value::as_str)
}

/// Returns an object without some of its fields.
fn without(value: &Value, names: &[&str]) -> Map<String, Value> {
    let kept = fields(value).filter(|(name, _)| !names.contains(&name.as_str()));
    kept.map(|(name, value)| (name.clone(), value.clone())).collect()
}

impl<'v> Conversion<'v> {
    fn lose(&mut self, pointer: &Pointer, message: impl Into<String>) {
        self.losses.push(Loss { pointer: pointer.clone(), message: message.into() });
    }

    fn root(&mut self) -> Value {
        let (swagger, top) = (self.swagger, Pointer::default());
        let own = [
            "swagger",
            "host",
            "basePath",
            "schemes",
            "consumes",
            "produces",
            "paths",
            "definitions",
            "parameters",
            "responses",
            "securityDefinitions",
        ];
        let mut root = Map::new();
        root.insert("openapi".to_owned(), "3.0.4".into());
        root.extend(without(swagger, &own));
        root.insert("servers".to_owned(), self.servers(field(swagger, "schemes")));
        let types =
            Types { consumes: field(swagger, "consumes"), produces: field(swagger, "produces") };
        let at = top.child("paths");
        let paths: Map<_, _> = fields(field(swagger, "paths"))
            .map(|(name, item)| (name.clone(), self.path_item(item, types, &at.child(name))))
            .collect();
        root.insert("paths".to_owned(), Value::Object(paths));
        let components = self.components(types);
        if !components.is_empty() {
            root.insert("components".to_owned(), Value::Object(components));
        }
        Value::Object(root)
    }

    fn servers(&self, schemes: &Value) -> Value {
        let base = text(self.swagger, "basePath").unwrap_or_default().trim_end_matches('/');
        let Some(host) = text(self.swagger, "host") else {
            return json!([{ "url": if base.is_empty() { "/" } else { base } }]);
        };
        let stated: Vec<_> =
            schemes.as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        let schemes = if stated.is_empty() { vec!["https"] } else { stated };
        schemes.iter().map(|scheme| json!({ "url": format!("{scheme}://{host}{base}") })).collect()
    }

    fn components(&mut self, types: Types<'v>) -> Map<String, Value> {
        let top = Pointer::default();
        let mut components = Map::new();
        let mut add = |name: &str, values: Map<String, Value>| {
            if !values.is_empty() {
                components.insert(name.to_owned(), Value::Object(values));
            }
        };
        let at = top.child("definitions");
        let schemas = fields(field(self.swagger, "definitions"))
            .map(|(name, schema)| (name.clone(), self.schema(schema, &at.child(name))));
        add("schemas", schemas.collect());
        let at = top.child("parameters");
        // Bodies and fields of forms become parts of the operations that use them.
        let parameters = fields(field(self.swagger, "parameters"))
            .filter(|(_, parameter)| !is_of_body(parameter))
            .map(|(name, parameter)| (name.clone(), self.parameter(parameter, &at.child(name))));
        add("parameters", parameters.collect());
        let at = top.child("responses");
        let responses = fields(field(self.swagger, "responses")).map(|(name, response)| {
            (name.clone(), self.response(response, types, &at.child(name)))
        });
        add("responses", responses.collect());
        let at = top.child("securityDefinitions");
        let security = fields(field(self.swagger, "securityDefinitions"))
            .filter_map(|(name, own)| Some((name.clone(), self.security(own, &at.child(name))?)));
        add("securitySchemes", security.collect());
        components
    }

    fn path_item(&mut self, item: &'v Value, types: Types<'v>, at: &Pointer) -> Value {
        let mut converted = Map::new();
        let shared: Vec<&Value> = list(field(item, "parameters")).collect();
        for (name, value) in fields(item) {
            let at = at.child(name);
            let value = match name.as_str() {
                method if METHODS.contains(&method) => self.operation(value, &shared, types, &at),
                "parameters" => self.parameters(&shared, &at),
                "$ref" => reference(value),
                _ => value.clone(),
            };
            converted.insert(name.clone(), value);
        }
        Value::Object(converted)
    }

    fn operation(
        &mut self,
        operation: &'v Value,
        shared: &[&'v Value],
        types: Types<'v>,
        at: &Pointer,
    ) -> Value {
        let own = ["consumes", "produces", "schemes", "parameters", "responses"];
        let mut converted = without(operation, &own);
        let types = Types {
            consumes: operation.get("consumes").unwrap_or(types.consumes),
            produces: operation.get("produces").unwrap_or(types.produces),
        };
        if let Some(schemes) = operation.get("schemes") {
            converted.insert("servers".to_owned(), self.servers(schemes));
        }
        let stated: Vec<&Value> = list(field(operation, "parameters")).collect();
        let own = self.parameters(&stated, &at.child("parameters"));
        if own.as_array().is_some_and(|own| !own.is_empty()) {
            converted.insert("parameters".to_owned(), own);
        }
        if let Some(body) = self.body(&stated, shared, types, at) {
            converted.insert("requestBody".to_owned(), body);
        }
        let responses_at = at.child("responses");
        let responses: Map<_, _> = fields(field(operation, "responses"))
            .map(|(status, response)| {
                let value = match status.starts_with("x-") {
                    true => response.clone(),
                    false => self.response(response, types, &responses_at.child(status)),
                };
                (status.clone(), value)
            })
            .collect();
        converted.insert("responses".to_owned(), Value::Object(responses));
        Value::Object(converted)
    }

    /// Returns a parameter, or the one that it refers to in this description.
    fn followed(&self, parameter: &'v Value) -> &'v Value {
        let target = text(parameter, "$ref").and_then(|target| target.strip_prefix('#'));
        let found = target.and_then(Pointer::of_fragment);
        found.and_then(|pointer| pointer.find(self.swagger)).unwrap_or(parameter)
    }

    /// Converts the parameters that are not parts of a body.
    fn parameters(&mut self, stated: &[&'v Value], at: &Pointer) -> Value {
        let mut converted = Vec::new();
        for (index, parameter) in stated.iter().enumerate() {
            if !is_of_body(self.followed(parameter)) {
                converted.push(self.parameter(parameter, &at.child(index.to_string())));
            }
        }
        converted.into()
    }

    fn parameter(&mut self, parameter: &Value, at: &Pointer) -> Value {
        if parameter.get("$ref").is_some() {
            return self.schema(parameter, at);
        }
        let mut converted = without(parameter, &SCHEMA_FIELDS);
        let format = converted.shift_remove("collectionFormat");
        if field(parameter, "type") == "array" {
            let format = format.as_ref().and_then(Value::as_str).unwrap_or("csv");
            let place = text(parameter, "in").unwrap_or_default();
            match style(format, place) {
                Some((style, explode)) => {
                    converted.insert("style".to_owned(), style.into());
                    converted.insert("explode".to_owned(), explode.into());
                }
                None => self.lose(at, format!("the values are not separated as {format:?} says")),
            }
        }
        converted.insert("schema".to_owned(), self.schema_of_fields(parameter, at));
        Value::Object(converted)
    }

    /// Returns the schema of the fields that a parameter or a header has itself.
    fn schema_of_fields(&mut self, owner: &Value, at: &Pointer) -> Value {
        let own: Map<_, _> = fields(owner)
            .filter(|(name, _)| SCHEMA_FIELDS.contains(&name.as_str()))
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect();
        self.schema(&Value::Object(own), at)
    }

    /// Returns the body of an operation, which has a parameter for it or fields of a form.
    fn body(
        &mut self,
        stated: &[&'v Value],
        shared: &[&'v Value],
        types: Types<'v>,
        at: &Pointer,
    ) -> Option<Value> {
        let mut form: Vec<&Value> = Vec::new();
        let mut body = None;
        // Those of the operation come last, as they replace others with their names.
        for parameter in shared.iter().chain(stated) {
            let parameter = self.followed(parameter);
            match text(parameter, "in") {
                Some("body") => body = Some(parameter),
                Some("formData") => {
                    form.retain(|known| field(known, "name") != field(parameter, "name"));
                    form.push(parameter);
                }
                _ => {}
            }
        }
        match body {
            Some(body) => {
                if !form.is_empty() {
                    self.lose(at, "the fields of the form are missing beside the body");
                }
                Some(self.plain_body(body, types, at))
            }
            None if form.is_empty() => None,
            None => Some(self.form_body(&form, types, at)),
        }
    }

    fn plain_body(&mut self, body: &Value, types: Types<'_>, at: &Pointer) -> Value {
        let mut converted = without(body, &["in", "name", "schema", "required"]);
        let schema = self.schema(field(body, "schema"), at);
        let content: Map<_, _> = Types::of(types.consumes)
            .into_iter()
            .map(|kind| (kind.to_owned(), json!({ "schema": schema })))
            .collect();
        converted.insert("content".to_owned(), Value::Object(content));
        if let Some(required) = body.get("required") {
            converted.insert("required".to_owned(), required.clone());
        }
        Value::Object(converted)
    }

    fn form_body(&mut self, form: &[&Value], types: Types<'_>, at: &Pointer) -> Value {
        let (mut properties, mut required, mut encoding) = (Map::new(), Vec::new(), Map::new());
        let has_files = form.iter().any(|part| field(part, "type") == "file");
        for part in form {
            let Some(name) = text(part, "name") else { continue };
            let mut schema = self.schema_of_fields(part, at);
            if let (Some(own), Some(description)) =
                (schema.as_object_mut(), part.get("description"))
            {
                own.insert("description".to_owned(), description.clone());
            }
            if field(part, "type") == "array" {
                let format = text(part, "collectionFormat").unwrap_or("csv");
                match style(format, "query") {
                    Some((style, explode)) => {
                        let own = json!({ "style": style, "explode": explode });
                        encoding.insert(name.to_owned(), own);
                    }
                    None => self.lose(
                        at,
                        format!("the values of {name:?} are not separated as {format:?} says"),
                    ),
                }
            }
            properties.insert(name.to_owned(), schema);
            if field(part, "required") == true {
                required.push(Value::from(name));
            }
        }
        let mut schema = json!({ "type": "object", "properties": properties });
        let is_required = !required.is_empty();
        if is_required {
            schema["required"] = required.into();
        }
        let stated = Types::of(types.consumes);
        let mut kinds: Vec<_> =
            stated.into_iter().filter(|kind| [FORM, MULTIPART].contains(kind)).collect();
        if kinds.is_empty() {
            kinds.push(if has_files { MULTIPART } else { FORM });
        }
        let content: Map<_, _> = kinds
            .into_iter()
            .map(|kind| {
                let mut media = json!({ "schema": schema });
                if !encoding.is_empty() && kind == FORM {
                    media["encoding"] = Value::Object(encoding.clone());
                }
                (kind.to_owned(), media)
            })
            .collect();
        let mut body = json!({ "content": content });
        if is_required {
            body["required"] = true.into();
        }
        body
    }

    fn response(&mut self, response: &Value, types: Types<'_>, at: &Pointer) -> Value {
        if response.get("$ref").is_some() {
            return self.schema(response, at);
        }
        let mut converted = without(response, &["schema", "examples", "headers"]);
        converted.entry("description").or_insert_with(|| "".into());
        let headers: Map<_, _> = fields(field(response, "headers"))
            .map(|(name, header)| {
                let mut own = without(header, &SCHEMA_FIELDS);
                own.shift_remove("collectionFormat");
                let at = at.child("headers").child(name);
                own.insert("schema".to_owned(), self.schema_of_fields(header, &at));
                (name.clone(), Value::Object(own))
            })
            .collect();
        if !headers.is_empty() {
            converted.insert("headers".to_owned(), Value::Object(headers));
        }
        let mut content = Map::new();
        if let Some(schema) = response.get("schema") {
            let schema = self.schema(schema, &at.child("schema"));
            for kind in Types::of(types.produces) {
                content.insert(kind.to_owned(), json!({ "schema": schema }));
            }
        }
        for (kind, example) in fields(field(response, "examples")) {
            let media = content.entry(kind.clone()).or_insert_with(|| json!({}));
            media["example"] = example.clone();
        }
        if !content.is_empty() {
            converted.insert("content".to_owned(), Value::Object(content));
        }
        Value::Object(converted)
    }

    fn security(&mut self, scheme: &Value, at: &Pointer) -> Option<Value> {
        let mut converted =
            without(scheme, &["type", "flow", "authorizationUrl", "tokenUrl", "scopes"]);
        let flow = match (text(scheme, "type"), text(scheme, "flow")) {
            (Some("basic"), _) => {
                converted.insert("type".to_owned(), "http".into());
                converted.insert("scheme".to_owned(), "basic".into());
                return Some(Value::Object(converted));
            }
            (Some("apiKey"), _) => {
                converted.insert("type".to_owned(), "apiKey".into());
                return Some(Value::Object(converted));
            }
            (Some("oauth2"), Some("implicit")) => "implicit",
            (Some("oauth2"), Some("password")) => "password",
            (Some("oauth2"), Some("application")) => "clientCredentials",
            (Some("oauth2"), Some("accessCode")) => "authorizationCode",
            _ => {
                self.lose(at, "the way to sign in is missing, because its type is unknown");
                return None;
            }
        };
        let mut own = Map::new();
        for name in ["authorizationUrl", "tokenUrl"] {
            if let Some(address) = scheme.get(name) {
                own.insert(name.to_owned(), address.clone());
            }
        }
        own.insert("scopes".to_owned(), scheme.get("scopes").cloned().unwrap_or(json!({})));
        converted.insert("type".to_owned(), "oauth2".into());
        converted.insert("flows".to_owned(), json!({ flow: own }));
        Some(Value::Object(converted))
    }

    /// Converts a schema and those in it, also the references.
    fn schema(&mut self, schema: &Value, at: &Pointer) -> Value {
        match schema {
            Value::Array(items) => items.iter().map(|item| self.schema(item, at)).collect(),
            Value::Object(own) => self.object_schema(own, at),
            other => other.clone(),
        }
    }

    fn object_schema(&mut self, own: &Map<String, Value>, at: &Pointer) -> Value {
        let mut converted = Map::new();
        for (name, value) in own {
            match (name.as_str(), value) {
                ("$ref", _) => {
                    converted.insert(name.clone(), reference(value));
                }
                ("type", Value::String(kind)) if kind == "file" => {
                    converted.insert(name.clone(), "string".into());
                    converted.insert("format".to_owned(), "binary".into());
                }
                ("discriminator", Value::String(property)) => {
                    converted.insert(name.clone(), json!({ "propertyName": property }));
                }
                ("x-nullable", Value::Bool(is_nullable)) => {
                    converted.insert("nullable".to_owned(), (*is_nullable).into());
                }
                ("properties", Value::Object(properties)) => {
                    let properties: Map<_, _> = properties
                        .iter()
                        .map(|(name, value)| {
                            (name.clone(), self.schema(value, &at.child("properties").child(name)))
                        })
                        .collect();
                    converted.insert(name.clone(), Value::Object(properties));
                }
                ("items" | "allOf" | "additionalProperties" | "not", _) => {
                    converted.insert(name.clone(), self.schema(value, &at.child(name)));
                }
                ("collectionFormat", value) if value != "csv" => {
                    self.lose(at, "the values in the list are not separated as stated");
                }
                ("collectionFormat", _) => {}
                _ => {
                    converted.insert(name.clone(), value.clone());
                }
            }
        }
        Value::Object(converted)
    }
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn is_of_body(parameter: &Value) -> bool {
    matches!(text(parameter, "in"), Some("body" | "formData"))
}

/// Returns the style by which OpenAPI 3.0 separates the values of a list, and whether each is a
/// parameter of its own.
fn style(format: &str, place: &str) -> Option<(&'static str, bool)> {
    match (format, place) {
        ("csv", "query") => Some(("form", false)),
        ("csv", _) => Some(("simple", false)),
        ("multi", _) => Some(("form", true)),
        ("ssv", "query") => Some(("spaceDelimited", false)),
        ("pipes", "query") => Some(("pipeDelimited", false)),
        _ => None,
    }
}

/// Returns a reference to a part of this description where OpenAPI 3.0 has it.
fn reference(target: &Value) -> Value {
    let text = target.as_str().and_then(|text| text.strip_prefix('#'));
    let moved_to = text.and_then(moved);
    moved_to.map_or_else(|| target.clone(), |fragment| format!("#{fragment}").into())
}

/// Returns the fragment by which OpenAPI 3.0 refers to a part of a description in Swagger 2.0.
pub(crate) fn moved(fragment: &str) -> Option<String> {
    let moved = [
        ("/definitions/", "/components/schemas/"),
        ("/parameters/", "/components/parameters/"),
        ("/responses/", "/components/responses/"),
    ];
    let found = moved.iter().find_map(|(from, to)| Some((to, fragment.strip_prefix(from)?)));
    found.map(|(to, name)| format!("{to}{name}"))
}
