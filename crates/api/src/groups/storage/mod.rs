//! Group `storage`.

use bindery_app::Context;
use bindery_app::access::{Action, Authorized};
use bindery_app::people::organizations::Organization;
use bindery_app::publishing::storage::{self, NewUpload, UploadAddress};
use bindery_model::Result;
use bindery_wire::request::{GenerateStorageUploadURLBody, StorageFileMetadata};
use bindery_wire::response::StorageUploadURL;

use crate::call::Call;
use crate::closed_sets::storage_kind_of;
use crate::operation::{Operation, write};
use crate::reply::Reply;

pub(super) fn operations() -> Vec<Operation> {
    vec![write("generateStorageUploadURL", Action::CreateContent, generate_upload_url)]
}

/// `generateStorageUploadURL`: returns an address that accepts one upload.
fn generate_upload_url(
    cx: &Context<'_>,
    organization: &Authorized<Organization>,
    call: &Call,
) -> Result<Reply> {
    let GenerateStorageUploadURLBody { file, kind } = call.body()?;
    let StorageFileMetadata { name, r#type: content_type, size } = file;
    let upload =
        NewUpload { kind: storage_kind_of(kind), name: &name, content_type: &content_type, size };
    let UploadAddress { key, url } = storage::create(cx, organization, &upload)?;
    Reply::json(201, &StorageUploadURL { url, key: key.to_string() })
}
