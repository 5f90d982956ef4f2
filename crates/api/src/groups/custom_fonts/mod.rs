//! Group `custom-fonts`.

use bindery_app::Context;
use bindery_app::access::{Action, Authorized};
use bindery_app::people::organizations::Organization;
use bindery_app::publishing::custom_fonts::{self, NewFace};
use bindery_model::Result;
use bindery_wire::List;
use bindery_wire::request::{CreateCustomFontBody, UpdateCustomFontBody};

use crate::call::Call;
use crate::operation::{Operation, read, write};
use crate::present;
use crate::reply::Reply;

pub(super) fn operations() -> Vec<Operation> {
    vec![
        read("listCustomFonts", Action::ViewOrganization, list_custom_fonts),
        write("createCustomFont", Action::ManageFonts, create_custom_font),
        read("getCustomFont", Action::ViewOrganization, get_custom_font),
        write("updateCustomFont", Action::ManageFonts, update_custom_font),
        write("deleteCustomFont", Action::ManageFonts, delete_custom_font),
    ]
}

/// `listCustomFonts`: lists the fonts of an organization.
fn list_custom_fonts(
    cx: &Context<'_>,
    organization: &Authorized<Organization>,
    _: &Call,
) -> Result<Reply> {
    let fonts = custom_fonts::list(cx, organization)?;
    let count = u64::try_from(fonts.len()).ok();
    let items: Vec<_> = fonts.into_iter().map(|font| present::custom_font(cx.app, font)).collect();
    Reply::json(200, &List { next: None, count, items })
}

/// `createCustomFont`: creates a font from uploaded files.
fn create_custom_font(
    cx: &Context<'_>,
    organization: &Authorized<Organization>,
    call: &Call,
) -> Result<Reply> {
    let CreateCustomFontBody { font_family, font_faces } = call.body()?;
    let faces: Vec<_> = font_faces
        .iter()
        .map(|face| NewFace { weight: weight(face.weight), key: Some(&face.storage_key) })
        .collect();
    let font = custom_fonts::create(cx, organization, &font_family, &faces)?;
    let location =
        cx.app.urls.api(format_args!("/orgs/{}/fonts/{}", organization.id, font.font.id));
    Ok(Reply::json(201, &present::custom_font(cx.app, font))?.with_location(location))
}

/// `getCustomFont`: returns a font of an organization.
fn get_custom_font(
    cx: &Context<'_>,
    organization: &Authorized<Organization>,
    call: &Call,
) -> Result<Reply> {
    let font = custom_fonts::get(cx, organization, call.path("fontId"))?;
    Reply::json(200, &present::custom_font(cx.app, font))
}

/// `updateCustomFont`: changes the family of a font, or replaces its files.
fn update_custom_font(
    cx: &Context<'_>,
    organization: &Authorized<Organization>,
    call: &Call,
) -> Result<Reply> {
    let UpdateCustomFontBody { font_family, font_faces } = call.body()?;
    let faces: Option<Vec<_>> = font_faces.as_ref().map(|faces| {
        faces
            .iter()
            .map(|face| NewFace { weight: weight(face.weight), key: face.storage_key.as_deref() })
            .collect()
    });
    let (id, family) = (call.path("fontId"), font_family.as_deref());
    let font = custom_fonts::update(cx, organization, id, family, faces.as_deref())?;
    Reply::json(201, &present::custom_font(cx.app, font))
}

/// `deleteCustomFont`: deletes a font.
fn delete_custom_font(
    cx: &Context<'_>,
    organization: &Authorized<Organization>,
    call: &Call,
) -> Result<Reply> {
    let deleted = custom_fonts::delete(cx, organization, call.path("fontId"))?;
    Ok(Reply::empty(if deleted { 205 } else { 204 }))
}

/// Converts a weight, which the contract bounds.
fn weight(weight: u64) -> i64 {
    i64::try_from(weight).unwrap_or(i64::MAX)
}
