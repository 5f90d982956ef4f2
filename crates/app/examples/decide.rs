//! Measures the cost of a decision of the access policy, without the look-ups before it:
//! `cargo run --release --package bindery-app --example decide`.

use std::hint::black_box;
use std::time::Instant;

use bindery_app::access::{Action, Decision, Facts, Membership, Reader, Scopes, decide};
use bindery_model::{Level, Role, SiteVisibility};

const ROUNDS: u32 = 200;
/// Nanoseconds that a decision may take.
const LIMIT: f64 = 5_000.0;

#[expect(clippy::print_stdout, reason = "a benchmark prints its figures")]
fn main() {
    let facts = all_facts();
    let (mut allowed, mut decisions) = (0_u64, 0_u64);
    let began = Instant::now();
    for _ in 0..ROUNDS {
        for facts in &facts {
            for action in Action::ALL {
                let role = black_box(facts).role();
                let decision = decide(role, black_box(Scopes::ALL), action);
                allowed += u64::from(decision == Decision::Allowed);
                decisions += 1;
            }
        }
        for visibility in SiteVisibility::ALL {
            let role = black_box(Reader::Public).role(black_box(visibility), true);
            let decision = decide(role, Scopes::READ, Action::ReadSite);
            allowed += u64::from(decision == Decision::Allowed);
            decisions += 1;
        }
    }
    let each = began.elapsed().as_secs_f64() * 1e9 / decisions as f64;
    let verdict = if each < LIMIT { "reached" } else { "MISSED" };
    println!("{decisions} decisions, {allowed} allowed");
    println!("a decision: {each:.1} ns, limit {LIMIT:.0} ns: {verdict}");
    if each >= LIMIT {
        std::process::exit(1);
    }
}

/// Everything that a decision can depend on.
fn all_facts() -> Vec<Facts> {
    let roles = [None, Some(Role::Read), Some(Role::Edit), Some(Role::Admin)];
    let mut all = Vec::new();
    let members = roles.into_iter().flatten().map(Membership::Member);
    for membership in [Membership::Stranger, Membership::Guest].into_iter().chain(members) {
        for default_role in roles {
            for level in [Level::Inherit, Level::None, Level::Role(Role::Review)] {
                for granted in roles {
                    for deleted in [false, true] {
                        all.push(Facts { membership, default_role, level, granted, deleted });
                    }
                }
            }
        }
    }
    all
}
