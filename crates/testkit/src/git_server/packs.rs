//! Malformed packs that Git itself would not write, built entry by entry.

use std::io::Write;

use flate2::Compression;
use flate2::write::ZlibEncoder;

/// A pack under construction.
#[derive(Clone, Debug)]
pub struct PackBuilder {
    bytes: Vec<u8>,
    count: u32,
}

impl Default for PackBuilder {
    fn default() -> Self {
        Self { bytes: b"PACK\0\0\0\x02\0\0\0\0".to_vec(), count: 0 }
    }
}

impl PackBuilder {
    /// Adds a complete object of a type (1 commit, 2 tree, 3 blob, 4 tag), and returns its offset.
    pub fn object(&mut self, kind: u8, content: &[u8]) -> usize {
        let at = self.head(kind, content.len());
        self.data(content);
        at
    }

    /// Adds an object with a wrong size in its header.
    pub fn object_with_size(&mut self, kind: u8, size: usize, content: &[u8]) -> usize {
        let at = self.head(kind, size);
        self.data(content);
        at
    }

    /// Adds a delta based on the object at an offset, and returns its offset.
    pub fn delta(&mut self, base: usize, delta: &[u8]) -> usize {
        let at = self.head(6, delta.len());
        let mut rest = at.wrapping_sub(base);
        let mut distance = vec![(rest & 0x7f) as u8];
        rest >>= 7;
        while rest > 0 {
            rest -= 1;
            distance.insert(0, 0x80 | (rest & 0x7f) as u8);
            rest >>= 7;
        }
        self.bytes.extend(distance);
        self.data(delta);
        at
    }

    /// Adds a delta based on the object with an id, and returns its offset.
    pub fn ref_delta(&mut self, base: [u8; 20], delta: &[u8]) -> usize {
        let at = self.head(7, delta.len());
        self.bytes.extend(base);
        self.data(delta);
        at
    }

    /// Returns the pack with its number of objects and its checksum.
    pub fn finish(mut self) -> Vec<u8> {
        self.bytes.splice(8..12, self.count.to_be_bytes());
        let mut hasher = gix_hash::hasher(gix_hash::Kind::Sha1);
        hasher.update(&self.bytes);
        let checksum = hasher.try_finalize().expect("bytes that collide with nothing");
        self.bytes.extend(checksum.as_slice());
        self.bytes
    }

    fn head(&mut self, kind: u8, size: usize) -> usize {
        let at = self.bytes.len();
        self.count += 1;
        let mut rest = size >> 4;
        let mut byte = (kind << 4) | (size & 0x0f) as u8;
        while rest > 0 {
            self.bytes.push(byte | 0x80);
            byte = (rest & 0x7f) as u8;
            rest >>= 7;
        }
        self.bytes.push(byte);
        at
    }

    fn data(&mut self, content: &[u8]) {
        let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(content).expect("memory takes everything");
        self.bytes.extend(encoder.finish().expect("memory takes everything"));
    }
}

/// Returns a delta that copies a base of this size with `mark` at the beginning.
pub fn marked_copy(size: usize, mark: &[u8]) -> Vec<u8> {
    let mut delta = Vec::new();
    for _ in 0..2 {
        let mut rest = size;
        while rest >= 0x80 {
            delta.push(0x80 | (rest & 0x7f) as u8);
            rest >>= 7;
        }
        delta.push(rest as u8);
    }
    delta.push(u8::try_from(mark.len()).expect("a short mark"));
    delta.extend(mark);
    let mut at = mark.len();
    while at < size {
        let piece = (size - at).min(0xff_ffff);
        delta.push(0xff);
        delta.extend((at as u32).to_le_bytes());
        delta.extend((piece as u32).to_le_bytes().iter().take(3));
        at += piece;
    }
    delta
}

/// Returns a pack with a blob of zeros and `depth` blobs of the same size, each a delta of the
/// previous one, and an additional leaf for each. A reader that keeps the base of every leaf in
/// memory keeps all of them.
pub fn comb_pack(depth: u32, size: usize) -> Vec<u8> {
    let mut pack = PackBuilder::default();
    let mut base = pack.object(3, &vec![0; size]);
    for number in 0..depth {
        let mark = |side: u8| {
            let mut mark = vec![side];
            mark.extend(number.to_le_bytes());
            marked_copy(size, &mark)
        };
        pack.delta(base, &mark(1));
        base = pack.delta(base, &mark(2));
    }
    pack.finish()
}
