//! `explain` and the validators agree: every invalid value is explained, and no valid one.

use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::contract;
use crate::{explain, schemas};

/// Generates values of a schema; `choices` selects variants, lengths and absent fields.
struct Maker<'a> {
    choices: std::slice::Iter<'a, u8>,
}

impl Maker<'_> {
    /// Returns the next choice below `count`, and 0 when the choices are used up, so that
    /// generation ends.
    fn pick(&mut self, count: usize) -> usize {
        self.choices.next().map_or(0, |choice| usize::from(*choice) % count.max(1))
    }

    fn value(&mut self, schema: &Value) -> Value {
        if let Some(reference) = schema["$ref"].as_str() {
            return self.value(schemas::resolve(reference));
        }
        if let Some(values) = schema["enum"].as_array() {
            let index = self.pick(values.len());
            return values[index].clone();
        }
        if let Some(variants) = schema["anyOf"].as_array() {
            let index = self.pick(variants.len());
            return self.value(&variants[index]);
        }
        if let Some(parts) = schema["allOf"].as_array() {
            let mut all = Map::new();
            for part in parts {
                if let Value::Object(map) = self.value(part) {
                    all.extend(map);
                }
            }
            return Value::Object(all);
        }
        let name = match &schema["type"] {
            Value::Array(names) => names[self.pick(names.len())].as_str(),
            name => name.as_str(),
        };
        match name {
            Some("string") => self.text(schema),
            Some("boolean") => json!(self.pick(2) == 0),
            Some("integer") => json!(self.pick(12)),
            Some("number") => json!(self.pick(4) as f64 / 2.0),
            Some("null") => Value::Null,
            Some("array") => {
                let length = self.pick(3);
                (0..length).map(|_| self.value(&schema["items"])).collect()
            }
            _ => self.object(schema),
        }
    }

    fn text(&mut self, schema: &Value) -> Value {
        match schema["format"].as_str() {
            Some("date-time") => json!("2026-01-31T12:00:00Z"),
            Some("uri") => json!("https://example.org/a"),
            _ => json!("abc-def".repeat(self.pick(20))),
        }
    }

    fn object(&mut self, schema: &Value) -> Value {
        let required = schema["required"].as_array();
        let mut map = Map::new();
        for (name, property) in schema["properties"].as_object().into_iter().flatten() {
            let needed = required.is_some_and(|all| all.iter().any(|one| one == name.as_str()));
            if needed || self.pick(3) == 1 {
                map.insert(name.clone(), self.value(property));
            }
        }
        Value::Object(map)
    }

    /// Damages a value in one place.
    fn damage(&mut self, value: &mut Value) {
        let below = match value {
            Value::Object(map) => map.len(),
            Value::Array(items) => items.len(),
            _ => 0,
        };
        if below > 0 && self.pick(4) > 0 {
            let index = self.pick(below);
            match value {
                Value::Object(map) if self.pick(6) == 5 => {
                    let name = map.keys().nth(index).cloned().unwrap();
                    map.remove(&name);
                }
                Value::Object(map) => self.damage(map.values_mut().nth(index).unwrap()),
                Value::Array(items) => self.damage(&mut items[index]),
                _ => {}
            }
            return;
        }
        let others =
            [json!(null), json!(true), json!(-1), json!(2.5), json!("?"), json!([]), json!({})];
        *value = others[self.pick(others.len())].clone();
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_refusal_is_explained(
        index in any::<prop::sample::Index>(),
        choices in vec(any::<u8>(), 400),
        damages in 0..3_usize,
    ) {
        let operations = contract().operations().iter();
        let with_body: Vec<&Value> =
            operations.filter_map(|operation| operation.body.as_ref()?.json()).collect();
        let schema = with_body[index.index(with_body.len())];
        let mut maker = Maker { choices: choices.iter() };
        let mut value = maker.value(schema);
        let mut rest = Maker { choices: choices[..choices.len() / 2].iter() };
        (0..damages).for_each(|_| rest.damage(&mut value));
        let valid = schemas::compile(schema).unwrap().is_valid(&value);
        let explained = explain::explain(schema, &value);
        prop_assert_eq!(valid, explained.is_none(), "{} {:?}", value, explained);
        if let Some(violation) = explained {
            let parent = violation.pointer.rsplit_once('/').map_or("", |(parent, _)| parent);
            prop_assert!(value.pointer(parent).is_some(), "{} {:?}", value, violation);
        }
    }
}
