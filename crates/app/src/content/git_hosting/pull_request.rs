//! Pull requests and states of commits, in the form that all services have in common.

/// The state of a pull request.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::content) enum PullRequestState {
    /// It can be reviewed and merged.
    Open,
    /// It is open, and marked as not ready for review.
    Draft,
    /// It was merged.
    Merged,
    /// It was closed without a merge.
    Closed,
}

impl PullRequestState {
    /// Returns `true` if it was neither merged nor closed.
    pub(in crate::content) const fn is_open(self) -> bool {
        matches!(self, Self::Open | Self::Draft)
    }
}

/// A pull request, or a merge request at GitLab.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(in crate::content) struct PullRequest {
    /// Its number in the repository.
    pub(in crate::content) number: u64,
    /// The address at which people see it, which begins with `https://` or `http://`.
    pub(in crate::content) url: String,
    /// The state.
    pub(in crate::content) state: PullRequestState,
    /// The title in one line, without a mark for drafts.
    pub(in crate::content) title: String,
    /// The short name of the branch that it wants to merge.
    pub(in crate::content) head: String,
    /// The commit at that branch; `None` if the service does not know it yet.
    pub(in crate::content) head_oid: Option<String>,
    /// The short name of the branch into which it is merged.
    pub(in crate::content) base: String,
    /// The commit that the merge added to the base; `None` unless it was merged, or the service
    /// does not tell it.
    pub(in crate::content) merge_oid: Option<String>,
}

/// A pull request that does not exist yet.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(in crate::content) struct NewPullRequest {
    /// The title.
    pub(in crate::content) title: String,
    /// The description in Markdown.
    pub(in crate::content) body: String,
    /// The short name of the branch that it wants to merge.
    pub(in crate::content) head: String,
    /// The short name of the branch into which it is merged.
    pub(in crate::content) base: String,
    /// `true` to mark it as not ready for review.
    pub(in crate::content) draft: bool,
}

/// A change of a pull request. Absent values stay, and a draft stays one unless it is ready.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(in crate::content) struct PullRequestChange {
    /// The title.
    pub(in crate::content) title: Option<String>,
    /// The description in Markdown.
    pub(in crate::content) body: Option<String>,
    /// `true` to mark it as ready for review.
    pub(in crate::content) is_ready: bool,
}

/// The state of a commit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::content) enum CommitState {
    /// The check succeeded.
    Success,
    /// The check failed.
    Failure,
}

/// A state of a commit with its explanation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(in crate::content) struct CommitStatus {
    /// The state.
    pub(in crate::content) state: CommitState,
    /// The name of the check, such as `bindery/preview`. A later status with the same name replaces
    /// this one.
    pub(in crate::content) context: String,
    /// A short explanation; what exceeds 140 characters is cut.
    pub(in crate::content) description: String,
    /// The address to which the status leads.
    pub(in crate::content) target_url: Option<String>,
}

/// Maximum length of the explanation of a status in characters.
const MAX_DESCRIPTION: usize = 140;

impl CommitStatus {
    /// Returns the explanation in the length that all services accept.
    pub(super) fn short_description(&self) -> String {
        self.description.chars().take(MAX_DESCRIPTION).collect()
    }
}
