//! The sources of computed pages, as pages store them and as the contract describes them.

use bindery_model::{OpenApiSpecId, OpenApiVersionId, Timestamp};
use bindery_revision::PageRecord;
use bindery_store::openapi::{OpenApiSpec, OpenApiVersion};
use serde::Deserialize;
use serde_json::{Map, Value, json};

/// The names with which the contract's documents of the kind `info` mean the changes and the overview;
/// the others are those of tags and groups.
const CHANGES: &str = "#changes";
const OVERVIEW: &str = "#overview";

/// The type of the source that makes pages of an OpenAPI specification.
const OPENAPI: &str = "builtin:openapi";

/// The source of the pages of an OpenAPI specification.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PageSource {
    /// The slug of the specification.
    pub spec: String,
    /// `true` if the models have a page.
    pub models: bool,
    /// `true` if each operation has a page of its own, below that of its tag.
    pub by_operation: bool,
    /// `true` if a link after the pages leads to the description.
    pub download: bool,
    /// `true` if the changes between versions have a page.
    pub changes: bool,
    /// `true` if there is a page about the API as a whole.
    pub overview: bool,
}

/// A specification that pages were made of.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Dependency {
    /// The id of the specification.
    pub id: OpenApiSpecId,
    /// Its slug.
    pub slug: String,
    /// The version that the pages were made of.
    pub version: OpenApiVersionId,
    /// The time at which the version was read.
    pub at: Timestamp,
}

impl Dependency {
    /// Returns what names a version of a specification.
    pub(super) fn of(spec: &OpenApiSpec, version: &OpenApiVersion) -> Self {
        let (id, slug) = (spec.id, spec.slug.clone());
        Self { id, slug, version: version.id, at: version.created_at }
    }
}

/// The source of the document of a computed page.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DocumentSource {
    /// The slug of the specification.
    pub spec: String,
    /// The part of the specification that the document shows.
    pub part: DocumentPart,
}

/// The part of a specification that a document shows.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum DocumentPart {
    /// The operations of a page.
    Operations(String),
    /// The description of a page that has others below it.
    Info(String),
    /// The models, or those of a page with this number, counted from 0, if they need several.
    Models(Option<usize>),
    /// The changes between versions.
    Changes,
    /// The API as a whole.
    Overview,
}

impl DocumentPart {
    /// Returns the kind and the name of the page with which the contract describes the part.
    #[must_use]
    pub fn names(&self) -> (&'static str, Option<String>) {
        match self {
            Self::Operations(page) => ("operations", Some(page.clone())),
            Self::Info(page) => ("info", Some(page.clone())),
            Self::Changes => ("info", Some(CHANGES.to_owned())),
            Self::Overview => ("info", Some(OVERVIEW.to_owned())),
            Self::Models(page) => ("models", page.map(|page| page.to_string())),
        }
    }
}

#[derive(Deserialize)]
struct RawSource {
    r#type: String,
    #[serde(default)]
    props: Map<String, Value>,
    #[serde(default)]
    dependencies: Value,
}

impl RawSource {
    fn read(source: &Value) -> Option<(String, Map<String, Value>)> {
        let Self { r#type, props, dependencies } = Self::deserialize(source).ok()?;
        let spec = dependencies.pointer("/spec/ref/spec")?.as_str()?;
        (r#type == OPENAPI).then(|| (spec.to_owned(), props))
    }
}

impl PageSource {
    /// Returns the source of the pages and the models of the specification with a slug.
    #[must_use]
    pub fn with_models(spec: &str) -> Value {
        json!({
            "type": OPENAPI,
            "props": { "models": true },
            "dependencies": { "spec": { "ref": { "kind": "openapi", "spec": spec } } },
        })
    }

    /// Returns the source that a page names. Returns `None` for pages without one, for sources of
    /// other types, and for incomplete ones.
    #[must_use]
    pub fn of(page: &PageRecord) -> Option<Self> {
        Self::read(&serde_json::from_str(page.computed.as_deref()?).ok()?)
    }

    /// Reads a source. Returns `None` for those of other types, and for incomplete ones.
    #[must_use]
    pub fn read(source: &Value) -> Option<Self> {
        let (spec, props) = RawSource::read(source)?;
        let is = |name: &str| props.get(name) == Some(&Value::Bool(true));
        Some(Self {
            spec,
            models: is("models"),
            by_operation: props.get("grouping").is_some_and(|value| value == "by-operation"),
            download: is("downloadLink"),
            changes: is("changes"),
            overview: is("overview"),
        })
    }
}

impl DocumentSource {
    /// Reads a source. Returns `None` for those of other types, and for incomplete ones.
    #[must_use]
    pub fn read(source: &Value) -> Option<Self> {
        let (spec, props) = RawSource::read(source)?;
        let text = |name: &str| props.get(name)?.as_str().map(str::to_owned);
        let part = match text("doc")?.as_str() {
            "models" => DocumentPart::Models(text("page").and_then(|page| page.parse().ok())),
            "operations" => DocumentPart::Operations(text("page")?),
            "info" => match text("page")? {
                page if page == CHANGES => DocumentPart::Changes,
                page if page == OVERVIEW => DocumentPart::Overview,
                page => DocumentPart::Info(page),
            },
            // Earlier releases stored this.
            "changes" => DocumentPart::Changes,
            _ => return None,
        };
        Some(Self { spec, part })
    }

    /// Returns the source as the contract describes it, with the specification that it was read from.
    #[must_use]
    pub fn to_json(&self, dependency: &Dependency) -> Value {
        let Dependency { id, slug, version, at: _ } = dependency;
        let doc = |doc: &str, page: Option<&str>| match page {
            Some(page) => json!({ "doc": doc, "page": page }),
            None => json!({ "doc": doc }),
        };
        let (kind, page) = self.part.names();
        let props = doc(kind, page.as_deref());
        json!({
            "type": OPENAPI,
            "props": props,
            "dependencies": { "spec": {
                "ref": { "kind": "openapi", "spec": self.spec },
                "value": {
                    "object": "openapi-spec", "id": id, "slug": slug, "lastVersion": version,
                },
            } },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_are_read_and_written() {
        let spec = json!({ "spec": { "ref": { "kind": "openapi", "spec": "pets" } } });
        let page = json!({
            "type": OPENAPI, "props": { "models": true, "grouping": "by-operation" },
            "dependencies": spec,
        });
        let expect = PageSource {
            spec: "pets".to_owned(),
            models: true,
            by_operation: true,
            download: false,
            changes: false,
            overview: false,
        };
        assert_eq!(PageSource::read(&page), Some(expect));
        for other in [
            json!({ "type": "builtin:translation", "dependencies": spec }),
            json!({ "type": OPENAPI }),
            json!("x"),
        ] {
            assert_eq!(PageSource::read(&other), None, "{other}");
        }
        let entropy = bindery_model::Entropy::seeded(1);
        let dependency = Dependency {
            id: OpenApiSpecId::random(&entropy),
            slug: "pets".to_owned(),
            version: OpenApiVersionId::random(&entropy),
            at: Timestamp::from_millis(0),
        };
        for part in [
            DocumentPart::Models(None),
            DocumentPart::Changes,
            DocumentPart::Overview,
            DocumentPart::Models(Some(2)),
            DocumentPart::Info("a".to_owned()),
            DocumentPart::Operations("b".to_owned()),
        ] {
            let source = DocumentSource { spec: "pets".to_owned(), part };
            assert_eq!(DocumentSource::read(&source.to_json(&dependency)), Some(source));
        }
    }
}
