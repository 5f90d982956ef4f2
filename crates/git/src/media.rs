//! Detects the media type of a file and the dimensions of an image.

use bindery_revision::Dimensions;

/// The media type of files that no other one fits.
pub const UNKNOWN: &str = "application/octet-stream";

/// Extensions of names and their media types. The first one of a type is its usual one.
const EXTENSIONS: [(&str, &str); 44] = [
    ("svg", "image/svg+xml"),
    ("png", "image/png"),
    ("jpg", "image/jpeg"),
    ("jpeg", "image/jpeg"),
    ("gif", "image/gif"),
    ("webp", "image/webp"),
    ("avif", "image/avif"),
    ("ico", "image/x-icon"),
    ("bmp", "image/bmp"),
    ("tif", "image/tiff"),
    ("tiff", "image/tiff"),
    ("mp4", "video/mp4"),
    ("webm", "video/webm"),
    ("mov", "video/quicktime"),
    ("mp3", "audio/mpeg"),
    ("wav", "audio/wav"),
    ("ogg", "audio/ogg"),
    ("pdf", "application/pdf"),
    ("zip", "application/zip"),
    ("gz", "application/gzip"),
    ("tgz", "application/gzip"),
    ("tar", "application/x-tar"),
    ("json", "application/json"),
    ("map", "application/json"),
    ("yaml", "application/yaml"),
    ("yml", "application/yaml"),
    ("xml", "application/xml"),
    ("html", "text/html"),
    ("htm", "text/html"),
    ("css", "text/css"),
    ("js", "text/javascript"),
    ("mjs", "text/javascript"),
    ("csv", "text/csv"),
    ("md", "text/markdown"),
    ("markdown", "text/markdown"),
    ("txt", "text/plain"),
    ("log", "text/plain"),
    ("woff", "font/woff"),
    ("woff2", "font/woff2"),
    ("ttf", "font/ttf"),
    ("otf", "font/otf"),
    ("docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"),
    ("xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
    ("pptx", "application/vnd.openxmlformats-officedocument.presentationml.presentation"),
];

/// Returns the media type of a file: by its first bytes if they identify one, else by its name.
pub fn content_type(path: &str, bytes: &[u8]) -> &'static str {
    by_bytes(bytes).unwrap_or_else(|| by_name(path))
}

/// Returns the media type that the first bytes of a file identify.
pub fn by_bytes(bytes: &[u8]) -> Option<&'static str> {
    let riff = |kind: &[u8]| bytes.starts_with(b"RIFF") && bytes.get(8..12) == Some(kind);
    let brand = |kinds: &[&[u8]]| {
        bytes.get(4..8) == Some(b"ftyp")
            && bytes.get(8..12).is_some_and(|brand| kinds.contains(&brand))
    };
    Some(match bytes {
        [0x89, b'P', b'N', b'G', b'\r', b'\n', ..] => "image/png",
        [0xFF, 0xD8, 0xFF, ..] => "image/jpeg",
        [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..] => "image/gif",
        [b'%', b'P', b'D', b'F', b'-', ..] => "application/pdf",
        _ if riff(b"WEBP") => "image/webp",
        _ if riff(b"WAVE") => "audio/wav",
        _ if brand(&[b"avif", b"avis"]) => "image/avif",
        _ if brand(&[b"heic", b"heix", b"mif1"]) => "image/heic",
        _ if brand(&[b"qt  "]) => "video/quicktime",
        _ if brand(&[b"isom", b"iso2", b"mp41", b"mp42", b"avc1", b"M4V "]) => "video/mp4",
        _ => return None,
    })
}

/// Returns the media type that the extension of a name stands for, or [`UNKNOWN`].
pub fn by_name(path: &str) -> &'static str {
    let name = path.rsplit('/').next().unwrap_or(path);
    let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
    let extension = extension.to_ascii_lowercase();
    let known = EXTENSIONS.iter().find(|(known, _)| *known == extension);
    known.map_or(UNKNOWN, |(_, content_type)| content_type)
}

/// Returns the usual extension of a media type.
pub fn extension(content_type: &str) -> Option<&'static str> {
    EXTENSIONS.iter().find(|(_, known)| *known == content_type).map(|(extension, _)| *extension)
}

/// Returns the width and height of an image, if its header contains them.
pub fn dimensions(content_type: &str, bytes: &[u8]) -> Option<Dimensions> {
    if content_type == "image/svg+xml" {
        return svg(bytes);
    }
    if !content_type.starts_with("image/") {
        return None;
    }
    let size = imagesize::blob_size(bytes).ok()?;
    let (width, height) = (size.width.try_into().ok()?, size.height.try_into().ok()?);
    (width > 0 && height > 0).then_some(Dimensions { width, height })
}

/// Returns the dimensions from the attributes or the view box of an SVG root element.
fn svg(bytes: &[u8]) -> Option<Dimensions> {
    let head = bytes.get(..bytes.len().min(4096))?;
    let text = String::from_utf8_lossy(head);
    let (_, rest) = text.split_once("<svg")?;
    let element = rest.split('>').next()?;
    let value = |name: &str| {
        let (_, rest) = element.split_once(&format!(" {name}="))?;
        let quote = rest.chars().next().filter(|c| matches!(c, '"' | '\''))?;
        rest.get(1..)?.split(quote).next()
    };
    let pixels = |text: &str| {
        let number: f64 = text.trim().trim_end_matches("px").parse().ok()?;
        // At most a million pixels, so the conversion is exact.
        (1.0..1e6).contains(&number).then(|| number.round() as u32)
    };
    let said = || {
        let width = value("width").and_then(pixels)?;
        Some(Dimensions { width, height: value("height").and_then(pixels)? })
    };
    let boxed = || {
        let mut numbers = value("viewBox")?.split([' ', ',']).filter(|part| !part.is_empty());
        let width = numbers.nth(2).and_then(pixels)?;
        Some(Dimensions { width, height: numbers.next().and_then(pixels)? })
    };
    said().or_else(boxed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_take_precedence_over_names() {
        for (path, bytes, expect) in [
            ("a.txt", &b"\x89PNG\r\n\x1a\n"[..], "image/png"),
            ("a", b"RIFF____WEBPVP8 ", "image/webp"),
            ("a.SVG", b"<svg/>", "image/svg+xml"),
            ("x.tar/a", b"%PDF-1.7", "application/pdf"),
            ("a.unknown", b"", "application/octet-stream"),
            (".yaml", b"", "application/yaml"),
        ] {
            assert_eq!(content_type(path, bytes), expect, "{path}");
        }
    }

    #[test]
    fn image_sizes_are_detected() {
        let gif = b"GIF89a\x10\x00\x20\x00\x00\x00\x00";
        let size = |width, height| Some(Dimensions { width, height });
        assert_eq!(dimensions("image/gif", gif), size(16, 32));
        assert_eq!(dimensions("image/png", b"\x89PNG"), None);
        assert_eq!(dimensions("text/plain", gif), None);
        for (text, expect) in [
            ("<?xml?><svg width=\"10\" height='20px'>", size(10, 20)),
            ("<svg viewBox=\"0 0 24 12.4\"></svg>", size(24, 12)),
            ("<svg width=\"100%\" height=\"100%\" viewBox=\"0,0,3,4\">", size(3, 4)),
            ("<svg>", None),
            ("", None),
        ] {
            assert_eq!(dimensions("image/svg+xml", text.as_bytes()), expect, "{text}");
        }
    }
}
