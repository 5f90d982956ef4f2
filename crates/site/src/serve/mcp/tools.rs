//! The tools of the server: searching the pages of a site, and reading one.

use bindery_app::search::{self, Found, MAX_QUERY_CHARS, MAX_RANK, Mode, PageHit, Wanted};
use bindery_model::Result;
use http::StatusCode;
use http::header::LOCATION;
use serde_json::{Map, Value, json};

use super::super::limiter::Size;
use super::super::page::INDEX_LINE;
use super::super::search::{addresses, available, every_space, synonyms, title_of};
use super::super::{PageAddress, SiteRequest};
use super::Call;
use super::protocol::RpcError;
use crate::i18n::messages;
use crate::urls::{self, Route};

const SEARCH: &str = "search_documentation";
const READ: &str = "read_page";
/// The number of pages in an answer to a search.
const LIMIT: usize = 10;
/// Maximum length in bytes of the part of a page in one answer.
const MAX_TEXT: usize = 65_536;
/// Maximum number of redirects that are followed to a page.
const MAX_REDIRECTS: usize = 3;

/// Returns the descriptions of the tools of the site with this title.
pub(super) fn list(title: &str) -> Value {
    json!([
        {
            "name": SEARCH,
            "title": "Search the documentation",
            "description": format!(
                "Searches the documentation \"{title}\" and returns the best pages, each with its \
                 address and the sections that match. Finds identifiers, parts of them, quoted \
                 phrases and misspelled words."
            ),
            "inputSchema": {
                "type": "object",
                "properties": {
                    "query": {
                        "type": "string",
                        "description": "Words, an identifier, or a phrase in quotation marks.",
                        "minLength": 1,
                        "maxLength": MAX_QUERY_CHARS,
                    },
                    "page": {
                        "type": "integer",
                        "description": "The page of the results, with ten pages of documentation each.",
                        "minimum": 1,
                        "maximum": MAX_RANK / LIMIT,
                        "default": 1,
                    },
                },
                "required": ["query"],
            },
            "annotations": { "readOnlyHint": true, "openWorldHint": false },
        },
        {
            "name": READ,
            "title": "Read a page",
            "description": format!(
                "Returns a page of the documentation \"{title}\" as Markdown. Long pages come in parts."
            ),
            "inputSchema": {
                "type": "object",
                "properties": {
                    "url": {
                        "type": "string",
                        "description":
                            "The address of the page, as a search or a link on a page gives it.",
                        "minLength": 1,
                        "maxLength": 4096,
                    },
                    "offset": {
                        "type": "integer",
                        "description": "The number of bytes to skip, as the previous part names it.",
                        "minimum": 0,
                        "default": 0,
                    },
                },
                "required": ["url"],
            },
            "annotations": { "readOnlyHint": true, "openWorldHint": false },
        },
    ])
}

/// Returns the result of a tool: a text.
fn text(text: impl Into<String>) -> Value {
    json!({ "content": [{ "type": "text", "text": text.into() }], "isError": false })
}

/// Returns the result of a tool that failed. The model reads the reason.
fn failure(reason: impl Into<String>) -> Value {
    json!({ "content": [{ "type": "text", "text": reason.into() }], "isError": true })
}

/// Returns a number of the arguments, or `default` if it is absent.
fn number(
    arguments: &Map<String, Value>,
    name: &str,
    default: usize,
) -> std::result::Result<usize, RpcError> {
    let Some(value) = arguments.get(name).filter(|value| !value.is_null()) else {
        return Ok(default);
    };
    let number = value.as_u64().and_then(|number| usize::try_from(number).ok());
    let expected = || RpcError::invalid_params(format!("`{name}` must be an integer, at least 0"));
    number.ok_or_else(expected)
}

fn string<'a>(
    arguments: &'a Map<String, Value>,
    name: &str,
) -> std::result::Result<&'a str, RpcError> {
    let value = arguments.get(name).and_then(Value::as_str).map(str::trim);
    let expected =
        || RpcError::invalid_params(format!("`{name}` must be a text that is not empty"));
    value.filter(|value| !value.is_empty()).ok_or_else(expected)
}

impl Call<'_> {
    /// Runs a tool.
    pub(super) async fn call(
        &self,
        params: &Map<String, Value>,
    ) -> Result<std::result::Result<Value, RpcError>> {
        let empty = Map::new();
        let arguments = match params.get("arguments") {
            None | Some(Value::Null) => &empty,
            Some(Value::Object(arguments)) => arguments,
            Some(_) => {
                return Ok(Err(RpcError::invalid_params("`arguments` must be an object")));
            }
        };
        match params.get("name").and_then(Value::as_str) {
            Some(SEARCH) => self.search(arguments).await,
            Some(READ) => self.read(arguments).await,
            _ => {
                let known = format!("`name` must be `{SEARCH}` or `{READ}`");
                Ok(Err(RpcError::invalid_params(known)))
            }
        }
    }

    async fn search(
        &self,
        arguments: &Map<String, Value>,
    ) -> Result<std::result::Result<Value, RpcError>> {
        let (query, page) = match (string(arguments, "query"), number(arguments, "page", 1)) {
            (Ok(query), Ok(page)) => (query, page),
            (Err(error), _) | (_, Err(error)) => return Ok(Err(error)),
        };
        if query.chars().count() > MAX_QUERY_CHARS {
            let longest = format!("`query` must have at most {MAX_QUERY_CHARS} characters");
            return Ok(Err(RpcError::invalid_params(longest)));
        }
        let last = MAX_RANK / LIMIT;
        if !(1..=last).contains(&page) {
            let range = format!("`page` must be from 1 to {last}");
            return Ok(Err(RpcError::invalid_params(range)));
        }
        let query = query.to_owned();
        let _client = self.sites.clients.acquire(self.address).await;
        let _permit = self.sites.limiter.acquire(Size::Small, self.site.site.organization).await;
        let site = std::sync::Arc::clone(&self.site);
        let found =
            self.sites.read_as_visitor(&self.app, site, self.claims.clone(), move |request| {
                find(request, &query, page)
            });
        Ok(Ok(found.await?))
    }

    async fn read(
        &self,
        arguments: &Map<String, Value>,
    ) -> Result<std::result::Result<Value, RpcError>> {
        let (url, offset) = match (string(arguments, "url"), number(arguments, "offset", 0)) {
            (Ok(url), Ok(offset)) => (url, offset),
            (Err(error), _) | (_, Err(error)) => return Ok(Err(error)),
        };
        let missing = || failure("This documentation has no page at this address. Search for it.");
        let Some(mut path) = self.markdown_path(url) else { return Ok(Ok(missing())) };
        for _ in 0..=MAX_REDIRECTS {
            let address =
                PageAddress { below: &path, origin: self.origin.clone(), address: self.address };
            let (app, site) = (std::sync::Arc::clone(&self.app), std::sync::Arc::clone(&self.site));
            let prepared = self.sites.page(app, site, address, self.claims.clone()).await?;
            if prepared.status() == StatusCode::OK {
                let body = String::from_utf8_lossy(prepared.body());
                // Programs find pages by searching.
                let text = body.strip_prefix(INDEX_LINE).and_then(|rest| rest.split_once("\n\n"));
                return Ok(Ok(part(text.map_or(&*body, |(_, text)| text), offset)));
            }
            let target = prepared.header(LOCATION).filter(|_| prepared.status().is_redirection());
            match target.and_then(|target| self.markdown_path(target)) {
                Some(target) => path = target,
                None => break,
            }
        }
        Ok(Ok(missing()))
    }

    /// Returns the path below the site of a page as Markdown, from an address of the page; `None` if
    /// it is no address of a page that is offered.
    fn markdown_path(&self, url: &str) -> Option<String> {
        let url = url.split(['#', '?']).next().unwrap_or_default();
        let origin = self.site.origin(&self.app.urls);
        let path = url.strip_prefix(&origin).unwrap_or(url);
        if path.contains("://") {
            return None;
        }
        let base = self.site.base();
        // The base of the site without the slash at its end leads to the first page, too.
        let below = path
            .strip_prefix(&base)
            .or_else(|| (path == base.trim_end_matches('/')).then_some(""))
            .unwrap_or(path)
            .trim_start_matches('/');
        let wanted = match urls::route(below) {
            Route::Page(page) | Route::Markdown(page) => page,
            Route::Redirect(target) => match urls::route(&target) {
                Route::Page(page) | Route::Markdown(page) => page,
                _ => return None,
            },
            _ => return None,
        };
        let (_, rest) = self.site.resolve(&wanted)?;
        Some(match rest {
            // The first page of a space.
            "" => urls::markdown_href("", format!("{wanted}/index").trim_start_matches('/')),
            _ => urls::markdown_href("", &wanted),
        })
    }
}

/// Returns the part of a page from an offset on.
fn part(body: &str, offset: usize) -> Value {
    let rest = body.get(body.ceil_char_boundary(offset)..).unwrap_or_default();
    if rest.is_empty() && offset > 0 {
        return failure(format!("The page has {} bytes only.", body.len()));
    }
    let end = rest.floor_char_boundary(MAX_TEXT);
    match rest.get(..end) {
        Some(first) if end < rest.len() => {
            let next = body.len() - rest.len() + end;
            text(format!("{first}\n\n[The page continues. Read it again with `offset` {next}.]"))
        }
        _ => text(rest),
    }
}

/// Searches, and returns a page of the results.
fn find(request: &SiteRequest<'_>, query: &str, page: usize) -> Result<Value> {
    let spaces = every_space(request.site);
    let offset = (page - 1) * LIMIT;
    let wanted = Wanted {
        text: query,
        mode: Mode::Full,
        synonyms: &synonyms(request.site),
        offset,
        limit: LIMIT,
    };
    let found = search::search(request.app, request.answers, &spaces, wanted);
    let Some(found) = available(found)? else {
        return Ok(failure("The search is being prepared. Try again in a few seconds."));
    };
    let Found { total, pages, corrections, is_partial, .. } = found;
    let keys: Vec<_> = pages.iter().map(|hit| (hit.space, hit.page)).collect();
    let addresses = addresses(request, &keys)?;
    let origin = request.site.origin(&request.app.urls);
    let shown: Vec<_> = pages
        .into_iter()
        .filter_map(|hit| {
            let href = addresses.get(&(hit.space, hit.page))?;
            Some(described(request, hit, &format!("{origin}{href}")))
        })
        .collect();
    if shown.is_empty() {
        return Ok(text("No page was found. Search with fewer or other words."));
    }
    let mut result = format!("Pages found: {total}.");
    if let Some(words) = joined(corrections.into_iter().map(|correction| correction.used)) {
        result.push_str(&format!(" Searched for {words} instead of words that no page has."));
    }
    if is_partial {
        result.push_str(" No page has all of the words.");
    }
    if offset + LIMIT < total.min(MAX_RANK) {
        result.push_str(&format!(" For more, search with `page` {}.", page + 1));
    }
    for (number, page) in shown.into_iter().enumerate() {
        result.push_str(&format!("\n\n{}. {page}", offset + number + 1));
    }
    Ok(text(result))
}

fn joined(words: impl Iterator<Item = String>) -> Option<String> {
    Some(words.collect::<Vec<_>>().join(", ")).filter(|words| !words.is_empty())
}

/// Returns the lines that describe a page that was found.
fn described(request: &SiteRequest<'_>, hit: PageHit, url: &str) -> String {
    let space = request.site.spaces.iter().find(|one| one.space.id == hit.space);
    let language = space.map_or("en", |space| space.interface_language());
    let mut lines = title_of(hit.title, messages(language));
    if !hit.ancestors.is_empty() {
        lines.push_str(&format!(" ({})", hit.ancestors.join(" / ")));
    }
    lines.push_str(&format!("\n   {url}"));
    for section in hit.sections {
        if let Some(anchor) = &section.anchor {
            lines.push_str(&format!("\n   {}: {url}#{}", section.heading, urls::encode(anchor)));
        }
        lines.push_str(&format!("\n   {}", section.snippet.replace('\n', " ")));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_pages_come_in_parts() {
        let body = "ä".repeat(MAX_TEXT);
        let mut read = 0;
        for _ in 0..2 {
            let shown = part(&body, read);
            let shown = shown.pointer("/content/0/text").and_then(Value::as_str).unwrap();
            read += shown.matches('ä').count() * 2;
        }
        assert_eq!(read, body.len());
        assert_eq!(part(&body, read).pointer("/isError"), Some(&json!(true)));
        assert_eq!(part("", 0), text(""));
    }
}
