//! Items that a caller does not see are treated as nonexistent, for every id in a body. The
//! positions are derived from the contract; the test fails for positions that are not listed here.

use std::collections::BTreeMap;

use bindery_contract::{Contract, Operation};
use bindery_testkit::{Answer, Client};
use serde_json::Value;

use crate::support::every_operation::{Ids, about, built};
use crate::support::schema_bodies::{Position, body, positions};
use crate::support::two_organizations::{Comparison, TwoOrganizations};
use crate::support::{TestEnv, each_engine, on_sqlite};

/// The positions that contain ids, with the patterns of their values.
const NAMING: &[(&str, &[&str])] = &[
    ("AcceptInvitation:/invitation", &["{invitation}"]),
    ("ApplySpaceTemplate:/id", &["{spaceId}"]),
    ("ChangeRequestContentChangeDeletePage:/page", &["{pageId}"]),
    ("ChangeRequestContentChangeInsertPage:/into", &["{pageId}"]),
    ("ChangeRequestContentChangeRevertPage:/page", &["{pageId}"]),
    ("ChangeRequestContentChangeRevertPage:/revision", &["{revisionId}"]),
    ("ChangeRequestContentChangeUpdatePage:/into", &["{pageId}"]),
    ("ChangeRequestContentChangeUpdatePage:/page", &["{pageId}"]),
    ("CollectionPointer:/collection", &["{collectionId}"]),
    ("ComputedContentDependencySpace:/value/id", &["{spaceId}"]),
    ("ComputedContentDependencySpace:/value/revision", &["{revisionId}"]),
    ("ComputedContentSourceDocumentOpenAPI:/props/page", &["{pageId}"]),
    ("ComputedContentSourceDocumentTranslation:/props/document", &["{documentId}"]),
    ("ComputedContentSourceDocumentTranslation:/props/space", &["{spaceId}"]),
    ("ContentRefAnchor:/page", &["{pageId}"]),
    ("ContentRefAnchor:/space", &["{spaceId}"]),
    ("ContentRefCollection:/collection", &["{collectionId}"]),
    ("ContentRefFile:/file", &["{fileId}"]),
    ("ContentRefPage:/page", &["{pageId}"]),
    ("ContentRefPage:/space", &["{spaceId}"]),
    ("ContentRefReusableContent:/reusableContent", &["{reusableContentId}"]),
    ("ContentRefReusableContent:/space", &["{spaceId}"]),
    ("ContentRefSpace:/space", &["{spaceId}"]),
    ("ContentRefURL:/url", &["https://app.gitbook.com/s/{spaceId}/page"]),
    ("ContentRefUser:/user", &["{userId}"]),
    ("CreateInviteToCollection:/collection", &["{collectionId}"]),
    ("CreateInviteToSpace:/space", &["{spaceId}"]),
    ("CreatePersonalToken:/organizations/*", &["{organizationId}"]),
    ("CreatePersonalToken:/spaces/*", &["{spaceId}"]),
    ("CreateSpace:/parent", &["{collectionId}"]),
    ("CreateUser:/organization", &["{organizationId}"]),
    ("DocumentTableRecord:/values/{}", &["{fileId}", "{spaceId}", "{userId}"]),
    ("DocumentTableRecord:/values/{}/*", &["{fileId}", "{spaceId}", "{userId}"]),
    ("InviteSiteUsersAndTeams:/teams/*", &["{teamId}"]),
    ("InviteSiteUsersAndTeams:/users/*", &["{userId}"]),
    ("InviteUsersAndTeams:/teams/*", &["{teamId}"]),
    ("InviteUsersAndTeams:/users/*", &["{userId}"]),
    ("InviteUsersToOrganization:/emails/*", &["{mail}"]),
    ("InviteUsersToOrganization:/emails/*/email", &["{mail}"]),
    (
        "MarkdownDocument:/markdown",
        &[
            "[a](https://app.gitbook.com/s/{spaceId})",
            "[a](https://app.gitbook.com/s/{spaceId}/page)",
            "[a](https://app.gitbook.com/s/{spaceId}/{pageId})",
            "[a](https://app.gitbook.com/c/{collectionId})",
            "[a](https://app.gitbook.com/u/{userId})",
            "[a](https://app.gitbook.com/o/{organizationId}/s/{spaceId}/)",
            "<table><thead><tr><th>a</th><th data-type=\"content-ref\">b</th></tr></thead><tbody>\
             <tr><td>a</td><td><a href=\"https://app.gitbook.com/s/{spaceId}/page\">a</a></td></tr>\
             </tbody></table>",
            "<table><thead><tr><th>a</th><th data-type=\"users\">b</th></tr></thead><tbody>\
             <tr><td>a</td><td><a href=\"https://app.gitbook.com/u/{userId}\">a</a></td></tr>\
             </tbody></table>",
            "[a](broken-reference \"{pageId}\")",
            "{% content-ref url=\"https://app.gitbook.com/s/{spaceId}/page\" %}\na\n\
             {% endcontent-ref %}",
            "{% include \"https://app.gitbook.com/s/{spaceId}/~/reusable/{reusableContentId}/\" %}",
        ],
    ),
    ("GitSyncInstallationTarget:/siteId", &["{siteId}"]),
    ("GitSyncInstallationTarget:/spaceId", &["{spaceId}"]),
    ("MergeRule:/users/*", &["{userId}"]),
    ("NewNavigationPage:/into", &["{pageId}"]),
    ("PostCommentSchema:/page", &["{pageId}"]),
    ("SendSignInLink:/email", &["{mail}"]),
    ("SignIn:/email", &["{mail}"]),
    ("SitePointer:/site", &["{siteId}"]),
    ("SiteRedirectDestinationPage:/pageId", &["{pageId}"]),
    ("SiteRedirectDestinationPage:/siteSpaceId", &["{siteSpaceId}"]),
    ("SiteRedirectDestinationSiteSpace:/siteSpaceId", &["{siteSpaceId}"]),
    ("SiteRedirectInputDestinationPath:/spaceId", &["{spaceId}"]),
    ("SpacePointer:/space", &["{spaceId}"]),
    ("StorageFileKey:", &["{storageKey}"]),
    ("TranslationResult:/revision", &["{revisionId}"]),
    ("TranslationResult:/space", &["{spaceId}"]),
    ("UpdateMembersInOrganizationTeam:/add/*", &["{userId}"]),
    ("UpdateMembersInOrganizationTeam:/memberships/{name}", &["{userId}"]),
    ("UpdateMembersInOrganizationTeam:/remove/*", &["{userId}"]),
    ("SiteSectionGroupPointer:/id", &["{siteSectionGroupId}"]),
    ("SiteSectionPointer:/siteSection", &["{siteSectionId}"]),
    ("SiteSpacePointer:/siteSpace", &["{siteSpaceId}"]),
    ("SiteSearchScope:/currentSiteSpace", &["{siteSpaceId}"]),
    ("SiteSearchScope:/siteSpaceIds/*", &["{siteSpaceId}"]),
    ("SiteStructureItemPointer:/id", &["{siteSpaceId}"]),
    ("addExternalLinkToSite:/parent", &["{siteSectionGroupId}"]),
    ("addSectionGroupToSite:/parent", &["{siteSectionGroupId}"]),
    ("addSectionGroupToSite:/sections/*", &["{siteSectionId}"]),
    ("addSectionToGroup:/sectionId", &["{siteSectionId}"]),
    ("addSectionToSite:/spaceId", &["{spaceId}"]),
    ("addSpaceToSite:/sectionId", &["{siteSectionId}"]),
    ("addSpaceToSite:/spaceId", &["{spaceId}"]),
    ("applyTemplateToSpace:/changeRequestId", &["{changeRequestId}"]),
    ("createCollection:/parent", &["{collectionId}"]),
    ("createOrganizationTeam:/members/*", &["{userId}"]),
    ("createSite:/spaces/*", &["{spaceId}"]),
    ("discardChangeRequestPage:/page", &["{pageId}"]),
    ("moveCollection:/parent", &["{collectionId}"]),
    ("moveSpace:/parent", &["{collectionId}"]),
    ("requestReviewersForChangeRequest:/users/*", &["{userId}"]),
    ("revertSpace:/revision", &["{revisionId}"]),
    ("searchSiteContent:/siteSpaceId", &["{siteSpaceId}"]),
    ("searchSiteContent:/siteSpaceIds/*", &["{siteSpaceId}"]),
    ("transferCollection:/organization", &["{organizationId}"]),
    ("transferSpace:/organization", &["{organizationId}"]),
    ("transferSpace:/parent", &["{collectionId}"]),
    ("updateSiteExternalLinkById:/parent", &["{siteSectionGroupId}"]),
    ("updateSiteById:/defaultSiteSection", &["{siteSectionId}"]),
    ("updateSiteById:/defaultSiteSpace", &["{siteSpaceId}"]),
    ("updateSiteSectionById:/defaultSiteSpace", &["{siteSpaceId}"]),
    ("updateSiteSpaceById:/spaceId", &["{spaceId}"]),
];

/// The positions that contain no ids, or only ids of items that do not exist yet.
const PLAIN: &str = "
ChosenSuggestions:/suggestions/* EditingSelection:/client EditingSteps:/client EditingWork:/client searchSiteContent:/query NewSiteImage:/name NewSiteImage:/base64 ExpressionToCheck:/expression NotificationsChange:/notifications/*
SiteInsightsAd:/domain SiteInsightsAd:/zoneId SiteInsightsEventAskQuestion:/query
SiteInsightsEventAskRateResponse:/query SiteInsightsEventAskRateResponse:/responseId
SiteInsightsEventLocation:/page SiteInsightsEventLocation:/revision
SiteInsightsEventLocation:/siteSection SiteInsightsEventLocation:/siteShareKey
SiteInsightsEventLocation:/siteSpace SiteInsightsEventLocation:/space
SiteInsightsEventPagePostFeedbackComment:/feedback/comment
SiteInsightsEventSearchOpenResult:/query SiteInsightsEventSearchOpenResult:/result/pageId
SiteInsightsEventSearchOpenResult:/result/spaceId SiteInsightsEventSearchTypeQuery:/query
SiteInsightsEventSession:/cookies/{name} SiteInsightsEventSession:/cookies/{}
SiteInsightsEventSession:/ip SiteInsightsEventSession:/language
SiteInsightsEventSession:/sessionId SiteInsightsEventSession:/userAgent
SiteInsightsEventSession:/visitorAuthToken SiteInsightsEventSession:/visitorId
SiteInsightsQueryEventsColumn:/claim SiteInsightsQueryEventsValues:/claim
SiteInsightsQueryEventsValues:/values/* SiteInsightsQueryEventsValues:/values/*/h3
SiteInsightsQueryEventsValues:/values/*/page SiteInsightsQueryEventsValues:/values/*/space
AcceptInvitation:/displayName ChangeRequestContentChangeInsertFiles:/files/*/base64
ChangeRequestContentChangeInsertFiles:/files/*/contentType
ChangeRequestContentChangeInsertFiles:/files/*/name
ChangeRequestContentChangeInsertFiles:/files/*/ref
ChangeRequestContentChangeInsertFiles:/files/*/url ChangeRequestContentChangeInsertPage:/ref
ChangeRequestContentChangeRevertPage:/block/* ChangeRequestSubject: CollectionDescription:
CollectionTitle: ComputedContentDependencyOpenAPI:/value/id
ComputedContentDependencyOpenAPI:/value/lastVersion ComputedContentDependencyOpenAPI:/value/slug
ComputedContentSourceIntegration:/dependencies/{name} ComputedContentSourceIntegration:/type
ContentKitAction:/action ContentKitDefaultAction:/componentId ContentKitDefaultAction:/url
ContentRefAnchor:/anchor ContentRefOpenAPI:/spec CreateSpace:/title CreateUser:/displayName
CreateUser:/email DocumentBlockCode:/data/syntax DocumentBlockCode:/data/title
DocumentBlockCode:/key DocumentBlockCodeLine:/key DocumentBlockColumn:/key
DocumentBlockColumns:/key DocumentBlockContentRef:/key DocumentBlockDivider:/key
DocumentBlockDrawing:/key DocumentBlockEmbed:/data/url DocumentBlockEmbed:/key
DocumentBlockExpandable:/key DocumentBlockExpandable:/meta/id DocumentBlockFile:/key
DocumentBlockHeading:/data/id DocumentBlockHeading:/key DocumentBlockHeading:/meta/id
DocumentBlockHint:/key DocumentBlockIf:/data/expression DocumentBlockIf:/key
DocumentBlockImage:/data/alt DocumentBlockImage:/key DocumentBlockImages:/key
DocumentBlockIntegration:/data/block DocumentBlockIntegration:/data/integration
DocumentBlockIntegration:/data/url DocumentBlockIntegration:/key DocumentBlockListItem:/key
DocumentBlockListOrdered:/key DocumentBlockListTasks:/key DocumentBlockListUnordered:/key
DocumentBlockMath:/data/formula DocumentBlockMath:/key DocumentBlockOpenAPI:/key
DocumentBlockOpenAPI:/meta/id DocumentBlockOpenAPIOperation:/key
DocumentBlockOpenAPIOperation:/meta/id DocumentBlockOpenAPISchemas:/key
DocumentBlockOpenAPISchemas:/meta/id DocumentBlockOpenAPIWebhook:/key
DocumentBlockOpenAPIWebhook:/meta/id DocumentBlockParagraph:/key DocumentBlockQuote:/key
DocumentBlockReusableContent:/key DocumentBlockReusableContent:/meta/token
DocumentBlockStepper:/key DocumentBlockStepperStep:/data/icon DocumentBlockStepperStep:/key
DocumentBlockTable:/data/definition/{name} DocumentBlockTable:/data/records/{name}
DocumentBlockTable:/key DocumentBlockTabs:/key DocumentBlockTabsItem:/data/title
DocumentBlockTabsItem:/key DocumentBlockTabsItem:/meta/id DocumentFragment:/fragment
DocumentFragment:/key DocumentFragment:/type DocumentInlineAnnotation:/key
DocumentInlineButton:/data/label DocumentInlineButton:/key DocumentInlineEmoji:/data/code
DocumentInlineEmoji:/key DocumentInlineExpression:/data/expression DocumentInlineExpression:/key
DocumentInlineIcon:/data/icon DocumentInlineIcon:/key DocumentInlineImage:/data/alt
DocumentInlineImage:/data/caption DocumentInlineImage:/key DocumentInlineLink:/key
DocumentInlineMath:/data/formula DocumentInlineMath:/key DocumentInlineMention:/key
DocumentTableDefinitionBase:/id DocumentTableDefinitionBase:/title DocumentTableImageRecord:/alt
DocumentTableRecord:/orderIndex DocumentTableRecord:/values/{name}
DocumentTableSelectOption:/color DocumentTableSelectOption:/label DocumentTableSelectOption:/value
DocumentTableViewCards:/columns/* DocumentTableViewCards:/coverDefinition
DocumentTableViewCards:/coverDefinitionDark DocumentTableViewCards:/targetDefinition
DocumentTableViewGrid:/columnWidths/{name} DocumentTableViewGrid:/columns/* DocumentText:/key
DocumentTextLeaf:/text Emoji: ExportToGitRepository:/commitMessage
ExportToGitRepository:/ref ExportToGitRepository:/repoCacheID
ExportToGitRepository:/repoCommitURL ExportToGitRepository:/repoProjectDirectory
ExportToGitRepository:/repoTreeURL ExportToGitRepository:/url Expression: Icon: ImportGitRepository:/ref
ImportGitRepository:/repoCacheID ImportGitRepository:/repoCommitURL
ImportGitRepository:/repoProjectDirectory ImportGitRepository:/repoTreeURL
ImportGitRepository:/url Length:/unit OpenAPISpecSlug: OpenAPISpecOverlay:/source/text
OpenAPISpecOverlay:/source/url OpenAPISpecSource:/url
OpenAPISpecSource:/text OpenAPIOperationPointer:/method
OpenAPIOperationPointer:/path OpenAPISchemasPointer:/schemas/* OpenAPIWebhookPointer:/method
OpenAPIWebhookPointer:/name OrganizationEmailDomains:/* OrganizationHostname:
OrganizationTeamTitle: OrganizationTitle: PlainObject:/{name} PlainObject:/{} PlainObject:/{}/*
GitSyncInstallationSetupCommon:/commitMessageTemplate
GitSyncInstallationSetupCommon:/projectDirectory
GitSyncInstallationSetupGitHub:/providerConfiguration/branch
GitSyncInstallationSetupGitLab:/providerConfiguration/accessToken
GitSyncInstallationSetupGitLab:/providerConfiguration/branch
GitSyncInstallationSetupGitLab:/providerConfiguration/customInstanceURL
updateGitSyncInstallationById:/childInstallationProjectDirectories/{name}
updateGitSyncInstallationById:/childInstallationProjectDirectories/{}
SetGitSyncChangeRequests:/apiUrl SetGitSyncChangeRequests:/branchPrefix
SetGitSyncChangeRequests:/import/*
SetGitSync:/commitMessage SetGitSync:/projectDirectory SetGitSync:/ref SetGitSync:/url
SetGitSyncCredentials:/hostKeys SetGitSyncCredentials:/password
SetGitSyncCredentials:/privateKey SetGitSyncCredentials:/token SetGitSyncCredentials:/username
NewFile:/base64 NewFile:/contentType NewFile:/name NewNavigationPage:/title
PostCommentSchema:/node ResolveConflicts:/conflicts/* RevisionPageSlug:
RevisionPageTag:/tag RevisionPageUpdate:/condition RevisionPageUpdate:/description
RevisionPageUpdate:/linkTitle RevisionPageUpdate:/title ShareLinkName: SiteTitle:
SiteRedirectDestinationSiteSection:/siteSectionId SiteRedirectInputDestinationPath:/path
SiteRedirectSourcePath:
SpaceTemplateParams:/contentRefs/{name} SpaceTitle: TableCellTarget:/definition
TableCellTarget:/record Timestamp: TokenName: TranslationRef:/translation URL:
UpdateCommentReplySchema:/addedReactions/* UpdateCommentReplySchema:/removedReactions/*
UpdateCommentSchema:/addedReactions/* UpdateCommentSchema:/removedReactions/*
SiteAdaptiveDeterministicJSONSchemaPrimitives:/description
SiteAdaptiveDeterministicJSONSchemaPrimitives:/enum/*
SiteAdaptiveJSONSchema:/properties/unsigned/properties/{name}
SiteAdaptiveJSONSchema:/properties/{name} SiteAdaptiveJSONSchemaClaimsProperties:/description
SiteAdaptiveJSONSchemaClaimsProperties:/properties/{name}
SiteAdaptiveJSONSchemaPrimitives:/description SiteVisitorPayload:/jwtToken
UpdateSpaceGitInfo:/url SiteBasename: SiteProxyOrigin: SiteSectionDescription:
LocalizedString128:/{name} LocalizedString128:/{}
LocalizedString256:/{name} LocalizedString256:/{} SiteHostname: adsUpdateSite:/reason adsUpdateSite:/reportingId adsUpdateSite:/zoneId
SiteSectionGroupTitle: SiteSectionPath: SiteSectionTitle: SiteSpacePath: createChangeRequest:/agentTaskId
createChangeRequest:/subject createCollection:/title getComputedDocument:/seed
getComputedRevision:/seed SetPassword:/currentPassword SetPassword:/password SignIn:/link SignIn:/password SignIn:/token
SitePublishingAuthUpdate:/fallbackURL requestReviewersForChangeRequest:/subject updateUserById:/displayName
CreateSpace:/language CreateSpace:/languageTag ImportGitRepository:/language
updateSiteSpaceById:/languageTag updateSpaceById:/language updateSpaceById:/languageTag
Color: CustomizationAnnouncementMessage: CustomizationContentLinkTitle: FontFamily:
CustomizationFontDefinitionInput:/id CustomizationFooterGroup:/title CustomizationHeaderItem:/title
StorageFileMetadata:/name StorageFileMetadata:/type
SiteCustomizationSettings:/search/synonyms/*/*
SiteCustomizationSettings:/footer/copyright overrideSiteSpaceCustomizationById:/footer/copyright
";

/// Returns the value at a position around the one under test.
fn around(place: &str, ids: &Ids) -> String {
    let naming = NAMING.iter().find(|(known, _)| *known == place);
    if let Some((_, patterns)) = naming.filter(|_| place != "ApplySpaceTemplate:/id") {
        return filled(patterns[0], ids);
    }
    match place {
        // These are not part of a reference.
        "ApplySpaceTemplate:/id" => "blank",
        "SitePublishingAuthUpdate:/fallbackURL" => "https://example.com/",
        "Color:" => "#0F8A5F",
        "URL:" | "ContentRefURL:/url" | "DocumentBlockEmbed:/data/url" => "https://example.com/",
        "SiteRedirectSourcePath:" => "/named",
        "StorageFileMetadata:/type" => "font/woff2",
        "CreateUser:/email" => "made@example.com",
        "ComputedContentSourceIntegration:/type" => "integration:some:source",
        _ => "made",
    }
    .to_owned()
}

/// Replaces the placeholders of a pattern with ids.
fn filled(pattern: &str, ids: &Ids) -> String {
    ids.iter().fold(pattern.to_owned(), |text, (name, id)| text.replace(&format!("{{{name}}}"), id))
}

/// Returns a body with the filled pattern at the position. Other positions of the same reference
/// are filled with the same ids.
fn said(
    operation: &Operation,
    position: &Position,
    pattern: &str,
    [own, others]: [&Ids; 2],
) -> Value {
    let owner = |place: &str| place.split(':').next().map(str::to_owned);
    let is_reference = position.name.starts_with("ContentRef");
    let around = |place: &str| {
        let of_others = is_reference && owner(place) == owner(&position.name);
        around(place, if of_others { others } else { own })
    };
    body(operation, position, &filled(pattern, others), &around)
}

/// Returns the read operations whose results can show written values, with their query parameters.
fn reads(operation: &str) -> &'static [(&'static str, &'static [(&'static str, &'static str)])] {
    match operation {
        "updateSpaceContent" => &[
            ("getPageById", &[("format", "markdown")]),
            ("getPageById", &[("format", "document"), ("evaluated", "true")]),
            ("listPageLinksInSpace", &[]),
            ("listSpaceLinks", &[]),
        ],
        "updateChangeRequestContent" => &[
            ("getPageInChangeRequestById", &[("format", "markdown")]),
            ("getPageInChangeRequestById", &[("format", "document"), ("evaluated", "true")]),
            ("listPageLinksInChangeRequest", &[]),
            ("listChangeRequestLinks", &[]),
        ],
        "updateCommentInSpace" => &[
            ("getCommentInSpace", &[("format", "markdown")]),
            ("getCommentInSpace", &[("format", "document")]),
        ],
        "updateChangeRequestById" => &[("getChangeRequestById", &[])],
        _ => &[],
    }
}

/// Calls an operation with a body, and returns its response with those of subsequent reads.
async fn answers(operation: &Operation, client: &Client, own: &Ids, body: &Value) -> Vec<Answer> {
    let mut answers = vec![about(client, operation, own).json(body).send().await];
    if answers[0].status < 300 {
        for (read, queries) in reads(&operation.id) {
            let read = Contract::embedded().operation(read).unwrap();
            let call = about(client, read, own);
            let call = queries.iter().fold(call, |call, (name, value)| call.query(name, value));
            answers.push(call.send().await);
        }
    }
    answers
}

/// The positions without a valid value in this test: the feature does not exist yet, the invitation
/// belongs to another user, a page cannot be moved under itself, signing in also requires a
/// password or a mail server, the items belong to different sites, an item cannot be its own
/// neighbour, a group stands at the top level, the space is synchronised already, or the change has
/// no effect.
const UNFIT: [&str; 26] = [
    "AcceptInvitation:/invitation",
    "ChangeRequestContentChangeUpdatePage:/into",
    "ComputedContentDependencySpace:/value/id",
    "ComputedContentDependencySpace:/value/revision",
    "ComputedContentSourceDocumentOpenAPI:/props/page",
    "ComputedContentSourceDocumentTranslation:/props/document",
    "ComputedContentSourceDocumentTranslation:/props/space",
    "DocumentTableRecord:/values/{}",
    "DocumentTableRecord:/values/{}/*",
    "GitSyncInstallationTarget:/siteId",
    "GitSyncInstallationTarget:/spaceId",
    "NewNavigationPage:/into",
    "SendSignInLink:/email",
    "SignIn:/email",
    "SiteSectionGroupPointer:/id",
    "SiteSectionPointer:/siteSection",
    "SiteSpacePointer:/siteSpace",
    "StorageFileKey:",
    "TranslationResult:/revision",
    "TranslationResult:/space",
    "addSpaceToSite:/sectionId",
    "addSpaceToSite:/spaceId",
    "revertSpace:/revision",
    "transferCollection:/organization",
    "transferSpace:/organization",
    "updateSiteSectionById:/defaultSiteSpace",
];

/// Returns the positions of an operation's body that contain ids, with their patterns.
fn named_in(operation: &Operation) -> Vec<(Position, &'static [&'static str])> {
    // Renders what the caller sends, and reads nothing.
    if operation.id == "renderIntegrationUIWithPost" {
        return Vec::new();
    }
    let mut named = Vec::new();
    for position in positions(operation) {
        match NAMING.iter().find(|(known, _)| *known == position.name) {
            Some((_, patterns)) => named.push((position, *patterns)),
            None => assert!(
                PLAIN.split_ascii_whitespace().any(|plain| plain == position.name),
                "{} takes {}: does it name anything?",
                operation.id,
                position.name
            ),
        }
    }
    named
}

#[test]
fn hidden_ids_in_bodies_look_nonexistent() {
    each_engine(async |env: &mut TestEnv| {
        let organizations = TwoOrganizations::create(env).await;
        let TwoOrganizations { own, hidden, never, .. } = &organizations;
        let before = organizations.hidden_state().await;
        let mut leaks = Vec::new();
        for operation in built() {
            let [ids, theirs, nobodys] = [own, hidden, never].map(|known| known.of(operation));
            for (position, patterns) in named_in(operation) {
                for pattern in patterns {
                    let names = |name: &str| pattern.contains(&format!("{{{name}}}"));
                    for observer in &organizations.observers {
                        if observer.sees.iter().any(|name| names(name)) {
                            continue;
                        }
                        let mut both = Vec::new();
                        for others in [theirs, nobodys] {
                            let body = said(operation, &position, pattern, [ids, others]);
                            both.push(answers(operation, &observer.client, ids, &body).await);
                        }
                        let never = both.pop().unwrap();
                        let theirs_told = both.pop().unwrap();
                        assert_eq!(theirs_told.len(), never.len());
                        for pair in theirs_told.into_iter().zip(never) {
                            let sent = [theirs, nobodys].map(|ids| {
                                let sent =
                                    ids.iter().filter(|(name, id)| names(name) || id.len() >= 20);
                                sent.map(|(name, id)| ((*name).to_owned(), id.clone())).collect()
                            });
                            let Position { name, .. } = &position;
                            let what = format!(
                                "{} at {name} for {}: {pattern}",
                                operation.id, observer.name
                            );
                            let compared = Comparison::new(what, pair.into(), sent);
                            leaks.extend(compared.leak(hidden, observer.sees));
                        }
                    }
                }
            }
        }
        assert!(leaks.is_empty(), "{} leaks:\n{}", leaks.len(), leaks.join("\n"));
        organizations.check_untouched(&before).await;
    });
}

/// Valid ids are accepted. Otherwise the test above would only compare errors about other parts of
/// the body.
#[test]
fn own_ids_in_bodies_are_accepted() {
    on_sqlite(async |env: &mut TestEnv| {
        let organizations = TwoOrganizations::create(env).await;
        let TwoOrganizations { own, beside, observers, .. } = &organizations;
        let mut taken: BTreeMap<String, bool> = BTreeMap::new();
        for operation in built() {
            let [ids, others] = [own, beside].map(|known| known.of(operation));
            for (position, patterns) in named_in(operation) {
                for (pattern, others) in patterns.iter().flat_map(|one| [(one, ids), (one, others)])
                {
                    let body = said(operation, &position, pattern, [ids, others]);
                    let answer =
                        about(&observers[0].client, operation, ids).json(&body).send().await;
                    let known = taken.entry(position.name.clone()).or_default();
                    *known |= answer.status < 300;
                }
            }
        }
        let unfit = taken.iter().filter(|(_, taken)| !**taken).map(|(name, _)| name.as_str());
        assert_eq!(unfit.collect::<Vec<_>>(), UNFIT);
    });
}
