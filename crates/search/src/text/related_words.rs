//! English words with a similar meaning in manuals.
//!
//! Readers ask how to `delete` what a page tells to `remove`. The words of a group are searched in
//! addition to the typed ones if a query has many words.

use std::collections::HashMap;
use std::sync::OnceLock;

use super::stem::Language;

/// Groups of words and compounds in lower case.
const GROUPS: &str = "
2fa mfa two-factor multi-factor
abort cancel end stop terminate
access permission privilege right role
account profile
activate enable
adapt adjust alter change customize edit modify update
add create insert
address link url
admin administrator
alert notification notify
allow enable permit
answer reply response
app application program
accept approve review
attach attachment
auth authenticate authentication
backup dump snapshot
begin start
big large size
bill charge invoice receipt
block deny forbid prevent reject restrict
bug defect issue
broken error fail failure fault issue problem
clone copy duplicate
colleague collaborator member teammate
color colour palette theme
combine join merge
config configuration option preference setting
connect integrate integration
cost fee price pricing
credential password
customer client
data information
database db
deactivate disable
delay timeout wait
delete erase remove
deploy host publish
dev developer programmer
chart diagram graph
directory folder
display show view
divide separate split
doc documentation manual
download export
email mail message
embed include
env environment
example sample
expire expiry retention
fast performance quick slow speed
fix repair resolve solve troubleshoot
guide tutorial
history revision version
icon logo
image photo picture
import migrate
install installation setup
keep retain retention save store
language locale localize translate translation
limit maximum quota
log login sign signin
enforce force mandatory require
migrate move transfer
mobile phone smartphone
order sort
company organization workspace
pay payment
people person user
personal private
choose pick select
plan subscription
recover restore revert rollback undo
redirect forward
repeat rerun retry
repo repository
outcome result
execute launch run
safe secure security
sign-on sso
csv excel spreadsheet
sync synchronize
label tag
tool utility
website site
";

/// Returns the words that are related to a word or compound in lower case.
pub(crate) fn related_words(word: &str) -> &'static [&'static str] {
    static WORDS: OnceLock<HashMap<String, Vec<&'static str>>> = OnceLock::new();
    let words = WORDS.get_or_init(|| {
        let mut words: HashMap<String, Vec<&'static str>> = HashMap::new();
        for group in GROUPS.lines() {
            for one in group.split_whitespace() {
                let others = group.split_whitespace().filter(|other| *other != one);
                words.entry(english_stem(one)).or_default().extend(others);
            }
        }
        words
    });
    words.get(&english_stem(word)).map_or(&[], Vec::as_slice)
}

/// Returns the stem of an English word, or the word if it has none.
pub(crate) fn english_stem(word: &str) -> String {
    let mut stem = String::new();
    if Language::of(Some("en")).stem(word, &mut stem) { stem } else { word.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_found_by_their_stems() {
        assert_eq!(related_words("deleting"), ["erase", "remove"]);
        assert_eq!(related_words("two-factor"), ["2fa", "mfa", "multi-factor"]);
        assert!(related_words("snippet").is_empty());
    }

    #[test]
    fn words_are_in_lower_case() {
        assert!(GROUPS.chars().all(|c| !c.is_uppercase()));
    }
}
