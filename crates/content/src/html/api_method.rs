//! Rendering of descriptions of API methods in the older tags `swagger` and `api-method`, whose
//! parts are tags too.

use super::Renderer;
use crate::api_method::{Head, head};
use crate::document::Opaque;

impl Renderer<'_> {
    /// Writes a description of an API method or a part of one. Returns `false` if the source is
    /// neither.
    pub(super) fn api_method(&mut self, opaque: &Opaque) -> bool {
        let Some(Head { method, address, title, name, details }) = head(&opaque.source) else {
            return false;
        };
        if !method.is_empty() || !address.is_empty() {
            self.raw("<div class=\"openapi\">");
            self.http_method(&method);
            self.code_text(&address);
            self.raw("</div>\n");
        }
        if !title.is_empty() {
            self.raw("<p><strong>");
            self.text(&title);
            self.raw("</strong></p>\n");
        }
        if !name.is_empty() || !details.is_empty() {
            self.raw("<p>");
            self.code_text(&name);
            for detail in &details {
                self.raw(" ");
                self.text(detail);
            }
            self.raw("</p>\n");
        }
        if !opaque.nodes.is_empty() {
            self.raw("<div class=\"opaque\">\n");
            self.blocks(&opaque.nodes);
            self.raw("</div>\n");
        }
        true
    }

    fn code_text(&mut self, text: &str) {
        if !text.is_empty() {
            self.raw("<code>");
            self.text(text);
            self.raw("</code>");
        }
    }
}
