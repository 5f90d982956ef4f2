//! Conditions in the form that the index compares: an expression with the variables of its page.

use bindery_expression::Expression;
use bindery_revision::Variables;
use bindery_search::Condition;
use serde::{Deserialize, Serialize};

use crate::content::expressions;
use crate::publishing::adaptive::Answers;

/// An expression that depends on the visitor.
#[derive(Serialize, Deserialize)]
struct PageCondition {
    expression: String,
    #[serde(default, skip_serializing_if = "Variables::is_empty")]
    variables: Variables,
}

/// The result of a condition at the time of indexing.
pub(super) enum Static {
    /// The condition holds for all visitors.
    Holds,
    /// The condition holds for no visitor.
    Fails,
    /// The condition depends on the visitor.
    Depends(Condition),
}

/// Evaluates a condition as far as possible without a visitor. `space` and `page` are the variables
/// that it can read.
pub(super) fn evaluate(expression: &str, space: &Variables, page: &Variables) -> Static {
    // An invalid condition never holds.
    let Ok(parsed) = Expression::parse(expression) else { return Static::Fails };
    if parsed.depends_on_visitor() {
        return encode(expression, page).map_or(Static::Fails, Static::Depends);
    }
    match expressions::holds(expression, space, || Ok::<_, ()>(page.clone())) {
        Ok(true) => Static::Holds,
        _ => Static::Fails,
    }
}

/// Returns the condition of a part of a page; `None` if it cannot be encoded.
pub(super) fn encode(expression: &str, page: &Variables) -> Option<Condition> {
    let condition = PageCondition { expression: expression.to_owned(), variables: page.clone() };
    serde_json::to_string(&condition).ok().map(Condition::Expression)
}

/// Returns `true` if a condition of the index holds for a visitor. `space` are the variables of the
/// space at the indexed revision.
pub(super) fn holds(condition: &Condition, space: &Variables, answers: &Answers) -> bool {
    let Condition::Expression(text) = condition else { return false };
    let Ok(PageCondition { expression, variables }) = serde_json::from_str(text) else {
        return false;
    };
    answers.holds(&expression, space, || Ok(variables)).unwrap_or(false)
}
