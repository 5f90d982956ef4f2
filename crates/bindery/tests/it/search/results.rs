//! The form of results, pages of results, and unusual queries.

use serde_json::json;

use super::{found, in_organization, in_space, of_items};
use crate::support::content::insert;
use crate::support::{TestEnv, each_engine};

#[test]
fn sections_have_their_anchors() {
    each_engine(async |env: &mut TestEnv| {
        let space = env.space("Sections").await;
        let text = "The dynamo comes first.\n\n## Second part\n\nThe turbine comes second.\n";
        let page = insert(&env.client, &space, "Parts", text).await;
        let answer = found(env, &space, "turbine", &["Parts"]).await;
        assert_eq!(answer.text_at("/items/0/id"), page);
        assert_eq!(answer.text_at("/items/0/path"), "parts");
        let section = answer.at("/items/0/sections/0");
        assert_eq!(section["id"], "second-part");
        assert_eq!(section["title"], "Second part");
        assert_eq!(section["path"], "parts#second-part");
        assert_eq!(section["body"], "The turbine comes second.");
        let address = answer.text_at("/items/0/urls/app");
        assert_eq!(section["urls"]["app"], format!("{address}#second-part"));
        let answer = found(env, &space, "dynamo", &["Parts"]).await;
        let section = answer.at("/items/0/sections/0");
        assert_eq!((&section["id"], &section["path"]), (&json!(page), &json!("parts")));
    });
}

#[test]
fn results_are_paged() {
    each_engine(async |env: &mut TestEnv| {
        let space = env.space("Paged").await;
        let mut titles = Vec::new();
        for number in 0..5 {
            let title = format!("Part {number}");
            let _page = insert(&env.client, &space, &title, "A turbine.\n").await;
            titles.push(title);
        }
        let all: Vec<&str> = titles.iter().map(String::as_str).collect();
        let _found = found(env, &space, "turbine", &all).await;
        let call = |query: &str| {
            let call = env.client.call("searchSpaceContent").path("spaceId", &space);
            call.query("query", query).query("limit", 2)
        };
        let (mut seen, mut cursor) = (Vec::new(), String::new());
        loop {
            let answer = call("turbine").query("page", &cursor).send().await.expect(200);
            assert_eq!(*answer.at("/count"), json!(5));
            let found = of_items(&answer, "title");
            assert!(found.len() <= 2, "{found:?}");
            seen.extend(found);
            match answer.json.pointer("/next/page").and_then(|next| next.as_str()) {
                Some(next) => cursor = next.to_owned(),
                None => break,
            }
        }
        seen.sort();
        assert_eq!(seen, titles);
        let _other = call("dynamo").query("page", &cursor).send().await.expect(400);
        let grouped = in_organization(env, &env.client, "turbine").await;
        assert_eq!(of_items(&grouped, "title"), ["Paged"]);
        assert_eq!(grouped.at("/items/0/pages").as_array().unwrap().len(), 5);
        assert_eq!(*grouped.at("/count"), json!(5));
    });
}

#[test]
fn unusual_queries_are_answered() {
    each_engine(async |env: &mut TestEnv| {
        let space = env.space("Queries").await;
        let text = "Call `getUserById` with --dry-run, or 查询用户.\n";
        let _page = insert(&env.client, &space, "Calls", text).await;
        let _found = found(env, &space, "getUserById", &["Calls"]).await;
        for query in ["user by id", "--dry-run", "用户", "getUserByIs", "\"with --dry-run\""] {
            let answer = in_space(&env.client, &space, query).await;
            assert_eq!(of_items(&answer, "title"), ["Calls"], "{query}");
        }
        let (long, quotes) = ("a ".repeat(256), "\"".repeat(512));
        let wide = "用".repeat(512);
        let odd = ["", " ", "\u{1}\u{1b}[", "*:*", "title:*", "zz* AND qq~99", "((((", "\u{202e}x"];
        for query in odd.into_iter().chain([long.as_str(), &quotes, &wide]) {
            let answer = in_space(&env.client, &space, query).await;
            assert!(of_items(&answer, "title").is_empty(), "{query:?}: {answer}");
        }
        let call = env.client.call("searchSpaceContent").path("spaceId", &space);
        let _long = call.query("query", "a".repeat(513)).send().await.expect(400);
        let call = env.client.call("searchSpaceContent").path("spaceId", &space);
        let _missing = call.send().await.expect(400);
    });
}
