//! The texts of the console in the languages of the interface.

use super::labels::labels;

labels! {
    ConsoleLabels (
        try_it, close, request, server, no_server, credentials, without_credentials,
        credentials_note, user, password, path_parameters, query_parameters, headers, cookies, body,
        required, media_type, no_body, not_set, one_per_line, missing, invalid_json, unreadable,
        send, sending, cancel, cancelled, response, hint, copy, copied, download, image, binary,
        empty, cut, failed, retry,
    )
    EN = "en" (
        "Try it", "Close", "Request", "Server", "x", "x", "x",
        "x", "x", "x", "x", "x", "x", "x", "x",
        "x", "x", "x", "x", "x", "x", "x", "x",
        "x", "x", "x", "x", "x", "x", "x", "x", "x", "x", "x",
        "x", "x", "x", "x",
    )
}
