//! Reads stored descriptions for published pages.

use bindery_model::{EmbedPictureId, OrganizationId, Result, SpaceId};
use bindery_revision::Hash;
use bindery_store::Tx;
use bindery_store::embeds;
pub use bindery_store::embeds::{EmbedDescription, EmbedPicture};

/// Maximum number of addresses that one statement reads.
const READ_AT_ONCE: usize = 100;

/// The addresses with a description that a space uses, at one moment.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct DescribedEmbeds {
    /// Equal numbers of one space mean equal addresses.
    changes: i64,
    /// The addresses in order, each with the version of its description.
    addresses: Box<[(Hash, i64)]>,
}

impl DescribedEmbeds {
    /// Returns `true` if the address has a description.
    pub fn contains(&self, address: &Hash) -> bool {
        self.addresses.binary_search_by(|(known, _)| known.cmp(address)).is_ok()
    }

    /// Returns `true` if no address has a description.
    pub fn is_empty(&self) -> bool {
        self.addresses.is_empty()
    }

    /// Returns the addresses whose description differs between two moments.
    pub fn differences<'a>(&'a self, other: &'a Self) -> impl Iterator<Item = &'a Hash> {
        let differs = |one: &'a Self, other: &'a Self| {
            let is_new = |entry: &&(Hash, i64)| other.addresses.binary_search(entry).is_err();
            one.addresses.iter().filter(is_new).map(|(address, _)| address)
        };
        let is_same = self.changes == other.changes;
        differs(self, other).chain(differs(other, self)).filter(move |_| !is_same)
    }
}

/// Returns the addresses with a description that a space uses. If nothing has changed since
/// `previous`, this costs one look-up.
///
/// # Errors
/// Returns an error if the store fails.
pub fn described(
    tx: &Tx<'_>,
    space: SpaceId,
    previous: Option<&DescribedEmbeds>,
) -> Result<DescribedEmbeds> {
    let changes = embeds::scan(tx, space)?.changes;
    if let Some(previous) = previous.filter(|previous| previous.changes == changes) {
        return Ok(previous.clone());
    }
    let addresses = embeds::list_described(tx, space)?.into();
    Ok(DescribedEmbeds { changes, addresses })
}

/// Returns the descriptions of these addresses, in no particular order.
///
/// # Errors
/// Returns an error if the store fails.
pub fn descriptions(
    tx: &Tx<'_>,
    organization: OrganizationId,
    addresses: &[Hash],
) -> Result<Vec<EmbedDescription>> {
    let mut found = Vec::with_capacity(addresses.len());
    for part in addresses.chunks(READ_AT_ONCE) {
        found.extend(embeds::descriptions(tx, organization, part)?);
    }
    Ok(found)
}

/// Returns the picture of an address that a space uses.
///
/// # Errors
/// Returns an error if the store fails.
pub fn picture(tx: &Tx<'_>, space: SpaceId, id: EmbedPictureId) -> Result<Option<EmbedPicture>> {
    Ok(embeds::picture_in(tx, space, id)?)
}
