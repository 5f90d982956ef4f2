//! Generates Rust types from the schemas of implemented operations.

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use super::schema::{Object, Shape, Source, reference};
use super::{names, sizes};

/// Types written by hand: lists are generic. Documents and schemas are opaque at this level, as are
/// the steps that change a document, the events and columns of insights, each a union of dozens of
/// variants with the same fields, and the configuration of a Git hosting service, whose variants
/// differ in optional fields only.
const LIST: &str = "List";
const OPAQUE: [&str; 10] = [
    "JSONDocument",
    "DocumentDifference",
    "EditingDocument",
    "EditingStep",
    "SiteAdaptiveJSONSchema",
    "SiteInsightsEvent",
    "SiteInsightsQueryEventsColumn",
    "SiteInsightsQueryEventsFilter",
    "SiteInsightsQueryEventsValues",
    "GitSyncInstallationSetupGitHubProviderConfiguration",
];

/// Numbers of the contract that can have a fraction. All other values of type `number` are counts.
const FRACTIONS: [&str; 5] = [
    "RevisionPageDocumentCoverYPos",
    "RevisionPageDocumentCoverHeight",
    "OrganizationPricePairMonthly",
    "OrganizationPricePairYearly",
    "StorageFileMetadataSize",
];

/// The direction in which a type is used.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Direction {
    Request,
    Response,
}

/// A Rust type.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Type {
    Plain(&'static str),
    Named(String),
    List(Box<Self>),
    Vec(Box<Self>),
    Option(Box<Self>),
    Patch(Box<Self>),
    Map(Box<Self>),
    Boxed(Box<Self>),
}

/// The location of an item: the folder `values`, `request` or `response`, and the module.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct ItemLocation {
    pub(super) folder: &'static str,
    pub(super) module: String,
}

/// A Rust item.
#[derive(Debug)]
pub(super) enum Item {
    /// An enumeration of strings: variants with their strings.
    Texts(Vec<(String, String)>),
    Struct {
        tag: Option<(String, String)>,
        fields: Vec<Member>,
    },
    /// Variants with their tag values, if a tag distinguishes them. An open union keeps unknown
    /// variants.
    Union {
        tag: Option<String>,
        variants: Vec<(String, Option<String>, Type)>,
        open: bool,
    },
    Alias(Type),
}

#[derive(Debug)]
pub(super) struct Member {
    pub(super) json: String,
    pub(super) ty: Type,
    /// `true` if the field is omitted when it is `None`.
    pub(super) optional: bool,
}

/// All items by location and name.
pub(super) type Items = BTreeMap<ItemLocation, BTreeMap<String, Item>>;

pub(super) fn lower(source: &Source) -> Result<Items> {
    let mut lowering = Lowering {
        source,
        items: Items::new(),
        locations: BTreeMap::new(),
        unions: BTreeMap::new(),
    };
    for operation in source.implemented() {
        lowering.operation(operation)?;
    }
    sizes::box_large_variants(&mut lowering.items);
    Ok(lowering.items)
}

/// The operations whose bodies and answers are written as JSON: they describe user interfaces, of
/// which the server shows two elements only.
const UNTYPED: [&str; 1] = ["renderIntegrationUIWithPost"];

struct Lowering<'a> {
    source: &'a Source,
    items: Items,
    /// The location of each named type by direction; enumerations of strings are shared by both
    /// directions.
    locations: BTreeMap<(Option<Direction>, String), ItemLocation>,
    /// The names of unnamed unions, so that equal unions share one type.
    unions: BTreeMap<(Direction, String), String>,
}

/// The context that a type is generated for.
#[derive(Clone)]
struct TypeContext {
    direction: Direction,
    module: String,
    /// The name for an item without a name of its own.
    name: String,
}

impl TypeContext {
    fn inner(&self, field: &str) -> Self {
        Self { name: format!("{}{}", self.name, names::pascal(field)), ..self.clone() }
    }

    fn location(&self) -> ItemLocation {
        let folder = match self.direction {
            Direction::Request => "request",
            Direction::Response => "response",
        };
        ItemLocation { folder, module: self.module.clone() }
    }

    fn values(&self) -> ItemLocation {
        ItemLocation { folder: "values", module: self.module.clone() }
    }
}

impl Lowering<'_> {
    fn operation(&mut self, operation: &Value) -> Result<()> {
        let id = operation["operationId"].as_str().context("an operation without id")?;
        if UNTYPED.contains(&id) {
            return Ok(());
        }
        let group = operation["tags"][0].as_str().context("an operation without group")?;
        let context = |direction, suffix: &str| TypeContext {
            direction,
            module: names::module(group),
            name: format!("{}{suffix}", names::pascal(id)),
        };
        self.query(operation, &context(Direction::Request, "Query"))?;
        let body = &operation["requestBody"]["content"]["application/json"]["schema"];
        if body.is_object() {
            self.ty(body, &context(Direction::Request, "Body"))?;
        }
        for (status, response) in operation["responses"].as_object().into_iter().flatten() {
            let response = self.source.resolve(response)?;
            let schema = &response["content"]["application/json"]["schema"];
            if status.starts_with('2') && schema.is_object() {
                self.ty(schema, &context(Direction::Response, "Response"))
                    .with_context(|| format!("{id} {status}"))?;
            }
        }
        Ok(())
    }

    /// Generates a struct for the query. The contract's default values are filled in before it is
    /// parsed.
    fn query(&mut self, operation: &Value, context: &TypeContext) -> Result<()> {
        let mut fields = Vec::new();
        for parameter in operation["parameters"].as_array().into_iter().flatten() {
            let shared = reference(parameter);
            let parameter = self.source.resolve(parameter)?;
            if parameter["in"] != "query" {
                continue;
            }
            let name = parameter["name"].as_str().context("a parameter without name")?;
            let schema = &parameter["schema"];
            let place = match shared {
                Some(shared) => TypeContext {
                    module: "parameters".to_owned(),
                    name: names::pascal(shared),
                    ..context.clone()
                },
                None => context.inner(name),
            };
            let ty = self.ty(schema, &place)?;
            let given = parameter["required"] == true || schema.get("default").is_some();
            let ty = if given { ty } else { Type::Option(Box::new(ty)) };
            fields.push(Member { json: name.to_owned(), ty, optional: !given });
        }
        if fields.is_empty() {
            return Ok(());
        }
        self.put(context.location(), &context.name, Item::Struct { tag: None, fields })
    }

    /// Returns the type of a schema without null.
    fn ty(&mut self, schema: &Value, context: &TypeContext) -> Result<Type> {
        if let Some(items) = list_items(schema) {
            return Ok(Type::List(Box::new(self.value(items, &context.inner("Item"))?)));
        }
        Ok(match self.source.shape(schema)? {
            Shape::Named(name) => self.named(&name, context.direction)?,
            Shape::Texts(values) => self.texts(&values, context)?,
            Shape::Text => Type::Plain("String"),
            Shape::Time => Type::Plain("Timestamp"),
            Shape::Bool => Type::Plain("bool"),
            Shape::Number => Type::Plain("u64"),
            Shape::List(items) => {
                let name = context.name.strip_suffix('s').unwrap_or(&context.name).to_owned();
                let inner = TypeContext { name, ..context.clone() };
                Type::Vec(Box::new(self.value(&items, &inner)?))
            }
            Shape::Map(values) => {
                Type::Map(Box::new(self.value(&values, &context.inner("Value"))?))
            }
            Shape::Object(object) => self.object(object, context)?,
            Shape::Union(variants) => self.union(&variants, context)?,
            Shape::Any => Type::Plain("Value"),
        })
    }

    /// Returns the type of a schema, including null.
    fn value(&mut self, schema: &Value, context: &TypeContext) -> Result<Type> {
        let ty = self.ty(schema, context)?;
        Ok(match self.source.nullable(schema)? {
            true => Type::Option(Box::new(ty)),
            false => ty,
        })
    }

    fn named(&mut self, name: &str, direction: Direction) -> Result<Type> {
        if OPAQUE.contains(&name) {
            return Ok(opaque(direction));
        }
        ensure!(name != LIST, "a bare {LIST}");
        let schema = self.source.named(name)?.clone();
        match self.source.shape(&schema)? {
            Shape::Text => return Ok(Type::Plain("String")),
            Shape::Time => return Ok(Type::Plain("Timestamp")),
            Shape::Bool => return Ok(Type::Plain("bool")),
            Shape::Number => return Ok(Type::Plain("u64")),
            Shape::Named(other) => return self.named(&other, direction),
            _ => {}
        }
        let known = |direction| self.locations.contains_key(&(direction, name.to_owned()));
        if known(Some(direction)) || known(None) {
            return Ok(Type::Named(name.to_owned()));
        }
        let module = self.source.area(name)?.to_owned();
        let context = TypeContext { direction, module, name: name.to_owned() };
        // The location is recorded before the parts are generated, since they can refer to the
        // type.
        self.locations.insert((Some(direction), name.to_owned()), context.location());
        let ty = self.ty(&schema, &context).with_context(|| name.to_owned())?;
        match &ty {
            Type::Named(own) if own == name => {}
            other => self.put(context.location(), name, Item::Alias(other.clone()))?,
        }
        Ok(Type::Named(name.to_owned()))
    }

    fn texts(&mut self, values: &[String], context: &TypeContext) -> Result<Type> {
        let variants: Vec<(String, String)> =
            values.iter().map(|text| (names::pascal(text), text.clone())).collect();
        let distinct: BTreeSet<&String> = variants.iter().map(|(name, _)| name).collect();
        ensure!(distinct.len() == variants.len(), "{}: variants collide", context.name);
        self.locations.remove(&(Some(context.direction), context.name.clone()));
        self.locations.insert((None, context.name.clone()), context.values());
        self.put(context.values(), &context.name, Item::Texts(variants))?;
        Ok(Type::Named(context.name.clone()))
    }

    fn object(&mut self, object: Object, context: &TypeContext) -> Result<Type> {
        let tag = object
            .fields
            .iter()
            .filter(|field| field.required)
            .filter_map(|field| Some((field.name.clone(), constant(&field.schema)?)))
            .max_by_key(|(name, _)| name == "object");
        let mut fields = Vec::new();
        for field in object.fields {
            let is_tag = tag.as_ref().is_some_and(|(name, _)| *name == field.name);
            let is_constant = field.required && constant(&field.schema).is_some();
            if is_tag || (is_constant && context.direction == Direction::Request) {
                continue;
            }
            let inner = match &field.owner {
                Some(owner) => TypeContext {
                    direction: context.direction,
                    module: self.source.area(owner)?.to_owned(),
                    name: owner.clone(),
                },
                None => context.clone(),
            };
            let inner = inner.inner(&field.name);
            let ty = self.ty(&field.schema, &inner).with_context(|| inner.name.clone())?;
            let ty = match ty {
                Type::Plain("u64") if FRACTIONS.contains(&inner.name.as_str()) => {
                    Type::Plain("f64")
                }
                other => other,
            };
            let boxed = Box::new(ty);
            let nullable = self.source.nullable(&field.schema)?;
            let ty = match (field.required, nullable, context.direction) {
                (true, false, _) => *boxed,
                (true, true, _) | (false, false, _) => Type::Option(boxed),
                (false, true, Direction::Request) => Type::Patch(boxed),
                (false, true, Direction::Response) => Type::Option(Box::new(Type::Option(boxed))),
            };
            fields.push(Member { json: field.name, ty, optional: !field.required });
        }
        let tag = tag.filter(|_| context.direction == Direction::Response);
        self.put(context.location(), &context.name, Item::Struct { tag, fields })?;
        Ok(Type::Named(context.name.clone()))
    }

    fn union(&mut self, variants: &[Value], context: &TypeContext) -> Result<Type> {
        if OPAQUE.contains(&context.name.as_str()) {
            return Ok(opaque(context.direction));
        }
        let is_named = self.source.named(&context.name).is_ok();
        let key = (context.direction, serde_json::to_string(variants)?);
        if let Some(name) = self.unions.get(&key).filter(|_| !is_named) {
            return Ok(Type::Named(name.clone()));
        }
        let ty = self.new_union(variants, context)?;
        if let (false, Type::Named(name)) = (is_named, &ty) {
            self.unions.insert(key, name.clone());
        }
        Ok(ty)
    }

    fn new_union(&mut self, variants: &[Value], context: &TypeContext) -> Result<Type> {
        let tag = match context.direction {
            Direction::Request => self.tag(variants)?,
            Direction::Response => None,
        };
        if context.direction == Direction::Request
            && tag.is_none()
            && self.any_has_constants(variants)?
        {
            // Only some variants have distinct constants, and shapes alone would be ambiguous.
            return Ok(Type::Plain("Value"));
        }
        let mut lowered = Vec::new();
        for variant in variants {
            let value = match &tag {
                Some(tag) => self.source.object(variant)?.fields.iter().find_map(|field| {
                    (field.name == *tag).then(|| constant(&field.schema)).flatten()
                }),
                None => None,
            };
            let name = self.variant_name(variant, context)?;
            let inner = TypeContext { name: format!("{}{name}", context.name), ..context.clone() };
            let ty = match self.ty(variant, &inner)? {
                Type::Plain("u64") => Type::Plain("Number"),
                other => other,
            };
            ensure!(
                lowered.iter().all(|(known, _, _)| *known != name),
                "{}: two variants {name}",
                context.name
            );
            lowered.push((name, value, ty));
        }
        let is_struct = |ty: &Type| match ty {
            Type::Named(name) => !self.locations.contains_key(&(None, name.clone())),
            _ => false,
        };
        let open = context.direction == Direction::Request
            && tag.is_none()
            && lowered.iter().any(|(_, _, ty)| is_struct(ty));
        self.put(context.location(), &context.name, Item::Union { tag, variants: lowered, open })?;
        Ok(Type::Named(context.name.clone()))
    }

    fn any_has_constants(&self, variants: &[Value]) -> Result<bool> {
        for variant in variants {
            if matches!(self.source.shape(variant)?, Shape::Object(_) | Shape::Named(_)) {
                let fields = self.source.object(variant)?.fields;
                if fields.iter().any(|field| field.required && constant(&field.schema).is_some()) {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// Returns the field that distinguishes the variants: it has a constant string in each of them,
    /// and all are different.
    fn tag(&self, variants: &[Value]) -> Result<Option<String>> {
        let mut common: Option<BTreeMap<String, BTreeSet<String>>> = None;
        for variant in variants {
            if !matches!(self.source.shape(variant)?, Shape::Object(_) | Shape::Named(_)) {
                return Ok(None);
            }
            let object = self.source.object(variant)?;
            let mut constants: BTreeMap<String, BTreeSet<String>> = object
                .fields
                .iter()
                .filter(|field| field.required)
                .filter_map(|field| Some((field.name.clone(), [constant(&field.schema)?].into())))
                .collect();
            if let Some(known) = common {
                constants.retain(|name, values| match known.get(name) {
                    Some(earlier) if earlier.is_disjoint(values) => {
                        values.extend(earlier.iter().cloned());
                        true
                    }
                    _ => false,
                });
            }
            common = Some(constants);
        }
        Ok(common.and_then(|all| all.into_keys().next()))
    }

    fn variant_name(&self, variant: &Value, context: &TypeContext) -> Result<String> {
        if let Some(name) = reference(variant) {
            let shared = ["RevisionPage", "ContentRef", "RevisionType", &context.name];
            let short = shared.iter().find_map(|prefix| name.strip_prefix(prefix));
            return Ok(short.filter(|rest| !rest.is_empty()).unwrap_or(name).to_owned());
        }
        Ok(match self.source.shape(variant)? {
            Shape::Object(object) => {
                let constant = object
                    .fields
                    .iter()
                    .filter(|field| field.required)
                    .find_map(|field| constant(&field.schema));
                let first = || object.fields.first().map(|field| field.name.clone());
                constant.or_else(first).map_or_else(|| "Empty".to_owned(), |n| names::pascal(&n))
            }
            Shape::Texts(texts) => match texts.as_slice() {
                [one] => names::pascal(one),
                _ => "Text".to_owned(),
            },
            Shape::Text | Shape::Time => "Text".to_owned(),
            Shape::Bool => "Bool".to_owned(),
            Shape::Number => "Number".to_owned(),
            Shape::List(_) => "List".to_owned(),
            Shape::Map(_) => "Map".to_owned(),
            Shape::Any => "Any".to_owned(),
            Shape::Named(_) | Shape::Union(_) => bail!("{}: a nested union", context.name),
        })
    }

    fn put(&mut self, location: ItemLocation, name: &str, item: Item) -> Result<()> {
        let items = self.items.entry(location).or_default();
        if let Some(known) = items.get(name) {
            let (known, new) = (format!("{known:?}"), format!("{item:?}"));
            ensure!(known == new, "two things named {name}");
        }
        items.insert(name.to_owned(), item);
        Ok(())
    }
}

/// Returns the type of a value whose parts have no types.
const fn opaque(direction: Direction) -> Type {
    match direction {
        Direction::Request => Type::Plain("Value"),
        Direction::Response => Type::Plain("Box<RawValue>"),
    }
}

/// Returns the items of a schema that combines `List` with items.
fn list_items(schema: &Value) -> Option<&Value> {
    let [list, rest] = schema["allOf"].as_array()?.as_slice() else {
        return None;
    };
    (reference(list) == Some(LIST)).then(|| &rest["properties"]["items"]["items"])
}

/// Returns the string of a schema that permits only one.
fn constant(schema: &Value) -> Option<String> {
    match schema["enum"].as_array()?.as_slice() {
        [Value::String(text)] => Some(text.clone()),
        _ => None,
    }
}

impl Type {
    /// Adds the names of all items that the type refers to.
    pub(super) fn mentions<'a>(&'a self, out: &mut BTreeSet<&'a str>) {
        match self {
            Self::Plain("Timestamp") => {
                out.insert("Timestamp");
            }
            Self::Plain("Value") => {
                out.insert("Value");
            }
            Self::Plain("Number") => {
                out.insert("Number");
            }
            Self::Plain("Box<RawValue>") => {
                out.insert("RawValue");
            }
            Self::Plain(_) => {}
            Self::Named(name) => {
                out.insert(name);
            }
            Self::Map(inner) => {
                out.insert("BTreeMap");
                inner.mentions(out);
            }
            Self::List(inner) => {
                out.insert("List");
                inner.mentions(out);
            }
            Self::Patch(inner) => {
                out.insert("Patch");
                inner.mentions(out);
            }
            Self::Vec(inner) | Self::Option(inner) | Self::Boxed(inner) => inner.mentions(out),
        }
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Plain(name) => f.write_str(name),
            Self::Named(name) => f.write_str(name),
            Self::List(inner) => write!(f, "List<{inner}>"),
            Self::Vec(inner) => write!(f, "Vec<{inner}>"),
            Self::Option(inner) => write!(f, "Option<{inner}>"),
            Self::Patch(inner) => write!(f, "Patch<{inner}>"),
            Self::Map(inner) => write!(f, "BTreeMap<String, {inner}>"),
            Self::Boxed(inner) => write!(f, "Box<{inner}>"),
        }
    }
}
