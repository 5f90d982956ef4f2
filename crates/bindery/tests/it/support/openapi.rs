//! OpenAPI specifications for tests.

use bindery_testkit::{Answer, Call};
use serde_json::{Value, json};

use super::{TestEnv, until};

/// A short description.
pub(crate) const PETSTORE: &str = "openapi: 3.1.0
info:
  title: Petstore
  version: '1'
paths:
  /pets/{petId}:
    get:
      operationId: getPet
      summary: Returns a pet
      tags: [Pets]
      parameters:
        - {name: petId, in: path, required: true, schema: {type: string}}
      responses:
        '200':
          description: The pet
          content:
            application/json:
              schema: {$ref: '#/components/schemas/Pet'}
components:
  schemas:
    Pet:
      type: object
      required: [name]
      properties:
        name: {type: string, description: The name of the pet}
        parent: {$ref: '#/components/schemas/Pet'}
";

/// Returns a call of an operation on a specification of the first organization.
pub(crate) fn of_spec(env: &TestEnv, operation: &str, slug: &str) -> Call {
    let call = env.client.call(operation).path("organizationId", &env.organization);
    call.path("specSlug", slug)
}

/// Sets the source of a specification, and waits until it was read.
pub(crate) async fn put_source(env: &TestEnv, slug: &str, source: Value) -> Answer {
    let put = of_spec(env, "createOrUpdateOpenAPISpecBySlug", slug);
    let put = put.json(&json!({ "source": source })).send().await;
    assert!([200, 201].contains(&put.status), "{put}");
    processed(env, slug).await
}

/// Waits until the source of a specification was read.
pub(crate) async fn processed(env: &TestEnv, slug: &str) -> Answer {
    until(async || {
        let spec = of_spec(env, "getOpenAPISpecBySlug", slug).send().await.expect(200);
        (spec.at("/processingState") == "complete").then_some(spec)
    })
    .await
}
