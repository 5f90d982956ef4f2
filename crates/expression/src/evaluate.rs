//! Evaluation of a syntax tree.

use super::Context;
use super::budget::Budget;
use super::error::{EvalError, EvalErrorKind, Position};
use super::syntax::{Argument, Call, Expr, Function, Global, Key, LogicalOp, Member, Node};
use super::value::{Text, Value};
use super::{methods, operators};

pub(super) fn evaluate(
    root: &Expr,
    source: &str,
    context: &Context,
    budget: &Budget<'_>,
) -> Result<Value, EvalError> {
    let mut evaluation = Evaluation { source, context, budget, parameters: Vec::new() };
    evaluation.value(root)
}

/// The state of one evaluation.
pub(super) struct Evaluation<'e> {
    source: &'e str,
    context: &'e Context,
    pub(super) budget: &'e Budget<'e>,
    /// The parameter values of the active functions, innermost last.
    parameters: Vec<Value>,
}

/// An argument of a method.
pub(super) enum MethodArgument<'e> {
    Value(Value),
    Function(&'e Function),
}

type Outcome<T> = Result<T, EvalError>;

impl Evaluation<'_> {
    fn error(&self, at: usize, kind: EvalErrorKind) -> EvalError {
        EvalError { position: Position::of(self.source, at), kind }
    }

    fn value(&mut self, expr: &Expr) -> Outcome<Value> {
        let at = expr.at;
        self.budget.charge_step().map_err(|kind| self.error(at, kind))?;
        match &expr.node {
            Node::Literal(value) => Ok(value.clone()),
            Node::Template(texts, values) => self.template(at, texts, values),
            Node::List(elements) => {
                self.budget.charge_new(elements.len()).map_err(|kind| self.error(at, kind))?;
                elements
                    .iter()
                    .map(|element| self.value(element))
                    .collect::<Outcome<_>>()
                    .map(Value::List)
            }
            Node::Global(global) => Ok(match global {
                Global::Visitor => self.context.visitor.clone(),
                Global::Space => self.context.space.clone(),
                Global::Page => self.context.page.clone(),
            }),
            Node::Unknown(name) => match self.context.others.get(name.as_ref()) {
                Some(value) => Ok(value.clone()),
                None => Err(self.error(at, EvalErrorKind::UnknownName(name.to_string()))),
            },
            Node::Parameter(slot) => {
                Ok(self.parameters.get(*slot).cloned().unwrap_or(Value::Undefined))
            }
            Node::Group(inner) => self.value(inner),
            Node::Unary(operator, value) => {
                let value = self.value(value)?;
                operators::unary(*operator, &value, self.budget)
                    .map_err(|kind| self.error(at, kind))
            }
            Node::Binary(operator, sides) => {
                let (left, right) = (self.value(&sides.0)?, self.value(&sides.1)?);
                operators::binary(*operator, &left, &right, self.budget)
                    .map_err(|kind| self.error(at, kind))
            }
            Node::Logical(operator, sides) => {
                let left = self.value(&sides.0)?;
                let decided = match operator {
                    LogicalOp::And => !left.is_truthy(),
                    LogicalOp::Or => left.is_truthy(),
                    LogicalOp::Coalesce => !left.is_missing(),
                };
                if decided { Ok(left) } else { self.value(&sides.1) }
            }
            Node::Conditional(parts) => {
                let (condition, then, otherwise) = parts.as_ref();
                let holds = self.value(condition)?.is_truthy();
                self.value(if holds { then } else { otherwise })
            }
            Node::Member(_) | Node::Call(_) => Ok(self.chain(expr)?.unwrap_or(Value::Undefined)),
        }
    }

    fn template(&mut self, at: usize, texts: &[Text], values: &[Expr]) -> Outcome<Value> {
        let mut units = Vec::new();
        let mut values = values.iter();
        for text in texts {
            self.budget.charge_new(text.units().len()).map_err(|kind| self.error(at, kind))?;
            units.extend_from_slice(text.units());
            if let Some(value) = values.next() {
                let text = self.value(value)?.to_text(self.budget);
                let text = text.map_err(|kind| self.error(value.at, kind))?;
                self.budget.charge_new(text.units().len()).map_err(|kind| self.error(at, kind))?;
                units.extend_from_slice(text.units());
            }
        }
        Ok(Value::Text(Text::from_units(units)))
    }

    /// Evaluates a chain of members and calls. Returns `None` if `?.` ended the chain.
    fn chain(&mut self, expr: &Expr) -> Outcome<Option<Value>> {
        match &expr.node {
            Node::Member(member) => {
                let Some((object, key)) = self.member(member)? else { return Ok(None) };
                Ok(Some(object.member(&key)))
            }
            Node::Call(call) => self.call(expr.at, call),
            _ => self.value(expr).map(Some),
        }
    }

    /// Evaluates an object and the name of its member.
    fn member(&mut self, member: &Member) -> Outcome<Option<(Value, Text)>> {
        self.budget.charge_step().map_err(|kind| self.error(member.object.at, kind))?;
        let Some(object) = self.chain(&member.object)? else { return Ok(None) };
        if member.optional && object.is_missing() {
            return Ok(None);
        }
        let key = match &member.key {
            Key::Name(name) => name.clone(),
            Key::Computed(key) => {
                let value = self.value(key)?;
                value.to_text(self.budget).map_err(|kind| self.error(key.at, kind))?
            }
        };
        Ok(Some((object, key)))
    }

    fn call(&mut self, at: usize, call: &Call) -> Outcome<Option<Value>> {
        let Some((object, name)) = self.member(&call.method)? else { return Ok(None) };
        let method = methods::find(&object, &name);
        if method.is_none() && call.optional && object.member(&name).is_missing() {
            return Ok(None);
        }
        let Some(method) = method else {
            let kind = EvalErrorKind::NoMethod { on: object.kind(), method: name.to_string() };
            return Err(self.error(at, kind));
        };
        let mut given = Vec::with_capacity(call.arguments.len());
        for argument in &call.arguments {
            given.push(match argument {
                Argument::Value(value) => MethodArgument::Value(self.value(value)?),
                Argument::Function(function) => MethodArgument::Function(function),
            });
        }
        methods::call(self, at, method, &object, &given).map(Some)
    }

    /// Calls a function for an element of a list.
    pub(super) fn run(
        &mut self,
        function: &Function,
        (element, index, list): (&Value, usize, &Value),
    ) -> Outcome<Value> {
        let outside = self.parameters.len();
        let arguments = [element.clone(), Value::count(index), list.clone()];
        self.parameters.extend(arguments.into_iter().take(function.parameters));
        self.parameters.resize(outside + function.parameters, Value::Undefined);
        let value = self.value(&function.body);
        self.parameters.truncate(outside);
        value
    }

    pub(super) fn fail<T>(&self, at: usize, result: Result<T, EvalErrorKind>) -> Outcome<T> {
        result.map_err(|kind| self.error(at, kind))
    }
}
