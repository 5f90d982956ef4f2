//! Operation of a server: commands, data folder, log, metrics, crashes and removal of old data.

pub(crate) mod command_line;
pub(crate) mod concurrent_writes;
pub(crate) mod data_folder;
pub(crate) mod garbage_collection;
pub(crate) mod kill;
pub(crate) mod logs;
pub(crate) mod metrics;
pub(crate) mod purges;
