//! The order of spaces and collections beside each other.
//!
//! Positions are order keys: a new one fits between any two, so that nothing else is renumbered.

use bindery_model::{Error, Result};
use bindery_revision::OrderKey;
use bindery_store::Tx;
use bindery_store::positions::{self, Container, Item, Side};

/// Where something is to stand: directly behind one thing, directly before another.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Position {
    /// What is to follow it.
    pub before: Option<Item>,
    /// What it is to follow.
    pub after: Option<Item>,
}

/// A position behind everything in a place.
///
/// # Errors
/// When the store fails.
pub fn at_end(tx: &Tx<'_>, place: Container) -> Result<String> {
    let last = positions::last(tx, place)?;
    Ok(between(last.as_deref(), None))
}

/// The position for something in a place; `None` where it stands there already. Without a wanted
/// one: the end for what comes from elsewhere, and where it is for what is there.
///
/// # Errors
/// 400 for neighbours that are not there.
pub fn wanted(
    tx: &Tx<'_>,
    item: Item,
    place: Container,
    position: Position,
) -> Result<Option<String>> {
    settle(tx, place)?;
    let own = positions::get(tx, item)?.filter(|(at, _)| *at == place).map(|(_, own)| own);
    let Position { before, after } = position;
    let low = after.map(|one| neighbour(tx, "after", one, item, place)).transpose()?;
    let high = before.map(|one| neighbour(tx, "before", one, item, place)).transpose()?;
    let next_to = |position: &str, side| -> Result<Option<String>> {
        let found = positions::neighbour(tx, place, position, side)?;
        Ok(found)
    };
    let (low, high) = match (low, high) {
        (None, None) if own.is_some() => return Ok(None),
        (None, None) => return at_end(tx, place).map(Some),
        (Some(low), Some(high)) if low >= high => {
            return Err(Error::invalid(
                "body at /position: found a before that stands before after, allowed: two \
                 neighbours in their order",
            ));
        }
        (Some(low), _) => {
            let high = next_to(&low, Side::After)?;
            if own.is_some() && high == own {
                return Ok(None);
            }
            (Some(low), high)
        }
        (None, Some(high)) => {
            let low = next_to(&high, Side::Before)?;
            if own.is_some() && low == own {
                return Ok(None);
            }
            (low, Some(high))
        }
    };
    Ok(Some(between(low.as_deref(), high.as_deref())))
}

/// The position of a neighbour, which must be in the place.
fn neighbour(tx: &Tx<'_>, side: &str, one: Item, item: Item, place: Container) -> Result<String> {
    let found = positions::get(tx, one)?.filter(|(at, _)| *at == place && one != item);
    found.map(|(_, position)| position).ok_or_else(|| not_there(side, one))
}

/// What is said of a neighbour that is not in the place, or not for the caller.
pub fn not_there(side: &str, one: Item) -> Error {
    let (kind, id) = match one {
        Item::Space(id) => ("space", id.to_string()),
        Item::Collection(id) => ("collection", id.to_string()),
    };
    Error::invalid(format!(
        "body at /position/{side}: found the {kind} {id}, allowed: another space or collection \
         in the same place"
    ))
}

/// Gives positions to what has none: spaces of a store from before there were any.
fn settle(tx: &Tx<'_>, place: Container) -> Result<()> {
    let unplaced = positions::list_unpositioned(tx, place)?;
    if unplaced.is_empty() {
        return Ok(());
    }
    let first = positions::first(tx, place)?.as_deref().and_then(key);
    let keys = OrderKey::spread(None, first.as_ref(), unplaced.len());
    for (space, key) in unplaced.into_iter().zip(keys) {
        positions::set_position(tx, Item::Space(space), &text(&key))?;
    }
    Ok(())
}

fn between(low: Option<&str>, high: Option<&str>) -> String {
    let (low, high) = (low.and_then(key), high.and_then(key));
    text(&OrderKey::between(low.as_ref(), high.as_ref()))
}

fn text(key: &OrderKey) -> String {
    key.as_bytes().iter().map(|byte| format!("{byte:02x}")).collect()
}

fn key(text: &str) -> Option<OrderKey> {
    let digit = |at: usize| u8::from_str_radix(text.get(at..at + 2)?, 16).ok();
    let bytes: Option<Vec<u8>> = (0..text.len()).step_by(2).map(digit).collect();
    OrderKey::from_bytes(&bytes?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_keys_in_hexadecimal() {
        let first = between(None, None);
        let second = between(Some(&first), None);
        let middle = between(Some(&first), Some(&second));
        assert!(first < middle && middle < second, "{first} {middle} {second}");
        assert_eq!(key("0"), None);
        assert_eq!(key("zz"), None);
    }
}
