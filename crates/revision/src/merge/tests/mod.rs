//! Merges of spaces written as text, and properties of random ones.

mod cases;
mod cost;
mod open;
mod properties;

use super::world;
