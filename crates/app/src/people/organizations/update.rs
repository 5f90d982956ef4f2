//! Updates of an organization's settings.

use bindery_model::{CollectionId, Error, FieldPath, Result, Role, SiteId, SpaceId};
use bindery_store::organizations::{self, DefaultContent, Organization};
use bindery_store::{Event, FieldChange, NewEvent, StoreError, sites};
use serde_json::Value;

use super::TITLE;
use crate::access::Authorized;
use crate::review::merge_rules::MergeRules;
use crate::{Context, text};

/// Maximum number of mail domains of one organization.
const MAX_DOMAINS: usize = 100;

/// The default content of an organization, as the request names it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ContentPointer {
    /// The site with this id.
    Site(String),
    /// The space with this id.
    Space(String),
    /// The collection with this id.
    Collection(String),
}

/// Changes to an organization. Absent fields stay unchanged.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct OrganizationPatch {
    /// The title.
    pub title: Option<String>,
    /// The mail domains whose users can join.
    pub email_domains: Option<Vec<String>>,
    /// The subdomain of the organization's public content.
    pub hostname: Option<String>,
    /// The role of members on spaces and collections that set no level of their own; `Some(None)`:
    /// none.
    pub default_role: Option<Option<Role>>,
    /// The content that members see first; `Some(None)`: none.
    pub default_content: Option<Option<ContentPointer>>,
    /// The URL of the logo; `Some(None)`: none.
    pub logo: Option<Option<String>>,
    /// `true` requires members to sign in through a provider.
    pub sso: Option<bool>,
    /// `true` switches on the features that use AI.
    pub ai: Option<bool>,
    /// `true` switches on invite links.
    pub invite_links: Option<bool>,
    /// The merge rules of spaces that have none of their own.
    pub merge_rules: Option<MergeRules>,
}

/// Updates an organization.
///
/// # Errors
/// Returns 400 with the invalid field, and 409 if the hostname is in use or if `sso` is set,
/// because organizations have no sign-in provider.
pub fn update(
    cx: &Context<'_>,
    before: &Authorized<Organization>,
    patch: OrganizationPatch,
) -> Result<Organization> {
    let had = organizations::email_domains(cx.tx, before.id)?;
    let domains = match &patch.email_domains {
        Some(given) => domains(given)?,
        None => had.clone(),
    };
    let after = changed(cx, before, patch)?;
    let mut changes = differences(before, &after)?;
    changes.extend(FieldChange::of("emailDomains", &had, &domains)?);
    if changes.is_empty() {
        return Ok(after);
    }
    organizations::update(cx.tx, &after)?;
    if had != domains {
        organizations::set_email_domains(cx.tx, after.id, &domains)?;
    }
    cx.tx.record(
        &NewEvent::new(Event::OrganizationUpdated { changes }).by(cx.user()).organization(after.id),
    )?;
    Ok(after)
}

fn changed(
    cx: &Context<'_>,
    before: &Organization,
    patch: OrganizationPatch,
) -> Result<Organization> {
    let OrganizationPatch {
        title,
        email_domains: _,
        hostname,
        default_role,
        default_content,
        logo,
        sso,
        ai,
        invite_links,
        merge_rules,
    } = patch;
    let mut after = before.clone();
    if let Some(title) = title {
        after.title = text::title("/title", &title, TITLE.0, TITLE.1)?;
    }
    if let Some(hostname) = hostname {
        after.hostname = Some(free_hostname(cx, before, &hostname)?);
    }
    after.default_role = default_role.unwrap_or(before.default_role);
    if let Some(content) = default_content {
        let content = content.map(|pointer| content_of(cx, before, &pointer));
        after.default_content = content.transpose()?;
    }
    if let Some(logo) = logo {
        after.logo = logo.map(|logo| text::web_address("/logo", &logo)).transpose()?;
    }
    if sso == Some(true) {
        return Err(
            Error::conflict("the organization has no sign-in provider").at(FieldPath::new("/sso"))
        );
    }
    after.ai = ai.unwrap_or(before.ai);
    after.invite_links = invite_links.unwrap_or(before.invite_links);
    if let Some(rules) = merge_rules {
        rules.check(&FieldPath::new("/mergeRules"), cx.tx, before.id)?;
        after.merge_rules = rules.stored()?;
    }
    Ok(after)
}

fn content_of(
    cx: &Context<'_>,
    organization: &Organization,
    pointer: &ContentPointer,
) -> Result<DefaultContent> {
    let (kind, content) = match pointer {
        ContentPointer::Site(id) => ("site", SiteId::parse(id).map(DefaultContent::Site)),
        ContentPointer::Space(id) => ("space", SpaceId::parse(id).map(DefaultContent::Space)),
        ContentPointer::Collection(id) => {
            ("collection", CollectionId::parse(id).map(DefaultContent::Collection))
        }
    };
    if let Some(content) = content
        && organizations::contains(cx.tx, organization.id, content)?
    {
        return Ok(content);
    }
    Err(Error::invalid(format!("allowed: the id of a {kind} of this organization"))
        .at(FieldPath::new("/defaultContent").field(kind)))
}

/// Returns a hostname in lower case, if it is valid and neither another organization nor a site of
/// one has it.
fn free_hostname(cx: &Context<'_>, organization: &Organization, hostname: &str) -> Result<String> {
    let hostname = hostname.to_ascii_lowercase();
    if !is_subdomain(&hostname) {
        return Err(Error::invalid(format!(
            "found {hostname:?}, allowed: 3 to 32 letters a to z, digits and \
             hyphens, with a letter or digit at both ends"
        ))
        .at(FieldPath::new("/hostname")));
    }
    let taken = organizations::get_by_hostname(cx.tx, &hostname)?
        .is_some_and(|other| other.id != organization.id)
        || sites::get_by_basename(cx.tx, &hostname)?
            .is_some_and(|site| site.organization != organization.id);
    if taken {
        return Err(Error::conflict(format!("{hostname} is taken")).at(FieldPath::new("/hostname")));
    }
    Ok(hostname)
}

/// Returns `true` if a text has the form of a subdomain, as the API contract defines it.
pub(crate) fn is_subdomain(text: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    (3..=32).contains(&text.len())
        && text.bytes().all(|byte| plain(byte) || byte == b'-')
        && text.as_bytes().first().is_some_and(|byte| plain(*byte))
        && text.as_bytes().last().is_some_and(|byte| plain(*byte))
}

/// Normalizes mail domains and removes duplicates. Example: `Example.ORG` becomes `example.org`.
///
/// # Errors
/// Returns 400 with the first invalid domain.
pub(super) fn domains(given: &[String]) -> Result<Vec<String>> {
    if given.len() > MAX_DOMAINS {
        return Err(Error::invalid(format!(
            "found {}, allowed: at most {MAX_DOMAINS}",
            given.len()
        ))
        .at(FieldPath::new("/emailDomains")));
    }
    let mut domains: Vec<String> = Vec::with_capacity(given.len());
    for (index, one) in given.iter().enumerate() {
        let domain = text::domain(one).ok_or_else(|| {
            Error::invalid(format!("found {one:?}, allowed: a domain like example.org"))
                .at(FieldPath::new("/emailDomains").field(index))
        })?;
        if !domains.contains(&domain) {
            domains.push(domain);
        }
    }
    Ok(domains)
}

/// Returns the changed fields, with the API contract's names.
fn differences(
    before: &Organization,
    after: &Organization,
) -> Result<Vec<FieldChange>, StoreError> {
    let rules = |organization: &Organization| -> Option<Value> {
        serde_json::from_str(organization.merge_rules.as_deref()?).ok()
    };
    let role = |organization: &Organization| organization.default_role.map(Role::as_str);
    let content =
        |organization: &Organization| organization.default_content.map(DefaultContent::stored);
    let changes = [
        FieldChange::of("title", &before.title, &after.title)?,
        FieldChange::of("hostname", &before.hostname, &after.hostname)?,
        FieldChange::of("defaultRole", &role(before), &role(after))?,
        FieldChange::of("defaultContent", &content(before), &content(after))?,
        FieldChange::of("logo", &before.logo, &after.logo)?,
        FieldChange::of("ai", &before.ai, &after.ai)?,
        FieldChange::of("inviteLinks", &before.invite_links, &after.invite_links)?,
        FieldChange::of("mergeRules", &rules(before), &rules(after))?,
    ];
    Ok(changes.into_iter().flatten().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn subdomains_have_one_form() {
        for (text, valid) in [
            ("abc", true),
            ("a-1", true),
            ("ab", false),
            ("-ab", false),
            ("ab-", false),
            ("a.b", false),
            ("äbc", false),
            ("0123456789012345678901234567890a", true),
            ("0123456789012345678901234567890ab", false),
        ] {
            assert_eq!(is_subdomain(text), valid, "{text}");
        }
    }

    #[test]
    fn domains_are_normalized_and_deduplicated() {
        let given = ["Example.ORG", "example.org", "bücher.example"].map(str::to_owned);
        assert_eq!(domains(&given).unwrap(), ["example.org", "xn--bcher-kva.example"]);
        for bad in ["", "localhost", "@example.org", "a b.org", "example.org.", "a..b", "1.2.3.4"] {
            assert!(domains(&[bad.to_owned()]).is_err(), "{bad}");
        }
    }
}
