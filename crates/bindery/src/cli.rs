//! The command line.

use anyhow::Result;
use clap::{Args, Parser, Subcommand};

use crate::config::ServerArgs;
use crate::{content, import, offline, serve, user};

/// Documentation that a team writes, reviews, publishes and hosts itself.
#[derive(Debug, Parser)]
#[command(name = "bindery", version, about)]
pub(crate) struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Runs the server.
    Serve(Box<ServerArgs>),
    /// Brings a folder or a Git repository into a space.
    Import(import::ImportArgs),
    /// Works on folders of Markdown, without a server.
    Content(ContentCommand),
    /// Manages people.
    User(UserCommand),
    /// Manages tokens on the server's own machine.
    Token(TokenCommand),
    /// Looks after the store.
    Store(StoreCommand),
}

#[derive(Debug, Args)]
struct ContentCommand {
    #[command(subcommand)]
    command: ContentSubcommand,
}

#[derive(Debug, Subcommand)]
enum ContentSubcommand {
    /// Reads every Markdown file of a folder and prints it again.
    Print(content::PrintArgs),
}

#[derive(Debug, Args)]
struct UserCommand {
    #[command(subcommand)]
    command: UserSubcommand,
}

#[derive(Debug, Subcommand)]
enum UserSubcommand {
    /// Makes a person and, where asked, a member of an organization.
    Create(user::CreateArgs),
    /// Makes a link that signs somebody in, for those who are locked out. Works on the store itself.
    SignInLink(Box<offline::SignInLinkArgs>),
}

#[derive(Debug, Args)]
struct TokenCommand {
    #[command(subcommand)]
    command: TokenSubcommand,
}

#[derive(Debug, Subcommand)]
enum TokenSubcommand {
    /// Makes a token for somebody who is locked out. Works on the store itself.
    Create(Box<offline::TokenArgs>),
}

#[derive(Debug, Args)]
struct StoreCommand {
    #[command(subcommand)]
    command: StoreSubcommand,
}

#[derive(Debug, Subcommand)]
enum StoreSubcommand {
    /// Removes objects that nothing refers to. A server does so by itself, once a day.
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
