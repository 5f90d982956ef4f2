//! Rendered differences of documents: their appearance, and that no script gets through.

use bindery_content::diff::diff;
use bindery_content::html::{DifferenceContext, NoLinks, RenderContext, render_difference};
use bindery_content::reference::NoLookup;
use bindery_content::{Document, ParseContext, markdown};

use crate::attacks::{CONTEXTS, attacks};
use crate::check::found;

fn parse(source: &str) -> Document {
    markdown::parse(source, &ParseContext { path: "page.md", lookup: &NoLookup })
}

fn html(before: &str, after: &str) -> String {
    let (before, after) = (parse(before), parse(after));
    let context = RenderContext { links: &NoLinks, highlight: false };
    let sides = DifferenceContext { before: context, after: context, notes: 0, limit: usize::MAX };
    render_difference(&diff(&before, &after), &sides).body
}

#[test]
fn insertions_and_deletions_are_marked() {
    for (before, after, expect) in [
        (
            "One two.",
            "One 2.",
            "<div class=\"edited\">\n<p>One <del>two</del><ins>2</ins>.</p>\n</div>\n",
        ),
        ("", "One.", "<ins class=\"block\">\n<p>One.</p>\n</ins>\n"),
        ("One.", "", "<del class=\"block\">\n<p>One.</p>\n</del>\n"),
        (
            "One *two*.",
            "One two.",
            "<div class=\"edited\">\n<p>One <span class=\"edited-words\" title=\"italic: yes → no\">\
             two</span>.</p>\n</div>\n",
        ),
        (
            "* one a b\n* two a b",
            "* one a b\n* two a b\n* three a b",
            "<ul>\n<li><p>one a b</p>\n</li>\n<li><p>two a b</p>\n</li>\n\
             <li><ins class=\"block\"><p>three a b</p>\n</ins></li>\n</ul>\n",
        ),
        (
            "| a |\n|---|\n| one |",
            "| a |\n|---|\n| one 1 |",
            "<div class=\"table\" role=\"group\" tabindex=\"0\" aria-label=\"Table\"><table><thead><tr>\
             <th scope=\"col\">a</th></tr></thead><tbody>\n<tr><td>one<ins> 1</ins></td></tr>\n\
             </tbody></table></div>\n",
        ),
        (
            "```\none\ntwo\n```",
            "```\none\n2\n```",
            "<figure class=\"code\"><figcaption>Code</figcaption><pre tabindex=\"0\"><code>\
             <span class=\"line\">one</span>\n<span class=\"line\"><del>two</del><ins>2</ins></span>\n\
             </code></pre></figure>\n",
        ),
        (
            "{% hint style=\"info\" %}\nOne.\n{% endhint %}",
            "{% hint style=\"danger\" %}\nOne.\n{% endhint %}",
            "<section class=\"box hint-danger\">\n<p class=\"label\">Hint: danger</p>\n\
             <p class=\"about\"><span>style</span> <del>info</del> <ins>danger</ins></p>\n\
             <p>One.</p>\n</section>\n",
        ),
    ] {
        assert_eq!(html(before, after), expect, "{before:?} {after:?}");
    }
}

#[test]
fn unchanged_blocks_are_collapsed() {
    let blocks: Vec<String> = (0..9).map(|n| format!("Block number {n}.")).collect();
    let before = blocks.join("\n\n");
    let html = html(&before, &before.replace("Block number 4", "Block No. 4"));
    assert_eq!(html.matches("<details class=\"unchanged\"><summary>2 unchanged").count(), 2);
    assert_eq!(html.matches("<p>").count(), 9, "{html}");
    assert!(!html.contains("open"), "{html}");
}

#[test]
fn notes_are_numbered_consecutively() {
    let source = |word: &str| format!("Text[^1] {word}.\n\n[^1]: Note.\n");
    let (before, after) = (parse(&source("a")), parse(&source("b")));
    let context = RenderContext { links: &NoLinks, highlight: false };
    let sides = DifferenceContext { before: context, after: context, notes: 4, limit: usize::MAX };
    let rendered = render_difference(&diff(&before, &after), &sides);
    assert_eq!(rendered.notes, 5);
    assert!(rendered.body.contains("popovertarget=\"B--note-5\""), "{}", rendered.body);
    assert!(rendered.body.contains("id=\"B--note-5\""), "{}", rendered.body);
}

fn passes(attack: &str, before: &str, after: &str) {
    let html = html(before, after);
    // An id written by an author occurs on both sides.
    let wrong: Vec<_> =
        found(&html).into_iter().filter(|wrong| !wrong.contains("twice id")).collect();
    assert_eq!(wrong, Vec::<String>::new(), "{attack}\n{html}");
}

#[test]
fn no_attack_gets_through_in_a_difference() {
    for (index, attack) in attacks().into_iter().enumerate() {
        let source = |word: &str| {
            let all = CONTEXTS.iter().map(|context| context.replace('@', attack) + word);
            all.collect::<Vec<_>>().join("\n\n")
        };
        let (before, after) = (source(""), source(" more"));
        passes(attack, &before, &after);
        if index % 5 == 0 {
            passes(attack, &before, "");
            passes(attack, "", &before);
        }
    }
}
