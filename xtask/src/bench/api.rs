//! API responses with a token, compared with the same bytes from nginx.

use super::http::fetch;
use super::load::Load;
use super::nginx::Nginx;
use super::product::{Product, first_id};
use super::{Case, Options};
use anyhow::{Context, Result};
use serde_json::json;

/// The length of the list, as in the target.
const ITEMS: usize = 20;

pub(super) fn run(options: &Options) -> Result<bool> {
    let product = Product::start()?;
    let nginx = Nginx::start()?;
    let organization = product.organization()?;
    for number in 1..=ITEMS {
        let title = json!({"title": format!("Space {number}")});
        product.post(&format!("/orgs/{organization}/spaces"), &title)?;
    }
    let list = format!("/orgs/{organization}/spaces?limit={ITEMS}");
    let space = first_id(&product.get(&list)?).context("the list of spaces is empty")?;

    let mut cases = Vec::new();
    let asked = [("object", format!("/spaces/{space}"), 0.4, 2.5), ("list of 20", list, 0.25, 5.0)];
    for (name, path, min_rate, max_cpu) in asked {
        let url = product.api(&path);
        let headers = vec![Product::authorization()];
        let bytes = fetch(&url, &[&Product::authorization()], None)?;
        let peer = nginx.serve(&format!("{}.json", name.replace(' ', "-")), &bytes, None)?;
        println!("{path}: {} bytes", bytes.len());
        for connections in [16, 64] {
            cases.push(Case {
                name: name.to_owned(),
                connections,
                ours: Load {
                    url: url.clone(),
                    headers: headers.clone(),
                    server: product.process(),
                },
                peer: Load { url: peer.clone(), headers: Vec::new(), server: nginx.process() },
                min_rate,
                max_cpu: Some(max_cpu),
                max_p99: None,
            });
        }
    }
    super::compare(options, &cases)
}
