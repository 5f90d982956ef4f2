//! What a record says, attribute by attribute: for differences, merges and conflicts.

use bindery_model::Timestamp;
use serde::{Deserialize, Serialize};

use super::{
    ContentRef, Cover, Dimensions, FileRecord, Layout, MetaLinks, PageKind, PageRecord, PageTag,
    ReusableRecord, Variables,
};
use crate::merge::ThreeWay;
use crate::object::Hash;

/// One list of a record's attributes makes everything that goes through them one by one. The
/// fields that are no attributes are named too, so that a new field breaks the build here.
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
            /// All of them, in the order in which they are reported.
            pub const ALL: &'static [Self] = &[$(Self::$name,)*];
        }

        impl $values {
            /// Which attribute it is a value of.
            pub const fn attribute(&self) -> $names {
                match self {
                    $(Self::$name(_) => $names::$name,)*
                }
            }
        }

        impl $record {
            /// The value of an attribute.
            pub fn get(&self, attribute: $names) -> $values {
                match attribute {
                    $($names::$name => $values::$name(self.$field.clone()),)*
                }
            }

            /// Gives an attribute a value.
            pub fn set(&mut self, value: $values) {
                match value {
                    $($values::$name(value) => self.$field = value,)*
                }
            }

            /// The attributes that differ.
            pub fn differing(&self, other: &Self) -> Vec<$names> {
                let Self { $($field,)* $($beside: _,)* } = self;
                let mut differing = Vec::new();
                $(if *$field != other.$field {
                    differing.push($names::$name);
                })*
                differing
            }

            /// The attributes of both sides in one record, and those that the sides changed
            /// differently, of which it has what is `self`'s.
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
    /// An attribute of a page. Its place in the tree is none.
    PageAttribute,
    /// The value of an attribute of a page.
    PageValue of PageRecord,
    beside id parent order created_at updated_at;
    /// What it is, and where a link leads.
    Kind: kind PageKind,
    /// Its title.
    Title: title String,
    /// Its title in the navigation.
    LinkTitle: link_title Option<String>,
    /// Its segment of the path.
    Slug: slug String,
    /// The emoji in front of the title.
    Emoji: emoji Option<String>,
    /// The icon in front of the title.
    Icon: icon Option<String>,
    /// One or two sentences.
    Description: description Option<String>,
    /// Which parts of it are shown.
    Layout: layout Layout,
    /// The picture above it.
    Cover: cover Option<Cover>,
    /// Its variables.
    Variables: variables Variables,
    /// Not in the navigation.
    Hidden: hidden bool,
    /// Not in search.
    NoIndex: no_index bool,
    /// Search engines are asked not to list it.
    NoRobotsIndex: no_robots_index bool,
    /// Who sees it.
    Condition: condition Option<String>,
    /// Its tags.
    Tags: tags Vec<PageTag>,
    /// Links for machines.
    MetaLinks: meta_links MetaLinks,
    /// The source of a computed page.
    Computed: computed Option<String>,
    /// The object of its text.
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
    /// The name it is downloaded under.
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
    /// The object of its text.
    Document: body Option<Hash>,
    /// The source of a computed text.
    Computed: computed Option<String>,
}

impl PageRecord {
    /// Where a link leads; `None` for other pages.
    pub const fn target(&self) -> Option<&ContentRef> {
        match &self.kind {
            PageKind::Link { target } => Some(target),
            PageKind::Document | PageKind::Group | PageKind::Computed => None,
        }
    }

    /// What puts pages in an order that no merge depends on: the older one first.
    pub(crate) const fn seniority(&self) -> (Timestamp, bindery_model::PageId) {
        (self.created_at, self.id)
    }
}
