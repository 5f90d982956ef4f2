//! Images of the looks of sites, such as logos.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bindery_testkit::Answer;
use serde_json::{Value, json};

use crate::support::content::{insert, publish};
use crate::support::uploads::path_of;
use crate::support::{TestEnv, each_engine, raw};

const GIF: &[u8] = b"GIF89a\x02\0\x03\0\0\0\0,";

async fn upload(env: &TestEnv, site: &str, body: Value) -> Answer {
    let call = env.client.call("uploadSiteImage").path("organizationId", &env.organization);
    call.path("siteId", site).json(&body).send().await
}

fn image(name: &str, bytes: &[u8]) -> Value {
    json!({ "name": name, "base64": STANDARD.encode(bytes) })
}

#[test]
fn a_logo_is_uploaded_and_shown() {
    each_engine(async |env: &mut TestEnv| {
        let space = env.space("One").await;
        let _page = insert(&env.client, &space, "Home", "Text.\n").await;
        let site = publish(env, "Docs", &space).await;
        let site = site.text_at("/id");
        let made = upload(env, site, image("logo.gif", GIF)).await.expect(201);
        assert_eq!(made.text_at("/contentType"), "image/gif");
        let numbers = ["/size", "/width", "/height"].map(|at| made.at(at).as_u64().unwrap());
        assert_eq!(numbers, [14, 2, 3]);
        let url = made.text_at("/url");
        let served = raw(env.server(), "GET", &path_of(url), "", b"");
        assert_eq!((served.status, served.body.as_slice()), (200, GIF));
        assert_eq!(served.header("content-type"), "image/gif");
        assert!(served.header("content-security-policy").contains("sandbox"), "{served:?}");

        let on_site = |operation: &str| {
            let call = env.client.call(operation).path("organizationId", &env.organization);
            call.path("siteId", site)
        };
        let mut look = on_site("getSiteCustomizationById").send().await.expect(200).json;
        look["header"]["logo"] = json!({ "light": url, "dark": url });
        let call = on_site("updateSiteCustomizationById").json(&look);
        let _set = call.send().await.expect(200);
        let page = raw(env.server(), "GET", "/docs/", "", b"");
        assert!(page.text().contains(&format!("src=\"{url}\"")), "{page:?}");

        let _deleted = on_site("deleteSiteById").send().await;
        let vector = b"<?xml version=\"1.0\"?><svg xmlns=\"http://www.w3.org/2000/svg\"/>";
        let refused = upload(env, site, image("logo.svg", vector)).await;
        assert_eq!(refused.status, 404, "{refused}");
    });
}

#[test]
fn only_images_are_taken() {
    each_engine(async |env: &mut TestEnv| {
        let space = env.space("One").await;
        let site = publish(env, "Docs", &space).await;
        let site = site.text_at("/id");
        let vector = b"<svg xmlns=\"http://www.w3.org/2000/svg\"><script>alert(1)</script></svg>";
        let made = upload(env, site, image("logo.svg", vector)).await.expect(201);
        assert_eq!((made.text_at("/contentType"), made.json.get("width")), ("image/svg+xml", None));
        for (body, at) in [
            (image("a.html", b"<html><script>alert(1)</script>"), "/base64"),
            (image("a.svg", b"<html>"), "/base64"),
            (image("a.png", b"no picture"), "/base64"),
            (image("a.pdf", b"%PDF-1.7"), "/base64"),
            (image("", GIF), "/name"),
            (image("a.gif", &[0; (1 << 20) + 1]), "/base64"),
            (json!({ "name": "a.gif", "base64": "?" }), "/base64"),
            (json!({ "name": "a.gif" }), "/base64"),
        ] {
            let refused = upload(env, site, body).await.expect(400);
            assert!(refused.message().contains(at), "{refused}");
        }
    });
}
