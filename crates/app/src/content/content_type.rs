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

/// Returns `true` for the types that browsers run as scripts (WHATWG MIME Sniffing, section 4.6).
pub fn is_script(content_type: &str) -> bool {
    let essence = essence(content_type);
    let Some((kind, name)) = essence.split_once('/') else { return false };
    let known = match name.strip_prefix("javascript1.") {
        Some(version) => version.bytes().all(|byte| byte.is_ascii_digit()),
        None => matches!(
            name,
            "javascript"
                | "ecmascript"
                | "x-javascript"
                | "x-ecmascript"
                | "jscript"
                | "livescript"
        ),
    };
    known && matches!(kind, "text" | "application")
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

    #[test]
    fn types_of_scripts_are_known() {
        for script in [
            "text/javascript",
            "Application/JavaScript; charset=x",
            "text/javascript1.5",
            "text/jscript",
            "application/x-ecmascript",
        ] {
            assert!(is_script(script), "{script}");
        }
        for other in ["text/css", "application/json", "image/svg+xml", "text/x-javascripts", ""] {
            assert!(!is_script(other), "{other}");
        }
    }
}
