//! A change request as a target of access decisions. Access to its space determines access to it.

use bindery_model::{ChangeRequestId, Result, SpaceId};
use bindery_store::Tx;
use bindery_store::change_requests::{self, ChangeRequest};
use bindery_store::spaces::Space;

use crate::access::{Loaded, Person, Target, TargetKind};

/// A change request and its space.
#[derive(Clone, Debug)]
pub struct ChangeRequestTarget {
    /// The space.
    pub space: Space,
    /// The change request.
    pub change_request: ChangeRequest,
}

/// The key of a change request within its space.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ChangeRequestKey {
    /// Its id.
    Id(ChangeRequestId),
    /// Its number.
    Number(i64),
}

impl ChangeRequestKey {
    /// Parses an id or a number; returns `None` for any other text.
    pub fn parse(text: &str) -> Option<Self> {
        if let Some(id) = ChangeRequestId::parse(text) {
            return Some(Self::Id(id));
        }
        let is_number = !text.starts_with('0') && text.bytes().all(|byte| byte.is_ascii_digit());
        text.parse().ok().filter(|_| is_number).map(Self::Number)
    }
}

impl Target for ChangeRequestTarget {
    const KIND: TargetKind = TargetKind::ChangeRequest;
    type Key = (SpaceId, ChangeRequestKey);

    fn is_deleted(&self) -> bool {
        self.space.deleted_at.is_some()
    }

    fn load(
        tx: &Tx<'_>,
        person: Option<&Person>,
        (space, key): &Self::Key,
    ) -> Result<Option<Loaded<Self>>> {
        let Some(Loaded { target: space, role }) = Space::load(tx, person, space)? else {
            return Ok(None);
        };
        let found = match key {
            ChangeRequestKey::Id(id) => change_requests::get(tx, space.id, *id)?,
            ChangeRequestKey::Number(number) => {
                change_requests::get_by_number(tx, space.id, *number)?
            }
        };
        Ok(found.map(|change_request| Loaded { target: Self { space, change_request }, role }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_an_id_or_a_number() {
        for (text, expect) in [
            ("12", Some(ChangeRequestKey::Number(12))),
            ("0", None),
            ("012", None),
            ("-1", None),
            ("+1", None),
            ("1.0", None),
            ("", None),
            ("99999999999999999999999", None),
            ("abc", None),
        ] {
            assert_eq!(ChangeRequestKey::parse(text), expect, "{text}");
        }
        let id = "AAAAAAAAAAAAAAAAAAAA";
        assert_eq!(
            ChangeRequestKey::parse(id),
            ChangeRequestId::parse(id).map(ChangeRequestKey::Id)
        );
    }
}
