//! Fonts of organizations for their sites.

use bindery_model::{CustomFontId, OrganizationId, StorageFileId, Timestamp};

use crate::record::{FromRow, Insert, Record, insert, record, sql};
use crate::{StoreError, Tx};

record! {
    /// A font as stored.
    #[derive(Clone, PartialEq, Eq, Debug)]
    pub struct CustomFont in custom_fonts as c, insert {
        /// Its id.
        pub id: CustomFontId,
        /// The organization that owns it.
        pub organization: OrganizationId,
        /// The name of its family.
        pub family: String,
        /// Time of creation.
        pub created_at: Timestamp,
    }
}

record! {
    /// A file of a font.
    #[derive(Clone, PartialEq, Eq, Debug)]
    pub struct CustomFontFace in custom_font_faces as c, insert {
        /// The font.
        pub font: CustomFontId,
        /// Its position among the files of the font.
        pub position: i64,
        /// The weight of its letters, from 1 to 1000.
        pub weight: i64,
        /// The file.
        pub file: StorageFileId,
    }
}

/// Inserts a new font without files.
///
/// # Errors
/// Returns an error if the store fails.
pub fn create(tx: &Tx<'_>, font: &CustomFont) -> Result<(), StoreError> {
    tx.execute(insert!(CustomFont), &font.values())?;
    Ok(())
}

/// Returns a font of an organization.
///
/// # Errors
/// Returns an error if the store fails.
pub fn get(
    tx: &Tx<'_>,
    organization: OrganizationId,
    id: CustomFontId,
) -> Result<Option<CustomFont>, StoreError> {
    tx.query_opt(
        sql!(CustomFont::SELECT, " WHERE c.id = $1 AND c.organization = $2"),
        &[id.into(), organization.into()],
        CustomFont::from_row,
    )
}

/// Returns the font with this id, of any organization.
///
/// # Errors
/// Returns an error if the store fails.
pub fn get_by_id(tx: &Tx<'_>, id: CustomFontId) -> Result<Option<CustomFont>, StoreError> {
    tx.query_opt(sql!(CustomFont::SELECT, " WHERE c.id = $1"), &[id.into()], CustomFont::from_row)
}

/// Returns the fonts of an organization, oldest first.
///
/// # Errors
/// Returns an error if the store fails.
pub fn list(tx: &Tx<'_>, organization: OrganizationId) -> Result<Vec<CustomFont>, StoreError> {
    tx.query(
        sql!(CustomFont::SELECT, " WHERE c.organization = $1 ORDER BY c.created_at, c.id"),
        &[organization.into()],
        CustomFont::from_row,
    )
}

/// Returns the files of a font in order, each with its media type.
///
/// # Errors
/// Returns an error if the store fails.
pub fn list_faces(
    tx: &Tx<'_>,
    font: CustomFontId,
) -> Result<Vec<(CustomFontFace, String)>, StoreError> {
    tx.query(
        sql!(
            "SELECT ",
            CustomFontFace::COLUMNS,
            ", f.content_type FROM custom_font_faces c JOIN storage_files f ON f.id = c.file \
             WHERE c.font = $1 ORDER BY c.position"
        ),
        &[font.into()],
        FromRow::from_row,
    )
}

/// Replaces the files of a font.
///
/// # Errors
/// Returns an error if the store fails.
pub fn set_faces(
    tx: &Tx<'_>,
    font: CustomFontId,
    faces: &[CustomFontFace],
) -> Result<(), StoreError> {
    tx.execute("DELETE FROM custom_font_faces WHERE font = $1", &[font.into()])?;
    for face in faces {
        tx.execute(insert!(CustomFontFace), &face.values())?;
    }
    Ok(())
}

/// Stores the family of a font.
///
/// # Errors
/// Returns an error if the store fails.
pub fn rename(tx: &Tx<'_>, font: CustomFontId, family: &str) -> Result<(), StoreError> {
    tx.execute("UPDATE custom_fonts SET family = $1 WHERE id = $2", &[family.into(), font.into()])?;
    Ok(())
}

/// Deletes a font. Its files remain until they are removed as unused.
///
/// # Errors
/// Returns an error if the store fails.
pub fn delete(tx: &Tx<'_>, font: CustomFontId) -> Result<(), StoreError> {
    tx.execute("DELETE FROM custom_fonts WHERE id = $1", &[font.into()])?;
    Ok(())
}
