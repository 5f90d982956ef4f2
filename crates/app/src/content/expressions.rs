//! The variables that expressions of a space and of its pages can read.

pub use bindery_expression::SyntaxError;
use bindery_expression::{Context, Evaluator, Expression, Text, Value};
use bindery_model::{Error, Result};
use bindery_revision::{Hash, Variable, Variables};

/// Returns the context for the expressions of a page. It has no visitor claims, because there are
/// no visitors.
pub fn context(space: &Variables, page: &Variables) -> Context {
    Context::new().with_space(members(space)).with_page(members(page))
}

fn members(variables: &Variables) -> impl Iterator<Item = (Text, Value)> {
    variables.iter().map(|(name, variable)| {
        let value = match variable {
            Variable::Text(text) => text.as_str().into(),
            Variable::Number(number) => Value::Number(*number),
            Variable::Boolean(flag) => Value::Bool(*flag),
        };
        (name.as_str().into(), value)
    })
}

/// Checks the syntax of a condition.
///
/// # Errors
/// Returns the problem and its place in the text.
pub fn check(condition: &str) -> std::result::Result<(), String> {
    Expression::parse(condition).map(drop).map_err(|error| error.to_string())
}

/// Checks the syntax of an expression, and that all its names are known.
///
/// # Errors
/// Returns the first mistake.
pub fn check_known(expression: &str) -> std::result::Result<(), SyntaxError> {
    Expression::check(expression)
}

/// Returns `true` if a condition of a page holds. `page` returns the page's variables on demand.
///
/// # Errors
/// Returns the errors of `page`.
pub fn holds<E>(
    condition: &str,
    space: &Variables,
    page: impl FnOnce() -> std::result::Result<Variables, E>,
) -> std::result::Result<bool, E> {
    // An invalid condition never holds.
    let Ok(condition) = Expression::parse(condition) else { return Ok(false) };
    let context = context(space, &page()?);
    Ok(Evaluator::new(&context).is_true(&condition))
}

/// Returns a fingerprint of variables; `None` if there are no variables.
///
/// # Errors
/// Returns an error if the variables cannot be encoded, which does not happen for valid variables.
pub fn digest(variables: &Variables) -> Result<Option<Hash>> {
    if variables.is_empty() {
        return Ok(None);
    }
    let bytes = serde_json::to_vec(variables)
        .map_err(|error| Error::internal(format!("variables are not JSON: {error}")))?;
    Ok(Some(Hash::of(&bytes)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_see_variables_and_no_claims() {
        let space = Variables::from([
            ("version".to_owned(), Variable::Text("5.8".to_owned())),
            ("major".to_owned(), Variable::Number(5.0)),
        ]);
        let page = Variables::from([("beta".to_owned(), Variable::Boolean(true))]);
        for (condition, expected) in [
            ("space.vars.version === '5.8'", true),
            ("space.vars.major > 4 && page.vars.beta", true),
            ("space.vars.major > 5", false),
            ("visitor.claims.plan == 'pro'", false),
            ("!visitor.claims.plan", true),
            ("(", false),
            ("", true),
        ] {
            let held = holds(condition, &space, || Ok::<_, ()>(page.clone()));
            assert_eq!(held, Ok(expected), "{condition}");
        }
    }
}
