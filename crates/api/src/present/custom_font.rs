//! Fonts of organizations.

use bindery_app::App;
use bindery_app::publishing::custom_fonts::{CustomFont, FontFile, FontView};
use bindery_app::publishing::storage;
use bindery_wire::response::{
    CustomizationFontDefinition, CustomizationFontDefinitionPermissions, FontFace, FontSource,
};
use bindery_wire::values::FontSourceFormat;

pub(crate) fn custom_font(app: &App, view: FontView) -> CustomizationFontDefinition {
    let FontView { font, files, can_edit } = view;
    let CustomFont { id, organization: _, family, created_at: _ } = font;
    let mut font_faces: Vec<FontFace> = Vec::new();
    for FontFile { weight, file, content_type } in files {
        let weight = u64::try_from(weight).unwrap_or_default();
        let source = FontSource {
            url: format!("{}{}{file}", app.urls.sites(), storage::PATH),
            format: match content_type.as_str() {
                "font/woff2" => Some(FontSourceFormat::Woff2),
                "font/woff" => Some(FontSourceFormat::Woff),
                _ => None,
            },
        };
        match font_faces.last_mut().filter(|face| face.weight == weight) {
            Some(face) => face.sources.push(source),
            None => font_faces.push(FontFace { weight, sources: vec![source] }),
        }
    }
    CustomizationFontDefinition {
        id: id.to_string(),
        custom: true,
        font_family: family,
        font_faces,
        permissions: CustomizationFontDefinitionPermissions { edit: can_edit },
    }
}
