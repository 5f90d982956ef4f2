//! Files in requests, as Base64.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bindery_model::{FieldPath, Result};
use bytes::Bytes;

/// Decodes Base64 into at most `limit` bytes.
///
/// # Errors
/// Returns 400 if the text is not Base64 or has more bytes.
pub(crate) fn decode(at: &FieldPath, text: &str, limit: usize) -> Result<Bytes> {
    let too_large = || at.invalid(format_args!("allowed: files of at most {limit} bytes"));
    if text.len() > limit.div_ceil(3) * 4 + 4 {
        return Err(too_large());
    }
    let bytes = STANDARD
        .decode(text.trim())
        .map_err(|error| at.invalid(format_args!("this is not Base64: {error}")))?;
    if bytes.len() > limit { Err(too_large()) } else { Ok(Bytes::from(bytes)) }
}
