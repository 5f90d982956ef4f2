//! Parses JSON and YAML at bounded cost.

use serde::de::IgnoredAny;
use serde_json::Value;

use crate::Pointer;
use crate::problem::{Position, Problem};

/// Maximum number of arrays and objects within each other.
pub const MAX_DEPTH: usize = 120;
/// Maximum number of values and keys that the aliases of a YAML text may repeat in total.
const MAX_ALIAS_EVENTS: usize = 1_000_000;
/// Maximum size of a text that begins with a brace, is not JSON, and may be YAML, in bytes.
const MAX_BRACES: usize = 1 << 20;
/// Maximum number of values and keys of a YAML text.
const MAX_EVENTS: usize = 4_000_000;
/// Maximum memory of the values of a JSON text, in units of about 32 bytes.
const MAX_UNITS: usize = 24_000_000;

/// Parses the text of a file, which is JSON if it begins with a brace or a bracket, and YAML
/// otherwise. Of fields with the same name, the last one counts.
///
/// # Errors
/// Returns a problem for a text that is neither, that is nested too deeply, that has too many values,
/// or whose aliases repeat too much.
pub fn parse(file: &str, text: &str) -> Result<Value, Problem> {
    let problem = |position, message| Problem {
        file: file.to_owned(),
        position,
        pointer: Pointer::default(),
        message,
    };
    let text = without_mark(text);
    if is_json(text) && units(text) > MAX_UNITS {
        return Err(problem(None, "found too many values to keep them in memory".to_owned()));
    }
    let value: Value = match is_json(text) {
        true => serde_json::from_str(text).or_else(|error| {
            // YAML has braces as well, with names that need no quotes.
            let small = Some(text).filter(|text| text.len() <= MAX_BRACES);
            small.and_then(|text| yaml(text).ok()).ok_or_else(|| {
                let position = Position { line: error.line(), column: error.column().max(1) };
                let message = error.to_string();
                let message = message.split(" at line ").next().unwrap_or_default();
                problem(Some(position), format!("this is not JSON: {message}"))
            })
        })?,
        false => yaml(text).map_err(|error| {
            let position = error.location().map(|at| {
                let number = |number: u64| usize::try_from(number).unwrap_or(usize::MAX).max(1);
                Position { line: number(at.line()), column: number(at.column()) }
            });
            let message = error.to_string();
            let message = message.lines().next().unwrap_or_default();
            problem(position, format!("this is not YAML: {message}"))
        })?,
    };
    match depth(&value) > MAX_DEPTH {
        true => Err(problem(None, too_deep())),
        false => Ok(value),
    }
}

fn yaml(text: &str) -> Result<Value, serde_saphyr::Error> {
    serde_saphyr::from_str_with_options(text, yaml_options())
}

fn too_deep() -> String {
    format!("found more than {MAX_DEPTH} arrays and objects within each other")
}

/// Returns an estimate of the memory of the values of a JSON text, in units of about 32 bytes. Each
/// value and each name has one of these characters before it, apart from the first.
fn units(text: &str) -> usize {
    let of_byte = |byte: u8| match byte {
        b'{' => 12,
        b'[' => 4,
        b':' => 3,
        b',' => 1,
        _ => 0,
    };
    text.bytes().map(of_byte).sum()
}

/// Returns the number of arrays and objects within each other. The parser bounds it.
fn depth(value: &Value) -> usize {
    match value {
        Value::Array(items) => 1 + items.iter().map(depth).max().unwrap_or(0),
        Value::Object(fields) => 1 + fields.values().map(depth).max().unwrap_or(0),
        _ => 0,
    }
}

/// Returns a text without its byte order mark.
pub(crate) fn without_mark(text: &str) -> &str {
    text.strip_prefix('\u{feff}').unwrap_or(text)
}

pub(crate) fn is_json(text: &str) -> bool {
    without_mark(text).trim_start().starts_with(['{', '['])
}

/// Size of the beginning of a text that tells its format, in bytes.
pub const FORMAT_BYTES: usize = MAX_BRACES + 1;

/// Returns `true` if a text that was parsed is JSON, and not YAML. `beginning` has the first
/// [`FORMAT_BYTES`] of it: of longer texts with a brace, only JSON is parsed.
#[must_use]
pub fn is_json_format(beginning: &str) -> bool {
    let is_whole = || beginning.len() < FORMAT_BYTES;
    let text = without_mark(beginning);
    is_json(text) && (!is_whole() || serde_json::from_str::<IgnoredAny>(text).is_ok())
}

pub(crate) fn yaml_options() -> serde_saphyr::Options {
    let alias_limits = serde_saphyr::alias_limits! { max_total_replayed_events: MAX_ALIAS_EVENTS };
    serde_saphyr::options! {
        strict_booleans: true,
        with_snippet: false,
        duplicate_keys: serde_saphyr::options::DuplicateKeyPolicy::LastWins,
        alias_limits: alias_limits,
        budget: serde_saphyr::budget! {
            max_events: MAX_EVENTS,
            max_nodes: MAX_EVENTS,
            max_depth: MAX_DEPTH,
        },
    }
}
