//! The kinds of operations. Each kind executes a request in its own stages.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use bindery_app::access::credentials;
use bindery_app::{App, Context, Tx};
use bindery_contract::BodyLimit;
use bindery_model::{Error, Result};
use bytes::Bytes;
use http::HeaderMap;

use super::request::{Authenticated, Execution};
use crate::bodies::Upload;
use crate::call::Call;
use crate::idempotency::{self, RolledBack};
use crate::reply::Reply;

/// Authorizes the caller of a request for the target in its path.
pub(crate) type Admission = Arc<dyn Fn(&Context<'_>, &Call) -> Result<()> + Send + Sync>;
/// Authorizes the caller of a request and answers it.
pub(crate) type Handler = Arc<dyn Fn(&Context<'_>, &Call) -> Result<Reply> + Send + Sync>;

type ReplyFuture = Pin<Box<dyn Future<Output = Result<Reply>> + Send>>;
pub(crate) type ActHandler = Box<dyn Fn(Arc<App>, Arc<Call>) -> ReplyFuture + Send + Sync>;
pub(crate) type DeliverHandler =
    Box<dyn Fn(Arc<App>, Arc<Call>, Delivery) -> ReplyFuture + Send + Sync>;
pub(crate) type ReceiveHandler =
    Box<dyn Fn(Arc<App>, Arc<Call>, Upload) -> ReplyFuture + Send + Sync>;

/// Produces the input of a change outside of a transaction.
pub(crate) type PrepareFuture<'a, P> = Pin<Box<dyn Future<Output = Result<P>> + Send + 'a>>;
/// Prepares a change and returns the handler that makes it.
pub(crate) type PrepareHandler =
    Box<dyn for<'a> Fn(&'a App, &'a Call) -> PrepareFuture<'a, Handler> + Send + Sync>;

/// Cost of reads of whole trees and of writes with files, in units.
const LONG_COST: u32 = 5;
/// Cost of imports and archives, in units.
pub(crate) const IMPORT_COST: u32 = 20;

/// The kind of an operation, with its handlers.
pub(crate) enum Run {
    Read(Read),
    ReadWithBody(ReadWithBody),
    Write(Write),
    Prepare(Prepare),
    Act(Act),
    Deliver(Deliver),
    Receive(Receive),
}

impl Run {
    /// Returns the usual cost of an operation of this kind, in units of the rate limit.
    pub(crate) const fn cost(&self) -> u32 {
        match self {
            // Attempts to sign in have a limit of their own.
            Self::Read(Read { long: false, .. })
            | Self::Write(_)
            | Self::Act(_)
            | Self::Deliver(_) => 1,
            Self::Read(Read { long: true, .. }) | Self::ReadWithBody(_) | Self::Prepare(_) => {
                LONG_COST
            }
            Self::Receive(_) => IMPORT_COST,
        }
    }

    /// Returns `true` if requests of this kind have bodies with this limit.
    pub(crate) fn accepts(&self, limit: BodyLimit) -> bool {
        matches!(self, Self::Receive(_)) == (limit == BodyLimit::Archive)
            && matches!(self, Self::Deliver(_)) == (limit == BodyLimit::Event)
    }

    /// Executes a request.
    pub(super) async fn execute(&self, execution: Execution<'_>) -> Result<Reply> {
        match self {
            Self::Read(read) => read.execute(execution).await,
            Self::ReadWithBody(read) => read.execute(execution).await,
            Self::Write(write) => write.execute(execution).await,
            Self::Prepare(prepare) => prepare.execute(execution).await,
            Self::Act(act) => act.execute(execution).await,
            Self::Deliver(deliver) => deliver.execute(execution).await,
            Self::Receive(receive) => receive.execute(execution).await,
        }
    }
}

/// Reads, in one snapshot.
pub(crate) struct Read {
    pub(crate) handler: Handler,
    /// `true` if the read may be large and runs off the threads that serve requests.
    pub(crate) long: bool,
}

impl Read {
    async fn execute(&self, execution: Execution<'_>) -> Result<Reply> {
        let Execution { app, request, .. } = execution;
        let (handler, shared_app) = (Arc::clone(&self.handler), Arc::clone(app));
        let read = move |tx: &Tx<'_>| {
            let Authenticated { caller, last_use, call } = request.authenticate(tx, &shared_app)?;
            let cx = Context { tx, app: &shared_app, caller: &caller };
            Ok::<_, Error>((handler(&cx, &call?)?, last_use))
        };
        let (reply, last_use) = if self.long {
            app.store.read_blocking(read).await?
        } else {
            app.store.read(read).await?
        };
        credentials::touch_later(app, last_use);
        Ok(reply)
    }
}

/// Reads much, in one snapshot, what a body asks for.
pub(crate) struct ReadWithBody {
    /// Authorizes the caller before the body is read.
    pub(crate) admission: Admission,
    pub(crate) handler: Handler,
}

impl ReadWithBody {
    async fn execute(&self, execution: Execution<'_>) -> Result<Reply> {
        let app = execution.app;
        let (call, _) = execution.admit(&self.admission).await?.read_body().await?;
        let (handler, shared_app) = (Arc::clone(&self.handler), Arc::clone(app));
        let read = move |tx: &Tx<'_>| {
            let credentials = call.credentials.as_ref();
            let (caller, _) = credentials::authenticate(tx, &shared_app, credentials)?;
            let cx = Context { tx, app: &shared_app, caller: &caller };
            handler(&cx, &call)
        };
        app.store.read_blocking(read).await
    }
}

/// Changes, in one transaction.
pub(crate) struct Write {
    /// Authorizes the caller before the body is read.
    pub(crate) admission: Admission,
    /// Makes the change.
    pub(crate) handler: Handler,
}

impl Write {
    async fn execute(&self, execution: Execution<'_>) -> Result<Reply> {
        let app = execution.app;
        let (call, key) = execution.admit(&self.admission).await?.read_body().await?;
        write(app, Arc::clone(&self.handler), call, key).await
    }
}

/// Fetches files for the change once the caller is authorized, then makes the change.
pub(crate) struct Prepare {
    /// Authorizes the caller before the body is read, and before the files are fetched.
    pub(crate) admission: Admission,
    /// Fetches the files.
    pub(crate) prepare: PrepareHandler,
}

impl Prepare {
    async fn execute(&self, execution: Execution<'_>) -> Result<Reply> {
        let app = execution.app;
        let (call, key) = execution.admit(&self.admission).await?.read_body().await?;
        let (call, key, answered) = admit_again(app, &self.admission, call, key).await?;
        if let Some(reply) = answered {
            return Ok(reply);
        }
        let handler = (self.prepare)(app, &call).await?;
        write(app, handler, call, key).await
    }
}

/// Does long work between several transactions, each of which checks access itself.
pub(crate) struct Act {
    /// Authorizes the caller before the body is read, and before the work starts.
    pub(crate) admission: Admission,
    /// Does the work.
    pub(crate) act: ActHandler,
}

impl Act {
    async fn execute(&self, execution: Execution<'_>) -> Result<Reply> {
        let app = execution.app;
        let (call, _) = execution.admit(&self.admission).await?.read_body().await?;
        let (call, ..) = admit_again(app, &self.admission, call, None).await?;
        (self.act)(Arc::clone(app), Arc::new(call)).await
    }
}

/// The headers and the bytes of a request whose body its sender signed.
pub(crate) struct Delivery {
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

/// Receives an event of another server, whose bytes are verified before they are parsed.
pub(crate) struct Deliver {
    /// Authorizes the caller before the body is read.
    pub(crate) admission: Admission,
    /// Verifies the event and makes the change.
    pub(crate) deliver: DeliverHandler,
}

impl Deliver {
    async fn execute(&self, execution: Execution<'_>) -> Result<Reply> {
        let app = execution.app;
        let (call, delivery) = execution.admit(&self.admission).await?.receive_event().await?;
        (self.deliver)(Arc::clone(app), Arc::new(call), delivery).await
    }
}

/// Receives a body that is too large for memory after authorization, then makes the change.
pub(crate) struct Receive {
    /// Authorizes the caller before the body is read.
    pub(crate) admission: Admission,
    /// Receives the body and makes the change.
    pub(crate) receive: ReceiveHandler,
}

impl Receive {
    async fn execute(&self, execution: Execution<'_>) -> Result<Reply> {
        let app = execution.app;
        let (call, upload) = execution.admit(&self.admission).await?.receive_body().await?;
        (self.receive)(Arc::clone(app), Arc::new(call), upload).await
    }
}

/// Authorizes the caller again before expensive work, as the body took time to arrive. Also returns
/// the stored answer if a request with this idempotency key has been answered before.
async fn admit_again(
    app: &Arc<App>,
    admission: &Admission,
    call: Call,
    key: Option<String>,
) -> Result<(Call, Option<String>, Option<Reply>)> {
    let (admission, shared_app) = (Arc::clone(admission), Arc::clone(app));
    let admit = move |tx: &Tx<'_>| {
        let (caller, _) = credentials::authenticate(tx, &shared_app, call.credentials.as_ref())?;
        let cx = Context { tx, app: &shared_app, caller: &caller };
        admission(&cx, &call)?;
        let answered = match &key {
            Some(key) => idempotency::stored_reply(&cx, &call, key)?,
            None => None,
        };
        Ok::<_, Error>((call, key, answered))
    };
    app.store.read(admit).await
}

/// Runs a handler in the single transaction of a change.
async fn write(app: &Arc<App>, handler: Handler, call: Call, key: Option<String>) -> Result<Reply> {
    let shared_app = Arc::clone(app);
    let space = call.get_path("spaceId").map(str::to_owned);
    let run = move |tx: &Tx<'_>| {
        let caller = call.caller(tx, &shared_app)?;
        let cx = Context { tx, app: &shared_app, caller: &caller };
        match &key {
            None => Ok(handler(&cx, &call)?),
            Some(key) => idempotency::run_once(&cx, &call, key, || handler(&cx, &call)),
        }
    };
    let done = match space {
        None => app.store.write(run).await,
        Some(space) => app.store.write_serialized(&space, run).await,
    };
    match done {
        Ok(reply) => Ok(reply),
        Err(RolledBack::Replayed(reply)) => Ok(*reply),
        Err(RolledBack::Failed(error)) => Err(error),
    }
}
