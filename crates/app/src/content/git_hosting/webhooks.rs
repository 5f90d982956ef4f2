//! Webhooks of projects at GitLab.

use bindery_outbound::Method;
use serde::Deserialize;
use serde_json::json;

use super::client::{HostingClient, Step};
use super::error::HostingError;

const HOOKS: &str = "a list of webhooks";

/// A webhook for pushes and merge requests.
pub(in crate::content) struct Webhook<'a> {
    /// The address that receives the events.
    pub(in crate::content) url: &'a str,
    /// The end of this address. A webhook whose address ends so is the same one, also if the
    /// address of the server has changed.
    pub(in crate::content) path: &'a str,
    /// The secret that the service sends with each event.
    pub(in crate::content) secret: &'a str,
}

/// The part of a webhook that is read. The service does not show its secret.
#[derive(Deserialize)]
struct Hook {
    id: u64,
    url: String,
}

impl HostingClient<'_> {
    /// Registers a webhook at GitLab. A known one with the same path is changed.
    ///
    /// # Errors
    /// Returns an error if the exchange fails, or the owner of the token may not manage webhooks.
    pub(in crate::content) async fn set_webhook(
        self,
        hook: &Webhook<'_>,
    ) -> Result<(), HostingError> {
        let body = json!({
            "url": hook.url, "token": hook.secret, "push_events": true,
            "merge_requests_events": true, "enable_ssl_verification": true,
        });
        let known = self.list_webhooks(hook.path).await?;
        let Some((first, others)) = known.split_first() else {
            let url = self.place.at(&["hooks"]);
            return self.call(Method::POST, url, Some(body)).await?.expect(&[201]).map(drop);
        };
        for other in others {
            self.delete(*other).await?;
        }
        let url = self.place.at(&["hooks", &first.to_string()]);
        self.call(Method::PUT, url, Some(body)).await?.expect(&[200]).map(drop)
    }

    /// Removes the webhooks at GitLab whose address ends with `path`.
    ///
    /// # Errors
    /// Returns an error if the exchange fails, or the owner of the token may not manage webhooks.
    pub(in crate::content) async fn delete_webhooks(self, path: &str) -> Result<(), HostingError> {
        for id in self.list_webhooks(path).await? {
            self.delete(id).await?;
        }
        Ok(())
    }

    /// Lists the numbers of the webhooks whose address ends with `path`.
    async fn list_webhooks(self, path: &str) -> Result<Vec<u64>, HostingError> {
        let mut found = Vec::new();
        let url = self.place.at(&["hooks"]);
        self.pages(&url, "per_page", HOOKS, |hook: Hook| {
            if hook.url.ends_with(path) {
                found.push(hook.id);
            }
            Ok(Step::Next)
        })
        .await?;
        Ok(found)
    }

    async fn delete(self, id: u64) -> Result<(), HostingError> {
        let url = self.place.at(&["hooks", &id.to_string()]);
        let answer = self.call(Method::DELETE, url, None).await?;
        // Somebody may have removed it meanwhile.
        answer.expect(&[200, 204, 404]).map(drop)
    }
}
