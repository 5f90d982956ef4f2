//! The template of the messages of commits.

use bindery_model::{Error, FieldPath, Result, RevisionId};
use bindery_store::change_requests::ChangeRequest;
use bindery_store::spaces::Space;
use bindery_store::{StoreError, Tx, change_requests, revisions, users};

/// The template that is used if none is set.
pub(super) const DEFAULT: &str = "{change_request.subject}";
/// Maximum size of a template in bytes.
const MAX_BYTES: usize = 2_000;
/// Maximum number of revisions among which the change request is searched.
const MAX_REVISIONS: u32 = 500;
/// The names of all fields.
const FIELDS: [&str; 4] =
    ["change_request.subject", "change_request.number", "space.title", "author"];

/// The values of the fields. A field without a value is empty.
#[derive(Debug, Default)]
struct Values {
    subject: String,
    number: String,
    space: String,
    author: String,
}

impl Values {
    fn get(&self, field: &str) -> Option<&str> {
        match field {
            "change_request.subject" => Some(&self.subject),
            "change_request.number" => Some(&self.number),
            "space.title" => Some(&self.space),
            "author" => Some(&self.author),
            _ => None,
        }
    }
}

/// Checks a template and returns it without surrounding space.
///
/// # Errors
/// Returns 400 for an empty or too long template, an unknown field, or a brace without its partner.
pub(super) fn check(text: &str) -> Result<String> {
    check_at(&FieldPath::new("/commitMessage"), text)
}

/// Checks a template that is given at this place, and returns it without surrounding space.
///
/// # Errors
/// Those of [`check`].
pub(in crate::content) fn check_at(at: &FieldPath, text: &str) -> Result<String> {
    let text = text.trim();
    if text.is_empty() || text.len() > MAX_BYTES || text.contains('\0') {
        return Err(at.invalid(format_args!(
            "allowed: a text of 1 to {MAX_BYTES} bytes without null characters"
        )));
    }
    fill(text, &Values::default()).map_err(|problem| {
        let fields = FIELDS.map(|field| format!("{{{field}}}")).join(", ");
        Error::invalid(format!(
            "found {problem}, allowed: the fields {fields}, and {{{{ or }}}} for a brace"
        ))
        .at(at.clone())
    })?;
    Ok(text.to_owned())
}

/// Returns the message of a commit with the changes of a space after the revision `since`. The
/// change request is the last one that was merged. A message without text becomes `Update` and the
/// title of the space.
///
/// # Errors
/// Returns an error if the store fails.
pub(in crate::content) fn render(
    tx: &Tx<'_>,
    template: &str,
    space: &Space,
    since: Option<RevisionId>,
) -> std::result::Result<String, StoreError> {
    let mut values = Values { space: space.title.clone(), ..Values::default() };
    for (index, (_, row)) in
        revisions::history(tx, space.id, None, MAX_REVISIONS)?.into_iter().enumerate()
    {
        if Some(row.id) == since {
            break;
        }
        if let (0, Some(author)) = (index, row.author) {
            values.author =
                users::get(tx, author)?.map(|user| user.display_name).unwrap_or_default();
        }
        if let Some(merged) = change_requests::get_by_merge(tx, space.id, row.id)? {
            values.subject = merged.subject;
            values.number = merged.number.to_string();
            break;
        }
    }
    Ok(filled(template, &values))
}

/// Returns the message of a commit with the changes of a change request.
pub(in crate::content) fn message_of(
    template: &str,
    space: &Space,
    change_request: &ChangeRequest,
    author: String,
) -> String {
    let values = Values {
        subject: change_request.subject.clone(),
        number: change_request.number.to_string(),
        space: space.title.clone(),
        author,
    };
    filled(template, &values)
}

/// Returns a message. One without text becomes `Update` and the title of the space.
fn filled(template: &str, values: &Values) -> String {
    let message = fill(template, values).unwrap_or_default();
    let message = message.trim();
    if message.is_empty() {
        return format!("Update {}", values.space);
    }
    message.to_owned()
}

/// Replaces the fields of a template by their values.
///
/// # Errors
/// Returns a description of the first defect.
fn fill(template: &str, values: &Values) -> std::result::Result<String, String> {
    let mut out = String::with_capacity(template.len());
    let mut rest = template;
    while let Some(at) = rest.find(['{', '}']) {
        let (before, from) = rest.split_at(at);
        out.push_str(before);
        if let Some(after) = from.strip_prefix("{{") {
            out.push('{');
            rest = after;
        } else if let Some(after) = from.strip_prefix("}}") {
            out.push('}');
            rest = after;
        } else {
            let field = from.strip_prefix('{').and_then(|inner| inner.split_once('}'));
            let (name, after) = field.ok_or_else(|| "a brace without its partner".to_owned())?;
            let shown: String = name.chars().take(40).collect();
            let unknown = || format!("the field \"{}\"", shown.escape_debug());
            out.push_str(values.get(name).ok_or_else(unknown)?);
            rest = after;
        }
    }
    out.push_str(rest);
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_replaced() {
        let values = Values {
            subject: "Fix {typo}".to_owned(),
            number: "7".to_owned(),
            space: "Guide".to_owned(),
            author: "Ada".to_owned(),
        };
        let check = |template: &str, expect: &str| {
            assert_eq!(fill(template, &values).as_deref(), Ok(expect), "{template}");
        };
        check("plain", "plain");
        check("{change_request.subject} (#{change_request.number})", "Fix {typo} (#7)");
        check("{space.title}: {author}", "Guide: Ada");
        check("{{literal}}", "{literal}");
        check("é{author}é", "éAdaé");
    }

    #[test]
    fn defects_are_reported() {
        for (template, problem) in [
            ("{nothing}", "nothing"),
            ("{author", "brace"),
            ("author}", "brace"),
            ("{ author }", "author"),
            (" \n", "1 to"),
            ("a\0b", "null"),
        ] {
            let error = check(template).unwrap_err().to_string();
            assert!(error.contains(problem) && error.contains("/commitMessage"), "{error}");
        }
        assert!(check(&"m".repeat(MAX_BYTES + 1)).is_err());
        assert_eq!(check(" {author} ").unwrap(), "{author}");
        assert!(check(DEFAULT).is_ok());
    }
}
