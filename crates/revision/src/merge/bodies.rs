//! Texts that both sides changed: who merges them, and the plainest way.

use super::conflict::Sides;
use crate::object::{Hash, ObjectError, Staging};

/// Merges objects of texts, which this crate does not look into.
pub trait MergeBodies {
    /// Merges two texts that differ from each other and from what they began with, if that is
    /// known. What it gives depends on the texts alone.
    ///
    /// # Errors
    /// When an object cannot be read.
    fn merge(
        &mut self,
        staging: &mut Staging<'_>,
        base: Option<Hash>,
        ours: Hash,
        theirs: Hash,
    ) -> Result<MergedBody, ObjectError>;

    /// The text in which a part that was in conflict is what `choice` says; `None` if the side
    /// that was chosen does not have the part.
    ///
    /// # Errors
    /// When an object cannot be read.
    fn choose(
        &mut self,
        staging: &mut Staging<'_>,
        body: Hash,
        part: &str,
        choice: Option<Hash>,
    ) -> Result<Option<Hash>, ObjectError>;

    /// Whether a part says something else in `after` than in `before`, two texts that differ.
    ///
    /// # Errors
    /// When an object cannot be read.
    fn differs(
        &mut self,
        staging: &mut Staging<'_>,
        before: Hash,
        after: Hash,
        part: &str,
    ) -> Result<bool, ObjectError>;
}

/// A merged text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MergedBody {
    /// Its object. Where the sides conflict it has ours.
    pub body: Hash,
    /// Parts that both sides changed differently.
    pub conflicts: Vec<PartConflict>,
}

/// A part of a text that both sides changed differently.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PartConflict {
    /// Which part it is, in words of who merges; the same in later merges of the text.
    pub part: String,
    /// Objects of the part as each side has it.
    pub sides: Sides<Hash>,
}

/// Takes a text as one part, named with the empty text: whoever changed it alone has their way,
/// and two changes are a conflict.
#[derive(Clone, Copy, Debug, Default)]
pub struct WholeBodies;

impl MergeBodies for WholeBodies {
    fn merge(
        &mut self,
        _: &mut Staging<'_>,
        base: Option<Hash>,
        ours: Hash,
        theirs: Hash,
    ) -> Result<MergedBody, ObjectError> {
        let sides = Sides { base, ours: Some(ours), theirs: Some(theirs) };
        let conflict = PartConflict { part: String::new(), sides };
        Ok(MergedBody { body: ours, conflicts: vec![conflict] })
    }

    fn choose(
        &mut self,
        _: &mut Staging<'_>,
        _: Hash,
        _: &str,
        choice: Option<Hash>,
    ) -> Result<Option<Hash>, ObjectError> {
        Ok(choice)
    }

    fn differs(
        &mut self,
        _: &mut Staging<'_>,
        before: Hash,
        after: Hash,
        _: &str,
    ) -> Result<bool, ObjectError> {
        Ok(before != after)
    }
}
