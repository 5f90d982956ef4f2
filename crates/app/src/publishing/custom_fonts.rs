//! Fonts of organizations: a family with uploaded files, which customizations of sites name.

use std::collections::BTreeSet;

use bindery_model::{CustomFontId, Error, FieldPath, Result, StorageFileId, StorageKind};
pub use bindery_store::custom_fonts::CustomFont;
use bindery_store::custom_fonts::{self, CustomFontFace};
use bindery_store::organizations::Organization;
use bindery_store::{Event, NewEvent, Tx, sites, storage_files};

use crate::access::{self, Action, Authorized};
use crate::{Context, text};

/// Maximum number of fonts of an organization.
const MAX_FONTS: usize = 100;
/// Maximum number of files of a font.
const MAX_FILES: usize = 40;
/// Maximum length of the name of a family, in characters.
const FAMILY: usize = 50;
/// The weights that every font has: those of texts and of bold texts.
const REQUIRED_WEIGHTS: [i64; 2] = [400, 700];

/// A file of a font.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FontFile {
    /// The weight of its letters.
    pub weight: i64,
    /// The file.
    pub file: StorageFileId,
    /// Its media type.
    pub content_type: String,
}

/// A font with its files.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FontView {
    /// The font.
    pub font: CustomFont,
    /// Its files, in order of their weights. Several files of one weight are alternatives.
    pub files: Vec<FontFile>,
    /// `true` if the caller may change the font.
    pub can_edit: bool,
}

/// A face in a request.
#[derive(Clone, Copy, Debug)]
pub struct NewFace<'a> {
    /// The weight of its letters.
    pub weight: i64,
    /// The key of an uploaded file; `None` keeps the files of this weight.
    pub key: Option<&'a str>,
}

/// Lists the fonts of an organization, oldest first.
///
/// # Errors
/// Returns 403 for guests.
pub fn list(cx: &Context<'_>, organization: &Authorized<Organization>) -> Result<Vec<FontView>> {
    require_member(cx, organization)?;
    let fonts = custom_fonts::list(cx.tx, organization.id)?;
    fonts.into_iter().map(|font| view(cx.tx, font, can_edit(organization))).collect()
}

/// Returns a font of an organization.
///
/// # Errors
/// Returns 403 for guests, and 404 if the organization has no such font.
pub fn get(
    cx: &Context<'_>,
    organization: &Authorized<Organization>,
    id: &str,
) -> Result<FontView> {
    require_member(cx, organization)?;
    let font = find_row(cx, organization, id)?.ok_or_else(|| Error::not_found("font"))?;
    view(cx.tx, font, can_edit(organization))
}

/// Refuses callers without a role in the organization.
fn require_member(cx: &Context<'_>, organization: &Authorized<Organization>) -> Result<()> {
    let what = "read the fonts of this organization";
    access::require_member(cx.tx, cx.caller.person(), organization.id, what)
}

/// Creates a font from uploaded files.
///
/// # Errors
/// Returns 400 if the name of the family or a file is invalid, 404 if a file does not exist, 409 if
/// the organization has the maximum number of fonts, and 412 with the required weights that are
/// missing.
pub fn create(
    cx: &Context<'_>,
    organization: &Authorized<Organization>,
    family: &str,
    faces: &[NewFace<'_>],
) -> Result<FontView> {
    let font = CustomFont {
        id: CustomFontId::random(&cx.app.entropy),
        organization: organization.id,
        family: text::title("/fontFamily", family, 1, FAMILY)?,
        created_at: cx.now(),
    };
    let faces = checked(cx, &font, &[], faces)?;
    if custom_fonts::list(cx.tx, organization.id)?.len() >= MAX_FONTS {
        return Err(Error::conflict(format!(
            "this organization has {MAX_FONTS} fonts, the maximum: delete some first"
        )));
    }
    custom_fonts::create(cx.tx, &font)?;
    custom_fonts::set_faces(cx.tx, font.id, &faces)?;
    let (id, family, weights) = (font.id, font.family.clone(), weights(&faces));
    record(cx, &font, Event::CustomFontCreated { font: id, family, weights })?;
    view(cx.tx, font, can_edit(organization))
}

/// Changes the family of a font, or replaces its files.
///
/// # Errors
/// Returns 404 if the organization has no such font, and the errors of [`create`].
pub fn update(
    cx: &Context<'_>,
    organization: &Authorized<Organization>,
    id: &str,
    family: Option<&str>,
    faces: Option<&[NewFace<'_>]>,
) -> Result<FontView> {
    let before = find_row(cx, organization, id)?.ok_or_else(|| Error::not_found("font"))?;
    let family = family.map(|family| text::title("/fontFamily", family, 1, FAMILY)).transpose()?;
    let after =
        CustomFont { family: family.unwrap_or_else(|| before.family.clone()), ..before.clone() };
    let present = present_faces(cx.tx, after.id)?;
    let faces = match faces {
        Some(faces) => checked(cx, &after, &present, faces)?,
        None => present.clone(),
    };
    if after != before || faces != present {
        custom_fonts::rename(cx.tx, after.id, &after.family)?;
        custom_fonts::set_faces(cx.tx, after.id, &faces)?;
        sites::increment_versions_of_organization(cx.tx, organization.id)?;
        let (id, family, weights) = (after.id, after.family.clone(), weights(&faces));
        record(cx, &after, Event::CustomFontUpdated { font: id, family, weights })?;
    }
    view(cx.tx, after, can_edit(organization))
}

/// Deletes a font. Returns `false` if the organization has no such font.
///
/// # Errors
/// Returns an error if the store fails.
pub fn delete(cx: &Context<'_>, organization: &Authorized<Organization>, id: &str) -> Result<bool> {
    let Some(font) = find_row(cx, organization, id)? else { return Ok(false) };
    custom_fonts::delete(cx.tx, font.id)?;
    sites::increment_versions_of_organization(cx.tx, organization.id)?;
    let (id, family) = (font.id, font.family.clone());
    record(cx, &font, Event::CustomFontDeleted { font: id, family })?;
    Ok(true)
}

/// Returns the font with this id, for the pages of sites.
///
/// # Errors
/// Returns an error if the store fails.
pub fn find(tx: &Tx<'_>, id: CustomFontId) -> Result<Option<FontView>> {
    custom_fonts::get_by_id(tx, id)?.map(|font| view(tx, font, false)).transpose()
}

fn find_row(
    cx: &Context<'_>,
    organization: &Authorized<Organization>,
    id: &str,
) -> Result<Option<CustomFont>> {
    match CustomFontId::parse(id) {
        Some(id) => Ok(custom_fonts::get(cx.tx, organization.id, id)?),
        None => Ok(None),
    }
}

fn can_edit(organization: &Authorized<Organization>) -> bool {
    organization.role() >= Action::ManageFonts.requirements().role
}

fn view(tx: &Tx<'_>, font: CustomFont, can_edit: bool) -> Result<FontView> {
    let faces = custom_fonts::list_faces(tx, font.id)?.into_iter();
    let mut files: Vec<FontFile> = faces
        .map(|(CustomFontFace { font: _, position: _, weight, file }, content_type)| FontFile {
            weight,
            file,
            content_type,
        })
        .collect();
    files.sort_by_key(|file| file.weight);
    Ok(FontView { font, files, can_edit })
}

fn present_faces(tx: &Tx<'_>, font: CustomFontId) -> Result<Vec<CustomFontFace>> {
    let faces = custom_fonts::list_faces(tx, font)?;
    Ok(faces.into_iter().map(|(face, _)| face).collect())
}

/// Returns the weights of faces, each once.
fn weights(faces: &[CustomFontFace]) -> Vec<i64> {
    let weights: BTreeSet<i64> = faces.iter().map(|face| face.weight).collect();
    weights.into_iter().collect()
}

/// Returns the faces of a font after a request, in order.
fn checked(
    cx: &Context<'_>,
    font: &CustomFont,
    present: &[CustomFontFace],
    faces: &[NewFace<'_>],
) -> Result<Vec<CustomFontFace>> {
    let at = FieldPath::new("/fontFaces");
    if faces.len() > MAX_FILES {
        let found = faces.len();
        return Err(at.invalid(format!("found {found} faces, allowed: at most {MAX_FILES}")));
    }
    let mut files: Vec<(i64, StorageFileId)> = Vec::new();
    for (index, NewFace { weight, key }) in faces.iter().enumerate() {
        let at = at.field(index).field("storageKey");
        match key {
            Some(key) => files.push((*weight, uploaded(cx, font, &at, key)?)),
            None => {
                let kept = present.iter().filter(|face| face.weight == *weight);
                let kept: Vec<_> = kept.map(|face| (*weight, face.file)).collect();
                if kept.is_empty() {
                    return Err(at.invalid(format!(
                        "found null, allowed: the key of a file, because the font has none of the \
                         weight {weight}"
                    )));
                }
                files.extend(kept);
            }
        }
    }
    let has = |weight: &&i64| files.iter().any(|(known, _)| known == *weight);
    let missing: Vec<String> =
        REQUIRED_WEIGHTS.iter().filter(|weight| !has(weight)).map(ToString::to_string).collect();
    if !missing.is_empty() {
        return Err(Error::precondition_failed(format!(
            "required font weights are missing: {}",
            missing.join(", ")
        ))
        .at(at));
    }
    let faces = (0..).zip(files).map(|(position, (weight, file))| CustomFontFace {
        font: font.id,
        position,
        weight,
        file,
    });
    Ok(faces.collect())
}

/// Returns the uploaded file of a font with this key.
fn uploaded(
    cx: &Context<'_>,
    font: &CustomFont,
    at: &FieldPath,
    key: &str,
) -> Result<StorageFileId> {
    let file = match StorageFileId::parse(key) {
        Some(id) => storage_files::get(cx.tx, id)?,
        None => None,
    };
    let file = file.filter(|file| file.organization == font.organization);
    let file = file.ok_or_else(|| at.not_found("uploaded file"))?;
    if file.kind != StorageKind::CustomizationFont {
        let found = file.kind.as_str();
        return Err(at.invalid(format!(
            "found a file that was uploaded as {found:?}, allowed: \"customization_font\""
        )));
    }
    match file.object {
        Some(_) => Ok(file.id),
        None => Err(at.invalid(
            "found a key whose file was not uploaded yet, allowed: the key of an uploaded file",
        )),
    }
}

fn record(cx: &Context<'_>, font: &CustomFont, event: Event) -> Result<()> {
    cx.tx.record(&NewEvent::new(event).by(cx.user()).organization(font.organization))?;
    Ok(())
}
