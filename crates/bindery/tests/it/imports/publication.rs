//! The main use case: a repository is imported into a space and published as a site.

use bindery_testkit::Answer;
use bindery_testkit::git_server::{Change, GitServer, Repository};
use serde_json::{Value, json};

use crate::support::{TestEnv, each_engine};

const SUMMARY: &str = "# Table of contents

* [Welcome](README.md)
* [Guide](guide/README.md)
  * [Start](guide/start.md)
    * [Deep](guide/deep/page.md)

## Reference

* [API](reference/api.md)
* [Elsewhere](https://example.org/)
";

/// An image of 3 × 2 pixels in the format with the shortest header.
const PICTURE: &[u8] = b"GIF89a\x03\x00\x02\x00\x80\x00\x00\x00\x00\x00\xff\xff\xff\
    \x2c\x00\x00\x00\x00\x03\x00\x02\x00\x00\x02\x02\x84\x51\x00\x3b";

const START: &str = "---\ndescription: How to begin\n---\n\n# Start\n\nSee [deep](deep/page.md).\n\n\
    ![A logo](../.gitbook/assets/logo.gif)\n\n{% include \"../.gitbook/includes/note.md\" %}\n\n\
    {% hint style=\"info\" %}\nMind the gap.\n{% endhint %}\n";

fn repository(server: &GitServer) -> (Repository, String) {
    let repository = server.repository("team/docs.git");
    let files = [
        ("docs/SUMMARY.md", SUMMARY),
        ("docs/README.md", "# Welcome\n\nHello readers.\n"),
        ("docs/guide/README.md", "# Guide\n\nThe guide's own text.\n"),
        ("docs/guide/start.md", START),
        ("docs/guide/deep/page.md", "# Deep\n\nDeep *text*.\n"),
        ("docs/reference/api.md", "# API\n\n```js\nlet x = 1;\n```\n"),
        ("docs/.gitbook/includes/note.md", "Noted once, shown often.\n"),
        ("docs/.gitbook/vars.yaml", "product: Bindery\n"),
        ("docs/.gitbook.yaml", "redirects:\n  old/place: guide/start.md\n"),
        ("outside.md", "# Not of this project\n"),
    ];
    let mut changes: Vec<Change> =
        files.iter().map(|(path, text)| Change::file(path, text)).collect();
    changes.push(Change::file("docs/.gitbook/assets/logo.gif", PICTURE));
    let oid = repository.commit("main", "The first commit\n\nwith a body", changes);
    (repository, oid)
}

fn request(git: &GitServer) -> Value {
    json!({
        "url": git.url("team/docs.git"), "ref": "refs/heads/main",
        "repoProjectDirectory": "docs",
        "repoCommitURL": "https://git.example.com/team/docs/commit",
        "repoTreeURL": "https://git.example.com/team/docs/tree",
    })
}

/// Returns the titles and paths of a page tree in order; for links, their targets.
fn outline(pages: &Value) -> Vec<(String, String)> {
    let mut out = Vec::new();
    for page in pages.as_array().into_iter().flatten() {
        let title = page["title"].as_str().unwrap().to_owned();
        let place = page["path"].as_str().or_else(|| page["target"]["url"].as_str());
        out.push((title, place.unwrap_or_default().to_owned()));
        out.extend(outline(&page["pages"]));
    }
    out
}

/// Returns the ids of a page tree in order.
fn ids(pages: &Value) -> Vec<String> {
    let mut out = Vec::new();
    for page in pages.as_array().into_iter().flatten() {
        out.push(page["id"].as_str().unwrap().to_owned());
        out.extend(ids(&page["pages"]));
    }
    out
}

#[test]
fn a_repository_is_imported() {
    each_engine(async |env: &mut TestEnv| {
        let git = GitServer::start();
        let (_, oid) = repository(&git);
        let space = env.space("Product docs").await;
        let empty = env.of_space("getSpaceById", &space).await.expect(200);
        assert_eq!(empty.header("etag"), format!("\"{}\"", empty.text_at("/revision")));
        let _none = env.of_space("getSpaceGitInfo", &space).await.expect(404);

        let job = env.import(&space, &request(&git)).await;
        assert_eq!(job.text_at("/status"), "done", "{job}");
        let current = env.of_space("getCurrentRevision", &space).await.expect(200);
        assert_eq!(job.text_at("/revision"), current.text_at("/id"));
        assert_eq!(current.text_at("/git/oid"), oid);
        assert!(current.text_at("/git/message").starts_with("The first commit"), "{current}");
        assert_eq!(current.text_at("/git/ref"), "refs/heads/main");
        assert_eq!(
            current.text_at("/git/url"),
            format!("https://git.example.com/team/docs/commit/{oid}")
        );
        assert_eq!(current.header("etag"), format!("\"{}\"", current.text_at("/id")));
        check_tree(current.at("/pages"));

        let info = env.of_space("getSpaceGitInfo", &space).await.expect(200);
        assert_eq!(info.text_at("/url"), git.url("team/docs.git"));
        assert_eq!(info.text_at("/repoName"), "team/docs");
        let now = env.of_space("getSpaceById", &space).await.expect(200);
        assert_eq!(now.text_at("/revision"), current.text_at("/id"));

        let of_revision = |operation: &str| {
            let call = env.client.call(operation).path("spaceId", &space);
            call.path("revisionId", current.text_at("/id"))
        };
        let same = of_revision("getRevisionById").send().await.expect(200);
        assert_eq!(same.json, current.json);
        let bare = of_revision("getRevisionById").query("metadata", false).send().await.expect(200);
        assert_eq!(bare.json.pointer("/git"), None);
        assert!(!bare.text().contains(&oid), "{bare}");

        let pages = env.of_space("listPages", &space).await.expect(200);
        assert_eq!(pages.at("/pages"), current.at("/pages"));
        let pages = of_revision("listPagesInRevisionById").send().await.expect(200);
        assert_eq!(pages.at("/pages"), current.at("/pages"));

        // The revision before the import still exists and is empty.
        let before = env.client.call("listPagesInRevisionById").path("spaceId", &space);
        let before = before.path("revisionId", empty.text_at("/revision")).send().await;
        assert_eq!(before.expect(200).json, json!({ "pages": [] }));
    });
}

fn check_tree(pages: &Value) {
    let expect = [
        ("Welcome", "readme"),
        ("Guide", "guide"),
        ("Start", "guide/start"),
        ("Deep", "guide/start/page"),
        ("Reference", "reference"),
        ("API", "reference/api"),
        ("Elsewhere", "https://example.org/"),
    ];
    let found = outline(pages);
    let found: Vec<_> = found.iter().map(|(title, path)| (title.as_str(), path.as_str())).collect();
    assert_eq!(found, expect, "{pages:#}");
}

#[test]
fn pages_are_found_by_id_and_by_path() {
    each_engine(async |env: &mut TestEnv| {
        let git = GitServer::start();
        repository(&git);
        let space = env.space("Pages").await;
        let job = env.import(&space, &request(&git)).await;
        assert_eq!(job.text_at("/status"), "done", "{job}");
        let revision = job.text_at("/revision").to_owned();
        let at_path = |path: &str| {
            env.client.call("getPageByPath").path("spaceId", &space).path("pagePath", path)
        };

        // The test client encodes the slash; the path with a plain slash finds the same page.
        let start = at_path("guide/start").send().await.expect(200);
        let plain =
            env.ask("GET", &format!("/v1/spaces/{space}/content/path/guide/start"), "", b"");
        assert_eq!((plain.status, &plain.body[..]), (200, &start.body[..]));
        assert_eq!(start.text_at("/description"), "How to begin");
        assert_eq!(start.text_at("/document/object"), "document");
        let id = start.text_at("/id");

        let markdown = at_path("guide/start").query("format", "markdown").send().await.expect(200);
        assert!(markdown.text_at("/markdown").contains("# Start"), "{markdown}");
        let by_id = env.client.call("getPageById").path("spaceId", &space).path("pageId", id);
        let by_id = by_id.query("format", "document").send().await.expect(200);
        assert_eq!(by_id.at("/document"), start.at("/document"));
        let in_revision = |operation: &str| {
            let call = env.client.call(operation).path("spaceId", &space);
            call.path("revisionId", &revision)
        };
        let by_id =
            in_revision("getPageInRevisionById").path("pageId", id).send().await.expect(200);
        assert_eq!(by_id.json, start.json);
        let by_path = in_revision("getPageInRevisionByPath").path("pagePath", "guide/start");
        assert_eq!(by_path.send().await.expect(200).json, start.json);

        let alone = in_revision("getPageDocumentInRevisionById").path("pageId", id);
        let alone = alone.send().await.expect(200);
        assert_eq!(&alone.json, start.at("/document"));
        let document = env.client.call("getDocumentById").path("spaceId", &space);
        let document = document.path("documentId", start.text_at("/documentId"));
        assert_eq!(document.send().await.expect(200).text_at("/object"), "document");

        let bare = at_path("guide/start").query("metadata", false).send().await.expect(200);
        assert_eq!(bare.json.pointer("/git"), None, "{bare}");
        assert_eq!(start.text_at("/git/path"), "docs/guide/start.md");
        let group = at_path("reference").send().await.expect(200);
        assert_eq!(group.text_at("/type"), "group");

        for path in ["nowhere", "guide/start/nowhere", "..", "guide//start", "%2e%2e", "SUMMARY"] {
            let missing = at_path(path).send().await.expect(404);
            assert!(missing.message().contains("page"), "{missing}");
        }
        let wrong = at_path("guide/start").query("format", "pdf").send().await.expect(400);
        assert!(wrong.message().contains("format"), "{wrong}");
        elsewhere_is_missing(env, &space, &revision, &start).await;
    });
}

/// Ids of one space are not found in another.
async fn elsewhere_is_missing(env: &TestEnv, space: &str, revision: &str, page: &Answer) {
    let other = env.space("Another").await;
    let call = |operation: &str, space: &str| env.client.call(operation).path("spaceId", space);
    for (operation, name, value) in [
        ("getRevisionById", "revisionId", revision),
        ("listPagesInRevisionById", "revisionId", revision),
        ("listFilesInRevisionById", "revisionId", revision),
        ("getPageById", "pageId", page.text_at("/id")),
        ("getDocumentById", "documentId", page.text_at("/documentId")),
    ] {
        let _missing = call(operation, &other).path(name, value).send().await.expect(404);
        for odd in ["x", "~", "00000000000000000000"] {
            let _missing = call(operation, space).path(name, odd).send().await.expect(404);
        }
    }
}

#[test]
fn files_can_be_downloaded() {
    each_engine(async |env: &mut TestEnv| {
        let git = GitServer::start();
        repository(&git);
        let space = env.space("Files").await;
        let job = env.import(&space, &request(&git)).await;
        let files = env.of_space("listFiles", &space).await.expect(200);
        assert_eq!(files.at("/items").as_array().unwrap().len(), 1, "{files}");
        let file = files.at("/items/0");
        assert_eq!(file["name"], "logo.gif");
        assert_eq!(file["contentType"], "image/gif");
        assert_eq!(file["size"], PICTURE.len());
        assert_eq!(file["dimensions"], json!({ "width": 3, "height": 2 }));
        let id = file["id"].as_str().unwrap();

        let by_id = env.client.call("getFileById").path("spaceId", &space).path("fileId", id);
        let by_id = by_id.send().await.expect(200);
        assert_eq!(by_id.text_at("/name"), "logo.gif");
        let in_revision = |operation: &str| {
            let call = env.client.call(operation).path("spaceId", &space);
            call.path("revisionId", job.text_at("/revision"))
        };
        let list = in_revision("listFilesInRevisionById").send().await.expect(200);
        assert_eq!(list.text_at("/items/0/id"), id);
        let one = in_revision("getFileInRevisionById").path("fileId", id).send().await.expect(200);
        assert_eq!(one.text_at("/id"), id);
        check_download(env, by_id.text_at("/downloadURL")).await;
    });
}

async fn check_download(env: &TestEnv, address: &str) {
    let nobody = env.client.anonymous();
    let whole = nobody.get(address, &[]).await.expect(200);
    assert_eq!(&whole.body[..], PICTURE);
    assert_eq!(whole.header("content-type"), "image/gif");
    assert_eq!(whole.header("x-content-type-options"), "nosniff");
    assert_eq!(whole.header("accept-ranges"), "bytes");
    let tag = whole.header("etag");
    let known = nobody.get(address, &[("if-none-match", tag)]).await.expect(304);
    assert!(known.body.is_empty());

    let part = nobody.get(address, &[("range", "bytes=0-5")]).await.expect(206);
    assert_eq!(&part.body[..], b"GIF89a");
    assert_eq!(part.header("content-range"), format!("bytes 0-5/{}", PICTURE.len()));
    let tail = nobody.get(address, &[("range", "bytes=-1")]).await.expect(206);
    assert_eq!(&tail.body[..], b"\x3b");
    let outside = nobody.get(address, &[("range", "bytes=900-")]).await.expect(416);
    assert_eq!(outside.header("content-range"), format!("bytes */{}", PICTURE.len()));
    let stale = [("range", "bytes=0-5"), ("if-range", "\"other\"")];
    let _whole = nobody.get(address, &stale).await.expect(200);

    let (path, query) = address.split_once('?').unwrap();
    let flip = |text: &str| text.replace("sig=", "sig=A");
    let later = query.replace("exp=", "exp=9");
    for wrong in [path.to_owned(), format!("{path}?{}", flip(query)), format!("{path}?{later}")] {
        let _refused = nobody.get(&wrong, &[]).await.expect(404);
    }
}

#[test]
fn a_site_is_published_and_unpublished() {
    each_engine(async |env: &mut TestEnv| {
        let git = GitServer::start();
        repository(&git);
        let space = env.space("Handbook").await;
        let job = env.import(&space, &request(&git)).await;
        assert_eq!(job.text_at("/status"), "done", "{job}");
        let of_site = |operation: &str, site: &str| {
            let call = env.client.call(operation).path("organizationId", &env.organization);
            call.path("siteId", site)
        };
        let made = env.client.call("createSite").path("organizationId", &env.organization);
        let made = made.json(&json!({ "title": "Hand Book" })).send().await.expect(201);
        let site = made.text_at("/id").to_owned();
        assert_eq!(made.at("/published"), &json!(false));
        assert_eq!(made.text_at("/basename"), "hand-book");

        let body = json!({ "spaceId": space });
        let added = of_site("addSpaceToSite", &site).json(&body).send().await.expect(201);
        let _twice = of_site("addSpaceToSite", &site).json(&body).send().await.expect(409);
        let places = of_site("listSiteSpaces", &site).send().await.expect(200);
        assert_eq!(places.text_at("/items/0/id"), added.text_at("/id"));
        assert_eq!(places.text_at("/items/0/space/id"), space);
        let sites = env.client.call("listSites").path("organizationId", &env.organization);
        let sites = sites.query("published", false).send().await.expect(200);
        assert_eq!(sites.text_at("/items/0/id"), site);

        let nobody = env.client.anonymous();
        let _closed = nobody.get("/hand-book/", &[]).await.expect(404);
        let published = of_site("publishSite", &site).send().await.expect(200);
        let address = published.text_at("/urls/published").to_owned();
        assert!(address.ends_with("/hand-book/"), "{address}");
        let again = of_site("publishSite", &site).send().await.expect(200);
        assert_eq!(again.at("/published"), &json!(true));
        check_pages(env, &space).await;

        let taken = of_site("unpublishSite", &site).send().await.expect(200);
        assert_eq!(taken.json.pointer("/urls/published"), None);
        for path in ["/hand-book/", "/hand-book/guide/start", "/hand-book/sitemap.xml"] {
            let _closed = nobody.get(path, &[]).await.expect(404);
        }
    });
}

async fn check_pages(env: &TestEnv, space: &str) {
    let nobody = env.client.anonymous();
    let get = async |path: &str| nobody.get(&format!("/hand-book/{path}"), &[]).await;
    let first = get("").await.expect(200);
    assert!(first.header("content-type").starts_with("text/html"), "{first}");
    assert!(first.header("content-security-policy").contains("default-src"), "{first}");
    for part in ["Hello readers.", "Guide", "Elsewhere", "https://example.org/"] {
        assert!(first.text().contains(part), "{part} is missing: {first}");
    }
    let data = "<script type=\"application/ld+json\">";
    assert_eq!(first.text().matches(data).count(), 1, "{first}");
    assert_eq!(first.text().matches("<script").count(), 3, "{first}");
    let known = [("if-none-match", first.header("etag"))];
    let _same = nobody.get("/hand-book/", &known).await.expect(304);

    let start = get("guide/start").await.expect(200);
    for part in ["Mind the gap.", "Noted once, shown often.", "width=\"3\"", "guide/start/page"] {
        assert!(start.text().contains(part), "{part} is missing: {}", start.text());
    }
    let markdown = get("guide/start.md").await.expect(200);
    assert!(markdown.header("content-type").starts_with("text/markdown"), "{markdown}");
    assert!(markdown.text().contains("# Start"), "{markdown}");
    assert!(get("index.md").await.expect(200).text().contains("Hello readers."));

    for (path, part) in [
        // The repository's first commit has this date.
        ("sitemap.xml", "/hand-book/guide/start</loc><lastmod>2023-11-14T22:13:20.000Z</lastmod>"),
        ("robots.txt", "sitemap.xml"),
        ("llms.txt", "guide/start"),
    ] {
        let found = get(path).await.expect(200);
        assert!(found.text().contains(part), "{path}: {found}");
    }
    for (path, target) in [
        ("old/place", "guide/start"),
        ("guide/README.md", "guide"),
        ("reference.md", "reference/api.md"),
        ("guide/start.html", "guide/start"),
        ("guide/start/", "guide/start"),
        ("guide/deep/page", "guide/start/page"),
        ("readme", ""),
    ] {
        let moved = get(path).await.expect(308);
        assert!(moved.header("location").ends_with(&format!("/hand-book/{target}")), "{moved}");
    }
    let missing = get("guide/strat").await.expect(404);
    assert!(missing.text().contains("guide/start"), "{missing}");

    // The files of a public site can be read without a signature.
    let files = env.of_space("listFiles", space).await.expect(200);
    let address = files.text_at("/items/0/downloadURL");
    assert!(!address.contains('?'), "{address}");
    let _file = nobody.get(address, &[]).await.expect(200);
}

#[test]
fn a_second_import_keeps_unchanged_content() {
    each_engine(async |env: &mut TestEnv| {
        let git = GitServer::start();
        let (repository, _) = repository(&git);
        let space = env.space("Again").await;
        let imported = env.import(&space, &request(&git)).await;
        let imported = imported.text_at("/revision");
        let first = env.of_space("listPages", &space).await.expect(200);
        let files = env.of_space("listFiles", &space).await.expect(200);

        // If nothing changed, the revision, pages and files are the same.
        let same = env.import(&space, &request(&git)).await;
        assert_eq!(same.text_at("/status"), "done", "{same}");
        assert_eq!(same.json.pointer("/revision"), None, "{same}");
        let pages = env.of_space("listPages", &space).await.expect(200);
        assert_eq!(ids(pages.at("/pages")), ids(first.at("/pages")));
        let after = env.of_space("listFiles", &space).await.expect(200);
        assert_eq!(after.text_at("/items/0/id"), files.text_at("/items/0/id"));

        let oid = repository.commit(
            "main",
            "Changed",
            [
                Change::file("docs/guide/start.md", "# Start\n\nNew words.\n"),
                Change::file("docs/more.md", "# More\n"),
                Change::file("docs/SUMMARY.md", format!("{SUMMARY}* [More](more.md)\n")),
            ],
        );
        let changed = env.import(&space, &request(&git)).await;
        assert_eq!(changed.text_at("/status"), "done", "{changed}");
        let current = env.of_space("getCurrentRevision", &space).await.expect(200);
        assert_eq!(current.text_at("/git/oid"), oid);
        assert_eq!(current.at("/parents"), &json!([imported]));
        let (old, new) = (ids(first.at("/pages")), ids(current.at("/pages")));
        assert_eq!(new[..old.len()], old[..], "{current}");
        assert_eq!(new.len(), old.len() + 1, "{current}");
        let page = env.client.call("getPageByPath").path("spaceId", &space);
        let page = page.path("pagePath", "guide/start").query("format", "markdown");
        assert!(page.send().await.expect(200).text_at("/markdown").contains("New words."));

        // The earlier revision is unchanged.
        let before = env.client.call("getPageInRevisionByPath").path("spaceId", &space);
        let before = before.path("revisionId", imported);
        let before = before.path("pagePath", "guide/start").query("format", "markdown");
        assert!(before.send().await.expect(200).text_at("/markdown").contains("Mind the gap."));
    });
}
