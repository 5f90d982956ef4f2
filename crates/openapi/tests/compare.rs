//! Changes from one state of a description to a later one.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::time::{Duration, Instant};

use bindery_openapi::{Change, Day, Description, Level, Loader, MAX_CHANGES, compare, compare_on};

type Failure = Box<dyn std::error::Error>;

fn described(text: &str) -> Result<Description, Failure> {
    let mut loader = Loader::new(None);
    loader.add(format!("openapi: 3.1.0\ninfo: {{title: Ships, version: one}}\n{text}"));
    loader.finish().map_err(|problems| format!("{problems:?}").into())
}

fn changes(before: &str, after: &str) -> Result<Vec<Change>, Failure> {
    Ok(compare(&described(before)?, &described(after)?))
}

/// Returns the level and the rule of each change.
fn rules(changes: &[Change]) -> BTreeSet<String> {
    let names = [(Level::Info, "I"), (Level::Warning, "W"), (Level::Breaking, "B")];
    let name = |level| names.iter().find(|(known, _)| *known == level).map(|(_, name)| *name);
    let rules = changes.iter();
    rules.map(|change| format!("{} {}", name(change.level).unwrap_or("?"), change.rule)).collect()
}

fn expected(rules: &[&str]) -> BTreeSet<String> {
    rules.iter().map(|rule| (*rule).to_owned()).collect()
}

/// Checks that two states have certain changes.
#[track_caller]
fn check(before: &str, after: &str, expect: &[&str]) -> Result<(), Failure> {
    let changes = changes(before, after)?;
    assert_eq!(rules(&changes), expected(expect), "{changes:#?}");
    Ok(())
}

/// Checks the changes of a schema in a request, a response and a parameter.
#[track_caller]
fn check_schema(before: &str, after: &str, expect: &[&str]) -> Result<(), Failure> {
    let with = |schema: &str| {
        format!(
            "
paths:
  /ships:
    post:
      requestBody: {{content: {{application/json: {{schema: {{properties: {{a: {schema}}}}}}}}}}}
      responses:
        200: {{description: '', content: {{application/json: {{schema: {{properties: {{a: {schema}}}}}}}}}}}
"
        )
    };
    check(&with(before), &with(after), expect)
}

#[test]
fn operations_come_and_go() -> Result<(), Failure> {
    let before = "
paths:
  /ships: {get: {operationId: list, tags: [ships, sea]}, delete: {deprecated: true}, put: {}}
  /ships/{id}: {get: {parameters: [{in: path, name: id, required: true, schema: {type: string}}]}}
  /fleet: {get: {}, post: {x-stability-level: alpha}}
webhooks: {sunk: {post: {}}}
";
    let after = "
paths:
  /ships: {get: {operationId: ships, tags: [ships, fleet], deprecated: true}, post: {}}
  /ships/{ship}: {get: {parameters: [{in: path, name: ship, required: true, schema: {type: string}}]}}
webhooks: {built: {post: {}}}
";
    let found = changes(before, after)?;
    let expect = [
        "I api-operation-id-removed",
        "I api-tag-added",
        "I api-tag-removed",
        "I endpoint-deprecated",
        "I api-removed-with-deprecation",
        "B api-removed-without-deprecation",
        "I endpoint-added",
        "B api-path-removed-without-deprecation",
        "B webhook-removed",
        "I webhook-added",
    ];
    assert_eq!(rules(&found), expected(&expect), "{found:#?}");
    let removed = found.iter().find(|change| change.rule == "api-path-removed-without-deprecation");
    let removed = removed.ok_or("the removal is not named")?;
    assert_eq!((removed.method.as_str(), removed.path.as_str()), ("get", "/fleet"));
    assert_eq!(
        removed.text,
        "The operation `GET /fleet` was removed without being deprecated before."
    );
    let id = found.iter().find(|change| change.rule == "api-operation-id-removed");
    let id = id.map(|change| (change.operation_id.as_str(), change.text.as_str()));
    let text = "The operation `GET /ships` changed its id from `list` to `ships`.";
    assert_eq!(id, Some(("list", text)));
    Ok(())
}

#[test]
fn sunset_dates_are_judged_on_a_day() -> Result<(), Failure> {
    let before = described(
        "
paths:
  /a: {get: {deprecated: true, x-sunset: '2027-01-31'}}
  /b: {get: {deprecated: true, x-sunset: soon}}
  /c: {get: {deprecated: true, x-sunset: '2027-01-31'}, post: {}}
  /d: {get: {x-stability-level: beta}, put: {}}
",
    )?;
    let after = described(
        "
paths:
  /c: {get: {deprecated: true, x-sunset: '2026-01-31'}, post: {deprecated: true, x-sunset: '2026-01-31'}}
  /d: {get: {x-stability-level: alpha}, put: {x-stability-level: ga}}
",
    )?;
    for (today, expect) in [
        (
            Some("2026-11-29"),
            [
                "B api-path-removed-before-sunset",
                "B api-path-sunset-parse",
                "B api-sunset-date-changed-too-small",
                "B api-sunset-date-too-small",
                "B api-stability-decreased",
                "B api-invalid-stability-level",
            ]
            .as_slice(),
        ),
        (
            None,
            &[
                "I api-path-removed-with-deprecation",
                "B api-path-sunset-parse",
                "I endpoint-deprecated-with-sunset",
                "B api-stability-decreased",
                "B api-invalid-stability-level",
            ],
        ),
    ] {
        let today = today.and_then(Day::parse);
        let found = compare_on(&before, &after, today);
        assert_eq!(rules(&found), expected(expect), "{found:#?}");
    }
    for (text, expect) in [
        ("2026-02-03", Some("2026-02-03")),
        ("2026-02-03T10:00:00Z", Some("2026-02-03")),
        ("2026-13-03", None),
        ("2026-02-29", None),
        ("2028-02-29", Some("2028-02-29")),
        ("2026-2-3", None),
        ("2026-02-031", None),
        ("é026-02-03", None),
    ] {
        let day = Day::parse(text).map(|day| day.to_string());
        assert_eq!(day.as_deref(), expect, "{text}");
    }
    Ok(())
}

#[test]
fn parameters_change() -> Result<(), Failure> {
    let before = "
paths:
  /ships:
    parameters: [{in: header, name: X-Port, schema: {type: string}}]
    get:
      parameters:
        - {in: query, name: gone, schema: {type: string}}
        - {in: query, name: need, schema: {type: string, default: a}}
        - {in: query, name: limit, schema: {type: integer, maximum: 100, minimum: 1, default: 10}}
        - {in: query, name: kind, schema: {type: string, enum: [a, b]}}
        - {in: query, name: one, schema: {type: string, pattern: a}}
        - {in: query, name: old, deprecated: true, schema: {type: string}}
";
    let after = "
paths:
  /ships:
    parameters:
      - {in: header, name: x-port, required: true, schema: {type: string, enum: [a]}}
      - {in: query, name: all, schema: {type: string}}
    get:
      parameters:
        - {in: query, name: need, required: true, schema: {type: string}}
        - {in: query, name: limit, schema: {type: integer, maximum: 50, exclusiveMinimum: 1, default: 5}}
        - {in: query, name: kind, schema: {type: [string, 'null'], enum: [a, c]}}
        - {in: query, name: one, schema: {type: array, items: {type: string, pattern: a}}}
        - {in: query, name: new, required: true, schema: {type: string}}
";
    check(
        before,
        after,
        &[
            "B request-parameter-became-required",
            "B request-parameter-became-enum",
            "B request-header-property-became-enum",
            "I request-parameter-enum-value-added",
            "B request-parameter-enum-value-removed",
            "I new-optional-request-default-parameter-to-existing-path",
            "W request-parameter-removed",
            "I request-parameter-removed-with-deprecation",
            "B request-parameter-max-decreased",
            "W request-parameter-exclusive-min-set",
            "B request-parameter-default-value-changed",
            "I request-parameter-became-nullable",
            "I request-parameter-type-generalized",
            "I request-parameter-pattern-removed",
            "B new-required-request-parameter",
        ],
    )?;
    let found = changes(before, after)?;
    let text = "The query parameter `limit` lowered its highest value from 100 to 50.";
    assert!(found.iter().any(|change| change.text == text), "{found:#?}");
    Ok(())
}

#[test]
fn parameters_become_properties_of_one() -> Result<(), Failure> {
    let with =
        |parameters: &str| format!("paths: {{/ships: {{get: {{parameters: [{parameters}]}}}}}}");
    let single = with("{in: query, name: limit, schema: {type: integer, maximum: 9}}");
    let object = "{in: query, name: all, explode: true, schema: {type: object, properties: {limit: {type: integer, maximum: 5}}}}";
    check(&single, &with(object), &["B request-parameter-max-decreased"])?;
    check(&with(object), &single, &["I request-parameter-max-increased"])?;
    let nested = object.replace("explode: true", "explode: false");
    check(
        &single,
        &with(&nested),
        &["W request-parameter-removed", "I new-optional-request-parameter"],
    )
}

#[test]
fn bodies_change() -> Result<(), Failure> {
    let before = "
paths:
  /ships:
    post:
      requestBody: {content: {application/json: {schema: {type: object}}, text/csv: {}}}
      responses:
        200:
          description: ''
          headers: {X-Left: {required: true, schema: {type: integer}}, X-Gone: {schema: {}}}
          content: {application/json: {schema: {type: object}}, text/plain: {}}
        201: {description: ''}
        404: {description: ''}
    put: {requestBody: {content: {}}}
    patch: {}
";
    let after = "
paths:
  /ships:
    post:
      requestBody: {required: true, content: {application/json: {schema: {type: array}}, text/css: {}}}
      responses:
        200:
          description: ''
          headers: {x-left: {schema: {type: [number, 'null']}}, X-New: {schema: {}}}
          content: {application/problem+json: {schema: {type: object}}, text/html: {}}
        202: {description: ''}
        default: {description: ''}
    put: {}
    patch: {requestBody: {required: true, content: {}}}
";
    check(
        before,
        after,
        &[
            "B request-body-became-required",
            "B request-body-media-type-removed",
            "I request-body-media-type-added",
            "B request-body-type-changed",
            "B response-header-became-optional",
            "W optional-response-header-removed",
            "I response-header-added",
            "B response-header-type-generalized",
            "B response-header-became-nullable",
            "I response-media-type-name-specialized",
            "B response-media-type-removed",
            "I response-media-type-added",
            "B response-success-status-removed",
            "I response-non-success-status-removed",
            "I response-success-status-added",
            "B request-body-removed",
            "B request-body-added-required",
        ],
    )
}

const SHARED: &str = "
paths:
  /ships:
    put:
      requestBody: {content: {application/json: {schema: {$ref: '#/components/schemas/Ship'}}}}
      responses: {200: {description: '', content: {application/json: {schema: {$ref: '#/components/schemas/Ships'}}}}}
components:
  schemas:
    Ships: {type: array, items: {$ref: '#/components/schemas/Ship'}}
    Ship:
";

#[test]
fn properties_count_in_requests_and_in_responses() -> Result<(), Failure> {
    let before = format!(
        "{SHARED}      {{required: [id, name], properties: {{id: {{type: string, readOnly: true}}, \
         name: {{type: string}}, gone: {{}}, crew: {{type: integer}}}}}}\n"
    );
    let after = format!(
        "{SHARED}      {{required: [id, crew, new], properties: {{id: {{type: integer, readOnly: true}}, \
         name: {{type: string, deprecated: true}}, new: {{type: string}}, crew: {{type: integer}}}}}}\n"
    );
    let found = changes(&before, &after)?;
    let expect = [
        "I request-property-became-optional",
        "B request-property-became-required",
        "I request-property-deprecated",
        "W request-property-removed",
        "B new-required-request-property",
        "B response-property-became-optional",
        "I response-property-became-required",
        "I response-property-deprecated",
        "W response-optional-property-removed",
        "I response-required-property-added",
        "B response-property-type-changed",
    ];
    assert_eq!(rules(&found), expected(&expect), "{found:#?}");
    for text in [
        "The property `/crew` of the request body became required.",
        "The property `/items/id` of the response 200 changed its type from `string` to `integer`.",
        "The property `/items/new` of the response 200 is new and required.",
    ] {
        assert!(found.iter().any(|change| change.text == text), "{text} {found:#?}");
    }
    Ok(())
}

/// A schema in both states, and the changes of it.
type Case<'c> = (&'c str, &'c str, &'c [&'c str]);

/// Schemas in both states, and what a change of their types means.
const TYPES: &[Case<'static>] = &[
    (
        "{type: integer}",
        "{type: number}",
        &["I request-property-type-generalized", "B response-property-type-generalized"],
    ),
    (
        "{type: number}",
        "{type: integer}",
        &["B request-property-type-changed", "I response-property-type-specialized"],
    ),
    (
        "{type: [string, integer]}",
        "{type: string}",
        &["B request-property-type-changed", "I response-property-type-specialized"],
    ),
    (
        "{type: string, format: date}",
        "{type: string}",
        &["I request-property-type-generalized", "B response-property-type-changed"],
    ),
    (
        "{type: integer, format: int32}",
        "{type: integer, format: int64}",
        &["I request-property-type-generalized", "B response-property-type-changed"],
    ),
    (
        "{type: string}",
        "{type: [string, 'null']}",
        &["I request-property-became-nullable", "B response-property-became-nullable"],
    ),
    (
        "{type: string, nullable: true}",
        "{type: string}",
        &["B request-property-became-not-nullable", "I response-property-became-not-nullable"],
    ),
    (
        "{type: string}",
        "{oneOf: [{type: 'null'}, {type: string}]}",
        &["I request-property-became-nullable", "B response-property-became-nullable"],
    ),
    (
        "{type: string}",
        "{anyOf: [{type: integer}, {type: string}]}",
        &["I request-property-list-of-types-widened", "B response-property-list-of-types-widened"],
    ),
    (
        "{oneOf: [{type: integer}, {type: string}]}",
        "{type: string}",
        &[
            "B request-property-list-of-types-narrowed",
            "I response-property-list-of-types-narrowed",
        ],
    ),
];

#[test]
fn types_are_wider_or_narrower() -> Result<(), Failure> {
    TYPES.iter().try_for_each(|(before, after, expect)| check_schema(before, after, expect))
}

/// Schemas in both states, and what a change of their limits means.
const LIMITS: &[Case<'static>] = &[
    (
        "{maximum: 5}",
        "{maximum: 6}",
        &["I request-property-max-increased", "B response-property-max-increased"],
    ),
    ("{maximum: 6}", "{maximum: 5}", &["B request-property-max-decreased"]),
    (
        "{maximum: 6, readOnly: true}",
        "{maximum: 5, readOnly: true}",
        &["I request-read-only-property-max-decreased"],
    ),
    ("{}", "{minimum: 5}", &["W request-property-min-set"]),
    ("{maxLength: 5}", "{}", &["B response-property-max-length-unset"]),
    (
        "{minLength: 5}",
        "{}",
        &["I request-property-min-length-decreased", "B response-property-min-length-decreased"],
    ),
    ("{minItems: 5}", "{minItems: 6}", &["B request-property-min-items-increased"]),
    (
        "{pattern: a}",
        "{pattern: '.*'}",
        &["I request-property-pattern-generalized", "I response-property-pattern-changed"],
    ),
    (
        "{default: 1}",
        "{default: 2}",
        &["I request-property-default-value-changed", "I response-property-default-value-changed"],
    ),
    (
        "{const: 1}",
        "{const: 2}",
        &["B request-property-const-changed", "B response-property-const-changed"],
    ),
    ("{}", "{enum: [a]}", &["B request-property-became-enum"]),
    (
        "{enum: [a]}",
        "{}",
        &["I request-property-enum-value-added", "W response-property-enum-value-added"],
    ),
    (
        "{enum: [a, b]}",
        "{enum: [a, c]}",
        &[
            "B request-property-enum-value-removed",
            "I request-property-enum-value-added",
            "I response-property-enum-value-removed",
            "W response-property-enum-value-added",
        ],
    ),
    (
        "{enum: [a], writeOnly: true}",
        "{enum: [a, b], writeOnly: true}",
        &["I request-property-enum-value-added", "I response-write-only-property-enum-value-added"],
    ),
];

#[test]
fn limits_are_wider_or_narrower() -> Result<(), Failure> {
    LIMITS.iter().try_for_each(|(before, after, expect)| check_schema(before, after, expect))
}

#[test]
fn variants_are_found_again() -> Result<(), Failure> {
    for (before, after, expect) in [
        (
            "{oneOf: [{type: object, title: A}, {title: B, maximum: 1}]}",
            "{oneOf: [{title: B, maximum: 2}, {title: A, type: object}]}",
            ["I request-property-max-increased", "B response-property-max-increased"].as_slice(),
        ),
        (
            "{allOf: [{minimum: 1}]}",
            "{allOf: [{minimum: 1}, {maximum: 3}, {title: Note}]}",
            &[
                "B request-property-all-of-added",
                "I response-property-all-of-added",
                "I request-property-all-of-added-annotation-only",
                "I response-property-all-of-added-annotation-only",
            ],
        ),
        (
            "{anyOf: [{minimum: 1}, {maximum: 3}]}",
            "{anyOf: [{description: Low, maximum: 3}]}",
            &["B request-property-any-of-removed", "I response-property-any-of-removed"],
        ),
        (
            "{oneOf: [{minimum: 1}]}",
            "{oneOf: [{minimum: 1}, {pattern: a}]}",
            &["I request-property-one-of-added", "B response-property-one-of-added"],
        ),
        (
            "{properties: {b: {}}}",
            "{oneOf: [{properties: {b: {}}}]}",
            &["I request-property-one-of-added", "B response-property-one-of-added"],
        ),
        (
            "{discriminator: {propertyName: b, mapping: {x: X}}}",
            "{discriminator: {propertyName: c, mapping: {y: Y}}}",
            &[
                "I request-property-discriminator-property-name-changed",
                "I request-property-discriminator-mapping-added",
                "I request-property-discriminator-mapping-deleted",
                "I response-property-discriminator-property-name-changed",
                "I response-property-discriminator-mapping-added",
                "I response-property-discriminator-mapping-deleted",
            ],
        ),
    ] {
        check_schema(before, after, expect)?;
    }
    Ok(())
}

#[test]
fn conditions_count() -> Result<(), Failure> {
    for (before, after, end) in [
        ("{}", "{if: {type: string}}", "if-added"),
        ("{}", "{contains: {type: string}}", "contains-added"),
        ("{minContains: 1}", "{minContains: 2}", "min-contains-increased"),
        ("{}", "{propertyNames: {pattern: a}}", "property-names-added"),
        ("{}", "{unevaluatedProperties: {type: string}}", "unevaluated-properties-added"),
        ("{}", "{contentSchema: {type: string}}", "content-schema-added"),
        ("{}", "{patternProperties: {a: {type: string}}}", "pattern-property-added"),
        ("{}", "{dependentSchemas: {a: {type: string}}}", "dependent-schema-added"),
        ("{}", "{dependentRequired: {a: [b]}}", "dependent-required-added"),
    ] {
        let (request, response) =
            (format!("B request-property-{end}"), format!("I response-property-{end}"));
        check_schema(before, after, &[&request, &response])?;
    }
    check_schema(
        "{prefixItems: [{maximum: 2}]}",
        "{prefixItems: [{maximum: 1}, {}]}",
        &[
            "B request-property-max-decreased",
            "I request-property-prefix-items-added",
            "B response-property-prefix-items-added",
        ],
    )
}

#[test]
fn security_changes() -> Result<(), Failure> {
    let before = "
security: [{key: []}, {auth: [read]}]
paths: {/ships: {get: {security: [{auth: [read]}]}}}
components:
  securitySchemes:
    key: {type: apiKey, in: header, name: X}
    auth: {type: oauth2, flows: {implicit: {authorizationUrl: 'https://a.example', scopes: {read: Read, write: Write}}}}
  schemas: {Gone: {}}
";
    let after = "
security: [{auth: [write]}]
paths: {/ships: {get: {security: [{auth: [read]}, {other: []}]}}}
components:
  securitySchemes:
    other: {type: http, scheme: basic}
    auth: {type: oauth2, flows: {implicit: {authorizationUrl: 'https://b.example', scopes: {read: All, admin: Admin}}}}
";
    check(
        before,
        after,
        &[
            "I api-security-added",
            "I api-global-security-removed",
            "I api-global-security-scope-added",
            "I api-global-security-scope-removed",
            "I api-security-component-removed",
            "I api-security-component-added",
            "I api-security-component-oauth-url-changed",
            "I api-security-component-oauth-scope-added",
            "I api-security-component-oauth-scope-removed",
            "I api-security-component-oauth-scope-changed",
            "I api-schema-removed",
        ],
    )
}

#[test]
fn versions_announce_breaking_changes() -> Result<(), Failure> {
    let with = |version: &str, paths: &str| {
        let mut loader = Loader::new(None);
        loader.add(format!(
            "openapi: 3.1.0\ninfo: {{title: A, version: {version}}}\npaths: {paths}\n"
        ));
        loader.finish().map_err(|problems| format!("{problems:?}"))
    };
    let (gone, kept) = ("{}", "{/a: {get: {}}}");
    for (old, new, paths, expect) in [
        ("1.0.0", "1.0.0", gone, Some("api-version-not-bumped")),
        ("1.1.0", "1.0.9", gone, Some("api-version-decreased")),
        ("1.1.0", "1.2.0", gone, Some("api-major-version-not-bumped")),
        ("1.1.0", "2.0.0", gone, None),
        ("0.1.0", "0.2.0", gone, None),
        ("2026", "2026", gone, None),
        ("1.0.0", "1.0.0", kept, None),
    ] {
        let found = compare(&with(old, kept)?, &with(new, paths)?);
        let rule = found.iter().map(|change| change.rule).find(|rule| rule.contains("version"));
        assert_eq!(rule, expect, "{old} {new}");
    }
    Ok(())
}

#[test]
fn circles_end() -> Result<(), Failure> {
    let with = |kind: &str| {
        format!(
            "
paths:
  /a: {{get: {{responses: {{200: {{description: '', content: {{application/json: {{schema: {{$ref: '#/components/schemas/A'}}}}}}}}}}}}}}
  /b: {{get: {{responses: {{200: {{description: '', content: {{application/json: {{schema: {{$ref: '#/components/schemas/B'}}}}}}}}}}}}}}
components:
  schemas:
    A: {{properties: {{b: {{$ref: '#/components/schemas/B'}}, me: {{$ref: '#/components/schemas/A'}}}}}}
    B: {{properties: {{a: {{$ref: '#/components/schemas/A'}}, kind: {{type: {kind}}}}}}}
    C: {{$ref: '#/components/schemas/C'}}
"
        )
    };
    let found = changes(&with("string"), &with("integer"))?;
    let texts: Vec<&str> = found.iter().map(|change| change.text.as_str()).collect();
    assert_eq!(
        texts,
        [
            "The property `/b/kind` of the response 200 changed its type from `string` to `integer`.",
            "The property `/kind` of the response 200 changed its type from `string` to `integer`.",
        ]
    );
    Ok(())
}

/// Returns a description whose models refer to the next one twice, and the last one to the first.
fn chain(length: usize, kind: &str) -> Result<String, Failure> {
    let mut text = String::from("paths:\n");
    for path in 0..50 {
        writeln!(
            text,
            "  /p{path}: {{get: {{responses: {{200: {{description: '', content: {{application/json: {{schema: {{$ref: '#/components/schemas/S0'}}}}}}}}}}}}}}"
        )?;
    }
    text.push_str("components:\n  schemas:\n");
    for at in 0..length {
        let next = format!("{{$ref: '#/components/schemas/S{}'}}", (at + 1) % length);
        writeln!(text, "    S{at}: {{properties: {{x: {next}, y: {next}, z: {{type: {kind}}}}}}}")?;
    }
    Ok(text)
}

#[test]
fn schemas_without_end_cost_little() -> Result<(), Failure> {
    let start = Instant::now();
    for (before, after) in [(40, 40), (701, 703)] {
        let (before, after) = (chain(before, "string")?, chain(after, "integer")?);
        let found = changes(&before, &after)?;
        assert!(!found.is_empty() && found.len() <= MAX_CHANGES, "{}", found.len());
        assert!(found.iter().all(|change| change.text.len() < 10_000));
        let found = changes(&before, &before)?;
        assert_eq!(found, []);
    }
    assert!(start.elapsed() < Duration::from_secs(30), "{:?}", start.elapsed());
    Ok(())
}

#[test]
fn breaking_changes_come_first_if_there_are_too_many() -> Result<(), Failure> {
    let mut before = String::from("paths:\n");
    for path in 0..=MAX_CHANGES {
        writeln!(before, "  /p{path}: {{get: {{operationId: a{path}}}}}")?;
    }
    let after = before.replace("operationId: a", "operationId: b");
    let before = format!("{before}  /gone: {{get: {{}}}}\n");
    let found = changes(&before, &after)?;
    assert_eq!(found.len(), MAX_CHANGES);
    assert!(found.iter().any(|change| change.path == "/gone"));
    Ok(())
}
