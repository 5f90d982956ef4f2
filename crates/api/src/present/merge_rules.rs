//! Merge rules.

use bindery_app::review::merge_rules::{MergeRule, MergeRules};
use bindery_wire::response::{
    self, MergeRuleAllowBypass, MergeRuleCustom, MergeRuleRequireOneOfSpecificReviewers,
    MergeRuleRequireSpecificReviewers, MergeRuleRule, MergeRulesConfigurationInherit,
    MergeRulesConfigurationNone, MergeRulesConfigurationRules, MergeRulesSpaceConfiguration,
    MergeRulesStandaloneConfiguration,
};
use bindery_wire::values::MergeRuleRuleRule;

/// Presents the merge rules of a space.
pub(crate) fn of_space(rules: MergeRules) -> MergeRulesSpaceConfiguration {
    match rules {
        MergeRules::Inherit => MergeRulesSpaceConfiguration::MergeRulesConfigurationInherit(
            MergeRulesConfigurationInherit {},
        ),
        other => MergeRulesSpaceConfiguration::MergeRulesStandaloneConfiguration(standalone(other)),
    }
}

/// Presents the merge rules of an organization, which cannot inherit any.
pub(crate) fn standalone(rules: MergeRules) -> MergeRulesStandaloneConfiguration {
    match rules {
        MergeRules::Inherit | MergeRules::None => {
            MergeRulesStandaloneConfiguration::MergeRulesConfigurationNone(
                MergeRulesConfigurationNone {},
            )
        }
        MergeRules::Rules { rules } => {
            MergeRulesStandaloneConfiguration::MergeRulesConfigurationRules(
                MergeRulesConfigurationRules { rules: rules.into_iter().map(rule).collect() },
            )
        }
    }
}

fn rule(rule: MergeRule) -> response::MergeRule {
    let plain = |rule| response::MergeRule::Rule(MergeRuleRule { rule });
    match rule {
        MergeRule::RequireSpecificReviewers { users } => {
            response::MergeRule::RequireSpecificReviewers(MergeRuleRequireSpecificReviewers {
                users,
            })
        }
        MergeRule::RequireOneOfSpecificReviewers { users } => {
            response::MergeRule::RequireOneOfSpecificReviewers(
                MergeRuleRequireOneOfSpecificReviewers { users },
            )
        }
        MergeRule::AllowBypass { users } => {
            response::MergeRule::AllowBypass(MergeRuleAllowBypass { users })
        }
        MergeRule::RequireAtLeastOneReview => plain(MergeRuleRuleRule::RequireAtLeastOneReview),
        MergeRule::RequireAllReviewsApproved => plain(MergeRuleRuleRule::RequireAllReviewsApproved),
        MergeRule::RequireAgentReview => plain(MergeRuleRuleRule::RequireAgentReview),
        MergeRule::RequireUpToDateChangeRequest => {
            plain(MergeRuleRuleRule::RequireUpToDateChangeRequest)
        }
        MergeRule::RequireChangeRequestSubject => {
            plain(MergeRuleRuleRule::RequireChangeRequestSubject)
        }
        MergeRule::RequireChangeRequestDescription => {
            plain(MergeRuleRuleRule::RequireChangeRequestDescription)
        }
        MergeRule::Custom { expression } => {
            response::MergeRule::Custom(MergeRuleCustom { expression })
        }
    }
}
