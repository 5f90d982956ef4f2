//! Counters of connections.

use std::fmt::Write as _;
use std::sync::atomic::{AtomicU64, Ordering};

/// Values of the label `reason`, indexed by close reason.
const REASONS: [&str; 5] = ["completed", "slow_transfer", "evicted", "unread_answer", "reset"];

/// Counters of the connections of a listener.
#[derive(Debug, Default)]
pub struct ConnectionMetrics {
    opened: AtomicU64,
    refused: AtomicU64,
    closed: [AtomicU64; REASONS.len()],
}

impl ConnectionMetrics {
    pub(crate) fn opened(&self) {
        self.opened.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn refused(&self) {
        self.refused.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn closed(&self, reason: usize) {
        if let Some(count) = self.closed.get(reason) {
            count.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Renders the counters in the text format of Prometheus.
    pub fn render(&self) -> String {
        let closed = self.closed.each_ref().map(|count| count.load(Ordering::Relaxed));
        let opened = self.opened.load(Ordering::Relaxed);
        let open = opened.saturating_sub(closed.iter().sum());
        let mut text = format!(
            "# HELP bindery_http_connections Open connections.\n\
             # TYPE bindery_http_connections gauge\n\
             bindery_http_connections {open}\n\
             # HELP bindery_http_connections_opened_total Opened connections.\n\
             # TYPE bindery_http_connections_opened_total counter\n\
             bindery_http_connections_opened_total {opened}\n\
             # HELP bindery_http_connections_refused_total Refused connections and requests.\n\
             # TYPE bindery_http_connections_refused_total counter\n\
             bindery_http_connections_refused_total {}\n\
             # HELP bindery_http_connections_closed_total Closed connections by reason.\n\
             # TYPE bindery_http_connections_closed_total counter\n",
            self.refused.load(Ordering::Relaxed),
        );
        for (reason, count) in REASONS.iter().zip(closed) {
            // Writing to a string cannot fail.
            let _written = writeln!(
                text,
                "bindery_http_connections_closed_total{{reason=\"{reason}\"}} {count}"
            );
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_has_every_counter() {
        let metrics = ConnectionMetrics::default();
        metrics.opened();
        metrics.opened();
        metrics.refused();
        metrics.closed(1);
        let text = metrics.render();
        for line in [
            "bindery_http_connections 1",
            "bindery_http_connections_opened_total 2",
            "bindery_http_connections_refused_total 1",
            "bindery_http_connections_closed_total{reason=\"slow_transfer\"} 1",
            "bindery_http_connections_closed_total{reason=\"completed\"} 0",
        ] {
            assert!(text.lines().any(|known| known == line), "{line} in {text}");
        }
    }
}
