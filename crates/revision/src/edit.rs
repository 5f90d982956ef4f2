//! Edits of files, reusable contents and variables.

use bindery_model::{FileId, ReusableContentId};
use bytes::Bytes;

use crate::content::{Content, PathEntry};
use crate::object::{ObjectError, Staging};
use crate::record::{FileRecord, Record, ReusableRecord, Variable};

/// Creates or replaces a file. The path's entry is overwritten if it belongs to another item, as in
/// [`tree::write`](crate::tree::write).
///
/// # Errors
/// Returns an error if an object cannot be read.
pub fn put_file(
    content: &Content,
    staging: &mut Staging<'_>,
    file: &FileRecord,
) -> Result<Content, ObjectError> {
    let old = content.file(staging, file.id)?.and_then(|old| old.path);
    let mut next = content.clone();
    let key = Bytes::copy_from_slice(file.id.as_bytes());
    next.files = content.files.apply(staging, [(key, Some(file.encode()?))])?;
    rename(&mut next, staging, old, file.path.as_ref(), PathEntry::File(file.id))?;
    Ok(next)
}

/// Deletes a file. Also returns its record, or `None` if it did not exist.
///
/// # Errors
/// Returns an error if an object cannot be read.
pub fn delete_file(
    content: &Content,
    staging: &mut Staging<'_>,
    id: FileId,
) -> Result<(Content, Option<FileRecord>), ObjectError> {
    let old = content.file(staging, id)?;
    let mut next = content.clone();
    next.files = content.files.apply(staging, [(Bytes::copy_from_slice(id.as_bytes()), None)])?;
    let path = old.as_ref().and_then(|old| old.path.clone());
    rename(&mut next, staging, path, None, PathEntry::File(id))?;
    Ok((next, old))
}

/// Creates or replaces a reusable content.
///
/// # Errors
/// Returns an error if an object cannot be read.
pub fn put_reusable(
    content: &Content,
    staging: &mut Staging<'_>,
    reusable: &ReusableRecord,
) -> Result<Content, ObjectError> {
    let old = content.reusable(staging, reusable.id)?.and_then(|old| old.path);
    let mut next = content.clone();
    let key = Bytes::copy_from_slice(reusable.id.as_bytes());
    next.reusable = content.reusable.apply(staging, [(key, Some(reusable.encode()?))])?;
    rename(&mut next, staging, old, reusable.path.as_ref(), PathEntry::Reusable(reusable.id))?;
    Ok(next)
}

/// Deletes a reusable content. Also returns its record, or `None` if it did not exist.
///
/// # Errors
/// Returns an error if an object cannot be read.
pub fn delete_reusable(
    content: &Content,
    staging: &mut Staging<'_>,
    id: ReusableContentId,
) -> Result<(Content, Option<ReusableRecord>), ObjectError> {
    let old = content.reusable(staging, id)?;
    let mut next = content.clone();
    let key = Bytes::copy_from_slice(id.as_bytes());
    next.reusable = content.reusable.apply(staging, [(key, None)])?;
    let path = old.as_ref().and_then(|old| old.path.clone());
    rename(&mut next, staging, path, None, PathEntry::Reusable(id))?;
    Ok((next, old))
}

/// Sets a variable of the space, or deletes it if `value` is `None`.
pub fn set_variable(content: &mut Content, name: &str, value: Option<Variable>) {
    match value {
        Some(value) => content.variables.insert(name.to_owned(), value),
        None => content.variables.remove(name),
    };
}

/// Moves an entry from one path to another. An old path that now belongs to another item is kept.
fn rename(
    content: &mut Content,
    staging: &mut Staging<'_>,
    from: Option<String>,
    to: Option<&String>,
    entry: PathEntry,
) -> Result<(), ObjectError> {
    let mut edits = Vec::new();
    if let Some(from) = from.filter(|from| Some(from) != to)
        && content.at_path(staging, &from)? == Some(entry)
    {
        edits.push((Bytes::from(from), None));
    }
    if let Some(to) = to {
        edits.push((Bytes::copy_from_slice(to.as_bytes()), Some(entry.encode()?)));
    }
    content.paths = content.paths.apply(staging, edits)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use bindery_model::Entropy;

    use super::*;
    use crate::map::Salt;
    use crate::object::{Hash, MemoryObjects};

    #[test]
    fn paths_follow_files_and_reusable_contents() {
        let entropy = Entropy::seeded(1);
        let (base, empty) = (MemoryObjects::new(), Content::empty(Salt::new([1; 16])));
        let mut staging = Staging::new(&base);
        let mut file = FileRecord {
            id: FileId::random(&entropy),
            name: "a.png".to_owned(),
            path: Some("a.png".to_owned()),
            content_type: "image/png".to_owned(),
            size: 1,
            hash: Hash::of(b"a"),
            dimensions: None,
        };
        let text = ReusableRecord {
            id: ReusableContentId::random(&entropy),
            title: "T".to_owned(),
            path: Some("t.md".to_owned()),
            body: None,
            computed: None,
        };
        let content = put_file(&empty, &mut staging, &file).unwrap();
        let content = put_reusable(&content, &mut staging, &text).unwrap();
        file.path = Some("b.png".to_owned());
        let content = put_file(&content, &mut staging, &file).unwrap();
        let at = |content: &Content, path: &str| content.at_path(&staging, path).unwrap();
        assert_eq!(at(&content, "a.png"), None);
        assert_eq!(at(&content, "b.png"), Some(PathEntry::File(file.id)));
        assert_eq!(at(&content, "t.md"), Some(PathEntry::Reusable(text.id)));
        assert_eq!(content.file(&staging, file.id).unwrap().as_ref(), Some(&file));

        // A path that another item took over stays with that item.
        let mut other = file.clone();
        other.id = FileId::random(&entropy);
        let content = put_file(&content, &mut staging, &other).unwrap();
        let (content, gone) = delete_file(&content, &mut staging, file.id).unwrap();
        assert_eq!(gone, Some(file.clone()));
        assert_eq!(content.at_path(&staging, "b.png").unwrap(), Some(PathEntry::File(other.id)));
        let (content, _) = delete_file(&content, &mut staging, other.id).unwrap();
        let (content, gone) = delete_reusable(&content, &mut staging, text.id).unwrap();
        assert_eq!(gone, Some(text));
        assert_eq!(content, empty);
        assert_eq!(delete_file(&content, &mut staging, file.id).unwrap(), (content, None));
    }

    #[test]
    fn variables_are_set_and_deleted() {
        let mut content = Content::empty(Salt::new([1; 16]));
        set_variable(&mut content, "a", Some(Variable::Boolean(true)));
        assert_eq!(content.variables.get("a"), Some(&Variable::Boolean(true)));
        set_variable(&mut content, "a", None);
        assert!(content.variables.is_empty());
    }
}
