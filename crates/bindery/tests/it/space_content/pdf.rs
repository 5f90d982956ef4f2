//! PDFs of spaces and change requests.

use serde_json::{Value, json};

use crate::support::change_requests::Proposal;
use crate::support::content::{change, insert};
use crate::support::pdf::{Pdf, address, fetch};
use crate::support::{TestEnv, each_engine};

#[test]
fn a_pdf_contains_the_pages_that_were_asked_for() {
    each_engine(async |env: &mut TestEnv| {
        let space = env.space("Handbook").await;
        let guide = insert(&env.client, &space, "Guide", "## Setup\n\nText.\n").await;
        let below = json!([{ "operation": "insert_page", "title": "Install", "into": guide,
            "document": { "markdown": "See [the guide](guide.md).\n" } }]);
        let _below = change(&env.client, &space, below).await;
        let _last = insert(&env.client, &space, "Appendix", "Last.\n").await;
        let page = ("page", guide.as_str());
        for (query, expect) in [
            (&[][..], [true, true, true]),
            (&[page][..], [true, true, false]),
            (&[page, ("only", "false")][..], [true, true, false]),
            (&[page, ("only", "true")][..], [true, false, false]),
        ] {
            let url = address(&env.client, &space, query).await;
            let answer = fetch(&env.client, &url).await.expect(200);
            let pdf = Pdf::of(&answer);
            let found = ["Guide", "Install", "Appendix"].map(|title| pdf.names(title));
            assert_eq!(found, expect, "{query:?}");
            assert!(pdf.names("Setup"), "{query:?}");
            let name = if query.is_empty() { "Handbook.pdf" } else { "Guide.pdf" };
            assert!(answer.header("content-disposition").ends_with(name), "{answer:?}");
            // An equal request finds the same file.
            assert_eq!(address(&env.client, &space, query).await, url);
        }
        let before = address(&env.client, &space, &[]).await;
        let _more = insert(&env.client, &space, "More", "More.\n").await;
        assert_ne!(address(&env.client, &space, &[]).await, before);
    });
}

#[test]
fn wrong_parameters_are_refused() {
    each_engine(async |env: &mut TestEnv| {
        let space = env.space("Handbook").await;
        let ask = |query: &'static [(&str, &str)]| {
            let call = env.client.call("getSpacePDF").path("spaceId", &space);
            query.iter().fold(call, |call, (name, value)| call.query(name, value)).send()
        };
        let refused = ask(&[("only", "true")]).await.expect(400);
        let message = refused.message();
        assert!(message.contains("\"only\"") && message.contains("\"page\""), "{message}");
        let _refused = ask(&[("page", "00000000000000000000")]).await.expect(404);
        let _refused = ask(&[("page", "x")]).await.expect(404);
        let _refused = ask(&[("only", "x")]).await.expect(400);
        // A space without pages has no PDF, and the job says so.
        let url = address(&env.client, &space, &[]).await;
        let failed = fetch(&env.client, &url).await.expect(409);
        assert!(failed.message().contains("no pages"), "{failed}");
    });
}

#[test]
fn an_address_answers_to_those_who_may_read_the_content() {
    each_engine(async |env: &mut TestEnv| {
        let space = env.space("Handbook").await;
        let _page = insert(&env.client, &space, "Guide", "Text.\n").await;
        let url = address(&env.client, &space, &[]).await;
        let reader = env.person("reader@example.com", Some("read")).await;
        let _read = fetch(&reader, &url).await.expect(200);
        let _refused = fetch(&env.client.anonymous(), &url).await.expect(401);
        let stranger = env.person("stranger@example.com", None).await;
        let _refused = fetch(&stranger, &url).await.expect(404);
        // The file of one space is not found below another.
        let other = env.space("Other").await;
        let elsewhere = url.replace(&space, &other);
        let _refused = fetch(&env.client, &elsewhere).await.expect(404);
    });
}

#[test]
fn a_change_request_has_a_pdf_of_its_content() {
    each_engine(async |env: &mut TestEnv| {
        let space = env.space("Handbook").await;
        let _page = insert(&env.client, &space, "Guide", "Text.\n").await;
        let proposal = Proposal::new(&env.client, &space).await;
        let added = proposal.page("Proposed", "New.\n").await;
        let made = proposal.get("getChangeRequestPDF").await;
        let pdf = Pdf::of(&fetch(&env.client, made.text_at("/url")).await.expect(200));
        assert!(pdf.names("Guide") && pdf.names("Proposed"));
        let one = proposal.call("getChangeRequestPDF").query("page", &added).query("only", "true");
        let one = one.send().await.expect(200);
        let pdf = Pdf::of(&fetch(&env.client, one.text_at("/url")).await.expect(200));
        assert!(!pdf.names("Guide") && pdf.names("Proposed"));
        let main = address(&env.client, &space, &[]).await;
        let pdf = Pdf::of(&fetch(&env.client, &main).await.expect(200));
        assert!(!pdf.names("Proposed"));
    });
}

#[test]
fn a_site_token_gets_what_the_claims_of_its_visitor_allow() {
    each_engine(async |env: &mut TestEnv| {
        let space = env.space("Content").await;
        let home = insert(&env.client, &space, "Home", "## For all\n\n{% if visitor.claims.unsigned.plan == \"pro\" %}\n## For pros\n{% endif %}\n").await;
        let secret = insert(&env.client, &space, "Secret", "Only for pros.\n").await;
        let condition = "visitor.claims.unsigned.plan == \"pro\"";
        let update = json!({ "operation": "update_page", "page": secret, "condition": condition });
        let _changed = change(&env.client, &space, json!([update])).await;
        let published = adaptive_site(env, &space).await;
        let reader = async |plan: &str| {
            let body =
                json!({ "url": published, "visitor": { "unsignedClaims": { "plan": plan } } });
            let nobody = env.client.anonymous();
            let resolved = nobody.call("resolvePublishedContentByUrl").json(&body).send().await;
            nobody.with_token(resolved.expect(200).text_at("/apiToken"))
        };
        let (pro, free) = (reader("pro").await, reader("free").await);
        let mut urls = Vec::new();
        for (client, is_pro) in [(&pro, true), (&free, false)] {
            let url = address(client, &space, &[]).await;
            let pdf = Pdf::of(&fetch(client, &url).await.expect(200));
            assert!(pdf.names("For all"));
            assert_eq!([pdf.names("For pros"), pdf.names("Secret")], [is_pro; 2]);
            let _member = fetch(&env.client, &url).await.expect(200);
            urls.push(url);
            let page = address(client, &space, &[("page", &home), ("only", "true")]).await;
            let pdf = Pdf::of(&fetch(client, &page).await.expect(200));
            assert_eq!(pdf.names("For pros"), is_pro);
        }
        // The PDF of a visitor is for visitors with the same claims.
        let _refused = fetch(&free, &urls[0]).await.expect(404);
        let _refused = fetch(&pro, &urls[1]).await.expect(404);
        let _read = fetch(&reader("pro").await, &urls[0]).await.expect(200);
    });
}

/// Publishes a site with adaptive content and returns its address.
async fn adaptive_site(env: &TestEnv, space: &str) -> String {
    let send = async |operation: &str, site: Option<&str>, body: Value| {
        let call = env.client.call(operation).path("organizationId", &env.organization);
        let call = site.into_iter().fold(call, |call, site| call.path("siteId", site));
        call.json(&body).send().await
    };
    let created = send("createSite", None, json!({ "title": "Adaptive", "spaces": [space] })).await;
    let created = created.expect(201);
    let site = Some(created.text_at("/id"));
    let published = send("publishSite", site, json!({})).await.expect(200);
    let unsigned = json!({
        "type": "object",
        "description": "Unsigned claims of the site visitor.",
        "properties": { "plan": { "type": "string", "description": "The plan" } },
        "additionalProperties": false,
    });
    let schema = json!({ "type": "object", "properties": { "unsigned": unsigned }, "additionalProperties": false });
    let _schema =
        send("updateSiteAdaptiveSchema", site, json!({ "jsonSchema": schema })).await.expect(200);
    let _enabled = send("updateSiteById", site, json!({ "adaptiveContent": { "enabled": true } }))
        .await
        .expect(200);
    published.text_at("/urls/published").to_owned()
}
