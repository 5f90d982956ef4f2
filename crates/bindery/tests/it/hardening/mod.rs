//! Hostile input and clients: imports, pages, headers, guessing, replays and floods.

pub(crate) mod headers;
pub(crate) mod imports;
pub(crate) mod pages;
pub(crate) mod password_guessing;
pub(crate) mod proxies;
pub(crate) mod rate_limits;
pub(crate) mod replays;
pub(crate) mod sealing_key;
pub(crate) mod slow_clients;
