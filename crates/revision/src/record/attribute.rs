//! Access to a record's fields as attributes, for differences, merges and conflicts.

use bindery_model::Timestamp;
use serde::{Deserialize, Serialize};

use super::{
    ContentRef, Cover, Dimensions, FileRecord, Layout, MetaLinks, PageKind, PageRecord, PageTag,
    ReusableRecord, Variables,
};
use crate::merge::ThreeWay;
use crate::object::Hash;

/// Generates the types and functions that handle a record's attributes one by one from a single
/// list. Fields that are not attributes are listed as well, so that a new field fails to compile
/// until it is added here.
macro_rules! attributes {
    (
        $(#[$names_doc:meta])* $names:ident, $(#[$values_doc:meta])* $values:ident of $record:ident,
        beside $($beside:ident)*;
        $($(#[$doc:meta])* $name:ident: $field:ident $type:ty,)*
    ) => {
        $(#[$names_doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
        pub enum $names {
            $($(#[$doc])* $name,)*
        }

        $(#[$values_doc])*
        #[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
        pub enum $values {
            $($(#[$doc])* $name($type),)*
        }

        impl $names {
            /// All attributes, in the order in which they are reported.
            pub const ALL: &'static [Self] = &[$(Self::$name,)*];
        }

        impl $values {
            /// Returns the attribute that this is a value of.
            pub const fn attribute(&self) -> $names {
                match self {
                    $(Self::$name(_) => $names::$name,)*
                }
            }
        }

        impl $record {
            /// Returns the value of an attribute.
            pub fn get(&self, attribute: $names) -> $values {
                match attribute {
                    $($names::$name => $values::$name(self.$field.clone()),)*
                }
            }

            /// Sets the value of an attribute.
            pub fn set(&mut self, value: $values) {
                match value {
                    $($values::$name(value) => self.$field = value,)*
                }
            }

            /// Returns the attributes in which the records differ.
            pub fn differing(&self, other: &Self) -> Vec<$names> {
                let Self { $($field,)* $($beside: _,)* } = self;
                let mut differing = Vec::new();
                $(if *$field != other.$field {
                    differing.push($names::$name);
                })*
                differing
            }

            /// Merges the attributes of both sides into one record. Also returns the attributes
            /// that both sides changed differently; these keep the value of `self`.
            pub(crate) fn merge_attributes(
                &self,
                base: Option<&Self>,
                theirs: &Self,
            ) -> (Self, Vec<$names>) {
                let mut merged = self.clone();
                let mut clashes = Vec::new();
                $({
                    let (value, clash) =
                        ThreeWay::merge(base.map(|base| &base.$field), &self.$field, &theirs.$field);
                    merged.$field = value;
                    if clash {
                        clashes.push($names::$name);
                    }
                })*
                (merged, clashes)
            }
        }
    };
}

attributes! {
    /// An attribute of a page. The page's position in the tree is not an attribute.
    PageAttribute,
    /// The value of an attribute of a page.
    PageValue of PageRecord,
    beside id parent order created_at updated_at operation;
    /// Its kind, including the target of a link page.
    Kind: kind PageKind,
    /// Its title.
    Title: title String,
    /// Its title in the navigation.
    LinkTitle: link_title Option<String>,
    /// Its segment of the path.
    Slug: slug String,
    /// The emoji in front of the title.
    Emoji: emoji Option<String>,
    /// The name of the icon in front of the title.
    Icon: icon Option<String>,
    /// A description of one or two sentences.
    Description: description Option<String>,
    /// The parts of the page that are shown.
    Layout: layout Layout,
    /// The cover image above the page.
    Cover: cover Option<Cover>,
    /// Its variables.
    Variables: variables Variables,
    /// `true` if the page is not in the navigation.
    Hidden: hidden bool,
    /// `true` if the page is not in search results.
    NoIndex: no_index bool,
    /// `true` if search engines are asked not to list the page.
    NoRobotsIndex: no_robots_index bool,
    /// The expression that decides which visitors see the page.
    Condition: condition Option<String>,
    /// Its tags.
    Tags: tags Vec<PageTag>,
    /// Link elements in the page's head, such as the canonical address.
    MetaLinks: meta_links MetaLinks,
    /// The source of a computed page.
    Computed: computed Option<String>,
    /// The object of its document.
    Document: body Option<Hash>,
    /// The path of its file in the repository.
    SourcePath: source_path Option<String>,
}

attributes! {
    /// An attribute of a file.
    FileAttribute,
    /// The value of an attribute of a file.
    FileValue of FileRecord,
    beside id;
    /// The file name for downloads.
    Name: name String,
    /// Its path in the repository.
    Path: path Option<String>,
    /// Its media type.
    ContentType: content_type String,
    /// Its length in bytes.
    Size: size u64,
    /// The object of its bytes.
    Hash: hash Hash,
    /// Its width and height.
    Dimensions: dimensions Option<Dimensions>,
}

attributes! {
    /// An attribute of a reusable content.
    ReusableAttribute,
    /// The value of an attribute of a reusable content.
    ReusableValue of ReusableRecord,
    beside id;
    /// Its title.
    Title: title String,
    /// The path of its file in the repository.
    Path: path Option<String>,
    /// The object of its document.
    Document: body Option<Hash>,
    /// The source of a computed text.
    Computed: computed Option<String>,
}

impl PageRecord {
    /// Returns the target of a link page; `None` for other pages.
    pub const fn target(&self) -> Option<&ContentRef> {
        match &self.kind {
            PageKind::Link { target } => Some(target),
            PageKind::Document | PageKind::Group | PageKind::Computed => None,
        }
    }

    /// Returns a key that sorts older pages first, independently of the direction of a merge.
    pub(crate) const fn age_key(&self) -> (Timestamp, bindery_model::PageId) {
        (self.created_at, self.id)
    }
}
