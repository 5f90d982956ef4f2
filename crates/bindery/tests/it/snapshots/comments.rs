//! Comments and replies in a space or a change request.

use serde_json::json;

use super::recorder::Recorder;

/// Records the operations on comments; `place` is the end of their names.
pub(super) async fn comments(recorder: &mut Recorder<'_>, place: &str) {
    let page = &recorder.ids["pageId"];
    let body = json!({ "body": { "markdown": "A *remark*." }, "page": page });
    let posted = recorder.record_json(&format!("postComment{place}"), body).await;
    recorder.set("commentId", posted.text_at("/id"));
    let reply = json!({ "body": { "markdown": "A reply." } });
    let reply = recorder.record_json(&format!("postCommentReply{place}"), reply).await;
    recorder.set("commentReplyId", reply.text_at("/id"));
    let update = json!({
        "body": { "markdown": "Another reply." }, "addedReactions": ["1f44d"],
    });
    let _updated = recorder.record_json(&format!("updateCommentReply{place}"), update).await;
    for operation in ["getCommentReply", "listCommentReplies"] {
        let _shown = recorder.record(&format!("{operation}{place}")).await;
    }
    let update = json!({ "addedReactions": ["1f44d"], "resolved": true });
    let _updated = recorder.record_json(&format!("updateComment{place}"), update).await;
    for operation in ["getComment", "listComments", "listCommenters"] {
        let call = recorder.call(&format!("{operation}{place}"));
        let call = match operation {
            "listComments" => call.query("status", "all"),
            _ => call,
        };
        let _shown = recorder.send(&format!("{operation}{place}"), call).await;
    }
    for operation in ["deleteCommentReply", "deleteComment"] {
        let _deleted = recorder.record(&format!("{operation}{place}")).await;
    }
}
