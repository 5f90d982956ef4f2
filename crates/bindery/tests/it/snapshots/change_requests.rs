//! Change requests: their content, reviews, conflicts and merges.

use serde_json::json;

use super::recorder::{Recorder, settled};
use super::space_content::LINKS;
use crate::support::change_requests::contested;
use crate::support::every_operation::suggestion;

/// Records the content of a new change request.
pub(super) async fn content(recorder: &mut Recorder<'_>) {
    let body = json!({ "subject": "A change" });
    let made = recorder.record_json("createChangeRequest", body).await;
    recorder.set("changeRequestId", made.text_at("/id"));
    let changes = json!({ "changes": [
        { "operation": "update_page", "page": recorder.ids["pageId"], "title": "Renamed" },
        { "operation": "insert_page", "title": "More", "document": { "markdown": LINKS } },
    ] });
    let call = recorder.call("updateChangeRequestContent").query("compat", false).json(&changes);
    let changed = recorder.send("updateChangeRequestContent", call).await;
    let more = changed.text_at("/changes/1/page/id").to_owned();
    let open = json!({ "status": "open", "subject": "A better change" });
    let _opened = recorder.record_json("updateChangeRequestById", open).await;
    recorder
        .record_all(&[
            "getChangeRequestById",
            "listChangeRequestsForSpace",
            "listChangeRequestsForOrganization",
            "getChangeRequestProperties",
            "getChangeRequestDifferences",
            "getChangeRequestChanges",
            "getContributorsByChangeRequestId",
            "getRevisionOfChangeRequestById",
            "listPagesInChangeRequest",
            "listFilesInChangeRequestById",
            "getFileInChangeRequestById",
            "listChangeRequestFileBacklinks",
            "listChangeRequestPageBacklinks",
            "getReusableContentInChangeRequestById",
            "getPageInChangeRequestByPath",
            "listChangeRequestPageMetaLinks",
            "listChangeRequestLinks",
            "getChangeRequestPDF",
        ])
        .await;
    let page = recorder.ids["pageId"].clone();
    recorder.set("pageId", &more);
    recorder.record_all(&["getPageInChangeRequestById", "listPageLinksInChangeRequest"]).await;
    recorder.set("pageId", &page);
    recorder
        .record_all(&[
            "insertChangeRequestPage",
            "updateChangeRequestPage",
            "uploadChangeRequestFile",
            "checkExpression",
            "listChangeRequestProblems",
        ])
        .await;
    let joined = recorder.record("joinPageEditing").await;
    recorder.set("editingSessionId", joined.text_at("/id"));
    recorder
        .record_all(&[
            "sendEditingSteps",
            "listEditingSteps",
            "setEditingSelection",
            "listEditingPeople",
            "openConnection",
        ])
        .await;
    for (name, operation) in [("first", "acceptSuggestions"), ("second", "refuseSuggestions")] {
        let suggestion = suggestion(&recorder.client, &recorder.ids, name).await;
        recorder.set("suggestion", &suggestion);
        if name == "first" {
            let _listed = recorder.record("listSuggestions").await;
        }
        let _decided = recorder.record(operation).await;
    }
    let _discarded = recorder.record("discardChangeRequestPage").await;
}

/// Records a review that Ada was asked for.
pub(super) async fn reviews(recorder: &mut Recorder<'_>) {
    let administrator = recorder.ids["userId"].clone();
    let ada = recorder.ids["ada"].clone();
    recorder.set("userId", &ada);
    recorder
        .record_all(&["requestReviewersForChangeRequest", "getRequestedReviewersByChangeRequestId"])
        .await;
    let client = recorder.client.clone();
    recorder.client = client.with_token(&recorder.ids["adaToken"]);
    let review = json!({ "status": "changes-requested", "comment": { "markdown": "Not yet." } });
    let review = recorder.record_json("submitChangeRequestReview", review).await;
    recorder
        .record_all(&[
            "listNotifications",
            "updateNotifications",
            "updateNotificationSettings",
            "getNotificationSettings",
        ])
        .await;
    recorder.client = client;
    recorder.set("reviewId", review.text_at("/id"));
    recorder
        .record_all(&[
            "getReviewsByChangeRequestId",
            "getChangeRequestReviewById",
            "removeRequestedReviewerFromChangeRequest",
        ])
        .await;
    recorder.set("userId", &administrator);
}

/// Records a change request with a conflict, which is resolved and merged.
pub(super) async fn merges(recorder: &mut Recorder<'_>) {
    let first = recorder.ids["spaceId"].clone();
    let make = recorder.client.call("createSpace");
    let make = make.path("organizationId", &recorder.ids["organizationId"]);
    let made = settled(make.json(&json!({ "title": "Contested" }))).await.expect(201);
    let space = made.text_at("/id");
    let client = recorder.client.clone();
    let (ours, _) = contested(&client, space).await;
    recorder.set("spaceId", space);
    recorder.set("changeRequestId", ours.id());
    recorder
        .record_all(&[
            "updateChangeRequest",
            "listChangeRequestConflicts",
            "resolveChangeRequestConflicts",
            "mergeChangeRequest",
        ])
        .await;
    recorder.set("spaceId", &first);
}
