//! A page about an API as a whole: what its description says about it, its servers, and the ways to
//! prove who sends a request.

use std::fmt::Write as _;

use bindery_content::print::plain;
use bindery_openapi::{Description, Part};

use super::markdown::undialected;

/// Maximum number of servers, of variables of one, of schemes and of scopes that are listed.
const MAX_LISTED: usize = 100;

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
            self.fact("Version", &plain(version));
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
            let Some(url) = server.text("url") else { continue };
            if std::mem::take(&mut is_first) {
                self.out.push_str("## Servers\n\n");
            }
            let _ = write!(self.out, "* {}", code(url));
            let about = server.text("description").or_else(|| server.text("name"));
            if let Some(text) = about {
                let _ = write!(self.out, ": {}", plain(text));
            }
            self.out.push('\n');
            let variables = server.field("variables").into_iter().flat_map(Part::fields);
            for (name, variable) in variables.take(MAX_LISTED) {
                let _ = write!(self.out, "  * {}", code(name));
                if let Some(text) = variable.text("description") {
                    let _ = write!(self.out, ": {}", plain(text));
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
            let Some(scheme) = self.description.followed(scheme) else { continue };
            if std::mem::take(&mut is_first) {
                self.out.push_str("## Authentication\n\n");
            }
            let _ = write!(self.out, "### {}\n\n", plain(name));
            let text = |field: &str| scheme.text(field).unwrap_or_default();
            let kind = match text("type") {
                "apiKey" => format!("API key in the {} {}", plain(text("in")), code(text("name"))),
                "http" if text("scheme").eq_ignore_ascii_case("basic") => {
                    "User name and password (HTTP Basic)".to_owned()
                }
                "http" if text("scheme").eq_ignore_ascii_case("bearer") => {
                    match scheme.text("bearerFormat") {
                        Some(format) => format!("Bearer token ({})", plain(format)),
                        None => "Bearer token".to_owned(),
                    }
                }
                "http" => format!("HTTP {}", plain(text("scheme"))),
                "oauth2" => "OAuth 2.0".to_owned(),
                "openIdConnect" => {
                    format!("OpenID Connect: {}", link(None, scheme.text("openIdConnectUrl")))
                }
                "mutualTLS" => "Client certificate (mutual TLS)".to_owned(),
                other => plain(other),
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
                if at == 0 {
                    self.out.push_str("  * Scopes\n");
                }
                let text = text.value.as_str().unwrap_or_default();
                let text =
                    if text.is_empty() { String::new() } else { format!(": {}", plain(text)) };
                let _ = writeln!(self.out, "    * {}{text}", code(scope));
            }
        }
        if !self.out.ends_with("\n\n") {
            self.out.push('\n');
        }
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
        starts && !url.chars().any(|c| c.is_whitespace() || c.is_control() || "<>\\".contains(c))
    };
    match (text, url.filter(is_linkable)) {
        (text, Some(url)) => format!("[{}](<{url}>)", plain(text.unwrap_or(url))),
        (Some(text), None) => plain(text),
        (None, None) => url.map(code).unwrap_or_default(),
    }
}

/// Returns a value as code in a line of text.
fn code(text: &str) -> String {
    let text: String = text.chars().filter(|c| !c.is_control()).collect();
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or_default();
    let fence = "`".repeat(longest + 1);
    let pad = if text.starts_with('`') || text.ends_with('`') { " " } else { "" };
    // Expressions of the dialect are evaluated within code, too.
    format!("{fence}{pad}{}{pad}{fence}", text.replace("{{", "{ {").replace("{%", "{ %"))
}

#[cfg(test)]
mod tests {
    use bindery_openapi::Loader;

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
}
