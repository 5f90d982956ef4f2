//! JSON serialization of the generated types.

use bindery_model::Timestamp;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::value::to_raw_value;
use serde_json::{Value, json};

use crate::request::{
    ContentRef, ContentRefPage, CreateUser, GetPageByIdQuery, ImportGitRepository,
};
use crate::response::{
    RevisionPage, RevisionPageDocument, RevisionPageDocumentUrls, RevisionPageGroup,
    RevisionPageLayoutOptions, TranslationRef, VariableValue,
};
use crate::values::{
    MemberRole, RevisionPageDocumentKind, RevisionPageGroupKind,
    RevisionPageLayoutOptionsCoverSize, RevisionPageLayoutOptionsWidth, SiteType,
};
use crate::{List, Next, Patch};

fn read<T: DeserializeOwned>(value: Value) -> T {
    serde_json::from_value(value).unwrap()
}

#[test]
fn string_enums_serialize_as_their_text() {
    assert_eq!(serde_json::to_value(SiteType::LegacyBasic).unwrap(), "legacy-basic");
    for one in SiteType::ALL {
        assert_eq!(SiteType::parse(one.as_str()), Some(*one));
        assert_eq!(read::<SiteType>(json!(one.to_string())), *one);
    }
    assert_eq!(SiteType::parse("Basic"), None);
    assert!(serde_json::from_value::<SiteType>(json!("huge")).is_err());
}

#[test]
fn a_patch_has_three_states() {
    #[derive(Deserialize)]
    struct Change {
        #[serde(default)]
        parent: Patch<String>,
    }
    let change = |value: Value| read::<Change>(value).parent.change();
    assert_eq!(change(json!({})), None);
    assert_eq!(change(json!({ "parent": null })), Some(None));
    assert_eq!(change(json!({ "parent": "p" })), Some(Some("p".to_owned())));
}

#[test]
fn a_list_ends_without_next() {
    let mut list = List { next: None, count: Some(2), items: vec![1, 2] };
    assert_eq!(serde_json::to_string(&list).unwrap(), r#"{"count":2,"items":[1,2]}"#);
    list.next = Some(Next { page: "x".to_owned() });
    assert_eq!(
        serde_json::to_string(&list).unwrap(),
        r#"{"next":{"page":"x"},"count":2,"items":[1,2]}"#
    );
}

#[test]
fn requests_are_read() {
    let import: ImportGitRepository = read(json!({
        "url": "u", "ref": "r", "repoCacheID": "c", "timestamp": "2026-01-02T03:04:05Z", "more": 1,
    }));
    assert_eq!(import.r#ref.as_deref(), Some("r"));
    assert_eq!(import.repo_cache_id.as_deref(), Some("c"));
    assert_eq!(import.timestamp, Timestamp::parse("2026-01-02T03:04:05Z"));
    assert_eq!(import.force, None);
    let role = |role: Value| {
        let user = json!({ "email": "e", "displayName": "d", "organization": "o", "role": role });
        read::<CreateUser>(user).role
    };
    assert_eq!((role(json!("edit")), role(json!(null))), (Some(MemberRole::Edit), None));
    let page = ContentRefPage { page: "p".to_owned(), space: None };
    assert_eq!(read::<ContentRef>(json!({ "kind": "page", "page": "p" })), ContentRef::Page(page));
    let query: GetPageByIdQuery =
        read(json!({ "evaluated": "deterministic-only", "metadata": true, "computed": false }));
    assert!(query.metadata && !query.computed && query.format.is_none());
}

fn group(pages: Vec<crate::response::RevisionPageDocumentPage>) -> RevisionPageGroup {
    RevisionPageGroup {
        id: "g".to_owned(),
        title: "G".to_owned(),
        emoji: None,
        icon: None,
        created_at: None,
        updated_at: None,
        link_title: None,
        condition: None,
        kind: RevisionPageGroupKind::Group,
        slug: "g".to_owned(),
        path: "g".to_owned(),
        hidden: None,
        no_index: None,
        no_robots_index: None,
        pages,
    }
}

fn page() -> RevisionPageDocument {
    RevisionPageDocument {
        id: "p".to_owned(),
        title: "P".to_owned(),
        emoji: None,
        icon: None,
        created_at: Some(Timestamp::from_millis(0)),
        updated_at: None,
        link_title: None,
        condition: None,
        markdown: None,
        document: Some(to_raw_value(&json!({ "object": "document" })).unwrap()),
        kind: RevisionPageDocumentKind::Sheet,
        urls: RevisionPageDocumentUrls { app: "a".to_owned() },
        slug: "p".to_owned(),
        path: "g/p".to_owned(),
        description: None,
        pages: Vec::new(),
        git: None,
        layout: RevisionPageLayoutOptions {
            width: RevisionPageLayoutOptionsWidth::Default,
            cover: true,
            cover_size: RevisionPageLayoutOptionsCoverSize::Hero,
            title: true,
            description: true,
            table_of_contents: true,
            outline: true,
            pagination: true,
            metadata: true,
        },
        cover: None,
        variables: Some([("v".to_owned(), VariableValue::Number(7.into()))].into()),
        tags: None,
        hidden: Some(false),
        no_index: None,
        no_robots_index: None,
        computed: None,
        computed_seed: None,
        document_id: Some("d".to_owned()),
    }
}

#[test]
fn answers_are_written() {
    let tree = RevisionPage::Group(Box::new(group(vec![
        crate::response::RevisionPageDocumentPage::Document(Box::new(page())),
    ])));
    let expect = json!({
        "type": "group", "kind": "group", "id": "g", "title": "G", "slug": "g", "path": "g",
        "pages": [{
            "type": "document", "kind": "sheet", "id": "p", "title": "P", "slug": "p",
            "path": "g/p", "createdAt": "1970-01-01T00:00:00.000Z", "urls": { "app": "a" },
            "document": { "object": "document" }, "documentId": "d", "pages": [],
            "layout": {
                "width": "default", "cover": true, "coverSize": "hero", "title": true,
                "description": true, "tableOfContents": true, "outline": true,
                "pagination": true, "metadata": true,
            },
            "variables": { "v": 7 }, "hidden": false,
        }],
    });
    assert_eq!(serde_json::to_value(&tree).unwrap(), expect);
    let tagged = TranslationRef { translation: "t".to_owned() };
    let text = serde_json::to_string(&tagged).unwrap();
    assert_eq!(text, r#"{"kind":"translation","translation":"t"}"#);
}
