//! Descriptions of API methods in the older tags `swagger` and `api-method`. The dialect keeps them
//! as opaque source, of which readers see everything.

use crate::syntax::tag::Tag;

/// The visible attributes of a tag that describes an API method or a part of one.
#[derive(Debug, PartialEq, Eq, Default)]
pub(crate) struct Head {
    /// The HTTP method in upper case.
    pub(crate) method: String,
    /// The host and the path.
    pub(crate) address: String,
    /// The summary of a method, or the title of a group of parameters.
    pub(crate) title: String,
    /// The name of a parameter or the status of a response.
    pub(crate) name: String,
    /// The further attributes of a parameter or response.
    pub(crate) details: Vec<String>,
}

/// Returns `true` if tags of this name describe a part of an API method, or an API method in the
/// oldest form.
pub(crate) fn is_part(name: &str) -> bool {
    name.starts_with("swagger-") || name == "api-method" || name.starts_with("api-method-")
}

/// Returns the attributes of the tag at the start of a source. Returns `None` for other tags.
///
/// ```text
/// {% swagger-parameter in="path" name="id" type="string" required="true" %}
/// ```
///
/// has the name `id` and the details `string`, `path` and `required`.
pub(crate) fn head(source: &str) -> Option<Head> {
    let tag = Tag::parse(source)?;
    if tag.is_end || !(tag.name == "swagger" || is_part(&tag.name)) {
        return None;
    }
    let text = |name: &str| tag.text(name).unwrap_or_default();
    let list = |names: &[&str]| names.iter().filter_map(|name| tag.text(name)).collect();
    let part = tag.name.trim_start_matches("api-method-").trim_start_matches("swagger-");
    Some(match part {
        "swagger" | "api-method" => Head {
            method: text("method").to_uppercase(),
            address: address(&format!("{}{}", text("baseUrl"), text("host")), &text("path")),
            title: text("summary"),
            ..Head::default()
        },
        "parameter" => {
            let mut details: Vec<String> = list(&["type", "in"]);
            if tag.flag("required") == Some(true) {
                details.push("required".to_owned());
            }
            Head { name: text("name"), details, ..Head::default() }
        }
        "response" | "response-example" => Head {
            name: format!("{}{}", text("status"), text("httpCode")),
            details: list(&["description"]),
            ..Head::default()
        },
        group if group.ends_with("parameters") || group == "headers" => {
            let words = group.replace('-', " ");
            let mut letters = words.chars();
            let first = letters.next().map(|first| first.to_ascii_uppercase());
            Head { title: first.into_iter().chain(letters).collect(), ..Head::default() }
        }
        _ => Head::default(),
    })
}

/// Joins a host and a path with one slash.
fn address(host: &str, path: &str) -> String {
    match (host.is_empty(), path.is_empty()) {
        (true, _) => path.to_owned(),
        (_, true) => host.to_owned(),
        _ => format!("{}/{}", host.trim_end_matches('/'), path.trim_start_matches('/')),
    }
}

impl Head {
    /// Returns the attributes as one line.
    pub(crate) fn line(&self) -> String {
        let Self { method, address, title, name, details } = self;
        let words = [method, address, title, name].into_iter().chain(details);
        words.filter(|word| !word.is_empty()).cloned().collect::<Vec<_>>().join(" ")
    }
}
