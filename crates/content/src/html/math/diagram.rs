//! Commutative diagrams: the environment `CD` of the package `amscd`.

use super::source::{Cursor, Token};

/// The kind of an arrow: the character that follows `@` and ends both of its labels, and the command
/// that draws it.
const LABELLED: &[(char, &str)] =
    &[('>', "xrightarrow"), ('<', "xleftarrow"), ('V', "downarrow"), ('A', "uparrow")];

/// Returns the array that draws a diagram, or `None` if the source is not a diagram.
///
/// The objects of a row and the arrows between them are cells. An arrow between two rows is in the
/// column of the objects that it connects, so the cell that follows it is empty.
pub(super) fn array(source: &str) -> Option<String> {
    let mut rows = Vec::new();
    let mut row = Row::default();
    let mut cursor = Cursor::new(source);
    while !cursor.is_empty() {
        let before = cursor.rest();
        match cursor.next()? {
            Token::Command("\\" | "cr") => rows.push(std::mem::take(&mut row).finish()),
            Token::Character('@') => row.arrow(&mut cursor)?,
            Token::Space if row.cell.is_empty() => {}
            _ => row.cell.push_str(before.get(..before.len() - cursor.rest().len())?),
        }
    }
    rows.push(row.finish());
    let columns = rows.iter().map(Vec::len).max()?;
    let lines: Vec<String> = rows.iter().map(|cells| cells.join("&")).collect();
    let columns = "c".repeat(columns);
    Some(format!("\\begin{{array}}{{{columns}}}{}\\end{{array}}", lines.join("\\\\")))
}

/// The cells of a row, and the cell that is being read.
#[derive(Default)]
struct Row {
    cells: Vec<String>,
    cell: String,
}

impl Row {
    fn arrow(&mut self, cursor: &mut Cursor<'_>) -> Option<()> {
        let Token::Character(kind) = cursor.next()? else { return None };
        let is_between_rows = matches!(kind, 'V' | 'A' | '|')
            || kind == '.' && self.cell.is_empty() && self.cells.len().is_multiple_of(2);
        let drawn = match kind {
            '=' => "\\xlongequal{\\quad}".to_owned(),
            '|' => "\\Big\\Vert".to_owned(),
            '.' => String::new(),
            _ => {
                let (_, command) = LABELLED.iter().find(|(known, _)| *known == kind)?;
                let (first, second) = (label(kind, cursor)?, label(kind, cursor)?);
                if is_between_rows {
                    format!("{{\\scriptstyle {first}}}\\Big\\{command}{{\\scriptstyle {second}}}")
                } else if second.trim().is_empty() {
                    format!("\\{command}{{\\;{first}\\;}}")
                } else {
                    format!("\\{command}[{{\\;{second}\\;}}]{{\\;{first}\\;}}")
                }
            }
        };
        if is_between_rows {
            self.cell.clear();
            self.cells.extend([drawn, String::new()]);
        } else {
            self.cells.extend([std::mem::take(&mut self.cell), drawn]);
        }
        Some(())
    }

    fn finish(mut self) -> Vec<String> {
        self.cells.push(self.cell);
        let used = self.cells.iter().rposition(|cell| !cell.trim().is_empty());
        self.cells.truncate(used.map_or(0, |at| at + 1));
        self.cells
    }
}

/// Returns the label of an arrow, which ends with the character of the arrow.
fn label<'s>(kind: char, cursor: &mut Cursor<'s>) -> Option<&'s str> {
    let start = cursor.rest();
    loop {
        let before = cursor.rest();
        if cursor.next()? == Token::Character(kind) {
            return start.get(..start.len() - before.len());
        }
    }
}
