//! Links in mails.

/// Returns the secret at the end of a link, which follows `path` in the text of a mail.
pub(crate) fn secret_after(path: &str, text: &str) -> String {
    let (_, rest) = text.split_once(path).unwrap();
    let end = |char: char| !char.is_ascii_alphanumeric() && !"-_".contains(char);
    rest.split(end).next().unwrap().to_owned()
}
