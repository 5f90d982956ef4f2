//! Parses JSON bodies: checks depth and size first, then reports malformed input in one message.

use std::fmt;

use bindery_model::{Error, Result};
use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

/// Maximum number of values in a body. A value takes up to a hundred times its bytes in memory. A
/// document with the maximum number of nodes stays below this limit.
const MAX_VALUES: usize = 2_000_000;

/// Parses a body as JSON of at most `depth` nested arrays and objects, in which no object has a
/// duplicate key.
///
/// # Errors
/// Rejects malformed JSON with line and column.
pub(crate) fn parse(bytes: &[u8], depth: usize) -> Result<Value> {
    check_shape(bytes, depth)?;
    let mut reader = serde_json::Deserializer::from_slice(bytes);
    reader.disable_recursion_limit();
    let value = UniqueKeys.deserialize(&mut reader).and_then(|value| reader.end().map(|()| value));
    value.map_err(|error| Error::invalid(format!("the body is not valid JSON: {error}")))
}

/// Deserializes a value without duplicate keys. Readers of JSON disagree about which of two they
/// take.
struct UniqueKeys;

impl<'de> DeserializeSeed<'de> for UniqueKeys {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> std::result::Result<Value, D::Error> {
        reader.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for UniqueKeys {
    type Value = Value;

    fn expecting(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> std::result::Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> std::result::Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> std::result::Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_u64<E>(self, value: u64) -> std::result::Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_f64<E>(self, value: f64) -> std::result::Result<Value, E> {
        Ok(Number::from_f64(value).map_or(Value::Null, Value::Number))
    }

    fn visit_str<E>(self, value: &str) -> std::result::Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_string<E>(self, value: String) -> std::result::Result<Value, E> {
        Ok(Value::String(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut from: A) -> std::result::Result<Value, A::Error> {
        let mut values = Vec::new();
        while let Some(value) = from.next_element_seed(Self)? {
            values.push(value);
        }
        Ok(Value::Array(values))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut from: A) -> std::result::Result<Value, A::Error> {
        let mut object = Map::new();
        while let Some(key) = from.next_key::<String>()? {
            if object.contains_key(&key) {
                return Err(A::Error::custom(format!("the key \"{key:.100}\" is duplicated")));
            }
            let value = from.next_value_seed(Self)?;
            object.insert(key, value);
        }
        Ok(Value::Object(object))
    }
}

/// Counts nesting and values outside of strings, so that no parser recurses deeper than the limit
/// or takes much more memory than the body.
fn check_shape(bytes: &[u8], limit: usize) -> Result<()> {
    let (mut depth, mut in_string, mut escaped) = (0_usize, false, false);
    let mut values = 0_usize;
    for byte in bytes {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            _ if in_string => {}
            b',' => values += 1,
            b'[' | b'{' => {
                values += 1;
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
    if values > MAX_VALUES {
        return Err(Error::too_large(format!(
            "the body has more than {MAX_VALUES} values, the limit; send less at once"
        )));
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
    fn malformed_json_is_reported_with_line_and_column() {
        let error = parse(b"{\n \"a\": }", 10).unwrap_err();
        assert!(error.message().contains("line 2 column 7"), "{error}");
        assert!(parse(b"{} x", 10).is_err());
        let error = parse(b"{\"a\": [{\"b\": 1,\n\"b\": 2}]}", 10).unwrap_err();
        assert!(error.message().contains("\"b\" is duplicated at line 2"), "{error}");
        for text in [r#""\ud800""#, "1e999", "NaN", "-", "01"] {
            assert!(parse(text.as_bytes(), 10).is_err(), "{text}");
        }
    }

    #[test]
    fn values_are_parsed_unchanged() {
        let text = r#"{"a":[null,true,-1,18446744073709551615,1.5,"x\n\u00e9"],"b":{}}"#;
        let read = parse(text.as_bytes(), 10).unwrap();
        assert_eq!(read, serde_json::from_str::<Value>(text).unwrap());
        assert_eq!(
            read.to_string(),
            r#"{"a":[null,true,-1,18446744073709551615,1.5,"x\né"],"b":{}}"#
        );
    }

    #[test]
    fn values_are_counted_outside_of_strings() {
        let of = |count: usize| format!("[{}0]", "0,".repeat(count));
        assert!(parse(of(MAX_VALUES - 1).as_bytes(), 10).is_ok());
        let error = parse(of(MAX_VALUES).as_bytes(), 10).unwrap_err();
        assert!(error.message().contains("send less at once"), "{error}");
        let text = format!("\"{}\"", ",".repeat(MAX_VALUES + 1));
        assert!(parse(text.as_bytes(), 10).is_ok());
    }
}
