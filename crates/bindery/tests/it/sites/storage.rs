//! Uploads of files, which are accepted once and served without any way to run scripts.

use serde_json::json;

use crate::support::uploads::{path_of, put, upload_address, woff2};
use crate::support::{TestEnv, each_engine, raw};

#[test]
fn a_font_is_uploaded_once_and_served_to_everybody() {
    each_engine(async |env: &mut TestEnv| {
        let bytes = woff2();
        let file = json!({ "name": "a.woff2", "type": "font/woff2", "size": bytes.len() });
        let made = upload_address(&env.client, &env.organization, "customization_font", file).await;
        let made = made.expect(201);
        let (url, key) = (made.text_at("/url"), made.text_at("/key"));
        let served = format!("/~storage/{key}");
        assert_eq!(raw(env.server(), "GET", &served, "", b"").status, 404);
        let wrong = url.replace("upload=", "upload=x");
        assert_eq!(put(env, &wrong, &bytes).status, 404);
        assert_eq!(put(env, &served, &bytes).status, 404);
        assert_eq!(put(env, url, &bytes[..60]).status, 400);
        assert_eq!(put(env, url, &[0; 64]).status, 400);
        assert_eq!(put(env, url, &[0; 65]).status, 413);
        assert_eq!(put(env, url, &bytes).status, 201);
        assert_eq!(put(env, url, &bytes).status, 409);

        let found = raw(env.server(), "GET", &served, "", b"");
        assert_eq!((found.status, &found.body), (200, &bytes));
        assert_eq!(found.header("content-type"), "font/woff2");
        assert_eq!(found.header("x-content-type-options"), "nosniff");
        assert!(found.header("content-security-policy").contains("sandbox"), "{found:?}");
        assert_eq!(found.header("access-control-allow-origin"), "*");
        let head = raw(env.server(), "HEAD", &served, "", b"");
        assert_eq!((head.status, head.header("content-length")), (200, "64"));
        assert_eq!(raw(env.server(), "POST", &path_of(url), "", b"").status, 405);
    });
}

#[test]
fn files_to_import_are_served_to_nobody() {
    each_engine(async |env: &mut TestEnv| {
        let file = json!({ "name": "a.html", "type": "text/html", "size": 8 });
        let made = upload_address(&env.client, &env.organization, "import_file", file).await;
        let made = made.expect(201);
        assert_eq!(put(env, made.text_at("/url"), b"<script>").status, 201);
        for path in [format!("/~storage/{}", made.text_at("/key")), path_of(made.text_at("/url"))] {
            assert_eq!(raw(env.server(), "GET", &path, "", b"").status, 404, "{path}");
        }
    });
}

#[test]
fn descriptions_of_files_are_checked() {
    each_engine(async |env: &mut TestEnv| {
        for (field, file) in [
            ("/file/size", json!({ "name": "a", "type": "font/woff2", "size": 0 })),
            ("/file/size", json!({ "name": "a", "type": "font/woff2", "size": 1.5 })),
            ("/file/size", json!({ "name": "a", "type": "font/woff2", "size": 6_000_000 })),
            ("/file/type", json!({ "name": "a", "type": "text/html", "size": 5 })),
            ("/file/name", json!({ "name": "a".repeat(300), "type": "font/woff2", "size": 5 })),
        ] {
            let kind = "customization_font";
            let made = upload_address(&env.client, &env.organization, kind, file).await;
            let refused = made.expect(400);
            assert!(refused.message().contains(field), "{refused}");
        }
    });
}
