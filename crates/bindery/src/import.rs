//! `bindery import`: imports a folder or a Git repository into a space and shows the progress.

use std::fs::File;
use std::io::{BufWriter, IsTerminal as _, Seek as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context as _, Result, bail, ensure};
use clap::Args;
use flate2::Compression;
use flate2::write::GzEncoder;
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
    /// Also creates and publishes a site with the space.
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
    ("path parameter \"spaceId\"", "--space"),
    ("path parameter \"organizationId\"", "--organization"),
];

pub(crate) fn run(args: ImportArgs) -> Result<()> {
    let client = Client::new(&args.address, FLAGS);
    let remote = args.source.starts_with("http://") || args.source.starts_with("https://");
    let folder = PathBuf::from(&args.source);
    ensure!(
        remote || folder.is_dir(),
        "{} is neither a folder nor an http(s) address",
        args.source
    );
    let is_new = args.space.is_none();
    let space = match &args.space {
        Some(space) => client.get(&format!("/spaces/{space}")).context("--space")?,
        None => create_space(&client, &args)?,
    };
    let id = text(&space, "/id");
    let imported = if remote {
        start_git(&client, &id, &args)
    } else {
        upload(&client, &id, &folder, args.directory.as_deref())
    };
    if let Err(error) = imported.and_then(|job| follow(&client, &job)) {
        if is_new {
            // The failed import leaves nothing behind.
            client.delete(&format!("/spaces/{id}"))?;
        }
        return Err(error);
    }
    if args.publish {
        publish(&client, &space)?;
    }
    let space = client.get(&format!("/spaces/{id}"))?;
    let mut output = Output::new(args.output);
    output.line(format!("space: {id}")).member("space", id.as_str());
    add_counts(&client, &id, &mut output)?;
    let url = text(&space, "/urls/location");
    output.line(format!("api: {url}")).member("api", url);
    if let Some(published) = space.pointer("/urls/published").and_then(Value::as_str) {
        output.line(format!("site: {published}")).member("site", published);
    }
    output.print();
    Ok(())
}

/// Creates the space that the import fills.
fn create_space(client: &Client, args: &ImportArgs) -> Result<Value> {
    let organization = match &args.organization {
        Some(organization) => organization.clone(),
        None => client.only_organization()?,
    };
    let title = args.title.clone().unwrap_or_else(|| name_of(&args.source));
    let body = json!({ "title": title.chars().take(50).collect::<String>() });
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

fn start_git(client: &Client, space: &str, args: &ImportArgs) -> Result<String> {
    let mut body = json!({ "url": args.source, "ref": args.reference });
    if let Some(directory) = &args.directory {
        body["repoProjectDirectory"] = json!(directory);
    }
    let (_, location) = client.post_for_location(&format!("/spaces/{space}/git/import"), &body)?;
    let location = location.context("the response has no Location header with the job")?;
    Ok(location.rsplit('/').next().unwrap_or_default().to_owned())
}

fn upload(client: &Client, space: &str, folder: &Path, directory: Option<&str>) -> Result<String> {
    let (file, length) = pack(folder)?;
    let bar = bar(length, "sending  {bar:40} {bytes}/{total_bytes}");
    let mut path = format!("/bindery/spaces/{space}/content/archive");
    if let Some(directory) = directory {
        path.push_str("?directory=");
        path.extend(utf8_percent_encode(directory, ENCODED));
    }
    let job = client.upload(&path, "application/gzip", length, bar.wrap_read(file))?;
    bar.finish_and_clear();
    Ok(text(&job, "/id"))
}

/// Packs a folder into a gzipped archive in a temporary file, which is deleted when it is closed.
fn pack(folder: &Path) -> Result<(File, u64)> {
    let file = tempfile::tempfile().context("cannot create a temporary file")?;
    let mut archive = tar::Builder::new(GzEncoder::new(BufWriter::new(file), Compression::fast()));
    archive.follow_symlinks(false);
    add(&mut archive, folder, Path::new(""))?;
    let mut file = archive
        .into_inner()
        .and_then(GzEncoder::finish)
        .context("cannot write the archive")?
        .into_inner()
        .map_err(|error| error.into_error())
        .context("cannot write the archive")?;
    let length = file.stream_position()?;
    file.rewind()?;
    Ok((file, length))
}

fn add(
    archive: &mut tar::Builder<GzEncoder<BufWriter<File>>>,
    folder: &Path,
    within: &Path,
) -> Result<()> {
    let here = folder.join(within);
    let mut entries = std::fs::read_dir(&here)
        .and_then(Iterator::collect::<std::io::Result<Vec<_>>>)
        .with_context(|| format!("cannot read {}", here.display()))?;
    entries.sort_by_key(std::fs::DirEntry::file_name);
    for entry in entries {
        let name = entry.file_name();
        if within.as_os_str().is_empty() && name == ".git" {
            continue;
        }
        let (path, kind) = (within.join(&name), entry.file_type()?);
        if kind.is_dir() {
            add(archive, folder, &path)?;
        } else if kind.is_file() || kind.is_symlink() {
            archive
                .append_path_with_name(entry.path(), &path)
                .with_context(|| format!("cannot read {}", entry.path().display()))?;
        }
    }
    Ok(())
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

/// Waits for a job and shows its progress.
fn follow(client: &Client, job: &str) -> Result<()> {
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
                return Ok(());
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
