//! Maps the method and path of a request to an operation of the contract with its handler.

use std::collections::HashMap;

use bindery_contract::Contract;
use bindery_model::{Error, Result};
use matchit::Params;

use crate::operation::Operation;
use crate::pipeline::OperationIndex;
use crate::pipeline::run::{Read, Run};

/// Finds operations by path.
#[derive(Debug)]
pub(crate) struct Router {
    paths: matchit::Router<PathOperations>,
}

/// An operation of the contract with its handler.
#[derive(Debug)]
pub(crate) struct RoutedOperation {
    /// The operation in the contract.
    pub(crate) contract: &'static bindery_contract::Operation,
    /// Its position in the contract.
    pub(crate) index: OperationIndex,
    /// The names of its path parameters, in the order of the path.
    pub(crate) path_names: Vec<&'static str>,
    /// The handler; `None` if the operation is pending.
    pub(crate) handler: Option<Operation>,
}

/// The operations of a path.
#[derive(Debug, Default)]
struct PathOperations {
    operations: Vec<RoutedOperation>,
    /// The value of the `Allow` header.
    allow: String,
}

/// The result of routing a request.
#[derive(Debug)]
pub(crate) enum Route<'r, 'p> {
    /// An operation and the path parameters, still percent-encoded.
    Found(&'r RoutedOperation, Params<'r, 'p>),
    /// The path exists, but not for this method; holds the value of the `Allow` header.
    WrongMethod(&'r str),
    /// No operation has this path.
    Unknown,
}

/// Path parameters that match the rest of the path, including slashes.
const REST: [&str; 1] = ["pagePath"];

impl Router {
    /// Registers the operations of the contract with their handlers.
    ///
    /// # Errors
    /// Fails on paths that exclude each other, and on a handler that does not receive the body that
    /// the contract describes.
    pub(crate) fn new(contract: &'static Contract, handlers: Vec<Operation>) -> Result<Self> {
        let mut handlers: HashMap<&str, Operation> =
            handlers.into_iter().map(|handler| (handler.id, handler)).collect();
        let mut by_path: HashMap<String, PathOperations> = HashMap::new();
        for (index, operation) in contract.operations().iter().enumerate() {
            let mut path = operation.path.clone();
            for rest in REST {
                path = path.replace(&format!("{{{rest}}}"), &format!("{{*{rest}}}"));
            }
            let handler = handlers.remove(operation.id.as_str());
            let routed = RoutedOperation::new(operation, OperationIndex(index), handler)?;
            by_path.entry(path).or_default().operations.push(routed);
        }
        let mut paths = matchit::Router::new();
        for (path, mut operations) in by_path {
            operations.allow = operations.allowed_methods();
            paths
                .insert(&path, operations)
                .map_err(|error| Error::internal(format!("path {path}: {error}")))?;
        }
        Ok(Self { paths })
    }

    /// Finds the operation of a request.
    pub(crate) fn route<'r, 'p>(&'r self, method: &http::Method, path: &'p str) -> Route<'r, 'p> {
        let Ok(found) = self.paths.at(path) else {
            return Route::Unknown;
        };
        let PathOperations { operations, allow } = found.value;
        let method_name = if method == http::Method::HEAD { "GET" } else { method.as_str() };
        let mut operations = operations.iter();
        match operations.find(|operation| operation.contract.method.as_str() == method_name) {
            Some(operation) => Route::Found(operation, found.params),
            None => Route::WrongMethod(allow),
        }
    }
}

impl RoutedOperation {
    /// Returns `true` if a request is a read of one object, which takes microseconds.
    pub(crate) fn is_short_read(&self) -> bool {
        let is_list = || self.contract.parameters.iter().any(|parameter| parameter.name == "limit");
        let run = self.handler.as_ref().map(|handler| &handler.run);
        matches!(run, Some(Run::Read(Read { long: false, .. }))) && !is_list()
    }

    fn new(
        contract: &'static bindery_contract::Operation,
        index: OperationIndex,
        handler: Option<Operation>,
    ) -> Result<Self> {
        if handler.as_ref().is_some_and(|handler| !handler.run.accepts(contract.body_limit)) {
            return Err(Error::internal(format!(
                "{}: exactly the operations with the body limit `archive` receive uploads",
                contract.id
            )));
        }
        // A path has its literal parts and the names of its parameters in turn.
        let path_names = contract.path.split(['{', '}']).skip(1).step_by(2).collect();
        Ok(Self { contract, index, path_names, handler })
    }
}

impl PathOperations {
    fn allowed_methods(&self) -> String {
        let mut methods: Vec<&str> =
            self.operations.iter().map(|operation| operation.contract.method.as_str()).collect();
        if methods.contains(&"GET") {
            methods.push("HEAD");
        }
        methods.push("OPTIONS");
        methods.join(", ")
    }
}

#[cfg(test)]
mod tests {
    use bindery_contract::ParameterLocation;
    use http::Method;

    use super::*;
    use crate::groups;

    fn router() -> Router {
        Router::new(Contract::embedded(), groups::operations()).unwrap()
    }

    fn found<'r, 'p>(
        router: &'r Router,
        method: &Method,
        path: &'p str,
    ) -> (&'r RoutedOperation, Params<'r, 'p>) {
        match router.route(method, path) {
            Route::Found(operation, path) => (operation, path),
            other => panic!("{method} {path}: {other:?}"),
        }
    }

    #[test]
    fn a_route_holds_the_operation_its_index_and_its_handler() {
        let router = router();
        for (index, operation) in Contract::embedded().operations().iter().enumerate() {
            let method = Method::from_bytes(operation.method.as_str().as_bytes()).unwrap();
            let path = operation.path.replace(['{', '}'], "");
            let (routed, _) = found(&router, &method, &path);
            assert_eq!(routed.contract.id, operation.id);
            assert_eq!(routed.index, OperationIndex(index));
            let handler = routed.handler.as_ref().map(|handler| handler.id);
            assert_eq!(handler, (!operation.pending).then_some(operation.id.as_str()));
        }
    }

    #[test]
    fn the_names_of_path_parameters_are_those_of_the_contract() {
        let router = router();
        for operation in Contract::embedded().operations() {
            let method = Method::from_bytes(operation.method.as_str().as_bytes()).unwrap();
            let path = operation.path.replace(['{', '}'], "");
            let (routed, path) = found(&router, &method, &path);
            let mut names = routed.path_names.clone();
            assert!(names.iter().all(|name| path.get(name).is_some()), "{}", operation.path);
            assert_eq!(names.len(), path.len(), "{}", operation.path);
            let declared = operation.parameters_in(ParameterLocation::Path);
            let mut declared: Vec<&str> = declared.map(|known| known.name.as_str()).collect();
            names.sort_unstable();
            declared.sort_unstable();
            assert_eq!(names, declared, "{}", operation.path);
        }
    }

    #[test]
    fn head_finds_the_read_and_other_methods_are_named() {
        let router = router();
        let (operation, path) = found(&router, &Method::HEAD, "/v1/spaces/a%2Fb");
        assert_eq!(operation.contract.id, "getSpaceById");
        assert_eq!(path.get("spaceId"), Some("a%2Fb"));
        let wrong = router.route(&Method::PUT, "/v1/spaces/a");
        let Route::WrongMethod(allow) = wrong else { panic!("{wrong:?}") };
        assert!(allow.contains("GET") && allow.ends_with("HEAD, OPTIONS"), "{allow}");
        assert!(matches!(router.route(&Method::GET, "/v1/none"), Route::Unknown));
    }
}
