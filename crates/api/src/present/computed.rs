//! Sources of computed pages and of their documents.

use bindery_app::content::computed::{DocumentSource, PageSource};
use bindery_revision::{PageKind, PageRecord};
use bindery_wire::response::{
    ComputedContentDependencyOpenAPI, ComputedContentDependencyOpenAPIValue,
    ComputedContentSourceDocument, ComputedContentSourceDocumentOpenAPI,
    ComputedContentSourceDocumentOpenAPIProps, ComputedContentSourceDocumentOpenAPIPropsDoc,
    ComputedContentSourceDocumentOpenAPIPropsModels, ComputedContentSourceOpenAPIBaseDependencies,
    ComputedContentSourceOpenAPIBaseDependenciesSpec,
    ComputedContentSourceOpenAPIBaseDependenciesSpecRef, ComputedContentSourceRevision,
    ComputedContentSourceRevisionOpenAPI, ComputedContentSourceRevisionOpenAPIProps,
    ContentRefOpenAPI,
};
use bindery_wire::values::{
    ComputedContentSourceDocumentOpenAPIPropsDocDoc as Doc,
    ComputedContentSourceRevisionOpenAPIPropsGrouping as Grouping,
};
use serde_json::Value;

fn reference(spec: String) -> ContentRefOpenAPI {
    ContentRefOpenAPI { spec }
}

/// Returns the source of a page that stands for others; `None` for all other pages, and for a source
/// of an unknown type.
pub(super) fn page_source(record: &PageRecord) -> Option<ComputedContentSourceRevision> {
    let source = PageSource::of(record).filter(|_| record.kind == PageKind::Computed)?;
    let PageSource { spec, models, by_operation, download, changes, overview } = source;
    let spec = ComputedContentSourceOpenAPIBaseDependenciesSpecRef { r#ref: reference(spec) };
    Some(ComputedContentSourceRevision::OpenAPI(ComputedContentSourceRevisionOpenAPI {
        dependencies: ComputedContentSourceOpenAPIBaseDependencies {
            spec: ComputedContentSourceOpenAPIBaseDependenciesSpec::Ref(spec),
        },
        props: ComputedContentSourceRevisionOpenAPIProps {
            models,
            download_link: download.then_some(true),
            grouping: by_operation.then_some(Grouping::ByOperation),
            changes: changes.then_some(true),
            overview: overview.then_some(true),
        },
    }))
}

/// Returns the source of the document of a computed page, with its seed; `None` for all other pages.
pub(super) fn document_source(
    record: &PageRecord,
) -> Option<(ComputedContentSourceDocument, String)> {
    let source = record.computed.as_deref().filter(|_| record.kind == PageKind::Document)?;
    let source: Value = serde_json::from_str(source).ok()?;
    let DocumentSource { spec, part } = DocumentSource::read(&source)?;
    let value = source.pointer("/dependencies/spec/value")?;
    let text = |name: &str| value.get(name)?.as_str().map(str::to_owned);
    let seed = text("lastVersion")?;
    let value = ComputedContentDependencyOpenAPIValue {
        id: text("id")?,
        slug: text("slug")?,
        last_version: text("lastVersion"),
    };
    let doc = |doc, page| {
        let props = ComputedContentSourceDocumentOpenAPIPropsDoc { doc, page };
        ComputedContentSourceDocumentOpenAPIProps::Doc(props)
    };
    let dependency =
        ComputedContentDependencyOpenAPI { r#ref: reference(spec), value: Some(value) };
    let document = ComputedContentSourceDocumentOpenAPI {
        dependencies: ComputedContentSourceOpenAPIBaseDependencies {
            spec:
                ComputedContentSourceOpenAPIBaseDependenciesSpec::ComputedContentDependencyOpenAPI(
                    dependency,
                ),
        },
        props: match part.names() {
            ("operations", Some(page)) => doc(Doc::Operations, page),
            ("info", Some(page)) => doc(Doc::Info, page),
            (_, page) => ComputedContentSourceDocumentOpenAPIProps::Models(
                ComputedContentSourceDocumentOpenAPIPropsModels { page },
            ),
        },
    };
    Some((ComputedContentSourceDocument::OpenAPI(document), seed))
}
