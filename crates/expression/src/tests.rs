//! Comparison of expressions with JavaScript, their limits and their error messages.

use std::collections::HashMap;

use proptest::prelude::*;

use super::*;

/// Results of JavaScript for many expressions, generated and verified by
/// `tests/npm/expressions.test.js`.
const TABLE: &str = include_str!("../tests/expressions.json");

/// Expressions whose result differs from JavaScript, with that result.
const DIFFERENCES: [(&str, &str); 37] = [
    // Outside the supported subset.
    ("1n", "error"),
    ("2 ** 3", "error"),
    ("1 << 2", "error"),
    ("8 >> 1", "error"),
    ("5 & 1", "error"),
    ("5 | 1", "error"),
    ("5 ^ 1", "error"),
    ("~1", "error"),
    ("1, 2", "error"),
    ("typeof 1", "error"),
    ("void 0", "error"),
    ("delete visitor.claims", "error"),
    ("function () {}", "error"),
    ("class {}", "error"),
    ("async x => x", "error"),
    ("1 => 2", "error"),
    ("{}", "error"),
    ("{a: 1}", "error"),
    ("({a: 1})", "error"),
    ("[...[1]]", "error"),
    ("[, 1]", "error"),
    ("[1, , 2]", "error"),
    ("/a/", "error"),
    ("/a/.test('a')", "error"),
    ("'a'.concat('b')", "error"),
    ("[1, 2].toString()", "error"),
    ("[1].map((x => x))", "error"),
    ("[1].map(true ? x => x : 1)", "error"),
    ("(x => x)(1)", "error"),
    ("this", "error"),
    ("this.x", "error"),
    ("visitor.claims.age++", "error"),
    ("visitor.claims.plan = 'x'", "error"),
    ("visitor.claims.age += 1", "error"),
    ("visitor.claims.x ??= 1", "error"),
    ("[1].map(x => { return x })", "error"),
    ("(visitor.claims.groups.includes)('beta')", "error"),
];

fn json(text: &str) -> serde_json::Value {
    serde_json::from_str(text).expect("JSON")
}

fn context() -> Context {
    let table = json(TABLE);
    let variables = |of: &str| -> Vec<(Text, Value)> {
        let vars = table["context"][of]["vars"].as_object().expect("variables");
        vars.iter().map(|(name, value)| (name.as_str().into(), value.into())).collect()
    };
    Context::new()
        .with_claims((&table["context"]["visitor"]["claims"]).into())
        .with_space(variables("space"))
        .with_page(variables("page"))
}

/// Formats a value as in the table.
fn describe(value: &Value) -> String {
    match value {
        Value::Undefined => "undefined".into(),
        Value::Null => "null".into(),
        Value::Bool(value) => value.to_string(),
        Value::Number(number) if *number == 0.0 && number.is_sign_negative() => "-0".into(),
        Value::Number(number) => ryu_js::Buffer::new().format(*number).into(),
        Value::Text(text) => {
            let unit = |unit: &u16| match char::from_u32(u32::from(*unit)) {
                Some(c @ ' '..='~') if !matches!(c, '"' | '\\') => c.to_string(),
                _ => format!("\\u{unit:04x}"),
            };
            format!("\"{}\"", text.units().iter().map(unit).collect::<String>())
        }
        Value::List(items) => {
            format!("[{}]", items.iter().map(describe).collect::<Vec<_>>().join(","))
        }
        Value::Map(_) => "{}".into(),
    }
}

fn value_of(source: &str, context: &Context) -> String {
    match Expression::parse(source).map(|expression| expression.evaluate(context)) {
        Ok(Ok(value)) => describe(&value),
        _ => "error".into(),
    }
}

#[test]
fn expressions_match_javascript() {
    let context = context();
    let mut differences = Vec::new();
    let table = json(TABLE);
    let cases = table["cases"].as_array().expect("cases");
    assert!(cases.len() > 2_500, "{}", cases.len());
    for case in cases {
        let [source, expected] = [0, 1].map(|at| case[at].as_str().expect("a text"));
        let value = value_of(source, &context);
        if value != expected {
            differences.push((source.to_owned(), value, expected.to_owned()));
        }
    }
    let allowed: HashMap<_, _> = DIFFERENCES.into_iter().collect();
    differences.retain(|(source, value, _)| allowed.get(source.as_str()) != Some(&value.as_str()));
    assert!(differences.is_empty(), "{differences:#?}");
}

#[test]
fn members_of_missing_values_are_undefined() {
    let context = Context::new();
    for (source, expected) in [
        ("visitor.claims.a.b", "undefined"),
        ("visitor.claims.a.b.c.d == undefined", "true"),
        ("visitor.claims.a.b == 1", "false"),
        ("visitor.claims.a['b'][0]", "undefined"),
        ("visitor.claims.unsigned.language == 'de'", "false"),
        ("visitor.other.thing", "undefined"),
        ("page.vars.x", "undefined"),
        ("space.title", "undefined"),
        ("null.x", "undefined"),
        // A missing member cannot be called.
        ("visitor.claims.a.includes('x')", "error"),
        ("visitor.claims.a?.includes('x')", "undefined"),
        ("'constructor' in visitor.claims", "false"),
        ("visitor.claims.constructor", "undefined"),
        ("'abc'.trim", "undefined"),
    ] {
        assert_eq!(value_of(source, &context), expected, "{source}");
    }
}

#[test]
fn conditions_fail_closed() {
    let context = context();
    for (source, holds) in [
        ("", true),
        ("  \n", true),
        ("true", true),
        ("1", true),
        ("[]", true),
        ("'false'", true),
        ("0", false),
        ("''", false),
        ("null", false),
        ("visitor.claims.missing", false),
        ("!visitor.claims.missing", true),
        ("!visitor.claims.missing.includes('x')", false),
        ("unknown", false),
        ("(", false),
        ("visitor.claims.plan == 'pro'", true),
    ] {
        assert_eq!(Evaluator::new(&context).condition(source), holds, "{source}");
    }
}

#[test]
fn inline_values_are_texts_numbers_and_booleans() {
    let context = context();
    for (source, text) in [
        ("space.vars.version", Some("5.8")),
        ("space.vars.major", Some("5")),
        ("space.vars.beta", Some("false")),
        ("0.1 + 0.2", Some("0.30000000000000004")),
        ("'\\ud83d'", Some("\u{FFFD}")),
        ("''", Some("")),
        ("null", None),
        ("undefined", None),
        ("", None),
        ("[1]", None),
        ("visitor.claims", None),
        ("unknown", None),
        ("1 +", None),
    ] {
        assert_eq!(Evaluator::new(&context).text(source).as_deref(), text, "{source}");
    }
}

#[test]
fn errors_have_a_position_and_a_cause() {
    let context = Context::new();
    for (source, message) in [
        (
            "visitor.claims.a = 1",
            "line 1, column 18: found `=`, which expressions do not have, expected an operator or the end",
        ),
        (
            "1 +",
            "line 1, column 4: found the end, expected a value: a literal, a name, `[`, `(`, `!`, `-` or `+`",
        ),
        ("1 2", "line 1, column 3: found a number, expected an operator or the end"),
        ("[1 2]", "line 1, column 4: found a number, expected `,` or `]`"),
        ("a\n  == (1", "line 2, column 8: found the end, expected `)`"),
        ("'é' + 'open", "line 1, column 7: found a string, expected `'` at its end"),
        (
            "new Date()",
            "line 1, column 1: found `new`, which expressions do not have, expected a value: a literal, a name, `[`, `(`, `!`, `-` or `+`",
        ),
        (
            "a ?? b || c",
            "line 1, column 3: found `??` beside `||` or `&&`, expected parentheses that tell which comes first",
        ),
        ("visitor.1", "line 1, column 8: found a number, expected an operator or the end"),
        ("visitor.claims.'x'", "line 1, column 16: found a string, expected the name of a member"),
        (
            "f(1)",
            "line 1, column 2: found a call of something else than a method, expected `value.method(…)`",
        ),
        ("é#", "line 1, column 2: found `#`, expected a value, an operator or a parenthesis"),
        (
            "1 + '\\x4'",
            "line 1, column 6: found `\\x`, expected an escape such as `\\n` or `\\u00e9`",
        ),
        ("012", "line 1, column 1: found `012`, expected a number without a leading `0`"),
        (
            "[1].map(x => { })",
            "line 1, column 14: found `{`, expected an expression as the function's body",
        ),
        (
            "foo",
            "line 1, column 1: `foo` is not known; expressions can read `visitor.claims`, `space.vars` and `page.vars`",
        ),
        ("1 + visitor.claims.x.trim()", "line 1, column 5: undefined has no method `trim`"),
        ("'a'.size()", "line 1, column 1: a string has no method `size`"),
        ("[1].map(1)", "line 1, column 1: `map` takes a function such as `item => item == 1`"),
        ("'a'.includes(x => x)", "line 1, column 1: `includes` takes values, not a function"),
        ("'a' in 'abc'", "line 1, column 1: `in` needs a list or an object, not a string"),
    ] {
        let error = match Expression::parse(source) {
            Ok(expression) => expression.evaluate(&context).expect_err(source).to_string(),
            Err(error) => error.to_string(),
        };
        assert_eq!(error, message, "{source}");
    }
}

#[test]
fn length_and_depth_are_bounded() {
    let long = |length: usize| format!("'{}'", "é".repeat(length - 2));
    assert!(Expression::parse(&long(LENGTH_LIMIT)).is_ok());
    let error = Expression::parse(&long(LENGTH_LIMIT + 1)).expect_err("too long");
    assert_eq!(
        error.to_string(),
        "line 1, column 1025: found more than 1024 characters, expected a shorter expression"
    );
    for (open, close) in [("(", ")"), ("[", "]"), ("!", ""), ("- ", ""), ("1?1:", "")] {
        let nested = |depth: usize| format!("{}1{}", open.repeat(depth), close.repeat(depth));
        assert!(Expression::parse(&nested(90)).is_ok(), "{open}");
        let limit = Expression::parse(&nested(240)).expect_err("too deep");
        assert_eq!(limit.found, "more than 100 levels", "{open}");
    }
    // Long chains do not count as deep nesting.
    for part in ["1+", "1&&", "1==", "'',"] {
        let chain = format!("[{}1]", part.repeat(250));
        let list = Expression::parse(&chain).map(|list| list.evaluate(&Context::new()));
        assert!(list.is_ok_and(|value| value.is_ok()), "{part}");
    }
    assert!(Expression::parse(&format!("a{}", ".a".repeat(500))).is_ok());
}

#[test]
fn cost_is_bounded() {
    let context = context();
    let loops = format!("{}0{}", "[1,2,3,4,5,6,7,8,9].map(a=>".repeat(12), ")".repeat(12));
    let doubled = format!("['abcdefgh']{}", ".map(a=>a+a)".repeat(40));
    let shared = format!("[0]{}.join()", ".map(a=>[a,a])".repeat(60));
    let search = "[1,2,3,4,5,6,7,8,9].map(a=>'aaaaaaaaaaaaaaaaaaaaaaaa'.split('').map(b=>'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab'.split('a').join('aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa')).join('').indexOf('aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab'))";
    for (source, kind) in [
        (loops.as_str(), EvalErrorKind::TooManySteps),
        (&doubled, EvalErrorKind::TooMuchMemory),
        (&shared, EvalErrorKind::TooManySteps),
        (search, EvalErrorKind::TooManySteps),
    ] {
        let expression = Expression::parse(source).expect("an expression");
        assert_eq!(expression.evaluate(&context).expect_err(source).kind, kind, "{source}");
    }
    // All expressions of a page share a limit.
    let evaluator = Evaluator::new(&context);
    let costly = "[1,2,3,4,5,6,7,8,9].map(a=>[1,2,3,4,5,6,7,8,9].map(b=>[1,2,3,4,5,6,7,8,9].map(c=>a*b*c))).length == 9";
    let count = (0..10_000).take_while(|_| evaluator.condition(costly)).count();
    assert!((100..2_000).contains(&count), "{count}");
    assert!(!evaluator.condition("true"));
}

#[test]
fn dependence_on_the_visitor_is_detected() {
    for (source, depends) in [
        ("visitor.claims.x", true),
        ("space.vars.x || visitor.claims.x", true),
        ("[1].map(x => visitor.claims.x)", true),
        ("`${visitor.claims.x}`", true),
        ("visitor", true),
        ("space.vars.visitor == page.vars['visitor']", false),
        ("[1].map(visitor => visitor + 1)", false),
        ("'visitor'", false),
        ("", false),
    ] {
        let expression = Expression::parse(source).expect(source);
        assert_eq!(expression.depends_on_visitor(), depends, "{source}");
    }
}

proptest! {
    /// Any text gives a result within the limits.
    #[test]
    fn any_text_evaluates_within_the_limits(source in ".{0,200}") {
        let _ = Evaluator::new(&Context::new()).text(&source);
    }

    /// Random sequences of tokens often parse, so they reach the evaluator.
    #[test]
    fn any_tokens_evaluate_within_the_limits(
        tokens in proptest::collection::vec(
            proptest::sample::select(vec![
                "visitor", "space", "page", ".claims", ".vars", ".x", "?.", "[", "]", "(", ")",
                "=>", "a", ",", "+", "-", "*", "/", "%", "!", "<", ">=", "==", "===", "in", "&&",
                "||", "??", "?", ":", "1", "0x1F", "1e9", "'ab'", "\"\\u00e9\"", "`t${", "}`",
                "true", "null", "undefined", ".map(", ".includes(", ".split('')", ".join()",
                ".slice(-1)", ".filter(a => a)", ".length", " ", "\n", "NaN", "[1,2]", "[[]]",
            ]),
            0..24,
        )
    ) {
        let context = context();
        let source = tokens.concat();
        if let Ok(expression) = Expression::parse(&source)
            && let Ok(value) = expression.evaluate(&context)
        {
            // A second evaluation gives the same value.
            let again = expression.evaluate(&context).expect("the same again");
            prop_assert_eq!(describe(&value), describe(&again));
        }
    }

    /// A condition that cannot be parsed or evaluated is false.
    #[test]
    fn invalid_conditions_are_false(source in "[a-z.()+*=' ]{1,40}") {
        let context = context();
        let fails = Expression::parse(&source).map_or(true, |e| e.evaluate(&context).is_err());
        if fails {
            prop_assert!(!Evaluator::new(&context).condition(&source));
        }
    }
}

#[test]
fn additional_globals_are_readable() {
    let reviews = serde_json::json!([{ "status": "approved" }, { "status": "other" }]);
    let context = Context::new().with_global("reviews", Value::from(&reviews));
    for (source, expected) in [
        ("reviews.filter(r => r.status === 'approved').length >= 1", Ok(true)),
        ("reviews.every(reviews => reviews.status === 'approved')", Ok(false)),
        ("review.length", Err(EvalErrorKind::UnknownName("review".to_owned()))),
    ] {
        let value = Expression::parse(source).unwrap().evaluate(&context);
        let value = value.map(|value| value.is_truthy()).map_err(|error| error.kind);
        assert_eq!(value, expected, "{source}");
    }
}

#[test]
fn unknown_names_are_mistakes_of_a_check() {
    for source in ["", "visitor.claims.plan == 'pro'", "space.vars.a.map(x => x + 1)[0]"] {
        assert_eq!(Expression::check(source), Ok(()), "{source}");
    }
    for (source, column, found) in [
        ("a", 1, "the unknown name `a`"),
        ("!page.vars.b && site.vars.c", 17, "the unknown name `site`"),
        ("[1].map(x => y)", 14, "the unknown name `y`"),
        ("1 +", 4, "the end"),
    ] {
        let error = Expression::check(source).unwrap_err();
        assert_eq!((error.position.column, error.found.as_str()), (column, found), "{source}");
    }
}
