//! Spaces: settings, templates, copies and deletion.

mod deletion;
mod settings;
mod templates;
