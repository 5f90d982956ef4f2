//! OpenAPI specifications: their sources, the runs that read them, and their versions.

mod sources;
mod specs;
