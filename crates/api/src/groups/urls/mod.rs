//! Groups `urls` and `space-embeds`.

mod content;
mod embeds;
mod published_content;

pub(super) use embeds::of_spaces;

use crate::operation::Operation;

pub(super) fn operations() -> Vec<Operation> {
    let mut operations = published_content::operations();
    operations.extend(content::operations());
    operations.extend(embeds::operations());
    operations
}
