//! One row of a query result, the same on both engines.

use rusqlite::types::ValueRef;
use tokio_postgres::types::{FromSql, Type};

use crate::{Column, FromColumn, StoreError};

/// A row. Columns are read by their index in the statement, from 0.
#[derive(Debug)]
pub struct Row<'a>(pub(crate) Source<'a>);

pub(crate) enum Source<'a> {
    Sqlite(&'a rusqlite::Row<'a>),
    Postgres(&'a tokio_postgres::Row),
}

impl std::fmt::Debug for Source<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("row")
    }
}

impl Row<'_> {
    /// Reads a column as the type `T`.
    ///
    /// # Errors
    /// Returns [`StoreError::Column`] if the column has another type or does not exist.
    pub fn get<T: FromColumn>(&self, index: usize) -> Result<T, StoreError> {
        let column = self.column(index)?;
        T::from_column(column).ok_or_else(|| StoreError::Column {
            index,
            // Errors are logged, so they omit values that may be secrets.
            found: match column {
                Column::Null => "null".to_owned(),
                Column::Int(_) => "a number".to_owned(),
                Column::Text(text) if T::SHOWS_TEXT => format!("{text:?}"),
                Column::Text(text) => format!("text of {} bytes", text.len()),
                Column::Blob(bytes) => format!("{} bytes", bytes.len()),
            },
            expected: T::EXPECTED,
        })
    }

    /// Reads a column without copying it.
    ///
    /// # Errors
    /// Returns [`StoreError::Column`] if the column does not exist or its type is not supported.
    pub fn column(&self, index: usize) -> Result<Column<'_>, StoreError> {
        let unknown = |found: String| StoreError::Column {
            index,
            found,
            expected: "a number, text or bytes",
        };
        match &self.0 {
            Source::Sqlite(row) => match row.get_ref(index)? {
                ValueRef::Null => Ok(Column::Null),
                ValueRef::Integer(value) => Ok(Column::Int(value)),
                ValueRef::Text(text) => std::str::from_utf8(text)
                    .map(Column::Text)
                    .map_err(|_| unknown("text that is not UTF-8".to_owned())),
                ValueRef::Blob(bytes) => Ok(Column::Blob(bytes)),
                ValueRef::Real(_) => Err(unknown("a floating-point number".to_owned())),
            },
            Source::Postgres(row) => {
                let ty = row
                    .columns()
                    .get(index)
                    .map(tokio_postgres::Column::type_)
                    .ok_or_else(|| unknown("not in the result".to_owned()))?;
                postgres(row, index, ty)?.ok_or_else(|| unknown(ty.to_string()))
            }
        }
    }
}

fn postgres<'a>(
    row: &'a tokio_postgres::Row,
    index: usize,
    ty: &Type,
) -> Result<Option<Column<'a>>, StoreError> {
    fn read<'a, T: FromSql<'a>>(
        row: &'a tokio_postgres::Row,
        index: usize,
        column: impl FnOnce(T) -> Column<'a>,
    ) -> Result<Option<Column<'a>>, StoreError> {
        let value: Option<T> = row.try_get(index).map_err(|e| crate::postgres::error(&e))?;
        Ok(Some(value.map_or(Column::Null, column)))
    }

    match *ty {
        Type::INT8 => read(row, index, Column::Int),
        Type::INT4 => read(row, index, |value: i32| Column::Int(value.into())),
        Type::INT2 => read(row, index, |value: i16| Column::Int(value.into())),
        Type::BOOL => read(row, index, |value: bool| Column::Int(value.into())),
        Type::BYTEA => read(row, index, Column::Blob),
        _ if <&str as FromSql<'_>>::accepts(ty) => read(row, index, Column::Text),
        _ => Ok(None),
    }
}
