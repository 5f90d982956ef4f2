//! The names of branches that the server makes for change requests.

use bindery_model::FieldPath;
use bindery_store::change_requests::ChangeRequest;

use super::patterns::BRANCHES;
use super::run::{BranchRun, Listing};

/// Maximum length of the name of a branch after its prefix, in bytes.
const MAX_NAME: usize = 60;

impl BranchRun<'_> {
    /// Returns the full name of a new branch for a change request.
    pub(super) fn branch_name(&self, row: &ChangeRequest, listing: &Listing) -> String {
        let prefix = &self.sync.settings.branch_prefix;
        let words = slug_of(&row.subject);
        let mut name = format!("{BRANCHES}{prefix}{}", row.number);
        if !words.is_empty() {
            name = format!("{name}-{words}");
        }
        free_name(&name, listing)
    }
}

/// Returns a name that no branch has. A branch of the same name belongs to somebody else.
pub(super) fn free_name(name: &str, listing: &Listing) -> String {
    let mut free = name.to_owned();
    for number in 2.. {
        if !listing.contains_key(&free) {
            break;
        }
        free = format!("{name}-{number}");
    }
    free
}

/// Returns a subject as part of the name of a branch: `Fix a typo!` becomes `fix-a-typo`. Letters
/// and digits beyond ASCII are left out, because not every tool accepts them in names of branches.
fn slug_of(subject: &str) -> String {
    let mut words = String::new();
    for c in subject.chars() {
        if c.is_ascii_alphanumeric() {
            words.push(c.to_ascii_lowercase());
        } else if !words.is_empty() && !words.ends_with('-') {
            words.push('-');
        }
        if words.len() >= MAX_NAME {
            break;
        }
    }
    words.trim_matches('-').to_owned()
}

/// Checks the beginning of the names of branches.
///
/// # Errors
/// Returns 400 if no branch can begin with it.
pub(in crate::content) fn check_prefix(at: &FieldPath, prefix: &str) -> bindery_model::Result<()> {
    let is_name = bindery_git::RefName::parse(&format!("{BRANCHES}{prefix}1")).is_ok();
    if prefix.is_empty() || prefix.len() > 100 || prefix.starts_with("refs/") || !is_name {
        return Err(at.invalid(format_args!(
            "found \"{}\", allowed: the beginning of the name of a branch, such as bindery/, of 1 to \
             100 bytes",
            prefix.escape_debug()
        )));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn subjects_become_names_of_branches() {
        for (subject, expect) in [
            ("Fix a typo!", "fix-a-typo"),
            ("  C++ & Rust ", "c-rust"),
            ("目录", ""),
            ("../../etc", "etc"),
            ("a.lock", "a-lock"),
        ] {
            assert_eq!(slug_of(subject), expect);
        }
        assert_eq!(slug_of(&"x".repeat(100)).len(), MAX_NAME);
    }
}
