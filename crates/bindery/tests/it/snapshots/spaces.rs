//! Spaces, collections and sites.

use serde_json::json;

use super::recorder::{Recorder, settled};
use crate::support::page_feedback::SiteWithFeedback;
use crate::support::until;

pub(super) async fn sites(recorder: &mut Recorder<'_>) {
    let _read = recorder.record("getSiteById").await;
    recorder.record_all(&["getCustomHostname", "removeCustomHostname"]).await;
    let published = recorder.record("publishSite").await;
    recorder.record_all(&["updateSiteAdsById", "adsListSites", "adsUpdateSite"]).await;
    let unknown = recorder.ids["url"].clone();
    recorder.set("url", &format!("{}page", published.text_at("/urls/published")));
    recorder.record_all(&["resolvePublishedContentByUrl", "getPublishedContentByUrl"]).await;
    recorder.record_all(&["getContentByUrl", "getEmbedByUrl", "getEmbedByUrlInSpace"]).await;
    let _rendered = recorder.record("renderIntegrationUIWithPost").await;
    recorder.set("url", &unknown);
    recorder.record_all(&["getPublishedContentSite", "listSiteSpaces"]).await;
    let body = json!({ "title": "Second", "spaces": [] });
    let made = recorder.record_json("createSite", body).await;
    let _listed = recorder.record("listSites").await;
    let first = recorder.ids["siteId"].clone();
    recorder.set("siteId", made.text_at("/id"));
    let _added = recorder.record("addSpaceToSite").await;
    let _deleted = recorder.record("deleteSiteById").await;
    let rated = SiteWithFeedback::published(recorder.env, "Rated").await;
    recorder.set("pageFeedbackId", &rated.give().await);
    recorder.set("siteId", &rated.id);
    recorder.record_all(&["listSitePageFeedback", "deleteSitePageFeedbackById"]).await;
    recorder.set("siteId", &first);
    recorder
        .record_all(&["trackEventsInSiteById", "aggregateSiteEvents", "listSiteVisitorSegments"])
        .await;
    let _unpublished = recorder.record("unpublishSite").await;
}

/// Records searches for a page that the index has.
pub(super) async fn searches(recorder: &mut Recorder<'_>) {
    until(async || {
        let found = recorder.call("searchSpaceContent").send().await.expect(200);
        (found.at("/count") != 0).then_some(())
    })
    .await;
    recorder
        .record_all(&["searchSpaceContent", "searchOrganizationContent", "searchSiteContent"])
        .await;
}

pub(super) async fn structure(recorder: &mut Recorder<'_>) {
    recorder
        .record_all(&[
            "getSiteStructure",
            "listSiteSections",
            "listSiteSectionGroups",
            "updateSiteById",
            "updateSiteSpaceById",
            "updateSiteSectionById",
            "updateSiteSectionGroupById",
            "removeSectionFromGroup",
            "addSectionToGroup",
            "sortSiteStructure",
            "moveSiteSpace",
            "moveSiteSection",
            "moveSiteSectionGroup",
        ])
        .await;
    let group = recorder.record("addSectionGroupToSite").await;
    recorder.set("siteSectionGroupId", group.text_at("/id"));
    let space = recorder.client.call("createSpace");
    let space = space.path("organizationId", &recorder.ids["organizationId"]);
    let space = settled(space.json(&json!({ "title": "Extra" }))).await.expect(201);
    let body = json!({ "spaceId": space.text_at("/id") });
    let section = recorder.record_json("addSectionToSite", body).await;
    recorder.set("siteSectionId", section.text_at("/id"));
    let copy = recorder.record("duplicateSiteSpace").await;
    let first = recorder.ids["siteSpaceId"].clone();
    recorder.set("siteSpaceId", copy.text_at("/id"));
    let _deleted = recorder.record("deleteSiteSpaceById").await;
    recorder.set("siteSpaceId", &first);
    recorder.record_all(&["deleteSiteSectionById", "deleteSiteSectionGroupById"]).await;
    let link = json!({
        "title": "Status", "localizedTitle": { "de": "Stand" }, "icon": "signal",
        "url": "https://status.example.com/", "condition": "true",
    });
    let link = recorder.record_json("addExternalLinkToSite", link).await;
    recorder.set("siteExternalLinkId", link.text_at("/id"));
    recorder.record_all(&["listSiteExternalLinks", "updateSiteExternalLinkById"]).await;
    let _deleted = recorder.record("deleteSiteExternalLinkById").await;
}

pub(super) async fn audience(recorder: &mut Recorder<'_>) {
    let link = recorder.record_json("createSiteShareLink", json!({ "name": "Partners" })).await;
    recorder.set("shareLinkId", link.text_at("/id"));
    let _listed = recorder.record("listSiteShareLinks").await;
    let _revoked =
        recorder.record_json("updateSiteShareLinkById", json!({ "active": false })).await;
    let _deleted = recorder.record("deleteSiteShareLinkById").await;
    let auth = json!({ "backend": "custom", "fallbackURL": "https://example.com/sign-in" });
    let _updated = recorder.record_json("updateSitePublishingAuthById", auth).await;
    recorder.record_all(&["getSitePublishingAuthById", "regenerateSitePublishingAuthById"]).await;
    let _preview = recorder.record("getSitePublishingPreviewById").await;
    let plan = json!({ "type": "string", "enum": ["free", "pro"], "description": "Plan" });
    let properties = json!({ "plan": plan });
    let schema =
        json!({ "type": "object", "properties": properties, "additionalProperties": false });
    let body = json!({ "jsonSchema": schema });
    let _updated = recorder.record_json("updateSiteAdaptiveSchema", body).await;
    recorder.record_all(&["getSiteAdaptiveSchema", "listSiteAdaptiveTemplateConditions"]).await;
    let _updated = recorder.record("updateSiteCustomizationById").await;
    let _uploaded = recorder.record("uploadSiteImage").await;
    let override_of = "overrideSiteSpaceCustomizationById";
    recorder.record_all(&["getSiteCustomizationById", override_of]).await;
    let of_site_space = ["getSiteSpaceCustomizationById", "deleteSiteSpaceCustomizationById"];
    recorder.record_all(&of_site_space).await;
}

pub(super) async fn fonts(recorder: &mut Recorder<'_>) {
    recorder.record_all(&["generateStorageUploadURL", "getCustomFont", "updateCustomFont"]).await;
    let made = recorder.record("createCustomFont").await;
    let _listed = recorder.record("listCustomFonts").await;
    recorder.set("fontId", made.text_at("/id"));
    let _deleted = recorder.record("deleteCustomFont").await;
}

pub(super) async fn openapi(recorder: &mut Recorder<'_>) {
    let _listed = recorder.record("listOpenAPISpecs").await;
    recorder
        .record_all(&[
            "getOpenAPISpecBySlug",
            "updateOpenAPISpecBySlug",
            "listOpenAPISpecVersions",
            "getLatestOpenAPISpecVersion",
            "getLatestOpenAPISpecVersionContent",
            "getLatestOpenAPISpecVersionContentRaw",
            "getOpenAPISpecVersionById",
            "getOpenAPISpecVersionContentById",
            "listOpenAPISpecOperations",
            "getOpenAPISpecVersionChanges",
            "listOpenAPISpecOverlays",
            "getOpenAPISpecHook",
        ])
        .await;
    let hook = recorder.record("createOpenAPISpecHook").await;
    recorder.set("hookToken", hook.text_at("/token"));
    recorder
        .record_all(&["receiveOpenAPIHook", "setOpenAPISpecOverlays", "deleteOpenAPISpecHook"])
        .await;
    let _put = recorder.record("createOrUpdateOpenAPISpecBySlug").await;
    let _made = recorder.record("createOpenAPISpec").await;
    let _deleted = recorder.record("deleteOpenAPISpecBySlug").await;
}

pub(super) async fn redirects(recorder: &mut Recorder<'_>) {
    let destination = json!({ "kind": "site-space", "siteSpaceId": recorder.ids["siteSpaceId"] });
    let body = json!({ "source": "/old", "destination": destination });
    let made = recorder.record_json("createSiteRedirect", body).await;
    recorder.set("siteRedirectId", made.text_at("/id"));
    let _listed = recorder.record("listSiteRedirects").await;
    let _updated =
        recorder.record_json("updateSiteRedirectById", json!({ "source": "/older" })).await;
    let _found = recorder.record("getSiteRedirectBySource").await;
    let _deleted = recorder.record("deleteSiteRedirectById").await;
    let many = json!({ "redirects": [
        { "source": "/draft", "intent": "draft", "destination": destination },
        { "source": "/none", "destination": null },
    ] });
    let _many = recorder.record_json("bulkUpsertSiteRedirects", many).await;
}

pub(super) async fn spaces(recorder: &mut Recorder<'_>) {
    let update = json!({ "title": "The first", "emoji": "1f600", "language": "en" });
    let _updated = recorder.record_json("updateSpaceById", update).await;
    let copy = recorder.record("duplicateSpace").await;
    recorder.record_all(&["getSpaceById", "listSpacesInOrganizationById"]).await;
    let into = json!({ "parent": recorder.ids["collectionId"] });
    let _moved = recorder.record_json("moveSpace", into).await;
    let first = recorder.ids["spaceId"].clone();
    recorder.set("spaceId", copy.text_at("/id"));
    recorder.record_all(&["deleteSpaceById", "restoreSpace"]).await;
    let other = json!({ "organization": recorder.ids["otherOrganizationId"] });
    let _transferred = recorder.record_json("transferSpace", other).await;
    recorder.set("spaceId", &first);
}

pub(super) async fn collections(recorder: &mut Recorder<'_>) {
    let update = json!({ "title": "Manuals", "description": "All of them" });
    let _updated = recorder.record_json("updateCollectionById", update).await;
    recorder.record_all(&["getCollectionById", "listSpacesInCollectionById"]).await;
    let body = json!({ "title": "Inner", "parent": recorder.ids["collectionId"] });
    let inner = recorder.record_json("createCollection", body).await;
    let _listed = recorder.record("listCollectionsInOrganizationById").await;
    let first = recorder.ids["collectionId"].clone();
    recorder.set("collectionId", inner.text_at("/id"));
    let top = json!({ "parent": null });
    let _moved = recorder.record_json("moveCollection", top).await;
    let other = json!({ "organization": recorder.ids["otherOrganizationId"] });
    let _transferred = recorder.record_json("transferCollection", other).await;
    recorder.set("collectionId", &first);
}

/// Records the deletion of items that other operations need.
pub(super) async fn removals(recorder: &mut Recorder<'_>) {
    let call = recorder.client.call("createCollection");
    let call = call.path("organizationId", &recorder.ids["organizationId"]);
    let made = settled(call.json(&json!({ "title": "Empty" }))).await.expect(201);
    recorder.set("collectionId", made.text_at("/id"));
    recorder.record_all(&["deleteCollectionById", "removeTeamFromOrganizationById"]).await;
}
