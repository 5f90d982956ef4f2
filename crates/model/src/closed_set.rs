//! Closed sets: enums whose values are stored by their names, which are those of the API contract.

/// Defines an enum from a table of its values and their names. Serde reads and writes the names. The
/// calling crate needs the dependency `serde`.
#[macro_export]
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
            ::serde::Serialize, ::serde::Deserialize,
        )]
        pub enum $set {
            $($(#[$value_doc])+ #[serde(rename = $name)] $value,)+
        }

        impl $set {
            /// All values, in the order of their definition.
            pub const ALL: [Self; [$($name),+].len()] = [$(Self::$value),+];

            /// Returns the name of the value.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$value => $name,)+
                }
            }

            /// Parses the name of a value. Returns `None` if no value has this name.
            pub fn parse(text: &str) -> Option<Self> {
                match text {
                    $($name => Some(Self::$value),)+
                    _ => None,
                }
            }
        }
    };
}
