//! The front matter of pages, and the targets that files write.

use bindery_content::front_matter::{self, FrontMatter};
use bindery_content::reference::{self, ContentRef as Target, Names};
use bindery_model::{FileId, PageId, ReusableContentId};
use bindery_revision::{
    Content, ContentRef, Cover, MetaLinks, Objects, PageRecord, Variable, Variables,
};
use serde_json::{Map, Value};

/// The paths of the items of a content.
#[derive(Clone, Copy)]
pub(super) struct Paths<'a> {
    pub(super) content: &'a Content,
    pub(super) objects: &'a dyn Objects,
}

impl Names for Paths<'_> {
    fn page_path(&self, page: &str) -> Option<String> {
        self.content.page(self.objects, PageId::parse(page)?).ok().flatten()?.source_path
    }

    fn file_path(&self, file: &str) -> Option<String> {
        self.content.file(self.objects, FileId::parse(file)?).ok().flatten()?.path
    }

    fn reusable_content_path(&self, reusable_content: &str) -> Option<String> {
        let id = ReusableContentId::parse(reusable_content)?;
        self.content.reusable(self.objects, id).ok().flatten()?.path
    }
}

impl Paths<'_> {
    /// Returns a reference as the target in the file `holder`; `None` if nothing can name it there.
    pub(super) fn target(&self, target: &ContentRef, holder: &str) -> Option<String> {
        let text = ToString::to_string;
        let target = match target.clone() {
            ContentRef::Broken(raw) => return Some(raw),
            ContentRef::Other(_) => return None,
            ContentRef::Url(url) => Target::Url { url },
            ContentRef::File { file, space: _ } => Target::File { file: file.to_string() },
            ContentRef::Page { page, space } => {
                Target::Page { page: page.to_string(), space: space.as_ref().map(text) }
            }
            ContentRef::Anchor { page, space, anchor } => Target::Anchor {
                anchor,
                page: page.as_ref().map(ToString::to_string),
                space: space.as_ref().map(text),
            },
            ContentRef::Reusable { reusable, space } => Target::ReusableContent {
                reusable_content: reusable.to_string(),
                space: space.as_ref().map(text),
            },
            ContentRef::Space(space) => Target::Space { space: space.to_string() },
        };
        reference::write(&target, holder, self)
    }

    /// Returns the front matter of a page: `written`, with the attributes that differ between `old`
    /// and `new`, or all attributes without an old record.
    pub(super) fn front_matter(
        &self,
        written: FrontMatter,
        old: Option<&PageRecord>,
        new: &PageRecord,
        holder: &str,
    ) -> FrontMatter {
        let mut front = written;
        /// Takes over an attribute if it changed.
        macro_rules! take {
            ($name:ident, $value:expr) => {
                if old.is_none_or(|old| old.$name != new.$name) {
                    front.$name = $value;
                }
            };
        }
        take!(description, new.description.clone());
        take!(hidden, new.hidden);
        take!(no_index, new.no_index);
        take!(no_robots_index, new.no_robots_index);
        take!(icon, new.icon.clone());
        take!(condition, new.condition.clone());
        take!(variables, variables(&new.variables));
        take!(cover, new.cover.as_ref().and_then(|cover| self.cover(cover, holder)));
        take!(layout, new.layout.clone());
        take!(tags, new.tags.iter().map(tag).collect());
        take!(meta_links, self.meta_links(&new.meta_links, holder));
        front
    }

    fn cover(&self, cover: &Cover, holder: &str) -> Option<front_matter::Cover> {
        let Cover { image, image_dark, y_pos, height } = cover;
        let target = |image: &ContentRef| self.target(image, holder);
        Some(front_matter::Cover {
            light: image.as_ref().and_then(target)?,
            dark: image_dark.as_ref().and_then(target),
            y_position: *y_pos,
            height: *height,
        })
    }

    fn meta_links(&self, links: &MetaLinks, holder: &str) -> front_matter::MetaLinks {
        let target = |link: &ContentRef| self.target(link, holder);
        front_matter::MetaLinks {
            canonical: links.canonical.as_ref().and_then(target),
            alternates: links.alternates.iter().filter_map(target).collect(),
        }
    }
}

fn tag(tag: &bindery_revision::PageTag) -> front_matter::Tag {
    front_matter::Tag { tag: tag.tag.clone(), primary: tag.primary }
}

/// Returns variables in the form of files, the inverse of
/// [`import::variables`](crate::import::variables).
pub(super) fn variables(from: &Variables) -> Map<String, Value> {
    let value = |value: &Variable| match value {
        Variable::Text(text) => Value::from(text.as_str()),
        // Whole numbers are written without a fraction.
        #[expect(clippy::cast_possible_truncation, reason = "the value is a whole number in range")]
        Variable::Number(number) if number.fract() == 0.0 && number.abs() < 9e15 => {
            Value::from(*number as i64)
        }
        Variable::Number(number) => Value::from(*number),
        Variable::Boolean(yes) => Value::from(*yes),
    };
    from.iter().map(|(name, from)| (name.clone(), value(from))).collect()
}
