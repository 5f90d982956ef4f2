//! OpenAPI specifications: their sources, the runs that read them, and their versions.

mod computed;
mod sources;
mod specs;
