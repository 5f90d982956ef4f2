//! The syntax tree of an expression.

use super::value::{Text, Value};

/// A node and the offset at which it begins.
#[derive(Debug, Clone)]
pub(super) struct Expr {
    pub(super) at: usize,
    pub(super) node: Node,
}

#[derive(Debug, Clone)]
pub(super) enum Node {
    Literal(Value),
    /// Texts and the expressions between them; there is one text more than expressions.
    Template(Vec<Text>, Vec<Expr>),
    List(Vec<Expr>),
    Global(Global),
    Unknown(Box<str>),
    /// A parameter of an enclosing function, by its index among the visible parameters.
    Parameter(usize),
    /// A parenthesized expression. Parentheses end a chain of `?.` and separate `??` from `||`.
    Group(Box<Expr>),
    Unary(UnaryOp, Box<Expr>),
    Binary(BinaryOp, Box<(Expr, Expr)>),
    Logical(LogicalOp, Box<(Expr, Expr)>),
    Conditional(Box<(Expr, Expr, Expr)>),
    Member(Box<Member>),
    Call(Box<Call>),
}

/// The global objects of expressions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Global {
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
    /// `true` if the key follows `?.`.
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
    /// `true` if the parentheses follow `?.`.
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
