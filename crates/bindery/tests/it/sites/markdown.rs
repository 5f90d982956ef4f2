//! Pages of published sites as Markdown, with their descriptions and what they include.

use bindery_testkit::archives::{file, gzip, tar};

use crate::support::content::publish;
use crate::support::{TestEnv, each_engine};

const HOME: &str = "---
description: All about <flanges>.
vars:
  edition: 3
---

# Home

* First

  {% include \".gitbook/includes/note.md\" %}

```
{% include \".gitbook/includes/note.md\" %}
```

{% include \".gitbook/includes/absent.md\" %}

{% include \".gitbook/includes/loop.md\" %}
";

const NOTE: &str = "---
title: Note
---

See [the guide](../../guide.md) and [a **page**](../../gone.md), edition <code class=\"expression\">page.vars.edition</code>.

{% if visitor.claims.plan == \"pro\" %}
Only for professionals.
{% endif %}

{% include \"inner.md\" %}

{% if true %}
";

async fn published(env: &TestEnv) {
    let space = env.space("Handbook").await;
    let archive = gzip(&tar(&[
        file("README.md", HOME),
        file("guide.md", "# Guide\n"),
        file(".gitbook/includes/note.md", NOTE),
        file(".gitbook/includes/inner.md", "> Innermost.\n"),
        file(".gitbook/includes/loop.md", "Again.\n\n{% include \"loop.md\" %}\n"),
    ]));
    let job = env.import_archive(&space, "application/gzip", archive).await;
    assert_eq!(job.text_at("/status"), "done", "{job}");
    let _site = publish(env, "Handbook", &space).await;
}

#[test]
fn markdown_contains_descriptions_and_included_texts() {
    each_engine(async |env: &mut TestEnv| {
        published(env).await;
        let reader = env.client.anonymous();
        let get = async |path: &str| reader.get(path, &[]).await.expect(200).text();
        let page = get("/handbook/index.md").await;
        let (_, page) = page.split_once("\n\n").unwrap();
        let guide = page.split("[the guide](").nth(1).and_then(|text| text.split(')').next());
        let guide = guide.unwrap().to_owned();
        assert!(guide.starts_with("http") && guide.ends_with("/handbook/guide"), "{guide}");
        let name = "markdown_contains_descriptions_and_included_texts";
        insta::assert_snapshot!(name, page.replace(&guide, "GUIDE"));
        let full = get("/handbook/llms-full.txt").await;
        for text in ["All about \\<flanges>.", "> Innermost.", "edition 3."] {
            assert!(full.contains(text), "{text}: {full}");
        }
        assert!(!full.contains("professionals"), "{full}");
    });
}
