//! Named values of the installation.

use crate::record::FromRow;
use crate::{StoreError, Tx, params};

impl Tx<'_> {
    /// Returns a value, if it is set.
    ///
    /// # Errors
    /// Returns the error of the engine.
    pub fn meta(&self, key: &str) -> Result<Option<Vec<u8>>, StoreError> {
        self.query_opt("SELECT value FROM meta WHERE key = $1", params![key], FromRow::from_row)
    }

    /// Sets a value.
    ///
    /// # Errors
    /// Returns the error of the engine.
    pub fn set_meta(&self, key: &str, value: &[u8]) -> Result<(), StoreError> {
        self.execute(
            "INSERT INTO meta (key, value) VALUES ($1, $2)
             ON CONFLICT (key) DO UPDATE SET value = excluded.value",
            params![key, value],
        )?;
        Ok(())
    }

    /// Returns a secret of this installation. Creates it on the first call.
    ///
    /// # Errors
    /// Returns the error of the engine.
    pub fn secret(&self, key: &str) -> Result<[u8; 32], StoreError> {
        let fresh = self.entropy().bytes::<32>();
        self.execute(
            "INSERT INTO meta (key, value) VALUES ($1, $2) ON CONFLICT (key) DO NOTHING",
            params![key, &fresh],
        )?;
        self.query_one("SELECT value FROM meta WHERE key = $1", params![key], FromRow::from_row)
    }
}
