//! The parts of a specification that blocks can show.

use bindery_model::Result;
use bindery_openapi::{Operation, Outline};
use bindery_store::organizations::Organization;

use super::{Pieces, latest};
use crate::Context;
use crate::access::Authorized;
use crate::content::snapshot::broken_object;

/// A part of a specification.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SpecPart {
    /// An operation of a path.
    Operation {
        /// The operation.
        operation: SpecOperation,
        /// The title of its tag.
        tag: String,
    },
    /// A webhook, with its name in place of the path.
    Webhook(SpecOperation),
    /// A model, by its name.
    Model(String),
}

/// An operation or a webhook.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SpecOperation {
    /// The path.
    pub path: String,
    /// The method.
    pub method: String,
    /// The id; empty if there is none.
    pub id: String,
    /// The title.
    pub title: String,
    /// `true` if it should not be used any more.
    pub is_deprecated: bool,
}

impl SpecOperation {
    fn of(operation: Operation) -> Self {
        let Operation { path, method, id, title, is_deprecated, stability: _ } = operation;
        Self { path, method, id, title, is_deprecated }
    }
}

/// Returns the parts of the version of a specification that was read last.
///
/// # Errors
/// Returns 403 for guests, and 404 if there is no such specification, or if it was never read.
pub fn parts(
    cx: &Context<'_>,
    organization: &Authorized<Organization>,
    slug: &str,
) -> Result<Vec<SpecPart>> {
    let (_, version) = latest(cx, organization, slug)?;
    let pieces = Pieces::of(&version).map_err(broken_object)?;
    let outline = pieces.outline(&cx.tx.objects()).map_err(broken_object)?;
    let Outline { tags, groups: _, webhooks, models } = outline;
    let operations = tags.into_iter().flat_map(|tag| {
        let operations = tag.operations.into_iter().map(SpecOperation::of);
        operations.map(move |operation| SpecPart::Operation { operation, tag: tag.title.clone() })
    });
    let webhooks = webhooks.into_iter().map(|one| SpecPart::Webhook(SpecOperation::of(one)));
    let models = models.into_iter().map(SpecPart::Model);
    Ok(operations.chain(webhooks).chain(models).collect())
}
