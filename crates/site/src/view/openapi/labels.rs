//! The texts of references of APIs.

/// The texts in one language.
#[derive(Debug)]
pub(crate) struct ApiLabels {
    pub(crate) authorization: &'static str,
    pub(crate) path_parameters: &'static str,
    pub(crate) query_parameters: &'static str,
    pub(crate) headers: &'static str,
    pub(crate) cookies: &'static str,
    pub(crate) body: &'static str,
    pub(crate) responses: &'static str,
    pub(crate) required: &'static str,
    pub(crate) deprecated: &'static str,
    pub(crate) read_only: &'static str,
    pub(crate) write_only: &'static str,
    pub(crate) default: &'static str,
    pub(crate) example: &'static str,
    pub(crate) values: &'static str,
    pub(crate) pattern: &'static str,
    pub(crate) one_of: &'static str,
    pub(crate) any_of: &'static str,
    pub(crate) other_properties: &'static str,
    pub(crate) properties: &'static str,
    pub(crate) items: &'static str,
    pub(crate) variant: &'static str,
    pub(crate) recursive: &'static str,
    pub(crate) more: &'static str,
    pub(crate) webhook: &'static str,
    pub(crate) request: &'static str,
    pub(crate) scopes: &'static str,
    pub(crate) optional_auth: &'static str,
}

impl ApiLabels {
    /// Returns the texts in a language, or in English.
    pub(crate) fn of(_: &str) -> &'static Self {
        &ENGLISH
    }
}

const ENGLISH: ApiLabels = ApiLabels {
    authorization: "Authorization",
    path_parameters: "Path parameters",
    query_parameters: "Query parameters",
    headers: "Headers",
    cookies: "Cookies",
    body: "Body",
    responses: "Responses",
    required: "required",
    deprecated: "deprecated",
    read_only: "read-only",
    write_only: "write-only",
    default: "Default:",
    example: "Example:",
    values: "Possible values:",
    pattern: "Pattern:",
    one_of: "One of:",
    any_of: "Any of:",
    other_properties: "other properties",
    properties: "Properties",
    items: "Items",
    variant: "Variant",
    recursive: "See above",
    more: "Further properties are in the description of",
    webhook: "Webhook",
    request: "Request",
    scopes: "Scopes:",
    optional_auth: "or without authorization",
};
