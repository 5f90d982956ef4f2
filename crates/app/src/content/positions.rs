//! The order of spaces and collections within their container.
//!
//! Positions are order keys: a new one fits between any two, so that no other item is renumbered.

use bindery_model::{Error, FieldPath, Result};
use bindery_revision::OrderKey;
use bindery_store::Tx;
use bindery_store::positions::{self, Side};
pub use bindery_store::positions::{Container, Item};

/// A requested position, given by the neighbours.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Position {
    /// The item that is to follow. It follows directly unless `after` is given too.
    pub before: Option<Item>,
    /// The item that is to precede directly.
    pub after: Option<Item>,
}

/// Returns a position after all items of a container.
///
/// # Errors
/// Returns an error if the store fails.
pub fn at_end(tx: &Tx<'_>, container: Container) -> Result<String> {
    let last = positions::last(tx, container)?;
    Ok(between(last.as_deref(), None))
}

/// Returns the position for an item in a container; `None` if the item already has it. Without
/// requested neighbours, an item of the container stays, and one from another container goes to the
/// end. With both neighbours, the position is directly after `after`: if the caller did not know of
/// an item between them, the result still lies between them.
///
/// # Errors
/// Returns 400 if the neighbours are not in the container or in the wrong order.
pub fn resolve(
    tx: &Tx<'_>,
    item: Item,
    container: Container,
    position: Position,
) -> Result<Option<String>> {
    assign_missing(tx, container)?;
    let own = positions::get(tx, item)?.filter(|(at, _)| *at == container).map(|(_, own)| own);
    let Position { before, after } = position;
    let low = after.map(|one| neighbour(tx, "after", one, item, container)).transpose()?;
    let high = before.map(|one| neighbour(tx, "before", one, item, container)).transpose()?;
    let next_to = |position: &str, side| -> Result<Option<String>> {
        let found = positions::neighbour(tx, container, position, side)?;
        Ok(found)
    };
    let (low, high) = match (low, high) {
        (None, None) if own.is_some() => return Ok(None),
        (None, None) => return at_end(tx, container).map(Some),
        (Some(low), Some(high)) if low >= high => {
            return Err(Error::invalid(
                "found a before that stands before after, allowed: two \
                 neighbours in their order",
            )
            .at(FieldPath::new("/position")));
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

/// Returns the position of a neighbour, which must be in the container.
fn neighbour(
    tx: &Tx<'_>,
    side: &str,
    one: Item,
    item: Item,
    container: Container,
) -> Result<String> {
    let found = positions::get(tx, one)?.filter(|(at, _)| *at == container && one != item);
    found.map(|(_, position)| position).ok_or_else(|| unknown_neighbour(side, one))
}

/// Returns the error for a neighbour that is not in the container or that the caller does not see.
pub fn unknown_neighbour(side: &str, one: Item) -> Error {
    let (kind, id) = match one {
        Item::Space(id) => ("space", id.to_string()),
        Item::Collection(id) => ("collection", id.to_string()),
    };
    Error::invalid(format!(
        "found the {kind} {id}, allowed: another space or collection \
         in the same place"
    ))
    .at(FieldPath::new("/position").field(side))
}

/// Assigns positions to spaces that were created before positions existed.
fn assign_missing(tx: &Tx<'_>, container: Container) -> Result<()> {
    let unpositioned = positions::list_unpositioned(tx, container)?;
    if unpositioned.is_empty() {
        return Ok(());
    }
    let first = positions::first(tx, container)?.as_deref().and_then(key);
    let keys = OrderKey::spread(None, first.as_ref(), unpositioned.len());
    for (space, key) in unpositioned.into_iter().zip(keys) {
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
