//! Changing what of a space is its own: its title, what stands for it, who may what, the lock.

use bindery_model::{Error, Level, Result};
use bindery_store::spaces::{self, Space};
use bindery_store::{Event, NewEvent, sites};

use super::effective_level;
use crate::merge_rules::MergeRules;
use crate::{Cx, text};

/// The longest title, in characters.
const TITLE: usize = 50;
/// The longest emoji, in characters.
const EMOJI: usize = 50;

/// What is to be from now on; absent stays.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SpacePatch {
    /// The title.
    pub title: Option<String>,
    /// The emoji; `Some(None)`: none.
    pub emoji: Option<Option<String>>,
    /// The address of its picture; `Some(None)`: none.
    pub icon: Option<Option<String>>,
    /// Whether the main content is locked.
    pub locked: Option<bool>,
    /// What members may do who have no grant of their own.
    pub default_level: Option<Level>,
    /// The language of the content.
    pub language: Option<String>,
    /// What a merge needs.
    pub merge_rules: Option<MergeRules>,
    /// Whether its content is offered as a template.
    pub template: Option<bool>,
}

/// Changes a space.
///
/// # Errors
/// 400 with the field that is not allowed; 409 when the space is deleted.
pub fn update(cx: &Cx<'_>, before: &Space, patch: SpacePatch) -> Result<Space> {
    if before.deleted_at.is_some() {
        return Err(Error::conflict("the space is deleted: restore it to change it"));
    }
    let after = changed(cx, before, patch)?;
    let fields = differing(before, &after);
    if fields.is_empty() {
        return Ok(after);
    }
    let after = Space { updated_at: cx.now(), ..after };
    spaces::update(cx.tx, &after)?;
    sites::bump_of_space(cx.tx, after.id)?;
    let fields = fields.into_iter().map(str::to_owned).collect();
    cx.tx.record(
        &NewEvent::new(Event::SpaceUpdated { fields })
            .by(cx.user())
            .organization(after.organization)
            .space(after.id),
    )?;
    Ok(after)
}

fn changed(cx: &Cx<'_>, before: &Space, patch: SpacePatch) -> Result<Space> {
    let SpacePatch { title, emoji, icon, locked, default_level, language, merge_rules, template } =
        patch;
    let mut after = before.clone();
    if let Some(title) = title {
        after.title = text::title("/title", &title, 1, TITLE)?;
    }
    if matches!((&emoji, &icon), (Some(Some(_)), Some(Some(_)))) {
        return Err(Error::invalid(
            "body at /icon: found an icon beside an emoji, allowed: one of them",
        ));
    }
    // What is given takes the other's place: one thing stands for a space.
    if let Some(emoji) = emoji {
        after.emoji = match emoji {
            Some(emoji) => text::title("/emoji", &emoji, 1, EMOJI)?,
            None => String::new(),
        };
        after.icon = after.icon.filter(|_| after.emoji.is_empty());
    }
    if let Some(icon) = icon {
        after.icon = icon.map(|icon| text::web_address("/icon", &icon)).transpose()?;
        if after.icon.is_some() {
            after.emoji = String::new();
        }
    }
    after.locked = locked.unwrap_or(before.locked);
    if let Some(level) = default_level {
        after.default_level = level;
        after.effective_level = effective_level(cx.tx, level, before.parent)?;
    }
    after.language = language.or(after.language);
    after.template = template.unwrap_or(before.template);
    if let Some(rules) = merge_rules {
        rules.check("/mergeRules", cx.tx, before.organization)?;
        after.merge_rules = rules.stored()?;
    }
    Ok(after)
}

/// The contract's names of what differs.
fn differing(before: &Space, after: &Space) -> Vec<&'static str> {
    let fields = [
        ("title", before.title != after.title),
        ("emoji", before.emoji != after.emoji),
        ("icon", before.icon != after.icon),
        ("editMode", before.locked != after.locked),
        ("defaultLevel", before.default_level != after.default_level),
        ("language", before.language != after.language),
        ("mergeRules", before.merge_rules != after.merge_rules),
        ("template", before.template != after.template),
    ];
    fields.into_iter().filter_map(|(name, differs)| differs.then_some(name)).collect()
}
