//! Measurement of transactions: a span for each, and a warning for slow ones.

use std::time::{Duration, Instant};

use tracing::Span;

/// A transaction that is running. It is measured until it is dropped.
pub(crate) struct Measurement {
    kind: &'static str,
    code: &'static str,
    started: Instant,
    slow: Option<Duration>,
    span: Span,
}

impl Measurement {
    /// Starts to measure a transaction. `kind` is `read` or `write`, `code` the type name of the
    /// closure, which names the function that runs the transaction. `slow` is the duration from
    /// which the transaction is logged.
    pub(crate) fn start(kind: &'static str, code: &'static str, slow: Option<Duration>) -> Self {
        let span = tracing::debug_span!("transaction", kind, code);
        Self { kind, code, started: Instant::now(), slow, span }
    }

    /// Returns the span of the transaction.
    pub(crate) fn span(&self) -> Span {
        self.span.clone()
    }
}

impl Drop for Measurement {
    fn drop(&mut self) {
        let Self { kind, code, started, slow, span: _ } = *self;
        let elapsed = started.elapsed();
        let seconds = elapsed.as_secs_f64();
        if slow.is_some_and(|slow| elapsed >= slow) {
            self.span.in_scope(|| tracing::warn!(kind, code, seconds, "slow transaction"));
        } else {
            self.span.in_scope(|| tracing::trace!(kind, code, seconds, "transaction"));
        }
    }
}
