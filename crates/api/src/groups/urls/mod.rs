//! Group `urls`.

mod published_content;

use crate::operation::Operation;

pub(super) fn operations() -> Vec<Operation> {
    published_content::operations()
}
