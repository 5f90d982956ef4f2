//! Texts, whose positions count the units of UTF-16, as those of browsers do.

use std::sync::Arc;

/// A text with the number of its units of UTF-16.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Text {
    string: Arc<str>,
    units: usize,
}

impl Text {
    pub(crate) fn new(string: impl Into<Arc<str>>) -> Self {
        let string = string.into();
        let units = if string.is_ascii() { string.len() } else { string.encode_utf16().count() };
        Self { string, units }
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.string
    }

    pub(crate) fn units(&self) -> usize {
        self.units
    }

    /// Returns the part between two offsets. `None` if one of them is inside of a character.
    pub(crate) fn cut(&self, from: usize, to: usize) -> Option<Self> {
        let (start, end) = (self.byte_at(from)?, self.byte_at(to)?);
        let string = self.string.get(start..end)?;
        Some(Self { units: to - from, string: string.into() })
    }

    pub(crate) fn followed_by(&self, other: &Self) -> Self {
        let string = [self.as_str(), other.as_str()].concat();
        Self { string: string.into(), units: self.units + other.units }
    }

    fn byte_at(&self, offset: usize) -> Option<usize> {
        if self.units == self.string.len() {
            return (offset <= self.units).then_some(offset);
        }
        let mut units = 0;
        for (byte, character) in self.string.char_indices() {
            if units >= offset {
                return (units == offset).then_some(byte);
            }
            units += character.len_utf16();
        }
        (units == offset).then_some(self.string.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_count_units_of_utf_16() {
        let text = Text::new("aé😀b");
        assert_eq!(text.units(), 5);
        assert_eq!(text.cut(2, 4).unwrap().as_str(), "😀");
        assert_eq!(text.cut(4, 5).unwrap().as_str(), "b");
        assert_eq!(text.cut(0, 5), Some(text.clone()));
        assert_eq!(text.cut(3, 4), None);
        assert_eq!(text.cut(0, 6), None);
        assert_eq!(text.cut(4, 2), None);
        assert_eq!(Text::new("ab").cut(1, 3), None);
    }
}
