//! Maps the method and path of a request to an operation of the contract.

use std::collections::HashMap;

use bindery_contract::{Contract, Method};
use bindery_model::Error;

/// Finds operations by path.
#[derive(Debug)]
pub(crate) struct Router {
    paths: matchit::Router<Vec<(Method, usize)>>,
}

/// The result of routing a request.
#[derive(Debug)]
pub(crate) enum Route {
    /// An operation: its index in the contract, and the path parameters, still percent-encoded.
    Found(usize, Vec<(String, String)>),
    /// The path exists, but not for this method; holds the value of the `Allow` header.
    WrongMethod(String),
    /// No operation has this path.
    Unknown,
}

/// Path parameters that match the rest of the path, including slashes.
const REST: [&str; 1] = ["pagePath"];

impl Router {
    pub(crate) fn new(contract: &Contract) -> Result<Self, Error> {
        let mut by_path: HashMap<String, Vec<(Method, usize)>> = HashMap::new();
        for (index, operation) in contract.operations().iter().enumerate() {
            let mut path = operation.path.clone();
            for rest in REST {
                path = path.replace(&format!("{{{rest}}}"), &format!("{{*{rest}}}"));
            }
            by_path.entry(path).or_default().push((operation.method, index));
        }
        let mut paths = matchit::Router::new();
        for (path, operations) in by_path {
            paths
                .insert(&path, operations)
                .map_err(|error| Error::internal(format!("path {path}: {error}")))?;
        }
        Ok(Self { paths })
    }

    pub(crate) fn route(&self, method: &http::Method, path: &str) -> Route {
        let Ok(found) = self.paths.at(path) else {
            return Route::Unknown;
        };
        let method_name = if method == http::Method::HEAD { "GET" } else { method.as_str() };
        let operation = found.value.iter().find(|(known, _)| known.as_str() == method_name);
        match operation {
            Some((_, index)) => Route::Found(
                *index,
                found.params.iter().map(|(name, value)| (name.into(), value.into())).collect(),
            ),
            None => {
                let mut methods: Vec<&str> =
                    found.value.iter().map(|(known, _)| known.as_str()).collect();
                if methods.contains(&"GET") {
                    methods.push("HEAD");
                }
                methods.push("OPTIONS");
                Route::WrongMethod(methods.join(", "))
            }
        }
    }
}
