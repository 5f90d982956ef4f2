//! The histogram of request latency, in the conventions of Prometheus.

use std::fmt::Write as _;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use bindery_api::OperationIndex;
use http::StatusCode;

/// Upper bounds of the buckets: the label `le` in seconds, and the same in microseconds.
const BOUNDS: [(&str, u64); 13] = [
    ("0.001", 1_000),
    ("0.0025", 2_500),
    ("0.005", 5_000),
    ("0.01", 10_000),
    ("0.025", 25_000),
    ("0.05", 50_000),
    ("0.1", 100_000),
    ("0.25", 250_000),
    ("0.5", 500_000),
    ("1", 1_000_000),
    ("2.5", 2_500_000),
    ("5", 5_000_000),
    ("10", 10_000_000),
];

/// Values of the label `status`.
const STATUS_CLASSES: [&str; 4] = ["2xx", "3xx", "4xx", "5xx"];

/// The kind of a request, for the label `operation`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RequestKind {
    /// A request for `/healthz`, `/readyz` or `/metrics`.
    Health,
    /// A request for the application under `/app`.
    Application,
    /// A request for a page of a published site.
    SitePage,
    /// A request for the Markdown of a published page.
    SiteMarkdown,
    /// A request for a document for programs, such as `robots.txt` or `sitemap.xml`.
    SiteDocument,
    /// A request for a stylesheet, a script or a font of published sites.
    SiteAsset,
    /// A request for a file of a published site.
    SiteFile,
    /// A request to the API that was refused before it reached an operation, or for its
    /// description.
    ApiOther,
    /// An operation of the API.
    Operation(OperationIndex),
}

/// Labels of the kinds that precede the operations, in the order of [`RequestKind::index`].
const KINDS: [&str; 8] = [
    "health",
    "application",
    "site_page",
    "site_markdown",
    "site_document",
    "site_asset",
    "site_file",
    "api_other",
];

/// Returns `true` if a file of this name is a document for programs.
fn is_document(name: &str) -> bool {
    matches!(name, "robots.txt" | "llms.txt" | "llms-full.txt" | "atom.xml" | "security.txt")
        || (name.starts_with("sitemap") && name.ends_with(".xml"))
}

impl RequestKind {
    /// Returns the kind of a request for a path that belongs to published sites.
    pub(crate) fn of_site_path(path: &str) -> Self {
        if path.starts_with(bindery_site::style::ASSETS) {
            Self::SiteAsset
        } else if path.starts_with(bindery_site::FILES) {
            Self::SiteFile
        } else if path.ends_with(".md") {
            Self::SiteMarkdown
        } else if is_document(path.rsplit('/').next().unwrap_or_default()) {
            Self::SiteDocument
        } else {
            Self::SitePage
        }
    }

    const fn index(self) -> usize {
        match self {
            Self::Health => 0,
            Self::Application => 1,
            Self::SitePage => 2,
            Self::SiteMarkdown => 3,
            Self::SiteDocument => 4,
            Self::SiteAsset => 5,
            Self::SiteFile => 6,
            Self::ApiOther => 7,
            Self::Operation(OperationIndex(index)) => KINDS.len() + index,
        }
    }
}

/// Latency of requests by operation and class of the status. All counters are allocated in advance,
/// and recording a request changes two of them.
pub(crate) struct RequestLatency {
    operations: Box<[OperationLatency]>,
}

struct OperationLatency {
    label: &'static str,
    classes: [Histogram; STATUS_CLASSES.len()],
}

#[derive(Default)]
struct Histogram {
    /// Number of requests by bucket, not cumulative. The last bucket has no upper bound.
    buckets: [AtomicU64; BOUNDS.len() + 1],
    sum_micros: AtomicU64,
}

impl RequestLatency {
    /// Creates the counters of a server whose API has these operations.
    pub(crate) fn new(operation_ids: impl Iterator<Item = &'static str>) -> Self {
        let labels = KINDS.into_iter().chain(operation_ids);
        let operations =
            labels.map(|label| OperationLatency { label, classes: Default::default() }).collect();
        Self { operations }
    }

    /// Returns the label of a kind of requests.
    pub(crate) fn label(&self, kind: RequestKind) -> &'static str {
        self.operations.get(kind.index()).map_or("", |operation| operation.label)
    }

    /// Counts an answered request.
    pub(crate) fn record(&self, kind: RequestKind, status: StatusCode, elapsed: Duration) {
        let class = usize::from(status.as_u16() / 100).saturating_sub(2);
        let operation = self.operations.get(kind.index());
        if let Some(histogram) = operation.and_then(|operation| operation.classes.get(class)) {
            histogram.record(elapsed);
        }
    }

    /// Renders the histogram in the text format of Prometheus. Combinations of labels without a
    /// request are left out.
    pub(crate) fn render(&self) -> String {
        let mut text = String::from(
            "# HELP bindery_http_request_duration_seconds Time until the headers of a response \
             are ready.\n\
             # TYPE bindery_http_request_duration_seconds histogram\n",
        );
        for OperationLatency { label, classes } in &self.operations {
            for (histogram, class) in classes.iter().zip(STATUS_CLASSES) {
                let labels = format!("operation=\"{label}\",status=\"{class}\"");
                histogram.render(&labels, &mut text);
            }
        }
        text
    }
}

impl Histogram {
    fn record(&self, elapsed: Duration) {
        let micros = u64::try_from(elapsed.as_micros()).unwrap_or(u64::MAX);
        let bucket = BOUNDS.partition_point(|(_, bound)| *bound < micros);
        if let Some(count) = self.buckets.get(bucket) {
            count.fetch_add(1, Ordering::Relaxed);
        }
        self.sum_micros.fetch_add(micros, Ordering::Relaxed);
    }

    fn render(&self, labels: &str, text: &mut String) {
        let counts = self.buckets.each_ref().map(|count| count.load(Ordering::Relaxed));
        let total: u64 = counts.iter().sum();
        if total == 0 {
            return;
        }
        let name = "bindery_http_request_duration_seconds";
        let bounds = BOUNDS.into_iter().map(|(label, _)| label).chain(["+Inf"]);
        let mut cumulative = 0;
        // Writing to a string cannot fail.
        for (count, bound) in counts.into_iter().zip(bounds) {
            cumulative += count;
            let _written = writeln!(text, "{name}_bucket{{{labels},le=\"{bound}\"}} {cumulative}");
        }
        let seconds = Duration::from_micros(self.sum_micros.load(Ordering::Relaxed)).as_secs_f64();
        let _written = writeln!(text, "{name}_sum{{{labels}}} {seconds}");
        let _written = writeln!(text, "{name}_count{{{labels}}} {total}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_are_cumulative() {
        let latency = RequestLatency::new(["getSpace", "updateSpace"].into_iter());
        let kind = RequestKind::Operation(OperationIndex(1));
        for micros in [1_000, 1_001, 60_000, 11_000_000] {
            latency.record(kind, StatusCode::CREATED, Duration::from_micros(micros));
        }
        latency.record(RequestKind::SitePage, StatusCode::NOT_FOUND, Duration::ZERO);
        let text = latency.render();
        let of = |rest: &str| {
            let name = "bindery_http_request_duration_seconds";
            let labels = "operation=\"updateSpace\",status=\"2xx\"";
            rest.replace("NAME", name).replace("LABELS", labels)
        };
        for line in [
            "# TYPE NAME histogram",
            "NAME_bucket{LABELS,le=\"0.001\"} 1",
            "NAME_bucket{LABELS,le=\"0.0025\"} 2",
            "NAME_bucket{LABELS,le=\"0.05\"} 2",
            "NAME_bucket{LABELS,le=\"0.1\"} 3",
            "NAME_bucket{LABELS,le=\"10\"} 3",
            "NAME_bucket{LABELS,le=\"+Inf\"} 4",
            "NAME_sum{LABELS} 11.062001",
            "NAME_count{LABELS} 4",
            "NAME_count{operation=\"site_page\",status=\"4xx\"} 1",
        ] {
            let line = of(line);
            assert!(text.lines().any(|known| known == line), "{line} in {text}");
        }
        assert!(!text.contains("getSpace"), "{text}");
        assert_eq!(text.lines().count(), 2 + 2 * (BOUNDS.len() + 3));
    }

    #[test]
    fn labels_match_the_kinds() {
        for (path, label) in [
            ("/~assets/a.css", "site_asset"),
            ("/~files/a", "site_file"),
            ("/docs/", "site_page"),
            ("/docs/a.md", "site_markdown"),
            ("/docs/sitemap.xml", "site_document"),
        ] {
            assert_eq!(KINDS.get(RequestKind::of_site_path(path).index()), Some(&label), "{path}");
        }
        let latency = RequestLatency::new(["getSpace"].into_iter());
        let index = RequestKind::Operation(OperationIndex(0)).index();
        assert_eq!(latency.operations[index].label, "getSpace");
        assert_eq!(KINDS[RequestKind::Health.index()], "health");
        assert_eq!(KINDS[RequestKind::Application.index()], "application");
        assert_eq!(KINDS[RequestKind::ApiOther.index()], "api_other");
    }
}
