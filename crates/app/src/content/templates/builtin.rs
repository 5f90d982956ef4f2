//! The templates that are embedded in the binary as folders of Markdown.

use bindery_git::import::{self, ImportContext, ImportOptions};
use bindery_model::{Error, Result};
use bindery_revision::{Content, MemoryObjects};
use include_dir::{Dir, include_dir};

use super::TemplateSummary;
use crate::Context;
use crate::content::embedded::Embedded;

static TEMPLATES: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/templates");

/// A placeholder in a template.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Param {
    /// The name.
    pub name: &'static str,
    /// The purpose.
    pub description: &'static str,
}

/// A template that is embedded in the binary.
pub(super) struct Builtin {
    /// The id, which is the name of its folder.
    pub(super) id: &'static str,
    title: &'static str,
    description: &'static str,
    params: &'static [Param],
}

/// All embedded templates.
pub(super) const ALL: [Builtin; 6] = [
    Builtin {
        id: "product-guide",
        title: "Product guide",
        description: "A first look, the set-up, tasks one by one, and what to do when something fails.",
        params: &[Param { name: "support", description: "Where readers find help." }],
    },
    Builtin {
        id: "api-guide",
        title: "API guide",
        description: "A first request, how to sign in, errors, limits, and the reference.",
        params: &[Param {
            name: "openapi",
            description: "The OpenAPI specification, as a file or an address.",
        }],
    },
    Builtin {
        id: "knowledge-base",
        title: "Knowledge base",
        description: "Answers to frequent questions, by topic.",
        params: &[Param { name: "support", description: "Where readers find help." }],
    },
    Builtin {
        id: "changelog",
        title: "Changelog",
        description: "What is new, release by release.",
        params: &[],
    },
    Builtin {
        id: "handbook",
        title: "Handbook",
        description: "How a team works: people, habits, decisions.",
        params: &[],
    },
    Builtin { id: "blank", title: "Blank", description: "One empty page.", params: &[] },
];

impl Builtin {
    pub(super) fn listed(&self) -> TemplateSummary {
        let Self { id, title, description, params } = *self;
        TemplateSummary {
            id: id.to_owned(),
            title: title.to_owned(),
            description: description.to_owned(),
            params: params.to_vec(),
            space: None,
        }
    }

    /// Returns its content and the objects of that content.
    pub(super) fn content(&self, cx: &Context<'_>) -> Result<(Content, MemoryObjects)> {
        let broken = |why: &dyn std::fmt::Display| {
            Error::internal(format!("the template {} cannot be read: {why}", self.id))
        };
        let dir = TEMPLATES.get_dir(self.id).ok_or_else(|| broken(&"it is not there"))?;
        let none = MemoryObjects::default();
        let mut objects = MemoryObjects::default();
        let mut sink = |batch| {
            objects.extend(batch);
            Ok(())
        };
        let context = ImportContext {
            now: cx.now(),
            entropy: &cx.app.entropy,
            progress: &|_| {},
            cancel: &bindery_outbound::CancellationToken::new(),
            large_files: None,
        };
        let folder = Embedded::new(dir, &[]);
        let options = ImportOptions::default();
        let imported = import::import(&folder, &options, None, &none, &mut sink, &context)
            .map_err(|error| broken(&error))?;
        if let Some(warning) = imported.warnings.first() {
            return Err(broken(&warning.message));
        }
        Ok((imported.content, objects))
    }
}
