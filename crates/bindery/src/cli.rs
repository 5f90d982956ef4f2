//! The command line.

use anyhow::Result;
use clap::{Args, Parser, Subcommand};

use crate::config::ServerArgs;
use crate::{content, import, offline, serve, user};

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
    /// Manages accounts.
    User(UserCommand),
    /// Manages tokens on the server's machine.
    Token(TokenCommand),
    /// Maintains the store.
    Store(StoreCommand),
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

impl Cli {
    pub(crate) fn run(self) -> Result<()> {
        match self.command {
            Command::Serve(args) => serve::run(*args),
            Command::Import(args) => import::run(args),
            Command::Content(ContentCommand { command: ContentSubcommand::Print(args) }) => {
                content::run(&args)
            }
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
