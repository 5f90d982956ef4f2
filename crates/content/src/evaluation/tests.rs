//! Evaluation of the expressions of documents.

use bindery_expression::Value;

use super::*;
use crate::document::{BlockKind, Document, InlineKind, Leaf, Node};
use crate::reference::NoLookup;
use crate::source::Span;
use crate::{ParseContext, markdown};

/// Creates a context with a claim and variables.
fn context() -> Context {
    Context::new()
        .with_claims((&serde_json::json!({ "age": 42, "plan": "pro" })).into())
        .with_space([
            ("version".into(), Value::from(&serde_json::json!("5.8"))),
            ("major".into(), Value::from(&serde_json::json!(5))),
        ])
}

fn document(source: &str) -> Document {
    markdown::parse(source, &ParseContext { path: "page.md", lookup: &NoLookup })
}

/// Returns the JSON of a document without keys.
fn shape(document: &Document) -> serde_json::Value {
    fn without_keys(value: &mut serde_json::Value) {
        match value {
            serde_json::Value::Object(map) => {
                map.remove("key");
                map.values_mut().for_each(without_keys);
            }
            serde_json::Value::Array(items) => items.iter_mut().for_each(without_keys),
            _ => {}
        }
    }
    let mut json = serde_json::to_value(document).expect("JSON");
    without_keys(&mut json);
    json
}

#[test]
fn documents_are_evaluated() {
    let context = context();
    let condition =
        |expression: &str, body: &str| format!("{{% if {expression} %}}\n{body}\n{{% endif %}}");
    let inline = |expression: &str| format!("a <code class=\"expression\">{expression}</code> b");
    for (source, mode, expected) in [
        (condition("true", "x\n\ny"), Mode::Everything, "x\n\ny".to_owned()),
        (condition("false", "x"), Mode::Everything, String::new()),
        (condition("(", "x"), Mode::Everything, String::new()),
        (condition("visitor.claims.age > 40", "x"), Mode::Everything, "x".into()),
        (condition("visitor.claims.age > 50", "x"), Mode::Everything, String::new()),
        (condition("space.vars.major == 5", "x"), Mode::Deterministic, "x".into()),
        (condition("space.vars.major == 6", "x"), Mode::Deterministic, String::new()),
        (condition("space.vars.major == 5", "x"), Mode::DeterministicKeepingUnmet, "x".into()),
        (
            condition("space.vars.major == 6", &inline("space.vars.major")),
            Mode::DeterministicKeepingUnmet,
            condition("space.vars.major == 6", "a 5 b"),
        ),
        (
            condition("visitor.claims.age > 50", "x"),
            Mode::DeterministicKeepingUnmet,
            condition("visitor.claims.age > 50", "x"),
        ),
        (
            condition("visitor.claims.age > 50", &inline("space.vars.major")),
            Mode::Deterministic,
            condition("visitor.claims.age > 50", "a 5 b"),
        ),
        (
            format!("{}\n\ny", condition("space.vars.beta", &condition("true", "x"))),
            Mode::Everything,
            "y".into(),
        ),
        (inline("space.vars.version"), Mode::Everything, "a 5.8 b".into()),
        (inline("visitor.claims.plan"), Mode::Everything, "a pro b".into()),
        (inline("visitor.claims.plan"), Mode::Deterministic, inline("visitor.claims.plan")),
        (inline("1 &lt; 2"), Mode::Everything, "a true b".into()),
        (inline("space.vars.version"), Mode::Nothing, inline("space.vars.version")),
        (condition("false", "x"), Mode::Nothing, condition("false", "x")),
        (
            format!("* a\n\n  {}", condition("true", "x").replace('\n', "\n  ")),
            Mode::Everything,
            "* a\n\n  x".into(),
        ),
        (
            format!("{{% hint style=\"info\" %}}\n{}\n{{% endhint %}}", condition("false", "x")),
            Mode::Everything,
            "{% hint style=\"info\" %}\n{% endhint %}".into(),
        ),
    ] {
        let evaluated = evaluate_document(&document(&source), &context, mode);
        // Readers see adjacent texts as one.
        let flat = |document: &Document| {
            (crate::text::plain(document), shape(document).to_string().matches("\"if\"").count())
        };
        assert_eq!(flat(&evaluated), flat(&document(&expected)), "{source}");
        assert_eq!(evaluated.nodes.len(), document(&expected).nodes.len(), "{source}");
    }
}

#[test]
fn lines_of_code_are_evaluated() {
    let mut document = document("```\na\n```");
    let BlockKind::Code(code) = &mut document.nodes[0].kind else { panic!("no code") };
    let expression = InlineKind::Expression { expression: "space.vars.version".into() };
    let leaf = Leaf { text: "a ".into(), ..Leaf::default() };
    code.lines[0].kind.rich = [InlineKind::Text(vec![leaf]), expression]
        .map(|kind| Node::new(Span::default(), kind))
        .into();
    let evaluated = evaluate_document(&document, &context(), Mode::Everything);
    assert_eq!(crate::text::plain(&evaluated), "a 5.8");
}
