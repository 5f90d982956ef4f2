//! The cost of access control: a list of visible spaces in organizations with few and with many
//! hidden ones, a read with and without a token, and a single decision.

use super::http::Connection;
use super::load::Load;
use super::product::{Product, first_id};
use super::{Options, median, verdict};
use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use std::env;
use std::process::Command;
use std::thread;
use std::time::Instant;

/// The number of spaces that are visible to each user.
const VISIBLE: usize = 1_000;
/// The total number of spaces in the smaller and in the larger organization.
const SIZES: [usize; 2] = [2_000, 100_000];
/// The number of connections that create spaces.
const CONNECTIONS: usize = 8;
const REQUESTS: usize = 40;
const MAX_SECONDS: f64 = 0.020;
/// The maximum ratio of the times in the larger and in the smaller organization.
const MAX_GROWTH: f64 = 1.5;
/// The maximum ratio of the CPU times with and without a token.
const MAX_TOKEN_COST: f64 = 1.2;

pub(super) fn run(options: &Options) -> Result<bool> {
    let sizes = SIZES.map(|size| options.pages.filter(|_| size == SIZES[1]).unwrap_or(size));
    // The connections are opened after all spaces exist, because the server closes idle
    // connections.
    let made = sizes.into_iter().map(|size| Ok((size, organization_of(size)?)));
    let made = made.collect::<Result<Vec<_>>>()?;
    let mut sides =
        made.into_iter().map(|(size, made)| Side::of(size, made)).collect::<Result<Vec<_>>>()?;
    // The sides alternate, so that other activity on the machine affects them equally.
    for _ in 0..=REQUESTS {
        for side in &mut sides {
            side.ask()?;
        }
    }
    let lists: Vec<_> = sides.into_iter().map(|side| (side.size, side.medians())).collect();
    let mut reached = true;
    if let [(small, first), (large, last)] = lists.as_slice() {
        for ((small_time, large_time), who) in first.iter().zip(last).zip(["member", "guest"]) {
            let figure = format!(
                "{VISIBLE} of {large} spaces, {who}: {:.1} ms, limit {:.0} ms",
                large_time * 1e3,
                MAX_SECONDS * 1e3
            );
            reached &= verdict(&figure, *large_time < MAX_SECONDS);
            let growth = large_time / small_time;
            let figure = format!("compared with {VISIBLE} of {small}: {growth:.2} times");
            reached &= verdict(&figure, growth <= MAX_GROWTH);
        }
    }
    reached &= token_beside_none(options)?;
    reached &= decisions()?;
    Ok(reached)
}

/// Measures a decision without its lookups, with an example of the crate that decides.
fn decisions() -> Result<bool> {
    let status = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
        .args(["run", "--quiet", "--release", "--package", "bindery-app", "--example", "decide"])
        .status()
        .context("the decisions could not be measured")?;
    Ok(status.success())
}

/// An organization with two users who see the same spaces of it: a member and a guest.
struct Side {
    size: usize,
    url: String,
    users: Vec<User>,
    // Last in drop order: the server must stop after its connections are closed.
    _product: Product,
}

struct User {
    connection: Connection,
    header: String,
    times: Vec<f64>,
}

impl Side {
    fn of(size: usize, (product, organization, tokens): Setup) -> Result<Self> {
        let url = product.api(&format!("/orgs/{organization}/spaces?limit=1000"));
        let users = tokens.into_iter().map(|token| {
            let header = format!("Authorization: Bearer {token}");
            Ok(User { connection: product.connect()?, header, times: Vec::new() })
        });
        let users = users.collect::<Result<_>>()?;
        Ok(Self { size, url, users, _product: product })
    }

    /// Lists all spaces as each of the two users.
    fn ask(&mut self) -> Result<()> {
        for user in &mut self.users {
            let began = Instant::now();
            let answer = user.connection.send(&self.url, &[&user.header], None)?;
            let answer = answer.success(&self.url)?;
            user.times.push(began.elapsed().as_secs_f64());
            let list: Value = serde_json::from_slice(&answer.body)?;
            let items = list.pointer("/items").and_then(Value::as_array).map_or(0, Vec::len);
            ensure!(items == VISIBLE.min(1_000), "the list has {items} spaces");
        }
        Ok(())
    }

    /// Returns the median time for each user, without the first request.
    fn medians(self) -> Vec<f64> {
        self.users
            .into_iter()
            .map(|user| median(user.times.into_iter().skip(1).collect()))
            .collect()
    }
}

/// A server, an organization on it, and the tokens of its users.
type Setup = (Product, String, Vec<String>);

/// Creates an organization with this number of spaces. Also returns the tokens of a member and of a
/// guest who see some of them.
fn organization_of(size: usize) -> Result<Setup> {
    let product = Product::empty()?;
    let organization = product.organization()?;
    let hidden = collection(&product, &organization, "Hidden")?;
    let shown = collection(&product, &organization, "Shown")?;
    let began = Instant::now();
    thread::scope(|scope| {
        let makers: Vec<_> = (0..CONNECTIONS)
            .map(|maker| {
                let (product, organization) = (&product, &organization);
                let (hidden, shown) = (&hidden, &shown);
                scope.spawn(move || -> Result<()> {
                    let mut connection = product.connect()?;
                    let url = product.api(&format!("/orgs/{organization}/spaces"));
                    for number in (maker..size).step_by(CONNECTIONS) {
                        let parent = if number % (size / VISIBLE) == 0 { shown } else { hidden };
                        let body = json!({"title": format!("Space {number}"), "parent": parent});
                        let token = Product::authorization();
                        connection.send(&url, &[&token], Some(&body))?.success(&url)?;
                        crate::process::check_interrupted()?;
                    }
                    Ok(())
                })
            })
            .collect();
        makers.into_iter().try_for_each(|maker| {
            maker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        })
    })?;
    println!("{size} spaces created in {:.0} s", began.elapsed().as_secs_f64());

    let mut tokens = Vec::new();
    for (email, role) in [("member@example.com", Some("read")), ("guest@example.com", None)] {
        let body = json!({
            "email": email, "displayName": email, "organization": organization, "role": role,
            "token": true,
        });
        let made = product.post("/bindery/users", &body)?;
        let token = made.pointer("/token").and_then(Value::as_str).context("a token")?;
        tokens.push(token.to_owned());
        let body = json!({"role": "read", "users": [email]});
        product.post_for_answer(&format!("/collections/{shown}/permissions"), &body)?;
    }
    Ok((product, organization, tokens))
}

/// Creates a collection that members do not see by default.
fn collection(product: &Product, organization: &str, title: &str) -> Result<String> {
    let made =
        product.post(&format!("/orgs/{organization}/collections"), &json!({"title": title}))?;
    let id = made.pointer("/id").and_then(Value::as_str).context("a collection")?.to_owned();
    product.patch(&format!("/collections/{id}"), &json!({"defaultLevel": null}))?;
    Ok(id)
}

/// Compares the CPU time of an operation that needs no token, with and without a token.
fn token_beside_none(options: &Options) -> Result<bool> {
    let product = Product::start()?;
    ensure!(first_id(&product.get("/orgs")?).is_some(), "no organization");
    let load = |headers| Load { url: product.api("/"), headers, server: product.process() };
    let (with, without) = (load(vec![Product::authorization()]), load(Vec::new()));
    let (mut with_token, mut with_none) = (Vec::new(), Vec::new());
    for _ in 0..options.rounds() {
        with_token.push(with.run(16, options.seconds)?.cpu_per_request());
        with_none.push(without.run(16, options.seconds)?.cpu_per_request());
    }
    let ratio = median(with_token) / median(with_none);
    let figure = format!("a read with a token compared with one without: {ratio:.2} times the CPU");
    Ok(verdict(&figure, ratio <= MAX_TOKEN_COST))
}
