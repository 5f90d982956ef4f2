//! Operations, webhooks and models as readers see them.

use bindery_content::html::{NoLinks, RenderContext, render};
use bindery_openapi::Loader;

use super::*;

fn described(text: &str) -> Description {
    let mut loader = Loader::new(None);
    loader.add(text);
    loader.finish().unwrap()
}

fn operation(path: &str, method: &str) -> OpenApiPart {
    OpenApiPart::Operation { path: path.to_owned(), method: method.to_owned() }
}

fn shown_within(description: &Description, part: &OpenApiPart, bytes: usize) -> OpenApiView {
    let around = Surroundings { labels: ApiLabels::of("en"), links: &|_| None, console: None };
    view(description, part, around, bytes).unwrap()
}

fn shown(description: &Description, part: &OpenApiPart) -> OpenApiView {
    shown_within(description, part, 1 << 20)
}

#[test]
fn the_html_of_an_operation_ends_near_its_size() {
    let text = "words ".repeat(300);
    let response = |code: usize| format!("'{code}': {{description: \"a\\n\\n{text}\"}}");
    let responses: Vec<String> = (100..600).map(response).collect();
    let description = described(&format!(
        "openapi: 3.1.0\ninfo: {{title: Ships, version: '1'}}\n\
         paths: {{/ships: {{get: {{responses: {{{}}}}}}}}}\n",
        responses.join(", ")
    ));
    let part = operation("/ships", "get");
    let within = |bytes: usize| shown_within(&description, &part, bytes);
    let all = within(4 << 20);
    assert!(all.details.contains(">599<") && all.samples.is_some());
    let some = within(100_000);
    assert!(some.details.contains(">100<") && some.details.len() < 120_000);
    assert!(some.samples.is_none());
    let none = within(0);
    assert_eq!((none.title.as_str(), none.description.is_none()), ("GET /ships", true));
    assert_eq!(none.details, "");
}

#[test]
fn models_are_links_to_their_page() {
    let description = described(
        "openapi: 3.1.0\ninfo: {title: Ships, version: '1'}\npaths: {/ships: {get: {responses: \
         {'200': {description: a, content: {application/json: {schema: {type: array, items: \
         {$ref: '#/components/schemas/Ship'}}}}}}}}}\ncomponents: {schemas: {Ship: {type: object, \
         properties: {sister: {$ref: '#/components/schemas/Ship'}, port: {$ref: \
         '#/components/schemas/Port'}}}, Port: {type: string}}}\n",
    );
    let links = |name: &str| (name == "Ship").then(|| format!("/models#model-{name}"));
    let labels = ApiLabels::of("en");
    let around = Surroundings { labels, links: &links, console: None };
    let part = operation("/ships", "get");
    let details = view(&description, &part, around, 1 << 20).unwrap().details;
    let link = "<a class=\"api-link\" href=\"/models#model-Ship\">Ship</a>";
    assert_eq!(details.matches(link).count(), 3, "{details}");
    assert!(!details.contains("Port</a>"), "{details}");
    let schemas = vec!["Ship".to_owned()];
    let part = OpenApiPart::Schemas { schemas, grouped: Some(true) };
    let details = view(&description, &part, around, 1 << 20).unwrap().details;
    assert!(details.contains("href=\"#model-Ship\""), "{details}");
}

#[test]
fn what_a_description_states_is_shown() {
    let description = described(
        "openapi: 3.1.0
info: {title: Ships, version: '1'}
paths:
  /ships:
    post:
      externalDocs: {url: 'https://example.com/docs', description: More}
      security: [{a: [], b: []}, {c: []}]
      parameters:
        - {name: state, in: query, deprecated: true, example: sunk, schema: {type: array, items: {type: string, enum: [afloat]}}}
        - {name: kind, in: query, schema: {const: frigate}}
      requestBody:
        content:
          application/json:
            schema: {type: object, properties: {id: {type: string, readOnly: true}, key: {type: string, writeOnly: true}}}
      responses:
        '200':
          description: a
          content:
            application/json:
              schema: {type: object, properties: {number: {type: string, readOnly: true}, code: {type: string, writeOnly: true}}}
        '204': {description: Nothing}
",
    );
    let html = shown(&description, &operation("/ships", "post")).details;
    for expect in [
        "Possible values: <code>afloat</code>",
        "Possible values: <code>frigate</code>",
        "Example: <code>sunk</code>",
        "<span class=\"api-mark\">deprecated</span>",
        "<a href=\"https://example.com/docs\" rel=\"noopener nofollow\">More</a>",
        "<p class=\"api-or\">or</p>",
        ">key<",
        ">number<",
        "<div class=\"api-response\">",
    ] {
        assert!(html.contains(expect), "{expect} in {html}");
    }
    for hidden in [">id<", ">code<", "javascript:"] {
        assert!(!html.contains(hidden), "{hidden} in {html}");
    }
}

#[test]
fn callbacks_links_and_all_examples_are_shown() {
    let description = described(
        "openapi: 3.1.0
info: {title: Ships, version: '1'}
paths:
  /ships:
    post:
      requestBody:
        content:
          application/json:
            schema: {type: array, minItems: 1, items: {type: object, properties: {name: {type: string}}}}
            examples: {small: {summary: A boat, value: [{name: a}]}, large: {value: [{name: b}]}}
      responses:
        '200':
          description: a
          content: {application/json: {schema: {$ref: '#/components/schemas/Animal'}}}
        '201':
          description: a
          links: {find: {operationId: getShip, description: The new ship, parameters: {id: $response.body#/id}}}
          content: {application/json: {examples: {one: {value: 1}, two: {value: 2}}}}
      callbacks:
        arrived: {'{$request.body#/url}': {post: {description: It is here, responses: {'204': {description: Noted}}}}}
components:
  schemas:
    Cat: {type: object}
    Animal: {oneOf: [{$ref: '#/components/schemas/Cat'}], discriminator: {propertyName: kind, mapping: {cat: Cat}}}
",
    );
    let view = shown(&description, &operation("/ships", "post"));
    for expect in [
        "object[] · items ≥ 1",
        "<code class=\"api-type\">getShip</code>",
        "The new ship",
        "<code>id = $response.body#/id</code>",
        "Callbacks</h3>",
        "<code>{$request.body#/url}</code>",
        "It is here",
        "</span> Noted",
        "<code class=\"api-type\">kind = cat</code>",
        "<details class=\"api-variant\" open>",
    ] {
        assert!(view.details.contains(expect), "{expect} in {}", view.details);
    }
    // The properties of items are not below another list.
    assert!(!view.details.contains("<details class=\"api-parts\">"), "{}", view.details);
    let samples = bindery_content::text::plain(&view.samples.unwrap());
    for title in ["Body · A boat", "Body · large", "201 · one", "201 · two"] {
        assert!(samples.contains(title), "{title} in {samples}");
    }
}

#[test]
fn extensions_open_parts_and_name_the_end() {
    let read = |root: &str, own: &str| {
        let description = described(&format!(
            "openapi: 3.1.0
info: {{title: Ships, version: '1'}}
{root}
paths:
  /ships:
    get:
      deprecated: true
      x-deprecated-sunset: 2030-12-05
      x-codeSamples: false
      {own}
      responses:
        '200':
          description: a
          content: {{application/json: {{schema: {{properties: {{a: {{properties: {{b: {{type: string}}}}}}}}}}}}}}
"
        ));
        let part = operation("/ships", "get");
        shown(&description, &part)
    };
    let closed = read("", "");
    assert!(closed.lead.contains("deprecated · <time>2030-12-05</time>"), "{}", closed.lead);
    assert!(!closed.details.contains(" open"), "{}", closed.details);
    let samples = bindery_content::text::plain(&closed.samples.unwrap());
    assert!(!samples.contains("curl") && samples.contains("\"b\""), "{samples}");
    let open = "x-expandAllResponses: true\nx-expandAllModelSections: true";
    let open = read(open, "").details;
    assert!(open.contains("<details class=\"api-response\" open>"), "{open}");
    assert!(open.contains("<details class=\"api-parts\" open>"), "{open}");
    let own = read("x-expandAllResponses: true", "x-expandAllResponses: false").details;
    assert!(!own.contains(" open"), "{own}");
}

#[test]
fn long_bodies_are_shortened_in_requests_only() {
    let item = r#"{name: "{% endtab %}", text: "</p><p>", tags: [a, b, c, d, e, f, g, h]}"#;
    let items = vec![item; 150].join(", ");
    let description = described(&format!(
        "openapi: 3.1.0
info: {{title: Ships, version: '1'}}
paths:
  /ships:
    post:
      requestBody: {{content: {{application/json: {{example: {{last: end, ships: [{items}]}}}}}}}}
      responses: {{'204': {{description: a}}}}
"
    ));
    let view = shown(&description, &operation("/ships", "post"));
    let samples = view.samples.unwrap();
    let context = RenderContext { links: &NoLinks, highlight: true };
    let html = render(&samples, &context).body;
    assert_eq!(html.matches("<details").count(), 11, "{html}");
    assert!(html.contains("<summary>Body</summary>") && html.contains("end"), "{html}");
    assert!(!html.contains("<p>") && html.contains("&lt;p&gt;"), "{html}");
    let text = bindery_content::text::plain(&samples);
    let (requests, body) = text.rsplit_once("\nBody\n").unwrap();
    assert_eq!(requests.matches("{% endtab %}").count(), 30, "{requests}");
    assert!(body.matches("{% endtab %}").count() > 30, "{body}");
}
