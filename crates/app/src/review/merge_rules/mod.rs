//! Merge rules: the conditions of a space or an organization that a change request must meet before
//! it is merged, with the API contract's names.

mod unmet;

pub(crate) use unmet::require;

use bindery_expression::Expression;
use bindery_model::{Error, FieldPath, OrganizationId, Result, UserId};
use bindery_store::spaces::Space;
use bindery_store::{Tx, members, organizations};
use serde::{Deserialize, Serialize};

/// Maximum number of rules in one configuration, and of users in one rule.
const MAX_ITEMS: usize = 100;

/// The merge rules of a space or an organization.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub enum MergeRules {
    /// The rules of the organization apply.
    #[default]
    Inherit,
    /// No condition.
    None,
    /// All of these rules must be met.
    Rules {
        /// The rules.
        rules: Vec<MergeRule>,
    },
}

/// A condition that a merge must meet.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(tag = "rule", rename_all = "snake_case")]
pub enum MergeRule {
    /// Each of these users has approved. In all rules, only the last review of a user counts, and
    /// only if it is of the current content.
    RequireSpecificReviewers {
        /// Ids of users.
        users: Vec<String>,
    },
    /// At least one of these users has approved.
    RequireOneOfSpecificReviewers {
        /// Ids of users.
        users: Vec<String>,
    },
    /// These users can merge regardless of the other rules.
    AllowBypass {
        /// Ids of users.
        users: Vec<String>,
    },
    /// At least one person has reviewed, with any verdict.
    RequireAtLeastOneReview,
    /// All reviews approve. Requested reviewers who have not reviewed do not count.
    RequireAllReviewsApproved,
    /// An agent has approved.
    RequireAgentReview,
    /// The change request contains the current main content.
    RequireUpToDateChangeRequest,
    /// The change request has a subject.
    RequireChangeRequestSubject,
    /// The change request has a description.
    RequireChangeRequestDescription,
    /// An expression evaluates to a true value. It can read `changeRequest`, `reviews` and `actor`.
    Custom {
        /// The expression.
        expression: String,
    },
}

impl MergeRules {
    /// Parses stored rules. `None` stands for the default, [`MergeRules::Inherit`].
    ///
    /// # Errors
    /// Returns an internal error if the JSON is invalid, which is a defect.
    pub fn parse(stored: Option<&str>) -> Result<Self> {
        stored.map_or(Ok(Self::Inherit), |stored| {
            serde_json::from_str(stored)
                .map_err(|error| Error::internal(format!("merge rules cannot be read: {error}")))
        })
    }
    /// Returns the rules of a space or, if it inherits, those of its organization.
    ///
    /// # Errors
    /// Returns an error if the store fails.
    pub fn of(tx: &Tx<'_>, space: &Space) -> Result<Self> {
        let own = Self::parse(space.merge_rules.as_deref())?;
        if own != Self::Inherit {
            return Ok(own);
        }
        let organization = organizations::get(tx, space.organization)?
            .ok_or_else(|| Error::internal("a space without an organization"))?;
        Self::parse(organization.merge_rules.as_deref())
    }

    /// Returns the JSON to store; `None` for the default, [`MergeRules::Inherit`].
    ///
    /// # Errors
    /// Returns an internal error if serialization fails, which is a defect.
    pub fn stored(&self) -> Result<Option<String>> {
        if *self == Self::Inherit {
            return Ok(None);
        }
        serde_json::to_string(self)
            .map(Some)
            .map_err(|error| Error::internal(format!("merge rules cannot be written: {error}")))
    }

    /// Rejects rules that no change request can meet because of a mistake in them: people who are
    /// not active members of the organization, and expressions that do not parse. `pointer` is the
    /// JSON pointer of the rules in the request.
    ///
    /// # Errors
    /// Returns 400 with the first mistake and its location.
    pub fn check(
        &self,
        pointer: &FieldPath,
        tx: &Tx<'_>,
        organization: OrganizationId,
    ) -> Result<()> {
        let Self::Rules { rules } = self else { return Ok(()) };
        let most = |what: FieldPath, count: usize| {
            Error::invalid(format!("found {count}, allowed: at most {MAX_ITEMS}")).at(what)
        };
        if rules.len() > MAX_ITEMS {
            return Err(most(pointer.field("rules"), rules.len()));
        }
        for (index, rule) in rules.iter().enumerate() {
            let place = pointer.field("rules").field(index);
            if let MergeRule::Custom { expression } = rule {
                check_expression(&place.field("expression"), expression)?;
            }
            let users = rule.users();
            if users.len() > MAX_ITEMS {
                return Err(most(place.field("users"), users.len()));
            }
            if users.is_empty() && rule.needs_people() {
                return Err(Error::invalid("found an empty list, allowed: at least one user")
                    .at(place.field("users")));
            }
            for (at, user) in users.iter().enumerate() {
                let known = UserId::parse(user)
                    .map(|user| members::get_membership(tx, organization, user))
                    .transpose()?
                    .flatten();
                if known.is_none_or(|standing| standing.member.disabled) {
                    return Err(Error::invalid(format!(
                        "found {user:?}, allowed: the id of a member \
                         of the organization"
                    ))
                    .at(place.field("users").field(at)));
                }
            }
        }
        Ok(())
    }
}

impl MergeRule {
    /// Returns the users that the rule names.
    fn users(&self) -> &[String] {
        match self {
            Self::RequireSpecificReviewers { users }
            | Self::RequireOneOfSpecificReviewers { users }
            | Self::AllowBypass { users } => users,
            _ => &[],
        }
    }

    fn needs_people(&self) -> bool {
        matches!(
            self,
            Self::RequireSpecificReviewers { .. } | Self::RequireOneOfSpecificReviewers { .. }
        )
    }
}

fn check_expression(place: &FieldPath, expression: &str) -> Result<()> {
    if expression.trim().is_empty() {
        return Err(Error::invalid("found nothing, allowed: a condition").at(place));
    }
    Expression::parse(expression).map(|_| ()).map_err(|error| place.invalid(error))
}
