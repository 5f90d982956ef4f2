//! Steps that clients send. Those that arrive for one space at the same time are accepted in one
//! transaction, so that many writers cost few commits.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use bindery_model::{EditingSessionId, Error, ErrorKind, FieldPath, Result, SpaceId};
use bindery_steps::{Node, Step, rebase};
use bindery_store::Tx;
use bindery_store::editing::EditingSession;
use serde_json::Value;
use tokio::sync::oneshot;

use super::content::EditedContent;
use super::text::{self, Text};
use crate::access::Caller;
use crate::review::change_requests::author;
use crate::{App, Context};

/// Maximum number of batches that one transaction accepts.
const MAX_AT_ONCE: usize = 64;

/// Steps that a client sends.
#[derive(Debug)]
pub struct Sent {
    /// The session.
    pub session: EditingSessionId,
    /// The version of the text that they were made for.
    pub version: i64,
    /// The name of the sender.
    pub client: String,
    /// The sender's number of the batch, which grows.
    pub number: i64,
    /// The steps, as JSON.
    pub steps: Vec<Value>,
}

/// An accepted batch.
#[derive(Clone, Debug)]
pub struct Accepted {
    /// The session after the batch, and after those that were accepted with it.
    pub session: EditingSession,
    /// The version at which the batch was accepted.
    pub version: i64,
}

/// Authorizes the sender of steps. Returns the sender and the content.
pub type Authorize = Arc<dyn Fn(&Tx<'_>) -> Result<(Caller, EditedContent)> + Send + Sync>;

/// Steps that wait for a transaction.
struct Waiting {
    authorize: Authorize,
    sent: Sent,
    answer: oneshot::Sender<Result<Accepted>>,
}

/// The steps that wait on this node, by space. A space has an entry while a task accepts its steps.
#[derive(Default)]
pub struct SendQueue(Mutex<HashMap<SpaceId, Vec<Waiting>>>);

impl std::fmt::Debug for SendQueue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SendQueue").finish_non_exhaustive()
    }
}

impl SendQueue {
    fn with<T>(&self, run: impl FnOnce(&mut HashMap<SpaceId, Vec<Waiting>>) -> T) -> T {
        run(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Returns the next steps of a space, or removes its entry.
    fn take(&self, space: SpaceId) -> Vec<Waiting> {
        self.with(|spaces| {
            let Some(waiting) = spaces.get_mut(&space) else { return Vec::new() };
            if waiting.is_empty() {
                spaces.remove(&space);
                return Vec::new();
            }
            waiting.drain(..waiting.len().min(MAX_AT_ONCE)).collect()
        })
    }
}

/// Accepts steps: adapts them to those that were accepted since their version, and stores them.
/// Steps that the others left nothing to change are dropped. A batch that arrives again changes
/// nothing.
///
/// # Errors
/// Returns an error if the sender may not change the content, if a step does not fit, if the text
/// after it is no document of the API, or if the session no longer has the batches since the
/// version; the caller then joins again.
pub async fn send(
    app: &Arc<App>,
    space: SpaceId,
    authorize: Authorize,
    sent: Sent,
) -> Result<Accepted> {
    let (answer, accepted) = oneshot::channel();
    let waiting = Waiting { authorize, sent, answer };
    let is_first = app.editing.queue.with(|spaces| {
        let is_first = !spaces.contains_key(&space);
        spaces.entry(space).or_default().push(waiting);
        is_first
    });
    if is_first {
        tokio::spawn(accept_waiting(Arc::clone(app), space));
    }
    accepted.await.unwrap_or_else(|_| Err(Error::unavailable("the server stops; try again")))
}

/// Accepts the steps of a space until none wait.
async fn accept_waiting(app: Arc<App>, space: SpaceId) {
    loop {
        let waiting = app.editing.queue.take(space);
        if waiting.is_empty() {
            return;
        }
        let mut batches = Vec::new();
        let mut answers = Vec::new();
        for Waiting { authorize, sent, answer } in waiting {
            batches.push((authorize, sent));
            answers.push(answer);
        }
        let batches = Arc::new(batches);
        let count = batches.len();
        let accepted = match accept(&app, space, &batches, 0..count).await {
            Ok(accepted) => accepted,
            Err(error) if count == 1 => vec![Err(error)],
            Err(_) => {
                // Each gets a transaction of its own, so that only the cause of the error fails.
                let mut each = Vec::new();
                for index in 0..count {
                    let alone = accept(&app, space, &batches, index..index + 1).await;
                    each.push(alone.and_then(|mut one| one.pop().unwrap_or_else(no_answer)));
                }
                each
            }
        };
        for (answer, accepted) in answers.into_iter().zip(accepted) {
            // The client may have gone.
            let _gone = answer.send(accepted);
        }
    }
}

fn no_answer() -> Result<Accepted> {
    Err(Error::internal("a batch was neither accepted nor refused"))
}

/// Accepts batches in one transaction. Returns an answer for each, or an error after which none of
/// them is stored.
async fn accept(
    app: &Arc<App>,
    space: SpaceId,
    batches: &Arc<Vec<(Authorize, Sent)>>,
    range: Range<usize>,
) -> Result<Vec<Result<Accepted>>> {
    let (app, batches) = (Arc::clone(app), Arc::clone(batches));
    // A panic must not end the task that accepts the next ones.
    let accepted = tokio::spawn(async move {
        let shared_app = Arc::clone(&app);
        let run = move |tx: &Tx<'_>| {
            accept_all(tx, &shared_app, batches.get(range.clone()).unwrap_or_default())
        };
        app.store.write_serialized(&space.to_string(), run).await
    });
    accepted.await.unwrap_or_else(|_| Err(Error::internal("the transaction of a batch panicked")))
}

fn accept_all(
    tx: &Tx<'_>,
    app: &App,
    batches: &[(Authorize, Sent)],
) -> Result<Vec<Result<Accepted>>> {
    let mut texts: HashMap<EditingSessionId, Text> = HashMap::new();
    let mut answers = Vec::new();
    for (authorize, sent) in batches {
        let accepted = authorize(tx).and_then(|(caller, content)| {
            let cx = Context { tx, app, caller: &caller };
            content.require_editable()?;
            let text = match texts.entry(sent.session) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(new) => {
                    let session = super::get(&cx, &content, sent.session)?;
                    new.insert(Text::current(&cx, &content, session)?)
                }
            };
            super::require_own(&cx, &text.session)?;
            add_sent(&cx, &content, text, sent)
        });
        answers.push(match accepted {
            Err(error) if is_of_server(&error) => return Err(error),
            accepted => accepted,
        });
    }
    let anyone = Context { tx, app, caller: &Caller::Anonymous };
    let mut sessions = HashMap::new();
    for (id, text) in texts {
        sessions.insert(id, text.finish(&anyone)?);
    }
    let answer = |(accepted, (_, sent)): (Result<i64>, &(Authorize, Sent))| {
        let version = accepted?;
        let session = sessions.get(&sent.session).cloned();
        session.map_or_else(no_answer, |session| Ok(Accepted { session, version }))
    };
    Ok(answers.into_iter().zip(batches).map(answer).collect())
}

/// Returns `true` for errors that are not the caller's, after which a transaction cannot go on.
fn is_of_server(error: &Error) -> bool {
    matches!(error.kind(), ErrorKind::Internal | ErrorKind::Unavailable)
}

/// Adds the steps that a client sent to a text. Returns the version at which they were accepted.
fn add_sent(
    cx: &Context<'_>,
    content: &EditedContent,
    text: &mut Text,
    sent: &Sent,
) -> Result<i64> {
    let user = author(cx)?;
    let known = text.sender(cx, user, &sent.client)?;
    if let Some(known) = known.filter(|known| sent.number <= known.number) {
        return Ok(known.version);
    }
    let own = steps_of(&sent.steps)?;
    let over = text.steps_after(cx, sent.version)?;
    let before = text.doc.clone();
    let (steps, doc) = match over.is_empty() {
        true => applied(&own, &before)?,
        false => rebase(&own, &over, &before),
    };
    text::check(cx, content, &FieldPath::new("/steps"), (&doc, &before))?;
    let source = text::Source::Sender { user, client: &sent.client, number: sent.number };
    text.add(cx, doc, &steps, &source)?;
    Ok(text.session.version)
}

fn steps_of(sent: &[Value]) -> Result<Vec<Step>> {
    let at = |index| FieldPath::new("/steps").field(index);
    let steps = sent.iter().enumerate();
    steps
        .map(|(index, step)| Step::from_json(step).map_err(|error| at(index).invalid(error)))
        .collect()
}

/// Applies steps that were made for the present text, so each has to fit.
fn applied(steps: &[Step], doc: &Node) -> Result<(Vec<Step>, Node)> {
    let mut doc = doc.clone();
    for (index, step) in steps.iter().enumerate() {
        let at = || FieldPath::new("/steps").field(index);
        doc = step.apply(&doc).map_err(|error| at().invalid(error))?;
    }
    Ok((steps.to_vec(), doc))
}
