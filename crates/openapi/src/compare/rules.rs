//! The rules of schemas: an id and a level for each place that a difference can have.

use super::Level;

/// A place of a schema that has rules of its own.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Column {
    RequestBody,
    RequestProperty,
    /// A property that requests do not have.
    ReadOnlyRequestProperty,
    ResponseBody,
    ResponseProperty,
    /// A property that responses do not have.
    WriteOnlyResponseProperty,
    Parameter,
    ParameterProperty,
    Header,
}

/// The id and the level of a rule.
pub(super) type Rule = (&'static str, Level);

/// A rule at a place.
#[derive(Clone, Copy)]
enum Cell {
    /// Nothing is reported.
    None,
    /// The rule of the place without `readOnly` or `writeOnly` holds.
    Same,
    Rule(Rule),
}

struct Row {
    end: &'static str,
    cells: [Cell; 9],
}

/// Returns a cell of the table: `B`, `W` and `I` are the levels, `-` is none, `=` the same.
macro_rules! cell {
    ($start:literal, $end:literal, -) => {
        Cell::None
    };
    ($start:literal, $end:literal, =) => {
        Cell::Same
    };
    ($start:literal, $end:literal, B) => {
        Cell::Rule((concat!($start, $end), Level::Breaking))
    };
    ($start:literal, $end:literal, W) => {
        Cell::Rule((concat!($start, $end), Level::Warning))
    };
    ($start:literal, $end:literal, I) => {
        Cell::Rule((concat!($start, $end), Level::Info))
    };
}

/// Returns the table. The columns are the places in the order of [`Column`].
macro_rules! rows {
    ($($end:literal $request:tt $property:tt $read_only:tt | $response:tt $field:tt $write_only:tt
       | $parameter:tt $inner:tt $header:tt;)*) => {
        [$(Row {
            end: $end,
            cells: [
                cell!("request-body-", $end, $request),
                cell!("request-property-", $end, $property),
                cell!("request-read-only-property-", $end, $read_only),
                cell!("response-body-", $end, $response),
                cell!("response-property-", $end, $field),
                cell!("response-write-only-property-", $end, $write_only),
                cell!("request-parameter-", $end, $parameter),
                cell!("request-parameter-property-", $end, $inner),
                cell!("response-header-", $end, $header),
            ],
        }),*]
    };
}

#[rustfmt::skip]
static ROWS: &[Row] = &rows! {
    "all-of-added"                        B B = | I I = | - - -;
    "all-of-removed"                      W W = | I I = | - - -;
    "all-of-added-annotation-only"        I I = | I I = | - - -;
    "all-of-removed-annotation-only"      I I = | I I = | - - -;
    "any-of-added"                        I I = | I I = | - - -;
    "any-of-removed"                      B B = | I I = | - - -;
    "one-of-added"                        I I = | B B = | - - -;
    "one-of-removed"                      B B = | I I = | - - -;
    "wrapped-in-one-of"                   B - - | B - - | - - -;
    "type-changed"                        B B - | B B = | B W B;
    "type-generalized"                    I I - | B B = | I I B;
    "type-specialized"                    - - - | I I = | - B I;
    "type-compatible"                     I I - | I I = | - - I;
    "list-of-types-widened"               I I - | B B = | I I -;
    "list-of-types-narrowed"              B B - | I I = | B B -;
    "became-nullable"                     I I = | B B = | I I B;
    "became-not-nullable"                 B B = | I I = | B B I;
    "became-enum"                         B B = | - - - | B - -;
    "enum-value-added"                    - I = | - W I | I I -;
    "enum-value-removed"                  B B I | - I = | B B -;
    "x-extensible-enum-value-removed"     - B - | - - - | B - -;
    "default-value-added"                 I I = | I I = | B - -;
    "default-value-removed"               I I = | I I = | B - -;
    "default-value-changed"               I I = | I I = | B - -;
    "const-added"                         B B = | I I = | - - -;
    "const-removed"                       I I = | B B = | - - -;
    "const-changed"                       B B = | B B = | - - -;
    "pattern-added"                       - B = | - I = | B - -;
    "pattern-removed"                     - I = | - I = | I - -;
    "pattern-changed"                     - W = | - I = | W - -;
    "pattern-generalized"                 - I = | - - - | I - -;
    "min-set"                             W W - | - - - | W - -;
    "min-increased"                       B B I | - - - | B - -;
    "min-decreased"                       I I = | B B - | I - -;
    "max-set"                             W W - | - - - | W - -;
    "max-increased"                       I I = | B B - | I - -;
    "max-decreased"                       B B I | - - - | B - -;
    "exclusive-min-set"                   W W - | - - - | W - -;
    "exclusive-min-increased"             B B I | - - - | B - -;
    "exclusive-min-decreased"             I I = | B B - | I - -;
    "exclusive-max-set"                   W W - | - - - | W - -;
    "exclusive-max-increased"             I I = | B B - | I - -;
    "exclusive-max-decreased"             B B I | - - - | B - -;
    "min-length-increased"                B B = | - - - | B - -;
    "min-length-decreased"                I I = | B B - | I - -;
    "max-length-set"                      W W - | - - - | W - -;
    "max-length-unset"                    - - - | B B - | - - -;
    "max-length-increased"                I I = | B B - | I - -;
    "max-length-decreased"                B B I | - - - | B - -;
    "min-items-increased"                 B B - | - - - | B - -;
    "min-items-decreased"                 - - - | B B - | I - -;
    "max-items-increased"                 - - - | - - - | I - -;
    "max-items-decreased"                 - - - | - - - | B - -;
    "min-contains-increased"              B B = | I I = | - - -;
    "min-contains-decreased"              I I = | B B = | - - -;
    "max-contains-increased"              I I = | B B = | - - -;
    "max-contains-decreased"              B B = | I I = | - - -;
    "discriminator-added"                 I I = | I I = | - - -;
    "discriminator-removed"               I I = | I I = | - - -;
    "discriminator-property-name-changed" I I = | I I = | - - -;
    "discriminator-mapping-added"         I I = | I I = | - - -;
    "discriminator-mapping-deleted"       I I = | I I = | - - -;
    "discriminator-mapping-changed"       I I = | I I = | - - -;
    "if-added"                            B B = | I I = | - - -;
    "if-removed"                          I I = | B B = | - - -;
    "then-added"                          B B = | I I = | - - -;
    "then-removed"                        I I = | B B = | - - -;
    "else-added"                          B B = | I I = | - - -;
    "else-removed"                        I I = | B B = | - - -;
    "contains-added"                      B B = | I I = | - - -;
    "contains-removed"                    I I = | B B = | - - -;
    "property-names-added"                B B = | I I = | - - -;
    "property-names-removed"              I I = | B B = | - - -;
    "unevaluated-items-added"             B B = | I I = | - - -;
    "unevaluated-items-removed"           I I = | B B = | - - -;
    "unevaluated-properties-added"        B B = | I I = | - - -;
    "unevaluated-properties-removed"      I I = | B B = | - - -;
    "content-schema-added"                B B = | I I = | - - -;
    "content-schema-removed"              I I = | B B = | - - -;
    "content-media-type-changed"          B B = | B B = | - - -;
    "content-encoding-changed"            B B = | B B = | - - -;
    "pattern-property-added"              B B = | I I = | - - -;
    "pattern-property-removed"            I I = | B B = | - - -;
    "dependent-schema-added"              B B = | I I = | - - -;
    "dependent-schema-removed"            I I = | B B = | - - -;
    "dependent-required-added"            B B = | I I = | - - -;
    "dependent-required-removed"          I I = | B B = | - - -;
    "dependent-required-changed"          B B = | B B = | - - -;
    "prefix-items-added"                  I I = | B B = | - - -;
    "prefix-items-removed"                B B = | I I = | - - -;
    "deprecated"                          - I = | - I = | - - -;
    "deprecated-with-sunset"              - I = | - I = | - - -;
    "deprecated-sunset-invalid"           - B = | - B = | - - -;
    "sunset-date-too-small"               - B = | - B = | - - -;
    "reactivated"                         - I = | - I = | - - -;
    "stability-decreased"                 - B = | - B = | - - -;
    "stability-increased"                 - I = | - I = | - - -;
    "became-required"                     - B - | - I I | - - -;
    "became-required-with-default"        - B - | - - - | - - -;
    "became-optional"                     - I - | - B I | - - -;
};

/// Returns the rule with an end of an id for a place; `None` if the difference does not matter there.
pub(super) fn rule(end: &str, column: Column) -> Option<Rule> {
    let end = match (end, column) {
        // Nobody can know for a response that a pattern takes everything.
        ("pattern-generalized", Column::ResponseProperty | Column::WriteOnlyResponseProperty) => {
            "pattern-changed"
        }
        ("enum-value-removed", Column::ResponseBody) => {
            return Some(("response-mediatype-enum-value-removed", Level::Info));
        }
        ("list-of-types-changed", Column::ResponseBody | Column::ResponseProperty) => {
            "list-of-types-widened"
        }
        ("list-of-types-changed", _) => "list-of-types-narrowed",
        (end, _) => end,
    };
    let row = ROWS.iter().find(|row| row.end == end)?;
    match row.cells[column as usize] {
        Cell::None => None,
        Cell::Rule(rule) => Some(rule),
        // The place without `readOnly` or `writeOnly` is the one before.
        Cell::Same => match row.cells[column as usize - 1] {
            Cell::Rule(rule) => Some(rule),
            _ => None,
        },
    }
}
