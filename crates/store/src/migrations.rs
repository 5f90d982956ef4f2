//! Schema migrations: numbered files that are applied once each, in order.

use crate::record::FromRow;
use crate::{StoreError, Tx, params};

/// The migrations. Each file is one version, counted from 1. Released statements never change.
const FILES: &[&str] = &[
    include_str!("../migrations/0001_infrastructure.sql"),
    include_str!("../migrations/0002_main_job.sql"),
    include_str!("../migrations/0003_change_requests.sql"),
    include_str!("../migrations/0004_space_references.sql"),
    include_str!("../migrations/0005_access.sql"),
    include_str!("../migrations/0006_people.sql"),
    include_str!("../migrations/0007_audit_events.sql"),
    include_str!("../migrations/0008_link_indexes.sql"),
    include_str!("../migrations/0009_sign_in.sql"),
    include_str!("../migrations/0010_credential_lineage.sql"),
    include_str!("../migrations/0011_space_moves.sql"),
    include_str!("../migrations/0012_git_imports.sql"),
    include_str!("../migrations/0013_known_networks.sql"),
    include_str!("../migrations/0014_session_events.sql"),
    include_str!("../migrations/0015_site_structure.sql"),
    include_str!("../migrations/0016_site_redirects.sql"),
    include_str!("../migrations/0017_site_audience.sql"),
    include_str!("../migrations/0018_site_customizations.sql"),
    include_str!("../migrations/0019_site_adaptive_schemas.sql"),
    include_str!("../migrations/0020_storage.sql"),
    include_str!("../migrations/0022_site_permissions.sql"),
    include_str!("../migrations/0023_site_addresses.sql"),
    include_str!("../migrations/0024_site_ads.sql"),
    include_str!("../migrations/0025_site_external_links.sql"),
    include_str!("../migrations/0026_page_feedback.sql"),
    include_str!("../migrations/0027_languages.sql"),
    include_str!("../migrations/0028_pdf_files.sql"),
    include_str!("../migrations/0029_link_indexes_of_similar_anchors.sql"),
    include_str!("../migrations/0030_embeds.sql"),
    include_str!("../migrations/0031_site_insights.sql"),
    include_str!("../migrations/0032_git_exports.sql"),
    include_str!("../migrations/0033_git_syncs.sql"),
    include_str!("../migrations/0034_import_change_requests.sql"),
    include_str!("../migrations/0035_git_sync_keys.sql"),
    include_str!("../migrations/0036_revisions_by_object.sql"),
    include_str!("../migrations/0037_link_indexes_of_titles.sql"),
    include_str!("../migrations/0038_git_installations.sql"),
    include_str!("../migrations/0039_git_branches.sql"),
    include_str!("../migrations/0040_git_sync_dry_runs.sql"),
    include_str!("../migrations/0041_git_branch_drafts.sql"),
    include_str!("../migrations/0042_notifications.sql"),
    include_str!("../migrations/0043_site_images.sql"),
    include_str!("../migrations/0044_editing.sql"),
    include_str!("../migrations/0045_editing_of_main.sql"),
    include_str!("../migrations/0046_amended_revisions.sql"),
    include_str!("../migrations/0047_openapi.sql"),
    include_str!("../migrations/0048_openapi_changes.sql"),
];

/// The program's name and version, which the store records as its writer.
const PROGRAM: &str = concat!("Bindery ", env!("CARGO_PKG_VERSION"));

/// Creates the table that holds the schema version.
pub(crate) fn prepare(tx: &Tx<'_>) -> Result<(), StoreError> {
    tx.batch(
        "CREATE TABLE IF NOT EXISTS store_version (
            id BIGINT PRIMARY KEY, version BIGINT NOT NULL, written_by TEXT NOT NULL
         );
         INSERT INTO store_version (id, version, written_by) VALUES (1, 0, '')
         ON CONFLICT (id) DO NOTHING;",
    )
}

/// Applies the next migration, translated for the engine. Returns `false` if there is none.
pub(crate) fn step(
    tx: &Tx<'_>,
    translate: impl FnOnce(&str) -> String,
) -> Result<bool, StoreError> {
    // This update changes no value. It locks the row against other nodes until the commit.
    tx.execute("UPDATE store_version SET version = version WHERE id = 1", &[])?;
    let (found, written_by) = tx.query_one(
        "SELECT version, written_by FROM store_version WHERE id = 1",
        &[],
        <(i64, String)>::from_row,
    )?;
    let known = FILES.len() as i64;
    if found > known {
        let program = PROGRAM.to_owned();
        return Err(StoreError::Newer { found, known, written_by, program });
    }
    let Some(file) = usize::try_from(found).ok().and_then(|found| FILES.get(found)) else {
        return Ok(false);
    };
    tx.batch(&translate(file))?;
    tx.execute(
        "UPDATE store_version SET version = $1, written_by = $2 WHERE id = 1",
        params![found + 1, PROGRAM],
    )?;
    Ok(true)
}

/// Translates a migration to PostgreSQL. The files use SQLite's syntax: strict tables with the
/// types `INTEGER`, `TEXT` and `BLOB`, whose capitalised names have no other use there.
pub(crate) fn postgres(sql: &str, collate: &str) -> String {
    let sql = sql.replace(") STRICT, WITHOUT ROWID;", ");").replace(") STRICT;", ");");
    let text = format!("TEXT{collate}");
    let mut out = String::with_capacity(sql.len() * 2);
    let mut rest = sql.as_str();
    while let Some(first) = rest.chars().next() {
        let (token, kept) = if rest.starts_with("--") {
            (rest.find('\n').unwrap_or(rest.len()), true)
        } else if first == '\'' {
            (rest.get(1..).and_then(|r| r.find('\'')).map_or(rest.len(), |end| end + 2), true)
        } else if first.is_ascii_alphanumeric() || first == '_' {
            let word = |c: char| !(c.is_ascii_alphanumeric() || c == '_');
            (rest.find(word).unwrap_or(rest.len()), false)
        } else {
            (first.len_utf8(), true)
        };
        let (token, tail) = rest.split_at(token);
        out.push_str(match token {
            "INTEGER" if !kept => "BIGINT",
            "BLOB" if !kept => "BYTEA",
            "TEXT" if !kept => &text,
            other => other,
        });
        rest = tail;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_translated_and_nothing_else() {
        let check = |sqlite: &str, expect: &str| {
            assert_eq!(postgres(sqlite, " COLLATE \"C\""), expect, "{sqlite}");
        };
        check(
            "CREATE TABLE a (id TEXT PRIMARY KEY, n INTEGER, b BLOB) STRICT, WITHOUT ROWID;",
            "CREATE TABLE a (id TEXT COLLATE \"C\" PRIMARY KEY, n BIGINT, b BYTEA);",
        );
        check("CREATE TABLE a (b BLOB) STRICT;", "CREATE TABLE a (b BYTEA);");
        check("-- TEXT of a 'BLOB\nINSERT 'TEXT é'", "-- TEXT of a 'BLOB\nINSERT 'TEXT é'");
        check("a_TEXT TEXTS text", "a_TEXT TEXTS text");
    }
}
