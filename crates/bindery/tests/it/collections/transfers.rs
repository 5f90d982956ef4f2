//! Rules for moving, transferring and deleting a collection with everything in it.

use bindery_testkit::{Answer, Client};
use serde_json::{Value, json};

use crate::support::containers::{collection, grant, level, sees, space_in};
use crate::support::people::{id_of, second_organization};
use crate::support::{TestEnv, each_engine};

/// Calls an operation on a collection with a body.
async fn on(client: &Client, operation: &str, collection: &str, body: Value) -> Answer {
    client.call(operation).path("collectionId", collection).json(&body).send().await
}

#[test]
fn inherited_levels_follow_a_move() {
    each_engine(async |env: &mut TestEnv| {
        let closed = collection(env, "Closed", None).await;
        level(env, "Collection", &closed, Value::Null).await;
        let outer = collection(env, "Outer", None).await;
        let inner = collection(env, "Inner", Some(&outer)).await;
        let shallow = space_in(env, "Shallow", &outer).await;
        let deep = space_in(env, "Deep", &inner).await;
        let reader = env.person("reader@example.com", Some("read")).await;
        let seen = async || (sees(&reader, &shallow).await, sees(&reader, &deep).await);
        assert_eq!(seen().await, (200, 200));
        for (parent, status) in [(json!(closed), 404), (Value::Null, 200)] {
            let body = json!({ "parent": parent });
            let _moved = on(&env.client, "moveCollection", &outer, body).await.expect(200);
            assert_eq!(seen().await, (status, status));
            let list = reader.call("listSpacesInOrganizationById");
            let list = list.path("organizationId", &env.organization).send().await.expect(200);
            assert_eq!(list.at("/count"), &json!(if status == 200 { 2 } else { 0 }));
        }
    });
}

#[test]
fn a_move_does_not_raise_the_movers_level() {
    each_engine(async |env: &mut TestEnv| {
        let mover = env.person("mover@example.com", Some("create")).await;
        let moved = collection(env, "Moved", None).await;
        // Through the default level of the target.
        let high = collection(env, "High", None).await;
        level(env, "Collection", &high, json!("admin")).await;
        let to = json!({ "parent": high });
        let refused = on(&mover, "moveCollection", &moved, to).await.expect(403);
        assert!(refused.message().contains("from create to admin"), "{refused}");
        // Through a grant on the target, for an empty collection that is closed to members.
        let inner = collection(env, "Inner", Some(&moved)).await;
        level(env, "Collection", &inner, Value::Null).await;
        let own = collection(env, "Own", None).await;
        let id = id_of(&mover).await;
        let _granted = grant(env, "Collection", &own, &id, json!("create")).await.expect(204);
        let to = json!({ "parent": own });
        let refused = on(&mover, "moveCollection", &moved, to.clone()).await.expect(403);
        assert!(refused.message().contains("your own permissions"), "{refused}");
        let unseen = mover.call("getCollectionById").path("collectionId", &inner).send().await;
        let _unseen = unseen.expect(404);
        level(env, "Collection", &inner, json!("create")).await;
        let _moved = on(&mover, "moveCollection", &moved, to).await.expect(200);
    });
}

#[test]
fn transfer_and_deletion_require_administration_of_all_items() {
    each_engine(async |env: &mut TestEnv| {
        let second = second_organization(env).await;
        let keeper = env.person("keeper@example.com", Some("create")).await;
        env.join(&keeper, &second, "keeper@example.com", Some("admin")).await;
        let outer = collection(env, "Outer", None).await;
        level(env, "Collection", &outer, json!("admin")).await;
        let inner = collection(env, "Inner", Some(&outer)).await;
        let space = space_in(env, "Space", &inner).await;
        let delete = async || {
            let call = keeper.call("deleteCollectionById").path("collectionId", &outer);
            call.send().await
        };
        let to = json!({ "organization": second });
        // A collection that is not administered by the caller, then such a space.
        level(env, "Space", &space, json!("admin")).await;
        for (kind, of_others) in [("Collection", &inner), ("Space", &space)] {
            level(env, kind, of_others, json!("create")).await;
            for refused in
                [delete().await, on(&keeper, "transferCollection", &outer, to.clone()).await]
            {
                let refused = refused.expect(412);
                assert!(refused.message().contains("do not administer"), "{refused}");
            }
            let still = env.of_space("getSpaceById", &space).await.expect(200);
            assert_eq!(still.text_at("/organization"), env.organization);
            assert_eq!(still.json.pointer("/deletedAt"), None);
            assert_eq!(still.text_at("/parent"), inner);
            level(env, kind, of_others, json!("inherit")).await;
        }
        let given = on(&keeper, "transferCollection", &outer, to).await.expect(200);
        assert_eq!(given.text_at("/organization"), second);
        let _deleted = delete().await.expect(205);
        let gone = env.of_space("getSpaceById", &space).await.expect(200);
        assert!(gone.json.pointer("/deletedAt").is_some(), "{gone}");
    });
}
