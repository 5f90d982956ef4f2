//! The functions that all hosting services have in common.

use bindery_model::HostingService;
use bindery_outbound::{Method, Request, Url};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::error::HostingError;
use super::exchange::{Outbound, ServiceAnswer, send};
use super::place::HostedPlace;
use super::pull_request::{
    CommitState, CommitStatus, NewPullRequest, PullRequest, PullRequestChange,
};
use super::{github, gitlab, values};

/// Number of entries on a page of a list. With more, long descriptions would exceed the limit of
/// an answer.
const PAGE: usize = 30;
/// Maximum number of pages of a list that are read.
const MAX_PAGES: usize = 20;
/// The value that the answers about pull requests contain, for errors.
pub(super) const PULL_REQUEST: &str = "the description of a pull request";

/// Calls the interface of a repository's hosting service with a token.
#[derive(Clone, Copy)]
pub(in crate::content) struct HostingClient<'a> {
    outbound: Outbound<'a>,
    pub(super) place: &'a HostedPlace,
    token: &'a str,
}

impl std::fmt::Debug for HostingClient<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("HostingClient").field("place", &self.place).finish_non_exhaustive()
    }
}

impl<'a> HostingClient<'a> {
    /// Returns a client. `outbound` is the application, as a rule.
    pub(in crate::content) fn new(
        outbound: impl Into<Outbound<'a>>,
        place: &'a HostedPlace,
        token: &'a str,
    ) -> Self {
        Self { outbound: outbound.into(), place, token }
    }

    /// Returns the open pull request from a branch of the repository, or the newest one if none is
    /// open. Those from branches of other repositories are ignored.
    ///
    /// # Errors
    /// Returns an error if the exchange fails.
    pub(in crate::content) async fn find_pull_request(
        self,
        head: &str,
    ) -> Result<Option<PullRequest>, HostingError> {
        self.find_between(head, None).await
    }

    /// Returns the preferred pull request from a branch, into `base` if it is given.
    async fn find_between(
        self,
        head: &str,
        base: Option<&str>,
    ) -> Result<Option<PullRequest>, HostingError> {
        let found = match self.place.service {
            HostingService::Github => github::list_from(self, head).await?,
            HostingService::Gitea => github::search_from(self, head, base).await?,
            HostingService::Gitlab => gitlab::list_from(self, head).await?,
        };
        let found = found.into_iter().filter(|found| found.head == head);
        Ok(preferred(found.filter(|found| base.is_none_or(|base| found.base == base))))
    }

    /// Returns a pull request; `None` if it does not exist.
    ///
    /// # Errors
    /// Returns an error if the exchange fails, or it comes from another repository.
    pub(in crate::content) async fn get_pull_request(
        self,
        number: u64,
    ) -> Result<Option<PullRequest>, HostingError> {
        match self.place.service {
            HostingService::Github | HostingService::Gitea => github::get(self, number).await,
            HostingService::Gitlab => gitlab::get(self, number).await,
        }
    }

    /// Opens a pull request. Returns the open one between the two branches if there is one already.
    /// A repository without drafts gets one that is ready for review.
    ///
    /// # Errors
    /// Returns an error if the exchange fails, or the service refuses it, for example because the
    /// branches do not differ.
    pub(in crate::content) async fn open_pull_request(
        self,
        new: &NewPullRequest,
    ) -> Result<PullRequest, HostingError> {
        let refused = match self.place.service {
            HostingService::Github => github::open(self, new).await?,
            HostingService::Gitea => github::open_at_gitea(self, new).await?,
            HostingService::Gitlab => gitlab::open(self, new).await?,
        };
        let refused = match refused {
            Opened::Done(opened) => return Ok(opened),
            Opened::Refused(refused) => refused,
        };
        let known = self.find_between(&new.head, Some(&new.base)).await?;
        known.filter(|known| known.state.is_open()).ok_or(refused)
    }

    /// Changes a pull request.
    ///
    /// # Errors
    /// Returns an error if the exchange fails, or it does not exist.
    pub(in crate::content) async fn update_pull_request(
        self,
        number: u64,
        change: &PullRequestChange,
    ) -> Result<PullRequest, HostingError> {
        match self.place.service {
            HostingService::Github => github::update(self, number, change).await,
            HostingService::Gitea => github::update_at_gitea(self, number, change).await,
            HostingService::Gitlab => gitlab::update(self, number, change).await,
        }
    }

    /// Closes a pull request. One that was merged or closed before stays as it is.
    ///
    /// # Errors
    /// Returns an error if the exchange fails, or it does not exist.
    pub(in crate::content) async fn close_pull_request(
        self,
        number: u64,
    ) -> Result<PullRequest, HostingError> {
        match self.place.service {
            HostingService::Github | HostingService::Gitea => github::close(self, number).await,
            HostingService::Gitlab => gitlab::close(self, number).await,
        }
    }

    /// Sets the state of a commit.
    ///
    /// # Errors
    /// Returns an error if the exchange fails, or the commit does not exist.
    pub(in crate::content) async fn set_status(
        self,
        commit: &str,
        status: &CommitStatus,
    ) -> Result<(), HostingError> {
        let (failure, context) = match self.place.service {
            HostingService::Github | HostingService::Gitea => ("failure", "context"),
            HostingService::Gitlab => ("failed", "name"),
        };
        let state = match status.state {
            CommitState::Success => "success",
            CommitState::Failure => failure,
        };
        let mut body = json!({ "state": state, "description": status.short_description() });
        body[context] = Value::from(status.context.as_str());
        if let Some(target) = &status.target_url {
            body["target_url"] = Value::from(target.as_str());
        }
        let url = self.place.at(&["statuses", &self.checked_commit(commit)?]);
        let answer = self.call(Method::POST, url, Some(body)).await?;
        answer.expect(&[200, 201]).map(drop)
    }

    /// Sends a request with an optional body.
    pub(super) async fn call(
        self,
        method: Method,
        url: Url,
        body: Option<Value>,
    ) -> Result<ServiceAnswer, HostingError> {
        let request = Request::new(method, url);
        let request = match body {
            Some(body) => request.body(body.to_string()),
            None => request,
        };
        send(self.outbound, request, self.token).await
    }

    /// Reads the pages of a list. `size` is the name of the parameter for the size of a page.
    /// `expected` names the list in errors.
    pub(super) async fn pages<T: DeserializeOwned>(
        self,
        url: &Url,
        size: &str,
        expected: &'static str,
        mut take: impl FnMut(T) -> Result<Step, HostingError>,
    ) -> Result<(), HostingError> {
        for page in 1..=MAX_PAGES {
            let mut url = url.clone();
            url.query_pairs_mut()
                .append_pair(size, &PAGE.to_string())
                .append_pair("page", &page.to_string());
            let answer = self.call(Method::GET, url, None).await?.expect(&[200])?;
            let entries: Vec<T> = answer.parse(expected)?;
            let is_last = entries.len() < PAGE;
            for entry in entries {
                if take(entry)? == Step::Stop {
                    return Ok(());
                }
            }
            if is_last {
                break;
            }
        }
        Ok(())
    }

    /// Returns an error that names the host of the interface.
    pub(super) fn answer_error(self, expected: &'static str) -> HostingError {
        HostingError::answer(&self.place.api, expected)
    }

    /// Returns the error for something that the service does not have.
    pub(super) fn missing(self) -> HostingError {
        HostingError::Missing { host: super::host(&self.place.api) }
    }

    /// Checks a commit before it becomes a part of an address.
    pub(super) fn checked_commit(self, commit: &str) -> Result<String, HostingError> {
        values::commit(commit).ok_or_else(|| self.answer_error("the full id of a commit"))
    }
}

/// The continuation after an entry of a list.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Step {
    /// The next entry follows.
    Next,
    /// No more entries are needed.
    Stop,
}

/// The result of the request for a new pull request.
pub(super) enum Opened {
    /// It was opened.
    Done(PullRequest),
    /// The service refused it, perhaps because there is one already.
    Refused(HostingError),
}

/// Returns the open pull request with the highest number, or else the one with the highest number.
fn preferred(found: impl Iterator<Item = PullRequest>) -> Option<PullRequest> {
    found.max_by_key(|found| (found.state.is_open(), found.number))
}

#[cfg(test)]
mod tests {
    use super::super::pull_request::PullRequestState::{self, Closed, Draft, Merged, Open};
    use super::*;

    #[test]
    fn open_pull_requests_are_preferred_to_newer_ones() {
        let one = |number, state: PullRequestState| PullRequest {
            number,
            url: String::new(),
            state,
            title: String::new(),
            head: "topic".to_owned(),
            head_oid: None,
            base: "main".to_owned(),
            merge_oid: None,
        };
        for (all, expect) in [
            (&[][..], None),
            (&[(1, Closed), (2, Merged)][..], Some(2)),
            (&[(3, Closed), (2, Open), (1, Closed)][..], Some(2)),
            (&[(3, Merged), (2, Draft), (1, Open)][..], Some(2)),
        ] {
            let found = preferred(all.iter().map(|(number, state)| one(*number, *state)));
            assert_eq!(found.map(|found| found.number), expect, "{all:?}");
        }
    }
}
