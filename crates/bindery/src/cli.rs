//! The command line.

use std::collections::BTreeSet;
use std::io::Write as _;

use anyhow::{Result, ensure};
use clap::{Args, CommandFactory as _, Parser, Subcommand};
use clap_complete::Shell;

use crate::config::ServerArgs;
use crate::output::{Output, OutputArgs};
use crate::{content, import, offline, openapi, serve, typeset, user};

/// A self-hosted platform to write, review and publish documentation.
#[derive(Debug, Parser)]
#[command(name = "bindery", version)]
pub(crate) struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Runs the server.
    Serve(Box<ServerArgs>),
    /// Imports a folder or a Git repository into a space.
    Import(import::ImportArgs),
    /// Processes folders of Markdown files without a server.
    Content(ContentCommand),
    /// Reads OpenAPI descriptions without a server.
    #[command(name = "openapi")]
    OpenApi(OpenApiCommand),
    /// Manages accounts.
    User(UserCommand),
    /// Manages tokens on the server's machine.
    Token(TokenCommand),
    /// Maintains the store.
    Store(StoreCommand),
    /// Prints a script that completes commands and flags in a shell.
    Completions(CompletionsArgs),
    /// Prints the version.
    Version(VersionArgs),
    /// Makes a PDF from the folder of a job; the server runs it in a process of its own.
    #[command(hide = true)]
    Typeset(typeset::TypesetArgs),
}

#[derive(Debug, Args)]
struct CompletionsArgs {
    /// Shell that the script is for.
    shell: Shell,
}

#[derive(Debug, Args)]
struct VersionArgs {
    #[command(flatten)]
    output: OutputArgs,
}

#[derive(Debug, Args)]
struct ContentCommand {
    #[command(subcommand)]
    command: ContentSubcommand,
}

#[derive(Debug, Subcommand)]
enum ContentSubcommand {
    /// Prints all Markdown files of a folder to check how they are preserved.
    Print(content::PrintArgs),
}

#[derive(Debug, Args)]
struct OpenApiCommand {
    #[command(subcommand)]
    command: OpenApiSubcommand,
}

#[derive(Debug, Subcommand)]
enum OpenApiSubcommand {
    /// Tells what is wrong with a description in one file or several.
    Check(openapi::CheckArgs),
    /// Tells what changed between two states of a description, and which changes break programs.
    Compare(openapi::CompareArgs),
}

#[derive(Debug, Args)]
struct UserCommand {
    #[command(subcommand)]
    command: UserSubcommand,
}

#[derive(Debug, Subcommand)]
enum UserSubcommand {
    /// Creates an account and adds it to an organization.
    Create(user::CreateArgs),
    /// Creates a sign-in link for an account, directly in the store.
    SignInLink(Box<offline::SignInLinkArgs>),
}

#[derive(Debug, Args)]
struct TokenCommand {
    #[command(subcommand)]
    command: TokenSubcommand,
}

#[derive(Debug, Subcommand)]
enum TokenSubcommand {
    /// Creates a token for an account, directly in the store.
    Create(Box<offline::TokenArgs>),
}

#[derive(Debug, Args)]
struct StoreCommand {
    #[command(subcommand)]
    command: StoreSubcommand,
}

#[derive(Debug, Subcommand)]
enum StoreSubcommand {
    /// Removes objects that are no longer used; the server does this once a day.
    Collect(offline::CollectArgs),
}

/// Environment variables with the product's prefix that are not settings of a command: the log
/// level, the variables of client programs, and those of the project's tests and benchmarks.
const OTHER_VARIABLES: [&str; 14] = [
    "BINDERY_ADVISORY_DB",
    "BINDERY_BIN",
    "BINDERY_CORPUS",
    "BINDERY_CORPUS_ONLY",
    "BINDERY_CROWD",
    "BINDERY_KEEP",
    "BINDERY_KILL_ROUNDS",
    "BINDERY_LOG",
    "BINDERY_POSTGRES_BIN",
    "BINDERY_SEEDS",
    "BINDERY_STORE_BENCH",
    "BINDERY_TEST_POSTGRES",
    "BINDERY_TEST_POSTGRES_CA",
    "BINDERY_WRITE",
];

/// Returns the environment variables of a command and its subcommands.
fn variables(command: &clap::Command) -> BTreeSet<String> {
    let own = command.get_arguments().filter_map(|argument| argument.get_env());
    let own = own.filter_map(|name| name.to_str().map(str::to_owned));
    own.chain(command.get_subcommands().flat_map(variables)).collect()
}

/// Rejects environment variables that begin with `BINDERY_` and that no command reads, so that a
/// misspelt setting is noticed.
fn check_environment(names: impl IntoIterator<Item = String>) -> Result<()> {
    let known = variables(&Cli::command());
    let is_known = |name: &String| known.contains(name) || OTHER_VARIABLES.contains(&&**name);
    let unknown: Vec<String> =
        names.into_iter().filter(|name| name.starts_with("BINDERY_") && !is_known(name)).collect();
    ensure!(
        unknown.is_empty(),
        "unknown environment variables: {}; `bindery serve --help` lists the known ones",
        unknown.join(", ")
    );
    Ok(())
}

impl Cli {
    pub(crate) fn run(self) -> Result<()> {
        match self.command {
            Command::Serve(args) => {
                let names = std::env::vars_os().filter_map(|(name, _)| name.into_string().ok());
                check_environment(names)?;
                serve::run(*args)
            }
            Command::Completions(CompletionsArgs { shell }) => {
                let mut script = Vec::new();
                clap_complete::generate(shell, &mut Cli::command(), "bindery", &mut script);
                // If the reader has closed the pipe, the output is discarded.
                let _closed = std::io::stdout().write_all(&script);
                Ok(())
            }
            Command::Version(VersionArgs { output }) => {
                let version = env!("CARGO_PKG_VERSION");
                let mut output = Output::new(output);
                output.line(format!("bindery {version}")).member("version", version);
                output.print();
                Ok(())
            }
            Command::Import(args) => import::run(args),
            Command::Typeset(args) => typeset::run(args),
            Command::Content(ContentCommand { command: ContentSubcommand::Print(args) }) => {
                content::run(&args)
            }
            Command::OpenApi(OpenApiCommand { command }) => match command {
                OpenApiSubcommand::Check(args) => openapi::check(&args),
                OpenApiSubcommand::Compare(args) => openapi::compare(&args),
            },
            Command::User(UserCommand { command: UserSubcommand::Create(args) }) => user::run(args),
            Command::User(UserCommand { command: UserSubcommand::SignInLink(args) }) => {
                offline::create_sign_in_link(*args)
            }
            Command::Token(TokenCommand { command: TokenSubcommand::Create(args) }) => {
                offline::create_token(*args)
            }
            Command::Store(StoreCommand { command: StoreSubcommand::Collect(args) }) => {
                offline::collect(args)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn misspelt_variables_are_rejected() {
        let check = |name: &str| check_environment([name.to_owned()]);
        for known in ["BINDERY_DATABASE_URL", "BINDERY_SETUP_TOKEN", "BINDERY_LOG", "PATH"] {
            assert!(check(known).is_ok(), "{known}");
        }
        let error = check("BINDERY_DATABASE").unwrap_err().to_string();
        assert!(error.contains("BINDERY_DATABASE;"), "{error}");
    }
}
