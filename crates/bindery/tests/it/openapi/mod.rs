//! OpenAPI specifications: their sources, the runs that read them, and their versions.

mod changes;
mod computed;
mod console;
mod sources;
mod specs;
