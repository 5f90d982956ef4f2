//! Spaces: settings, templates, copies and deletion.

pub(crate) mod deletion;
pub(crate) mod settings;
pub(crate) mod templates;
