//! Texts that are expensive to process: the worst case of each construct, for tests and for the
//! sweep.

/// Returns named texts of about `long` bytes each.
#[must_use]
pub fn sources(long: usize) -> Vec<(&'static str, String)> {
    let mut sources = basic(long);
    sources.extend(notes(long));
    sources.extend(inline(long));
    sources.extend(blocks(long));
    sources.extend(html(long));
    sources.extend(heads(long));
    sources
}

/// Returns `part(0)`, `part(1)` and so on, concatenated to about `long` bytes.
fn numbered(long: usize, part: impl Fn(usize) -> String) -> String {
    let mut text = String::with_capacity(long + 64);
    for n in 0.. {
        if text.len() >= long {
            break;
        }
        text.push_str(&part(n));
    }
    text
}

fn repeated(long: usize, part: &str) -> String {
    part.repeat((long / part.len()).max(1))
}

fn basic(long: usize) -> Vec<(&'static str, String)> {
    vec![
        ("quotes", ">".repeat(long / 20)),
        ("lists", numbered(long, |n| " ".repeat(n % 2_000) + "* a\n")),
        ("brackets", "[".repeat(long)),
        ("links", "[a](".repeat(long / 4)),
        ("emphasis", "*a **b ".repeat(long / 7)),
        ("hints", "{% hint %}\n".repeat(long / 10)),
        ("closed hints", "{% hint %}\n".repeat(long / 40) + &"{% endhint %}\n".repeat(long / 40)),
        ("ends", "{% endhint %}\n".repeat(long / 10)),
        ("one line", "{% hint %} ".repeat(long / 10)),
        ("open tags", "{% hint a=\"\n".repeat(long / 10)),
        ("details", "<details>\n".repeat(long / 10)),
        ("details in a line", "<details>".repeat(long / 10)),
        ("summaries", "<summary>\n".repeat(long / 10)),
        ("formulas", "$$\n".repeat(long / 3) + "$$ a"),
        ("formula line", "$$ ` ``".repeat(long / 7)),
        ("backticks", (1..long / 300).map(|n| "`".repeat(n) + " $$").collect()),
        ("html", "<div>\n".repeat(long / 6)),
        ("html tags", "<kbd>".repeat(long / 5)),
        ("closing tags", "</kbd>".repeat(long / 6)),
        ("comments", "<!-- ".repeat(long / 5)),
        ("placeholders", "<host>".repeat(long / 6)),
        ("placeholders and open targets", "<host>](".repeat(long / 8)),
        ("placeholders and open comments", "<host><!-- ".repeat(long / 11)),
        ("placeholders and backticks", "<host>`` ` ``` ".repeat(long / 15)),
        ("full-width emphasis", "**：**文*".repeat(long / 12)),
        ("tables with blank lines", "<table>\n\n".repeat(long / 9)),
        ("closed tables with blank lines", "<table>\n\n</table>\n".repeat(long / 18)),
        ("cells with blank lines", format!("<table>{}</table>", "<td>\n\na\n\n".repeat(long / 9))),
        ("pictures with data", "data:image/png;base64,".repeat(long / 22)),
        ("line of comments", "a <!--".repeat(long / 6)),
        ("attributes", format!("<div {}>", "a=\"".repeat(long / 3))),
        ("colons", ":a".repeat(long / 2)),
        ("notes", "x[^1] ".repeat(long / 6) + "\n\n[^1]: note"),
        ("pipes", format!("|a|\n|-|\n{}", "|".repeat(long))),
        ("html table", format!("<table>{}", "<tr><td>".repeat(long / 8))),
        ("headings", "# a\n".repeat(long / 4)),
        ("entities", "&amp;&".repeat(long / 6)),
        ("mixed html", "<br>x\n".repeat(long / 6)),
        ("tags in html", "<div>\n{% hint %}\n".repeat(long / 17)),
        ("galleries", "<div><img src=\"a\">".repeat(long / 18)),
        ("open galleries", "<div>\n\n<img src=\"a\">\n\n".repeat(long / 25)),
        ("ends of galleries", "</div>\n\n".repeat(long / 8)),
        ("instructions", "a <?".repeat(long / 4)),
        ("only instructions", "<?".repeat(long / 2)),
        ("open comments", "<!--  ".repeat(long / 6)),
        (
            "tabs without a tab",
            "{% tabs %}\n".repeat(long / 25) + "x" + &"{% endtabs %}\n".repeat(long / 25),
        ),
        ("quotes in a note", format!("x[^1]\n\n[^1]: {}", "> * ".repeat(long / 4))),
        ("emoji", "a:tada:".repeat(long / 7)),
        ("instructions in html", format!("<div>{}", "<?".repeat(long / 2))),
        ("shortest comments", "a <!-->".repeat(long / 7)),
        ("notes in parts", "{% hint %} x[^1] {% endhint %}\n".repeat(long / 31) + "\n[^1]: note"),
        (
            "many notes in parts",
            (0..long / 45)
                .map(|n| format!("{{% hint %}} x[^{n}] {{% endhint %}}\n\n[^{n}]: a\n\n"))
                .collect(),
        ),
    ]
}

fn notes(long: usize) -> Vec<(&'static str, String)> {
    let chain = |n: usize| format!("[^{n}]: a[^{}]\n\n", n + 1);
    vec![
        ("chained notes", format!("x[^0]\n\n{}", numbered(long, chain))),
        ("notes on a line", format!("x[^0]\n\n{}", numbered(long, |n| format!("[^{n}]: ")))),
        ("notes without blank lines", numbered(long, |n| format!("[^{n}]: a[^{}]\n", n + 1))),
        ("notes in quotes", format!("x[^0]\n\n{}", numbered(long, |n| format!("> [^{n}]: a\n")))),
        ("notes in lists", numbered(long, |n| format!("* [^{n}]: a[^{}]\n", n + 1))),
        ("notes of each other", numbered(long, |n| format!("a[^{n}]\n\n[^{n}]: b[^{n}]\n\n"))),
        ("many notes", numbered(long, |n| format!("a[^{n}]\n\n[^{n}]: b {n}\n\n"))),
        ("same notes", numbered(long, |n| format!("a[^{n}]\n\n[^{n}]: b\n\n"))),
        ("references behind each other", format!("x{}\n\n[^1]: a", repeated(long, "[^1]"))),
        (
            "references to a long note",
            repeated(long / 2, "x[^1] ") + "\n\n[^1]: " + &repeated(long / 2, "b "),
        ),
        ("references to nothing", numbered(long, |n| format!("x[^{n}] "))),
        ("notes twice", repeated(long, "x[^1]\n\n[^1]: a\n\n")),
        ("open notes", repeated(long, "[^a")),
        ("long labels", format!("[^{}]: x\n", "a".repeat(long))),
        (
            "notes in hints",
            numbered(long, |n| {
                format!("{{% hint %}}\na[^{n}]\n\n[^{n}]: b[^{}]\n{{% endhint %}}\n\n", n + 1)
            }),
        ),
        (
            "nested notes",
            numbered(long, |n| format!("{}[^{n}]: a[^{}]\n\n", " ".repeat(n % 90 * 4), n + 1)),
        ),
    ]
}

fn inline(long: usize) -> Vec<(&'static str, String)> {
    let part = |text: &str| repeated(long, text);
    vec![
        ("words", part("word ")),
        ("one word", "a".repeat(long)),
        ("spaces", " ".repeat(long)),
        ("hard breaks", part("a  \n")),
        ("backslashes", "\\".repeat(long)),
        ("escapes", part("\\*")),
        ("stars", "*".repeat(long)),
        ("underscores", "_".repeat(long)),
        ("stars and underscores", part("*_")),
        ("stars, then underscores", part("*a_ ")),
        ("strong", part("**a** ")),
        ("open strong", part("**a ")),
        ("closing strong", part("a** ")),
        ("many stars", numbered(long, |n| format!("{}a ", "*".repeat(n % 500)))),
        ("tildes", "~".repeat(long)),
        ("strikes", part("~~a ")),
        ("tildes of two lengths", part("~a ~~b ")),
        ("code spans", part("`a` ")),
        ("growing backticks", numbered(long, |n| format!("{} ", "`".repeat(n + 1)))),
        ("backticks of two lengths", part("`a``")),
        ("closing brackets", "]".repeat(long)),
        ("nested brackets", format!("{}{}", "[".repeat(long / 2), "]".repeat(long / 2))),
        ("brackets and parentheses", part("[](")),
        ("nested links", format!("{}a{}", "[".repeat(long / 5), "](b)".repeat(long / 5))),
        ("nested pictures", format!("{}a{}", "![".repeat(long / 6), "](b)".repeat(long / 6))),
        ("pictures", part("![a](b) ")),
        ("open pictures", part("![")),
        ("parentheses", format!("[a]({}", "(".repeat(long))),
        ("titles", format!("[a](b \"{}", part("\\\""))),
        ("links with titles", part("[a](b \"c\") ")),
        ("links with open titles", part("[a](b \"c ")),
        ("angle targets", part("[a](<b ")),
        ("autolinks", part("<https://a.b> ")),
        ("open autolinks", part("<https://a.b ")),
        ("mail", part("<a@b.c> ")),
        ("addresses", part("https://a.b ")),
        ("definitions", numbered(long, |n| format!("[{n}]: /a\n"))),
        ("definitions and links", numbered(long, |n| format!("[{n}]: /a\n\n[{n}]\n\n"))),
        (
            "links to a long definition",
            format!("[a]: /{}\n\n{}", "b".repeat(long / 10), repeated(long / 2, "[a] ")),
        ),
        (
            "long titles of a definition",
            format!("[a]: /x \"{}\"\n\n{}", "b".repeat(long / 10), repeated(long / 2, "[a] ")),
        ),
        (
            "definitions in parts",
            format!(
                "[a]: /{}\n\n{}",
                "b".repeat(long / 10),
                repeated(long / 2, "{% hint %}[a]{% endhint %}\n\n")
            ),
        ),
        ("open definitions", part("[a]: <b\n")),
        ("references", part("[a][b]")),
        ("references to nothing defined", part("[a][] ")),
        ("entities without an end", part("&a")),
        ("long entities", format!("&{};", "a".repeat(long))),
        ("numeric entities", part("&#1234567;")),
        ("shortcodes", part(":a:")),
        ("mentions", part("[a](/a \"mention\") ")),
        ("dollars", "$".repeat(long)),
        ("inline formulas", part("$$a$$ ")),
        ("open formulas", part("$$a ")),
        ("deep formula", format!("$$\n{}\n$$", "{".repeat(long))),
        ("formula of fractions", format!("$$\n{}\n$$", part("\\frac{"))),
        ("formula of powers", format!("$$\n{}\n$$", part("a^"))),
        ("formula of brackets", format!("$$\n{}\n$$", part("\\left("))),
        ("formula of words", format!("$$\n{}\n$$", part("\\alpha "))),
        ("formula of macros", format!("$$\n{}\n$$", part("\\def\\a{\\a\\a}\\a "))),
        ("formula of environments", format!("$$\n{}\n$$", part("\\begin{matrix}a&b\\\\"))),
        ("expressions", part("<code class=\"expression\">a.b</code> ")),
        ("open expressions", part("<code class=\"expression\">")),
        ("icons", part("<i class=\"fa-a\">a</i> ")),
        ("open icons", part("<i class=\"fa-a\">")),
        ("marks", part("<mark style=\"color:red;\">")),
        ("closed marks", part("<mark style=\"color:red;\">a</mark>")),
        ("bold tags", part("<b>")),
        ("crossed tags", part("<b><i></b></i>")),
        ("buttons", part("<a href=\"b\" class=\"button primary\">c</a> ")),
        ("open buttons", part("<a href=\"b\" class=\"button\">")),
        ("places", part("<a id=\"a\"></a>")),
        ("places in a title", format!("# {}", part("<a id=\"a\"></a>"))),
        ("frames", part("a <iframe src=\"b\"></iframe> ")),
        ("videos", part("a <video src=\"b\"> ")),
        ("sources", part("a <video><source src=\"b\"></video> ")),
        ("different sources", numbered(long, |n| format!("a <video src=\"{n}\"></video> "))),
        ("line ends", "\n".repeat(long)),
        ("returns", "\r".repeat(long)),
        ("both line ends", part("a\r\n")),
        ("zeros", "\0".repeat(long)),
        ("wide characters", part("é🎉\u{200B}")),
        ("tabs", "\t".repeat(long)),
        ("boxes", part("* [ ] ")),
        ("pictures with bytes", numbered(long, |n| format!("![](data:{n}) "))),
    ]
}

fn blocks(long: usize) -> Vec<(&'static str, String)> {
    let part = |text: &str| repeated(long, text);
    let pair = |open: &str, close: &str| {
        let count = long / (open.len() + close.len());
        format!("{}a\n{}", open.repeat(count), close.repeat(count))
    };
    vec![
        ("paragraphs", part("a\n\n")),
        ("different paragraphs", numbered(long, |n| format!("a {n}\n\n"))),
        ("dividers", part("***\n")),
        ("underlines", part("a\n===\n")),
        ("different headings", numbered(long, |n| format!("# a {n}\n\n"))),
        ("numbered headings", numbered(long, |n| format!("# a\n\n# a {}\n\n", n % 9))),
        (
            "headings with ids",
            numbered(long, |_| "# a <a href=\"#b\" id=\"b\"></a>\n\n".to_owned()),
        ),
        ("items", part("* a\n")),
        ("loose items", part("* a\n\n")),
        ("numbers", part("1. a\n")),
        ("lists of one item", part("* a\n+ b\n")),
        ("nested lists", numbered(long, |n| format!("{}* a\n", "  ".repeat(n % 100)))),
        ("lists on a line", part("* ")),
        ("lists on lines", repeated(long, &("* ".repeat(60) + "a\n"))),
        ("numbers on a line", part("1. ")),
        ("quoted lists", part("> * a\n")),
        ("quotes and lists", part("> * ")),
        ("quotes on lines", repeated(long, &("> ".repeat(60) + "a\n"))),
        ("quotes of every depth", numbered(long, |n| ">".repeat(n % 120) + "a\n")),
        ("lazy quotes", format!("> a\n{}", part("b\n"))),
        ("alerts", part("> [!NOTE]\n> a\n\n")),
        ("fences", part("```\n")),
        ("fences with text", part("```\na\n```\n\n")),
        ("growing fences", numbered(long, |n| format!("{}\n", "`".repeat(n + 3)))),
        ("open fence", format!("```\n{}", part("a\n"))),
        ("fences in quotes", part("> ```\n")),
        ("indented code", part("    a\n")),
        ("indented code in lists", format!("* a\n\n{}", part("      b\n"))),
        ("conditions", pair("{% if a %}\n", "{% endif %}\n")),
        ("flat conditions", part("{% if a.b == \"c\" %}\na\n{% endif %}\n\n")),
        ("else", part("{% if a %}\n{% else %}\n")),
        ("tabs", pair("{% tabs %}\n{% tab title=\"a\" %}\n", "{% endtab %}\n{% endtabs %}\n")),
        (
            "flat tabs",
            format!(
                "{{% tabs %}}\n{}{{% endtabs %}}\n",
                part("{% tab title=\"a\" %}\na\n{% endtab %}\n")
            ),
        ),
        ("steps", pair("{% stepper %}\n{% step %}\n", "{% endstep %}\n{% endstepper %}\n")),
        ("columns", pair("{% columns %}\n{% column %}\n", "{% endcolumn %}\n{% endcolumns %}\n")),
        ("crossed blocks", part("{% hint %}\n{% tabs %}\n{% endhint %}\n{% endtabs %}\n")),
        ("blocks without an end", part("{% tabs %}\n{% hint %}\n{% code %}\n")),
        ("blocks on a line", part("{% hint %}{% endhint %}")),
        ("code blocks", part("{% code title=\"a\" %}\n```\nb\n```\n{% endcode %}\n\n")),
        ("open code blocks", part("{% code title=\"a\" %}\n```\n")),
        ("raw", part("{% raw %}\n")),
        ("raw with text", part("{% raw %}{{ x }}{% endraw %}\n")),
        ("unknown blocks", part("{% a %}\n")),
        ("unknown pairs", part("{% a %}{% enda %}\n")),
        ("embeds", part("{% embed url=\"https://a.b\" %}\n")),
        ("files", part("{% file src=\"a.pdf\" %}\n")),
        ("includes", part("{% include \"i.md\" %}\n")),
        (
            "references of blocks",
            part("{% content-ref url=\"p.md\" %}\n[p.md](p.md)\n{% endcontent-ref %}\n\n"),
        ),
        (
            "interfaces",
            part(
                "{% openapi-operation spec=\"a\" path=\"/p\" method=\"get\" %}\n{% endopenapi-operation %}\n",
            ),
        ),
        ("integrations", part("{% @a/b url=\"https://a.b\" %}\n")),
        (
            "many attributes",
            format!(
                "{{% hint {} %}}\na\n{{% endhint %}}",
                numbered(long, |n| format!("a{n}=\"b\" "))
            ),
        ),
        (
            "attributes of an integration",
            format!("{{% @a/b {} %}}", numbered(long, |n| format!("a{n}=\"b\" "))),
        ),
        ("open attribute", format!("{{% hint a=\"{} %}}", part("b "))),
        ("escapes in an attribute", format!("{{% hint a=\"{}\" %}}", part("\\\""))),
        (
            "updates",
            part(
                "{% updates format=\"full\" %}\n{% update date=\"2026-01-31\" %}\n## U\n{% endupdate %}\n{% endupdates %}\n",
            ),
        ),
        ("prompts", part("{% prompt %}\na\n{% endprompt %}\n")),
        ("half tags", part("{%")),
        ("closed half tags", part("{% %}")),
        ("ends of tags", part("%}")),
        ("braces", part("{{ a }}")),
        ("table", format!("| a | b |\n|---|---|\n{}", part("| c | d |\n"))),
        ("tables", part("| a |\n|---|\n| b |\n\n")),
        ("wide table", format!("|{}\n|{}\n", repeated(long / 2, "a|"), repeated(long / 2, "-|"))),
        ("wide and long table", {
            let columns = (long / 8).isqrt().max(1);
            format!(
                "|{}\n|{}\n{}",
                "a|".repeat(columns),
                "-|".repeat(columns),
                repeated(long / 2, "|b\n")
            )
        }),
        ("table heads", part("|a|\n|-|\n")),
        ("escaped pipes", format!("|a|\n|-|\n|{}|\n", part("\\|"))),
        ("code in a table", format!("|a|\n|-|\n{}", part("|`b\\|c`|\n"))),
        ("html in a table", format!("|a|\n|-|\n{}", part("|<ul><li>b</li></ul>|\n"))),
        ("one cell", format!("|a|\n|-|\n|{}|\n", part("b "))),
    ]
}

fn html(long: usize) -> Vec<(&'static str, String)> {
    let part = |text: &str| repeated(long, text);
    let pair = |open: &str, close: &str| {
        let count = long / (open.len() + close.len());
        format!("{}a{}", open.repeat(count), close.repeat(count))
    };
    vec![
        ("less than", "<".repeat(long)),
        ("greater than", ">".repeat(long)),
        ("less than and letters", part("<a")),
        ("less than and slashes", part("</")),
        ("tags with attributes", part("<a b=c ")),
        ("tags with quotes", part("<a b='")),
        ("declarations", part("<!a")),
        ("character data", part("<![CDATA[")),
        ("closed character data", part("a <![CDATA[b]]> ")),
        ("scripts", part("<script>")),
        ("closed scripts", part("<script>a</script>\n")),
        ("scripts in a line", part("a <script>b</script> ")),
        ("styles", part("<style>\n")),
        ("preformatted", part("<pre>\n")),
        ("closed preformatted", part("<pre><code>a</code></pre>\n")),
        ("preformatted in a line", part("a <pre>")),
        ("textareas", part("<textarea>\n")),
        ("titles", part("<title>")),
        ("divs", pair("<div>", "</div>")),
        ("divs on lines", pair("<div>\n\n", "</div>\n\n")),
        ("paragraphs of html", part("<p>a</p>\n\n")),
        ("open paragraphs of html", part("<p>")),
        ("centered", part("<p align=\"center\">a</p>\n\n")),
        ("spans", pair("<span>", "</span>")),
        ("lists of html", pair("<ul><li>", "</li></ul>")),
        ("items of html", part("<li>")),
        ("terms", part("<dl><dt>a<dd>b")),
        (
            "figures",
            part("<figure><img src=\"a.png\" alt=\"\"><figcaption>b</figcaption></figure>\n\n"),
        ),
        ("open figures", part("<figure>")),
        ("pictures of html", part("<picture><source srcset=\"a\"><img src=\"b\"></picture>")),
        (
            "pictures for the dark",
            part(
                "a <picture><source srcset=\"a\" media=\"(prefers-color-scheme: dark)\"><img src=\"b\"></picture>",
            ),
        ),
        ("tables of html", pair("<table><tr><td>", "</td></tr></table>")),
        ("flat tables of html", part("<table><tr><td>a</td></tr></table>\n\n")),
        ("rows of html", format!("<table><tbody>{}</tbody></table>", part("<tr><td>a</td></tr>"))),
        ("cells of html", format!("<table><tbody><tr>{}</tr></tbody></table>", part("<td>a</td>"))),
        (
            "spanned rows",
            format!(
                "<table><tbody>{}</tbody></table>",
                part("<tr><td rowspan=\"9999\" colspan=\"9999\">a</td></tr>")
            ),
        ),
        (
            "columns of html",
            format!("<table><thead><tr>{}</tr></thead></table>", part("<th width=\"1\">a</th>")),
        ),
        ("columns and rows of html", {
            let columns = (long / 40).isqrt().max(1);
            format!(
                "<table data-view=\"cards\"><thead><tr>{}</tr></thead><tbody>{}</tbody></table>",
                "<th>a</th>".repeat(columns),
                repeated(long / 2, "<tr><td>b</td></tr>")
            )
        }),
        (
            "options",
            format!(
                "<table><thead><tr><th data-type=\"select\">a<select>{}</select></th></tr></thead><tbody>{}</tbody></table>",
                numbered(long / 2, |n| format!("<option value=\"{n}\" label=\"{n}\"></option>")),
                numbered(long / 2, |n| format!(
                    "<tr><td><span data-option=\"{n}\">a</span></td></tr>"
                ))
            ),
        ),
        ("details with text", part("<details><summary>a</summary>\n\nb\n\n</details>\n\n")),
        ("nested details", pair("<details>\n\n<summary>a</summary>\n\n", "\n\n</details>\n\n")),
        ("details without an end", part("<details>\n\n<summary>a</summary>\n\n")),
        ("comments with text", part("<!-- a -->\n")),
        ("comments in lines", part("a <!-- b --> ")),
        ("dashes", format!("<!--{}", part("--"))),
        ("svg", part("<svg><path d=\"a\">")),
        ("maths", part("<math><mi>a</mi>")),
        ("templates", part("<template>")),
        ("custom elements", part("<a-b>")),
        ("long tag", format!("<{}>", "a".repeat(long))),
        ("long attribute", format!("<p a=\"{}\">b</p>", "c".repeat(long))),
        ("long style", format!("a <mark style=\"{}\">b</mark>", part("color:red;"))),
        ("long class", format!("a <a href=\"b\" class=\"{}\">c</a>", part("button "))),
        ("anchors of html", part("<a href=\"b\">")),
        ("fonts", part("<font color=\"red\">")),
        ("opaque text", format!("<section>\n{}\n</section>", part("<b>a</b>\n"))),
    ]
}

fn heads(long: usize) -> Vec<(&'static str, String)> {
    let part = |text: &str| repeated(long, text);
    let front = |yaml: String| format!("---\n{yaml}\n---\n\n# T\n\na\n");
    let laughs = numbered(long, |n| match n {
        0 => "a0: &a0 [x, x]\n".to_owned(),
        n => format!("a{n}: &a{n} [*a{p}, *a{p}, *a{p}]\n", p = n - 1),
    });
    vec![
        ("rows of dashes", part("---\n")),
        ("open front matter", format!("---\n{}", part("a: b\n"))),
        ("laughs", front(laughs)),
        ("aliases", front(format!("a: &a [1]\nb: [{}]", part("*a, ")))),
        ("brackets of yaml", front("[".repeat(long))),
        (
            "closed brackets of yaml",
            front("a: ".to_owned() + &"[".repeat(long / 2) + &"]".repeat(long / 2)),
        ),
        ("braces of yaml", front("{".repeat(long))),
        ("nested braces of yaml", front(part("{a: "))),
        ("dashes of yaml", front(part("- "))),
        ("questions of yaml", front(part("? "))),
        ("colons of yaml", front(part("a: "))),
        ("keys of yaml", front(numbered(long, |n| format!("a{n}: b\n")))),
        ("same keys of yaml", front(part("a: b\n"))),
        (
            "indented keys of yaml",
            front(numbered(long, |n| format!("{}a:\n", " ".repeat(n % 500)))),
        ),
        ("growing keys of yaml", front(numbered(long, |n| format!("{}a:\n", " ".repeat(n))))),
        ("quotes of yaml", front(format!("a: \"{}", part("\\\"")))),
        ("block scalars of yaml", front(format!("a: |\n{}", part("  b\n")))),
        ("folded scalars of yaml", front(format!("description: >-\n{}", part("  b\n\n")))),
        ("comments of yaml", front(part("# a\n"))),
        ("tags of yaml", front(part("!a "))),
        ("anchors of yaml", front(part("&a "))),
        ("tags of a page", front(format!("tags:\n{}", part("  - tag: a\n")))),
        ("variables", front(format!("vars:\n{}", numbered(long, |n| format!("  a{n}: b\n"))))),
        ("long title", format!("# {}", part("a "))),
        ("titles of text", format!("# {}", part("**a** "))),
        ("contents", part("* [a](a.md)\n")),
        ("different contents", numbered(long, |n| format!("* [a](a{n}.md)\n"))),
        (
            "nested contents",
            numbered(long, |n| format!("{}* [a](a{n}.md)\n", "  ".repeat(n % 200))),
        ),
        ("groups of contents", numbered(long, |n| format!("## a {n}\n\n* [a](a{n}.md)\n\n"))),
    ]
}
