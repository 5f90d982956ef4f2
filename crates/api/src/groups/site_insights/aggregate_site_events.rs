//! `aggregateSiteEvents`: counts the events of a site, grouped and filtered by their properties.

use bindery_app::Context;
use bindery_app::access::{Action, Authorized};
use bindery_app::publishing::insights::aggregate::{Query, ResultColumn};
use bindery_app::publishing::insights::column::{Column, ColumnName, Key};
use bindery_app::publishing::insights::filter::{Filter, Operator};
use bindery_app::publishing::insights::query::aggregate;
use bindery_app::publishing::insights::range::{Interval, Range, RangePreset};
use bindery_app::publishing::sites::SiteTarget;
use bindery_model::{FieldPath, Result, Timestamp};
use bindery_wire::request::{
    SiteInsightsQueryEventsAggregation, SiteInsightsQueryRange, SiteInsightsQueryRangeCustom,
};
use bindery_wire::values::SiteInsightsQueryEventsAggregationOrderDirection as Direction;
use serde_json::{Value, json};

use crate::call::Call;
use crate::operation::{Operation, read_with_body};
use crate::reply::Reply;

/// Maximum length of the name of a claim, in bytes.
const MAX_CLAIM: usize = 1_024;
/// Maximum number of groups in an answer.
const MAX_LIMIT: u64 = 1_000;
/// Maximum number of columns of an answer, and of filters.
const MAX_COLUMNS: usize = 50;
/// Maximum number of properties by which events are grouped.
const MAX_GROUP_COLUMNS: usize = 10;
/// Maximum number of values of a filter.
const MAX_VALUES: usize = 1_000;

pub(super) fn operation() -> Operation {
    read_with_body("aggregateSiteEvents", Action::ReadInsights, run)
}

fn run(cx: &Context<'_>, site: &Authorized<SiteTarget>, call: &Call) -> Result<Reply> {
    let SiteInsightsQueryEventsAggregation { select, r#where, group_by, order, range, limit } =
        call.body()?;
    let select = columns("/select", select.unwrap_or_default(), MAX_COLUMNS)?;
    let group_by = columns("/groupBy", group_by.unwrap_or_default(), MAX_GROUP_COLUMNS)?;
    let counted = group_by.iter().enumerate().find(|(_, column)| column.name.is_aggregate());
    if let Some((at, column)) = counted {
        return Err(FieldPath::new(format!("/groupBy/{at}")).invalid(format!(
            "found {:?}, allowed: a property of events, which counts are not",
            column.name.as_str()
        )));
    }
    let filters = at_most("/where", r#where.unwrap_or_default(), MAX_COLUMNS)?;
    let filters = filters.iter().enumerate().map(|(n, one)| filter(&format!("/where/{n}"), one));
    let order = match order {
        Some(order) => {
            let column = column(&FieldPath::new("/order/by"), &order.by)?;
            Some((column, order.direction == Direction::Desc))
        }
        None => None,
    };
    let limit = usize::try_from(limit.unwrap_or(MAX_LIMIT).min(MAX_LIMIT)).unwrap_or(usize::MAX);
    let filters = filters.collect::<Result<_>>()?;
    let query = Query { select, filters, group_by, order, limit }.with_defaults();
    if !query.is_sortable() {
        let text = "found a property that the answer has not, allowed: a count, or a column in \
                    \"select\" or \"groupBy\" with the same options";
        return Err(FieldPath::new("/order/by").invalid(text));
    }
    let range = range_of(range, cx.now())?;
    let columns: Vec<Value> =
        aggregate(cx, site, query, range)?.into_iter().map(presented).collect();
    Reply::json(200, &json!({ "columns": columns }))
}

fn presented(result: ResultColumn) -> Value {
    let ResultColumn { column, values } = result;
    let values: Vec<Value> = values.iter().map(|cell| cell.to_json(column.name)).collect();
    let mut presented = json!({ "column": column.name.as_str(), "values": values });
    if let (Some(claim), Value::Object(fields)) = (column.claim, &mut presented) {
        fields.insert("claim".to_owned(), claim.into());
    }
    presented
}

fn at_most<T>(at: &'static str, items: Vec<T>, max: usize) -> Result<Vec<T>> {
    match items.len() {
        length if length > max => {
            let text = format!("found {length} items, allowed: at most {max}");
            Err(FieldPath::new(at).invalid(text))
        }
        _ => Ok(items),
    }
}

fn columns(at: &'static str, values: Vec<Value>, max: usize) -> Result<Vec<Column>> {
    let values = at_most(at, values, max)?;
    let columns = values
        .iter()
        .enumerate()
        .map(|(n, value)| column(&FieldPath::new(format!("{at}/{n}")), value));
    columns.collect()
}

/// Reads a column with its options. Options of other columns have no effect.
fn column(at: &FieldPath, value: &Value) -> Result<Column> {
    let text = |name: &str| value.get(name).and_then(Value::as_str);
    let name = text("column").and_then(ColumnName::parse);
    let name = name.ok_or_else(|| at.field("column").invalid("allowed: the name of a column"))?;
    let interval = text("interval").filter(|_| name == ColumnName::Datetime);
    let claim = text("claim").filter(|_| name == ColumnName::VisitorClaim);
    if claim.is_some_and(|claim| claim.len() > MAX_CLAIM) {
        return Err(at.field("claim").invalid(format!("allowed: at most {MAX_CLAIM} bytes")));
    }
    Ok(Column {
        name,
        interval: interval.and_then(Interval::parse),
        claim: claim.map(str::to_owned),
    })
}

fn filter(at: &str, value: &Value) -> Result<Filter> {
    let at = FieldPath::new(at.to_owned());
    let column = column(&at, value)?;
    let operator = value.get("operator").and_then(Value::as_str).and_then(Operator::parse);
    let operator = operator.unwrap_or(Operator::In);
    let values = value.get("values").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let at_values = at.field("values");
    if !operator.takes_list() && !column.name.is_ordered() {
        return Err(at.field("operator").invalid(format!(
            "found {:?} for a column without an order, allowed: \"in\" and \"notIn\"",
            operator.as_str()
        )));
    }
    if !operator.takes_list() && values.len() != 1 {
        let text = format!("found {} values, allowed: one to compare with", values.len());
        return Err(at_values.invalid(text));
    }
    if values.len() > MAX_VALUES {
        let text = format!("found {} values, allowed: at most {MAX_VALUES}", values.len());
        return Err(at_values.invalid(text));
    }
    let keys = values.iter().enumerate().map(|(n, value)| key(&at_values.field(n), &column, value));
    let keys = keys.collect::<Result<_>>()?;
    Ok(Filter::new(column, operator, keys))
}

/// Reads a value of a filter.
fn key(at: &FieldPath, column: &Column, value: &Value) -> Result<Key> {
    Ok(match (column.name, value) {
        (_, Value::Null) => Key::Null,
        (ColumnName::Datetime, Value::String(text)) => {
            let time = Timestamp::parse(text).ok_or_else(|| {
                at.invalid(format!("found {text:?}, allowed: a date and time, as in RFC 3339"))
            })?;
            Key::Int(time.millis())
        }
        // The contract has two names for people.
        (ColumnName::VisitorBot, Value::String(text)) if text.is_empty() => Key::Null,
        (ColumnName::Page | ColumnName::EventSearchResultPage, Value::Object(page)) => {
            let text = |name: &str| page.get(name).and_then(Value::as_str);
            Key::page(text("space").unwrap_or_default(), text("page"))
        }
        (_, Value::String(text)) => Key::text(text),
        (_, Value::Bool(value)) => Key::Bool(*value),
        (_, Value::Number(number)) => {
            let number = number.as_i64().or_else(|| whole(number.as_f64()?));
            Key::Int(number.ok_or_else(|| at.invalid("found a fraction, allowed: an integer"))?)
        }
        (_, Value::Object(_) | Value::Array(_)) => Key::json(value),
    })
}

/// Returns a number without a fraction as an integer.
fn whole(number: f64) -> Option<i64> {
    // Larger numbers are no counts.
    (number.fract() == 0.0 && number.abs() < 9e15).then_some(number as i64)
}

fn range_of(range: SiteInsightsQueryRange, now: Timestamp) -> Result<Range> {
    let at = FieldPath::new("/range");
    match range {
        SiteInsightsQueryRange::Preset(preset) => {
            let preset = RangePreset::parse(preset.as_str());
            let preset = preset.ok_or_else(|| at.invalid("allowed: the name of a range"))?;
            Ok(preset.until(now))
        }
        SiteInsightsQueryRange::Custom(SiteInsightsQueryRangeCustom { from, to }) => {
            if from >= to {
                let text = format!("found {to}, allowed: a time after \"from\", {from}");
                return Err(at.field("to").invalid(text));
            }
            Ok(Range { from, to })
        }
        SiteInsightsQueryRange::Other(_) => {
            Err(at.invalid("allowed: the name of a range, or \"from\" and \"to\""))
        }
    }
}
