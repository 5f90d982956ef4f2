//! Keys of nodes, which are derived from their content.

use crate::work;

/// Identifies a node within its document. The same source gives the same keys, and a change to one
/// block does not change the keys of the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Key(pub u64);

impl Key {
    /// Returns the key for a name in JSON. A name in the form of a key is parsed; any other name is
    /// hashed.
    #[must_use]
    pub fn of_name(name: &str) -> Self {
        let is_hex = |b: u8| b.is_ascii_digit() || (b'a'..=b'f').contains(&b);
        if name.len() == 16
            && name.bytes().all(is_hex)
            && let Ok(number) = u64::from_str_radix(name, 16)
        {
            return Self(number);
        }
        Self(hash(41, name.as_bytes()))
    }

    /// Returns the key of the `n`th part of this node that is not a node of its own.
    #[must_use]
    pub fn part(self, n: u64) -> Self {
        // The finalizer of SplitMix64: every bit of the input affects every bit of the output.
        let mut z = self.0 ^ n.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        Self(z ^ (z >> 31))
    }
}

impl std::fmt::Display for Key {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

/// Computes a 64-bit FNV-1a hash, which is the same on every machine and in every version.
pub(crate) fn hash(seed: u64, bytes: &[u8]) -> u64 {
    const PRIME: u64 = 0x0000_0100_0000_01B3;
    work::spend(bytes.len());
    let start = 0xCBF2_9CE4_8422_2325_u64 ^ seed.wrapping_mul(PRIME);
    bytes.iter().fold(start, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(PRIME))
}

/// Numbers from which the keys of a node's parts derive.
pub(crate) mod part {
    /// The first image. Further images use the following numbers.
    pub(crate) const IMAGES: u64 = 3;
    /// The first table cell, counted row by row.
    pub(crate) const CELLS: u64 = 4;
    /// The first inline.
    pub(crate) const INLINES: u64 = 100;
    /// The contents of a repeated note.
    pub(crate) const REPEATS: u64 = 1 << 32;
    /// Further nodes with equal contents.
    pub(crate) const DUPLICATES: u64 = 1 << 33;
}
