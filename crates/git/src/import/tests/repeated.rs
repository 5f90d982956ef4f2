//! Tests of repeated imports.

use super::*;

/// A space with a table of contents, three pages, a file and an include.
fn files() -> Files {
    Files::texts(&[
        ("SUMMARY.md", "* [Home](README.md)\n* [A](a.md)\n  * [B](sub/b.md)\n* [C](c.md)\n"),
        ("README.md", "# Home\n\nwelcome to all of this"),
        ("a.md", "# A\n\nfirst line\nsecond line\nthird line\n![x](x.png)"),
        ("sub/b.md", "# B\n\nsome text [a](../a.md)"),
        ("c.md", "# C\n\nother text"),
        ("x.png", "picture"),
        (".gitbook/includes/i.md", "---\ntitle: I\n---\nincluded"),
        ("unlisted.md", "not listed"),
    ])
}

/// Imports twice. Returns the space after each import, and the paths that the second one read.
fn import_twice(before: &Files, after: &Files) -> (Space, Space, Vec<String>) {
    let mut first = Space::new();
    first.import(before);
    let mut second = Space::new();
    second.import(before);
    after.reads.lock().unwrap().clear();
    second.import(after);
    let mut reads = after.reads.lock().unwrap().clone();
    reads.sort();
    second.check(after);
    (first, second, reads)
}

#[test]
fn unchanged_folders_write_nothing() {
    let (first, second, reads) = import_twice(&files(), &files());
    assert_eq!(first.content(), second.content());
    assert_eq!(first.last.as_ref().unwrap().state, second.last.as_ref().unwrap().state);
    assert_eq!(reads, Vec::<String>::new());
    assert_eq!(second.written, (0, 0));
    assert_eq!(second.last.as_ref().unwrap().counts.changed, 0);
}

#[test]
fn only_the_changed_page_is_read() {
    let after = files().with(&[("a.md", Some("# New\n\nfirst line"))]);
    let (first, second, reads) = import_twice(&files(), &after);
    assert_eq!(reads, ["a.md"]);
    let (old, new) = (first.page("a.md"), second.page("a.md"));
    assert_eq!((new.id, &new.title, new.created_at), (old.id, &old.title, old.created_at));
    assert!(new.body != old.body && new.updated_at > old.updated_at);
    let changed: Vec<_> = first
        .content()
        .pages
        .diff(&second.content().pages, &second.objects)
        .map(|difference| difference.unwrap().key)
        .collect();
    assert_eq!(changed, [&new.id.as_bytes()[..]]);
}

#[test]
fn pages_have_the_dates_of_their_files() {
    let mut first = files();
    // A date in the future cannot be true.
    first.times = HashMap::from([("a.md".to_owned(), 7), ("c.md".to_owned(), 9_999)]);
    let mut space = Space::new();
    space.import(&first);
    let dates = |space: &Space| {
        ["a.md", "c.md", "sub/b.md"].map(|path| {
            let page = space.page(path);
            (page.created_at.millis(), page.updated_at.millis())
        })
    };
    assert_eq!(dates(&space), [(7, 7), (1000, 1000), (1000, 1000)]);
    let summary = "* [Home](README.md)\n* [New](a.md)\n  * [B](sub/b.md)\n* [C](c.md)\n";
    let mut second = first.with(&[("c.md", Some("# C\n\nnew")), ("SUMMARY.md", Some(summary))]);
    second.times = ["a.md", "c.md", "sub/b.md"].map(|path| (path.to_owned(), 1500)).into();
    space.import(&second);
    assert_eq!(dates(&space), [(7, 1500), (1000, 1500), (1000, 1000)]);
}

#[test]
fn titles_come_from_the_file_by_default() {
    let before = Files::texts(&[("README.md", "# Home"), ("a.md", "# A")]);
    let (_, second, reads) = import_twice(&before, &before.with(&[("a.md", Some("# New"))]));
    assert_eq!(second.outline(), "readme Home\na New\n");
    assert_eq!(reads, ["a.md"]);
    let (_, second, _) = import_twice(
        &before,
        &before.with(&[("SUMMARY.md", Some("* [X](a.md)\n* [](README.md)"))]),
    );
    assert_eq!(second.outline(), "a X\nreadme Home\n");
    let listed = before.with(&[("SUMMARY.md", Some("* [X](a.md)"))]);
    let (_, second, _) = import_twice(&listed, &before);
    assert_eq!(second.outline(), "readme Home\na A\n");
}

#[test]
fn pages_keep_their_ids_when_moved() {
    let text = "# A\n\nfirst line\nsecond line\nthird line, edited\n![x](x.png)";
    let same = "# A\n\nfirst line\nsecond line\nthird line\n![x](x.png)";
    for (name, text) in [("equal", same), ("alike", text), ("another", "# A\n\nnothing of it")] {
        let summary = "* [Home](README.md)\n* [A](z/moved.md)\n  * [B](sub/b.md)\n* [C](c.md)\n";
        let after = files().with(&[
            ("a.md", None),
            ("z/moved.md", Some(text)),
            ("SUMMARY.md", Some(summary)),
        ]);
        let (first, second, _) = import_twice(&files(), &after);
        assert_eq!(second.page_id("z/moved.md"), first.page_id("a.md"), "{name}");
        assert_eq!(second.page("z/moved.md").slug, "moved");
    }
    let summary = "* [Home](README.md)\n* [Other](z/moved.md)\n  * [B](sub/b.md)\n* [C](c.md)\n";
    let after = files().with(&[
        ("a.md", None),
        ("z/moved.md", Some("# Other\n\nnothing of it")),
        ("SUMMARY.md", Some(summary)),
    ]);
    let (first, second, _) = import_twice(&files(), &after);
    assert_ne!(second.page_id("z/moved.md"), first.page_id("a.md"));
    assert!(second.content().page(&second.objects, first.page_id("a.md")).unwrap().is_none());
}

#[test]
fn a_new_order_moves_few_pages() {
    let summary = "* [C](c.md)\n* [Home](README.md)\n* [A](a.md)\n* [B](sub/b.md)\n";
    let (first, second, reads) =
        import_twice(&files(), &files().with(&[("SUMMARY.md", Some(summary))]));
    assert_eq!(second.outline(), "c C\nreadme Home\na A\nb B\n");
    assert_eq!(reads, ["SUMMARY.md", "SUMMARY.md"]);
    for path in ["README.md", "a.md"] {
        assert_eq!(first.page(path), second.page(path), "{path}");
    }
    let (old, new) = (first.page("sub/b.md"), second.page("sub/b.md"));
    assert_eq!((old.id, old.updated_at), (new.id, new.updated_at));
}

#[test]
fn pages_are_added_and_removed() {
    let after = files().with(&[
        ("SUMMARY.md", Some("* [Home](README.md)\n* [D](d.md)\n* [C](c.md)\n")),
        ("d.md", Some("# D\n\n[u](unlisted.md)")),
        ("a.md", None),
    ]);
    let (first, second, _) = import_twice(&files(), &after);
    assert_eq!(second.outline(), "readme Home\nd D\nc C\n");
    assert_eq!(second.page("c.md"), first.page("c.md"));
    assert!(second.file("unlisted.md").is_some());
}

#[test]
fn a_listed_file_is_added_and_removed() {
    let without = files().with(&[("a.md", None), ("x.png", None)]);
    let (first, second, _) = import_twice(&without, &files());
    assert_eq!(second.page_id("a.md"), first.page_id("a.md"));
    assert!(first.page("a.md").body.is_none() && second.page("a.md").body.is_some());
    assert!(second.file("x.png").is_some());
    let mut third = Space::new();
    third.import(&files());
    third.import(&files().with(&[("a.md", None)]));
    assert!(third.page("a.md").body.is_none());
    assert_eq!(third.outline(), second.outline());
}

#[test]
fn files_change_move_and_appear() {
    let (first, second, reads) = import_twice(&files(), &files().with(&[("x.png", Some("other"))]));
    let (old, new) = (first.file("x.png").unwrap(), second.file("x.png").unwrap());
    assert_eq!(old.id, new.id);
    assert_eq!((reads, new.hash), (vec!["x.png".to_owned()], Hash::of(b"other")));

    let text = "# A\n\nfirst line\nsecond line\nthird line\n![x](y/z.png)";
    let moved =
        files().with(&[("x.png", None), ("y/z.png", Some("picture")), ("a.md", Some(text))]);
    let (first, second, _) = import_twice(&files(), &moved);
    assert_eq!(first.file("x.png").unwrap().id, second.file("y/z.png").unwrap().id);
    assert_eq!(second.file("x.png"), None);

    let (_, second, _) = import_twice(&files().with(&[("x.png", None)]), &files());
    assert!(second.file("x.png").is_some(), "a page wanted it before it was there");
}

#[test]
fn includes_keep_their_ids() {
    let id = |space: &Space, path: &str| match space.content().at_path(&space.objects, path) {
        Ok(Some(PathEntry::Reusable(id))) => id,
        other => panic!("{other:?}"),
    };
    let path = ".gitbook/includes/i.md";
    let edited = files().with(&[(path, Some("---\ntitle: J\n---\nincluded"))]);
    let (first, second, reads) = import_twice(&files(), &edited);
    assert_eq!((id(&first, path), reads), (id(&second, path), vec![path.to_owned()]));
    let moved = ".gitbook/includes/other.md";
    let after = files().with(&[(path, None), (moved, Some("---\ntitle: I\n---\nx"))]);
    let (first, second, _) = import_twice(&files(), &after);
    assert_eq!(id(&first, path), id(&second, moved));
    let (_, second, _) = import_twice(&files(), &files().with(&[(path, None)]));
    assert!(second.content().reusable.is_empty());
}

#[test]
fn a_page_becomes_a_file_and_a_file_a_page() {
    let linked = files().with(&[("c.md", Some("# C\n\n[u](unlisted.md) [b](sub/b.md)"))]);
    let summary = "* [Home](README.md)\n* [A](a.md)\n* [U](unlisted.md)\n* [C](c.md)\n";
    let (first, second, _) = import_twice(
        &linked,
        &linked.with(&[("SUMMARY.md", Some(summary)), ("c.md", Some("# C\n\n[b](sub/b.md)"))]),
    );
    assert!(first.file("unlisted.md").is_some() && second.file("unlisted.md").is_none());
    assert_eq!(second.page("unlisted.md").title, "U");
    assert!(second.file("sub/b.md").is_some());
}

#[test]
fn without_a_state_everything_is_compared_by_content() {
    let mut space = Space::new();
    space.import(&files());
    let before = space.content().clone();
    let last = space.last.as_mut().unwrap();
    let salt = last.content.salt();
    last.state = GitState::empty("elsewhere/", salt);
    space.import(&files());
    assert_eq!(space.content().pages, before.pages);
    assert_eq!(space.content().children, before.children);
    assert_eq!(space.content().paths, before.paths);
    assert_eq!(space.content().files, before.files);
    space.check(&files());
}

#[test]
fn without_blob_ids_everything_is_read_and_nothing_changes() {
    let bare = |mut files: Files| {
        files.entries.iter_mut().for_each(|entry| entry.blob = None);
        files
    };
    let (first, second, reads) = import_twice(&bare(files()), &bare(files()));
    assert_eq!(first.content(), second.content());
    assert!(reads.len() >= 7);
}

#[test]
fn previous_paths_redirect_to_the_page() {
    let redirect =
        |space: &Space, path: &str| space.content().redirect(&space.objects, path).unwrap();
    let summary = |b: &str| {
        format!("* [Home](README.md)\n* [C](c.md)\n  * [A](z/moved.md)\n    * [B]({b})\n")
    };
    let same = "# A\n\nfirst line\nsecond line\nthird line\n![x](x.png)";
    let config = ("redirects:\n  a/b: c.md\n", "redirects:\n  older: c.md\n");
    let moved = files().with(&[
        ("a.md", None),
        ("z/moved.md", Some(same)),
        ("SUMMARY.md", Some(&summary("sub/b.md"))),
    ]);
    let (first, mut space, _) = import_twice(&files(), &moved);
    let (a, b) = (first.page_id("a.md"), first.page_id("sub/b.md"));
    assert_eq!(redirect(&space, "a"), Some(Redirect::Page(a)));
    assert_eq!(redirect(&space, "a/b"), Some(Redirect::Page(b)), "what stands under it moved too");
    assert_eq!(redirect(&space, "c"), None);
    assert_eq!(redirect(&first, "a"), None);
    // A configured redirect takes precedence, and removing it from the configuration removes it.
    // Redirects from previous paths of pages stay.
    let configured = moved.with(&[(".gitbook.yaml", Some(config.0))]);
    space.import(&configured);
    assert_eq!(redirect(&space, "a/b"), Some(Redirect::Page(space.page_id("c.md"))));
    space.import(&moved.with(&[(".gitbook.yaml", Some(config.1))]));
    assert_eq!(redirect(&space, "older"), Some(Redirect::Page(space.page_id("c.md"))));
    space.import(&moved);
    assert_eq!(redirect(&space, "older"), None);
    assert_eq!(redirect(&space, "a"), Some(Redirect::Page(a)));
    // Redirects to a deleted page are removed.
    let gone = "* [Home](README.md)\n* [C](c.md)\n";
    space.import(&moved.with(&[("SUMMARY.md", Some(gone)), ("z/moved.md", None)]));
    assert_eq!(redirect(&space, "a"), None);
}
