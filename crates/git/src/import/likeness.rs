//! How much of two texts is the same, from samples that take a few hundred bytes of each however
//! long and however many they are: of all pairs of neighbouring words those with the smallest
//! digests. Texts that share much share these, so that they are found by them too.

use std::collections::{BTreeMap, HashSet};

/// So many pairs of words are in a sample. A likeness is then wrong by some hundredths; of a short
/// text all are in it.
const SAMPLE: usize = 64;
/// So much of a text is looked at, in bytes.
const TEXT: usize = 256 << 10;
/// What more texts than this share tells nothing.
const COMMON: usize = 64;

/// A sample of a text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Sample(Box<[u32]>);

impl Sample {
    pub(super) fn of(text: &[u8]) -> Self {
        let text = text.get(..TEXT).unwrap_or(text);
        let mut digests = Vec::new();
        let mut last = [0; 3];
        for word in words(text) {
            let digest = word.iter().fold(0xCBF2_9CE4_8422_2325, |hash: u64, byte| {
                (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01B3)
            });
            let [first, second, third] = last;
            // Signs of which there are few say less than words do.
            let before = if is_sign(word) { [first, second, third] } else { [0, 0, third] };
            digests.push(mixed(before, digest));
            last = [second, third, digest];
        }
        digests.sort_unstable();
        digests.dedup();
        digests.truncate(SAMPLE);
        Self(digests.into())
    }

    /// About how much of both is the same, from 0 to 1.
    pub(super) fn likeness(&self, other: &Self) -> f64 {
        let (mut left, mut right) = (self.0.iter().peekable(), other.0.iter().peekable());
        let (mut all, mut same) = (0_u32, 0_u32);
        while all < SAMPLE as u32 {
            match (left.peek(), right.peek()) {
                (Some(l), Some(r)) => {
                    let (l, r) = (**l, **r);
                    same += u32::from(l == r);
                    if l <= r {
                        left.next();
                    }
                    if r <= l {
                        right.next();
                    }
                }
                (Some(_), None) => {
                    left.next();
                }
                (None, Some(_)) => {
                    right.next();
                }
                (None, None) => break,
            }
            all += 1;
        }
        // Of what is in either, as far as sampled, `same` is in both.
        if all == 0 { 0.0 } else { f64::from(2 * same) / f64::from(all + same) }
    }
}

/// Words of letters and digits; where a script has no spaces, or letters of three bytes, each sign.
fn words(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || (0x80..0xE0).contains(&byte);
    let mut rest = text;
    std::iter::from_fn(move || {
        let start = rest.iter().position(|byte| is_letter(*byte) || *byte >= 0xE0)?;
        let (_, word) = rest.split_at_checked(start)?;
        let length = match word.first() {
            Some(0xF0..) => 4,
            Some(0xE0..) => 3,
            _ => word.iter().position(|byte| !is_letter(*byte)).unwrap_or(word.len()),
        };
        let (word, after) = word.split_at(length.min(word.len()));
        rest = after;
        Some(word)
    })
}

fn is_sign(word: &[u8]) -> bool {
    word.first().is_some_and(|byte| *byte >= 0xE0)
}

/// The finaliser of SplitMix64: every bit of the input moves every bit of the output.
fn mixed(before: [u64; 3], word: u64) -> u32 {
    let mut z = word;
    for one in before {
        z = z.rotate_left(23).wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ one;
    }
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    ((z ^ (z >> 31)) >> 32) as u32
}

/// Finds the texts whose samples share something that not many do.
pub(super) struct Index<'s> {
    samples: &'s [Sample],
    /// Digests with the texts that have them, sorted.
    digests: Vec<(u32, u32)>,
}

impl<'s> Index<'s> {
    pub(super) fn of(samples: &'s [Sample]) -> Self {
        let numbered = (0..).zip(samples);
        let mut digests: Vec<(u32, u32)> =
            numbered.flat_map(|(at, sample)| sample.0.iter().map(move |one| (*one, at))).collect();
        digests.sort_unstable();
        Self { samples, digests }
    }

    /// The texts that are at least so much like this one, and how much; at most `most`, the
    /// likest first. Those of `also` are looked at too.
    pub(super) fn alike(
        &self,
        sample: &Sample,
        also: &[usize],
        least: f64,
        most: usize,
    ) -> Vec<(f64, usize)> {
        let mut candidates: BTreeMap<usize, usize> = BTreeMap::new();
        for digest in &sample.0 {
            let from = self.digests.partition_point(|(one, _)| one < digest);
            let these = self.digests.get(from..).unwrap_or_default();
            let count = these.iter().take(COMMON + 1).take_while(|(one, _)| one == digest).count();
            if count <= COMMON {
                for (_, at) in these.iter().take(count) {
                    *candidates.entry(*at as usize).or_default() += 1;
                }
            }
        }
        // What is shared most often is looked at; the rest could only be less alike.
        let mut candidates: Vec<(usize, usize)> =
            candidates.into_iter().map(|(at, shared)| (shared, at)).collect();
        candidates.sort_unstable_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(&b.1)));
        let found = candidates.into_iter().take(COMMON).map(|(_, at)| at);
        let looked_at: HashSet<usize> = found.chain(also.iter().copied()).collect();
        let mut alike: Vec<(f64, usize)> = looked_at
            .into_iter()
            .filter_map(|at| Some((sample.likeness(self.samples.get(at)?), at)))
            .filter(|(like, _)| *like >= least)
            .collect();
        alike.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        alike.truncate(most);
        alike
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn likeness(left: &str, right: &str) -> f64 {
        Sample::of(left.as_bytes()).likeness(&Sample::of(right.as_bytes()))
    }

    /// Words that are as good as any.
    fn text(seed: u64, words: std::ops::Range<u64>) -> String {
        words
            .map(|n| format!("w{} ", (seed + n).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40))
            .collect()
    }

    #[test]
    fn likeness_follows_what_is_shared() {
        for (left, right, expect, about) in [
            ("a b c d", "a b c d", 1.0, 0.0),
            ("a b c d", "e f g h", 0.0, 0.0),
            ("", "", 0.0, 0.0),
            ("one two three four", "one two\nthree  *four*", 1.0, 0.0),
            // Four pairs each, with the one at the start; two of them are in both.
            ("a b c d", "a b x d", 0.5, 0.0),
            (&text(1, 0..1000), &text(1, 0..1000), 1.0, 0.0),
            (&text(1, 0..1000), &text(1, 100..1100), 0.9, 0.1),
            (&text(1, 0..1000), &text(1, 500..1500), 0.5, 0.15),
            (&text(1, 0..1000), &text(7_000_000, 0..1000), 0.0, 0.02),
            ("北京是中国的首都和城市", "北京是中国的首都和城市吗", 0.9, 0.1),
            ("北京是中国的首都和城市", "东京在日本的海边有人说", 0.0, 0.05),
            ("Привет мир и друзья", "Привет мир и враги", 0.75, 0.0),
        ] {
            let found = likeness(left, right);
            assert!((found - expect).abs() <= about, "{found} of {left:.30} {right:.30}");
        }
    }

    #[test]
    fn the_likest_is_found_among_many() {
        let samples: Vec<Sample> =
            (0..2_000).map(|n| Sample::of(text(n * 10_000, 0..300).as_bytes())).collect();
        let index = Index::of(&samples);
        for n in [0, 7, 1_999] {
            let edited = Sample::of(text(n * 10_000, 20..320).as_bytes());
            let found = index.alike(&edited, &[], 0.6, 4);
            assert_eq!(found.iter().map(|(_, at)| *at as u64).collect::<Vec<_>>(), [n]);
        }
        // What all share leads nowhere by itself.
        let same: Vec<Sample> = (0..200).map(|_| Sample::of(b"a b c")).collect();
        let index = Index::of(&same);
        assert_eq!(index.alike(&same[0], &[], 0.6, 4), []);
        assert_eq!(index.alike(&same[0], &[3], 0.6, 4), [(1.0, 3)]);
    }
}
