//! Arbitrary blocks, nested as in section 6 of the dialect.

use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Map, Value};

use super::inline::{self, LineContext, image_reference, line, name, node, reference, value};
use super::table::table;
use super::world::{self, FILES, REUSABLE, SPACE};
use crate::document::{
    Align, Block, BlockKind, Code, CodeLine, Column, Embed, Expandable, FileBlock, Heading, Hint,
    HintStyle, Image, Images, InlineKind, Integration, Length, ListItem, Node, OpenApi,
    OpenApiPart, Paragraph, Step, Tab,
};
use crate::reference::ContentRef;

fn flag() -> impl Strategy<Value = Option<bool>> {
    prop::option::weighted(0.3, any::<bool>())
}

fn align() -> impl Strategy<Value = Option<Align>> {
    prop::option::weighted(0.15, select(vec![Align::Start, Align::Center, Align::End]))
}

/// A paragraph. A paragraph with only an image or a formula is excluded, as it would be a block of
/// another type.
pub(super) fn paragraph(context: LineContext) -> impl Strategy<Value = Block> {
    let is_own = |nodes: &Vec<_>| match nodes.as_slice() {
        [Node { kind, .. }] => matches!(kind, InlineKind::Image(_) | InlineKind::Math { .. }),
        _ => false,
    };
    line(context)
        .prop_filter("a paragraph", move |nodes| !is_own(nodes))
        .prop_map(|nodes| node(BlockKind::Paragraph(Paragraph { align: None, nodes })))
}

fn empty() -> Block {
    node(BlockKind::Paragraph(Paragraph::default()))
}

fn aligned() -> impl Strategy<Value = Block> {
    (paragraph(LineContext::Line), align()).prop_map(|(mut block, align)| {
        if let BlockKind::Paragraph(paragraph) = &mut block.kind {
            paragraph.align = align;
        }
        block
    })
}

fn heading() -> impl Strategy<Value = Block> {
    let id = prop::option::weighted(0.2, "[a-z0-9][a-z0-9.+_-]{0,8}");
    (1_u8..=3, id, align(), line(LineContext::Line)).prop_map(|(level, id, align, nodes)| {
        let heading = Heading { level, id, anchor: String::new(), align, nodes };
        node(BlockKind::Heading(Box::new(heading)))
    })
}

pub(super) fn code() -> impl Strategy<Value = Block> {
    let text = prop_oneof![
        3 => "[ -~]{0,20}",
        1 => select(vec!["```", "~~~~", "{% endcode %}", "</code></pre>", "\tx", "", "é 日本"])
            .prop_map(str::to_owned),
    ];
    let code_line = |highlighted: f64| {
        (text.clone(), prop::bool::weighted(highlighted))
            .prop_map(|(text, highlighted)| node(CodeLine { highlighted, text, rich: Vec::new() }))
    };
    let lines = prop_oneof![
        4 => prop::collection::vec(code_line(0.0), 1..4),
        1 => prop::collection::vec(code_line(0.3), 1..4),
    ];
    let said = prop::option::weighted(0.2, value());
    let count = prop::option::weighted(0.1, 1_u64..40);
    let flags = (flag(), flag(), flag(), flag());
    (prop::option::of(name()), said, flags, count, lines).prop_map(
        |(syntax, title, (wrap, line_numbers, full_width, expandable), count, lines)| {
            let is_marked = lines.iter().any(|line| line.kind.highlighted);
            let code = Code {
                syntax,
                title,
                wrap,
                line_numbers,
                full_width,
                expandable,
                // Code with highlighted lines has no syntax for this attribute.
                collapsed_line_count: count.filter(|_| !is_marked),
                lines,
            };
            node(BlockKind::Code(Box::new(code)))
        },
    )
}

fn caption() -> impl Strategy<Value = Vec<crate::document::Inline>> {
    prop_oneof![2 => Just(Vec::new()), 1 => line(LineContext::Plain)]
}

pub(super) fn length() -> impl Strategy<Value = Length> {
    let value = select(vec![50.0, 375.0, 41.66, 33.333333]);
    (value, any::<bool>())
        .prop_map(|(value, is_share)| Length { value, unit: is_share.then(|| "%".to_owned()) })
}

fn images() -> impl Strategy<Value = Block> {
    let size = || prop::option::weighted(0.3, length());
    let image = (
        image_reference(),
        prop::option::weighted(0.2, image_reference()),
        prop::option::of(value()),
    );
    let image = (image, size(), size(), caption());
    let image = image.prop_map(|((reference, dark, alt), width, height, caption)| {
        node(Image { reference, dark, alt, width, height, caption })
    });
    (align(), flag(), flag(), prop::collection::vec(image, 1..3)).prop_map(
        |(align, full_width, with_frame, images)| {
            node(BlockKind::Images(Box::new(Images { align, full_width, with_frame, images })))
        },
    )
}

fn open_api() -> impl Strategy<Value = Block> {
    let method = || select(vec!["get", "post"]).prop_map(str::to_owned);
    let path = || "/[a-z]{1,5}(/\\{[a-z]{1,3}\\})?";
    let spec = |spec: &str| world::reference(ContentRef::OpenApi { spec: spec.to_owned() });
    let file = |id: &str| world::reference(ContentRef::File { file: id.to_owned() });
    let [_, _, (_, spec_file)] = FILES;
    let swagger =
        (path(), method(), flag(), flag()).prop_map(move |(path, method, expanded, full_width)| {
            (OpenApiPart::Swagger { path, method, expanded, full_width }, file(spec_file))
        });
    let operation = (path(), method()).prop_map(move |(path, method)| {
        (OpenApiPart::Operation { path, method }, spec("petstore"))
    });
    let names = prop::collection::vec("[A-Z][a-zA-Z]{1,5}", 1..3);
    let schemas = (names, flag())
        .prop_map(move |(schemas, grouped)| (OpenApiPart::Schemas { schemas, grouped }, spec("s")));
    let webhook = (name(), method())
        .prop_map(move |(name, method)| (OpenApiPart::Webhook { name, method }, spec("s")));
    prop_oneof![swagger, operation, schemas, webhook].prop_map(|(part, reference)| {
        node(BlockKind::OpenApi(Box::new(OpenApi { part, reference, anchor: String::new() })))
    })
}

fn integration() -> impl Strategy<Value = Block> {
    let props = prop::collection::vec(("[a-z]{1,6}", value()), 0..3);
    (name(), name(), props, flag()).prop_map(|(integration, block, props, full_width)| {
        let props: Map<String, Value> =
            props.into_iter().map(|(name, value)| (name, Value::String(value))).collect();
        let url = props.get("url").and_then(Value::as_str).map(str::to_owned);
        let block = Integration { integration, block, props, url, full_width };
        node(BlockKind::Integration(Box::new(block)))
    })
}

/// Source that is kept verbatim.
fn opaque() -> impl Strategy<Value = Block> {
    let source = select(vec![
        "{% raw %}{{ a }}{% endraw %}",
        "<!-- a comment -->",
        "<iframe src=\"x\"></iframe>",
        "{% filename %}",
    ]);
    source.prop_filter_map("one block", |source| super::parse(source).nodes.pop())
}

fn leaf() -> BoxedStrategy<Block> {
    let file = (select(FILES.to_vec()), caption()).prop_map(|((_, id), caption)| {
        let reference = world::reference(ContentRef::File { file: id.to_owned() });
        BlockKind::File(Box::new(FileBlock { reference, caption }))
    });
    let embed = ("https://[a-z]{1,5}\\.com/[a-zA-Z0-9=&?_-]{0,8}", flag(), caption()).prop_map(
        |(url, full_width, caption)| BlockKind::Embed(Box::new(Embed { url, full_width, caption })),
    );
    let reusable = any::<bool>().prop_map(|is_own| {
        let target = ContentRef::ReusableContent {
            reusable_content: if is_own { REUSABLE.1 } else { "other" }.to_owned(),
            space: (!is_own).then(|| SPACE.to_owned()),
        };
        BlockKind::ReusableContent(Box::new(world::reference(target)))
    });
    let drawing = select(FILES.to_vec()).prop_map(|(_, id)| {
        let target = ContentRef::File { file: id.to_owned() };
        BlockKind::Drawing(Box::new(world::reference(target)))
    });
    prop_oneof![
        8 => paragraph(LineContext::Paragraph),
        1 => aligned(),
        1 => Just(empty()),
        2 => heading(),
        3 => code(),
        1 => inline::formula().prop_map(|formula| node(BlockKind::Math { formula })),
        1 => Just(node(BlockKind::Divider)),
        2 => images(),
        1 => file.prop_map(node),
        1 => embed.prop_map(node),
        1 => drawing.prop_map(node),
        1 => reference().prop_map(|target| node(BlockKind::ContentRef(Box::new(target)))),
        1 => reusable.prop_map(node),
        1 => open_api(),
        1 => integration(),
        1 => opaque(),
    ]
    .boxed()
}

fn list(item: impl Strategy<Value = Vec<Block>> + Clone + 'static) -> BoxedStrategy<Block> {
    let items = move |checked: BoxedStrategy<Option<bool>>| {
        let item =
            (checked, item.clone()).prop_map(|(checked, nodes)| node(ListItem { checked, nodes }));
        prop::collection::vec(item, 1..4)
    };
    let plain = items(Just(None).boxed());
    let start = prop_oneof![3 => Just(1_u64), 1 => 0_u64..1000];
    prop_oneof![
        2 => plain.clone().prop_map(|items| BlockKind::UnorderedList { items }),
        2 => (start, plain).prop_map(|(start, items)| BlockKind::OrderedList { start, items }),
        1 => items(any::<bool>().prop_map(Some).boxed())
            .prop_map(|items| BlockKind::TaskList { items }),
    ]
    .prop_map(node)
    .boxed()
}

/// The content of a note.
pub(super) fn note_body() -> BoxedStrategy<Vec<Block>> {
    let text = || paragraph(LineContext::Plain);
    let more = prop_oneof![
        3 => text(),
        1 => list(text().prop_map(|block| vec![block]).boxed()),
        1 => code(),
    ];
    (text(), prop::collection::vec(more, 0..2))
        .prop_map(|(first, mut more)| {
            more.insert(0, first);
            more
        })
        .boxed()
}

/// A container of arbitrary blocks.
fn container(inner: BoxedStrategy<Block>) -> BoxedStrategy<Block> {
    let blocks = move || prop::collection::vec(inner.clone(), 1..4);
    let style =
        select(vec![HintStyle::Info, HintStyle::Warning, HintStyle::Danger, HintStyle::Success]);
    let hint = (style, prop::option::weighted(0.2, name()), blocks())
        .prop_map(|(style, icon, nodes)| BlockKind::Hint(Box::new(Hint { style, icon, nodes })));
    let expandable =
        (any::<bool>(), line(LineContext::Plain), blocks()).prop_map(|(open, title, nodes)| {
            let anchor = String::new();
            BlockKind::Expandable(Box::new(Expandable { anchor, open, title, nodes }))
        });
    let tab = (prop::option::of(value()), prop::option::weighted(0.2, name()), blocks());
    let tab = tab
        .prop_map(|(title, icon, nodes)| node(Tab { anchor: String::new(), title, icon, nodes }));
    let tabs = (flag(), prop::collection::vec(tab, 1..3))
        .prop_map(|(full_width, items)| BlockKind::Tabs { full_width, items });
    let step = (prop::option::weighted(0.2, name()), blocks())
        .prop_map(|(icon, nodes)| node(Step { icon, nodes }));
    let stepper = prop::collection::vec(step, 1..3).prop_map(|steps| BlockKind::Stepper { steps });
    let vertical = select(vec!["top", "middle", "bottom"]).prop_map(str::to_owned);
    let column = (prop::option::of(length()), prop::option::of(vertical), blocks());
    let column = column.prop_map(|(width, vertical_alignment, nodes)| {
        node(Column { width, vertical_alignment, nodes })
    });
    let columns = (flag(), prop::collection::vec(column, 1..3))
        .prop_map(|(full_width, columns)| BlockKind::Columns { full_width, columns });
    let condition = (inline::expression(), blocks())
        .prop_map(|(expression, nodes)| BlockKind::If { expression, nodes });
    let item = (paragraph(LineContext::Paragraph), blocks(), any::<bool>()).prop_map(
        |(first, mut more, is_tight)| {
            if is_tight {
                more.clear();
            }
            more.insert(0, first);
            more
        },
    );
    prop_oneof![
        4 => list(item.boxed()),
        2 => blocks().prop_map(|nodes| node(BlockKind::Quote { nodes })),
        3 => hint.prop_map(node),
        2 => expandable.prop_map(node),
        2 => tabs.prop_map(node),
        2 => stepper.prop_map(node),
        1 => columns.prop_map(node),
        1 => condition.prop_map(node),
    ]
    .boxed()
}

/// An arbitrary block.
pub(super) fn block() -> BoxedStrategy<Block> {
    let simple = prop_oneof![9 => leaf(), 1 => table()];
    simple
        .prop_recursive(3, 12, 3, |inner| prop_oneof![2 => inner.clone(), 1 => container(inner)])
        .boxed()
}
