//! Operations and webhooks.

use std::sync::Arc;

use bindery_content::Document;
use bindery_content::document::{Block, BlockKind, Code, CodeLine, Node, Tab};
use bindery_content::html::OpenApiView;
use bindery_content::source::Span;
use bindery_openapi::{Description, Direction, Language, Part, shortened_value};
use maud::{Markup, html};
use serde_json::Value;

use super::labels::ApiLabels;
use super::schema::Schemas;
use super::text::{document, short, shortened};
use super::{ConsoleKey, Surroundings};

/// Maximum number of properties that are shown of an operation.
const MAX_PROPERTIES: usize = 200;
/// Maximum number of examples of responses that are shown.
const MAX_EXAMPLES: usize = 6;
/// Maximum number of examples of one body that are shown.
const MAX_EXAMPLES_OF_BODY: usize = 3;
/// Maximum number of requests of callbacks that are shown.
const MAX_CALLBACKS: usize = 20;
/// Maximum number of links of a response that are shown.
const MAX_LINKS: usize = 20;
/// Maximum number of scopes that are shown of a way to prove who sends a request.
const MAX_SCOPES: usize = 100;
/// Size of the body of a request in bytes, above which it is shortened in all languages.
const MAX_BODY: usize = 1 << 10;
/// Size of a generated example in bytes, above which it is shortened.
const MAX_GENERATED: usize = 1_500;
/// Maximum size of an example in bytes.
const MAX_EXAMPLE: usize = 8 << 10;

/// Returns an operation of a path or a webhook, whose HTML ends near a size in bytes.
pub(super) fn view(
    description: &Description,
    (holder, path): (&str, &str),
    method: &str,
    around: Surroundings<'_>,
    bytes: usize,
) -> Option<OpenApiView> {
    let Surroundings { labels, links, console } = around;
    let item = description.top().field(holder)?.field(path)?;
    let operation = item.field(method)?;
    let is_webhook = holder == "webhooks";
    let title = operation.text("summary").or_else(|| operation.text("operationId"));
    let title = match title {
        Some(title) => title.to_owned(),
        None if is_webhook => path.to_owned(),
        None => format!("{} {path}", method.to_uppercase()),
    };
    let is_expanded = |name: &str| {
        let flags = [operation, description.top()].into_iter();
        flags.filter_map(|part| part.flag(name)).next() == Some(true)
    };
    let mut schemas = Schemas::new(description, labels, links, MAX_PROPERTIES, bytes);
    schemas.set_open(is_expanded("x-expandAllModelSections"));
    let mut writer = Writer {
        description,
        operation,
        labels,
        schemas,
        opens_responses: is_expanded("x-expandAllResponses"),
    };
    let details = html! {
        (writer.external_docs())
        (writer.authorization())
        (writer.parameters())
        (writer.body())
        (writer.responses())
        (writer.callbacks())
    };
    Some(OpenApiView {
        title,
        lead: writer.lead(path, method, is_webhook, console).into_string(),
        description: (bytes > 0).then(|| operation.text("description").map(document)).flatten(),
        details: details.into_string(),
        samples: (!writer.schemas.is_full())
            .then(|| writer.samples(path, method, is_webhook))
            .flatten(),
    })
}

struct Writer<'d> {
    description: &'d Description,
    operation: Part<'d>,
    labels: &'static ApiLabels,
    schemas: Schemas<'d>,
    /// `true` if all responses are open at first.
    opens_responses: bool,
}

impl<'d> Writer<'d> {
    fn lead(
        &self,
        path: &str,
        method: &str,
        is_webhook: bool,
        console: Option<&ConsoleKey>,
    ) -> Markup {
        let console = console.filter(|_| self.description.is_callable(path, method));
        let as_written = method;
        let method = method.to_uppercase();
        let stability = self.operation.text("x-stability");
        let sunset = ["x-deprecated-sunset", "x-sunset"];
        let sunset = sunset.iter().find_map(|name| self.operation.text(name));
        let badges = self.operation.field("x-badges").into_iter().flat_map(Part::items);
        let badges = badges.filter_map(|badge| badge.text("name").or(badge.text("label")));
        html! {
            div.api-address {
                span.openapi-method data-method=(method) { (method) }
                code { @if is_webhook { (self.labels.webhook) " " } (path) }
                @if self.operation.is("deprecated") {
                    span.api-mark {
                        (self.labels.deprecated)
                        @if let Some(day) = sunset { " · " time { (shortened(day)) } }
                    }
                }
                @if let Some(stability) = stability { span.api-mark { (stability) } }
                @for badge in badges { span.api-mark { (badge) } }
                @if let Some(ConsoleKey { key, spec, label }) = console {
                    button.api-try type="button" hidden data-key=(key) data-spec=(spec)
                        data-method=(as_written) data-path=(path) { (label) }
                }
            }
        }
    }

    /// Returns a link to further documentation.
    fn external_docs(&self) -> Markup {
        let docs = self.operation.field("externalDocs");
        let url = docs.and_then(|docs| docs.text("url"));
        let url = url.filter(|url| url.starts_with("https://") || url.starts_with("http://"));
        let Some(url) = url else { return html! {} };
        let text = docs.and_then(|docs| docs.text("description")).unwrap_or(url);
        html! { p.api-docs { a href=(url) rel="noopener nofollow" { (shortened(text)) } } }
    }

    /// Returns the ways to prove who sends a request.
    fn authorization(&mut self) -> Markup {
        let security = self.operation.field("security");
        let security = security.or_else(|| self.description.top().field("security"));
        let Some(security) = security else { return html! {} };
        let schemes = self.description.top().field("components");
        let schemes = schemes.and_then(|parts| parts.field("securitySchemes"));
        let mut ways = Vec::new();
        let mut is_optional = false;
        for requirement in security.items() {
            is_optional |= requirement.value.as_object().is_some_and(serde_json::Map::is_empty);
            let mut entries = Vec::new();
            for (name, scopes) in requirement.fields() {
                if self.schemas.is_full() {
                    break;
                }
                let scheme = schemes.and_then(|schemes| schemes.field(name));
                let scheme = scheme.and_then(|scheme| self.description.followed(scheme));
                entries.push(self.scheme(name, scheme, scopes));
            }
            if !entries.is_empty() {
                ways.push(entries);
            }
        }
        if ways.is_empty() {
            return html! {};
        }
        section(
            self.labels.authorization,
            &html! {
                @for (at, entries) in ways.iter().enumerate() {
                    @if at > 0 { p.api-or { (self.labels.or) } }
                    ul.api-list { @for entry in entries { (entry) } }
                }
                @if is_optional { p.api-limit { (self.labels.optional_auth) } }
            },
        )
    }

    fn scheme(&mut self, name: &str, scheme: Option<Part<'d>>, scopes: Part<'d>) -> Markup {
        let text = |field: &str| scheme.and_then(|scheme| scheme.text(field)).unwrap_or_default();
        let (kind, place) = match text("type") {
            "http" => (text("scheme"), "Authorization".to_owned()),
            "apiKey" => ("apiKey", format!("{} {}", text("in"), text("name"))),
            other => (other, String::new()),
        };
        let scopes: Vec<String> =
            scopes.items().take(MAX_SCOPES).map(|scope| short(scope.value)).collect();
        self.schemas.spend(name.len() + scopes.iter().map(String::len).sum::<usize>() + 200);
        html! {
            li.api-entry {
                div.api-head {
                    code.api-name { (name) }
                    span.api-type { (kind) @if !place.is_empty() { " · " (place) } }
                }
                @if let Some(text) = scheme.and_then(|scheme| scheme.text("description")) {
                    (self.schemas.prose(text))
                }
                @if !scopes.is_empty() {
                    p.api-limit { (self.labels.scopes)
                        @for scope in &scopes { " " code { (scope) } }
                    }
                }
            }
        }
    }

    fn parameters(&mut self) -> Markup {
        let labels = self.labels;
        let all: Vec<Part<'d>> = self
            .operation
            .field("parameters")
            .into_iter()
            .flat_map(Part::items)
            .filter_map(|parameter| self.description.followed(parameter))
            .collect();
        let mut sections = html! {};
        for (place, title) in [
            ("path", labels.path_parameters),
            ("query", labels.query_parameters),
            ("querystring", labels.query_parameters),
            ("header", labels.headers),
            ("cookie", labels.cookies),
        ] {
            let here = all.iter().filter(|one| one.text("in") == Some(place));
            let entries: Vec<Markup> = here.map(|one| self.parameter(*one)).collect();
            if !entries.is_empty() {
                let list = html! { ul.api-list { @for entry in &entries { (entry) } } };
                sections = html! { (sections) (section(title, &list)) };
            }
        }
        sections
    }

    fn parameter(&mut self, parameter: Part<'d>) -> Markup {
        let name = parameter.text("name").unwrap_or_default();
        let content = parameter.field("content").and_then(|content| content.fields().next());
        let of_content = content.and_then(|(_, media)| media.field("schema"));
        let schema = parameter.field("schema").or(of_content).unwrap_or(parameter);
        self.schemas.entry(name, schema, parameter.is("required"), Some(parameter))
    }

    fn body(&mut self) -> Markup {
        let body = self.operation.field("requestBody");
        let Some(body) = body.and_then(|body| self.description.followed(body)) else {
            return html! {};
        };
        let required = body.is("required").then_some(self.labels.required);
        let text = body.text("description").map(|text| self.schemas.prose(text));
        let text = text.unwrap_or_default();
        self.schemas.set_direction(Some(Direction::Request));
        let content = self.content(body);
        self.schemas.set_direction(None);
        section_of(&html! {
            h3.api-heading {
                (self.labels.body)
                @if let Some(required) = required { " " span.api-required { (required) } }
            }
            (text)
            (content)
        })
    }

    /// Returns the schemas of a body by their media types.
    fn content(&mut self, body: Part<'d>) -> Markup {
        let content = body.field("content").into_iter().flat_map(Part::fields);
        let content: Vec<_> = content.take(8).collect();
        let mut shown = html! {};
        for (index, (name, media)) in content.iter().enumerate() {
            let schema = media.field("schema").or_else(|| media.field("itemSchema"));
            let schema = schema.map(|schema| self.schemas.alone(schema)).unwrap_or_default();
            shown = html! {
                (shown)
                @if content.len() > 1 {
                    details.api-media open[index == 0] { summary { code { (name) } } (schema) }
                } @else {
                    p.api-limit { code { (name) } }
                    (schema)
                }
            };
        }
        shown
    }

    fn responses(&mut self) -> Markup {
        let responses = self.operation.field("responses").into_iter().flat_map(Part::fields);
        let mut shown = Vec::new();
        for (code, response) in responses.filter(|(code, _)| !code.starts_with("x-")) {
            if self.schemas.is_full() {
                break;
            }
            let response = self.description.followed(response).unwrap_or(response);
            shown.push(self.response(code, response));
        }
        if shown.is_empty() {
            return html! {};
        }
        section(self.labels.responses, &html! { @for one in &shown { (one) } })
    }

    fn response(&mut self, code: &str, response: Part<'d>) -> Markup {
        let labels = self.labels;
        let text = response.text("description").unwrap_or_default();
        let first = text.lines().next().map(shortened).unwrap_or_default();
        self.schemas.spend(code.len() + first.len() + 200);
        let rest = if text.len() > first.len() {
            self.schemas.prose(text)
        } else {
            html! {}
        };
        let headers = response.field("headers").into_iter().flat_map(Part::fields);
        let mut entries = Vec::new();
        for (name, header) in headers {
            let header = self.description.followed(header).unwrap_or(header);
            let schema = header.field("schema").unwrap_or(header);
            entries.push(self.schemas.entry(name, schema, header.is("required"), Some(header)));
        }
        self.schemas.set_direction(Some(Direction::Response));
        let content = self.content(response);
        self.schemas.set_direction(None);
        let links = self.links(response);
        let head = html! {
            span.api-code data-class=(code.get(..1).unwrap_or_default()) { (code) }
            " " (first)
        };
        if [&rest, &content, &links].iter().all(|part| part.0.is_empty()) && entries.is_empty() {
            return html! { div.api-response { p.api-empty { (head) } } };
        }
        html! {
            details.api-response open[self.opens_responses] {
                summary { (head) }
                (rest)
                @if !entries.is_empty() {
                    p.api-limit { (labels.headers) }
                    ul.api-list { @for entry in &entries { (entry) } }
                }
                (content)
                (links)
            }
        }
    }

    /// Returns the operations that a response leads to.
    fn links(&mut self, response: Part<'d>) -> Markup {
        let links = response.field("links").into_iter().flat_map(Part::fields).take(MAX_LINKS);
        let mut entries = Vec::new();
        for (name, link) in links {
            if self.schemas.is_full() {
                break;
            }
            let Some(link) = self.description.followed(link) else { continue };
            let target = link.text("operationId").or_else(|| link.text("operationRef"));
            let target = target.map(shortened).unwrap_or_default();
            let parameters = link.field("parameters").into_iter().flat_map(Part::fields);
            let parameters: Vec<String> = parameters
                .take(MAX_LINKS)
                .map(|(name, value)| format!("{name} = {}", short(value.value)))
                .collect();
            let size: usize = parameters.iter().map(String::len).sum();
            self.schemas.spend(name.len() + target.len() + size + 200);
            let text = link.text("description").map(|text| self.schemas.prose(text));
            entries.push(html! {
                li.api-entry {
                    div.api-head { code.api-name { (name) } code.api-type { (target) } }
                    (text.unwrap_or_default())
                    @if !parameters.is_empty() {
                        p.api-limit { @for one in &parameters { code { (one) } " " } }
                    }
                }
            });
        }
        if entries.is_empty() {
            return html! {};
        }
        html! {
            p.api-limit { (self.labels.links) }
            ul.api-list { @for entry in &entries { (entry) } }
        }
    }

    /// Returns the requests that the server sends because of the operation.
    fn callbacks(&mut self) -> Markup {
        let own = self.operation;
        let mut shown = Vec::new();
        for (name, sent, part) in self.description.callbacks(own).into_iter().take(MAX_CALLBACKS) {
            if self.schemas.is_full() {
                break;
            }
            self.operation = part;
            let text = part.text("description").or_else(|| part.text("summary"));
            let text = text.map(|text| self.schemas.prose(text)).unwrap_or_default();
            let details = html! { (text) (self.parameters()) (self.body()) (self.responses()) };
            let method = sent.method.to_uppercase();
            self.schemas.spend(name.len() + sent.path.len() + 200);
            shown.push(html! {
                details.api-response {
                    summary {
                        code.api-name { (name) }
                        span.openapi-method data-method=(method) { (method) }
                        code { (shortened(&sent.path)) }
                    }
                    (details)
                }
            });
        }
        self.operation = own;
        if shown.is_empty() {
            return html! {};
        }
        section(self.labels.callbacks, &html! { @for one in &shown { (one) } })
    }

    /// Returns the requests in all languages and the examples of responses.
    fn samples(&self, path: &str, method: &str, is_webhook: bool) -> Option<Arc<Document>> {
        let groups = if is_webhook {
            vec![self.body_examples(self.labels.request)]
        } else {
            let (requests, is_shortened) = self.requests(path, method);
            let mut bodies = self.body_examples(self.labels.body);
            // The requests contain the first example.
            if bodies.len() == 1 && !is_shortened {
                bodies.clear();
            }
            vec![requests, bodies, self.response_examples()]
        };
        let groups = groups.into_iter().filter(|tabs| !tabs.is_empty());
        let nodes: Vec<Block> = groups.map(block).collect();
        if nodes.is_empty() {
            return None;
        }
        let mut document = Document { nodes, ..Document::default() };
        document.complete();
        Some(Arc::new(document))
    }

    /// Returns the requests in all languages, and `true` if their bodies are shorter than the example.
    fn requests(&self, path: &str, method: &str) -> (Vec<Sample>, bool) {
        let written = self.operation.field("x-codeSamples");
        let written = written.or_else(|| self.operation.field("x-code-samples"));
        if written.is_some_and(|written| written.value == false) {
            return (Vec::new(), false);
        }
        let written = written.into_iter().flat_map(Part::items).filter_map(|sample| {
            let text = |name: &str| sample.text(name).unwrap_or_default().to_owned();
            let title = sample.text("label").or(sample.text("lang"))?.to_owned();
            Some(Sample { title, syntax: text("lang").to_lowercase(), code: text("source") })
        });
        let mut samples: Vec<Sample> = written.collect();
        let Some(request) = self.description.request(path, method) else { return (samples, false) };
        let (request, is_shortened) = request.shortened(MAX_BODY);
        for language in Language::ALL {
            let is_written = samples.iter().any(|sample| {
                sample.title.eq_ignore_ascii_case(language.name())
                    || sample.syntax == language.syntax()
            });
            if !is_written {
                samples.push(Sample {
                    title: language.name().to_owned(),
                    syntax: language.syntax().to_owned(),
                    code: language.program(&request),
                });
            }
        }
        (samples, is_shortened)
    }

    /// Returns the examples of the body.
    fn body_examples(&self, title: &str) -> Vec<Sample> {
        let body = self.operation.field("requestBody");
        let body = body.and_then(|body| self.description.followed(body));
        body.map(|body| self.examples_of(body, title, Direction::Request)).unwrap_or_default()
    }

    fn response_examples(&self) -> Vec<Sample> {
        let responses = self.operation.field("responses").into_iter().flat_map(Part::fields);
        let mut samples = Vec::new();
        for (code, response) in responses {
            let Some(response) = self.description.followed(response) else { continue };
            samples.extend(self.examples_of(response, code, Direction::Response));
            if samples.len() >= MAX_EXAMPLES {
                samples.truncate(MAX_EXAMPLES);
                break;
            }
        }
        samples
    }

    /// Returns the examples of the first media type of a body: the stated ones, else a generated one.
    /// The title of each begins with `title`.
    fn examples_of(&self, body: Part<'d>, title: &str, direction: Direction) -> Vec<Sample> {
        let media = body.field("content").and_then(|content| content.fields().next());
        let Some((_, media)) = media else { return Vec::new() };
        let stated = self.description.stated_examples(media);
        let stated = stated.take(MAX_EXAMPLES_OF_BODY);
        let mut found: Vec<(&str, Value)> =
            stated.map(|(name, part)| (name, part.value.clone())).collect();
        if found.is_empty() {
            let schema = media.field("schema");
            let generated = schema.and_then(|schema| self.description.example(schema, direction));
            found.extend(generated.map(|example| ("", shortened_value(&example, MAX_GENERATED))));
        }
        let is_only = found.len() == 1;
        let sample = |(name, example): &(&str, Value)| {
            let text = match example {
                Value::String(text) => text.clone(),
                other => serde_json::to_string_pretty(other).ok()?,
            };
            let text = text.get(..text.floor_char_boundary(MAX_EXAMPLE)).unwrap_or_default();
            let title = match is_only || name.is_empty() {
                true => title.to_owned(),
                false => format!("{title} · {}", shortened(name)),
            };
            Some(Sample { title, syntax: "json".to_owned(), code: text.to_owned() })
        };
        found.iter().filter_map(sample).collect()
    }
}

fn section(title: &str, content: &Markup) -> Markup {
    section_of(&html! { h3.api-heading { (title) } (content) })
}

fn section_of(content: &Markup) -> Markup {
    html! { div.api-section { (content) } }
}

/// A program or an example beside an operation.
struct Sample {
    title: String,
    /// The name of the language for its colors.
    syntax: String,
    code: String,
}

/// Returns samples as tabs.
fn block(samples: Vec<Sample>) -> Block {
    let none = Span::default();
    let tab = |Sample { title, syntax, code }: Sample| {
        let line =
            |text: &str| Node::new(none, CodeLine { text: text.to_owned(), ..CodeLine::default() });
        let lines = code.trim_end().split('\n').map(|text| line(text.trim_end_matches('\r')));
        let code = Code { syntax: Some(syntax), lines: lines.collect(), ..Code::default() };
        let nodes = vec![Node::new(none, BlockKind::Code(Box::new(code)))];
        Node::new(none, Tab { anchor: String::new(), title: Some(title), icon: None, nodes })
    };
    let items = samples.into_iter().map(tab).collect();
    Node::new(none, BlockKind::Tabs { items, full_width: None })
}
