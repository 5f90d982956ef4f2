//! Renders differences as plain text for a terminal.

use bindery_content::diff::{changed_value, diff, text};

use super::links::ContentLinks;
use super::{Comparison, DifferenceItem};

impl Comparison<'_> {
    /// Renders the items one after the other.
    pub(crate) fn text(&self, title: Option<&str>, items: &[DifferenceItem], more: u64) -> String {
        let mut written = String::new();
        if let Some(title) = title {
            written.push_str(&format!("{}\n\n", line(title)));
        }
        if items.is_empty() {
            written.push_str("No differences.\n");
        }
        let links = ContentLinks(&self.after);
        for (index, one) in items.iter().enumerate() {
            if index > 0 {
                written.push('\n');
            }
            let path = one.path.as_deref().filter(|path| !path.is_empty());
            let path = path.map(|path| format!(" ({path})")).unwrap_or_default();
            let head =
                format!("{} {}: {}{path}", one.change.as_str(), one.kind.as_str(), one.title);
            written.push_str(&format!("{}\n", line(&head)));
            if let Some([before, after]) = &one.moved {
                let name = |path: &Option<String>| path.clone().unwrap_or_else(|| "/".to_owned());
                let moved = format!("  under: [-{}-] {{+{}+}}", name(before), name(after));
                written.push_str(&format!("{}\n", line(&moved)));
            }
            for attribute in &one.attributes {
                written.push_str(&format!("  {}\n", line(&changed_value(attribute, &links))));
            }
            if let Some([before, after]) = &one.documents {
                written.push_str(&text(&diff(before, after), &links));
            }
        }
        if more > 0 {
            written.push_str(&format!("\n{more} more\n"));
        }
        written
    }
}

/// Returns a text as one line without terminal control characters.
fn line(text: &str) -> String {
    bindery_content::diff::sanitize_for_terminal(&text.replace('\n', " "))
}
