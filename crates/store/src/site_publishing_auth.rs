//! The settings by which visitors sign in to a site.

use bindery_model::{SiteId, VisitorAuthBackend};

use crate::record::{FromRow, Insert, Record, insert, record, sql};
use crate::{StoreError, Tx};

record! {
    /// The visitor authentication of a site as stored.
    #[derive(Clone, PartialEq, Eq, Debug)]
    pub struct SitePublishingAuth in site_publishing_auth as a, insert {
        /// The site.
        pub site: SiteId,
        /// The service that signs visitors in.
        pub backend: VisitorAuthBackend,
        /// The address that visitors without a token are sent to.
        pub fallback_url: Option<String>,
        /// The key that signs the tokens of visitors, encrypted; `None` for the first key, which is
        /// derived from the secrets of the server.
        pub sealed_key: Option<String>,
    }
}

/// Returns the stored settings of a site; `None` if they were never changed.
///
/// # Errors
/// Returns an error if the store fails.
pub fn get(tx: &Tx<'_>, site: SiteId) -> Result<Option<SitePublishingAuth>, StoreError> {
    tx.query_opt(
        sql!(SitePublishingAuth::SELECT, " WHERE a.site = $1"),
        &[site.into()],
        SitePublishingAuth::from_row,
    )
}

/// Stores the settings of a site.
///
/// # Errors
/// Returns an error if the store fails.
pub fn set(tx: &Tx<'_>, auth: &SitePublishingAuth) -> Result<(), StoreError> {
    let sql = sql!(
        insert!(SitePublishingAuth),
        " ON CONFLICT (site) DO UPDATE SET backend = excluded.backend, \
         fallback_url = excluded.fallback_url, sealed_key = excluded.sealed_key"
    );
    tx.execute(sql, &auth.values())?;
    Ok(())
}
