//! Blocks that name a description in a file of the space.

use bindery_testkit::archives::{file, tar};

use serde_json::json;

use crate::support::content::{insert, publish};
use crate::support::openapi::{PETSTORE, put_source};
use crate::support::pdf::{Pdf, address, fetch};
use crate::support::{TestEnv, each_engine, until};

const PAGE: &str = "# Ships

{% swagger src=\".gitbook/assets/ships (1).yml\" path=\"/ships/{id}\" method=\"get\" %}
[ships (1).yml](<.gitbook/assets/ships (1).yml>)
{% endswagger %}

{% openapi src=\".gitbook/assets/ships (1).yml\" path=\"/nowhere\" method=\"get\" %}
[ships (1).yml](<.gitbook/assets/ships (1).yml>)
{% endopenapi %}

{% openapi src=\".gitbook/assets/picture.svg\" path=\"/ships\" method=\"get\" %}
[picture.svg](.gitbook/assets/picture.svg)
{% endopenapi %}
";

const SHIPS: &str = "openapi: 3.0.3
info: {title: Ships, version: '1'}
servers: [{url: 'https://ships.example.com/v1'}]
paths:
  /ships/{id}:
    parameters:
      - {name: id, in: path, required: true, schema: {type: string}, description: The number of the hull}
    get:
      summary: Find a ship
      responses:
        '200':
          description: A ship
          content:
            application/json: {schema: {$ref: 'parts/ship.yaml#/Ship'}}
        '404': {$ref: 'https://example.com/problems.yaml#/NotFound'}
        '500': {$ref: '../../../etc/passwd#/Failure'}
";

const SHIP: &str =
    "Ship: {type: object, properties: {tonnage: {type: integer, description: Its weight}}}\n";

fn archive(ship: &str) -> Vec<u8> {
    tar(&[
        file("SUMMARY.md", "* [Ships](README.md)\n"),
        file("README.md", PAGE),
        file(".gitbook/assets/ships (1).yml", SHIPS),
        file(".gitbook/assets/parts/ship.yaml", ship),
        file(".gitbook/assets/picture.svg", "<svg xmlns=\"http://www.w3.org/2000/svg\"/>"),
    ])
}

#[test]
fn a_block_shows_an_operation_of_a_file() {
    each_engine(async |env: &mut TestEnv| {
        let space = env.space("Ships").await;
        let kind = "application/octet-stream";
        let _job = env.import_archive(&space, kind, archive(SHIP)).await;
        let _site = publish(env, "Ships", &space).await;
        let reader = env.client.anonymous();
        let page = reader.get("/ships/", &[]).await.expect(200).text();
        for text in [
            "Find a ship",
            "The number of the hull",
            "<code class=\"api-name\">tonnage</code>",
            "Its weight",
            "https://ships.example.com/v1/ships/",
            ">404<",
            "/nowhere",
        ] {
            assert!(page.contains(text), "{text} in {page}");
        }
        let (_, rest) = page.split_once("data-key=\"").unwrap();
        let (key, _) = rest.split_once('"').unwrap();
        let console = format!("/ships/~api-console?key={key}");
        let form = reader.get(&console, &[]).await.expect(200);
        assert_eq!(form.text_at("/servers/0/url"), "https://ships.example.com/v1");
        assert_eq!(form.text_at("/parameters/0/name"), "id");
        let markdown = reader.get("/ships/index.md", &[]).await.expect(200);
        let markdown = markdown.text();
        assert!(markdown.contains("`tonnage`"), "{markdown}");

        found(env, &space, "tonnage").await;

        // Another version of a file that the description refers to is shown at once.
        let changed = SHIP.replace("Its weight", "Its displacement");
        let _job = env.import_archive(&space, kind, archive(&changed)).await;
        let page = reader.get("/ships/", &[]).await.expect(200).text();
        assert!(page.contains("Its displacement") && !page.contains("Its weight"), "{page}");
        found(env, &space, "displacement").await;

        // Each form reads the files, so it counts as a request.
        let mut statuses = Vec::new();
        for _ in 0..30 {
            statuses.push(reader.get(&console, &[]).await.status);
        }
        assert_eq!((statuses[28], statuses[29]), (200, 429));
    });
}

const BLOCK: &str = "{% openapi-operation spec=\"pets\" path=\"/pets/{petId}\" method=\"get\" %}
[pets](https://pets.example.com)
{% endopenapi-operation %}
";

#[test]
fn a_pdf_contains_operations() {
    each_engine(async |env: &mut TestEnv| {
        let space = env.space("Ships").await;
        let _page = insert(&env.client, &space, "Ships", BLOCK).await;
        let _spec = put_source(env, "pets", json!({ "text": PETSTORE })).await;
        let url = address(&env.client, &space, &[]).await;
        let pdf = Pdf::of(&fetch(&env.client, &url).await.expect(200));
        assert!(pdf.names("Returns a pet") && pdf.names("Response 200"));
        let other = PETSTORE.replace("Returns a pet", "Fetches one animal");
        let _spec = put_source(env, "pets", json!({ "text": other })).await;
        let changed = address(&env.client, &space, &[]).await;
        assert_ne!(changed, url);
        assert!(
            Pdf::of(&fetch(&env.client, &changed).await.expect(200)).names("Fetches one animal")
        );
    });
}

/// Waits until a search finds the first page.
async fn found(env: &TestEnv, space: &str, word: &str) {
    let found = until(async || {
        let search = env.client.call("searchSpaceContent").path("spaceId", space);
        let found = search.query("query", word).send().await.expect(200);
        (found.at("/count") != 0).then_some(found)
    });
    assert_eq!(found.await.text_at("/items/0/title"), "Ships");
}

#[test]
fn searches_follow_a_specification() {
    each_engine(async |env: &mut TestEnv| {
        let space = env.space("Ships").await;
        let _page = insert(&env.client, &space, "Ships", BLOCK).await;
        let _site = publish(env, "Ships", &space).await;
        let _spec = put_source(env, "pets", json!({ "text": PETSTORE })).await;
        found(env, &space, "petId").await;
        let other = PETSTORE.replace("Returns a pet", "Fetches one animal");
        let _spec = put_source(env, "pets", json!({ "text": other })).await;
        found(env, &space, "animal").await;
        // The earlier version is used again, so no version is new.
        let _spec = put_source(env, "pets", json!({ "text": PETSTORE })).await;
        until(async || {
            let search = env.client.call("searchSpaceContent").path("spaceId", &space);
            let found = search.query("query", "animal").send().await.expect(200);
            (found.at("/count") == 0).then_some(())
        })
        .await;
    });
}
