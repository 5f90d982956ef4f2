//! The request that shows how an operation is called.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::Value;

use crate::example::Direction;
use crate::load::Description;
use crate::resolve::Part;

/// The characters that an address has as they are.
pub(crate) const ENCODED: &AsciiSet =
    &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~');
/// The media types of bodies that are shown, the best ones first.
const JSON: &str = "application/json";
const FORM: &str = "application/x-www-form-urlencoded";
/// The media type of a form with parts.
const MULTIPART: &str = "multipart/form-data";

/// A request with example values.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Request {
    /// The method in capitals.
    pub method: String,
    /// The complete address.
    pub url: String,
    /// The headers, in order.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Option<Body>,
}

/// The body of a request.
#[derive(Clone, PartialEq, Debug)]
pub enum Body {
    /// A value, which is sent as JSON.
    Json(Value),
    /// The fields of a form with parts (`multipart/form-data`).
    Form(Vec<FormField>),
    /// Any other text.
    Text(String),
}

/// A field of a form.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FormField {
    /// The name.
    pub name: String,
    /// The value; `None` for a file.
    pub value: Option<String>,
}

/// Limits of a body in a request: the depth, the number of items of a list and of fields of an
/// object, and the length of a text in characters, from wide to narrow.
const SHORTENED: [(usize, usize, usize); 4] = [(8, 50, 200), (5, 10, 100), (3, 3, 60), (2, 2, 40)];

impl Request {
    /// Returns the request with a body of about `most` bytes, and `true` if the body was longer: then
    /// texts are cut, and further items and fields left out.
    #[must_use]
    pub fn shortened(mut self, most: usize) -> (Self, bool) {
        match &mut self.body {
            Some(Body::Json(value)) if size_of(value) > most => {
                *value = shortened_value(value, most);
                (self, true)
            }
            Some(Body::Text(text)) if text.len() > most => {
                text.truncate(text.floor_char_boundary(most));
                text.push('…');
                (self, true)
            }
            _ => (self, false),
        }
    }
}

/// Returns a value of about `most` bytes as indented JSON: texts are cut, and further items and
/// fields left out.
#[must_use]
pub fn shortened_value(value: &Value, most: usize) -> Value {
    if size_of(value) <= most {
        return value.clone();
    }
    let shorter = SHORTENED.iter().map(|limits| shorter(value, *limits));
    let mut shorter = shorter.skip_while(|value| size_of(value) > most);
    shorter.next().unwrap_or_else(|| Value::Object(serde_json::Map::new()))
}

/// Returns a text of at most `most` characters; … ends a longer one.
#[must_use]
pub fn shortened_text(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}

fn size_of(value: &Value) -> usize {
    serde_json::to_string_pretty(value).map_or(0, |text| text.len())
}

fn shorter(value: &Value, (depth, items, length): (usize, usize, usize)) -> Value {
    let below = |value: &Value| shorter(value, (depth - 1, items, length));
    match value {
        Value::String(text) => shortened_text(text, length).into(),
        Value::Array(_) if depth == 0 => Value::Array(Vec::new()),
        Value::Array(list) => list.iter().take(items.min(3)).map(below).collect(),
        Value::Object(_) if depth == 0 => Value::Object(serde_json::Map::new()),
        Value::Object(fields) => {
            let fields = fields.iter().take(items);
            Value::Object(fields.map(|(name, value)| (name.clone(), below(value))).collect())
        }
        _ => value.clone(),
    }
}

/// An operation with its path.
#[derive(Clone, Copy)]
pub(crate) struct Found<'d> {
    pub(crate) item: Part<'d>,
    pub(crate) operation: Part<'d>,
}

impl Description {
    /// Returns an operation of a path. The method is written as in the description.
    pub(crate) fn find_operation(&self, path: &str, method: &str) -> Option<Found<'_>> {
        let item = self.followed(self.top().field("paths")?.field(path)?)?;
        let operation = item
            .field(method)
            .or_else(|| item.field("additionalOperations")?.field(method))
            .filter(|operation| operation.value.is_object())?;
        Some(Found { item, operation })
    }

    /// Returns the request that shows how the operation of a path is called; `None` if there is no
    /// such operation. The method is written as in the description.
    #[must_use]
    pub fn request(&self, path: &str, method: &str) -> Option<Request> {
        let Found { item, operation } = self.find_operation(path, method)?;
        let mut request = Request { method: method.to_uppercase(), ..Request::default() };
        let mut path = path.to_owned();
        let mut query: Vec<(String, String)> = Vec::new();
        let mut cookies: Vec<String> = Vec::new();
        for parameter in self.parameters(item, operation) {
            let Some(name) = parameter.text("name") else { continue };
            let is_path = parameter.text("in") == Some("path");
            if is_path && !self.is_stated(parameter) {
                // The name says better than a made value what to put there.
                continue;
            }
            let value = self.value_of(parameter);
            let is_required = parameter.is("required");
            match parameter.text("in") {
                Some("path") => {
                    path = path.replace(&format!("{{{name}}}"), &encoded(&value));
                }
                Some("query") if is_required => query.push((name.to_owned(), value)),
                Some("header") if is_required => request.headers.push((name.to_owned(), value)),
                Some("cookie") if is_required => cookies.push(format!("{name}={value}")),
                _ => {}
            }
        }
        self.add_security(operation, &mut request.headers, &mut query, &mut cookies);
        if !cookies.is_empty() {
            request.headers.push(("Cookie".to_owned(), cookies.join("; ")));
        }
        self.add_body(operation, &mut request);
        request.url = format!("{}{path}", self.server(item, operation));
        let query: Vec<_> = query
            .iter()
            .map(|(name, value)| format!("{}={}", encoded(name), encoded(value)))
            .collect();
        if !query.is_empty() {
            request.url = format!("{}?{}", request.url, query.join("&"));
        }
        Some(request)
    }

    /// Returns the parameters of an operation, and those of its path that it does not replace.
    pub(crate) fn parameters<'d>(&'d self, item: Part<'d>, operation: Part<'d>) -> Vec<Part<'d>> {
        let of = |part: Part<'d>| {
            let stated = part.field("parameters").into_iter().flat_map(Part::items);
            stated.filter_map(|parameter| self.followed(parameter))
        };
        let own: Vec<Part<'d>> = of(operation).collect();
        let key = |part: &Part<'d>| (part.text("name"), part.text("in"));
        let shared = of(item).filter(|shared| !own.iter().any(|own| key(own) == key(shared)));
        shared.chain(own.iter().copied()).collect()
    }

    /// Returns `true` if the description has an example of a parameter, or all its values.
    fn is_stated(&self, parameter: Part<'_>) -> bool {
        let has = |part: Part<'_>, names: &[&str]| {
            names.iter().any(|name| part.value.get(*name).is_some())
        };
        let schema = parameter.field("schema").and_then(|schema| self.followed(schema));
        has(parameter, &["example", "examples"])
            || schema.is_some_and(|schema| {
                has(schema, &["example", "examples", "default", "enum", "const"])
            })
    }

    /// Returns an example of a parameter as a text.
    fn value_of(&self, parameter: Part<'_>) -> String {
        let stated = self.stated_example(parameter).map(|part| part.value.clone());
        let schema = parameter.field("schema").or_else(|| {
            let (_, media) = parameter.field("content")?.fields().next()?;
            media.field("schema")
        });
        let generated = || self.example(schema?, Direction::Request);
        match stated.or_else(generated) {
            Some(Value::String(text)) => text,
            Some(Value::Array(items)) => items.iter().map(text_of).collect::<Vec<_>>().join(","),
            Some(value) => text_of(&value),
            None => "value".to_owned(),
        }
    }

    /// Returns the address of the first server of an operation, its path, or the description.
    fn server(&self, item: Part<'_>, operation: Part<'_>) -> String {
        let top = self.top();
        let servers = [operation, item, top].into_iter().find_map(|part| part.field("servers"));
        let Some(server) = servers.and_then(|servers| servers.items().next()) else {
            return self.absolute("/");
        };
        let mut url = server.text("url").unwrap_or("/").to_owned();
        for (name, variable) in server.field("variables").into_iter().flat_map(Part::fields) {
            if let Some(value) = variable.text("default") {
                url = url.replace(&format!("{{{name}}}"), value);
            }
        }
        self.absolute(&url)
    }

    /// Returns the complete address of a server, without the slash at its end.
    fn absolute(&self, url: &str) -> String {
        let joined = self.base.as_ref().and_then(|base| base.join(url).ok());
        let is_complete = url.contains("://");
        let found = match joined {
            Some(joined) if !is_complete => joined.to_string(),
            None if !is_complete => {
                format!("https://example.com{}", if url.starts_with('/') { url } else { "/" })
            }
            _ => url.to_owned(),
        };
        found.trim_end_matches('/').to_owned()
    }

    fn add_security(
        &self,
        operation: Part<'_>,
        headers: &mut Vec<(String, String)>,
        query: &mut Vec<(String, String)>,
        cookies: &mut Vec<String>,
    ) {
        let top = self.top();
        let stated = operation.field("security").or_else(|| top.field("security"));
        let Some(first) = stated.and_then(|stated| stated.items().next()) else { return };
        let known = top.field("components").and_then(|parts| parts.field("securitySchemes"));
        for (name, _) in first.fields() {
            let scheme = known.and_then(|known| self.followed(known.field(name)?));
            let Some(scheme) = scheme else { continue };
            let named = |name: &str| scheme.text(name).unwrap_or_default().to_owned();
            match (scheme.text("type"), scheme.text("in")) {
                (Some("apiKey"), Some("query")) => query.push((named("name"), "KEY".to_owned())),
                (Some("apiKey"), Some("cookie")) => cookies.push(format!("{}=KEY", named("name"))),
                (Some("apiKey"), _) => headers.push((named("name"), "KEY".to_owned())),
                (Some("http"), _) if named("scheme").eq_ignore_ascii_case("basic") => {
                    headers.push(("Authorization".to_owned(), "Basic CREDENTIALS".to_owned()));
                }
                (Some("http" | "oauth2" | "openIdConnect"), _) => {
                    headers.push(("Authorization".to_owned(), "Bearer TOKEN".to_owned()));
                }
                _ => {}
            }
        }
    }

    fn add_body(&self, operation: Part<'_>, request: &mut Request) {
        let body = operation.field("requestBody").and_then(|body| self.followed(body));
        let Some(content) = body.and_then(|body| body.field("content")) else { return };
        let is_json = |kind: &str| kind.starts_with(JSON) || kind.ends_with("+json");
        let mut kinds = content.fields();
        let json = content.fields().find(|(kind, _)| is_json(kind));
        let Some((kind, media)) = json.or_else(|| kinds.next()) else { return };
        let stated = self.stated_example(media).map(|part| part.value.clone());
        let value = stated.or_else(|| self.example(media.field("schema")?, Direction::Request));
        if kind.starts_with(MULTIPART)
            && let Some(schema) = media.field("schema").and_then(|schema| self.followed(schema))
        {
            request.body = Some(Body::Form(self.form_fields(schema, value.as_ref())));
            return;
        }
        let Some(value) = value else { return };
        request.headers.push(("Content-Type".to_owned(), kind.to_owned()));
        request.body = Some(match value {
            value if is_json(kind) => Body::Json(value),
            Value::Object(fields) if kind == FORM => {
                let fields = fields
                    .iter()
                    .map(|(name, value)| format!("{}={}", encoded(name), encoded(&text_of(value))));
                Body::Text(fields.collect::<Vec<_>>().join("&"))
            }
            value => Body::Text(text_of(&value)),
        });
    }
}

impl Description {
    /// Returns the fields of a form with the values of an example.
    fn form_fields(&self, schema: Part<'_>, example: Option<&Value>) -> Vec<FormField> {
        let fields = self.shape(schema).fields.into_iter().map(|field| {
            let property = self.followed(field.schema).unwrap_or(field.schema);
            let value = example.and_then(|example| example.get(field.name)).map(text_of);
            let value = (!is_file(property)).then(|| value.unwrap_or_else(|| "text".to_owned()));
            FormField { name: field.name.to_owned(), value }
        });
        fields.collect()
    }
}

/// Returns `true` if the value of a field is the content of a file.
pub(crate) fn is_file(property: Part<'_>) -> bool {
    matches!(property.text("format"), Some("binary" | "base64"))
        || property.field("contentMediaType").is_some()
        || property.value.as_object().is_some_and(serde_json::Map::is_empty)
}

fn encoded(text: &str) -> String {
    utf8_percent_encode(text, ENCODED).to_string()
}

pub(crate) fn text_of(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
