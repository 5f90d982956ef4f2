//! A load test: `wrk` sends requests, and the server's CPU time is read from the kernel before and
//! after. The load generator shares the machine, so CPU time per request is more meaningful than
//! the rate.

use super::usage::cpu_seconds;
use crate::workspace::find_program;
use anyhow::{Context, Result, ensure};
use std::path::PathBuf;
use std::process::Command;

/// A request to repeat, and the process that answers it.
pub(super) struct Load {
    pub(super) url: String,
    pub(super) headers: Vec<String>,
    /// The server's process id. Its child processes count too.
    pub(super) server: u32,
}

/// The result of one measurement.
pub(super) struct Measured {
    requests: f64,
    seconds: f64,
    cpu_seconds: f64,
    p99: f64,
}

impl Measured {
    /// Returns the number of requests per second.
    pub(super) fn rate(&self) -> f64 {
        self.requests / self.seconds
    }

    /// Returns the 99th percentile of the response time in seconds.
    pub(super) const fn p99(&self) -> f64 {
        self.p99
    }

    /// Returns the server's CPU seconds per request.
    pub(super) fn cpu_per_request(&self) -> f64 {
        self.cpu_seconds / self.requests
    }
}

impl Load {
    /// Sends requests over this number of persistent connections for this number of seconds.
    pub(super) fn run(&self, connections: u32, seconds: u32) -> Result<Measured> {
        crate::process::check_interrupted()?;
        let before = cpu_seconds(self.server)?;
        let mut wrk = Command::new(program("wrk", "wrk")?);
        wrk.args(["--latency", "-t1", &format!("-c{connections}"), &format!("-d{seconds}s")]);
        for header in &self.headers {
            wrk.args(["-H", header]);
        }
        let output = wrk.arg(&self.url).output().context("wrk could not be started")?;
        let report = String::from_utf8_lossy(&output.stdout);
        let said = String::from_utf8_lossy(&output.stderr);
        ensure!(output.status.success(), "wrk failed, {}: {report}{said}", output.status);
        let Report { requests, rate, median: _, p99 } = read_report(&report)
            .with_context(|| format!("{} did not answer cleanly: {report}", self.url))?;
        let cpu_seconds = cpu_seconds(self.server)? - before;
        Ok(Measured { requests, seconds: requests / rate, cpu_seconds, p99 })
    }
}

/// Returns the path of a program that a measurement needs. It is not installed automatically,
/// because packages of servers start them, and the task must leave nothing behind.
pub(super) fn program(name: &str, package: &str) -> Result<PathBuf> {
    find_program(name).with_context(|| {
        format!("{name} is missing: install it (Debian: apt-get install {package})")
    })
}

/// The figures of a report of wrk.
#[derive(Debug, PartialEq)]
pub(super) struct Report {
    pub(super) requests: f64,
    /// Requests per second.
    pub(super) rate: f64,
    /// The median response time in seconds.
    pub(super) median: f64,
    /// The 99th percentile of the response time in seconds.
    pub(super) p99: f64,
}

/// Reads wrk's report. Returns `None` if a response was not successful.
pub(super) fn read_report(report: &str) -> Option<Report> {
    if report.contains("Non-2xx") || report.contains("Socket errors") {
        return None;
    }
    let requests = report.lines().find_map(|line| Some(line.split_once(" requests in")?.0));
    let rate = report.lines().find_map(|line| line.strip_prefix("Requests/sec:"));
    let percentile = |name: &str| {
        let line = report.lines().find_map(|line| line.trim().strip_prefix(name))?;
        duration(line.trim())
    };
    Some(Report {
        requests: requests?.trim().parse().ok()?,
        rate: rate?.trim().parse().ok()?,
        median: percentile("50%")?,
        p99: percentile("99%")?,
    })
}

/// Returns the seconds of a duration such as `1.50ms`.
fn duration(text: &str) -> Option<f64> {
    let units = [("us", 1e-6), ("ms", 1e-3), ("s", 1.0)];
    let (number, unit) =
        units.into_iter().find_map(|(name, unit)| Some((text.strip_suffix(name)?, unit)))?;
    Some(number.parse::<f64>().ok()? * unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn report_of_wrk_is_read() {
        let report = "Running 5s test\n  Latency Distribution\n     50%    2.00ms\n     \
            99%  500.00ms\n  850000 requests in 5.00s, 1.2GB read\n\
            Requests/sec: 170000.50\nTransfer/sec: 1MB\n";
        let expected = Report { requests: 850_000.0, rate: 170_000.5, median: 0.002, p99: 0.5 };
        assert_eq!(read_report(report), Some(expected));
        assert_eq!(read_report(&format!("{report}  Non-2xx or 3xx responses: 1\n")), None);
        assert_eq!(read_report("unable to connect"), None);
    }
}
