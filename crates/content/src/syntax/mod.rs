//! Reads the two notations for elements within a page: HTML and block tags.
//!
//! [`markup`] divides HTML into tokens and decodes its entities; [`tag`] reads `{% name %}`. Neither
//! interprets what it reads. `names` lists the elements that exist.

pub(crate) mod markup;
mod names;
pub(crate) mod tag;

/// Returns `true` if a text consists of HTML tags and comments that may stand within a line. The
/// fallback content of a frame belongs to its tags.
pub(crate) fn is_inline_markup(text: &str) -> bool {
    let mut frame: Option<&str> = None;
    !text.is_empty()
        && markup::tokens(text).all(|(token, _)| {
            match token {
                markup::Token::Text(_) => return frame.is_some(),
                markup::Token::Open(tag) if frame.is_none() && tag.has_fallback() => {
                    frame = Some(tag.name);
                }
                markup::Token::Close(name)
                    if frame.is_some_and(|open| open.eq_ignore_ascii_case(name)) =>
                {
                    frame = None;
                }
                _ => {}
            }
            true
        })
        && frame.is_none()
}

/// Returns the targets of the frames in a line's tags, as written.
pub(crate) fn frame_targets(markup: &str) -> impl Iterator<Item = String> {
    markup::tokens(markup).filter_map(|(token, _)| match token {
        markup::Token::Open(tag) if tag.is_frame() || tag.is("source") => tag.text("src"),
        _ => None,
    })
}

/// Returns the targets of the elements in a source that show a page of another host, as written.
pub(crate) fn embedded_targets(markup: &str) -> impl Iterator<Item = String> {
    markup::tokens(markup).filter_map(|(token, _)| match token {
        markup::Token::Open(tag) if tag.is("iframe") || tag.is("embed") => tag.text("src"),
        _ => None,
    })
}

/// Returns the length of the block tag at the start of a text, or `None` if there is none.
pub(crate) fn tag_length(text: &str) -> Option<usize> {
    if text.starts_with("{%") { tag::end(text) } else { None }
}
