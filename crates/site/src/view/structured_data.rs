//! Structured data of a page for search engines: JSON-LD in the vocabulary of schema.org.

use serde_json::{Value, json};

use super::head::absolute;
use super::{PageView, SiteView};

/// Maximum number of ancestors that are named.
const MAX_ANCESTORS: usize = 32;

/// Returns the text of the `script` element that describes a page. It contains no character that is
/// markup.
pub(super) fn json_ld(
    site: &SiteView,
    page: &PageView,
    canonical: &str,
    image: Option<&str>,
) -> String {
    let home = absolute(site, &site.base);
    let mut article = json!({
        "@type": "TechArticle",
        "headline": page.title,
        "url": canonical,
        "inLanguage": site.language,
        "isPartOf": { "@type": "WebSite", "name": site.title, "url": home },
    });
    if let Some(fields) = article.as_object_mut() {
        let mut add = |name: &str, value: Option<Value>| {
            fields.extend(value.map(|value| (name.to_owned(), value)));
        };
        add("description", page.description.clone().map(Value::from));
        add("image", image.map(Value::from));
        let published =
            page.published.filter(|at| page.updated.is_none_or(|updated| *at <= updated));
        add("datePublished", published.map(|at| at.to_string().into()));
        add("dateModified", page.updated.map(|at| at.to_string().into()));
        let author = page.author.as_ref();
        add("author", author.map(|name| json!({ "@type": "Person", "name": name })));
    }
    let mut steps = vec![(site.title.as_str(), home.clone())];
    // An ancestor without an address, such as a group, is no step.
    let above = page.breadcrumbs.iter().filter(|link| !link.href.is_empty());
    steps.extend(
        above.take(MAX_ANCESTORS).map(|link| (link.title.as_str(), absolute(site, &link.href))),
    );
    if absolute(site, &page.href) != home {
        steps.push((page.title.as_str(), canonical.to_owned()));
    }
    let steps: Vec<Value> = (1..)
        .zip(steps)
        .map(|(position, (name, item))| {
            json!({ "@type": "ListItem", "position": position, "name": name, "item": item })
        })
        .collect();
    let breadcrumbs = json!({ "@type": "BreadcrumbList", "itemListElement": steps });
    escape(&json!({ "@context": "https://schema.org", "@graph": [article, breadcrumbs] }))
}

/// Returns JSON in which the characters that end a `script` element, begin a comment or end a line
/// of a script are escaped.
fn escape(value: &Value) -> String {
    let text = value.to_string();
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => {
                out.push_str(&format!("\\u{:04x}", u32::from(c)));
            }
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use bindery_model::Timestamp;

    use super::*;
    use crate::view::Link;

    fn site() -> SiteView {
        SiteView::new("Hand & <book>", "https://x.example", "/h/")
    }

    #[test]
    fn a_page_is_described_with_its_dates_and_ancestors() {
        let link = |title: &str, href: &str| Link { title: title.into(), href: href.into() };
        let page = PageView {
            title: "Install".into(),
            description: Some("How to".into()),
            href: "/h/guide/install".into(),
            breadcrumbs: vec![link("Group", ""), link("Guide", "/h/guide")],
            published: Some(Timestamp::from_millis(1_000)),
            updated: Some(Timestamp::from_millis(2_000)),
            ..PageView::default()
        };
        let image = Some("https://x.example/i.png");
        let text = json_ld(&site(), &page, "https://x.example/h/guide/install", image);
        let value: Value = serde_json::from_str(&text).unwrap();
        insta::assert_snapshot!(serde_json::to_string_pretty(&value).unwrap(), @r#"
    {
      "@context": "https://schema.org",
      "@graph": [
        {
          "@type": "TechArticle",
          "headline": "Install",
          "url": "https://x.example/h/guide/install",
          "inLanguage": "en",
          "isPartOf": {
            "@type": "WebSite",
            "name": "Hand & <book>",
            "url": "https://x.example/h/"
          },
          "description": "How to",
          "image": "https://x.example/i.png",
          "datePublished": "1970-01-01T00:00:01.000Z",
          "dateModified": "1970-01-01T00:00:02.000Z"
        },
        {
          "@type": "BreadcrumbList",
          "itemListElement": [
            {
              "@type": "ListItem",
              "position": 1,
              "name": "Hand & <book>",
              "item": "https://x.example/h/"
            },
            {
              "@type": "ListItem",
              "position": 2,
              "name": "Guide",
              "item": "https://x.example/h/guide"
            },
            {
              "@type": "ListItem",
              "position": 3,
              "name": "Install",
              "item": "https://x.example/h/guide/install"
            }
          ]
        }
      ]
    }
    "#);
    }

    #[test]
    fn texts_of_authors_are_no_markup() {
        let page = PageView {
            title: "</script><!--\u{2028}&amp;".into(),
            href: "/h/".into(),
            ..PageView::default()
        };
        let text = json_ld(&site(), &page, "https://x.example/h/", None);
        assert!(!text.contains(['<', '>', '&', '\u{2028}']), "{text}");
        let value: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(value.pointer("/@graph/0/headline"), Some(&json!(page.title)));
        // The first page of a site is the only step to itself.
        let steps = value.pointer("/@graph/1/itemListElement").and_then(Value::as_array);
        assert_eq!(steps.map(Vec::len), Some(1));
    }
}
