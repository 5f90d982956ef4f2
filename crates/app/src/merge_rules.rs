//! What must hold before a change request is merged: the rules of a space or an organization, in
//! the contract's words.

mod unmet;

pub(crate) use unmet::require;

use bindery_content::expression::Expression;
use bindery_model::{Error, OrganizationId, Result, UserId};
use bindery_store::spaces::Space;
use bindery_store::{Tx, members, organizations};
use serde::{Deserialize, Serialize};

/// The most rules in one configuration, and the most people in one rule.
const MOST: usize = 100;

/// What a space or an organization says about merges.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub enum MergeRules {
    /// What the organization says.
    #[default]
    Inherit,
    /// Nothing must hold.
    None,
    /// All of these.
    Rules {
        /// The rules.
        rules: Vec<MergeRule>,
    },
}

/// One rule.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(tag = "rule", rename_all = "snake_case")]
pub enum MergeRule {
    /// Each of these people has approved. As everywhere here, the last review of a person counts,
    /// if it is of the content of now.
    RequireSpecificReviewers {
        /// Ids of people.
        users: Vec<String>,
    },
    /// One of these people has approved.
    RequireOneOfSpecificReviewers {
        /// Ids of people.
        users: Vec<String>,
    },
    /// These people may merge whatever the other rules say.
    AllowBypass {
        /// Ids of people.
        users: Vec<String>,
    },
    /// Somebody has reviewed, whatever they said.
    RequireAtLeastOneReview,
    /// Nobody who has reviewed asks for changes; who was only asked does not count.
    RequireAllReviewsApproved,
    /// An agent has approved.
    RequireAgentReview,
    /// It contains the main content of now.
    RequireUpToDateChangeRequest,
    /// It has a subject.
    RequireChangeRequestSubject,
    /// It has a description.
    RequireChangeRequestDescription,
    /// An expression holds. It sees `changeRequest`, `reviews` and `actor`.
    Custom {
        /// The expression.
        expression: String,
    },
}

impl MergeRules {
    /// What is stored; nothing is stored for what everything begins with.
    ///
    /// # Errors
    /// When it cannot be read, which is a defect.
    pub fn parse(stored: Option<&str>) -> Result<Self> {
        stored.map_or(Ok(Self::Inherit), |stored| {
            serde_json::from_str(stored)
                .map_err(|error| Error::internal(format!("merge rules cannot be read: {error}")))
        })
    }
    /// Those of a space, or of its organization where it has none of its own.
    ///
    /// # Errors
    /// When the store fails.
    pub fn of(tx: &Tx<'_>, space: &Space) -> Result<Self> {
        let own = Self::parse(space.merge_rules.as_deref())?;
        if own != Self::Inherit {
            return Ok(own);
        }
        let organization = organizations::get(tx, space.organization)?
            .ok_or_else(|| Error::internal("a space without an organization"))?;
        Self::parse(organization.merge_rules.as_deref())
    }

    /// The form to store; nothing for what everything begins with.
    ///
    /// # Errors
    /// Never, for rules.
    pub fn stored(&self) -> Result<Option<String>> {
        if *self == Self::Inherit {
            return Ok(None);
        }
        serde_json::to_string(self)
            .map(Some)
            .map_err(|error| Error::internal(format!("merge rules cannot be written: {error}")))
    }

    /// Refuses rules that no change request can meet because of a mistake in them: people whom the
    /// organization does not have, expressions that cannot be read. `pointer` names the rules in
    /// the request.
    ///
    /// # Errors
    /// 400 with the first mistake and its place.
    pub fn check(&self, pointer: &str, tx: &Tx<'_>, organization: OrganizationId) -> Result<()> {
        let Self::Rules { rules } = self else { return Ok(()) };
        let most = |what: &str, count: usize| {
            Error::invalid(format!("body at {what}: found {count}, allowed: at most {MOST}"))
        };
        if rules.len() > MOST {
            return Err(most(&format!("{pointer}/rules"), rules.len()));
        }
        for (index, rule) in rules.iter().enumerate() {
            let place = format!("{pointer}/rules/{index}");
            if let MergeRule::Custom { expression } = rule {
                check_expression(&format!("{place}/expression"), expression)?;
            }
            let users = rule.users();
            if users.len() > MOST {
                return Err(most(&format!("{place}/users"), users.len()));
            }
            if users.is_empty() && rule.needs_people() {
                return Err(Error::invalid(format!(
                    "body at {place}/users: found nobody, allowed: at least one person"
                )));
            }
            for (at, user) in users.iter().enumerate() {
                let known = UserId::parse(user)
                    .map(|user| members::get_membership(tx, organization, user))
                    .transpose()?
                    .flatten();
                if known.is_none_or(|standing| standing.member.disabled) {
                    return Err(Error::invalid(format!(
                        "body at {place}/users/{at}: found {user:?}, allowed: the id of a member \
                         of the organization"
                    )));
                }
            }
        }
        Ok(())
    }
}

impl MergeRule {
    /// The people it names.
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

fn check_expression(place: &str, expression: &str) -> Result<()> {
    if expression.trim().is_empty() {
        return Err(Error::invalid(format!(
            "body at {place}: found nothing, allowed: a condition"
        )));
    }
    Expression::parse(expression)
        .map(|_| ())
        .map_err(|error| Error::invalid(format!("body at {place}: {error}")))
}
