//! Durable writes through the API by many concurrent clients, compared with SQLite itself and with
//! the store without HTTP, both measured by the store's benchmark.

use super::load::{Report, program, read_report};
use super::product::Product;
use super::usage::cpu_seconds;
use super::{Options, median, verdict};
use crate::workspace::cargo;
use anyhow::{Context, Result, ensure};
use serde_json::json;
use std::fmt::Write as _;
use std::process::Command;

const CLIENTS: u32 = 64;
const LIMIT: f64 = 5000.0;

/// The environment variable that names a built benchmark of the store.
const STORE_BENCHMARK: &str = "BINDERY_STORE_BENCH";

/// The writes of one run: rate per second, and latencies in milliseconds.
struct Writes {
    rate: f64,
    median: f64,
    tail: f64,
    cpu_per_write: f64,
}

/// The results of the store's benchmark that are used here.
#[derive(Default, Debug, PartialEq)]
struct StoreFigures {
    sqlite: Vec<f64>,
    store: Vec<f64>,
}

pub(super) fn run(options: &Options) -> Result<bool> {
    let product = Product::empty()?;
    let organization = product.organization()?;
    let url = product.api(&format!("/orgs/{organization}/spaces"));
    // Each request creates a space: a row, a first revision and an event.
    let body = json!({"title": "Measured"}).to_string();
    let mut ours = Vec::new();
    let mut store = StoreFigures::default();
    for _ in 0..options.rounds() {
        ours.push(write(&product, &url, &body, options.seconds)?);
        // The store's benchmark runs several rounds by itself.
        if store.sqlite.is_empty() {
            store = store_figures()?;
        }
    }
    let sqlite = median(store.sqlite);
    println!(
        "{:32} {:>9} {:>7} {:>9} {:>9} {:>10}",
        format!("{CLIENTS} clients"),
        "writes/s",
        "ratio",
        "p50",
        "p99",
        "CPU each"
    );
    println!("{:32} {sqlite:>9.0} {:>7.2}", "SQLite with group commit", 1.0);
    let rate = median(store.store);
    println!("{:32} {rate:>9.0} {:>7.2}", "the store", rate / sqlite);
    let rate = report("createSpace", &ours, sqlite);
    Ok(verdict(&format!("{rate:.0} writes/s, limit {LIMIT:.0}"), rate >= LIMIT))
}

/// Prints a line and returns the median rate.
fn report(name: &str, runs: &[Writes], sqlite: f64) -> f64 {
    let over = |figure: fn(&Writes) -> f64| median(runs.iter().map(figure).collect());
    let rate = over(|run| run.rate);
    println!(
        "{:32} {rate:>9.0} {:>7.2} {:>6.2} ms {:>6.2} ms {:>7.0} µs",
        format!("{name} over HTTP"),
        rate / sqlite,
        over(|run| run.median),
        over(|run| run.tail),
        over(|run| run.cpu_per_write) * 1e6,
    );
    rate
}

/// Sends the same request repeatedly over persistent connections. Each request writes.
fn write(product: &Product, url: &str, body: &str, seconds: u32) -> Result<Writes> {
    crate::process::check_interrupted()?;
    let script = tempfile::Builder::new().suffix(".lua").tempfile()?;
    std::fs::write(script.path(), script_text(body)?)?;
    let before = cpu_seconds(product.process())?;
    let output = Command::new(program("wrk", "wrk")?)
        .args(["--latency", "-t1", &format!("-c{CLIENTS}"), &format!("-d{seconds}s"), "-s"])
        .arg(script.path())
        .arg(url)
        .output()
        .context("wrk could not be started")?;
    let cpu = cpu_seconds(product.process())? - before;
    let report = String::from_utf8_lossy(&output.stdout);
    let said = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "wrk failed, {}: {report}{said}", output.status);
    let Report { requests, rate, median, p99 } =
        read_report(&report).with_context(|| format!("{url} did not answer cleanly: {report}"))?;
    Ok(Writes { rate, median: median * 1e3, tail: p99 * 1e3, cpu_per_write: cpu / requests })
}

/// Returns wrk's script, which sends the request.
fn script_text(body: &str) -> Result<String> {
    let mut script = String::new();
    let authorization = Product::authorization();
    let (name, value) = authorization.split_once(": ").context("a header")?;
    writeln!(script, "wrk.method = 'POST'")?;
    writeln!(script, "wrk.body = [==[{body}]==]")?;
    writeln!(script, "wrk.headers['Content-Type'] = 'application/json'")?;
    writeln!(script, "wrk.headers['{name}'] = '{value}'")?;
    Ok(script)
}

fn store_figures() -> Result<StoreFigures> {
    let mut command = match std::env::var_os(STORE_BENCHMARK) {
        Some(named) => Command::new(named),
        None => {
            let mut cargo = cargo();
            cargo.args(["run", "--release", "--quiet", "--package", "bindery-store"]);
            cargo.args(["--example", "writes"]);
            cargo
        }
    };
    let output = command.output().context("the store's benchmark could not be started")?;
    let report = String::from_utf8_lossy(&output.stdout);
    let found = read_store_figures(&report);
    ensure!(
        output.status.success() && !found.sqlite.is_empty() && !found.store.is_empty(),
        "the store's benchmark failed: {report}{}",
        String::from_utf8_lossy(&output.stderr)
    );
    Ok(found)
}

fn read_store_figures(report: &str) -> StoreFigures {
    let rates = |name: &str| {
        let lines = report.lines().filter_map(|line| line.trim().strip_prefix(name));
        lines.filter_map(|line| line.split_once("/s")?.0.trim().parse().ok()).collect()
    };
    StoreFigures {
        sqlite: rates("writes, SQLite's limit"),
        store: rates(&format!("writes, {CLIENTS} callers")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn report_of_the_store_is_read() {
        let report = "round 1\n  writes, SQLite's limit       25000/s, p50 2ms, p99 4ms\n  \
            writes, 64 callers           20000/s, p50 3ms\n  writes, 1 caller  5000/s\nround 2\n  \
            writes, SQLite's limit       26000/s\n";
        let expected = StoreFigures { sqlite: vec![25_000.0, 26_000.0], store: vec![20_000.0] };
        assert_eq!(read_store_figures(report), expected);
    }
}
