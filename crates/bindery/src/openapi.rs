//! `bindery openapi`: reads OpenAPI descriptions with all their files, tells what is wrong with one,
//! and compares two.

use std::cmp::Reverse;
use std::fs;
use std::io::Read as _;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context as _, Result, anyhow, bail};
use bindery_model::Clock as _;
use bindery_openapi::{
    Change, Day, Description, Level, Loader, MAX_BYTES, Outline, Overlay, Problem, Version,
    compare_on,
};
use bindery_outbound::{CancellationToken, Client, Guard, Limits, Request, Url};
use clap::{Args, ValueEnum};
use serde_json::{Value, json};

use crate::clock::SystemClock;
use crate::output::{Output, OutputArgs};

/// Maximum time of a request for a file.
const MAX_TIME: Duration = Duration::from_secs(90);

/// Arguments of `bindery openapi check`.
#[derive(Debug, Args)]
pub(crate) struct CheckArgs {
    /// File or address of the description.
    #[arg(value_name = "SOURCE")]
    source: String,
    /// File or address of an overlay, which changes the description; can be repeated.
    #[arg(long = "overlay", value_name = "FILE")]
    overlays: Vec<String>,
    #[command(flatten)]
    output: OutputArgs,
}

pub(crate) fn check(args: &CheckArgs) -> Result<()> {
    let client = Client::new(Guard::any(), Limits::default())?;
    let mut output = Output::new(args.output);
    let loaded = match read_overlays(&client, &args.overlays)? {
        Ok(overlays) => load(&client, &args.source, overlays)?,
        Err(problems) => Err(problems),
    };
    let problems = match loaded {
        Ok(description) => {
            describe(&description, &mut output);
            description.problems
        }
        Err(problems) => problems,
    };
    for problem in &problems {
        output.line(problem.to_string());
    }
    output.member("problems", problems.iter().map(json_of).collect::<Vec<_>>());
    output.print();
    match problems.len() {
        0 => Ok(()),
        1 => bail!("found 1 problem"),
        count => bail!("found {count} problems"),
    }
}

/// Arguments of `bindery openapi compare`.
#[derive(Debug, Args)]
pub(crate) struct CompareArgs {
    /// File or address of the earlier state.
    #[arg(value_name = "BEFORE")]
    before: String,
    /// File or address of the later state.
    #[arg(value_name = "AFTER")]
    after: String,
    /// The least serious change at which the exit status is 1.
    #[arg(long, value_name = "LEVEL", value_enum, default_value_t = FailOn::Breaking)]
    fail_on: FailOn,
    #[command(flatten)]
    output: OutputArgs,
}

/// The least serious change with which a comparison fails.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum FailOn {
    /// Programs that follow the earlier state can fail.
    Breaking,
    /// Some programs can fail.
    Warning,
    /// No change.
    Never,
}

pub(crate) fn compare(args: &CompareArgs) -> Result<()> {
    let client = Client::new(Guard::any(), Limits::default())?;
    let before = load_valid(&client, &args.before)?;
    let after = load_valid(&client, &args.after)?;
    let today = Day::parse(&SystemClock.now().to_string());
    let mut changes = compare_on(&before, &after, today);
    changes.sort_by_key(|change| Reverse(change.level));
    let mut output = Output::new(args.output);
    for change in &changes {
        output.line(line_of(change));
    }
    let mut counts = Vec::new();
    for (level, name) in LEVELS {
        let count = changes.iter().filter(|change| change.level == level).count();
        output.member(name, count);
        counts.push(format!("{name}: {count}"));
    }
    output.line(counts.join(", "));
    output.member("changes", serde_json::to_value(&changes)?);
    output.print();
    let least = match args.fail_on {
        FailOn::Breaking => Level::Breaking,
        FailOn::Warning => Level::Warning,
        FailOn::Never => return Ok(()),
    };
    match changes.iter().filter(|change| change.level >= least).count() {
        0 => Ok(()),
        1 => bail!("found 1 change that can break programs"),
        count => bail!("found {count} changes that can break programs"),
    }
}

/// The levels of changes with their names, the most serious one first.
const LEVELS: [(Level, &str); 3] =
    [(Level::Breaking, "breaking"), (Level::Warning, "warning"), (Level::Info, "info")];

fn line_of(change: &Change) -> String {
    let level = LEVELS.into_iter().find(|(level, _)| *level == change.level);
    let level = level.map_or("", |(_, name)| name);
    let Change { rule, method, path, text, .. } = change;
    match (method.as_str(), path.as_str()) {
        ("", "") => format!("{level}: {text} [{rule}]"),
        (method, path) => {
            let method = method.to_uppercase();
            format!("{level}: {}: {text} [{rule}]", format!("{method} {path}").trim())
        }
    }
}

/// Loads a description, of which parts may be unusable.
fn load_valid(client: &Client, source: &str) -> Result<Description> {
    load(client, source, Vec::new())?.map_err(|problems| {
        let problems: Vec<String> = problems.iter().map(ToString::to_string).collect();
        anyhow!("cannot read {source}: {}", problems.join("; "))
    })
}

/// Reads overlays in their order. Returns the problems of all of them if one is invalid.
fn read_overlays(
    client: &Client,
    sources: &[String],
) -> Result<Result<Vec<Overlay>, Vec<Problem>>> {
    let (mut overlays, mut problems) = (Vec::new(), Vec::new());
    for source in sources {
        let (_, text) = read_source(client, source)?;
        match Overlay::read(source, &text) {
            Ok(overlay) => overlays.push(overlay),
            Err(found) => problems.extend(found),
        }
    }
    Ok(if problems.is_empty() { Ok(overlays) } else { Err(problems) })
}

/// Loads a description with all its files.
fn load(
    client: &Client,
    source: &str,
    overlays: Vec<Overlay>,
) -> Result<Result<Description, Vec<Problem>>> {
    let (url, text) = read_source(client, source)?;
    let mut loader = Loader::new(Some(url)).overlaid(overlays);
    loader.add(text);
    while let Some(wanted) = loader.wanted(1).pop() {
        match read(client, &wanted.url) {
            Ok(text) => loader.found(&wanted, &wanted.url, text),
            Err(error) => loader.lost(&wanted, &format!("{error:#}")),
        }
    }
    Ok(loader.finish())
}

/// Returns the address and the text of a source.
fn read_source(client: &Client, source: &str) -> Result<(Url, String)> {
    let url = address_of(source)?;
    let text = read(client, &url).with_context(|| format!("cannot read {source}"))?;
    Ok((url, text))
}

/// Returns the address of a source, which is a file unless it begins with `http`.
fn address_of(source: &str) -> Result<Url> {
    if source.starts_with("http://") || source.starts_with("https://") {
        return Url::parse(source).with_context(|| format!("{source} is no address"));
    }
    let path =
        fs::canonicalize(Path::new(source)).with_context(|| format!("cannot read {source}"))?;
    Url::from_file_path(&path).ok().with_context(|| format!("{source} has no absolute path"))
}

/// Reads the text of a file of this machine, or of another host.
fn read(client: &Client, url: &Url) -> Result<String> {
    let mut bytes = Vec::new();
    let limit = u64::try_from(MAX_BYTES)?;
    match url.to_file_path().ok().filter(|_| url.scheme() == "file") {
        Some(path) => {
            let file = fs::File::open(path)?;
            file.take(limit + 1).read_to_end(&mut bytes)?;
        }
        None => {
            let request = Request::get(url.clone()).total(MAX_TIME).body_limit(limit);
            let mut response = client.send_blocking(request, &CancellationToken::new())?;
            if !response.status.is_success() {
                bail!("the server answered with {}", response.status.as_u16());
            }
            response.body.read_to_end(&mut bytes)?;
        }
    }
    String::from_utf8(bytes).context("found bytes that are not UTF-8")
}

/// Adds what was read to the output.
fn describe(description: &Description, output: &mut Output) {
    let version = match description.version {
        Version::V20 => "Swagger 2.0",
        Version::V30 => "OpenAPI 3.0",
        Version::V31 => "OpenAPI 3.1",
        Version::V32 => "OpenAPI 3.2",
    };
    let Outline { tags, webhooks, models, .. } = description.outline();
    let operations: usize = tags.iter().map(|tag| tag.operations.len()).sum();
    let files = description.texts.len();
    let title = &description.title;
    output.line(format!(
        "{title}: {version}, operations: {operations}, webhooks: {}, models: {}, files: {files}",
        webhooks.len(),
        models.len(),
    ));
    let counts = [
        ("operations", operations),
        ("webhooks", webhooks.len()),
        ("models", models.len()),
        ("files", files),
    ];
    output.member("title", title.as_str()).member("version", version);
    for (name, count) in counts {
        output.member(name, count);
    }
}

fn json_of(problem: &Problem) -> Value {
    json!({
        "file": problem.file,
        "line": problem.position.map(|position| position.line),
        "column": problem.position.map(|position| position.column),
        "pointer": problem.pointer.to_string(),
        "message": problem.message,
    })
}
