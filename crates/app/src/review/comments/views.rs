//! Comments and replies with the related data that responses show.

use std::collections::HashMap;

use bindery_model::{CommentId, Error, Id, Result, Timestamp, UserId};
use bindery_store::comments::{self as rows, Comment, Reaction, Replier, Reply};
use bindery_store::users::{self, User};

use super::anchors::{Anchors, MissingTarget};
use super::{Discussion, Permissions};
use crate::Context;

/// An emoji with the users who reacted with it.
#[derive(Clone, Debug)]
pub struct ReactionView {
    /// The code of the emoji.
    pub emoji: String,
    /// The users and the times of their reactions, oldest first.
    pub users: Vec<(User, Timestamp)>,
}

/// A user who replied.
#[derive(Clone, Debug)]
pub struct ReplierView {
    /// The user.
    pub user: User,
    /// The number of replies.
    pub count: i64,
    /// The time at which one of these replies was last posted or changed.
    pub updated_at: Timestamp,
}

/// A comment with the related data that a response shows.
#[derive(Clone, Debug)]
pub struct CommentView {
    /// The row.
    pub comment: Comment,
    /// The author.
    pub posted_by: User,
    /// The user who resolved its discussion.
    pub resolved_by: Option<User>,
    /// The users who replied, in the order of their first replies.
    pub repliers: Vec<ReplierView>,
    /// The reactions, in the order in which they were first used.
    pub reactions: Vec<ReactionView>,
    /// The missing part of its target.
    pub gone: Option<MissingTarget>,
    /// The caller's permissions on it.
    pub permissions: Permissions,
}

/// A reply with the related data that a response shows.
#[derive(Clone, Debug)]
pub struct ReplyView {
    /// The row.
    pub reply: Reply,
    /// The author.
    pub posted_by: User,
    /// The reactions, in the order in which they were first used.
    pub reactions: Vec<ReactionView>,
    /// The caller's permissions on it.
    pub permissions: Permissions,
}

/// The users that responses name, by id.
struct People(HashMap<UserId, User>);

impl People {
    fn of(cx: &Context<'_>, mut ids: Vec<UserId>) -> Result<Self> {
        ids.sort_unstable();
        ids.dedup();
        let mut people = HashMap::new();
        // The number of parameters of a statement is limited, and long lists name more users.
        for ids in ids.chunks(1_000) {
            people.extend(users::get_many(cx.tx, ids)?);
        }
        Ok(Self(people))
    }

    fn get(&self, id: UserId) -> Result<User> {
        self.0.get(&id).cloned().ok_or_else(|| Error::internal("a comment without an author"))
    }
}

fn reactions(people: &People, found: Option<Vec<Reaction>>) -> Result<Vec<ReactionView>> {
    let mut views: Vec<ReactionView> = Vec::new();
    for Reaction { emoji, user, at } in found.unwrap_or_default() {
        let who = (people.get(user)?, at);
        match views.iter_mut().find(|view| view.emoji == emoji) {
            Some(view) => view.users.push(who),
            None => views.push(ReactionView { emoji, users: vec![who] }),
        }
    }
    Ok(views)
}

/// Returns the views of these comments for a response, in the same order.
///
/// # Errors
/// Returns an error if the store fails.
pub fn views(
    cx: &Context<'_>,
    about: &Discussion<'_>,
    comments: Vec<Comment>,
) -> Result<Vec<CommentView>> {
    let ids: Vec<CommentId> = comments.iter().map(|comment| comment.id).collect();
    let subjects: Vec<Id> = ids.iter().map(|id| id.id()).collect();
    let mut found = rows::reactions(cx.tx, &subjects)?;
    let mut repliers = rows::repliers(cx.tx, &ids)?;
    let mut people: Vec<UserId> = comments
        .iter()
        .flat_map(|comment| [Some(comment.posted_by), comment.resolved.map(|by| by.by)])
        .flatten()
        .collect();
    people.extend(repliers.values().flatten().map(|replier| replier.user));
    people.extend(found.values().flatten().map(|reaction| reaction.user));
    let people = People::of(cx, people)?;
    let mut anchors = Anchors::of(cx, about)?;
    comments
        .into_iter()
        .map(|comment| {
            let resolved_by = comment.resolved.map(|resolved| people.get(resolved.by));
            let who = repliers.remove(&comment.id).unwrap_or_default().into_iter();
            let who = who.map(|Replier { user, count, updated_at }| {
                Ok(ReplierView { user: people.get(user)?, count, updated_at })
            });
            Ok(CommentView {
                posted_by: people.get(comment.posted_by)?,
                resolved_by: resolved_by.transpose()?,
                repliers: who.collect::<Result<_>>()?,
                reactions: reactions(&people, found.remove(&comment.id.id()))?,
                gone: anchors.gone(&comment)?,
                permissions: Permissions::of(cx, about, comment.posted_by),
                comment,
            })
        })
        .collect()
}

/// Returns the view of one comment for a response.
///
/// # Errors
/// Returns an error if the store fails.
pub fn view(cx: &Context<'_>, about: &Discussion<'_>, comment: Comment) -> Result<CommentView> {
    let view = views(cx, about, vec![comment])?.pop();
    view.ok_or_else(|| Error::internal("a comment was not shown"))
}

/// Returns the views of these replies for a response, in the same order.
///
/// # Errors
/// Returns an error if the store fails.
pub fn reply_views(
    cx: &Context<'_>,
    about: &Discussion<'_>,
    replies: Vec<Reply>,
) -> Result<Vec<ReplyView>> {
    let subjects: Vec<Id> = replies.iter().map(|reply| reply.id.id()).collect();
    let mut found = rows::reactions(cx.tx, &subjects)?;
    let mut people: Vec<UserId> = replies.iter().map(|reply| reply.posted_by).collect();
    people.extend(found.values().flatten().map(|reaction| reaction.user));
    let people = People::of(cx, people)?;
    replies
        .into_iter()
        .map(|reply| {
            Ok(ReplyView {
                posted_by: people.get(reply.posted_by)?,
                reactions: reactions(&people, found.remove(&reply.id.id()))?,
                permissions: Permissions::of(cx, about, reply.posted_by),
                reply,
            })
        })
        .collect()
}

/// Returns the view of one reply for a response.
///
/// # Errors
/// Returns an error if the store fails.
pub fn reply_view(cx: &Context<'_>, about: &Discussion<'_>, reply: Reply) -> Result<ReplyView> {
    let view = reply_views(cx, about, vec![reply])?.pop();
    view.ok_or_else(|| Error::internal("a reply was not shown"))
}
