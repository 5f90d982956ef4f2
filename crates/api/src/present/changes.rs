//! Presents the differences between two contents as the contract's semantic changes.

use bindery_app::App;
use bindery_app::content::snapshot::{broken_object, broken_tree};
use bindery_model::Result;
use bindery_revision::diff::{Change, Edit, diff};
use bindery_revision::tree::Tree;
use bindery_revision::{
    Content, FileAttribute, FileRecord, Hash, PageAttribute, PageKind, PageRecord,
    ReusableAttribute, ReusableRecord,
};
use bindery_wire::response::{
    ChangeAttributeBoolean, ChangeAttributeContentReference, ChangeAttributeNumber,
    ChangeAttributeRevisionFileImageDimensions, ChangeAttributeRevisionPageDocumentCover,
    ChangeAttributeRevisionPageLayout, ChangeAttributeString, ChangeAttributeStrings,
    ChangeAttributeVariable, ChangeAttributeVariables, ChangeRequest, ChangedRevisionFile,
    ChangedRevisionPage, ChangedRevisionReusableContent, RevisionFileChangeAttributes,
    RevisionFileImageDimensions, RevisionPageDocumentChangeAttributes,
    RevisionPageGroupChangeAttributes, RevisionPageLayout, RevisionPageLinkChangeAttributes,
    RevisionReusableContentChangeAttributes, RevisionSemanticChange,
    RevisionSemanticChangeFileCreated, RevisionSemanticChangeFileDeleted,
    RevisionSemanticChangeFileEdited, RevisionSemanticChangePageCreated,
    RevisionSemanticChangePageDeleted, RevisionSemanticChangePageEdited,
    RevisionSemanticChangePageEditedAttributes, RevisionSemanticChangePageMoved,
    RevisionSemanticChangePageMovedParent, RevisionSemanticChangeReusableContentCreated,
    RevisionSemanticChangeReusableContentDeleted, RevisionSemanticChangeReusableContentEdited,
    RevisionSemanticChangeVariablesEdited, RevisionSemanticChanges,
};
use bindery_wire::values::RevisionPageType;

use super::ContentView;
use super::content::{page_cover, page_layout, page_variables, reference, variable};

/// Maximum number of changes that are examined. Changes beyond it are only counted, including those
/// that the contract has no type for.
const MAX_EXAMINED_CHANGES: usize = 10_000;

/// Presents the differences from `before` to `after`. At most `limit` changes are listed, the
/// others are counted in `more`.
pub(crate) fn semantic_changes(
    before: &ContentView<'_>,
    after: &ContentView<'_>,
    limit: usize,
    merged_from: Option<ChangeRequest>,
) -> Result<RevisionSemanticChanges> {
    let (old, new) =
        (&before.presented.snapshot.revision.content, &after.presented.snapshot.revision.content);
    let found =
        diff(old, new, after.objects, MAX_EXAMINED_CHANGES.max(limit)).map_err(broken_object)?;
    let presenter = ChangePresenter { app: after.app, old, new, before, after };
    let mut changes = Vec::new();
    let mut more = found.more;
    for change in found.changes {
        if changes.len() < limit {
            changes.extend(presenter.change(change)?);
        } else if presenter.is_described(&change) {
            more += 1;
        }
    }
    Ok(RevisionSemanticChanges { merged_from, changes, more: (more > 0).then_some(more) })
}

struct ChangePresenter<'a> {
    app: &'a App,
    old: &'a Content,
    new: &'a Content,
    before: &'a ContentView<'a>,
    after: &'a ContentView<'a>,
}

/// Presents a text before and after; `None` if there was none.
fn texts(before: Option<String>, after: Option<String>) -> Option<ChangeAttributeString> {
    Some(ChangeAttributeString { before, after })
}

fn flags(before: bool, after: bool) -> Option<ChangeAttributeBoolean> {
    Some(ChangeAttributeBoolean { before: Some(before), after: Some(after) })
}

impl ChangePresenter<'_> {
    fn is_described(&self, change: &Change) -> bool {
        match change {
            Change::PageEdited(edit, attributes) => {
                self.page_attributes(edit, attributes).is_some()
            }
            Change::FileEdited(_, attributes) => {
                attributes.iter().any(|attribute| *attribute != FileAttribute::Path)
            }
            Change::ReusableEdited(_, attributes) => attributes.iter().any(|attribute| {
                matches!(attribute, ReusableAttribute::Title | ReusableAttribute::Document)
            }),
            Change::RedirectEdited(..) | Change::SourceEdited(..) => false,
            _ => true,
        }
    }

    fn change(&self, change: Change) -> Result<Option<RevisionSemanticChange>> {
        if !self.is_described(&change) {
            return Ok(None);
        }
        Ok(Some(match change {
            Change::PageCreated(page) => {
                RevisionSemanticChange::PageCreated(RevisionSemanticChangePageCreated {
                    page: self.page(self.new, &page)?,
                })
            }
            Change::PageDeleted(page) => {
                RevisionSemanticChange::PageDeleted(RevisionSemanticChangePageDeleted {
                    page: self.page(self.old, &page)?,
                })
            }
            Change::PageMoved(edit) => {
                let Edit { before, after } = *edit;
                let parent = |content: &Content, page: &PageRecord| -> Result<_> {
                    let Some(parent) = page.parent else { return Ok(None) };
                    let tree = Tree::new(content, self.after.objects);
                    let parent = tree.page(parent).map_err(broken_tree)?;
                    self.page(content, &parent).map(Some)
                };
                RevisionSemanticChange::PageMoved(Box::new(RevisionSemanticChangePageMoved {
                    page: self.page(self.new, &after)?,
                    parent: RevisionSemanticChangePageMovedParent {
                        before: parent(self.old, &before)?,
                        after: parent(self.new, &after)?,
                    },
                }))
            }
            Change::PageEdited(edit, attributes) => {
                let Some(attributes) = self.page_attributes(&edit, &attributes) else {
                    return Ok(None);
                };
                RevisionSemanticChange::PageEdited(Box::new(RevisionSemanticChangePageEdited {
                    page: self.page(self.new, &edit.after)?,
                    attributes,
                }))
            }
            Change::FileCreated(file) => {
                RevisionSemanticChange::FileCreated(RevisionSemanticChangeFileCreated {
                    file: self.file(self.after, &file),
                })
            }
            Change::FileDeleted(file) => {
                RevisionSemanticChange::FileDeleted(RevisionSemanticChangeFileDeleted {
                    file: self.file(self.before, &file),
                })
            }
            Change::FileEdited(edit, attributes) => {
                RevisionSemanticChange::FileEdited(Box::new(RevisionSemanticChangeFileEdited {
                    file: self.file(self.after, &edit.after),
                    attributes: self.file_attributes(&edit, &attributes),
                }))
            }
            Change::VariablesEdited(variables) => {
                let variables = variables.into_iter().map(|(name, Edit { before, after })| {
                    let edit = ChangeAttributeVariable {
                        before: before.map(variable),
                        after: after.map(variable),
                    };
                    (name, edit)
                });
                RevisionSemanticChange::VariablesEdited(RevisionSemanticChangeVariablesEdited {
                    variables: variables.collect(),
                })
            }
            Change::ReusableCreated(text) => RevisionSemanticChange::ReusableContentCreated(
                RevisionSemanticChangeReusableContentCreated {
                    reusable_content: self.reusable(&text),
                },
            ),
            Change::ReusableDeleted(text) => RevisionSemanticChange::ReusableContentDeleted(
                RevisionSemanticChangeReusableContentDeleted {
                    reusable_content: self.reusable(&text),
                },
            ),
            Change::ReusableEdited(Edit { before, after }, attributes) => {
                let has = |attribute| attributes.contains(&attribute);
                let document = has(ReusableAttribute::Document)
                    .then(|| texts(self.document(before.body), self.document(after.body)));
                let title = has(ReusableAttribute::Title)
                    .then(|| texts(Some(before.title.clone()), Some(after.title.clone())));
                RevisionSemanticChange::ReusableContentEdited(Box::new(
                    RevisionSemanticChangeReusableContentEdited {
                        reusable_content: self.reusable(&after),
                        attributes: RevisionReusableContentChangeAttributes {
                            title: title.flatten(),
                            document: document.flatten(),
                        },
                    },
                ))
            }
            Change::RedirectEdited(..) | Change::SourceEdited(..) => return Ok(None),
        }))
    }

    fn page(&self, content: &Content, page: &PageRecord) -> Result<ChangedRevisionPage> {
        let tree = Tree::new(content, self.after.objects);
        let r#type = match page.kind {
            PageKind::Document => RevisionPageType::Document,
            PageKind::Group => RevisionPageType::Group,
            PageKind::Link { .. } => RevisionPageType::Link,
            PageKind::Computed => RevisionPageType::Computed,
        };
        let path = match page.kind {
            PageKind::Link { .. } => None,
            _ => Some(tree.path(page.id).map_err(broken_tree)?),
        };
        Ok(ChangedRevisionPage { id: page.id.to_string(), r#type, title: page.title.clone(), path })
    }

    fn document(&self, body: Option<Hash>) -> Option<String> {
        body.map(|body| self.app.secrets.document_id(self.after.presented.snapshot.space, &body))
    }

    fn file(&self, view: &ContentView<'_>, file: &FileRecord) -> ChangedRevisionFile {
        ChangedRevisionFile {
            id: file.id.to_string(),
            name: file.name.clone(),
            content_type: file.content_type.clone(),
            download_url: self.download_url(view, file),
        }
    }

    fn download_url(&self, view: &ContentView<'_>, file: &FileRecord) -> String {
        bindery_app::content::snapshot::download_url(
            self.app,
            &view.presented.snapshot,
            file,
            view.presented.public,
        )
    }

    fn reusable(&self, text: &ReusableRecord) -> ChangedRevisionReusableContent {
        ChangedRevisionReusableContent {
            id: text.id.to_string(),
            title: text.title.clone(),
            document: self.document(text.body),
        }
    }

    fn file_attributes(
        &self,
        Edit { before, after }: &Edit<FileRecord>,
        attributes: &[FileAttribute],
    ) -> RevisionFileChangeAttributes {
        let has = |attribute| attributes.contains(&attribute);
        let size = |file: &FileRecord| {
            file.dimensions.map(|size| RevisionFileImageDimensions {
                width: size.width.into(),
                height: size.height.into(),
            })
        };
        RevisionFileChangeAttributes {
            name: has(FileAttribute::Name)
                .then(|| texts(Some(before.name.clone()), Some(after.name.clone())))
                .flatten(),
            download_url: has(FileAttribute::Hash)
                .then(|| {
                    texts(
                        Some(self.download_url(self.before, before)),
                        Some(self.download_url(self.after, after)),
                    )
                })
                .flatten(),
            size: has(FileAttribute::Size).then_some(ChangeAttributeNumber {
                before: Some(before.size),
                after: Some(after.size),
            }),
            content_type: has(FileAttribute::ContentType)
                .then(|| texts(Some(before.content_type.clone()), Some(after.content_type.clone())))
                .flatten(),
            dimensions: has(FileAttribute::Dimensions).then(|| {
                ChangeAttributeRevisionFileImageDimensions {
                    before: size(before),
                    after: size(after),
                }
            }),
        }
    }

    /// Returns the changed attributes of a page that the contract describes; `None` if there are
    /// none.
    fn page_attributes(
        &self,
        Edit { before, after }: &Edit<PageRecord>,
        attributes: &[PageAttribute],
    ) -> Option<RevisionSemanticChangePageEditedAttributes> {
        let has = |attribute| attributes.contains(&attribute);
        let text = |attribute, of: fn(&PageRecord) -> Option<String>| {
            has(attribute).then(|| texts(of(before), of(after))).flatten()
        };
        let flag = |attribute, of: fn(&PageRecord) -> bool| {
            has(attribute).then(|| flags(of(before), of(after))).flatten()
        };
        let title = text(PageAttribute::Title, |page| Some(page.title.clone()));
        let emoji = text(PageAttribute::Emoji, |page| page.emoji.clone());
        let icon = text(PageAttribute::Icon, |page| page.icon.clone());
        let slug = text(PageAttribute::Slug, |page| Some(page.slug.clone()));
        let condition = text(PageAttribute::Condition, |page| page.condition.clone());
        let hidden = flag(PageAttribute::Hidden, |page| page.hidden);
        let shared = title.is_some()
            || emoji.is_some()
            || icon.is_some()
            || condition.is_some()
            || hidden.is_some();
        match (&before.kind, &after.kind) {
            (PageKind::Link { target: old }, PageKind::Link { target: new }) => {
                let target = (old != new).then(|| ChangeAttributeContentReference {
                    before: Some(reference(old)),
                    after: Some(reference(new)),
                });
                (shared || target.is_some()).then(|| {
                    let attributes = RevisionPageLinkChangeAttributes {
                        title,
                        emoji,
                        target,
                        hidden,
                        icon,
                        condition,
                    };
                    RevisionSemanticChangePageEditedAttributes::LinkChangeAttributes(Box::new(
                        attributes,
                    ))
                })
            }
            (_, PageKind::Group) => (shared || slug.is_some()).then(|| {
                let attributes = RevisionPageGroupChangeAttributes {
                    title,
                    emoji,
                    slug,
                    hidden,
                    icon,
                    condition,
                };
                RevisionSemanticChangePageEditedAttributes::GroupChangeAttributes(Box::new(
                    attributes,
                ))
            }),
            _ => {
                let tags = |page: &PageRecord| {
                    Some(page.tags.iter().map(|tag| tag.tag.clone()).collect::<Vec<_>>())
                };
                let variables = |page: &PageRecord| Some(page_variables(page.variables.clone()));
                let layout = |page: &PageRecord| {
                    Some(RevisionPageLayout::LayoutOptions(page_layout(page.layout.clone())))
                };
                let cover = |page: &PageRecord| page.cover.clone().map(page_cover);
                let known = [
                    PageAttribute::Title,
                    PageAttribute::Emoji,
                    PageAttribute::Icon,
                    PageAttribute::Slug,
                    PageAttribute::Condition,
                    PageAttribute::Hidden,
                    PageAttribute::Description,
                    PageAttribute::Document,
                    PageAttribute::Cover,
                    PageAttribute::Layout,
                    PageAttribute::Variables,
                    PageAttribute::NoIndex,
                    PageAttribute::NoRobotsIndex,
                    PageAttribute::LinkTitle,
                    PageAttribute::Tags,
                ];
                attributes.iter().any(|attribute| known.contains(attribute)).then(|| {
                    let attributes = RevisionPageDocumentChangeAttributes {
                        title,
                        description: text(PageAttribute::Description, |page| {
                            page.description.clone()
                        }),
                        slug,
                        document: has(PageAttribute::Document)
                            .then(|| texts(self.document(before.body), self.document(after.body)))
                            .flatten(),
                        cover: has(PageAttribute::Cover).then(|| {
                            ChangeAttributeRevisionPageDocumentCover {
                                before: cover(before),
                                after: cover(after),
                            }
                        }),
                        emoji,
                        layout: has(PageAttribute::Layout).then(|| {
                            ChangeAttributeRevisionPageLayout {
                                before: layout(before),
                                after: layout(after),
                            }
                        }),
                        variables: has(PageAttribute::Variables).then(|| {
                            ChangeAttributeVariables {
                                before: variables(before),
                                after: variables(after),
                            }
                        }),
                        hidden,
                        icon,
                        condition,
                        no_index: flag(PageAttribute::NoIndex, |page| page.no_index),
                        no_robots_index: flag(PageAttribute::NoRobotsIndex, |page| {
                            page.no_robots_index
                        }),
                        link_title: text(PageAttribute::LinkTitle, |page| page.link_title.clone()),
                        tags: has(PageAttribute::Tags).then(|| ChangeAttributeStrings {
                            before: tags(before),
                            after: tags(after),
                        }),
                    };
                    RevisionSemanticChangePageEditedAttributes::DocumentChangeAttributes(Box::new(
                        attributes,
                    ))
                })
            }
        }
    }
}
