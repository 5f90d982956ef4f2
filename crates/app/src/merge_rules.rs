//! What must hold before a change request is merged: the rules of a space or an organization, in
//! the contract's words.

use bindery_model::{Error, Result};
use serde::{Deserialize, Serialize};

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
    /// Each of these people has approved.
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
    /// Somebody has approved.
    RequireAtLeastOneReview,
    /// Nobody asks for changes, and everybody who was asked has approved.
    RequireAllReviewsApproved,
    /// An agent has approved.
    RequireAgentReview,
    /// It contains the main content of now.
    RequireUpToDateChangeRequest,
    /// It has a subject.
    RequireChangeRequestSubject,
    /// It has a description.
    RequireChangeRequestDescription,
    /// An expression holds.
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
}
