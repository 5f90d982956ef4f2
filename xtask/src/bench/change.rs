//! Importing a change of one page in a large repository, compared with a small one: the cost must
//! depend on the change and not on the size.

use super::product::{Product, Site};
use super::source::Source;
use super::usage::{cpu_seconds, folder_size, written_bytes};
use super::{Options, median, megabytes};
use anyhow::Result;
use std::time::Duration;

const PAGES: usize = 100_000;
const FEW_PAGES: usize = 100;

/// An imported and published space with its repository.
struct Imported {
    product: Product,
    site: Site,
    source: Source,
    pages: usize,
    changes: Vec<Change>,
}

/// The cost of one change, from the request for the import to the first response that contains it.
struct Change {
    took: Duration,
    cpu_seconds: f64,
    written: u64,
}

pub(super) fn run(options: &Options) -> Result<bool> {
    let mut sides = [Imported::new(options.pages.unwrap_or(PAGES))?, Imported::new(FEW_PAGES)?];
    for round in 1..=options.rounds() {
        for side in &mut sides {
            side.change(round)?;
        }
    }
    println!(
        "{:>10} {:>10} {:>10} {:>12} {:>12}",
        "pages", "time", "CPU", "written", "data folder"
    );
    let mut times = Vec::new();
    for side in &sides {
        times.push(side.report()?);
    }
    if let [large, small] = times.as_slice() {
        println!(
            "ratio of the times {:.2}, medians of {} changes",
            large / small,
            options.rounds()
        );
    }
    Ok(true)
}

impl Imported {
    fn new(pages: usize) -> Result<Self> {
        let source = Source::generate(pages)?;
        let product = Product::empty()?;
        let site = product.new_site()?;
        let took = source.import(&product, &site, "<h1")?;
        println!("{pages} pages imported in {:.2} s", took.as_secs_f64());
        Ok(Self { product, site, source, pages, changes: Vec::new() })
    }

    fn change(&mut self, round: usize) -> Result<()> {
        let text = format!("Changed for the {round}th time.");
        self.source.change(&text)?;
        let process = self.product.process();
        let (cpu_before, written_before) = (cpu_seconds(process)?, written_bytes(process)?);
        let took = self.source.import(&self.product, &self.site, &text)?;
        self.changes.push(Change {
            took,
            cpu_seconds: cpu_seconds(process)? - cpu_before,
            written: written_bytes(process)?.saturating_sub(written_before),
        });
        Ok(())
    }

    /// Prints a line and returns the median time.
    #[expect(clippy::cast_precision_loss, reason = "a figure of a report")]
    fn report(&self) -> Result<f64> {
        let over = |figure: fn(&Change) -> f64| median(self.changes.iter().map(figure).collect());
        let time = over(|change| change.took.as_secs_f64());
        println!(
            "{:>10} {:>7.1} ms {:>7.1} ms {:>9.1} KB {:>12}",
            self.pages,
            time * 1e3,
            over(|change| change.cpu_seconds) * 1e3,
            over(|change| change.written as f64) / 1e3,
            megabytes(folder_size(self.product.data())?),
        );
        Ok(time)
    }
}
