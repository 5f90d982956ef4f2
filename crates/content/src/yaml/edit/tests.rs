//! Tests of YAML edits: changed lines, and lines that must stay.

use proptest::prelude::*;
use serde_json::json;

use super::*;

const ORDER: [&str; 6] =
    ["description", "icon", "hidden", "layout", "layout.width", "layout.title"];

fn set(path: &[&str], value: Value) -> Change {
    Change::set(path, value)
}

#[test]
fn only_the_lines_of_a_key_change() {
    for (text, change, expected) in changes() {
        let line_end = crate::yaml::line_end(text);
        let written = edit(text, std::slice::from_ref(&change), &ORDER, line_end);
        assert_eq!(written.as_deref(), Ok(expected), "{text:?} {change:?}");
    }
}

/// Returns sources, changes, and the edited sources.
fn changes() -> Vec<(&'static str, Change, &'static str)> {
    vec![
        ("a: 1\nb: 2\n", set(&["b"], json!(3)), "a: 1\nb: 3\n"),
        (
            "a: 1 # c\nb: 2\n",
            set(&["a"], json!("x: y")),
            "a: 1 # c\nb: 2\n".replace('1', "'x: y'").leak(),
        ),
        ("'a' : \"1\"\nb: 2\n", set(&["a"], json!("x")), "'a' : x\nb: 2\n"),
        ("a: 1\nb: 2\n", set(&["a"], json!("1")), "a: '1'\nb: 2\n"),
        ("a: \"1\"\n", set(&["a"], json!("1")), "a: \"1\"\n"),
        ("a: >-\n  x\n  y\n# c\n\nb: 2\n", set(&["a"], json!("z")), "a: z\n# c\n\nb: 2\n"),
        ("a: >- # d\n  x\nb: 2", set(&["a"], json!("z")), "a: z # d\nb: 2"),
        ("a: 1\nb: 2", set(&["b"], json!("z")), "a: 1\nb: z"),
        ("a: 1\nb: 2", set(&["c"], json!("z")), "a: 1\nb: 2\nc: z"),
        ("a:\nb: 2\n", set(&["a"], json!("z")), "a: z\nb: 2\n"),
        ("a:   # c\nb: 2\n", set(&["a"], json!("z")), "a: z   # c\nb: 2\n"),
        ("a: [1,\n  2]\nb: 2\n", set(&["a"], json!(true)), "a: true\nb: 2\n"),
        ("a:\n- 1\n- 2\nb: 2\n", set(&["a"], json!([1])), "a:\n  - 1\nb: 2\n"),
        ("icon: x\n", set(&["description"], json!("d")), "description: d\nicon: x\n"),
        (
            "z: 1\nicon: x\n# c\nq: 1\n",
            set(&["hidden"], json!(true)),
            "z: 1\nicon: x\nhidden: true\n# c\nq: 1\n",
        ),
        (
            "q: 1\nlayout:\n  x: 1\n",
            set(&["hidden"], json!(true)),
            "q: 1\nhidden: true\nlayout:\n  x: 1\n",
        ),
        (
            "layout:\n  width: wide\n  # why\n  title:\n    visible: true\nz: 1\n",
            set(&["layout", "title", "visible"], json!(false)),
            "layout:\n  width: wide\n  # why\n  title:\n    visible: false\nz: 1\n",
        ),
        (
            "layout:\n    title:\n        visible: true # c\n",
            set(&["layout", "width"], json!("wide")),
            "layout:\n    width: wide\n    title:\n        visible: true # c\n",
        ),
        (
            "layout:\n  width: wide\nz: 1\n",
            set(&["layout", "title", "visible"], json!(false)),
            "layout:\n  width: wide\n  title:\n    visible: false\nz: 1\n",
        ),
        (
            "layout: {width: wide} # c\nz: 1\n",
            set(&["layout", "title"], json!(1)),
            "layout: # c\n  width: wide\n  title: 1\nz: 1\n",
        ),
        ("layout: post\n", set(&["layout", "title"], json!(1)), "layout:\n  title: 1\n"),
        (
            "",
            set(&["a"], json!([{"b": 1, "c": ["x"]}, "u"])),
            "a:\n  - b: 1\n    c:\n      - x\n  - u\n",
        ),
        ("# c\n", set(&["a"], json!({})), "# c\na: {}\n"),
        ("a: 1\r\nb: 2\r\n", set(&["a"], json!({"c": 1})), "a:\r\n  c: 1\r\nb: 2\r\n"),
        ("a: 1\nb: 2\n", Change::remove(&["a"]), "b: 2\n"),
        ("a: 1\n# c\nb: 2\n", Change::remove(&["b"]), "a: 1\n# c\n"),
        ("a:\n  b:\n    c: 1\nd: 2\n", Change::remove(&["a", "b", "c"]), "d: 2\n"),
        ("a:\n  b: 1\n  c: 2\n", Change::remove(&["a", "b"]), "a:\n  c: 2\n"),
        ("a: 1\n", Change::remove(&["b", "c"]), "a: 1\n"),
        ("a: 1\n", Change::remove(&["a"]), ""),
        ("a: |+\n  x\n\nb: 1\n", set(&["b"], json!(2)), "a: |+\n  x\n\nb: 2\n"),
        ("é: ü\nb: 1\n", set(&["b"], json!("ö")), "é: ü\nb: ö\n"),
        ("\u{FEFF}a: 1\n# c\nb: 1\n", set(&["a"], json!(2)), "\u{FEFF}a: 2\n# c\nb: 1\n"),
        // Documents that cannot be edited by lines are printed again as a whole.
        ("{a: 1, b: 2}\n", set(&["b"], json!(3)), "a: 1\nb: 3\n"),
        ("a: &x 1\nb: *x\n", set(&["a"], json!(3)), "a: 3\nb: 1\n"),
    ]
}

#[test]
fn invalid_yaml_is_rejected() {
    let change = [set(&["a"], json!(1))];
    for text in ["a: b: c", "a: [", "*x", "a: 1\na: 2\n", "\t- x: [}"] {
        assert!(matches!(edit(text, &change, &[], "\n"), Err(YamlError::Invalid(_))), "{text}");
    }
    for text in ["- a\n", "text", "1"] {
        assert_eq!(edit(text, &change, &[], "\n"), Err(YamlError::NotAMapping), "{text}");
    }
}

#[test]
fn texts_are_written_as_the_exporter_writes_them() {
    let words = "lorem ipsum dolor sit amet ".repeat(5);
    let long = words.trim();
    let folded = "a: >-\n  lorem ipsum dolor sit amet lorem ipsum dolor sit amet lorem ipsum dolor sit\n  amet lorem ipsum dolor sit amet lorem ipsum dolor sit amet\n";
    let (fits, over) = ("x".repeat(78), "x".repeat(79));
    for (value, expected) in [
        ("plain text", "a: plain text\n".to_owned()),
        ("it's", "a: it's\n".to_owned()),
        ("a: b", "a: 'a: b'\n".to_owned()),
        ("don't: #", "a: 'don''t: #'\n".to_owned()),
        ("!x", "a: '!x'\n".to_owned()),
        ("yes", "a: 'yes'\n".to_owned()),
        ("5.8", "a: '5.8'\n".to_owned()),
        ("2026-01-31", "a: '2026-01-31'\n".to_owned()),
        ("2 apples", "a: 2 apples\n".to_owned()),
        ("", "a: ''\n".to_owned()),
        ("x\u{A0}y", "a: \"x\\_y\"\n".to_owned()),
        ("x\ny", "a: |-\n  x\n  y\n".to_owned()),
        (long, folded.to_owned()),
        (&fits, format!("a: {fits}\n")),
        (&over, format!("a: >-\n  {over}\n")),
    ] {
        assert_eq!(edit("", &[set(&["a"], json!(value))], &[], "\n"), Ok(expected));
    }
}

fn value() -> impl Strategy<Value = Value> {
    let text = prop_oneof![
        "[a-z ]{0,12}",
        "[ -~]{0,12}",
        "\\PC{0,8}",
        "[a-zé:#' ]{70,200}",
        "[ -~\n]{0,30}",
        "[\u{0}-\u{20}\u{7f}-\u{a1}\u{2027}-\u{202a}\u{FEFF}x]{0,5}",
        "[-+0-9.:_eExXoO]{1,8}",
        "(null|Null|~|true|FALSE|yes|No|on|\\.inf|\\.nan|<<|=|---|\\.\\.\\.)",
    ];
    let leaf = prop_oneof![
        4 => text.prop_map(Value::String),
        1 => any::<bool>().prop_map(Value::Bool),
        1 => any::<i64>().prop_map(Value::from),
        1 => (-1e6..1e6_f64).prop_map(Value::from),
        1 => Just(Value::Null),
    ];
    leaf.prop_recursive(3, 12, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::Array),
            prop::collection::vec(("[a-z]{1,3}|[ -~]{0,6}", inner), 0..4)
                .prop_map(|entries| Value::Object(entries.into_iter().collect())),
        ]
    })
}

fn change() -> impl Strategy<Value = Change> {
    let path = prop::collection::vec("[a-c]|icon|layout|title|width", 1..4);
    (path, proptest::option::weighted(0.7, value()))
        .prop_map(|(path, value)| Change { path, value })
}

/// Generates YAML as people write it.
fn written() -> impl Strategy<Value = String> {
    let line = prop_oneof![
        4 => "(a|b|c|icon|hidden|layout): ([a-z]{1,4}|'q'|\"d\"|1|\\[x, y\\])( # c)?",
        1 => "# [a-z]{0,4}",
        1 => Just(String::new()),
        2 => "(a|b|c|layout):\n  (width|title): x\n  # c\n  z:\n    visible: true",
        1 => "(a|b|c): (>-|\\|)\n  text\n\n  text",
        1 => "(a|b|c):\n- x\n-  y: 1\n   z: 2",
    ];
    (prop::collection::vec(line, 0..6), any::<bool>(), any::<bool>()).prop_map(
        |(lines, returns, open)| {
            let mut text = lines.join("\n");
            if !open && !text.is_empty() {
                text.push('\n');
            }
            if returns { text.replace('\n', "\r\n") } else { text }
        },
    )
}

proptest! {
    #[test]
    fn written_yaml_is_read_back(value in value()) {
        let written = edit("", &[set(&["k"], value.clone())], &[], "\n");
        if let Ok(written) = written {
            let read = crate::yaml::parse(&written).expect("valid");
            prop_assert_eq!(read, json!({"k": value}), "{}", written);
        } else {
            prop_assert!(false, "{:?}", written);
        }
    }

    #[test]
    fn edits_are_read_and_leave_the_rest(text in written(), changes in prop::collection::vec(change(), 1..4)) {
        let line_end = crate::yaml::line_end(&text);
        let Ok(Value::Object(mut expected)) = crate::yaml::parse(&text) else {
            return Ok(());
        };
        let written = edit(&text, &changes, &ORDER, line_end).expect("can be written");
        for change in &changes {
            apply(&mut expected, &change.path, change.value.as_ref());
        }
        let read = crate::yaml::parse(&written).expect("valid");
        let read = if read.is_null() { json!({}) } else { read };
        prop_assert_eq!(read, Value::Object(expected), "{}", written);
        // The lines of keys that no change names remain, in their order.
        let mut lines = written.lines();
        let mut kept = true;
        for line in text.lines().filter(|line| !line.is_empty()) {
            if let Some(name) = line.split(':').next().filter(|_| !line.starts_with([' ', '-'])) {
                kept = !changes.iter().any(|change| change.path.first().is_some_and(|key| key == name));
            }
            prop_assert!(!kept || lines.any(|other| other == line), "{:?}\n{}\n{}", line, text, written);
        }
    }

    #[test]
    fn any_text_is_edited_or_refused(text in "[a-c:\\-#&*!|>'\"{}\\[\\], \n\t]{0,60}", change in change()) {
        let _ = edit(&text, &[change], &ORDER, "\n");
    }
}
