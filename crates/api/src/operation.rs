//! Registration of operations: the id, the target, the action and the handler.
//!
//! Method and path come from the contract. A handler receives an `Authorized` target, so it cannot
//! be registered without a target and an action.

use std::future::Future;
use std::sync::Arc;

use bindery_app::access::{
    Action, Anyone, Authorized, LeavingMember, MemberTarget, SignedIn, Target, TargetKind,
    UserTarget, authorize_target,
};
use bindery_app::content::collections::Collection;
use bindery_app::content::git_installations::GitInstallationTarget;
use bindery_app::content::spaces::Space;
use bindery_app::jobs::JobTarget;
use bindery_app::people::organization_invites::InviteLinkTarget;
use bindery_app::people::organizations::Organization;
use bindery_app::people::teams::TeamRow;
use bindery_app::publishing::ads::ReviewedSite;
use bindery_app::publishing::audience::share_links::ShareLinkTarget;
use bindery_app::publishing::hostnames::NamedSite;
use bindery_app::publishing::published::{ReadableChangeRequest, ReadableSite, ReadableSpace};
use bindery_app::review::change_requests::{ChangeRequestKey, ChangeRequestTarget};
use bindery_app::{App, Context};
use bindery_model::{
    CollectionId, GitInstallationId, InviteLinkId, JobId, OrganizationId, Result, SiteShareLinkId,
    SpaceId, TeamId, UserId,
};

use crate::bodies::Upload;
use crate::call::Call;
use crate::pipeline::run::{
    Act, ActHandler, Admission, Deliver, DeliverHandler, Delivery, Handler, IMPORT_COST, Prepare,
    PrepareFuture, PrepareHandler, Read, ReadWithBody, Receive, ReceiveHandler, Run, Write,
};
use crate::reply::Reply;

/// A target that is identified by path parameters.
pub trait PathTarget: Target + 'static {
    /// Parses the key from the path; `None` if the text is no valid id.
    fn key(call: &Call) -> Option<Self::Key>;
}

impl PathTarget for Anyone {
    fn key(_: &Call) -> Option<()> {
        Some(())
    }
}

impl PathTarget for SignedIn {
    fn key(_: &Call) -> Option<()> {
        Some(())
    }
}

impl PathTarget for Organization {
    fn key(call: &Call) -> Option<OrganizationId> {
        OrganizationId::parse(call.path("organizationId"))
    }
}

impl PathTarget for UserTarget {
    fn key(call: &Call) -> Option<UserId> {
        UserId::parse(call.path("userId"))
    }
}

impl PathTarget for MemberTarget {
    fn key(call: &Call) -> Option<Self::Key> {
        Some((
            OrganizationId::parse(call.path("organizationId"))?,
            UserId::parse(call.path("userId"))?,
        ))
    }
}

impl PathTarget for LeavingMember {
    fn key(call: &Call) -> Option<Self::Key> {
        MemberTarget::key(call)
    }
}

impl PathTarget for InviteLinkTarget {
    fn key(call: &Call) -> Option<Self::Key> {
        Some((
            OrganizationId::parse(call.path("organizationId"))?,
            InviteLinkId::parse(call.path("inviteId"))?,
        ))
    }
}

impl PathTarget for Space {
    fn key(call: &Call) -> Option<SpaceId> {
        SpaceId::parse(call.path("spaceId"))
    }
}

impl PathTarget for ReadableSpace {
    fn key(call: &Call) -> Option<SpaceId> {
        Space::key(call)
    }
}

impl PathTarget for Collection {
    fn key(call: &Call) -> Option<CollectionId> {
        CollectionId::parse(call.path("collectionId"))
    }
}

impl PathTarget for ChangeRequestTarget {
    fn key(call: &Call) -> Option<Self::Key> {
        Some((
            SpaceId::parse(call.path("spaceId"))?,
            ChangeRequestKey::parse(call.path("changeRequestId"))?,
        ))
    }
}

impl PathTarget for ReadableChangeRequest {
    fn key(call: &Call) -> Option<Self::Key> {
        ChangeRequestTarget::key(call)
    }
}

impl PathTarget for GitInstallationTarget {
    fn key(call: &Call) -> Option<GitInstallationId> {
        GitInstallationId::parse(call.path("installationId"))
    }
}

impl PathTarget for JobTarget {
    fn key(call: &Call) -> Option<JobId> {
        JobId::parse(call.path("jobId"))
    }
}

impl PathTarget for bindery_app::publishing::sites::SiteTarget {
    fn key(call: &Call) -> Option<Self::Key> {
        Some((
            OrganizationId::parse(call.path("organizationId"))?,
            bindery_model::SiteId::parse(call.path("siteId"))?,
        ))
    }
}

impl PathTarget for ReviewedSite {
    fn key(call: &Call) -> Option<Self::Key> {
        bindery_model::SiteId::parse(call.path("siteId"))
    }
}

impl PathTarget for NamedSite {
    fn key(call: &Call) -> Option<Self::Key> {
        Some(call.path("hostname").to_owned())
    }
}

impl PathTarget for ShareLinkTarget {
    fn key(call: &Call) -> Option<Self::Key> {
        let (organization, site) = bindery_app::publishing::sites::SiteTarget::key(call)?;
        Some((organization, site, SiteShareLinkId::parse(call.path("shareLinkId"))?))
    }
}

impl PathTarget for ReadableSite {
    fn key(call: &Call) -> Option<Self::Key> {
        bindery_app::publishing::sites::SiteTarget::key(call)
    }
}

impl PathTarget for TeamRow {
    fn key(call: &Call) -> Option<Self::Key> {
        Some((
            OrganizationId::parse(call.path("organizationId"))?,
            TeamId::parse(call.path("teamId"))?,
        ))
    }
}

/// An implemented operation.
pub struct Operation {
    /// The contract's operation id.
    pub(crate) id: &'static str,
    /// The kind of its target.
    pub(crate) target: TargetKind,
    /// The action on the target that it requires.
    pub(crate) action: Action,
    /// Another action that its handler requires, on a target that the path does not name.
    pub(crate) additional_action: Option<Action>,
    /// Units of the rate limit that a request takes: its approximate work relative to a small read.
    pub(crate) cost: u32,
    pub(crate) run: Run,
}

impl Operation {
    fn new<T: Target>(id: &'static str, action: Action, run: Run) -> Self {
        let cost = run.cost();
        Self { id, target: T::KIND, action, additional_action: None, cost, run }
    }

    /// Marks an operation that starts long work, such as an import.
    pub(crate) const fn expensive(mut self) -> Self {
        self.cost = IMPORT_COST;
        self
    }

    /// Sets the units of the rate limit that a request takes.
    pub(crate) const fn costing(mut self, units: u32) -> Self {
        self.cost = units;
        self
    }

    /// Adds an action that the handler requires beside the one on its target.
    pub(crate) const fn additional_action(mut self, action: Action) -> Self {
        self.additional_action = Some(action);
        self
    }
}

impl std::fmt::Debug for Operation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Operation").field("id", &self.id).finish_non_exhaustive()
    }
}

fn admission<T: PathTarget>(action: Action) -> Admission {
    Arc::new(move |cx, call| {
        authorize_target::<T>(cx.tx, cx.caller, action, T::key(call).as_ref()).map(drop)
    })
}

fn handler<T: PathTarget>(
    action: Action,
    handler: fn(&Context<'_>, &Authorized<T>, &Call) -> Result<Reply>,
) -> Handler {
    Arc::new(move |cx, call| {
        let target = authorize_target::<T>(cx.tx, cx.caller, action, T::key(call).as_ref())?;
        handler(cx, &target, call)
    })
}

/// Registers an operation that reads little.
pub(crate) fn read<T: PathTarget>(
    id: &'static str,
    action: Action,
    run: fn(&Context<'_>, &Authorized<T>, &Call) -> Result<Reply>,
) -> Operation {
    Operation::new::<T>(id, action, Run::Read(Read { handler: handler(action, run), long: false }))
}

/// Registers an operation that may read much, such as a page tree or documents.
pub(crate) fn read_long<T: PathTarget>(
    id: &'static str,
    action: Action,
    run: fn(&Context<'_>, &Authorized<T>, &Call) -> Result<Reply>,
) -> Operation {
    Operation::new::<T>(id, action, Run::Read(Read { handler: handler(action, run), long: true }))
}

/// Registers an operation that may read much, and whose body says what.
pub(crate) fn read_with_body<T: PathTarget>(
    id: &'static str,
    action: Action,
    run: fn(&Context<'_>, &Authorized<T>, &Call) -> Result<Reply>,
) -> Operation {
    let read = ReadWithBody { admission: admission::<T>(action), handler: handler(action, run) };
    Operation::new::<T>(id, action, Run::ReadWithBody(read))
}

/// Registers an operation that makes a change.
pub(crate) fn write<T: PathTarget>(
    id: &'static str,
    action: Action,
    run: fn(&Context<'_>, &Authorized<T>, &Call) -> Result<Reply>,
) -> Operation {
    let admission = admission::<T>(action);
    Operation::new::<T>(id, action, Run::Write(Write { admission, handler: handler(action, run) }))
}

/// Registers an operation that makes a change with files, which are fetched first so that the
/// transaction waits for nothing. `P` is the prepared input of the change.
pub(crate) fn write_with_files<T: PathTarget, P: Send + Sync + 'static>(
    id: &'static str,
    action: Action,
    prepare: for<'a> fn(&'a App, &'a Call) -> PrepareFuture<'a, P>,
    run: fn(&Context<'_>, &Authorized<T>, &Call, &P) -> Result<Reply>,
) -> Operation {
    let admission = admission::<T>(action);
    let prepare: PrepareHandler = Box::new(move |app, call| {
        Box::pin(async move {
            let prepared = prepare(app, call).await?;
            let handler: Handler = Arc::new(move |cx, call| {
                let key = T::key(call);
                let target = authorize_target::<T>(cx.tx, cx.caller, action, key.as_ref())?;
                run(cx, &target, call, &prepared)
            });
            Ok(handler)
        })
    });
    Operation::new::<T>(id, action, Run::Prepare(Prepare { admission, prepare }))
}

/// Registers an operation that does long work outside of transactions.
pub(crate) fn act<T: PathTarget, F>(
    id: &'static str,
    action: Action,
    run: fn(Arc<App>, Arc<Call>) -> F,
) -> Operation
where
    F: Future<Output = Result<Reply>> + Send + 'static,
{
    let admission = admission::<T>(action);
    let act: ActHandler = Box::new(move |app, call| Box::pin(run(app, call)));
    Operation::new::<T>(id, action, Run::Act(Act { admission, act }))
}

/// Registers an operation that receives a large body.
pub(crate) fn receive<T: PathTarget, F>(
    id: &'static str,
    action: Action,
    receive: fn(Arc<App>, Arc<Call>, Upload) -> F,
) -> Operation
where
    F: Future<Output = Result<Reply>> + Send + 'static,
{
    let admission = admission::<T>(action);
    let receive: ReceiveHandler =
        Box::new(move |app, call, upload| Box::pin(receive(app, call, upload)));
    Operation::new::<T>(id, action, Run::Receive(Receive { admission, receive }))
}

/// Registers an operation that receives an event of another server, with its headers.
pub(crate) fn deliver<T: PathTarget, F>(
    id: &'static str,
    action: Action,
    deliver: fn(Arc<App>, Arc<Call>, Delivery) -> F,
) -> Operation
where
    F: Future<Output = Result<Reply>> + Send + 'static,
{
    let admission = admission::<T>(action);
    let deliver: DeliverHandler =
        Box::new(move |app, call, delivery| Box::pin(deliver(app, call, delivery)));
    Operation::new::<T>(id, action, Run::Deliver(Deliver { admission, deliver }))
}
