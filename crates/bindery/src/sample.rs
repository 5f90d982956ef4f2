//! The product's manual, embedded in the binary as the sample content of a first start.

use bindery_app::content::embedded::Embedded;
use include_dir::{Dir, include_dir};

static MANUAL: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/../../docs");

/// Folders that do not belong to the manual: for developers, or for the project's front page.
const EXCLUDED: [&str; 2] = ["decisions", "images"];

/// Returns the manual as a folder.
pub(crate) fn folder() -> Embedded {
    Embedded::new(&MANUAL, &EXCLUDED)
}
