//! Atom feeds (RFC 4287): the changes of a site or a space, and the updates of a changelog.

use std::fmt::Write as _;

use bindery_model::Timestamp;

use super::{escape_xml, is_xml_char};

/// Maximum number of entries in a feed.
pub const MAX_ENTRIES: usize = 50;

/// A feed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Feed {
    /// The parts that identify the feed: see [`urn`].
    pub id: Vec<String>,
    /// The title.
    pub title: String,
    /// The absolute address of the page that the feed belongs to.
    pub href: String,
    /// The absolute address of the feed.
    pub self_href: String,
    /// The name of the author of all entries.
    pub author: String,
    /// The BCP 47 tag of the language.
    pub language: String,
    /// The time of a feed without entries.
    pub created: Timestamp,
    /// The entries, newest first.
    pub entries: Vec<Entry>,
}

/// An entry of a feed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Entry {
    /// The parts that identify the entry: see [`urn`].
    pub id: Vec<String>,
    /// The title as plain text.
    pub title: String,
    /// The absolute address that the entry leads to.
    pub href: String,
    /// The time of the change.
    pub updated: Timestamp,
    /// The time of the first publication, if it is known.
    pub published: Option<Timestamp>,
    /// A sentence about the entry as plain text.
    pub summary: Option<String>,
    /// The text of the entry as trusted HTML. Its relative addresses are relative to `href`.
    pub content: Option<String>,
    /// The categories: a term and the label that readers see.
    pub categories: Vec<(String, String)>,
}

impl Feed {
    /// Returns the time of the newest entry.
    pub fn updated(&self) -> Timestamp {
        self.entries.iter().map(|entry| entry.updated).max().unwrap_or(self.created)
    }

    /// Returns the XML document.
    pub fn render(&self) -> String {
        let Self { id, title, href, self_href, author, language, created: _, entries } = self;
        let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
        let language = escape_xml(language);
        let _ =
            writeln!(out, "<feed xmlns=\"http://www.w3.org/2005/Atom\" xml:lang=\"{language}\">");
        element(&mut out, "id", &urn(id));
        element(&mut out, "title", title);
        element(&mut out, "updated", &self.updated().to_string());
        let _ = writeln!(
            out,
            "<link rel=\"self\" type=\"application/atom+xml\" href=\"{}\"/>",
            escape_xml(self_href)
        );
        link(&mut out, href);
        let _ = writeln!(out, "<author><name>{}</name></author>", escape_xml(author));
        out.push_str("<generator>Bindery</generator>\n");
        for entry in entries {
            entry.render(&mut out);
        }
        out.push_str("</feed>\n");
        out
    }
}

impl Entry {
    fn render(&self, out: &mut String) {
        let Self { id, title, href, updated, published, summary, content, categories } = self;
        out.push_str("<entry>\n");
        element(out, "id", &urn(id));
        element(out, "title", title);
        link(out, href);
        if let Some(published) = published {
            element(out, "published", &published.to_string());
        }
        element(out, "updated", &updated.to_string());
        for (term, label) in categories {
            let (term, label) = (escape_xml(term), escape_xml(label));
            let _ = writeln!(out, "<category term=\"{term}\" label=\"{label}\"/>");
        }
        if let Some(summary) = summary {
            element(out, "summary", summary);
        }
        if let Some(content) = content {
            let base = escape_xml(href);
            let _ = write!(out, "<content type=\"html\" xml:base=\"{base}\">");
            escape_content(content, out);
            out.push_str("</content>\n");
        }
        out.push_str("</entry>\n");
    }
}

fn element(out: &mut String, name: &str, text: &str) {
    let _ = writeln!(out, "<{name}>{}</{name}>", escape_xml(text));
}

fn link(out: &mut String, href: &str) {
    let href = escape_xml(href);
    let _ = writeln!(out, "<link rel=\"alternate\" type=\"text/html\" href=\"{href}\"/>");
}

/// Escapes text for an element whose line breaks are significant.
fn escape_content(text: &str, out: &mut String) {
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '\n' | '\t' => out.push(c),
            c if is_xml_char(c) => out.push(c),
            _ => {}
        }
    }
}

/// Returns a permanent id (RFC 9562, version 8) for what these parts identify. It does not depend on
/// the address of the site.
pub fn urn(parts: &[String]) -> String {
    let mut hasher = blake3::Hasher::new();
    for part in parts {
        hasher.update(&u64::try_from(part.len()).unwrap_or(u64::MAX).to_le_bytes());
        hasher.update(part.as_bytes());
    }
    let hex = hasher.finalize().to_hex();
    let hex: Vec<char> = hex.chars().take(32).collect();
    let mut out = String::from("urn:uuid:");
    for (at, digit) in hex.into_iter().enumerate() {
        if matches!(at, 8 | 12 | 16 | 20) {
            out.push('-');
        }
        out.push(match at {
            // The version and the variant.
            12 => '8',
            16 => 'a',
            _ => digit,
        });
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn feed() -> Feed {
        Feed {
            id: vec!["site".into()],
            title: "A & <B>".into(),
            href: "https://x.example/h/".into(),
            self_href: "https://x.example/h/atom.xml".into(),
            author: "A & <B>".into(),
            language: "en".into(),
            created: Timestamp::from_millis(0),
            entries: Vec::new(),
        }
    }

    #[test]
    fn a_feed_escapes_texts_of_authors() {
        let entry = Entry {
            id: vec!["site".into(), "page".into()],
            title: "]]> \"x\" <script>\u{1}\u{b}\u{ffff}\n&amp;".into(),
            href: "https://x.example/h/a?b&c".into(),
            updated: Timestamp::from_millis(2_000),
            published: Some(Timestamp::from_millis(1_000)),
            summary: Some("One\n<two>".into()),
            content: Some("<pre>a\nb &amp; c</pre>\u{0}".into()),
            categories: vec![("a\"b".into(), "A 'b'".into())],
        };
        insta::assert_snapshot!(Feed { entries: vec![entry], ..feed() }.render(), @r#"
    <?xml version="1.0" encoding="UTF-8"?>
    <feed xmlns="http://www.w3.org/2005/Atom" xml:lang="en">
    <id>urn:uuid:0b1240d2-d448-891d-a38c-ed8dabf81a8a</id>
    <title>A &amp; &lt;B&gt;</title>
    <updated>1970-01-01T00:00:02.000Z</updated>
    <link rel="self" type="application/atom+xml" href="https://x.example/h/atom.xml"/>
    <link rel="alternate" type="text/html" href="https://x.example/h/"/>
    <author><name>A &amp; &lt;B&gt;</name></author>
    <generator>Bindery</generator>
    <entry>
    <id>urn:uuid:a8d4e372-1195-8ce7-ae2f-6b83c8a363b5</id>
    <title>]]&gt; &quot;x&quot; &lt;script&gt; &amp;amp;</title>
    <link rel="alternate" type="text/html" href="https://x.example/h/a?b&amp;c"/>
    <published>1970-01-01T00:00:01.000Z</published>
    <updated>1970-01-01T00:00:02.000Z</updated>
    <category term="a&quot;b" label="A &apos;b&apos;"/>
    <summary>One &lt;two&gt;</summary>
    <content type="html" xml:base="https://x.example/h/a?b&amp;c">&lt;pre&gt;a
    b &amp;amp; c&lt;/pre&gt;</content>
    </entry>
    </feed>
    "#);
    }

    #[test]
    fn a_feed_without_entries_has_the_time_of_its_creation() {
        assert_eq!(feed().updated(), Timestamp::from_millis(0));
        assert!(feed().render().contains("<updated>1970-01-01T00:00:00.000Z</updated>"));
    }

    #[test]
    fn ids_are_distinct_and_of_version_8() {
        let id = |parts: &[&str]| urn(&parts.iter().map(|p| (*p).to_owned()).collect::<Vec<_>>());
        let (one, other) = (id(&["ab", "c"]), id(&["a", "bc"]));
        assert_ne!(one, other);
        assert_eq!(one, id(&["ab", "c"]));
        assert_eq!((one.len(), one.get(23..24), one.get(28..29)), (45, Some("8"), Some("a")));
    }
}
