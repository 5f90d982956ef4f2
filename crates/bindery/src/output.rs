//! Output of commands: lines of text or one JSON object.

use std::io::Write as _;

use clap::Args;
use serde_json::{Map, Value};

/// The form in which a command prints its result.
#[derive(Clone, Copy, Debug, Default, Args)]
pub(crate) struct OutputArgs {
    /// Prints the result as one JSON object.
    #[arg(long)]
    json: bool,
}

/// The result of a command, which is printed when the command has succeeded.
#[derive(Debug)]
pub(crate) struct Output {
    json: bool,
    lines: Vec<String>,
    object: Map<String, Value>,
}

impl Output {
    pub(crate) fn new(args: OutputArgs) -> Self {
        Self { json: args.json, lines: Vec::new(), object: Map::new() }
    }

    /// Adds a line of text.
    pub(crate) fn line(&mut self, line: impl Into<String>) -> &mut Self {
        self.lines.push(line.into());
        self
    }

    /// Adds a member of the JSON object.
    pub(crate) fn member(&mut self, name: &str, value: impl Into<Value>) -> &mut Self {
        self.object.insert(name.to_owned(), value.into());
        self
    }

    /// Prints the lines, or the object if the command was called with `--json`.
    pub(crate) fn print(self) {
        if self.json {
            print_line(&Value::Object(self.object).to_string());
        } else {
            self.lines.iter().for_each(|line| print_line(line));
        }
    }
}

/// Prints a line of the command's output and flushes it.
pub(crate) fn print_line(line: &str) {
    let mut out = std::io::stdout().lock();
    // If the reader has closed the pipe, the output is discarded.
    let _closed = writeln!(out, "{line}").and_then(|()| out.flush());
}
