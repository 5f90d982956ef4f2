//! The documents that wait for the threads that index them. The library's queue is limited by the
//! number of documents only, whatever their size.

use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

use tantivy::TantivyDocument;
use tantivy::schema::Document;
use tantivy::schema::document::CompactDocValue;

/// Maximum bytes of the documents that wait. One document may be larger.
const MAX_WAITING: usize = 8 << 20;
/// Maximum time without progress for which a document is held back. After it, the library reports
/// why its threads do not index.
const MAX_PAUSE: Duration = Duration::from_secs(10);

/// The number of bytes that wait.
#[derive(Debug, Default)]
struct Waiting {
    bytes: Mutex<usize>,
    is_less: Condvar,
}

/// The documents that wait.
#[derive(Debug, Clone, Default)]
pub(crate) struct Queue(Arc<Waiting>);

impl Queue {
    /// Returns a document to be sent to the indexing threads, once there is room for it.
    pub(crate) fn admit(&self, document: TantivyDocument, bytes: usize) -> QueuedDocument {
        let Waiting { bytes: waiting, is_less } = &*self.0;
        let mut count = waiting.lock().unwrap_or_else(PoisonError::into_inner);
        while *count > 0 && *count + bytes > MAX_WAITING {
            let (next, pause) =
                is_less.wait_timeout(count, MAX_PAUSE).unwrap_or_else(PoisonError::into_inner);
            count = next;
            if pause.timed_out() {
                break;
            }
        }
        *count += bytes;
        QueuedDocument { document, bytes, queue: self.clone() }
    }
}

/// A document that counts until it is indexed.
pub(crate) struct QueuedDocument {
    document: TantivyDocument,
    bytes: usize,
    queue: Queue,
}

impl Drop for QueuedDocument {
    fn drop(&mut self) {
        let Waiting { bytes, is_less } = &*self.queue.0;
        let mut count = bytes.lock().unwrap_or_else(PoisonError::into_inner);
        *count = count.saturating_sub(self.bytes);
        is_less.notify_one();
    }
}

impl Document for QueuedDocument {
    type Value<'a> = CompactDocValue<'a>;
    type FieldsValuesIter<'a> = <TantivyDocument as Document>::FieldsValuesIter<'a>;

    fn iter_fields_and_values(&self) -> Self::FieldsValuesIter<'_> {
        self.document.iter_fields_and_values()
    }

    fn into_tantivy_document(mut self) -> TantivyDocument {
        std::mem::take(&mut self.document)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_wait_for_room() {
        let queue = Queue::default();
        let large = queue.admit(TantivyDocument::default(), 2 * MAX_WAITING);
        let (sender, admitted) = std::sync::mpsc::channel();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let small = queue.admit(TantivyDocument::default(), 1);
                sender.send(small.bytes).unwrap();
            });
            assert!(admitted.recv_timeout(Duration::from_millis(50)).is_err());
            drop(large.into_tantivy_document());
            assert_eq!(admitted.recv().unwrap(), 1);
        });
        assert_eq!(*queue.0.bytes.lock().unwrap(), 0);
    }
}
