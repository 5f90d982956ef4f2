//! Estimates the similarity of texts from samples of a few hundred bytes each, regardless of the
//! number and length of the texts. A sample holds the pairs of neighbouring words with the smallest
//! digests (MinHash). Similar texts share digests, so an index of digests also finds them.

use std::collections::{BTreeMap, HashSet};

/// Maximum number of word pairs in a sample. The estimate is then accurate to some hundredths; the
/// sample of a short text is complete.
const MAX_SAMPLE_SIZE: usize = 64;
/// Maximum bytes of a text that are sampled.
const MAX_TEXT_BYTES: usize = 256 << 10;
/// Digests that occur in more texts than this are ignored, as they say little about similarity.
const MAX_SHARING_TEXTS: usize = 64;

/// A sample of a text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Sample(Box<[u32]>);

impl Sample {
    pub(super) fn of(text: &[u8]) -> Self {
        let text = text.get(..MAX_TEXT_BYTES).unwrap_or(text);
        let mut digests = Vec::new();
        let mut last = [0; 3];
        for word in words(text) {
            let digest = word.iter().fold(0xCBF2_9CE4_8422_2325, |hash: u64, byte| {
                (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01B3)
            });
            let [first, second, third] = last;
            // A pair of characters says less than a pair of words, so characters are combined with
            // more context.
            let before =
                if is_single_character(word) { [first, second, third] } else { [0, 0, third] };
            digests.push(mix(before, digest));
            last = [second, third, digest];
        }
        digests.sort_unstable();
        digests.dedup();
        digests.truncate(MAX_SAMPLE_SIZE);
        Self(digests.into())
    }

    /// Returns the estimated similarity from 0 to 1.
    pub(super) fn similarity(&self, other: &Self) -> f64 {
        let (mut left, mut right) = (self.0.iter().peekable(), other.0.iter().peekable());
        let (mut all, mut same) = (0_u32, 0_u32);
        while all < MAX_SAMPLE_SIZE as u32 {
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
        // Of the sampled digests of either text, `same` are in both.
        if all == 0 { 0.0 } else { f64::from(2 * same) / f64::from(all + same) }
    }
}

/// Splits a text into words of letters and digits. In scripts without spaces, and for letters of
/// three or more bytes, each character is a word.
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

fn is_single_character(word: &[u8]) -> bool {
    word.first().is_some_and(|byte| *byte >= 0xE0)
}

/// The finaliser of SplitMix64: every input bit affects every output bit.
fn mix(before: [u64; 3], word: u64) -> u32 {
    let mut z = word;
    for one in before {
        z = z.rotate_left(23).wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ one;
    }
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    ((z ^ (z >> 31)) >> 32) as u32
}

/// An index that finds texts whose samples share a digest that few other texts have.
pub(super) struct SampleIndex<'s> {
    samples: &'s [Sample],
    /// Pairs of a digest and the index of a text that has it, sorted.
    digests: Vec<(u32, u32)>,
}

impl<'s> SampleIndex<'s> {
    pub(super) fn of(samples: &'s [Sample]) -> Self {
        let numbered = (0..).zip(samples);
        let mut digests: Vec<(u32, u32)> =
            numbered.flat_map(|(at, sample)| sample.0.iter().map(move |one| (*one, at))).collect();
        digests.sort_unstable();
        Self { samples, digests }
    }

    /// Returns at most `most` texts with a similarity of at least `min_similarity`, with their
    /// similarity, the most similar first. Also compares the texts in `also`.
    pub(super) fn find_similar(
        &self,
        sample: &Sample,
        also: &[usize],
        min_similarity: f64,
        most: usize,
    ) -> Vec<(f64, usize)> {
        let mut candidates: BTreeMap<usize, usize> = BTreeMap::new();
        for digest in &sample.0 {
            let from = self.digests.partition_point(|(one, _)| one < digest);
            let these = self.digests.get(from..).unwrap_or_default();
            let count = these
                .iter()
                .take(MAX_SHARING_TEXTS + 1)
                .take_while(|(one, _)| one == digest)
                .count();
            if count <= MAX_SHARING_TEXTS {
                for (_, at) in these.iter().take(count) {
                    *candidates.entry(*at as usize).or_default() += 1;
                }
            }
        }
        // Only the texts that share the most digests are compared; the others would be less
        // similar.
        let mut candidates: Vec<(usize, usize)> =
            candidates.into_iter().map(|(at, shared)| (shared, at)).collect();
        candidates.sort_unstable_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(&b.1)));
        let found = candidates.into_iter().take(MAX_SHARING_TEXTS).map(|(_, at)| at);
        let compared: HashSet<usize> = found.chain(also.iter().copied()).collect();
        let mut similar: Vec<(f64, usize)> = compared
            .into_iter()
            .filter_map(|at| Some((sample.similarity(self.samples.get(at)?), at)))
            .filter(|(like, _)| *like >= min_similarity)
            .collect();
        similar.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        similar.truncate(most);
        similar
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn similarity(left: &str, right: &str) -> f64 {
        Sample::of(left.as_bytes()).similarity(&Sample::of(right.as_bytes()))
    }

    /// Generates pseudo-random words.
    fn text(seed: u64, words: std::ops::Range<u64>) -> String {
        words
            .map(|n| format!("w{} ", (seed + n).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40))
            .collect()
    }

    #[test]
    fn similarity_reflects_the_shared_part() {
        for (left, right, expect, about) in [
            ("a b c d", "a b c d", 1.0, 0.0),
            ("a b c d", "e f g h", 0.0, 0.0),
            ("", "", 0.0, 0.0),
            ("one two three four", "one two\nthree  *four*", 1.0, 0.0),
            // Four pairs each, including the one at the start; two of them are in both.
            ("a b c d", "a b x d", 0.5, 0.0),
            (&text(1, 0..1000), &text(1, 0..1000), 1.0, 0.0),
            (&text(1, 0..1000), &text(1, 100..1100), 0.9, 0.1),
            (&text(1, 0..1000), &text(1, 500..1500), 0.5, 0.15),
            (&text(1, 0..1000), &text(7_000_000, 0..1000), 0.0, 0.02),
            ("北京是中国的首都和城市", "北京是中国的首都和城市吗", 0.9, 0.1),
            ("北京是中国的首都和城市", "东京在日本的海边有人说", 0.0, 0.05),
            ("Привет мир и друзья", "Привет мир и враги", 0.75, 0.0),
        ] {
            let found = similarity(left, right);
            assert!((found - expect).abs() <= about, "{found} of {left:.30} {right:.30}");
        }
    }

    #[test]
    fn the_most_similar_text_is_found_among_many() {
        let samples: Vec<Sample> =
            (0..2_000).map(|n| Sample::of(text(n * 10_000, 0..300).as_bytes())).collect();
        let index = SampleIndex::of(&samples);
        for n in [0, 7, 1_999] {
            let edited = Sample::of(text(n * 10_000, 20..320).as_bytes());
            let found = index.find_similar(&edited, &[], 0.6, 4);
            assert_eq!(found.iter().map(|(_, at)| *at as u64).collect::<Vec<_>>(), [n]);
        }
        // Digests that all texts share yield no candidates.
        let same: Vec<Sample> = (0..200).map(|_| Sample::of(b"a b c")).collect();
        let index = SampleIndex::of(&same);
        assert_eq!(index.find_similar(&same[0], &[], 0.6, 4), []);
        assert_eq!(index.find_similar(&same[0], &[3], 0.6, 4), [(1.0, 3)]);
    }
}
