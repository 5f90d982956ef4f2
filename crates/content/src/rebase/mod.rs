//! Rewrites a file's targets after the file or the targets have moved.

use std::collections::HashMap;

use crate::document::{BlockKind, Document, Identity, ReferenceRole, ReferenceUse};
use crate::front_matter;
use crate::markdown;
use crate::page::Page;
use crate::reference::{
    ContentRef, Lookup, Names, ParseContext, ScannedTarget, Syntax, Target, destination, inlined,
    label, relative, resolve, scan, with_anchor, write,
};
use crate::source::Span;
use crate::syntax;

/// A move of a file, of the targets that it refers to, or of both.
#[derive(Clone, Copy)]
pub struct Rebase<'r> {
    /// The file's old path.
    pub from: &'r str,
    /// The file's new path.
    pub to: &'r str,
    /// Resolves paths to ids as of the time when the text was written.
    pub before: &'r dyn Lookup,
    /// Resolves paths to ids as of now.
    pub after: &'r dyn Lookup,
    /// The current paths of ids.
    pub names: &'r dyn Names,
}

impl std::fmt::Debug for Rebase<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Rebase")
            .field("from", &self.from)
            .field("to", &self.to)
            .finish_non_exhaustive()
    }
}

impl Rebase<'_> {
    /// Rewrites the source's targets so that they resolve to the same ids as before. Returns `None`
    /// if nothing changes. Changes only the bytes of such targets, and the link texts of mentions
    /// and content-reference blocks, which derive from their target.
    ///
    /// For example, after `a/holder.md` has moved to `b/holder.md`, `[text](p.md)` becomes
    /// `[text](../a/p.md)`. A target that no longer exists keeps its path, so that it resolves
    /// again when it is restored.
    #[must_use]
    pub fn apply(&self, source: &str) -> Option<String> {
        let with_front_matter = self.front_matter(source);
        let source = with_front_matter.as_deref().unwrap_or(source);
        // The first heading can contain links, too, and can belong to the body.
        let body = Page::split_as(source, &Identity::default().with_heading(true)).body;
        self.text(body.of(source))
            .map(|text| {
                let before = source.get(..body.start).unwrap_or_default();
                format!("{before}{text}")
            })
            .or(with_front_matter)
    }

    /// Rewrites the targets of the front matter. Leaves an invalid front matter unchanged.
    fn front_matter(&self, source: &str) -> Option<String> {
        let (_, yaml) = front_matter::locate(source)?;
        let (mut front, _) = front_matter::parse(yaml.of(source));
        let rewrite = |raw: &mut String| {
            let new = self.target(raw);
            new.into_iter().for_each(|new| *raw = new);
        };
        if let Some(cover) = &mut front.cover {
            rewrite(&mut cover.light);
            cover.dark.iter_mut().for_each(rewrite);
        }
        front.meta_links.canonical.iter_mut().for_each(rewrite);
        front.meta_links.alternates.iter_mut().for_each(rewrite);
        front_matter::update(source, &front).ok().filter(|written| written != source)
    }

    /// Rewrites the targets of the body.
    fn text(&self, text: &str) -> Option<String> {
        retarget(text, self.from, self.before, &|raw| self.target(raw))
    }

    /// Returns the new text of a target, or `None` if the target can stay.
    #[must_use]
    pub fn target(&self, raw: &str) -> Option<String> {
        if inlined::is_data(raw) {
            return None;
        }
        let Target::Path { path, anchor } = Target::parse(raw, self.from) else {
            return None;
        };
        let old_target = resolve(raw, self.from, self.before);
        let new_target = resolve(raw, self.to, self.after);
        if old_target == new_target {
            return self
                .relative_to_new_path(raw, path, anchor)
                .filter(|_| matches!(old_target, ContentRef::Url { .. }));
        }
        let has_name = match &old_target {
            ContentRef::Page { page, .. } | ContentRef::Anchor { page: Some(page), .. } => {
                self.names.page_path(page).is_some()
            }
            ContentRef::Url { .. } => return self.relative_to_new_path(raw, path, anchor),
            _ => true,
        };
        let is_unresolved = matches!(new_target, ContentRef::Url { .. });
        let new =
            if has_name || !is_unresolved { write(&old_target, self.to, self.names) } else { None };
        new.or_else(|| self.relative_to_new_path(raw, path, anchor)).filter(|new| new != raw)
    }

    /// Returns the new text of an unresolved target: the same path, relative to the file's new
    /// path.
    fn relative_to_new_path(
        &self,
        raw: &str,
        path: String,
        anchor: Option<String>,
    ) -> Option<String> {
        if raw.starts_with('/') || self.from == self.to {
            return None;
        }
        let target = relative(self.to, &path, false);
        let target = match anchor {
            Some(anchor) => with_anchor(target, &anchor),
            None => target,
        };
        (Target::parse(raw, self.to) != Target::parse(&target, self.to)).then_some(target)
    }
}

/// Rewrites the targets of the body `text` of the page at `holder`. `renew` returns the new text of
/// a target, or `None` if it stays. Returns `None` if the whole body stays.
///
/// Leaves targets in code unchanged. The link texts of mentions and content-reference blocks follow
/// their target.
#[must_use]
pub fn retarget(
    text: &str,
    holder: &str,
    lookup: &dyn Lookup,
    rewrite: &dyn Fn(&str) -> Option<String>,
) -> Option<String> {
    let places = targets_to_rewrite(text, rewrite);
    if places.is_empty() {
        return None;
    }
    let document = markdown::parse(text, &ParseContext { path: holder, lookup });
    let edits = replacements(text, places, &document);
    (!edits.is_empty()).then(|| {
        let mut written = String::with_capacity(text.len() + 64);
        let mut at = 0;
        for (span, new) in edits {
            written.push_str(text.get(at..span.start).unwrap_or_default());
            written.push_str(&new);
            at = span.end;
        }
        written.push_str(text.get(at..).unwrap_or_default());
        written
    })
}

/// Returns the targets to rewrite, each with its new text.
fn targets_to_rewrite<'t>(
    text: &'t str,
    rewrite: &dyn Fn(&str) -> Option<String>,
) -> Vec<(ScannedTarget<'t>, String)> {
    let mut known: HashMap<String, Option<String>> = HashMap::new();
    let rewritten = |place: ScannedTarget<'t>| {
        let new = match known.get(place.raw.as_ref()) {
            Some(new) => new.clone(),
            None => {
                let new = rewrite(&place.raw);
                known.insert(place.raw.clone().into_owned(), new.clone());
                new
            }
        };
        Some((place, new?))
    };
    scan(text).filter_map(rewritten).collect()
}

/// Returns the replacements, in order and without overlaps.
fn replacements(
    text: &str,
    places: Vec<(ScannedTarget<'_>, String)>,
    document: &Document,
) -> Vec<(Span, String)> {
    let roles = RoleIndex::of(document, places.iter().map(|(place, _)| place));
    let mut edits: Vec<(Span, String)> = Vec::new();
    for (place, new) in &places {
        let Some(role) = roles.role_at(place) else {
            continue;
        };
        let end = edits.last().map_or(0, |(span, _)| span.end);
        let enclosed = enclosed_span(place);
        if enclosed.start < end {
            continue;
        }
        let is_named = matches!(
            role,
            ReferenceRole::Mention
                | ReferenceRole::ContentRef
                | ReferenceRole::OpenApi
                | ReferenceRole::Cell
        );
        let (before, after) = match place.syntax {
            Syntax::Link { .. } if is_named => (markdown_link_text(text, place, role), None),
            Syntax::Attribute { .. } if is_named => (None, html_link_text(text, place)),
            _ => (None, None),
        };
        let label = escape_label(label(new), place.syntax);
        edits.extend(before.filter(|span| span.start >= end).map(|span| (span, label.clone())));
        edits.push((enclosed, encode_target(new, place.syntax)));
        edits.extend(after.map(|span| (span, label)));
    }
    edits
}

/// Returns the location of a target, including its `<` and `>`.
pub(crate) fn enclosed_span(place: &ScannedTarget<'_>) -> Span {
    match place.syntax {
        Syntax::Link { enclosed: true } | Syntax::Definition { enclosed: true } => {
            Span::new(place.span.start.saturating_sub(1), place.span.end + 1)
        }
        _ => place.span,
    }
}

/// Encodes a target for its syntax.
pub(crate) fn encode_target(target: &str, syntax: Syntax) -> String {
    match syntax {
        Syntax::Link { .. } | Syntax::Definition { .. } => destination(target),
        Syntax::Attribute { quote } => {
            let mut written = target.replace('&', "&#x26;");
            match quote {
                Some(b'\'') => written = written.replace('\'', "&#x27;"),
                Some(_) => written = written.replace('"', "&#x22;"),
                None if written.contains(|c: char| c.is_whitespace() || "\"'=`".contains(c)) => {
                    written = format!("\"{}\"", written.replace('"', "&#x22;"));
                }
                None => {}
            }
            written
        }
        Syntax::Tag { quote: Some(b'\'') } => {
            syntax::tag::escape(target).replace("\\\"", "\"").replace('\'', "\\'")
        }
        Syntax::Tag { quote: Some(_) } => syntax::tag::escape(target),
        Syntax::Tag { quote: None } if target.contains(|c: char| c.is_whitespace() || c == '"') => {
            format!("\"{}\"", syntax::tag::escape(target))
        }
        Syntax::Tag { quote: None } => target.to_owned(),
    }
}

/// Escapes a link text for the syntax of its target.
pub(crate) fn escape_label(label: &str, syntax: Syntax) -> String {
    let is_html = matches!(syntax, Syntax::Attribute { .. });
    let mut written = String::with_capacity(label.len());
    for c in label.chars() {
        match c {
            '&' if is_html => written.push_str("&#x26;"),
            '<' if is_html => written.push_str("&#x3C;"),
            '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '~' | '|' | '&' if !is_html => {
                written.extend(['\\', c]);
            }
            c => written.push(c),
        }
    }
    written
}

/// Returns the location of the link text of the Markdown link whose target is at `place`. In a
/// specification block, returns it only if it derives from the target.
fn markdown_link_text(text: &str, place: &ScannedTarget<'_>, role: ReferenceRole) -> Option<Span> {
    let span = bracketed_text(text, place)?;
    let was_made = || {
        let plain = crate::page::plain_text(span.of(text));
        plain == label(&place.raw) || plain == place.raw
    };
    (matches!(role, ReferenceRole::Mention | ReferenceRole::ContentRef) || was_made())
        .then_some(span)
}

/// Returns the location of the text in brackets before the target at `place`.
pub(crate) fn bracketed_text(text: &str, place: &ScannedTarget<'_>) -> Option<Span> {
    let enclosed = enclosed_span(place);
    let before = text.get(..enclosed.start)?.trim_end().strip_suffix("](")?;
    let bytes = before.as_bytes();
    let mut depth = 0u32;
    let start = (0..bytes.len()).rev().take(4096).find(|&at| {
        let before = bytes.get(..at).unwrap_or_default().iter().rev();
        let escapes = before.take_while(|byte| **byte == b'\\').count();
        match bytes.get(at).filter(|_| escapes % 2 == 0) {
            Some(b'[') => {
                depth = depth.wrapping_sub(1);
                depth == u32::MAX
            }
            Some(b']') => {
                depth += 1;
                false
            }
            _ => false,
        }
    })?;
    Some(Span::new(start + 1, before.len()))
}

/// Returns the location of the link text of the HTML link whose target is at `place`, if it derives
/// from the target.
fn html_link_text(text: &str, place: &ScannedTarget<'_>) -> Option<Span> {
    let rest = text.get(place.span.end..)?;
    let start = rest.find('>')? + 1;
    let length = rest.get(start..)?.find('<')?;
    let span = Span::new(place.span.end + start, place.span.end + start + length);
    let link_text = syntax::markup::unescape(span.of(text));
    (link_text == label(&place.raw) || link_text == place.raw.as_ref()).then_some(span)
}

/// The roles of the references in a document, by location.
pub(crate) struct RoleIndex<'d> {
    /// The location and role of each reference, by raw target.
    by_raw: HashMap<&'d str, Vec<(Span, ReferenceRole)>>,
    /// Blocks that hold every target within them, ordered by start.
    blocks: Vec<(Span, ReferenceRole)>,
    /// Code blocks, ordered by start.
    code: Vec<Span>,
}

impl<'d> RoleIndex<'d> {
    pub(crate) fn of<'p, 's: 'p>(
        document: &'d Document,
        places: impl Iterator<Item = &'p ScannedTarget<'s>>,
    ) -> Self {
        let mut by_raw: HashMap<&str, Vec<ReferenceUse<'d>>> = HashMap::new();
        let mut blocks = Vec::new();
        for held in document.references() {
            if matches!(held.role, ReferenceRole::ContentRef | ReferenceRole::OpenApi) {
                blocks.push((held.block.span, held.role));
            } else {
                by_raw.entry(&held.reference.raw).or_default().push(held);
            }
        }
        let mut places_of: HashMap<&str, Vec<Span>> = HashMap::new();
        for place in places {
            places_of.entry(place.raw.as_ref()).or_default().push(place.span);
        }
        let by_raw = by_raw.into_iter().filter_map(|(raw, held)| {
            let places = places_of.get(raw)?;
            // If the reference's exact location is unknown, use that of its block.
            let span = |held: &ReferenceUse<'d>| {
                let own = held.reference.span;
                let from = places.partition_point(|place| place.start < own.start);
                // An image's dark-mode variant is outside the image's own location.
                let is_image =
                    matches!(held.role, ReferenceRole::Image | ReferenceRole::InlineImage);
                let is_exact =
                    !is_image && places.get(from).is_some_and(|place| own.contains(*place));
                (if is_exact { own } else { held.block.span }, held.role)
            };
            let mut spans: Vec<(Span, ReferenceRole)> = held.iter().map(span).collect();
            spans.sort_by_key(|(span, _)| span.start);
            Some((raw, spans))
        });
        blocks.sort_by_key(|(span, _)| span.start);
        Self { by_raw: by_raw.collect(), blocks, code: code(document) }
    }

    /// Returns the role of the target at `place`, or `None` if the target is not a reference.
    pub(crate) fn role_at(&self, place: &ScannedTarget<'_>) -> Option<ReferenceRole> {
        if let Some((_, role)) = covering(&self.blocks, place.span) {
            return Some(role);
        }
        let held = self.by_raw.get(place.raw.as_ref())?;
        if let Syntax::Definition { .. } = place.syntax {
            let before = self.code.partition_point(|code| code.start <= place.span.start);
            let code = before.checked_sub(1).and_then(|last| self.code.get(last));
            let in_code = code.is_some_and(|code| code.contains(place.span));
            return (!in_code).then_some(ReferenceRole::Link);
        }
        covering(held, place.span).map(|(_, role)| role)
    }
}

/// Returns the last span that contains `inner`.
fn covering(spans: &[(Span, ReferenceRole)], inner: Span) -> Option<(Span, ReferenceRole)> {
    let end = spans.partition_point(|(span, _)| span.start <= inner.start);
    spans.get(..end)?.iter().rev().take(64).find(|(span, _)| span.contains(inner)).copied()
}

fn code(document: &Document) -> Vec<Span> {
    struct Codes(Vec<Span>);
    impl<'d> crate::document::Visit<'d> for Codes {
        fn block(&mut self, block: &'d crate::document::Block) {
            if let BlockKind::Code(_) = block.kind {
                self.0.push(block.span);
            }
        }
    }
    let mut codes = Codes(Vec::new());
    document.walk(&mut codes);
    codes.0.sort_by_key(|span| span.start);
    codes.0
}

#[cfg(test)]
mod tests;
