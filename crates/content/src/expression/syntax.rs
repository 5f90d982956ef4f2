//! The tree of an expression.

use super::value::{Text, Value};

/// A part of an expression, with the place where it begins.
#[derive(Debug, Clone)]
pub(super) struct Expr {
    pub(super) at: usize,
    pub(super) node: Node,
}

#[derive(Debug, Clone)]
pub(super) enum Node {
    Literal(Value),
    /// Texts and the expressions between them, one fewer.
    Template(Vec<Text>, Vec<Expr>),
    List(Vec<Expr>),
    Root(Root),
    Unknown(Box<str>),
    /// A parameter of a function around it, by how many are visible before it.
    Parameter(usize),
    /// In parentheses, which end chains of `?.` and keep `??` apart from `||`.
    Group(Box<Expr>),
    Unary(UnaryOp, Box<Expr>),
    Binary(BinaryOp, Box<(Expr, Expr)>),
    Logical(LogicalOp, Box<(Expr, Expr)>),
    Conditional(Box<(Expr, Expr, Expr)>),
    Member(Box<Member>),
    Call(Box<Call>),
}

/// The names that expressions see.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Root {
    Visitor,
    Space,
    Page,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum UnaryOp {
    Not,
    Minus,
    Plus,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BinaryOp {
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    Equal,
    NotEqual,
    StrictlyEqual,
    StrictlyUnequal,
    In,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LogicalOp {
    And,
    Or,
    Coalesce,
}

/// `object.key` or `object[key]`.
#[derive(Debug, Clone)]
pub(super) struct Member {
    pub(super) object: Expr,
    pub(super) key: Key,
    /// Whether `?.` stands in front of the key.
    pub(super) optional: bool,
}

#[derive(Debug, Clone)]
pub(super) enum Key {
    Name(Text),
    Computed(Expr),
}

/// `object.method(arguments)`.
#[derive(Debug, Clone)]
pub(super) struct Call {
    pub(super) method: Member,
    /// Whether `?.` stands in front of the parentheses.
    pub(super) optional: bool,
    pub(super) arguments: Vec<Argument>,
}

#[derive(Debug, Clone)]
pub(super) enum Argument {
    Value(Expr),
    Function(Function),
}

/// An arrow function whose body is an expression.
#[derive(Debug, Clone)]
pub(super) struct Function {
    pub(super) parameters: usize,
    pub(super) body: Expr,
}
