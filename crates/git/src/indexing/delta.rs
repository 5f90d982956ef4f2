//! Deltas (gitformat-pack(5)): reads their sizes and applies them.

use super::PackError;

/// Maximum bytes of the two sizes at the beginning of a delta.
pub(super) const MAX_SIZES_BYTES: usize = 20;

const TRUNCATED: PackError = PackError::Malformed("a delta is truncated");
const OUTSIDE: PackError = PackError::Malformed("a delta copies from outside its base");
const LENGTH: PackError =
    PackError::Malformed("the result of a delta does not have the declared size");

/// Reads the sizes of the base and the result. Returns both and the number of bytes they take.
pub(super) fn sizes(delta: &[u8]) -> Result<(u64, u64, usize), PackError> {
    let (base, first) = size(delta)?;
    let (result, second) = size(delta.get(first..).unwrap_or_default())?;
    Ok((base, result, first + second))
}

fn size(bytes: &[u8]) -> Result<(u64, usize), PackError> {
    let mut size = 0;
    for (at, byte) in bytes.iter().enumerate().take(MAX_SIZES_BYTES / 2) {
        if at == 9 && *byte > 1 {
            break;
        }
        size |= u64::from(byte & 0x7f) << (7 * at);
        if byte & 0x80 == 0 {
            return Ok((size, at + 1));
        }
    }
    Err(PackError::Malformed("a delta does not declare its sizes"))
}

/// Applies a delta to its base. Allocates at most `size` bytes.
pub(super) fn apply(base: &[u8], delta: &[u8], size: usize) -> Result<Vec<u8>, PackError> {
    let (base_size, result_size, begin) = sizes(delta)?;
    if base_size != base.len() as u64 || result_size != size as u64 {
        return Err(PackError::Malformed(
            "a delta declares another size than that of its base or its result",
        ));
    }
    let mut out = Vec::with_capacity(size);
    let mut rest = delta.get(begin..).unwrap_or_default();
    while let Some((&command, after)) = rest.split_first() {
        rest = after;
        let bytes = if command & 0x80 != 0 {
            let from = number(command, 4, &mut rest)?;
            let length = match number(command >> 4, 3, &mut rest)? {
                0 => 0x10000,
                length => length,
            };
            base.get(from..from.saturating_add(length)).ok_or(OUTSIDE)?
        } else if command == 0 {
            return Err(PackError::Malformed("a delta contains an unknown instruction"));
        } else {
            let (bytes, after) = rest.split_at_checked(usize::from(command)).ok_or(TRUNCATED)?;
            rest = after;
            bytes
        };
        if bytes.len() > size - out.len() {
            return Err(LENGTH);
        }
        out.extend_from_slice(bytes);
    }
    if out.len() == size { Ok(out) } else { Err(LENGTH) }
}

/// Reads a number of up to `bytes` bytes. Only the bytes whose bit is set in `bits` are present.
fn number(bits: u8, bytes: u8, rest: &mut &[u8]) -> Result<usize, PackError> {
    let mut number = 0;
    for at in 0..bytes {
        if bits & (1 << at) != 0 {
            let (&byte, after) = rest.split_first().ok_or(TRUNCATED)?;
            *rest = after;
            number |= usize::from(byte) << (8 * at);
        }
    }
    Ok(number)
}
