//! The type and the audience of a site.

crate::closed_set! {
    /// The type of a site. All types have the same features.
    SiteType {
        /// The type of sites that are created without one.
        Basic = "basic",
        /// A paid type of the API contract.
        Premium = "premium",
        /// A paid type of the API contract.
        Ultimate = "ultimate",
        /// A type of the API contract for sponsored sites.
        Sponsored = "sponsored",
        /// An old type of the API contract.
        LegacyBasic = "legacy-basic",
        /// An old type of the API contract.
        LegacyPremium = "legacy-premium",
    }
}

crate::closed_set! {
    /// The audience of a site.
    SiteVisibility {
        /// All readers, including search engines.
        Public = "public",
        /// All readers who know the address.
        Unlisted = "unlisted",
        /// Readers with one of the site's share keys.
        ShareLink = "share-link",
        /// Readers who are signed in through the organization.
        VisitorAuth = "visitor-auth",
    }
}

crate::closed_set! {
    /// The service that signs visitors in to a site.
    VisitorAuthBackend {
        /// A server of the organization, which signs tokens with the site's key.
        Custom = "custom",
        /// An integration.
        Integration = "integration",
    }
}

crate::closed_set! {
    /// The permission of agents to use a site as context.
    SiteAgentsContext {
        /// Agents do not use the site.
        Excluded = "excluded",
        /// Agents may use the site.
        Included = "included",
    }
}

crate::closed_set! {
    /// The state of the review of a site's ads.
    SiteAdsStatus {
        /// The site was not submitted.
        Pending = "pending",
        /// The site was submitted.
        InReview = "in-review",
        /// The site must not show ads.
        Rejected = "rejected",
        /// The site shows ads.
        Live = "live",
        /// The ads of the site were stopped.
        Disabled = "disabled",
    }
}

crate::closed_set! {
    /// The subject of a site's ads.
    SiteAdsTopic {
        /// Development of websites.
        Webdev = "webdev",
        /// Cryptocurrencies.
        Crypto = "crypto",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_values() {
        for visibility in SiteVisibility::ALL {
            assert_eq!(SiteVisibility::parse(visibility.as_str()), Some(visibility));
        }
        assert_eq!(SiteVisibility::VisitorAuth.as_str(), "visitor-auth");
        assert_eq!(SiteVisibility::parse("Public"), None);
        assert_eq!(SiteType::parse("legacy-basic"), Some(SiteType::LegacyBasic));
        assert_eq!(SiteType::parse(""), None);
    }
}
