//! Hostile input and clients: imports, pages, headers, guessing, replays and floods.

mod headers;
mod imports;
mod pages;
mod password_guessing;
mod proxies;
mod rate_limits;
mod replays;
mod sealing_key;
mod slow_clients;
