//! `receiveGitEvent`: receives an event of a Git server, which starts a run of a synchronisation.

use std::sync::Arc;

use bindery_app::App;
use bindery_app::access::{Action, Anyone};
use bindery_app::content::git_sync::{self, DeliveredEvent, HookHeaders};
use bindery_model::Result;

use crate::call::Call;
use crate::operation::{Operation, deliver};
use crate::pipeline::run::Delivery;
use crate::reply::Reply;

pub(super) fn operation() -> Operation {
    deliver::<Anyone, _>("receiveGitEvent", Action::Call, run)
}

async fn run(app: Arc<App>, call: Arc<Call>, delivery: Delivery) -> Result<Reply> {
    let Delivery { headers, body } = delivery;
    let headers = HookHeaders::read(|name| {
        let value = headers.get(name)?.to_str().ok()?;
        Some(value.to_owned())
    });
    git_sync::receive(&app, call.path("syncId"), DeliveredEvent { headers, body }).await?;
    Ok(Reply::empty(204))
}
