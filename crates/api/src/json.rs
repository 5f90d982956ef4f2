//! Reading JSON bodies: depth first, then text, then one clear word about what is wrong.

use bindery_model::{Error, Result};
use serde::Deserialize;
use serde_json::Value;

/// Reads a body as JSON of at most `depth` nested arrays and objects.
///
/// # Errors
/// Malformed JSON is refused with line and column.
pub(crate) fn parse(bytes: &[u8], depth: usize) -> Result<Value> {
    check_depth(bytes, depth)?;
    let mut reader = serde_json::Deserializer::from_slice(bytes);
    reader.disable_recursion_limit();
    let value = Value::deserialize(&mut reader).and_then(|value| reader.end().map(|()| value));
    value.map_err(|error| Error::invalid(format!("the body is not valid JSON: {error}")))
}

/// Counts nesting outside of strings, so that no parser recurses deeper than the limit.
fn check_depth(bytes: &[u8], limit: usize) -> Result<()> {
    let (mut depth, mut in_string, mut escaped) = (0_usize, false, false);
    for byte in bytes {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            _ if in_string => {}
            b'[' | b'{' => {
                depth += 1;
                if depth > limit {
                    return Err(Error::invalid(format!(
                        "the body nests deeper than {limit} arrays and objects"
                    )));
                }
            }
            b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn depth_is_counted_outside_of_strings() {
        for (text, depth, fits) in [
            ("[[1]]", 2, true),
            ("[[[1]]]", 2, false),
            (r#"["[[[["]"#, 1, true),
            (r#"["\"[[["]"#, 1, true),
        ] {
            assert_eq!(parse(text.as_bytes(), depth).is_ok(), fits, "{text}");
        }
        let deep = format!("{}1{}", "[".repeat(190), "]".repeat(190));
        assert!(parse(deep.as_bytes(), 200).is_ok());
    }

    #[test]
    fn malformed_json_is_told_with_line_and_column() {
        let error = parse(b"{\n \"a\": }", 10).unwrap_err();
        assert!(error.message().contains("line 2 column 7"), "{error}");
        assert!(parse(b"{} x", 10).is_err());
    }
}
