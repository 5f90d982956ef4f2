//! The contract: look-up of operations, and the check that handlers and operations agree.

use std::collections::{BTreeSet, HashMap};
use std::sync::OnceLock;

use serde_json::Value;

use crate::operation::Operation;
use crate::reference::{self, ReferenceFile};
use crate::{description, load};

/// The contract that is compiled into the program.
#[derive(Debug)]
pub struct Contract {
    operations: Vec<Operation>,
    by_id: HashMap<String, usize>,
    pending: BTreeSet<String>,
}

impl Contract {
    /// Returns the contract, which is parsed once. Schemas are parsed and compiled on first use.
    pub fn embedded() -> &'static Self {
        static CONTRACT: OnceLock<Contract> = OnceLock::new();
        CONTRACT.get_or_init(|| {
            #[expect(clippy::expect_used, reason = "the files are compiled in and read by tests")]
            let operations = load::operations().expect("the contract's files");
            Self::new(operations, load::pending())
        })
    }

    fn new(operations: Vec<Operation>, pending: BTreeSet<String>) -> Self {
        let ids = operations.iter().enumerate();
        let by_id = ids.map(|(index, operation)| (operation.id.clone(), index)).collect();
        Self { operations, by_id, pending }
    }

    /// Returns all operations, ordered by group.
    pub fn operations(&self) -> &[Operation] {
        &self.operations
    }

    /// Returns the operation with this id.
    pub fn operation(&self, id: &str) -> Option<&Operation> {
        self.operations.get(*self.by_id.get(id)?)
    }

    /// Returns the whole contract as an OpenAPI 3.1 document in JSON, as served at
    /// `/v1/openapi.json`, with the limits of a server. Each call builds the document.
    pub fn openapi(&self, limits: &Value) -> Vec<u8> {
        description::document(limits).to_string().into_bytes()
    }

    /// Returns the file of the readable reference at a path below `/v1/docs`, without slashes at its
    /// ends: a page, the stylesheet, the script or the index of the search. Each call builds the
    /// file. `None` if there is none.
    pub fn reference_file(&self, path: &str) -> Option<ReferenceFile> {
        reference::file(self, path)
    }

    /// Returns the page with the results of a search in the reference.
    pub fn search_reference(&self, query: &str) -> ReferenceFile {
        reference::results(self, query)
    }

    /// Checks that every operation has either a handler or a line in `pending.txt`.
    ///
    /// # Errors
    /// Returns one sentence for every handler, operation or line without a counterpart.
    pub fn check_handlers<'a>(
        &self,
        registered: impl IntoIterator<Item = &'a str>,
    ) -> Result<(), Vec<String>> {
        let mut errors = Vec::new();
        let mut handled = BTreeSet::new();
        for id in registered {
            if !handled.insert(id) {
                errors.push(format!("{id} has two handlers"));
            }
            if self.operation(id).is_none() {
                errors.push(format!("{id} has a handler, but the contract has no such operation"));
            }
            if self.pending.contains(id) {
                errors.push(format!("{id} has a handler: remove its line from pending.txt"));
            }
        }
        for operation in &self.operations {
            if !operation.pending && !handled.contains(operation.id.as_str()) {
                errors.push(format!("{} has neither a handler nor a pending line", operation.id));
            }
        }
        for id in &self.pending {
            if self.operation(id).is_none() {
                errors.push(format!("pending.txt names {id}, which the contract does not have"));
            }
        }
        if errors.is_empty() { Ok(()) } else { Err(errors) }
    }
}
