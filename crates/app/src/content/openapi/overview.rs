//! A page about an API as a whole: what its description says about it, its servers, and the ways to
//! prove who sends a request.

use std::fmt::Write as _;

use bindery_content::print::plain;
use bindery_openapi::{Description, Part, shortened_text};

use super::markdown::undialected;

/// Maximum number of servers, of variables of one, of schemes and of scopes that are listed.
pub(super) const MAX_LISTED: usize = 100;
/// Maximum length of a name, an address or a text in a line, in characters.
const MAX_LINE: usize = 1_000;
/// Size of the page in bytes from which no further entries are listed.
const MAX_SIZE: usize = 256 << 10;

/// Returns the page as Markdown.
pub(super) fn overview(description: &Description) -> String {
    let top = description.top();
    let mut page = Overview { description, out: String::new() };
    if let Some(info) = top.field("info") {
        page.info(info, top.field("externalDocs"));
    }
    page.servers(top);
    page.schemes(top);
    page.out
}

struct Overview<'d> {
    description: &'d Description,
    out: String,
}

impl<'d> Overview<'d> {
    fn info(&mut self, info: Part<'d>, docs: Option<Part<'d>>) {
        self.text(info, &["summary"]);
        let before = self.out.len();
        if let Some(version) = info.text("version") {
            self.fact("Version", &line(version));
        }
        for (name, part) in [("Contact", info.field("contact")), ("License", info.field("license"))]
        {
            let Some(part) = part else { continue };
            let title = part.text("name").or_else(|| part.text("identifier"));
            let mut shown = link(title, part.text("url"));
            if let Some(email) = part.text("email") {
                let address = link(Some(email), Some(&format!("mailto:{email}")));
                shown = if shown.is_empty() { address } else { format!("{shown}, {address}") };
            }
            self.fact(name, &shown);
        }
        self.fact("Terms of service", &link(None, info.text("termsOfService")));
        if let Some(docs) = docs {
            self.fact("Documentation", &link(docs.text("description"), docs.text("url")));
        }
        if self.out.len() > before {
            self.out.push('\n');
        }
        // It can have headings, to which the list above does not belong.
        self.text(info, &["description"]);
    }

    fn servers(&mut self, top: Part<'d>) {
        let servers = top.field("servers").into_iter().flat_map(Part::items);
        let mut is_first = true;
        for server in servers.take(MAX_LISTED) {
            if self.is_full() {
                break;
            }
            let Some(url) = server.text("url") else { continue };
            if std::mem::take(&mut is_first) {
                self.out.push_str("## Servers\n\n");
            }
            let _ = write!(self.out, "* {}", code(url));
            let about = server.text("description").or_else(|| server.text("name"));
            if let Some(text) = about {
                let _ = write!(self.out, ": {}", line(text));
            }
            self.out.push('\n');
            let variables = server.field("variables").into_iter().flat_map(Part::fields);
            for (name, variable) in variables.take(MAX_LISTED) {
                if self.is_full() {
                    break;
                }
                let _ = write!(self.out, "  * {}", code(name));
                if let Some(text) = variable.text("description") {
                    let _ = write!(self.out, ": {}", line(text));
                }
                if let Some(default) = variable.text("default") {
                    let _ = write!(self.out, " (default {})", code(default));
                }
                let values = variable.field("enum").into_iter().flat_map(Part::items);
                let values = values.filter_map(|value| value.value.as_str()).take(MAX_LISTED);
                let values: Vec<String> = values.map(code).collect();
                if !values.is_empty() {
                    let _ = write!(self.out, " – {}", values.join(", "));
                }
                self.out.push('\n');
            }
        }
        if !is_first {
            self.out.push('\n');
        }
    }

    fn schemes(&mut self, top: Part<'d>) {
        let schemes = top.field("components").and_then(|parts| parts.field("securitySchemes"));
        let schemes = schemes.into_iter().flat_map(Part::fields);
        let mut is_first = true;
        for (name, scheme) in schemes.take(MAX_LISTED) {
            if self.is_full() {
                break;
            }
            let Some(scheme) = self.description.followed(scheme) else { continue };
            if std::mem::take(&mut is_first) {
                self.out.push_str("## Authentication\n\n");
            }
            let _ = write!(self.out, "### {}\n\n", line(name));
            let text = |field: &str| scheme.text(field).unwrap_or_default();
            let kind = match text("type") {
                "apiKey" => format!("API key in the {} {}", line(text("in")), code(text("name"))),
                "http" if text("scheme").eq_ignore_ascii_case("basic") => {
                    "User name and password (HTTP Basic)".to_owned()
                }
                "http" if text("scheme").eq_ignore_ascii_case("bearer") => {
                    match scheme.text("bearerFormat") {
                        Some(format) => format!("Bearer token ({})", line(format)),
                        None => "Bearer token".to_owned(),
                    }
                }
                "http" => format!("HTTP {}", line(text("scheme"))),
                "oauth2" => "OAuth 2.0".to_owned(),
                "openIdConnect" => {
                    format!("OpenID Connect: {}", link(None, scheme.text("openIdConnectUrl")))
                }
                "mutualTLS" => "Client certificate (mutual TLS)".to_owned(),
                other => line(other),
            };
            let _ = write!(self.out, "{kind}\n\n");
            self.text(scheme, &["description"]);
            self.flows(scheme);
        }
    }

    fn flows(&mut self, scheme: Part<'d>) {
        for (field, title) in [
            ("authorizationCode", "Authorization code"),
            ("clientCredentials", "Client credentials"),
            ("deviceAuthorization", "Device authorization"),
            ("implicit", "Implicit"),
            ("password", "Password"),
        ] {
            let flow = scheme.field("flows").and_then(|flows| flows.field(field));
            let Some(flow) = flow else { continue };
            let _ = writeln!(self.out, "* {title}");
            for (field, title) in [
                ("authorizationUrl", "Authorization"),
                ("deviceAuthorizationUrl", "Device authorization"),
                ("tokenUrl", "Token"),
                ("refreshUrl", "Refresh"),
            ] {
                if let Some(url) = flow.text(field) {
                    let _ = writeln!(self.out, "  * {title}: {}", code(url));
                }
            }
            let scopes = flow.field("scopes").into_iter().flat_map(Part::fields);
            for (at, (scope, text)) in scopes.take(MAX_LISTED).enumerate() {
                if self.is_full() {
                    break;
                }
                if at == 0 {
                    self.out.push_str("  * Scopes\n");
                }
                let text = text.value.as_str().unwrap_or_default();
                let text =
                    if text.is_empty() { String::new() } else { format!(": {}", line(text)) };
                let _ = writeln!(self.out, "    * {}{text}", code(scope));
            }
        }
        if !self.out.ends_with("\n\n") {
            self.out.push('\n');
        }
    }

    const fn is_full(&self) -> bool {
        self.out.len() > MAX_SIZE
    }

    /// Writes texts of a value as paragraphs.
    fn text(&mut self, part: Part<'_>, fields: &[&str]) {
        for text in fields.iter().filter_map(|field| part.text(field)) {
            let _ = write!(self.out, "{}\n\n", undialected(text));
        }
    }

    fn fact(&mut self, name: &str, value: &str) {
        if !value.is_empty() {
            let _ = writeln!(self.out, "* **{name}:** {value}");
        }
    }
}

/// Returns a link, or the text alone if there is no address that a link may have.
fn link(text: Option<&str>, url: Option<&str>) -> String {
    let is_linkable = |url: &&str| {
        let starts = ["https://", "http://", "mailto:"].iter().any(|start| url.starts_with(start));
        starts
            && url.len() <= MAX_LINE
            && !url.chars().any(|c| c.is_whitespace() || c.is_control() || "<>\\".contains(c))
    };
    match (text, url.filter(is_linkable)) {
        (text, Some(url)) => format!("[{}](<{url}>)", line(text.unwrap_or(url))),
        (Some(text), None) => line(text),
        (None, None) => url.map(code).unwrap_or_default(),
    }
}

/// Returns a text without marks in a line.
fn line(text: &str) -> String {
    plain(&shortened_text(text, MAX_LINE))
}

/// Returns a value as code in a line of text.
fn code(text: &str) -> String {
    let text: String = shortened_text(text, MAX_LINE).chars().filter(|c| !c.is_control()).collect();
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or_default();
    let fence = "`".repeat(longest + 1);
    let pad = if text.starts_with('`') || text.ends_with('`') { " " } else { "" };
    format!("{fence}{pad}{text}{pad}{fence}")
}

#[cfg(test)]
mod tests {
    use bindery_openapi::Loader;
    use serde_json::json;

    use super::*;

    #[test]
    fn the_page_tells_what_the_description_says_about_the_api() {
        let mut loader = Loader::new(None);
        loader.add(
            "openapi: 3.1.0
info:
  title: Ships
  version: '2'
  summary: All ships
  description: 'See {% include \"secret\" %}'
  termsOfService: https://ships.example.com/terms
  contact: {name: Port, url: 'javascript:alert(1)', email: port@example.com}
  license: {name: MIT}
servers:
  - {url: 'https://{region}.example.com', description: Real, variables: {region: {default: eu, enum: [eu, us]}}}
paths: {}
components:
  securitySchemes:
    key: {type: apiKey, in: header, name: X-Key, description: Ask us}
    token: {type: http, scheme: bearer, bearerFormat: JWT}
    login: {type: oauth2, flows: {clientCredentials: {tokenUrl: 'https://ships.example.com/token', scopes: {'ships:read': Read ships}}}}
",
        );
        let text = overview(&loader.finish().unwrap());
        for line in [
            "All ships",
            "See \\{% include \"secret\" %}",
            "* **Version:** 2",
            "* **Contact:** Port, [port\\@example.com](<mailto:port@example.com>)",
            "* **License:** MIT",
            "* **Terms of service:** [https://ships.example.com/terms](<https://ships.example.com/terms>)",
            "* `https://{region}.example.com`: Real",
            "  * `region` (default `eu`) – `eu`, `us`",
            "API key in the header `X-Key`",
            "Ask us",
            "Bearer token (JWT)",
            "* Client credentials",
            "  * Token: `https://ships.example.com/token`",
            "    * `ships:read`: Read ships",
        ] {
            assert!(text.lines().any(|found| found == line), "{line} in {text}");
        }
        assert!(!text.contains("javascript"), "{text}");
    }

    fn read(description: &serde_json::Value) -> Description {
        let mut loader = Loader::new(None);
        loader.add(description.to_string());
        loader.finish().unwrap()
    }

    #[test]
    fn long_texts_and_lists_are_shortened() {
        let long = "z".repeat(1_500);
        let variables: serde_json::Map<String, serde_json::Value> = (0..100)
            .map(|at| (format!("v{at}"), json!({ "default": long, "enum": [long, long] })))
            .collect();
        let server = json!({ "url": long, "description": long, "variables": variables });
        let info = json!({ "title": long, "version": long, "summary": long, "description": long });
        let description = read(&json!({
            "openapi": "3.1.0", "info": info, "servers": vec![server; 10], "paths": {},
            "components": { "securitySchemes": { "last": { "type": "http", "scheme": "basic" } } },
        }));
        assert_eq!(description.title.chars().count(), 201);
        let text = overview(&description);
        assert!((MAX_SIZE..2 * MAX_SIZE).contains(&text.len()), "{}", text.len());
        assert!(!text.contains("### last"));
    }

    #[test]
    fn code_is_shown_as_it_is() {
        let text = "Write `{{ name }}` or\n\n{% include \"secret\" %}\n";
        let info = json!({ "title": "T", "version": "1", "description": text });
        let servers = json!([{ "url": "https://{{region}}.example.com" }]);
        let text =
            overview(&read(&json!({ "openapi": "3.1.0", "info": info, "servers": servers })));
        assert!(text.contains("Write `{{ name }}` or\n\n\\{% include \"secret\" %}\n"), "{text}");
        assert!(text.contains("* `https://{{region}}.example.com`\n"), "{text}");
    }
}
