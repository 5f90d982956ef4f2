//! An index that is updated step by step equals the index that is built at once.

use bindery_model::{Entropy, FileId, Id, PageId, ReusableContentId, Timestamp};
use bindery_revision::tree::{self, Position};
use bindery_revision::{
    Content, ContentRef, Cover, Direction, FileRecord, Hash, MemoryObjects, PageKind, PageRecord,
    Record, ReusableRecord, Staging, edit,
};
use proptest::prelude::*;

use super::cache::{ContentIndex, LayeredObjects};
use super::index::{Entries, index, indexed};
use super::resolve::Group;
use crate::content::documents::Known;
use crate::content::texts::{self, Paths};

/// Maximum number of pages, of files and of reusable contents.
const PAGES: u8 = 6;

/// Pieces of texts; `_` is a digit.
const PIECES: &[&str] = &[
    "[a](p_.md)\n\n",
    "[a](p_.md#place)\n\n",
    "[a](p_.md#Pl-ace.)\n\n",
    "[a](p_)\n\n",
    "[a](/s_)\n\n",
    "[a](/s_/s1#other)\n\n",
    "[a](/)\n\n",
    "[a](#place)\n\n",
    "[a](q_.md)\n\n",
    "![a](f_.gif)\n\n",
    "{% include \"r_.md\" %}\n\n",
    "[a](https://example.com/_)\n\n",
    "[a](https://app.gitbook.com/s/0000000000000000000_/x)\n\n",
    "[a](/broken/pages/0000000000000000000_)\n\n",
    "{% content-ref url=\"p_.md\" %}\n[p](p_.md)\n{% endcontent-ref %}\n\n",
    "# Place\n\n",
    "<a id=\"other\"></a>\n\n",
];

/// A step of a test: the action, its two operands, and the pieces of a text.
type Step = (u8, u8, u8, Vec<(u8, u8)>);

fn id(number: u8) -> Id {
    let text = format!("{number:020}");
    Id::parse(&text).unwrap_or_else(|| panic!("{text}"))
}

struct World {
    content: Content,
    objects: MemoryObjects,
    now: i64,
}

impl World {
    /// Applies a change to the content and stores its new objects.
    fn make<T>(&mut self, make: impl FnOnce(&Content, &mut Staging<'_>) -> (Content, T)) -> T {
        let mut staging = Staging::new(&self.objects);
        let (content, made) = make(&self.content, &mut staging);
        let new = staging.drain();
        self.objects.extend(new);
        self.content = content;
        made
    }

    /// Stores a text built from these pieces.
    fn text(&mut self, pieces: &[(u8, u8)], path: String) -> Hash {
        let text: String = pieces
            .iter()
            .map(|(piece, digit)| {
                let piece = PIECES[usize::from(*piece) % PIECES.len()];
                piece.replace('_', &(digit % PAGES).to_string())
            })
            .collect();
        let lookup = Known::beside(Paths::default(), &self.content, &self.objects);
        let body = texts::store(text, Some(path), &lookup, None);
        let bytes = body.encode().unwrap();
        let hash = Hash::of(&bytes);
        self.objects.extend([(hash, bytes)]);
        hash
    }

    fn step(&mut self, (what, one, other, pieces): &Step) {
        let (one, other) = (one % PAGES, other % PAGES);
        let (page, beside) = (PageId::new(id(one)), PageId::new(id(other)));
        self.now += 1;
        let now = Timestamp::from_millis(self.now);
        let there = self.content.page(&self.objects, page).unwrap().is_some();
        match what % 9 {
            0 if there => {
                self.make(|content, staging| tree::delete(content, staging, page).unwrap()).clear()
            }
            1 if there => self.make(|content, staging| {
                let parent = (one != other).then_some(beside);
                match tree::relocate(content, staging, page, parent, Position::Last) {
                    Ok((content, _)) => (content, ()),
                    Err(_) => (content.clone(), ()),
                }
            }),
            2 if there => {
                let body = self.text(pieces, format!("p{one}.md"));
                self.update(page, |record| record.body = Some(body));
            }
            3 if there => self.update(page, |record| {
                record.slug = format!("s{other}");
                record.source_path = Some(format!("p{other}.md"));
            }),
            4 => {
                let path = (pieces.len() % 3 != 0).then(|| format!("f{other}.gif"));
                self.make(|content, staging| {
                    let record = FileRecord {
                        id: FileId::new(id(one)),
                        name: "f".to_owned(),
                        path,
                        content_type: "image/gif".to_owned(),
                        size: 1,
                        hash: Hash::of(b"f"),
                        dimensions: None,
                    };
                    (edit::put_file(content, staging, &record).unwrap(), ())
                });
            }
            5 => self.make(|content, staging| {
                let (content, _) =
                    edit::delete_file(content, staging, FileId::new(id(one))).unwrap();
                (content, ())
            }),
            6 => {
                let body = self.text(pieces, format!("r{one}.md"));
                self.make(|content, staging| {
                    let record = ReusableRecord {
                        id: ReusableContentId::new(id(one)),
                        title: "r".to_owned(),
                        path: Some(format!("r{other}.md")),
                        body: Some(body),
                        computed: None,
                    };
                    (edit::put_reusable(content, staging, &record).unwrap(), ())
                });
            }
            7 if there => self.update(page, |record| {
                record.kind = match other % 2 {
                    0 => PageKind::Document,
                    _ => PageKind::Link { target: ContentRef::Page { page: beside, space: None } },
                };
                let image = ContentRef::File { file: FileId::new(id(other)), space: None };
                record.cover =
                    Some(Cover { image: Some(image), image_dark: None, y_pos: 0.0, height: None });
            }),
            _ if !there => {
                let body = self.text(pieces, format!("p{one}.md"));
                self.make(|content, staging| {
                    let slug = format!("s{one}");
                    let mut record = PageRecord::new(page, PageKind::Document, "P", &slug, now);
                    record.body = Some(body);
                    record.source_path = Some(format!("p{one}.md"));
                    tree::insert(content, staging, record, Position::Last).unwrap()
                });
            }
            _ => {}
        }
    }

    fn update(&mut self, page: PageId, change: impl FnOnce(&mut PageRecord)) {
        self.make(|content, staging| tree::update(content, staging, page, change).unwrap());
    }

    /// Builds the index of the content from another one.
    fn made(&self, base: Option<&ContentIndex>) -> ContentIndex {
        let now = Timestamp::from_millis(self.now);
        ContentIndex::follow(base, &self.objects, &self.content, now).unwrap()
    }

    /// Builds and stores the index of a content.
    fn store(&mut self, content: Content) -> ContentIndex {
        let mut new = Vec::new();
        let mut sink = |objects: Vec<_>| {
            new.extend(objects);
            Ok(())
        };
        let index = index(&self.objects, None, &content, &mut sink).unwrap();
        self.objects.extend(new);
        ContentIndex::stored(content, index, Timestamp::from_millis(self.now))
    }
}

proptest! {
    /// Each new content starts from any earlier one, as in a change request, and its index from any
    /// other index, as for a request of an older revision.
    #[test]
    fn an_updated_index_equals_one_built_at_once(
        rounds in prop::collection::vec(
            (
                prop::collection::vec(
                    (any::<u8>(), any::<u8>(), any::<u8>(),
                     prop::collection::vec((any::<u8>(), any::<u8>()), 0..5)),
                    1..4,
                ),
                any::<prop::sample::Index>(),
                any::<prop::sample::Index>(),
                any::<bool>(),
            ),
            1..20,
        ),
    ) {
        let content = Content::new(&Entropy::seeded(1));
        let mut world = World { content, objects: MemoryObjects::new(), now: 0 };
        let mut known = vec![world.made(None)];
        for (steps, after, base, store) in rounds {
            world.content = known[after.index(known.len())].content.clone();
            steps.iter().for_each(|step| world.step(step));
            let followed = world.made(Some(&known[base.index(known.len())]));
            let at_once = world.made(None);
            prop_assert_eq!(followed.index, at_once.index, "{:?}", steps);
            prop_assert_eq!(followed.index.source, Some(indexed(&world.content)));
            assert_complete(&followed, &world.objects);
            known.push(followed);
            if store {
                let first = known.swap_remove(0);
                known.push(world.store(first.content));
            }
        }
        for made in &known {
            assert_complete(made, &world.objects);
        }
    }
}

/// Asserts that all entries of an index can be read and that every target has a holder.
fn assert_complete(made: &ContentIndex, stored: &MemoryObjects) {
    let objects = LayeredObjects { above: Some(&made.objects), below: stored };
    let entries = Entries { map: made.index.entries, objects: &objects };
    let all = made.index.entries.range(&objects, None, Direction::Ascending);
    assert_eq!(all.map(Result::unwrap).count() as u64, made.index.entries.len());
    for group in Group::ALL {
        for entry in entries.targets(&[group.tag()], None) {
            let (key, entry) = entry.unwrap();
            assert_eq!(entry.target.key(), key);
            assert!(entries.count_holders(&entry.names).unwrap() > 0);
            for name in &entry.names {
                assert_eq!(entries.target(name).unwrap(), Some(entry.target.clone()));
            }
        }
    }
}
