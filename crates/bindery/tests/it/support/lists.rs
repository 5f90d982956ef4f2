//! Lists of the API, page by page.

use bindery_testkit::{Answer, Call};
use serde_json::Value;

/// Returns all pages of a list in order.
pub(crate) async fn pages(list: impl Fn() -> Call) -> Vec<Answer> {
    let mut pages = vec![list().send().await.expect(200)];
    while let Some(next) = pages[pages.len() - 1].json.pointer("/next/page") {
        let page = list().query("page", next.as_str().unwrap()).send().await.expect(200);
        // A cursor that returns itself would be followed forever.
        assert_ne!(page.json.pointer("/next/page"), Some(next), "{page}");
        pages.push(page);
    }
    pages
}

/// Returns the items in a page of a list.
pub(crate) fn items(page: &Answer) -> &[Value] {
    page.at("/items").as_array().unwrap()
}
