//! A configuration file that tests change between two starts of the server.

use std::path::PathBuf;

use bindery_testkit::Installation;

use crate::support::TestEnv;

/// A folder with a configuration file that can be changed while the server is stopped.
pub(crate) struct Configured(tempfile::TempDir);

impl Configured {
    pub(crate) fn new(text: &str) -> Self {
        let configured = Self(tempfile::tempdir().unwrap());
        configured.write(text);
        configured
    }

    fn path(&self) -> PathBuf {
        self.0.path().join("bindery.toml")
    }

    /// Returns a function that makes servers read the file.
    pub(crate) fn apply(&self) -> impl Fn(Installation) -> Installation + use<> {
        let path = self.path();
        move |installation| installation.argument("--config").argument(&path)
    }

    pub(crate) fn write(&self, text: &str) {
        std::fs::write(self.path(), text).unwrap();
    }

    /// Restarts the server with this configuration.
    pub(crate) async fn restart(&self, env: &mut TestEnv, text: &str) {
        self.write(text);
        env.with_store(async |_store| ()).await;
    }
}
