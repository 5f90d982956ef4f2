//! Merges of spaces written as text, and properties of random ones.

mod cases;
mod cost;
mod open_conflicts;
mod properties;

use super::fixture;
