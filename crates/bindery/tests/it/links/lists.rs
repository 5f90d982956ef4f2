//! Links and backlinks: references in texts, their validity, and the references to a page or file.

use bindery_testkit::git_server::{Change, GitServer};
use bindery_testkit::{Call, Client};
use serde_json::{Value, json};

use crate::support::content::{change, insert};
use crate::support::links::{locations, told};
use crate::support::{TestEnv, each_engine};

const HOME: &str = "# Home

[Guide](guide.md), [again](guide.md#start), [gone](missing.md), [nowhere](guide.md#nowhere),
[out](https://example.com/x), [here](#parts), [there](#hand-made), [mail](mailto:a@b.c).

## Parts

![p](p.gif)

<a id=\"hand-made\"></a>Made by hand.

{% include \".gitbook/includes/note.md\" %}

{% content-ref url=\"guide.md\" %}
[guide.md](guide.md)
{% endcontent-ref %}
";

const GUIDE: &str = "---
cover: p.gif
---

# Guide

## Start

[home](README.md) <a href=\"sub/one.md\" class=\"button primary\">One</a>
";

const ONE: &str = "# One

<table data-view=\"cards\"><thead><tr><th></th><th data-hidden data-card-target data-type=\"content-ref\"></th><th data-hidden data-card-cover data-type=\"files\"></th></tr></thead><tbody><tr><td>A</td><td><a href=\"../guide.md\">guide.md</a></td><td><a href=\"../p.gif\">p.gif</a></td></tr></tbody></table>

{% file src=\"../p.gif\" %}
";

/// Creates a space with a reference of each kind.
async fn linked(env: &TestEnv, git: &GitServer) -> String {
    let repository = git.repository("linked.git");
    let changes = [
        Change::file("README.md", HOME),
        Change::file("guide.md", GUIDE),
        Change::file("sub/one.md", ONE),
        Change::file("p.gif", b"GIF89a\x01\x00\x01\x00"),
        Change::file(".gitbook/includes/note.md", "See [the guide](../../guide.md).\n"),
        Change::file(
            "SUMMARY.md",
            "* [Home](README.md)\n* [Guide](guide.md)\n  * [One](sub/one.md)\n* [Out](https://example.com/x)\n",
        ),
    ];
    repository.commit("main", "one", changes);
    let space = env.space("Linked").await;
    let request = json!({ "url": git.url("linked.git"), "ref": "refs/heads/main" });
    let job = env.import(&space, &request).await;
    assert_eq!(job.text_at("/status"), "done", "{job}");
    space
}

/// Returns the id of the page at a path.
async fn page(env: &TestEnv, space: &str, path: &str) -> String {
    let call = env.client.call("getPageByPath").path("spaceId", space).path("pagePath", path);
    call.send().await.expect(200).text_at("/id").to_owned()
}

/// Returns all items of a list, reading pages of two items.
async fn paged(call: impl Fn() -> bindery_testkit::Call) -> Vec<Value> {
    let mut items = Vec::new();
    let mut answer = call().query("limit", "2").send().await.expect(200);
    loop {
        items.extend(answer.at("/items").as_array().unwrap().iter().cloned());
        assert_eq!(answer.at("/count"), call().send().await.expect(200).at("/count"));
        let Some(next) = answer.json.pointer("/next/page").and_then(Value::as_str) else {
            return items;
        };
        answer = call().query("limit", "2").query("page", next).send().await.expect(200);
    }
}

#[test]
fn links_of_a_page_are_listed() {
    each_engine(async |env: &mut TestEnv| {
        let git = GitServer::start();
        let space = linked(env, &git).await;
        let home = page(env, &space, "readme").await;
        let of = |page: &str| {
            let call = env.client.call("listPageLinksInSpace").path("spaceId", &space);
            call.path("pageId", page)
        };
        let links = of(&home).send().await.expect(200);
        assert_eq!(
            told(&links),
            [
                "broken to page Guide#nowhere: page Home in a block",
                "broken to url /missing.md: page Home in a block",
                "ok shows file p.gif: page Home in a block",
                "ok shows reusable Note: page Home in a block",
                "ok to page Guide#start: page Home in a block",
                "ok to page Guide: page Home in a block, page Home in a block",
                "ok to page Home#hand-made: page Home in a block",
                "ok to page Home#parts: page Home in a block",
                "ok to url https://example.com/x: page Home in a block",
                "ok to url mailto:a@b.c: page Home in a block",
            ]
        );
        assert_eq!(links.at("/stats"), &json!({ "total": 10, "broken": { "total": 2 } }));
        let broken = of(&home).query("status", "broken").send().await.expect(200);
        assert_eq!((broken.at("/count"), told(&broken).len()), (&json!(2), 2));
        assert_eq!(broken.at("/stats"), links.at("/stats"));
        assert_eq!(&Value::from(paged(|| of(&home)).await), links.at("/items"));

        let guide = page(env, &space, "guide").await;
        assert_eq!(
            told(&of(&guide).send().await.expect(200)),
            [
                "ok shows file p.gif: page Guide",
                "ok to page Home: page Guide in a block",
                "ok to page One: page Guide in a block",
            ]
        );
        let one = page(env, &space, "guide/one").await;
        assert_eq!(
            told(&of(&one).send().await.expect(200)),
            [
                "ok shows file p.gif: page One in a block, page One in a block",
                "ok to page Guide: page One in a block",
            ]
        );
        let none = of("00000000000000000000").send().await.expect(404);
        assert!(none.message().contains("page"), "{none}");
    });
}

#[test]
fn backlinks_of_a_page_and_a_file_are_listed() {
    each_engine(async |env: &mut TestEnv| {
        let git = GitServer::start();
        let space = linked(env, &git).await;
        let guide = page(env, &space, "guide").await;
        let to = |page: &str| {
            let call = env.client.call("listSpacePageBacklinks").path("spaceId", &space);
            call.path("pageId", page)
        };
        let mut found = locations(&to(&guide).send().await.expect(200));
        found.sort();
        assert_eq!(found, ["page Home in a block", "page One in a block", "reusable Note"]);
        assert_eq!(paged(|| to(&guide)).await.len(), 3);
        // Links of a page to itself are not backlinks.
        let home = page(env, &space, "readme").await;
        assert_eq!(locations(&to(&home).send().await.expect(200)), ["page Guide in a block"]);

        let file = env.of_space("listFiles", &space).await.expect(200);
        let file = file.text_at("/items/0/id").to_owned();
        let of_file = |id: &str| {
            let call = env.client.call("listSpaceFileBacklinks").path("spaceId", &space);
            call.path("fileId", id)
        };
        let mut found = locations(&of_file(&file).send().await.expect(200));
        found.sort();
        assert_eq!(found, ["page Guide", "page Home in a block", "page One in a block"]);
        assert_eq!(paged(|| of_file(&file)).await.len(), 3);
        let _none = of_file("00000000000000000000").send().await.expect(404);
        let _none = to("00000000000000000000").send().await.expect(404);

        // A copy has all links at once and is independent of the original.
        let copy = env.of_space("duplicateSpace", &space).await.expect(201);
        let copy = copy.text_at("/id").to_owned();
        change(&env.client, &copy, json!([{ "operation": "delete_page", "page": home }])).await;
        let call = env.client.call("listSpacePageBacklinks").path("spaceId", &copy);
        let found = locations(&call.path("pageId", &guide).send().await.expect(200));
        assert_eq!(found, ["page One in a block", "reusable Note"]);
        assert_eq!(to(&guide).send().await.expect(200).at("/count"), &json!(3));
    });
}

/// The links of the imported space.
const LINKS: [&str; 12] = [
    "broken to page Guide#nowhere: page Home in a block",
    "broken to url /missing.md: page Home in a block",
    "ok shows file p.gif: page Guide, page Home in a block, page One in a block, \
                 page One in a block",
    "ok shows reusable Note: page Home in a block",
    "ok to page Guide#start: page Home in a block",
    "ok to page Guide: page Home in a block, page Home in a block, page One in a \
                 block, reusable Note",
    "ok to page Home#hand-made: page Home in a block",
    "ok to page Home#parts: page Home in a block",
    "ok to page Home: page Guide in a block",
    "ok to page One: page Guide in a block",
    "ok to url https://example.com/x: page Home in a block, page Out",
    "ok to url mailto:a@b.c: page Home in a block",
];

#[test]
fn links_of_a_space_follow_its_content() {
    each_engine(async |env: &mut TestEnv| {
        let git = GitServer::start();
        let space = linked(env, &git).await;
        let of = || env.client.call("listSpaceLinks").path("spaceId", &space);
        let links = of().send().await.expect(200);
        assert_eq!(told(&links), LINKS.map(str::to_owned).map(|text| in_order(&text)));
        assert_eq!(links.at("/stats"), &json!({ "total": 12, "broken": { "total": 2 } }));
        assert_eq!(&Value::from(paged(of).await), links.at("/items"));
        let sound = paged(|| of().query("status", "ok")).await;
        assert_eq!(sound.len(), 10);
        assert_eq!(of().query("status", "in-app").send().await.expect(200).at("/count"), &json!(0));

        // A page is created at a link's target, another page is deleted.
        let guide = page(env, &space, "guide").await;
        let one = page(env, &space, "guide/one").await;
        let made = change(
            &env.client,
            &space,
            json!([
                { "operation": "insert_page", "title": "Missing", "document": { "markdown": "x" } },
                { "operation": "update_page", "page": one, "into": null },
                { "operation": "delete_page", "page": guide },
            ]),
        )
        .await;
        let broken = || of().query("status", "broken").send();
        assert_eq!(
            told(&broken().await.expect(200)),
            [
                "broken to url /guide.md#nowhere: page Home in a block",
                "broken to url /guide.md#start: page Home in a block",
                "broken to url /guide.md: page Home in a block, page Home in a block, page One in \
                 a block, reusable Note",
            ]
            .map(in_order)
        );
        let missing = made.text_at("/changes/0/page/id").to_owned();
        let call = env.client.call("listSpacePageBacklinks").path("spaceId", &space);
        let found = locations(&call.path("pageId", &missing).send().await.expect(200));
        assert_eq!(found, ["page Home in a block"]);
        let _gone =
            change(&env.client, &space, json!([{ "operation": "delete_page", "page": missing }]))
                .await;
        assert_eq!(broken().await.expect(200).at("/count"), &json!(4));
        // The other references of the page no longer count.
        let links = of().send().await.expect(200);
        assert_eq!(links.at("/stats"), &json!({ "total": 10, "broken": { "total": 4 } }));

        a_revert_restores_links(env, &space, of).await;
    });
}

/// Reverts the space to the imported revision.
async fn a_revert_restores_links(env: &TestEnv, space: &str, of: impl Fn() -> Call) {
    // After a revert, all links are restored.
    let history = env.of_space("listSpaceHistory", space).await.expect(200);
    let imported = history.text_at("/items/2/revision").to_owned();
    let call = env.client.call("revertSpace").path("spaceId", space);
    let _back = call.json(&json!({ "revision": imported })).send().await.expect(200);
    assert_eq!(
        of().send().await.expect(200).at("/stats"),
        &json!({ "total": 12, "broken": { "total": 2 } })
    );
}

/// Sorts the locations in a summary, which are listed in the order of random ids.
fn in_order(text: impl AsRef<str>) -> String {
    let (target, places) = text.as_ref().rsplit_once(": ").unwrap();
    let mut places: Vec<&str> = places.split(", ").collect();
    places.sort_unstable();
    format!("{target}: {}", places.join(", "))
}

#[test]
fn links_between_spaces_reveal_nothing_hidden() {
    each_engine(async |env: &mut TestEnv| {
        let (secret, open) = (env.space("Secret").await, env.space("Overt").await);
        let plan = insert(&env.client, &secret, "The plan", "x").await;
        let address = |path: &str| format!("https://app.gitbook.com/s/{secret}{path}");
        let (whole, there, gone) = (address(""), address("/the-plan#x"), address("/no-plan"));
        let away = "https://app.gitbook.com/s/00000000000000000000/a";
        let ours = format!("{}/app/o/x/s/y", env.server().address());
        let user = env.client.call("getAuthenticatedUser").send().await.expect(200);
        let person = format!("https://app.gitbook.com/u/{}", user.text_at("/id"));
        let text = format!(
            "[a]({whole}) [b]({there}) [c]({gone}) [d]({away}) [e]({ours}) <a href=\"{person}\">p</a>"
        );
        let page = insert(&env.client, &open, "Links", &text).await;
        let links = |client: &Client, operation: &str| {
            client.call(operation).path("spaceId", &open).path("pageId", &page)
        };
        let admin = links(&env.client, "listPageLinksInSpace").send().await.expect(200);
        let name = user.text_at("/displayName");
        let expected = [
            format!("broken to url {gone}: page Links in a block"),
            format!("in-app to url {away}: page Links in a block"),
            format!("in-app to url {ours}: page Links in a block"),
            "ok to page The plan#x: page Links in a block".to_owned(),
            "ok to space Secret: page Links in a block".to_owned(),
            format!("ok to user {name}: page Links in a block"),
        ];
        let mut expected = expected;
        expected.sort();
        assert_eq!(told(&admin), expected);
        assert_eq!(admin.at("/stats"), &json!({ "total": 6, "broken": { "total": 1 } }));
        let of_space = |client: &Client| client.call("listSpaceLinks").path("spaceId", &open);
        let all = of_space(&env.client).send().await.expect(200);
        assert_eq!(told(&all), expected);
        assert_eq!(all.at("/stats"), admin.at("/stats"));
        let in_app = of_space(&env.client).query("status", "in-app").send().await.expect(200);
        assert_eq!((told(&in_app).len(), in_app.at("/count")), (2, &json!(2)));
        let broken = paged(|| of_space(&env.client).query("status", "broken")).await;
        assert_eq!(broken.len(), 1);

        // Backlinks from another space.
        let to = |client: &Client| {
            let call = client.call("listSpacePageBacklinks").path("spaceId", &secret);
            call.path("pageId", &plan)
        };
        let found = to(&env.client).send().await.expect(200);
        assert_eq!(locations(&found), ["page Links in a block"]);
        assert_eq!(found.text_at("/items/0/space/id"), open);
        let own = insert(&env.client, &secret, "Own", "[p](/the-plan)").await;
        assert_eq!(paged(|| to(&env.client)).await.len(), 2);
        let call = env.client.call("listPageLinksInSpace").path("spaceId", &secret);
        let found = told(&call.path("pageId", &own).send().await.expect(200));
        assert_eq!(found, ["ok to page The plan: page Own in a block"]);

        hidden_spaces_are_not_named(env, &secret, &open, of_space, to).await;
    });
}

/// Checks what a user sees who sees only one of the two spaces.
async fn hidden_spaces_are_not_named(
    env: &TestEnv,
    secret: &str,
    open: &str,
    of_space: impl Fn(&Client) -> Call,
    to: impl Fn(&Client) -> Call,
) {
    // A user who sees only one of the two spaces.
    let closed = json!({ "defaultLevel": null });
    let close = |space: &str| {
        env.client.call("updateSpaceById").path("spaceId", space).json(&closed).send()
    };
    let _closed = close(secret).await.expect(200);
    let reader = env.person("reader@example.com", Some("read")).await;
    let seen = of_space(&reader).send().await.expect(200);
    let seen_words = told(&seen);
    assert_eq!(seen_words.iter().filter(|item| item.starts_with("in-app to url")).count(), 5);
    let body = String::from_utf8_lossy(&seen.body).into_owned();
    assert!(!body.contains("The plan") && !body.contains("Secret"), "{body}");
    assert_eq!(seen.at("/stats"), &json!({ "total": 6, "broken": { "total": 0 } }));
    let _unseen = to(&reader).send().await.expect(404);
    let open_again = json!({ "defaultLevel": "read" });
    let call = env.client.call("updateSpaceById").path("spaceId", secret);
    let _opened = call.json(&open_again).send().await.expect(200);
    let _closed = close(open).await.expect(200);
    let seen = to(&reader).send().await.expect(200);
    assert_eq!(
        (locations(&seen), seen.at("/count")),
        (vec!["page Own in a block".into()], &json!(1))
    );
    assert!(!String::from_utf8_lossy(&seen.body).contains("Overt"), "{seen}");
}

#[test]
fn broken_links_of_a_change_request_are_listed() {
    each_engine(async |env: &mut TestEnv| {
        let git = GitServer::start();
        let space = linked(env, &git).await;
        let guide = page(env, &space, "guide").await;
        let home = page(env, &space, "readme").await;
        let one = page(env, &space, "guide/one").await;
        let made = env.client.call("createChangeRequest").path("spaceId", &space);
        let made = made.json(&json!({ "subject": "Break" })).send().await.expect(201);
        let id = made.text_at("/id").to_owned();
        let of = |operation: &str| {
            let call = env.client.call(operation).path("spaceId", &space);
            call.path("changeRequestId", &id)
        };
        let stats = |total, broken, here| json!({ "total": total, "broken": { "total": broken, "changeRequest": here } });
        let links = of("listChangeRequestLinks").send().await.expect(200);
        assert_eq!(links.at("/stats"), &stats(12, 2, 0));
        let changes = json!([
            { "operation": "update_page", "page": one, "into": null },
            { "operation": "delete_page", "page": guide },
            { "operation": "insert_page", "title": "Missing", "document": { "markdown": "[x](/y)" } },
        ]);
        let call = of("updateChangeRequestContent").query("compat", "false");
        let _made = call.json(&json!({ "changes": changes })).send().await.expect(200);
        let links = of("listChangeRequestLinks").send().await.expect(200);
        assert_eq!(links.at("/stats"), &stats(11, 4, 3));
        let first = links.at("/items/0/locationReferences/0/versionContext/changeRequest/id");
        assert_eq!(first, &json!(id));
        let by =
            |context: &'static str| of("listChangeRequestLinks").query("brokenContext", context);
        let here = paged(|| by("change-request")).await;
        let before = by("space").send().await.expect(200);
        assert_eq!((here.len(), before.at("/count")), (3, &json!(1)));
        assert_eq!(told(&before), ["broken to url /guide.md#nowhere: page Home in a block"]);
        // The main content has none of these links.
        let of_space = || env.of_space("listSpaceLinks", &space);
        let stats_there = json!({ "total": 12, "broken": { "total": 2 } });
        assert_eq!(of_space().await.expect(200).at("/stats"), &stats_there);

        let of_page = of("listPageLinksInChangeRequest").path("pageId", &home);
        let of_page = of_page.send().await.expect(200);
        assert_eq!(of_page.at("/stats"), &stats(10, 3, 2));
        let to = |operation: &str, name: &str, id: &str| of(operation).path(name, id).send();
        let _gone = to("listChangeRequestPageBacklinks", "pageId", &guide).await.expect(404);
        let answer = to("listChangeRequestPageBacklinks", "pageId", &home).await.expect(200);
        assert_eq!(answer.at("/count"), &json!(0));
        let file = env.of_space("listFiles", &space).await.expect(200);
        let file = file.text_at("/items/0/id");
        let answer = to("listChangeRequestFileBacklinks", "fileId", file).await.expect(200);
        let mut found = locations(&answer);
        found.sort();
        assert_eq!(found, ["page Home in a block", "page One in a block"]);

        // After the merge, the main content has all of them.
        let _merged = of("mergeChangeRequest").send().await.expect(200);
        let merged = of_space().await.expect(200);
        assert_eq!(merged.at("/stats"), &json!({ "total": 11, "broken": { "total": 4 } }));
    });
}

#[test]
fn links_in_page_metadata_are_listed() {
    each_engine(async |env: &mut TestEnv| {
        let git = GitServer::start();
        let repository = git.repository("one.git");
        let front = "---\nmetaLinks:\n  canonical: other.md\n  alternates:\n    \
                     - https://example.org/x\n    - other.md\n---\n\n# One\n";
        let changes = [
            Change::file("README.md", front),
            Change::file("other.md", "# Other\n"),
            Change::file("SUMMARY.md", "* [One](README.md)\n* [Other](other.md)\n"),
        ];
        repository.commit("main", "one", changes);
        let space = env.space("One").await;
        let request = json!({ "url": git.url("one.git"), "ref": "refs/heads/main" });
        let job = env.import(&space, &request).await;
        let by_path = async |path: &str| {
            let page = env.client.call("getPageByPath").path("spaceId", &space);
            let page = page.path("pagePath", path).send().await.expect(200);
            page.text_at("/id").to_owned()
        };
        let (one, other) = (by_path("readme").await, by_path("other").await);
        let proposal = env.client.call("createChangeRequest").path("spaceId", &space);
        let proposal = proposal.json(&json!({ "subject": "One" })).send().await.expect(201);
        let of = |operation: &str, page: &str| {
            let call = env.client.call(operation).path("spaceId", &space).path("pageId", page);
            match operation {
                "listRevisionPageMetaLinks" => call.path("revisionId", job.text_at("/revision")),
                "listChangeRequestPageMetaLinks" => {
                    call.path("changeRequestId", proposal.text_at("/id"))
                }
                _ => call,
            }
        };
        let target = json!({ "kind": "page", "page": other });
        let expect = json!({
            "canonical": target,
            "alternates": [{ "kind": "url", "url": "https://example.org/x" }, target],
        });
        for operation in [
            "listSpacePageMetaLinks",
            "listRevisionPageMetaLinks",
            "listChangeRequestPageMetaLinks",
        ] {
            assert_eq!(of(operation, &one).send().await.expect(200).json, expect, "{operation}");
            let none = of(operation, &other).send().await.expect(200);
            assert_eq!(none.json, json!({ "alternates": [] }));
            let _absent = of(operation, "00000000000000000000").send().await.expect(404);
        }
    });
}
