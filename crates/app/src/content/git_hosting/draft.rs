//! Marks of drafts in titles, at services that have no other mark.

use super::pull_request::{PullRequest, PullRequestChange, PullRequestState};

/// The marks of a service.
pub(super) struct DraftMarks {
    /// The mark that is written.
    written: &'static str,
    /// The beginnings of titles that are marks, in lower case.
    known: &'static [&'static str],
}

/// The marks of Gitea and Forgejo.
pub(super) const GITEA: DraftMarks = DraftMarks { written: "WIP: ", known: &["wip:", "[wip]"] };
/// The marks of GitLab.
pub(super) const GITLAB: DraftMarks =
    DraftMarks { written: "Draft: ", known: &["draft:", "[draft]", "(draft)"] };

impl DraftMarks {
    /// Returns `true` if a title has a mark, and the title without it.
    ///
    /// `Draft: Add a page` becomes `Add a page`.
    pub(super) fn split<'a>(&self, title: &'a str) -> (bool, &'a str) {
        let rest = self.known.iter().find_map(|mark| {
            let (start, rest) = title.split_at_checked(mark.len())?;
            start.eq_ignore_ascii_case(mark).then(|| rest.trim_start())
        });
        (rest.is_some(), rest.unwrap_or(title))
    }

    /// Returns a title with one mark if it is that of a draft, else without a mark.
    pub(super) fn set(&self, title: &str, draft: bool) -> String {
        let (_, title) = self.split(title);
        if draft { format!("{}{title}", self.written) } else { title.to_owned() }
    }

    /// Returns the title of a pull request after a change, with its mark.
    pub(super) fn changed(&self, known: &PullRequest, change: &PullRequestChange) -> String {
        let title = change.title.as_ref().unwrap_or(&known.title);
        self.set(title, known.state == PullRequestState::Draft && !change.is_ready)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_mark_drafts_once() {
        for (marks, title, draft, expect) in [
            (GITEA, "Add", true, "WIP: Add"),
            (GITEA, "wip:Add", true, "WIP: Add"),
            (GITEA, "[WIP] Add", false, "Add"),
            (GITEA, "Draft: Add", false, "Draft: Add"),
            (GITEA, "wi", false, "wi"),
            (GITEA, "ääää", true, "WIP: ääää"),
            (GITLAB, "Add", true, "Draft: Add"),
            (GITLAB, "draft:Add", true, "Draft: Add"),
            (GITLAB, "(Draft) Add", false, "Add"),
            (GITLAB, "Add", false, "Add"),
        ] {
            assert_eq!(marks.set(title, draft), expect, "{title}");
        }
    }
}
