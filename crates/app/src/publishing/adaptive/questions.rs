//! Expressions that depend on the visitor, with their results.
//!
//! A rendering asks a question for each such expression. All visitors with the same answers read the
//! same response, so the answers and not the claims identify it in a cache. The next question
//! depends only on the content and on the answers before it.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use bindery_expression::{Context, Evaluator, Expression, Value as ClaimValue, VisitorExpressions};
use bindery_model::{Error, Result};
use bindery_revision::{Hash, Variables};

use super::claims::visitor_claims;
use crate::content::expressions;
use crate::publishing::audience::Visitor;

/// Maximum number of questions of one response. Further conditions do not hold, and further inline
/// expressions have no text.
const MAX_QUESTIONS: usize = 1_000;

/// Maximum number of answers that the claims of one visitor keep.
const MAX_KEPT_ANSWERS: usize = 1_000;

/// The claims of a visitor as conditions read them. Copies share the answers that they keep.
#[derive(Clone, Debug)]
pub struct ClaimsOf {
    value: ClaimValue,
    digest: Hash,
    answers: Arc<Mutex<HashMap<Hash, Answer>>>,
}

impl ClaimsOf {
    /// Returns the claims of a visitor.
    ///
    /// # Errors
    /// Returns an error if the claims cannot be encoded, which does not happen for claims from JSON.
    pub fn visitor(visitor: &Visitor) -> Result<Self> {
        let Visitor { claims, unsigned_claims, .. } = visitor;
        let bytes = serde_json::to_vec(&(claims, unsigned_claims))
            .map_err(|error| Error::internal(format!("claims are not JSON: {error}")))?;
        let value = visitor_claims(claims, unsigned_claims);
        Ok(Self { value, digest: Hash::of(&bytes), answers: Arc::default() })
    }

    /// Returns a fingerprint of the claims.
    pub const fn digest(&self) -> Hash {
        self.digest
    }
}

/// An expression that depends on the visitor, with the variables that it reads.
#[derive(Debug)]
pub struct Question {
    expression: Expression,
    is_text: bool,
    context: Context,
    key: Hash,
}

/// The result of an expression that depends on the visitor.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Answer {
    /// The result of a condition.
    Condition(bool),
    /// The text of an inline expression.
    Text(Option<String>),
}

impl Question {
    /// Returns a fingerprint of the question.
    pub const fn key(&self) -> Hash {
        self.key
    }

    /// Returns the estimated memory use in bytes.
    pub fn memory_bytes(&self) -> usize {
        // The syntax tree of an expression is some times as long as its text.
        size_of::<Self>() + 32 * self.expression.source().len() + 512
    }

    /// Returns the answer for a visitor. Each question has limits of its own, so that its answer
    /// does not depend on other questions.
    pub fn answer(&self, claims: &ClaimsOf) -> Answer {
        let lock = || claims.answers.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = lock().get(&self.key) {
            return known.clone();
        }
        let answer = self.evaluate(claims);
        let mut kept = lock();
        if kept.len() < MAX_KEPT_ANSWERS {
            kept.insert(self.key, answer.clone());
        }
        answer
    }

    fn evaluate(&self, claims: &ClaimsOf) -> Answer {
        let context = self.context.clone().with_claims(claims.value.clone());
        let evaluator = Evaluator::new(&context);
        match self.is_text {
            true => Answer::Text(evaluator.render(&self.expression)),
            false => Answer::Condition(evaluator.is_true(&self.expression)),
        }
    }
}

#[derive(Debug, Default)]
struct Asked {
    in_order: Vec<(Arc<Question>, Answer)>,
    known: HashMap<Hash, Answer>,
    times: u64,
}

/// The answers of one visitor, recorded in the order in which a rendering asks.
#[derive(Debug)]
pub struct Answers {
    /// `None` for a site without adaptive content, where no visitor has claims.
    claims: Option<ClaimsOf>,
    asked: RefCell<Asked>,
}

impl Answers {
    /// Creates a record without answers. Without claims nothing is recorded.
    pub fn new(claims: Option<ClaimsOf>) -> Self {
        Self { claims, asked: RefCell::default() }
    }

    /// Returns a fingerprint of the claims that the answers depend on; `None` without claims.
    pub fn claims_digest(&self) -> Option<Hash> {
        self.claims.as_ref().map(ClaimsOf::digest)
    }

    /// Returns `true` if the answers differ between visitors.
    pub const fn is_adaptive(&self) -> bool {
        self.claims.is_some()
    }

    /// Returns the number of times that a question was asked. Repeated questions count.
    pub fn times_asked(&self) -> u64 {
        self.asked.borrow().times
    }

    /// Returns the distinct questions with their answers, in order.
    pub fn into_asked(self) -> Vec<(Arc<Question>, Answer)> {
        self.asked.into_inner().in_order
    }

    /// Returns the answers to expressions that read these variables.
    pub fn of_page<'a>(&'a self, space: &'a Variables, page: &'a Variables) -> AnswersFor<'a> {
        AnswersFor { answers: self, space, page }
    }

    /// Returns `true` if a condition holds for the visitor. `page` returns the variables of the page
    /// on demand.
    ///
    /// # Errors
    /// Returns the errors of `page`.
    pub fn holds(
        &self,
        condition: &str,
        space: &Variables,
        page: impl FnOnce() -> Result<Variables>,
    ) -> Result<bool> {
        // An invalid condition never holds.
        let Ok(condition) = Expression::parse(condition) else { return Ok(false) };
        let page = page()?;
        if condition.depends_on_visitor() {
            return Ok(self.of_page(space, &page).is_true(&condition));
        }
        let context = expressions::context(space, &page);
        Ok(Evaluator::new(&context).is_true(&condition))
    }

    /// Returns `true` if a condition on a part of a site, which has no variables, holds for the
    /// visitor.
    pub fn holds_for_site(&self, condition: Option<&str>) -> bool {
        let Some(condition) = condition else { return true };
        let none = Variables::default();
        self.holds(condition, &none, || Ok(Variables::default())).unwrap_or(false)
    }
}

/// The answers of a visitor to the expressions of one page.
#[derive(Clone, Copy, Debug)]
pub struct AnswersFor<'a> {
    answers: &'a Answers,
    space: &'a Variables,
    page: &'a Variables,
}

impl AnswersFor<'_> {
    fn ask(&self, expression: &Expression, is_text: bool) -> Option<Answer> {
        let context = || expressions::context(self.space, self.page);
        let Some(claims) = &self.answers.claims else {
            let context = context();
            let evaluator = Evaluator::new(&context);
            return Some(match is_text {
                true => Answer::Text(evaluator.render(expression)),
                false => Answer::Condition(evaluator.is_true(expression)),
            });
        };
        let identity = (expression.source(), is_text, self.space, self.page);
        let key = Hash::of(&serde_json::to_vec(&identity).ok()?);
        let mut asked = self.answers.asked.borrow_mut();
        asked.times += 1;
        if let Some(known) = asked.known.get(&key) {
            return Some(known.clone());
        }
        if asked.in_order.len() >= MAX_QUESTIONS {
            return None;
        }
        let question =
            Question { expression: expression.clone(), is_text, context: context(), key };
        let answer = question.answer(claims);
        asked.known.insert(key, answer.clone());
        asked.in_order.push((Arc::new(question), answer.clone()));
        Some(answer)
    }
}

impl VisitorExpressions for AnswersFor<'_> {
    fn is_true(&self, condition: &Expression) -> bool {
        matches!(self.ask(condition, false), Some(Answer::Condition(true)))
    }

    fn render(&self, expression: &Expression) -> Option<String> {
        match self.ask(expression, true) {
            Some(Answer::Text(text)) => text,
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn claims(unsigned: &Value) -> ClaimsOf {
        let unsigned_claims = unsigned.as_object().cloned().unwrap_or_default();
        ClaimsOf::visitor(&Visitor { unsigned_claims, ..Visitor::anonymous() }).unwrap()
    }

    #[test]
    fn questions_are_recorded_once_in_order() {
        let answers = Answers::new(Some(claims(&json!({ "plan": "pro" }))));
        let is_pro = Some("visitor.claims.unsigned.plan == 'pro'");
        assert!(answers.holds_for_site(is_pro) && answers.holds_for_site(is_pro));
        assert!(!answers.holds_for_site(Some("visitor.claims.plan == 'pro'")));
        assert!(answers.holds_for_site(Some("1 < 2")) && !answers.holds_for_site(Some("(")));
        assert_eq!(answers.times_asked(), 3);
        let asked = answers.into_asked();
        let others = claims(&json!({ "plan": "free" }));
        let results: Vec<_> = asked.iter().map(|(_, answer)| answer.clone()).collect();
        assert_eq!(results, [Answer::Condition(true), Answer::Condition(false)]);
        assert_eq!(asked[0].0.answer(&others), Answer::Condition(false));
    }

    #[test]
    fn visitors_of_other_sites_have_no_claims() {
        let answers = Answers::new(None);
        assert!(answers.holds_for_site(Some("!visitor.claims.plan")));
        assert!(answers.into_asked().is_empty());
    }
}
