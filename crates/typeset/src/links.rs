//! Links between the pages of a PDF.
//!
//! The source links pages by addresses and marks targets by metadata. Once all sheets are laid out,
//! the addresses are replaced by positions. This costs less than references of the typesetter, for
//! which it would have to lay out all pages at once and repeatedly.

use std::collections::HashMap;
use std::num::NonZeroUsize;

use bindery_paper::PAGE_SCHEME;
use typst::ecow::EcoVec;
use typst::foundations::Value;
use typst::introspection::{MetadataElem, PagedPosition, Tag};
use typst::layout::{Frame, FrameItem, Point, Transform};
use typst::model::Destination;
use typst_layout::Page;

/// The positions of the targets of links by their names.
#[derive(Default)]
pub(crate) struct Targets {
    positions: HashMap<String, PagedPosition>,
}

impl Targets {
    pub(crate) fn of(sheets: &[Page]) -> Self {
        let mut targets = Self::default();
        for (at, sheet) in sheets.iter().enumerate() {
            let page = NonZeroUsize::MIN.saturating_add(at);
            targets.collect(&sheet.frame, page, Transform::identity());
        }
        targets
    }

    /// Returns the number of the sheet on which a page begins, from 1 on.
    pub(crate) fn sheet(&self, key: &str) -> Option<usize> {
        self.positions.get(key).map(|position| position.page.get())
    }

    fn collect(&mut self, frame: &Frame, page: NonZeroUsize, transform: Transform) {
        for (point, item) in frame.items() {
            match item {
                FrameItem::Group(group) => {
                    let inner = transform
                        .pre_concat(Transform::translate(point.x, point.y))
                        .pre_concat(group.transform);
                    self.collect(&group.frame, page, inner);
                }
                FrameItem::Tag(Tag::Start(element, _)) => {
                    let metadata = element.to_packed::<MetadataElem>();
                    if let Some(Value::Str(name)) = metadata.map(|metadata| &metadata.value) {
                        let point = point.transform(transform);
                        // The first target of a name counts.
                        self.positions
                            .entry(name.as_str().to_owned())
                            .or_insert(PagedPosition { page, point });
                    }
                }
                _ => {}
            }
        }
    }

    /// Returns the position of an address: the target itself, or the start of its page.
    fn find(&self, address: &str) -> Option<PagedPosition> {
        let name = address.strip_prefix(PAGE_SCHEME)?;
        let page = name.split_once('#').map_or(name, |(page, _)| page);
        let found = self.positions.get(name).or_else(|| self.positions.get(page))?;
        // A little room above the target.
        let above = Point::new(found.point.x, found.point.y - typst::layout::Abs::pt(8.0));
        Some(PagedPosition { point: above, ..*found })
    }

    fn replace(&self, frame: &mut Frame) {
        frame.retain(|item| match item {
            FrameItem::Group(group) => {
                self.replace(&mut group.frame);
                true
            }
            FrameItem::Link(destination, _) => {
                let Destination::Url(url) = &*destination else { return true };
                if !url.as_str().starts_with(PAGE_SCHEME) {
                    return true;
                }
                match self.find(url.as_str()) {
                    Some(position) => {
                        *destination = Destination::Position(position);
                        true
                    }
                    None => false,
                }
            }
            _ => true,
        });
    }
}

/// Replaces the addresses of pages by their positions, and removes links that lead nowhere.
pub(crate) fn resolve(sheets: &mut EcoVec<Page>) {
    let targets = Targets::of(sheets);
    for sheet in sheets.make_mut() {
        targets.replace(&mut sheet.frame);
    }
}
