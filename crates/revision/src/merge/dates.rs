//! The dates of the pages that a merge changes.

use bindery_model::Timestamp;
use bytes::Bytes;

use crate::content::Content;
use crate::map::Edit;
use crate::object::{ObjectError, Staging};
use crate::record::{PageRecord, Record};

/// Returns the content in which the pages that differ from `before` have changed at `now`. A moved
/// page keeps its date. The cost depends on the number of differences.
///
/// # Errors
/// Returns an error if an object cannot be read.
pub fn date_changes(
    content: &Content,
    before: &Content,
    staging: &mut Staging<'_>,
    now: Timestamp,
) -> Result<Content, ObjectError> {
    let mut edits: Vec<Edit> = Vec::new();
    for difference in before.pages.diff(&content.pages, staging) {
        let difference = difference?;
        let Some(new) = difference.new else { continue };
        let mut page = PageRecord::decode(&new)?;
        let old = difference.old.map(|old| PageRecord::decode(&old)).transpose()?;
        if old.is_none_or(|old| !old.differing(&page).is_empty()) && page.updated_at != now {
            page.updated_at = now;
            edits.push((Bytes::copy_from_slice(page.id.as_bytes()), Some(page.encode()?)));
        }
    }
    Ok(Content { pages: content.pages.apply(staging, edits)?, ..content.clone() })
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{Fixture, page};
    use super::*;

    #[test]
    fn changed_and_new_pages_have_the_date_of_the_merge() {
        let mut fixture = Fixture::default();
        let base = fixture.tree("a b c");
        let theirs = fixture.edit(&base, "title a 1; add d under c; move b under c");
        let now = Timestamp::from_millis(1_000_000);
        let dated =
            fixture.with_staging(|staging| date_changes(&theirs, &base, staging, now).unwrap());
        let date = |content: &Content, name: &str| {
            let found = content.page(&fixture.objects, page(name)).unwrap();
            found.map(|page| page.updated_at)
        };
        for (name, expected) in
            [("a", Some(now)), ("b", date(&base, "b")), ("c", date(&base, "c")), ("d", Some(now))]
        {
            assert_eq!(date(&dated, name), expected, "{name}");
        }
        let again =
            fixture.with_staging(|staging| date_changes(&dated, &theirs, staging, now).unwrap());
        assert_eq!(again, dated);
    }
}
