//! English.

use super::Messages;
use bindery_content::html;

pub(super) const MESSAGES: Messages = Messages {
    language: "en",
    skip: "Skip to content",
    menu: "Menu",
    pages: "Pages",
    pages_in: "Pages in {}",
    breadcrumbs: "Breadcrumbs",
    sections: "Sections",
    versions: "Versions",
    languages: "Languages",
    outline: "On this page",
    previous: "Previous",
    next: "Next",
    neighbours: "Previous and next page",
    search: "Search",
    updated: "Last changed {}",
    updated_by: "Last changed {} by",
    edit: "Edit this page",
    markdown: "View as Markdown",
    earlier: "{} earlier",
    more: "{} more",
    not_found: "Page not found",
    not_found_text: "There is no page at this address. It may have moved or been removed.",
    nearest: "Pages with a similar address",
    home: "Go to the start page",
    empty: "Nothing here yet",
    empty_text: "This site is published, but it has no pages. They appear here as soon as they are written or imported.",
    forbidden: "Sign in to read this",
    forbidden_text: "This site is open to certain readers only. If you are one of them, sign in to continue.",
    sign_in: "Sign in",
    empty_page: "This page has no content yet.",
    untitled: "Untitled",
    text: &html::Labels::ENGLISH,
};
