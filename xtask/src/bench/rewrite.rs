//! Importing a repository in which every page was edited, and then one in which every page was
//! moved and edited at once, compared with the first import. This measures how pages and their
//! blocks are matched with the earlier ones.

use super::product::{Product, Site};
use super::source::Source;
use super::usage::{Watch, cpu_seconds};
use super::{Options, median, megabytes};
use anyhow::{Context, Result};
use serde_json::Value;

const PAGES: usize = 10_000;
const STEPS: [&str; 3] = ["first import", "all edited", "all moved, edited"];

/// One import.
struct Import {
    seconds: f64,
    cpu_seconds: f64,
    peak: u64,
    /// `true` if the page in the middle kept its id.
    same_id: bool,
}

pub(super) fn run(options: &Options) -> Result<bool> {
    let pages = options.pages.unwrap_or(PAGES);
    let mut steps: [Vec<Import>; 3] = Default::default();
    for _ in 0..options.rounds() {
        let mut source = Source::generate(pages)?;
        let product = Product::empty()?;
        let site = product.new_site()?;
        let mut id = None;
        for (step, imports) in steps.iter_mut().enumerate() {
            match step {
                0 => {}
                1 => source.rewrite("", "Edited where it is.")?,
                _ => source.rewrite("elsewhere/", "Edited on its way.")?,
            }
            let text = ["<h1", "Edited where it is.", "Edited on its way."];
            let text = text.get(step).copied().unwrap_or_default();
            imports.push(measure(&source, &product, &site, text, &mut id)?);
        }
    }
    println!("{pages} pages, medians of {}", options.rounds());
    let mut kept = true;
    for (name, imports) in STEPS.iter().zip(&steps) {
        let over = |figure: fn(&Import) -> f64| median(imports.iter().map(figure).collect());
        let peak = imports.iter().map(|import| import.peak).max().unwrap_or_default();
        let same = imports.iter().all(|import| import.same_id);
        kept &= same;
        println!(
            "{name:>18} {:>7.2} s {:>7.2} s CPU {:>10} at its peak, ids {}",
            over(|import| import.seconds),
            over(|import| import.cpu_seconds),
            megabytes(peak),
            if same { "kept" } else { "lost" },
        );
    }
    Ok(kept)
}

fn measure(
    source: &Source,
    product: &Product,
    site: &Site,
    text: &str,
    id: &mut Option<String>,
) -> Result<Import> {
    let watch = Watch::start(product.process());
    let before = cpu_seconds(product.process())?;
    let took = source.import(product, site, text)?;
    let cpu_seconds = cpu_seconds(product.process())? - before;
    let peak = watch.finish().peak;
    let path = source.some_page()?.replace('/', "%2F");
    let page = product.get(&format!("/spaces/{}/content/path/{path}", site.space))?;
    let now = page.get("id").and_then(Value::as_str).context("the page has an id")?.to_owned();
    let same_id = id.as_ref().is_none_or(|id| *id == now);
    *id = Some(now);
    Ok(Import { seconds: took.as_secs_f64(), cpu_seconds, peak, same_id })
}
