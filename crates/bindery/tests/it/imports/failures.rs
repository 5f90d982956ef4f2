//! Failing imports and malformed content: the message is clear or the page readable, no partial
//! result is stored, and no secret is exposed.

use bindery_testkit::Answer;
use bindery_testkit::git_server::{Change, Fault, GitServer};
use serde_json::{Value, json};

use crate::support::content::{head, publish};
use crate::support::{TestEnv, each_engine, each_engine_with, on_sqlite, until};

fn request(url: &str) -> Value {
    json!({ "url": url, "ref": "refs/heads/main" })
}

#[test]
fn invalid_requests_are_rejected_at_once() {
    // Private networks are not permitted here.
    let strict = |installation: bindery_testkit::Installation| {
        installation.variable("BINDERY_OUTBOUND_ALLOW", "203.0.113.0/24")
    };
    each_engine_with(strict, async |env: &mut TestEnv| {
        let space = env.space("Refused").await;
        let fine = "https://git.example.com/x.git";
        let mut cases: Vec<(Value, &str)> = [
            "",
            "nonsense",
            "file:///etc",
            "/etc",
            "../x",
            "ftp://git.example.com/x",
            "ext::sh -c id",
            "http://",
            "http://127.0.0.1/x",
            "http://[::1]/x",
            "http://10.0.0.1:8080/x",
            "http://169.254.169.254/latest",
            "http://192.168.1.1/x",
            "http://[::ffff:10.0.0.1]/x",
            "http://[fd00::1]/x",
            "http://0.0.0.0/x",
            "http://2130706433/x",
            "http://0177.0.0.1/x",
            "http://127.1/x",
            "http://localhost/x",
            "http://user:secret-in-url@127.0.0.1/x",
        ]
        .into_iter()
        .map(|url| (request(url), "/url"))
        .collect();
        for reference in
            ["", "refs/heads/../x", "refs/heads/a b", "-x", "refs/heads/x.lock", "a\nb"]
        {
            cases.push((json!({ "url": fine, "ref": reference }), "/ref"));
        }
        for directory in ["../x", "/etc", "a/../../b", "a\\b", "a\nb", ".."] {
            let mut body = request(fine);
            body["repoProjectDirectory"] = json!(directory);
            cases.push((body, "/repoProjectDirectory"));
        }
        cases.push((json!({ "ref": "main" }), "url"));
        for (body, place) in cases {
            let call = env.client.call("importGitRepository").path("spaceId", &space);
            let refused = call.json(&body).send().await.expect(400);
            assert!(refused.message().contains(place), "{body}: {refused}");
            assert!(!refused.text().contains("secret-in-url"), "{refused}");
        }
        let jobs = env.client.call("listJobs").query("space", &space).send().await.expect(200);
        assert_eq!(jobs.at("/count"), &json!(0));
    });
}

fn failed(job: &Answer, code: &str, words: &str) {
    assert_eq!(job.text_at("/status"), "failed", "{job}");
    assert_eq!(job.text_at("/error/code"), code, "{job}");
    assert!(job.text_at("/error/message").contains(words), "{words}: {job}");
}

#[test]
fn addresses_without_a_repository_are_rejected() {
    each_engine(async |env: &mut TestEnv| {
        let git = GitServer::start();
        let repository = git.repository("docs.git");
        repository.commit("main", "x", [Change::file("docs/a.md", "# A"), Change::file("x.c", "")]);
        repository.commit("other", "x", [Change::file("a.md", "# A")]);
        git.repository("empty.git");
        git.repository("code.git").commit("main", "x", [Change::file("main.c", "int x;")]);
        let space = env.space("None").await;
        let before = head(env, &space).await;
        let url = git.url("docs.git");
        let within = |directory: &str| {
            let mut body = request(&url);
            body["repoProjectDirectory"] = json!(directory);
            body
        };
        let missing = json!({ "url": url, "ref": "refs/heads/nothing" });
        for (body, code, words) in [
            (missing, "ref-not-found", "refs/heads/main"),
            (request(&git.url("empty.git")), "empty", "no commits"),
            (request(&git.url("code.git")), "empty", "no Markdown"),
            (within("nowhere"), "directory-not-found", "nowhere"),
            (within("x.c"), "directory-not-found", "x.c"),
        ] {
            failed(&env.import(&space, &body).await, code, words);
        }
        for (fault, code) in [
            (Fault::WebPage, "not-a-repository"),
            (Fault::Garbage, "remote"),
            (Fault::RedirectTo("http://10.1.2.3".to_owned()), "unreachable"),
        ] {
            git.set_fault(fault.clone());
            let job = env.import(&space, &request(&url)).await;
            assert_eq!(job.text_at("/status"), "failed", "{fault:?}: {job}");
            assert_eq!(job.text_at("/error/code"), code, "{fault:?}: {job}");
        }
        assert_eq!(head(env, &space).await, before);
        git.set_fault(Fault::None);
        let job = env.import(&space, &request(&url)).await;
        assert_eq!(job.text_at("/status"), "done", "{job}");
    });
}

#[test]
fn transient_failures_are_retried() {
    each_engine(async |env: &mut TestEnv| {
        let git = GitServer::start();
        let space = env.space("Later").await;
        // Each import uses a repository of its own, since fetched objects are cached.
        for (name, fault, code) in [
            ("one.git", Fault::Status(503), "remote"),
            ("two.git", Fault::CutAfter(40), "unreachable"),
        ] {
            git.repository(name).commit("main", "x", [Change::file("README.md", "# Hello")]);
            git.set_fault(fault);
            let job = env.start_import(&space, &request(&git.url(name))).await;
            let seen = env.job_when(&job, |job| job.json.pointer("/error").is_some()).await;
            assert_eq!(seen.text_at("/error/code"), code, "{seen}");
            git.set_fault(Fault::None);
            let done = env.ended(&job).await;
            assert_eq!(done.text_at("/status"), "done", "{done}");
            assert!(done.at("/attempts").as_u64() > Some(1), "{done}");
            assert_eq!(done.json.pointer("/error"), None, "{done}");
        }
    });
}

#[test]
fn a_stalled_import_is_cancelled_and_replaced() {
    each_engine(async |env: &mut TestEnv| {
        let git = GitServer::start();
        git.repository("docs.git").commit("main", "x", [Change::file("README.md", "# Hello")]);
        git.set_fault(Fault::StallAfter(40));
        let space = env.space("Stalled").await;
        let before = head(env, &space).await;
        let job = env.start_import(&space, &request(&git.url("docs.git"))).await;
        let cancel = async || env.client.call("cancelJob").path("jobId", &job).send().await;
        // The second POST requests the pack, which never arrives.
        until(async || {
            let posts = git.requests().iter().filter(|request| request.method == "POST").count();
            (posts >= 2).then_some(())
        })
        .await;
        // A waiting import is replaced by a newer one.
        let waits = env.start_import(&space, &request(&git.url("docs.git"))).await;
        let newer = env.start_import(&space, &request(&git.url("docs.git"))).await;
        let replaced = env.ended(&waits).await;
        assert_eq!(replaced.text_at("/status"), "cancelled", "{replaced}");
        let _asked = cancel().await.expect(205);
        git.set_fault(Fault::None);
        let ended = env.ended(&job).await;
        assert_eq!(ended.text_at("/status"), "cancelled", "{ended}");
        let _over = cancel().await.expect(409);
        let newer = env.ended(&newer).await;
        assert_eq!(newer.text_at("/status"), "done", "{newer}");
        let current = env.of_space("getCurrentRevision", &space).await.expect(200);
        assert_eq!(current.at("/parents"), &json!([before]));
    });
}

const SECRET: &str = "pa55w0rd-of-the-repository";

#[test]
fn credentials_work_and_are_never_exposed() {
    each_engine(async |env: &mut TestEnv| {
        let git = GitServer::start();
        git.repository("docs.git").commit("main", "x", [Change::file("README.md", "# Hello")]);
        git.set_login("ada", SECRET);
        let space = env.space("Secrets").await;
        let with = |login: &str| request(&git.url("docs.git").replace("//", &format!("//{login}")));
        let failed_without = env.import(&space, &with("")).await;
        failed(&failed_without, "needs-credentials", "needs credentials");
        let wrong = env.import(&space, &with(&format!("ada:{SECRET}x@"))).await;
        failed(&wrong, "needs-credentials", "does not accept these credentials");
        let right = env.import(&space, &with(&format!("ada:{SECRET}@"))).await;
        assert_eq!(right.text_at("/status"), "done", "{right}");

        let mut answers = vec![failed_without, wrong, right];
        for operation in ["getSpaceById", "getSpaceGitInfo", "getCurrentRevision", "listFiles"] {
            answers.push(env.of_space(operation, &space).await.expect(200));
        }
        answers.push(env.client.call("listJobs").send().await.expect(200));
        for answer in answers {
            assert!(!answer.text().contains(SECRET), "{answer}");
        }
        assert!(!env.server().log().contains(SECRET));
        let hidden = files_without(&env.installation.data(), SECRET.as_bytes());
        assert!(hidden > 2, "only {hidden} files were looked at");
        if let Some(database) = env.installation.database() {
            database.execute(&nowhere_in_postgres(SECRET)).unwrap();
        }
    });
}

/// Asserts that no file below a folder contains the secret, and returns the number of files.
fn files_without(folder: &std::path::Path, secret: &[u8]) -> usize {
    let mut count = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            count += files_without(&path, secret);
        } else if let Ok(bytes) = std::fs::read(&path) {
            let found = bytes.windows(secret.len()).any(|window| window == secret);
            assert!(!found, "{}", path.display());
            count += 1;
        }
    }
    count
}

/// Returns a statement that fails if a row of any table contains the text, as text or as bytes.
fn nowhere_in_postgres(secret: &str) -> String {
    let hex: String = secret.bytes().map(|byte| format!("{byte:02x}")).collect();
    format!(
        "DO $$ DECLARE t text; n bigint; BEGIN \
         FOR t IN SELECT tablename FROM pg_tables WHERE schemaname = 'public' LOOP \
         EXECUTE format('SELECT count(*) FROM %I x WHERE x::text LIKE %L OR x::text LIKE %L', \
         t, '%{secret}%', '%{hex}%') INTO n; \
         IF n > 0 THEN RAISE EXCEPTION 'it is in %', t; END IF; END LOOP; END $$"
    )
}

/// Imports these files into a published site and returns the space and the addresses of its pages.
async fn published(env: &TestEnv, git: &GitServer, changes: Vec<Change>) -> (String, Vec<String>) {
    git.repository("odd.git").commit("main", "odd", changes);
    let space = env.space("Odd").await;
    let job = env.import(&space, &request(&git.url("odd.git"))).await;
    assert_eq!(job.text_at("/status"), "done", "{job}");
    let _site = publish(env, "Odd", &space).await;
    let map = env.client.anonymous().get("/odd/sitemap.xml", &[]).await.expect(200);
    let addresses = map
        .text()
        .split("<loc>")
        .skip(1)
        .map(|rest| rest.split("</loc>").next().unwrap().replace("&amp;", "&"))
        .collect();
    (space, addresses)
}

#[test]
fn unusual_names_and_texts_become_pages() {
    each_engine(async |env: &mut TestEnv| {
        let git = GitServer::start();
        let quotes = format!("# Quotes\n\n{} deep\n", ">".repeat(10_000));
        let lists = format!("# Lists\n\n{}deep\n", "- ".repeat(5_000));
        let files: [(&[u8], &[u8]); 22] = [
            (b"README.md", b"# Home\n\n[loop](loop) [up](../../etc/passwd) [x](%00) [y](%zz)\n"),
            (b"latin.md", b"# Caf\xe9\n\ntext \xff\xfe\n"),
            (b"nul.md", b"# N\0UL\n\na\0b\n"),
            (b"crlf.md", b"# Lines\r\n\r\n* a\r\n* b\r\n"),
            (b"bom.md", b"\xef\xbb\xbf# Marked\n"),
            (b"a b.md", b"# Spaces\n"),
            (b"100%.md", b"# Percent\n"),
            (b"a#b.md", b"# Hash\n"),
            (b"why?.md", b"# Question\n"),
            ("😀.md".as_bytes(), b"# Face\n"),
            ("e\u{301}.md".as_bytes(), b"# Decomposed\n"),
            ("é.md".as_bytes(), b"# Composed\n"),
            (b"Case.md", b"# Upper\n"),
            (b"case.md", b"# Lower\n"),
            (b"con.md", b"# Reserved\n"),
            (b"back\\slash.md", b"# Backslash\n"),
            (b"bad\xff.md", b"# Bytes\n"),
            (b"front.md", b"---\n: [\n  - {\n---\n\n# Front\n"),
            (b"open.md", b"---\ntitle: x\n\n# Never closed\n"),
            (b"empty.md", b""),
            (b"quotes.md", quotes.as_bytes()),
            (b"lists.md", lists.as_bytes()),
        ];
        let mut changes: Vec<Change> =
            files.iter().map(|(path, text)| Change::file(path, text)).collect();
        for (path, target) in [
            ("loop", "loop"),
            ("round/a.md", "b.md"),
            ("round/b.md", "a.md"),
            ("dangling.md", "nowhere.md"),
            ("out.md", "/etc/passwd"),
            ("up.md", "../../../../etc/passwd"),
            ("self", "."),
        ] {
            changes.push(Change::Link(path.into(), target.into()));
        }
        changes.push(Change::Submodule(b"module".to_vec(), "1".repeat(40)));
        let (space, addresses) = published(env, &git, changes).await;
        assert!(addresses.len() >= 20, "{addresses:?}");
        let nobody = env.client.anonymous();
        for address in &addresses {
            let page = nobody.get(address, &[]).await.expect(200);
            assert!(!page.text().contains("root:"), "{page}");
        }
        paths_are_unique(env, &space).await;
    });
}

/// Requests each page by its path.
async fn paths_are_unique(env: &TestEnv, space: &str) {
    let revision = env.of_space("getCurrentRevision", space).await.expect(200);
    let mut paths = std::collections::BTreeSet::new();
    for page in revision.at("/pages").as_array().unwrap() {
        let path = page["path"].as_str().unwrap();
        assert!(paths.insert(path.to_owned()), "{path} is there twice");
        let call = env.client.call("getPageByPath").path("spaceId", space);
        // The response includes the document, whose depth is within the limits of common JSON
        // parsers.
        let found = call.path("pagePath", path).send().await.expect(200);
        assert_eq!(found.text_at("/id"), page["id"], "{path}");
    }
}

#[test]
fn tables_of_contents_with_invalid_entries_are_imported() {
    each_engine(async |env: &mut TestEnv| {
        let git = GitServer::start();
        let summary = "# Summary\n\n* [Home](README.md)\n* [Missing](nowhere.md)\n\
            * [Home again](README.md)\n* [Out](../../etc/passwd)\n* [Root](/etc/passwd)\n\
            * [Script](javascript:alert(1))\n* [Data](data:text/html,x)\n* [](empty.md)\n\
            * [Null](a%00b.md)\n        * [Far in](far.md)\n* [Self](SUMMARY.md)\n* plain\n";
        let changes = vec![
            Change::file("SUMMARY.md", summary),
            Change::file("README.md", "# Home\n"),
            Change::file("empty.md", "# Untitled in the list\n"),
            Change::file("far.md", "# Far\n"),
        ];
        let (space, addresses) = published(env, &git, changes).await;
        for address in &addresses {
            let page = env.client.anonymous().get(address, &[]).await.expect(200);
            for bad in ["href=\"javascript:", "href=\"data:", "root:x"] {
                assert!(!page.text().contains(bad), "{bad}: {page}");
            }
        }
        let pages = env.of_space("listPages", &space).await.expect(200);
        let home = pages.text().matches("\"path\":\"readme\"").count();
        assert_eq!(home, 1, "{pages}");
    });
}

/// Addresses of covers, link elements and the table of contents that would run a script, in
/// spellings that browsers and naive filters interpret differently.
#[test]
fn script_addresses_are_removed_from_pages() {
    each_engine(async |env: &mut TestEnv| {
        let git = GitServer::start();
        let mut addresses = Vec::new();
        for active in ["javascript:alert(1)", "data:text/html,x", "vbscript:x", "file:///x"] {
            let mixed: String = active
                .char_indices()
                .map(|(at, c)| if at % 2 == 0 { c.to_ascii_uppercase() } else { c })
                .collect();
            addresses.extend([active.to_owned(), mixed, format!("/\\{active}")]);
            for front in
                [" ", "\\t", "\\n", "\\x01", "\\x1f", "\\u200b", "\\ufeff", "&#9;", "&Tab;"]
            {
                addresses.push(format!("{front}{active}"));
            }
            let (scheme, rest) = active.split_once(':').unwrap();
            for colon in ["&colon;", "&#58;", "\\t:", "%3A"] {
                addresses.push(format!("{scheme}{colon}{rest}"));
            }
        }
        let mut changes = vec![Change::file("README.md", "# Home\n")];
        let mut summary = "# Summary\n\n* [Home](README.md)\n".to_owned();
        for (n, address) in addresses.iter().enumerate() {
            let head = format!(
                "---\ncover: \"{address}\"\nmetaLinks:\n  canonical: \"{address}\"\n  \
                 alternates:\n    - \"{address}\"\n---\n\n# Page {n}\n"
            );
            let dark = format!(
                "---\ncover:\n  light: https://x.y/a.png\n  dark: \"{address}\"\n---\n\n# Dark {n}\n"
            );
            changes.push(Change::file(format!("light{n}.md"), &head));
            changes.push(Change::file(format!("dark{n}.md"), &dark));
            let lists = [("Light", "light"), ("Dark", "dark")];
            for (title, name) in lists {
                summary.push_str(&format!("* [{title} {n}]({name}{n}.md)\n"));
            }
            summary.push_str(&format!("* [Link {n}](<{address}>)\n"));
        }
        changes.push(Change::file("SUMMARY.md", &summary));
        let (_, pages) = published(env, &git, changes).await;
        assert!(pages.len() > 2 * addresses.len(), "{pages:?}");
        let nobody = env.client.anonymous();
        for address in &pages {
            let page = nobody.get(address, &[]).await.expect(200);
            let text = page.text().to_lowercase();
            for attribute in ["src=\"", "srcset=\"", "href=\"", "content=\""] {
                for value in text.split(attribute).skip(1) {
                    let value = value.split('"').next().unwrap_or_default();
                    let value = value.trim_start_matches(|c: char| c <= ' ');
                    let active = ["javascript", "data:", "vbscript", "file:"];
                    let is_active = active.iter().any(|one| value.starts_with(one));
                    assert!(!is_active, "{address}: {value}");
                }
            }
        }
    });
}

#[test]
fn a_text_of_a_million_lines() {
    on_sqlite(async |env: &mut TestEnv| {
        let git = GitServer::start();
        let text = format!("# Long\n\n{}", "line\n".repeat(1_000_000));
        let changes = vec![Change::file("README.md", "# Home\n"), Change::file("long.md", &text)];
        let (space, _) = published(env, &git, changes).await;
        let page = env.client.call("getPageByPath").path("spaceId", &space);
        let page = page.path("pagePath", "long").query("format", "markdown").send().await;
        assert!(page.expect(200).text_at("/markdown").len() > 5_000_000);
        // The server still serves other clients during and after this request.
        let nobody = env.client.anonymous();
        let page = nobody.get("/odd/long", &[]);
        let well = until(async || {
            let answer = env.client.call("getAuthenticatedUser").send().await;
            (answer.status == 200).then_some(())
        });
        let (page, ()) = tokio::join!(page, well);
        let _shown = page.expect(200);
    });
}
