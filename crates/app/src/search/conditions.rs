//! Conditions in the form that the index compares: an expression with the variables of its page.

use bindery_expression::Expression;
use bindery_revision::Variables;
use bindery_search::Condition;
use serde::{Deserialize, Serialize};

use crate::content::expressions;
use crate::publishing::adaptive::Answers;

/// An expression that does not hold for everybody.
#[derive(Serialize, Deserialize)]
struct PageCondition {
    expression: String,
    #[serde(default, skip_serializing_if = "Variables::is_empty")]
    variables: Variables,
}

/// Returns the condition of a page; `None` if it holds for everybody. `space` and `page` are the
/// variables that it can read. A condition that holds for nobody remains, because members find the
/// page.
pub(super) fn of_page(expression: &str, space: &Variables, page: &Variables) -> Option<Condition> {
    let parsed = Expression::parse(expression);
    let is_met = parsed.is_ok_and(|parsed| !parsed.depends_on_visitor())
        && expressions::holds(expression, space, || Ok::<_, ()>(page.clone())) == Ok(true);
    (!is_met).then(|| encode(expression, page).unwrap_or(Condition::Hidden))
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
