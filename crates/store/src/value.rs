//! Parameter and column values, the same on both engines.

use std::borrow::Cow;

use bindery_model::Timestamp;
use bytes::BytesMut;
use tokio_postgres::types::{IsNull, ToSql, Type, to_sql_checked};

use crate::StoreError;

/// A parameter of a statement.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Value<'a> {
    /// SQL's null.
    Null,
    /// An integer. Also a time, in milliseconds since 1970, or a Boolean, as 0 or 1.
    Int(i64),
    /// Text, compared by bytes. Ids are text.
    Text(Cow<'a, str>),
    /// Bytes.
    Blob(Cow<'a, [u8]>),
}

/// The value of a column.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Column<'a> {
    /// SQL's null.
    Null,
    /// An integer.
    Int(i64),
    /// Text.
    Text(&'a str),
    /// Bytes.
    Blob(&'a [u8]),
}

/// A type that can be read from a column.
pub trait FromColumn: Sized {
    /// Description of the expected value in error messages.
    const EXPECTED: &'static str;
    /// `true` if error messages may contain a text that was found, because the column is no secret.
    const SHOWS_TEXT: bool = false;

    /// Reads a column. Returns `None` if it has another type.
    fn from_column(column: Column<'_>) -> Option<Self>;
}

/// Builds the parameters of a statement: `params![id, name, now]`.
#[macro_export]
macro_rules! params {
    ($($value:expr),* $(,)?) => { &[$($crate::Value::from($value)),*] };
}

/// Maximum number of ids in one statement, where a caller sets no lower limit.
pub(crate) const MAX_IDS: usize = 500;

/// Binds ids and returns their placeholders for an `IN` list, such as `$2, $3`.
pub(crate) fn placeholders<T: Copy + Into<Value<'static>>>(
    values: &mut Vec<Value<'static>>,
    ids: &[T],
) -> String {
    let places: Vec<String> = ids
        .iter()
        .map(|id| {
            values.push((*id).into());
            format!("${}", values.len())
        })
        .collect();
    places.join(", ")
}

impl Value<'_> {
    pub(crate) fn check(&self) -> Result<(), StoreError> {
        match self {
            Self::Text(text) if text.as_bytes().contains(&0) => Err(StoreError::Nul),
            _ => Ok(()),
        }
    }
}

macro_rules! from_int {
    ($($ty:ty),*) => {$(
        impl From<$ty> for Value<'_> {
            fn from(value: $ty) -> Self {
                Self::Int(i64::from(value))
            }
        }

        impl From<&$ty> for Value<'_> {
            fn from(value: &$ty) -> Self {
                Self::Int(i64::from(*value))
            }
        }
    )*};
}

from_int!(i64, i32, u32, u16, u8, bool);

impl From<Timestamp> for Value<'_> {
    fn from(value: Timestamp) -> Self {
        Self::Int(value.millis())
    }
}

impl From<&Timestamp> for Value<'_> {
    fn from(value: &Timestamp) -> Self {
        Self::Int(value.millis())
    }
}

impl<'a> From<&'a str> for Value<'a> {
    fn from(value: &'a str) -> Self {
        Self::Text(Cow::Borrowed(value))
    }
}

impl<'a> From<&'a String> for Value<'a> {
    fn from(value: &'a String) -> Self {
        Self::Text(Cow::Borrowed(value))
    }
}

impl From<String> for Value<'_> {
    fn from(value: String) -> Self {
        Self::Text(Cow::Owned(value))
    }
}

impl<'a> From<&'a [u8]> for Value<'a> {
    fn from(value: &'a [u8]) -> Self {
        Self::Blob(Cow::Borrowed(value))
    }
}

impl<'a, const N: usize> From<&'a [u8; N]> for Value<'a> {
    fn from(value: &'a [u8; N]) -> Self {
        Self::Blob(Cow::Borrowed(value))
    }
}

impl From<Vec<u8>> for Value<'_> {
    fn from(value: Vec<u8>) -> Self {
        Self::Blob(Cow::Owned(value))
    }
}

impl<'a> From<&'a Vec<u8>> for Value<'a> {
    fn from(value: &'a Vec<u8>) -> Self {
        Self::Blob(Cow::Borrowed(value))
    }
}

impl<'a, T: Into<Self>> From<Option<T>> for Value<'a> {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}

impl<'a> From<&Self> for Value<'a> {
    fn from(value: &Self) -> Self {
        value.clone()
    }
}

impl FromColumn for i64 {
    const EXPECTED: &'static str = "a number";

    fn from_column(column: Column<'_>) -> Option<Self> {
        match column {
            Column::Int(value) => Some(value),
            _ => None,
        }
    }
}

macro_rules! small_int {
    ($($ty:ty),*) => {$(
        impl FromColumn for $ty {
            const EXPECTED: &'static str = concat!("a number within ", stringify!($ty));

            fn from_column(column: Column<'_>) -> Option<Self> {
                i64::from_column(column).and_then(|value| value.try_into().ok())
            }
        }
    )*};
}

small_int!(i32, u64, u32, u16, u8);

impl FromColumn for bool {
    const EXPECTED: &'static str = "0 or 1";

    fn from_column(column: Column<'_>) -> Option<Self> {
        match column {
            Column::Int(0) => Some(false),
            Column::Int(1) => Some(true),
            _ => None,
        }
    }
}

impl FromColumn for Timestamp {
    const EXPECTED: &'static str = "a time";

    fn from_column(column: Column<'_>) -> Option<Self> {
        i64::from_column(column).map(Self::from_millis)
    }
}

impl FromColumn for String {
    const EXPECTED: &'static str = "text";

    fn from_column(column: Column<'_>) -> Option<Self> {
        match column {
            Column::Text(value) => Some(value.to_owned()),
            _ => None,
        }
    }
}

impl FromColumn for Vec<u8> {
    const EXPECTED: &'static str = "bytes";

    fn from_column(column: Column<'_>) -> Option<Self> {
        match column {
            Column::Blob(value) => Some(value.to_vec()),
            _ => None,
        }
    }
}

impl<const N: usize> FromColumn for [u8; N] {
    const EXPECTED: &'static str = "bytes of one length";

    fn from_column(column: Column<'_>) -> Option<Self> {
        match column {
            Column::Blob(value) => value.try_into().ok(),
            _ => None,
        }
    }
}

impl<T: FromColumn> FromColumn for Option<T> {
    const EXPECTED: &'static str = T::EXPECTED;
    const SHOWS_TEXT: bool = T::SHOWS_TEXT;

    fn from_column(column: Column<'_>) -> Option<Self> {
        match column {
            Column::Null => Some(None),
            other => T::from_column(other).map(Some),
        }
    }
}

macro_rules! convert_ids {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        impl From<bindery_model::$name> for Value<'_> {
            fn from(value: bindery_model::$name) -> Self {
                Self::Text(Cow::Owned(value.as_str().to_owned()))
            }
        }

        impl<'a> From<&'a bindery_model::$name> for Value<'a> {
            fn from(value: &'a bindery_model::$name) -> Self {
                Self::Text(Cow::Borrowed(value.as_str()))
            }
        }

        impl FromColumn for bindery_model::$name {
            const EXPECTED: &'static str = stringify!($name);

            fn from_column(column: Column<'_>) -> Option<Self> {
                match column {
                    Column::Text(text) => Self::parse(text),
                    _ => None,
                }
            }
        }
    )*};
}

bindery_model::for_each_id!(convert_ids);

convert_ids! {
    Id;
    AuditEventId;
}

impl rusqlite::ToSql for Value<'_> {
    fn to_sql(&self) -> rusqlite::Result<rusqlite::types::ToSqlOutput<'_>> {
        use rusqlite::types::{ToSqlOutput, ValueRef};

        Ok(ToSqlOutput::Borrowed(match self {
            Self::Null => ValueRef::Null,
            Self::Int(value) => ValueRef::Integer(*value),
            Self::Text(value) => ValueRef::Text(value.as_bytes()),
            Self::Blob(value) => ValueRef::Blob(value),
        }))
    }
}

/// Converts the value to the type that PostgreSQL expects, or returns an error.
impl ToSql for Value<'_> {
    fn to_sql(
        &self,
        ty: &Type,
        out: &mut BytesMut,
    ) -> Result<IsNull, Box<dyn std::error::Error + Sync + Send>> {
        match (self, ty) {
            (Self::Null, _) => Ok(IsNull::Yes),
            (Self::Int(value), &Type::INT4) => i32::try_from(*value)?.to_sql(ty, out),
            (Self::Int(value), &Type::INT2) => i16::try_from(*value)?.to_sql(ty, out),
            (Self::Int(value), &Type::BOOL) => (*value != 0).to_sql(ty, out),
            (Self::Int(value), &Type::INT8) => value.to_sql(ty, out),
            (Self::Text(value), _) if <&str as ToSql>::accepts(ty) => value.to_sql(ty, out),
            (Self::Blob(value), &Type::BYTEA) => value.as_ref().to_sql(ty, out),
            (value, ty) => Err(format!("a parameter of type {ty} was given {value:?}").into()),
        }
    }

    fn accepts(_: &Type) -> bool {
        true
    }

    to_sql_checked!();
}
