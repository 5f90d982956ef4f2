//! Collections: content, order, moves and deletion.

use bindery_testkit::{Answer, Client};
use serde_json::{Value, json};

use crate::support::containers::{collection, level, made, space_in};
use crate::support::people::second_organization;
use crate::support::{TestEnv, each_engine, items, join_all, pages};

/// Returns the titles of the spaces in a collection, page by page.
async fn titles(client: &Client, collection: &str, limit: u32) -> Vec<String> {
    let call = || client.call("listSpacesInCollectionById").path("collectionId", collection);
    let pages = pages(|| call().query("limit", limit)).await;
    let items = pages.iter().flat_map(items);
    let titles: Vec<_> = items.map(|item| item["title"].as_str().unwrap().to_owned()).collect();
    let last = &pages[pages.len() - 1];
    assert_eq!(last.at("/count").as_u64(), Some(titles.len() as u64), "{last}");
    titles
}

async fn move_space(client: &Client, space: &str, body: Value) -> Answer {
    client.call("moveSpace").path("spaceId", space).json(&body).send().await
}

async fn move_collection(client: &Client, collection: &str, body: Value) -> Answer {
    client.call("moveCollection").path("collectionId", collection).json(&body).send().await
}

fn beside(side: &str, space: &str) -> Value {
    json!({ "position": { side: { "type": "space", "space": space } } })
}

#[test]
fn spaces_are_placed_as_requested() {
    each_engine(async |env: &mut TestEnv| {
        let home = collection(env, "Home", None).await;
        let mut ids = Vec::new();
        for title in ["a", "b", "c", "d"] {
            ids.push(space_in(env, title, &home).await);
        }
        let [a, b, c, d] = <[String; 4]>::try_from(ids).unwrap();
        let client = &env.client;
        assert_eq!(titles(client, &home, 3).await, ["a", "b", "c", "d"]);
        let shown = env.of_space("getSpaceById", &a).await.expect(200);
        assert_eq!(shown.text_at("/parent"), home);
        assert_eq!(shown.text_at("/visibility"), "in-collection");

        let moved = move_space(client, &d, beside("before", &a)).await.expect(200);
        assert_eq!(moved.text_at("/parent"), home);
        assert_eq!(titles(client, &home, 1).await, ["d", "a", "b", "c"]);
        let _moved = move_space(client, &a, beside("after", &b)).await.expect(200);
        assert_eq!(titles(client, &home, 2).await, ["d", "b", "a", "c"]);
        let both = json!({ "position": {
            "after": { "type": "space", "space": d }, "before": { "type": "space", "space": b },
        } });
        let _moved = move_space(client, &c, both.clone()).await.expect(200);
        assert_eq!(titles(client, &home, 2).await, ["d", "c", "b", "a"]);

        // A move to the present position is rejected.
        for body in [both, json!({ "parent": home }), beside("after", &d), beside("before", &b)] {
            let refused = move_space(client, &c, body).await.expect(409);
            assert!(refused.message().contains("nothing would change"), "{refused}");
        }
        let elsewhere = env.space("elsewhere").await;
        let reversed = json!({ "position": {
            "after": { "type": "space", "space": a }, "before": { "type": "space", "space": d },
        } });
        for (body, names) in [
            (beside("before", &elsewhere), "/position/before"),
            (beside("after", "00000000000000000000"), "/position/after"),
            (beside("after", "x"), "/position/after"),
            (beside("before", &c), "/position/before"),
            (reversed, "/position"),
            (json!({ "position": { "before": { "type": "page", "page": "x" } } }), "/position"),
            (json!({ "parent": 1 }), "/parent"),
            (json!({}), "1 fields"),
        ] {
            let refused = move_space(client, &c, body).await.expect(400);
            assert!(refused.message().contains(names), "{refused}");
        }
        for parent in ["00000000000000000000", "x", a.as_str()] {
            let _missing = move_space(client, &c, json!({ "parent": parent })).await.expect(404);
        }
        assert_eq!(titles(client, &home, 9).await, ["d", "c", "b", "a"]);

        a_space_leaves_and_returns(env, &home, &c, &d).await;
        neighbours_are_apart(env, &home, [&a, &b, &d]).await;
    });
}

/// Moves a space to the top level, and back between two spaces.
async fn a_space_leaves_and_returns(env: &TestEnv, home: &str, c: &str, d: &str) {
    let client = &env.client;
    // To the top level, and back between two spaces.
    let top = move_space(client, c, json!({ "parent": null })).await.expect(200);
    assert_eq!(top.json.pointer("/parent"), None, "{top}");
    assert_eq!(titles(client, home, 9).await, ["d", "b", "a"]);
    let mut back = beside("after", d);
    back["parent"] = home.into();
    let _moved = move_space(client, c, back).await.expect(200);
    assert_eq!(titles(client, home, 9).await, ["d", "c", "b", "a"]);
}

/// Moves a space between two neighbours with another space between them.
async fn neighbours_are_apart(env: &TestEnv, home: &str, [a, b, d]: [&str; 3]) {
    let apart = json!({ "position": {
        "after": { "type": "space", "space": d }, "before": { "type": "space", "space": a },
    } });
    let _moved = move_space(&env.client, b, apart).await.expect(200);
    assert_eq!(titles(&env.client, home, 9).await, ["d", "b", "c", "a"]);
}

#[test]
fn spaces_moved_during_paging_are_listed_once() {
    each_engine(async |env: &mut TestEnv| {
        let home = collection(env, "Home", None).await;
        let mut ids = Vec::new();
        for title in ["a", "b", "c", "d", "e", "f"] {
            ids.push(space_in(env, title, &home).await);
        }
        let [a, b, c, d, e, f] = <[String; 6]>::try_from(ids).unwrap();
        let client = &env.client;
        let page = async |cursor: Option<&str>| {
            let call = client.call("listSpacesInCollectionById").path("collectionId", &home);
            let call = call.query("limit", 2);
            let call = cursor.into_iter().fold(call, |call, cursor| call.query("page", cursor));
            call.send().await.expect(200)
        };
        let titles_of = |page: &Answer| {
            let titles = items(page).iter().map(|item| item["title"].as_str().unwrap().to_owned());
            titles.collect::<Vec<_>>()
        };
        let move_to = async |space: &str, side: &str, other: &str| {
            let _moved = move_space(client, space, beside(side, other)).await.expect(200);
        };
        let first = page(None).await;
        // Unread items move to the front twice, and read items to the end.
        move_to(&f, "before", &a).await;
        move_to(&d, "before", &f).await;
        move_to(&a, "after", &e).await;
        move_to(&f, "before", &d).await;
        let second = page(Some(first.text_at("/next/page"))).await;
        move_to(&e, "before", &f).await;
        move_to(&c, "after", &a).await;
        let out = move_space(client, &e, json!({ "parent": null })).await;
        let _out = out.expect(200);
        let _back = move_space(client, &e, json!({ "parent": home })).await.expect(200);
        move_to(&b, "after", &e).await;
        let third = page(Some(second.text_at("/next/page"))).await;
        let read: Vec<_> = [&first, &second, &third].into_iter().flat_map(titles_of).collect();
        assert_eq!(read, ["a", "b", "c", "d", "e", "f"]);
        assert_eq!(third.json.get("next"), None);
        assert_eq!(titles(client, &home, 4).await, ["f", "d", "a", "c", "e", "b"]);
    });
}

#[test]
fn spaces_without_positions_are_sorted_by_age() {
    each_engine(async |env: &mut TestEnv| {
        let home = collection(env, "Home", None).await;
        let mut ids = Vec::new();
        for title in ["a", "b", "c"] {
            ids.push(space_in(env, title, &home).await);
        }
        // Oldest first.
        let _edited = env
            .edit_store(|tx| {
                let sql = "UPDATE spaces SET position = '', created_at = CASE title \
                           WHEN 'a' THEN 1 WHEN 'b' THEN 2 ELSE 3 END";
                tx.execute(sql, &[])
            })
            .await;
        let moved = move_space(&env.client, &ids[2], beside("before", &ids[1])).await;
        let _moved = moved.expect(200);
        assert_eq!(titles(&env.client, &home, 2).await, ["a", "c", "b"]);
        let _new = space_in(env, "d", &home).await;
        assert_eq!(titles(&env.client, &home, 3).await, ["a", "c", "b", "d"]);
    });
}

#[test]
fn hidden_items_are_not_valid_neighbours() {
    each_engine(async |env: &mut TestEnv| {
        let home = collection(env, "Home", None).await;
        let seen = space_in(env, "Seen", &home).await;
        let moved = space_in(env, "Moved", &home).await;
        let unseen = space_in(env, "Unseen", &home).await;
        level(env, "Space", &unseen, Value::Null).await;
        let closed = collection(env, "Closed", Some(&home)).await;
        level(env, "Collection", &closed, Value::Null).await;
        let member = env.person("member@example.com", Some("create")).await;
        for side in ["before", "after"] {
            let in_place = json!({ "type": "collection", "collection": closed });
            for neighbour in [beside(side, &unseen), json!({ "position": { side: in_place } })] {
                let refused = move_space(&member, &moved, neighbour.clone()).await.expect(400);
                let absent = neighbour.to_string();
                let absent = absent.replace(&unseen, "00000000000000000000");
                let absent = absent.replace(&closed, "00000000000000000000");
                let absent: Value = serde_json::from_str(&absent).unwrap();
                let never = move_space(&member, &moved, absent).await.expect(400);
                let names = |text: &str| {
                    text.replace(&unseen, "it")
                        .replace(&closed, "it")
                        .replace("00000000000000000000", "it")
                };
                assert_eq!(names(refused.message()), names(never.message()));
            }
        }
        let _moved = move_space(&member, &moved, beside("before", &seen)).await.expect(200);
        let other = collection(env, "Other", Some(&home)).await;
        for (side, unseen) in [("before", &unseen), ("after", &unseen)] {
            let refused = move_collection(&member, &other, beside(side, unseen)).await.expect(400);
            assert!(refused.message().contains("another space or collection"), "{refused}");
        }
        let _moved = move_collection(&member, &other, beside("before", &seen)).await.expect(200);

        // A token that is limited to spaces sees no collections.
        let list = async |client: &Client| {
            let call = client.call("listCollectionsInOrganizationById");
            call.path("organizationId", &env.organization).send().await.expect(200)
        };
        assert_eq!(list(&member).await.at("/count"), &json!(2));
        let narrow = json!({ "name": "narrow", "spaces": [seen] });
        let narrow = member.call("createToken").json(&narrow).send().await.expect(201);
        let narrow = member.with_token(narrow.text_at("/token"));
        assert_eq!(list(&narrow).await.at("/items"), &json!([]));
        for id in [&home, &closed] {
            let call = narrow.call("getCollectionById").path("collectionId", id);
            let _unseen = call.send().await.expect(404);
        }
        let shown = narrow.call("getSpaceById").path("spaceId", &seen).send().await.expect(200);
        assert_eq!(shown.json.pointer("/parent"), None);
    });
}

#[test]
fn concurrent_moves_lose_nothing() {
    each_engine(async |env: &mut TestEnv| {
        let home = collection(env, "Home", None).await;
        let mut ids = Vec::new();
        for index in 0..8 {
            ids.push(space_in(env, &format!("s{index}"), &home).await);
        }
        // All spaces are moved to the front at the same time.
        let moves = ids.iter().skip(1).map(async |id: &String| {
            let answer = move_space(&env.client, id, beside("before", &ids[0])).await;
            assert!(matches!(answer.status, 200 | 409), "{answer}");
        });
        join_all(moves).await;
        let mut found = titles(&env.client, &home, 3).await;
        assert_eq!(found.last().map(String::as_str), Some("s0"));
        found.sort();
        assert_eq!(found, ["s0", "s1", "s2", "s3", "s4", "s5", "s6", "s7"]);
    });
}

#[test]
fn collections_can_be_nested() {
    each_engine(async |env: &mut TestEnv| {
        let outer = collection(env, "Outer", None).await;
        let inner = collection(env, "Inner", Some(&outer)).await;
        let client = &env.client;
        let shown = client.call("getCollectionById").path("collectionId", &inner).send().await;
        let shown = shown.expect(200);
        assert_eq!(shown.text_at("/parent"), outer);
        assert_eq!(shown.at("/defaultLevel"), &json!("inherit"));
        assert!(shown.text_at("/urls/location").ends_with(&format!("/v1/collections/{inner}")));
        assert_eq!(shown.at("/permissions/create"), &json!(true));
        let list = async |nested: Option<bool>| {
            let call = client.call("listCollectionsInOrganizationById");
            let call = call.path("organizationId", &env.organization);
            let call = match nested {
                Some(nested) => call.query("nested", nested),
                None => call,
            };
            let list = call.send().await.expect(200);
            let items = list.at("/items").as_array().unwrap();
            items.iter().map(|item| item["title"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(list(None).await, ["Outer", "Inner"]);
        assert_eq!(list(Some(true)).await, ["Outer", "Inner"]);
        assert_eq!(list(Some(false)).await, ["Outer"]);

        for parent in [&inner, &outer] {
            let cycle = move_collection(client, &outer, json!({ "parent": parent })).await;
            assert!(cycle.expect(400).message().contains("/parent"));
        }
        let _same = move_collection(client, &inner, json!({ "parent": outer })).await.expect(409);
        let top = move_collection(client, &inner, json!({ "parent": null })).await.expect(200);
        assert_eq!(top.json.pointer("/parent"), None);
        let turned = move_collection(client, &outer, json!({ "parent": inner })).await.expect(200);
        assert_eq!(turned.text_at("/parent"), inner);

        let mut deep = outer.clone();
        for level in 3..=32 {
            deep = collection(env, &format!("{level}"), Some(&deep)).await;
        }
        let body = json!({ "parent": deep });
        let refused = made(client, &env.organization, body.clone()).await.expect(409);
        assert!(refused.message().contains("32"), "{refused}");
        let other = collection(env, "other", None).await;
        let _refused = move_collection(client, &other, body).await.expect(409);

        settings_of_a_collection_are_checked(env, &inner).await;
    });
}

/// Updates and creates collections with valid and invalid settings.
async fn settings_of_a_collection_are_checked(env: &TestEnv, inner: &str) {
    let client = &env.client;
    let update = async |body: Value| {
        let call = client.call("updateCollectionById").path("collectionId", inner);
        call.json(&body).send().await
    };
    let text = "x".repeat(101);
    for (body, names) in [
        (json!({ "title": "x".repeat(51) }), "/title"),
        (json!({ "title": "" }), "/title"),
        (json!({ "title": "a\u{202E}b" }), "/title"),
        (json!({ "description": text }), "/description"),
        (json!({ "defaultLevel": "king" }), "/defaultLevel"),
    ] {
        let refused = update(body).await.expect(400);
        assert!(refused.message().contains(names), "{refused}");
    }
    let body = json!({ "title": " T ", "description": "what for", "defaultLevel": "read" });
    let changed = update(body).await.expect(200);
    assert_eq!((changed.text_at("/title"), changed.text_at("/description")), ("T", "what for"));
    assert_eq!(changed.text_at("/defaultLevel"), "read");
    let changed = update(json!({ "defaultLevel": null })).await.expect(200);
    assert_eq!(changed.at("/defaultLevel"), &Value::Null);
    let _none = made(client, &env.organization, json!({})).await.expect(201);
    let _long = made(client, &env.organization, json!({ "title": text })).await.expect(400);
    let missing = json!({ "parent": "00000000000000000000" });
    let _missing = made(client, &env.organization, missing).await.expect(404);
}

#[test]
fn a_deleted_collection_returns_with_its_spaces() {
    each_engine(async |env: &mut TestEnv| {
        let outer = collection(env, "Outer", None).await;
        let inner = collection(env, "Inner", Some(&outer)).await;
        let hidden = space_in(env, "Hidden", &inner).await;
        let reader = env.person("reader@example.com", Some("read")).await;
        let private = json!({ "defaultLevel": null });
        let call = env.client.call("updateCollectionById").path("collectionId", &outer);
        let _private = call.json(&private).send().await.expect(200);
        let see = async |client: &Client| {
            client.call("getSpaceById").path("spaceId", &hidden).send().await.status
        };
        assert_eq!(see(&reader).await, 404);

        let delete = async |client: &Client, id: &str| {
            client.call("deleteCollectionById").path("collectionId", id).send().await.status
        };
        assert_eq!(delete(&reader, &outer).await, 204);
        assert_eq!(delete(&env.client, &outer).await, 205);
        assert_eq!(delete(&env.client, &outer).await, 204);
        assert_eq!(delete(&env.client, &inner).await, 204);
        let gone = env.of_space("getSpaceById", &hidden).await.expect(200);
        assert_eq!(gone.json.pointer("/parent"), None);
        assert!(gone.json.pointer("/deletedAt").is_some(), "{gone}");
        let back = env.client.call("restoreSpace").path("spaceId", &hidden);
        let back = back.send().await.expect(200);
        // The audience does not grow.
        assert_eq!(back.at("/defaultLevel"), &Value::Null);
        assert_eq!(see(&reader).await, 404);
        assert_eq!(see(&env.client).await, 200);
    });
}

#[test]
fn content_is_transferred_to_another_organization() {
    each_engine(async |env: &mut TestEnv| {
        let second = second_organization(env).await;
        let outer = collection(env, "Outer", None).await;
        let inner = collection(env, "Inner", Some(&outer)).await;
        let space = space_in(env, "One", &inner).await;
        let reader = env.person("reader@example.com", Some("read")).await;
        let see = async |client: &Client| {
            client.call("getSpaceById").path("spaceId", &space).send().await.status
        };
        assert_eq!(see(&reader).await, 200);
        let to = |organization: &str| json!({ "organization": organization });
        let give = async |body: Value| {
            let call = env.client.call("transferCollection").path("collectionId", &outer);
            call.json(&body).send().await
        };
        let _same = give(to(&env.organization)).await.expect(409);
        let _missing = give(to("00000000000000000000")).await.expect(404);
        let _missing = give(json!({})).await.expect(400);

        let site = env.client.call("createSite").path("organizationId", &env.organization);
        let body = json!({ "title": "Site", "spaces": [space] });
        let _site = site.json(&body).send().await.expect(201);
        let held = give(to(&second)).await.expect(412);
        assert!(held.message().contains("site"), "{held}");
        assert_eq!(see(&reader).await, 200);

        let free = space_in(env, "Free", &inner).await;
        let transfer = async |client: &Client, id: &str, body: Value| {
            client.call("transferSpace").path("spaceId", id).json(&body).send().await
        };
        let _refused = transfer(&reader, &free, to(&second)).await.expect(403);
        let _same = transfer(&env.client, &free, to(&env.organization)).await.expect(409);
        let _held = transfer(&env.client, &space, to(&second)).await.expect(412);
        let foreign = json!({ "organization": second, "parent": outer });
        let _foreign = transfer(&env.client, &free, foreign).await.expect(404);
        let moved = transfer(&env.client, &free, to(&second)).await.expect(200);
        assert_eq!(moved.text_at("/organization"), second);
        assert_eq!(moved.json.pointer("/parent"), None);
        let _gone = reader.call("getSpaceById").path("spaceId", &free).send().await.expect(404);

        // A collection without published content is deleted as a whole.
        let other = collection(env, "Other", None).await;
        let below = collection(env, "Below", Some(&other)).await;
        let inside = space_in(env, "Inside", &below).await;
        let call = env.client.call("transferCollection").path("collectionId", &other);
        let gone = call.json(&to(&second)).send().await.expect(200);
        assert_eq!(gone.text_at("/organization"), second);
        let inside = env.of_space("getSpaceById", &inside).await.expect(200);
        assert_eq!(
            (inside.text_at("/organization"), inside.text_at("/parent")),
            (second.as_str(), below.as_str())
        );
    });
}
