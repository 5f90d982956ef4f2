//! Tests of text that the dialect reads differently from CommonMark or from its exporter's older
//! forms.

use super::check;

#[test]
fn tags_with_unknown_names_are_text() {
    check(&[
        ("http://<hostname>:<port>/x", "paragraph(\"http://<hostname>:<port>/x\")"),
        ("List<String>", "paragraph(\"List<String>\")"),
        ("<host>\n</host>\n\nb", "paragraph(\"<host> </host>\") paragraph(\"b\")"),
        ("**<a-b c=\"d\">**", "paragraph(bold:\"<a-b c=\\\"d\\\">\")"),
        (
            "* <key>\n\n> <key>",
            "list-unordered(list-item(paragraph(\"<key>\"))) blockquote(paragraph(\"<key>\"))",
        ),
        ("`<b>` <b>x</b>", "paragraph(code:\"<b>\"+\" \"+bold:\"x\")"),
        ("<p align=\"center\"><key></p>", "paragraph[align=center](\"<key>\")"),
        ("<b>a</b>\n<key>", "paragraph(bold:\"a\"+\" <key>\")"),
        ("[a](<my file.md>) <my>", "paragraph(link[ref=my file.md](\"a\") \" <my>\")"),
    ]);
}
