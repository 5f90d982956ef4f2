//! Patterns for the names of branches, in which an asterisk stands for any text.

use bindery_git::RefName;
use bindery_model::{FieldPath, Result};
use bindery_store::git_syncs::GitSyncSettings;

/// Prefix of the full names of branches.
pub(super) const BRANCHES: &str = "refs/heads/";
/// Maximum length of a pattern in bytes.
const MAX_BYTES: usize = 200;

/// Checks a pattern that is given at this place.
///
/// # Errors
/// Returns 400 if it is not the name of a branch with asterisks.
pub(in crate::content) fn check_pattern(at: &FieldPath, pattern: &str) -> Result<()> {
    let name = pattern.replace('*', "x");
    let is_name = RefName::parse(&format!("{BRANCHES}{name}")).is_ok();
    if name.is_empty() || pattern.len() > MAX_BYTES || pattern.starts_with("refs/") || !is_name {
        return Err(at.invalid(format_args!(
            "found \"{}\", allowed: the name of a branch such as docs/intro, in which * stands for \
             any text, of at most {MAX_BYTES} bytes",
            pattern.escape_debug()
        )));
    }
    Ok(())
}

/// Returns `true` if branches with this full name become change requests.
pub(super) fn is_imported(settings: &GitSyncSettings, reference: &str) -> bool {
    let Some(name) = reference.strip_prefix(BRANCHES) else { return false };
    // Branches of the server are not proposals of others.
    reference != settings.reference
        && !name.starts_with(&settings.branch_prefix)
        && settings.branch_patterns.lines().any(|pattern| matches(pattern, name))
}

/// Returns `true` if a name matches a pattern. Takes time in proportion to the product of their
/// lengths at most.
fn matches(pattern: &str, name: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(mut rest) = parts.next().and_then(|first| name.strip_prefix(first)) else {
        return false;
    };
    let Some(last) = parts.next_back() else { return rest.is_empty() };
    for part in parts {
        let Some(at) = rest.find(part) else { return false };
        rest = rest.get(at + part.len()..).unwrap_or_default();
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn asterisks_stand_for_any_text() {
        for (pattern, name) in [
            ("*", "a"),
            ("main", "main"),
            ("docs/*", "docs/a/b"),
            ("*-docs", "new-docs"),
            ("a*b*c", "abc"),
            ("a*b*c", "axbxbxc"),
            ("*a*", "bab"),
        ] {
            assert!(matches(pattern, name), "{pattern} {name}");
        }
        for (pattern, name) in [
            ("main", "mainly"),
            ("docs/*", "docs"),
            ("*-docs", "docs"),
            ("a*a", "a"),
            ("a*b*c", "acb"),
        ] {
            assert!(!matches(pattern, name), "{pattern} {name}");
        }
    }

    #[test]
    fn patterns_are_names_of_branches() {
        let at = FieldPath::new("/import");
        for pattern in ["*", "docs/*", "a*b", "main"] {
            assert!(check_pattern(&at, pattern).is_ok(), "{pattern}");
        }
        let long = "x".repeat(MAX_BYTES + 1);
        for pattern in ["", "a b", "a..b", "refs/heads/*", "a\nb", "/a", "a~", &long] {
            assert!(check_pattern(&at, pattern).is_err(), "{pattern}");
        }
    }
}
