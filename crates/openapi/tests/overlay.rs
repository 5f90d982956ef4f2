//! Overlays: their actions, their mistakes, and their limits.

use bindery_openapi::{Budget, Description, Exhausted, JsonPath, Loader, Overlay, Problem, parse};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

type Result<T = ()> = std::result::Result<T, Box<dyn std::error::Error>>;

fn messages(problems: &[Problem]) -> Vec<String> {
    problems.iter().map(ToString::to_string).collect()
}

/// Returns an overlay with actions in YAML. The first action is in the fourth line.
fn overlay(actions: &str) -> Result<Overlay> {
    let text = format!("overlay: 1.1.0\ninfo: {{title: A, version: 1.0.0}}\nactions:\n{actions}");
    Ok(Overlay::read("o.yaml", &text).map_err(|problems| messages(&problems).join("\n"))?)
}

/// Applies actions to a document. Returns the document, and the problems.
fn applied(document: &str, actions: &str) -> Result<(Value, Vec<String>)> {
    let mut document = parse("", document)?;
    let problems = overlay(actions)?.apply(&mut document).unwrap_or_else(|problems| problems);
    Ok((document, messages(&problems)))
}

/// Checks the document that actions lead to.
fn check(cases: &[(&str, &str, &str)]) -> Result {
    for (document, actions, expected) in cases {
        let (found, problems) = applied(document, actions)?;
        assert_eq!(problems, [] as [&str; 0], "{actions}");
        assert_eq!(found.to_string(), parse("", expected)?.to_string(), "{actions}");
    }
    Ok(())
}

#[test]
fn updates_are_merged() -> Result {
    check(&[
        // Objects are merged at any depth. New fields come last.
        (
            "{a: {b: {c: 1, d: 2}}, e: 3}",
            "- {target: $, update: {f: 4, a: {b: {d: 5, g: {}}}}}",
            "{a: {b: {c: 1, d: 5, g: {}}}, e: 3, f: 4}",
        ),
        // Primitive values are replaced, also by those of another type.
        ("{a: 1, b: x}", "- {target: $.*, update: null}", "{a: null, b: null}"),
        ("{a: {b: null}}", "- {target: $.a, update: {b: true}}", "{a: {b: true}}"),
        // A list gets the items of a list, or one other value.
        ("{a: [1]}", "- {target: $.a, update: [2, [3]]}", "{a: [1, 2, [3]]}"),
        ("{a: [1]}", "- {target: $.a, update: {b: 2}}", "{a: [1, {b: 2}]}"),
        ("{a: [1]}", "- {target: $.a, update: 2}", "{a: [1, 2]}"),
        ("{a: {b: [1]}}", "- {target: $, update: {a: {b: [2]}}}", "{a: {b: [1, 2]}}"),
        // A value that is selected twice is changed once.
        ("{a: [1]}", "- {target: \"$['a','a']\", update: 2}", "{a: [1, 2]}"),
        ("{a: {a: {}}}", "- {target: \"$..['a','a']\", update: {b: 1}}", "{a: {a: {b: 1}, b: 1}}"),
        // Values within each other are changed, the outer ones first.
        (
            "{a: {n: 1, a: {n: 1}}}",
            "- {target: '$..[?@.n]', update: {n: 2, a: {m: 3}}}",
            "{a: {n: 2, a: {n: 2, m: 3, a: {m: 3}}}}",
        ),
        // Filters and several targets.
        (
            "{p: [{in: query, name: a}, {in: path, name: b}, {in: query, name: c}]}",
            "- {target: \"$.p[?@.in == 'query' && search(@.name, '[a-b]')]\", update: {x: 1}}",
            "{p: [{in: query, name: a, x: 1}, {in: path, name: b}, {in: query, name: c}]}",
        ),
        ("[]", "- {target: $}", "[]"),
    ])
}

#[test]
fn values_are_removed() -> Result {
    check(&[
        ("{a: 1, b: 2, c: 3}", "- {target: \"$['a','c']\", remove: true}", "{b: 2}"),
        ("[0, 1, 2, 3, 4, 5]", "- {target: '$[::2]', remove: true}", "[1, 3, 5]"),
        ("{a: [x, y, x]}", "- {target: \"$.a[?@ == 'x']\", remove: true}", "{a: [y]}"),
        ("{a: {x: {x: 1}, b: [{x: 2}]}}", "- {target: $..x, remove: true}", "{a: {b: [{}]}}"),
        // `remove` comes before `update`, and does nothing if it is false.
        ("{a: 1}", "- {target: $.a, update: 2, remove: true}", "{}"),
        ("{a: 1}", "- {target: $.a, update: 2, remove: false}", "{a: 2}"),
    ])
}

#[test]
fn values_are_copied_and_actions_follow_each_other() -> Result {
    let moved = "- {target: $.paths, update: {/new: {}}}\n\
                 - {target: \"$.paths['/new']\", copy: \"$.paths['/old']\"}\n\
                 - {target: \"$.paths['/old']\", remove: true}\n";
    check(&[
        ("{paths: {/old: {get: {}}, /b: {}}}", moved, "{paths: {/b: {}, /new: {get: {}}}}"),
        ("{a: {b: 1}, c: {d: 2}}", "- {target: $, copy: $.a}", "{a: {b: 1}, c: {d: 2}, b: 1}"),
        ("{a: [1], b: 2}", "- {target: $.a, copy: $.b}", "{a: [1, 2], b: 2}"),
        ("{a: {}, b: 2}", "- {target: $.a, copy: $}", "{a: {a: {}, b: 2}, b: 2}"),
        (
            "{a: 1}",
            "- {target: $.a, remove: true}\n- {target: $, update: {a: {b: 2}}}\n- {target: $.a.b, update: 3}",
            "{a: {b: 3}}",
        ),
    ])
}

#[test]
fn targets_that_select_nothing_are_told_and_change_nothing() -> Result {
    let actions = overlay("- {target: $.b, remove: true}\n- target: $.c\n  copy: $.none\n")?;
    let mut document = json!({ "a": 1 });
    let warnings =
        actions.apply(&mut document).map_err(|problems| messages(&problems).join("\n"))?;
    let expected = [
        "o.yaml:4:12 at /actions/0/target: \"$.b\" selects nothing",
        "o.yaml:5:11 at /actions/1/target: \"$.c\" selects nothing",
    ];
    assert_eq!(
        (messages(&warnings), document),
        (expected.map(str::to_owned).into(), json!({"a": 1}))
    );
    Ok(())
}

#[test]
fn actions_that_do_not_fit_the_document_are_rejected() -> Result {
    let document = "{a: {b: [1]}, c: [1], d: 1}";
    for (action, expected) in [
        (
            "target: $, remove: true",
            "o.yaml:4:12 at /actions/0/target: \"$\" selects the whole document, allowed: values within it",
        ),
        (
            "target: $.a, update: 1",
            "o.yaml:4:25 at /actions/0/update: found a primitive value for an object at /a, allowed: an object",
        ),
        (
            "target: $.a, update: {b: {}}",
            "o.yaml:4:25 at /actions/0/update: found an object for an array at /a/b, allowed: an array",
        ),
        (
            "target: $, update: {d: [1]}",
            "o.yaml:4:23 at /actions/0/update: found an array for a primitive value at /d, allowed: a primitive value",
        ),
        (
            "target: $.d, update: {}",
            "o.yaml:4:25 at /actions/0/update: found an object for a primitive value at /d, allowed: a primitive value",
        ),
        (
            "target: $, update: []",
            "o.yaml:4:23 at /actions/0/update: found an array for an object at the root, allowed: an object",
        ),
        (
            "target: $.*, update: 1",
            "o.yaml:4:12 at /actions/0/target: found an object at /a, and an array at /c, allowed: values of one kind",
        ),
        (
            "target: $.d, copy: $.x",
            "o.yaml:4:23 at /actions/0/copy: \"$.x\" selects nothing, allowed: one value",
        ),
        (
            "target: $.d, copy: $.*",
            "o.yaml:4:23 at /actions/0/copy: \"$.*\" selects 3 values, allowed: one value",
        ),
        (
            "target: $.d, copy: $.a",
            "o.yaml:4:23 at /actions/0/copy: found an object for a primitive value at /d, allowed: a primitive value",
        ),
    ] {
        let mut document = parse("", document)?;
        let problems = overlay(&format!("- {{{action}}}\n"))?.apply(&mut document);
        assert_eq!(messages(&problems.err().unwrap_or_default()), [expected], "{action}");
    }
    Ok(())
}

#[test]
fn texts_that_are_no_overlays_are_rejected() {
    let head = "overlay: 1.1.0\ninfo: {title: A, version: 1}\n";
    let fields = "allowed: `target`, `description`, `update`, `copy`, `remove`, and names that begin with `x-`";
    for (text, expected) in [
        ("- a".to_owned(), "o: found an array, allowed: an overlay, which is an object".to_owned()),
        (format!("{head}actions: []"), "o:3:10 at /actions: found an empty array, allowed: a list of actions".to_owned()),
        (head.to_owned(), "o: found no `actions`, allowed: a list of actions".to_owned()),
        (format!("{head}actions: [1]"), "o:3:11 at /actions/0: found 1, allowed: an action".to_owned()),
        (format!("{head}actions: [{{update: 1}}]"), "o:3:11 at /actions/0: found no `target`, allowed: a JSONPath".to_owned()),
        (format!("{head}actions: [{{target: $, updat: 1, x-a: 2}}]"), format!("o:3:30 at /actions/0/updat: found the field \"updat\", {fields}")),
        (format!("{head}actions: [{{target: 1}}]"), "o:3:20 at /actions/0/target: found 1, allowed: a JSONPath".to_owned()),
        (format!("{head}actions: [{{target: $.x-a}}]"), "o:3:20 at /actions/0/target: \"$.x-a\" is no JSONPath (RFC 9535): found \"-\", expected a name in brackets, such as ['x-name'] at character 4".to_owned()),
        (format!("{head}actions: [{{target: $, remove: yes}}]"), "o:3:31 at /actions/0/remove: found \"yes\", allowed: true or false".to_owned()),
        (format!("{head}actions: [{{target: $, update: 1, copy: $}}]"), "o:3:40 at /actions/0/copy: found `update` and `copy`, allowed: one of them".to_owned()),
        (format!("{head}actions: [{{target: $, description: 1}}]"), "o:3:36 at /actions/0/description: found 1, allowed: a text".to_owned()),
        ("overlay: 2.0.0\ninfo: {title: A, version: 1}\nactions: [{target: $}]".to_owned(), "o:1:10 at /overlay: found the version \"2.0.0\", allowed: `overlay` 1.0 or 1.1".to_owned()),
        ("overlay: 1.0.0\ninfo: {title: A}\nactions: [{target: $}]".to_owned(), "o:2:7 at /info: found no `version`, allowed: a text".to_owned()),
        ("overlay: 1.0.0\ninfo: {title: A, version: 1}\nactions: [{target: $, copy: $}]".to_owned(), "o:3:29 at /actions/0/copy: found the field \"copy\", allowed: `target`, `description`, `update`, `remove`, and names that begin with `x-`".to_owned()),
        ("{\"overlay\": \"1.0.0\",\n\"info\": 1, \"actions\": [{\"target\": \"$\"}]}".to_owned(), "o:2:9 at /info: found 1, allowed: an object with `title` and `version`".to_owned()),
    ] {
        let found = messages(&Overlay::read("o", &text).err().unwrap_or_default());
        assert_eq!(found, [expected], "{text}");
    }
}

fn loaded(text: &str, overlays: Vec<Overlay>) -> std::result::Result<Description, Vec<Problem>> {
    let mut loader = Loader::new(None).overlaid(overlays);
    loader.add(text);
    loader.finish()
}

#[test]
fn descriptions_are_read_with_their_overlays() -> Result {
    let text = "swagger: '2.0'\ninfo: {title: Old, version: 1}\ndefinitions:\n  A: {$ref: 'gone.yaml'}\n  B: {$ref: '#/definitions/C'}\n  D: {$ref: '#/definitions/E'}\n";
    let first = overlay(
        "- {target: $.info, update: {title: New}}\n- {target: $.definitions.A, remove: true}\n",
    )?;
    let second = overlay(
        "- {target: $.definitions.B, update: {$ref: '#/definitions/F'}}\n- {target: $.x, remove: true}\n",
    )?;
    let found =
        loaded(text, vec![first, second]).map_err(|problems| messages(&problems).join("\n"))?;
    assert_eq!((found.title.as_str(), found.texts["openapi"].as_str()), ("New", text));
    assert_eq!(found.top().value.pointer("/components/schemas/A"), None);
    let expected = [
        "o.yaml:5:12 at /actions/1/target: \"$.x\" selects nothing",
        // The text does not have the value of the overlay.
        "at /definitions/B/$ref: \"#/definitions/F\" leads to nothing",
        "line 6:13 at /definitions/D/$ref: \"#/definitions/E\" leads to nothing",
    ];
    assert_eq!(messages(&found.problems), expected);
    let failed = loaded(text, vec![overlay("- {target: $, remove: true}\n")?]);
    assert_eq!(failed.err().map_or(0, |problems| problems.len()), 1);
    Ok(())
}

/// Returns arrays within each other.
fn nested(width: usize, depth: usize) -> Value {
    let inner = (1..depth).fold(json!(1), |inner, _| json!([inner]));
    Value::Array(vec![inner; width])
}

#[test]
fn evaluations_end_with_their_budget() -> Result {
    let document = nested(3_000, 20);
    for (path, expected) in [
        ("$..*..*..*", Exhausted::Nodes),
        ("$..[?count($..*) > 3]", Exhausted::Steps),
        ("$..[?$..[?$..[?@.x]]]", Exhausted::Steps),
        ("$..[?@ == $[0]]", Exhausted::Steps),
    ] {
        let path = JsonPath::parse(path)?;
        let steps = if expected == Exhausted::Nodes { bindery_openapi::MAX_STEPS } else { 200_000 };
        let found = path.select(&document, &mut Budget::new(steps)).map(|nodes| nodes.len());
        assert_eq!(found, Err(expected), "{path:?}");
    }
    let text = json!(["a".repeat(100_000)]);
    let path = JsonPath::parse("$[?match(@, '([ab]?){40}[ab]{20}c')]")?;
    let found = path.select(&text, &mut Budget::new(1_000_000)).map(|nodes| nodes.len());
    assert_eq!(found, Err(Exhausted::Steps));
    Ok(())
}

#[test]
fn paths_have_limits() {
    for (path, expected) in [
        (format!("${}", ".a".repeat(257)), "found more than 256 segments"),
        (format!("$[?{}@.a", "(".repeat(33)), "found more than 32 expressions within each other"),
        (format!("${}", " ".repeat(9_000)), "found more than 8 KiB"),
        ("$[?match(@, '(a{100}){100}')]".to_owned(), "found more than 1000 characters"),
        (format!("$[?match(@, '{}')]", "(".repeat(40)), "found more than 32 groups"),
        ("$[?match(@, 'a)')]".to_owned(), "found \")\" in the regular expression"),
        ("$[?match(@, '\\\\p{Greek}')]".to_owned(), "without a category"),
    ] {
        let error = JsonPath::parse(&path).map(|_| ()).map_err(|error| error.to_string());
        assert!(error.as_ref().is_err_and(|error| error.contains(expected)), "{path}: {error:?}");
    }
}

#[test]
fn documents_do_not_grow_without_limit() -> Result {
    for (action, expected) in [
        ("- {target: $.a, copy: $.a}\n", "add more than 64 MiB"),
        (
            "- {target: $.b, copy: $}\n- {target: $.b.b, update: {b: {}}}\n- {target: $.b, copy: $.b.b}\n",
            "add more than 64 MiB",
        ),
        ("- {target: '$..[?length(@) == 0]', copy: $.c}\n", "more than 120 arrays and objects"),
    ] {
        let actions = action.repeat(150);
        let (_, problems) = applied("{a: [1], b: {x: [1, 2], b: {}}, c: {d: {}}}", &actions)?;
        let last = problems.last().cloned().unwrap_or_default();
        assert!(last.contains(expected), "{action}: {last}");
    }
    Ok(())
}

/// Returns values with few names.
fn values() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        any::<i8>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        "[ab.漢]{0,3}".prop_map(Value::from),
        any::<bool>().prop_map(Value::from),
        Just(Value::Null),
    ];
    leaf.prop_recursive(4, 40, 4, |inner| {
        let fields = prop::collection::vec(("[abc]", inner.clone()), 0..4);
        prop_oneof![
            prop::collection::vec(inner, 0..4).prop_map(Value::from),
            fields.prop_map(|fields| Value::Object(fields.into_iter().collect::<Map<_, _>>())),
        ]
    })
}

/// Returns texts that are paths, or almost.
fn paths() -> impl Strategy<Value = String> {
    let parts = prop::sample::select(vec![
        ".a",
        "..",
        "*",
        "['b']",
        "[0]",
        "[-1]",
        "[::-1]",
        "[1:",
        "[",
        "]",
        "[?",
        "@",
        "@.a",
        "$",
        "(",
        ")",
        "!",
        "==",
        "<",
        "&&",
        "||",
        "length(",
        "count(",
        "match(",
        "search(",
        "value(",
        ",",
        "'a'",
        "'[a-b]+'",
        "'\\\\p{L}?'",
        "1",
        "-0.5e1",
        "null",
        " ",
        "\\u00e9",
        "漢",
        "\"",
        "..*",
        "[?@..a]",
        "[?@.b>=1]",
        "[?match(@,$..a)]",
        "[?search(@.a,'a.')]",
        "[*,0]",
    ]);
    prop::collection::vec(parts, 0..8).prop_map(|parts| format!("${}", parts.concat()))
}

proptest! {
    #[test]
    fn any_path_is_read(path in "\\PC*") {
        let _path = JsonPath::parse(&path);
        let _filter = JsonPath::parse(&format!("$[?match(@,'{path}')]"));
    }

    #[test]
    fn any_overlay_is_applied(
        mut document in values(),
        actions in prop::collection::vec((paths(), values(), paths(), 0..3_u8), 1..4),
    ) {
        let actions: Vec<Value> = actions.into_iter().map(|(target, update, copy, kind)| match kind {
            0 => json!({ "target": target, "update": update }),
            1 => json!({ "target": target, "copy": copy }),
            _ => json!({ "target": target, "remove": true }),
        }).collect();
        for action in actions {
            let text = json!({
                "overlay": "1.1.0",
                "info": { "title": "A", "version": "1" },
                "actions": [action],
            });
            if let Ok(overlay) = Overlay::read("", &text.to_string()) {
                let before = document.clone();
                if overlay.apply(&mut document).is_ok_and(|warnings| !warnings.is_empty()) {
                    prop_assert_eq!(&document, &before);
                }
            }
        }
    }
}
