//! Timing of responses for hidden items, compared with items that do not exist, alternating over
//! one connection. A difference would reveal which items exist.

use super::product::{Product, id};
use super::{Options, median, verdict};
use anyhow::{Context, Result, ensure};
use serde_json::json;
use std::time::Instant;

/// The number of requests of each kind in a round.
const REQUESTS: usize = 2_000;
/// The maximum ratio of the two times, in either direction.
const MAX_RATIO: f64 = 1.3;

/// Ids by their names in paths.
struct Ids(Vec<(&'static str, String)>);

impl Ids {
    fn filled(&self, path: &str) -> String {
        let Self(ids) = self;
        ids.iter().fold(path.to_owned(), |path, (name, id)| path.replace(name, id))
    }

    /// Returns ids of the same form that do not exist.
    fn nonexistent(&self) -> Self {
        let Self(ids) = self;
        Self(ids.iter().map(|(name, id)| (*name, id.chars().rev().collect())).collect())
    }
}

/// Paths with names of hidden items, for a user who is not in the organization.
const FOR_STRANGERS: [&str; 12] = [
    "/spaces/SPACE",
    "/spaces/SPACE/content/pages",
    "/spaces/SPACE/change-requests/CHANGE",
    "/spaces/OWN-SPACE/change-requests/CHANGE",
    "/collections/COLLECTION",
    "/orgs/ORGANIZATION",
    "/orgs/ORGANIZATION/spaces",
    "/orgs/ORGANIZATION/teams/TEAM",
    "/orgs/OWN-ORGANIZATION/teams/TEAM",
    "/orgs/OWN-ORGANIZATION/members/USER",
    "/orgs/ORGANIZATION/sites/SITE",
    "/users/USER",
];
/// Paths for a guest of the organization, who sees none of its content.
const FOR_GUESTS: [&str; 7] = [
    "/spaces/SPACE",
    "/spaces/SPACE/content/pages",
    "/spaces/SPACE/change-requests/CHANGE",
    "/collections/COLLECTION",
    "/orgs/SEEN-ORGANIZATION/teams/TEAM",
    "/orgs/SEEN-ORGANIZATION/members/USER",
    "/orgs/SEEN-ORGANIZATION/sites/SITE",
];

pub(super) fn run(options: &Options) -> Result<bool> {
    let product = Product::empty()?;
    let own = product.organization()?;
    let made = |path: &str, body| -> Result<String> {
        id(&product.post(path, &body)?).with_context(|| format!("what {path} made"))
    };
    let hidden = made("/orgs", json!({"title": "Hidden"}))?;
    let in_hidden = |path: &str| format!("/orgs/{hidden}/{path}");
    let space = made(&in_hidden("spaces"), json!({"title": "Hidden"}))?;
    let user = person(&product, &hidden, "member@example.com", Some("read"))?;
    let team = product.put(&in_hidden("teams"), &json!({"title": "Hidden"}))?;
    let unseen = Ids(vec![
        ("CHANGE", made(&format!("/spaces/{space}/change-requests"), json!({"subject": "H"}))?),
        ("COLLECTION", made(&in_hidden("collections"), json!({"title": "Hidden"}))?),
        ("SITE", made(&in_hidden("sites"), json!({"title": "Hidden"}))?),
        ("TEAM", id(&team).context("a team")?),
        ("USER", user.id),
        ("SPACE", space),
        ("ORGANIZATION", hidden.clone()),
    ]);
    let own_space = made(&format!("/orgs/{own}/spaces"), json!({"title": "Own"}))?;
    let stranger = person(&product, &own, "stranger@example.com", Some("admin"))?;
    let guest = person(&product, &hidden, "guest@example.com", None)?;
    let seen = Ids(vec![
        ("OWN-SPACE", own_space),
        ("OWN-ORGANIZATION", own),
        ("SEEN-ORGANIZATION", hidden),
    ]);
    let never = unseen.nonexistent();

    let mut reached = true;
    for (who, asker, paths) in [
        ("a stranger", stranger, FOR_STRANGERS.as_slice()),
        ("a guest", guest, FOR_GUESTS.as_slice()),
    ] {
        for path in paths {
            let pair = [&unseen, &never].map(|ids| product.api(&ids.filled(&seen.filled(path))));
            let [one, other] = ask(&product, options, &asker.token, &pair)?;
            let ratio = one / other;
            let figure = format!(
                "{path} for {who}: {:.0} µs beside {:.0} µs, {ratio:.2}",
                one * 1e6,
                other * 1e6
            );
            reached &= verdict(&figure, (1.0 / MAX_RATIO..=MAX_RATIO).contains(&ratio));
        }
    }
    Ok(reached)
}

/// A user with a token.
struct Person {
    id: String,
    token: String,
}

fn person(
    product: &Product,
    organization: &str,
    email: &str,
    role: Option<&str>,
) -> Result<Person> {
    let body = json!({
        "email": email, "displayName": email, "organization": organization, "role": role,
        "token": true,
    });
    let made = product.post("/bindery/users", &body)?;
    let text = |pointer: &str| made.pointer(pointer).and_then(|text| text.as_str());
    let id = text("/user/id").context("a person")?.to_owned();
    Ok(Person { id, token: text("/token").context("a token")?.to_owned() })
}

/// Returns the median times of both paths, requested alternately.
fn ask(product: &Product, options: &Options, token: &str, pair: &[String; 2]) -> Result<[f64; 2]> {
    let header = format!("Authorization: Bearer {token}");
    let mut connection = product.connect()?;
    let mut times = [Vec::new(), Vec::new()];
    for _ in 0..REQUESTS * options.rounds() {
        for (url, times) in pair.iter().zip(&mut times) {
            let began = Instant::now();
            let answer = connection.send(url, &[&header], None)?;
            times.push(began.elapsed().as_secs_f64());
            ensure!(answer.status == 404, "{url} is answered with {}", answer.status);
        }
        crate::process::check_interrupted()?;
    }
    Ok(times.map(median))
}
