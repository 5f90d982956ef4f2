//! The interfaces of Git hosting services: pull requests, and the states of commits.
//!
//! [`HostedPlace`] names a repository and its interface, and [`HostingClient`] calls it. GitHub,
//! GitLab and Gitea have the same functions in different forms; `github` and `gitlab` translate
//! them. A merge request of GitLab is a pull request here. The answers of services are not trusted
//! (`values`).

mod client;
mod draft;
mod error;
mod exchange;
mod github;
mod gitlab;
mod place;
mod pull_request;
mod token;
mod values;
mod webhooks;

pub(super) use self::client::HostingClient;
pub(super) use self::error::{HostingError, host};
pub(super) use self::exchange::{below, send};
pub(super) use self::place::{HostedPlace, known_service};
pub(super) use self::pull_request::{
    CommitState, CommitStatus, NewPullRequest, PullRequest, PullRequestChange, PullRequestState,
};
pub(super) use self::token::token;
pub(super) use self::webhooks::Webhook;

#[cfg(test)]
mod tests;
