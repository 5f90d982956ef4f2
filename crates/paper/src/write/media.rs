//! Images.

use super::Writer;
use crate::FILE_SCHEME;
use crate::html::Element;

/// Points for each pixel of a page: images keep the size that they have beside the text of a page.
const POINTS_PER_PIXEL: f64 = 0.62;
/// Maximum width of an image in points. The source limits it to the available width as well.
const MAX_WIDTH: f64 = 1_000.0;

impl Writer<'_> {
    pub(super) fn figure(&mut self, figure: &Element) {
        let open = match figure.attribute("data-align") {
            Some("start") => "figure-box(start,{",
            Some("end") => "figure-box(end,{",
            _ => "figure-box(center,{",
        };
        let start = self.to.len();
        self.to.code(open);
        let inner = self.to.len();
        for child in &figure.children {
            match child.element() {
                Some(child) if child.name == "figcaption" => {
                    self.to.code("caption({");
                    self.inlines_or_flow(&child.children);
                    self.to.code("});");
                }
                Some(child) if matches!(child.name.as_str(), "img" | "picture") => {
                    self.image(child, "image-or");
                }
                _ => self.inlines_or_flow(std::slice::from_ref(child)),
            }
        }
        if self.to.since(inner).trim().is_empty() {
            return self.to.truncate(start);
        }
        self.to.code("});");
    }

    pub(super) fn gallery(&mut self, gallery: &Element) {
        let count = gallery.elements().count().clamp(1, 3);
        self.container(&format!("grid(columns:(1fr,)*{count},gutter:8pt,"), ");", |to| {
            for figure in gallery.elements() {
                to.to.code("{");
                to.block(figure);
                to.to.code("},");
            }
        });
    }

    /// Writes an image within text.
    pub(super) fn inline_image(&mut self, element: &Element) {
        let image = picture(element);
        let function = if image
            .is_some_and(|image| image.has_class("inline") && !image.has_class("original"))
        {
            "image-in-line"
        } else {
            "image-in-text"
        };
        self.image(element, function);
    }

    pub(super) fn cover(&mut self, element: &Element) {
        self.image(element, "image-cover");
    }

    /// Writes an image, or its alternative text if it is not a file of the space.
    fn image(&mut self, element: &Element, function: &str) {
        let Some(image) = picture(element) else { return };
        let alt = image.attribute("alt").unwrap_or_default();
        let source = image.attribute("src").unwrap_or_default();
        let Some(file) = source.strip_prefix(FILE_SCHEME) else {
            // Images of other hosts are not fetched. A link leads to them.
            let name = if alt.is_empty() { source } else { alt };
            let address = self.address(source);
            if let Some(address) = &address {
                self.to.code("link(");
                self.to.string(address);
                self.to.code(",{");
            }
            self.to.words(name);
            return self.to.code(if address.is_some() { "});" } else { "" });
        };
        self.images.insert(file.to_owned());
        self.to.code(function);
        self.to.code("(");
        self.to.string(file);
        self.to.code(",");
        self.to.string(alt);
        self.to.code(",");
        match image.attribute("width").map(|width| (width.strip_suffix('%'), width)) {
            Some((Some(percent), _)) => {
                self.to.number(percent.parse::<f64>().unwrap_or(100.0).clamp(1.0, 100.0));
                self.to.code("%");
            }
            Some((None, pixels)) => match pixels.parse::<f64>() {
                Ok(pixels) if pixels.is_finite() => {
                    let scale =
                        if self.in_cell { POINTS_PER_PIXEL * 0.8 } else { POINTS_PER_PIXEL };
                    self.to.number(format_args!("{:.1}pt", (pixels * scale).clamp(1.0, MAX_WIDTH)));
                }
                _ => self.to.code("auto"),
            },
            None => self.to.code("auto"),
        }
        self.to.code(");");
    }
}

/// Returns the image of an `<img>` or a `<picture>`.
fn picture(element: &Element) -> Option<&Element> {
    if element.name == "img" {
        return Some(element);
    }
    element.elements().find(|child| child.name == "img")
}
