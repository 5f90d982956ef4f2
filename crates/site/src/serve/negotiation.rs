//! Pages as Markdown for programs that ask for it with `Accept` (RFC 9110, section 12.5.1).

use bindery_app::publishing::adaptive::{Answers, ClaimsOf};
use http::header::{self, HeaderMap};

use super::changes;
use super::site_cache::LoadedSite;
use crate::http::parse_weight;
use crate::urls::{self, Route};

/// Returns the path of a page as Markdown if the client prefers Markdown, and the path is that of a
/// page.
pub(super) fn markdown_path(
    site: &LoadedSite,
    below: &str,
    headers: &HeaderMap,
    claims: Option<&ClaimsOf>,
) -> Option<String> {
    let accept = headers.get(header::ACCEPT).and_then(|value| value.to_str().ok())?;
    if !prefers_markdown(accept) {
        return None;
    }
    let shown = site.for_visitor(&Answers::new(claims.cloned()));
    let site = shown.as_ref().unwrap_or(site);
    let page = match urls::route(below) {
        // A space without the slash at its end is a redirect.
        Route::Page(page) if !site.is_space_root(&page) => page,
        Route::Redirect(target) if below == format!("{target}/") => match urls::route(&target) {
            Route::Page(space) if site.is_space_root(&space) => format!("{space}/index"),
            _ => return None,
        },
        _ => return None,
    };
    let is_feed = changes::space_path(&page).is_some_and(|space| site.is_space_root(space));
    (!is_feed).then(|| urls::markdown_href("", &page))
}

/// Returns `true` if a client names Markdown with a higher weight than HTML, or with the same and
/// before it. Browsers do not name it.
fn prefers_markdown(accept: &str) -> bool {
    let mut html = None;
    let mut markdown = None;
    for (position, item) in accept.split(',').enumerate() {
        let (kind, parameters) = item.split_once(';').unwrap_or((item, ""));
        let kind = kind.trim();
        let known = if kind.eq_ignore_ascii_case("text/markdown") {
            &mut markdown
        } else if kind.eq_ignore_ascii_case("text/html") {
            &mut html
        } else {
            continue;
        };
        let is_weight =
            |text: &&str| text.trim_start().get(..2).is_some_and(|q| q.eq_ignore_ascii_case("q="));
        let weight = parameters.split(';').find(is_weight).map_or(1000, parse_weight);
        *known = Some((weight, std::cmp::Reverse(position)));
    }
    markdown.is_some_and(|(weight, _)| weight > 0) && markdown > html
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markdown_is_sent_to_clients_that_prefer_it() {
        for (accept, expect) in [
            ("text/markdown", true),
            ("Text/Markdown;q=0.1, */*", true),
            ("text/markdown, text/html, */*", true),
            ("text/plain;q=0.2, text/markdown;v=1;q=0.9, text/html;q=0.8", true),
            ("text/html, text/markdown", false),
            ("text/html, text/markdown;q=0.9", false),
            ("text/markdown;q=0", false),
            ("text/markdown;q=2", false),
            ("text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", false),
            ("*/*", false),
            ("text/*", false),
            ("", false),
        ] {
            assert_eq!(prefers_markdown(accept), expect, "{accept}");
        }
    }
}
