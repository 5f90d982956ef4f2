//! Notifications about comments, reviews and merges.

use bindery_model::{Clock as _, UserId};
use bindery_store::users;
use bindery_testkit::{Answer, Call, Client, SmtpServer};
use serde_json::{Value, json};

use crate::support::change_requests::Proposal;
use crate::support::people::{id_of, stranger};
use crate::support::{SystemClock, TestEnv, each_engine, each_engine_with, pages, until};

/// Returns a call of an operation on the notifications of a user.
fn call(env: &TestEnv, client: &Client, operation: &str) -> Call {
    client.call(operation).path("organizationId", &env.organization)
}

async fn list(env: &TestEnv, client: &Client) -> Answer {
    call(env, client, "listNotifications").send().await.expect(200)
}

/// Returns the kinds of the notifications of a user, newest first.
async fn kinds(env: &TestEnv, client: &Client) -> Vec<String> {
    let list = list(env, client).await;
    let items = list.at("/items").as_array().unwrap();
    items.iter().map(|item| item["kind"].as_str().unwrap().to_owned()).collect()
}

async fn mark(env: &TestEnv, client: &Client, body: Value) -> Answer {
    call(env, client, "updateNotifications").json(&body).send().await
}

/// Returns the Markdown that mentions a user.
fn mention(user: &str) -> String {
    format!("[x](https://app.gitbook.com/u/{user} \"mention\")")
}

/// A space with a change request by Ann, and people with different roles.
struct World {
    ann: Client,
    ben: Client,
    carl: Client,
    space: String,
    change_request: String,
}

impl World {
    async fn create(env: &TestEnv) -> Self {
        let ann = env.person("ann@example.com", Some("edit")).await;
        let ben = env.person("ben@example.com", Some("review")).await;
        Self::with_people(env, ann, ben).await
    }

    async fn with_people(env: &TestEnv, ann: Client, ben: Client) -> Self {
        let carl = env.person("carl@example.com", None).await;
        let space = env.space("Docs").await;
        let grant = json!({ "users": [id_of(&carl).await], "role": "comment" });
        let call = env.client.call("inviteToSpace").path("spaceId", &space).json(&grant);
        let _granted = call.send().await.expect(204);
        let proposal = Proposal::new(&ann, &space).await;
        let _page = proposal.page("One", "Text.\n").await;
        let change_request = proposal.id().to_owned();
        Self { ann, ben, carl, space, change_request }
    }

    fn call(&self, client: &Client, operation: &str) -> Call {
        let call = client.call(operation).path("spaceId", &self.space);
        call.path("changeRequestId", &self.change_request)
    }

    async fn send(&self, client: &Client, operation: &str, body: Value) -> Answer {
        self.call(client, operation).json(&body).send().await.expect(200)
    }

    /// Posts a comment and returns its id.
    async fn comment(&self, client: &Client, markdown: &str) -> String {
        let body = json!({ "body": { "markdown": markdown } });
        let posted = self.send(client, "postCommentInChangeRequest", body).await;
        posted.text_at("/id").to_owned()
    }

    /// Posts a reply and returns its id.
    async fn reply(&self, client: &Client, comment: &str, markdown: &str) -> String {
        let call = self.call(client, "postCommentReplyInChangeRequest").path("commentId", comment);
        let body = json!({ "body": { "markdown": markdown } });
        call.json(&body).send().await.expect(200).text_at("/id").to_owned()
    }
}

#[test]
fn actions_notify_the_people_concerned_once() {
    each_engine(async |env: &mut TestEnv| {
        let world = World::create(env).await;
        let World { ann, ben, carl, .. } = &world;
        let id = mention(&id_of(carl).await);
        let posted = world.comment(ben, &format!("Is **this** true, {id}, {id}?")).await;
        let seen = list(env, carl).await;
        assert_eq!(seen.at("/unread"), &json!(1));
        let item = seen.at("/items/0").clone();
        let app = format!(
            "/app/o/{}/s/{}/~/changes/1/~/review?comment={posted}",
            env.organization, world.space
        );
        assert!(item["urls"]["app"].as_str().unwrap().ends_with(&app), "{item}");
        assert_eq!(item["excerpt"], "Is this true, @carl@example.com, @carl@example.com?");
        assert_eq!(item["actor"]["displayName"], "ben@example.com");
        assert_eq!(item["space"], json!({ "id": world.space, "title": "Docs" }));
        assert_eq!(item["changeRequest"]["number"], 1);
        assert_eq!((&item["comment"], &item["read"]), (&json!(posted), &json!(false)));
        assert_eq!(kinds(env, ann).await, ["comment"]);
        assert_eq!(kinds(env, ben).await, [""; 0]);

        let reply = world.reply(carl, &posted, "It is.").await;
        let seen = list(env, ben).await;
        assert_eq!(seen.text_at("/items/0/reply"), reply);
        let address = seen.text_at("/items/0/urls/app");
        assert!(address.ends_with(&format!("?comment={posted}&reply={reply}")), "{address}");
        let _answer = world.reply(ann, &posted, "Thank you.").await;
        assert_eq!(kinds(env, ben).await, ["reply", "reply"]);
        assert_eq!(kinds(env, carl).await, ["reply", "mention"]);
        assert_eq!(kinds(env, ann).await, ["reply", "comment"]);

        let asked = json!({ "users": [id_of(ben).await] });
        let _asked = world.send(ann, "requestReviewersForChangeRequest", asked.clone()).await;
        let _again = world.send(ann, "requestReviewersForChangeRequest", asked).await;
        assert_eq!(kinds(env, ben).await, ["review-requested", "reply", "reply"]);
        let review = json!({ "status": "approved", "comment": { "markdown": "Fine." } });
        let call = world.call(ben, "submitChangeRequestReview").json(&review);
        let _given = call.send().await.expect(201);
        let seen = list(env, ann).await;
        assert_eq!(seen.text_at("/items/0/kind"), "reviewed");
        assert_eq!(seen.text_at("/items/0/review"), "approved");
        assert_eq!(seen.text_at("/items/0/excerpt"), "Fine.");
        let _merged = world.send(ben, "mergeChangeRequest", json!({})).await;
        assert_eq!(kinds(env, ann).await, ["merged", "reviewed", "reply", "comment"]);
        assert_eq!(kinds(env, &env.client).await, [""; 0]);
    });
}

#[test]
fn edits_and_deletions_of_comments_change_notifications() {
    each_engine(async |env: &mut TestEnv| {
        let world = World::create(env).await;
        let World { ann, ben, carl, .. } = &world;
        let (first, second) = (mention(&id_of(carl).await), mention(&id_of(&env.client).await));
        let posted = world.comment(ben, &format!("See {first}.")).await;
        let edit = json!({ "body": { "markdown": format!("See {first} and {second}.") } });
        let call = world.call(ben, "updateCommentInChangeRequest").path("commentId", &posted);
        let _edited = call.json(&edit).send().await.expect(200);
        assert_eq!(kinds(env, carl).await, ["mention"]);
        assert_eq!(kinds(env, &env.client).await, ["mention"]);

        let reply = world.reply(ann, &posted, "A reply.").await;
        assert_eq!(kinds(env, ben).await, ["reply"]);
        let call = world.call(ann, "deleteCommentReplyInChangeRequest");
        let call = call.path("commentId", &posted).path("commentReplyId", &reply);
        assert!(call.send().await.status < 300);
        assert_eq!(kinds(env, ben).await, [""; 0]);
        let call = world.call(ben, "deleteCommentInChangeRequest").path("commentId", &posted);
        assert!(call.send().await.status < 300);
        for client in [ann, carl, &env.client] {
            assert_eq!(kinds(env, client).await, [""; 0]);
        }
    });
}

#[test]
fn notifications_show_nothing_without_access() {
    each_engine(async |env: &mut TestEnv| {
        let world = World::create(env).await;
        let World { ben, carl, space, .. } = &world;
        let stranger = stranger(env, "dora@example.com").await;
        let hidden = env.person("eve@example.com", None).await;
        for client in [&stranger, &hidden, carl] {
            let _posted = world.comment(ben, &mention(&id_of(client).await)).await;
        }
        assert_eq!(kinds(env, carl).await, ["mention"]);
        assert_eq!(kinds(env, &hidden).await, [""; 0]);
        let _hidden = call(env, &stranger, "listNotifications").send().await.expect(404);

        // A token that is limited to another space shows nothing about this one.
        let other = env.space("Other").await;
        let _posted = world.comment(ben, &mention(&id_of(&env.client).await)).await;
        assert_eq!(kinds(env, &env.client).await, ["mention"]);
        let (limited, _) = env.token(&json!({ "name": "limited", "spaces": [other] })).await;
        let limited = env.client.with_token(&limited);
        assert_eq!(kinds(env, &limited).await, [""; 0]);
        let _none = mark(env, &limited, json!({ "read": true })).await.expect(200);
        assert_eq!(list(env, &env.client).await.at("/unread"), &json!(1));

        let call = env.client.call("removeUserFromSpace").path("spaceId", space);
        assert!(call.path("userId", &id_of(carl).await).send().await.status < 300);
        let seen = list(env, carl).await;
        assert_eq!(seen.at("/items"), &json!([]));
        assert_eq!(seen.at("/unread"), &json!(0));
    });
}

#[test]
fn notifications_are_marked_filtered_and_paged() {
    each_engine(async |env: &mut TestEnv| {
        let world = World::create(env).await;
        let World { ann, ben, carl, .. } = &world;
        for number in 0..7 {
            let _posted = world.comment(ben, &format!("Number {number}.")).await;
        }
        let paged = pages(|| call(env, ann, "listNotifications").query("limit", 3)).await;
        let mut texts = Vec::new();
        let mut ids = Vec::new();
        for page in &paged {
            assert_eq!(page.at("/count"), &json!(7));
            for item in page.at("/items").as_array().unwrap() {
                texts.push(item["excerpt"].as_str().unwrap().to_owned());
                ids.push(item["id"].as_str().unwrap().to_owned());
            }
        }
        let expected: Vec<_> = (0..7).rev().map(|number| format!("Number {number}.")).collect();
        assert_eq!(texts, expected);

        let two = json!({ "read": true, "notifications": [ids[0], ids[3]] });
        let marked = mark(env, ann, two.clone()).await.expect(200);
        assert_eq!(marked.at("/unread"), &json!(5));
        // Notifications of others stay unchanged.
        let foreign = mark(env, carl, json!({ "read": true, "notifications": [ids[1]] })).await;
        assert_eq!(foreign.expect(200).at("/unread"), &json!(0));
        let read = call(env, ann, "listNotifications").query("read", true).send().await;
        assert_eq!(read.expect(200).at("/count"), &json!(2));
        let unread = call(env, ann, "listNotifications").query("read", false).send().await;
        assert_eq!(unread.expect(200).at("/count"), &json!(5));
        let back = json!({ "read": false, "notifications": [ids[0]] });
        assert_eq!(mark(env, ann, back).await.expect(200).at("/unread"), &json!(6));
        assert_eq!(
            mark(env, ann, json!({ "read": true })).await.expect(200).at("/unread"),
            &json!(0)
        );

        for (body, at) in [
            (json!({}), "/read"),
            (json!({ "read": true, "notifications": [] }), "/notifications"),
            (json!({ "read": true, "notifications": ["x y"] }), "/notifications/0"),
            (json!({ "read": true, "notifications": vec![&ids[0]; 101] }), "/notifications"),
            (json!({ "read": "yes" }), "/read"),
        ] {
            let refused = mark(env, ann, body).await.expect(400);
            assert!(refused.text_at("/error/message").contains(at), "{refused}");
        }
    });
}

/// Creates users whose mail addresses are verified.
async fn verified_people<const N: usize>(
    env: &mut TestEnv,
    people: [(&str, &str); N],
) -> [Client; N] {
    let mut tokens = Vec::new();
    let mut ids = Vec::new();
    for (email, role) in people {
        let body = json!({
            "email": email, "displayName": email, "organization": env.organization,
            "role": role, "token": true,
        });
        let made = env.client.call("createUser").json(&body).send().await.expect(201);
        tokens.push(made.text_at("/token").to_owned());
        ids.push(UserId::parse(made.text_at("/user/id")).unwrap());
    }
    let now = SystemClock.now();
    env.edit_store(move |tx| {
        for id in &ids {
            let mut user = users::get(tx, *id)?.unwrap();
            user.verified_at = Some(now);
            users::update(tx, &user)?;
        }
        Ok(())
    })
    .await;
    std::array::from_fn(|index| env.client.with_token(&tokens[index]))
}

#[test]
fn notifications_are_mailed_to_verified_addresses() {
    let smtp = SmtpServer::start();
    each_engine_with(
        |installation| installation.mailing_through(&smtp).variable("BINDERY_MAIL_DELAY", "1"),
        async |env: &mut TestEnv| {
            let before = smtp.received().len();
            let people = [("ann@example.com", "edit"), ("ben@example.com", "review")];
            let [ann, ben] = verified_people(env, people).await;
            let world = World::with_people(env, ann, ben).await;
            let World { ben, carl, .. } = &world;
            let off = ben.call("updateNotificationSettings").json(&json!({ "mail": false }));
            assert_eq!(off.send().await.expect(200).at("/mail"), &json!(false));
            let stored = ben.call("getNotificationSettings").send().await.expect(200);
            assert_eq!(stored.at("/mail"), &json!(false));

            let first = world.comment(carl, "A <b>first</b> & last word.").await;
            let second = world.comment(carl, &mention(&id_of(ben).await)).await;
            let mails = until(async || {
                let all = smtp.received();
                (all.len() > before).then(|| all[before..].to_vec())
            })
            .await;
            assert_eq!(mails[0].to, ["ann@example.com"]);
            let text = mails[0].decoded();
            for part in [
                "Subject: 2 notifications from docs.example.org\r\n",
                "carl@example.com commented on #1 A change (Docs)",
                &format!("/~/changes/1/~/review?comment={first}"),
                &format!("/~/changes/1/~/review?comment={second}"),
                "A first &amp; last word.",
            ] {
                assert!(text.contains(part), "{part}: {text}");
            }
            let jobs = env.client.call("listJobs").query("kind", "notification-mail");
            let jobs = jobs.send().await.expect(200);
            assert_eq!(jobs.at("/count"), &json!(1), "{jobs}");
            assert_eq!(smtp.received().len(), before + 1);
        },
    );
}
