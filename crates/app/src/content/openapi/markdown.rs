//! Parts of specifications as Markdown, for programs and for search.

use std::fmt::Write as _;

use bindery_content::document::OpenApiPart;
use bindery_content::markdown::without_tags;
use bindery_content::print::plain;
use bindery_openapi::{Description, Direction, Language, Part};
use serde_json::Value;

/// Maximum depth of nested properties.
const MAX_DEPTH: usize = 5;
/// Maximum number of properties of a part.
const MAX_PROPERTIES: usize = 1_000;
/// Maximum size of a description in bytes.
const MAX_TEXT: usize = 64 << 10;
/// Maximum size of an example in bytes.
const MAX_EXAMPLE: usize = 8 << 10;
/// Maximum number of values of an enumeration.
const MAX_VALUES: usize = 50;

/// Returns a part of a specification as Markdown; `None` if the description lacks it. A text of more
/// than `most` bytes ends near that size.
#[must_use]
pub fn markdown(description: &Description, part: &OpenApiPart, most: usize) -> Option<String> {
    let mut writer =
        Writer { description, out: String::new(), most, left: MAX_PROPERTIES, open: Vec::new() };
    match part {
        OpenApiPart::Operation { path, method } | OpenApiPart::Swagger { path, method, .. } => {
            writer.operation("paths", path, method)?;
        }
        OpenApiPart::Webhook { name, method } => writer.operation("webhooks", name, method)?,
        OpenApiPart::Schemas { schemas, .. } => {
            let known = description.top().field("components").and_then(|all| all.field("schemas"));
            for name in schemas {
                if writer.is_full() {
                    break;
                }
                if let Some(schema) = known.and_then(|known| known.field(name)) {
                    writer.heading(&format!("Model {}", plain(name)));
                    writer.schema(schema, 0);
                }
            }
        }
    }
    Some(writer.out)
}

struct Writer<'d> {
    description: &'d Description,
    out: String,
    /// The size of the text from which on nothing is added, in bytes.
    most: usize,
    left: usize,
    /// The schemas around the present one, by their places in memory.
    open: Vec<*const Value>,
}

impl<'d> Writer<'d> {
    fn is_full(&self) -> bool {
        self.out.len() >= self.most
    }

    fn operation(&mut self, holder: &str, path: &str, method: &str) -> Option<()> {
        let operation = self.description.top().field(holder)?.field(path)?.field(method)?;
        let name = operation.text("summary").or_else(|| operation.text("operationId"));
        let title = name.map_or_else(|| format!("{} {path}", method.to_uppercase()), plain);
        let _ = write!(self.out, "## {title}\n\n`{} {path}`", method.to_uppercase());
        if operation.is("deprecated") {
            self.out.push_str(" (deprecated)");
        }
        if let Some(id) = operation.text("operationId") {
            let _ = write!(self.out, " `{id}`");
        }
        self.out.push_str("\n\n");
        self.text(operation);
        self.authorization(operation);
        self.parameters(operation);
        if let Some(body) = operation.field("requestBody") {
            self.body("Body", body);
        }
        self.responses(operation);
        self.callbacks(operation);
        if self.is_full() {
            self.out.push_str("The text ends here because the description is too long.\n\n");
            return Some(());
        }
        if holder == "paths"
            && let Some(request) = self.description.request(path, method)
        {
            self.heading("Example request");
            let (request, _) = request.shortened(MAX_EXAMPLE / 2);
            self.code("bash", &Language::Curl.program(&request));
        }
        self.example(operation);
        Some(())
    }

    fn heading(&mut self, title: &str) {
        let _ = write!(self.out, "### {title}\n\n");
    }

    /// Writes the description of a value, without the tags of the dialect.
    fn text(&mut self, part: Part<'_>) {
        if let Some(text) = part.text("description") {
            let _ = write!(self.out, "{}\n\n", undialected(text));
        }
    }

    fn code(&mut self, language: &str, code: &str) {
        let code = code.get(..code.floor_char_boundary(MAX_EXAMPLE)).unwrap_or_default();
        let longest = code.split(|c| c != '`').map(str::len).max().unwrap_or_default();
        let fence = "`".repeat(longest.max(2) + 1);
        let _ = write!(self.out, "{fence}{language}\n{}\n{fence}\n\n", code.trim_end());
    }

    fn authorization(&mut self, operation: Part<'d>) {
        let security = operation.field("security");
        let security = security.or_else(|| self.description.top().field("security"));
        let names: Vec<String> = security
            .into_iter()
            .flat_map(Part::items)
            .flat_map(Part::fields)
            .take(MAX_VALUES)
            .map(|(name, _)| format!("`{name}`"))
            .collect();
        if !names.is_empty() {
            let _ = write!(self.out, "Authorization: {}\n\n", names.join(", "));
        }
    }

    fn parameters(&mut self, operation: Part<'d>) {
        let all = operation.field("parameters").into_iter().flat_map(Part::items);
        let all: Vec<Part<'d>> = all.filter_map(|one| self.description.followed(one)).collect();
        for (place, title) in [
            ("path", "Path parameters"),
            ("query", "Query parameters"),
            ("querystring", "Query parameters"),
            ("header", "Headers"),
            ("cookie", "Cookies"),
        ] {
            let here: Vec<Part<'d>> =
                all.iter().copied().filter(|one| one.text("in") == Some(place)).collect();
            if here.is_empty() || self.is_full() {
                continue;
            }
            self.heading(title);
            for one in here {
                let content = one.field("content").and_then(|content| content.fields().next());
                let of_content = content.and_then(|(_, media)| media.field("schema"));
                let schema = one.field("schema").or(of_content).unwrap_or(one);
                let name = one.text("name").unwrap_or_default();
                self.entry(name, schema, one.is("required"), one.text("description"), 0);
            }
            self.out.push('\n');
        }
    }

    fn body(&mut self, title: &str, body: Part<'d>) {
        let Some(body) = self.description.followed(body) else { return };
        if self.is_full() {
            return;
        }
        self.heading(title);
        self.text(body);
        for (media_type, media) in body.field("content").into_iter().flat_map(Part::fields).take(4)
        {
            let _ = write!(self.out, "`{media_type}`\n\n");
            if let Some(schema) = media.field("schema").or_else(|| media.field("itemSchema")) {
                self.schema(schema, 0);
            }
        }
    }

    fn responses(&mut self, operation: Part<'d>) {
        let responses = operation.field("responses").into_iter().flat_map(Part::fields);
        for (code, response) in responses.filter(|(code, _)| !code.starts_with("x-")) {
            if self.is_full() {
                return;
            }
            self.body(&format!("Response {}", plain(code)), response);
            let Some(response) = self.description.followed(response) else { continue };
            self.headers(response);
            self.links(response);
        }
    }

    /// Writes the headers of a response.
    fn headers(&mut self, response: Part<'d>) {
        let headers = response.field("headers").into_iter().flat_map(Part::fields);
        let before = self.out.len();
        for (name, header) in headers {
            let header = self.description.followed(header).unwrap_or(header);
            if self.out.len() == before {
                self.out.push_str("Headers:\n\n");
            }
            let schema = header.field("schema").unwrap_or(header);
            self.entry(name, schema, header.is("required"), header.text("description"), 0);
        }
        if self.out.len() > before {
            self.out.push('\n');
        }
    }

    /// Writes the operations that a response leads to.
    fn links(&mut self, response: Part<'d>) {
        let links = response.field("links").into_iter().flat_map(Part::fields);
        let before = self.out.len();
        for (name, link) in links.take(MAX_VALUES) {
            let Some(link) = self.description.followed(link) else { continue };
            if self.out.len() == before {
                self.out.push_str("Links:\n\n");
            }
            let target = link.text("operationId").or_else(|| link.text("operationRef"));
            let _ = write!(self.out, "* `{name}` to `{}`", clipped(target.unwrap_or_default()));
            if let Some(text) = link.text("description") {
                let _ = write!(self.out, ": {}", plain(clipped(text)));
            }
            self.out.push('\n');
        }
        if self.out.len() > before {
            self.out.push('\n');
        }
    }

    /// Writes the requests that the server sends because of an operation.
    fn callbacks(&mut self, operation: Part<'d>) {
        for (name, sent, part) in self.description.callbacks(operation) {
            if self.is_full() {
                return;
            }
            self.heading(&format!("Callback {}", plain(name)));
            let _ = write!(self.out, "`{} {}`\n\n", sent.method.to_uppercase(), sent.path);
            self.text(part);
            self.parameters(part);
            if let Some(body) = part.field("requestBody") {
                self.body("Body", body);
            }
            self.responses(part);
        }
    }

    /// Writes the example of the first response that has one.
    fn example(&mut self, operation: Part<'d>) {
        let responses = operation.field("responses").into_iter().flat_map(Part::fields);
        let example = responses.into_iter().find_map(|(_, response)| {
            let response = self.description.followed(response)?;
            let (_, media) = response.field("content")?.fields().next()?;
            let stated = self.description.stated_example(media).map(|part| part.value.clone());
            stated.or_else(|| self.description.example(media.field("schema")?, Direction::Response))
        });
        if let Some(text) = example.and_then(|value| serde_json::to_string_pretty(&value).ok()) {
            self.heading("Example response");
            self.code("json", &text);
        }
    }

    /// Writes the type, the description and the parts of a schema.
    fn schema(&mut self, schema: Part<'d>, depth: usize) {
        let kind = self.description.type_of(schema);
        let model = schema.model().map(|name| format!(" `{name}`")).unwrap_or_default();
        let _ = write!(self.out, "{kind}{model}\n\n");
        if let Some(followed) = self.description.followed(schema) {
            self.text(followed);
        }
        let before = self.out.len();
        self.parts(schema, depth);
        if self.out.len() > before {
            self.out.push('\n');
        }
    }

    fn entry(
        &mut self,
        name: &str,
        schema: Part<'d>,
        is_required: bool,
        text: Option<&str>,
        depth: usize,
    ) {
        if self.left == 0 || self.is_full() {
            return;
        }
        self.left -= 1;
        let kind = self.description.type_of(schema);
        let required = if is_required { ", required" } else { "" };
        let _ = write!(self.out, "{}* `{name}` ({kind}{required})", "  ".repeat(depth));
        let followed = self.description.followed(schema);
        let own = schema.text("description");
        let own = own.or_else(|| followed.and_then(|schema| schema.text("description")));
        if let Some(text) = text.or(own) {
            let _ = write!(self.out, ": {}", plain(clipped(text)));
        }
        let values = followed.and_then(|schema| schema.field("enum"));
        let values = values.into_iter().flat_map(Part::items).take(MAX_VALUES);
        let values: Vec<String> =
            values.map(|value| clipped(&format!("`{}`", value.value)).to_owned()).collect();
        if !values.is_empty() {
            let _ = write!(self.out, " ({})", values.join(", "));
        }
        self.out.push('\n');
        self.parts(schema, depth + 1);
    }

    fn parts(&mut self, schema: Part<'d>, depth: usize) {
        let Some(followed) = self.description.followed(schema) else { return };
        let place = std::ptr::from_ref(followed.value);
        if depth >= MAX_DEPTH || self.open.contains(&place) {
            return;
        }
        self.open.push(place);
        let shape = self.description.shape(followed);
        for field in shape.fields {
            self.entry(field.name, field.schema, field.is_required, None, depth);
        }
        for (word, variants) in [("one of", shape.one_of), ("any of", shape.any_of)] {
            for (index, variant) in variants.into_iter().enumerate() {
                let model = variant.model();
                let values = shape.discriminator.as_ref().zip(model.as_ref());
                let values = values.map(|(found, model)| {
                    let values = found.values_of(model).join(" or ");
                    format!(" with {} = {values}", found.property)
                });
                let name = model.unwrap_or_else(|| (index + 1).to_string());
                let name = format!("{name}{}", values.unwrap_or_default());
                self.entry(&format!("{word}: {name}"), variant, false, None, depth);
            }
        }
        if let Some(items) = shape.items {
            self.parts(items, depth);
        }
        if let Some(other) = shape.other {
            self.entry("*", other, false, None, depth);
        }
        self.open.pop();
    }
}

/// Returns a text without tags of the dialect: its author knows nothing about them, and must not
/// include content of the space.
pub(in crate::content) fn undialected(text: &str) -> String {
    without_tags(clipped(text).trim())
}

/// Returns the beginning of a description that is too long.
fn clipped(text: &str) -> &str {
    text.get(..text.floor_char_boundary(MAX_TEXT)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use bindery_openapi::Loader;

    use super::*;

    const TEXT: &str = "openapi: 3.1.0
info: {title: Ships, version: '1'}
servers: [{url: 'https://api.example'}]
paths:
  /ships/{id}:
    get:
      operationId: getShip
      summary: Finds a {% ship %}
      description: 'Text with {% include \"x\" %}.'
      deprecated: true
      parameters: [{name: id, in: path, required: true, description: The id, schema: {type: integer}}]
      responses:
        '200':
          description: Found
          content: {application/json: {schema: {$ref: '#/components/schemas/Ship'}}}
components:
  schemas:
    Ship:
      type: object
      required: [name]
      properties:
        name: {type: string, enum: [a, b]}
        sister: {$ref: '#/components/schemas/Ship'}
";

    #[test]
    fn an_operation_is_complete_in_markdown() {
        let mut loader = Loader::new(None);
        loader.add(TEXT);
        let description = loader.finish().unwrap();
        let part = OpenApiPart::Operation { path: "/ships/{id}".into(), method: "get".into() };
        let text = markdown(&description, &part, 1 << 20).unwrap();
        for expect in [
            "`GET /ships/{id}` (deprecated) `getShip`\n",
            "Text with \\{% include \"x\" %}.\n",
            "### Path parameters\n\n* `id` (integer, required): The id\n",
            "### Response 200\n\nFound\n\n`application/json`\n\nobject `Ship`\n\n",
            "* `name` (string, required) (`\"a\"`, `\"b\"`)\n* `sister` (object)\n\n",
            "curl 'https://api.example/ships/{id}'",
            "\"name\": \"a\"",
        ] {
            assert!(text.contains(expect), "{expect} in {text}");
        }
        let model = OpenApiPart::Schemas { schemas: vec!["Ship".into()], grouped: None };
        assert!(
            markdown(&description, &model, 1 << 20)
                .unwrap()
                .starts_with("### Model Ship\n\nobject\n\n")
        );
        let short = markdown(&description, &part, 100).unwrap();
        assert!(short.ends_with("The text ends here because the description is too long.\n\n"));
        assert!(short.len() < 300 && !short.contains("Response 200"), "{short}");
        let absent = OpenApiPart::Webhook { name: "x".into(), method: "post".into() };
        assert_eq!(markdown(&description, &absent, 1 << 20), None);
    }
}
