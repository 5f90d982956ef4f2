//! The operations in the order in which a reference shows them.

use bindery_openapi::{Description, Loader, Outline, Tag};
use url::Url;

type Result<T = ()> = std::result::Result<T, Box<dyn std::error::Error>>;

fn read(files: &[(&str, &str)]) -> Result<Description> {
    let mut loader = Loader::new(Some(Url::parse("https://a.example/api/main.yaml")?));
    let (_, first) = files.first().ok_or("no file")?;
    loader.add(*first);
    while let Some(wanted) = loader.wanted(1).pop() {
        let text = files.iter().find(|(name, _)| *name == wanted.name).map(|(_, text)| *text);
        loader.found(&wanted, &wanted.url, text.unwrap_or_default().to_owned());
    }
    Ok(loader.finish().map_err(|problems| problems[0].clone())?)
}

fn outline(text: &str) -> Result<Outline> {
    Ok(read(&[("main.yaml", text)])?.outline())
}

fn lines(tags: &[Tag]) -> Vec<String> {
    let line = |tag: &Tag| {
        let operations: Vec<_> = tag
            .operations
            .iter()
            .map(|operation| {
                format!("{} {} ({})", operation.method, operation.path, operation.title)
            })
            .collect();
        let parent =
            tag.parent.as_ref().map(|parent| format!(" below {parent}")).unwrap_or_default();
        format!("{}{parent}: {}", tag.title, operations.join(", "))
    };
    tags.iter().map(line).collect()
}

#[test]
fn operations_are_sorted_by_their_first_tags() -> Result {
    let found = outline(
        "
openapi: 3.1.0
tags:
  - {name: ships, x-displayName: The ships, description: All about ships}
  - {name: secret, x-internal: true}
  - {name: ports, parent: places}
  - {name: places}
paths:
  /ships:
    post: {tags: [ships, ports], operationId: addShip, deprecated: true}
    get: {tags: [ships], summary: List ships, x-stability: beta}
  /ports: {get: {tags: [ports]}}
  /hidden: {x-internal: true, get: {tags: [ships]}}
  /partly: {get: {x-gitbook-ignore: true}, put: {summary: Untagged}}
  /secret: {get: {tags: [secret]}}
  /new: {get: {tags: [later]}}
  x-paths: {}
webhooks:
  arrived: {post: {summary: A ship arrived}}
components:
  schemas: {Ship: {}, Hidden: {x-internal: true}}
",
    )?;
    let expected = [
        "The ships: get /ships (List ships), post /ships (addShip)",
        "places: ",
        "ports below places: get /ports (GET /ports)",
        "default: put /partly (Untagged)",
        "later: get /new (GET /new)",
    ];
    assert_eq!(lines(&found.tags), expected);
    let (listed, added) = (&found.tags[0].operations[0], &found.tags[0].operations[1]);
    assert_eq!((listed.stability.as_str(), listed.is_deprecated), ("beta", false));
    assert_eq!((added.id.as_str(), added.is_deprecated), ("addShip", true));
    assert_eq!(found.tags[0].description, "All about ships");
    assert_eq!(found.webhooks[0].title, "A ship arrived");
    assert_eq!(found.models, ["Ship"]);
    Ok(())
}

#[test]
fn groups_have_all_tags_once() -> Result {
    let found = outline(
        "
openapi: 3.0.0
paths:
  /a: {get: {tags: [a]}}
  /b: {get: {tags: [b]}}
  /c: {get: {tags: [c]}}
x-tagGroups:
  - {name: One, tags: [b, a, unknown]}
  - {name: Two, tags: [a]}
",
    )?;
    let groups: Vec<_> =
        found.groups.iter().map(|group| (group.title.as_str(), group.tags.join(" "))).collect();
    assert_eq!(groups, [("One", "b a".to_owned()), ("", "c".to_owned())]);
    Ok(())
}

#[test]
fn parents_in_circles_count_as_none() -> Result {
    let text = "{openapi: 3.2.0, paths: {}, tags: [{name: a, parent: b}, {name: b, parent: a}, {name: c, parent: none}, {name: d, parent: d}]}";
    let found = outline(text)?;
    let mut names: Vec<_> = found.tags.iter().map(|tag| tag.name.as_str()).collect();
    names.sort_unstable();
    assert_eq!(names, ["a", "b", "c", "d"]);
    Ok(())
}

#[test]
fn paths_can_be_in_other_files_and_in_circles() -> Result {
    let description = read(&[
        (
            "main.yaml",
            "openapi: 3.0.0\npaths: {/a: {$ref: 'a.yaml#/one'}, /loop: {$ref: '#/paths/~1loop'}}",
        ),
        ("a.yaml", "one: {$ref: '#/two'}\ntwo: {get: {summary: Found}}"),
    ])?;
    assert_eq!(lines(&description.outline().tags), ["default: get /a (Found)"]);
    Ok(())
}

#[test]
fn swagger_is_converted_and_its_references_still_lead() -> Result {
    let description = read(&[
        (
            "main.yaml",
            "swagger: '2.0'\npaths: {/a: {$ref: 'a.yaml#/a'}}\ndefinitions: {A: {type: string}}\nsecurityDefinitions: {odd: {type: odd}}",
        ),
        (
            "a.yaml",
            "a: {get: {summary: A, responses: {200: {description: A, schema: {$ref: 'main.yaml#/definitions/A'}}}}}",
        ),
    ])?;
    assert_eq!(description.outline().models, ["A"]);
    let found =
        description.target("a.yaml", "main.yaml#/definitions/A").map(|part| part.value.clone());
    assert_eq!(found, Some(serde_json::json!({ "type": "string" })));
    let problems: Vec<_> = description.problems.iter().map(ToString::to_string).collect();
    assert_eq!(
        problems,
        [
            "main.yaml:4:28 at /securityDefinitions/odd: the way to sign in is missing, because its type is unknown"
        ]
    );
    Ok(())
}

#[test]
fn long_titles_are_shortened() -> Result {
    let long = "z".repeat(10_000);
    let outline = outline(&format!(
        "openapi: 3.1.0
tags: [{{name: a, summary: {long}, x-page-description: {long}}}]
x-tagGroups: [{{name: {long}, tags: [a]}}]
paths:
  /a: {{get: {{tags: [a], summary: {long}}}, put: {{tags: [a], operationId: {long}}}}}
"
    ))?;
    let tag = outline.tags.first().ok_or("no tag")?;
    let group = outline.groups.first().ok_or("no group")?;
    let titles = [&tag.title, &group.title, &tag.operations[0].title, &tag.operations[1].title];
    for title in titles {
        assert_eq!(*title, format!("{}…", "z".repeat(200)));
    }
    assert_eq!(tag.summary.chars().count(), 1_001);
    assert_eq!(tag.operations[1].id, long);
    Ok(())
}
