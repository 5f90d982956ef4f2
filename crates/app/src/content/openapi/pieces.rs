//! The stored pieces of a version, of which a reader loads only those that a page needs.

use std::collections::{BTreeMap, BTreeSet, HashSet, VecDeque};

use bindery_content::document::OpenApiPart;
use bindery_model::Entropy;
use bindery_openapi::{Description, HEAD, Outline, PieceName, Pointer, needed};
use bindery_outbound::Url;
use bindery_revision::{
    Map, MemoryObjects, ObjectError, ObjectRef, Objects, Record, Salt, Staging, ValueKind,
};
use bindery_store::openapi::OpenApiVersion;
use bindery_store::{PreparedObject, Store, StoreError};
use bytes::Bytes;
use serde_json::Value;

use super::overview::{MAX_LISTED, overview};

/// The key of the outline among the pieces.
const OUTLINE: &str = "outline";
/// The key of the list of the names of models among the pieces.
const MODELS: &str = "models";
/// Maximum number of values that are loaded for an operation or a schema.
const MAX_VALUES: usize = 150;
/// Maximum size of the pieces that are loaded for an operation or a schema, in bytes.
const MAX_BYTES: usize = 192 << 10;

/// Stores the pieces of a description. Returns their map, encoded.
pub(super) async fn write(
    store: &Store,
    entropy: &Entropy,
    description: &Description,
    last: Option<&OpenApiVersion>,
) -> Result<Vec<u8>, StoreError> {
    let corrupt = |error: &dyn std::fmt::Display| {
        StoreError::Corrupt(format!("the pieces of a specification: {error}"))
    };
    // Pieces that have not changed are the same objects as those of the last version.
    let salt = match last {
        Some(last) => Map::decode(&last.pieces).map_err(|error| corrupt(&error))?.salt(),
        None => Salt::random(entropy),
    };
    let mut entries: BTreeMap<String, Bytes> = BTreeMap::new();
    let mut failure = None;
    let mut put = |name: String, piece: serde_json::Result<Vec<u8>>| match piece {
        Ok(bytes) => {
            entries.insert(name, bytes.into());
        }
        Err(error) => failure = Some(error),
    };
    description.pieces(|name, piece| put(name, serde_json::to_vec(&piece)));
    let outline = description.outline();
    put(OUTLINE.to_owned(), serde_json::to_vec(&outline));
    put(MODELS.to_owned(), serde_json::to_vec(&outline.models));
    if let Some(error) = failure {
        return Err(corrupt(&error));
    }
    let base = MemoryObjects::new();
    let mut staging = Staging::new(&base);
    let entries = entries.into_iter().map(|(name, piece)| (Bytes::from(name), piece));
    let map = Map::build(salt, &mut staging, entries);
    let objects = staging.drain().into_iter();
    let objects = objects.map(|(hash, bytes)| PreparedObject::with_hash(hash, bytes)).collect();
    store.put_objects(objects).await?;
    Ok(map.encode().map_err(|error| corrupt(&error))?.into())
}

/// The pieces of a version.
#[derive(Clone, Debug)]
pub struct Pieces {
    map: Map,
    /// The address of the description, to which those of servers can be relative.
    base: Option<Url>,
}

impl Pieces {
    /// Returns the pieces of a version.
    ///
    /// # Errors
    /// Returns an error if the stored map cannot be decoded.
    pub fn of(version: &OpenApiVersion) -> Result<Self, ObjectError> {
        Ok(Self { map: Map::decode(&version.pieces)?, base: None })
    }

    /// Returns the pieces of a description that was read from an address.
    pub(super) fn read_from(self, url: Option<&str>) -> Self {
        Self { base: url.and_then(|url| Url::parse(url).ok()), ..self }
    }

    /// Returns the title of the API, and the page about it as Markdown.
    ///
    /// # Errors
    /// Returns an error if an object cannot be read.
    pub(crate) fn overview(&self, objects: &dyn Objects) -> Result<(String, String), ObjectError> {
        let (head, _) = self.piece(objects, HEAD)?.unwrap_or_default();
        let mut schemes = Vec::new();
        if let Some(found) = head.pointer("/components/securitySchemes") {
            let needed = needed(found).into_iter().take(MAX_LISTED);
            schemes.extend(needed.map(PieceName::Value));
        }
        let mut parts = BTreeMap::new();
        for name in schemes {
            if let Some((value, _)) = self.piece(objects, &name.to_string())? {
                parts.insert(name, value);
            }
        }
        let description = Description::of_pieces(head, parts);
        let text = overview(&description);
        Ok((description.title, text))
    }

    /// Returns the operations, webhooks and models.
    ///
    /// # Errors
    /// Returns an error if an object cannot be read.
    pub fn outline(&self, objects: &dyn Objects) -> Result<Outline, ObjectError> {
        let outline = self.map.get(objects, OUTLINE.as_bytes())?;
        let outline = outline.ok_or(ObjectError::Corrupt("the outline of a specification"))?;
        serde_json::from_slice(&outline)
            .map_err(|_| ObjectError::Corrupt("the outline of a specification"))
    }

    /// Returns the names of the models, in order.
    ///
    /// # Errors
    /// Returns an error if an object cannot be read.
    pub fn models(&self, objects: &dyn Objects) -> Result<Vec<String>, ObjectError> {
        // Versions of earlier releases have no list.
        let Some(list) = self.map.get(objects, MODELS.as_bytes())? else { return Ok(Vec::new()) };
        serde_json::from_slice(&list)
            .map_err(|_| ObjectError::Corrupt("the models of a specification"))
    }

    /// Returns the whole description, without its tags and what is hidden.
    ///
    /// # Errors
    /// Returns an error if an object cannot be read.
    pub(super) fn whole(&self, objects: &dyn Objects) -> Result<Description, ObjectError> {
        let outline = self.outline(objects)?;
        let of_tags = outline.tags.iter().flat_map(|tag| &tag.operations).chain(&outline.webhooks);
        let shown: HashSet<(&str, &str)> =
            of_tags.map(|one| (one.method.as_str(), one.path.as_str())).collect();
        let (mut parts, mut head, mut size) = (BTreeMap::new(), Value::Null, 0);
        for entry in self.map.prefix(objects, b"") {
            let (name, bytes) = entry?;
            let name = String::from_utf8_lossy(&name);
            if name == OUTLINE || name == MODELS {
                continue;
            }
            let value = serde_json::from_slice(&bytes)
                .map_err(|_| ObjectError::Corrupt("a piece of a specification"))?;
            size += bytes.len();
            let name = PieceName::parse(&name);
            let is_shown = match &name {
                Some(PieceName::Operation { path, method }) => {
                    shown.contains(&(method.as_str(), path.as_str()))
                }
                Some(PieceName::Webhook { name, method }) => {
                    shown.contains(&(method.as_str(), name.as_str()))
                }
                Some(PieceName::Value(_)) | None => true,
            };
            match name {
                Some(name) if is_shown => {
                    parts.insert(name, value);
                }
                Some(_) => {}
                None => head = value,
            }
        }
        Ok(Description::of_pieces(head, parts).of_size(size))
    }

    /// Returns the names of what a block shows and the specification does not have.
    ///
    /// # Errors
    /// Returns an error if an object cannot be read.
    pub(crate) fn missing(
        &self,
        objects: &dyn Objects,
        part: &OpenApiPart,
    ) -> Result<Vec<String>, ObjectError> {
        let mut missing = Vec::new();
        for name in names_of(part) {
            if self.map.get(objects, name.to_string().as_bytes())?.is_none() {
                missing.push(match name {
                    PieceName::Operation { path, method } => format!("operation {method} {path}"),
                    PieceName::Webhook { name, method } => format!("webhook {method} {name}"),
                    PieceName::Value(pointer) => format!("model {pointer}"),
                });
            }
        }
        Ok(missing)
    }

    /// Returns a description of a part that a block shows, and the number of bytes that were read.
    ///
    /// # Errors
    /// Returns an error if an object cannot be read.
    pub fn of_part(
        &self,
        objects: &dyn Objects,
        part: &OpenApiPart,
    ) -> Result<Option<(Description, usize)>, ObjectError> {
        let found = around(|name| self.piece(objects, name), names_of(part))?;
        let based = |(description, read): (Description, usize)| {
            (description.based_at(self.base.clone()), read)
        };
        Ok(found.map(based))
    }

    fn piece(
        &self,
        objects: &dyn Objects,
        name: &str,
    ) -> Result<Option<(Value, usize)>, ObjectError> {
        let Some(bytes) = self.map.get(objects, name.as_bytes())? else { return Ok(None) };
        let value = serde_json::from_slice(&bytes)
            .map_err(|_| ObjectError::Corrupt("a piece of a specification"))?;
        Ok(Some((value, bytes.len())))
    }
}

/// Returns a description of some pieces with the values that they need, the nearest ones first, up to
/// a limit, and the number of bytes that were read. Returns `None` if the first piece does not exist.
/// `piece` returns the piece with a name, and its size in bytes.
///
/// # Errors
/// Returns an error if a piece cannot be read.
pub(super) fn around(
    piece: impl Fn(&str) -> Result<Option<(Value, usize)>, ObjectError>,
    names: impl IntoIterator<Item = PieceName>,
) -> Result<Option<(Description, usize)>, ObjectError> {
    let mut parts = BTreeMap::new();
    let mut open: VecDeque<PieceName> = names.into_iter().collect();
    let mut seen: BTreeSet<Pointer> = BTreeSet::new();
    let mut left = MAX_BYTES;
    while let Some(name) = open.pop_front() {
        let Some((value, size)) = piece(&name.to_string())? else {
            if parts.is_empty() {
                return Ok(None);
            }
            continue;
        };
        left = left.saturating_sub(size);
        let wanted = needed(&value).into_iter().filter(|value| seen.insert(value.clone()));
        let wanted: Vec<Pointer> = wanted.collect();
        parts.insert(name, value);
        if left > 0 && seen.len() <= MAX_VALUES {
            open.extend(wanted.into_iter().map(PieceName::Value));
        }
    }
    let head = piece(HEAD)?.map(|(head, _)| head).unwrap_or_default();
    Ok(Some((Description::of_pieces(head, parts), MAX_BYTES - left)))
}

/// Returns the names of the pieces that a block shows.
pub(super) fn names_of(part: &OpenApiPart) -> Vec<PieceName> {
    match part.clone() {
        OpenApiPart::Operation { path, method } | OpenApiPart::Swagger { path, method, .. } => {
            vec![PieceName::Operation { path, method }]
        }
        OpenApiPart::Webhook { name, method } => vec![PieceName::Webhook { name, method }],
        OpenApiPart::Schemas { schemas, .. } => schemas.into_iter().map(model).collect(),
    }
}

/// Returns the name of the piece of a model.
fn model(name: String) -> PieceName {
    PieceName::Value(["components".to_owned(), "schemas".to_owned(), name].into_iter().collect())
}

/// Returns the root of the encoded map of the pieces of a version, for the collector.
///
/// # Errors
/// Returns an error if the map cannot be decoded.
pub(crate) fn root_of(pieces: &[u8]) -> Result<Option<ObjectRef>, ObjectError> {
    Ok(Map::decode(pieces)?.root_ref(ValueKind::Plain))
}
