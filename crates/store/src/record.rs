//! Records: structs whose column lists, readers and inserted values follow from one definition.

use crate::{FromColumn, Row, StoreError, Value};

/// A value that is read from adjacent columns of a row: a single column, a tuple or a record.
pub(crate) trait FromRow: Sized {
    /// Reads the value from the next columns. Always reads the same number of columns.
    fn from_columns(columns: &mut Columns<'_, '_>) -> Result<Self, StoreError>;

    /// Reads the value from the first columns of a row.
    fn from_row(row: &Row<'_>) -> Result<Self, StoreError> {
        Self::from_columns(&mut Columns { row, next: 0 })
    }
}

/// A value that fills adjacent columns of an inserted row.
pub(crate) trait ToRow {
    /// Appends the values of the columns, in order.
    fn append_to<'a>(&'a self, values: &mut Vec<Value<'a>>);
}

/// A struct that is defined by [`record!`].
pub(crate) trait Record: FromRow {
    /// The table.
    const TABLE: &'static str;
    /// The columns with the alias of the table, in the order of the fields.
    const COLUMNS: &'static str;
    /// The beginning of a query for records: `SELECT columns FROM table alias`.
    const SELECT: &'static str;
}

/// A record that is defined with `insert`, so that [`insert!`] can store it.
pub(crate) trait Insert: Record + ToRow {
    /// The columns without an alias, in the order of the fields.
    const NAMES: &'static str;
    /// Number of columns.
    const COUNT: usize;

    /// Returns the values of the columns, in order.
    fn values(&self) -> Vec<Value<'_>> {
        let mut values = Vec::with_capacity(Self::COUNT);
        self.append_to(&mut values);
        values
    }
}

/// The columns of a row, read one after another.
#[derive(Debug)]
pub(crate) struct Columns<'a, 'r> {
    row: &'a Row<'r>,
    next: usize,
}

impl Columns<'_, '_> {
    /// Reads the next value.
    pub(crate) fn read<T: FromRow>(&mut self) -> Result<T, StoreError> {
        T::from_columns(self)
    }
}

impl<T: FromColumn> FromRow for T {
    fn from_columns(columns: &mut Columns<'_, '_>) -> Result<Self, StoreError> {
        let index = columns.next;
        columns.next += 1;
        columns.row.get(index)
    }
}

impl<T> ToRow for T
where
    for<'a> Value<'a>: From<&'a T>,
{
    fn append_to<'a>(&'a self, values: &mut Vec<Value<'a>>) {
        values.push(Value::from(self));
    }
}

impl<T> ToRow for Option<T>
where
    for<'a> Value<'a>: From<&'a T>,
{
    fn append_to<'a>(&'a self, values: &mut Vec<Value<'a>>) {
        values.push(self.as_ref().map_or(Value::Null, Value::from));
    }
}

macro_rules! tuples {
    ($(($($name:ident),+)),+) => {$(
        impl<$($name: FromRow),+> FromRow for ($($name,)+) {
            fn from_columns(columns: &mut Columns<'_, '_>) -> Result<Self, StoreError> {
                Ok(($(columns.read::<$name>()?,)+))
            }
        }
    )+};
}

tuples!((A, B), (A, B, C), (A, B, C, D));

/// Defines a struct that is read from the columns of a table:
///
/// ```text
/// record! {
///     /// A user as stored.
///     pub struct User in users as u, insert {
///         /// The id.
///         pub id: UserId,
///         /// The person who invited them.
///         pub inviter: UserId = invited_by,
///     }
/// }
/// ```
///
/// The columns have the names of the fields, in the order of the fields, unless a field states
/// otherwise: `= name` is another name, `= (a, b)` are the columns of a type that reads several,
/// `= *` are the columns of a field that is a record itself, and `= "…"` is an SQL expression.
/// With `insert`, every field must be a plain column or a record with `insert`.
macro_rules! record {
    (
        $(#[$attribute:meta])*
        $visibility:vis struct $name:ident in $table:ident as $alias:ident, insert {
            $($fields:tt)+
        }
    ) => {
        $crate::record::record! {
            $(#[$attribute])*
            $visibility struct $name in $table as $alias { $($fields)+ }
        }
        $crate::record::insertable! { $name { $($fields)+ } }
    };
    (
        $(#[$attribute:meta])*
        $visibility:vis struct $name:ident in $table:ident as $alias:ident {
            $(
                $(#[$doc:meta])*
                $field_visibility:vis $field:ident: $type:ty $(= $column:tt)?
            ),+ $(,)?
        }
    ) => {
        $(#[$attribute])*
        $visibility struct $name {
            $($(#[$doc])* $field_visibility $field: $type,)+
        }

        impl $crate::record::FromRow for $name {
            fn from_columns(
                columns: &mut $crate::record::Columns<'_, '_>,
            ) -> Result<Self, $crate::StoreError> {
                // The fields are read in the order in which they are written.
                Ok(Self { $($field: columns.read::<$type>()?,)+ })
            }
        }

        impl $crate::record::Record for $name {
            const TABLE: &'static str = stringify!($table);
            const COLUMNS: &'static str = $crate::record::join!(
                ", "; $($crate::record::columns!($alias $field, $type, $($column)?)),+
            );
            const SELECT: &'static str = $crate::record::sql!(
                "SELECT ",
                <$name as $crate::record::Record>::COLUMNS,
                concat!(" FROM ", stringify!($table), " ", stringify!($alias)),
            );
        }
    };
}

/// Implements [`Insert`] for a record.
macro_rules! insertable {
    ($name:ident {
        $(
            $(#[$doc:meta])*
            $field_visibility:vis $field:ident: $type:ty $(= $column:tt)?
        ),+ $(,)?
    }) => {
        impl $crate::record::ToRow for $name {
            fn append_to<'a>(&'a self, values: &mut Vec<$crate::Value<'a>>) {
                $($crate::record::ToRow::append_to(&self.$field, values);)+
            }
        }

        impl $crate::record::Insert for $name {
            const NAMES: &'static str = $crate::record::join!(
                ", "; $($crate::record::names!($field, $type, $($column)?)),+
            );
            const COUNT: usize = 0 $(+ $crate::record::count!($type, $($column)?))+;
        }
    };
}

/// Returns the columns of a field with the alias of their table.
macro_rules! columns {
    ($alias:ident $field:ident, $type:ty,) => {
        concat!(stringify!($alias), ".", stringify!($field))
    };
    ($alias:ident $field:ident, $type:ty, *) => {
        <$type as $crate::record::Record>::COLUMNS
    };
    ($alias:ident $field:ident, $type:ty, ($($name:tt),+)) => {
        $crate::record::join!(", "; $(concat!(stringify!($alias), ".", stringify!($name))),+)
    };
    ($alias:ident $field:ident, $type:ty, $expression:literal) => {
        $expression
    };
    ($alias:ident $field:ident, $type:ty, $name:tt) => {
        concat!(stringify!($alias), ".", stringify!($name))
    };
}

/// Returns the columns of a field without an alias.
macro_rules! names {
    ($field:ident, $type:ty,) => {
        stringify!($field)
    };
    ($field:ident, $type:ty, *) => {
        <$type as $crate::record::Insert>::NAMES
    };
    ($field:ident, $type:ty, ($($name:tt),+)) => {
        $crate::record::join!(", "; $(stringify!($name)),+)
    };
    ($field:ident, $type:ty, $name:tt) => {
        stringify!($name)
    };
}

/// Returns the number of columns of a field.
macro_rules! count {
    ($type:ty, *) => {
        <$type as $crate::record::Insert>::COUNT
    };
    ($type:ty, ($($name:tt),+)) => {{
        const NAMES: &[&str] = &[$(stringify!($name)),+];
        NAMES.len()
    }};
    ($type:ty, $($name:tt)?) => {
        1
    };
}

/// Returns the statement that inserts a record and the columns named after it:
/// `insert!(User, email_folded)`. Its parameters are [`Insert::values`] and the further values.
macro_rules! insert {
    ($record:ty $(, $further:ident)* $(,)?) => {{
        const FURTHER: &[&str] = &[$(stringify!($further)),*];
        $crate::record::sql!(
            "INSERT INTO ",
            <$record as $crate::record::Record>::TABLE,
            " (",
            <$record as $crate::record::Insert>::NAMES,
            $(", ", stringify!($further),)*
            ") VALUES (",
            $crate::record::numbered(
                <$record as $crate::record::Insert>::COUNT + FURTHER.len(),
            ),
            ")",
        )
    }};
}

/// Concatenates constant texts into one constant statement.
macro_rules! sql {
    ($($part:expr),+ $(,)?) => {
        $crate::record::join!(""; $($part),+)
    };
}

/// Joins constant texts into one constant text.
macro_rules! join {
    ($separator:literal; $($part:expr),+ $(,)?) => {{
        const PARTS: &[&str] = &[$($part),+];
        const BYTES: [u8; $crate::record::joined_len(PARTS, $separator)] =
            $crate::record::joined(PARTS, $separator);
        const TEXT: &str = $crate::record::text(&BYTES);
        TEXT
    }};
}

pub(crate) use {columns, count, insert, insertable, join, names, record, sql};

const PLACEHOLDERS: &str = "$1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, \
     $16, $17, $18, $19, $20, $21, $22, $23, $24, $25, $26, $27, $28, $29, $30, $31, $32, $33, \
     $34, $35, $36, $37, $38, $39, $40";

/// Returns the placeholders from 1 to `count`, such as `$1, $2`. Evaluated by the compiler, as are
/// the functions below.
pub(crate) const fn numbered(count: usize) -> &'static str {
    // A placeholder and its separator have 4 bytes up to the ninth, and then 5.
    let len = if count < 10 { 4 * count - 2 } else { 5 * count - 11 };
    PLACEHOLDERS.split_at(len).0
}

/// Returns the length of joined texts in bytes.
pub(crate) const fn joined_len(parts: &[&str], separator: &str) -> usize {
    let mut len = 0;
    let mut at = 0;
    while at < parts.len() {
        if at > 0 {
            len += separator.len();
        }
        len += parts[at].len();
        at += 1;
    }
    len
}

/// Returns the bytes of joined texts.
pub(crate) const fn joined<const N: usize>(parts: &[&str], separator: &str) -> [u8; N] {
    let mut bytes = [0; N];
    let mut end = 0;
    let mut at = 0;
    while at < parts.len() {
        if at > 0 {
            end = copy(separator, &mut bytes, end);
        }
        end = copy(parts[at], &mut bytes, end);
        at += 1;
    }
    bytes
}

/// Copies a text to a position and returns the position after it.
const fn copy(text: &str, to: &mut [u8], start: usize) -> usize {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        to[start + at] = bytes[at];
        at += 1;
    }
    start + bytes.len()
}

/// Returns the text of bytes that were joined from texts.
pub(crate) const fn text(bytes: &'static [u8]) -> &'static str {
    match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(_) => panic!("joined texts are UTF-8"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::row::Source;

    record! {
        /// Columns of the author of a note.
        #[derive(Debug)]
        struct Author in notes as n, insert {
            user: String = user_id,
        }
    }

    record! {
        /// A note with columns of every form.
        #[derive(Debug)]
        struct Note in notes as n, insert {
            id: i64,
            kind: String = type,
            author: Author = *,
            text: Option<String>,
        }
    }

    record! {
        /// A note with a computed column.
        #[derive(Debug)]
        struct NoteLength in notes as n {
            id: i64,
            length: i64 = "LENGTH(n.text)",
        }
    }

    #[test]
    fn statements_follow_from_the_definition() {
        assert_eq!(Note::SELECT, "SELECT n.id, n.type, n.user_id, n.text FROM notes n");
        assert_eq!(NoteLength::SELECT, "SELECT n.id, LENGTH(n.text) FROM notes n");
        assert_eq!(
            insert!(Note, text_folded),
            "INSERT INTO notes (id, type, user_id, text, text_folded) VALUES ($1, $2, $3, $4, $5)"
        );
        assert_eq!(sql!(NoteLength::COLUMNS, " …"), "n.id, LENGTH(n.text) …");
    }

    #[test]
    fn columns_are_read_in_order() {
        let connection = rusqlite::Connection::open_in_memory().unwrap();
        let (first, length, last) = connection
            .query_row("SELECT 5, 1, 2, 'x'", [], |row| {
                Ok(<(i64, NoteLength, String)>::from_row(&Row(Source::Sqlite(row))).unwrap())
            })
            .unwrap();
        assert_eq!((first, length.id, length.length, last.as_str()), (5, 1, 2, "x"));
    }

    #[test]
    fn values_are_in_the_order_of_the_columns() {
        let author = Author { user: "u".to_owned() };
        let note = Note { id: 7, kind: "k".to_owned(), author, text: None };
        let expect = [Value::Int(7), Value::from("k"), Value::from("u"), Value::Null];
        assert_eq!(note.values(), expect);
    }

    #[test]
    fn placeholders_are_numbered_from_one() {
        for (count, expect) in [(1, "$1"), (2, "$1, $2")] {
            assert_eq!(numbered(count), expect);
        }
        for count in [9, 10, 11, 32] {
            assert!(numbered(count).ends_with(&format!(", ${count}")), "{count}");
        }
    }
}
