//! The pages of Git hosting services at which people edit the files of a space.

use bindery_model::{GitProvider, Result, SpaceId};
use bindery_outbound::Url;
use bindery_store::{Tx, git_states};
use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};

use super::git;

/// The characters that are encoded in a path.
const ENCODED: &AsciiSet =
    &CONTROLS.add(b' ').add(b'"').add(b'#').add(b'%').add(b'<').add(b'>').add(b'?').add(b'`');

/// The addresses at which people edit the files of a space.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EditPages {
    /// The beginning of the addresses, with a slash at the end.
    base: String,
}

impl EditPages {
    /// Returns the addresses for a space; `None` if it was not imported from a branch of a
    /// repository on a known hosting service.
    ///
    /// # Errors
    /// Returns an error if the stored state cannot be read.
    pub fn of(tx: &Tx<'_>, space: SpaceId) -> Result<Option<Self>> {
        let Some(row) = git_states::get(tx, space)? else { return Ok(None) };
        let Some(branch) = row.reference.strip_prefix("refs/heads/") else { return Ok(None) };
        let url = row.provider.url.as_deref().unwrap_or(&row.url);
        let Some(repository) = repository_page(url, row.provider.name, branch) else {
            return Ok(None);
        };
        let prefix = git::decode(&row.state)?.prefix;
        Ok(Some(Self { base: format!("{repository}{}", encode(&prefix)) }))
    }

    /// Returns the address for a file, given by its path in the space.
    pub fn address(&self, path: &str) -> String {
        format!("{}{}", self.base, encode(path))
    }
}

fn encode(path: &str) -> String {
    utf8_percent_encode(path, ENCODED).to_string()
}

/// Returns the beginning of the addresses of a repository at which files of a branch are edited.
fn repository_page(url: &str, provider: Option<GitProvider>, branch: &str) -> Option<String> {
    let url = Url::parse(url).ok().filter(|url| matches!(url.scheme(), "https" | "http"))?;
    let host = url.host_str()?;
    let edit = match (provider, host) {
        (Some(GitProvider::Github), _) | (None, "github.com") => "edit",
        (Some(GitProvider::Gitlab), _) | (None, "gitlab.com") => "-/edit",
        (None, "codeberg.org") => "_edit",
        _ => return None,
    };
    let port = url.port().map(|port| format!(":{port}")).unwrap_or_default();
    let path = url.path().trim_matches('/');
    let path = path.strip_suffix(".git").unwrap_or(path);
    (path.split('/').count() >= 2)
        .then(|| format!("{}://{host}{port}/{path}/{edit}/{}/", url.scheme(), encode(branch)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_services_have_pages_for_edits() {
        let (hub, lab) = (Some(GitProvider::Github), Some(GitProvider::Gitlab));
        for (url, provider, expect) in [
            ("https://github.com/a/b.git", None, Some("https://github.com/a/b/edit/x/y/")),
            ("https://github.com/a/b/", hub, Some("https://github.com/a/b/edit/x/y/")),
            ("https://gitlab.com/a/b/c", None, Some("https://gitlab.com/a/b/c/-/edit/x/y/")),
            ("http://git.example:81/a/b", lab, Some("http://git.example:81/a/b/-/edit/x/y/")),
            ("https://codeberg.org/a/b", None, Some("https://codeberg.org/a/b/_edit/x/y/")),
            ("https://git.example/a/b", None, None),
            ("https://github.com/a", None, None),
            ("ssh://git@github.com/a/b", hub, None),
            ("file:///a/b", hub, None),
        ] {
            assert_eq!(repository_page(url, provider, "x/y").as_deref(), expect, "{url}");
        }
        let pages = EditPages { base: "https://github.com/a/b/edit/main/docs/".to_owned() };
        let address = "https://github.com/a/b/edit/main/docs/a%20b/c%23%3F.md";
        assert_eq!(pages.address("a b/c#?.md"), address);
    }
}
