//! The structure of sites: sections, section groups, site spaces and their order.

use bindery_testkit::{Answer, Call};
use serde_json::{Value, json};

use crate::support::content::insert;
use crate::support::{TestEnv, each_engine};

/// A published site whose first space has the page `page`.
struct Site<'a> {
    env: &'a TestEnv,
    id: String,
}

impl<'a> Site<'a> {
    async fn published(env: &'a TestEnv, title: &str) -> Self {
        let space = Self::space(env, title).await;
        let create = env.client.call("createSite").path("organizationId", &env.organization);
        let made = create.json(&json!({ "title": title, "spaces": [space] })).send().await;
        let site = Self { env, id: made.expect(201).text_at("/id").to_owned() };
        let _published = site.call("publishSite").send().await.expect(200);
        site
    }

    /// Creates a space with the pages `home` and `page`, which contain the title of the space.
    async fn space(env: &TestEnv, title: &str) -> String {
        let space = env.space(title).await;
        for page in ["Home", "Page"] {
            let text = format!("{page} of {title}.\n");
            let _page = insert(&env.client, &space, page, &text).await;
        }
        space
    }

    fn call(&self, operation: &str) -> Call {
        let call = self.env.client.call(operation).path("organizationId", &self.env.organization);
        call.path("siteId", &self.id)
    }

    /// Adds a section with a new space and returns its id.
    async fn section(&self, title: &str) -> String {
        let space = Self::space(self.env, title).await;
        let made = self.call("addSectionToSite").json(&json!({ "spaceId": space })).send().await;
        made.expect(201).text_at("/id").to_owned()
    }

    /// Adds a group and returns its id.
    async fn group(&self, title: &str, sections: &[&str], parent: Option<&str>) -> Answer {
        let mut body = json!({ "title": title, "sections": sections });
        if let Some(parent) = parent {
            body["parent"] = json!(parent);
        }
        self.call("addSectionGroupToSite").json(&body).send().await
    }

    async fn sort(&self, item: (&str, &str), position: Value) -> Answer {
        let body = json!({ "item": pointer(item), "position": position });
        self.call("sortSiteStructure").json(&body).send().await
    }

    /// Returns the structure as nested titles.
    async fn outline(&self) -> Value {
        let structure = self.call("getSiteStructure").send().await.expect(200).json;
        titles(&structure["structure"])
    }

    async fn read(&self, path: &str) -> Answer {
        self.env.client.anonymous().get(path, &[]).await
    }
}

fn pointer((kind, id): (&str, &str)) -> Value {
    json!({ "type": kind, "id": id })
}

/// Returns the titles of items; a group is a list of its title and its children.
fn titles(items: &Value) -> Value {
    let items = items.as_array().unwrap().iter();
    let item = |item: &Value| match item["object"].as_str().unwrap() {
        "site-section-group" => json!([item["title"], titles(&item["children"])]),
        _ => item["title"].clone(),
    };
    items.map(item).collect()
}

#[test]
fn the_first_section_keeps_the_spaces_of_the_site() {
    each_engine(async |env: &mut TestEnv| {
        let site = Site::published(env, "Guides").await;
        assert_eq!(site.outline().await, json!(["Guides"]));
        let structure = site.call("getSiteStructure").send().await.expect(200);
        assert_eq!(structure.text_at("/type"), "siteSpaces");

        let section = site.section("Reference").await;
        let structure = site.call("getSiteStructure").send().await.expect(200);
        assert_eq!(structure.text_at("/type"), "sections");
        assert_eq!(site.outline().await, json!(["Guides", "Reference"]));
        assert_eq!(structure.json["structure"][0]["default"], true);
        assert_eq!(structure.json["structure"][1]["id"], json!(section));
        assert!(structure.text_at("/structure/1/urls/published").ends_with("/guides/reference/"));

        let page = site.read("/guides/page").await.expect(200);
        assert!(page.text().contains("Page of Guides."), "{page}");
        let page = site.read("/guides/reference/page").await.expect(200);
        assert!(page.text().contains("Page of Reference."), "{page}");
        let _absent = site.read("/guides/reference/guides").await.expect(404);
    });
}

#[test]
fn sections_are_renamed_and_deleted() {
    each_engine(async |env: &mut TestEnv| {
        let site = Site::published(env, "Guides").await;
        let section = site.section("Reference").await;
        let update = |body: Value| {
            site.call("updateSiteSectionById").path("siteSectionId", &section).json(&body).send()
        };
        let body = json!({
            "title": "API", "path": "api", "icon": "code", "description": "All operations",
        });
        let updated = update(body).await.expect(200).json;
        for (field, value) in [("title", "API"), ("path", "api"), ("icon", "code")] {
            assert_eq!(updated[field], value, "{updated}");
        }
        let _there = site.read("/guides/api/page").await.expect(200);
        let _gone = site.read("/guides/reference/page").await.expect(404);
        let cleared = update(json!({ "icon": null, "description": null })).await.expect(200);
        assert_eq!(cleared.json.get("icon"), None);
        for (body, status) in [
            (json!({ "path": "guides" }), 409),
            (json!({ "path": "A b" }), 400),
            (json!({ "path": "-" }), 400),
            (json!({ "title": "x" }), 400),
            (json!({ "condition": "1 +" }), 400),
            (json!({ "defaultSiteSpace": "00000000000000000000" }), 400),
        ] {
            let _refused = update(body).await.expect(status);
        }
        let hidden = update(json!({ "condition": "false" })).await.expect(200);
        assert_eq!(hidden.text_at("/condition"), "false");
        let _hidden = site.read("/guides/api/page").await.expect(404);

        let delete = || site.call("deleteSiteSectionById").path("siteSectionId", &section).send();
        let _gone = delete().await.expect(205);
        let _again = delete().await.expect(204);
        assert_eq!(site.outline().await, json!(["Guides"]));
    });
}

#[test]
fn deleting_the_default_section_passes_the_root_on() {
    each_engine(async |env: &mut TestEnv| {
        let site = Site::published(env, "Guides").await;
        let reference = site.section("Reference").await;
        let sections = site.call("listSiteSections").send().await.expect(200);
        let first = sections.text_at("/items/0/id").to_owned();
        let update = site.call("updateSiteById").json(&json!({ "defaultSiteSection": reference }));
        let _updated = update.send().await.expect(200);
        let page = site.read("/guides/page").await.expect(200);
        assert!(page.text().contains("Page of Reference."), "{page}");
        let page = site.read("/guides/guides/page").await.expect(200);
        assert!(page.text().contains("Page of Guides."), "{page}");

        let delete = site.call("deleteSiteSectionById").path("siteSectionId", &reference);
        let _gone = delete.send().await.expect(205);
        let page = site.read("/guides/page").await.expect(200);
        assert!(page.text().contains("Page of Guides."), "{page}");
        let body = json!({ "defaultSiteSection": reference });
        let _gone = site.call("updateSiteById").json(&body).send().await.expect(400);
        let delete = site.call("deleteSiteSectionById").path("siteSectionId", &first);
        let _gone = delete.send().await.expect(205);
        assert_eq!(site.outline().await, json!([]));
    });
}

#[test]
fn groups_contain_sections_and_groups() {
    each_engine(async |env: &mut TestEnv| {
        let site = Site::published(env, "Guides").await;
        let [one, two, three] =
            [site.section("One").await, site.section("Two").await, site.section("Three").await];
        let outer = site.group("Outer", &[&two, &one], None).await.expect(201);
        let outer = outer.text_at("/id").to_owned();
        let inner = site.group("Inner", &[&three], Some(&outer)).await.expect(201);
        let inner = inner.text_at("/id").to_owned();
        let whole = json!(["Guides", ["Outer", ["Two", "One", ["Inner", ["Three"]]]]]);
        assert_eq!(site.outline().await, whole);
        let groups = site.call("listSiteSectionGroups").send().await.expect(200);
        assert_eq!(groups.json["count"], 2);
        assert_eq!(groups.json["items"][1]["sectionGroup"], json!(outer));

        let deepest = site.group("Deep", &[], Some(&inner)).await.expect(201);
        let _refused = site.group("Deeper", &[], Some(deepest.text_at("/id"))).await.expect(400);
        let _foreign = site.group("No", &["00000000000000000000"], None).await.expect(404);
        let _foreign = site.group("No", &[], Some("00000000000000000000")).await.expect(404);

        let of_group =
            |operation: &str, group: &str| site.call(operation).path("siteSectionGroupId", group);
        let update = of_group("updateSiteSectionGroupById", &outer);
        let updated = update.json(&json!({ "title": "More", "icon": "star" })).send().await;
        assert_eq!(updated.expect(200).text_at("/icon"), "star");
        let add = of_group("addSectionToGroup", &inner).json(&json!({ "sectionId": one }));
        let _added = add.send().await.expect(201);
        let remove =
            || of_group("removeSectionFromGroup", &inner).path("siteSectionId", &three).send();
        let _removed = remove().await.expect(205);
        let _again = remove().await.expect(204);
        let whole = json!(["Guides", ["More", ["Two", ["Inner", [["Deep", []], "One"]], "Three"]]]);
        assert_eq!(site.outline().await, whole);
        let _gone = of_group("deleteSiteSectionGroupById", &inner).send().await.expect(205);
        let _again = of_group("deleteSiteSectionGroupById", &inner).send().await.expect(204);
        let whole = json!(["Guides", ["More", ["Two", ["Deep", []], "One", "Three"]]]);
        assert_eq!(site.outline().await, whole);
    });
}

#[test]
fn items_are_sorted() {
    each_engine(async |env: &mut TestEnv| {
        let site = Site::published(env, "Guides").await;
        let [one, two] = [site.section("One").await, site.section("Two").await];
        let group = site.group("Group", &[&two], None).await.expect(201);
        let group = group.text_at("/id").to_owned();
        let inner = site.group("Inner", &[], Some(&group)).await.expect(201);
        let inner = inner.text_at("/id").to_owned();

        let beside = |side: &str, item| json!({ side: pointer(item) });
        let before_one = beside("before", ("site-section", &one));
        let moved = site.sort(("site-section-group", &group), before_one).await.expect(200);
        assert_eq!(moved.text_at("/object"), "site-section-group");
        let whole = json!(["Guides", ["Group", ["Two", ["Inner", []]]], "One"]);
        assert_eq!(site.outline().await, whole);
        let after_two = beside("after", ("site-section", &two));
        let _moved = site.sort(("site-section", &one), after_two).await.expect(200);
        let whole = json!(["Guides", ["Group", ["Two", "One", ["Inner", []]]]]);
        assert_eq!(site.outline().await, whole);

        let inside = beside("after", ("site-section-group", &inner));
        let _circle = site.sort(("site-section-group", &group), inside).await.expect(400);
        let itself = beside("after", ("site-section", &one));
        let _itself = site.sort(("site-section", &one), itself).await.expect(400);
        let absent = beside("after", ("site-section", "00000000000000000000"));
        let _absent = site.sort(("site-section", &one), absent).await.expect(404);
        let spaces = site.call("listSiteSpaces").send().await.expect(200);
        let space = spaces.text_at("/items/0/id").to_owned();
        let other_kind = beside("after", ("site-section", &one));
        let _other = site.sort(("site-space", &space), other_kind).await.expect(400);
        assert_eq!(site.outline().await, whole);

        let body = json!({ "position": { "before": {
            "type": "site-section", "siteSection": two,
        } } });
        let call = site.call("moveSiteSection").path("siteSectionId", &one);
        let moved = call.json(&body).send().await.expect(200);
        assert_eq!(moved.text_at("/sectionGroup"), group);
        let whole = json!(["Guides", ["Group", ["One", "Two", ["Inner", []]]]]);
        assert_eq!(site.outline().await, whole);
    });
}

#[test]
fn variants_have_paths_and_a_default() {
    each_engine(async |env: &mut TestEnv| {
        let site = Site::published(env, "Guides").await;
        let old = Site::space(env, "Version 1").await;
        let add = site.call("addSpaceToSite").json(&json!({ "spaceId": old }));
        let variant = add.send().await.expect(201).text_at("/id").to_owned();
        let update = |body: Value| {
            site.call("updateSiteSpaceById").path("siteSpaceId", &variant).json(&body).send()
        };
        let updated = update(json!({ "path": "v1.0" })).await.expect(200);
        assert!(updated.text_at("/urls/published").ends_with("/guides/v1.0/"));
        let page = site.read("/guides/v1.0/page").await.expect(200);
        assert!(page.text().contains("Page of Version 1."), "{page}");
        let _taken = update(json!({ "path": "guides" })).await.expect(409);
        let _invalid = update(json!({ "path": "a/b" })).await.expect(400);
        let _twice = update(json!({ "spaceId": old })).await.expect(200);

        let default = json!({ "defaultSiteSpace": variant });
        let _default = site.call("updateSiteById").json(&default).send().await.expect(200);
        let page = site.read("/guides/page").await.expect(200);
        assert!(page.text().contains("Page of Version 1."), "{page}");
        let listed = site.call("listSiteSpaces").query("default", "true").send().await.expect(200);
        assert_eq!(listed.text_at("/items/0/id"), variant);
        assert_eq!(listed.json["count"], 1);

        let delete = || site.call("deleteSiteSpaceById").path("siteSpaceId", &variant).send();
        let _gone = delete().await.expect(205);
        let _again = delete().await.expect(204);
        let page = site.read("/guides/page").await.expect(200);
        assert!(page.text().contains("Page of Guides."), "{page}");
    });
}

#[test]
fn variants_are_duplicated_and_moved() {
    each_engine(async |env: &mut TestEnv| {
        let site = Site::published(env, "Guides").await;
        let listed = site.call("listSiteSpaces").send().await.expect(200);
        let first = listed.text_at("/items/0/id").to_owned();
        let copy = |body: Value| {
            site.call("duplicateSiteSpace").path("siteSpaceId", &first).json(&body).send()
        };
        let looks = site.call("overrideSiteSpaceCustomizationById").path("siteSpaceId", &first);
        let _overridden = looks.json(&json!({ "title": "Own" })).send().await.expect(200);
        let draft = copy(json!({ "draft": true })).await.expect(201);
        assert_eq!(draft.text_at("/condition"), "false");
        let looks = site.call("getSiteSpaceCustomizationById");
        let looks = looks.path("siteSpaceId", draft.text_at("/id")).send().await.expect(200);
        assert_eq!(looks.text_at("/title"), "Own");
        let path = format!("/guides/{}/page", draft.text_at("/path"));
        let _hidden = site.read(&path).await.expect(404);
        let shown = copy(json!({})).await.expect(201);
        let path = format!("/guides/{}/page", shown.text_at("/path"));
        let page = site.read(&path).await.expect(200);
        assert!(page.text().contains("Page of Guides."), "{page}");
        let titles = json!(["Guides", "Copy of Guides", "Copy of Guides"]);
        assert_eq!(site.outline().await, titles);

        let ids = async || {
            let listed = site.call("listSiteSpaces").send().await.expect(200).json;
            let items = listed["items"].as_array().unwrap().clone();
            items.iter().map(|item| item["id"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
        };
        let (draft, shown) = (draft.text_at("/id").to_owned(), shown.text_at("/id").to_owned());
        assert_eq!(ids().await, [first.clone(), shown.clone(), draft.clone()]);
        let position = json!({ "before": { "type": "site-space", "siteSpace": first } });
        let move_it = site.call("moveSiteSpace").path("siteSpaceId", &draft);
        let _moved = move_it.json(&json!({ "position": position })).send().await.expect(200);
        assert_eq!(ids().await, [draft, first, shown]);
    });
}

#[test]
fn a_space_moves_to_another_section() {
    each_engine(async |env: &mut TestEnv| {
        let site = Site::published(env, "Guides").await;
        let section = site.section("Reference").await;
        let more = Site::space(env, "More").await;
        let body = json!({ "spaceId": more, "sectionId": section });
        let more = site.call("addSpaceToSite").json(&body).send().await.expect(201);
        assert_eq!(more.text_at("/section"), section);
        let more = more.text_at("/id").to_owned();
        let listed = site.call("listSiteSpaces").send().await.expect(200);
        let guides = listed.text_at("/items/0/id").to_owned();
        let _page = site.read("/guides/reference/more/page").await.expect(200);

        let after = json!({ "after": pointer(("site-space", &guides)) });
        let moved = site.sort(("site-space", &more), after).await.expect(200);
        assert_ne!(moved.text_at("/section"), section);
        let _page = site.read("/guides/more/page").await.expect(200);
        let _gone = site.read("/guides/reference/more/page").await.expect(404);
        let only = listed.text_at("/items/1/id").to_owned();
        let after = json!({ "after": pointer(("site-space", &guides)) });
        let _only = site.sort(("site-space", &only), after).await.expect(409);
        let delete = site.call("deleteSiteSpaceById").path("siteSpaceId", &only);
        let _only = delete.send().await.expect(409);
        let body = json!({ "spaceId": more, "sectionId": "00000000000000000000" });
        let _absent = site.call("addSpaceToSite").json(&body).send().await.expect(404);
    });
}

#[test]
fn settings_of_a_site_are_changed() {
    each_engine(async |env: &mut TestEnv| {
        let site = Site::published(env, "Guides").await;
        let other = Site::published(env, "Other").await;
        let update = |body: Value| site.call("updateSiteById").json(&body).send();
        let body = json!({
            "title": "Manual", "basename": "manual", "agentsContext": "excluded",
            "adaptiveContent": { "enabled": true }, "proxy": "example.com/docs",
        });
        let updated = update(body).await.expect(200);
        for (pointer, value) in [
            ("/title", json!("Manual")),
            ("/basename", json!("manual")),
            ("/agentsContext", json!("excluded")),
            ("/adaptiveContent/enabled", json!(true)),
            ("/proxy/origin", json!("example.com/docs")),
        ] {
            assert_eq!(updated.json.pointer(pointer), Some(&value), "{pointer}");
        }
        let _elsewhere = site.read("/manual/page").await.expect(308);
        let cleared = update(json!({ "proxy": null })).await.expect(200);
        assert_eq!(cleared.json.get("proxy"), None);
        let _there = site.read("/manual/page").await.expect(200);
        let _moved = site.read("/guides/page").await.expect(308);
        for (body, status) in [
            (json!({ "basename": "other" }), 409),
            (json!({ "basename": "app" }), 409),
            (json!({ "basename": "Other Site" }), 400),
            (json!({ "basename": "" }), 400),
            (json!({ "title": "x" }), 400),
            (json!({ "proxy": "no host" }), 400),
            (json!({ "defaultSiteSection": "00000000000000000000" }), 400),
            (json!({ "defaultSiteSpace": "00000000000000000000" }), 400),
        ] {
            let _refused = update(body).await.expect(status);
        }
        let _unpublic = update(json!({ "visibility": "share-link" })).await.expect(200);
        let _closed = site.read("/manual/page").await.expect(404);

        let _gone = other.call("deleteSiteById").send().await.expect(205);
        let _again = other.call("deleteSiteById").send().await.expect(204);
        let _gone = other.read("/other/page").await.expect(404);
        let _gone = other.call("getSiteById").send().await.expect(404);
    });
}
