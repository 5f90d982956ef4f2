//! Feeds mutated texts of the dialect to everything that reads sources, and checks invariants. The
//! same seed gives the same inputs.
//!
//! `cargo run --release --example fuzz -- [INPUTS] [SEED] [FOLDER] [TARGET]`: `INPUTS` is the
//! number of inputs for each target, or for `TARGET` only. The inputs are made from the texts below
//! and from the files in `FOLDER`, if given. An input that fails is printed in its shortest form,
//! and the program exits with status 1. Two targets run only by name: they search for texts that
//! printing changes.

#![expect(clippy::print_stdout, reason = "printing is its purpose")]

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;

use bindery_content::document::{Block, Visit};
use bindery_content::html::{self, NoLinks, RenderContext};
use bindery_content::json::JsonContext;
use bindery_content::print::random_edit::{Rng, any_edit};
use bindery_content::print::{self, PrintContext};
use bindery_content::rebase::Rebase;
use bindery_content::reference::{self, Lookup, Names};
use bindery_content::summary::{self, EntryKind};
use bindery_content::{
    Change, Document, Identity, Page, ParseContext, front_matter, markdown, source,
};
use bindery_expression::{Context, Expression};
use serde_json::Value;

/// Texts from which inputs are made, with every construct.
const TEXTS: [&str; 22] = [
    "---\ndescription: >-\n  a b\nicon: key # c\nlayout:\n  title:\n    visible: false\ntags:\n  - tag: a\n---\n\n# T\n\nb\n",
    "---\na: &x [1, *x]\n'b': \"c\\_d\"\nc: |+\n  x\n\n...\n---\n",
    "# T <a href=\"#x\" id=\"x\"></a>\n\nSetext\n===\n\n## A {#b}\n\n##### d\n",
    "{% hint style=\"info\" icon=\"key\" %}\n* a\n\n  {% code title=\"x\" %}\n  ```rust\n  y\n  ```\n  {% endcode %}\n{% endhint %}\n",
    "{% tabs %}\n{% tab title=\"A\" %}\na\n{% endtab %}\n\n{% tab title=\"B\" %}\nb\n{% endtab %}\n{% endtabs %}\n",
    "{% stepper %}\n{% step %}\n## S\n{% endstep %}\n{% endstepper %}\n{% columns %}\n{% column width=\"41.6%\" %}\na\n{% endcolumn %}\n{% endcolumns %}\n",
    "{% embed url=\"https://x.y\" %}\nc\n{% endembed %}\n{% file src=\"a b.pdf\" %}\n{% include \"i.md\" %}\n{% page-ref page=\"p.md\" %}\n",
    "{% content-ref url=\"p.md\" %}\n[p.md](p.md)\n{% endcontent-ref %}\n{% if visitor.claims.a %}\nx\n{% else %}\ny\n{% endif %}\n",
    "{% openapi src=\"a.yaml\" path=\"/p\" method=\"get\" %}\n[a.yaml](a.yaml)\n{% endopenapi %}\n{% @mermaid/diagram content=\"graph TD\n  A[\"x\"]-->B\" %}\n",
    "{% updates format=\"full\" %}\n{% update date=\"2026-01-31\" %}\n## U\n{% endupdate %}\n{% endupdates %}\n{% raw %}{{ x }}{% endraw %}\n",
    "| a | b |\n| - | :-: |\n| `x\\|y` | <p>a</p><ul><li>b</li></ul> |\n",
    "<table data-view=\"cards\"><thead><tr><th width=\"88.07\" data-type=\"select\">S<select><option value=\"a\" label=\"A\" color=\"#f00\"></option></select></th><th data-hidden data-card-target data-type=\"content-ref\"></th></tr></thead><tbody><tr><td><span data-option=\"a\">A</span></td><td><a href=\"p.md\">p.md</a></td></tr></tbody></table>\n",
    "<figure><picture><source srcset=\"d.png\" media=\"(prefers-color-scheme: dark)\"><img src=\"a.png\" alt=\"\" width=\"50%\"></picture><figcaption><p>c <code>d</code></p></figcaption></figure>\n",
    "<details open>\n\n<summary>T **b**</summary>\n\nbody\n\n</details>\n\n<pre class=\"language-js\"><code class=\"lang-js\">a &#x3C; b\n<strong>c\n</strong></code></pre>\n",
    "1. a\n2. b\n   * [ ] c\n   * [x] d\n\n> q\n> > r\nlazy\n\n***\n\n    code\n\n~~~\nx\n",
    "**b** _i_ ~~s~~ `c` <mark style=\"color:red;\">m</mark> <kbd>k</kbd> x<sup>2</sup> $$a_1$$ :tada: <i class=\"fa-key\">:key:</i> <code class=\"expression\">space.vars.a</code>\\\nbreak  \nz&#x20;\n",
    "[a](<p q.md> \"T\") [p.md](p.md \"mention\") ![](a.png) [r][1] <a href=\"u\" class=\"button primary\">B</a> word[^1]\n\n[1]: p.md\n[^1]: n\n",
    "$$\nx\n$$\n\n<!-- c -->\n\n<p align=\"center\">p</p>\n\n<img src=\"d.svg\" alt=\"\" class=\"gitbook-drawing\">\n\n<div><script>x</script></div>\n",
    "# Table of contents\n\n* [🎉 A](README.md \"S\")\n  * [B \\[c\\]](<x y.md>)\n\n## G <a href=\"#g\" id=\"g\"></a>\n\n* [u](https://x.y)\n  * ```yaml\n    type: builtin:openapi\n    ```\n\n***\n\n* t\n",
    "visitor.claims.unsigned[\"a\"]?.b in [1, 2.5e3, `t${x}`] && !(a ?? 'b') ? c.filter(d => d.startsWith(\"e\")).length : -1 % 2",
    "a.map(x => x.split(\",\").join('')).slice(1, -1) == \"\\u0041\" || null !== undefined",
    "root: ./docs/\nstructure:\n  readme: r.md\nredirects:\n  a/b: c.md\n",
];

/// Strings inserted into inputs.
const WORDS: [&str; 58] = [
    "\n",
    "\n\n",
    "\r\n",
    "\r",
    "\t",
    "    ",
    " ",
    "\0",
    "\u{FEFF}",
    "\u{200B}",
    "é",
    "🎉",
    "\\",
    "`",
    "```",
    "~~~",
    "*",
    "**",
    "_",
    "[",
    "]",
    "](",
    "![",
    "<",
    ">",
    "</",
    "/>",
    "{%",
    "%}",
    "{% endhint %}",
    "{% hint %}",
    "{{",
    "}}",
    "|",
    "\n|-|\n",
    "#",
    "\n---\n",
    "\n***\n",
    "> ",
    "* ",
    "1. ",
    "&",
    "&amp;",
    "$$",
    ":",
    "\"",
    "'",
    "=",
    "<table>",
    "<td>",
    "</table>",
    "<details>",
    "<summary>",
    "<!--",
    "-->",
    "[^1]",
    "(",
    ")",
];

type Target = (&'static str, fn(&str));

/// Targets whose invariants hold for any text.
const TARGETS: [Target; 7] = [
    ("page", page),
    ("json", document),
    ("edit", edit),
    ("front-matter", front),
    ("summary", contents),
    ("references", references),
    ("expression", expression),
];

/// Targets whose invariants hold for texts that people write, and are desirable for any text; they
/// run only by name.
const SEARCHES: [Target; 2] = [("printed", printed), ("edited", edited)];

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let mut number =
        |default: u64| arguments.next().and_then(|n| n.parse().ok()).unwrap_or(default);
    let (inputs, seed) = (number(2_000), number(1));
    let mut texts: Vec<String> = TEXTS.iter().map(|&text| text.to_owned()).collect();
    if let Some(folder) = arguments.next() {
        texts.extend(files(folder.as_ref()));
    }
    let only = arguments.next();
    let named = |(name, _): &&Target| only.as_deref() == Some(*name);
    let searches = TARGETS.iter().chain(&SEARCHES).filter(named);
    let targets: Vec<&Target> =
        if only.is_some() { searches.collect() } else { TARGETS.iter().collect() };
    let mut is_fine = true;
    for (name, target) in targets {
        let mut random = Random(seed);
        let breaks = |input: &str| catch_unwind(AssertUnwindSafe(|| target(input))).is_err();
        let broken = (0..inputs).find_map(|number| {
            let input = mutate(&texts, &mut random);
            breaks(&input).then_some((number, input))
        });
        match broken {
            None => println!("{name}: {inputs} inputs of seed {seed}, no failure"),
            Some((number, input)) => {
                let least = shrink(input, &breaks);
                println!("{name}: input {number} of seed {seed} fails; shortest form:\n{least:?}");
                is_fine = false;
            }
        }
    }
    if is_fine { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Shrinks a failing input by removing smaller and smaller pieces.
fn shrink(input: String, breaks: &dyn Fn(&str) -> bool) -> String {
    let mut least: Vec<char> = input.chars().collect();
    let mut length = least.len() / 2;
    while length > 0 {
        let mut at = 0;
        while at < least.len() {
            let rest = least.iter().enumerate().filter(|(n, _)| !(at..at + length).contains(n));
            let shorter: String = rest.map(|(_, c)| *c).collect();
            if breaks(&shorter) {
                least = shorter.chars().collect();
            } else {
                at += length;
            }
        }
        length /= 2;
    }
    least.into_iter().collect()
}

fn files(folder: &std::path::Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let read = |path: std::path::PathBuf| {
        if path.is_dir() {
            return files(&path);
        }
        let bytes = std::fs::read(path).unwrap_or_default();
        vec![source::decode(&bytes).chars().take(4096).collect()]
    };
    entries.flat_map(|entry| read(entry.path())).collect()
}

/// SplitMix64, a small random number generator with the same results on every platform.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// Returns a random number below `end`.
    fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next() >> 1).unwrap_or(0) % end.max(1)
    }

    fn of<'t, T>(&mut self, all: &'t [T]) -> Option<&'t T> {
        all.get(self.below(all.len()))
    }
}

/// Returns a text with a few changes; sometimes parts of several texts, sometimes a repeated part.
fn mutate(texts: &[String], random: &mut Random) -> String {
    let mut input = random.of(texts).cloned().unwrap_or_default();
    for _ in 0..=random.below(5) {
        let (from, to) = (place(&input, random), place(&input, random));
        let (from, to) = (from.min(to), from.max(to));
        match random.below(8) {
            0 => input.replace_range(from..to.min(end_of(&input, from + 8)), ""),
            1 => input.truncate(to),
            2 => {
                let part = input.get(from..to).unwrap_or_default().to_owned();
                input.insert_str(to, &part);
            }
            3 => {
                let other = random.of(texts).cloned().unwrap_or_default();
                let (start, end) = (place(&other, random), place(&other, random));
                input.insert_str(
                    from,
                    other.get(start.min(end)..start.max(end)).unwrap_or_default(),
                );
            }
            4 => {
                let part =
                    input.get(from..end_of(&input, from + 12)).unwrap_or_default().to_owned();
                let times = random.below(200);
                input.insert_str(from, &part.repeat(times));
            }
            5 => {
                let word = random.of(&WORDS).copied().unwrap_or_default();
                let times = random.below(300);
                input.insert_str(from, &word.repeat(times));
            }
            _ => input.insert_str(from, random.of(&WORDS).copied().unwrap_or_default()),
        }
    }
    input
}

fn place(text: &str, random: &mut Random) -> usize {
    let at = random.below(text.len() + 1);
    end_of(text, at)
}

/// Returns the next character boundary.
fn end_of(text: &str, at: usize) -> usize {
    (at..=text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(text.len())
}

/// Resolves every path to a page or file according to its extension.
struct World;

impl Lookup for World {
    fn page(&self, path: &str) -> Option<String> {
        (path.ends_with(".md") && path != "i.md").then(|| path.to_owned())
    }
    fn file(&self, path: &str) -> Option<String> {
        (path.contains('.') && !path.ends_with(".md")).then(|| path.to_owned())
    }
    fn reusable_content(&self, path: &str) -> Option<String> {
        (path == "i.md").then(|| path.to_owned())
    }
}

impl Names for World {
    fn page_path(&self, page: &str) -> Option<String> {
        Some(page.to_owned())
    }
    fn file_path(&self, file: &str) -> Option<String> {
        Some(file.to_owned())
    }
    fn reusable_content_path(&self, reusable_content: &str) -> Option<String> {
        Some(reusable_content.to_owned())
    }
}

fn page(input: &str) {
    struct Spans(usize);
    impl<'d> Visit<'d> for Spans {
        fn block(&mut self, block: &'d Block) {
            assert!(block.span.start <= block.span.end && block.span.end <= self.0, "a span");
        }
    }
    let page = Page::split(input);
    let body = page.body.of(input);
    let context = ParseContext { path: "page.md", lookup: &World };
    let document = markdown::parse(body, &context);
    document.walk(&mut Spans(body.len()));
    let _ = html::render(&document, &RenderContext { links: &NoLinks, highlight: false });
    let context = PrintContext { path: "page.md", lookup: &World, names: &World };
    let _ = print::print(&document, &context);
}

/// A text printed in the canonical style is parsed as the same document.
fn printed(input: &str) {
    let context = PrintContext { path: "page.md", lookup: &World, names: &World };
    let read =
        |text: &str| print::normal(&markdown::parse(text, &context.reader()), &context.reader());
    let printed = print::print(&markdown::parse(input, &context.reader()), &context);
    assert!(read(&printed).has_same_content_as(&read(input)), "{printed:?}");
}

/// A document prints as its source, and every edit of it can be printed.
fn edit(input: &str) {
    let body = Page::split(input).body.of(input);
    let context = PrintContext { path: "page.md", lookup: &World, names: &World };
    let read = |text: &str| markdown::parse(text, &context.reader());
    let before = read(body);
    assert_eq!(print::print_edited(body, &before, &read(body), &context), body);
    if let Some(trial) = any_edit(body, &before, &mut Rng::new(1, input)) {
        let _ = print::print_edited(body, &before, &trial.document, &context);
    }
}

/// A printed edit is parsed as the edited document.
fn edited(input: &str) {
    let body = Page::split(input).body.of(input);
    let context = PrintContext { path: "page.md", lookup: &World, names: &World };
    let read = |text: &str| markdown::parse(text, &context.reader());
    let before = read(body);
    let Some(trial) = any_edit(body, &before, &mut Rng::new(1, input)) else { return };
    let printed = print::print_edited(body, &before, &trial.document, &context);
    let after = print::normal(&read(&printed), &context.reader());
    let expected = print::normal(&trial.document, &context.reader());
    assert!(after.has_same_content_as(&expected), "{:?}: {printed:?}", trial.kind);
}

/// A document round-trips through JSON, and with one value replaced gives a document or errors.
fn document(input: &str) {
    let context =
        JsonContext { path: "page.md", lookup: &World, names: &World, parse: markdown::parse };
    let parsed = markdown::parse(input, &ParseContext { path: "page.md", lookup: &World });
    let mut json = serde_json::to_value(&parsed).unwrap_or_default();
    let read = Document::from_json(&json, &context);
    match read {
        // An id that JSON does not permit is read as its replacement.
        Ok(read) => {
            let mut again = serde_json::to_value(&read).unwrap_or_default();
            let mut sent = json.clone();
            [&mut again, &mut sent].into_iter().for_each(forget_keys);
            assert_eq!(again, sent, "the document round-trips");
        }
        Err(mistakes) => {
            assert!(mistakes.is_empty(), "a parsed document is rejected: {mistakes:?}")
        }
    }
    let mut random = Rng::new(2, input);
    let mut count = 0;
    replace(&mut json, &mut count, usize::MAX, &Value::Null);
    let values = [
        Value::Null,
        Value::from(-1.5),
        Value::from(input),
        serde_json::json!([[[]]]),
        serde_json::json!({"object": "block", "type": "paragraph", "nodes": []}),
        serde_json::json!({"object": "text", "leaves": []}),
        serde_json::json!({"kind": "url", "url": input}),
    ];
    let value = values.get(random.below(values.len())).cloned().unwrap_or_default();
    replace(&mut json, &mut 0, random.below(count), &value);
    match Document::from_json(&json, &context) {
        Ok(document) => {
            let again = serde_json::to_value(&document).unwrap_or_default();
            assert!(
                Document::from_json(&again, &context).is_ok(),
                "a serialized document is accepted"
            );
        }
        Err(mistakes) => assert!(!mistakes.is_empty(), "a mistake is said"),
    }
}

/// Removes the keys: the blocks of a note that occurs twice have their keys only once.
fn forget_keys(value: &mut Value) {
    match value {
        Value::Array(values) => values.iter_mut().for_each(forget_keys),
        Value::Object(object) => {
            object.shift_remove("key");
            object.values_mut().for_each(forget_keys);
        }
        _ => {}
    }
}

/// Replaces the `n`th value within a value and counts the values.
fn replace(value: &mut Value, count: &mut usize, n: usize, with: &Value) {
    *count += 1;
    if *count == n.saturating_add(1) {
        *value = with.clone();
        return;
    }
    match value {
        Value::Array(values) => values.iter_mut().for_each(|v| replace(v, count, n, with)),
        Value::Object(object) => object.values_mut().for_each(|v| replace(v, count, n, with)),
        _ => {}
    }
}

fn front(input: &str) {
    let (read, _) = front_matter::parse(input);
    let headed = format!("---\n{input}\n---\n\nx");
    for source in [input, &headed] {
        let change = Change::set(&["layout", "title", "visible"], false);
        if let Ok(written) = front_matter::edit(source, std::slice::from_ref(&change)) {
            let yaml = front_matter::locate(&written).map_or("", |(_, yaml)| yaml.of(&written));
            assert!(!front_matter::parse(yaml).0.layout.title, "{written:?}");
        }
    }
    if let Ok(written) = front_matter::update("x", &read)
        && let Some((_, yaml)) = front_matter::locate(&written)
    {
        assert_eq!(front_matter::parse(yaml.of(&written)).0, read);
    }
}

fn contents(input: &str) {
    let read = summary::parse(input, "SUMMARY.md");
    let mut items = read.items();
    assert_eq!(summary::edit(input, "SUMMARY.md", &items), input);
    let known = read.walk().find_map(|entry| match &entry.kind {
        EntryKind::Page { path } => Some(path.clone()),
        _ => None,
    });
    if let Some(page) = known {
        let written = summary::set_title(input, "SUMMARY.md", &page, "New title");
        let written = summary::parse(&written, "SUMMARY.md");
        assert!(written.walk().any(|entry| entry.title == "New title"), "it is there");
    }
    items.truncate(1);
    let _ = summary::edit(input, "SUMMARY.md", &items);
}

fn references(input: &str) {
    let (from, to) = ("a/b/page.md", "c/page.md");
    let rebase = Rebase { from, to, before: &World, after: &World, names: &World };
    let _ = rebase.apply(input);
    for place in reference::scan(input) {
        assert!(place.span.end <= input.len(), "a place");
    }
    let _ = bindery_content::page::set_title(input, &Identity::default(), "New title");
}

fn expression(input: &str) {
    let short: String = input.chars().take(1024).collect();
    if let Ok(expression) = Expression::parse(&short) {
        let _ = expression.evaluate(&Context::new());
    }
}
