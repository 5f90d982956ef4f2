//! Reactions to comments and replies. An emoji is stored as its code, so that all its notations are
//! equal.

use bindery_content::emoji;
use bindery_model::{Error, FieldPath, Id, Result, UserId};
use bindery_store::comments::{self as rows, Reaction};

use crate::Context;

/// Maximum number of different reactions of one user to one comment.
const MAX_REACTIONS: i64 = 50;
/// Maximum number of reactions in one request.
const AT_ONCE: usize = 50;
/// Maximum length of the name of an emoji, in bytes.
const LONGEST: usize = 64;

/// Reactions of the caller to add and remove.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ReactionsPatch {
    /// The reactions to add.
    pub added: Vec<String>,
    /// The reactions to remove.
    pub removed: Vec<String>,
}

/// Returns the code of an emoji that is given as a character, as its code or by its short name.
fn code(pointer: &FieldPath, text: &str) -> Result<String> {
    let found = || {
        if text.len() > LONGEST {
            return None;
        }
        if let Some(known) = emoji::name(text).and(emoji::characters(text)) {
            return Some(emoji::code(&known));
        }
        let name = text.strip_prefix(':').and_then(|text| text.strip_suffix(':'));
        let code = emoji::code(name.and_then(emoji::by_shortcode).unwrap_or(text));
        emoji::name(&code).is_some().then_some(code)
    };
    found().ok_or_else(|| {
        Error::invalid(format!(
            "found \"{}\", allowed: an emoji, by its code such as \"1f44d\"",
            text.chars().take(LONGEST).collect::<String>()
        ))
        .at(pointer)
    })
}

fn codes(list: &FieldPath, texts: &[String]) -> Result<Vec<String>> {
    if texts.len() > AT_ONCE {
        return Err(Error::invalid(format!(
            "found {} reactions, allowed: up to {AT_ONCE}",
            texts.len()
        ))
        .at(list));
    }
    let texts = texts.iter().enumerate();
    texts.map(|(index, text)| code(&list.field(index), text)).collect()
}

/// Adds and removes reactions of a user. Returns `true` if any reaction changed. An emoji that is
/// both added and removed is removed.
pub(super) fn update(
    cx: &Context<'_>,
    subject: Id,
    user: UserId,
    patch: &ReactionsPatch,
) -> Result<bool> {
    let ReactionsPatch { added, removed } = patch;
    let added = codes(&FieldPath::new("/addedReactions"), added)?;
    let removed = codes(&FieldPath::new("/removedReactions"), removed)?;
    let mut changed = false;
    for emoji in &removed {
        changed |= rows::remove_reaction(cx.tx, subject, emoji, user)?;
    }
    let at = cx.now();
    for emoji in added.into_iter().filter(|emoji| !removed.contains(emoji)) {
        changed |= rows::add_reaction(cx.tx, subject, &Reaction { emoji, user, at })?;
    }
    if changed && rows::count_reactions_by(cx.tx, subject, user)? > MAX_REACTIONS {
        return Err(Error::conflict(format!(
            "you have {MAX_REACTIONS} reactions to this comment, the maximum: remove one first"
        )));
    }
    Ok(changed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_emoji_is_one_however_it_is_written() {
        for (text, expect) in [
            ("1f44d", Some("1f44d")),
            ("1F44D", Some("1f44d")),
            ("👍", Some("1f44d")),
            (":+1:", Some("1f44d")),
            (":tada:", Some("1f389")),
            ("tada", None),
            ("❤️", Some("2764")),
            ("2764", Some("2764")),
            ("2764-fe0f", Some("2764")),
            ("1f1e9-1f1ea", Some("1f1e9-1f1ea")),
            ("", None),
            ("x", None),
            ("61", None),
            ("no such emoji", None),
            ("110000", None),
        ] {
            assert_eq!(code(&FieldPath::default(), text).ok().as_deref(), expect, "{text:?}");
        }
    }
}
