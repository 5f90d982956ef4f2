//! PDFs of published pages.

use bindery_testkit::{Answer, Client};
use serde_json::{Value, json};

use crate::support::content::{change, insert, publish};
use crate::support::every_operation::customization;
use crate::support::pdf::Pdf;
use crate::support::{TestEnv, each_engine};

/// Switches the PDFs of a site on or off.
pub(in crate::sites) async fn offer(env: &TestEnv, site: &str, enabled: bool) {
    let mut settings = customization();
    settings["pdf"] = json!({ "enabled": enabled });
    let call = env.client.call("updateSiteCustomizationById").path("siteId", site);
    let call = call.path("organizationId", &env.organization).json(&settings);
    let _updated = call.send().await.expect(200);
}

/// Requests a path until the response is no longer that of a PDF in progress.
pub(in crate::sites) async fn get(client: &Client, path: &str, cookie: &str) -> Answer {
    loop {
        let answer = client.get(path, &[("cookie", cookie)]).await;
        if answer.status != 202 {
            return answer;
        }
        assert!(answer.text().contains("http-equiv=\"refresh\""), "{answer}");
    }
}

fn insertion(title: &str, hidden: bool) -> Value {
    let text = format!("Text of {title}.\n");
    json!({ "operation": "insert_page", "title": title, "hidden": hidden,
            "document": { "markdown": text } })
}

#[test]
fn pages_offer_pdfs_if_the_customization_says_so() {
    each_engine(async |env: &mut TestEnv| {
        let space = env.space("Handbook").await;
        let pages = json!([insertion("Home", false), insertion("Secret", true)]);
        let _made = change(&env.client, &space, pages).await;
        let guide = insert(&env.client, &space, "Guide", "Text.\n").await;
        let below = json!([{ "operation": "insert_page", "title": "Install", "into": guide,
            "document": { "markdown": "Text.\n" } }]);
        let _below = change(&env.client, &space, below).await;
        let site = publish(env, "Handbook", &space).await;
        let reader = env.client.anonymous();
        let page = reader.get("/handbook/guide", &[]).await.expect(200).text();
        assert!(!page.contains("~pdf"), "{page}");
        let _off = get(&reader, "/handbook/~pdf/guide", "").await.expect(404);
        offer(env, site.text_at("/id"), true).await;
        let page = reader.get("/handbook/guide", &[]).await.expect(200).text();
        assert!(page.contains("href=\"/handbook/~pdf/guide\""), "{page}");
        assert!(page.contains("href=\"/handbook/~pdf/guide?part=all\""), "{page}");
        for (path, expect) in [
            ("guide", [false, true, false, false]),
            ("guide?part=section", [false, true, true, false]),
            ("guide?part=all", [true, true, true, false]),
            ("index", [true, false, false, false]),
            ("secret", [false, false, false, true]),
        ] {
            let answer = get(&reader, &format!("/handbook/~pdf/{path}"), "").await.expect(200);
            assert_eq!(answer.header("x-robots-tag"), "noindex");
            let pdf = Pdf::of(&answer);
            let found = ["Home", "Guide", "Install", "Secret"].map(|title| pdf.names(title));
            assert_eq!(found, expect, "{path}");
        }
        for path in ["nothing", "guide?part=x"] {
            let _absent = get(&reader, &format!("/handbook/~pdf/{path}"), "").await.expect(404);
        }
    });
}
