//! Suggestions for the text of a page: the differences between the page and a copy of it that a
//! person writes in. Changes of the page are merged into the copy, so suggestions move with the text.

use std::collections::{BTreeMap, HashMap, HashSet};

use bindery_model::{
    EditingSessionId, Error, ErrorKind, FieldPath, PageId, Result, RevisionId, UserId,
};
use bindery_steps::{Difference, Merged, Node, Step};
use bindery_store::editing as rows;

use super::content::EditedContent;
use super::save::{page_change, save_session};
use super::text::{self, PageAt, Source, Text, page_at};
use crate::Context;
use crate::review::change_requests::author;

/// Maximum number of sessions with suggestions whose suggestions are listed.
const MAX_SESSIONS: u32 = 200;
/// Maximum number of suggestions that are listed.
const MAX_SUGGESTIONS: usize = 1_000;
/// Maximum length of the texts of a suggestion, in characters. The rest is cut off.
const MAX_TEXT: usize = 2_000;

/// A suggestion, which is a difference of the copy to the page.
#[derive(Clone, Debug)]
pub struct Suggestion {
    /// Its id, which is another one after the suggestion was changed.
    pub id: String,
    /// The page.
    pub page: PageId,
    /// The person who made it.
    pub author: UserId,
    /// The kind of change.
    pub kind: SuggestionKind,
    /// The text that it replaces.
    pub before: String,
    /// The text that it suggests.
    pub after: String,
    /// The range in the text of the page.
    pub range: (usize, usize),
    /// The version of the session of the page to which the range belongs; `None` if the page has no
    /// session.
    pub version: Option<i64>,
    /// The session with the suggestions of the person.
    pub session: EditingSessionId,
    /// The range in that session.
    pub suggested_range: (usize, usize),
    /// The version of that session to which the range belongs.
    pub suggested_version: i64,
}

/// A kind of change that is suggested.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SuggestionKind {
    /// A text is inserted.
    Insert,
    /// A text is deleted.
    Delete,
    /// A text is replaced by another one.
    Replace,
    /// Only types, attributes or marks change.
    Format,
}

/// The suggestions of a person for a page.
struct OfSession {
    text: Text,
    page: PageAt,
    document: Node,
    differences: Vec<(String, Difference)>,
}

impl OfSession {
    /// Compares a text with suggestions with its page.
    fn of(cx: &Context<'_>, content: &EditedContent, text: Text) -> Result<Self> {
        let found = page_at(cx, content, content.head(), text.session.page)?;
        let (page, _) = found.ok_or_else(|| Error::not_found("page"))?;
        let document = page.document()?;
        let mut seen: HashMap<String, usize> = HashMap::new();
        let session = text.session.id;
        let with_id = |difference: Difference| {
            let described = difference.content();
            let count = seen.entry(described.clone()).or_default();
            *count += 1;
            let hash = blake3::hash(format!("{count} {described}").as_bytes()).to_hex();
            (format!("{session}.{}", hash.get(..16).unwrap_or_default()), difference)
        };
        let differences = document.differences(&text.doc).into_iter().map(with_id).collect();
        Ok(Self { text, page, document, differences })
    }

    /// Returns the page with some of the differences.
    fn with(&self, is_chosen: impl Fn(&str) -> bool) -> Result<Node> {
        let chosen = self.differences.iter().filter(|(id, _)| is_chosen(id));
        self.document.with_differences(chosen.map(|(_, difference)| difference)).map_err(|error| {
            Error::conflict(format!(
                "these suggestions fit the text only together with others: {error}"
            ))
        })
    }
}

/// Returns the suggestions for a page of a change request, or for all pages, in their order in
/// each page.
///
/// # Errors
/// Returns an error if the store fails.
pub fn list(
    cx: &Context<'_>,
    content: &EditedContent,
    page: Option<PageId>,
) -> Result<Vec<Suggestion>> {
    let (_, Some(change_request)) = content.key() else { return Ok(Vec::new()) };
    let mut found = Vec::new();
    for session in rows::list_suggesting(cx.tx, change_request, page, MAX_SESSIONS)? {
        let Some(author) = session.suggested_by else { continue };
        let compared =
            Text::read(cx, content, session).and_then(|text| OfSession::of(cx, content, text));
        let OfSession { text, differences, .. } = match compared {
            // The page was deleted.
            Err(error) if error.kind() == ErrorKind::NotFound => continue,
            compared => compared?,
        };
        let place = Place::of(cx, content, text.session.page)?;
        found.extend(differences.into_iter().map(|(id, difference)| Suggestion {
            id,
            page: text.session.page,
            author,
            kind: kind_of(&difference),
            before: cut(&difference.before),
            after: cut(&difference.after),
            range: (place.now(difference.from), place.now(difference.to)),
            version: place.version,
            session: text.session.id,
            suggested_range: (difference.other_from, difference.other_to),
            suggested_version: text.session.version,
        }));
        if found.len() >= MAX_SUGGESTIONS {
            break;
        }
    }
    found.truncate(MAX_SUGGESTIONS);
    Ok(found)
}

fn kind_of(difference: &Difference) -> SuggestionKind {
    match (difference.before.is_empty(), difference.after.is_empty()) {
        _ if difference.before == difference.after => SuggestionKind::Format,
        (true, _) => SuggestionKind::Insert,
        (_, true) => SuggestionKind::Delete,
        _ => SuggestionKind::Replace,
    }
}

fn cut(text: &str) -> String {
    text.chars().take(MAX_TEXT).collect()
}

/// The text of a page as its session has it, for positions in the page as it was saved.
struct Place {
    version: Option<i64>,
    later: Vec<Step>,
}

impl Place {
    fn of(cx: &Context<'_>, content: &EditedContent, page: PageId) -> Result<Self> {
        let Some(session) = rows::of_page(cx.tx, content.key(), page, None)? else {
            return Ok(Self { version: None, later: Vec::new() });
        };
        let mut later = Vec::new();
        for batch in text::all_after(cx, &session, session.saved)? {
            later.extend(text::stored_steps(&batch)?);
        }
        Ok(Self { version: Some(session.version), later })
    }

    /// Returns where a position of the saved page is by now.
    fn now(&self, position: usize) -> usize {
        self.later.iter().fold(position, |at, step| step.map_position(at))
    }
}

/// Takes suggestions over into their pages. Returns the revision with them.
///
/// # Errors
/// Returns 404 if there is no such suggestion, because it was changed, taken over or refused, and
/// 409 if the text is not valid with only these suggestions.
pub fn accept(cx: &Context<'_>, content: &EditedContent, ids: &[String]) -> Result<RevisionId> {
    let caller = author(cx)?;
    let mut content = require_current(cx, content)?;
    for (session, chosen) in by_session(ids)? {
        let found = find(cx, &content, session, &chosen)?;
        let document = found.with(|id| chosen.contains_key(id))?;
        let OfSession { mut text, page, .. } = found;
        let suggested_by = text.session.suggested_by.filter(|author| *author != caller);
        let authors: Vec<UserId> = suggested_by.into_iter().chain([caller]).collect();
        let change = page_change(cx, (text.session.page, &page, &document))?;
        content.change(cx, &authors, vec![change])?;
        content = content.reload(cx.tx)?;
        // The copy has these changes already, except for what the page keeps in another form: it
        // has no bold space at the end of a word.
        let written = page_at(cx, &content, content.head(), text.session.page)?;
        if let Some((written, _)) = written {
            let rest = written.document()?.merged(&document, &text.doc).doc;
            replace(cx, &mut text, &rest)?;
        }
        text.session.revision = content.head();
        save_session(cx, &content, text.finish(cx)?)?;
    }
    Ok(content.head())
}

/// Removes suggestions.
///
/// # Errors
/// Returns 404 if there is no such suggestion, because it was changed, taken over or refused, and
/// 409 if the text is not valid with only the others.
pub fn refuse(cx: &Context<'_>, content: &EditedContent, ids: &[String]) -> Result<()> {
    let content = require_current(cx, content)?;
    for (session, chosen) in by_session(ids)? {
        let found = find(cx, &content, session, &chosen)?;
        let without = found.with(|id| !chosen.contains_key(id))?;
        let OfSession { mut text, .. } = found;
        replace(cx, &mut text, &without)?;
        save_session(cx, &content, text.finish(cx)?)?;
    }
    Ok(())
}

/// Replaces a text by another one.
fn replace(cx: &Context<'_>, text: &mut Text, by: &Node) -> Result<()> {
    let Merged { steps, doc, .. } = text.doc.merged(&text.doc, by);
    match steps.is_empty() {
        true => Ok(()),
        false => text.add(cx, doc, &steps, &Source::Content { user: cx.user(), conflicts: 0 }),
    }
}

/// Checks that a content can be changed, and returns it with all that is being written in it.
fn require_current(cx: &Context<'_>, content: &EditedContent) -> Result<EditedContent> {
    content.require_editable()?;
    super::save_all(cx, content)
}

/// Returns suggestions by their sessions, each with its index in the request.
fn by_session(ids: &[String]) -> Result<BTreeMap<EditingSessionId, HashMap<&str, usize>>> {
    let mut found: BTreeMap<EditingSessionId, HashMap<&str, usize>> = BTreeMap::new();
    for (index, id) in ids.iter().enumerate() {
        let session = id.split_once('.').and_then(|(session, _)| EditingSessionId::parse(session));
        let session = session.ok_or_else(|| not_found(index))?;
        found.entry(session).or_default().entry(id).or_insert(index);
    }
    Ok(found)
}

fn not_found(index: usize) -> Error {
    Error::not_found("suggestion").at(FieldPath::new("/suggestions").field(index))
}

/// Returns the suggestions of a session, which has all that were chosen.
fn find(
    cx: &Context<'_>,
    content: &EditedContent,
    session: EditingSessionId,
    chosen: &HashMap<&str, usize>,
) -> Result<OfSession> {
    let first = chosen.values().min().copied().unwrap_or_default();
    let session = super::get(cx, content, session).map_err(|error| match error.kind() {
        ErrorKind::NotFound => not_found(first),
        _ => error,
    })?;
    if session.suggested_by.is_none() {
        return Err(not_found(first));
    }
    let found = OfSession::of(cx, content, Text::current(cx, content, session)?)?;
    let known: HashSet<&str> = found.differences.iter().map(|(id, _)| id.as_str()).collect();
    let missing = chosen.iter().filter(|(id, _)| !known.contains(*id));
    match missing.map(|(_, index)| *index).min() {
        Some(index) => Err(not_found(index)),
        None => Ok(found),
    }
}
