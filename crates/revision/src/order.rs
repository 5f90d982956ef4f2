//! Order keys: sortable positions of siblings that allow insertion without changing other keys.
//!
//! A key is an integer of variable length followed by a fraction. Appending increments the integer
//! and prepending decrements it, so that keys stay short after any number of these operations.
//! Inserting between two neighbours takes the middle. Keys contain no zero byte, so that a zero
//! byte can terminate them.

use serde::{Deserialize, Serialize};

/// A position among siblings, compared as bytes.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct OrderKey(Vec<u8>);

/// The head byte of an integer with one digit. Each step up or down from it stands for one more
/// digit.
const POSITIVE: u8 = 0x80;

impl Default for OrderKey {
    /// Returns the key of an only child.
    fn default() -> Self {
        Self(vec![POSITIVE, 1])
    }
}

impl OrderKey {
    /// The length in bytes above which the keys of neighbouring siblings are reassigned.
    pub const MAX_LEN: usize = 24;

    /// Returns the bytes. None of them is zero.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// Reads bytes. Returns `None` if they are not a valid key.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        (!bytes.is_empty() && !bytes.contains(&0)).then(|| Self(bytes.to_vec()))
    }

    /// Returns a key between two neighbours; `None` stands for the end of the list. If the
    /// neighbours are not in ascending order, `after` is ignored.
    #[must_use]
    pub fn between(before: Option<&Self>, after: Option<&Self>) -> Self {
        match (before, after) {
            (None, None) => Self::default(),
            (Some(before), None) => before.next(),
            (None, Some(after)) => after.previous(),
            (Some(before), Some(after)) if before < after => Self(middle(&before.0, &after.0)),
            (Some(before), Some(_)) => before.next(),
        }
    }

    /// Returns `count` evenly spaced keys in ascending order between two neighbours.
    #[must_use]
    pub fn spread(before: Option<&Self>, after: Option<&Self>, count: usize) -> Vec<Self> {
        let mut keys = Vec::with_capacity(count);
        match (before, after) {
            (Some(low), Some(high)) if low < high => bisect(&low.0, &high.0, count, &mut keys),
            (None, Some(high)) => {
                let mut at = high.clone();
                for _ in 0..count {
                    at = at.previous();
                    keys.push(at.clone());
                }
                keys.reverse();
            }
            (before, _) => {
                let mut at = before.cloned();
                for _ in 0..count {
                    let next = at.as_ref().map_or_else(Self::default, Self::next);
                    keys.push(next.clone());
                    at = Some(next);
                }
            }
        }
        keys
    }

    /// Returns the next integer.
    fn next(&self) -> Self {
        let mut digits = self.integer();
        for at in (1..digits.len()).rev() {
            if let Some(digit) = digits.get_mut(at) {
                if *digit < u8::MAX {
                    *digit += 1;
                    return Self(digits);
                }
                *digit = 1;
            }
        }
        // All digits have their maximum: continue with the smallest integer of the next length.
        match digits.first() {
            Some(&u8::MAX) | None => Self([&self.0[..], &[2]].concat()),
            Some(&head) => Self(smallest(head + 1)),
        }
    }

    /// Returns the previous integer.
    fn previous(&self) -> Self {
        let mut digits = self.integer();
        // A key with a fraction sorts after its integer, which is therefore a free key before it.
        if digits.len() < self.0.len() {
            return Self(digits);
        }
        for at in (1..digits.len()).rev() {
            if let Some(digit) = digits.get_mut(at) {
                if *digit > 1 {
                    *digit -= 1;
                    return Self(digits);
                }
                *digit = u8::MAX;
            }
        }
        match digits.first() {
            Some(&head) if head > 1 => Self(largest(head - 1)),
            _ => Self(middle(&[], &self.0)),
        }
    }

    /// Returns the head and the digits of the integer.
    fn integer(&self) -> Vec<u8> {
        let len = 1 + self.0.first().map_or(0, |head| digits(*head));
        let mut integer = self.0.get(..len).unwrap_or(&self.0).to_vec();
        integer.resize(len, 1);
        integer
    }
}

/// Returns the number of digits that follow this head.
fn digits(head: u8) -> usize {
    usize::from(if head >= POSITIVE { head - POSITIVE + 1 } else { POSITIVE - head })
}

fn smallest(head: u8) -> Vec<u8> {
    let mut key = vec![1; 1 + digits(head)];
    key[0] = head;
    key
}

fn largest(head: u8) -> Vec<u8> {
    let mut key = vec![u8::MAX; 1 + digits(head)];
    key[0] = head;
    key
}

/// Returns a byte string strictly between two others, as short as the middle allows. No fraction
/// ends in 1, so that there is always room below it.
fn middle(low: &[u8], high: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(low.len() + 1);
    for (at, &above) in high.iter().enumerate() {
        let below = low.get(at).copied().unwrap_or(0);
        match above.saturating_sub(below) {
            // The digits are equal, or only the smallest digit fits; `high` is still the upper
            // bound.
            0 => out.push(above),
            1 if below == 0 => out.push(above),
            1 => {
                out.push(below);
                append_greater(low.get(at + 1..).unwrap_or_default(), &mut out);
                return out;
            }
            2 if below == 0 => {
                out.push(1);
                break;
            }
            gap => {
                out.push(below + gap / 2);
                return out;
            }
        }
    }
    append_greater(&[], &mut out);
    out
}

/// Appends digits that are greater than `rest`.
fn append_greater(rest: &[u8], out: &mut Vec<u8>) {
    let full = rest.iter().take_while(|digit| **digit == u8::MAX).count();
    out.resize(out.len() + full, u8::MAX);
    let below = rest.get(full).copied().unwrap_or(0);
    out.push(below + (u8::MAX - below).div_ceil(2));
}

/// Bisects the gap recursively, so that the keys have similar lengths.
fn bisect(low: &[u8], high: &[u8], count: usize, keys: &mut Vec<OrderKey>) {
    if count == 0 {
        return;
    }
    let key = middle(low, high);
    let left = (count - 1) / 2;
    bisect(low, &key, left, keys);
    keys.push(OrderKey(key.clone()));
    bisect(&key, high, count - 1 - left, keys);
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn appending_and_prepending_stay_short() {
        let (mut first, mut last) = (OrderKey::default(), OrderKey::default());
        for _ in 0..100_000 {
            let next = OrderKey::between(Some(&last), None);
            assert!(next > last);
            last = next;
            let previous = OrderKey::between(None, Some(&first));
            assert!(previous < first);
            first = previous;
        }
        assert!(first.as_bytes().len() <= 4 && last.as_bytes().len() <= 4);
    }

    #[test]
    fn spreading_is_even() {
        let (low, high) = (OrderKey::default(), OrderKey::default().next());
        let keys = OrderKey::spread(Some(&low), Some(&high), 10_000);
        assert!(keys.is_sorted_by(|a, b| a < b));
        assert!(low < keys[0] && keys[9_999] < high);
        assert!(keys.iter().all(|key| key.as_bytes().len() <= 5));
    }

    proptest! {
        /// Any series of insertions produces keys in the order of their positions.
        #[test]
        fn keys_stay_in_order(positions in prop::collection::vec(any::<prop::sample::Index>(), 1..400)) {
            let mut keys: Vec<OrderKey> = Vec::new();
            for position in positions {
                let at = position.index(keys.len() + 1);
                let before = at.checked_sub(1).and_then(|at| keys.get(at)).cloned();
                let key = OrderKey::between(before.as_ref(), keys.get(at));
                prop_assert!(!key.as_bytes().contains(&0));
                keys.insert(at, key);
                prop_assert!(keys.is_sorted_by(|a, b| a < b));
            }
        }

        /// Repeated insertion at one position, on either side, adds a byte per eight insertions.
        #[test]
        fn insertions_at_one_position_grow_slowly(sides in prop::collection::vec(any::<bool>(), 200)) {
            let mut low = OrderKey::default();
            let mut high = low.next();
            for side in sides {
                let key = OrderKey::between(Some(&low), Some(&high));
                prop_assert!(low < key && key < high);
                if side { low = key } else { high = key }
            }
            prop_assert!(low.as_bytes().len() <= 40, "{}", low.as_bytes().len());
        }
    }
}
