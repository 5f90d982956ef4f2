//! English words with a similar meaning in manuals.
//!
//! Readers ask how to `delete` what a page tells to `remove`. The words of a group are searched in
//! addition to the typed ones if a query has many words.

use std::collections::HashMap;
use std::sync::OnceLock;

use super::stem::Language;

/// Groups of words and compounds in lower case.
const GROUPS: &str = "
2fa mfa multi-factor two-factor
abort cancel end stop terminate
abroad foreign international overseas
accept approve review
access permission privilege right role
accident accidentally mistake
account profile
activate enable
adapt adjust alter change customize edit modify update
add create insert
addon extend extension module plugin
address link url
admin administrator
alert notification notify
allow enable permit
amazon aws
analyse analysis analyze
analytics insight metric statistic statistics
annotation comment note remark
annual year yearly
answer reply response
app application program
approval approve
argument flag option parameter
arrive deliver delivery
assistance contact help support
attach attachment
auth authenticate authentication
author compose write
authorisation authorise authorization authorize
automate automatic automatically automation
backup dump snapshot
begin start
behavior behaviour
big bigger large larger resize size small smaller
bill charge invoice receipt
block deny forbid prevent reject restrict
broken error fail failure fault issue problem
bug defect issue
build compile
buy order purchase
callback webhook
cap limit restriction threshold
capture record
catalog catalogue index list
category kind type
center centre
cert certificate ssl tls
changelog release version
chapter section
chart diagram graph
check confirm inspect validate verify
choice choose
choose pick select
ci continuous-integration pipeline workflow
cli command-line console shell terminal
client customer
clone copy duplicate
close quit
collaborate collaboration collaborative simultaneous simultaneously together
collaborator colleague member teammate
collect gather
color colour palette theme
combine join merge
company organisation organization workspace
compare comparison diff difference
complete finish
compress zip
computer device machine
conceal hidden hide invisible
concurrent parallel simultaneous
config configuration option preference setting
connect integrate integration
convert transform
cost fee price pricing
country region
create generate produce
credential password
crop cut trim
csv excel spreadsheet
customise customize personalise personalize
cut divide separate split
daily day
data information
database db
deactivate disable
decrease lower reduce
define definition explain glossary meaning
delay timeout wait
delete erase remove
deliver send submit
deploy host publish
describe description
dev developer programmer
dialog modal popup window
directory folder
display show view
doc documentation manual
down offline outage unavailable unreachable
download export
duration time
earlier former historical old older past previous
email mail message
embed include
encrypt encryption
enforce force mandatory require
env environment
evaluation trial
example sample
exchange replace substitute swap
exclude ignore omit skip
execute launch run
exit leave quit
expire expiry retention
faq question
fast faster performance quick slow slower speed
favorite favourite
first-steps getting-started quickstart
fix repair resolve solve troubleshoot
font typeface typography
forward redirect
function method procedure
fund money
gcp google-cloud
gray grey
group team
guest reader visitor
gui interface ui
guide tutorial
hardware prerequisite requirement
header heading title
height high higher
history revision version
host server
hotkey shortcut
hour hourly
icon logo
id identifier
identification identify identity
image photo picture
image screenshot
import migrate
incorrect invalid wrong
increase raise
info information
inform notification notify
initialise initialize
install installation setup
internet online web
javascript js
k8s kubernetes
keep kept retain retention save store
label tag
language locale localise localize translate translation
last latest new newer newest recent
learn teach train
library package sdk
licence license
limit limitation limited maximum quota
live real-time
locate lookup search
log login sign signin
lost missing
max maximum
merchant seller vendor
migrate move transfer
min minimal minimum
mobile phone smartphone
modification modify
monitor observe track watch
month monthly
name rename
on-premise on-premises self-hosted self-managed
operating-system os
optimise optimize
order sort
outcome result
overview summary
passphrase password pin
path route
pause suspend
pay payment
people person user
personal private
phone telephone
placeholder variable
plan subscription
policy rule
postgres postgresql
program software
protect protection secure security
reboot restart
receiver recipient
recognise recognize
recording video
recover restore revert rollback undo
refund reimburse
regex regular-expression
register registration sign-up signup
repeat rerun retry
repo repository
reusable reuse
safe secure security
schema structure
secret token
sign-on sso
site website
sms text-message
spec specification specify
state status
subscribe subscription
sync synchronise synchronize
temp temporary
tool utility
ts typescript
update upgrade
verification verify
virtual-machine vm
visualise visualize
warn warning
week weekly
wide wider width
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
        assert_eq!(related_words("notified"), ["alert", "notification", "inform", "notification"]);
        assert_eq!(related_words("analysis"), ["analyse", "analyze"]);
        assert!(related_words("snippet").is_empty());
    }

    #[test]
    fn words_are_in_lower_case() {
        assert!(GROUPS.chars().all(|c| !c.is_uppercase()));
    }
}
