//! Renders differences as a standalone HTML page.

use bindery_content::diff::{diff, value_text};
use bindery_content::html::{
    DifferenceContext, OUTPUT_LIMIT, RenderContext, escape, render_difference,
};

use super::links::ContentLinks;
use super::{Comparison, DifferenceItem};

const STYLE: &str = include_str!("page.css");

/// The heading of the page.
pub(crate) struct Heading<'a> {
    /// The title of the page.
    pub(crate) title: &'a str,
    /// Number of differing items.
    pub(crate) count: u64,
    /// The query string of the next page of differences, if there is one.
    pub(crate) next: Option<String>,
}

fn escaped(text: &str) -> String {
    let mut html = String::with_capacity(text.len());
    escape(text, &mut html);
    html
}

impl Comparison<'_> {
    /// Renders the items as a page.
    pub(crate) fn html(&self, heading: &Heading<'_>, items: &[DifferenceItem]) -> String {
        let Heading { title, count, next } = heading;
        let title = escaped(title);
        let mut html = format!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta name=\"color-scheme\" content=\"light dark\">\n<title>{title}</title>\n\
             <style>\n{STYLE}</style>\n</head>\n<body>\n<main>\n<header>\n<h1>{title}</h1>\n"
        );
        let things = if *count == 1 { "1 change".to_owned() } else { format!("{count} changes") };
        html.push_str(&format!("<p class=\"count\">{things}</p>\n</header>\n"));
        if items.len() > 1 {
            html.push_str("<nav aria-label=\"Changes\">\n<ol>\n");
            for (index, one) in items.iter().enumerate() {
                html.push_str(&format!(
                    "<li><a href=\"#~{index}\">{}</a> {}</li>\n",
                    escaped(&one.title),
                    badge(one)
                ));
            }
            html.push_str("</ol>\n</nav>\n");
        }
        let mut notes = 0;
        for (index, one) in items.iter().enumerate() {
            self.article(index, one, &mut notes, &mut html);
        }
        if let Some(next) = next {
            let next = escaped(next);
            html.push_str(&format!("<footer><a rel=\"next\" href=\"?{next}\">Next</a></footer>\n"));
        }
        html.push_str("</main>\n</body>\n</html>\n");
        html
    }

    fn article(&self, index: usize, item: &DifferenceItem, notes: &mut usize, html: &mut String) {
        let title = escaped(&item.title);
        html.push_str(&format!("<article id=\"~{index}\">\n<h2>{title} {}</h2>\n", badge(item)));
        if let Some(path) = item.path.as_deref().filter(|path| !path.is_empty()) {
            html.push_str(&format!("<p class=\"path\">{}</p>\n", escaped(path)));
        }
        let mut values = |name: &str, before: Option<String>, after: Option<String>| {
            html.push_str(&format!("<p class=\"about\"><span>{}</span>", escaped(name)));
            for (value, element) in [(before, "del"), (after, "ins")] {
                if let Some(value) = value {
                    html.push_str(&format!(" <{element}>{}</{element}>", escaped(&value)));
                }
            }
            html.push_str("</p>\n");
        };
        if let Some([before, after]) = &item.moved {
            let name = |path: &Option<String>| Some(path.clone().unwrap_or_else(|| "/".to_owned()));
            values("under", name(before), name(after));
        }
        let (old, new) = (ContentLinks(&self.before), ContentLinks(&self.after));
        for attribute in &item.attributes {
            let before = (!attribute.before.is_null()).then(|| value_text(&attribute.before, &old));
            let after = (!attribute.after.is_null()).then(|| value_text(&attribute.after, &new));
            values(&attribute.name, before, after);
        }
        if let Some([before, after]) = &item.documents {
            let limit = OUTPUT_LIMIT.saturating_sub(html.len());
            let sides = DifferenceContext {
                before: RenderContext { links: &old, highlight: false },
                after: RenderContext { links: &new, highlight: false },
                notes: *notes,
                limit,
            };
            let rendered = render_difference(&diff(before, after), &sides);
            *notes = rendered.notes;
            html.push_str("<div class=\"document\">\n");
            html.push_str(&rendered.body);
            html.push_str("</div>\n");
        }
        html.push_str("</article>\n");
    }
}

fn badge(item: &DifferenceItem) -> String {
    let change = item.change.as_str();
    let kind = item.kind.as_str().replace('-', " ");
    format!("<small class=\"badge {change}\">{kind} {change}</small>")
}
