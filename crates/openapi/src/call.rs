//! Calls of operations: what a form asks for, and the request that its values make.
//!
//! A call leads only to a server that the description names. Values are encoded, so that none of
//! them changes the host or the path of the server.

use std::collections::BTreeMap;

use percent_encoding::utf8_percent_encode;
use serde_json::Value;
use url::Url;

use crate::example::Direction;
use crate::load::Description;
use crate::request::{Body, ENCODED, FormField, Found, Request, is_file, text_of};
use crate::resolve::Part;

/// Maximum number of servers, parameters, media types and ways to prove who sends a request.
const MAX_ITEMS: usize = 100;
/// Maximum number of values that are proposed for a parameter.
const MAX_VALUES: usize = 200;
/// Maximum length of a proposed text in bytes.
const MAX_TEXT: usize = 64 << 10;
/// The headers that belong to the connection, to other parts of a call, or to the sender.
const RESERVED: [&str; 20] = [
    "accept",
    "accept-encoding",
    "authorization",
    "connection",
    "content-length",
    "content-type",
    "cookie",
    "expect",
    "forwarded",
    "host",
    "keep-alive",
    "origin",
    "proxy-authorization",
    "proxy-connection",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
    "via",
    "x-forwarded-for",
];

/// The values that the call of an operation takes.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct CallForm {
    /// The title of the operation.
    pub title: String,
    /// The servers, of which one is chosen.
    pub servers: Vec<CallServer>,
    /// The parameters.
    pub parameters: Vec<CallParameter>,
    /// `true` if a body must be sent.
    pub body_required: bool,
    /// The bodies, of which one is chosen.
    pub bodies: Vec<CallBody>,
    /// The ways to prove who sends the call, of which one is chosen; each needs all its credentials.
    pub security: Vec<Vec<CallCredential>>,
}

/// A server.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CallServer {
    /// The address, with the names of its variables.
    pub url: String,
    /// The description.
    pub description: String,
    /// The variables.
    pub variables: Vec<CallVariable>,
}

/// A variable of the address of a server.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CallVariable {
    /// The name.
    pub name: String,
    /// The value without a choice.
    pub default: String,
    /// The values to choose from; empty if any is possible.
    pub values: Vec<String>,
    /// The description.
    pub description: String,
}

/// A parameter.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CallParameter {
    /// The name.
    pub name: String,
    /// The place: `path`, `query`, `querystring`, `header` or `cookie`.
    pub place: String,
    /// `true` if it must be sent.
    pub required: bool,
    /// The description.
    pub description: String,
    /// The type; empty if none is stated.
    pub kind: String,
    /// The values to choose from; empty if any is possible.
    pub values: Vec<String>,
    /// A value that fits.
    pub value: String,
    /// `true` if it is a list.
    pub multiple: bool,
}

/// A body.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CallBody {
    /// The media type.
    pub kind: String,
    /// An example.
    pub example: String,
    /// The fields of a form; `None` for other media types.
    pub fields: Option<Vec<CallField>>,
}

/// A field of a form.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CallField {
    /// The name.
    pub name: String,
    /// `true` if it must be sent.
    pub required: bool,
    /// `true` if it is a file.
    pub is_file: bool,
    /// A value that fits.
    pub value: String,
}

/// A part of a way to prove who sends a call.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CallCredential {
    /// The name of the scheme.
    pub name: String,
    /// `bearer`, `basic` or `apiKey`.
    pub kind: &'static str,
    /// The place of a key: `header`, `query` or `cookie`; empty for the others.
    pub place: String,
    /// The name of the header, parameter or cookie of a key; empty for the others.
    pub parameter: String,
}

/// The values of a call.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct CallValues {
    /// The number of the server.
    pub server: usize,
    /// The values of its variables.
    pub variables: BTreeMap<String, String>,
    /// The parameters: the name, the place and the values.
    pub parameters: Vec<(String, String, Vec<String>)>,
    /// The media type of the body.
    pub content_type: Option<String>,
    /// The body.
    pub body: Option<Vec<u8>>,
    /// The credentials by the names of their schemes: the value of a key or a token, or the name and
    /// the password with a colon between them.
    pub credentials: Vec<(String, String)>,
}

/// A request that calls an operation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Call {
    /// The method.
    pub method: String,
    /// The address.
    pub url: Url,
    /// The headers without credentials.
    pub headers: Vec<(String, String)>,
    /// The headers with credentials.
    pub secret_headers: Vec<(String, String)>,
    /// The body.
    pub body: Option<Vec<u8>>,
}

impl Call {
    /// Returns the request as a program writes it, with its credentials. `form` are the fields of a
    /// form with parts, in place of the body.
    #[must_use]
    pub fn into_request(self, form: Option<Vec<FormField>>) -> Request {
        let Self { method, url, headers, secret_headers, body } = self;
        let headers = headers.into_iter().chain(secret_headers);
        let headers = headers
            .filter(|(name, _)| form.is_none() || !name.eq_ignore_ascii_case("content-type"));
        let headers = headers.collect();
        let text = || body.map(|body| Body::Text(String::from_utf8_lossy(&body).into_owned()));
        let body = form.map(Body::Form).or_else(text);
        Request { method, url: url.into(), headers, body }
    }
}

impl Description {
    /// Sets the address of the description, to which addresses of servers can be relative.
    #[must_use]
    pub fn based_at(self, base: Option<Url>) -> Self {
        Self { base, ..self }
    }

    /// Returns an operation that has a form: `x-hideTryItPanel` does not say otherwise.
    fn callable(&self, path: &str, method: &str) -> Option<Found<'_>> {
        let found = self.find_operation(path, method)?;
        let hides = [found.operation, found.item, self.top()]
            .into_iter()
            .find_map(|part| part.field("x-hideTryItPanel")?.value.as_bool());
        Some(found).filter(|_| hides != Some(true))
    }

    /// Returns `true` if there is a form for calls of an operation.
    #[must_use]
    pub fn is_callable(&self, path: &str, method: &str) -> bool {
        self.callable(path, method).is_some()
    }

    /// Returns what the call of an operation takes; `None` if there is no such operation, or if
    /// `x-hideTryItPanel` says that it has no form.
    #[must_use]
    pub fn call_form(&self, path: &str, method: &str) -> Option<CallForm> {
        let found = self.callable(path, method)?;
        let operation = found.operation;
        let body = operation.field("requestBody").and_then(|body| self.followed(body));
        let title = operation.text("summary").or_else(|| operation.text("operationId"));
        Some(CallForm {
            title: title.unwrap_or(path).to_owned(),
            servers: self.call_servers(found),
            parameters: self.call_parameters(found),
            body_required: body.is_some_and(|body| body.is("required")),
            bodies: body.map(|body| self.call_bodies(body)).unwrap_or_default(),
            security: self.call_security(operation),
        })
    }

    /// Returns the addresses of the servers of an operation, complete if they can be.
    fn servers_of<'d>(&'d self, found: Found<'d>) -> Vec<(String, Option<Part<'d>>)> {
        let Found { item, operation } = found;
        let servers = [operation, item, self.top()]
            .into_iter()
            .filter_map(|part| part.field("servers"))
            .find(|servers| servers.items().next().is_some());
        let Some(servers) = servers else {
            return self.complete("/").map(|url| (url, None)).into_iter().collect();
        };
        let servers = servers.items().take(MAX_ITEMS);
        let servers = servers.filter_map(|server| {
            let url = server.text("url").unwrap_or("/");
            self.complete(url).map(|url| (url, Some(server)))
        });
        servers.collect()
    }

    /// Returns a complete address, whose variables may be unknown; `None` for a relative one if the
    /// address of the description is not known.
    fn complete(&self, url: &str) -> Option<String> {
        if url.contains("://") || url.starts_with('{') {
            return Some(url.to_owned());
        }
        let base = self.base.as_ref().filter(|base| matches!(base.scheme(), "http" | "https"))?;
        // The names of variables are no part of an address, so braces are put back.
        let joined = base.join(url).ok()?.to_string();
        Some(joined.replace("%7B", "{").replace("%7D", "}"))
    }

    fn call_servers(&self, found: Found<'_>) -> Vec<CallServer> {
        let servers = self.servers_of(found).into_iter();
        let servers = servers.map(|(url, server)| {
            let description = server.and_then(|server| server.text("description"));
            CallServer {
                variables: server.map(variables).unwrap_or_default(),
                description: shortened(description.unwrap_or_default()),
                url,
            }
        });
        servers.collect()
    }

    fn call_parameters(&self, found: Found<'_>) -> Vec<CallParameter> {
        let parameters = self.parameters(found.item, found.operation).into_iter().take(MAX_ITEMS);
        let parameters = parameters.filter_map(|parameter| {
            let (name, place) = (parameter.text("name")?, parameter.text("in")?);
            if place == "header" && is_reserved(name) {
                return None;
            }
            let schema = parameter.field("schema").and_then(|schema| self.followed(schema));
            let items = schema.and_then(|schema| self.followed(schema.field("items")?));
            let values = items.or(schema).and_then(|schema| schema.field("enum"));
            let values = values.into_iter().flat_map(Part::items).take(MAX_VALUES);
            Some(CallParameter {
                name: name.to_owned(),
                place: place.to_owned(),
                required: parameter.is("required") || place == "path",
                description: shortened(parameter.text("description").unwrap_or_default()),
                kind: schema.map(kind_of).unwrap_or_default(),
                values: values.map(|value| text_of(value.value)).collect(),
                value: shortened(&self.stated_value(parameter, schema)),
                multiple: items.is_some(),
            })
        });
        parameters.collect()
    }

    /// Returns the example or the default of a parameter; empty if none is stated.
    fn stated_value(&self, parameter: Part<'_>, schema: Option<Part<'_>>) -> String {
        let of_schema = || {
            let schema = schema?;
            let listed = || schema.field("examples")?.items().next();
            schema.field("example").or_else(listed).or_else(|| schema.field("default"))
        };
        let stated = self.stated_example(parameter).or_else(of_schema);
        match stated.map(|stated| stated.value) {
            Some(Value::Array(items)) => items.iter().map(text_of).collect::<Vec<_>>().join("\n"),
            Some(value) => text_of(value),
            None => String::new(),
        }
    }

    fn call_bodies(&self, body: Part<'_>) -> Vec<CallBody> {
        let content = body.field("content").into_iter().flat_map(Part::fields).take(MAX_ITEMS);
        let bodies = content.map(|(kind, media)| {
            let schema = media.field("schema").and_then(|schema| self.followed(schema));
            let stated = self.stated_example(media).map(|part| part.value.clone());
            let example = stated.or_else(|| self.example(schema?, Direction::Request));
            let is_form = matches!(
                media_type(kind).as_str(),
                "multipart/form-data" | "application/x-www-form-urlencoded"
            );
            let fields = schema.filter(|_| is_form).map(|schema| self.fields(schema, &example));
            let example = match &example {
                Some(Value::String(text)) => text.clone(),
                Some(value) if !is_form => serde_json::to_string_pretty(value).unwrap_or_default(),
                _ => String::new(),
            };
            CallBody { kind: kind.to_owned(), example: shortened(&example), fields }
        });
        bodies.collect()
    }

    /// Returns the fields of a form.
    fn fields(&self, schema: Part<'_>, example: &Option<Value>) -> Vec<CallField> {
        let required = schema.field("required").into_iter().flat_map(Part::items);
        let required: Vec<&str> = required.filter_map(|name| name.value.as_str()).collect();
        let properties = schema.field("properties").into_iter().flat_map(Part::fields);
        let fields = properties.take(MAX_ITEMS).map(|(name, property)| {
            let property = self.followed(property).unwrap_or(property);
            let is_file = is_file(property);
            let value = example.as_ref().and_then(|example| example.get(name)).map(text_of);
            CallField {
                name: name.to_owned(),
                required: required.contains(&name),
                is_file,
                value: if is_file { String::new() } else { shortened(&value.unwrap_or_default()) },
            }
        });
        fields.collect()
    }

    fn call_security(&self, operation: Part<'_>) -> Vec<Vec<CallCredential>> {
        let security = operation.field("security").or_else(|| self.top().field("security"));
        let security = security.into_iter().flat_map(Part::items).take(MAX_ITEMS);
        let ways = security.filter_map(|requirement| {
            let names = requirement.fields().take(MAX_ITEMS);
            names.map(|(name, _)| self.credential(name)).collect::<Option<Vec<_>>>()
        });
        ways.collect()
    }

    /// Returns the credential of a scheme; `None` if a form cannot take it.
    fn credential(&self, name: &str) -> Option<CallCredential> {
        let schemes = self.top().field("components")?.field("securitySchemes")?;
        let scheme = self.followed(schemes.field(name)?)?;
        let text = |field: &str| scheme.text(field).unwrap_or_default();
        let (kind, place, parameter) = match text("type") {
            "apiKey" => ("apiKey", text("in"), text("name")),
            "http" if text("scheme").eq_ignore_ascii_case("basic") => ("basic", "", ""),
            "http" if text("scheme").eq_ignore_ascii_case("bearer") => ("bearer", "", ""),
            // The value of the header is the scheme with what belongs to it.
            "http" => ("apiKey", "header", "Authorization"),
            "oauth2" | "openIdConnect" => ("bearer", "", ""),
            _ => return None,
        };
        Some(CallCredential {
            name: name.to_owned(),
            kind,
            place: place.to_owned(),
            parameter: parameter.to_owned(),
        })
    }

    /// Returns the request that calls an operation with some values.
    ///
    /// # Errors
    /// Returns a sentence that says which value is missing or invalid.
    pub fn call(&self, path: &str, method: &str, values: &CallValues) -> Result<Call, String> {
        let found =
            self.callable(path, method).ok_or("The operation cannot be called any more.")?;
        let servers = self.servers_of(found);
        let number = values.server + 1;
        let (server, part) = servers
            .into_iter()
            .nth(values.server)
            .ok_or_else(|| format!("The operation has no server {number}."))?;
        let server = part.map_or_else(
            || Ok(server.clone()),
            |part| replaced(&server, &variables(part), &values.variables),
        )?;
        let server = server.trim_end_matches('/').to_owned();
        let own =
            Url::parse(&server).map_err(|error| format!("{server} is no address: {error}."))?;
        if !matches!(own.scheme(), "http" | "https") {
            return Err(format!("{server} begins neither with http:// nor with https://."));
        }
        if !own.username().is_empty() || own.password().is_some() {
            return Err("The address of the server has a name or a password.".to_owned());
        }
        let mut writer = CallWriter {
            path: path.to_owned(),
            query: Vec::new(),
            raw_query: None,
            cookies: Vec::new(),
            headers: Vec::new(),
            secret_headers: Vec::new(),
        };
        for parameter in self.parameters(found.item, found.operation) {
            writer.add(parameter, values)?;
        }
        for (name, value) in &values.credentials {
            writer.prove(self, name, value)?;
        }
        if let Some(open) = writer.path.find('{') {
            let rest = writer.path.get(open..).unwrap_or_default();
            return Err(format!("The path has a part without a value: {rest}."));
        }
        let body = self.call_body(found.operation, values)?;
        if let (Some(_), Some(kind)) = (&body, &values.content_type) {
            writer.headers.push(("content-type".to_owned(), kind.clone()));
        }
        let text = format!("{server}{}{}", writer.path, writer.query());
        let url = Url::parse(&text).map_err(|error| format!("{text} is no address: {error}."))?;
        let is_of_server = url.origin() == own.origin()
            && url.path().starts_with(own.path().trim_end_matches('/'));
        if !is_of_server {
            return Err(format!("{url} does not belong to the server {own}."));
        }
        let CallWriter { headers, mut secret_headers, cookies, .. } = writer;
        if !cookies.is_empty() {
            secret_headers.push(("cookie".to_owned(), cookies.join("; ")));
        }
        Ok(Call { method: method.to_uppercase(), url, headers, secret_headers, body })
    }

    /// Returns the body of a call, whose media type the operation must take.
    fn call_body(
        &self,
        operation: Part<'_>,
        values: &CallValues,
    ) -> Result<Option<Vec<u8>>, String> {
        let Some(body) = &values.body else { return Ok(None) };
        let Some(kind) = &values.content_type else {
            return Err("The body has no media type.".to_owned());
        };
        let stated = operation.field("requestBody").and_then(|body| self.followed(body));
        let content = stated.and_then(|stated| stated.field("content"));
        let known: Vec<&str> =
            content.into_iter().flat_map(Part::fields).map(|(kind, _)| kind).collect();
        let own = media_type(kind);
        let fits = known.iter().any(|known| {
            let known = media_type(known);
            known == own
                || known == "*/*"
                || known.strip_suffix('*').is_some_and(|start| own.starts_with(start))
        });
        if !fits {
            let known = known.join(", ");
            return Err(format!("The body has the media type {kind}, allowed: {known}."));
        }
        Ok(Some(body.clone()))
    }
}

/// The parts of a call while its values are added.
struct CallWriter {
    path: String,
    query: Vec<String>,
    /// The whole query as one text.
    raw_query: Option<String>,
    cookies: Vec<String>,
    headers: Vec<(String, String)>,
    secret_headers: Vec<(String, String)>,
}

impl CallWriter {
    /// Adds the values of a parameter.
    fn add(&mut self, parameter: Part<'_>, values: &CallValues) -> Result<(), String> {
        let (Some(name), Some(place)) = (parameter.text("name"), parameter.text("in")) else {
            return Ok(());
        };
        let given =
            values.parameters.iter().find(|(own, own_place, _)| own == name && own_place == place);
        let given = given.map(|(.., values)| values.as_slice()).unwrap_or_default();
        if place == "header" && is_reserved(name) {
            return Ok(());
        }
        if given.is_empty() {
            return match parameter.is("required") || place == "path" {
                true => Err(format!("The {place} parameter {name:?} is missing.")),
                false => Ok(()),
            };
        }
        let style =
            parameter.text("style").unwrap_or(if place == "query" { "form" } else { "simple" });
        let explodes = parameter.field("explode").and_then(|part| part.value.as_bool());
        let explodes = explodes.unwrap_or(style == "form" || style == "deepObject");
        let written: Vec<String> = given.iter().map(|value| encoded(value)).collect();
        match place {
            "path" => {
                if given.iter().any(|value| matches!(value.as_str(), "" | "." | "..")) {
                    return Err(format!("The path parameter {name:?} is empty or only dots."));
                }
                let value = match style {
                    "label" => format!(".{}", written.join(".")),
                    "matrix" => format!(";{}={}", encoded(name), written.join(",")),
                    _ => written.join(","),
                };
                self.path = self.path.replace(&format!("{{{name}}}"), &value);
            }
            "query" if explodes => {
                let pairs = written.iter().map(|value| format!("{}={value}", encoded(name)));
                self.query.extend(pairs);
            }
            "query" => {
                let between = match style {
                    "spaceDelimited" => "%20",
                    "pipeDelimited" => "%7C",
                    _ => ",",
                };
                self.query.push(format!("{}={}", encoded(name), written.join(between)));
            }
            "querystring" => self.raw_query = Some(given.join("&")),
            "header" => self.headers.push((name.to_owned(), given.join(","))),
            "cookie" => {
                self.cookies
                    .push(format!("{name}={}", given.join(",").replace([';', '\r', '\n'], "")));
            }
            _ => {}
        }
        Ok(())
    }

    /// Adds a credential.
    fn prove(&mut self, description: &Description, name: &str, value: &str) -> Result<(), String> {
        let credential = description
            .credential(name)
            .ok_or_else(|| format!("There is no way {name:?} to prove who sends the call."))?;
        let CallCredential { kind, place, parameter, .. } = credential;
        match (kind, place.as_str()) {
            ("apiKey", "query") => {
                self.query.push(format!("{}={}", encoded(&parameter), encoded(value)))
            }
            ("apiKey", "cookie") => {
                self.cookies.push(format!("{parameter}={}", value.replace([';', '\r', '\n'], "")));
            }
            ("apiKey", _) => self.secret_headers.push((parameter, value.to_owned())),
            ("basic", _) => {
                let value = format!("Basic {}", base64(value.as_bytes()));
                self.secret_headers.push(("authorization".to_owned(), value));
            }
            _ => {
                self.secret_headers.push(("authorization".to_owned(), format!("Bearer {value}")));
            }
        }
        Ok(())
    }

    fn query(&self) -> String {
        let raw = self.raw_query.iter().map(|raw| raw.trim_start_matches('?').replace('#', "%23"));
        let all: Vec<String> = self.query.iter().cloned().chain(raw).collect();
        if all.is_empty() { String::new() } else { format!("?{}", all.join("&")) }
    }
}

/// Returns the variables of a server.
fn variables(server: Part<'_>) -> Vec<CallVariable> {
    let variables = server.field("variables").into_iter().flat_map(Part::fields).take(MAX_ITEMS);
    let variables = variables.map(|(name, variable)| {
        let values = variable.field("enum").into_iter().flat_map(Part::items).take(MAX_VALUES);
        CallVariable {
            name: name.to_owned(),
            default: variable.field("default").map(|part| text_of(part.value)).unwrap_or_default(),
            values: values.map(|value| text_of(value.value)).collect(),
            description: shortened(variable.text("description").unwrap_or_default()),
        }
    });
    variables.collect()
}

/// Returns the address of a server with the values of its variables. A value that the description
/// does not state consists of letters, digits, hyphens and underscores, so that it can be a part of
/// a host or of a path, but not a host of its own.
fn replaced(
    url: &str,
    variables: &[CallVariable],
    given: &BTreeMap<String, String>,
) -> Result<String, String> {
    let mut url = url.to_owned();
    for CallVariable { name, default, values, .. } in variables {
        let value = given.get(name).map_or(default.as_str(), String::as_str);
        let is_stated = value == default || values.iter().any(|stated| stated == value);
        let is_word = !value.is_empty()
            && value
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'));
        // A default with dots is a whole host, which no word stands for.
        let is_allowed =
            is_stated || (values.is_empty() && is_word && !default.contains(['.', '/', ':']));
        if !is_allowed {
            let allowed = match values.is_empty() {
                false => values.join(", "),
                true => format!("{default:?}, or letters, digits, hyphens and underscores"),
            };
            return Err(format!("The variable {name:?} is {value:?}, allowed: {allowed}."));
        }
        url = url.replace(&format!("{{{name}}}"), value);
    }
    Ok(url)
}

fn is_reserved(header: &str) -> bool {
    let header = header.to_ascii_lowercase();
    RESERVED.contains(&header.as_str())
        || header.starts_with("proxy-")
        || header.starts_with("sec-")
}

fn kind_of(schema: Part<'_>) -> String {
    match schema.field("type").map(|kind| kind.value) {
        Some(Value::String(kind)) => kind.clone(),
        Some(Value::Array(kinds)) => {
            let kinds: Vec<&str> = kinds.iter().filter_map(Value::as_str).collect();
            kinds.join(" | ")
        }
        _ => String::new(),
    }
}

/// Returns a media type without its parameters.
fn media_type(text: &str) -> String {
    text.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

fn shortened(text: &str) -> String {
    text.get(..text.floor_char_boundary(MAX_TEXT)).unwrap_or_default().to_owned()
}

fn encoded(text: &str) -> String {
    utf8_percent_encode(text, ENCODED).to_string()
}

/// Encodes bytes as Base64 (RFC 4648).
fn base64(bytes: &[u8]) -> String {
    base64::Engine::encode(&base64::engine::general_purpose::STANDARD, bytes)
}
