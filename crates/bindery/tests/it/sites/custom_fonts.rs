//! Fonts of organizations, in the API and on pages.

use bindery_testkit::{Answer, Call};
use serde_json::{Value, json};

use crate::support::content::{insert, publish};
use crate::support::uploads::{two_weights, upload_address, uploaded_font};
use crate::support::{TestEnv, each_engine, raw};

fn call(env: &TestEnv, operation: &str) -> Call {
    env.client.call(operation).path("organizationId", &env.organization)
}

fn of_font(env: &TestEnv, operation: &str, font: &str) -> Call {
    call(env, operation).path("fontId", font)
}

async fn created(env: &TestEnv, faces: Value) -> Answer {
    let create = call(env, "createCustomFont");
    create.json(&json!({ "fontFamily": "Acme Sans", "fontFaces": faces })).send().await
}

#[test]
fn a_font_is_created_changed_and_deleted() {
    each_engine(async |env: &mut TestEnv| {
        let key = uploaded_font(env).await;
        let font = created(env, two_weights(&key)).await.expect(201);
        let id = font.text_at("/id");
        assert_eq!(font.text_at("/fontFaces/1/sources/0/format"), "woff2");
        assert_eq!(font.at("/fontFaces/1/weight"), 700);
        assert_eq!(font.at("/permissions/edit"), true);
        let url = font.text_at("/fontFaces/0/sources/0/url");
        assert!(url.ends_with(&format!("/~storage/{key}")), "{url}");
        let listed = call(env, "listCustomFonts").send().await.expect(200);
        assert_eq!(listed.at("/items/0"), &font.json);
        let got = of_font(env, "getCustomFont", id).send().await.expect(200);
        assert_eq!(got.json, font.json);

        let faces = json!([
            { "weight": 400, "storageKey": null }, { "weight": 700, "storageKey": null },
            { "weight": 300, "storageKey": uploaded_font(env).await },
        ]);
        let body = json!({ "fontFamily": "Acme", "fontFaces": faces });
        let update = of_font(env, "updateCustomFont", id).json(&body);
        let after = update.send().await.expect(201);
        assert_eq!(after.text_at("/fontFamily"), "Acme");
        assert_eq!(after.at("/fontFaces/0/weight"), 300);
        for status in [205, 204] {
            let _gone = of_font(env, "deleteCustomFont", id).send().await.expect(status);
        }
        let _gone = of_font(env, "getCustomFont", id).send().await.expect(404);
    });
}

#[test]
fn missing_weights_and_files_are_named() {
    each_engine(async |env: &mut TestEnv| {
        let key = uploaded_font(env).await;
        let refused = created(env, json!([{ "weight": 400, "storageKey": key }])).await.expect(412);
        assert!(refused.message().contains("missing: 700"), "{refused}");
        let refused = created(env, json!([{ "weight": 1, "storageKey": key }])).await.expect(412);
        assert!(refused.message().contains("missing: 400, 700"), "{refused}");
        let unknown = two_weights("00000000000000000000");
        let refused = created(env, unknown).await.expect(404);
        assert!(refused.message().contains("/fontFaces/0/storageKey"), "{refused}");
        let file = json!({ "name": "a", "type": "", "size": 5 });
        for kind in ["customization_font", "import_file"] {
            let made = upload_address(&env.client, &env.organization, kind, file.clone()).await;
            let made = made.expect(201);
            let _refused = created(env, two_weights(made.text_at("/key"))).await.expect(400);
        }
        let font = created(env, two_weights(&key)).await.expect(201);
        let id = font.text_at("/id");
        for (status, faces) in [
            (412, json!([])),
            (400, json!([{ "weight": 500, "storageKey": null }])),
            (412, json!([{ "weight": 400, "storageKey": null }])),
        ] {
            let update = of_font(env, "updateCustomFont", id).json(&json!({ "fontFaces": faces }));
            let _refused = update.send().await.expect(status);
        }
        let got = of_font(env, "getCustomFont", id).send().await.expect(200);
        assert_eq!(got.json, font.json);
    });
}

#[test]
fn pages_load_the_font_that_the_customization_names() {
    each_engine(async |env: &mut TestEnv| {
        let space = env.space("One").await;
        let _page = insert(&env.client, &space, "Home", "Text.\n").await;
        let site = publish(env, "Fonts", &space).await;
        let on_site = |operation: &str| call(env, operation).path("siteId", site.text_at("/id"));
        let key = uploaded_font(env).await;
        let font = created(env, two_weights(&key)).await.expect(201);
        let current = on_site("getSiteCustomizationById").send().await.expect(200);
        let mut settings = current.json.clone();
        let mut named = font.json.clone();
        named.as_object_mut().unwrap().remove("permissions");
        settings["styling"]["font"] = named.clone();
        let mut unknown = settings.clone();
        unknown["styling"]["monospaceFont"] = named;
        unknown["styling"]["monospaceFont"]["id"] = json!("0".repeat(20));
        let refused = on_site("updateSiteCustomizationById").json(&unknown).send().await;
        let refused = refused.expect(400);
        assert!(refused.message().contains("/styling/monospaceFont/id"), "{refused}");
        let update = on_site("updateSiteCustomizationById").json(&settings);
        let _updated = update.send().await.expect(200);

        let path = stylesheet(env).unwrap();
        let css = raw(env.server(), "GET", &path, "", b"");
        assert_eq!((css.status, css.header("content-type")), (200, "text/css; charset=utf-8"));
        let rules = css.text();
        assert!(rules.contains("font-family:\"Acme Sans\";font-weight:700"), "{rules}");
        assert!(rules.contains(&format!("url({key})")), "{rules}");
        assert!(rules.contains(":root{--sans:\"Acme Sans\","), "{rules}");

        let rename = of_font(env, "updateCustomFont", font.text_at("/id"));
        let _renamed = rename.json(&json!({ "fontFamily": "Other" })).send().await.expect(201);
        assert_eq!(raw(env.server(), "GET", &path, "", b"").status, 404);
        assert_ne!(stylesheet(env).unwrap(), path);
        let delete = of_font(env, "deleteCustomFont", font.text_at("/id"));
        let _gone = delete.send().await.expect(205);
        assert_eq!(stylesheet(env), None);
    });
}

/// Returns the path of the stylesheet of a custom font on the published page.
fn stylesheet(env: &TestEnv) -> Option<String> {
    let page = raw(env.server(), "GET", "/fonts/", "", b"");
    assert_eq!(page.status, 200);
    let html = page.text();
    let at = html.find("/~storage/")?;
    html[at..].split('"').next().map(str::to_owned)
}
