//! Errors of steps.

/// The reason why a step cannot be applied.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// A position is outside of the document.
    #[error("there is no position {0} in the document")]
    Position(usize),
    /// A position is between the two halves of a character.
    #[error("position {0} is inside of a character")]
    InsideCharacter(usize),
    /// The sides of the inserted content do not fit the place.
    #[error("the content does not fit the place where it is inserted")]
    Fit,
    /// A node has children that its type does not permit.
    #[error("a node of the type {0} cannot have these children")]
    Content(&'static str),
    /// Two nodes of different kinds would become one.
    #[error("a node of the type {0} cannot go on as one of the type {1}")]
    Join(&'static str, &'static str),
    /// A step that only moves boundaries of nodes would remove content.
    #[error("the step would remove content that it does not know")]
    Overwrite,
    /// The kept range of a step begins or ends inside of a node.
    #[error("the kept range is not a whole number of nodes")]
    Gap,
    /// There is no node at a position.
    #[error("there is no node at position {0}")]
    NoNode(usize),
    /// A document or a step is too large.
    #[error("the limit of {0} is exceeded")]
    Limit(&'static str),
    /// The JSON of a node, a mark or a step is not valid.
    #[error("{0}")]
    Json(String),
}

/// The result of applying a step.
pub type Result<T, E = Error> = std::result::Result<T, E>;
