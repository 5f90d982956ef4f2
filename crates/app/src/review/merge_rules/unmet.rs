//! Checks a change request against the merge rules before the merge, and reports all unmet rules in
//! one error.

use std::collections::{BTreeSet, HashMap};

use bindery_expression::{
    Context as ExpressionContext, EvalError, EvalErrorKind, Expression, Value,
};
use bindery_model::{Error, Result, UserId};
use bindery_revision::Content;
use bindery_revision::diff::{Change, diff};
use bindery_store::change_request_reviews::{self, Review, Verdict};
use bindery_store::users::{self, User};
use serde_json::json;

use super::{MergeRule, MergeRules};
use crate::Context;
use crate::content::snapshot::broken_object;
use crate::review::change_requests::{ChangeRequestTarget, author};

/// Rejects a merge that does not meet the merge rules of the space or, if the space inherits, those
/// of the organization. `base` is the content from which the change request started, `proposed` its
/// current content.
///
/// # Errors
/// Returns 409 with all unmet rules.
pub(crate) fn require(
    cx: &Context<'_>,
    target: &ChangeRequestTarget,
    base: &Content,
    proposed: &Content,
) -> Result<()> {
    let MergeRules::Rules { rules } = MergeRules::of(cx.tx, &target.space)? else {
        return Ok(());
    };
    let actor = author(cx)?;
    let bypasses = rules.iter().any(|rule| match rule {
        MergeRule::AllowBypass { users } => names(users, actor),
        _ => false,
    });
    if bypasses {
        return Ok(());
    }
    let facts = Facts::of(cx, target, (base, proposed), &rules, actor)?;
    let mut missing = Vec::new();
    for rule in &rules {
        missing.extend(facts.missing(cx, rule)?);
    }
    if missing.is_empty() {
        return Ok(());
    }
    Err(Error::conflict(format!("the merge rules are not met: {}", missing.join("; "))))
}

fn names(users: &[String], user: UserId) -> bool {
    users.iter().any(|named| named == user.as_str())
}

/// The data that rules are evaluated against.
struct Facts<'a> {
    target: &'a ChangeRequestTarget,
    contents: (&'a Content, &'a Content),
    /// The last review of each person, if it is of the current content.
    reviews: Vec<Review>,
    people: HashMap<UserId, User>,
    actor: UserId,
}

impl<'a> Facts<'a> {
    fn of(
        cx: &Context<'_>,
        target: &'a ChangeRequestTarget,
        contents: (&'a Content, &'a Content),
        rules: &[MergeRule],
        actor: UserId,
    ) -> Result<Self> {
        let row = &target.change_request;
        let mut reviews = change_request_reviews::latest_per_reviewer(cx.tx, row.id)?;
        reviews.retain(|review| review.revision == row.head);
        let mut ids: BTreeSet<UserId> = reviews.iter().map(|review| review.reviewer).collect();
        ids.extend([actor, row.created_by]);
        ids.extend(rules.iter().flat_map(MergeRule::users).filter_map(|id| UserId::parse(id)));
        let ids: Vec<UserId> = ids.into_iter().collect();
        let people = users::get_many(cx.tx, &ids)?;
        Ok(Self { target, contents, reviews, people, actor })
    }

    /// Returns a message that says why a rule is not met; `None` if it is met.
    fn missing(&self, cx: &Context<'_>, rule: &MergeRule) -> Result<Option<String>> {
        let row = &self.target.change_request;
        let unless = |met: bool, words: &str| (!met).then(|| words.to_owned());
        Ok(match rule {
            MergeRule::RequireSpecificReviewers { users } => {
                let lacking = users.iter().filter(|user| !self.has_approved(user));
                let lacking: Vec<String> = lacking.map(|user| self.name(user)).collect();
                (!lacking.is_empty())
                    .then(|| format!("it lacks the approval of {}", lacking.join(" and ")))
            }
            MergeRule::RequireOneOfSpecificReviewers { users } => {
                let met = users.iter().any(|user| self.has_approved(user));
                let named: Vec<String> = users.iter().map(|user| self.name(user)).collect();
                (!met).then(|| format!("it lacks the approval of {}", named.join(" or ")))
            }
            MergeRule::AllowBypass { .. } => None,
            MergeRule::RequireAtLeastOneReview => {
                unless(!self.reviews.is_empty(), "its current content has no review")
            }
            MergeRule::RequireAllReviewsApproved => {
                let asking = self.reviews.iter().filter(|review| !is_approval(review));
                let asking: Vec<String> =
                    asking.map(|review| self.name(review.reviewer.as_str())).collect();
                (!asking.is_empty()).then(|| format!("{} asked for changes", asking.join(" and ")))
            }
            MergeRule::RequireAgentReview => {
                Some("it lacks the review of an agent, and there is no agent yet".to_owned())
            }
            MergeRule::RequireUpToDateChangeRequest => unless(
                row.merged_ancestor == self.target.space.head,
                "the main content has moved since it was last updated",
            ),
            MergeRule::RequireChangeRequestSubject => {
                unless(!row.subject.trim().is_empty(), "it has no subject")
            }
            MergeRule::RequireChangeRequestDescription => unless(
                row.description.as_deref().is_some_and(has_visible_content),
                "it has no description",
            ),
            MergeRule::Custom { expression } => self.custom(cx, expression)?,
        })
    }

    fn has_approved(&self, user: &str) -> bool {
        let of_user = |review: &&Review| review.reviewer.as_str() == user;
        self.reviews.iter().find(of_user).is_some_and(is_approval)
    }

    fn name(&self, user: &str) -> String {
        let known = UserId::parse(user).and_then(|id| self.people.get(&id));
        known.map_or_else(|| user.to_owned(), |user| user.display_name.clone())
    }

    fn custom(&self, cx: &Context<'_>, source: &str) -> Result<Option<String>> {
        let expression = match Expression::parse(source) {
            Ok(expression) => expression,
            Err(error) => return Ok(Some(format!("the rule `{source}` cannot be read: {error}"))),
        };
        Ok(match expression.evaluate(&self.context(cx)?) {
            Ok(value) if value.is_truthy() => None,
            Ok(_) => Some(format!("the rule `{source}` does not hold")),
            Err(EvalError { position, kind: EvalErrorKind::UnknownName(name) }) => Some(format!(
                "the rule `{source}` has no value: {position}: `{name}` is not known; rules see \
                 `changeRequest`, `reviews` and `actor`"
            )),
            Err(error) => Some(format!("the rule `{source}` has no value: {error}")),
        })
    }

    /// Returns the variables of expressions, named as in GitBook where it has an equivalent.
    fn context(&self, cx: &Context<'_>) -> Result<ExpressionContext> {
        let row = &self.target.change_request;
        let reviews = self.reviews.iter().map(|review| {
            let status = if is_approval(review) { "approved" } else { "changes_requested" };
            json!({ "status": status, "reviewer": self.person(review.reviewer) })
        });
        let reviews = json!(reviews.collect::<Vec<_>>());
        let change_request = json!({
            "id": row.id.as_str(),
            "number": row.number,
            "subject": row.subject,
            "description": row.description.as_deref().map(text_of).unwrap_or_default(),
            "status": row.status.as_str(),
            "author": self.person(row.created_by),
            "createdBy": self.person(row.created_by),
            "outdated": row.merged_ancestor != self.target.space.head,
            "comments": row.comments,
            "pagesChanged": self.pages_changed(cx)?,
            "reviews": reviews,
        });
        Ok(ExpressionContext::new()
            .with_global("changeRequest", Value::from(&change_request))
            .with_global("reviews", Value::from(&reviews))
            .with_global("actor", Value::from(&self.person(self.actor))))
    }

    fn person(&self, id: UserId) -> serde_json::Value {
        let known = self.people.get(&id);
        json!({
            "id": id.as_str(),
            "displayName": known.map(|user| user.display_name.as_str()),
            "email": known.map(|user| user.email.as_str()),
        })
    }

    fn pages_changed(&self, cx: &Context<'_>) -> Result<usize> {
        let (base, proposed) = self.contents;
        let objects = cx.tx.objects();
        let changes = diff(base, proposed, &objects, usize::MAX).map_err(broken_object)?.changes;
        let pages = changes.iter().filter_map(|change| match change {
            Change::PageCreated(page) | Change::PageDeleted(page) => Some(page.id),
            Change::PageMoved(edit) | Change::PageEdited(edit, _) => Some(edit.after.id),
            _ => None,
        });
        Ok(pages.collect::<BTreeSet<_>>().len())
    }
}

fn is_approval(review: &Review) -> bool {
    review.verdict == Verdict::Approved
}

/// Returns `true` if a document, given as JSON, has text or another visible node.
fn has_visible_content(document: &str) -> bool {
    fn shows(value: &serde_json::Value) -> bool {
        match value {
            serde_json::Value::Array(items) => items.iter().any(shows),
            serde_json::Value::Object(members) => {
                let member = |name| members.get(name).and_then(serde_json::Value::as_str);
                let has_text = member("text").is_some_and(|text| !text.trim().is_empty());
                let is_other = matches!(member("object"), Some("block" | "inline"))
                    && member("type").is_some_and(|kind| kind != "paragraph");
                has_text || is_other || members.values().any(shows)
            }
            _ => false,
        }
    }
    serde_json::from_str(document).is_ok_and(|document| shows(&document))
}

/// Returns the concatenated text of a document that is given as JSON.
fn text_of(document: &str) -> String {
    fn collect(value: &serde_json::Value, into: &mut String) {
        match value {
            serde_json::Value::Array(items) => items.iter().for_each(|item| collect(item, into)),
            serde_json::Value::Object(members) => {
                if let Some(serde_json::Value::String(text)) = members.get("text") {
                    into.push_str(text);
                }
                members.values().for_each(|member| collect(member, into));
            }
            _ => {}
        }
    }
    let mut text = String::new();
    if let Ok(document) = serde_json::from_str(document) {
        collect(&document, &mut text);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptions_have_visible_content_or_none() {
        let paragraph = |text: &str| {
            json!({ "object": "document", "nodes": [
                { "object": "block", "type": "paragraph", "nodes": [
                    { "object": "text", "leaves": [{ "object": "leaf", "text": text }] },
                ] },
            ] })
        };
        let image = json!({ "object": "document", "nodes": [
            { "object": "block", "type": "image", "data": {} },
        ] });
        for (document, expect) in [
            (paragraph("Why"), true),
            (paragraph(" \n"), false),
            (json!({ "object": "document", "nodes": [] }), false),
            (image, true),
        ] {
            assert_eq!(has_visible_content(&document.to_string()), expect, "{document}");
        }
        assert_eq!(text_of(&paragraph("Why").to_string()), "Why");
    }
}
