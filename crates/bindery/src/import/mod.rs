//! `bindery import`: imports a folder or a Git repository into a space and shows the progress.

mod languages;
mod pack;

use std::io::IsTerminal as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context as _, Result, bail, ensure};
use clap::Args;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Value, json};

use crate::client::{Client, Flags, ServerAddress};
use crate::output::{Output, OutputArgs};

/// The interval between requests for the state of the job.
const POLL: Duration = Duration::from_millis(200);

/// Characters that are encoded in query parameters.
const ENCODED: &AsciiSet =
    &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~').remove(b'/');

/// Arguments of `bindery import`.
#[derive(Debug, Args)]
pub(crate) struct ImportArgs {
    /// Folder, or http(s) address of a Git repository.
    #[arg(value_name = "FOLDER_OR_URL")]
    source: String,
    #[command(flatten)]
    address: ServerAddress,
    /// Space to import into.
    #[arg(long, value_name = "ID", conflicts_with_all = ["organization", "title"])]
    space: Option<String>,
    /// Organization for a new space [default: the only organization of the token's owner]
    #[arg(long, value_name = "ID")]
    organization: Option<String>,
    /// Title of the new space [default: the name of the folder or repository]
    #[arg(long, value_name = "TITLE")]
    title: Option<String>,
    /// Branch, tag or ref of the repository.
    #[arg(long = "ref", value_name = "REF", default_value = "HEAD")]
    reference: String,
    /// Folder of the documentation, within the source folder or repository.
    #[arg(long, value_name = "DIR")]
    directory: Option<String>,
    /// Language of the content as a BCP 47 tag [default: that of the space, else detected]
    #[arg(long, value_name = "TAG")]
    language: Option<String>,
    /// Makes a space of each folder in LANGS.md, as the variants of one site.
    #[arg(long, conflicts_with_all = ["space", "language"])]
    languages: bool,
    /// Also creates and publishes a site with the space. Asks about the folders in LANGS.md.
    #[arg(long)]
    publish: bool,
    #[command(flatten)]
    output: OutputArgs,
}

/// The flags and arguments for the values of the requests, for error messages.
const FLAGS: Flags = &[
    ("body at /title", "--title"),
    ("body at /url", "FOLDER_OR_URL"),
    ("body at /ref", "--ref"),
    ("body at /repoProjectDirectory", "--directory"),
    ("query parameter \"directory\"", "--directory"),
    ("body at /language", "--language"),
    ("query parameter \"language\"", "--language"),
    ("path parameter \"spaceId\"", "--space"),
    ("path parameter \"organizationId\"", "--organization"),
];

pub(crate) fn run(args: ImportArgs) -> Result<()> {
    let client = Client::new(&args.address, FLAGS);
    let source = Source::of(&args)?;
    if let Some(listed) = source.listed_languages(&args)? {
        if languages::are_wanted(&args, &listed)? {
            return languages::run(&client, &args, &source, &listed);
        }
        ensure!(!args.languages, "--languages: {} has no LANGS.md with folders", args.source);
    }
    let (space, job) = import_space(&client, &args, &source)?;
    let listed = languages::of_job(&job);
    if source.is_remote() && languages::are_wanted(&args, &listed)? {
        // The list in a repository is known only once the server has read it.
        client.delete(&format!("/spaces/{}", text(&space, "/id")))?;
        return languages::run(&client, &args, &source, &listed);
    }
    if args.languages {
        client.delete(&format!("/spaces/{}", text(&space, "/id")))?;
        bail!("--languages: {} has no LANGS.md with folders", args.source);
    }
    if args.publish {
        publish(&client, &space)?;
    }
    let id = text(&space, "/id");
    let space = client.get(&format!("/spaces/{id}"))?;
    let mut output = Output::new(args.output);
    output.line(format!("space: {id}")).member("space", id.as_str());
    add_counts(&client, &id, &mut output)?;
    if let Some(tag) = space.pointer("/languageTag").and_then(Value::as_str) {
        output.line(format!("language: {tag}")).member("language", tag);
    }
    let url = text(&space, "/urls/location");
    output.line(format!("api: {url}")).member("api", url);
    if let Some(published) = space.pointer("/urls/published").and_then(Value::as_str) {
        output.line(format!("site: {published}")).member("site", published);
    }
    output.print();
    Ok(())
}

/// The files of an import.
enum Source {
    /// A folder on this machine.
    Folder(PathBuf),
    /// The address of a Git repository, which the server fetches.
    Repository(String),
}

impl Source {
    fn of(args: &ImportArgs) -> Result<Self> {
        if args.source.starts_with("http://") || args.source.starts_with("https://") {
            return Ok(Self::Repository(args.source.clone()));
        }
        let folder = PathBuf::from(&args.source);
        ensure!(folder.is_dir(), "{} is neither a folder nor an http(s) address", args.source);
        if let Some(directory) = &args.directory {
            pack::check_directory(&folder, directory)?;
        }
        Ok(Self::Folder(folder))
    }

    const fn is_remote(&self) -> bool {
        matches!(self, Self::Repository(_))
    }

    /// Starts the import of a directory into a space and returns the id of its job.
    fn start(
        &self,
        client: &Client,
        space: &str,
        args: &ImportArgs,
        directory: Option<&str>,
    ) -> Result<String> {
        match self {
            Self::Folder(folder) => upload(client, space, folder, args, directory),
            Self::Repository(url) => start_git(client, space, url, args, directory),
        }
    }
}

/// Imports into the given space or a new one. Returns the space and the job.
fn import_space(client: &Client, args: &ImportArgs, source: &Source) -> Result<(Value, Value)> {
    let is_new = args.space.is_none();
    let space = match &args.space {
        Some(space) => client.get(&format!("/spaces/{space}")).context("--space")?,
        None => create_space(client, args)?,
    };
    let id = text(&space, "/id");
    let imported = source.start(client, &id, args, args.directory.as_deref());
    match imported.and_then(|job| follow(client, &job)) {
        Ok(job) => Ok((space, job)),
        Err(error) => {
            if is_new {
                // The failed import leaves nothing behind.
                client.delete(&format!("/spaces/{id}"))?;
            }
            Err(error)
        }
    }
}

/// Returns the organization for new spaces.
fn organization(client: &Client, args: &ImportArgs) -> Result<String> {
    match &args.organization {
        Some(organization) => Ok(organization.clone()),
        None => client.only_organization(),
    }
}

/// Returns the title of a new space or site, cut to the length that titles may have.
fn title(args: &ImportArgs) -> String {
    let title = args.title.clone().unwrap_or_else(|| name_of(&args.source));
    title.chars().take(50).collect()
}

/// Creates the space that the import fills.
fn create_space(client: &Client, args: &ImportArgs) -> Result<Value> {
    let organization = organization(client, args)?;
    let body = json!({ "title": title(args) });
    client.post(&format!("/orgs/{organization}/spaces"), &body).context("cannot create the space")
}

/// Adds the numbers of pages, files and broken links of a space to the output.
fn add_counts(client: &Client, space: &str, output: &mut Output) -> Result<()> {
    for (name, member, path) in [
        ("pages", "pages", "content/pages"),
        ("files", "files", "content/files?limit=1"),
        ("broken links", "brokenLinks", "links?status=broken&limit=1"),
    ] {
        let answer = client.get(&format!("/spaces/{space}/{path}"))?;
        let count = answer.pointer("/count").and_then(Value::as_u64);
        let count = count.unwrap_or_else(|| count_pages(answer.pointer("/pages")));
        output.line(format!("{name}: {count}")).member(member, count);
    }
    Ok(())
}

/// Returns the number of documents in a tree of pages.
fn count_pages(pages: Option<&Value>) -> u64 {
    let Some(Value::Array(pages)) = pages else { return 0 };
    let count =
        |page: &Value| u64::from(page["type"] == "document") + count_pages(page.pointer("/pages"));
    pages.iter().map(count).sum()
}

fn text(value: &Value, pointer: &str) -> String {
    value.pointer(pointer).and_then(Value::as_str).unwrap_or_default().to_owned()
}

/// Returns the last part of a path or an address, without `.git`.
fn name_of(source: &str) -> String {
    let last = source.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
    let name = last.trim_end_matches(".git");
    if matches!(name, "" | "." | "..") { "Documentation".to_owned() } else { name.to_owned() }
}

fn start_git(
    client: &Client,
    space: &str,
    url: &str,
    args: &ImportArgs,
    directory: Option<&str>,
) -> Result<String> {
    let mut body = json!({ "url": url, "ref": args.reference });
    if let Some(directory) = directory {
        body["repoProjectDirectory"] = json!(directory);
    }
    if let Some(language) = &args.language {
        body["language"] = json!(language);
    }
    let (_, location) = client.post_for_location(&format!("/spaces/{space}/git/import"), &body)?;
    let location = location.context("the response has no Location header with the job")?;
    Ok(location.rsplit('/').next().unwrap_or_default().to_owned())
}

fn upload(
    client: &Client,
    space: &str,
    folder: &Path,
    args: &ImportArgs,
    directory: Option<&str>,
) -> Result<String> {
    let (file, length) = pack::pack(folder, directory)?;
    let bar = bar(length, "sending  {bar:40} {bytes}/{total_bytes}");
    let mut path = format!("/bindery/spaces/{space}/content/archive");
    let parameters = [("directory", directory), ("language", args.language.as_deref())];
    let parameters = parameters.iter().filter_map(|(name, value)| Some((name, (*value)?)));
    for (position, (name, value)) in parameters.enumerate() {
        path.push(if position == 0 { '?' } else { '&' });
        path.push_str(name);
        path.push('=');
        path.extend(utf8_percent_encode(value, ENCODED));
    }
    let job = client.upload(&path, "application/gzip", length, bar.wrap_read(file))?;
    bar.finish_and_clear();
    Ok(text(&job, "/id"))
}

fn bar(length: u64, template: &str) -> ProgressBar {
    let bar = ProgressBar::new(length);
    if !std::io::stderr().is_terminal() {
        bar.set_draw_target(ProgressDrawTarget::hidden());
    }
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
    bar
}

/// Waits for a job, shows its progress, and returns the job that is done.
fn follow(client: &Client, job: &str) -> Result<Value> {
    let bar = bar(0, "{msg:30} {spinner}");
    let counted = ProgressStyle::with_template("{msg:30} {bar:40} {pos}/{len}").ok();
    loop {
        let job = client.get(&format!("/bindery/jobs/{job}"))?;
        let number = |pointer: &str| job.pointer(pointer).and_then(Value::as_u64);
        if let (Some(total), Some(style)) = (number("/progress/total"), &counted) {
            bar.set_style(style.clone());
            bar.set_length(total);
            bar.set_position(number("/progress/done").unwrap_or(0));
        }
        bar.tick();
        bar.set_message(text(&job, "/progress/message"));
        match text(&job, "/status").as_str() {
            "done" => {
                bar.finish_and_clear();
                return Ok(job);
            }
            "failed" => {
                bar.finish_and_clear();
                bail!("the import failed: {}", text(&job, "/error/message"));
            }
            "cancelled" => {
                bar.finish_and_clear();
                bail!("the import was cancelled");
            }
            _ => std::thread::sleep(POLL),
        }
    }
}

fn publish(client: &Client, space: &Value) -> Result<()> {
    let organization = text(space, "/organization");
    let id = text(space, "/id");
    let sites = client.get(&format!("/orgs/{organization}/sites?space={id}&limit=1"))?;
    let site = match sites.pointer("/items/0/id").and_then(Value::as_str) {
        Some(site) => site.to_owned(),
        None => {
            let title = text(space, "/title");
            let title = if title.chars().count() < 2 { "Docs".to_owned() } else { title };
            let body = json!({ "title": title, "spaces": [id] });
            text(&client.post(&format!("/orgs/{organization}/sites"), &body)?, "/id")
        }
    };
    client.post(&format!("/orgs/{organization}/sites/{site}/publish"), &json!({}))?;
    Ok(())
}
