//! Arbitrary tables: grids and cards, with columns of every type.

use proptest::prelude::*;
use proptest::sample::select;

use super::block::{code, paragraph};
use super::inline::{LineContext, image_reference, node, reference, value};
use super::world::{self, FILES};
use crate::document::{
    Block, BlockKind, Cell, ColumnKind, ColumnRole, Key, ListItem, Row, SelectOption, Table,
    TableColumn, View,
};
use crate::reference::ContentRef;
use crate::source::Span;

fn kind() -> impl Strategy<Value = ColumnKind> {
    let text = (
        select(vec!["left", "center", "right"]),
        prop::option::weighted(0.1, select(vec!["top", "middle", "bottom"])),
    );
    let option = ("[a-z0-9]{3,6}", value(), select(vec!["blue", "red"]))
        .prop_map(|(value, label, color)| SelectOption { value, label, color: color.to_owned() });
    let options = prop::collection::vec(option, 1..3).prop_map(|mut options| {
        options.dedup_by(|a, b| a.value == b.value);
        options
    });
    prop_oneof![
        8 => text.prop_map(|(align, vertical)| ColumnKind::Text { align, vertical }),
        1 => Just(ColumnKind::Number),
        1 => Just(ColumnKind::Checkbox),
        1 => (3_u8..9).prop_map(|max| ColumnKind::Rating { max: f64::from(max) }),
        1 => Just(ColumnKind::Files),
        1 => Just(ColumnKind::Image),
        1 => Just(ColumnKind::ContentRef),
        1 => any::<bool>().prop_map(|multiple| ColumnKind::Users { multiple }),
        1 => (any::<bool>(), options)
            .prop_map(|(multiple, options)| ColumnKind::Select { multiple, options }),
    ]
}

/// The blocks of a cell: paragraphs, lists and code.
fn cell_blocks() -> impl Strategy<Value = Vec<Block>> {
    let text = || paragraph(LineContext::Line);
    let item = text().prop_map(|block| node(ListItem { checked: None, nodes: vec![block] }));
    let items = prop::collection::vec(item, 1..3);
    let list = (any::<bool>(), items).prop_map(|(is_ordered, items)| {
        node(if is_ordered {
            BlockKind::OrderedList { start: 1, items }
        } else {
            BlockKind::UnorderedList { items }
        })
    });
    prop_oneof![
        6 => text().prop_map(|block| vec![block]),
        1 => (text(), text()).prop_map(|(first, second)| vec![first, second]),
        1 => (text(), list).prop_map(|(first, list)| vec![first, list]),
        1 => (text(), code()).prop_map(|(first, code)| vec![first, code]),
        1 => (code(), text()).prop_map(|(code, last)| vec![code, last]),
    ]
}

fn cell(kind: &ColumnKind) -> BoxedStrategy<Cell> {
    let value = match kind {
        ColumnKind::Text { .. } => {
            cell_blocks().prop_map(|nodes| Cell::Text { key: Key::default(), nodes }).boxed()
        }
        ColumnKind::Number => {
            select(vec![0.0, 1.5, -3.0, 1_000_000.0]).prop_map(Cell::Number).boxed()
        }
        ColumnKind::Rating { .. } => (0_u8..5).prop_map(|n| Cell::Number(f64::from(n))).boxed(),
        ColumnKind::Checkbox => any::<bool>().prop_map(Cell::Checkbox).boxed(),
        ColumnKind::Files => prop::collection::vec(select(FILES.to_vec()), 1..3)
            .prop_map(|files| {
                let files =
                    files.into_iter().map(|(_, id)| ContentRef::File { file: id.to_owned() });
                Cell::References(files.map(world::reference).collect())
            })
            .boxed(),
        ColumnKind::Users { multiple } => {
            let most = if *multiple { 3 } else { 1 };
            prop::collection::vec("[a-zA-Z0-9]{4,8}", 1..=most)
                .prop_map(|users| {
                    let users = users.into_iter().map(|user| ContentRef::User { user });
                    Cell::References(users.map(world::reference).collect())
                })
                .boxed()
        }
        ColumnKind::Image => (
            image_reference(),
            prop::option::of(select(vec!["contain", "fill", "cover"])),
            prop::option::weighted(0.2, value()),
        )
            .prop_map(|(reference, fit, alt)| Cell::Image {
                reference: Box::new(reference),
                object_fit: fit.map(str::to_owned),
                alt,
            })
            .boxed(),
        ColumnKind::ContentRef => reference().prop_map(|r| Cell::Reference(Box::new(r))).boxed(),
        ColumnKind::Select { multiple, options } => {
            let values: Vec<String> = options.iter().map(|option| option.value.clone()).collect();
            let most = if *multiple { values.len() } else { 1 };
            prop::sample::subsequence(values, 1..=most).prop_map(Cell::Values).boxed()
        }
    };
    prop_oneof![1 => Just(Cell::Empty), 5 => value].boxed()
}

fn column(kind: ColumnKind, said: (String, Option<f64>, bool)) -> TableColumn {
    let (title, width, hidden) = said;
    TableColumn { id: String::new(), title, kind, width, hidden, role: None }
}

/// A table whose columns have ids in order, so that tables with equal content are equal values.
pub(super) fn table() -> BoxedStrategy<Block> {
    let width = prop::option::weighted(0.1, select(vec![120.0, 88.0742, 300.5]));
    let said = (value(), width, prop::bool::weighted(0.1));
    let columns = prop::collection::vec((kind(), said), 1..4);
    let flag = || prop::option::weighted(0.2, any::<bool>());
    let cards = (any::<bool>(), flag(), flag()).prop_map(|(large, hide_column_title, wrap)| {
        View::Cards { large, hide_column_title, wrap }
    });
    let grid = prop::bool::weighted(0.1).prop_map(|hide_header| View::Grid { hide_header });
    let view = prop_oneof![2 => grid, 1 => cards];
    (columns, view, flag(), flag(), 0_usize..4)
        .prop_flat_map(|(columns, view, full_width, search, rows)| {
            let mut columns: Vec<TableColumn> =
                columns.into_iter().map(|(kind, said)| column(kind, said)).collect();
            finish(&mut columns, view);
            let row: Vec<_> = columns.iter().map(|column| cell(&column.kind)).collect();
            let rows = prop::collection::vec(row, rows);
            (Just(columns), rows, Just((view, full_width, search)))
        })
        .prop_map(|(columns, rows, (view, full_width, search))| {
            let rows = rows.into_iter().enumerate().map(|(n, cells)| Row {
                id: format!("row-{n}"),
                span: Span::default(),
                cells,
            });
            let table = Table { view, columns, rows: rows.collect(), full_width, search };
            node(BlockKind::Table(Box::new(table)))
        })
        .boxed()
}

/// Assigns ids, and the roles of columns in a view of cards.
fn finish(columns: &mut [TableColumn], view: View) {
    let mut roles = vec![ColumnRole::Target, ColumnRole::CoverDark, ColumnRole::Cover];
    for (n, column) in columns.iter_mut().enumerate() {
        column.id = format!("column-{n}");
        match view {
            View::Grid { .. } => {}
            View::Cards { .. } => {
                column.width = None;
                let fits = |role: &ColumnRole| match role {
                    ColumnRole::Target => column.kind == ColumnKind::ContentRef,
                    ColumnRole::Cover | ColumnRole::CoverDark => column.kind == ColumnKind::Image,
                };
                if let Some(at) = roles.iter().rposition(fits) {
                    column.role = Some(roles.remove(at));
                }
            }
        }
    }
}
