//! Operation of a server: commands, data folder, log, metrics, traces, crashes, old data.

mod command_line;
mod concurrent_writes;
mod data_folder;
mod garbage_collection;
mod import_command;
mod kill;
mod logs;
mod metrics;
mod openapi_command;
mod purges;
mod security_txt;
mod traces;
