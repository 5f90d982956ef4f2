//! Imports the folders of a list of languages, each into a space of its own, as variants of one site.

use std::io::{IsTerminal as _, Write as _};

use anyhow::{Context as _, Result};
use bindery_app::content::imports::folder_tag;
use bindery_content::summary;
use serde_json::{Value, json};

use super::{ImportArgs, Source, follow, organization, pack, text, title};
use crate::client::Client;
use crate::output::Output;

/// The name of the list in the folder of the documentation.
const LIST: &str = "LANGS.md";
/// Maximum size of the list in bytes.
const MAX_LIST_BYTES: u64 = 1 << 20;

/// A folder with the content in one language.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Language {
    title: String,
    emoji: Option<String>,
    /// The path from the source.
    directory: String,
    tag: Option<String>,
}

impl Source {
    /// Returns the languages that the list in a folder names; `None` if the list is not known
    /// before the import.
    pub(super) fn listed_languages(&self, args: &ImportArgs) -> Result<Option<Vec<Language>>> {
        let Self::Folder(folder) = self else { return Ok(None) };
        let within = args.directory.as_deref().unwrap_or_default().trim_end_matches('/');
        let path = folder.join(within).join(LIST);
        let found = path.symlink_metadata();
        if !found.is_ok_and(|found| found.is_file() && found.len() <= MAX_LIST_BYTES) {
            return Ok(Some(Vec::new()));
        }
        let bytes =
            std::fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
        let listed = summary::languages(&String::from_utf8_lossy(&bytes));
        let languages = listed.into_iter().map(|listed| {
            let summary::LanguageFolder { title, emoji, folder } = listed;
            let tag = folder_tag(&folder).map(|tag| tag.to_string());
            let directory = if within.is_empty() { folder } else { format!("{within}/{folder}") };
            Language { title, emoji, directory, tag }
        });
        let exists =
            |language: &Language| pack::check_directory(folder, &language.directory).is_ok();
        Ok(Some(languages.filter(exists).collect()))
    }
}

/// Returns the languages that the list in an imported repository names.
pub(super) fn of_job(job: &Value) -> Vec<Language> {
    let listed = job.pointer("/languages").and_then(Value::as_array);
    let optional = |value: &Value, name: &str| value[name].as_str().map(str::to_owned);
    let language = |listed: &Value| Language {
        title: text(listed, "/title"),
        emoji: optional(listed, "emoji"),
        directory: text(listed, "/directory"),
        tag: optional(listed, "languageTag"),
    };
    listed.into_iter().flatten().map(language).collect()
}

/// Returns `true` if each of the languages gets a space: with `--languages`, or if the person at the
/// terminal says so about a site that is published.
pub(super) fn are_wanted(args: &ImportArgs, listed: &[Language]) -> Result<bool> {
    if listed.is_empty() || args.languages {
        return Ok(!listed.is_empty());
    }
    if !args.publish || args.space.is_some() {
        return Ok(false);
    }
    let count = listed.len();
    let mut stderr = std::io::stderr();
    if !std::io::stdin().is_terminal() {
        writeln!(
            stderr,
            "{LIST} lists {count} folders of languages: give --languages to make a space of each, \
             as the variants of one site"
        )?;
        return Ok(false);
    }
    write!(
        stderr,
        "{LIST} lists {count} folders of languages. Make a space of each, as the variants of one \
         site? [Y/n] "
    )?;
    stderr.flush()?;
    let mut answer = String::new();
    std::io::stdin().read_line(&mut answer)?;
    Ok(is_yes(&answer))
}

/// Returns `true` unless an answer says no. The end of the input is no answer.
fn is_yes(answer: &str) -> bool {
    let is_ended = !answer.ends_with('\n');
    let answer = answer.trim().to_ascii_lowercase();
    matches!(&*answer, "y" | "yes") || (answer.is_empty() && !is_ended)
}

/// Imports each language into a new space and makes them the variants of a new site. The first one
/// is at the root of the site. Leaves nothing behind if one fails.
pub(super) fn run(
    client: &Client,
    args: &ImportArgs,
    source: &Source,
    languages: &[Language],
) -> Result<()> {
    let organization = organization(client, args)?;
    let mut spaces = Vec::new();
    let site = import_all(client, args, source, languages, &organization, &mut spaces)
        .and_then(|()| create_site(client, args, languages, &organization, &spaces));
    let site = match site {
        Ok(site) => site,
        Err(error) => {
            for space in &spaces {
                client.delete(&format!("/spaces/{space}"))?;
            }
            return Err(error);
        }
    };
    let mut output = Output::new(args.output);
    let mut members = Vec::new();
    for (language, id) in languages.iter().zip(&spaces) {
        let space = client.get(&format!("/spaces/{id}"))?;
        let tag = text(&space, "/languageTag");
        output.line(format!("space: {id} {} {tag}", language.directory));
        members.push(json!({ "space": id, "directory": language.directory, "language": tag }));
    }
    output.member("spaces", members);
    output.member("siteId", text(&site, "/id"));
    match site.pointer("/urls/published").and_then(Value::as_str) {
        Some(published) => output.line(format!("site: {published}")).member("site", published),
        None => output.line(format!("site: {} (not published)", text(&site, "/id"))),
    };
    output.print();
    Ok(())
}

/// Imports each language into a new space, whose id is added to `spaces`.
fn import_all(
    client: &Client,
    args: &ImportArgs,
    source: &Source,
    languages: &[Language],
    organization: &str,
    spaces: &mut Vec<String>,
) -> Result<()> {
    for language in languages {
        let Language { title, emoji, directory, tag } = language;
        let title: String = title.chars().take(50).collect();
        let mut body = json!({ "title": title });
        if let Some(tag) = tag {
            body["languageTag"] = json!(tag);
        }
        if let Some(emoji) = emoji {
            body["emoji"] = json!(emoji);
        }
        let space = client
            .post(&format!("/orgs/{organization}/spaces"), &body)
            .context("cannot create the space")?;
        let id = text(&space, "/id");
        spaces.push(id.clone());
        let job = source.start(client, &id, args, Some(directory))?;
        follow(client, &job).with_context(|| format!("cannot import the folder {directory}"))?;
    }
    Ok(())
}

/// Creates the site of the spaces, with the names of the folders as paths, and publishes it with
/// `--publish`.
fn create_site(
    client: &Client,
    args: &ImportArgs,
    languages: &[Language],
    organization: &str,
    spaces: &[String],
) -> Result<Value> {
    let title = title(args);
    let title = if title.chars().count() < 2 { "Docs".to_owned() } else { title };
    let body = json!({ "title": title, "spaces": spaces });
    let site = client.post(&format!("/orgs/{organization}/sites"), &body)?;
    let path = format!("/orgs/{organization}/sites/{}", text(&site, "/id"));
    let placed = client.get(&format!("{path}/site-spaces?limit=1000"))?;
    let placed = placed.pointer("/items").and_then(Value::as_array).cloned().unwrap_or_default();
    for (language, space) in languages.iter().zip(spaces) {
        let site_space = placed.iter().find(|one| text(one, "/space/id") == *space);
        let id = site_space.map(|one| text(one, "/id"));
        let id = id.with_context(|| format!("the site lacks the space {space}"))?;
        let name = language.directory.rsplit('/').next().unwrap_or_default().to_ascii_lowercase();
        client.patch(&format!("{path}/site-spaces/{id}"), &json!({ "path": name }))?;
    }
    if args.publish {
        client.post(&format!("{path}/publish"), &json!({}))?;
    }
    client.get(&path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_yes_by_default() {
        for (answer, expect) in [
            ("\n", true),
            ("y\n", true),
            ("Yes\n", true),
            ("n\n", false),
            ("no\n", false),
            ("what\n", false),
            ("", false),
        ] {
            assert_eq!(is_yes(answer), expect, "{answer:?}");
        }
    }

    #[test]
    fn jobs_list_languages() {
        let job = json!({ "languages": [
            { "title": "Deutsch", "emoji": "1f1e9-1f1ea", "directory": "docs/de", "languageTag": "de" },
            { "title": "Other", "directory": "other" },
        ] });
        let found = of_job(&job);
        assert_eq!(found[0].tag.as_deref(), Some("de"));
        assert_eq!((found[1].directory.as_str(), &found[1].tag), ("other", &None));
        assert!(of_job(&json!({})).is_empty());
    }
}
