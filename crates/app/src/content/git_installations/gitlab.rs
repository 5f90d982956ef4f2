//! The interface of GitLab.

use bindery_model::{FieldPath, Result};
use bindery_outbound::{Guard, Request, Url};
use serde::Deserialize;

use super::service::{HostedRepository, Lookup};
use crate::App;
use crate::content::git_hosting::{HostingError, below, send};

/// The server that is used unless another one is named.
pub(in crate::content) const INSTANCE: &str = "https://gitlab.com";
/// The user name that is sent with an access token when Git connects.
pub(super) const USER: &str = "oauth2";
/// Maximum size of the address of a server, in bytes.
const MAX_ADDRESS: usize = 500;

/// The part of a project that is read.
#[derive(Deserialize)]
struct Project {
    path_with_namespace: String,
    web_url: String,
    http_url_to_repo: String,
    default_branch: Option<String>,
}

/// Checks the address of a server, and returns it without a slash at its end. Addresses with `http`
/// are allowed only in private networks that the operator permits.
///
/// # Errors
/// Returns 400 if the address has another form, or the server may not connect to it.
pub(super) fn check_instance(guard: &Guard, text: &str) -> Result<String> {
    let at = FieldPath::new("/providerConfiguration/customInstanceURL");
    let text = text.trim();
    let parsed = Url::parse(text).ok().filter(|url| {
        url.host_str().is_some_and(|host| !host.is_empty())
            && url.username().is_empty()
            && url.password().is_none()
            && url.query().is_none()
            && url.fragment().is_none()
            && text.len() <= MAX_ADDRESS
    });
    let allowed = "allowed: the address of a GitLab server, such as https://gitlab.example.org";
    let parsed = parsed.ok_or_else(|| at.invalid(allowed))?;
    let is_permitted = match parsed.scheme() {
        "https" => true,
        "http" => Guard::public_only().check_url(&parsed).is_err(),
        _ => false,
    };
    if !is_permitted {
        return Err(
            at.invalid(format_args!("found an address with {}, {allowed}", parsed.scheme()))
        );
    }
    guard.check_url(&parsed).map_err(|refusal| at.invalid(refusal))?;
    Ok(parsed.as_str().trim_end_matches('/').to_owned())
}

/// Asks a server for a project. Returns `None` if it shows no such project to the owner of the token.
pub(super) async fn find(
    app: &App,
    instance: &str,
    token: &str,
    project: i64,
) -> Result<Option<Lookup>, HostingError> {
    let expected = "the description of a project";
    let base = Url::parse(instance)
        .map_err(|_| HostingError::Answer { host: instance.to_owned(), expected })?;
    let url = below(&base, &["api", "v4", "projects", &project.to_string()]);
    let answer = send(app, Request::get(url), token).await?;
    match answer.status {
        200 => {}
        401 => return Ok(Some(Lookup::Unauthenticated)),
        403 | 404 => return Ok(None),
        _ => return Err(answer.unexpected()),
    }
    let Project { path_with_namespace, web_url, http_url_to_repo, default_branch } =
        answer.parse(expected)?;
    Ok(Some(Lookup::Found(HostedRepository {
        name: path_with_namespace,
        url: web_url,
        clone_url: http_url_to_repo,
        default_branch,
    })))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_servers_are_checked() {
        let private = Guard::parse("127.0.0.0/8").unwrap();
        let public = Guard::public_only();
        for (guard, text, expect) in [
            (&public, "https://gitlab.example.org/", Some("https://gitlab.example.org")),
            (&public, " https://example.org/gitlab ", Some("https://example.org/gitlab")),
            (&private, "http://127.0.0.1:8080", Some("http://127.0.0.1:8080")),
            (&public, "http://127.0.0.1:8080", None),
            (&public, "https://127.0.0.1", None),
            (&public, "https://[::1]", None),
            (&private, "http://gitlab.example.org", None),
            (&public, "ftp://gitlab.example.org", None),
            (&public, "https://user:word@gitlab.example.org", None),
            (&public, "https://gitlab.example.org?x", None),
            (&public, "https://gitlab.example.org#x", None),
            (&public, "gitlab.example.org", None),
            (&public, "", None),
        ] {
            assert_eq!(check_instance(guard, text).ok().as_deref(), expect, "{text}");
        }
    }
}
