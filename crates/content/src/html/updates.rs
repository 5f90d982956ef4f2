//! Lists of dated updates, such as a changelog.
//!
//! Readers filter a list by tag with radio buttons, which the stylesheet evaluates, so that the
//! filter needs no script.

use std::collections::HashMap;
use std::ops::Range;

use super::Renderer;
use crate::document::{Block, BlockKind, Icon, Opaque, plain_text};
use crate::syntax::tag::Tag;

/// Maximum number of tags by which a list can be filtered. The stylesheet has a rule for each.
const MAX_FILTERS: usize = 16;
/// Maximum number of tags of one update that are shown.
const MAX_TAGS: usize = 32;

/// An update of a rendered page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Update {
    /// The number of the list on the page, counted from 0.
    pub list: usize,
    /// The id of its element.
    pub anchor: String,
    /// The text of its first heading.
    pub title: Option<String>,
    /// The date as in the source, such as `2026-01-31`, if it is one.
    pub date: Option<String>,
    /// The names of the tags and the labels that readers see.
    pub tags: Vec<(String, String)>,
    /// The position of its text in the body of the page.
    pub body: Range<usize>,
}

/// A tag as a space defines it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TagLabel {
    /// The label that readers see.
    pub label: String,
    /// The name of its icon.
    pub icon: Option<String>,
    /// Its emoji.
    pub emoji: Option<String>,
}

/// The tags of a list in the order in which they first occur, with their numbers.
#[derive(Default)]
struct ListTags {
    numbers: HashMap<String, usize>,
    names: Vec<String>,
}

impl ListTags {
    fn of(updates: &Opaque) -> Self {
        let mut tags = Self::default();
        for block in &updates.nodes {
            for name in update_of(block).map(|(tag, _)| names(&tag)).unwrap_or_default() {
                if !tags.numbers.contains_key(&name) && tags.names.len() < MAX_FILTERS {
                    tags.numbers.insert(name.clone(), tags.names.len() + 1);
                    tags.names.push(name);
                }
            }
        }
        tags
    }
}

/// Returns the tag and the content of an update.
fn update_of(block: &Block) -> Option<(Tag, &[Block])> {
    let BlockKind::Opaque(update) = &block.kind else { return None };
    let tag = Tag::parse(&update.source).filter(|tag| tag.name == "update")?;
    Some((tag, &update.nodes))
}

/// Returns the names of the tags of an update, without repetitions.
fn names(tag: &Tag) -> Vec<String> {
    let tags = tag.text("tags").unwrap_or_default();
    let mut names: Vec<String> = Vec::new();
    for name in tags.split(',').map(str::trim).filter(|name| !name.is_empty()) {
        if names.len() < MAX_TAGS && !names.iter().any(|known| known == name) {
            names.push(name.to_owned());
        }
    }
    names
}

/// Returns the year, the month and the day of a date such as `2026-01-31`.
fn parse_day(text: &str) -> Option<(i16, u8, u8)> {
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let [year, month, day]: [&str; 3] = text.split('-').collect::<Vec<_>>().try_into().ok()?;
    let is_day = [(year, 4), (month, 2), (day, 2)]
        .iter()
        .all(|(part, length)| part.len() == *length && digits(part));
    let day = day.parse().ok().filter(|day| is_day && (1..=31).contains(day))?;
    Some((year.parse().ok()?, month.parse().ok().filter(|month| (1..=12).contains(month))?, day))
}

/// Returns the text of the first heading.
fn title_of(nodes: &[Block]) -> Option<String> {
    let title = nodes.iter().find_map(|block| match &block.kind {
        BlockKind::Heading(heading) => Some(plain_text(&heading.nodes).trim().to_owned()),
        _ => None,
    });
    title.filter(|title| !title.is_empty())
}

impl Renderer<'_> {
    /// Writes dated updates in the order of the source.
    pub(super) fn updates(&mut self, updates: &Opaque) {
        let list = self.update_lists;
        self.update_lists += 1;
        let tags = ListTags::of(updates);
        self.raw("<div class=\"updates\">\n");
        self.filters(list, &tags);
        for block in &updates.nodes {
            match update_of(block) {
                Some((tag, nodes)) => self.update(list, &tags, &tag, nodes),
                None => self.blocks(std::slice::from_ref(block)),
            }
        }
        self.raw("</div>\n");
    }

    /// Writes the choice of tags, if there is one.
    fn filters(&mut self, list: usize, tags: &ListTags) {
        if tags.names.len() < 2 {
            return;
        }
        self.raw("<fieldset class=\"update-filter\" data-markdown-ignore><legend>");
        self.raw(self.labels().filter_by_tag);
        self.raw("</legend>");
        let labels = self.labels();
        self.filter(list, 0, &TagLabel { label: labels.all.to_owned(), ..TagLabel::default() });
        for (number, name) in (1..).zip(&tags.names) {
            let label = self.tag_label(name);
            self.filter(list, number, &label);
        }
        self.raw("</fieldset>\n");
    }

    fn filter(&mut self, list: usize, number: usize, label: &TagLabel) {
        self.raw("<label><input type=\"radio\"");
        self.attribute("name", &format!("B--updates-{list}"));
        self.attribute("class", &format!("pick-{number}"));
        self.raw(if number == 0 { " checked>" } else { ">" });
        self.tag_text(label);
        self.raw("</label>");
    }

    fn tag_label(&self, name: &str) -> TagLabel {
        let known = self.context.links.tag(name).filter(|tag| !tag.label.trim().is_empty());
        known.unwrap_or_else(|| TagLabel { label: name.to_owned(), ..TagLabel::default() })
    }

    /// Writes the emoji or the icon of a tag, and its label.
    fn tag_text(&mut self, tag: &TagLabel) {
        match (&tag.emoji, &tag.icon) {
            (Some(emoji), _) => {
                self.raw("<span aria-hidden=\"true\">");
                self.text(emoji);
                self.raw("</span> ");
            }
            (None, Some(icon)) => self.icon(&Icon { icon: icon.clone(), color: None }),
            (None, None) => {}
        }
        self.raw("<span>");
        self.text(&tag.label);
        self.raw("</span>");
    }

    fn update(&mut self, list: usize, known: &ListTags, tag: &Tag, nodes: &[Block]) {
        let date = tag.text("date");
        let day = date.as_deref().and_then(|date| date.get(..10));
        let parsed = day.and_then(parse_day);
        let base = match (day, parsed) {
            (Some(day), Some(_)) => format!("update-{day}"),
            _ => "update".to_owned(),
        };
        let anchor = self.new_id(&base).into_owned();
        let names = names(tag);
        self.raw("<article");
        self.attribute("id", &anchor);
        let mut classes = String::from("update");
        for number in names.iter().filter_map(|name| known.numbers.get(name)) {
            classes.push_str(&format!(" with-{number}"));
        }
        self.attribute("class", &classes);
        // Source states the date and the tags in the tag of the update.
        self.raw("><div class=\"update-head\" data-markdown-ignore>");
        if let Some(date) = &date {
            let readable =
                parsed.and_then(|(year, month, day)| self.labels().day(year, month, day));
            self.raw("<a");
            self.attribute("href", &format!("#{anchor}"));
            self.raw("><time");
            if let (Some(_), Some(day)) = (parsed, day) {
                self.attribute("datetime", day);
            }
            self.raw(">");
            self.text(readable.as_deref().unwrap_or(date));
            self.raw("</time></a>");
        }
        let mut tags = Vec::with_capacity(names.len());
        for name in names {
            let label = self.tag_label(&name);
            self.raw(" <span class=\"option\">");
            self.tag_text(&label);
            self.raw("</span>");
            tags.push((name, label.label));
        }
        self.raw("</div><div class=\"update-body\">\n");
        let start = self.html.body.len();
        self.blocks(nodes);
        let body = start..self.html.body.len();
        self.raw("</div></article>\n");
        let date = day.filter(|_| parsed.is_some()).map(str::to_owned);
        let title = title_of(nodes);
        self.html.updates.push(Update { list, anchor, title, date, tags, body });
    }
}
