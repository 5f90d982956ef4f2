//! Finds the variants of a schema again that stand in both states, and schemas that only moved.

use std::cell::RefCell;
use std::collections::{HashMap, VecDeque};
use std::hash::{DefaultHasher, Hash, Hasher};

use serde_json::Value;

use super::Both;
use super::types::Kinds;
use crate::load::Description;
use crate::resolve::Part;

/// Fields of a schema that do not decide which values it permits.
const ANNOTATIONS: [&str; 7] =
    ["title", "description", "default", "example", "examples", "externalDocs", "$comment"];
/// Fields of a schema whose value has schemas by name.
const NAMED: [&str; 4] = ["properties", "patternProperties", "dependentSchemas", "$defs"];
/// Fields of a schema whose value is data.
const DATA: [&str; 4] = ["enum", "const", "required", "dependentRequired"];

/// The variants of a schema in both states.
#[derive(Default)]
pub(super) struct Variants<'d> {
    /// Those of both states, each with its name.
    pub(super) both: Vec<(String, Both<'d>)>,
    /// Those of the later state only.
    pub(super) added: Vec<Variant<'d>>,
    /// Those of the earlier state only.
    pub(super) removed: Vec<Variant<'d>>,
}

/// A schema of a list of variants.
#[derive(Clone)]
pub(super) struct Variant<'d> {
    /// The model, the title or the number.
    pub(super) name: String,
    schema: Part<'d>,
    model: Option<String>,
    title: &'d str,
}

impl<'d> Variant<'d> {
    fn all(schema: Part<'d>, keyword: &str) -> Vec<Self> {
        let items = schema.field(keyword).into_iter().flat_map(Part::items);
        items.enumerate().map(|(at, schema)| Self::of(at, schema)).collect()
    }

    fn of(at: usize, schema: Part<'d>) -> Self {
        let (model, title) = (schema.model(), schema.text("title").unwrap_or_default());
        let name = match (&model, title) {
            (Some(model), _) => model.clone(),
            (None, "") => (at + 1).to_string(),
            (None, title) => title.to_owned(),
        };
        Self { name, schema, model, title }
    }

    /// Returns whether the schema permits every value.
    pub(super) fn is_annotation(&self, meanings: &Meanings, description: &'d Description) -> bool {
        meanings.of(description, self.schema) == Some(hash_of(&Value::Null, Kind::Schema))
    }
}

/// Pairs the variants that two schemas have below a keyword: those of the same model, then those that
/// permit the same, then those of the same title, and finally the only one that is left on each side.
pub(super) fn variants<'d>(
    meanings: &Meanings,
    descriptions: [&'d Description; 2],
    schemas: Both<'d>,
    keyword: &str,
) -> Variants<'d> {
    let mut found = Variants {
        both: Vec::new(),
        removed: Variant::all(schemas.before, keyword),
        added: Variant::all(schemas.after, keyword),
    };
    found.match_by(|_, variant| variant.model.clone());
    // A schema that became a model, or is none any more, permits the same. The name of a model counts,
    // as a discriminator states it.
    for (has_model_before, has_model_after) in [(false, false), (false, true), (true, false)] {
        let has_model = [has_model_before, has_model_after];
        found.match_by(|side, variant| match variant.model.is_some() == has_model[side] {
            true => meanings.of(descriptions[side], variant.schema),
            false => None,
        });
    }
    found.match_by(|_, variant| match (&variant.model, variant.title) {
        (None, title) if !title.is_empty() => Some(title.to_owned()),
        _ => None,
    });
    found.match_last();
    found
}

impl<'d> Variants<'d> {
    /// Pairs the variants with the same key.
    fn match_by<K: Hash + Eq>(&mut self, key: impl Fn(usize, &Variant<'d>) -> Option<K>) {
        if self.removed.is_empty() || self.added.is_empty() {
            return;
        }
        let mut places: HashMap<K, VecDeque<usize>> = HashMap::new();
        for (at, variant) in self.added.iter().enumerate() {
            if let Some(key) = key(1, variant) {
                places.entry(key).or_default().push_back(at);
            }
        }
        let mut is_matched = vec![false; self.added.len()];
        for variant in std::mem::take(&mut self.removed) {
            let place = key(0, &variant).and_then(|key| places.get_mut(&key)?.pop_front());
            match place {
                Some(at) => {
                    is_matched[at] = true;
                    let both = Both { before: variant.schema, after: self.added[at].schema };
                    self.both.push((variant.name, both));
                }
                None => self.removed.push(variant),
            }
        }
        let mut matched = is_matched.into_iter();
        self.added.retain(|_| matched.next() != Some(true));
    }

    /// Pairs the variants that are left if both sides have one, which has no name.
    fn match_last(&mut self) {
        let has_no_name = |variants: &[Variant<'d>]| {
            let unnamed = variants.iter().filter(|variant| variant.model.is_none());
            let unnamed: Vec<_> = unnamed.collect();
            matches!(unnamed.as_slice(), [variant] if variant.title.is_empty())
        };
        if has_no_name(&self.removed) && has_no_name(&self.added) {
            self.match_by(|_, variant| variant.model.is_none().then_some(()));
        }
    }
}

/// Returns whether one of two schemas is the other one or `null`; `Some(true)` if the later one is.
pub(super) fn null_variant<'d>(
    meanings: &Meanings,
    [before, after]: [&'d Description; 2],
    schemas: Both<'d>,
) -> Option<bool> {
    if is_or_null(meanings, schemas.before, (after, schemas.after)) {
        return Some(true);
    }
    is_or_null(meanings, schemas.after, (before, schemas.before)).then_some(false)
}

/// Returns whether a schema of a description has two variants, another schema and `null`.
fn is_or_null<'d>(
    meanings: &Meanings,
    plain: Part<'d>,
    (description, schema): (&'d Description, Part<'d>),
) -> bool {
    let has = |name: &str| plain.value.get(name).is_some();
    let is_composed = has("oneOf") || has("anyOf") || has("allOf") || has("not");
    let takes_null = plain.is("nullable") || Kinds::of(plain).names().contains(&"null");
    let variants: Vec<_> = schema.field("oneOf").into_iter().flat_map(Part::items).collect();
    if is_composed || takes_null || variants.len() != 2 || !has_only(schema, "oneOf") {
        return false;
    }
    let followed = variants.iter().filter_map(|variant| description.followed(*variant));
    let is_null =
        |variant: &Part<'_>| Kinds::of(*variant).names() == ["null"] && has_only(*variant, "type");
    let (nulls, others): (Vec<_>, Vec<_>) = followed.partition(is_null);
    match (nulls.as_slice(), others.as_slice()) {
        ([_], [other]) => meanings.fingerprint(other.value) == meanings.fingerprint(plain.value),
        _ => false,
    }
}

/// Returns whether a schema has no field besides one, and annotations.
fn has_only(schema: Part<'_>, field: &str) -> bool {
    schema.fields().all(|(name, _)| name == field || ANNOTATIONS.contains(&name))
}

/// Returns whether the items of a list permit what a single value was permitted to be, except for
/// their types.
pub(super) fn permit_the_same(before: Part<'_>, after: Part<'_>) -> bool {
    let without_type = |schema: Part<'_>| {
        let fields = schema.fields().filter(|(name, _)| !matches!(*name, "type" | "nullable"));
        hash_of_fields(fields.map(|(name, part)| (name, part.value)), Kind::Schema)
    };
    without_type(before) == without_type(after)
}

/// The whole that a value is a part of.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Schema,
    Named,
    Data,
}

/// Numbers that are the same for schemas which permit the same in the same words, by their places.
#[derive(Default)]
pub(super) struct Meanings {
    known: RefCell<HashMap<usize, u64>>,
}

impl Meanings {
    fn of<'d>(&self, description: &'d Description, schema: Part<'d>) -> Option<u64> {
        Some(self.fingerprint(description.followed(schema)?.value))
    }

    fn fingerprint(&self, schema: &Value) -> u64 {
        let place = std::ptr::from_ref(schema).addr();
        let mut known = self.known.borrow_mut();
        *known.entry(place).or_insert_with(|| hash_of(schema, Kind::Schema))
    }
}

fn hash_of(value: &Value, kind: Kind) -> u64 {
    match value {
        Value::Object(fields) => {
            hash_of_fields(fields.iter().map(|(name, value)| (name.as_str(), value)), kind)
        }
        // A schema without fields permits as much as none.
        Value::Null if kind == Kind::Schema => hash_of_fields(std::iter::empty(), kind),
        Value::Array(items) => {
            let mut hasher = DefaultHasher::new();
            items.iter().for_each(|item| hash_of(item, kind).hash(&mut hasher));
            hasher.finish()
        }
        value => {
            let mut hasher = DefaultHasher::new();
            value.hash(&mut hasher);
            hasher.finish()
        }
    }
}

/// Returns the number of fields in any order.
fn hash_of_fields<'d>(fields: impl Iterator<Item = (&'d str, &'d Value)>, kind: Kind) -> u64 {
    let counted = fields.filter(|(name, _)| kind != Kind::Schema || !ANNOTATIONS.contains(name));
    let hashes = counted.map(|(name, value)| {
        let inner = match kind {
            Kind::Data => Kind::Data,
            Kind::Named => Kind::Schema,
            Kind::Schema if NAMED.contains(&name) => Kind::Named,
            Kind::Schema if DATA.contains(&name) => Kind::Data,
            Kind::Schema => Kind::Schema,
        };
        let mut hasher = DefaultHasher::new();
        (name, hash_of(value, inner)).hash(&mut hasher);
        hasher.finish()
    });
    hashes.fold(1, u64::wrapping_add)
}
