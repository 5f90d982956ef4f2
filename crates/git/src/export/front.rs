//! The front matter of pages, and the targets that files write.

use bindery_content::front_matter::{self, FrontMatter};
use bindery_content::reference::{self, ContentRef as Target, Names};
use bindery_model::{FileId, PageId, ReusableContentId};
use bindery_revision::{
    Content, ContentRef, Cover, Objects, PageRecord, Reference, Variable, Variables,
};
use serde_json::{Map, Value};

use crate::import::{self, clean_text};

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

    /// Returns the front matter of a page: `written`, the one in its source, with the attributes
    /// that an import would read differently. `references` are those of the source.
    pub(super) fn front_matter(
        &self,
        written: FrontMatter,
        references: &[Reference],
        page: &PageRecord,
        holder: &str,
    ) -> FrontMatter {
        let mut front = written;
        let text = |text: &Option<String>| text.as_ref().map(|text| text.replace('\0', ""));
        if text(&front.description) != page.description {
            front.description.clone_from(&page.description);
        }
        let icon = front.icon.as_deref().map(clean_text).filter(|icon| !icon.is_empty());
        if icon != page.icon {
            front.icon.clone_from(&page.icon);
        }
        front.hidden = page.hidden;
        front.no_index = page.no_index;
        front.no_robots_index = page.no_robots_index;
        front.condition.clone_from(&page.condition);
        if import::variables(&front.variables) != page.variables {
            front.variables = variables(&page.variables);
        }
        front.layout.clone_from(&page.layout);
        front.tags = page.tags.iter().map(tag).collect();
        let of = Written { paths: self, references, holder };
        if !of.is_cover(front.cover.as_ref(), page.cover.as_ref()) {
            front.cover = page.cover.as_ref().and_then(|cover| self.cover(cover, holder));
        }
        let links = &page.meta_links;
        if !of.is_target(front.meta_links.canonical.as_deref(), links.canonical.as_ref()) {
            let canonical = links.canonical.as_ref();
            front.meta_links.canonical = canonical.and_then(|link| self.target(link, holder));
        }
        let alternates = &mut front.meta_links.alternates;
        let is_same = alternates.len() == links.alternates.len()
            && alternates
                .iter()
                .zip(&links.alternates)
                .all(|(raw, link)| of.is_target(Some(raw), Some(link)));
        if !is_same {
            let target = |link: &ContentRef| self.target(link, holder);
            *alternates = links.alternates.iter().filter_map(target).collect();
        }
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
}

/// The targets of a source.
struct Written<'a> {
    paths: &'a Paths<'a>,
    references: &'a [Reference],
    holder: &'a str,
}

impl Written<'_> {
    /// Returns `true` if a target as written is a reference.
    fn is_target(&self, raw: Option<&str>, target: Option<&ContentRef>) -> bool {
        let (Some(raw), Some(target)) = (raw, target) else {
            return raw.is_none() && target.is_none();
        };
        let known = self.references.iter().find(|reference| reference.raw == raw);
        known.is_some_and(|known| known.target == *target)
            || self.paths.target(target, self.holder).as_deref() == Some(raw)
    }

    /// Returns `true` if a cover as written is the cover of a page. Covers without a usable image
    /// stay as they are written.
    fn is_cover(&self, written: Option<&front_matter::Cover>, cover: Option<&Cover>) -> bool {
        let (Some(written), Some(cover)) = (written, cover) else {
            return written.is_none() && cover.is_none();
        };
        let is_image = |raw: Option<&str>, image: Option<&ContentRef>| {
            image.is_none() || self.is_target(raw, image)
        };
        is_image(Some(&written.light), cover.image.as_ref())
            && is_image(written.dark.as_deref(), cover.image_dark.as_ref())
            && written.y_position.to_bits() == cover.y_pos.to_bits()
            && written.height.map(f64::to_bits) == cover.height.map(f64::to_bits)
    }
}

fn tag(tag: &bindery_revision::PageTag) -> front_matter::Tag {
    front_matter::Tag { tag: tag.tag.clone(), primary: tag.primary }
}

/// Returns variables in the form of files, the inverse of
/// [`import::variables`].
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
