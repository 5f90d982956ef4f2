//! The parser of expressions.

use super::error::SyntaxError;
use super::lexer::{Lexer, Token};
use super::syntax::{
    Argument, BinaryOp, Call, Expr, Function, Global, Key, LogicalOp, Member, Node, UnaryOp,
};
use super::value::Value;
use super::{DEPTH_LIMIT, LENGTH_LIMIT};

/// Reserved words of JavaScript.
const RESERVED: [&str; 47] = [
    "arguments",
    "await",
    "break",
    "case",
    "catch",
    "class",
    "const",
    "continue",
    "debugger",
    "default",
    "delete",
    "do",
    "else",
    "enum",
    "eval",
    "export",
    "extends",
    "false",
    "finally",
    "for",
    "function",
    "if",
    "implements",
    "import",
    "in",
    "instanceof",
    "interface",
    "let",
    "new",
    "null",
    "package",
    "private",
    "protected",
    "public",
    "return",
    "static",
    "super",
    "switch",
    "this",
    "throw",
    "true",
    "try",
    "typeof",
    "var",
    "void",
    "while",
    "with",
];
/// Operators of JavaScript that expressions do not support.
const UNSUPPORTED: [&str; 25] = [
    "=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", ">>>=", "**=", "&&=", "||=",
    "??=", "++", "--", "<<", ">>", ">>>", "**", "&", "|", "^",
];
const VALUE: &str = "a value: a literal, a name, `[`, `(`, `!`, `-` or `+`";

pub(super) struct Parsed {
    pub(super) root: Option<Expr>,
    pub(super) depends_on_visitor: bool,
    /// The first unknown name and its offset.
    pub(super) unknown_name: Option<(usize, Box<str>)>,
}

pub(super) fn parse(source: &str) -> Result<Parsed, SyntaxError> {
    let lexer = Lexer::new(source);
    if let Some((at, _)) = source.char_indices().nth(LENGTH_LIMIT) {
        let found = format!("more than {LENGTH_LIMIT} characters");
        return Err(lexer.error(at, found, "a shorter expression"));
    }
    let mut parser = Parser {
        lexer,
        token: Token::End,
        at: 0,
        after_line_end: false,
        parameters: Vec::new(),
        depth: 0,
        depends_on_visitor: false,
        unknown_name: None,
    };
    parser.advance()?;
    if parser.token == Token::End {
        return Ok(Parsed { root: None, depends_on_visitor: false, unknown_name: None });
    }
    let root = parser.expression()?;
    if parser.token != Token::End {
        return Err(parser.unexpected("an operator or the end"));
    }
    let Parser { depends_on_visitor, unknown_name, .. } = parser;
    Ok(Parsed { root: Some(root), depends_on_visitor, unknown_name })
}

struct Parser<'s> {
    lexer: Lexer<'s>,
    /// The current token and its offset.
    token: Token<'s>,
    at: usize,
    after_line_end: bool,
    /// The parameters of the enclosing functions.
    parameters: Vec<&'s str>,
    depth: usize,
    depends_on_visitor: bool,
    /// The first unknown name and its offset.
    unknown_name: Option<(usize, Box<str>)>,
}

/// A binary operator.
enum Operator {
    Binary(BinaryOp),
    Logical(LogicalOp),
}

impl<'s> Parser<'s> {
    fn advance(&mut self) -> Result<(), SyntaxError> {
        self.after_line_end = self.lexer.skip_space();
        self.at = self.lexer.at;
        self.token = self.lexer.token()?;
        Ok(())
    }

    fn is(&self, punctuator: &str) -> bool {
        matches!(self.token, Token::Punctuator(known) if known == punctuator)
    }

    fn accept(&mut self, punctuator: &str) -> Result<bool, SyntaxError> {
        let is = self.is(punctuator);
        if is {
            self.advance()?;
        }
        Ok(is)
    }

    fn require(&mut self, punctuator: &str) -> Result<(), SyntaxError> {
        if self.accept(punctuator)? {
            return Ok(());
        }
        Err(self.unexpected(&format!("`{punctuator}`")))
    }

    fn unexpected(&self, expected: &str) -> SyntaxError {
        let found = match &self.token {
            Token::End => "the end".to_owned(),
            Token::Number(_) => "a number".to_owned(),
            Token::Text(_) => "a string".to_owned(),
            Token::Name(name) if RESERVED.contains(name) => {
                format!("`{name}`, which expressions do not have")
            }
            Token::Name(name) => format!("`{name}`"),
            Token::Punctuator(known) if UNSUPPORTED.contains(known) => {
                format!("`{known}`, which expressions do not have")
            }
            Token::Punctuator(known) => format!("`{known}`"),
        };
        self.lexer.error(self.at, found, expected)
    }

    /// Runs `run` one nesting level deeper.
    fn nested<T>(
        &mut self,
        run: impl FnOnce(&mut Self) -> Result<T, SyntaxError>,
    ) -> Result<T, SyntaxError> {
        if self.depth >= DEPTH_LIMIT {
            let found = format!("more than {DEPTH_LIMIT} levels");
            return Err(self.lexer.error(self.at, found, "a flatter expression"));
        }
        self.depth += 1;
        let result = run(self);
        self.depth -= 1;
        result
    }

    fn expression(&mut self) -> Result<Expr, SyntaxError> {
        self.nested(|parser| {
            let at = parser.at;
            let condition = parser.binary(0)?;
            if !parser.accept("?")? {
                return Ok(condition);
            }
            let then = parser.expression()?;
            parser.require(":")?;
            let otherwise = parser.expression()?;
            Ok(Expr { at, node: Node::Conditional(Box::new((condition, then, otherwise))) })
        })
    }

    /// Returns the current operator and its precedence.
    fn operator(&self) -> Option<(Operator, u8)> {
        use BinaryOp as B;
        let binary = |operator, strength| Some((Operator::Binary(operator), strength));
        match &self.token {
            Token::Name("in") => binary(B::In, 5),
            Token::Punctuator(known) => match *known {
                "??" => Some((Operator::Logical(LogicalOp::Coalesce), 1)),
                "||" => Some((Operator::Logical(LogicalOp::Or), 2)),
                "&&" => Some((Operator::Logical(LogicalOp::And), 3)),
                "==" => binary(B::Equal, 4),
                "!=" => binary(B::NotEqual, 4),
                "===" => binary(B::StrictlyEqual, 4),
                "!==" => binary(B::StrictlyUnequal, 4),
                "<" => binary(B::Less, 5),
                "<=" => binary(B::LessOrEqual, 5),
                ">" => binary(B::Greater, 5),
                ">=" => binary(B::GreaterOrEqual, 5),
                "+" => binary(B::Add, 6),
                "-" => binary(B::Subtract, 6),
                "*" => binary(B::Multiply, 7),
                "/" => binary(B::Divide, 7),
                "%" => binary(B::Remainder, 7),
                _ => None,
            },
            _ => None,
        }
    }

    /// Parses operands joined by operators with a precedence above `least`.
    fn binary(&mut self, least: u8) -> Result<Expr, SyntaxError> {
        let at = self.at;
        let mut left = self.unary()?;
        while let Some((operator, strength)) = self.operator().filter(|(_, own)| *own > least) {
            let operator_at = self.at;
            self.advance()?;
            let right = self.binary(strength)?;
            let node = match operator {
                Operator::Binary(operator) => Node::Binary(operator, Box::new((left, right))),
                Operator::Logical(operator) => {
                    if mixes_coalesce(operator, &left) || mixes_coalesce(operator, &right) {
                        return Err(self.lexer.error(
                            operator_at,
                            "`??` beside `||` or `&&`".to_owned(),
                            "parentheses that tell which comes first",
                        ));
                    }
                    Node::Logical(operator, Box::new((left, right)))
                }
            };
            left = Expr { at, node };
        }
        Ok(left)
    }

    fn unary(&mut self) -> Result<Expr, SyntaxError> {
        let operator = match self.token {
            Token::Punctuator("!") => UnaryOp::Not,
            Token::Punctuator("-") => UnaryOp::Minus,
            Token::Punctuator("+") => UnaryOp::Plus,
            _ => return self.chain(),
        };
        let at = self.at;
        self.advance()?;
        let value = self.nested(Self::unary)?;
        Ok(Expr { at, node: Node::Unary(operator, Box::new(value)) })
    }

    /// Parses a value and the members and calls after it.
    fn chain(&mut self) -> Result<Expr, SyntaxError> {
        let at = self.at;
        let mut value = self.primary()?;
        loop {
            let part_at = self.at;
            let optional = self.is("?.");
            if self.is(".") || optional {
                self.advance()?;
                if !optional || !(self.is("[") || self.is("(")) {
                    let Token::Name(name) = self.token else {
                        return Err(self.unexpected("the name of a member"));
                    };
                    self.advance()?;
                    value = member(at, value, Key::Name(name.into()), optional);
                    continue;
                }
            }
            if self.is("[") {
                self.advance()?;
                let key = self.expression()?;
                self.require("]")?;
                value = member(at, value, Key::Computed(key), optional);
            } else if self.is("(") {
                let Node::Member(method) = value.node else {
                    let found = "a call of something else than a method".to_owned();
                    return Err(self.lexer.error(part_at, found, "`value.method(…)`"));
                };
                let arguments = self.arguments()?;
                let call = Call { method: *method, optional, arguments };
                value = Expr { at, node: Node::Call(Box::new(call)) };
            } else if self.is("`") {
                return Err(self.unexpected("an operator or the end"));
            } else {
                return Ok(value);
            }
        }
    }

    fn arguments(&mut self) -> Result<Vec<Argument>, SyntaxError> {
        self.advance()?;
        let mut arguments = Vec::new();
        while !self.is(")") {
            let argument = match self.function()? {
                Some(function) => Argument::Function(function),
                None => Argument::Value(self.expression()?),
            };
            arguments.push(argument);
            if !self.accept(",")? && !self.is(")") {
                return Err(self.unexpected("`,` or `)`"));
            }
        }
        self.advance()?;
        Ok(arguments)
    }

    /// Parses an arrow function, if there is one.
    fn function(&mut self) -> Result<Option<Function>, SyntaxError> {
        let before = (self.lexer, self.token.clone(), self.at, self.after_line_end);
        let Some(parameters) = self.parameters().unwrap_or_default() else {
            (self.lexer, self.token, self.at, self.after_line_end) = before;
            return Ok(None);
        };
        if self.is("{") {
            return Err(self.unexpected("an expression as the function's body"));
        }
        let outside = self.parameters.len();
        self.parameters.extend(&parameters);
        let body = self.expression()?;
        self.parameters.truncate(outside);
        Ok(Some(Function { parameters: parameters.len(), body }))
    }

    /// Parses the parameters of an arrow function and its arrow. Returns `None` or an error if
    /// there is no arrow function.
    fn parameters(&mut self) -> Result<Option<Vec<&'s str>>, SyntaxError> {
        let mut parameters = Vec::new();
        if let Token::Name(name) = self.token {
            parameters.push(name);
            self.advance()?;
        } else if self.accept("(")? {
            while let Token::Name(name) = self.token {
                parameters.push(name);
                self.advance()?;
                if !self.accept(",")? {
                    break;
                }
            }
            if !self.accept(")")? {
                return Ok(None);
            }
        }
        if !self.is("=>") || self.after_line_end {
            return Ok(None);
        }
        let repeats = (1..parameters.len())
            .any(|at| parameters.iter().take(at).any(|other| Some(other) == parameters.get(at)));
        if repeats || parameters.iter().any(|name| RESERVED.contains(name)) {
            return Ok(None);
        }
        self.advance()?;
        Ok(Some(parameters))
    }

    fn primary(&mut self) -> Result<Expr, SyntaxError> {
        let at = self.at;
        let node = match self.token.clone() {
            Token::Number(number) => self.literal(Value::Number(number))?,
            Token::Text(text) => self.literal(Value::Text(text))?,
            Token::Name(name) => self.name(name)?,
            Token::Punctuator("(") => {
                self.advance()?;
                let inner = self.expression()?;
                self.require(")")?;
                Node::Group(Box::new(inner))
            }
            Token::Punctuator("[") => {
                self.advance()?;
                let mut elements = Vec::new();
                while !self.is("]") {
                    elements.push(self.expression()?);
                    if !self.accept(",")? && !self.is("]") {
                        return Err(self.unexpected("`,` or `]`"));
                    }
                }
                self.advance()?;
                Node::List(elements)
            }
            Token::Punctuator("`") => self.template(at)?,
            Token::Punctuator(_) | Token::End => return Err(self.unexpected(VALUE)),
        };
        Ok(Expr { at, node })
    }

    fn literal(&mut self, value: Value) -> Result<Node, SyntaxError> {
        self.advance()?;
        Ok(Node::Literal(value))
    }

    fn name(&mut self, name: &'s str) -> Result<Node, SyntaxError> {
        if let Some(slot) = self.parameters.iter().rposition(|known| *known == name) {
            self.advance()?;
            return Ok(Node::Parameter(slot));
        }
        let node = match name {
            "true" => Node::Literal(Value::Bool(true)),
            "false" => Node::Literal(Value::Bool(false)),
            "null" => Node::Literal(Value::Null),
            "undefined" => Node::Literal(Value::Undefined),
            "NaN" => Node::Literal(Value::Number(f64::NAN)),
            "Infinity" => Node::Literal(Value::Number(f64::INFINITY)),
            "visitor" => {
                self.depends_on_visitor = true;
                Node::Global(Global::Visitor)
            }
            "space" => Node::Global(Global::Space),
            "page" => Node::Global(Global::Page),
            name if RESERVED.contains(&name) => return Err(self.unexpected(VALUE)),
            name => {
                let _ = self.unknown_name.get_or_insert_with(|| (self.at, name.into()));
                Node::Unknown(name.into())
            }
        };
        self.advance()?;
        Ok(node)
    }

    fn template(&mut self, start: usize) -> Result<Node, SyntaxError> {
        let mut texts = Vec::new();
        let mut values = Vec::new();
        loop {
            // The lexer is positioned after the opening backtick or after the current `}`.
            let (text, ended) = self.lexer.template_part(start)?;
            texts.push(text);
            if ended {
                self.advance()?;
                return Ok(Node::Template(texts, values));
            }
            self.advance()?;
            values.push(self.expression()?);
            if !self.is("}") {
                return Err(self.unexpected("`}`"));
            }
        }
    }
}

/// Returns `true` if `??` is mixed with `&&` or `||` without parentheses, which JavaScript rejects.
fn mixes_coalesce(operator: LogicalOp, operand: &Expr) -> bool {
    match &operand.node {
        Node::Logical(other, _) => {
            (operator == LogicalOp::Coalesce) != (*other == LogicalOp::Coalesce)
        }
        _ => false,
    }
}

fn member(at: usize, object: Expr, key: Key, optional: bool) -> Expr {
    Expr { at, node: Node::Member(Box::new(Member { object, key, optional })) }
}
