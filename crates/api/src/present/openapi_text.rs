//! Texts of OpenAPI specifications as JSON, which is written while it is sent: a specification can
//! have 64 MB.

use std::collections::VecDeque;

use bindery_app::content::openapi::{self, Format, OpenApiFile, OpenApiSpec};
use bindery_app::{App, ObjectPieces};
use bindery_model::Result;
use bytes::Bytes;
use serde_json::Value;
use tokio::runtime::Handle;

use crate::reply::{BodyStream, Reply};

/// Size of a piece of a body from which it is sent, in bytes.
const PIECE: usize = 32 << 10;
/// Capacity of the buffer of a piece in bytes: a part of a text with quotes fits without growth.
const CAPACITY: usize = 127 << 10;

/// A body with texts in it.
struct TextBody {
    parts: VecDeque<Part>,
}

enum Part {
    /// JSON as it stands.
    Json(String),
    /// The rest of a text, with the quotes after it.
    Text(ObjectPieces),
    /// The name of the format of a text.
    Format(OpenApiFile),
}

impl BodyStream for TextBody {
    fn next(&mut self, app: &App) -> Result<Option<Bytes>> {
        let mut out = Vec::with_capacity(CAPACITY);
        while out.len() < PIECE {
            match self.parts.front_mut() {
                None => break,
                Some(Part::Json(json)) => out.extend_from_slice(json.as_bytes()),
                Some(Part::Text(text)) => {
                    if let Some(piece) = BodyStream::next(text, app)? {
                        escape(&piece, &mut out);
                        continue;
                    }
                    out.push(b'"');
                }
                Some(Part::Format(file)) => {
                    let format = openapi::format_of(&app.store, file);
                    let name = match Handle::current().block_on(format)? {
                        Format::Json => "json",
                        Format::Yaml => "yaml",
                    };
                    out.extend_from_slice(name.as_bytes());
                }
            }
            self.parts.pop_front();
        }
        Ok(Some(out).filter(|out| !out.is_empty()).map(Bytes::from))
    }
}

/// Writes a part of a text within a string of JSON. The part may end within a character.
fn escape(text: &[u8], out: &mut Vec<u8>) {
    for byte in text {
        match byte {
            b'"' | b'\\' => out.extend([b'\\', *byte]),
            b'\n' => out.extend(b"\\n"),
            b'\r' => out.extend(b"\\r"),
            b'\t' => out.extend(b"\\t"),
            0..0x20 => out.extend(format!("\\u{byte:04x}").bytes()),
            _ => out.push(*byte),
        }
    }
}

/// Returns the answer with the texts of all files of a version, the root first.
pub(crate) fn openapi_content(app: &App, spec: &OpenApiSpec, files: &[OpenApiFile]) -> Reply {
    let (organization, slug) = (spec.organization, &spec.slug);
    let raw = || {
        let path = format_args!("/orgs/{organization}/openapi/{slug}/versions/latest/content/raw");
        app.urls.api(path)
    };
    let root = files.first();
    let url = root.and_then(|root| root.url.clone()).unwrap_or_else(raw);
    let mut parts = VecDeque::new();
    for (at, file) in files.iter().enumerate() {
        let comma = if at == 0 { "" } else { "," };
        parts.push_back(Part::Json(format!("{comma}{}:\"", Value::from(file.name.as_str()))));
        parts.push_back(Part::Text(openapi::text_of(file)));
    }
    parts.push_back(Part::Json(format!("}},\"url\":{}}}", Value::from(url))));
    reply(root, "{\"filesystem\":{", parts)
}

/// Returns the answer with the text of the root of a version.
pub(crate) fn openapi_raw_content(root: &OpenApiFile) -> Reply {
    let parts = [
        Part::Text(openapi::text_of(root)),
        Part::Json(",\"format\":\"".to_owned()),
        Part::Format(root.clone()),
        Part::Json("\"}".to_owned()),
    ];
    reply(Some(root), "{\"text\":\"", parts.into())
}

/// Returns an answer that the version names: its texts never change.
fn reply(root: Option<&OpenApiFile>, first: &'static str, parts: VecDeque<Part>) -> Reply {
    let tag = root.map_or_else(String::new, |root| root.version.to_string());
    Reply::json_stream(Bytes::from_static(first.as_bytes()), Box::new(TextBody { parts }))
        .with_content_tag(tag)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escaped_parts_are_one_string() {
        let text: String =
            (0..0x300).filter_map(char::from_u32).chain("日本 \"x\\".chars()).collect();
        let mut out = vec![b'"'];
        for part in text.as_bytes().chunks(7) {
            escape(part, &mut out);
        }
        out.push(b'"');
        assert_eq!(serde_json::from_slice::<String>(&out).unwrap(), text);
    }
}
