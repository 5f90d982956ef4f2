//! The contract: look-up of operations and the check that handlers and operations agree.

use std::collections::{BTreeSet, HashMap};
use std::sync::OnceLock;

use serde_json::Value;

use crate::operation::Operation;
use crate::{description, load, reference};

/// The contract that the program carries.
#[derive(Debug)]
pub struct Contract {
    operations: Vec<Operation>,
    by_id: HashMap<String, usize>,
    pending: BTreeSet<String>,
    reference: OnceLock<String>,
}

impl Contract {
    /// The contract, read once. Schemas are read and compiled later, when first needed.
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
        let reference = OnceLock::new();
        Self { operations, by_id, pending, reference }
    }

    /// All operations, by group.
    pub fn operations(&self) -> &[Operation] {
        &self.operations
    }

    /// The operation with this id.
    pub fn operation(&self, id: &str) -> Option<&Operation> {
        self.operations.get(*self.by_id.get(id)?)
    }

    /// The whole contract as one OpenAPI 3.1 document (JSON), as `/v1/openapi.json` serves it,
    /// with the limits of a server. Made anew each time.
    pub fn openapi(&self, limits: &Value) -> Vec<u8> {
        description::document(limits).to_string().into_bytes()
    }

    /// The reference page (HTML), as `/v1/docs` serves it.
    pub fn reference_html(&self) -> &str {
        self.reference.get_or_init(|| reference::page(self))
    }

    /// Checks that every operation has a handler or a line in `pending.txt`, and never both.
    ///
    /// # Errors
    /// One sentence for every handler, operation or line that has no counterpart.
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
