//! The lists of pages for language models: `llms.txt` of a site and of each of its spaces, and their
//! parts.
//!
//! A site whose list is short has one file. Otherwise its `llms.txt` links to a file for each space,
//! or to each part of the list of a space: `llms-1.txt`, `llms-2.txt` and so on below the address of
//! the space. If these are too many, `llms-1-100.txt` links to the first hundred.

use std::ops::RangeInclusive;

use bindery_model::Result;

use super::lists::{ListedPage, all_spaces, for_each_page, root, text};
use super::site_cache::LoadedSpace;
use super::{RenderedResponse, SiteRequest, changes};
use crate::feeds::llms::{FileList, MAX_LINKS, PageList, Parts};

/// The name of the list of all pages.
const LIST: &str = "llms.txt";

/// A file with pages of one space.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum File {
    /// All pages, or links to the parts of the list.
    Whole,
    /// The part of the list with this number, counted from 1.
    Part(usize),
    /// Links to the parts with these numbers.
    Parts(RangeInclusive<usize>),
}

/// Returns the path of the space and the file that a path below a site names.
///
/// For example, `guides/llms-2.txt` is the second part of the space at `guides`.
pub(super) fn file_at(path: &str) -> Option<(&str, File)> {
    let (space, name) = path.rsplit_once('/').unwrap_or(("", path));
    if name == LIST {
        return Some((space, File::Whole));
    }
    let numbers = name.strip_prefix("llms-")?.strip_suffix(".txt")?;
    let number = |text: &str| {
        let canonical = text.starts_with(|c: char| ('1'..='9').contains(&c));
        text.parse::<usize>().ok().filter(|_| canonical)
    };
    let Some((first, last)) = numbers.split_once('-') else {
        return Some((space, File::Part(number(numbers)?)));
    };
    let (first, last) = (number(first)?, number(last)?);
    let is_range = first % MAX_LINKS == 1 && Some(last) == first.checked_add(MAX_LINKS - 1);
    is_range.then_some((space, File::Parts(first..=last)))
}

/// Responds with `llms.txt` of the site.
pub(super) fn of_site(request: &SiteRequest<'_>) -> Result<RenderedResponse> {
    let description = site_description(request)?;
    let (title, description) = (changes::site_title(request.site), description.as_deref());
    let full =
        format!("[llms-full.txt]({}llms-full.txt) contains the text of all pages.", root(request));
    let note = format!("Each page is linked as Markdown. {full}");
    let mut whole = Some(PageList::new(title, description, &note));
    let mut spaces = Vec::new();
    for (position, space) in all_spaces(request) {
        let mut parts = Parts::default();
        let mut push = |page: ListedPage<'_>| {
            let entry = page.entry();
            let _number = parts.push(&entry);
            whole = whole.take().and_then(|mut list| list.push(&entry).then_some(list));
            Ok(true)
        };
        for_each_page(request, std::iter::once((position, space)), 0..usize::MAX, &mut push)?;
        spaces.push((space, parts));
    }
    if let Some(whole) = whole {
        return Ok(text(whole.finish()));
    }
    let note = format!("Each file lists pages, which are linked as Markdown. {full}");
    let mut files = FileList::new(title, description, &note);
    let all: usize = spaces.iter().map(|(_, parts)| parts.list().len()).sum();
    if all > MAX_LINKS {
        files.heading("Spaces");
    }
    for (space, parts) in spaces.iter().filter(|(_, parts)| !parts.list().is_empty()) {
        let title = space_title(request, space);
        let base = base(request, space);
        let is_at_root = is_at_root(request, space);
        if all <= MAX_LINKS {
            files.heading(&title);
            match parts.list() {
                [one] if !is_at_root => {
                    files.push(&one.title(), &format!("{base}{LIST}"), one.pages)
                }
                _ => push_parts(&mut files, &base, parts, 1..=all),
            }
        } else if is_at_root {
            push_ranges(&mut files, &base, parts);
        } else {
            files.push(&title, &format!("{base}{LIST}"), parts.pages());
        }
    }
    Ok(text(files.finish()))
}

/// Responds with a file of the space at a path; `None` if there is no such file.
pub(super) fn of_space(
    request: &SiteRequest<'_>,
    path: &str,
    file: File,
) -> Result<Option<RenderedResponse>> {
    let Some((space, "")) = request.site.resolve(path) else { return Ok(None) };
    let found = all_spaces(request).find(|(_, one)| one.site_space.id == space.site_space.id);
    let Some((position, space)) = found else { return Ok(None) };
    if file == File::Whole && is_at_root(request, space) {
        return Ok(None);
    }
    let base = base(request, space);
    let title = format!("{} – {}", changes::site_title(request.site), space_title(request, space));
    let about =
        format!("Pages of {}. All files: {}", space_title(request, space), address(request));
    let wanted = if let File::Part(number) = file { number } else { 1 };
    let note = "Each page is linked as Markdown.";
    let mut list = PageList::new(&title, Some(&about), note);
    let mut parts = Parts::default();
    let mut push = |page: ListedPage<'_>| {
        let entry = page.entry();
        let number = parts.push(&entry);
        if number == wanted {
            let _fits = list.push(&entry);
        }
        Ok(number <= wanted || !matches!(file, File::Part(_)))
    };
    for_each_page(request, std::iter::once((position, space)), 0..usize::MAX, &mut push)?;
    let count = parts.list().len();
    let mut files = FileList::new(&title, Some(&about), "Each file lists pages.");
    files.heading("Files");
    match file {
        File::Part(number) if number <= count => return Ok(Some(text(list.finish()))),
        File::Whole if count < 2 => return Ok(Some(text(list.finish()))),
        File::Whole if count > MAX_LINKS => push_ranges(&mut files, &base, &parts),
        File::Whole => push_parts(&mut files, &base, &parts, 1..=count),
        File::Parts(range) if *range.start() <= count => {
            push_parts(&mut files, &base, &parts, range);
        }
        File::Part(_) | File::Parts(_) => return Ok(None),
    }
    Ok(Some(text(files.finish())))
}

/// Returns the absolute address of `llms.txt` of the site.
pub(super) fn address(request: &SiteRequest<'_>) -> String {
    format!("{}{LIST}", root(request))
}

/// Adds the parts with these numbers.
fn push_parts(files: &mut FileList, base: &str, parts: &Parts, numbers: RangeInclusive<usize>) {
    for (part, number) in parts.list().iter().zip(1_usize..) {
        if numbers.contains(&number) {
            files.push(&part.title(), &format!("{base}llms-{number}.txt"), part.pages);
        }
    }
}

/// Adds the files that link to a hundred parts each.
fn push_ranges(files: &mut FileList, base: &str, parts: &Parts) {
    for (chunk, number) in parts.list().chunks(MAX_LINKS).zip(0_usize..) {
        let first = number * MAX_LINKS + 1;
        let last = first + (MAX_LINKS - 1);
        let [begin, .., end] = chunk else {
            push_parts(files, base, parts, first..=first);
            continue;
        };
        let title = format!("{} – {}", begin.first, end.last);
        let pages = chunk.iter().map(|part| part.pages).sum();
        files.push(&title, &format!("{base}llms-{first}-{last}.txt"), pages);
    }
}

/// Returns the title of a space with that of its section.
fn space_title(request: &SiteRequest<'_>, space: &LoadedSpace) -> String {
    let own = &space.site_space.title;
    let section = space.site_space.section;
    let variants =
        request.site.spaces.iter().filter(|one| one.site_space.section == section).count();
    match section.and_then(|section| request.site.structure.section(section)) {
        None => own.clone(),
        Some(section) if variants < 2 => section.title.clone(),
        Some(section) => format!("{} – {own}", section.title),
    }
}

/// Returns the absolute address of a space with a trailing `/`.
fn base(request: &SiteRequest<'_>, space: &LoadedSpace) -> String {
    format!("{}{}", request.site.origin(&request.app.urls), request.site.space_base(space))
}

fn is_at_root(request: &SiteRequest<'_>, space: &LoadedSpace) -> bool {
    request.site.space_base(space) == request.site.base()
}

/// Returns the description of the site's first page.
fn site_description(request: &SiteRequest<'_>) -> Result<Option<String>> {
    let mut description = None;
    let first = all_spaces(request).find(|(_, space)| is_at_root(request, space));
    for_each_page(request, first.into_iter(), 0..1, &mut |page: ListedPage<'_>| {
        description = page.description()?;
        Ok(false)
    })?;
    Ok(description)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_have_one_spelling() {
        for (path, expected) in [
            ("guides/llms.txt", Some(("guides", File::Whole))),
            ("llms-1.txt", Some(("", File::Part(1)))),
            ("a/b/llms-20.txt", Some(("a/b", File::Part(20)))),
            ("llms-101-200.txt", Some(("", File::Parts(101..=200)))),
            ("llms-1-200.txt", None),
            ("llms-0.txt", None),
            ("llms-01.txt", None),
            ("llms-+1.txt", None),
            ("llms-18446744073709551601-18446744073709551615.txt", None),
            ("llms-.txt", None),
            ("llms-full.txt", None),
        ] {
            assert_eq!(file_at(path), expected, "{path}");
        }
    }
}
