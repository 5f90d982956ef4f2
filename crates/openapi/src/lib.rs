//! Reads OpenAPI descriptions: the versions 3.0, 3.1 and 3.2, and Swagger 2.0, as JSON or YAML, in one
//! file or in several. It performs no I/O: the caller fetches the files that a [`Loader`] asks for.
//!
//! Everything that is wrong becomes a [`Problem`] with the file, the line and the pointer at fault.
//! Texts come from anywhere, so parsing is bounded in time, memory and depth.
//!
//! # Example
//!
//! ```
//! use bindery_openapi::{Loader, Version};
//!
//! let mut loader = Loader::new(None);
//! loader.add("openapi: 3.1.0\ninfo: {title: Ships, version: '1'}\npaths: {}\n");
//! assert!(loader.wanted(1).is_empty());
//! let description = loader.finish()?;
//! assert_eq!((description.version, description.title.as_str()), (Version::V31, "Ships"));
//! # Ok::<(), Vec<bindery_openapi::Problem>>(())
//! ```

mod call;
mod compare;
mod convert;
mod example;
mod jsonpath;
mod load;
mod outline;
mod overlay;
mod parse;
mod pieces;
mod pointer;
mod positions;
mod problem;
mod reference;
mod request;
mod resolve;
mod samples;
mod shape;
mod version;

pub use call::{
    Call, CallBody, CallCredential, CallField, CallForm, CallParameter, CallServer, CallValues,
    CallVariable,
};
pub use compare::{Change, Day, Level, MAX_CHANGES, compare, compare_on};
pub use convert::{Loss, convert};
pub use example::Direction;
pub use jsonpath::{Budget, Exhausted, JsonPath, MAX_NODES, MAX_STEPS, Node, PathError};
pub use load::{Description, Loader, MAX_BYTES, MAX_FILES, Wanted};
pub use outline::{Operation, Outline, Tag, TagGroup};
pub use overlay::Overlay;
pub use parse::{FORMAT_BYTES, MAX_DEPTH, is_json_format, parse};
pub use pieces::{HEAD, PieceName, needed};
pub use pointer::Pointer;
pub use positions::positions;
pub use problem::{Position, Problem};
pub use request::{Body, FormField, Request, shortened_text, shortened_value};
pub use resolve::Part;
pub use samples::Language;
pub use shape::{Discriminator, Field, Shape};
pub use version::Version;
