//! Arbitrary inlines.

use std::sync::Arc;

use proptest::prelude::*;
use proptest::sample::select;

use super::block;
use super::world::{self, FILES, PAGES, SPACE, SPACE_PAGE};
use crate::document::{
    Annotation, Button, Color, ColorMark, Icon, Inline, InlineImage, InlineKind, Leaf, Link, Marks,
    Node, Reference,
};
use crate::reference::ContentRef;
use crate::source::Span;

pub(super) fn node<T>(kind: T) -> Node<T> {
    Node::new(Span::default(), kind)
}

/// The context of a line, which determines its possible inlines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LineContext {
    /// The text of a paragraph.
    Paragraph,
    /// A heading or table cell: allows notes, but nothing that takes a line of its own.
    Line,
    /// The text of a note, a caption or a title: no notes and no breaks.
    Plain,
}

/// Words, and strings with a meaning in Markdown, HTML or the dialect.
fn word() -> impl Strategy<Value = String> {
    prop_oneof![
        6 => "[a-zA-Z0-9]{1,8}",
        2 => select(vec![
            "*", "_", "**", "a_b_c", "`", "``", "[", "]", "[x]", "(y)", "<", ">", "<b>", "</p>",
            "&", "&amp;", "&lt", "#", "##", "-", "+", "1.", "2)", "|", "{", "}", "{%", "%}",
            "{{", "$", "$$", "~", "~~", "\\", "!", "![", "=", "---", "***", "===", ":", ":tada:",
            "\"", "'", "http://x.y", "a@b.c", "{#id}", "[^1]", "$5", "\\n", "<!--", "-->", "@x",
        ])
        .prop_map(str::to_owned),
        1 => select(vec!["é", "ü", "日本語", "Привет", "🎉", "ﬁ", "a\u{301}", "\u{a0}", "’", "…"])
            .prop_map(str::to_owned),
    ]
}

/// A line of words with single spaces between them.
pub(super) fn words() -> impl Strategy<Value = String> {
    prop::collection::vec(word(), 1..5).prop_map(|words| words.join(" "))
}

/// The value of an attribute. It has no backslash, which cannot be escaped at its end.
pub(super) fn value() -> impl Strategy<Value = String> {
    words()
        .prop_map(|text| text.replace('\\', "/").trim().to_owned())
        .prop_filter("a value that is not empty", |text| !text.is_empty())
}

/// A name, such as that of an icon or a language.
pub(super) fn name() -> impl Strategy<Value = String> {
    "[a-z][a-z0-9-]{0,8}[a-z0-9]"
}

fn address() -> impl Strategy<Value = String> {
    prop_oneof![
        "https://example\\.com/[a-z0-9_*()~.,+-]{0,8}(\\?[a-z]=[a-z0-9&=_%]{0,6})?(#[a-z]{1,4})?",
        select(vec!["mailto:a@b.c", "https://x.y/ü", "missing.md", "broken-reference"])
            .prop_map(str::to_owned),
    ]
}

/// A target known only by its id: another space, a page of it, or a specification.
fn external_target() -> BoxedStrategy<ContentRef> {
    (0..4, name(), name())
        .prop_map(|(kind, space, other)| match kind {
            0 => ContentRef::Space { space },
            1 => ContentRef::OpenApi { spec: other },
            2 => ContentRef::Page { page: other, space: Some(space) },
            _ => ContentRef::Anchor { anchor: other, page: None, space: Some(space) },
        })
        .boxed()
}

/// A reference that a link can have.
pub(super) fn reference() -> impl Strategy<Value = Reference> {
    let page = || select(PAGES.to_vec()).prop_map(|(_, id)| id.to_owned());
    let target = prop_oneof![
        3 => address().prop_map(|url| ContentRef::Url { url }),
        3 => page().prop_map(|page| ContentRef::Page { page, space: None }),
        1 => Just(ContentRef::Page {
            page: SPACE_PAGE.1.to_owned(),
            space: Some(SPACE.to_owned()),
        }),
        1 => ("[a-z0-9.-]{1,6}", prop::option::of(page()))
            .prop_map(|(anchor, page)| ContentRef::Anchor { anchor, page, space: None }),
        1 => select(FILES.to_vec()).prop_map(|(_, id)| ContentRef::File { file: id.to_owned() }),
        1 => "[A-Za-z0-9]{4,8}".prop_map(|user| ContentRef::User { user }),
        1 => "[A-Za-z0-9]{4,8}".prop_map(|collection| ContentRef::Collection { collection }),
        2 => external_target(),
    ];
    target.prop_map(world::reference)
}

/// A reference to an image.
pub(super) fn image_reference() -> impl Strategy<Value = Reference> {
    prop_oneof![
        select(FILES.to_vec()).prop_map(|(_, id)| ContentRef::File { file: id.to_owned() }),
        address()
            .prop_filter("a picture", |url| url != "broken-reference")
            .prop_map(|url| ContentRef::Url { url }),
    ]
    .prop_map(world::reference)
}

fn named_color() -> impl Strategy<Value = Color> {
    select(Color::ALL.to_vec())
}

fn color() -> impl Strategy<Value = Color> {
    let unnamed = any::<(u8, u8, u8)>().prop_map(|(red, green, blue)| Color::Rgb(red, green, blue));
    prop_oneof![10 => named_color(), 1 => unnamed]
}

fn marks() -> impl Strategy<Value = Marks> {
    let flag = || prop::bool::weighted(0.15);
    let plain = (flag(), flag(), flag(), flag(), flag(), flag(), flag());
    let colors = prop::option::weighted(0.1, (color(), color()));
    (plain, colors).prop_map(|(flags, colors)| {
        let (bold, italic, code, keyboard, strikethrough, superscript, subscript) = flags;
        let color = colors.map(|(text, background)| ColorMark { text, background });
        Marks { bold, italic, code, keyboard, strikethrough, superscript, subscript, color }
    })
}

/// Text with and without marks. Marked text has no spaces at its ends, as these are printed outside
/// the marks.
fn leaves(context: LineContext) -> impl Strategy<Value = Vec<Leaf>> {
    let breaks = if context == LineContext::Paragraph { 0.15 } else { 0.0 };
    let plain = (words(), prop::bool::ANY, prop::bool::ANY, prop::bool::weighted(breaks));
    let plain = plain.prop_map(|(text, before, after, breaks)| {
        let text = if breaks { text.replacen(' ', "\n", 1) } else { text };
        let edge = |is_there: bool| if is_there { " " } else { "" };
        let text = format!("{}{text}{}", edge(before), edge(after));
        Leaf { text, ..Leaf::default() }
    });
    let marked = (words(), marks()).prop_map(|(text, marks)| Leaf {
        text: text.trim().to_owned(),
        marks,
        is_markup: false,
    });
    let tags = vec![
        "<small>",
        "</small>",
        "<abbr title=\"1\">",
        "<!-- c -->",
        "<u>",
        "</u>",
        "<video src=\"a.mp4\">b *c*</video>",
    ];
    let markup = select(tags).prop_map(|source| Leaf {
        text: source.to_owned(),
        marks: Marks::default(),
        is_markup: true,
    });
    let leaf = prop_oneof![8 => plain, 4 => marked, 1 => markup];
    prop::collection::vec(leaf, 1..4)
}

fn link() -> impl Strategy<Value = InlineKind> {
    let image = inline_image().prop_map(|image| vec![node(image)]);
    let text = leaves(LineContext::Plain).prop_map(|leaves| vec![node(InlineKind::Text(leaves))]);
    let nodes = prop_oneof![5 => text, 1 => image].prop_map(|nodes| normalize(nodes, true));
    let nodes = nodes.prop_filter("a link with a text", |nodes| !nodes.is_empty());
    (reference(), nodes)
        .prop_map(|(reference, nodes)| InlineKind::Link(Box::new(Link { reference, nodes })))
}

fn inline_image() -> impl Strategy<Value = InlineKind> {
    let text = || prop::option::of(value());
    (
        image_reference(),
        prop::option::weighted(0.2, image_reference()),
        text(),
        text(),
        prop::option::of(any::<bool>()),
        prop::option::weighted(0.2, block::length()),
        prop::option::weighted(0.1, block::length()),
    )
        .prop_map(|(reference, dark, caption, alt, original_size, width, height)| {
            let image = InlineImage { reference, dark, caption, alt, original_size, width, height };
            InlineKind::Image(Box::new(image))
        })
}

fn button() -> impl Strategy<Value = InlineKind> {
    let action = (name(), prop::option::of(value())).prop_map(Some);
    let none = || world::reference(ContentRef::Url { url: "#".to_owned() });
    let target = prop_oneof![
        3 => reference().prop_map(|reference| (reference, None)),
        1 => action.prop_map(move |action| (none(), action)),
    ];
    (value(), any::<bool>(), prop::option::of(name()), target).prop_map(
        |(label, primary, icon, (reference, action))| {
            InlineKind::Button(Box::new(Button { label, primary, icon, reference, action }))
        },
    )
}

fn annotation() -> impl Strategy<Value = InlineKind> {
    let leaves = leaves(LineContext::Plain).prop_map(|leaves| {
        match normalize(vec![node(InlineKind::Text(leaves))], true).pop().map(|node| node.kind) {
            Some(InlineKind::Text(leaves)) => leaves,
            _ => vec![Leaf { text: "x".to_owned(), ..Leaf::default() }],
        }
    });
    (leaves, block::note_body()).prop_map(|(leaves, body)| {
        let annotation = Annotation { label: "1".to_owned(), leaves, body: Arc::new(body) };
        InlineKind::Annotation(Box::new(annotation))
    })
}

pub(super) fn expression() -> impl Strategy<Value = String> {
    select(vec![
        "visitor.claims.plan == \"pro\"",
        "space.vars.x",
        "a < b && !c",
        "x ? 'y' : `z`",
        "\"it's\" in page.vars.list",
    ])
    .prop_map(str::to_owned)
}

pub(super) fn formula() -> impl Strategy<Value = String> {
    select(vec!["x_1*y_2", "\\frac{a}{b}", "a < b", "E=mc^2", "\\text{`x`} & y"])
        .prop_map(str::to_owned)
}

fn inline(context: LineContext) -> BoxedStrategy<Inline> {
    let emoji = select(vec!["1f389", "2705", "1f468-200d-1f4bb", "2764"])
        .prop_map(|code| InlineKind::Emoji { code: code.to_owned() });
    let icon = (name(), prop::option::of(named_color()))
        .prop_map(|(icon, color)| InlineKind::Icon(Box::new(Icon { icon, color })));
    let kind = prop_oneof![
        10 => leaves(context).prop_map(InlineKind::Text),
        3 => link(),
        1 => emoji,
        1 => icon,
        1 => expression().prop_map(|expression| InlineKind::Expression { expression }),
        1 => formula().prop_map(|formula| InlineKind::Math { formula }),
        1 => inline_image(),
        1 => reference().prop_map(|reference| InlineKind::Mention(Box::new(reference))),
        1 => button(),
    ];
    if context == LineContext::Plain {
        return kind.prop_map(node).boxed();
    }
    prop_oneof![12 => kind, 1 => annotation()].prop_map(node).boxed()
}

/// The inlines of a line in the form that the parser returns: adjacent texts joined, no empty
/// texts, no spaces or breaks at the ends.
pub(super) fn line(context: LineContext) -> BoxedStrategy<Vec<Inline>> {
    prop::collection::vec(inline(context), 1..5)
        .prop_map(|nodes| normalize(nodes, true))
        .prop_filter("a line that is not empty", |nodes| !nodes.is_empty())
        .boxed()
}

/// Joins adjacent equal leaves and drops empty ones.
fn normalize(nodes: Vec<Inline>, trims: bool) -> Vec<Inline> {
    let mut tidied: Vec<Inline> = Vec::new();
    for node in nodes {
        let InlineKind::Text(leaves) = node.kind else {
            tidied.push(node);
            continue;
        };
        let before = match tidied.last_mut() {
            Some(Node { kind: InlineKind::Text(before), .. }) => before,
            _ => {
                tidied.push(self::node(InlineKind::Text(Vec::new())));
                match tidied.last_mut() {
                    Some(Node { kind: InlineKind::Text(before), .. }) => before,
                    _ => continue,
                }
            }
        };
        for leaf in leaves.into_iter().filter(|leaf| !leaf.text.is_empty()) {
            match before.last_mut() {
                Some(last) if last.marks == leaf.marks && last.is_markup == leaf.is_markup => {
                    let doubled = last.text.ends_with(' ') && leaf.text.starts_with(' ');
                    last.text.push_str(leaf.text.get(usize::from(doubled)..).unwrap_or_default());
                }
                _ => before.push(leaf),
            }
        }
    }
    if trims {
        trim(&mut tidied);
    }
    tidied
}

fn trim(nodes: &mut Vec<Inline>) {
    if let Some(Node { kind: InlineKind::Text(leaves), .. }) = nodes.first_mut() {
        if let Some(first) = leaves.first_mut() {
            first.text = first.text.trim_start().to_owned();
        }
        leaves.retain(|leaf| !leaf.text.is_empty());
    }
    if let Some(Node { kind: InlineKind::Text(leaves), .. }) = nodes.last_mut() {
        if let Some(last) = leaves.last_mut() {
            last.text = last.text.trim_end().to_owned();
        }
        leaves.retain(|leaf| !leaf.text.is_empty());
    }
    nodes.retain(|node| !matches!(&node.kind, InlineKind::Text(leaves) if leaves.is_empty()));
}
