//! The places of values in texts.

use bindery_openapi::{Pointer, positions};

/// Returns the lines and columns of pointers in a text.
fn places(text: &str, pointers: &[&str]) -> Vec<Option<(usize, usize)>> {
    let pointers: Vec<Pointer> = pointers.iter().filter_map(|text| Pointer::parse(text)).collect();
    let found = positions(text, &pointers.iter().collect::<Vec<_>>());
    found.into_iter().map(|found| found.map(|place| (place.line, place.column))).collect()
}

#[test]
fn places_in_yaml_are_those_of_values() {
    let text = "a:
  b: [x, {c: y}]
  200: é z
k: &k
  in: it
l: *k
m: [*k, n]
a2: {? {x: y} : z, w: v}
";
    let pointers = [
        "", "/a", "/a/b", "/a/b/0", "/a/b/1", "/a/b/1/c", "/a/200", "/k/in", "/l", "/l/in", "/m/1",
        "/a2/w", "/a/b/2", "/a/b/x", "/a/200/x", "/none", "/a/b/00",
    ];
    let expected = [
        Some((1, 1)),
        Some((2, 3)),
        Some((2, 6)),
        Some((2, 7)),
        Some((2, 10)),
        Some((2, 14)),
        Some((3, 8)),
        Some((5, 7)),
        Some((6, 4)),
        Some((6, 4)),
        Some((7, 9)),
        Some((8, 23)),
        None,
        None,
        None,
        None,
        None,
    ];
    assert_eq!(places(text, &pointers), expected);
}

#[test]
fn places_in_json_are_those_of_values() {
    let text = "\u{feff}{\n \"a\": {\"b\": [1, {\"c/d\": \"é\"}], \"b\\u0032\": 2},\n \"a\": {\"b\": [3, {\"c/d\": 4, \"e\": 5}]}}";
    let pointers = ["", "/a", "/a/b/0", "/a/b/1/c~1d", "/a/b/1/e", "/a/b2", "/a/b/2", "/a/b/c"];
    let expected =
        [Some((1, 2)), Some((3, 7)), Some((3, 14)), Some((3, 25)), Some((3, 33)), None, None, None];
    assert_eq!(places(text, &pointers), expected);
    assert_eq!(places("{a: {b: c}}", &["/a/b"]), [Some((1, 9))]);
    assert_eq!(places("{\"\\u0061\": 1}", &["/a"]), [Some((1, 12))]);
}

#[test]
fn many_places_are_found_in_one_reading() {
    let schemas = 2_000;
    let line = |at: usize| format!("    S{at}: {{$ref: '#/x'}}\n");
    let text = format!("components:\n  schemas:\n{}", (0..schemas).map(line).collect::<String>());
    let pointers: Vec<String> =
        (0..schemas).step_by(20).map(|at| format!("/components/schemas/S{at}/$ref")).collect();
    let found = places(&text, &pointers.iter().map(String::as_str).collect::<Vec<_>>());
    let lines: Vec<Option<usize>> = found.iter().map(|place| place.map(|(line, _)| line)).collect();
    assert_eq!(lines, (0..schemas).step_by(20).map(|at| Some(at + 3)).collect::<Vec<_>>());
}
