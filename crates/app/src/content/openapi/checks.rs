//! Checks of the blocks for parts of specifications in change requests.

use std::collections::HashMap;

use bindery_content::Document;
use bindery_content::document::{Block, BlockKind, OpenApi, OpenApiPart, Visit};
use bindery_content::problems::{Problem, ProblemKind};
use bindery_content::reference::ContentRef;
use bindery_model::{OpenApiComparison, OrganizationId, Result, Timestamp};
use bindery_store::openapi;

use super::{ChangeLevel, CurrentSpecs, StoredChange, VersionChanges};
use crate::Context;
use crate::content::snapshot::broken_object;

/// Maximum number of versions whose changes are looked at.
const MAX_VERSIONS: u32 = 20;
/// Maximum number of breaking changes that are listed for a block.
const MAX_CHANGES: usize = 5;

/// Checks blocks against the specifications of an organization.
pub(crate) struct BlockChecks<'c> {
    cx: &'c Context<'c>,
    organization: OrganizationId,
    /// The time since which breaking changes matter.
    since: Timestamp,
    specs: Option<CurrentSpecs>,
    /// The breaking changes since then, by the slugs of specifications.
    breaking: HashMap<String, Vec<StoredChange>>,
}

impl<'c> BlockChecks<'c> {
    pub(crate) fn new(cx: &'c Context<'c>, organization: OrganizationId, since: Timestamp) -> Self {
        Self { cx, organization, since, specs: None, breaking: HashMap::new() }
    }

    /// Returns what is wrong with the blocks of a document.
    ///
    /// # Errors
    /// Returns an error if the store fails.
    pub(crate) fn problems(&mut self, document: &Document) -> Result<Vec<Problem>> {
        let mut blocks = Blocks(Vec::new());
        document.walk(&mut blocks);
        let mut found = Vec::new();
        for (block, part) in blocks.0 {
            let ContentRef::OpenApi { spec } = &part.reference.target else { continue };
            let mut add = |kind, message: String| {
                let source = format!("{spec} {}", name_of(&part.part));
                found.push(Problem { kind, message, block: block.key, source });
            };
            let kind = ProblemKind::MissingApiPart;
            let objects = self.cx.tx.objects();
            if self.specs.is_none() {
                self.specs = Some(CurrentSpecs::of(self.cx.tx, self.organization)?);
            }
            match self.specs.as_ref().and_then(|specs| specs.named(spec)) {
                None => add(
                    kind,
                    format!("The specification {spec:?} does not exist or was never read."),
                ),
                Some(pieces) => {
                    let missing = pieces.missing(&objects, &part.part).map_err(broken_object)?;
                    for name in missing {
                        add(kind, format!("The specification {spec:?} has no {name}."));
                    }
                }
            }
            for change in
                self.breaking(spec)?.iter().filter(|one| is_of(one, &part.part)).take(MAX_CHANGES)
            {
                let text = format!(
                    "The API changed after this change request began, in a way that breaks \
                     programs: {}",
                    change.text
                );
                add(ProblemKind::BreakingApiChange, text);
            }
        }
        Ok(found)
    }

    fn breaking(&mut self, slug: &str) -> Result<&[StoredChange]> {
        if !self.breaking.contains_key(slug) {
            let tx = self.cx.tx;
            let mut all = Vec::new();
            if let Some(spec) = openapi::get_by_slug(tx, self.organization, slug)? {
                for version in openapi::list_versions(tx, spec.id, None, MAX_VERSIONS)? {
                    let is_recent = version.created_at > self.since;
                    let is_compared = version.comparison == OpenApiComparison::Complete;
                    if is_recent && is_compared && version.breaking > 0 {
                        let changes = VersionChanges::of(tx, version)?.changes;
                        let changes = changes.into_iter();
                        all.extend(changes.filter(|one| one.level == ChangeLevel::Breaking));
                    }
                }
            }
            self.breaking.insert(slug.to_owned(), all);
        }
        Ok(self.breaking.get(slug).map(Vec::as_slice).unwrap_or_default())
    }
}

/// The blocks for parts of specifications, in order.
struct Blocks<'d>(Vec<(&'d Block, &'d OpenApi)>);

impl<'d> Visit<'d> for Blocks<'d> {
    fn block(&mut self, block: &'d Block) {
        if let BlockKind::OpenApi(part) = &block.kind {
            self.0.push((block, part));
        }
    }
}

fn name_of(part: &OpenApiPart) -> String {
    match part {
        OpenApiPart::Operation { path, method } | OpenApiPart::Swagger { path, method, .. } => {
            format!("{method} {path}")
        }
        OpenApiPart::Webhook { name, method } => format!("{method} {name}"),
        OpenApiPart::Schemas { schemas, .. } => schemas.join(", "),
    }
}

/// Returns `true` if a change is one of the operation or the webhook that a block shows.
fn is_of(change: &StoredChange, part: &OpenApiPart) -> bool {
    let StoredChange { method: own, path: place, .. } = change;
    match part {
        OpenApiPart::Operation { path, method } | OpenApiPart::Swagger { path, method, .. } => {
            own == method && place == path
        }
        OpenApiPart::Webhook { name, method } => {
            own == method && place.strip_prefix("webhook:") == Some(name)
        }
        OpenApiPart::Schemas { .. } => false,
    }
}
