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
}

impl Measured {
    /// Returns the number of requests per second.
    pub(super) fn rate(&self) -> f64 {
        self.requests / self.seconds
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
        wrk.args(["-t1", &format!("-c{connections}"), &format!("-d{seconds}s")]);
        for header in &self.headers {
            wrk.args(["-H", header]);
        }
        let output = wrk.arg(&self.url).output().context("wrk could not be started")?;
        let report = String::from_utf8_lossy(&output.stdout);
        let said = String::from_utf8_lossy(&output.stderr);
        ensure!(output.status.success(), "wrk failed, {}: {report}{said}", output.status);
        let (requests, rate) = read_report(&report)
            .with_context(|| format!("{} did not answer cleanly: {report}", self.url))?;
        let cpu_seconds = cpu_seconds(self.server)? - before;
        Ok(Measured { requests, seconds: requests / rate, cpu_seconds })
    }
}

/// Returns the path of a program that a measurement needs. It is not installed automatically,
/// because packages of servers start them, and the task must leave nothing behind.
pub(super) fn program(name: &str, package: &str) -> Result<PathBuf> {
    find_program(name).with_context(|| {
        format!("{name} is missing: install it (Debian: apt-get install {package})")
    })
}

/// Returns the number of requests and the rate from wrk's report. Returns `None` if a response was
/// not successful.
pub(super) fn read_report(report: &str) -> Option<(f64, f64)> {
    if report.contains("Non-2xx") || report.contains("Socket errors") {
        return None;
    }
    let requests = report.lines().find_map(|line| Some(line.split_once(" requests in")?.0));
    let rate = report.lines().find_map(|line| line.strip_prefix("Requests/sec:"));
    Some((requests?.trim().parse().ok()?, rate?.trim().parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn report_of_wrk_is_read() {
        let report = "Running 5s test\n  850000 requests in 5.00s, 1.2GB read\n\
            Requests/sec: 170000.50\nTransfer/sec: 1MB\n";
        assert_eq!(read_report(report), Some((850_000.0, 170_000.5)));
        assert_eq!(read_report(&format!("{report}  Non-2xx or 3xx responses: 1\n")), None);
        assert_eq!(read_report("unable to connect"), None);
    }
}
