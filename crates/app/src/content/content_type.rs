//! Media types of requests, and of files. Files are served so that scripts in them cannot run on
//! the application's origin.

/// Returns the media type without parameters, in lower case.
pub fn essence(value: &str) -> String {
    value.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

/// Returns `true` if a browser may display a file of this type inline instead of downloading it.
pub fn shows_inline(content_type: &str) -> bool {
    matches!(
        essence(content_type).as_str(),
        "image/png"
            | "image/jpeg"
            | "image/gif"
            | "image/webp"
            | "image/avif"
            | "image/bmp"
            | "image/x-icon"
            | "image/vnd.microsoft.icon"
            | "video/mp4"
            | "video/webm"
            | "audio/mpeg"
            | "audio/ogg"
            | "audio/wav"
            | "application/pdf"
            | "text/plain"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_can_carry_scripts_is_downloaded() {
        for (content_type, inline) in [
            ("image/png", true),
            ("Image/PNG; x=y", true),
            ("image/svg+xml", false),
            ("text/html; charset=utf-8", false),
            ("application/xhtml+xml", false),
            ("application/octet-stream", false),
            ("", false),
        ] {
            assert_eq!(shows_inline(content_type), inline, "{content_type}");
        }
    }
}
