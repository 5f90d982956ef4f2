//! Repositories at hosting services, and the addresses of the interfaces that describe them.

use bindery_git::{Remote, SafeUrl};
use bindery_model::{GitProvider, HostingService};
use bindery_outbound::Url;
use bindery_store::git_installations::GitInstallation;
use percent_encoding::percent_decode_str;

use super::exchange::below;
use crate::App;
use crate::content::git_installations;

/// Maximum size of the path of a repository in bytes.
const MAX_PATH: usize = 1_000;
/// The part of a host of GitHub Enterprise Cloud that follows the name of the customer.
const GITHUB_CLOUD: &str = ".ghe.com";

/// Returns the service at the host of a repository's address; `None` if the host does not tell.
pub(in crate::content) fn known_service(url: &str) -> Option<HostingService> {
    let (url, _) = parse(url).ok()?;
    Some(match public_host(url.host_str()?) {
        "github.com" => HostingService::Github,
        host if host.ends_with(GITHUB_CLOUD) => HostingService::Github,
        "gitlab.com" => HostingService::Gitlab,
        "gitea.com" | "codeberg.org" => HostingService::Gitea,
        _ => return None,
    })
}

/// The reason why no interface follows from an address.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub(in crate::content) enum PlaceError {
    /// The address is not one of a repository.
    #[error("the address of the repository cannot be read")]
    Address,
    /// The path does not name a repository at the service.
    #[error("the address has another path than a repository at this service; allowed: {0}")]
    Path(&'static str),
    /// The given address of the interface has another form.
    #[error(
        "allowed: an address of the interface such as https://git.example.org/api/v4, without user \
         name, password, ? and #; it begins with https://, unless that of the repository begins \
         with http://"
    )]
    Interface,
}

/// A repository at a hosting service.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(in crate::content) struct HostedPlace {
    /// The service.
    pub(in crate::content) service: HostingService,
    /// The base of the addresses of the interface, such as `https://api.github.com`.
    pub(in crate::content) api: Url,
    /// The owner and the name, such as `team/docs`; at GitLab also the number of the project.
    pub(in crate::content) repository: String,
}

impl HostedPlace {
    /// Returns the place of a repository by its address for HTTP or SSH. `api` replaces the base
    /// of the interface that follows from the address.
    ///
    /// `https://git.example.org/team/docs.git` at GitLab has the interface
    /// `https://git.example.org/api/v4` and the path `team/docs`.
    ///
    /// # Errors
    /// Returns an error if the address or `api` has another form.
    pub(in crate::content) fn of(
        service: HostingService,
        url: &str,
        api: Option<&str>,
    ) -> Result<Self, PlaceError> {
        let (url, is_ssh) = parse(url)?;
        let path = path(&url)?;
        let given = api.map(|api| interface(api, &url)).transpose()?;
        let (prefix, repository) = split(service, &path, given.as_ref())?;
        let api = match given {
            Some(given) => given,
            None => derived(service, &url, if is_ssh { &[] } else { prefix })?,
        };
        Ok(Self { service, api, repository: repository.join("/") })
    }

    /// Returns the place of the repository of an installation; `None` if it names no repository, or
    /// the server has no GitHub App any more.
    pub(in crate::content) fn of_installation(
        app: &App,
        installation: &GitInstallation,
    ) -> Option<Self> {
        let number = installation.repository?;
        match installation.provider {
            GitProvider::Github => Some(Self {
                service: HostingService::Github,
                api: app.github.as_ref()?.api().clone(),
                repository: installation.repository_name.clone()?,
            }),
            GitProvider::Gitlab => Self::of_project(installation.instance.as_deref(), number),
        }
    }

    /// Returns the place of a project at a GitLab server, or at gitlab.com; `None` if the address of
    /// the server cannot be read.
    pub(in crate::content) fn of_project(instance: Option<&str>, number: i64) -> Option<Self> {
        let instance = instance.unwrap_or(git_installations::GITLAB_INSTANCE);
        let api = below(&Url::parse(instance).ok()?, &["api", "v4"]);
        Some(Self { service: HostingService::Gitlab, api, repository: number.to_string() })
    }

    /// Returns an address of the interface below that of the repository.
    pub(super) fn at(&self, segments: &[&str]) -> Url {
        let repository = match self.service {
            HostingService::Github | HostingService::Gitea => {
                let (owner, name) = self.owner_and_name();
                below(&self.api, &["repos", owner, name])
            }
            // The whole path is one segment.
            HostingService::Gitlab => below(&self.api, &["projects", &self.repository]),
        };
        below(&repository, segments)
    }

    /// Returns the address of GitHub's interface of queries, `/graphql` beside `/v3`.
    pub(super) fn queries(&self) -> Url {
        let mut url = self.api.clone();
        if let Ok(mut segments) = url.path_segments_mut() {
            segments.pop_if_empty();
        }
        let is_versioned = url.path_segments().and_then(Iterator::last) == Some("v3");
        if let (Ok(mut segments), true) = (url.path_segments_mut(), is_versioned) {
            segments.pop();
        }
        below(&url, &["graphql"])
    }

    /// Returns the parts of the path before and after the last slash.
    pub(super) fn owner_and_name(&self) -> (&str, &str) {
        self.repository.rsplit_once('/').unwrap_or(("", &self.repository))
    }
}

/// Parses the address of a repository, and returns `true` beside it if it is one of SSH.
fn parse(url: &str) -> Result<(Url, bool), PlaceError> {
    let parsed = match Remote::is_ssh(url) {
        true => SafeUrl::parse_ssh(url),
        false => Remote::parse(url).map(|remote| remote.url),
    };
    let parsed = parsed.map_err(|_| PlaceError::Address)?;
    Ok((parsed.url().clone(), parsed.is_ssh()))
}

/// Returns the decoded segments of the path of a repository, without `.git`.
fn path(url: &Url) -> Result<Vec<String>, PlaceError> {
    let path = url.path().trim_matches('/');
    let path = path.strip_suffix(".git").unwrap_or(path);
    let is_name = |name: &str| {
        let is_odd = |char: char| char.is_control() || matches!(char, '/' | '\\' | '?' | '#');
        !name.is_empty() && !matches!(name, "." | "..") && !name.contains(is_odd)
    };
    let segments = path.split('/').map(|segment| {
        let segment = percent_decode_str(segment).decode_utf8().ok()?;
        is_name(&segment).then(|| segment.into_owned())
    });
    let segments = segments.collect::<Option<Vec<_>>>().filter(|_| path.len() <= MAX_PATH);
    segments.ok_or(PlaceError::Path("the names of the owner and the repository"))
}

/// Splits the path of a repository into the path of the service and that of the repository there.
fn split<'a>(
    service: HostingService,
    path: &'a [String],
    api: Option<&Url>,
) -> Result<(&'a [String], &'a [String]), PlaceError> {
    let parts = match service {
        HostingService::Github => path.split_at_checked(0).filter(|(_, name)| name.len() == 2),
        HostingService::Gitea => path.len().checked_sub(2).and_then(|at| path.split_at_checked(at)),
        // Groups contain groups, so only the address of the interface tells the path of the server.
        HostingService::Gitlab => {
            let above = api.map(interface_path).unwrap_or_default();
            let is_above = path.len() > above.len() && path.iter().zip(&above).all(|(a, b)| a == b);
            path.split_at_checked(if is_above { above.len() } else { 0 })
                .filter(|(_, name)| name.len() >= 2)
        }
    };
    parts.ok_or(PlaceError::Path(match service {
        HostingService::Github => "OWNER/NAME",
        HostingService::Gitlab => "GROUP/PROJECT, or with more groups",
        HostingService::Gitea => "OWNER/NAME, also below the path of the server",
    }))
}

/// Returns the path of the server of an interface of GitLab.
fn interface_path(api: &Url) -> Vec<String> {
    let path = api.path().trim_matches('/');
    let path = path.strip_suffix("api/v4").unwrap_or(path).trim_end_matches('/');
    path.split('/').filter(|segment| !segment.is_empty()).map(str::to_owned).collect()
}

/// Returns the host of the service to which an address leads.
fn public_host(host: &str) -> &str {
    match host {
        "www.github.com" | "ssh.github.com" => "github.com",
        "altssh.gitlab.com" => "gitlab.com",
        host => host,
    }
}

/// Returns the interface of a server at the host of a repository's address, below `prefix`.
fn derived(service: HostingService, url: &Url, prefix: &[String]) -> Result<Url, PlaceError> {
    let host = public_host(url.host_str().unwrap_or_default());
    let scheme = if url.scheme() == "http" { "http" } else { "https" };
    // The port of SSH is not that of the interface.
    let port = url.port().filter(|_| url.scheme() != "ssh");
    let port = port.map_or_else(String::new, |port| format!(":{port}"));
    let (host, base): (_, &[&str]) = match service {
        HostingService::Github if host == "github.com" || host.ends_with(GITHUB_CLOUD) => {
            (format!("api.{host}"), &[])
        }
        HostingService::Github => (host.to_owned(), &["api", "v3"]),
        HostingService::Gitlab => (host.to_owned(), &["api", "v4"]),
        HostingService::Gitea => (host.to_owned(), &["api", "v1"]),
    };
    let server =
        Url::parse(&format!("{scheme}://{host}{port}/")).map_err(|_| PlaceError::Address)?;
    let prefix: Vec<&str> = match service {
        HostingService::Gitea => prefix.iter().map(String::as_str).collect(),
        HostingService::Github | HostingService::Gitlab => Vec::new(),
    };
    Ok(below(&below(&server, &prefix), base))
}

/// Checks a given address of an interface. `url` is that of the repository.
fn interface(text: &str, url: &Url) -> Result<Url, PlaceError> {
    let parsed = Url::parse(text.trim()).ok().filter(|api| {
        let is_permitted = match api.scheme() {
            "https" => true,
            "http" => url.scheme() == "http",
            _ => false,
        };
        is_permitted
            && api.host_str().is_some_and(|host| !host.is_empty())
            && api.username().is_empty()
            && api.password().is_none()
            && api.query().is_none()
            && api.fragment().is_none()
            && text.len() <= MAX_PATH
    });
    parsed.ok_or(PlaceError::Interface)
}

#[cfg(test)]
mod tests {
    use super::HostingService::{Gitea, Github, Gitlab};
    use super::*;

    fn check(service: HostingService, url: &str, api: Option<&str>, expect: Option<(&str, &str)>) {
        let place = HostedPlace::of(service, url, api).ok();
        let place = place.map(|place| (place.api.to_string(), place.repository));
        let expect = expect.map(|(api, path)| (api.to_owned(), path.to_owned()));
        assert_eq!(place, expect, "{service:?} {url} {api:?}");
    }

    #[test]
    fn interfaces_follow_from_addresses() {
        let dotcom = ("https://api.github.com/", "team/docs");
        let lab = ("https://gitlab.com/api/v4", "team/docs");
        for (service, url, expect) in [
            (Github, "https://github.com/team/docs.git", dotcom),
            (Github, "https://github.com/team/docs/", dotcom),
            (Github, "git@github.com:team/docs.git", dotcom),
            (Github, "ssh://git@ssh.github.com:443/team/docs.git", dotcom),
            (Github, "https://acme.ghe.com/team/docs", ("https://api.acme.ghe.com/", "team/docs")),
            (
                Github,
                "https://git.example:8443/team/docs",
                ("https://git.example:8443/api/v3", "team/docs"),
            ),
            (
                Github,
                "ssh://git@git.example:7999/team/docs",
                ("https://git.example/api/v3", "team/docs"),
            ),
            (Gitlab, "https://gitlab.com/team/docs.git", lab),
            (Gitlab, "git@gitlab.com:team/docs.git", lab),
            (Gitlab, "ssh://git@altssh.gitlab.com:443/team/docs.git", lab),
            (
                Gitlab,
                "http://127.0.0.1:80/a/b/c%20d/docs",
                ("http://127.0.0.1/api/v4", "a/b/c d/docs"),
            ),
            (
                Gitea,
                "https://codeberg.org/team/docs.git",
                ("https://codeberg.org/api/v1", "team/docs"),
            ),
            (
                Gitea,
                "https://example.org/git/team/docs.git",
                ("https://example.org/git/api/v1", "team/docs"),
            ),
            (
                Gitea,
                "ssh://git@example.org:2222/team/docs.git",
                ("https://example.org/api/v1", "team/docs"),
            ),
        ] {
            check(service, url, None, Some(expect));
        }
    }

    #[test]
    fn other_addresses_are_refused() {
        for (service, url) in [
            (Github, "https://github.com/docs.git"),
            (Github, "https://git.example/a/team/docs.git"),
            (Github, "https://github.com/team/docs?x"),
            (Github, "https://github.com/team/%2e%2e%2fdocs"),
            (Github, "https://github.com/team/a%0ab"),
            (Github, "ftp://github.com/team/docs"),
            (Github, ""),
            (Gitlab, "https://gitlab.com/docs"),
            (Gitlab, "https://gitlab.com/team//docs"),
            (Gitea, "https://gitea.example/docs"),
        ] {
            check(service, url, None, None);
        }
    }

    #[test]
    fn interfaces_can_be_given() {
        let api = "https://example.org/gitlab/api/v4";
        let url = "https://example.org/gitlab/team/docs.git";
        check(Gitlab, url, Some(api), Some((api, "team/docs")));
        check(Gitlab, "git@example.org:team/docs.git", Some(api), Some((api, "team/docs")));
        check(Gitlab, "https://example.org/gitlab/docs", Some(api), None);
        let private = "http://127.0.0.1:3000/api/v3";
        check(Github, "http://127.0.0.1:80/a/b", Some(private), Some((private, "a/b")));
        for api in [
            private,
            "ftp://git.example/api",
            "https://user:word@git.example/api",
            "https://git.example/api?x",
            "https://git.example/api#x",
            "api/v3",
            "",
        ] {
            check(Github, "https://git.example/a/b", Some(api), None);
        }
    }

    #[test]
    fn queries_have_an_address_beside_the_interface() {
        for (api, expect) in [
            ("https://api.github.com", "https://api.github.com/graphql"),
            ("https://api.acme.ghe.com/", "https://api.acme.ghe.com/graphql"),
            ("https://git.example/api/v3", "https://git.example/api/graphql"),
            ("https://git.example/api/v3/", "https://git.example/api/graphql"),
        ] {
            let api = Url::parse(api).unwrap();
            let place = HostedPlace { service: Github, api, repository: "a/b".to_owned() };
            assert_eq!(place.queries().as_str(), expect);
        }
    }

    #[test]
    fn hosts_tell_their_service() {
        for (url, expect) in [
            ("https://github.com/a/b", Some(Github)),
            ("git@github.com:a/b", Some(Github)),
            ("https://acme.ghe.com/a/b", Some(Github)),
            ("https://gitlab.com/a/b", Some(Gitlab)),
            ("https://codeberg.org/a/b", Some(Gitea)),
            ("https://git.example/a/b", None),
            ("https://github.com.example/a/b", None),
            ("", None),
        ] {
            assert_eq!(known_service(url), expect, "{url}");
        }
    }

    #[test]
    fn paths_of_repositories_stay_within_their_segments() {
        let place = |service, path: &str| {
            let api = Url::parse("https://git.example/api").unwrap();
            HostedPlace { service, api, repository: path.to_owned() }
                .at(&["hooks", "7"])
                .to_string()
        };
        assert_eq!(place(Github, "a/b c"), "https://git.example/api/repos/a/b%20c/hooks/7");
        assert_eq!(place(Gitlab, "a/b/c"), "https://git.example/api/projects/a%2Fb%2Fc/hooks/7");
        assert_eq!(place(Gitlab, "7"), "https://git.example/api/projects/7/hooks/7");
    }
}
