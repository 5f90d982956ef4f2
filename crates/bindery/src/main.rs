//! The `bindery` command.

mod cli;
mod client;
mod clock;
mod config;
mod content;
mod data_folder;
mod descriptors;
mod import;
mod latency;
mod log;
mod offline;
mod openapi;
mod output;
mod sample;
mod sealing;
mod security_txt;
mod serve;
mod server;
mod socket;
mod traces;
mod typeset;
mod user;

use std::process::ExitCode;

use clap::Parser as _;

/// mimalloc serves the server's threads with less contention than the system allocator and returns
/// more freed memory.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let command = cli::Cli::parse();
    match command.run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            #[expect(clippy::print_stderr, reason = "the command's own output")]
            {
                eprintln!("bindery: {error:#}");
            }
            ExitCode::FAILURE
        }
    }
}
