//! The interface for merging documents, and its simplest implementation.

use super::conflict::Sides;
use crate::object::{Hash, ObjectError, Staging};

/// Merges document objects, whose encoding this crate does not know.
pub trait MergeBodies {
    /// Merges two documents that differ from each other and from their base, if there is one. The
    /// result depends only on the documents.
    ///
    /// # Errors
    /// Returns an error if an object cannot be read.
    fn merge(
        &mut self,
        staging: &mut Staging<'_>,
        base: Option<Hash>,
        ours: Hash,
        theirs: Hash,
    ) -> Result<MergedBody, ObjectError>;

    /// Returns the document with the part in conflict replaced by `choice`; `None` if the chosen
    /// side does not have the part.
    ///
    /// # Errors
    /// Returns an error if an object cannot be read.
    fn choose(
        &mut self,
        staging: &mut Staging<'_>,
        body: Hash,
        part: &str,
        choice: Option<Hash>,
    ) -> Result<Option<Hash>, ObjectError>;

    /// Returns `true` if a part differs between `before` and `after`, which are different
    /// documents.
    ///
    /// # Errors
    /// Returns an error if an object cannot be read.
    fn differs(
        &mut self,
        staging: &mut Staging<'_>,
        before: Hash,
        after: Hash,
        part: &str,
    ) -> Result<bool, ObjectError>;
}

/// A merged document.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MergedBody {
    /// The object of the document, which has our version of each part in conflict.
    pub body: Hash,
    /// The parts that both sides changed differently.
    pub conflicts: Vec<PartConflict>,
}

/// A part of a document that both sides changed differently.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PartConflict {
    /// The name of the part, chosen by the implementation. It is the same in later merges of the
    /// document.
    pub part: String,
    /// The objects of the part on each side.
    pub sides: Sides<Hash>,
}

/// Treats a document as a single part with an empty name: a change by one side is taken, and
/// changes by both sides are a conflict.
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
