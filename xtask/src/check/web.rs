//! The check `web`: the built files of the application are those of its sources.

use super::Outcome;
use anyhow::Result;

pub(super) fn run() -> Result<Outcome> {
    Ok(match crate::web::stale()? {
        Some(complaints) => Outcome::of(complaints),
        None => Outcome::Warned(vec!["left out: install Node.js with npm".to_owned()]),
    })
}
