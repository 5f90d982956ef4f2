//! Pages that are designed to consume time and memory, and invalid paths.

use bindery_testkit::archives::{file, gzip, tar};

use crate::support::content::publish;
use crate::support::{TestEnv, each_engine};

/// The maximum size of a response in bytes.
const ANSWER: usize = 32 << 20;

/// Publishes the pages of an archive under `/hostile/`.
async fn publish_files(env: &TestEnv, files: &[(&str, String)]) {
    let space = env.space("Hostile").await;
    let files: Vec<_> = files.iter().map(|(path, text)| file(path, text)).collect();
    let job = env.import_archive(&space, "application/gzip", gzip(&tar(&files))).await;
    assert_eq!(job.text_at("/status"), "done", "{job}");
    let _site = publish(env, "Hostile", &space).await;
}

#[test]
fn includes_do_not_multiply_answers() {
    each_engine(async |env: &mut TestEnv| {
        let include = "{% include \".gitbook/includes/big.md\" %}\n\n";
        publish_files(
            env,
            &[
                ("README.md", "# Home\n".to_owned()),
                ("big.md", format!("# Big\n\n{}", include.repeat(500))),
                (".gitbook/includes/big.md", "a & b\n\n".repeat(30_000)),
            ],
        )
        .await;
        let nobody = env.client.anonymous();
        let page = nobody.get("/hostile/big", &[]).await.expect(200);
        assert!(page.body.len() < ANSWER, "{} bytes", page.body.len());
        let text = String::from_utf8_lossy(&page.body);
        assert!(text.contains("This page is too large to be shown in full."));
        let markdown = nobody.get("/hostile/big.md", &[]).await.expect(200);
        assert!(markdown.body.len() < ANSWER);
        assert!(markdown.text().contains("This page is too large to be shown in full."));
        let feed = nobody.get("/hostile/llms.txt", &[]).await.expect(200);
        assert!(feed.body.len() < ANSWER);
    });
}

#[test]
fn hostile_code_does_not_delay_other_pages() {
    each_engine(async |env: &mut TestEnv| {
        let block = |language: &str, line: String| format!("```{language}\n{line}\n```\n\n");
        let mut hostile = String::from("# Hostile\n\n");
        for language in ["ini", "less", "js", "bash", "python", "yaml", "html", "sql"] {
            hostile.push_str(&block(language, " ".repeat(2_000)));
            hostile.push_str(&block(language, "(\"'`".repeat(500)));
        }
        publish_files(
            env,
            &[
                ("README.md", "# Home\n\nText\n".to_owned()),
                ("a.md", hostile.clone()),
                ("b.md", hostile.clone()),
                ("c.md", hostile),
                ("other.md", "# Other\n".to_owned()),
            ],
        )
        .await;
        let nobody = env.client.anonymous();
        let get = async |path: &str| nobody.get(path, &[]).await.expect(200);
        let began = std::time::Instant::now();
        let (a, b, c, other) = tokio::join!(
            get("/hostile/a"),
            get("/hostile/b"),
            get("/hostile/c"),
            get("/hostile/other")
        );
        // The Oniguruma engine took minutes for these pages.
        assert!(began.elapsed() < std::time::Duration::from_secs(60), "{:?}", began.elapsed());
        for page in [a, b, c] {
            assert!(String::from_utf8_lossy(&page.body).contains("language-less"));
        }
        assert!(String::from_utf8_lossy(&other.body).contains("Other"));
    });
}

#[test]
fn missing_pages_suggest_others() {
    each_engine(async |env: &mut TestEnv| {
        let files: Vec<(String, String)> =
            (0..300).map(|n| (format!("topic-{n}.md"), format!("# Topic {n}\n"))).collect();
        let files: Vec<(&str, String)> =
            files.iter().map(|(path, text)| (path.as_str(), text.clone())).collect();
        publish_files(env, &files).await;
        let nobody = env.client.anonymous();
        for number in [7, 77, 277] {
            let answer = nobody.get(&format!("/hostile/old/topic-{number}x"), &[]).await;
            let answer = answer.expect(404);
            let text = String::from_utf8_lossy(&answer.body);
            assert!(text.contains(&format!("href=\"/hostile/topic-{number}\"")), "{text}");
        }
        let _list = nobody.get("/hostile/sitemap.xml", &[]).await.expect(200);
        for number in [1, 9, 4_000_000] {
            let answer = nobody.get(&format!("/hostile/sitemap-{number}.xml"), &[]).await;
            assert!(answer.expect(404).body.len() < 100);
        }
    });
}
