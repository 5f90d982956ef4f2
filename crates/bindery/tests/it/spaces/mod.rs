//! Spaces: settings, languages, templates, copies and deletion.

mod deletion;
mod languages;
mod settings;
mod templates;
