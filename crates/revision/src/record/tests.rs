//! Records survive encoding and decoding, and invalid bytes never cause a panic.

use bindery_model::{Entropy, FileId, PageId, Timestamp};
use bytes::Bytes;
use proptest::prelude::*;

use super::*;
use crate::{Author, Content, ContentKind, Hash, LinkIndex, PathEntry, Redirect, Revision};

fn check<R: Record + PartialEq + std::fmt::Debug>(record: &R) {
    let bytes = record.encode().unwrap();
    assert_eq!(&R::decode(&bytes).unwrap(), record);
    assert_eq!(R::decode(&bytes[..bytes.len() - 1]), Err(ObjectError::Corrupt(R::NAME)));
    assert_eq!(R::decode(&[&bytes[..], &[0]].concat()), Err(ObjectError::Corrupt(R::NAME)));
    let mut newer = bytes.to_vec();
    newer[0] = 200;
    assert_eq!(R::decode(&newer), Err(ObjectError::Corrupt(R::NAME)));
}

fn page(entropy: &Entropy) -> PageRecord {
    let target = ContentRef::Anchor {
        page: Some(PageId::random(entropy)),
        space: None,
        anchor: "a".to_owned(),
    };
    let at = Timestamp::from_millis(1_700_000_000_123);
    let mut page =
        PageRecord::new(PageId::random(entropy), PageKind::Link { target }, "Title", "title", at);
    page.parent = Some(PageId::random(entropy));
    page.cover = Some(Cover { y_pos: -12.5, height: Some(300.0), ..Cover::default() });
    page.variables.insert("v".to_owned(), Variable::Number(5.8));
    page.variables.insert("w".to_owned(), Variable::Text("5.8".to_owned()));
    page.tags.push(PageTag { tag: "t".to_owned(), primary: Some(true) });
    page.meta_links.alternates.push(ContentRef::Url("https://example.org".to_owned()));
    page.body = Some(Hash::of(b"body"));
    page.source_path = Some("a/b.md".to_owned());
    page
}

#[test]
fn crawlers_index_pages_with_content_only() {
    let of_kind = |kind| PageRecord { kind, body: None, ..page(&Entropy::seeded(1)) };
    assert!(of_kind(PageKind::Document).is_for_crawlers());
    assert!(!of_kind(PageKind::Computed).is_for_crawlers());
    let body = Some(Hash::of(b"generated"));
    assert!(PageRecord { body, ..of_kind(PageKind::Computed) }.is_for_crawlers());
    for forbidden in [
        PageRecord { no_index: true, ..of_kind(PageKind::Document) },
        PageRecord { no_robots_index: true, ..of_kind(PageKind::Document) },
    ] {
        assert!(!forbidden.is_for_crawlers());
    }
}

#[test]
fn records_round_trip() {
    let entropy = Entropy::seeded(1);
    let page = page(&entropy);
    check(&page);
    check(&page.navigation(true));
    assert_eq!(page.encode().unwrap()[0], 1);
    let operation = PageOperation { method: "GET".to_owned(), is_deprecated: true };
    let page = PageRecord { operation: Some(operation), ..page };
    check(&page);
    check(&page.navigation(true));
    assert_eq!(page.encode().unwrap()[0], 2);
    check(&FileRecord {
        id: FileId::random(&entropy),
        name: "a b.png".to_owned(),
        path: None,
        content_type: "image/png".to_owned(),
        size: u64::MAX,
        hash: Hash::of(b"x"),
        dimensions: Some(Dimensions { width: 1, height: 2 }),
    });
    check(&PathEntry::Page(page.id));
    check(&Redirect::Path("a/b".to_owned()));
    check(&PageBody {
        source: Bytes::from_static(b"\xff\0# T\r\n"),
        path: Some("a.md".to_owned()),
        references: vec![Reference {
            raw: "x.md".to_owned(),
            target: ContentRef::Broken(String::new()),
        }],
        identity: Bytes::new(),
    });
    check(&PageBody { identity: Bytes::from_static(b"\x01"), ..PageBody::default() });
    check(&Revision {
        parents: Vec::new(),
        kind: ContentKind::Edits,
        author: Author::System,
        created_at: Timestamp::from_millis(-1),
        message: Some("m".to_owned()),
        content: Content::new(&entropy),
    });
}

/// Revisions from versions without conflicts, or with an index of references, can still be read.
#[test]
fn revisions_of_earlier_versions_can_be_decoded() {
    let revision = Revision {
        parents: Vec::new(),
        kind: ContentKind::Edits,
        author: Author::System,
        created_at: Timestamp::from_millis(5),
        message: None,
        content: Content::new(&Entropy::seeded(3)),
    };
    let now = revision.encode().unwrap();
    let index = LinkIndex::empty(revision.content.salt()).encode().unwrap();
    // The list of computed pages is encoded as its length of zero.
    let before_computed = now[1..now.len() - 1].to_vec();
    // An empty map is encoded as a missing root, a length of zero and the salt.
    let before_conflicts = before_computed[..before_computed.len() - 18].to_vec();
    let with_index = [&before_computed, &index[1..]].concat();
    for (version, fields) in
        [(1, before_conflicts), (2, before_computed.clone()), (3, with_index), (4, before_computed)]
    {
        let old = [&[version], &fields[..]].concat();
        assert_eq!(Revision::decode(&old), Ok(revision.clone()), "{version}");
        assert!(Revision::decode(&old[..old.len() - 1]).is_err(), "{version}");
        assert!(Revision::decode(&[&old[..], &[0]].concat()).is_err(), "{version}");
    }
}

/// Documents without an identity are still written and read in the encoding of version 1.
#[test]
fn bodies_without_an_identity_use_version_1() {
    let plain = PageBody { source: Bytes::from_static(b"# T"), ..PageBody::default() };
    let bytes = plain.encode().unwrap();
    assert_eq!(&bytes[..], b"\x01\x03# T\0\0");
    assert_eq!(PageBody::decode(&bytes), Ok(plain.clone()));
    let known = PageBody { identity: Bytes::from_static(b"i"), ..plain };
    let bytes = known.encode().unwrap();
    assert_eq!(&bytes[..], b"\x02\x03# T\0\0\x01i");
    assert_eq!(PageBody::decode(&bytes), Ok(known));
    assert!(PageBody::decode(b"\x01\x03# T\0\0\x01i").is_err());
}

#[test]
fn references_are_found_by_their_source_text() {
    let reference =
        |raw: &str| Reference { raw: raw.to_owned(), target: ContentRef::Broken(raw.to_owned()) };
    let body = PageBody {
        source: Bytes::new(),
        path: None,
        references: vec![reference("a"), reference("b b"), reference("c")],
        identity: Bytes::new(),
    };
    assert_eq!(body.resolve("b b"), Some(&ContentRef::Broken("b b".to_owned())));
    assert_eq!(body.resolve("b"), None);
}

proptest! {
    #[test]
    fn invalid_records_are_rejected(
        mut bytes in prop::collection::vec(any::<u8>(), 0..200),
        flip in any::<prop::sample::Index>(),
        with in any::<u8>(),
    ) {
        let _ = PageRecord::decode(&bytes);
        if let Some(version) = bytes.first_mut() {
            *version = 1;
        }
        let _ = PageRecord::decode(&bytes);
        let _ = PageBody::decode(&bytes);
        let _ = Revision::decode(&bytes);
        let mut real = page(&Entropy::seeded(2)).encode().unwrap().to_vec();
        let at = flip.index(real.len());
        real[at] = with;
        let _ = PageRecord::decode(&real);
    }
}
