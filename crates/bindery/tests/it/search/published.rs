//! Searches on the pages of published sites.

use bindery_testkit::Answer;
use serde_json::{Value, json};

use super::found;
use crate::support::content::{change, insert, publish};
use crate::support::{TestEnv, each_engine, until};

async fn get(env: &TestEnv, path: &str) -> Answer {
    env.client.anonymous().get(path, &[]).await
}

/// Returns the texts between two marks, in order.
fn between<'t>(text: &'t str, start: &str, end: &str) -> Vec<&'t str> {
    text.split(start).skip(1).map(|rest| rest.split(end).next().unwrap()).collect()
}

/// Returns the addresses of the pages that were found.
fn pages(html: &str) -> Vec<&str> {
    between(html, "class=\"found-page\" href=\"", "\"")
}

#[test]
fn results_are_a_page_without_scripts() {
    each_engine(async |env: &mut TestEnv| {
        let space = env.space("Machines").await;
        let text = "The dynamo <comes> first.\n\n## Second part\n\nA turbine, second.\n";
        let _page = insert(&env.client, &space, "Engines & more", text).await;
        let _other = insert(&env.client, &space, "Other", "Nothing.\n").await;
        let _site = publish(env, "Docs", &space).await;
        let _found = found(env, &space, "turbine", &["Engines & more"]).await;
        let home = get(env, "/docs/other").await.expect(200).text();
        assert!(home.contains("action=\"/docs/~search\""), "{home}");
        assert!(home.contains("/~assets/search-"), "{home}");
        let answer = get(env, "/docs/~search?q=turbine").await.expect(200);
        assert_eq!(answer.header("x-robots-tag"), "noindex");
        assert!(answer.header("cache-control").starts_with("private"), "{answer}");
        let html = answer.text();
        assert!(html.contains("<title>turbine · Search · Docs</title>"), "{html}");
        assert!(html.contains("value=\"turbine\"") && html.contains("Pages found: 1<"), "{html}");
        assert_eq!(pages(&html), ["/docs/"]);
        assert!(html.contains("class=\"found-section\" href=\"/docs/#second-part\""), "{html}");
        let section = "<span class=\"found-heading\">Second part</span>\
             <span class=\"found-text\">A <mark>turbine</mark>, second.</span></a>";
        assert!(html.contains(section), "{html}");
        assert!(!html.contains("<select"), "{html}");
        let own = get(env, "/docs/~search?q=dynamo&part=results").await.expect(200).text();
        assert!(own.contains("The <mark>dynamo</mark> &lt;comes&gt; first."), "{own}");
        assert!(!own.contains("<html") && !own.contains("found-section"), "{own}");
        // A word that is being typed, and nothing.
        let typed = get(env, "/docs/~search?q=turb&part=results").await.expect(200).text();
        assert_eq!(pages(&typed), ["/docs/"]);
        let empty = get(env, "/docs/~search?q=+").await.expect(200).text();
        assert!(!empty.contains("found-note") && empty.contains("<h1>Search</h1>"), "{empty}");
        let none = get(env, "/docs/~search?q=%3Cb%3Ezzqq").await.expect(200).text();
        assert!(none.contains("Nothing found for “&lt;b&gt;zzqq”"), "{none}");
        for (path, status) in [
            ("/docs/no/~search?q=turbine", 404),
            ("/docs/~search?q=%ff&page=-1&in=nonsense", 200),
            ("/docs/~search/", 404),
            ("/docs/../~search", 404),
        ] {
            assert_eq!(get(env, path).await.status, status, "{path}");
        }
    });
}

#[test]
fn a_site_has_synonyms() {
    each_engine(async |env: &mut TestEnv| {
        let space = env.space("Clusters").await;
        let _page = insert(&env.client, &space, "Start", "Home.\n").await;
        let _page = insert(&env.client, &space, "Setup", "A kubernetes cluster.\n").await;
        let site = publish(env, "Docs", &space).await;
        let _found = found(env, &space, "kubernetes", &["Setup"]).await;
        let call = |operation: &str| {
            let call = env.client.call(operation);
            call.path("organizationId", &env.organization).path("siteId", site.text_at("/id"))
        };
        let api = async || {
            let body = json!({ "query": "orchid", "scope": { "mode": "all" } });
            call("searchSiteContent").json(&body).send().await.expect(200)
        };
        assert_eq!(*api().await.at("/count"), json!(0));
        let mut settings = call("getSiteCustomizationById").send().await.expect(200).json;
        assert_eq!(settings.get("search"), None);
        settings["search"] =
            json!({ "synonyms": [["Orchid", "Kubernetes"], ["sso", "single sign-on"]] });
        let update = call("updateSiteCustomizationById").json(&settings);
        let _changed = update.send().await.expect(200);
        assert_eq!(*api().await.at("/items/0/pages/0/title"), json!("Setup"));
        let html = get(env, "/docs/~search?q=orchid+cluster").await.expect(200).text();
        assert_eq!(pages(&html), ["/docs/setup"]);
        // The search of a space is not that of the site.
        let _none = found(env, &space, "orchid", &[]).await;
        for (synonyms, error) in [
            (json!([["one"]]), "/search/synonyms/0"),
            (json!([["one", ""]]), "/search/synonyms/0/1"),
            (json!([["one", "—"]]), "/search/synonyms/0/1"),
            (json!([["a b c d e", "two"]]), "/search/synonyms/0/0"),
            (json!([["one", "x".repeat(61)]]), "/search/synonyms/0/1"),
        ] {
            settings["search"]["synonyms"] = synonyms;
            let refused = call("updateSiteCustomizationById").json(&settings).send().await;
            assert!(refused.expect(400).text().contains(error), "{error}");
        }
    });
}

#[test]
fn results_have_pages() {
    each_engine(async |env: &mut TestEnv| {
        let space = env.space("Many").await;
        let mut inserts = Vec::new();
        for number in 10..35 {
            let document = json!({ "markdown": "A turbine.\n" });
            let title = format!("Page {number}");
            inserts.push(json!({
                "operation": "insert_page", "title": title, "document": document,
            }));
        }
        let _changed = change(&env.client, &space, Value::Array(inserts)).await;
        let _site = publish(env, "Docs", &space).await;
        let list = async |query: &str| {
            get(env, &format!("/docs/~search?q=turbine{query}")).await.expect(200).text()
        };
        let _settled =
            until(async || list("").await.contains("Pages found: 25<").then_some(())).await;
        let mut seen = Vec::new();
        for (number, count) in [(1, 10), (2, 10), (3, 5)] {
            let html = list(&format!("&page={number}")).await;
            let found: Vec<String> = pages(&html).into_iter().map(str::to_owned).collect();
            assert_eq!(found.len(), count, "{html}");
            let steps = between(&html, "button-secondary\" href=\"/docs/~search", "\"");
            let at = |number| match number {
                1 => "?q=turbine".to_owned(),
                number => format!("?q=turbine&amp;page={number}"),
            };
            let near = [number - 1, number + 1].into_iter().filter(|near| (1..=3).contains(near));
            assert_eq!(steps, near.map(at).collect::<Vec<_>>());
            seen.extend(found);
        }
        seen.sort();
        seen.dedup();
        assert_eq!(seen.len(), 25);
        let instant = list("&part=results&page=2").await;
        assert_eq!(pages(&instant).len(), 8);
        assert!(
            instant.contains("<a href=\"/docs/~search?q=turbine\">All results</a>"),
            "{instant}"
        );
        assert!(pages(&list("&page=4").await).is_empty());
    });
}

#[test]
fn missing_pages_suggest_pages_of_the_whole_site() {
    each_engine(async |env: &mut TestEnv| {
        let (first, second) = (env.space("Guide").await, env.space("Reference").await);
        let _page = insert(&env.client, &first, "Start", "Text.\n").await;
        let _home = insert(&env.client, &second, "Overview", "Text.\n").await;
        let keys = insert(&env.client, &second, "Rotate signing keys", "Text.\n").await;
        let site = publish(env, "Docs", &first).await;
        let add = env.client.call("addSectionToSite").path("organizationId", &env.organization);
        let add = add.path("siteId", site.text_at("/id"));
        let section = json!({ "spaceId": second, "title": "API" });
        let added = add.json(&section).send().await.expect(201);
        let _found = found(env, &second, "signing", &["Rotate signing keys"]).await;
        let link = format!("href=\"/docs/{}/rotate-signing-keys\"", added.text_at("/path"));
        let missing = get(env, "/docs/old/signing-key-rotation").await.expect(404).text();
        assert!(missing.contains("class=\"nearest\"") && missing.contains(&link), "{missing}");
        let hide = json!([{ "operation": "update_page", "page": keys, "hidden": true }]);
        let _hidden = change(&env.client, &second, hide).await;
        let missing = get(env, "/docs/old/signing-key-rotation").await.expect(404).text();
        assert!(!missing.contains(&link), "{missing}");
    });
}

#[test]
fn filters_limit_a_search() {
    each_engine(async |env: &mut TestEnv| {
        let mut spaces = Vec::new();
        for title in ["Guide", "Guide 2", "Reference"] {
            let space = env.space(title).await;
            let _page =
                insert(&env.client, &space, &format!("About {title}"), "A turbine.\n").await;
            spaces.push(space);
        }
        let site = publish(env, "Docs", &spaces[0]).await;
        let send = async |operation: &str, body: Value| {
            let call = env.client.call(operation).path("organizationId", &env.organization);
            let call = call.path("siteId", site.text_at("/id"));
            call.json(&body).send().await.expect(201).text_at("/id").to_owned()
        };
        let reference =
            send("addSectionToSite", json!({ "spaceId": spaces[2], "title": "API" })).await;
        let second = send("addSpaceToSite", json!({ "spaceId": spaces[1] })).await;
        let list = async |from: &str, within: &str| {
            let path = format!("/docs/{from}~search?q=turbine&in={within}");
            get(env, &path).await.expect(200).text()
        };
        for (space, title) in spaces.iter().zip(["Guide", "Guide 2", "Reference"]) {
            let _found = found(env, space, "turbine", &[&format!("About {title}")]).await;
        }
        let of = async |from: &str, within: &str| {
            let html = list(from, within).await;
            let mut found: Vec<String> = pages(&html).into_iter().map(str::to_owned).collect();
            found.sort();
            found
        };
        let home = get(env, "/docs/").await;
        let options = list("", &second).await;
        let selected = format!("<option value=\"{second}\" selected>");
        assert!(options.contains(&selected) && options.contains("<optgroup"), "{options}");
        let all = of("", "all").await;
        assert_eq!(all.len(), 3, "{all:?} {home}");
        let usual = of("", "").await;
        assert_eq!(usual.len(), 2, "{usual:?}");
        assert_eq!(of("", "nonsense").await, usual);
        let in_second = of("", &second).await;
        assert_eq!(in_second.len(), 1, "{in_second:?}");
        assert!(!usual.contains(&in_second[0]) && all.contains(&in_second[0]));
        let in_reference = of("", &reference).await;
        assert_eq!(in_reference.len(), 1, "{in_reference:?}");
        // A search from a space begins with its pages.
        let base = in_second[0].strip_prefix("/docs/").unwrap();
        let from_second = list(base, "all").await;
        assert_eq!(pages(&from_second)[0], in_second[0]);
        let nothing = get(env, "/docs/~search?q=zzqq").await.expect(200).text();
        assert!(nothing.contains("href=\"/docs/~search?q=zzqq&amp;in=all\""), "{nothing}");
    });
}

#[test]
fn searches_find_what_the_visitor_may_read() {
    each_engine(async |env: &mut TestEnv| {
        let space = env.space("Secrets").await;
        let _open = insert(&env.client, &space, "Open", "A turbine.\n").await;
        let above = insert(&env.client, &space, "Hidden", "A turbine.\n").await;
        let child = json!({
            "operation": "insert_page", "title": "Below", "into": above,
            "document": { "markdown": "A turbine.\n" },
        });
        let _made = change(&env.client, &space, json!([child])).await;
        let _site = publish(env, "Docs", &space).await;
        let _found = found(env, &space, "turbine", &["Below", "Hidden", "Open"]).await;
        let list = async || get(env, "/docs/~search?q=turbine").await.expect(200).text();
        assert_eq!(pages(&list().await).len(), 3);
        let hide = json!({ "operation": "update_page", "page": above, "hidden": true });
        let _changed = change(&env.client, &space, json!([hide])).await;
        // The index may still have the hidden pages, which have no address for a reader any more.
        assert_eq!(pages(&list().await), ["/docs/"]);
        let _found = found(env, &space, "turbine", &["Open"]).await;
        assert!(list().await.contains("Pages found: 1<"));
    });
}

#[test]
fn a_site_describes_its_search() {
    each_engine(async |env: &mut TestEnv| {
        let space = env.space("Described").await;
        let _page = insert(&env.client, &space, "Home", "Text.\n").await;
        let _site = publish(env, "Docs", &space).await;
        let home = get(env, "/docs/").await.expect(200).text();
        let [address] =
            between(&home, "opensearchdescription+xml\" title=\"Docs\" href=\"", "\"")[..]
        else {
            panic!("{home}")
        };
        let answer = get(env, address).await.expect(200);
        let kind = answer.header("content-type");
        assert!(kind.starts_with("application/opensearchdescription+xml"), "{answer}");
        let text = answer.text();
        assert!(text.contains("/docs/~search?q={searchTerms}\""), "{text}");
    });
}

#[test]
fn pages_have_related_pages() {
    each_engine(async |env: &mut TestEnv| {
        let space = env.space("Machines").await;
        let texts = [
            ("Pump", "The impeller of a pump needs a gasket and a bearing.\n"),
            ("Motor", "A motor has a bearing and a gasket, and drives the impeller.\n"),
            ("Cake", "Flour, sugar and butter.\n"),
            ("Bread", "Flour, yeast and water.\n"),
        ];
        let mut ids = Vec::new();
        for (title, text) in texts {
            ids.push(insert(&env.client, &space, title, text).await);
        }
        let _site = publish(env, "Docs", &space).await;
        let page = get(env, "/docs/motor").await.expect(200).text();
        assert!(page.contains("data-related=\"/docs/~related/motor\""), "{page}");
        let related = async || {
            let answer = get(env, "/docs/~related/motor").await;
            let text = answer.text();
            // Nothing is related before the index has the present content.
            (answer.status == 200).then(|| {
                assert!(text.starts_with("<nav class=\"related\""), "{text}");
                assert_eq!(answer.header("x-robots-tag"), "noindex");
                let pages = between(&text, "<a href=\"", "\"").into_iter().map(str::to_owned);
                pages.collect::<Vec<_>>()
            })
        };
        assert_eq!(until(related).await, ["/docs/"]);
        let edit = json!({ "operation": "update_page", "page": ids[0], "hidden": true });
        let _changed = change(&env.client, &space, json!([edit])).await;
        let _settled = until(async || {
            let answer = get(env, "/docs/~related/motor").await;
            (answer.status == 200 && answer.text().is_empty()).then_some(())
        })
        .await;
        for path in ["/docs/~related/none", "/docs/~related/", "/docs/~related/pump"] {
            let answer = get(env, path).await;
            assert!(answer.status == 404 || answer.text().is_empty(), "{path} {answer}");
        }
    });
}
