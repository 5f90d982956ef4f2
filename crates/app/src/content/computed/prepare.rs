//! Makes computed pages before the transaction that shows them, so that other writers need not wait
//! for a large specification.

use std::collections::BTreeSet;

use bindery_model::SpaceId;
use bindery_revision::{Hash, Record as _, Revision, Staging};
use bindery_store::computed_contents::ComputedContent;
use bindery_store::openapi::{OpenApiSpec, OpenApiVersion};
use bindery_store::{PreparedObject, Store, StoreError, Tx, computed_contents, spaces};
use tokio::runtime::Handle;

use super::specifications::Specifications;
use super::{corrupt, expand, finish, heads};

/// Contents with computed pages whose objects are stored, but which nobody sees yet.
#[derive(Clone, Debug, Default)]
pub(crate) struct Prepared(Vec<ComputedContent>);

impl Prepared {
    /// Returns `true` if there is no content.
    pub(crate) const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Shows the contents. Returns their spaces.
    pub(super) fn set(&self, tx: &Tx<'_>) -> Result<BTreeSet<SpaceId>, StoreError> {
        let mut changed = BTreeSet::new();
        for content in &self.0 {
            if spaces::get(tx, content.space)?.is_some() {
                computed_contents::set(tx, content)?;
                changed.insert(content.space);
            }
        }
        Ok(changed)
    }
}

/// Makes the contents of all spaces of an organization that will be seen when a specification has
/// another version. Called on a thread for blocking work.
///
/// # Errors
/// Returns an error if the store fails.
pub(crate) fn prepare(
    store: &Store,
    spec: &OpenApiSpec,
    version: &OpenApiVersion,
) -> Result<Prepared, StoreError> {
    let organization = spec.organization;
    let mut prepared = Vec::new();
    for space in store.read_sync(|tx| computed_contents::spaces(tx, organization))? {
        for object in store.read_sync(|tx| heads(tx, space))? {
            let made = store.read_sync(|tx| {
                let with = Some((spec, version));
                make(&Specifications { tx, organization, with }, space, object)
            });
            if let Some((content, objects)) = made? {
                Handle::current().block_on(store.put_objects(objects))?;
                prepared.push(content);
            }
        }
    }
    Ok(Prepared(prepared))
}

/// Returns the content that is seen for a revision, with its new objects; `None` if the one that is
/// stored is right.
fn make(
    specs: &Specifications<'_>,
    space: SpaceId,
    object: Hash,
) -> Result<Option<(ComputedContent, Vec<PreparedObject>)>, StoreError> {
    let tx = specs.tx;
    let revision = Revision::decode(&tx.object(&object)?).map_err(corrupt)?;
    let base = tx.objects();
    let mut staging = Staging::new(&base);
    let basis = expand::basis(&revision.content, &staging, specs)?;
    if computed_contents::get(tx, &object)?.is_some_and(|stored| stored.basis == basis) {
        return Ok(None);
    }
    let content = expand::expand(&revision.content, &mut staging, specs)?;
    let (shown, objects) = finish(&revision, content, staging)?;
    let objects = objects.into_iter();
    let objects = objects.map(|(hash, bytes)| PreparedObject::with_hash(hash, bytes)).collect();
    Ok(Some((ComputedContent { object, space, basis, shown }, objects)))
}
