//! Sessions in which people write a page together, of a change request or of the main content.

use std::sync::Arc;

use bindery_app::access::{Action, Authorized, Caller, SignedIn, authorize_target};
use bindery_app::content::spaces::Space;
use bindery_app::people::users;
use bindery_app::review::change_requests::ChangeRequestTarget;
use bindery_app::review::editing::{
    self, Accepted, Authorize, EditedContent, EditingBatch, EditingSession, Follower, Follows,
    Joined, Message, PeopleChange, Present, Selection, Sent, Window, Work,
};
use bindery_app::{App, Context, Tx};
use bindery_http::Body;
use bindery_model::{
    EditingSessionId, Error, Location, PageId, Result, RevisionId, SpaceId, UserId,
};
use bindery_wire::request::{EditingJoin, EditingSelection, EditingSteps};
use bindery_wire::response;
use bytes::Bytes;
use serde_json::json;
use serde_json::value::RawValue;

use crate::call::Call;
use crate::operation::{Operation, PathTarget, act, read, write};
use crate::present;
use crate::reply::Reply;

pub(super) fn operations() -> Vec<Operation> {
    vec![
        write("joinPageEditing", ChangeRequestTarget::ACTION, join::<ChangeRequestTarget>),
        act::<ChangeRequestTarget, _>(
            "listEditingSteps",
            ChangeRequestTarget::ACTION,
            list::<ChangeRequestTarget>,
        ),
        act::<ChangeRequestTarget, _>(
            "sendEditingSteps",
            ChangeRequestTarget::ACTION,
            send::<ChangeRequestTarget>,
        ),
        act::<ChangeRequestTarget, _>(
            "setEditingSelection",
            ChangeRequestTarget::ACTION,
            select::<ChangeRequestTarget>,
        ),
        read("listEditingPeople", ChangeRequestTarget::ACTION, people::<ChangeRequestTarget>),
        write("joinSpacePageEditing", Space::ACTION, join::<Space>),
        act::<Space, _>("listSpaceEditingSteps", Space::ACTION, list::<Space>),
        act::<Space, _>("sendSpaceEditingSteps", Space::ACTION, send::<Space>),
        act::<Space, _>("setSpaceEditingSelection", Space::ACTION, select::<Space>),
        read("listSpaceEditingPeople", Space::ACTION, people::<Space>),
        read("openConnection", Action::ActAsSelf, open_connection),
    ]
}

/// A target whose pages people write together.
trait Edited: PathTarget {
    /// The action that it requires.
    const ACTION: Action;

    fn content(&self) -> EditedContent;
}

impl Edited for ChangeRequestTarget {
    const ACTION: Action = Action::EditChangeRequest;

    fn content(&self) -> EditedContent {
        self.into()
    }
}

impl Edited for Space {
    const ACTION: Action = Action::EditContent;

    fn content(&self) -> EditedContent {
        self.into()
    }
}

fn join<T: Edited>(cx: &Context<'_>, target: &Authorized<T>, call: &Call) -> Result<Reply> {
    let page = PageId::parse(call.path("pageId")).ok_or_else(|| Error::not_found("page"))?;
    let EditingJoin { suggest, work } = call.body()?;
    let work = work.as_ref().map(|work| Work {
        client: &work.client,
        number: signed(work.number),
        base: &work.base,
        document: &work.document,
        sent: work
            .sent
            .iter()
            .flatten()
            .map(|sent| (signed(sent.number), &sent.document))
            .collect(),
    });
    let suggests = suggest.unwrap_or_default();
    let joined = editing::join(cx, &target.content(), page, suggests, work.as_ref())?;
    let Joined { session, document, conflicts } = joined;
    let answer = response::EditingSession {
        id: session.id.to_string(),
        page: session.page.to_string(),
        version: count(session.version),
        saved: count(session.saved),
        revision: session.revision.to_string(),
        document: RawValue::from_string(document)
            .map_err(|error| Error::internal(format!("a text is not JSON: {error}")))?,
        conflicts: u64::try_from(conflicts).ok().filter(|count| *count > 0),
    };
    Reply::json(200, &answer)
}

async fn send<T: Edited>(app: Arc<App>, call: Arc<Call>) -> Result<Reply> {
    let EditingSteps { version, client, number, steps, save } = call.body()?;
    let id = session_id(&call)?;
    let space = SpaceId::parse(call.path("spaceId")).ok_or_else(|| Error::not_found("space"))?;
    let mut answer = None;
    if !steps.is_empty() {
        let (version, number) = (signed(version), signed(number));
        let sent = Sent { session: id, version, client, number, steps };
        let (checked_app, checked_call) = (Arc::clone(&app), Arc::clone(&call));
        let authorize: Authorize = Arc::new(move |tx: &Tx<'_>| {
            let (caller, target) = may_edit::<T>(tx, &checked_app, &checked_call)?;
            Ok((caller, target.content()))
        });
        let Accepted { session, version } = editing::send(&app, space, authorize, sent).await?;
        answer = Some(state(version, session.saved, session.revision));
    }
    let answer = match (answer, save.unwrap_or_default()) {
        (Some(answer), false) => answer,
        (sent, save) => {
            let accepted = sent.map_or(version, |sent| sent.version);
            let (shared_app, call) = (Arc::clone(&app), Arc::clone(&call));
            let run = move |tx: &Tx<'_>| {
                let (caller, target) = may_edit::<T>(tx, &shared_app, &call)?;
                let cx = Context { tx, app: &shared_app, caller: &caller };
                let content = target.content();
                let session = editing::get(&cx, &content, id)?;
                editing::require_own(&cx, &session)?;
                let (session, revision) = match save {
                    true => editing::save_session(&cx, &content, session)?,
                    false => (session.clone(), session.revision),
                };
                Ok::<_, Error>(state(signed(accepted), session.saved, revision))
            };
            app.store.write_serialized(&space.to_string(), run).await?
        }
    };
    Reply::json(200, &answer)
}

/// Returns the state of a session after steps that were accepted at a version.
fn state(version: i64, saved: i64, revision: RevisionId) -> response::EditingState {
    let revision = revision.to_string();
    response::EditingState { version: count(version), saved: count(saved), revision }
}

async fn list<T: Edited>(app: Arc<App>, call: Arc<Call>) -> Result<Reply> {
    let id = session_id(&call)?;
    let version = version_of(&call)?;
    let found = read_session::<T>(&app, &call, id, Some(version)).await?;
    if !call.flag("follow", false) {
        return Reply::json(
            200,
            &response::EditingBatches { items: present_batches(&found.batches)? },
        );
    }
    let client = call.query().text("client").map(str::to_owned);
    let (user, name) =
        found.user.ok_or_else(|| Error::unauthenticated("a person has to follow"))?;
    let window = Window { user, name, client };
    let (checked_app, checked_call) = (Arc::clone(&app), Arc::clone(&call));
    let check =
        Arc::new(move |tx: &Tx<'_>| may_edit::<T>(tx, &checked_app, &checked_call).map(drop));
    let follower = Follows::follow(&app, &found.session, window, check)?;
    // The second read returns the batches that were accepted before this connection was registered.
    let found = read_session::<T>(&app, &call, id, Some(version)).await?;
    Ok(Reply::events(events(follower, version, found)?))
}

/// The state of a session for a caller who has an earlier version.
struct Found {
    session: EditingSession,
    batches: Vec<EditingBatch>,
    /// The caller, with the name that others see.
    user: Option<(UserId, String)>,
}

async fn select<T: Edited>(app: Arc<App>, call: Arc<Call>) -> Result<Reply> {
    let EditingSelection { client, version, anchor, head } = call.body()?;
    let id = session_id(&call)?;
    let user = read_session::<T>(&app, &call, id, None).await?.user;
    let (user, _) = user.ok_or_else(|| Error::unauthenticated("a person has to select"))?;
    let [version, anchor, head] = [version, anchor, head].map(signed);
    let selection = Selection { version, anchor, head };
    app.editing.follows.select(id, (user, &client), selection);
    Ok(Reply::empty(204))
}

/// Reads a session, with its batches after a version if there is one.
async fn read_session<T: Edited>(
    app: &Arc<App>,
    call: &Arc<Call>,
    id: EditingSessionId,
    after: Option<i64>,
) -> Result<Found> {
    let (shared_app, call) = (Arc::clone(app), Arc::clone(call));
    let read = move |tx: &Tx<'_>| {
        let (caller, target) = may_edit::<T>(tx, &shared_app, &call)?;
        let cx = Context { tx, app: &shared_app, caller: &caller };
        let session = editing::get(&cx, &target.content(), id)?;
        editing::require_own(&cx, &session)?;
        let batches = match after {
            Some(after) => editing::batches(&cx, &session, after)?,
            None => Vec::new(),
        };
        let user = match cx.user() {
            Some(user) => users::get(&cx, user)?.map(|found| (user, found.display_name)),
            None => None,
        };
        Ok::<_, Error>(Found { session, batches, user })
    };
    app.store.read(read).await
}

fn people<T: Edited>(cx: &Context<'_>, target: &Authorized<T>, _: &Call) -> Result<Reply> {
    let mut items = Vec::new();
    for (page, user) in editing::list_people(cx, &target.content())? {
        if let Some(user) = users::get(cx, user)? {
            let user = present::user(cx.app, user);
            items.push(response::EditingPerson { page: page.to_string(), user });
        }
    }
    Reply::json(200, &response::EditingPeople { items })
}

/// Refuses a request without the headers of a WebSocket. The listener answers those that have them.
fn open_connection(_: &Context<'_>, _: &Authorized<SignedIn>, _: &Call) -> Result<Reply> {
    Err(Error::invalid(
        "this path is a WebSocket: send the headers \"Connection: Upgrade\", \"Upgrade: websocket\", \
         \"Sec-WebSocket-Version: 13\" and \"Sec-WebSocket-Key\"",
    ))
}

/// Authorizes the caller for the content in the path.
fn may_edit<T: Edited>(tx: &Tx<'_>, app: &App, call: &Call) -> Result<(Caller, Authorized<T>)> {
    let caller = call.caller(tx, app)?;
    let target = authorize_target::<T>(tx, &caller, T::ACTION, T::key(call).as_ref())?;
    Ok((caller, target))
}

/// Returns the events of a session: the batches that are there, and those to come.
fn events(mut follower: Follower, version: i64, found: Found) -> Result<Body> {
    follower.has(version.max(found.session.version));
    let first = match found.batches.is_empty() {
        true => Bytes::from_static(b": connected\n\n"),
        false => event(&present_batches(&found.batches)?)?,
    };
    let next = |(first, follower): (Option<Bytes>, Option<Follower>)| async move {
        if let Some(first) = first {
            return Some((Ok(first), (None, follower)));
        }
        let mut follower = follower?;
        let (text, follower) = match follower.next().await {
            Message::Idle => (Bytes::from_static(b": idle\n\n"), Some(follower)),
            Message::End { again: true } => return None,
            Message::End { again: false } => {
                (Bytes::from_static(b"event: end\ndata: {}\n\n"), None)
            }
            Message::People(people) => (people_event(&people), Some(follower)),
            Message::Suggestions => {
                (Bytes::from_static(b"event: suggestions\ndata: {}\n\n"), Some(follower))
            }
            Message::Batches(new) => {
                let write = |batches: &[EditingBatch]| {
                    present_batches(batches).and_then(|items| event(&items)).unwrap_or_default()
                };
                (new.text(write), Some(follower))
            }
        };
        Some((Ok(text), (None, follower)))
    };
    Ok(Body::unfold((Some(first), Some(follower)), next, None))
}

/// Returns a server-sent event with batches, whose id is their last version.
fn event(items: &[response::EditingBatch]) -> Result<Bytes> {
    let json = serde_json::to_string(items)
        .map_err(|error| Error::internal(format!("steps are not JSON: {error}")))?;
    let version = items.last().map_or(0, |last| last.version);
    Ok(format!("id: {version}\ndata: {json}\n\n").into())
}

/// Returns a server-sent event about the people in a session.
fn people_event(change: &PeopleChange) -> Bytes {
    let PeopleChange { present, left } = change;
    let present = present.iter().map(|Present { client, user, name, selection }| {
        let selection = selection.map(|Selection { version, anchor, head }| {
            json!({ "version": version, "anchor": anchor, "head": head })
        });
        json!({ "client": client, "user": user.to_string(), "name": name, "selection": selection })
    });
    let data = json!({ "present": present.collect::<Vec<_>>(), "left": left });
    format!("event: people\ndata: {data}\n\n").into()
}

fn present_batches(batches: &[EditingBatch]) -> Result<Vec<response::EditingBatch>> {
    batches.iter().map(present_batch).collect()
}

fn present_batch(batch: &EditingBatch) -> Result<response::EditingBatch> {
    let EditingBatch {
        session: _,
        version,
        client,
        number,
        user,
        steps,
        conflicts,
        stamp: _,
        created_at: _,
    } = batch;
    let is_sent = !client.is_empty();
    let steps: Vec<Box<RawValue>> = serde_json::from_str(steps)
        .map_err(|error| Error::internal(format!("steps are not JSON: {error}")))?;
    Ok(response::EditingBatch {
        version: count(*version),
        client: is_sent.then(|| client.clone()),
        number: is_sent.then(|| count(*number)),
        user: user.map(|user| user.to_string()),
        steps,
        conflicts: (*conflicts > 0).then(|| count(*conflicts)),
    })
}

/// Returns the version that the caller has.
fn version_of(call: &Call) -> Result<i64> {
    let version = call.query().number("version").and_then(|version| version.try_into().ok());
    version.ok_or_else(|| {
        Error::invalid("allowed: a version of the session").at(Location::Query("version"))
    })
}

fn session_id(call: &Call) -> Result<EditingSessionId> {
    let id = EditingSessionId::parse(call.path("editingSessionId"));
    id.ok_or_else(|| Error::not_found("editing session"))
}

fn count(number: i64) -> u64 {
    number.try_into().unwrap_or_default()
}

fn signed(number: u64) -> i64 {
    number.try_into().unwrap_or(i64::MAX)
}
