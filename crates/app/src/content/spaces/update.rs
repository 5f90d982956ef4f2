//! Updates of a space's settings: title, emoji or icon, default level, language, merge rules and
//! lock.

use bindery_model::{Error, FieldPath, LanguageTag, Level, Result, Timestamp, UserId};
use bindery_store::spaces::{self, Space};
use bindery_store::{Event, FieldChange, NewEvent, StoreError, Tx, sites};

use super::effective_level;
use serde_json::Value;

use crate::review::editing;
use crate::review::merge_rules::MergeRules;
use crate::{Context, text};

/// Maximum length of a title, in characters.
const TITLE: usize = 50;

/// The new values; absent fields stay unchanged.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SpacePatch {
    /// The title.
    pub title: Option<String>,
    /// The emoji; `Some(None)` removes it.
    pub emoji: Option<Option<String>>,
    /// The address of the icon; `Some(None)` removes it.
    pub icon: Option<Option<String>>,
    /// `true` if the main content is locked.
    pub locked: Option<bool>,
    /// The level of members without a grant of their own.
    pub default_level: Option<Level>,
    /// The language of the content; `Some(None)` removes it.
    pub language: Option<Option<LanguageTag>>,
    /// The merge rules.
    pub merge_rules: Option<MergeRules>,
    /// `true` if its content is offered as a template.
    pub template: Option<bool>,
}

/// Updates a space.
///
/// # Errors
/// Returns 400 with the invalid field.
pub fn update(cx: &Context<'_>, before: &Space, patch: SpacePatch) -> Result<Space> {
    let before = &match patch.locked {
        // A locked space takes no more changes of its main content.
        Some(true) if !before.locked => editing::save_all(cx, &before.into())?.space,
        _ => before.clone(),
    };
    let after = changed(cx, before, patch)?;
    let changes = differing(before, &after)?;
    if changes.is_empty() {
        return Ok(after);
    }
    let after = Space { updated_at: cx.now(), ..after };
    spaces::update(cx.tx, &after)?;
    sites::increment_versions_of_space(cx.tx, after.id)?;
    cx.tx.record(
        &NewEvent::new(Event::SpaceUpdated { changes })
            .by(cx.user())
            .organization(after.organization)
            .space(after.id),
    )?;
    Ok(after)
}

/// Sets the language of a space's content on behalf of an import. Does nothing if the space has this
/// language already.
///
/// # Errors
/// Returns an error if the store fails.
pub(crate) fn set_language(
    tx: &Tx<'_>,
    before: &Space,
    language: &LanguageTag,
    actor: Option<UserId>,
    now: Timestamp,
) -> Result<(), StoreError> {
    let language = Some(language.to_string());
    if before.language == language {
        return Ok(());
    }
    let after = Space { language, updated_at: now, ..before.clone() };
    let change = FieldChange::of("language", &before.language, &after.language)?;
    let changes = change.into_iter().collect();
    spaces::update(tx, &after)?;
    sites::increment_versions_of_space(tx, after.id)?;
    tx.record(
        &NewEvent::new(Event::SpaceUpdated { changes })
            .by(actor)
            .organization(after.organization)
            .space(after.id),
    )?;
    Ok(())
}

fn changed(cx: &Context<'_>, before: &Space, patch: SpacePatch) -> Result<Space> {
    let SpacePatch { title, emoji, icon, locked, default_level, language, merge_rules, template } =
        patch;
    let mut after = before.clone();
    if let Some(title) = title {
        after.title = text::title("/title", &title, 1, TITLE)?;
    }
    if matches!((&emoji, &icon), (Some(Some(_)), Some(Some(_)))) {
        return Err(Error::invalid("found an icon beside an emoji, allowed: one of them")
            .at(FieldPath::new("/icon")));
    }
    // A space has either an emoji or an icon, so a new one replaces the other.
    if let Some(emoji) = emoji {
        after.emoji = match emoji {
            Some(emoji) => text::emoji("/emoji", &emoji)?,
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
    if let Some(language) = language {
        after.language = language.map(|tag| tag.to_string());
    }
    after.template = template.unwrap_or(before.template);
    if let Some(rules) = merge_rules {
        rules.check(&FieldPath::new("/mergeRules"), cx.tx, before.organization)?;
        after.merge_rules = rules.stored()?;
    }
    Ok(after)
}

/// Returns the changed fields by their names in the contract.
fn differing(before: &Space, after: &Space) -> Result<Vec<FieldChange>> {
    let edit_mode = |space: &Space| if space.locked { "locked" } else { "live" };
    let merge_rules = |space: &Space| -> Option<Value> {
        space.merge_rules.as_deref().and_then(|rules| serde_json::from_str(rules).ok())
    };
    let changes = [
        FieldChange::of("title", &before.title, &after.title)?,
        FieldChange::of("emoji", &before.emoji, &after.emoji)?,
        FieldChange::of("icon", &before.icon, &after.icon)?,
        FieldChange::of("editMode", &edit_mode(before), &edit_mode(after))?,
        FieldChange::of(
            "defaultLevel",
            &before.default_level.as_str(),
            &after.default_level.as_str(),
        )?,
        FieldChange::of("language", &before.language, &after.language)?,
        FieldChange::of("mergeRules", &merge_rules(before), &merge_rules(after))?,
        FieldChange::of("template", &before.template, &after.template)?,
    ];
    Ok(changes.into_iter().flatten().collect())
}
