//! OpenAPI specifications: their sources, the runs that read them, and their versions.

mod changes;
mod computed;
mod console;
mod files;
mod sources;
mod specs;
