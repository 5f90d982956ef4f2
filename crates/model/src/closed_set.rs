//! Closed sets: enums whose values have names in the API contract and in the database.

/// Defines an enum from a table of its values and their names.
macro_rules! closed_set {
    (
        $(#[$doc:meta])+
        $set:ident {
            $($(#[$value_doc:meta])+ $value:ident = $name:literal,)+
        }
    ) => {
        $(#[$doc])+
        #[derive(
            Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug,
            serde::Serialize, serde::Deserialize,
        )]
        pub enum $set {
            $($(#[$value_doc])+ #[serde(rename = $name)] $value,)+
        }

        impl $set {
            /// All values, in the order of their definition.
            pub const ALL: [Self; [$($name),+].len()] = [$(Self::$value),+];

            /// Returns the name in the API contract and in the database.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$value => $name,)+
                }
            }

            /// Parses the name in the API contract and in the database.
            pub fn parse(text: &str) -> Option<Self> {
                match text {
                    $($name => Some(Self::$value),)+
                    _ => None,
                }
            }
        }
    };
}

pub(crate) use closed_set;
